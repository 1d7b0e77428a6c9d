/* view.h: cameras and framing. It works on points and angles and does not depend on scenes.
 *
 * To make a camera, call mrw_extents_begin for a view; mrw_extents_add for all points that must be
 * visible, in any order, and mrw_extents_merge if several threads gathered them; then
 * mrw_view_camera.
 *
 * Spaces: world space is right-handed with Y up. View space has its origin at the eye, X to the
 * right, Y up, and the camera looks along -Z. Clip space has x and y in -w ... w and depth z in 0
 * ... w. Vectors are columns; matrices are column-major and named by the spaces they connect, so a
 * point is transformed by view_to_clip * world_to_view.
 *
 * Cameras are computed in double and stored as float. No function depends on the C library's sine,
 * cosine or tangent, so results have the same bits on every machine. Nothing is allocated or kept
 * between calls: any number of threads may call every function, as long as no two write the same
 * struct. Pointers must not be NULL, except mrw_error. A struct in *out has nothing to free.
 */
#ifndef MARROW_VIEW_H
#define MARROW_VIEW_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A camera ready for drawing. */
typedef struct mrw_camera {
    /* Rigid: a rotation and a translation. The camera looks along -Z of view space, Y is up. */
    mrw_mat4 world_to_view;
    /* Perspective or orthographic projection. Depth is 0 at the near plane and 1 at the far plane;
     * x points right, y up, both -w ... w. */
    mrw_mat4 view_to_clip;
    /* Eye position in world space, the origin of view space. */
    float eye[3];
    /* Distances from the eye along the view, in world units. An orthographic camera's near plane
     * may lie behind its eye and is then negative. */
    float near_plane;
    float far_plane; /* 0: infinity */
    bool orthographic;
} mrw_camera;

/* Camera options. Angles are in degrees, lengths in world units. mrw_view_camera checks the ranges;
 * no earlier call does. */
typedef struct mrw_view_def {
    /* Azimuth: 0 sees the front (from +Z); positive turns counter-clockwise seen from above. Any
     * finite number; default 30. Ignored with has_eye. */
    float azimuth_degrees;
    /* Elevation: positive looks down from above, -90 ... 90. Default 15. Ignored with has_eye. */
    float elevation_degrees;
    /* Full vertical angle, 1 ... 170; checked for orthographic views, too, which do not use it.
     * Default 35. */
    float fov_degrees;
    /* Parallel projection. Default false. */
    bool orthographic;
    /* World height that a parallel projection shows from the bottom to the top of the picture. Not
     * negative. Default 0: computed from the extents and the margin. */
    float height;
    /* Free border as a fraction of the picture's smaller side, 0 ... 0.45. Default 0.1. With
     * has_eye it only sizes orthographic views without a height. */
    float margin;
    /* Distances from the eye, not negative; near before far if both are given. Default 0: computed
     * from the extents. If only one is given and lies beyond the extents, the other is half or
     * twice of it. */
    float near_plane;
    float far_plane;
    /* Place the camera at `eye` instead of by framing. Default false. */
    bool has_eye;
    /* Look at `target` instead of at the centre of the extents. Default false. */
    bool has_target;
    /* World-space positions; default 0, 0, 0. */
    float eye[3];
    float target[3];
    /* Up direction in the picture: world space, any length but 0. Default 0, 1, 0. */
    float up[3];
    /* Distance from the eye to the target with has_target and without has_eye, regardless of the
     * extents. Not negative. Default 0: computed from the extents. */
    float distance;
} mrw_view_def;

/* Returns the defaults named above. */
MRW_API mrw_view_def mrw_view_def_default(void);

/* Sides of a view that extents are gathered for: indices of mrw_extents.plane and support. */
enum {
    MRW_PLANE_LEFT,
    MRW_PLANE_RIGHT,
    MRW_PLANE_BOTTOM,
    MRW_PLANE_TOP,
    MRW_PLANE_NEAR,
    MRW_PLANE_FAR,
    MRW_PLANE_COUNT
};

/* The extents of all points that must be visible, as framing needs them: for each side of the
 * picture the support of the points in that side's normal direction, and their box. Gathering is
 * exact (not approximated by a box or sphere) and does not depend on order. Begin with
 * mrw_extents_begin. Callers may read but not write the fields. */
