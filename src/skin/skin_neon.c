/* skin_neon.c: skinning on arm64, one vertex per register (plain multiplies and adds:
 * -ffp-contract=off). */
#define MRWI_BASE_LANES   4
#define MRWI_SKIN_KERNELS mrwi_skin_kernels_neon
#include "skin/skin_wide.h"
