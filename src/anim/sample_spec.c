/* sample_spec.c: the specification of sampling: the value of a channel at a time.
 *
 * - At a key's time the value is that of the key, to the bit. Before the first key and after the
 *   last one it is held, unless the channel continues in another way (mrwi_anim_place_beyond).
 * - Between two keys, t goes from 0 to 1. STEP keeps the first key. LINEAR goes straight from the
 *   first to the second, and rotations turn at a constant speed. CUBICSPLINE follows a curve that
 *   the keys' tangents give.
 *
 * This is the scalar kernel, in plain C. The kernels in lanes (sample_clip.h, slerp.h) compute
 * LINEAR translations, scales and rotations in groups and give the same bits; for everything else
 * they call the functions here. Beyond the keys, extrapolate.c computes in double, because t and
 * the angles have no bounds there. */
#include "anim/sample_spec.h"

#include "anim/keys.h"
#include "anim/poser.h"
#include "anim/unit.h"

#include <string.h>

/* ---- between two keys ------------------------------------------------------------------------ */

/* The keys around a time. */
typedef struct key_span {
    uint32_t key;   /* the last key at or before the time, or the first key */
    bool between;   /* true if the time lies between `key` and the next one, false if `key` holds */
    double seconds; /* from `key` to the next one */
    double t;       /* 0 at `key`, 1 at the next one */
} key_span;

static key_span span_at(const double *times, uint32_t count, double time, uint32_t key)
{
    key_span span = {.key = key, .between = key + 1 < count && time > times[key]};
    if (span.between) {
        span.seconds = times[key + 1] - times[key];
        span.t = (time - times[key]) / span.seconds;
    }
    return span;
}

/* Interpolates in double: this never overflows between two finite floats, and keeps what is
 * constant. */
static void linear(const float *a, const float *b, uint32_t width, double t, float *out)
{
    for (uint32_t i = 0; i < width; i++) {
        out[i] = (float)((double)a[i] + ((double)b[i] - (double)a[i]) * t);
    }
}

/* glTF 2.0, appendix C.5. */
void mrwi_anim_cubic_weights(double t, double seconds, double out[4])
{
    const double t2 = t * t;
    const double t3 = t2 * t;
    out[0] = 2.0 * t3 - 3.0 * t2 + 1.0;
    out[1] = seconds * (t3 - 2.0 * t2 + t);
    out[2] = 3.0 * t2 - 2.0 * t3;
    out[3] = seconds * (t3 - t2);
}

/* A key of a cubic spline is in-tangent, value, out-tangent, each `width` floats. */
static void cubic(const float *key, uint32_t width, const key_span *span, float *out)
{
    const float *value = key + width, *out_tangent = value + width;
    const float *next_in_tangent = out_tangent + width, *next_value = next_in_tangent + width;
    double h[4];
    mrwi_anim_cubic_weights(span->t, span->seconds, h);
    for (uint32_t i = 0; i < width; i++) {
        out[i] = (float)((h[0] * (double)value[i] + h[2] * (double)next_value[i]) +
                         (h[1] * (double)out_tangent[i] + h[3] * (double)next_in_tangent[i]));
    }
}

/* Spherical linear interpolation (Shoemake, "Animating rotation with quaternion curves", 1985)
 * along the shorter arc, without trigonometry.
 *
 * With theta the angle between unit quaternions a and b, it has the direction of
 * (1 - g) a + (1 + g) b, where s = 2t - 1 and
 *
 *     g = tan(s theta/2) / tan(theta/2).
 *
 * tan(s atan T)/T has Gauss's continued fraction in z = T^2 = (1 - cos theta)/(1 + cos theta):
 *
 *     g = s / (1 + (1 - s^2) z / (3 + (4 - s^2) z / (5 + (9 - s^2) z / (7 + ...))))
 *
 * So no arc cosine is needed, g is exactly +-1 at the ends, and swapping a and b swaps the result.
 * Cut at 11 + (b0 + b1 s^2) z, fitted to the rest, the angle is within 7.3e-8 radians for theta up
 * to 90 degrees. n1 ... n6 are the numerators of the fraction's tails, from the outside in, so the
 * whole costs one square root and one division, which normalising needs anyway. */
static void slerp(const float a[4], const float b[4], float t, float out[4])
{
    const float dot = (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]);
    const float above = 1.0f - fabsf(dot), below = 1.0f + fabsf(dot); /* z = above / below */
    const float s = (t + t) - 1.0f, q = s * s;
    const float n6 = 11.0f * below + (2.31103450449f - 0.0580586895543f * q) * above;
    const float n5 = 9.0f * n6 + (25.0f - q) * above;
    const float n4 = (7.0f * below) * n5 + ((16.0f - q) * above) * n6;
    const float n3 = 5.0f * n4 + ((9.0f - q) * above) * n5;
    const float n2 = (3.0f * below) * n3 + ((4.0f - q) * above) * n4;
    const float n1 = n2 + ((1.0f - q) * above) * n3;
    const float of_a = n1 - s * n2;
    const float of_b = signbit(dot) ? -(n1 + s * n2) : n1 + s * n2;
    for (int i = 0; i < 4; i++) {
        out[i] = a[i] * of_a + b[i] * of_b;
    }
    const float square = (out[0] * out[0] + out[2] * out[2]) + (out[1] * out[1] + out[3] * out[3]);
    const float unit = 1.0f / sqrtf(square);
    for (int i = 0; i < 4; i++) {
        out[i] *= unit;
    }
}

