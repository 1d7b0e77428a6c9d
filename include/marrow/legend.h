/* legend.h: what the numbers of passes mean: of which instance, node, mesh and material an id
 * tells. All of it follows from the files and their order alone: a number means the same in every
 * frame and on every machine.
 *
 *     mrw_frame_legend(instances, count, def.ids, &legend, &error);
 *     legend.draws[...].id                    a value of MRW_AOV_ID
 *     legend.draws[...].material_number       a value of MRW_AOV_MATERIAL
 *
 * Numbers of MRW_AOV_JOINT are 1 and a node of the scene that the pixel's draw is of: that of
 * mrw_frame_point_joints which comes first.
 */
#ifndef MARROW_LEGEND_H
#define MARROW_LEGEND_H

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A draw, and what it is called. */
typedef struct mrw_legend_draw {
    uint32_t id;       /* of mrw_frame_def.ids, or 1 and the draw's place among all of them */
    uint32_t instance; /* of the array */
    /* Indices into the instance's scene. */
    uint32_t draw;
    uint32_t node;
    uint32_t mesh;
    uint32_t material; /* MRW_NONE: mrw_material_default */
    /* The node under the root that the draw's node is or hangs below: with one root in the scene
     * its child, or the root where the draw is its own; with several the root. */
    uint32_t group;
    /* 1 and the material's place: those of each scene in its order, the default material behind
     * them, scene after scene in the order of instances, each scene once. */
    uint32_t material_number;
} mrw_legend_draw;

/* All draws of all instances, in instance and draw order. */
typedef struct mrw_legend {
    mrw_legend_draw *draws; /* owned */
    uint32_t draw_count;
    uint32_t material_count; /* the largest number of a material */
} mrw_legend;

/* ids: mrw_frame_def.ids, may be NULL. The caller frees *out with mrw_legend_free. */
MRW_API mrw_status mrw_frame_legend(const mrw_instance *instances, uint32_t instance_count,
                                    const uint32_t *ids, mrw_legend *out, mrw_error *error);

/* Frees the draws and zeroes the rest. A zeroed legend is allowed. */
MRW_API void mrw_legend_free(mrw_legend *legend);

/* The number of the first material of each instance's scene, into firsts[instance_count]: material
 * m has firsts[i] + m, the default one firsts[i] + materials_count. Returns the largest number. */
MRW_API uint32_t mrw_frame_number_materials(const mrw_instance *instances, uint32_t instance_count,
                                            uint32_t *firsts);

/* ---- Points of surfaces ---------------------------------------------------------------------- */

/* A joint that moves a point. */
typedef struct mrw_joint_weight {
    uint32_t node; /* of the scene */
    double weight; /* above 0; those of a point sum to 1, less where a corner follows no joint */
} mrw_joint_weight;

/* The joints of a point, by weight, the largest first; of equal ones the one of the smaller node.
 */
typedef struct mrw_point_joints {
    mrw_joint_weight *items; /* owned */
    uint32_t count;          /* 0: no joint moves it */
} mrw_point_joints;

/* The joints that move a point of a triangle, each once: the weights of its corners, as many as the
 * model was prepared with, by their shares. draw is of the instance's scene; barycentric: the
 * corners' shares, as MRW_AOV_BARYCENTRIC has them. The caller frees *out with
 * mrw_point_joints_free. */
MRW_API mrw_status mrw_frame_point_joints(const mrw_instance *instance, uint32_t draw,
                                          uint32_t triangle, const float barycentric[3],
                                          mrw_point_joints *out, mrw_error *error);

/* Frees the items and zeroes the rest. Zeroed ones are allowed. */
MRW_API void mrw_point_joints_free(mrw_point_joints *joints);

/* ---- Cryptomatte ----------------------------------------------------------------------------- */

/* What the ids of a pass of Cryptomatte stand for: names that are all different. Draws of one node
 * are one object, called as the node is; those of one material share the material's name. A name
 * that is taken gets "_2", "_3" ... behind it, in the order of draws; what has none is "node_N" or
 * "material_N", and what has no material "default". */
typedef struct mrw_crypto_names {
    const char *const *names; /* owned, and so is the rest */
    const uint32_t *ids;      /* of each, mrw_crypto_id */
    uint32_t count;
    const uint32_t *of_draw; /* the name of each draw of all instances */
    uint32_t draw_count;
    void *memory;
} mrw_crypto_names;

/* aov: CRYPTO_OBJECT or CRYPTO_MATERIAL. The caller frees *out with mrw_crypto_names_free. */
MRW_API mrw_status mrw_frame_crypto_names(const mrw_instance *instances, uint32_t instance_count,
                                          mrw_aov aov, mrw_crypto_names *out, mrw_error *error);

/* Frees the names and zeroes the struct. Zeroed names are allowed. */
MRW_API void mrw_crypto_names_free(mrw_crypto_names *names);

/* The bits of the float that is a name's id: what a manifest has in hexadecimal digits. */
MRW_API uint32_t mrw_crypto_id(const char *name);

#ifdef __cplusplus
}
#endif
#endif
