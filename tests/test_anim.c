/* test_anim.c: sampling, world matrices, palettes and frame times against values by hand and double
 * evaluators. */
#include "test.h"

#include "anim/keys.h"
#include "marrow/anim.h"

#define MAX_NODES   8
#define MAX_WEIGHTS 8

/* ---- a scene by hand ------------------------------------------------------------------------- */

typedef struct stage {
    mrw_scene scene;
    mrw_node nodes[MAX_NODES];
    mrw_clip clip;
    mrw_channel channels[MAX_NODES];
    mrw_transform locals[MAX_NODES];
    uint8_t animated[MAX_NODES];
    uint32_t cursors[MAX_NODES];
    float weights[MAX_WEIGHTS];
    mrw_mat4 node_to_world[MAX_NODES];
} stage;

static stage make_stage(uint32_t node_count)
{
    stage s;
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < node_count; i++) {
        s.nodes[i].parent = i > 0 ? i - 1 : MRW_NONE;
        s.nodes[i].matrix = MRW_NONE;
        s.nodes[i].rest.rotation[3] = 1.0f;
        for (int c = 0; c < 3; c++) {
            s.nodes[i].rest.scale[c] = 1.0f;
        }
    }
    s.scene.nodes_count = node_count;
    s.scene.clips_count = 1;
    return s;
}

static mrw_channel make_channel(uint32_t node, mrw_path path, mrw_interpolation interpolation,
                                uint32_t width, uint32_t key_count)
{
    return (mrw_channel){.node = node,
                         .path = path,
                         .interpolation = interpolation,
                         .width = width,
                         .key_count = key_count};
}

static void sample_at(stage *s, uint32_t clip, double time, uint32_t *cursors)
{
    s->scene.nodes = s->nodes;
    s->scene.clips = &s->clip;
    s->scene.channels = s->channels;
    mrw_poser *poser = NULL;
    ck_assert_int_eq(mrw_poser_create(&s->scene, &poser, NULL), MRW_OK);
    mrw_sample_job job = {.poser = poser,
                          .clip = clip,
                          .time = time,
                          .cursors = cursors,
                          .locals = s->locals,
                          .animated = s->animated,
                          .weights = s->weights};
    mrw_sample(&job);
    mrw_poser_free(poser);
}

/* One channel on node 0 with the given keys, lasting until the last of them. */
static stage one_channel(mrw_channel channel, const double *times, const float *values)
{
    stage s = make_stage(1);
    s.channels[0] = channel;
    s.clip.channel_count = 1;
    s.clip.duration = times[channel.key_count - 1];
    s.scene.key_times = times;
    s.scene.key_values = values;
    return s;
}

static void check3(const float *actual, float x, float y, float z)
{
    ck_assert_msg(actual[0] == x && actual[1] == y && actual[2] == z, "%.9g %.9g %.9g",
                  (double)actual[0], (double)actual[1], (double)actual[2]);
}

/* ---- key search ------------------------------------------------------------------------------ */

START_TEST(any_guess_finds_the_same_key)
{
    const double times[6] = {0.5, 1.0, 1.25, 2.0, 7.0, 7.5};
    for (uint32_t count = 1; count <= 6; count++) {
        for (double time = 0.0; time < 9.0; time += 0.125) {
            uint32_t expected = 0; /* by definition: the last key at or before */
            for (uint32_t k = 0; k < count; k++) {
                if (times[k] <= time) {
                    expected = k;
                }
            }
            ck_assert_uint_eq(mrwi_anim_key_search(times, count, time), expected);
            for (uint32_t guess = 0; guess < 9; guess++) {
                for (uint32_t other = 0; other < 9; other++) {
                    ck_assert_uint_eq(mrwi_anim_key_find(times, count, time, guess, other),
                                      expected);
                }
                ck_assert_uint_eq(mrwi_anim_key_find(times, count, time, UINT32_MAX, guess),
                                  expected);
            }
        }
    }
}
END_TEST

/* ---- interpolation --------------------------------------------------------------------------- */

static const double three_times[3] = {1.0, 2.0, 4.0};
static const float three_values[9] = {1, 10, 100, 2, 20, 200, 4, 40, 400};

