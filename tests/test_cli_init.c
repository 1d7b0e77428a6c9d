/* test_cli_init.c: `marrow init`: suites that run as they are, whatever clips are called. */
#include "cli_fixture.h"

#include "base/memory.h"
#include "cli/cli.h"
#include "marrow/suite.h"

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "'%s' lacks '%s'", text, part);
}

static const char *read_text(const char *path)
{
    static char text[20000];
    ck_assert_msg(slurp(path, text, sizeof text) > 0, "no %s", path);
    return text;
}

/* Draws the goldens and compares with them; so many cases. */
static void assert_runs(const char *suite, int cases)
{
    char line[60];
    shell("marrow test %s --update", suite);
    assert_status(0);
    snprintf(line, sizeof line, "%d case%s: %d updated", cases, cases == 1 ? "" : "s", cases);
    assert_has(out, line);
    shell("marrow test %s", suite);
    assert_status(0);
    snprintf(line, sizeof line, "%d case%s: %d passed", cases, cases == 1 ? "" : "s", cases);
    assert_has(out, line);
}

START_TEST(demo_models)
{
    static const struct {
        const char *name;
        int clips;
    } models[] = {{"figure", 3}, {"tentacle", 3}, {"blob", 2}, {"stage", 1}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char suite[40];
        snprintf(suite, sizeof suite, "%s.suite.ini", models[i].name);
        shell("marrow init demo:%s", models[i].name);
        assert_status(0);
        assert_has(out, "  marrow test ");
        assert_has(out, suite);
        assert_has(out, " --update ");
        ck_assert_str_eq(err, "");
        assert_runs(suite, models[i].clips);
    }
    assert_png("golden/figure/Walk/Walk_0003.png", 160, 120, 2);
    ck_assert(exists("golden/figure/Walk/pose.txt"));
}
END_TEST

START_TEST(options_become_keys)
{
    shell("cp %s/figure.glb hero.glb; marrow init hero.glb --clip 'W*' --size 64x48 --count 2 "
          "--aa 1 --shading lambert --fit frame --azimuth -20 --elevation 5.5 --max-joints 90 "
          "--texture-dir . -o tests/golden/suite.ini",
          assets);
    assert_status(0);
    const char *text = read_text("tests/golden/suite.ini");
    assert_has(text, "\nmodel = ../../hero.glb\n");
    assert_has(text, "\nsize = 64x48\n");
    assert_has(text, "\naa = 1\nshading = lambert\nfit = frame\nazimuth = -20\nelevation = 5.5\n");
    assert_has(text, "\ncount = 2\n");
    assert_has(text, "\nmax-joints = 90\n");
    assert_has(text, "\ntexture-dir = ../..\n");
    assert_has(text, "\n[Walk]\nclip = Walk\n\n[Wave]\nclip = Wave\n");
    ck_assert_ptr_null(strstr(text, "[Run]"));
    assert_runs("tests/golden", 2);
    assert_png("tests/golden/golden/hero/Wave/Wave_0001.png", 64, 48, 2);
    shell("marrow init hero.glb --shading matcap:a/clay.png -o tests/m.suite.ini -q; "
          "mkdir a; marrow init hero.glb --shading matcap:a/clay.png -o tests/n.suite.ini -q");
    assert_has(read_text("tests/n.suite.ini"), "\nshading = matcap:../a/clay.png\n");
    /* The suite is where its path says, wherever one stands. */
    shell("cd tests; marrow init ../hero.glb -o ./b/c.suite.ini -q; cd b; marrow test --update -q");
    assert_status(0);
    ck_assert_str_eq(out, "");
    assert_has(read_text("tests/b/c.suite.ini"), "\nmodel = ../../hero.glb\n");
}
END_TEST

START_TEST(other_files)
{
    write_plain_triangle();
    shell("marrow init tri.gltf --anim %s/figure.glb", assets);
    assert_status(3); /* none of its joints is in the triangle */
    shell("cp %s/figure.glb a.glb; cp a.glb b.glb; cp a.glb c.glb; "
          "marrow init a.glb --anim b.glb --anim ./c.glb -q --size 32 --count 1",
          assets);
    assert_status(0);
    assert_has(read_text("a.suite.ini"), "\nanim = b.glb + c.glb\n");
    assert_has(read_text("a.suite.ini"), "\nclip = b/Walk\n");
    assert_runs("a.suite.ini", 9);
}
END_TEST

