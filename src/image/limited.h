/* limited.h: memory for libraries that decode pictures: a small file can claim a small picture and
 * still unpack to gigabytes. Limits and flags belong to the thread. */
#ifndef MRWI_IMAGE_LIMITED_H
#define MRWI_IMAGE_LIMITED_H

#include <stdbool.h>
#include <stddef.h>

/* Starts a decoder: forgets what happened before, and sets the largest block that it may have. */
void mrwi_image_limited_begin(size_t most);

/* Sets the largest block for what follows. */
void mrwi_image_limited_set(size_t most);

/* Allocates a block, zeroed or not. Returns NULL beyond the limit, and without memory. */
void *mrwi_image_limited_alloc(size_t size, bool zeroed);

/* Changes a block's size; what is added is zeroed. The old block stays if it returns NULL. */
void *mrwi_image_limited_realloc(void *block, size_t old_size, size_t new_size);

/* Returns true if a block beyond the limit was wanted. */
bool mrwi_image_limited_passed(void);

/* Returns true if memory ran out within the limit. Libraries do not say so everywhere. */
bool mrwi_image_limited_ended(void);

#endif
