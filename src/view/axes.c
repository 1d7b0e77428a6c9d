/* axes.c: the axes of a view, from angles or from an eye and a target; and the model transform. */
#include "view/view.h"

#include "base/math.h"
#include "base/parallel.h"

#include <string.h>

mrw_view_def mrw_view_def_default(void)
{
    mrw_view_def view = {.azimuth_degrees = 30.0f,
                         .elevation_degrees = 15.0f,
                         .fov_degrees = 35.0f,
                         .margin = 0.1f,
                         .up = {0.0f, 1.0f, 0.0f}};
    return view;
}

/* Reduces the angle to -45 ... 45 degrees first, so that quarter turns map axes to axes exactly. */
void mrwi_view_sincos_degrees(double degrees, double *sine, double *cosine)
{
    double turn = fmod(degrees, 360.0);
    int quarter = mrwi_base_round_to_int(turn / 90.0, -4, 4);
    double rest = (turn - 90.0 * quarter) * (MRWI_BASE_PI / 180.0);
    double s = mrwi_base_sin(rest);
    double c = mrwi_base_cos(rest);
    switch (quarter & 3) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
        break;
    }
    *sine += 0.0; /* no negative zeros in matrices */
    *cosine += 0.0;
}

/* Scales a vector to unit length. Returns false for a vector without a direction. It divides by the
 * largest component first, so that squares neither underflow nor overflow. */
static bool normalize(double v[3])
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        largest = fabs(v[i]) > largest ? fabs(v[i]) : largest;
    }
    if (!(largest > 0.0 && largest <= DBL_MAX)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        v[i] /= largest;
    }
    double length = sqrt(mrwi_base_dot3d(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] = v[i] / length + 0.0;
    }
    return true;
}

/* Computes right and up from back and an up vector. Returns false when the two are parallel. */
static bool complete_axes(const double up[3], mrwi_view_axes_of *axes)
{
    double unit[3] = {up[0], up[1], up[2]};
    if (!normalize(unit)) {
        return false;
    }
    mrwi_base_cross3d(unit, axes->back, axes->right);
    if (mrwi_base_dot3d(axes->right, axes->right) < 1e-12 || !normalize(axes->right)) {
        return false;
    }
    mrwi_base_cross3d(axes->back, axes->right, axes->up);
    return true;
}

static bool is_default_up(const mrw_view_def *view)
{
    return view->up[0] == 0.0f && view->up[1] == 1.0f && view->up[2] == 0.0f;
}

/* Computes the axes of a camera on a sphere around its target, poles included. */
static void orbit_axes(const mrw_view_def *view, mrwi_view_axes_of *out)
{
    double sin_a, cos_a, sin_e, cos_e;
    mrwi_view_sincos_degrees((double)view->azimuth_degrees, &sin_a, &cos_a);
    mrwi_view_sincos_degrees((double)view->elevation_degrees, &sin_e, &cos_e);
    *out = (mrwi_view_axes_of){.right = {cos_a, 0.0, -sin_a + 0.0},
                               .up = {-sin_a * sin_e + 0.0, cos_e, -cos_a * sin_e + 0.0},
                               .back = {sin_a * cos_e, sin_e, cos_a * cos_e}};
}

mrwi_view_axes_result mrwi_view_axes(const mrw_view_def *view, const double centre[3],
                                     mrwi_view_axes_of *out)
{
    const double up[3] = {(double)view->up[0], (double)view->up[1], (double)view->up[2]};
    mrwi_view_axes_of axes;
    orbit_axes(view, out);
    axes = *out;
    if (view->has_eye) {
        for (int i = 0; i < 3; i++) {
            double target = view->has_target ? (double)view->target[i] : centre[i];
            axes.back[i] = (double)view->eye[i] - target;
        }
        if (!normalize(axes.back)) {
            return MRWI_VIEW_AXES_EYE_AT_TARGET;
        }
    } else if (is_default_up(view)) {
        return MRWI_VIEW_AXES_FINE;
    }
    if (!complete_axes(up, &axes)) {
        /* straight down or up: the top of the picture is away from the front, as at elevation 90 */
        const double away[3] = {0.0, 0.0, axes.back[1] > 0.0 ? -1.0 : 1.0};
        if (!is_default_up(view) || !complete_axes(away, &axes)) {
            return MRWI_VIEW_AXES_UP_ALONG_VIEW;
        }
    }
    *out = axes;
    return MRWI_VIEW_AXES_FINE;
}

void mrw_view_model_transform(const float translate[3], const float rotate_degrees[3],
                              const float scale[3], mrw_mat4 *model_to_world)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    double s[3], c[3];
    for (int i = 0; i < 3; i++) {
        mrwi_view_sincos_degrees((double)rotate_degrees[i], &s[i], &c[i]);
    }
    /* Rz * Ry * Rx in columns: X is applied first */
    const double rotation[9] = {
        c[1] * c[2],
        c[1] * s[2],
        -s[1],
        s[0] * s[1] * c[2] - c[0] * s[2],
        s[0] * s[1] * s[2] + c[0] * c[2],
        s[0] * c[1],
        c[0] * s[1] * c[2] + s[0] * s[2],
        c[0] * s[1] * s[2] - s[0] * c[2],
        c[0] * c[1],
    };
    memset(model_to_world, 0, sizeof *model_to_world);
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++) {
            model_to_world->m[4 * column + row] =
                (float)(rotation[3 * column + row] * (double)scale[column] + 0.0);
        }
        model_to_world->m[12 + column] = translate[column];
    }
    model_to_world->m[15] = 1.0f;
    mrwi_base_fp_leave(fp);
}
