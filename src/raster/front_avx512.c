/* front_avx512.c: the kernels of the front, 16 vertices or triangles at a time; compiled with
 * AVX-512 F, DQ, BW and VL. */
#define MRWI_LANES         16
#define MRWI_FRONT_KERNELS mrwi_front_kernels_avx512
#include "raster/front_kernel.h"
