/* matcaps.c: finds the matcap that --shading names and prepares each file once. */
#include "session/matcaps.h"

#include "base/text.h"
#include "marrow/codecs.h"

/* Longest side of a matcap, in pixels. */
#define MOST_SIDE 4096u

static void free_texture(void *texture)
{
    mrw_raster_texture_free(texture);
}

void mrwi_session_matcaps_begin(mrwi_session_derived *matcaps)
{
    mrwi_session_derived_begin(matcaps, free_texture);
}

static mrw_status make(const void *user, const char *path, const mrw_bytes *bytes, void **out,
                       mrw_error *error)
{
    mrw_image image = {.width = 0};
    mrw_raster_texture *texture = NULL;
    char safe[512];
    (void)user;
    mrw_status status = mrw_image_decode(bytes->data, bytes->size, 4,
                                         (uint64_t)MOST_SIDE * MOST_SIDE, path, &image, error);
    if (status) {
        goto out;
    }
    if (image.width != image.height) {
        status =
            mrwi_base_fail(error, MRW_ERROR_INPUT,
                           "%s: the picture is %ux%u, but a matcap is a ball that fills a square; "
                           "crop it to a square",
                           mrwi_base_escape(path, safe, sizeof safe), image.width, image.height);
        goto out;
    }
    status = mrw_raster_texture_create(image.pixels, image.width, image.height, MRW_ENCODING_COLOR,
                                       &texture, error);
out:
    *out = texture;
    mrw_image_free(&image);
    return status;
}

mrw_status mrwi_session_matcaps_choose(mrwi_session_derived *matcaps, const mrw_settings *settings,
                                       mrw_frame_def *frame, mrw_error *error)
{
    const void *found = NULL;
    if (frame->shading != MRW_SHADING_MATCAP) {
        return MRW_OK;
    }
    mrw_status status = mrwi_session_derived_take(matcaps, settings->shading_argument, 0, make,
                                                  NULL, &found, error);
    frame->matcap = found;
    return status;
}
