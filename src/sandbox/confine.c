/* confine.c: the rights that a helper gives up before it reads an untrusted file. */
#include "sandbox/confine.h"

#include "base/system.h"

#include <errno.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void mrwi_sandbox_withdraw(void)
{
    const struct rlimit none = {0, 0};
    mrwi_base_close_from(MRWI_SANDBOX_CHANNEL_FD + 1);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    struct pollfd parent = {MRWI_SANDBOX_CHANNEL_FD, 0, 0};
    if (poll(&parent, 1, 0) > 0 && (parent.revents & POLLHUP) != 0) {
        _exit(1); /* the parent ended before that call */
    }
}

/* Sets a limit. A lower one that the parent has set stays, because it cannot be raised. */
static bool limit(int what, uint64_t value)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) != 0) {
        return false;
    }
    value = value < now.rlim_max ? value : now.rlim_max;
    const struct rlimit both = {value, value};
    return setrlimit((__rlimit_resource_t)what, &both) == 0;
}

bool mrwi_sandbox_limit(const mrwi_sandbox_limits *limits)
{
    /* The parent's clock ends the import; this one is for a parent that was stopped. */
    uint64_t seconds = limits->milliseconds / 1000 + 2;
    bool good = limit(RLIMIT_CPU, seconds) && limit(RLIMIT_FSIZE, limits->memory) &&
                limit(RLIMIT_NOFILE, 32) && limit(RLIMIT_NPROC, 0);
#ifndef MRWI_SANDBOX_HELPER_SANITIZED
    good = good && limit(RLIMIT_AS, limits->memory);
#endif
    return good;
}

/* ---- system calls ---------------------------------------------------------------------------- */

#ifdef MRWI_SANDBOX_HELPER_SANITIZED

bool mrwi_sandbox_filter(const char **warning)
{
    *warning = NULL;
    return true;
}

#else

/* Calls that are allowed: memory, and open descriptors. */
static const int allowed[] = {
    SCMP_SYS(read),          SCMP_SYS(readv),        SCMP_SYS(pread64),
    SCMP_SYS(lseek),         SCMP_SYS(write),        SCMP_SYS(writev),
    SCMP_SYS(close),         SCMP_SYS(recvmsg),      SCMP_SYS(sendmsg),
    SCMP_SYS(brk),           SCMP_SYS(munmap),       SCMP_SYS(mremap),
    SCMP_SYS(fstat),         SCMP_SYS(madvise),      SCMP_SYS(futex),
    SCMP_SYS(getrandom),     SCMP_SYS(getpid),       SCMP_SYS(gettid),
    SCMP_SYS(sched_yield),   SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),  SCMP_SYS(exit),         SCMP_SYS(exit_group),
    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(restart_syscall),
};

/* Calls that libraries try but can do without: they fail with "no permission" instead of ending the
 * process. newfstatat is fstat in some C libraries, but it looks up a path whatever its flags say.
 */
static const int denied[] = {
    SCMP_SYS(open),     SCMP_SYS(openat),  SCMP_SYS(access),     SCMP_SYS(faccessat),
    SCMP_SYS(readlink), SCMP_SYS(stat),    SCMP_SYS(lstat),      SCMP_SYS(readlinkat),
    SCMP_SYS(statx),    SCMP_SYS(getcwd),  SCMP_SYS(faccessat2), SCMP_SYS(ioctl),
    SCMP_SYS(uname),    SCMP_SYS(sysinfo), SCMP_SYS(newfstatat),
};

/* Adds a rule. Skips a call that this machine does not have, such as open on arm64. */
static int add(scmp_filter_ctx filter, uint32_t action, int call)
{
    int code = seccomp_rule_add(filter, action, call, 0);
    return code == -EDOM || code == -EINVAL ? 0 : code;
}

static int add_lists(scmp_filter_ctx filter)
{
    int code = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && code == 0; i++) {
        code = add(filter, SCMP_ACT_ALLOW, allowed[i]);
    }
    for (size_t i = 0; i < sizeof denied / sizeof *denied && code == 0; i++) {
        code = add(filter, SCMP_ACT_ERRNO(EACCES), denied[i]);
    }
    return code;
}

/* Adds calls with conditions: memory is never executable, and signals (abort) go only to the
 * process itself. */
static int add_conditions(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const struct scmp_arg_cmp to_itself = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0);
    int code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, no_code);
    if (code == 0) {
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, no_code);
    }
    if (code == 0) {
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, to_itself);
    }
    return code;
}

bool mrwi_sandbox_filter(const char **warning)
{
    *warning = NULL;
    /* Any other result is fine: with 2 there is a filter already (containers, systemd). */
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 && errno == EINVAL) {
        *warning = "this machine has no seccomp: the importer of model files is confined less than "
                   "usual";
        return true;
    }
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    bool good = filter && add_lists(filter) == 0 && add_conditions(filter) == 0 &&
                seccomp_load(filter) == 0;
    if (filter) {
        seccomp_release(filter);
    }
    return good;
}

#endif
