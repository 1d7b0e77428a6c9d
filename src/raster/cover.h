/* cover.h: coverage and depth test of opaque triangles, a kernel an ISA.
 *
 * coverage.c has the plain one, which specifies the others: cover_kernel.h, compiled once an ISA.
 * All leave the same bits in the band's z and id.
 */
#ifndef MRWI_RASTER_COVER_H
#define MRWI_RASTER_COVER_H

#include "raster/internal.h"

/* Depth-tests the triangles of a list into the band: what lies in its box. */
typedef void (*mrwi_cover_kernel)(mrwi_band *band, const uint32_t *ids, uint32_t count);

void mrwi_cover_scalar(mrwi_band *band, const uint32_t *ids, uint32_t count);
void mrwi_cover_sse2(mrwi_band *band, const uint32_t *ids, uint32_t count);
void mrwi_cover_avx2(mrwi_band *band, const uint32_t *ids, uint32_t count);
void mrwi_cover_avx512(mrwi_band *band, const uint32_t *ids, uint32_t count);
void mrwi_cover_neon(mrwi_band *band, const uint32_t *ids, uint32_t count);

/* The kernel for an available ISA (not MRW_ISA_AUTO). */
mrwi_cover_kernel mrwi_cover_kernel_for(mrw_isa isa);

#endif
