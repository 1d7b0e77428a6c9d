/* text.h: text that grows: what the library and the command write their messages, reports and files
 * with. Numbers never depend on the locale.
 *
 *     mrw_text text = {0};
 *     mrw_text_puts(&text, "frame ");
 *     mrw_text_fixed(&text, 1.5, 2);                         "frame 1.50"
 *     status = mrw_text_take(&text, &bytes, &error);
 *
 * Strings that are added are copied, not NULL, and must not lie in the text itself.
 */
#ifndef MARROW_TEXT_H
#define MARROW_TEXT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise; free with mrw_text_free, or hand over with mrw_text_take. Running out of memory
 * sets `failed`, and from then on everything that adds does nothing: look once, at the end. One
 * thread at a time. */
typedef struct mrw_text {
    /* NUL-terminated once something was added, NULL before; never take it out, but for reading
     * until the next addition. */
    char *data;
    /* Bytes before the NUL; may be set to a smaller number to go back. */
    size_t size;
    /* Bytes that data has room for. */
    size_t capacity;
    /* Memory ran out: something is missing. */
    bool failed;
} mrw_text;

/* Adds `size` bytes as they are, NUL among them or not. */
MRW_API void mrw_text_put(mrw_text *text, const void *bytes, size_t size);

/* Adds a string. */
MRW_API void mrw_text_puts(mrw_text *text, const char *string);

/* Adds as printf does. No %f, %e or %g, which a locale would change: see below. */
MRW_API void mrw_text_add(mrw_text *text, const char *format, ...) MRW_PRINTF(2, 3);

/* Adds the shortest decimal number that reads back to the same bits; "null" when not finite. */
MRW_API void mrw_text_double(mrw_text *text, double value);
MRW_API void mrw_text_float(mrw_text *text, float value);

/* Adds a number with 0 ... 9 decimals, rounded half away from zero. */
MRW_API void mrw_text_fixed(mrw_text *text, double value, int decimals);

/* Adds a stranger's text, such as a name from a file, as mrw_escape_text makes it safe for
 * terminals and logs; what is longer than 511 bytes is cut. */
MRW_API void mrw_text_escaped(mrw_text *text, const char *stranger);

/* Hands the text over as bytes, a NUL behind them, and leaves an empty text behind. The caller
 * frees *out with mrw_bytes_free. MRW_ERROR_MEMORY when memory ran out at any time before; the text
 * is freed then. */
MRW_API mrw_status mrw_text_take(mrw_text *text, mrw_bytes *out, mrw_error *error);

/* Frees the text and empties it, `failed` included. */
MRW_API void mrw_text_free(mrw_text *text);

#ifdef __cplusplus
}
#endif
#endif
