/* utf16.c: converts text files in UTF-16 (RFC 2781) to UTF-8, which all readers expect. */
#include "import/utf16.h"

#include "base/memory.h"

static uint32_t unit_at(const uint8_t *bytes, bool big)
{
    return big ? (uint32_t)bytes[0] << 8 | bytes[1] : (uint32_t)bytes[1] << 8 | bytes[0];
}

bool mrwi_import_utf16_is(const uint8_t *bytes, size_t size)
{
    return size >= 2 &&
           ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff));
}

static size_t put_code(uint32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (uint8_t)(marks[more] | code >> 6 * more);
    for (int i = 1; i <= more; i++) {
        out[i] = (uint8_t)(0x80 | (code >> 6 * (more - i) & 0x3f));
    }
    return (size_t)more + 1;
}

uint8_t *mrwi_import_utf16_to_utf8(const uint8_t *bytes, size_t size, size_t *out_size)
{
    const bool big = bytes[0] == 0xfe;
    /* A unit becomes at most three bytes; a surrogate pair becomes four. */
    uint8_t *out = mrwi_base_alloc(size / 2 + 1, 3);
    size_t used = 0;
    for (size_t i = 2; out && i + 1 < size; i += 2) {
        uint32_t code = unit_at(bytes + i, big);
        if (code >= 0xd800 && code < 0xe000) {
            const uint32_t low = i + 3 < size ? unit_at(bytes + i + 2, big) : 0;
            if (code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
                i += 2;
            } else {
                code = 0xfffd; /* half a pair */
            }
        }
        used += put_code(code, out + used);
    }
    *out_size = used;
    return out;
}
