/* test_cli_complete.c: `marrow __complete`, which shells ask, and `marrow completions`. */
#include "cli_fixture.h"

/* Every break of bash, as COMP_WORDBREAKS has them after it starts. */
#define BREAKS "' \t\n\"'\\''><=;|&(:'"

/* True if one line of the answer is, or begins with, the candidate and a tab. */
static bool has(const char *candidate)
{
    char line[512];
    snprintf(line, sizeof line, "\n%s\t", candidate);
    return strncmp(out, line + 1, strlen(line + 1)) == 0 || strstr(out, line);
}

static int count_lines(void)
{
    int count = 0;
    for (const char *p = out; (p = strchr(p, '\n')); p++) {
        count++;
    }
    return count;
}

/* Asks about words that end in the one to complete, each as a shell writes it. */
static void ask(const char *words)
{
    shell("marrow __complete words %s", words);
    assert_status(0);
    ck_assert_str_eq(err, "");
}

/* Asks about a line of bash, up to the cursor. */
static void ask_bash(const char *line)
{
    FILE *file = fopen("line", "w");
    fputs(line, file);
    fclose(file);
    shell("marrow __complete bash %s \"$(cat line)\"", BREAKS);
    assert_status(0);
    ck_assert_str_eq(err, "");
}

/* The candidates of the answer, in this order and no others: each with a newline. */
static void assert_candidates(const char *expected)
{
    char names[4000] = "";
    size_t used = 0;
    for (const char *p = out; *p != '\0'; p = strchr(p, '\n') + 1) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%.*s\n",
                                 (int)strcspn(p, p[0] == '\t' ? "\n" : "\t\n"), p);
        ck_assert_uint_lt(used, sizeof names);
    }
    ck_assert_str_eq(names, expected);
}

/* ---- commands and options -------------------------------------------------------------------- */

START_TEST(commands)
{
    ask("''");
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        ck_assert(has(mrw_command_describe((mrw_command)i)->name));
    }
    ck_assert_int_eq(count_lines(), MRW_COMMAND_COUNT);
    ask("s");
    ck_assert_str_eq(out, "sheet\tdraw all clips of a model in one picture\n"
                          "sprites\tdraw sprite sheets for games\n");
    ask("--");
    assert_candidates("--help\n--version\n");
    ask("nonsense --sh");
    ck_assert_str_eq(out, "");
    ask("-q ren"); /* options may stand first */
    assert_candidates("render\n");
}
END_TEST

START_TEST(options)
{
    ask("render demo:figure --sh");
    assert_candidates("--sheet\n--shading\n--shadows\n--shadow-size\n--shadow-softness\n--show\n"
                      "--show-hidden\n--shard\n");
    ck_assert_ptr_nonnull(strstr(out, "--show-hidden\talso draw what the file hides\n"));
    ask("info demo:figure --sh");
    assert_candidates("--show-hidden\n");
    ask("render --ti"); /* the other name of --times */
    assert_candidates("--times\n--time\n--timeout\n");
    ask("render -");
    ck_assert(has("-o") && has("-j") && has("-q") && has("--output"));
    ck_assert(!has("--no-loop"));
    ask("render --no-s");
    assert_candidates("--no-sync\n--no-shadows\n--no-show-hidden\n--no-sandbox\n--no-strict\n");
    ck_assert_ptr_nonnull(strstr(out, "--no-show-hidden\toff: also draw what the file hides\n"));
    ask("render --no-fi"); /* a switch with the values on and off */
    assert_candidates("--no-file-lights\n");
    ask("render --no-h"); /* --help can't be off, --shading has values */
    ck_assert_str_eq(out, "");
    ask("test --no-ver");
    assert_candidates("--no-verbose\n");
    ask("render -- --sh");
    assert_candidates("\tfile\t\n");
}
END_TEST

START_TEST(help_topics)
{
    ask("help an");
    assert_candidates("animations-and-video\n");
    ask("help re");
    assert_candidates("render\nreport\n");
    ask("help --sheet");
    assert_candidates("--sheet\n");
    ask("help --max-d"); /* options of any command */
    assert_candidates("--max-delta\n--max-degrees\n--max-distance\n");
    ask("help render ''");
    ck_assert_str_eq(out, "");
    ask("completions ''");
    assert_candidates("bash\nzsh\nfish\n");
}
END_TEST

