/* test_thread_supply.c: threads that the system does not grant: the work is done with fewer, and
 * the same. Each test sets a limit of the system in a process of its own. */
#include "cli_fixture.h"

#include "base/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#ifdef TEST_SANITIZED
#define SANITIZED 1 /* they want more address space than there is, and threads of their own */
#else
#define SANITIZED 0
#endif

/* ---- work ------------------------------------------------------------------------------------ */

#define COUNT 300

typedef struct record {
    _Atomic int visits[COUNT];
    _Atomic int arrived; /* bodies that run */
    int wait_for;        /* so many at once, before any goes on */
    _Atomic int most_worker;
} record;

static void visit(void *user, int64_t index, int worker)
{
    record *r = user;
    atomic_fetch_add(&r->visits[index], 1);
    atomic_fetch_add(&r->arrived, 1);
    while (atomic_load(&r->arrived) < r->wait_for) {
        sched_yield();
    }
    int most = atomic_load(&r->most_worker);
    while (worker > most && !atomic_compare_exchange_weak(&r->most_worker, &most, worker)) {
    }
}

/* 0: each index once, and by no more than `most` workers. They are waited for: `least` at once. */
static int run_loop(int threads, int least, int most)
{
    static record r;
    memset(&r, 0, sizeof r);
    r.wait_for = least;
    mrwi_base_parallel_for(threads, COUNT, visit, &r);
    for (int i = 0; i < COUNT; i++) {
        if (atomic_load(&r.visits[i]) != 1) {
            return 10;
        }
    }
    return atomic_load(&r.most_worker) < most ? 0 : 11;
}

static void count_one(void *user)
{
    atomic_fetch_add((_Atomic int *)user, 1);
}

static void give_tasks(void *user)
{
    for (int i = 0; i < COUNT; i++) {
        mrwi_base_tasks_add(count_one, user);
    }
    mrwi_base_tasks_wait();
}

static int run_tasks(int threads)
{
    _Atomic int done = 0;
    mrwi_base_tasks_run(threads, give_tasks, &done);
    return atomic_load(&done) == COUNT ? 0 : 12;
}

/* ---- processes ------------------------------------------------------------------------------- */

/* How a child that runs `body` ends. */
static int in_child(int (*body)(void))
{
    int result = 0;
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(60);
        _exit(body());
    }
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

static bool set_limit(int which, rlim_t value)
{
    struct rlimit limit;
    return getrlimit((__rlimit_resource_t)which, &limit) == 0 &&
           (limit.rlim_cur = value, setrlimit((__rlimit_resource_t)which, &limit) == 0);
}

static void *nothing(void *unused)
{
    return unused;
}

#define NO_SUCH_LIMIT 200 /* root, where it can't become somebody else */

/* Becomes a user with `processes` processes at most, this one among them. Root is exempt, and may
 * become anybody; who is not root has other processes, of unknown number: then 1 means no more. */
static bool limit_processes(rlim_t processes)
{
    const uid_t nobody_else = (uid_t)(0x40000000 + getpid());
    pthread_t thread;
    bool alone = geteuid() == 0 && setresuid(nobody_else, nobody_else, nobody_else) == 0;
    if ((!alone && processes > 1) || !set_limit(RLIMIT_NPROC, processes)) {
        return false;
    }
    if (processes == 1 && pthread_create(&thread, NULL, nothing, NULL) == 0) {
        pthread_join(thread, NULL);
        return false;
    }
    return true;
}

static void assert_child(int (*body)(void), const char *name)
{
    int result = in_child(body);
    if (result == NO_SUCH_LIMIT) {
        SKIP("%s: this process can't be limited", name);
        return;
    }
    ck_assert_msg(result == 0, "%s: the child ended with %d", name, result);
}

/* ---- no thread at all ------------------------------------------------------------------------ */

static int work_alone(void)
{
    if (!limit_processes(1)) {
        return NO_SUCH_LIMIT;
    }
    int result = run_loop(4, 1, 1);
    result = result == 0 ? run_tasks(4) : result;
    mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    return result != 0 ? result : lack.wanted == 4 && lack.granted == 1 ? 0 : 13;
}

START_TEST(no_thread_but_the_caller)
{
    assert_child(work_alone, "a process of its own");
}
END_TEST

/* ---- some ------------------------------------------------------------------------------------ */

/* Seven more could be started, of nine: half of them are taken. The rest is for others, such as the
 * import helper. */
static int work_with_some(void)
{
    if (!limit_processes(8)) {
        return NO_SUCH_LIMIT;
    }
    int result = run_loop(10, 4, 4);
    result = result == 0 ? run_tasks(10) : result;
    mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    return result != 0 ? result : lack.wanted == 10 && lack.granted == 4 ? 0 : 13;
}

/* Three of seven, then four: nothing is lacking, and one more at a time is all that is looked for.
 */
