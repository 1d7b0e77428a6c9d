/* compare.c: compares two pictures and decides whether the difference passes. */
#include "compare/flip.h"
#include "compare/pair.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "image/image.h"

#include <assert.h>

mrw_compare_def mrw_compare_def_default(void)
{
    return (mrw_compare_def){.max_flip = 0.05, .pixels_per_degree = 67.02, .threads = 1};
}

mrwi_compare_pair mrwi_compare_make_pair(const mrw_image *expected, const mrw_image *actual,
                                         const mrw_compare_def *def)
{
    bool by_pixel = def->mode == MRW_COMPARE_PIXEL;
    bool same_size = expected->width == actual->width && expected->height == actual->height;
    return (mrwi_compare_pair){
        .expected = expected,
        .actual = actual,
        .width = expected->width < actual->width ? expected->width : actual->width,
        .height = expected->height < actual->height ? expected->height : actual->height,
        .mask = same_size ? def->mask : NULL,
        .subject = MRW_SUBJECT_FRAME,
        .max_delta = by_pixel ? def->max_delta : 0,
        .ignore_antialiasing = by_pixel && def->ignore_antialiasing,
        .isa = def->isa,
    };
}

/* Returns the larger of the mean over the subject and the mean over the rest. */
static double worse_mean(double subject_sum, double rest_sum, const mrwi_compare_counts *counts)
{
    double subject = (double)counts->regions[MRWI_COMPARE_IN_SUBJECT];
    double rest = (double)counts->regions[MRWI_COMPARE_IN_REST];
    double a = subject > 0.0 ? subject_sum / subject : 0.0;
    double b = rest > 0.0 ? rest_sum / rest : 0.0;
    return a > b ? a : b;
}

static double decibels(double mean_square)
{
    const double ln_10 = 2.302585092994045684;
    return 10.0 * mrwi_base_log(255.0 * 255.0 / mean_square) / ln_10;
}

static void take_differences(const mrwi_compare_pair *pair, const mrwi_compare_counts *counts,
                             const mrwi_compare_differences *found, mrw_compare_result *out)
{
    out->identical = found->bottom == 0;
    out->differing = found->differing;
    out->antialiased = found->antialiased;
    out->ratio = found->differing == 0 ? 0.0
                 : found->differing >= out->subject_pixels
                     ? 1.0 /* there may be no subject */
                     : (double)found->differing / (double)out->subject_pixels;
    memcpy(out->largest, found->largest, sizeof out->largest);
    if (out->identical) {
        out->psnr = 999.0;
        out->all_metrics = true;
        return;
    }
    out->box[0] = found->left;
    out->box[1] = found->top;
    out->box[2] = found->right - found->left;
    out->box[3] = found->bottom - found->top;
    if (out->all_metrics) {
        uint32_t p = pair->expected->channels, q = pair->actual->channels, channels = p > q ? p : q;
        const uint64_t *sum = found->sum, *squares = found->squares;
        out->mean = worse_mean((double)sum[MRWI_COMPARE_IN_SUBJECT],
                               (double)sum[MRWI_COMPARE_IN_REST], counts) /
                    channels;
        out->psnr = decibels(worse_mean((double)squares[MRWI_COMPARE_IN_SUBJECT],
                                        (double)squares[MRWI_COMPARE_IN_REST], counts) /
                             channels);
    }
}

static mrw_status take_flip(const mrwi_compare_pair *pair, const mrwi_compare_counts *counts,
                            const mrw_compare_def *def, const uint64_t *differing,
                            mrw_compare_result *out, mrw_error *error)
{
    mrwi_compare_flip_job job = {.pair = pair,
                                 .differing = differing,
                                 .pixels_per_degree = def->pixels_per_degree,
                                 .isa = def->isa,
                                 .threads = def->threads};
    mrw_status status = mrwi_compare_flip(&job, error);
    out->flip =
        worse_mean(job.sums[MRWI_COMPARE_IN_SUBJECT], job.sums[MRWI_COMPARE_IN_REST], counts);
    out->flip_largest = (double)job.largest;
    return status;
}

static bool passes(const mrw_compare_def *def, const mrw_compare_result *result)
{
    switch (def->mode) {
    case MRW_COMPARE_PIXEL:
        return result->differing <= def->max_pixels || result->ratio <= def->max_ratio;
    case MRW_COMPARE_PERCEPTUAL:
        return result->flip <= def->max_flip &&
               result->flip_largest <= MRW_FLIP_PEAK * def->max_flip;
    default:
        return result->identical;
    }
}

static mrw_status compare_pair(mrwi_compare_pair *pair, const mrw_compare_def *def,
                               bool all_metrics, mrw_compare_result *out, mrw_error *error)
{
    uint64_t *differing = NULL;
    out->all_metrics = all_metrics || def->mode == MRW_COMPARE_PERCEPTUAL;
    if (out->all_metrics) {
        const size_t words = pair->height * mrwi_compare_row_words(pair);
        differing = mrwi_base_alloc(words, sizeof *differing);
        if (!differing) {
            return mrwi_base_fail_memory(error, words * sizeof *differing);
        }
    }
    mrwi_compare_counts counts = mrwi_compare_find_subject(pair);
    out->same_size = true;
    out->subject = pair->subject;
    out->subject_pixels = counts.regions[MRWI_COMPARE_IN_SUBJECT];
    out->masked_pixels = counts.masked;
    mrwi_compare_differences found;
    mrw_status status = mrwi_compare_find_differences(pair, def->threads, out->all_metrics,
                                                      differing, &found, error);
    if (status) {
        goto out;
    }
    take_differences(pair, &counts, &found, out);
    if (!out->identical && out->all_metrics) {
        status = take_flip(pair, &counts, def, differing, out, error);
        if (status) {
            goto out;
        }
    }
    out->passed = passes(def, out);
out:
    mrwi_base_free(differing);
    return status;
}

mrw_status mrw_compare(const mrw_image *expected, const mrw_image *actual,
                       const mrw_compare_def *def, bool all_metrics, mrw_compare_result *out,
                       mrw_error *error)
{
    assert(mrwi_image_is_picture(expected) && mrwi_image_is_picture(actual));
    assert(def->threads >= 1);
    *out = (mrw_compare_result){0};
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status || expected->width != actual->width || expected->height != actual->height) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_compare_pair pair = mrwi_compare_make_pair(expected, actual, def);
    status = compare_pair(&pair, def, all_metrics, out, error);
    mrwi_base_fp_leave(fp);
    if (status) {
        *out = (mrw_compare_result){0};
    }
    return status;
}
