/* duplicates.c: frames of a sequence that show the same picture, or the same from all views.
 *
 * In a sequence only the time changes, so a picture depends on the local transforms, morph weights
 * and materials of the instances that play. Sampling them costs a thousandth of drawing, so all
 * frames are sampled first. Equal SHA-256 of all bytes counts as equal bytes.
 */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct digest {
    uint8_t bytes[32];
    uint32_t frame;
} digest;

typedef struct digest_search {
    mrwi_frame_workers *workers;
    const mrw_frame_def *def;
    const double *times;
    digest *digests;
} digest_search;

/* Adds the playback state of an instance. Call it only for the first instance with that state. */
static mrw_status add_locals(mrwi_frame_scratch *scratch, uint32_t playhead,
                             const mrw_instance *instance, mrwi_base_sha256 *hash, mrw_error *error)
{
    const mrw_scene *scene = instance->model->scene;
    mrwi_frame_locals at;
    mrw_status status = mrwi_frame_play(scratch, playhead, instance, &at, error);
    if (status) {
        return status;
    }
    mrwi_base_sha256_add(hash, at.locals, scene->nodes_count * sizeof *at.locals);
    mrwi_base_sha256_add(hash, at.animated, scene->nodes_count * sizeof *at.animated);
    mrwi_base_sha256_add(hash, at.weights, scene->weights_count * sizeof *at.weights);
    if (mrwi_frame_animates_materials(instance)) {
        mrw_material *materials;
        status = mrwi_frame_play_materials(&scratch->arena, instance, &materials, error);
        if (status) {
            return status;
        }
        mrwi_base_sha256_add(hash, materials, scene->materials_count * sizeof *materials);
    }
    return MRW_OK;
}

/* Adds everything that drawing reads of a camera. */
static void add_camera(const mrw_camera *camera, mrwi_base_sha256 *hash)
{
    mrwi_base_sha256_add(hash, &camera->world_to_view, sizeof camera->world_to_view);
    mrwi_base_sha256_add(hash, &camera->view_to_clip, sizeof camera->view_to_clip);
    mrwi_base_sha256_add(hash, &camera->orthographic, sizeof camera->orthographic);
}

static void find_digest(void *user, int64_t index, int worker)
{
    digest_search *s = user;
    mrwi_frame_workers *workers = s->workers;
    if (!mrwi_frame_workers_go_on(workers, index)) {
        return;
    }
    mrw_renderer *renderer = workers->crew->renderers[worker];
    const mrw_frame_def *def = s->def;
    const mrw_instance *posed = mrwi_frame_workers_at(workers, worker, s->times[index]);
    mrwi_frame_poses poses;
    mrwi_base_sha256 hash;
    mrw_error error = {0};
    uint32_t playhead = 0;
    mrw_status status =
        mrwi_frame_poses_begin(renderer, posed, workers->instance_count, def->isa, &poses, &error);
    if (status) {
        goto out;
    }
    mrwi_base_sha256_begin(&hash);
    for (uint32_t v = 0; def->cameras && v < def->view_count; v++) {
        add_camera(&def->cameras[(size_t)index * def->view_count + v], &hash);
    }
    if (def->labels && (def->overlays >> MRW_OVERLAY_LABEL & 1) != 0) {
        const char *label = def->labels[index];
        mrwi_base_sha256_add(&hash, label, strlen(label) + 1);
    }
    for (uint32_t i = 0; i < workers->instance_count; i++) {
        const bool plays = mrwi_frame_plays(&posed[i]);
        const uint32_t first = plays ? mrwi_frame_first_playing(&poses, i) : i;
        mrwi_base_sha256_add(&hash, &first, sizeof first); /* frames differ in which are equal */
        if (plays && first == i) {
            status = add_locals(&renderer->scratch, playhead, &posed[i], &hash, &error);
            if (status) {
                goto out;
            }
        }
        playhead += mrwi_frame_playheads_of(&posed[i]);
    }
    mrwi_base_sha256_end(&hash, s->digests[index].bytes);
    s->digests[index].frame = (uint32_t)index;
out:
    if (status) {
        mrwi_frame_workers_fail(workers, index, status, &error);
    }
}

static int by_digest(const void *left, const void *right)
{
    const digest *a = left, *b = right;
    int order = memcmp(a->bytes, b->bytes, sizeof a->bytes);
    return order != 0 ? order : (a->frame > b->frame) - (a->frame < b->frame);
}

/* Chains equal digests, frames in order. */
static void chain(digest *digests, uint32_t count, mrwi_frame_duplicates *out)
{
    qsort(digests, count, sizeof *digests, by_digest);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t frame = digests[i].frame;
        out->next[frame] = MRW_NONE;
        out->first[frame] = frame;
        if (i > 0 && memcmp(digests[i].bytes, digests[i - 1].bytes, sizeof digests->bytes) == 0) {
            out->first[frame] = out->first[digests[i - 1].frame];
            out->next[digests[i - 1].frame] = frame;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (out->first[i] == i) {
            out->firsts[out->first_count++] = i;
        }
    }
}

/* Number of nodes, over all frames, from which threads pay. */
#define MANY_NODES 16384

static int threads_that_pay(const mrwi_frame_workers *workers, uint32_t count)
{
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < workers->instance_count; i++) {
        nodes += workers->instances[i].model->scene->nodes_count;
    }
    return nodes * count >= MANY_NODES ? workers->size : 1;
}

static mrw_status create(uint32_t count, mrwi_frame_duplicates *out, mrw_error *error)
{
    const size_t places = count;
    *out = (mrwi_frame_duplicates){.first = mrwi_base_alloc(places, sizeof *out->first),
                                   .next = mrwi_base_alloc(places, sizeof *out->next),
                                   .firsts = mrwi_base_alloc(places, sizeof *out->firsts)};
    if (!out->first || !out->next || !out->firsts) {
        mrwi_frame_duplicates_free(out);
        return mrwi_base_fail_memory(error, places * sizeof *out->first);
    }
    return MRW_OK;
}

mrw_status mrwi_frame_duplicates_none(uint32_t count, mrwi_frame_duplicates *out, mrw_error *error)
{
    mrw_status status = create(count, out, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        out->first[i] = out->firsts[i] = i;
        out->next[i] = MRW_NONE;
        out->first_count++;
    }
    return MRW_OK;
}

mrw_status mrwi_frame_duplicates_find(mrwi_frame_workers *workers, const mrw_frame_def *def,
                                      const double *times, uint32_t count,
                                      mrwi_frame_duplicates *out, mrw_error *error)
{
    digest_search search = {workers, def, times,
                            mrwi_base_alloc_zero(count, sizeof *search.digests)};
    mrw_status status = create(count, out, error);
    if (status) {
        goto out;
    }
    if (!search.digests) {
        status = mrwi_base_fail_memory(error, count * sizeof *search.digests);
        goto out;
    }
    if (count > 1) {
        mrwi_base_parallel_for(threads_that_pay(workers, count), count, find_digest, &search);
        status = mrwi_frame_workers_end(workers, error);
        if (status) {
            goto out;
        }
    }
    chain(search.digests, count, out);
out:
    if (status) {
        mrwi_frame_duplicates_free(out);
    }
    mrwi_base_free(search.digests);
    return status;
}

void mrwi_frame_duplicates_free(mrwi_frame_duplicates *duplicates)
{
    mrwi_base_free(duplicates->first);
    mrwi_base_free(duplicates->next);
    mrwi_base_free(duplicates->firsts);
    *duplicates = (mrwi_frame_duplicates){0};
}
