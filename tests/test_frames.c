/* test_frames.c: where in a clip the frames of a loop lie; expected values by whole numbers. */
#include "test.h"

#include "base/frames.h"
#include "marrow/options.h"

#include <math.h>

static const mrw_rate thirty = {30, 1};
static const mrw_rate ntsc = {30000, 1001};

/* No float is 32/30; every frame of every loop is one of the 32, to the bit. */
START_TEST(a_rounded_duration_loops_after_whole_frames)
{
    static const struct {
        mrw_rate rate;
        uint32_t frames;
    } clips[] = {{{30, 1}, 32},       {{30, 1}, 7},          {{24, 1}, 1},
                 {{60, 1}, 61},       {{30000, 1001}, 100},  {{24000, 1001}, 17},
                 {{25, 1}, 25 * 600}, {{30000, 1001}, 9973}, {{1, 7}, 3}};
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        const mrw_rate rate = clips[i].rate;
        const uint32_t n = clips[i].frames;
        const double duration = (float)((double)n * rate.den / rate.num);
        ck_assert_uint_eq(mrwi_base_whole_frames(duration, rate), n);
        for (uint32_t k = 0; k < 5 * n; k++) {
            const double time = (double)k * rate.den / rate.num;
            const double first = (double)(k % n) * rate.den / rate.num;
            const mrwi_base_clip_position at = mrwi_base_loop(time, duration, rate);
            ck_assert_double_eq(at.time, first < duration ? first : duration);
            ck_assert_int_eq(at.loops, k / n);
            const uint32_t round = k % (2 * n), turned = round > n ? 2 * n - round : round;
            const double there = (double)turned * rate.den / rate.num;
            ck_assert_double_eq(mrwi_base_pingpong(time, duration, rate),
                                there < duration ? there : duration);
        }
    }
}
END_TEST

START_TEST(before_the_start)
{
    const double duration = (float)(32.0 / 30.0);
    mrwi_base_clip_position at = mrwi_base_loop(-1.0 / 30.0, duration, thirty);
    ck_assert_double_eq(at.time, 31.0 / 30.0);
    ck_assert_int_eq(at.loops, -1);
    at = mrwi_base_loop(-32.0 / 30.0, duration, thirty);
    ck_assert_double_eq(at.time, 0.0);
    ck_assert_int_eq(at.loops, -1);
    ck_assert(!signbit(at.time));
    at = mrwi_base_loop(-33.0 / 30.0, duration, thirty);
    ck_assert_double_eq(at.time, 31.0 / 30.0);
    ck_assert_int_eq(at.loops, -2);
    ck_assert_int_eq(mrwi_base_loop(-3.25, 1.5, (mrw_rate){0, 0}).loops, -3);
    ck_assert_double_eq(mrwi_base_loop(-3.25, 1.5, (mrw_rate){0, 0}).time, 1.25);
    ck_assert_double_eq(mrwi_base_pingpong(-1.0 / 30.0, duration, thirty), 1.0 / 30.0);
}
END_TEST

/* 1.05 seconds are 31.5 frames, and without a rate there are no frames. */
START_TEST(other_durations_loop_by_themselves)
{
    static const double durations[] = {1.05, 1.0 + 2e-4 / 30.0, 1.0 - 2e-4 / 30.0, 0.01};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(mrwi_base_whole_frames(durations[i], thirty), 0);
        ck_assert_double_eq(mrwi_base_loop(2.0, durations[i], thirty).time,
                            fmod(2.0, durations[i]));
    }
    ck_assert_uint_eq(mrwi_base_whole_frames(1.0, (mrw_rate){0, 0}), 0);
    ck_assert_double_eq(mrwi_base_loop(2.75, 1.5, (mrw_rate){0, 0}).time, 1.25);
    ck_assert_int_eq(mrwi_base_loop(4.75, 1.5, (mrw_rate){0, 0}).loops, 3);
    ck_assert_double_eq(mrwi_base_pingpong(2.75, 1.5, (mrw_rate){0, 0}), 0.25);
}
END_TEST

/* A time between frames is repeated after as many seconds as the frames take. */
START_TEST(between_frames)
{
    const double duration = (float)(32.0 / 30.0);
    const mrwi_base_clip_position at = mrwi_base_loop(0.01 + 64.0 / 30.0, duration, thirty);
    ck_assert_double_eq_tol(at.time, 0.01, 1e-15);
    ck_assert_int_eq(at.loops, 2);
    /* the float lies before 100 frames' end: a time behind it is the end */
    const double late = 100.0 * 1001.0 / 30000.0, shorter = (float)late;
    ck_assert_double_lt(mrwi_base_loop(late - 1e-9, shorter, ntsc).time, shorter + 1e-12);
}
END_TEST

START_TEST(what_is_no_time)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_double_eq(mrwi_base_loop(bad[i], 1.0, thirty).time, 0.0);
        ck_assert_double_eq(mrwi_base_pingpong(bad[i], 1.0, thirty), 0.0);
    }
    ck_assert_double_eq(mrwi_base_loop(3.0, (double)NAN, thirty).time, 0.0);
    ck_assert_double_eq(mrwi_base_loop(3.0, 0.0, thirty).time, 0.0);
    ck_assert_double_eq(mrwi_base_loop(3.0, -1.0, thirty).time, 0.0);
    const mrwi_base_clip_position far = mrwi_base_loop(1.5e308, 1.0, thirty);
    ck_assert(far.time >= 0.0 && far.time <= 1.0);
    ck_assert_int_eq(far.loops, 1000000000);
}
END_TEST

START_TEST(settings_wrap_alike)
{
    const double duration = (float)(32.0 / 30.0);
    for (int k = -40; k < 200; k++) {
        const double time = k / 30.0;
        ck_assert_double_eq(mrw_wrap_time(MRW_TIME_LOOP, time, duration, thirty),
                            ((k % 32 + 32) % 32) / 30.0);
        ck_assert_double_eq(mrw_wrap_time(MRW_TIME_CLAMP, time, duration, thirty),
                            k <= 0 ? 0.0 : (k <= 32 ? k / 30.0 : duration));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frames");
    TCase *tc = tcase_create("frames");
    tcase_add_test(tc, a_rounded_duration_loops_after_whole_frames);
    tcase_add_test(tc, before_the_start);
    tcase_add_test(tc, other_durations_loop_by_themselves);
    tcase_add_test(tc, between_frames);
    tcase_add_test(tc, what_is_no_time);
    tcase_add_test(tc, settings_wrap_alike);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
