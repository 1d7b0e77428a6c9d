/* occlusion_avx2.c: the kernels of ambient occlusion, 8 pixels at a time; compiled with -mavx2,
 * without FMA. */
#define MRWI_BASE_LANES              8
#define MRWI_SHADE_OCCLUSION_KERNELS mrwi_shade_occlusion_kernels_avx2
#include "shade/occlusion_kernel.h"
