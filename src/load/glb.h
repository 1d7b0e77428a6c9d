/* glb.h: the chunks of a binary glTF container. */
#ifndef MRWI_LOAD_GLB_H
#define MRWI_LOAD_GLB_H

#include "load/gltf_json.h"

typedef struct mrwi_load_glb {
    const char *text; /* the JSON chunk, not terminated */
    size_t text_size;
    const uint8_t *bin; /* the BIN chunk, or NULL */
    uint64_t bin_size;
} mrwi_load_glb;

/* Returns true if the bytes begin like a GLB. */
bool mrwi_load_glb_is(const uint8_t *bytes, size_t size);

/* Finds the chunks (glTF 2.0, 4.4); pointers go into bytes. Returns false after a failure in
 * json. */
bool mrwi_load_glb_split(mrwi_load_json *json, const uint8_t *bytes, size_t size,
                         mrwi_load_glb *out);

#endif
