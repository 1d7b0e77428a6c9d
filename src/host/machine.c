/* machine.c: the name of the CPU, and the reason for the number of threads. */
#include "host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void host_cpu_name(char out[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    out[0] = '\0';
    while (file && out[0] == '\0' && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            line[strcspn(line, "\n")] = '\0';
            mrw_escape_text(colon + 2, out, 128);
        }
    }
    if (file) {
        fclose(file);
    }
}

const char *host_thread_reason(char *out, size_t size)
{
    mrw_cpu_limits limits = mrw_cpu_limits_now();
    int used = snprintf(out, size, "%d CPU%s, ", limits.affinity, limits.affinity == 1 ? "" : "s");
    if (limits.quota > 0) {
        snprintf(out + used, size - (size_t)used, "cgroup quota of %d", limits.quota);
    } else {
        snprintf(out + used, size - (size_t)used, "no cgroup quota");
    }
    return out;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Room for what the library does not count: small blocks of other libraries, and their code. */
#define OTHERS (UINT64_C(64) << 20)

/* Returns the bytes of data that this process has mapped, or 0 if /proc is missing. */
static uint64_t data_size(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %*u %*u %*u %*u %" SCNu64, &pages) != 1) {
        pages = 0;
    }
    if (file) {
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void host_limit_memory(const mrw_settings *settings)
{
    struct rlimit stack, data;
    const uint64_t threads = (uint64_t)mrw_session_threads(settings) + 2;
    mrw_memory_limit(settings->run.memory);
    if (settings->run.memory == 0 || getrlimit(RLIMIT_STACK, &stack) != 0 ||
        getrlimit(RLIMIT_DATA, &data) != 0) {
        return;
    }
    const uint64_t each = stack.rlim_cur == RLIM_INFINITY ? UINT64_C(2) << 20 : stack.rlim_cur;
    const uint64_t most = settings->run.memory + data_size() + OTHERS + threads * each;
    if (data.rlim_cur == RLIM_INFINITY || most < data.rlim_cur) {
        data.rlim_cur = most;
        setrlimit(RLIMIT_DATA, &data); /* a backstop: the library's own limit holds without it */
    }
}
