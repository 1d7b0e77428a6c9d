/* isa.c: the instruction sets that kernels exist for, and which of them this CPU can run. */
#include "base/simd/isa.h"

#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct isa_row {
    const char *name;
    mrw_isa narrower; /* whose kernels it runs where it has none of its own */
} isa_row;

static const isa_row isas[MRW_ISA_COUNT] = {
    [MRW_ISA_AUTO] = {"auto", MRW_ISA_SCALAR},   [MRW_ISA_SCALAR] = {"scalar", MRW_ISA_SCALAR},
    [MRW_ISA_SSE2] = {"sse2", MRW_ISA_SCALAR},   [MRW_ISA_AVX2] = {"avx2", MRW_ISA_SSE2},
    [MRW_ISA_AVX512] = {"avx512", MRW_ISA_AVX2}, [MRW_ISA_NEON] = {"neon", MRW_ISA_SCALAR},
};

const char *mrw_isa_name(mrw_isa isa)
{
    return (unsigned)isa < MRW_ISA_COUNT ? isas[isa].name : "unknown";
}

bool mrw_isa_from_name(const char *name, mrw_isa *out)
{
    for (int i = 0; i < MRW_ISA_COUNT; i++) {
        if (strcmp(name, isas[i].name) == 0) {
            *out = (mrw_isa)i;
            return true;
        }
    }
    return false;
}

bool mrw_isa_available(mrw_isa isa)
{
    switch (isa) {
    case MRW_ISA_AUTO:
    case MRW_ISA_SCALAR:
        return true;
#if defined(__x86_64__)
    case MRW_ISA_SSE2:
        return true;
    case MRW_ISA_AVX2:
        return __builtin_cpu_supports("avx2") != 0;
    case MRW_ISA_AVX512: /* false, too, where the system does not save the wide registers */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
#if defined(__aarch64__)
    case MRW_ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}

mrw_isa mrw_isa_best(void)
{
    mrw_isa wanted = MRW_ISA_AUTO;
    const char *name = getenv("MARROW_ISA");
    if (name && mrw_isa_from_name(name, &wanted) && wanted != MRW_ISA_AUTO &&
        mrw_isa_available(wanted)) {
        return wanted;
    }
    static const mrw_isa fastest_first[] = {MRW_ISA_AVX512, MRW_ISA_AVX2, MRW_ISA_NEON,
                                            MRW_ISA_SSE2};
    for (size_t i = 0; i < sizeof fastest_first / sizeof *fastest_first; i++) {
        if (mrw_isa_available(fastest_first[i])) {
            return fastest_first[i];
        }
    }
    return MRW_ISA_SCALAR;
}

mrw_status mrwi_base_isa_check(mrw_isa isa, mrw_error *error)
{
    if (mrw_isa_available(isa)) {
        return MRW_OK;
    }
    return mrwi_base_fail(error, MRW_ERROR_CPU,
                          "this machine or build has no %s kernels; use --isa auto",
                          mrw_isa_name(isa));
}

mrw_isa mrwi_base_isa_resolve(mrw_isa isa)
{
    return isa == MRW_ISA_AUTO ? mrw_isa_best() : isa;
}

const void *mrwi_base_isa_kernels(const void *const by_isa[MRW_ISA_COUNT], mrw_isa isa)
{
    isa = mrwi_base_isa_resolve(isa);
    assert(mrw_isa_available(isa) && by_isa[MRW_ISA_SCALAR]);
    while (!by_isa[isa]) {
        isa = isas[isa].narrower;
    }
    return by_isa[isa];
}
