/* test_results.c: results as a file: written, read back, refused, merged. */
#include "results_fixture.h"

#include "base/memory.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <sys/stat.h>

/* ---- the same field by field ----------------------------------------------------------------- */

static void same_text(const char *a, const char *b)
{
    ck_assert_msg((!a) == (!b) && (!a || strcmp(a, b) == 0), "'%s' and '%s'", a ? a : "NULL",
                  b ? b : "NULL");
}

static void same_metrics(const mrw_compare_result *a, const mrw_compare_result *b)
{
    ck_assert_int_eq(a->passed, b->passed);
    ck_assert_int_eq(a->same_size, b->same_size);
    ck_assert_int_eq(a->identical, b->identical);
    ck_assert_int_eq(a->all_metrics, b->all_metrics);
    ck_assert_int_eq(a->subject, b->subject);
    ck_assert_uint_eq(a->subject_pixels, b->subject_pixels);
    ck_assert_uint_eq(a->masked_pixels, b->masked_pixels);
    ck_assert_uint_eq(a->differing, b->differing);
    ck_assert_uint_eq(a->antialiased, b->antialiased);
    ck_assert(a->ratio == b->ratio);
    ck_assert_mem_eq(a->largest, b->largest, sizeof a->largest);
    ck_assert_mem_eq(a->box, b->box, sizeof a->box);
    ck_assert(a->mean == b->mean && a->psnr == b->psnr);
    ck_assert(a->flip == b->flip && a->flip_largest == b->flip_largest);
}

static void same_frame(const mrw_frame_result *a, const mrw_frame_result *b)
{
    same_text(a->name, b->name);
    same_text(a->clip, b->clip);
    ck_assert_uint_eq(a->frame, b->frame);
    ck_assert(a->time == b->time);
    ck_assert_int_eq(a->passed, b->passed);
    ck_assert_uint_eq(a->why, b->why);
    same_text(a->message, b->message);
    same_text(a->expected, b->expected);
    same_text(a->actual, b->actual);
    same_text(a->diff, b->diff);
    ck_assert_int_eq(a->compared, b->compared);
    same_metrics(&a->metrics, &b->metrics);
    ck_assert_int_eq(a->emptiness, b->emptiness);
    same_text(a->pose.joint, b->pose.joint);
    ck_assert(a->pose.degrees == b->pose.degrees && a->pose.distance == b->pose.distance);
    ck_assert(a->pose.scale == b->pose.scale && a->bounds == b->bounds);
    ck_assert_uint_eq(a->pose.differing, b->pose.differing);
    ck_assert_uint_eq(a->pose.joints, b->pose.joints);
}

static void same_case(const mrw_case_result *a, const mrw_case_result *b)
{
    same_text(a->suite, b->suite);
    same_text(a->name, b->name);
    same_text(a->suite_file, b->suite_file);
    ck_assert_uint_eq(a->line, b->line);
    same_text(a->model, b->model);
    same_text(a->golden, b->golden);
    same_text(a->backend, b->backend);
    same_text(a->driver, b->driver);
    ck_assert_int_eq(a->outcome, b->outcome);
    same_text(a->message, b->message);
    same_text(a->model_change, b->model_change);
    same_text(a->suite_change, b->suite_change);
    same_text(a->framing, b->framing);
    ck_assert_uint_eq(a->golden_version, b->golden_version);
    same_text(a->reason, b->reason);
    same_text(a->mode, b->mode);
    ck_assert(a->seconds == b->seconds);
    ck_assert_uint_eq(a->tag_count, b->tag_count);
    for (size_t i = 0; i < a->tag_count; i++) {
        same_text(a->tags[i], b->tags[i]);
    }
    ck_assert_uint_eq(a->pixel_version, b->pixel_version);
    ck_assert_uint_eq(a->golden_pixel_version, b->golden_pixel_version);
    same_text(a->scene_hash, b->scene_hash);
    same_text(a->golden_scene_hash, b->golden_scene_hash);
    ck_assert_uint_eq(a->frame_count, b->frame_count);
    for (size_t i = 0; i < a->frame_count; i++) {
        same_frame(&a->frames[i], &b->frames[i]);
    }
    ck_assert_uint_eq(a->bad_frames, b->bad_frames);
    ck_assert_uint_eq(a->runs, b->runs);
}

