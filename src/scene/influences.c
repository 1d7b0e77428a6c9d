/* influences.c: cleans the joint influences of a mesh's vertices. */
#include "scene/mesh.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct influence {
    float weight;
    uint32_t joint;
} influence;

static int by_joint(const void *a, const void *b)
{
    const influence *x = a, *y = b;
    if (x->joint != y->joint) {
        return x->joint < y->joint ? -1 : 1;
    }
    return x->weight > y->weight ? -1 : x->weight < y->weight;
}

static int by_weight(const void *a, const void *b)
{
    const influence *x = a, *y = b;
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return x->joint < y->joint ? -1 : x->joint > y->joint;
}

typedef int (*compare_influences)(const void *a, const void *b);

/* Sorts by insertion: vertices usually have a handful of influences, for which it is much faster
 * than qsort. */
static void sort_influences(influence *list, uint32_t count, compare_influences compare)
{
    if (count > 16) {
        qsort(list, count, sizeof *list, compare);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        influence moving = list[i];
        uint32_t at = i;
        for (; at > 0 && compare(&moving, &list[at - 1]) < 0; at--) {
            list[at] = list[at - 1];
        }
        list[at] = moving;
    }
}

/* Copies influences with weight. Returns their number; *bad is set if a weight is not finite. */
static uint32_t gather(const mrwi_scene_mesh_input *in, uint32_t vertex, influence *list, bool *bad)
{
    size_t first = (size_t)vertex * in->influence_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < in->influence_count; i++) {
        float weight = in->weights[first + i];
        *bad |= !isfinite(weight) || weight < 0.0f;
        if (isfinite(weight) && weight > 0.0f) {
            list[count++] = (influence){weight, in->joints[first + i]};
        }
    }
    return count;
}

static uint32_t merge_joints(influence *list, uint32_t count)
{
    sort_influences(list, count, by_joint);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; kept++) {
        double sum = 0.0;
        uint32_t joint = list[i].joint;
        for (; i < count && list[i].joint == joint; i++) {
            sum += list[i].weight;
        }
        list[kept] = (influence){sum < 3e38 ? (float)sum : 3e38f, joint};
    }
    return kept;
}

static float sum_in_order(const influence *list, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        sum += list[i].weight;
    }
    return sum;
}

static bool in_order(const influence *list, uint32_t count, uint32_t at)
{
    return list[at].weight > 0.0f && (at == 0 || by_weight(&list[at - 1], &list[at]) < 0) &&
           (at + 1 == count || by_weight(&list[at], &list[at + 1]) < 0);
}

/* Puts the rounding error of the float sum into one weight, if that keeps their order. A late one
 * is best: 1 - (sum of those before) is exact, and so is the sum then (Sterbenz' lemma), unless the
 * weight is too small to absorb it. */
static void absorb_rounding(influence *list, uint32_t count)
{
    uint32_t tries = count < 16 ? count : 16;
    for (uint32_t at = count; at > count - tries && sum_in_order(list, count) != 1.0f; at--) {
        influence *changed = &list[at - 1], kept = *changed;
        changed->weight = 1.0f - sum_in_order(list, at - 1);
        if (!in_order(list, count, at - 1) || sum_in_order(list, count) != 1.0f) {
            *changed = kept;
        }
    }
}

static uint32_t normalise(influence *list, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        sum += list[i].weight;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        float weight = (float)(list[i].weight / sum);
        if (weight > 0.0f) {
            list[kept++] = (influence){weight, list[i].joint};
        }
    }
    sort_influences(list, kept, by_weight);
    absorb_rounding(list, kept);
    return kept;
}

/* The cleaned influences, with capacity for all slots of the input. */
typedef struct influence_store {
    uint32_t *first;
    uint16_t *joints;
    float *weights;
} influence_store;

static mrw_status alloc_store(const mrwi_scene_mesh_source *source, const uint8_t *used,
                              influence_store *store, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    mrwi_base_arena *scratch = source->scratch;
    uint64_t slots = 0;
    for (uint32_t v = 0; v < in->vertex_count; v++) {
        slots += used[v] ? in->influence_count : 0;
    }
    if (slots > MRWI_SCENE_SECTION_LIMIT) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: more than %u influences; split the model", source->file,
                              MRWI_SCENE_SECTION_LIMIT);
    }
    store->first =
        mrwi_scene_scratch(scratch, (size_t)in->vertex_count + 1, sizeof *store->first, error);
    store->joints = mrwi_scene_scratch(scratch, (size_t)slots, sizeof *store->joints, error);
    store->weights = mrwi_scene_scratch(scratch, (size_t)slots, sizeof *store->weights, error);
    return store->first && store->joints && store->weights ? MRW_OK : MRW_ERROR_MEMORY;
}

static mrw_status clean_vertex(const mrwi_scene_mesh_source *source, uint32_t vertex,
                               influence *list, uint32_t *count, bool *bad, mrw_error *error)
{
    const uint32_t limit = source->in->joint_limit;
    *count = gather(source->in, vertex, list, bad);
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i].joint >= limit) {
            return mrwi_base_fail(
                error, MRW_ERROR_INPUT,
                "%s: %s: vertex %u refers to joint %u, which does not exist (its skin has %u)",
                source->file, source->label, vertex, list[i].joint, limit);
        }
    }
    *count = normalise(list, merge_joints(list, *count));
    return MRW_OK;
}

mrw_status mrwi_scene_clean_influences(const mrwi_scene_mesh_source *source, const uint8_t *used,
                                       mrwi_scene_influences *out, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    *out = (mrwi_scene_influences){0};
    if (in->influence_count == 0) {
        return MRW_OK;
    }
    if (in->joint_limit > UINT16_MAX) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s: its skin has more than 65535 joints",
                              source->file, source->label);
    }
    influence_store store = {0};
    influence *list = mrwi_scene_scratch(source->scratch, in->influence_count, sizeof *list, error);
    mrw_status status = list ? alloc_store(source, used, &store, error) : MRW_ERROR_MEMORY;
    uint32_t total = 0, joint_end = 0;
    bool bad = false;
    for (uint32_t v = 0; v < in->vertex_count && !status; v++) {
        uint32_t count = 0;
        if (used[v]) {
            status = clean_vertex(source, v, list, &count, &bad, error);
        }
        store.first[v] = total;
        for (uint32_t i = 0; i < count; i++, total++) {
            store.joints[total] = (uint16_t)list[i].joint;
            store.weights[total] = list[i].weight;
            joint_end = list[i].joint >= joint_end ? list[i].joint + 1 : joint_end;
        }
    }
    if (status) {
        return status;
    }
    store.first[in->vertex_count] = total;
    if (bad) {
        mrwi_scene_warn(source->warnings,
                        "%s: joint weights that are negative or not finite were dropped",
                        source->label);
    }
    if (total > 0) {
        *out = (mrwi_scene_influences){store.first, store.joints, store.weights, joint_end};
    }
    return MRW_OK;
}