START_TEST(step_holds_until_the_next_key)
{
    stage s = one_channel(make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_STEP, 3, 3),
                          three_times, three_values);
    sample_at(&s, 0, 1.999, NULL);
    check3(s.locals[0].translation, 1, 10, 100);
    sample_at(&s, 0, 2.0, NULL);
    check3(s.locals[0].translation, 2, 20, 200);
    sample_at(&s, 0, 3.999, NULL);
    check3(s.locals[0].translation, 2, 20, 200);
    sample_at(&s, 0, 4.0, NULL);
    check3(s.locals[0].translation, 4, 40, 400);
}
END_TEST

START_TEST(linear_interpolates_and_clamps)
{
    stage s = one_channel(make_channel(0, MRW_PATH_SCALE, MRW_INTERPOLATION_LINEAR, 3, 3),
                          three_times, three_values);
    const struct {
        double time;
        float x, y, z;
    } cases[] = {{-5.0, 1, 10, 100},        {0.0, 1, 10, 100}, {1.0, 1, 10, 100},
                 {1.25, 1.25f, 12.5f, 125}, {2.0, 2, 20, 200}, {3.0, 3, 30, 300},
                 {3.5, 3.5f, 35, 350},      {4.0, 4, 40, 400}, {99.0, 4, 40, 400}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample_at(&s, 0, cases[i].time, NULL);
        check3(s.locals[0].scale, cases[i].x, cases[i].y, cases[i].z);
        check3(s.locals[0].translation, 0, 0, 0);
        ck_assert_uint_eq(s.animated[0], MRW_ANIMATED_SCALE);
    }
    sample_at(&s, 0, (double)NAN, NULL);
    check3(s.locals[0].scale, 1, 10, 100);
}
END_TEST

/* Opposite ends of the range: b - a overflows in float, their middle is 0. */
START_TEST(linear_never_overflows)
{
    const double times[2] = {0.0, 1.0};
    const float values[6] = {-3e38f, 3e38f, 1, 3e38f, -3e38f, 1};
    stage s = one_channel(make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_LINEAR, 3, 2),
                          times, values);
    sample_at(&s, 0, 0.5, NULL);
    check3(s.locals[0].translation, 0, 0, 1);
}
END_TEST

/* A clip may end before its last key. */
START_TEST(time_clamps_to_the_duration)
{
    stage s = one_channel(make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_LINEAR, 3, 3),
                          three_times, three_values);
    s.clip.duration = 3.0;
    sample_at(&s, 0, 99.0, NULL);
    check3(s.locals[0].translation, 3, 30, 300);
}
END_TEST

/* Keys at 1 s and 3 s; in-tangent, value, out-tangent. Halfway the Hermite weights are 1/2, td/8,
 * 1/2, -td/8 with td = 2: 0.5*2 + 0.25*4 + 0.5*6 - 0.25*(-8) = 7. A quarter of the way they are
 * 27/32, 2*9/64, 5/32, -2*3/64: 27/16 + 9/8 + 15/16 + 3/4 = 4.5. */
static const double cubic_times[2] = {1.0, 3.0};
static const float cubic_values[18] = {99, 99, 99, 2, 0, 1,  4,  0,  0,
                                       -8, 0,  0,  6, 0, -1, 99, 99, 99};

START_TEST(cubic_scales_tangents_by_the_key_distance)
{
    stage s =
        one_channel(make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_CUBICSPLINE, 3, 2),
                    cubic_times, cubic_values);
    sample_at(&s, 0, 2.0, NULL);
    check3(s.locals[0].translation, 7, 0, 0);
    sample_at(&s, 0, 1.5, NULL);
    check3(s.locals[0].translation, 4.5f, 0, 0.6875f);
    sample_at(&s, 0, 0.25, NULL); /* before the first key and after the last: their values */
    check3(s.locals[0].translation, 2, 0, 1);
    sample_at(&s, 0, 1.0, NULL);
    check3(s.locals[0].translation, 2, 0, 1);
    sample_at(&s, 0, 3.0, NULL);
    check3(s.locals[0].translation, 6, 0, -1);
}
END_TEST

