/* test_extrapolation.c: channels before their first key and behind their last. What is expected
 * comes from walking cycle by cycle, and from angles about one axis. */
#include "scene_fixture.h"

#include "marrow/anim.h"
#include "marrow/load.h"
#include "scene/blob.h"

#include "base/memory.h"

#include <math.h>

enum { KEYS = 4, MODES = MRW_EXTRAPOLATION_REPEAT_RELATIVE + 1 };

static const double key_times[KEYS] = {0.5, 0.75, 1.5, 2.0};
static const float heights[KEYS] = {1.0f, 3.0f, -2.0f, 2.5f};
static const float angles[KEYS] = {0.2f, 1.3f, 2.4f, 3.1f}; /* in steps below half a turn */

/* ---- a scene --------------------------------------------------------------------------------- */

typedef struct ends {
    uint16_t before, after, before_cycles, after_cycles;
} ends;

static void add_curve(mrwi_scene_builder *b, uint32_t node, mrw_path path, uint32_t width,
                      const float *values, const ends *e)
{
    const mrwi_scene_channel_input in = {.node = node,
                                         .path = path,
                                         .interpolation = MRW_INTERPOLATION_LINEAR,
                                         .width = width,
                                         .key_count = KEYS,
                                         .times = key_times,
                                         .values = values,
                                         .before = e->before,
                                         .after = e->after,
                                         .before_cycles = e->before_cycles,
                                         .after_cycles = e->after_cycles};
    add_channel(b, &in);
}

/* A node whose y goes by `heights` and that turns about x by `angles`; another one makes the clip
 * last from 0 to 4 s. */
static mrw_scene *make_scene(const ends *e)
{
    static const double all[2] = {0.0, 4.0};
    static const float still[6] = {0, 0, 0, 0, 1, 0};
    float places[3 * KEYS] = {0}, rotations[4 * KEYS] = {0};
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_node(b, "node", MRW_NONE), other = add_node(b, "other", MRW_NONE);
    for (int k = 0; k < KEYS; k++) {
        places[3 * k + 1] = heights[k];
        rotations[4 * k] = (float)sin(0.5 * (double)angles[k]);
        rotations[4 * k + 3] = (float)cos(0.5 * (double)angles[k]);
    }
    ck_assert_int_eq(mrwi_scene_builder_clip(b, "Clip", 0.0, NULL), MRW_OK);
    add_curve(b, node, MRW_PATH_TRANSLATION, 3, places, e);
    add_curve(b, node, MRW_PATH_ROTATION, 4, rotations, e);
    add_curve(b, node, MRW_PATH_SCALE, 3, places, e);
    const mrwi_scene_channel_input in = {.node = other,
                                         .path = MRW_PATH_TRANSLATION,
                                         .interpolation = MRW_INTERPOLATION_LINEAR,
                                         .width = 3,
                                         .key_count = 2,
                                         .times = all,
                                         .values = still};
    add_channel(b, &in);
    return finish(b);
}

static void sample(const mrw_scene *s, double time, bool beyond, mrw_isa isa, mrw_transform *locals)
{
    uint8_t animated[2];
    float weights[1];
    mrw_poser *poser;
    ck_assert_int_eq(mrw_poser_create(s, &poser, NULL), MRW_OK);
    mrw_sample(&(mrw_sample_job){.poser = poser,
                                 .clip = 0,
                                 .time = time,
                                 .beyond = beyond,
                                 .locals = locals,
                                 .animated = animated,
                                 .weights = weights,
                                 .isa = isa});
    mrw_poser_free(poser);
}

/* ---- what is expected ------------------------------------------------------------------------ */

static double between(const float *values, double time)
{
    int k = 0;
    while (k + 2 < KEYS && time >= key_times[k + 1]) {
        k++;
    }
    const double t = (time - key_times[k]) / (key_times[k + 1] - key_times[k]);
    return (double)values[k] + ((double)values[k + 1] - (double)values[k]) * t;
}

/* One cycle after the other, until the time lies in one. */
static double walk(const float *values, const ends *e, double time)
{
    const double first = key_times[0], last = key_times[KEYS - 1], period = last - first;
    const double gain = (double)values[KEYS - 1] - (double)values[0];
    const bool early = time < first;
    const int how = early ? e->before : e->after, most = early ? e->before_cycles : e->after_cycles;
    double from = early ? first - period : last, moved = early ? -gain : gain;
    bool turned = how == MRW_EXTRAPOLATION_MIRROR;
    if (time >= first && time <= last) {
        return between(values, time);
    }
    if (how == MRW_EXTRAPOLATION_HOLD) {
        return early ? (double)values[0] : (double)values[KEYS - 1];
    }
    if (how == MRW_EXTRAPOLATION_SLOPE) {
        return between(values, time);
    }
    for (int cycle = 1;; cycle++) {
        const bool inside = early ? time >= from : time < from + period;
        if (inside || (most > 0 && cycle == most)) {
            double at = inside ? time - from : early ? 0.0 : period;
            at = turned ? period - at : at;
            return between(values, first + at) +
                   (how == MRW_EXTRAPOLATION_REPEAT_RELATIVE ? moved : 0.0);
        }
        from += early ? -period : period;
        moved += early ? -gain : gain;
        turned = how == MRW_EXTRAPOLATION_MIRROR && !turned;
    }
}

