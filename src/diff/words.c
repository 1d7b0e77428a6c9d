/* words.c: describes the result of a clip of two models. */
#include "diff/diff.h"

#include "base/text.h"

#include <math.h>

/* Difference of durations, in seconds, that counts as none: no frame can show it, and times in
 * files are floats. */
#define SAME_DURATION 1e-6

static double duration_of(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip, int side)
{
    return mrw_session_clip_duration(&state->sides[side].model, clip->clips[side]);
}

bool mrwi_diff_other_duration(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip)
{
    return fabs(duration_of(state, clip, 0) - duration_of(state, clip, 1)) > SAME_DURATION;
}

static void separate(mrw_text *out)
{
    mrw_text_puts(out, out->size > 0 ? "; " : "");
}

/* Returns true if difference a is reported rather than b: rotation counts more than distance, and
 * distance more than scale, as in comparing joints. */
static bool is_worse(const mrw_pose_difference *a, const mrw_pose_difference *b)
{
    if (a->degrees > 0.01 || b->degrees > 0.01) {
        return a->degrees > b->degrees;
    }
    if (a->distance > 1e-5 || b->distance > 1e-5) {
        return a->distance > b->distance;
    }
    return a->scale > b->scale;
}

/* Writes "LeftFoot turned 3.1 degrees at frame 12", or, if the joints agree, the difference of the
 * boxes. */
static void put_shape(const mrwi_diff_clip *clip, mrw_text *out)
{
    const mrw_frame_result *frames = clip->result->frames, *pose = NULL, *box = NULL;
    for (size_t i = 0; i < clip->result->frame_count; i++) {
        const mrw_frame_result *frame = &frames[i];
        if (clip->pose_texts[i] && (!pose || is_worse(&frame->pose, &pose->pose))) {
            pose = frame;
        }
        if ((frame->why & MRW_WHY_BOUNDS) != 0 && (!box || frame->bounds > box->bounds)) {
            box = frame;
        }
    }
    if (!pose && !box) {
        return;
    }
    separate(out);
    if (pose) {
        mrw_text_puts(out, clip->pose_texts[pose - frames]);
    } else if (!(box->bounds > 0.0)) {
        mrw_text_puts(out, "only one of the two has geometry");
    } else {
        mrw_text_puts(out, "the bounding box is off by ");
        mrwi_report_figure(out, box->bounds, 4);
    }
    mrw_text_add(out, " at frame %llu", (unsigned long long)(pose ? pose : box)->frame);
}

/* Returns the frame whose pixels differ most, by the metric that decides; NULL if no pixels differ.
 */
static const mrw_frame_result *worst_picture(const mrw_case_result *result, bool perceptual)
{
    const mrw_frame_result *worst = NULL;
    for (size_t i = 0; i < result->frame_count; i++) {
        const mrw_frame_result *frame = &result->frames[i];
        const mrw_compare_result *m = &frame->metrics;
        bool more = !worst ||
                    (perceptual ? m->flip > worst->metrics.flip : m->ratio > worst->metrics.ratio);
        if ((frame->why & MRW_WHY_PIXELS) != 0 && more) {
            worst = frame;
        }
    }
    return worst;
}

/* Writes "12 of 25 frames differ; frame 12 differs most (5.2 % of what marrow drew)". */
static void put_frames(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip,
                       mrw_text *out)
{
    const mrw_case_result *result = clip->result;
    bool perceptual = state->diff->compare.mode == MRW_COMPARE_PERCEPTUAL;
    const mrw_frame_result *worst = worst_picture(result, perceptual);
    separate(out);
    mrw_text_add(out, "%u of %zu frame%s %s", result->bad_frames, result->frame_count,
                 result->frame_count == 1 ? "" : "s",
                 result->bad_frames == 1 ? "differs" : "differ");
    if (!worst) {
        mrw_text_puts(out, ", but not in pixels");
        return;
    }
    mrw_text_add(out, result->bad_frames == 1 ? ": frame %llu (" : "; frame %llu differs most (",
                 (unsigned long long)worst->frame);
    if (perceptual) {
        mrw_text_puts(out, "FLIP ");
        mrwi_report_figure(out, worst->metrics.flip, 4);
    } else {
        mrwi_report_figure(out, worst->metrics.ratio * 100.0, 1);
        mrw_text_add(out, " %% of %s", mrw_subject_name(worst->metrics.subject));
    }
    mrw_text_puts(out, ")");
}

/* Counts the frames that differ within the limits. */
static size_t count_tolerated(const mrw_case_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->frame_count; i++) {
        const mrw_frame_result *frame = &result->frames[i];
        count += !frame->metrics.identical || frame->pose.joint || frame->bounds > 0.0;
    }
    return count;
}

void mrwi_diff_describe_clip(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip,
                             mrw_text *out)
{
    const mrw_case_result *result = clip->result;
    const size_t tolerated = count_tolerated(result);
    if (mrwi_diff_other_duration(state, clip)) {
        char before[32], after[32]; /* files hold floats */
        mrwi_base_format_float((float)duration_of(state, clip, 0), before);
        mrwi_base_format_float((float)duration_of(state, clip, 1), after);
        mrw_text_add(out, "lasts %s s, before %s s", after, before);
    }
    put_shape(clip, out);
    if (result->bad_frames > 0) {
        put_frames(state, clip, out);
    } else if (tolerated > 0) {
        separate(out);
        mrw_text_add(out, "%zu of %zu frame%s %s, but within the limits", tolerated,
                     result->frame_count, result->frame_count == 1 ? "" : "s",
                     tolerated == 1 ? "differs" : "differ");
    } else {
        mrw_text_puts(out, out->size > 0 ? "; all frames are the same" : "the same");
    }
}