static int grow_within_limits(void)
{
    if (!limit_processes(8)) {
        return NO_SUCH_LIMIT;
    }
    int result = 0;
    for (int threads = 2; threads <= 4 && result == 0; threads++) {
        result = run_loop(threads, threads, threads);
    }
    for (int i = 0; i < 50 && result == 0; i++) {
        result = run_loop(2 + i % 3, 2 + i % 3, 2 + i % 3);
    }
    return result != 0 ? result : mrw_thread_shortage_so_far().wanted == 0 ? 0 : 13;
}

/* Four threads of the program call at once; each may start one or two, or none. */
static void *call_loop(void *result)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    _Atomic int *failed = result;
    static _Thread_local record r;
    for (int i = 0; i < 20; i++) {
        memset(&r, 0, sizeof r);
        mrwi_base_parallel_for(3, COUNT, visit, &r);
        for (int k = 0; k < COUNT; k++) {
            if (atomic_load(&r.visits[k]) != 1) {
                atomic_store(failed, 10);
            }
        }
    }
    pthread_mutex_lock(&one_at_a_time);
    int lost = run_loop(5, 1, 5);
    if (lost != 0) {
        atomic_store(failed, lost);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return NULL;
}

static int work_with_callers(void)
{
    enum { CALLERS = 4 };
    pthread_t callers[CALLERS];
    _Atomic int failed = 0;
    if (!limit_processes(CALLERS + 1 + 6)) {
        return NO_SUCH_LIMIT;
    }
    for (int i = 0; i < CALLERS; i++) {
        if (pthread_create(&callers[i], NULL, call_loop, &failed) != 0) {
            return 14;
        }
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i], NULL);
    }
    return atomic_load(&failed);
}

START_TEST(fewer_threads_than_wanted)
{
    assert_child(work_with_some, "some");
    assert_child(grow_within_limits, "growing");
    assert_child(work_with_callers, "several callers");
}
END_TEST

/* ---- address space --------------------------------------------------------------------------- */

/* The address space of this process, in bytes. */
static rlim_t size_of_process(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1) {
        pages = 0;
    }
    if (file) {
        fclose(file);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Stacks of 8 MB and room for ten or eleven: half are taken, so that as much is left for work. */
static int work_in_little_space(void)
{
    const rlim_t stack = 8 << 20, size = size_of_process();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_setattr_default_np(&attributes);
    if (size == 0 || !set_limit(RLIMIT_AS, size + 11 * stack)) {
        return NO_SUCH_LIMIT;
    }
    int result = run_loop(64, 3, 6);
    void *rest = malloc(4 * stack);
    mrw_thread_shortage lack = mrw_thread_shortage_so_far();
    bool fair = lack.wanted == 64 && lack.granted >= 4 && lack.granted <= 6;
    return result != 0 ? result : !rest ? 15 : fair ? 0 : 13;
}

START_TEST(little_address_space)
{
    if (!SANITIZED) {
        assert_child(work_in_little_space, "address space");
    }
}
END_TEST

/* ---- the command ----------------------------------------------------------------------------- */

START_TEST(the_command_goes_on_with_fewer)
{
    if (SANITIZED) {
        return;
    }
    shell("marrow render demo:figure --clip Walk --loop --count 100 --size 16 -j 1 -o "
          "'1/{frame}.png' &&"
          "ulimit -s 8192 && ulimit -v 700000 &&"
          "marrow render demo:figure --clip Walk --loop --count 100 --size 16 -j 100 -v -o "
          "'100/{frame}.png'");
    assert_status(0);
    assert_said("marrow: only ");
    assert_said(" of 100 threads could be started (process or memory limit); ");
    assert_said("the results are the same");
    shell("diff -r 1 100");
    assert_status(0);
    shell("ulimit -s 8192; ulimit -v 700000; marrow render demo:figure --clip Walk --loop --count "
          "100 --size 16 -j 100 -o '100/{frame}.png'");
    assert_status(0);
    ck_assert_msg(!strstr(err, "threads"), "nobody asked: %s", err);
    shell("marrow render demo:blob -j 2 -v -o b.png");
    assert_status(0);
    ck_assert_msg(!strstr(err, "could be started"), "%s", err);
}
END_TEST

/* What OpenMP gives a thread for its stack counts, not what the system would. */
START_TEST(stacks_as_large_as_asked_for)
{
    static const char *const sizes[] = {"64M", "65536", " 65536 k ", "67108864B"};
    const size_t count = SANITIZED ? 0 : sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count; i++) {
        shell("ulimit -s 8192; ulimit -v 700000; OMP_STACKSIZE='%s' marrow render demo:figure "
              "--clip Walk --count 16 --size 16 -j 16 -v -o '{frame}.png' --force",
              sizes[i]);
        assert_status(0);
        assert_said(" of 16 threads could be started");
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("thread_supply");
    TCase *t = tcase_create("thread_supply");
    tcase_add_checked_fixture(t, enter, test_folder_remove);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, no_thread_but_the_caller);
    tcase_add_test(t, fewer_threads_than_wanted);
    tcase_add_test(t, little_address_space);
    tcase_add_test(t, the_command_goes_on_with_fewer);
    tcase_add_test(t, stacks_as_large_as_asked_for);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
