/* shade_isa.h: the tables that shade.c and the kernel files share. */
#ifndef MRWI_SHADE_SHADE_ISA_H
#define MRWI_SHADE_SHADE_ISA_H

#include "shade/shade_numbers.h"

#include "shade/shade.h"

extern const mrwi_shade_kernels mrwi_shade_kernels_scalar;
extern const mrwi_shade_kernels mrwi_shade_kernels_sse2;
extern const mrwi_shade_kernels mrwi_shade_kernels_avx2;
extern const mrwi_shade_kernels mrwi_shade_kernels_avx512;
extern const mrwi_shade_kernels mrwi_shade_kernels_neon;

/* For every mask of eight lanes: the numbers of the selected lanes, in order; and for each selected
 * lane the number of selected lanes before it. */
extern uint8_t mrwi_shade_lane_order[256][8];
extern uint8_t mrwi_shade_lane_rank[256][8];

/* Fills both tables, once. Functions that return kernels of eight lanes call it. */
void mrwi_shade_fill_lane_tables(void);

/* Converts linear light to sRGB bytes by the top bits of the float. Floats of 2^-13 ... 1 fall into
 * cells of 1/128 octave, so narrow that none holds two of mrwi_image_srgb_thresholds. With o = the
 * float's bits minus those of 2^-13, cell o >> 16 holds (byte at the cell's start) << 16 plus the
 * amount by which the low 16 bits of o miss the carry at the threshold, and the byte is (cell + low
 * bits) >> 16. This is exact and takes one load. */
#define MRWI_SHADE_ENCODE_SHIFT 16
#define MRWI_SHADE_ENCODE_FIRST 0x39000000 /* bits of 2^-13, below the first threshold */
#define MRWI_SHADE_ENCODE_CELLS 1664       /* 13 octaves of 128 */
extern uint32_t mrwi_shade_encode_cells[MRWI_SHADE_ENCODE_CELLS];

#endif
