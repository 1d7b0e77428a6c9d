/* aov_resolve.c: the numbers of passes, from the camera and the triangle that is visible at a
 * pixel's centre. The calculation is in double precision, so that only the result is rounded.
 *
 * A row is cut into segments of pixels that show something. For passes that read shares of corners,
 * segments are cut into runs that show one triangle, and the set-up is done once per run. Runs of
 * dense meshes are short, 2 or 3 pixels, and a loop that ends so soon costs as much as its pixels;
 * so passes without set-up go by segments.
 *
 * A depth is where the ray through the centre meets the triangle's plane. The rasterizer has moved
 * corners by up to 1/512 of a pixel, so a centre may lie outside the triangle by as much: depths
 * are clamped to those of the corners. Positions are the point of that depth on the ray, so that
 * one follows from the other.
 *
 * Shares of the corners p, for a ray d in the camera's space, are proportional to the volumes
 * d . (p1 x p2), d . (p2 x p0) and d . (p0 x p1), which are linear in x and y (Moller and Trumbore,
 * "Fast, Minimum Storage Ray/Triangle Intersection", 1997, with the eye in the origin). Parallel
 * rays see the triangle's projection to z = 1. Negative shares are clamped to 0, for the same
 * reason as depths.
 */
#include "frame/aov.h"

#include "base/math.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Pixels x0 ... x1 - 1 of a row that show one triangle. */
typedef struct pixel_run {
    uint32_t x0, x1;
    uint32_t draw; /* index in seen->posed */
    uint32_t triangle;
    const uint32_t *corners; /* its three vertices */
} pixel_run;

/* The plane of a triangle, given by its normal n of any length. The depth along the ray to (x, y)
 * is eye / (forward + y down + x right), or (eye - y down - x right) / forward for parallel rays,
 * clamped to least ... most. */
typedef struct plane {
    int32_t id;                  /* number of the rasterizer's source; MRW_RASTER_NOTHING: none */
    double eye;                  /* n . (corner - eye) */
    double forward, down, right; /* n . the camera's vectors */
    double least, most;          /* depths of the corners */
} plane;

/* Number of cached planes, by the last bits of their sources' numbers: neighbouring triangles have
 * near numbers. */
#define PLANES 512

/* Pixels x0 ... x1 - 1 of a row, all of which show something. */
typedef struct pixel_segment {
    uint32_t x0, x1;
} pixel_segment;

/* The rays of a row. The world point at x pixels right of the axis and depth z is
 * base + x right + z (ray + x turn). For parallel rays turn is 0, else right is 0. */
typedef struct row_rays {
    double down; /* for a depth of 1, in the camera's space */
    double base[3], right[3], ray[3], turn[3];
} row_rays;

/* Numbers per pixel of a row. */
typedef struct row_values {
    double *shares[3]; /* the corners' shares, sum 1; unset where nothing is visible */
    double *depth;     /* along the view */
    double *slant;     /* distance along the ray for a depth of 1; NULL: not wanted */
} row_values;

/* Pixels of a row that show something: segments, and runs for passes that read shares. */
typedef struct row_pieces {
    pixel_segment *segments;
    uint32_t segment_count;
    pixel_run *runs;
    uint32_t run_count;
} row_pieces;

/* A row being resolved; its arrays have as many entries as the row has pixels. */
typedef struct resolve_row {
    const mrwi_frame_resolver *work;
    uint32_t y;
    const int32_t *ids;               /* per pixel: index in sources, or MRW_RASTER_NOTHING */
    const mrw_raster_source *sources; /* the band's */
    row_rays rays;
    row_values values;
    plane *planes;          /* PLANES of them */
    mrwi_frame_pull *pulls; /* room for those of a triangle; NULL: not wanted */
    row_pieces pieces;
} resolve_row;

/* Writes the pixels of a segment. out: the row of the pass. */
typedef void (*segment_filler)(const resolve_row *row, const pixel_segment *segment, void *out);
/* Writes the pixels of a run, and may read shares. index: the pass's. */
typedef void (*run_filler)(const resolve_row *row, const pixel_run *run, uint32_t index, void *out);

