/* weld.c: merges equal vertices.
 *
 * In most files vertices have no equal, and a table of all of them costs more than everything else:
 * each look is a miss of the caches. So two bits for each hash first say whether it occurs once or
 * more often. A vertex whose hash occurs once is new without a look at the table, and only the
 * others are hashed with their morph targets and influences. */
#include "scene/mesh.h"

#include "base/text.h"

#include <string.h>

/* Compares floats. They are finite, so == compares bits except that -0 counts as 0. */
static inline bool same_floats(const float *a, const float *b, uint32_t count)
{
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        same = same && a[i] == b[i];
    }
    return same;
}

/* Compares two rows of a stream. The usual widths are constants, so that no loop remains. */
static inline bool same_rows(const mrwi_scene_stream *stream, uint32_t a, uint32_t b)
{
    const uint32_t width = stream->width;
    const float *x = stream->values + (size_t)a * width, *y = stream->values + (size_t)b * width;
    return width == 3   ? same_floats(x, y, 3)
           : width == 2 ? same_floats(x, y, 2)
                        : same_floats(x, y, width);
}

static bool same_influences(const mrwi_scene_influences *set, uint32_t a, uint32_t b)
{
    if (!set->first) {
        return true;
    }
    uint32_t at_a = set->first[a], at_b = set->first[b];
    uint32_t count = set->first[a + 1] - at_a;
    if (count != set->first[b + 1] - at_b) {
        return false;
    }
    return same_floats(set->weights + at_a, set->weights + at_b, count) &&
           memcmp(set->joints + at_a, set->joints + at_b, count * sizeof *set->joints) == 0;
}

static bool same_source(const mrwi_scene_weld_job *job, uint32_t a, uint32_t b)
{
    for (uint32_t s = 0; s < job->stream_count; s++) {
        if (!same_rows(&job->streams[s], a, b)) {
            return false;
        }
    }
    return same_influences(&job->influences, a, b);
}

typedef struct weld_key {
    const mrwi_scene_weld_job *job;
    uint32_t candidate;
} weld_key;

