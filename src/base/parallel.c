/* parallel.c: the floating-point environment and the parallel loop. */
#include "base/parallel.h"

#include "base/thread_supply.h"

#include <assert.h>
#include <omp.h>
#include <stdatomic.h>

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>

/* All exceptions masked, nearest-even, neither flush-to-zero nor denormals-are-zero. */
#define MXCSR_DEFAULT 0x1F80u

mrwi_fp mrwi_fp_enter(void)
{
    mrwi_fp fp = {_mm_getcsr()};
    _mm_setcsr(MXCSR_DEFAULT);
    return fp;
}

void mrwi_fp_leave(mrwi_fp saved)
{
    _mm_setcsr((unsigned)saved.saved);
}

#elif defined(__aarch64__)

/* FPCR 0: nearest-even, no flush-to-zero, no default NaN, no traps. */
mrwi_fp mrwi_fp_enter(void)
{
    mrwi_fp fp = {0};
    __asm__ volatile("mrs %0, fpcr" : "=r"(fp.saved)::"memory");
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
    return fp;
}

void mrwi_fp_leave(mrwi_fp saved)
{
    __asm__ volatile("msr fpcr, %0" ::"r"(saved.saved) : "memory");
}

#else
#error "the floating-point environment of this CPU is not known: add it here"
#endif

static void run_serially(int64_t count, mrwi_parallel_body body, void *user)
{
    mrwi_fp fp = mrwi_fp_enter();
    for (int64_t i = 0; i < count; i++) {
        body(user, i, 0);
    }
    mrwi_fp_leave(fp);
}

static _Atomic uint64_t regions;

uint64_t mrwi_parallel_regions(void)
{
    return atomic_load(&regions);
}

void mrwi_parallel_for(int threads, int64_t count, mrwi_parallel_body body, void *user)
{
    assert(body != NULL);
    int team = count < threads ? (int)count : threads;
    /* Inside a region the loop runs in its caller: nesting would oversubscribe the CPUs. */
    if (team <= 1 || omp_in_parallel() || (team = mrwi_recruit(team)) == 1) {
        run_serially(count, body, user);
        return;
    }
    atomic_fetch_add(&regions, 1);
#pragma omp parallel num_threads(team)
    {
#pragma omp master
        mrwi_recruited(omp_get_num_threads());
        mrwi_fp fp = mrwi_fp_enter();
        int worker = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < count; i++) {
            body(user, i, worker);
        }
        mrwi_fp_leave(fp);
    }
}

/* What a lead has given away, in order. It lies here and not in OpenMP's tasks, which carry
 * nothing: ThreadSanitizer cannot follow how their memory is used again. */
#define MOST_GIVEN 64

typedef struct tray {
    struct {
        mrwi_task body;
        void *user;
    } work[MOST_GIVEN];
    unsigned given;
    atomic_uint taken; /* each task takes the next */
} tray;

/* Of the team that a thread is in while somebody leads it: elsewhere work is never given to a team
 * that some caller of the library may have. */
static _Thread_local tray *team_tray;
static _Thread_local bool leads;

void mrwi_lead_tasks(int threads, mrwi_task lead, void *user)
{
    tray own = {.given = 0};
    assert(lead != NULL && !leads);
    if (threads <= 1 || omp_in_parallel() || (threads = mrwi_recruit(threads)) == 1) {
        lead(user);
        return;
    }
    atomic_fetch_add(&regions, 1);
#pragma omp parallel num_threads(threads)
    {
        team_tray = &own;
#pragma omp master
        {
            mrwi_recruited(omp_get_num_threads());
            leads = true;
            lead(user);
            leads = false;
        }
#pragma omp barrier
        team_tray = NULL;
    }
}

static void do_task(mrwi_task body, void *user)
{
    mrwi_fp fp = mrwi_fp_enter();
    body(user);
    mrwi_fp_leave(fp);
}

static void take_task(void)
{
    const unsigned next = atomic_fetch_add_explicit(&team_tray->taken, 1, memory_order_acq_rel);
    do_task(team_tray->work[next].body, team_tray->work[next].user);
}

void mrwi_task_give(mrwi_task body, void *user)
{
    if (!leads || team_tray->given == MOST_GIVEN) {
        do_task(body, user);
        return;
    }
    team_tray->work[team_tray->given].body = body;
    team_tray->work[team_tray->given].user = user;
    team_tray->given++;
#pragma omp task
    take_task();
}

void mrwi_tasks_wait(void)
{
    if (leads) {
#pragma omp taskwait
        team_tray->given = 0;
        atomic_store_explicit(&team_tray->taken, 0, memory_order_release);
    }
}
