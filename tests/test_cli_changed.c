/* test_cli_changed.c: `marrow test --changed`: which cases are left out because their goldens were
 * made of what they would draw now, what counts as changed, and that nothing of it passes unseen.
 */
#include "golden_fixture.h"

#define NONE_LEFT_OF_1                                                                             \
    "0 of 1 case; 1 left out: its inputs have not changed since its goldens were made\n"

/* ---- what is left out ------------------------------------------------------------------------ */

static void put_suite_of_four(const char *more)
{
    put_suite("[go]\nmodel = tri.gltf\nclip = Go, Back\ncount = 2\ncheck = pixels, pose, bounds\n"
              "[hashed]\nmodel = tri.gltf\nclip = Go\ncount = 4\nstore = hash\nkey-frames = 0, -1\n"
              "[two]\nmodel = tri.gltf\nadd = other.gltf@mover\n");
    shell("printf '%s' >>t.suite.ini", more);
    assert_status(0);
}

static void make_four(void)
{
    write_plain_triangle();
    shell("cp tri.gltf other.gltf");
    put_suite_of_four("");
    shell("marrow test --update");
    assert_status(0);
}

static void assert_changed(const char *line)
{
    assert_printed(line);
    assert_printed(" left out: ");
}

START_TEST(nothing_changed)
{
    char before[65], after[65];
    make_four();
    fingerprint("golden", before);
    shell("marrow test --changed");
    assert_status(0);
    ck_assert_msg(strncmp(out,
                          "0 of 4 cases; 4 left out: their inputs have not changed since their "
                          "goldens were made\n"
                          "0 cases in ",
                          97) == 0,
                  "%s", out);
    ck_assert_int_eq(count_files("results"), 2); /* results.json, .gitignore */
    shell("marrow test --changed --update=all");
    assert_status(0);
    fingerprint("golden", after);
    ck_assert_str_eq(before, after);
    shell("marrow test");
    assert_status(0);
    assert_printed("4 cases: 4 passed in ");
}
END_TEST

/* A model is that of three cases here; what is fixed to it of one. */
START_TEST(changed_models)
{
    make_four();
    shell("sed -i 's/\"tri\"/\"TRI\"/' other.gltf; marrow test --changed -v");
    assert_status(0);
    assert_changed(
        "1 of 4 cases; 3 left out: their inputs have not changed since their goldens were made\n"
        "1 case: 1 passed");
    assert_printed("left-out t/go.Go: left out: its inputs have not changed since its goldens were "
                   "made");
    assert_printed("passed t/two: ");
    shell("sed -i 's/\"max\":\\[1,1,0\\]/&/; s/\"mesh\":0/\"mesh\":0,\"scale\":[1,2,1]/' tri.gltf; "
          "marrow test --changed");
    assert_status(1);
    assert_printed("4 of 4 cases\n4 cases: 4 failed in ");
    shell("marrow test --changed --update");
    assert_status(0);
    assert_printed("4 of 4 cases\n4 cases: 4 updated in ");
    shell("marrow test --changed");
    assert_status(0);
    assert_printed("0 of 4 cases; 4 left out: their");
    shell("rm other.gltf; marrow test --changed");
    assert_status(1);
    assert_printed("1 of 4 cases; 3 left out: their");
    assert_printed("failed t/two: other.gltf: ");
}
END_TEST

/* Clips of another file, and a picture that the model shows. */
START_TEST(changed_files)
{
    shell("cp %s/figure.glb f.glb", assets);
    write_triangle("walk.gltf", "Go", "Back", 3, "");
    write_plain_triangle();
    put_suite("[m]\nmodel = tri.gltf\nanim = walk.gltf\nclip = walk.Go\n[f]\nmodel = f.glb\n");
    shell("marrow test --list");
    shell("sed -i 's/clip = walk.Go/clip = 2/' t.suite.ini; marrow test --update");
    assert_status(0);
    shell("sed -i 's/\"Go\"/\"Gone\"/' walk.gltf; marrow test --changed");
    assert_status(1); /* that the frame is called otherwise */
    assert_printed(
        "1 of 2 cases; 1 left out: its inputs have not changed since its goldens were made\n");
    assert_printed("failed t/m: ");
}
END_TEST

/* Keys of the suite that bear on pixels; those that don't. */
START_TEST(changed_suite)
{
    make_four();
    shell("sed -i 's/count = 2/count = 2\\nfov = 30\\n/' t.suite.ini; marrow test --changed");
    assert_status(1);
    assert_printed(
        "2 of 4 cases; 2 left out: their inputs have not changed since their goldens were made\n"
        "2 cases: 2 failed");
    assert_printed("the suite changed: fov = 30, was not given");
    put_suite_of_four("");
    shell("sed -i 's/64x48/64x49/' t.suite.ini; marrow test --changed");
    assert_status(1);
    assert_printed("4 of 4 cases\n");
    put_suite_of_four("tags = slow\n");
    shell("rm -r results; marrow test --changed");
    assert_status(0);
    assert_printed("0 of 4 cases; 4 left out: their");
    put_suite_of_four("[new]\nmodel = tri.gltf\n");
    shell("marrow test --changed");
    assert_status(1);
    assert_printed("1 of 5 cases; 4 left out: their");
    assert_printed("failed t/new: ");
}
END_TEST

