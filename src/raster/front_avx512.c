/* front_avx512.c: the kernels of the front, 16 vertices or triangles at a time; compiled with
 * AVX-512 F, DQ, BW and VL. */
#define MRWI_BASE_LANES           16
#define MRWI_RASTER_FRONT_KERNELS mrwi_raster_front_kernels_avx512
#include "raster/front_kernel.h"