/* Two clips at a time; each becomes a case, and the case plays the right one. */
static void assert_clips(const char *first, const char *second, const char *expected)
{
    write_triangle("odd.gltf", first, second, 3, "");
    shell("rm -rf golden results; marrow init odd.gltf --force -q --size 24 --count 2");
    assert_status(0);
    assert_has(read_text("odd.suite.ini"), expected);
    assert_runs("odd.suite.ini", 2);
}

START_TEST(odd_names)
{
    assert_clips("Walk, fast", "[in] ; brackets",
                 "\n[Walk__fast]\n# Walk, fast\nclip = Walk??fast\n");
    assert_has(read_text("odd.suite.ini"), "\n[_in____brackets]\n# [in] ; brackets\nclip = ");
    assert_clips(" leading", "leading", "\n[_leading]\n#  leading\nclip = ?leading\n");
    assert_clips("Gr\xC3\xB6\xC3\x9F"
                 "e",
                 "a + b",
                 "\n[Gr\xC3\xB6\xC3\x9F"
                 "e]\nclip = Gr\xC3\xB6\xC3\x9F"
                 "e\n");
    assert_clips("a b", "a_b", "\n[a_b]\nclip = a b\n\n[a_b_2]\nclip = a_b\n");
    assert_clips("Run", "run", "\n[run_2]\n");
    assert_clips("defaults", "all", "\n[defaults_2]\n");
    assert_clips("1", "0", "\n[1]\nclip = 1\n\n[0]\nclip = 0\n"); /* names come before numbers */
    assert_clips("Armature|Walk", "*", "\n[Walk]\nclip = Walk\n\n[_]\nclip = *\n");
    assert_clips("\\u001b[31mred", "\\u202Egnp.x", "# \\x1B[31mred\n");
    char longer[400], longest[400];
    memset(longer, 'x', sizeof longer);
    memset(longest, 'x', sizeof longest);
    longer[300] = longest[301] = '\0';
    assert_clips(longer, longest, "\nclip = 0\n");
    assert_clips("", "", "\n[clip_0]\n");
}
END_TEST

/* Each case says which model it is of; clips of the same name, and models, are told apart. */
START_TEST(several_models)
{
    write_triangle("tri.gltf", "Walk", "Go", 3, "");
    shell("printf 'v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n' >still.obj; mkdir a; "
          "cp tri.gltf a/tri.gltf; marrow init demo:figure tri.gltf still.obj a/tri.gltf "
          "--size 32 --count 2");
    assert_status(0);
    assert_has(out, "suite.ini: 8 cases.");
    const char *text = read_text("suite.ini");
    assert_has(text, "# Golden-image tests of figure and 3 more, one case per clip.\n");
    assert_has(text, "\n[defaults]\n# The name of the suite, and of the folder of its "
                     "goldens.\nname = figure\n# Small");
    assert_has(text, "\n[figure_Walk]\nmodel = demo:figure\nclip = Walk\n");
    assert_has(text, "\n[tri_Walk]\nmodel = tri.gltf\nclip = Walk\n");
    assert_has(text, "\n[still]\nmodel = still.obj\n# There are no clips");
    assert_has(text, "\n[tri_Walk_2]\nmodel = a/tri.gltf\nclip = Walk\n");
    assert_runs("suite.ini", 8);
    shell("marrow init tri.gltf still.obj");
    assert_refused(4, "suite.ini: the file exists");
    /* However often it is named, a model is there once. */
    shell("marrow init tri.gltf ./tri.gltf a/../tri.gltf demo:blob demo:blob -o twice.suite.ini");
    assert_has(out, "twice.suite.ini: 4 cases.");
    shell("marrow init tri.gltf ./tri.gltf -o - | grep -c '^model = tri.gltf'");
    ck_assert_str_eq(out, "1\n");
    shell("marrow init tri.gltf - -o x.suite.ini");
    assert_refused(2, "a suite cannot read standard input");
    shell("marrow init tri.gltf gone.gltf -o x.suite.ini");
    assert_refused(3, "gone.gltf");
    shell("marrow init tri.gltf demo:figure --clip Run -o x.suite.ini");
    assert_refused(3, "there is no clip \"Run\"");
    ck_assert(!exists("x.suite.ini"));
}
END_TEST

