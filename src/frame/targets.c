/* targets.c: memory for what is drawn: the picture, which is the caller's, and what a renderer
 * keeps of a frame besides. */
#include "frame/frame.h"

#include "base/text.h"

#include <assert.h>

/* What renderers keep, and as what; ones are not kept. */
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
        if (status != MRW_OK) {
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

mrw_status mrwi_frame_prepare_targets(mrw_renderer *renderer, const mrw_frame_def *def,
                                      mrw_image *picture, mrw_target out[MRW_TARGET_COUNT],
                                      uint32_t *count, mrw_error *error)
{
    const size_t pixels = (size_t)def->width * def->height;
    mrw_status status = def->no_picture ? MRW_OK : prepare_picture(def, picture, error);
    if (status != MRW_OK) {
        return status;
    }
    *count = 0;
    if (!def->no_picture) {
        out[(*count)++] = mrw_target_of(MRW_TARGET_COLOR, picture);
    }
    if (def->subject && !def->no_picture) {
        out[(*count)++] =
            (mrw_target){MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, picture->subject, def->width};
    }
    assert(def->targets >> MRW_TARGET_COUNT == 0);
    for (uint32_t kind = 0; kind < MRW_TARGET_COUNT; kind++) {
        if ((def->targets >> kind & 1) == 0) {
            continue;
        }
        assert(kinds[kind].kept);
        const mrw_format format = kinds[kind].format;
        uint8_t *data = mrwi_base_arena_alloc(&renderer->arena, pixels, mrw_format_size(format));
        if (!data) {
            return mrwi_base_fail_memory(error, pixels * mrw_format_size(format));
        }
        renderer->targets[kind] = (mrw_image){def->width, def->height, 1, format, data, NULL};
        out[(*count)++] = mrw_target_of((mrw_target_kind)kind, &renderer->targets[kind]);
    }
    return MRW_OK;
}

const mrw_image *mrw_frame_target(const mrw_renderer *renderer, mrw_target_kind kind)
{
    assert((unsigned)kind < MRW_TARGET_COUNT);
    return renderer->targets[kind].pixels ? &renderer->targets[kind] : NULL;
}
