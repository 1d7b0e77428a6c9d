/* suggest.c: finds the options and commands that an unknown name may mean. */
#include "base/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

#define NAME_LENGTH  64
#define MOST         3  /* the most names in a suggestion */
#define LONGEST_FORM 24 /* the part of a value's form that is shown */

/* A search and its results. */
typedef struct search {
    mrw_command command; /* search its options; MRW_COMMAND_NONE: all options */
    bool keys;           /* search keys of suites only */
    const mrwi_options_option *found[MOST];
    size_t count; /* number of options in `found` */
    size_t total; /* number of options found, also those that `found` has no room for */
} search;

/* ---- names ----------------------------------------------------------------------------------- */

/* Writes a name in the form of option names: without leading dashes and a value; frameRate and
 * frame_rate become "frame-rate". */
static void put_plain(const char *text, char out[NAME_LENGTH])
{
    size_t used = 0;
    text += strspn(text, "-");
    for (const char *p = text; *p != '\0' && *p != '=' && used + 2 < NAME_LENGTH; p++) {
        const bool capital = *p >= 'A' && *p <= 'Z';
        if (capital && p > text && p[-1] >= 'a' && p[-1] <= 'z') {
            out[used++] = '-';
        }
        out[used++] = capital ? (char)(*p - 'A' + 'a') : *p == '_' || *p == ' ' ? '-' : *p;
    }
    out[used] = '\0';
}

/* Compares two names, ignoring dashes. */
static bool is_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-");
        b += strspn(b, "-");
        if (*a != *b || *a == '\0') {
            return *a == *b;
        }
    }
}

/* Returns how many edits count as a typing error in a name of this length. In three letters none
 * does: fog is not fov. */
static size_t allowed_edits(size_t length)
{
    return length >= 11 ? 3 : length >= 7 ? 2 : length >= 4 ? 1 : 0;
}

static bool is_near(const char *a, const char *b, size_t most)
{
    const size_t a_length = strlen(a), b_length = strlen(b);
    const size_t allowed = allowed_edits(a_length > b_length ? a_length : b_length);
    if (a_length == 3 && b_length == 3) { /* three letters: only a swap of neighbours counts */
        return (a[0] == b[1] && a[1] == b[0] && a[2] == b[2]) ||
               (a[0] == b[0] && a[1] == b[2] && a[2] == b[1]);
    }
    return mrwi_base_edit_distance(a, b) <= (allowed < most ? allowed : most);
}

/* Returns true if the text contains the part: anywhere if it has four letters or more, else between
 * dashes or the text's ends. */
static bool has_part(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (const char *p = strstr(text, part); p; p = strstr(p + 1, part)) {
        if (length >= 4 ||
            ((p == text || p[-1] == '-') && (p[length] == '\0' || p[length] == '-'))) {
            return true;
        }
    }
    return false;
}

const mrw_option_word *mrw_option_word_find(const char *name)
{
    for (size_t i = 0; i < mrw_option_word_count(); i++) {
        if (is_same(mrw_option_word_at(i)->word, name)) {
            return mrw_option_word_at(i);
        }
    }
    return NULL;
}

/* Finds a word that differs from the name by a typing error. Short words are skipped, because they
 * differ from each other by one letter. */
static const mrw_option_word *word_near(const char *name)
{
    for (size_t i = 0; strlen(name) >= 6 && i < mrw_option_word_count(); i++) {
        const char *word = mrw_option_word_at(i)->word;
        if (strlen(word) >= 6 && is_near(name, word, 2)) {
            return mrw_option_word_at(i);
        }
    }
    return NULL;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool belongs(const search *s, const mrwi_options_option *option)
{
    return s->keys
               ? !mrwi_options_why_no_key(option)
               : s->command == MRW_COMMAND_NONE || mrw_option_belongs(&option->shown, s->command);
}

static void add(search *s, const mrwi_options_option *option)
{
    if (!belongs(s, option)) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->found[i] == option) {
            return;
        }
    }
    if (s->count < MOST) {
        s->found[s->count++] = option;
    }
    s->total++;
}

