/* png_encoder.h: the memory of an encoder, which it keeps from picture to picture. */
#ifndef MRWI_IMAGE_PNG_ENCODER_H
#define MRWI_IMAGE_PNG_ENCODER_H

#include "marrow/codecs.h"

/* A block that is reused and grows. Growing loses its content. */
typedef struct mrwi_image_room {
    uint8_t *data;
    size_t size;
} mrwi_image_room;

struct libdeflate_compressor;

/* Zero-initialise. */
struct mrw_png_encoder {
    mrwi_image_room work;                         /* filtered row, filters and ranges */
    mrwi_image_room pairs;                        /* codes of two literals */
    mrwi_image_room file;                         /* the picture encoded last */
    mrwi_image_room subject;                      /* data of its subject chunk */
    mrwi_image_room rows;                         /* filtered rows */
    mrwi_image_room matches;                      /* matches in the filtered rows */
    mrwi_image_room trial;                        /* a second stream, to compare sizes */
    mrwi_image_room swapped;                      /* rows of 16 bits per channel, big-endian */
    struct libdeflate_compressor *compressors[2]; /* for MRW_PNG_BEST; see png_pack.c */
};

/* Makes room for `size` bytes. Returns false without memory. */
bool mrwi_image_room_reserve(mrwi_image_room *room, size_t size);

/* Frees the encoder's memory, but not the encoder. */
void mrwi_image_png_encoder_clear(mrw_png_encoder *encoder);

#endif
