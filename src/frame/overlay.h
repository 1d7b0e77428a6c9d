/* overlay.h: what the files of overlays share: a picture that is drawn over. */
#ifndef MRWI_FRAME_OVERLAY_H
#define MRWI_FRAME_OVERLAY_H

#include "frame/frame.h"
#include "overlay/overlay.h"

typedef struct mrwi_frame_overlay_box {
    double low[3], high[3];
} mrwi_frame_overlay_box;

/* A picture being drawn over. Points are in world space, radii in pixels. */
typedef struct mrwi_frame_overlay {
    mrwi_overlay_canvas canvas;
    const mrwi_frame_picture *picture;
    double world_to_clip[16];   /* column-major */
    double share;               /* pixels: 1/512 of the shorter side */
    double unit;                /* pixels: 1, and `share` where that is more */
    bool tested;                /* nearer surfaces hide what is drawn */
    bool on_surface;            /* lines are on surfaces: mrwi_overlay_stroke */
    mrwi_frame_overlay_box box; /* box of the sequence if known, else of the frame */
    double size;                /* diagonal of the box */
} mrwi_frame_overlay;

/* Returns the box of an instance's vertices, or of its nodes if it has none. `draws` are its draws,
 * one per draw of its scene. */
mrwi_frame_overlay_box mrwi_frame_overlay_measure(const mrwi_frame_pose *pose,
                                                  const mrw_raster_draw *draws);
/* Returns the diagonal of a box, above 0. For an instance it is the size of the model, wherever it
 * goes. */
double mrwi_frame_overlay_size(const mrwi_frame_overlay_box *box);

extern const mrwi_overlay_color mrwi_frame_overlay_dark; /* borders, visible on light grounds */

/* overlay_view.c: sets world_to_clip, share and unit from the picture's camera and the canvas. */
void mrwi_frame_overlay_look(mrwi_frame_overlay *overlay);

/* Projects a point to pixels and depth, a little nearer than it is, so that a surface does not hide
 * points on itself. Returns false for points behind the eye or too near to it. */
bool mrwi_frame_overlay_project(const mrwi_frame_overlay *overlay, const double point[3],
                                double out[3]);

/* Returns the length, in pixels, of 1 across the view at a point that can be projected. */
double mrwi_frame_overlay_scale(const mrwi_frame_overlay *overlay, const double point[3]);

/* A line in world space. */
typedef struct mrwi_frame_overlay_line {
    double at[2][3];
    double alpha[2]; /* 0 ... 1 */
} mrwi_frame_overlay_line;

/* Adds the part of a line that is in front of the eye to the current layer. */
void mrwi_frame_overlay_add(mrwi_frame_overlay *overlay, const mrwi_frame_overlay_line *line,
                            double radius);

/* Draws lines over a dark border. */
void mrwi_frame_overlay_draw(mrwi_frame_overlay *overlay, const mrwi_frame_overlay_line *lines,
                             size_t count, double radius, mrwi_overlay_color color);

/* Draws text over a dark border. x, y is the left end of its baseline; it is moved to a pixel's
 * centre. */
void mrwi_frame_overlay_text(mrwi_frame_overlay *overlay, double x, double y, const char *text,
                             mrwi_overlay_color color);
/* Returns the height of capital letters in pixels. */
double mrwi_frame_overlay_text_size(const mrwi_frame_overlay *overlay);

/* overlay_bones.c */
/* Marks the nodes that count as joints: all nodes in a scene without joints. Returns arena memory,
 * or NULL without memory. */
bool *mrwi_frame_overlay_joints(mrwi_base_arena *arena, const mrw_scene *scene);

mrw_status mrwi_frame_overlay_skeleton(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                       const mrwi_frame_pose *pose, mrw_error *error);

/* overlay_scene.c */
mrw_status mrwi_frame_overlay_frustums(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                       mrw_error *error);
mrw_status mrwi_frame_overlay_grid(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                   mrw_error *error);
mrw_status mrwi_frame_overlay_axes(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                   mrw_error *error);
mrw_status mrwi_frame_overlay_bounds(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                     mrw_error *error);
#endif
