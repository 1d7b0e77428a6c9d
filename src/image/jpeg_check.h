/* jpeg_check.h: what must hold of a JPEG before stb_image may see it. */
#ifndef MRWI_IMAGE_JPEG_CHECK_H
#define MRWI_IMAGE_JPEG_CHECK_H

#include "marrow/base.h"

/* False when a Huffman table claims more than 256 codes: stb_image 2.27 writes past its arrays
 * then. True for files that are no JPEG. */
bool mrwi_jpeg_tables_fit(const uint8_t *data, size_t size);

#endif
