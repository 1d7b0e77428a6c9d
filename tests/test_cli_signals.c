/* test_cli_signals.c: signals that end a command: no file is left half written, one line says it.
 */
#include "cli_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#define LINE "marrow: error: stopped by a signal\n"

static void wait_a_little(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

/* Sends it until the process has ended: what comes within a quarter of a second is an echo. */
static void insist(pid_t child, int number)
{
    siginfo_t info = {.si_pid = 0};
    do {
        ck_assert_int_eq(kill(child, number), 0);
        wait_a_little(0.02);
        ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    } while (info.si_pid == 0);
}

/* ---- a command at work ----------------------------------------------------------------------- */

/* Starts the program itself, with no shell between, that says what it has to say into .err; `input`
 * is its standard input. */
static pid_t start(int input, const char *const *arguments)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const char *argv[32] = {program};
        for (int i = 0; arguments[i] && i < 30; i++) {
            argv[i + 1] = arguments[i];
        }
        int words = open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (words < 0 || dup2(words, 2) < 0 || dup2(input, 0) < 0) {
            _exit(98);
        }
        execv(program, (char *const *)argv);
        _exit(98);
    }
    return child;
}

/* An animation that takes a minute, and is a file in the making from its beginning. */
static const char *const animation[] = {"render", "demo:figure", "--clip", "Walk",
                                        "--fps",  "10000",       "--size", "400",
                                        "-q",     "-o",          "w.apng", NULL};

/* Pictures that take long each: nothing looks at signals meanwhile. */
static const char *const slow_picture[] = {
    "render", "demo:figure", "--clip", "Walk", "--count", "2",  "--size", "8000",   "--aa",
    "8",      "--png",       "best",   "-j",   "1",       "-q", "-o",     "w.apng", NULL};

static void wait_for_file(pid_t child)
{
    while (count_files(".") < 2) {
        ck_assert_msg(waitpid(child, NULL, WNOHANG) == 0, "it has ended too early");
        wait_a_little(0.01);
    }
    ck_assert_int_eq(count_files("."), 2); /* .err is the other */
}

/* Whether a signal was sent to the process, and none of its threads has taken it yet, nor ever will
 * because it has ended. */
static bool is_pending(pid_t child, int number)
{
    char path[64], text[8000];
    unsigned long long bits = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    slurp(path, text, sizeof text);
    const char *line = strstr(text, "ShdPnd:");
    return !strstr(text, "State:\tZ") && line && sscanf(line, "ShdPnd: %llx", &bits) == 1 &&
           (bits >> (number - 1) & 1) != 0;
}

/* Sends a signal and waits until it was taken: of two that are pending at once one is lost. */
static void send(pid_t child, int number)
{
    ck_assert_int_eq(kill(child, number), 0);
    while (is_pending(child, number)) {
        wait_a_little(0.0001);
    }
}

static bool killed; /* by the signal itself; else it has ended in order */

/* The status as a shell has it. */
static void end(pid_t child)
{
    int result = 0;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    killed = WIFSIGNALED(result);
    status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    slurp(".err", err, sizeof err);
}

