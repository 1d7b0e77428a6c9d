/* text.c: messages and copies of text. */
#include "internal.h"

#include <string.h>

mrw_status viewer_fail_memory(mrw_error *error)
{
    return mrw_fail(error, MRW_ERROR_MEMORY, "out of memory");
}

char *viewer_copy(const char *text)
{
    return text ? strdup(text) : NULL;
}