/* Every key that suites alone have, and each line works when its '#' is taken away. */
START_TEST(what_else_a_suite_can_do)
{
    int lines = 0;
    shell("marrow init demo:figure -q; mkdir s");
    for (size_t i = 0; i < mrw_suite_key_count(); i++) {
        const mrw_suite_key key = mrw_suite_key_at(i);
        char line[60], with[80] = "";
        snprintf(line, sizeof line, "\n# %s = ", key.name);
        const char *found = strstr(read_text("figure.suite.ini"), line);
        const bool active = strcmp(key.name, "model") == 0 || strcmp(key.name, "check") == 0 ||
                            strcmp(key.name, "name") == 0;
        ck_assert_msg(found || active || key.option, "no line for '%s'", key.name);
        if (!found || active) {
            continue;
        }
        if (strcmp(key.name, "key-frames") == 0) {
            snprintf(with, sizeof with, "-e 's/^# \\(store = .* ;\\)/\\1/'");
        }
        shell("sed -e 's/^# \\(%s = .* ;\\)/\\1/' %s figure.suite.ini >s/suite.ini; "
              "cmp -s s/suite.ini figure.suite.ini || marrow test s --list",
              key.name, with);
        assert_status(0);
        lines += out[0] != '\0';
    }
    ck_assert_int_eq(lines, 14);
}
END_TEST

START_TEST(models_without_clips)
{
    test_write_text("still.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    shell("marrow init still.obj");
    assert_status(0);
    assert_has(out, "still.suite.ini: 1 case.");
    assert_has(read_text("still.suite.ini"), "\n[rest]\n");
    ck_assert_ptr_null(strstr(read_text("still.suite.ini"), "\ncount"));
    assert_runs("still.suite.ini", 1);
}
END_TEST

START_TEST(refusals)
{
    write_plain_triangle();
    shell("marrow init tri.gltf -q; echo mine >tri.suite.ini; marrow init tri.gltf");
    assert_refused(4, "tri.suite.ini: the file exists; --force overwrites it");
    ck_assert_str_eq(read_text("tri.suite.ini"), "mine\n");
    shell("marrow init tri.gltf -o tri.suite.ini");
    assert_refused(4, "--force");
    shell("marrow init tri.gltf --force -q");
    assert_status(0);
    assert_has(read_text("tri.suite.ini"), "[Go]");
    shell("marrow init tri.gltf -o my.ini");
    assert_refused(2, "the name of a suite must be suite.ini or NAME.suite.ini");
    shell("marrow init tri.gltf -o X.SUITE.INI");
    assert_refused(2, "the name of a suite must be suite.ini or NAME.suite.ini");
    shell("marrow init tri.gltf -o .x.suite.ini");
    assert_refused(2, "-o .x.suite.ini: marrow test does not look at hidden files; choose a name "
                      "that does not begin with a dot");
    ck_assert(!exists(".x.suite.ini"));
    shell("marrow init tri.gltf -o ../.x.suite.ini"); /* the name counts, not its folder */
    assert_refused(2, "-o ../.x.suite.ini: marrow test does not look at hidden files");
    ck_assert(!exists("../.x.suite.ini"));
    shell("marrow init - <tri.gltf");
    assert_refused(2, "a suite cannot read standard input");
    shell("marrow init gone.gltf");
    assert_refused(3, "gone.gltf");
    shell("marrow init tri.gltf --clip Nope -o x.suite.ini");
    assert_refused(3, "there is no clip \"Nope\"");
    ck_assert(!exists("x.suite.ini"));
    shell("cp tri.gltf 'a,b.gltf'; marrow init a,b.gltf");
    assert_refused(2, "a,b.gltf: a suite cannot contain this path");
    shell("mkdir 'd,e'; marrow init tri.gltf --texture-dir d,e -o x.suite.ini");
    assert_refused(2, "d,e: a suite cannot contain this path");
    ck_assert(!exists("x.suite.ini"));
    shell("marrow init tri.gltf -o - | grep -c '^\\['");
    ck_assert_str_eq(out, "3\n"); /* defaults and two clips */
    shell("cp tri.gltf \"it's one.gltf\"; marrow init \"it's one.gltf\" -o \"o'd/suite.ini\"");
    assert_status(0);
    assert_has(out, "marrow test 'o'\\''d/suite.ini' --update");
    assert_runs("\"o'd\"", 2);
}
END_TEST

/* A suite with no case in it would keep the next init from writing one. */
START_TEST(no_case)
{
    write_triangle("tri.gltf", ",", "0", 3, ""); /* no name, no pattern, and 0 is the other one */
    shell("marrow init tri.gltf --clip ,");
    assert_refused(3, "none of the requested clips");
    ck_assert_int_eq(count_files("."), 3); /* .out, .err, tri.gltf */
    shell("marrow init tri.gltf");
    assert_status(0);
    assert_runs("tri.suite.ini", 1);
}
END_TEST

/* Whatever can't be had, there is a whole suite or none. */
START_TEST(out_of_memory)
{
    static const char *const arguments[] = {"init", "tri.gltf", "-o", "memory.suite.ini", "-q"};
    static char whole[20000], found[20000];
    mrw_settings settings;
    mrw_error error;
    int failures = 0;
    bool fired = true;
    write_triangle("tri.gltf", "Go, then", "Back", 3, "");
    shell("marrow init tri.gltf -o memory.suite.ini");
    assert_status(0);
    slurp("memory.suite.ini", whole, sizeof whole);
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_settings_parse(&settings, 5, arguments, &error), MRW_OK);
    host_callbacks_begin(&settings);
    ck_assert_ptr_nonnull(freopen(".err", "w", stderr)); /* it complains of each */
    for (uint64_t n = 1; fired; n++) {
        unlink("memory.suite.ini");
        mrwi_base_alloc_fail_at(n);
        int answer = cli_init(&settings);
        fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_msg(answer == HOST_DONE || (fired && answer == HOST_IMPOSSIBLE),
                      "status %d at allocation %d", answer, (int)n);
        ck_assert_int_eq(exists("memory.suite.ini"), answer == HOST_DONE);
        slurp("memory.suite.ini", found, sizeof found);
        ck_assert_str_eq(found, answer == HOST_DONE ? whole : "");
        failures += answer == HOST_IMPOSSIBLE;
    }
    ck_assert_int_gt(failures, 20);
    mrw_settings_free(&settings);
}
END_TEST

