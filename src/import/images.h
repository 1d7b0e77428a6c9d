/* images.h: the images that the materials of a file show. */
#ifndef MRWI_IMPORT_IMAGES_H
#define MRWI_IMPORT_IMAGES_H

#include "import/import.h"
#include "import/opacity.h"
#include "load/texture.h"

/* An image by the path in the file: its materials name the same few again and again. */
typedef struct mrwi_import_image {
    const char *path;
    const struct aiTexture *embedded; /* or NULL */
    uint32_t index;                   /* index in the builder, MRW_NONE until named */
    bool shown;
    uint32_t maps; /* drawn maps that may show it: see mrwi_load_texture_source */
    struct mrwi_import_image *next;
} mrwi_import_image;

/* The maps that show a base texture. In some formats it also emits. */
#define MRWI_IMPORT_BASE_MAPS                                                                      \
    (MRW_MAP_BIT(MRW_MAP_BASE_COLOR) | MRW_MAP_BIT(MRW_MAP_EMISSIVE) | MRW_MAPS_ALPHA)

/* A base texture with an opacity texture in its alpha. */
typedef struct mrwi_import_joint_image {
    const mrwi_import_image *base; /* NULL stands for white */
    const mrwi_import_image *opacity;
    mrwi_import_opacity how;
    uint32_t index; /* index in the builder, or MRW_NONE */
    struct mrwi_import_joint_image *next;
} mrwi_import_joint_image;

/* The images found so far, and the budget for all. */
typedef struct mrwi_import_images {
    mrwi_import_image *first;
    mrwi_import_joint_image *joined;
    mrwi_load_texture_budget left;
} mrwi_import_images;

/* Returns the image of a path, and adds it if it is new. NULL when out of memory. */
mrwi_import_image *mrwi_import_images_find(const struct aiScene *scene, const char *path,
                                           mrwi_import_images *all, mrwi_import_resources *res);

/* Names an image for the builder, and decodes it if it is shown. `where` is the element for
 * warnings. */
bool mrwi_import_images_push(const char *where, bool shown, const mrwi_load_read_job *job,
                             mrwi_import_image *found, mrwi_load_texture_budget *left,
                             mrwi_import_resources *res, mrwi_scene_builder *builder);

/* Joins two images. *index is the builder's index of the result; MRW_NONE if one of the two
 * textures is not available, after a warning. */
bool mrwi_import_images_join(const char *where, const mrwi_import_joint_image *wanted,
                             const mrwi_load_read_job *job, mrwi_import_images *all,
                             mrwi_import_resources *res, mrwi_scene_builder *builder,
                             uint32_t *index);

#endif
