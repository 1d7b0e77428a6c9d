/* utf8.h: one UTF-8 sequence at a time. */
#ifndef MRWI_BASE_UTF8_H
#define MRWI_BASE_UTF8_H

#include "marrow/base.h"

/* Decodes the sequence at the start of a terminated string. Returns its length, 0 when it is not
 * valid UTF-8 (overlong, surrogate, above U+10FFFF, cut short) or the string is at its end. */
size_t mrwi_base_utf8_decode(const char *text, uint32_t *code);

#endif
