/* fake_importer.c: stands in for marrow-import in the tests, and misbehaves. The model it gets is a
 * list of commands, one a line, done in order:
 *
 *   signal N | exit N | sleep | close        end, or not
 *   ask KIND PATH                            asks for a file; what comes is kept as text for `fail`
 *   flood N                                  asks N times without reading replies
 *   keep N                                   asks N times and reads the replies
 *   fail CODE | warn TEXT                    a message; CODE as mrw_status
 *   blob | lie N | double                    what follows the line is the scene; N more bytes said
 *   sparse N                                 N zeros are the scene
 *   raw TYPE CODE SIZE TEXT                  any message
 *   bytes N | nothing | version | untext     packets that are no messages
 *   bytes refusal                            what a helper of another version says
 *   descriptors                              a message with more than it may have
 *   list                                     what it inherited, for `fail`
 *   orphan | withdraw                        waits until its parent has ended; what the real one
 *                                            does first
 *   limit | confine                          takes away from itself what the real one does; how
 * many filters of system calls it then has, for `fail` memory | cpu | fork | socket | open | stat |
 * large     then tries what that forbids call N | code | turn | hurt              a system call of
 * no meaning; memory for programs, got or turned into that; a signal to another process hard its
 * hard limit of descriptors, for `fail`
 */
#include "sandbox/confine.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static mrwi_sandbox_message job, message;
static int fds[MRWI_SANDBOX_CHANNEL_FDS];
static char heard[1024]; /* what `fail` says */
static pid_t parent;     /* at the beginning */

static void say(uint32_t type, uint32_t code, uint64_t size, const char *text)
{
    mrwi_sandbox_message_init(&message, (mrwi_sandbox_message_type)type, code, text);
    message.size = size;
    mrwi_sandbox_channel_send(MRWI_SANDBOX_CHANNEL_FD, &message, fds, true);
}

static void ask(const char *arguments)
{
    mrwi_sandbox_files files = mrwi_sandbox_helper_files(&job.limits.max_file_size);
    uint8_t *data = NULL;
    size_t size = 0;
    mrwi_base_read_result result = files.read(
        files.user, (mrwi_sandbox_file_kind)(arguments[0] - '0'), arguments + 2, &data, &size);
    size_t used = strlen(heard);
    if (result == MRWI_BASE_READ_OK) {
        snprintf(heard + used, sizeof heard - used, "[got %.*s]", (int)size, (const char *)data);
    } else {
        snprintf(heard + used, sizeof heard - used, "[%s]", mrwi_base_read_reason(result));
    }
    mrwi_base_free(data);
}

static void flood(int count, bool listen)
{
    for (int i = 0; i < count; i++) {
        int fd = -1;
        say(MRWI_SANDBOX_MESSAGE_REQUEST, MRWI_SANDBOX_FILE_PART, 0, "none");
        if (listen) {
            mrwi_sandbox_channel_receive(MRWI_SANDBOX_CHANNEL_FD, &message, &fd, true);
        }
    }
}

static void give_blob(const char *blob, size_t size, long more, bool twice)
{
    for (int i = 0; i < (twice ? 2 : 1); i++) {
        for (size_t at = 0; at < size;) {
            ssize_t n = write(fds[1], blob + at, size - at);
            at += n > 0 ? (size_t)n : size;
        }
    }
    say(MRWI_SANDBOX_MESSAGE_DONE, 0, (uint64_t)((long)size + more), "");
}

static void send_packet(const char *what)
{
    mrwi_sandbox_message_init(&message, MRWI_SANDBOX_MESSAGE_DONE, 0, "");
    message.version = MRWI_SANDBOX_CHANNEL_VERSION;
    message.text_size = 1;
    message.size = 4096;
    size_t length = offsetof(mrwi_sandbox_message, text) + 1;
    if (strcmp(what, "version") == 0) {
        message.version++;
    } else if (strcmp(what, "refusal") == 0) {
        message.version++;
        message.type = MRWI_SANDBOX_MESSAGE_FAILED;
    } else if (strcmp(what, "untext") == 0) {
        message.text[0] = 'x';
    } else if (strcmp(what, "nothing") == 0) {
        length = 0;
    } else {
        memset(&message, 0xa5, sizeof message);
        length = (size_t)atol(what);
    }
    static char large[65536];
    memcpy(large, &message, sizeof message);
    send(MRWI_SANDBOX_CHANNEL_FD, large, length < sizeof large ? length : sizeof large,
         MSG_NOSIGNAL);
}

