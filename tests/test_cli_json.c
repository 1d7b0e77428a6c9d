/* test_cli_json.c: what programs read: with --json every answer and every error is JSON with its
 * warnings; --json=FILE leaves standard output to pictures; warnings that repeat are one; files are
 * called as they were typed. */
#include "cli_fixture.h"

#include <signal.h>

static cJSON *lines[16]; /* what the last run answered */
static int line_count;

static void forget(void)
{
    for (int i = 0; i < line_count; i++) {
        cJSON_Delete(lines[i]);
    }
    line_count = 0;
}

/* Reads all values of a text. */
static void read_lines(const char *text)
{
    forget();
    while (text[strspn(text, " \n")] != '\0') {
        const char *end = NULL;
        ck_assert_int_lt(line_count, 16);
        lines[line_count] = cJSON_ParseWithOpts(text, &end, 0);
        ck_assert_msg(lines[line_count], "no JSON: %s", text);
        line_count++;
        text = end;
    }
}

static void answers(int expected_status, int count)
{
    assert_status(expected_status);
    read_lines(out);
    ck_assert_msg(line_count == count, "%d answers: %s", line_count, out);
}

static int warnings_of(int line)
{
    const cJSON *list = cJSON_GetObjectItem(lines[line], "warnings");
    ck_assert_msg(cJSON_IsArray(list), "no warnings in %s", out);
    return cJSON_GetArraySize(list);
}

static const char *warning_of(int line, int index)
{
    return cJSON_GetStringValue(
        cJSON_GetArrayItem(cJSON_GetObjectItem(lines[line], "warnings"), index));
}

/* Checks an error; model NULL: about none. */
static void assert_error(int line, int expected_status, const char *part, const char *model)
{
    const cJSON *error = cJSON_GetObjectItem(lines[line], "error");
    ck_assert_msg(error, "no error: %s", out);
    ck_assert_int_eq(cJSON_GetObjectItem(error, "status")->valueint, expected_status);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(error, "text"));
    ck_assert_msg(text && strstr(text, part), "'%s' lacks '%s'", text, part);
    ck_assert_msg(strstr(err, text), "standard error lacks it: %s", err);
    const cJSON *about = cJSON_GetObjectItem(error, "model");
    if (model) {
        ck_assert_str_eq(cJSON_GetStringValue(about), model);
    } else {
        ck_assert(cJSON_IsNull(about));
    }
    warnings_of(line);
}

/* A triangle whose texture is missing: one warning. */
static void write_warned(const char *path)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"mesh\":0}],\"buffers\":[{\"uri\":\"data:application/octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\",\"byteLength\":36}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0}]}],"
        "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],"
        "\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"t.png\"}]}";
    test_write_text(path, text);
}

START_TEST(every_command_answers_with_warnings)
{
    static const struct {
        const char *line;
        int status, count;
    } cases[] = {
        {"marrow render demo:figure --size 16 --json -o a.png", 0, 1},
        {"marrow render demo:figure demo:blob --size 16 --json -o '{model}.png'", 0, 2},
        {"marrow render demo:figure --size 16 --dry-run --json -o a.png", 0, 1},
        {"marrow info demo:figure --json", 0, 1},
        {"marrow bake demo:figure --times 0,0.5,0.5 --json", 0, 3},
        {"marrow doctor --json", 0, 1},
        {"marrow diff a.png a.png --json", 0, 1},
        {"marrow diff demo:figure demo:figure --json", 0, 1},
        {"marrow test s --update --json", 0, 1},
        {"marrow test s --json", 0, 1},
        {"marrow report merge s/results --json", 0, 1},
        {"marrow bench --quick --json pose-67", 0, 1},
    };
    shell("mkdir s; printf '[a]\\nmodel = demo:figure\\nsize = 16\\n' > s/suite.ini");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell("%s", cases[i].line);
        answers(cases[i].status, cases[i].count);
        for (int k = 0; k < line_count; k++) {
            ck_assert_int_eq(warnings_of(k), 0);
        }
    }
    forget();
}
END_TEST

