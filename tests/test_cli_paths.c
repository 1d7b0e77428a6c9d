/* test_cli_paths.c: what every command that writes does when something stops it: places that can't
 * be written, disks that fill up in the middle, models that fail among others, files that are read.
 * Nothing is ever left that is not whole, and what is told does not depend on the threads.
 */
#include "cli_fixture.h"

/* Every way to write. OUT is the folder it goes to; what is in it is the same from run to run. */
static const char *const works[] = {
    "render demo:figure --clip Walk --count 6 --size 96x128 -o OUT/{frame}.png",
    "render demo:figure --clip Walk --count 8 --size 96x128 -o OUT/walk.apng",
    "render demo:figure --clip Walk --count 8 --size 96x128 --sheet 4 -o OUT/walk.png",
    "render demo:figure --clip Walk --count 400 --size 16 --json=OUT/answer.json -o - --sheet 20",
    "bake demo:blob --clip Bounce --count 2 -j 1 -o OUT/{frame}.obj",
    "bake demo:figure --clip Walk --count 12 --joints OUT/walk.jsonl",
    "bake demo:figure --clip Walk --count 400 --json=OUT/boxes.json",
    "test --update=all",
    "diff a b -o OUT --report OUT/report",
    "compile demo:blob -o OUT/blob.marrow",
    "info demo:figure demo:figure demo:figure demo:figure --json=OUT/i.json"};
#define WORKS ((int)(sizeof works / sizeof *works))

/* The place is small enough that none of them fits, and large enough that some files of the
 * sequences do. */
static const int kilobytes[WORKS] = {28, 28, 28, 28, 600, 28, 28, 28, 28, 28, 8};

/* ---- running --------------------------------------------------------------------------------- */

/* A work with its folder in place of OUT: of a test that of the goldens. */
static const char *with_folder(const char *work, const char *folder_name)
{
    static char text[1000];
    size_t length = 0;
    FILE *suite_file = fopen("suite.ini", "w");
    fprintf(suite_file,
            "[walk]\nmodel = demo:figure\nclip = Walk\ncount = 6\nsize = 96x128\ngolden = %s\n",
            folder_name);
    fclose(suite_file);
    for (const char *at = work; *at;) {
        if (strncmp(at, "OUT", 3) == 0) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", folder_name);
            at += 3;
        } else {
            text[length++] = *at++;
        }
    }
    text[length] = '\0';
    return text;
}

/* What the works read. */
static void prepare_inputs(void)
{
    shell("mkdir a b results; marrow render demo:figure --clip Walk --count 6 --size 96x128 -q "
          "-o 'a/{frame}.png' && marrow render demo:figure --clip Run --count 6 --size 96x128 -q "
          "-o 'b/{frame}.png'");
    assert_status(0);
}

/* ---- a full disk ----------------------------------------------------------------------------- */

/* Whether folders can be mounted for one command: asked of the system, not of what is tested. */
static bool can_mount(void)
{
    shell("mkdir -p here && unshare -m mount -t tmpfs none here");
    return status == 0;
}

START_TEST(the_disk_fills_up)
{
    if (!can_mount()) {
        SKIP("the_disk_fills_up: no mount namespace here");
        return;
    }
    prepare_inputs();
    shell("mkdir whole; marrow %s >/dev/null", with_folder(works[_i], "whole"));
    ck_assert_msg(status == 0 || (status == 1 && strncmp(works[_i], "diff", 4) == 0), "%d: %s",
                  status, err);
    const int all = count_files("whole");
    ck_assert_int_gt(all, 0);
    shell("mkdir small; unshare -m sh -c 'mount -t tmpfs -o size=%dk none small && "
          "{ \"%s\" %s >/dev/null; s=$?; cp -a small kept; exit $s; }'",
          kilobytes[_i], program, with_folder(works[_i], "small"));
    assert_status(4);
    ck_assert_msg(strstr(err, "No space left"), "%s", err);
    ck_assert_msg(strstr(err, "small/"), "no place is named: %s", err);
    ck_assert_int_lt(count_files("kept"), all);
    /* What is there is whole, and nothing else is. */
    shell("cd kept && find . -type f | while read -r f; do cmp -s \"$f\" \"../whole/$f\" || "
          "echo \"$f\"; done");
    ck_assert_msg(out[0] == '\0', "left behind, or not whole: %s", out);
    ck_assert_msg(!strstr(works[_i], "{frame}") || count_files("kept") > 0, "no file fitted");
}
END_TEST

