/* camera.c: the matrices of a camera, from a view and extents or from a camera of a file.
 *
 * View space here has the view's axes and the world's origin. From an eye e, a point q is inside
 * the right side of a perspective picture with tangent t if q.x - e.x <= t (e.z - q.z), that is
 * S_right = max(q.x + t q.z) <= e.x + t e.z. If two opposite sides both touch,
 * e.x = (S_right - S_left) / 2 and e.z = (S_right + S_left) / 2t. The axis that needs the larger
 * e.z decides. All values are double until they are stored.
 */
#include "view/view.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/text.h"

#include <cglm/cglm.h>
#include <cglm/clipspace/ortho_rh_zo.h>
#include <cglm/clipspace/persp_rh_zo.h>
#include <string.h>

/* Placement of a camera: the eye in view space, and the size and depth of the picture. */
typedef struct placement {
    double eye[3];
    double half_height; /* a tangent; for orthographic cameras a length */
    double near_plane;
    double far_plane;
} placement;

/* Extents in view space, along normals that are not of unit length. */
typedef struct seen {
    double left, right, bottom, top; /* maxima of -x, +x, -y, +y, each + lean z */
    double z_min, z_max;
    double corner[8][3]; /* corners of the box */
} seen;

static bool all_finite(const float *values, int count)
{
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite = finite && isfinite(values[i]);
    }
    return finite;
}

static mrw_status check_view(const mrw_view_def *view, float aspect, mrw_error *error)
{
    if (!(view->fov_degrees >= 1.0f && view->fov_degrees <= 170.0f)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the field of view must be 1 ... 170 degrees");
    }
    if (!(view->margin >= 0.0f && view->margin <= 0.45f)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "the margin must be 0 ... 0.45");
    }
    if (!(view->elevation_degrees >= -90.0f && view->elevation_degrees <= 90.0f)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "the elevation must be -90 ... 90 degrees");
    }
    if (!(view->height >= 0.0f && isfinite(view->height))) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "the height of a parallel projection must be a finite number of 0 or more");
    }
    if (!(view->distance >= 0.0f && isfinite(view->distance))) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the distance of the eye must be a finite number of 0 or more");
    }
    if (!isfinite(view->azimuth_degrees)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the azimuth must be a finite number of degrees");
    }
    if ((view->has_eye && !all_finite(view->eye, 3)) ||
        (view->has_target && !all_finite(view->target, 3))) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the eye and the target must have finite coordinates");
    }
    if (!(view->near_plane >= 0.0f) || !(view->far_plane >= 0.0f && isfinite(view->far_plane)) ||
        (view->far_plane > 0.0f && view->near_plane >= view->far_plane)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the near plane must be 0 or more and in front of the far plane, and "
                              "the far plane must be finite");
    }
    if (!(aspect > 0.0f && aspect <= FLT_MAX)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "a picture needs a width and a height");
    }
    return MRW_OK;
}

static mrw_status axes_error(mrwi_view_axes_result result, mrw_error *error)
{
    if (result == MRWI_VIEW_AXES_EYE_AT_TARGET) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "the eye is at the target, so there is no direction to look in; move one of them");
    }
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "the up vector is zero or points along the direction of view; "
                          "give another one");
}

/* Returns the extents, or those of a unit cube: around the only point, or around the origin. */
static mrw_extents extents_or_default(const mrw_view_def *view, float aspect,
                                      const mrw_extents *extents)
{
    mrw_extents cube;
    float corners[8][3];
    bool empty = extents->count == 0;
    if (!empty && memcmp(extents->aabb_min, extents->aabb_max, sizeof extents->aabb_min) != 0) {
        return *extents;
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            float centre = empty ? 0.0f : extents->aabb_min[k];
            corners[i][k] = centre + ((i >> k & 1) ? 0.5f : -0.5f);
        }
    }
    mrw_extents_begin(view, aspect, &cube);
    mrw_extents_add(&cube, corners[0], 8, 3);
    return cube;
}

