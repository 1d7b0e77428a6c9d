/* keys.c: the keys of suite files: their table, and reading their values. */
#include "suite/suite.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- which keys ------------------------------------------------------------------------------ */

/* How a value is split into pieces that each make a case. */
typedef enum cut {
    CUT_NOT,
    CUT_COMMA,
    CUT_BAR,   /* Values contain commas. */
    CUT_SPACED /* At " | ": values contain commas, and names contain '|'. */
} cut;

/* Help text and default of a key; help shows the default. */
#define USUALLY(value, text) .help = text " [" value "]", .usual = value

static const struct {
    const char *name;
    cut cut;
    const char *values;
    const char *help;
    const char *usual; /* Default, or NULL. */
} own_keys[MRWI_SUITE_KEY_COUNT] = {
    [MRWI_SUITE_KEY_NAME] = {"name", CUT_NOT, "NAME",
                             .help = "name of the suite and of its folder of goldens; only in the "
                                     "defaults"},
    [MRWI_SUITE_KEY_MODEL] = {"model", CUT_COMMA, "FILE|demo:NAME",
                              .help = "model to draw; every case needs one"},
    [MRWI_SUITE_KEY_GOLDEN] = {"golden", CUT_NOT, "FOLDER",
                               USUALLY("golden", "folder of the goldens")},
    [MRWI_SUITE_KEY_CHECK] = {"check", CUT_NOT, "pixels, pose, bounds",
                              USUALLY("pixels", "what to compare")},
    [MRWI_SUITE_KEY_STORE] = {"store", CUT_COMMA, "pictures|hash",
                              USUALLY("pictures",
                                      "hash: one line per frame in golden.txt, compared exactly")},
    [MRWI_SUITE_KEY_TAGS] = {"tags", CUT_NOT, "WORD, ...",
                             .help = "words by which --tag chooses cases"},
    [MRWI_SUITE_KEY_KEY_FRAMES] =
        {"key-frames", CUT_BAR, "LIST",
         .help = "with store = hash: frames that are also stored as pictures"},
    [MRWI_SUITE_KEY_REFIT] = {"refit", CUT_NOT, "yes|no",
                              USUALLY("no", "yes: frame the case again each time; no: use the "
                                            "cameras of its goldens")},
    [MRWI_SUITE_KEY_SKIP] = {"skip", CUT_NOT, "REASON", .help = "do not run the case"},
    [MRWI_SUITE_KEY_GL_RATIO] = {"gl-ratio", CUT_NOT, "SHARE REASON",
                                 .help = "--against-backend: this share of pixels is enough, "
                                         "for this reason"},
    [MRWI_SUITE_KEY_BACKEND] = {"backend", CUT_NOT, "soft REASON",
                                .help =
                                    "--backend gl: skip the case for this reason; only software "
                                    "draws it"},
    [MRWI_SUITE_KEY_XFAIL] = {"xfail", CUT_NOT, "REASON",
                              .help = "the case is known to fail; it counts as a failure when "
                                      "it passes"},
};

const char *mrwi_suite_usual(mrwi_suite_own_key key)
{
    return own_keys[key].usual;
}

size_t mrw_suite_key_count(void)
{
    size_t count = MRWI_SUITE_KEY_COUNT;
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        count += !mrwi_options_why_no_key(&mrwi_options[i]);
    }
    return count;
}

mrw_suite_key mrw_suite_key_at(size_t index)
{
    if (index < MRWI_SUITE_KEY_COUNT) {
        return (mrw_suite_key){.name = own_keys[index].name,
                               .values = own_keys[index].values,
                               .help = own_keys[index].help};
    }
    size_t left = index - MRWI_SUITE_KEY_COUNT, row = 0;
    while (mrwi_options_why_no_key(&mrwi_options[row]) || left-- > 0) {
        row++;
    }
    const mrw_option *option = &mrwi_options[row].shown;
    return (mrw_suite_key){.name = option->name,
                           .values = option->argument ? option->argument : "yes|no",
                           .help = option->help,
                           .option = option};
}

