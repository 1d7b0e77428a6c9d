/* cull.c: which triangles are drawn, and the pixels they may touch: the loops over draws around the
 * kernels of front.h. */
#include "raster/front.h"

#include "base/parallel.h"
#include "base/work.h"

#include <assert.h>

/* The number of triangles that are examined before more memory is reserved: memory grows with the
 * survivors. Draws that several threads share reserve room for all of their triangles, unless there
 * is too little memory. */
#define CHUNK_TRIANGLES 4096

/* Waking threads takes as long as 14,000 triangles. From PARALLEL_TRIANGLES on, several threads
 * share a draw, each in several chunks, because survivors are unevenly spread. */
#define PARALLEL_TRIANGLES 65536
#define PARTS_A_THREAD     4
#define MAX_CHUNKS         64

/* Reserves room for count more triangles. */
static bool reserve_triangles(mrwi_raster_kept *kept, size_t count)
{
    size_t used = kept->count;
    size_t need = used + count;
    if (need > MRWI_SHADE_NO_TRIANGLE ||
        !mrwi_raster_buffer_reserve(&kept->triangle_buffer, used * sizeof(mrwi_shade_triangle),
                                    need, sizeof(mrwi_shade_triangle)) ||
        !mrwi_raster_buffer_reserve(&kept->box_buffer, used * sizeof(mrwi_raster_box), need,
                                    sizeof(mrwi_raster_box)) ||
        (kept->has_sources &&
         !mrwi_raster_buffer_reserve(&kept->source_buffer, used * sizeof *kept->sources, need,
                                     sizeof *kept->sources))) {
        return false;
    }
    kept->triangles = kept->triangle_buffer.data;
    kept->boxes = kept->box_buffer.data;
    kept->sources = kept->source_buffer.data;
    return true;
}

bool mrwi_raster_add_triangle(mrwi_raster_geometry *geometry, const uint32_t vertex[3],
                              mrw_raster_source source)
{
    mrwi_raster_kept *kept = &geometry->kept;
    const mrwi_raster_screen_vertex *v = geometry->vertices.screen;
    mrwi_raster_box box;
    bool front;
    if (!mrwi_raster_survives(&geometry->view, &geometry->draws[source.draw], &v[vertex[0]],
                              &v[vertex[1]], &v[vertex[2]], &box, &front)) {
        return true;
    }
    if (!reserve_triangles(kept, 1)) {
        return false;
    }
    uint32_t n = kept->count++;
    kept->triangles[n] = (mrwi_shade_triangle){{vertex[0], vertex[1], vertex[2]},
                                               source.draw << 1 | (front ? 0u : 1u)};
    kept->boxes[n] = box;
    if (kept->has_sources) {
        kept->sources[n] = source;
    }
    return true;
}

/* Appends triangles of one layer to the last run, or begins one. */
static bool add_run(mrwi_raster_runs *runs, uint32_t first, uint32_t count, mrwi_raster_layer layer)
{
    uint32_t n = runs->count;
    mrwi_raster_run *last = n > 0 ? &runs->list[n - 1] : NULL;
    if (count == 0) {
        return true;
    }
    if (last && last->layer == layer && last->first + last->count == first) {
        last->count += count;
        return true;
    }
    if (!mrwi_raster_buffer_reserve(&runs->buffer, n * sizeof(mrwi_raster_run), (size_t)n + 1,
                                    sizeof(mrwi_raster_run))) {
        return false;
    }
    runs->list = runs->buffer.data;
    runs->list[n] = (mrwi_raster_run){first, count, layer};
    runs->count = n + 1;
    return true;
}

/* ---- a draw ---------------------------------------------------------------------------------- */

/* Returns a job whose survivors go to triangle number `at` and on. */
static mrwi_raster_cull_job job_at(const mrwi_raster_geometry *geometry, uint32_t draw,
                                   uint32_t first_vertex, uint32_t at)
{
    return (mrwi_raster_cull_job){
        .geometry = geometry,
        .draw = draw,
        .first_vertex = first_vertex,
        .triangles = geometry->kept.triangles + at,
        .boxes = geometry->kept.boxes + at,
        .sources = geometry->kept.has_sources ? geometry->kept.sources + at : NULL,
    };
}

static bool clip(mrwi_raster_geometry *geometry, uint32_t number, uint32_t first_vertex,
                 uint32_t triangle)
{
    const mrw_raster_draw *draw = &geometry->draws[number];
    const uint32_t *index = draw->indices + 3 * (size_t)triangle;
    uint32_t vertex[3];
    const float *position[3];
    for (int i = 0; i < 3; i++) {
        vertex[i] = first_vertex + index[i];
        position[i] = draw->positions + 4 * (size_t)index[i];
    }
    return mrwi_raster_clip_triangle(geometry, vertex, position,
                                     (mrw_raster_source){number, triangle});
}

static void move_triangle(mrwi_raster_kept *kept, uint32_t from, uint32_t to)
{
    kept->triangles[to] = kept->triangles[from];
    kept->boxes[to] = kept->boxes[from];
    if (kept->has_sources) {
        kept->sources[to] = kept->sources[from];
    }
}

