/* png_chunks.h: the chunks that PNG and animated PNG have in common. */
#ifndef MRWI_IMAGE_PNG_CHUNKS_H
#define MRWI_IMAGE_PNG_CHUNKS_H

#include "marrow/image.h"

#define MRWI_IMAGE_PNG_HEADER   33 /* bytes of signature and IHDR */
#define MRWI_IMAGE_CHUNK_START  8  /* length and type */
#define MRWI_IMAGE_CHUNK_AROUND 12 /* length, type and checksum */

/* Store and load big-endian numbers. */
void mrwi_image_store_u16(uint8_t *to, uint32_t value);
void mrwi_image_store_u32(uint8_t *to, uint32_t value);
uint32_t mrwi_image_load_u32(const uint8_t *from);

/* Puts length, type and checksum around data that are there. Returns the place behind them. */
uint8_t *mrwi_image_chunk_seal(uint8_t *to, const char type[4], size_t size);

/* Stores a chunk whose data are two parts, either of which may be empty. Returns the place behind
 * it. */
uint8_t *mrwi_image_chunk_store(uint8_t *to, const char type[4], const uint8_t *first,
                                size_t first_size, const uint8_t *second, size_t second_size);

/* Stores signature and IHDR: 8 or 16 bits, grey, RGB or RGBA, not interlaced. Returns the place
 * behind them. */
uint8_t *mrwi_image_png_store_header(uint8_t *to, uint32_t width, uint32_t height,
                                     uint32_t channels, uint32_t bits);

#endif
