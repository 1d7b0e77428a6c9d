/* raw.c: bare RGBA, and YUV4MPEG2 (yuv4mpeg(5) of mjpegtools). */
#include "output/raw.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/ycbcr.h"

#include <stdio.h>
#include <string.h>

static mrw_status allocate(size_t size, mrw_bytes *out, mrw_error *error)
{
    *out = (mrw_bytes){mrwi_base_alloc(size, 1), size};
    return out->data ? MRW_OK : mrwi_base_fail_memory(error, size);
}

mrw_status mrwi_output_rgba(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    const size_t count = (size_t)image->width * image->height;
    mrw_status status = allocate(4 * count, out, error);
    for (size_t i = 0; i < count && status == MRW_OK; i++) {
        out->data[4 * i + 3] = 255;
        memcpy(out->data + 4 * i, image->pixels + i * image->channels, image->channels);
    }
    return status;
}

/* Progressive, square pixels, colour for every pixel. A head can't say that the matrix is BT.709's:
 * its readers are told. */
static size_t put_head(const mrwi_output_target *target, char out[128])
{
    const mrw_output_def *def = target->def;
    return (size_t)snprintf(out, 128, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
                            def->width, def->height, target->rate.num, target->rate.den);
}

mrw_status mrwi_output_y4m(const mrwi_output_target *target, const mrwi_output_item *item,
                           mrw_bytes *out, mrw_error *error)
{
    static const char frame[] = "FRAME\n";
    const mrw_image *image = item->image;
    char head[128];
    const size_t length = item->place == 0 ? put_head(target, head) : 0;
    const size_t before = length + sizeof frame - 1;
    mrw_status status = allocate(before + 3 * (size_t)image->width * image->height, out, error);
    if (status == MRW_OK) {
        memcpy(out->data, head, length);
        memcpy(out->data + length, frame, sizeof frame - 1);
        mrwi_image_to_ycbcr(image, out->data + before);
    }
    return status;
}
