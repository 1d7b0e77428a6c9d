/* test_html.c: the HTML report as files: what is in the page, what strangers' names become, which
 * pictures are copied, taken in, left out and removed, and what stays when writing fails. What the
 * page does in a browser is checked by scripts/check_report.py. */
#include "report/html.h"
#include "results_fixture.h"

#include "base/text.h"
#include "base/utf8.h"
#include "marrow/codecs.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <sys/stat.h>

/* ---- pictures and files ---------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s is not there", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    ck_assert_uint_eq(fread(data, 1, *size, file), *size);
    data[*size] = '\0';
    fclose(file);
    return data;
}

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* A picture that does not compress, and is another for another seed. */
static void write_picture(const char *path, uint32_t side, uint32_t seed)
{
    mrw_image image;
    mrw_bytes png;
    ck_assert_int_eq(mrw_image_create(side, side, 3, &image, NULL), MRW_OK);
    uint64_t state = seed;
    for (size_t i = 0; i < (size_t)side * side * 3; i++) {
        image.pixels[i] = (uint8_t)test_random(&state);
    }
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    test_write(path, png.data, png.size);
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}

/* The pictures that the fixture names. */
static void write_pictures(void)
{
    ck_assert(mkdir("hero", 0777) == 0 && mkdir("hero/Walk", 0777) == 0);
    write_picture("hero/Walk/Walk_0012.expected.png", 8, 1);
    write_picture("hero/Walk/Walk_0012.png", 8, 2);
    write_picture("hero/Walk/Walk_0012.diff.png", 8, 3);
}

/* The one entry of a folder that begins with `begin` and ends with `end`; "" when there is none. */
static const char *find_entry(const char *place, const char *begin, const char *end)
{
    static char found[300];
    DIR *dir = opendir(place);
    struct dirent *entry;
    int count = 0;
    found[0] = '\0';
    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir))) {
        size_t length = strlen(entry->d_name), tail = strlen(end);
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0 && length >= tail &&
            strcmp(entry->d_name + length - tail, end) == 0) {
            snprintf(found, sizeof found, "%s/%s", place, entry->d_name);
            count++;
        }
    }
    closedir(dir);
    ck_assert_msg(count < 2, "%d files %s...%s", count, begin, end);
    return found;
}

static size_t count_entries(const char *place)
{
    DIR *dir = opendir(place);
    size_t count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

static void assert_same_file(const char *path, const char *other)
{
    size_t a_size, b_size;
    char *a = read_file(path, &a_size), *b = read_file(other, &b_size);
    ck_assert_uint_eq(a_size, b_size);
    ck_assert(memcmp(a, b, a_size) == 0);
    free(a);
    free(b);
}

static void write_report(const mrw_results *results)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_report_html(results, "out", &error) == MRW_OK, "%s", error.text);
}

/* ---- the page -------------------------------------------------------------------------------- */

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

/* The data of a page, parsed; the caller deletes them. */
static cJSON *data_of(const char *page)
{
    static const char mark[] = "<script type=\"application/json\" id=\"data\">";
    const char *begin = strstr(page, mark);
    ck_assert_ptr_nonnull(begin);
    begin += strlen(mark);
    const char *end = strstr(begin, "</script>");
    cJSON *data = cJSON_ParseWithLength(begin, (size_t)(end - begin));
    ck_assert_ptr_nonnull(data);
    return data;
}

static cJSON *index_data(void)
{
    size_t size;
    char *page = read_file("out/index.html", &size);
    cJSON *data = data_of(page);
    free(page);
    return data;
}

static cJSON *get(cJSON *at, const char *key)
{
    cJSON *value = cJSON_GetObjectItemCaseSensitive(at, key);
    ck_assert_msg(value, "there is no %s", key);
    return value;
}

static bool has(cJSON *at, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(at, key);
}

static cJSON *case_named(cJSON *data, const char *name)
{
    cJSON *item;
    cJSON_ArrayForEach(item, get(data, "cases"))
    {
        if (strcmp(get(item, "name")->valuestring, name) == 0) {
            return item;
        }
    }
    return NULL;
}

static cJSON *frame_of(cJSON *item, int index)
{
    return cJSON_GetArrayItem(get(item, "frames"), index);
}

#define assert_key(at, key, wanted)   ck_assert_str_eq(get(at, key)->valuestring, wanted)
#define assert_value(at, key, wanted) ck_assert(get(at, key)->valuedouble == (wanted))

