/* merge.c: a scene with the clips of others: what they add is gathered in the pools of a builder
 * and then set behind what the scene has, array by array. */
#include "scene/build.h"
#include "scene/rig.h"
#include "scene/scales.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One channel of an added clip: one of the animation's, or a value that stays. */
typedef struct plan_entry {
    uint32_t node; /* of the result */
    uint32_t path;
    uint32_t source; /* channel of the animation, or MRW_NONE: */
    float constant[4];
} plan_entry;

typedef struct merge {
    const mrw_scene *base, *from;
    mrw_clip_source *source;
    mrwi_scene_builder *added; /* offsets and indices in it count from the end of base */
    uint32_t model_nodes;      /* nodes of base without those that earlier sources added */
    uint32_t base_names;       /* bytes of base's strings that names lie in */
    mrwi_scene_rig base_rig, rig;
    uint32_t *match;  /* node of the animation -> node of the result, or MRW_NONE */
    uint8_t *wanted;  /* nodes of the animation to be added */
    uint32_t *played; /* joint of the animation -> 1 + the clip that was last seen to move it */
    uint8_t *paths;   /* and what of it, a bit a path */
    plan_entry *plan;
    uint32_t plan_count;
    mrwi_scene_names others; /* clip names of base and the other sources */
    mrwi_scene_names taken;  /* clip names of base and those added */
    uint32_t number;         /* the last that made a name unlike others */
    mrw_error *error;
} merge;

static const char *from_name(const merge *m, uint32_t node)
{
    return mrw_scene_string(m->from, m->from->nodes[node].name);
}

/* ---- what was matched ------------------------------------------------------------------------ */

static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

/* Adds a joint's name to a list; what does not fit becomes "...". */
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

static void count_matches(merge *m)
{
    mrw_clip_match *report = &m->source->match;
    memset(report, 0, sizeof *report);
    for (uint32_t i = 0; i < m->from->nodes_count; i++) {
        if (!m->rig.moves[i]) {
            continue;
        }
        report->joints++;
        if (m->match[i] < m->model_nodes) {
            report->matched++;
        } else {
            list_name(report->unmatched, sizeof report->unmatched, from_name(m, i), i);
        }
    }
}

/* True for clips that change nothing but morph weights that fit. */
static bool moves_weights(const merge *m)
{
    for (uint32_t c = 0; c < m->from->channels_count; c++) {
        const mrw_channel *channel = &m->from->channels[c];
        uint32_t node = m->match[channel->node];
        if (channel->path == MRW_PATH_WEIGHTS && node != MRW_NONE &&
            m->base->nodes[node].weight_count == channel->width) {
            return true;
        }
    }
    return false;
}

static mrw_status refuse_strangers(const merge *m)
{
    char name[200], ours[128] = "";
    const mrw_scene *base = m->base;
    mrwi_base_escape(m->source->name, name, sizeof name);
    if (m->from->clips_count == 0) {
        return mrwi_base_fail(m->error, MRW_ERROR_INPUT, "%s: it has no clips to add", name);
    }
    if (m->source->match.matched > 0 || moves_weights(m)) {
        return MRW_OK;
    }
    if (m->source->match.joints == 0) {
        return mrwi_base_fail(m->error, MRW_ERROR_INPUT,
                              "%s: its clips move no joints, and no morph weights of the model",
                              name);
    }
    for (uint32_t i = 0; i < base->nodes_count; i++) {
        if (m->base_rig.owner[i] == MRW_NONE &&
            (base->joints_count == 0 || m->base_rig.is_joint[i])) {
            list_name(ours, sizeof ours, mrw_scene_string(base, base->nodes[i].name), i);
        }
    }
    return mrwi_base_fail(
        m->error, MRW_ERROR_INPUT,
        "%s: none of the %u joints that its clips move (%s) is in the model, which has "
        "%s; joints are matched by name",
        name, m->source->match.joints, m->source->match.unmatched, ours);
}

