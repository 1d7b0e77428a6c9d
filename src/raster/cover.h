/* cover.h: coverage and depth test of triangles, and the fragments of triangles whose alpha counts:
 * one kernel per instruction set.
 *
 * coverage.c has the scalar kernel, which is the specification of the others: cover_kernel.h,
 * compiled once per instruction set. All leave the same bits in the band's z and id.
 */
#ifndef MRWI_RASTER_COVER_H
#define MRWI_RASTER_COVER_H

#include "raster/internal.h"

/* Depth-tests the triangles of a list into the samples of a band. */
typedef void (*mrwi_raster_cover_kernel)(const mrwi_raster_geometry *geometry,
                                         const mrwi_raster_visibility *seen, const uint32_t *ids,
                                         uint32_t count);

/* Receives fragments whose alpha decides. */
typedef struct mrwi_raster_collector {
    const mrwi_shade_sample_pattern *pattern;
    const mrwi_raster_visibility *seen;
    mrwi_shade_fragments *fragments;
    mrwi_raster_candidates *candidates; /* parallel to fragments */
    /* NULL, or one list per sample, filled instead of fragments. */
    mrwi_raster_mask_samples *samples;
} mrwi_raster_collector;

/* Appends the fragments of the listed triangles, one triangle after another, that would win a
 * visible sample as it is now, or appends those samples. A full list is flushed. */
typedef void (*mrwi_raster_collect_kernel)(const mrwi_raster_geometry *geometry,
                                           const mrwi_raster_collector *to, const uint32_t *ids,
                                           uint32_t count);

/* Finds the farthest depth of each of `columns` neighbouring blocks from z on. A block is
 * MRWI_RASTER_BLOCK_WIDTH pixels of `rows` rows, `stride` apart. */
typedef void (*mrwi_raster_farthest_kernel)(const float *z, size_t stride, size_t rows,
                                            int32_t columns, float *out);

#define MRWI_RASTER_BLOCK_WIDTH 16

typedef struct mrwi_raster_cover_kernels {
    mrwi_raster_cover_kernel cover;
    mrwi_raster_farthest_kernel farthest;
    mrwi_raster_collect_kernel collect;
} mrwi_raster_cover_kernels;

extern const mrwi_raster_cover_kernels mrwi_raster_cover_kernels_scalar;
extern const mrwi_raster_cover_kernels mrwi_raster_cover_kernels_sse2;
extern const mrwi_raster_cover_kernels mrwi_raster_cover_kernels_avx2;
extern const mrwi_raster_cover_kernels mrwi_raster_cover_kernels_avx512;
extern const mrwi_raster_cover_kernels mrwi_raster_cover_kernels_neon;

/* Returns the kernels of an instruction set. */
const mrwi_raster_cover_kernels *mrwi_raster_cover_kernels_for(mrw_isa isa);

/* hidden.c: returns the number of triangles that may be drawn between two looks at the work, for so
 * many samples in a band: a multiple of 16. */
uint32_t mrwi_raster_few(uint64_t samples);

/* hidden.c: covers the band with the listed triangles, or collects their fragments unless `to` is
 * NULL: roughly nearer ones first, without hidden ones. */
void mrwi_raster_cover_nearest_first(const mrwi_raster_band *band, const uint32_t *ids,
                                     uint32_t count, const mrwi_raster_collector *to);

/* blend.c: empties the lists for the band's fragments and returns them. `flush` takes them when
 * they are full. The band must stay where it is until the last flush. */
mrwi_raster_collector mrwi_raster_begin_lists(const mrwi_raster_band *band,
                                              void (*flush)(const mrwi_raster_band *band));
/* Marks the pixels of the coverage target that the list's fragments change: those with alpha above
 * 0. step: floats from one fragment's alpha to the next. Fragments lie within the picture and
 * within their pixels. */
void mrwi_raster_mark_blended(const mrwi_raster_band *band, const float *alpha, size_t step);

#endif
