/* demo.h: the project's own models, built into the library (bytes of assets/NAME.glb). */
#ifndef MRWI_LOAD_DEMO_H
#define MRWI_LOAD_DEMO_H

#include "marrow/base.h"

typedef struct mrwi_load_demo {
    const char *name;
    const uint8_t *data; /* 64-byte aligned */
    size_t size;
} mrwi_load_demo;

extern const size_t mrwi_load_demo_count;

/* Returns a demo model; index < mrwi_load_demo_count. */
mrwi_load_demo mrwi_load_demo_at(size_t index);

#endif
