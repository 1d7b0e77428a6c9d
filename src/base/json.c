/* json.c: writes JSON. */
#include "marrow/json.h"

#include "base/text.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

static void separate(mrw_json *json)
{
    if (json->comma) {
        mrw_text_puts(&json->text, json->compact ? "," : ", ");
    }
    json->comma = true;
}

void mrw_json_open(mrw_json *json, char bracket)
{
    separate(json);
    mrw_text_put(&json->text, &bracket, 1);
    json->comma = false;
}

void mrw_json_close(mrw_json *json, char bracket)
{
    mrw_text_put(&json->text, &bracket, 1);
    json->comma = true;
}

/* Returns true for characters that a JSON string must escape: json.h says why. */
static bool is_quoted_in_json(const char *at, size_t length, uint32_t code)
{
    char safe[16], character[8];
    if (code == '<' || (code == '#' && at[1] == '#') || code == 0xFFFE || code == 0xFFFF) {
        return true;
    }
    memcpy(character, at, length);
    character[length] = '\0';
    return strcmp(mrwi_base_escape(character, safe, sizeof safe), character) != 0;
}

/* How many characters at the start are what they are in any text. */
static size_t plain_length(const char *at)
{
    size_t length = 0;
    while (at[length] >= 0x20 && at[length] < 0x7f && !strchr("\"\\<#", at[length])) {
        length++;
    }
    return length;
}

void mrw_json_quote(mrw_text *text, const char *string)
{
    if (!string) {
        mrw_text_puts(text, "null");
        return;
    }
    mrw_text_put(text, "\"", 1);
    while (*string != '\0') {
        size_t plain = plain_length(string);
        if (plain > 0) {
            mrw_text_put(text, string, plain);
            string += plain;
            continue;
        }
        uint32_t code = 0;
        size_t length = mrwi_base_utf8_decode(string, &code);
        if (length == 0) {
            mrw_text_puts(text, "\\ufffd");
        } else if (*string == '"' || *string == '\\') {
            mrw_text_add(text, "\\%c", *string);
        } else if (is_quoted_in_json(string, length, code)) { /* all of them below U+10000 */
            mrw_text_add(text, "\\u%04x", (unsigned)code);
        } else {
            mrw_text_put(text, string, length);
        }
        string += length == 0 ? 1 : length;
    }
    mrw_text_put(text, "\"", 1);
}

mrw_json *mrw_json_key(mrw_json *json, const char *key)
{
    separate(json);
    mrw_json_quote(&json->text, key);
    mrw_text_puts(&json->text, json->compact ? ":" : ": ");
    json->comma = false;
    return json;
}

void mrw_json_string(mrw_json *json, const char *value)
{
    separate(json);
    mrw_json_quote(&json->text, value);
}

void mrw_json_uint(mrw_json *json, uint64_t value)
{
    separate(json);
    mrw_text_add(&json->text, "%" PRIu64, value);
}

void mrw_json_bool(mrw_json *json, bool value)
{
    separate(json);
    mrw_text_puts(&json->text, value ? "true" : "false");
}

void mrw_json_null(mrw_json *json)
{
    separate(json);
    mrw_text_puts(&json->text, "null");
}

void mrw_json_double(mrw_json *json, double value)
{
    separate(json);
    mrw_text_double(&json->text, value);
}

void mrw_json_uints(mrw_json *json, const uint32_t *values, int count)
{
    mrw_json_open(json, '[');
    for (int i = 0; i < count; i++) {
        mrw_json_uint(json, values[i]);
    }
    mrw_json_close(json, ']');
}

void mrw_json_floats(mrw_json *json, const float *values, int count)
{
    mrw_json_open(json, '[');
    for (int i = 0; i < count; i++) {
        separate(json);
        mrw_text_float(&json->text, values[i]);
    }
    mrw_json_close(json, ']');
}

void mrw_json_doubles(mrw_json *json, const double *values, int count)
{
    mrw_json_open(json, '[');
    for (int i = 0; i < count; i++) {
        mrw_json_double(json, values[i]);
    }
    mrw_json_close(json, ']');
}

void mrw_json_break(mrw_json *json, const char *indent)
{
    mrw_text_add(&json->text, "%s\n%s", json->comma ? "," : "", indent);
    json->comma = false;
}

void mrw_json_line(mrw_json *json)
{
    mrw_text_put(&json->text, "\n", 1);
    json->comma = false;
}
