/* environments.c: environments that were loaded, found again by the bytes of their files. */
#include "session/environments.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "image/file.h"
#include "session/internal.h"

#include <string.h>

/* The studio's key is all zeros. */
struct mrwi_session_environment {
    uint8_t key[32];
    bool seen; /* its picture is kept */
    mrw_environment *environment;
    mrwi_session_environment *next;
};

void mrwi_session_environments_begin(mrwi_session_environments *environments)
{
    *environments = (mrwi_session_environments){.first = NULL};
    pthread_mutex_init(&environments->lock, NULL);
}

void mrwi_session_environments_free(mrwi_session_environments *environments)
{
    while (environments->first) {
        mrwi_session_environment *next = environments->first->next;
        mrw_environment_free(environments->first->environment);
        mrwi_base_free(environments->first);
        environments->first = next;
    }
    pthread_mutex_destroy(&environments->lock);
}

static mrw_status make(const char *path, const mrw_bytes *bytes, bool seen, int threads,
                       mrw_environment **out, mrw_error *error)
{
    mrw_image image = {.width = 0};
    if (!path) {
        return mrw_environment_create_studio(out, error);
    }
    mrw_status status = mrw_image_decode_hdr(bytes->data, bytes->size, MRW_ENVIRONMENT_MAX_PIXELS,
                                             path, &image, error);
    if (status == MRW_OK) {
        const float *radiance = (const float *)(const void *)image.pixels;
        status =
            mrw_environment_create(radiance, image.width, image.height, seen, threads, out, error);
        status = status == MRW_ERROR_INPUT ? mrwi_session_prefix(error, path, status) : status;
    }
    mrw_image_free(&image);
    return status;
}

/* Locked by the caller: who asks for the same while it is made waits, and finds it. */
static mrw_status take(mrwi_session_environments *environments, const char *path,
                       const mrw_bytes *bytes, bool seen, int threads, const mrw_environment **out,
                       mrw_error *error)
{
    uint8_t key[32] = {0};
    if (path) {
        mrwi_base_sha256 hash;
        mrwi_base_sha256_begin(&hash);
        mrwi_base_sha256_add(&hash, bytes->data, bytes->size);
        mrwi_base_sha256_end(&hash, key);
    }
    mrwi_session_environment **link = &environments->first;
    while (*link && ((*link)->seen != seen || memcmp((*link)->key, key, sizeof key) != 0)) {
        link = &(*link)->next;
    }
    if (!*link) {
        mrwi_session_environment *fresh = mrwi_base_alloc_zero(1, sizeof *fresh);
        mrw_status status = fresh ? make(path, bytes, seen, threads, &fresh->environment, error)
                                  : mrwi_base_fail_memory(error, sizeof *fresh);
        if (status != MRW_OK) {
            mrwi_base_free(fresh);
            return status;
        }
        memcpy(fresh->key, key, sizeof key);
        fresh->seen = seen;
        *link = fresh;
    }
    *out = (*link)->environment;
    return MRW_OK;
}

mrw_status mrwi_session_environments_take(mrwi_session_environments *environments, const char *path,
                                          bool seen, int threads, const mrw_environment **out,
                                          mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrw_status status = path ? mrwi_image_read_bytes(path, &bytes, error) : MRW_OK;
    if (status == MRW_OK) {
        pthread_mutex_lock(&environments->lock);
        status = take(environments, path, &bytes, seen, threads, out, error);
        pthread_mutex_unlock(&environments->lock);
    }
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status mrwi_session_environments_choose(mrwi_session_environments *environments,
                                            const mrw_settings *settings, mrw_frame_def *frame,
                                            mrw_error *error)
{
    const char *asked = settings->environment;
    const int threads = mrw_session_threads(settings);
    const bool seen = frame->environment_background;
    const bool none = asked ? strcmp(asked, "none") == 0 : frame->rig == MRW_RIG_OFF;
    mrw_status status = MRW_OK;
    if (seen && none) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "--env-background: no environment shines; %s",
                              asked ? "leave out --env none" : "add --env FILE.hdr or studio");
    }
    if (none || !mrw_shading_info_of(frame->shading)->environment) {
        return MRW_OK;
    }
    if (asked && strcmp(asked, "studio") != 0) {
        return mrwi_session_environments_take(environments, asked, seen, threads,
                                              &frame->environment, error);
    }
    status =
        mrwi_session_environments_take(environments, NULL, false, threads, &frame->studio, error);
    frame->environment = asked ? frame->studio : NULL;
    return status;
}
