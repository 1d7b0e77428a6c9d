/* m3d.h: the state the parts of the M3D reader share.
 *
 * M3D is the text format of the skinned mesh demo of Frank Luna's Direct3D 12 book: a header with
 * counts, then the sections Materials, SubsetTable, Vertices, Triangles, BoneOffsets, BoneHierarchy
 * and AnimationClips, each begun by a row of stars around its name. Models without bones lack the
 * last three and the blend lines of their vertices.
 *
 *   m3d_text.c      words, numbers and messages with line numbers
 *   m3d_mesh.c      materials, subsets, vertices, triangles
 *   m3d_bones.c     bones and clips
 *   m3d.c           the order of it all
 *
 * The book's world is left-handed with row vectors. Row vectors: sixteen numbers of a matrix in
 * their order are the column-major matrix of column vectors. Left-handed: z changes sign, in a
 * quaternion x and y do. Triangles keep their order: the models of the book are drawn with z
 * mirrored once more, so their order of before our mirror is the other way round already.
 */
#ifndef MRWI_LOAD_M3D_H
#define MRWI_LOAD_M3D_H

#include "base/memory.h"
#include "load/reader.h"
#include "load/texture.h"
#include "scene/builder.h"

typedef struct mrwi_load_m3d_subset {
    uint32_t material; /* of the file */
    uint32_t first_triangle;
    uint32_t triangle_count;
} mrwi_load_m3d_subset;

typedef struct mrwi_load_m3d {
    const mrwi_load_read_job *job;
    mrw_error *error;
    mrw_status status; /* sticky: functions that return bool say whether to go on */
    const char *text;
    size_t size;
    size_t at;
    mrwi_scene_builder *builder;
    mrwi_base_arena keep;

    uint32_t material_count, vertex_count, triangle_count, bone_count, clip_count;
    uint32_t *materials; /* indices in the builder */
    const char **names;  /* of the materials */
    const char **paths;  /* of their images that are not shown yet; NULL */
    uint32_t *images;    /* indices in the builder */
    mrwi_load_m3d_subset *subsets;
    float *positions, *normals, *uvs; /* as our world has them */
    uint32_t *joints;                 /* 4 a vertex; NULL without bones */
    float *weights;
    uint32_t *indices;
    mrw_mat4 *offsets;      /* geometry_to_joint */
    uint32_t *parents;      /* MRW_NONE for a root */
    uint64_t elements_left; /* rows that may still be read */
    mrwi_load_texture_budget textures_left;
} mrwi_load_m3d;

/* ---- m3d_text.c ------------------------------------------------------------------------------ */

typedef struct mrwi_load_m3d_word {
    const char *text; /* not terminated */
    size_t length;
} mrwi_load_m3d_word;

/* Fails at the line being read: "FILE: line 12: ...". Always false. */
bool mrwi_load_m3d_fail(mrwi_load_m3d *m, const char *format, ...) MRW_PRINTF(2, 3);
/* Takes a status; its failure becomes ours. */
bool mrwi_load_m3d_ok(mrwi_load_m3d *m, mrw_status status);
/* Zeroed memory until the end of the load, NULL after a failure. */
void *mrwi_load_m3d_keep(mrwi_load_m3d *m, size_t count, size_t size);
/* Takes rows from the budget of elements. */
bool mrwi_load_m3d_charge(mrwi_load_m3d *m, uint64_t rows);

/* The next word without consuming it; empty at the end. */
mrwi_load_m3d_word mrwi_load_m3d_peek(mrwi_load_m3d *m);
bool mrwi_load_m3d_next_is(mrwi_load_m3d *m, const char *word);
/* Consumes a word that must be there. */
bool mrwi_load_m3d_expect(mrwi_load_m3d *m, const char *word);
/* Consumes a word that begins with `start` and a number: "Bone12", which must be `index`. */
bool mrwi_load_m3d_expect_numbered(mrwi_load_m3d *m, const char *start, uint32_t index,
                                   const char *end);
/* Consumes the heading of a section. */
bool mrwi_load_m3d_section(mrwi_load_m3d *m, const char *title);
bool mrwi_load_m3d_float(mrwi_load_m3d *m, float *out);
bool mrwi_load_m3d_floats(mrwi_load_m3d *m, uint32_t count, float *out);
bool mrwi_load_m3d_double(mrwi_load_m3d *m, double *out);
/* A whole number from 0 to most. */
bool mrwi_load_m3d_uint(mrwi_load_m3d *m, uint32_t most, uint32_t *out);
/* The number behind `word`, of things that take at least `bytes` of text each: one that the rest of
 * the file cannot hold is refused before memory is taken. */
bool mrwi_load_m3d_count(mrwi_load_m3d *m, const char *word, size_t bytes, uint32_t *out);
/* The rest of the line behind `word`, without spaces around it. */
bool mrwi_load_m3d_line(mrwi_load_m3d *m, const char *word, char *out, size_t size);

/* ---- m3d_mesh.c, m3d_bones.c ----------------------------------------------------------------- */
bool mrwi_load_m3d_read_materials(mrwi_load_m3d *m);
bool mrwi_load_m3d_read_subsets(mrwi_load_m3d *m);
bool mrwi_load_m3d_read_vertices(mrwi_load_m3d *m);
bool mrwi_load_m3d_read_triangles(mrwi_load_m3d *m);
bool mrwi_load_m3d_push_meshes(mrwi_load_m3d *m); /* after the bones */
bool mrwi_load_m3d_read_bones(mrwi_load_m3d *m);  /* and pushes them: node = bone, one skin */
bool mrwi_load_m3d_read_clips(mrwi_load_m3d *m);

#endif
