/* cases.c: makes cases of a suite's sections: applies [defaults], multiplies lists, and gives names
 * and folders. */
#include "suite/suite.h"

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The plan for the cases of one section. */
typedef struct plan {
    const mrwi_suite *suite;
    const mrwi_suite_section *section;
    /* The section's entries, then the applicable ones of [defaults] */
    const mrwi_suite_entry **entries;
    size_t own_count; /* Number of entries from the section itself */
    size_t count;
    size_t *chosen; /* Index of the chosen value, per entry */
    bool *idle;     /* Per entry: it changes nothing in the current case and is left out */
    mrwi_base_arena *scratch;
} plan;

/* ---- which keys hold ------------------------------------------------------------------------- */

/* Returns true when the section sets the same key as [defaults], or one that excludes it. */
static bool gives_way(const mrwi_suite_entry *preset, const mrwi_suite_entry *own)
{
    if (!preset->option || !own->option) {
        return !preset->option && !own->option && preset->own == own->own;
    }
    return preset->option == own->option || mrwi_options_option_yields(preset->option, own->option);
}

/* Returns true for options of picture comparison, which `store = hash` excludes. */
static bool compares_pictures(const mrwi_suite_entry *entry)
{
    return entry->option && entry->option->shown.group == MRW_OPTIONS_COMPARE &&
           strcmp(entry->option->shown.name, "max-degrees") != 0 &&
           strcmp(entry->option->shown.name, "max-distance") != 0;
}

