/* keys.c: makes the curves of a clip whose rig has another rest pose than the model's. */
#include "retarget/adapter.h"

#include "anim/keys.h"
#include "anim/sample_spec.h"
#include "base/math.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Largest errors of sampled paths: degrees, parts of the hips' height, parts of a scale. */
#define MOST_DEGREES 0.05
#define MOST_WAY     0.0005
#define MOST_SCALE   0.0005

/* Each interval gets at most two to this power as many keys. If many nodes with keys of their own
 * are folded into one joint, the work grows with their square, so it is counted, too. */
#define MAX_DEPTH 6

/* ---- the file's curves ----------------------------------------------------------------------- */

static void cubic_at(const float *key, const float *next, uint32_t width, double delta, double t,
                     double *out)
{
    double h[4];
    mrwi_anim_cubic_weights(t, delta, h);
    for (uint32_t i = 0; i < width; i++) {
        out[i] = (h[0] * (double)key[width + i] + h[2] * (double)next[width + i]) +
                 (h[1] * (double)key[2 * width + i] + h[3] * (double)next[i]);
    }
}

static void between_rotations(const float *a, const float *b, double t, double out[4])
{
    double dot = 0;
    for (int i = 0; i < 4; i++) {
        dot += (double)a[i] * (double)b[i];
    }
    const double sign = dot < 0 ? -1 : 1;
    const double angle = mrwi_base_acos(fabs(dot) < 1 ? fabs(dot) : 1), sine = mrwi_base_sin(angle);
    const double of_a = sine > 1e-6 ? mrwi_base_sin((1 - t) * angle) / sine : 1 - t;
    const double of_b = sine > 1e-6 ? mrwi_base_sin(t * angle) / sine : t;
    for (int i = 0; i < 4; i++) {
        out[i] = of_a * (double)a[i] + sign * of_b * (double)b[i];
    }
}

static void sample(const mrw_scene *scene, const mrw_channel *channel, double time, double *out)
{
    const double *times = scene->key_times + channel->first_time;
    const bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const uint32_t width = channel->width;
    const uint32_t low = mrwi_anim_key_search(times, channel->key_count, time);
    const size_t stride = (size_t)width * (cubic ? 3 : 1);
    const float *key = scene->key_values + channel->first_value + low * stride;
    const bool inside = low + 1 < channel->key_count && time > times[low];
    const double delta = inside ? times[low + 1] - times[low] : 1;
    const double t = inside ? (time - times[low]) / delta : 0;
    if (!inside || channel->interpolation == MRW_INTERPOLATION_STEP) {
        for (uint32_t i = 0; i < width; i++) {
            out[i] = (double)key[(cubic ? width : 0) + i];
        }
    } else if (cubic) {
        cubic_at(key, key + stride, width, delta, t, out);
    } else if (width == 4) {
        between_rotations(key, key + stride, t, out);
    } else {
        for (uint32_t i = 0; i < width; i++) {
            out[i] = (double)key[i] + ((double)key[stride + i] - (double)key[i]) * t;
        }
    }
    if (width == 4) {
        mrwi_retarget_quat_unit(out);
    }
}

static bool varies(const mrw_scene *scene, const mrw_channel *channel)
{
    const bool cubic = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    const float *values = scene->key_values + channel->first_value;
    const size_t width = channel->width;
    for (uint32_t k = 0; k < channel->key_count && channel->key_count > 1; k++) {
        const float *key = values + k * width * (cubic ? 3 : 1), *first = values;
        if (!cubic && memcmp(key, first, width * sizeof *key) != 0) {
            return true;
        }
        for (size_t i = 0; i < width && cubic; i++) {
            if (key[i] != 0 || key[2 * width + i] != 0 || key[width + i] != first[width + i]) {
                return true;
            }
        }
    }
    return false;
}

/* ---- a joint in a clip ----------------------------------------------------------------------- */

/* A step, with the channels that move its node. */
typedef struct factor {
    uint32_t node;
    bool back;
    const mrw_channel *channel[3]; /* by path, or NULL */
    bool varies[3];
} factor;

typedef struct motion {
    mrwi_retarget_adapter *r; /* budgets, curves and arena; they change */
    const mrwi_retarget_joint_map *map;
    const mrwi_retarget_joint *joint;
    const mrw_scene *scene; /* the scene of the file */
    factor *terms;
    uint32_t count;
} motion;

