/* test_kept.c: goldens are on the disk before they replace others; frames need not be. */
#include "test.h"

#include "image/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was synchronised, in order, and whether the new name was there already. */
static struct {
    bool folder, named;
} synced[8];
static int count;
static int failure; /* errno of the next call; 0: none */

/* In place of the C library's. */
int fsync(int fd)
{
    struct stat info;
    ck_assert_int_eq(fstat(fd, &info), 0);
    synced[count].folder = S_ISDIR(info.st_mode);
    synced[count++].named = access("kept.txt", F_OK) == 0;
    errno = failure;
    return failure ? -1 : 0;
}

static void begin(void)
{
    test_folder_enter();
    count = failure = 0;
}

START_TEST(kept)
{
    ck_assert_int_eq(mrwi_image_file_keep("kept.txt", "new", 3, NULL), MRW_OK);
    ck_assert_int_eq(count, 2);
    ck_assert(!synced[0].folder && !synced[0].named);
    ck_assert(synced[1].folder && synced[1].named);
}
END_TEST

START_TEST(frames)
{
    ck_assert_int_eq(mrw_file_write("kept.txt", "new", 3, NULL), MRW_OK);
    ck_assert_int_eq(count, 0);
}
END_TEST

/* The old one stays if the new one did not reach the disk. */
START_TEST(lost)
{
    mrw_error error = {0};
    char text[10] = "";
    test_write_text("kept.txt", "old");
    failure = EIO;
    ck_assert_int_eq(mrwi_image_file_keep("kept.txt", "new", 3, &error), MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "kept.txt: cannot write it"));
    FILE *file = fopen("kept.txt", "r");
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    fclose(file);
    ck_assert_str_eq(text, "old");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("kept");
    TCase *tc = tcase_create("kept");
    tcase_add_checked_fixture(tc, begin, test_folder_remove);
    tcase_add_test(tc, kept);
    tcase_add_test(tc, frames);
    tcase_add_test(tc, lost);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
