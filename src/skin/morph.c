/* morph.c: morph targets as sparse differences. The work is one scattered pass over memory a
 * target, so one plain kernel serves all instruction sets.
 */
#include "marrow/skin.h"

#include "base/parallel.h"

#include <assert.h>
#include <string.h>

static void copy_base(float *out, const float *base, size_t floats)
{
    if (base && out && out != base && floats > 0)
        memcpy(out, base, floats * sizeof *out);
}

/* out[vertex] += weight * delta, whose stride is 3; the stride of out is given */
static void add_deltas(const mrw_morph_delta *target, const float *deltas, uint32_t vertex_count,
                       float *out, size_t stride)
{
    const float weight = target->weight;
    for (uint32_t e = 0; e < target->count; e++) {
        assert(target->vertices[e] < vertex_count);
        float *v = out + stride * target->vertices[e];
        const float *delta = deltas + 3 * (size_t)e;
        v[0] = v[0] + weight * delta[0];
        v[1] = v[1] + weight * delta[1];
        v[2] = v[2] + weight * delta[2];
    }
    (void)vertex_count;
}

void mrw_morph_vertices(const mrw_morph_job *job)
{
    const size_t count = job->vertex_count;
    mrwi_fp fp = mrwi_fp_enter();
    copy_base(job->out_positions, job->positions, 3 * count);
    copy_base(job->out_normals, job->normals, 3 * count);
    copy_base(job->out_tangents, job->tangents, 4 * count);
    for (uint32_t t = 0; t < job->target_count; t++) {
        const mrw_morph_delta *target = &job->targets[t];
        if (job->positions && job->out_positions && target->positions)
            add_deltas(target, target->positions, job->vertex_count, job->out_positions, 3);
        if (job->normals && job->out_normals && target->normals)
            add_deltas(target, target->normals, job->vertex_count, job->out_normals, 3);
        if (job->tangents && job->out_tangents && target->tangents)
            add_deltas(target, target->tangents, job->vertex_count, job->out_tangents, 4);
    }
    mrwi_fp_leave(fp);
}
