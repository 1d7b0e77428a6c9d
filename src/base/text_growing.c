/* text_growing.c: text that grows. */
#include "marrow/text.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes room for size more bytes and a NUL. */
static bool reserve(mrw_text *text, size_t size)
{
    if (text->failed || size >= SIZE_MAX / 4 || text->size >= SIZE_MAX / 4) {
        text->failed = true;
        return false;
    }
    size_t needed = text->size + size + 1;
    if (needed > text->capacity) {
        size_t capacity = needed < 1024 ? 1024 : needed + needed / 2;
        char *grown = mrwi_base_realloc(text->data, text->size, capacity, 1);
        if (!grown) {
            text->failed = true;
            return false;
        }
        text->data = grown;
        text->capacity = capacity;
    }
    return true;
}

void mrw_text_put(mrw_text *text, const void *bytes, size_t size)
{
    if (reserve(text, size)) {
        if (size > 0) {
            memcpy(text->data + text->size, bytes, size);
        }
        text->size += size;
        text->data[text->size] = '\0';
    }
}

void mrw_text_puts(mrw_text *text, const char *string)
{
    mrw_text_put(text, string, strlen(string));
}

void mrw_text_add(mrw_text *text, const char *format, ...)
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

void mrw_text_double(mrw_text *text, double value)
{
    char digits[32];
    mrw_text_put(text, digits, mrwi_base_format_double(value, digits));
}

void mrw_text_float(mrw_text *text, float value)
{
    char digits[32];
    mrw_text_put(text, digits, mrwi_base_format_float(value, digits));
}

void mrw_text_fixed(mrw_text *text, double value, int decimals)
{
    char digits[32];
    mrw_text_put(text, digits, mrwi_base_format_fixed(value, decimals, digits));
}

void mrw_text_escaped(mrw_text *text, const char *stranger)
{
    char safe[512];
    mrw_text_puts(text, mrwi_base_escape(stranger, safe, sizeof safe));
}

mrw_status mrw_text_take(mrw_text *text, mrw_bytes *out, mrw_error *error)
{
    if (reserve(text, 0)) { /* an empty text is a block, too */
        text->data[text->size] = '\0';
    } else {
        mrw_text_free(text);
        return mrwi_base_fail_memory(error, 0);
    }
    *out = (mrw_bytes){(uint8_t *)text->data, text->size};
    *text = (mrw_text){0};
    return MRW_OK;
}

void mrw_text_free(mrw_text *text)
{
    mrwi_base_free(text->data);
    *text = (mrw_text){0};
}

void mrw_text_base64(mrw_text *text, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char out[1024];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        out[used++] = digits[group >> 18];
        out[used++] = digits[group >> 12 & 63];
        out[used++] = left > 1 ? digits[group >> 6 & 63] : '=';
        out[used++] = left > 2 ? digits[group & 63] : '=';
        if (used == sizeof out) {
            mrw_text_put(text, out, used);
            used = 0;
        }
    }
    mrw_text_put(text, out, used);
}