static void part_at(const motion *m, const factor *term, uint32_t path, double time, double *out)
{
    const mrw_transform *rest = &m->scene->nodes[term->node].rest;
    const float *part = path == MRW_PATH_TRANSLATION ? rest->translation
                        : path == MRW_PATH_ROTATION  ? rest->rotation
                                                     : rest->scale;
    if (term->channel[path]) {
        sample(m->scene, term->channel[path], time, out);
        return;
    }
    for (int i = 0; i < (path == MRW_PATH_ROTATION ? 4 : 3); i++) {
        out[i] = (double)part[i];
    }
}

/* Computes the rotation of one step: its node, with the nodes above it that stand still. */
static void rotation_step(const motion *m, const factor *term, double time, double out[4])
{
    part_at(m, term, MRW_PATH_ROTATION, time, out);
    mrwi_retarget_quat_mul(m->map->between_rotation[term->node], out, out);
    if (term->back) {
        mrwi_retarget_quat_conjugate(out, out);
    }
}

static mrwi_retarget_affine affine_step(const motion *m, const factor *term, double time)
{
    double translation[3], rotation[4], scale[3];
    mrwi_retarget_affine local;
    if (term->channel[0] || term->channel[1] || term->channel[2]) {
        part_at(m, term, MRW_PATH_TRANSLATION, time, translation);
        part_at(m, term, MRW_PATH_ROTATION, time, rotation);
        part_at(m, term, MRW_PATH_SCALE, time, scale);
        local = mrwi_retarget_affine_of(translation, rotation, scale);
    } else {
        local = mrwi_retarget_rest_local(m->scene, term->node);
    }
    const mrwi_retarget_affine whole =
        mrwi_retarget_affine_mul(&m->map->between[term->node], &local);
    return term->back ? mrwi_retarget_affine_inverse(&whole) : whole;
}

/* Computes the product of steps begin ... end - 1. */
static void rotation_of_steps(const motion *m, uint32_t begin, uint32_t end, double time,
                              double out[4])
{
    memcpy(out, (const double[4]){0, 0, 0, 1}, 4 * sizeof *out);
    for (uint32_t i = begin; i < end; i++) {
        double q[4];
        rotation_step(m, &m->terms[i], time, q);
        mrwi_retarget_quat_mul(out, q, out);
    }
}

static mrwi_retarget_affine affine_of_steps(const motion *m, uint32_t begin, uint32_t end,
                                            double time)
{
    mrwi_retarget_affine out = mrwi_retarget_affine_identity();
    for (uint32_t i = begin; i < end; i++) {
        const mrwi_retarget_affine step = affine_step(m, &m->terms[i], time);
        out = mrwi_retarget_affine_mul(&out, &step);
    }
    return out;
}

/* Returns true if a step is the joint's own node or one of its links. */
static bool is_own(const motion *m, const factor *term)
{
    return !term->back && mrwi_retarget_rig_joint(m->map->def.from, term->node) == m->joint->node;
}

/* Computes the value of the model's joint at a time. */
static void value_at(const motion *m, uint32_t path, double time, double *out)
{
    if (path == MRW_PATH_ROTATION) {
        rotation_of_steps(m, 0, m->count, time, out);
        mrwi_retarget_quat_mul(m->joint->before, out, out);
        mrwi_retarget_quat_mul(out, m->joint->after, out);
        mrwi_retarget_quat_unit(out);
    } else if (path == MRW_PATH_TRANSLATION) {
        const mrwi_retarget_affine place = affine_of_steps(m, 0, m->count, time);
        mrwi_retarget_affine_point(&m->joint->path, place.m + 9, out);
    } else {
        double product[3] = {1, 1, 1}, part[3];
        for (uint32_t i = 0; i < m->count; i++) {
            if (is_own(m, &m->terms[i])) {
                part_at(m, &m->terms[i], path, time, part);
                for (int k = 0; k < 3; k++) {
                    product[k] *= part[k];
                }
            }
        }
        for (int k = 0; k < 3; k++) {
            out[k] = product[m->joint->axis[k]] * m->joint->scale[k];
        }
    }
}

