/* view.h: what the files of this room share: axes of a view, exact angles; extents of many points.
 */
#ifndef MRWI_VIEW_VIEW_H
#define MRWI_VIEW_VIEW_H

#include "marrow/view.h"

/* The axes of view space in world space, orthonormal; the camera looks along -back. */
typedef struct mrwi_view_axes_of {
    double right[3];
    double up[3];
    double back[3];
} mrwi_view_axes_of;

typedef enum mrwi_view_axes_result {
    MRWI_VIEW_AXES_FINE,
    MRWI_VIEW_AXES_EYE_AT_TARGET,
    MRWI_VIEW_AXES_UP_ALONG_VIEW
} mrwi_view_axes_result;

/* Computes the axes of a view. With an eye they look at the view's target or, without one, at
 * `centre`. They are orthonormal even if the result says that the view does not determine them. */
mrwi_view_axes_result mrwi_view_axes(const mrw_view_def *view, const double centre[3],
                                     mrwi_view_axes_of *out);

/* Half the picture: tangents for perspective views; for orthographic ones shares of the half height
 * (x is the aspect, y is 1). `inner` is the part within the margin. */
typedef struct mrwi_view_half_size {
    double x, y;
    double inner_x, inner_y;
} mrwi_view_half_size;

mrwi_view_half_size mrwi_view_half_picture(const mrw_view_def *view, double aspect);

/* Computes sine and cosine, exact at multiples of 90 degrees. */
void mrwi_view_sincos_degrees(double degrees, double *sine, double *cosine);

/* ---- extents.c: for many points, poses and views --------------------------------------------- */

/* A box in world space. */
typedef struct mrwi_view_box {
    float min[3], max[3];
} mrwi_view_box;

/* Returns true when no points inside the box, which is finite, would change any of the extents.
 * These must have the same points so far. known_axes: bits of the axes along which the coordinates
 * of these points are, to the bit, those of points that the extents already have. */
bool mrwi_view_extents_hold(const mrw_extents *extents, uint32_t count, const mrwi_view_box *box,
                            uint32_t known_axes);
/* Adds points, float[4] each, to extents_count of them, within mrwi_base_fp_enter. */
void mrwi_view_extents_add(mrw_extents *extents, uint32_t extents_count, const float *points,
                           size_t count);

#endif
