/* builder.c: the growing scene: pools, names, warnings, nodes, skins, draws, cameras, lights. */
#include "scene/build.h"

#include "base/math.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- pools ----------------------------------------------------------------------------------- */

static uint32_t grown_capacity(uint32_t capacity, uint64_t needed)
{
    uint64_t doubled = capacity < 32 ? 64 : (uint64_t)capacity * 2;
    uint64_t wanted = needed > doubled ? needed : doubled;
    return (uint32_t)(wanted < MRWI_SCENE_SECTION_LIMIT ? wanted : MRWI_SCENE_SECTION_LIMIT);
}

mrw_status mrwi_scene_pool_extend(mrwi_scene_pool *pool, mrwi_scene_section section, uint64_t count,
                                  const char *file, uint32_t *first, mrw_error *error)
{
    const mrwi_scene_section_info *info = &mrwi_scene_sections[section];
    *first = pool->count;
    if (count > MRWI_SCENE_SECTION_LIMIT - pool->count) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: more than %u %s; split the model", file,
                              MRWI_SCENE_SECTION_LIMIT, info->name);
    }
    uint64_t needed = pool->count + count;
    if (needed > pool->capacity || !pool->data) {
        uint32_t capacity = grown_capacity(pool->capacity, needed);
        size_t used = (size_t)pool->count * info->entry_size;
        void *data = mrwi_base_realloc(pool->data, used, capacity, info->entry_size);
        if (!data) {
            return mrwi_base_fail_memory(error, (size_t)capacity * info->entry_size);
        }
        pool->data = data;
        pool->capacity = capacity;
    }
    pool->count = (uint32_t)needed;
    return MRW_OK;
}

mrw_status mrwi_scene_pool_push(mrwi_scene_pool *pool, mrwi_scene_section section,
                                const void *entry, const char *file, mrw_error *error)
{
    uint32_t index;
    mrw_status status = mrwi_scene_pool_extend(pool, section, 1, file, &index, error);
    if (status) {
        return status;
    }
    const size_t size = mrwi_scene_sections[section].entry_size;
    memcpy((char *)pool->data + index * size, entry, size);
    return MRW_OK;
}

void mrwi_scene_pool_free(mrwi_scene_pool *pool)
{
    mrwi_base_free(pool->data);
    *pool = (mrwi_scene_pool){0};
}

/* ---- drafts ---------------------------------------------------------------------------------- */

mrw_status mrwi_scene_draft_begin(mrwi_scene_draft *draft, const char *file_name, mrw_error *error)
{
    uint32_t empty;
    mrwi_base_escape(file_name, draft->file, sizeof draft->file);
    return mrwi_scene_name(draft, "", &empty, error); /* offset 0 is the empty string */
}

void mrwi_scene_draft_free(mrwi_scene_draft *draft)
{
    for (int i = 0; i < MRWI_SCENE_SECTION_COUNT; i++) {
        mrwi_scene_pool_free(&draft->pools[i]);
    }
    mrwi_scene_names_free(&draft->names);
}

mrw_status mrwi_scene_extend(mrwi_scene_draft *draft, mrwi_scene_section section, uint64_t count,
                             uint32_t *first, mrw_error *error)
{
    return mrwi_scene_pool_extend(&draft->pools[section], section, count, draft->file, first,
                                  error);
}

mrw_status mrwi_scene_push(mrwi_scene_draft *draft, mrwi_scene_section section, const void *entry,
                           uint32_t *index, mrw_error *error)
{
    *index = draft->pools[section].count;
    return mrwi_scene_pool_push(&draft->pools[section], section, entry, draft->file, error);
}

void *mrwi_scene_scratch(mrwi_base_arena *scratch, size_t count, size_t size, mrw_error *error)
{
    void *block = mrwi_base_arena_alloc(scratch, count, size);
    if (!block) {
        mrwi_base_fail_memory(error, count * size);
    }
    return block;
}

void mrwi_scene_builder_limit(mrwi_scene_builder *b, const mrwi_scene_limits *limits)
{
    b->budget = (mrwi_scene_budget){.vertices = {limits->vertices, limits->vertices},
                                    .joints = {limits->joints, limits->joints},
                                    .keys = {limits->keys, limits->keys}};
}

