/* cover_sse2.c: coverage, 4 triangles or pixels at a time. */
#define MRWI_BASE_LANES           4
#define MRWI_RASTER_COVER_KERNELS mrwi_raster_cover_kernels_sse2
#include "raster/cover_kernel.h"
