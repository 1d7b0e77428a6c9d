/* shade_avx2.c: the shading kernels, 8 fragments at a time; compiled with -mavx2, without FMA. */
#define MRWI_BASE_LANES    8
#define MRWI_SHADE_KERNELS mrwi_shade_kernels_avx2
#include "shade/shade_kernel.h"
