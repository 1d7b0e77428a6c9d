/* atlas.h: what lies where in a sprite sheet: what the writer of its pictures tells that of its
 * JSON. */
#ifndef MRWI_OUTPUT_ATLAS_H
#define MRWI_OUTPUT_ATLAS_H

#include "marrow/output.h"

/* A picture in the sheet, or what is left of it when its clear border is cut off. Equal ones share
 * a rectangle. Pixels, from the top left. */
typedef struct mrwi_output_atlas_sprite {
    const mrw_output_sprite *label;
    uint32_t page;
    uint32_t x, y, width, height;         /* in the page, without what is extruded; at least 1x1 */
    uint32_t offset_x, offset_y;          /* of that rectangle in the picture */
    uint32_t source_width, source_height; /* of the picture */
    bool trimmed;                         /* the rectangle is not all of it */
} mrwi_output_atlas_sprite;

/* Pictures of a clip seen from one direction, one after another in time. */
typedef struct mrwi_output_animation {
    uint32_t first, count; /* sprites; their labels have the same clip and direction */
} mrwi_output_animation;

/* A file of pixels and one of JSON. */
typedef struct mrwi_output_atlas_page {
    const char *image_path;
    const char *json_path;
    uint32_t width, height;
} mrwi_output_atlas_page;

typedef struct mrwi_output_atlas {
    /* Every picture once: animation by animation, which need not lie on one page. */
    mrwi_output_atlas_sprite *sprites;
    uint32_t count;
    mrwi_output_animation *animations;
    uint32_t animation_count;
    mrwi_output_atlas_page *pages;
    uint32_t page_count;
    bool numbered; /* sprites are called by their places in the page, "0", "1" ..., not by names */
} mrwi_output_atlas;

/* Adds how a file is reached from the folder of another one: by its name if both lie in one. */
void mrwi_output_atlas_way(const char *from, const char *path, mrw_text *out);

/* The SpriteFrames resource of a whole sheet, for Godot 4. path: of the resource, whose folder
 * exists. */
mrw_status mrwi_output_godot(const mrwi_output_atlas *atlas, const char *path, bool loops,
                             mrw_bytes *out, mrw_error *error);

/* The JSON of a page: TexturePacker's hash and Aseprite's in one. Of animations it has the sprites
 * that lie on the page. Files are named as seen from its own, whose folders exist. */
mrw_status mrwi_output_atlas_json(const mrwi_output_atlas *atlas, uint32_t page, mrw_bytes *out,
                                  mrw_error *error);

#endif
