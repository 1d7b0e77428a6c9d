/* limited.c: memory for libraries that decode pictures, with a limit per block. */
#include "image/limited.h"

#include "base/memory.h"

#include <string.h>

/* State of a thread's decoder. */
static _Thread_local struct {
    size_t most;
    bool passed;
    bool ended;
} limit;

static bool is_within(size_t size)
{
    limit.passed = limit.passed || size > limit.most;
    return size <= limit.most;
}

static void *keep_reason(void *block)
{
    limit.ended = limit.ended || (!block && !limit.passed);
    return block;
}

void mrwi_image_limited_begin(size_t most)
{
    limit.passed = limit.ended = false;
    limit.most = most;
}

void mrwi_image_limited_set(size_t most)
{
    limit.most = most;
}

void *mrwi_image_limited_alloc(size_t size, bool zeroed)
{
    if (!is_within(size)) {
        return NULL;
    }
    return keep_reason(zeroed ? mrwi_base_alloc_zero(size, 1) : mrwi_base_alloc(size, 1));
}

void *mrwi_image_limited_realloc(void *block, size_t old_size, size_t new_size)
{
    const size_t kept = old_size < new_size ? old_size : new_size;
    char *grown = is_within(new_size) ? mrwi_base_realloc(block, kept, new_size, 1) : NULL;
    if (grown) {
        memset(grown + kept, 0, new_size - kept);
    }
    return keep_reason(grown);
}

bool mrwi_image_limited_passed(void)
{
    return limit.passed;
}

bool mrwi_image_limited_ended(void)
{
    return limit.ended;
}
