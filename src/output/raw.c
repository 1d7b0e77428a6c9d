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
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        out->data[4 * i + 3] = 255;
        memcpy(out->data + 4 * i, image->pixels + i * image->channels, image->channels);
    }
    return MRW_OK;
}

mrw_status mrwi_output_y4m(const mrwi_output_target *target, const mrwi_output_item *item,
                           mrw_bytes *out, mrw_error *error)
{
    static const char frame[] = "FRAME\n";
    const mrw_output_def *def = target->def;
    const mrw_image *image = item->image;
    char head[128];
    size_t length = 0;
    if (item->place == 0) {
        /* The head says: progressive, square pixels, colour for every pixel. It can't say that the
         * matrix is BT.709's: users have to tell the reader. */
        length = (size_t)snprintf(head, sizeof head,
                                  "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C444 XCOLORRANGE=LIMITED\n",
                                  def->width, def->height, target->rate.num, target->rate.den);
    }
    const size_t before = length + sizeof frame - 1;
    mrw_status status = allocate(before + 3 * (size_t)image->width * image->height, out, error);
    if (status) {
        return status;
    }
    memcpy(out->data, head, length);
    memcpy(out->data + length, frame, sizeof frame - 1);
    mrwi_image_to_ycbcr(image, out->data + before);
    return MRW_OK;
}
