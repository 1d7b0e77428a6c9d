/* test.h: what every test program shares: Check, and a main that runs one suite.
 *
 *   START_TEST(name) { ... } END_TEST
 *   static Suite *suite(void) { ... tcase_add_test(tc, name); ... }
 *   TEST_MAIN(suite())
 */
#ifndef MARROW_TEST_H
#define MARROW_TEST_H

#include <check.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        srunner_free(runner);                                                                      \
        return failed == 0 ? 0 : 1;                                                                \
    }

#endif