/* ---- values ---------------------------------------------------------------------------------- */

START_TEST(alternatives)
{
    ask("render --tonemap ''");
    assert_candidates("none\naces\nneutral\n");
    ask("render --tonemap=n");
    assert_candidates("--tonemap=none\n--tonemap=neutral\n");
    ask("render --isa avx");
    assert_candidates("avx2\navx512\n");
    ask("render --shading w");
    assert_candidates("wire\nweights:\n");
    ask("render --shading ma");
    assert_candidates("matcap:\n");
    ask("render --shading matcap:x");
    assert_candidates("\tfile\tmatcap:\n");
    ask("render --shading matcap:");
    assert_candidates("\tfile\tmatcap:\n");
    ask("render --shading=channel:ro");
    assert_candidates("--shading=channel:roughness\n");
    ask("render --loop=");
    assert_candidates("--loop=on\n--loop=off\n");
    ask("test --update=");
    assert_candidates("--update=missing\n--update=changed\n--update=all\n");
    ask("test --update ''"); /* its value follows '=' only */
    assert_candidates("\tfile\t\n");
    ask("render --fps f");
    assert_candidates("file\n");
    ask("render --size ''");
    ck_assert_str_eq(out, "");
    ask("render --background sl");
    assert_candidates("\tfile\t\nslategray\n"); /* or a picture */
    ask("render --ground=n");
    assert_candidates("--ground=navy\n");
    ask("render -qj ''"); /* joined, and the last one has a value: no names */
    ck_assert_str_eq(out, "");
}
END_TEST

/* Candidates are explained by what help says of them. */
START_TEST(descriptions)
{
    ask("render --png ''");
    ck_assert_str_eq(out,
                     "fast\tthe default\nbest\tfiles are 10 to 20 % smaller, for half a second "
                     "of CPU time per 1280x720 picture\n");
    ask("render --tonemap ''");
    ck_assert_str_eq(out, "none\tclip bright ones\naces\t\nneutral\tKhronos PBR Neutral\n");
    ask("render --shading unl");
    ck_assert_str_eq(out, "unlit\tbase colours in linear light, as in KHR_materials_unlit\n");
}
END_TEST

START_TEST(lists)
{
    ask("render --aov depth,no");
    assert_candidates("depth,normal\n");
    ask("render --aov=id,cry");
    ck_assert(has("--aov=id,crypto-object") && has("--aov=id,crypto-material") &&
              has("--aov=id,cryptomatte"));
    ask("render --overlay skeleton,a");
    assert_candidates("skeleton,axes\n");
    ask("render --views front,");
    assert_candidates(
        "front,front\nfront,left\nfront,right\nfront,back\nfront,top\nfront,bottom\nfront,iso\n");
    ask("info --allow-format md5,o");
    assert_candidates("md5,ogre\n");
    ask("info --input-format co");
    assert_candidates("collada\n");
}
END_TEST

/* What is offered by a table of the completions is what the options accept. */
START_TEST(forms_are_accepted)
{
    static const char *const values[][2] = {
        {"light", "none"},          {"light", "default"}, {"light", "ambient:"},
        {"light", "directional:"},  {"light", "point:"},  {"light", "spot:"},
        {"mask", "rect:"},          {"mask", "node:"},    {"mask", "image:"},
        {"views", "iso"},           {"overlay", "none"},  {"aov", "cryptomatte"},
        {"background", "slategray"}};
    static const char *const rests[] = {"",        "color=1,1,1", "dir=0,1,0",          "pos=0,1,0",
                                        "1,1,2,2", "name.png",    "pos=0,1,0,dir=0,1,0"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        bool accepted = false;
        shell("marrow __complete words %s --%s %s", i >= 6 && i < 9 ? "diff" : "render",
              values[i][0], values[i][1]);
        ck_assert_msg(has(values[i][1]) || strcmp(values[i][1], "image:") == 0, "%s", out);
        for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
            mrw_settings settings;
            mrw_error error;
            char value[96];
            snprintf(value, sizeof value, "%s%s", values[i][1], rests[k]);
            mrw_settings_init(&settings);
            accepted |= mrw_settings_set(&settings, values[i][0], value, &error) == MRW_OK;
            mrw_settings_free(&settings);
        }
        ck_assert_msg(accepted, "--%s %s", values[i][0], values[i][1]);
    }
}
END_TEST

