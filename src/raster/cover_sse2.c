/* cover_sse2.c: coverage, 4 triangles or pixels at a time. */
#define MRWI_LANES         4
#define MRWI_COVER_KERNELS mrwi_cover_kernels_sse2
#include "raster/cover_kernel.h"
