/* test_cli_links.c: an untrusted suite with symbolic links: nothing outside its folder is read or
 * written. */
#include "cli_fixture.h"

#define SECRET "the file of somebody else\n"

/* Links by path, below the suite's folder, with the kinds of their targets. */
static const struct {
    const char *path;
    bool folder; /* to a folder, else to a file */
} links[] = {{"s/golden/a/one/rest.png", false},
             {"s/golden/a/one/golden.txt", false},
             {"s/golden/a/one", true},
             {"s/golden/a", true},
             {"s/golden", true},
             {"s/results/a/one/rest.png", false},
             {"s/results/a/one/rest.diff.png", false},
             {"s/results/results.json", false},
             {"s/results/.gitignore", false},
             {"s/results/a/one", true},
             {"s/results/a", true},
             {"s/results", true}};

/* A suite whose picture has changed since its goldens were made, and its results. */
static void make_suite(void)
{
    ck_assert_int_eq(mkdir("s", 0777), 0);
    ck_assert_int_eq(mkdir("outside", 0777), 0);
    test_write_text("outside/file", SECRET);
    test_write_text("s/a.suite.ini", "[one]\nmodel = demo:figure\nsize = 32\n");
    shell("marrow test s -q --update --force");
    assert_status(0);
    test_write_text("s/a.suite.ini", "[one]\nmodel = demo:figure\nsize = 32\nazimuth = 40\n");
    shell("marrow test s -q");
    assert_status(1);
}

static void put_link(int index)
{
    shell("rm -rf %s && mkdir -p $(dirname %s) && ln -s \"$PWD/outside%s\" %s", links[index].path,
          links[index].path, links[index].folder ? "" : "/file", links[index].path);
    assert_status(0);
}

/* The link is named, and what it leads to is as it was. */
static void assert_names_link_at(const char *path)
{
    char text[1000];
    assert_status(3);
    snprintf(text, sizeof text, "%s: is a link", path);
    ck_assert_msg(strstr(err, text), "%s: %s", text, err);
    shell("cat outside/file && ls -A outside | wc -l");
    ck_assert_str_eq(out, SECRET "1\n");
}

START_TEST(tests_and_updates)
{
    static const char *const commands[] = {"test s -q",
                                           "test s -q --update",
                                           "test s -q --update=all --force",
                                           "test s -q --prune --update",
                                           "accept",
                                           "accept --from s/results"};
    make_suite();
    put_link(_i);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        shell("marrow %s", commands[i]);
        if (i == 5 && strcmp(links[_i].path, "s/results") == 0) {
            continue; /* named by the user, who may mean a link */
        }
        assert_names_link_at(links[_i].path);
    }
}
END_TEST

/* Names that begin with two dots, and the folder that --rename would move goldens to. */
START_TEST(other_ways)
{
    make_suite();
    test_write_text("s/a.suite.ini",
                    "[defaults]\ngolden = ..g\n[one]\nmodel = demo:figure\nsize = 32\n");
    shell("ln -s ../outside s/..g && cd s && marrow test -q --update --force");
    assert_status(3);
    ck_assert_ptr_nonnull(strstr(err, "..g: is a link"));
    shell("ls -A outside | wc -l");
    ck_assert_str_eq(out, "1\n");
}
END_TEST

START_TEST(merged_reports)
{
    make_suite();
    shell("cp -r s/results r && cp outside/file secret.png && ln -sf \"$PWD/secret.png\" "
          "r/a/one/Walk_0000.png && marrow report merge r --report-inline m.html; "
          "grep -c 'the file of somebody' m.html");
    ck_assert_ptr_nonnull(strstr(out, "0\n")); /* the picture is missing */
    shell("rm m.html; mv r/results.json outside && ln -s ../outside/results.json r && "
          "marrow report merge r --report m.html");
    assert_status(3);
    ck_assert_ptr_nonnull(strstr(err, "r/results.json: is a link"));
    ck_assert(!exists("m.html"));
}
END_TEST

/* A repository may hold the folder of its reports. */
START_TEST(reports)
{
    static const char *const paths[] = {"w/index.html", "w/pictures", "w/pictures/other.png"};
    make_suite();
    for (int i = 0; i < 3; i++) {
        shell("rm -rf w && mkdir -p $(dirname %s) && ln -s \"$PWD/outside%s\" %s", paths[i],
              i == 1 ? "" : "/file", paths[i]);
        for (int k = 0; k < 2; k++) {
            shell("marrow %s --report w", k == 0 ? "test s -q" : "report merge s/results");
            assert_names_link_at(paths[i]);
        }
    }
    shell("rm -rf w && mkdir v && ln -s v w && marrow test s -q --report w >v.txt; ls v");
    ck_assert_str_eq(out, "index.html\npictures\n");
}
END_TEST

/* Parts of a scene are looked for above the folder of a suite's goldens, too. */
START_TEST(scene_files_above)
{
    make_suite();
    test_write_text("s/a.suite.ini", "[one]\nmodel = demo:blob\nsize = 32\n");
    shell("cd s/golden && ln -s ../../outside/file $(basename a/scene-*.txt) && rm a/scene-*.txt");
    assert_status(0);
    shell("marrow test s");
    assert_status(1);
    ck_assert_ptr_nonnull(strstr(out, ".txt: is a link"));
}
END_TEST

/* The suite's folder, a results folder that the user names, and models may be reached by links. */
START_TEST(trusted_links)
{
    make_suite();
    shell("ln -s s t && marrow test t -q");
    assert_status(1);
    shell("mkdir r && ln -s r q");
    shell("marrow test s -q --out q; ls r/results.json");
    assert_status(0);
    shell("cp '%s/figure.glb' m.glb && ln -s ../m.glb s/m.glb", assets);
    test_write_text("s/a.suite.ini", "[one]\nmodel = m.glb\nsize = 32\nazimuth = 40\n");
    shell("marrow test s -q --update --force && marrow test s -q");
    assert_status(0);
    shell("touch w.png && ln -s w.png v.png && marrow render demo:figure --size 8 -q -o v.png && "
          "test -s w.png");
    assert_status(0); /* -o follows links, as > does */
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_links");
    TCase *tc = tcase_create("links");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_loop_test(tc, tests_and_updates, 0, (int)(sizeof links / sizeof *links));
    tcase_add_test(tc, other_ways);
    tcase_add_test(tc, merged_reports);
    tcase_add_test(tc, reports);
    tcase_add_test(tc, scene_files_above);
    tcase_add_test(tc, trusted_links);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
