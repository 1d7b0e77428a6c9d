/* fragments.h: lists of fragments: what shading is given, and what gathering makes of the triangles
 * that won samples.
 */
#ifndef MRWI_SHADE_FRAGMENTS_H
#define MRWI_SHADE_FRAGMENTS_H

#include "marrow/raster.h"

/* ---- samples --------------------------------------------------------------------------------- */

#define MRWI_SHADE_MAX_SAMPLES 8

/* Standard positions (Direct3D 11 functional specification, 19.2.4): 1/16 pixel from the centre. */
typedef struct mrwi_shade_sample_pattern {
    uint32_t count;
    int32_t extent; /* largest |x| or |y|, in sub-pixels */
    int8_t x[MRWI_SHADE_MAX_SAMPLES];
    int8_t y[MRWI_SHADE_MAX_SAMPLES];
} mrwi_shade_sample_pattern;

#define MRWI_SHADE_NO_TRIANGLE MRW_RASTER_NOTHING

/* ---- lists ----------------------------------------------------------------------------------- */

#define MRWI_SHADE_LIST_MAX    1024 /* longest list; callers split */
#define MRWI_SHADE_LIST_PAD    16
#define MRWI_SHADE_LIST_ROOM   (MRWI_SHADE_LIST_MAX + MRWI_SHADE_LIST_PAD)
#define MRWI_SHADE_NO_FRAGMENT MRWI_SHADE_LIST_ROOM /* a number of rgba that stays 0 */

/* Fragments of one list: any triangles, positions in pixels (pixel centre = n + 0.5), multiples of
 * 1/256. Arrays are padded: MRWI_SHADE_LIST_PAD entries beyond count may be read, and must be
 * valid triangle numbers (the caller repeats the last). With other_x and other_y, a fragment whose
 * triangle does not cover (x, y) is shaded at (other_x, other_y) instead; they are NULL where
 * positions are final. */
typedef struct mrwi_shade_list {
    uint32_t count;
    const float *x;
    const float *y;
    const uint32_t *triangle;
    const float *other_x;
    const float *other_y;
} mrwi_shade_list;

/* What a shading kernel is given of fragments. */
typedef struct mrwi_shade_fragments {
    _Alignas(64) float x[MRWI_SHADE_LIST_ROOM];
    float y[MRWI_SHADE_LIST_ROOM];
    uint32_t triangle[MRWI_SHADE_LIST_ROOM];
    /* visible ones: where they lie when their triangle does not cover the pixel's centre; unset
     * with one sample, when it does */
    float other_x[MRWI_SHADE_LIST_ROOM];
    float other_y[MRWI_SHADE_LIST_ROOM];
    uint32_t count;
} mrwi_shade_fragments;

/* The pixels that visible fragments make. */
typedef struct mrwi_shade_pixels {
    _Alignas(64) uint32_t where[MRWI_SHADE_LIST_ROOM]; /* y * pitch + x, rising */
    /* a pixel's first fragment, to which it is resolved; unset with one sample */
    uint32_t slot[MRWI_SHADE_LIST_ROOM];
    /* those whose samples differ: the pixel's place in `where`, and the fragment of each sample */
    uint32_t edge[MRWI_SHADE_LIST_ROOM];
    uint32_t owner[MRWI_SHADE_MAX_SAMPLES][MRWI_SHADE_LIST_ROOM];
    uint32_t count, edge_count;
} mrwi_shade_pixels;

/* Part of a row to gather visible fragments from. */
typedef struct mrwi_shade_gather {
    const mrwi_shade_sample_pattern *pattern;
    const int32_t *ids; /* of sample 0 at pixel 0, 64-byte aligned */
    size_t stride;      /* to the next sample's; a multiple of 16 */
    int32_t x0, x1;
    int32_t y;
    uint32_t first_pixel; /* its number: y * pitch */
} mrwi_shade_gather;

#endif
