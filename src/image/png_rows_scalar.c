/* png_rows_scalar.c: the filters of PNG, byte by byte: the specification of the other kernels. */
#include "image/png_rows.h"

#include <stdlib.h>

/* Returns the neighbour nearest to left + above - corner (PNG third edition, 9.4). */
static int paeth(int left, int above, int corner)
{
    int to_left = abs(above - corner), to_above = abs(left - corner);
    int to_corner = abs(left + above - 2 * corner);
    return to_left <= to_above && to_left <= to_corner ? left
           : to_above <= to_corner                     ? above
                                                       : corner;
}

static uint8_t filter_byte(mrwi_image_png_filter filter, const uint8_t *row, const uint8_t *above,
                           ptrdiff_t i, ptrdiff_t pixel)
{
    switch (filter) {
    case MRWI_IMAGE_PNG_SUB:
        return (uint8_t)(row[i] - row[i - pixel]);
    case MRWI_IMAGE_PNG_UP:
        return (uint8_t)(row[i] - above[i]);
    case MRWI_IMAGE_PNG_PAETH:
        return (uint8_t)(row[i] - paeth(row[i - pixel], above[i], above[i - pixel]));
    default:
        return row[i];
    }
}

static bool is_plain(const uint8_t *row, const uint8_t *above, size_t at, size_t count,
                     ptrdiff_t pixel)
{
    for (size_t i = at; i < at + MRWI_IMAGE_PNG_BLOCK && i < count; i++) {
        if (row[i] != row[(ptrdiff_t)i - pixel] || row[i] != above[i]) {
            return false;
        }
    }
    return true;
}

static mrwi_image_png_range busy(const uint8_t *row, const uint8_t *above, size_t count,
                                 size_t pixel)
{
    size_t first = 0, last = (count - 1) / MRWI_IMAGE_PNG_BLOCK * MRWI_IMAGE_PNG_BLOCK;
    while (first < count && is_plain(row, above, first, count, (ptrdiff_t)pixel)) {
        first += MRWI_IMAGE_PNG_BLOCK;
    }
    if (first >= count) {
        return (mrwi_image_png_range){0, 0};
    }
    while (is_plain(row, above, last, count, (ptrdiff_t)pixel)) {
        last -= MRWI_IMAGE_PNG_BLOCK;
    }
    size_t end = last + MRWI_IMAGE_PNG_BLOCK;
    return (mrwi_image_png_range){first, end < count ? end : count};
}

static void costs(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                  uint64_t sums[MRWI_IMAGE_PNG_FILTERS])
{
    static const mrwi_image_png_filter compared[] = {MRWI_IMAGE_PNG_SUB, MRWI_IMAGE_PNG_UP,
                                                     MRWI_IMAGE_PNG_PAETH};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof compared / sizeof *compared; k++) {
            int byte = filter_byte(compared[k], row, above, (ptrdiff_t)i, (ptrdiff_t)pixel);
            sums[compared[k]] += (uint64_t)(byte < 128 ? byte : 256 - byte);
        }
    }
}

static void filter(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
                   mrwi_image_png_filter chosen, uint8_t *out, uint64_t *zeros)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = filter_byte(chosen, row, above, (ptrdiff_t)i, (ptrdiff_t)pixel);
        uint64_t bit = UINT64_C(1) << (i % 64);
        zeros[i / 64] = (i % 64 == 0 ? 0 : zeros[i / 64]) | (out[i] == 0 ? bit : 0);
    }
}

static void runs(const uint64_t *zeros, size_t count, uint64_t *starts)
{
    for (size_t i = 0; i < count; i++) {
        starts[i] = zeros[i];
        for (int k = 1; k < MRWI_IMAGE_PNG_LEAST_RUN; k++) {
            starts[i] &= zeros[i] >> k | zeros[i + 1] << (64 - k);
        }
    }
}

/* Returns the prediction of a byte from its neighbours. */
static inline int predict(mrwi_image_png_filter filter, int left, int above, int corner)
{
    switch (filter) {
    case MRWI_IMAGE_PNG_SUB:
        return left;
    case MRWI_IMAGE_PNG_UP:
        return above;
    case MRWI_IMAGE_PNG_AVERAGE:
        return (left + above) / 2;
    case MRWI_IMAGE_PNG_PAETH:
        return paeth(left, above, corner);
    default:
        return 0;
    }
}

static inline __attribute__((always_inline)) void
unfilter_as(const uint8_t *filtered, const uint8_t *above, size_t count, size_t pixel,
            mrwi_image_png_filter filter, uint8_t *row)
{
    for (size_t i = 0; i < pixel; i++) {
        row[i] = (uint8_t)(filtered[i] + predict(filter, 0, above[i], 0));
    }
    for (size_t i = pixel; i < count; i++) {
        row[i] =
            (uint8_t)(filtered[i] + predict(filter, row[i - pixel], above[i], above[i - pixel]));
    }
}

static void unfilter(const uint8_t *filtered, const uint8_t *above, size_t count, size_t pixel,
                     mrwi_image_png_filter filter, uint8_t *row)
{
    switch (filter) { /* a separate loop for each filter */
    case MRWI_IMAGE_PNG_SUB:
        unfilter_as(filtered, above, count, pixel, MRWI_IMAGE_PNG_SUB, row);
        break;
    case MRWI_IMAGE_PNG_AVERAGE:
        unfilter_as(filtered, above, count, pixel, MRWI_IMAGE_PNG_AVERAGE, row);
        break;
    case MRWI_IMAGE_PNG_PAETH:
        unfilter_as(filtered, above, count, pixel, MRWI_IMAGE_PNG_PAETH, row);
        break;
    default:
        unfilter_as(filtered, above, count, pixel, filter, row);
        break;
    }
}

const mrwi_image_png_rows_kernels mrwi_image_png_rows_kernels_scalar = {busy, costs, filter, runs,
                                                                        unfilter};
