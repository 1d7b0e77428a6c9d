/* clock.c: the one place that reads a clock. */
#include "marrow/base.h"

#include <time.h>

double mrw_clock_seconds(mrw_clock clock)
{
    struct timespec now;
    clock_gettime(clock == MRW_CLOCK_PROCESS ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
