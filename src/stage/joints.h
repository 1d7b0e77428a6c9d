/* joints.h: the joints of all that is on stage, and the box around it, as posed. */
#ifndef MRWI_STAGE_JOINTS_H
#define MRWI_STAGE_JOINTS_H

#include "base/memory.h"
#include "marrow/stage.h"

typedef struct mrwi_stage_joint {
    const char *name; /* of its node; of a model of --add behind that model's: "sword/Grip" */
    uint32_t instance;
    uint32_t node;
} mrwi_stage_joint;

typedef struct mrwi_stage_joints {
    mrwi_stage_joint *items;
    uint32_t count;
} mrwi_stage_joints;

/* The joints of all instances of a prepared stage, in the order of instances and nodes: of all
 * skins, or all nodes of a scene without skins. Names are the scenes' or the arena's. */
mrw_status mrwi_stage_joints_list(const mrw_stage *stage, mrwi_base_arena *arena,
                                  mrwi_stage_joints *out, mrw_error *error);

/* Where a joint is: the columns of its matrix, x, y and z axis and origin. */
void mrwi_stage_joint_to_world(const mrw_posed_instance *posed, const mrwi_stage_joint *joint,
                               float columns[12]);

/* The box around the meshes of the first instances as posed; false, and zeros, when they have no
 * triangles. */
bool mrwi_stage_box(const mrw_stage *stage, uint32_t instance_count,
                    const mrw_posed_instance *posed, float min[3], float max[3]);

#endif