static void same_results(const mrw_results *a, const mrw_results *b)
{
    ck_assert_uint_eq(a->case_count, b->case_count);
    for (size_t i = 0; i < a->case_count; i++) {
        same_case(&a->cases[i], &b->cases[i]);
    }
    ck_assert_mem_eq(a->counts, b->counts, sizeof a->counts);
    ck_assert_uint_eq(a->unused_count, b->unused_count);
    for (size_t i = 0; i < a->unused_count; i++) {
        same_text(a->unused[i], b->unused[i]);
    }
    ck_assert(a->seconds == b->seconds);
    ck_assert_uint_eq(a->shard_index, b->shard_index);
    ck_assert_uint_eq(a->shard_count, b->shard_count);
    same_text(a->title, b->title);
    same_text(a->against, b->against);
    same_text(a->folder, b->folder);
}

/* ---- there and back -------------------------------------------------------------------------- */

START_TEST(round_trip)
{
    fixture f;
    mrw_results back, merged;
    mrw_error error;
    fill_fixture(&f);
    ck_assert_int_eq(mkdir("out", 0777), 0);
    f.results.folder = "out";
    f.results.against = "software";
    f.cases[1].backend = "gl";
    f.cases[1].driver = "card 1 (\"fast\")";
    ck_assert_int_eq(mrw_results_write(&f.results, &error), MRW_OK);
    ck_assert_msg(mrw_results_read("out", &back, &error) == MRW_OK, "%s", error.text);
    same_results(&f.results, &back);
    ck_assert_int_eq(mrw_results_merge(&back, 1, "out", &merged, &error), MRW_OK);
    same_text(merged.against, "software");
    size_t drawn = 0;
    for (size_t i = 0; i < merged.case_count; i++) {
        drawn += merged.cases[i].driver && strcmp(merged.cases[i].backend, "gl") == 0;
    }
    ck_assert_uint_eq(drawn, 1);
    mrw_results_free(&merged);
    mrw_results_free(&back);
    ck_assert_uint_eq(back.case_count, 0);
    mrw_results_free(&back);
}
END_TEST

START_TEST(no_cases_go_there_and_back)
{
    mrw_results none = {.title = "marrow test", .folder = "."}, back;
    ck_assert_int_eq(mrw_results_write(&none, NULL), MRW_OK);
    ck_assert_int_eq(mrw_results_read(".", &back, NULL), MRW_OK);
    same_results(&none, &back);
    mrw_results_free(&back);
}
END_TEST

/* Control characters survive; bytes that are no UTF-8 do not. What is to be shown comes escaped. */
START_TEST(nasty_names)
{
    fixture f;
    fill_nasty(&f);
    f.cases[0].name = f.cases[0].suite = f.frames[0].name = "plain";
    f.cases[1].name = "one";
    f.cases[2].name = "two";
    f.cases[0].suite_file =
        "a\x1b\x7f\n\xc2\x85\xe2\x80\xae\xef\xbb\xbf\xef\xbf\xbf##[x]<\"\\\xf0\x9f\x8e\xa8";
    char *text = report(mrw_results_json, &f.results);
    for (const char *p = text; *p != '\0'; p++) {
        ck_assert((unsigned char)*p >= 0x20 || *p == '\n');
    }
    assert_lacks(text, "<");
    assert_lacks(text, "##[");
    assert_lacks(text, "\xe2\x80\xae");
    assert_lacks(text, "\xff");
    cJSON *json = cJSON_Parse(text);
    ck_assert_ptr_nonnull(json);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "cases"), 0);
    same_text(cJSON_GetObjectItem(first, "suite_file")->valuestring, f.cases[0].suite_file);
    const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(first, "frames"), 0);
    const char *clip = cJSON_GetObjectItem(frame, "clip")->valuestring;
    ck_assert_mem_eq(clip, NASTY, strcspn(NASTY, "\xff"));
    assert_has(clip, "\xef\xbf\xbd\xc3\xa9 \xe2\x80\xae");
    cJSON_Delete(json);
    free(text);
    mrw_results back;
    mrw_error error;
    ck_assert_int_eq(mrw_results_write(&f.results, NULL), MRW_OK);
    ck_assert_msg(mrw_results_read(".", &back, &error) == MRW_OK, "%s", error.text);
    same_text(back.cases[0].suite_file, f.cases[0].suite_file);
    ck_assert_msg(!strchr(back.cases[0].message, '\x1b'), "%s", back.cases[0].message);
    assert_has(back.cases[0].message, "</script>\\x1B[31m\\x0A::error::gone");
    ck_assert_ptr_null(strchr(back.title, '\n'));
    mrw_results_free(&back);
}
END_TEST