START_TEST(all_figures_are_in_the_page)
{
    fixture f;
    fill_fixture(&f);
    write_pictures();
    write_report(&f.results);
    cJSON *data = index_data();
    assert_key(data, "title", "marrow test");
    assert_key(data, "verdict", "2 of 6 cases failed"); /* failed and xpassed */
    assert_key(data, "state", "bad");
    assert_value(data, "seconds", 1.5);
    assert_value(data, "shard", 2);
    assert_value(data, "shards", 3);
    assert_value(data, "frames", 4);
    assert_value(get(data, "counts"), "xfailed", 1);
    ck_assert_int_eq(cJSON_GetArraySize(get(data, "unused")), 1);
    ck_assert_int_eq(cJSON_GetArraySize(get(data, "cases")), 6);

    cJSON *walk = case_named(data, "Walk");
    assert_key(walk, "outcome", "failed");
    assert_key(walk, "message", "Walk_0012: 132 of 5210 pixels differ");
    assert_key(walk, "file", "tests/hero/suite.ini");
    assert_value(walk, "line", 12);
    assert_value(walk, "runs", 3);
    assert_key(walk, "sceneHash", HASH_A);
    assert_key(walk, "goldenSceneHash", HASH_B);
    ck_assert_str_eq(cJSON_GetArrayItem(get(walk, "tags"), 1)->valuestring, "smoke test");
    ck_assert_int_eq(cJSON_GetArraySize(get(walk, "frames")), 4);

    cJSON *bad = frame_of(walk, 1), *m = get(bad, "m"), *pose = get(bad, "pose");
    assert_key(bad, "clip", "Walk");
    assert_value(bad, "frame", 12);
    assert_value(bad, "time", 12.0 / 30.0);
    assert_value(bad, "bounds", 0.003);
    ck_assert_int_eq(cJSON_GetArraySize(get(bad, "why")), 2);
    assert_key(m, "subject", "alpha above 0");
    assert_value(m, "subjectPixels", 5210);
    assert_value(m, "masked", 17);
    assert_value(m, "differing", 132);
    assert_value(m, "antialiased", 3);
    assert_value(m, "ratio", 132.0 / 5210.0);
    assert_value(m, "mean", 0.1);
    assert_value(m, "psnr", 40.125);
    assert_value(m, "flip", 0.03125);
    assert_value(m, "flipLargest", 0.75);
    ck_assert(cJSON_GetArrayItem(get(m, "largest"), 0)->valuedouble == 14);
    ck_assert(cJSON_GetArrayItem(get(m, "box"), 3)->valuedouble == 31);
    assert_key(pose, "joint", "LeftFoot");
    assert_value(pose, "degrees", 3.1);
    assert_value(pose, "distance", 0.0123);
    assert_value(pose, "scale", 1.25);
    assert_value(pose, "differing", 2);
    assert_value(pose, "joints", 49);

    cJSON *missing = frame_of(walk, 3);
    assert_key(missing, "empty", "cut by every border");
    ck_assert(!has(missing, "m") && !has(missing, "e") && !has(missing, "pose"));
    ck_assert(!has(frame_of(walk, 0), "why"));
    assert_key(case_named(data, "Swim"), "reason", "no water yet");
    cJSON_Delete(data);
}
END_TEST

/* Texts that the page must not have: they fetch, or make markup of text. */
START_TEST(the_page_loads_and_runs_nothing_else)
{
    static const char *const none[] = {"fetch(",     "XMLHttpRequest",     "WebSocket",
                                       "innerHTML",  "insertAdjacentHTML", "document.write",
                                       "eval(",      "Function(",          "@import",
                                       "src=\"http", "href=\"http",        "{{",
                                       "}}\n<"};
    fixture f;
    size_t size;
    fill_fixture(&f);
    write_report(&f.results);
    char *page = read_file("out/index.html", &size);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        ck_assert_msg(!strstr(page, none[i]), "%s", none[i]);
    }
    ck_assert_uint_eq(count_of(page, "url("), count_of(page, "url(\"#")); /* in the page itself */
    ck_assert_uint_eq(count_of(page, "http"), 2); /* http-equiv, and the name space of SVG */
    ck_assert_ptr_nonnull(strstr(page, "'http://www.w3.org/2000/svg'"));
    const char *policy = strstr(page, "Content-Security-Policy");
    ck_assert_ptr_nonnull(policy);
    ck_assert_ptr_nonnull(strstr(policy, "default-src 'none'"));
    ck_assert(policy < strstr(page, "<style>") && policy < strstr(page, "<script"));
    ck_assert_ptr_null(strstr(page, "'unsafe-"));
    ck_assert_uint_eq(count_of(page, "'sha256-"), 2);
    ck_assert_uint_eq(count_of(page, "</script"), 2);
    ck_assert_uint_eq(count_of(page, "</style"), 1);
    free(page);
}
END_TEST

