/* complete.c: `marrow __complete`: the candidates for the last word of a command line, for shells.
 * complete.h says how it is called. The line is incomplete, so it does not go through the parser of
 * options: it is walked here, by the same table. */
#include "help/complete.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- candidates ------------------------------------------------------------------------------ */

/* Returns true if a terminal would act on a character of the text, or if one reorders or hides
 * text, as mrw_escape_text decides. Each character is tested alone, so "::" at the start and "##[",
 * which that function escapes for logs of CI, are ordinary text. */
static bool is_unsafe(const char *text)
{
    for (const char *p = text; *p != '\0';) {
        char piece[8] = {*p++}, safe[40];
        if (piece[0] < ' ' || piece[0] > '~') {
            for (size_t i = 1; i < 4 && (*p & 0xC0) == 0x80; i++) {
                piece[i] = *p++; /* the rest of a UTF-8 sequence */
            }
            if (strcmp(mrw_escape_text(piece, safe, sizeof safe), piece) != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Returns the slot of the candidate that `head` begins, or the empty slot where it belongs. `head`
 * ends in a tab, which no candidate contains. */
static size_t *find_slot(help_candidates *answer, const mrw_text *head)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < head->size; i++) {
        hash = (hash ^ (uint8_t)head->data[i]) * 16777619u;
    }
    for (size_t i = hash % HELP_CANDIDATE_SLOTS;; i = (i + 1) % HELP_CANDIDATE_SLOTS) {
        if (answer->slots[i] == 0 ||
            strncmp(answer->text.data + answer->slots[i] - 1, head->data, head->size) == 0) {
            return &answer->slots[i];
        }
    }
}

/* Adds a word, for bash the part that it replaces, with quotes. */
static void put_word(const help_completion *c, const char *word, mrw_text *out)
{
    if (c->bash) {
        help_bash_line_put(c->bash, word, out);
    } else {
        mrw_text_puts(out, word);
    }
}

void help_completion_add(help_completion *c, const char *name, const char *suffix,
                         const char *description)
{
    mrw_text word = {0}, head = {0};
    if (c->answer.count >= HELP_MOST_CANDIDATES || c->answer.text.failed) {
        return;
    }
    mrw_text_put(&word, c->last, c->start);
    mrw_text_add(&word, "%s%s", name, suffix);
    if (!word.failed && strncmp(word.data, c->last, strlen(c->last)) == 0 &&
        !is_unsafe(word.data) && name[0] != '\0') {
        put_word(c, word.data, &head);
        mrw_text_puts(&head, "\t");
        size_t *slot = head.failed || head.size <= 1 ? NULL : find_slot(&c->answer, &head);
        if (slot && *slot == 0) {
            *slot = c->answer.text.size + 1;
            c->answer.count++;
            mrw_text_add(&c->answer.text, "%s%s\n", head.data, description);
        }
    }
    mrw_text_free(&word);
    mrw_text_free(&head);
}

void help_completion_ask(help_completion *c, const char *what)
{
    char *prefix = strndup(c->last, c->start);
    if (!prefix) {
        return;
    }
    mrw_text_add(&c->answer.text, "\t%s\t", what);
    if (!is_unsafe(prefix) && (!c->bash || c->bash->kept <= c->start)) {
        put_word(c, prefix, &c->answer.text);
    }
    mrw_text_puts(&c->answer.text, "\n");
    free(prefix);
}

void help_completion_write(help_completion *c)
{
    const struct itimerval never = {0};
    help_candidates *answer = &c->answer;
    setitimer(ITIMER_REAL, &never, NULL);
    if (!answer->text.failed && answer->text.size > answer->written) {
        fwrite(answer->text.data + answer->written, 1, answer->text.size - answer->written, stdout);
        fflush(stdout);
        answer->written = answer->text.size;
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static void add_commands(help_completion *c)
{
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        const mrw_command_info *command = mrw_command_describe((mrw_command)i);
        help_completion_add(c, command->name, "", command->summary);
    }
}

/* Returns true for options that --no-NAME switches off: flags, and options that are on or off. */
static bool can_be_off(const mrw_option *option)
{
    return !option->argument || option->optional || strcmp(option->argument, "on|off") == 0;
}

/* Adds dashes and a name. The description is `before` and `help`. */
static void add_dashed(help_completion *c, const char *dashes, const char *name, const char *before,
                       const char *help)
{
    mrw_text text = {0}, description = {0};
    mrw_text_add(&text, "%s%s", dashes, name);
    mrw_text_add(&description, "%s%s", before, help);
    if (!text.failed && !description.failed) {
        help_completion_add(c, text.data, "", description.data);
    }
    mrw_text_free(&text);
    mrw_text_free(&description);
}

/* Returns true for options that print something and do nothing else. */
static bool stands_alone(const mrw_option *option)
{
    return strcmp(option->name, "help") == 0 || strcmp(option->name, "version") == 0;
}

/* Adds the forms of one option; --no-NAME, which would double the list, only once "--n" is typed.
 */
static void add_option(help_completion *c, const mrw_option *option)
{
    const char letter[] = {option->short_name, '\0'};
    add_dashed(c, "--", option->name, "", option->help);
    if (option->alias) {
        add_dashed(c, "--", option->alias, "", option->help);
    }
    if (option->short_name && c->last[1] == '\0') {
        add_dashed(c, "-", letter, "", option->help);
    }
    if (strncmp(c->last, "--n", 3) == 0 && can_be_off(option) && !stands_alone(option) &&
        strncmp(option->name, "no-", 3) != 0) {
        add_dashed(c, "--no-", option->name, "off: ", option->help);
    }
}

/* Adds the options of the command; before a command those that need none; after `help` all. */
static void add_options(help_completion *c)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if (c->command == MRW_COMMAND_HELP   ? true
            : c->command == MRW_COMMAND_NONE ? stands_alone(option)
                                             : mrw_option_belongs(option, c->command)) {
            add_option(c, option);
        }
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Adds the arguments that a command takes, by their form in help. */
static void add_arguments(help_completion *c)
{
    const char *form = mrw_command_describe(c->command)->arguments;
    size_t count;
    if (c->command == MRW_COMMAND_HELP && c->argument_count == 0) {
        const help_chapter *chapters = help_chapters(&count);
        add_commands(c);
        for (size_t i = 0; i < count; i++) {
            help_completion_add(c, chapters[i].name, "", chapters[i].summary);
        }
    } else if (c->command == MRW_COMMAND_COMPLETIONS && c->argument_count == 0) {
        const help_shell *shells = help_shells(&count);
        for (size_t i = 0; i < count; i++) {
            help_completion_add(c, shells[i].name, "", shells[i].use);
        }
    } else if (c->command == MRW_COMMAND_REPORT && c->argument_count == 0) {
        help_completion_add(c, "merge", "", "merge results folders into one report");
    } else if (c->command == MRW_COMMAND_ACCEPT) {
        help_completion_add_cases(c, false);
    } else if (strncmp(form, "MODEL", 5) == 0 || c->command == MRW_COMMAND_DIFF) {
        help_completion_add_models(c);
    } else if (strncmp(form, "[SUITE", 6) == 0) {
        help_completion_ask(c, "file");
    } else if (strstr(form, "DIR")) {
        help_completion_ask(c, "directory");
    }
}

/* ---- the walk along the line ----------------------------------------------------------------- */

static mrw_command command_named(const char *name)
{
    for (int i = 0; i < MRW_COMMAND_COUNT; i++) {
        if (strcmp(mrw_command_describe((mrw_command)i)->name, name) == 0) {
            return (mrw_command)i;
        }
    }
    return MRW_COMMAND_NONE;
}

static bool is_called(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

static const mrw_option *find_long(const char *name, size_t length)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        const mrw_option *option = mrw_option_at(i);
        if (is_called(option->name, name, length) || is_called(option->alias, name, length)) {
            return option;
        }
    }
    return NULL;
}

static const mrw_option *find_short(char letter)
{
    for (size_t i = 0; i < mrw_option_count(); i++) {
        if (letter != '\0' && mrw_option_at(i)->short_name == letter) {
            return mrw_option_at(i);
        }
    }
    return NULL;
}

/* Finds the option that a word gives and, in *value, the text of its value in the word, or NULL if
 * the word has none. Flags joined before it (-qo) are skipped. Returns NULL for an unknown option.
 */
static const mrw_option *read_option(const char *word, const char **value)
{
    *value = NULL;
    if (word[1] == '-') {
        const size_t length = strcspn(word + 2, "=");
        *value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
        return find_long(word + 2, length);
    }
    for (const char *p = word + 1; *p != '\0'; p++) {
        const mrw_option *option = find_short(*p);
        if (!option || option->argument) {
            *value = p[1] != '\0' ? p + 1 : NULL;
            return option;
        }
    }
    return NULL;
}

/* Walks over the words before the last one. Returns the option that the last word is the value of,
 * or NULL. *plain becomes true after `--` and after an unknown command: no option follows. */
static const mrw_option *walk(help_completion *c, const char *const *words, int count, bool *plain)
{
    const mrw_option *waiting = NULL;
    bool named = false;
    for (int i = 0; i < count; i++) {
        const char *value;
        if (waiting) {
            c->given[c->given_count++] = (help_given){waiting, words[i]};
            waiting = NULL;
        } else if (*plain || words[i][0] != '-' || words[i][1] == '\0') {
            if (named) {
                c->arguments[c->argument_count++] = words[i];
            } else {
                c->command = command_named(words[i]);
                named = true;
            }
        } else if (strcmp(words[i], "--") == 0) {
            *plain = true;
        } else if (c->command != MRW_COMMAND_HELP) {
            const mrw_option *option = read_option(words[i], &value);
            if (option && option->argument && value) {
                c->given[c->given_count++] = (help_given){option, value};
            }
            waiting = option && option->argument && !option->optional && !value ? option : NULL;
        }
    }
    if (named && c->command == MRW_COMMAND_NONE) {
        *plain = true; /* an unknown command has no arguments to offer */
    }
    return waiting;
}

/* Adds names of options, or the values of an option that the last word itself names. */
static void complete_option(help_completion *c)
{
    const char *value;
    const mrw_option *option = c->last[1] == '\0' ? NULL : read_option(c->last, &value);
    if (option && value) {
        c->start = (size_t)(value - c->last);
        if (option->argument) {
            help_completion_add_values(c, option);
        } else {
            help_completion_add(c, "on", "", "");
            help_completion_add(c, "off", "", "");
        }
    } else {
        add_options(c);
    }
}

/* Prints the candidates. `count` is the number of words before the last one. */
static void complete(help_completion *c, const char *const *words, int count)
{
    bool plain = false;
    c->arguments = calloc((size_t)count + 1, sizeof *c->arguments);
    c->given = calloc((size_t)count + 1, sizeof *c->given);
    if (c->arguments && c->given) {
        const mrw_option *waiting = walk(c, words, count, &plain);
        if (c->bash && c->bash->redirect) {
            help_completion_ask(c, "file");
        } else if (waiting) {
            help_completion_add_values(c, waiting);
        } else if (!plain && c->last[0] == '-') {
            complete_option(c);
        } else if (c->command != MRW_COMMAND_NONE) {
            add_arguments(c);
        } else if (!plain) {
            add_commands(c);
        }
    }
    help_completion_write(c);
    free(c->arguments);
    free(c->given);
    mrw_text_free(&c->answer.text);
}

void help_complete(int argc, const char *const *argv)
{
    help_completion c = {.command = MRW_COMMAND_NONE};
    help_bash_line line;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDERR_FILENO);
        close(null);
    }
    if (argc > 1 && strcmp(argv[0], "words") == 0) {
        c.last = argv[argc - 1];
        complete(&c, argv + 1, argc - 2);
    } else if (argc == 3 && strcmp(argv[0], "bash") == 0) {
        if (help_bash_line_cut(argv[1], argv[2], &line)) {
            c.last = line.words[line.count];
            c.bash = &line;
            complete(&c, (const char *const *)line.words, line.count);
        }
        help_bash_line_free(&line);
    }
}
