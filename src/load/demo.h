/* demo.h: the project's own models, built into the library (bytes of assets/NAME.glb). */
#ifndef MRWI_LOAD_DEMO_H
#define MRWI_LOAD_DEMO_H

#include "marrow/base.h"

typedef struct mrwi_demo {
    const char *name;
    const uint8_t *data;
    size_t size;
} mrwi_demo;

/* All of them. */
extern const mrwi_demo *const mrwi_demos;
extern const size_t mrwi_demo_count;

#endif
