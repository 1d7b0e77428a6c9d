/* webp.c: animated WebP by libwebp, which finds the rectangles that change. */
#include "image/webp.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

struct mrwi_image_webp {
    WebPAnimEncoder *encoder;
    WebPConfig config;
};

/* Fails with the library's message. encoder: the encoder that failed, or NULL; picture: the error
 * of the picture, or OK. */
static mrw_status fail(WebPAnimEncoder *encoder, WebPEncodingError picture, mrw_error *error)
{
    const char *text = encoder ? WebPAnimEncoderGetError(encoder) : NULL;
    const bool memory = !encoder || picture == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                        picture == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    return memory ? mrwi_base_fail_memory(error, 0)
                  : mrwi_base_fail(error, MRW_ERROR_INTERNAL, "libwebp: %s",
                                   text && text[0] ? text : "it fails");
}

mrw_status mrwi_image_webp_begin(uint32_t width, uint32_t height, uint32_t quality,
                                 mrwi_image_webp **out, mrw_error *error)
{
    WebPAnimEncoderOptions options;
    mrwi_image_webp *webp = mrwi_base_alloc_zero(1, sizeof *webp);
    assert(width <= MRWI_IMAGE_WEBP_MAX_SIDE && height <= MRWI_IMAGE_WEBP_MAX_SIDE);
    if (!webp) {
        return mrwi_base_fail_memory(error, sizeof *webp);
    }
    if (!WebPConfigInit(&webp->config) || !WebPAnimEncoderOptionsInit(&options)) {
        mrwi_image_webp_free(webp);
        return mrwi_base_fail(error, MRW_ERROR_INTERNAL,
                              "libwebp has a different version from the one marrow was built with");
    }
    webp->config.lossless = quality == 0;
    if (quality == 0) {
        webp->config.method = 3; /* 4 takes 1.6 to 2 times as long and saves 1 to 3 % */
    }
    webp->config.exact = quality == 0; /* keeps the colours of clear pixels, too */
    webp->config.quality = quality == 0 ? webp->config.quality : (float)quality;
    webp->encoder = WebPAnimEncoderNew((int)width, (int)height, &options);
    if (!webp->encoder) {
        mrwi_image_webp_free(webp);
        return mrwi_base_fail_memory(error, (size_t)width * height * 4);
    }
    *out = webp;
    return MRW_OK;
}

mrw_status mrwi_image_webp_add(mrwi_image_webp *webp, const mrw_image *image, uint32_t start,
                               mrw_error *error)
{
    WebPPicture picture;
    mrw_status status = MRW_OK;
    const int stride = (int)(image->width * image->channels);
    if (!WebPPictureInit(&picture)) {
        return fail(webp->encoder, VP8_ENC_OK, error);
    }
    picture.width = (int)image->width;
    picture.height = (int)image->height;
    picture.use_argb = 1;
    if (!(image->channels == 4 ? WebPPictureImportRGBA(&picture, image->pixels, stride)
                               : WebPPictureImportRGB(&picture, image->pixels, stride)) ||
        !WebPAnimEncoderAdd(webp->encoder, &picture, (int)start, &webp->config)) {
        status = fail(webp->encoder, picture.error_code, error);
    }
    WebPPictureFree(&picture);
    return status;
}

mrw_status mrwi_image_webp_finish(mrwi_image_webp *webp, uint32_t end, mrw_bytes *out,
                                  mrw_error *error)
{
    WebPData data;
    WebPDataInit(&data);
    if (!WebPAnimEncoderAdd(webp->encoder, NULL, (int)end, NULL) ||
        !WebPAnimEncoderAssemble(webp->encoder, &data)) {
        return fail(webp->encoder, VP8_ENC_OK, error);
    }
    uint8_t *bytes = mrwi_base_alloc(data.size, 1);
    if (bytes) {
        memcpy(bytes, data.bytes, data.size);
        *out = (mrw_bytes){bytes, data.size};
    }
    WebPDataClear(&data);
    return bytes ? MRW_OK : mrwi_base_fail_memory(error, data.size);
}

void mrwi_image_webp_free(mrwi_image_webp *webp)
{
    if (webp) {
        WebPAnimEncoderDelete(webp->encoder);
        mrwi_base_free(webp);
    }
}