START_TEST(numbers_that_are_not_finite)
{
    fixture f;
    mrw_results back;
    fill_fixture(&f);
    f.cases[0].seconds = (double)INFINITY;
    f.frames[1].metrics.mean = (double)NAN;
    f.frames[1].frame = (uint64_t)1 << 53;
    ck_assert_int_eq(mrw_results_write(&f.results, NULL), MRW_OK);
    ck_assert_int_eq(mrw_results_read(".", &back, NULL), MRW_OK);
    ck_assert(back.cases[0].seconds == 0.0 && back.cases[1].frames[1].metrics.mean == 0.0);
    ck_assert_uint_eq(back.cases[1].frames[1].frame, (uint64_t)1 << 53);
    mrw_results_free(&back);
}
END_TEST

/* Makes a locale with a decimal comma current; false when this machine has none and can make none.
 */
static bool set_comma_locale(void)
{
    char command[PATH_MAX + 80];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' 2>/dev/null",
             test_folder());
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && system(command) == 0) {
        setenv("LOCPATH", test_folder(), 1);
    }
    return setlocale(LC_ALL, "de_DE.UTF-8");
}

/* No number depends on the locale, there or back. */
START_TEST(comma_locale)
{
    mrw_status (*const makers[])(const mrw_results *, mrw_bytes *,
                                 mrw_error *) = {mrw_results_json, mrw_report_junit, mrw_report_tap,
                                                 mrw_report_annotations, mrw_report_summary};
    fixture f;
    char *before[5], *after[5];
    fill_fixture(&f);
    for (int i = 0; i < 5; i++) {
        before[i] = report(makers[i], &f.results);
    }
    if (set_comma_locale()) {
        mrw_results back;
        ck_assert_str_eq(localeconv()->decimal_point, ",");
        for (int i = 0; i < 5; i++) {
            after[i] = report(makers[i], &f.results);
            assert_text(after[i], before[i]);
            free(after[i]);
        }
        ck_assert_int_eq(mrw_results_write(&f.results, NULL), MRW_OK);
        ck_assert_int_eq(mrw_results_read(".", &back, NULL), MRW_OK);
        setlocale(LC_ALL, "C");
        same_results(&f.results, &back);
        mrw_results_free(&back);
    } else {
        SKIP("comma_locale: no such locale is installed");
    }
    for (int i = 0; i < 5; i++) {
        free(before[i]);
    }
}
END_TEST

START_TEST(nowhere_to_write)
{
    fixture f;
    mrw_error error;
    fill_fixture(&f);
    f.results.folder = "not/there";
    ck_assert_int_eq(mrw_results_write(&f.results, &error), MRW_ERROR_OUTPUT);
    assert_has(error.text, "not/there/results.json");
}
END_TEST

START_TEST(outcomes)
{
    static const char *const names[] = {"passed",  "failed",  "xfailed", "xpassed",
                                        "skipped", "updated", "left-out"};
    for (int i = 0; i < MRW_OUTCOME_COUNT; i++) {
        ck_assert_str_eq(mrw_outcome_name((mrw_outcome)i), names[i]);
        ck_assert_int_eq(mrw_outcome_is_bad((mrw_outcome)i), i == 1 || i == 3);
    }
}
END_TEST