START_TEST(files)
{
    ask("render -o ''");
    assert_candidates("\tfile\t\n");
    ask("render --output=x");
    assert_candidates("\tfile\t--output=\n");
    ask("render -ox");
    assert_candidates("\tfile\t-o\n");
    ask("test --report x");
    assert_candidates("\tdirectory\t\n");
    ask("report ''");
    assert_candidates("merge\n");
    ask("report merge ''");
    assert_candidates("\tdirectory\t\n");
    ask("render d");
    assert_candidates(
        "demo:figure\ndemo:tentacle\ndemo:blob\ndemo:stage\ndemo:swatches\n\tfile\t\n");
    ask("diff demo:b");
    assert_candidates("demo:blob\n");
    ask("render --mask image:x"); /* an option of diff; its values are known all the same */
    assert_candidates("\tfile\timage:\n");
    shell("marrow info -q $(marrow __complete words render demo: | cut -f 1)"); /* all are there */
    assert_status(0);
    ask("version ''");
    ck_assert_str_eq(out, "");
}
END_TEST

/* ---- names from models and suites ------------------------------------------------------------ */

START_TEST(clips)
{
    write_triangle("tri.gltf", "Hero's W\xc3\xa4lk \\\"x\\\"", "a$b&c", 3, "");
    ask("render tri.gltf --clip ''");
    ck_assert_str_eq(out, "all\t\nHero's W\xc3\xa4lk \"x\"\tclip of 1.000 s\n"
                          "a$b&c\tclip of 1.000 s\n");
    ask("render --size 100 tri.gltf --clip=He");
    assert_candidates("--clip=Hero's W\xc3\xa4lk \"x\"\n");
    ask("render tri.gltf --blend Go:1,a");
    assert_candidates("Go:1,a$b&c:\n");
    ask("render tri.gltf --layer 'a$b&c@m'");
    assert_candidates("a$b&c@mover\n");
    ask("render tri.gltf --pivot ''");
    assert_candidates("mover\n");
    ask("render tri.gltf --id ''");
    assert_candidates("mover=\n");
    ask("render demo:figure --anim tri.gltf --clip ''");
    assert_candidates("all\nWalk\nRun\nWave\nHero's W\xc3\xa4lk \"x\"\na$b&c\n");
    ask("render x.glb --add demo:blob:s");
    assert_candidates("demo:blob:scale=\ndemo:blob:speed=\n");
    ask("render tri.gltf --add x.glb@m");
    assert_candidates("x.glb@mover\n");
    ask("render tri.gltf --add x.glb@mover:pos=0,0,0,r");
    assert_candidates("x.glb@mover:pos=0,0,0,rot=\n");
    shell("HOME=$PWD marrow __complete words render '~/tri.gltf' --clip a");
    assert_candidates("all\na$b&c\n");
}
END_TEST

/* What can't be loaded has no names, and nothing is said about it. */
START_TEST(models_that_fail)
{
    shell("mkfifo pipe && echo nonsense >bad.gltf");
    ask("render missing.glb --clip ''");
    assert_candidates("all\n");
    ask("render bad.gltf pipe . - --clip ''");
    assert_candidates("all\n");
    ask("render bad.gltf --follow ''");
    ck_assert_str_eq(out, "");
    write_triangle("tri.gltf", "Go\\tto", "Go\\nback", 3, ""); /* no line can hold these */
    ask("render tri.gltf --clip ''");
    ck_assert(!has("Go"));
    ck_assert_ptr_null(strstr(out, "\nback"));
}
END_TEST

/* Names with characters that a terminal acts on, or that reorder text, are left out. */
START_TEST(unsafe_names)
{
    static const char *const names[] = {"x\\u009b31mred", "next\\u0085line", "gpj\\u202ea",
                                        "a\\u2066b",      "a\\u200fb",       "a\\ufeffb",
                                        "\\u001b[31mred", "a\\u007fb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_triangle("tri.gltf", names[i], "Back", 3, "");
        ask("render tri.gltf --clip ''");
        assert_candidates("all\nBack\n");
        ask_bash("marrow render tri.gltf --clip ");
        assert_candidates("all\nBack\n");
    }
    ask("render --aov \"$(printf 'd\\233,')\""); /* not UTF-8 */
    ck_assert_str_eq(out, "");
    /* a backslash, four scripts, and what only a log of CI would obey */
    write_triangle("tri.gltf", "a\\\\b ##[c]", "::\xc3\xa4\xd0\xb6\xe6\xad\xa9\xf0\x9f\x8e\xac", 3,
                   "");
    ask("render tri.gltf --clip ''");
    assert_candidates("all\na\\b ##[c]\n::\xc3\xa4\xd0\xb6\xe6\xad\xa9\xf0\x9f\x8e\xac\n");
}
END_TEST

