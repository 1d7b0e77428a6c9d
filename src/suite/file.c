/* file.c: reads a suite file into sections and keys with inih. inih accepts several mistakes
 * silently: it cuts section names, joins repeated sections, lets the last of repeated keys win,
 * and takes an indented line as a continuation of the value above. Therefore each line is
 * checked on its way into inih, which asks for one line at a time. This also gives the line
 * number of a key. */
#include "suite/suite.h"

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mrw_status mrwi_suite_prefix(const mrwi_suite *suite, uint32_t line, mrw_error *error,
                             mrw_status status)
{
    char where[512];
    if (!status || status == MRW_ERROR_MEMORY) {
        return status;
    }
    if (!error) {
        return MRW_ERROR_USAGE;
    }
    const mrw_error plain = *error;
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "%s:%u: %s",
                          mrwi_base_escape(suite->path, where, sizeof where), line, plain.text);
}

mrw_status mrwi_suite_fail(const mrwi_suite *suite, uint32_t line, mrw_error *error,
                           const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mrwi_base_fail(error, MRW_ERROR_USAGE, "%s", text);
    return mrwi_suite_prefix(suite, line, error, MRW_ERROR_USAGE);
}

/* A file while inih reads it. */
typedef struct reading {
    mrwi_suite *suite;
    const char *at;
    const char *end;
    uint32_t line;
    mrwi_base_arena *arena;
    mrw_status status;
    mrw_error *error;
} reading;

static mrwi_suite_section *current(const reading *r)
{
    return r->suite->section_count == 0 ? NULL : &r->suite->sections[r->suite->section_count - 1];
}

/* ---- one line -------------------------------------------------------------------------------- */

static mrw_status check_text(const reading *r, const char *line, size_t length)
{
    if (strlen(line) != length) {
        return mrwi_suite_fail(
            r->suite, r->line, r->error,
            "the line contains a zero byte; a suite must be UTF-8 text without zero bytes");
    }
    for (const char *p = line; *p != '\0';) { /* tabs are fine */
        char piece[MRWI_SUITE_MAX_LINE + 1];
        const size_t size = strcspn(p, "\t");
        memcpy(piece, p, size);
        piece[size] = '\0';
        if (!mrwi_suite_text_is_plain(piece)) {
            return mrwi_suite_fail(r->suite, r->line, r->error,
                                   "the line contains a control character or invalid UTF-8; remove "
                                   "it, or save the file as UTF-8");
        }
        p += size + (p[size] == '\t');
    }
    return MRW_OK;
}

/* Checks a section's name, which becomes part of a folder's name. */
static mrw_status check_name(const reading *r, const char *name, size_t length)
{
    char text[MRWI_SUITE_MAX_NAME + 1], safe[MRWI_SUITE_MAX_NAME + 1], shown[96];
    if (length > MRWI_SUITE_MAX_NAME) {
        return mrwi_suite_fail(r->suite, r->line, r->error,
                               "the section name has %zu bytes, but at most %u are allowed", length,
                               MRWI_SUITE_MAX_NAME);
    }
    while (length > 0 && strchr(" \t", name[length - 1])) {
        length--;
    }
    const size_t spaces = strspn(name, " \t");
    if (length <= spaces) {
        return mrwi_suite_fail(r->suite, r->line, r->error,
                               "the section has no name; write [name]");
    }
    memcpy(text, name, length);
    text[length] = '\0';
    mrwi_base_file_name(text + spaces, safe, sizeof safe);
    if (strcmp(safe, text) != 0 || name[length] != ']') {
        return mrwi_suite_fail(
            r->suite, r->line, r->error,
            "section '%s' is also a folder name, so it can contain only letters, digits, '.', '_' "
            "and '-', and can't start with '.'; write [%s]",
            mrwi_options_show(text, shown), safe);
    }
    return MRW_OK;
}

static mrw_status add_section(const reading *r, const char *name, size_t length)
{
    mrwi_suite *suite = r->suite;
    mrwi_suite_section added = {.name = mrwi_base_format(r->arena, "%.*s", (int)length, name),
                                .line = r->line};
    if (!added.name) {
        return mrwi_base_fail_memory(r->error, length);
    }
    for (size_t i = 0; i < suite->section_count; i++) {
        if (mrwi_base_utf8_same(suite->sections[i].name, added.name)) {
            return mrwi_suite_fail(
                suite, r->line, r->error,
                "section [%s] already exists, in line %u; join them, or rename one", added.name,
                suite->sections[i].line);
        }
    }
    if (suite->section_count == MRWI_SUITE_MAX_SECTIONS) {
        return mrwi_suite_fail(suite, r->line, r->error,
                               "more than %u sections; split the suite into several files",
                               MRWI_SUITE_MAX_SECTIONS);
    }
    void *sections = suite->sections;
    const bool fine = mrwi_options_append(&sections, &suite->section_count, sizeof added, &added);
    suite->sections = sections;
    return fine ? MRW_OK : mrwi_base_fail_memory(r->error, sizeof added);
}