/* ---- nodes that only the animation has ------------------------------------------------------- */

/* Joints that move, their links, and all that leads up from them to a node both have. */
static void choose_nodes(merge *m)
{
    for (uint32_t i = m->from->nodes_count; i-- > 0;) {
        uint32_t owner = m->rig.owner[i];
        if (m->match[i] != MRW_NONE) {
            continue;
        }
        if (owner == MRW_NONE ? m->rig.moves[i] : m->wanted[owner]) {
            m->wanted[i] = 1;
        }
        uint32_t parent = m->from->nodes[i].parent;
        if (m->wanted[i] && parent != MRW_NONE && m->match[parent] == MRW_NONE) {
            m->wanted[parent] = 1;
        }
    }
}

static mrw_status add_node(merge *m, uint32_t index)
{
    mrw_node node = m->from->nodes[index];
    mrw_status status = mrwi_scene_name(m->added, from_name(m, index), &node.name, m->error);
    if (!status && node.matrix != MRW_NONE) {
        status = mrwi_scene_push(m->added, MRWI_SCENE_SECTION_matrices,
                                 &m->from->matrices[node.matrix], &node.matrix, m->error);
    }
    if (status) {
        return status;
    }
    node.name += m->base_names;
    node.parent = node.parent == MRW_NONE ? MRW_NONE : m->match[node.parent];
    node.matrix += node.matrix == MRW_NONE ? 0 : m->base->matrices_count;
    node.first_weight = m->base->weights_count;
    node.weight_count = 0;
    status = mrwi_scene_push(m->added, MRWI_SCENE_SECTION_nodes, &node, &m->match[index], m->error);
    m->match[index] += m->base->nodes_count;
    return status;
}

static mrw_status add_nodes(merge *m)
{
    mrw_status status = MRW_OK;
    choose_nodes(m);
    for (uint32_t i = 0; i < m->from->nodes_count && !status; i++) {
        if (m->wanted[i]) {
            status = add_node(m, i);
        }
    }
    return status;
}

/* ---- the channels of a clip ------------------------------------------------------------------ */

static void plan(merge *m, uint32_t node, uint32_t path, uint32_t source, const float *constant)
{
    plan_entry *entry = &m->plan[m->plan_count++];
    *entry = (plan_entry){.node = node, .path = path, .source = source};
    if (constant) {
        memcpy(entry->constant, constant, (path == MRW_PATH_ROTATION ? 4 : 3) * sizeof *constant);
    }
}

static void note_motion(merge *m, const mrw_clip *clip, uint32_t stamp)
{
    for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
        const mrw_channel *channel = &m->from->channels[c];
        uint32_t joint = mrwi_scene_rig_joint(&m->rig, channel->node);
        if (channel->path == MRW_PATH_WEIGHTS) {
            continue;
        }
        if (m->played[joint] != stamp) {
            m->paths[joint] = 0;
        }
        m->played[joint] = stamp;
        if (joint == channel->node) {
            m->paths[joint] |= (uint8_t)(1u << channel->path);
        }
    }
}

static void plan_weights(merge *m, uint32_t index)
{
    const mrw_channel *channel = &m->from->channels[index];
    uint32_t node = m->match[channel->node];
    if (node < m->base->nodes_count && m->base->nodes[node].weight_count == channel->width) {
        plan(m, node, MRW_PATH_WEIGHTS, index, NULL);
    } else {
        m->source->match.weights_left_out++;
    }
}

/* A link that the model lacks. Where it takes the translation of its joint, the joint takes it
 * back; elsewhere importers hold such links still. */
static void plan_lost_link(merge *m, uint32_t index)
{
    const mrw_channel *channel = &m->from->channels[index];
    uint32_t joint = mrwi_scene_rig_joint(&m->rig, channel->node);
    const char *kind = mrwi_scene_rig_kind(&m->rig, channel->node);
    bool moves = strcmp(kind, ":translation") == 0 || strcmp(kind, "_$AssimpFbx$_Translation") == 0;
    if (moves && channel->path == MRW_PATH_TRANSLATION &&
        !(m->paths[joint] & 1u << MRW_PATH_TRANSLATION)) {
        m->paths[joint] |= 1u << MRW_PATH_TRANSLATION;
        plan(m, m->match[joint], MRW_PATH_TRANSLATION, index, NULL);
    }
}

