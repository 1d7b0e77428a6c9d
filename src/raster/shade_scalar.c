/* shade_scalar.c: the shading kernels, plain C, one fragment at a time: the specification of all
 * others. */
#define MRWI_BASE_LANES           1
#define MRWI_RASTER_SHADE_KERNELS mrwi_raster_shade_kernels_scalar
#include "raster/shade_kernel.h"
