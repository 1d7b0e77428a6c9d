/* occlusion.c: ambient occlusion of a picture, from its depths; occlusion.h describes the method.
 */
#include "shade/occlusion.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <string.h>

#define LEFT MRWI_SHADE_OCCLUSION_LEFT
#define ROWS MRWI_SHADE_OCCLUSION_ROWS

const float mrwi_shade_occlusion_cosine[4][16] = {
    {1.0f, 0.0f, 0.923879533f, -0.382683432f, 1.0f, 0.0f, 0.923879533f, -0.382683432f, 1.0f, 0.0f,
     0.923879533f, -0.382683432f, 1.0f, 0.0f, 0.923879533f, -0.382683432f},
    {-0.707106781f, 0.707106781f, -0.923879533f, 0.382683432f, -0.707106781f, 0.707106781f,
     -0.923879533f, 0.382683432f, -0.707106781f, 0.707106781f, -0.923879533f, 0.382683432f,
     -0.707106781f, 0.707106781f, -0.923879533f, 0.382683432f},
    {0.831469612f, -0.555570233f, 0.98078528f, -0.195090322f, 0.831469612f, -0.555570233f,
     0.98078528f, -0.195090322f, 0.831469612f, -0.555570233f, 0.98078528f, -0.195090322f,
     0.831469612f, -0.555570233f, 0.98078528f, -0.195090322f},
    {-0.98078528f, 0.195090322f, -0.831469612f, 0.555570233f, -0.98078528f, 0.195090322f,
     -0.831469612f, 0.555570233f, -0.98078528f, 0.195090322f, -0.831469612f, 0.555570233f,
     -0.98078528f, 0.195090322f, -0.831469612f, 0.555570233f},
};

const float mrwi_shade_occlusion_sine[4][16] = {
    {0.0f, 1.0f, 0.382683432f, 0.923879533f, 0.0f, 1.0f, 0.382683432f, 0.923879533f, 0.0f, 1.0f,
     0.382683432f, 0.923879533f, 0.0f, 1.0f, 0.382683432f, 0.923879533f},
    {0.707106781f, 0.707106781f, 0.382683432f, 0.923879533f, 0.707106781f, 0.707106781f,
     0.382683432f, 0.923879533f, 0.707106781f, 0.707106781f, 0.382683432f, 0.923879533f,
     0.707106781f, 0.707106781f, 0.382683432f, 0.923879533f},
    {0.555570233f, 0.831469612f, 0.195090322f, 0.98078528f, 0.555570233f, 0.831469612f,
     0.195090322f, 0.98078528f, 0.555570233f, 0.831469612f, 0.195090322f, 0.98078528f, 0.555570233f,
     0.831469612f, 0.195090322f, 0.98078528f},
    {0.195090322f, 0.98078528f, 0.555570233f, 0.831469612f, 0.195090322f, 0.98078528f, 0.555570233f,
     0.831469612f, 0.195090322f, 0.98078528f, 0.555570233f, 0.831469612f, 0.195090322f, 0.98078528f,
     0.555570233f, 0.831469612f},
};

const float mrwi_shade_occlusion_jitter[4][16] = {
    {0.40625f, 0.65625f, 0.96875f, 0.21875f, 0.40625f, 0.65625f, 0.96875f, 0.21875f, 0.40625f,
     0.65625f, 0.96875f, 0.21875f, 0.40625f, 0.65625f, 0.96875f, 0.21875f},
    {0.90625f, 0.15625f, 0.46875f, 0.71875f, 0.90625f, 0.15625f, 0.46875f, 0.71875f, 0.90625f,
     0.15625f, 0.46875f, 0.71875f, 0.90625f, 0.15625f, 0.46875f, 0.71875f},
    {0.53125f, 0.78125f, 0.84375f, 0.09375f, 0.53125f, 0.78125f, 0.84375f, 0.09375f, 0.53125f,
     0.78125f, 0.84375f, 0.09375f, 0.53125f, 0.78125f, 0.84375f, 0.09375f},
    {0.03125f, 0.28125f, 0.34375f, 0.59375f, 0.03125f, 0.28125f, 0.34375f, 0.59375f, 0.03125f,
     0.28125f, 0.34375f, 0.59375f, 0.03125f, 0.28125f, 0.34375f, 0.59375f},
};

const mrwi_shade_occlusion_kernels *mrwi_shade_occlusion_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_shade_occlusion_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_shade_occlusion_kernels_sse2),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_shade_occlusion_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_shade_occlusion_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_shade_occlusion_kernels_neon),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Outside the spans, z is 1, depth is NO_DEPTH, and all other values are any numbers from 0 to 1.
 */
