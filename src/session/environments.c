/* environments.c: environments of sessions. */
#include "session/environments.h"

#include "base/text.h"
#include "marrow/codecs.h"
#include "session/internal.h"

#include <string.h>

static void free_environment(void *environment)
{
    mrw_environment_free(environment);
}

void mrwi_session_environments_begin(mrwi_session_made *environments)
{
    mrwi_session_made_begin(environments, free_environment);
}

typedef struct recipe {
    bool seen; /* its picture is kept */
    int threads;
} recipe;

/* Of a Radiance file; without one the studio. A message begins with the path. */
static mrw_status make(const void *user, const char *path, const mrw_bytes *bytes, void **out,
                       mrw_error *error)
{
    const recipe *how = user;
    mrw_image image = {.width = 0};
    mrw_environment *environment = NULL;
    mrw_status status;
    if (!path) {
        status = mrw_environment_create_studio(&environment, error);
        *out = environment;
        return status;
    }
    status = mrw_image_decode_hdr(bytes->data, bytes->size, MRW_ENVIRONMENT_MAX_PIXELS, path,
                                  &image, error);
    if (status == MRW_OK) {
        const float *radiance = (const float *)(const void *)image.pixels;
        status = mrw_environment_create(radiance, image.width, image.height, how->seen,
                                        how->threads, &environment, error);
        status = status == MRW_ERROR_INPUT ? mrwi_session_prefix(error, path, status) : status;
    }
    *out = environment;
    mrw_image_free(&image);
    return status;
}

mrw_status mrwi_session_environments_choose(mrwi_session_made *environments,
                                            const mrw_settings *settings, mrw_frame_def *frame,
                                            mrw_error *error)
{
    const char *asked = settings->environment;
    const bool seen = frame->environment_background;
    const recipe how = {.seen = seen, .threads = mrw_session_threads(settings)};
    const void *found = NULL;
    const bool none = asked ? strcmp(asked, "none") == 0 : frame->rig == MRW_RIG_OFF;
    mrw_status status = MRW_OK;
    if (seen && none) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--env-background: there is no environment to show; %s",
                              asked ? "leave out --env none" : "add --env FILE.hdr or studio");
    }
    if (none || !mrw_shading_info_of(frame->shading)->environment) {
        return MRW_OK;
    }
    const char *path = asked && strcmp(asked, "studio") != 0 ? asked : NULL;
    status = mrwi_session_made_take(environments, path, path && seen, make, &how, &found, error);
    if (path) {
        frame->environment = found;
    } else {
        frame->studio = found;
        frame->environment = asked ? found : NULL;
    }
    return status;
}
