/* merge.c: makes a scene with the clips of others. A draft collects what they add; then it is
 * appended to the scene's arrays. */
#include "retarget/plan.h"
#include "scene/build.h"
#include "scene/scales.h"

#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clip names that are taken. */
typedef struct clip_names {
    mrwi_scene_names others; /* names in base and the other sources */
    mrwi_scene_names taken;  /* names in base and of clips added so far */
    uint32_t number;         /* the last number that made a name unique */
    const char *prefix;      /* the source's name, which goes before a name that others have */
    const char *file;        /* the source's name, escaped, for messages */
} clip_names;

static const char *name_of(const mrw_scene *scene, uint32_t node)
{
    return mrw_scene_string(scene, scene->nodes[node].name);
}

/* Returns the number of bytes of a scene's strings that are names. */
static uint32_t names_size(const mrw_scene *scene)
{
    return ((const mrwi_scene_blob_header *)scene->blob)->hashed_strings;
}

/* ---- what was matched ------------------------------------------------------------------------ */

static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

/* Adds a joint's name to a list. If it does not fit, adds "..." once. */
static void list_name(char *list, size_t size, const char *name, uint32_t node)
{
    char text[64];
    if (name[0]) {
        mrwi_base_escape(name, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "node %u", node);
    }
    size_t used = strlen(list);
    bool full = used >= 3 && strcmp(list + used - 3, "...") == 0;
    if (!full && used + strlen(text) + 8 < size) {
        append(list, size, used > 0 ? ", " : "");
        append(list, size, text);
    } else if (!full) {
        append(list, size, ", ...");
    }
}

/* Counts matched joints for the report. model_nodes: number of nodes of base without those that
 * earlier sources added. */
static void count_matches(const mrwi_retarget_pairing *pair, uint32_t model_nodes,
                          mrw_clip_match *report)
{
    *report = (mrw_clip_match){.root_scale = 1};
    for (uint32_t i = 0; i < pair->from->nodes_count; i++) {
        if (!pair->rig.moves[i]) {
            continue;
        }
        report->joints++;
        if (pair->match[i] < model_nodes) {
            report->matched++;
            report->matched_by[pair->by[i]]++;
        } else {
            list_name(report->unmatched, sizeof report->unmatched, name_of(pair->from, i), i);
        }
    }
}

/* Returns true if clips change morph weights that fit the model. */
static bool moves_weights(const mrwi_retarget_pairing *pair)
{
    for (uint32_t c = 0; c < pair->from->channels_count; c++) {
        const mrw_channel *channel = &pair->from->channels[c];
        uint32_t node = pair->match[channel->node];
        if (channel->path == MRW_PATH_WEIGHTS && node != MRW_NONE &&
            pair->base->nodes[node].weight_count == channel->width) {
            return true;
        }
    }
    return false;
}

static mrw_status refuse_unmatched(const mrwi_retarget_pairing *pair, const mrw_clip_source *source,
                                   mrw_error *error)
{
    char name[200], ours[128] = "";
    const mrw_scene *base = pair->base;
    mrwi_base_escape(source->name, name, sizeof name);
    if (pair->from->clips_count == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: it has no clips to add", name);
    }
    if (source->match.matched > 0 || pair->retarget.map.joint_count > 0 || moves_weights(pair)) {
        return MRW_OK;
    }
    if (source->match.joints == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: its clips move no joints and no morph weights of the model",
                              name);
    }
    for (uint32_t i = 0; i < base->nodes_count; i++) {
        if (pair->base_rig.owner[i] == MRW_NONE &&
            (base->joints_count == 0 || pair->base_rig.is_joint[i])) {
            list_name(ours, sizeof ours, name_of(base, i), i);
        }
    }
    return mrwi_base_fail(
        error, MRW_ERROR_INPUT,
        "%s: none of the %u joints that its clips move (%s) is in the model, which has %s; joints "
        "are matched by name, or by order in files without names",
        name, source->match.joints, source->match.unmatched, ours);
}

/* ---- nodes that only the animation has ------------------------------------------------------- */

/* Chooses the nodes to add: joints that move, their links, and all nodes between them and a matched
 * node above; but not nodes whose motion joints of base now have. */
static void choose_nodes(const mrwi_retarget_pairing *pair, uint8_t *wanted)
{
    for (uint32_t i = pair->from->nodes_count; i-- > 0;) {
        uint32_t owner = pair->rig.owner[i];
        if (pair->match[i] != MRW_NONE) {
            continue;
        }
        const bool folded = pair->retarget.map.folded && pair->retarget.map.folded[i];
        if (owner == MRW_NONE ? pair->rig.moves[i] && !folded : wanted[owner]) {
            wanted[i] = 1;
        }
        uint32_t parent = pair->from->nodes[i].parent;
        if (wanted[i] && parent != MRW_NONE && pair->match[parent] == MRW_NONE) {
            wanted[parent] = 1;
        }
    }
}

