/* test_cli_tamper.c: what somebody may do to goldens, by hand or by accident, so that a run would
 * pass though nothing vouches for its pictures any more. */
#include "golden_fixture.h"
#include "marrow/codecs.h"

/* ---- golden.txt ------------------------------------------------------------------------------ */

static void assert_unvouched(const char *why)
{
    shell("marrow test");
    assert_status(1);
    assert_printed("failed t/go: ");
    assert_printed(why);
}

/* It alone says which scene and pixel version pictures are of. */
START_TEST(golden_text_deleted)
{
    make_goldens();
    shell("cp golden/t/go/golden.txt x; rm golden/t/go/golden.txt");
    assert_unvouched("golden/t/go/golden.txt is missing: it records the scene and pixel version of "
                     "the goldens next to it; restore it, or check them and run marrow test "
                     "--update\n");
    shell("marrow accept; cmp x golden/t/go/golden.txt && marrow test");
    assert_status(0);
    shell("rm golden/t/go/golden.txt; marrow test --update=missing && cmp x golden/t/go/golden.txt "
          "&& marrow test");
    assert_status(0);
    /* The same without pictures. */
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncheck = pose, bounds\n");
    shell("rm -r golden; marrow test --update; rm golden/t/go/golden.txt");
    assert_unvouched("golden/t/go/golden.txt is missing: ");
}
END_TEST

START_TEST(golden_text_without_lines)
{
    make_goldens();
    shell("sed -i '/^scene /d' golden/t/go/golden.txt");
    assert_unvouched("the scene line is missing");
    /* version 3 has the parts of models */
    shell("marrow test --update; grep '^part ' golden/t/scene-*.txt >parts; "
          "sed -i -e '1s/4/3/' -e '/^scene /r parts' golden/t/go/golden.txt; "
          "cp golden/t/go/golden.txt old; sed -i '/^scene /d' golden/t/go/golden.txt");
    assert_unvouched("golden/t/go/golden.txt:9: this part has no scene before it");
    shell("sed '/^part shape/d' old >golden/t/go/golden.txt");
    assert_unvouched("the parts of tri.gltf do not match its hash");
    shell("marrow test --update; sed -i '/^end$/d' golden/t/go/golden.txt");
    assert_unvouched("the file is cut off: its last line is not 'end'");
    shell("marrow test --update; sed -i '/^camera 1/s/ view [^ ]* / view 2 /' "
          "golden/t/go/golden.txt");
    assert_unvouched("invalid camera: it is not rigid, or its lens or box is wrong");
    shell("marrow test --update; sed -i -e '/^camera 1/{p;s/^camera 1/camera 2/;s/ eye [^ ]*/ eye "
          "9/}' "
          "-e '/^time Go_0015/s/camera 1/camera 2/' golden/t/go/golden.txt");
    assert_unvouched(
        "Go_0015: golden.txt gives it a different camera from the other frames of its clip");
    shell("marrow test --update; sed -i '/^time /d' golden/t/go/golden.txt");
    assert_unvouched("Go_0000: golden.txt gives no time for it");
    shell("marrow test --update; sed -i '/^pixel_version/d' golden/t/go/golden.txt");
    assert_unvouched("pixel_version is missing");
    shell(": >golden/t/go/golden.txt");
    assert_unvouched("the first line must be 'marrow golden 4'");
}
END_TEST

/* As they come out of a merge in which both sides were kept. */
START_TEST(lines_that_stand_twice)
{
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\nstore = hash\n"
              "[shape]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\ncheck = pose, bounds\n");
    shell("marrow test --update; marrow test");
    assert_status(0);
    shell("cp -r golden kept; sed -i '$s/.*/frame Go_0015 %s\\n&/' golden/t/go/golden.txt", hash);
    assert_unvouched("the golden is damaged: golden/t/go/golden.txt:16: frame Go_0015 appears "
                     "twice; remove one");
    shell("sed -i '2s/.*/&\\n&/' golden/t/go/golden.txt");
    assert_unvouched("golden/t/go/golden.txt:3: pixel_version appears twice; remove one");
    shell("cp kept/t/go/golden.txt golden/t/go; sed '1d' kept/t/shape/pose.txt "
          ">>golden/t/shape/pose.txt; marrow test");
    assert_status(1);
    assert_printed("golden/t/shape/pose.txt:9: frame Go_0000 appears twice");
    shell("cp kept/t/shape/pose.txt golden/t/shape; sed '1d' kept/t/shape/bounds.txt "
          ">>golden/t/shape/bounds.txt; marrow test");
    assert_status(1);
    assert_printed("golden/t/shape/bounds.txt:5: frame Go_0000 appears twice");
}
END_TEST

