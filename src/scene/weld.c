/* weld.c: merges equal vertices. */
#include "scene/mesh.h"

#include "base/text.h"

#include <string.h>

/* Compares floats. They are finite, so == compares bits except that -0 counts as 0. */
static bool same_floats(const float *a, const float *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
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
        const mrwi_scene_stream *stream = &job->streams[s];
        if (!same_floats(stream->values + (size_t)a * stream->width,
                         stream->values + (size_t)b * stream->width, stream->width)) {
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
        const mrwi_scene_stream *own = &job->own_streams[s];
        if (!same_floats(own->values + (size_t)other * own->width,
                         own->values + (size_t)key->candidate * own->width, own->width)) {
            return false;
        }
    }
    uint32_t a = job->sources[key->candidate], b = job->sources[other];
    return a == b || same_source(job, a, b);
}

/* Hashes one stream after the other, which reads memory in order. */
static void hash_sources(const mrwi_scene_weld_job *job, uint64_t *hashes)
{
    const mrwi_scene_influences *set = &job->influences;
    for (uint32_t v = 0; v < job->source_count; v++) {
        hashes[v] = MRWI_SCENE_HASH_SEED;
    }
    for (uint32_t s = 0; s < job->stream_count; s++) {
        uint32_t width = job->streams[s].width;
        for (uint32_t v = 0; v < job->source_count; v++) {
            hashes[v] = mrwi_scene_hash_floats(hashes[v],
                                               job->streams[s].values + (size_t)v * width, width);
        }
    }
    for (uint32_t v = 0; set->first && v < job->source_count; v++) {
        for (uint32_t i = set->first[v]; i < set->first[v + 1]; i++) {
            hashes[v] = mrwi_scene_hash_word(mrwi_scene_hash_floats(hashes[v], &set->weights[i], 1),
                                             set->joints[i]);
        }
    }
}

mrw_status mrwi_scene_weld(mrwi_scene_weld_job *job, mrwi_base_arena *scratch, mrw_error *error)
{
    uint64_t *hashes = mrwi_scene_scratch(scratch, job->source_count, sizeof *hashes, error);
    if (!hashes) {
        return MRW_ERROR_MEMORY;
    }
    hash_sources(job, hashes);
    mrwi_scene_table table = {0};
    job->vertex_count = 0;
    for (uint32_t i = 0; i < job->candidate_count; i++) {
        uint64_t hash = hashes[job->sources[i]];
        for (uint32_t s = 0; s < job->own_stream_count; s++) {
            const mrwi_scene_stream *own = &job->own_streams[s];
            hash = mrwi_scene_hash_floats(hash, own->values + (size_t)i * own->width, own->width);
        }
        weld_key key = {job, i};
        uint32_t vertex = mrwi_scene_table_find(&table, hash, same_vertex, &key);
        if (vertex == MRW_NONE) {
            vertex = job->vertex_count++;
            job->first_of[vertex] = i;
            if (!mrwi_scene_table_add(&table, hash, vertex)) {
                mrwi_scene_table_free(&table);
                return mrwi_base_fail_memory(error, sizeof(mrwi_scene_table_entry));
            }
        }
        job->vertex_of[i] = vertex;
    }
    mrwi_scene_table_free(&table);
    return MRW_OK;
}
