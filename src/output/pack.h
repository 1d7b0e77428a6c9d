/* pack.h: where rectangles lie in pages that are as small as can be. */
#ifndef MRWI_OUTPUT_PACK_H
#define MRWI_OUTPUT_PACK_H

#include "marrow/base.h"

/* A rectangle; sides of at least 1. */
typedef struct mrwi_output_rect {
    uint32_t width, height;
    uint32_t page, x, y; /* where it lies: found */
} mrwi_output_rect;

typedef struct mrwi_output_page {
    uint32_t width, height;
} mrwi_output_page;

typedef struct mrwi_output_pack_def {
    uint32_t gap;       /* pixels between rectangles, and around all */
    uint32_t page_size; /* the longest side of a page, 1 ... MRW_IMAGE_MAX_SIDE */
    bool power_of_two;  /* sides of pages are */
} mrwi_output_pack_def;

/* Lays rectangles out without turning them: on one page where it holds them, the smallest that is
 * found; else on pages of the longest sides and a last one that is as small as can be. Pages are
 * cut to what lies on them, or to powers of two. It depends on the sides and on the order of
 * rectangles alone. *pages, of which there are *page_count, is freed by the caller.
 * MRW_ERROR_USAGE where a rectangle is larger than a page. */
mrw_status mrwi_output_pack(const mrwi_output_pack_def *def, mrwi_output_rect *rects,
                            uint32_t count, mrwi_output_page **pages, uint32_t *page_count,
                            mrw_error *error);

/* The smallest power of two from `least` on, and the largest up to `most`, which is above 0. */
uint32_t mrwi_output_power_of_two(uint32_t least);
uint32_t mrwi_output_power_of_two_within(uint32_t most);

#endif
