/* test_gl_opinion.c: `marrow test --backend gl --against-backend soft`; made with GL=1 alone. */
#include "cli_fixture.h"

#include "marrow/marrow.h"

START_TEST(two_renderers_agree)
{
    test_write_text("suite.ini", "[defaults]\nmodel = demo:figure\nsize = 48\n"
                                 "[walk]\nclip = Walk\ncount = 2\n[bare]\nbackground = none\n");
    shell("marrow test --backend gl --against-backend soft -v");
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert_msg(status == 0, "%s%s", out, err);
    ck_assert(strstr(out, "passed suite/walk: ") || strstr(out, "walk: "));
    ck_assert_msg(strstr(out, "2 compared, 0 skipped\n"), "%s", out);
    ck_assert(strstr(err, "OpenGL") && !strstr(err, "the OpenGL driver reports"));
}
END_TEST

START_TEST(a_share_and_its_reason)
{
    test_write_text("suite.ini", "[one]\nmodel = demo:blob\nsize = 32\ngl-ratio = 0.9 only here\n");
    shell("marrow test --backend gl --against-backend soft -v");
    ck_assert(status == 77 || (status == 0 && strstr(out, "only here")));
    test_write_text("suite.ini", "[one]\nmodel = demo:blob\ngl-ratio = 0.9\n");
    shell("marrow test --list");
    ck_assert(status == 2 && strstr(err, "reason"));
    test_write_text("suite.ini", "[one]\nmodel = demo:blob\ngl-ratio = 2 why\n");
    shell("marrow test --list");
    ck_assert(status == 2);
}
END_TEST

START_TEST(nothing_compared_is_a_failure)
{
    test_write_text("suite.ini", "[one]\nmodel = demo:blob\nsize = 32\nskip = not today\n");
    shell("marrow test --backend gl --against-backend soft");
    ck_assert(status == 77 || (status == 1 && strstr(out, "0 compared, 1 skipped\n")));
    shell("marrow test --against-backend soft");
    ck_assert(status == 2);
}
END_TEST

