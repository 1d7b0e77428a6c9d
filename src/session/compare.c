/* compare.c: translates settings into mrw_compare_def, and marks the pixels that masks leave out.
 */
#include "session/compare.h"

#include "base/text.h"
#include "image/file.h"
#include "marrow/models.h"

mrw_compare_def mrw_session_compare_def(const mrw_settings *settings)
{
    const mrw_difference_settings *asked = &settings->compare.pictures;
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = (mrw_compare_mode)asked->mode;
    def.max_delta = asked->max_delta;
    def.max_pixels = asked->max_pixels;
    def.max_ratio = asked->max_ratio;
    def.max_flip = asked->max_flip;
    def.ignore_antialiasing = asked->ignore_antialiasing;
    return def;
}

/* Marks the pixels of a mask image that are neither black nor transparent. */
static mrw_status mark_image(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks,
                             mrw_error *error)
{
    mrw_image image = {0};
    char safe[512];
    mrw_status status = mrwi_image_read_regular(mask->name, 4, &image, error);
    if (status) {
        return status;
    }
    if (image.width != width || image.height != height) {
        status = mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the mask is %ux%u, but the pictures are %ux%u; make a mask of their size",
            mrwi_base_escape(mask->name, safe, sizeof safe), image.width, image.height, width,
            height);
        goto out;
    }
    for (size_t i = 0; i < (size_t)width * height; i++) {
        const uint8_t *p = image.pixels + 4 * i;
        marks[i] |= (uint8_t)(p[3] > 0 && (p[0] > 0 || p[1] > 0 || p[2] > 0));
    }
out:
    mrw_image_free(&image);
    return status;
}

mrw_status mrwi_session_mask(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks,
                             mrw_error *error)
{
    if (mask->kind == MRW_MASK_IMAGE) {
        return mark_image(mask, width, height, marks, error);
    }
    uint64_t right = (uint64_t)mask->rect[0] + mask->rect[2];
    uint64_t bottom = (uint64_t)mask->rect[1] + mask->rect[3];
    right = right < width ? right : width;
    bottom = bottom < height ? bottom : height;
    for (uint64_t y = mask->rect[1]; y < bottom; y++) {
        for (uint64_t x = mask->rect[0]; x < right; x++) {
            marks[y * width + x] = 1;
        }
    }
    return MRW_OK;
}