/* Results have times in them: that they are whole is seen by their ends. */
START_TEST(the_disk_of_results_fills_up)
{
    if (!can_mount()) {
        SKIP("the_disk_of_results_fills_up: no mount namespace here");
        return;
    }
    with_folder("", "golden");
    shell(
        "marrow test --update -q && sed -i 's/clip = Walk/clip = Walk\\nazimuth = 90/' suite.ini; "
        "mkdir small; unshare -m sh -c 'mount -t tmpfs -o size=28k none small && "
        "{ \"%s\" test --out small; s=$?; cp -a small kept; exit $s; }'",
        program);
    assert_status(4);
    ck_assert_msg(strstr(err, "small/") && strstr(err, "No space left"), "%s", err);
    shell("find kept -type f -name '.*'; find kept -name '*.png' | while read -r f; do "
          "tail -c 8 \"$f\" | head -c 4 | grep -q IEND || echo \"$f\"; done; "
          "find kept -name results.json | while read -r f; do tail -c 2 \"$f\" | grep -q '}' || "
          "echo \"$f\"; done");
    ck_assert_msg(out[0] == '\0', "left behind, or not whole: %s", out);
    ck_assert_int_gt(count_files("kept"), 0);
}
END_TEST

/* ---- places ---------------------------------------------------------------------------------- */

START_TEST(a_file_stands_in_place_of_the_folder)
{
    prepare_inputs();
    shell("echo mine >file");
    const char *line = with_folder(works[_i], "file");
    const int before = count_files(".");
    shell("marrow %s", line);
    assert_refused(4, "file");
    ck_assert_msg(strstr(err, "Not a directory"), "%s", err);
    ck_assert_int_eq(count_files(".") - count_files("results"), before);
    shell("cat file");
    ck_assert_str_eq(out, "mine\n");
}
END_TEST

/* As nobody, because root may write everywhere. */
START_TEST(a_folder_is_closed)
{
    const char *as = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    shell("%s '%s' --version", as, program);
    if (status != 0) {
        SKIP("a_folder_is_closed: cannot run the program as another user");
        return;
    }
    prepare_inputs();
    shell("mkdir closed; chmod 555 closed; chmod 777 . results; %s '%s' %s", as, program,
          with_folder(works[_i], "closed"));
    assert_refused(4, "closed");
    ck_assert_msg(strstr(err, "Permission denied"), "%s", err);
    ck_assert_int_eq(count_files("closed"), 0);
}
END_TEST

/* The file is named, and the option that chooses another one. */
START_TEST(the_current_folder_is_closed)
{
    static const struct {
        const char *line, *file, *option;
    } cases[] = {{"render demo:blob --size 8", "blob.png", "-o"},
                 {"render demo:blob --size 8 -o b_{frame}.png", "b_0.png", "-o"},
                 {"bake demo:blob -o b.obj", "b.obj", "-o"},
                 {"bake demo:blob --joints j.jsonl", "j.jsonl", "--joints"},
                 {"info demo:blob --json=i.json", "i.json", "--json"},
                 {"compile demo:blob", "blob.marrow", "-o"},
                 {"init demo:blob", "blob.suite.ini", "-o"},
                 {"diff a/0.png a/1.png -o d.png", "d.png", "-o"},
                 {"diff a/0.png a/1.png -q --junit r.xml", "r.xml", "--junit"},
                 {"diff a/0.png a/1.png -q --report-inline r.html", "r.html", "--report-inline"}};
    const char *as = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    shell("%s '%s' --version", as, program);
    if (status != 0) {
        SKIP("the_current_folder_is_closed: cannot run the program as another user");
        return;
    }
    prepare_inputs();
    shell("mkdir closed; ln -s ../a closed; chmod 555 closed");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[300];
        shell("cd closed; %s '%s' %s", as, program, cases[i].line);
        snprintf(said, sizeof said,
                 "marrow: error: %s: cannot create it: Permission denied; change the permissions, "
                 "or choose another folder with %s\n",
                 cases[i].file, cases[i].option);
        assert_refused(4, said);
    }
}
END_TEST

