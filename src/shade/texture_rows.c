/* texture_rows.c: rows of texels: from bytes to 16 bits, to half the sides, and back to bytes. */
#include "shade/texture_rows.h"

#include "image/color.h"

#include <string.h>

#define MRWI_BASE_LANES 4
#include "base/simd/lanes.h"

typedef uint8_t half_bytes __attribute__((vector_size(8)));
typedef uint16_t half_words __attribute__((vector_size(8)));
typedef uint16_t words __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(16)));
typedef uint32_t uints __attribute__((vector_size(16)));

/* ---- conversion ------------------------------------------------------------------------------ */

void mrwi_shade_curves_make(mrw_encoding encoding, mrwi_shade_curves *out)
{
    for (uint32_t b = 0; b < 256; b++) {
        const uint16_t linear = (uint16_t)(b * 257);
        const uint16_t color =
            encoding == MRW_ENCODING_COLOR ? mrwi_image_srgb_to_linear16[b] : linear;
        for (int c = 0; c < 4; c++) {
            mrwi_shade_texel texel = {0, 0, 0, 0};
            texel[c] = c == 3 ? linear : color;
            memcpy(&out->channel[c][b], texel, sizeof texel);
            if (c < 3) {
                out->part[c][b] = (uint64_t)color << (18 * c);
            }
        }
    }
}

void mrwi_shade_row_from_bytes(const uint8_t *rgba, uint32_t count, const mrwi_shade_curves *curves,
                               mrwi_shade_texel *out)
{
    for (uint32_t x = 0; x < count; x++, rgba += 4) {
        const uint64_t texel = curves->channel[0][rgba[0]] | curves->channel[1][rgba[1]] |
                               curves->channel[2][rgba[2]] | curves->channel[3][rgba[3]];
        memcpy(out[x], &texel, sizeof texel);
    }
}

/* Divides by 257: rounded down, v / 257 is (v - v / 256) / 256 for all 65536 numbers. A remainder
 * of 129 or more rounds up. */
void mrwi_shade_row_to_bytes(const mrwi_shade_texel *from, size_t count, uint8_t *out)
{
    for (size_t x = 0; x < count; x += 2) {
        const bool both = x + 1 < count;
        words v = {0};
        memcpy(&v, from[x], both ? sizeof v : sizeof *from);
        const words down = (v - (v >> 8)) >> 8;
        const words nearest = down + ((v - down * 257 + 127) >> 8);
        const half_bytes bytes = __builtin_convertvector(nearest, half_bytes);
        memcpy(out + 4 * x, &bytes, both ? 8 : 4);
    }
}

/* ---- halving --------------------------------------------------------------------------------- */

static words words_at(const mrwi_shade_texel *at)
{
    words v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* Returns the texels 0 and 2, or 1 and 3, of a and b. */
static words evens(words a, words b)
{
    return (words)__builtin_shufflevector((pair)a, (pair)b, 0, 2);
}

static words odds(words a, words b)
{
    return (words)__builtin_shufflevector((pair)a, (pair)b, 1, 3);
}

/* Returns (a + b + 1) / 2 without a carry. */
static words mean_up(words a, words b)
{
    return (a | b) - ((a ^ b) >> 1);
}

/* Writes two texels, or the first of them. */
static void put(words v, bool both, mrwi_shade_texel *out)
{
    if (both) {
        memcpy(out, &v, sizeof v);
    } else {
        memcpy(out, &v, sizeof *out);
    }
}

/* The mean of four is the mean of means, each rounded up; it is one too large if the last was
 * rounded and any of the first two, too. */
void mrwi_shade_row_halve(const mrwi_shade_texel *upper, const mrwi_shade_texel *lower,
                          uint32_t count, mrwi_shade_texel *out)
{
    for (uint32_t x = 0; x < count; x += 2, upper += 4, lower += 4) {
        const bool both = x + 1 < count;
        const words u0 = words_at(upper), l0 = words_at(lower);
        const words u1 = both ? words_at(upper + 2) : u0, l1 = both ? words_at(lower + 2) : l0;
        const words m0 = mean_up(u0, l0), m1 = mean_up(u1, l1);
        const words even = evens(m0, m1), odd = odds(m0, m1);
        const words rounded = evens(u0 ^ l0, u1 ^ l1) | odds(u0 ^ l0, u1 ^ l1);
        put(mean_up(even, odd) - (rounded & (even ^ odd) & 1), both, out + x);
    }
}

static words sum_at(const uint8_t *upper, const uint8_t *lower)
{
    half_bytes u, l;
    memcpy(&u, upper, sizeof u);
    memcpy(&l, lower, sizeof l);
    return __builtin_convertvector(u, words) + __builtin_convertvector(l, words);
}

/* With the sum s of four bytes, (257 s + 2) / 4 is 64 s + (s + 2) / 4. */
void mrwi_shade_row_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                mrwi_shade_texel *out)
{
    for (uint32_t x = 0; x < count; x += 2, upper += 16, lower += 16) {
        const bool both = x + 1 < count;
        const words s0 = sum_at(upper, lower);
        const words s1 = both ? sum_at(upper + 8, lower + 8) : s0;
        const words sum = evens(s0, s1) + odds(s0, s1);
        put((sum << 6) + ((sum + 2) >> 2), both, out + x);
    }
}

