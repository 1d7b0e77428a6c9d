/* atlas.h: the layout of a sprite sheet, from which its JSON is made. */
#ifndef MRWI_OUTPUT_ATLAS_H
#define MRWI_OUTPUT_ATLAS_H

#include "marrow/output.h"

/* A picture in the sheet, perhaps without its clear border. Equal sprites share a rectangle. All
 * numbers are pixels from the top left. */
typedef struct mrwi_output_atlas_sprite {
    const mrw_output_sprite *label;
    uint32_t page;
    uint32_t x, y, width, height; /* rectangle in the page, without extruded edges; at least 1x1 */
    uint32_t offset_x, offset_y;  /* corner of that rectangle in the picture */
    uint32_t source_width, source_height; /* size of the picture */
    bool trimmed;                         /* the rectangle is smaller than the picture */
} mrwi_output_atlas_sprite;

/* An animation: pictures of a clip seen from one direction, in the order of time. */
typedef struct mrwi_output_animation {
    uint32_t first, count; /* sprites; their labels have the same clip and direction */
} mrwi_output_animation;

/* A page: a file of pixels and a file of JSON. */
typedef struct mrwi_output_atlas_page {
    const char *image_path;
    const char *json_path;
    uint32_t width, height;
} mrwi_output_atlas_page;

typedef struct mrwi_output_atlas {
    /* Every picture once, animation by animation. An animation may lie on several pages. */
    mrwi_output_atlas_sprite *sprites;
    uint32_t count; /* number of sprites */
    mrwi_output_animation *animations;
    uint32_t animation_count;
    mrwi_output_atlas_page *pages;
    uint32_t page_count;
    bool numbered; /* sprites are named by their index on the page: "0", "1" ... */
} mrwi_output_atlas;

/* Adds the relative path to a file from the folder of the file `from`: only its name if both are in
 * one folder. */
void mrwi_output_atlas_way(const char *from, const char *path, mrw_text *out);

/* Makes the SpriteFrames resource of a whole sheet, for Godot 4. path: the resource's own file,
 * whose folder exists. */
mrw_status mrwi_output_godot(const mrwi_output_atlas *atlas, const char *path, bool loops,
                             mrw_bytes *out, mrw_error *error);

/* Makes the JSON of a page: TexturePacker's hash and Aseprite's in one. Animations list the sprites
 * on this page only. Paths of files are relative to the folder of the JSON file; all folders exist.
 */
mrw_status mrwi_output_atlas_json(const mrwi_output_atlas *atlas, uint32_t page, mrw_bytes *out,
                                  mrw_error *error);

#endif
