/* fade.c: fades from clip to clip in 0.3 seconds. Meanwhile both clips play at one common time,
 * which begins with the old clip's, each wrapped by its own duration. --blend draws the same, so
 * each picture of a fade has a command line. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

#define FADE_TIME 0.3 /* seconds */

bool viewer_fade_runs(const viewer_playback *play)
{
    return play->fade.count > 0 && play->clock.time == play->fade.shown;
}

/* Computes the current weight of each clip: the last one fades in, the others fade out. */
static void weights_of(const viewer_fade *fade, double out[VIEWER_FADE_CLIPS])
{
    const double share = fade->elapsed / FADE_TIME;
    for (uint32_t i = 0; i < fade->count; i++) {
        const bool is_new = i == fade->count - 1;
        out[i] = fade->weights[i] * (1.0 - share) + (is_new ? share : 0.0);
    }
}

/* Sets the clock of the new clip to the common time of the fade. */
static void show_time(viewer_playback *play)
{
    viewer_clock *clock = &play->clock;
    viewer_clock_to_time(clock, mrw_wrap_time(MRW_TIME_LOOP, play->fade.time,
                                              clock->timing.duration, clock->timing.rate));
    clock->play_time = play->fade.time;
    play->fade.shown = clock->time;
}

void viewer_fade_begin(viewer_playback *play, uint32_t old_clip, double time)
{
    viewer_fade *fade = &play->fade;
    const uint32_t clip = play->clip;
    viewer_fade next = {.on = true, .time = time};
    double weights[VIEWER_FADE_CLIPS] = {1.0}, own = 0.0;
    if (fade->count == 0) {
        fade->clips[0] = old_clip;
        fade->count = 1;
    } else {
        weights_of(fade, weights);
        next.time = fade->time;
    }
    for (uint32_t i = 0; i < fade->count; i++) {
        if (fade->clips[i] == clip) { /* the new clip was fading out: it begins with that weight */
            own += weights[i];
        } else if (next.count < VIEWER_FADE_CLIPS - 1) {
            next.clips[next.count] = fade->clips[i];
            next.weights[next.count++] = weights[i];
        }
    }
    next.clips[next.count] = clip;
    next.weights[next.count++] = own;
    *fade = next;
    show_time(play);
}

void viewer_fade_end(viewer_playback *play)
{
    if (play->fade.count > 0) {
        play->clock.play_time = play->clock.time;
    }
    play->fade.count = 0;
}

bool viewer_fade_tick(viewer_playback *play, double seconds)
{
    viewer_fade *fade = &play->fade;
    if (!viewer_fade_runs(play)) { /* the user went to another time */
        viewer_fade_end(play);
        return false;
    }
    if (!play->clock.playing) {
        return true;
    }
    const double step = seconds * viewer_clock_speed(&play->clock);
    const double time = fade->time + (play->clock.backward ? -step : step);
    fade->time = time > 0.0 ? time : 0.0;
    fade->elapsed += seconds;
    show_time(play);
    if (fade->elapsed >= FADE_TIME) {
        viewer_fade_end(play);
    }
    return true;
}

void viewer_fade_write(const viewer *v, viewer_words *out)
{
    double weights[VIEWER_FADE_CLIPS];
    mrw_text text = {0};
    weights_of(&v->state.play.fade, weights);
    for (uint32_t i = 0; i < v->state.play.fade.count; i++) {
        char name[256];
        viewer_line_clip(v, v->state.play.fade.clips[i], name, sizeof name);
        if (strpbrk(name, ":,")) {
            snprintf(name, sizeof name, "%u", v->state.play.fade.clips[i]);
        }
        mrw_text_add(&text, "%s%s:", i > 0 ? "," : "", name);
        mrw_text_float(&text, (float)weights[i]);
    }
    viewer_words_option(out, "blend", text.failed ? "" : text.data);
    out->failed |= text.failed;
    mrw_text_free(&text);
    viewer_words_option(out, "wrap", "loop");
}

mrw_status viewer_fade_switch(viewer *v, int value, mrw_error *error)
{
    (void)value;
    (void)error;
    v->state.play.fade.on = !v->state.play.fade.on;
    viewer_fade_end(&v->state.play);
    viewer_tell(v, false,
                v->state.play.fade.on ? "clips fade into each other while they play"
                                      : "clips change without a fade");
    return MRW_OK;
}