static mrw_status unknown_key(const mrwi_suite *suite, const mrwi_suite_key *key, mrw_error *error)
{
    const char *names[MRWI_SUITE_KEY_COUNT];
    char text[700] = "", shown[96];
    for (size_t i = 0; i < MRWI_SUITE_KEY_COUNT; i++) {
        names[i] = own_keys[i].name;
    }
    mrwi_base_suggest(text, sizeof text, key->name, names, MRWI_SUITE_KEY_COUNT, false);
    if (text[0] == '\0') {
        mrwi_options_suggest(key->name, MRW_COMMAND_NONE, true, text, sizeof text);
    }
    return mrwi_suite_fail(suite, key->line, error, "unknown key '%s'%s",
                           mrwi_options_show(key->name, shown),
                           text[0] != '\0' ? text : "; `marrow help suite` lists them all");
}

static mrw_status find_key(const mrwi_suite *suite, const mrwi_suite_key *key,
                           mrwi_suite_entry *out, mrw_error *error)
{
    *out = (mrwi_suite_entry){.line = key->line, .own = MRWI_SUITE_KEY_COUNT};
    for (int i = 0; i < MRWI_SUITE_KEY_COUNT; i++) {
        if (strcmp(own_keys[i].name, key->name) == 0) {
            out->own = (mrwi_suite_own_key)i;
            return MRW_OK;
        }
    }
    out->option = mrwi_options_option_find(key->name, strlen(key->name));
    const char *why = out->option ? mrwi_options_why_no_key(out->option) : NULL;
    if (why) {
        return mrwi_suite_fail(suite, key->line, error, "'%s' is not a key of suites: %s",
                               out->option->shown.name, why);
    }
    return out->option ? MRW_OK : unknown_key(suite, key, error);
}

static const char *entry_name(const mrwi_suite_entry *entry)
{
    return entry->option ? entry->option->shown.name : own_keys[entry->own].name;
}

/* ---- pieces of values ------------------------------------------------------------------------ */

/* Returns how a value is cut. Models of --add are separated by commas, but by " | " if one of them
 * has keys of its own. */
static cut cut_of(const mrwi_suite_entry *entry, const char *value)
{
    if (!entry->option) {
        return own_keys[entry->own].cut;
    }
    if (entry->option->places) {
        return strchr(value, '=') ? CUT_SPACED : CUT_COMMA;
    }
    switch (entry->option->kind) {
    case MRWI_OPTIONS_VECTOR:
    case MRWI_OPTIONS_SCALE:
    case MRWI_OPTIONS_FRAMES:
    case MRWI_OPTIONS_TIMES:
    case MRWI_OPTIONS_BLEND:
    case MRWI_OPTIONS_MASKS:
    case MRWI_OPTIONS_LIGHTS:
        return CUT_BAR;
    default:
        return entry->option->has_commas ? CUT_BAR : CUT_COMMA;
    }
}

/* Splits a text at each separator and trims the pieces. An empty separator gives one piece. The
 * pieces and their list lie in the arena. */
static mrw_status split(const char *text, const char *separator, mrwi_base_arena *arena,
                        const char ***out, size_t *count, mrw_error *error)
{
    const size_t step = strlen(separator);
    *count = 1;
    for (const char *p = strstr(text, separator); p && step > 0; p = strstr(p + step, separator)) {
        *count += 1;
    }
    *out = mrwi_base_arena_alloc(arena, *count, sizeof **out);
    if (!*out) {
        return mrwi_base_fail_memory(error, *count * sizeof **out);
    }
    for (size_t i = 0; i < *count; i++) {
        const char *end = i + 1 < *count ? strstr(text, separator) : text + strlen(text);
        const char *next = end + step, *from = text + strspn(text, " \t");
        while (end > from && strchr(" \t", end[-1])) {
            end--;
        }
        from = from > end ? end : from;
        (*out)[i] = mrwi_base_format(arena, "%.*s", (int)(end - from), from);
        if (!(*out)[i]) {
            return mrwi_base_fail_memory(error, step);
        }
        text = next;
    }
    return MRW_OK;
}

