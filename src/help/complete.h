/* complete.h: types and functions that the files of `marrow __complete` share.
 *
 * The scripts in src/completions call this hidden command, which is not in the table of commands:
 *
 *     marrow __complete words WORD... LAST     words without quotes, as zsh and fish have them
 *     marrow __complete bash BREAKS LINE       $COMP_WORDBREAKS, and the line up to the cursor
 *
 * The words are those after `marrow`; LAST is the one to complete and may be empty. The answer has
 * one line per candidate: the whole word, a tab, a description. For bash it has only the part that
 * replaces the text after the last break, quoted. A line without a candidate asks the shell for
 * names of its own: tab, "file" or "directory", tab, the part of the word before the name.
 *
 * The command never writes to standard error and always exits with 0. */
#ifndef MARROW_HELP_COMPLETE_H
#define MARROW_HELP_COMPLETE_H

#include "help/help.h"

/* A line of bash, cut into words. */
typedef struct help_bash_line {
    /* Words without their quotes: `count` before the last one, then the last one. */
    char **words;
    int count;
    /* Bytes of the last word, without quotes, before the part that bash takes for the word. */
    size_t kept;
    /* Quote that is open at the end: ' or ", or 0. */
    char quote;
    /* True if the last word is a file that < or > names. */
    bool redirect;
    char *memory; /* holds the words */
} help_bash_line;

/* Cuts the line up to the cursor; its first word, the program, is left out. `breaks` are the
 * characters at which bash cuts words. Returns false without memory. Free it in any case. */
bool help_bash_line_cut(const char *breaks, const char *text, help_bash_line *out);
void help_bash_line_free(help_bash_line *line);
/* Adds the part of a word that bash puts into the line, quoted as the line needs it. */
void help_bash_line_put(const help_bash_line *line, const char *word, mrw_text *out);

/* An option of the line and its value, which may still be empty. */
typedef struct help_given {
    const mrw_option *option;
    const char *value;
} help_given;

/* Largest number of candidates in an answer. Only those that begin with the word count, so the next
 * letter brings others. */
#define HELP_MOST_CANDIDATES 2000
/* Slots of the hash table, at most half of which are filled. */
#define HELP_CANDIDATE_SLOTS 4096

/* The answer so far, and an index of its candidates. */
typedef struct help_candidates {
    mrw_text text;
    size_t written; /* bytes of `text` that are on standard output */
    size_t count;   /* number of candidates */
    /* Hash table of the candidates: offset of each in `text`, plus 1. 0: an empty slot. */
    size_t slots[HELP_CANDIDATE_SLOTS];
} help_candidates;

/* A line that is being completed. */
typedef struct help_completion {
    mrw_command command; /* MRW_COMMAND_NONE: not named yet, or unknown */
    const char *last;    /* word to complete */
    size_t start;        /* bytes of `last` before the value that is completed */
    const char **arguments;
    size_t argument_count;
    help_given *given;
    size_t given_count;
    const help_bash_line *bash; /* NULL: another shell */
    help_candidates answer;
} help_completion;

/* Adds name and suffix as a candidate for the text after `start`, if they begin with that text.
 * Leaves out duplicates, candidates with characters that end a line or that a terminal acts on, and
 * all after the first HELP_MOST_CANDIDATES. */
void help_completion_add(help_completion *c, const char *name, const char *suffix,
                         const char *description);
/* Asks the shell for names ("file" or "directory") that replace the text after `start`. */
void help_completion_ask(help_completion *c, const char *what);
/* Adds models: the built-in ones, and files. */
void help_completion_add_models(help_completion *c);
/* Adds the cases of the suites on the line, or below the current folder; or their tags. */
void help_completion_add_cases(help_completion *c, bool tags);
/* Adds the values of an option. The text after `start` is the value so far. */
void help_completion_add_values(help_completion *c, const mrw_option *option);
/* Prints the text added since the last call. Stops the timer, which could cut it. */
void help_completion_write(help_completion *c);

#endif
