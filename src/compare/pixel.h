/* pixel.h: the kernels of the rule by pixels: what two rows differ by, and which of their pixels
 * lie on anti-aliased edges.
 *
 * What is said of the pixels of a row is a bit each, in words of MRWI_COMPARE_WORD, the lowest for
 * the first. */
#ifndef MRWI_COMPARE_PIXEL_H
#define MRWI_COMPARE_PIXEL_H

#include "compare/pair.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* The same row of two pictures. */
typedef struct mrwi_compare_rows {
    const uint8_t *pixels[2]; /* expected, actual; 64 readable bytes follow */
    uint32_t channels[2];     /* 3 or 4 */
    uint32_t width;
    const uint8_t *mask; /* a byte a pixel; NULL: none */
    uint32_t max_delta;  /* a pixel counts when a channel differs by more; 0 ... 255 */
    bool sums;           /* whether sums are wanted, and then what the subject is: */
    mrw_subject subject;
    const uint8_t *drawn[2]; /* MRW_SUBJECT_DRAWN: a byte a pixel */
} mrwi_compare_rows;

/* ---- anti-aliased edges ---------------------------------------------------------------------- */

#define MRWI_COMPARE_EDGE_WORDS (MRWI_COMPARE_EDGE_BLOCK / MRWI_COMPARE_WORD)
#define MRWI_COMPARE_EDGE_APRON 2 /* and around them: neighbours, and theirs */
#define MRWI_COMPARE_EDGE_ROWS  (2 * MRWI_COMPARE_EDGE_APRON + 1)
#define MRWI_COMPARE_EDGE_COLUMNS                                                                  \
    (MRWI_COMPARE_EDGE_BLOCK + 2 * MRWI_COMPARE_EDGE_APRON) /* with the apron */
#define MRWI_COMPARE_EDGE_COLUMN_WORDS (MRWI_COMPARE_EDGE_WORDS + 1)
/* With room for the lanes of kernels that read and write beyond the apron. */
#define MRWI_COMPARE_EDGE_ROW  (MRWI_COMPARE_EDGE_COLUMNS + 36)
#define MRWI_COMPARE_EDGE_MANY 3 /* equal neighbours: no edge, and plain areas, have so many */

/* Which neighbours have equal colours, a bit a column. */
typedef struct mrwi_compare_matches {
    uint64_t across[MRWI_COMPARE_EDGE_COLUMN_WORDS];  /* the column, and the next */
    uint64_t down[MRWI_COMPARE_EDGE_COLUMN_WORDS];    /* and the one below */
    uint64_t falling[MRWI_COMPARE_EDGE_COLUMN_WORDS]; /* and the next one below */
    uint64_t rising[MRWI_COMPARE_EDGE_COLUMN_WORDS];  /* the one below, and the next */
} mrwi_compare_matches;

/* A row of a block; column MRWI_COMPARE_EDGE_APRON is its first pixel. */
typedef struct mrwi_compare_edge_row {
    int64_t y;
    bool matched, plain_found, graded; /* what is there of what comes after the colours */
    bool whole;                        /* all is seen, and not at the border */
    bool opaque[2];                    /* the pictures have no alpha */
    uint64_t seen[MRWI_COMPARE_EDGE_COLUMN_WORDS];   /* inside and not masked */
    uint64_t border[MRWI_COMPARE_EDGE_COLUMN_WORDS]; /* at the picture's border */
    int32_t colors[2][MRWI_COMPARE_EDGE_ROW];
    mrwi_compare_matches matches[2];
    uint64_t plain[MRWI_COMPARE_EDGE_COLUMN_WORDS]; /* in a plain area of both pictures */
    /* Brightness: luma over mid grey, times 255000, doubled; one more where the pixel is not plain;
     * INT32_MAX where it is not seen. So the least of some tells whether one of the darkest is
     * plain. */
    int32_t grades[2][MRWI_COMPARE_EDGE_ROW];
} mrwi_compare_edge_row;

/* What a row is filled from: columns first ... end - 1 lie within the picture. */
typedef struct mrwi_compare_edge_source {
    const uint8_t *pixels[2]; /* at column `first`; 64 readable bytes follow column end - 1 */
    uint32_t channels[2];
    const uint8_t *mask; /* at column `first`; NULL: none */
    uint32_t first, end;
    uint32_t border_first, border_end; /* columns border_first ... border_end - 1 of the row are not
                                          at the border */
    bool whole;
} mrwi_compare_edge_source;

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct mrwi_compare_pixel_kernels {
    /* Compares the words of rows that have the pixels of the span; sets theirs of `differing` and
     * `counting`, adds to *out what the pixels sum to, raises its largest, and returns the pixels
     * from the first to the last that differs. */
    mrwi_compare_span (*subtract)(const mrwi_compare_rows *rows, mrwi_compare_span within,
                                  uint64_t *differing, uint64_t *counting,
                                  mrwi_compare_differences *out);
    /* Fills whole, opaque, seen, border and colors. */
    void (*fill)(const mrwi_compare_edge_source *source, mrwi_compare_edge_row *row);
    /* Finds the matches of a row and the next one below. */
    void (*match)(mrwi_compare_edge_row *row, const mrwi_compare_edge_row *below);
    /* Finds what is plain in a row, of which, and of the one above, the matches are there. */
    void (*find_plain)(const mrwi_compare_edge_row *above, mrwi_compare_edge_row *row);
    /* Makes grades of colours and what is plain. */
    void (*grade)(mrwi_compare_edge_row *row);
    /* Leaves those marks of the middle one of three rows that lie on an edge. */
    void (*keep_edges)(const mrwi_compare_edge_row *const rows[3],
                       uint64_t marks[MRWI_COMPARE_EDGE_WORDS]);
} mrwi_compare_pixel_kernels;

extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_scalar; /* the specification */
extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_f4;     /* SSE2 or NEON */
extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_avx2;
extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_avx512;

/* The kernels of an instruction set. */
const mrwi_compare_pixel_kernels *mrwi_compare_pixel_kernels_for(mrw_isa isa);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* What is kept from one row of a block to the next. Set pair to NULL to begin. */
typedef struct mrwi_compare_edge_block {
    const mrwi_compare_pair *pair;
    const mrwi_compare_pixel_kernels *kernels;
    uint32_t x;
    mrwi_compare_edge_row rows[MRWI_COMPARE_EDGE_ROWS];
} mrwi_compare_edge_block;

/* Of the MRWI_COMPARE_EDGE_BLOCK pixels of row y from x on, or those to the end of the row, that
 * are marked, leaves those marked that lie on an anti-aliased edge of one of the pictures; returns
 * how many. Going down a column of blocks is fast. */
uint32_t mrwi_compare_keep_antialiased(mrwi_compare_edge_block *block,
                                       const mrwi_compare_pair *pair, uint32_t x, uint32_t y,
                                       uint64_t marks[MRWI_COMPARE_EDGE_WORDS]);

#endif
