/* format_number.c: doubles and floats to the shortest decimal text that reads back to them.
 *
 * Steele and White's free-format algorithm ("How to print floating-point numbers accurately", 1990)
 * on exact integers: the digits stop as soon as they name no other number. Most numbers take
 * integers of 128 bits, which are ten times as fast as those of any size.
 */
#include "base/bigint.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* The value is significand * 2^exponent. */
typedef struct binary {
    uint64_t significand;
    int exponent;
    bool power_of_two; /* the neighbour below is only half as far as the one above */
} binary;

/* 0.d1 d2 d3 ... * 10^point */
typedef struct digits {
    char text[20];
    int count;
    int point;
} digits;

/* Takes a format with `bits` stored bits and the given exponent field apart. */
static binary take_apart(uint64_t stored, int field, int bits, int bias)
{
    binary number = {stored, 1 - bias - bits, false};
    if (field != 0) {
        number.significand |= UINT64_C(1) << bits;
        number.exponent = field - bias - bits;
        number.power_of_two = stored == 0 && field > 1;
    }
    return number;
}

static binary take_double(double value)
{
    uint64_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    return take_apart(pattern & ((UINT64_C(1) << 52) - 1), (int)(pattern >> 52 & 0x7FF), 52, 1023);
}

static binary take_float(float value)
{
    uint32_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    return take_apart(pattern & ((1u << 23) - 1), (int)(pattern >> 23 & 0xFF), 23, 127);
}

/* The algorithm's state: value = rest / scale, and half the way to the neighbours is above / scale
 * and below / scale. */
typedef struct generator {
    mrwi_base_bigint rest, scale, above, below;
    bool closed; /* the ends of the interval read back to the value too: its last bit is 0 */
} generator;

static void multiply_by_ten(generator *g)
{
    mrwi_base_bigint_multiply(&g->rest, 10, 0);
    mrwi_base_bigint_multiply(&g->above, 10, 0);
    mrwi_base_bigint_multiply(&g->below, 10, 0);
}

static void start_generator(const binary *number, generator *g)
{
    int exponent = number->exponent, extra = number->power_of_two ? 2 : 1;
    int up = exponent > 0 ? exponent : 0, down = exponent < 0 ? -exponent : 0;
    mrwi_base_bigint_set(&g->rest, number->significand);
    mrwi_base_bigint_set(&g->scale, 1);
    mrwi_base_bigint_set(&g->above, 1);
    mrwi_base_bigint_set(&g->below, 1);
    mrwi_base_bigint_shift_left(&g->rest, up + extra);
    mrwi_base_bigint_shift_left(&g->scale, down + extra);
    mrwi_base_bigint_shift_left(&g->above, up + extra - 1);
    mrwi_base_bigint_shift_left(&g->below, up);
    g->closed = (number->significand & 1) == 0;
}

/* True when rest + above reaches scale: the number may be rounded up to 1. */
static bool reaches_one(const generator *g)
{
    mrwi_base_bigint sum;
    mrwi_base_bigint_copy(&sum, &g->rest);
    mrwi_base_bigint_add(&sum, &g->above);
    int order = mrwi_base_bigint_compare(&sum, &g->scale);
    return g->closed ? order >= 0 : order > 0;
}

/* Estimates the power of ten of the first digit, which may be one more: floor(log10) of the leading
 * bit's value. 78913 / 2^18 is log10(2) to six digits. The bias keeps the shifted number
 * positive. */
static int estimate_point(const binary *number)
{
    int leading = number->exponent + 63 - __builtin_clzll(number->significand);
    return (int)((((int64_t)leading + 4096) * 78913 >> 18) - (int64_t)4096 * 78913 / 262144);
}

/* Scales so that the first digit comes right behind the point; returns the power of ten. */
static int scale_to_first_digit(const binary *number, generator *g)
{
    int point = estimate_point(number);
    if (point >= 0) {
        mrwi_base_bigint_multiply_power5(&g->scale, point);
        mrwi_base_bigint_shift_left(&g->scale, point);
    }
    for (int i = point; i < 0; i++) {
        multiply_by_ten(g);
    }
    while (reaches_one(g)) {
        mrwi_base_bigint_multiply(&g->scale, 10, 0);
        point++;
    }
    for (;;) {
        generator next = *g;
        multiply_by_ten(&next);
        if (reaches_one(&next)) {
            return point;
        }
        *g = next;
        point--;
    }
}

