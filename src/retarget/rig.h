/* rig.h: which nodes of an animation's file are which nodes of a model. */
#ifndef MRWI_RETARGET_RIG_H
#define MRWI_RETARGET_RIG_H

#include "marrow/clips.h"

/* What matching must know of a scene's nodes.
 *
 * Importers spread the transform of a joint over several nodes above it, its links: FBX pivots as
 * "Hips_$AssimpFbx$_PreRotation", helpers of scale inheritance as "Hips:unscale". A link belongs to
 * the joint, its owner, and is matched with it. */
typedef struct mrwi_retarget_rig {
    const mrw_scene *scene;
    uint32_t *owner;   /* of each node: the joint it is a link of, or MRW_NONE */
    uint8_t *is_joint; /* of a skin */
    uint8_t *moves;    /* some clip changes its translation, rotation or scale, or that of a link */
} mrwi_retarget_rig;

mrw_status mrwi_retarget_rig_create(const mrw_scene *scene, mrwi_retarget_rig *out,
                                    mrw_error *error);
void mrwi_retarget_rig_free(mrwi_retarget_rig *rig);

/* The joint that a node or link stands for. */
static inline uint32_t mrwi_retarget_rig_joint(const mrwi_retarget_rig *rig, uint32_t node)
{
    return rig->owner[node] != MRW_NONE ? rig->owner[node] : node;
}

/* The link above a node of the same joint, MRW_NONE at the top of its chain. */
uint32_t mrwi_retarget_rig_next_link(const mrwi_retarget_rig *rig, uint32_t node);

/* What kind a link is: "_$AssimpFbx$_PreRotation", ":unscale". */
const char *mrwi_retarget_rig_kind(const mrwi_retarget_rig *rig, uint32_t link);

/* Fills match[node of animation] with the node of base it stands for, or MRW_NONE, and by[...] with
 * the step that found it, a mrw_name_match. No node of base is taken twice. */
mrw_status mrwi_retarget_rig_match(const mrwi_retarget_rig *base,
                                   const mrwi_retarget_rig *animation, uint32_t *match, uint8_t *by,
                                   mrw_error *error);

/* The part of it that is for animations without any names (IQM files of clips alone): where the
 * model has a skin of as many joints with the same parents, joint by joint in their order. What is
 * matched so has no rest pose to compare. */
mrw_status mrwi_retarget_rig_match_order(const mrw_scene *base, const mrw_scene *animation,
                                         uint32_t *match, mrw_error *error);

#endif
