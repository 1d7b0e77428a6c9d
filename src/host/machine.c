/* machine.c: the name of the CPU, and the reason for the number of threads. */
#include "host.h"

#include <stdio.h>
#include <string.h>

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