static bool is_the_same(const char *name, const char *option)
{
    return is_same(name, option);
}

static bool is_one_edit(const char *name, const char *option)
{
    return is_near(name, option, 1);
}

static bool is_some_edits(const char *name, const char *option)
{
    return is_near(name, option, 3);
}

static bool is_beginning(const char *name, const char *option)
{
    return strlen(name) >= 3 && strncmp(name, "no-", 3) != 0 &&
           strncmp(option, name, strlen(name)) == 0;
}

/* Finds --clip for "clip-frames". */
static bool begins_with_option(const char *name, const char *option)
{
    const size_t length = strlen(option);
    return length >= 2 && strncmp(name, option, length) == 0 && name[length] == '-';
}

/* Finds --show-hidden for "hidden", but never an option that begins with "no-". */
static bool is_inside(const char *name, const char *option)
{
    return strlen(name) >= 3 && strncmp(option, "no-", 3) != 0 && has_part(option, name);
}

/* Finds --fps for "max-fps". */
static bool ends_with_option(const char *name, const char *option)
{
    const size_t length = strlen(option), size = strlen(name);
    return length >= 3 && size > length + 1 && strcmp(name + size - length, option) == 0 &&
           name[size - length - 1] == '-';
}

typedef bool (*likeness)(const char *name, const char *option);

static void add_alike(search *s, const char *name, likeness alike)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        const mrwi_options_option *option = &mrwi_options[i];
        if (alike(name, option->shown.name) ||
            (option->shown.alias && alike(name, option->shown.alias))) {
            add(s, option);
        }
    }
}

/* Returns the name without a verb in front ("show-grid", "enable-shadows"), or NULL if it has none.
 */
static const char *without_verb(const char *name)
{
    static const char *const verbs[] = {"show-", "enable-", "draw-", "use-", "with-", "set-"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strncmp(name, verbs[i], strlen(verbs[i])) == 0) {
            return name + strlen(verbs[i]);
        }
    }
    return NULL;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* Returns the length of the first clause of an option's help. */
static int first_clause(const char *help)
{
    size_t length = strcspn(help, ";(");
    const char *colon = strstr(help, ": "), *space = strchr(help, ' ');
    if (colon && colon - help >= 12 && colon < help + length && space < colon) {
        length = (size_t)(colon - help);
    }
    while (length > 0 && help[length - 1] == ' ') {
        length--;
    }
    return (int)(length >= 8 ? length : strlen(help));
}

/* Writes the form of a value. A long form a|b|c is cut behind a bar. */
static void put_form(const char *argument, char *out, size_t size)
{
    size_t length = strlen(argument);
    const bool cut = length > LONGEST_FORM;
    for (length = cut ? LONGEST_FORM : length; cut && length > 1 && argument[length - 1] != '|';) {
        length--;
    }
    snprintf(out, size, "%.*s%s", (int)length, argument, cut ? "..." : "");
}

/* Writes "-o, --output NAME.gif (a file, ...)". value: the value to propose, of `length`
 * characters; NULL: the form of any value. */
static void put_option(const search *s, const mrwi_options_option *option, const char *value,
                       int length, char *out, size_t size)
{
    char form[48] = "", letter[8] = "";
    const mrw_option *shown = &option->shown;
    if (value) {
        snprintf(form, sizeof form, "%.*s", length, value);
    } else if (shown->argument) {
        put_form(shown->argument, form, sizeof form);
    }
    if (shown->short_name && !s->keys) {
        snprintf(letter, sizeof letter, "-%c, ", shown->short_name);
    }
    const bool bracket = shown->optional && !value && form[0] != '\0';
    snprintf(out, size, "%s%s%s%s%s%s (%.*s)", letter, s->keys ? "" : "--", shown->name,
             form[0] == '\0'   ? ""
             : s->keys         ? " = "
             : bracket         ? "[="
             : shown->optional ? "="
                               : " ",
             form, bracket ? "]" : "", first_clause(shown->help), shown->help);
}

/* Writes a meaning from synonyms.c, of `length` characters. Returns false if it's an option or a
 * command that the search leaves out. */
