/* retarget_fixture.h: rigs that a test writes as glTF, and an evaluator of them in double
 * precision. It knows nothing of retargeting, and uses libm. */
#ifndef RETARGET_FIXTURE_H
#define RETARGET_FIXTURE_H

#include "load_gltf.h"

#include <marrow/clips.h>
#include <marrow/load.h>

#include <math.h>

/* ---- the evaluator --------------------------------------------------------------------------- */

typedef struct quat {
    double x, y, z, w;
} quat;

typedef struct vec {
    double x, y, z;
} vec;

static inline quat times(quat a, quat b)
{
    return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                  a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline quat back(quat q)
{
    return (quat){-q.x, -q.y, -q.z, q.w};
}

static inline quat unit(quat q)
{
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

static inline vec turned(quat q, vec v)
{
    quat p = times(times(q, (quat){v.x, v.y, v.z, 0}), back(q));
    return (vec){p.x, p.y, p.z};
}

static inline quat about(double x, double y, double z, double degrees)
{
    double n = sqrt(x * x + y * y + z * z), a = degrees * acos(-1) / 360;
    return (quat){x / n * sin(a), y / n * sin(a), z / n * sin(a), cos(a)};
}

/* Degrees between two. */
static inline double apart(quat a, quat b)
{
    quat d = times(back(a), b);
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * 180 / acos(-1);
}

/* A channel at a time. */
static inline void channel_at(const mrw_scene *s, const mrw_channel *c, double t, double *out)
{
    const double *at = s->key_times + c->first_time;
    const float *v = s->key_values + c->first_value;
    uint32_t k = 0, w = c->width, cubic = c->interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    while (k + 1 < c->key_count && at[k + 1] <= t) {
        k++;
    }
    const float *a = v + k * w * (cubic ? 3 : 1) + (cubic ? w : 0), *b = a + w * (cubic ? 3 : 1);
    bool last = k + 1 == c->key_count || t <= at[k] || c->interpolation == MRW_INTERPOLATION_STEP;
    double d = last ? 1 : at[k + 1] - at[k], f = last ? 0 : (t - at[k]) / d, dot = 0, wa, wb;
    for (uint32_t i = 0; i < w; i++) {
        dot += last ? 1 : (double)a[i] * (double)b[i];
    }
    double angle = acos(fmin(1, fabs(dot)));
    wa = w == 4 && angle > 1e-4 ? sin((1 - f) * angle) / sin(angle) : 1 - f;
    wb = w == 4 && angle > 1e-4 ? sin(f * angle) / sin(angle) : f;
    wb = w == 4 && dot < 0 ? -wb : wb;
    for (uint32_t i = 0; i < w; i++) {
        out[i] = (double)a[i];
        if (!last && cubic) {
            double p = f * f * f, q = f * f;
            out[i] = (2 * p - 3 * q + 1) * (double)a[i] + d * (p - 2 * q + f) * (double)a[i + w] +
                     (3 * q - 2 * p) * (double)b[i] + d * (p - q) * (double)*(b + i - w);
        } else if (!last) {
            out[i] = wa * (double)a[i] + wb * (double)b[i];
        }
    }
}

typedef struct placed {
    quat turn;
    vec place;
    double scale;
} placed;

/* Where a node is; clip MRW_NONE: at rest. Scales are uniform here. */
static inline placed node_at(const mrw_scene *s, uint32_t node, uint32_t clip, double t)
{
    const mrw_transform *rest = &s->nodes[node].rest;
    double v[3][4];
    for (int i = 0; i < 4; i++) {
        v[1][i] = (double)rest->rotation[i];
        v[0][i] = i < 3 ? (double)rest->translation[i] : 0;
        v[2][i] = i < 3 ? (double)rest->scale[i] : 0;
    }
    if (clip != MRW_NONE) {
        const mrw_clip *c = &s->clips[clip];
        for (uint32_t k = c->first_channel; k < c->first_channel + c->channel_count; k++) {
            if (s->channels[k].node == node && s->channels[k].path < 3) {
                channel_at(s, &s->channels[k], t, v[s->channels[k].path]);
            }
        }
    }
    placed out = {
        unit((quat){v[1][0], v[1][1], v[1][2], v[1][3]}), {v[0][0], v[0][1], v[0][2]}, v[2][0]};
    if (s->nodes[node].parent != MRW_NONE) {
        placed up = node_at(s, s->nodes[node].parent, clip, t);
        vec p = turned(up.turn, out.place);
        out.place = (vec){up.place.x + up.scale * p.x, up.place.y + up.scale * p.y,
                          up.place.z + up.scale * p.z};
        out.turn = times(up.turn, out.turn);
        out.scale *= up.scale;
    }
    return out;
}

/* ---- rigs ------------------------------------------------------------------------------------ */

/* One node of a rig that a test writes; moves: which paths a clip moves, how. */
typedef struct bone {
    const char *name;
    int parent; /* before it, or -1 */
    vec place;
    quat rest;
    int turns; /* 0: no; 1 + mrw_interpolation */
    bool travels;
    double scale; /* 0: 1 */
} bone;

static uint64_t seed;

static inline double any(double low, double high)
{
    return test_random_double(&seed, low, high);
}

static inline quat any_turn(double degrees)
{
    double x = any(-1, 1), y = any(-1, 1), z = any(-1, 1) + 0.01;
    return about(x, y, z, any(-degrees, degrees));
}

#define KEYS 5

/* The keys of a turn from the rest; the curve is none of those that repeat a step. */
static inline size_t put_turns(quat rest, bool cubic, bool from_rest)
{
    float values[KEYS * 12];
    int n = 0;
    for (int k = 0; k < KEYS; k++) {
        quat q = k == 0 && from_rest ? rest : times(rest, any_turn(60));
        for (int part = 0; part < (cubic ? 3 : 1); part++) {
            bool value = !cubic || part == 1;
            values[n++] = (float)(value ? q.x : any(-0.4, 0.4));
            values[n++] = (float)(value ? q.y : any(-0.4, 0.4));
            values[n++] = (float)(value ? q.z : any(-0.4, 0.4));
            values[n++] = (float)(value ? q.w : any(-0.1, 0.1));
        }
    }
    return put_bytes(values, (size_t)n * sizeof *values);
}

static inline size_t put_ways(vec rest)
{
    float values[KEYS * 3];
    for (int k = 0; k < KEYS; k++) {
        values[3 * k] = (float)(rest.x + any(-0.5, 0.5));
        values[3 * k + 1] = (float)(rest.y + any(-0.5, 0.5));
        values[3 * k + 2] = (float)(rest.z + any(-0.5, 0.5));
    }
    return put_bytes(values, sizeof values);
}

static char nodes[20000], accessors[20000], samplers[20000], channels[20000], extra[2000];

#define ADD(to, ...) snprintf((to) + strlen(to), sizeof(to) - strlen(to), __VA_ARGS__)

static inline int accessor_of(size_t offset, int component, int count, const char *type)
{
    static int n;
    n = accessors[0] ? n + 1 : 0;
    ADD(accessors, "%s{'bufferView':0,'byteOffset':%zu,'componentType':%d,'count':%d,'type':'%s'}",
        n > 0 ? "," : "", offset, component, count, type);
    return n;
}

/* An accessor of floats. */
static inline int accessor(size_t offset, int count, const char *type)
{
    return accessor_of(offset, 5126, count, type);
}

static inline int channel(int node, const char *path, int input, int output, const char *how)
{
    static int n;
    n = samplers[0] ? n + 1 : 0;
    ADD(samplers, "%s{'input':%d,'output':%d,'interpolation':'%s'}", n > 0 ? "," : "", input,
        output, how);
    ADD(channels, "%s{'sampler':%d,'target':{'node':%d,'path':'%s'}}", n > 0 ? "," : "", n, node,
        path);
    return n;
}

static inline void put_node(const bone *bones, int count, int i)
{
    const bone *b = &bones[i];
    ADD(nodes,
        "%s{'name':'%s','translation':[%.9g,%.9g,%.9g],'rotation':[%.9g,%.9g,%.9g,%.9g],'scale':[%g"
        ",%g,%g]",
        i > 0 ? "," : "", b->name, b->place.x, b->place.y, b->place.z, b->rest.x, b->rest.y,
        b->rest.z, b->rest.w, b->scale > 0 ? b->scale : 1, b->scale > 0 ? b->scale : 1,
        b->scale > 0 ? b->scale : 1);
    bool any_child = false;
    for (int k = i + 1; k < count; k++) {
        if (bones[k].parent == i) {
            ADD(nodes, "%s%d", any_child ? "," : ",'children':[", k);
            any_child = true;
        }
    }
    ADD(nodes, "%s}", any_child ? "]" : "");
}

/* extra: more of the file, such as a skin. */
static inline mrw_scene *write_rig(const bone *bones, int count, bool from_rest)
{
    static const char *const how[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    nodes[0] = accessors[0] = samplers[0] = channels[0] = '\0';
    reset();
    int at = accessor(PUT(float, 0, 0.3f, 0.5f, 1.1f, 1.6f), KEYS, "SCALAR");
    for (int i = 0; i < count; i++) {
        put_node(bones, count, i);
        if (bones[i].turns > 0) {
            bool cubic = bones[i].turns == 3;
            int out = accessor(put_turns(bones[i].rest, cubic, from_rest), KEYS * (cubic ? 3 : 1),
                               "VEC4");
            channel(i, "rotation", at, out, how[bones[i].turns - 1]);
        }
        if (bones[i].travels) {
            channel(i, "translation", at, accessor(put_ways(bones[i].place), KEYS, "VEC3"),
                    "LINEAR");
        }
    }
    char animation[44000] = "";
    if (samplers[0]) {
        snprintf(animation, sizeof animation,
                 ",'animations':[{'name':'w','samplers':[%s],'channels':[%s]}]", samplers,
                 channels);
    }
    return load(gltf("],'accessors':[%s],'nodes':[%s]%s%s", accessors, nodes, animation, extra));
}

/* A body of ten joints. Its legs end on the ground. */
#define BODY 10
static inline void make_body(bone *b, double size, double bend)
{
    static const bone body[BODY] = {{"Hips", -1, {0, 1, 0}, {0, 0, 0, 1}, 2, true, 0},
                                    {"Spine", 0, {0, 0.3, 0}, {0, 0, 0, 1}, 2, false, 0},
                                    {"Head", 1, {0, 0.4, 0}, {0, 0, 0, 1}, 3, false, 0},
                                    {"LeftArm", 1, {0.2, 0.3, 0}, {0, 0, 0, 1}, 2, false, 0},
                                    {"LeftHand", 3, {0.5, 0, 0}, {0, 0, 0, 1}, 1, false, 0},
                                    {"RightArm", 1, {-0.2, 0.3, 0}, {0, 0, 0, 1}, 3, false, 0},
                                    {"LeftLeg", 0, {0.1, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                    {"LeftFoot", 6, {0, -1, 0}, {0, 0, 0, 1}, 2, true, 0},
                                    {"RightLeg", 0, {-0.1, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                    {"RightFoot", 8, {0, -1, 0}, {0, 0, 0, 1}, 2, false, 0}};
    for (int i = 0; i < BODY; i++) {
        b[i] = body[i];
        b[i].place = (vec){size * b[i].place.x, size * b[i].place.y, size * b[i].place.z};
        b[i].rest = bend > 0 ? any_turn(bend) : (quat){0, 0, 0, 1};
    }
}

/* The same places in the world, with joints whose axes are turned in it. */
static inline void roll(bone *b, int count)
{
    quat axes[32];
    for (int i = 0; i < count; i++) {
        quat own = any_turn(170), up = b[i].parent < 0 ? (quat){0, 0, 0, 1} : axes[b[i].parent];
        axes[i] = own;
        b[i].place = turned(back(up), b[i].place); /* from axes that were the world's */
        b[i].rest = times(back(up), own);
    }
}

static inline void still(bone *b, int count)
{
    for (int i = 0; i < count; i++) {
        b[i].turns = 0;
        b[i].travels = false;
    }
}

static inline uint32_t named(const mrw_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        if (strcmp(mrw_scene_string(s, s->nodes[i].name), name) == 0) {
            return i;
        }
    }
    return MRW_NONE;
}

static inline mrw_scene *join(const mrw_scene *base, const mrw_scene *other, mrw_retarget how,
                              mrw_clip_match *match)
{
    mrw_clip_source source = {.scene = other, .name = "other", .retarget = how};
    mrw_scene *out = NULL;
    memset(&error, 0, sizeof error);
    mrw_status status = mrw_scene_add_clips(base, &source, 1, &out, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    if (match) {
        *match = source.match;
    }
    return out;
}

#endif