/* Writes a model of many nodes: "NAME 00000", "NAME 00001", ... */
static void write_nodes(const char *path, const char *name, int count)
{
    FILE *file = fopen(path, "w");
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0", file);
    for (int i = 1; i < count; i++) {
        fprintf(file, ",%d", i);
    }
    fputs("]}],\"nodes\":[", file);
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s{\"name\":\"%s %05d\"}", i > 0 ? "," : "", name, i);
    }
    fputs("]}", file);
    fclose(file);
}

/* A model of very many nodes has names at once: at most 2,000 that begin like the word. */
START_TEST(many_names)
{
    write_nodes("many.gltf", "node", 6000);
    ask("render many.gltf --pivot ''");
    ck_assert_int_eq(count_lines(), 2000);
    ck_assert(has("node 00000") && has("node 01999") && !has("node 02000"));
    ask("render many.gltf --pivot 'node 059'");
    ck_assert_int_eq(count_lines(), 100);
    ask("render many.gltf many.gltf --pivot 'node 0599'"); /* every name is there twice */
    assert_candidates("node 05990\nnode 05991\nnode 05992\nnode 05993\nnode 05994\n"
                      "node 05995\nnode 05996\nnode 05997\nnode 05998\nnode 05999\n");
}
END_TEST

/* The time limit is for loading: an answer of more bytes than a pipe holds reaches a slow reader.
 */
START_TEST(slow_readers)
{
    write_nodes("long.gltf", "a node with a name of no less than sixty-four characters, and more",
                1900);
    shell("marrow __complete words render long.gltf --pivot '' | (sleep 3 && cat)");
    assert_status(0);
    ck_assert_uint_gt(strlen(out), 65536);
    ck_assert_int_eq(count_lines(), 1900);
    ck_assert_str_eq(strrchr(out, ' '), " 01899\tnode\n");
}
END_TEST

/* Formats that the import helper reads. */
START_TEST(imported_clips)
{
    shell("marrow __complete words render %s/figure.dae --clip d", assets);
    assert_status(0);
    ck_assert_str_eq(err, "");
    assert_candidates("default\n");
}
END_TEST

/* Names that the extension KHR_materials_variants gives. */
START_TEST(variants)
{
    write_plain_triangle();
    shell("sed -i 's/^{/{\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"red "
          "one\"},{\"name\":\"blue\"}]}},/' tri.gltf");
    ask("render tri.gltf --variant ''");
    assert_candidates("red one\nblue\n");
}
END_TEST

/* An import helper that never answers is given up. */
START_TEST(slow_models)
{
    FILE *file = fopen("slow", "w");
    fputs("#!/bin/sh\nexec sleep 1000\n", file);
    fclose(file);
    shell("chmod +x slow && MARROW_IMPORTER=$PWD/slow marrow __complete words render %s/figure.dae "
          "--clip ''",
          assets);
    assert_status(0);
    ck_assert_str_eq(err, "");
    assert_candidates("all\n");
}
END_TEST

START_TEST(cases)
{
    FILE *file = fopen("a.suite.ini", "w");
    fputs("[Walk]\nmodel = demo:figure\nclip = Walk\ntags = slow\n[still]\nmodel = demo:blob\n",
          file);
    fclose(file);
    ask("test -k W");
    assert_candidates("Walk\n");
    ask("accept ''");
    assert_candidates("Walk\nstill\n");
    ask("test --tag ''");
    assert_candidates("slow\n");
    ask("test a.suite.ini -k s");
    assert_candidates("still\n");
    shell("echo nonsense >a.suite.ini");
    ask("test -k ''");
    ck_assert_str_eq(out, "");
}
END_TEST

/* ---- bash ------------------------------------------------------------------------------------ */

