/* test.h: what every test program shares: Check, a main that runs one suite, a folder and files of
 * the test's own, random numbers, and how long random loops are.
 *
 *   START_TEST(name) { ... } END_TEST
 *   static Suite *suite(void) { ... tcase_add_test(tc, name); ... }
 *   TEST_MAIN(suite())
 */
#ifndef MARROW_TEST_H
#define MARROW_TEST_H

#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With each assertion that holds Check writes where the test is, a system call each; in loops of
 * millions that took longer than what is tested. Places are marked once a test: when it crashes,
 * Check names the last one that was new. */
static inline void mark_once(const char *file, int line)
{
    static atomic_uchar marked[1 << 13]; /* threads of a test assert too */
    atomic_uchar *mark = &marked[line & ((1 << 13) - 1)];
    if (!atomic_load_explicit(mark, memory_order_relaxed)) {
        atomic_store_explicit(mark, 1, memory_order_relaxed);
        (_mark_point)(file, line);
    }
}
#define _mark_point(file, line) mark_once(file, line)

/* A test that the machine cannot run says so, as `SKIP("name: what it lacks")`, and returns. The
 * runner repeats the line below all results; .ci/run fails on one that it does not expect. */
#define SKIP(...) (printf("SKIPPED "), printf(__VA_ARGS__), printf("\n"), (void)fflush(stdout))

/* The limits of Check are a last resort against a test that hangs: ten times as long as a test asks
 * for, since the machine may have other work. */
#define TEST_MAIN(suite_expression)                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        setenv("CK_TIMEOUT_MULTIPLIER", "10", 0);                                                  \
        SRunner *runner = srunner_create(suite_expression);                                        \
        srunner_run_all(runner, CK_ENV);                                                           \
        int failed = srunner_ntests_failed(runner);                                                \
        if (failed > 0) {                                                                          \
            test_folders_tell();                                                                   \
        }                                                                                          \
        srunner_free(runner);                                                                      \
        return failed == 0 ? 0 : 1;                                                                \
    }

/* ---- a folder of the test's own -------------------------------------------------------------- */

/* Holds the test's folder, the folder that was the current one when it was made, and the process
 * that made it. The first two are NULL while there is no folder. */
typedef struct test_place {
    char *folder;
    char *before;
    pid_t owner;
} test_place;

static inline test_place *test_place_of(void)
{
    static test_place place;
    return &place;
}

static inline int test_folder_remove_entry(const char *path, const struct stat *info, int kind,
                                           struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

/* Runs when a process ends. Removes the folder that it made if its test has passed. */
static inline void test_folder_end(int status, void *user)
{
    const test_place *place = user;
    if (status == 0 && place->folder && place->owner == getpid()) {
        nftw(place->folder, test_folder_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
}

/* Returns the folder that holds the folders of tests. */
static inline const char *test_folder_above(void)
{
    const char *above = getenv("TMPDIR");
    return above ? above : P_tmpdir;
}

/* Says which folders of the program's tests are left. */
static inline void test_folders_tell(void)
{
    char pattern[PATH_MAX];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/marrow-%s-??????", test_folder_above(),
             program_invocation_short_name);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            printf("KEPT %s\n", found.gl_pathv[i]);
        }
    }
    globfree(&found);
}

/* Returns the path of a temporary folder that belongs to the running test. The first call makes it,
 * empty, in $TMPDIR, or in /tmp without that variable. It is removed when the test's process ends,
 * but that of a failed test is kept and named at the end. (With CK_FORK=no, fixtures that call
 * test_folder_remove remove it all the same.) A test whose child process shall share the folder
 * calls this before it forks. */
static inline const char *test_folder(void)
{
    test_place *place = test_place_of();
    if (!place->folder) {
        place->before = getcwd(NULL, 0);
        ck_assert_ptr_nonnull(place->before);
        ck_assert_int_gt(asprintf(&place->folder, "%s/marrow-%s-XXXXXX", test_folder_above(),
                                  program_invocation_short_name),
                         0);
        ck_assert_msg(mkdtemp(place->folder), "%s: %s", place->folder, strerror(errno));
        if (place->owner != getpid()) {
            ck_assert_int_eq(on_exit(test_folder_end, place), 0);
            place->owner = getpid();
        }
    }
    return place->folder;
}

/* Makes the test's folder the current one. Fits tcase_add_checked_fixture, together with
 * test_folder_remove. */
