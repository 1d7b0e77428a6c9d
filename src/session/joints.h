/* joints.h: the joints of all models of a session, and the box around its posed meshes. */
#ifndef MRWI_SESSION_JOINTS_H
#define MRWI_SESSION_JOINTS_H

#include "base/memory.h"
#include "marrow/session.h"

typedef struct mrwi_session_joint {
    const char *name; /* The node's name; behind the model's name for a model of --add:
                       * "sword/Grip". */
    uint32_t instance;
    uint32_t node;
} mrwi_session_joint;

typedef struct mrwi_session_joints {
    mrwi_session_joint *items;
    uint32_t count;
} mrwi_session_joints;

/* Lists the joints of all models of a prepared session, in the order of models and nodes: the
 * joints of all skins, or all nodes of a scene without skins. Names belong to the scenes or the
 * arena. */
mrw_status mrwi_session_joints_list(const mrw_session *session, mrwi_base_arena *arena,
                                    mrwi_session_joints *out, mrw_error *error);

/* Writes the columns of a joint's matrix: x, y and z axis and origin. */
void mrwi_session_joint_to_world(const mrw_posed_instance *posed, const mrwi_session_joint *joint,
                                 float columns[12]);

/* Finds the box around the posed meshes of the first instances. Returns false and a box of zeros if
 * they have no triangles. */
bool mrwi_session_box(const mrw_session *session, uint32_t instance_count,
                      const mrw_posed_instance *posed, float min[3], float max[3]);

#endif
