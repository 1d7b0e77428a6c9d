/* skin.c: skinning: chooses the kernels and runs them over the groups of a job. */
#include "skin/kernels.h"

#include "base/parallel.h"
#include "base/simd/isa.h"

#include <assert.h>

const mrwi_skin_kernels *mrwi_skin_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_skin_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_skin_kernels_sse2),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_skin_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_skin_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_skin_kernels_neon),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

static void check_job(const mrw_skin_job *job, const mrw_skin_group *group)
{
    assert(group->influence_count > 0 || job->rigid);
    assert(group->influence_count == 0 ||
           ((job->palette || job->motions) && group->joints && group->weights));
    assert(job->positions && job->out_positions);
    assert(!job->normals || job->out_normals);
    assert(!job->tangents || job->out_tangents);
    (void)job;
    (void)group;
}

void mrw_skin_vertices(const mrw_skin_job *job)
{
    const mrwi_skin_kernels *kernels = mrwi_skin_kernels_for(job->isa);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t g = 0; g < job->group_count; g++) {
        const mrw_skin_group *group = &job->groups[g];
        if (group->vertex_count == 0) {
            continue;
        }
        check_job(job, group);
        uint32_t count = group->influence_count;
        uint32_t row = count < MRWI_SKIN_ANY_COUNT ? count : MRWI_SKIN_ANY_COUNT;
        (job->motions && count > 0 ? kernels->dual : kernels->by_count)[row](job, group);
    }
    mrwi_base_fp_leave(fp);
}