static seen see(const mrw_extents *extents, const mrwi_view_axes_of *axes,
                const mrwi_view_half_size *half, bool orthographic)
{
    double length_x = orthographic ? 1.0 : sqrt(1.0 + half->inner_x * half->inner_x);
    double length_y = orthographic ? 1.0 : sqrt(1.0 + half->inner_y * half->inner_y);
    seen s = {.left = (double)extents->support[MRW_PLANE_LEFT] * length_x,
              .right = (double)extents->support[MRW_PLANE_RIGHT] * length_x,
              .bottom = (double)extents->support[MRW_PLANE_BOTTOM] * length_y,
              .top = (double)extents->support[MRW_PLANE_TOP] * length_y,
              .z_min = -(double)extents->support[MRW_PLANE_FAR],
              .z_max = (double)extents->support[MRW_PLANE_NEAR]};
    for (int i = 0; i < 8; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = (double)((i >> k & 1) ? extents->aabb_max[k] : extents->aabb_min[k]);
        }
        s.corner[i][0] = mrwi_base_dot3d(axes->right, p);
        s.corner[i][1] = mrwi_base_dot3d(axes->up, p);
        s.corner[i][2] = mrwi_base_dot3d(axes->back, p);
    }
    return s;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Frames the extents: sets the eye and the size. target is in view space; NULL centres the extents.
 */
static void frame_extents(const seen *s, const mrwi_view_half_size *half, bool orthographic,
                          const double *target, placement *out)
{
    double x = target ? target[0] : (s->right - s->left) / 2.0;
    double y = target ? target[1] : (s->top - s->bottom) / 2.0;
    double need_x = larger(s->right - x, s->left + x) / half->inner_x;
    double need_y = larger(s->top - y, s->bottom + y) / half->inner_y;
    double need = larger(need_x, need_y);
    double depth = s->z_max - s->z_min;
    out->eye[0] = x;
    out->eye[1] = y;
    if (orthographic) {
        /* a line along the view has no size: use its length */
        out->half_height = need > 1e-6 * depth ? need : depth;
        out->eye[2] = s->z_max + out->half_height;
    } else {
        /* a needle along the view would put the eye at its tip: keep a distance */
        double closest = s->z_max + 0.02 * depth;
        out->half_height = half->y;
        out->eye[2] = larger(need, closest);
    }
}

/* Sets the near and far planes for points at distances d_min ... d_max along the view. */
static void depth_range(double d_min, double d_max, const mrw_view_def *view, placement *out)
{
    double pad = 0.01 * (d_max - d_min) + 1e-4 * d_max;
    out->near_plane = d_min - pad;
    out->far_plane = d_max + pad;
    if (!(d_max > 0.0)) { /* all points are behind the eye */
        out->near_plane = 0.1;
        out->far_plane = 1000.0;
    } else if (!view->orthographic) {
        double floor_plane = d_min > 0.0 ? d_min * 0.5 : 0.0;
        out->near_plane = larger(out->near_plane, larger(floor_plane, d_max * 1e-3));
    }
    if (view->near_plane > 0.0f) {
        out->near_plane = (double)view->near_plane;
    }
    if (view->far_plane > 0.0f) {
        out->far_plane = (double)view->far_plane;
    }
    if (out->near_plane >= out->far_plane) { /* only one plane was given, beyond the extents */
        if (view->near_plane > 0.0f) {
            out->far_plane = out->near_plane * 2.0;
        } else {
            out->near_plane = out->far_plane * 0.5;
        }
    }
}

/* Transforms the target to view space. */
static void see_target(const mrw_view_def *view, const mrwi_view_axes_of *axes, double out[3])
{
    const double target[3] = {(double)view->target[0], (double)view->target[1],
                              (double)view->target[2]};
    out[0] = mrwi_base_dot3d(axes->right, target);
    out[1] = mrwi_base_dot3d(axes->up, target);
    out[2] = mrwi_base_dot3d(axes->back, target);
}