struct mrwi_frame_resolver {
    const mrwi_frame_seen *seen;
    const mrw_frame_def *def;
    mrwi_frame_kept_image *kept;  /* one per pass */
    resolve_row *rows;            /* one per worker */
    const float *const **weights; /* per pass that shows some: for each draw, of its vertices */
    bool depths, shares;          /* some pass reads them */
    double right[3], down[3], forward[3]; /* the camera's, in the world; right for one pixel */
    double eye[3];                        /* the camera's origin, in the world */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Computes n with n . d = d . (a x b) for rays d = (x, y, 1). It takes the difference of a and b
 * first, so that what they share cancels before it is multiplied. */
static void edge_volume(const double a[3], const double b[3], double n[3])
{
    const double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    mrwi_base_cross3d(a, along, n);
}

/* Computes the shares of corners for the pixels of a run. */
static void share_pixels(resolve_row *row, const pixel_run *run)
{
    const mrw_intrinsics *camera = &row->work->seen->camera;
    const mrw_raster_draw *draw = &row->work->seen->posed->draws[run->draw];
    double p[3][3], start[3], step[3];
    for (int i = 0; i < 3; i++) {
        mrwi_frame_to_camera(camera, draw->positions + 4 * (size_t)run->corners[i], p[i]);
        p[i][2] = camera->orthographic ? 1.0 : p[i][2];
    }
    for (int i = 0; i < 3; i++) {
        double n[3];
        edge_volume(p[(i + 1) % 3], p[(i + 2) % 3], n);
        start[i] = n[1] * row->rays.down + n[2];
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
        row->values.shares[0][x] = found ? a * scale : 1.0;
        row->values.shares[1][x] = found ? b * scale : 0.0;
        row->values.shares[2][x] = found ? c * scale : 0.0;
    }
}

static void find_plane(const resolve_row *row, int32_t id, plane *out)
{
    const mrwi_frame_resolver *work = row->work;
    const double *m = work->seen->camera.world_to_camera + 8;
    const mrw_raster_source *source = &row->sources[id];
    const mrw_raster_draw *draw = &work->seen->posed->draws[source->draw];
    const uint32_t *corners = draw->indices + 3 * (size_t)source->triangle;
    double p[3][3], u[3], v[3], n[3];
    for (int i = 0; i < 3; i++) {
        const float *corner = draw->positions + 4 * (size_t)corners[i];
        for (int k = 0; k < 3; k++) {
            p[i][k] = (double)corner[k];
        }
        const double z = ((m[0] * p[i][0] + m[1] * p[i][1]) + m[2] * p[i][2]) + m[3];
        out->least = i > 0 && out->least < z ? out->least : z;
        out->most = i > 0 && out->most > z ? out->most : z;
    }
    for (int k = 0; k < 3; k++) {
        u[k] = p[1][k] - p[0][k];
        v[k] = p[2][k] - p[0][k];
        p[0][k] -= work->eye[k];
    }
    mrwi_base_cross3d(u, v, n);
    out->id = id;
    out->eye = mrwi_base_dot3d(n, p[0]);
    out->forward = mrwi_base_dot3d(n, work->forward);
    out->down = mrwi_base_dot3d(n, work->down);
    out->right = mrwi_base_dot3d(n, work->right);
}

static void find_depths(const resolve_row *row, const pixel_segment *segment)
{
    const mrw_intrinsics *camera = &row->work->seen->camera;
    const double middle = camera->k[2], down = row->rays.down;
    const bool parallel = camera->orthographic;
    for (uint32_t x = segment->x0; x < segment->x1; x++) {
        const int32_t id = row->ids[x];
        plane *p = &row->planes[(uint32_t)id % PLANES];
        if (p->id != id) {
            find_plane(row, id, p);
        }
        const double lean = down * p->down + ((double)x + 0.5 - middle) * p->right;
        const double z = parallel ? (p->eye - lean) / p->forward : p->eye / (p->forward + lean);
        const double far_enough = z > p->least ? z : p->least;
        row->values.depth[x] = far_enough < p->most ? far_enough : p->most;
    }
}

/* Returns the first pixel from x on that shows something, or end. */
static uint32_t skip_empty(const int32_t *ids, uint32_t x, uint32_t end)
{
    while (x + 16 <= end) {
        int32_t all = MRW_RASTER_NOTHING; /* has all bits that a number can have */
        for (uint32_t i = 0; i < 16; i++) {
            all &= ids[x + i];
        }
        if (all != MRW_RASTER_NOTHING) {
            break;
        }
        x += 16;
    }
    while (x < end && ids[x] == MRW_RASTER_NOTHING) {
        x++;
    }
    return x;
}

static void find_segments(const mrw_raster_seen *band, resolve_row *row)
{
    const bool touched = band->touch_y0 <= row->y && row->y < band->touch_y1;
    const uint32_t end = touched ? band->x1 : band->x0;
    row->sources = band->sources;
    row->ids = band->ids + (row->y - band->y0) * band->stride;
    row->pieces.segment_count = 0;
    for (uint32_t x = skip_empty(row->ids, band->x0, end); x < end;
         x = skip_empty(row->ids, x, end)) {
        pixel_segment *segment = &row->pieces.segments[row->pieces.segment_count++];
        segment->x0 = x;
        while (x < end && row->ids[x] != MRW_RASTER_NOTHING) {
            x++;
        }
        segment->x1 = x;
    }
}

/* Appends the runs of a segment. */
static void find_runs(resolve_row *row, const pixel_segment *segment)
{
    const mrw_raster_draw *draws = row->work->seen->posed->draws;
    for (uint32_t x = segment->x0; x < segment->x1;) {
        pixel_run *run = &row->pieces.runs[row->pieces.run_count++];
        const int32_t id = row->ids[x];
        const mrw_raster_source *source = &row->sources[id];
        *run = (pixel_run){.x0 = x,
                           .draw = source->draw,
                           .triangle = source->triangle,
                           .corners = draws[source->draw].indices + 3 * (size_t)source->triangle};
        while (x < segment->x1 && row->ids[x] == id) {
            x++;
        }
        run->x1 = x;
    }
}

static void find_rays(const mrwi_frame_resolver *work, uint32_t y, row_rays *out)
{
    const mrw_intrinsics *camera = &work->seen->camera;
    out->down = ((double)y + 0.5 - camera->k[5]) / camera->k[4];
    for (int k = 0; k < 3; k++) {
        const double down = out->down * work->down[k];
        out->base[k] = work->eye[k] + (camera->orthographic ? down : 0.0);
        out->right[k] = camera->orthographic ? work->right[k] : 0.0;
        out->ray[k] = work->forward[k] + (camera->orthographic ? 0.0 : down);
        out->turn[k] = camera->orthographic ? 0.0 : work->right[k];
    }
}

/* Finds the slant of a row's rays; parallel rays have none. */
static void find_slant(const mrwi_frame_resolver *work, const row_rays *rays, double *out)
{
    const mrw_intrinsics *camera = &work->seen->camera;
    const double down = rays->down * rays->down;
    for (uint32_t x = 0; x < work->def->width; x++) {
        const double right = ((double)x + 0.5 - camera->k[2]) / camera->k[0];
        out[x] = camera->orthographic ? 1.0 : sqrt((right * right + down) + 1.0);
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void fill_depth(const resolve_row *row, const pixel_segment *segment, void *out)
{
    for (uint32_t x = segment->x0; x < segment->x1; x++) {
        ((float *)out)[x] = (float)row->values.depth[x];
    }
}

static void fill_distance(const resolve_row *row, const pixel_segment *segment, void *out)
{
    for (uint32_t x = segment->x0; x < segment->x1; x++) {
        ((float *)out)[x] = (float)(row->values.depth[x] * row->values.slant[x]);
    }
}

static void fill_position(const resolve_row *row, const pixel_segment *segment, void *out)
{
    const double middle = row->work->seen->camera.k[2];
    float *position = (float *)out + 3 * (size_t)segment->x0;
    double base[3], along[3], ray[3], turn[3];
    memcpy(base, row->rays.base, sizeof base); /* no store may change them */
    memcpy(along, row->rays.right, sizeof along);
    memcpy(ray, row->rays.ray, sizeof ray);
    memcpy(turn, row->rays.turn, sizeof turn);
    for (uint32_t x = segment->x0; x < segment->x1; x++, position += 3) {
        const double right = (double)x + 0.5 - middle, z = row->values.depth[x];
        position[0] = (float)((base[0] + right * along[0]) + z * (ray[0] + right * turn[0]));
        position[1] = (float)((base[1] + right * along[1]) + z * (ray[1] + right * turn[1]));
        position[2] = (float)((base[2] + right * along[2]) + z * (ray[2] + right * turn[2]));
    }
}

static void fill_barycentric(const resolve_row *row, const pixel_run *run, uint32_t index,
                             void *out)
{
    (void)index;
    for (uint32_t x = run->x0; x < run->x1; x++) {
        for (size_t k = 0; k < 3; k++) {
            ((float *)out)[3 * (size_t)x + k] = (float)row->values.shares[k][x];
        }
    }
}

static void fill_id(const resolve_row *row, const pixel_segment *segment, void *out)
{
    const uint32_t *ids = row->work->def->ids;
    for (uint32_t x = segment->x0; x < segment->x1; x++) {
        const uint32_t draw = row->sources[row->ids[x]].draw;
        ((uint32_t *)out)[x] = ids ? ids[draw] : draw + 1;
    }
}

static void fill_triangle(const resolve_row *row, const pixel_segment *segment, void *out)
{
    for (uint32_t x = segment->x0; x < segment->x1; x++) {
        ((uint32_t *)out)[x] = row->sources[row->ids[x]].triangle + 1;
    }
}

static void fill_material(const resolve_row *row, const pixel_segment *segment, void *out)
{
    const mrwi_frame_aov_draw *draws = row->work->seen->draws;
    for (uint32_t x = segment->x0; x < segment->x1; x++) {
        ((uint32_t *)out)[x] = draws[row->sources[row->ids[x]].draw].material;
    }
}

/* Returns the mean of the corners' values, weighted by their shares at pixel x. */
static inline double mean_at(const resolve_row *row, uint32_t x, const double value[3])
{
    return (row->values.shares[0][x] * value[0] + row->values.shares[1][x] * value[1]) +
           row->values.shares[2][x] * value[2];
}

/* Writes means of `count` floats per vertex. */
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

static void fill_flow(const resolve_row *row, const pixel_run *run, uint32_t index, void *out)
{
    const mrwi_frame_seen *seen = row->work->seen;
    const bool forward = row->work->def->aovs[index].aov == MRW_AOV_FLOW_FORWARD;
    mrwi_frame_flow(forward ? seen->next : seen->last,
                    &(mrwi_frame_span){run->x0, run->x1, row->y, run->draw, run->triangle},
                    (const double *const *)row->values.shares, out);
}

/* Writes the node with the largest weight; the lowest node wins among equals. */
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

static const struct {
    segment_filler segment;
    bool depths; /* it reads depths */
    run_filler run;
} fillers[MRW_AOV_COUNT] = {
    [MRW_AOV_DEPTH] = {fill_depth, true, NULL},
    [MRW_AOV_DISTANCE] = {fill_distance, true, NULL},
    [MRW_AOV_POSITION] = {fill_position, true, NULL},
    [MRW_AOV_ID] = {fill_id, false, NULL},
    [MRW_AOV_MATERIAL] = {fill_material, false, NULL},
    [MRW_AOV_TRIANGLE] = {fill_triangle, false, NULL},
    [MRW_AOV_BARYCENTRIC] = {.run = fill_barycentric},
    [MRW_AOV_UV] = {.run = fill_uv},
    [MRW_AOV_JOINT] = {.run = fill_joint},
    [MRW_AOV_WEIGHTS] = {.run = fill_weights},
    [MRW_AOV_FLOW_FORWARD] = {.run = fill_flow},
    [MRW_AOV_FLOW_BACKWARD] = {.run = fill_flow},
};

static bool is_filled(mrw_aov aov)
{
    return fillers[aov].run || fillers[aov].segment;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Clears pixels x0 ... x1 - 1 to the value without a surface. */
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

/* Clears pixels between the segments that the last frame wrote. */
static void clear_gaps(const resolve_row *row, uint32_t index, void *out)
{
    const mrw_aov aov = row->work->def->aovs[index].aov;
    const mrw_image *image = &row->work->kept[index].image;
    const mrw_shadow_span before = row->work->kept[index].spans[row->y / MRW_SHADOW_SPAN_ROWS];
    uint32_t x = (uint32_t)(before.x0 > 0 ? before.x0 : 0);
    const uint32_t end = before.x1 < (int32_t)image->width ? (uint32_t)before.x1 : image->width;
    if (before.x0 >= before.x1) {
        return;
    }
    for (uint32_t i = 0; i < row->pieces.segment_count; i++) {
        const uint32_t gap = row->pieces.segments[i].x0 < end ? row->pieces.segments[i].x0 : end;
        if (x < gap) {
            clear_pixels(aov, image, x, gap, out);
        }
        x = row->pieces.segments[i].x1;
    }
    if (x < end) {
        clear_pixels(aov, image, x, end, out);
    }
}

static void fill_row(const resolve_row *row, uint32_t index)
{
    const mrw_aov aov = row->work->def->aovs[index].aov;
    const mrw_image *image = &row->work->kept[index].image;
    const size_t pitch = (size_t)image->width * image->channels * mrw_format_size(image->format);
    uint8_t *out = image->pixels + row->y * pitch;
    clear_gaps(row, index, out);
    for (uint32_t i = 0; i < row->pieces.segment_count && fillers[aov].segment; i++) {
        fillers[aov].segment(row, &row->pieces.segments[i], out);
    }
    for (uint32_t i = 0; i < row->pieces.run_count && fillers[aov].run; i++) {
        fillers[aov].run(row, &row->pieces.runs[i], index, out);
    }
}

static void resolve_row_of(const mrw_raster_seen *band, resolve_row *row)
{
    const mrwi_frame_resolver *work = row->work;
    find_segments(band, row);
    find_rays(work, row->y, &row->rays);
    row->pieces.run_count = 0;
    for (uint32_t i = 0; i < row->pieces.segment_count; i++) {
        if (work->depths) {
            find_depths(row, &row->pieces.segments[i]);
        }
        if (work->shares) {
            find_runs(row, &row->pieces.segments[i]);
        }
    }
    for (uint32_t i = 0; i < row->pieces.run_count; i++) {
        share_pixels(row, &row->pieces.runs[i]);
    }
    if (row->values.slant && row->pieces.segment_count > 0) {
        find_slant(work, &row->rays, row->values.slant);
    }
    for (uint32_t i = 0; i < work->def->aov_count; i++) {
        if (is_filled(work->def->aovs[i].aov)) {
            fill_row(row, i);
        }
    }
}

/* Notes the pixels of these rows that the next frame must clear, in all filled images. Bands hold
 * whole spans, because nothing drawn for passes is transparent. */
static void note_span(const mrwi_frame_resolver *work, uint32_t y, mrw_shadow_span span)
{
    for (uint32_t i = 0; i < work->def->aov_count; i++) {
        if (is_filled(work->def->aovs[i].aov)) {
            work->kept[i].spans[y / MRW_SHADOW_SPAN_ROWS] = span;
        }
    }
}

void mrwi_frame_resolve_band(void *user, int worker, const mrw_raster_seen *band)
{
    const mrwi_frame_resolver *work = user;
    resolve_row *row = &work->rows[worker];
    mrw_shadow_span span = {INT32_MAX, 0};
    for (row->y = band->y0; row->y < band->y1; row->y++) {
        resolve_row_of(band, row);
        if (row->pieces.segment_count > 0) {
            const int32_t x0 = (int32_t)row->pieces.segments[0].x0;
            const int32_t x1 = (int32_t)row->pieces.segments[row->pieces.segment_count - 1].x1;
            span.x0 = x0 < span.x0 ? x0 : span.x0;
            span.x1 = x1 > span.x1 ? x1 : span.x1;
        }
        if ((row->y + 1) % MRW_SHADOW_SPAN_ROWS == 0 || row->y + 1 == band->y1) {
            note_span(work, row->y, span);
            span = (mrw_shadow_span){INT32_MAX, 0};
        }
    }
}

/* Inverts the camera's matrix by cofactors. It was rounded to floats, so its transpose would not
 * lead points back to where they came from. */
static void turn_back(const mrw_intrinsics *camera, mrwi_frame_resolver *out)
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
        out->right[k] /= camera->k[0];
    }
}

static bool prepare_row(mrwi_base_arena *arena, const mrwi_frame_resolver *work, resolve_row *row)
{
    const uint32_t width = work->def->width;
    const bool slants = mrwi_frame_wants_aov(work->def, MRW_AOV_DISTANCE);
    const bool pulls = mrwi_frame_wants_aov(work->def, MRW_AOV_JOINT);
    double *shares = mrwi_base_arena_alloc(arena, width, 5 * sizeof *shares);
    *row = (resolve_row){
        .work = work,
        .planes = mrwi_base_arena_alloc(arena, PLANES, sizeof *row->planes),
        .pieces.runs = mrwi_base_arena_alloc(arena, width, sizeof *row->pieces.runs),
        .pieces.segments = mrwi_base_arena_alloc(arena, width, sizeof *row->pieces.segments)};
    if (pulls) {
        const size_t most = mrwi_frame_most_pulls(work->seen->posed);
        row->pulls = mrwi_base_arena_alloc(arena, most + 1, sizeof *row->pulls);
    }
    if (!shares || !row->planes || !row->pieces.runs || !row->pieces.segments ||
        (pulls && !row->pulls)) {
        return false;
    }
    for (size_t i = 0; i < PLANES; i++) {
        row->planes[i].id = MRW_RASTER_NOTHING;
    }
    for (size_t k = 0; k < 3; k++) {
        row->values.shares[k] = shares + k * width;
    }
    row->values.depth = shares + 3 * (size_t)width;
    row->values.slant = slants ? shares + 4 * (size_t)width : NULL;
    return true;
}

bool mrwi_frame_resolves_aovs(const mrw_frame_def *def)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        if (is_filled(def->aovs[i].aov)) {
            return true;
        }
    }
    return false;
}

