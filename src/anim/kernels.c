/* kernels.c: chooses the pose kernels. */
#include "anim/kernels.h"

#include "base/simd/isa.h"

const mrwi_pose_kernels *mrwi_pose_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_pose_kernels_f4,
        [MRW_ISA_AVX2] = MRWI_ON_X86(&mrwi_pose_kernels_avx2),
    };
    return mrwi_isa_kernels(by_isa, isa);
}
