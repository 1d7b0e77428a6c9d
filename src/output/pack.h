/* pack.h: packs rectangles into small pages. */
#ifndef MRWI_OUTPUT_PACK_H
#define MRWI_OUTPUT_PACK_H

#include "marrow/base.h"

/* A rectangle; sides of at least 1. */
typedef struct mrwi_output_rect {
    uint32_t width, height;
    uint32_t page, x, y; /* its place, which packing fills in */
} mrwi_output_rect;

typedef struct mrwi_output_page {
    uint32_t width, height;
} mrwi_output_page;

typedef struct mrwi_output_pack_def {
    uint32_t gap;       /* pixels between rectangles, and around all */
    uint32_t page_size; /* the longest side of a page, 1 ... MRW_IMAGE_MAX_SIDE */
    bool power_of_two;  /* sides of pages are powers of two */
} mrwi_output_pack_def;

/* Places rectangles without turning them: on the smallest page found if one page holds them all;
 * else on pages of the longest sides and a small last one. Pages are cut to the rectangles on them,
 * or to powers of two. The result depends only on the sides and the order of the rectangles. The
 * caller frees *pages, which has *page_count entries. Fails with MRW_ERROR_USAGE if a rectangle is
 * larger than a page. */
mrw_status mrwi_output_pack(const mrwi_output_pack_def *def, mrwi_output_rect *rects,
                            uint32_t count, mrwi_output_page **pages, uint32_t *page_count,
                            mrw_error *error);

/* Returns the smallest power of two that is at least `least`. */
uint32_t mrwi_output_power_of_two(uint32_t least);
/* Returns the largest power of two that is at most `most`, which is above 0. */
uint32_t mrwi_output_power_of_two_within(uint32_t most);

#endif
