/* spool.c: pictures that wait for others, as PNGs. */
#include "output/spool.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"

#include <string.h>

typedef struct mrwi_output_spooled {
    mrw_bytes png;
    uint32_t same_as; /* the place that it repeats, or MRW_NONE */
    uint32_t channels;
} mrwi_output_spooled;

mrw_status mrwi_output_spool_begin(uint32_t count, mrwi_output_spool *out, mrw_error *error)
{
    *out = (mrwi_output_spool){.items = mrwi_base_alloc_zero(count, sizeof *out->items),
                               .count = count};
    if (!out->items) {
        return mrwi_base_fail_memory(error, count * sizeof *out->items);
    }
    for (uint32_t i = 0; i < count; i++) {
        out->items[i].same_as = MRW_NONE;
    }
    pthread_mutex_init(&out->lock, NULL);
    return MRW_OK;
}

void mrwi_output_spool_free(mrwi_output_spool *spool)
{
    if (!spool->items) {
        return;
    }
    for (uint32_t i = 0; i < spool->count; i++) {
        mrw_bytes_free(&spool->items[i].png);
    }
    pthread_mutex_destroy(&spool->lock);
    mrwi_base_free(spool->items);
    *spool = (mrwi_output_spool){0};
}

mrw_status mrwi_output_spool_put(mrwi_output_spool *spool, uint32_t place, const mrw_image *image,
                                 mrw_png_encoder *encoder, mrw_error *error)
{
    mrw_image bare = *image;
    mrw_bytes packed = {0};
    bare.subject = NULL;
    mrw_status status = mrw_png_encoder_encode(encoder, &bare, NULL, &packed, error);
    if (status) {
        return status;
    }
    uint8_t *copy = mrwi_base_alloc(packed.size, 1);
    if (!copy) {
        return mrwi_base_fail_memory(error, packed.size);
    }
    memcpy(copy, packed.data, packed.size);
    pthread_mutex_lock(&spool->lock);
    spool->items[place].png = (mrw_bytes){copy, packed.size};
    spool->items[place].channels = image->channels;
    pthread_mutex_unlock(&spool->lock);
    return MRW_OK;
}

void mrwi_output_spool_repeat(mrwi_output_spool *spool, uint32_t place, uint32_t as)
{
    pthread_mutex_lock(&spool->lock);
    spool->items[place].same_as = as;
    pthread_mutex_unlock(&spool->lock);
}

bool mrwi_output_spool_has(mrwi_output_spool *spool, uint32_t place, uint32_t *as)
{
    pthread_mutex_lock(&spool->lock);
    const uint32_t same_as = spool->items[place].same_as;
    *as = same_as != MRW_NONE ? same_as : place;
    const bool has = spool->items[*as].png.size > 0;
    pthread_mutex_unlock(&spool->lock);
    return has;
}

mrw_status mrwi_output_spool_get(mrwi_output_spool *spool, uint32_t place, mrw_image *out,
                                 mrw_error *error)
{
    uint32_t as;
    if (!mrwi_output_spool_has(spool, place, &as)) {
        return mrwi_base_fail(error, MRW_ERROR_INTERNAL, "a picture of an animation is missing");
    }
    const mrwi_output_spooled *from = &spool->items[as]; /* complete, so it needs no lock */
    return mrw_image_decode(from->png.data, from->png.size, from->channels, 0, "a picture", out,
                            error);
}
