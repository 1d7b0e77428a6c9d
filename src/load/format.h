/* format.h: telling a model file's format by its content. */
#ifndef MRWI_LOAD_FORMAT_H
#define MRWI_LOAD_FORMAT_H

#include "marrow/base.h"

/* What this version reads, for messages. */
#define MRWI_FORMATS_READ "glTF 2.0 (.gltf, .glb)"

/* True for a GLB, or text whose first character is '{'. */
bool mrwi_format_is_gltf(const uint8_t *bytes, size_t size);

/* The name of a known format that is not read, told by content, else by the extension of `name`;
 * NULL for an unknown one. */
const char *mrwi_format_foreign(const uint8_t *bytes, size_t size, const char *name);

/* True when name ends in one of glTF's extensions. */
bool mrwi_format_named_gltf(const char *name);

#endif
