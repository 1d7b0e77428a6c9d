/* skin.h: the vertex shader: morph targets, then skinning (linear or dual-quaternion) of positions,
 * normals and tangents. Takes arrays, knows no scene.
 *
 * All kernels (scalar, SSE2, AVX2, AVX-512, NEON) give the same bits; the scalar one
 * (src/skin/skin_scalar.c) is the specification. Jobs allocate nothing and cannot fail; any thread
 * may run them, as long as no two write the same output. All arrays are the caller's, borrowed for
 * the call.
 *
 * Spaces: matrices are column-major for column vectors. A palette's entry leads from the geometry,
 * as it was bound, to the world: joint's node_to_world * geometry_to_joint (glTF 2.0, 3.7.3).
 */
#ifndef MARROW_SKIN_H
#define MARROW_SKIN_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One morph target that is on: differences for the vertices that move. */
typedef struct mrw_morph_delta {
    /* May be negative or above one. */
    float weight;
    /* Entries of each of the arrays below. */
    uint32_t count;
    /* count vertex numbers, strictly ascending, each below the job's vertex_count. */
    const uint32_t *vertices;
    /* count float[3]. */
    const float *positions;
    /* count float[3], or NULL: they stay. */
    const float *normals;
    const float *tangents;
} mrw_morph_delta;

/* out = base + sum of weight * delta, targets in order. Streams are float[3], tangents float[4]
 * (w is copied). Normals and tangents are not normalised here. Each in/out pair may be NULL. */
typedef struct mrw_morph_job {
    /* Of all streams. */
    uint32_t vertex_count;
    /* target_count of them. */
    const mrw_morph_delta *targets;
    uint32_t target_count;
    /* The base: vertex_count float[3], tangents float[4]. */
    const float *positions;
    const float *normals;
    const float *tangents;
    /* The results, of the same shapes. */
    float *out_positions;
    float *out_normals;
    float *out_tangents;
} mrw_morph_job;

/* Runs the job. Cannot fail. */
MRW_API void mrw_morph_vertices(const mrw_morph_job *job);

/* How the transformations of a vertex' joints are blended. */
typedef enum mrw_skinning {
    MRW_SKINNING_LINEAR,         /* the matrices: joints that bend or twist lose volume */
    MRW_SKINNING_DUAL_QUATERNION /* the rigid motions: volume stays, and bends bulge a little */
} mrw_skinning;

/* A rigid motion: rotation by the unit quaternion `real` (x, y, z, w), then the translation t with
 * dual = t real / 2 (a product of quaternions). The negative is the same motion. */
typedef struct mrw_dual_quaternion {
    float real[4];
    float dual[4];
} mrw_dual_quaternion;

/* Splits each matrix of a palette into scale and shear, applied first, and a rigid motion, applied
 * second: the two phases of Kavan, Collins, Zara, O'Sullivan 2008, "Geometric Skinning with
 * Approximate Dual Quaternion Blending", 4.2. The linear part A becomes Q S by the polar
 * decomposition (S symmetric, Q a rotation; a matrix that mirrors has a negative S). A joint scales
 * about its pivot, so that one which scales and turns stays joined to its neighbours, but for
 * what the root scales by (the mean over its axes), which all have in common: a model twice
 * as large is the same picture, twice as large. */
typedef struct mrw_dual_quaternion_job {
    uint32_t joint_count;
    /* joint_count matrices, geometry_to_world, affine. */
    const mrw_mat4 *palette;
    /* joint_count float[3]: the joints' origins in the geometry's space; NULL: all scale about the
     * geometry's origin. */
    const float *pivots;
    /* The joint that the others hang from, below joint_count. */
    uint32_t root;
    /* joint_count: the second phase. */
    mrw_dual_quaternion *out_motions;
    /* joint_count: the first phase, affine. */
    mrw_mat4 *out_scales;
} mrw_dual_quaternion_job;

/* False when no joint scales: all of out_scales are then the identity. */
MRW_API bool mrw_dual_quaternion_palette(const mrw_dual_quaternion_job *job);

/* A run of vertices with the same number of influences; see mrw_influence_group. */
typedef struct mrw_skin_group {
    /* Of the job's streams, from 0. */
    uint32_t first_vertex;
    uint32_t vertex_count;
    /* 0: the vertices use `rigid`. */
    uint32_t influence_count;
    /* vertex_count * influence_count indices into the palette, vertex after vertex. */
    const uint16_t *joints;
    /* As many weights, normalised, the largest of each vertex first. */
    const float *weights;
} mrw_skin_group;

/* Linear blend skinning (Magnenat-Thalmann et al. 1988; "skeletal subspace deformation"):
 * v' = (sum of w_i M_i) v.
 * With `motions`, dual-quaternion skinning (Kavan et al. 2008): v' = B (sum of w_i S_i) v, where B
 * is the normalised sum of +-w_i motion_i, each with the sign that brings it within half a turn
 * (dot >= 0) of the first influence's.
 * Inputs are tight float[3] (tangents float[4]) followed by at least 16
 * readable bytes; outputs are float[4], 16-byte aligned: positions with w = 1, normals with w = 0,
 * tangents with the input's w. Normals and tangents are not normalised: the consumer does that.
 * Tangents use the blended 3x3, normals too or, with cofactor_normals, its cofactor matrix times
 * the sign of its determinant: |det M| times the inverse transpose. That keeps normals
 * perpendicular under non-uniform scale, and on the outside under mirroring, as the plain 3x3 does
 * for uniform scales. From finite input no NaN comes out: where an overflow led to infinity -
 * infinity, 0 is written. */
typedef struct mrw_skin_job {
    /* group_count groups, whose vertices do not overlap. */
    const mrw_skin_group *groups;
    uint32_t group_count;
    /* geometry_to_world, 64-byte aligned; may be NULL without influences, and is not read with
     * motions. */
    const mrw_mat4 *palette;
    /* NULL: linear; see mrw_dual_quaternion_palette. */
    const mrw_dual_quaternion *motions;
    /* With motions: S_i; NULL when none scales. */
    const mrw_mat4 *scales;
    /* mesh_to_world for groups without influences; may be NULL if none. */
    const mrw_mat4 *rigid;
    /* For joints that scale non-uniformly: see above. */
    bool cofactor_normals;
    /* float[3] a vertex, of all vertices that the groups name. */
    const float *positions;
    /* float[3]; NULL: none are written. */
    const float *normals;
    /* float[4]; NULL: none are written. */
    const float *tangents;
    /* float[4] a vertex; not NULL where the input is not. */
    float *out_positions;
    float *out_normals;
    float *out_tangents;
    /* Available, or MRW_ISA_AUTO: it changes no bit. */
    mrw_isa isa;
} mrw_skin_job;

/* Runs the job. Cannot fail; arrays that are missing are a programmer's error. */
MRW_API void mrw_skin_vertices(const mrw_skin_job *job);

#ifdef __cplusplus
}
#endif
#endif