START_TEST(folders_are_made)
{
    shell("marrow bake demo:blob --joints new/one/j.jsonl --json=new/two/b.json");
    assert_status(0);
    ck_assert(exists("new/one/j.jsonl") && exists("new/two/b.json"));
}
END_TEST

/* No picture can be written: that of the first is told, whatever the threads. */
START_TEST(the_first_failure_is_told)
{
    static const int threads[] = {1, 2, 3, 8};
    char first[1000] = "";
    for (int i = 0; i < 4; i++) {
        shell("mkdir -p lim; ulimit -f 4; marrow render demo:figure --clip Walk --count 9 "
              "--size 200 -j %d -o 'lim/{frame}.png'",
              threads[i]);
        assert_refused(4, "lim/0.png: cannot write it: File too large");
        ck_assert_int_eq(count_files("lim"), 0);
        ck_assert(i == 0 || strcmp(first, err) == 0);
        memcpy(first, err, sizeof first - 1);
    }
}
END_TEST

/* ---- several models -------------------------------------------------------------------------- */

/* Ten of which the fifth is cut short, the seventh is not there, and the eighth has other clips. */
static void ten_models(void)
{
    for (int i = 0; i < 10; i++) {
        char path[32];
        snprintf(path, sizeof path, "m%d.gltf", i);
        write_triangle(path, i == 7 ? "Jump" : "Go", "Back", 3, "");
    }
    shell("head -c 300 m4.gltf >cut; mv cut m4.gltf; rm m6.gltf");
}

static const char ten[] = "m0.gltf m1.gltf m2.gltf m3.gltf m4.gltf m5.gltf m6.gltf m7.gltf m8.gltf "
                          "m9.gltf";

static void assert_lines(const char *text, int expected)
{
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    ck_assert_msg(lines == expected, "%d lines, not %d: %s", lines, expected, text);
}

START_TEST(models_fail_among_ten)
{
    ten_models();
    shell("marrow render %s --clip Go --count 2 --size 24 -q -o 'all/{model}_{frame}.png'", ten);
    assert_status(3);
    assert_lines(err, 3);
    assert_said("marrow: error: m4.gltf: ");
    assert_said("marrow: error: m6.gltf: there is no such file");
    assert_said("marrow: error: m7.gltf: there is no clip \"Go\"; there are Jump, Back");
    ck_assert_int_eq(count_files("all"), 14);
    for (int i = 0; i < 10; i++) { /* the others as if they were alone */
        shell(
            "marrow render m%d.gltf --clip Go --count 2 --size 24 -q -o 'one/{model}_{frame}.png'",
            i);
        assert_status(i == 4 || i == 6 || i == 7 ? 3 : 0);
    }
    shell("diff -r all one");
    assert_status(0);
    shell("marrow info %s", ten);
    assert_status(3);
    assert_lines(err, 2);
    ck_assert_ptr_nonnull(strstr(out, "m9.gltf\n"));
    shell("marrow info %s --json", ten);
    assert_status(3);
    assert_lines(out, 10);
}
END_TEST

START_TEST(cases_fail_among_ten)
{
    ten_models();
    shell("for i in 0 1 2 3 4 5 6 7 8 9; do printf '[c%%d]\\nmodel = m%%d.gltf\\nclip = Go\\n' "
          "$i $i; done >suite.ini; marrow test --update");
    assert_status(1);
    ck_assert_ptr_nonnull(strstr(out, "10 cases: 7 updated, 3 failed"));
    ck_assert_ptr_nonnull(strstr(out, "m4.gltf: "));
    ck_assert_ptr_nonnull(strstr(out, "m6.gltf: there is no such file"));
    ck_assert_ptr_nonnull(strstr(out, "m7.gltf: there is no clip \"Go\"; there are Jump, Back"));
    shell("marrow test");
    assert_status(1);
    ck_assert_ptr_nonnull(strstr(out, "10 cases: 7 passed, 3 failed"));
}
END_TEST

