/* clock.c: measures for `marrow bench`: runs the contestants in turn and takes medians. */
#include "bench/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROUNDS   41
#define LEAST_ROUNDS  5
#define QUICK_ROUNDS  2
#define ROW_SECONDS   1.5   /* time of a row; LEAST_ROUNDS are made even if they take longer */
#define CALLS_SECONDS 0.002 /* least time of a measurement, far above the clock's resolution */

void bench_add_kernels(const bench *b, bench_ways *ways, bench_work work)
{
    for (int i = 0; i < b->isa_count; i++) {
        ways->way[ways->count++] =
            (bench_way){.name = mrw_isa_name(b->isas[i]), .isa = b->isas[i], .work = work};
    }
}

void bench_add_yardstick(bench_ways *ways, const char *name, bench_work work)
{
    ways->way[ways->count++] = (bench_way){.name = name, .isa = MRW_ISA_AUTO, .work = work};
}

mrw_status bench_check(const bench *b, mrw_error *error)
{
    return b->job->stopped() ? mrw_fail(error, MRW_ERROR_CANCELLED, "stopped by a signal") : MRW_OK;
}

int bench_slow_rounds(const bench *b)
{
    return b->job->quick ? QUICK_ROUNDS : LEAST_ROUNDS;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_settle(bench_way *way, double *values, int count, bool higher)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    way->median = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    way->best = values[higher ? count - 1 : 0];
    way->runs = count;
}

/* Calls a way `calls` times; *seconds is the time of one call. */
static mrw_status time_calls(const bench *b, const bench_way *way, void *data, mrw_clock clock,
                             int calls, double *seconds, mrw_error *error)
{
    mrw_status status = bench_check(b, error);
    if (status) {
        return status;
    }
    double start = mrw_clock_seconds(clock);
    for (int i = 0; i < calls; i++) {
        status = way->work(data, way->isa, error);
        if (status) {
            return status;
        }
    }
    *seconds = (mrw_clock_seconds(clock) - start) / calls;
    return MRW_OK;
}

/* Warms up with a first call. The second tells how many calls a measurement needs. */
static mrw_status warm_up(const bench *b, const bench_way *way, void *data, mrw_clock clock,
                          int *calls, mrw_error *error)
{
    double seconds = 0.0;
    mrw_status status = time_calls(b, way, data, clock, 1, &seconds, error);
    if (status) {
        return status;
    }
    if (seconds < CALLS_SECONDS) {
        status = time_calls(b, way, data, clock, 1, &seconds, error);
        if (status) {
            return status;
        }
    }
    double wanted = ceil(CALLS_SECONDS / (seconds > 1e-8 ? seconds : 1e-8));
    *calls = wanted > 1.0 ? (int)wanted : 1;
    return MRW_OK;
}

mrw_status bench_measure(const bench *b, bench_ways *ways, void *data, mrw_clock clock,
                         mrw_error *error)
{
    double values[BENCH_MOST_WAYS][MOST_ROUNDS];
    int calls[BENCH_MOST_WAYS], rounds = 0, least = bench_slow_rounds(b);
    for (int w = 0; w < ways->count; w++) {
        mrw_status status = warm_up(b, &ways->way[w], data, clock, &calls[w], error);
        if (status) {
            return status;
        }
    }
    double end = mrw_clock_seconds(MRW_CLOCK_WALL) + (b->job->quick ? 0.0 : ROW_SECONDS);
    while (rounds < MOST_ROUNDS && (rounds < least || mrw_clock_seconds(MRW_CLOCK_WALL) < end)) {
        for (int w = 0; w < ways->count; w++) {
            mrw_status status =
                time_calls(b, &ways->way[w], data, clock, calls[w], &values[w][rounds], error);
            if (status) {
                return status;
            }
        }
        rounds++;
    }
    for (int w = 0; w < ways->count; w++) {
        bench_settle(&ways->way[w], values[w], rounds, false);
    }
    return MRW_OK;
}

void bench_scale(const bench_row *row, bench_ways *ways, double factor)
{
    for (int w = 0; w < ways->count; w++) {
        bench_way *way = &ways->way[w];
        way->median = row->higher ? factor / way->median : factor * way->median;
        way->best = row->higher ? factor / way->best : factor * way->best;
    }
}

/* ---- copying --------------------------------------------------------------------------------- */

#define COPY_ROUNDS 9
#define COPY_BYTES  ((size_t)128 << 20) /* bytes of a round; small blocks are copied repeatedly */

double bench_copy_speed(size_t size)
{
    double seconds[COPY_ROUNDS];
    bench_way way = {0};
    char *from = bench_array(size, 1), *to = bench_array(size, 1);
    size_t calls = COPY_BYTES / size;
    for (int r = 0; r < COPY_ROUNDS && from && to; r++) {
        double start = mrw_clock_seconds(MRW_CLOCK_PROCESS);
        for (size_t i = 0; i < calls; i++) {
            memcpy(to, from, size);
            __asm__ volatile("" ::"r"(to) : "memory"); /* else only the last copy is made */
        }
        seconds[r] = (mrw_clock_seconds(MRW_CLOCK_PROCESS) - start) / (double)calls;
    }
    if (from && to) {
        bench_settle(&way, seconds, COPY_ROUNDS, false);
    }
    free(from);
    free(to);
    return way.runs > 0 ? (double)size / way.median * 1e-9 : 0.0;
}
