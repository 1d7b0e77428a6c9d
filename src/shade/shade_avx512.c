/* shade_avx512.c: the shading kernels, 16 fragments at a time; compiled with AVX-512 F, DQ, BW and
 * VL. */
#define MRWI_BASE_LANES    16
#define MRWI_SHADE_KERNELS mrwi_shade_kernels_avx512
#include "shade/shade_kernel.h"
