/* flip_avx2.c: the kernels of FLIP, 8 pixels at a time; compiled with -mavx2, without FMA. */
#define MRWI_BASE_LANES           8
#define MRWI_COMPARE_FLIP_KERNELS mrwi_compare_flip_kernels_avx2
#include "compare/flip_kernel.h"
