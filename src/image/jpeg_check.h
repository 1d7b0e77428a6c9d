/* jpeg_check.h: what must hold of a JPEG before stb_image may see it. */
#ifndef MRWI_IMAGE_JPEG_CHECK_H
#define MRWI_IMAGE_JPEG_CHECK_H

#include "marrow/base.h"

/* False when a Huffman table claims more than 256 codes: stb_image 2.27 writes past its arrays
 * then. True for files that are no JPEG. */
bool mrwi_image_jpeg_tables_fit(const uint8_t *data, size_t size);

/* False when a scan uses a table that no segment before it defines, as in the abbreviated format of
 * ITU T.81 (B.4) and in frames of Motion-JPEG: stb_image would draw with whatever was in memory. Or
 * when there are tables alone (B.5). `missing` (of 128 bytes, to hold it all) then says which, as
 * the end of a sentence that begins with the file. True for files that are no JPEG or damaged
 * otherwise: those are the decoder's to refuse. */
bool mrwi_image_jpeg_tables_defined(const uint8_t *data, size_t size, char *missing, size_t room);

#endif