/* The next digit: rest * 10 / scale, keeping the remainder. */
static char next_digit(generator *g)
{
    char digit = '0';
    multiply_by_ten(g);
    while (mrwi_base_bigint_compare(&g->rest, &g->scale) >= 0) {
        mrwi_base_bigint_subtract(&g->rest, &g->scale);
        digit++;
    }
    return digit;
}

static digits long_digits(const binary *number)
{
    digits result = {{0}, 0, 0};
    generator g;
    start_generator(number, &g);
    result.point = scale_to_first_digit(number, &g);
    for (;;) {
        char digit = next_digit(&g);
        int order = mrwi_base_bigint_compare(&g.rest, &g.below);
        bool low = g.closed ? order <= 0 : order < 0;
        bool high = reaches_one(&g);
        if (low && high) {
            mrwi_base_bigint_shift_left(&g.rest, 1);
            high = mrwi_base_bigint_compare(&g.rest, &g.scale) >= 0;
            low = !high;
        }
        result.text[result.count++] = high ? (char)(digit + 1) : digit;
        if (low || high) {
            return result;
        }
    }
}

/* ---- in 128 bits ----------------------------------------------------------------------------- */

/* The same state in 128 bits, and the power of ten of the first digit. */
typedef struct short_generator {
    uint128 rest, scale, above, below;
    bool closed;
    int point;
} short_generator;

static bool short_reaches_one(const short_generator *g, unsigned factor)
{
    const uint128 sum = factor * (g->rest + g->above);
    return g->closed ? sum >= g->scale : sum > g->scale;
}

static void short_multiply_by_ten(short_generator *g)
{
    g->rest *= 10;
    g->above *= 10;
    g->below *= 10;
}

/* Starts and scales. Returns false if the state may take more than 128 bits. Values up to 2^90 and
 * down to 2^-60 (doubles) or 2^-89 (floats) fit: `scale` begins with at most 2^114, the estimated
 * point makes `rest` less than 100 times that, and the next digit takes another factor of 10. */
static bool start_short(const binary *number, short_generator *g)
{
    const int extra = number->power_of_two ? 2 : 1;
    const int up = number->exponent > 0 ? number->exponent : 0;
    const int down = number->exponent < 0 ? -number->exponent : 0;
    if (up + 64 - __builtin_clzll(number->significand) > 90 || down > 112) {
        return false;
    }
    *g = (short_generator){.rest = (uint128)number->significand << (up + extra),
                           .scale = (uint128)1 << (down + extra),
                           .above = (uint128)1 << (up + extra - 1),
                           .below = (uint128)1 << up,
                           .closed = (number->significand & 1) == 0,
                           .point = estimate_point(number)};
    for (int i = 0; i < g->point; i++) {
        g->scale *= 10;
    }
    for (int i = g->point; i < 0; i++) {
        short_multiply_by_ten(g);
    }
    for (; short_reaches_one(g, 1); g->point++) {
        g->scale *= 10;
    }
    for (; !short_reaches_one(g, 10); g->point--) {
        short_multiply_by_ten(g);
    }
    return true;
}

static digits short_digits(short_generator *g)
{
    digits result = {{0}, 0, g->point};
    for (;;) {
        char digit = '0';
        short_multiply_by_ten(g);
        for (; g->rest >= g->scale; digit++) {
            g->rest -= g->scale;
        }
        bool low = g->closed ? g->rest <= g->below : g->rest < g->below;
        bool high = short_reaches_one(g, 1);
        if (low && high) {
            high = 2 * g->rest >= g->scale;
            low = !high;
        }
        result.text[result.count++] = high ? (char)(digit + 1) : digit;
        if (low || high) {
            return result;
        }
    }
}

