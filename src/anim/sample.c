/* sample.c: a clip at a time: local transforms and morph weights. */
#include "anim/extrapolate.h"
#include "anim/kernels.h"
#include "anim/poser.h"
#include "anim/unit.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

/* Where a time lies among the keys of a channel. */
typedef struct key_span {
    uint32_t key;     /* the last key at or before the time, or 0 */
    double since;     /* seconds since that key; 0: exactly the key, and no next one is read */
    double key_delta; /* seconds from key to next key; 0 without one */
} key_span;

static inline key_span span_at(const double *times, uint32_t count, double time, uint32_t key)
{
    key_span span = {key, 0.0, 0.0};
    if (key + 1 < count && time > times[key]) {
        span.key_delta = times[key + 1] - times[key];
        span.since = time - times[key];
    }
    return span;
}

/* Weights of value k, out-tangent k, value k + 1, in-tangent k + 1 (glTF 2.0, appendix C.5). */
static void hermite_weights(const key_span *span, double out[4])
{
    const double t = span->since / span->key_delta;
    const double t2 = t * t;
    const double t3 = t2 * t;
    out[0] = 2.0 * t3 - 3.0 * t2 + 1.0;
    out[1] = span->key_delta * (t3 - 2.0 * t2 + t);
    out[2] = 3.0 * t2 - 2.0 * t3;
    out[3] = span->key_delta * (t3 - t2);
}

/* A key of a cubic channel is in-tangent, value, out-tangent, each `width` floats. */
static void sample_cubic(const float *values, uint32_t width, const key_span *span, float *out)
{
    const float *key = values + (size_t)span->key * 3 * width;
    if (span->since == 0.0) {
        memcpy(out, key + width, width * sizeof *out);
        return;
    }
    double h[4];
    hermite_weights(span, h);
    const float *value = key + width;
    const float *out_tangent = value + width;
    const float *next_in_tangent = out_tangent + width;
    const float *next_value = next_in_tangent + width;
    for (uint32_t i = 0; i < width; i++) {
        out[i] = (float)((h[0] * (double)value[i] + h[2] * (double)next_value[i]) +
                         (h[1] * (double)out_tangent[i] + h[3] * (double)next_in_tangent[i]));
    }
}

/* In double: never overflows between two finite floats, and keeps what is constant. */
static inline void sample_linear(const float *values, uint32_t width, const key_span *span,
                                 float *out)
{
    const float *a = values + (size_t)span->key * width;
    const float *b = a + width;
    const double t = span->since / span->key_delta;
    for (uint32_t i = 0; i < width; i++) {
        out[i] = (float)((double)a[i] + ((double)b[i] - (double)a[i]) * t);
    }
}

/* Translation, scale and morph weights. */
static inline void sample_values(const mrw_channel *channel, const float *values, uint32_t width,
                                 const key_span *span, float *out)
{
    if (channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE) {
        sample_cubic(values, width, span, out);
    } else if (channel->interpolation == MRW_INTERPOLATION_STEP || span->since == 0.0) {
        memcpy(out, values + (size_t)span->key * width, width * sizeof *out);
    } else {
        sample_linear(values, width, span, out);
    }
}

void mrwi_anim_sample_numbers(const mrw_channel *channel, const double *times, const float *values,
                              double time, float *out)
{
    const uint32_t key = mrwi_anim_key_search(times, channel->key_count, time);
    const key_span span = span_at(times, channel->key_count, time, key);
    sample_values(channel, values, channel->width, &span, out);
}

/* One channel; key is the last at or before time. */
static void sample_channel(const mrw_sample_job *job, const mrw_channel *channel, double time,
                           uint32_t key)
{
    const mrw_scene *scene = job->poser->scene;
    const double *times = scene->key_times + channel->first_time;
    const key_span found = span_at(times, channel->key_count, time, key), *span = &found;
    const float *values = scene->key_values + channel->first_value;
    mrw_transform *local = &job->locals[channel->node];
    switch (channel->path) {
    case MRW_PATH_TRANSLATION:
        sample_values(channel, values, 3, span, local->translation);
        break;
    case MRW_PATH_ROTATION: /* not LINEAR between keys */
        sample_values(channel, values, 4, span, local->rotation);
        mrwi_anim_make_unit(local->rotation);
        break;
    case MRW_PATH_SCALE:
        sample_values(channel, values, 3, span, local->scale);
        break;
    case MRW_PATH_VISIBILITY:
        mrwi_anim_show(job->animated, channel->node, values[span->key] != 0.0f);
        break;
    default:
        sample_values(channel, values, channel->width, span,
                      job->weights + scene->nodes[channel->node].first_weight);
    }
}

