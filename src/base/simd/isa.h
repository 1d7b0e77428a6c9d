/* isa.h: what every public entry that runs kernels does with the instruction set it is given. */
#ifndef MRWI_BASE_SIMD_ISA_H
#define MRWI_BASE_SIMD_ISA_H

#include "marrow/base.h"

/* MRW_ERROR_UNSUPPORTED unless this CPU and this build can run it. */
mrw_status mrwi_isa_check(mrw_isa isa, mrw_error *error);

/* The fastest in place of MRW_ISA_AUTO. */
mrw_isa mrwi_isa_resolve(mrw_isa isa);

#endif