static void send_descriptors(void)
{
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr align;
    } room;
    memset(&room, 0, sizeof room);
    mrwi_sandbox_message_init(&message, MRWI_SANDBOX_MESSAGE_WARNING, 0, "with descriptors");
    message.version = MRWI_SANDBOX_CHANNEL_VERSION;
    message.text_size = (uint32_t)strlen(message.text) + 1;
    struct iovec data = {&message, offsetof(mrwi_sandbox_message, text) + message.text_size};
    struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1};
    packet.msg_control = room.bytes;
    packet.msg_controllen = sizeof room.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(8 * sizeof(int));
    int *passed = (int *)(void *)CMSG_DATA(header);
    for (int i = 0; i < 8; i++) {
        passed[i] = fds[1];
    }
    sendmsg(MRWI_SANDBOX_CHANNEL_FD, &packet, MSG_NOSIGNAL);
}

static void raw(const char *arguments)
{
    unsigned type = 0, code = 0, size = 0;
    int used = 0;
    sscanf(arguments, "%u %u %u %n", &type, &code, &size, &used);
    say(type, code, size, arguments + used);
}

/* How many seccomp filters this process has, as the kernel tells of it; -1 when it tells nothing.
 * The descriptor is of /proc/self/status: a confined process opens nothing. */
static int count_filters(int status)
{
    static char text[8192];
    ssize_t length = pread(status, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, "\nSeccomp_filters:");
    return line ? atoi(strchr(line, ':') + 1) : -1;
}

static void confine(bool filter)
{
    const char *warning = NULL;
    int status = open("/proc/self/status", O_RDONLY);
    if (!mrwi_sandbox_limit(&job.limits) || (filter && !mrwi_sandbox_filter(&warning))) {
        say(MRWI_SANDBOX_MESSAGE_FAILED, MRW_ERROR_INPUT, 0, "could not confine itself");
    }
    if (warning) {
        snprintf(heard, sizeof heard, "[%s]", warning);
    } else if (filter) {
        snprintf(heard, sizeof heard, "[%d filters]", count_filters(status));
    }
    close(status);
}

/* ---- what is forbidden ----------------------------------------------------------------------- */

static void use_memory(void)
{
    const size_t step = 16 << 20;
    for (;;) {
        volatile char *block = malloc(step); /* else a compiler leaves it out */
        if (!block) {
            say(MRWI_SANDBOX_MESSAGE_FAILED, MRW_ERROR_MEMORY, 0, "out of memory");
            _exit(1);
        }
        block[0] = 1;
    }
}

static void use_cpu(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

static void write_much(void)
{
    static char block[65536];
    while (write(fds[1], block, sizeof block) > 0) {
    }
}

static void try_open(void)
{
    int fd = open("/etc/hostname", O_RDONLY);
    snprintf(heard, sizeof heard, fd >= 0 ? "[opened]" : "[refused %d]", errno);
}

/* A path in a call that is meant for descriptors: AT_EMPTY_PATH allows an empty path, no more. */
static void try_stat(void)
{
    struct stat status;
    int result = fstatat(AT_FDCWD, "/etc/hostname", &status, AT_EMPTY_PATH);
    snprintf(heard, sizeof heard, result == 0 ? "[told]" : "[not told %d]", errno);
}

static void list_hard_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    snprintf(heard, sizeof heard, "[%d descriptors at most]", (int)limit.rlim_max);
}

