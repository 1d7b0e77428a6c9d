/* m3d_text.c: words, numbers and messages of the M3D reader. */
#include "base/text.h"
#include "load/m3d.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failures -------------------------------------------------------------------------------- */

static uint32_t line_number(const mrwi_load_m3d *m)
{
    uint32_t line = 1;
    for (size_t i = 0; i < m->at && i < m->size; i++) {
        line += m->text[i] == '\n';
    }
    return line;
}

bool mrwi_load_m3d_fail(mrwi_load_m3d *m, const char *format, ...)
{
    char text[400], name[300];
    if (m->status == MRW_OK) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        m->status =
            mrwi_base_fail(m->error, MRW_ERROR_INPUT, "%s: line %" PRIu32 ": %s",
                           mrwi_base_escape(m->job->name, name, sizeof name), line_number(m), text);
    }
    return false;
}

bool mrwi_load_m3d_ok(mrwi_load_m3d *m, mrw_status status)
{
    if (m->status == MRW_OK) {
        m->status = status;
    }
    return m->status == MRW_OK;
}

void *mrwi_load_m3d_keep(mrwi_load_m3d *m, size_t count, size_t size)
{
    void *memory = m->status == MRW_OK ? mrwi_base_arena_alloc(&m->keep, count, size) : NULL;
    if (memory) {
        memset(memory, 0, count * size);
    } else if (m->status == MRW_OK) {
        m->status = mrwi_base_fail_memory(m->error, 0);
    }
    return memory;
}

bool mrwi_load_m3d_charge(mrwi_load_m3d *m, uint64_t rows)
{
    if (rows > m->elements_left) {
        return mrwi_load_m3d_fail(m, "the file has more than the %" PRIu64 " elements allowed",
                                  m->job->def->max_elements);
    }
    m->elements_left -= rows;
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

mrwi_load_m3d_word mrwi_load_m3d_peek(mrwi_load_m3d *m)
{
    while (m->at < m->size && is_space(m->text[m->at])) {
        m->at++;
    }
    size_t end = m->at;
    while (end < m->size && !is_space(m->text[end])) {
        end++;
    }
    return (mrwi_load_m3d_word){m->text + m->at, end - m->at};
}

static bool equals(mrwi_load_m3d_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* Fails with what stands where something else should. */
static bool fail_found(mrwi_load_m3d *m, mrwi_load_m3d_word found, const char *wanted)
{
    char text[41], shown[100];
    snprintf(text, sizeof text, "%.*s", (int)(found.length < 40 ? found.length : 40), found.text);
    return found.length == 0
               ? mrwi_load_m3d_fail(m, "the file ends where %s should stand; export it again",
                                    wanted)
               : mrwi_load_m3d_fail(m, "\"%s\" stands where %s should; export the file again",
                                    mrwi_base_escape(text, shown, sizeof shown), wanted);
}

bool mrwi_load_m3d_next_is(mrwi_load_m3d *m, const char *word)
{
    return equals(mrwi_load_m3d_peek(m), word);
}

bool mrwi_load_m3d_expect(mrwi_load_m3d *m, const char *word)
{
    mrwi_load_m3d_word found = mrwi_load_m3d_peek(m);
    if (m->status != MRW_OK) {
        return false;
    }
    if (!equals(found, word)) {
        return fail_found(m, found, word);
    }
    m->at += found.length;
    return true;
}

bool mrwi_load_m3d_expect_numbered(mrwi_load_m3d *m, const char *start, uint32_t index,
                                   const char *end)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s%" PRIu32 "%s", start, index, end);
    return mrwi_load_m3d_expect(m, wanted);
}

bool mrwi_load_m3d_section(mrwi_load_m3d *m, const char *title)
{
    mrwi_load_m3d_word found = mrwi_load_m3d_peek(m);
    size_t stars = 0, length = strlen(title);
    while (stars < found.length && found.text[stars] == '*') {
        stars++;
    }
    bool good = stars > 0 && found.length > stars + length &&
                memcmp(found.text + stars, title, length) == 0 && found.text[stars + length] == '*';
    if (m->status == MRW_OK && !good) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "the section %s", title);
        return fail_found(m, found, wanted);
    }
    m->at += found.length;
    return m->status == MRW_OK;
}

bool mrwi_load_m3d_line(mrwi_load_m3d *m, const char *word, char *out, size_t size)
{
    if (!mrwi_load_m3d_expect(m, word)) {
        return false;
    }
    size_t start = m->at, end = m->at;
    while (end < m->size && m->text[end] != '\n') {
        end++;
    }
    m->at = end;
    while (start < end && is_space(m->text[start])) {
        start++;
    }
    while (end > start && is_space(m->text[end - 1])) {
        end--;
    }
    if (end - start >= size || memchr(m->text + start, '\0', end - start)) {
        return mrwi_load_m3d_fail(m, "the text behind %s is too long or damaged", word);
    }
    memcpy(out, m->text + start, end - start);
    out[end - start] = '\0';
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

bool mrwi_load_m3d_double(mrwi_load_m3d *m, double *out)
{
    mrwi_load_m3d_word word = mrwi_load_m3d_peek(m);
    if (m->status != MRW_OK) {
        return false;
    }
    if (word.length == 0 || mrwi_base_parse_double(word.text, word.length, out) != word.length) {
        return fail_found(m, word, "a number");
    }
    m->at += word.length;
    return true;
}

bool mrwi_load_m3d_float(mrwi_load_m3d *m, float *out)
{
    double value = 0.0;
    if (!mrwi_load_m3d_double(m, &value)) {
        return false;
    }
    *out = (float)value;
    return isfinite(*out) || mrwi_load_m3d_fail(m, "a number is too large");
}

bool mrwi_load_m3d_floats(mrwi_load_m3d *m, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mrwi_load_m3d_float(m, &out[i])) {
            return false;
        }
    }
    return true;
}

bool mrwi_load_m3d_uint(mrwi_load_m3d *m, uint32_t most, uint32_t *out)
{
    mrwi_load_m3d_word word = mrwi_load_m3d_peek(m);
    uint64_t value = 0;
    bool good = m->status == MRW_OK && word.length > 0 && word.length <= 10;
    for (size_t i = 0; good && i < word.length; i++) {
        good = word.text[i] >= '0' && word.text[i] <= '9';
        value = value * 10 + (uint64_t)(word.text[i] - '0');
    }
    if (!good) {
        return m->status == MRW_OK && fail_found(m, word, "a whole number");
    }
    if (value > most) {
        return mrwi_load_m3d_fail(
            m, "%" PRIu64 " is too large: %" PRIu32 " at most is possible here", value, most);
    }
    m->at += word.length;
    *out = (uint32_t)value;
    return true;
}

/* Three corners of each triangle must still have numbers. */
#define MOST_OF_ALL (UINT32_MAX / 4)

bool mrwi_load_m3d_count(mrwi_load_m3d *m, const char *word, size_t bytes, uint32_t *out)
{
    size_t most = (m->size - m->at) / bytes;
    return mrwi_load_m3d_expect(m, word) &&
           mrwi_load_m3d_uint(m, most < MOST_OF_ALL ? (uint32_t)most : MOST_OF_ALL, out);
}
