/* spool.h: the pictures of an animation, until they are wanted in their order. */
#ifndef MRWI_OUTPUT_SPOOL_H
#define MRWI_OUTPUT_SPOOL_H

#include "marrow/image.h"

#include <pthread.h>

/* Pictures, packed as PNGs: what they take follows the file, not the pixels. Any order, any thread;
 * a picture may be taken as soon as it is there. */
typedef struct mrwi_output_spool {
    pthread_mutex_t lock;
    struct mrwi_output_spooled *items;
    uint32_t count;
} mrwi_output_spool;

mrw_status mrwi_output_spool_begin(uint32_t count, mrwi_output_spool *out, mrw_error *error);
void mrwi_output_spool_free(mrwi_output_spool *spool);

mrw_status mrwi_output_spool_put(mrwi_output_spool *spool, uint32_t place, const mrw_image *image,
                                 mrw_png_encoder *encoder, mrw_error *error);
/* The same as place `as`, put before or after. */
void mrwi_output_spool_repeat(mrwi_output_spool *spool, uint32_t place, uint32_t as);

/* Whether the picture is there, or the one it repeats; `as`: that one, or itself. */
bool mrwi_output_spool_has(mrwi_output_spool *spool, uint32_t place, uint32_t *as);
/* The caller frees *out. */
mrw_status mrwi_output_spool_get(mrwi_output_spool *spool, uint32_t place, mrw_image *out,
                                 mrw_error *error);

#endif
