/* suite.h: suite files: finding and reading them, splitting values, making cases. */
#ifndef MRWI_SUITE_SUITE_H
#define MRWI_SUITE_SUITE_H

#include "base/memory.h"
#include "marrow/suite.h"
#include "options/table.h"

/* ---- file.c: the text ------------------------------------------------------------------------ */

#define MRWI_SUITE_MAX_BYTES    (1u << 20)
#define MRWI_SUITE_MAX_LINE     198u /* inih fails on longer lines, and cuts section names. */
#define MRWI_SUITE_MAX_NAME     48u
#define MRWI_SUITE_MAX_SECTIONS 10000u
#define MRWI_SUITE_MAX_KEYS     500u /* Keys of one section */

typedef struct mrwi_suite_key {
    const char *name; /* Name as written, but with '-' for '_' */
    const char *value;
    uint32_t line;
} mrwi_suite_key;

typedef struct mrwi_suite_section {
    const char *name; /* A safe file name, or "defaults" */
    uint32_t line;
    mrwi_suite_key *keys; /* In the order of the file; names are unique. */
    size_t key_count;
} mrwi_suite_section;

typedef struct mrwi_suite {
    const char *path;             /* Path without leading "./" */
    const char *folder;           /* Folder of `path`; "" for the current one */
    const char *name;             /* Set before reading; `name` in [defaults] replaces it. */
    bool named;                   /* True when the suite sets `name`. */
    mrwi_suite_section *sections; /* Names are unique. */
    size_t section_count;
} mrwi_suite;

/* Reads the text of suite->path into sections, whose texts lie in the arena. */
mrw_status mrwi_suite_read(mrwi_suite *suite, mrwi_base_arena *arena, mrw_error *error);

/* Reads a suite's text from memory. */
mrw_status mrwi_suite_parse(mrwi_suite *suite, const char *text, size_t size,
                            mrwi_base_arena *arena, mrw_error *error);

void mrwi_suite_free(mrwi_suite *suite);

/* Returns the i-th section's value of `golden`; NULL when it has none. After the last section
 * returns the default, or NULL when no case needs it. */
const char *mrwi_suite_golden(const mrwi_suite *suite, size_t i);

/* Fails like mrwi_base_fail, with "PATH:LINE: " before the message, and returns MRW_ERROR_USAGE. */
mrw_status mrwi_suite_fail(const mrwi_suite *suite, uint32_t line, mrw_error *error,
                           const char *format, ...) MRW_PRINTF(4, 5);

/* Puts "PATH:LINE: " before the message of a failure. Returns MRW_ERROR_USAGE for it, but leaves
 * MRW_ERROR_MEMORY as it is. */
mrw_status mrwi_suite_prefix(const mrwi_suite *suite, uint32_t line, mrw_error *error,
                             mrw_status status);

/* ---- keys.c: keys and their values ----------------------------------------------------------- */

/* Keys that are not options. */
typedef enum mrwi_suite_own_key {
    MRWI_SUITE_KEY_NAME,
    MRWI_SUITE_KEY_MODEL,
    MRWI_SUITE_KEY_GOLDEN,
    MRWI_SUITE_KEY_CHECK,
    MRWI_SUITE_KEY_STORE,
    MRWI_SUITE_KEY_KEY_FRAMES,
    MRWI_SUITE_KEY_REFIT,
    MRWI_SUITE_KEY_TAGS,
    MRWI_SUITE_KEY_SKIP,
    MRWI_SUITE_KEY_GL_RATIO,
    MRWI_SUITE_KEY_BACKEND,
    MRWI_SUITE_KEY_XFAIL,
    MRWI_SUITE_KEY_COUNT
} mrwi_suite_own_key;

/* One value of a list; paths in it are resolved. */
typedef struct mrwi_suite_value {
    const char **parts; /* Several when an option is repeated, else one */
    size_t part_count;
    const char *label; /* Part of the case's name: a safe file name */
} mrwi_suite_value;

typedef struct mrwi_suite_entry {
    const mrwi_options_option *option; /* Option; NULL for a key of our own */
    mrwi_suite_own_key own;
    uint32_t line;
    mrwi_suite_value *values; /* At least one value */
    size_t value_count;
} mrwi_suite_entry;

typedef struct mrwi_suite_entries {
    mrwi_suite_entry *items; /* Entries, in the arena */
    size_t count;
} mrwi_suite_entries;

/* Finds the keys of a section; splits and checks their values. */
mrw_status mrwi_suite_entries_read(const mrwi_suite *suite, const mrwi_suite_section *section,
                                   mrwi_base_arena *arena, mrwi_suite_entries *out,
                                   mrw_error *error);

/* Returns the default of a key of our own, or NULL. */
const char *mrwi_suite_usual(mrwi_suite_own_key key);

/* Applies these defaults to a case. */
mrw_status mrwi_suite_apply_usual(const mrwi_suite *suite, mrwi_base_arena *arena, mrw_case *out,
                                  mrw_error *error);

/* Applies one value of an entry to a case. The arena holds `tags` and `key-frames`. `golden` is
 * only checked, and `name` is ignored. */
mrw_status mrwi_suite_apply(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                            const mrwi_suite_value *value, mrwi_base_arena *arena, mrw_case *out,
                            mrw_error *error);

/* ---- cases.c --------------------------------------------------------------------------------- */

#define MRWI_SUITE_MAX_OF_SECTION 10000u
#define MRWI_SUITE_MAX_CASES      100000u
#define MRWI_SUITE_MAX_CASE_NAME  200u

/* A growing list of cases. */
typedef struct mrwi_suite_case_list {
    mrw_case *items;
    size_t count;
    mrwi_base_arena *arena; /* Memory of their texts */
} mrwi_suite_case_list;

/* Adds the cases of one suite, in the order of its lines. */
mrw_status mrwi_suite_cases(const mrwi_suite *suite, mrwi_suite_case_list *out, mrw_error *error);

/* ---- find.c ---------------------------------------------------------------------------------- */

typedef struct mrwi_suite_list {
    mrwi_suite *items; /* Sorted by path */
    size_t count;
} mrwi_suite_list;

/* Finds and reads the suites that paths lead to. Their texts lie in the arena. */
mrw_status mrwi_suite_list_find(const char *const *paths, size_t path_count, mrwi_base_arena *arena,
                                mrwi_suite_list *out, mrw_error *error);
void mrwi_suite_list_free(mrwi_suite_list *suites);

/* ---- path.c ---------------------------------------------------------------------------------- */

/* Returns folder/path, or `path` when the folder is "" or the path absolute. NULL when out of
 * memory. */
const char *mrwi_suite_path_join(mrwi_base_arena *arena, const char *folder, const char *path);

/* Returns a path without empty and "." parts, and if `parents` is set without those that a ".."
 * undoes; "" for the current folder. NULL when out of memory. */
const char *mrwi_suite_path_tidy(mrwi_base_arena *arena, const char *path, bool parents);

/* Returns true when a tidy path is `folder`, or below it. */
bool mrwi_suite_path_is_below(const char *path, const char *folder);

/* Returns true when a text is UTF-8 without control characters. */
bool mrwi_suite_text_is_plain(const char *text);

#endif