/* ---- new curves ------------------------------------------------------------------------------ */

static float to_float(double x)
{
    return x > FLT_MAX ? FLT_MAX : x < -FLT_MAX ? -FLT_MAX : x == x ? (float)x : 0.0f;
}

static uint32_t width_of(uint32_t path)
{
    return path == MRW_PATH_ROTATION ? 4 : 3;
}

static mrw_status charge(mrwi_retarget_adapter *r, uint64_t keys, mrw_error *error)
{
    if (keys > r->keys_left || r->steps_left == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: folding the motion of its clips into the joints of the model "
                              "needs too many keys; --retarget off plays the clips as they are",
                              r->map.def.name);
    }
    r->keys_left -= keys;
    return MRW_OK;
}

static mrw_status out_of_memory(mrw_error *error, uint64_t keys)
{
    return mrwi_base_fail_memory(error, (size_t)keys * 20);
}

static void add_curve(const motion *m, uint32_t path, uint32_t interpolation, uint32_t count,
                      const double *times, const float *values)
{
    m->r->curves[m->r->curve_count++] =
        (mrwi_retarget_curve){m->joint->base, path, interpolation, count, NULL, times, values};
}

/* Puts each rotation of a LINEAR curve on the side of the one before it. */
static void align(float *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        float *q = values + 4 * (size_t)k;
        double dot = 0;
        for (int i = 0; i < 4 && k > 0; i++) {
            dot += (double)q[i] * (double)q[i - 4];
        }
        for (int i = 0; i < 4 && dot < 0; i++) {
            q[i] = -q[i];
        }
    }
}

static mrw_status constant_curve(const motion *m, uint32_t path, mrw_error *error)
{
    double value[4];
    double *time = mrwi_base_arena_alloc(&m->r->arena, 1, sizeof *time);
    float *values = mrwi_base_arena_alloc(&m->r->arena, 4, sizeof *values);
    if (!time || !values) {
        return out_of_memory(error, 1);
    }
    value_at(m, path, 0, value);
    *time = 0;
    for (uint32_t i = 0; i < width_of(path); i++) {
        values[i] = to_float(value[i]);
    }
    add_curve(m, path, MRW_INTERPOLATION_STEP, 1, time, values);
    return charge(m->r, 1, error);
}

/* How one varying channel becomes the joint's. */
typedef struct key_map {
    const mrw_channel *channel;
    uint32_t path;
    bool as_it_is, conjugate;
    double before[4], after[4];  /* for rotations */
    mrwi_retarget_affine affine; /* for all other paths */
} key_map;

/* Maps a key's value (part 1) or tangent (part 0 or 2). */
static void map_key(const key_map *map, const float *in, int part, float *out)
{
    double v[4];
    for (uint32_t i = 0; i < width_of(map->path); i++) {
        v[i] = (double)in[i];
    }
    if (map->path != MRW_PATH_ROTATION) {
        (part == 1 ? mrwi_retarget_affine_point : mrwi_retarget_affine_vector)(&map->affine, v, v);
    } else {
        if (map->conjugate) {
            mrwi_retarget_quat_conjugate(v, v);
        }
        mrwi_retarget_quat_mul(map->before, v, v);
        mrwi_retarget_quat_mul(v, map->after, v);
        if (map->channel->interpolation != MRW_INTERPOLATION_CUBICSPLINE) {
            mrwi_retarget_quat_unit(v);
        }
    }
    for (uint32_t i = 0; i < width_of(map->path); i++) {
        out[i] = to_float(v[i]);
    }
}

static mrw_status mapped_curve(const motion *m, const key_map *map, mrw_error *error)
{
    const mrw_channel *channel = map->channel;
    const int parts = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const size_t width = width_of(map->path), count = channel->key_count * (size_t)parts;
    const float *in = m->scene->key_values + channel->first_value;
    mrw_status status = charge(m->r, channel->key_count, error);
    if (status) {
        return status;
    }
    float *out = mrwi_base_arena_alloc(&m->r->arena, count * width, sizeof *out);
    if (!out) {
        return out_of_memory(error, channel->key_count);
    }
    if (map->as_it_is) {
        memcpy(out, in, count * width * sizeof *out);
    }
    for (size_t k = 0; k < count && !map->as_it_is; k++) {
        map_key(map, in + k * width, parts == 3 ? (int)(k % 3) : 1, out + k * width);
    }
    if (map->path == MRW_PATH_ROTATION && channel->interpolation == MRW_INTERPOLATION_LINEAR &&
        !map->as_it_is) {
        align(out, channel->key_count);
    }
    add_curve(m, map->path, channel->interpolation, channel->key_count,
              m->scene->key_times + channel->first_time, out);
    m->r->curves[m->r->curve_count - 1].like = channel;
    return MRW_OK;
}

