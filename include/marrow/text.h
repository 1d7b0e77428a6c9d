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

/* Adds `size` bytes unchanged; they may include NUL. */
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

/* Hands the text over as bytes, followed by a NUL, and leaves an empty text. The caller frees *out
 * with mrw_bytes_free. Returns MRW_ERROR_MEMORY if memory ran out at any time before; the text is
 * then freed. */
MRW_API mrw_status mrw_text_take(mrw_text *text, mrw_bytes *out, mrw_error *error);

/* Frees the text and empties it, including `failed`. */
MRW_API void mrw_text_free(mrw_text *text);

#ifdef __cplusplus
}
#endif
#endif
