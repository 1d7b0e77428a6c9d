/* opacity.h: puts opacity textures into the alpha of the base texture, which is drawn. */
#ifndef MRWI_IMPORT_OPACITY_H
#define MRWI_IMPORT_OPACITY_H

#include "scene/builder.h"

/* The channel of an opacity texture that counts. */
typedef enum mrwi_import_opacity_from {
    MRWI_IMPORT_OPACITY_FROM_ANY, /* its alpha, if some texel is not opaque, else: */
    MRWI_IMPORT_OPACITY_FROM_LUMINANCE,
    MRWI_IMPORT_OPACITY_FROM_ALPHA
} mrwi_import_opacity_from;

typedef struct mrwi_import_opacity {
    mrwi_import_opacity_from from;
    bool inverted;  /* true if it is the light that shines through */
    uint8_t amount; /* factor on it before that, of 255 */
} mrwi_import_opacity;

/* Joins two images. Both have texels, or base is NULL: white. The caller sets the sides of *out,
 * each the longer one. The smaller image is interpolated, and its edge repeated beyond the edge
 * texels. The hash is made of both hashes. Returns false when out of memory. */
bool mrwi_import_opacity_join(const mrwi_scene_texels *base, const mrwi_scene_texels *opacity,
                              mrwi_import_opacity how, mrwi_scene_texels *out);

#endif
