/* view.h: cameras and framing. Knows points and angles, no scene.
 *
 * How a camera is made: mrw_extents_begin for a view; mrw_extents_add for all points that must be
 * seen, in any order, and mrw_extents_merge where several threads have gathered; mrw_view_camera.
 *
 * Spaces: world space is right-handed with Y up. View space has its origin at the eye, X to the
 * right, Y up, and the camera looks along -Z. Clip space has x and y in -w ... w and depth z in
 * 0 ... w. Vectors are columns, matrices column-major and named by the spaces they join, so a point
 * goes through view_to_clip * world_to_view.
 *
 * Cameras are computed in double and stored as float, and no function depends on the C library's
 * sine, cosine or tangent: the same bits on every machine. Nothing is allocated or kept between
 * calls, so every function may be called by any number of threads, as long as no two write the same
 * struct. Pointers are not NULL, but for mrw_error. A struct in *out has nothing to free.
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
    /* Perspective or orthographic. Depth 0 at the near plane, 1 at the far plane; x right, y up,
     * both -w ... w. */
    mrw_mat4 view_to_clip;
    /* World space: where world_to_view has its origin. */
    float eye[3];
    /* Distances from the eye along the view, in units of world space. An orthographic camera's near
     * plane may lie behind its eye: then it is negative. */
    float near_plane;
    float far_plane; /* infinity: 0 */
    bool orthographic;
} mrw_camera;

/* What the camera options say. Angles in degrees, lengths in units of world space. What is out of
 * range is refused by mrw_view_camera, not before. */
typedef struct mrw_view_def {
    /* 0 sees the front (from +Z); positive goes counter-clockwise seen from above. Any finite
     * number; default 30. Without effect with has_eye. */
    float azimuth_degrees;
    /* Positive looks down from above, -90 ... 90. Default 15. Without effect with has_eye. */
    float elevation_degrees;
    /* Full vertical angle, 1 ... 170, also of orthographic views, which do not use it. Default
     * 35. */
    float fov_degrees;
    /* Parallel projection. Default false. */
    bool orthographic;
    /* Of what a parallel projection shows from the bottom of the picture to its top, in units of
     * world space; 0, the default: from the extents and the margin. Not negative. */
    float height;
    /* Free border as a fraction of the picture's smaller side, 0 ... 0.45. Default 0.05. With
     * has_eye it only sizes orthographic views, those with a height not at all. */
    float margin;
    /* Distances from the eye; 0, the default: from the extents. Not negative, and where both are
     * given, near before far. Where only one is given and lies beyond the extents, the other is
     * half or twice of it. */
    float near_plane;
    float far_plane;
    /* The camera stands at `eye`; else framing places it. Default false. */
    bool has_eye;
    /* The camera looks at `target`; else at the centre of the extents. Default false. */
    bool has_target;
    /* World space; default 0, 0, 0. */
    float eye[3];
    float target[3];
    /* World space, any length but 0: the way that is up in the picture. Default 0, 1, 0. */
    float up[3];
    /* With has_target, and without has_eye: how far the eye stands from the target, whatever the
     * extents; 0, the default: from the extents. Not negative. */
    float distance;
} mrw_view_def;

/* The defaults named above. */
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

/* What framing needs to know of all points that must be seen: for each side of the picture the
 * support of the points along that side's plane, and their box. Gathering is exact (no box or
 * sphere stands in for the points) and independent of order. Begun by mrw_extents_begin; to be
 * read, not to be written, by callers. */
typedef struct mrw_extents {
    /* One for each MRW_PLANE_...: unit outward normals of the view's sides, world space; those of a
     * perspective lean by the angle of view, margin taken off. */
    float plane[MRW_PLANE_COUNT][3];
    /* Largest dot product of a point with each; -FLT_MAX without points. */
    float support[MRW_PLANE_COUNT];
    /* The box, world space; without points FLT_MAX and -FLT_MAX. */
    float aabb_min[3];
    float aabb_max[3];
    /* Points seen so far. */
    uint64_t count;
} mrw_extents;

