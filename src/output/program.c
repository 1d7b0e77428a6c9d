/* program.c: starting, feeding and ending another program. */
#include "output/program.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Its standard input, output and error; a group of processes of its own; no signal blocked, nor
 * SIGPIPE ignored. Returns 0 or an errno. */
static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int input,
                  int said)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    int code = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    code = code
               ? code
               : posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    code = code ? code : posix_spawn_file_actions_adddup2(actions, said, STDERR_FILENO);
    code =
        code ? code
             : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
    code = code ? code : posix_spawnattr_setsigmask(attributes, &none);
    return code ? code : posix_spawnattr_setsigdefault(attributes, &usual);
}

static int spawn(const char *path, const char *const *arguments, int input, int said, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        return code;
    }
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        code = set_up(&actions, &attributes, input, said);
        code = code ? code
                    : posix_spawn(pid, path, &actions, &attributes,
                                  (char *const *)(uintptr_t)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

int mrwi_output_program_start(const char *path, const char *const *arguments,
                              mrwi_output_program *out)
{
    int ends[2];
    *out = (mrwi_output_program){.input = -1, .said = memfd_create("said", MFD_CLOEXEC)};
    if (out->said < 0) {
        return errno;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        const int code = errno;
        close(out->said);
        return code;
    }
    const int code = spawn(path, arguments, ends[1], out->said, &out->pid);
    close(ends[1]);
    if (code != 0) {
        close(ends[0]);
        close(out->said);
        return code;
    }
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

/* False where somebody else has waited for it, or the system has: SIGCHLD is ignored. */
static bool wait_for(mrwi_output_program *program, int *status)
{
    pid_t ended;
    do {
        ended = waitpid(program->pid, status, 0);
    } while (ended < 0 && errno == EINTR);
    program->pid = 0;
    return ended > 0;
}

bool mrwi_output_program_wait(mrwi_output_program *program, char out[64])
{
    int status = 0;
    close_input(program);
    if (!wait_for(program, &status)) {
        snprintf(out, 64, "nobody knows how: SIGCHLD is ignored here");
        return false;
    }
    if (WIFSIGNALED(status)) {
        snprintf(out, 64, "signal %d", WTERMSIG(status));
    } else {
        snprintf(out, 64, "exit status %d", WEXITSTATUS(status));
    }
    return status == 0;
}

void mrwi_output_program_free(mrwi_output_program *program)
{
    close_input(program);
    if (program->pid > 0) {
        int status;
        kill(program->pid, SIGKILL);
        wait_for(program, &status);
    }
    if (program->said >= 0) {
        close(program->said);
    }
}

/* ---- what it says ---------------------------------------------------------------------------- */

#define MOST_LINES 3

/* "[libx264 @ 0x55d0c8a3b540] " and the like differ from run to run. */
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
