/* flip_scalar.c: the kernels of FLIP, a pixel at a time: plain C, the specification. */
#define MRWI_BASE_LANES           1
#define MRWI_COMPARE_FLIP_KERNELS mrwi_compare_flip_kernels_scalar
#include "compare/flip_kernel.h"
