/* table.c: a chained hash table with bounded walks. */
#include "scene/table.h"

#include "base/memory.h"

#include <string.h>

uint32_t mrwi_scene_table_find(const mrwi_scene_table *table, uint64_t hash,
                               mrwi_scene_table_equal equal, const void *user)
{
    if (table->capacity == 0) {
        return MRW_NONE;
    }
    uint32_t at = table->heads[hash & (table->capacity - 1)];
    for (int step = 0; at != MRW_NONE && step < MRWI_SCENE_TABLE_STEPS; step++) {
        const mrwi_scene_table_entry *entry = &table->entries[at];
        if (entry->hash == hash && equal(user, entry->value)) {
            return entry->value;
        }
        at = entry->next;
    }
    return MRW_NONE;
}

void mrwi_scene_table_fetch(const mrwi_scene_table *table, const uint64_t *hashes, uint32_t count)
{
    for (uint32_t i = 0; i < count && table->capacity > 0; i++) {
        __builtin_prefetch(&table->heads[hashes[i] & (table->capacity - 1)]);
    }
    for (uint32_t i = 0; i < count && table->capacity > 0; i++) {
        const uint32_t head = table->heads[hashes[i] & (table->capacity - 1)];
        __builtin_prefetch(&table->entries[head != MRW_NONE ? head : 0]);
    }
}

static void link_entry(mrwi_scene_table *table, uint32_t index)
{
    mrwi_scene_table_entry *entry = &table->entries[index];
    uint32_t *head = &table->heads[entry->hash & (table->capacity - 1)];
    entry->next = *head;
    *head = index;
}

static bool grow(mrwi_scene_table *table)
{
    uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
    if (capacity == 0) {
        return false;
    }
    uint32_t *heads = mrwi_base_alloc(capacity, sizeof *heads);
    if (!heads) {
        return false;
    }
    mrwi_scene_table_entry *entries = mrwi_base_realloc(
        table->entries, table->count * sizeof *entries, capacity, sizeof *entries);
    if (!entries) {
        mrwi_base_free(heads);
        return false;
    }
    mrwi_base_free(table->heads);
    table->heads = heads;
    table->entries = entries;
    table->capacity = capacity;
    memset(heads, 0xff, capacity * sizeof *heads);
    for (uint32_t i = 0; i < table->count; i++) {
        link_entry(table, i);
    }
    return true;
}

bool mrwi_scene_table_add(mrwi_scene_table *table, uint64_t hash, uint32_t value)
{
    if (table->count == table->capacity && !grow(table)) {
        return false;
    }
    table->entries[table->count] = (mrwi_scene_table_entry){hash, value, MRW_NONE};
    link_entry(table, table->count++);
    return true;
}

void mrwi_scene_table_free(mrwi_scene_table *table)
{
    mrwi_base_free(table->heads);
    mrwi_base_free(table->entries);
    *table = (mrwi_scene_table){0};
}

uint64_t mrwi_scene_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    hash = mrwi_scene_hash_word(hash, size);
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = mrwi_scene_hash_word(hash, word);
    }
    uint64_t tail = 0;
    if (size > 0) {
        memcpy(&tail, bytes, size);
    }
    return mrwi_scene_hash_word(hash, tail);
}

uint64_t mrwi_scene_hash_floats(uint64_t hash, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float value = values[i] + 0.0f; /* -0 becomes 0 */
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = mrwi_scene_hash_word(hash, bits);
    }
    return hash;
}
