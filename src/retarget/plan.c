/* plan.c: chooses the channels of an added clip. */
#include "retarget/plan.h"

#include "base/math.h"

#include <string.h>

/* ---- the channels of a clip ------------------------------------------------------------------ */

static void plan_add(mrwi_retarget_plan *plan, uint32_t node, uint32_t path, uint32_t source,
                     const float *constant)
{
    mrwi_retarget_plan_entry *entry = &plan->entries[plan->count++];
    *entry = (mrwi_retarget_plan_entry){.node = node, .path = path, .source = source};
    if (constant) {
        memcpy(entry->constant, constant, (path == MRW_PATH_ROTATION ? 4 : 3) * sizeof *constant);
    }
}

static void note_motion(const mrwi_retarget_pairing *pair, const mrw_clip *clip, uint32_t stamp,
                        mrwi_retarget_motion *seen)
{
    for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
        const mrw_channel *channel = &pair->from->channels[c];
        uint32_t joint = mrwi_retarget_rig_joint(&pair->rig, channel->node);
        if (channel->path >= MRW_PATH_WEIGHTS) {
            continue;
        }
        if (seen->played[joint] != stamp) {
            seen->paths[joint] = 0;
        }
        seen->played[joint] = stamp;
        if (joint == channel->node) {
            seen->paths[joint] |= (uint8_t)(1u << channel->path);
        }
    }
}

/* Plans a channel of weights. Returns false if it does not fit the node. */
static bool plan_weights(const mrwi_retarget_pairing *pair, uint32_t index,
                         mrwi_retarget_plan *plan)
{
    const mrw_channel *channel = &pair->from->channels[index];
    uint32_t node = pair->match[channel->node];
    bool fits =
        node < pair->base->nodes_count && pair->base->nodes[node].weight_count == channel->width;
    if (fits) {
        plan_add(plan, node, MRW_PATH_WEIGHTS, index, NULL);
    }
    return fits;
}

/* Plans a channel of a link that the model lacks. If it is the translation of its joint, the joint
 * takes it; for other links importers hold the channel still. */
static void plan_lost_link(const mrwi_retarget_pairing *pair, uint32_t index,
                           mrwi_retarget_motion *seen, mrwi_retarget_plan *plan)
{
    const mrw_channel *channel = &pair->from->channels[index];
    uint32_t joint = mrwi_retarget_rig_joint(&pair->rig, channel->node);
    const char *kind = mrwi_retarget_rig_kind(&pair->rig, channel->node);
    bool moves = strcmp(kind, ":translation") == 0 || strcmp(kind, "_$AssimpFbx$_Translation") == 0;
    if (moves && channel->path == MRW_PATH_TRANSLATION &&
        !(seen->paths[joint] & 1u << MRW_PATH_TRANSLATION)) {
        seen->paths[joint] |= 1u << MRW_PATH_TRANSLATION;
        plan_add(plan, pair->match[joint], MRW_PATH_TRANSLATION, index, NULL);
    }
}

/* Plans a channel. *weights_left_out counts channels of weights that do not fit. */
static void plan_channel(const mrwi_retarget_pairing *pair, uint32_t index,
                         mrwi_retarget_motion *seen, mrwi_retarget_plan *plan,
                         uint32_t *weights_left_out)
{
    const mrw_channel *channel = &pair->from->channels[index];
    if (channel->path == MRW_PATH_WEIGHTS) {
        *weights_left_out += !plan_weights(pair, index, plan);
    } else if (mrwi_retarget_replaces(&pair->retarget, channel->node)) {
        return; /* curves replace it */
    } else if (pair->match[channel->node] != MRW_NONE) {
        plan_add(plan, pair->match[channel->node], channel->path, index, NULL);
    } else if (pair->rig.owner[channel->node] != MRW_NONE) {
        plan_lost_link(pair, index, seen, plan);
    }
}

/* ---- joints that base spreads over several nodes --------------------------------------------- */

static const float *rest_part(const mrw_transform *t, uint32_t path)
{
    return path == MRW_PATH_TRANSLATION ? t->translation
           : path == MRW_PATH_ROTATION  ? t->rotation
                                        : t->scale;
}

