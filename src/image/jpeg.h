/* jpeg.h: reads JPEGs by libjpeg-turbo. */
#ifndef MRWI_IMAGE_JPEG_H
#define MRWI_IMAGE_JPEG_H

#include "marrow/image.h"

/* The end of a warning about a picture of which a part is drawn. */
#define MRWI_IMAGE_JPEG_DAMAGED                                                                    \
    "the JPEG is damaged or cut off: the readable part is drawn, the rest is grey or wrong; copy " \
    "or export the picture again"

/* Receives `rows` finished rows from `first_row` on, in order from the top: opaque RGBA without
 * padding. The rows are valid during the call. */
typedef void (*mrwi_image_take_rows)(void *user, const uint8_t *rgba, uint32_t first_row,
                                     uint32_t rows);

/* A JPEG's size, and its number of components: 1 is grey, 3 a colour, 4 CMYK or YCCK. */
typedef struct mrwi_image_jpeg_header {
    uint32_t width, height;
    uint32_t components;
} mrwi_image_jpeg_header;

/* Returns true if the bytes begin like a JPEG. */
bool mrwi_image_jpeg_is(const void *data, size_t size);

/* Reads the header, up to the first scan. Sides up to 65,535 are not compared with a limit here.
 * name is escaped. */
mrw_status mrwi_image_jpeg_read_header(const void *data, size_t size, const char *name,
                                       mrwi_image_jpeg_header *out, mrw_error *error);

/* Decodes a JPEG and hands its rows over, 16 at a time; the last ones may be fewer. Of a file with
 * one scan, no more than these is in memory; one with several, such as a progressive one, takes 2
 * bytes per coefficient.
 *
 * If the data are damaged or cut off, *damaged becomes true, and the rows show the readable part;
 * unreadable parts are grey, and of a progressive file all scans before the damage are shown. The
 * function fails if nothing can be read, and then rows may have been handed over already.
 *
 * max_pixels is as in mrw_image_decode; name is escaped. The bits are the same on every machine. */
mrw_status mrwi_image_jpeg_rows(const void *data, size_t size, uint64_t max_pixels,
                                const char *name, mrwi_image_take_rows take, void *user,
                                bool *damaged, mrw_error *error);

/* Returns true if mrwi_image_jpeg_rows decodes these bytes in the memory of a few rows and fails
 * only without memory, whatever damage it finds: they have one scan, which can be started, and end
 * with the end marker. The sides are not compared with a limit. */
bool mrwi_image_jpeg_streams(const void *data, size_t size);

/* Decodes a JPEG to a picture of 3 or 4 channels, like mrwi_image_jpeg_rows. If `damaged` is NULL,
 * damage is an error. The caller frees *out. */
mrw_status mrwi_image_jpeg_decode(const void *data, size_t size, uint32_t channels,
                                  uint64_t max_pixels, const char *name, mrw_image *out,
                                  bool *damaged, mrw_error *error);

#endif
