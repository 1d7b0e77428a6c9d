/* front_avx2.c: the kernels of the front, 8 vertices or triangles at a time; compiled with -mavx2,
 * without FMA. */
#define MRWI_BASE_LANES           8
#define MRWI_RASTER_FRONT_KERNELS mrwi_raster_front_kernels_avx2
#include "raster/front_kernel.h"
