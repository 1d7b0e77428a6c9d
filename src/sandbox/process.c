/* process.c: runs a job in a helper process: starts it, serves its requests for files, ends it and
 * takes its output. */
#include "sandbox/process.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_REQUESTS 16384 /* far more than models need, far fewer than take long to answer */
#define MAX_WARNINGS 16
#define MIN_MEMORY   (UINT64_C(64) << 20) /* the helper's own code and stack need 30 MiB */

/* The ways in which the conversation with the helper can end. */
typedef enum outcome {
    OUTCOME_DONE,
    OUTCOME_FAILED, /* it reported a failure: talk.last */
    OUTCOME_ENDED,  /* it ended without a result */
    OUTCOME_TIME,
    OUTCOME_CANCELLED,
    OUTCOME_MEMORY,  /* this process had none for a file that the helper asked for */
    OUTCOME_FOUL,    /* it sent an invalid message */
    OUTCOME_VERSION, /* its first message is of another version */
    OUTCOME_SYSTEM
} outcome;

/* A job, and the name of its input for messages. */
typedef struct task {
    const mrwi_sandbox_job *job;
    char name[300]; /* escaped */
    bool capped;    /* Its memory is that of mrw_memory_limit. */
} task;

/* The helper's files, in memory; -1 for none. */
typedef struct files {
    int input;
    int output;
} files;

typedef struct helper {
    pid_t pid;
    int channel;      /* this side's end; -1 before there is one */
    int64_t deadline; /* milliseconds of the monotonic clock */
} helper;

/* The conversation with the helper. */
typedef struct talk {
    bool heard;                /* it has sent a message */
    mrwi_sandbox_message last; /* the message received last */
    outcome ended;
    int status; /* the helper's exit status: see end_helper */
} talk;

