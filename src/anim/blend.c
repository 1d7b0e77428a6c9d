/* blend.c: the weighted mean of poses, and synchronised clips of different lengths. */
#include "marrow/anim.h"

#include "anim/mix.h"
#include "base/parallel.h"

#include <assert.h>

static double weight_at(const mrw_blend_input *input, uint32_t node)
{
    assert(input->weight >= 0.0f);
    return (double)input->weight * (input->mask ? (double)input->mask[node] : 1.0);
}

static double total_at(const mrw_blend_job *job, uint32_t node)
{
    double total = 0.0;
    for (uint32_t i = 0; i < job->input_count; i++) {
        total += weight_at(&job->inputs[i], node);
    }
    return total;
}

static void add_linear(double sum[3], const float *v, double weight)
{
    for (int i = 0; i < 3; i++) {
        sum[i] += weight * (double)v[i];
    }
}

static void blend_local(const mrw_blend_job *job, uint32_t node, double total)
{
    double translation[3] = {0.0, 0.0, 0.0}, scale[3] = {0.0, 0.0, 0.0};
    mrwi_anim_quat rotation = {{0.0, 0.0, 0.0, 0.0}};
    unsigned animated = 0, hidden = 0;
    double heaviest = 0.0;
    for (uint32_t i = 0; i < job->input_count; i++) {
        const mrw_local_pose *pose = &job->inputs[i].pose;
        const double weight = weight_at(&job->inputs[i], node) / total;
        if (!(weight > 0.0)) {
            continue;
        }
        if (weight > heaviest) {
            heaviest = weight;
            hidden = pose->animated[node] & MRW_ANIMATED_HIDDEN;
        }
        const mrw_transform *local = &pose->locals[node];
        const mrwi_anim_quat q = mrwi_anim_quat_load(local->rotation);
        add_linear(translation, local->translation, weight);
        add_linear(scale, local->scale, weight);
        mrwi_anim_quat_add(&rotation, &q, weight);
        animated |= pose->animated[node];
    }
    mrw_transform *out = &job->locals[node];
    for (int i = 0; i < 3; i++) {
        out->translation[i] = (float)translation[i];
        out->scale[i] = (float)scale[i];
    }
    mrwi_anim_quat_store(&rotation, out->rotation);
    job->animated[node] = (uint8_t)((animated & ~MRW_ANIMATED_HIDDEN) | hidden);
}

static void blend_weight(const mrw_blend_job *job, uint32_t node, uint32_t index, double total)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < job->input_count; i++) {
        sum +=
            weight_at(&job->inputs[i], node) / total * (double)job->inputs[i].pose.weights[index];
    }
    job->weights[index] = (float)sum;
}

static void rest_node(const mrw_blend_job *job, uint32_t index)
{
    const mrw_node *node = &job->scene->nodes[index];
    job->locals[index] = node->rest;
    job->animated[index] = (node->flags & MRW_NODE_HIDDEN) != 0 ? MRW_ANIMATED_HIDDEN : 0;
    if (node->weight_count > 0) {
        memcpy(job->weights + node->first_weight, job->scene->weights + node->first_weight,
               node->weight_count * sizeof *job->weights);
    }
}

void mrw_blend(const mrw_blend_job *job)
{
    const mrw_scene *scene = job->scene;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const mrw_node *node = &scene->nodes[n];
        const double total = total_at(job, n);
        if (!(total > 0.0)) {
            rest_node(job, n);
            continue;
        }
        blend_local(job, n, total);
        for (uint32_t w = 0; w < node->weight_count; w++) {
            blend_weight(job, n, node->first_weight + w, total);
        }
    }
    mrwi_base_fp_leave(fp);
}

double mrw_synced_duration(const double *durations, const float *weights, uint32_t count)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    double sum = 0.0, total = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        assert(weights[i] >= 0.0f);
        sum += (double)weights[i] * durations[i];
        total += (double)weights[i];
    }
    const double mean = total > 0.0 ? sum / total : 0.0;
    mrwi_base_fp_leave(fp);
    return mean;
}

double mrw_synced_time(double time, double synced_duration, double duration)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const double synced = synced_duration > 0.0 ? time / synced_duration * duration : 0.0;
    mrwi_base_fp_leave(fp);
    return synced;
}