static void assert_stopped(int number)
{
    assert_status(128 + number);
    ck_assert_str_eq(err, LINE);
    ck_assert_int_eq(count_files("."), 1);
    ck_assert(exists(".err"));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

START_TEST(once)
{
    pid_t child = start(0, animation);
    wait_for_file(child);
    send(child, ending[_i]);
    end(child);
    assert_stopped(ending[_i]);
}
END_TEST

/* What signals a process and its group signals the process twice: that is an echo, and the process
 * ends in order. It is tried again where this machine was so busy that the second one may well have
 * been taken for another one. */
START_TEST(twice_at_once)
{
    double took;
    do {
        pid_t child = start(0, animation);
        wait_for_file(child);
        double first = mrw_clock_seconds(MRW_CLOCK_WALL);
        send(child, ending[_i]);
        send(child, ending[_i]);
        end(child);
        took = mrw_clock_seconds(MRW_CLOCK_WALL) - first;
        assert_stopped(ending[_i]);
    } while (killed && took >= 0.25);
    ck_assert_msg(!killed, "an echo has ended it after %g s", took);
}
END_TEST

/* A picture that takes minutes ends in order: whoever works at it looks at the flag. */
START_TEST(within_a_picture)
{
    pid_t child = start(0, slow_picture);
    wait_for_file(child);
    send(child, ending[_i]);
    end(child);
    ck_assert(!killed);
    assert_stopped(ending[_i]);
}
END_TEST

/* Waits until a pipe takes no more bytes: its writer waits for the reader. */
static void wait_until_full(int reader)
{
    const int room = fcntl(reader, F_GETPIPE_SZ);
    int full = 0;
    while (full < room) {
        wait_a_little(0.01);
        ck_assert_int_eq(ioctl(reader, FIONREAD, &full), 0);
    }
}

/* Starts a command whose standard output is a pipe. */
static pid_t start_into(int writer, int input, const char *const *arguments)
{
    const int before = dup(1);
    ck_assert_int_eq(dup2(writer, 1), 1);
    pid_t child = start(input, arguments);
    ck_assert_int_eq(dup2(before, 1), 1);
    close(before);
    return child;
}

/* A command that writes a file into a pipe nobody reads looks at nothing. A repeated signal ends
 * it; even then nothing is left. */
START_TEST(insisting)
{
    static const char *const bake[] = {"bake", "demo:figure", "-q", "-o", "pipe.obj", NULL};
    ck_assert_int_eq(mkfifo("pipe.obj", 0666), 0);
    const int reader = open("pipe.obj", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ck_assert_int_ge(reader, 0);
    pid_t child = start(0, bake);
    wait_until_full(reader);
    ck_assert_int_eq(unlink("pipe.obj"), 0);
    insist(child, ending[_i]);
    end(child);
    ck_assert(killed);
    assert_stopped(ending[_i]);
    close(reader);
}
END_TEST

/* The reader of standard output hangs: writing to it waits, but looks at the flag. */
START_TEST(a_hanging_reader)
{
    static const char *const stream[] = {"render", "demo:figure", "--clip", "Walk", "--size",
                                         "300",    "-j",          "1",      "-q",   "-o",
                                         "-",      "--stream",    "rgba",   NULL};
    static const char *const joints[] = {"bake", "demo:figure", "--clip",   "Walk", "--fps",
                                         "200",  "-q",          "--joints", "-",    NULL};
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = start_into(ends[1], 0, _i % 2 == 0 ? stream : joints);
    wait_until_full(ends[0]);
    send(child, ending[_i / 2]);
    end(child);
    ck_assert(!killed);
    assert_stopped(ending[_i / 2]);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* --timeout ends a command as a signal does, with a status of its own. */
START_TEST(in_time)
{
    static const char *const line =
        "marrow: error: it took longer than the 0.2 seconds that --timeout allows\n";
    const char *arguments[20] = {"--timeout", "0.2"};
    memcpy(arguments + 2, _i == 0 ? slow_picture : animation,
           _i == 0 ? sizeof slow_picture : sizeof animation);
    sigset_t alarm, before;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm, &before); /* a program keeps what its parent has blocked */
    pid_t child = start(0, arguments);
    sigprocmask(SIG_SETMASK, &before, NULL);
    end(child);
    assert_status(77);
    ck_assert_str_eq(err, line);
    ck_assert_int_eq(count_files("."), 1);
}
END_TEST

/* Waits until a command has installed its handlers. */
static void wait_for_handlers(pid_t child)
{
    char path[64], text[8000] = "";
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    unsigned long long caught = 0;
    while ((caught >> (SIGHUP - 1) & 1) == 0) { /* the last of those that are sent */
        wait_a_little(0.001);
        slurp(path, text, sizeof text);
        const char *line = strstr(text, "SigCgt:");
        ck_assert(line && sscanf(line, "SigCgt: %llx", &caught) == 1);
    }
}

/* Where nobody looks whether a signal came, here while a model is read. */
START_TEST(before_the_work)
{
    static const char *const info[] = {"info", "-", NULL};
    int pipe_ends[2];
    ck_assert_int_eq(pipe2(pipe_ends, O_CLOEXEC), 0);
    pid_t child = start(pipe_ends[0], info);
    wait_for_handlers(child);
    send(child, ending[_i]);
    end(child);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    assert_stopped(ending[_i]);
}
END_TEST

/* Writes a byte to the input of a command, and waits until it is read: then options are known. */
static void wait_until_read(int writer)
{
    int left = 1;
    ck_assert_int_eq(write(writer, "x", 1), 1);
    while (left > 0) {
        wait_a_little(0.01);
        ck_assert_int_eq(ioctl(writer, FIONREAD, &left), 0);
    }
}

/* The answer is for a reader that hangs: it is lost, and one signal is enough. */
START_TEST(no_room_for_the_answer)
{
    static const char *const info[] = {"info", "-", "--json", NULL};
    static const char byte[1] = "x";
    int input[2], output[2];
    ck_assert_int_eq(pipe2(input, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(output, O_CLOEXEC | O_NONBLOCK), 0);
    while (write(output[1], byte, 1) == 1) {
    }
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(fcntl(output[1], F_SETFL, 0), 0); /* a writer waits from now on */
    pid_t child = start_into(output[1], input[0], info);
    wait_until_read(input[1]);
    send(child, SIGTERM);
    end(child);
    assert_stopped(SIGTERM);
    for (int i = 0; i < 2; i++) {
        close(input[i]);
        close(output[i]);
    }
}
END_TEST

/* A case of more pictures than this test has time for: it is not one that is finished first. */
START_TEST(within_a_case)
{
    static const char *const test[] = {"test", "-q", "-j", "2", NULL};
    test_write_text("a.suite.ini",
                    "[long]\nmodel = demo:figure\nclip = Walk\nfps = 9000\nsize = 1024\n");
    pid_t child = start(0, test);
    while (!exists("results/a/long/Walk_0020.png")) {
        ck_assert_msg(waitpid(child, NULL, WNOHANG) == 0, "it has ended too early");
        wait_a_little(0.01);
    }
    send(child, ending[_i]);
    end(child);
    ck_assert(!killed);
    assert_status(128 + ending[_i]);
    ck_assert_str_eq(err, LINE);
    ck_assert(exists("results/results.json"));
    ck_assert_int_eq(count_files("results"), 2); /* .gitignore is the other */
}
END_TEST

/* nohup and `trap ''` are meant. */
START_TEST(ignored_stay_ignored)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(ending[_i], &ignore, &before);
    static const char *const pictures[] = {"render",  "demo:figure", "--clip", "Walk",
                                           "--count", "40",          "--size", "400",
                                           "-q",      "-o",          "w.apng", NULL};
    pid_t child = start(0, pictures);
    sigaction(ending[_i], &before, NULL);
    wait_for_file(child);
    send(child, ending[_i]);
    end(child);
    assert_status(0);
    ck_assert_str_eq(err, "");
    assert_png("w.apng", 400, 400, 2);
    ck_assert_int_eq(count_files("."), 2);
}
END_TEST

/* ---- what it has started --------------------------------------------------------------------- */

/* Shell lines that stand in for a program. FIFO `ready` is where they say that they are at work. */
static void put_program(const char *path, const char *lines)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    fclose(file);
    ck_assert_int_eq(chmod(path, 0700), 0);
}

/* From here on all that the test starts, and what that starts, comes to be the test's to wait for.
 */
static void adopt_all(void)
{
    const struct rlimit none = {0, 0};
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_CORE, &none), 0);
    ck_assert_int_eq(mkfifo("ready", 0600), 0);
}

