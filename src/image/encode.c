/* encode.c: TGA and BMP by stb_image_write, QOI by its author's library, and PAM. */
#include "base/memory.h"
#include "base/text.h"
#include "image/image.h"
#include "marrow/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include "marrow/codecs.h"
#include "stb_image_write.h"
/* Its functions are not static: these macros give them names of this room. */
#define qoi_encode mrwi_image_qoi_encode
#define qoi_decode mrwi_image_qoi_decode
#define QOI_NO_STDIO
#define QOI_MALLOC(size) mrwi_base_alloc((size_t)(size), 1)
#define QOI_FREE(memory) mrwi_base_free(memory)
#define QOI_IMPLEMENTATION
#include <qoi.h>
#pragma GCC diagnostic pop

/* All writers count bytes and pixels in int; TGA has 16 bits for a side. */
_Static_assert(MRW_IMAGE_MAX_SIDE <= UINT16_MAX, "sides fit");
_Static_assert((int64_t)MRW_IMAGE_MAX_SIDE *MRW_IMAGE_MAX_SIDE * 5 + 200 <= INT32_MAX, "bytes fit");
_Static_assert(MRW_IMAGE_MAX_SIDE *MRW_IMAGE_MAX_SIDE < QOI_PIXELS_MAX, "pixels fit");

/* ---- stb_image_write ------------------------------------------------------------------------- */

static void put_bytes(void *text, void *bytes, int size)
{
    mrw_text_put(text, bytes, (size_t)size);
}

/* Takes the bytes from the text. Only the text can fail: stb allocates nothing for these formats.
 */
static mrw_status finish(mrw_text *text, const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    if (text->failed) {
        mrw_text_free(text);
        return mrwi_base_fail_memory(error, (size_t)image->width * image->height * image->channels);
    }
    *out = (mrw_bytes){(uint8_t *)text->data, text->size};
    return MRW_OK;
}

mrw_status mrw_tga_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    assert(mrwi_image_is_picture(image));
    stbi_write_tga_to_func(put_bytes, &text, (int)image->width, (int)image->height,
                           (int)image->channels, image->pixels);
    return finish(&text, image, out, error);
}

mrw_status mrw_bmp_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    assert(mrwi_image_is_picture(image));
    stbi_write_bmp_to_func(put_bytes, &text, (int)image->width, (int)image->height,
                           (int)image->channels, image->pixels);
    return finish(&text, image, out, error);
}

/* ---- QOI ------------------------------------------------------------------------------------- */

mrw_status mrw_qoi_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    const qoi_desc description = {image->width, image->height, (unsigned char)image->channels,
                                  QOI_SRGB};
    int size = 0;
    assert(mrwi_image_is_picture(image));
    uint8_t *data = qoi_encode(image->pixels, &description, &size);
    if (!data) { /* without memory: there is no other reason */
        return mrwi_base_fail_memory(error,
                                     (size_t)image->width * image->height * (image->channels + 1));
    }
    *out = (mrw_bytes){data, (size_t)size};
    return MRW_OK;
}

/* ---- PAM ------------------------------------------------------------------------------------- */

mrw_status mrw_pam_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    static const char *const types[5] = {NULL, "GRAYSCALE", NULL, "RGB", "RGB_ALPHA"};
    const bool deep = mrwi_image_is_deep(image);
    const size_t values = (size_t)image->width * image->height * image->channels;
    const uint16_t *wide = (const uint16_t *)(const void *)image->pixels;
    char header[128];
    assert(deep || mrwi_image_is_picture(image));
    const size_t start = (size_t)snprintf(
        header, sizeof header,
        "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n", image->width,
        image->height, image->channels, deep ? 65535 : 255, types[image->channels]);
    const size_t size = start + values * (deep ? 2 : 1);
    uint8_t *data = mrwi_base_alloc(size, 1);
    if (!data) {
        return mrwi_base_fail_memory(error, size);
    }
    memcpy(data, header, start);
    if (!deep) {
        memcpy(data + start, image->pixels, values);
    }
    for (size_t i = 0; i < values && deep; i++) { /* PAM is big-endian */
        data[start + 2 * i] = (uint8_t)(wide[i] >> 8);
        data[start + 2 * i + 1] = (uint8_t)(wide[i] & 0xFF);
    }
    *out = (mrw_bytes){data, size};
    return MRW_OK;
}
