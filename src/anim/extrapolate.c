/* extrapolate.c: channels before their first key and after their last one.
 *
 * Few files have any, so this works channel by channel and in double. mrwi_anim_place_beyond finds
 * the time between the keys that counts. */
#include "anim/extrapolate.h"

#include "anim/keys.h"
#include "anim/mix.h"
#include "anim/poser.h"
#include "anim/sample_spec.h"
#include "anim/unit.h"
#include "base/math.h"

#include <float.h>

/* ---- values ---------------------------------------------------------------------------------- */

/* Two keys and a time between them, or beyond: t is then below 0 or above 1. */
typedef struct segment {
    const float *a, *b; /* the keys; b is a if there is no second key */
    double t;
    double seconds;
} segment;

static segment segment_at(const mrw_channel *channel, const double *times, const float *values,
                          double time)
{
    const size_t row = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE
                           ? 3 * (size_t)channel->width
                           : channel->width;
    const uint32_t count = channel->key_count;
    uint32_t key = mrwi_anim_key_search(times, count, time);
    key = key + 1 == count && count > 1 ? count - 2 : key;
    if (count == 1) {
        return (segment){values, values, 0.0, 0.0};
    }
    const double seconds = times[key + 1] - times[key];
    return (segment){values + key * row, values + (key + 1) * row, (time - times[key]) / seconds,
                     seconds};
}

static double clamped(double value)
{
    return value < -(double)FLT_MAX  ? -(double)FLT_MAX
           : value < (double)FLT_MAX ? value
                                     : (double)FLT_MAX;
}

/* Computes a component of a value; at a key it is the key, to the bit. */
static double component(const mrw_channel *channel, const segment *s, uint32_t i)
{
    if (channel->interpolation == MRW_INTERPOLATION_STEP) {
        return (double)(s->t < 1.0 ? s->a[i] : s->b[i]);
    }
    if (channel->interpolation == MRW_INTERPOLATION_LINEAR) {
        const double a = (double)s->a[i], b = (double)s->b[i];
        return s->t == 1.0 || a == b ? b : a + (b - a) * s->t; /* t may be infinite */
    }
    /* a key is in-tangent, value, out-tangent; glTF 2.0, appendix C.5 */
    const uint32_t w = channel->width;
    const double t = s->t, t2 = t * t, t3 = t2 * t;
    const double a = (double)s->a[w + i], b = (double)s->b[w + i];
    return s->a == s->b ? a
                        : ((2.0 * t3 - 3.0 * t2 + 1.0) * a + (3.0 * t2 - 2.0 * t3) * b) +
                              s->seconds * ((t3 - 2.0 * t2 + t) * (double)s->a[2 * w + i] +
                                            (t3 - t2) * (double)s->b[i]);
}

/* Turns from a to b at constant speed, and further if t is outside of 0 ... 1. Shoemake, "Animating
 * rotation with quaternion curves" (1985). */
static mrwi_anim_quat slerp(const mrwi_anim_quat *a, const mrwi_anim_quat *b, double t)
{
    double apart = 0.0, together = 0.0;
    for (int i = 0; i < 4; i++) {
        apart += (b->v[i] - a->v[i]) * (b->v[i] - a->v[i]);
        together += (b->v[i] + a->v[i]) * (b->v[i] + a->v[i]);
    }
    const double angle = 2.0 * mrwi_base_atan2(sqrt(apart), sqrt(together));
    const double sine = mrwi_base_sin(angle);
    if (sine < 1e-9) {
        return *a;
    }
    const double whole = 2.0 * MRWI_BASE_PI;
    const double wa = mrwi_base_sin(fmod((1.0 - t) * angle, whole)) / sine;
    const double wb = mrwi_base_sin(fmod(t * angle, whole)) / sine;
    mrwi_anim_quat q;
    for (int i = 0; i < 4; i++) {
        q.v[i] = wa * a->v[i] + wb * b->v[i];
    }
    return mrwi_anim_quat_unit(&q);
}

static mrwi_anim_quat rotation(const mrw_channel *channel, const segment *s)
{
    if (channel->interpolation == MRW_INTERPOLATION_LINEAR && s->t != 0.0 && s->t != 1.0) {
        const mrwi_anim_quat a = mrwi_anim_quat_load(s->a), b = mrwi_anim_quat_load(s->b);
        return slerp(&a, &b, s->t);
    }
    mrwi_anim_quat q;
    for (uint32_t i = 0; i < 4; i++) {
        q.v[i] = component(channel, s, i);
    }
    return q;
}

