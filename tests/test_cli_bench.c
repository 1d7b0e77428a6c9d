/* test_cli_bench.c: `marrow bench`: every row is there and measured, and nothing stays behind. */
#include "cli_fixture.h"

/* The rows that programs may rely on. */
static const char *const row_names[] = {"start-cpu",
                                        "start-wall",
                                        "start-memory",
                                        "start-version",
                                        "copies-memory",
                                        "thumbnail-jpeg",
                                        "thumbnail-memory",
                                        "skin-30k",
                                        "skin-1m",
                                        "skin-dual-30k",
                                        "pose-67",
                                        "draw-5k",
                                        "draw-50k",
                                        "draw-aniso",
                                        "draw-500k",
                                        "draw-5k-4x",
                                        "draw-50k-4x",
                                        "draw-500k-4x",
                                        "draw-5k-lights",
                                        "draw-5k-everything",
                                        "fill-raw",
                                        "fill-managed",
                                        "png-plain",
                                        "png-textured",
                                        "png-plain-size",
                                        "png-textured-size",
                                        "png-smooth",
                                        "png-smooth-size",
                                        "png-read",
                                        "jpeg-texture",
                                        "jpeg-plain",
                                        "shadow-50k",
                                        "load-500k",
                                        "environment-1k",
                                        "environment-8k",
                                        "character-lambert",
                                        "character-default",
                                        "passes-five",
                                        "png-16",
                                        "exr-passes",
                                        "fit-clip",
                                        "fit-copies",
                                        "threads-2",
                                        "still-threads",
                                        "compare-exact",
                                        "compare-pixel",
                                        "compare-perceptual"};
static const char *const growth_names[] = {
    "growth-vertices", "growth-influences", "growth-joints", "growth-triangles", "growth-pixels",
    "growth-samples",  "growth-lights",     "growth-lamps",  "growth-threads"};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Under sanitizers these two, the last of both lists, take longer than all others together. What
 * they measure has its own tests. */
#ifdef TEST_SANITIZED
#define TOO_SLOW 1
#define CHOSEN                                                                                     \
    "start copies thumbnail skin pose draw fill png jpeg shadow load environment character "       \
    "passes "                                                                                      \
    "exr fit threads still compare-exact compare-pixel growth-vertices growth-influences "         \
    "growth-joints "                                                                               \
    "growth-triangles growth-pixels growth-samples growth-lights growth-lamps"
#else
#define TOO_SLOW 0
#define CHOSEN   ""
#endif

static cJSON *parse(void)
{
    cJSON *root = cJSON_Parse(out);
    assert_status(0);
    ck_assert_msg(root, "no JSON: %s", out);
    ck_assert_int_eq(cJSON_GetObjectItem(root, "schema")->valueint, 1);
    return root;
}

static cJSON *at(cJSON *object, const char *key)
{
    cJSON *item = cJSON_GetObjectItem(object, key);
    ck_assert_msg(item, "there is no %s", key);
    return item;
}

static const char *text_at(cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(at(object, key));
    ck_assert_msg(text && text[0] != '\0', "%s is no text", key);
    return text;
}

static double number_at(cJSON *object, const char *key)
{
    ck_assert_msg(cJSON_IsNumber(at(object, key)), "%s is no number", key);
    return at(object, key)->valuedouble;
}

static cJSON *row_named(cJSON *root, const char *name)
{
    cJSON *row;
    cJSON_ArrayForEach(row, at(root, "rows"))
    {
        if (strcmp(text_at(row, "name"), name) == 0) {
            return row;
        }
    }
    ck_abort_msg("there is no row %s", name);
    return NULL;
}

/* The names of a list are these, in this order. */
static void assert_names(cJSON *list, const char *const *names, int count)
{
    ck_assert_int_eq(cJSON_GetArraySize(list), count);
    for (int i = 0; i < count; i++) {
        ck_assert_str_eq(text_at(cJSON_GetArrayItem(list, i), "name"), names[i]);
    }
}

static void assert_figure(cJSON *figure)
{
    ck_assert_double_gt(number_at(figure, "median"), 0.0);
    ck_assert_double_gt(number_at(figure, "best"), 0.0);
    ck_assert_double_ge(number_at(figure, "runs"), 1.0);
}

static double figure_of(cJSON *row, int index)
{
    return number_at(cJSON_GetArrayItem(at(row, "figures"), index), "median");
}

static double yardstick_of(cJSON *row, const char *name)
{
    cJSON *yardstick;
    cJSON_ArrayForEach(yardstick, at(row, "yardsticks"))
    {
        if (strcmp(text_at(yardstick, "name"), name) == 0) {
            double ratio = number_at(yardstick, "median") / figure_of(row, 0);
            ck_assert_double_eq_tol(number_at(yardstick, "ratio"), ratio, 0.01 + 0.01 * ratio);
            return number_at(yardstick, "median");
        }
    }
    ck_abort_msg("%s has no yardstick %s", text_at(row, "name"), name);
    return 0.0;
}

