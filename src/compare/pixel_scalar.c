/* pixel_scalar.c: the kernels of the pixel mode, a pixel at a time: plain C, the
 * specification. */
#define MRWI_BASE_LANES            1
#define MRWI_COMPARE_PIXEL_KERNELS mrwi_compare_pixel_kernels_scalar
#include "compare/pixel_kernel.h"
