/* opacity.h: opacity textures: put into the alpha of the base texture, which is what is drawn. */
#ifndef MRWI_IMPORT_OPACITY_H
#define MRWI_IMPORT_OPACITY_H

#include "scene/builder.h"

/* What of an opacity texture is meant. */
typedef enum mrwi_import_opacity_from {
    MRWI_IMPORT_OPACITY_FROM_ANY, /* its alpha, where some texel is not opaque; else: */
    MRWI_IMPORT_OPACITY_FROM_LUMINANCE,
    MRWI_IMPORT_OPACITY_FROM_ALPHA
} mrwi_import_opacity_from;

typedef struct mrwi_import_opacity {
    mrwi_import_opacity_from from;
    bool inverted;  /* it is what shines through */
    uint8_t amount; /* of 255, multiplies it before that */
} mrwi_import_opacity;

/* Both have texels, or base is NULL: white. The sides of *out, each the longer one, are to be set;
 * what is smaller is read between its texels, its edge repeated beyond them. The hash is of both
 * hashes. False when out of memory. */
bool mrwi_import_opacity_join(const mrwi_scene_texels *base, const mrwi_scene_texels *opacity,
                              mrwi_import_opacity how, mrwi_scene_texels *out);

#endif
