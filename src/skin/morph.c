/* morph.c: morph targets as sparse differences. The work is one pass over memory per target, so one
 * kernel of the four lanes that every CPU has serves all instruction sets: with eight lanes it took
 * as long. */
#include "marrow/skin.h"

#include "base/simd/f4.h"

#include "base/parallel.h"

#include <assert.h>
#include <string.h>

static void copy_base(float *out, const float *base, size_t floats)
{
    if (base && out && out != base && floats > 0) {
        memcpy(out, base, floats * sizeof *out);
    }
}

static void add_delta(float *v, float weight, const float *delta)
{
    v[0] = v[0] + weight * delta[0];
    v[1] = v[1] + weight * delta[1];
    v[2] = v[2] + weight * delta[2];
}

/* Computes out[vertex] += weight * delta. Deltas have a stride of 3; the stride of out is given. */
static void add_deltas(const mrw_morph_delta *target, const float *deltas, uint32_t vertex_count,
                       float *out, size_t stride)
{
    for (uint32_t e = 0; e < target->count; e++) {
        assert(target->vertices[e] < vertex_count);
        add_delta(out + stride * target->vertices[e], target->weight, deltas + 3 * (size_t)e);
    }
    (void)vertex_count;
}

/* Adds the deltas of four successive vertices: twelve successive numbers. */
static inline void add_run(float *v, mrwi_base_f4 weight, const float *delta)
{
    mrwi_base_f4_store(v, mrwi_base_f4_load(v) + weight * mrwi_base_f4_load(delta));
    mrwi_base_f4_store(v + 4, mrwi_base_f4_load(v + 4) + weight * mrwi_base_f4_load(delta + 4));
    mrwi_base_f4_store(v + 8, mrwi_base_f4_load(v + 8) + weight * mrwi_base_f4_load(delta + 8));
}

/* Adds to positions and normals if a target has both: targets move patches of a mesh, whose
 * vertices are mostly in order. */
static void add_both(const mrw_morph_delta *target, uint32_t vertex_count, float *positions,
                     float *normals)
{
    const uint32_t *vertices = target->vertices;
    const float weight = target->weight;
    const mrwi_base_f4 weights = mrwi_base_f4_set(weight);
    const uint32_t count = target->count;
    for (uint32_t e = 0; e < count;) {
        assert(vertices[e] < vertex_count && (e == 0 || vertices[e] > vertices[e - 1]));
        const size_t at = 3 * (size_t)vertices[e], from = 3 * (size_t)e;
        const bool run = count - e >= 4 && vertices[e + 3] - vertices[e] == 3;
        assert(!run || (vertices[e + 3] < vertex_count && vertices[e + 1] == vertices[e] + 1 &&
                        vertices[e + 2] == vertices[e] + 2));
        if (run) {
            add_run(positions + at, weights, target->positions + from);
            if (normals) {
                add_run(normals + at, weights, target->normals + from);
            }
        } else {
            add_delta(positions + at, weight, target->positions + from);
            if (normals) {
                add_delta(normals + at, weight, target->normals + from);
            }
        }
        e += run ? 4 : 1;
    }
    (void)vertex_count;
}

void mrw_morph_vertices(const mrw_morph_job *job)
{
    const size_t count = job->vertex_count;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    copy_base(job->out_positions, job->positions, 3 * count);
    copy_base(job->out_normals, job->normals, 3 * count);
    copy_base(job->out_tangents, job->tangents, 4 * count);
    for (uint32_t t = 0; t < job->target_count; t++) {
        const mrw_morph_delta *target = &job->targets[t];
        const bool positions = job->positions && job->out_positions && target->positions;
        const bool normals = job->normals && job->out_normals && target->normals;
        if (positions) {
            add_both(target, job->vertex_count, job->out_positions,
                     normals ? job->out_normals : NULL);
        } else if (normals) {
            add_deltas(target, target->normals, job->vertex_count, job->out_normals, 3);
        }
        if (job->tangents && job->out_tangents && target->tangents) {
            add_deltas(target, target->tangents, job->vertex_count, job->out_tangents, 4);
        }
    }
    mrwi_base_fp_leave(fp);
}