mrw_status mrwi_scene_charge(mrwi_scene_quota *quota, uint64_t count, const char *kind,
                             const char *file, mrw_error *error)
{
    if (count > quota->left) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the file has more than %" PRIu64 " %s; if you trust the file, "
                              "allow more with --max-%s N",
                              file, quota->limit, kind, kind);
    }
    quota->left -= count;
    return MRW_OK;
}

/* ---- names and messages ---------------------------------------------------------------------- */

/* Longer names are cut: a file can have one name repeated by a million primitives. */
#define NAME_LIMIT 4096

typedef struct name_key {
    const char *pool;
    const char *text;
    size_t length;
} name_key;

static bool same_name(const void *user, uint32_t offset)
{
    const name_key *key = user;
    const char *name = key->pool + offset;
    return strncmp(name, key->text, key->length) == 0 && name[key->length] == '\0';
}

/* Returns the bytes of a name that are kept, in whole UTF-8 sequences. */
static size_t name_length(const char *text)
{
    size_t length = strnlen(text, NAME_LIMIT);
    bool cut = length == NAME_LIMIT;
    while (cut && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
        length--;
    }
    return length;
}

mrw_status mrwi_scene_names_add(mrwi_scene_names *names, const char *text, const char *file,
                                uint32_t *offset, mrw_error *error)
{
    const char *given = text ? text : "";
    size_t length = name_length(given);
    uint64_t hash = mrwi_scene_hash_bytes(MRWI_SCENE_HASH_SEED, given, length);
    name_key key = {names->text.data, given, length};
    uint32_t found = mrwi_scene_table_find(&names->table, hash, same_name, &key);
    if (found != MRW_NONE) {
        *offset = found;
        return MRW_OK;
    }
    mrw_status status = mrwi_scene_pool_extend(&names->text, MRWI_SCENE_SECTION_strings, length + 1,
                                               file, offset, error);
    if (status) {
        return status;
    }
    char *place = (char *)names->text.data + *offset;
    memcpy(place, given, length);
    place[length] = '\0';
    if (!mrwi_scene_table_add(&names->table, hash, *offset)) {
        return mrwi_base_fail_memory(error, sizeof(mrwi_scene_table_entry));
    }
    return MRW_OK;
}

void mrwi_scene_names_free(mrwi_scene_names *names)
{
    mrwi_scene_pool_free(&names->text);
    mrwi_scene_table_free(&names->table);
}

mrw_status mrwi_scene_name(mrwi_scene_draft *draft, const char *text, uint32_t *offset,
                           mrw_error *error)
{
    return mrwi_scene_names_add(&draft->names, text, draft->file, offset, error);
}

const char *mrwi_scene_label_of(mrwi_scene_label out, const char *kind, uint32_t index,
                                const char *name)
{
    char escaped[100];
    if (name && name[0]) {
        snprintf(out, sizeof(mrwi_scene_label), "%s %u \"%s\"", kind, index,
                 mrwi_base_escape(name, escaped, sizeof escaped));
    } else {
        snprintf(out, sizeof(mrwi_scene_label), "%s %u", kind, index);
    }
    return out;
}

const char *mrwi_scene_node_label(const mrwi_scene_draft *draft, uint32_t index,
                                  mrwi_scene_label out)
{
    const char *name = NULL;
    if (index < MRWI_SCENE_COUNT(draft, nodes)) {
        name = (const char *)draft->names.text.data +
               MRWI_SCENE_AT(draft, nodes, mrw_node, index).name;
    }
    return mrwi_scene_label_of(out, "node", index, name);
}

void mrwi_scene_add_warning(mrwi_scene_warnings *warnings, const char *text)
{
    char safe[1024];
    mrwi_base_escape(text, safe, sizeof safe);
    uint32_t end = warnings->texts.text.count, offset;
    mrw_status status = mrwi_scene_names_add(&warnings->texts, safe, "", &offset, NULL);
    if (!status && offset >= end) {
        status = mrwi_scene_pool_push(&warnings->offsets, MRWI_SCENE_SECTION_warnings, &offset, "",
                                      NULL);
    }
    warnings->failed = status ? status : warnings->failed;
}

/* Adds a warning. Formats are checked where the two functions below are called. */
static void warn(mrwi_scene_warnings *warnings, const char *format, va_list args)
{
    if (warnings->offsets.count >= MRWI_SCENE_WARNING_LIMIT) {
        warnings->left_out++;
        return;
    }
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    mrwi_scene_add_warning(warnings, text);
}