static int64_t now_milliseconds(void)
{
    return mrwi_base_to_i64(mrw_clock_seconds(MRW_CLOCK_WALL) * 1000.0);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Returns what to do about an errno. */
static const char *remedy(int code)
{
    switch (code) {
    case ENOMEM:
        return "end other programs, or allow more memory";
    case EAGAIN:
        return "the user or the container has too many processes: end some, or raise the limit "
               "(ulimit -u, pids.max)";
    case EMFILE:
    case ENFILE:
        return "close some files, or raise the limit (ulimit -n)";
    default:
        return "--no-sandbox imports without the sandbox: use it only for files you trust";
    }
}

/* Fails because `what` did. status: for an errno other than a lack of memory or processes. */
static mrw_status fail_system_as(const task *t, mrw_status status, const char *what, int code,
                                 mrw_error *error)
{
    char text[128];
    return mrwi_base_fail(error,
                          code == ENOMEM   ? MRW_ERROR_MEMORY
                          : code == EAGAIN ? MRW_ERROR_UNSUPPORTED
                                           : status,
                          "%s: %s: %s; %s", t->name, what,
                          mrwi_base_error_text(code, text, sizeof text), remedy(code));
}

static mrw_status fail_system(const task *t, const char *what, int code, mrw_error *error)
{
    return fail_system_as(t, MRW_ERROR_UNSUPPORTED, what, code, error);
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void close_if_open(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

/* Makes a file of the input's bytes and 64 zeros, and an empty file for the output. */
static mrw_status make_files(const task *t, files *out, mrw_error *error)
{
    out->input = mrwi_base_memory_file("marrow-input");
    out->output = mrwi_base_memory_file("marrow-output");
    if (out->input < 0 || out->output < 0) {
        return fail_system(t, "a file in memory could not be created", errno, error);
    }
    if (!write_all(out->input, t->job->bytes, t->job->size) ||
        ftruncate(out->input, (off_t)t->job->size + 64) != 0) {
        return mrwi_base_fail_memory(error, t->job->size);
    }
    return MRW_OK;
}

/* Opens /dev/null, or an empty file in memory if there is no /dev. The descriptor is above those
 * that a helper keeps. */
static int open_null(void)
{
    const int opened = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int fd = opened >= 0 ? opened : mrwi_base_memory_file("null");
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, MRWI_SANDBOX_CHANNEL_FD + 1);
    close_if_open(fd);
    return high;
}

/* Sets the helper's descriptors: 3 is the channel, 0 to 2 are /dev/null, all others are closed. */
static int set_descriptors(posix_spawn_file_actions_t *actions, int channel, int null)
{
    int code = posix_spawn_file_actions_adddup2(actions, channel, MRWI_SANDBOX_CHANNEL_FD);
    for (int fd = 0; fd < MRWI_SANDBOX_CHANNEL_FD && code == 0; fd++) {
        code = posix_spawn_file_actions_adddup2(actions, null, fd);
    }
    return code == 0 ? mrwi_base_spawn_close_from(actions, MRWI_SANDBOX_CHANNEL_FD + 1) : code;
}

/* Unblocks all signals and resets their handling, whatever this process does with them. (A helper
 * ends by itself when this process ends, mrwi_sandbox_withdraw, and starts no process; the thread
 * that started it waits for it.) */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* Finds the helper's own loader, PROGRAM.loader beside it. A release has one, because the system's
 * C library may be older than the helper needs. The helper's libraries are in lib beside it, as its
 * DT_RPATH says. */
static bool find_loader(const char *program, char out[MRWI_BASE_PATH_MAX])
{
    struct stat info;
    const int length = snprintf(out, MRWI_BASE_PATH_MAX, "%s.loader", program);
    return length < MRWI_BASE_PATH_MAX && stat(out, &info) == 0 && S_ISREG(info.st_mode);
}

static int spawn(const char *program, int channel, pid_t *pid)
{
    char loader[MRWI_BASE_PATH_MAX];
    const char *name = mrwi_base_basename(program);
    const bool loaded = find_loader(program, loader);
    const char *const by_itself[] = {name, NULL};
    const char *const by_loader[] = {loader, "--inhibit-cache", "--argv0", name, program, NULL};
    char *const *arguments = (char *const *)(uintptr_t)(loaded ? by_loader : by_itself);
    char *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    const int null = open_null();
    if (null < 0) {
        return errno;
    }
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        close(null);
        return code;
    }
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        code = set_descriptors(&actions, channel, null);
        code = code == 0 ? set_signals(&attributes) : code;
        code = code == 0 ? posix_spawn(pid, loaded ? loader : program, &actions, &attributes,
                                       arguments, environment)
                         : code;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(null);
    return code;
}

static mrw_status start(const task *t, helper *out, mrw_error *error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail_system(t, "a channel to the import helper could not be opened", errno, error);
    }
    out->channel = ends[0];
    int code = spawn(t->job->program, ends[1], &out->pid);
    close(ends[1]);
    if (code != 0) {
        char program[200], what[300];
        snprintf(what, sizeof what, "the import helper %s could not be started",
                 mrwi_base_escape(t->job->program, program, sizeof program));
        return fail_system_as(t, MRW_ERROR_TOOL, what, code, error);
    }
    return MRW_OK;
}

static bool send_job(const mrwi_sandbox_job *job, const files *f, int channel)
{
    mrwi_sandbox_message m;
    mrwi_sandbox_message_init(&m, MRWI_SANDBOX_MESSAGE_JOB, 0, job->name);
    m.size = job->size;
    m.limits = (mrwi_sandbox_limits){job->memory, mrwi_base_to_u64(job->seconds * 1000.0),
                                     job->max_file_size};
    assert(job->details_size <= sizeof m.details);
    memcpy(m.details, job->details, job->details_size);
    const int fds[] = {f->input, f->output};
    return mrwi_sandbox_channel_send(channel, &m, fds, false) == MRWI_SANDBOX_CHANNEL_OK;
}

/* ---- serving --------------------------------------------------------------------------------- */

/* Answers a request for a file. The channel has room for the reply, because a helper waits for
 * each. */
