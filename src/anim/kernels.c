/* kernels.c: chooses the pose kernels. */
#include "anim/kernels.h"

#include "base/simd/isa.h"

#include <assert.h>

static const mrwi_pose_kernels four_lanes = {mrwi_sample_f4, mrwi_world_f4, mrwi_palette_f4};

static const mrwi_pose_kernels *const kernels_by_isa[MRW_ISA_COUNT] = {
    [MRW_ISA_SCALAR] = &four_lanes,
#if defined(__x86_64__)
    [MRW_ISA_SSE2] = &four_lanes,
    [MRW_ISA_AVX2] = &mrwi_pose_avx2,
    [MRW_ISA_AVX512] = &mrwi_pose_avx2,
#elif defined(__aarch64__)
    [MRW_ISA_NEON] = &four_lanes,
#endif
};

const mrwi_pose_kernels *mrwi_pose_kernels_of(mrw_isa isa)
{
    isa = mrwi_isa_resolve(isa);
    assert(mrw_isa_available(isa) && kernels_by_isa[isa]);
    return kernels_by_isa[isa];
}