static void plan_channel(merge *m, uint32_t index)
{
    const mrw_channel *channel = &m->from->channels[index];
    if (channel->path == MRW_PATH_WEIGHTS) {
        plan_weights(m, index);
    } else if (m->match[channel->node] != MRW_NONE) {
        plan(m, m->match[channel->node], channel->path, index, NULL);
    } else if (m->rig.owner[channel->node] != MRW_NONE) {
        plan_lost_link(m, index);
    }
}

/* ---- joints that base spreads over several nodes --------------------------------------------- */

static const float *rest_part(const mrw_transform *t, uint32_t path)
{
    return path == MRW_PATH_TRANSLATION ? t->translation
           : path == MRW_PATH_ROTATION  ? t->rotation
                                        : t->scale;
}

static mrw_mat4 local_matrix(const mrw_scene *scene, const mrw_node *node)
{
    if (node->matrix != MRW_NONE) {
        return scene->matrices[node->matrix];
    }
    const float *q = node->rest.rotation, *t = node->rest.translation;
    float x = q[0], y = q[1], z = q[2], w = q[3];
    const float columns[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    mrw_mat4 out = mrwi_base_mat4_identity();
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out.m[4 * c + r] = columns[c][r] * node->rest.scale[c];
        }
    }
    memcpy(out.m + 12, t, 3 * sizeof *t);
    return out;
}

/* The geometric part of a mesh's node moves its vertices, not the joint. */
static bool holds(const merge *m, uint32_t link, const uint8_t *used)
{
    const char *kind = mrwi_scene_rig_kind(&m->base_rig, link);
    return !used[link] && strncmp(kind, "_$AssimpFbx$_Geometric", 22) != 0;
}

/* Puts at identity the links of base that the animation's joint does not have. Where it has none at
 * all, its transform is the whole joint's, and what it does not animate stands still as the whole
 * rests in base. */
static void plan_joint(merge *m, uint32_t joint, const uint8_t *used)
{
    static const mrw_transform still = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    uint32_t node = m->match[joint];
    bool whole = mrwi_scene_rig_next_link(&m->rig, joint) == MRW_NONE, held = false;
    mrw_mat4 rest = local_matrix(m->base, &m->base->nodes[node]);
    for (uint32_t link = mrwi_scene_rig_next_link(&m->base_rig, node); link != MRW_NONE;
         link = mrwi_scene_rig_next_link(&m->base_rig, link)) {
        if (!holds(m, link, used)) {
            continue;
        }
        mrw_mat4 below = rest, own = local_matrix(m->base, &m->base->nodes[link]);
        mrwi_base_mat4_mul(&own, &below, &rest);
        held = true;
        for (uint32_t path = 0; path < MRW_PATH_WEIGHTS; path++) {
            plan(m, link, path, MRW_NONE, rest_part(&still, path));
        }
    }
    mrw_transform parts = still;
    if (!whole || !held) {
        return;
    }
    mrwi_base_mat4_decompose(&rest, &parts);
    for (uint32_t path = 0; path < MRW_PATH_WEIGHTS; path++) {
        if (!(m->paths[joint] & 1u << path)) {
            plan(m, node, path, MRW_NONE, rest_part(&parts, path));
        }
    }
}

/* used[link of base]: some link of the animation stands for it. */
static void plan_joints(merge *m, const mrw_clip *clip, uint32_t stamp, const uint8_t *used)
{
    for (uint32_t c = clip->first_channel; c < clip->first_channel + clip->channel_count; c++) {
        uint32_t joint = mrwi_scene_rig_joint(&m->rig, m->from->channels[c].node);
        uint32_t node = m->match[joint];
        if (m->played[joint] == stamp && node < m->base->nodes_count) {
            plan_joint(m, joint, used);
        }
        m->played[joint] = 0;
    }
}

