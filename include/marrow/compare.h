/* compare.h: are two pictures the same? Exact, pixel and perceptual comparison of 8-bit pictures,
 * anybody's; metrics, diff pictures. Every function is thread-safe. The numbers are the same on
 * every machine.
 *
 * The subject of a comparison is what the pictures are of: ratios and means are over its pixels and
 * not the frame's, so that a plain ground hides nothing. It is, in this order:
 * 1. what marrow drew, where one of the pictures knows it (mrw_image.subject): drawn in either;
 * 2. alpha above 0 in either, where one of the pictures has an alpha channel that is not 255 all
 *    over;
 * 3. the whole frame.
 * The subject is only what is divided by: differences count wherever they lie, a ground of another
 * colour, too.
 * Masked pixels are left out of everything, the subject included; what they show reaches no number.
 */
#ifndef MARROW_COMPARE_H
#define MARROW_COMPARE_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrw_compare_mode {
    MRW_COMPARE_EXACT,     /* every channel of every pixel is the same */
    MRW_COMPARE_PIXEL,     /* few pixels differ by more than max_delta */
    MRW_COMPARE_PERCEPTUAL /* the mean FLIP error of the subject is at most max_flip */
} mrw_compare_mode;

/* What may differ. */
typedef struct mrw_compare_def {
    mrw_compare_mode mode; /* default exact */
    uint32_t max_delta;    /* PIXEL: a pixel differs when a channel differs by more; 0 ... 255, the
                              default 0, which the other modes always take */
    uint64_t max_pixels;   /* PIXEL: so many pixels may differ. Default 0 */
    double max_ratio;      /* PIXEL: or so many of the subject's, 0 ... 1; a picture passes when it
                              is within max_pixels or within max_ratio. Default 0 */
    double max_flip;       /* PERCEPTUAL: 0 ... 1, the default 0.01 */
    double pixels_per_degree; /* FLIP: of visual angle, 1 ... 500; default 67.02, a 0.7 m wide
                                 3840-pixel screen seen from 0.7 m, as in the FLIP paper */
    bool ignore_antialiasing; /* PIXEL: pixels that differ but lie on an edge that is anti-aliased
                                 in one of the pictures don't count (Vysniauskas 2009) */
    const uint8_t *mask;      /* width * height bytes, not 0: leave the pixel out; NULL: none;
                                 for pictures of equal size, else ignored */
    mrw_isa isa;              /* kernels of FLIP; all give the same numbers */
    int threads;              /* at least 1, the default; gives the same numbers */
} mrw_compare_def;

MRW_API mrw_compare_def mrw_compare_def_default(void);

typedef enum mrw_subject {
    MRW_SUBJECT_DRAWN, /* what marrow drew */
    MRW_SUBJECT_ALPHA, /* alpha above 0 */
    MRW_SUBJECT_FRAME  /* the whole frame */
} mrw_subject;

/* "what marrow drew", "alpha above 0", "the whole frame". Static storage. */
MRW_API const char *mrw_subject_name(mrw_subject subject);

/* All numbers but `same_size` are 0 when the sizes differ. */
typedef struct mrw_compare_result {
    bool passed;      /* by the mode and limits of the def */
    bool same_size;   /* pictures of different size never pass */
    bool identical;   /* no channel of any pixel that is not masked differs */
    bool all_metrics; /* the metrics marked * were computed: asked for, PERCEPTUAL or identical */
    mrw_subject subject;
    uint64_t subject_pixels;
    uint64_t masked_pixels;
    uint64_t differing;   /* pixels of which a channel differs by more than max_delta, those on
                             ignored edges not counted */
    uint64_t antialiased; /* pixels left out by ignore_antialiasing */
    double ratio;         /* differing / subject_pixels, at most 1, also when there is no subject;
                             0 when none differs */
    uint32_t largest[4];  /* largest difference of R, G, B, A */
    uint32_t box[4];      /* x, y, width, height around all pixels that differ at all; zeros when
                             none do */
    /* Means are sums over the frame divided by the subject's pixels, at most the largest value.
     * Pictures have 4 channels when one of them has. */
    double mean;         /* * mean absolute difference of the channels, 0 ... 255 */
    double psnr;         /* * dB, of the mean square of the channels' differences; 999: identical */
    double flip;         /* * mean FLIP error, 0 ... 1 */
    double flip_largest; /* * largest FLIP error of a pixel */
} mrw_compare_result;

/* Compares two pictures of 3 or 4 channels; a picture without alpha is opaque. With all_metrics
 * everything is computed when the pictures are not identical, else only what the mode needs.
 * FLIP: Andersson et al., "FLIP: A Difference Evaluator for Alternating Images", HPG 2020, for
 * pictures of standard dynamic range; transparent pictures lie on mid grey (#808080, blended in
 * linear light). Pictures of different size are a result and no failure. Fails for lack of memory,
 * for an instruction set that this machine lacks, and where FLIP is wanted for pixels_per_degree
 * out of range; *out is then zeroed. */
MRW_API mrw_status mrw_compare(const mrw_image *expected, const mrw_image *actual,
                               const mrw_compare_def *def, bool all_metrics,
                               mrw_compare_result *out, mrw_error *error);

/* A picture of the difference, to look at: the expected one pale and grey, what differs and does
 * not count in yellow, what counts from orange to red, masked pixels hatched blue. EXACT and PIXEL:
 * a pixel counts as in the result's `differing`, and is red from a difference of 64 on. PERCEPTUAL:
 * a pixel counts when its own FLIP error is above max_flip, and is red from one half on. Pictures
 * of different size: the size of the larger in each direction, everything outside either of them
 * magenta, the rest by channels. RGB; the caller frees *out. Fails as mrw_compare does. */
MRW_API mrw_status mrw_compare_picture(const mrw_image *expected, const mrw_image *actual,
                                       const mrw_compare_def *def, mrw_image *out,
                                       mrw_error *error);

/* One line: what differs and by how much, as in "132 of 5210 pixels differ (2.5 % of what marrow
 * drew), by at most 14, within 40x31 at 80,12"; "identical"; "160x120 expected, 320x240 got". With
 * all_metrics it ends in the mean FLIP error. 256 bytes always hold it. Returns out. */
MRW_API const char *mrw_compare_text(const mrw_compare_result *result, const mrw_image *expected,
                                     const mrw_image *actual, char *out, size_t size);

/* ---- Pictures of nothing --------------------------------------------------------------------- */

typedef enum mrw_emptiness {
    MRW_NOT_EMPTY,
    MRW_EMPTY_BLANK,  /* nothing was drawn, or all is transparent */
    MRW_EMPTY_COLOUR, /* one colour all over */
    MRW_EMPTY_CUT     /* what is shown touches all four borders: the camera is inside or too near */
} mrw_emptiness;

/* Tells whether a picture is fit to be a golden: the first of the above that holds. What is shown
 * is image->subject where there is one, else alpha above 0 where it is not 255 all over, else what
 * differs from the colour of the top left pixel. */
MRW_API mrw_emptiness mrw_image_emptiness(const mrw_image *image);

/* "blank", "one colour", "cut by every border"; "" for MRW_NOT_EMPTY. Static storage. */
MRW_API const char *mrw_emptiness_name(mrw_emptiness emptiness);

#ifdef __cplusplus
}
#endif
#endif
