/* memory.c: checked allocation with an injectable failure, and arenas. */
#include "base/memory.h"

#include <assert.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT  ((size_t)64)
#define READ_SLACK ((size_t)64) /* readable bytes behind every block, for vector loads */

static struct {
    _Atomic uint64_t used, most; /* bytes of blocks, and those that other libraries were lent */
    _Atomic uint64_t allowed;    /* for the process; 0: no limit */
    _Atomic uint64_t reserved;   /* part of `allowed` for what is not counted */
    _Atomic uint64_t refused;    /* size of the first request that was refused; 0: none */
    _Atomic uint64_t countdown;  /* allocations until one fails; 0: no failure is asked for */
    _Atomic uint64_t count;      /* number of allocations */
} memory;

void mrwi_base_alloc_fail_at(uint64_t n)
{
    atomic_store(&memory.countdown, n);
}

bool mrwi_base_alloc_fail_pending(void)
{
    return atomic_load(&memory.countdown) != 0;
}

uint64_t mrwi_base_alloc_count(void)
{
    return atomic_load_explicit(&memory.count, memory_order_relaxed);
}

static bool must_fail(void)
{
    uint64_t left = atomic_load_explicit(&memory.countdown, memory_order_relaxed);
    while (left != 0) {
        if (atomic_compare_exchange_weak(&memory.countdown, &left, left - 1)) {
            return left == 1;
        }
    }
    return false;
}

/* ---- the limit ------------------------------------------------------------------------------- */

void mrw_memory_limit(uint64_t bytes, uint64_t reserved)
{
    atomic_store(&memory.allowed, bytes);
    atomic_store(&memory.reserved, reserved);
    atomic_store(&memory.refused, 0);
}

/* The module of an import in this process (--no-sandbox) has an account of its own, but its blocks
 * are freed here: the count may be below 0. */
static uint64_t positive(uint64_t used)
{
    return used <= INT64_MAX ? used : 0;
}

uint64_t mrw_memory_used(void)
{
    return positive(atomic_load_explicit(&memory.used, memory_order_relaxed));
}

uint64_t mrw_memory_most(void)
{
    return atomic_load_explicit(&memory.most, memory_order_relaxed);
}

uint64_t mrwi_base_memory_left(void)
{
    const uint64_t all = atomic_load_explicit(&memory.allowed, memory_order_relaxed);
    const uint64_t taken =
        mrw_memory_used() + atomic_load_explicit(&memory.reserved, memory_order_relaxed);
    return all == 0 ? UINT64_MAX : all > taken ? all - taken : 0;
}

mrwi_base_memory_state mrwi_base_memory_now(void)
{
    return (mrwi_base_memory_state){atomic_load(&memory.allowed), atomic_load(&memory.reserved),
                                    mrw_memory_used(), atomic_load(&memory.refused)};
}

