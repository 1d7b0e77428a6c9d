/* compare.h: tests whether two pictures are the same. Exact, pixel and perceptual comparison of
 * 8-bit pictures from any program; metrics; pictures of the differences. Every function is
 * thread-safe, and gives the same numbers on every machine.
 *
 * The subject of a comparison is the drawn part of the pictures. Ratios refer to its pixels and
 * means are taken over them, so a plain background hides no difference. The subject is the first of
 * these that applies:
 *
 *     1. the pixels that marrow drew in either picture, if both record them (mrw_image.subject);
 *     2. the pixels with alpha above 0 in either picture, if one of them has an alpha channel that
 *        is not 255 everywhere;
 *     3. the whole frame.
 *
 * Differences count everywhere. If the mean over the rest of the frame is larger than that over the
 * subject, it is reported instead, so the background cannot hide a difference either. Masked pixels
 * are excluded from everything, including the subject; their contents affect no result.
 */
#ifndef MARROW_COMPARE_H
#define MARROW_COMPARE_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Comparison modes. */
typedef enum mrw_compare_mode {
    MRW_COMPARE_EXACT,     /* every channel of every pixel is equal */
    MRW_COMPARE_PIXEL,     /* few pixels differ by more than max_delta */
    MRW_COMPARE_PERCEPTUAL /* the mean FLIP error is at most max_flip, and that of each pixel at
                              most MRW_FLIP_PEAK times as much */
} mrw_compare_mode;

/* Largest FLIP error allowed for a single pixel, in multiples of max_flip. */
#define MRW_FLIP_PEAK 10.0

/* Limits of the allowed differences.
 *
 * The default of max_flip, 0.05 with no pixel above 0.5, accepts another rasterization method and
 * rejects another pose. The table gives the mean and the largest FLIP error of a pixel, measured
 * with the demo figure, walking, in pictures of 256, 512 and 1024 pixels per side:
 *
 *                                        256         512        1024
 *     noise of 1 in every channel    0.018 0.05  0.018 0.05  0.018 0.06  passes
 *     --aa 8 for --aa 4              0.028 0.20  0.018 0.19  0.011 0.23  passes
 *     --aa 2 for --aa 4              0.037 0.37  0.023 0.34  0.013 0.39  passes
 *     bilinear for trilinear         0.066 0.43  0.041 0.46  0.023 0.41  passes from 512 on
 *     camera turned by 0.1 degree    0.024 0.26  0.026 0.31  0.030 0.41  passes
 *     4 influences for 6 per vertex  0.006 0.23  0.006 0.44  0.006 0.63  passes up to 512
 *     pose off by 1/1000 s           0.022 0.35  0.024 0.48  0.026 0.68  passes up to 512
 *     pose off by 1/120 s            0.101 0.90  0.111 0.98  0.117 0.99  fails
 *     pose off by 1/30 s             0.259 0.99  0.270 0.99  0.274 0.99  fails
 *     forearm turned by 1 degree     0.009 0.40  0.010 0.68  0.011 0.87  fails from 512 on
 *     forearm turned by 2 degrees    0.015 0.61  0.018 0.90  0.018 0.98  fails
 *     head turned by 1 degree        0.034 0.65  0.041 0.91  0.049 0.98  fails
 *     spine turned by 1 degree       0.099 0.94  0.114 0.98  0.129 0.98  fails
 *     finger bent by 30 degrees      0.003 0.52  0.004 0.74  0.004 0.87  fails
 *     another light                  0.156 0.63  0.168 0.69  0.171 0.78  fails
 *     ground 1 brighter in red       0.030 0.03  0.030 0.03  0.030 0.03  passes
 *     ground of another colour       0.351 0.43  0.349 0.43  0.348 0.44  fails
 *
 * The mean alone cannot tell a limb that is off by a few degrees from another sampling method; the
 * largest error can. */
typedef struct mrw_compare_def {
    mrw_compare_mode mode; /* default exact */
    /* PIXEL: a pixel differs if a channel differs by more than this, 0 ... 255. Default 0, which
     * the other modes always use. */
    uint32_t max_delta;
    /* PIXEL: number of pixels that may differ. Default 0. */
    uint64_t max_pixels;
    /* PIXEL: share of the subject's pixels that may differ, 0 ... 1. A picture passes if it is
     * within max_pixels or within max_ratio. Default 0. */
    double max_ratio;
    /* PERCEPTUAL: largest mean FLIP error, 0 ... 1. Default 0.05. */
    double max_flip;
    /* FLIP: pixels per degree of visual angle, 1 ... 500. Default 67.02: a 3840-pixel screen 0.7 m
     * wide, seen from 0.7 m, as in the FLIP paper. */
    double pixels_per_degree;
    /* PIXEL: do not count differing pixels on an edge that is anti-aliased in one of the pictures
     * (Vysniauskas 2009). */
    bool ignore_antialiasing;
    /* width * height bytes; a byte other than 0 excludes the pixel. NULL: no mask. Used only if the
     * pictures have equal sizes. */
    const uint8_t *mask;
    mrw_isa isa; /* kernels for FLIP; all give the same numbers */
    int threads; /* at least 1, the default; any number gives the same results */
} mrw_compare_def;

/* Returns the defaults named above. */
MRW_API mrw_compare_def mrw_compare_def_default(void);

/* The kinds of subjects. */
typedef enum mrw_subject {
    MRW_SUBJECT_DRAWN, /* pixels that marrow drew */
    MRW_SUBJECT_ALPHA, /* pixels with alpha above 0 */
    MRW_SUBJECT_FRAME  /* the whole frame */
} mrw_subject;