static void check(const mrw_transform *local, const ends *e, double time)
{
    const double height = walk(heights, e, time), angle = walk(angles, e, time);
    const double sine = sin(0.5 * angle), cosine = cos(0.5 * angle);
    const float *q = local->rotation;
    ck_assert_double_eq_tol(local->translation[1], height, 2e-6 * (1.0 + fabs(height)));
    ck_assert_double_eq_tol(local->scale[1], height, 2e-6 * (1.0 + fabs(height)));
    ck_assert(local->translation[0] == 0.0f && local->translation[2] == 0.0f);
    ck_assert_double_eq_tol(fabs((double)q[0] * sine + (double)q[3] * cosine), 1.0, 1e-11 + 1e-6);
    const double off =
        (double)q[0] * cosine - (double)q[3] * sine; /* sine of half the difference */
    ck_assert_double_le(fabs(off), 2e-6 * (1.0 + fabs(time)));
}

/* Times that are no ends of cycles. */
static double time_of(int i)
{
    return -14.03 + 0.0713 * i;
}

START_TEST(each_way_on)
{
    static const mrw_isa kernels[] = {MRW_ISA_AUTO, MRW_ISA_SCALAR};
    const ends e = {(uint16_t)_i, (uint16_t)_i, 0, 0};
    mrw_scene *s = make_scene(&e);
    ck_assert_double_eq(s->clips[0].duration, 4.0);
    for (int i = 0; i < 460; i++) {
        mrw_transform got[2][2];
        for (int k = 0; k < 2; k++) {
            sample(s, time_of(i), true, kernels[k], got[k]);
            check(&got[k][0], &e, time_of(i));
        }
        ck_assert_mem_eq(got[0], got[1], sizeof got[0]);
        sample(s, time_of(i), false, MRW_ISA_AUTO, got[0]); /* within the clip alike */
        const double time = time_of(i) < 0.0 ? 0.0 : time_of(i) < 4.0 ? time_of(i) : 4.0;
        check(&got[0][0], &e, time);
    }
    mrw_scene_free(s);
}
END_TEST

/* Of each side its own, and as many cycles as are named. */
START_TEST(sides_and_cycles)
{
    static const ends cases[] = {
        {MRW_EXTRAPOLATION_REPEAT, MRW_EXTRAPOLATION_HOLD, 0, 0},
        {MRW_EXTRAPOLATION_SLOPE, MRW_EXTRAPOLATION_MIRROR, 0, 3},
        {MRW_EXTRAPOLATION_MIRROR, MRW_EXTRAPOLATION_REPEAT, 2, 1},
        {MRW_EXTRAPOLATION_REPEAT_RELATIVE, MRW_EXTRAPOLATION_REPEAT_RELATIVE, 3, 2},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        mrw_scene *s = make_scene(&cases[c]);
        for (int i = 0; i < 460; i++) {
            mrw_transform got[2];
            sample(s, time_of(i), true, MRW_ISA_AUTO, got);
            check(&got[0], &cases[c], time_of(i));
        }
        mrw_scene_free(s);
    }
}
END_TEST

START_TEST(at_keys_and_far_away)
{
    for (uint16_t how = 0; how < MODES; how++) {
        const ends e = {how, how, 0, 0};
        mrw_scene *s = make_scene(&e);
        mrw_transform got[2];
        for (int k = 0; k < KEYS; k++) {
            sample(s, key_times[k], true, MRW_ISA_AUTO, got);
            ck_assert(got[0].translation[1] == heights[k]);
        }
        const double far[] = {1e15, -1e15, 1e300, -1e300, (double)INFINITY, (double)NAN};
        for (size_t i = 0; i < COUNT(far); i++) {
            sample(s, far[i], true, MRW_ISA_AUTO, got);
            const float *f = (const float *)(const void *)&got[0];
            for (size_t k = 0; k < sizeof got[0] / sizeof *f; k++) {
                ck_assert(isfinite(f[k]));
            }
        }
        mrw_scene_free(s);
    }
}
END_TEST

/* Keys as close as doubles are: what holds between them holds. */
START_TEST(nearly_no_time)
{
    static const double at[2] = {0.0, 0x1p-1074};
    static const float places[6] = {3, 1, 2, 3, 1, 2};
    static const float rotations[8] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f};
    mrw_transform got[2];
    mrwi_scene_builder *b = begin();
    mrwi_scene_channel_input in = {.node = add_node(b, "node", MRW_NONE),
                                   .path = MRW_PATH_TRANSLATION,
                                   .interpolation = MRW_INTERPOLATION_LINEAR,
                                   .width = 3,
                                   .key_count = 2,
                                   .times = at,
                                   .values = places,
                                   .after = MRW_EXTRAPOLATION_SLOPE};
    ck_assert_int_eq(mrwi_scene_builder_clip(b, "Clip", 0.0, NULL), MRW_OK);
    add_channel(b, &in);
    in.path = MRW_PATH_ROTATION;
    in.width = 4;
    in.values = rotations;
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    sample(s, 1.0, true, MRW_ISA_AUTO, got);
    ck_assert_mem_eq(got[0].translation, places, sizeof got[0].translation);
    ck_assert_float_eq_tol(
        got[0].rotation[0] * got[0].rotation[0] + got[0].rotation[1] * got[0].rotation[1] +
            got[0].rotation[2] * got[0].rotation[2] + got[0].rotation[3] * got[0].rotation[3],
        1.0f, 1e-6f);
    mrw_scene_free(s);
}
END_TEST

