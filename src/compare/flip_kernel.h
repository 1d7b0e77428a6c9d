/* flip_kernel.h: the kernels of FLIP, MRWI_BASE_LANES pixels at a time.
 *
 * A kernel file defines MRWI_BASE_LANES and MRWI_COMPARE_FLIP_KERNELS, the name of its table, and
 * includes this. A lane is a pixel and sums go over taps in one order, so every width gives the
 * same bits.
 */
#include "base/simd/lanes.h"
#include "compare/flip.h"

#define TILE MRWI_COMPARE_FLIP_TILE

/* ---- functions of lanes ---------------------------------------------------------------------- */

/* Cube root of 2^-8 ... 1: a guess by a third of the exponent, good to 4 %, and two steps of
 * Halley's method, which leave 1e-6 and then rounding. */
LANE_INLINE vf cube_root(vf v)
{
    vf third = vi_to_float(vf_bits(v)) * vf_set(1.0f / 3.0f);
    vf root = vf_from_bits(vf_truncate(third) + 0x2A508935);
    for (int i = 0; i < 2; i++) {
        vf cube = root * root * root;
        root = root * ((cube + (v + v)) / ((cube + cube) + v));
    }
    return root;
}

/* Logarithm to base 2 of 2^-126 ... 2^126, absolute error below 1e-7 or an ulp: the mantissa m in
 * sqrt(1/2) ... sqrt(2) by the series of artanh((m - 1) / (m + 1)). */
LANE_INLINE vf log_2(vf v)
{
    vi bits = vf_bits(v);
    vi exponent = (bits - 0x3F3504F3) >> 23;
    vf m = vf_from_bits(bits - exponent * (1 << 23));
    vf s = (m - vf_set(1.0f)) / (m + vf_set(1.0f));
    vf square = s * s;
    vf sum = vf_set(1.0f / 9.0f);
    sum = sum * square + vf_set(1.0f / 7.0f);
    sum = sum * square + vf_set(1.0f / 5.0f);
    sum = sum * square + vf_set(1.0f / 3.0f);
    const float two_over_ln2 = 0x1.715476p+1f;
    return vi_to_float(exponent) + vf_set(two_over_ln2) * (s + s * square * sum);
}

/* 2 to the v for -126 ... 126, clamped below, relative error below 3e-7: the nearest integer goes
 * to the exponent, the Taylor series of exp takes the rest. */
LANE_INLINE vf exp_2(vf v)
{
    v = vf_max(v, vf_set(-126.0f));
    const vf magic = vf_set(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    vf shifted = v + magic;
    vf rest = (v - (shifted - magic)) * vf_set(0x1.62E43p-1f);
    vf sum = vf_set(1.0f / 5040.0f);
    sum = sum * rest + vf_set(1.0f / 720.0f);
    sum = sum * rest + vf_set(1.0f / 120.0f);
    sum = sum * rest + vf_set(1.0f / 24.0f);
    sum = sum * rest + vf_set(1.0f / 6.0f);
    sum = sum * rest + vf_set(0.5f);
    sum = sum * rest + vf_set(1.0f);
    sum = sum * rest + vf_set(1.0f);
    vi exponent = vf_bits(shifted) - vf_bits(magic);
    return vf_from_bits(vf_bits(sum) + exponent * (1 << 23));
}

/* v to the power p for v >= 0, p > 0; what is below 2^-126 counts as 0. */
LANE_INLINE vf power(vf v, vf p)
{
    const vf tiny = vf_set(0x1p-126f);
    return vf_select(vf_less(v, tiny), vf_set(0.0f), exp_2(p * log_2(vf_max(v, tiny))));
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Filters take a few vectors at once: each sum waits for its last addition, and a tap is loaded
 * once for all. This halves the time of a picture. */
#define GROUP 4
#define STEP  (GROUP * MRWI_BASE_LANES)

typedef struct sums {
    vf v[GROUP];
} sums;

LANE_INLINE sums scaled(float tap, const float *p)
{
    sums out;
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        out.v[k] = vf_set(tap) * vf_load(p + k * MRWI_BASE_LANES);
    }
    return out;
}

/* sum += tap * (b + a) */
LANE_INLINE void add_even(sums *sum, float tap, const float *a, const float *b)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        int at = k * MRWI_BASE_LANES;
        sum->v[k] += vf_set(tap) * (vf_load(b + at) + vf_load(a + at));
    }
}

