/* machine.c: what this machine is called. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

void cli_cpu_name(char out[128])
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
