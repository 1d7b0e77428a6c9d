/* arguments.c: command lines as text: taken apart, put together, split and joined as shells do. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------------------- */

void viewer_words_add(viewer_words *words, const char *word)
{
    char *copy = viewer_copy(word);
    char **grown = words->failed || !copy
                       ? NULL
                       : realloc(words->items, (words->count + 2) * sizeof *words->items);
    if (!grown) {
        words->failed = true;
        free(copy);
        return;
    }
    words->items = grown;
    grown[words->count++] = copy;
    grown[words->count] = NULL;
}

static bool is_called(const char *called, const char *name, size_t length)
{
    return called && strlen(called) == length && memcmp(called, name, length) == 0;
}

/* Finds an option by its letter, or with '\0' by its name or alias. */
static const mrw_option *find_option(const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if (letter != '\0'
                ? option->short_name == letter
                : is_called(option->name, name, length) || is_called(option->alias, name, length)) {
            return option;
        }
    }
    return NULL;
}

void viewer_words_option(viewer_words *words, const char *name, const char *value)
{
    const mrw_option *option = find_option(name, strlen(name), '\0');
    const bool joined = value && option && (option->optional || !option->argument);
    mrw_text text = {0};
    mrw_text_add(&text, "--%s", name);
    if (joined) {
        mrw_text_puts(&text, "=");
        mrw_text_puts(&text, value);
    }
    viewer_words_add(words, text.failed ? NULL : text.data);
    if (value && !joined) {
        viewer_words_add(words, value);
    }
    mrw_text_free(&text);
}

void viewer_words_free(viewer_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->items[i]);
    }
    free(words->items);
    *words = (viewer_words){0};
}

/* Reads the word at *at and moves *at behind it. Returns false for a quote that does not end. */
static bool split_word(const char **at, mrw_text *word)
{
    char quote = '\0';
    const char *p = *at;
    for (; *p != '\0' && (quote || !strchr(" \t\n", *p)); p++) {
        if (quote && *p == quote) {
            quote = '\0';
        } else if (!quote && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else if (*p == '\\' && quote != '\'' && p[1] != '\0') {
            mrw_text_put(word, ++p, 1);
        } else {
            mrw_text_put(word, p, 1);
        }
    }
    *at = p;
    return quote == '\0';
}

bool viewer_words_split(viewer_words *words, const char *line)
{
    bool whole = true;
    const char *p = line + strspn(line, " \t\n");
    while (*p != '\0' && whole) {
        mrw_text word = {0};
        mrw_text_puts(&word, ""); /* '' is a word, too */
        whole = split_word(&p, &word);
        viewer_words_add(words, word.failed ? NULL : word.data);
        mrw_text_free(&word);
        p += strspn(p, " \t\n");
    }
    return whole;
}

void viewer_words_join(const viewer_words *words, mrw_text *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_./-+=:@%,";
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        const bool quoted = word[0] == '\0' || word[strspn(word, plain)] != '\0';
        mrw_text_puts(out, i > 0 ? " " : "");
        mrw_text_puts(out, quoted ? "'" : "");
        for (const char *p = word; *p != '\0'; p++) {
            if (*p == '\'') {
                mrw_text_puts(out, "'\\''");
            } else {
                mrw_text_put(out, p, 1);
            }
        }
        mrw_text_puts(out, quoted ? "'" : "");
    }
}

/* ---- options --------------------------------------------------------------------------------- */

mrw_status viewer_arguments_add(viewer_arguments *out, const char *name, const char *value,
                                mrw_error *error)
{
    viewer_argument *grown = realloc(out->options, (out->count + 1) * sizeof *grown);
    if (!grown) {
        return viewer_fail_memory(error);
    }
    out->options = grown;
    const viewer_argument added = {viewer_copy(name), viewer_copy(value)};
    if (!added.name || (value && !added.value)) {
        free(added.name);
        free(added.value);
        return viewer_fail_memory(error);
    }
    grown[out->count++] = added;
    return MRW_OK;
}

void viewer_arguments_remove(viewer_arguments *arguments, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < arguments->count; i++) {
        viewer_argument *option = &arguments->options[i];
        if (strcmp(option->name, name) == 0) {
            free(option->name);
            free(option->value);
        } else {
            arguments->options[kept++] = *option;
        }
    }
    arguments->count = kept;
}

static mrw_status add_model(viewer_arguments *out, const char *model, mrw_error *error)
{
    char **grown = realloc(out->models, (out->model_count + 1) * sizeof *grown);
    char *copy = viewer_copy(model);
    if (grown) {
        out->models = grown;
    }
    if (!grown || !copy) {
        free(copy);
        return viewer_fail_memory(error);
    }
    grown[out->model_count++] = copy;
    return MRW_OK;
}

/* Switches an option off. One that a look may set gets the value off, others are removed. */
static mrw_status switch_off(viewer_arguments *out, const char *name, mrw_error *error)
{
    static const char *const switches[] = {"ground", "shadows", "ao"};
    viewer_arguments_remove(out, name);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (strcmp(name, switches[i]) == 0) {
            return viewer_arguments_add(out, name, "off", error);
        }
    }
    return MRW_OK;
}

/* Reads --no-NAME: switches the option off, or gives an option that takes on or off the value off.
 */