static mrw_status add_node(mrwi_retarget_pairing *pair, uint32_t index, mrwi_scene_draft *added,
                           mrw_error *error)
{
    const mrw_scene *base = pair->base, *from = pair->from;
    mrw_node node = from->nodes[index];
    mrw_status status = mrwi_scene_name(added, name_of(from, index), &node.name, error);
    if (status) {
        return status;
    }
    if (node.matrix != MRW_NONE) {
        status = mrwi_scene_push(added, MRWI_SCENE_SECTION_matrices, &from->matrices[node.matrix],
                                 &node.matrix, error);
    }
    if (status) {
        return status;
    }
    node.name += names_size(base);
    node.parent = node.parent == MRW_NONE ? MRW_NONE : pair->match[node.parent];
    node.matrix += node.matrix == MRW_NONE ? 0 : base->matrices_count;
    node.first_weight = base->weights_count;
    node.weight_count = 0;
    status = mrwi_scene_push(added, MRWI_SCENE_SECTION_nodes, &node, &pair->match[index], error);
    pair->match[index] += base->nodes_count;
    return status;
}

static mrw_status add_nodes(mrwi_retarget_pairing *pair, mrwi_scene_draft *added, mrw_error *error)
{
    const uint32_t count = pair->from->nodes_count;
    uint8_t *wanted = mrwi_base_alloc_zero(count, 1);
    if (!wanted) {
        return mrwi_base_fail_memory(error, count);
    }
    mrw_status status = MRW_OK;
    choose_nodes(pair, wanted);
    for (uint32_t i = 0; i < count; i++) {
        if (wanted[i]) {
            status = add_node(pair, i, added, error);
            if (status) {
                goto out;
            }
        }
    }
out:
    mrwi_base_free(wanted);
    return status;
}

/* ---- writing clips --------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const mrwi_retarget_plan_entry *x = a, *y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    if (x->path != y->path) {
        return x->path < y->path ? -1 : 1;
    }
    return x->source < y->source ? -1 : x->source > y->source;
}

static mrw_status add_channel(const mrwi_retarget_pairing *pair,
                              const mrwi_retarget_plan_entry *entry, mrwi_scene_draft *added,
                              mrw_error *error)
{
    static const double zero = 0.0;
    uint32_t width = entry->path == MRW_PATH_ROTATION ? 4 : 3, index;
    mrw_channel channel = {.interpolation = MRW_INTERPOLATION_STEP, .width = width, .key_count = 1};
    const double *from_times = &zero;
    const float *from_values = entry->constant;
    if (entry->source != MRW_NONE) {
        channel = pair->from->channels[entry->source];
        from_times = pair->from->key_times + channel.first_time;
        from_values = pair->from->key_values + channel.first_value;
    } else if (entry->curve) {
        if (entry->curve->like) {
            channel.before = entry->curve->like->before;
            channel.after = entry->curve->like->after;
        }
        channel.interpolation = entry->curve->interpolation;
        channel.key_count = entry->curve->key_count;
        from_times = entry->curve->times;
        from_values = entry->curve->values;
    }
    bool cubic = channel.interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    uint64_t floats = (uint64_t)channel.key_count * channel.width * (cubic ? 3 : 1);
    channel.node = entry->node;
    channel.path = entry->path;
    mrw_status status = mrwi_scene_extend(added, MRWI_SCENE_SECTION_key_times, channel.key_count,
                                          &channel.first_time, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_extend(added, MRWI_SCENE_SECTION_key_values, floats, &channel.first_value,
                               error);
    if (status) {
        return status;
    }
    memcpy(&MRWI_SCENE_AT(added, key_times, double, channel.first_time), from_times,
           channel.key_count * sizeof(double));
    memcpy(&MRWI_SCENE_AT(added, key_values, float, channel.first_value), from_values,
           (size_t)floats * sizeof(float));
    channel.first_time += pair->base->key_times_count;
    channel.first_value += pair->base->key_values_count;
    return mrwi_scene_push(added, MRWI_SCENE_SECTION_channels, &channel, &index, error);
}

/* Adds a name. *fresh: it was not there before. */
static mrw_status claim(mrwi_scene_names *names, const char *text, const char *file, bool *fresh,
                        mrw_error *error)
{
    uint32_t offset, end = names->text.count;
    mrw_status status = mrwi_scene_names_add(names, text, file, &offset, error);
    *fresh = !status && offset >= end;
    return status;
}

