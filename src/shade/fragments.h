/* fragments.h: lists of fragments: the input of shading, and the result of gathering the triangles
 * that won samples. */
#ifndef MRWI_SHADE_FRAGMENTS_H
#define MRWI_SHADE_FRAGMENTS_H

#include "marrow/raster.h"

/* ---- samples --------------------------------------------------------------------------------- */

#define MRWI_SHADE_MAX_SAMPLES 8

/* The standard sample positions (Direct3D 11 functional specification, 19.2.4), in 1/16 pixel from
 * the centre. */
typedef struct mrwi_shade_sample_pattern {
    uint32_t count;
    int32_t extent; /* largest |x| or |y|, in sub-pixels */
    int8_t x[MRWI_SHADE_MAX_SAMPLES];
    int8_t y[MRWI_SHADE_MAX_SAMPLES];
} mrwi_shade_sample_pattern;

#define MRWI_SHADE_NO_TRIANGLE MRW_RASTER_NOTHING

/* ---- lists ----------------------------------------------------------------------------------- */

#define MRWI_SHADE_LIST_MAX    1024 /* longest list; callers split longer ones */
#define MRWI_SHADE_LIST_PAD    16
#define MRWI_SHADE_LIST_ROOM   (MRWI_SHADE_LIST_MAX + MRWI_SHADE_LIST_PAD)
#define MRWI_SHADE_NO_FRAGMENT MRWI_SHADE_LIST_ROOM /* index of a colour that stays 0 */

/* The fragments of one list: any triangles, positions in pixels (pixel centre = n + 0.5), multiples
 * of 1/256. Arrays are padded: MRWI_SHADE_LIST_PAD entries beyond count may be read, and must be
 * valid triangle numbers (the caller repeats the last). With other_x and other_y, a fragment whose
 * triangle does not cover (x, y) is shaded at (other_x, other_y) instead; they are NULL if
 * positions are final. */
typedef struct mrwi_shade_list {
    uint32_t count;
    const float *x;
    const float *y;
    const uint32_t *triangle;
    const float *other_x;
    const float *other_y;
    void *memory; /* see MRWI_SHADE_MEMORY; kernels write to it */
} mrwi_shade_list;

/* The bytes that kernels work in, aligned to 64: too many for a stack. One block per thread. */
#define MRWI_SHADE_MEMORY ((size_t)384 << 10)

/* Memory for a list of fragments. */
typedef struct mrwi_shade_fragments {
    _Alignas(64) float x[MRWI_SHADE_LIST_ROOM];
    float y[MRWI_SHADE_LIST_ROOM];
    uint32_t triangle[MRWI_SHADE_LIST_ROOM];
    /* Visible fragments: the position to use when the triangle does not cover the pixel's centre.
     * Unset with one sample per pixel, and where the triangle covers the centre. */
    float other_x[MRWI_SHADE_LIST_ROOM];
    float other_y[MRWI_SHADE_LIST_ROOM];
    uint32_t count;
    void *memory; /* that of its lists */
} mrwi_shade_fragments;

/* The pixels that visible fragments belong to. */
typedef struct mrwi_shade_pixels {
    _Alignas(64) uint32_t where[MRWI_SHADE_LIST_ROOM]; /* y * pitch + x, ascending */
    /* Each pixel's first fragment, which receives the resolved colour; unset with one sample. */
    uint32_t slot[MRWI_SHADE_LIST_ROOM];
    /* The edge pixels, whose samples differ: `edge` is the pixel's index in `where`, `owner` the
     * fragment of each sample. */
    uint32_t edge[MRWI_SHADE_LIST_ROOM];
    uint32_t owner[MRWI_SHADE_MAX_SAMPLES][MRWI_SHADE_LIST_ROOM];
    uint32_t count, edge_count;
} mrwi_shade_pixels;

/* A part of a row to gather visible fragments from. */
typedef struct mrwi_shade_gather {
    const mrwi_shade_sample_pattern *pattern;
    const int32_t *ids; /* ids of sample 0 from pixel 0 on, 64-byte aligned */
    size_t stride;      /* step to the ids of the next sample; a multiple of 16 */
    int32_t x0, x1;
    int32_t y;
    uint32_t first_pixel; /* number of the row's first pixel: y * pitch */
} mrwi_shade_gather;

#endif
