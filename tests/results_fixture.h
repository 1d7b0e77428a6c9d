/* results_fixture.h: results to write, read, merge and report, without running anything. */
#ifndef MARROW_RESULTS_FIXTURE_H
#define MARROW_RESULTS_FIXTURE_H

#include "test.h"

#include "marrow/golden.h"

/* What a stranger's name may hold: ends of elements, commands, cells and lines. */
#define NASTY                                                                                      \
    "</script>\x1b[31m\n::error::gone]]>\"'`|##[error]x % , : # \\ *b* <b>&amp; \xff\xc3\xa9 "     \
    "\xe2\x80\xae"

#define HASH_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HASH_B "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"

typedef struct fixture {
    mrw_results results;
    mrw_case_result cases[8];
    mrw_frame_result frames[4];
} fixture;

static inline mrw_frame_result good_frame(const char *name, uint64_t number)
{
    return (mrw_frame_result){.name = name,
                              .clip = "Walk",
                              .frame = number,
                              .time = (double)number / 30.0,
                              .passed = true,
                              .message = "",
                              .compared = true,
                              .metrics = {.passed = true,
                                          .same_size = true,
                                          .identical = true,
                                          .all_metrics = true,
                                          .subject = MRW_SUBJECT_DRAWN,
                                          .subject_pixels = 5210,
                                          .psnr = 999.0}};
}

static inline mrw_frame_result bad_frame(const char *name, uint64_t number)
{
    mrw_frame_result frame = good_frame(name, number);
    frame.passed = false;
    frame.why = MRW_WHY_PIXELS | MRW_WHY_POSE;
    frame.message = "132 of 5210 pixels differ";
    frame.expected = "hero/Walk/Walk_0012.expected.png";
    frame.actual = "hero/Walk/Walk_0012.png";
    frame.diff = "hero/Walk/Walk_0012.diff.png";
    frame.metrics = (mrw_compare_result){.same_size = true,
                                         .all_metrics = true,
                                         .subject = MRW_SUBJECT_ALPHA,
                                         .subject_pixels = 5210,
                                         .masked_pixels = 17,
                                         .differing = 132,
                                         .antialiased = 3,
                                         .ratio = 132.0 / 5210.0,
                                         .largest = {14, 3, 0, 1},
                                         .box = {80, 12, 40, 31},
                                         .mean = 0.1,
                                         .psnr = 40.125,
                                         .flip = 1.0 / 32.0,
                                         .flip_largest = 0.75};
    frame.pose = (mrw_pose_difference){"LeftFoot", 3.1, 0.0123, 1.25, 2, 49};
    frame.bounds = 0.003;
    return frame;
}

static inline mrw_case_result one_case(const char *name, mrw_outcome outcome)
{
    return (mrw_case_result){.suite = "hero",
                             .name = name,
                             .suite_file = "tests/hero/suite.ini",
                             .line = 12,
                             .model = "tests/hero/hero.glb",
                             .golden = "tests/hero/golden/hero/Walk",
                             .outcome = outcome,
                             .message = "",
                             .mode = "exact",
                             .seconds = 0.25,
                             .pixel_version = 1,
                             .golden_pixel_version = 1,
                             .scene_hash = HASH_A,
                             .golden_scene_hash = HASH_A,
                             .runs = 1};
}

static inline void count_outcomes(mrw_results *results)
{
    memset(results->counts, 0, sizeof results->counts);
    for (size_t i = 0; i < results->case_count; i++) {
        results->counts[results->cases[i].outcome]++;
    }
}