START_TEST(goldens_of_a_driver)
{
    char driver[300] = "";
    test_write_text("suite.ini",
                    "[one]\nmodel = demo:blob\nsize = 32\n[two]\nmodel = demo:blob\nsize = 32\n"
                    "backend = soft only\n");
    shell("marrow test --backend gl");
    if (status == 77) {
        ck_assert(err[0] != '\0');
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert(status == 1 && strstr(out, "there is no golden yet"));
    shell("marrow test --backend gl --update -v");
    assert_status(0);
    ck_assert(strstr(out, "skipped ") && strstr(out, "/two: only"));
    const char *named = strstr(err, "drawn with ");
    ck_assert(named && sscanf(named, "drawn with %299[^\n]", driver) == 1);
    shell("cat golden/*/one/gl/golden.txt");
    ck_assert_msg(strstr(out, driver), "%s lacks %s", out, driver);
    shell("marrow test --backend gl --repeat 2 --junit out.xml --json");
    assert_status(0);
    ck_assert(strstr(out, "\"backend\": \"gl\"") && strstr(out, driver));
    shell("cat out.xml");
    ck_assert(strstr(out, driver));
    shell("marrow test");
    ck_assert(status == 1 && strstr(out, "there is no golden yet"));
    shell("cp golden/*/one/gl/* golden/*/one; marrow test -k '*one'");
    ck_assert(status == 1 && strstr(out, driver) && strstr(out, "not compared"));
    shell("marrow test --update; marrow test && marrow test --backend gl");
    assert_status(0);
    shell("marrow test --backend gl --against '%s'", program);
    assert_refused(2, "leave out --backend gl");
}
END_TEST

#define COMPARE "marrow test --backend gl --against-backend soft "

START_TEST(reports_show_both)
{
    test_write_text("suite.ini",
                    "[defaults]\nmodel = demo:figure\nsize = 48\n[walk]\nclip = Walk\ncount = 2\n"
                    "[fewer]\ngl-ratio = 0.9 a good reason\n[alone]\nbackend = soft another one\n"
                    "[gone]\nmodel = gone.glb\n");
    shell(COMPARE "--report report --report-inline page.html --junit out.xml --tap --out pictures");
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    assert_status(1);
    ck_assert_msg(strncmp(out, "TAP version 13\n# drawn by ", 26) == 0, "%s", out);
    ck_assert(strstr(out, "\n1..5\nok 1 - ") && strstr(out, "# SKIP another one\n"));
    ck_assert(strstr(out, "more than a tenth of the cases were skipped"));
    ck_assert(strstr(err, "2 compared, 1 skipped\n"));
    shell("cat out.xml");
    ck_assert(strstr(out, "OpenGL") && strstr(out, "compared with software") &&
              strstr(out, "gone.glb"));
    shell("cat report/index.html");
    ck_assert(strstr(out, "\"against\":\"software\""));
    ck_assert(strstr(out, "\"subject\":\"what marrow drew") && !strstr(out, "a group of 0"));
    ck_assert(strstr(out, "90.0 % are enough: a good reason") && strstr(out, "another one"));
    ck_assert(exists("page.html"));
    shell("ls pictures/*/walk report/pictures");
    ck_assert(strstr(out, "Walk_0000.expected.png\n") && strstr(out, "Walk_0001.expected.png\n"));
    ck_assert(strstr(out, "Walk_0001.expected-"));
    shell("marrow test --update; " COMPARE "--out golden");
    assert_status(2);
    ck_assert(strstr(err, "--out golden"));
    /* without --out only the report has pictures */
    shell("mkdir temporary; TMPDIR=temporary; export TMPDIR; rm -r pictures; " COMPARE
          "-k '*walk' --report again; ls temporary; ls again/pictures");
    ck_assert(!strstr(out, "marrow-opinion") && strstr(out, "Walk_0000.expected-"));
    ck_assert(!exists("pictures"));
}
END_TEST

START_TEST(cases_that_software_alone_draws)
{
    test_write_text("suite.ini",
                    "[defaults]\nmodel = demo:blob\nsize = 16\n[a]\nazimuth = 0, 1, 2, 3, 4, 5, 6, "
                    "7, 8\n[b]\nbackend = soft exact order of layers\n");
    shell(COMPARE);
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert_msg(status == 0, "%s%s", out, err); /* a tenth is none too many */
    ck_assert(strstr(out, "9 compared, 1 skipped\n"));
    ck_assert(strstr(out, "skipped "));
    ck_assert(strstr(out, "/b: exact order of layers\n"));
    test_write_text("suite.ini",
                    "[defaults]\nmodel = demo:blob\nsize = 16\n[a]\nazimuth = 0, 1, 2, 3, 4, 5, 6, "
                    "7\n[b]\nbackend = soft exact order of layers\n");
    shell(COMPARE);
    ck_assert(status == 1 && strstr(out, "8 compared, 1 skipped\n") && !strstr(out, "failed"));
    test_write_text("suite.ini", "[b]\nmodel = demo:blob\nbackend = soft only\n");
    shell(COMPARE);
    ck_assert(status == 1 && strstr(out, "0 compared, 1 skipped\n"));
    shell("marrow test --update"); /* software does draw it */
    ck_assert(status == 0);
}
END_TEST

START_TEST(a_backend_needs_its_reason)
{
    static const char *const bad[] = {"soft", "soft ", "gl", "gl why", "softer why", "yes"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[100];
        snprintf(text, sizeof text, "[one]\nmodel = demo:blob\nbackend = %s\n", bad[i]);
        test_write_text("suite.ini", text);
        shell("marrow test --list");
        assert_refused(2, "suite.ini:3: backend '");
    }
}
END_TEST

/* Neither a model that is not there nor one that is broken is skipped. */
START_TEST(what_does_not_load_is_a_failure)
{
    test_write_text("bad.glb", "glTF but no more");
    test_write_text("suite.ini",
                    "[defaults]\nsize = 16\n[fine]\nmodel = demo:blob\n[gone]\nmodel = gone.glb\n"
                    "[bad]\nmodel = bad.glb\n[clip]\nmodel = demo:figure\nclip = Nope\n");
    shell(COMPARE);
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert_msg(status == 1, "%s%s", out, err);
    ck_assert(strstr(out, "1 compared, 0 skipped\n"));
    ck_assert(strstr(out, "/gone: ") && strstr(out, "/bad: ") && strstr(out, "/clip: "));
    ck_assert(!strstr(out, "skipped "));
}
END_TEST

/* A square with a texture of 4 x 16384 texels, which loads; with the smaller levels below it, it is
 * higher than the pictures that Mesa's drivers take. */
static void put_tall(void)
{
    mrw_image image;
    mrw_bytes bytes;
    ck_assert_int_eq(mrw_image_create_as(MRW_FORMAT_U8, 4, 16384, 3, &image, NULL), MRW_OK);
    memset(image.pixels, 99, (size_t)4 * 16384 * 3);
    ck_assert_int_eq(mrw_png_encode(&image, &bytes, NULL), MRW_OK);
    ck_assert_int_eq(mrw_file_write("tall.png", bytes.data, bytes.size, NULL), MRW_OK);
    mrw_bytes_free(&bytes);
    mrw_image_free(&image);
    test_write_text("tall.mtl", "newmtl m\nmap_Kd tall.png\n");
    test_write_text("tall.obj",
                    "mtllib tall.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
                    "vt 0 1\nusemtl m\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n");
}

START_TEST(what_the_driver_does_not_take_is_skipped)
{
    put_tall();
    shell("marrow render tall.obj --filter nearest --size 16 --backend gl -o a.png");
    if (status == 0 || strstr(err, "can draw without a window")) {
        SKIP("gl_opinion: no OpenGL here, or one without a limit");
        return;
    }
    assert_refused(77, "a texture has 4x16384 texels, too many for this OpenGL driver");
    ck_assert(!exists("a.png"));
    test_write_text("suite.ini",
                    "[defaults]\nsize = 16\nfilter = nearest\n[fine]\nmodel = demo:blob\n"
                    "[tall]\nmodel = tall.obj\n");
    shell(COMPARE);
    ck_assert_msg(status == 1, "%s%s", out, err); /* a half is too much */
    ck_assert_msg(strstr(out, "/tall: a texture has 4x16384 texels"), "%s", out);
    ck_assert(strstr(out, "1 compared, 1 skipped\n") && !strstr(out, "failed"));
    /* reports have each case's own reason, once */
    test_write_text("suite.ini",
                    "[defaults]\nsize = 16\nfilter = nearest\n[tall]\nmodel = tall.obj\n"
                    "[gone]\nmodel = gone.glb\n");
    shell(COMPARE "--tap --report report");
    ck_assert_msg(strstr(out, "# SKIP a texture has 4x16384 texels"), "%s", out);
    shell("grep -o '\"name\":\"tall\".*\"pixelVersion\"' report/index.html");
    ck_assert_msg(strstr(out, "\"reason\":\"a texture has 4x16384") && !strstr(out, "\"message\""),
                  "%s", out);
}
END_TEST

/* Leaves before leaves: where in its pixel a masked fragment is shaded follows from all of the
 * pixel's samples, those that are drawn later, too. */
START_TEST(masks_agree_at_any_samples)
{
    test_write_text("suite.ini",
                    "[masked]\nmodel = demo:stage\nsize = 160x120\ntimes = 1.2\neye = -3.4,1,3.4\n"
                    "target = -2.4,1.5,-0.9\nshading = lambert\nfilter = bilinear\n"
                    "background = none\naa = 1, 2, 4, 8\ngl-ratio = 0.999 all but last bits\n");
    shell(COMPARE "-v");
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert_msg(status == 0, "%s%s", out, err);
    ck_assert(strstr(out, "4 compared, 0 skipped\n"));
}
END_TEST

/* The far plane cuts the ground: along the cut the driver covers other pixels, at which texture
 * coordinates part, and all that is read at them. */
START_TEST(what_parts_is_named)
{
    test_write_text("suite.ini",
                    "[far]\nmodel = demo:stage\nsize = 160x120\ntimes = 0.8\neye = 5,3,6.6\n"
                    "target = 0,0.8,0\nfar = 8.6\nshading = lambert\nbackground = none\n");
    shell(COMPARE);
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert_msg(status == 1, "%s%s", out, err);
    ck_assert_msg(strstr(out, ": base of Ground\n") || strstr(out, ": uv0 of Ground\n"), "%s", out);
    ck_assert(strstr(out, "1 compared, 0 skipped\n"));
}
END_TEST

static cJSON *of(cJSON *object, const char *key)
{
    cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(value, "no %s in %s", key, out);
    return value;
}

START_TEST(an_answer_for_programs)
{
    test_write_text("suite.ini",
                    "[defaults]\nmodel = demo:figure\nsize = 32\n[fine]\n[less]\ngl-ratio = 0.9 "
                    "why \"not\"\n[soft]\nbackend = soft alone\n[gone]\nmodel = gone.glb\n");
    shell(COMPARE "--json");
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    assert_status(1);
    cJSON *root = cJSON_Parse(out);
    ck_assert_msg(root, "%s", out);
    cJSON *cases = of(root, "cases"), *fine = cJSON_GetArrayItem(cases, 0);
    ck_assert_int_eq(cJSON_GetArraySize(cases), 4);
    ck_assert_int_eq(of(root, "schema")->valueint, 1);
    ck_assert_str_eq(of(root, "backend")->valuestring, "gl");
    ck_assert(strstr(of(root, "gl_driver")->valuestring, "OpenGL"));
    ck_assert_int_eq(of(root, "compared")->valueint, 2);
    ck_assert_int_eq(of(root, "skipped")->valueint, 1);
    ck_assert_int_eq(of(root, "failed")->valueint, 1);
    ck_assert(cJSON_IsFalse(of(root, "passed")) && cJSON_IsArray(of(root, "warnings")));
    ck_assert_str_eq(of(fine, "case")->valuestring, "fine");
    ck_assert_str_eq(of(fine, "outcome")->valuestring, "passed");
    ck_assert(of(fine, "ratio")->valuedouble >= 0.995 && of(fine, "ratio")->valuedouble <= 1.0);
    ck_assert(of(fine, "wanted")->valuedouble > 0.9949 && of(fine, "wanted")->valuedouble < 0.9951);
    ck_assert(of(fine, "pixels")->valueint > 50 && of(fine, "pixels")->valueint < 32 * 32);
    ck_assert(cJSON_IsNull(of(fine, "parts")));
    ck_assert_str_eq(of(cJSON_GetArrayItem(cases, 1), "gl_reason")->valuestring, "why \"not\"");
    ck_assert_str_eq(of(cJSON_GetArrayItem(cases, 2), "outcome")->valuestring, "skipped");
    ck_assert_str_eq(of(cJSON_GetArrayItem(cases, 2), "message")->valuestring, "alone");
    ck_assert_str_eq(of(cJSON_GetArrayItem(cases, 3), "outcome")->valuestring, "failed");
    cJSON_Delete(root);
    ck_assert(strstr(err, "2 compared, 1 skipped\n"));
    shell(COMPARE "--json=answer.json");
    ck_assert(status == 1 && strstr(out, "2 compared, 1 skipped\n") && exists("answer.json"));
}
END_TEST

/* What is missing is said in one line, and nothing is written. */
START_TEST(what_a_machine_lacks)
{
    static const char *const rows[][2] = {
        {"__EGL_VENDOR_LIBRARY_DIRS=/nonexistent", "no EGL device here can draw without a window"},
        {"MESA_GL_VERSION_OVERRIDE=2.1 MESA_GLES_VERSION_OVERRIDE=2.0",
         "this device's OpenGL is older than 3.3, and its OpenGL ES older than 3.0"}};
    shell("marrow render demo:blob --size 16 --backend gl -v -o a.png");
    if (status == 77 || !strstr(err, "Mesa")) {
        SKIP("gl_opinion: no OpenGL of Mesa here");
        return;
    }
    ck_assert(status == 0 && strstr(err, " draw calls per picture\n"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shell("export %s; marrow render demo:blob --size 16 --backend gl -o b.png", rows[i][0]);
        assert_refused(77, rows[i][1]);
        assert_said("use --backend soft");
    }
    shell("marrow render demo:blob --size 16 --backend gl --gl-device 15 -o b.png");
    assert_refused(77, "--gl-device 15: there ");
    shell("marrow render demo:blob --size 16 --backend gl --gl-device 99 -o b.png");
    assert_refused(2, "--gl-device '99': ");
    ck_assert(!exists("b.png"));
}
END_TEST

/* After two pictures the third is lost: one line, and what was whole stays. Of cases the one it
 * happened to fails. */
START_TEST(a_device_that_is_reset)
{
    shell("marrow render demo:blob --size 16 --backend gl -o a.png -v");
    if (status == 77 || !strstr(err, "Mesa")) {
        SKIP("gl_opinion: no OpenGL of Mesa here");
        return;
    }
    shell("export GL_RESET_AFTER=2 LD_PRELOAD='%s/tests/gl_reset.so'; "
          "marrow render demo:figure --clip Walk --size 16 --backend gl -o '{frame}.png'",
          build_folder());
    assert_refused(77, "the OpenGL device was reset by another program, and the picture is lost");
    assert_said("--backend soft");
    test_write_text("suite.ini", "[defaults]\nmodel = demo:blob\nsize = 16\n[one]\n[two]\n");
    shell("export GL_RESET_AFTER=1 LD_PRELOAD='%s/tests/gl_reset.so'; " COMPARE, build_folder());
    ck_assert(status == 1 && strstr(out, "1 compared, 0 skipped\n"));
    ck_assert_msg(strstr(out, "/two: the OpenGL device was reset"), "%s", out);
}
END_TEST

/* Of what ES 3.0 has in another way: tables, numbers of triangles, textures of 16 bits, what is
 * read back. Mesa's drivers draw the same bits with both. */
START_TEST(opengl_es_alone)
{
    test_write_text(
        "suite.ini",
        "[defaults]\nmodel = demo:figure\nsize = 32\ntimes = 0.3\naa = 2\n"
        "[modes]\nshading = lit, flat, unlit, clay, lambert, phong, toon, wire, gouraud, "
        "normal, depth, uv, joint, influences, channel:roughness\n"
        "[morphs]\nmodel = demo:blob\nbackground = none\n"
        "[masks]\nmodel = demo:stage\nshading = lambert\n"
        "[materials]\nmodel = demo:swatches\nsize = 96x64\n");
    shell("marrow render demo:figure --size 32 --backend gl -o a.png -v");
    if (status == 77 || !strstr(err, "Mesa")) {
        SKIP("gl_opinion: no OpenGL of Mesa here");
        return;
    }
    shell("export MESA_GL_VERSION_OVERRIDE=2.1 MESA_GLES_VERSION_OVERRIDE=3.0; "
          "marrow render demo:figure --size 32 --backend gl -o b.png -v");
    ck_assert_msg(status == 0 && strstr(err, "OpenGL ES 3.0, Mesa "), "%s", err);
    shell("cmp a.png b.png");
    assert_status(0);
    shell("export MESA_GL_VERSION_OVERRIDE=2.1 MESA_GLES_VERSION_OVERRIDE=3.0; " COMPARE "-v");
    ck_assert_msg(status == 0, "%s%s", out, err);
    ck_assert_msg(strstr(out, "18 compared, 0 skipped\n"), "%s", out);
    ck_assert(!strstr(err, "the OpenGL driver reports"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gl_opinion");
    TCase *tc = tcase_create("gl_opinion");
    tcase_set_timeout(tc, 200);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, two_renderers_agree);
    tcase_add_test(tc, a_share_and_its_reason);
    tcase_add_test(tc, nothing_compared_is_a_failure);
    tcase_add_test(tc, goldens_of_a_driver);
    tcase_add_test(tc, reports_show_both);
    tcase_add_test(tc, cases_that_software_alone_draws);
    tcase_add_test(tc, a_backend_needs_its_reason);
    tcase_add_test(tc, what_does_not_load_is_a_failure);
    tcase_add_test(tc, what_the_driver_does_not_take_is_skipped);
    tcase_add_test(tc, masks_agree_at_any_samples);
    tcase_add_test(tc, what_parts_is_named);
    tcase_add_test(tc, an_answer_for_programs);
    tcase_add_test(tc, what_a_machine_lacks);
    tcase_add_test(tc, a_device_that_is_reset);
    tcase_add_test(tc, opengl_es_alone);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