/* Each of two models that can't be used, in either place. */
START_TEST(models_that_are_not_compared)
{
    ten_models();
    static const char *const bad[] = {"m4.gltf", "m6.gltf"};
    for (int i = 0; i < 2; i++) {
        shell("marrow diff m0.gltf %s -o out", bad[i]);
        assert_refused(3, bad[i]);
        shell("marrow diff %s m0.gltf -o out", bad[i]);
        assert_refused(3, bad[i]);
        shell("marrow bake %s --joints out/j.jsonl -o out/a.obj", bad[i]);
        assert_refused(3, bad[i]);
    }
    shell("marrow bake m7.gltf --clip Go -o out/a.obj");
    assert_refused(3, "m7.gltf: there is no clip \"Go\"; there are Jump, Back");
    ck_assert_msg(!exists("out") || count_files("out") == 0, "something was written");
}
END_TEST

/* ---- what is read, and what is written twice ------------------------------------------------- */

static void keep(const char *files, char text[65])
{
    shell("cat %s | sha256sum", files);
    assert_status(0);
    memcpy(text, out, 64);
    text[64] = '\0';
}

static void assert_refused_as_read(const char *line)
{
    ck_assert_msg(status == 2, "%s: %d, %s", line, status, err);
    ck_assert_msg(strstr(err, "this is an input file and would be overwritten"), "%s: %s", line,
                  err);
}

/* Through links and other spellings, too, and where the command line can't be understood. */
START_TEST(what_is_read_is_not_written)
{
    static const char *const lines[] = {
        "bake tri.gltf --joints tri.gltf",
        "bake tri.gltf --json=tri.gltf",
        "bake tri.gltf --joints link.gltf",
        "bake tri.gltf --anim more.gltf --joints ./more.gltf",
        "bake tri.gltf --add more.gltf --joints more.gltf",
        "bake tri.gltf --add more.gltf@mover --joints more.gltf",
        "bake mesh.obj -o mesh.obj",
        "bake mesh.obj -o '{model}.obj'",
        "bake mesh.obj -o ./",
        "compile tri.marrow -o tri.marrow",
        "compile tri.marrow --anim more.gltf --force",
        "render tri.gltf -o a.png --json=tri.gltf",
        "render tri.gltf more.gltf -o 'a_{model}.png' --json=more.gltf",
        "info tri.gltf --json=tri.gltf",
        "diff tri.gltf more.gltf --json=more.gltf",
        "test --json=t.suite.ini",
        "test t.suite.ini --json=t.suite.ini",
        "test --json=tri.gltf",
        "test --json=golden/t/go/golden.txt",
        "render textured.gltf -o picture.png",
        "render tri.gltf --shading matcap:picture.png -o ./picture.png",
        "render tri.gltf --env picture.png -o picture.png",
        "render textured.gltf -o ./picture.png --force",
        "render textured.gltf -o ./ --force --size 8 --dry-run",
    };
    char before[65], after[65];
    static const char files[] = "tri.gltf more.gltf tri.marrow mesh.obj t.suite.ini textured.gltf "
                                "picture.gltf picture.png";
    write_plain_triangle();
    write_triangle("more.gltf", "Go", "Other", 3, "");
    shell("ln -s tri.gltf link.gltf; printf 'v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n' >mesh.obj; "
          "marrow compile tri.gltf -o tri.marrow -q; printf '[go]\\nmodel = tri.gltf\\n' "
          ">t.suite.ini; "
          "marrow render demo:blob --size 16 -o picture.png -q; marrow test --update -q");
    assert_status(0);
    write_triangle("textured.gltf", "Go", "Back", 3, ",\"material\":0");
    shell(
        "sed -i 's/\"asset\"/\"images\":[{\"uri\":\"picture.png\"}],\"textures\":[{\"source\":0}],"
        "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],&/; "
        "s/\"attributes\":{/&\"TEXCOORD_0\":3,/; "
        "s/\"accessors\":\\[/&/; s/\"VEC3\"}\\]/\"VEC3\"},{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":3,\"type\":\"VEC2\"}]/' textured.gltf; cp textured.gltf picture.gltf; "
        "marrow render textured.gltf --size 16 -o t.png");
    assert_status(0);
    keep(files, before);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell("marrow %s", lines[i]);
        const bool models = strstr(lines[i], "textured.gltf -o ./ ");
        if (models) { /* textured.png is no input */
            assert_status(0);
        } else if (!strstr(err, "this is among the goldens")) {
            assert_refused_as_read(lines[i]);
        }
        keep(files, after);
        ck_assert_msg(strcmp(before, after) == 0, "%s wrote to what it reads", lines[i]);
    }
    /* A model called as its texture. */
    shell("marrow render picture.gltf --size 8 --force -o '{model}.png'");
    assert_refused(2, "-o picture.png: this is an input file");
    static const char *const unclear[] = {
        "render --foo tri.gltf --json=tri.gltf",
        "rendr tri.gltf --json=tri.gltf",
        "compile tri.gltf -o x.marrow --json=tri.gltf",
        "render x --add=more.gltf --foo --json=more.gltf",
        "render --foo x --add more.gltf@mover -o a.png --json=more.gltf",
        "diff --foo tri.gltf more.gltf --mask image:picture.png --json=picture.png",
        "render --size x textured.gltf --json=picture.png",
        "render textured.gltf --json=picture.png --foo"};
    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++) {
        shell("marrow %s", unclear[i]);
        assert_status(2);
        keep(files, after);
        ck_assert_msg(strcmp(before, after) == 0, "%s wrote to what it reads", unclear[i]);
    }
}
END_TEST

