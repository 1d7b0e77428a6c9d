/* apng_change.c: the part of an animation's frame that differs from the frame before: the smallest
 * rectangle around all changes. It holds what appears as well as what disappears, so no frame has
 * to be cleared ("dispose none"). */
#include "image/apng_change.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/png_pack.h"
#include "marrow/codecs.h"

#include <string.h>

/* ---- the rectangle --------------------------------------------------------------------------- */

typedef struct pair {
    const mrw_image *before, *image;
    size_t stride, pixel;
} pair;

static bool same(const pair *p, uint32_t y, size_t first, size_t count)
{
    const size_t at = y * p->stride + first;
    return memcmp(p->before->pixels + at, p->image->pixels + at, count) == 0;
}

static bool same_row(const pair *p, uint32_t y)
{
    return same(p, y, 0, p->stride);
}

/* Moves the sides outwards until they enclose the changes of a row. Before and after, the columns
 * *left ... *right - 1 hold all changes of the rows above. */
static void widen(const pair *p, uint32_t y, uint32_t *left, uint32_t *right)
{
    const uint32_t width = p->image->width;
    if (!same(p, y, 0, *left * p->pixel)) {
        uint32_t x = 0;
        while (same(p, y, x * p->pixel, p->pixel)) {
            x++;
        }
        *left = x;
    }
    if (!same(p, y, *right * p->pixel, (width - *right) * p->pixel)) {
        uint32_t x = width;
        while (same(p, y, (x - 1) * p->pixel, p->pixel)) {
            x--;
        }
        *right = x;
    }
}

static mrwi_image_apng_part find_part(const mrw_image *before, const mrw_image *image)
{
    const uint32_t width = image->width, height = image->height;
    const pair p = {before, image, (size_t)width * image->channels, image->channels};
    uint32_t top = 0, bottom = height, left = width, right = 0;
    if (!before) {
        return (mrwi_image_apng_part){0, 0, width, height, false};
    }
    while (top < height && same_row(&p, top)) {
        top++;
    }
    if (top == height) {
        return (mrwi_image_apng_part){0, 0, 1, 1, false};
    }
    while (same_row(&p, bottom - 1)) {
        bottom--;
    }
    for (uint32_t y = top; y < bottom; y++) {
        widen(&p, y, &left, &right);
    }
    return (mrwi_image_apng_part){left, top, right - left, bottom - top, false};
}

/* ---- its pixels ------------------------------------------------------------------------------ */

static mrw_status cut(const mrw_image *image, const mrwi_image_apng_part *part, mrw_image *out,
                      mrw_error *error)
{
    const size_t pixel = image->channels, stride = image->width * pixel, row = part->width * pixel;
    mrw_status status = mrw_image_create(part->width, part->height, image->channels, out, error);
    if (status) {
        return status;
    }
    for (uint32_t y = 0; y < part->height; y++) {
        memcpy(out->pixels + y * row, image->pixels + (part->y + y) * stride + part->x * pixel,
               row);
    }
    return MRW_OK;
}

/* Makes unchanged pixels transparent. Returns false if there are none, or if a changed pixel is not
 * opaque: readers would have to mix colours. */
static bool keep_changes(const mrw_image *before, const mrwi_image_apng_part *part, mrw_image *cut)
{
    bool any = false;
    uint8_t *to = cut->pixels;
    for (uint32_t y = 0; y < part->height; y++) {
        const uint8_t *old = before->pixels + ((size_t)(part->y + y) * before->width + part->x) * 4;
        for (uint32_t x = 0; x < part->width; x++, old += 4, to += 4) {
            if (memcmp(old, to, 4) == 0) {
                memset(to, 0, 4);
                any = true;
            } else if (to[3] != 255) {
                return false;
            }
        }
    }
    return any;
}

static mrw_status pack(mrw_png_encoder *encoder, const mrw_image *image, const mrw_png_def *def,
                       mrw_bytes *out, mrw_error *error)
{
    uint8_t *packed = NULL;
    size_t size = 0;
    mrw_status status = mrwi_image_png_pack(encoder, image, def, true, 0, 0, &packed, &size, error);
    if (status) {
        return status;
    }
    uint8_t *copy = mrwi_base_alloc(size, 1);
    if (!copy) {
        return mrwi_base_fail_memory(error, size);
    }
    memcpy(copy, packed, size);
    *out = (mrw_bytes){copy, size};
    return MRW_OK;
}

mrw_status mrwi_image_apng_change(mrw_png_encoder *encoder, const mrw_image *before,
                                  const mrw_image *image, const mrw_png_def *def,
                                  mrwi_image_apng_part *part, mrw_bytes *out, mrw_error *error)
{
    mrw_image piece = {0};
    mrw_bytes changes = {0};
    *out = (mrw_bytes){0};
    *part = find_part(before, image);
    if (part->width == image->width && part->height == image->height &&
        (!before || image->channels == 3)) {
        return pack(encoder, image, def, out, error);
    }
    mrw_status status = cut(image, part, &piece, error);
    if (status) {
        return status;
    }
    status = pack(encoder, &piece, def, out, error);
    if (status) {
        goto out;
    }
    if (before && image->channels == 4 && (size_t)part->width * part->height > 1 &&
        keep_changes(before, part, &piece)) {
        status = pack(encoder, &piece, def, &changes, error);
        if (status) {
            mrw_bytes_free(out);
            goto out;
        }
        part->over = changes.size < out->size;
    }
    if (part->over) {
        mrw_bytes smaller = changes;
        changes = *out;
        *out = smaller;
    }
out:
    mrw_image_free(&piece);
    mrw_bytes_free(&changes);
    return status;
}
