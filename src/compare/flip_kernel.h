/* flip_kernel.h: the kernels of FLIP, MRWI_BASE_LANES pixels at a time.
 *
 * A kernel file defines MRWI_BASE_LANES and MRWI_COMPARE_FLIP_KERNELS, the name of its table, and
 * includes this. A lane is a pixel and sums go over taps in one order, so every width gives the
 * same bits.
 */
#include "base/simd/lanes.h"
#include "compare/flip.h"

#define TILE MRWI_COMPARE_FLIP_TILE
#define CELL MRWI_COMPARE_FLIP_CELL
#define ROWS MRWI_COMPARE_FLIP_ROWS
#define LOOK (MRWI_COMPARE_LOOK_COUNT * CELL)

/* ---- functions of lanes ---------------------------------------------------------------------- */

/* Returns the cube root of 2^-8 ... 1: starts from a third of the exponent, good to 4 %, and takes
 * two steps of Halley's method, which leave 1e-6 and then rounding. */
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

/* Returns the logarithm to base 2 of 2^-126 ... 2^126, with an absolute error below 1e-7 or an ulp:
 * the mantissa m in sqrt(1/2) ... sqrt(2) by the series of artanh((m - 1) / (m + 1)). */
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

/* Returns 2 to the v for -126 ... 126, clamped below, with a relative error below 3e-7: the nearest
 * integer goes to the exponent, the Taylor series of exp takes the rest. */
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

/* Returns v to the power p for v >= 0, p > 0; values below 2^-126 count as 0. */
LANE_INLINE vf power(vf v, vf p)
{
    const vf tiny = vf_set(0x1p-126f);
    return vf_select(vf_less(v, tiny), vf_set(0.0f), exp_2(p * log_2(vf_max(v, tiny))));
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Filters work on two vectors at once, because each sum waits for its last addition and a tap is
 * loaded once for both. Values that several filters load or add alike are computed once. */
#define GROUP 2
#define STEP  (GROUP * MRWI_BASE_LANES)

typedef struct sums {
    vf v[GROUP];
} sums;

LANE_INLINE sums load_sums(const float *p)
{
    sums out;
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        out.v[k] = vf_load(p + k * MRWI_BASE_LANES);
    }
    return out;
}

LANE_INLINE void store_sums(float *p, sums s)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        vf_store(p + k * MRWI_BASE_LANES, s.v[k]);
    }
}

LANE_INLINE sums added(sums a, sums b)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        a.v[k] += b.v[k];
    }
    return a;
}

LANE_INLINE sums taken(sums a, sums b)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        a.v[k] -= b.v[k];
    }
    return a;
}

LANE_INLINE sums scaled(float tap, sums s)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        s.v[k] *= vf_set(tap);
    }
    return s;
}

LANE_INLINE void add_scaled(sums *sum, float tap, sums s)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        sum->v[k] += vf_set(tap) * s.v[k];
    }
}

/* Returns the pixels that an even filter weighs with tap i, around p. */
LANE_INLINE sums pair_across(const float *p, int i)
{
    return added(load_sums(p + i), load_sums(p - i));
}

/* Adds the taps from `first` on of an even filter along a row, around p. */
LANE_INLINE void add_across(const mrwi_compare_flip_filter *filter, int first, const float *p,
                            sums *sum)
{
    for (int i = first; i <= filter->radius; i++) {
        add_scaled(sum, filter->taps[i], pair_across(p, i));
    }
}

/* Applies two even filters to one row. */
LANE_INLINE void two_across(const mrwi_compare_flip_filter *a, const mrwi_compare_flip_filter *b,
                            const float *p, sums *out_a, sums *out_b)
{
    const int both = a->radius < b->radius ? a->radius : b->radius;
    *out_a = scaled(a->taps[0], load_sums(p));
    *out_b = scaled(b->taps[0], load_sums(p));
    for (int i = 1; i <= both; i++) {
        const sums pair = pair_across(p, i);
        add_scaled(out_a, a->taps[i], pair);
        add_scaled(out_b, b->taps[i], pair);
    }
    add_across(a, both + 1, p, out_a);
    add_across(b, both + 1, p, out_b);
}

/* Applies the filters of features, which have one radius, and the filter of Y, whose radius is
 * smaller at all distances from which screens are seen. */