/* Halfway between (0,0,0,2) and (0,0,2,0) without tangents: (0,0,1,1), made unit. */
START_TEST(cubic_rotation_is_normalised)
{
    const float values[24] = {0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0,
                              0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    stage s = one_channel(make_channel(0, MRW_PATH_ROTATION, MRW_INTERPOLATION_CUBICSPLINE, 4, 2),
                          cubic_times, values);
    sample_at(&s, 0, 2.0, NULL);
    const float *q = s.locals[0].rotation;
    check3(q, 0, 0, q[3]);
    ck_assert_double_le(fabs((double)q[3] - sqrt(0.5)), 1e-7);
    sample_at(&s, 0, 1.0, NULL);
    check3(q, 0, 0, 0);
    ck_assert(q[3] == 1.0f);
}
END_TEST

START_TEST(zero_rotation_becomes_the_identity)
{
    const float values[24] = {0};
    stage s = one_channel(make_channel(0, MRW_PATH_ROTATION, MRW_INTERPOLATION_CUBICSPLINE, 4, 2),
                          cubic_times, values);
    sample_at(&s, 0, 2.0, NULL);
    check3(s.locals[0].rotation, 0, 0, 0);
    ck_assert(s.locals[0].rotation[3] == 1.0f);
}
END_TEST

START_TEST(single_key_is_constant)
{
    for (int i = 0; i < 3; i++) {
        const double times[1] = {2.0};
        const float values[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
        stage s = one_channel(make_channel(0, MRW_PATH_TRANSLATION, (mrw_interpolation)i, 3, 1),
                              times, values);
        for (double time = 0.0; time < 5.0; time += 1.0) {
            sample_at(&s, 0, time, NULL);
            check3(s.locals[0].translation, 1, 2, 3);
        }
    }
}
END_TEST

/* ---- slerp ----------------------------------------------------------------------------------- */

static uint64_t random_state;

static double random_unit(void)
{
    return test_random_double(&random_state, -1.0, 1.0);
}

static void random_quaternion(float q[4])
{
    double v[4], length = 0.0;
    for (int i = 0; i < 4; i++) {
        v[i] = random_unit();
        length += v[i] * v[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] = (float)(v[i] / sqrt(length));
    }
}

/* b at an angle of a, in the plane of a and a random direction */
static void quaternion_at_angle(const float a[4], double angle, float b[4])
{
    double direction[4], dot = 0.0, length = 0.0;
    for (int i = 0; i < 4; i++) {
        direction[i] = random_unit();
        dot += direction[i] * (double)a[i];
    }
    for (int i = 0; i < 4; i++) {
        direction[i] -= dot * (double)a[i];
        length += direction[i] * direction[i];
    }
    for (int i = 0; i < 4; i++) {
        b[i] = (float)(cos(angle) * (double)a[i] + sin(angle) * direction[i] / sqrt(length));
    }
}

/* Shoemake's formula in double, along the shorter arc. The angle comes from the chord, which unlike
 * acos stays accurate for neighbours. */
static void slerp_double(const float a[4], const float b[4], double t, double out[4])
{
    double dot = 0.0, minus = 0.0, plus = 0.0;
    for (int i = 0; i < 4; i++) {
        dot += (double)a[i] * (double)b[i];
    }
    const double sign = dot < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        minus += pow((double)a[i] - sign * (double)b[i], 2.0);
        plus += pow((double)a[i] + sign * (double)b[i], 2.0);
    }
    const double angle = 2.0 * atan2(sqrt(minus), sqrt(plus));
    const double of_a = angle < 1e-12 ? 1.0 - t : sin((1.0 - t) * angle) / sin(angle);
    const double of_b = angle < 1e-12 ? t : sin(t * angle) / sin(angle);
    for (int i = 0; i < 4; i++) {
        out[i] = of_a * (double)a[i] + sign * of_b * (double)b[i];
    }
}

/* A linear rotation channel from a at 0 s to b at 1 s, sampled at t. */
static void sample_slerp(const float a[4], const float b[4], double t, float out[4])
{
    const double times[2] = {0.0, 1.0};
    float values[8];
    memcpy(values, a, 4 * sizeof *a);
    memcpy(values + 4, b, 4 * sizeof *b);
    stage s = one_channel(make_channel(0, MRW_PATH_ROTATION, MRW_INTERPOLATION_LINEAR, 4, 2), times,
                          values);
    sample_at(&s, 0, t, NULL);
    memcpy(out, s.locals[0].rotation, 4 * sizeof *out);
}

static void check_slerp(const float a[4], const float b[4], double t)
{
    float actual[4];
    double expected[4], length = 0.0;
    sample_slerp(a, b, t, actual);
    slerp_double(a, b, t, expected);
    for (int i = 0; i < 4; i++) {
        double error = fabs((double)actual[i] - expected[i]);
        ck_assert_msg(error <= 2.5e-7, "t %g: %g, not %g", t, (double)actual[i], expected[i]);
        length += (double)actual[i] * (double)actual[i];
    }
    ck_assert_double_le(fabs(length - 1.0), 4e-7);
}

START_TEST(slerp_is_shoemakes)
{
    random_state = 1;
    for (int i = 0; i < TEST_ROUNDS(20000); i++) {
        float a[4], b[4];
        random_quaternion(a);
        if (i % 2) {
            random_quaternion(b); /* half of them on the far side */
        } else {
            quaternion_at_angle(a, ldexp(1.57, -(i % 40)), b);
        }
        check_slerp(a, b, (double)(i % 101) / 101.0);
        check_slerp(a, a, (double)(i % 101) / 101.0);
    }
}
END_TEST

/* 90 degrees between quaternions is the most there is, and 60 degrees about x a third of 180. */
START_TEST(slerp_of_a_half_turn)
{
    const float a[4] = {0, 0, 0, 1}, b[4] = {1, 0, 0, 0};
    const double times[2] = {0.0, 3.0};
    const float values[8] = {0, 0, 0, 1, 1, 0, 0, 0};
    stage s = one_channel(make_channel(0, MRW_PATH_ROTATION, MRW_INTERPOLATION_LINEAR, 4, 2), times,
                          values);
    sample_at(&s, 0, 1.0, NULL);
    ck_assert_double_le(fabs((double)s.locals[0].rotation[0] - 0.5), 2e-7);
    ck_assert_double_le(fabs((double)s.locals[0].rotation[3] - sqrt(0.75)), 2e-7);
    for (int i = 0; i <= 1000; i++) {
        check_slerp(a, b, i / 1000.0);
    }
}
END_TEST

START_TEST(slerp_swaps_with_its_ends)
{
    random_state = 2;
    for (int i = 0; i < 1000; i++) {
        float a[4], b[4];
        random_quaternion(a);
        quaternion_at_angle(a, 1.5 * (double)i / 1000.0, b);
        const double t = (double)(i % 64) / 64.0; /* exact, like 1 - t */
        float there[4], back[4];
        sample_slerp(a, b, t, there);
        sample_slerp(b, a, 1.0 - t, back);
        ck_assert(memcmp(there, back, sizeof there) == 0);
    }
}
END_TEST

/* ---- keys and cursors ------------------------------------------------------------------------ */

#define KEYS 50

/* Two channels: rotation and, with its own times, translation. */
static stage busy_stage(double *times, float *values)
{
    double time = 0.0;
    for (int k = 0; k < 2 * KEYS; k++) {
        time = k == KEYS ? 0.125 : time + 0.01 + (random_unit() + 1.0) * 0.1;
        times[k] = time;
    }
    float *q = values;
    random_quaternion(q);
    for (int k = 1; k < KEYS; k++) {
        quaternion_at_angle(q + 4 * (k - 1), 0.7, q + 4 * k);
    }
    for (int i = 0; i < 3 * KEYS; i++) {
        values[4 * KEYS + i] = (float)random_unit();
    }
    stage s = make_stage(1);
    s.channels[0] = make_channel(0, MRW_PATH_ROTATION, MRW_INTERPOLATION_LINEAR, 4, KEYS);
    s.channels[1] = make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_LINEAR, 3, KEYS);
    s.channels[1].first_time = KEYS;
    s.channels[1].first_value = 4 * KEYS;
    s.clip.channel_count = 2;
    s.clip.duration = times[KEYS - 1] > time ? times[KEYS - 1] : time;
    s.scene.key_times = times;
    s.scene.key_values = values;
    return s;
}

