/* json_parse.c: texts to cJSON trees, with damaged texts told apart from a lack of memory.
 *
 * cJSON returns NULL for both, and what its allocator leaves in errno is the host program's affair
 * (cJSON_InitHooks). So after a failure the text is looked at again, without memory: where nothing
 * is wrong with it, memory was lacking. The look follows RFC 8259, and is narrower than it where
 * cJSON is: what passes here is never refused by cJSON.
 */
#include "base/json_parse.h"

#include "base/memory.h"

#include <string.h>

#define LONGEST_NUMBER 63 /* cJSON 1.7.15 looks no further */

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && memchr(" \t\r\n", *c->at, 4)) {
        c->at++;
    }
}

static bool skip_text(cursor *c, const char *text)
{
    size_t size = strlen(text);
    bool there = (size_t)(c->end - c->at) >= size && memcmp(c->at, text, size) == 0;
    c->at += there ? size : 0;
    return there;
}

/* At least one digit. */
static bool skip_digits(cursor *c)
{
    const char *begin = c->at;
    while (c->at < c->end && is_digit(*c->at)) {
        c->at++;
    }
    return c->at > begin;
}

static bool skip_number(cursor *c)
{
    const char *begin = c->at;
    skip_text(c, "-");
    bool good = skip_text(c, "0") || skip_digits(c);
    if (good && skip_text(c, ".")) {
        good = skip_digits(c);
    }
    if (good && (skip_text(c, "e") || skip_text(c, "E"))) {
        if (!skip_text(c, "+")) {
            skip_text(c, "-");
        }
        good = skip_digits(c);
    }
    return good && c->at - begin <= LONGEST_NUMBER;
}

/* The four digits behind "\u"; false when they are none. */
static bool skip_unit(cursor *c, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, c->at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = c->at < c->end && *c->at != '\0' ? strchr(digits, *c->at) : NULL;
        if (!digit) {
            return false;
        }
        uint32_t value = (uint32_t)(digit - digits);
        *unit = *unit * 16 + (value < 16 ? value : value - 6);
    }
    return true;
}

/* Skips the characters behind a backslash. Surrogates come in pairs. */
static bool skip_escape(cursor *c)
{
    uint32_t unit, low;
    if (!skip_text(c, "u")) {
        return c->at < c->end && memchr("\"\\/bfnrt", *c->at++, 8);
    }
    if (!skip_unit(c, &unit) || (unit >= 0xdc00 && unit <= 0xdfff)) {
        return false;
    }
    return unit < 0xd800 || unit > 0xdbff ||
           (skip_text(c, "\\u") && skip_unit(c, &low) && low >= 0xdc00 && low <= 0xdfff);
}

static bool skip_string(cursor *c)
{
    bool good = skip_text(c, "\"");
    while (good && c->at < c->end && *c->at != '"') {
        good = *c->at++ != '\\' || skip_escape(c);
    }
    return good && skip_text(c, "\"");
}

static bool skip_value(cursor *c, int depth);

/* Skips the members of an object or an array. */
static bool skip_members(cursor *c, bool object, int depth)
{
    const char *close = object ? "}" : "]";
    skip_space(c);
    if (skip_text(c, close)) {
        return true;
    }
    do {
        skip_space(c);
        if (object) {
            if (!skip_string(c)) {
                return false;
            }
            skip_space(c);
            if (!skip_text(c, ":")) {
                return false;
            }
        }
        if (!skip_value(c, depth)) {
            return false;
        }
    } while (skip_text(c, ","));
    return skip_text(c, close);
}

/* With the white space around it. */
static bool skip_value(cursor *c, int depth)
{
    skip_space(c);
    bool good;
    if (c->at < c->end && *c->at == '"') {
        good = skip_string(c);
    } else if (skip_text(c, "{")) {
        good = depth < MRWI_BASE_JSON_DEEPEST && skip_members(c, true, depth + 1);
    } else if (skip_text(c, "[")) {
        good = depth < MRWI_BASE_JSON_DEEPEST && skip_members(c, false, depth + 1);
    } else {
        good =
            skip_text(c, "null") || skip_text(c, "true") || skip_text(c, "false") || skip_number(c);
    }
    skip_space(c);
    return good;
}

static const char *skip_padding(const char *at, const char *end)
{
    while (at < end && memchr(" \t\r\n", *at, 5)) { /* with the NUL */
        at++;
    }
    return at;
}

static bool well_formed(const char *text, size_t size)
{
    cursor c = {text, text + size};
    skip_text(&c, "\xEF\xBB\xBF");
    return skip_value(&c, 0) && skip_padding(c.at, c.end) == c.end;
}

/* Bytes that cJSON allocates for a value, besides the text. */
#define VALUE_BYTES 80u

/* Returns true if a limit of memory leaves room for the tree. The count does not keep it: trees
 * are deleted in many places. */
static bool has_room(const char *text, size_t size)
{
    if (mrwi_base_memory_left() == UINT64_MAX) {
        return true;
    }
    const size_t bytes = (size_t)mrwi_base_json_count(text, size) * VALUE_BYTES + size;
    const bool room = mrwi_base_memory_lend(bytes);
    if (room) {
        mrwi_base_memory_return(bytes);
    }
    return room;
}

mrw_status mrwi_base_json_parse(const char *text, size_t size, cJSON **out, const char **end)
{
    *out = NULL;
    if (mrwi_base_json_is_deep(text, size, end)) {
        return MRW_ERROR_INPUT;
    }
    *end = text;
    *out = NULL;
    if (!has_room(text, size)) {
        return MRW_ERROR_MEMORY;
    }
    *out = cJSON_ParseWithLengthOpts(text, size, end, false);
    if (*out && skip_padding(*end, text + size) == text + size) {
        return MRW_OK;
    }
    bool refused = !*out;
    cJSON_Delete(*out);
    *out = NULL;
    return refused && well_formed(text, size) ? MRW_ERROR_MEMORY : MRW_ERROR_INPUT;
}

bool mrwi_base_json_is_deep(const char *text, size_t size, const char **at)
{
    size_t depth = 0;
    bool in_string = false;
    for (*at = text; *at < text + size && depth <= MRWI_BASE_JSON_DEEPEST; ++*at) {
        const char c = **at;
        if (in_string) {
            *at += c == '\\' && *at + 1 < text + size;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else {
            depth += c == '[' || c == '{';
            depth -= depth > 0 && (c == ']' || c == '}');
        }
    }
    return depth > MRWI_BASE_JSON_DEEPEST;
}

uint64_t mrwi_base_json_count(const char *text, size_t size)
{
    uint64_t values = 1;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else {
            values += c == ',' || c == '[' || c == '{';
        }
    }
    return values;
}