static void assert_harmless(const char *page)
{
    ck_assert_uint_eq(count_of(page, "</script"), 2);
    ck_assert_uint_eq(count_of(page, "<script"), 2);
    ck_assert_uint_eq(count_of(page, "<!--"), 0);
    for (const char *at = page; *at != '\0';) {
        uint32_t code = 0;
        size_t length = mrwi_base_utf8_decode(at, &code);
        ck_assert_msg(length > 0, "no UTF-8: %.20s", at);
        ck_assert_msg(code == '\n' || (code >= 0x20 && code != 0x7F), "character %u", code);
        ck_assert(code != 0x2028 && code != 0x2029 && code != 0x202E);
        at += length;
    }
}

START_TEST(strangers_names_are_text)
{
    fixture f;
    size_t size;
    char wanted[512];
    fill_nasty(&f);
    write_pictures();
    write_report(&f.results);
    char *page = read_file("out/index.html", &size);
    assert_harmless(page);
    ck_assert_uint_eq(strlen(page), size);
    /* In the title and for those without scripts: as text of HTML. */
    ck_assert_ptr_nonnull(strstr(page, "<title>1 of 3 cases failed \xC2\xB7 &lt;/script&gt;\\x1B"));
    ck_assert_ptr_nonnull(strstr(page, "<li>&lt;/script&gt;"));
    cJSON *data = data_of(page);
    cJSON *item = cJSON_GetArrayItem(get(data, "cases"), 0), *frame = frame_of(item, 0);
    mrwi_base_escape(NASTY, wanted, sizeof wanted);
    char *command = strstr(wanted, "\\x23#[error]"); /* a page is no log: there it is but text */
    ck_assert_ptr_nonnull(command);
    memmove(command + 1, command + 4, strlen(command + 4) + 1);
    command[0] = '#';
    ck_assert_ptr_nonnull(strstr(wanted, "</script>\\x1B"));
    assert_key(item, "suite", wanted);
    assert_key(item, "name", wanted);
    assert_key(item, "message", wanted);
    assert_key(item, "file", wanted);
    assert_key(frame, "name", wanted);
    assert_key(frame, "clip", wanted);
    assert_key(get(frame, "pose"), "joint", wanted);
    const char *picture = cJSON_GetArrayItem(get(frame, "a"), 0)->valuestring;
    ck_assert_uint_eq(strspn(picture, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789._-"),
                      strlen(picture));
    cJSON_Delete(data);
    free(page);
    char *inlined = report(mrw_report_inline, &f.results);
    assert_harmless(inlined);
    free(inlined);
}
END_TEST

START_TEST(numbers_that_are_none_are_null)
{
    fixture f;
    fill_fixture(&f);
    f.frames[1].metrics.flip = (double)NAN;
    f.frames[1].pose.degrees = (double)INFINITY;
    f.cases[1].seconds = (double)NAN;
    write_report(&f.results);
    cJSON *data = index_data(), *walk = case_named(data, "Walk");
    ck_assert(cJSON_IsNull(get(walk, "seconds")));
    ck_assert(cJSON_IsNull(get(get(frame_of(walk, 1), "m"), "flip")));
    ck_assert(cJSON_IsNull(get(get(frame_of(walk, 1), "pose"), "degrees")));
    cJSON_Delete(data);
}
END_TEST

/* Of cases that passed only frames that are not quite the same. */
START_TEST(passing_cases_are_short)
{
    fixture f;
    fill_fixture(&f);
    mrw_frame_result frames[3] = {f.frames[0], f.frames[1], f.frames[2]};
    frames[1].passed = true;
    f.cases[0].frames = frames;
    f.cases[0].frame_count = 3;
    write_pictures();
    write_report(&f.results);
    cJSON *data = index_data(), *idle = case_named(data, "Idle");
    assert_value(idle, "total", 3);
    ck_assert_int_eq(cJSON_GetArraySize(get(idle, "frames")), 1);
    assert_value(frame_of(idle, 0), "frame", 12);
    ck_assert(!has(frame_of(idle, 0), "a"));
    cJSON_Delete(data);
}
END_TEST

static void assert_verdict(const mrw_outcome *outcomes, size_t count, const char *verdict,
                           const char *state)
{
    mrw_case_result cases[4];
    mrw_results results = {.cases = cases, .case_count = count};
    for (size_t i = 0; i < count; i++) {
        cases[i] = one_case("Walk", outcomes[i]);
    }
    count_outcomes(&results);
    write_report(&results);
    cJSON *data = index_data();
    assert_key(data, "verdict", verdict);
    assert_key(data, "state", state);
    cJSON_Delete(data);
}

/* For who lets no script run: a command for each case that can be accepted, one word of a shell
 * each, and no pattern. */
START_TEST(accept_without_script)
{
    mrw_frame_result frame = {.name = "Walk_0012", .why = MRW_WHY_PIXELS, .message = "off"};
    mrw_case_result cases[4] = {one_case("it's [a] *", MRW_FAILED), one_case("none", MRW_FAILED),
                                one_case("known", MRW_XPASSED), one_case("other", MRW_FAILED)};
    mrw_results results = {.cases = cases, .case_count = 4};
    for (int i = 0; i < 4; i += i == 0 ? 2 : 1) {
        cases[i].frames = &frame;
        cases[i].frame_count = cases[i].bad_frames = 1;
    }
    cases[0].suite = "hero";
    cases[0].suite_file = "tests/hero.suite.ini";
    cases[3].suite_file = "new.fbx";
    count_outcomes(&results);
    write_report(&results);
    size_t size;
    char *page = read_file("out/index.html", &size);
    ck_assert_ptr_nonnull(strstr(page,
                                 "<br><code>marrow accept "
                                 "&#39;hero/it&#39;\\&#39;&#39;s \\[a\\] \\*&#39;</code></li>"));
    ck_assert_ptr_null(
        strstr(strstr(page, "marrow accept &#39;") + 1, "<code>marrow accept &#39;"));
    results.against = "software";
    write_report(&results);
    free(page);
    page = read_file("out/index.html", &size);
    ck_assert_ptr_null(strstr(page, "marrow accept &#39;"));
    free(page);
}
END_TEST

START_TEST(the_verdict)
{
    assert_verdict(NULL, 0, "No cases ran", "bad");
    assert_verdict((mrw_outcome[]){MRW_PASSED}, 1, "The only case passed", "good");
    assert_verdict((mrw_outcome[]){MRW_FAILED}, 1, "1 of 1 case failed", "bad");
    assert_verdict((mrw_outcome[]){MRW_SKIPPED}, 1, "The only case was skipped", "skipped");
    assert_verdict((mrw_outcome[]){MRW_SKIPPED, MRW_SKIPPED}, 2, "All cases were skipped",
                   "skipped");
    assert_verdict((mrw_outcome[]){MRW_PASSED, MRW_UPDATED, MRW_XFAILED}, 3, "All 3 cases passed",
                   "good");
    assert_verdict((mrw_outcome[]){MRW_PASSED, MRW_SKIPPED, MRW_PASSED}, 3, "2 cases passed",
                   "good");
    assert_verdict((mrw_outcome[]){MRW_LEFT_OUT, MRW_LEFT_OUT}, 2,
                   "Nothing changed: 2 cases left out", "good");
    assert_verdict((mrw_outcome[]){MRW_SKIPPED, MRW_LEFT_OUT}, 2,
                   "Nothing changed: 1 case left out", "good");
    assert_verdict((mrw_outcome[]){MRW_PASSED, MRW_LEFT_OUT, MRW_SKIPPED, MRW_LEFT_OUT}, 4,
                   "1 case passed, 2 left out", "good");
    assert_verdict((mrw_outcome[]){MRW_FAILED, MRW_LEFT_OUT}, 2, "1 of 2 cases failed", "bad");
    assert_verdict((mrw_outcome[]){MRW_PASSED, MRW_XPASSED, MRW_PASSED}, 3, "1 of 3 cases failed",
                   "bad");
}
END_TEST

/* ---- pictures beside the page ---------------------------------------------------------------- */

START_TEST(pictures_are_copied)
{
    fixture f;
    size_t size;
    fill_fixture(&f);
    f.frames[0].expected = "hero/Walk/Walk_0012.expected.png"; /* a frame that passed */
    write_pictures();
    write_report(&f.results);
    assert_same_file(find_entry("out/pictures", "Walk_0012.diff-", ".png"),
                     "hero/Walk/Walk_0012.diff.png");
    assert_same_file(find_entry("out/pictures", "Walk_0000.expected-", ".png"),
                     "hero/Walk/Walk_0012.expected.png");
    /* Scripts of frames that differ, for their pixel values, but not of the difference. */
    char *script = read_file(find_entry("out/pictures", "Walk_0012.actual-", ".js"), &size);
    ck_assert(strncmp(script, "marrowPicture(\"Walk_0012.actual-", 32) == 0);
    free(script);
    char command[700];
    snprintf(
        command, sizeof command,
        "sed 's/.*[.]png[.]js\", \"//; s/\".*//' %s | base64 -d | cmp - hero/Walk/Walk_0012.png",
        find_entry("out/pictures", "Walk_0012.actual-", ".js"));
    ck_assert_int_eq(system(command), 0);
    ck_assert_str_ne(find_entry("out/pictures", "Walk_0012.expected-", ".js"), "");
    ck_assert_str_eq(find_entry("out/pictures", "Walk_0012.diff-", ".js"), "");
    ck_assert_str_ne(find_entry("out/pictures", "Walk_0000.expected-", ".png"), "");
    ck_assert_str_eq(find_entry("out/pictures", "Walk_0000.expected-", ".js"), "");
    ck_assert_uint_eq(count_entries("out/pictures"), 4); /* each picture once */

    cJSON *data = index_data(), *bad = frame_of(case_named(data, "Walk"), 1);
    ck_assert(cJSON_GetArrayItem(get(bad, "e"), 1)->valuedouble == 8);
    ck_assert(cJSON_GetArrayItem(get(bad, "e"), 3)->valuedouble == 1);
    ck_assert(cJSON_GetArrayItem(get(bad, "d"), 3)->valuedouble == 0);
    cJSON_Delete(data);
}
END_TEST

/* Nobody has seen what two renderers draw before. */
START_TEST(passed_cases_that_have_no_goldens_are_shown)
{
    fixture f;
    for (int k = 0; k < 2; k++) {
        fill_fixture(&f);
        if (k == 0) {
            write_pictures();
        }
        f.results.against = k == 0 ? NULL : "software";
        f.cases[1].outcome = MRW_PASSED;
        ck_assert_int_eq(mrw_report_html(&f.results, "out", NULL), MRW_OK);
        size_t size;
        char *page = read_file("out/index.html", &size);
        const bool named = strstr(page, "\"against\":\"software\"");
        ck_assert(named == (k == 1));
        free(page);
        ck_assert((find_entry("out/pictures", "Walk_0012.actual-", ".js")[0] != '\0') == (k == 1));
    }
}
END_TEST

START_TEST(values_of_the_first_bad_frames_come_first)
{
    fixture f;
    fill_fixture(&f);
    f.frames[3].actual = "hero/Walk/Walk_0012.png";
    f.frames[2].expected = "hero/Walk/Walk_0012.expected.png";
    f.frames[2].actual = "hero/Walk/Walk_0012.png"; /* passed within the limits */
    write_pictures();
    struct stat info;
    ck_assert_int_eq(stat("hero/Walk/Walk_0012.png", &info), 0);
    mrwi_report partial = {&f.results, "out", .values_left = 3 * (uint64_t)info.st_size};
    ck_assert_int_eq(mrwi_report_take_pictures(&partial, NULL), MRW_OK);
    ck_assert(partial.pictures[1][1][MRWI_REPORT_ROLE_EXPECTED].values);
    ck_assert(partial.pictures[1][1][MRWI_REPORT_ROLE_ACTUAL].values);
    ck_assert(partial.pictures[1][3][MRWI_REPORT_ROLE_ACTUAL].values);
    ck_assert(!partial.pictures[1][2][MRWI_REPORT_ROLE_EXPECTED].values);
    ck_assert(!partial.pictures[1][2][MRWI_REPORT_ROLE_ACTUAL].values);
    ck_assert_ptr_null(partial.pictures[0]);
    ck_assert_uint_eq(partial.frames_left, 0);
    mrwi_report_free(&partial);
}
END_TEST

/* The smallest BMP: one pixel, 24 bits. */
static const uint8_t bmp[58] = {'B', 'M', 58, 0, 0, 0, 0, 0, 0,  0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0,
                                0,   0,   1,  0, 0, 0, 1, 0, 24, 0, 0,  0, 0, 0, 4,  0, 0, 0, 0, 0,
                                0,   0,   0,  0, 0, 0, 0, 0, 0,  0, 0,  0, 0, 0, 1,  2, 3, 0};

START_TEST(what_is_no_picture_is_said)
{
    fixture f;
    size_t size;
    fill_fixture(&f);
    write_pictures();
    char *png = read_file("hero/Walk/Walk_0012.png", &size);
    test_write("hero/Walk/Walk_0012.diff.png", bmp, sizeof bmp); /* another format becomes PNG */
    test_write("hero/Walk/Walk_0012.expected.png", png, 10);     /* cut short */
    ck_assert_int_eq(unlink("hero/Walk/Walk_0012.png"), 0);      /* gone */
    f.frames[3].expected = "hero/Walk";                          /* a folder */
    f.frames[2].expected = "hero/Walk/text.png";                 /* no picture */
    test_write("hero/Walk/text.png", "<svg onload='x'></svg>", 22);
    write_report(&f.results);
    cJSON *data = index_data(), *walk = case_named(data, "Walk");
    assert_key(frame_of(walk, 1), "e", "damaged");
    assert_key(frame_of(walk, 1), "a", "missing");
    ck_assert(cJSON_GetArrayItem(get(frame_of(walk, 1), "d"), 1)->valuedouble == 1);
    assert_key(frame_of(walk, 2), "e", "damaged");
    assert_key(frame_of(walk, 3), "e", "missing");
    char *made = read_file(find_entry("out/pictures", "Walk_0012.diff-", ".png"), &size);
    ck_assert(memcmp(made, "\x89PNG\r\n\x1a\n", 8) == 0);
    ck_assert_uint_eq(count_entries("out/pictures"), 1);
    cJSON_Delete(data);
    free(made);
    free(png);
}
END_TEST

/* Those of `marrow diff` lie anywhere. */
START_TEST(absolute_paths_stand_for_themselves)
{
    fixture f;
    char path[PATH_MAX + 40];
    fill_fixture(&f);
    write_pictures();
    snprintf(path, sizeof path, "%s/hero/Walk/Walk_0012.png", test_folder());
    f.frames[1].actual = path;
    f.results.folder = "elsewhere";
    write_report(&f.results);
    cJSON *data = index_data(), *bad = frame_of(case_named(data, "Walk"), 1);
    ck_assert(cJSON_IsArray(get(bad, "a")));
    assert_key(bad, "e", "missing");
    size_t size;
    char *page = read_file("out/index.html", &size);
    ck_assert_ptr_null(strstr(page, test_folder())); /* the page names no place of this machine */
    cJSON_Delete(data);
    free(page);
}
END_TEST

START_TEST(pictures_of_earlier_reports_go_and_those_of_others_stay)
{
    static const char *const stays[] = {"out/notes.txt",
                                        "out/pictures/me.png",
                                        "out/pictures/Walk.expected-0123.png",
                                        "out/pictures/Walk.expected-0123456789abcdeg.png",
                                        "out/pictures/Walk.other-0123456789abcdef.png",
                                        "out/pictures/Walk.diff-0123456789abcdef.png.txt",
                                        "out/pictures/.diff-0123456789abcdef.png",
                                        "out/pictures/Walk.diff-0123456789abcdef.gif",
                                        "out/Walk.diff-0123456789abcdef.png"};
    static const char *const goes[] = {"out/pictures/Walk.expected-0123456789abcdef.png",
                                       "out/pictures/a.diff-00112233445566ff.png.js",
                                       "out/pictures/a.png.actual-0123456789abcdef.png",
                                       "out/pictures/.Walk.diff-0123456789abcdef.png.js.77-3.tmp"};
    fixture f;
    fill_fixture(&f);
    write_pictures();
    write_report(&f.results);
    char before[300], after[300];
    strcpy(before, find_entry("out/pictures", "Walk_0012.actual-", ".js"));
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; i++) {
        test_write(stays[i], "x", 1);
    }
    for (size_t i = 0; i < sizeof goes / sizeof goes[0]; i++) {
        test_write(goes[i], "x", 1);
    }
    write_picture("hero/Walk/Walk_0012.png", 8, 9);
    write_report(&f.results);
    strcpy(after, find_entry("out/pictures", "Walk_0012.actual-", ".js"));
    ck_assert_str_ne(before, after); /* another picture, another name */
    ck_assert(!is_there(before) && is_there(after));
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; i++) {
        ck_assert_msg(is_there(stays[i]), "%s", stays[i]);
    }
    for (size_t i = 0; i < sizeof goes / sizeof goes[0]; i++) {
        ck_assert_msg(!is_there(goes[i]), "%s", goes[i]);
    }
}
END_TEST

