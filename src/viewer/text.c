/* text.c: messages and copies of text. */
#include "internal.h"

#include <string.h>

mrw_status viewer_fail_memory(mrw_error *error)
{
    return mrw_fail_memory(error, 0);
}

char *viewer_copy(const char *text)
{
    return text ? strdup(text) : NULL;
}
