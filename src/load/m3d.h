/* m3d.h: declarations that the parts of the M3D reader share.
 *
 * M3D is the text format of the skinned mesh demo in Frank Luna's Direct3D 12 book: a header with
 * counts, then the sections Materials, SubsetTable, Vertices, Triangles, BoneOffsets, BoneHierarchy
 * and AnimationClips, each begun by a row of stars around its name. Models without bones lack the
 * last three and the blend lines of their vertices.
 *
 *   m3d_text.c      words, numbers and messages with line numbers
 *   m3d_mesh.c      materials, subsets, vertices, triangles
 *   m3d_bones.c     bones and clips
 *   m3d.c           the order of all steps
 *
 * The book's world is left-handed and uses row vectors. The sixteen numbers of a matrix for row
 * vectors are, in the same order, the column-major matrix for column vectors. To make the world
 * right-handed, z changes sign; in a quaternion x and y do. Triangles keep their order: the models
 * of the book are drawn with z mirrored once more, so their order before our mirror is already
 * reversed.
 *
 * Materials are MRW_MATERIAL_METALLIC_ROUGHNESS without metal. The book's shaders light a surface
 * with
 *
 *   (DiffuseAlbedo + F * (m + 8) / 8 * (N.H)^m) * N.L * LightStrength, m = 256 * (1 - Roughness)
 *
 * where F is Schlick's Fresnel of FresnelR0. So FresnelR0 is a reflectance: it becomes the colour
 * of highlights, with an ior of 0. The exponent m becomes the roughness (2 / (m + 2))^(1/4) (Walter
 * et al., "Microfacet Models for Refraction through Rough Surfaces", 2007). Left out are the
 * highlight's s / (s + 1), which the book uses because it has no tone map, and the alpha of normal
 * maps, which dims m there. */
#ifndef MRWI_LOAD_M3D_H
#define MRWI_LOAD_M3D_H

#include "base/memory.h"
#include "load/reader.h"
#include "load/texture.h"
#include "scene/builder.h"

/* The reader's position in the file, its budget and its status. The first failure stays; functions
 * that return bool say whether to continue. */
typedef struct mrwi_load_m3d_cursor {
    const char *name; /* the file's, for messages */
    const char *text;
    size_t size;
    size_t at;
    uint64_t most_elements; /* rows that may be read */
    uint64_t elements_left; /* rows that may still be read */
    mrw_status status;
    mrw_error *error;
} mrwi_load_m3d_cursor;

/* The counts of everything. */
typedef struct mrwi_load_m3d_header {
    uint32_t materials, vertices, triangles, bones, clips;
} mrwi_load_m3d_header;

typedef struct mrwi_load_m3d_image {
    const char *path; /* NULL once it is shown, or if it never is */
    uint32_t index;   /* index in the builder */
} mrwi_load_m3d_image;

typedef struct mrwi_load_m3d_material {
    const char *name;
    uint32_t index;                            /* index in the builder */
    mrwi_load_m3d_image images[MRW_MAP_COUNT]; /* one per map */
    bool masked;                               /* true if the alpha of its base color masks it */
} mrwi_load_m3d_material;

typedef struct mrwi_load_m3d_subset {
    uint32_t material; /* index of the material in the file */
    uint32_t first_triangle;
    uint32_t triangle_count;
} mrwi_load_m3d_subset;

/* Everything to draw, in our world. */
typedef struct mrwi_load_m3d_geometry {
    mrwi_load_m3d_subset *subsets; /* one per material */
    float *positions, *normals, *tangents, *uvs;
    uint32_t bones;   /* number of bones; joints are below it */
    uint32_t *joints; /* 4 per vertex; NULL without bones */
    float *weights;
    uint32_t *indices;
} mrwi_load_m3d_geometry;

/* ---- m3d_text.c ------------------------------------------------------------------------------ */

typedef struct mrwi_load_m3d_word {
    const char *text; /* not terminated */
    size_t length;
} mrwi_load_m3d_word;

/* Fails at the current line: "FILE: line 12: ...". Always returns false. */
bool mrwi_load_m3d_fail(mrwi_load_m3d_cursor *c, const char *format, ...) MRW_PRINTF(2, 3);
/* Records a status; its failure becomes that of the file. */
bool mrwi_load_m3d_ok(mrwi_load_m3d_cursor *c, mrw_status status);
/* Allocates zeroed memory until the end of the load; NULL after a failure. */
void *mrwi_load_m3d_keep(mrwi_load_m3d_cursor *c, mrwi_base_arena *kept, size_t count, size_t size);
/* Takes rows from the budget of elements. */
bool mrwi_load_m3d_charge(mrwi_load_m3d_cursor *c, uint64_t rows);

/* Returns the next word without consuming it; empty at the end. */
mrwi_load_m3d_word mrwi_load_m3d_peek(mrwi_load_m3d_cursor *c);
bool mrwi_load_m3d_next_is(mrwi_load_m3d_cursor *c, const char *word);
/* Consumes a required word. */
bool mrwi_load_m3d_expect(mrwi_load_m3d_cursor *c, const char *word);
/* Consumes a word that begins with `start` and ends in a number: "Bone12". The number must be
 * `index`. */
bool mrwi_load_m3d_expect_numbered(mrwi_load_m3d_cursor *c, const char *start, uint32_t index,
                                   const char *end);
/* Consumes the heading of a section. */
bool mrwi_load_m3d_section(mrwi_load_m3d_cursor *c, const char *title);
bool mrwi_load_m3d_float(mrwi_load_m3d_cursor *c, float *out);
bool mrwi_load_m3d_floats(mrwi_load_m3d_cursor *c, uint32_t count, float *out);
bool mrwi_load_m3d_double(mrwi_load_m3d_cursor *c, double *out);
/* Reads a whole number from 0 to most. */
bool mrwi_load_m3d_uint(mrwi_load_m3d_cursor *c, uint32_t most, uint32_t *out);
/* Reads the number after `word`, a count of things that take at least `bytes` of text each. A count
 * that the rest of the file cannot hold is refused before memory is taken. */
bool mrwi_load_m3d_count(mrwi_load_m3d_cursor *c, const char *word, size_t bytes, uint32_t *out);
/* Reads the rest of the line after `word`, without spaces around it. */
bool mrwi_load_m3d_line(mrwi_load_m3d_cursor *c, const char *word, char *out, size_t size);

/* ---- m3d_mesh.c, m3d_bones.c: in the order of the file; what is read lies in `kept` ---------- */
bool mrwi_load_m3d_read_materials(mrwi_load_m3d_cursor *c, uint32_t count,
                                  mrwi_scene_builder *builder, mrwi_base_arena *kept,
                                  mrwi_load_m3d_material **out);
bool mrwi_load_m3d_read_geometry(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                                 mrwi_base_arena *kept, mrwi_load_m3d_geometry *out);
/* Reads bones and pushes them: node = bone, one skin. */
bool mrwi_load_m3d_read_bones(mrwi_load_m3d_cursor *c, uint32_t count, mrwi_scene_builder *builder,
                              mrwi_base_arena *kept);
/* Pushes meshes, after the bones. Shows the images of the materials that are used. */
bool mrwi_load_m3d_push_meshes(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                               mrwi_load_m3d_material *materials,
                               const mrwi_load_m3d_geometry *geometry,
                               const mrwi_load_read_job *job, mrwi_scene_builder *builder);
bool mrwi_load_m3d_read_clips(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                              mrwi_scene_builder *builder);

#endif