/* The triangle with its numbers in tri.bin and a texture. */
static void write_parts(const char *path, const char *texture)
{
    const float data[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    test_write("tri.bin", data, sizeof data);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
            "\"nodes\":[{\"mesh\":0}],\"buffers\":[{\"uri\":\"tri.bin\",\"byteLength\":36}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
            "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
            "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
            "\"material\":0}]}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":"
            "{\"index\":0}}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"%s\"}]}",
            texture);
    ck_assert_int_eq(fclose(file), 0);
}

/* What models name are inputs, too, wherever they were found. */
START_TEST(what_models_name_is_not_written)
{
    static const char *const lines[] = {
        "bake tri.gltf --joints t.png",
        "bake tri.gltf --joints link.png",
        "bake tri.gltf --joints tri.bin",
        "bake demo:blob --add tri.gltf --joints tri.bin",
        "bake tri.gltf --json=t.png",
        "info tri.gltf --json=t.png",
        "info demo:blob tri.gltf --json=tri.bin",
        "info - --json=tri.bin <tri.gltf",
        "info - --json=tri.gltf <tri.gltf",
        "render tri.gltf -o o.png --json=tri.bin",
        "render tri.gltf -o o.png --json=./t.png",
        "render tri.gltf -o t.png",
        "render demo:blob --add tri.gltf -o t.png",
        "render demo:figure --add tri.gltf@hand.R --clip Walk --count 2 -o w.apng --json=t.png",
        "render other.gltf --texture-dir tex -o tex/o.png",
        "render other.gltf --texture-dir tex -o ./tex/",
        "diff tri.gltf other.gltf --json=tri.bin",
        "diff tri.gltf demo:blob --junit t.png",
        "bake box.obj --joints box.mtl", /* read in the helper */
        "info box.obj --json=t.png",
        "test s --json=t.png",
        "test s --junit tri.bin",
        "test s --report-inline t.png",
    };
    static const char files[] = "tri.gltf other.gltf tri.bin t.png tex/o.png s/suite.ini box.obj "
                                "box.mtl";
    char before[65], after[65];
    write_parts("tri.gltf", "t.png");
    write_parts("other.gltf", "o.png");
    write_parts("o.gltf", "o.png");
    shell("mkdir tex s; marrow render demo:blob --size 8 -q -o t.png; cp t.png tex/o.png; "
          "ln -s t.png link.png; printf 'mtllib box.mtl\\nusemtl m\\nv 0 0 0\\nv 1 0 0\\nv 0 1 0\\n"
          "vt 0 0\\nf 1/1 2/1 3/1\\n' >box.obj; printf 'newmtl m\\nmap_Kd t.png\\n' >box.mtl; "
          "printf '[a]\nmodel = ../tri.gltf\nsize = 8\n' >s/suite.ini; "
          "marrow test s --update -q");
    assert_status(0);
    keep(files, before);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell("marrow %s", lines[i]);
        if (strstr(lines[i], "-o ./tex/")) { /* tex/other.png is no input */
            assert_status(0);
        } else {
            assert_refused_as_read(lines[i]);
        }
        keep(files, after);
        ck_assert_msg(strcmp(before, after) == 0, "%s wrote to what it reads", lines[i]);
    }
    shell("marrow render o.gltf --texture-dir tex -o ./tex/");
    assert_refused(2, "-o ./tex/o.png: this is an input file");
    /* A model that fails behind its buffer. */
    shell("sed 's/\"count\":3/\"count\":300/' tri.gltf >bad.gltf; marrow info bad.gltf "
          "--json=tri.bin");
    assert_status(3);
    assert_said("--json tri.bin: this is an input file");
    keep(files, after);
    ck_assert_str_eq(before, after);
}
END_TEST

