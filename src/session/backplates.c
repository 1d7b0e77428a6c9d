/* backplates.c: makes the picture behind pictures that --background asks for: a gradient, or a file
 * that is decoded once and scaled for each session. */
#include "session/backplates.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"

_Static_assert((int)MRW_BACKPLATE_VERTICAL == (int)MRW_GRADIENT_VERTICAL + 1 &&
                   (int)MRW_BACKPLATE_RADIAL == (int)MRW_GRADIENT_RADIAL + 1,
               "settings hold these numbers");

/* Largest number of pixels of a file: 8192 x 8192. */
#define MOST_PIXELS ((uint64_t)1 << 26)

static void free_picture(void *picture)
{
    mrw_image_free(picture);
    mrwi_base_free(picture);
}

void mrwi_session_backplates_begin(mrwi_session_derived *pictures)
{
    mrwi_session_derived_begin(pictures, free_picture);
}

static mrw_status decode(const void *user, const char *path, const mrw_bytes *bytes, void **out,
                         mrw_error *error)
{
    mrw_image *picture = mrwi_base_alloc_zero(1, sizeof *picture);
    (void)user;
    if (!picture) {
        return mrwi_base_fail_memory(error, sizeof *picture);
    }
    mrw_status status =
        mrw_image_decode(bytes->data, bytes->size, 0, MOST_PIXELS, path, picture, error);
    if (status) {
        mrwi_base_free(picture);
        return status;
    }
    *out = picture;
    return MRW_OK;
}

mrw_status mrwi_session_backplate_make(mrwi_session_derived *pictures, const mrw_settings *settings,
                                       int threads, mrw_frame_def *frame, mrw_image *out,
                                       mrw_error *error)
{
    const mrw_picture_settings *asked = &settings->picture;
    const void *picture = NULL;
    mrw_status status;
    if (asked->backplate == MRW_BACKPLATE_NONE || frame->transparent) {
        return MRW_OK;
    }
    if (asked->backplate == MRW_BACKPLATE_PICTURE) {
        status = mrwi_session_derived_take(pictures, asked->background_file, 0, decode, NULL,
                                           &picture, error);
        if (status) {
            return status;
        }
    }
    status = mrw_image_create_as(frame->bits == 16 ? MRW_FORMAT_U16 : MRW_FORMAT_U8, frame->width,
                                 frame->height, 3, out, error);
    if (status) {
        return status;
    }
    frame->backplate = out;
    if (picture) {
        return mrw_image_cover(picture, asked->background, threads, out, error);
    }
    mrw_image_fill_gradient((mrw_gradient)(asked->backplate - 1), asked->gradient[0],
                            asked->gradient[1], out);
    return MRW_OK;
}