static mrw_status refuse_empty(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                               mrw_error *error)
{
    return mrwi_suite_fail(suite, entry->line, error,
                           "'%s' has an empty value; write one, or remove the key or the separator",
                           entry_name(entry));
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool is_path(const mrwi_suite_entry *entry, const char *part)
{
    if (entry->option && entry->option->kind == MRWI_OPTIONS_COLOR) {
        return mrwi_options_is_background_file(part);
    }
    return entry->option ? entry->option->is_path : entry->own == MRWI_SUITE_KEY_MODEL;
}

/* Returns a path of a suite, relative to the suite's folder and without empty and "." parts. */
static const char *join_folder(const mrwi_suite *suite, const char *path, mrwi_base_arena *arena)
{
    const char *tidy = mrwi_suite_path_tidy(arena, path, false);
    return tidy ? mrwi_suite_path_join(arena, suite->folder, tidy[0] != '\0' ? tidy : path) : NULL;
}

/* Returns true when a part is a word, a colon and a path. */
static bool has_path_behind_colon(const mrwi_suite_entry *entry, const char *part)
{
    const size_t length = strcspn(part, ":");
    if (!entry->option || part[length] == '\0' || part[length + 1] == '\0') {
        return false;
    }
    return entry->option->kind == MRWI_OPTIONS_MASKS
               ? mrwi_options_has_word("image", part, length)
               : mrwi_options_has_word(entry->option->rest_paths, part, length);
}

/* Returns a part as it goes into settings. */
static const char *resolve(const mrwi_suite *suite, const mrwi_suite_entry *entry, const char *part,
                           mrwi_base_arena *arena)
{
    if (has_path_behind_colon(entry, part)) {
        const size_t length = strcspn(part, ":") + 1;
        const char *path = join_folder(suite, part + length, arena);
        return path ? mrwi_base_format(arena, "%.*s%s", (int)length, part, path) : NULL;
    }
    if (!is_path(entry, part) || part[0] == '\0' || strncmp(part, "demo:", 5) == 0 ||
        (entry->option && mrwi_options_has_word(entry->option->no_paths, part, strlen(part)))) {
        return part;
    }
    return join_folder(suite, part, arena);
}

static mrw_status read_value(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                             const char *piece, mrwi_base_arena *arena, mrwi_suite_value *out,
                             mrw_error *error)
{
    char label[MRWI_SUITE_MAX_LINE + 1];
    size_t used = 0;
    mrw_status status = split(
        piece,
        entry->option && mrwi_options_is_list(entry->option) && !entry->option->many ? " + " : "",
        arena, &out->parts, &out->part_count, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < out->part_count; i++) {
        const char *part = out->parts[i];
        if (part[0] == '\0') {
            return refuse_empty(suite, entry, error);
        }
        if (is_path(entry, part) && (strcmp(part, "-") == 0 || strncmp(part, "-@", 2) == 0 ||
                                     strncmp(part, "-:", 2) == 0)) {
            return mrwi_suite_fail(suite, entry->line, error,
                                   "'%s = -': a suite cannot read standard input; give a file",
                                   entry_name(entry));
        }
        used +=
            (size_t)snprintf(label + used, sizeof label - used, "%s%s", i == 0 ? "" : "+", part);
        out->parts[i] = resolve(suite, entry, part, arena);
        if (!out->parts[i]) {
            return mrwi_base_fail_memory(error, sizeof label);
        }
    }
    char safe[MRWI_SUITE_MAX_LINE + 8];
    out->label = mrwi_base_copy_text(arena, mrwi_base_file_name(label, safe, sizeof safe));
    return out->label ? MRW_OK : mrwi_base_fail_memory(error, used);
}

/* ---- keys of our own ------------------------------------------------------------------------- */

static mrw_status read_check(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                             const char *value, mrwi_base_arena *arena, mrw_case *out,
                             mrw_error *error)
{
    static const char *const names[] = {"pixels", "pose", "bounds"}; /* bits of MRW_CHECK_... */
    const char **words = NULL;
    size_t count = 0;
    mrw_status status = split(value, ",", arena, &words, &count, error);
    if (status) {
        return status;
    }
    out->checks = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bit = 0;
        for (uint32_t n = 0; n < 3; n++) {
            bit |= strcmp(words[i], names[n]) == 0 ? 1u << n : 0;
        }
        if (bit == 0) {
            char text[160] = "", shown[96];
            mrwi_base_suggest(text, sizeof text, words[i], names, 3, false);
            return mrwi_suite_fail(
                suite, entry->line, error,
                "check '%s': expected pixels, pose, bounds, or several of them%s",
                mrwi_options_show(words[i], shown), text);
        }
        out->checks |= bit;
    }
    return MRW_OK;
}