/* Returns "what marrow drew", "alpha above 0" or "the whole frame". Static storage. */
MRW_API const char *mrw_subject_name(mrw_subject subject);

/* The result of a comparison. If the sizes differ, all numbers are 0. */
typedef struct mrw_compare_result {
    bool passed;      /* by the mode and limits of the def */
    bool same_size;   /* pictures of different sizes never pass */
    bool identical;   /* no unmasked pixel differs in any channel */
    bool all_metrics; /* the metrics marked * were computed: on request, for PERCEPTUAL, and for
                         identical pictures */
    mrw_subject subject;
    uint64_t subject_pixels;
    uint64_t masked_pixels;
    uint64_t differing; /* pixels with a channel that differs by more than max_delta, without those
                           that ignore_antialiasing skips */
    uint64_t antialiased; /* pixels skipped by ignore_antialiasing */
    double ratio; /* differing / subject_pixels, at most 1, even if the subject is empty; 0 if no
                     pixel differs */
    uint32_t largest[4]; /* largest differences of R, G, B, A */
    uint32_t box[4]; /* x, y, width, height of the box around all pixels with any difference; zeros
                        if there are none */
    /* Means are over the subject or over the rest, whichever is worse. They cover 4 channels if one
     * of the pictures has 4. */
    double mean;         /* * mean absolute difference of the channels, 0 ... 255 */
    double psnr;         /* * in dB, from the channels' mean squared difference; 999: identical */
    double flip;         /* * mean FLIP error, 0 ... 1 */
    double flip_largest; /* * largest FLIP error of a pixel anywhere */
} mrw_compare_result;

/* Compares two pictures with 3 or 4 channels; one without alpha is opaque. Computes all metrics if
 * all_metrics is set and the pictures are not identical; otherwise only those that the mode needs.
 * FLIP is that of Andersson et al., "FLIP: A Difference Evaluator for Alternating Images", HPG
 * 2020, for standard dynamic range. Transparent pictures are laid over mid-grey (#808080), blended
 * in linear light. Different sizes are a result, not an error. Fails if memory runs out, if this
 * machine lacks the instruction set, or if FLIP is needed and pixels_per_degree is out of range;
 * *out is then zeroed. */
MRW_API mrw_status mrw_compare(const mrw_image *expected, const mrw_image *actual,
                               const mrw_compare_def *def, bool all_metrics,
                               mrw_compare_result *out, mrw_error *error);

/* Makes a viewable picture of the differences. The expected picture is pale grey; differences that
 * do not count are yellow; those that count go from orange to red; masked pixels are hatched in
 * blue. EXACT and PIXEL: a pixel counts as in mrw_compare_result.differing, and is red from a
 * difference of 64 on. PERCEPTUAL: a pixel counts if its own FLIP error is above max_flip, and is
 * red from 0.5 on. If the sizes differ, the result has the larger width and the larger height; the
 * area outside either picture is magenta, and the rest is compared by channels. The result is RGB;
 * the caller frees *out. Fails like mrw_compare. */
MRW_API mrw_status mrw_compare_picture(const mrw_image *expected, const mrw_image *actual,
                                       const mrw_compare_def *def, mrw_image *out,
                                       mrw_error *error);

/* Describes a result in one line, such as "132 of 5210 pixels differ (2.5 % of what marrow drew),
 * by at most 14, within 40x31 at 80,12"; "identical"; "160x120 expected, 320x240 got". With
 * all_metrics the line ends in the mean and the largest FLIP error. A buffer of 256 bytes is always
 * large enough. Returns `out`. */
MRW_API const char *mrw_compare_text(const mrw_compare_result *result, const mrw_image *expected,
                                     const mrw_image *actual, char *out, size_t size);

/* ---- Empty pictures -------------------------------------------------------------------------- */

/* Reasons why a picture is unfit as a golden. */
typedef enum mrw_emptiness {
    MRW_NOT_EMPTY,
    MRW_EMPTY_BLANK,  /* empty: no pixel was drawn, or all are transparent */
    MRW_EMPTY_COLOUR, /* one colour everywhere */
    MRW_EMPTY_CUT     /* drawn part touches all borders: camera inside the model or too near */
} mrw_emptiness;

/* Returns the first of the above that applies to a picture, or MRW_NOT_EMPTY if it may become a
 * golden. The drawn part is image->subject if present, else the pixels with alpha above 0 if alpha
 * is not 255 everywhere, else the pixels that differ in colour from the top left one. */
MRW_API mrw_emptiness mrw_image_emptiness(const mrw_image *image);

/* Returns "blank", "one colour" or "cut by every border"; "" for MRW_NOT_EMPTY. Static storage. */
MRW_API const char *mrw_emptiness_name(mrw_emptiness emptiness);

/* ---- Poses ----------------------------------------------------------------------------------- */

/* The joint of a frame that is farthest off. All zeros with `joint` NULL: no joint is off. */
typedef struct mrw_pose_difference {
    const char *joint;  /* untrusted name, not escaped */
    double degrees;     /* angle by which it is turned */
    double distance;    /* distance by which it is moved, in metres */
    double scale;       /* largest ratio of its lengths, at least 1; 1: as expected */
    uint32_t differing; /* number of joints beyond the limits */
    uint32_t joints;    /* number of all joints */
} mrw_pose_difference;

#ifdef __cplusplus
}
#endif
#endif