/* ---- channels -------------------------------------------------------------------------------- */

/* Samples numbers that are interpolated one by one: all but LINEAR rotations. */
static void sample_values(const mrw_channel *channel, const float *values, uint32_t width,
                          const key_span *span, float *out)
{
    const bool is_cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const float *key = values + (size_t)span->key * width * (is_cubic ? 3 : 1);
    if (is_cubic && span->between) {
        cubic(key, width, span, out);
    } else if (channel->interpolation == MRW_INTERPOLATION_LINEAR && span->between) {
        linear(key, key + width, width, span->t, out);
    } else {
        memcpy(out, is_cubic ? key + width : key, width * sizeof *out);
    }
}

void mrwi_anim_sample_numbers(const mrw_channel *channel, const double *times, const float *values,
                              double time, float *out)
{
    const uint32_t key = mrwi_anim_key_search(times, channel->key_count, time);
    const key_span span = span_at(times, channel->key_count, time, key);
    sample_values(channel, values, channel->width, &span, out);
}

/* Samples a rotation. Keys that are not unit quaternions, and values of splines, become unit. */
static void sample_rotation(const mrw_channel *channel, const float *values, const key_span *span,
                            float out[4])
{
    if (channel->interpolation == MRW_INTERPOLATION_LINEAR && span->between) {
        const float *key = values + (size_t)span->key * 4;
        slerp(key, key + 4, (float)span->t, out);
        return;
    }
    sample_values(channel, values, 4, span, out);
    mrwi_anim_make_unit(out);
}

void mrwi_anim_sample_channel(const mrw_sample_job *job, const mrw_channel *channel, double time,
                              uint32_t key)
{
    const mrw_scene *scene = job->poser->scene;
    const double *times = scene->key_times + channel->first_time;
    const float *values = scene->key_values + channel->first_value;
    const key_span span = span_at(times, channel->key_count, time, key);
    mrw_transform *local = &job->locals[channel->node];
    switch (channel->path) {
    case MRW_PATH_TRANSLATION:
        sample_values(channel, values, 3, &span, local->translation);
        break;
    case MRW_PATH_ROTATION:
        sample_rotation(channel, values, &span, local->rotation);
        break;
    case MRW_PATH_SCALE:
        sample_values(channel, values, 3, &span, local->scale);
        break;
    case MRW_PATH_VISIBILITY:
        mrwi_anim_show(job->animated, channel->node, values[span.key] != 0.0f);
        break;
    default:
        sample_values(channel, values, channel->width, &span,
                      job->weights + scene->nodes[channel->node].first_weight);
    }
}

void mrwi_anim_sample_clip(const mrw_sample_job *job)
{
    const mrw_scene *scene = job->poser->scene;
    const mrw_clip *clip = &scene->clips[job->clip];
    const double time = mrwi_anim_clamp_time(job->time, clip->duration);
    for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
        const mrw_channel *channel = &scene->channels[c];
        const double *times = scene->key_times + channel->first_time;
        mrwi_anim_sample_channel(job, channel, time,
                                 mrwi_anim_key_search(times, channel->key_count, time));
    }
}

/* ---- beyond the ends ------------------------------------------------------------------------- */

/* Unlimited cycles end here, so that their number fits in 32 bits. */
#define MOST_CYCLES 1e9

/* HOLD, and a SLOPE that is not straight, stay at the nearest key. The others play the keys again,
 * as FBX's SDK and Maya do (ufbx documents it): the first cycle after the last key begins with the
 * first key, or, when mirrored, goes back from the last. Behind the last cycle its end holds. */
mrwi_anim_place mrwi_anim_place_beyond(const mrw_channel *channel, const double *times, double time)
{
    const double first = times[0], last = times[channel->key_count - 1], period = last - first;
    bool backwards = time < first;
    const uint32_t how = backwards ? channel->before : channel->after;
    const uint32_t most = backwards ? channel->before_cycles : channel->after_cycles;
    if (how < MRW_EXTRAPOLATION_REPEAT) {
        return (mrwi_anim_place){backwards ? first : last, 0.0};
    }
    const double away = backwards ? first - time : time - last, limit = most ? most : MOST_CYCLES;
    double cycle = floor(away / period), within = away - cycle * period;
    if (!(cycle < limit)) {
        cycle = limit - 1.0;
        within = period;
    }
    const double moved = how == MRW_EXTRAPOLATION_REPEAT_RELATIVE ? cycle + 1.0 : 0.0;
    const double sign = backwards ? -1.0 : 1.0;
    if (how == MRW_EXTRAPOLATION_MIRROR && fmod(cycle, 2.0) == 0.0) {
        backwards = !backwards;
    }
    double at = backwards ? last - within : first + within;
    at = at < first ? first : at > last ? last : at; /* rounding may leave the range */
    return (mrwi_anim_place){at, sign * moved};
}
