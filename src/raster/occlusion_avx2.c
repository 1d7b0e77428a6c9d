/* occlusion_avx2.c: the kernels of ambient occlusion, 8 pixels at a time; compiled with -mavx2,
 * without FMA. */
#define MRWI_BASE_LANES               8
#define MRWI_RASTER_OCCLUSION_KERNELS mrwi_raster_occlusion_kernels_avx2
#include "raster/occlusion_kernel.h"