/* A case of every outcome; the failed one has a good frame between two bad ones. */
static inline void fill_fixture(fixture *f)
{
    static const char *const tags[] = {"fast", "smoke test"};
    static const char *const unused[] = {"tests/hero/golden/hero/Old/Old_0000.png"};
    memset(f, 0, sizeof *f);
    f->frames[0] = good_frame("Walk_0000", 0);
    f->frames[1] = bad_frame("Walk_0012", 12);
    f->frames[2] = good_frame("Walk_0024", 24);
    f->frames[3] = bad_frame("Walk_0036", 36);
    f->frames[3].actual = f->frames[3].diff = f->frames[3].expected = NULL;
    f->frames[3].why = MRW_WHY_MISSING | MRW_WHY_EMPTY;
    f->frames[3].message = "there is no golden";
    f->frames[3].emptiness = MRW_EMPTY_CUT;
    f->frames[3].compared = false;
    f->frames[3].metrics = (mrw_compare_result){0};
    f->frames[3].pose = (mrw_pose_difference){0};
    f->frames[3].bounds = 0.0;
    f->cases[0] = one_case("Idle", MRW_PASSED);
    f->cases[1] = one_case("Walk", MRW_FAILED);
    f->cases[1].message = "Walk_0012: 132 of 5210 pixels differ";
    f->cases[1].frames = f->frames;
    f->cases[1].frame_count = 4;
    f->cases[1].bad_frames = 2;
    f->cases[1].tags = tags;
    f->cases[1].tag_count = 2;
    f->cases[1].golden_scene_hash = HASH_B;
    f->cases[1].runs = 3;
    f->cases[2] = one_case("Run", MRW_XFAILED);
    f->cases[2].reason = "feet slide, see #12";
    f->cases[2].model_change = "a.glb: shape of Ear: box 4.0 taller";
    f->cases[2].suite_change = "count = 8, was 4";
    f->cases[2].framing = "the box grows by 4.0 upwards";
    f->cases[2].golden_version = 3;
    f->cases[2].message = "Run_0000: 1 pixel differs";
    f->cases[3] = one_case("Jump", MRW_XPASSED);
    f->cases[3].reason = "lands too late";
    f->cases[4] = one_case("Swim", MRW_SKIPPED);
    f->cases[4].reason = "no water yet";
    f->cases[4].message = "no water yet";
    f->cases[5] = one_case("Fly", MRW_UPDATED);
    f->cases[5].scene_hash = "";
    f->cases[5].golden_scene_hash = "";
    f->cases[5].golden_pixel_version = 0;
    f->results = (mrw_results){.cases = f->cases,
                               .case_count = 6,
                               .unused = unused,
                               .unused_count = 1,
                               .seconds = 1.5,
                               .shard_index = 2,
                               .shard_count = 3,
                               .title = "marrow test",
                               .folder = "."};
    count_outcomes(&f->results);
}

/* One failed case in which every name is nasty, pictures and folder excepted. */
static inline void fill_nasty(fixture *f)
{
    fill_fixture(f);
    f->frames[0] = bad_frame(NASTY, 1);
    f->frames[0].clip = NASTY;
    f->frames[0].message = NASTY;
    f->frames[0].pose.joint = NASTY;
    f->cases[0] = one_case(NASTY, MRW_FAILED);
    f->cases[0].suite = NASTY;
    f->cases[0].suite_file = NASTY;
    f->cases[0].model = NASTY;
    f->cases[0].golden = NASTY;
    f->cases[0].message = NASTY;
    f->cases[0].frames = f->frames;
    f->cases[0].frame_count = 1;
    f->cases[0].bad_frames = 1;
    f->cases[1] = one_case(NASTY, MRW_SKIPPED);
    f->cases[1].suite_file = NASTY;
    f->cases[1].reason = NASTY;
    f->cases[2] = one_case(NASTY, MRW_XFAILED);
    f->cases[2].suite_file = NASTY;
    f->cases[2].reason = NASTY;
    f->results.case_count = 3;
    f->results.title = NASTY;
    count_outcomes(&f->results);
}

/* The text of a report, terminated; the caller frees it. */
static inline char *report(mrw_status (*make)(const mrw_results *, mrw_bytes *, mrw_error *),
                           const mrw_results *results)
{
    mrw_bytes bytes = {0};
    mrw_error error;
    ck_assert_msg(make(results, &bytes, &error) == MRW_OK, "%s", error.text);
    char *text = malloc(bytes.size + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    ck_assert_uint_eq(strlen(text), bytes.size);
    mrw_bytes_free(&bytes);
    return text;
}

static inline void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "lacks '%s':\n%s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    ck_assert_msg(!strstr(text, part), "holds '%s':\n%s", part, text);
}

/* Check has no room for the message of two long texts that differ. */
static inline void assert_text(const char *text, const char *expected)
{
    size_t same = 0;
    while (text[same] == expected[same] && text[same] != '\0') {
        same++;
    }
    ck_assert_msg(text[same] == expected[same], "at %zu: '%.200s' instead of '%.200s'", same,
                  text + same, expected + same);
}

static inline size_t count_text(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *p = strstr(text, part); p; p = strstr(p + strlen(part), part)) {
        count++;
    }
    return count;
}

#endif
