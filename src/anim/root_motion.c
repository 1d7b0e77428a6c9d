/* root_motion.c: keeps a walking character in place, or lets it walk on from loop to loop. */
#include "marrow/anim.h"

#include "anim/mix.h"
#include "base/parallel.h"

#include <assert.h>

typedef struct vector {
    double v[3];
} vector;

static vector load3(const float *p)
{
    return (vector){{(double)p[0], (double)p[1], (double)p[2]}};
}

static double dot(const vector *a, const vector *b)
{
    return (a->v[0] * b->v[0] + a->v[1] * b->v[1]) + a->v[2] * b->v[2];
}

/* Computes q v q^-1 for a unit quaternion: v + w t + u x t with t = 2 u x v. */
static vector rotate(const mrwi_anim_quat *q, const vector *v)
{
    const double *u = q->v;
    const vector t = {{2.0 * (u[1] * v->v[2] - u[2] * v->v[1]),
                       2.0 * (u[2] * v->v[0] - u[0] * v->v[2]),
                       2.0 * (u[0] * v->v[1] - u[1] * v->v[0])}};
    return (vector){{v->v[0] + u[3] * t.v[0] + (u[1] * t.v[2] - u[2] * t.v[1]),
                     v->v[1] + u[3] * t.v[1] + (u[2] * t.v[0] - u[0] * t.v[2]),
                     v->v[2] + u[3] * t.v[2] + (u[0] * t.v[1] - u[1] * t.v[0])}};
}

/* ---- the vertical ---------------------------------------------------------------------------- */

/* Multiplies v by a node's linear part at rest. */
static vector apply_linear(const mrw_scene *scene, const mrw_node *node, const vector *v)
{
    vector out;
    if (node->matrix != MRW_NONE) {
        const float *m = scene->matrices[node->matrix].m;
        for (int r = 0; r < 3; r++) {
            out.v[r] =
                ((double)m[r] * v->v[0] + (double)m[4 + r] * v->v[1]) + (double)m[8 + r] * v->v[2];
        }
        return out;
    }
    const mrwi_anim_quat q = mrwi_anim_quat_load(node->rest.rotation);
    for (int i = 0; i < 3; i++) {
        out.v[i] = v->v[i] * (double)node->rest.scale[i];
    }
    return rotate(&q, &out);
}

/* Returns the scene's Y in the space of a node's children: the height of each of their axes, which
 * is the normal of the horizontal plane there. */
static vector up_below(const mrw_scene *scene, uint32_t node)
{
    vector axes[3] = {{{1.0, 0.0, 0.0}}, {{0.0, 1.0, 0.0}}, {{0.0, 0.0, 1.0}}};
    for (; node != MRW_NONE; node = scene->nodes[node].parent) {
        for (int i = 0; i < 3; i++) {
            axes[i] = apply_linear(scene, &scene->nodes[node], &axes[i]);
        }
    }
    const vector up = {{axes[0].v[1], axes[1].v[1], axes[2].v[1]}};
    const double length = sqrt(dot(&up, &up));
    if (!(length > 1e-12)) {
        return (vector){{0.0, 1.0, 0.0}};
    }
    return (vector){{up.v[0] / length, up.v[1] / length, up.v[2] / length}};
}

/* Returns b - a without its vertical part. */
static vector horizontal(const float *a, const float *b, const vector *up)
{
    const vector p = load3(a), q = load3(b);
    vector d = {{q.v[0] - p.v[0], q.v[1] - p.v[1], q.v[2] - p.v[2]}};
    const double height = dot(&d, up);
    for (int i = 0; i < 3; i++) {
        d.v[i] -= height * up->v[i];
    }
    return d;
}

/* ---- motions in the plane -------------------------------------------------------------------- */

/* p -> turn p + shift */
typedef struct motion {
    mrwi_anim_quat turn;
    vector shift;
} motion;

