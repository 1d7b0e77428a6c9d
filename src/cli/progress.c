/* progress.c: frames done, frames a second and time left, on a terminal only. */
#include "cli.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define INTERVAL 0.1 /* seconds between two updates */

static struct {
    pthread_mutex_t lock;
    bool on;
    uint64_t total;
    uint64_t done;
    double start;
    double shown;
    bool visible;
    const char *unit;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cli_progress_begin(uint64_t total, const char *unit)
{
    progress.unit = unit;
    progress.on = total > 1 && isatty(STDERR_FILENO);
    progress.total = total;
    progress.done = 0;
    progress.start = progress.shown = cli_now();
    progress.visible = false;
}

static void show(double now)
{
    char rate_text[32];
    double elapsed = now - progress.start;
    double rate = (double)progress.done / (elapsed > 1e-6 ? elapsed : 1e-6);
    double left = (double)(progress.total - progress.done) / (rate > 1e-6 ? rate : 1e-6);
    unsigned seconds = left < 359999.0 ? (unsigned)(left + 0.5) : 359999u;
    mrw_format_fixed(rate, rate < 10.0 ? 1 : 0, rate_text);
    fprintf(stderr, "\r\033[K%llu/%llu  %u%%  %s %s/s  %u:%02u left",
            (unsigned long long)progress.done, (unsigned long long)progress.total,
            (unsigned)(100 * progress.done / progress.total), rate_text, progress.unit,
            seconds / 60, seconds % 60);
    progress.shown = now;
    progress.visible = true;
}

void cli_progress_step(void)
{
    if (!progress.on) {
        return;
    }
    pthread_mutex_lock(&progress.lock);
    progress.done++;
    double now = cli_now();
    if (now - progress.shown >= INTERVAL) {
        show(now);
    }
    pthread_mutex_unlock(&progress.lock);
}

void cli_progress_clear(void)
{
    pthread_mutex_lock(&progress.lock);
    if (progress.visible) {
        fputs("\r\033[K", stderr);
    }
    progress.visible = false;
    pthread_mutex_unlock(&progress.lock);
}

void cli_progress_end(void)
{
    cli_progress_clear();
    progress.on = false;
}
