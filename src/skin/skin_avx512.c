/* skin_avx512.c: skinning on x86-64, four vertices per register; compiled with AVX-512 F, DQ, BW
 * and VL. */
#define MRWI_BASE_LANES   16
#define MRWI_SKIN_KERNELS mrwi_skin_kernels_avx512
#include "skin/skin_wide.h"
