/* test_cli_scene_files.c: goldens of one suite share a file per model that says what the model is
 * made of. Layouts of version 3, which repeat it in each golden.txt, are read.
 */
#include "golden_fixture.h"

static void make_two(void)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n"
              "[back]\nmodel = tri.gltf\nclip = Back\nframes = 0\n");
    shell("marrow test --update");
    assert_status(0);
}

static void assert_files(const char *folder, int count)
{
    shell("ls %s | grep -Ec '^scene-[0-9a-f]{64}[.]txt$'", folder);
    ck_assert_msg(atoi(out) == count, "%s", out);
}

/* Makes the goldens of a case as version 3 had them. */
static void make_old(const char *name)
{
    shell("grep '^part ' golden/t/scene-*.txt >parts; "
          "sed -i -e '1s/4/3/' -e '/^scene /r parts' golden/t/%s/golden.txt",
          name);
    assert_status(0);
}

static void change_model(void)
{
    shell("sed -i 's/\"mesh\":0/\"mesh\":0,\"scale\":[1,2,1]/' tri.gltf");
}

static void change_model_again(void)
{
    shell("sed -i 's/\\[1,2,1\\]/[1,3,1]/' tri.gltf");
}

START_TEST(shared_by_cases)
{
    make_two();
    assert_files("golden/t", 1);
    shell("grep -c '^part ' golden/t/*/golden.txt");
    ck_assert_str_eq(out, "golden/t/back/golden.txt:0\ngolden/t/go/golden.txt:0\n");
    shell("head -2 golden/t/scene-*.txt; tail -1 golden/t/scene-*.txt");
    ck_assert_msg(strncmp(out, "marrow scene 1\npart nodes \"\" ", 29) == 0, "%s", out);
    assert_printed("\nend\n");
    /* named as the hash that golden.txt has */
    shell("ls golden/t | grep -F \"$(sed -n 's/^scene .* //p' golden/t/go/golden.txt)\"");
    assert_status(0);
    shell("marrow test");
    assert_status(0);
    assert_not_printed("no case uses");
    change_model();
    shell("marrow test");
    assert_status(1);
    assert_printed("tri.gltf: node mover has a different rest pose");
    assert_not_printed("how is unknown");
}
END_TEST

/* Files are there as long as a golden.txt names them. */
START_TEST(removed_when_unnamed)
{
    make_two();
    change_model();
    shell("marrow test; marrow accept t/go");
    assert_files("golden/t", 2);
    shell("marrow test -k t/go");
    assert_status(0);
    shell("marrow test; marrow accept --dry-run t/back");
    assert_files("golden/t", 2);
    shell("marrow accept t/back");
    assert_files("golden/t", 1);
    change_model_again();
    shell("marrow test --update -k t/go");
    assert_files("golden/t", 2);
    /* a damaged golden.txt may name anything */
    shell("cp golden/t/back/golden.txt b; echo 'version https://git-lfs.github.com/spec/v1' "
          ">golden/t/back/golden.txt; marrow test --update -k t/go");
    assert_files("golden/t", 2);
    shell("mv b golden/t/back/golden.txt; marrow test --update; marrow test");
    assert_status(0);
    assert_files("golden/t", 1);
}
END_TEST

/* What is not named any more goes only when nobody is writing goldens of the suite. */
START_TEST(removed_under_a_lock)
{
    make_two();
    change_model();
    shell("exec 9<golden/t; flock -s 9; marrow test --update >log & "
          "until grep -q -e \"-> FLOCK .*:$(stat -c %%i golden/t) \" /proc/locks; do sleep 0.05; "
          "done; "
          "ls golden/t | grep -c '^scene-'; flock -u 9; wait; ls golden/t | grep -c '^scene-'");
    ck_assert_str_eq(out, "2\n1\n");
}
END_TEST

/* Pruning the only case of a model. */
START_TEST(removed_with_cases)
{
    make_two();
    shell("sed 's/\"tri\"/\"TRI\"/' tri.gltf >other.gltf; printf '[o]\\nmodel = other.gltf\\n' "
          ">>t.suite.ini; marrow test --update");
    assert_files("golden/t", 2);
    shell("sed -i '/^.o.$/,$d' t.suite.ini; marrow test --prune");
    assert_status(0);
    assert_files("golden/t", 1);
    shell("test -d golden/t/o");
    assert_status(1);
}
END_TEST

