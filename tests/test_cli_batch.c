/* test_cli_batch.c: `marrow batch`: what lines ask, what they are answered, and what they may not
 * do. Runs the program $MARROW (build/marrow when unset). */
#include "cli_fixture.h"

#include <marrow/marrow.h>

/* Runs a list, one argument per line. */
#define LIST(...) run_list((const char *const[]){__VA_ARGS__, NULL}, "")
static void run_list(const char *const *lines, const char *options)
{
    FILE *list = fopen("jobs.jsonl", "w");
    ck_assert_ptr_nonnull(list);
    for (; *lines; lines++) {
        fprintf(list, "%s\n", *lines);
    }
    fclose(list);
    shell("marrow batch jobs.jsonl %s", options);
}

/* Returns an answer, counted from 0; the caller deletes it. */
static cJSON *answer(int index)
{
    const char *at = out;
    while (index-- > 0) {
        at = strchr(at, '\n');
        ck_assert_msg(at, "%s", out);
        at++;
    }
    char *line = strndup(at, strcspn(at, "\n"));
    cJSON *root = cJSON_Parse(line);
    ck_assert_msg(cJSON_IsObject(root), "%s", line);
    free(line);
    return root;
}

static int count_answers(void)
{
    int count = 0;
    for (const char *at = out; (at = strchr(at, '\n')); at++) {
        count++;
    }
    return count;
}

static const char *text(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(object, key);
    ck_assert_msg(cJSON_IsString(value), "%s", key);
    return value->valuestring;
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(object, key);
    ck_assert_msg(cJSON_IsNumber(value), "%s", key);
    return value->valuedouble;
}

static char first[1 << 20], second[1 << 20];

static void assert_same(const char *a, const char *b)
{
    const size_t size = slurp(a, first, sizeof first);
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_eq(slurp(b, second, sizeof second), size);
    ck_assert_mem_eq(first, second, size);
}

/* ---- pictures -------------------------------------------------------------------------------- */

START_TEST(lines_draw_what_render_draws)
{
    LIST(
        "{\"model\": \"demo:figure\", \"output\": \"a.png\", \"size\": \"40x30\", \"azimuth\": 50, "
        "\"time\": 0.3, \"shadows\": true, \"id\": \"x\\\"y\"}",
        "",
        "{\"model\": \"demo:figure\", \"output\": \"s/{clip}_{frame}.png\", \"size\": 16, "
        "\"clip\": [\"Walk\", \"Run\"], \"frames\": \"0-1\", \"id\": 7}",
        "{\"model\": \"demo:blob\", \"output\": \"a.gif\", \"size\": 16, \"count\": 2}");
    assert_status(0);
    ck_assert_int_eq(count_answers(), 3);
    cJSON *root = answer(0);
    ck_assert_str_eq(text(root, "id"), "x\"y");
    ck_assert_double_eq(number(root, "status"), 0);
    const cJSON *picture = cJSON_GetObjectItem(root, "pictures")->child;
    ck_assert_str_eq(text(picture, "file"), "a.png");
    mrw_image image = {0};
    uint8_t hash[32];
    char hex[65];
    ck_assert_int_eq(mrw_image_read("a.png", 3, &image, NULL), MRW_OK);
    mrw_image_hash(&image, hash);
    for (int i = 0; i < 32; i++) {
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    }
    ck_assert_str_eq(text(picture, "pixel_hash"), hex);
    mrw_image_free(&image);
    cJSON_Delete(root);
    root = answer(1);
    ck_assert_double_eq(number(root, "id"), 7);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "files")), 4);
    ck_assert_double_ge(number(root, "milliseconds"), 0);
    cJSON_Delete(root);
    shell("marrow render demo:figure --size 40x30 --azimuth 50 --time 0.3 --shadows -q -o b.png && "
          "marrow render demo:figure --size 16 --clip Walk --clip Run --frames 0-1 -q "
          "-o 't/{clip}_{frame}.png' && diff -r s t && "
          "marrow render demo:blob --size 16 --count 2 -q -o b.gif");
    assert_status(0);
    assert_same("a.png", "b.png");
    assert_same("a.gif", "b.gif");
}
END_TEST

/* Files that go nowhere come back in base64. */
START_TEST(files_come_back)
{
    LIST("{\"model\": \"demo:blob\", \"output\": \"-\", \"size\": 16}",
         "{\"model\": \"demo:blob\", \"output\": \"-.webp\", \"size\": 16}");
    assert_status(0);
    for (int i = 0; i < 2; i++) {
        cJSON *root = answer(i);
        FILE *file = fopen(i == 0 ? "data.png" : "data.webp", "w");
        fputs(text(root, "data"), file);
        fclose(file);
        ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "files")), 0);
        cJSON_Delete(root);
    }
    shell("base64 -d data.png >a.png && base64 -d data.webp >a.webp && "
          "marrow render demo:blob --size 16 -q -o b.png && "
          "marrow render demo:blob --size 16 -q -o b.webp");
    assert_status(0);
    assert_same("a.png", "b.png");
    assert_same("a.webp", "b.webp");
}
END_TEST

