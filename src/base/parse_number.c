/* parse_number.c: decimal text to the nearest double, exactly, whatever the locale.
 *
 * A number is digits * 10^exponent. If both factors are exact as doubles, nearly always, their
 * product or quotient is the nearest double (Clinger, "How to read floating point numbers
 * accurately", 1990). Otherwise it becomes 64 leading bits and one flag that says whether anything
 * not zero follows them, which decides every rounding. Up to 19 digits with a power up to 10^27
 * take one 128-bit product or quotient; the rest long division.
 */
#include "base/bigint.h"
#include "base/text.h"

#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* A number between two neighbouring doubles that is exactly half way has at most 767 digits;
 * whatever is not zero behind 800 is as good as one 1. */
#define MAX_DIGITS      800
#define HEAD_DIGITS     19 /* fit into 64 bits */
#define MAX_FAST_POWER  27 /* 5^27 < 2^63 */
#define MAX_EXACT_POWER 22 /* 5^22 < 2^53 */

typedef struct decimal {
    const char *first; /* the first digit that is not 0 */
    const char *end;   /* behind the last digit; a point may stand between */
    uint64_t head;     /* value of the first HEAD_DIGITS digits */
    int64_t digits;    /* from first to end */
    int64_t exponent;  /* the value is digits * 10^exponent */
    bool negative;
} decimal;

static bool is_digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

/* Reads "e-12" at p; returns what is behind it, or p when there is no exponent. */
static const char *scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    const char *start = p;
    if (p >= end || (*p != 'e' && *p != 'E')) {
        return start;
    }
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    if (!is_digit(p, end)) {
        return start;
    }
    int64_t value = 0;
    for (; is_digit(p, end); p++) {
        /* Saturates where no count of digits in memory could bring the number back. */
        value = value < INT64_C(100000000000000000) ? value * 10 + (*p - '0') : value;
    }
    *exponent += negative ? -value : value;
    return p;
}

static void add_digit(decimal *number, const char *p)
{
    if (number->digits == 0) {
        if (*p == '0') {
            return;
        }
        number->first = p;
    }
    if (number->digits < HEAD_DIGITS) {
        number->head = number->head * 10 + (uint64_t)(*p - '0');
    }
    number->digits++;
}

/* Returns what is behind the number, NULL when there is none. */
static const char *scan(const char *p, const char *end, decimal *number)
{
    number->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    bool any = is_digit(p, end);
    for (; is_digit(p, end); p++) {
        add_digit(number, p);
    }
    number->end = p;
    if (p < end && *p == '.' && (any || is_digit(p + 1, end))) {
        any = true;
        for (p++; is_digit(p, end); p++) {
            add_digit(number, p);
            number->exponent--;
        }
        number->end = p;
    }
    return any ? scan_exponent(p, end, &number->exponent) : NULL;
}

/* Rounds (bits + a little, when inexact) * 2^exponent, where bit 63 of bits is set, to the nearest
 * double, ties to even. False when that is not finite. */
static bool round_to_double(uint64_t bits, bool inexact, int exponent, double *out)
{
    int power = exponent + 63; /* exponent of the leading bit */
    if (power > 1023) {
        return false;
    }
    int dropped = power >= -1022 ? 11 : 11 + (-1022 - power);
    uint64_t kept = dropped < 64 ? bits >> dropped : 0;
    if (dropped <= 64) {
        uint64_t rest = dropped < 64 ? bits & ((UINT64_C(1) << dropped) - 1) : bits;
        uint64_t half = UINT64_C(1) << (dropped - 1);
        bool up = rest > half || (rest == half && (inexact || (kept & 1) != 0));
        kept += up ? 1 : 0;
    }
    /* The leading bit of `kept` adds one to the exponent's field; so does a carry out of it. */
    uint64_t field = power >= -1022 ? (uint64_t)(power + 1022) : 0;
    uint64_t pattern = (field << 52) + kept;
    if (pattern >= UINT64_C(0x7FF) << 52) {
        return false;
    }
    memcpy(out, &pattern, sizeof *out);
    return true;
}