/* Applies those keys of the section that have one value. */
static mrw_status read_single(const plan *p, mrw_case *out, mrw_error *error)
{
    *out = (mrw_case){0};
    mrw_settings_init(&out->settings);
    for (size_t i = 0; i < p->own_count; i++) {
        const mrwi_suite_entry *entry = p->entries[i];
        if (entry->value_count != 1 || (!entry->option && entry->own != MRWI_SUITE_KEY_STORE)) {
            continue;
        }
        mrw_status status =
            mrwi_suite_apply(p->suite, entry, &entry->values[0], p->scratch, out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Returns true when a key of [defaults] applies to a section. `single` has what the section alone
 * sets. */
static bool holds(const mrwi_suite_entry *preset, const mrwi_suite_entries *own,
                  const mrw_case *single)
{
    for (size_t i = 0; i < own->count; i++) {
        if (gives_way(preset, &own->items[i])) {
            return false;
        }
    }
    /* Hashes and comparisons of pictures exclude each other. */
    const mrw_compare_settings *compare = &single->settings.compare;
    const bool compared = compare->pictures.mode != 0 || compare->masks.count > 0;
    const bool hashes = !preset->option && (preset->own == MRWI_SUITE_KEY_STORE ||
                                            preset->own == MRWI_SUITE_KEY_KEY_FRAMES);
    if ((single->store_hash && compares_pictures(preset)) || (compared && hashes)) {
        return false;
    }
    return !preset->option || !mrwi_options_option_is_idle(&single->settings, preset->option);
}

static mrw_status make_plan(plan *p, const mrwi_suite_entries *own,
                            const mrwi_suite_entries *presets, mrw_error *error)
{
    const size_t most = own->count + presets->count;
    p->entries = mrwi_base_arena_alloc(p->scratch, most, sizeof(mrwi_suite_entry *));
    p->chosen = mrwi_base_arena_alloc(p->scratch, most, sizeof *p->chosen);
    p->idle = mrwi_base_arena_alloc(p->scratch, most, sizeof *p->idle);
    if (!p->entries || !p->chosen || !p->idle) {
        return mrwi_base_fail_memory(error, most * sizeof *p->chosen);
    }
    memset(p->chosen, 0, most * sizeof *p->chosen);
    for (size_t i = 0; i < own->count; i++) {
        p->entries[p->count++] = &own->items[i];
    }
    p->own_count = p->count;
    mrw_case single;
    mrw_status status = read_single(p, &single, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < presets->count; i++) {
        if (holds(&presets->items[i], own, &single)) {
            p->entries[p->count++] = &presets->items[i];
        }
    }
out:
    mrw_settings_free(&single.settings);
    return status;
}

/* Returns the index of a key among the entries; `count` when it is not set. */
static size_t find_own(const plan *p, mrwi_suite_own_key key)
{
    size_t i = 0;
    while (i < p->count && (p->entries[i]->option || p->entries[i]->own != key)) {
        i++;
    }
    return i;
}

static size_t find_option(const plan *p, const char *name)
{
    size_t i = 0;
    while (i < p->count &&
           (!p->entries[i]->option || strcmp(p->entries[i]->option->shown.name, name) != 0)) {
        i++;
    }
    return i;
}

static const mrwi_suite_value *chosen_value(const plan *p, size_t entry)
{
    return &p->entries[entry]->values[p->chosen[entry]];
}

/* ---- what must go together ------------------------------------------------------------------- */

/* Returns true when a key has no effect without `needs`. A key of [defaults] may be set in vain
 * when the section itself chose otherwise. */
static bool is_in_vain(const plan *p, size_t key, size_t needs)
{
    return key < p->count && !(key >= p->own_count && needs < p->own_count);
}

static mrw_status refuse_in_vain(const plan *p, size_t key, const char *name, const char *needs,
                                 mrw_error *error)
{
    return mrwi_suite_fail(p->suite, p->entries[key]->line, error,
                           "'%s' has no effect without `%s`; add it", name, needs);
}

static mrw_status check_own(const plan *p, const mrw_case *made, mrw_error *error)
{
    const size_t check = find_own(p, MRWI_SUITE_KEY_CHECK),
                 store = find_own(p, MRWI_SUITE_KEY_STORE);
    const size_t frames = find_own(p, MRWI_SUITE_KEY_KEY_FRAMES);
    const size_t degrees = find_option(p, "max-degrees");
    const size_t distance = find_option(p, "max-distance");
    if (!made->store_hash && is_in_vain(p, frames, store)) {
        return refuse_in_vain(p, frames, "key-frames", "store = hash", error);
    }
    if ((made->checks & MRW_CHECK_POSE) == 0 && is_in_vain(p, degrees, check)) {
        return refuse_in_vain(p, degrees, "max-degrees", "check = pose", error);
    }
    if ((made->checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS)) == 0 &&
        is_in_vain(p, distance, check)) {
        return refuse_in_vain(p, distance, "max-distance", "check = pose", error);
    }
    if (made->store_hash &&
        (made->settings.compare.pictures.mode != 0 || made->settings.compare.masks.count > 0)) {
        return mrwi_suite_fail(p->suite, p->entries[store]->line, error,
                               "`store = hash` keeps no pictures, so it can't be combined with "
                               "`%s`; store pictures, or remove that",
                               made->settings.compare.pictures.mode != 0 ? "compare" : "mask");
    }
    return MRW_OK;
}

/* ---- one case -------------------------------------------------------------------------------- */

/* Makes the name: the section's, and the chosen value of each list, as in hero.Walk.64. */
static mrw_status make_name(const plan *p, mrwi_base_arena *arena, mrw_case *out, mrw_error *error)
{
    char name[MRWI_SUITE_MAX_CASE_NAME + MRWI_SUITE_MAX_LINE + 8];
    size_t used = strlen(p->section->name);
    memcpy(name, p->section->name, used + 1);
    for (size_t i = 0; i < p->count && used <= MRWI_SUITE_MAX_CASE_NAME; i++) {
        if (p->entries[i]->value_count > 1) {
            const char *label = chosen_value(p, i)->label;
            const size_t length = strlen(label);
            name[used] = '.';
            memcpy(name + used + 1, label, length + 1);
            used += length + 1;
        }
    }
    if (used > MRWI_SUITE_MAX_CASE_NAME) {
        return mrwi_suite_fail(p->suite, p->section->line, error,
                               "a case would be called %.60s..., which is longer than %u bytes; "
                               "use shorter values or fewer lists",
                               name, MRWI_SUITE_MAX_CASE_NAME);
    }
    out->name = mrwi_base_copy_text(arena, name);
    return out->name ? MRW_OK : mrwi_base_fail_memory(error, used);
}

/* If the case has no folder of goldens, looks for it in another normal form, and under its old name
 * (see mrwi_base_old_file_name). */
static mrw_status find_goldens(const plan *p, const char *golden, mrwi_base_arena *arena,
                               mrw_case *out, mrw_error *error)
{
    const char *suite = p->suite->name;
    char form[MRWI_BASE_PATH_MAX], old_suite[MRWI_SUITE_MAX_LINE + 1];
    char old_case[MRWI_SUITE_MAX_CASE_NAME + 1];
    if (access(out->golden, F_OK) == 0 ||
        !(mrwi_base_utf8_is_wide(suite) || mrwi_base_utf8_is_wide(out->name))) {
        return MRW_OK;
    }
    if (mrwi_base_find_form(AT_FDCWD, out->golden, form)) {
        out->golden = mrwi_base_copy_text(arena, form);
        return out->golden ? MRW_OK : mrwi_base_fail_memory(error, sizeof form);
    }
    mrwi_base_old_file_name(suite, old_suite, sizeof old_suite);
    mrwi_base_old_file_name(out->name, old_case, sizeof old_case);
    const char *old = mrwi_base_format(p->scratch, "%s/%s/%s", golden, old_suite, old_case);
    old = old ? mrwi_suite_path_tidy(p->scratch, old, true) : NULL;
    old = old ? mrwi_suite_path_join(arena, p->suite->folder, old) : NULL;
    if (old && access(old, F_OK) == 0) {
        out->golden_renamed = out->golden;
        out->golden = old;
    }
    return old ? MRW_OK : mrwi_base_fail_memory(error, strlen(golden));
}

static mrw_status make_folders(const plan *p, mrwi_base_arena *arena, mrw_case *out,
                               mrw_error *error)
{
    const mrwi_suite *suite = p->suite;
    const size_t key = find_own(p, MRWI_SUITE_KEY_GOLDEN);
    const char *golden =
        key < p->count ? chosen_value(p, key)->parts[0] : mrwi_suite_usual(MRWI_SUITE_KEY_GOLDEN);
    const char *below = mrwi_base_format(p->scratch, "%s/%s/%s", golden, suite->name, out->name);
    below = below ? mrwi_suite_path_tidy(p->scratch, below, true) : NULL;
    const char *results = mrwi_base_format(p->scratch, "results/%s/%s", suite->name, out->name);
    out->golden = below ? mrwi_suite_path_join(arena, suite->folder, below) : NULL;
    out->results = results ? mrwi_suite_path_join(arena, suite->folder, results) : NULL;
    if (!out->golden || !out->results) {
        return mrwi_base_fail_memory(error, strlen(golden));
    }
    return find_goldens(p, golden, arena, out, error);
}

/* Returns true for a key of [defaults] whose order counts: hide and show, of which the last
 * decides.
 */
static bool is_first(const plan *p, size_t i)
{
    const mrwi_options_option *option = p->entries[i]->option;
    return i >= p->own_count && option &&
           (option->kind == MRWI_OPTIONS_HIDE || option->kind == MRWI_OPTIONS_SHOW);
}

/* Applies the section's keys, then those of [defaults] that still have an effect. Idle keys of
 * [defaults] are determined in one step, so two that contradict each other are reported. hide and
 * show of [defaults] come first, so the section has the last word. */
static mrw_status apply_entries(plan *p, mrwi_base_arena *arena, mrw_case *out, mrw_error *error)
{
    mrw_status status;
    for (size_t i = p->own_count; i < p->count; i++) {
        if (!is_first(p, i)) {
            continue;
        }
        status = mrwi_suite_apply(p->suite, p->entries[i], chosen_value(p, i), arena, out, error);
        if (status) {
            return status;
        }
    }
    for (size_t i = 0; i < p->own_count; i++) {
        status = mrwi_suite_apply(p->suite, p->entries[i], chosen_value(p, i), arena, out, error);
        if (status) {
            return status;
        }
    }
    for (size_t i = p->own_count; i < p->count; i++) {
        const mrwi_suite_entry *preset = p->entries[i];
        p->idle[i] = preset->option && preset->value_count == 1 &&
                     mrwi_options_option_is_idle(&out->settings, preset->option);
    }
    for (size_t i = p->own_count; i < p->count; i++) {
        if (p->idle[i] || is_first(p, i)) {
            continue;
        }
        status = mrwi_suite_apply(p->suite, p->entries[i], chosen_value(p, i), arena, out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Lists the applied entries as a command line writes them. A flag that is off is left out, unless
 * it may override a look. */
static mrw_status list_options(const plan *p, mrwi_base_arena *arena, mrw_case *out,
                               mrw_error *error)
{
    size_t most = 0;
    for (size_t i = 0; i < p->count; i++) {
        most += chosen_value(p, i)->part_count;
    }
    const char **texts = mrwi_base_arena_alloc(arena, most, sizeof *texts);
    if (!texts) {
        return mrwi_base_fail_memory(error, most * sizeof *texts);
    }
    out->options = texts;
    /* two rounds, so that entries of is_first() come first */
    for (size_t n = 0; n < 2 * p->count; n++) {
        const size_t i = n % p->count;
        const mrwi_options_option *option = p->entries[i]->option;
        const mrwi_suite_value *value = chosen_value(p, i);
        if (is_first(p, i) != (n < p->count)) {
            continue;
        }
        const bool flag = option && option->kind == MRWI_OPTIONS_FLAG;
        const bool off = flag && !*(const bool *)((const char *)&out->settings + option->offset);
        if (!option || (i >= p->own_count && p->idle[i]) || (off && out->settings.look == 0)) {
            continue;
        }
        for (size_t k = 0; k < value->part_count; k++) {
            const char *text =
                mrwi_base_format(arena, "--%s%s%s", option->shown.name, flag && !off ? "" : "=",
                                 off    ? "off"
                                 : flag ? ""
                                        : value->parts[k]);
            if (!text) {
                return mrwi_base_fail_memory(error, 0);
            }
            texts[out->option_count++] = text;
        }
    }
    return MRW_OK;
}

static mrw_status make_case(plan *p, mrwi_base_arena *arena, mrw_case *out, mrw_error *error)
{
    *out = (mrw_case){.suite = p->suite->name,
                      .named = p->suite->named,
                      .suite_file = p->suite->path,
                      .line = p->section->line};
    mrw_settings_init(&out->settings);
    out->settings.command = MRW_COMMAND_TEST;
    mrw_status status = make_name(p, arena, out, error);
    if (status) {
        goto out;
    }
    status = make_folders(p, arena, out, error);
    if (status) {
        goto out;
    }
    status = mrwi_suite_apply_usual(p->suite, arena, out, error);
    if (status) {
        goto out;
    }
    status = apply_entries(p, arena, out, error);
    if (status) {
        goto out;
    }
    status = list_options(p, arena, out, error);
    if (status) {
        goto out;
    }
    if (!out->model) {
        status = mrwi_suite_fail(p->suite, p->section->line, error,
                                 "section [%s] has no model; add `model = FILE`, here or in "
                                 "[defaults]",
                                 p->section->name);
        goto out;
    }
    status = mrwi_options_apply_look(&out->settings, NULL, error);
    if (status) {
        goto out;
    }
    mrw_error plain; /* the same conflicts as on a command line */
    if (mrwi_options_settings_check(&out->settings, &plain)) {
        status = mrwi_suite_fail(p->suite, p->section->line, error, "case %s: %s", out->name,
                                 plain.text);
        goto out;
    }
    out->max_degrees = out->settings.compare.max_degrees;
    out->max_distance = out->settings.compare.max_distance;
    status = check_own(p, out, error);
out:
    if (status) {
        mrw_settings_free(&out->settings);
    }
    return status;
}

/* ---- the cases of a section ------------------------------------------------------------------ */

/* Moves on to the next combination of values, the last entry's fastest. Returns false after the
 * last one. */
static bool next_choice(plan *p)
{
    for (size_t i = p->count; i-- > 0;) {
        if (++p->chosen[i] < p->entries[i]->value_count) {
            return true;
        }
        p->chosen[i] = 0;
    }
    return false;
}

static mrw_status check_count(const plan *p, const mrwi_suite_case_list *cases, mrw_error *error)
{
    size_t product = 1;
    for (size_t i = 0; i < p->count; i++) {
        product *= p->entries[i]->value_count;
        if (product > MRWI_SUITE_MAX_OF_SECTION) {
            return mrwi_suite_fail(p->suite, p->section->line, error,
                                   "the lists of section [%s] make more than %u cases; use shorter "
                                   "ones",
                                   p->section->name, MRWI_SUITE_MAX_OF_SECTION);
        }
    }
    return cases->count + product <= MRWI_SUITE_MAX_CASES
               ? MRW_OK
               : mrwi_suite_fail(p->suite, p->section->line, error,
                                 "more than %u cases in all; run fewer suites at once",
                                 MRWI_SUITE_MAX_CASES);
}

static mrw_status add_section(const mrwi_suite *suite, const mrwi_suite_section *section,
                              const mrwi_suite_entries *presets, mrwi_base_arena *scratch,
                              mrwi_suite_case_list *out, mrw_error *error)
{
    plan p = {.suite = suite, .section = section, .scratch = scratch};
    mrwi_suite_entries own;
    mrw_status status = mrwi_suite_entries_read(suite, section, out->arena, &own, error);
    if (status) {
        return status;
    }
    status = make_plan(&p, &own, presets, error);
    if (status) {
        return status;
    }
    status = check_count(&p, out, error);
    if (status) {
        return status;
    }
    do {
        mrw_case made;
        status = make_case(&p, out->arena, &made, error);
        if (status) {
            return status;
        }
        void *items = out->items;
        const bool fine = mrwi_options_append(&items, &out->count, sizeof made, &made);
        out->items = items;
        if (!fine) {
            mrw_settings_free(&made.settings);
            return mrwi_base_fail_memory(error, sizeof made);
        }
    } while (next_choice(&p));
    return MRW_OK;
}

/* ---- equal names ----------------------------------------------------------------------------- */

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

/* Compares names in normal form C, without regard to case. */
static int compare_folded(const char *left, const char *right)
{
    char nfc[2][MRWI_BASE_NFC_SIZE];
    const char *a = mrwi_base_utf8_nfc(left, nfc[0]), *b = mrwi_base_utf8_nfc(right, nfc[1]);
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) - lower(*b);
}

/* Orders cases by name without regard to case, then as they were made. Their addresses tell the
 * latter, because all lie in one array. */
static int compare_cases(const void *left, const void *right)
{
    const mrw_case *a = *(const mrw_case *const *)left, *b = *(const mrw_case *const *)right;
    const int order = compare_folded(a->name, b->name);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Refuses two cases whose goldens would share a folder on some file system. */
static mrw_status check_names(const mrwi_suite *suite, const mrw_case *cases, size_t count,
                              mrw_error *error)
{
    const mrw_case **sorted = mrwi_base_alloc(count, sizeof *sorted);
    if (!sorted) {
        return mrwi_base_fail_memory(error, count * sizeof *sorted);
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &cases[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_cases);
    mrw_status status = MRW_OK;
    for (size_t i = 1; i < count; i++) {
        const mrw_case *a = sorted[i - 1], *b = sorted[i];
        if (compare_folded(a->name, b->name) == 0) {
            const bool same = strcmp(a->name, b->name) == 0;
            status =
                mrwi_suite_fail(suite, b->line, error,
                                same ? "a second case is called %s (the other is in line %u%s); "
                                       "rename a section, or change a list"
                                     : "case %s and the one in line %u (%s) differ only in capital "
                                       "letters or in how accents are coded, and some file systems "
                                       "can't tell them apart",
                                b->name, a->line, same ? "" : a->name);
            break;
        }
    }
    mrwi_base_free(sorted);
    return status;
}

/* ---- a suite --------------------------------------------------------------------------------- */

mrw_status mrwi_suite_cases(const mrwi_suite *suite, mrwi_suite_case_list *out, mrw_error *error)
{
    const size_t before = out->count;
    mrwi_base_arena scratch = {0};
    mrwi_suite_entries presets = {0};
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < suite->section_count; i++) {
        if (strcmp(suite->sections[i].name, "defaults") == 0) {
            status =
                mrwi_suite_entries_read(suite, &suite->sections[i], out->arena, &presets, error);
            if (status) {
                goto out;
            }
        }
    }
    for (size_t i = 0; i < suite->section_count; i++) {
        if (strcmp(suite->sections[i].name, "defaults") != 0) {
            mrwi_base_arena_reset(&scratch);
            status = add_section(suite, &suite->sections[i], &presets, &scratch, out, error);
            if (status) {
                goto out;
            }
        }
    }
    if (out->count > before) {
        status = check_names(suite, out->items + before, out->count - before, error);
    }
out:
    mrwi_base_arena_free(&scratch);
    return status;
}