/* It is told when a model is about to show what was drawn for one before it. */
START_TEST(what_was_written_is_not_read)
{
    write_parts("tri.gltf", "t.png");
    write_parts("t.gltf", "o.png");
    shell("marrow render demo:blob --size 8 -q -o t.png; cp t.png o.png");
    assert_status(0);
    shell("marrow render t.gltf tri.gltf demo:blob --size 8 -q -o '{model}.png'");
    assert_refused(2, "tri.gltf: this model reads a file that was written for an earlier model; "
                      "choose another folder with -o\n");
    ck_assert(!exists("tri.png") && !exists("blob.png"));
    shell("marrow render t.gltf tri.gltf --add t.gltf --size 8 -q -o '{model}.png'");
    assert_refused(2, "tri.gltf: this model reads a file that was written");
    shell("marrow render t.gltf tri.gltf --size 8 -o 'x/{model}.png'");
    assert_status(0);
}
END_TEST

/* What was written is no input of the next run, whatever words the command line has. */
START_TEST(answers_are_written_again)
{
    static const char *const lines[] = {
        "info demo:blob --json=info", "render demo:blob --clip 0 --size 8 -o a.png --json=0",
        "bake demo:blob --joints deep/j --json=deep/bake", "bench --quick pose-67 --json=pose-67"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (int run = 0; run < 2; run++) {
            shell("marrow %s", lines[i]);
            assert_status(0);
        }
    }
}
END_TEST

/* As nobody, who may not write to the folders of the links. */
START_TEST(links_lead_to_other_folders)
{
    const char *as = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    shell("%s '%s' --version", as, program);
    if (status != 0) {
        SKIP("links_lead_to_other_folders: cannot run the program as another user");
        return;
    }
    shell("mkdir real links; chmod 777 real .; touch real/x.json; ln -s ../real/x.json links; "
          "chmod 555 links; printf '[a]\nmodel = demo:blob\nsize = 8\n' >suite.ini; "
          "marrow test --update -q; chmod -R a+rwX golden results");
    static const char *const lines[] = {
        "bake demo:blob --joints links/x.json",
        "info demo:blob --json=links/x.json",
        "test --junit links/x.json",
        "test --report-inline links/x.json",
        "bake demo:blob --joints /dev/stdout",
        "info demo:blob --json=/dev/fd/1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell("%s '%s' %s >real/out", as, program, lines[i]);
        assert_status(0);
        shell("cat real/x.json real/out | wc -c; rm -f real/out; : >real/x.json; "
              "chmod 666 real/x.json");
        ck_assert_msg(atoi(out) > 100, "%s: %s", lines[i], out);
    }
    ck_assert_int_eq(count_files("links"), 0);
}
END_TEST

START_TEST(two_options_one_file)
{
    static const char *const lines[] = {
        "bake demo:blob --joints b.obj -o b.obj",
        "bake demo:blob --joints b.json --json=b.json",
        "render demo:blob -o b.png --json=b.png",
        "test --junit b.xml --json=b.xml",
        "test --report-inline b.html --junit b.html",
        "bake demo:blob --joints ./b.obj -o b.obj",
        "bake demo:blob --clip Bounce --count 2 -o 'b_{frame}.obj' --joints b_1.obj",
        "render demo:blob --json=blob.png",
        "render demo:blob -o ./b.png --json=\"$PWD\"//b.png",
        "render demo:blob -o here/b.png --json=b.png",
        "render demo:blob -o new/../b.png --json=b.png",
        "render demo:blob --count 2 -o 'b_{frame}.png' --json=b_0.png",
        "render demo:blob -o ./ --json=./blob.png",
        "test --report-inline ./b.html --junit new//./../b.html"};
    shell("printf '[go]\\nmodel = demo:blob\\n' >suite.ini; ln -s . here");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shell("marrow %s", lines[i]);
        assert_refused(2, "; give each its own file");
        ck_assert(!exists("b.obj") && !exists("b.html")); /* the error is the answer in b.json */
    }
    shell("marrow render demo:blob --size 8 -o .b.png --json=b.png"); /* two files */
    assert_status(0);
    shell("marrow bake demo:blob --clip all --count 3 -o 'b/x.obj'");
    assert_refused(2, "-o 'b/x_{clip}_{frame:04}.obj'");
    shell("marrow render demo:blob demo:figure --size 8 -o b/a.png");
    assert_refused(2, "2 models would be written to the same files; use -o 'b/a_{model}.png'");
    ck_assert(!exists("b"));
}
END_TEST

