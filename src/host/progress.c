/* progress.c: a line with progress, speed and time left, on a terminal only. */
#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define INTERVAL 0.1 /* seconds between two updates */

static struct {
    pthread_mutex_t lock;
    bool on;
    uint64_t total;
    uint64_t done;
    double start; /* in seconds */
    double shown; /* time of the last update, in seconds */
    bool visible;
    const char *one; /* name of a unit: "frame" */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin(uint64_t total, const char *one)
{
    progress.one = one;
    progress.on = total > 1 && isatty(STDERR_FILENO);
    progress.total = total;
    progress.done = 0;
    progress.start = progress.shown = mrw_clock_seconds(MRW_CLOCK_WALL);
    progress.visible = false;
}

void host_progress_begin(uint64_t total, const char *one)
{
    host_say_warnings();
    begin(total, one);
}

static void show(double now)
{
    char pace[64];
    double elapsed = now - progress.start;
    double rate = (double)progress.done / (elapsed > 1e-6 ? elapsed : 1e-6);
    double left = (double)(progress.total - progress.done) / (rate > 1e-6 ? rate : 1e-6);
    unsigned seconds = left < 359999.0 ? (unsigned)(left + 0.5) : 359999u;
    fprintf(stderr, "\r\033[K%llu/%llu %ss  %u%%  %s  %u:%02u left",
            (unsigned long long)progress.done, (unsigned long long)progress.total, progress.one,
            (unsigned)(100 * progress.done / progress.total),
            host_pace((double)progress.done, elapsed, progress.one, pace), seconds / 60,
            seconds % 60);
    progress.shown = now;
    progress.visible = true;
}

void host_progress_step(void)
{
    if (!progress.on) {
        return;
    }
    pthread_mutex_lock(&progress.lock);
    progress.done++;
    double now = mrw_clock_seconds(MRW_CLOCK_WALL);
    if (now - progress.shown >= INTERVAL) {
        show(now);
    }
    pthread_mutex_unlock(&progress.lock);
}

void host_progress_reach(uint64_t done, uint64_t total, const char *one)
{
    pthread_mutex_lock(&progress.lock);
    if (progress.total != total) { /* a new task */
        begin(total, one);
    }
    const double now = mrw_clock_seconds(MRW_CLOCK_WALL);
    if (progress.on && done > progress.done && now - progress.shown >= INTERVAL) {
        progress.done = done;
        show(now);
    }
    pthread_mutex_unlock(&progress.lock);
}

void host_progress_clear(void)
{
    pthread_mutex_lock(&progress.lock);
    if (progress.visible) {
        fputs("\r\033[K", stderr);
    }
    progress.visible = false;
    pthread_mutex_unlock(&progress.lock);
}

void host_progress_end(void)
{
    host_progress_clear();
    progress.on = false;
    progress.total = 0;
}