static mrw_mat4 local_matrix(const mrw_scene *scene, const mrw_node *node)
{
    if (node->matrix != MRW_NONE) {
        return scene->matrices[node->matrix];
    }
    const float *q = node->rest.rotation, *t = node->rest.translation;
    float x = q[0], y = q[1], z = q[2], w = q[3];
    const float columns[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    mrw_mat4 out = mrwi_base_mat4_identity();
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out.m[4 * c + r] = columns[c][r] * node->rest.scale[c];
        }
    }
    memcpy(out.m + 12, t, 3 * sizeof *t);
    return out;
}

/* Returns true if a link of base must be held still. The geometric part of a mesh's node moves its
 * vertices, not the joint. */
static bool holds(const mrwi_retarget_pairing *pair, uint32_t link)
{
    const char *kind = mrwi_retarget_rig_kind(&pair->base_rig, link);
    return !pair->has_match[link] && strncmp(kind, "_$AssimpFbx$_Geometric", 22) != 0;
}

/* Sets to identity those links of base that the animation's joint lacks. If it has no links at all,
 * its transform is that of the whole joint, and paths that the clip does not animate hold the rest
 * of the whole in base. `paths`: the paths that the clip animates. */
static void plan_joint(const mrwi_retarget_pairing *pair, uint32_t joint, uint8_t paths,
                       mrwi_retarget_plan *plan)
{
    static const mrw_transform still = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const mrw_scene *base = pair->base;
    const mrwi_retarget_rig *base_rig = &pair->base_rig;
    uint32_t node = pair->match[joint];
    bool whole = mrwi_retarget_rig_next_link(&pair->rig, joint) == MRW_NONE, held = false;
    mrw_mat4 rest = local_matrix(base, &base->nodes[node]);
    for (uint32_t link = mrwi_retarget_rig_next_link(base_rig, node); link != MRW_NONE;
         link = mrwi_retarget_rig_next_link(base_rig, link)) {
        if (!holds(pair, link)) {
            continue;
        }
        mrw_mat4 below = rest, own = local_matrix(base, &base->nodes[link]);
        mrwi_base_mat4_mul(&own, &below, &rest);
        held = true;
        for (uint32_t path = 0; path < MRW_PATH_WEIGHTS; path++) {
            plan_add(plan, link, path, MRW_NONE, rest_part(&still, path));
        }
    }
    mrw_transform parts = still;
    if (!whole || !held) {
        return;
    }
    mrwi_base_mat4_decompose(&rest, &parts);
    for (uint32_t path = 0; path < MRW_PATH_WEIGHTS; path++) {
        if (!(paths & 1u << path)) {
            plan_add(plan, node, path, MRW_NONE, rest_part(&parts, path));
        }
    }
}

static void plan_joints(const mrwi_retarget_pairing *pair, const mrw_clip *clip, uint32_t stamp,
                        mrwi_retarget_motion *seen, mrwi_retarget_plan *plan)
{
    for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
        uint32_t joint = mrwi_retarget_rig_joint(&pair->rig, pair->from->channels[c].node);
        if (seen->played[joint] == stamp && pair->match[joint] < pair->base->nodes_count &&
            !mrwi_retarget_replaces(&pair->retarget, joint)) {
            plan_joint(pair, joint, seen->paths[joint], plan);
        }
        seen->played[joint] = 0;
    }
}

void mrwi_retarget_plan_clip(const mrwi_retarget_pairing *pair, uint32_t index,
                             mrwi_retarget_motion *seen, mrwi_retarget_plan *plan,
                             uint32_t *weights_left_out)
{
    const mrw_clip *clip = &pair->from->clips[index];
    plan->count = 0;
    note_motion(pair, clip, index + 1, seen);
    for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
        plan_channel(pair, c, seen, plan, weights_left_out);
    }
    plan_joints(pair, clip, index + 1, seen, plan);
}

void mrwi_retarget_plan_curves(const mrwi_retarget_adapter *r, mrwi_retarget_plan *plan)
{
    for (uint32_t i = 0; i < r->curve_count; i++) {
        plan->entries[plan->count++] = (mrwi_retarget_plan_entry){.node = r->curves[i].node,
                                                                  .path = r->curves[i].path,
                                                                  .source = MRW_NONE,
                                                                  .curve = &r->curves[i]};
    }
}