/* ---- sampling -------------------------------------------------------------------------------- */

typedef struct samples {
    const motion *m;
    uint32_t path, width;
    double *times;
    float *values;
    size_t count;
} samples; /* without arrays, samples are only counted */

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool counts(const factor *term, uint32_t path, uint32_t of)
{
    return term->varies[of] && (path == MRW_PATH_TRANSLATION || of == path);
}

/* Lists the times of all keys that count, sorted, each once. If steps are mixed with other keys, it
 * adds times just before the steps. */
static mrw_status key_times(const motion *m, uint32_t path, double **times, size_t *count,
                            bool *steps, mrw_error *error)
{
    uint64_t keys = 0;
    bool smooth = false, step = false;
    for (uint32_t i = 0; i < 3 * m->count; i++) {
        const factor *term = &m->terms[i / 3];
        if (counts(term, path, i % 3)) {
            keys += 2 * (uint64_t)term->channel[i % 3]->key_count;
            bool is_step = term->channel[i % 3]->interpolation == MRW_INTERPOLATION_STEP;
            step = step || is_step;
            smooth = smooth || !is_step;
        }
    }
    mrw_status status = charge(m->r, keys, error);
    if (status) {
        return status;
    }
    *times = mrwi_base_arena_alloc(&m->r->arena, (size_t)keys, sizeof **times);
    if (!*times) {
        return out_of_memory(error, keys);
    }
    size_t n = 0, kept = 0;
    for (uint32_t i = 0; i < 3 * m->count; i++) {
        const factor *term = &m->terms[i / 3];
        if (!counts(term, path, i % 3)) {
            continue;
        }
        const mrw_channel *channel = term->channel[i % 3];
        const double *own = m->scene->key_times + channel->first_time;
        for (uint32_t k = 0; k < channel->key_count; k++) {
            (*times)[n++] = own[k];
            /* no picture is taken between the two */
            const double before = own[k] - own[k] * 0x1p-50;
            if (k > 0 && smooth && before > own[k - 1] &&
                channel->interpolation == MRW_INTERPOLATION_STEP) {
                (*times)[n++] = before;
            }
        }
    }
    qsort(*times, n, sizeof **times, compare_times);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || (*times)[i] > (*times)[kept - 1]) {
            (*times)[kept++] = (*times)[i];
        }
    }
    *count = kept;
    *steps = step && !smooth;
    return MRW_OK;
}

/* Returns the error of the straight path from a to b at t, relative to the largest allowed one. */
static double error_at(const samples *s, const double *a, const double *b, double t,
                       const double *want)
{
    if (s->path == MRW_PATH_ROTATION) {
        float of_a[4], of_b[4];
        double q[4], back[4];
        for (int i = 0; i < 4; i++) {
            of_a[i] = (float)a[i];
            of_b[i] = (float)b[i];
        }
        between_rotations(of_a, of_b, t, q);
        mrwi_retarget_quat_unit(q);
        mrwi_retarget_quat_conjugate(want, back);
        mrwi_retarget_quat_mul(back, q, q);
        return mrwi_retarget_quat_degrees(q) / MOST_DEGREES;
    }
    double most = 0;
    const double unit = s->path == MRW_PATH_SCALE ? MOST_SCALE : MOST_WAY * s->m->joint->unit;
    for (int i = 0; i < 3; i++) {
        const double off = fabs(a[i] + (b[i] - a[i]) * t - want[i]) / unit;
        most = off > most ? off : most;
    }
    return most;
}

static void put(samples *s, double time, const double *value)
{
    if (s->times) {
        s->times[s->count] = time;
    }
    for (uint32_t i = 0; i < s->width && s->values; i++) {
        s->values[s->count * s->width + i] = to_float(value[i]);
    }
    s->count++;
}

