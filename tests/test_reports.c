/* test_reports.c: results as CI reads them: JUnit, TAP, GitHub's annotations and summary. */
#include "results_fixture.h"

#include <ctype.h>

/* ---- XML ------------------------------------------------------------------------------------- */

/* A reference that XML knows: &amp; &lt; &gt; &quot; &#39;. Returns its length. */
static size_t reference(const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < 5; i++) {
        if (strncmp(at, known[i], strlen(known[i])) == 0) {
            return strlen(known[i]);
        }
    }
    return 0;
}

/* Length of a legal character (XML 1.0, section 2.2), which may be a reference; 0: none. */
static size_t character(const char *at)
{
    const unsigned char *p = (const unsigned char *)at;
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    bool legal = p[0] == '\n' || (p[0] >= 0x20 && p[0] < 0x7f) || (p[0] >= 0xc2 && p[0] < 0xf5);
    if (*at == '&') {
        return reference(at);
    }
    for (size_t i = 1; i < length; i++) {
        legal = legal && (p[i] & 0xc0) == 0x80;
    }
    if (p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe) {
        legal = false; /* U+FFFE, U+FFFF */
    }
    return legal && *at != '<' ? length : 0;
}

/* A well-formed document: every element closed, attributes quoted and told apart, nothing illegal.
 * Returns the number of elements. */
static size_t check_xml(const char *text)
{
    char open[8][32];
    size_t depth = 0, elements = 0;
    const char *p = strstr(text, "?>\n");
    ck_assert_int_eq(strncmp(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39), 0);
    for (p += 3; *p != '\0';) {
        if (strncmp(p, "</", 2) == 0) {
            size_t length = strcspn(p + 2, ">");
            ck_assert_uint_gt(depth, 0);
            ck_assert_msg(strlen(open[depth - 1]) == length &&
                              memcmp(open[depth - 1], p + 2, length) == 0,
                          "%.60s closes %s", p, open[depth - 1]);
            depth--;
            p += length + 3;
        } else if (*p == '<') {
            size_t length = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz-");
            ck_assert_uint_lt(depth, 8);
            ck_assert(length > 0 && length < 32);
            snprintf(open[depth++], 32, "%.*s", (int)length, p + 1);
            elements++;
            p += length + 1;
            while (*p == ' ') {
                p += 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz");
                ck_assert_msg(strncmp(p, "=\"", 2) == 0, "%.60s", p);
                for (p += 2; *p != '"';) {
                    ck_assert_msg(*p != '\n' && character(p) > 0, "%.60s", p);
                    p += character(p);
                }
                p++;
            }
            depth -= *p == '/';
            p += *p == '/';
            ck_assert_msg(*p == '>', "%.60s", p);
            p++;
        } else {
            ck_assert_msg(character(p) > 0 && strncmp(p, "]]>", 3) != 0, "%.60s", p);
            ck_assert(depth > 0 || *p == '\n');
            p += character(p);
        }
    }
    ck_assert_uint_eq(depth, 0);
    return elements;
}