static mrw_status read_negated(viewer_arguments *out, const char *name, mrw_error *error)
{
    const mrw_option *option =
        strncmp(name, "no-", 3) == 0 ? find_option(name + 3, strcspn(name + 3, "="), '\0') : NULL;
    if (!option) {
        return MRW_OK; /* no line that was understood has one */
    }
    if (option->argument && !option->optional) {
        return viewer_arguments_add(out, option->name, "off", error);
    }
    return switch_off(out, option->name, error);
}

/* Reads argv[*at], which begins with "--". Moves *at to its value if that is the next argument. */
static mrw_status read_long(viewer_arguments *out, int argc, const char *const *argv, int *at,
                            mrw_error *error)
{
    const char *name = argv[*at] + 2;
    const size_t length = strcspn(name, "=");
    const mrw_option *option = find_option(name, length, '\0');
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option) {
        return read_negated(out, name, error);
    }
    if (!option->argument && value) { /* on or off */
        viewer_arguments_remove(out, option->name);
        return strcmp(value, "on") == 0 ? viewer_arguments_add(out, option->name, NULL, error)
                                        : switch_off(out, option->name, error);
    }
    const bool wants = option->argument && !option->optional;
    const bool color = strcmp(option->name, "ground") == 0 && *at + 1 < argc &&
                       argv[*at + 1][0] == '#'; /* --ground takes a colour without '=' */
    if (!value && (wants || color) && *at + 1 < argc) {
        value = argv[++*at];
    }
    return viewer_arguments_add(out, option->name, value, error);
}

static mrw_status read_short(viewer_arguments *out, int argc, const char *const *argv, int *at,
                             mrw_error *error)
{
    for (const char *p = argv[*at] + 1; *p != '\0'; p++) {
        const mrw_option *option = find_option("", 0, *p);
        if (option && option->argument && !option->optional) {
            const char *value = p[1] != '\0' ? p + 1 : *at + 1 < argc ? argv[++*at] : NULL;
            return viewer_arguments_add(out, option->name, value, error);
        }
        mrw_status status = option ? viewer_arguments_add(out, option->name, NULL, error) : MRW_OK;
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status viewer_arguments_read(viewer_arguments *out, int argc, const char *const *argv,
                                 mrw_error *error)
{
    bool plain_only = false, command = true;
    *out = (viewer_arguments){0};
    for (int i = 0; i < argc; i++) {
        mrw_status status = MRW_OK;
        if (!plain_only && strcmp(argv[i], "--") == 0) {
            plain_only = true;
        } else if (!plain_only && strncmp(argv[i], "--", 2) == 0) {
            status = read_long(out, argc, argv, &i, error);
        } else if (!plain_only && argv[i][0] == '-' && argv[i][1] != '\0') {
            status = read_short(out, argc, argv, &i, error);
        } else if (command) {
            command = false;
        } else {
            status = add_model(out, argv[i], error);
        }
        if (status) {
            return status;
        }
    }
    for (size_t i = 0; i < mrw_option_count(); i++) { /* a line of `render` has others, too */
        if (!mrw_option_belongs(mrw_option_at(i), MRW_COMMAND_VIEW)) {
            viewer_arguments_remove(out, mrw_option_at(i)->name);
        }
    }
    return MRW_OK;
}

void viewer_arguments_free(viewer_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        free(arguments->options[i].name);
        free(arguments->options[i].value);
    }
    for (size_t i = 0; i < arguments->model_count; i++) {
        free(arguments->models[i]);
    }
    free(arguments->options);
    free(arguments->models);
    *arguments = (viewer_arguments){0};
}

const char *viewer_arguments_find(const viewer_arguments *arguments, const char *name)
{
    for (size_t i = 0; i < arguments->count; i++) {
        if (strcmp(arguments->options[i].name, name) == 0) {
            return arguments->options[i].value ? arguments->options[i].value : "";
        }
    }
    return NULL;
}

/* Returns the next option called `name` from *at on and moves *at behind it. NULL: none. */
static const viewer_argument *next_of(const viewer_arguments *arguments, const char *name,
                                      size_t *at)
{
    while (*at < arguments->count) {
        const viewer_argument *option = &arguments->options[(*at)++];
        if (strcmp(option->name, name) == 0) {
            return option;
        }
    }
    return NULL;
}

static bool same_of(const viewer_arguments *a, const viewer_arguments *b, const char *name)
{
    size_t at_a = 0, at_b = 0;
    for (;;) {
        const viewer_argument *one = next_of(a, name, &at_a), *two = next_of(b, name, &at_b);
        if (!one || !two) {
            return one == two;
        }
        if (strcmp(one->value ? one->value : "", two->value ? two->value : "") != 0) {
            return false;
        }
    }
}

mrw_status viewer_arguments_follow(viewer_arguments *arguments, const viewer_arguments *as,
                                   const char *name, mrw_error *error)
{
    if (same_of(arguments, as, name)) {
        return MRW_OK;
    }
    viewer_arguments_remove(arguments, name);
    size_t at = 0;
    for (const viewer_argument *o; (o = next_of(as, name, &at));) {
        mrw_status status = viewer_arguments_add(arguments, name, o->value, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
