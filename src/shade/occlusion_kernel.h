/* occlusion_kernel.h: the one source of the kernels of screen-space ambient occlusion in lanes,
 * compiled once per instruction set. occlusion_scalar.c is the specification, with the same names.
 *
 * A file defines MRWI_BASE_LANES and MRWI_SHADE_OCCLUSION_KERNELS (the name of the table) and
 * includes this file. A lane is a pixel of a row. Rows are padded, so the last lanes may lie beyond
 * the picture.
 */
#include "base/simd/lanes.h"
#include "shade/occlusion.h"

/* Without optimisation, gathers are macros whose constant mask triggers -Wsign-conversion. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* Returns from[index], per lane. */
LANE_INLINE vf look_up(const float *from, vi index)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_i32gather_ps((__m512i)index, from, 4);
#elif MRWI_BASE_LANES == 8
    return (vf)_mm256_i32gather_ps(from, (__m256i)index, 4);
#else
    return (vf){from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
#endif
}

typedef struct point {
    vf x, y, z;
} point;

LANE_INLINE vf dot(point a, point b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

LANE_INLINE point minus(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_INLINE point unit(point a)
{
    const vf scale = 1.0f / vf_sqrt(vf_max(dot(a, a), vf_set(1e-30f)));
    return (point){a.x * scale, a.y * scale, a.z * scale};
}

LANE_INLINE ptrdiff_t place(const mrwi_shade_occlusion_view *v, int32_t x, int32_t y)
{
    return (ptrdiff_t)y * v->stride + x;
}

LANE_INLINE vf widening(const mrwi_shade_occlusion_view *v, vf depth)
{
    return v->perspective ? depth : vf_set(1.0f);
}

LANE_INLINE point point_at(const mrwi_shade_occlusion_view *v, vf x, vf y, vf depth)
{
    const vf s = widening(v, depth);
    return (point){(x * v->x_step + v->x_first) * s, (y * v->y_step + v->y_first) * s, depth};
}

LANE_INLINE vi is_there(vf depth)
{
    return vf_less(depth, vf_set(MRWI_SHADE_OCCLUSION_NO_DEPTH));
}

/* ---- depths ---------------------------------------------------------------------------------- */

static void scale(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    const float *z = v->z + place(v, 0, y);
    float *depth = v->depth + place(v, 0, y);
    for (int32_t x = x0; x < x1; x += MRWI_BASE_LANES) {
        const vf clip = vf_load(z + x);
        const vf d = v->perspective ? v->scale / (clip - v->shift) : clip * v->scale + v->shift;
        vf_store(depth + x, vf_select(vf_less(clip, vf_set(1.0f)),
                                      vf_min(d, vf_set(0.5f * MRWI_SHADE_OCCLUSION_NO_DEPTH)),
                                      vf_set(MRWI_SHADE_OCCLUSION_NO_DEPTH)));
    }
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* Returns -1 where the depth is smoother towards the next pixel. */
LANE_INLINE vi smoother_after(const float *depth, ptrdiff_t step)
{
    const vf here = vf_load(depth);
    const vf before = here - vf_load(depth - step), after = vf_load(depth + step) - here;
    return vf_less(vf_abs(after), vf_abs(before));
}

LANE_INLINE point side_of(const mrwi_shade_occlusion_view *v, const float *depth, vi after, vf x,
                          vf y, int32_t dx, int32_t dy, point p)
{
    const ptrdiff_t step = place(v, dx, dy);
    const vf next = vf_select(after, vf_load(depth + step), vf_load(depth - step));
    const vf pixels = MRWI_SHADE_OCCLUSION_LOOSE_PIXELS * (v->x_step * widening(v, p.z));
    const vi loose = vf_less(MRWI_SHADE_OCCLUSION_LOOSE + pixels, vf_abs(next - p.z));
    const vf sign = vf_select(after, vf_set(1.0f), vf_set(-1.0f));
    const point q =
        point_at(v, x + (float)dx * sign, y + (float)dy * sign, vf_select(loose, p.z, next));
    return (point){vf_select(after, q.x - p.x, p.x - q.x), vf_select(after, q.y - p.y, p.y - q.y),
                   vf_select(after, q.z - p.z, p.z - q.z)};
}

LANE_INLINE point normal_of(const mrwi_shade_occlusion_view *v, ptrdiff_t at, vf x, vf y, point p)
{
    const float *depth = v->depth + at;
    const point a = side_of(v, depth, smoother_after(depth, 1), x, y, 1, 0, p);
    const point b = side_of(v, depth, smoother_after(depth, v->stride), x, y, 0, 1, p);
    return unit((point){b.y * a.z - b.z * a.y, b.z * a.x - b.x * a.z, b.x * a.y - b.y * a.x});
}

/* ---- occlusion ------------------------------------------------------------------------------- */

LANE_INLINE vi nearest_pixel(vf x, int32_t size)
{
    return vf_truncate(vf_min(vf_max(x, vf_set(-1.0f)), vf_set((float)size)) + 1.5f) - 1;
}

typedef struct horizon {
    vf highest, counted, before;
} horizon;

LANE_INLINE void raise_to(const mrwi_shade_occlusion_view *v, vf x, vf y, point p, point n,
                          vi goes_on, vf least, vf inv, vf most, horizon *h)
{
    const vi column = nearest_pixel(x, v->width), row = nearest_pixel(y, v->height);
    const vf depth = look_up(v->depth, row * v->stride + column);
    const point d = minus(point_at(v, vi_to_float(column), vi_to_float(row), depth), p);
    const vf square = dot(d, d);
    const vf over = vf_max(dot(d, n) - least, vf_set(0.0f));
    const vf left = vf_max(1.0f - 0.5f * (square + vf_min(h->before, square)), vf_set(0.0f));
    const vf rise = vf_min(((over * over) * inv) / vf_max(square, vf_set(1e-12f)), most);
    const vf reached =
        vf_select(goes_on & vf_less(square, vf_set(1.0f)), vf_max(rise, h->highest), h->highest);
    h->counted = h->counted + (reached - h->highest) * (left * left);
    h->highest = reached;
    h->before = square;
}

/* The search of each lane: the direction of its line, and the offset of samples at the radius, in
 * pixels. */
typedef struct look {
    vf x, y;
    vf cosine, sine, across, down;
    vf jitter, least;
    vf inv_steps;
} look;

LANE_INLINE vf steps_at(vf pixels)
{
    const vf many = vf_min(pixels * (1.0f / MRWI_SHADE_OCCLUSION_PIXELS),
                           vf_set(MRWI_SHADE_OCCLUSION_MOST_STEPS));
    return vf_max(vf_floor(many), vf_set(MRWI_SHADE_OCCLUSION_LEAST_STEPS));
}

LANE_INLINE vf horizon_at(const mrwi_shade_occlusion_view *v, const look *l, float side, point p,
                          point n, vf inv, vf most)
{
    const vf cosine = l->cosine * side, sine = l->sine * side;
    const vf across = l->across * side, down = l->down * side;
    horizon h = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
    vi goes_on = vi_set(-1);
    for (int i = 0; mask_any(goes_on); goes_on = vf_less((float)++i * l->inv_steps, vf_set(1.0f))) {
        const vf t = ((float)i + l->jitter) * l->inv_steps, part = t * (0.45f + 0.45f * t);
        raise_to(v, l->x + (across * part + cosine), l->y + (down * part + sine), p, n, goes_on,
                 l->least, inv, most, &h);
    }
    return h.counted;
}

LANE_INLINE vf segment(vf square)
{
    const vf s = vf_sqrt(square), c = vf_sqrt(1.0f - square);
    const vf polynomial = MRWI_SHADE_ASIN_A +
                          s * (MRWI_SHADE_ASIN_B + s * (MRWI_SHADE_ASIN_C + s * MRWI_SHADE_ASIN_D));
    return (1.57079633f - vf_sqrt(1.0f - s) * polynomial) - s * c;
}

LANE_INLINE vf occlusion_at(const mrwi_shade_occlusion_view *v, int32_t column, int32_t row,
                            vf depth)
{
    const vf x = lane_floats() + (float)column, y = vf_set((float)row), zero = vf_set(0.0f);
    const vf one = vf_set(1.0f);
    const point p = point_at(v, x, y, depth), n = normal_of(v, place(v, column, row), x, y, p);
    const point eye =
        v->perspective ? unit((point){-p.x, -p.y, -p.z}) : (point){zero, zero, vf_set(-1.0f)};
    look l = {.x = x,
              .y = y,
              .cosine = vf_load(mrwi_shade_occlusion_cosine[row & 3]),
              .sine = vf_load(mrwi_shade_occlusion_sine[row & 3]),
              .jitter = vf_load(mrwi_shade_occlusion_jitter[row & 3])};
    const vf s = widening(v, depth), inv_s = 1.0f / s;
    l.inv_steps = 1.0f / steps_at(v->x_reach * inv_s);
    l.least = MRWI_SHADE_OCCLUSION_LEAST + (s * s) * v->rounding;
    l.across = (l.cosine * v->x_reach) * inv_s;
    l.down = (l.sine * v->y_reach) * inv_s;
    const vf along = l.cosine * eye.x + l.sine * eye.y;
    const point across =
        unit((point){l.cosine - eye.x * along, l.sine - eye.y * along, 0.0f - eye.z * along});
    const vf a = dot(n, across), e = dot(n, eye);
    const vf inv = 1.0f / vf_max(a * a + e * e, vf_set(1e-12f));
    const vf lean = vf_min((e * e) * inv, one);
    const vf right = horizon_at(v, &l, 1.0f, p, n, inv, vf_select(vf_less(a, zero), lean, one));
    const vf left = horizon_at(v, &l, -1.0f, p, n, inv, vf_select(vf_less(zero, a), lean, one));
    return vf_max(0.5f * (e * (right + left) + a * (segment(right) - segment(left))), zero);
}

static void occlude(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    for (int32_t x = x0; x < x1; x += MRWI_BASE_LANES) {
        const ptrdiff_t at = place(v, x, y);
        const vf depth = vf_load(v->depth + at);
        const vi there = is_there(depth);
        vf_store(v->visibility + at,
                 mask_any(there) ? vf_keep(there, occlusion_at(v, x, y, depth)) : vf_set(0.0f));
    }
}

/* ---- means ----------------------------------------------------------------------------------- */

LANE_INLINE vf mean_at(const mrwi_shade_occlusion_view *v, ptrdiff_t at, vf depth,
                       const float *values, ptrdiff_t step)
{
    const float *z = v->z + at, *depths = v->depth + at;
    const vf here = vf_load(z), s = widening(v, depth), steep = (s * s) * v->plane;
    const vf slope =
        vf_select(smoother_after(depths, step), vf_load(z + step) - here, here - vf_load(z - step));
    vf sum = vf_set(0.0f), weights = vf_set(0.0f);
    LANE_UNROLL
    for (int i = -2; i <= 2; i++) {
        const vf off = (vf_load(z + i * step) - here) - (float)i * slope;
        const vf near = vf_max(1.0f - vf_abs(off) * steep, vf_set(0.0f));
        const vf there = vf_keep(is_there(vf_load(depths + i * step)), near);
        const vf weight = i == -2 || i == 2 ? 0.5f * there : there;
        sum = sum + weight * vf_load(values + at + i * step);
        weights = weights + weight;
    }
    return sum / weights;
}

static void smooth_across(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    for (int32_t x = x0; x < x1; x += MRWI_BASE_LANES) {
        const ptrdiff_t at = place(v, x, y);
        const vf depth = vf_load(v->depth + at);
        const vi there = is_there(depth);
        vf mean = vf_set(0.0f);
        if (mask_any(there)) {
            mean = vf_keep(there, mean_at(v, at, depth, v->visibility, 1));
        }
        vf_store(v->raw + at, mean);
    }
}

static void smooth_down(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    for (int32_t x = x0; x < x1; x += MRWI_BASE_LANES) {
        const ptrdiff_t at = place(v, x, y);
        const vf depth = vf_load(v->depth + at);
        const vi there = is_there(depth);
        vf hidden = vf_set(0.0f);
        if (mask_any(there)) {
            hidden = vf_keep(there, mean_at(v, at, depth, v->raw, v->stride));
        }
        vf_store(v->visibility + at, vf_clamp(1.0f - v->strength * hidden, 0.0f, 1.0f));
    }
}

const mrwi_shade_occlusion_kernels MRWI_SHADE_OCCLUSION_KERNELS = {scale, occlude, smooth_across,
                                                                   smooth_down};
