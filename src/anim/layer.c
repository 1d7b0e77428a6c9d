/* layer.c: lays one pose over another, as an override or as a difference, on all or some nodes. */
#include "marrow/anim.h"

#include "anim/mix.h"
#include "base/parallel.h"

#include <assert.h>

/* Moves base towards over by f; 1 copies. */
static void override_values(float *base, const float *over, uint32_t count, double f)
{
    if (f == 1.0) {
        memcpy(base, over, count * sizeof *base);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        base[i] = mrwi_anim_mix(base[i], over[i], f);
    }
}

static void override_rotation(float *base, const float *over, double f)
{
    if (f == 1.0) {
        memcpy(base, over, 4 * sizeof *base);
        return;
    }
    const mrwi_anim_quat a = mrwi_anim_quat_load(base), b = mrwi_anim_quat_load(over);
    mrwi_anim_quat sum = {{0.0, 0.0, 0.0, 0.0}};
    mrwi_anim_quat_add(&sum, &a, 1.0 - f);
    mrwi_anim_quat_add(&sum, &b, f);
    mrwi_anim_quat_store(&sum, base);
}

static void add_values(float *base, const float *over, const float *reference, uint32_t count,
                       double f)
{
    for (uint32_t i = 0; i < count; i++) {
        base[i] = (float)((double)base[i] + f * ((double)over[i] - (double)reference[i]));
    }
}

static void add_rotation(float *base, const float *over, const float *reference, double f)
{
    const mrwi_anim_quat identity = {{0.0, 0.0, 0.0, 1.0}};
    const mrwi_anim_quat a = mrwi_anim_quat_load(base), b = mrwi_anim_quat_load(over);
    const mrwi_anim_quat r = mrwi_anim_quat_load(reference);
    const mrwi_anim_quat back = mrwi_anim_quat_conjugate(&r);
    mrwi_anim_quat delta = mrwi_anim_quat_mul(&back, &b);
    delta = mrwi_anim_quat_unit(&delta);
    mrwi_anim_quat part = {{0.0, 0.0, 0.0, 1.0 - f}};
    const double sign = mrwi_anim_quat_dot(&identity, &delta) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        part.v[i] += f * sign * delta.v[i];
    }
    part = mrwi_anim_quat_unit(&part);
    const mrwi_anim_quat sum = mrwi_anim_quat_mul(&a, &part);
    mrwi_anim_quat_store(&sum, base);
}

static void add_scale(float *base, const float *over, const float *reference, double f)
{
    for (int i = 0; i < 3; i++) {
        if (reference[i] == 0.0f) {
            continue;
        }
        const double ratio = (double)over[i] / (double)reference[i];
        base[i] = (float)((double)base[i] * (1.0 + f * (ratio - 1.0)));
    }
}

static void override_node(const mrw_layer_job *job, uint32_t n, unsigned animated, double f)
{
    const mrw_transform *over = &job->over.locals[n];
    mrw_transform *base = &job->locals[n];
    const mrw_node *node = &job->scene->nodes[n];
    if (animated & MRW_ANIMATED_TRANSLATION) {
        override_values(base->translation, over->translation, 3, f);
    }
    if (animated & MRW_ANIMATED_ROTATION) {
        override_rotation(base->rotation, over->rotation, f);
    }
    if (animated & MRW_ANIMATED_SCALE) {
        override_values(base->scale, over->scale, 3, f);
    }
    if (animated & MRW_ANIMATED_WEIGHTS) {
        override_values(job->weights + node->first_weight, job->over.weights + node->first_weight,
                        node->weight_count, f);
    }
}

static void add_node(const mrw_layer_job *job, uint32_t n, unsigned animated, double f)
{
    const mrw_transform *over = &job->over.locals[n];
    const mrw_transform *reference = &job->reference->locals[n];
    mrw_transform *base = &job->locals[n];
    const mrw_node *node = &job->scene->nodes[n];
    const uint32_t first = node->first_weight;
    if (animated & MRW_ANIMATED_TRANSLATION) {
        add_values(base->translation, over->translation, reference->translation, 3, f);
    }
    if (animated & MRW_ANIMATED_ROTATION) {
        add_rotation(base->rotation, over->rotation, reference->rotation, f);
    }
    if (animated & MRW_ANIMATED_SCALE) {
        add_scale(base->scale, over->scale, reference->scale, f);
    }
    if (animated & MRW_ANIMATED_WEIGHTS) {
        add_values(job->weights + first, job->over.weights + first, job->reference->weights + first,
                   node->weight_count, f);
    }
}

void mrw_layer(const mrw_layer_job *job)
{
    assert(job->weight >= 0.0f);
    assert(job->reference || job->weight <= 1.0f);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t n = 0; n < job->scene->nodes_count; n++) {
        const unsigned animated = job->over.animated[n] & ~MRW_ANIMATED_HIDDEN;
        const double f = (double)job->weight * (job->mask ? (double)job->mask[n] : 1.0);
        if (!animated || !(f > 0.0)) {
            continue;
        }
        if (job->reference) {
            add_node(job, n, animated, f);
        } else {
            override_node(job, n, animated, f);
        }
        if (!job->reference && (animated & MRW_ANIMATED_VISIBILITY) && f >= 0.5) {
            job->animated[n] &= (uint8_t)~MRW_ANIMATED_HIDDEN;
            job->animated[n] |= job->over.animated[n] & MRW_ANIMATED_HIDDEN;
        }
        job->animated[n] |= (uint8_t)animated;
    }
    mrwi_base_fp_leave(fp);
}

void mrw_subtree_mask(const mrw_scene *scene, uint32_t node, float *mask)
{
    assert(node < scene->nodes_count);
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const uint32_t parent = scene->nodes[i].parent;
        mask[i] = i == node ? 1.0f : parent == MRW_NONE ? 0.0f : mask[parent];
    }
}