START_TEST(sampling_at_a_key_returns_the_key)
{
    static double times[2 * KEYS];
    static float values[7 * KEYS];
    random_state = 3;
    stage s = busy_stage(times, values);
    for (int k = 0; k < KEYS; k++) {
        sample_at(&s, 0, times[k], s.cursors);
        ck_assert(memcmp(s.locals[0].rotation, values + 4 * k, 16) == 0);
        sample_at(&s, 0, times[KEYS + k], NULL);
        ck_assert(memcmp(s.locals[0].translation, values + 4 * KEYS + 3 * k, 12) == 0);
    }
}
END_TEST

START_TEST(random_cursors_change_nothing)
{
    static double times[2 * KEYS];
    static float values[7 * KEYS];
    random_state = 4;
    stage s = busy_stage(times, values);
    for (int i = 0; i < TEST_ROUNDS(5000); i++) {
        const double time = (random_unit() + 1.0) * 0.55 * s.clip.duration;
        sample_at(&s, 0, time, NULL);
        const mrw_transform expected = s.locals[0];
        if (i % 3 == 0) {
            s.cursors[0] = test_random_below(&random_state, KEYS + 2);
            s.cursors[1] = i % 2 ? UINT32_MAX : 0;
        }
        sample_at(&s, 0, time, s.cursors);
        ck_assert(memcmp(&expected, &s.locals[0], sizeof expected) == 0);
    }
}
END_TEST

