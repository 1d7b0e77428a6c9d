/* cover_avx512.c: coverage, 16 triangles or pixels at a time. */
#define MRWI_BASE_LANES           16
#define MRWI_RASTER_COVER_KERNELS mrwi_raster_cover_kernels_avx512
#include "raster/cover_kernel.h"
