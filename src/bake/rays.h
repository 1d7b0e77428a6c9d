/* rays.h: the nearest surfaces on the way to joints. */
#ifndef MRWI_BAKE_RAYS_H
#define MRWI_BAKE_RAYS_H

#include "marrow/bake.h"

/* The nearest drawn surface on the line of sight through a point. */
typedef struct mrwi_bake_surface {
    double depth;            /* along the view; infinity when there is none */
    uint32_t instance;       /* of the job */
    uint32_t draw;           /* of its scene */
    const uint32_t *corners; /* vertices of the triangle */
} mrwi_bake_surface;

/* A point that is looked at, in front of the camera's plane, and its depth along the view. */
typedef struct mrwi_bake_target {
    double point[3];
    double depth;
} mrwi_bake_target;

/* Fills out[count]. Textures are not looked at: holes hide like the rest. Takes about as long as
 * the triangles are many, and as those that lie over targets in the picture. */
mrw_status mrwi_bake_find_surfaces(const mrw_bake_joints_job *job, const mrw_camera *camera,
                                   const mrwi_bake_target *targets, uint32_t count,
                                   mrwi_bake_surface *out, mrw_error *error);

#endif
