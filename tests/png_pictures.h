/* png_pictures.h: pictures of every shape for other programs to decode: noise, flat, gradients,
 * nearly flat, and bands with a little noise. */
#ifndef MARROW_PNG_PICTURES_H
#define MARROW_PNG_PICTURES_H

#include "test.h"

#include "marrow/image.h"

#define PICTURE_STYLES 5

static inline mrw_image make_picture(uint32_t width, uint32_t height, uint32_t channels, int style)
{
    mrw_image image;
    uint64_t state = width + 7 * height;
    ck_assert_int_eq(mrw_image_create(width, height, channels, &image, NULL), MRW_OK);
    for (uint32_t y = 0, i = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                const uint32_t any = test_random(&state);
                const uint32_t styles[PICTURE_STYLES] = {
                    any >> 24, 77 * c, (x * (c + 1) + 3 * y) / 4, any >> 20 == 0 ? x : 200,
                    x * y / 40 + any % 3};
                image.pixels[i++] = (uint8_t)styles[style];
            }
        }
    }
    return image;
}

#endif
