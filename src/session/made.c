/* made.c: things made of files, found again by the bytes of these. */
#include "session/made.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "image/file.h"

#include <string.h>

struct mrwi_session_made_entry {
    uint8_t key[32]; /* zeros where there is no file */
    uint32_t variant;
    void *thing;
    mrwi_session_made_entry *next;
};

void mrwi_session_made_begin(mrwi_session_made *made, void (*free_thing)(void *thing))
{
    *made = (mrwi_session_made){.free_thing = free_thing};
    pthread_mutex_init(&made->lock, NULL);
}

void mrwi_session_made_free(mrwi_session_made *made)
{
    while (made->first) {
        mrwi_session_made_entry *next = made->first->next;
        made->free_thing(made->first->thing);
        mrwi_base_free(made->first);
        made->first = next;
    }
    pthread_mutex_destroy(&made->lock);
}

static void hash_bytes(const mrw_bytes *bytes, uint8_t out[32])
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, bytes->data, bytes->size);
    mrwi_base_sha256_end(&hash, out);
}

mrw_status mrwi_session_made_take(mrwi_session_made *made, const char *path, uint32_t variant,
                                  mrwi_session_maker *make, const void *user, const void **out,
                                  mrw_error *error)
{
    mrw_bytes bytes = {0};
    mrwi_session_made_entry wanted = {.variant = variant};
    mrw_status status = path ? mrwi_image_read_bytes(path, &bytes, error) : MRW_OK;
    if (status != MRW_OK) {
        return status;
    }
    if (path) {
        hash_bytes(&bytes, wanted.key);
    }
    pthread_mutex_lock(&made->lock);
    mrwi_session_made_entry *found = made->first;
    while (found && (found->variant != variant || memcmp(found->key, wanted.key, 32) != 0)) {
        found = found->next;
    }
    if (!found) {
        found = mrwi_base_alloc_zero(1, sizeof *found);
        status = found ? make(user, path, &bytes, &wanted.thing, error)
                       : mrwi_base_fail_memory(error, sizeof *found);
        if (status == MRW_OK) {
            wanted.next = made->first;
            *found = wanted;
            made->first = found;
        } else {
            mrwi_base_free(found);
        }
    }
    if (status == MRW_OK) {
        *out = found->thing;
    }
    pthread_mutex_unlock(&made->lock);
    mrw_bytes_free(&bytes);
    return status;
}