struct mrw_occlusion {
    uint32_t width, height;
    float *grids;                  /* z, depth, visibility, raw */
    mrw_shadow_span *spans, *last; /* spans of the current picture, and of the one before */
    mrw_target target;
};

enum { Z, DEPTH, VISIBILITY, RAW, GRIDS };

/* Returns the stride of a row. Rows are whole cache lines, and lanes may reach beyond the picture.
 */
static size_t stride_of(uint32_t width)
{
    return LEFT + ((size_t)width + 2 + 31) / 16 * 16;
}

static size_t grid_floats(uint32_t width, uint32_t height)
{
    return stride_of(width) * ((size_t)height + 2 * ROWS);
}

static size_t span_count(const mrw_occlusion *o)
{
    return (o->height + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
}

/* Returns the address of pixel (0, 0) of a grid. */
static float *origin_of(const mrw_occlusion *o, int grid)
{
    return o->grids + (size_t)grid * grid_floats(o->width, o->height) + ROWS * stride_of(o->width) +
           LEFT;
}

static void drop_memory(mrw_occlusion *o)
{
    mrwi_base_free(o->grids);
    mrwi_base_free(o->spans);
    mrwi_base_free(o->last);
    *o = (mrw_occlusion){0};
}

mrw_status mrw_occlusion_create(mrw_occlusion **out, mrw_error *error)
{
    *out = mrwi_base_alloc_zero(1, sizeof **out);
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof **out);
}

void mrw_occlusion_free(mrw_occlusion *o)
{
    if (o) {
        drop_memory(o);
    }
    mrwi_base_free(o);
}

static mrw_status make_room(mrw_occlusion *o, uint32_t width, uint32_t height, mrw_error *error)
{
    const size_t floats = grid_floats(width, height);
    if (o->width == width && o->height == height) {
        return MRW_OK;
    }
    drop_memory(o);
    o->width = width;
    o->height = height;
    o->grids = mrwi_base_alloc_zero(GRIDS * floats, sizeof *o->grids);
    o->spans = mrwi_base_alloc(span_count(o), sizeof *o->spans);
    o->last = mrwi_base_alloc(span_count(o), sizeof *o->last);
    if (!o->grids || !o->spans || !o->last) {
        drop_memory(o);
        return mrwi_base_fail_memory(error, GRIDS * floats * sizeof *o->grids);
    }
    for (size_t i = 0; i < floats; i++) {
        o->grids[Z * floats + i] = 1.0f;
        o->grids[DEPTH * floats + i] = MRWI_SHADE_OCCLUSION_NO_DEPTH;
    }
    for (size_t i = 0; i < span_count(o); i++) {
        o->spans[i] = (mrw_shadow_span){INT32_MAX, 0};
    }
    o->target = (mrw_target){MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, origin_of(o, Z),
                             stride_of(width) * sizeof(float)};
    return MRW_OK;
}

mrw_status mrw_occlusion_begin(mrw_occlusion *o, mrw_raster_job *depths, mrw_error *error)
{
    const mrw_status status = make_room(o, depths->width, depths->height, error);
    if (status) {
        return status;
    }
    memcpy(o->last, o->spans, span_count(o) * sizeof *o->last);
    depths->samples = 1;
    depths->targets = &o->target;
    depths->target_count = 1;
    depths->depth_spans = o->spans;
    return MRW_OK;
}

/* ---- spaces ---------------------------------------------------------------------------------- */

/* Reads a row of a matrix: three factors and a constant. */
static void row_of(const mrw_mat4 *m, int row, double out[4])
{
    for (int c = 0; c < 4; c++) {
        out[c] = (double)m->m[4 * c + row];
    }
}

static double length_of(const double v[3])
{
    return sqrt(mrwi_base_dot3d(v, v));
}

/* Finds how clip coordinates grow across the axis `forward` and along it, with the depth. */
static void split(const double row[4], const double forward[3], double *across, double *along)
{
    double rest[3];
    *along = mrwi_base_dot3d(row, forward);
    for (int i = 0; i < 3; i++) {
        rest[i] = row[i] - *along * forward[i];
    }
    *across = length_of(rest);
}