static bool put_meaning(const search *s, const char *text, int length, char *out, size_t size)
{
    const char *space = memchr(text, ' ', (size_t)length);
    const int name = space ? (int)(space - text) : length;
    if (strncmp(text, "marrow ", 7) == 0) {
        const size_t size_of_name = strcspn(text + 7, " |");
        for (int i = 0; i < MRW_COMMAND_COUNT && !s->keys; i++) {
            const mrw_command_info *info = mrw_command_describe((mrw_command)i);
            if (strlen(info->name) == size_of_name &&
                memcmp(info->name, text + 7, size_of_name) == 0) {
                snprintf(out, size, "`%.*s` (%s)", length, text, info->summary);
                return (mrw_command)i != s->command;
            }
        }
        return false;
    }
    const mrwi_options_option *option = mrwi_options_option_find(text, (size_t)name);
    if (!option || !belongs(s, option)) {
        return false;
    }
    put_option(s, option, space ? space + 1 : NULL, length - name - 1, out, size);
    return true;
}

static void append(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

static void append_pieces(char pieces[MOST][320], size_t count, char *out, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        append(out, size, i == 0 ? "; did you mean " : i + 1 < count ? ", " : " or ");
        append(out, size, pieces[i]);
    }
    append(out, size, count > 0 ? "?" : "");
}

static void say_word(const search *s, const mrw_option_word *word, char *out, size_t size)
{
    char pieces[MOST][320];
    size_t count = 0;
    if (word->means[0] == '=') {
        append(out, size, s->keys ? "" : ";");
        append(out, size, s->keys ? "" : word->means + 1);
        return;
    }
    for (const char *p = word->means; *p != '\0' && count < MOST; p += *p == '|') {
        const size_t length = strcspn(p, "|");
        count += put_meaning(s, p, (int)length, pieces[count], sizeof *pieces);
        p += length;
    }
    append_pieces(pieces, count, out, size);
}

static void say_options(const search *s, const char *name, char *out, size_t size)
{
    char pieces[MOST][320], more[128];
    for (size_t i = 0; i < s->count; i++) {
        put_option(s, s->found[i], NULL, 0, pieces[i], sizeof *pieces);
    }
    append_pieces(pieces, s->count, out, size);
    if (s->total > s->count) {
        snprintf(more, sizeof more, " `marrow help %s` lists more", name);
        append(out, size, more);
    }
}

/* ---- the order ------------------------------------------------------------------------------- */

void mrwi_options_suggest(const char *typed, mrw_command command, bool keys, char *out, size_t size)
{
    static const likeness orders[] = {is_beginning, begins_with_option, is_some_edits, is_inside,
                                      ends_with_option};
    search s = {.command = command, .keys = keys};
    char name[NAME_LENGTH];
    put_plain(typed, name);
    const char *rest = without_verb(name);
    const mrw_option_word *word = mrw_option_word_find(name);
    if (!word && strlen(name) > 1) {
        add_alike(&s, name, is_the_same);
    }
    if (!word && s.total == 0 && rest) {
        word = mrw_option_word_find(rest);
        if (!word) {
            add_alike(&s, rest, is_the_same);
        }
    }
    if (!word && s.total == 0) {
        add_alike(&s, name, is_one_edit);
        if (s.total > 0 && strlen(name) >= 4) { /* "shad" may mean --shadows as well as --shard */
            add_alike(&s, name, is_beginning);
        }
        word = s.total == 0 ? word_near(name) : NULL;
    }
    if (word) {
        say_word(&s, word, out, size);
        return;
    }
    const size_t tried = strlen(name) > 1 ? sizeof orders / sizeof *orders : 0;
    for (size_t i = 0; i < tried && s.total == 0; i++) {
        add_alike(&s, name, orders[i]);
    }
    say_options(&s, name, out, size);
}

void mrwi_options_suggest_word(const char *typed, mrw_command command, char *out, size_t size)
{
    const search s = {.command = command};
    char name[NAME_LENGTH];
    put_plain(typed, name);
    const mrw_option_word *word = mrw_option_word_find(name);
    if (word) {
        say_word(&s, word, out, size);
    }
}