START_TEST(exit_status)
{
    mrw_case_result cases[2] = {one_case("a", MRW_PASSED), one_case("b", MRW_SKIPPED)};
    mrw_results results = {.cases = cases, .case_count = 2};
    ck_assert_int_eq(mrw_results_exit_status(&results), 0);
    cases[0].outcome = MRW_XPASSED;
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    cases[0].outcome = MRW_FAILED;
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    cases[0].outcome = MRW_XFAILED;
    ck_assert_int_eq(mrw_results_exit_status(&results), 0);
    cases[0].outcome = MRW_SKIPPED;
    ck_assert_int_eq(mrw_results_exit_status(&results), 77);
    cases[0].outcome = MRW_LEFT_OUT;
    ck_assert_int_eq(mrw_results_exit_status(&results), 0);
    cases[1].outcome = MRW_LEFT_OUT;
    ck_assert_int_eq(mrw_results_exit_status(&results), 0);
    cases[1].outcome = MRW_FAILED;
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    results = (mrw_results){.shard_index = 1, .shard_count = 1};
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    results = (mrw_results){.shard_index = 1, .shard_count = 3};
    ck_assert_int_eq(mrw_results_exit_status(&results), 1);
    results = (mrw_results){.shard_index = 3, .shard_count = 3};
    ck_assert_int_eq(mrw_results_exit_status(&results), 0);
}
END_TEST

/* ---- strangers' files ------------------------------------------------------------------------ */

static void save(const char *text, size_t size)
{
    remove("results.json"); /* some file systems wait for the disk when a file is written over */
    test_write("results.json", text, size);
}

/* Reads text in which the first `from` has become `to`. */
static mrw_status read_changed(const char *text, const char *from, const char *to, mrw_error *error)
{
    mrw_results back;
    const char *at = strstr(text, from);
    ck_assert_msg(at, "no '%s'", from);
    size_t before = (size_t)(at - text), size = strlen(text) - strlen(from) + strlen(to);
    char *changed = malloc(size + 1);
    ck_assert_ptr_nonnull(changed);
    memcpy(changed, text, before);
    strcpy(changed + before, to);
    strcat(changed, at + strlen(from));
    save(changed, size);
    free(changed);
    mrw_status status = mrw_results_read(".", &back, error);
    mrw_results_free(&back);
    return status;
}

typedef struct change {
    const char *from, *to, *said; /* said NULL: it is fine */
} change;

static const change changes[] = {
    {"\"schema\": 1", "\"schema\": 2", "schema 2"},
    {"\"schema\": 1", "\"schema\": \"1\"", "\"schema\" must be a whole number"},
    {"\"schema\": 1", "\"schema\": 1.5", "\"schema\" must be a whole number"},
    {"\"schema\": 1,", "", "\"schema\" is missing"},
    {"\"schema\": 1", "\"schema\": 1, \"later\": [{}]", NULL},
    {"{\"schema\"", "[{\"schema\"", "damaged"},
    {"]}", "]} x", "damaged"},
    {"\"cases\": [", "\"cases\": 3, \"x\": [", "\"cases\" must be a list"},
    {"\"cases\": [", "\"cases\": [3, ", "case 1: "},
    {"\"index\": 2", "\"index\": 4", "shard"},
    {"\"index\": 2", "\"index\": 0", "shard"},
    {"\"count\": 3", "\"count\": 4000000000", "0 to 100000"},
    {"\"outcome\": \"failed\"", "\"outcome\": \"lost\"",
     "case 2: \"outcome\" has an unknown value"},
    {"\"mode\": \"exact\"", "\"mode\": \"guess\"", "\"mode\""},
    {"\"seconds\": 0.25", "\"seconds\": -1", "\"seconds\" is out of range"},
    {"\"seconds\": 0.25", "\"seconds\": 1e999", "\"seconds\" is out of range"},
    {"\"seconds\": 0.25", "\"seconds\": null", NULL},
    {"\"line\": 12", "\"line\": 4294967296", "\"line\" must be a whole number"},
    {"\"name\": \"Idle\"", "\"name\": \"../Idle\"", "inside the results folder"},
    {"\"name\": \"Idle\"", "\"name\": \"\"", "inside the results folder"},
    {"\"suite\": \"hero\"", "\"suite\": \"/etc\"", "inside the results folder"},
    {"\"name\": \"Walk_0000\"", "\"name\": \"a/../../b\"", "case 2, frame 1: \"name\""},
    {"\"hero/Walk/Walk_0012.png\"", "\"/etc/passwd\"", "case 2, frame 2: \"actual\""},
    {"\"hero/Walk/Walk_0012.png\"", "\"hero//x.png\"", "\"actual\""},
    {"\"hero/Walk/Walk_0012.png\"", "\"./x.png\"", "\"actual\""},
    {"\"hero/Walk/Walk_0012.png\"", "\"x.png/\"", "\"actual\""},
    {"\"hero/Walk/Walk_0012.png\"", "\"x\\ny.png\"", "\"actual\""},
    {"\"hero/Walk/Walk_0012.png\"", "5", "\"actual\" must be a string or null"},
    {"\"hero/Walk/Walk_0012.diff.png\"", "\"..\"", "\"diff\""},
    {"\"hero/Walk/Walk_0012.expected.png\"", "\"../secret.png\"", "\"expected\""},
    {"\"hero/Walk/Walk_0012.expected.png\"", "\"..secret/x.png\"", NULL},
    {"\"pixels\", \"pose\"", "\"pixels\", \"spite\"", "\"why\" has an unknown value"},
    {"\"pixels\", \"pose\"", "\"pixels\", 4", "\"why\" has an unknown value"},
    {"\"ratio\": 0.02", "\"ratio\": 2.02", "\"ratio\" is out of range"},
    {"\"largest\": [14,", "\"largest\": [256,", "\"largest\""},
    {"\"largest\": [14,", "\"largest\": [", "\"largest\" must be four numbers"},
    {"\"largest\": [14,", "\"largest\": [\"14\",", "\"largest\""},
    {"\"subject\": \"alpha\"", "\"subject\": \"omega\"", "\"subject\""},
    {"\"empty\": \"cut\"", "\"empty\": \"full\"", "\"empty\""},
    {"\"empty\": \"cut\"", "\"empty\": 1", "\"empty\""},
    {"\"passed\": true", "\"passed\": 1", "true or false"},
    {"\"metrics\": {", "\"metrics\": [], \"x\": {", "\"metrics\" must be an object or null"},
    {"\"bad_frames\": 2", "\"bad_frames\": 5", "\"bad_frames\""},
    {"\"smoke test\"", "{}", "\"tags\" must be a list of strings"},
    {"\"scene_hash\": \"0011", "\"scene_hash\": \"001", "64 hexadecimal digits"},
    {"\"scene_hash\": \"0011", "\"scene_hash\": \"00XX", "64 hexadecimal digits"},
    {"\"title\": \"marrow test\"", "\"title\": null", "\"title\" must be a text"},
};