/* Another way to store, and other key frames, ask for pictures that are not there. */
START_TEST(changed_store)
{
    make_four();
    shell("sed -i 's/key-frames = 0, -1/key-frames = 0, 1/' t.suite.ini; marrow test --changed -v");
    assert_changed("1 of 4 cases; 3 left out: their");
    assert_printed(" t/hashed: ");
    shell("sed -i '/store = hash/d; /key-frames/d' t.suite.ini; rm -r results; "
          "marrow test --changed");
    assert_status(1);
    assert_printed("1 of 4 cases; 3 left out: their");
    assert_printed("failed t/hashed: ");
}
END_TEST

/* ---- what can't be known --------------------------------------------------------------------- */

/* Does what the shell says to the goldens of the one case; it is not left out then. */
static void spoil(const char *command, int expected)
{
    shell("rm -rf golden results; marrow test --update; marrow test --changed");
    assert_status(0);
    assert_printed(NONE_LEFT_OF_1);
    shell("%s", command);
    assert_status(0);
    shell("rm -rf results; marrow test --changed");
    assert_status(expected);
    ck_assert_msg(strstr(out, "1 of 1 case\n"), "%s: %s", command, out);
}

START_TEST(unknown_goldens)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\ncount = 2\ncheck = pixels, pose, bounds\n");
    spoil("rm -r golden", 1);
    spoil("rm golden/t/go/golden.txt", 1);
    spoil(": >golden/t/go/golden.txt", 1);
    spoil("echo more >>golden/t/go/golden.txt", 1);
    spoil("sed -i '/^time Go_0001/d' golden/t/go/golden.txt", 1);
    spoil("sed -i 's/^pixel_version.*/pixel_version 1/' golden/t/go/golden.txt", 0);
    spoil("sed -i 's/^scene_formula.*/scene_formula 1/' golden/t/go/golden.txt", 0);
    spoil("sed -i -e 's/^marrow golden 4/marrow golden 2/' -e '/^size/d; /^option/d; /^part/d' "
          "-e '/^camera/d; /^time/d; /^end/d' golden/t/go/golden.txt",
          0);
    spoil("rm golden/t/go/Go_0001.png", 1);
    spoil(": >golden/t/go/Go_0001.png", 1);
    spoil("cd golden/t/go; head -c 100 Go_0001.png >p; mv p Go_0001.png", 1);
    spoil("echo 'version https://git-lfs.github.com/spec/v1' >golden/t/go/Go_0001.png", 1);
    spoil("rm golden/t/go/pose.txt", 1);
    spoil("echo more >>golden/t/go/pose.txt", 1);
    spoil("sed -i '/^frame Go_0001/d' golden/t/go/bounds.txt", 1);
}
END_TEST

/* golden.txt has no hash of these files. */
START_TEST(pictures_without_hash)
{
    write_plain_triangle();
    shell("cp %s/matcap.png m.png; cp %s/studio.hdr s.hdr", assets, assets);
    put_suite("[matcap]\nmodel = tri.gltf\nshading = matcap:m.png\n"
              "[env]\nmodel = tri.gltf\nenv = s.hdr\n"
              "[none]\nmodel = tri.gltf\nenv = none, studio\n");
    shell("marrow test --update; marrow test --changed");
    assert_status(0);
    assert_printed(
        "2 of 4 cases; 2 left out: their inputs have not changed since their goldens were made\n"
        "2 cases: 2 passed");
}
END_TEST

/* ---- nothing red turns green unseen ---------------------------------------------------------- */

/* The goldens were tampered with: no input has changed, but the last run failed. */
START_TEST(failed_before)
{
    make_goldens();
    spoil_pixel("golden/t/go/Go_0000.png", 30, 20, 255);
    shell("marrow test");
    assert_status(1);
    for (int i = 0; i < 2; i++) {
        shell("marrow test --changed");
        assert_status(1);
        assert_printed("1 of 1 case\n1 case: 1 failed in ");
    }
    shell("marrow test --last-failed --changed");
    assert_status(1);
    shell("echo '{' >results/results.json; marrow test --changed");
    assert_status(1);
    shell("marrow accept && marrow test --changed");
    assert_status(0);
    assert_printed("1 of 1 case\n1 case: 1 passed"); /* it failed in the last run */
    shell("marrow test --changed");
    assert_status(0);
    assert_printed(NONE_LEFT_OF_1);
}
END_TEST

