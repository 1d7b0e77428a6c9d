/* pixel_avx512.c: the kernels of the pixel mode, 16 pixels at a time; compiled with AVX-512 F,
 * DQ, BW and VL. */
#define MRWI_BASE_LANES            16
#define MRWI_COMPARE_PIXEL_KERNELS mrwi_compare_pixel_kernels_avx512
#include "compare/pixel_kernel.h"
