/* skin.h: vertex deformation: morph targets, then skinning (linear or dual-quaternion) of
 * positions, normals and tangents. It works on plain arrays and does not depend on scenes.
 *
 * All kernels (scalar, SSE2, AVX2, AVX-512, NEON) give the same bits; the scalar one
 * (src/skin/skin_scalar.c) is the specification. Jobs allocate nothing and cannot fail. They may
 * run on any thread, as long as no two of them write the same output. All arrays belong to the
 * caller and are borrowed for the call.
 *
 * Spaces: matrices are column-major for column vectors. A palette entry leads from the geometry, as
 * it was bound, to the world: joint's node_to_world * geometry_to_joint (glTF 2.0, 3.7.3).
 */
#ifndef MARROW_SKIN_H
#define MARROW_SKIN_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One active morph target: differences for the vertices that move. */
typedef struct mrw_morph_delta {
    /* Weight; may be negative or above one. */
    float weight;
    /* Number of entries in each of the arrays below. */
    uint32_t count;
    /* count vertex numbers, strictly ascending, each below the job's vertex_count. */
    const uint32_t *vertices;
    /* count float[3]. */
    const float *positions;
    /* count float[3] each, or NULL: the stream does not change. */
    const float *normals;
    const float *tangents;
} mrw_morph_delta;

/* Adds morph targets to a mesh: out = base + sum of weight * delta, targets in order. Streams are
 * float[3], tangents float[4] with w copied. Normals and tangents are not normalised here. Each
 * pair of input and output may be NULL. */
typedef struct mrw_morph_job {
    /* Number of vertices in every stream. */
    uint32_t vertex_count;
    /* target_count active targets. */
    const mrw_morph_delta *targets;
    uint32_t target_count;
    /* Base mesh: vertex_count float[3] each, tangents float[4]. */
    const float *positions;
    const float *normals;
    const float *tangents;
    /* Results, of the same shapes. */
    float *out_positions;
    float *out_normals;
    float *out_tangents;
} mrw_morph_job;

/* Runs the job. Cannot fail. */
MRW_API void mrw_morph_vertices(const mrw_morph_job *job);

/* How the transformations of a vertex's joints are blended. */
typedef enum mrw_skinning {
    MRW_SKINNING_LINEAR,         /* blends matrices: joints that bend or twist lose volume */
    MRW_SKINNING_DUAL_QUATERNION /* blends rigid motions: keeps volume, but bends bulge a little */
} mrw_skinning;

/* A rigid motion: rotation by the unit quaternion `real` (x, y, z, w), then translation by t, where
 * dual = t real / 2 (a quaternion product). Its negative is the same motion. */
typedef struct mrw_dual_quaternion {
    float real[4];
    float dual[4];
} mrw_dual_quaternion;

/* Splits each matrix of a palette into scale and shear, applied first, and a rigid motion, applied
 * second. These are the two phases of Kavan, Collins, Zara, O'Sullivan 2008, "Geometric Skinning
 * with Approximate Dual Quaternion Blending", 4.2.
 *
 * The linear part A becomes Q S by the polar decomposition, where S is symmetric and Q is a
 * rotation (a mirroring matrix has a negative S). A joint scales about its pivot, so that a joint
 * that scales and turns stays connected to its neighbours. The scale of the root (the mean over its
 * axes) is exempt, because all joints share it: a model twice as large gives the same picture,
 * twice as large. */
typedef struct mrw_dual_quaternion_job {
    uint32_t joint_count;
    /* joint_count affine matrices, geometry_to_world. */
    const mrw_mat4 *palette;
    /* joint_count float[3]: the joints' origins in the geometry's space. NULL: all joints scale
     * about the geometry's origin. */
    const float *pivots;
    /* Index, below joint_count, of the joint that the others hang from. */
    uint32_t root;
    /* Out: joint_count rigid motions, the second phase. */
    mrw_dual_quaternion *out_motions;
    /* Out: joint_count affine matrices, the first phase. */
    mrw_mat4 *out_scales;
} mrw_dual_quaternion_job;

/* Runs the job. Returns false if no joint scales; all of out_scales are then the identity. */
MRW_API bool mrw_dual_quaternion_palette(const mrw_dual_quaternion_job *job);

/* A run of vertices with the same number of influences; see mrw_influence_group. */
typedef struct mrw_skin_group {
    /* Index of the first vertex in the job's streams. */
    uint32_t first_vertex;
    uint32_t vertex_count;
    /* Influences per vertex; 0: the vertices use `rigid`. */
    uint32_t influence_count;
    /* vertex_count * influence_count indices into the palette, vertex after vertex. */
    const uint16_t *joints;
    /* Normalised weights, one per entry of joints, with the largest of each vertex first. */
    const float *weights;
} mrw_skin_group;

/* Linear blend skinning (Magnenat-Thalmann et al. 1988; "skeletal subspace deformation"): v' = (sum
 * of w_i M_i) v. With `motions`, dual-quaternion skinning (Kavan et al. 2008): v' = B (sum of w_i
 * S_i) v, where B is the normalised sum of +-w_i motion_i. Each sign brings the motion within half
 * a turn (dot >= 0) of the first influence's.
 *
 * Inputs are tightly packed float[3] (tangents float[4]), followed by at least 16 readable bytes.
 * Outputs are float[4], 16-byte aligned: positions with w = 1, normals with w = 0, tangents with
 * the input's w. Normals and tangents are not normalised; the consumer must do that.
 *
 * Tangents are transformed by the blended 3x3 matrix. So are normals, unless cofactor_normals is
 * set: then they use the cofactor matrix times the sign of the determinant, which is |det M| times
 * the inverse transpose. It keeps normals perpendicular under non-uniform scale and outward under
 * mirroring; for uniform scales the plain 3x3 matrix does the same. Finite input never produces
 * NaN: where overflow leads to infinity - infinity, 0 is written. */
typedef struct mrw_skin_job {
    /* group_count groups, whose vertices do not overlap. */
    const mrw_skin_group *groups;
    uint32_t group_count;
    /* geometry_to_world matrices, 64-byte aligned. NULL is allowed if there are no influences. Not
     * read with motions. */
    const mrw_mat4 *palette;
    /* NULL: linear; otherwise see mrw_dual_quaternion_palette. */
    const mrw_dual_quaternion *motions;
    /* With motions: the matrices S_i. NULL if no joint scales. */
    const mrw_mat4 *scales;
    /* mesh_to_world for groups without influences. NULL is allowed if there are no such groups. */
    const mrw_mat4 *rigid;
    /* Set if joints scale non-uniformly; see above. */
    bool cofactor_normals;
    /* float[3] per vertex, for all vertices that the groups contain. */
    const float *positions;
    /* float[3] per vertex. NULL: no normals are written. */
    const float *normals;
    /* float[4] per vertex. NULL: no tangents are written. */
    const float *tangents;
    /* float[4] per vertex. Not NULL if the input is not NULL. */
    float *out_positions;
    float *out_normals;
    float *out_tangents;
    /* An instruction set that is available, or MRW_ISA_AUTO. The result is the same. */
    mrw_isa isa;
} mrw_skin_job;

/* Runs the job. Cannot fail; missing arrays are a programming error. */
MRW_API void mrw_skin_vertices(const mrw_skin_job *job);

#ifdef __cplusplus
}
#endif
#endif
