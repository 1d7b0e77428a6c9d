/* occlusion_avx512.c: the kernels of ambient occlusion, 16 pixels at a time; compiled with
 * AVX-512 F, DQ, BW and VL. */
#define MRWI_BASE_LANES              16
#define MRWI_SHADE_OCCLUSION_KERNELS mrwi_shade_occlusion_kernels_avx512
#include "shade/occlusion_kernel.h"
