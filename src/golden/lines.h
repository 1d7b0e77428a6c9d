/* lines.h: our own text files: a first line that tells what it is, then lines of words, the first
 * of which says what the line is. Lines end with a newline, words are parted by one space. */
#ifndef MRWI_GOLDEN_LINES_H
#define MRWI_GOLDEN_LINES_H

#include "base/memory.h"
#include "marrow/text.h"

/* ---- writing --------------------------------------------------------------------------------- */

void mrwi_golden_lines_put_quoted(mrw_text *text,
                                  const char *stranger);       /* "any name" in one line */
void mrwi_golden_lines_put_float(mrw_text *text, float value); /* reads back to the same bits */

/* A whole number as it is, any other as the nearest float. */
void mrwi_golden_lines_put_number(mrw_text *text, double value);

/* ---- reading, strictly ----------------------------------------------------------------------- */

typedef struct mrwi_golden_lines {
    const char *path; /* for messages */
    const char *at;   /* in the line */
    const char *end;  /* of the file */
    uint32_t line;    /* from 1 */
} mrwi_golden_lines;

/* Reads the first line, which must be `first`. */
mrw_status mrwi_golden_lines_begin(mrwi_golden_lines *lines, const char *path,
                                   const mrw_bytes *bytes, const char *first, mrw_error *error);

/* Goes to the next line and reads its first word; false at the end. */
bool mrwi_golden_lines_next(mrwi_golden_lines *lines, char word[16]);

/* The next word of the line: as it is, in quotes, as a number, as 64 hexadecimal digits. */
mrw_status mrwi_golden_lines_word(mrwi_golden_lines *lines, char *out, size_t size,
                                  mrw_error *error);
mrw_status mrwi_golden_lines_quoted(mrwi_golden_lines *lines, char *out, size_t size,
                                    mrw_error *error);
mrw_status mrwi_golden_lines_uint(mrwi_golden_lines *lines, uint32_t *out, mrw_error *error);
mrw_status mrwi_golden_lines_float(mrwi_golden_lines *lines, float *out, mrw_error *error);
mrw_status mrwi_golden_lines_double(mrwi_golden_lines *lines, double *out, mrw_error *error);
mrw_status mrwi_golden_lines_hash(mrwi_golden_lines *lines, char out[65], mrw_error *error);

/* The first character of the next word; 0 at the end of the line. */
char mrwi_golden_lines_peek(const mrwi_golden_lines *lines);

/* Spaces in what is left of the line: more words it does not have. */
size_t mrwi_golden_lines_spaces(const mrwi_golden_lines *lines);

/* Nothing may be left of the line. */
mrw_status mrwi_golden_lines_finish(mrwi_golden_lines *lines, mrw_error *error);

/* "PATH:LINE: what": MRW_ERROR_INPUT. */
mrw_status mrwi_golden_lines_fail(const mrwi_golden_lines *lines, mrw_error *error,
                                  const char *what);

#endif