START_TEST(the_report_before_stays_when_writing_fails)
{
    fixture f;
    mrw_error error = {0};
    fill_fixture(&f);
    write_pictures();
    write_report(&f.results);
    size_t entries = count_entries("out/pictures");
    /* A page that can't be replaced: a folder stands there. */
    ck_assert(rename("out/index.html", "out/old.html") == 0 && mkdir("out/index.html", 0777) == 0);
    write_picture("hero/Walk/Walk_0012.png", 8, 9);
    ck_assert_int_eq(mrw_report_html(&f.results, "out", &error), MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "index.html"));
    ck_assert_uint_eq(count_entries("out/pictures"), entries + 1); /* nothing was removed */
    /* Pictures that can't be written: a file stands there. */
    test_write("file", "x", 1);
    ck_assert_int_eq(mrw_report_html(&f.results, "file", &error), MRW_ERROR_OUTPUT);
    ck_assert_int_eq(mkdir("half", 0777), 0);
    test_write("half/pictures", "x", 1);
    ck_assert_int_eq(mrw_report_html(&f.results, "half", &error), MRW_ERROR_OUTPUT);
    ck_assert(!is_there("half/index.html"));
}
END_TEST

/* ---- one page -------------------------------------------------------------------------------- */

START_TEST(one_page_has_the_failures_and_their_pictures)
{
    fixture f;
    fill_fixture(&f);
    write_pictures();
    char *page = report(mrw_report_inline, &f.results);
    cJSON *data = data_of(page), *walk = case_named(data, "Walk");
    ck_assert_int_eq(cJSON_GetArraySize(get(data, "cases")), 2);
    ck_assert(walk && case_named(data, "Jump") && !case_named(data, "Idle"));
    assert_key(data, "verdict", "2 of 6 cases failed");
    ck_assert(cJSON_IsTrue(get(data, "inlined")) && !has(data, "framesLeft"));
    const char *actual = cJSON_GetArrayItem(get(frame_of(walk, 1), "a"), 0)->valuestring;
    ck_assert(strncmp(actual, "iVBORw0KGgo", 11) == 0);
    ck_assert_ptr_null(strstr(page, "file:")); /* the policy lets nothing else be loaded */
    ck_assert_ptr_nonnull(strstr(page, "img-src data:\""));
    ck_assert(!is_there("out"));
    cJSON_Delete(data);
    free(page);
}
END_TEST

