/* compare.h: are two pictures the same? Exact, pixel and perceptual comparison of 8-bit pictures,
 * anybody's; metrics, diff pictures. Every function is thread-safe. The numbers are the same on
 * every machine.
 *
 * The subject of a comparison is what the pictures are of: ratios are of its pixels, and means are
 * over them, so that a plain ground hides nothing. It is, in this order:
 * 1. what marrow drew, where both pictures know it (mrw_image.subject): drawn in either;
 * 2. alpha above 0 in either, where one of the pictures has an alpha channel that is not 255 all
 *    over;
 * 3. the whole frame.
 * Differences count wherever they lie, and where the mean over the rest of the frame is larger than
 * that over the subject it is the one given: nothing hides in the ground either.
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
    MRW_COMPARE_PERCEPTUAL /* the mean FLIP error is at most max_flip, and that of no pixel above
                              MRW_FLIP_PEAK times as much */
} mrw_compare_mode;

/* How many times max_flip the FLIP error of a single pixel may be. */
#define MRW_FLIP_PEAK 10.0

/* What may differ.
 *
 * The default of max_flip, 0.05 with no pixel above 0.5, lets another way of rasterizing pass and
 * holds back another pose. Mean FLIP error and the largest of a pixel, measured with the demo
 * figure, walking, in pictures of 256, 512 and 1024 pixels a side:
 *
 *                                      256         512        1024
 *   noise of 1 in every channel    0.018 0.05  0.018 0.05  0.018 0.06  passes
 *   --aa 8 for --aa 4              0.028 0.20  0.018 0.19  0.011 0.23  passes
 *   --aa 2 for --aa 4              0.037 0.37  0.023 0.34  0.013 0.39  passes
 *   bilinear for trilinear         0.066 0.43  0.041 0.46  0.023 0.41  passes from 512 on
 *   camera turned by 0.1 degree    0.024 0.26  0.026 0.31  0.030 0.41  passes
 *   4 influences a vertex for 6    0.006 0.23  0.006 0.44  0.006 0.63  passes up to 512
 *   pose off by 1/1000 s           0.022 0.35  0.024 0.48  0.026 0.68  passes up to 512
 *   pose off by 1/120 s            0.101 0.90  0.111 0.98  0.117 0.99  fails
 *   pose off by 1/30 s             0.259 0.99  0.270 0.99  0.274 0.99  fails
 *   forearm turned by 1 degree     0.009 0.40  0.010 0.68  0.011 0.87  fails from 512 on
 *   forearm turned by 2 degrees    0.015 0.61  0.018 0.90  0.018 0.98  fails
 *   head turned by 1 degree        0.034 0.65  0.041 0.91  0.049 0.98  fails
 *   spine turned by 1 degree       0.099 0.94  0.114 0.98  0.129 0.98  fails
 *   finger bent by 30 degrees      0.003 0.52  0.004 0.74  0.004 0.87  fails
 *   another light                  0.156 0.63  0.168 0.69  0.171 0.78  fails
 *   ground 1 brighter in red       0.030 0.03  0.030 0.03  0.030 0.03  passes
 *   ground of another colour       0.351 0.43  0.349 0.43  0.348 0.44  fails
 *
 * The mean alone cannot tell a limb that is off by a few degrees from another way of sampling; the
 * largest error can. */
typedef struct mrw_compare_def {
    mrw_compare_mode mode; /* default exact */
    uint32_t max_delta;    /* PIXEL: a pixel differs when a channel differs by more; 0 ... 255, the
                              default 0, which the other modes always take */
    uint64_t max_pixels;   /* PIXEL: so many pixels may differ. Default 0 */
    double max_ratio;      /* PIXEL: or so many of the subject's, 0 ... 1; a picture passes when it
                              is within max_pixels or within max_ratio. Default 0 */
    double max_flip;       /* PERCEPTUAL: 0 ... 1, the default 0.05 */
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
    /* Means over the subject or the rest, whichever is worse. There are 4 channels when one of the
     * pictures has 4. */
    double mean;         /* * mean absolute difference of the channels, 0 ... 255 */
    double psnr;         /* * dB, of the mean square of the channels' differences; 999: identical */
    double flip;         /* * mean FLIP error, 0 ... 1 */
    double flip_largest; /* * largest FLIP error of a pixel, wherever it lies */
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
 * all_metrics it ends in the mean and the largest FLIP error. 256 bytes always hold it. Returns
 * out. */
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

/* ---- Poses ----------------------------------------------------------------------------------- */

/* The joint of a frame that is farthest off. All zeros and joint NULL: none is off. */
typedef struct mrw_pose_difference {
    const char *joint;  /* a stranger's name, not escaped */
    double degrees;     /* by which it is turned */
    double distance;    /* by which it is moved, metres */
    double scale;       /* larger of the ratios of its lengths, 1: as expected */
    uint32_t differing; /* joints beyond the limits */
    uint32_t joints;    /* of all */
} mrw_pose_difference;

#ifdef __cplusplus
}
#endif
#endif