/* Two keys of -0 to the bit, and 0 between them: -0 + (-0 - -0) t. */
START_TEST(minus_zero_is_interpolated_to_zero)
{
    const double times[2] = {0.0, 1.0};
    const float values[6] = {-0.0f, 5.0f, 6.0f, -0.0f, 5.0f, 6.0f};
    stage s = one_channel(make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_LINEAR, 3, 2),
                          times, values);
    for (int i = 0; i < 3; i++) {
        sample_at(&s, 0, 0.5 * i, NULL);
        check3(s.locals[0].translation, 0, 5, 6);
        ck_assert(!signbit(s.locals[0].translation[0]) == (i == 1));
    }
}
END_TEST

/* ---- rest values, weights -------------------------------------------------------------------- */

START_TEST(unanimated_parts_keep_their_rest)
{
    const double times[1] = {0.0};
    const float values[3] = {7, 8, 9};
    stage s = make_stage(2);
    s.scene.key_times = times;
    s.scene.key_values = values;
    s.nodes[0].rest = (mrw_transform){{1, 2, 3}, {0, 1, 0, 0}, {4, 5, 6}};
    s.nodes[1].rest = (mrw_transform){{-1, -2, -3}, {0, 0, 1, 0}, {1, 2, 1}};
    s.channels[0] = make_channel(1, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_LINEAR, 3, 1);
    s.clip.channel_count = 1;
    sample_at(&s, 0, 0.0, s.cursors);
    ck_assert(memcmp(&s.locals[0], &s.nodes[0].rest, sizeof(mrw_transform)) == 0);
    check3(s.locals[1].translation, 7, 8, 9);
    check3(s.locals[1].scale, 1, 2, 1);
    ck_assert(s.locals[1].rotation[2] == 1.0f);
    ck_assert(s.animated[0] == 0 && s.animated[1] == MRW_ANIMATED_TRANSLATION);
    sample_at(&s, MRW_NONE, 0.0, NULL);
    check3(s.locals[1].translation, -1, -2, -3);
    ck_assert(s.animated[1] == 0);
}
END_TEST

/* Node 0 owns weights 0 and 1 (not animated), node 1 weights 2 ... 4 (linear), node 2 weight 5
 * (cubic). */
START_TEST(weights_follow_their_nodes)
{
    const double times[2] = {0.0, 2.0};
    const float values[12] = {0, 1, -1, 4, 1, 2, 0, 3, 0, 0, 5, 0};
    const float rest[6] = {0.25f, 0.75f, 9, 9, 9, 9};
    stage s = make_stage(3);
    s.nodes[0].weight_count = 2;
    s.nodes[1].first_weight = 2;
    s.nodes[1].weight_count = 3;
    s.nodes[2].first_weight = 5;
    s.nodes[2].weight_count = 1;
    s.scene.weights = rest;
    s.scene.weights_count = 6;
    s.scene.key_times = times;
    s.scene.key_values = values;
    s.channels[0] = make_channel(1, MRW_PATH_WEIGHTS, MRW_INTERPOLATION_LINEAR, 3, 2);
    s.channels[1] = make_channel(2, MRW_PATH_WEIGHTS, MRW_INTERPOLATION_CUBICSPLINE, 1, 2);
    s.channels[1].first_value = 6;
    s.clip.channel_count = 2;
    s.clip.duration = 2.0;
    sample_at(&s, 0, 1.0, s.cursors);
    const float expected[6] = {0.25f, 0.75f, 2, 1, 0.5f, 4};
    for (int i = 0; i < 6; i++) {
        ck_assert(s.weights[i] == expected[i]);
    }
    ck_assert(s.animated[0] == 0 && s.animated[1] == MRW_ANIMATED_WEIGHTS);
    ck_assert(s.animated[2] == MRW_ANIMATED_WEIGHTS); /* no T, R or S */
    sample_at(&s, MRW_NONE, 1.0, NULL);
    ck_assert(memcmp(s.weights, rest, sizeof rest) == 0);
}
END_TEST