/* sum += tap * (b - a) */
LANE_INLINE void add_odd(sums *sum, float tap, const float *a, const float *b)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        int at = k * MRWI_BASE_LANES;
        sum->v[k] += vf_set(tap) * (vf_load(b + at) - vf_load(a + at));
    }
}

LANE_INLINE void store_sums(float *p, const sums *s)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        vf_store(p + k * MRWI_BASE_LANES, s->v[k]);
    }
}

/* An even filter along a row, around p. */
LANE_INLINE sums filter_across(const mrwi_compare_flip_filter *filter, const float *p)
{
    sums sum = scaled(filter->taps[0], p);
    for (int i = 1; i <= filter->radius; i++) {
        add_even(&sum, filter->taps[i], p - i, p + i);
    }
    return sum;
}

LANE_INLINE sums edge_across(const mrwi_compare_flip_filter *filter, const float *p)
{
    sums sum = scaled(0.0f, p);
    for (int i = 1; i <= filter->radius; i++) {
        add_odd(&sum, filter->taps[i], p - i, p + i);
    }
    return sum;
}

static void across(const mrwi_compare_flip_filters *f, const float *const planes[3], float *line)
{
    for (int x = 0; x < TILE; x += STEP) {
        const float *y = planes[0] + x, *cx = planes[1] + x, *cz = planes[2] + x;
        const sums of[MRWI_COMPARE_LINE_COUNT] = {
            [MRWI_COMPARE_LINE_Y] = filter_across(&f->color.achromatic, y),
            [MRWI_COMPARE_LINE_CX] = filter_across(&f->color.red_green, cx),
            [MRWI_COMPARE_LINE_CZ_0] = filter_across(&f->color.blue_yellow[0], cz),
            [MRWI_COMPARE_LINE_CZ_1] = filter_across(&f->color.blue_yellow[1], cz),
            [MRWI_COMPARE_LINE_SMOOTH] = filter_across(&f->feature.smooth, y),
            [MRWI_COMPARE_LINE_EDGE] = edge_across(&f->feature.edge, y),
            [MRWI_COMPARE_LINE_POINT] = filter_across(&f->feature.point, y),
        };
        for (int i = 0; i < MRWI_COMPARE_LINE_COUNT; i++) {
            store_sums(line + i * TILE + x, &of[i]);
        }
    }
}

/* An even filter down a column; `at` is the place in a line. */
LANE_INLINE sums filter_down(const mrwi_compare_flip_filter *filter, const float *const *lines,
                             int at)
{
    sums sum = scaled(filter->taps[0], lines[0] + at);
    for (int i = 1; i <= filter->radius; i++) {
        add_even(&sum, filter->taps[i], lines[-i] + at, lines[i] + at);
    }
    return sum;
}

LANE_INLINE sums edge_down(const mrwi_compare_flip_filter *filter, const float *const *lines,
                           int at)
{
    sums sum = scaled(0.0f, lines[0] + at);
    for (int i = 1; i <= filter->radius; i++) {
        add_odd(&sum, filter->taps[i], lines[-i] + at, lines[i] + at);
    }
    return sum;
}

/* ---- "Perceptually Uniform Color Space" ------------------------------------------------------ */

/* The function in L*a*b*, CIE 15. */
LANE_INLINE vf lab_curve(vf t)
{
    const float delta = 6.0f / 29.0f;
    const vf knee = vf_set(delta * delta * delta);
    vf low = t * vf_set(1.0f / (3.0f * delta * delta)) + vf_set(4.0f / 29.0f);
    return vf_select(vf_less(knee, t), cube_root(vf_max(t, knee)), low);
}

/* Filtered Y, Cx, Cz, clamped to the cube of linear sRGB, to L*a*b*, a and b scaled by L / 100
 * after Hunt. */
LANE_INLINE void look_of(const mrwi_compare_flip_matrices *f, vf y, vf cx, vf cz, float *look)
{
    vf rgb[3], curve[3];
    for (int i = 0; i < 3; i++) {
        vf c = y + (vf_set(f->to_rgb[i][0]) * cx + vf_set(f->to_rgb[i][1]) * cz);
        rgb[i] = vf_min(vf_max(c, vf_set(0.0f)), vf_set(1.0f));
    }
    for (int i = 0; i < 3; i++) {
        const float *m = f->to_xyz[i];
        curve[i] =
            lab_curve((vf_set(m[0]) * rgb[0] + vf_set(m[1]) * rgb[1]) + vf_set(m[2]) * rgb[2]);
    }
    vf lightness = vf_set(116.0f) * curve[1] - vf_set(16.0f);
    vf hunt = vf_set(0.01f) * lightness;
    vf_store(look + MRWI_COMPARE_LOOK_L * TILE, lightness);
    vf_store(look + MRWI_COMPARE_LOOK_A * TILE, hunt * (vf_set(500.0f) * (curve[0] - curve[1])));
    vf_store(look + MRWI_COMPARE_LOOK_B * TILE, hunt * (vf_set(200.0f) * (curve[1] - curve[2])));
}

