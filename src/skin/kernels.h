/* kernels.h: the dispatch table of the skinning kernels. */
#ifndef MRWI_SKIN_KERNELS_H
#define MRWI_SKIN_KERNELS_H

#include "marrow/skin.h"

/* Skins the vertices of one group. */
typedef void (*mrwi_skin_kernel)(const mrw_skin_job *job, const mrw_skin_group *group);

/* Kernels by influence count; the last takes any count. */
#define MRWI_SKIN_ANY_COUNT 5

typedef struct mrwi_skin_kernels {
    mrwi_skin_kernel by_count[MRWI_SKIN_ANY_COUNT + 1];
    /* kernels that use motions, from 1 influence on */
    mrwi_skin_kernel dual[MRWI_SKIN_ANY_COUNT + 1];
} mrwi_skin_kernels;

extern const mrwi_skin_kernels mrwi_skin_kernels_scalar;
extern const mrwi_skin_kernels mrwi_skin_kernels_sse2;
extern const mrwi_skin_kernels mrwi_skin_kernels_avx2;
extern const mrwi_skin_kernels mrwi_skin_kernels_avx512;
extern const mrwi_skin_kernels mrwi_skin_kernels_neon;

/* Returns the kernels of an instruction set (skin.c). */
const mrwi_skin_kernels *mrwi_skin_kernels_for(mrw_isa isa);

#endif
