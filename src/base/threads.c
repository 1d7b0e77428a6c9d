/* threads.c: how many threads pay: the CPUs this process may run on, and the share of them that its
 * cgroup grants. */
#include "base/threads.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the start of a small file as a string; false when there is none. */
static bool read_small_file(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t got = read(fd, out, size - 1);
    close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* CPUs that a quota of `quota` microseconds every `period` allows, rounded up; 0 for no limit. */
static long quota_cpus(long long quota, long long period)
{
    return quota > 0 && period > 0 ? (long)(quota / period + (quota % period != 0)) : 0;
}

/* The limit of one cgroup folder, version 2 (cpu.max: "max 100000" or "150000 100000") or version 1
 * (cpu.cfs_quota_us, -1 for none). */
static long folder_limit(const char *folder)
{
    char path[4352], text[64];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_small_file(path, text, sizeof text)) {
        char *end = NULL;
        long long quota = strtoll(text, &end, 10);
        return end == text ? 0 : quota_cpus(quota, strtoll(end, NULL, 10));
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_small_file(path, text, sizeof text)) {
        return 0;
    }
    long long quota = strtoll(text, NULL, 10);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    return read_small_file(path, text, sizeof text) ? quota_cpus(quota, strtoll(text, NULL, 10))
                                                    : 0;
}

static long smaller_limit(long a, long b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* The smallest limit from `root`/`group` up to `root`; 0 for no limit: what encloses a group limits
 * it too. In a container the group may lie outside what is mounted: folders that are missing set no
 * limit. */
static long hierarchy_limit(const char *root, const char *group)
{
    char folder[4096];
    int length = snprintf(folder, sizeof folder, "%s%s", root, group);
    if (length < 0 || length >= (int)sizeof folder || strstr(group, "..")) {
        return folder_limit(root);
    }
    long smallest = 0;
    for (;;) {
        smallest = smaller_limit(smallest, folder_limit(folder));
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= strlen(root) || !slash) {
            return smallest;
        }
        *slash = '\0';
    }
}

/* True when a version 1 line's controller list, such as "cpu,cpuacct", holds "cpu". */
static bool names_cpu_controller(const char *list, const char *end)
{
    while (list < end) {
        size_t length = strcspn(list, ",:");
        if (length == 3 && memcmp(list, "cpu", 3) == 0) {
            return true;
        }
        list += length + 1;
    }
    return false;
}

/* A version 1 hierarchy is mounted under the names of its controllers, or linked from "cpu". */
static long version_1_limit(const char *mount, const char *controllers, size_t length,
                            const char *group)
{
    char root[2048];
    snprintf(root, sizeof root, "%s/cpu", mount);
    if (access(root, F_OK) != 0) {
        snprintf(root, sizeof root, "%s/%.*s", mount, (int)length, controllers);
    }
    return hierarchy_limit(root, group);
}

long mrwi_base_cgroup_cpus(const char *membership, const char *mount)
{
    char text[16384];
    if (!read_small_file(membership, text, sizeof text)) {
        return 0;
    }
    long smallest = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        controllers++;
        if (group == controllers) {
            smallest = smaller_limit(smallest, hierarchy_limit(mount, group + 1));
        } else if (names_cpu_controller(controllers, group)) {
            smallest =
                smaller_limit(smallest, version_1_limit(mount, controllers,
                                                        (size_t)(group - controllers), group + 1));
        }
    }
    return smallest;
}

/* CPUs this process may use. A plain cpu_set_t ends at 1024 CPUs, so larger sets are tried. */
static int affinity_count(void)
{
    for (size_t cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set) {
            break;
        }
        size_t size = CPU_ALLOC_SIZE(cpus);
        int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0) {
            return count;
        }
    }
    return 1;
}

mrw_cpu_limits mrw_cpu_limits_now(void)
{
    long quota = mrwi_base_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
    return (mrw_cpu_limits){affinity_count(), quota < INT_MAX ? (int)quota : 0};
}

int mrw_cpu_count(void)
{
    mrw_cpu_limits limits = mrw_cpu_limits_now();
    return limits.quota > 0 && limits.quota < limits.affinity ? limits.quota : limits.affinity;
}
