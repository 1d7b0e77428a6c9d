/* ktx2.h: KTX 2.0 textures in the formats of DDS, plain or compressed by Zstandard or zlib. */
#ifndef MRWI_IMAGE_KTX2_H
#define MRWI_IMAGE_KTX2_H

#include "marrow/image.h"

/* Returns true if the bytes begin like a KTX 2.0 file. */
bool mrwi_image_ktx2_is(const uint8_t *data, size_t size);

/* Returns true if the bytes are a KTX 2.0 file of Basis Universal, which is not decoded. */
bool mrwi_image_ktx2_is_basis(const uint8_t *data, size_t size);
#define MRWI_IMAGE_KTX2_BASIS                                                                      \
    "KTX2 textures of Basis Universal, which marrow does not read: convert the model with: npx "   \
    "@gltf-transform/cli ktxdecompress in.glb out.glb (which needs the program ktx of "            \
    "KTX-Software 4.4 or newer: https://github.com/KhronosGroup/KTX-Software/releases)"

/* Reads the sides from the header. Returns false if the header is truncated. */
bool mrwi_image_ktx2_size(const uint8_t *data, size_t size, uint32_t *width, uint32_t *height);

/* Decodes the first and largest picture; a compressed file must have only one. The sides are within
 * limits. channels 0: RGB for formats without alpha. name is escaped. */
mrw_status mrwi_image_ktx2_decode(const uint8_t *data, size_t size, uint32_t channels,
                                  const char *name, mrw_image *out, mrw_error *error);

#endif