/* Composes two motions: b first, then a. */
static motion compose(const motion *a, const motion *b)
{
    motion out = {.turn = mrwi_anim_quat_mul(&a->turn, &b->turn),
                  .shift = rotate(&a->turn, &b->shift)};
    out.turn = mrwi_anim_quat_unit(&out.turn);
    for (int i = 0; i < 3; i++) {
        out.shift.v[i] += a->shift.v[i];
    }
    return out;
}

static motion inverse(const motion *m)
{
    motion out = {.turn = mrwi_anim_quat_conjugate(&m->turn)};
    out.shift = rotate(&out.turn, &m->shift);
    for (int i = 0; i < 3; i++) {
        out.shift.v[i] = -out.shift.v[i];
    }
    return out;
}

static motion repeat(motion step, uint64_t times)
{
    motion out = {.turn = {{0.0, 0.0, 0.0, 1.0}}};
    for (; times > 0; times >>= 1) {
        if (times & 1u) {
            out = compose(&step, &out);
        }
        step = compose(&step, &step);
    }
    return out;
}

/* Returns the part of end * start^-1 that turns about the vertical: its twist (swing-twist
 * decomposition; Dobrowolski, 2015). */
static mrwi_anim_quat yaw_between(const mrw_transform *start, const mrw_transform *end,
                                  const vector *up)
{
    const mrwi_anim_quat a = mrwi_anim_quat_load(start->rotation),
                         b = mrwi_anim_quat_load(end->rotation);
    const mrwi_anim_quat back = mrwi_anim_quat_conjugate(&a);
    const mrwi_anim_quat d = mrwi_anim_quat_mul(&b, &back);
    const vector axis = {{d.v[0], d.v[1], d.v[2]}};
    const double along = dot(&axis, up);
    const mrwi_anim_quat twist = {{along * up->v[0], along * up->v[1], along * up->v[2], d.v[3]}};
    return mrwi_anim_quat_unit(&twist);
}

/* Returns the motion that turns about the place of the start and carries it to that of the end: p
 * -> turn (p - start) + start + d. */
static motion loop_motion(const mrw_root_motion_job *job, const vector *up)
{
    motion step = {.turn = {{0.0, 0.0, 0.0, 1.0}}};
    if (job->turn) {
        step.turn = yaw_between(job->start, job->end, up);
    }
    const vector start = load3(job->start->translation);
    const vector turned = rotate(&step.turn, &start);
    const vector d = horizontal(job->start->translation, job->end->translation, up);
    for (int i = 0; i < 3; i++) {
        step.shift.v[i] = (start.v[i] - turned.v[i]) + d.v[i];
    }
    return step;
}

static void strip(const mrw_root_motion_job *job, const vector *up)
{
    const vector d = horizontal(job->start->translation, job->local->translation, up);
    for (int i = 0; i < 3; i++) {
        job->local->translation[i] = (float)((double)job->local->translation[i] - d.v[i]);
    }
}

static void loop(const mrw_root_motion_job *job, const vector *up)
{
    const motion forward = loop_motion(job, up);
    const motion step = job->loops < 0 ? inverse(&forward) : forward;
    const motion all = repeat(step, (uint64_t)(job->loops < 0 ? -job->loops : job->loops));
    const vector place = load3(job->local->translation);
    const mrwi_anim_quat rotation = mrwi_anim_quat_load(job->local->rotation);
    const vector moved = rotate(&all.turn, &place);
    const mrwi_anim_quat turned = mrwi_anim_quat_mul(&all.turn, &rotation);
    for (int i = 0; i < 3; i++) {
        job->local->translation[i] = (float)(moved.v[i] + all.shift.v[i]);
    }
    mrwi_anim_quat_store(&turned, job->local->rotation);
}

void mrw_apply_root_motion(const mrw_root_motion_job *job)
{
    assert(job->node < job->scene->nodes_count);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const vector up = up_below(job->scene, job->scene->nodes[job->node].parent);
    if (job->mode == MRW_ROOT_MOTION_STRIP) {
        strip(job, &up);
    } else if (job->mode == MRW_ROOT_MOTION_LOOP && job->loops != 0) {
        loop(job, &up);
    }
    mrwi_base_fp_leave(fp);
}