static mrw_status check_section(const reading *r, const char *line)
{
    const size_t length = strcspn(line + 1, "]");
    if (line[1 + length] == '\0') {
        return mrwi_suite_fail(r->suite, r->line, r->error,
                               "the section has no closing ']'; write [name]");
    }
    const char *rest = line + 1 + length + 1;
    rest += strspn(rest, " \t");
    if (*rest != '\0' && *rest != ';' && *rest != '#') {
        return mrwi_suite_fail(r->suite, r->line, r->error,
                               "there is text after ']'; put it on its own line");
    }
    mrw_status status = check_name(r, line + 1, length);
    if (status) {
        return status;
    }
    return add_section(r, line + 1, length);
}

/* Returns true when inih sees a key and a value: '=' or ':' before any comment. */
static bool has_value(const char *line)
{
    for (const char *p = line; *p != '\0'; p++) {
        if (*p == '=' || *p == ':') {
            return p > line;
        }
        if (*p == ';' && p > line && strchr(" \t", p[-1])) {
            return false;
        }
    }
    return false;
}

static mrw_status check_line(const reading *r, const char *line, size_t length)
{
    mrw_status status = check_text(r, line, length);
    if (status) {
        return status;
    }
    const char *first = line + strspn(line, " \t");
    if (*first == '\0' || *first == ';' || *first == '#') {
        return MRW_OK;
    }
    if (first != line) {
        return mrwi_suite_fail(r->suite, r->line, r->error,
                               "the line begins with a space, as if it continued the line above; "
                               "remove the space, or write the value on one line");
    }
    if (*line == '[') {
        return check_section(r, line);
    }
    if (!current(r)) {
        return mrwi_suite_fail(
            r->suite, r->line, r->error,
            "a key comes before the first section; put [defaults] or [name] above it");
    }
    return has_value(line) ? MRW_OK
                           : mrwi_suite_fail(r->suite, r->line, r->error,
                                             "expected `key = value`, [section] or ; comment");
}

/* Gives inih one line in `out`; NULL at the end or after an error. inih calls it as its reader. */
static char *next_line(char *out, int size, void *stream)
{
    reading *r = stream;
    if (r->status || r->at == r->end) {
        return NULL;
    }
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *end = newline ? newline : r->end;
    size_t length = (size_t)(end - r->at);
    length -= length > 0 && end[-1] == '\r';
    r->line++;
    if (length > MRWI_SUITE_MAX_LINE || (int)length + 2 > size) {
        r->status = mrwi_suite_fail(r->suite, r->line, r->error,
                                    "the line has %zu bytes, but at most %u are allowed; split "
                                    "lists over several sections, or shorten comments",
                                    length, MRWI_SUITE_MAX_LINE);
        return NULL;
    }
    memcpy(out, r->at, length);
    out[length] = '\0';
    r->at = newline ? newline + 1 : r->end;
    r->status = check_line(r, out, length);
    memcpy(out + length, "\n", 2);
    return r->status ? NULL : out;
}

/* ---- one key --------------------------------------------------------------------------------- */

static mrw_status add_key(const reading *r, const char *name, const char *value)
{
    mrwi_suite_section *section = current(r);
    char plain[MRWI_SUITE_MAX_LINE + 1], shown[96];
    snprintf(plain, sizeof plain, "%s", name);
    for (char *p = plain; *p != '\0'; p++) {
        *p = *p == '_' ? '-' : *p;
    }
    for (size_t i = 0; i < section->key_count; i++) {
        if (strcmp(section->keys[i].name, plain) == 0) {
            return mrwi_suite_fail(r->suite, r->line, r->error,
                                   "'%s' is already set in line %u; remove one",
                                   mrwi_options_show(name, shown), section->keys[i].line);
        }
    }
    if (section->key_count == MRWI_SUITE_MAX_KEYS) {
        return mrwi_suite_fail(r->suite, r->line, r->error, "more than %u keys in one section",
                               MRWI_SUITE_MAX_KEYS);
    }
    const mrwi_suite_key key = {.name = mrwi_base_copy_text(r->arena, plain),
                                .value = mrwi_base_copy_text(r->arena, value),
                                .line = r->line};
    void *keys = section->keys;
    const bool fine =
        key.name && key.value && mrwi_options_append(&keys, &section->key_count, sizeof key, &key);
    section->keys = keys;
    return fine ? MRW_OK : mrwi_base_fail_memory(r->error, sizeof key);
}

