/* search.c: `marrow help WORD`: finds the options, commands and chapters that contain words. */
#include "help/help.h"

#include <stdio.h>
#include <string.h>

#define MOST_WORDS   8
#define WORD_LENGTH  48
#define MOST_ENTRIES 6 /* largest number of entries that are shown whole */

/* The words of a search. */
typedef struct wanted {
    char words[MOST_WORDS][WORD_LENGTH]; /* in lower case, without dashes in front */
    size_t count;
    bool dashed; /* the first word has dashes: it names an option */
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

/* Returns true if a word of the text begins with `word`. Up to three letters must be the whole
 * word, or the word without its final s. */
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

/* Returns true if each word is in one of the texts. */
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

/* Returns the index of the option that a single word names, or the number of options. */
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
        help_add_row(out, HELP_OPTION_COLUMN, "      belongs to", line.data);
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
    help_add_option(MRW_COMMAND_NONE, index, out);
    add_owners(option, out);
    if (option->alias) {
        char alias[64];
        snprintf(alias, sizeof alias, "--%s", option->alias);
        help_add_row(out, HELP_OPTION_COLUMN, "      also called", alias);
    }
}

/* Adds options whose name or heading has the words (by_name), or those whose help alone has them.
 */
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
            snprintf(title, sizeof title, "Options%s%s%s", by_name ? "" : " that mention it",
                     command == MRW_COMMAND_RENDER ? "" : ", of ",
                     command == MRW_COMMAND_RENDER
                         ? ""
                         : mrw_command_describe((mrw_command)command)->name);
            add_title(out, title, &titled);
            help_add_option((mrw_command)command, i, out);
        }
        titled = false;
    }
}

/* ---- synonyms -------------------------------------------------------------------------------- */

/* Adds a row for one meaning of a word. The text of the meaning has `length` bytes. */
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
                help_add_row(out, HELP_OPTION_COLUMN, left, info->summary);
            }
        }
        return;
    }
    const size_t index = find_option(text, name);
    if (index == mrw_option_count()) {
        return;
    }
    if (!space) {
        help_add_option(MRW_COMMAND_NONE, index, out);
        return;
    }
    const mrw_option *option = mrw_option_at(index);
    char letter[8] = "    ";
    if (option->short_name) {
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    }
    snprintf(left, sizeof left, "  %s--%s%s%.*s", letter, option->name,
             option->optional ? "=" : " ", (int)(length - (int)name - 1), space + 1);
    help_add_row(out, HELP_OPTION_COLUMN, left, option->help);
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
        add_title(out, "In marrow:", &titled);
        mrw_text_add(out, " %s\n", word->means + 1);
        return;
    }
    for (const char *p = word->means; *p != '\0'; p += *p == '|') {
        const size_t length = strcspn(p, "|");
        /* add_options finds an option by its name. */
        const bool listed = !memchr(p, ' ', length) && has(p, whole);
        if (!listed) {
            add_title(out, "In marrow:", &titled);
            add_meaning(p, (int)length, out);
        }
        p += length;
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

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
            help_add_row(out, HELP_OPTION_COLUMN, left, info->summary);
        }
    }
}

/* ---- chapters -------------------------------------------------------------------------------- */

/* Entries of all chapters that have the words: rows, bullets, paragraphs. */
typedef struct hits {
    const wanted *w;
    size_t count;
    mrw_text entries;  /* text of all entries, each after the names of its chapter and section */
    mrw_text chapters; /* one row per chapter, with the names of the sections */
} hits;

/* Returns the length of the entry at the start of a text: a row or bullet with its continuation
 * lines, or lines up to an empty one. */
static size_t entry_length(const char *text)
{
    const size_t indent = strspn(text, " ");
    size_t length = 0;
    for (;;) {
        length += strcspn(text + length, "\n");
        length += text[length] == '\n';
        const char *next = text + length;
        const size_t spaces = strspn(next, " ");
        if (next[spaces] == '\n' || next[0] == '\0' || next[0] == '#' ||
            strncmp(next + spaces, "- ", 2) == 0 || (indent > 2 && spaces <= indent)) {
            return length;
        }
    }
}

/* Copies a line without its end and the marks of a heading. */
static void copy_heading(const char *line, char out[80])
{
    line += strspn(line, "# ");
    snprintf(out, 80, "%.*s", (int)strcspn(line, "\n"), line);
}

/* Adds the entries of a text, and to `sections` the headings that have some: "First; Second". */
static void add_hits(hits *found, const char *name, const char *text, mrw_text *sections)
{
    char heading[80] = "", last[80] = "";
    for (const char *p = text; *p != '\0';) {
        const size_t length = *p == '\n' ? 1 : entry_length(p);
        mrw_text entry = {0};
        mrw_text_put(&entry, p, length);
        const bool is_heading = *p == '#';
        if (is_heading) {
            copy_heading(p, heading);
        }
        p += length;
        if (!entry.failed && !is_heading && length > 1 &&
            has_all(found->w, (const char *const[]){heading, entry.data}, 2)) {
            mrw_text_add(&found->entries, "%sFrom `marrow help %s`, %s\n%s",
                         found->count > 0 ? "\n" : "", name, heading, entry.data);
            if (strcmp(heading, last) != 0) {
                mrw_text_add(sections, "%s%s", last[0] ? "; " : "", heading);
                memcpy(last, heading, sizeof last);
            }
            found->count++;
        }
        mrw_text_free(&entry);
    }
}

static void add_chapter_hits(hits *found, const help_chapter *chapter)
{
    mrw_text text = {0}, sections = {0};
    char left[80];
    mrw_text_add(&text, "%s", chapter->text);
    help_add_tables(chapter->name, &text);
    if (!text.failed) {
        add_hits(found, chapter->name, text.data, &sections);
    }
    if (!sections.failed && sections.size > 0) {
        snprintf(left, sizeof left, "  %s", chapter->name);
        help_add_row(&found->chapters, HELP_OPTION_COLUMN, left, sections.data);
    }
    mrw_text_free(&text);
    mrw_text_free(&sections);
}

/* Adds few entries whole; of many it names the chapters and sections. */
static void add_chapters(const wanted *w, mrw_text *out)
{
    hits found = {.w = w};
    size_t count;
    const help_chapter *chapters = help_chapters(&count);
    for (size_t i = 0; i < count; i++) {
        add_chapter_hits(&found, &chapters[i]);
    }
    const bool whole = found.count <= MOST_ENTRIES;
    const mrw_text *shown = whole ? &found.entries : &found.chapters;
    if (found.count > 0 && !shown->failed) {
        mrw_text_add(out, "%s%s%s", out->size > 0 ? "\n" : "",
                     whole ? "" : "Chapters and their sections: marrow help CHAPTER\n",
                     shown->data);
    }
    out->failed = out->failed || shown->failed;
    mrw_text_free(&found.entries);
    mrw_text_free(&found.chapters);
}

bool help_search(const mrw_text_list *words, mrw_text *out)
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
        add_chapters(&w, out);
    } else if (out->size == 0) {
        add_meanings(&w, out);
    }
    return out->size > 0 || out->failed;
}