/* Lines of standard error that warn. */
static int count_said(void)
{
    int count = 0;
    for (const char *at = err; (at = strstr(at, "marrow: warning: ")); at++) {
        count++;
    }
    return count;
}

/* Many warnings that differ only in numbers and names are one; JSON has each. */
START_TEST(kinds_of_warnings)
{
    static const struct {
        int textures, said;
    } cases[] = {{1, 2}, {3, 6}, {4, 2}, {48, 2}}; /* each also lacks texture coordinates */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int count = cases[i].textures;
        char text[20000];
        size_t used = (size_t)snprintf(
            text, sizeof text,
            "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]"
            ","
            "\"buffers\":[{\"uri\":\"data:application/octet-stream;base64,"
            "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\",\"byteLength\":36}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
            "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}]"
            ","
            "\"meshes\":[{\"primitives\":[");
        for (int k = 0; k < count; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "%s{\"attributes\":{\"POSITION\":0},\"material\":%d}",
                                     k > 0 ? "," : "", k);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "]}],\"materials\":[");
        for (int k = 0; k < count; k++) {
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "%s{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d}}}",
                k > 0 ? "," : "", k);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "],\"textures\":[");
        for (int k = 0; k < count; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s{\"source\":%d}",
                                     k > 0 ? "," : "", k);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "],\"images\":[");
        for (int k = 0; k < count; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s{\"uri\":\"%c%d.png\"}",
                                     k > 0 ? "," : "", 'a' + k % 26, 17 * k);
        }
        snprintf(text + used, sizeof text - used, "]}");
        test_write_text("k.gltf", text);
        shell("marrow render k.gltf --size 8 -o k.png");
        assert_status(0);
        ck_assert_msg(count_said() == cases[i].said, "%d textures: %s", count, err);
        if (count > 3) {
            char more[60];
            snprintf(more, sizeof more, "(and %d more of this kind; -v lists them)\n", count - 1);
            assert_said(more);
        }
        shell("marrow render k.gltf --size 8 -o k.png -v");
        ck_assert_msg(count_said() == 2 * count, "%s", err);
        shell("marrow render k.gltf --size 8 -o k.png --json");
        answers(0, 1);
        ck_assert_int_eq(warnings_of(0), 2 * count);
    }
    forget();
}
END_TEST

/* Status 77 says what the machine lacks. */
START_TEST(reasons)
{
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"MARROW_ISA=%s marrow render demo:blob --json -o a.png", "cpu"},
        {"PATH=$(dirname $(command -v marrow)) marrow render demo:blob --loop --size 16 --json -o "
         "a.mp4",
         "tool"},
        {"MARROW_IMPORTER=/nowhere marrow info t.obj --json", "tool"},
        {"MARROW_IMPORTER=$PWD/slow marrow info t.obj --import-seconds 0.2 --json", "time"},
        {"marrow render demo:blob --backend gl --json -o a.png", "display"},
    };
    const mrw_isa lacking = mrw_isa_available(MRW_ISA_NEON) ? MRW_ISA_AVX2 : MRW_ISA_NEON;
    test_write_text("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    test_write_text("slow", "#!/bin/sh\nexec sleep 100\n");
    shell("chmod +x slow");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cJSON *error;
        char line[200];
        snprintf(line, sizeof line, i == 0 ? cases[0].line : "%s",
                 i == 0 ? mrw_isa_name(lacking) : cases[i].line);
        shell("%s", line);
        answers(77, 1);
        error = cJSON_GetObjectItem(lines[0], "error");
        ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(error, "reason")),
                         cases[i].reason);
    }
    shell("marrow render none.glb --json -o a.png");
    answers(3, 1);
    ck_assert(!cJSON_HasObjectItem(cJSON_GetObjectItem(lines[0], "error"), "reason"));
    forget();
}
END_TEST

