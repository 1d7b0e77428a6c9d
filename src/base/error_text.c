/* error_text.c: the words of an errno. POSIX and GNU have a strerror_r each, with different
 * results; this file asks for that of POSIX, wherever it is compiled. */
#undef _GNU_SOURCE
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const char *mrwi_base_error_text(int code, char *out, size_t size)
{
    if (size > 0) {
        out[0] = '\0';
    }
    if (strerror_r(code, out, size) != 0 && size > 0 && out[0] == '\0') {
        snprintf(out, size, "error %d", code);
    }
    return out;
}