static digits shortest_digits(const binary *number)
{
    short_generator g;
    return start_short(number, &g) ? short_digits(&g) : long_digits(number);
}

/* ---- layout ---------------------------------------------------------------------------------- */

static size_t put(char *out, size_t used, char c, int times)
{
    for (int i = 0; i < times; i++) {
        out[used++] = c;
    }
    return used;
}

static size_t put_digits(char *out, size_t used, const char *text, int count)
{
    for (int i = 0; i < count; i++) {
        out[used++] = text[i];
    }
    return used;
}

/* Decimal digits of an integer without leading zeros, at least `least` of them. */
static size_t put_integer(char *out, size_t used, uint64_t value, int least)
{
    char reversed[20];
    int count = 0;
    for (; value != 0 || count < least; value /= 10) {
        reversed[count++] = (char)('0' + value % 10);
    }
    while (count > 0) {
        out[used++] = reversed[--count];
    }
    return used;
}

/* 0.00123, 123, 12300, 1.23e-7: the ranges of %.17g. */
static size_t lay_out(const digits *d, bool negative, char out[32])
{
    size_t used = put(out, 0, '-', negative ? 1 : 0);
    if (d->point < -3 || d->point > 17) {
        out[used++] = d->text[0];
        if (d->count > 1) {
            out[used++] = '.';
            used = put_digits(out, used, d->text + 1, d->count - 1);
        }
        int power = d->point - 1;
        used = put(out, used, 'e', 1);
        used = put(out, used, '-', power < 0 ? 1 : 0);
        used = put_integer(out, used, (uint64_t)(power < 0 ? -power : power), 1);
    } else if (d->point <= 0) {
        out[used++] = '0';
        out[used++] = '.';
        used = put(out, used, '0', -d->point);
        used = put_digits(out, used, d->text, d->count);
    } else {
        int whole = d->count < d->point ? d->count : d->point;
        used = put_digits(out, used, d->text, whole);
        used = put(out, used, '0', d->point - whole);
        if (d->count > whole) {
            out[used++] = '.';
            used = put_digits(out, used, d->text + whole, d->count - whole);
        }
    }
    out[used] = '\0';
    return used;
}

static size_t format(const binary *number, bool finite, bool negative, char out[32])
{
    if (!finite) {
        memcpy(out, "null", 5);
        return 4;
    }
    digits d = {{'0'}, 1, 1};
    if (number->significand != 0) {
        d = shortest_digits(number);
    }
    return lay_out(&d, negative, out);
}

size_t mrwi_base_format_double(double value, char out[32])
{
    binary number = take_double(value);
    return format(&number, isfinite(value), signbit(value), out);
}

size_t mrwi_base_format_float(float value, char out[32])
{
    binary number = take_float(value);
    return format(&number, isfinite(value), signbit(value), out);
}

/* |value| * 10^decimals as an integer, rounded half up on the exact value. */
static uint128 scaled_integer(const binary *number, uint64_t power10)
{
    uint128 product = (uint128)number->significand * power10; /* below 2^83 */
    if (number->exponent >= 0) {
        return product << number->exponent;
    }
    int shift = -number->exponent;
    return shift > 100 ? 0 : (product + ((uint128)1 << (shift - 1))) >> shift;
}

size_t mrwi_base_format_fixed(double value, int decimals, char out[32])
{
    if (!(fabs(value) < 1e18)) { /* the digits behind the point are long gone */
        return mrwi_base_format_double(value, out);
    }
    decimals = decimals < 0 ? 0 : (decimals > 9 ? 9 : decimals);
    uint64_t power10 = 1;
    for (int i = 0; i < decimals; i++) {
        power10 *= 10;
    }
    binary number = take_double(value);
    uint128 scaled = scaled_integer(&number, power10);
    size_t used = put(out, 0, '-', signbit(value) && scaled != 0 ? 1 : 0);
    used = put_integer(out, used, (uint64_t)(scaled / power10), 1);
    if (decimals > 0) {
        out[used++] = '.';
        used = put_integer(out, used, (uint64_t)(scaled % power10), decimals);
    }
    out[used] = '\0';
    return used;
}
