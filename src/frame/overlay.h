/* overlay.h: what the files of overlays share: a picture that is drawn over, seen from a camera. */
#ifndef MRWI_FRAME_OVERLAY_H
#define MRWI_FRAME_OVERLAY_H

#include "frame/frame.h"
#include "overlay/overlay.h"

typedef struct mrwi_frame_overlay_box {
    double low[3], high[3];
} mrwi_frame_overlay_box;

/* A frame that is drawn over. Points are in world space, radii in pixels. */
typedef struct mrwi_frame_overlay {
    mrwi_overlay_canvas canvas;
    const mrwi_frame_posed *posed;
    mrw_camera camera;
    double world_to_clip[16];   /* column-major */
    double unit;                /* pixels: 1, and more in pictures larger than 512 pixels */
    bool tested;                /* what is drawn is hidden by what is nearer */
    bool on_surface;            /* lines are on surfaces: mrwi_overlay_stroke */
    mrwi_frame_overlay_box box; /* of what the sequence shows, or else the frame */
    double size;                /* its diagonal */
} mrwi_frame_overlay;

/* The box of the vertices of an instance, or of its nodes where it has none. Its draws, as many as
 * its scene has, begin at `draws`. */
mrwi_frame_overlay_box mrwi_frame_overlay_measure(const mrwi_frame_pose *pose,
                                                  const mrw_raster_draw *draws);
/* Its diagonal, above 0: of an instance it is how large the model is, however far it goes. */
double mrwi_frame_overlay_size(const mrwi_frame_overlay_box *box);

extern const mrwi_overlay_color mrwi_frame_overlay_dark; /* borders, seen on light grounds */

/* overlay_view.c */
void mrwi_frame_overlay_look(mrwi_frame_overlay *overlay, const mrw_camera *camera);

/* Pixels and depth of a point, a little nearer than it is, so that what lies on a surface is not
 * hidden by it. False: it is behind the eye, or so near that it is left out. */
bool mrwi_frame_overlay_project(const mrwi_frame_overlay *overlay, const double point[3],
                                double out[3]);

/* Pixels of a length of 1 across the view at a point that can be projected. */
double mrwi_frame_overlay_scale(const mrwi_frame_overlay *overlay, const double point[3]);

/* A line of the world. */
typedef struct mrwi_frame_overlay_line {
    double at[2][3];
    double alpha[2]; /* 0 ... 1 */
} mrwi_frame_overlay_line;

/* Adds what lies before the eye of a line to the layer at hand. */
void mrwi_frame_overlay_add(mrwi_frame_overlay *overlay, const mrwi_frame_overlay_line *line,
                            double radius);

/* Draws lines over a dark border. */
void mrwi_frame_overlay_draw(mrwi_frame_overlay *overlay, const mrwi_frame_overlay_line *lines,
                             size_t count, double radius, mrwi_overlay_color color);

/* Draws text over a dark border: x, y is the left end of its baseline, moved to pixels' centres. */
void mrwi_frame_overlay_text(mrwi_frame_overlay *overlay, double x, double y, const char *text,
                             mrwi_overlay_color color);
/* How high capital letters are. */
double mrwi_frame_overlay_text_size(const mrwi_frame_overlay *overlay);

/* overlay_bones.c */
/* Which nodes are joints, or are taken for some: all of a scene that has none. In the arena; NULL
 * when out of memory. */
bool *mrwi_frame_overlay_joints(mrw_renderer *renderer, const mrw_scene *scene);

mrw_status mrwi_frame_overlay_skeleton(mrw_renderer *renderer, mrwi_frame_overlay *overlay,
                                       const mrwi_frame_pose *pose, mrw_error *error);

/* overlay_scene.c */
mrw_status mrwi_frame_overlay_frustums(mrw_renderer *renderer, mrwi_frame_overlay *overlay,
                                       const mrw_frame_def *def, mrw_error *error);
mrw_status mrwi_frame_overlay_grid(mrw_renderer *renderer, mrwi_frame_overlay *overlay,
                                   mrw_error *error);
mrw_status mrwi_frame_overlay_axes(mrw_renderer *renderer, mrwi_frame_overlay *overlay,
                                   mrw_error *error);
mrw_status mrwi_frame_overlay_bounds(mrw_renderer *renderer, mrwi_frame_overlay *overlay,
                                     mrw_error *error);
#endif