/* ---- world matrices -------------------------------------------------------------------------- */

/* As last sampled. */
static void place_nodes(stage *s, const mrw_mat4 *model_to_world)
{
    mrw_poser *poser = NULL;
    ck_assert_int_eq(mrw_poser_create(&s->scene, &poser, NULL), MRW_OK);
    mrw_world_job job = {poser,          s->locals,        s->animated,
                         model_to_world, s->node_to_world, MRW_ISA_AUTO};
    mrw_local_to_world(&job);
    mrw_poser_free(poser);
}

static void to_world(stage *s, const mrw_mat4 *model_to_world)
{
    sample_at(s, MRW_NONE, 0.0, NULL);
    place_nodes(s, model_to_world);
}

static void check_matrix(const mrw_mat4 *actual, const float expected[16])
{
    for (int i = 0; i < 16; i++) {
        ck_assert_msg(actual->m[i] == expected[i], "element %d: %.9g, not %.9g", i,
                      (double)actual->m[i], (double)expected[i]);
    }
}

/* T * R * S with R a half turn about z: (x, y, z) -> (-2x + 1, -3y + 2, 4z + 3). */
START_TEST(transform_is_translation_rotation_scale)
{
    stage s = make_stage(1);
    s.nodes[0].rest = (mrw_transform){{1, 2, 3}, {0, 0, 1, 0}, {2, 3, 4}};
    to_world(&s, NULL);
    const float expected[16] = {-2, 0, 0, 0, 0, -3, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1};
    check_matrix(&s.node_to_world[0], expected);
}
END_TEST

/* (1, 1, 1, 1)/2 turns x to y, y to z, z to x. */
START_TEST(rotation_of_the_axes)
{
    stage s = make_stage(1);
    s.nodes[0].rest = (mrw_transform){{0, 0, 0}, {0.5f, 0.5f, 0.5f, 0.5f}, {2, 3, 5}};
    to_world(&s, NULL);
    const float expected[16] = {0, 2, 0, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, 0, 0, 1};
    check_matrix(&s.node_to_world[0], expected);
}
END_TEST

/* Each node turns the axes and steps 1 along its x: x -> y -> z -> x, closing after three. */
START_TEST(chains_multiply_parents_first)
{
    stage s = make_stage(4);
    for (int i = 0; i < 4; i++) {
        s.nodes[i].rest = (mrw_transform){{1, 0, 0}, {0.5f, 0.5f, 0.5f, 0.5f}, {1, 1, 1}};
    }
    s.nodes[3].parent = 1; /* a sibling of node 2 */
    to_world(&s, NULL);
    const float second[16] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1};
    const float third[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1};
    check_matrix(&s.node_to_world[1], second);
    check_matrix(&s.node_to_world[2], third);
    check_matrix(&s.node_to_world[3], third);
    const mrw_mat4 model = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 10, 1}};
    to_world(&s, &model);
    const float moved[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 2, 2, 12, 1};
    check_matrix(&s.node_to_world[2], moved);
}
END_TEST

/* A sheared matrix stands unless the clip animates its node; then the rest values do. */
START_TEST(matrix_nodes_use_their_matrix)
{
    const mrw_mat4 sheared = {{1, 0, 0, 0, 0.5f, 1, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1}};
    const double times[1] = {0.0};
    const float values[3] = {0, 0, 5};
    stage s = make_stage(2);
    s.scene.matrices = &sheared;
    s.scene.matrices_count = 1;
    s.nodes[0].matrix = 0;
    s.nodes[0].rest.translation[0] = 3.0f;
    s.nodes[1].rest.translation[1] = 2.0f;
    to_world(&s, NULL);
    check_matrix(&s.node_to_world[0], sheared.m);
    const float child[16] = {1, 0, 0, 0, 0.5f, 1, 0, 0, 0, 0, 1, 0, 4, 2, 0, 1};
    check_matrix(&s.node_to_world[1], child);

    s.scene.key_times = times;
    s.scene.key_values = values;
    s.channels[0] = make_channel(0, MRW_PATH_TRANSLATION, MRW_INTERPOLATION_LINEAR, 3, 1);
    s.clip.channel_count = 1;
    sample_at(&s, 0, 0.0, NULL);
    place_nodes(&s, NULL);
    const float animated[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1};
    check_matrix(&s.node_to_world[0], animated);
}
END_TEST

