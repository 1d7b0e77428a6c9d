/* fail.c: error messages. Those of the library are its own, and the command, which calls this room,
 * prints with others. */
#include "bench/internal.h"

#include <stdarg.h>
#include <stdio.h>

mrw_status bench_fail(mrw_error *error, mrw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

mrw_status bench_fail_memory(mrw_error *error)
{
    return bench_fail(error, MRW_ERROR_MEMORY, "out of memory");
}