START_TEST(junit)
{
    fixture f;
    fill_fixture(&f);
    f.results.folder = "tests/hero/results";
    char *text = report(mrw_report_junit, &f.results);
    assert_text(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"marrow test\" tests=\"6\" failures=\"2\" errors=\"0\" time=\"1.500\">\n"
        "  <testsuite name=\"tests/hero/suite.ini\" tests=\"6\" failures=\"2\" errors=\"0\" "
        "skipped=\"2\" time=\"1.500\">\n"
        "    <testcase classname=\"hero\" name=\"Idle\" file=\"tests/hero/suite.ini\" line=\"12\" "
        "time=\"0.250\"/>\n"
        "    <testcase classname=\"hero\" name=\"Walk\" file=\"tests/hero/suite.ini\" line=\"12\" "
        "time=\"0.250\">\n"
        "      <failure type=\"pixels\" message=\"Walk_0012: 132 of 5210 pixels differ\">"
        "Walk_0012: 132 of 5210 pixels differ\n"
        "    132 pixels differ (2.53 %), by at most 14; PSNR 40.1 dB, FLIP 0.0313, of a pixel "
        "0.75; joint LeftFoot "
        "turned 3.1 degrees, moved 0.0123 m; bounds off by 0.0030 m\n"
        "Walk_0036: there is no golden\n"
        "</failure>\n"
        "      <system-out>[[ATTACHMENT|tests/hero/results/hero/Walk/Walk_0012.diff.png]]\n"
        "expected: tests/hero/results/hero/Walk/Walk_0012.expected.png\n"
        "actual: tests/hero/results/hero/Walk/Walk_0012.png\n"
        "diff: tests/hero/results/hero/Walk/Walk_0012.diff.png\n"
        "</system-out>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hero\" name=\"Run\" file=\"tests/hero/suite.ini\" line=\"12\" "
        "time=\"0.250\">\n"
        "      <skipped type=\"xfailed\" message=\"expected to fail: feet slide, see #12\"/>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hero\" name=\"Jump\" file=\"tests/hero/suite.ini\" line=\"12\" "
        "time=\"0.250\">\n"
        "      <failure type=\"xpassed\" message=\"passed, although it is expected to "
        "fail\">passed, "
        "although it is expected to fail\n</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hero\" name=\"Swim\" file=\"tests/hero/suite.ini\" line=\"12\" "
        "time=\"0.250\">\n"
        "      <skipped type=\"skipped\" message=\"no water yet\"/>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hero\" name=\"Fly\" file=\"tests/hero/suite.ini\" line=\"12\" "
        "time=\"0.250\"/>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
    ck_assert_uint_eq(check_xml(text), 1 + 1 + 6 + 5);
    free(text);
}
END_TEST

START_TEST(junit_of_strangers)
{
    fixture f;
    fill_nasty(&f);
    char *text = report(mrw_report_junit, &f.results);
    ck_assert_uint_eq(check_xml(text), 10);
    assert_has(text, "classname=\"&lt;/script&gt;\\x1B[31m\\x0A::error::gone]]&gt;&quot;&#39;`|##["
                     "error]x % , : # \\ *b* &lt;b&gt;&amp;amp; \\xFF\xc3\xa9 \\u{202E}\"");
    free(text);
    f.cases[0].suite_file = "\xef\xbf\xbe\xef\xbf\xbf";
    text = report(mrw_report_junit, &f.results);
    check_xml(text);
    assert_has(text, "name=\"\xef\xbf\xbd\xef\xbf\xbd\"");
    free(text);
}
END_TEST

/* GitLab takes no brackets in the path of an attachment; ten frames are enough. */
START_TEST(junit_attachments)
{
    fixture f;
    mrw_frame_result frames[25];
    fill_fixture(&f);
    for (size_t i = 0; i < 25; i++) {
        frames[i] = bad_frame("Walk_0012", i);
    }
    frames[0].diff = NULL;
    f.cases[1].frames = frames;
    f.cases[1].frame_count = f.cases[1].bad_frames = 25;
    f.results.folder = "./a[1]";
    char *text = report(mrw_report_junit, &f.results);
    check_xml(text);
    assert_lacks(text, "ATTACHMENT");
    assert_has(text, "actual: ./a[1]/hero/Walk/Walk_0012.png\n");
    ck_assert_uint_eq(count_text(text, "actual: "), 10);
    assert_has(text, "and 15 more of 25 frames\n</failure>");
    free(text);
    f.results.folder = "./a";
    text = report(mrw_report_junit, &f.results);
    ck_assert_uint_eq(count_text(text, "[[ATTACHMENT|"), 1);
    assert_has(text, "<system-out>[[ATTACHMENT|a/hero/Walk/Walk_0012.png]]\n");
    free(text);
}
END_TEST

/* An element a suite, told apart by their files; the names of GitLab stay unique. */
START_TEST(junit_suites)
{
    mrw_case_result cases[] = {one_case("a", MRW_PASSED), one_case("b", MRW_PASSED),
                               one_case("a", MRW_FAILED), one_case("c", MRW_PASSED)};
    cases[2].suite_file = "./tests/b/suite.ini";
    cases[3].suite = "marrow";
    cases[3].suite_file = NULL;
    mrw_results results = {.cases = cases, .case_count = 4, .title = "t", .folder = "."};
    char *text = report(mrw_report_junit, &results);
    ck_assert_uint_eq(check_xml(text), 1 + 3 + 4 + 1);
    assert_has(text, "<testsuite name=\"tests/hero/suite.ini\" tests=\"2\" failures=\"0\"");
    assert_has(text, "<testsuite name=\"tests/b/suite.ini\" tests=\"1\" failures=\"1\"");
    assert_has(text, "<testsuite name=\"marrow\" tests=\"1\"");
    assert_has(text, "<testcase classname=\"marrow\" name=\"c\" time=\"0.250\"/>");
    free(text);
}
END_TEST

/* ---- TAP ------------------------------------------------------------------------------------- */

START_TEST(tap)
{
    fixture f;
    fill_fixture(&f);
    char *text = report(mrw_report_tap, &f.results);
    assert_text(text, "TAP version 13\n"
                      "1..6\n"
                      "ok 1 - hero/Idle\n"
                      "not ok 2 - hero/Walk\n"
                      "  ---\n"
                      "  message: \"Walk_0012: 132 of 5210 pixels differ\"\n"
                      "  severity: \"fail\"\n"
                      "  at:\n"
                      "    file: \"tests/hero/suite.ini\"\n"
                      "    line: 12\n"
                      "  frame: \"Walk_0012\"\n"
                      "  bad_frames: 2\n"
                      "  frames: 4\n"
                      "  metrics:\n"
                      "    same_size: true\n"
                      "    differing: 132\n"
                      "    subject_pixels: 5210\n"
                      "    ratio: 0.025335892514395393\n"
                      "    largest: [14, 3, 0, 1]\n"
                      "    mean: 0.1\n"
                      "    psnr: 40.125\n"
                      "    flip: 0.03125\n"
                      "    flip_largest: 0.75\n"
                      "  pose:\n"
                      "    joint: \"LeftFoot\"\n"
                      "    degrees: 3.1\n"
                      "    distance: 0.0123\n"
                      "    scale: 1.25\n"
                      "    differing: 2\n"
                      "    joints: 49\n"
                      "  ...\n"
                      "not ok 3 - hero/Run # TODO feet slide, see \\#12\n"
                      "  ---\n"
                      "  message: \"Run_0000: 1 pixel differs\"\n"
                      "  severity: \"todo\"\n"
                      "  at:\n"
                      "    file: \"tests/hero/suite.ini\"\n"
                      "    line: 12\n"
                      "  ...\n"
                      "not ok 4 - hero/Jump\n"
                      "  ---\n"
                      "  message: \"passed, although it is expected to fail\"\n"
                      "  severity: \"fail\"\n"
                      "  at:\n"
                      "    file: \"tests/hero/suite.ini\"\n"
                      "    line: 12\n"
                      "  ...\n"
                      "ok 5 - hero/Swim # SKIP no water yet\n"
                      "ok 6 - hero/Fly\n");
    free(text);
}
END_TEST

START_TEST(tap_names_the_driver)
{
    fixture f;
    fill_fixture(&f);
    f.cases[2].backend = "gl";
    f.cases[2].driver = "card #1";
    char *text = report(mrw_report_tap, &f.results);
    assert_has(text, "TAP version 13\n# drawn by card \\#1\n1..6\n");
    free(text);
}
END_TEST

/* Every line is one that TAP knows or stands in a block; only directives have a bare '#'. */
START_TEST(tap_of_strangers)
{
    fixture f;
    fill_nasty(&f);
    char *text = report(mrw_report_tap, &f.results), *save = NULL;
    assert_lacks(text, "##[");
    assert_has(text, "not ok 1 - </script>\\\\x1B[31m\\\\x0A::error::gone]]>\"'`|\\#\\#[error]x");
    size_t tests = 0, directives = 0;
    bool block = false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        for (const char *p = line; *p != '\0'; p++) {
            ck_assert((unsigned char)*p >= 0x20 && *p != '\x7f');
        }
        bool test = strncmp(line, "ok ", 3) == 0 || strncmp(line, "not ok ", 7) == 0;
        tests += test;
        for (const char *p = strchr(line, '#'); test && p; p = strchr(p + 1, '#')) {
            directives += p[-1] != '\\';
            ck_assert(p[-1] == '\\' || strncmp(p, "# SKIP", 6) == 0 ||
                      strncmp(p, "# TODO", 6) == 0);
        }
        block = strcmp(line, "  ---") == 0 || (block && strcmp(line, "  ...") != 0);
        ck_assert_msg(test || strncmp(line, "  ", 2) == 0 || strncmp(line, "1..3", 4) == 0 ||
                          strcmp(line, "TAP version 13") == 0,
                      "%s", line);
    }
    ck_assert_uint_eq(tests, 3);
    ck_assert_uint_eq(directives, 2);
    ck_assert(!block);
    free(text);
}
END_TEST