void mrwi_anim_sample_others(const mrw_sample_job *job, const mrwi_anim_block *block, double time,
                             const mrwi_anim_spans *at)
{
    for (uint32_t i = block->others; i < block->end; i++) {
        const mrwi_anim_curve *curve = &job->poser->curves[i];
        sample_channel(job, &job->poser->scene->channels[curve->source], time,
                       mrwi_anim_span_key(at, curve->track));
    }
}

void mrwi_anim_sample_held(const mrw_sample_job *job, const mrwi_anim_block *block,
                           const mrwi_anim_spans *at)
{
    if (at->held == 0) {
        return;
    }
    for (uint32_t i = block->vectors; i < block->others; i++) {
        const mrwi_anim_curve *curve = &job->poser->curves[i];
        if (at->t[curve->track] >= 0.0) {
            continue;
        }
        const size_t width = i < block->rotations ? 3 : 4;
        const size_t first = curve->source + mrwi_anim_span_key(at, curve->track) * width;
        float *out = mrwi_anim_part(job->locals, curve->out);
        memcpy(out, job->poser->scene->key_values + first, width * sizeof *out);
        if (width == 4) {
            mrwi_anim_make_unit(out);
        }
    }
}

static void sample_rest(const mrw_sample_job *job)
{
    const mrw_scene *scene = job->poser->scene;
    if (scene->nodes_count > 0) {
        memcpy(job->locals, job->poser->rest, scene->nodes_count * sizeof *job->locals);
        memset(job->animated, 0, scene->nodes_count);
    }
    for (uint32_t i = 0; i < job->poser->hidden_count; i++) {
        job->animated[job->poser->hidden[i]] = MRW_ANIMATED_HIDDEN;
    }
    if (scene->weights_count > 0) {
        memcpy(job->weights, scene->weights, scene->weights_count * sizeof *job->weights);
    }
}

/* What the clip sets to the same at any time. */
static void sample_fixed(const mrw_sample_job *job, const mrwi_anim_clip_plan *plan)
{
    const mrw_poser *poser = job->poser;
    const mrwi_anim_flags *flags = poser->flags + plan->first_flags;
    const mrwi_anim_curve *curves = poser->curves;
    const float *key_values = poser->scene->key_values;
    const uint32_t flags_count = plan->flags_count; /* no store of a byte can change a copy */
    uint8_t *animated = job->animated;
    mrw_transform *locals = job->locals;
    for (uint32_t i = 0; i < flags_count; i++) {
        animated[flags[i].node] = (uint8_t)flags[i].animated;
    }
    for (uint32_t i = plan->fixed_vectors; i < plan->fixed_rotations; i++) {
        memcpy(mrwi_anim_part(locals, curves[i].out), key_values + curves[i].source,
               3 * sizeof *key_values);
    }
    for (uint32_t i = plan->fixed_rotations; i < plan->fixed_end; i++) {
        memcpy(mrwi_anim_part(locals, curves[i].out), key_values + curves[i].source,
               4 * sizeof *key_values);
    }
}

void mrw_sample(const mrw_sample_job *job)
{
    assert(job->clip == MRW_NONE || job->clip < job->poser->scene->clips_count);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    sample_rest(job);
    if (job->clip != MRW_NONE) {
        sample_fixed(job, &job->poser->clips[job->clip]);
        mrwi_anim_pose_kernels_for(job->isa)->sample(job);
        mrwi_anim_extrapolate(job);
    }
    mrwi_base_fp_leave(fp);
}

bool mrw_find_hidden(const mrw_poser *poser, const uint8_t *animated, bool *hidden)
{
    const mrw_scene *scene = poser->scene;
    bool any = false;
    for (uint32_t i = 0; i < scene->nodes_count && poser->hides; i++) {
        const mrw_node *node = &scene->nodes[i];
        const bool inherits =
            node->parent != MRW_NONE && (node->flags & MRW_NODE_OWN_VISIBILITY) == 0;
        hidden[i] = (animated[i] & MRW_ANIMATED_HIDDEN) != 0 || (inherits && hidden[node->parent]);
        any = any || hidden[i];
    }
    for (uint32_t i = 0; i < scene->nodes_count && poser->hides; i++) {
        hidden[i] = hidden[i] || (scene->nodes[i].flags & MRW_NODE_NOT_SHOWN) != 0;
        any = any || hidden[i];
    }
    return any;
}