void mrwi_scene_warn(mrwi_scene_warnings *warnings, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn(warnings, format, args);
    va_end(args);
}

void mrwi_scene_builder_warn(mrwi_scene_builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn(&b->warnings, format, args);
    va_end(args);
}

/* ---- life ------------------------------------------------------------------------------------ */

mrw_status mrwi_scene_builder_create(const char *file_name, const char *format,
                                     mrwi_scene_builder **out, mrw_error *error)
{
    *out = NULL;
    mrwi_scene_builder *b = mrwi_base_alloc_zero(1, sizeof *b);
    if (!b) {
        return mrwi_base_fail_memory(error, sizeof *b);
    }
    mrwi_base_escape(format, b->format, sizeof b->format);
    mrwi_scene_builder_limit(b, &(mrwi_scene_limits){UINT64_MAX, UINT64_MAX, UINT64_MAX});
    mrw_status status = mrwi_scene_draft_begin(&b->draft, file_name, error);
    if (status) {
        mrwi_scene_builder_free(b);
        return status;
    }
    *out = b;
    return MRW_OK;
}

static void free_materials(mrwi_scene_materials *materials, uint32_t image_count)
{
    for (uint32_t i = 0; materials->pictures && i < image_count; i++) {
        mrwi_base_free(materials->pictures[i].rgba);
        mrwi_base_free(materials->pictures[i].opacity);
    }
    mrwi_base_free(materials->pictures);
    mrwi_scene_table_free(&materials->same_image);
    mrwi_scene_table_free(&materials->same_texture);
    mrwi_scene_table_free(&materials->same_material);
}

void mrwi_scene_builder_free(mrwi_scene_builder *b)
{
    if (!b) {
        return;
    }
    free_materials(&b->materials, MRWI_SCENE_COUNT(&b->draft, images));
    mrwi_scene_draft_free(&b->draft);
    mrwi_scene_names_free(&b->warnings.texts);
    mrwi_scene_pool_free(&b->warnings.offsets);
    mrwi_scene_pool_free(&b->mesh_joints);
    mrwi_base_arena_free(&b->scratch);
    mrwi_base_free(b);
}

mrw_status mrwi_scene_settle(mrwi_scene_builder *b, mrw_status status)
{
    b->failed = status ? status : b->failed;
    return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

bool mrwi_scene_make_affine(mrw_mat4 *m)
{
    bool far = fabsf(m->m[3]) > 1e-4f || fabsf(m->m[7]) > 1e-4f || fabsf(m->m[11]) > 1e-4f ||
               fabsf(m->m[15] - 1.0f) > 1e-4f;
    m->m[3] = m->m[7] = m->m[11] = 0.0f;
    m->m[15] = 1.0f;
    return far;
}

static const mrw_transform identity_transform = {
    .translation = {0, 0, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};

static bool finite_transform(const mrw_transform *t)
{
    return mrwi_base_all_finite(t->translation, 3) && mrwi_base_all_finite(t->rotation, 4) &&
           mrwi_base_all_finite(t->scale, 3);
}

static mrw_status node_matrix(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                              const mrwi_scene_node_input *in, const char *label, mrw_node *node,
                              mrw_error *error)
{
    mrw_mat4 matrix = in->matrix;
    if (!mrwi_base_all_finite(matrix.m, 16)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s: its matrix is not finite",
                              draft->file, label);
    }
    if (mrwi_scene_make_affine(&matrix)) {
        mrwi_scene_warn(warnings, "%s: the last row of its matrix was replaced by 0 0 0 1", label);
    }
    node->rest = identity_transform;
    mrwi_base_mat4_decompose(&matrix, &node->rest);
    if (!finite_transform(&node->rest)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s: its matrix is out of range",
                              draft->file, label);
    }
    return mrwi_scene_push(draft, MRWI_SCENE_SECTION_matrices, &matrix, &node->matrix, error);
}

static mrw_status node_rest(const mrwi_scene_node_input *in, const char *file, const char *label,
                            mrw_node *node, mrw_error *error)
{
    node->rest = in->rest;
    if (!finite_transform(&node->rest)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s: its transform is not finite", file,
                              label);
    }
    return MRW_OK;
}