static mrw_status read_tags(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                            const char *value, mrwi_base_arena *arena, mrw_case *out,
                            mrw_error *error)
{
    const char **words = NULL;
    mrw_status status = split(value, ",", arena, &words, &out->tag_count, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < out->tag_count; i++) {
        if (words[i][0] == '\0') {
            return refuse_empty(suite, entry, error);
        }
    }
    out->tags = words;
    return MRW_OK;
}

static mrw_status read_store(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                             const char *value, mrw_case *out, mrw_error *error)
{
    static const char *const names[] = {"pictures", "hash"};
    char text[160] = "", shown[96];
    out->store_hash = strcmp(value, names[1]) == 0;
    if (out->store_hash || strcmp(value, names[0]) == 0) {
        return MRW_OK;
    }
    mrwi_base_suggest(text, sizeof text, value, names, 2, false);
    return mrwi_suite_fail(suite, entry->line, error, "store '%s': expected pictures or hash%s",
                           mrwi_options_show(value, shown), text);
}

/* Reads frame numbers as --frames does. */
static mrw_status read_key_frames(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                                  const char *value, mrwi_base_arena *arena, mrw_case *out,
                                  mrw_error *error)
{
    mrw_settings settings;
    char shown[96];
    mrw_settings_init(&settings);
    mrw_status status = mrw_settings_set(&settings, "frames", value, error);
    if (status == MRW_ERROR_USAGE) {
        status = mrwi_suite_fail(suite, entry->line, error,
                                 "key-frames '%s': expected frame numbers, ranges and steps, as in "
                                 "0-47x2,60,-1",
                                 mrwi_options_show(value, shown));
    }
    if (status) {
        goto out;
    }
    const size_t count = settings.animation.frame_count;
    out->key_frames = mrwi_base_arena_alloc(arena, count, sizeof *out->key_frames);
    out->key_frame_count = out->key_frames ? count : 0;
    if (out->key_frames) {
        memcpy(out->key_frames, settings.animation.frames, count * sizeof *out->key_frames);
    } else {
        status = mrwi_base_fail_memory(error, count * sizeof *out->key_frames);
    }
out:
    mrw_settings_free(&settings);
    return status;
}

/* Refuses an absolute path, since goldens move with the suite, and results/, which a run
 * empties. */
static mrw_status check_golden(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                               const char *value, mrwi_base_arena *arena, mrw_error *error)
{
    char shown[96];
    if (value[0] == '/') {
        return mrwi_suite_fail(suite, entry->line, error,
                               "golden '%s': expected a folder relative to the suite",
                               mrwi_options_show(value, shown));
    }
    const char *below = mrwi_suite_path_join(arena, value, suite->name);
    const char *path = below ? mrwi_suite_path_tidy(arena, below, true) : NULL;
    if (!path) {
        return mrwi_base_fail_memory(error, strlen(value));
    }
    if (mrwi_suite_path_is_below(path, "results")) {
        return mrwi_suite_fail(
            suite, entry->line, error,
            "golden '%s': a run writes to the folder results; choose another one",
            mrwi_options_show(value, shown));
    }
    return MRW_OK;
}