LANE_INLINE void luma_across(const mrwi_compare_flip_filters *f, const float *p,
                             sums out[MRWI_COMPARE_LINE_COUNT])
{
    const mrwi_compare_flip_features *feature = &f->feature;
    const mrwi_compare_flip_filter *luma = &f->color.achromatic;
    const int radius = feature->smooth.radius, both = luma->radius < radius ? luma->radius : radius;
    const sums own = load_sums(p);
    sums y = scaled(luma->taps[0], own), smooth = scaled(feature->smooth.taps[0], own),
         edge = scaled(0.0f, own), point = scaled(feature->point.taps[0], own);
    for (int i = 1; i <= radius; i++) {
        const sums after = load_sums(p + i), before = load_sums(p - i), pair = added(after, before);
        if (i <= both) {
            add_scaled(&y, luma->taps[i], pair);
        }
        add_scaled(&smooth, feature->smooth.taps[i], pair);
        add_scaled(&edge, feature->edge.taps[i], taken(after, before));
        add_scaled(&point, feature->point.taps[i], pair);
    }
    add_across(luma, both + 1, p, &y);
    out[MRWI_COMPARE_LINE_Y] = y;
    out[MRWI_COMPARE_LINE_SMOOTH] = smooth;
    out[MRWI_COMPARE_LINE_EDGE] = edge;
    out[MRWI_COMPARE_LINE_POINT] = point;
}

static void across(const mrwi_compare_flip_filters *f, const float *const planes[3], int width,
                   float *line)
{
    for (int x = 0; x < width; x += STEP) {
        sums of[MRWI_COMPARE_LINE_COUNT];
        const float *cx = planes[1] + x;
        luma_across(f, planes[0] + x, of);
        of[MRWI_COMPARE_LINE_CX] = scaled(f->color.red_green.taps[0], load_sums(cx));
        add_across(&f->color.red_green, 1, cx, &of[MRWI_COMPARE_LINE_CX]);
        two_across(&f->color.blue_yellow[0], &f->color.blue_yellow[1], planes[2] + x,
                   &of[MRWI_COMPARE_LINE_CZ_0], &of[MRWI_COMPARE_LINE_CZ_1]);
        for (int i = 0; i < MRWI_COMPARE_LINE_COUNT; i++) {
            store_sums(line + i * TILE + x, of[i]);
        }
    }
}

/* Two rows of sums. */
typedef struct row_pair {
    sums row[2];
} row_pair;

/* Applies an even filter down a column, for two rows: the pixel i above the second row is i - 1
 * above the first, and the pixel i below the first is i - 1 below the second. `at` is the place in
 * a line. */
LANE_INLINE row_pair filter_down(const mrwi_compare_flip_filter *filter, const float *const *lines,
                                 int at)
{
    sums above = load_sums(lines[0] + at), below = load_sums(lines[1] + at);
    row_pair sum = {{scaled(filter->taps[0], above), scaled(filter->taps[0], below)}};
    for (int i = 1; i <= filter->radius; i++) {
        const sums over = load_sums(lines[-i] + at), under = load_sums(lines[i + 1] + at);
        add_scaled(&sum.row[0], filter->taps[i], added(below, over));
        add_scaled(&sum.row[1], filter->taps[i], added(under, above));
        above = over;
        below = under;
    }
    return sum;
}

/* Applies the filters of edges and points, which have one radius, down the same line. */
LANE_INLINE void features_down(const mrwi_compare_flip_features *f, const float *const *lines,
                               int at, row_pair *edge, row_pair *point)
{
    sums above = load_sums(lines[0] + at), below = load_sums(lines[1] + at);
    *edge = (row_pair){{scaled(0.0f, above), scaled(0.0f, below)}};
    *point = (row_pair){{scaled(f->point.taps[0], above), scaled(f->point.taps[0], below)}};
    for (int i = 1; i <= f->edge.radius; i++) {
        const sums over = load_sums(lines[-i] + at), under = load_sums(lines[i + 1] + at);
        add_scaled(&edge->row[0], f->edge.taps[i], taken(below, over));
        add_scaled(&edge->row[1], f->edge.taps[i], taken(under, above));
        add_scaled(&point->row[0], f->point.taps[i], added(below, over));
        add_scaled(&point->row[1], f->point.taps[i], added(under, above));
        above = over;
        below = under;
    }
}

/* ---- "Perceptually Uniform Color Space" ------------------------------------------------------ */

/* Computes the function of L*a*b*, CIE 15. */
LANE_INLINE vf lab_curve(vf t)
{
    const float delta = 6.0f / 29.0f;
    const vf knee = vf_set(delta * delta * delta);
    vf low = t * vf_set(1.0f / (3.0f * delta * delta)) + vf_set(4.0f / 29.0f);
    return vf_select(vf_less(knee, t), cube_root(vf_max(t, knee)), low);
}

