/* search.c: `marrow help WORD`: what commands, pages and options say of words. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define MOST_WORDS   8
#define WORD_LENGTH  48
#define MOST_ENTRIES 4 /* the most entries of a page */

/* The words of a search. */
typedef struct wanted {
    char words[MOST_WORDS][WORD_LENGTH]; /* small letters, no dashes in front */
    size_t count;
    bool dashed; /* an option is named as an option */
} wanted;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

static bool read_words(const mrw_text_list *list, wanted *out)
{
    *out = (wanted){.dashed = list->items[0][0] == '-'};
    for (size_t i = 0; i < list->count && i < MOST_WORDS; i++) {
        const char *text = list->items[i] + strspn(list->items[i], "-");
        const bool negated = out->dashed && strncmp(text, "no-", 3) == 0;
        size_t length = strcspn(text, "=");
        text += negated ? 3 : 0;
        length -= negated ? 3 : 0;
        if (length == 0 || length >= WORD_LENGTH) {
            return false;
        }
        for (size_t k = 0; k < length; k++) {
            out->words[i][k] = lower(text[k]);
        }
        out->count++;
    }
    return true;
}

/* True when a word of the text begins so; short words must end so, too, but for an s. */
static bool has(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *p = text; text && *p != '\0'; p++) {
        size_t same = 0;
        if (p > text && is_letter(p[-1])) {
            continue;
        }
        while (same < length && lower(p[same]) == word[same]) {
            same++;
        }
        if (same == length && (length > 3 || !is_letter(p[length]) ||
                               (p[length] == 's' && !is_letter(p[length + 1])))) {
            return true;
        }
    }
    return false;
}

/* True when each word is in one of the texts. */
static bool has_all(const wanted *w, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < w->count; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++) {
            found = found || has(texts[k], w->words[i]);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static void add_title(mrw_text *out, const char *title, bool *titled)
{
    if (!*titled) {
        mrw_text_add(out, "%s%s\n", out->size > 0 ? "\n" : "", title);
    }
    *titled = true;
}

/* ---- options --------------------------------------------------------------------------------- */

static size_t find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if ((strlen(option->name) == length && memcmp(option->name, name, length) == 0) ||
            (option->alias && strlen(option->alias) == length &&
             memcmp(option->alias, name, length) == 0) ||
            (length == 1 && option->short_name == name[0])) {
            return i;
        }
    }
    return mrw_option_count();
}

/* The option that is named. */
static size_t find_named(const wanted *w)
{
    return w->count == 1 ? find_option(w->words[0], strlen(w->words[0])) : mrw_option_count();
}

static void add_owners(const mrw_option *option, mrw_text *out)
{
    mrw_text line = {0};
    for (int i = 0, count = 0; i < MRW_COMMAND_COUNT; i++) {
        if (mrw_option_belongs(option, (mrw_command)i)) {
            mrw_text_add(&line, "%s%s", count++ > 0 ? ", " : "",
                         mrw_command_describe((mrw_command)i)->name);
        }
    }
    if (!line.failed && line.data) {
        cli_help_add_row(out, CLI_OPTION_COLUMN, "      belongs to", line.data);
    }
    mrw_text_free(&line);
}

static void add_named(const wanted *w, mrw_text *out)
{
    const size_t index = find_named(w);
    bool titled = false;
    if (index == mrw_option_count()) {
        return;
    }
    const mrw_option *option = mrw_option_at(index);
    add_title(out, "Option", &titled);
    cli_help_add_option(MRW_COMMAND_NONE, index, out);
    add_owners(option, out);
    if (option->alias) {
        char alias[64];
        snprintf(alias, sizeof alias, "--%s", option->alias);
        cli_help_add_row(out, CLI_OPTION_COLUMN, "      also called", alias);
    }
}

/* by_name: options whose name or heading has the words, else those whose help alone has them. */
static void add_options(const wanted *w, bool by_name, mrw_text *out)
{
    const size_t named = find_named(w);
    bool titled = false;
    for (int command = 0; command < MRW_COMMAND_COUNT; command++) {
        for (size_t i = 0; i < mrw_option_count(); i++) {
            const mrw_option *option = mrw_option_at(i);
            const char *const texts[] = {option->name, option->alias,
                                         mrw_option_group_title(option->group), option->argument,
                                         option->help};
            bool seen = i == named || !mrw_option_belongs(option, (mrw_command)command);
            for (int before = 0; before < command && !seen; before++) {
                seen = mrw_option_belongs(option, (mrw_command)before);
            }
            if (seen || has_all(w, texts, 3) != by_name || !has_all(w, texts, 5)) {
                continue;
            }
            char title[96];
            snprintf(title, sizeof title, "Options%s%s%s", by_name ? "" : " that speak of it",
                     command == MRW_COMMAND_RENDER ? "" : ", of ",
                     command == MRW_COMMAND_RENDER
                         ? ""
                         : mrw_command_describe((mrw_command)command)->name);
            add_title(out, title, &titled);
            cli_help_add_option((mrw_command)command, i, out);
        }
        titled = false;
    }
}

/* ---- other words for it ---------------------------------------------------------------------- */