START_TEST(warnings_stand_in_the_answer_they_are_about)
{
    write_warned("w.gltf");
    shell("marrow render w.gltf demo:blob --size 8 --json -o '{model}.png'");
    answers(0, 2);
    ck_assert_int_eq(warnings_of(0), 2); /* no texture coordinates, no texture */
    ck_assert_int_eq(warnings_of(1), 0);
    ck_assert_ptr_nonnull(strstr(warning_of(0, 1), "w.gltf: image 0: texture \"t.png\" does not"));
    assert_said(warning_of(0, 1));
    /* Of --add, which is loaded once: each picture shows it. */
    shell("marrow render demo:blob demo:tentacle --add w.gltf --add w.gltf --size 8 --json "
          "-o '{model}.png'");
    answers(0, 2);
    ck_assert_int_eq(warnings_of(0), 2);
    ck_assert_int_eq(warnings_of(1), 2);
    ck_assert_ptr_nonnull(strstr(warning_of(1, 1), "w.gltf: image 0: texture \"t.png\" does not"));
    shell("marrow render w.gltf demo:blob --add w.gltf --size 8 --json -o '{model}.png'");
    answers(0, 2);
    ck_assert_int_eq(warnings_of(0), 2);
    ck_assert_int_eq(warnings_of(1), 2);
    shell("marrow info w.gltf --json");
    answers(0, 1);
    ck_assert_int_eq(warnings_of(0), 2); /* as of old without the path, which is the answer's */
    ck_assert_int_eq(strncmp(warning_of(0, 1), "image 0: texture \"t.png\"", 24), 0);
    shell("marrow bake w.gltf --times 0,0 --json");
    answers(0, 2);
    ck_assert_int_eq(warnings_of(0) + warnings_of(1), warnings_of(0));
    shell("marrow render w.gltf --clip nope --size 8 --json -o w.png");
    answers(3, 1);
    assert_error(0, 3, "nope", "w.gltf");
    ck_assert_int_ge(warnings_of(0), 1);
    forget();
}
END_TEST

START_TEST(errors_are_json)
{
    shell("marrow render nope.glb demo:blob --size 8 --json -o '{model}.png'");
    answers(3, 2);
    assert_error(0, 3, "nope.glb: there is no such file", "nope.glb");
    ck_assert_ptr_null(cJSON_GetObjectItem(lines[1], "error"));
    shell("marrow render --size x --json demo:blob"); /* behind what could not be read */
    answers(2, 1);
    assert_error(0, 2, "--size 'x'", NULL);
    shell("marrow nosuch --json");
    answers(2, 1);
    assert_error(0, 2, "nosuch", NULL);
    shell("marrow render demo:blob --json -o -");
    answers(2, 1);
    assert_error(0, 2, "--json=FILE", NULL);
    shell("marrow bake nope.glb --json");
    answers(3, 1);
    assert_error(0, 3, "nope.glb", "nope.glb");
    shell("marrow info nope.glb --json");
    answers(3, 1);
    assert_error(0, 3, "nope.glb", "nope.glb");
    shell("marrow diff nope.png nope2.png --json");
    answers(3, 1);
    assert_error(0, 3, "nope", NULL);
    shell("marrow diff demo:figure nope.glb --json");
    answers(3, 1);
    assert_error(0, 3, "nope.glb: there is no such file", "nope.glb");
    shell("echo {} >bad.glb; marrow diff bad.glb demo:figure --json");
    answers(3, 1);
    assert_error(0, 3, "bad.glb: ", "bad.glb");
    shell("marrow diff demo:blob demo:figure --clip Nope --json");
    answers(3, 1);
    assert_error(0, 3, "Nope", "demo:blob");
    shell("marrow diff demo:figure demo:figure --frames 5000 --json");
    answers(3, 1);
    assert_error(0, 3, "5000", "demo:figure");
    shell("mkdir empty; marrow test empty --json");
    answers(1, 1);
    assert_error(0, 1, "there are no cases", NULL);
    shell("touch file; marrow render demo:blob --size 8 --json -o file/a.png");
    answers(4, 1);
    assert_error(0, 4, "file", "demo:blob");
    shell("marrow render -- --json"); /* a file of that name */
    ck_assert_str_eq(out, "");
    forget();
}
END_TEST