static void place_framed(const mrw_view_def *view, const seen *s, const mrwi_view_half_size *half,
                         const mrwi_view_axes_of *axes, placement *out)
{
    double target[3];
    see_target(view, axes, target);
    frame_extents(s, half, view->orthographic, view->has_target ? target : NULL, out);
    if (view->has_target && view->distance > 0.0f) {
        out->eye[2] = target[2] + (double)view->distance;
    }
    depth_range(out->eye[2] - s->z_max, out->eye[2] - s->z_min, view, out);
}

/* Places a given eye. The box decides on near and far planes, and on the size of orthographic
 * pictures. */
static void place_eye(const mrw_view_def *view, const seen *s, const mrwi_view_half_size *half,
                      const mrwi_view_axes_of *axes, placement *out)
{
    const double eye[3] = {(double)view->eye[0], (double)view->eye[1], (double)view->eye[2]};
    double d_min = DBL_MAX;
    double d_max = -DBL_MAX;
    double need = 0.0;
    out->eye[0] = mrwi_base_dot3d(axes->right, eye);
    out->eye[1] = mrwi_base_dot3d(axes->up, eye);
    out->eye[2] = mrwi_base_dot3d(axes->back, eye);
    for (int i = 0; i < 8; i++) {
        double d = out->eye[2] - s->corner[i][2];
        d_min = d < d_min ? d : d_min;
        d_max = larger(d_max, d);
        need = larger(need, fabs(s->corner[i][0] - out->eye[0]) / half->inner_x);
        need = larger(need, fabs(s->corner[i][1] - out->eye[1]) / half->inner_y);
    }
    out->half_height = half->y;
    if (view->orthographic) {
        out->half_height = need > 1e-6 * (d_max - d_min) ? need : d_max - d_min;
    }
    depth_range(d_min, d_max, view, out);
}

static void store_projection(const placement *place, double aspect, bool orthographic,
                             mrw_camera *out)
{
    mat4 projection;
    float z_near = (float)place->near_plane;
    float z_far = (float)place->far_plane;
    if (orthographic) {
        float y = (float)place->half_height;
        float x = (float)(place->half_height * aspect);
        glm_ortho_rh_zo(-x, x, -y, y, z_near, z_far, projection);
    } else {
        double reach = (double)z_near * place->half_height;
        float y = (float)reach;
        float x = (float)(reach * aspect);
        glm_frustum_rh_zo(-x, x, -y, y, z_near, z_far, projection);
    }
    memcpy(out->view_to_clip.m, projection, sizeof out->view_to_clip.m);
    out->near_plane = z_near;
    out->far_plane = z_far;
    out->orthographic = orthographic;
}

/* Stores the view matrix. eye: in view space. */
static void store_view(const mrwi_view_axes_of *axes, const double eye[3], mrw_camera *out)
{
    const double *const rows[3] = {axes->right, axes->up, axes->back};
    memset(&out->world_to_view, 0, sizeof out->world_to_view);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            out->world_to_view.m[4 * column + row] = (float)rows[row][column];
        }
        out->world_to_view.m[12 + row] = (float)(0.0 - eye[row]);
    }
    out->world_to_view.m[15] = 1.0f;
    for (int i = 0; i < 3; i++) {
        out->eye[i] = (float)((axes->right[i] * eye[0] + axes->up[i] * eye[1]) +
                              axes->back[i] * eye[2] + 0.0);
    }
}

static bool camera_is_finite(const mrw_camera *camera)
{
    return all_finite(camera->world_to_view.m, 16) && all_finite(camera->view_to_clip.m, 16) &&
           isfinite(camera->near_plane) && isfinite(camera->far_plane);
}

