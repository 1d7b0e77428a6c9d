/* world.c: local transforms to world matrices, parents first. */
#include "marrow/anim.h"

#include "anim/affine.h"
#include "base/parallel.h"

#include <assert.h>

/* Columns of T * R * S for a unit quaternion (Shoemake 1985). Lane 3 of each column is unused. */
static inline void transform_columns(const mrw_transform *t, float out[16])
{
    const float x = t->rotation[0], y = t->rotation[1], z = t->rotation[2], w = t->rotation[3];
    const float x2 = x + x, y2 = y + y, z2 = z + z;
    const float xx = x * x2, yy = y * y2, zz = z * z2;
    const float xy = x * y2, xz = x * z2, yz = y * z2;
    const float wx = w * x2, wy = w * y2, wz = w * z2;
    const float sx = t->scale[0], sy = t->scale[1], sz = t->scale[2];
    out[0] = (1.0f - (yy + zz)) * sx;
    out[1] = (xy + wz) * sx;
    out[2] = (xz - wy) * sx;
    out[4] = (xy - wz) * sy;
    out[5] = (1.0f - (xx + zz)) * sy;
    out[6] = (yz + wx) * sy;
    out[8] = (xz + wy) * sz;
    out[9] = (yz - wx) * sz;
    out[10] = (1.0f - (xx + yy)) * sz;
    memcpy(out + 12, t->translation, sizeof t->translation);
}

void mrw_local_to_world(const mrw_world_job *job)
{
    const mrw_scene *scene = job->scene;
    mrwi_fp fp = mrwi_fp_enter();
    const mrwi_affine root = mrwi_affine_root(job->model_to_world);
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const mrw_node *node = &scene->nodes[i];
        assert(node->parent == MRW_NONE || node->parent < i);
        const mrwi_affine parent =
            node->parent == MRW_NONE ? root : mrwi_affine_load(&job->node_to_world[node->parent]);
        if (node->matrix != MRW_NONE && !job->animated[i]) {
            mrwi_affine_mul(&parent, scene->matrices[node->matrix].m, &job->node_to_world[i]);
        } else {
            float local[16];
            transform_columns(&job->locals[i], local);
            mrwi_affine_mul(&parent, local, &job->node_to_world[i]);
        }
    }
    mrwi_fp_leave(fp);
}
