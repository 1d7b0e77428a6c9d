/* pixel_f4.c: the kernels of the pixel mode, four pixels at a time, for SSE2 and NEON. */
#define MRWI_BASE_LANES            4
#define MRWI_COMPARE_PIXEL_KERNELS mrwi_compare_pixel_kernels_f4
#include "compare/pixel_kernel.h"
