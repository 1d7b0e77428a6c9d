/* memory.h: checked allocation, arenas. */
#ifndef MRWI_BASE_MEMORY_H
#define MRWI_BASE_MEMORY_H

#include "marrow/base.h"

/* All memory of the library comes from here: 64-byte aligned, count * size checked for overflow,
 * with 64 readable bytes behind. NULL when out of memory; count 0 gives a valid block. */
void *mrwi_base_alloc(size_t count, size_t size);
void *mrwi_base_alloc_zero(size_t count, size_t size);
/* Grows a block of mrwi_base_alloc from used_bytes; the old one is freed on success only. */
void *mrwi_base_realloc(void *block, size_t used_bytes, size_t count, size_t size);
void mrwi_base_free(void *block);
/* Gives the memory of a part of a block back as far as it fills whole pages; the block remains, and
 * what stood in the part is lost. */
void mrwi_base_release(void *part, size_t size);

/* The limit of mrw_memory_limit, for messages. */
typedef struct mrwi_base_memory_state {
    uint64_t allowed, reserved, used;
    uint64_t refused; /* size of the first request beyond the limit; 0: none was */
} mrwi_base_memory_state;

mrwi_base_memory_state mrwi_base_memory_now(void);

/* Returns how many bytes the limit leaves; UINT64_MAX: there is no limit. */
uint64_t mrwi_base_memory_left(void);

/* Counts memory that another library is about to allocate. Returns false, and counts nothing, if it
 * would exceed the limit. mrwi_base_memory_return takes it back. */
bool mrwi_base_memory_lend(size_t bytes);
void mrwi_base_memory_return(size_t bytes);

/* For tests: let the n-th allocation from now fail (1 is the next), once; 0 turns it off. */
void mrwi_base_alloc_fail_at(uint64_t n);
/* True while that failure is still to come: a loop over n stops when a run leaves it pending. */
bool mrwi_base_alloc_fail_pending(void);
/* Returns the number of allocations so far, of all threads. */
uint64_t mrwi_base_alloc_count(void);

/* An arena: allocate, reset, free as a whole. Grows to its high-water mark: after a reset the same
 * sequence of requests allocates nothing. Not thread-safe: use one per thread. Zero-initialise. */
typedef struct mrwi_base_arena {
    struct mrwi_base_arena_block *blocks;
    size_t used;  /* bytes used in the first block */
    size_t total; /* bytes asked for since the last reset, that were not given back */
    size_t peak;  /* the most of these before something was given back */
} mrwi_base_arena;

/* A point to go back to. */
typedef struct mrwi_base_arena_mark {
    struct mrwi_base_arena_block *block;
    size_t used, total;
} mrwi_base_arena_mark;

/* 64-byte aligned, 64 readable bytes behind; NULL when out of memory. Not zeroed. */
void *mrwi_base_arena_alloc(mrwi_base_arena *arena, size_t count, size_t size);
void mrwi_base_arena_reset(mrwi_base_arena *arena);
/* Marks the state of an arena, and frees all that was allocated since a mark; not across a reset.
 */
mrwi_base_arena_mark mrwi_base_arena_now(const mrwi_base_arena *arena);
void mrwi_base_arena_back(mrwi_base_arena *arena, const mrwi_base_arena_mark *mark);
void mrwi_base_arena_free(mrwi_base_arena *arena);

/* A copy of a text in the arena. NULL gives NULL, and so does being out of memory. */
const char *mrwi_base_copy_text(mrwi_base_arena *arena, const char *string);

/* A text made as by printf, in the arena; NULL when out of memory. */
const char *mrwi_base_format(mrwi_base_arena *arena, const char *format, ...) MRW_PRINTF(2, 3);

#endif
