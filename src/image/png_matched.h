/* png_matched.h: the zlib stream of a picture with matches of any distance. */
#ifndef MRWI_IMAGE_PNG_MATCHED_H
#define MRWI_IMAGE_PNG_MATCHED_H

#include "image/png_encoder.h"
#include "image/png_source.h"
#include "marrow/codecs.h"

#define MRWI_IMAGE_ZLIB_BYTES 6 /* header and checksum */

/* Rows that one thread filters, counts or writes, its work memory, and its results. */
typedef struct mrwi_image_png_band {
    uint32_t first, end;
    uint32_t others; /* rows above the band that are not repeated */
    uint32_t checksum;
    mrwi_image_png_filtered row;
    mrwi_image_png_tally tally;
    uint8_t *from;        /* place that it is written to */
    mrwi_image_bits bits; /* writer of its codes, flushed */
} mrwi_image_png_band;

/* A picture, and the memory that it is packed with. */
typedef struct mrwi_image_png_packer {
    mrw_png_encoder *memory;
    mrwi_image_png_source source;
    mrwi_image_png_filtered row; /* the first band's */
    mrwi_image_png_band *bands;
    uint32_t band_count;
    int threads;
    bool careful; /* take more time for fewer bytes */
    bool deep;    /* values of 16 bits, as pairs of channels */
} mrwi_image_png_packer;

/* Writes the header of a zlib stream: deflate, a window of 32 KiB, the fastest level (RFC
 * 1950, 2.2). Returns the place behind it. */
uint8_t *mrwi_image_zlib_begin(uint8_t *to);

/* Writes the checksum at the end of a zlib stream. Returns the place behind it. */
uint8_t *mrwi_image_zlib_end(uint8_t *to, uint32_t checksum);

/* Returns the checksum of two parts in a row from theirs; the second has `size` bytes. */
uint32_t mrwi_image_zlib_join(uint32_t first, uint32_t second, size_t size);

/* Filters some rows: all with `same`, or, when that is REPEATED, each with the filter chosen for
 * it. Each begins with the byte of its filter. */
void mrwi_image_png_filter_rows(const mrwi_image_png_source *source, mrwi_image_png_filtered *row,
                                int same, uint32_t y, uint32_t count, uint8_t *to);

/* Finds out from some rows whether matches are worth their time: sets *filter to REPEATED, or to a
 * filter for all rows, when they are, else to MRWI_IMAGE_PNG_NO_MATCHES. `lengths` are the codes
 * that the picture is written with otherwise. With `careful` they always are, and only the filter
 * is in question. */
#define MRWI_IMAGE_PNG_NO_MATCHES (-1)
mrw_status mrwi_image_png_try_matches(mrwi_image_png_packer *packer,
                                      const uint8_t lengths[MRWI_IMAGE_SYMBOLS], int *filter,
                                      mrw_error *error);

/* Writes the stream. Sets *size to its size, or to 0 when it would be larger than `most`; then up
 * to `most` bytes are written. */
mrw_status mrwi_image_png_write_matched(mrwi_image_png_packer *packer, int filter, uint8_t *to,
                                        size_t most, size_t *size, mrw_error *error);

#endif