/* 25 MiB hold four frames of two pictures of 3 MB, which are 6 of base64: the first bad one of each
 * case, then the second of the first case. */
START_TEST(one_page_leaves_pictures_out)
{
    mrw_case_result cases[3];
    mrw_frame_result frames[3][3];
    mrw_results results = {.cases = cases, .case_count = 3, .title = "", .folder = "."};
    write_picture("large.png", 880, 4);
    struct stat info;
    ck_assert_int_eq(stat("large.png", &info), 0);
    uint64_t pair = 2 * (((uint64_t)info.st_size + 2) / 3 * 4);
    ck_assert(4 * pair <= MRWI_REPORT_INLINE && 5 * pair > MRWI_REPORT_INLINE);
    for (int i = 0; i < 3; i++) {
        cases[i] = one_case(i == 0 ? "a" : i == 1 ? "b" : "c", MRW_FAILED);
        cases[i].frames = frames[i];
        cases[i].frame_count = 3;
        cases[i].bad_frames = 2;
        for (int j = 0; j < 3; j++) {
            frames[i][j] = j == 0 ? good_frame("W_0", 0) : bad_frame(j == 1 ? "W_1" : "W_2", 1);
            frames[i][j].expected = frames[i][j].actual = "large.png";
            frames[i][j].diff = NULL;
        }
    }
    char *page = report(mrw_report_inline, &results);
    cJSON *data = data_of(page);
    assert_value(data, "framesLeft", 5);
    for (int i = 0; i < 3; i++) {
        cJSON *item = cJSON_GetArrayItem(get(data, "cases"), i);
        assert_key(frame_of(item, 0), "e", "left");
        ck_assert(cJSON_IsArray(get(frame_of(item, 1), "e")));
        ck_assert(cJSON_IsArray(get(frame_of(item, 1), "a")));
        ck_assert(cJSON_IsArray(get(frame_of(item, 2), "e")) == (i == 0));
    }
    cJSON_Delete(data);
    free(page);
}
END_TEST