static mrw_status view_camera(const mrw_view_def *view, const mrw_extents *given, float aspect,
                              mrw_camera *out, mrw_error *error)
{
    mrw_extents extents = extents_or_default(view, aspect, given);
    mrwi_view_half_size half = mrwi_view_half_picture(view, (double)aspect);
    double centre[3];
    mrwi_view_axes_of axes;
    placement place;
    for (int i = 0; i < 3; i++) {
        centre[i] = ((double)extents.aabb_min[i] + (double)extents.aabb_max[i]) / 2.0;
    }
    mrwi_view_axes_result result = mrwi_view_axes(view, centre, &axes);
    if (result != MRWI_VIEW_AXES_FINE) {
        return axes_error(result, error);
    }
    seen s = see(&extents, &axes, &half, view->orthographic);
    if (view->has_eye) {
        place_eye(view, &s, &half, &axes, &place);
    } else {
        place_framed(view, &s, &half, &axes, &place);
    }
    if (view->orthographic && view->height > 0.0f) {
        place.half_height = (double)view->height / 2.0;
    }
    memset(out, 0, sizeof *out);
    store_view(&axes, place.eye, out);
    store_projection(&place, (double)aspect, view->orthographic, out);
    if (!camera_is_finite(out)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the model is too large or too small to be framed; use --scale");
    }
    return MRW_OK;
}