/* ---- cycles that go on from where they ended ------------------------------------------------- */

static mrwi_anim_quat power(mrwi_anim_quat q, uint32_t exponent)
{
    mrwi_anim_quat out = {{0.0, 0.0, 0.0, 1.0}};
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1u) {
            out = mrwi_anim_quat_mul(&q, &out);
            out = mrwi_anim_quat_unit(&out);
        }
        q = mrwi_anim_quat_mul(&q, &q);
        q = mrwi_anim_quat_unit(&q);
    }
    return out;
}

static mrwi_anim_quat turned(const mrw_channel *channel, const double *times, const float *values,
                             double cycles, const mrwi_anim_quat *q)
{
    const segment start = segment_at(channel, times, values, times[0]);
    const segment end = segment_at(channel, times, values, times[channel->key_count - 1]);
    const mrwi_anim_quat first = rotation(channel, &start), last = rotation(channel, &end);
    const mrwi_anim_quat back = mrwi_anim_quat_conjugate(&first);
    mrwi_anim_quat step = mrwi_anim_quat_mul(&last, &back);
    if (cycles < 0.0) {
        step = mrwi_anim_quat_conjugate(&step);
    }
    step = power(mrwi_anim_quat_unit(&step), (uint32_t)fabs(cycles));
    return mrwi_anim_quat_mul(&step, q);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_rotation(const mrw_channel *channel, const double *times, const float *values,
                           const mrwi_anim_place *at, float *out)
{
    const segment s = segment_at(channel, times, values, at->time);
    mrwi_anim_quat q = rotation(channel, &s);
    if (at->cycles != 0.0) {
        q = turned(channel, times, values, at->cycles, &q);
    }
    for (int i = 0; i < 4; i++) {
        out[i] = (float)q.v[i];
    }
    mrwi_anim_make_unit(out);
}

static void write_values(const mrw_channel *channel, const double *times, const float *values,
                         const mrwi_anim_place *at, float *out)
{
    const segment s = segment_at(channel, times, values, at->time);
    const segment start = segment_at(channel, times, values, times[0]);
    const segment end = segment_at(channel, times, values, times[channel->key_count - 1]);
    for (uint32_t i = 0; i < channel->width; i++) {
        double value = component(channel, &s, i);
        if (at->cycles != 0.0) {
            value += at->cycles * (component(channel, &end, i) - component(channel, &start, i));
        }
        out[i] = (float)clamped(value);
    }
}

static void extrapolate_channel(const mrw_sample_job *job, const mrw_channel *channel, double time)
{
    const mrw_scene *scene = job->poser->scene;
    const double *times = scene->key_times + channel->first_time;
    const float *values = scene->key_values + channel->first_value;
    mrw_transform *local = &job->locals[channel->node];
    mrwi_anim_place at = {time, 0.0};
    if (time < times[0] || time > times[channel->key_count - 1]) {
        const uint32_t how = time < times[0] ? channel->before : channel->after;
        const bool straight =
            how == MRW_EXTRAPOLATION_SLOPE && channel->interpolation == MRW_INTERPOLATION_LINEAR;
        at = straight ? at : mrwi_anim_place_beyond(channel, times, time);
    } else if (time >= 0.0) {
        return; /* the kernel's result is right */
    }
    switch (channel->path) {
    case MRW_PATH_TRANSLATION:
        write_values(channel, times, values, &at, local->translation);
        break;
    case MRW_PATH_ROTATION:
        write_rotation(channel, times, values, &at, local->rotation);
        break;
    case MRW_PATH_SCALE:
        write_values(channel, times, values, &at, local->scale);
        break;
    case MRW_PATH_VISIBILITY: {
        float shown;
        write_values(channel, times, values, &at, &shown);
        mrwi_anim_show(job->animated, channel->node, shown != 0.0f);
        break;
    }
    default:
        write_values(channel, times, values, &at,
                     job->weights + scene->nodes[channel->node].first_weight);
    }
}

void mrwi_anim_extrapolate(const mrw_sample_job *job)
{
    const mrw_poser *poser = job->poser;
    const mrwi_anim_clip_plan *plan = &poser->clips.plans[job->clip];
    const double duration = poser->scene->clips[job->clip].duration;
    double time = job->time;
    if (!job->beyond || !isfinite(time)) {
        time = mrwi_anim_clamp_time(time, duration);
    }
    for (uint32_t i = 0; i < plan->beyond_count; i++) {
        extrapolate_channel(
            job, &poser->scene->channels[poser->clips.beyond[plan->first_beyond + i]], time);
    }
}
