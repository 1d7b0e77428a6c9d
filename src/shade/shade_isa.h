/* shade_isa.h: what shade.c and the kernel files share. */
#ifndef MRWI_SHADE_SHADE_ISA_H
#define MRWI_SHADE_SHADE_ISA_H

#include "shade/shade_numbers.h"

#include "shade/shade.h"

extern const mrwi_shade_kernels mrwi_shade_kernels_scalar;
extern const mrwi_shade_kernels mrwi_shade_kernels_sse2;
extern const mrwi_shade_kernels mrwi_shade_kernels_avx2;
extern const mrwi_shade_kernels mrwi_shade_kernels_avx512;
extern const mrwi_shade_kernels mrwi_shade_kernels_neon;

/* For every mask of eight lanes: the numbers of the selected ones, in order; and, of each selected
 * one, how many stand before it. */
extern uint8_t mrwi_shade_lane_order[256][8];
extern uint8_t mrwi_shade_lane_rank[256][8];

/* Fills both, once; whoever hands out kernels of eight lanes calls it. */
void mrwi_shade_fill_lane_tables(void);

/* Linear -> sRGB byte by the top bits of the float. Floats of 2^-13 ... 1 fall into cells of 1/128
 * octave, so narrow that none holds two of mrwi_image_srgb_thresholds. With o = the float's bits
 * minus those of 2^-13, cell o >> 16 holds (byte at the cell's start) << 16 plus what the low 16
 * bits of o lack to carry over at the threshold, and the byte is (cell + low bits) >> 16. Exact,
 * one load.
 */
#define MRWI_SHADE_ENCODE_SHIFT 16
#define MRWI_SHADE_ENCODE_FIRST 0x39000000 /* bits of 2^-13, below the first threshold */
#define MRWI_SHADE_ENCODE_CELLS 1664       /* 13 octaves of 128 */
extern uint32_t mrwi_shade_encode_cells[MRWI_SHADE_ENCODE_CELLS];

#endif
