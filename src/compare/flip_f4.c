/* flip_f4.c: the kernels of FLIP, 4 pixels at a time; every 64-bit CPU has SSE2 or NEON. */
#define MRWI_BASE_LANES           4
#define MRWI_COMPARE_FLIP_KERNELS mrwi_compare_flip_kernels_f4
#include "compare/flip_kernel.h"