/* The length of the vectors (x, y). */
LANE_INLINE void store_strength(float *p, const sums *x, const sums *y)
{
    for (int k = 0; k < GROUP; k++) {
        vf_store(p + k * MRWI_BASE_LANES, vf_sqrt(x->v[k] * x->v[k] + y->v[k] * y->v[k]));
    }
}

static void down(const mrwi_compare_flip_filters *f, const float *const *lines, float *look)
{
    for (int x = 0; x < TILE; x += STEP) {
        sums y = filter_down(&f->color.achromatic, lines, MRWI_COMPARE_LINE_Y * TILE + x);
        sums cx = filter_down(&f->color.red_green, lines, MRWI_COMPARE_LINE_CX * TILE + x);
        sums cz_0 =
            filter_down(&f->color.blue_yellow_down[0], lines, MRWI_COMPARE_LINE_CZ_0 * TILE + x);
        sums cz_1 =
            filter_down(&f->color.blue_yellow_down[1], lines, MRWI_COMPARE_LINE_CZ_1 * TILE + x);
        for (int k = 0; k < GROUP; k++) {
            look_of(&f->matrices, y.v[k], cx.v[k], cz_0.v[k] + cz_1.v[k],
                    look + x + k * MRWI_BASE_LANES);
        }
        sums edge_x = filter_down(&f->feature.smooth, lines, MRWI_COMPARE_LINE_EDGE * TILE + x);
        sums edge_y = edge_down(&f->feature.edge, lines, MRWI_COMPARE_LINE_SMOOTH * TILE + x);
        store_strength(look + MRWI_COMPARE_LOOK_EDGE * TILE + x, &edge_x, &edge_y);
        sums point_x = filter_down(&f->feature.smooth, lines, MRWI_COMPARE_LINE_POINT * TILE + x);
        sums point_y = filter_down(&f->feature.point, lines, MRWI_COMPARE_LINE_SMOOTH * TILE + x);
        store_strength(look + MRWI_COMPARE_LOOK_POINT * TILE + x, &point_x, &point_y);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* "Color Metric": the HyAB distance to the power q_c = 0.7, spread over 0 ... 1. */
LANE_INLINE vf color_error(const mrwi_compare_flip_metric *f, vf light, vf a, vf b)
{
    vf hyab = vf_abs(light) + vf_sqrt(a * a + b * b);
    vf e = power(hyab, vf_set(0.7f)), knee = vf_set(f->knee);
    vf low = vf_set(f->low_scale) * e;
    vf high = vf_set(0.95f) + vf_set(f->high_scale) * (e - knee);
    return vf_min(vf_select(vf_less(e, knee), low, high), vf_set(1.0f));
}

static void compare(const mrwi_compare_flip_metric *f, const float *expected, const float *actual,
                    float *errors)
{
    for (int x = 0; x < TILE; x += MRWI_BASE_LANES) {
        vf delta[MRWI_COMPARE_LOOK_COUNT];
        for (int i = 0; i < MRWI_COMPARE_LOOK_COUNT; i++) {
            delta[i] = vf_load(expected + i * TILE + x) - vf_load(actual + i * TILE + x);
        }
        vf color = color_error(f, delta[MRWI_COMPARE_LOOK_L], delta[MRWI_COMPARE_LOOK_A],
                               delta[MRWI_COMPARE_LOOK_B]);
        /* "Feature Metric": the larger of both differences over sqrt 2, to the power q_f = 0.5 */
        vf most =
            vf_max(vf_abs(delta[MRWI_COMPARE_LOOK_EDGE]), vf_abs(delta[MRWI_COMPARE_LOOK_POINT]));
        vf feature = vf_min(vf_sqrt(most * vf_set(0x1.6A09E6p-1f)), vf_set(1.0f));
        /* "Final Difference" */
        vf_store(errors + x, power(color, vf_set(1.0f) - feature));
    }
}

const mrwi_compare_flip_kernels MRWI_COMPARE_FLIP_KERNELS = {across, down, compare};
