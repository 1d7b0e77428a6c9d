/* json.h: writes JSON (RFC 8259): UTF-8, numbers that read back exactly, no locale.
 *
 *     mrw_json json = {0};
 *     mrw_json_open(&json, '{');
 *     mrw_json_uint(mrw_json_key(&json, "frames"), 12);      {"frames": 12}
 *     mrw_json_close(&json, '}');
 *
 * Commas, quotes and escapes are put in here; that brackets match, that each value of an object has
 * a key, and that keys differ, is the caller's. No function fails: what runs out of memory is told
 * by json.text.failed. Texts are borrowed for the call and NUL-terminated.
 */
#ifndef MARROW_JSON_H
#define MARROW_JSON_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A document in the making. Zero-initialise; what is written is json.text, which the caller frees
 * with mrw_text_free or takes with mrw_text_take; json.text.failed tells that memory ran out.
 * Brackets are the caller's to match. One thread at a time. */
typedef struct mrw_json {
    /* What has been written so far. */
    mrw_text text;
    /* The next value needs one before it; kept by the functions below. */
    bool comma;
    /* No blanks after commas and colons; the caller may set it at the start. */
    bool compact;
} mrw_json;

/* '{' or '[' begins, '}' or ']' ends an object or an array. */
MRW_API void mrw_json_open(mrw_json *json, char bracket);
MRW_API void mrw_json_close(mrw_json *json, char bracket);

/* The name of the value that follows, in an object; not NULL, quoted as strings are. Returns json,
 * so that the value can be written in the same line. */
MRW_API mrw_json *mrw_json_key(mrw_json *json, const char *key);

/* A value. Of a string, what a terminal, a log of CI or a <script> element would act on is escaped,
 * and bytes that are no UTF-8 become U+FFFD; NULL is null. Numbers that are not finite are null. */
MRW_API void mrw_json_string(mrw_json *json, const char *value);

/* In decimal digits, all of them: readers that know doubles only are exact up to 2^53. */
MRW_API void mrw_json_uint(mrw_json *json, uint64_t value);

/* true, false; null. */
MRW_API void mrw_json_bool(mrw_json *json, bool value);
MRW_API void mrw_json_null(mrw_json *json);

/* The shortest digits that read back to the same number (mrw_format_double). */
MRW_API void mrw_json_double(mrw_json *json, double value);

/* Arrays of `count` numbers, 0 or more, packed; values may be NULL when count is 0. */
MRW_API void mrw_json_uints(mrw_json *json, const uint32_t *values, int count);
MRW_API void mrw_json_floats(mrw_json *json, const float *values, int count);
MRW_API void mrw_json_doubles(mrw_json *json, const double *values, int count);

/* The next value, or key, stands on a line of its own, behind the indent. */
MRW_API void mrw_json_break(mrw_json *json, const char *indent);

/* Ends the document with a newline; another one may follow. */
MRW_API void mrw_json_line(mrw_json *json);

/* Adds a string in quotes as above, without a comma: a YAML string, too. NULL: null. */
MRW_API void mrw_json_quote(mrw_text *text, const char *string);

#ifdef __cplusplus
}
#endif
#endif