START_TEST(changed_files)
{
    const change *c = &changes[_i];
    fixture f;
    mrw_error error = {.text = ""};
    fill_fixture(&f);
    char *text = report(mrw_results_json, &f.results);
    mrw_status status = read_changed(text, c->from, c->to, &error);
    free(text);
    ck_assert_msg(status == (!c->said ? MRW_OK : MRW_ERROR_INPUT), "%s -> %s: %s", c->from, c->to,
                  error.text);
    if (c->said) {
        assert_has(error.text, "./results.json: ");
        assert_has(error.text, c->said);
        ck_assert_ptr_null(strchr(error.text, '\n'));
    }
}
END_TEST

/* Each beginning of the file, the whole and the lone end of its last line excepted. */
START_TEST(cut_files)
{
    fixture f;
    fill_fixture(&f);
    f.results.case_count = 2;
    char *text = report(mrw_results_json, &f.results);
    size_t size = strlen(text);
    for (size_t cut = 0; cut + 1 < size; cut++) {
        mrw_results back;
        mrw_error error;
        save(text, cut);
        ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
        mrw_results_free(&back);
    }
    free(text);
}
END_TEST

/* Results that were read can be written, merged and reported, whatever they hold. */
static void use(const mrw_results *back)
{
    mrw_results merged;
    mrw_error error;
    mrw_status status = mrw_results_merge(back, 1, "elsewhere", &merged, &error);
    ck_assert(status == MRW_OK || status == MRW_ERROR_INPUT);
    mrw_results_free(&merged);
    free(report(mrw_results_json, back));
    free(report(mrw_report_junit, back));
    free(report(mrw_report_tap, back));
    free(report(mrw_report_annotations, back));
    free(report(mrw_report_summary, back));
}