/* Adds to the count only what fits: another thread must not be refused for a request that is. */
bool mrwi_base_memory_lend(size_t bytes)
{
    const uint64_t all = atomic_load_explicit(&memory.allowed, memory_order_relaxed);
    const uint64_t own = atomic_load_explicit(&memory.reserved, memory_order_relaxed);
    const uint64_t room = all == 0 ? UINT64_MAX : all > own ? all - own : 0;
    uint64_t before = atomic_load_explicit(&memory.used, memory_order_relaxed);
    do {
        if (bytes > room || positive(before) > room - bytes) {
            uint64_t none = 0;
            atomic_compare_exchange_strong(&memory.refused, &none, bytes);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&memory.used, &before, before + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    uint64_t peak = mrw_memory_most();
    while (positive(before + bytes) > peak &&
           !atomic_compare_exchange_weak_explicit(&memory.most, &peak, before + bytes,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    return true;
}

void mrwi_base_memory_return(size_t bytes)
{
    atomic_fetch_sub_explicit(&memory.used, bytes, memory_order_relaxed);
}

/* A block ends with its size, as it was asked for: the C library's sizes depend on what was freed
 * before, and a limit must not. */
static size_t *size_of(void *block)
{
    return (size_t *)(void *)((unsigned char *)block +
                              (malloc_usable_size(block) - sizeof(size_t)) / sizeof(size_t) *
                                  sizeof(size_t));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* count * size plus the slack and `more` bytes, rounded up to the alignment; false on overflow. */
static bool padded_size(size_t count, size_t size, size_t more, size_t *out)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, READ_SLACK + more + ALIGNMENT - 1, &bytes) ||
        bytes > (size_t)PTRDIFF_MAX) {
        return false;
    }
    *out = bytes & ~(ALIGNMENT - 1);
    return true;
}

/* Pictures, textures and scenes take many megabytes that are touched once: in pages of 4 KiB the
 * kernel needs longer to hand them out than they to be filled. */
#define HUGE_PAGE ((size_t)2 << 20)

/* Asks for the whole huge pages inside a block. The block itself is aligned as any other: the C
 * library would not find its hole again for one of a greater alignment. */
static void ask_for_huge_pages(unsigned char *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t before = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
    if (bytes >= before + HUGE_PAGE) {
        /* without huge pages it is only slower */
        madvise(block + before, (bytes - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    }
#endif
}

void *mrwi_base_alloc(size_t count, size_t size)
{
    size_t bytes = 0;
    atomic_fetch_add_explicit(&memory.count, 1, memory_order_relaxed);
    if (!padded_size(count, size, sizeof(size_t), &bytes) || must_fail() ||
        !mrwi_base_memory_lend(bytes)) {
        return NULL;
    }
    unsigned char *block = aligned_alloc(ALIGNMENT, bytes);
    if (!block) {
        mrwi_base_memory_return(bytes);
        return NULL;
    }
    const size_t data = count * size;
    ask_for_huge_pages(block, bytes);
    memset(block + data, 0, bytes - data);
    *size_of(block) = bytes;
    return block;
}

void *mrwi_base_alloc_zero(size_t count, size_t size)
{
    void *block = mrwi_base_alloc(count, size);
    if (block) {
        memset(block, 0, count * size);
    }
    return block;
}

/* Not realloc(): that keeps no alignment. */
void *mrwi_base_realloc(void *block, size_t used_bytes, size_t count, size_t size)
{
    void *grown = mrwi_base_alloc(count, size);
    if (!grown) {
        return NULL;
    }
    if (block && used_bytes != 0) {
        assert(used_bytes <= count * size);
        memcpy(grown, block, used_bytes);
    }
    mrwi_base_free(block);
    return grown;
}

void mrwi_base_free(void *block)
{
    if (block) {
        const size_t bytes = *size_of(block);
        assert(bytes >= ALIGNMENT && bytes <= malloc_usable_size(block));
        mrwi_base_memory_return(bytes);
        free(block);
    }
}

void mrwi_base_release(void *part, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = (page - (uintptr_t)part % page) % page;
    if (size >= before + page) { /* a failure only leaves the memory allocated */
        madvise((unsigned char *)part + before, (size - before) / page * page, MADV_DONTNEED);
    }
}

/* ---- arenas ---------------------------------------------------------------------------------- */

#define ARENA_MIN_BLOCK ((size_t)64 * 1024)

/* The first ALIGNMENT bytes of a block are this header; data follows. */
typedef struct mrwi_base_arena_block {
    struct mrwi_base_arena_block *next;
    size_t capacity;
} mrwi_base_arena_block;

static bool add_block(mrwi_base_arena *arena, size_t capacity)
{
    capacity = capacity < ARENA_MIN_BLOCK ? ARENA_MIN_BLOCK : capacity;
    if (capacity > (size_t)PTRDIFF_MAX) {
        return false;
    }
    mrwi_base_arena_block *block = mrwi_base_alloc(capacity + ALIGNMENT, 1);
    if (!block) {
        return false;
    }
    block->next = arena->blocks;
    block->capacity = capacity;
    arena->blocks = block;
    arena->used = 0;
    return true;
}

void *mrwi_base_arena_alloc(mrwi_base_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (!padded_size(count, size, 0, &bytes)) {
        return NULL;
    }
    if (!arena->blocks || bytes > arena->blocks->capacity - arena->used) {
        /* Room for all that came so far, twice, and for what is to come: the number of blocks
         * before the first reset is logarithmic, and the last of them mostly does for all after it.
         */
        size_t wanted = 0;
        if (__builtin_mul_overflow(arena->total, (size_t)2, &wanted) ||
            __builtin_add_overflow(wanted, bytes, &wanted) || !add_block(arena, wanted)) {
            return NULL;
        }
    }
    unsigned char *data = (unsigned char *)arena->blocks + ALIGNMENT + arena->used;
    arena->used += bytes;
    arena->total += bytes;
    return data;
}

static void free_blocks(mrwi_base_arena_block *block)
{
    while (block) {
        mrwi_base_arena_block *next = block->next;
        mrwi_base_free(block);
        block = next;
    }
}

void mrwi_base_arena_reset(mrwi_base_arena *arena)
{
    mrwi_base_arena_block *last = arena->blocks;
    const size_t high_water = arena->total > arena->peak ? arena->total : arena->peak;
    if (last && last->capacity >= high_water) {
        free_blocks(last->next);
        last->next = NULL;
    } else if (last) {
        mrwi_base_arena_free(arena);
        /* Some room more: what needs a little more each time would allocate each time. Out of
         * memory here is reported by the next mrwi_base_arena_alloc. */
        add_block(arena, high_water + high_water / 8);
    }
    arena->used = 0;
    arena->total = 0;
    arena->peak = 0;
}

mrwi_base_arena_mark mrwi_base_arena_now(const mrwi_base_arena *arena)
{
    return (mrwi_base_arena_mark){arena->blocks, arena->used, arena->total};
}

void mrwi_base_arena_back(mrwi_base_arena *arena, const mrwi_base_arena_mark *mark)
{
    while (arena->blocks != mark->block) {
        mrwi_base_arena_block *newer = arena->blocks;
        arena->blocks = newer->next;
        mrwi_base_free(newer);
    }
    arena->peak = arena->total > arena->peak ? arena->total : arena->peak;
    arena->used = mark->used;
    arena->total = mark->total;
}

void mrwi_base_arena_free(mrwi_base_arena *arena)
{
    free_blocks(arena->blocks);
    *arena = (mrwi_base_arena){0};
}

const char *mrwi_base_copy_text(mrwi_base_arena *arena, const char *string)
{
    size_t size = string ? strlen(string) + 1 : 0;
    char *copy = string ? mrwi_base_arena_alloc(arena, size, 1) : NULL;
    if (copy) {
        memcpy(copy, string, size);
    }
    return copy;
}

const char *mrwi_base_format(mrwi_base_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : mrwi_base_arena_alloc(arena, (size_t)length + 1, 1);
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

void mrw_bytes_free(mrw_bytes *bytes)
{
    mrwi_base_free(bytes->data);
    *bytes = (mrw_bytes){0};
}
