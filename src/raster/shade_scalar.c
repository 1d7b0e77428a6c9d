/* shade_scalar.c: the shading kernels, plain C, one fragment at a time: the specification of all
 * others. */
#define MRWI_LANES         1
#define MRWI_SHADE_KERNELS mrwi_shade_kernels_scalar
#include "raster/shade_kernel.h"
