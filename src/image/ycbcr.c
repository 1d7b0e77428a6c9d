/* ycbcr.c: converts R'G'B' to Y'CbCr (Recommendation ITU-R BT.709-6, items 3.2 to 3.4).
 *
 *     E'Y  = 0.2126 E'R + 0.7152 E'G + 0.0722 E'B         D'Y  = INT(219 E'Y + 16)
 *     E'CB = (E'B - E'Y) / 1.8556                         D'CB = INT(224 E'CB + 128)
 *     E'CR = (E'R - E'Y) / 1.5748                         D'CR = INT(224 E'CR + 128)
 *
 * E' are the bytes of the picture / 255, and INT rounds to the nearest. Here all numbers are
 * integers: the factors are multiples of 2^-22, so that a sum of three products fits into 32 bits.
 * They are rounded to the nearest, except green's factors in the differences: there the three
 * factors add up to 0, so that greys get 128. This changes the sum before the final rounding by
 * less than 1e-4. */
#include "image/ycbcr.h"

#include "image/image.h"

#include <assert.h>

#define SHIFT 22
#define HALF  (1 << (SHIFT - 1))

/* The factors of R', G' and B', and the constant that is added. */
typedef struct factors {
    int32_t red, green, blue, base;
} factors;

static const factors planes_factors[3] = {
    {765821, 2576270, 260076, (16 << SHIFT) + HALF},
    {-422130, -1420074, 1842204, (128 << SHIFT) + HALF},
    {1842204, -1673285, -168919, (128 << SHIFT) + HALF},
};

static void fill(const uint8_t *pixels, size_t count, factors f, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = pixels + 3 * i;
        out[i] = (uint8_t)((f.base + f.red * p[0] + f.green * p[1] + f.blue * p[2]) >> SHIFT);
    }
}

void mrwi_image_to_ycbcr(const mrw_image *image, uint8_t *planes)
{
    const size_t count = (size_t)image->width * image->height;
    assert(mrwi_image_is_picture(image) && image->channels == 3);
    for (int i = 0; i < 3; i++) {
        fill(image->pixels, count, planes_factors[i], planes + (size_t)i * count);
    }
}
