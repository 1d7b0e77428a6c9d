/* cpu.c: which kernels this CPU can run, and how many threads pay. */
#include "base/cpu.h"

#include "base/text.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const isa_names[MRW_ISA_COUNT] = {
    [MRW_ISA_AUTO] = "auto", [MRW_ISA_SCALAR] = "scalar", [MRW_ISA_SSE2] = "sse2",
    [MRW_ISA_AVX2] = "avx2", [MRW_ISA_AVX512] = "avx512", [MRW_ISA_NEON] = "neon",
};

const char *mrw_isa_name(mrw_isa isa)
{
    return (unsigned)isa < MRW_ISA_COUNT ? isa_names[isa] : "unknown";
}

bool mrw_isa_from_name(const char *name, mrw_isa *out)
{
    for (int i = 0; i < MRW_ISA_COUNT; i++) {
        if (strcmp(name, isa_names[i]) == 0) {
            *out = (mrw_isa)i;
            return true;
        }
    }
    return false;
}

bool mrw_isa_available(mrw_isa isa)
{
    switch (isa) {
    case MRW_ISA_AUTO:
    case MRW_ISA_SCALAR:
        return true;
#if defined(__x86_64__)
    case MRW_ISA_SSE2:
        return true;
    case MRW_ISA_AVX2:
        return __builtin_cpu_supports("avx2") != 0;
    case MRW_ISA_AVX512: /* false, too, where the system does not save the wide registers */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
#if defined(__aarch64__)
    case MRW_ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}

mrw_isa mrw_isa_best(void)
{
    mrw_isa wanted = MRW_ISA_AUTO;
    const char *name = getenv("MARROW_ISA");
    if (name != NULL && mrw_isa_from_name(name, &wanted) && wanted != MRW_ISA_AUTO &&
        mrw_isa_available(wanted)) {
        return wanted;
    }
    static const mrw_isa fastest_first[] = {MRW_ISA_AVX512, MRW_ISA_AVX2, MRW_ISA_NEON,
                                            MRW_ISA_SSE2};
    for (size_t i = 0; i < sizeof fastest_first / sizeof *fastest_first; i++) {
        if (mrw_isa_available(fastest_first[i])) {
            return fastest_first[i];
        }
    }
    return MRW_ISA_SCALAR;
}

mrw_status mrwi_isa_check(mrw_isa isa, mrw_error *error)
{
    if (mrw_isa_available(isa)) {
        return MRW_OK;
    }
    return mrwi_fail(error, MRW_ERROR_UNSUPPORTED,
                     "this machine or build has no %s kernels; use --isa auto", mrw_isa_name(isa));
}

mrw_isa mrwi_isa_resolve(mrw_isa isa)
{
    return isa == MRW_ISA_AUTO ? mrw_isa_best() : isa;
}

/* ---- threads --------------------------------------------------------------------------------- */

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
    return quota > 0 && period > 0 ? (long)((quota + period - 1) / period) : 0;
}

/* The limit of one cgroup folder, version 2 (cpu.max: "max 100000" or "150000 100000") or version 1
 * (cpu.cfs_quota_us, -1 for none). */
static long folder_limit(const char *folder)
{
    char path[4096], text[64];
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

/* The smallest limit from `root`/`group` up to `root`; 0 for no limit. In a container the group may
 * lie outside what is mounted: folders that are missing set no limit. */
static long hierarchy_limit(const char *root, const char *group)
{
    char folder[2048];
    snprintf(folder, sizeof folder, "%s%s", root, group);
    long smallest = 0;
    for (;;) {
        long limit = folder_limit(folder);
        if (limit > 0 && (smallest == 0 || limit < smallest)) {
            smallest = limit;
        }
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= strlen(root) || slash == NULL) {
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

/* The quota of this process's cgroup in CPUs; 0 for no limit. Lines of /proc/self/cgroup are
 * "0::/path" (version 2) or "4:cpu,cpuacct:/path" (version 1). */
static long cgroup_limit(void)
{
    char text[4096];
    if (!read_small_file("/proc/self/cgroup", text, sizeof text)) {
        return 0;
    }
    long smallest = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL) {
            continue;
        }
        long limit = 0;
        if (group == controllers + 1) {
            limit = hierarchy_limit("/sys/fs/cgroup", group + 1);
        } else if (names_cpu_controller(controllers + 1, group)) {
            limit = hierarchy_limit("/sys/fs/cgroup/cpu", group + 1);
        }
        if (limit > 0 && (smallest == 0 || limit < smallest)) {
            smallest = limit;
        }
    }
    return smallest;
}

/* CPUs this process may use. A plain cpu_set_t ends at 1024 CPUs, so larger sets are tried. */
static int affinity_count(void)
{
    for (size_t cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (set == NULL) {
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

int mrw_cpu_count(void)
{
    int count = affinity_count();
    long limit = cgroup_limit();
    return limit > 0 && limit < count ? (int)limit : count;
}
