/* test_json.c: JSON that is damaged, and JSON that memory does not suffice for: each is told as
 * what it is, by every reader. */
#include "results_fixture.h"

#include "base/json_parse.h"
#include "golden/against.h"
#include "marrow/load.h"

/* ---- parsing --------------------------------------------------------------------------------- */

/* The host program's allocator, which fails from some call on and leaves errno alone. */
static long blocks_left;

static void *scarce(size_t size)
{
    return blocks_left-- > 0 ? malloc(size) : NULL;
}

static void ration(long blocks)
{
    cJSON_Hooks hooks = {scarce, free};
    blocks_left = blocks;
    cJSON_InitHooks(&hooks);
}

/* Parses with so many blocks of memory. */
static mrw_status parse_with(const char *json, size_t size, long blocks)
{
    cJSON *tree;
    const char *end;
    ration(blocks);
    mrw_status status = mrwi_base_json_parse(json, size, &tree, &end);
    ck_assert((status != MRW_OK) == !tree);
    ck_assert(status != MRW_ERROR_INPUT || (end >= json && end <= json + size));
    cJSON_Delete(tree);
    cJSON_InitHooks(NULL);
    return status;
}

static const char *const good_json[] = {
    "0",
    "-0.5e-3",
    "[1,-2,3.25,1E+2,0.0]",
    " {\"a\" : [ ] , \"b\":{ } ,\n\t\"c\" : [true,false,null] } \r\n",
    "\xEF\xBB\xBF{\"mesh\":[{\"name\":\"\\u00e4\\ud83d\\uDE00 \\\"\\\\\\/\\b\\f\\n\\r\\t\"}]}",
    "{\"\":\"\",\"a\":{\"b\":{\"c\":[[[[\"d\"]]]]}}}",
    "\"text\"",
};

START_TEST(json_without_memory)
{
    for (size_t i = 0; i < sizeof good_json / sizeof *good_json; i++) {
        const char *json = good_json[i];
        long blocks = 0;
        while (parse_with(json, strlen(json), blocks) != MRW_OK) {
            ck_assert_int_eq(parse_with(json, strlen(json), blocks), MRW_ERROR_MEMORY);
            ck_assert_int_lt(++blocks, 100);
        }
        ck_assert_int_gt(blocks, 0);
        ck_assert_int_eq(parse_with(json, strlen(json) + 1, 100), MRW_OK); /* a NUL may follow */
    }
    /* As deep as is allowed, and one deeper. */
    char deep[2 * (MRWI_BASE_JSON_DEEPEST + 1)];
    for (size_t depth = MRWI_BASE_JSON_DEEPEST; depth <= MRWI_BASE_JSON_DEEPEST + 1; depth++) {
        mrw_status want = depth == MRWI_BASE_JSON_DEEPEST ? MRW_OK : MRW_ERROR_INPUT;
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        ck_assert_int_eq(parse_with(deep, 2 * depth, 2000), want);
        ck_assert_int_eq(parse_with(deep, 2 * depth, 30),
                         want == MRW_OK ? MRW_ERROR_MEMORY : MRW_ERROR_INPUT);
    }
}
END_TEST

/* Damaged is damaged, however much memory there is. */
START_TEST(json_damage)
{
    static const char *const texts[] = {
        "",        " ",     "{",         "[1,]",           "[1 2]",       "{\"a\":}",
        "{\"a\"}", "{a:1}", "[1]]",      "{} x",           "[\"a]",       "\"\\x\"",
        "nul",     "tru",   "-",         "[1e]",           "\"\\ud800\"", "\"\\udc00\"",
        "[,1]",    "{,}",   "\"\\u12\"", "\"\\ud800\\n\"", "\"\\",        "[1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (long blocks = 0; blocks < 8; blocks++) {
            ck_assert_msg(parse_with(texts[i], strlen(texts[i]), blocks) == MRW_ERROR_INPUT, "%s",
                          texts[i]);
        }
    }
}
END_TEST

