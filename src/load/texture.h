/* texture.h: finding and decoding the images a model names. */
#ifndef MRWI_LOAD_TEXTURE_H
#define MRWI_LOAD_TEXTURE_H

#include "load/files.h"
#include "marrow/image.h"
#include "scene/builder.h"

/* What was made of an image before it was asked for. Zeros: nothing. */
typedef struct mrwi_texture_ahead {
    uint8_t *data;        /* its file, where it is not embedded */
    const uint8_t *bytes; /* what is worth decoding: data, or its part of the model */
    size_t size;
    mrw_image image;
    bool looked_at;
} mrwi_texture_ahead;
void mrwi_texture_ahead_free(mrwi_texture_ahead *ahead); /* may be used again */

typedef struct mrwi_texture_source {
    const char *name;     /* may be NULL */
    const char *path;     /* as written, percent-decoded; NULL when the image is embedded */
    const uint8_t *bytes; /* PNG or JPEG of an embedded image */
    size_t size;
    const char *where;         /* the element for warnings, "image 3" */
    mrwi_texture_ahead *ahead; /* may be NULL; emptied */
} mrwi_texture_source;

/* What the images of a file may still take together. A damaged one is paid for, too: a small file
 * can name it a million times. */
typedef struct mrwi_texture_budget {
    uint64_t bytes;
    uint64_t pixels;
} mrwi_texture_budget;
mrwi_texture_budget mrwi_texture_budget_of(const mrw_load_def *def);

/* Takes a picture of so many pixels, in `size` bytes, off *left; false when it must not be decoded.
 */
bool mrwi_texture_charge(const mrw_load_def *def, size_t size, uint64_t pixels,
                         mrwi_texture_budget *left);

/* Decodes an image to RGBA and gives it to the builder. What is missing or damaged is a warning and
 * a checker, not a failure. What it took is taken off *left. */
mrw_status mrwi_texture_push(mrwi_builder *builder, const mrw_load_def *def,
                             const mrwi_files *files, const mrwi_texture_source *in,
                             mrwi_texture_budget *left, uint32_t *index, mrw_error *error);

#endif
