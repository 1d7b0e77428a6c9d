/* text.c: growing bytes and error messages. Those of the library are its own, and the command,
 * which calls this room, prints with others. */
#include "bench/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for size more bytes and a NUL. */
static bool reserve(bench_text *text, size_t size)
{
    const size_t needed = text->size + size + 1;
    if (!text->failed && needed > text->capacity) {
        const size_t capacity = needed + needed / 2;
        char *grown = realloc(text->data, capacity);
        text->failed = !grown;
        text->data = grown ? grown : text->data;
        text->capacity = grown ? capacity : text->capacity;
    }
    return !text->failed;
}

void mrwi_bench_text_put(bench_text *text, const void *bytes, size_t size)
{
    if (size > 0 && reserve(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
    }
}

void mrwi_bench_text_add(bench_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && reserve(text, (size_t)length)) {
        va_start(arguments, format);
        vsnprintf(text->data + text->size, (size_t)length + 1, format, arguments);
        va_end(arguments);
        text->size += (size_t)length;
    }
}

void mrwi_bench_text_free(bench_text *text)
{
    free(text->data);
    *text = (bench_text){0};
}

mrw_status mrwi_bench_fail(mrw_error *error, mrw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

mrw_status mrwi_bench_fail_memory(mrw_error *error)
{
    return mrwi_bench_fail(error, MRW_ERROR_MEMORY, "out of memory");
}