/* "Out of memory" is said of no json that more memory would not help. */
START_TEST(json_changed)
{
    static const char signs[] = "{}[],:\"\\0189.-+eEutrnfals /\t\n";
    size_t short_of_memory = 0;
    uint64_t state = 1;
    for (int round = 0; round < TEST_ROUNDS(200000); round++) {
        char json[128];
        const char *from =
            good_json[test_random_below(&state, sizeof good_json / sizeof *good_json)];
        size_t size = strlen(from);
        memcpy(json, from, size);
        for (uint32_t changes = test_random_below(&state, 3) + 1; changes > 0; changes--) {
            const size_t at = test_random_below(&state, (uint32_t)size);
            json[at] = signs[test_random_below(&state, sizeof signs - 1)];
        }
        if (parse_with(json, size, 0) == MRW_ERROR_MEMORY) {
            short_of_memory++;
            ck_assert_msg(parse_with(json, size, 100) == MRW_OK, "%.*s", (int)size, json);
        }
    }
    ck_assert_uint_gt(short_of_memory, TEST_ROUNDS(1000));
    ck_assert_uint_lt(short_of_memory, TEST_ROUNDS(199000));
}
END_TEST

/* ---- readers --------------------------------------------------------------------------------- */

/* Reads something; its status. */
typedef mrw_status reader(mrw_error *failure);

static mrw_status read_model(mrw_error *failure)
{
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":"
        "\"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":[{"
        "\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":"
        "5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}";
    mrw_scene *scene = NULL;
    mrw_status status =
        mrw_load_memory(json, sizeof json - 1, "t.gltf", NULL, NULL, &scene, failure);
    mrw_scene_free(scene);
    return status;
}

static mrw_status read_results(mrw_error *failure)
{
    mrw_results results;
    mrw_status status = mrw_results_read(".", &results, failure);
    mrw_results_free(&results);
    return status;
}

static mrw_status read_other_marrow(mrw_error *failure)
{
    const mrw_case c = {.model = "m.glb"};
    mrwi_base_arena arena = {0};
    mrwi_golden_expected expected = {0};
    const char **names;
    uint32_t count;
    mrw_status status =
        mrwi_golden_against_read_pictures(".", &c, &arena, &expected, &names, &count, failure);
    mrwi_base_arena_free(&arena);
    return status;
}

static mrw_status read_other_shapes(mrw_error *failure)
{
    const char *const names[] = {"Walk_0000"};
    mrwi_base_arena arena = {0};
    mrwi_golden_expected expected = {0};
    mrw_status status = mrwi_golden_against_read_shapes(".", names, 1, &arena, &expected, failure);
    mrwi_base_arena_free(&arena);
    return status;
}

/* With too little memory each says so; with enough it reads what is there. */
START_TEST(readers_without_memory)
{
    static reader *const readers[] = {read_model, read_results, read_other_marrow,
                                      read_other_shapes};
    static const char said[] = "{\"scene_hash\":\"" HASH_A "\",\"pixel_version\":3,\"pictures\":[{"
                               "\"file\":\"x/Walk_0000.png\"}]}";
    const mrw_results none = {.title = "marrow test", .folder = "."};
    ck_assert_int_eq(mrw_results_write(&none, NULL), MRW_OK);
    ck_assert_int_eq(mrw_file_write(MRWI_GOLDEN_AGAINST_RENDER, said, sizeof said - 1, NULL),
                     MRW_OK);
    /* A line that lacks everything: refused as such once it is read. */
    ck_assert_int_eq(mrw_file_write(MRWI_GOLDEN_AGAINST_JOINTS, "[1]\n", 4, NULL), MRW_OK);
    ck_assert_int_eq(mrw_file_write(MRWI_GOLDEN_AGAINST_BAKE, "[1]\n", 4, NULL), MRW_OK);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        mrw_status enough = readers[i] == read_other_shapes ? MRW_ERROR_INPUT : MRW_OK;
        mrw_status status = MRW_ERROR_MEMORY;
        long blocks = 0;
        for (; status == MRW_ERROR_MEMORY && blocks < 1000; blocks++) {
            mrw_error failure = {MRW_OK, ""};
            ration(blocks);
            status = readers[i](&failure);
            cJSON_InitHooks(NULL);
            ck_assert_msg(status == MRW_ERROR_MEMORY || status == enough, "%zu, %ld: %s", i, blocks,
                          failure.text);
            ck_assert(status != MRW_ERROR_MEMORY || strstr(failure.text, "out of memory"));
        }
        ck_assert_int_eq(status, enough);
        ck_assert_int_gt(blocks, 2);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("json");
    TCase *tc = tcase_create("json");
    tcase_add_checked_fixture(tc, test_folder_enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, json_without_memory);
    tcase_add_test(tc, json_damage);
    tcase_add_test(tc, json_changed);
    tcase_add_test(tc, readers_without_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