mrw_status mrw_view_camera(const mrw_view_def *view, const mrw_extents *extents, float aspect,
                           mrw_camera *out, mrw_error *error)
{
    mrw_status status = check_view(view, aspect, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = view_camera(view, extents, aspect, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

/* ---- several views at one distance ----------------------------------------------------------- */

/* Computes the centre of the box of all extents; the origin without points. */
static void find_centre(const mrw_extents *extents, uint32_t count, float out[3])
{
    mrw_extents all = extents[0];
    for (uint32_t v = 1; v < count; v++) {
        mrw_extents_merge(&all, &extents[v]);
    }
    for (int i = 0; i < 3; i++) {
        const double sum = (double)all.aabb_min[i] + (double)all.aabb_max[i];
        out[i] = all.count > 0 ? (float)(sum / 2.0) : 0.0f;
    }
}

/* Computes the distance of a view from its target, and half the height of a parallel projection. */
static mrw_status measure_view(const mrw_view_def *view, const mrw_extents *given, float aspect,
                               double *distance, double *half_height, mrw_error *error)
{
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    const mrw_extents extents = extents_or_default(view, aspect, given);
    const mrwi_view_half_size half = mrwi_view_half_picture(view, (double)aspect);
    mrwi_view_axes_of axes;
    placement place;
    double target[3];
    const mrwi_view_axes_result result = mrwi_view_axes(view, nowhere, &axes);
    if (result != MRWI_VIEW_AXES_FINE) {
        return axes_error(result, error);
    }
    const seen s = see(&extents, &axes, &half, view->orthographic);
    see_target(view, &axes, target);
    frame_extents(&s, &half, view->orthographic, target, &place);
    *distance = place.eye[2] - target[2];
    *half_height = place.half_height;
    return MRW_OK;
}

static mrw_status at_one_distance(mrw_view_def *views, const mrw_extents *extents, uint32_t count,
                                  float aspect, mrw_error *error)
{
    double distance = 0.0, half_height = 0.0;
    float centre[3];
    find_centre(extents, count, centre);
    for (uint32_t v = 0; v < count; v++) {
        mrw_view_def *view = &views[v];
        double own_distance, own_height;
        if (!view->has_target) {
            memcpy(view->target, centre, sizeof view->target);
            view->has_target = true;
        }
        mrw_status status =
            measure_view(view, &extents[v], aspect, &own_distance, &own_height, error);
        if (status) {
            return status;
        }
        distance = larger(distance, own_distance);
        half_height = larger(half_height, own_height);
    }
    for (uint32_t v = 0; v < count; v++) {
        views[v].distance = (float)distance;
        if (views[v].orthographic && !(views[v].height > 0.0f)) {
            views[v].height = (float)(half_height * 2.0);
        }
    }
    return MRW_OK;
}

mrw_status mrw_view_at_one_distance(mrw_view_def *views, const mrw_extents *extents, uint32_t count,
                                    float aspect, mrw_error *error)
{
    for (uint32_t v = 0; v < count; v++) {
        mrw_status status = check_view(&views[v], aspect, error);
        if (status) {
            return status;
        }
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = at_one_distance(views, extents, count, aspect, error);
    mrwi_base_fp_leave(fp);
    return status;
}

/* ---- cameras of files ------------------------------------------------------------------------ */

/* Computes orthonormal axes of a node's matrix: looking along its -Z, with its +Y on the upper
 * side. */
static bool lens_axes(const mrw_mat4 *m, mrwi_view_axes_of *axes)
{
    float back[3] = {m->m[8], m->m[9], m->m[10]};
    float up[3] = {m->m[4], m->m[5], m->m[6]};
    float right[3];
    bool fine = mrwi_base_normalize3(back) && mrwi_base_normalize3(up);
    mrwi_base_cross3(up, back, right);
    fine = fine && mrwi_base_normalize3(right);
    mrwi_base_cross3(back, right, up);
    for (int i = 0; i < 3; i++) {
        axes->right[i] = (double)right[i];
        axes->up[i] = (double)up[i];
        axes->back[i] = (double)back[i];
    }
    return fine;
}

/* Returns half the picture's height, enlarged so that the file's whole picture is visible. */
static double lens_half_height(const mrw_lens *lens, double aspect)
{
    if (lens->yfov > 0.0f) {
        double y = mrwi_base_tan((double)lens->yfov / 2.0);
        double shown = lens->aspect > 0.0f ? y * (double)lens->aspect / aspect : y;
        return larger(y, shown);
    }
    return larger((double)lens->ymag, (double)lens->xmag / aspect);
}

/* Makes depth 0 at the near plane and 1 at infinity. */
static void make_infinite(mrw_camera *camera)
{
    camera->view_to_clip.m[10] = -1.0f;
    camera->view_to_clip.m[14] = -camera->near_plane;
    camera->far_plane = 0.0f;
}

static mrw_status check_lens(const mrw_lens *lens, mrw_error *error)
{
    bool orthographic = !(lens->yfov > 0.0f);
    if (orthographic ? !(lens->ymag > 0.0f && lens->xmag > 0.0f)
                     : !((double)lens->yfov < MRWI_BASE_PI)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the file's camera has no usable angle or size of view");
    }
    if (!(lens->near_plane >= 0.0f) || (!orthographic && lens->near_plane == 0.0f) ||
        ((orthographic || lens->far_plane != 0.0f) && lens->far_plane <= lens->near_plane)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the file's camera has no usable near and far planes");
    }
    return MRW_OK;
}

static mrw_status camera_from_lens(const mrw_mat4 *camera_to_world, const mrw_lens *lens,
                                   float aspect, mrw_camera *out, mrw_error *error)
{
    bool orthographic = !(lens->yfov > 0.0f);
    bool infinite = lens->far_plane == 0.0f;
    placement place = {.half_height = lens_half_height(lens, (double)aspect),
                       .near_plane = (double)lens->near_plane,
                       .far_plane =
                           infinite ? (double)lens->near_plane * 2.0 : (double)lens->far_plane};
    mrwi_view_axes_of axes;
    if (!lens_axes(camera_to_world, &axes)) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "the file's camera is scaled to zero, so it looks nowhere; leave --camera out");
    }
    const double eye[3] = {(double)camera_to_world->m[12], (double)camera_to_world->m[13],
                           (double)camera_to_world->m[14]};
    place.eye[0] = mrwi_base_dot3d(axes.right, eye);
    place.eye[1] = mrwi_base_dot3d(axes.up, eye);
    place.eye[2] = mrwi_base_dot3d(axes.back, eye);
    memset(out, 0, sizeof *out);
    store_view(&axes, place.eye, out);
    store_projection(&place, (double)aspect, orthographic, out);
    if (infinite) {
        make_infinite(out);
    }
    if (!camera_is_finite(out)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the numbers of the file's camera are too large");
    }
    return MRW_OK;
}

mrw_status mrw_view_from_lens(const mrw_mat4 *camera_to_world, const mrw_lens *lens, float aspect,
                              mrw_camera *out, mrw_error *error)
{
    mrw_status status = check_lens(lens, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = camera_from_lens(camera_to_world, lens, aspect, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}