/* Descriptors beside 0, 1, 2, the channel and the two of the job; variables; blocked signals. */
static void list_inherited(void)
{
    int others = 0, variables = 0, blocked = 0;
    for (int fd = 0; fd < 1024; fd++) {
        bool known = fd <= MRWI_SANDBOX_CHANNEL_FD || fd == fds[0] || fd == fds[1];
        others += !known && fcntl(fd, F_GETFD) >= 0;
    }
    while (environ[variables]) {
        variables++;
    }
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int number = 1; number < 32; number++) {
        blocked += sigismember(&mask, number) == 1;
    }
    snprintf(heard, sizeof heard, "[%d descriptors, %d variables, %d blocked]", others, variables,
             blocked);
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool do_call(const char *command, const char *arguments)
{
    if (strcmp(command, "call") == 0) {
        syscall(atol(arguments), 0, 0, 0, 0, 0, 0);
    } else if (strcmp(command, "code") == 0) {
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else if (strcmp(command, "turn") == 0) {
        void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
    } else if (strcmp(command, "hurt") == 0) {
        tgkill(1, 1, 0);
    } else {
        return false;
    }
    return true;
}

static void do_forbidden(const char *command)
{
    if (strcmp(command, "memory") == 0) {
        use_memory();
    } else if (strcmp(command, "cpu") == 0) {
        use_cpu();
    } else if (strcmp(command, "large") == 0) {
        write_much();
    } else if (strcmp(command, "open") == 0) {
        try_open();
    } else if (strcmp(command, "stat") == 0) {
        try_stat();
    } else if (strcmp(command, "hard") == 0) {
        list_hard_limit();
    } else if (strcmp(command, "fork") == 0) {
        snprintf(heard, sizeof heard, fork() >= 0 ? "[forked]" : "[no fork]");
    } else if (strcmp(command, "socket") == 0) {
        snprintf(heard, sizeof heard, "[socket %d]", socket(AF_INET, SOCK_STREAM, 0));
    }
}

static bool do_ending(const char *command, const char *arguments)
{
    if (strcmp(command, "signal") == 0) {
        signal(atoi(arguments), SIG_DFL); /* a sanitizer may have taken it */
        raise(atoi(arguments));
    } else if (strcmp(command, "exit") == 0) {
        _exit(atoi(arguments));
    } else if (strcmp(command, "close") == 0) {
        close(MRWI_SANDBOX_CHANNEL_FD);
        pause();
    } else if (strcmp(command, "sleep") == 0) {
        pause();
    } else {
        return false;
    }
    return true;
}

static bool do_message(const char *command, const char *arguments)
{
    if (strcmp(command, "ask") == 0) {
        ask(arguments);
    } else if (strcmp(command, "flood") == 0 || strcmp(command, "keep") == 0) {
        flood(atoi(arguments), command[0] == 'k');
    } else if (strcmp(command, "fail") == 0) {
        say(MRWI_SANDBOX_MESSAGE_FAILED, (uint32_t)atoi(arguments), 0, heard);
    } else if (strcmp(command, "warn") == 0) {
        say(MRWI_SANDBOX_MESSAGE_WARNING, 0, 0, arguments);
    } else if (strcmp(command, "sparse") == 0) {
        if (ftruncate(fds[1], atol(arguments)) == 0) {
            say(MRWI_SANDBOX_MESSAGE_DONE, 0, (uint64_t)atol(arguments), "");
        }
    } else if (strcmp(command, "raw") == 0) {
        raw(arguments);
    } else if (strcmp(command, "bytes") == 0) {
        send_packet(arguments);
    } else if (strcmp(command, "descriptors") == 0) {
        send_descriptors();
    } else {
        return false;
    }
    return true;
}

static void do_command(char *line, const char *rest, size_t rest_size)
{
    char *space = strchr(line, ' ');
    const char *arguments = space ? space + 1 : "";
    if (space) {
        *space = '\0';
    }
    if (do_ending(line, arguments) || do_message(line, arguments) || do_call(line, arguments)) {
        return;
    }
    if (strcmp(line, "blob") == 0 || strcmp(line, "lie") == 0 || strcmp(line, "double") == 0) {
        give_blob(rest, rest_size, atol(arguments), line[0] == 'd');
    } else if (strcmp(line, "list") == 0) {
        list_inherited();
    } else if (strcmp(line, "orphan") == 0) {
        while (getppid() == parent) {
            usleep(1000);
        }
    } else if (strcmp(line, "withdraw") == 0) {
        mrwi_sandbox_withdraw();
    } else if (strcmp(line, "limit") == 0 || strcmp(line, "confine") == 0) {
        confine(line[0] == 'c');
    } else {
        do_forbidden(line);
    }
}

int main(void)
{
    parent = getppid();
    if (mrwi_sandbox_channel_receive(MRWI_SANDBOX_CHANNEL_FD, &job, fds, true) !=
        MRWI_SANDBOX_CHANNEL_OK) {
        return 2;
    }
    char *model = mmap(NULL, (size_t)job.size + 64, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
    if (model == MAP_FAILED) {
        return 3;
    }
    char *end = model + job.size;
    for (char *line = model; line < end && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = '\0';
        do_command(line, next, (size_t)(end - next));
        if (strcmp(line, "blob") == 0 || strcmp(line, "lie") == 0 || strcmp(line, "double") == 0) {
            break;
        }
        line = next;
    }
    _exit(0);
}