/* A value a line, also where results.json has many. */
START_TEST(answers_are_lines)
{
    shell("mkdir s a b; printf '[a]\\nmodel = demo:figure\\nsize = 16\\n[b]\\nmodel = demo:blob\\n"
          "size = 16\\nclip = none, of that: name\\n' > s/suite.ini; "
          "marrow render demo:blob --size 16 -q -o a/a.png; cp a/a.png b");
    static const char *const cases[] = {"marrow test s --update --json", "marrow test s --json",
                                        "marrow report merge s/results --json",
                                        "marrow diff a b --json",
                                        "marrow diff demo:blob demo:figure --json"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell("%s", cases[i]);
        answers(i == 3 ? 0 : 1, 1);
        ck_assert_msg(strchr(out, '\n') == out + strlen(out) - 1, "not one line: %s", out);
    }
    /* The same values as in the file. */
    static char text[100000];
    shell("marrow test s --json");
    read_lines(out);
    cJSON_DeleteItemFromObject(lines[0], "warnings");
    slurp("s/results/results.json", text, sizeof text);
    cJSON *file = cJSON_Parse(text);
    ck_assert(cJSON_Compare(lines[0], file, 1));
    cJSON_Delete(file);
    forget();
}
END_TEST

/* Signals that a command holds, and one that it does not. */
START_TEST(signals_are_json)
{
    shell("'%s' render demo:figure --clip all --fps 2000 --size 512 --json -o "
          "'f/{clip}{frame}.png' & until ls f/*.png; do sleep 0.05; done >/dev/null 2>&1; "
          "kill -TERM $!; wait $!",
          program);
    answers(143, 1);
    assert_error(0, 143, "stopped by a signal", "demo:figure");
    shell("TMPDIR=$PWD '%s' bench --json & "
          "until ls -d marrow-bench-*; do sleep 0.05; done >/dev/null 2>&1; kill -TERM $!; wait $!",
          program);
    answers(143, 1);
    assert_error(0, 143, "stopped by a signal", NULL);
    /* a pipe takes less than that: the command reads */
    shell("mkfifo pipe; '%s' info - --json <pipe & exec 3>pipe; head -c 200000 /dev/zero >&3; "
          "kill -TERM $!; wait $!",
          program);
    answers(143, 1);
    assert_error(0, 143, "stopped by a signal", NULL);
    forget();
}
END_TEST

START_TEST(answers_to_a_file)
{
    static char text[100000];
    shell("marrow render demo:figure --size 16 --json=deep/r.json -o - | wc -c");
    assert_status(0);
    ck_assert_int_gt(atoi(out), 100);
    slurp("deep/r.json", text, sizeof text);
    read_lines(text);
    ck_assert_int_eq(line_count, 1);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(lines[0], "pictures"));
    shell("marrow info nope.glb demo:blob --json=i.json");
    assert_status(3);
    ck_assert_str_eq(out, "");
    slurp("i.json", text, sizeof text);
    read_lines(text);
    ck_assert_int_eq(line_count, 2);
    assert_error(0, 3, "nope.glb", "nope.glb");
    shell("cp %s/figure.glb m.glb; marrow info m.glb --json=m.glb", assets);
    assert_refused(2, "--json m.glb: this is an input file");
    shell("cmp m.glb %s/figure.glb", assets);
    assert_status(0);
    shell("touch file; marrow info m.glb --json=file/x.json");
    assert_refused(4, "file");
    shell("marrow info m.glb --json=/dev/full");
    assert_refused(4, "/dev/full: cannot write it: No space left on device");
    shell("marrow info m.glb --json > /dev/full");
    assert_refused(4, "standard output: No space left on device");
    shell("marrow info m.glb --json=");
    assert_refused(2, "--json needs a non-empty value");
    forget();
}
END_TEST

/* One line, and a count. */
START_TEST(warnings_that_repeat)
{
    write_warned("w.gltf");
    shell("marrow info w.gltf w.gltf w.gltf");
    assert_status(0);
    assert_said("does not exist; base colours use a checker pattern instead (put it next to the "
                "model, or give its folder with --texture-dir FOLDER) (3 times)\n");
    int count = 0;
    for (const char *p = err; (p = strstr(p, " (3 times)\n")); p++) {
        count++;
    }
    ck_assert_int_eq(count, 2); /* the other one: no texture coordinates */
    shell("marrow info w.gltf w.gltf nope.glb w.gltf w.gltf");
    assert_status(3);
    assert_said(" (2 times)\nmarrow: error: nope.glb");
    assert_said(" (2 more times)\n");
    shell("marrow info w.gltf w.gltf --strict");
    assert_status(5);
    shell("marrow info w.gltf w.gltf -q");
    ck_assert_str_eq(err, "");
}
END_TEST