static outcome serve_file(const mrwi_sandbox_job *job, int channel,
                          const mrwi_sandbox_message *request)
{
    mrwi_sandbox_message reply;
    int fd = -1;
    uint64_t size = 0;
    mrwi_sandbox_file_kind kind = (mrwi_sandbox_file_kind)request->code;
    mrwi_base_read_result result = job->open(job->user, kind, request->text, &fd, &size);
    if (result == MRWI_BASE_READ_MEMORY) {
        return OUTCOME_MEMORY;
    }
    mrwi_sandbox_message_init(&reply, MRWI_SANDBOX_MESSAGE_REPLY, (uint32_t)result, "");
    reply.size = size;
    if (result != MRWI_BASE_READ_OK) {
        reply.size = 0;
    }
    mrwi_sandbox_channel_result sent = mrwi_sandbox_channel_send(channel, &reply, &fd, false);
    close_if_open(fd);
    if (sent == MRWI_SANDBOX_CHANNEL_AGAIN) {
        return OUTCOME_FOUL;
    }
    return sent == MRWI_SANDBOX_CHANNEL_OK ? OUTCOME_DONE : OUTCOME_ENDED;
}

static void pass_warning(const mrwi_sandbox_job *job, const mrwi_sandbox_message *message)
{
    char text[1024];
    mrwi_sandbox_warn *told = message->code == 0 ? job->warn : job->detail;
    if (told) {
        told(job->user, mrwi_base_escape(message->text, text, sizeof text));
    }
}

/* Waits for the next message. */
static outcome hear(const helper *h, talk *out)
{
    for (;;) {
        int64_t left = h->deadline - now_milliseconds();
        if (left <= 0) {
            return OUTCOME_TIME;
        }
        if (!mrwi_base_work_goes_on()) {
            return OUTCOME_CANCELLED;
        }
        const int64_t glance = mrwi_base_to_i64(MRWI_BASE_GLANCE * 1000);
        struct pollfd wait = {h->channel, POLLIN, 0};
        int ready = poll(&wait, 1, (int)(left < glance ? left : glance));
        if (ready < 0 && errno != EINTR) {
            return OUTCOME_SYSTEM;
        }
        if (ready <= 0) {
            continue;
        }
        switch (mrwi_sandbox_channel_receive(h->channel, &out->last, NULL, false)) {
        case MRWI_SANDBOX_CHANNEL_OK:
            out->heard = true;
            return OUTCOME_DONE;
        case MRWI_SANDBOX_CHANNEL_AGAIN:
            continue;
        case MRWI_SANDBOX_CHANNEL_CLOSED:
            return OUTCOME_ENDED;
        case MRWI_SANDBOX_CHANNEL_BROKEN:
            return OUTCOME_FOUL;
        case MRWI_SANDBOX_CHANNEL_OTHER_VERSION:
            return out->heard ? OUTCOME_FOUL : OUTCOME_VERSION;
        }
    }
}

static outcome converse(const mrwi_sandbox_job *job, const helper *h, talk *out)
{
    uint32_t requests = 0, warnings = 0;
    for (;;) {
        outcome heard = hear(h, out);
        if (heard != OUTCOME_DONE) {
            return heard;
        }
        switch (out->last.type) {
        case MRWI_SANDBOX_MESSAGE_REQUEST:
            heard =
                ++requests <= MAX_REQUESTS ? serve_file(job, h->channel, &out->last) : OUTCOME_FOUL;
            break;
        case MRWI_SANDBOX_MESSAGE_WARNING:
            pass_warning(job, &out->last);
            heard = ++warnings <= MAX_WARNINGS ? OUTCOME_DONE : OUTCOME_FOUL;
            break;
        case MRWI_SANDBOX_MESSAGE_DONE:
            return OUTCOME_DONE;
        case MRWI_SANDBOX_MESSAGE_FAILED:
            return OUTCOME_FAILED;
        default:
            heard = OUTCOME_FOUL;
        }
        if (heard != OUTCOME_DONE) {
            return heard;
        }
    }
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* Kills the helper if it is still a child of this process. If SIGCHLD is ignored the system reaps
 * children, and the number may belong to another process by now. */
static void kill_helper(pid_t pid)
{
    siginfo_t info;
    info.si_pid = 0;
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        kill(pid, SIGKILL);
    }
}