/* Up to 2^53 times 10^-22 ... 10^22. */
static double convert_exact(const decimal *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double head = (double)number->head;
    return number->exponent < 0 ? head / powers[-number->exponent]
                                : head * powers[number->exponent];
}

/* Up to 19 digits times 10^-27 ... 10^27. */
static bool convert_short(const decimal *number, double *out)
{
    uint64_t power5 = 1;
    int exponent = (int)number->exponent;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
        power5 *= 5;
    }
    int shift = __builtin_clzll(number->head);
    uint128 value = (uint128)(number->head << shift);
    bool inexact = false;
    if (exponent >= 0) {
        value *= power5;
        exponent -= shift;
    } else {
        value <<= 64;
        inexact = value % power5 != 0;
        value /= power5;
        exponent -= shift + 64;
    }
    uint64_t high = (uint64_t)(value >> 64);
    if (high == 0) {
        return round_to_double((uint64_t)value, inexact, exponent, out);
    }
    int excess = 64 - __builtin_clzll(high);
    uint128 lost = value & (((uint128)1 << excess) - 1);
    return round_to_double((uint64_t)(value >> excess), inexact || lost != 0, exponent + excess,
                           out);
}

/* The digits as an integer; returns how many of them it left out. */
static int64_t read_digits(const decimal *number, mrwi_base_bigint *out)
{
    mrwi_base_bigint_set(out, 0);
    int64_t taken = 0;
    bool rest = false;
    for (const char *p = number->first; p < number->end; p++) {
        if (*p == '.') {
            continue;
        }
        if (taken < MAX_DIGITS) {
            mrwi_base_bigint_multiply(out, 10, (uint32_t)(*p - '0'));
            taken++;
        } else {
            rest = rest || *p != '0';
        }
    }
    if (rest) {
        mrwi_base_bigint_multiply(out, 10, 1);
        taken++;
    }
    return number->digits - taken;
}

/* Any number within the exponents of doubles: 64 steps of long division. */
static bool convert_long(const decimal *number, double *out)
{
    mrwi_base_bigint above, below;
    int power = (int)(read_digits(number, &above) + number->exponent);
    mrwi_base_bigint_set(&below, 1);
    mrwi_base_bigint_multiply_power5(power >= 0 ? &above : &below, power >= 0 ? power : -power);
    int shift = mrwi_base_bigint_bits(&above) - mrwi_base_bigint_bits(&below);
    mrwi_base_bigint_shift_left(shift >= 0 ? &below : &above, shift >= 0 ? shift : -shift);
    if (mrwi_base_bigint_compare(&above, &below) < 0) {
        mrwi_base_bigint_shift_left(&above, 1);
        shift--;
    }
    uint64_t bits = 0; /* bits of above / below, which lies in 1 ... 2 */
    for (int i = 0; i < 64; i++) {
        bits <<= 1;
        if (mrwi_base_bigint_compare(&above, &below) >= 0) {
            mrwi_base_bigint_subtract(&above, &below);
            bits |= 1;
        }
        mrwi_base_bigint_shift_left(&above, 1);
    }
    return round_to_double(bits, above.count != 0, power + shift - 63, out);
}

static bool convert(const decimal *number, double *out)
{
    int64_t magnitude = number->digits + number->exponent; /* below 10^magnitude */
    if (number->digits == 0 || magnitude < -330) {
        *out = 0.0;
        return true;
    }
    if (magnitude > 310) {
        return false;
    }
    if (number->digits <= HEAD_DIGITS && number->head <= UINT64_C(1) << 53 &&
        number->exponent >= -MAX_EXACT_POWER && number->exponent <= MAX_EXACT_POWER) {
        *out = convert_exact(number);
        return true;
    }
    if (number->digits <= HEAD_DIGITS && number->exponent >= -MAX_FAST_POWER &&
        number->exponent <= MAX_FAST_POWER) {
        return convert_short(number, out);
    }
    return convert_long(number, out);
}

size_t mrwi_base_parse_double(const char *text, size_t size, double *out)
{
    decimal number = {0};
    double value = 0.0;
    const char *behind = scan(text, text + size, &number);
    if (!behind || !convert(&number, &value)) {
        return 0;
    }
    *out = number.negative ? -value : value;
    return (size_t)(behind - text);
}
