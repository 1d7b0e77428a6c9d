/* rays.h: the nearest surfaces on the way to joints; between joints.c and joint_rays.c. */
#ifndef MARROW_CLI_JOINT_RAYS_H
#define MARROW_CLI_JOINT_RAYS_H

#include "cli/cli.h"

/* The nearest drawn surface on the line of sight through a point. */
typedef struct cli_surface {
    double depth;            /* along the view; infinity when there is none */
    uint32_t instance;       /* of the stage */
    uint32_t draw;           /* of its scene */
    const uint32_t *corners; /* vertices of the triangle */
} cli_surface;

/* A point that is looked at, in front of the camera's plane, and its depth along the view. */
typedef struct cli_target {
    double point[3];
    double depth;
} cli_target;

/* Fills out[count]. Textures are not looked at: holes hide like the rest. Takes about as long as
 * the triangles are many, and as those that lie over targets in the picture. */
mrw_status cli_find_surfaces(const mrw_stage *stage, const mrw_posed_instance *posed,
                             const mrw_camera *camera, const cli_target *targets, uint32_t count,
                             cli_surface *out, mrw_error *error);

#endif