mrwi_frame_resolver *mrwi_frame_prepare_resolver(mrwi_base_arena *arena,
                                                 mrwi_frame_kept_image *kept,
                                                 const mrwi_frame_seen *seen,
                                                 const mrw_frame_def *def, int threads)
{
    mrwi_frame_resolver *work = mrwi_base_arena_alloc(arena, 1, sizeof *work);
    if (!work) {
        return NULL;
    }
    *work = (mrwi_frame_resolver){
        .seen = seen,
        .def = def,
        .kept = kept,
        .rows = mrwi_base_arena_alloc(arena, (size_t)threads, sizeof *work->rows),
        .weights = mrwi_base_arena_alloc(arena, def->aov_count, sizeof *work->weights)};
    if (!work->rows || !work->weights) {
        return NULL;
    }
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov aov = def->aovs[i].aov;
        work->depths = work->depths || fillers[aov].depths;
        work->shares = work->shares || fillers[aov].run;
        if (aov == MRW_AOV_WEIGHTS) {
            work->weights[i] = mrwi_frame_weigh(arena, seen, def->aovs[i].joint);
            if (!work->weights[i]) {
                return NULL;
            }
        }
    }
    turn_back(&seen->camera, work);
    for (int i = 0; i < threads; i++) {
        if (!prepare_row(arena, work, &work->rows[i])) {
            return NULL;
        }
    }
    return work;
}
