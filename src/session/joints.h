/* joints.h: the joints of all that is in the session, and the box around it, as posed. */
#ifndef MRWI_SESSION_JOINTS_H
#define MRWI_SESSION_JOINTS_H

#include "base/memory.h"
#include "marrow/session.h"

typedef struct mrwi_session_joint {
    const char *name; /* of its node; of a model of --add behind that model's: "sword/Grip" */
    uint32_t instance;
    uint32_t node;
} mrwi_session_joint;

typedef struct mrwi_session_joints {
    mrwi_session_joint *items;
    uint32_t count;
} mrwi_session_joints;

/* The joints of all instances of a prepared session, in the order of instances and nodes: of all
 * skins, or all nodes of a scene without skins. Names are the scenes' or the arena's. */
mrw_status mrwi_session_joints_list(const mrw_session *session, mrwi_base_arena *arena,
                                    mrwi_session_joints *out, mrw_error *error);

/* Where a joint is: the columns of its matrix, x, y and z axis and origin. */
void mrwi_session_joint_to_world(const mrw_posed_instance *posed, const mrwi_session_joint *joint,
                                 float columns[12]);

/* The box around the meshes of the first instances as posed; false, and zeros, when they have no
 * triangles. */
bool mrwi_session_box(const mrw_session *session, uint32_t instance_count,
                      const mrw_posed_instance *posed, float min[3], float max[3]);

#endif
