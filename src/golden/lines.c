/* lines.c: writes our text files, and reads them strictly: a header line, then lines of words. */
#include "golden/lines.h"

#include "base/text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- writing --------------------------------------------------------------------------------- */

/* Keeps letters of all scripts. Writes bytes that end a line, or that an editor or terminal acts
 * on, as \xNN, so that every name is read back unchanged. */
void mrwi_golden_lines_put_quoted(mrw_text *text, const char *name)
{
    mrw_text_put(text, "\"", 1);
    while (*name) {
        char safe[16];
        uint32_t code = 0;
        size_t length = mrwi_base_utf8_decode(name, &code);
        char one[8] = {0};
        memcpy(one, name, length);
        bool plain = length > 0 && strcmp(mrwi_base_escape(one, safe, sizeof safe), one) == 0;
        if (*name == '"' || *name == '\\') {
            mrw_text_add(text, "\\%c", *name++);
        } else if (plain) {
            mrw_text_put(text, name, length);
            name += length;
        } else {
            for (size_t i = 0; i < (length > 0 ? length : 1); i++) {
                mrw_text_add(text, "\\x%02x", (unsigned)(unsigned char)name[i]);
            }
            name += length > 0 ? length : 1;
        }
    }
    mrw_text_put(text, "\"", 1);
}

/* Writes the shortest text that reads back to the float. Reading rounds twice, through double; if
 * that ends at another float, writes all digits of the double. */
void mrwi_golden_lines_put_float(mrw_text *text, float value)
{
    char number[32];
    double back = 0.0;
    size_t length = mrwi_base_format_float(value, number);
    if (mrwi_base_parse_double(number, length, &back) != length || (float)back != value) {
        length = mrwi_base_format_double(value, number);
    }
    mrw_text_put(text, number, length);
}