START_TEST(missing_and_damaged)
{
    make_two();
    shell("cp golden/t/scene-*.txt kept");
    change_model();
    shell("rm golden/t/scene-*.txt; marrow test");
    assert_status(1);
    assert_printed("tri.gltf loads as a different scene than when the goldens were made: the model "
                   "or the importer changed; how is unknown: golden/t: scene-");
    assert_printed(".txt is missing");
    static const char *const damages[][2] = {
        {"/^part shape/d", "its parts do not match its name"},
        {"/^end/d", "the file is cut off: its last line is not 'end'"},
        {"$s/$/\\nmore/", "unknown line"},
        {"1s/1/2/", "the first line must be 'marrow scene 1'"},
        {"s/^part shape \"[^\"]*\" ...../&x/", "a word is too long"},
        {"s/.*/version https:\\/\\/git-lfs.github.com\\/spec\\/v1/", "Git LFS pointer"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        shell("f=golden/t/scene-$(sed -n 's/^scene .* //p' golden/t/go/golden.txt).txt; "
              "cp kept $f; sed -i '%s' $f; marrow test",
              damages[i][0]);
        assert_status(1);
        assert_printed("how is unknown: golden/t/scene-");
        assert_printed(damages[i][1]);
    }
    shell("marrow test --update; marrow test");
    assert_status(0);
    assert_files("golden/t", 1);
    /* what stands in for a file is not replaced, nor is anything beside it */
    shell("f=$(echo golden/t/scene-*.txt); echo 'version https://git-lfs.github.com/spec/v1' >$f; "
          "cp -r golden before; sed -i 's/size = 64x48/size = 80x60/' t.suite.ini; "
          "marrow test --update");
    assert_status(1);
    assert_printed("failed t/go: golden/t/scene-");
    assert_printed("Git LFS pointer");
    shell("diff -r golden before");
    assert_status(0);
}
END_TEST

/* A file that nobody has committed is written by the next update, though all cases pass. */
START_TEST(written_again)
{
    static const char *const updates[] = {"--update", "--update=missing"};
    make_two();
    for (int i = 0; i < 2; i++) {
        shell("cp -r golden before%d; rm golden/t/scene-*.txt; marrow test %s && "
              "diff -r golden before%d",
              i, updates[i], i);
        assert_status(0);
    }
    /* of a model that is another one by now nobody knows the parts */
    shell("rm golden/t/scene-*.txt");
    change_model();
    shell("marrow test --update=missing");
    assert_files("golden/t", 0);
}
END_TEST

START_TEST(version_3)
{
    make_two();
    shell("cp -r golden new");
    make_old("go");
    make_old("back");
    shell("rm golden/t/scene-*.txt; marrow test && marrow test --changed");
    assert_status(0);
    assert_printed("0 of 2 cases; 2 left out: ");
    shell("cp -r golden old; cp tri.gltf t.gltf");
    change_model();
    shell("marrow test");
    assert_status(1);
    assert_printed("tri.gltf: node mover has a different rest pose");
    /* the parts of frames that stay move, too */
    shell("marrow accept t/go; head -1 golden/t/go/golden.txt golden/t/back/golden.txt");
    assert_printed("marrow golden 4\n");
    assert_printed("marrow golden 3\n");
    assert_files("golden/t", 1);
    /* updating makes what a new suite has */
    shell("rm -r golden; mv old golden; mv t.gltf tri.gltf; marrow test --update; diff -r golden "
          "new");
    assert_status(0);
}
END_TEST

/* Parts whose hash is made by another formula are not kept: no name would match them. */
START_TEST(older_formula)
{
    make_two();
    make_old("go");
    shell("rm golden/t/scene-*.txt; sed -i 's/^scene_formula 2/scene_formula 1/' "
          "golden/t/*/golden.txt; sed -i 's/frames = 0,15/frames = 0,15,20/' t.suite.ini");
    spoil_pixel("golden/t/go/Go_0015.png", 20, 20, 64);
    shell(
        "marrow test --update=missing -k t/go; grep -c '^scene_formula 1' golden/t/go/golden.txt");
    ck_assert_msg(strstr(out, "\n1\n"), "%s", out);
    assert_files("golden/t", 0);
}
END_TEST

/* Goldens of an instance have the parts of both models. */
START_TEST(added_models)
{
    write_plain_triangle();
    shell("sed 's/\"tri\"/\"TRI\"/' tri.gltf >other.gltf");
    put_suite("[two]\nmodel = tri.gltf\nadd = other.gltf@mover\n");
    shell("marrow test --update");
    assert_files("golden/t", 2);
    shell("sed -i 's/\"mesh\":0/\"mesh\":0,\"scale\":[1,2,1]/' other.gltf; marrow test");
    assert_status(1);
    assert_printed("failed t/two: other.gltf@mover: node mover has a different rest pose");
    assert_not_printed("how is unknown");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli scene files");
    TCase *t = tcase_create("files");
    tcase_set_timeout(t, 240);
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_add_test(t, shared_by_cases);
    tcase_add_test(t, removed_when_unnamed);
    tcase_add_test(t, removed_under_a_lock);
    tcase_add_test(t, removed_with_cases);
    tcase_add_test(t, missing_and_damaged);
    tcase_add_test(t, written_again);
    tcase_add_test(t, older_formula);
    tcase_add_test(t, version_3);
    tcase_add_test(t, added_models);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
