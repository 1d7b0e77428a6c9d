/* world.c: makes world matrices from local transforms, parents first. */
#include "marrow/anim.h"

#include "anim/kernels.h"
#include "base/parallel.h"

void mrw_local_to_world(const mrw_world_job *job)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_anim_pose_kernels_for(job->isa)->world(job);
    mrwi_base_fp_leave(fp);
}
