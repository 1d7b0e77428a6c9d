/* rays.h: the nearest surfaces on the lines of sight to joints. */
#ifndef MRWI_BAKE_RAYS_H
#define MRWI_BAKE_RAYS_H

#include "marrow/bake.h"

/* The nearest drawn surface on the line of sight through a point. */
typedef struct mrwi_bake_surface {
    double depth;            /* along the view; infinity when there is none */
    uint32_t instance;       /* index in the job */
    uint32_t draw;           /* index in its scene */
    const uint32_t *corners; /* vertices of the triangle */
} mrwi_bake_surface;

/* A point in front of the camera's plane, and its depth along the view. */
typedef struct mrwi_bake_target {
    double point[3];
    double depth;
} mrwi_bake_target;

/* Fills out[count]. Textures are ignored: holes of masks hide, too. Time is linear in the number of
 * triangles, plus the number that cover each target in the picture. */
mrw_status mrwi_bake_find_surfaces(const mrw_bake_joints_job *job, const mrw_camera *camera,
                                   const mrwi_bake_target *targets, uint32_t count,
                                   mrwi_bake_surface *out, mrw_error *error);

#endif