/* Ends the helper. Returns the status from waitpid, or -1 if somebody else has waited for all
 * children of this process. A helper that ends by itself keeps its own status: the signal comes too
 * late. */
static int end_helper(pid_t pid)
{
    int status = -1;
    kill_helper(pid);
    pid_t ended;
    do {
        ended = waitpid(pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended < 0 ? -1 : status;
}

static mrw_status fail_time(const task *t, mrw_error *error)
{
    char seconds[32];
    mrwi_base_format_double(t->job->seconds, seconds);
    return mrwi_base_fail(error, MRW_ERROR_TIME,
                          "%s: the import took longer than %s seconds and was stopped; if you "
                          "trust the file, allow more with --import-seconds N",
                          t->name, seconds);
}

static mrw_status fail_memory(const task *t, mrw_error *error)
{
    if (t->capped) {
        return mrwi_base_fail(error, MRW_ERROR_MEMORY,
                              "%s: out of memory: the import needs more than %" PRIu64
                              " bytes and was stopped; allow more with --memory",
                              t->name, t->job->memory);
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: the import needs more than %" PRIu64
                          " bytes of memory and was stopped; if you trust the file, allow more "
                          "with --import-memory N",
                          t->name, t->job->memory);
}

static mrw_status fail_signal(const task *t, int number, mrw_error *error)
{
    const char *name = mrwi_base_signal_name(number);
    switch (number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
        return mrwi_base_fail(error, MRW_ERROR_CANCELLED, "%s: the import was interrupted",
                              t->name);
    case SIGXCPU:
        return fail_time(t, error);
    case SIGXFSZ:
        return fail_memory(t, error);
    case SIGKILL:
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the importer was killed (signal 9), probably because the machine ran out of "
            "memory; free some memory, or export the model again, for instance as .glb",
            t->name);
    case SIGSYS:
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the importer made a system call that no import needs and was stopped; the file is "
            "damaged or hostile: export it again, for instance as .glb",
            t->name);
    default:
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the importer crashed (signal %d, SIG%s); the file is damaged, or contains "
            "something the importer cannot read: export it again, for instance as .glb",
            t->name, number, name ? name : "?");
    }
}

/* Fails because the helper ended without a result. Status 127 is the dynamic linker's: a library of
 * the helper is missing. */
static mrw_status fail_ended(const task *t, int status, bool heard, mrw_error *error)
{
    if (status >= 0 && WIFSIGNALED(status)) {
        return fail_signal(t, WTERMSIG(status), error);
    }
    if (status < 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the importer ended without a result; the file is damaged: "
                              "export it again, for instance as .glb",
                              t->name);
    }
    int code = WEXITSTATUS(status);
    if (code == 127 && !heard) {
        char program[200], loader[MRWI_BASE_PATH_MAX];
        return mrwi_base_fail(error, MRW_ERROR_TOOL, "%s: the import helper %s could not start; %s",
                              t->name, mrwi_base_escape(t->job->program, program, sizeof program),
                              find_loader(t->job->program, loader)
                                  ? "libraries beside it are missing: install the release again"
                                  : "are libassimp and libdraco installed?");
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: the importer ended without a result (status %d); the file is "
                          "damaged: export it again, for instance as .glb",
                          t->name, code);
}

static mrw_status fail_foul(const task *t, mrw_error *error)
{
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: the importer sent an invalid answer and was stopped; the file is "
                          "damaged or hostile: export it again, for instance as .glb",
                          t->name);
}

static mrw_status fail_version(const task *t, mrw_error *error)
{
    char program[200];
    return mrwi_base_fail(error, MRW_ERROR_TOOL,
                          "%s: the import helper %s is of another version of marrow; install both "
                          "from the same package",
                          t->name, mrwi_base_escape(t->job->program, program, sizeof program));
}

/* ---- the output ------------------------------------------------------------------------------ */