/* ---- guards of what is read ------------------------------------------------------------------ */

/* Linked with --wrap: these stand in for what allocates in the command. */
static int lacking; /* the so many-th of them fails, as do all behind it; 0: none */

static bool lacks(void)
{
    return lacking > 0 && (lacking == 1 || lacking-- == 0);
}

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);

void *__wrap_realloc(void *block, size_t size)
{
    return lacks() ? NULL : __real_realloc(block, size);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return lacks() ? NULL : __real_strndup(text, size);
}

static const char *const overwriting[][8] = {
    {"render", "tri.gltf", "-o", "tri.gltf", NULL},
    {"render", "demo:blob", "--add", "tri.gltf@Root", "-o", "tri.gltf", NULL},
    {"render", "demo:blob", "--displacement", "tri.gltf:1", "-o", "tri.gltf", NULL},
};

/* Without memory what is read is not overwritten, whether or not a template names it. */
START_TEST(guards_without_memory)
{
    mrw_settings settings;
    mrw_error error;
    char *paths[] = {(char[]){"tri.gltf"}};
    int count = 0;
    write_plain_triangle();
    while (overwriting[_i][count]) {
        count++;
    }
    mrw_settings_init(&settings);
    ck_assert_msg(mrw_settings_parse(&settings, count, overwriting[_i], &error) == MRW_OK, "%s",
                  error.text);
    const mrw_output_files files = {.paths = paths, .count = 1};
    ck_assert_int_eq(host_check_targets(&settings, &error), MRW_ERROR_USAGE);
    ck_assert_int_eq(host_check_files(&settings, "-o", &files, &error), MRW_ERROR_USAGE);
    for (int n = 1; n <= 4; n++) {
        lacking = n;
        mrw_status got = host_check_targets(&settings, &error);
        ck_assert_msg(got == MRW_ERROR_USAGE || got == MRW_ERROR_MEMORY, "%d", (int)got);
        ck_assert(n > 1 || got == MRW_ERROR_MEMORY);
        lacking = n;
        got = host_check_files(&settings, "-o", &files, &error);
        ck_assert_msg(got == MRW_ERROR_USAGE || got == MRW_ERROR_MEMORY, "%d", (int)got);
        lacking = 0;
    }
    mrw_settings_free(&settings);
}
END_TEST

