/* image.c: pixel buffers, their hash, sheets of them. */
#include "image/image.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <string.h>

static mrw_status check_size(uint64_t width, uint64_t height, mrw_error *error)
{
    if (width >= 1 && width <= MRW_IMAGE_MAX_SIDE && height >= 1 && height <= MRW_IMAGE_MAX_SIDE) {
        return MRW_OK;
    }
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "an image cannot have %ju x %ju pixels: each side must be 1 to %d",
                          (uintmax_t)width, (uintmax_t)height, MRW_IMAGE_MAX_SIDE);
}

size_t mrw_format_size(mrw_format format)
{
    static const uint8_t sizes[MRW_FORMAT_COUNT] = {
        [MRW_FORMAT_U8] = 1, [MRW_FORMAT_U16] = 2, [MRW_FORMAT_U32] = 4, [MRW_FORMAT_F32] = 4};
    assert((unsigned)format < MRW_FORMAT_COUNT);
    return sizes[format];
}

/* Fills new pixels with zeros. The kernel hands out their memory meanwhile, which takes a second
 * per gigabyte: the flag is looked at after each part. */
static mrw_status clear(uint8_t *pixels, size_t bytes, mrw_error *error)
{
    const size_t part = (size_t)16 << 20;
    size_t done = 0;
    for (; bytes - done > part; done += part) {
        memset(pixels + done, 0, part);
        if (!mrwi_base_work_goes_on()) {
            return mrwi_base_work_check(NULL, error);
        }
    }
    memset(pixels + done, 0, bytes - done);
    return MRW_OK;
}

mrw_status mrw_image_create_as(mrw_format format, uint32_t width, uint32_t height,
                               uint32_t channels, mrw_image *out, mrw_error *error)
{
    assert(channels >= 1 && channels <= 4);
    mrw_status status = check_size(width, height, error);
    if (status) {
        return status;
    }
    size_t bytes = (size_t)width * height * channels * mrw_format_size(format);
    uint8_t *pixels = mrwi_base_alloc(bytes, 1);
    if (!pixels) {
        return mrwi_base_fail_memory(error, bytes);
    }
    status = clear(pixels, bytes, error);
    if (status) {
        mrwi_base_free(pixels);
        return status;
    }
    *out = (mrw_image){width, height, channels, format, pixels, NULL};
    return MRW_OK;
}

mrw_status mrw_image_create(uint32_t width, uint32_t height, uint32_t channels, mrw_image *out,
                            mrw_error *error)
{
    assert(channels == 3 || channels == 4);
    return mrw_image_create_as(MRW_FORMAT_U8, width, height, channels, out, error);
}

void mrw_image_free(mrw_image *image)
{
    mrwi_base_free(image->pixels);
    mrwi_base_free(image->subject);
    *image = (mrw_image){0};
}

void mrw_image_hash(const mrw_image *image, uint8_t out[32])
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add_u32(&hash, image->width);
    mrwi_base_sha256_add_u32(&hash, image->height);
    mrwi_base_sha256_add_u32(&hash, image->channels);
    mrwi_base_sha256_add(&hash, image->pixels,
                         (size_t)image->width * image->height * image->channels *
                             mrw_format_size(image->format));
    mrwi_base_sha256_end(&hash, out);
}

/* ---- sheets ---------------------------------------------------------------------------------- */

static mrw_status check_alike(const mrw_image *images, uint32_t count, mrw_error *error)
{
    for (uint32_t i = 1; i < count; i++) {
        if (images[i].width != images[0].width || images[i].height != images[0].height ||
            images[i].channels != images[0].channels) {
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "all pictures of a sheet must have the same size and channels: the first has %u x "
                "%u pixels of %u channels, but picture %u has %u x %u of %u",
                images[0].width, images[0].height, images[0].channels, i + 1, images[i].width,
                images[i].height, images[i].channels);
        }
    }
    return MRW_OK;
}

static uint32_t columns_of(const mrw_sheet_def *def)
{
    return def->columns < def->count ? def->columns : def->count;
}

mrw_status mrw_sheet_create(const mrw_sheet_def *def, mrw_image *out, mrw_error *error)
{
    assert(def->count > 0 && def->columns > 0);
    const uint32_t columns = columns_of(def), rows = (def->count - 1) / columns + 1;
    const uint64_t step_x = (uint64_t)def->width + def->gap,
                   step_y = (uint64_t)def->above + def->height + def->below + def->gap;
    if (columns > MRW_IMAGE_MAX_SIDE || rows > MRW_IMAGE_MAX_SIDE ||
        columns * step_x + def->gap > MRW_IMAGE_MAX_SIDE ||
        rows * step_y + def->gap > MRW_IMAGE_MAX_SIDE) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "a sheet of %u pictures of %u x %u pixels in %u columns is larger "
                              "than %d x %d: use fewer or smaller pictures",
                              def->count, def->width, def->height, columns, MRW_IMAGE_MAX_SIDE,
                              MRW_IMAGE_MAX_SIDE);
    }
    mrw_status status =
        mrw_image_create((uint32_t)(columns * step_x + def->gap),
                         (uint32_t)(rows * step_y + def->gap), def->channels, out, error);
    if (status) {
        return status;
    }
    uint8_t *pixel = out->pixels;
    for (size_t left = (size_t)out->width * out->height; left > 0; left--) {
        memcpy(pixel, def->background, out->channels);
        pixel += out->channels;
    }
    return MRW_OK;
}

void mrw_sheet_put(const mrw_sheet_def *def, mrw_image *sheet, uint32_t index,
                   const mrw_image *image)
{
    const uint32_t columns = columns_of(def);
    const size_t step_y = (size_t)def->above + def->height + def->below + def->gap;
    assert(mrwi_image_is_picture(sheet) && mrwi_image_is_picture(image));
    assert(index < def->count && image->width == def->width && image->height == def->height &&
           image->channels == def->channels);
    const size_t left = def->gap + (size_t)(index % columns) * (def->width + def->gap);
    const size_t top = def->gap + def->above + (size_t)(index / columns) * step_y;
    const size_t row_bytes = (size_t)image->width * image->channels;
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *to = sheet->pixels + ((top + y) * sheet->width + left) * sheet->channels;
        memcpy(to, image->pixels + y * row_bytes, row_bytes);
    }
}

mrw_status mrw_image_sheet(const mrw_image *images, uint32_t count, uint32_t columns, uint32_t gap,
                           const uint8_t background[4], mrw_image *out, mrw_error *error)
{
    assert(count > 0 && columns > 0);
    mrw_sheet_def def = {.width = images->width,
                         .height = images->height,
                         .channels = images->channels,
                         .count = count,
                         .columns = columns,
                         .gap = gap};
    memcpy(def.background, background, sizeof def.background);
    mrw_status status = check_alike(images, count, error);
    if (status) {
        return status;
    }
    status = mrw_sheet_create(&def, out, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        mrw_sheet_put(&def, out, i, &images[i]);
    }
    return MRW_OK;
}
