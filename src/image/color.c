/* color.c: sRGB to linear light and back. */
#include "image/color.h"

#include "base/math.h"

#include <string.h>

double mrwi_image_srgb_to_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : mrwi_base_pow((srgb + 0.055) / 1.055, 2.4);
}

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
