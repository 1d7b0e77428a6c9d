/* extents.c: extents for framing: supports of all points along the planes of a view.
 *
 * For a fixed direction of view, the position of a perspective camera solves a small linear system
 * in four supports max(n . p), where n are the normals of the picture's sides. So one pass over the
 * points, in any order and on any number of threads, frames them exactly. The box is six more
 * supports, along the axes of the world.
 */
#include "view/view.h"

#include "base/math.h"
#include "base/parallel.h"

#include <string.h>

mrwi_view_half_size mrwi_view_half_picture(const mrw_view_def *view, double aspect)
{
    double border = 2.0 * (double)view->margin;
    double half_angle = (double)view->fov_degrees * (MRWI_BASE_PI / 360.0);
    double y = view->orthographic ? 1.0 : mrwi_base_tan(half_angle);
    mrwi_view_half_size half = {.x = y * aspect, .y = y};
    half.inner_x = half.x * (1.0 - (aspect > 1.0 ? border / aspect : border));
    half.inner_y = half.y * (1.0 - (aspect > 1.0 ? border : border * aspect));
    return half;
}

static void set_plane(mrw_extents *extents, int plane, const double *side, double sign,
                      const double back[3], double lean)
{
    double length = sqrt(1.0 + lean * lean);
    for (int i = 0; i < 3; i++) {
        double component = sign * side[i] + lean * back[i];
        extents->plane[plane][i] = (float)(component / length);
    }
}

void mrw_extents_begin(const mrw_view_def *view, float aspect, mrw_extents *out)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const double centre[3] = {0.0, 0.0, 0.0};
    mrwi_view_half_size half = mrwi_view_half_picture(view, (double)aspect);
    double lean_x = view->orthographic ? 0.0 : half.inner_x;
    double lean_y = view->orthographic ? 0.0 : half.inner_y;
    mrwi_view_axes_of axes;
    /* A view that does not determine its axes is refused later, by mrw_view_camera. */
    mrwi_view_axes(view, centre, &axes);
    memset(out, 0, sizeof *out);
    set_plane(out, MRW_PLANE_LEFT, axes.right, -1.0, axes.back, lean_x);
    set_plane(out, MRW_PLANE_RIGHT, axes.right, 1.0, axes.back, lean_x);
    set_plane(out, MRW_PLANE_BOTTOM, axes.up, -1.0, axes.back, lean_y);
    set_plane(out, MRW_PLANE_TOP, axes.up, 1.0, axes.back, lean_y);
    set_plane(out, MRW_PLANE_NEAR, axes.back, 1.0, axes.back, 0.0);
    set_plane(out, MRW_PLANE_FAR, axes.back, -1.0, axes.back, 0.0);
    for (int i = 0; i < MRW_PLANE_COUNT; i++) {
        out->support[i] = -FLT_MAX;
    }
    for (int i = 0; i < 3; i++) {
        out->aabb_min[i] = FLT_MAX;
        out->aabb_max[i] = -FLT_MAX;
    }
    mrwi_base_fp_leave(fp);
}

/* Directions of supports: the planes of the view, then +x, -x, +y, -y, +z, -z. */
#define DIRECTIONS (MRW_PLANE_COUNT + 6)

/* Directions and supports in rows, so that the loop over them vectorises. */
typedef struct support_set {
    float x[DIRECTIONS];
    float y[DIRECTIONS];
    float z[DIRECTIONS];
    float support[DIRECTIONS];
} support_set;

static void open_set(const mrw_extents *extents, support_set *set)
{
    memset(set, 0, sizeof *set);
    for (int i = 0; i < MRW_PLANE_COUNT; i++) {
        set->x[i] = extents->plane[i][0];
        set->y[i] = extents->plane[i][1];
        set->z[i] = extents->plane[i][2];
        set->support[i] = extents->support[i];
    }
    float *const axis[3] = {set->x + MRW_PLANE_COUNT, set->y + MRW_PLANE_COUNT + 2,
                            set->z + MRW_PLANE_COUNT + 4};
    for (int i = 0; i < 3; i++) {
        axis[i][0] = 1.0f;
        axis[i][1] = -1.0f;
        set->support[MRW_PLANE_COUNT + 2 * i] = extents->aabb_max[i];
        set->support[MRW_PLANE_COUNT + 2 * i + 1] = -extents->aabb_min[i];
    }
}

static void close_set(const support_set *set, mrw_extents *extents)
{
    memcpy(extents->support, set->support, sizeof extents->support);
    for (int i = 0; i < 3; i++) {
        extents->aabb_max[i] = set->support[MRW_PLANE_COUNT + 2 * i];
        extents->aabb_min[i] = 0.0f - set->support[MRW_PLANE_COUNT + 2 * i + 1];
    }
}

void mrw_extents_add(mrw_extents *extents, const float *points, size_t count, size_t stride)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    support_set set;
    open_set(extents, &set);
    for (size_t i = 0; i < count; i++) {
        const float *p = points + i * stride;
        for (int k = 0; k < DIRECTIONS; k++) {
            /* + 0 turns -0 into 0, so that zeros do not depend on the order of points */
            float d = (p[0] * set.x[k] + p[1] * set.y[k]) + (p[2] * set.z[k] + 0.0f);
            set.support[k] = d > set.support[k] ? d : set.support[k];
        }
    }
    close_set(&set, extents);
    extents->count += count;
    mrwi_base_fp_leave(fp);
}

void mrw_extents_merge(mrw_extents *extents, const mrw_extents *other)
{
    for (int i = 0; i < MRW_PLANE_COUNT; i++) {
        extents->support[i] = mrwi_base_maxf(extents->support[i], other->support[i]);
    }
    for (int i = 0; i < 3; i++) {
        extents->aabb_min[i] = mrwi_base_minf(extents->aabb_min[i], other->aabb_min[i]);
        extents->aabb_max[i] = mrwi_base_maxf(extents->aabb_max[i], other->aabb_max[i]);
    }
    extents->count += other->count;
}
