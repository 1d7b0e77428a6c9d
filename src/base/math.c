/* math.c: sine, arc tangent, logarithm and their family without libm.
 *
 * Each function reduces its argument to a short interval and sums a Taylor series there: the
 * coefficients are the plain 1/n! and 1/n, so a reader can check them. Sums run from the smallest
 * term to the largest. Hexadecimal constants were computed with 80 decimal digits.
 */
#include "base/math.h"

#include <string.h>

/* pi/2 in three pieces; the first two have 33 bits, so their product with an integer below 2^20 is
 * exact (Cody and Waite 1980). */
#define HALF_PI_1   0x1.921fb544p+0
#define HALF_PI_2   0x1.0b4611a6p-34
#define HALF_PI_3   0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

/* ln 2 in two pieces; the first has 42 bits, so its product with an exponent is exact. */
#define LN2_1       0x1.62e42fefa38p-1
#define LN2_2       0x1.ef35793c7673p-45
#define INVERSE_LN2 0x1.71547652b82fep+0

/* ---- sine, cosine, tangent ------------------------------------------------------------------- */

/* x minus the nearest multiple of pi/2, within pi/4 of 0, as head + tail. */
typedef struct reduced_angle {
    double head, tail;
    int quadrant; /* 0 ... 3 */
} reduced_angle;

/* Exact to 1e-20 or so below 1e6; beyond, the angle first loses whole turns of the double nearest
 * to 2 pi. What is not finite counts as 0, so that no NaN is born here. */
static reduced_angle reduce_angle(double x)
{
    if (!(fabs(x) <= DBL_MAX)) {
        return (reduced_angle){0.0, 0.0, 0};
    }
    if (fabs(x) > 1e6) {
        x = fmod(x, 2.0 * MRWI_BASE_PI);
    }
    double n = floor(x * TWO_OVER_PI + 0.5);
    double rest = x - n * HALF_PI_1; /* exact */
    double second = n * HALF_PI_2;   /* exact */
    double head = rest - second;
    double tail = ((rest - head) - second) - n * HALF_PI_3;
    reduced_angle angle;
    angle.head = head + tail;
    angle.tail = (head - angle.head) + tail;
    angle.quadrant = (int)(n - 4.0 * floor(n / 4.0));
    return angle;
}

/* sin(head + tail) for |head| <= pi/4 */
static double sine_series(double head, double tail)
{
    static const double coefficients[] = {
        1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
        1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0,
    };
    double square = head * head, sum = 0.0;
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++) {
        sum = sum * square + coefficients[i];
    }
    return head + (sum * square * head + tail * (1.0 - 0.5 * square));
}

/* cos(head + tail) for |head| <= pi/4 */
static double cosine_series(double head, double tail)
{
    static const double coefficients[] = {
        -1.0 / 6402373705728000.0, 1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0,
        -1.0 / 3628800.0,          1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0,
    };
    double square = head * head, sum = 0.0;
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++) {
        sum = sum * square + coefficients[i];
    }
    double half = 0.5 * square, leading = 1.0 - half;
    /* (1 - leading) - half is what the subtraction above rounded away. */
    return leading + (((1.0 - leading) - half) + (sum * square * square - head * tail));
}

static double sine_of(reduced_angle angle, int quadrant)
{
    double value = (quadrant & 1) != 0 ? cosine_series(angle.head, angle.tail)
                                       : sine_series(angle.head, angle.tail);
    return (quadrant & 2) != 0 ? -value : value;
}

double mrwi_base_sin(double x)
{
    reduced_angle angle = reduce_angle(x);
    return sine_of(angle, angle.quadrant);
}

double mrwi_base_cos(double x)
{
    reduced_angle angle = reduce_angle(x);
    return sine_of(angle, angle.quadrant + 1);
}

double mrwi_base_tan(double x)
{
    reduced_angle angle = reduce_angle(x);
    return sine_of(angle, angle.quadrant) / sine_of(angle, angle.quadrant + 1);
}