/* Computes value_at, as long as steps are left. */
static void sample_at(const samples *s, double time, double *out)
{
    uint64_t *left = &s->m->r->steps_left;
    *left -= s->m->count < *left ? s->m->count : *left;
    if (*left > 0) {
        value_at(s->m, s->path, time, out);
    }
}

/* Puts the samples that are needed between two others. */
static void refine(samples *s, double from, const double *a, double to, const double *b, int depth)
{
    double middle[4] = {0};
    const double half = from + (to - from) * 0.5;
    if (depth == MAX_DEPTH || !(half > from && half < to) || to - from < 1e-5 ||
        s->m->r->steps_left == 0) {
        return;
    }
    bool off = false;
    for (int i = 1; i < 4; i++) {
        double want[4] = {0};
        const double t = 0.25 * i;
        sample_at(s, from + (to - from) * t, want);
        off = off || error_at(s, a, b, t, want) > 1;
        if (i == 2) {
            memcpy(middle, want, sizeof middle);
        }
    }
    if (off) {
        refine(s, from, a, half, middle, depth + 1);
        put(s, half, middle);
        refine(s, half, middle, to, b, depth + 1);
    }
}

static void put_samples(samples *s, const double *times, size_t count, bool steps)
{
    double value[4] = {0}, next[4] = {0};
    for (size_t k = 0; k < count; k++) {
        sample_at(s, times[k], next);
        if (k > 0 && !steps) {
            refine(s, times[k - 1], value, times[k], next, 0);
        }
        put(s, times[k], next);
        memcpy(value, next, sizeof value);
    }
}

static mrw_status sampled_curve(const motion *m, uint32_t path, mrw_error *error)
{
    samples s = {.m = m, .path = path, .width = width_of(path)};
    double *times = NULL;
    size_t count = 0;
    bool steps = false;
    mrw_status status = key_times(m, path, &times, &count, &steps, error);
    if (status) {
        return status;
    }
    put_samples(&s, times, count, steps);
    status = charge(m->r, s.count, error);
    if (status) {
        return status;
    }
    s.times = mrwi_base_arena_alloc(&m->r->arena, s.count, sizeof *s.times);
    s.values = mrwi_base_arena_alloc(&m->r->arena, s.count * s.width, sizeof *s.values);
    if (!s.times || !s.values) {
        return out_of_memory(error, s.count);
    }
    s.count = 0;
    put_samples(&s, times, count, steps);
    status = charge(m->r, 0, error);
    if (status) {
        return status;
    }
    if (path == MRW_PATH_ROTATION) {
        align(s.values, (uint32_t)s.count);
    }
    add_curve(m, path, steps ? MRW_INTERPOLATION_STEP : MRW_INTERPOLATION_LINEAR, (uint32_t)s.count,
              s.times, s.values);
    return status;
}

/* ---- the paths of a joint -------------------------------------------------------------------- */

/* Returns the only term that varies in a path; MRW_NONE if there is none, m->count if there are
 * several. */
static uint32_t only_varying(const motion *m, uint32_t path)
{
    uint32_t found = MRW_NONE;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->terms[i].varies[path]) {
            found = found == MRW_NONE ? i : m->count;
        }
    }
    return found;
}

static bool has(const motion *m, uint32_t path)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->terms[i].channel[path]) {
            return true;
        }
    }
    return false;
}

/* Returns true if the model's joint has links. These stay at rest, so the joint's keys must not
 * contain their effect. */
static bool has_links(const motion *m)
{
    return mrwi_retarget_rig_next_link(m->map->def.base, m->joint->base) != MRW_NONE;
}

