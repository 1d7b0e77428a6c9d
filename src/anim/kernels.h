/* kernels.h: the dispatch table of the pose kernels: one specification, the same bits in each. */
#ifndef MRWI_ANIM_KERNELS_H
#define MRWI_ANIM_KERNELS_H

#include "anim/spans.h"
#include "marrow/anim.h"

typedef struct mrwi_anim_pose_kernels {
    void (*sample)(const mrw_sample_job *job); /* a clip onto the rest */
    void (*world)(const mrw_world_job *job);
    void (*palette)(const mrw_palette_job *job, const mrw_skin *skin); /* not bind */
} mrwi_anim_pose_kernels;

/* The kernels of an instruction set. */
const mrwi_anim_pose_kernels *mrwi_anim_pose_kernels_for(mrw_isa isa);

/* What all kernels do alike: the linear curves of a block at which a key holds, and the curves that
 * are not linear. */
void mrwi_anim_sample_held(const mrw_sample_job *job, const mrwi_anim_block *block,
                           const mrwi_anim_spans *at);
void mrwi_anim_sample_others(const mrw_sample_job *job, const mrwi_anim_block *block, double time,
                             const mrwi_anim_spans *at);

extern const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_f4; /* the specification */
extern const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_avx2;

#endif
