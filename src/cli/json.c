/* json.c: writes JSON: UTF-8, numbers that read back exactly, no locale. */
#include "cli.h"

#include <string.h>

static void separate(cli_json *json)
{
    if (json->comma) {
        cli_text_put(&json->text, ", ", 2);
    }
    json->comma = true;
}

void cli_json_open(cli_json *json, char bracket)
{
    separate(json);
    cli_text_put(&json->text, &bracket, 1);
    json->comma = false;
}

void cli_json_close(cli_json *json, char bracket)
{
    cli_text_put(&json->text, &bracket, 1);
    json->comma = true;
}

/* Length of the UTF-8 sequence at p, or 0 when there is none (RFC 3629, section 4). */
static size_t utf8_length(const unsigned char *p)
{
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool beyond = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

static void put_quoted(cli_text *text, const char *value)
{
    const unsigned char *p = (const unsigned char *)value;
    cli_text_put(text, "\"", 1);
    while (*p != '\0') {
        size_t length = utf8_length(p);
        if (*p == '"' || *p == '\\') {
            cli_text_add(text, "\\%c", *p);
        } else if (*p < 0x20 || *p == 0x7f) {
            cli_text_add(text, "\\u%04x", *p);
        } else if (length == 0) {
            cli_text_put(text, "\\ufffd", 6);
        } else {
            cli_text_put(text, p, length);
        }
        p += length == 0 ? 1 : length;
    }
    cli_text_put(text, "\"", 1);
}

void cli_json_key(cli_json *json, const char *key)
{
    separate(json);
    put_quoted(&json->text, key);
    cli_text_put(&json->text, ": ", 2);
    json->comma = false;
}

void cli_json_string(cli_json *json, const char *value)
{
    if (!value) {
        cli_json_null(json);
        return;
    }
    separate(json);
    put_quoted(&json->text, value);
}

void cli_json_uint(cli_json *json, uint64_t value)
{
    separate(json);
    cli_text_add(&json->text, "%llu", (unsigned long long)value);
}

void cli_json_bool(cli_json *json, bool value)
{
    separate(json);
    cli_text_add(&json->text, "%s", value ? "true" : "false");
}

void cli_json_null(cli_json *json)
{
    separate(json);
    cli_text_put(&json->text, "null", 4);
}

void cli_json_double(cli_json *json, double value)
{
    separate(json);
    cli_text_double(&json->text, value);
}

void cli_json_floats(cli_json *json, const float *values, int count)
{
    cli_json_open(json, '[');
    for (int i = 0; i < count; i++) {
        separate(json);
        cli_text_float(&json->text, values[i]);
    }
    cli_json_close(json, ']');
}

void cli_json_doubles(cli_json *json, const double *values, int count)
{
    cli_json_open(json, '[');
    for (int i = 0; i < count; i++) {
        cli_json_double(json, values[i]);
    }
    cli_json_close(json, ']');
}

void cli_json_line(cli_json *json)
{
    cli_text_put(&json->text, "\n", 1);
    json->comma = false;
}