static void product_double(const mrw_mat4 *a, const double b[16], double out[16])
{
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            out[4 * c + r] = 0.0;
            for (int k = 0; k < 4; k++) {
                out[4 * c + r] += (double)a->m[4 * k + r] * b[4 * c + k];
            }
        }
    }
}

/* v + 2w(q x v) + 2 q x (q x v) in double, after scaling */
static void local_double(const mrw_transform *t, double out[16])
{
    const double q[3] = {(double)t->rotation[0], (double)t->rotation[1], (double)t->rotation[2]};
    const double w = (double)t->rotation[3];
    for (int c = 0; c < 3; c++) {
        double v[3] = {0.0, 0.0, 0.0};
        v[c] = (double)t->scale[c];
        double u[3], uu[3];
        for (int i = 0; i < 3; i++) {
            u[i] = q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3];
        }
        for (int i = 0; i < 3; i++) {
            uu[i] = q[(i + 1) % 3] * u[(i + 2) % 3] - q[(i + 2) % 3] * u[(i + 1) % 3];
        }
        for (int i = 0; i < 3; i++) {
            out[4 * c + i] = v[i] + 2.0 * (w * u[i] + uu[i]);
        }
        out[4 * c + 3] = 0.0;
        out[12 + c] = (double)t->translation[c];
    }
    out[15] = 1.0;
}

START_TEST(random_transforms_match_double)
{
    random_state = 5;
    for (int round = 0; round < TEST_ROUNDS(2000); round++) {
        stage s = make_stage(2);
        for (int n = 0; n < 2; n++) {
            random_quaternion(s.nodes[n].rest.rotation);
            for (int i = 0; i < 3; i++) {
                s.nodes[n].rest.translation[i] = (float)random_unit();
                s.nodes[n].rest.scale[i] = (float)random_unit();
            }
        }
        to_world(&s, NULL);
        double local[16], world[16];
        local_double(&s.nodes[0].rest, local);
        for (int i = 0; i < 16; i++) {
            ck_assert_double_le(fabs(local[i] - (double)s.node_to_world[0].m[i]), 1e-6);
        }
        local_double(&s.nodes[1].rest, local);
        product_double(&s.node_to_world[0], local, world);
        for (int i = 0; i < 16; i++) {
            ck_assert_double_le(fabs(world[i] - (double)s.node_to_world[1].m[i]), 2e-6);
        }
    }
}
END_TEST

/* Last rows stay 0, 0, 0, 1 to the bit, even where the product overflows. */
START_TEST(last_rows_stay_exact)
{
    stage s = make_stage(3);
    for (int i = 0; i < 3; i++) {
        s.nodes[i].rest = (mrw_transform){{-1, -2, -3}, {0, 0, 0, 1}, {-3e38f, -3e38f, -1}};
    }
    to_world(&s, NULL);
    const float row[4] = {0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 4; c++) {
            ck_assert(memcmp(&s.node_to_world[i].m[4 * c + 3], &row[c], sizeof *row) == 0);
        }
    }
}
END_TEST

START_TEST(no_model_matrix_is_the_identity)
{
    const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    stage s = make_stage(1);
    s.nodes[0].rest = (mrw_transform){{-0.0f, 1e-42f, 3}, {0, 1, 0, 0}, {-1, 0, 1}};
    to_world(&s, NULL);
    const mrw_mat4 without = s.node_to_world[0];
    to_world(&s, &identity);
    ck_assert(memcmp(&without, &s.node_to_world[0], sizeof without) == 0);
}
END_TEST

/* ---- palettes -------------------------------------------------------------------------------- */

START_TEST(palette_applies_the_inverse_bind_first)
{
    const mrw_skin skins[2] = {{0, 0, 1}, {0, 1, 2}};
    const uint32_t joints[3] = {0, 1, 0};
    const mrw_mat4 geometry_to_joint[3] = {{{9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 1}},
                                           {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -2, -3, 1}},
                                           {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}}};
    const mrw_mat4 node_to_world[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}},
                                       {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
    _Alignas(64) mrw_mat4 palette[2];
    mrw_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.skins = skins;
    scene.skins_count = 2;
    scene.joints = joints;
    scene.geometry_to_joint = geometry_to_joint;
    mrw_palette_job job = {&scene, 1, false, NULL, node_to_world, palette, MRW_ISA_AUTO};
    mrw_build_palette(&job);
    const float first[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 2, -1, -3, 1};
    const float second[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1};
    check_matrix(&palette[0], first);
    check_matrix(&palette[1], second);

    job.bind = true;
    mrw_build_palette(&job);
    const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    check_matrix(&palette[0], identity);
    job.model_to_world = &node_to_world[1];
    mrw_build_palette(&job);
    check_matrix(&palette[1], node_to_world[1].m);
}
END_TEST