/* ---- nothing to do --------------------------------------------------------------------------- */

START_TEST(shards_without_pictures)
{
    /* Each shard checks the names of all: the JSON of the second must not be a picture of the
     * first. */
    shell("marrow render demo:blob --count 2 --shard 2/2 --size 8 -o '{frame:04}.png' "
          "--json=0000.png");
    assert_refused(2, "would both write 0000.png");
    shell("marrow render demo:blob --count 3 --shard 5/9 --size 8 -o 's/{frame}.png'");
    assert_status(0);
    assert_said("no pictures in this shard");
    ck_assert(!exists("s"));
    shell("printf '[go]\\nmodel = demo:blob\\nsize = 8\\n' >suite.ini; marrow test --update -q; "
          "marrow test --shard 3/4");
    assert_status(0);
}
END_TEST

/* Frames of an earlier run are mentioned, as a program that reads the folder takes them, too. */
START_TEST(frames_of_an_earlier_run)
{
    static const char walk[] = "marrow render demo:blob --size 8 --clip Emote";
    static const char said[] = "of an earlier run";
    shell("%s --count 6 -o 'f/{frame:04}.png'", walk);
    ck_assert_ptr_null(strstr(err, said));
    shell("touch f/0004.txt f/a0004.png f/0004b.png && %s --count 4 -o 'f/{frame:04}.png'", walk);
    assert_said("2 other frames of an earlier run are still there, such as f/0004.png\n");
    shell("%s --count 6 -o 'f/{frame:04}.png'", walk);
    ck_assert_ptr_null(strstr(err, said));
    shell("%s --count 6 --shard 1/2 -o 'f/{frame:04}.png'", walk);
    ck_assert_ptr_null(strstr(err, said));
    shell("%s --count 2 --views front,left -o 'g/{view}_{frame}.png' && %s --frames 1 --views "
          "left,front -o 'g/{view}_{frame}.png'",
          walk, walk);
    assert_said("2 other frames of an earlier run are still there, such as g/");
    shell("%s --count 3 && %s --count 2 --force", walk, walk);
    assert_said("1 other frame of an earlier run is still there, such as blob_Emote_0002.png\n");
    shell("touch blob0.png; %s && %s -o s0.png && %s -o s1.png", walk, walk, walk);
    assert_status(0);
    ck_assert_ptr_null(strstr(err, said));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_paths");
    TCase *tc = tcase_create("cli_paths");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_loop_test(tc, the_disk_fills_up, 0, WORKS);
    tcase_add_test(tc, the_disk_of_results_fills_up);
    tcase_add_loop_test(tc, a_file_stands_in_place_of_the_folder, 0, WORKS);
    tcase_add_loop_test(tc, a_folder_is_closed, 0, WORKS);
    tcase_add_test(tc, the_current_folder_is_closed);
    tcase_add_test(tc, folders_are_made);
    tcase_add_test(tc, the_first_failure_is_told);
    tcase_add_test(tc, models_fail_among_ten);
    tcase_add_test(tc, cases_fail_among_ten);
    tcase_add_test(tc, models_that_are_not_compared);
    tcase_add_test(tc, what_is_read_is_not_written);
    tcase_add_test(tc, what_models_name_is_not_written);
    tcase_add_test(tc, what_was_written_is_not_read);
    tcase_add_test(tc, answers_are_written_again);
    tcase_add_test(tc, links_lead_to_other_folders);
    tcase_add_test(tc, two_options_one_file);
    tcase_add_test(tc, frames_of_an_earlier_run);
    tcase_add_test(tc, shards_without_pictures);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
