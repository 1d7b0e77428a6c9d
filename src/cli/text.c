/* text.c: growing text, error messages, standard output. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for size more bytes and a NUL. */
static bool reserve(cli_text *text, size_t size)
{
    size_t needed = text->size + size + 1;
    if (text->failed || needed <= text->size) {
        text->failed = true;
        return false;
    }
    if (needed > text->capacity) {
        size_t capacity = needed < 1024 ? 1024 : needed + needed / 2;
        char *grown = realloc(text->data, capacity);
        if (!grown) {
            text->failed = true;
            return false;
        }
        text->data = grown;
        text->capacity = capacity;
    }
    return true;
}

void cli_text_put(cli_text *text, const void *bytes, size_t size)
{
    if (reserve(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
        text->data[text->size] = '\0';
    }
}

void cli_text_add(cli_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->size += (size_t)length;
}

void cli_text_double(cli_text *text, double value)
{
    char number[32];
    cli_text_put(text, number, mrw_format_double(value, number));
}

void cli_text_float(cli_text *text, float value)
{
    char number[32];
    cli_text_put(text, number, mrw_format_float(value, number));
}

void cli_text_fixed(cli_text *text, double value, int decimals)
{
    char number[32];
    cli_text_put(text, number, mrw_format_fixed(value, decimals, number));
}

void cli_text_escaped(cli_text *text, const char *stranger)
{
    char safe[512];
    mrw_escape_text(stranger, safe, sizeof safe);
    cli_text_put(text, safe, strlen(safe));
}

void cli_text_free(cli_text *text)
{
    free(text->data);
    *text = (cli_text){0};
}

mrw_status cli_fail(mrw_error *error, mrw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

mrw_status cli_fail_memory(mrw_error *error)
{
    return cli_fail(error, MRW_ERROR_MEMORY, "out of memory");
}

mrw_status cli_write_stdout(const void *bytes, size_t size, mrw_error *error)
{
    if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0) {
        return cli_fail(error, MRW_ERROR_OUTPUT, "standard output: %s; nothing more was written",
                        strerror(errno));
    }
    return MRW_OK;
}

mrw_status cli_print(const cli_text *text, mrw_error *error)
{
    if (text->failed) {
        return cli_fail_memory(error);
    }
    return text->size > 0 ? cli_write_stdout(text->data, text->size, error) : MRW_OK;
}
