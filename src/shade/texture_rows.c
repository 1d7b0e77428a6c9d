/* texture_rows.c: rows of texels: from bytes to 16 bits, to half the sides, and back to bytes. */
#include "shade/texture_rows.h"

#include "image/color.h"

#include <string.h>

typedef uint8_t half_bytes __attribute__((vector_size(8)));
typedef uint16_t half_words __attribute__((vector_size(8)));
typedef uint16_t words __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(16)));

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

void mrwi_shade_spread_halve_bytes(const uint8_t *upper, const uint8_t *lower, uint32_t count,
                                   mrwi_shade_spread *out)
{
    for (uint32_t x = 0; x < count; x++, upper += 8, lower += 8) {
        out[x] = add_two(add_two((mrwi_shade_spread){0, 0, 0, 0}, upper), lower) * 0.25f;
    }
}