/* A file is called as it was typed; one that another names, as that is and as it is named there. */
START_TEST(one_spelling_of_a_path)
{
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"marrow info ./d//bad.gltf", "marrow: error: ./d//bad.gltf: "},
        {"marrow render d/../d/bad.gltf -o a.png", "marrow: error: d/../d/bad.gltf: "},
        {"marrow bake \"$PWD/d/bad.gltf\"", "/d/bad.gltf: "},
        {"marrow compile ./d/bad.gltf -o a.marrow", "marrow: error: ./d/bad.gltf: "},
        {"marrow render demo:blob --add ./d/bad.gltf -o a.png", "marrow: error: ./d/bad.gltf: "},
        {"marrow render demo:blob --anim ./d/bad.gltf -o a.png", "marrow: error: ./d/bad.gltf: "},
        {"marrow diff ./d/bad.gltf demo:blob", "marrow: error: ./d/bad.gltf: "},
        {"marrow diff ./a.png ./b.png", "marrow: error: ./a.png: "},
        {"marrow diff demo:blob demo:figure --mask image:./a.png", "marrow: error: ./a.png: "},
        {"marrow render demo:blob --asset-root ./no -o a.png", "--asset-root ./no: "},
        {"marrow test d/s", "failed s/x: d/s/bad.gltf: "},
        {"marrow test d/s", "failed s/y: demo:blob: there is no clip"},
        {"marrow test d/s", "failed s/z: d/s/../bad.gltf: "},
        {"marrow test d/broken", "marrow: error: d/broken/suite.ini:2: "},
    };
    shell(
        "mkdir -p d/s d/broken; printf '{' > d/bad.gltf; cp d/bad.gltf d/s; printf '[x]\\nmodel = "
        "./bad.gltf\\n[y]\\nmodel = demo:blob\\nclip = zz\\n[z]\\nmodel = .././/bad.gltf\\n' > "
        "d/s/suite.ini; printf '[x]\\nbogus = 1\\n' > d/broken/suite.ini");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell("%s", cases[i].line);
        ck_assert_int_ne(status, 0);
        ck_assert_msg(strstr(err, cases[i].said) || strstr(out, cases[i].said),
                      "%s: '%s' lacks '%s'", cases[i].line, err, cases[i].said);
    }
}
END_TEST

/* Where nobody looks whether a signal came, here while a second model is waited for, warnings that
 * no line came for are said nevertheless. */
START_TEST(signals_come_after_warnings)
{
    write_warned("w.gltf");
    shell("mkfifo pipe; '%s' info w.gltf - <pipe >answer & exec 3>pipe; "
          "until [ -s answer ]; do sleep 0.05; done; kill -TERM $!; wait $!",
          program);
    assert_status(143);
    assert_said("marrow: warning: w.gltf: image 0: texture \"t.png\" does not exist");
    const char *line = strstr(err, "marrow: error: stopped by a signal\n");
    ck_assert_msg(line && !strstr(line, "warning"), "it is not the last line: %s", err);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_json");
    TCase *tc = tcase_create("cli_json");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, every_command_answers_with_warnings);
    tcase_add_test(tc, kinds_of_warnings);
    tcase_add_test(tc, reasons);
    tcase_add_test(tc, warnings_stand_in_the_answer_they_are_about);
    tcase_add_test(tc, errors_are_json);
    tcase_add_test(tc, answers_are_lines);
    tcase_add_test(tc, signals_are_json);
    tcase_add_test(tc, signals_come_after_warnings);
    tcase_add_test(tc, answers_to_a_file);
    tcase_add_test(tc, warnings_that_repeat);
    tcase_add_test(tc, one_spelling_of_a_path);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
