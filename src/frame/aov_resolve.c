/* aov_resolve.c: the numbers of passes, from the triangle that is seen at a pixel's centre and the
 * camera: where the ray through the centre meets the triangle's plane. In double precision, so that
 * what is rounded is the result alone.
 *
 * A row is cut into runs of pixels that show one triangle. For each the set-up is done once: with
 * corners p and a ray d, both in the camera's space, the shares of the corners are as the volumes
 * d . (p1 x p2), d . (p2 x p0) and d . (p0 x p1), which are linear in x and y (Moller and Trumbore,
 * "Fast, Minimum Storage Ray/Triangle Intersection", 1997, with the eye in the origin); rays that
 * are parallel see the triangle's shadow, where z is 1. The rasterizer has moved corners by up to
 * 1/512 of a pixel, so that a centre may lie outside by as much: what is negative is 0 then.
 * Positions are those of the depth on the ray, so that one follows from the other.
 */
#include "frame/aov.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ROWS_A_TASK 8

/* Pixels x0 ... x1 - 1 of a row that show one triangle. */
typedef struct pixel_run {
    uint32_t x0, x1;
    uint32_t draw; /* of seen->posed; */
    uint32_t triangle;
    const uint32_t *corners; /* its vertices */
} pixel_run;

/* A row at work; arrays of as many entries as it has pixels. */
typedef struct resolve_row {
    const struct resolve_work *work;
    double *shares[3];      /* of the corners, 1 in all; unset where nothing is seen */
    double *depth;          /* along the view */
    double *slant;          /* of the rays: distances for a depth of 1; NULL: not wanted */
    mrwi_frame_pull *pulls; /* room for those of a triangle; NULL: not wanted */
    pixel_run *runs;
    uint32_t run_count;
    uint32_t y;
} resolve_row;

/* Writes the pixels of a run. index: of the pass; out: the row's. */
typedef void (*run_filler)(const resolve_row *row, const pixel_run *run, uint32_t index, void *out);

typedef struct resolve_work {
    const mrwi_frame_seen *seen;
    const mrw_frame_def *def;
    mrw_image *images;
    resolve_row *rows;            /* one a worker */
    const float *const **weights; /* of each pass that shows some: for each draw, of its vertices */
    double right[3], down[3], forward[3]; /* of the camera, in the world, */
    double eye[3];                        /* and its origin */
} resolve_work;

static const mrw_raster_draw *draw_of(const resolve_row *row, const pixel_run *run)
{
    return &row->work->seen->posed->draws[run->draw];
}

/* ---- set-up ---------------------------------------------------------------------------------- */

void mrwi_frame_to_camera(const mrw_intrinsics *camera, const float *position, double out[3])
{
    const double *m = camera->world_to_camera;
    const double x = (double)position[0], y = (double)position[1], z = (double)position[2];
    for (int i = 0; i < 3; i++) {
        out[i] = ((m[4 * i] * x + m[4 * i + 1] * y) + m[4 * i + 2] * z) + m[4 * i + 3];
    }
}

/* d . (a x b) of rays d = (x, y, 1), as n . d. b is taken from a: what they share is cancelled
 * before it is multiplied. */
static void edge_volume(const double a[3], const double b[3], double n[3])
{
    const double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    mrwi_base_cross3d(a, along, n);
}

static void share_pixels(resolve_row *row, pixel_run *run)
{
    const mrw_intrinsics *camera = &row->work->seen->camera;
    const mrw_raster_draw *draw = draw_of(row, run);
    const double y = ((double)row->y + 0.5 - camera->k[5]) / camera->k[4];
    double p[3][3], z[3], start[3], step[3];
    run->corners = draw->indices + 3 * (size_t)run->triangle;
    for (int i = 0; i < 3; i++) {
        mrwi_frame_to_camera(camera, draw->positions + 4 * (size_t)run->corners[i], p[i]);
        z[i] = p[i][2];
        p[i][2] = camera->orthographic ? 1.0 : p[i][2];
    }
    for (int i = 0; i < 3; i++) {
        double n[3];
        edge_volume(p[(i + 1) % 3], p[(i + 2) % 3], n);
        start[i] = n[1] * y + n[2];
        step[i] = n[0] / camera->k[0];
    }
    for (uint32_t x = run->x0; x < run->x1; x++) {
        const double right = (double)x + 0.5 - camera->k[2];
        const double v[3] = {start[0] + step[0] * right, start[1] + step[1] * right,
                             start[2] + step[2] * right};
        const double inverse = 1.0 / ((v[0] + v[1]) + v[2]);
        double a = v[0] * inverse, b = v[1] * inverse, c = v[2] * inverse;
        a = a > 0.0 ? a : 0.0;
        b = b > 0.0 ? b : 0.0;
        c = c > 0.0 ? c : 0.0;
        const double sum = (a + b) + c;
        const bool found = sum > 0.0 && sum < 1e300; /* else it is seen edge on */
        const double scale = found ? 1.0 / sum : 0.0;
        a = found ? a * scale : 1.0;
        b *= scale;
        c *= scale;
        row->shares[0][x] = a;
        row->shares[1][x] = b;
        row->shares[2][x] = c;
        row->depth[x] = (a * z[0] + b * z[1]) + c * z[2];
    }
}

