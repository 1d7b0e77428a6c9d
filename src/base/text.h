/* text.h: messages, escaping, names, numbers as text. No locale anywhere. */
#ifndef MRWI_BASE_TEXT_H
#define MRWI_BASE_TEXT_H

#include "marrow/base.h"

/* The library's own name of it. The format has no floating point, which a locale would change: use
 * mrwi_base_format_double. */
#define mrwi_base_fail mrw_fail

/* Shorthand for the one message every failed allocation gives. */
mrw_status mrwi_base_fail_memory(mrw_error *error, size_t bytes);

/* The words for an errno, such as "No such file or directory", cut to fit; for a code that the C
 * library does not know, words with its number. For any thread at any time. Returns out. */
const char *mrwi_base_error_text(int code, char *out, size_t size);

/* Copies text with control characters, invalid UTF-8 and bidirectional overrides escaped as \xNN or
 * \u{NNNN}, cut to fit; safe to print on a terminal, and in a log of CI: of "##[error]" and
 * "##vso[" anywhere, and of "::error::" at the start, the first character is escaped. Returns out.
 */
const char *mrwi_base_escape(const char *text, char *out, size_t size);

/* Copies an untrusted name as part of a file name. Letters, combining marks and digits of valid
 * UTF-8 stay, and '.', '_' and '-'; each byte of anything else becomes '_', as does a leading dot.
 * An empty name becomes "_". The result is cut before a letter, never inside a character or between
 * a letter and its marks. Returns out. */
const char *mrwi_base_file_name(const char *text, char *out, size_t size);

/* Turns a result of mrwi_base_file_name into the name that goldens had when file names were ASCII:
 * each byte outside ASCII becomes '_'. Returns out. */
const char *mrwi_base_old_file_name(const char *text, char *out, size_t size);

/* Compares two elements of type const char * by strcmp, for qsort and bsearch. */
int mrwi_base_compare_texts(const void *a, const void *b);

/* "Hips" of "mixamorig:Hips": what follows the last ':' of a name, or the whole where nothing does.
 */
const char *mrwi_base_without_namespace(const char *name);

/* Glob match of a whole string: * ? [abc] [a-z] [!x]; a backslash quotes. */
bool mrwi_base_glob(const char *pattern, const char *text);

/* Appends "; did you mean A, B?" with up to twelve candidates that begin with `name` or have it as
 * a word ("walk": Walking, HumanWalk) and, up to three, with those nearest to it (edit distance, a
 * third of the length at most). When there are none it looks for candidates that begin `name`, or
 * have it anywhere. Case does not count. When nothing fits and list_all: "; there are A, B, C".
 * `out` must hold a string already. */
void mrwi_base_suggest(char *out, size_t size, const char *name, const char *const *candidates,
                       size_t count, bool list_all);

/* How many letters must be changed, added, left out or swapped with the next one; case does not
 * count. SIZE_MAX where one has more than 64. */
size_t mrwi_base_edit_distance(const char *a, const char *b);

/* Reads a decimal number at the start of text (at most `size` bytes, need not be terminated),
 * correctly rounded to double. Returns the bytes used, 0 when there is no finite number. */
size_t mrwi_base_parse_double(const char *text, size_t size, double *out);

/* Shortest text that reads back to the same double (%.17g-like, no locale); "null" for non-finite
 * values. out holds at least 32 bytes. Returns the length. */
size_t mrwi_base_format_double(double value, char out[32]);

/* The same for a float: shortest text that reads back to the same float. */
size_t mrwi_base_format_float(float value, char out[32]);

/* value with `decimals` (0 ... 9) digits after the point, rounded half away from zero; for
 * messages and progress. */
size_t mrwi_base_format_fixed(double value, int decimals, char out[32]);

#endif