/* Some goldens are written, others stay: on a machine that has no results of that run, too. */
START_TEST(half_updated)
{
    make_goldens();
    shell(
        "rm golden/t/go/Go_0015.png; sed -i 's/\"mesh\":0/\"mesh\":0,\"scale\":[1,2,1]/' tri.gltf; "
        "marrow test --update=missing");
    assert_status(1);
    ck_assert(exists("golden/t/go/Go_0015.png"));
    shell("rm -r results; marrow test --changed");
    assert_status(1);
    assert_printed("failed t/go: tri.gltf: node mover has a different rest pose; ");
    assert_printed("\n1 of 1 case\n");
    shell("marrow accept; marrow test");
    assert_status(0);
    shell("marrow test --changed");
    assert_printed(NONE_LEFT_OF_1);
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,7,15\nfov = 30\n");
    shell("marrow test --update=missing; rm -r results; marrow test --changed");
    assert_status(1);
    assert_printed("the suite changed: ");
    assert_printed("\n1 of 1 case\n");
}
END_TEST

START_TEST(known_to_fail)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\nxfail = not yet\n");
    shell("marrow test --changed");
    assert_status(0); /* it would pass: whoever runs all cases hears of it */
    assert_printed(NONE_LEFT_OF_1);
    spoil_pixel("golden/t/go/Go_0000.png", 30, 20, 255);
    shell("marrow test; marrow test --changed");
    assert_status(0);
    assert_printed(NONE_LEFT_OF_1);
    shell("marrow test");
    assert_printed("1 case: 1 xfailed");
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n");
    shell("marrow test --changed");
    assert_status(1);
    assert_printed("1 of 1 case\n1 case: 1 failed");
}
END_TEST

START_TEST(skipped_cases)
{
    make_goldens();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n[no]\nmodel = no\nskip = later\n");
    shell("marrow test --changed");
    assert_status(0);
    assert_printed(
        "1 of 2 cases; 1 left out: its inputs have not changed since its goldens were made\n"
        "1 case: 1 skipped in");
    put_suite("[no]\nmodel = no\nskip = later\n");
    shell("marrow test --changed");
    assert_status(77);
    shell("rm t.suite.ini; marrow test --changed");
    assert_refused(1, "there are no cases");
}
END_TEST

/* ---- with other options ---------------------------------------------------------------------- */

START_TEST(with_others)
{
    make_four();
    shell("marrow test --changed -k 'go.*'");
    assert_status(0);
    assert_printed("0 of 2 cases; 2 left out: their");
    shell("marrow test --changed -k nothing");
    assert_refused(2, "no case matches -k nothing");
    shell("marrow test --changed --shard 1/3");
    assert_status(0);
    assert_printed("0 of 2 cases; 2 left out: their");
    shell("marrow test --changed --shard 5/5");
    assert_status(0);
    assert_printed("0 of 0 cases\n");
    put_suite_of_four("tags = slow\n");
    shell("marrow test --changed --tag slow");
    assert_status(0);
    assert_printed(NONE_LEFT_OF_1);
    shell("marrow test --changed --last-failed");
    assert_status(0);
    assert_said("no case failed in the last run");
    shell("marrow test --changed --repeat 2 --fail-fast -j3");
    assert_status(0);
    assert_printed("0 of 4 cases; 4 left out: their");
    static const char *const others[] = {"--against marrow", "--list", "--prune"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        shell("marrow test --changed %s", others[i]);
        assert_refused(2, "cannot be combined");
    }
    shell("rm -r golden/t/go.Go; marrow test --changed"); /* nor are goldens called unused */
    assert_status(1);
    assert_printed("1 of 4 cases; 3 left out: their");
    assert_not_printed("unused golden");
}
END_TEST

START_TEST(in_reports)
{
    make_goldens();
    shell("marrow test --changed --json --junit j.xml --report page; cat j.xml");
    assert_status(0);
    assert_printed("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\"");
    assert_printed("<skipped type=\"left-out\" message=\"left out: its inputs have not changed "
                   "since its goldens were made\"/>");
    assert_printed("\"left-out\": 1");
    assert_printed("\"outcome\": \"left-out\"");
    assert_said(
        "0 of 1 case; 1 left out: its inputs have not changed since its goldens were made\n");
    shell("marrow test --changed --tap");
    assert_status(0);
    ck_assert_str_eq(out, "TAP version 13\n1..1\nok 1 - t/go # SKIP left out: its inputs have not "
                          "changed since its goldens were made\n");
    shell("grep -o 'Nothing changed: 1 case left out' page/index.html | head -1; "
          "marrow report merge results");
    assert_status(0);
    assert_printed("Nothing changed: 1 case left out\n1 case from 1 results folder: 1 left-out\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_changed");
    TCase *t = tcase_create("changed");
    tcase_set_timeout(t, 240);
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_add_test(t, nothing_changed);
    tcase_add_test(t, changed_models);
    tcase_add_test(t, changed_files);
    tcase_add_test(t, changed_suite);
    tcase_add_test(t, changed_store);
    tcase_add_test(t, unknown_goldens);
    tcase_add_test(t, pictures_without_hash);
    tcase_add_test(t, failed_before);
    tcase_add_test(t, half_updated);
    tcase_add_test(t, known_to_fail);
    tcase_add_test(t, skipped_cases);
    tcase_add_test(t, with_others);
    tcase_add_test(t, in_reports);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
