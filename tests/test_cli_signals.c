/* test_cli_signals.c: signals that end a command: no file is left half written, one line says it.
 */
#include "cli_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#define LINE "marrow: error: stopped by a signal\n"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void wait_a_little(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
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

/* An animation that takes some seconds, and is a file in the making from its beginning. */
static const char *const animation[] = {"render", "demo:figure", "--clip", "Walk", "--fps",  "2000",
                                        "--size", "400",         "-q",     "-o",   "w.apng", NULL};

/* One picture that takes as long: nothing looks at signals meanwhile. */
static const char *const slow_picture[] = {
    "render", "demo:figure", "--clip", "Walk", "--count", "2",  "--size", "4000",   "--aa",
    "8",      "--png",       "best",   "-j",   "1",       "-q", "-o",     "w.apng", NULL};

static void wait_for_file(pid_t child)
{
    for (int i = 0; i < 3000 && count_files(".") < 2; i++) {
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

/* The status as a shell has it. */
static void end(pid_t child)
{
    int result = 0;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
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

/* What signals a process and its group signals the process twice. */
START_TEST(twice_at_once)
{
    double gap = 1.0;
    for (int i = 0; i < 20 && gap > 0.2; i++) { /* again where this machine was busy in between */
        pid_t child = start(0, animation);
        wait_for_file(child);
        double first = now();
        send(child, ending[_i]);
        send(child, ending[_i]);
        gap = now() - first;
        end(child);
    }
    ck_assert_msg(gap <= 0.2, "two signals were never less than %g s apart", gap);
    assert_stopped(ending[_i]);
}
END_TEST

/* Somebody who asks again means it; even then nothing is left. */
START_TEST(insisting)
{
    pid_t child = start(0, slow_picture);
    wait_for_file(child);
    send(child, ending[_i]);
    wait_a_little(0.3);
    ck_assert_msg(waitpid(child, NULL, WNOHANG) == 0, "the picture was done too soon");
    ck_assert_int_eq(count_files("."), 2);
    double second = now();
    send(child, ending[_i]);
    end(child);
    ck_assert_msg(now() - second < 2.0, "it took %g s to end", now() - second);
    assert_stopped(ending[_i]);
}
END_TEST

/* Where nobody looks whether a signal came, here while a model is read. */
START_TEST(before_the_work)
{
    static const char *const info[] = {"info", "-", NULL};
    int pipe_ends[2];
    ck_assert_int_eq(pipe2(pipe_ends, O_CLOEXEC), 0);
    pid_t child = start(pipe_ends[0], info);
    char path[64], text[8000] = "";
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    unsigned long long caught = 0;
    for (int i = 0; i < 500 && (caught >> (SIGTERM - 1) & 1) == 0; i++) {
        wait_a_little(0.01);
        slurp(path, text, sizeof text);
        const char *line = strstr(text, "SigCgt:");
        ck_assert(line && sscanf(line, "SigCgt: %llx", &caught) == 1);
    }
    send(child, ending[_i]);
    end(child);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    assert_stopped(ending[_i]);
}
END_TEST

/* A case of more pictures than anybody waits for: it is not one that is finished first. */
START_TEST(within_a_case)
{
    static const char *const test[] = {"test", "-q", "-j", "2", NULL};
    FILE *file = fopen("a.suite.ini", "w");
    ck_assert_ptr_nonnull(file);
    fputs("[long]\nmodel = demo:figure\nclip = Walk\nfps = 9000\nsize = 64\n", file);
    fclose(file);
    pid_t child = start(0, test);
    for (int i = 0; i < 3000 && !exists("results/a/long/Walk_0020.png"); i++) {
        ck_assert_msg(waitpid(child, NULL, WNOHANG) == 0, "it has ended too early");
        wait_a_little(0.01);
    }
    double sent = now();
    send(child, ending[_i]);
    end(child);
    ck_assert_msg(now() - sent < 2.0, "it took %g s to end", now() - sent);
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
    tcase_add_checked_fixture(tc, enter_with_signals, leave);
    tcase_add_loop_test(tc, once, 0, count);
    tcase_add_loop_test(tc, twice_at_once, 0, count);
    tcase_add_loop_test(tc, insisting, 0, count);
    tcase_add_loop_test(tc, before_the_work, 0, count);
    tcase_add_loop_test(tc, within_a_case, 0, count);
    tcase_add_loop_test(tc, ignored_stay_ignored, 0, count);
    tcase_add_test(tc, under_timeout);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
