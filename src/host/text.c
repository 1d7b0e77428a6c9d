/* text.c: error messages, standard output. */
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

mrw_status host_fail_memory(mrw_error *error)
{
    return mrw_fail_memory(error, 0);
}

/* Waits until standard output takes bytes. Returns false once the command is to stop and the reader
 * hangs. A signal interrupts poll. */
static bool wait_for_reader(void)
{
    struct pollfd room = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int ready;
    do {
        ready = poll(&room, 1, HOST_READER_MILLISECONDS);
    } while ((ready == 0 || (ready < 0 && errno == EINTR)) && host_signal() == 0);
    return ready > 0 || host_signal() == 0; /* if poll fails, so does write */
}

mrw_status host_write_stdout(const void *bytes, size_t size, mrw_error *error)
{
    struct stat info;
    const bool waits = fstat(STDOUT_FILENO, &info) == 0 && !S_ISREG(info.st_mode);
    bool fine = fflush(stdout) == 0;
    for (size_t done = 0; fine && done < size;) {
        const size_t left = size - done;
        if (waits && !wait_for_reader()) {
            return host_check_signal(error);
        }
        /* A pipe with room takes PIPE_BUF bytes without waiting. */
        const ssize_t written = write(STDOUT_FILENO, (const char *)bytes + done,
                                      waits && left > PIPE_BUF ? PIPE_BUF : left);
        fine = written >= 0 || errno == EINTR || errno == EAGAIN;
        done += written > 0 ? (size_t)written : 0;
    }
    if (!fine) {
        return mrw_fail(error, MRW_ERROR_OUTPUT, "standard output: %s; nothing more was written",
                        strerror(errno));
    }
    return MRW_OK;
}

mrw_status host_print(const mrw_text *text, mrw_error *error)
{
    if (text->failed) {
        return host_fail_memory(error);
    }
    return text->size > 0 ? host_write_stdout(text->data, text->size, error) : MRW_OK;
}

void host_put_argument(const char *path, mrw_text *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_./-+=:@%,";
    const char *quote = path[strspn(path, plain)] == '\0' ? "" : "'";
    mrw_text_add(text, "%s", quote);
    for (const char *p = path; *p != '\0'; p++) {
        mrw_text_add(text, *p == '\'' ? "'\\''" : "%c", *p);
    }
    mrw_text_add(text, "%s", quote);
}
