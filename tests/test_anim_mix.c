/* test_anim_mix.c: blends, layers, common phase and root motion against values by hand and double
 * evaluators. */
#include "test.h"

#include "marrow/anim.h"

#define NODES   4
#define WEIGHTS 2
#define POSES   3

#define EVERYTHING (MRW_ANIMATED_LOCAL | MRW_ANIMATED_WEIGHTS)

/* A chain of nodes, of which node 1 has two morph weights, and poses of it. */
typedef struct stage {
    mrw_scene scene;
    mrw_node nodes[NODES];
    float rest_weights[WEIGHTS];
    mrw_transform locals[POSES][NODES];
    uint8_t animated[POSES][NODES];
    float weights[POSES][WEIGHTS];
    mrw_transform out[NODES];
    uint8_t out_animated[NODES];
    float out_weights[WEIGHTS];
} stage;

static uint64_t random_state;

static double random_unit(void)
{
    return test_random_double(&random_state, -1.0, 1.0);
}

static void random_transform(mrw_transform *t)
{
    double q[4], length = 0.0;
    for (int i = 0; i < 4; i++) {
        q[i] = random_unit();
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        t->rotation[i] = (float)(q[i] / sqrt(length));
    }
    for (int i = 0; i < 3; i++) {
        t->translation[i] = (float)(10.0 * random_unit());
        t->scale[i] = (float)(1.5 + random_unit());
    }
}

static stage *make_stage(void)
{
    static stage s;
    memset(&s, 0, sizeof s);
    random_state = 7;
    for (uint32_t i = 0; i < NODES; i++) {
        s.nodes[i].parent = i > 0 ? i - 1 : MRW_NONE;
        s.nodes[i].matrix = MRW_NONE;
        s.nodes[i].weight_count = i == 1 ? WEIGHTS : 0;
        s.nodes[i].first_weight = i > 1 ? WEIGHTS : 0;
        random_transform(&s.nodes[i].rest);
        for (int p = 0; p < POSES; p++) {
            random_transform(&s.locals[p][i]);
            s.animated[p][i] = EVERYTHING;
        }
    }
    for (int w = 0; w < WEIGHTS; w++) {
        s.rest_weights[w] = (float)random_unit();
        for (int p = 0; p < POSES; p++) {
            s.weights[p][w] = (float)random_unit();
        }
    }
    s.scene.nodes = s.nodes;
    s.scene.nodes_count = NODES;
    s.scene.weights = s.rest_weights;
    s.scene.weights_count = WEIGHTS;
    return &s;
}

static mrw_local_pose pose_of(const stage *s, int p)
{
    return (mrw_local_pose){s->locals[p], s->animated[p], s->weights[p]};
}

static void blend(stage *s, const mrw_blend_input *inputs, uint32_t count)
{
    mrw_blend(&(mrw_blend_job){&s->scene, inputs, count, s->out, s->out_animated, s->out_weights});
}

/* Lays pose 1 over pose 0 into out. */
static void layer(stage *s, const mrw_local_pose *reference, float weight, const float *mask)
{
    memcpy(s->out, s->locals[0], sizeof s->out);
    memcpy(s->out_animated, s->animated[0], sizeof s->out_animated);
    memcpy(s->out_weights, s->weights[0], sizeof s->out_weights);
    mrw_layer(&(mrw_layer_job){&s->scene, pose_of(s, 1), reference, weight, mask, s->out,
                               s->out_animated, s->out_weights});
}

static bool same_as(const stage *s, int p)
{
    return memcmp(s->out, s->locals[p], sizeof s->out) == 0 &&
           memcmp(s->out_weights, s->weights[p], sizeof s->out_weights) == 0;
}

static void check_close(float actual, double expected)
{
    ck_assert_msg(fabs((double)actual - expected) <= 4e-7 * (1.0 + fabs(expected)),
                  "%.9g, not %.9g", (double)actual, expected);
}

