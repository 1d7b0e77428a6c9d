/* text.c: error messages, escaping for terminals, safe file names. */
#include "base/text.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cuts an unfinished UTF-8 sequence off the end of a text that was truncated. */
static void trim_partial_sequence(char *text)
{
    size_t length = strlen(text), start = length;
    while (start > 0 && length - start < 4) {
        start--;
        if (((unsigned char)text[start] & 0xC0) != 0x80) {
            uint32_t code = 0;
            if (mrwi_base_utf8_decode(text + start, &code) != length - start) {
                text[start] = '\0';
            }
            return;
        }
    }
}

mrw_status mrw_fail(mrw_error *error, mrw_status status, const char *format, ...)
{
    assert(status != MRW_OK);
    if (!error) {
        return status;
    }
    /* Through a buffer: an argument may be error->text itself, to put words around it. */
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text[0] = '\0';
    } else if ((size_t)length >= sizeof text) {
        trim_partial_sequence(text);
    }
    error->status = status;
    memcpy(error->text, text, strlen(text) + 1);
    return status;
}

mrw_status mrw_fail_memory(mrw_error *error, uint64_t bytes)
{
    const mrwi_base_memory_state m = mrwi_base_memory_now();
    const uint64_t needed = m.refused > 0 ? m.refused : bytes;
    if (m.allowed > 0) {
        char more[64] = "more is needed";
        if (needed > 0) {
            snprintf(more, sizeof more, "%" PRIu64 " more are needed", needed);
        }
        return mrwi_base_fail(error, MRW_ERROR_MEMORY,
                              "out of memory: --memory allows %" PRIu64 " bytes, of which %" PRIu64
                              " are for the program and %" PRIu64
                              " are used; %s: allow more, use a smaller picture or fewer threads",
                              m.allowed, m.reserved, m.used, more);
    }
    if (bytes == 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_MEMORY,
            "out of memory: use a smaller picture, fewer threads or a larger machine");
    }
    return mrwi_base_fail(error, MRW_ERROR_MEMORY,
                          "out of memory (%" PRIu64 " bytes requested): use a smaller picture, "
                          "fewer threads or a larger machine",
                          bytes);
}

mrw_status mrwi_base_fail_memory(mrw_error *error, size_t bytes)
{
    return mrw_fail_memory(error, bytes);
}

/* Characters a terminal acts on, or that reorder or hide the text around them. */
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* "##[group]" and "##vso[task.complete]", which runners of GitHub and Azure obey anywhere in a
 * line.
 */
static bool begins_command(const char *text)
{
    if (text[0] != '#' || text[1] != '#') {
        return false;
    }
    for (text += 2; (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');) {
        text++;
    }
    return *text == '[';
}

const char *mrwi_base_escape(const char *text, char *out, size_t size)
{
    assert(size > 0);
    size_t used = 0;
    /* "::error::" is obeyed at the start of a line, behind blanks too, and this may be put there.
     */
    const char *word = text + strspn(text, " ");
    const char *colons = word[0] == ':' && word[1] == ':' ? word : NULL;
    while (*text != '\0') {
        char piece[16];
        uint32_t code = 0;
        size_t length = mrwi_base_utf8_decode(text, &code);
        if (length == 0 || (is_unsafe(code) && code < 0x80) || text == colons ||
            begins_command(text)) {
            snprintf(piece, sizeof piece, "\\x%02X", (unsigned)(unsigned char)*text);
            length = 1;
        } else if (is_unsafe(code)) {
            snprintf(piece, sizeof piece, "\\u{%04" PRIX32 "}", code);
        } else {
            memcpy(piece, text, length);
            piece[length] = '\0';
        }
        size_t piece_length = strlen(piece);
        if (used + piece_length >= size) {
            break;
        }
        memcpy(out + used, piece, piece_length);
        used += piece_length;
        text += length;
    }
    out[used] = '\0';
    return out;
}

static bool is_plain_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

const char *mrwi_base_without_namespace(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon && colon[1] ? colon + 1 : name;
}

/* Bytes of the sequence at text that stay in a file name as they are; 0: the first byte becomes
 * '_'. */
static size_t stays_in_name(const char *text, bool first)
{
    uint32_t code = 0;
    if ((*text & 0x80) == 0) {
        return is_plain_in_name(*text) && !(first && *text == '.');
    }
    const size_t length = mrwi_base_utf8_decode(text, &code);
    return length > 0 && mrwi_base_utf8_in_name(code) ? length : 0;
}

const char *mrwi_base_file_name(const char *text, char *out, size_t size)
{
    assert(size >= 2);
    size_t used = 0, whole = 0; /* whole: bytes before the last letter with its marks */
    while (*text != '\0') {
        uint32_t code = 0;
        const size_t stays = stays_in_name(text, used == 0), length = stays > 0 ? stays : 1;
        const bool mark = mrwi_base_utf8_decode(text, &code) > 0 && mrwi_base_utf8_is_mark(code);
        whole = mark ? whole : used;
        if (used + length + 1 > size) {
            used = whole > 0 || !mark ? whole : used;
            break;
        }
        memcpy(out + used, stays > 0 ? text : "_", length);
        used += length;
        text += length;
    }
    if (used == 0) {
        out[used++] = '_';
    }
    out[used] = '\0';
    return out;
}

const char *mrwi_base_old_file_name(const char *text, char *out, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 1 < size; text++) {
        out[used++] = (*text & 0x80) != 0 ? '_' : *text;
    }
    out[used] = '\0';
    return out;
}

int mrwi_base_compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
