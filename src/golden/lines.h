/* lines.h: writes and reads our text files. Their first line tells what they are. Then come lines
 * of words, separated by one space; the first word tells what the line is. Each line ends with a
 * newline. */
#ifndef MRWI_GOLDEN_LINES_H
#define MRWI_GOLDEN_LINES_H

#include "base/memory.h"
#include "marrow/text.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes any name in quotes, without a line break. */
void mrwi_golden_lines_put_quoted(mrw_text *text, const char *name);

/* Writes a float that reads back to the same bits. */
void mrwi_golden_lines_put_float(mrw_text *text, float value);

/* Writes a whole number exactly, and any other number as the nearest float. */
void mrwi_golden_lines_put_number(mrw_text *text, double value);

/* ---- reading, strictly ----------------------------------------------------------------------- */

typedef struct mrwi_golden_lines {
    const char *path; /* File's path, for messages */
    const char *at;   /* Position in the line */
    const char *end;  /* End of the file */
    uint32_t line;    /* Line number, from 1 */
} mrwi_golden_lines;

/* Reads the first line, which must be `first`. */
mrw_status mrwi_golden_lines_begin(mrwi_golden_lines *lines, const char *path,
                                   const mrw_bytes *bytes, const char *first, mrw_error *error);

/* Goes to the next line and reads its first word. Returns false at the end. */
bool mrwi_golden_lines_next(mrwi_golden_lines *lines, char word[16]);

/* Read the next word of the line: as it is, in quotes, as a number, as 64 hexadecimal digits. */
mrw_status mrwi_golden_lines_word(mrwi_golden_lines *lines, char *out, size_t size,
                                  mrw_error *error);
mrw_status mrwi_golden_lines_quoted(mrwi_golden_lines *lines, char *out, size_t size,
                                    mrw_error *error);
mrw_status mrwi_golden_lines_uint(mrwi_golden_lines *lines, uint32_t *out, mrw_error *error);
mrw_status mrwi_golden_lines_float(mrwi_golden_lines *lines, float *out, mrw_error *error);
mrw_status mrwi_golden_lines_double(mrwi_golden_lines *lines, double *out, mrw_error *error);
mrw_status mrwi_golden_lines_hash(mrwi_golden_lines *lines, char out[65], mrw_error *error);

/* Returns the first character of the next word; 0 at the end of the line. */
char mrwi_golden_lines_peek(const mrwi_golden_lines *lines);

/* Returns the number of spaces in the rest of the line: an upper bound for its words. */
size_t mrwi_golden_lines_spaces(const mrwi_golden_lines *lines);

/* Fails unless the line is at its end. */
mrw_status mrwi_golden_lines_finish(mrwi_golden_lines *lines, mrw_error *error);

/* Fails with MRW_ERROR_INPUT and the message "PATH:LINE: what". */
mrw_status mrwi_golden_lines_fail(const mrwi_golden_lines *lines, mrw_error *error,
                                  const char *what);

#endif