/* An empty plan passes in a harness: only a shard may have it. */
START_TEST(tap_of_nothing)
{
    mrw_results results = {.title = "t", .folder = "."};
    char *text = report(mrw_report_tap, &results);
    assert_text(text, "TAP version 13\n1..1\nnot ok 1 - no cases\n");
    free(text);
    results.shard_index = results.shard_count = 4;
    text = report(mrw_report_tap, &results);
    assert_text(text, "TAP version 13\n1..0 # SKIP this shard has no cases\n");
    free(text);
}
END_TEST

/* ---- GitHub ---------------------------------------------------------------------------------- */

START_TEST(annotations)
{
    fixture f;
    fill_fixture(&f);
    f.cases[1].suite_file = "./tests/a,b:c/suite.ini";
    f.cases[1].message = "100% off: a, b";
    f.cases[3].suite_file = "";
    f.cases[3].frames = &f.frames[3]; /* of which there are no figures */
    f.cases[3].frame_count = f.cases[3].bad_frames = 1;
    char *text = report(mrw_report_annotations, &f.results);
    assert_text(
        text,
        "::error file=tests/a%2Cb%3Ac/suite.ini,line=12,title=hero/Walk::100%25 off: a, b%0A2 "
        "of 4 frames failed; the first is Walk_0012: 132 pixels differ (2.53 %25), by at most "
        "14; PSNR 40.1 dB, FLIP 0.0313, of a pixel 0.75; joint LeftFoot turned 3.1 degrees, moved "
        "0.0123 m; "
        "bounds off by 0.0030 m\n"
        "::error title=hero/Jump::passed, although it is expected to fail%0A1 of 1 frames failed; "
        "the first is Walk_0036\n");
    free(text);
}
END_TEST