static mrw_status read_refit(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                             const char *value, mrw_case *out, mrw_error *error)
{
    char shown[96];
    out->refit = strcmp(value, "yes") == 0 || strcmp(value, "true") == 0;
    return out->refit || strcmp(value, "no") == 0 || strcmp(value, "false") == 0
               ? MRW_OK
               : mrwi_suite_fail(suite, entry->line, error, "refit '%s': expected yes or no",
                                 mrwi_options_show(value, shown));
}

/* Reads a share and the reason for it; both are required. */
static mrw_status read_gl_ratio(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                                const char *value, mrw_case *out, mrw_error *error)
{
    char shown[96];
    const size_t length = mrwi_base_parse_double(value, strlen(value), &out->gl_ratio);
    const char *reason = value + length + strspn(value + length, " ");
    if (length == 0 || value[length] != ' ' || !(out->gl_ratio > 0.0) || out->gl_ratio > 1.0 ||
        reason[0] == '\0') {
        return mrwi_suite_fail(suite, entry->line, error,
                               "gl-ratio '%s': expected a share of pixels, above 0 and up to 1, "
                               "followed by the reason for it",
                               mrwi_options_show(value, shown));
    }
    out->gl_reason = reason;
    return MRW_OK;
}

/* Reads "soft" and the reason for it. Other backends are chosen on the command line only. */
static mrw_status read_backend(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                               const char *value, mrw_case *out, mrw_error *error)
{
    char shown[96];
    const char *reason = value + strcspn(value, " ");
    reason += strspn(reason, " ");
    if (strncmp(value, "soft ", 5) != 0 || reason[0] == '\0') {
        return mrwi_suite_fail(
            suite, entry->line, error,
            "backend '%s': expected soft and the reason why nothing else draws "
            "the case; to draw with something else, give --backend on the command line",
            mrwi_options_show(value, shown));
    }
    out->soft_reason = reason;
    return MRW_OK;
}

static mrw_status apply_own(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                            const char *value, mrwi_base_arena *arena, mrw_case *out,
                            mrw_error *error)
{
    switch (entry->own) {
    case MRWI_SUITE_KEY_MODEL:
        out->model = value;
        return MRW_OK;
    case MRWI_SUITE_KEY_CHECK:
        return read_check(suite, entry, value, arena, out, error);
    case MRWI_SUITE_KEY_STORE:
        return read_store(suite, entry, value, out, error);
    case MRWI_SUITE_KEY_KEY_FRAMES:
        return read_key_frames(suite, entry, value, arena, out, error);
    case MRWI_SUITE_KEY_REFIT:
        return read_refit(suite, entry, value, out, error);
    case MRWI_SUITE_KEY_TAGS:
        return read_tags(suite, entry, value, arena, out, error);
    case MRWI_SUITE_KEY_SKIP:
        out->skip = value;
        return MRW_OK;
    case MRWI_SUITE_KEY_GL_RATIO:
        return read_gl_ratio(suite, entry, value, out, error);
    case MRWI_SUITE_KEY_BACKEND:
        return read_backend(suite, entry, value, out, error);
    case MRWI_SUITE_KEY_XFAIL:
        out->xfail = value;
        return MRW_OK;
    case MRWI_SUITE_KEY_GOLDEN:
        return check_golden(suite, entry, value, arena, error);
    case MRWI_SUITE_KEY_NAME:
    case MRWI_SUITE_KEY_COUNT:
        break;
    }
    return MRW_OK;
}

