/* view.h: cameras, framing, light rigs. Knows points and angles, no scene. */
#ifndef MARROW_VIEW_H
#define MARROW_VIEW_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A camera ready for drawing. */
typedef struct mrw_camera {
    mrw_mat4 world_to_view; /* rigid; the camera looks along -Z of view space, Y is up */
    mrw_mat4 view_to_clip;  /* depth 0..1; x right, y up, both -w..w */
    float eye[3];           /* world space */
    float near_plane;
    float far_plane; /* infinity: 0 */
    bool orthographic;
} mrw_camera;

/* What the camera options say. */
typedef struct mrw_view_def {
    float azimuth_degrees;   /* 0 sees the front (from +Z); positive goes counter-clockwise seen
                                from above. Default 30. */
    float elevation_degrees; /* positive looks down from above, -90 ... 90. Default 15. */
    float fov_degrees;       /* full vertical angle, 1 ... 170. Default 35. */
    bool orthographic;
    float margin;     /* free border as a fraction of the picture's smaller side, 0 ... 0.45.
                         Default 0.05. */
    float near_plane; /* 0: from the extents */
    float far_plane;  /* 0: from the extents */
    bool has_eye;     /* else placed by framing */
    bool has_target;  /* else the centre of the extents */
    float eye[3];
    float target[3];
    float up[3]; /* default 0, 1, 0 */
} mrw_view_def;

MRW_API mrw_view_def mrw_view_def_default(void);

/* Sides of a view that extents are gathered for. */
enum {
    MRW_PLANE_LEFT,
    MRW_PLANE_RIGHT,
    MRW_PLANE_BOTTOM,
    MRW_PLANE_TOP,
    MRW_PLANE_NEAR,
    MRW_PLANE_FAR,
    MRW_PLANE_COUNT
};

/* What framing needs to know of all points that must be seen: for each side of the picture the
 * support of the points along that side's plane, and their box. Gathering is exact (no box or
 * sphere stands in for the points) and independent of order. */
typedef struct mrw_extents {
    /* unit outward normals of the view's sides, world space; those of a perspective lean by the
     * angle of view, margin taken off */
    float plane[MRW_PLANE_COUNT][3];
    float support[MRW_PLANE_COUNT]; /* largest dot product of a point with each */
    float aabb_min[3];
    float aabb_max[3];
    uint64_t count; /* points seen so far */
} mrw_extents;

/* Prepares gathering for a view and a picture's aspect (width / height). */
MRW_API void mrw_extents_begin(const mrw_view_def *view, float aspect, mrw_extents *out);

/* Adds count points (x, y, z), stride floats apart, world space. */
MRW_API void mrw_extents_add(mrw_extents *extents, const float *points, size_t count,
                             size_t stride);

/* Adds the points of another, begun with the same view. */
MRW_API void mrw_extents_merge(mrw_extents *extents, const mrw_extents *other);

/* The camera of a view: framed so that the extents touch the margin on the tighter axis and are
 * centred on both (equally far from the two planes of an axis), unless view->has_eye places it.
 * With has_target the target is the picture's centre and the extents touch the margin on one side
 * at least. Near and far enclose the extents with a little room. Without points, or when all are
 * one point, a unit cube is framed. aspect and extents are those of mrw_extents_begin. An angle,
 * margin or plane out of range, an eye at its target, or an up vector along the view is
 * MRW_ERROR_USAGE (the default up is replaced there: looking straight down or up is fine). */
MRW_API mrw_status mrw_view_camera(const mrw_view_def *view, const mrw_extents *extents,
                                   float aspect, mrw_camera *out, mrw_error *error);

/* The camera of a file: camera_to_world is its node's matrix (any scale in it is dropped), which
 * looks along -Z. A zero far plane is infinite. With yfov 0 it is orthographic with xmag, ymag. */
typedef struct mrw_lens {
    float yfov;
    float xmag, ymag;
    float aspect; /* of the file's camera; 0: the picture's. The picture always shows at least what
                     the file's camera shows. */
    float near_plane;
    float far_plane;
} mrw_lens;

MRW_API mrw_status mrw_view_from_lens(const mrw_mat4 *camera_to_world, const mrw_lens *lens,
                                      float aspect, mrw_camera *out, mrw_error *error);

/* translate * rotate * scale; degrees about X, then Y, then Z. */
MRW_API void mrw_view_model_transform(const float translate[3], const float rotate_degrees[3],
                                      const float scale[3], mrw_mat4 *model_to_world);

/* The default rig: key, fill, rim and hemisphere, placed relative to the camera so that any model
 * is flattered from any side. */
MRW_API void mrw_light_rig_studio(const mrw_camera *camera, mrw_light_rig *out);

/* One light over the camera's shoulder and a little flat ambient, no highlight: for `lambert`. */
MRW_API void mrw_light_rig_single(const mrw_camera *camera, mrw_light_rig *out);

#ifdef __cplusplus
}
#endif
#endif
