/* occlusion_scalar.c: screen-space ambient occlusion in plain C, one pixel at a time: the
 * specification of all its kernels. */
#include "shade/occlusion.h"

#include <math.h>
#include <stddef.h>

typedef struct point {
    float x, y, z;
} point;

static inline float dot(point a, point b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static inline point minus(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline point unit(point a)
{
    const float square = dot(a, a), scale = 1.0f / sqrtf(square > 1e-30f ? square : 1e-30f);
    return (point){a.x * scale, a.y * scale, a.z * scale};
}

static inline float at_most(float a, float b)
{
    return a < b ? a : b;
}

static inline float at_least(float a, float b)
{
    return a > b ? a : b;
}

static inline ptrdiff_t place(const mrwi_shade_occlusion_view *v, int32_t x, int32_t y)
{
    return (ptrdiff_t)y * v->stride + x;
}

static inline float widening(const mrwi_shade_occlusion_view *v, float depth)
{
    return v->perspective ? depth : 1.0f;
}

static inline point point_at(const mrwi_shade_occlusion_view *v, float x, float y, float depth)
{
    const float s = widening(v, depth);
    return (point){(x * v->x_step + v->x_first) * s, (y * v->y_step + v->y_first) * s, depth};
}

/* ---- depths ---------------------------------------------------------------------------------- */

static void scale(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    const float *z = v->z + place(v, 0, y);
    float *depth = v->depth + place(v, 0, y);
    for (int32_t x = x0; x < x1; x++) {
        const float d = v->perspective ? v->scale / (z[x] - v->shift) : z[x] * v->scale + v->shift;
        depth[x] = z[x] < 1.0f ? at_most(d, 0.5f * MRWI_SHADE_OCCLUSION_NO_DEPTH)
                               : MRWI_SHADE_OCCLUSION_NO_DEPTH;
    }
}

static inline bool is_there(float depth)
{
    return depth < MRWI_SHADE_OCCLUSION_NO_DEPTH;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* Returns the side, 1 or -1, on which the neighbouring pixel is nearer in depth. step: from pixel
 * to pixel. */
static inline int32_t smoother_side(const float *depth, ptrdiff_t step)
{
    const float before = depth[0] - depth[-step], after = depth[step] - depth[0];
    return fabsf(after) < fabsf(before) ? 1 : -1;
}

/* Returns the step along the surface to that pixel; straight across if it shows another surface. */
static inline point side_of(const mrwi_shade_occlusion_view *v, const float *depth, int32_t x,
                            int32_t y, int32_t dx, int32_t dy, point p)
{
    const float next = depth[place(v, dx, dy)];
    const float pixels = MRWI_SHADE_OCCLUSION_LOOSE_PIXELS * (v->x_step * widening(v, p.z));
    const float loose = MRWI_SHADE_OCCLUSION_LOOSE + pixels;
    const float there = fabsf(next - p.z) > loose ? p.z : next;
    const point q = point_at(v, (float)(x + dx), (float)(y + dy), there);
    return dx + dy > 0 ? minus(q, p) : minus(p, q);
}

/* Returns the normal that faces the eye. */
static inline point normal_of(const mrwi_shade_occlusion_view *v, int32_t x, int32_t y, point p)
{
    const float *depth = v->depth + place(v, x, y);
    const point a = side_of(v, depth, x, y, smoother_side(depth, 1), 0, p);
    const point b = side_of(v, depth, x, y, 0, smoother_side(depth, v->stride), p);
    return unit((point){b.y * a.z - b.z * a.y, b.z * a.x - b.x * a.z, b.x * a.y - b.y * a.x});
}

/* ---- occlusion ------------------------------------------------------------------------------- */

static inline int32_t nearest_pixel(float x, int32_t size)
{
    return (int32_t)(at_most(at_least(x, -1.0f), (float)size) + 1.5f) - 1;
}

/* The horizon on one side: the squared sine of its angle over the tangent plane, and the same with
 * each rise weighted by how near the occluder is. */
typedef struct horizon {
    float highest, counted;
    float before; /* squared distance of the last sample */
} horizon;

/* Raises the horizon to the surface at a pixel, as far as that is over `least`, but no higher than
 * `most`. */
static inline void raise_to(const mrwi_shade_occlusion_view *v, float x, float y, point p, point n,
                            float least, float inv, float most, horizon *h)
{
    const int32_t column = nearest_pixel(x, v->width), row = nearest_pixel(y, v->height);
    const float depth = v->depth[place(v, column, row)];
    const point d = minus(point_at(v, (float)column, (float)row, depth), p);
    const float square = dot(d, d);
    const float over = at_least(dot(d, n) - least, 0.0f);
    const float left = at_least(1.0f - 0.5f * (square + at_most(h->before, square)), 0.0f);
    const float rise = at_most(((over * over) * inv) / at_least(square, 1e-12f), most);
    const float reached = square < 1.0f ? at_least(rise, h->highest) : h->highest;
    h->counted = h->counted + (reached - h->highest) * (left * left);
    h->highest = reached;
    h->before = square;
}

/* Returns the number of samples for a radius in pixels. */
static inline float steps_at(float pixels)
{
    const float many =
        at_most(pixels * (1.0f / MRWI_SHADE_OCCLUSION_PIXELS), MRWI_SHADE_OCCLUSION_MOST_STEPS);
    return at_least(floorf(many), MRWI_SHADE_OCCLUSION_LEAST_STEPS);
}

static inline float horizon_at(const mrwi_shade_occlusion_view *v, int32_t x, int32_t y, float side,
                               point p, point n, float scale, float most)
{
    const float cosine = mrwi_shade_occlusion_cosine[y & 3][x & 3] * side;
    const float sine = mrwi_shade_occlusion_sine[y & 3][x & 3] * side;
    const float s = widening(v, p.z), inv = 1.0f / s;
    const float across = (cosine * v->x_reach) * inv, down = (sine * v->y_reach) * inv;
    const float least = MRWI_SHADE_OCCLUSION_LEAST + (s * s) * v->rounding;
    horizon h = {0.0f, 0.0f, 0.0f};
    const float inv_steps = 1.0f / steps_at(v->x_reach * inv);
    for (int i = 0; (float)i * inv_steps < 1.0f; i++) {
        const float t = ((float)i + mrwi_shade_occlusion_jitter[y & 3][x & 3]) * inv_steps;
        const float part = t * (0.45f + 0.45f * t);
        raise_to(v, (float)x + (across * part + cosine), (float)y + (down * part + sine), p, n,
                 least, scale, most, &h);
    }
    return h.counted;
}

/* Returns b - sin b cos b of the angle whose squared sine is given. */
static inline float segment(float square)
{
    const float s = sqrtf(square), c = sqrtf(1.0f - square);
    const float polynomial =
        MRWI_SHADE_ASIN_A +
        s * (MRWI_SHADE_ASIN_B + s * (MRWI_SHADE_ASIN_C + s * MRWI_SHADE_ASIN_D));
    return (1.57079633f - sqrtf(1.0f - s) * polynomial) - s * c;
}

/* Computes the occlusion of a slice through the eye. a and e are the normal's parts across and
 * along the slice's direction, l long. An angle b of the horizon over the tangent hides (e sin^2 b
 * +- a (b - sin b cos b)) / 2 of the light, with + on the side to which the normal leans. There is
 * no horizon beyond the eye. */
static float occlusion_at(const mrwi_shade_occlusion_view *v, int32_t x, int32_t y)
{
    const float depth = v->depth[place(v, x, y)];
    if (!is_there(depth)) {
        return 0.0f;
    }
    const point p = point_at(v, (float)x, (float)y, depth), n = normal_of(v, x, y, p);
    const point eye = v->perspective ? unit((point){-p.x, -p.y, -p.z}) : (point){0.0f, 0.0f, -1.0f};
    const float cosine = mrwi_shade_occlusion_cosine[y & 3][x & 3];
    const float sine = mrwi_shade_occlusion_sine[y & 3][x & 3];
    const float along = cosine * eye.x + sine * eye.y;
    const point across =
        unit((point){cosine - eye.x * along, sine - eye.y * along, 0.0f - eye.z * along});
    const float a = dot(n, across), e = dot(n, eye);
    const float inv = 1.0f / at_least(a * a + e * e, 1e-12f);
    const float lean = at_most((e * e) * inv, 1.0f);
    const float right = horizon_at(v, x, y, 1.0f, p, n, inv, a < 0.0f ? lean : 1.0f);
    const float left = horizon_at(v, x, y, -1.0f, p, n, inv, a > 0.0f ? lean : 1.0f);
    return at_least(0.5f * (e * (right + left) + a * (segment(right) - segment(left))), 0.0f);
}

static void occlude(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    for (int32_t x = x0; x < x1; x++) {
        v->visibility[place(v, x, y)] = occlusion_at(v, x, y);
    }
}

/* ---- means ----------------------------------------------------------------------------------- */

/* Returns the mean of the values on a pixel's plane: two to each side, with half weight for the
 * outer ones, which is one width of the pattern. Clip depths are linear across planes. at: the
 * pixel's index. */
static inline float mean_at(const mrwi_shade_occlusion_view *v, ptrdiff_t at, const float *values,
                            ptrdiff_t step)
{
    const float *z = v->z + at, *depth = v->depth + at;
    const float s = widening(v, depth[0]), steep = (s * s) * v->plane;
    const float slope = smoother_side(depth, step) > 0 ? z[step] - z[0] : z[0] - z[-step];
    float sum = 0.0f, weights = 0.0f;
    for (int i = -2; i <= 2; i++) {
        const float off = (z[i * step] - z[0]) - (float)i * slope;
        const float near = at_least(1.0f - fabsf(off) * steep, 0.0f);
        const float there = is_there(depth[i * step]) ? near : 0.0f;
        const float weight = i == -2 || i == 2 ? 0.5f * there : there;
        sum = sum + weight * values[at + i * step];
        weights = weights + weight;
    }
    return sum / weights; /* the pixel's own weight is 1 */
}

static void smooth_across(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    for (int32_t x = x0; x < x1; x++) {
        const ptrdiff_t at = place(v, x, y);
        v->raw[at] = is_there(v->depth[at]) ? mean_at(v, at, v->visibility, 1) : 0.0f;
    }
}

static void smooth_down(const mrwi_shade_occlusion_view *v, int32_t y, int32_t x0, int32_t x1)
{
    for (int32_t x = x0; x < x1; x++) {
        const ptrdiff_t at = place(v, x, y);
        const float hidden = is_there(v->depth[at]) ? mean_at(v, at, v->raw, v->stride) : 0.0f;
        v->visibility[at] = at_most(at_least(1.0f - v->strength * hidden, 0.0f), 1.0f);
    }
}

const mrwi_shade_occlusion_kernels mrwi_shade_occlusion_kernels_scalar = {
    scale, occlude, smooth_across, smooth_down};
