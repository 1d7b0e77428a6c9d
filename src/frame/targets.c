/* targets.c: memory that a frame is drawn to: the caller's picture, and targets that a renderer
 * keeps. */
#include "frame/frame.h"

#include "base/text.h"

#include <assert.h>

/* Targets that renderers can keep, and their formats. */
static const struct {
    bool kept;
    mrw_format format;
} kinds[MRW_TARGET_COUNT] = {[MRW_TARGET_DEPTH] = {true, MRW_FORMAT_F32},
                             [MRW_TARGET_ID] = {true, MRW_FORMAT_U32},
                             [MRW_TARGET_TRIANGLE] = {true, MRW_FORMAT_U32}};

static mrw_status prepare_picture(const mrw_frame_def *def, mrw_image *image, mrw_error *error)
{
    uint32_t channels = def->transparent ? 4 : 3;
    const mrw_format format = def->bits == 16 ? MRW_FORMAT_U16 : MRW_FORMAT_U8;
    const size_t pixels = (size_t)def->width * def->height;
    if (!image->pixels || image->width != def->width || image->height != def->height ||
        image->channels != channels || image->format != format) {
        mrw_image_free(image);
        mrw_status status =
            mrw_image_create_as(format, def->width, def->height, channels, image, error);
        if (status) {
            return status;
        }
    }
    if (!def->subject) {
        mrwi_base_free(image->subject); /* another frame's */
        image->subject = NULL;
    } else if (!image->subject) {
        image->subject = mrwi_base_alloc(pixels, 1);
        if (!image->subject) {
            return mrwi_base_fail_memory(error, pixels);
        }
    }
    return MRW_OK;
}

mrw_status mrwi_frame_prepare_targets(mrwi_base_arena *arena, const mrw_frame_def *def,
                                      mrw_image *image, mrw_image kept[MRW_TARGET_COUNT],
                                      mrw_target out[MRW_TARGET_COUNT], uint32_t *count,
                                      mrw_error *error)
{
    const size_t pixels = (size_t)def->width * def->height;
    *count = 0;
    if (!def->no_picture) {
        mrw_status status = prepare_picture(def, image, error);
        if (status) {
            return status;
        }
        out[(*count)++] = mrw_target_of(MRW_TARGET_COLOR, image);
        if (def->subject) {
            out[(*count)++] =
                (mrw_target){MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, image->subject, def->width};
        }
    }
    assert(def->targets >> MRW_TARGET_COUNT == 0);
    for (uint32_t kind = 0; kind < MRW_TARGET_COUNT; kind++) {
        if ((def->targets >> kind & 1) == 0) {
            continue;
        }
        assert(kinds[kind].kept);
        const mrw_format format = kinds[kind].format;
        uint8_t *data = mrwi_base_arena_alloc(arena, pixels, mrw_format_size(format));
        if (!data) {
            return mrwi_base_fail_memory(error, pixels * mrw_format_size(format));
        }
        kept[kind] = (mrw_image){def->width, def->height, 1, format, data, NULL};
        out[(*count)++] = mrw_target_of((mrw_target_kind)kind, &kept[kind]);
    }
    return MRW_OK;
}
