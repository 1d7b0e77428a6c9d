/* figures.c: describes how far frames are off. */
#include "report/results.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

void mrwi_report_figure(mrw_text *text, double value, int decimals)
{
    char digits[32];
    mrwi_base_format_fixed(value, decimals, digits);
    if (value != 0.0 && !strpbrk(digits, "123456789")) {
        mrwi_base_format_double(value, digits);
    }
    mrw_text_puts(text, digits);
}

/* Adds a separator if there are figures before. */
static void separate(mrw_text *text, size_t start)
{
    if (text->size > start) {
        mrw_text_puts(text, "; ");
    }
}

static void add_pixels(mrw_text *text, const mrw_compare_result *metrics,
                       void (*put)(mrw_text *text, const char *character))
{
    uint32_t largest = 0;
    for (int i = 0; i < 4; i++) {
        largest = metrics->largest[i] > largest ? metrics->largest[i] : largest;
    }
    if (!metrics->same_size) {
        mrw_text_puts(text, "the pictures differ in size");
        return;
    }
    mrw_text_add(text, "%" PRIu64 " pixel%s (", metrics->differing,
                 metrics->differing == 1 ? " differs" : "s differ");
    mrwi_report_figure(text, metrics->ratio * 100.0, 2);
    mrw_text_puts(text, " ");
    put(text, "%"); /* annotations quote it */
    mrw_text_add(text, "), by at most %" PRIu32, largest);
    if (metrics->all_metrics) {
        mrw_text_puts(text, "; PSNR ");
        mrwi_report_figure(text, metrics->psnr, 1);
        mrw_text_puts(text, " dB, FLIP ");
        mrwi_report_figure(text, metrics->flip, 4);
        mrw_text_puts(text, ", of a pixel ");
        mrwi_report_figure(text, metrics->flip_largest, 2);
    }
}

static void add_pose(mrw_text *text, const mrw_pose_difference *pose,
                     void (*put)(mrw_text *text, const char *character))
{
    mrw_text_puts(text, "joint ");
    mrwi_report_escaped(text, pose->joint, put);
    mrw_text_puts(text, " turned ");
    mrwi_report_figure(text, pose->degrees, 1);
    mrw_text_puts(text, " degrees, moved ");
    mrwi_report_figure(text, pose->distance, 4);
    mrw_text_puts(text, " m");
}

void mrwi_report_figures(mrw_text *text, const mrw_frame_result *frame,
                         void (*put)(mrw_text *text, const char *character))
{
    size_t start = text->size;
    if (frame->compared && !frame->metrics.identical) {
        add_pixels(text, &frame->metrics, put);
    }
    if (frame->pose.joint) {
        separate(text, start);
        add_pose(text, &frame->pose, put);
    }
    if (frame->bounds > 0.0) {
        separate(text, start);
        mrw_text_puts(text, "bounds off by ");
        mrwi_report_figure(text, frame->bounds, 4);
        mrw_text_puts(text, " m");
    }
}

static double larger(double a, double b)
{
    return a < b ? b : a;
}

static void take_worst_pixels(mrw_frame_result *worst, const mrw_compare_result *m)
{
    mrw_compare_result *w = &worst->metrics;
    if (!worst->compared) {
        *w = (mrw_compare_result){.same_size = true, .identical = true, .psnr = 999.0};
    }
    worst->compared = true;
    w->same_size = w->same_size && m->same_size;
    w->identical = w->identical && m->identical;
    w->differing = m->differing > w->differing ? m->differing : w->differing;
    w->ratio = larger(w->ratio, m->ratio);
    for (int i = 0; i < 4; i++) {
        w->largest[i] = m->largest[i] > w->largest[i] ? m->largest[i] : w->largest[i];
    }
    if (m->all_metrics && m->same_size) {
        w->all_metrics = true;
        w->psnr = m->psnr < w->psnr ? m->psnr : w->psnr;
        w->flip = larger(w->flip, m->flip);
        w->flip_largest = larger(w->flip_largest, m->flip_largest);
    }
}

mrw_frame_result mrwi_report_worst_frame(const mrw_case_result *result)
{
    mrw_frame_result worst = {.compared = false};
    for (size_t i = 0; i < result->frame_count; i++) {
        const mrw_frame_result *frame = &result->frames[i];
        const mrw_pose_difference *pose = &frame->pose;
        if (frame->compared) {
            take_worst_pixels(&worst, &frame->metrics);
        }
        bool more = !worst.pose.joint || pose->degrees > worst.pose.degrees ||
                    (pose->degrees == worst.pose.degrees && pose->distance > worst.pose.distance);
        if (pose->joint && more) {
            worst.pose = *pose;
        }
        worst.bounds = larger(worst.bounds, frame->bounds);
    }
    return worst;
}

const char *mrwi_report_case_message(const mrw_case_result *result)
{
    if (result->message && result->message[0] != '\0') {
        return result->message;
    }
    return result->outcome == MRW_XPASSED  ? "passed, although it is expected to fail"
           : result->outcome == MRW_FAILED ? "failed"
                                           : "";
}
