/* parts.c: makes the parts of a scene, with facts that a hash can't tell. */
#include "explain/parts.h"

#include "base/sha256.h"
#include "base/text.h"

#include <string.h>

/* Most nodes or joints that are listed by name. Larger scenes only count them, because a line of
 * text has a limited length. */
#define MOST_NAMED 512

/* ---- facts of a part ------------------------------------------------------------------------- */

/* A part while it is made. Memory for its facts is allocated first. */
typedef struct builder {
    const mrw_scene *scene;
    mrwi_base_arena *arena;
    mrwi_explain_part *part;
    uint32_t room;
    bool failed;
} builder;

static void make_room(builder *b, uint32_t facts)
{
    b->part->facts = mrwi_base_arena_alloc(b->arena, facts, sizeof *b->part->facts);
    b->room = facts;
    b->failed |= !b->part->facts;
}

static void add(builder *b, const char *key, const char *text, const double *values, uint32_t count)
{
    double *copy = mrwi_base_arena_alloc(b->arena, count, sizeof *copy);
    b->failed |= !copy || b->part->fact_count >= b->room;
    if (b->failed) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = values[i];
    }
    b->part->facts[b->part->fact_count++] = (mrwi_explain_fact){key, text, copy, count};
}

static void add_count(builder *b, const char *key, uint32_t value)
{
    const double number = value;
    add(b, key, NULL, &number, 1);
}

static void add_floats(builder *b, const char *key, const float *values, uint32_t count)
{
    double numbers[8];
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = values[i];
    }
    add(b, key, NULL, numbers, count);
}

/* Returns a short mark of an array: the first three bytes of its SHA-256. Ends the hash. */
static double mark(mrwi_base_sha256 *hash)
{
    uint8_t all[32];
    mrwi_base_sha256_end(hash, all);
    return (double)((uint32_t)all[0] << 16 | (uint32_t)all[1] << 8 | (uint32_t)all[2]);
}

static double mark_of(const void *data, size_t size)
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, data, size);
    return mark(&hash);
}

/* ---- kinds of parts -------------------------------------------------------------------------- */

/* Returns a mark of a node's rest pose, without its name and parent. */
static double mark_of_node(const mrw_scene *s, const mrw_node *node)
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, &node->rest, sizeof node->rest);
    if (node->matrix != MRW_NONE) {
        mrwi_base_sha256_add(&hash, &s->matrices[node->matrix], sizeof(mrw_mat4));
    }
    if (node->weight_count > 0) {
        mrwi_base_sha256_add(&hash, s->weights + node->first_weight,
                             node->weight_count * sizeof(float));
    }
    if (node->flags != 0) {
        mrwi_base_sha256_add(&hash, &node->flags, sizeof node->flags);
    }
    return mark(&hash);
}

static void add_nodes(builder *b, uint32_t index)
{
    const mrw_scene *s = b->scene;
    const bool named = s->nodes_count <= MOST_NAMED;
    (void)index;
    make_room(b, 2 + (named ? s->nodes_count : 0));
    add_count(b, "count", s->nodes_count);
    add_count(b, "draws", s->draws_count);
    for (uint32_t i = 0; i < s->nodes_count && named && !b->failed; i++) {
        const double number = mark_of_node(s, &s->nodes[i]);
        add(b, "node", mrw_scene_string(s, s->nodes[i].name), &number, 1);
    }
}

static double mark_stream(const float *pool, uint32_t first, uint32_t count, uint32_t per)
{
    return first == MRW_NONE
               ? 0.0
               : mark_of(pool + (size_t)first * per, (size_t)count * per * sizeof(float));
}

static void add_box(builder *b, const mrw_mesh *mesh)
{
    const float *at = b->scene->positions + (size_t)mesh->position * 3;
    float box[6] = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; v++, at += 3) {
        for (int i = 0; i < 3; i++) {
            box[i] = v == 0 || at[i] < box[i] ? at[i] : box[i];
            box[3 + i] = v == 0 || at[i] > box[3 + i] ? at[i] : box[3 + i];
        }
    }
    add_floats(b, "box", box, 6);
}

