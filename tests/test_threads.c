/* test_threads.c: how many threads pay: limits of cgroups of both versions, from made-up files. */
#include "test.h"

#include "base/threads.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

/* The limit of a process that is a member of these groups. */
static long limit_of(const char *membership)
{
    test_write_text(test_path("membership"), membership);
    return mrwi_base_cgroup_cpus(test_path("membership"), test_folder());
}

START_TEST(version_2_rounds_up)
{
    static const struct {
        const char *text;
        long cpus;
    } cases[] = {
        {"100000 100000\n", 1},
        {"150000 100000\n", 2},
        {"200000 100000\n", 2},
        {"1000 100000\n", 1},
        {"200001 100000\n", 3},
        {"400000 50000\n", 8},
        {"max 100000\n", 0},
        {"\n", 0},
        {"", 0},
        {"-1 100000\n", 0},
        {"100000 0\n", 0},
        {"100000\n", 0},
        {"nonsense\n", 0},
        {"9223372036854775807 9223372036854775806\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_write_text(test_path("app/cpu.max"), cases[i].text);
        ck_assert_msg(limit_of("0::/app\n") == cases[i].cpus, "%s", cases[i].text);
    }
}
END_TEST

START_TEST(the_smallest_of_all_parents_counts)
{
    test_write_text(test_path("a/b/c/cpu.max"), "800000 100000\n");
    ck_assert_int_eq(limit_of("0::/a/b/c\n"), 8);
    test_write_text(test_path("a/b/cpu.max"), "max 100000\n");
    ck_assert_int_eq(limit_of("0::/a/b/c\n"), 8);
    test_write_text(test_path("a/cpu.max"), "250000 100000\n");
    ck_assert_int_eq(limit_of("0::/a/b/c\n"), 3);
    ck_assert_int_eq(limit_of("0::/a/b\n"), 3);
    ck_assert_int_eq(limit_of("0::/other\n"), 0);             /* a neighbour does not count */
    test_write_text(test_path("cpu.max"), "100000 100000\n"); /* what a container sees of itself */
    ck_assert_int_eq(limit_of("0::/a/b/c\n"), 1);
    ck_assert_int_eq(limit_of("0::/\n"), 1);
    ck_assert_int_eq(limit_of("0::/not/mounted/here\n"), 1);
    ck_assert_int_eq(limit_of("0::/../../outside\n"), 1);
}
END_TEST

START_TEST(version_1_has_two_files)
{
    const char *groups = "12:pids:/x\n5:cpuset:/x\n4:cpu,cpuacct:/x/y\n1:name=systemd:/\n";
    test_write_text(test_path("cpu/x/y/cpu.cfs_period_us"), "100000\n");
    test_write_text(test_path("cpu/x/y/cpu.cfs_quota_us"), "-1\n");
    ck_assert_int_eq(limit_of(groups), 0);
    test_write_text(test_path("cpu/x/y/cpu.cfs_quota_us"), "350000\n");
    ck_assert_int_eq(limit_of(groups), 4);
    test_write_text(test_path("cpu/x/cpu.cfs_quota_us"), "100000\n");
    ck_assert_int_eq(limit_of(groups), 4); /* a quota without a period is none */
    test_write_text(test_path("cpu/x/cpu.cfs_period_us"), "50000\n");
    ck_assert_int_eq(limit_of(groups), 2);
    ck_assert_int_eq(limit_of("5:cpuset,cpuacct:/x/y\n"), 0);
    ck_assert_int_eq(limit_of("5:cpuacct,cpu:/x/y\n"), 2);
}
END_TEST

START_TEST(version_1_by_the_names_of_its_controllers)
{
    test_write_text(test_path("cpu,cpuacct/x/cpu.cfs_period_us"), "100000\n");
    test_write_text(test_path("cpu,cpuacct/x/cpu.cfs_quota_us"), "120000\n");
    ck_assert_int_eq(limit_of("4:cpu,cpuacct:/x\n"), 2);
}
END_TEST

/* Both at once, as systemd's hybrid layout has them. */
START_TEST(both_versions)
{
    test_write_text(test_path("cpu/x/cpu.cfs_period_us"), "100000\n");
    test_write_text(test_path("cpu/x/cpu.cfs_quota_us"), "500000\n");
    test_write_text(test_path("y/cpu.max"), "300000 100000\n");
    ck_assert_int_eq(limit_of("3:cpu:/x\n0::/y\n"), 3);
    ck_assert_int_eq(limit_of("3:cpu:/x\n0::/\n"), 5);
}
END_TEST

START_TEST(damaged_files_set_no_limit)
{
    char *long_line = malloc(40000);
    test_write_text(test_path("cpu.max"), "100000 100000\n");
    ck_assert_int_eq(mrwi_base_cgroup_cpus("/nonexistent/cgroup", test_folder()), 0);
    ck_assert_int_eq(limit_of(""), 0);
    ck_assert_int_eq(limit_of("\n\nx\n::\n:\n4\n"), 1); /* "::" is a group without a name */
    ck_assert_int_eq(limit_of("no colons here\n"), 0);
    memset(long_line, 'a', 39999);
    long_line[39999] = '\0';
    memcpy(long_line, "0::/", 4);
    ck_assert_int_eq(limit_of(long_line), 1);
    free(long_line);
}
END_TEST

START_TEST(affinity_limits)
{
    cpu_set_t before, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
    ck_assert_int_eq(mrw_cpu_limits_now().affinity, CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
        }
    }
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_int_eq(mrw_cpu_limits_now().affinity, 1);
    ck_assert_int_eq(mrw_cpu_count(), 1);
    ck_assert_int_eq(sched_setaffinity(0, sizeof before, &before), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("threads");
    TCase *t = tcase_create("threads");
    tcase_add_checked_fixture(t, NULL, test_folder_remove);
    tcase_add_test(t, version_2_rounds_up);
    tcase_add_test(t, the_smallest_of_all_parents_counts);
    tcase_add_test(t, version_1_has_two_files);
    tcase_add_test(t, version_1_by_the_names_of_its_controllers);
    tcase_add_test(t, both_versions);
    tcase_add_test(t, damaged_files_set_no_limit);
    tcase_add_test(t, affinity_limits);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
