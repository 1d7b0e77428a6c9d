/* occlusion_neon.c: the kernels of ambient occlusion, 4 pixels at a time. */
#define MRWI_BASE_LANES              4
#define MRWI_SHADE_OCCLUSION_KERNELS mrwi_shade_occlusion_kernels_neon
#include "shade/occlusion_kernel.h"
