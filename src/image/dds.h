/* dds.h: DDS textures: BC1 to BC5 (unsigned) and uncompressed 24 and 32 bit. */
#ifndef MRWI_IMAGE_DDS_H
#define MRWI_IMAGE_DDS_H

#include "marrow/image.h"

/* Returns true if the bytes begin like a DDS file. */
bool mrwi_image_dds_is(const uint8_t *data, size_t size);

/* Reads the sides from the header. Returns false if the header is truncated. */
bool mrwi_image_dds_size(const uint8_t *data, size_t size, uint32_t *width, uint32_t *height);

/* Decodes the first and largest picture (in a cube or an array, the first one). The sides are
 * within limits. channels 0: RGB for formats without alpha. name is escaped. */
mrw_status mrwi_image_dds_decode(const uint8_t *data, size_t size, uint32_t channels,
                                 const char *name, mrw_image *out, mrw_error *error);

#endif
