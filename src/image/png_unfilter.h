/* png_unfilter.h: the kernel that removes PNG's filters from a row; included by png_rows_kernel.h.
 *
 * Bytes of all filters except UP depend on the pixel to the left, so a register holds one pixel of
 * 3 or 4 bytes, one 16-bit lane per byte: wider instruction sets gain nothing.
 */
#ifndef MRWI_IMAGE_PNG_UNFILTER_H
#define MRWI_IMAGE_PNG_UNFILTER_H

#include "base/simd/lanes.h"
#include "image/png_rows.h"

typedef uint8_t sixteen __attribute__((vector_size(16)));
typedef int16_t wide __attribute__((vector_size(16)));

#if defined(__x86_64__)

LANE_INLINE wide widen(uint32_t pixel)
{
    return (wide)_mm_unpacklo_epi8(_mm_cvtsi32_si128((int)pixel), _mm_setzero_si128());
}
LANE_INLINE uint32_t narrow(wide v)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16((__m128i)v, (__m128i)v));
}
LANE_INLINE wide lower(wide a, wide b)
{
    return (wide)_mm_min_epi16((__m128i)a, (__m128i)b);
}
LANE_INLINE wide higher(wide a, wide b)
{
    return (wide)_mm_max_epi16((__m128i)a, (__m128i)b);
}

#else

LANE_INLINE wide widen(uint32_t pixel)
{
    return (wide)vmovl_u8(vcreate_u8(pixel));
}
LANE_INLINE uint32_t narrow(wide v)
{
    return vget_lane_u32((uint32x2_t)vmovn_u16((uint16x8_t)v), 0);
}
LANE_INLINE wide lower(wide a, wide b)
{
    return (wide)vminq_s16((int16x8_t)a, (int16x8_t)b);
}
LANE_INLINE wide higher(wide a, wide b)
{
    return (wide)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}

#endif

/* Predicts by Paeth with fewer dependent steps than the specification. With t = 3 corner - left -
 * above, the corner is nearest if t lies between left and above. Else the nearest is the one on the
 * other side of t. Equal distances occur only for equal values, or give the same result. */
LANE_INLINE wide paeth_wide(wide left, wide above, wide corner)
{
    wide t = corner + corner + corner - above - left;
    wide low = lower(left, above), high = higher(left, above);
    wide is_below = high > t, is_above = t > low;
    wide low_or_corner = (low & ~is_below) | (corner & is_below);
    return (high & ~is_above) | (low_or_corner & is_above);
}

LANE_INLINE wide predict(mrwi_image_png_filter filter, wide left, wide above, wide corner)
{
    return filter == MRWI_IMAGE_PNG_SUB       ? left
           : filter == MRWI_IMAGE_PNG_AVERAGE ? (left + above) >> 1
                                              : paeth_wide(left, above, corner);
}

LANE_INLINE uint32_t load_four(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

LANE_INLINE uint32_t load_three(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16;
}

#define FLAT 48 /* bytes of whole pixels, of 3 bytes and of 4 */

/* Returns true if the bytes of a block are zeros, and those above equal the pixel to their left. */
LANE_INLINE bool is_flat(const uint8_t *filtered, const uint8_t *above, size_t pixel)
{
    typedef uint64_t halves __attribute__((vector_size(16)));
    sixteen differences = {0};
    for (size_t i = 0; i < FLAT; i += 16) {
        sixteen v, over, before;
        memcpy(&v, filtered + i, sizeof v);
        memcpy(&over, above + i, sizeof over);
        memcpy(&before, above + i - pixel, sizeof before);
        differences |= v | (over ^ before);
    }
    return (((halves)differences)[0] | ((halves)differences)[1]) == 0;
}

/* Restores pixels of 3 or 4 bytes. Pixels of 3 bytes are loaded with a byte of the next one, except
 * the last. All filters copy a flat block from above if the pixels before it are equal, too. */
LANE_INLINE void unfilter_pixels(const uint8_t *filtered, const uint8_t *above, size_t count,
                                 size_t pixel, mrwi_image_png_filter filter, uint8_t *row)
{
    const uint32_t bits = pixel == 3 ? 0xffffff : 0xffffffff;
    wide left = {0}, corner = {0};
    for (size_t i = 0; i < count;) {
        const size_t end = i + FLAT <= count ? i + FLAT : count;
        if (i > 0 && i + FLAT <= count && ((narrow(left) ^ narrow(corner)) & bits) == 0 &&
            is_flat(filtered + i, above + i, pixel)) {
            memcpy(row + i, above + i, FLAT);
            i = end;
        }
        for (; i < end; i += pixel) {
            const bool last = pixel == 3 && i + 3 == count;
            wide over = widen(last ? load_three(above + i) : load_four(above + i));
            wide change = widen(last ? load_three(filtered + i) : load_four(filtered + i));
            left = (predict(filter, left, over, corner) + change) & 255;
            corner = over;
            const uint32_t value = narrow(left);
            if (pixel == 4) {
                memcpy(row + i, &value, 4);
            } else {
                memcpy(row + i, &value, 2);
                row[i + 2] = (uint8_t)(value >> 16);
            }
        }
    }
}

static void unfilter_up(const uint8_t *filtered, const uint8_t *above, size_t count, uint8_t *row)
{
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        sixteen v, over;
        memcpy(&v, filtered + i, sizeof v);
        memcpy(&over, above + i, sizeof over);
        v += over;
        memcpy(row + i, &v, sizeof v);
    }
    for (; i < count; i++) {
        row[i] = (uint8_t)(filtered[i] + above[i]);
    }
}

LANE_INLINE void unfilter_as(const uint8_t *filtered, const uint8_t *above, size_t count,
                             size_t pixel, mrwi_image_png_filter filter, uint8_t *row)
{
    if (pixel == 3) {
        unfilter_pixels(filtered, above, count, 3, filter, row);
    } else {
        unfilter_pixels(filtered, above, count, 4, filter, row);
    }
}

/* Has a separate loop for each filter. Pixels of one or two bytes are rare, and the specification
 * is as fast as stb_image for them. */
static void unfilter(const uint8_t *filtered, const uint8_t *above, size_t count, size_t pixel,
                     mrwi_image_png_filter filter, uint8_t *row)
{
    if (filter == MRWI_IMAGE_PNG_NONE) {
        memmove(row, filtered, count);
    } else if (filter == MRWI_IMAGE_PNG_UP) {
        unfilter_up(filtered, above, count, row);
    } else if (pixel < 3) {
        mrwi_image_png_rows_kernels_scalar.unfilter(filtered, above, count, pixel, filter, row);
    } else if (filter == MRWI_IMAGE_PNG_SUB) {
        unfilter_as(filtered, above, count, pixel, MRWI_IMAGE_PNG_SUB, row);
    } else if (filter == MRWI_IMAGE_PNG_AVERAGE) {
        unfilter_as(filtered, above, count, pixel, MRWI_IMAGE_PNG_AVERAGE, row);
    } else {
        unfilter_as(filtered, above, count, pixel, MRWI_IMAGE_PNG_PAETH, row);
    }
}

#endif