START_TEST(flipped_bits)
{
    fixture f;
    fill_fixture(&f);
    f.results.case_count = 3;
    char *text = report(mrw_results_json, &f.results);
    size_t size = strlen(text);
    uint64_t state = 12345;
    uint32_t fine = 0;
    for (int round = 0; round < TEST_ROUNDS(4000); round++) {
        mrw_results back;
        mrw_error error = {.text = ""};
        char saved[3];
        size_t at[3];
        int flips = 1 + round % 3;
        for (int i = 0; i < flips; i++) {
            at[i] = test_random_below(&state, (uint32_t)size);
            saved[i] = text[at[i]];
            text[at[i]] = (char)(text[at[i]] ^ 1 << test_random_below(&state, 8));
        }
        save(text, size);
        mrw_status status = mrw_results_read(".", &back, &error);
        ck_assert_msg(status == MRW_OK || status == MRW_ERROR_INPUT, "%s", error.text);
        if (status == MRW_OK) {
            fine++;
            use(&back);
        }
        mrw_results_free(&back);
        for (int i = flips - 1; i >= 0; i--) {
            text[at[i]] = saved[i];
        }
    }
    free(text);
    ck_assert_uint_gt(fine, TEST_ROUNDS(100));
    ck_assert_uint_lt(fine, TEST_ROUNDS(3900));
}
END_TEST

START_TEST(what_is_no_results_folder)
{
    mrw_results back;
    mrw_error error;
    ck_assert_int_eq(mrw_results_read("not-there", &back, &error), MRW_ERROR_INPUT);
    assert_has(error.text, "not-there/results.json does not exist");
    ck_assert_int_eq(mkdir("results.json", 0777), 0);
    ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
    ck_assert_int_eq(rmdir("results.json"), 0);
    ck_assert_int_eq(mkfifo("results.json", 0666), 0);
    ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(mrw_results_read(name, &back, &error), MRW_ERROR_INPUT);
    assert_has(error.text, "too long");
    ck_assert_ptr_null(back.memory);
}
END_TEST

START_TEST(too_much)
{
    mrw_results back;
    mrw_error error;
    size_t size = 9000000;
    char *text = malloc(size + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, '[', size);
    save(text, size);
    ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
    assert_has(error.text, "more than 4000000 values");
    save(text, 100000); /* deep */
    ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
    memset(text, 'x', size);
    memcpy(text, "{\"schema\": 1, \"title\": \"", 24);
    memcpy(text + size - 2, "\"}", 2);
    save(text, size);
    ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
    assert_has(error.text, "longer than 65536 bytes");
    free(text);
    ck_assert_int_eq(truncate("results.json", ((off_t)128 << 20) + 1), 0);
    ck_assert_int_eq(mrw_results_read(".", &back, &error), MRW_ERROR_INPUT);
}
END_TEST

/* ---- merging --------------------------------------------------------------------------------- */

/* Shard I of N of a list of seven cases, two of a line. */
static void make_shard(fixture *f, uint32_t index, uint32_t count)
{
    static const char *const names[] = {"a", "b.2", "b.1", "c", "d", "e.Z", "e.Y"};
    static const uint32_t lines[] = {3, 8, 8, 12, 20, 21, 21};
    memset(f, 0, sizeof *f);
    f->results = (mrw_results){.cases = f->cases,
                               .seconds = 1.5,
                               .shard_index = index,
                               .shard_count = count,
                               .title = "marrow test",
                               .folder = "."};
    for (size_t i = index - 1; i < 7; i += count) {
        mrw_case_result *result = &f->cases[f->results.case_count++];
        *result = one_case(names[i], i == 4 ? MRW_FAILED : MRW_PASSED);
        result->line = lines[i];
    }
    count_outcomes(&f->results);
}

static void assert_names(const mrw_results *results, const char *expected)
{
    char names[200] = "";
    for (size_t i = 0; i < results->case_count; i++) {
        strcat(strcat(names, i > 0 ? " " : ""), results->cases[i].name);
    }
    ck_assert_str_eq(names, expected);
}

START_TEST(shards_become_one)
{
    fixture f[3];
    mrw_results merged;
    mrw_error error;
    for (uint32_t i = 0; i < 3; i++) {
        make_shard(&f[i], i + 1, 3);
    }
    mrw_results parts[] = {f[2].results, f[0].results, f[1].results};
    ck_assert_int_eq(mrw_results_merge(parts, 3, ".", &merged, &error), MRW_OK);
    assert_names(&merged, "a b.2 b.1 c d e.Z e.Y");
    ck_assert_uint_eq(merged.counts[MRW_PASSED], 6);
    ck_assert_uint_eq(merged.counts[MRW_FAILED], 1);
    ck_assert_uint_eq(merged.shard_count, 1);
    ck_assert(merged.seconds == 4.5);
    ck_assert_str_eq(merged.title, "marrow test");
    mrw_results_free(&merged);
}
END_TEST