/* A model that is added far away, so that no pixel tells. */
START_TEST(another_number_of_models)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\neye = 1,1,4\ntarget = 0,0,0\n");
    shell("marrow test --update");
    shell("sed 's/\"mesh\":0/&,\"translation\":[0,0,900]/' tri.gltf >far.gltf");
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\neye = 1,1,4\ntarget = 0,0,0\n"
              "add = far.gltf\n");
    shell("marrow test");
    assert_status(1);
    assert_printed("golden/t/go/golden.txt covers 1 model, but this case draws 2; if that is "
                   "intended, run marrow test --update");
    shell("marrow test --update; marrow test");
    assert_status(0);
}
END_TEST

/* The hash of a key frame and its picture: one of them alone is no proof. */
START_TEST(hash_and_picture_disagree)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\nstore = hash\nkey-frames = 15\n");
    shell("marrow test --update; marrow test");
    assert_status(0);
    shell("sed -i '/^key/s/[0-9a-f]*$/"
          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/' "
          "golden/t/go/golden.txt");
    assert_unvouched("Go_0015: the golden picture does not match its hash in golden.txt\n");
    shell("marrow accept");
    assert_status(0);
    assert_printed("t/go/Go_0015: another hash\n");
    shell("marrow test");
    assert_status(0);
}
END_TEST

/* The triangle at z = 1, so near that it is all of the picture. */
static void put_near_triangle(const char *background)
{
    put("t.suite.ini",
        "[go]\nmodel = tri.gltf\nsize = 64x48\nclip = Go\nframes = 15\nstore = hash\n"
        "key-frames = 15\neye = 0.25,0.25,1.1\ntarget = 0.25,0.25,1\nbackground = %s\n",
        background);
}

/* Writes a picture of which every alpha is 255 once more, with or without it. */
static void encode_anew(const char *path, uint32_t channels)
{
    mrw_image image = {0};
    mrw_bytes bytes;
    mrw_error error;
    ck_assert_int_eq(mrw_image_read(path, 4, &image, &error), MRW_OK);
    for (size_t i = 0; i < (size_t)image.width * image.height; i++) {
        ck_assert_uint_eq(image.pixels[4 * i + 3], 255);
    }
    mrw_image_free(&image);
    ck_assert_int_eq(mrw_image_read(path, channels, &image, &error), MRW_OK);
    ck_assert_int_eq(mrw_png_encode(&image, &bytes, &error), MRW_OK);
    ck_assert_int_eq(mrw_file_write(path, bytes.data, bytes.size, &error), MRW_OK);
    mrw_bytes_free(&bytes);
    mrw_image_free(&image);
}

/* A hash knows whether there is alpha, comparing takes none for 255: of pictures that are the same
 * the hash may be of the one in the file or of the one that is drawn. */
START_TEST(hash_with_alpha_and_without)
{
    static const char golden[] = "golden/t/go/Go_0015.png";
    write_plain_triangle();
    put_near_triangle("transparent");
    shell("marrow test --update --allow-blank; marrow test");
    assert_status(0);
    put_near_triangle("#ffffff"); /* drawn without alpha now, hash and file with it */
    shell("marrow test");
    assert_status(0);
    encode_anew(golden, 3); /* the hash with it, alone */
    assert_unvouched("Go_0015: the golden picture does not match its hash in golden.txt\n");
    put_near_triangle("transparent"); /* the file without it, alone */
    shell("marrow test");
    assert_status(0);
}
END_TEST

/* ---- frames ---------------------------------------------------------------------------------- */

/* tri.gltf with clips that stop half-way. */
static void cut_clips(void)
{
    const float whole[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 2};
    float half[17];
    char from[256], to[256], text[4000];
    memcpy(half, whole, sizeof half);
    half[10] = 0.5f; /* the last key's time, and where that is */
    half[16] = 1.0f;
    base64((const unsigned char *)whole, sizeof whole, from);
    base64((const unsigned char *)half, sizeof half, to);
    ck_assert_uint_gt(slurp("tri.gltf", text, sizeof text), 0);
    char *at = strstr(text, from);
    ck_assert_ptr_nonnull(at);
    memcpy(at, to, strlen(to));
    put("tri.gltf", "%s", text);
}