/* Receives a key from inih. Returns 0 for an error, which inih then reports for the line. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
    reading *r = user;
    (void)section; /* check_section has read the whole name */
    if (!r->status) {
        r->status = add_key(r, name, value);
    }
    return !r->status;
}

static const mrwi_suite_key *find_key(const mrwi_suite_section *section, const char *name)
{
    for (size_t i = 0; i < section->key_count; i++) {
        if (strcmp(section->keys[i].name, name) == 0) {
            return &section->keys[i];
        }
    }
    return NULL;
}

/* Gives the suite the name that [defaults] sets. Its goldens lie in a folder of this name. */
static mrw_status take_name(mrwi_suite *suite, mrw_error *error)
{
    for (size_t i = 0; i < suite->section_count; i++) {
        char safe[MRWI_SUITE_MAX_LINE + 1], shown[96];
        const mrwi_suite_key *key = find_key(&suite->sections[i], "name");
        if (!key || key->value[0] == '\0') {
            continue;
        }
        if (strcmp(suite->sections[i].name, "defaults") != 0) {
            return mrwi_suite_fail(suite, key->line, error,
                                   "'name' is the name of the whole suite; move it to [defaults]");
        }
        if (strcmp(mrwi_base_file_name(key->value, safe, sizeof safe), key->value) != 0) {
            return mrwi_suite_fail(suite, key->line, error,
                                   "name '%s' is also a folder name, so it can contain only "
                                   "letters, digits, '.', '_' and '-', and can't start with '.'; "
                                   "write name = %s",
                                   mrwi_options_show(key->value, shown), safe);
        }
        suite->name = key->value;
        suite->named = true;
    }
    return MRW_OK;
}

mrw_status mrwi_suite_parse(mrwi_suite *suite, const char *text, size_t size,
                            mrwi_base_arena *arena, mrw_error *error)
{
    static const char mark[3] = {'\xef', '\xbb', '\xbf'}; /* UTF-8's byte order mark */
    const size_t skip = size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? 3 : 0;
    reading r = {
        .suite = suite, .at = text + skip, .end = text + size, .arena = arena, .error = error};
    const int result = ini_parse_stream(next_line, &r, take_key, &r);
    if (r.status) {
        return r.status;
    }
    if (result < 0) {
        return mrwi_base_fail_memory(error, size);
    }
    if (result > 0) {
        return mrwi_suite_fail(suite, (uint32_t)result, error,
                               "expected `key = value`, [section] or ; comment");
    }
    return take_name(suite, error);
}

mrw_status mrwi_suite_read(mrwi_suite *suite, mrwi_base_arena *arena, mrw_error *error)
{
    mrw_bytes bytes;
    mrw_status status = mrwi_base_read_file(suite->path, MRWI_SUITE_MAX_BYTES, &bytes, NULL, error);
    if (status) {
        return status;
    }
    status = mrwi_suite_parse(suite, (const char *)bytes.data, bytes.size, arena, error);
    mrw_bytes_free(&bytes);
    return status;
}

static const char *find_golden(const mrwi_suite_section *section)
{
    const mrwi_suite_key *key = find_key(section, "golden");
    return key ? key->value : NULL;
}

const char *mrwi_suite_golden(const mrwi_suite *suite, size_t i)
{
    if (i < suite->section_count) {
        return find_golden(&suite->sections[i]);
    }
    bool needed = false;
    for (size_t k = 0; k < suite->section_count; k++) {
        const bool preset = strcmp(suite->sections[k].name, "defaults") == 0;
        const bool said = find_golden(&suite->sections[k]);
        if (preset && said) {
            return NULL;
        }
        needed = needed || (!preset && !said);
    }
    return needed ? mrwi_suite_usual(MRWI_SUITE_KEY_GOLDEN) : NULL;
}

void mrwi_suite_free(mrwi_suite *suite)
{
    for (size_t i = 0; i < suite->section_count; i++) {
        mrwi_base_free(suite->sections[i].keys);
    }
    mrwi_base_free(suite->sections);
    suite->sections = NULL;
    suite->section_count = 0;
}