static mrw_status make_rotation(const motion *m, mrw_error *error)
{
    const uint32_t one = only_varying(m, MRW_PATH_ROTATION);
    if (!has(m, MRW_PATH_ROTATION)) {
        return MRW_OK;
    }
    if (m->joint->same_rotations && m->count == 1 && !has_links(m)) {
        const key_map same = {.channel = m->terms[0].channel[MRW_PATH_ROTATION],
                              .path = MRW_PATH_ROTATION,
                              .as_it_is = true};
        return mapped_curve(m, &same, error);
    }
    if (one == MRW_NONE) {
        return constant_curve(m, MRW_PATH_ROTATION, error);
    }
    if (one == m->count) {
        return sampled_curve(m, MRW_PATH_ROTATION, error);
    }
    const factor *term = &m->terms[one];
    key_map map = {.channel = term->channel[MRW_PATH_ROTATION],
                   .path = MRW_PATH_ROTATION,
                   .conjugate = term->back};
    double between[4];
    rotation_of_steps(m, 0, one, 0, map.before);
    mrwi_retarget_quat_mul(m->joint->before, map.before, map.before);
    rotation_of_steps(m, one + 1, m->count, 0, map.after);
    mrwi_retarget_quat_mul(map.after, m->joint->after, map.after);
    memcpy(between, m->map->between_rotation[term->node], sizeof between);
    if (term->back) {
        mrwi_retarget_quat_conjugate(between, between);
        mrwi_retarget_quat_mul(between, map.after, map.after);
    } else {
        mrwi_retarget_quat_mul(map.before, between, map.before);
    }
    return mapped_curve(m, &map, error);
}

/* Returns true if something above the joint itself turns or scales its frame. */
static bool bends(const motion *m)
{
    for (uint32_t i = 0; i + 1 < m->count; i++) {
        if (m->terms[i].varies[MRW_PATH_ROTATION] || m->terms[i].varies[MRW_PATH_SCALE]) {
            return true;
        }
    }
    return m->count > 0 && m->terms[m->count - 1].back;
}

static bool moves(const motion *m)
{
    bool any = false;
    for (uint32_t i = 0; i < 3 * m->count; i++) {
        any = any || m->terms[i / 3].varies[i % 3];
    }
    return any;
}

static mrw_status make_translation(const motion *m, mrw_error *error)
{
    const bool bent = bends(m);
    const uint32_t one = only_varying(m, MRW_PATH_TRANSLATION);
    if (!m->joint->travels || !(has(m, MRW_PATH_TRANSLATION) || bent)) {
        return MRW_OK;
    }
    if (!moves(m)) {
        return constant_curve(m, MRW_PATH_TRANSLATION, error);
    }
    if (bent || one == m->count || (one != MRW_NONE && m->terms[one].back)) {
        return sampled_curve(m, MRW_PATH_TRANSLATION, error);
    }
    if (one == MRW_NONE) {
        return constant_curve(m, MRW_PATH_TRANSLATION, error);
    }
    /* The place is that of the translation t plus a constant: (prefix) (t + own). */
    factor still = m->terms[one];
    still.channel[MRW_PATH_TRANSLATION] = NULL;
    const mrwi_retarget_affine above = affine_of_steps(m, 0, one, 0);
    const mrwi_retarget_affine prefix =
        mrwi_retarget_affine_mul(&above, &m->map->between[m->terms[one].node]);
    const mrwi_retarget_affine below = affine_of_steps(m, one + 1, m->count, 0);
    double rotation[4], scale[3];
    const double none[3] = {0, 0, 0};
    part_at(m, &still, MRW_PATH_ROTATION, 0, rotation);
    part_at(m, &still, MRW_PATH_SCALE, 0, scale);
    const mrwi_retarget_affine own = mrwi_retarget_affine_of(none, rotation, scale);
    key_map map = {.channel = m->terms[one].channel[MRW_PATH_TRANSLATION],
                   .path = MRW_PATH_TRANSLATION};
    mrwi_retarget_affine shift = mrwi_retarget_affine_identity();
    mrwi_retarget_affine_point(&own, below.m + 9, shift.m + 9);
    const mrwi_retarget_affine place = mrwi_retarget_affine_mul(&prefix, &shift);
    map.affine = mrwi_retarget_affine_mul(&m->joint->path, &place);
    return mapped_curve(m, &map, error);
}

/* Returns true if scales stay as they are at rest. Files are full of scales of one with an error in
 * the last place. */
static bool scales_as_at_rest(const motion *m)
{
    const float *rest = m->map->def.base->scene->nodes[m->joint->base].rest.scale;
    double value[4];
    value_at(m, MRW_PATH_SCALE, 0, value);
    for (int k = 0; k < 3; k++) {
        if (fabs(value[k] - (double)rest[k]) > 1e-3 * fabs((double)rest[k])) {
            return false;
        }
    }
    return true;
}

