/* shade_neon.c: the shading kernels, 4 fragments at a time; every AArch64 has NEON. */
#define MRWI_BASE_LANES    4
#define MRWI_SHADE_KERNELS mrwi_shade_kernels_neon
#include "shade/shade_kernel.h"