/* The runner takes a command from each line that begins with "::", spaces before it left out. */
START_TEST(annotations_of_strangers)
{
    fixture f;
    fill_nasty(&f);
    char *text = report(mrw_report_annotations, &f.results);
    ck_assert_uint_eq(count_text(text, "\n"), 1);
    ck_assert_int_eq(strncmp(text, "::error file=", 13), 0);
    ck_assert_ptr_null(strchr(text, '\r'));
    ck_assert_ptr_null(strchr(text, '\x1b'));
    const char *title = strstr(text, ",title="), *data = strstr(text + 2, "::");
    ck_assert_ptr_nonnull(title);
    ck_assert(data > title); /* no name before it ends the properties */
    for (const char *p = text + 13; p < data; p++) {
        ck_assert(*p != ':' && (*p != ',' || strncmp(p, ",line=12", 8) == 0 || p == title));
    }
    for (const char *p = strchr(text, '%'); p; p = strchr(p + 1, '%')) {
        ck_assert(strncmp(p, "%25", 3) == 0 || strncmp(p, "%3A", 3) == 0 ||
                  strncmp(p, "%2C", 3) == 0 || strncmp(p, "%0A", 3) == 0);
    }
    free(text);
}
END_TEST

START_TEST(nothing_to_annotate)
{
    mrw_case_result result = one_case("a", MRW_SKIPPED);
    mrw_results results = {.cases = &result, .case_count = 1};
    char *text = report(mrw_report_annotations, &results);
    assert_text(text, "");
    free(text);
}
END_TEST