/* ---- the scene: hashes, files, checks -------------------------------------------------------- */

START_TEST(it_is_hashed_and_compiled)
{
    const ends hold = {0}, e = {MRW_EXTRAPOLATION_MIRROR, MRW_EXTRAPOLATION_REPEAT, 7, 65535};
    mrw_scene *plain = make_scene(&hold), *s = make_scene(&e), *again;
    mrw_bytes file;
    mrw_error error;
    ck_assert(memcmp(mrw_scene_hash(plain), mrw_scene_hash(s), 32) != 0);
    ck_assert_int_eq(mrw_scene_compile(s, &file, &error), MRW_OK);
    ck_assert_msg(mrw_load_memory(file.data, file.size, "a.marrow", NULL, NULL, &again, &error) ==
                      MRW_OK,
                  "%s", error.text);
    ck_assert_mem_eq(mrw_scene_hash(again), mrw_scene_hash(s), 32);
    ck_assert_uint_eq(again->channels[0].before, e.before);
    ck_assert_uint_eq(again->channels[0].after, e.after);
    ck_assert_uint_eq(again->channels[0].before_cycles, 7);
    ck_assert_uint_eq(again->channels[0].after_cycles, 65535);
    mrw_bytes_free(&file);
    mrw_scene_free(again);
    mrw_scene_free(s);
    mrw_scene_free(plain);
}
END_TEST

/* Blobs of version 5 had channels without it. */
START_TEST(older_channels_hold)
{
    const ends hold = {0};
    const size_t entry = offsetof(mrw_channel, before), node = offsetof(mrw_node, flags);
    mrw_scene *s = make_scene(&hold), *read;
    mrw_error error;
    mrwi_scene_blob_header header;
    memcpy(&header, s->blob, sizeof header);
    header.version = 5;
    header.section_count--; /* the last section came with version 7 */
    header.sections[header.section_count] = (mrwi_scene_blob_section){0, 0};
    ck_assert(mrwi_scene_blob_layout(&header));
    char *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
    memcpy(blob, &header, sizeof header);
    mrwi_scene_blob_copy_sections(s->blob, blob);
    for (uint32_t i = 0; i < s->channels_count; i++) {
        memcpy(blob + header.sections[MRWI_SCENE_SECTION_channels].offset + i * entry,
               &s->channels[i], entry);
    }
    for (uint32_t i = 0; i < s->nodes_count; i++) { /* nor were nodes hidden */
        memcpy(blob + header.sections[MRWI_SCENE_SECTION_nodes].offset + i * node, &s->nodes[i],
               node);
    }
    ck_assert_msg(mrwi_scene_from_blob(blob, header.size, "x", &read, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_mem_eq(read->channels, s->channels, s->channels_count * sizeof *s->channels);
    ck_assert_mem_eq(mrw_scene_hash(read), mrw_scene_hash(s), 32);
    mrw_scene_free(read);
    mrw_scene_free(s);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    static const ends bad[] = {{MODES, 0, 0, 0},
                               {0, 65535, 0, 0},
                               {MRW_EXTRAPOLATION_HOLD, 0, 1, 0},
                               {0, MRW_EXTRAPOLATION_SLOPE, 0, 2}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        const ends hold = {0};
        mrw_scene *s = make_scene(&hold), *read;
        mrw_error error;
        void *blob = mrwi_base_alloc((size_t)s->blob_size, 1);
        memcpy(blob, s->blob, (size_t)s->blob_size);
        mrw_channel *channel = (mrw_channel *)(void *)((char *)blob + ((const char *)s->channels -
                                                                       (const char *)s->blob));
        channel->before = bad[i].before;
        channel->after = bad[i].after;
        channel->before_cycles = bad[i].before_cycles;
        channel->after_cycles = bad[i].after_cycles;
        ck_assert_int_eq(mrwi_scene_from_blob(blob, s->blob_size, "x", &read, &error),
                         MRW_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "a channel is out of range"));
        mrwi_base_free(blob);
        mrw_scene_free(s);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("extrapolation");
    TCase *tc = tcase_create("channels");
    tcase_add_loop_test(tc, each_way_on, 0, MODES);
    tcase_add_test(tc, sides_and_cycles);
    tcase_add_test(tc, at_keys_and_far_away);
    tcase_add_test(tc, nearly_no_time);
    tcase_add_test(tc, it_is_hashed_and_compiled);
    tcase_add_test(tc, older_channels_hold);
    tcase_add_test(tc, what_makes_no_sense_is_refused);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