/* ---- frame times ----------------------------------------------------------------------------- */

START_TEST(frame_time_is_one_division)
{
    const mrw_rate ntsc = {30000, 1001}, thirty = {30, 1};
    for (uint64_t k = 0; k < 10000; k++) {
        ck_assert(mrw_frame_time(k, ntsc) == (double)(k * 1001) / 30000.0);
        ck_assert(mrw_frame_time(k, thirty) == (double)k / 30.0);
    }
    ck_assert(mrw_frame_time(30000, ntsc) == 1001.0);
}
END_TEST

START_TEST(last_frame_tolerates_float_durations)
{
    const mrw_rate thirty = {30, 1}, ntsc = {30000, 1001};
    ck_assert_uint_eq(mrw_last_frame(0.0, thirty), 0);
    ck_assert_uint_eq(mrw_last_frame(-1.0, thirty), 0);
    ck_assert_uint_eq(mrw_last_frame((double)NAN, thirty), 0);
    ck_assert_uint_eq(mrw_last_frame(1.0, thirty), 30);
    ck_assert_uint_eq(mrw_last_frame(1.033, thirty), 30);
    ck_assert_uint_eq(mrw_last_frame(1001.0, ntsc), 30000);
    ck_assert_uint_eq(mrw_last_frame((100.0 - 0.99e-4) / 30.0, thirty), 100);
    ck_assert_uint_eq(mrw_last_frame((100.0 - 1.01e-4) / 30.0, thirty), 99);
    ck_assert_uint_eq(mrw_last_frame((100.0 + 1e-6) / 30.0, thirty), 100);
    for (uint64_t k = 1; k < 1000; k++) { /* durations that went through a 32-bit key time */
        ck_assert_uint_eq(mrw_last_frame((double)(float)((double)k / 30.0), thirty), k);
    }
    ck_assert_uint_eq(mrw_last_frame(1e300, thirty), (uint64_t)1 << 53);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("anim");
    TCase *sampling = tcase_create("sampling");
    tcase_add_test(sampling, any_guess_finds_the_same_key);
    tcase_add_test(sampling, step_holds_until_the_next_key);
    tcase_add_test(sampling, linear_interpolates_and_clamps);
    tcase_add_test(sampling, linear_never_overflows);
    tcase_add_test(sampling, time_clamps_to_the_duration);
    tcase_add_test(sampling, cubic_scales_tangents_by_the_key_distance);
    tcase_add_test(sampling, cubic_rotation_is_normalised);
    tcase_add_test(sampling, zero_rotation_becomes_the_identity);
    tcase_add_test(sampling, single_key_is_constant);
    tcase_add_test(sampling, sampling_at_a_key_returns_the_key);
    tcase_add_test(sampling, random_cursors_change_nothing);
    tcase_add_test(sampling, minus_zero_is_interpolated_to_zero);
    tcase_add_test(sampling, unanimated_parts_keep_their_rest);
    tcase_add_test(sampling, weights_follow_their_nodes);
    suite_add_tcase(s, sampling);
    TCase *slerp = tcase_create("slerp");
    tcase_add_test(slerp, slerp_is_shoemakes);
    tcase_add_test(slerp, slerp_of_a_half_turn);
    tcase_add_test(slerp, slerp_swaps_with_its_ends);
    suite_add_tcase(s, slerp);
    TCase *world = tcase_create("world");
    tcase_add_test(world, transform_is_translation_rotation_scale);
    tcase_add_test(world, rotation_of_the_axes);
    tcase_add_test(world, chains_multiply_parents_first);
    tcase_add_test(world, matrix_nodes_use_their_matrix);
    tcase_add_test(world, random_transforms_match_double);
    tcase_add_test(world, last_rows_stay_exact);
    tcase_add_test(world, no_model_matrix_is_the_identity);
    tcase_add_test(world, palette_applies_the_inverse_bind_first);
    suite_add_tcase(s, world);
    TCase *times = tcase_create("times");
    tcase_add_test(times, frame_time_is_one_division);
    tcase_add_test(times, last_frame_tolerates_float_durations);
    suite_add_tcase(s, times);
    return s;
}

TEST_MAIN(suite())
