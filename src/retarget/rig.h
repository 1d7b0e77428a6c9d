/* rig.h: matches the nodes of an animation's file to those of a model. */
#ifndef MRWI_RETARGET_RIG_H
#define MRWI_RETARGET_RIG_H

#include "marrow/clips.h"

/* The data of a scene's nodes for matching.
 *
 * Importers spread the transform of a joint over several nodes above it, its links: FBX pivots as
 * "Hips_$AssimpFbx$_PreRotation", helpers of scale inheritance as "Hips:unscale". A link belongs to
 * the joint, its owner, and is matched with it. */
typedef struct mrwi_retarget_rig {
    const mrw_scene *scene;
    uint32_t *owner;   /* per node: the joint that it is a link of, or MRW_NONE */
    uint8_t *is_joint; /* per node: 1 for a joint of a skin */
    /* per node: 1 if a clip changes its translation, rotation or scale, or that of a link */
    uint8_t *moves;
} mrwi_retarget_rig;

mrw_status mrwi_retarget_rig_create(const mrw_scene *scene, mrwi_retarget_rig *out,
                                    mrw_error *error);
void mrwi_retarget_rig_free(mrwi_retarget_rig *rig);

/* Returns the joint of a node or link. */
static inline uint32_t mrwi_retarget_rig_joint(const mrwi_retarget_rig *rig, uint32_t node)
{
    return rig->owner[node] != MRW_NONE ? rig->owner[node] : node;
}

/* Returns the link above a node of the same joint, or MRW_NONE at the top of its chain. */
uint32_t mrwi_retarget_rig_next_link(const mrwi_retarget_rig *rig, uint32_t node);

/* Returns the kind of a link: "_$AssimpFbx$_PreRotation", ":unscale". */
const char *mrwi_retarget_rig_kind(const mrwi_retarget_rig *rig, uint32_t link);

/* Fills match[node of animation] with the matching node of base, or MRW_NONE, and by[...] with the
 * step that found it, a mrw_name_match. Each node of base is matched at most once. */
mrw_status mrwi_retarget_rig_match(const mrwi_retarget_rig *base,
                                   const mrwi_retarget_rig *animation, uint32_t *match, uint8_t *by,
                                   mrw_error *error);

/* Matches animations without any names (IQM files with clips alone): joint by joint in order, if
 * the model has a skin with as many joints and the same parents. Joints matched this way have no
 * rest pose to compare. mrwi_retarget_rig_match calls it. */
mrw_status mrwi_retarget_rig_match_order(const mrw_scene *base, const mrw_scene *animation,
                                         uint32_t *match, mrw_error *error);

#endif
