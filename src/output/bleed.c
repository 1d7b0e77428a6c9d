/* bleed.c: finds the nearest visible pixel of each clear one, by the distance transform of
 * Meijster, Roerdink, Hesselink, "A General Algorithm for Computing Distance Transforms in Linear
 * Time" (2000), in integers. The first pass finds the nearest visible pixel in the same column. The
 * second finds, row by row, the column whose pixel is the nearest: the lower envelope of the
 * parabolas of squared distances. A column replaces one further left only where it is nearer, not
 * where it is equally near. */
#include "output/bleed.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

#define NONE UINT16_MAX /* a column without a visible pixel */

typedef struct bleeding {
    uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    uint16_t *rows;  /* [pixel] row of the nearest visible pixel in its column, or NONE */
    uint32_t *below; /* [column] row of the nearest visible pixel below, or NONE */
    uint32_t *of;    /* [stretch of the row] the column that is nearest there */
    uint32_t *from;  /* [stretch of the row] its first pixel */
} bleeding;

static uint8_t *pixel(const bleeding *b, uint32_t x, uint32_t y)
{
    return b->pixels + y * b->stride + (size_t)x * 4;
}

/* Fills in `rows`: the first pass. */
static void search_columns(const bleeding *b)
{
    for (uint32_t y = 0; y < b->height; y++) {
        uint16_t *row = b->rows + (size_t)y * b->width;
        for (uint32_t x = 0; x < b->width; x++) {
            const uint16_t above = y > 0 ? (row - b->width)[x] : NONE;
            row[x] = pixel(b, x, y)[3] > 0 ? (uint16_t)y : above;
        }
    }
    for (uint32_t x = 0; x < b->width; x++) {
        b->below[x] = NONE;
    }
    for (uint32_t y = b->height; y-- > 0;) {
        uint16_t *row = b->rows + (size_t)y * b->width;
        for (uint32_t x = 0; x < b->width; x++) {
            if (row[x] == y) {
                b->below[x] = y;
            } else if (b->below[x] != NONE && (row[x] == NONE || b->below[x] - y < y - row[x])) {
                row[x] = (uint16_t)b->below[x];
            }
        }
    }
}

/* Returns the squared distance from pixel x, y to the visible pixel of a column that is nearest to
 * row y. */
static int64_t distance(const bleeding *b, uint32_t x, uint32_t y, uint32_t column)
{
    const int64_t across = (int64_t)x - column;
    const int64_t down = (int64_t)y - b->rows[(size_t)y * b->width + column];
    return across * across + down * down;
}

/* Returns the first pixel of a row to which column `right` is nearer than `left`. */
static int64_t takes_over(const bleeding *b, uint32_t y, uint32_t left, uint32_t right)
{
    const int64_t ahead = distance(b, 0, y, right) - distance(b, 0, y, left);
    return ahead / (2 * ((int64_t)right - left)) + 1; /* ahead is not below 0 */
}

/* Colours the clear pixels of a row: the second pass. */
static void fill_row(const bleeding *b, uint32_t y)
{
    uint32_t count = 0;
    for (uint32_t x = 0; x < b->width; x++) {
        int64_t from = 0;
        if (b->rows[(size_t)y * b->width + x] == NONE) {
            continue;
        }
        while (count > 0 && distance(b, b->from[count - 1], y, b->of[count - 1]) >
                                distance(b, b->from[count - 1], y, x)) {
            count--;
        }
        if (count > 0) {
            from = takes_over(b, y, b->of[count - 1], x);
        }
        if (from < b->width) {
            b->of[count] = x;
            b->from[count++] = (uint32_t)from;
        }
    }
    for (uint32_t x = b->width; x-- > 0 && count > 0;) {
        const uint32_t column = b->of[count - 1];
        if (pixel(b, x, y)[3] == 0) {
            memcpy(pixel(b, x, y), pixel(b, column, b->rows[(size_t)y * b->width + column]), 3);
        }
        count -= x == b->from[count - 1];
    }
}

mrw_status mrwi_output_bleed(uint8_t *pixels, size_t stride, uint32_t width, uint32_t height,
                             mrw_error *error)
{
    bleeding b = {.pixels = pixels,
                  .stride = stride,
                  .width = width,
                  .height = height,
                  .rows = mrwi_base_alloc((size_t)width * height, sizeof *b.rows),
                  .below = mrwi_base_alloc(width, sizeof *b.below),
                  .of = mrwi_base_alloc(width, sizeof *b.of),
                  .from = mrwi_base_alloc(width, sizeof *b.from)};
    mrw_status status = MRW_OK;
    if (!b.rows || !b.below || !b.of || !b.from) {
        status = mrwi_base_fail_memory(error, (size_t)width * height);
        goto out;
    }
    search_columns(&b);
    for (uint32_t y = 0; y < height; y++) {
        fill_row(&b, y);
    }
out:
    mrwi_base_free(b.rows);
    mrwi_base_free(b.below);
    mrwi_base_free(b.of);
    mrwi_base_free(b.from);
    return status;
}
