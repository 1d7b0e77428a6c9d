/* kernels.h: the dispatch table of the pose kernels: one specification, the same bits in each. */
#ifndef MRWI_ANIM_KERNELS_H
#define MRWI_ANIM_KERNELS_H

#include "anim/spans.h"
#include "marrow/anim.h"

typedef struct mrwi_anim_pose_kernels {
    void (*sample)(const mrw_sample_job *job); /* samples a clip on top of the rest */
    void (*world)(const mrw_world_job *job);
    /* poses that are not `bind` */
    void (*palette)(const mrw_palette_job *job, const mrw_skin *skin);
} mrwi_anim_pose_kernels;

/* Returns the kernels of an instruction set. */
const mrwi_anim_pose_kernels *mrwi_anim_pose_kernels_for(mrw_isa isa);

/* The part that all kernels in lanes share: linear curves of a block whose keys hold at this time,
 * and curves that are not linear. */
void mrwi_anim_sample_held(const mrw_sample_job *job, const mrwi_anim_block *block,
                           const mrwi_anim_spans *at);
void mrwi_anim_sample_others(const mrw_sample_job *job, const mrwi_anim_block *block, double time,
                             const mrwi_anim_spans *at);

/* The specification: sample_spec.c, and the world matrices and palettes of kernels_f4.c. */
extern const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_scalar;
extern const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_f4;
extern const mrwi_anim_pose_kernels mrwi_anim_pose_kernels_avx2;

#endif