/* ---- arc functions --------------------------------------------------------------------------- */

/* atan(q) for 0 <= q <= 1, about the nearest k/8: atan(c) + atan((q - c) / (1 + q c)), where the
 * second argument is at most 1/16. */
static double arc_tangent(double q)
{
    static const double eighths[9] = {
        0.0,
        0x1.fd5ba9aac2f6ep-4,
        0x1.f5b75f92c80ddp-3,
        0x1.6f61941e4def1p-2,
        0x1.dac670561bb4fp-2,
        0x1.1e00babdefeb4p-1,
        0x1.4978fa3269ee1p-1,
        0x1.700a7c5784634p-1,
        0x1.921fb54442d18p-1,
    };
    double nearest = floor(8.0 * q + 0.5), c = nearest / 8.0;
    double t = (q - c) / (1.0 + q * c);
    double square = t * t, sum = 0.0;
    for (int n = 15; n >= 3; n -= 2) {
        sum = sum * -square + 1.0 / n;
    }
    return eighths[(int)nearest] + (t - sum * square * t);
}

double mrwi_base_atan2(double y, double x)
{
    if (x != x || y != y) {
        return 0.0; /* the sign bit of a NaN differs between CPUs */
    }
    double far = fabs(x), near = fabs(y);
    bool steep = near > far;
    if (steep) {
        double swapped = far;
        far = near;
        near = swapped;
    }
    double angle = 0.0;
    if (far > DBL_MAX && near > DBL_MAX) {
        angle = MRWI_BASE_PI / 4.0;
    } else if (far > 0.0) {
        angle = arc_tangent(near / far);
    }
    if (steep) {
        angle = MRWI_BASE_PI / 2.0 - angle;
    }
    if (signbit(x)) {
        angle = MRWI_BASE_PI - angle;
    }
    return signbit(y) ? -angle : angle;
}

/* (1 - x)(1 + x) keeps every digit near |x| = 1, where 1 - x * x loses half of them. */
static double opposite_leg(double x)
{
    return sqrt((1.0 - x) * (1.0 + x));
}

static double clamp_to_unit(double x)
{
    if (!(x > -1.0)) {
        return -1.0;
    }
    return x < 1.0 ? x : 1.0;
}

double mrwi_base_acos(double x)
{
    x = clamp_to_unit(x);
    return mrwi_base_atan2(opposite_leg(x), x);
}

double mrwi_base_asin(double x)
{
    x = clamp_to_unit(x);
    return mrwi_base_atan2(x, opposite_leg(x));
}

/* ---- exponential, logarithm ------------------------------------------------------------------ */

/* exp(head + tail), |tail| tiny: 2^n exp(r) with |r| <= ln 2 / 2. */
static double exponential(double head, double tail)
{
    if (!(head <= 710.0)) {
        return INFINITY;
    }
    if (head < -746.0) {
        return 0.0;
    }
    double n = floor(head * INVERSE_LN2 + 0.5);
    double r = (head - n * LN2_1) + (tail - n * LN2_2);
    double sum = 1.0;
    for (int k = 14; k >= 2; k--) {
        sum = 1.0 + sum * r / k;
    }
    return ldexp(1.0 + sum * r, (int)n);
}

double mrwi_base_exp(double x)
{
    return exponential(x, 0.0);
}

/* x = 2^exponent * m with m in sqrt(1/2) ... sqrt(2) */
static double split_exponent(double x, int *exponent)
{
    double m = frexp(x, exponent);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        *exponent -= 1;
    }
    return m;
}

/* 1/first + square/(first + 2) + square^2/(first + 4) ... up to 1/last: the tail of
 * atanh(s)/s = 1 + s^2/3 + s^4/5 ... */
static double inverse_odd_series(double square, int first, int last)
{
    double sum = 0.0;
    for (int n = last; n >= first; n -= 2) {
        sum = sum * square + 1.0 / n;
    }
    return sum;
}

