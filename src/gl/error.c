/* error.c: error messages. */
#include "gl/gl.h"

#include <stdarg.h>
#include <stdio.h>

mrw_status gl_fail(mrw_error *error, mrw_status status, const char *format, ...)
{
    va_list arguments;
    if (error) {
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
