/* mix.c: the clip or mix of clips that an instance plays, with root motion: local transforms and
 * morph weights of its nodes. */
#include "frame/frame.h"

#include "base/frames.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>

/* ---- durations ------------------------------------------------------------------------------- */

static double clip_duration(const mrw_scene *scene, uint32_t clip)
{
    return clip == MRW_NONE ? 0.0 : scene->clips[clip].duration;
}

/* Computes mrw_synced_duration of the BLEND tracks without a copy of them. */
static double synced_duration(const mrw_scene *scene, const mrw_mix *mix)
{
    double sum = 0.0, total = 0.0;
    for (uint32_t i = 0; i < mix->track_count; i++) {
        const mrw_track *track = &mix->tracks[i];
        if (track->mode != MRW_TRACK_BLEND) {
            continue;
        }
        sum += (double)track->weight * clip_duration(scene, track->clip);
        total += (double)track->weight;
    }
    return total > 0.0 ? sum / total : 0.0;
}

static bool sets_duration(const mrw_track *track)
{
    return track->mode == MRW_TRACK_BLEND ||
           (track->mode == MRW_TRACK_OVERRIDE && track->node == MRW_NONE);
}

double mrw_mix_duration(const mrw_scene *scene, const mrw_mix *mix)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    double longest = 0.0;
    for (uint32_t i = 0; i < mix->track_count && !mix->sync; i++) {
        double duration = clip_duration(scene, mix->tracks[i].clip);
        if (sets_duration(&mix->tracks[i]) && duration > longest) {
            longest = duration;
        }
    }
    if (mix->sync) {
        longest = synced_duration(scene, mix);
    }
    mrwi_base_fp_leave(fp);
    return longest;
}

double mrw_instance_duration(const mrw_instance *instance)
{
    const mrw_scene *scene = instance->model->scene;
    if (instance->pose != MRW_POSE_CLIP) {
        return 0.0;
    }
    return instance->mix ? mrw_mix_duration(scene, instance->mix)
                         : clip_duration(scene, instance->clip);
}

/* ---- times ----------------------------------------------------------------------------------- */

static mrwi_base_clip_position position_at(const mrw_instance *instance, double duration)
{
    const double time = mrwi_frame_time(instance);
    if (instance->loop) {
        return mrwi_base_loop(time, duration, instance->rate);
    }
    if (instance->beyond && isfinite(time)) {
        return (mrwi_base_clip_position){.time = time};
    }
    if (!(duration > 0.0) || !(time > 0.0)) {
        return (mrwi_base_clip_position){0};
    }
    return (mrwi_base_clip_position){.time = time < duration ? time : duration};
}

static mrwi_base_clip_position track_position(const mrw_instance *instance, const mrw_track *track)
{
    const mrw_scene *scene = instance->model->scene;
    const double duration = clip_duration(scene, track->clip);
    if (!instance->mix->sync || track->mode != MRW_TRACK_BLEND) {
        return position_at(instance, duration);
    }
    const double together = synced_duration(scene, instance->mix);
    mrwi_base_clip_position at = position_at(instance, together);
    at.time = mrw_synced_time(at.time, together, duration);
    return at;
}

double mrwi_frame_clip_time(const mrw_instance *instance)
{
    return position_at(instance, clip_duration(instance->model->scene, instance->clip)).time;
}

double mrwi_frame_track_time(const mrw_instance *instance, const mrw_track *track)
{
    return track_position(instance, track).time;
}

/* ---- one clip -------------------------------------------------------------------------------- */

/* Returns the cursors of a clip, which a playhead keeps while it plays the same one. NULL (search
 * each time) is a valid answer, so a failed allocation costs speed only. */
static uint32_t *cursors_of(mrwi_frame_scratch *scratch, uint32_t playhead, const mrw_scene *scene,
                            uint32_t clip)
{
    mrwi_frame_playhead *head = &scratch->playheads[playhead];
    if (clip == MRW_NONE) {
        return NULL;
    }
    const uint32_t count = scene->clips[clip].channel_count;
    if (!head->cursors || head->scene != scene || head->clip != clip ||
        head->cursor_count != count) {
        mrwi_base_free(head->cursors);
        *head = (mrwi_frame_playhead){scene, clip, mrwi_base_alloc_zero(count, sizeof(uint32_t)),
                                      count};
    }
    return head->cursors;
}

/* Samples a clip at a time of position_at, which has already clamped it if necessary. */
static mrw_status sample(mrwi_frame_scratch *scratch, const mrw_model *model, uint32_t clip,
                         double time, uint32_t *cursors, mrwi_frame_locals *out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    mrwi_base_arena *arena = &scratch->arena;
    out->locals = mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof *out->locals);
    out->animated = mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof *out->animated);
    out->weights = mrwi_base_arena_alloc(arena, scene->weights_count, sizeof *out->weights);
    if (!out->locals || !out->animated || !out->weights) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *out->locals);
    }
    mrw_sample(&(mrw_sample_job){.poser = model->poser,
                                 .clip = clip,
                                 .time = time,
                                 .beyond = true,
                                 .cursors = cursors,
                                 .locals = out->locals,
                                 .animated = out->animated,
                                 .weights = out->weights,
                                 .isa = scratch->isa});
    return MRW_OK;
}

