/* png_rows_kernel.h: the filters of PNG, a register of bytes at a time, four bytes per lane of
 * lanes.h.
 *
 * A kernel file defines MRWI_BASE_LANES (4 or 8) and MRWI_IMAGE_PNG_ROWS, the name of its table,
 * and includes this.
 */
#include "base/simd/lanes.h"
#include "image/png_rows.h"
#include "image/png_unfilter.h"

#define BYTES (4 * MRWI_BASE_LANES)

typedef uint8_t bytes __attribute__((vector_size(BYTES)));

/* ---- intrinsics ------------------------------------------------------------------------------ */

#if MRWI_BASE_LANES == 8

typedef uint32_t bits; /* one bit per lane */
#define LANE_OP(name, intrinsic)                                                                   \
    LANE_INLINE bytes name(bytes a, bytes b)                                                       \
    {                                                                                              \
        return (bytes)intrinsic((__m256i)a, (__m256i)b);                                           \
    }
LANE_OP(larger, _mm256_max_epu8)
LANE_OP(smaller, _mm256_min_epu8)
LANE_OP(add_saturated, _mm256_adds_epu8)
LANE_OP(sums_of_eight, _mm256_sad_epu8)
LANE_INLINE bits which_are_zero(bytes v)
{
    return (bits)_mm256_movemask_epi8((__m256i)(v == 0));
}
LANE_INLINE bool all_zero(bytes v)
{
    return _mm256_testz_si256((__m256i)v, (__m256i)v) != 0;
}

#elif defined(__x86_64__)

typedef uint16_t bits;
#define LANE_OP(name, intrinsic)                                                                   \
    LANE_INLINE bytes name(bytes a, bytes b)                                                       \
    {                                                                                              \
        return (bytes)intrinsic((__m128i)a, (__m128i)b);                                           \
    }
LANE_OP(larger, _mm_max_epu8)
LANE_OP(smaller, _mm_min_epu8)
LANE_OP(add_saturated, _mm_adds_epu8)
LANE_OP(sums_of_eight, _mm_sad_epu8)
LANE_INLINE bits which_are_zero(bytes v)
{
    return (bits)_mm_movemask_epi8((__m128i)(v == 0));
}
LANE_INLINE bool all_zero(bytes v)
{
    return which_are_zero(v) == UINT16_MAX;
}

#else

typedef uint16_t bits;
#define LANE_OP(name, intrinsic)                                                                   \
    LANE_INLINE bytes name(bytes a, bytes b)                                                       \
    {                                                                                              \
        return (bytes)intrinsic((uint8x16_t)a, (uint8x16_t)b);                                     \
    }
LANE_OP(larger, vmaxq_u8)
LANE_OP(smaller, vminq_u8)
LANE_OP(add_saturated, vqaddq_u8)
LANE_INLINE bytes sums_of_eight(bytes v, bytes zero)
{
    (void)zero;
    return (bytes)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((uint8x16_t)v)));
}
LANE_INLINE bits which_are_zero(bytes v)
{
    const bytes place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    typedef uint64_t halves __attribute__((vector_size(16)));
    halves sums = (halves)sums_of_eight((bytes)(v == 0) & place, place);
    return (bits)(sums[0] | sums[1] << 8);
}
LANE_INLINE bool all_zero(bytes v)
{
    typedef uint64_t halves __attribute__((vector_size(16)));
    return (((halves)v)[0] | ((halves)v)[1]) == 0;
}

#endif

typedef uint64_t words __attribute__((vector_size(BYTES)));

LANE_INLINE bytes load(const uint8_t *p)
{
    bytes v;
    memcpy(&v, p, sizeof v);
    return v;
}