static void add_shape(builder *b, uint32_t index)
{
    const mrw_scene *s = b->scene;
    const mrw_mesh *mesh = &s->meshes[index];
    const uint32_t count = mesh->vertex_count;
    make_room(b, 7);
    add_count(b, "vertices", count);
    add_count(b, "triangles", mesh->triangle_count);
    if (mesh->target_count > 0) {
        add_count(b, "targets", mesh->target_count);
    }
    add_box(b, mesh);
    if (mesh->material != MRW_NONE) {
        add(b, "material", mrw_scene_string(s, s->materials[mesh->material].name), NULL, 0);
    }
    const double marks[] = {
        mark_stream(s->positions, mesh->position, count, 3),
        mark_stream(s->normals, mesh->normal, count, 3),
        mark_stream(s->uvs, mesh->uv[0], count, 2),
        mark_stream(s->colors, mesh->color, count, 4),
        mark_of(s->indices + mesh->first_index,
                (size_t)mesh->triangle_count * 3 * sizeof(uint32_t)),
    };
    add(b, "marks", NULL, marks, 5);
}

/* Returns the first skin that a mesh is drawn with, or NULL. */
static const mrw_skin *skin_of(const mrw_scene *s, uint32_t mesh)
{
    for (uint32_t i = 0; i < s->draws_count; i++) {
        if (s->draws[i].mesh == mesh && s->draws[i].skin != MRW_NONE) {
            return &s->skins[s->draws[i].skin];
        }
    }
    return NULL;
}

/* Sums the weights of each joint of the skin over vertices in their order. */
static void sum_weights(const mrw_scene *s, const mrw_mesh *mesh, uint32_t joints, double *sums)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &s->groups[mesh->first_group + g];
        const size_t count = (size_t)group->vertex_count * group->influence_count;
        for (size_t i = 0; i < count; i++) {
            const uint16_t joint = s->influence_joints[group->first_influence + i];
            if (joint < joints) {
                sums[joint] += (double)s->influence_weights[group->first_influence + i];
            }
        }
    }
}

static void add_weights(builder *b, uint32_t index)
{
    const mrw_scene *s = b->scene;
    const mrw_mesh *mesh = &s->meshes[index];
    const mrw_skin *skin = skin_of(s, index);
    const uint32_t joints = skin && skin->joint_count <= MOST_NAMED ? skin->joint_count : 0;
    make_room(b, 1 + joints);
    if (mesh->max_influences == 0) {
        return;
    }
    add_count(b, "most", mesh->max_influences);
    double *sums = mrwi_base_arena_alloc(b->arena, joints, sizeof *sums);
    b->failed |= !sums;
    if (b->failed) {
        return;
    }
    memset(sums, 0, joints * sizeof *sums);
    sum_weights(s, mesh, joints, sums);
    for (uint32_t j = 0; j < joints && !b->failed; j++) {
        const uint32_t node = s->joints[skin->first_joint + j];
        if (sums[j] > 0.0) {
            add(b, "joint", mrw_scene_string(s, s->nodes[node].name), &sums[j], 1);
        }
    }
}

static const char *name_of_image(const mrw_scene *s, uint32_t index)
{
    const mrw_image_info *image = &s->images[index];
    const char *name = mrw_scene_string(s, image->name);
    return name[0] ? name : mrw_scene_string(s, image->path);
}

/* Adds a factor if its value is not the default. */
static void add_factor(builder *b, const char *key, const float *value, const float *usual,
                       uint32_t count)
{
    if (memcmp(value, usual, count * sizeof *value) != 0) {
        add_floats(b, key, value, count);
    }
}

