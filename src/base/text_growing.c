/* text_growing.c: growing text, and strangers' texts in it. */
#include "report/internal.h"

#include "base/text.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes room for size more bytes and a NUL. */
static bool reserve(mrwi_text *text, size_t size)
{
    if (text->failed || size >= SIZE_MAX / 4 || text->size >= SIZE_MAX / 4) {
        text->failed = true;
        return false;
    }
    size_t needed = text->size + size + 1;
    if (needed > text->capacity) {
        size_t capacity = needed < 1024 ? 1024 : needed + needed / 2;
        char *grown = mrwi_realloc(text->data, text->size, capacity, 1);
        if (grown == NULL) {
            text->failed = true;
            return false;
        }
        text->data = grown;
        text->capacity = capacity;
    }
    return true;
}

void mrwi_text_put(mrwi_text *text, const void *bytes, size_t size)
{
    if (reserve(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
        text->data[text->size] = '\0';
    }
}

void mrwi_text_puts(mrwi_text *text, const char *string)
{
    mrwi_text_put(text, string, strlen(string));
}

void mrwi_text_add(mrwi_text *text, const char *format, ...)
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

void mrwi_text_double(mrwi_text *text, double value)
{
    char digits[32];
    mrwi_text_put(text, digits, mrwi_format_double(value, digits));
}

void mrwi_text_fixed(mrwi_text *text, double value, int decimals)
{
    char digits[32];
    mrwi_text_put(text, digits, mrwi_format_fixed(value, decimals, digits));
}

void mrwi_text_escaped(mrwi_text *text, const char *stranger,
                       void (*put)(mrwi_text *text, const char *character))
{
    while (stranger != NULL && *stranger != '\0') {
        char character[8], safe[16];
        uint32_t code = 0;
        size_t length = mrwi_utf8_decode(stranger, &code);
        length = length == 0 ? 1 : length;
        memcpy(character, stranger, length);
        character[length] = '\0';
        put(text, mrwi_escape(character, safe, sizeof safe));
        stranger += length;
    }
}

void mrwi_text_xml(mrwi_text *text, const char *character)
{
    switch (*character) {
    case '&':
        mrwi_text_puts(text, "&amp;");
        break;
    case '<':
        mrwi_text_puts(text, "&lt;");
        break;
    case '>':
        mrwi_text_puts(text, "&gt;");
        break;
    case '"':
        mrwi_text_puts(text, "&quot;");
        break;
    case '\'':
        mrwi_text_puts(text, "&#39;");
        break;
    default: {
        /* U+FFFE and U+FFFF are UTF-8, but no characters (XML 1.0, section 2.2). */
        bool none =
            strcmp(character, "\xEF\xBF\xBE") == 0 || strcmp(character, "\xEF\xBF\xBF") == 0;
        mrwi_text_puts(text, none ? "\xEF\xBF\xBD" : character);
    }
    }
}

/* What must not stand in a JSON string as it is, here: see mrwi_text_json. */
static bool is_quoted_in_json(const char *at, size_t length, uint32_t code)
{
    char safe[16], character[8];
    if (code == '<' || (code == '#' && at[1] == '#') || code == 0xFFFE || code == 0xFFFF) {
        return true;
    }
    memcpy(character, at, length);
    character[length] = '\0';
    return strcmp(mrwi_escape(character, safe, sizeof safe), character) != 0;
}

void mrwi_text_json(mrwi_text *text, const char *string)
{
    if (string == NULL) {
        mrwi_text_puts(text, "null");
        return;
    }
    mrwi_text_put(text, "\"", 1);
    while (*string != '\0') {
        uint32_t code = 0;
        size_t length = mrwi_utf8_decode(string, &code);
        if (length == 0) {
            mrwi_text_puts(text, "\\ufffd");
        } else if (*string == '"' || *string == '\\') {
            mrwi_text_add(text, "\\%c", *string);
        } else if (is_quoted_in_json(string, length, code)) { /* all of them below U+10000 */
            mrwi_text_add(text, "\\u%04x", (unsigned)code);
        } else {
            mrwi_text_put(text, string, length);
        }
        string += length == 0 ? 1 : length;
    }
    mrwi_text_put(text, "\"", 1);
}

mrw_status mrwi_text_take(mrwi_text *text, mrw_bytes *out, mrw_error *error)
{
    reserve(text, 0); /* an empty text is a block, too */
    if (text->failed) {
        mrwi_text_free(text);
        return mrwi_fail_memory(error, 0);
    }
    *out = (mrw_bytes){(uint8_t *)text->data, text->size};
    *text = (mrwi_text){0};
    return MRW_OK;
}

void mrwi_text_free(mrwi_text *text)
{
    mrwi_free(text->data);
    *text = (mrwi_text){0};
}
