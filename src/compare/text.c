/* text.c: describes results. */
#include "marrow/compare.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *mrw_subject_name(mrw_subject subject)
{
    static const char *const names[] = {"what marrow drew", "alpha above 0", "the whole frame"};
    return (unsigned)subject < sizeof names / sizeof *names ? names[subject] : "unknown";
}

const char *mrw_emptiness_name(mrw_emptiness emptiness)
{
    static const char *const names[] = {"", "blank", "one colour", "cut by every border"};
    return (unsigned)emptiness < sizeof names / sizeof *names ? names[emptiness] : "unknown";
}

/* Writes "2.5 %", or "under 0.1 %". */
static const char *percent(double ratio, char out[48])
{
    char number[32];
    bool small = ratio > 0.0 && ratio < 0.001;
    mrwi_base_format_fixed(small ? 0.1 : ratio * 100.0, 1, number);
    snprintf(out, 48, "%s%s %%", small ? "under " : "", number);
    return out;
}

static void count_text(const mrw_compare_result *r, char *out, size_t size)
{
    char region[48];
    const char *subject = mrw_subject_name(r->subject);
    if (r->differing == 0) {
        snprintf(out, size, "no pixel counts as different");
    } else if (r->differing > r->subject_pixels) {
        snprintf(out, size, "%" PRIu64 " %s, more than the %" PRIu64 " of %s", r->differing,
                 r->differing == 1 ? "pixel differs" : "pixels differ", r->subject_pixels, subject);
    } else {
        snprintf(out, size, "%" PRIu64 " of %" PRIu64 " pixels %s (%s of %s)", r->differing,
                 r->subject_pixels, r->differing == 1 ? "differs" : "differ",
                 percent(r->ratio, region), subject);
    }
}

const char *mrw_compare_text(const mrw_compare_result *result, const mrw_image *expected,
                             const mrw_image *actual, char *out, size_t size)
{
    const mrw_compare_result *r = result;
    if (!r->same_size) {
        snprintf(out, size, "%ux%u expected, %ux%u got", expected->width, expected->height,
                 actual->width, actual->height);
        return out;
    }
    if (r->identical) {
        snprintf(out, size, "identical%s", r->masked_pixels > 0 ? " outside the mask" : "");
        return out;
    }
    char count[160], edges[64] = "", flip[96] = "", number[32];
    count_text(r, count, sizeof count);
    if (r->antialiased > 0) {
        snprintf(edges, sizeof edges, ", %" PRIu64 " on anti-aliased edges ignored",
                 r->antialiased);
    }
    if (r->all_metrics) {
        char peak[32];
        mrwi_base_format_fixed(r->flip, 4, number);
        mrwi_base_format_fixed(r->flip_largest, 3, peak);
        snprintf(flip, sizeof flip, ", FLIP error %s, at most %s", number, peak);
    }
    uint32_t largest = 0;
    for (int c = 0; c < 4; c++) {
        largest = r->largest[c] > largest ? r->largest[c] : largest;
    }
    snprintf(out, size, "%s%s, by at most %u, within %ux%u at %u,%u%s", count, edges, largest,
             r->box[2], r->box[3], r->box[0], r->box[1], flip);
    return out;
}