/* ---- writing clips --------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const plan_entry *x = a, *y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    if (x->path != y->path) {
        return x->path < y->path ? -1 : 1;
    }
    return x->source < y->source ? -1 : x->source > y->source;
}

static mrw_status add_channel(merge *m, const plan_entry *entry)
{
    static const double zero = 0.0;
    uint32_t width = entry->path == MRW_PATH_ROTATION ? 4 : 3, index;
    mrw_channel channel = {.interpolation = MRW_INTERPOLATION_STEP, .width = width, .key_count = 1};
    const double *from_times = &zero;
    const float *from_values = entry->constant;
    if (entry->source != MRW_NONE) {
        channel = m->from->channels[entry->source];
        from_times = m->from->key_times + channel.first_time;
        from_values = m->from->key_values + channel.first_value;
    }
    bool cubic = channel.interpolation == MRW_INTERPOLATION_CUBICSPLINE;
    uint64_t floats = (uint64_t)channel.key_count * channel.width * (cubic ? 3 : 1);
    channel.node = entry->node;
    channel.path = entry->path;
    double *times = mrwi_scene_extend(m->added, MRWI_SCENE_SECTION_key_times, channel.key_count,
                                      &channel.first_time, m->error);
    float *values = times ? mrwi_scene_extend(m->added, MRWI_SCENE_SECTION_key_values, floats,
                                              &channel.first_value, m->error)
                          : NULL;
    if (!values) {
        return m->added->failed;
    }
    memcpy(times, from_times, channel.key_count * sizeof *times);
    memcpy(values, from_values, (size_t)floats * sizeof *values);
    channel.first_time += m->base->key_times_count;
    channel.first_value += m->base->key_values_count;
    return mrwi_scene_push(m->added, MRWI_SCENE_SECTION_channels, &channel, &index, m->error);
}

/* True when no such name was there. */
static bool claim(merge *m, mrwi_scene_names *names, const char *text)
{
    uint32_t offset, end = names->text.count;
    return !mrwi_scene_names_add(m->added, names, text, &offset, m->error) && offset >= end;
}

/* The clip's name, with the file's name before it where others have it, too. */
static mrw_status name_clip(merge *m, const mrw_clip *clip, uint32_t *name)
{
    const char *own = mrw_scene_string(m->from, clip->name);
    size_t size = strlen(own) + strlen(m->source->name) + 32;
    mrwi_base_arena_reset(&m->added->scratch);
    char *text = mrwi_scene_scratch(m->added, size, 1, m->error);
    if (!text) {
        return m->added->failed;
    }
    bool unique = claim(m, &m->others, own);
    snprintf(text, size, "%s%s%s", unique ? "" : m->source->name, unique ? "" : "/", own);
    size_t length = strlen(text);
    while (!m->added->failed && !claim(m, &m->taken, text) && m->number < UINT32_MAX - 1) {
        snprintf(text + length, size - length, "-%u", ++m->number + 1);
    }
    return m->added->failed ? m->added->failed : mrwi_scene_name(m->added, text, name, m->error);
}