static mrw_status make_scale(const motion *m, mrw_error *error)
{
    uint32_t one = MRW_NONE, several = 0;
    bool any = false;
    for (uint32_t i = 0; i < m->count; i++) {
        if (is_own(m, &m->terms[i])) {
            any = any || m->terms[i].channel[MRW_PATH_SCALE];
            several += m->terms[i].varies[MRW_PATH_SCALE];
            one = m->terms[i].varies[MRW_PATH_SCALE] ? i : one;
        }
    }
    if (!any) {
        return MRW_OK;
    }
    if (several == 0) {
        return scales_as_at_rest(m) ? MRW_OK : constant_curve(m, MRW_PATH_SCALE, error);
    }
    if (several > 1) {
        return sampled_curve(m, MRW_PATH_SCALE, error);
    }
    key_map map = {.channel = m->terms[one].channel[MRW_PATH_SCALE], .path = MRW_PATH_SCALE};
    double others[3] = {1, 1, 1}, part[3];
    for (uint32_t i = 0; i < m->count; i++) {
        if (i != one && is_own(m, &m->terms[i])) {
            part_at(m, &m->terms[i], MRW_PATH_SCALE, 0, part);
            for (int k = 0; k < 3; k++) {
                others[k] *= part[k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        const int axis = m->joint->axis[k];
        map.affine.m[3 * axis + k] = others[axis] * m->joint->scale[k];
    }
    return mapped_curve(m, &map, error);
}

/* ---- a clip ---------------------------------------------------------------------------------- */

static mrw_status make_joint(mrwi_retarget_adapter *r, const mrwi_retarget_joint *joint,
                             mrw_error *error)
{
    motion m = {.r = r,
                .map = &r->map,
                .joint = joint,
                .scene = r->map.def.from->scene,
                .count = joint->step_count};
    m.terms = mrwi_base_arena_alloc(&r->arena, m.count, sizeof *m.terms);
    if (!m.terms) {
        return out_of_memory(error, m.count);
    }
    for (uint32_t i = 0; i < m.count; i++) {
        const mrwi_retarget_step *step = &r->map.steps.list[joint->first_step + i];
        factor *term = &m.terms[i];
        *term = (factor){.node = step->node, .back = step->back};
        for (int path = 0; path < 3; path++) {
            const uint32_t channel = r->channels[step->node][path];
            term->channel[path] = channel > 0 ? &m.scene->channels[channel - 1] : NULL;
            term->varies[path] = channel > 0 && varies(m.scene, term->channel[path]);
        }
    }
    mrw_status status = make_translation(&m, error);
    if (status) {
        return status;
    }
    status = make_rotation(&m, error);
    if (status) {
        return status;
    }
    return make_scale(&m, error);
}

mrw_status mrwi_retarget_adapt_clip(mrwi_retarget_adapter *r, uint32_t index, mrw_error *error)
{
    const mrwi_retarget_joint_map *map = &r->map;
    const mrw_scene *from = map->def.from->scene;
    const mrw_clip *clip = &from->clips[index];
    const uint32_t begin = clip->first_channel, end = begin + clip->channel_count;
    mrw_status status = MRW_OK;
    mrwi_base_arena_reset(&r->arena);
    r->curve_count = 0;
    for (uint32_t c = begin; c < end; c++) {
        if (from->channels[c].path < MRW_PATH_WEIGHTS) {
            r->channels[from->channels[c].node][from->channels[c].path] = c + 1;
        }
    }
    for (uint32_t c = begin; c < end && !status; c++) {
        const uint32_t node = from->channels[c].node;
        if (from->channels[c].path == MRW_PATH_WEIGHTS) {
            continue;
        }
        for (uint32_t d = map->dependents.first[node];
             d < map->dependents.first[node + 1] && !status; d++) {
            const uint32_t joint = map->dependents.joints[d];
            if (r->done[joint] != index + 1) {
                r->done[joint] = index + 1;
                status = make_joint(r, &map->joints[joint], error);
            }
        }
    }
    for (uint32_t c = begin; c < end; c++) {
        if (from->channels[c].path < MRW_PATH_WEIGHTS) {
            r->channels[from->channels[c].node][from->channels[c].path] = 0;
        }
    }
    return status;
}