/* Cuts the boxes of kept triangles, from `first` on, to a window, and drops triangles whose box
 * becomes empty. */
static void cut_to_window(mrwi_raster_kept *kept, uint32_t first, const mrw_raster_window *window)
{
    uint32_t count = first;
    for (uint32_t i = first; i < kept->count; i++) {
        mrwi_raster_box *box = &kept->boxes[i];
        box->x0 = box->x0 > window->x0 ? box->x0 : window->x0;
        box->y0 = box->y0 > window->y0 ? box->y0 : window->y0;
        box->x1 = box->x1 < window->x1 ? box->x1 : window->x1;
        box->y1 = box->y1 < window->y1 ? box->y1 : window->y1;
        if (box->x0 < box->x1 && box->y0 < box->y1) {
            move_triangle(kept, i, count++);
        }
    }
    kept->count = count;
}

/* Returns true if a triangle covers a point. Its corners and the point are less than a pixel apart,
 * so 32 bits hold the edge functions of setup.c. */
static bool covers_point(const int32_t x[3], const int32_t y[3], int32_t at_x, int32_t at_y)
{
    const bool turned = (x[1] - x[0]) * (y[2] - y[0]) < (x[2] - x[0]) * (y[1] - y[0]);
    bool covers = true;
    for (int i = 0; i < 3 && covers; i++) {
        const int next = i < 2 ? i + 1 : 0, from = turned ? next : i, to = turned ? i : next;
        const int32_t a = y[from] - y[to], b = x[to] - x[from];
        const bool top_left = a > 0 || (a == 0 && b > 0);
        covers = a * (at_x - x[from]) + b * (at_y - y[from]) >= (top_left ? 0 : 1);
    }
    return covers;
}

/* Returns false if a triangle of less than a pixel covers no sample of any pixel. Each sample of
 * the pattern has at most one place in its box. */
static bool covers_any(const mrwi_raster_geometry *geometry, const mrwi_shade_triangle *triangle)
{
    const mrwi_shade_sample_pattern *pattern = geometry->view.pattern;
    int32_t x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = geometry->vertices.screen[triangle->vertex[i]].x;
        y[i] = geometry->vertices.screen[triangle->vertex[i]].y;
    }
    const int32_t left = mrwi_raster_min3(x[0], x[1], x[2]);
    const int32_t top = mrwi_raster_min3(y[0], y[1], y[2]);
    const int32_t width = mrwi_raster_max3(x[0], x[1], x[2]) - left;
    const int32_t height = mrwi_raster_max3(y[0], y[1], y[2]) - top;
    bool covers = width >= MRWI_SHADE_SUBPIXEL || height >= MRWI_SHADE_SUBPIXEL;
    for (uint32_t s = 0; s < pattern->count && !covers; s++) {
        /* from the corner of the box to the first place at or beyond it; 128 is the centre */
        const int32_t dx = (128 + pattern->x[s] * 16 - left) & (MRWI_SHADE_SUBPIXEL - 1);
        const int32_t dy = (128 + pattern->y[s] * 16 - top) & (MRWI_SHADE_SUBPIXEL - 1);
        covers = dx <= width && dy <= height && covers_point(x, y, left + dx, top + dy);
    }
    return covers;
}

/* Looks at some of the kept triangles, from `first` on. Returns true if half of them cover no
 * sample. With fewer, dropping them takes more time than drawing them. */
static bool many_uncovered(const mrwi_raster_geometry *geometry, uint32_t first)
{
    const uint32_t count = geometry->kept.count - first, step = count / 64 + 1;
    uint32_t seen = 0, uncovered = 0;
    for (uint32_t i = 0; i < count; i += step) {
        seen++;
        uncovered += !covers_any(geometry, &geometry->kept.triangles[first + i]);
    }
    return uncovered > 0 && 2 * uncovered >= seen;
}

/* Drops small triangles, from `first` on, that cover no sample. */
static void drop_uncovered(mrwi_raster_geometry *geometry, uint32_t first)
{
    mrwi_raster_kept *kept = &geometry->kept;
    uint32_t count = first;
    for (uint32_t i = first; i < kept->count; i++) {
        if (covers_any(geometry, &kept->triangles[i])) {
            move_triangle(kept, i, count++);
        }
    }
    kept->count = count;
}

/* Collects triangles from `first` on of a draw, and clips those that need it. */
static bool collect_from(mrwi_raster_geometry *geometry, const mrwi_raster_front_kernels *kernels,
                         uint32_t number, uint32_t first_vertex, uint32_t first)
{
    const mrw_raster_draw *draw = &geometry->draws[number];
    uint32_t start = geometry->kept.count;
    while (first < draw->triangle_count) {
        uint32_t left = draw->triangle_count - first;
        uint32_t end = first + (left < CHUNK_TRIANGLES ? left : CHUNK_TRIANGLES);
        if (!reserve_triangles(&geometry->kept, end - first)) {
            return false;
        }
        mrwi_raster_cull_job job = job_at(geometry, number, first_vertex, geometry->kept.count);
        first = kernels->cull(&job, first, end);
        geometry->kept.count += job.count;
        if (first < end && !clip(geometry, number, first_vertex, first++)) {
            return false;
        }
    }
    if (draw->window) {
        cut_to_window(&geometry->kept, start, draw->window);
    } else if (geometry->vertices.packed && many_uncovered(geometry, start)) {
        drop_uncovered(geometry, start);
    }
    return add_run(&geometry->runs, start, geometry->kept.count - start,
                   (mrwi_raster_layer)draw->material->alpha_mode);
}