/* ---- a suite that grows ---------------------------------------------------------------------- */

/* --add gives a suite the clips, and the models, that no case draws, and leaves the rest alone. */
START_TEST(suites_grow)
{
    write_plain_triangle();
    shell("marrow init tri.gltf --clip Go -q && cp tri.suite.ini before && marrow init --add "
          "tri.gltf");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "tri.suite.ini: 1 case added."));
    ck_assert_ptr_nonnull(strstr(out, "marrow test tri.suite.ini --update=missing"));
    shell("head -c $(wc -c <before) tri.suite.ini | cmp - before && tail -n +$(($(wc -l <before) + "
          "1)) tri.suite.ini");
    assert_status(0);
    ck_assert_str_eq(out, "\n[Back]\nmodel = tri.gltf\nclip = Back\n");
    shell("cp tri.suite.ini before && marrow init --add ./tri.gltf && cmp tri.suite.ini before");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "each clip has a case; nothing to add"));
    shell("cp tri.gltf b.gltf && marrow init --add b.gltf --add ./b.gltf tri.gltf -q && grep -A1 "
          "'^.b_' tri.suite.ini");
    assert_status(0);
    ck_assert_str_eq(out, "[b_Go]\nmodel = b.gltf\n--\n[b_Back]\nmodel = b.gltf\n");
    shell("marrow test --update -q && marrow test");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "4 cases: 4 passed"));
}
END_TEST

/* Patterns, "all" and mixes draw clips, too; names of sections stay unique. */
START_TEST(suites_that_draw_all)
{
    static const char *const keys[] = {"clip = all", "clip = *", "clip = B*, Go",
                                       "blend = Go:1,Back:1\ncount = 2"};
    write_plain_triangle();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char suite_text[300];
        snprintf(suite_text, sizeof suite_text, "[x]\nmodel = tri.gltf\n%s\n", keys[i]);
        test_write_text("suite.ini", suite_text);
        shell("marrow init --add tri.gltf");
        assert_status(0);
        ck_assert_msg(strstr(out, "nothing to add"), "%s: %s", keys[i], out);
    }
    test_write_text("suite.ini",
                    "[defaults]\nmodel = tri.gltf\n[BACK]\nclip = Go"); /* no newline */
    shell("marrow init --add tri.gltf -q && tail -n 5 suite.ini");
    ck_assert_str_eq(out, "clip = Go\n\n[Back_2]\nmodel = tri.gltf\nclip = Back\n");
}
END_TEST

START_TEST(suites_that_cannot_grow)
{
    write_plain_triangle();
    shell("marrow init --add tri.gltf");
    assert_refused(2, "the current folder has none; name one with -o");
    shell("marrow init tri.gltf -q && cp tri.suite.ini b.suite.ini && marrow init --add tri.gltf");
    assert_refused(2, "the current folder has several; name one with -o");
    shell("marrow init --add tri.gltf -o none.suite.ini");
    assert_status(3);
    shell("marrow init --add none.gltf -o b.suite.ini");
    assert_refused(3, "none.gltf");
    shell("marrow init --add tri.gltf --name x -o b.suite.ini");
    assert_refused(2, "--name and --add cannot be combined");
    test_write_text("b.suite.ini", "[broken\n");
    shell("cp b.suite.ini before; marrow init --add tri.gltf -o b.suite.ini");
    assert_status(2);
    shell("cmp b.suite.ini before && marrow init");
    assert_refused(2, "`init` needs a model");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_init");
    TCase *tc = tcase_create("cli_init");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, demo_models);
    tcase_add_test(tc, options_become_keys);
    tcase_add_test(tc, other_files);
    tcase_add_test(tc, odd_names);
    tcase_add_test(tc, several_models);
    tcase_add_test(tc, what_else_a_suite_can_do);
    tcase_add_test(tc, models_without_clips);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, no_case);
    tcase_add_test(tc, out_of_memory);
    tcase_add_test(tc, suites_grow);
    tcase_add_test(tc, suites_that_draw_all);
    tcase_add_test(tc, suites_that_cannot_grow);
    tcase_add_loop_test(tc, guards_without_memory, 0,
                        (int)(sizeof overwriting / sizeof *overwriting));
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
