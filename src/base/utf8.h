/* utf8.h: UTF-8 sequences, and names in normal form C (Unicode Standard Annex #15). By libutf8proc;
 * the locale plays no part. */
#ifndef MRWI_BASE_UTF8_H
#define MRWI_BASE_UTF8_H

#include "marrow/base.h"

/* Decodes the sequence at the start of a terminated string. Returns its length, 0 when it is not
 * valid UTF-8 (overlong, surrogate, above U+10FFFF, cut short) or the string is at its end. */
size_t mrwi_base_utf8_decode(const char *text, uint32_t *code);

/* True for letters, combining marks and decimal digits (general categories L, M and Nd), unless a
 * renderer shows nothing for them by default. */
bool mrwi_base_utf8_in_name(uint32_t code);

/* True for combining marks (general category M). */
bool mrwi_base_utf8_is_mark(uint32_t code);

/* True if text has a byte outside ASCII. */
bool mrwi_base_utf8_is_wide(const char *text);

/* Bytes of the longest name that is normalized, with the NUL. */
#define MRWI_BASE_NFC_SIZE 1024

/* Copies a name in normal form C. A name that is invalid UTF-8 or too long stays as it is, cut to
 * fit. Returns out. */
const char *mrwi_base_utf8_nfc(const char *text, char out[MRWI_BASE_NFC_SIZE]);

/* True if two names are the same in normal form C. */
bool mrwi_base_utf8_same(const char *a, const char *b);

#endif
