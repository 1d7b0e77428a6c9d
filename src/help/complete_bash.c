/* complete_bash.c: lines of bash for `marrow __complete bash`: cuts them into words, and quotes the
 * words that go back into them.
 *
 * bash completes the text after its last break: a character of COMP_WORDBREAKS, usually one of
 * "'@><=;|&(: and blanks, that is not quoted. Quotes are breaks, too. So for --shading=fl it
 * expects a text that replaces "fl". An open quote stays open, and readline closes it. */
#include "help/complete.h"

#include <stdlib.h>
#include <string.h>

/* The reader of a line. */
typedef struct cutter {
    help_bash_line *line;
    char *end;     /* place of the next byte of a word */
    bool begun;    /* a word has begun; it may be empty: '' */
    bool redirect; /* the word is a file that < or > names */
} cutter;

static void put_byte(cutter *r, char byte)
{
    *r->end++ = byte;
    r->begun = true;
}

/* Marks a break: the shell keeps the part of the word so far. */
static void keep(cutter *r)
{
    r->line->kept = (size_t)(r->end - r->line->words[r->line->count]);
}

/* Begins the next word. The word before it is kept only if it is an argument: `wanted`. */
static void begin_word(cutter *r, bool wanted)
{
    help_bash_line *line = r->line;
    if (wanted) {
        *r->end++ = '\0';
        line->count++;
    } else {
        r->end = line->words[line->count];
    }
    line->words[line->count] = r->end;
    line->kept = 0;
    r->begun = r->redirect = false;
}

static void end_word(cutter *r)
{
    if (r->begun) {
        begin_word(r, !r->redirect);
    }
}

/* Reads < or >, and drops the number of a descriptor before it. */
static void begin_redirect(cutter *r)
{
    const char *word = r->line->words[r->line->count];
    const size_t length = (size_t)(r->end - word);
    const bool number = length > 0 && strspn(word, "0123456789") >= length;
    if (number) {
        begin_word(r, false);
    } else {
        end_word(r);
    }
    r->redirect = true;
}

/* Reads one character outside of quotes, or an escaped one. Returns a pointer to the next one. */
static const char *read_plain(cutter *r, const char *breaks, const char *p)
{
    if (*p == '\\') {
        if (p[1] != '\0') {
            put_byte(r, p[1]);
        }
        return p + 1 + (p[1] != '\0');
    }
    if (*p == '\'' || *p == '"') {
        r->line->quote = *p;
        r->begun = true;
        keep(r);
    } else if (*p == ' ' || *p == '\t' || *p == '\n' || *p == ';' || *p == '|' || *p == '&') {
        end_word(r);
    } else if (*p == '<' || *p == '>') {
        begin_redirect(r);
    } else {
        put_byte(r, *p);
        if (strchr(breaks, *p)) {
            keep(r);
        }
    }
    return p + 1;
}

/* Reads one character inside quotes. Returns a pointer to the next one. */
static const char *read_quoted(cutter *r, const char *p)
{
    if (*p == r->line->quote) {
        r->line->quote = 0;
        keep(r);
    } else if (*p == '\\' && r->line->quote == '"' && p[1] != '\0' && strchr("\"\\$`", p[1])) {
        put_byte(r, *++p);
    } else {
        put_byte(r, *p);
    }
    return p + 1;
}

bool help_bash_line_cut(const char *breaks, const char *text, help_bash_line *out)
{
    const size_t length = strlen(text);
    memset(out, 0, sizeof *out);
    out->memory = calloc(2 * length + 2, 1); /* a word has at least one character of the line */
    out->words = calloc(length + 2, sizeof *out->words);
    if (!out->memory || !out->words) {
        return false;
    }
    cutter r = {.line = out, .end = out->memory};
    out->words[0] = out->memory;
    for (const char *p = text; *p != '\0';) {
        p = out->quote ? read_quoted(&r, p) : read_plain(&r, breaks, p);
    }
    *r.end = '\0';
    out->redirect = r.redirect;
    if (out->count > 0) { /* the first word is the program */
        memmove(out->words, out->words + 1, (size_t)out->count * sizeof *out->words);
        out->count--;
    }
    return true;
}

void help_bash_line_free(help_bash_line *line)
{
    free(line->words);
    free(line->memory);
    memset(line, 0, sizeof *line);
}

void help_bash_line_put(const help_bash_line *line, const char *word, mrw_text *out)
{
    static const char special[] = " !\"#$&'()*;<>?[\\]^`{|}~";
    for (const char *p = word + line->kept; *p != '\0'; p++) {
        if (line->quote == '\'' && *p == '\'') {
            mrw_text_puts(out, "'\\''");
            continue;
        }
        const char *escaped = line->quote == '\'' ? "" : line->quote ? "\"\\$`" : special;
        if (strchr(escaped, *p)) {
            mrw_text_puts(out, "\\");
        }
        mrw_text_put(out, p, 1);
    }
    /* readline takes a quote at the end of a name for the closing one. */
    if (line->quote && word[0] != '\0' && word[strlen(word) - 1] == line->quote) {
        mrw_text_put(out, &line->quote, 1);
    }
}
