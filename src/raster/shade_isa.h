/* shade_isa.h: what shade.c and the kernel files share. */
#ifndef MRWI_RASTER_SHADE_ISA_H
#define MRWI_RASTER_SHADE_ISA_H

#include "raster/shade.h"

extern const mrwi_raster_shade_kernels mrwi_raster_shade_kernels_scalar;
extern const mrwi_raster_shade_kernels mrwi_raster_shade_kernels_sse2;
extern const mrwi_raster_shade_kernels mrwi_raster_shade_kernels_avx2;
extern const mrwi_raster_shade_kernels mrwi_raster_shade_kernels_avx512;
extern const mrwi_raster_shade_kernels mrwi_raster_shade_kernels_neon;

/* For every mask of eight lanes: the numbers of the selected ones, in order; and, of each selected
 * one, how many stand before it. */
extern uint8_t mrwi_raster_lane_order[256][8];
extern uint8_t mrwi_raster_lane_rank[256][8];

/* Fills both, once; whoever hands out kernels of eight lanes calls it. */
void mrwi_raster_fill_lane_tables(void);

/* Linear -> sRGB byte by the top bits of the float. Floats of 2^-13 ... 1 fall into cells of 1/128
 * octave, so narrow that none holds two of mrwi_image_srgb_thresholds. With o = the float's bits
 * minus those of 2^-13, cell o >> 16 holds (byte at the cell's start) << 16 plus what the low 16
 * bits of o lack to carry over at the threshold, and the byte is (cell + low bits) >> 16. Exact,
 * one load.
 */
#define MRWI_RASTER_ENCODE_SHIFT 16
#define MRWI_RASTER_ENCODE_FIRST 0x39000000 /* bits of 2^-13, below the first threshold */
#define MRWI_RASTER_ENCODE_CELLS 1664       /* 13 octaves of 128 */
extern uint32_t mrwi_raster_encode_cells[MRWI_RASTER_ENCODE_CELLS];

/* Curvature of a pixel, as it adds to the square of alpha: what squares of slopes are multiplied by
 * (3 / pi), and the most of it. It does nothing where the square of alpha times RESOLVED is not
 * less. With 16 in place of that, three.js' pictures of spheres are missed by more than rounding at
 * a roughness of 0.1; with 128, chrome flickers as little, but not what is rougher. */
#define MRWI_RASTER_PIXEL_FILTER   0.954929659f
#define MRWI_RASTER_MOST_CURVATURE 0.18f
#define MRWI_RASTER_RESOLVED       48.0f
/* What of it widens mirrored environments. Chrome would flicker 1.6 times as much as with 64
 * samples without, 1.24 times with a quarter, 1.16 times with all of it, which shows. */
#define MRWI_RASTER_MIRRORED 0.333333f
/* So no surface of this roughness or more is changed by it. */
#define MRWI_RASTER_ROUGH 0.25f

#endif
