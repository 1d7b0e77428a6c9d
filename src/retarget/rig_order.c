/* rig_order.c: matches joints that have no names. */
#include "retarget/rig.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* Returns, for each node, its own joint of a skin, or the next joint above it; MRW_NONE at the top.
 * Parents come first. */
static uint32_t *joints_above(const mrw_scene *scene, const mrw_skin *skin)
{
    uint32_t *above = mrwi_base_alloc(scene->nodes_count, sizeof *above);
    if (!above) {
        return NULL;
    }
    memset(above, 0xff, scene->nodes_count * sizeof *above); /* MRW_NONE */
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        above[scene->joints[skin->first_joint + j]] = j;
    }
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const uint32_t parent = scene->nodes[i].parent;
        if (above[i] == MRW_NONE && parent != MRW_NONE) {
            above[i] = above[parent];
        }
    }
    return above;
}

static uint32_t parent_of(const mrw_scene *scene, const mrw_skin *skin, const uint32_t *above,
                          uint32_t joint)
{
    const uint32_t parent = scene->nodes[scene->joints[skin->first_joint + joint]].parent;
    return parent == MRW_NONE ? MRW_NONE : above[parent];
}

static bool is_nameless(const mrw_scene *scene)
{
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        if (mrw_scene_string(scene, scene->nodes[i].name)[0] != '\0') {
            return false;
        }
    }
    return true;
}

/* Returns the first skin of a model with this number of joints, or NULL. */
static const mrw_skin *skin_of(const mrw_scene *scene, uint32_t joint_count)
{
    for (uint32_t i = 0; i < scene->skins_count; i++) {
        if (scene->skins[i].joint_count == joint_count) {
            return &scene->skins[i];
        }
    }
    return NULL;
}

mrw_status mrwi_retarget_rig_match_order(const mrw_scene *base, const mrw_scene *animation,
                                         uint32_t *match, mrw_error *error)
{
    if (animation->skins_count != 1 || !is_nameless(animation)) {
        return MRW_OK;
    }
    const mrw_skin *from = &animation->skins[0], *to = skin_of(base, from->joint_count);
    if (!to) {
        return MRW_OK;
    }
    uint32_t *above_from = joints_above(animation, from), *above_to = joints_above(base, to);
    mrw_status status =
        above_from && above_to
            ? MRW_OK
            : mrwi_base_fail_memory(error, (size_t)base->nodes_count * sizeof *above_to);
    bool alike = !status;
    for (uint32_t j = 0; alike && j < from->joint_count; j++) {
        alike = parent_of(animation, from, above_from, j) == parent_of(base, to, above_to, j);
    }
    for (uint32_t j = 0; alike && j < from->joint_count; j++) {
        match[animation->joints[from->first_joint + j]] = base->joints[to->first_joint + j];
    }
    mrwi_base_free(above_from);
    mrwi_base_free(above_to);
    return status;
}