/* A file that has changed is another model. */
START_TEST(files_are_looked_at_again)
{
    shell("cp %s/lanterns.glb m.glb; mkfifo jobs; marrow batch jobs >answers & exec 3>jobs; "
          "echo '{\"model\":\"m.glb\",\"output\":\"a.png\",\"size\":16}' >&3; "
          "until [ -s answers ]; do :; done; cp %s/signal.glb m.glb; "
          "echo '{\"model\":\"m.glb\",\"output\":\"b.png\",\"size\":16}' >&3; exec 3>&-; wait; "
          "marrow render m.glb --size 16 -q -o c.png",
          assets, assets);
    assert_status(0);
    assert_same("b.png", "c.png");
    shell("cmp -s a.png b.png");
    assert_status(1);
}
END_TEST

START_TEST(options_of_the_command_line_are_shared)
{
    static const char *const lines[] = {
        "{\"model\": \"m.glb\", \"output\": \"a.png\", \"size\": 16}",
        "{\"model\": \"m.glb\", \"output\": \"b.png\", \"size\": 16, \"max-file-size\": \"1K\"}",
        "{\"model\": \"m.glb\", \"output\": \"b.png\", \"size\": 16, \"max-file-size\": \"1G\"}",
        NULL};
    shell("cp %s/lanterns.glb m.glb", assets);
    run_list(lines, "--max-file-size 1M -j 1");
    assert_status(3);
    cJSON *root = answer(0);
    ck_assert_double_eq(number(root, "status"), 0);
    cJSON_Delete(root);
    root = answer(1);
    ck_assert_double_eq(number(root, "status"), 3);
    ck_assert_ptr_nonnull(strstr(text(root, "error"), "--max-file-size"));
    cJSON_Delete(root);
    root = answer(2);
    ck_assert_double_eq(number(root, "status"), 2);
    cJSON_Delete(root);
    run_list(lines, "--max-file-size 1K");
    assert_status(3);
    ck_assert_ptr_null(strstr(out, "\"status\": 0"));
}
END_TEST