static mrw_status node_weights(mrwi_scene_draft *draft, const mrwi_scene_node_input *in,
                               const char *label, mrw_node *node, mrw_error *error)
{
    mrw_status status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_weights, in->weight_count,
                                          &node->first_weight, error);
    if (status) {
        return status;
    }
    float *weights = MRWI_SCENE_POOL(draft, weights, float) + node->first_weight;
    node->weight_count = in->weight_count;
    for (uint32_t i = 0; i < in->weight_count; i++) {
        weights[i] = in->weights ? in->weights[i] : 0.0f;
        if (!isfinite(weights[i])) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: %s: morph weight %u is not finite",
                                  draft->file, label, i);
        }
    }
    return MRW_OK;
}

mrw_status mrwi_scene_builder_node(mrwi_scene_builder *b, const mrwi_scene_node_input *in,
                                   uint32_t *index, mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    mrwi_scene_label label;
    mrwi_scene_label_of(label, "node", MRWI_SCENE_COUNT(draft, nodes), in->name);
    mrw_node node = {.parent = in->parent, .matrix = MRW_NONE, .flags = in->flags};
    mrw_status status = mrwi_scene_name(draft, in->name, &node.name, error);
    if (!status) {
        status = in->is_matrix ? node_matrix(draft, &b->warnings, in, label, &node, error)
                               : node_rest(in, draft->file, label, &node, error);
    }
    if (!status) {
        status = node_weights(draft, in, label, &node, error);
    }
    if (status) {
        return b->failed = status;
    }
    if (!mrwi_base_normalize4(node.rest.rotation)) {
        mrwi_scene_warn(&b->warnings, "%s: its rotation is zero, so it is treated as not rotated",
                        label);
        memcpy(node.rest.rotation, identity_transform.rotation, sizeof node.rest.rotation);
    }
    uint32_t pushed;
    status = mrwi_scene_push(draft, MRWI_SCENE_SECTION_nodes, &node, &pushed, error);
    if (!status && index) {
        *index = pushed;
    }
    return mrwi_scene_settle(b, status);
}

/* ---- draws and skins ------------------------------------------------------------------------- */

mrw_status mrwi_scene_builder_draw(mrwi_scene_builder *b, uint32_t node, uint32_t mesh,
                                   uint32_t skin, mrw_error *error)
{
    mrw_draw draw = {node, mesh, skin};
    uint32_t index;
    return mrwi_scene_settle(
        b, mrwi_scene_push(&b->draft, MRWI_SCENE_SECTION_draws, &draw, &index, error));
}

/* Pushes the inverse bind matrices of a skin; identities if `matrices` is NULL. *odd: some were not
 * affine. */
static mrw_status push_inverses(mrwi_scene_draft *draft, const mrw_mat4 *matrices, uint32_t count,
                                const char *label, bool *odd, mrw_error *error)
{
    uint32_t first;
    mrw_status status =
        mrwi_scene_extend(draft, MRWI_SCENE_SECTION_geometry_to_joint, count, &first, error);
    if (status) {
        return status;
    }
    mrw_mat4 *inverse = MRWI_SCENE_POOL(draft, geometry_to_joint, mrw_mat4) + first;
    for (uint32_t i = 0; i < count; i++) {
        inverse[i] = matrices ? matrices[i] : mrwi_base_mat4_identity();
        if (!mrwi_base_all_finite(inverse[i].m, 16)) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: %s: the inverse bind matrix of joint %u is not finite",
                                  draft->file, label, i);
        }
        *odd |= mrwi_scene_make_affine(&inverse[i]);
    }
    return MRW_OK;
}

static mrw_status push_joints(mrwi_scene_draft *draft, const uint32_t *nodes, mrw_skin *skin,
                              mrw_error *error)
{
    mrw_status status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_joints, skin->joint_count,
                                          &skin->first_joint, error);
    if (status) {
        return status;
    }
    memcpy(MRWI_SCENE_POOL(draft, joints, uint32_t) + skin->first_joint, nodes,
           skin->joint_count * sizeof *nodes);
    return MRW_OK;
}

