/* texture.h: finding and decoding the images a model names. */
#ifndef MRWI_LOAD_TEXTURE_H
#define MRWI_LOAD_TEXTURE_H

#include "load/files.h"
#include "scene/builder.h"

typedef struct mrwi_texture_source {
    const char *name;     /* may be NULL */
    const char *path;     /* as written, percent-decoded; NULL when the image is embedded */
    const uint8_t *bytes; /* PNG or JPEG of an embedded image */
    size_t size;
    const char *where; /* the element for warnings, "image 3" */
} mrwi_texture_source;

/* Decodes an image to RGBA and gives it to the builder. What is missing or damaged is a warning and
 * a checker, not a failure. *pixels_left bounds the pixels of all images of a file together; this
 * one's are taken off. */
mrw_status mrwi_texture_push(mrwi_builder *builder, const mrw_load_def *def,
                             const mrwi_files *files, const mrwi_texture_source *in,
                             uint64_t *pixels_left, uint32_t *index, mrw_error *error);

/* What *pixels_left begins with: all textures of a model together may have twice the pixels of the
 * largest. */
uint64_t mrwi_texture_budget(const mrw_load_def *def);

#endif
