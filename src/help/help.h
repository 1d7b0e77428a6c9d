/* help.h: the manual in the command: chapters, pages of commands and options, the search, and
 * completions for shells. Functions add text; only help_complete prints or ends the process. */
#ifndef MARROW_HELP_HELP_H
#define MARROW_HELP_HELP_H

#include <marrow/golden.h>
#include <marrow/text.h>

/* ---- chapters.c ------------------------------------------------------------------------------ */

/* A chapter of the manual, src/help/NAME.md. */
typedef struct help_chapter {
    const char *name;
    const char *aliases; /* other names, with a space after each */
    const char *summary; /* one line */
    const char *text;    /* Markdown that reads well as text */
} help_chapter;

const help_chapter *help_chapters(size_t *count);
/* Returns the chapter with this name or alias, or NULL. */
const help_chapter *help_chapter_find(const char *name);
/* Adds a heading and the text of its section. */
void help_chapter_add_section(const char *name, const char *heading, mrw_text *out);

/* ---- tables.c -------------------------------------------------------------------------------- */

/* Adds the tables that belong below a chapter, if it has any. */
void help_add_tables(const char *chapter, mrw_text *out);

/* ---- pages.c --------------------------------------------------------------------------------- */

#define HELP_OPTION_COLUMN 30

/* Adds a row of two columns. The second one begins at `start`, on a line of its own if the first is
 * too long. */
void help_add_row(mrw_text *out, int start, const char *left, const char *right);
/* Adds an option's row of the table, with its default for the command, or for all commands if that
 * is MRW_COMMAND_NONE. */
void help_add_option(mrw_command command, size_t index, mrw_text *out);

/* Adds the first page: commands, chapters, exit statuses. all: add the options of all commands. */
void help_overview(bool all, mrw_text *out);
/* Adds the page of a command. all: show all options of `render`, not only those that most people
 * need. */
void help_command(mrw_command command, bool all, mrw_text *out);
/* Adds the text of `marrow help WORD...`: a chapter, the page of a command, or the results of a
 * search. Fails with MRW_ERROR_USAGE and suggestions if nothing is about the words. */
mrw_status help_topic(const mrw_text_list *words, bool all, mrw_text *out, mrw_error *error);

/* ---- search.c -------------------------------------------------------------------------------- */

/* Adds commands, chapters and options that have all of the words. Returns false if there are none.
 */
bool help_search(const mrw_text_list *words, mrw_text *out);

/* ---- shells.c -------------------------------------------------------------------------------- */

/* A shell's script of completions, which calls `marrow __complete`. */
typedef struct help_shell {
    const char *name;
    const char *script;
    const char *use; /* the line that installs it in a running shell */
} help_shell;

const help_shell *help_shells(size_t *count);

/* ---- complete.c ------------------------------------------------------------------------------ */

/* Runs `marrow __complete`, which is not in the table of commands: prints candidates for the end of
 * a command line. complete.h describes the protocol. `argv` has the words after `__complete`.
 * Standard error is closed, and the process may end here with status 0 when the time for reading
 * files is over. */
void help_complete(int argc, const char *const *argv);

#endif
