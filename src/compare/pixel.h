/* pixel.h: the kernels of the pixel mode: they find how two rows differ and which of their pixels
 * lie on anti-aliased edges.
 *
 * Flags of the pixels of a row are bits in words of MRWI_COMPARE_WORD; the lowest is the first. */
#ifndef MRWI_COMPARE_PIXEL_H
#define MRWI_COMPARE_PIXEL_H

#include "compare/pair.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* The same row of two pictures. */
typedef struct mrwi_compare_rows {
    const uint8_t *pixels[2]; /* Expected and actual row; 64 readable bytes follow each. */
    uint32_t channels[2];     /* Channels of each picture: 3 or 4. */
    uint32_t width;
    const uint8_t *mask; /* One byte per pixel; NULL if there is no mask. */
    uint32_t max_delta;  /* A pixel counts if a channel differs by more; 0..255. */
    bool sums;           /* Compute sums, by the subject below. */
    mrw_subject subject;
    const uint8_t *drawn[2]; /* One byte per pixel, for MRW_SUBJECT_DRAWN. */
} mrwi_compare_rows;

/* ---- anti-aliased edges ---------------------------------------------------------------------- */

#define MRWI_COMPARE_EDGE_WORDS (MRWI_COMPARE_EDGE_BLOCK / MRWI_COMPARE_WORD)
#define MRWI_COMPARE_EDGE_APRON                                                                    \
    2 /* columns and rows on each side: neighbours and their neighbours                            \
       */
#define MRWI_COMPARE_EDGE_ROWS (2 * MRWI_COMPARE_EDGE_APRON + 1)
#define MRWI_COMPARE_EDGE_COLUMNS                                                                  \
    (MRWI_COMPARE_EDGE_BLOCK + 2 * MRWI_COMPARE_EDGE_APRON) /* with the apron */
#define MRWI_COMPARE_EDGE_COLUMN_WORDS (MRWI_COMPARE_EDGE_WORDS + 1)
/* Size of a row, with room for the lanes of kernels that read and write beyond the apron. */
#define MRWI_COMPARE_EDGE_ROW (MRWI_COMPARE_EDGE_COLUMNS + 36)
#define MRWI_COMPARE_EDGE_MANY                                                                     \
    3 /* a pixel with so many equal neighbours is not on an edge, but in                           \
       * a plain area */

/* Neighbours of equal colour, one bit per column. */
typedef struct mrwi_compare_matches {
    uint64_t across[MRWI_COMPARE_EDGE_COLUMN_WORDS];  /* equal to the next column */
    uint64_t down[MRWI_COMPARE_EDGE_COLUMN_WORDS];    /* equal to the column below */
    uint64_t falling[MRWI_COMPARE_EDGE_COLUMN_WORDS]; /* equal to the next column below */
    uint64_t rising[MRWI_COMPARE_EDGE_COLUMN_WORDS];  /* next column equal to the column below */
} mrwi_compare_matches;

/* A row of a block; column MRWI_COMPARE_EDGE_APRON is its first pixel. */
typedef struct mrwi_compare_edge_row {
    bool whole;     /* All pixels are seen, and none is at the border. */
    bool opaque[2]; /* The picture has no alpha channel. */
    uint64_t seen[MRWI_COMPARE_EDGE_COLUMN_WORDS];   /* Pixels inside the picture and not masked. */
    uint64_t border[MRWI_COMPARE_EDGE_COLUMN_WORDS]; /* Pixels at the picture's border. */
    int32_t colors[2][MRWI_COMPARE_EDGE_ROW];
    mrwi_compare_matches matches[2];
    uint64_t plain[MRWI_COMPARE_EDGE_COLUMN_WORDS]; /* Pixels in a plain area of both pictures. */
    /* Brightness: luma over mid grey, times 255000, doubled; plus 1 if the pixel is not plain;
     * INT32_MAX if it is not seen. So the least of several grades tells whether one of the darkest
     * pixels is plain. */
    int32_t grades[2][MRWI_COMPARE_EDGE_ROW];
} mrwi_compare_edge_row;

/* Source that a row is filled from: columns first ... end - 1 lie within the picture. */
typedef struct mrwi_compare_edge_source {
    const uint8_t *pixels[2]; /* Pixels at column `first`; 64 readable bytes follow column end - 1.
                               */
    uint32_t channels[2];
    const uint8_t *mask; /* Mask at column `first`; NULL if there is none. */
    uint32_t first, end;
    uint32_t border_first, border_end; /* Columns border_first ... border_end - 1 of the row are not
                                        * at the border. */
    bool whole;
} mrwi_compare_edge_source;

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct mrwi_compare_pixel_kernels {
    /* Compares the words that have the pixels of the span. Sets their `differing` and `counting`,
     * adds the pixels' sums to *out, raises its largest, and returns the span from the first to the
     * last pixel that differs. */
    mrwi_compare_span (*subtract)(const mrwi_compare_rows *rows, mrwi_compare_span within,
                                  uint64_t *differing, uint64_t *counting,
                                  mrwi_compare_differences *out);
    /* Fills whole, opaque, seen, border and colors of a row. */
    void (*fill)(const mrwi_compare_edge_source *source, mrwi_compare_edge_row *row);
    /* Finds the matches of a row and the next one below. */
    void (*match)(mrwi_compare_edge_row *row, const mrwi_compare_edge_row *below);
    /* Finds the plain pixels of a row. The matches of the row and of the one above are known. */
    void (*find_plain)(const mrwi_compare_edge_row *above, mrwi_compare_edge_row *row);
    /* Makes grades from colours and plain pixels. */
    void (*grade)(mrwi_compare_edge_row *row);
    /* Keeps only those marks of the middle one of three rows that lie on an edge. */
    void (*keep_edges)(const mrwi_compare_edge_row *const rows[3],
                       uint64_t marks[MRWI_COMPARE_EDGE_WORDS]);
} mrwi_compare_pixel_kernels;

extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_scalar; /* the specification */
extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_f4;     /* SSE2 or NEON */
extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_avx2;
extern const mrwi_compare_pixel_kernels mrwi_compare_pixel_kernels_avx512;

/* Returns the kernels of an instruction set. */
const mrwi_compare_pixel_kernels *mrwi_compare_pixel_kernels_for(mrw_isa isa);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Row y of a block, and the stages after filling it that are done. */
typedef struct mrwi_compare_edge_slot {
    int64_t y;
    bool matched, plain_found, graded;
    mrwi_compare_edge_row row;
} mrwi_compare_edge_slot;

/* Rows that are kept from one row of a block to the next. Set pair to NULL to begin. */
typedef struct mrwi_compare_edge_block {
    const mrwi_compare_pair *pair;
    const mrwi_compare_pixel_kernels *kernels;
    uint32_t x;
    mrwi_compare_edge_slot slots[MRWI_COMPARE_EDGE_ROWS];
} mrwi_compare_edge_block;

/* Keeps only marks of pixels on an anti-aliased edge of one of the pictures, among the
 * MRWI_COMPARE_EDGE_BLOCK pixels of row y from x on, or those to the end of the row. Returns how
 * many marks are left. Going down a column of blocks is fast. */
uint32_t mrwi_compare_keep_antialiased(mrwi_compare_edge_block *block,
                                       const mrwi_compare_pair *pair, uint32_t x, uint32_t y,
                                       uint64_t marks[MRWI_COMPARE_EDGE_WORDS]);

#endif