START_TEST(summary)
{
    fixture f;
    fill_fixture(&f);
    f.frames[0].metrics = f.frames[1].metrics; /* the worst is of all frames */
    f.frames[0].metrics.differing = 200;
    f.frames[0].metrics.ratio = 0.5;
    f.frames[0].pose = (mrw_pose_difference){"Hip", 3.2, 0.0, 1.0, 1, 49};
    char *text = report(mrw_report_summary, &f.results);
    assert_text(
        text,
        "### marrow test: 2 bad of 6 cases\n\n"
        "| passed | failed | xfailed | xpassed | skipped | updated | seconds |\n"
        "| --: | --: | --: | --: | --: | --: | --: |\n"
        "| 1 | 1 | 1 | 1 | 1 | 1 | 1.5 |\n\n"
        "| case | what is wrong | first bad frame | largest difference |\n"
        "| :-- | :-- | :-- | :-- |\n"
        "| hero/Walk | Walk&#95;0012&#58; 132 of 5210 pixels differ | Walk&#95;0012 (2 of 4) | 200 "
        "pixels differ (50.00 %), by at most 14; PSNR 40.1 dB, FLIP 0.0313, of a pixel 0.75; joint "
        "Hip turned 3.2 "
        "degrees, moved 0.0000 m; bounds off by 0.0030 m |\n"
        "| hero/Jump | passed, although it is expected to fail |  |  |\n\n"
        "1 file is in the golden folders but used by no case; `--prune` removes such files.\n");
    free(text);
}
END_TEST

/* They have a column where there are some. */
START_TEST(summary_of_left_out)
{
    mrw_case_result cases[2] = {one_case("a", MRW_PASSED), one_case("b", MRW_LEFT_OUT)};
    mrw_results results = {.cases = cases, .case_count = 2, .title = "marrow test"};
    results.counts[MRW_PASSED] = results.counts[MRW_LEFT_OUT] = 1;
    char *text = report(mrw_report_summary, &results);
    assert_text(text, "### marrow test: 2 cases, none bad\n\n"
                      "| passed | failed | xfailed | xpassed | skipped | updated | left-out | "
                      "seconds |\n"
                      "| --: | --: | --: | --: | --: | --: | --: | --: |\n"
                      "| 1 | 0 | 0 | 0 | 0 | 0 | 1 | 0.0 |\n");
    free(text);
}
END_TEST

START_TEST(summary_of_strangers)
{
    fixture f;
    fill_nasty(&f);
    f.results.unused_count = 0;
    char *text = report(mrw_report_summary, &f.results), *save = NULL;
    assert_has(text, "&#60;/script&#62;&#92;x1B&#91;31m&#92;x0A&#58;&#58;error");
    size_t lines = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        lines++;
        ck_assert(line[0] == '|' || strncmp(line, "### ", 4) == 0);
        ck_assert_ptr_null(strpbrk(line + 4, "<>`*_[]\"'\\@"));
        for (const char *p = strchr(line, '&'); p; p = strchr(p + 1, '&')) {
            ck_assert(p[1] == '#' && isdigit((unsigned char)p[2]));
        }
        ck_assert(lines <= 4 || count_text(line, "|") == 5);
    }
    ck_assert_uint_eq(lines, 7);
    free(text);
}
END_TEST

