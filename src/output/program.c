/* program.c: starting, feeding and ending another program. */
#include "output/program.h"

#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The most bytes of its messages that are kept. */
#define MOST_SAID 65536

bool mrwi_output_program_find(const char *name, char out[PATH_MAX])
{
    const char *list = getenv("PATH");
    for (const char *at = list; at && *at; at += strspn(at, ":")) {
        const size_t length = strcspn(at, ":");
        struct stat info;
        const int size = snprintf(out, PATH_MAX, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && size < PATH_MAX && stat(out, &info) == 0 && S_ISREG(info.st_mode) &&
            access(out, X_OK) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

int mrwi_output_program_start(const char *path, const char *const *arguments,
                              mrwi_output_program *out)
{
    int ends[2];
    *out = (mrwi_output_program){.input = -1, .said = mrwi_base_memory_file("said")};
    if (out->said < 0) {
        return errno;
    }
    /* the rest is lost: a program that prints without end takes no memory */
    if (ftruncate(out->said, MOST_SAID) == 0) {
        fcntl(out->said, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        const int code = errno;
        close(out->said);
        return code;
    }
    const mrwi_base_child_def def = {
        .program = path, .arguments = arguments, .files = {ends[1], -1, out->said}};
    const int code = mrwi_base_child_start(&def, &out->child);
    close(ends[1]);
    if (code != 0) {
        close(ends[0]);
        close(out->said);
        return code;
    }
    out->runs = true;
    out->input = ends[0];
    return 0;
}

static void close_input(mrwi_output_program *program)
{
    if (program->input >= 0) {
        close(program->input);
        program->input = -1;
    }
}

bool mrwi_output_program_wait(mrwi_output_program *program, char out[64])
{
    close_input(program);
    mrwi_base_child_wait(&program->child, (double)INFINITY);
    const int status = mrwi_base_child_end(&program->child);
    program->runs = false;
    if (status == -1) {
        snprintf(out, 64, "exit status unknown: SIGCHLD is ignored here");
    } else if (WIFSIGNALED(status)) {
        snprintf(out, 64, "signal %d", WTERMSIG(status));
    } else {
        snprintf(out, 64, "exit status %d", WEXITSTATUS(status));
    }
    return status == 0;
}

void mrwi_output_program_free(mrwi_output_program *program)
{
    close_input(program);
    if (program->runs) {
        mrwi_base_child_end(&program->child);
        program->runs = false;
    }
    if (program->said >= 0) {
        close(program->said);
    }
}

/* ---- its messages ---------------------------------------------------------------------------- */

#define MOST_LINES 3

/* Returns the length of an address at the text's start, or 0. Addresses, as in
 * "[libx264 @ 0x55d0c8a3b540] ", differ from run to run. */
static size_t address_length(const char *text)
{
    const size_t digits = strncmp(text, " @ 0x", 5) == 0 ? strspn(text + 5, "0123456789abcdef") : 0;
    return digits > 0 ? 5 + digits : 0;
}

void mrwi_output_program_said(const mrwi_output_program *program, char *out, size_t size)
{
    char text[2048], plain[2048];
    const ssize_t got = pread(program->said, text, sizeof text - 1, 0);
    size_t length = 0, lines = 0;
    text[got > 0 ? got : 0] = '\0';
    for (const char *p = text; *p && lines < MOST_LINES && length + 3 < sizeof plain;) {
        const size_t address = address_length(p);
        if (address > 0) {
            p += address;
        } else if (*p != '\n') {
            plain[length++] = *p++;
        } else {
            p += strspn(p, "\n");
            lines++;
            if (*p && lines < MOST_LINES) {
                plain[length++] = ';';
                plain[length++] = ' ';
            }
        }
    }
    plain[length] = '\0';
    mrwi_base_escape(plain, out, size);
}
