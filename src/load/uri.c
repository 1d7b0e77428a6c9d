/* uri.c: decodes the URIs of glTF files, and data: URIs (RFC 3986, RFC 2397). */
#include "load/uri.h"

#include "base/memory.h"

#include <string.h>
#include <strings.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads the next byte, with %XX resolved. A '%' that starts no such triple stands for itself, as in
 * file names from exporters that do not encode. */
static uint8_t next_byte(const char **at)
{
    const char *p = *at;
    if (p[0] == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
        *at = p + 3;
        return (uint8_t)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
    }
    *at = p + 1;
    return (uint8_t)*p;
}

bool mrwi_load_uri_decode(const char *uri, char *out, size_t size)
{
    size_t n = 0;
    while (*uri != '\0') {
        uint8_t byte = next_byte(&uri);
        if (byte == 0 || n + 1 >= size) {
            return false;
        }
        out[n++] = (char)byte;
    }
    out[n] = '\0';
    return true;
}

bool mrwi_load_uri_is_data(const char *uri)
{
    return strncasecmp(uri, "data:", 5) == 0;
}

bool mrwi_load_uri_has_scheme(const char *uri)
{
    size_t n = 0;
    while ((uri[n] >= 'a' && uri[n] <= 'z') || (uri[n] >= 'A' && uri[n] <= 'Z')) {
        n++;
    }
    return n > 1 && uri[n] == ':';
}

static int base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    if (c == '+' || c == '-') { /* '-' and '_' are the URL-safe alphabet (RFC 4648, 5) */
        return 62;
    }
    return c == '/' || c == '_' ? 63 : -1;
}

/* Decodes RFC 4648; white space is skipped and '=' ends the data. */
static bool base64_decode(const char *text, uint8_t *out, size_t *size)
{
    uint32_t bits = 0;
    int held = 0;
    size_t n = 0;
    while (*text != '\0') {
        uint8_t c = next_byte(&text);
        if (c == '=') {
            break;
        }
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        int digit = base64_digit(c);
        if (digit < 0) {
            return false;
        }
        bits = (bits << 6 | (uint32_t)digit) & 0xffffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[n++] = (uint8_t)(bits >> held);
        }
    }
    *size = n;
    return held < 6; /* a single digit holds no byte */
}

mrwi_base_read_result mrwi_load_uri_data(const char *uri, uint8_t **data, size_t *size)
{
    const char *comma = strchr(uri, ',');
    if (!comma) {
        return MRWI_BASE_READ_FAILED;
    }
    bool base64 = comma - uri >= 7 && strncasecmp(comma - 7, ";base64", 7) == 0;
    uint8_t *bytes = mrwi_base_alloc(strlen(comma), 1);
    if (!bytes) {
        return MRWI_BASE_READ_MEMORY;
    }
    size_t n = 0;
    if (base64) {
        if (!base64_decode(comma + 1, bytes, &n)) {
            mrwi_base_free(bytes);
            return MRWI_BASE_READ_FAILED;
        }
    } else {
        for (const char *at = comma + 1; *at != '\0';) {
            bytes[n++] = next_byte(&at);
        }
    }
    *data = bytes;
    *size = n;
    return MRWI_BASE_READ_OK;
}