static mrw_status add_clip(merge *m, uint32_t index, const uint8_t *used)
{
    mrw_clip clip = m->from->clips[index];
    uint32_t name, full_name, pushed, begin = MRWI_SCENE_COUNT(m->added, channels);
    m->plan_count = 0;
    note_motion(m, &clip, index + 1);
    for (uint32_t c = clip.first_channel; c < clip.first_channel + clip.channel_count; c++) {
        plan_channel(m, c);
    }
    plan_joints(m, &clip, index + 1, used);
    qsort(m->plan, m->plan_count, sizeof *m->plan, compare_entries);
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < m->plan_count && !status; i++) {
        const plan_entry *entry = &m->plan[i];
        if (i == 0 || entry->node != entry[-1].node || entry->path != entry[-1].path) {
            status = add_channel(m, entry);
        }
    }
    if (!status) {
        status = name_clip(m, &clip, &name);
    }
    if (!status) {
        status = mrwi_scene_name(m->added, mrw_scene_string(m->from, clip.full_name), &full_name,
                                 m->error);
    }
    if (status) {
        return status;
    }
    clip.name = m->base_names + name;
    clip.full_name = m->base_names + full_name;
    clip.first_channel = m->base->channels_count + begin;
    clip.channel_count = MRWI_SCENE_COUNT(m->added, channels) - begin;
    return mrwi_scene_push(m->added, MRWI_SCENE_SECTION_clips, &clip, &pushed, m->error);
}

/* A clip's plan has its own channels, three for each link of base that is held, three for each
 * joint that has such links. */
static mrw_status add_clips(merge *m)
{
    size_t most = 0;
    for (uint32_t i = 0; i < m->from->clips_count; i++) {
        most = m->from->clips[i].channel_count > most ? m->from->clips[i].channel_count : most;
    }
    most += 3 * (size_t)m->base->nodes_count;
    m->plan = mrwi_base_alloc(most, sizeof *m->plan);
    uint8_t *used = mrwi_base_alloc_zero(m->base->nodes_count, 1);
    mrw_status status =
        m->plan && used ? MRW_OK : mrwi_base_fail_memory(m->error, most * sizeof *m->plan);
    for (uint32_t i = 0; i < m->from->nodes_count && !status; i++) {
        if (m->match[i] < m->base->nodes_count) {
            used[m->match[i]] = 1;
        }
    }
    for (uint32_t i = 0; i < m->from->clips_count && !status; i++) {
        status = add_clip(m, i, used);
    }
    mrwi_base_free(used);
    return status;
}

/* ---- the new blob ---------------------------------------------------------------------------- */

/* Strings of base that are no names, the format's and the warnings, stay last. */
static uint32_t moved(const merge *m, uint32_t offset)
{
    return offset < m->base_names ? offset : offset + m->added->names.text.count;
}

static void fill_strings(const merge *m, char *place)
{
    const mrwi_scene_pool *names = &m->added->names.text;
    memcpy(place, m->base->strings, m->base_names);
    memcpy(place + m->base_names, names->data, names->count);
    memcpy(place + m->base_names + names->count, m->base->strings + m->base_names,
           m->base->strings_count - m->base_names);
}

static void fill_sections(const merge *m, const mrwi_scene_blob_header *header, char *blob)
{
    const mrwi_scene_blob_header *old = m->base->blob;
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        char *place = blob + header->sections[s].offset;
        size_t entry = mrwi_scene_sections[s].entry_size;
        size_t size = (size_t)old->sections[s].count * entry;
        const mrwi_scene_pool *pool = &m->added->pools[s];
        if (s == MRWI_SCENE_SECTION_strings) {
            fill_strings(m, place);
            continue;
        }
        memcpy(place, (const char *)m->base->blob + old->sections[s].offset, size);
        if (pool->count > 0) {
            memcpy(place + size, pool->data, pool->count * entry);
        }
    }
    uint32_t *warnings = (void *)(blob + header->sections[MRWI_SCENE_SECTION_warnings].offset);
    for (uint32_t i = 0; i < m->base->warnings_count; i++) {
        warnings[i] = moved(m, warnings[i]);
    }
}