/* A chunk of a draw that a thread culls. Its survivors are stored from the place on that they would
 * have if all triangles survived; gaps remain behind them. */
typedef struct cull_chunk {
    const mrwi_raster_front_kernels *kernels;
    mrwi_raster_cull_job job;
    uint32_t next, end;
} cull_chunk;

/* Culls one chunk: an mrwi_base_parallel_body. */
static void cull_one_chunk(void *user, int64_t index, int worker)
{
    (void)worker;
    cull_chunk *chunk = (cull_chunk *)user + index;
    chunk->next = chunk->kernels->cull(&chunk->job, chunk->next, chunk->end);
}

/* Collects with several threads up to the first triangle that must be clipped; one thread goes on
 * from there. */
static bool collect_in_parts(mrwi_raster_geometry *geometry,
                             const mrwi_raster_front_kernels *kernels, uint32_t number,
                             uint32_t first_vertex, int threads)
{
    const mrw_raster_draw *draw = &geometry->draws[number];
    if (!reserve_triangles(&geometry->kept, draw->triangle_count)) {
        return collect_from(geometry, kernels, number, first_vertex, 0);
    }
    cull_chunk chunks[MAX_CHUNKS];
    int count = threads < MAX_CHUNKS / PARTS_A_THREAD ? threads * PARTS_A_THREAD : MAX_CHUNKS;
    uint32_t size = draw->triangle_count / (uint32_t)count + 1, base = geometry->kept.count;
    for (int i = 0; i < count; i++) {
        uint32_t first =
            (uint32_t)i * size; /* less than the count: it is far above MAX_CHUNKS squared */
        uint32_t left = draw->triangle_count - first;
        chunks[i] = (cull_chunk){kernels, job_at(geometry, number, first_vertex, base + first),
                                 first, first + (left < size ? left : size)};
    }
    mrwi_base_parallel_for(threads, count, cull_one_chunk, chunks);
    for (int i = 0; i < count; i++) {
        const mrwi_raster_cull_job *job = &chunks[i].job;
        uint32_t first = (uint32_t)(job->triangles - geometry->kept.triangles);
        geometry->kept.count = first + job->count;
        if (!add_run(&geometry->runs, first, job->count,
                     (mrwi_raster_layer)draw->material->alpha_mode)) {
            return false;
        }
        if (chunks[i].next < chunks[i].end) {
            return collect_from(geometry, kernels, number, first_vertex, chunks[i].next);
        }
    }
    return true;
}

/* Transforms a draw and collects its triangles. */
static bool collect_draw(mrwi_raster_geometry *geometry, const mrw_raster_job *job,
                         const mrwi_raster_front_kernels *kernels, uint32_t number)
{
    const mrw_raster_draw *draw = &job->draws[number];
    const uint32_t first_vertex = geometry->vertices.count, start = geometry->kept.count;
    const bool shared =
        job->threads > 1 && !draw->window && draw->triangle_count >= PARALLEL_TRIANGLES;
    if (!mrwi_raster_transform_draw(geometry, job, number) ||
        (shared ? !collect_in_parts(geometry, kernels, number, first_vertex, job->threads)
                : !collect_from(geometry, kernels, number, first_vertex, 0))) {
        return false;
    }
    /* shared draws leave gaps between triangles; where many are kept, so are most vertices */
    const uint32_t kept = geometry->kept.count - start;
    return !geometry->vertices.packed || shared || kept > draw->vertex_count / 2 ||
           mrwi_raster_pack_vertices(geometry, first_vertex, start);
}

bool mrwi_raster_collect_triangles(mrwi_raster_geometry *geometry, const mrw_raster_job *job)
{
    const mrwi_raster_front_kernels *kernels = mrwi_raster_front_kernels_for(job->isa);
    geometry->kept.count = 0;
    geometry->runs.count = 0;
    geometry->kept.has_sources = job->visit || mrwi_raster_target_find(job, MRW_TARGET_TRIANGLE);
    const bool blended = mrwi_raster_targets_show_blended(job);
    for (uint32_t i = 0; i < job->draw_count; i++) {
        const mrw_raster_draw *draw = &job->draws[i];
        const bool shown = blended || draw->material->alpha_mode != MRWI_RASTER_BLEND;
        const uint64_t work =
            (uint64_t)draw->vertex_count * 10 + (uint64_t)draw->triangle_count * 5;
        if (shown && (!mrwi_base_work_spend(work) || !collect_draw(geometry, job, kernels, i))) {
            return false;
        }
    }
    return true;
}
