/* table.h: a hash table from 64-bit hashes to small numbers, for finding equal things once.
 *
 * It answers "have I seen this?" and is never iterated, so it cannot influence an order. A walk
 * gives up after MRWI_SCENE_TABLE_STEPS entries: files built to collide cost a constant each, and
 * at worst keep a duplicate.
 */
#ifndef MRWI_SCENE_TABLE_H
#define MRWI_SCENE_TABLE_H

#include "marrow/base.h"

#define MRWI_SCENE_TABLE_STEPS 256

typedef struct mrwi_scene_table_entry {
    uint64_t hash;
    uint32_t value;
    uint32_t next;
} mrwi_scene_table_entry;

/* A table; zero-initialise. */
typedef struct mrwi_scene_table {
    uint32_t *heads; /* `capacity` of them, a power of two */
    mrwi_scene_table_entry *entries;
    uint32_t count;
    uint32_t capacity;
} mrwi_scene_table;

typedef bool (*mrwi_scene_table_equal)(const void *user, uint32_t value);

/* Returns the value added under this hash for which `equal` returns true, or MRW_NONE. */
uint32_t mrwi_scene_table_find(const mrwi_scene_table *table, uint64_t hash,
                               mrwi_scene_table_equal equal, const void *user);
/* Fetches what a look at these hashes needs first, so that looks in a row do not wait for it. */
void mrwi_scene_table_fetch(const mrwi_scene_table *table, const uint64_t *hashes, uint32_t count);
/* Adds a value. Returns false when out of memory. */
bool mrwi_scene_table_add(mrwi_scene_table *table, uint64_t hash, uint32_t value);
void mrwi_scene_table_free(mrwi_scene_table *table);

/* Hashing starts with MRWI_SCENE_HASH_SEED and mixes in the data. It is stable across machines. */
#define MRWI_SCENE_HASH_SEED UINT64_C(0x243f6a8885a308d3)

static inline uint64_t mrwi_scene_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

uint64_t mrwi_scene_hash_bytes(uint64_t hash, const void *data, size_t size);
/* Mixes in floats by value: -0 counts as 0. */
uint64_t mrwi_scene_hash_floats(uint64_t hash, const float *values, uint32_t count);

#endif
