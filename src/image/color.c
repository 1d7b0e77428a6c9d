/* color.c: linear light to sRGB bytes. */
#include "image/color.h"

#include <string.h>

uint8_t mrwi_image_linear_to_srgb8(float linear)
{
    if (!(linear >= 0x1p-13f)) {
        return 0;
    }
    if (linear >= 1.0f) {
        return 255;
    }
    uint32_t bits;
    memcpy(&bits, &linear, sizeof bits);
    unsigned byte = mrwi_image_srgb_buckets[(bits - MRWI_IMAGE_SRGB_FIRST_BITS) >>
                                            MRWI_IMAGE_SRGB_BUCKET_SHIFT];
    byte += mrwi_image_srgb_thresholds[byte] <= linear;
    byte += mrwi_image_srgb_thresholds[byte] <= linear;
    return (uint8_t)byte;
}
