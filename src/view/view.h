/* view.h: what the files of this room share: axes of a view and exact angles. */
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

#endif
