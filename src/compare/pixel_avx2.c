/* pixel_avx2.c: the kernels of the pixel mode, eight pixels at a time. */
#define MRWI_BASE_LANES            8
#define MRWI_COMPARE_PIXEL_KERNELS mrwi_compare_pixel_kernels_avx2
#include "compare/pixel_kernel.h"