static void turn_about(const double axis[3], double angle, float q[4])
{
    for (int i = 0; i < 3; i++) {
        q[i] = (float)(axis[i] * sin(angle / 2.0));
    }
    q[3] = (float)cos(angle / 2.0);
}

/* ---- rotation matrices in double, which know nothing of quaternion products ------------------ */

static void matrix_of(const float q[4], double m[3][3])
{
    const double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(m, rows, sizeof rows);
}

static void check_rotation(const float q[4], double expected[3][3])
{
    double m[3][3];
    matrix_of(q, m);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            ck_assert_double_le(fabs(m[r][c] - expected[r][c]), 2e-6);
        }
    }
}

/* ---- blending -------------------------------------------------------------------------------- */

START_TEST(blend_of_one_pose_with_itself_is_the_pose)
{
    stage *s = make_stage();
    const float weights[4][3] = {{1, 1, 1}, {0.7f, 0.3f, 0}, {0.1f, 0.2f, 5}, {1e-6f, 3, 1e6f}};
    for (int i = 0; i < 4; i++) {
        mrw_blend_input inputs[3];
        for (int k = 0; k < 3; k++) {
            inputs[k] = (mrw_blend_input){pose_of(s, 0), weights[i][k], NULL};
        }
        blend(s, inputs, 3);
        ck_assert(same_as(s, 0));
    }
}
END_TEST

START_TEST(a_pose_without_weight_is_not_seen)
{
    stage *s = make_stage();
    const mrw_blend_input inputs[2] = {{pose_of(s, 0), 0, NULL}, {pose_of(s, 1), 0.25f, NULL}};
    memset(s->animated[0], MRW_ANIMATED_SCALE, NODES);
    memset(s->animated[1], MRW_ANIMATED_ROTATION, NODES);
    blend(s, inputs, 2);
    ck_assert(same_as(s, 1));
    for (int n = 0; n < NODES; n++) {
        ck_assert_uint_eq(s->out_animated[n], MRW_ANIMATED_ROTATION);
    }
}
END_TEST

START_TEST(no_weight_at_all_is_the_rest)
{
    stage *s = make_stage();
    const mrw_blend_input input = {pose_of(s, 0), 0, NULL};
    for (uint32_t count = 0; count < 2; count++) {
        memset(s->out, 0x55, sizeof s->out);
        blend(s, &input, count);
        for (int n = 0; n < NODES; n++) {
            ck_assert(memcmp(&s->out[n], &s->nodes[n].rest, sizeof s->out[n]) == 0);
            ck_assert_uint_eq(s->out_animated[n], 0);
        }
        ck_assert(memcmp(s->out_weights, s->rest_weights, sizeof s->out_weights) == 0);
    }
}
END_TEST

/* Weights 1 and 3 of 4: a quarter and three quarters. */
START_TEST(blend_is_the_mean_by_weight)
{
    stage *s = make_stage();
    s->locals[0][2] = (mrw_transform){{4, 0, -8}, {0, 0, 0, 1}, {1, 2, 4}};
    s->locals[1][2] = (mrw_transform){{8, 4, 0}, {0, 0, 0, 1}, {3, 2, 8}};
    s->weights[0][1] = -1;
    s->weights[1][1] = 3;
    const mrw_blend_input inputs[2] = {{pose_of(s, 0), 1, NULL}, {pose_of(s, 1), 3, NULL}};
    blend(s, inputs, 2);
    const float expected[10] = {7, 3, -2, 0, 0, 0, 1, 2.5f, 2, 7};
    ck_assert(memcmp(&s->out[2], expected, sizeof expected) == 0);
    ck_assert(s->out_weights[1] == 2.0f);
}
END_TEST

/* Half-way between two rotations about one axis lies half the angle, also when one of them is
 * written with the opposite sign. */
