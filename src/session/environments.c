/* environments.c: finds the environment that --env names and prepares each file once. */
#include "session/environments.h"

#include "base/text.h"
#include "marrow/codecs.h"
#include "session/internal.h"

#include <string.h>

static void free_environment(void *environment)
{
    mrw_environment_free(environment);
}

void mrwi_session_environments_begin(mrwi_session_derived *environments)
{
    mrwi_session_derived_begin(environments, free_environment);
}

typedef struct recipe {
    mrw_rig_kind rig;
    bool seen; /* The picture itself is kept, for --env-background. */
    int threads;
} recipe;

/* Makes an environment from a Radiance or OpenEXR file, or the rig's studio if path is NULL.
 * Messages begin with the path. */
static mrw_status make(const void *user, const char *path, const mrw_bytes *bytes, void **out,
                       mrw_error *error)
{
    const recipe *how = user;
    mrw_image image = {.width = 0};
    mrw_environment *environment = NULL;
    mrw_status status;
    if (!path) {
        status = mrw_environment_create_studio(how->rig, how->threads, &environment, error);
        goto out;
    }
    const bool exr = mrw_image_is_exr(bytes->data, bytes->size);
    if (!exr && (bytes->size < 2 || memcmp(bytes->data, "#?", 2) != 0)) {
        char shown[300];
        status = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "%s: not a Radiance or OpenEXR picture: export it again, as .hdr "
                                "or .exr",
                                mrwi_base_escape(path, shown, sizeof shown));
        goto out;
    }
    if (!exr) {
        status = mrw_environment_create_hdr(bytes->data, bytes->size, path, how->seen, how->threads,
                                            &environment, error);
        goto out;
    }
    status = mrw_image_decode_exr(bytes->data, bytes->size, MRW_ENVIRONMENT_MAX_PIXELS, path,
                                  &image, error);
    if (status) {
        goto out;
    }
    const float *radiance = (const float *)(const void *)image.pixels;
    status = mrw_environment_create(radiance, image.width, image.height, how->seen, how->threads,
                                    &environment, error);
    if (status == MRW_ERROR_INPUT) {
        mrwi_session_prefix(error, path, status);
    }
out:
    *out = environment;
    mrw_image_free(&image);
    return status;
}

mrw_status mrwi_session_environments_choose(mrwi_session_derived *environments,
                                            const mrw_settings *settings, mrw_frame_def *frame,
                                            mrw_error *error)
{
    const char *asked = settings->environment;
    const bool shown = frame->environment_background;
    const bool seen = shown && frame->environment_blur == 0.0f;
    const recipe how = {
        .rig = frame->rig_kind, .seen = seen, .threads = mrw_session_threads(settings)};
    const void *found = NULL;
    const bool none = asked ? strcmp(asked, "none") == 0 : frame->rig == MRW_RIG_OFF;
    if (shown && none) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE, "--env-background: there is no environment to show; %s",
            asked ? "leave out --env none" : "add --env FILE.hdr, FILE.exr or studio");
    }
    if (none || !mrw_shading_info_of(frame->shading)->environment) {
        return MRW_OK;
    }
    const char *path = asked && strcmp(asked, "studio") != 0 ? asked : NULL;
    const uint32_t variant = path ? seen : (uint32_t)frame->rig_kind;
    mrw_status status =
        mrwi_session_derived_take(environments, path, variant, make, &how, &found, error);
    if (path) {
        frame->environment = found;
    } else {
        frame->studio = found;
        frame->environment = asked ? found : NULL;
    }
    return status;
}
