/* legend.h: the meaning of numbers in passes: the instance, node, mesh and material of an id.
 * Numbers depend only on the files and their order, so each means the same in every frame and on
 * every machine.
 *
 *     mrw_frame_legend(instances, count, def.ids, &legend, &error);
 *     legend.draws[...].id                    a value of MRW_AOV_ID
 *     legend.draws[...].material_number       a value of MRW_AOV_MATERIAL
 *
 * A value of MRW_AOV_JOINT is 1 plus the index of a node in the scene of the pixel's draw: the
 * first joint that mrw_frame_point_joints returns.
 */
#ifndef MARROW_LEGEND_H
#define MARROW_LEGEND_H

#include "aov.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrw_instance mrw_instance; /* frame.h */

/* The names of a draw. */
typedef struct mrw_legend_draw {
    uint32_t id;       /* from mrw_frame_def.ids, or 1 plus the draw's index among all draws */
    uint32_t instance; /* index in the array */
    /* Indices into the instance's scene. */
    uint32_t draw;
    uint32_t node;
    uint32_t mesh;
    uint32_t material; /* MRW_NONE: mrw_material_default */
    /* Top node of the subtree with the draw's node. In a scene with one root it is a child of the
     * root, or the root if the draw belongs to the root itself. In a scene with several roots it is
     * a root. */
    uint32_t group;
    /* 1 plus the material's index in this sequence: the materials of a scene in its order, then its
     * default material; scenes in the order of instances, each scene once. */
    uint32_t material_number;
} mrw_legend_draw;

/* All draws of all instances, by instance, then by draw. */
typedef struct mrw_legend {
    mrw_legend_draw *draws; /* owned */
    uint32_t draw_count;
    uint32_t material_count; /* largest material_number */
} mrw_legend;

/* Builds the legend. `ids` is mrw_frame_def.ids and may be NULL. The caller frees *out with
 * mrw_legend_free. */
MRW_API mrw_status mrw_frame_legend(const mrw_instance *instances, uint32_t instance_count,
                                    const uint32_t *ids, mrw_legend *out, mrw_error *error);

/* Frees the draws and zeroes the struct. A zeroed legend is allowed. */
MRW_API void mrw_legend_free(mrw_legend *legend);

/* Numbers the materials. firsts[instance_count] receives the number of the first material of each
 * instance's scene: material m is firsts[i] + m, the default one firsts[i] + materials_count.
 * Returns the largest number. */
MRW_API uint32_t mrw_frame_number_materials(const mrw_instance *instances, uint32_t instance_count,
                                            uint32_t *firsts);

/* ---- Points of surfaces ---------------------------------------------------------------------- */

/* A joint that moves a point. */
typedef struct mrw_joint_weight {
    uint32_t node; /* index in the scene */
    /* Weight above 0. The weights of a point add up to 1, or less if a corner follows no joint. */
    double weight;
} mrw_joint_weight;

/* The joints of a point, largest weight first; of equal weights, the smaller node first. */
typedef struct mrw_point_joints {
    mrw_joint_weight *items; /* owned */
    uint32_t count;          /* 0: no joint moves it */
} mrw_point_joints;

/* Computes the joints that move a point of a triangle, each once. Their weights are the corners'
 * weights, as many as the model was prepared with, multiplied by the corners' shares. `draw` is an
 * index in the instance's scene; `barycentric` holds the corners' shares as in MRW_AOV_BARYCENTRIC.
 * The caller frees *out with mrw_point_joints_free. */
MRW_API mrw_status mrw_frame_point_joints(const mrw_instance *instance, uint32_t draw,
                                          uint32_t triangle, const float barycentric[3],
                                          mrw_point_joints *out, mrw_error *error);

/* Frees the items and zeroes the struct. A zeroed struct is allowed. */
MRW_API void mrw_point_joints_free(mrw_point_joints *joints);

/* ---- Cryptomatte ----------------------------------------------------------------------------- */

/* Unique names for the ids of a Cryptomatte pass. Draws of one node are one object with the node's
 * name; draws of one material share the material's name. A name that is taken gets the suffix "_2",
 * "_3" ..., in draw order. Unnamed nodes and materials are "node_N" and "material_N"; a missing
 * material is "default". */
typedef struct mrw_crypto_names {
    const char *const *names; /* owned, like all arrays here */
    const uint32_t *ids;      /* mrw_crypto_id of each name */
    uint32_t count;
    const uint32_t *of_draw; /* index of the name of each draw of all instances */
    uint32_t draw_count;
    void *memory;
} mrw_crypto_names;

/* Builds the names. `aov` is CRYPTO_OBJECT or CRYPTO_MATERIAL. The caller frees *out with
 * mrw_crypto_names_free. */
MRW_API mrw_status mrw_frame_crypto_names(const mrw_instance *instances, uint32_t instance_count,
                                          mrw_aov aov, mrw_crypto_names *out, mrw_error *error);

/* Frees the names and zeroes the struct. Zeroed names are allowed. */
MRW_API void mrw_crypto_names_free(mrw_crypto_names *names);

/* Returns the id of a name: the bits of its float, which manifests write in hexadecimal digits. */
MRW_API uint32_t mrw_crypto_id(const char *name);

#ifdef __cplusplus
}
#endif
#endif