LANE_INLINE bytes choose(bytes mask, bytes a, bytes b)
{
    return (mask & a) | (~mask & b);
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* Predicts by Paeth, with distances of 8 bits. If the corner lies between left and above, its
 * distance is the difference of theirs; else it is their sum, which is never the smallest and may
 * saturate. */
LANE_INLINE bytes paeth(bytes left, bytes above, bytes corner)
{
    bytes low = smaller(above, corner), high = larger(above, corner);
    bytes to_left = high - low;
    bytes low_2 = smaller(left, corner), high_2 = larger(left, corner);
    bytes to_above = high_2 - low_2;
    bytes either_side = (bytes)(low == corner) ^ (bytes)(low_2 == corner);
    bytes difference = larger(to_left, to_above) - smaller(to_left, to_above);
    bytes to_corner = choose(either_side, difference, add_saturated(to_left, to_above));
    bytes least = smaller(smaller(to_left, to_above), to_corner);
    return choose((bytes)(least == to_left), left,
                  choose((bytes)(least == to_above), above, corner));
}

LANE_INLINE bytes filtered(mrwi_image_png_filter filter, const uint8_t *row, const uint8_t *above,
                           size_t pixel)
{
    bytes v = load(row);
    switch (filter) {
    case MRWI_IMAGE_PNG_SUB:
        return v - load(row - pixel);
    case MRWI_IMAGE_PNG_UP:
        return v - load(above);
    case MRWI_IMAGE_PNG_PAETH:
        return v - paeth(load(row - pixel), load(above), load(above - pixel));
    default:
        return v;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

LANE_INLINE words magnitudes(bytes v, bytes wanted)
{
    const bytes zero = {0};
    v &= wanted;
    return (words)sums_of_eight(smaller(v, zero - v), zero);
}

LANE_INLINE uint64_t total(words v)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < BYTES / 8; i++) {
        sum += v[i];
    }
    return sum;
}

/* Returns a mask of the first `count` bytes. */
LANE_INLINE bytes first_lanes(size_t count)
{
    static const uint8_t ones_then_zeros[2 * BYTES] = {[0 ... BYTES - 1] = 255,
                                                       [BYTES... 2 * BYTES - 1] = 0};
    return load(ones_then_zeros + BYTES - (count < BYTES ? count : BYTES));
}

/* Returns true if the bytes of the block at `at` equal those to their left and above. */
LANE_INLINE bool is_plain(const uint8_t *row, const uint8_t *above, size_t at, size_t count,
                          size_t pixel)
{
    bytes differences = {0};
    const bool whole = at + MRWI_IMAGE_PNG_BLOCK <= count;
    for (size_t i = at; i < at + MRWI_IMAGE_PNG_BLOCK; i += BYTES) {
        bytes v = load(row + i);
        bytes d = (v ^ load(row + i - pixel)) | (v ^ load(above + i));
        differences |= whole ? d : i < count ? d & first_lanes(count - i) : d ^ d;
    }
    return all_zero(differences);
}

static mrwi_image_png_range busy(const uint8_t *row, const uint8_t *above, size_t count,
                                 size_t pixel)
{
    size_t first = 0, last = (count - 1) / MRWI_IMAGE_PNG_BLOCK * MRWI_IMAGE_PNG_BLOCK;
    while (first < count && is_plain(row, above, first, count, pixel)) {
        first += MRWI_IMAGE_PNG_BLOCK;
    }
    if (first >= count) {
        return (mrwi_image_png_range){0, 0};
    }
    while (is_plain(row, above, last, count, pixel)) {
        last -= MRWI_IMAGE_PNG_BLOCK;
    }
    size_t end = last + MRWI_IMAGE_PNG_BLOCK;
    return (mrwi_image_png_range){first, end < count ? end : count};
}

static void costs(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                  uint64_t out[MRWI_IMAGE_PNG_FILTERS])
{
    words sub = {0}, up = {0}, path = {0};
    for (size_t i = 0; i < count; i += BYTES) {
        bytes v = load(row + i), a = load(row + i - pixel), b = load(above + i);
        if (all_zero((v ^ a) | (v ^ b))) {
            continue; /* plain ground: all filters predict it */
        }
        bytes wanted = first_lanes(count - i);
        sub += magnitudes(v - a, wanted);
        up += magnitudes(v - b, wanted);
        path += magnitudes(v - paeth(a, b, load(above + i - pixel)), wanted);
    }
    out[MRWI_IMAGE_PNG_SUB] += total(sub);
    out[MRWI_IMAGE_PNG_UP] += total(up);
    out[MRWI_IMAGE_PNG_PAETH] += total(path);
}

LANE_INLINE void filter_row(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                            mrwi_image_png_filter chosen, uint8_t *out, uint64_t *zeros)
{
    uint8_t *map = (uint8_t *)zeros;
    for (size_t i = 0; i < count; i += BYTES) {
        bytes v = filtered(chosen, row + i, above + i, pixel);
        bits zero = which_are_zero(v);
        memcpy(out + i, &v, sizeof v);
        memcpy(map + i / 8, &zero, sizeof zero);
    }
}

static void filter(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                   mrwi_image_png_filter chosen, uint8_t *out, uint64_t *zeros)
{
    switch (chosen) { /* a separate loop for each filter */
    case MRWI_IMAGE_PNG_SUB:
        filter_row(row, above, count, pixel, MRWI_IMAGE_PNG_SUB, out, zeros);
        break;
    case MRWI_IMAGE_PNG_UP:
        filter_row(row, above, count, pixel, MRWI_IMAGE_PNG_UP, out, zeros);
        break;
    case MRWI_IMAGE_PNG_PAETH:
        filter_row(row, above, count, pixel, MRWI_IMAGE_PNG_PAETH, out, zeros);
        break;
    default:
        filter_row(row, above, count, pixel, MRWI_IMAGE_PNG_NONE, out, zeros);
        break;
    }
}

static void runs(const uint64_t *zeros, size_t count, uint64_t *starts)
{
    for (size_t i = 0; i < count; i += BYTES / 8) {
        words low, high;
        memcpy(&low, zeros + i, sizeof low);
        memcpy(&high, zeros + i + 1, sizeof high);
        int n = 1;
        for (; 2 * n <= MRWI_IMAGE_PNG_LEAST_RUN; n *= 2) { /* 2, 4, 8 in a row */
            low &= low >> n | high << (64 - n);
            high &= high >> n;
        }
        const int rest = MRWI_IMAGE_PNG_LEAST_RUN - n;
        low &= rest > 0 ? low >> rest | high << (64 - rest) : low;
        memcpy(starts + i, &low, sizeof low);
    }
}

const mrwi_image_png_rows_kernels MRWI_IMAGE_PNG_ROWS = {busy, costs, filter, runs, unfilter};