START_TEST(a_lost_shard_is_a_failure)
{
    fixture f[2];
    mrw_results merged;
    make_shard(&f[0], 1, 3);
    make_shard(&f[1], 3, 3);
    f[0].results.case_count = 0; /* nothing bad in what is there */
    mrw_results parts[] = {f[0].results, f[1].results};
    ck_assert_int_eq(mrw_results_merge(parts, 2, ".", &merged, NULL), MRW_OK);
    assert_names(&merged, "shard 2 of 3 b.1 e.Z");
    ck_assert_str_eq(merged.cases[0].suite, "marrow");
    ck_assert_int_eq(merged.cases[0].outcome, MRW_FAILED);
    assert_has(merged.cases[0].message, "shard 2 of 3 is missing");
    ck_assert_uint_eq(merged.counts[MRW_FAILED], 1);
    ck_assert_int_eq(mrw_results_exit_status(&merged), 1);
    use(&merged);
    mrw_results_free(&merged);
}
END_TEST

START_TEST(what_does_not_merge)
{
    fixture f[2];
    mrw_results merged;
    mrw_error error;
    make_shard(&f[0], 1, 3);
    make_shard(&f[1], 1, 3);
    f[0].results.folder = "one";
    f[1].results.folder = "two";
    mrw_results parts[] = {f[0].results, f[1].results};
    ck_assert_int_eq(mrw_results_merge(parts, 2, ".", &merged, &error), MRW_ERROR_INPUT);
    assert_has(error.text, "case hero/a is in 'one' and in 'two'");
    make_shard(&f[1], 2, 4);
    parts[1] = f[1].results;
    ck_assert_int_eq(mrw_results_merge(parts, 2, ".", &merged, &error), MRW_ERROR_INPUT);
    assert_has(error.text, "3 shards");
    assert_has(error.text, "4;");
    parts[1].shard_count = 200000;
    ck_assert_int_eq(mrw_results_merge(parts + 1, 1, ".", &merged, &error), MRW_ERROR_INPUT);
}
END_TEST

/* Suites that share a name are told apart by their file; they come in the order of their files. */
START_TEST(suites_become_one)
{
    mrw_case_result a = one_case("Walk", MRW_PASSED), b = a;
    b.suite_file = "tests/another/suite.ini";
    mrw_results parts[] = {{.cases = &a, .case_count = 1, .title = "x", .folder = "tests/hero/out"},
                           {.cases = &b, .case_count = 1, .title = "x", .folder = "tests/b/out"}};
    mrw_results merged;
    ck_assert_int_eq(mrw_results_merge(parts, 2, ".", &merged, NULL), MRW_OK);
    ck_assert_uint_eq(merged.case_count, 2);
    ck_assert_str_eq(merged.cases[0].suite_file, b.suite_file);
    mrw_results_free(&merged);
    ck_assert_int_eq(mrw_results_merge(NULL, 0, ".", &merged, NULL), MRW_OK);
    ck_assert_uint_eq(merged.case_count, 0);
    ck_assert_int_eq(mrw_results_exit_status(&merged), 1);
    mrw_results_free(&merged);
}
END_TEST

/* The folder of a part, the one merged into, and what becomes of "p.png". */
static const char *const places[][3] = {
    {".", ".", "p.png"},
    {"shards/1", ".", "shards/1/p.png"},
    {"./shards//1/", ".", "shards/1/p.png"},
    {"shards/1", "shards", "1/p.png"},
    {"shards/1", "report", "../shards/1/p.png"},
    {"shards/1", "out/report", "../../shards/1/p.png"},
    {"a/../b", ".", "b/p.png"},
    {"ab", "a", "../ab/p.png"},
    {"a", "ab", "../a/p.png"},
    {"/x/y", "/x", "y/p.png"},
    {"/x/y", "/x/z", "../y/p.png"},
    {"/", "/x/z", "../../p.png"},
    {"/x/y", "/", "x/y/p.png"},
    {"/x/y", "/x/y", "p.png"},
};

