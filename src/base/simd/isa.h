/* isa.h: the instruction sets: which of them there are, and whose kernels each runs.
 *
 * A room has a table of functions an instruction set, all of one type, and an array of these tables
 * by instruction set. To add a kernel: a file whose name ends in the instruction set (_avx2.c: the
 * Makefile gives it the flags), its table's declaration, and its line in the array; a row of
 * tests/test_kernels.c compares it with the scalar one.
 */
#ifndef MRWI_BASE_SIMD_ISA_H
#define MRWI_BASE_SIMD_ISA_H

#include "marrow/base.h"

/* MRW_ERROR_CPU unless this CPU and this build can run it. */
mrw_status mrwi_base_isa_check(mrw_isa isa, mrw_error *error);

/* The fastest in place of MRW_ISA_AUTO. */
mrw_isa mrwi_base_isa_resolve(mrw_isa isa);

/* The table that an available instruction set runs, MRW_ISA_AUTO: the fastest's. NULL in the array
 * stands for the next narrower one's; the scalar table is always there.
 *
 *     static const void *const by_isa[MRW_ISA_COUNT] = {
 *         [MRW_ISA_SCALAR] = &mrwi_skin_kernels_scalar,
 *         [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_skin_kernels_avx2),
 *     };
 */
const void *mrwi_base_isa_kernels(const void *const by_isa[MRW_ISA_COUNT], mrw_isa isa);

/* A table that only the build for one architecture has. */
#if defined(__x86_64__)
#define MRWI_BASE_ON_X86(table) (table)
#else
#define MRWI_BASE_ON_X86(table) NULL
#endif
#if defined(__aarch64__)
#define MRWI_BASE_ON_ARM64(table) (table)
#else
#define MRWI_BASE_ON_ARM64(table) NULL
#endif

#endif