mrw_status mrwi_scene_builder_skin(mrwi_scene_builder *b, const char *name, const uint32_t *nodes,
                                   const mrw_mat4 *geometry_to_joint, uint32_t joint_count,
                                   uint32_t *index, mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    mrwi_scene_label label;
    mrwi_scene_label_of(label, "skin", MRWI_SCENE_COUNT(draft, skins), name);
    if (joint_count == 0 || joint_count > UINT16_MAX) {
        return b->failed = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                          "%s: %s: %u joints; a skin must have 1 to 65535",
                                          draft->file, label, joint_count);
    }
    mrw_skin skin = {.joint_count = joint_count};
    bool odd = false;
    mrw_status status =
        mrwi_scene_charge(&b->budget.joints, joint_count, "joints", draft->file, error);
    if (!status) {
        status = mrwi_scene_name(draft, name, &skin.name, error);
    }
    if (!status) {
        status = push_joints(draft, nodes, &skin, error);
    }
    if (!status) {
        status = push_inverses(draft, geometry_to_joint, joint_count, label, &odd, error);
    }
    if (!status && odd) {
        mrwi_scene_warn(&b->warnings,
                        "%s: the last row of inverse bind matrices was replaced by 0 0 0 1", label);
    }
    uint32_t pushed = MRW_NONE;
    if (!status) {
        status = mrwi_scene_push(draft, MRWI_SCENE_SECTION_skins, &skin, &pushed, error);
    }
    if (!status && index) {
        *index = pushed;
    }
    return mrwi_scene_settle(b, status);
}

/* ---- cameras and lights ---------------------------------------------------------------------- */

bool mrwi_scene_camera_valid(const mrw_scene_camera *c)
{
    const float values[] = {c->yfov, c->aspect, c->xmag, c->ymag, c->near_plane, c->far_plane};
    if (!mrwi_base_all_finite(values, 6) || c->orthographic > 1 || c->aspect < 0.0f) {
        return false;
    }
    if (c->far_plane != 0.0f && c->far_plane <= c->near_plane) {
        return false;
    }
    if (c->orthographic) {
        return c->xmag > 0.0f && c->ymag > 0.0f && c->near_plane >= 0.0f && c->far_plane > 0.0f;
    }
    return c->yfov > 0.0f && c->yfov < (float)MRWI_BASE_PI && c->near_plane > 0.0f;
}

bool mrwi_scene_light_valid(const mrw_scene_light *l)
{
    const float values[] = {l->color[0], l->color[1],   l->color[2],  l->intensity,
                            l->range,    l->inner_cone, l->outer_cone};
    if (!mrwi_base_all_finite(values, 7) || l->type > MRW_SCENE_LIGHT_SPOT) {
        return false;
    }
    return l->color[0] >= 0.0f && l->color[1] >= 0.0f && l->color[2] >= 0.0f &&
           l->intensity >= 0.0f && l->range >= 0.0f && l->inner_cone >= 0.0f &&
           l->inner_cone <= l->outer_cone && l->outer_cone <= (float)MRWI_BASE_PI;
}

mrw_status mrwi_scene_builder_camera(mrwi_scene_builder *b, const char *name,
                                     const mrw_scene_camera *in, mrw_error *error)
{
    mrw_scene_camera camera = *in;
    mrwi_scene_label label;
    if (!mrwi_scene_camera_valid(&camera)) {
        mrwi_scene_label_of(label, "camera", MRWI_SCENE_COUNT(&b->draft, cameras), name);
        mrwi_scene_warn(&b->warnings, "%s has values out of range and is ignored", label);
        return MRW_OK;
    }
    uint32_t index;
    mrw_status status = mrwi_scene_name(&b->draft, name, &camera.name, error);
    if (!status) {
        status = mrwi_scene_push(&b->draft, MRWI_SCENE_SECTION_cameras, &camera, &index, error);
    }
    return mrwi_scene_settle(b, status);
}

mrw_status mrwi_scene_builder_light(mrwi_scene_builder *b, const char *name,
                                    const mrw_scene_light *in, mrw_error *error)
{
    mrw_scene_light light = *in;
    mrwi_scene_label label;
    if (!mrwi_scene_light_valid(&light)) {
        mrwi_scene_label_of(label, "light", MRWI_SCENE_COUNT(&b->draft, lights), name);
        mrwi_scene_warn(&b->warnings, "%s has values out of range and is ignored", label);
        return MRW_OK;
    }
    uint32_t index;
    mrw_status status = mrwi_scene_name(&b->draft, name, &light.name, error);
    if (!status) {
        status = mrwi_scene_push(&b->draft, MRWI_SCENE_SECTION_lights, &light, &index, error);
    }
    return mrwi_scene_settle(b, status);
}