static inline uint64_t parts_of(const uint8_t *at, const mrwi_shade_curves *curves)
{
    return curves->part[0][at[0]] + curves->part[1][at[1]] + curves->part[2][at[2]] +
           curves->part[0][at[4]] + curves->part[1][at[5]] + curves->part[2][at[6]];
}

void mrwi_shade_row_halve_curves(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                 const mrwi_shade_curves *curves, mrwi_shade_texel *out)
{
    const uint64_t halves = 2 | UINT64_C(2) << 18 | UINT64_C(2) << 36; /* to round */
    for (uint32_t x = 0; x < count; x++, upper += 8, lower += 8) {
        const uint64_t sum = halves + parts_of(upper, curves) + parts_of(lower, curves);
        const uint32_t alpha = (uint32_t)upper[3] + upper[7] + lower[3] + lower[7];
        out[x][0] = (uint16_t)(sum >> 2);
        out[x][1] = (uint16_t)(sum >> 20);
        out[x][2] = (uint16_t)(sum >> 38);
        out[x][3] = (uint16_t)((alpha << 6) + ((alpha + 2) >> 2));
    }
}

/* ---- products of normals --------------------------------------------------------------------- */

static mrwi_shade_spread products(ints texel)
{
    const mrwi_shade_spread n =
        __builtin_convertvector(texel, mrwi_shade_spread) * (2.0f / 65535.0f) - 1.0f;
    return __builtin_shufflevector(n, n, 0, 0, 1, 2) * __builtin_shufflevector(n, n, 0, 1, 1, 2);
}

mrwi_shade_spread mrwi_shade_spread_of(const mrwi_shade_texel normal)
{
    half_words narrow;
    memcpy(&narrow, normal, sizeof narrow);
    return products(__builtin_convertvector(narrow, ints));
}

void mrwi_shade_spread_halve(const mrwi_shade_spread *upper, const mrwi_shade_spread *lower,
                             uint32_t count, mrwi_shade_spread *out)
{
    for (uint32_t x = 0; x < count; x++, upper += 2, lower += 2) {
        out[x] = (((upper[0] + upper[1]) + lower[0]) + lower[1]) * 0.25f;
    }
}

/* Returns the sum of a and of the products of two texels. */
static mrwi_shade_spread add_two(mrwi_shade_spread a, const uint8_t *at)
{
    half_bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
    const words v = __builtin_convertvector(bytes, words) * 257;
    const half_words first = __builtin_shufflevector(v, v, 0, 1, 2, 3),
                     second = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    a += products(__builtin_convertvector(first, ints));
    return a + products(__builtin_convertvector(second, ints));
}

/* Returns a channel of four texels as -1 ... 1. A byte times 257 is exact in a float. */
LANE_INLINE vf channel_of(uints texels, int c)
{
    const vf bytes = __builtin_convertvector((vi)(texels >> (8 * c) & 255), vf);
    return bytes * 257.0f * (2.0f / 65535.0f) - 1.0f;
}

