/* sample.c: samples a clip: local transforms and morph weights at a time. */
#include "anim/extrapolate.h"
#include "anim/kernels.h"
#include "anim/poser.h"
#include "anim/sample_spec.h"
#include "anim/unit.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

void mrwi_anim_sample_others(const mrw_sample_job *job, const mrwi_anim_block *block, double time,
                             const mrwi_anim_spans *at)
{
    for (uint32_t i = block->others; i < block->end; i++) {
        const mrwi_anim_curve *curve = &job->poser->clips.curves[i];
        mrwi_anim_sample_channel(job, &job->poser->scene->channels[curve->source], time,
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
        const mrwi_anim_curve *curve = &job->poser->clips.curves[i];
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
        memcpy(job->locals, job->poser->nodes.rest, scene->nodes_count * sizeof *job->locals);
        memset(job->animated, 0, scene->nodes_count);
    }
    for (uint32_t i = 0; i < job->poser->nodes.hidden_count; i++) {
        job->animated[job->poser->nodes.hidden[i]] = MRW_ANIMATED_HIDDEN;
    }
    if (scene->weights_count > 0) {
        memcpy(job->weights, scene->weights, scene->weights_count * sizeof *job->weights);
    }
}

/* Sets what does not change during the clip. */
static void sample_fixed(const mrw_sample_job *job, const mrwi_anim_clip_plan *plan)
{
    const mrw_poser *poser = job->poser;
    const mrwi_anim_flags *flags = poser->clips.flags + plan->first_flags;
    const mrwi_anim_curve *curves = poser->clips.curves;
    const float *key_values = poser->scene->key_values;
    /* a copy, which no store of a byte can change */
    const uint32_t flags_count = plan->flags_count;
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
        sample_fixed(job, &job->poser->clips.plans[job->clip]);
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
