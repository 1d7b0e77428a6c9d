/* test_cli_names.c: file names of all scripts: pictures, suites, goldens, models, and goldens of
 * the time when names were ASCII. */
#include "golden_fixture.h"

#define CAFE_NFC "caf\u00E9"
#define CAFE_NFD "cafe\u0301"

/* A suite of two clips whose ASCII names differ, with its goldens. */
static void make_suite(void)
{
    write_triangle("走る子.gltf", "走る", "跳", 3, "");
    shell("marrow init 走る子.gltf -q && sed -i 's/^size = .*/size = 64x48/' 走る子.suite.ini");
    assert_status(0);
    shell("marrow test --update -q");
    assert_status(0);
}

/* Renames goldens as they were called before: each byte outside ASCII is '_'. */
static void make_old(void)
{
    shell("cd golden && mv 走る子 _________ && cd _________ && mv 走る ______ && mv 跳 ___ && "
          "for f in */*.png; do mv $f $(echo $f | LC_ALL=C sed 's/[^ -~]/_/g'); done && "
          "LC_ALL=C sed -i '/^\\(time\\|frame\\) /s/[^ -~]/_/g' */golden.txt */pose.txt");
    assert_status(0);
    ck_assert(exists("golden/_________/___/____0003.png"));
}

START_TEST(pictures)
{
    write_triangle("走る子.gltf", "走る", "跳ぶ", 3, "");
    shell("LC_ALL=C marrow render 走る子.gltf --clip all --count 1 --size 16 -q -o "
          "'{model}/{clip}.png'");
    assert_status(0);
    ck_assert(exists("走る子/走る.png"));
    ck_assert(exists("走る子/跳ぶ.png"));
}
END_TEST

/* The same name in two forms is one name to some file systems. */
START_TEST(two_forms_collide)
{
    write_triangle("a.gltf", CAFE_NFC, CAFE_NFD, 3, "");
    shell("marrow render a.gltf --clip all --count 1 --size 16 -o '{clip}.png'");
    assert_refused(3, "would both be written to");
    ck_assert(!exists(CAFE_NFC ".png"));
    put_suite("[go]\nmodel = a.gltf\nclip = all\ncount = 2\n");
    shell("marrow test --update");
    assert_status(1);
    assert_printed("two frames would both be called");
    shell("cp a.gltf " CAFE_NFC ".gltf && cp a.gltf " CAFE_NFD ".gltf");
    shell("marrow render " CAFE_NFC ".gltf " CAFE_NFD ".gltf --size 16 -o '{model}.png'");
    assert_refused(2, "two models are called");
    put_suite("[" CAFE_NFC "]\nmodel = a.gltf\n[" CAFE_NFD "]\nmodel = a.gltf\n");
    shell("marrow test");
    assert_refused(2, "already exists, in line 4");
    put("q1.suite.ini", "[defaults]\nname = " CAFE_NFC "\n[a]\nmodel = a.gltf\n");
    put("q2.suite.ini", "[defaults]\nname = " CAFE_NFD "\n[b]\nmodel = a.gltf\n");
    shell("marrow test q1.suite.ini q2.suite.ini");
    assert_refused(2, "both use the same folder");
}
END_TEST

/* A model, its buffer and its clip are found under either form. */
START_TEST(models_in_another_form)
{
    write_triangle(CAFE_NFD ".gltf", CAFE_NFD, "Back", 3, "");
    shell("marrow render " CAFE_NFC ".gltf --clip " CAFE_NFC " --count 1 --size 16 -q -o o.png");
    assert_status(0);
    ck_assert(exists("o.png"));
    put("b.gltf",
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"" CAFE_NFC
        ".bin\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{"
        "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],"
        "\"max\":[1,1,1]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"mesh\":0}]}");
    shell("marrow info b.gltf");
    assert_refused(3, "does not exist");
    shell("head -c 36 /dev/zero >" CAFE_NFD ".bin && marrow info b.gltf");
    assert_status(0);
}
END_TEST