static void add_material(builder *b, uint32_t index)
{
    const mrw_scene *s = b->scene;
    const mrw_material *m = &s->materials[index];
    const mrw_material usual = mrw_material_default();
    const mrw_material_map *rough = &m->maps[MRW_MAP_METALLIC_ROUGHNESS];
    const mrw_material_map *usual_rough = &usual.maps[MRW_MAP_METALLIC_ROUGHNESS];
    make_room(b, 14 + MRW_MAP_COUNT);
    add_floats(b, "color", m->maps[MRW_MAP_BASE_COLOR].factor, 4);
    add_factor(b, "roughness", &rough->factor[1], &usual_rough->factor[1], 1);
    add_factor(b, "metallic", &rough->factor[2], &usual_rough->factor[2], 1);
    add_factor(b, "emission", m->maps[MRW_MAP_EMISSIVE].factor, usual.maps[MRW_MAP_EMISSIVE].factor,
               3);
    add_factor(b, "specular-color", m->maps[MRW_MAP_SPECULAR].factor,
               usual.maps[MRW_MAP_SPECULAR].factor, 3);
    add_factor(b, "cutoff", &m->alpha_cutoff, &usual.alpha_cutoff, 1);
    add_factor(b, "ior", &m->ior, &usual.ior, 1);
    add_factor(b, "specular", &m->specular, &usual.specular, 1);
    add_factor(b, "clearcoat", &m->clearcoat, &usual.clearcoat, 1);
    add_factor(b, "shininess", &m->shininess, &usual.shininess, 1);
    if (m->alpha_mode != MRW_ALPHA_OPAQUE) {
        add_count(b, "alpha", m->alpha_mode);
    }
    if (m->model != MRW_MATERIAL_METALLIC_ROUGHNESS) {
        add_count(b, "model", m->model);
    }
    if (m->flags != 0) {
        add_count(b, "flags", m->flags);
    }
    for (uint32_t i = 0; i < MRW_MAP_COUNT; i++) {
        const double number = i;
        if (m->maps[i].texture != MRW_NONE) {
            add(b, "map", name_of_image(s, s->textures[m->maps[i].texture].image), &number, 1);
        }
    }
}

static void add_image(builder *b, uint32_t index)
{
    const mrw_image_info *image = &b->scene->images[index];
    const double size[] = {image->width, image->height};
    make_room(b, 2);
    add(b, "size", NULL, size, 2);
    if ((image->flags & MRW_IMAGE_MISSING) != 0) {
        add_count(b, "missing", 1);
    }
}

static void add_skin(builder *b, uint32_t index)
{
    make_room(b, 1);
    add_count(b, "joints", b->scene->skins[index].joint_count);
}

static void add_clip(builder *b, uint32_t index)
{
    const mrw_clip *clip = &b->scene->clips[index];
    uint32_t keys = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        keys += b->scene->channels[clip->first_channel + i].key_count;
    }
    uint32_t first;
    const uint32_t materials = mrw_scene_material_channels(b->scene, index, &first);
    for (uint32_t i = 0; i < materials; i++) {
        keys += b->scene->material_channels[first + i].key_count;
    }
    make_room(b, 3);
    add(b, "seconds", NULL, &clip->duration, 1);
    add_count(b, "channels", clip->channel_count + materials);
    add_count(b, "keys", keys);
}

static void add_camera(builder *b, uint32_t index)
{
    const mrw_scene_camera *camera = &b->scene->cameras[index];
    make_room(b, 1);
    if (camera->orthographic) {
        add_floats(b, "height", &camera->ymag, 1);
    } else {
        add_floats(b, "angle", &camera->yfov, 1);
    }
}

