/* flip_avx512.c: the kernels of FLIP, 16 pixels at a time; compiled with AVX-512 F, DQ, BW and VL.
 */
#define MRWI_BASE_LANES           16
#define MRWI_COMPARE_FLIP_KERNELS mrwi_compare_flip_kernels_avx512
#include "compare/flip_kernel.h"