/* Finds where pixels lie in the view's space, in radii; in perspective views times the depth. */
static void set_lattice(const mrw_raster_job *job, double radius, const double forward[3],
                        double unit, mrwi_shade_occlusion_view *view)
{
    double x[4], y[4], x_across, x_along, y_across, y_along;
    row_of(&job->view.world_to_clip, 0, x);
    row_of(&job->view.world_to_clip, 1, y);
    split(x, forward, &x_across, &x_along);
    split(y, forward, &y_across, &y_along);
    if (job->view.orthographic) {
        unit = 1.0 / radius;
        x_along = y_along = 0.0;
    }
    const double x_step = 2.0 * unit / (x_across * job->width);
    const double y_step = 2.0 * unit / (y_across * job->height);
    view->x_step = (float)x_step;
    view->y_step = (float)y_step;
    view->x_first = (float)(0.5 * x_step - (unit + x_along) / x_across);
    view->y_first = (float)(0.5 * y_step - (unit - y_along) / y_across);
    view->x_reach = (float)(1.0 / x_step);
    view->y_reach = (float)(1.0 / y_step);
}

static void set_view(const mrw_occlusion *o, const mrw_raster_job *job, double radius,
                     mrwi_shade_occlusion_view *view, float axis[4])
{
    double z[4], w[4];
    row_of(&job->view.world_to_clip, 2, z);
    row_of(&job->view.world_to_clip, 3, w);
    const bool parallel = job->view.orthographic;
    const double *along = parallel ? z : w, unit = length_of(along);
    const double forward[3] = {along[0] / unit, along[1] / unit, along[2] / unit};
    for (int i = 0; i < 4; i++) {
        axis[i] = (float)(along[i] / (unit * radius));
    }
    /* z / w = shift + b / w, and w is the depth times a unit */
    const double shift = parallel ? 0.0 : mrwi_base_dot3d(z, w) / mrwi_base_dot3d(w, w);
    const double scale = (parallel ? 1.0 : z[3] - shift * w[3]) / (unit * radius);
    const double steep = parallel ? scale : 1.0 / fabs(scale);
    *view =
        (mrwi_shade_occlusion_view){.width = (int32_t)o->width,
                                    .height = (int32_t)o->height,
                                    .stride = (int32_t)stride_of(o->width),
                                    .perspective = !parallel,
                                    .scale = (float)scale,
                                    .shift = (float)shift,
                                    .plane = (float)(steep / (double)MRWI_SHADE_OCCLUSION_PLANE),
                                    .rounding = (float)steep * MRWI_SHADE_OCCLUSION_ROUNDING,
                                    .z = origin_of(o, Z),
                                    .depth = origin_of(o, DEPTH),
                                    .visibility = origin_of(o, VISIBILITY),
                                    .raw = origin_of(o, RAW)};
    set_lattice(job, radius, forward, unit, view);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct pass {
    const mrwi_shade_occlusion_view *view;
    mrwi_shade_occlusion_row *row;
    const mrw_shadow_span *spans, *more; /* both; more is NULL if there is one only */
} pass;

static void do_span(void *user, int64_t index, int worker)
{
    const pass *p = user;
    const int32_t first = (int32_t)index * MRW_SHADOW_SPAN_ROWS, end = first + MRW_SHADOW_SPAN_ROWS;
    mrw_shadow_span span = p->spans[index];
    (void)worker;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    if (p->more) {
        const mrw_shadow_span *more = &p->more[index];
        span.x0 = more->x0 < span.x0 ? more->x0 : span.x0;
        span.x1 = more->x1 > span.x1 ? more->x1 : span.x1;
    }
    for (int32_t y = first; span.x0 < span.x1 && y < end && y < p->view->height; y++) {
        p->row(p->view, y, span.x0 & ~15, span.x1);
    }
}

static void run_pass(const mrw_occlusion *o, const mrwi_shade_occlusion_view *view, int threads,
                     const mrw_shadow_span *more, mrwi_shade_occlusion_row *row)
{
    pass p = {view, row, o->spans, more};
    mrwi_base_parallel_for(threads, (int64_t)span_count(o), do_span, &p);
}

void mrw_occlusion_find(mrw_occlusion *o, const mrw_raster_job *depths, float radius,
                        float strength, mrw_raster_occlusion *out)
{
    const mrwi_shade_occlusion_kernels *kernels = mrwi_shade_occlusion_kernels_for(depths->isa);
    const int threads = depths->threads;
    mrwi_shade_occlusion_view view;
    assert(radius > 0.0f && strength >= 0.0f && o->width == depths->width);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    set_view(o, depths, (double)radius, &view, out->axis);
    view.strength = strength;
    run_pass(o, &view, threads, o->last, kernels->scale);
    run_pass(o, &view, threads, NULL, kernels->occlude);
    run_pass(o, &view, threads, NULL, kernels->smooth_across);
    run_pass(o, &view, threads, NULL, kernels->smooth_down);
    mrwi_base_fp_leave(fp);
    out->visibility = view.visibility;
    out->depths = view.depth;
    out->stride = (uint32_t)view.stride;
}