START_TEST(every_row)
{
    shell("TMPDIR=$PWD marrow bench " CHOSEN " --quick --json --isa %s",
          mrw_isa_name(mrw_isa_best()));
    cJSON *root = parse(), *item, *part;
    ck_assert_str_eq(err, "");
    ck_assert(cJSON_IsTrue(at(root, "quick")));
    ck_assert_str_eq(text_at(at(root, "machine"), "kernels"), mrw_isa_name(mrw_isa_best()));
    ck_assert_double_eq(number_at(at(root, "machine"), "cores"), mrw_cpu_count());
    at(at(root, "machine"), "load"); /* null where the system does not say */
    cJSON_ArrayForEach(item, at(at(root, "machine"), "copy"))
    {
        ck_assert_double_gt(number_at(item, "gb_per_second"), 0.0);
    }
    assert_names(at(root, "rows"), row_names, COUNT(row_names) - TOO_SLOW);
    cJSON_ArrayForEach(item, at(root, "rows"))
    {
        text_at(item, "work");
        text_at(item, "unit");
        text_at(item, "better");
        ck_assert_int_gt(cJSON_GetArraySize(at(item, "sizes")), 0);
        ck_assert_int_eq(cJSON_GetArraySize(at(item, "figures")), 1);
        cJSON_ArrayForEach(part, at(item, "figures"))
        {
            assert_figure(part);
        }
    }
    assert_names(at(root, "growth"), growth_names, COUNT(growth_names) - TOO_SLOW);
    cJSON_ArrayForEach(item, at(root, "growth"))
    {
        ck_assert_str_eq(text_at(item, "isa"), mrw_isa_name(mrw_isa_best()));
        text_at(item, "of");
        ck_assert_int_eq(cJSON_GetArraySize(at(item, "points")), 4);
        double before = 0.0;
        cJSON_ArrayForEach(part, at(item, "points"))
        {
            assert_figure(part);
            ck_assert_double_gt(number_at(part, "at"), before);
            before = number_at(part, "at");
        }
    }
    ck_assert_double_gt(yardstick_of(row_named(root, "skin-30k"), "plain-loop"), 0.0);
    ck_assert_double_gt(yardstick_of(row_named(root, "skin-1m"), "copy"), 0.0);
    ck_assert_double_gt(yardstick_of(row_named(root, "character-lambert"), "stb"), 0.0);
    ck_assert_double_eq(yardstick_of(row_named(root, "start-cpu"), "empty-run"),
                        figure_of(row_named(root, "start-version"), 0));
    ck_assert_double_gt(yardstick_of(row_named(root, "threads-2"), "processes"), 0.0);
    ck_assert_double_gt(yardstick_of(row_named(root, "passes-five"), "picture"), 0.0);
    ck_assert_double_gt(yardstick_of(row_named(root, "fit-clip"), "rest"), 0.0);
    /* What does not depend on how busy the machine is. */
    cJSON *plain = row_named(root, "png-plain-size"),
          *textured = row_named(root, "png-textured-size");
    ck_assert_double_lt(figure_of(plain, 0), yardstick_of(plain, "stb"));
    ck_assert_double_lt(figure_of(textured, 0), yardstick_of(textured, "stb"));
    ck_assert_double_lt(figure_of(textured, 0), 1280 * 720 * 3 * 1e-3);
    ck_assert_double_gt(figure_of(textured, 0), figure_of(plain, 0)); /* texels can be seen */
    cJSON_Delete(root);
    ck_assert_int_eq(count_files("."), 2); /* .out and .err: the folder for files is gone */
}
END_TEST

START_TEST(all_kernels)
{
    cJSON *isa, *figure;
    int index = 0;
    shell("marrow bench pose-67 'fill-*' --quick --json");
    cJSON *root = parse();
    ck_assert_int_eq(cJSON_GetArraySize(at(root, "rows")), 3);
    ck_assert_int_eq(cJSON_GetArraySize(at(root, "growth")), 0);
    cJSON *figures = at(row_named(root, "fill-raw"), "figures");
    ck_assert_str_eq(text_at(row_named(root, "fill-raw"), "better"), "higher");
    cJSON_ArrayForEach(isa, at(at(root, "machine"), "isas"))
    {
        mrw_isa named;
        ck_assert(mrw_isa_from_name(cJSON_GetStringValue(isa), &named));
        ck_assert(mrw_isa_available(named));
        figure = cJSON_GetArrayItem(figures, index++);
        ck_assert_str_eq(text_at(figure, "isa"), cJSON_GetStringValue(isa));
        assert_figure(figure);
    }
    int available = 0;
    for (int i = MRW_ISA_SCALAR; i < MRW_ISA_COUNT; i++) {
        available += mrw_isa_available((mrw_isa)i);
    }
    ck_assert_int_eq(index, available);
    ck_assert_int_eq(cJSON_GetArraySize(figures), available);
    cJSON_Delete(root);
}
END_TEST