static inline void test_folder_enter(void)
{
    ck_assert_int_eq(chdir(test_folder()), 0);
}

/* Removes the test's folder with all that is in it, and goes back to the folder that was the
 * current one before. The next test of a process that runs several gets a folder of its own then.
 * Does nothing when there is no folder, and allows that the test has removed it. */
static inline void test_folder_remove(void)
{
    test_place *place = test_place_of();
    if (place->folder) {
        ck_assert_int_eq(chdir(place->before), 0);
        int result = nftw(place->folder, test_folder_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        ck_assert_msg(result == 0 || errno == ENOENT, "%s: %s", place->folder, strerror(errno));
        free(place->folder);
        free(place->before);
        place->folder = place->before = NULL;
    }
}

/* Returns the path of a name in the test's folder. It stays valid for the next three calls. */
static inline const char *test_path(const char *name)
{
    static char *paths[4];
    static unsigned turn;
    char **path = &paths[turn++ % 4];
    free(*path);
    ck_assert_int_gt(asprintf(path, "%s/%s", test_folder(), name), 0);
    return *path;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes a file, over an old one too, and fails the test when it cannot. Makes the folders above it
 * that are missing. */
static inline void test_write(const char *path, const void *data, size_t size)
{
    char above[PATH_MAX];
    ck_assert_uint_lt(strlen(path), sizeof above);
    strcpy(above, path);
    for (char *slash = above; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(above, 0777); /* when this fails and has to succeed, fopen fails, too */
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file, "%s: %s", path, strerror(errno));
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Writes a text, without its zero byte, as a file. */
static inline void test_write_text(const char *path, const char *text)
{
    test_write(path, text, strlen(text));
}

/* ---- random numbers -------------------------------------------------------------------------- */

/* Returns 32 random bits and moves the state on. The state alone decides what comes, on every
 * machine; each start value, small ones too, begins a sequence of its own. This is PCG-XSH-RR with
 * 64 bits of state (M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
 * Algorithms for Random Number Generation", HMC-CS-2014-0905, section 6.3.1) with the multiplier
 * and the increment of Knuth's MMIX. The output is made of the new state, not of the old one as
 * there, since that of a small start value is zero. */
static inline uint32_t test_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t bits = (uint32_t)((*state >> 18 ^ *state) >> 27),
                   turn = (uint32_t)(*state >> 59);
    return bits >> turn | bits << (-turn & 31);
}

/* Returns a number from 0 to count - 1. */
static inline uint32_t test_random_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)((uint64_t)test_random(state) * count >> 32);
}

/* Returns a number from low to high, both of them included. */
static inline int32_t test_random_between(uint64_t *state, int32_t low, int32_t high)
{
    return (int32_t)(low + (int64_t)test_random_below(state, (uint32_t)high - (uint32_t)low + 1));
}

/* Returns a number from low to high, one of 2^24 steps; rounding may reach high. */
static inline float test_random_float(uint64_t *state, float low, float high)
{
    return low + (high - low) * ((float)(test_random(state) >> 8) * 0x1p-24f);
}

/* Returns a number from low to high, one of 2^53 steps; rounding may reach high. */
static inline double test_random_double(uint64_t *state, double low, double high)
{
    const uint64_t upper = test_random(state), lower = test_random(state);
    return low + (high - low) * ((double)(upper << 21 | lower >> 11) * 0x1p-53);
}

/* ---- how long random loops are --------------------------------------------------------------- */

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(undefined_behavior_sanitizer)
#define TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED
#endif

/* Returns true when random loops shall be short. A sanitizer makes rounds several times slower, and
 * finds what it looks for in a quarter of them. gcc does not tell of its UBSan; `make asan` has
 * both.
 */
static inline bool test_quarter(void)
{
#ifdef TEST_SANITIZED
    return true;
#else
    static int known = -1;
    known = known < 0 ? getenv("MARROW_TEST_QUARTER") ? 1 : 0 : known;
    return known == 1;
#endif
}

/* The number of rounds of a long random loop: n, or a quarter of it, at least 1, under a sanitizer
 * or with MARROW_TEST_QUARTER in the environment. Also for what a test expects of all rounds
 * together. */
#define TEST_ROUNDS(n) (!test_quarter() ? (n) : (n) < 4 ? 1 : (n) / 4)

#endif
