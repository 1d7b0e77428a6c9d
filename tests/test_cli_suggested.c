/* test_cli_suggested.c: lines that errors suggest work: each is run, and ends with 0. */
#include "cli_fixture.h"

/* A line is `marrow WORDS WRONG`; WRONG is what the suggestion stands for. */
static const struct {
    const char *words, *wrong;
} lines[] = {
    /* -o that several pictures would share */
    {"render demo:figure --clip Walk --count 3 --size 8", "-o a.png"},
    {"render demo:figure --clip all --count 1 --size 8", "-o b.png"},
    {"render demo:figure --clip all --count 2 --size 8", "-o d/c.png"},
    {"render demo:figure --views front,left --size 8", "-o e.png"},
    {"render demo:figure --clip Walk --count 2 --views front,left --size 8", "-o f.png"},
    {"render demo:figure --directions 4 --size 8", "-o g.png"},
    {"render demo:figure demo:blob --size 8", "-o h.png"},
    {"render demo:figure demo:blob --clip all --count 2 --size 8", "-o '{model}.png'"},
    {"render u1/tri.gltf u2/tri.gltf --size 8", "-o i.png"},
    {"render u1/tri.gltf u2/tri.gltf --size 8", "-o 'j_{model}.png'"},
    {"render u1/tri.gltf u2/tri.gltf --size 8", ""},
    {"render u1/tri.gltf u2/tri.gltf --clip all --count 2 --size 8", "-o k/"},
    {"sheet u1/tri.gltf u2/tri.gltf --size 8", ""},
    {"sprites u1/tri.gltf u2/tri.gltf --size 8", ""},
    {"render u1/tri.gltf u2/tri.gltf --size 8 --loop --count 2", "-o '{model}.gif'"},
    {"bake demo:figure --clip Walk --count 2", "-o a.obj"},
    {"bake demo:figure --views front,left --joints v.jsonl -q", "-o b.obj"},
    {"bake demo:figure --clip Run --count 2 --size 16 --joints c.json --joints-format coco -q",
     "--images x.png"},
    /* files of other formats */
    {"render demo:figure --aov depth,id --size 8", "-o l.pfm"},
    {"render demo:figure --aov depth --size 8", "-o m.png"},
    {"render demo:figure --aov uv --size 8", "-o 'n/{aov}.pfm'"},
    {"render demo:figure --aov id --id Hat=65536 --size 8", "-o o.png"},
    {"render demo:figure --aov depth --aov-view --size 8", "-o p.exr"},
    {"render demo:figure --aov depth,id --aov-view --size 8", "-o q.png"},
    {"render demo:figure --aov depth --depth-scale 100 --size 8", "-o r.exr"},
    /* sheets and sprites */
    {"render demo:figure --clip Walk --count 2 --size 8 --atlas 's{page}.json'", "-o s.png"},
    {"render demo:figure --clip Walk --count 2 --size 8 -o 't{page}.png'", "--atlas t.json"},
    {"render demo:figure --clip Walk --count 2 --size 8 --extrude 3 --atlas u.json -o u.png",
     "--gap 4"},
    {"render demo:figure --clip Walk --count 6 --directions 4 --size 8 -o v.png", "--sheet 4"},
    {"sheet demo:figure --clip Walk --count 6 --views front,left --size 8 -o w.png", "--columns 4"},
    {"render demo:figure --turntable 3 --size 8 -o '{view}.png'", "--count 2"},
    /* suites */
    {"init demo:figure -o x.suite.ini", "--name 'a b'"},
};

/* The line behind "use ", or "write " if there is none: options up to a comma, a semicolon, "or" or
 * the end. */
static void find_suggestion(char *line, size_t size)
{
    const char *at = strstr(err, "; use ");
    at = at ? at + 6 : strstr(err, "; write ");
    ck_assert_msg(at, "nothing is suggested: %s", err);
    at += strncmp(at, "; write ", 8) == 0 ? 8 : 0;
    bool quoted = false;
    size_t used = 0;
    for (; *at != '\0' && *at != '\n' && used + 1 < size; at++) {
        const bool ends = *at == ';' || *at == ',' || strncmp(at, " or ", 4) == 0 ||
                          strncmp(at, " to ", 4) == 0 || strncmp(at, " for ", 5) == 0;
        quoted = quoted != (*at == '\'');
        if (!quoted && ends) {
            break;
        }
        line[used++] = *at;
    }
    line[used] = '\0';
}

START_TEST(a_suggested_line)
{
    char suggested[1000];
    write_plain_triangle();
    shell("mkdir u1 u2 && cp tri.gltf u1 && cp tri.gltf u2");
    shell("marrow %s %s", lines[_i].words, lines[_i].wrong);
    assert_status(2);
    find_suggestion(suggested, sizeof suggested);
    shell("marrow %s %s", lines[_i].words, suggested);
    ck_assert_msg(status == 0, "marrow %s %s: %s", lines[_i].words, suggested, err);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_suggested");
    TCase *tc = tcase_create("cli_suggested");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_loop_test(tc, a_suggested_line, 0, (int)(sizeof lines / sizeof *lines));
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