static mrw_status freeze(const merge *m, mrw_scene **out)
{
    const mrwi_scene_blob_header *old = m->base->blob;
    mrwi_scene_blob_header header;
    mrwi_scene_blob_header_init(&header);
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        header.sections[s].count = old->sections[s].count + m->added->pools[s].count;
    }
    header.sections[MRWI_SCENE_SECTION_strings].count += m->added->names.text.count;
    header.hashed_strings = m->base_names + m->added->names.text.count;
    header.format = moved(m, m->base->format);
    if (!mrwi_scene_blob_layout(&header)) {
        return mrwi_base_fail(m->error, MRW_ERROR_INPUT,
                              "%s: with its clips the model is too large", m->added->file);
    }
    char *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
    if (!blob) {
        return mrwi_base_fail_memory(m->error, (size_t)header.size);
    }
    memcpy(blob, &header, sizeof header);
    fill_sections(m, &header, blob);
    mrw_scene view;
    mrwi_scene_blob_attach(blob, &view);
    mrw_mesh *meshes = (void *)(blob + header.sections[MRWI_SCENE_SECTION_meshes].offset);
    mrw_status status = mrwi_scene_mark_scales(&view, meshes, m->error);
    if (!status) {
        status = mrwi_scene_from_blob(blob, header.size, m->source->name, out, m->error);
    }
    if (status) {
        mrwi_base_free(blob);
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Names of clips that an added one may not have: those of base, and those of other sources. */
static mrw_status gather_names(merge *m, const mrw_clip_source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < m->base->clips_count; i++) {
        claim(m, &m->others, mrw_scene_string(m->base, m->base->clips[i].name));
        claim(m, &m->taken, mrw_scene_string(m->base, m->base->clips[i].name));
    }
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; &sources[s] != m->source && i < sources[s].scene->clips_count; i++) {
            claim(m, &m->others,
                  mrw_scene_string(sources[s].scene, sources[s].scene->clips[i].name));
        }
    }
    return m->added->failed;
}

static mrw_status begin(merge *m)
{
    size_t nodes = m->from->nodes_count;
    mrw_status status = mrwi_scene_builder_create(m->source->name, "", &m->added, m->error);
    if (!status) {
        status = mrwi_scene_rig_create(m->base, &m->base_rig, m->error);
    }
    if (!status) {
        status = mrwi_scene_rig_create(m->from, &m->rig, m->error);
    }
    m->match = mrwi_base_alloc(nodes, sizeof *m->match);
    m->wanted = mrwi_base_alloc_zero(nodes, 1);
    m->played = mrwi_base_alloc_zero(nodes, sizeof *m->played);
    m->paths = mrwi_base_alloc_zero(nodes, 1);
    if (!status && (!m->match || !m->wanted || !m->played || !m->paths)) {
        status = mrwi_base_fail_memory(m->error, nodes * sizeof *m->match);
    }
    return status;
}

static void end(merge *m)
{
    mrwi_scene_builder_free(m->added);
    mrwi_scene_rig_free(&m->base_rig);
    mrwi_scene_rig_free(&m->rig);
    mrwi_base_free(m->match);
    mrwi_base_free(m->wanted);
    mrwi_base_free(m->played);
    mrwi_base_free(m->paths);
    mrwi_base_free(m->plan);
    mrwi_scene_pool_free(&m->others.text);
    mrwi_scene_pool_free(&m->taken.text);
    mrwi_scene_table_free(&m->others.table);
    mrwi_scene_table_free(&m->taken.table);
}

static mrw_status merge_one(const mrw_scene *base, uint32_t model_nodes, mrw_clip_source *sources,
                            uint32_t count, uint32_t index, mrw_scene **out, mrw_error *error)
{
    merge m = {.base = base,
               .from = sources[index].scene,
               .source = &sources[index],
               .model_nodes = model_nodes,
               .base_names = ((const mrwi_scene_blob_header *)base->blob)->hashed_strings,
               .error = error};
    mrw_status status = begin(&m);
    if (!status) {
        status = mrwi_scene_rig_match(&m.base_rig, &m.rig, m.match, error);
    }
    if (!status) {
        count_matches(&m);
        status = refuse_strangers(&m);
    }
    if (!status) {
        status = gather_names(&m, sources, count);
    }
    if (!status) {
        status = add_nodes(&m);
    }
    if (!status) {
        status = add_clips(&m);
    }
    if (!status) {
        status = freeze(&m, out);
    }
    end(&m);
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
