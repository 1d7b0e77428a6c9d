/* hdr.h: Radiance pictures (.hdr), read row by row: in any order, on any number of threads. */
#ifndef MRWI_IMAGE_HDR_H
#define MRWI_IMAGE_HDR_H

#include "marrow/codecs.h"

/* A picture whose rows have been found and checked. */
typedef struct mrwi_image_hdr {
    const uint8_t **rows; /* start of each row in the file's bytes, and the end of the last */
    uint32_t width, height;
    float units[256]; /* value of one step, by exponent */
} mrwi_image_hdr;

/* Reads the header and checks all rows. The file's bytes must outlive the picture. Other parameters
 * and errors are those of mrw_image_decode_hdr. */
mrw_status mrwi_image_hdr_open(const void *data, size_t size, uint64_t max_pixels, const char *name,
                               mrwi_image_hdr *out, mrw_error *error);
void mrwi_image_hdr_close(mrwi_image_hdr *picture);

/* Number of bytes of work memory that mrwi_image_hdr_read needs. */
size_t mrwi_image_hdr_work_size(const mrwi_image_hdr *picture);

/* Converts row y to linear RGB: 3 floats per pixel, exactly. */
void mrwi_image_hdr_read(const mrwi_image_hdr *picture, uint32_t y, uint8_t *work, float *out);

#endif
