/* spool.h: stores the pictures of an animation until it is their turn. */
#ifndef MRWI_OUTPUT_SPOOL_H
#define MRWI_OUTPUT_SPOOL_H

#include "marrow/codecs.h"

#include <pthread.h>

/* Pictures, stored as PNGs: their memory grows with the size of the file, not with the pixels. They
 * may be put in any order and from any thread; a picture may be got as soon as it was put. */
typedef struct mrwi_output_spool {
    pthread_mutex_t lock;
    struct mrwi_output_spooled *items;
    uint32_t count;
} mrwi_output_spool;

mrw_status mrwi_output_spool_begin(uint32_t count, mrwi_output_spool *out, mrw_error *error);
void mrwi_output_spool_free(mrwi_output_spool *spool);

mrw_status mrwi_output_spool_put(mrwi_output_spool *spool, uint32_t place, const mrw_image *image,
                                 mrw_png_encoder *encoder, mrw_error *error);
/* Stores that a picture repeats place `as`, which is put before or after. */
void mrwi_output_spool_repeat(mrwi_output_spool *spool, uint32_t place, uint32_t as);

/* Returns true if the picture has come, or the one that it repeats. *as becomes the place of the
 * stored picture: the repeated one, or its own. */
bool mrwi_output_spool_has(mrwi_output_spool *spool, uint32_t place, uint32_t *as);
/* Decodes a picture. The caller frees *out. */
mrw_status mrwi_output_spool_get(mrwi_output_spool *spool, uint32_t place, mrw_image *out,
                                 mrw_error *error);

#endif