START_TEST(summary_is_capped)
{
    size_t count = 30000;
    mrw_case_result *cases = malloc(count * sizeof *cases);
    ck_assert_ptr_nonnull(cases);
    for (size_t i = 0; i < count; i++) {
        cases[i] = one_case("Walk", MRW_FAILED);
        cases[i].message = "there is no golden for this frame";
    }
    mrw_results results = {.cases = cases, .case_count = count, .title = "t", .folder = "."};
    char *text = report(mrw_report_summary, &results);
    ck_assert_uint_le(strlen(text), 1 << 20);
    ck_assert_uint_gt(strlen(text), (1 << 20) - 2000);
    size_t rows = count_text(text, "| hero/Walk |"), left = 0;
    const char *last = strrchr(text, '\n') - 1;
    while (*last != '\n') {
        last--;
    }
    ck_assert_int_eq(sscanf(last, "\n%zu more bad cases are left out", &left), 1);
    ck_assert_uint_eq(rows + left, count);
    free(text);
    free(cases);
}
END_TEST

START_TEST(summary_of_nothing)
{
    mrw_results results = {.title = "marrow test"};
    char *text = report(mrw_report_summary, &results);
    assert_text(text, "### marrow test: no cases\n");
    free(text);
    mrw_case_result result = one_case("a", MRW_PASSED);
    results = (mrw_results){.cases = &result, .case_count = 1, .title = "marrow test"};
    text = report(mrw_report_summary, &results);
    assert_has(text, "### marrow test: 1 cases, none bad\n");
    free(text);
}
END_TEST

/* ---- all of them ----------------------------------------------------------------------------- */

/* A run may leave out what it has nothing to say of. */
START_TEST(what_is_not_there)
{
    mrw_frame_result frame = {.name = "a"};
    mrw_case_result cases[] = {{.outcome = MRW_FAILED, .frames = &frame, .frame_count = 1},
                               {.outcome = MRW_SKIPPED},
                               {.outcome = MRW_XFAILED}};
    mrw_results results = {.cases = cases, .case_count = 3};
    char *text = report(mrw_report_junit, &results);
    check_xml(text);
    free(text);
    free(report(mrw_report_tap, &results));
    free(report(mrw_report_annotations, &results));
    free(report(mrw_report_summary, &results));
    free(report(mrw_results_json, &results));
}
END_TEST

/* A number so small that the decimals would make it 0 is said in full. */
START_TEST(tiny_figures)
{
    fixture f;
    fill_fixture(&f);
    f.frames[1].pose.distance = 1e-9;
    char *text = report(mrw_report_annotations, &f.results);
    assert_has(text, "moved 1e-9 m");
    free(text);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("reports");
    TCase *tc = tcase_create("ci");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, junit);
    tcase_add_test(tc, junit_of_strangers);
    tcase_add_test(tc, junit_attachments);
    tcase_add_test(tc, junit_suites);
    tcase_add_test(tc, tap);
    tcase_add_test(tc, tap_names_the_driver);
    tcase_add_test(tc, tap_of_strangers);
    tcase_add_test(tc, tap_of_nothing);
    tcase_add_test(tc, annotations);
    tcase_add_test(tc, annotations_of_strangers);
    tcase_add_test(tc, nothing_to_annotate);
    tcase_add_test(tc, summary);
    tcase_add_test(tc, summary_of_left_out);
    tcase_add_test(tc, summary_of_strangers);
    tcase_add_test(tc, summary_is_capped);
    tcase_add_test(tc, summary_of_nothing);
    tcase_add_test(tc, what_is_not_there);
    tcase_add_test(tc, tiny_figures);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
