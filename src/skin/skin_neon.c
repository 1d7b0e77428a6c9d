/* skin_neon.c: skinning with four lanes on arm64 (plain multiplies and adds: -ffp-contract=off). */
#include "skin/skin_f4.h"

MRWI_SKIN_KERNELS(skin_group_f4, mrwi_skin_neon);
