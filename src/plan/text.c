/* text.c: copies of text in the library's memory. */
#include "plan/internal.h"

#include "base/memory.h"

#include <string.h>

char *mrwi_plan_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = mrwi_base_alloc(size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *mrwi_plan_take(mrw_text *text)
{
    char *out = text->failed ? NULL : mrwi_plan_copy(text->data ? text->data : "");
    mrw_text_free(text);
    return out;
}