START_TEST(one_set_of_kernels)
{
    shell("marrow bench pose-67 --quick --isa scalar");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "kernels in use: scalar."));
    ck_assert_ptr_nonnull(strstr(out, "| scalar | reference (to scalar)"));
    ck_assert_ptr_nonnull(strstr(out, "\n| pose-67 "));
    ck_assert_ptr_null(strstr(out, "growth"));
    shell("MARROW_ISA=scalar marrow bench pose --quick --json");
    cJSON *root = parse();
    ck_assert_int_eq(cJSON_GetArraySize(at(root, "rows")), 1);
    ck_assert_int_eq(cJSON_GetArraySize(at(at(root, "machine"), "isas")), 1);
    ck_assert_str_eq(text_at(at(root, "machine"), "kernels"), "scalar");
    cJSON_Delete(root);
    for (int i = MRW_ISA_SCALAR; i < MRW_ISA_COUNT; i++) {
        if (!mrw_isa_available((mrw_isa)i)) {
            shell("marrow bench pose --quick --isa %s", mrw_isa_name((mrw_isa)i));
            assert_refused(77, mrw_isa_name((mrw_isa)i));
        }
    }
}
END_TEST

/* The lines of --list begin with the names. */
START_TEST(listed)
{
    shell("marrow bench --list");
    assert_status(0);
    char *line = strtok(out, "\n");
    for (int i = 0; i < COUNT(row_names) + COUNT(growth_names); i++) {
        const char *name = i < COUNT(row_names) ? row_names[i] : growth_names[i - COUNT(row_names)];
        ck_assert_ptr_nonnull(line);
        ck_assert_msg(strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ',
                      "'%s' is not %s", line, name);
        line = strtok(NULL, "\n");
    }
    ck_assert_ptr_null(line);
    shell("marrow bench --list growth skin-1m | cut -d' ' -f1 | head -2");
    ck_assert_str_eq(out, "skin-1m\ngrowth-vertices\n");
}
END_TEST

START_TEST(growth_is_markdown)
{
    shell("marrow bench growth-joints --quick");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "\n\n| row "));
    ck_assert_ptr_nonnull(
        strstr(out, "\n| growth-joints | posing, by joints, ns per joint | 16: "));
    ck_assert_ptr_nonnull(strstr(out, " | 67: "));
    ck_assert_ptr_nonnull(strstr(out, " | 1,024: "));
}
END_TEST

START_TEST(refusals)
{
    shell("marrow bench skin-31k");
    assert_refused(2, "bench has no row 'skin-31k'; did you mean skin-30k");
    shell("marrow bench skin quite-another-thing");
    assert_refused(2, "bench --list");
    shell("marrow bench \"$(printf 'skin\\033[1m')\"");
    assert_refused(2, "skin\\x1B[1m");
    shell("marrow bench ''");
    assert_refused(2, "empty");
    shell("marrow bench --list --json");
    assert_refused(2, "--list and --json cannot be combined");
    shell("marrow bench --list --quick");
    assert_refused(2, "--list and --quick cannot be combined");
    shell("marrow bench --size 64");
    assert_refused(2, "--size is not an option of `bench`");
    shell("marrow render demo:blob --quick");
    assert_refused(2, "--quick is not an option of `render`; it belongs to `bench`");
    shell("TMPDIR=$PWD/nowhere marrow bench start-cpu --quick");
    assert_refused(4, "nowhere");
    shell("MARROW_ISA=sse3 marrow bench pose --quick");
    assert_refused(2, "MARROW_ISA: unknown instruction set");
}
END_TEST

START_TEST(stopped)
{
    shell("TMPDIR=$PWD env --default-signal=INT '%s' bench character & "
          "until ls -d marrow-bench-*; do sleep 0.05; done >/dev/null 2>&1; kill -INT $!; wait $!",
          program);
    assert_status(130);
    assert_said("stopped by a signal");
    ck_assert_str_eq(out, "");
    ck_assert_int_eq(count_files("."), 2);
    shell("ls | wc -l");
    ck_assert_str_eq(out, "0\n");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_bench");
    TCase *tc = tcase_create("cli_bench");
    tcase_set_timeout(tc, 600);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, every_row);
    tcase_add_test(tc, all_kernels);
    tcase_add_test(tc, one_set_of_kernels);
    tcase_add_test(tc, listed);
    tcase_add_test(tc, growth_is_markdown);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, stopped);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