static void wait_until_ready(void)
{
    char byte;
    int fifo = open("ready", O_RDONLY);
    ck_assert_int_ge(fifo, 0);
    ck_assert_int_eq(read(fifo, &byte, 1), 1);
    close(fifo);
}

/* Returns when no process is left of all that were started. What has outlived marrow was killed, or
 * has itself seen (127) that it is alone. */
static void wait_for_all(void)
{
    int result;
    while (waitpid(-1, &result, 0) > 0) {
        ck_assert_msg(WIFSIGNALED(result) ? WTERMSIG(result) == SIGKILL
                                          : WEXITSTATUS(result) == 127,
                      "what marrow has started went on: it ended with %#x", (unsigned)result);
    }
    ck_assert_int_eq(errno, ECHILD);
}

/* A program that marrow starts, and what ends marrow. One that has read a single byte makes marrow
 * wait: the rest of the picture does not fit into a socket. */
#define FFMPEG        "ffmpeg"
#define OTHER         "other"
#define READ_ONE_BYTE "dd bs=1 count=1 of=/dev/null 2>/dev/null; "
static const struct {
    const char *name, *lines;
    int number; /* is sent once */
} started[] = {
    {FFMPEG, "sleep 1000 & echo >ready; exec cat >/dev/null", SIGTERM},
    {FFMPEG, READ_ONE_BYTE "sleep 1000 & echo >ready; wait", SIGTERM},
    {FFMPEG, READ_ONE_BYTE "sleep 1000 & echo >ready; wait", SIGHUP},
    {FFMPEG, "cat >/dev/null; sleep 1000 & echo >ready; wait", SIGINT},
    {FFMPEG, "exec <&-; sleep 1000 & echo >ready; wait", SIGTERM},
    {FFMPEG, "trap '' TERM INT HUP; sleep 1000 & echo >ready; cat; cat <ready", SIGINT},
    {FFMPEG, "(trap '' HUP; sleep 1000) & echo >ready; head -c 300000000 /dev/zero >&2; wait",
     SIGTERM},
    {FFMPEG, "echo >ready; exec sleep 1000", SIGKILL},
    {FFMPEG, "echo >ready; exec sleep 1000", SIGABRT},
    {OTHER, "sleep 1000 & echo >ready; wait", SIGTERM},
    {OTHER, "echo >ready; exec sleep 1000", SIGKILL},
    {OTHER, "echo >ready; exec sleep 1000", SIGABRT},
};

