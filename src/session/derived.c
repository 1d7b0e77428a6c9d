/* derived.c: objects derived from files, found by the SHA-256 of the files' bytes. */
#include "session/derived.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "image/file.h"

#include <string.h>

struct mrwi_session_derived_entry {
    uint8_t key[32]; /* hash of the file; zeros without a file */
    uint32_t variant;
    void *object;
    mrwi_session_derived_entry *next;
};

void mrwi_session_derived_begin(mrwi_session_derived *derived, void (*free_object)(void *object))
{
    *derived = (mrwi_session_derived){.free_object = free_object};
    pthread_mutex_init(&derived->lock, NULL);
}

void mrwi_session_derived_free(mrwi_session_derived *derived)
{
    while (derived->first) {
        mrwi_session_derived_entry *next = derived->first->next;
        derived->free_object(derived->first->object);
        mrwi_base_free(derived->first);
        derived->first = next;
    }
    pthread_mutex_destroy(&derived->lock);
}

mrw_status mrwi_session_derived_take(mrwi_session_derived *derived, const char *path,
                                     uint32_t variant, mrwi_session_maker *make, const void *user,
                                     const void **out, mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrwi_session_derived_entry wanted = {.variant = variant};
    mrw_status status = MRW_OK;
    if (path) {
        status = mrwi_image_read_bytes(path, &bytes, error);
        if (status) {
            return status;
        }
        mrwi_base_sha256 hash;
        mrwi_base_sha256_begin(&hash);
        mrwi_base_sha256_add(&hash, bytes.data, bytes.size);
        mrwi_base_sha256_end(&hash, wanted.key);
    }
    pthread_mutex_lock(&derived->lock);
    mrwi_session_derived_entry *found = derived->first;
    while (found && (found->variant != variant || memcmp(found->key, wanted.key, 32) != 0)) {
        found = found->next;
    }
    if (!found) {
        found = mrwi_base_alloc_zero(1, sizeof *found);
        status = found ? make(user, path, &bytes, &wanted.object, error)
                       : mrwi_base_fail_memory(error, sizeof *found);
        if (status) {
            mrwi_base_free(found);
            goto out;
        }
        wanted.next = derived->first;
        *found = wanted;
        derived->first = found;
    }
    *out = found->object;
out:
    pthread_mutex_unlock(&derived->lock);
    mrw_bytes_free(&bytes);
    return status;
}
