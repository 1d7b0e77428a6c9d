/* kernels.c: chooses the pose kernels. */
#include "anim/kernels.h"

#include "base/simd/isa.h"

const mrwi_anim_pose_kernels *mrwi_anim_pose_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_anim_pose_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_anim_pose_kernels_f4),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_anim_pose_kernels_f4),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_anim_pose_kernels_avx2),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}
