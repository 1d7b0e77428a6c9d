/* skin_sse2.c: skinning with four lanes on x86-64. */
#include "skin/skin_f4.h"

MRWI_SKIN_KERNELS(skin_group_f4, mrwi_skin_sse2);
