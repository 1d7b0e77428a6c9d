/* shade_sse2.c: the shading kernels, 4 fragments at a time; every x86-64 has SSE2. */
#define MRWI_BASE_LANES    4
#define MRWI_SHADE_KERNELS mrwi_shade_kernels_sse2
#include "shade/shade_kernel.h"
