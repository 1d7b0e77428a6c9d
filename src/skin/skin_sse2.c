/* skin_sse2.c: skinning on x86-64, one vertex per register. */
#define MRWI_BASE_LANES   4
#define MRWI_SKIN_KERNELS mrwi_skin_kernels_sse2
#include "skin/skin_wide.h"
