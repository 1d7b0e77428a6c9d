/* front_neon.c: the kernels of the front, 4 vertices or triangles at a time. */
#define MRWI_BASE_LANES           4
#define MRWI_RASTER_FRONT_KERNELS mrwi_raster_front_kernels_neon
#include "raster/front_kernel.h"
