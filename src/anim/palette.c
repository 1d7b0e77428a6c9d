/* palette.c: the matrices that skinning blends. */
#include "marrow/anim.h"

#include "anim/affine.h"
#include "anim/kernels.h"
#include "base/parallel.h"

#include <assert.h>

static void build_bind(const mrw_palette_job *job, uint32_t joint_count)
{
    static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const mrwi_anim_affine root = mrwi_anim_affine_root(job->model_to_world);
    for (uint32_t j = 0; j < joint_count; j++) {
        mrwi_anim_affine_mul(&root, identity, &job->geometry_to_world[j]);
    }
}

void mrw_build_palette(const mrw_palette_job *job)
{
    assert(job->skin < job->scene->skins_count);
    const mrw_skin *skin = &job->scene->skins[job->skin];
    mrwi_base_fp fp = mrwi_base_fp_enter();
    if (job->bind) {
        build_bind(job, skin->joint_count);
    } else {
        mrwi_anim_pose_kernels_for(job->isa)->palette(job, skin);
    }
    mrwi_base_fp_leave(fp);
}
