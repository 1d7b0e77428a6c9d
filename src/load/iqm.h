/* iqm.h: declarations that the parts of the IQM reader share.
 *
 * IQM is the Inter-Quake Model format, version 2: a header with a magic and 27 numbers, the counts
 * and offsets of arrays, then these arrays, little-endian. Joints and poses store their parent by
 * index; clips are frames of 16-bit numbers, which each pose scales.
 *
 *   iqm_data.c      numbers, arrays, messages
 *   iqm_mesh.c      vertices, triangles, materials
 *   iqm_joints.c    joints, the skin, clips
 *   iqm.c           the header and the order of all steps
 *
 * The file's world is right-handed with Z up, and Blender's exporter, which turns nothing, leaves
 * the front at -Y. A quarter turn about X, (x, y, z) to (x, z, -y), makes Y up and the front +Z, as
 * in our world. It is applied to everything, joints' axes included, and only exchanges numbers and
 * signs, so it rounds nothing. Triangles are clockwise (120 of 120 in the corpus' model, and both
 * exporters say so) and are reversed. V goes down, as ours. Translations, rotations and scales
 * apply as ours do.
 *
 * Integers in vertex arrays mean what the format's own compiler writes: c / max if unsigned, (2c +
 * 1) / (max - min) if signed; but blend indexes are plain numbers. Engines multiply colours with
 * texels without conversion, so they are sRGB, except with def->material_colors linear. Blender's
 * exporter writes black for meshes without colours if another mesh has some, so a mesh that is
 * black all over has no colours. Not read: tangents, as no normal map is ever named; neighbours,
 * bounds, comments, extensions and custom arrays.
 *
 * A material is one word, "a material or texture": it is a texture if it has the extension of a
 * picture, or if a picture of that name is beside the model; else it is only a name. The format
 * does not store transparency: alpha decides (scene/alpha.c).
 *
 * Frame k of a clip is at k / rate. An invalid rate counts as 25, as in other formats. A clip with
 * the loop flag continues from its last frame to its first, so it gets the first frame once more at
 * its end, unless the last one repeats it already, and its channels repeat.
 *
 * Files with clips alone have poses without names, joints or bind pose: the first frame is their
 * rest, and a model takes their clips joint by joint in order (retarget/rig_order.c). */
#ifndef MRWI_LOAD_IQM_H
#define MRWI_LOAD_IQM_H

#include "base/memory.h"
#include "load/reader.h"
#include "load/texture.h"
#include "scene/builder.h"

/* Bytes of the header, and of an entry of each array. */
#define MRWI_LOAD_IQM_HEADER   124
#define MRWI_LOAD_IQM_MESH     24
#define MRWI_LOAD_IQM_VERTEXES 20
#define MRWI_LOAD_IQM_TRIANGLE 12
#define MRWI_LOAD_IQM_JOINT    48
#define MRWI_LOAD_IQM_POSE     88
#define MRWI_LOAD_IQM_ANIM     20

/* Entries that are complete in the file. */
typedef struct mrwi_load_iqm_array {
    const uint8_t *at; /* not aligned */
    uint32_t count;
} mrwi_load_iqm_array;

/* The names of a file. */
typedef struct mrwi_load_iqm_text {
    const char *at; /* `size` bytes, followed by a NUL */
    uint32_t size;
} mrwi_load_iqm_text;

/* The arrays that the header names. They do not change once they are found. */
typedef struct mrwi_load_iqm_file {
    mrwi_load_iqm_text text;
    mrwi_load_iqm_array meshes, vertex_arrays, triangles, joints, poses, anims;
    uint32_t vertex_count;
    mrwi_load_iqm_array frames; /* rows of channel_count u16 */
    uint32_t channel_count;
} mrwi_load_iqm_file;

/* The load of a file: the scene so far, its budget and its status. The first failure stays;
 * functions that return bool say whether to continue. */
typedef struct mrwi_load_iqm {
    const mrwi_load_read_job *job;
    mrwi_scene_builder *builder;
    mrwi_base_arena kept; /* memory until the end of the load */
    uint64_t budget;      /* rows that the file may produce */
    uint64_t rows_left;   /* rows that it may still produce */
    mrw_status status;
    mrw_error *error;
} mrwi_load_iqm;

/* ---- iqm_data.c ------------------------------------------------------------------------------ */

/* Fails with a reason after the file's name. Always returns false. */
bool mrwi_load_iqm_fail(mrwi_load_iqm *load, const char *format, ...) MRW_PRINTF(2, 3);
/* Records a status; its failure becomes that of the load. */
bool mrwi_load_iqm_ok(mrwi_load_iqm *load, mrw_status status);
/* Allocates from an arena, not zeroed. NULL after a failure. */
void *mrwi_load_iqm_alloc(mrwi_load_iqm *load, mrwi_base_arena *arena, size_t count, size_t size);
/* Takes rows from the budget, which depends on the file's size: arrays that share bytes must not
 * expand without limit. */
bool mrwi_load_iqm_charge(mrwi_load_iqm *load, uint64_t rows);

uint32_t mrwi_load_iqm_u32(const uint8_t *at);
uint16_t mrwi_load_iqm_u16(const uint8_t *at);
float mrwi_load_iqm_f32(const uint8_t *at);

/* Formats of vertex arrays. */
typedef enum mrwi_load_iqm_format {
    MRWI_LOAD_IQM_BYTE,
    MRWI_LOAD_IQM_UBYTE,
    MRWI_LOAD_IQM_SHORT,
    MRWI_LOAD_IQM_USHORT,
    MRWI_LOAD_IQM_INT,
    MRWI_LOAD_IQM_UINT,
    MRWI_LOAD_IQM_HALF,
    MRWI_LOAD_IQM_FLOAT,
    MRWI_LOAD_IQM_DOUBLE,
    MRWI_LOAD_IQM_FORMAT_COUNT
} mrwi_load_iqm_format;
/* Returns the bytes of one number. */
uint32_t mrwi_load_iqm_format_size(mrwi_load_iqm_format format);
/* Reads a number as it is stored, and as it is meant: integers as fractions. */
double mrwi_load_iqm_number(const uint8_t *at, mrwi_load_iqm_format format);
double mrwi_load_iqm_value(const uint8_t *at, mrwi_load_iqm_format format);

/* Turns a place, a direction or the axis of a rotation to our world. Sizes along the axes, as of a
 * scale, only exchange places. */
void mrwi_load_iqm_turn(float v[3], bool sizes);

/* Finds `count` entries of `size` bytes at an offset. Fails if they are not after the header and
 * complete in the file. */
bool mrwi_load_iqm_find(mrwi_load_iqm *load, const char *what, uint32_t count, uint64_t size,
                        uint32_t offset, mrwi_load_iqm_array *out);
/* Returns the name at an offset of the text; NULL after a failure. "joint", 3 is the element. */
const char *mrwi_load_iqm_name(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t offset,
                               const char *what, uint32_t index);

/* ---- iqm_mesh.c, iqm_joints.c ---------------------------------------------------------------- */

/* Pushes nodes in the order of the joints (of the poses, if there are no joints), and one skin. */
bool mrwi_load_iqm_push_joints(mrwi_load_iqm *load, const mrwi_load_iqm_file *file);
/* Pushes the meshes, after the joints. */
bool mrwi_load_iqm_push_meshes(mrwi_load_iqm *load, const mrwi_load_iqm_file *file);
bool mrwi_load_iqm_push_clips(mrwi_load_iqm *load, const mrwi_load_iqm_file *file);

#endif
