/* vertex.c: from world space to snapped screen vertices, and to the stream that shading reads. */
#include "raster/front.h"

#include "base/parallel.h"
#include "base/simd/isa.h"

#include <assert.h>
#include <string.h>

/* Limits ids to what a signed lane holds, with room for what clipping adds. */
#define VERTEX_LIMIT 0x7fff0000u

bool mrwi_raster_reserve_vertices(mrwi_raster_vertices *vertices, uint32_t count)
{
    size_t used = vertices->count;
    size_t need = used + count;
    if (need > VERTEX_LIMIT ||
        !mrwi_raster_buffer_reserve(&vertices->screen_buffer,
                                    used * sizeof(mrwi_raster_screen_vertex), need,
                                    sizeof(mrwi_raster_screen_vertex)) ||
        (vertices->has_shade &&
         !mrwi_raster_buffer_reserve(&vertices->shade_buffer, used * sizeof(mrwi_shade_vertex),
                                     need, sizeof(mrwi_shade_vertex)))) {
        return false;
    }
    vertices->screen = vertices->screen_buffer.data;
    vertices->shade = vertices->has_shade ? vertices->shade_buffer.data : NULL;
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        vertices->streams[k] = NULL;
        if ((vertices->present >> k & 1u) == 0) {
            continue;
        }
        if (!mrwi_raster_buffer_reserve(&vertices->stream_buffers[k], used * sizeof(float[4]), need,
                                        sizeof(float[4]))) {
            return false;
        }
        vertices->streams[k] = vertices->stream_buffers[k].data;
    }
    return true;
}

/* Sets the matrix to clip space, with the viewport folded in: x and y come out in pixels, times w.
 */
static void set_world_to_pixel(mrwi_raster_view *view, const mrw_mat4 *world_to_clip)
{
    double half_width = view->width * 0.5;
    double half_height = view->height * 0.5;
    for (int c = 0; c < 4; c++) {
        const float *in = world_to_clip->m + 4 * c;
        float *out = view->world_to_pixel.m + 4 * c;
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

/* Waking threads takes as long as 13,000 vertices. From PARALLEL_VERTICES on, several threads share
 * a draw, one task at a time. */
#define TASK_VERTICES     4096
#define PARALLEL_VERTICES 65536

typedef struct transform_task {
    mrwi_raster_vertex_job job;
    const mrwi_raster_front_kernels *kernels;
} transform_task;

/* Transforms one range: an mrwi_base_parallel_body. */
static void transform_range(void *user, int64_t index, int worker)
{
    (void)worker;
    const transform_task *task = user;
    uint32_t first = (uint32_t)index * TASK_VERTICES;
    uint32_t left = task->job.draw->vertex_count - first;
    task->kernels->transform(&task->job, first, left < TASK_VERTICES ? left : TASK_VERTICES);
}

/* Fills a stream of two further texture coordinates, each with its own transform, as u and v in
 * front_scalar.c. */
static void fill_uvs(const mrw_raster_draw *draw, uint32_t stream, float (*out)[4])
{
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t number = 2 * (stream - MRWI_SHADE_UVS) + k;
        const bool there = number < MRW_RASTER_MORE_UVS && draw->more_uvs[number].uvs;
        const float *uvs = there ? draw->more_uvs[number].uvs : NULL;
        const float *m = there ? draw->more_uvs[number].transform : NULL;
        for (uint32_t i = 0; i < draw->vertex_count; i++) {
            const float u = uvs ? uvs[2 * (size_t)i] : 0.0f;
            const float v = uvs ? uvs[2 * (size_t)i + 1] : 0.0f;
            out[i][2 * k] = uvs ? (m[0] * u + m[1] * v) + m[2] : 0.0f;
            out[i][2 * k + 1] = uvs ? (m[3] * u + m[4] * v) + m[5] : 0.0f;
        }
    }
}

/* Fills the streams that are present and that the draw has. */
static void fill_streams(const mrw_raster_draw *draw, mrwi_raster_vertices *out)
{
    const float *const taken[MRWI_SHADE_UVS] = {[MRWI_SHADE_COLOR] = draw->colors,
                                                [MRWI_SHADE_TANGENT] = draw->tangents,
                                                [MRWI_SHADE_POSITION] = draw->positions};
    uint32_t left = out->present & mrwi_shade_streams_of(draw);
    for (; left != 0 && draw->vertex_count > 0; left &= left - 1) {
        const uint32_t stream = (uint32_t)__builtin_ctz(left);
        float(*to)[4] = out->streams[stream] + out->count;
        if (stream >= MRWI_SHADE_UVS) {
            fill_uvs(draw, stream, to);
        } else {
            memcpy(to, taken[stream], draw->vertex_count * sizeof *to);
        }
    }
}

static bool has_shadows(const mrw_lighting *lighting)
{
    bool has = false;
    for (uint32_t i = 0; i < lighting->light_count && !has; i++) {
        has = lighting->lights[i].shadow;
    }
    return has;
}

/* Returns true when light depends on positions, or normals on triangles. Albedo is drawn as
 * normals are, which it does not show. */
static bool needs_positions(const mrw_raster_job *job)
{
    const mrw_shading_info *mode = mrw_shading_info_of(job->shading);
    bool needs = mode->flat || (mode->lit && (mrwi_shade_has_placed_lights(&job->lighting) ||
                                              has_shadows(&job->lighting) || job->occlusion));
    bool flat = false;
    for (uint32_t i = 0; i < job->draw_count && !flat; i++) {
        flat = job->draws[i].flat;
    }
    return ((needs || flat) && (mode->lit || mode->data || mode->matcap) &&
            mrwi_raster_targets_are_shaded(job)) ||
           (flat && (mrwi_raster_target_find(job, MRW_TARGET_NORMAL) ||
                     mrwi_raster_target_find(job, MRW_TARGET_ALBEDO)));
}

/* Returns true if a map lies in tangent space, or tangents are shown. */
static bool needs_tangents(const mrw_raster_job *job)
{
    bool needs = mrw_shading_info_of(job->shading)->data &&
                 (job->channel == MRW_CHANNEL_TANGENT || job->channel == MRW_CHANNEL_TANGENT_W);
    for (uint32_t i = 0; i < job->draw_count && !needs; i++) {
        const mrw_raster_map *maps = job->draws[i].material->maps;
        needs = job->draws[i].tangents && (maps[MRW_RASTER_MAP_NORMAL].texture ||
                                           maps[MRW_RASTER_MAP_CLEARCOAT_NORMAL].texture);
    }
    return needs;
}

/* Returns false if only depth, ids and triangles of opaque draws are wanted: they need no more than
 * the vertices' places. */
static bool needs_shading(const mrw_raster_job *job, mrwi_raster_layer layer)
{
    switch (layer) {
    case MRWI_RASTER_OPAQUE:
        return mrwi_raster_targets_are_shaded(job) || mrwi_raster_targets_show_surfaces(job);
    case MRWI_RASTER_MASK:
        return true;
    default:
        return mrwi_raster_targets_show_blended(job);
    }
}

bool mrwi_raster_begin_vertices(mrwi_raster_geometry *geometry, const mrw_raster_job *job)
{
    uint64_t count = 0;
    mrwi_raster_vertices *vertices = &geometry->vertices;
    vertices->count = 0;
    vertices->has_shade = false;
    vertices->present = 0;
    for (uint32_t i = 0; i < job->draw_count; i++) {
        const mrw_raster_draw *draw = &job->draws[i];
        assert(draw->material);
        count += draw->vertex_count;
        vertices->present |= mrwi_shade_streams_of(draw);
        vertices->has_shade = vertices->has_shade ||
                              needs_shading(job, (mrwi_raster_layer)draw->material->alpha_mode);
    }
    vertices->present = vertices->has_shade ? vertices->present : 0;
    vertices->present &= needs_positions(job) ? ~0u : ~(1u << MRWI_SHADE_POSITION);
    vertices->present &= needs_tangents(job) ? ~0u : ~(1u << MRWI_SHADE_TANGENT);
    vertices->packed = count > MRWI_RASTER_MANY_VERTICES;
    geometry->draws = job->draws;
    set_world_to_pixel(&geometry->view, &job->view.world_to_clip);
    return count <= VERTEX_LIMIT &&
           mrwi_raster_reserve_vertices(vertices, vertices->packed ? 0 : (uint32_t)count);
}

bool mrwi_raster_transform_draw(mrwi_raster_geometry *geometry, const mrw_raster_job *job,
                                uint32_t number)
{
    const mrw_raster_draw *draw = &job->draws[number];
    mrwi_raster_vertices *out = &geometry->vertices;
    const uint32_t first = out->count, count = draw->vertex_count;
    if (!mrwi_raster_reserve_vertices(out, count)) {
        return false;
    }
    if (draw->fill) {
        draw->fill(draw->fill_user);
    }
    transform_task task = {{&geometry->view.world_to_pixel, draw, out->screen + first,
                            out->has_shade ? out->shade + first : NULL},
                           mrwi_raster_front_kernels_for(job->isa)};
    if (job->threads > 1 && count >= PARALLEL_VERTICES) {
        mrwi_base_parallel_for(job->threads, (count + TASK_VERTICES - 1) / TASK_VERTICES,
                               transform_range, &task);
    } else {
        task.kernels->transform(&task.job, 0, count);
    }
    fill_streams(draw, out);
    out->count += count;
    return true;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Moves the elements that have a number to it. Numbers ascend, and none is above its element's. */
static void move_elements(void *elements, size_t size, const uint32_t *numbers, uint32_t count)
{
    char *at = elements;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] != MRW_NONE && numbers[i] != i) {
            memcpy(at + numbers[i] * size, at + i * size, size);
        }
    }
}

