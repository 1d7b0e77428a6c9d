/* jpeg_check.h: checks of a JPEG that must pass before stb_image reads it. */
#ifndef MRWI_IMAGE_JPEG_CHECK_H
#define MRWI_IMAGE_JPEG_CHECK_H

#include "marrow/base.h"

/* Returns false if a Huffman table claims more than 256 codes: stb_image 2.27 would write past its
 * arrays. Returns true for files that are not a JPEG. */
bool mrwi_image_jpeg_tables_fit(const uint8_t *data, size_t size);

/* Returns false if a scan uses a table that no segment before it defines, as in the abbreviated
 * format of ITU T.81 (B.4) and in frames of Motion-JPEG: stb_image would use whatever was in
 * memory. Also returns false for a file that has only tables (B.5). `missing` then says what is
 * missing, as the end of a sentence that begins with the file; 128 bytes hold every text. Returns
 * true for files that are not a JPEG or damaged in other ways: the decoder refuses those. */
bool mrwi_image_jpeg_tables_defined(const uint8_t *data, size_t size, char *missing, size_t room);

#endif