/* Goldens are found, compared and replaced under either form. */
START_TEST(goldens_in_another_form)
{
    write_triangle("a.gltf", CAFE_NFC, "Back", 3, "");
    put("a.suite.ini", "[defaults]\nname = " CAFE_NFC
                       "\nsize = 64x48\n[x]\nmodel = a.gltf\nclip = " CAFE_NFC "\ncount = 2\n");
    shell("marrow test --update -q && cd golden && mv " CAFE_NFC " " CAFE_NFD " && cd " CAFE_NFD
          "/x && mv " CAFE_NFC "_0000.png " CAFE_NFD "_0000.png && mv " CAFE_NFC
          "_0001.png " CAFE_NFD "_0001.png");
    assert_status(0);
    shell("marrow test");
    assert_status(0);
    assert_printed("1 passed");
    assert_not_printed("unused");
    assert_not_printed("earlier marrow");
    spoil_pixel("golden/" CAFE_NFD "/x/" CAFE_NFD "_0001.png", 20, 20, 64);
    shell("marrow test");
    assert_status(1);
    assert_printed("1 of ");
    shell("marrow test --update");
    assert_status(0);
    shell("find golden -type f | wc -l"); /* no second picture of one name */
    ck_assert_str_eq(out, "4\n");         /* two, golden.txt and the parts of the model */
    shell("marrow test");
    assert_status(0);
}
END_TEST

START_TEST(old_goldens)
{
    make_suite();
    make_old();
    shell("marrow test");
    assert_status(0);
    assert_printed("2 passed");
    assert_printed("2 cases had goldens with names of an earlier marrow: rename them with marrow "
                   "test --update --rename");
    spoil_pixel("golden/_________/___/____0003.png", 20, 20, 64);
    shell("mkdir 'a b' && cp -r * 'a b' 2>/dev/null; marrow test 'a b'");
    assert_printed("test --update --rename 'a b'\n"); /* a shell takes the line as it is */
    shell("rm -r 'a b' && marrow test --update --rename");
    assert_status(1); /* it moves, and accepts nothing */
    assert_printed("1 passed");
    ck_assert(!exists("golden/_________"));
    ck_assert(exists("golden/走る子/跳/跳_0003.png"));
    shell("marrow accept"); /* results had the old names */
    assert_refused(3, "run marrow test again");
    shell("LC_ALL=C grep -c ___ golden/*/*/*.txt | grep -v :0");
    ck_assert_str_eq(out, "");
    shell("marrow test");
    assert_status(1);
    assert_not_printed("earlier marrow");
    assert_printed("1 passed");
    shell("marrow test --update -q && marrow test");
    assert_status(0);
    shell("marrow test --rename");
    assert_refused(2, "--update");
}
END_TEST

/* Goldens of an old name may be another clip's: nobody's, then. */
START_TEST(old_names_of_two_clips)
{
    write_triangle("a.gltf", "走る", "跳", 3, "");
    put_suite("[go]\nmodel = a.gltf\nclip = all\ncount = 2\n");
    shell(
        "marrow test --update -q && cd golden/t/go && mv 走る_0000.png _______0000.png && mv "
        "走る_0001.png _______0001.png && sed -i 's/^time 走る/time ______/' golden.txt && sed -i "
        "'s/跳/跳ぶ/' ../../../a.gltf");
    assert_status(0);
    shell("marrow test");
    assert_status(1);
    assert_printed("there is no golden");
    assert_not_printed("earlier marrow");
}
END_TEST

/* Old goldens that two suites, or two cases, could mean are nobody's. */
START_TEST(old_names_of_two_suites)
{
    make_suite();
    make_old();
    shell("sed 's/^name = .*/name = 跳ぶ子/' 走る子.suite.ini >跳ぶ子.suite.ini && marrow test");
    assert_status(1);
    assert_printed("4 failed");
    assert_not_printed("earlier marrow");
    shell("marrow test 走る子.suite.ini"); /* which is alone */
    assert_status(0);
}
END_TEST

START_TEST(bad_names)
{
    write_plain_triangle();
    put("x.suite.ini", "[defaults]\nname = a/b\n[go]\nmodel = tri.gltf\n");
    shell("marrow test");
    assert_refused(2, "write name = a_b");
    put("x.suite.ini", "[defaults]\nname = a\xC0\xAF\n[go]\nmodel = tri.gltf\n");
    shell("marrow test");
    assert_refused(2, "invalid UTF-8");
    put("x.suite.ini", "[defaults]\nname = a\u202Eb\n[go]\nmodel = tri.gltf\n");
    shell("marrow test");
    assert_status(2);
    shell("marrow init tri.gltf --name $(printf 'é%%.0s' $(seq 128)) -o y.suite.ini");
    assert_status(2);
    ck_assert(!exists("y.suite.ini"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_names");
    TCase *tc = tcase_create("cli_names");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, pictures);
    tcase_add_test(tc, two_forms_collide);
    tcase_add_test(tc, models_in_another_form);
    tcase_add_test(tc, goldens_in_another_form);
    tcase_add_test(tc, old_goldens);
    tcase_add_test(tc, old_names_of_two_clips);
    tcase_add_test(tc, old_names_of_two_suites);
    tcase_add_test(tc, bad_names);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
