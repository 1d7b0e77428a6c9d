/* matcaps.c: matcaps that were loaded, found again by the bytes of their files. */
#include "session/matcaps.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "image/file.h"
#include "session/internal.h"

#include <string.h>

#define MOST_SIDE 4096u

struct mrwi_session_matcap {
    uint8_t key[32];
    mrw_raster_texture *texture;
    mrwi_session_matcap *next;
};

void mrwi_session_matcaps_begin(mrwi_session_matcaps *matcaps)
{
    *matcaps = (mrwi_session_matcaps){.first = NULL};
    pthread_mutex_init(&matcaps->lock, NULL);
}

void mrwi_session_matcaps_free(mrwi_session_matcaps *matcaps)
{
    while (matcaps->first) {
        mrwi_session_matcap *next = matcaps->first->next;
        mrw_raster_texture_free(matcaps->first->texture);
        mrwi_base_free(matcaps->first);
        matcaps->first = next;
    }
    pthread_mutex_destroy(&matcaps->lock);
}

static mrw_status make(const char *path, const mrw_bytes *bytes, mrw_raster_texture **out,
                       mrw_error *error)
{
    mrw_image image = {.width = 0};
    char safe[512];
    mrw_status status = mrw_image_decode(bytes->data, bytes->size, 4,
                                         (uint64_t)MOST_SIDE * MOST_SIDE, path, &image, error);
    if (status != MRW_OK) {
        return status;
    }
    if (image.width == image.height) {
        status = mrw_raster_texture_create(image.pixels, image.width, image.height,
                                           MRW_ENCODING_COLOR, out, error);
    } else {
        status =
            mrwi_base_fail(error, MRW_ERROR_INPUT,
                           "%s: the picture is %ux%u, and a matcap is a ball that fills a "
                           "square; cut it to one",
                           mrwi_base_escape(path, safe, sizeof safe), image.width, image.height);
    }
    mrw_image_free(&image);
    return status;
}

/* Locked by the caller. */
static mrw_status take(mrwi_session_matcaps *matcaps, const char *path, const mrw_bytes *bytes,
                       const mrw_raster_texture **out, mrw_error *error)
{
    uint8_t key[32];
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, bytes->data, bytes->size);
    mrwi_base_sha256_end(&hash, key);
    mrwi_session_matcap **link = &matcaps->first;
    while (*link && memcmp((*link)->key, key, sizeof key) != 0) {
        link = &(*link)->next;
    }
    if (!*link) {
        mrwi_session_matcap *fresh = mrwi_base_alloc_zero(1, sizeof *fresh);
        mrw_status status = fresh ? make(path, bytes, &fresh->texture, error)
                                  : mrwi_base_fail_memory(error, sizeof *fresh);
        if (status != MRW_OK) {
            mrwi_base_free(fresh);
            return status;
        }
        memcpy(fresh->key, key, sizeof key);
        *link = fresh;
    }
    *out = (*link)->texture;
    return MRW_OK;
}

mrw_status mrwi_session_matcaps_choose(mrwi_session_matcaps *matcaps, const mrw_settings *settings,
                                       mrw_frame_def *frame, mrw_error *error)
{
    mrw_bytes bytes = {0};
    if (frame->shading != MRW_SHADING_MATCAP) {
        return MRW_OK;
    }
    mrw_status status = mrwi_image_read_bytes(settings->shading_argument, &bytes, error);
    if (status == MRW_OK) {
        pthread_mutex_lock(&matcaps->lock);
        status = take(matcaps, settings->shading_argument, &bytes, &frame->matcap, error);
        pthread_mutex_unlock(&matcaps->lock);
    }
    mrw_bytes_free(&bytes);
    return status;
}