static mrw_status move_root(mrwi_frame_scratch *scratch, const mrw_instance *instance,
                            uint32_t clip, int64_t loops, mrwi_frame_locals *locals,
                            mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    const uint32_t root = mrw_model_root(instance->model, clip);
    mrwi_frame_locals start, end;
    if (root == MRW_NONE || instance->root_motion == MRW_ROOT_MOTION_KEEP ||
        (instance->root_motion == MRW_ROOT_MOTION_LOOP && loops == 0)) {
        return MRW_OK;
    }
    mrw_status status = sample(scratch, instance->model, clip, 0.0, NULL, &start, error);
    if (status) {
        return status;
    }
    status = sample(scratch, instance->model, clip, clip_duration(scene, clip), NULL, &end, error);
    if (status) {
        return status;
    }
    mrw_apply_root_motion(&(mrw_root_motion_job){.scene = scene,
                                                 .node = root,
                                                 .mode = instance->root_motion,
                                                 .start = &start.locals[root],
                                                 .end = &end.locals[root],
                                                 .loops = loops,
                                                 .turn = true,
                                                 .local = &locals->locals[root]});
    return MRW_OK;
}

static mrw_status play_clip(mrwi_frame_scratch *scratch, uint32_t playhead,
                            const mrw_instance *instance, uint32_t clip, mrwi_base_clip_position at,
                            mrwi_frame_locals *out, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    mrw_status status = sample(scratch, instance->model, clip, at.time,
                               cursors_of(scratch, playhead, scene, clip), out, error);
    if (status || clip == MRW_NONE) {
        return status;
    }
    return move_root(scratch, instance, clip, at.loops, out, error);
}

/* ---- mixes ----------------------------------------------------------------------------------- */

static mrw_local_pose pose_of(const mrwi_frame_locals *l)
{
    return (mrw_local_pose){l->locals, l->animated, l->weights};
}

/* Makes the mask of a track; NULL for all nodes. */
static mrw_status mask_of(mrwi_base_arena *arena, const mrw_scene *scene, uint32_t node,
                          float **out, mrw_error *error)
{
    *out = NULL;
    if (node == MRW_NONE) {
        return MRW_OK;
    }
    *out = mrwi_base_arena_alloc(arena, scene->nodes_count, sizeof **out);
    if (!*out) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof **out);
    }
    mrw_subtree_mask(scene, node, *out);
    return MRW_OK;
}

/* Computes the mean of the BLEND tracks, or the rest pose. */
static mrw_status blend_tracks(mrwi_frame_scratch *scratch, uint32_t playhead,
                               const mrw_instance *instance, mrwi_frame_locals *out,
                               mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    const mrw_mix *mix = instance->mix;
    uint32_t count = 0;
    mrw_blend_input *inputs =
        mrwi_base_arena_alloc(&scratch->arena, mix->track_count, sizeof *inputs);
    if (!inputs) {
        return mrwi_base_fail_memory(error, mix->track_count * sizeof *inputs);
    }
    mrw_status status = sample(scratch, instance->model, MRW_NONE, 0.0, NULL, out, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < mix->track_count; i++) {
        const mrw_track *track = &mix->tracks[i];
        mrwi_frame_locals pose;
        float *mask;
        if (track->mode != MRW_TRACK_BLEND) {
            continue;
        }
        status = play_clip(scratch, playhead + i, instance, track->clip,
                           track_position(instance, track), &pose, error);
        if (status) {
            return status;
        }
        status = mask_of(&scratch->arena, scene, track->node, &mask, error);
        if (status) {
            return status;
        }
        inputs[count++] = (mrw_blend_input){pose_of(&pose), track->weight, mask};
    }
    if (count > 0) {
        mrw_blend(&(mrw_blend_job){.scene = scene,
                                   .inputs = inputs,
                                   .input_count = count,
                                   .locals = out->locals,
                                   .animated = out->animated,
                                   .weights = out->weights});
    }
    return MRW_OK;
}

