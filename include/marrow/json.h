/* json.h: writes JSON (RFC 8259): UTF-8, numbers that read back exactly, no locale.
 *
 *     mrw_json json = {0};
 *     mrw_json_open(&json, '{');
 *     mrw_json_uint(mrw_json_key(&json, "frames"), 12);      {"frames": 12}
 *     mrw_json_close(&json, '}');
 *
 * These functions write commas, quotes and escapes. The caller must match brackets, give each value
 * of an object a key, and use different keys. No function fails: json.text.failed tells whether
 * memory ran out. Strings are borrowed for the call and NUL-terminated.
 */
#ifndef MARROW_JSON_H
#define MARROW_JSON_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A JSON document being written. Zero-initialise it. The output is json.text, which the caller
 * frees with mrw_text_free or takes with mrw_text_take. json.text.failed is set if memory ran out.
 * The caller must match brackets. Use from one thread at a time. */
typedef struct mrw_json {
    /* Output so far. */
    mrw_text text;
    /* True if the next value needs a comma before it; maintained by the functions below. */
    bool comma;
    /* Write no blanks after commas and colons; the caller may set it at the start. */
    bool compact;
} mrw_json;

/* Begins an object or an array with '{' or '[', or ends one with '}' or ']'. */
MRW_API void mrw_json_open(mrw_json *json, char bracket);
MRW_API void mrw_json_close(mrw_json *json, char bracket);

/* Writes the name of the next value in an object. key is not NULL; it is quoted like a string.
 * Returns json, so that the value can be written on the same line. */
MRW_API mrw_json *mrw_json_key(mrw_json *json, const char *key);

/* Writes a string value. Characters that a terminal, a CI log or a <script> element would interpret
 * are escaped, and invalid UTF-8 becomes U+FFFD. NULL is written as null. The functions below write
 * numbers that are not finite as null, too. */
MRW_API void mrw_json_string(mrw_json *json, const char *value);

/* Writes all decimal digits of an integer. Readers that only know doubles are exact up to 2^53. */
MRW_API void mrw_json_uint(mrw_json *json, uint64_t value);

/* Write true or false, or null. */
MRW_API void mrw_json_bool(mrw_json *json, bool value);
MRW_API void mrw_json_null(mrw_json *json);

/* Writes the shortest digits that read back to the same number (mrw_format_double). */
MRW_API void mrw_json_double(mrw_json *json, double value);

/* Write an array of `count` numbers, 0 or more, on one line; values may be NULL if count is 0. */
MRW_API void mrw_json_uints(mrw_json *json, const uint32_t *values, int count);
MRW_API void mrw_json_floats(mrw_json *json, const float *values, int count);
MRW_API void mrw_json_doubles(mrw_json *json, const double *values, int count);

/* Starts a new line with `indent` before the next value or key. */
MRW_API void mrw_json_break(mrw_json *json, const char *indent);

/* Ends the document with a newline. Another document may follow. */
MRW_API void mrw_json_line(mrw_json *json);

/* Adds a quoted string as above, without a comma; also valid in YAML. NULL is written as null. */
MRW_API void mrw_json_quote(mrw_text *text, const char *string);

#ifdef __cplusplus
}
#endif
#endif