/* Adds the products of four texels, one per lane. */
LANE_INLINE void add_lanes(uints texels, vf sums[4])
{
    const vf x = channel_of(texels, 0), y = channel_of(texels, 1), z = channel_of(texels, 2);
    sums[0] += x * x;
    sums[1] += x * y;
    sums[2] += y * y;
    sums[3] += z * z;
}

/* Adds the products of eight texels, two per lane. */
LANE_INLINE void add_eight(const uint8_t *at, vf sums[4])
{
    uints a, b;
    memcpy(&a, at, sizeof a);
    memcpy(&b, at + 16, sizeof b);
    add_lanes(__builtin_shufflevector(a, b, 0, 2, 4, 6), sums);
    add_lanes(__builtin_shufflevector(a, b, 1, 3, 5, 7), sums);
}

/* Turns rows into columns. */
LANE_INLINE void transpose(const vf in[4], vf out[4])
{
    const vf a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
    const vf b = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
    const vf c = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    const vf d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

void mrwi_shade_spread_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                   mrwi_shade_spread *out)
{
    uint32_t x = 0;
    for (; x + 4 <= count; x += 4, upper += 32, lower += 32) {
        vf sums[4] = {{0}, {0}, {0}, {0}};
        add_eight(upper, sums);
        add_eight(lower, sums);
        LANE_UNROLL
        for (int i = 0; i < 4; i++) {
            sums[i] *= 0.25f;
        }
        transpose(sums, out + x);
    }
    for (; x < count; x++, upper += 8, lower += 8) {
        out[x] = add_two(add_two((mrwi_shade_spread){0, 0, 0, 0}, upper), lower) * 0.25f;
    }
}

/* ---- spread ---------------------------------------------------------------------------------- */

/* Computes four values: spread of normals with these means of x and y and of products. Normals that
 * spread to all sides as they do in the direction of least spread, with variance v of x and of y,
 * have a mean of length sqrt(1 - 2 v). Less than 1e-4 is noise of the 16 bits. */
LANE_INLINE vi spreads_of(vf x, vf y, const vf means[4])
{
    const vf one = vf_set(1.0f), zero = vf_set(0.0f);
    const vf xx = means[0] - x * x, xy = means[1] - x * y, yy = means[2] - y * y;
    const vf half = 0.5f * (xx - yy), square = means[0] + (means[2] + means[3]);
    const vf least = 0.5f * (xx + yy) - vf_sqrt(half * half + xy * xy);
    const vf left = vf_select(vf_less(zero, square), one - 2.0f * least / square, one);
    const vf lost = one - vf_sqrt(vf_select(vf_less(zero, left), left, zero));
    const vf seen = vf_select(vf_less(vf_set(1e-4f), lost), lost, zero);
    return __builtin_convertvector(vf_sqrt(seen) * 255.0f + 0.5f, vi);
}

void mrwi_shade_spread_to_alpha(const mrwi_shade_texel *normals, const mrwi_shade_spread *means,
                                uint32_t count, uint8_t *rgba)
{
    for (uint32_t at = 0; at < count; at += 4) {
        const uint32_t here = count - at < 4 ? count - at : 4;
        mrwi_shade_spread in[4], columns[4];
        vf x = {0}, y = {0};
        LANE_UNROLL
        for (uint32_t i = 0; i < 4; i++) { /* the last texel stands for those that are missing */
            const uint32_t from = at + (i < here ? i : here - 1);
            in[i] = means[from];
            x[i] = (float)normals[from][0];
            y[i] = (float)normals[from][1];
        }
        transpose(in, columns);
        const vf scale = vf_set(2.0f / 65535.0f), one = vf_set(1.0f);
        const vi alpha = spreads_of(x * scale - one, y * scale - one, columns);
        for (uint32_t i = 0; i < here; i++) {
            rgba[4 * (at + i) + 3] = (uint8_t)alpha[i];
        }
    }
}
