/* webp_read.c: a still WebP by libwebp, which reads both kinds: lossless (VP8L) and lossy (VP8,
 * RFC 6386).
 *
 * A lossless file has exactly its encoder's pixels. A VP8 decoder must give the same bits
 * everywhere (RFC 6386, section 1), but libwebp chooses how to interpolate chroma and convert it to
 * RGB. Its C, SSE and NEON code give the same bits: see tests/test_webp_read.c. */
#include "image/webp_read.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/decode.h"

#include <string.h>
#include <webp/decode.h>

/* Bytes that libwebp takes per pixel while it decodes: ARGB and some rows. */
#define DECODER_BYTES 5u

bool mrwi_image_webp_is(const uint8_t *data, size_t size)
{
    return size >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0;
}

static mrw_status fail(VP8StatusCode code, const char *name, mrw_error *error)
{
    return code == VP8_STATUS_OUT_OF_MEMORY
               ? mrwi_base_fail_memory(error, 0)
               : mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "%s: the WebP is damaged or cut off: export it again", name);
}

mrw_status mrwi_image_webp_size(const uint8_t *data, size_t size, const char *name, int *width,
                                int *height, mrw_error *error)
{
    WebPBitstreamFeatures features;
    const VP8StatusCode code = WebPGetFeatures(data, size, &features);
    if (code != VP8_STATUS_OK) {
        return fail(code, name, error);
    }
    if (features.has_animation) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the WebP is an animation; export a still picture", name);
    }
    *width = features.width;
    *height = features.height;
    return MRW_OK;
}

mrw_status mrwi_image_webp_decode(const uint8_t *data, size_t size, uint32_t channels,
                                  const char *name, mrw_image *out, mrw_error *error)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) {
        return mrwi_base_fail(error, MRW_ERROR_INTERNAL,
                              "libwebp has a different version from the one marrow was built with");
    }
    VP8StatusCode code = WebPGetFeatures(data, size, &config.input);
    if (code != VP8_STATUS_OK) {
        return fail(code, name, error);
    }
    channels = channels != 0 ? channels : config.input.has_alpha ? 4 : 3;
    mrw_status status =
        mrwi_image_ask(name, (uint32_t)config.input.width, (uint32_t)config.input.height,
                       channels + DECODER_BYTES, error);
    if (status) {
        return status;
    }
    status = mrw_image_create((uint32_t)config.input.width, (uint32_t)config.input.height, channels,
                              out, error);
    if (status) {
        return status;
    }
    const size_t needed = (size_t)out->width * out->height * DECODER_BYTES;
    if (!mrwi_base_memory_lend(needed)) {
        mrw_image_free(out);
        return mrwi_base_fail_memory(error, needed);
    }
    config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = out->pixels;
    config.output.u.RGBA.stride = (int)(out->width * channels);
    config.output.u.RGBA.size = (size_t)out->width * out->height * channels;
    code = WebPDecode(data, size, &config);
    WebPFreeDecBuffer(&config.output);
    mrwi_base_memory_return(needed);
    if (code != VP8_STATUS_OK) {
        mrw_image_free(out);
        return fail(code, name, error);
    }
    return MRW_OK;
}
