/* utf16.h: converts text files in UTF-16 to UTF-8. */
#ifndef MRWI_IMPORT_UTF16_H
#define MRWI_IMPORT_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if the bytes begin with a byte order mark of UTF-16, little or big endian. */
bool mrwi_import_utf16_is(const uint8_t *bytes, size_t size);

/* Returns the text after the byte order mark as UTF-8, to be freed with mrwi_base_free; NULL when
 * out of memory. Half a surrogate pair becomes U+FFFD; an odd last byte is ignored. */
uint8_t *mrwi_import_utf16_to_utf8(const uint8_t *bytes, size_t size, size_t *out_size);

#endif
