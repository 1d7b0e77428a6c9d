/* fail.c: error messages of this room. It can use neither the functions of the library, which are
 * private, nor those of the command, which calls this room. */
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
