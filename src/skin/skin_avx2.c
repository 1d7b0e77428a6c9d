/* skin_avx2.c: skinning on x86-64, two vertices per register; compiled with -mavx2, without FMA. */
#define MRWI_BASE_LANES   8
#define MRWI_SKIN_KERNELS mrwi_skin_kernels_avx2
#include "skin/skin_wide.h"
