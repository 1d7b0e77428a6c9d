/* cover_avx2.c: coverage, 8 triangles or pixels at a time. */
#define MRWI_LANES 8
#define MRWI_COVER mrwi_cover_avx2
#include "raster/cover_kernel.h"
