/* m3d_text.c: words, numbers and messages of the M3D reader. */
#include "base/text.h"
#include "load/m3d.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failures -------------------------------------------------------------------------------- */

static uint32_t line_number(const mrwi_load_m3d_cursor *c)
{
    uint32_t line = 1;
    for (size_t i = 0; i < c->at && i < c->size; i++) {
        line += c->text[i] == '\n';
    }
    return line;
}

bool mrwi_load_m3d_fail(mrwi_load_m3d_cursor *c, const char *format, ...)
{
    char text[400], name[300];
    if (!c->status) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        c->status =
            mrwi_base_fail(c->error, MRW_ERROR_INPUT, "%s: line %" PRIu32 ": %s",
                           mrwi_base_escape(c->name, name, sizeof name), line_number(c), text);
    }
    return false;
}

bool mrwi_load_m3d_ok(mrwi_load_m3d_cursor *c, mrw_status status)
{
    if (!c->status) {
        c->status = status;
    }
    return !c->status;
}

void *mrwi_load_m3d_keep(mrwi_load_m3d_cursor *c, mrwi_base_arena *kept, size_t count, size_t size)
{
    void *memory = !c->status ? mrwi_base_arena_alloc(kept, count, size) : NULL;
    if (memory) {
        memset(memory, 0, count * size);
    } else if (!c->status) {
        c->status = mrwi_base_fail_memory(c->error, 0);
    }
    return memory;
}

bool mrwi_load_m3d_charge(mrwi_load_m3d_cursor *c, uint64_t rows)
{
    if (rows > c->elements_left) {
        return mrwi_load_m3d_fail(c, "the file has more than the %" PRIu64 " elements allowed",
                                  c->most_elements);
    }
    c->elements_left -= rows;
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

mrwi_load_m3d_word mrwi_load_m3d_peek(mrwi_load_m3d_cursor *c)
{
    while (c->at < c->size && is_space(c->text[c->at])) {
        c->at++;
    }
    size_t end = c->at;
    while (end < c->size && !is_space(c->text[end])) {
        end++;
    }
    return (mrwi_load_m3d_word){c->text + c->at, end - c->at};
}

static bool equals(mrwi_load_m3d_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* Fails with the word that is there and the one that should be. */
static bool fail_found(mrwi_load_m3d_cursor *c, mrwi_load_m3d_word found, const char *wanted)
{
    char text[41], shown[100];
    snprintf(text, sizeof text, "%.*s", (int)(found.length < 40 ? found.length : 40), found.text);
    return found.length == 0
               ? mrwi_load_m3d_fail(c, "the file ends where %s was expected; export it again",
                                    wanted)
               : mrwi_load_m3d_fail(c, "found \"%s\" where %s was expected; export the file again",
                                    mrwi_base_escape(text, shown, sizeof shown), wanted);
}

bool mrwi_load_m3d_next_is(mrwi_load_m3d_cursor *c, const char *word)
{
    return equals(mrwi_load_m3d_peek(c), word);
}

bool mrwi_load_m3d_expect(mrwi_load_m3d_cursor *c, const char *word)
{
    mrwi_load_m3d_word found = mrwi_load_m3d_peek(c);
    if (c->status) {
        return false;
    }
    if (!equals(found, word)) {
        return fail_found(c, found, word);
    }
    c->at += found.length;
    return true;
}

bool mrwi_load_m3d_expect_numbered(mrwi_load_m3d_cursor *c, const char *start, uint32_t index,
                                   const char *end)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s%" PRIu32 "%s", start, index, end);
    return mrwi_load_m3d_expect(c, wanted);
}

bool mrwi_load_m3d_section(mrwi_load_m3d_cursor *c, const char *title)
{
    mrwi_load_m3d_word found = mrwi_load_m3d_peek(c);
    size_t stars = 0, length = strlen(title);
    while (stars < found.length && found.text[stars] == '*') {
        stars++;
    }
    bool good = stars > 0 && found.length > stars + length &&
                memcmp(found.text + stars, title, length) == 0 && found.text[stars + length] == '*';
    if (!c->status && !good) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "the section %s", title);
        return fail_found(c, found, wanted);
    }
    c->at += found.length;
    return !c->status;
}

bool mrwi_load_m3d_line(mrwi_load_m3d_cursor *c, const char *word, char *out, size_t size)
{
    if (!mrwi_load_m3d_expect(c, word)) {
        return false;
    }
    size_t start = c->at, end = c->at;
    while (end < c->size && c->text[end] != '\n') {
        end++;
    }
    c->at = end;
    while (start < end && is_space(c->text[start])) {
        start++;
    }
    while (end > start && is_space(c->text[end - 1])) {
        end--;
    }
    if (end - start >= size || memchr(c->text + start, '\0', end - start)) {
        return mrwi_load_m3d_fail(c, "the text after %s is too long or damaged", word);
    }
    memcpy(out, c->text + start, end - start);
    out[end - start] = '\0';
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

bool mrwi_load_m3d_double(mrwi_load_m3d_cursor *c, double *out)
{
    mrwi_load_m3d_word word = mrwi_load_m3d_peek(c);
    if (c->status) {
        return false;
    }
    if (word.length == 0 || mrwi_base_parse_double(word.text, word.length, out) != word.length) {
        return fail_found(c, word, "a number");
    }
    c->at += word.length;
    return true;
}

bool mrwi_load_m3d_float(mrwi_load_m3d_cursor *c, float *out)
{
    double value = 0.0;
    if (!mrwi_load_m3d_double(c, &value)) {
        return false;
    }
    *out = (float)value;
    return isfinite(*out) || mrwi_load_m3d_fail(c, "a number is too large");
}

bool mrwi_load_m3d_floats(mrwi_load_m3d_cursor *c, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mrwi_load_m3d_float(c, &out[i])) {
            return false;
        }
    }
    return true;
}

bool mrwi_load_m3d_uint(mrwi_load_m3d_cursor *c, uint32_t most, uint32_t *out)
{
    mrwi_load_m3d_word word = mrwi_load_m3d_peek(c);
    uint64_t value = 0;
    if (c->status) {
        return false;
    }
    bool good = word.length > 0 && word.length <= 10;
    for (size_t i = 0; good && i < word.length; i++) {
        good = word.text[i] >= '0' && word.text[i] <= '9';
        value = value * 10 + (uint64_t)(word.text[i] - '0');
    }
    if (!good) {
        return fail_found(c, word, "a whole number");
    }
    if (value > most) {
        return mrwi_load_m3d_fail(c, "%" PRIu64 " is too large: %" PRIu32 " is the maximum here",
                                  value, most);
    }
    c->at += word.length;
    *out = (uint32_t)value;
    return true;
}

/* Largest count of anything: three corners per triangle must still have numbers. */
#define MOST_OF_ALL (UINT32_MAX / 4)

bool mrwi_load_m3d_count(mrwi_load_m3d_cursor *c, const char *word, size_t bytes, uint32_t *out)
{
    size_t most = (c->size - c->at) / bytes;
    return mrwi_load_m3d_expect(c, word) &&
           mrwi_load_m3d_uint(c, most < MOST_OF_ALL ? (uint32_t)most : MOST_OF_ALL, out);
}