/* Names a clip. If others have the name, the file's name goes before it. */
static mrw_status name_clip(clip_names *names, const char *own, mrwi_scene_draft *added,
                            uint32_t *name, mrw_error *error)
{
    size_t size = strlen(own) + strlen(names->prefix) + 32;
    char *text = mrwi_base_alloc(size, 1);
    if (!text) {
        return mrwi_base_fail_memory(error, size);
    }
    bool unique, fresh = true;
    mrw_status status = claim(&names->others, own, names->file, &unique, error);
    if (status) {
        goto out;
    }
    snprintf(text, size, "%s%s%s", unique ? "" : names->prefix, unique ? "" : "/", own);
    const size_t length = strlen(text);
    status = claim(&names->taken, text, names->file, &fresh, error);
    while (!status && !fresh && names->number < UINT32_MAX - 1) {
        snprintf(text + length, size - length, "-%u", ++names->number + 1);
        status = claim(&names->taken, text, names->file, &fresh, error);
    }
    if (status) {
        goto out;
    }
    status = mrwi_scene_name(added, text, name, error);
out:
    mrwi_base_free(text);
    return status;
}

/* Adds the planned channels, one per node and path. */
static mrw_status add_channels(const mrwi_retarget_pairing *pair, mrwi_retarget_plan *plan,
                               mrwi_scene_draft *added, mrw_error *error)
{
    mrw_status status = MRW_OK;
    qsort(plan->entries, plan->count, sizeof *plan->entries, compare_entries);
    for (uint32_t i = 0; i < plan->count; i++) {
        const mrwi_retarget_plan_entry *entry = &plan->entries[i];
        if (i == 0 || entry->node != entry[-1].node || entry->path != entry[-1].path) {
            status = add_channel(pair, entry, added, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

static mrw_status add_clip(const mrwi_retarget_pairing *pair, uint32_t index,
                           mrwi_retarget_plan *plan, clip_names *names, mrwi_scene_draft *added,
                           mrw_error *error)
{
    const mrw_scene *from = pair->from;
    mrw_clip clip = from->clips[index];
    const char *own = mrw_scene_string(from, clip.name);
    const char *full = mrw_scene_string(from, clip.full_name);
    uint32_t name, full_name, pushed, begin = MRWI_SCENE_COUNT(added, channels);
    mrw_status status = add_channels(pair, plan, added, error);
    if (status) {
        return status;
    }
    status = name_clip(names, own, added, &name, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_name(added, full, &full_name, error);
    if (status) {
        return status;
    }
    clip.name = names_size(pair->base) + name;
    clip.full_name = names_size(pair->base) + full_name;
    clip.first_channel = pair->base->channels_count + begin;
    clip.channel_count = MRWI_SCENE_COUNT(added, channels) - begin;
    return mrwi_scene_push(added, MRWI_SCENE_SECTION_clips, &clip, &pushed, error);
}

/* Returns the size of the longest plan: a clip's own channels, three for each link of base that is
 * held, and three for each joint with such links. */
static size_t longest_plan(const mrwi_retarget_pairing *pair)
{
    size_t most = 0;
    for (uint32_t i = 0; i < pair->from->clips_count; i++) {
        const uint32_t count = pair->from->clips[i].channel_count;
        most = count > most ? count : most;
    }
    return most + 3 * (size_t)pair->base->nodes_count;
}

static mrw_status add_clips(mrwi_retarget_pairing *pair, clip_names *names,
                            uint32_t *weights_left_out, mrwi_scene_draft *added, mrw_error *error)
{
    const size_t most = longest_plan(pair), nodes = pair->from->nodes_count;
    mrwi_retarget_plan plan = {.entries = mrwi_base_alloc(most, sizeof *plan.entries)};
    mrwi_retarget_motion seen = {mrwi_base_alloc_zero(nodes, sizeof *seen.played),
                                 mrwi_base_alloc_zero(nodes, 1)};
    mrw_status status = MRW_OK;
    if (!plan.entries || !seen.played || !seen.paths) {
        status = mrwi_base_fail_memory(error, most * sizeof *plan.entries);
        goto out;
    }
    for (uint32_t i = 0; i < pair->from->clips_count; i++) {
        mrwi_retarget_plan_clip(pair, i, &seen, &plan, weights_left_out);
        if (pair->retarget.map.joint_count > 0) {
            status = mrwi_retarget_adapt_clip(&pair->retarget, i, error);
            if (status) {
                goto out;
            }
            mrwi_retarget_plan_curves(&pair->retarget, &plan);
        }
        status = add_clip(pair, i, &plan, names, added, error);
        if (status) {
            goto out;
        }
    }
out:
    mrwi_base_free(plan.entries);
    mrwi_base_free(seen.played);
    mrwi_base_free(seen.paths);
    return status;
}

/* ---- the new blob ---------------------------------------------------------------------------- */

/* Returns the new offset of a string. Strings of base that are not names (the format, warnings)
 * stay last. */
static uint32_t moved(const mrw_scene *base, const mrwi_scene_draft *added, uint32_t offset)
{
    return offset < names_size(base) ? offset : offset + added->names.text.count;
}

static void fill_strings(const mrw_scene *base, const mrwi_scene_pool *names, char *place)
{
    const uint32_t kept = names_size(base);
    memcpy(place, base->strings, kept);
    memcpy(place + kept, names->data, names->count);
    memcpy(place + kept + names->count, base->strings + kept, base->strings_count - kept);
}

static void fill_sections(const mrw_scene *base, const mrwi_scene_draft *added,
                          const mrwi_scene_blob_header *header, char *blob)
{
    const mrwi_scene_blob_header *old = base->blob;
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        char *place = blob + header->sections[s].offset;
        size_t entry = mrwi_scene_sections[s].entry_size;
        size_t size = (size_t)old->sections[s].count * entry;
        const mrwi_scene_pool *pool = &added->pools[s];
        if (s == MRWI_SCENE_SECTION_strings) {
            fill_strings(base, &added->names.text, place);
            continue;
        }
        memcpy(place, (const char *)base->blob + old->sections[s].offset, size);
        if (pool->count > 0) {
            memcpy(place + size, pool->data, pool->count * entry);
        }
    }
    uint32_t *warnings = (void *)(blob + header->sections[MRWI_SCENE_SECTION_warnings].offset);
    for (uint32_t i = 0; i < base->warnings_count; i++) {
        warnings[i] = moved(base, added, warnings[i]);
    }
}

static mrw_status freeze(const mrw_scene *base, const mrwi_scene_draft *added,
                         const char *file_name, mrw_scene **out, mrw_error *error)
{
    const mrwi_scene_blob_header *old = base->blob;
    mrwi_scene_blob_header header;
    mrwi_scene_blob_header_init(&header);
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        header.sections[s].count = old->sections[s].count + added->pools[s].count;
    }
    header.sections[MRWI_SCENE_SECTION_strings].count += added->names.text.count;
    header.hashed_strings = names_size(base) + added->names.text.count;
    header.format = moved(base, added, base->format);
    header.default_clip = base->clips_count; /* the first added clip */
    if (!mrwi_scene_blob_layout(&header)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: with its clips the model is too large",
                              added->file);
    }
    char *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
    if (!blob) {
        return mrwi_base_fail_memory(error, (size_t)header.size);
    }
    memcpy(blob, &header, sizeof header);
    fill_sections(base, added, &header, blob);
    mrw_scene view;
    mrwi_scene_blob_attach(blob, &view);
    mrw_mesh *meshes = (void *)(blob + header.sections[MRWI_SCENE_SECTION_meshes].offset);
    mrw_status status = mrwi_scene_mark_scales(&view, meshes, error);
    if (!status) {
        status = mrwi_scene_from_blob(blob, header.size, file_name, out, error);
    }
    if (status) {
        mrwi_base_free(blob);
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Collects the names of base. An added clip may have none of them, neither as its own name nor as
 * its new one. */
static mrw_status take_names(clip_names *names, const mrw_scene *base, mrw_error *error)
{
    bool fresh;
    for (uint32_t i = 0; i < base->clips_count; i++) {
        const char *name = mrw_scene_string(base, base->clips[i].name);
        mrw_status status = claim(&names->others, name, names->file, &fresh, error);
        if (status) {
            return status;
        }
        status = claim(&names->taken, name, names->file, &fresh, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Collects the names of another source. */
static mrw_status note_names(clip_names *names, const mrw_scene *other, mrw_error *error)
{
    mrw_status status = MRW_OK;
    bool fresh;
    for (uint32_t i = 0; i < other->clips_count; i++) {
        const char *name = mrw_scene_string(other, other->clips[i].name);
        status = claim(&names->others, name, names->file, &fresh, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static mrw_status match_nodes(mrwi_retarget_pairing *pair, mrw_error *error)
{
    const size_t count = pair->from->nodes_count;
    mrw_status status = mrwi_retarget_rig_create(pair->base, &pair->base_rig, error);
    if (status) {
        return status;
    }
    status = mrwi_retarget_rig_create(pair->from, &pair->rig, error);
    if (status) {
        return status;
    }
    pair->match = mrwi_base_alloc(count, sizeof *pair->match);
    pair->by = mrwi_base_alloc_zero(count, 1);
    pair->has_match = mrwi_base_alloc_zero(pair->base->nodes_count, 1);
    if (!pair->match || !pair->by || !pair->has_match) {
        return mrwi_base_fail_memory(error, count * sizeof *pair->match);
    }
    status = mrwi_retarget_rig_match(&pair->base_rig, &pair->rig, pair->match, pair->by, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (pair->match[i] != MRW_NONE) {
            pair->has_match[pair->match[i]] = 1;
        }
    }
    return MRW_OK;
}

static void free_pairing(mrwi_retarget_pairing *pair)
{
    mrwi_retarget_rig_free(&pair->base_rig);
    mrwi_retarget_rig_free(&pair->rig);
    mrwi_retarget_adapter_free(&pair->retarget);
    mrwi_base_free(pair->match);
    mrwi_base_free(pair->by);
    mrwi_base_free(pair->has_match);
}

/* Returns true if joints were matched by their order alone: such files have no rest pose. */
static bool is_by_order(const mrwi_retarget_pairing *pair)
{
    for (uint32_t i = 0; i < pair->from->nodes_count; i++) {
        if (pair->match[i] != MRW_NONE && pair->by[i] != MRW_NAMES_NONE) {
            return false;
        }
    }
    return true;
}

/* Prepares retargeting, after nodes are matched and before any are added. */
static mrw_status retarget(mrwi_retarget_pairing *pair, mrw_clip_source *source, const char *file,
                           mrw_error *error)
{
    const mrwi_retarget_adapter_def def = {.base = &pair->base_rig,
                                           .from = &pair->rig,
                                           .match = pair->match,
                                           .name = file,
                                           .how = source->retarget};
    return source->retarget == MRW_RETARGET_OFF || is_by_order(pair)
               ? MRW_OK
               : mrwi_retarget_adapter_create(&def, &pair->retarget, &source->match, error);
}

static mrw_status merge_one(const mrw_scene *base, uint32_t model_nodes, mrw_clip_source *sources,
                            uint32_t count, uint32_t index, mrw_scene **out, mrw_error *error)
{
    mrw_clip_source *source = &sources[index];
    mrwi_scene_draft added = {0}; /* its offsets and indices count from the end of base */
    mrwi_retarget_pairing pair = {.base = base, .from = source->scene};
    clip_names names = {.prefix = source->name, .file = added.file};
    mrw_status status = mrwi_scene_draft_begin(&added, source->name, error);
    if (status) {
        goto out;
    }
    status = match_nodes(&pair, error);
    if (status) {
        goto out;
    }
    count_matches(&pair, model_nodes, &source->match);
    source->match.materials_left_out = source->scene->material_channels_count;
    status = retarget(&pair, source, added.file, error);
    if (status) {
        goto out;
    }
    status = refuse_unmatched(&pair, source, error);
    if (status) {
        goto out;
    }
    status = take_names(&names, base, error);
    if (status) {
        goto out;
    }
    for (uint32_t s = 0; s < count; s++) {
        status = s == index ? MRW_OK : note_names(&names, sources[s].scene, error);
        if (status) {
            goto out;
        }
    }
    status = add_nodes(&pair, &added, error);
    if (status) {
        goto out;
    }
    status = add_clips(&pair, &names, &source->match.weights_left_out, &added, error);
    if (status) {
        goto out;
    }
    status = freeze(base, &added, source->name, out, error);
out:
    free_pairing(&pair);
    mrwi_scene_names_free(&names.others);
    mrwi_scene_names_free(&names.taken);
    mrwi_scene_draft_free(&added);
    return status;
}

mrw_status mrw_scene_add_clips(const mrw_scene *base, mrw_clip_source *sources, uint32_t count,
                               mrw_scene **out, mrw_error *error)
{
    assert(base && sources && count > 0 && out);
    mrw_scene *sum = NULL;
    mrw_status status = MRW_OK;
    *out = NULL;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t i = 0; i < count && !status; i++) {
        mrw_scene *next = NULL;
        status = merge_one(sum ? sum : base, base->nodes_count, sources, count, i, &next, error);
        mrw_scene_free(sum);
        sum = next;
    }
    mrwi_base_fp_leave(fp);
    *out = sum;
    return status;
}
