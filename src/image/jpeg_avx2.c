/* jpeg_avx2.c: the loops of a JPEG decoder, eight 32-bit or sixteen 16-bit lanes at a time;
 * compiled with -mavx2. */
#include "image/jpeg.h"

#include <immintrin.h>
#include <string.h>

/* Unsigned: damaged files overflow, and sums must wrap. */
typedef uint32_t lanes __attribute__((vector_size(32)));
typedef int32_t signed_lanes __attribute__((vector_size(32)));
typedef uint16_t shorts __attribute__((vector_size(32)));

static inline lanes shift_right(lanes v, int bits)
{
    return (lanes)((signed_lanes)v >> bits);
}

static inline lanes spread(int32_t value)
{
    return (lanes)_mm256_set1_epi32(value);
}

static inline lanes load_bytes(const uint8_t *p)
{
    return (lanes)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

/* ---- the inverse DCT ------------------------------------------------------------------------- */

/* 12 fractional bits, rounded as stb_image does. */
#define FIXED(x) ((int32_t)((x)*4096 + 0.5))

/* One dimension, by Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11
 * multiplications" (1989), as in the Independent JPEG Group's jidctint.c. */
static inline void transform(lanes v[8], int32_t bias, int shift)
{
    lanes z = (v[2] + v[6]) * spread(FIXED(0.5411961f));
    const lanes even2 = z + v[6] * spread(FIXED(-1.847759065f));
    const lanes even3 = z + v[2] * spread(FIXED(0.765366865f));
    const lanes even0 = (v[0] + v[4]) * 4096 + spread(bias);
    const lanes even1 = (v[0] - v[4]) * 4096 + spread(bias);
    const lanes x[4] = {even0 + even3, even1 + even2, even1 - even2, even0 - even3};
    z = (v[7] + v[3] + v[5] + v[1]) * spread(FIXED(1.175875602f));
    const lanes z1 = z + (v[7] + v[1]) * spread(FIXED(-0.899976223f));
    const lanes z2 = z + (v[5] + v[3]) * spread(FIXED(-2.562915447f));
    const lanes z3 = (v[7] + v[3]) * spread(FIXED(-1.961570560f));
    const lanes z4 = (v[5] + v[1]) * spread(FIXED(-0.390180644f));
    const lanes odd[4] = {
        v[1] * spread(FIXED(1.501321110f)) + z1 + z4, v[3] * spread(FIXED(3.072711026f)) + z2 + z3,
        v[5] * spread(FIXED(2.053119869f)) + z2 + z4, v[7] * spread(FIXED(0.298631336f)) + z1 + z3};
    for (int i = 0; i < 4; i++) {
        v[i] = shift_right(x[i] + odd[i], shift);
        v[7 - i] = shift_right(x[i] - odd[i], shift);
    }
}

static inline void transpose(lanes v[8])
{
    __m256i pairs[8], fours[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_epi32((__m256i)v[i], (__m256i)v[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_epi32((__m256i)v[i], (__m256i)v[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            fours[i + 2 * k] = _mm256_unpacklo_epi64(pairs[i + k], pairs[i + k + 2]);
            fours[i + 2 * k + 1] = _mm256_unpackhi_epi64(pairs[i + k], pairs[i + k + 2]);
        }
    }
    for (int i = 0; i < 4; i++) {
        v[i] = (lanes)_mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
        v[i + 4] = (lanes)_mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
}

/* Columns 0 - 3 or 4 - 7 of all rows, clamped to bytes: rows 0 - 3, then 4 - 7, 4 bytes each. */
static inline __m256i pack_columns(const lanes v[4])
{
    const __m256i turn = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0,
                                          4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i low = _mm256_packs_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i high = _mm256_packs_epi32((__m256i)v[2], (__m256i)v[3]);
    return _mm256_shuffle_epi8(_mm256_packus_epi16(low, high), turn);
}

/* Rows r and r + 1. */
static inline void store_rows(uint8_t *out, ptrdiff_t stride, __m128i rows)
{
    _mm_storel_epi64((__m128i *)(void *)out, rows);
    _mm_storel_epi64((__m128i *)(void *)(out + stride), _mm_unpackhi_epi64(rows, rows));
}

/* The second dimension leaves 15 bits, so the first of two saturating packs changes nothing. */
static void idct(uint8_t *out, int stride, short coefficients[64])
{
    lanes v[8];
    for (int i = 0; i < 8; i++) {
        const __m128i row = _mm_loadu_si128((const __m128i *)(const void *)(coefficients + 8 * i));
        v[i] = (lanes)_mm256_cvtepi16_epi32(row);
    }
    transform(v, 512, 10);
    transpose(v);
    transform(v, 65536 + (128 << 17), 17);
    const __m256i left = pack_columns(v), right = pack_columns(v + 4);
    const __m256i first = _mm256_unpacklo_epi32(left, right);
    const __m256i second = _mm256_unpackhi_epi32(left, right);
    const ptrdiff_t row = stride;
    store_rows(out, row, _mm256_castsi256_si128(first));
    store_rows(out + 2 * row, row, _mm256_castsi256_si128(second));
    store_rows(out + 4 * row, row, _mm256_extracti128_si256(first, 1));
    store_rows(out + 6 * row, row, _mm256_extracti128_si256(second, 1));
}

/* ---- chroma to full resolution --------------------------------------------------------------- */

static inline shorts load_shorts(const uint8_t *p)
{
    return (shorts)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
}

static uint8_t *resample(uint8_t *out, uint8_t *nearer, uint8_t *farther, int w, int factor)
{
    int i = 1;
    (void)factor;
    const int first = 3 * nearer[0] + farther[0], last = 3 * nearer[w - 1] + farther[w - 1];
    out[0] = (uint8_t)((first + 2) >> 2);
    for (; i + 16 <= w; i += 16) {
        const shorts left = load_shorts(nearer + i - 1) * 3 + load_shorts(farther + i - 1);
        const shorts right = load_shorts(nearer + i) * 3 + load_shorts(farther + i);
        const shorts two = (left * 3 + right + 8) >> 4 | (right * 3 + left + 8) >> 4 << 8;
        memcpy(out + 2 * i - 1, &two, sizeof two);
    }
    for (; i < w; i++) {
        const int left = 3 * nearer[i - 1] + farther[i - 1], right = 3 * nearer[i] + farther[i];
        out[2 * i - 1] = (uint8_t)((3 * left + right + 8) >> 4);
        out[2 * i] = (uint8_t)((3 * right + left + 8) >> 4);
    }
    out[2 * w - 1] = (uint8_t)((last + 2) >> 2);
    return out;
}

/* ---- colour ---------------------------------------------------------------------------------- */

/* 20 fractional bits, of which stb_image keeps 12. */
#define FACTOR(x) ((int32_t)((x)*4096.0f + 0.5f) * 256)

static inline uint32_t clamp_byte(int32_t v)
{
    return v < 0 ? 0 : v > 255 ? 255 : (uint32_t)v;
}

static void to_rgb_each(uint8_t *out, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                        int count, int step)
{
    for (int i = 0; i < count; i++, out += step) {
        const int32_t luma = (y[i] << 20) + (1 << 19), red = cr[i] - 128, blue = cb[i] - 128;
        const uint32_t green = (uint32_t)(blue * -FACTOR(0.34414f)) & 0xffff0000u;
        out[0] = (uint8_t)clamp_byte((luma + red * FACTOR(1.40200f)) >> 20);
        out[1] = (uint8_t)clamp_byte((luma + red * -FACTOR(0.71414f) + (int32_t)green) >> 20);
        out[2] = (uint8_t)clamp_byte((luma + blue * FACTOR(1.77200f)) >> 20);
        if (step == 4) {
            out[3] = 255;
        }
    }
}

static inline lanes clamp_bytes(lanes v)
{
    const __m256i most = _mm256_set1_epi32(255);
    return (lanes)_mm256_max_epi32(_mm256_min_epi32((__m256i)v, most), _mm256_setzero_si256());
}

static void to_rgb(uint8_t *out, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int count,
                   int step)
{
    int i = 0;
    for (; step == 4 && i + 8 <= count; i += 8) {
        const lanes luma = (load_bytes(y + i) << 20) + spread(1 << 19);
        const lanes red = load_bytes(cr + i) - 128, blue = load_bytes(cb + i) - 128;
        const lanes green = blue * spread(-FACTOR(0.34414f)) & 0xffff0000u;
        const lanes r = shift_right(luma + red * spread(FACTOR(1.40200f)), 20);
        const lanes g = shift_right(luma + red * spread(-FACTOR(0.71414f)) + green, 20);
        const lanes b = shift_right(luma + blue * spread(FACTOR(1.77200f)), 20);
        const lanes rgba =
            clamp_bytes(r) | clamp_bytes(g) << 8 | clamp_bytes(b) << 16 | 0xff000000u;
        memcpy(out + 4 * (size_t)i, &rgba, sizeof rgba);
    }
    to_rgb_each(out + (ptrdiff_t)step * i, y + i, cb + i, cr + i, count - i, step);
}

const mrwi_jpeg_kernels mrwi_jpeg_avx2 = {idct, resample, to_rgb};
