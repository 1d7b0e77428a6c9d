/* utf8.c: one UTF-8 sequence at a time. */
#include "base/utf8.h"

size_t mrwi_base_utf8_decode(const char *text, uint32_t *code)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t first_byte = bytes[0];
    if (first_byte == 0) {
        return 0;
    }
    if (first_byte < 0x80) {
        *code = first_byte;
        return 1;
    }
    size_t length = 0;
    if ((first_byte & 0xE0) == 0xC0) {
        length = 2;
    } else if ((first_byte & 0xF0) == 0xE0) {
        length = 3;
    } else if ((first_byte & 0xF8) == 0xF0) {
        length = 4;
    } else {
        return 0;
    }
    uint32_t value = first_byte & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
        return 0;
    }
    *code = value;
    return length;
}