/* log m = 2 atanh((m - 1) / (m + 1)) */
double mrwi_base_log(double x)
{
    if (!(x > 0.0)) {
        return -INFINITY;
    }
    if (x > DBL_MAX) {
        return INFINITY;
    }
    int exponent = 0;
    double m = split_exponent(x, &exponent);
    double s = (m - 1.0) / (m + 1.0), square = s * s;
    double tail = 2.0 * s * square * inverse_odd_series(square, 3, 25);
    return exponent * LN2_1 + (2.0 * s + (tail + exponent * LN2_2));
}

/* ---- power ----------------------------------------------------------------------------------- */

/* The sum of two doubles that do not overlap: about 106 bits (Dekker 1971). A power needs its
 * logarithm that precisely, because the exponential turns absolute error into relative error. */
typedef struct pair {
    double head, tail;
} pair;

static pair pair_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (pair){sum, (a - (sum - part)) + (b - part)};
}

static pair pair_product(double a, double b)
{
    const double splitter = 134217729.0; /* 2^27 + 1 (Veltkamp) */
    double a_scaled = a * splitter, b_scaled = b * splitter;
    double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
    double a_low = a - a_high, b_low = b - b_high;
    double product = a * b;
    double error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return (pair){product, error};
}

static pair pair_add(pair a, pair b)
{
    pair sum = pair_sum(a.head, b.head);
    return pair_sum(sum.head, sum.tail + (a.tail + b.tail));
}

static pair pair_multiply(pair a, pair b)
{
    pair product = pair_product(a.head, b.head);
    return pair_sum(product.head, product.tail + (a.head * b.tail + a.tail * b.head));
}

static pair pair_divide(double a, pair b)
{
    double quotient = a / b.head;
    pair back = pair_product(quotient, b.head);
    double rest = (a - back.head) - back.tail - quotient * b.tail;
    return pair_sum(quotient, rest / b.head);
}

/* log x for finite x > 0; the first six terms of the series in pairs, the rest in double. */
static pair pair_log(double x)
{
    int exponent = 0;
    double m = split_exponent(x, &exponent);
    pair s = pair_divide(m - 1.0, pair_sum(m, 1.0));
    pair square = pair_multiply(s, s);
    pair sum = {inverse_odd_series(square.head, 13, 31), 0.0};
    for (int n = 11; n >= 1; n -= 2) {
        sum = pair_add(pair_multiply(sum, square), pair_divide(1.0, (pair){n, 0.0}));
    }
    sum = pair_multiply(sum, (pair){2.0 * s.head, 2.0 * s.tail});
    return pair_add((pair){exponent * LN2_1, exponent * LN2_2}, sum);
}

double mrwi_base_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (!(x > 0.0)) {
        return y > 0.0 ? 0.0 : INFINITY;
    }
    if (x > DBL_MAX) {
        return y > 0.0 ? INFINITY : 0.0;
    }
    pair log_x = pair_log(x);
    double estimate = log_x.head * y;
    if (!(fabs(estimate) < 800.0)) {
        return exponential(estimate, 0.0);
    }
    pair product = pair_product(log_x.head, y);
    return exponential(product.head, product.tail + log_x.tail * y);
}

/* ---- rounding -------------------------------------------------------------------------------- */

#define FINITE_BLOCK 64

bool mrwi_base_all_finite(const float *values, size_t count)
{
    const uint32_t exponent = 0x7f800000;
    size_t i = 0;
    for (; count - i >= FINITE_BLOCK; i += FINITE_BLOCK) { /* a loop that compilers vectorize */
        uint32_t bits[FINITE_BLOCK], bad = 0;
        memcpy(bits, values + i, sizeof bits);
        for (size_t k = 0; k < FINITE_BLOCK; k++) {
            bad |= (bits[k] & exponent) == exponent;
        }
        if (bad) {
            return false;
        }
    }
    for (; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

int32_t mrwi_base_round_to_int(double x, int32_t lo, int32_t hi)
{
    if (!(x > lo)) {
        return lo;
    }
    return x < hi ? (int32_t)floor(x + 0.5) : hi;
}
