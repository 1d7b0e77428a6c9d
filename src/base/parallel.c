/* parallel.c: the floating-point environment and the parallel loop. */
#include "base/parallel.h"

#include "base/thread_supply.h"
#include "base/work.h"

#include <assert.h>
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>

/* All exceptions masked, nearest-even, neither flush-to-zero nor denormals-are-zero. */
#define MXCSR_DEFAULT 0x1F80u

mrwi_base_fp mrwi_base_fp_enter(void)
{
    mrwi_base_fp fp = {_mm_getcsr()};
    _mm_setcsr(MXCSR_DEFAULT);
    return fp;
}

void mrwi_base_fp_leave(mrwi_base_fp saved)
{
    _mm_setcsr((unsigned)saved.saved);
}

#elif defined(__aarch64__)

/* FPCR 0: nearest-even, no flush-to-zero, no default NaN, no traps. */
mrwi_base_fp mrwi_base_fp_enter(void)
{
    mrwi_base_fp fp = {0};
    __asm__ volatile("mrs %0, fpcr" : "=r"(fp.saved)::"memory");
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
    return fp;
}

void mrwi_base_fp_leave(mrwi_base_fp saved)
{
    __asm__ volatile("msr fpcr, %0" ::"r"(saved.saved) : "memory");
}

#else
#error "the floating-point environment of this CPU is not known: add it here"
#endif

static void run_serially(int64_t count, mrwi_base_parallel_body body, void *user)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (int64_t i = 0; i < count; i++) {
        body(user, i, 0);
    }
    mrwi_base_fp_leave(fp);
}

static _Atomic uint64_t regions;

uint64_t mrwi_base_parallel_regions(void)
{
    return atomic_load(&regions);
}

bool mrwi_base_parallel_inside(void)
{
    return omp_in_parallel();
}

/* The process that has started threads; 0: none has. */
static _Atomic pid_t team_owner;

/* Returns false in a child that was forked after threads were started. It has none of them, and
 * OpenMP would wait for them for ever. */
static bool may_start(void)
{
    const pid_t self = getpid();
    pid_t owner = 0;
    return atomic_compare_exchange_strong(&team_owner, &owner, self) || owner == self;
}

void mrwi_base_parallel_for(int threads, int64_t count, mrwi_base_parallel_body body, void *user)
{
    assert(body);
    int granted = count < threads ? (int)count : threads;
    /* Inside a region the loop runs in its caller: nesting would oversubscribe the CPUs. */
    if (granted <= 1 || omp_in_parallel() || !may_start() ||
        (granted = mrwi_base_threads_reserve(granted)) == 1) {
        run_serially(count, body, user);
        return;
    }
    atomic_fetch_add(&regions, 1);
    const mrwi_base_work work = mrwi_base_work_now();
#pragma omp parallel num_threads(granted)
    {
#pragma omp master
        mrwi_base_threads_started(omp_get_num_threads());
        const mrwi_base_work before = mrwi_base_work_enter(work);
        mrwi_base_fp fp = mrwi_base_fp_enter();
        int worker = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < count; i++) {
            body(user, i, worker);
        }
        mrwi_base_fp_leave(fp);
        mrwi_base_work_enter(before);
    }
}

/* The tasks that a producer has given away, in order. It lies here and not in OpenMP's tasks, which
 * carry nothing: ThreadSanitizer cannot follow how their memory is used again. */
#define MOST_GIVEN 64

typedef struct task_queue {
    struct {
        mrwi_base_task body;
        void *user;
    } work[MOST_GIVEN];
    unsigned given;
    atomic_uint taken; /* each task takes the next */
} task_queue;

/* The queue of the parallel region that this thread works in, and whether the thread is the
 * producer there. Nothing is queued elsewhere: tasks never go to a region that a caller of the
 * library may have. */
static _Thread_local task_queue *region_queue;
static _Thread_local bool is_producer;

void mrwi_base_tasks_run(int threads, mrwi_base_task producer, void *user)
{
    task_queue own = {.given = 0};
    assert(producer && !is_producer);
    if (threads <= 1 || omp_in_parallel() || !may_start() ||
        (threads = mrwi_base_threads_reserve(threads)) == 1) {
        producer(user);
        return;
    }
    atomic_fetch_add(&regions, 1);
    const mrwi_base_work work = mrwi_base_work_now();
#pragma omp parallel num_threads(threads)
    {
        const mrwi_base_work before = mrwi_base_work_enter(work);
        region_queue = &own;
#pragma omp master
        {
            mrwi_base_threads_started(omp_get_num_threads());
            is_producer = true;
            producer(user);
            is_producer = false;
        }
#pragma omp barrier
        region_queue = NULL;
        mrwi_base_work_enter(before);
    }
}

static void do_task(mrwi_base_task body, void *user)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    body(user);
    mrwi_base_fp_leave(fp);
}

static void take_task(void)
{
    const unsigned next = atomic_fetch_add_explicit(&region_queue->taken, 1, memory_order_acq_rel);
    do_task(region_queue->work[next].body, region_queue->work[next].user);
}

void mrwi_base_tasks_add(mrwi_base_task body, void *user)
{
    if (!is_producer || region_queue->given == MOST_GIVEN) {
        do_task(body, user);
        return;
    }
    region_queue->work[region_queue->given].body = body;
    region_queue->work[region_queue->given].user = user;
    region_queue->given++;
#pragma omp task
    take_task();
}

void mrwi_base_tasks_wait(void)
{
    if (is_producer) {
#pragma omp taskwait
        region_queue->given = 0;
        atomic_store_explicit(&region_queue->taken, 0, memory_order_release);
    }
}
