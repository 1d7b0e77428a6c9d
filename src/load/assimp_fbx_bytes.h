/* assimp_fbx_bytes.h: FBX bytes mended before assimp sees them. */
#ifndef MRWI_LOAD_ASSIMP_FBX_BYTES_H
#define MRWI_LOAD_ASSIMP_FBX_BYTES_H

#include "load/reader.h"

/* Sets *out (mrwi_alloc) to a copy of the file in which no key is lost at the end of a clip, or
 * to NULL when the file may be read as it is. False when out of memory. */
bool mrwi_fbx_mend(const uint8_t *bytes, size_t size, uint8_t **out, size_t *out_size);

#endif
