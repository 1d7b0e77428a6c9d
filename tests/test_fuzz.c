/* test_fuzz.c: the fixtures of fuzzing, without libFuzzer: a crash once found stays away. */
#include "test.h"

#include "fuzz/targets.h"

#include <dirent.h>

static size_t run_file(const fuzz_target *target, const char *path)
{
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(fseek(in, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(in);
    uint8_t *data = malloc(size + 1); /* exactly `size` bytes would be NULL for an empty file */
    rewind(in);
    ck_assert_uint_eq(fread(data, 1, size, in), size);
    fclose(in);
    target->run(data, size);
    free(data);
    return 1;
}

START_TEST(test_fixtures_end_by_themselves)
{
    size_t count = 0;
    for (size_t i = 0; i < FUZZ_TARGET_COUNT; i++) {
        char path[600];
        snprintf(path, sizeof path, "tests/data/fuzz/%s", fuzz_targets[i].name);
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            if (entry->d_name[0] != '.') {
                snprintf(path, sizeof path, "tests/data/fuzz/%s/%s", fuzz_targets[i].name,
                         entry->d_name);
                count += run_file(&fuzz_targets[i], path);
            }
        }
        if (folder) {
            closedir(folder);
        }
    }
    ck_assert_uint_ge(count, 3); /* the FBX files, at least */
}
END_TEST

/* The scanners must recognise the generated FBX files, or fuzzing would start from nothing: each
 * has a curve that is not straight, so each is changed. */
START_TEST(test_scanners_mend_the_seeds)
{
    static const char *const names[] = {"text", "binary", "wide"};
    char path[100];
    uint8_t data[1 << 14], *mended = NULL;
    size_t mended_size = 0;
    mrwi_import_fbx_sliders sliders = {0};
    mrwi_import_beyond beyond = {0};
    uint32_t unpainted = 0;
    snprintf(path, sizeof path, "tests/data/fuzz/fbx/%s.fbx", names[_i]);
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    size_t size = fread(data, 1, sizeof data, in);
    fclose(in);
    ck_assert(mrwi_import_fbx_mend(data, size, true, &sliders, &beyond, &unpainted, &mended,
                                   &mended_size));
    ck_assert_ptr_nonnull(mended);
    ck_assert_uint_gt(mended_size, size);
    ck_assert_uint_eq(sliders.count, 1);
    ck_assert_float_eq(sliders.list[0].rest, 0.25f);
    mrwi_import_fbx_sliders_free(&sliders);
    mrwi_import_beyond_free(&beyond);
    mrwi_base_free(mended);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fuzz");
    TCase *tcase = tcase_create("fixtures");
    tcase_add_test(tcase, test_fixtures_end_by_themselves);
    tcase_add_loop_test(tcase, test_scanners_mend_the_seeds, 0, 3);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
