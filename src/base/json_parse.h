/* json_parse.h: texts to cJSON trees, with damaged texts told apart from a lack of memory. */
#ifndef MRWI_BASE_JSON_PARSE_H
#define MRWI_BASE_JSON_PARSE_H

#include "marrow/base.h"

#include <cjson/cJSON.h>

/* The most objects and arrays within one another. cJSON and its readers call themselves for each:
 * this keeps their stacks small. glTF 2.0 itself needs 8 levels; the rest is for `extras`. */
#define MRWI_BASE_JSON_DEEPEST 64

/* Returns true if a text nests deeper; *at is then behind the first bracket that does. */
bool mrwi_base_json_is_deep(const char *text, size_t size, const char **at);

/* Parses a text that is one JSON value, with white space or zeros behind it. MRW_OK: the caller
 * frees *out with cJSON_Delete. MRW_ERROR_INPUT: it is damaged near *end. MRW_ERROR_MEMORY:
 * memory is short, or a limit leaves too little; the text may be fine. *out is NULL then; no error
 * is filled, as only the caller knows the file. */
mrw_status mrwi_base_json_parse(const char *text, size_t size, cJSON **out, const char **end);

/* An upper bound of the number of values in a text: one more than its separators and brackets
 * outside strings. cJSON takes some 80 bytes a value, 40 times the text of a list of digits, so
 * limits are held before it is called. */
uint64_t mrwi_base_json_count(const char *text, size_t size);

#endif
