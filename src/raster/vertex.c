/* vertex.c: world space -> snapped screen vertices, and the stream that shading reads. */
#include "raster/front.h"

#include "base/parallel.h"
#include "base/simd/isa.h"

#include <assert.h>
#include <string.h>

/* Limits ids to what a signed lane holds, with room for what clipping adds. */
#define VERTEX_LIMIT 0x7fff0000u

bool mrwi_raster_reserve_vertices(mrwi_raster_geometry *geometry, uint32_t count)
{
    size_t used = geometry->vertex_count;
    size_t need = used + count;
    if (need > VERTEX_LIMIT ||
        !mrwi_raster_buffer_reserve(&geometry->screen_buffer,
                                    used * sizeof(mrwi_raster_screen_vertex), need,
                                    sizeof(mrwi_raster_screen_vertex)) ||
        !mrwi_raster_buffer_reserve(&geometry->shade_buffer,
                                    used * sizeof(mrwi_raster_shade_vertex), need,
                                    sizeof(mrwi_raster_shade_vertex))) {
        return false;
    }
    geometry->screen = geometry->screen_buffer.data;
    geometry->shade = geometry->shade_buffer.data;
    if (geometry->has_colors) {
        if (!mrwi_raster_buffer_reserve(&geometry->color_buffer, used * sizeof(float[4]), need,
                                        sizeof(float[4]))) {
            return false;
        }
        geometry->colors = geometry->color_buffer.data;
    }
    return true;
}

/* Clip space with the viewport folded in: x and y come out in pixels, times w. */
static void set_world_to_pixel(mrwi_raster_geometry *geometry, const mrw_mat4 *world_to_clip)
{
    double half_width = geometry->width * 0.5;
    double half_height = geometry->height * 0.5;
    for (int c = 0; c < 4; c++) {
        const float *in = world_to_clip->m + 4 * c;
        float *out = geometry->world_to_pixel.m + 4 * c;
        out[0] = (float)(((double)in[3] + (double)in[0]) * half_width);
        out[1] = (float)(((double)in[3] - (double)in[1]) * half_height);
        out[2] = in[2];
        out[3] = in[3];
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

const mrwi_raster_front_kernels *mrwi_raster_front_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_raster_front_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_raster_front_kernels_sse2),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_raster_front_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_raster_front_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_raster_front_kernels_neon),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

/* ---- a draw ---------------------------------------------------------------------------------- */

/* Waking threads takes as long as 13,000 vertices do; from PARALLEL_VERTICES on several share a
 * draw, a task at a time. */
#define TASK_VERTICES     4096
#define PARALLEL_VERTICES 65536

typedef struct transform_task {
    mrwi_raster_vertex_job job;
    const mrwi_raster_front_kernels *kernels;
} transform_task;

/* mrwi_base_parallel_body */
static void transform_range(void *user, int64_t index, int worker)
{
    (void)worker;
    const transform_task *task = user;
    uint32_t first = (uint32_t)index * TASK_VERTICES;
    uint32_t left = task->job.draw->vertex_count - first;
    task->kernels->transform(&task->job, first, left < TASK_VERTICES ? left : TASK_VERTICES);
}

static void transform_draw(mrwi_raster_geometry *geometry, const mrw_raster_draw *draw, int threads)
{
    uint32_t first = geometry->vertex_count;
    uint32_t count = draw->vertex_count;
    transform_task task = {
        {&geometry->world_to_pixel, draw, geometry->screen + first, geometry->shade + first},
        geometry->kernels};
    if (threads > 1 && count >= PARALLEL_VERTICES) {
        mrwi_base_parallel_for(threads, (count + TASK_VERTICES - 1) / TASK_VERTICES,
                               transform_range, &task);
    } else {
        task.kernels->transform(&task.job, 0, count);
    }
    if (draw->colors && count > 0) {
        memcpy(geometry->colors + first, draw->colors, count * sizeof(float[4]));
    }
    geometry->vertex_count += count;
}

bool mrwi_raster_transform_vertices(mrwi_raster_geometry *geometry, const mrw_raster_job *job)
{
    uint64_t count = 0;
    bool colors = false;
    for (uint32_t i = 0; i < job->draw_count; i++) {
        count += job->draws[i].vertex_count;
        colors = colors || job->draws[i].colors;
    }
    geometry->draws = job->draws;
    geometry->kernels = mrwi_raster_front_kernels_for(job->isa);
    geometry->vertex_count = 0;
    geometry->has_colors = colors;
    geometry->colors = NULL;
    if (count > VERTEX_LIMIT || !mrwi_raster_reserve_vertices(geometry, (uint32_t)count)) {
        return false;
    }
    set_world_to_pixel(geometry, &job->world_to_clip);
    for (uint32_t i = 0; i < job->draw_count; i++) {
        assert(job->draws[i].material);
        transform_draw(geometry, &job->draws[i], job->threads);
    }
    return true;
}