static void add_light(builder *b, uint32_t index)
{
    const mrw_scene_light *light = &b->scene->lights[index];
    make_room(b, 3);
    add_count(b, "type", light->type);
    add_floats(b, "color", light->color, 3);
    add_floats(b, "intensity", &light->intensity, 1);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct {
    const char *word;
    void (*add)(builder *b, uint32_t index);
} kinds[MRW_PART_END] = {
    [MRW_PART_NODES] = {"nodes", add_nodes},
    [MRW_PART_SHAPES] = {"shape", add_shape},
    [MRW_PART_WEIGHTS] = {"weights", add_weights},
    [MRW_PART_MATERIALS] = {"material", add_material},
    [MRW_PART_IMAGES] = {"image", add_image},
    [MRW_PART_SKINS] = {"skin", add_skin},
    [MRW_PART_CLIPS] = {"clip", add_clip},
    [MRW_PART_CAMERAS] = {"camera", add_camera},
    [MRW_PART_LIGHTS] = {"light", add_light},
};

const char *mrwi_explain_part_word(uint32_t kind)
{
    return kinds[kind].word;
}

/* Returns the mesh's name in the file, else the name of a node that draws it. */
static const char *name_of_mesh(const mrw_scene *s, uint32_t index)
{
    const char *name = mrw_scene_string(s, s->meshes[index].name);
    for (uint32_t i = 0; i < s->draws_count && !name[0]; i++) {
        if (s->draws[i].mesh == index) {
            name = mrw_scene_string(s, s->nodes[s->draws[i].node].name);
        }
    }
    return name;
}

static const char *name_of(const mrw_scene *s, uint32_t kind, uint32_t index)
{
    switch (kind) {
    case MRW_PART_SHAPES:
    case MRW_PART_WEIGHTS:
        return name_of_mesh(s, index);
    case MRW_PART_MATERIALS:
        return mrw_scene_string(s, s->materials[index].name);
    case MRW_PART_IMAGES:
        return name_of_image(s, index);
    case MRW_PART_SKINS:
        return mrw_scene_string(s, s->skins[index].name);
    case MRW_PART_CLIPS:
        return mrw_scene_string(s, s->clips[index].name);
    case MRW_PART_CAMERAS:
        return mrw_scene_string(s, s->cameras[index].name);
    case MRW_PART_LIGHTS:
        return mrw_scene_string(s, s->lights[index].name);
    default:
        return "";
    }
}

/* Copies the texts of a part, since the scene is freed earlier. */
static bool keep_texts(mrwi_explain_part *part, mrwi_base_arena *arena)
{
    part->name = mrwi_base_copy_text(arena, part->name);
    bool kept = part->name;
    for (uint32_t i = 0; i < part->fact_count && kept; i++) {
        mrwi_explain_fact *fact = &part->facts[i];
        const char *text = mrwi_base_copy_text(arena, fact->text);
        kept = text || !fact->text;
        fact->text = text;
    }
    return kept;
}

mrw_status mrwi_explain_parts_make(const mrw_scene *scene, mrwi_base_arena *arena,
                                   mrwi_explain_part_list *out, mrw_error *error)
{
    uint32_t count = 0;
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END; kind++) {
        count += mrw_scene_part_count(scene, (mrw_scene_part)kind);
    }
    *out =
        (mrwi_explain_part_list){.items = mrwi_base_arena_alloc(arena, count, sizeof *out->items)};
    bool failed = !out->items;
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END && !failed; kind++) {
        const uint32_t of_kind = mrw_scene_part_count(scene, (mrw_scene_part)kind);
        for (uint32_t i = 0; i < of_kind && !failed; i++) {
            mrwi_explain_part *part = &out->items[out->count++];
            builder b = {.scene = scene, .arena = arena, .part = part};
            *part = (mrwi_explain_part){.kind = kind, .name = name_of(scene, kind, i)};
            mrw_scene_part_hash(scene, (mrw_scene_part)kind, i, part->hash);
            kinds[kind].add(&b, i);
            failed = b.failed || !keep_texts(part, arena);
        }
    }
    return failed ? mrwi_base_fail_memory(error, count * sizeof *out->items) : MRW_OK;
}

/* ---- hashes ---------------------------------------------------------------------------------- */

/* Hashes "marrow scene", then the hashes of the parts of each kind: see mrw_scene_part. */
void mrwi_explain_parts_hash(const mrwi_explain_part_list *parts, char out[65])
{
    mrwi_base_sha256 all;
    uint8_t hash[32];
    uint32_t at = 0;
    mrwi_base_sha256_begin(&all);
    mrwi_base_sha256_add(&all, "marrow scene\n", 13);
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END; kind++) {
        uint32_t end = at;
        while (end < parts->count && parts->items[end].kind == kind) {
            end++;
        }
        if (end > at) {
            mrwi_base_sha256_add_u32(&all, kind);
            mrwi_base_sha256_add_u32(&all, (end - at) * 32);
            mrwi_base_sha256_add_u32(&all, 0);
        }
        for (; at < end; at++) {
            mrwi_base_sha256_add(&all, parts->items[at].hash, 32);
        }
    }
    mrwi_base_sha256_end(&all, hash);
    mrwi_base_sha256_text(hash, out);
}
