/* thread_supply.c: how many threads a parallel region can have.
 *
 * OpenMP ends the process when a thread that it needs cannot be started, as under a limit of
 * processes (a container's, a user's) or of address space. So before a region grows, as many
 * threads as it needs more are started by hand, wait for each other and end again; that OpenMP can
 * start as many is then known. It costs about what OpenMP takes to start them, and nothing where a
 * region is no larger than the one before it of the same caller, whose threads are still there.
 *
 * Where they can't all be started, half of those that can be are taken: the work, the import helper
 * and other programs need something, too, of what is short.
 *
 * What remains: another program, or a thread that is not marrow's, may take between the looking and
 * OpenMP's starting what was found; and a caller whose own parallel regions are smaller than
 * marrow's makes OpenMP end threads that marrow takes to be there. Callers within one process wait
 * for each other.
 */
#include "base/thread_supply.h"

#include "marrow/base.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Held from the looking until OpenMP has started the threads. */
static pthread_mutex_t reserving = PTHREAD_MUTEX_INITIALIZER;
static mrw_thread_shortage shortage; /* guarded by it */

/* Threads of the calling thread's last region, which OpenMP keeps. */
static _Thread_local int running = 1;
static _Thread_local bool holds; /* `reserving` */
/* The number it got when there were too few; it asks for more only after a while. */
static _Thread_local int most = INT_MAX;
static _Thread_local int64_t most_since;

#define RETRY_SECONDS 1

/* More are taken to be startable when these are. */
#define MOST_AT_ONCE 1024

/* ---- looking --------------------------------------------------------------------------------- */

typedef struct candidate {
    pthread_t thread;
    pid_t id;
} candidate;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *stand_by(void *user)
{
    ((candidate *)user)->id = gettid();
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return NULL;
}

/* Whoever was joined may still count for the limits; he does not once his id is nobody's. The bound
 * is there for an id that somebody new has got. */
static void see_off(const candidate *c)
{
    pthread_join(c->thread, NULL);
    for (int i = 0; i < 1000 && tgkill(getpid(), c->id, 0) == 0; i++) {
        sched_yield();
    }
}

/* OMP_STACKSIZE, or GOMP_STACKSIZE: "4M", "4096", " 4096 k "; 0: neither is set, or has a size. */
static size_t stack_asked_for(void)
{
    static const char units[] = "bkmg";
    const char *text = getenv("OMP_STACKSIZE");
    char *end;
    if (!text && !(text = getenv("GOMP_STACKSIZE"))) {
        return 0;
    }
    unsigned long long number = strtoull(text, &end, 10);
    end += strspn(end, " \t");
    const char *unit = *end ? strchr(units, *end | 0x20) : &units[1];
    int shift = unit ? 10 * (int)(unit - units) : 0;
    return !unit || number > SIZE_MAX >> shift ? 0 : (size_t)number << shift;
}

/* Returns true if the stacks of so many threads would fit twice: a thread's work takes about as
 * much memory as its stack. */
static bool has_room(size_t stack, int count)
{
    size_t size = 0;
    if (__builtin_mul_overflow(stack, (size_t)count, &size)) {
        return false;
    }
    void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && munmap(room, size) == 0;
}

/* How many of `count` threads can be started beside those that run: all, where one more than that
 * could, for an import helper, say. */
static int look_for(int count, bool *ample)
{
    pthread_attr_t attributes;
    size_t stack = stack_asked_for();
    candidate all[MOST_AT_ONCE + 1];
    int found = 0;
    *ample = false;
    count = count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
    if (pthread_attr_init(&attributes) != 0) {
        return 0;
    }
    if (stack > 0) {
        pthread_attr_setstacksize(&attributes, stack);
    }
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_mutex_lock(&gate);
    while (found <= count &&
           pthread_create(&all[found].thread, &attributes, stand_by, &all[found]) == 0) {
        found++;
    }
    *ample = found > count && has_room(stack, count);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < found; i++) {
        see_off(&all[i]);
    }
    pthread_attr_destroy(&attributes);
    return found;
}

/* ---- reserving ------------------------------------------------------------------------------- */

static void note_shortage(int wanted, int granted)
{
    const mrw_thread_shortage s = shortage;
    shortage.granted = s.wanted == 0 || granted < s.granted ? granted : s.granted;
    shortage.wanted = wanted > s.wanted ? wanted : s.wanted;
}

/* How many threads a region can have that may be larger than the last one. */
static int threads_for(int wanted)
{
    if (wanted > most && (int64_t)mrw_clock_seconds(MRW_CLOCK_WALL) - most_since <= RETRY_SECONDS) {
        wanted = most;
    }
    if (wanted <= running) {
        return wanted;
    }
    bool ample;
    const int others = running - 1 + look_for(wanted - running, &ample);
    if (ample) {
        return wanted;
    }
    most = 1 + others / 2 > running ? 1 + others / 2 : running;
    most_since = (int64_t)mrw_clock_seconds(MRW_CLOCK_WALL);
    return most;
}

/* A child of fork has one thread, and none that could give the lock back. */
static void reset_in_child(void)
{
    reserving = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    gate = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    holds = false;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, reset_in_child);
}

int mrwi_base_threads_reserve(int wanted)
{
    if (wanted <= running) {
        return wanted;
    }
    pthread_mutex_lock(&reserving);
    const int granted = threads_for(wanted);
    if (granted < wanted) {
        note_shortage(wanted, granted);
    }
    holds = granted > running;
    if (!holds) {
        pthread_mutex_unlock(&reserving);
    }
    return granted;
}

void mrwi_base_threads_started(int started)
{
    running = started;
    if (holds) {
        holds = false;
        pthread_mutex_unlock(&reserving);
    }
}

mrw_thread_shortage mrw_thread_shortage_so_far(void)
{
    pthread_mutex_lock(&reserving);
    mrw_thread_shortage so_far = shortage;
    pthread_mutex_unlock(&reserving);
    return so_far;
}
