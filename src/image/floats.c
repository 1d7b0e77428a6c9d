/* floats.c: files of plain numbers: PFM, Middlebury's .flo, and NumPy's .npy. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

mrw_status mrw_pfm_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    const size_t row = (size_t)image->width * image->channels * sizeof(float);
    char header[64];
    assert(image->format == MRW_FORMAT_F32 && (image->channels == 1 || image->channels == 3));
    /* the negative scale means little-endian */
    const size_t start =
        (size_t)snprintf(header, sizeof header, "%s\n%u %u\n-1.0\n",
                         image->channels == 3 ? "PF" : "Pf", image->width, image->height);
    const size_t size = start + row * image->height;
    uint8_t *data = mrwi_base_alloc(size, 1);
    if (!data) {
        return mrwi_base_fail_memory(error, size);
    }
    memcpy(data, header, start);
    for (uint32_t y = 0; y < image->height; y++) {
        memcpy(data + start + y * row, image->pixels + (image->height - 1 - y) * row, row);
    }
    *out = (mrw_bytes){data, size};
    return MRW_OK;
}

mrw_status mrw_flo_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    static const float check = 202021.25f, unknown[2] = {MRW_FLO_UNKNOWN, MRW_FLO_UNKNOWN};
    const size_t pixels = (size_t)image->width * image->height, start = 12;
    const size_t size = start + pixels * sizeof unknown;
    const float *from = (const float *)(const void *)image->pixels;
    uint8_t *data = mrwi_base_alloc(size, 1);
    assert(image->format == MRW_FORMAT_F32 && image->channels == 3);
    if (!data) {
        return mrwi_base_fail_memory(error, size);
    }
    memcpy(data, &check, 4); /* reads "PIEH" */
    memcpy(data + 4, &image->width, 4);
    memcpy(data + 8, &image->height, 4);
    for (size_t i = 0; i < pixels; i++) {
        memcpy(data + start + i * sizeof unknown, from[3 * i + 2] == 0.0f ? unknown : from + 3 * i,
               sizeof unknown);
    }
    *out = (mrw_bytes){data, size};
    return MRW_OK;
}

mrw_status mrw_npy_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    static const char *const types[] = {[MRW_FORMAT_U8] = "|u1",
                                        [MRW_FORMAT_U16] = "<u2",
                                        [MRW_FORMAT_U32] = "<u4",
                                        [MRW_FORMAT_F32] = "<f4"};
    const size_t values = (size_t)image->width * image->height * image->channels;
    const size_t bytes = values * mrw_format_size(image->format);
    char header[192], channels[16] = "";
    if (image->channels > 1) {
        snprintf(channels, sizeof channels, ", %u", image->channels);
    }
    /* magic, version 1.0, and the length of the text, which is padded to a multiple of 64 */
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    size_t used =
        10 + (size_t)snprintf(header + 10, sizeof header - 10,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u%s), }",
                              types[image->format], image->height, image->width, channels);
    const size_t start = (used + 1 + 63) / 64 * 64;
    memset(header + used, ' ', start - used);
    header[start - 1] = '\n';
    header[8] = (char)(start - 10);
    header[9] = 0;
    uint8_t *data = mrwi_base_alloc(start + bytes, 1);
    if (!data) {
        return mrwi_base_fail_memory(error, start + bytes);
    }
    memcpy(data, header, start);
    memcpy(data + start, image->pixels, bytes);
    *out = (mrw_bytes){data, start + bytes};
    return MRW_OK;
}
