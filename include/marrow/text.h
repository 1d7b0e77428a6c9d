/* text.h: a growing text buffer. The library and the command use it to write messages, reports and
 * files. Numbers never depend on the locale.
 *
 *     mrw_text text = {0};
 *     mrw_text_puts(&text, "frame ");
 *     mrw_text_fixed(&text, 1.5, 2);                         "frame 1.50"
 *     status = mrw_text_take(&text, &bytes, &error);
 *
 * Added strings are copied. They must not be NULL and must not point into the text itself.
 */
#ifndef MARROW_TEXT_H
#define MARROW_TEXT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A growing text. Zero-initialise it; free it with mrw_text_free, or hand it over with
 * mrw_text_take. If memory runs out, `failed` is set and all later additions do nothing, so it is
 * enough to check once, at the end. Use from one thread at a time. */
typedef struct mrw_text {
    /* Text, NUL-terminated after the first addition, NULL before. Read it only until the next
     * addition; do not keep or free it. */
    char *data;
    /* Bytes before the NUL. May be set to a smaller number to truncate the text. */
    size_t size;
    /* Bytes allocated for data. */
    size_t capacity;
    /* True if memory ran out; the text is incomplete. */
    bool failed;
} mrw_text;

/* Adds `size` bytes unchanged; they may include NUL. bytes may be NULL if size is 0. */
MRW_API void mrw_text_put(mrw_text *text, const void *bytes, size_t size);

/* Adds a string. */
MRW_API void mrw_text_puts(mrw_text *text, const char *string);

/* Adds formatted text as printf does. Do not use %f, %e or %g, which depend on the locale; use the
 * functions below. */
MRW_API void mrw_text_add(mrw_text *text, const char *format, ...) MRW_PRINTF(2, 3);

/* Adds the shortest decimal number that reads back to the same bits; "null" if not finite. */
MRW_API void mrw_text_double(mrw_text *text, double value);
MRW_API void mrw_text_float(mrw_text *text, float value);

/* Adds a number with 0 ... 9 decimals, rounded half away from zero. */
MRW_API void mrw_text_fixed(mrw_text *text, double value, int decimals);

/* Adds untrusted text, such as a name from a file, made safe for terminals and logs by
 * mrw_escape_text. Text longer than 511 bytes is truncated. */
MRW_API void mrw_text_escaped(mrw_text *text, const char *stranger);

/* Adds bytes in base64 (RFC 4648, section 4), padded. */
MRW_API void mrw_text_base64(mrw_text *text, const void *data, size_t size);

/* Hands the text over as bytes, followed by a NUL, and leaves an empty text. The caller frees *out
 * with mrw_bytes_free. Returns MRW_ERROR_MEMORY if memory ran out at any time before; the text is
 * then freed. */
MRW_API mrw_status mrw_text_take(mrw_text *text, mrw_bytes *out, mrw_error *error);

/* Frees the text and empties it, including `failed`. */
MRW_API void mrw_text_free(mrw_text *text);

/* ---- Names and numbers ----------------------------------------------------------------------- */

/* Formats the shortest text that reads back as the same number, independent of the locale; "null"
 * for NaN and infinities. Returns the length without the terminating NUL. */
MRW_API size_t mrw_format_double(double value, char out[32]);
MRW_API size_t mrw_format_float(float value, char out[32]);

/* Formats a value with 0 ... 9 decimals, rounded half away from zero; `decimals` is clamped to that
 * range. Values from 1e18 on, NaN and infinities are formatted as by mrw_format_double. Never
 * yields "-0". */
MRW_API size_t mrw_format_fixed(double value, int decimals, char out[32]);

/* Copies untrusted text so that it is safe to print on a terminal or in CI logs. Control
 * characters, marks that change the direction of writing, invalid UTF-8 and anything that a CI
 * service would take for a command become \x1B or \u{202E}. Truncates the text between characters
 * to fit into `size` bytes (at least 1) with the NUL. Returns `out`. */
MRW_API const char *mrw_escape_text(const char *text, char *out, size_t size);

/* Copies an untrusted name as part of a file name. Letters, combining marks and decimal digits of
 * all scripts stay (general categories L, M and Nd of Unicode, by libutf8proc), and '.', '_' and
 * '-'. Each byte of anything else becomes '_': separators, control characters, bidirectional marks,
 * symbols, invalid UTF-8. The name is not normalized. It never begins with a dot and is never
 * empty. It is cut to `size` bytes between characters, never between a letter and its marks.
 * Returns `out`. */
MRW_API const char *mrw_safe_file_name(const char *text, char *out, size_t size);

/* Matches a whole text against a pattern: * any characters, ? any one, [abc] and [a-z] one of
 * these, [!x] any one but these. A backslash quotes the next character. */
MRW_API bool mrw_glob_match(const char *pattern, const char *text);

/* Appends "; did you mean A, B?" to the string in `out`, a buffer of `size` bytes. Suggests up to
 * twelve of the `count` candidates: those that begin with `name` or contain it as a word, and up to
 * three that are near by edit distance. Case is ignored. Appends nothing if none fits. */
MRW_API void mrw_suggest_names(char *out, size_t size, const char *name,
                               const char *const *candidates, size_t count);

/* Returns the number of columns in which a terminal shows a UTF-8 text: two for a wide character
 * (Unicode Standard Annex #11), none for a combining mark. Control characters and bytes that are
 * not UTF-8 count as one. The locale plays no part. */
MRW_API int mrw_text_columns(const char *text);

#ifdef __cplusplus
}
#endif
#endif