/* Converts filtered Y, Cx, Cz, clamped to the cube of linear sRGB, to L*a*b*, with a and b scaled
 * by L / 100 after Hunt. */
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
    vf_store(look + MRWI_COMPARE_LOOK_L * CELL, lightness);
    vf_store(look + MRWI_COMPARE_LOOK_A * CELL, hunt * (vf_set(500.0f) * (curve[0] - curve[1])));
    vf_store(look + MRWI_COMPARE_LOOK_B * CELL, hunt * (vf_set(200.0f) * (curve[1] - curve[2])));
}

/* Stores the lengths of the vectors (x, y). */
LANE_INLINE void store_strength(float *p, const sums *x, const sums *y)
{
    LANE_UNROLL
    for (int k = 0; k < GROUP; k++) {
        vf_store(p + k * MRWI_BASE_LANES, vf_sqrt(x->v[k] * x->v[k] + y->v[k] * y->v[k]));
    }
}

LANE_INLINE void two_down(const mrwi_compare_flip_filters *f, const float *const *lines, int at,
                          float *look)
{
    const mrwi_compare_flip_colors *c = &f->color;
    row_pair y = filter_down(&c->achromatic, lines, MRWI_COMPARE_LINE_Y * TILE + at);
    row_pair cx = filter_down(&c->red_green, lines, MRWI_COMPARE_LINE_CX * TILE + at);
    row_pair cz_0 = filter_down(&c->blue_yellow_down[0], lines, MRWI_COMPARE_LINE_CZ_0 * TILE + at);
    row_pair cz_1 = filter_down(&c->blue_yellow_down[1], lines, MRWI_COMPARE_LINE_CZ_1 * TILE + at);
    for (int k = 0; k < 2 * GROUP; k++) {
        const int row = k / GROUP, i = k % GROUP;
        look_of(&f->matrices, y.row[row].v[i], cx.row[row].v[i],
                cz_0.row[row].v[i] + cz_1.row[row].v[i], look + row * LOOK + i * MRWI_BASE_LANES);
    }
    row_pair edge_x = filter_down(&f->feature.smooth, lines, MRWI_COMPARE_LINE_EDGE * TILE + at);
    row_pair point_x = filter_down(&f->feature.smooth, lines, MRWI_COMPARE_LINE_POINT * TILE + at);
    row_pair edge_y, point_y;
    features_down(&f->feature, lines, MRWI_COMPARE_LINE_SMOOTH * TILE + at, &edge_y, &point_y);
    for (int row = 0; row < 2; row++) {
        float *p = look + row * LOOK;
        store_strength(p + MRWI_COMPARE_LOOK_EDGE * CELL, &edge_x.row[row], &edge_y.row[row]);
        store_strength(p + MRWI_COMPARE_LOOK_POINT * CELL, &point_x.row[row], &point_y.row[row]);
    }
}

static void down(const mrwi_compare_flip_filters *f, const float *const *lines, int column,
                 float *out)
{
    for (int row = 0; row < ROWS; row += 2) {
        for (int x = 0; x < CELL; x += STEP) {
            two_down(f, lines + row, column + x, out + row * LOOK + x);
        }
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Computes the "Color Metric": the HyAB distance to the power q_c = 0.7, spread over 0 ... 1. */
LANE_INLINE vf color_error(const mrwi_compare_flip_metric *f, vf light, vf a, vf b)
{
    vf hyab = vf_abs(light) + vf_sqrt(a * a + b * b);
    vf e = power(hyab, vf_set(0.7f)), knee = vf_set(f->knee);
    vf low = vf_set(f->low_scale) * e;
    vf high = vf_set(0.95f) + vf_set(f->high_scale) * (e - knee);
    return vf_min(vf_select(vf_less(e, knee), low, high), vf_set(1.0f));
}

LANE_INLINE void compare_row(const mrwi_compare_flip_metric *f, const float *expected,
                             const float *actual, float *errors)
{
    for (int x = 0; x < CELL; x += MRWI_BASE_LANES) {
        vf delta[MRWI_COMPARE_LOOK_COUNT];
        for (int i = 0; i < MRWI_COMPARE_LOOK_COUNT; i++) {
            delta[i] = vf_load(expected + i * CELL + x) - vf_load(actual + i * CELL + x);
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

static void compare(const mrwi_compare_flip_metric *f, const float *expected, const float *actual,
                    float *errors)
{
    for (int row = 0; row < ROWS; row++) {
        compare_row(f, expected + row * LOOK, actual + row * LOOK, errors + row * TILE);
    }
}

const mrwi_compare_flip_kernels MRWI_COMPARE_FLIP_KERNELS = {across, down, compare};