static void find_runs(resolve_row *row)
{
    const mrwi_frame_seen *seen = row->work->seen;
    const uint32_t width = seen->ids.width;
    const uint32_t *ids = (const uint32_t *)seen->ids.pixels + (size_t)row->y * width;
    const uint32_t *triangles = (const uint32_t *)seen->triangles.pixels + (size_t)row->y * width;
    row->run_count = 0;
    for (uint32_t x = 0; x < width;) {
        if (ids[x] == 0) {
            x++;
            continue;
        }
        pixel_run *run = &row->runs[row->run_count++];
        *run = (pixel_run){.x0 = x, .draw = ids[x] - 1, .triangle = triangles[x]};
        while (x < width && ids[x] == run->draw + 1 && triangles[x] == run->triangle) {
            x++;
        }
        run->x1 = x;
        share_pixels(row, run);
    }
}

/* Of rays through a row's pixels; those of parallel projections have no slant. */
static void find_slant(resolve_row *row)
{
    const mrw_intrinsics *camera = &row->work->seen->camera;
    const double y = ((double)row->y + 0.5 - camera->k[5]) / camera->k[4];
    for (uint32_t x = 0; x < row->work->seen->ids.width; x++) {
        const double right = ((double)x + 0.5 - camera->k[2]) / camera->k[0];
        row->slant[x] = camera->orthographic ? 1.0 : sqrt((right * right + y * y) + 1.0);
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void fill_depth(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    (void)index;
    for (uint32_t x = run->x0; x < run->x1; x++) {
        ((float *)out)[x] = (float)row->depth[x];
    }
}

static void fill_distance(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    (void)index;
    for (uint32_t x = run->x0; x < run->x1; x++) {
        ((float *)out)[x] = (float)(row->depth[x] * row->slant[x]);
    }
}

/* The eye and the ray, or of parallel ones where they start and the view. */
static void fill_position(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    const resolve_work *work = row->work;
    const mrw_intrinsics *camera = &work->seen->camera;
    const bool parallel = camera->orthographic;
    const double y = ((double)row->y + 0.5 - camera->k[5]) / camera->k[4];
    (void)index;
    for (uint32_t x = run->x0; x < run->x1; x++) {
        const double z = row->depth[x], w = parallel ? 1.0 : z;
        const double right = ((double)x + 0.5 - camera->k[2]) / camera->k[0] * w, down = y * w;
        for (size_t k = 0; k < 3; k++) {
            ((float *)out)[3 * (size_t)x + k] =
                (float)(work->eye[k] +
                        ((right * work->right[k] + down * work->down[k]) + z * work->forward[k]));
        }
    }
}

static void fill_barycentric(const resolve_row *row, const pixel_run *run, uint32_t index,
                             void *out)
{
    (void)index;
    for (uint32_t x = run->x0; x < run->x1; x++) {
        for (size_t k = 0; k < 3; k++) {
            ((float *)out)[3 * (size_t)x + k] = (float)row->shares[k][x];
        }
    }
}

static void fill_number(const pixel_run *run, uint32_t number, uint32_t *out)
{
    for (uint32_t x = run->x0; x < run->x1; x++) {
        out[x] = number;
    }
}

static void fill_id(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    const uint32_t *ids = row->work->def->ids;
    (void)index;
    fill_number(run, ids ? ids[run->draw] : run->draw + 1, out);
}

static void fill_triangle(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    (void)row, (void)index;
    fill_number(run, run->triangle + 1, out);
}

/* The mean of the corners' values by their shares at pixel x. */
static inline double mean_at(const resolve_row *row, uint32_t x, const double value[3])
{
    return (row->shares[0][x] * value[0] + row->shares[1][x] * value[1]) +
           row->shares[2][x] * value[2];
}

/* Means of `count` floats of a vertex. */
static void fill_means(const resolve_row *row, const pixel_run *run, const float *values,
                       uint32_t count, float *out)
{
    for (uint32_t k = 0; k < count; k++) {
        double value[3];
        for (int i = 0; i < 3; i++) {
            value[i] = (double)values[(size_t)run->corners[i] * count + k];
        }
        for (uint32_t x = run->x0; x < run->x1; x++) {
            out[(size_t)x * count + k] = (float)mean_at(row, x, value);
        }
    }
}

static void fill_uv(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    const mrwi_frame_aov_draw *draw = &row->work->seen->draws[run->draw];
    const mrw_scene *scene = draw->pose->scene;
    const uint32_t uvs = scene->meshes[scene->draws[draw->draw].mesh].uv[0];
    (void)index;
    if (uvs == MRW_NONE) {
        memset((float *)out + 2 * (size_t)run->x0, 0, (run->x1 - run->x0) * 2 * sizeof(float));
        return;
    }
    fill_means(row, run, scene->uvs + (size_t)uvs * 2, 2, out);
}

static void fill_weights(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    fill_means(row, run, row->work->weights[index][run->draw], 1, out);
}

static void fill_material(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    (void)index;
    fill_number(run, row->work->seen->draws[run->draw].material, out);
}

static void fill_flow(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    const mrwi_frame_seen *seen = row->work->seen;
    const bool forward = row->work->def->aovs[index].aov == MRW_AOV_FLOW_FORWARD;
    mrwi_frame_flow(forward ? seen->next : seen->last,
                    &(mrwi_frame_span){run->x0, run->x1, row->y, run->draw, run->triangle},
                    (const double *const *)row->shares, out);
}

/* Of equal weights the lowest node's. */
static void fill_joint(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    const uint32_t count =
        mrwi_frame_find_pulls(&row->work->seen->draws[run->draw], run->corners, row->pulls);
    (void)index;
    for (uint32_t x = run->x0; x < run->x1; x++) {
        uint32_t number = 0;
        double most = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            const double weight = mean_at(row, x, row->pulls[i].weight);
            number = weight > most ? row->pulls[i].node + 1 : number;
            most = weight > most ? weight : most;
        }
        ((uint32_t *)out)[x] = number;
    }
}

static const run_filler fillers[MRW_AOV_COUNT] = {[MRW_AOV_DEPTH] = fill_depth,
                                                  [MRW_AOV_DISTANCE] = fill_distance,
                                                  [MRW_AOV_POSITION] = fill_position,
                                                  [MRW_AOV_ID] = fill_id,
                                                  [MRW_AOV_TRIANGLE] = fill_triangle,
                                                  [MRW_AOV_BARYCENTRIC] = fill_barycentric,
                                                  [MRW_AOV_UV] = fill_uv,
                                                  [MRW_AOV_MATERIAL] = fill_material,
                                                  [MRW_AOV_JOINT] = fill_joint,
                                                  [MRW_AOV_WEIGHTS] = fill_weights,
                                                  [MRW_AOV_FLOW_FORWARD] = fill_flow,
                                                  [MRW_AOV_FLOW_BACKWARD] = fill_flow};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Pixels x0 ... x1 - 1, where nothing is. */
static void clear_pixels(mrw_aov aov, const mrw_image *image, uint32_t x0, uint32_t x1, void *out)
{
    if (aov == MRW_AOV_DEPTH || aov == MRW_AOV_DISTANCE) {
        for (uint32_t x = x0; x < x1; x++) {
            ((float *)out)[x] = INFINITY;
        }
        return;
    }
    const size_t pixel = image->channels * mrw_format_size(image->format);
    memset((uint8_t *)out + x0 * pixel, 0, (x1 - x0) * pixel);
}

static void fill_row(const resolve_row *row, uint32_t index)
{
    const mrw_aov aov = row->work->def->aovs[index].aov;
    const mrw_image *image = &row->work->images[index];
    const size_t pitch = (size_t)image->width * image->channels * mrw_format_size(image->format);
    uint8_t *out = image->pixels + row->y * pitch;
    uint32_t x = 0;
    for (uint32_t i = 0; i < row->run_count; i++) {
        const pixel_run *run = &row->runs[i];
        clear_pixels(aov, image, x, run->x0, out);
        fillers[aov](row, run, index, out);
        x = run->x1;
    }
    clear_pixels(aov, image, x, image->width, out);
}

/* mrwi_base_parallel_body */
static void resolve_rows(void *user, int64_t index, int worker)
{
    const resolve_work *work = user;
    resolve_row *row = &work->rows[worker];
    const uint32_t first = (uint32_t)index * ROWS_A_TASK, height = work->def->height;
    const uint32_t end = first + ROWS_A_TASK < height ? first + ROWS_A_TASK : height;
    for (row->y = first; row->y < end; row->y++) {
        find_runs(row);
        if (row->slant) {
            find_slant(row);
        }
        for (uint32_t i = 0; i < work->def->aov_count; i++) {
            if (fillers[work->def->aovs[i].aov]) {
                fill_row(row, i);
            }
        }
    }
}

/* The way back from the camera's space, by cofactors: the matrix has been rounded to floats, and
 * points should come out where they went in. */
static void turn_back(const mrw_intrinsics *camera, resolve_work *out)
{
    double rows[3][3], back[3][3];
    for (int r = 0; r < 3; r++) {
        memcpy(rows[r], camera->world_to_camera + 4 * r, sizeof rows[r]);
    }
    for (int r = 0; r < 3; r++) {
        mrwi_base_cross3d(rows[(r + 1) % 3], rows[(r + 2) % 3], back[r]);
    }
    const double determinant = mrwi_base_dot3d(rows[0], back[0]);
    const double *m = camera->world_to_camera;
    for (int k = 0; k < 3; k++) {
        out->right[k] = back[0][k] / determinant;
        out->down[k] = back[1][k] / determinant;
        out->forward[k] = back[2][k] / determinant;
        out->eye[k] = -((out->right[k] * m[3] + out->down[k] * m[7]) + out->forward[k] * m[11]);
    }
}

static bool prepare_row(mrwi_base_arena *arena, const resolve_work *work, resolve_row *row)
{
    const uint32_t width = work->def->width;
    const bool slants = mrwi_frame_wants_aov(work->def, MRW_AOV_DISTANCE);
    const bool pulls = mrwi_frame_wants_aov(work->def, MRW_AOV_JOINT);
    double *shares = mrwi_base_arena_alloc(arena, width, 5 * sizeof *shares);
    *row =
        (resolve_row){.work = work, .runs = mrwi_base_arena_alloc(arena, width, sizeof *row->runs)};
    if (pulls) {
        const size_t most = mrwi_frame_most_pulls(work->seen->posed);
        row->pulls = mrwi_base_arena_alloc(arena, most + 1, sizeof *row->pulls);
    }
    if (!shares || !row->runs || (pulls && !row->pulls)) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        row->shares[k] = shares + k * width;
    }
    row->depth = shares + 3 * (size_t)width;
    row->slant = slants ? shares + 4 * (size_t)width : NULL;
    return true;
}