START_TEST(half_way_rotation_is_half_the_angle)
{
    stage *s = make_stage();
    const double axis[3] = {0.6, 0.0, 0.8};
    for (int sign = -1; sign <= 1; sign += 2) {
        turn_about(axis, 0.2, s->locals[0][0].rotation);
        turn_about(axis, 1.8, s->locals[1][0].rotation);
        for (int i = 0; i < 4; i++) {
            s->locals[1][0].rotation[i] *= (float)sign;
        }
        const mrw_blend_input inputs[2] = {{pose_of(s, 0), 2, NULL}, {pose_of(s, 1), 2, NULL}};
        blend(s, inputs, 2);
        float expected[4];
        turn_about(axis, 1.0, expected);
        for (int i = 0; i < 4; i++) {
            check_close(s->out[0].rotation[i], (double)expected[i]);
        }
    }
}
END_TEST

/* The definition, once more in double: aligned to the sum so far, summed in order, normalised. */
START_TEST(rotations_are_summed_in_order)
{
    stage *s = make_stage();
    const float weights[3] = {0.5f, 0.2f, 0.3f};
    mrw_blend_input inputs[3];
    for (int k = 0; k < 3; k++) {
        inputs[k] = (mrw_blend_input){pose_of(s, k), weights[k], NULL};
    }
    blend(s, inputs, 3);
    for (int n = 0; n < NODES; n++) {
        double sum[4] = {0}, length = 0.0;
        for (int k = 0; k < 3; k++) {
            const float *q = s->locals[k][n].rotation;
            double dot = 0.0;
            for (int i = 0; i < 4; i++) {
                dot += sum[i] * (double)q[i];
            }
            for (int i = 0; i < 4; i++) {
                sum[i] += (dot < 0.0 ? -1.0 : 1.0) * (double)weights[k] * (double)q[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            length += sum[i] * sum[i];
        }
        for (int i = 0; i < 4; i++) {
            check_close(s->out[n].rotation[i], sum[i] / sqrt(length));
        }
    }
}
END_TEST

/* Opposite rotations of equal weight cancel; what remains has no direction. */
START_TEST(blend_of_nothing_left_is_the_identity)
{
    stage *s = make_stage();
    const float a[4] = {1, 0, 0, 0}, b[4] = {0, 0, 0, 0};
    memcpy(s->locals[0][0].rotation, b, sizeof b);
    memcpy(s->locals[1][0].rotation, b, sizeof b);
    const mrw_blend_input inputs[2] = {{pose_of(s, 0), 1, NULL}, {pose_of(s, 1), 1, NULL}};
    blend(s, inputs, 2);
    ck_assert(s->out[0].rotation[3] == 1.0f && s->out[0].rotation[0] == 0.0f);
    memcpy(s->locals[1][0].rotation, a, sizeof a);
    blend(s, inputs, 2);
    ck_assert(s->out[0].rotation[0] == 1.0f);
}
END_TEST

START_TEST(masks_divide_the_nodes)
{
    stage *s = make_stage();
    float upper[NODES], lower[NODES];
    mrw_subtree_mask(&s->scene, 1, upper);
    for (int n = 0; n < NODES; n++) {
        lower[n] = 1.0f - upper[n];
    }
    const mrw_blend_input inputs[2] = {{pose_of(s, 0), 1, lower}, {pose_of(s, 1), 0.1f, upper}};
    blend(s, inputs, 2);
    for (int n = 0; n < NODES; n++) {
        const mrw_transform *expected = &s->locals[n == 0 ? 0 : 1][n];
        ck_assert(memcmp(&s->out[n], expected, sizeof *expected) == 0);
    }
    ck_assert(memcmp(s->out_weights, s->weights[1], sizeof s->out_weights) == 0);
}
END_TEST

START_TEST(blend_may_write_into_an_input)
{
    stage *s = make_stage();
    const mrw_blend_input inputs[2] = {{pose_of(s, 0), 0.4f, NULL}, {pose_of(s, 1), 0.6f, NULL}};
    blend(s, inputs, 2);
    mrw_blend(&(mrw_blend_job){&s->scene, inputs, 2, s->locals[1], s->animated[1], s->weights[1]});
    ck_assert(same_as(s, 1));
}
END_TEST

/* ---- layers ---------------------------------------------------------------------------------- */

/* 0 ─ 1 ─ 3, 0 ─ 2 */
START_TEST(subtree_is_the_node_and_all_below)
{
    stage *s = make_stage();
    s->nodes[2].parent = 0;
    s->nodes[3].parent = 1;
    const float expected[NODES][NODES] = {{1, 1, 1, 1}, {0, 1, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (uint32_t n = 0; n < NODES; n++) {
        float mask[NODES];
        mrw_subtree_mask(&s->scene, n, mask);
        ck_assert(memcmp(mask, expected[n], sizeof mask) == 0);
    }
}
END_TEST

START_TEST(full_layer_replaces_and_none_keeps)
{
    stage *s = make_stage();
    layer(s, NULL, 1.0f, NULL);
    ck_assert(same_as(s, 1));
    memset(s->animated[0], 0, NODES);
    layer(s, NULL, 0.0f, NULL);
    ck_assert(same_as(s, 0));
    ck_assert_uint_eq(s->out_animated[0], 0);
}
END_TEST

START_TEST(layer_stays_in_its_subtree)
{
    stage *s = make_stage();
    float mask[NODES];
    mrw_subtree_mask(&s->scene, 2, mask);
    layer(s, NULL, 1.0f, mask);
    for (int n = 0; n < NODES; n++) {
        const mrw_transform *expected = &s->locals[n < 2 ? 0 : 1][n];
        ck_assert(memcmp(&s->out[n], expected, sizeof *expected) == 0);
    }
    ck_assert(memcmp(s->out_weights, s->weights[0], sizeof s->out_weights) == 0);
}
END_TEST

/* Clips played together: each kind of each node from the one that animates it. */
START_TEST(layer_leaves_what_it_does_not_animate)
{
    stage *s = make_stage();
    s->animated[0][0] = MRW_ANIMATED_TRANSLATION;
    s->animated[1][0] = MRW_ANIMATED_ROTATION;
    s->animated[1][1] = MRW_ANIMATED_WEIGHTS;
    s->animated[1][2] = 0;
    layer(s, NULL, 1.0f, NULL);
    ck_assert(memcmp(s->out[0].translation, s->locals[0][0].translation, 12) == 0);
    ck_assert(memcmp(s->out[0].rotation, s->locals[1][0].rotation, 16) == 0);
    ck_assert(memcmp(s->out[0].scale, s->locals[0][0].scale, 12) == 0);
    ck_assert_uint_eq(s->out_animated[0], MRW_ANIMATED_TRANSLATION | MRW_ANIMATED_ROTATION);
    ck_assert(memcmp(&s->out[1], &s->locals[0][1], sizeof s->out[1]) == 0);
    ck_assert(memcmp(s->out_weights, s->weights[1], sizeof s->out_weights) == 0);
    ck_assert(memcmp(&s->out[2], &s->locals[0][2], sizeof s->out[2]) == 0);
    ck_assert(memcmp(&s->out[3], &s->locals[1][3], sizeof s->out[3]) == 0);
}
END_TEST

START_TEST(half_a_layer_is_half_way)
{
    stage *s = make_stage();
    const double axis[3] = {0, 1, 0};
    s->locals[0][0] = (mrw_transform){{0, 2, 4}, {0, 0, 0, 1}, {1, 1, 1}};
    s->locals[1][0] = (mrw_transform){{8, 2, 0}, {0, 0, 0, 1}, {3, 1, 0}};
    turn_about(axis, 1.0, s->locals[1][0].rotation);
    const float mask[NODES] = {0.5f, 0, 0, 0};
    layer(s, NULL, 0.5f, mask); /* a quarter */
    const float expected[3] = {2, 2, 3};
    ck_assert(memcmp(s->out[0].translation, expected, sizeof expected) == 0);
    ck_assert(s->out[0].scale[0] == 1.5f && s->out[0].scale[2] == 0.75f);
    layer(s, NULL, 0.5f, NULL);
    ck_assert(s->out[0].translation[0] == 4.0f);
    check_close(s->out[0].rotation[1], sin(0.25));
    check_close(s->out[0].rotation[3], cos(0.25));
}
END_TEST

START_TEST(additive_of_no_difference_changes_nothing)
{
    stage *s = make_stage();
    const mrw_local_pose reference = pose_of(s, 1);
    for (float weight = 0.0f; weight <= 2.0f; weight += 0.25f) {
        layer(s, &reference, weight, NULL);
        ck_assert(same_as(s, 0));
    }
}
END_TEST

/* Full difference to pose 2: rotation base * reference^-1 * over, as matrices. */
START_TEST(additive_adds_the_difference)
{
    stage *s = make_stage();
    const mrw_local_pose reference = pose_of(s, 2);
    layer(s, &reference, 1.0f, NULL);
    for (int n = 0; n < NODES; n++) {
        const mrw_transform *base = &s->locals[0][n], *over = &s->locals[1][n];
        const mrw_transform *from = &s->locals[2][n];
        for (int i = 0; i < 3; i++) {
            check_close(s->out[n].translation[i],
                        (double)base->translation[i] +
                            ((double)over->translation[i] - (double)from->translation[i]));
            check_close(s->out[n].scale[i],
                        (double)base->scale[i] * (double)over->scale[i] / (double)from->scale[i]);
        }
        double a[3][3], b[3][3], r[3][3], expected[3][3] = {{0}};
        matrix_of(base->rotation, a);
        matrix_of(over->rotation, b);
        matrix_of(from->rotation, r);
        for (int i = 0; i < 81; i++) { /* a r^T b */
            expected[i / 27][i % 3] +=
                a[i / 27][i / 9 % 3] * r[i / 3 % 3][i / 9 % 3] * b[i / 3 % 3][i % 3];
        }
        check_rotation(s->out[n].rotation, expected);
    }
    for (int w = 0; w < WEIGHTS; w++) {
        check_close(s->out_weights[w], (double)s->weights[0][w] +
                                           ((double)s->weights[1][w] - (double)s->weights[2][w]));
    }
}
END_TEST

START_TEST(half_an_additive_layer_is_half_the_difference)
{
    stage *s = make_stage();
    const double axis[3] = {1, 0, 0};
    const mrw_local_pose reference = pose_of(s, 2);
    for (int p = 0; p < POSES; p++) {
        s->locals[p][0] = (mrw_transform){{0, 0, 0}, {0, 0, 0, 1}, {2, 2, 0}};
    }
    turn_about(axis, 0.5, s->locals[0][0].rotation);
    turn_about(axis, 1.0, s->locals[1][0].rotation);
    turn_about(axis, 0.2, s->locals[2][0].rotation);
    s->locals[1][0].translation[1] = 3;
    s->locals[1][0].scale[0] = 4; /* twice the reference; half of that is 1.5 */
    s->locals[1][0].scale[2] = 7; /* no ratio to 0 */
    layer(s, &reference, 0.5f, NULL);
    ck_assert(s->out[0].translation[1] == 1.5f);
    ck_assert(s->out[0].scale[0] == 3.0f && s->out[0].scale[1] == 2.0f);
    ck_assert(s->out[0].scale[2] == 0.0f);
    check_close(s->out[0].rotation[0], sin(0.45)); /* (0.5 + 0.8 / 2) / 2 */
    check_close(s->out[0].rotation[3], cos(0.45));
}
END_TEST

/* ---- common phase ---------------------------------------------------------------------------- */

START_TEST(synced_clips_share_their_phase)
{
    const double durations[2] = {2.0, 1.0};
    const float weights[2] = {3.0f, 1.0f}, none[2] = {0, 0};
    ck_assert(mrw_synced_duration(durations, weights, 2) == 1.75);
    ck_assert(mrw_synced_duration(durations, none, 2) == 0.0);
    ck_assert(mrw_synced_duration(durations, weights, 0) == 0.0);
    ck_assert(mrw_synced_time(0.0, 1.75, 2.0) == 0.0);
    ck_assert(mrw_synced_time(0.4375, 1.75, 2.0) == 0.5);
    ck_assert(mrw_synced_time(0.4375, 1.75, 1.0) == 0.25);
    ck_assert(mrw_synced_time(1.0 / 3.0, 1.0 / 3.0, 0.7) == 0.7);
    ck_assert(mrw_synced_time(1.0, 0.0, 2.0) == 0.0);
}
END_TEST

/* ---- root motion ----------------------------------------------------------------------------- */

static const mrw_transform at_start = {{1, 5, 2}, {0, 0, 0, 1}, {1, 1, 1}};

static mrw_transform root_at(stage *s, mrw_root_motion mode, const mrw_transform *end,
                             int64_t loops, bool turn, mrw_transform local)
{
    mrw_apply_root_motion(
        &(mrw_root_motion_job){&s->scene, 1, mode, &at_start, end, loops, turn, &local});
    return local;
}

static void level_parent(stage *s)
{
    s->nodes[0].rest = (mrw_transform){{7, 8, 9}, {0, 0, 0, 1}, {2, 2, 2}};
}

static void check_place(const mrw_transform *t, double x, double y, double z)
{
    check_close(t->translation[0], x);
    check_close(t->translation[1], y);
    check_close(t->translation[2], z);
}

START_TEST(kept_and_stripped_roots)
{
    stage *s = make_stage();
    level_parent(s);
    const mrw_transform now = {{3, 6, -4}, {0, 1, 0, 0}, {1, 2, 1}};
    mrw_transform t = root_at(s, MRW_ROOT_MOTION_KEEP, NULL, 9, true, now);
    ck_assert(memcmp(&t, &now, sizeof t) == 0);
    t = root_at(s, MRW_ROOT_MOTION_STRIP, NULL, 9, true, now);
    check_place(&t, 1, 6, 2); /* only the height moves */
    ck_assert(memcmp(t.rotation, now.rotation, 28) == 0);
}
END_TEST

/* Under a parent that was turned from Z up, a quarter turn about X, height is the parent's Z; filed
 * as a rotation or as a matrix. */
START_TEST(horizontal_is_across_the_scenes_y)
{
    static const mrw_mat4 z_up = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}};
    stage *s = make_stage();
    level_parent(s);
    const double x[3] = {1, 0, 0};
    const mrw_transform now = {{3, 6, -4}, {0, 0, 0, 1}, {1, 1, 1}};
    turn_about(x, -1.57079632679489662, s->nodes[0].rest.rotation);
    mrw_transform t = root_at(s, MRW_ROOT_MOTION_STRIP, NULL, 0, false, now);
    check_place(&t, 1, 5, -4);
    level_parent(s);
    s->scene.matrices = &z_up;
    s->nodes[0].matrix = 0;
    t = root_at(s, MRW_ROOT_MOTION_STRIP, NULL, 0, false, now);
    check_place(&t, 1, 5, -4);
}
END_TEST

START_TEST(looped_root_walks_on)
{
    stage *s = make_stage();
    level_parent(s);
    const mrw_transform end = {{1, 5.5f, 4}, {0, 0, 0, 1}, {1, 1, 1}};
    const mrw_transform now = {{1.5f, 5.25f, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    mrw_transform t = root_at(s, MRW_ROOT_MOTION_LOOP, &end, 0, true, now);
    ck_assert(memcmp(&t, &now, sizeof t) == 0);
    for (int64_t loops = -5; loops < 12; loops++) {
        t = root_at(s, MRW_ROOT_MOTION_LOOP, &end, loops, loops % 2 == 0, now);
        check_place(&t, 1.5, 5.25, 3.0 + 2.0 * (double)loops); /* climbing is not accumulated */
    }
}
END_TEST

/* A clip that walks forward and turns a quarter left: after four loops it is back where it was.
 * The end of a loop is the start of the next one. */
START_TEST(looped_root_turns)
{
    stage *s = make_stage();
    level_parent(s);
    const double y[3] = {0, 1, 0};
    mrw_transform end = {{4, 5, 6}, {0, 0, 0, 1}, {1, 1, 1}};
    turn_about(y, 1.57079632679489662, end.rotation);
    mrw_transform t = root_at(s, MRW_ROOT_MOTION_LOOP, &end, 4, true, at_start);
    ck_assert_double_le(fabs((double)t.translation[0] - 1.0), 1e-5);
    ck_assert_double_le(fabs((double)t.translation[2] - 2.0), 1e-5);
    for (int64_t loops = -8; loops < 8; loops++) {
        const mrw_transform last = root_at(s, MRW_ROOT_MOTION_LOOP, &end, loops, true, end);
        t = root_at(s, MRW_ROOT_MOTION_LOOP, &end, loops + 1, true, at_start);
        double expected[3][3];
        matrix_of(last.rotation, expected);
        check_rotation(t.rotation, expected);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_le(fabs((double)t.translation[i] - (double)last.translation[i]), 1e-5);
        }
    }
    /* one turn takes the step (3, 4) in x and z to (4, -3): 1 + 3 + 4, 2 + 4 - 3 */
    t = root_at(s, MRW_ROOT_MOTION_LOOP, &end, 2, true, at_start);
    ck_assert_double_le(fabs((double)t.translation[0] - 8.0), 1e-5);
    ck_assert_double_le(fabs((double)t.translation[2] - 3.0), 1e-5);
    t = root_at(s, MRW_ROOT_MOTION_LOOP, &end, 2, false, at_start);
    check_place(&t, 7, 5, 10);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("anim_mix");
    TCase *blending = tcase_create("blending");
    tcase_add_test(blending, blend_of_one_pose_with_itself_is_the_pose);
    tcase_add_test(blending, a_pose_without_weight_is_not_seen);
    tcase_add_test(blending, no_weight_at_all_is_the_rest);
    tcase_add_test(blending, blend_is_the_mean_by_weight);
    tcase_add_test(blending, half_way_rotation_is_half_the_angle);
    tcase_add_test(blending, rotations_are_summed_in_order);
    tcase_add_test(blending, blend_of_nothing_left_is_the_identity);
    tcase_add_test(blending, masks_divide_the_nodes);
    tcase_add_test(blending, blend_may_write_into_an_input);
    suite_add_tcase(s, blending);
    TCase *layers = tcase_create("layers");
    tcase_add_test(layers, subtree_is_the_node_and_all_below);
    tcase_add_test(layers, full_layer_replaces_and_none_keeps);
    tcase_add_test(layers, layer_stays_in_its_subtree);
    tcase_add_test(layers, layer_leaves_what_it_does_not_animate);
    tcase_add_test(layers, half_a_layer_is_half_way);
    tcase_add_test(layers, additive_of_no_difference_changes_nothing);
    tcase_add_test(layers, additive_adds_the_difference);
    tcase_add_test(layers, half_an_additive_layer_is_half_the_difference);
    suite_add_tcase(s, layers);
    TCase *phase = tcase_create("phase");
    tcase_add_test(phase, synced_clips_share_their_phase);
    suite_add_tcase(s, phase);
    TCase *root = tcase_create("root motion");
    tcase_add_test(root, kept_and_stripped_roots);
    tcase_add_test(root, horizontal_is_across_the_scenes_y);
    tcase_add_test(root, looped_root_walks_on);
    tcase_add_test(root, looped_root_turns);
    suite_add_tcase(s, root);
    return s;
}

TEST_MAIN(suite())
