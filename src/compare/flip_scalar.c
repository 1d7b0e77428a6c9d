/* flip_scalar.c: the kernels of FLIP, a pixel at a time: plain C, the specification. */
#define MRWI_LANES        1
#define MRWI_FLIP_KERNELS mrwi_flip_kernels_scalar
#include "compare/flip_kernel.h"