/* ---- base64, memory -------------------------------------------------------------------------- */

/* RFC 4648, section 10. */
START_TEST(base64)
{
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        mrw_text text = {0};
        mrw_text_base64(&text, (const uint8_t *)vectors[i][0], strlen(vectors[i][0]));
        ck_assert_str_eq(text.data ? text.data : "", vectors[i][1]);
        mrw_text_free(&text);
    }
    uint8_t bytes[3000]; /* more than a piece */
    mrw_text text = {0};
    memset(bytes, 0xFF, sizeof bytes);
    mrw_text_base64(&text, bytes, sizeof bytes);
    ck_assert_uint_eq(strspn(text.data, "/"), 4000);
    ck_assert_uint_eq(text.size, 4000);
    mrw_text_free(&text);
}
END_TEST

static mrw_status make_with_failure(const mrw_results *results, bool inlined, uint64_t n)
{
    mrw_error error = {0};
    mrw_bytes page = {0};
    mrwi_base_alloc_fail_at(n);
    mrw_status status = inlined ? mrw_report_inline(results, &page, &error)
                                : mrw_report_html(results, "out", &error);
    ck_assert(status == MRW_OK || (error.status == status && !page.data));
    mrw_bytes_free(&page);
    return status;
}

START_TEST(out_of_memory_is_a_status)
{
    fixture f;
    fill_fixture(&f);
    write_pictures();
    for (int inlined = 0; inlined < 2; inlined++) {
        uint64_t failures = 0;
        for (bool pending = false; !pending; failures++) {
            mrw_status status = make_with_failure(&f.results, inlined == 1, failures + 1);
            pending = mrwi_base_alloc_fail_pending();
            mrwi_base_alloc_fail_at(0);
            ck_assert_msg(status == MRW_OK || (!pending && status == MRW_ERROR_MEMORY), "%d %d",
                          (int)failures, (int)status);
            ck_assert(!pending || status == MRW_OK);
        }
        ck_assert_uint_gt(failures, 10);
    }
    cJSON_Delete(index_data());
}
END_TEST

