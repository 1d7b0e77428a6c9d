/* iqm.h: what the parts of the IQM reader share.
 *
 * IQM is the Inter-Quake Model format, version 2: a header of a magic and 27 numbers, which say how
 * many there are of each thing and where in the file, then arrays of these, little-endian. Joints
 * and poses are stored parent by index, clips as frames of 16-bit numbers that each pose scales.
 *
 *   iqm_data.c      numbers, arrays, messages
 *   iqm_mesh.c      vertices, triangles, materials
 *   iqm_joints.c    joints, the skin, clips
 *   iqm.c           the header and the order of it all
 *
 * The file's world is right-handed with Z up, and Blender's exporter, which turns nothing, leaves
 * the front at -Y. A quarter turn about X, (x, y, z) to (x, z, -y), brings both where ours are; it
 * is done to all there is, joints' axes included, and only moves numbers and signs, so it rounds
 * nothing. Triangles are clockwise (120 of 120 of the corpus' model, and both exporters say so) and
 * are turned over. V goes down, as ours. Translations, rotations and scales apply as ours do.
 *
 * Integers in vertex arrays mean what the format's own compiler writes: c / max where unsigned,
 * (2c + 1) / (max - min) where signed; but blend indexes are as they stand. Colours are what
 * engines multiply with texels as they are, so they are sRGB, but with def->material_colors linear;
 * Blender's exporter writes black for meshes without colours beside one with, so a mesh that is
 * black all over has none. Not read: tangents, as no normal map is ever named; neighbours, bounds,
 * comments, extensions and arrays of a program's own.
 *
 * A material is one word, "a material or texture": a texture when it has the extension of a
 * picture or one of that name lies beside the model, else only a name. Nothing says how it is
 * transparent: its alpha does (scene/alpha.c).
 *
 * Frame k of a clip lies at k / rate; a rate that is none counts as 25, as in other formats. A clip
 * with the loop flag goes on from its last frame to its first, so it gets that frame once more at
 * its end, unless the last repeats it already, and its channels repeat.
 *
 * Files of clips alone have poses without names, joints or bind pose: the first frame is their
 * rest, and a model takes their clips joint by joint in order (retarget/rig_order.c).
 */
#ifndef MRWI_LOAD_IQM_H
#define MRWI_LOAD_IQM_H

#include "base/memory.h"
#include "load/reader.h"
#include "load/texture.h"
#include "scene/builder.h"

/* The bytes of the header, and of an entry of each array. */
#define MRWI_LOAD_IQM_HEADER   124
#define MRWI_LOAD_IQM_MESH     24
#define MRWI_LOAD_IQM_VERTEXES 20
#define MRWI_LOAD_IQM_TRIANGLE 12
#define MRWI_LOAD_IQM_JOINT    48
#define MRWI_LOAD_IQM_POSE     88
#define MRWI_LOAD_IQM_ANIM     20

/* Entries that lie in the file as a whole. */
typedef struct mrwi_load_iqm_array {
    const uint8_t *at; /* not aligned */
    uint32_t count;
} mrwi_load_iqm_array;

/* A file whose header was read, and how reading it went. The first failure stays; functions that
 * return bool say whether to go on. */
typedef struct mrwi_load_iqm {
    const mrwi_load_read_job *job;
    mrwi_scene_builder *builder;
    mrwi_base_arena kept; /* until the end of the load */
    uint64_t budget;      /* of rows that may be made of the file, */
    uint64_t rows_left;   /* and how many more */
    mrw_status status;
    mrw_error *error;

    const char *text; /* names; a NUL follows */
    uint32_t text_size;
    mrwi_load_iqm_array meshes, vertex_arrays, triangles, joints, poses, anims;
    uint32_t vertex_count;
    mrwi_load_iqm_array frames; /* rows of channel_count u16 */
    uint32_t channel_count;
} mrwi_load_iqm;

/* ---- iqm_data.c ------------------------------------------------------------------------------ */

/* Fails with what is wrong behind the file's name. Always false. */
bool mrwi_load_iqm_fail(mrwi_load_iqm *f, const char *format, ...) MRW_PRINTF(2, 3);
/* Takes a status; its failure becomes ours. */
bool mrwi_load_iqm_ok(mrwi_load_iqm *f, mrw_status status);
/* Memory of an arena, NULL after a failure. Not zeroed. */
void *mrwi_load_iqm_alloc(mrwi_load_iqm *f, mrwi_base_arena *arena, size_t count, size_t size);
/* Takes rows from what a file of its size may make: arrays that share bytes must not make much of
 * little. */
bool mrwi_load_iqm_charge(mrwi_load_iqm *f, uint64_t rows);

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
/* Bytes of one number. */
uint32_t mrwi_load_iqm_format_size(mrwi_load_iqm_format format);
/* One as it is stored, and as it is meant: integers as parts of one. */
double mrwi_load_iqm_number(const uint8_t *at, mrwi_load_iqm_format format);
double mrwi_load_iqm_value(const uint8_t *at, mrwi_load_iqm_format format);

/* Turns a place, a direction or a turn's axis to our world; sizes along the axes, as of a scale,
 * only change places. */
void mrwi_load_iqm_turn(float v[3], bool sizes);

/* `count` entries of `size` bytes at an offset: fails when they do not lie behind the header and in
 * the file as a whole. */
bool mrwi_load_iqm_find(mrwi_load_iqm *f, const char *what, uint32_t count, uint64_t size,
                        uint32_t offset, mrwi_load_iqm_array *out);
/* The name at an offset of the text; NULL after a failure. "joint", 3 is the element. */
const char *mrwi_load_iqm_name(mrwi_load_iqm *f, uint32_t offset, const char *what, uint32_t index);

/* ---- iqm_mesh.c, iqm_joints.c ---------------------------------------------------------------- */

/* Nodes in the order of the joints (of the poses, where there are no joints), and a skin of all. */
bool mrwi_load_iqm_push_joints(mrwi_load_iqm *f);
/* After the joints. */
bool mrwi_load_iqm_push_meshes(mrwi_load_iqm *f);
bool mrwi_load_iqm_push_clips(mrwi_load_iqm *f);

#endif