/* Prepares gathering for a view and a picture's aspect (width / height, above 0). Cannot fail: a
 * view that is out of range is refused later, by mrw_view_camera. */
MRW_API void mrw_extents_begin(const mrw_view_def *view, float aspect, mrw_extents *out);

/* Adds count points, world space: point i is points[i * stride] and the two floats behind it, x, y,
 * z. stride is counted in floats: 3 for packed points, 4 for those that mrw_skin_vertices writes.
 * The points are only read during the call; count may be 0. */
MRW_API void mrw_extents_add(mrw_extents *extents, const float *points, size_t count,
                             size_t stride);

/* Adds the points of another, begun with the same view and aspect. The result is, to the bit, that
 * of adding all points to one. */
MRW_API void mrw_extents_merge(mrw_extents *extents, const mrw_extents *other);

/* The camera of a view: framed so that the extents touch the margin on the tighter axis and are
 * centred on both (equally far from the two planes of an axis), unless view->has_eye places it.
 * With has_target the target is the picture's centre and the extents touch the margin on one side
 * at least. Near and far enclose the extents with a little room. Without points, or when all are
 * one point, a unit cube is framed. aspect and extents are those of mrw_extents_begin.
 *
 * An angle, margin or plane out of range, an aspect that is not above 0, an eye at its target, or
 * an up vector along the view is MRW_ERROR_USAGE (the default up is replaced there: looking
 * straight down or up is fine). A model so large or small that a matrix would not be finite is
 * MRW_ERROR_INPUT. After a failure *out means nothing. */
MRW_API mrw_status mrw_view_camera(const mrw_view_def *view, const mrw_extents *extents,
                                   float aspect, mrw_camera *out, mrw_error *error);

/* Gives views one target, one distance and, where they are parallel projections without a height,
 * one height, so that turning from one to the other is all that a picture shows: the extents of
 * each, begun with its view and this aspect, are seen as a whole, and touch the margin in one of
 * them at least. The target is that of the views where they have one, else the centre of the box of
 * all extents. count is at least 1; the views differ in their angles alone, and have no eye. Errors
 * are those of mrw_view_camera. */
MRW_API mrw_status mrw_view_at_one_distance(mrw_view_def *views, const mrw_extents *extents,
                                            uint32_t count, float aspect, mrw_error *error);

/* The lens of a camera of a file, as glTF 2.0 has it (3.10, Cameras): mrw_scene_camera without its
 * node. */
typedef struct mrw_lens {
    /* Full vertical angle in radians, below pi; 0: orthographic. */
    float yfov;
    /* Orthographic: half the width and half the height of what is seen, above 0, in units of world
     * space. Not read with yfov. */
    float xmag, ymag;
    /* Width / height of the file's camera; 0: the picture's. Not read by orthographic ones. The
     * picture always shows at least what the file's camera shows. */
    float aspect;
    /* Distances from the eye: near above 0, or for orthographic cameras not negative; far beyond
     * it. A far plane of 0 is infinite, and only a perspective may have it. */
    float near_plane;
    float far_plane;
} mrw_lens;

/* The camera of a file. camera_to_world is its node's matrix, affine, any scale in it dropped; the
 * camera looks along the node's -Z and has its +Y up. aspect is the picture's width / height, above
 * 0. A lens out of the ranges above, and a matrix that is scaled to nothing, are MRW_ERROR_INPUT.
 */
MRW_API mrw_status mrw_view_from_lens(const mrw_mat4 *camera_to_world, const mrw_lens *lens,
                                      float aspect, mrw_camera *out, mrw_error *error);

/* translate * rotate * scale; degrees about X, then Y, then Z, that is Rz * Ry * Rx for column
 * vectors. Turns by
 * multiples of 90 degrees are exact. Three floats each, finite; cannot fail. */
MRW_API void mrw_view_model_transform(const float translate[3], const float rotate_degrees[3],
                                      const float scale[3], mrw_mat4 *model_to_world);

#ifdef __cplusplus
}
#endif
#endif