bool mrwi_raster_pack_vertices(mrwi_raster_geometry *geometry, uint32_t first_vertex,
                               uint32_t first_triangle)
{
    mrwi_raster_vertices *vertices = &geometry->vertices;
    const uint32_t count = vertices->count - first_vertex;
    uint32_t used = 0;
    if (!mrwi_raster_buffer_reserve(&vertices->number_buffer, 0, count, sizeof(uint32_t))) {
        return false;
    }
    uint32_t *numbers = vertices->number_buffer.data;
    memset(numbers, 0xFF, count * sizeof *numbers); /* MRW_NONE */
    for (uint32_t t = first_triangle; t < geometry->kept.count; t++) {
        for (int k = 0; k < 3; k++) {
            numbers[geometry->kept.triangles[t].vertex[k] - first_vertex] = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = numbers[i] == MRW_NONE ? MRW_NONE : used++;
    }
    for (uint32_t t = first_triangle; t < geometry->kept.count; t++) {
        for (int k = 0; k < 3; k++) {
            uint32_t *vertex = &geometry->kept.triangles[t].vertex[k];
            *vertex = first_vertex + numbers[*vertex - first_vertex];
        }
    }
    move_elements(vertices->screen + first_vertex, sizeof *vertices->screen, numbers, count);
    if (vertices->has_shade) {
        move_elements(vertices->shade + first_vertex, sizeof *vertices->shade, numbers, count);
    }
    for (uint32_t left = vertices->present; left != 0; left &= left - 1) {
        float(*stream)[4] = vertices->streams[__builtin_ctz(left)];
        move_elements(stream + first_vertex, sizeof *stream, numbers, count);
    }
    vertices->count = first_vertex + used;
    return true;
}