/* bash replaces only the text behind its last break. */
START_TEST(bash_breaks)
{
    ask_bash("marrow render --sh");
    ck_assert(has("--shading"));
    ask_bash("marrow render --shading=fl");
    assert_candidates("flat\n");
    ask_bash("marrow render demo:f");
    assert_candidates("figure\n");
    ask_bash("marrow render --shading=matcap:x");
    assert_candidates("\tfile\t\n");
    ask_bash("marrow render demo:figure --clip ");
    assert_candidates("all\nWalk\nRun\nWave\n");
    ask_bash("./marrow");
    ck_assert(has("marrow") == false);
    ask_bash("marrow render x.glb >o");
    assert_candidates("\tfile\t\n");
    ask_bash("marrow render demo:blob 2>errors --tonem");
    assert_candidates("--tonemap\n");
    ask_bash("marrow render >errors demo:figure --clip Wal");
    assert_candidates("Walk\n");
    shell("marrow __complete bash ' ' 'marrow render --shading=fl'"); /* without = and : */
    assert_candidates("--shading=flat\n");
    shell("marrow __complete bash ' ' 'marrow render --output=f'");
    assert_candidates("\tfile\t--output=\n");
}
END_TEST

/* A name goes into the line quoted as the line has begun. */
START_TEST(bash_quotes)
{
    write_triangle("a tri.gltf", "Hero's Walk", "a$b \\\"c\\\"", 3, "");
    ask_bash("marrow render a\\ tri.gltf --clip H");
    assert_candidates("Hero\\'s\\ Walk\n");
    ask_bash("marrow render 'a tri.gltf' --clip Hero\\'s\\ ");
    assert_candidates("Hero\\'s\\ Walk\n");
    ask_bash("marrow render \"a tri.gltf\" --clip 'H");
    assert_candidates("Hero'\\''s Walk\n");
    ask_bash("marrow render \"a tri.gltf\" --clip=\"H");
    assert_candidates("Hero's Walk\n");
    ask_bash("marrow render \"a tri.gltf\" --clip \"a\\$");
    assert_candidates("a\\$b \\\"c\\\"\"\n"); /* readline does not close after a quote */
    ask_bash("marrow render a\\ tri.gltf --clip 'Hero'\\''s W");
    assert_candidates("s Walk\n"); /* bash keeps what stands before the last quote */
}
END_TEST

START_TEST(bash_any_line)
{
    static const char alphabet[] = "ab '\"\\$<>|&;=:@-~\xc3\xa4\t2";
    uint32_t state = 1;
    for (int i = 0; i < 200; i++) {
        char line[64] = "marrow render ";
        size_t used = strlen(line);
        for (int k = i % 40; k > 0; k--) {
            state = state * 1664525u + 1013904223u;
            line[used++] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        line[used] = '\0';
        ask_bash(line);
    }
}
END_TEST

START_TEST(scripts)
{
    shell("marrow completions bash | bash -n");
    assert_status(0);
    ck_assert_str_eq(err, "");
    shell("marrow completions zsh");
    ck_assert_int_eq(strncmp(out, "#compdef marrow\n", 16), 0);
    shell("marrow completions fish");
    ck_assert_ptr_nonnull(strstr(out, "\ncomplete -c marrow "));
    shell("marrow completions");
    assert_refused(2, "bash, zsh or fish");
    shell("marrow completions tcsh");
    assert_refused(2, "'tcsh'");
    shell("marrow __complete; marrow __complete words; marrow __complete bash x");
    assert_status(0);
    ck_assert_str_eq(out, "");
    ck_assert_str_eq(err, "");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_complete");
    TCase *tc = tcase_create("cli_complete");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, commands);
    tcase_add_test(tc, options);
    tcase_add_test(tc, help_topics);
    tcase_add_test(tc, alternatives);
    tcase_add_test(tc, descriptions);
    tcase_add_test(tc, lists);
    tcase_add_test(tc, forms_are_accepted);
    tcase_add_test(tc, files);
    tcase_add_test(tc, clips);
    tcase_add_test(tc, models_that_fail);
    tcase_add_test(tc, unsafe_names);
    tcase_add_test(tc, many_names);
    tcase_add_test(tc, slow_readers);
    tcase_add_test(tc, imported_clips);
    tcase_add_test(tc, variants);
    tcase_add_test(tc, slow_models);
    tcase_add_test(tc, cases);
    tcase_add_test(tc, bash_breaks);
    tcase_add_test(tc, bash_quotes);
    tcase_add_test(tc, bash_any_line);
    tcase_add_test(tc, scripts);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