/* What is left of the clip is as it was, and nobody has changed the suite. */
START_TEST(clip_became_shorter)
{
    static const char *const stores[] = {"check = pixels", "store = hash", "check = pose",
                                         "check = bounds"};
    for (int i = 0; i < 4; i++) {
        write_plain_triangle();
        put("t.suite.ini",
            "[go]\nmodel = tri.gltf\nsize = 64\nclip = Go\nfps = 10\neye = 1,1,4\n"
            "target = 0,0,0\n%s\n",
            stores[i]);
        shell("rm -rf golden; marrow test --update; marrow test");
        assert_status(0);
        cut_clips();
        assert_unvouched("tri.gltf: Go lasts 0.500 s, was 1.000; Back lasts 0.500 s, was 1.000; ");
        assert_unvouched("; golden frame Go_0006 is not drawn any more\n");
        shell("marrow accept; marrow test -v");
        assert_status(0);
        assert_printed("passed t/go (6 frames");
    }
}
END_TEST

/* Who asks for fewer frames knows. */
START_TEST(fewer_frames_are_asked_for)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 15\n");
    shell("marrow test");
    assert_status(0);
    assert_printed("1 unused golden; --prune removes them:\n  golden/t/go/Go_0000.png");
}
END_TEST

START_TEST(swapped_pictures)
{
    make_goldens();
    shell("cd golden/t/go; mv Go_0000.png x; mv Go_0015.png Go_0000.png; mv x Go_0015.png");
    assert_unvouched("Go_0000: ");
    assert_printed("(and 1 more of 2 frames)");
}
END_TEST

/* As git makes them of text when it is told to. */
START_TEST(other_line_ends)
{
    make_goldens();
    shell("sed -i 's/$/\\r/' golden/t/go/golden.txt");
    assert_unvouched(
        "golden/t/go/golden.txt:1: the lines end in CR LF; to keep git from changing them");
}
END_TEST

/* ---- folders --------------------------------------------------------------------------------- */

START_TEST(goldens_linked_to_results)
{
    char before[65], after[65];
    make_goldens();
    shell("mkdir -p results/t; mv golden/t/go results/t/go; ln -s ../../results/t/go golden/t/go");
    fingerprint("results/t", before);
    shell("marrow test");
    assert_refused(3, "golden/t/go: is a link");
    fingerprint("results/t", after);
    ck_assert_str_eq(before, after);
}
END_TEST

START_TEST(suites_that_differ_in_capitals)
{
    make_goldens();
    shell("cp t.suite.ini T.suite.ini; marrow test");
    assert_refused(2, "this suite is called t, as is T.suite.ini except for capital letters, and "
                      "both use the same folder of goldens; rename one");
    shell(
        "mkdir other; mv T.suite.ini other; cp tri.gltf other; marrow test --update; marrow test");
    assert_status(0);
}
END_TEST

/* ---- reports --------------------------------------------------------------------------------- */

/* A report must not take the place of what it is about. */
START_TEST(reports_over_goldens)
{
    static const char *const places[] = {"golden/t/go/Go_0000.png",
                                         "golden/t/go/golden.txt",
                                         "golden/t/new.xml",
                                         "t.suite.ini",
                                         "./tri.gltf",
                                         "soft"};
    char before[65], after[65];
    make_goldens();
    shell("ln -s t.suite.ini soft");
    fingerprint("golden t.suite.ini tri.gltf", before);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        shell("marrow test --junit %s", places[i]);
        assert_refused(2, "--junit ");
        shell("marrow test --update=all --report-inline %s", places[i]);
        assert_refused(2, "--report-inline ");
    }
    shell("marrow test --report golden/t");
    assert_refused(2, "--report golden/t: this is among the goldens; choose a place outside them");
    shell("marrow report merge results --junit results/results.json");
    assert_refused(2,
                   "--junit results/results.json: this is an input file and would be overwritten");
    fingerprint("golden t.suite.ini tri.gltf", after);
    ck_assert_str_eq(before, after);
    shell("marrow test --report golden/page --junit golden/j.xml; marrow report merge results "
          "--junit results/j.xml");
    assert_status(0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_tamper");
    TCase *t = tcase_create("tampering");
    tcase_set_timeout(t, 240);
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_add_test(t, golden_text_deleted);
    tcase_add_test(t, golden_text_without_lines);
    tcase_add_test(t, lines_that_stand_twice);
    tcase_add_test(t, another_number_of_models);
    tcase_add_test(t, hash_and_picture_disagree);
    tcase_add_test(t, hash_with_alpha_and_without);
    tcase_add_test(t, clip_became_shorter);
    tcase_add_test(t, fewer_frames_are_asked_for);
    tcase_add_test(t, swapped_pictures);
    tcase_add_test(t, other_line_ends);
    tcase_add_test(t, goldens_linked_to_results);
    tcase_add_test(t, suites_that_differ_in_capitals);
    tcase_add_test(t, reports_over_goldens);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