static bool find_weights(mrwi_base_arena *arena, resolve_work *work)
{
    const mrw_frame_def *def = work->def;
    bool found = work->weights;
    for (uint32_t i = 0; i < def->aov_count && found; i++) {
        if (def->aovs[i].aov == MRW_AOV_WEIGHTS) {
            work->weights[i] = mrwi_frame_weigh(arena, work->seen, def->aovs[i].joint);
            found = work->weights[i];
        }
    }
    return found;
}

bool mrwi_frame_resolve_aovs(mrwi_base_arena *arena, const mrwi_frame_seen *seen,
                             const mrw_frame_def *def, int threads, mrw_image *images)
{
    resolve_work work = {.seen = seen,
                         .def = def,
                         .images = images,
                         .rows = mrwi_base_arena_alloc(arena, (size_t)threads, sizeof *work.rows),
                         .weights =
                             mrwi_base_arena_alloc(arena, def->aov_count, sizeof *work.weights)};
    bool ready = work.rows && find_weights(arena, &work);
    turn_back(&seen->camera, &work);
    for (int i = 0; i < threads && ready; i++) {
        ready = prepare_row(arena, &work, &work.rows[i]);
    }
    if (ready) {
        mrwi_base_parallel_for(threads, (def->height + ROWS_A_TASK - 1) / ROWS_A_TASK, resolve_rows,
                               &work);
    }
    return ready;
}