typedef struct mrw_extents {
    /* Unit outward normals in world space, one for each MRW_PLANE_... Those of a perspective lean
     * by the angle of view, less the margin. */
    float plane[MRW_PLANE_COUNT][3];
    /* Largest dot product of a point with each normal; -FLT_MAX without points. */
    float support[MRW_PLANE_COUNT];
    /* Box in world space; FLT_MAX and -FLT_MAX without points. */
    float aabb_min[3];
    float aabb_max[3];
    /* Number of points so far. */
    uint64_t count;
} mrw_extents;

/* Begins gathering for a view and a picture's aspect (width / height, above 0). Cannot fail:
 * mrw_view_camera rejects a view that is out of range later. */
MRW_API void mrw_extents_begin(const mrw_view_def *view, float aspect, mrw_extents *out);

/* Adds count points in world space: point i is x, y, z at points[i * stride]. stride is in floats:
 * 3 for packed points, 4 for the output of mrw_skin_vertices. The points are only read during the
 * call. count may be 0. */
MRW_API void mrw_extents_add(mrw_extents *extents, const float *points, size_t count,
                             size_t stride);

/* Adds the points of another struct that was begun with the same view and aspect. The result has
 * the same bits as adding all points to one struct. */
MRW_API void mrw_extents_merge(mrw_extents *extents, const mrw_extents *other);

/* Makes the camera of a view. Unless view->has_eye places it, the extents touch the margin on the
 * tighter axis and are centred on both axes (equally far from the two planes of an axis). With
 * has_target, the target is the centre of the picture and the extents touch the margin on at least
 * one side. The near and far planes enclose the extents with a little room. Without points, or if
 * all points are equal, a unit cube is framed. aspect and extents are those of mrw_extents_begin.
 *
 * Returns MRW_ERROR_USAGE for an angle, margin or plane out of range, an aspect that is not above
 * 0, an eye at its target, or an up vector along the view (the default up vector is replaced
 * instead, so looking straight down or up is fine). Returns MRW_ERROR_INPUT for a model so large or
 * small that a matrix would not be finite. After a failure *out is unspecified. */
MRW_API mrw_status mrw_view_camera(const mrw_view_def *view, const mrw_extents *extents,
                                   float aspect, mrw_camera *out, mrw_error *error);

/* Gives views the same target, the same distance and, for parallel projections without a height,
 * the same height, so that pictures differ only by rotation. The extents of each view, begun with
 * that view and this aspect, are completely visible, and touch the margin in at least one view. The
 * target is that of the views if they have one, else the centre of the box of all extents. count is
 * at least 1. The views must differ only in their angles and must not have an eye. Returns the
 * errors of mrw_view_camera. */
MRW_API mrw_status mrw_view_at_one_distance(mrw_view_def *views, const mrw_extents *extents,
                                            uint32_t count, float aspect, mrw_error *error);

/* The lens of a camera in a file, as glTF 2.0 defines it (3.10, Cameras): mrw_scene_camera without
 * its node. */
typedef struct mrw_lens {
    /* Full vertical angle in radians, below pi; 0: orthographic. */
    float yfov;
    /* Orthographic: half the width and half the height of the view, above 0, in world units. Not
     * read if yfov is above 0. */
    float xmag, ymag;
    /* Width / height of the file's camera; 0: the picture's. Not read by orthographic cameras. The
     * picture always shows at least what the file's camera shows. */
    float aspect;
    /* Distances from the eye. near_plane is above 0, or not negative for orthographic cameras.
     * far_plane is greater; 0 means infinite, which only perspective cameras may have. */
    float near_plane;
    float far_plane;
} mrw_lens;

/* Makes the camera of a file. camera_to_world is its node's matrix, affine; its scale is dropped.
 * The camera looks along the node's -Z, with +Y up. aspect is the picture's width / height, above
 * 0. Returns MRW_ERROR_INPUT for a lens out of the ranges above, or a matrix scaled to zero. */
MRW_API mrw_status mrw_view_from_lens(const mrw_mat4 *camera_to_world, const mrw_lens *lens,
                                      float aspect, mrw_camera *out, mrw_error *error);

/* Makes translate * rotate * scale. Rotations are in degrees about X, then Y, then Z, which is Rz *
 * Ry * Rx for column vectors. Rotations by multiples of 90 degrees are exact. The inputs are three
 * finite floats each. Cannot fail. */
MRW_API void mrw_view_model_transform(const float translate[3], const float rotate_degrees[3],
                                      const float scale[3], mrw_mat4 *model_to_world);

#ifdef __cplusplus
}
#endif
#endif
