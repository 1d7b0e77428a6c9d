/* world.c: local transforms to world matrices, parents first. */
#include "marrow/anim.h"

#include "anim/affine.h"
#include "anim/kernels.h"
#include "base/parallel.h"

#include <assert.h>

/* parent * T * R * S for a unit quaternion (Shoemake 1985); the scale comes last, on whole columns.
 */
static inline void transform_mul(const mrwi_affine *parent, const mrw_transform *t, mrw_mat4 *out)
{
    const mrwi_f4 unit_w = {0.0f, 0.0f, 0.0f, 1.0f};
    const float *p = t->translation;
    const float x = t->rotation[0], y = t->rotation[1], z = t->rotation[2], w = t->rotation[3];
    const float x2 = x + x, y2 = y + y, z2 = z + z;
    const float xx = x * x2, yy = y * y2, zz = z * z2;
    const float xy = x * y2, xz = x * z2, yz = y * z2;
    const float wx = w * x2, wy = w * y2, wz = w * z2;
    const mrwi_f4 c0 = mrwi_affine_vector(parent, 1.0f - (yy + zz), xy + wz, xz - wy);
    const mrwi_f4 c1 = mrwi_affine_vector(parent, xy - wz, 1.0f - (xx + zz), yz + wx);
    const mrwi_f4 c2 = mrwi_affine_vector(parent, xz + wy, yz - wx, 1.0f - (xx + yy));
    const mrwi_f4 c3 = mrwi_affine_vector(parent, p[0], p[1], p[2]) + parent->c[3];
    mrwi_f4_store(out->m, mrwi_f4_xyz(c0 * t->scale[0]));
    mrwi_f4_store(out->m + 4, mrwi_f4_xyz(c1 * t->scale[1]));
    mrwi_f4_store(out->m + 8, mrwi_f4_xyz(c2 * t->scale[2]));
    mrwi_f4_store(out->m + 12, mrwi_f4_xyz(c3) + unit_w);
}

void mrwi_world_f4(const mrw_world_job *job)
{
    const mrw_scene *scene = job->scene;
    const mrwi_affine root = mrwi_affine_root(job->model_to_world);
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const mrw_node *node = &scene->nodes[i];
        assert(node->parent == MRW_NONE || node->parent < i);
        const mrwi_affine parent =
            node->parent == MRW_NONE ? root : mrwi_affine_load(&job->node_to_world[node->parent]);
        if (node->matrix != MRW_NONE && !(job->animated[i] & MRW_ANIMATED_LOCAL)) {
            mrwi_affine_mul(&parent, scene->matrices[node->matrix].m, &job->node_to_world[i]);
        } else {
            transform_mul(&parent, &job->locals[i], &job->node_to_world[i]);
        }
    }
}

void mrw_local_to_world(const mrw_world_job *job)
{
    mrwi_fp fp = mrwi_fp_enter();
    mrwi_pose_kernels_of(job->isa)->world(job);
    mrwi_fp_leave(fp);
}