mrw_status mrwi_suite_apply_usual(const mrwi_suite *suite, mrwi_base_arena *arena, mrw_case *out,
                                  mrw_error *error)
{
    for (int i = 0; i < MRWI_SUITE_KEY_COUNT; i++) {
        const mrwi_suite_entry entry = {.own = (mrwi_suite_own_key)i};
        if (!own_keys[i].usual) {
            continue;
        }
        mrw_status status = apply_own(suite, &entry, own_keys[i].usual, arena, out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_suite_apply(const mrwi_suite *suite, const mrwi_suite_entry *entry,
                            const mrwi_suite_value *value, mrwi_base_arena *arena, mrw_case *out,
                            mrw_error *error)
{
    if (!entry->option) {
        return apply_own(suite, entry, value->parts[0], arena, out, error);
    }
    for (size_t i = 0; i < value->part_count; i++) {
        mrw_status status =
            mrwi_options_option_set(&out->settings, entry->option, value->parts[i], error);
        if (status) {
            return mrwi_suite_prefix(suite, entry->line, error, status);
        }
    }
    return MRW_OK;
}

/* ---- entries --------------------------------------------------------------------------------- */

static mrw_status read_values(const mrwi_suite *suite, const mrwi_suite_key *key,
                              mrwi_base_arena *arena, mrwi_suite_entry *out, mrw_error *error)
{
    static const char *const separators[] = {
        [CUT_NOT] = "", [CUT_COMMA] = ",", [CUT_BAR] = "|", [CUT_SPACED] = " | "};
    const char **pieces = NULL;
    mrw_status status = split(key->value, separators[cut_of(out, key->value)], arena, &pieces,
                              &out->value_count, error);
    if (status) {
        return status;
    }
    out->values = mrwi_base_arena_alloc(arena, out->value_count, sizeof *out->values);
    if (!out->values) {
        return mrwi_base_fail_memory(error, out->value_count);
    }
    for (size_t i = 0; i < out->value_count; i++) {
        status = read_value(suite, out, pieces[i], arena, &out->values[i], error);
        if (status) {
            return status;
        }
    }
    /* Applies each value once to a case that is thrown away, so unused values are checked, too. */
    for (size_t i = 0; i < out->value_count; i++) {
        mrw_case scratch = {0};
        mrw_settings_init(&scratch.settings);
        status = mrwi_suite_apply(suite, out, &out->values[i], arena, &scratch, error);
        mrw_settings_free(&scratch.settings);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Refuses a second key of the same option: `time` and `times` are one. */
static mrw_status check_repeated(const mrwi_suite *suite, const mrwi_suite_entries *entries,
                                 mrw_error *error)
{
    const mrwi_suite_entry *last = &entries->items[entries->count - 1];
    for (size_t i = 0; i + 1 < entries->count; i++) {
        if (last->option && entries->items[i].option == last->option) {
            return mrwi_suite_fail(suite, last->line, error,
                                   "'%s' is already set in line %u; remove one",
                                   last->option->shown.name, entries->items[i].line);
        }
    }
    return MRW_OK;
}

mrw_status mrwi_suite_entries_read(const mrwi_suite *suite, const mrwi_suite_section *section,
                                   mrwi_base_arena *arena, mrwi_suite_entries *out,
                                   mrw_error *error)
{
    *out = (mrwi_suite_entries){0};
    out->items = mrwi_base_arena_alloc(arena, section->key_count, sizeof *out->items);
    if (!out->items) {
        return mrwi_base_fail_memory(error, section->key_count * sizeof *out->items);
    }
    for (size_t i = 0; i < section->key_count; i++) {
        const mrwi_suite_key *key = &section->keys[i];
        mrw_status status = find_key(suite, key, &out->items[i], error);
        if (status) {
            return status;
        }
        out->count++;
        status = check_repeated(suite, out, error);
        if (status) {
            return status;
        }
        status = read_values(suite, key, arena, &out->items[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
