/* utf8.c: UTF-8 sequences, and names in normal form C. */
#include "base/utf8.h"

#include "marrow/text.h"

#include <string.h>
#include <utf8proc.h>

size_t mrwi_base_utf8_decode(const char *text, uint32_t *code)
{
    utf8proc_int32_t value = -1;
    if ((*text & 0x80) == 0) {
        *code = (uint32_t)*text;
        return *text != '\0';
    }
    const size_t size = strnlen(text, 4);
    const utf8proc_ssize_t length =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size, &value);
    if (length <= 0) {
        return 0;
    }
    *code = (uint32_t)value;
    return (size_t)length;
}

bool mrwi_base_utf8_in_name(uint32_t code)
{
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)code);
    switch (property->category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
        return !property->ignorable;
    default:
        return false;
    }
}

bool mrwi_base_utf8_is_mark(uint32_t code)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
           category == UTF8PROC_CATEGORY_ME;
}

int mrw_text_columns(const char *text)
{
    int columns = 0;
    while (*text != '\0') {
        uint32_t code;
        const size_t length = mrwi_base_utf8_decode(text, &code);
        const bool printable = length > 0 && code >= ' ' && (code < 0x7f || code >= 0xa0);
        columns += printable ? utf8proc_charwidth((utf8proc_int32_t)code) : 1;
        text += length > 0 ? length : 1;
    }
    return columns;
}

bool mrwi_base_utf8_is_wide(const char *text)
{
    while (*text != '\0' && (*text & 0x80) == 0) {
        text++;
    }
    return *text != '\0';
}

const char *mrwi_base_utf8_nfc(const char *text, char out[MRWI_BASE_NFC_SIZE])
{
    /* utf8proc_reencode writes UTF-8 where the code points stood. */
    utf8proc_int32_t codes[MRWI_BASE_NFC_SIZE];
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    const size_t size = strlen(text);
    utf8proc_ssize_t length = -1;
    if (size < MRWI_BASE_NFC_SIZE && mrwi_base_utf8_is_wide(text)) {
        length = utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size, codes,
                                    MRWI_BASE_NFC_SIZE - 1, options);
    }
    if (length >= 0 && length < MRWI_BASE_NFC_SIZE) {
        length = utf8proc_reencode(codes, length, options);
    }
    const bool fine = length >= 0 && length < MRWI_BASE_NFC_SIZE;
    const size_t used = fine ? (size_t)length : size;
    const size_t most = used < MRWI_BASE_NFC_SIZE ? used : MRWI_BASE_NFC_SIZE - 1;
    memcpy(out, fine ? (const char *)codes : text, most);
    out[most] = '\0';
    return out;
}

bool mrwi_base_utf8_same(const char *a, const char *b)
{
    char nfc[2][MRWI_BASE_NFC_SIZE];
    return strcmp(a, b) == 0 ||
           (mrwi_base_utf8_is_wide(a) && mrwi_base_utf8_is_wide(b) &&
            strlen(a) < MRWI_BASE_NFC_SIZE && strlen(b) < MRWI_BASE_NFC_SIZE &&
            strcmp(mrwi_base_utf8_nfc(a, nfc[0]), mrwi_base_utf8_nfc(b, nfc[1])) == 0);
}