void mrwi_golden_lines_put_number(mrw_text *text, double value)
{
    if (value == floor(value) && fabs(value) < 0x1p53) {
        mrw_text_double(text, value);
    } else {
        mrwi_golden_lines_put_float(text, (float)value);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

mrw_status mrwi_golden_lines_fail(const mrwi_golden_lines *lines, mrw_error *error,
                                  const char *what)
{
    char shown[512];
    return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s:%u: %s",
                          mrwi_base_escape(lines->path, shown, sizeof shown), lines->line, what);
}

mrw_status mrwi_golden_lines_begin(mrwi_golden_lines *lines, const char *path,
                                   const mrw_bytes *bytes, const char *first, mrw_error *error)
{
    char what[128];
    size_t length = strlen(first);
    const char *text = (const char *)bytes->data;
    *lines = (mrwi_golden_lines){.path = path, .at = text, .end = text + bytes->size, .line = 1};
    bool begun = bytes->size > length && memcmp(text, first, length) == 0;
    if (begun && text[length] == '\r') {
        return mrwi_golden_lines_fail(lines, error,
                                      "the lines end in CR LF; to keep git from changing them, put "
                                      "'*.txt -text' in .gitattributes");
    }
    if (!begun || text[length] != '\n') {
        snprintf(what, sizeof what, "the first line must be '%s'", first);
        return mrwi_golden_lines_fail(lines, error, what);
    }
    lines->at = text + length;
    return MRW_OK;
}

static bool in_line(const mrwi_golden_lines *lines)
{
    return lines->at < lines->end && *lines->at != '\n';
}

bool mrwi_golden_lines_next(mrwi_golden_lines *lines, char word[16])
{
    while (in_line(lines)) {
        lines->at++;
    }
    if (lines->end - lines->at <= 1) {
        return false;
    }
    lines->at++;
    lines->line++;
    size_t used = 0;
    for (; in_line(lines) && *lines->at != ' '; lines->at++) {
        if (used < 15) {
            word[used++] = *lines->at == '\0' ? '?' : *lines->at;
        }
    }
    word[used] = '\0';
    return true;
}

static bool skip_space(mrwi_golden_lines *lines)
{
    if (in_line(lines) && *lines->at == ' ') {
        lines->at++;
        return in_line(lines) && *lines->at != ' ';
    }
    return false;
}

mrw_status mrwi_golden_lines_word(mrwi_golden_lines *lines, char *out, size_t size,
                                  mrw_error *error)
{
    size_t used = 0;
    if (!skip_space(lines)) {
        return mrwi_golden_lines_fail(lines, error, "a word is missing");
    }
    for (; in_line(lines) && *lines->at != ' '; lines->at++) {
        if (*lines->at == '\0' || used + 1 >= size) {
            return mrwi_golden_lines_fail(lines, error,
                                          "a word is too long or contains a zero byte");
        }
        out[used++] = *lines->at;
    }
    out[used] = '\0';
    return MRW_OK;
}

/* Smaller numbers round to a finite float. */
#define FLOAT_END 0x1.ffffffp127

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads an escaped character after the backslash. Returns 0 for an unknown escape. */
static char unescape(mrwi_golden_lines *lines)
{
    const char *at = lines->at;
    if (lines->end - at < 3) {
        return 0;
    }
    if (*at == '"' || *at == '\\') {
        lines->at++;
        return *at;
    }
    int high = hex_digit(at[1]), low = hex_digit(at[2]);
    if (*at != 'x' || high < 0 || low < 0) {
        return 0;
    }
    lines->at += 3;
    return (char)(unsigned char)(16 * high + low);
}

mrw_status mrwi_golden_lines_quoted(mrwi_golden_lines *lines, char *out, size_t size,
                                    mrw_error *error)
{
    size_t used = 0;
    if (!skip_space(lines) || *lines->at != '"') {
        return mrwi_golden_lines_fail(lines, error, "a name in quotes is missing");
    }
    lines->at++;
    while (in_line(lines) && *lines->at != '"') {
        char c = *lines->at++;
        if (c == '\\') {
            c = unescape(lines);
        }
        if (c == '\0' || used + 1 >= size) {
            return mrwi_golden_lines_fail(lines, error,
                                          "a name is too long or has an invalid escape");
        }
        out[used++] = c;
    }
    out[used] = '\0';
    if (!in_line(lines)) {
        return mrwi_golden_lines_fail(lines, error, "a name has no closing quote");
    }
    lines->at++;
    return MRW_OK;
}

mrw_status mrwi_golden_lines_uint(mrwi_golden_lines *lines, uint32_t *out, mrw_error *error)
{
    char word[16];
    uint64_t value = 0;
    mrw_status status = mrwi_golden_lines_word(lines, word, sizeof word, error);
    if (status) {
        return status;
    }
    for (const char *c = word; *c; c++) {
        if (*c < '0' || *c > '9') {
            return mrwi_golden_lines_fail(lines, error, "a number is expected");
        }
        value = 10 * value + (uint64_t)(*c - '0');
    }
    if (value > UINT32_MAX) {
        return mrwi_golden_lines_fail(lines, error, "the number is too large");
    }
    *out = (uint32_t)value;
    return MRW_OK;
}

mrw_status mrwi_golden_lines_double(mrwi_golden_lines *lines, double *out, mrw_error *error)
{
    double value = 0.0;
    const char *start = lines->at + 1;
    if (!skip_space(lines)) {
        return mrwi_golden_lines_fail(lines, error, "a number is missing");
    }
    while (in_line(lines) && *lines->at != ' ') {
        lines->at++;
    }
    size_t length = (size_t)(lines->at - start);
    if (mrwi_base_parse_double(start, length, &value) != length) {
        return mrwi_golden_lines_fail(lines, error, "a finite number is expected");
    }
    *out = value;
    return MRW_OK;
}

mrw_status mrwi_golden_lines_float(mrwi_golden_lines *lines, float *out, mrw_error *error)
{
    double value = 0.0;
    *out = 0.0f;
    mrw_status status = mrwi_golden_lines_double(lines, &value, error);
    if (status) {
        return status;
    }
    if (value >= FLOAT_END || value <= -FLOAT_END) {
        return mrwi_golden_lines_fail(lines, error, "a finite number is expected");
    }
    *out = (float)value;
    return MRW_OK;
}

mrw_status mrwi_golden_lines_hash(mrwi_golden_lines *lines, char out[65], mrw_error *error)
{
    mrw_status status = mrwi_golden_lines_word(lines, out, 65, error);
    if (status) {
        return status;
    }
    for (const char *c = out; *c; c++) {
        if (hex_digit(*c) < 0) {
            return mrwi_golden_lines_fail(lines, error, "a hash must have 64 digits 0-9 and a-f");
        }
    }
    return strlen(out) == 64
               ? MRW_OK
               : mrwi_golden_lines_fail(lines, error, "a hash must have 64 digits 0-9 and a-f");
}

char mrwi_golden_lines_peek(const mrwi_golden_lines *lines)
{
    const bool more = in_line(lines) && lines->end - lines->at > 1 && lines->at[1] != '\n';
    return more ? lines->at[1] : '\0';
}

size_t mrwi_golden_lines_spaces(const mrwi_golden_lines *lines)
{
    size_t count = 0;
    for (const char *at = lines->at; at < lines->end && *at != '\n'; at++) {
        count += *at == ' ';
    }
    return count;
}

mrw_status mrwi_golden_lines_finish(mrwi_golden_lines *lines, mrw_error *error)
{
    if (lines->at == lines->end) {
        return mrwi_golden_lines_fail(lines, error, "the file ends in the middle of this line");
    }
    return *lines->at == '\n'
               ? MRW_OK
               : mrwi_golden_lines_fail(lines, error, "there is extra text in this line");
}
