/* png_encoder.h: the memory of an encoder, kept from picture to picture. */
#ifndef MRWI_IMAGE_PNG_ENCODER_H
#define MRWI_IMAGE_PNG_ENCODER_H

#include "marrow/codecs.h"

/* A block that grows and is reused; what it held is not kept when it grows. */
typedef struct mrwi_image_room {
    uint8_t *data;
    size_t size;
} mrwi_image_room;

struct libdeflate_compressor;

/* Zero-initialise. */
struct mrw_png_encoder {
    mrwi_image_room work;                         /* rows, and what is known of each */
    mrwi_image_room pairs;                        /* codes of two literals */
    mrwi_image_room file;                         /* what was encoded last */
    mrwi_image_room subject;                      /* its chunk's data */
    mrwi_image_room rows;                         /* all of them, filtered, */
    mrwi_image_room matches;                      /* and what repeats itself in them */
    mrwi_image_room trial;                        /* with MRW_PNG_BEST: what became of them, */
    struct libdeflate_compressor *compressors[2]; /* and what did that, see png_pack.c */
};

/* Makes room for size bytes; false when out of memory. */
bool mrwi_image_room_reserve(mrwi_image_room *room, size_t size);

/* png_deep.c: a picture of 16 bits a channel, whole. */
mrw_status mrwi_image_png_deep(mrw_png_encoder *encoder, const mrw_image *image, mrw_bytes *out,
                               mrw_error *error);

/* Frees the memory, not the encoder. */
void mrwi_image_png_encoder_clear(mrw_png_encoder *encoder);

#endif