START_TEST(pictures_move)
{
    mrw_frame_result frame = bad_frame("Walk_0000", 0);
    frame.expected = NULL;
    frame.actual = "p.png";
    frame.diff = "/elsewhere/p.png";
    mrw_case_result result = one_case("Walk", MRW_FAILED);
    result.frames = &frame;
    result.frame_count = 1;
    mrw_results part = {.cases = &result, .case_count = 1, .folder = places[_i][0]}, merged;
    ck_assert_int_eq(mrw_results_merge(&part, 1, places[_i][1], &merged, NULL), MRW_OK);
    const mrw_frame_result *moved = &merged.cases[0].frames[0];
    ck_assert_str_eq(moved->actual, places[_i][2]);
    ck_assert_str_eq(moved->diff, "/elsewhere/p.png");
    ck_assert_ptr_null(moved->expected);
    ck_assert_str_eq(merged.folder, places[_i][1]);
    mrw_results_free(&merged);
}
END_TEST

START_TEST(a_merge_keeps_everything)
{
    fixture f;
    mrw_results merged;
    fill_fixture(&f);
    f.results.shard_index = f.results.shard_count = 1;
    for (uint32_t i = 0; i < f.results.case_count; i++) {
        f.cases[i].line = i;
    }
    ck_assert_int_eq(mrw_results_merge(&f.results, 1, ".", &merged, NULL), MRW_OK);
    same_results(&f.results, &merged);
    mrw_results_free(&merged);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static mrw_status read_back(const mrw_results *results, mrw_error *error)
{
    mrw_results back;
    (void)results;
    mrw_status status = mrw_results_read(".", &back, error);
    mrw_results_free(&back);
    return status;
}

static mrw_status merge_two(const mrw_results *results, mrw_error *error)
{
    mrw_results merged, parts[2] = {*results, {.shard_count = 0}};
    mrw_status status = mrw_results_merge(parts, 2, "x", &merged, error);
    mrw_results_free(&merged);
    return status;
}

static mrw_status write_out(const mrw_results *results, mrw_error *error)
{
    return mrw_results_write(results, error);
}

START_TEST(out_of_memory)
{
    mrw_status (*const runs[])(const mrw_results *, mrw_error *) = {write_out, read_back,
                                                                    merge_two};
    mrw_status (*const reports[])(const mrw_results *, mrw_bytes *, mrw_error *) = {
        mrw_report_junit, mrw_report_tap, mrw_report_annotations, mrw_report_summary};
    fixture f;
    fill_fixture(&f);
    for (int i = 0; i < 7; i++) {
        bool pending = false;
        uint64_t n = 1;
        for (; !pending && n < 10000; n++) {
            mrw_error error = {.status = MRW_OK};
            mrw_bytes bytes = {0};
            mrwi_base_alloc_fail_at(n);
            mrw_status status =
                i < 3 ? runs[i](&f.results, &error) : reports[i - 3](&f.results, &bytes, &error);
            pending = mrwi_base_alloc_fail_pending();
            mrwi_base_alloc_fail_at(0);
            ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
            mrw_bytes_free(&bytes);
        }
        ck_assert_msg(n > 2 && n < 10000, "%d took %u allocations", i, (unsigned)n);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("results");
    TCase *tc = tcase_create("file");
    tcase_add_checked_fixture(tc, test_folder_enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, round_trip);
    tcase_add_test(tc, no_cases_go_there_and_back);
    tcase_add_test(tc, nasty_names);
    tcase_add_test(tc, numbers_that_are_not_finite);
    tcase_add_test(tc, comma_locale);
    tcase_add_test(tc, nowhere_to_write);
    tcase_add_test(tc, outcomes);
    tcase_add_test(tc, exit_status);
    tcase_add_loop_test(tc, changed_files, 0, (int)(sizeof changes / sizeof changes[0]));
    tcase_add_test(tc, cut_files);
    tcase_add_test(tc, flipped_bits);
    tcase_add_test(tc, what_is_no_results_folder);
    tcase_add_test(tc, too_much);
    tcase_add_test(tc, shards_become_one);
    tcase_add_test(tc, a_lost_shard_is_a_failure);
    tcase_add_test(tc, what_does_not_merge);
    tcase_add_test(tc, suites_become_one);
    tcase_add_loop_test(tc, pictures_move, 0, (int)(sizeof places / sizeof places[0]));
    tcase_add_test(tc, a_merge_keeps_everything);
    tcase_add_test(tc, out_of_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