/* Nothing but what the header says must be there. */
START_TEST(bare_results)
{
    mrw_frame_result frame = {.why = MRW_WHY_PIXELS};
    mrw_case_result item = {.outcome = MRW_FAILED, .frames = &frame, .frame_count = 1};
    mrw_results results = {.cases = &item, .case_count = 1};
    write_report(&results);
    cJSON *data = index_data();
    assert_key(data, "verdict", "1 of 1 case failed");
    assert_key(cJSON_GetArrayItem(get(data, "cases"), 0), "suite", "");
    cJSON_Delete(data);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("html");
    TCase *tc = tcase_create("html");
    tcase_add_checked_fixture(tc, test_folder_enter, test_folder_remove);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, all_figures_are_in_the_page);
    tcase_add_test(tc, the_page_loads_and_runs_nothing_else);
    tcase_add_test(tc, strangers_names_are_text);
    tcase_add_test(tc, numbers_that_are_none_are_null);
    tcase_add_test(tc, passing_cases_are_short);
    tcase_add_test(tc, accept_without_script);
    tcase_add_test(tc, the_verdict);
    tcase_add_test(tc, pictures_are_copied);
    tcase_add_test(tc, passed_cases_that_have_no_goldens_are_shown);
    tcase_add_test(tc, values_of_the_first_bad_frames_come_first);
    tcase_add_test(tc, what_is_no_picture_is_said);
    tcase_add_test(tc, absolute_paths_stand_for_themselves);
    tcase_add_test(tc, pictures_of_earlier_reports_go_and_those_of_others_stay);
    tcase_add_test(tc, the_report_before_stays_when_writing_fails);
    tcase_add_test(tc, one_page_has_the_failures_and_their_pictures);
    tcase_add_test(tc, one_page_leaves_pictures_out);
    tcase_add_test(tc, base64);
    tcase_add_test(tc, out_of_memory_is_a_status);
    tcase_add_test(tc, bare_results);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