START_TEST(shards_share_the_lines)
{
    static const char *const lines[] = {
        "{\"model\": \"demo:blob\", \"output\": \"0.png\", \"size\": 8}",
        " ",
        "# not a job",
        "{\"model\": \"demo:blob\", \"output\": \"1.png\", \"size\": 8}",
        "{\"model\": \"demo:blob\", \"output\": \"2.png\", \"size\": 8}",
        NULL};
    run_list(lines, "--shard 2/2");
    assert_status(0);
    ck_assert_int_eq(count_answers(), 1);
    ck_assert(exists("1.png") && !exists("0.png") && !exists("2.png"));
    run_list(lines, "--shard 1/2");
    ck_assert(exists("0.png") && exists("2.png"));
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------------------- */

START_TEST(mistakes_are_answered)
{
    static const struct {
        const char *line;
        int status;
        const char *part;
    } cases[] = {
        {"nonsense", 2, "not a JSON object"},
        {"[1]", 2, "not a JSON object"},
        {"{\"model\": \"demo:blob\"", 2, "not a JSON object"},
        {"{}", 2, "\"model\" is missing"},
        {"{\"model\": 3}", 2, "\"model\" must be a text"},
        {"{\"model\": \"\"}", 2, "\"model\" must be a text"},
        {"{\"model\": \"demo:blob\", \"output\": false}", 2, "\"output\" must be a text"},
        {"{\"model\": \"demo:blob\", \"id\": [1]}", 2, "\"id\" must be"},
        {"{\"model\": \"demo:blob\", \"size\": 1e999}", 2, "too large"},
        {"{\"model\": \"demo:blob\", \"size\": null}", 2, "\"size\" must be"},
        {"{\"model\": \"demo:blob\", \"size\": {\"a\": 1}}", 2, "\"size\" must be"},
        {"{\"model\": \"demo:blob\", \"size\": [[1]]}", 2, "\"size\" must be"},
        {"{\"model\": \"demo:blob\", \"siez\": 3}", 2, "--size"},
        {"{\"model\": \"demo:blob\", \"size\": 8, \"size\": 9}", 2, "given twice"},
        {"{\"model\": \"demo:blob\", \"model\": \"demo:figure\"}", 2, "given twice"},
        {"{\"model\": \"demo:blob\", \"no-sandbox\": true}", 2, "may not set 'no-sandbox'"},
        {"{\"model\": \"demo:blob\", \"jobs\": 64}", 2, "may not set 'jobs'"},
        {"{\"model\": \"demo:blob\", \"add\": \"/etc/passwd\"}", 2, "may not set 'add'"},
        {"{\"model\": \"demo:blob\", \"background\": \"/a.png\"}", 2, "may not name files"},
        {"{\"model\": \"demo:blob\", \"mask\": \"rect:0,0,1,1\"}", 2, "may not set 'mask'"},
        {"{\"model\": \"demo:blob\", \"labels\": true}", 2, "--sheet"},
        {"{\"model\": \"demo:blob\", \"output\": \"a.xyz\"}", 2, "must end in"},
        {"{\"model\": \"demo:blob\", \"output\": \"-.mp4\"}", 2, "a video"},
        {"{\"model\": \"nobody.glb\", \"output\": \"a.png\"}", 3, "no such file"},
        {"{\"model\": \"demo:blob\", \"clip\": \"Nobody\", \"output\": \"a.png\"}", 3, "Nobody"},
        {"{\"model\": \"demo:blob\", \"max-work\": 10, \"output\": \"a.png\"}", 3, "--max-work"},
        {"{\"model\": \"demo:blob\", \"output\": \"/dev/null/a.png\"}", 4, "/dev/null"},
    };
    const char *lines[2 + sizeof cases / sizeof *cases];
    const int count = (int)(sizeof cases / sizeof *cases);
    for (int i = 0; i < count; i++) {
        lines[i] = cases[i].line;
    }
    lines[count] = "{\"model\": \"demo:blob\", \"output\": \"last.png\", \"size\": 8}";
    lines[count + 1] = NULL;
    run_list(lines, "");
    assert_status(2);
    ck_assert_int_eq(count_answers(), count + 1);
    for (int i = 0; i < count; i++) {
        cJSON *root = answer(i);
        ck_assert_msg((int)number(root, "status") == cases[i].status, "%s: %s", cases[i].line,
                      text(root, "error"));
        ck_assert_msg(strstr(text(root, "error"), cases[i].part), "%s: %s", cases[i].line,
                      text(root, "error"));
        cJSON_Delete(root);
    }
    ck_assert(exists("last.png"));
    assert_said("27 of 28 jobs failed");
    ck_assert_int_eq(count_files("."), 4); /* and the list, and what was said */
}
END_TEST

START_TEST(odd_lines_are_answered)
{
    shell("{ printf '{\"model\": \"demo:blob\\0\"}\\n'; head -c 1500000 /dev/zero | tr '\\0' x; "
          "echo; "
          "for i in $(seq 100); do printf '['; done; echo; printf '\\377\\376\\n'; "
          "printf '{\"model\": \"demo:blob\", \"output\": \"a.png\", \"size\": 8}'; } >jobs; "
          "marrow batch - <jobs");
    assert_status(2);
    ck_assert_int_eq(count_answers(), 5);
    ck_assert_ptr_nonnull(strstr(out, "zero byte"));
    ck_assert_ptr_nonnull(strstr(out, "line 2 is longer than 1048576 bytes"));
    ck_assert(exists("a.png"));
    shell("marrow batch nowhere.jsonl");
    assert_refused(3, "nowhere.jsonl");
    shell("marrow batch");
    assert_refused(2, "marrow batch JOBS");
    shell("marrow batch - --size 3");
    assert_refused(2, "--size is not an option of `batch`");
    shell(": >empty; marrow batch empty");
    assert_status(0);
    ck_assert_str_eq(out, "");
}
END_TEST

/* A warning is in the answer of each line that deserves it. */
START_TEST(warnings_belong_to_lines)
{
    test_write_text("w.gltf", "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"X_odd\"],"
                              "\"nodes\":[{}],\"scenes\":[{\"nodes\":[0]}]}");
    LIST("{\"model\": \"w.gltf\", \"output\": \"a.png\", \"size\": 8}",
         "{\"model\": \"demo:blob\", \"output\": \"b.png\", \"size\": 8}",
         "{\"model\": \"w.gltf\", \"output\": \"c.png\", \"size\": 8}");
    assert_status(0);
    for (int i = 0; i < 3; i++) {
        cJSON *root = answer(i);
        ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "warnings")) > 0, i != 1);
        cJSON_Delete(root);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_batch");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, lines_draw_what_render_draws);
    tcase_add_test(tc, files_come_back);
    tcase_add_test(tc, files_are_looked_at_again);
    tcase_add_test(tc, options_of_the_command_line_are_shared);
    tcase_add_test(tc, shards_share_the_lines);
    tcase_add_test(tc, mistakes_are_answered);
    tcase_add_test(tc, odd_lines_are_answered);
    tcase_add_test(tc, warnings_belong_to_lines);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