/* Lays an OVERRIDE or ADDITIVE track over a pose. */
static mrw_status lay_track(mrwi_frame_scratch *scratch, uint32_t playhead,
                            const mrw_instance *instance, const mrw_track *track,
                            mrwi_frame_locals *base, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    mrwi_frame_locals over, first;
    mrw_local_pose reference;
    float *mask;
    bool adds = track->mode == MRW_TRACK_ADDITIVE;
    mrw_status status = play_clip(scratch, playhead, instance, track->clip,
                                  track_position(instance, track), &over, error);
    if (status) {
        return status;
    }
    if (adds) {
        status = sample(scratch, instance->model, track->clip, 0.0, NULL, &first, error);
        if (status) {
            return status;
        }
        reference = pose_of(&first);
    }
    status = mask_of(&scratch->arena, scene, track->node, &mask, error);
    if (status) {
        return status;
    }
    mrw_layer(&(mrw_layer_job){.scene = scene,
                               .over = pose_of(&over),
                               .reference = adds ? &reference : NULL,
                               .weight = track->weight,
                               .mask = mask,
                               .locals = base->locals,
                               .animated = base->animated,
                               .weights = base->weights});
    return MRW_OK;
}

static mrw_status play_mix(mrwi_frame_scratch *scratch, uint32_t playhead,
                           const mrw_instance *instance, mrwi_frame_locals *out, mrw_error *error)
{
    const mrw_mix *mix = instance->mix;
    mrw_status status = blend_tracks(scratch, playhead, instance, out, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < mix->track_count; i++) {
        if (mix->tracks[i].mode == MRW_TRACK_BLEND) {
            continue;
        }
        status = lay_track(scratch, playhead + i, instance, &mix->tracks[i], out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

bool mrwi_frame_plays(const mrw_instance *instance)
{
    return instance->pose == MRW_POSE_CLIP && (instance->mix || instance->clip != MRW_NONE);
}

uint32_t mrwi_frame_playheads_of(const mrw_instance *instance)
{
    return instance->mix ? instance->mix->track_count : 1;
}

mrw_status mrwi_frame_play(mrwi_frame_scratch *scratch, uint32_t playhead,
                           const mrw_instance *instance, mrwi_frame_locals *out, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    if (instance->pose != MRW_POSE_CLIP) {
        return sample(scratch, instance->model, MRW_NONE, 0.0, NULL, out, error);
    }
    if (instance->mix) {
        return play_mix(scratch, playhead, instance, out, error);
    }
    return play_clip(scratch, playhead, instance, instance->clip,
                     position_at(instance, clip_duration(scene, instance->clip)), out, error);
}

/* ---- the node that carries a character ------------------------------------------------------- */

/* Finds joints and nodes with a joint below: carries[node] is 1. In a scene without skins all nodes
 * carry. Returns NULL without memory. */
static uint8_t *find_carriers(const mrw_scene *scene)
{
    uint8_t *carries = mrwi_base_alloc_zero(scene->nodes_count, 1);
    if (!carries) {
        return NULL;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        carries[n] = scene->joints_count == 0;
    }
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        carries[scene->joints[j]] = 1;
    }
    for (uint32_t n = scene->nodes_count; n-- > 0;) {
        if (carries[n] && scene->nodes[n].parent != MRW_NONE) {
            carries[scene->nodes[n].parent] = 1;
        }
    }
    return carries;
}

/* Returns true when keys differ by more than the rounding of exporters. */
static bool channel_moves(const mrw_scene *scene, const mrw_channel *channel)
{
    const bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const float *values = scene->key_values + channel->first_value + (cubic ? channel->width : 0);
    const size_t stride = (size_t)channel->width * (cubic ? 3 : 1);
    for (uint32_t k = 1; k < channel->key_count; k++) {
        for (uint32_t i = 0; i < channel->width; i++) {
            const float a = values[i], b = values[k * stride + i];
            if (fabsf(b - a) > 1e-5f * (fabsf(a) + fabsf(b))) {
                return true;
            }
        }
    }
    return false;
}

static uint32_t find_root(const mrw_scene *scene, const mrw_clip *clip, const uint8_t *carries)
{
    uint32_t root = MRW_NONE;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const mrw_channel *channel = &scene->channels[clip->first_channel + c];
        if (channel->path == MRW_PATH_TRANSLATION && channel->node < root &&
            carries[channel->node] && channel_moves(scene, channel)) {
            root = channel->node;
        }
    }
    return root;
}

mrw_status mrwi_frame_find_roots(const mrw_scene *scene, uint32_t **roots, mrw_error *error)
{
    uint8_t *carries = find_carriers(scene);
    uint32_t *found = mrwi_base_alloc(scene->clips_count, sizeof *found);
    if (!carries || !found) {
        mrwi_base_free(carries);
        mrwi_base_free(found);
        return mrwi_base_fail_memory(error, scene->nodes_count);
    }
    for (uint32_t c = 0; c < scene->clips_count; c++) {
        found[c] = find_root(scene, &scene->clips[c], carries);
    }
    mrwi_base_free(carries);
    *roots = found;
    return MRW_OK;
}

uint32_t mrw_model_root(const mrw_model *model, uint32_t clip)
{
    assert(clip < model->scene->clips_count);
    return model->roots[clip];
}