/* One of the meanings of a word, `length` characters. */
static void add_meaning(const char *text, int length, mrw_text *out)
{
    const char *space = memchr(text, ' ', (size_t)length);
    const size_t name = space ? (size_t)(space - text) : (size_t)length;
    char left[96];
    if (strncmp(text, "marrow ", 7) == 0) {
        const size_t size = strcspn(text + 7, " |");
        for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
            const mrw_command_info *info = mrw_command_describe((mrw_command)i);
            if (strlen(info->name) == size && memcmp(info->name, text + 7, size) == 0) {
                snprintf(left, sizeof left, "  %.*s", length, text);
                cli_help_add_row(out, CLI_OPTION_COLUMN, left, info->summary);
            }
        }
        return;
    }
    const size_t index = find_option(text, name);
    if (index == mrw_option_count()) {
        return;
    }
    if (!space) {
        cli_help_add_option(MRW_COMMAND_NONE, index, out);
        return;
    }
    const mrw_option *option = mrw_option_at(index);
    char letter[8] = "    ";
    if (option->short_name) {
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    }
    snprintf(left, sizeof left, "  %s--%s%s%.*s", letter, option->name,
             option->optional ? "=" : " ", (int)(length - (int)name - 1), space + 1);
    cli_help_add_row(out, CLI_OPTION_COLUMN, left, option->help);
}

static void add_meanings(const wanted *w, mrw_text *out)
{
    char whole[MOST_WORDS * WORD_LENGTH] = "";
    bool titled = false;
    for (size_t i = 0; i < w->count; i++) {
        strcat(whole, w->words[i]);
    }
    const mrw_option_word *word = mrw_option_word_find(whole);
    if (!word) {
        return;
    }
    if (word->means[0] == '=') {
        add_title(out, "Here that is", &titled);
        mrw_text_add(out, " %s\n", word->means + 1);
        return;
    }
    for (const char *p = word->means; *p != '\0'; p += *p == '|') {
        const size_t length = strcspn(p, "|");
        const bool listed = !memchr(p, ' ', length) && has(p, whole); /* by its name */
        if (!listed) {
            add_title(out, "Here that is", &titled);
            add_meaning(p, (int)length, out);
        }
        p += length;
    }
}

/* ---- commands and pages ---------------------------------------------------------------------- */

static void add_commands(const wanted *w, mrw_text *out)
{
    bool titled = false;
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        const mrw_command_info *info = mrw_command_describe((mrw_command)i);
        const char *const texts[] = {info->name, info->summary, info->about};
        char left[80];
        if (i != MRW_COMMAND_HELP && has_all(w, texts, 3)) {
            add_title(out, "Commands", &titled);
            snprintf(left, sizeof left, "  marrow help %s", info->name);
            cli_help_add_row(out, CLI_OPTION_COLUMN, left, info->summary);
        }
    }
}

/* The length of what belongs together at the start of a page's text: a row with the lines that go
 * on with it, or a paragraph. */
static size_t entry_length(const char *text)
{
    const size_t indent = strspn(text, " ");
    size_t length = 0;
    do {
        length += strcspn(text + length, "\n");
        length += text[length] == '\n';
        if (text[length] == '\n' || text[length] == '\0') {
            return length;
        }
    } while (indent == 0 ? text[length] != ' ' : strspn(text + length, " ") > indent);
    return length;
}

/* The entries of a text that have the words. */
static void add_entries(const wanted *w, const char *name, const char *text, mrw_text *out)
{
    size_t found = 0;
    for (const char *p = text; *p != '\0';) {
        const size_t length = *p == '\n' ? 1 : entry_length(p);
        mrw_text entry = {0};
        mrw_text_put(&entry, p, length);
        p += length;
        if (!entry.failed && length > 1 && has_all(w, (const char *const[]){entry.data}, 1)) {
            if (found < MOST_ENTRIES) {
                mrw_text_add(out, "%s%s%s", found == 0 && out->size > 0 ? "\n" : "",
                             found == 0 ? name : "", found == 0 ? "\n" : "");
                mrw_text_put(out, entry.data, entry.size);
            }
            found++;
        }
        mrw_text_free(&entry);
    }
    if (found > MOST_ENTRIES) {
        mrw_text_add(out, "  ... and %zu more\n", found - MOST_ENTRIES);
    }
}

static void add_pages(const wanted *w, mrw_text *out)
{
    size_t count;
    const cli_page *pages = cli_help_pages(&count);
    bool titled = false;
    for (size_t i = 0; i < count; i++) {
        const char *const texts[] = {pages[i].name, pages[i].summary};
        char left[80];
        if (has_all(w, texts, 2)) {
            add_title(out, "Topics", &titled);
            snprintf(left, sizeof left, "  marrow help %s", pages[i].name);
            cli_help_add_row(out, CLI_OPTION_COLUMN, left, pages[i].summary);
        }
    }
    for (size_t i = 0; i <= count; i++) {
        mrw_text text = {0};
        char name[80] = "From `marrow help`";
        if (i < count) {
            snprintf(name, sizeof name, "From `marrow help %s`", pages[i].name);
            (pages[i].own ? pages[i].own : pages[i].add)(&text);
        } else {
            cli_help_add_ends(&text);
        }
        if (!text.failed && text.data) {
            add_entries(w, name, text.data, out);
        }
        mrw_text_free(&text);
    }
}

bool cli_search(const mrw_text_list *words, mrw_text *out)
{
    wanted w;
    if (!read_words(words, &w)) {
        return false;
    }
    add_named(&w, out);
    if (!w.dashed) {
        add_meanings(&w, out);
        add_commands(&w, out);
    }
    add_options(&w, true, out);
    add_options(&w, false, out);
    if (!w.dashed) {
        add_pages(&w, out);
    } else if (out->size == 0) {
        add_meanings(&w, out);
    }
    return out->size > 0 || out->failed;
}
