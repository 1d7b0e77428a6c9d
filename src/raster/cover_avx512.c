/* cover_avx512.c: coverage, 16 triangles or pixels at a time. */
#define MRWI_LANES 16
#define MRWI_COVER mrwi_cover_avx512
#include "raster/cover_kernel.h"