static bool same_vertex(const void *user, uint32_t vertex)
{
    const weld_key *key = user;
    const mrwi_scene_weld_job *job = key->job;
    uint32_t other = job->first_of[vertex];
    for (uint32_t s = 0; s < job->own_stream_count; s++) {
        if (!same_rows(&job->own_streams[s], other, key->candidate)) {
            return false;
        }
    }
    uint32_t a = job->sources[key->candidate], b = job->sources[other];
    return a == b || same_source(job, a, b);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static inline uint64_t bits_of(float value)
{
    uint32_t bits;
    value += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Mixes in a row of floats, two at a time: only this file sees these hashes. */
static inline uint64_t hash_floats(uint64_t hash, const float *values, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 1 < count; i += 2) {
        hash = mrwi_scene_hash_word(hash, bits_of(values[i]) | bits_of(values[i + 1]) << 32);
    }
    return i < count ? mrwi_scene_hash_word(hash, bits_of(values[i])) : hash;
}

/* Mixes in a row of a stream. */
static inline uint64_t hash_row(uint64_t hash, const mrwi_scene_stream *stream, uint32_t row)
{
    const uint32_t width = stream->width;
    const float *values = stream->values + (size_t)row * width;
    return width == 3   ? hash_floats(hash, values, 3)
           : width == 2 ? hash_floats(hash, values, 2)
                        : hash_floats(hash, values, width);
}

/* Hashes the first streams of each source, one stream after the other, which reads memory in
 * order. */
static void hash_sources(const mrwi_scene_weld_job *job, uint64_t *hashes)
{
    for (uint32_t v = 0; v < job->source_count; v++) {
        hashes[v] = MRWI_SCENE_HASH_SEED;
    }
    for (uint32_t s = 0; s < job->hashed_count; s++) {
        for (uint32_t v = 0; v < job->source_count; v++) {
            hashes[v] = hash_row(hashes[v], &job->streams[s], v);
        }
    }
}

/* Continues the hash of candidate i's source with the candidate's own streams. */
static uint64_t hash_own(const mrwi_scene_weld_job *job, const uint64_t *hashes, uint32_t i)
{
    uint64_t hash = hashes[job->sources[i]];
    for (uint32_t s = 0; s < job->own_stream_count; s++) {
        hash = hash_row(hash, &job->own_streams[s], i);
    }
    return hash;
}

/* Continues a hash with the other streams of a source and its influences. */
static uint64_t hash_rest(const mrwi_scene_weld_job *job, uint64_t hash, uint32_t source)
{
    const mrwi_scene_influences *set = &job->influences;
    for (uint32_t s = job->hashed_count; s < job->stream_count; s++) {
        hash = hash_row(hash, &job->streams[s], source);
    }
    for (uint32_t i = set->first ? set->first[source] : 0; set->first && i < set->first[source + 1];
         i++) {
        hash = mrwi_scene_hash_word(hash, bits_of(set->weights[i]) << 32 | set->joints[i]);
    }
    return hash;
}

/* Two bits for each of a power of two of hashes: it has occurred, it has occurred again. */
typedef struct occurrences {
    uint8_t *bits; /* four hashes in a byte */
    uint64_t mask;
} occurrences;

static bool start_occurrences(uint32_t count, mrwi_base_arena *scratch, occurrences *out,
                              mrw_error *error)
{
    uint64_t places = 64;
    while (places < (uint64_t)count * 16) {
        places *= 2;
    }
    out->mask = places - 1;
    out->bits = mrwi_scene_scratch(scratch, (size_t)(places / 4), 1, error);
    if (out->bits) {
        memset(out->bits, 0, (size_t)(places / 4));
    }
    return out->bits;
}

static void note_hash(occurrences *seen, uint64_t hash)
{
    uint8_t *byte = &seen->bits[(hash & seen->mask) / 4];
    const unsigned shift = 2 * (unsigned)(hash % 4), known = *byte >> shift & 1;
    *byte = (uint8_t)(*byte | (known ? 2u : 1u) << shift);
}

static bool occurs_again(const occurrences *seen, uint64_t hash)
{
    return (seen->bits[(hash & seen->mask) / 4] >> 2 * (hash % 4) & 2) != 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

#define BATCH 32 /* candidates whose places in the table are fetched together */

/* Finds the vertex that is equal to candidate i, or makes one. Returns false when out of memory. */
static bool weld_one(mrwi_scene_weld_job *job, mrwi_scene_table *table, uint64_t hash, uint32_t i)
{
    const weld_key key = {job, i};
    uint32_t vertex = mrwi_scene_table_find(table, hash, same_vertex, &key);
    if (vertex == MRW_NONE) {
        vertex = job->vertex_count++;
        job->first_of[vertex] = i;
        if (!mrwi_scene_table_add(table, hash, vertex)) {
            return false;
        }
    }
    job->vertex_of[i] = vertex;
    return true;
}

/* Welds `count` candidates from `first` on. Returns false when out of memory. */
static bool weld_batch(mrwi_scene_weld_job *job, const uint64_t *source_hashes,
                       const occurrences *seen, mrwi_scene_table *table, uint32_t first,
                       uint32_t count)
{
    uint64_t hashes[BATCH];
    bool again[BATCH];
    for (uint32_t k = 0; k < count; k++) {
        hashes[k] = hash_own(job, source_hashes, first + k);
        again[k] = job->repeats || occurs_again(seen, hashes[k]);
        if (again[k]) {
            hashes[k] = hash_rest(job, hashes[k], job->sources[first + k]);
        }
    }
    if (job->repeats) {
        mrwi_scene_table_fetch(table, hashes, count);
    }
    bool good = true;
    for (uint32_t i = first; i < first + count && good; i++) {
        if (again[i - first]) {
            good = weld_one(job, table, hashes[i - first], i);
        } else {
            job->first_of[job->vertex_count] = i;
            job->vertex_of[i] = job->vertex_count++;
        }
    }
    return good;
}

mrw_status mrwi_scene_weld(mrwi_scene_weld_job *job, mrwi_base_arena *scratch, mrw_error *error)
{
    occurrences seen;
    uint64_t *hashes = mrwi_scene_scratch(scratch, job->source_count, sizeof *hashes, error);
    if (!hashes ||
        !start_occurrences(job->repeats ? 0 : job->candidate_count, scratch, &seen, error)) {
        return MRW_ERROR_MEMORY;
    }
    hash_sources(job, hashes);
    for (uint32_t i = 0; !job->repeats && i < job->candidate_count; i++) {
        note_hash(&seen, hash_own(job, hashes, i));
    }
    mrwi_scene_table table = {0};
    mrw_status status = MRW_OK;
    job->vertex_count = 0;
    for (uint32_t i = 0, count; i < job->candidate_count && !status; i += count) {
        count = job->candidate_count - i < BATCH ? job->candidate_count - i : BATCH;
        if (!weld_batch(job, hashes, &seen, &table, i, count)) {
            status = mrwi_base_fail_memory(error, sizeof(mrwi_scene_table_entry));
        }
    }
    mrwi_scene_table_free(&table);
    return status;
}