/* However marrow ends, what it has started ends with it, and what that has started where marrow
 * can still act. */
START_TEST(what_it_started)
{
    static const char *const video[] = {"render", "demo:figure", "--clip", "Walk",  "--size",
                                        "640",    "-q",          "-o",     "a.mp4", NULL};
    static const char *const test[] = {"test", "-q", "--against", "./other", NULL};
    const int number = started[_i].number;
    const bool ends_in_order = number != SIGKILL && number != SIGABRT;
    char path[PATH_MAX + 5000], lines[5000];
    adopt_all();
    setenv("TMPDIR", test_folder(), 1);
    if (strcmp(started[_i].name, OTHER) == 0) {
        test_write_text("suite.ini", "[a]\nmodel = demo:figure\n");
        snprintf(lines, sizeof lines, "[ $1 = --version ] && exec '%s' --version\n%s", program,
                 started[_i].lines);
        put_program("other", lines);
    } else {
        ck_assert_int_eq(mkdir("bin", 0700), 0);
        put_program("bin/ffmpeg", started[_i].lines);
        snprintf(path, sizeof path, "%s/bin:%s", test_folder(), getenv("PATH"));
        setenv("PATH", path, 1);
    }
    pid_t child = start(0, strcmp(started[_i].name, OTHER) == 0 ? test : video);
    wait_until_ready();
    ck_assert_int_eq(kill(child, number), 0);
    end(child);
    wait_for_all();
    assert_status(128 + number);
    ck_assert_int_eq(killed, !ends_in_order);
    if (ends_in_order) {
        ck_assert_str_eq(err, LINE);
        ck_assert(strcmp(started[_i].name, OTHER) == 0 || count_files(".") == 2); /* and ffmpeg */
    }
}
END_TEST

/* The first child of a process, once it has one. */
static pid_t wait_for_child(pid_t parent)
{
    char path[64], text[8000];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)parent);
    while (sscanf((slurp(path, text, sizeof text), text), "%d", &child) != 1) {
        wait_a_little(0.001);
    }
    return child;
}

/* Bench starts itself anew. Stopped, what it has started can't be ready before bench has ended. */
START_TEST(what_bench_started)
{
    static const char *const rows[] = {"start-wall", "threads-2"};
    const char *bench[] = {"bench", rows[_i], NULL};
    adopt_all();
    setenv("TMPDIR", test_folder(), 1);
    pid_t child = start(0, bench);
    const pid_t started_by_it = wait_for_child(child);
    kill(started_by_it, SIGSTOP);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    end(child);
    kill(started_by_it, SIGCONT);
    wait_for_all();
}
END_TEST

/* ---- GNU timeout ----------------------------------------------------------------------------- */

/* GNU timeout, over all that writes; the script alone runs it more often. */
START_TEST(under_timeout)
{
    shell("MARROW='%s' sh '%s/../scripts/check_signals.sh' 2", program, assets);
    assert_status(0);
}
END_TEST

/* Who runs the tests may ignore signals, as nohup does, and programs inherit that. */
static void enter_with_signals(void)
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        signal(ending[i], SIG_DFL);
    }
    enter();
}

static Suite *suite(void)
{
    Suite *s = suite_create("cli_signals");
    TCase *tc = tcase_create("cli_signals");
    const int count = (int)(sizeof ending / sizeof *ending);
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, enter_with_signals, test_folder_remove);
    tcase_add_loop_test(tc, once, 0, count);
    tcase_add_loop_test(tc, twice_at_once, 0, count);
    tcase_add_loop_test(tc, within_a_picture, 0, count);
    tcase_add_loop_test(tc, insisting, 0, count);
    tcase_add_loop_test(tc, a_hanging_reader, 0, 2 * count);
    tcase_add_loop_test(tc, in_time, 0, 2);
    tcase_add_loop_test(tc, before_the_work, 0, count);
    tcase_add_test(tc, no_room_for_the_answer);
    tcase_add_loop_test(tc, within_a_case, 0, count);
    tcase_add_loop_test(tc, ignored_stay_ignored, 0, count);
    tcase_add_test(tc, under_timeout);
    suite_add_tcase(s, tc);
    tc = tcase_create("started");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, enter_with_signals, test_folder_remove);
    tcase_add_loop_test(tc, what_it_started, 0, (int)(sizeof started / sizeof *started));
    tcase_add_loop_test(tc, what_bench_started, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