static bool read_whole(int fd, uint8_t *out, uint64_t size)
{
    for (uint64_t at = 0; at < size;) {
        ssize_t n = pread(fd, out + at, (size_t)(size - at), (off_t)at);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        at += n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

/* Reads the output. The helper has ended, so the file does not change any more. */
static mrw_status take_output(const task *t, int fd, uint64_t size, mrwi_sandbox_answer *out,
                              mrw_error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || size == 0 || (uint64_t)status.st_size != size) {
        return fail_foul(t, error);
    }
    if (size > t->job->memory) {
        return fail_memory(t, error);
    }
    uint8_t *output = mrwi_base_alloc((size_t)size, 1);
    if (!output) {
        return mrwi_base_fail_memory(error, (size_t)size);
    }
    if (!read_whole(fd, output, size)) {
        mrwi_base_free(output);
        return fail_foul(t, error);
    }
    out->output = output;
    out->output_size = (size_t)size;
    return MRW_OK;
}

static mrw_status take_refusal(const task *t, const mrwi_sandbox_message *refusal,
                               mrwi_sandbox_answer *out, mrw_error *error)
{
    if (refusal->code == MRW_ERROR_MEMORY) {
        return fail_memory(t, error);
    }
    out->said = (mrw_status)refusal->code;
    mrwi_base_escape(refusal->text, out->text, sizeof out->text);
    return MRW_OK;
}

static mrw_status conclude(const task *t, const talk *with, int output, mrwi_sandbox_answer *out,
                           mrw_error *error)
{
    switch (with->ended) {
    case OUTCOME_DONE:
        return take_output(t, output, with->last.size, out, error);
    case OUTCOME_FAILED:
        return take_refusal(t, &with->last, out, error);
    case OUTCOME_ENDED:
        return fail_ended(t, with->status, with->heard, error);
    case OUTCOME_TIME:
        return fail_time(t, error);
    case OUTCOME_CANCELLED:
        return mrwi_base_work_check(t->name, error);
    case OUTCOME_MEMORY:
        return mrwi_base_fail_memory(error, 0);
    case OUTCOME_FOUL:
        return fail_foul(t, error);
    case OUTCOME_VERSION:
        return fail_version(t, error);
    case OUTCOME_SYSTEM:
        break;
    }
    return fail_system(t, "waiting for the import helper failed", errno, error);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static mrw_status run_helper(const task *t, const files *f, mrwi_sandbox_answer *out,
                             mrw_error *error)
{
    helper h = {-1, -1, now_milliseconds() + mrwi_base_to_i64(t->job->seconds * 1000.0)};
    talk with = {0};
    mrw_status status = start(t, &h, error);
    if (status) {
        goto out;
    }
    with.ended = send_job(t->job, f, h.channel) ? converse(t->job, &h, &with) : OUTCOME_ENDED;
    with.status = end_helper(h.pid);
    status = conclude(t, &with, f->output, out, error);
out:
    close_if_open(h.channel);
    return status;
}

mrw_status mrwi_sandbox_run(const mrwi_sandbox_job *job, mrwi_sandbox_answer *out, mrw_error *error)
{
    memset(out, 0, sizeof *out);
    if (!(job->seconds > 0.0 && job->seconds <= 1e6)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--import-seconds must be more than 0 and at most 1000000");
    }
    if (job->memory < MIN_MEMORY) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "--import-memory must be at least 64 MiB");
    }
    const uint64_t allowed = mrwi_base_memory_now().allowed;
    mrwi_sandbox_job within = *job;
    task t = {.job = &within, .capped = allowed != 0 && allowed < job->memory};
    if (t.capped) {
        within.memory = allowed > MIN_MEMORY ? allowed : MIN_MEMORY;
    }
    files f = {-1, -1};
    mrwi_base_escape(job->name, t.name, sizeof t.name);
    mrw_status status = make_files(&t, &f, error);
    if (status) {
        goto out;
    }
    status = run_helper(&t, &f, out, error);
out:
    close_if_open(f.input);
    close_if_open(f.output);
    return status;
}
