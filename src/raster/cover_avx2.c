/* cover_avx2.c: coverage, 8 triangles or pixels at a time. */
#define MRWI_BASE_LANES           8
#define MRWI_RASTER_COVER_KERNELS mrwi_raster_cover_kernels_avx2
#include "raster/cover_kernel.h"
