/* text.c: messages and copies of text. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mrw_status viewer_fail(mrw_error *error, mrw_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

mrw_status viewer_fail_memory(mrw_error *error)
{
    return viewer_fail(error, MRW_ERROR_MEMORY, "out of memory");
}

char *viewer_copy(const char *text)
{
    return text ? strdup(text) : NULL;
}
