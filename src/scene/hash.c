/* hash.c: computes the SHA-256 of a scene and of its parts: see mrw_scene_part. */
#include "scene/blob.h"

#include "base/sha256.h"

#include <assert.h>
#include <string.h>

/* ---- the canonical form ---------------------------------------------------------------------- */

/* Begins a part with its kind; its fields follow in the order of their numbers. */
static void begin(mrwi_base_sha256 *part, const char *kind)
{
    mrwi_base_sha256_begin(part);
    mrwi_base_sha256_add(part, "marrow ", 7);
    mrwi_base_sha256_add(part, kind, strlen(kind));
    mrwi_base_sha256_add(part, "\n", 1);
}

static void add_head(mrwi_base_sha256 *part, uint32_t number, uint64_t size)
{
    mrwi_base_sha256_add_u32(part, number);
    mrwi_base_sha256_add_u32(part, (uint32_t)size);
    mrwi_base_sha256_add_u32(part, (uint32_t)(size >> 32));
}

/* Adds an array. Numbers are little-endian in memory, too: see blob.h. */
static void add_array(mrwi_base_sha256 *part, uint32_t number, const void *entries, uint64_t count,
                      size_t entry)
{
    if (count > 0) {
        add_head(part, number, count * entry);
        mrwi_base_sha256_add(part, entries, (size_t)count * entry);
    }
}

/* Adds a field, unless it has its usual value. */
static void add_value(mrwi_base_sha256 *part, uint32_t number, const void *value, const void *usual,
                      size_t size)
{
    if (memcmp(value, usual, size) != 0) {
        add_array(part, number, value, 1, size);
    }
}

static void add_uint(mrwi_base_sha256 *part, uint32_t number, uint32_t value, uint32_t usual)
{
    add_value(part, number, &value, &usual, sizeof value);
}

static void add_float(mrwi_base_sha256 *part, uint32_t number, float value, float usual)
{
    add_value(part, number, &value, &usual, sizeof value);
}

static void add_double(mrwi_base_sha256 *part, uint32_t number, double value)
{
    const double usual = 0.0;
    add_value(part, number, &value, &usual, sizeof value);
}

static void add_name(mrwi_base_sha256 *part, uint32_t number, const mrw_scene *scene,
                     uint32_t offset)
{
    const char *name = mrw_scene_string(scene, offset);
    add_array(part, number, name, strlen(name), 1);
}

/* Hashes entry `index` of some array. */
typedef void (*hash_entry)(const mrw_scene *scene, uint32_t index, uint8_t out[32]);

/* Adds the hashes of a run of entries. */
static void add_hashes(mrwi_base_sha256 *part, uint32_t number, const mrw_scene *scene,
                       hash_entry entry, uint32_t first, uint32_t count)
{
    uint8_t hash[32];
    if (count > 0) {
        add_head(part, number, (uint64_t)count * sizeof hash);
    }
    for (uint32_t i = 0; i < count; i++) {
        entry(scene, first + i, hash);
        mrwi_base_sha256_add(part, hash, sizeof hash);
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void hash_node(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    static const mrw_transform usual = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const mrw_node *node = &s->nodes[index];
    const mrw_transform *rest = &node->rest;
    mrwi_base_sha256 part;
    begin(&part, "node");
    add_name(&part, 1, s, node->name);
    add_uint(&part, 2, node->parent, MRW_NONE);
    add_value(&part, 3, rest->translation, usual.translation, sizeof usual.translation);
    add_value(&part, 4, rest->rotation, usual.rotation, sizeof usual.rotation);
    add_value(&part, 5, rest->scale, usual.scale, sizeof usual.scale);
    if (node->matrix != MRW_NONE) {
        add_array(&part, 6, &s->matrices[node->matrix], 1, sizeof(mrw_mat4));
    }
    add_array(&part, 7, s->weights + node->first_weight, node->weight_count, sizeof(float));
    add_uint(&part, 8, node->flags, 0);
    mrwi_base_sha256_end(&part, out);
}

/* Adds the meshes that need the cofactor matrix. This follows from nodes and clips, so it is not
 * part of a shape. */
static void add_nonuniform(mrwi_base_sha256 *part, uint32_t number, const mrw_scene *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->meshes_count; i++) {
        count += (s->meshes[i].flags & MRW_MESH_NONUNIFORM) != 0;
    }
    if (count > 0) {
        add_head(part, number, (uint64_t)count * sizeof count);
    }
    for (uint32_t i = 0; i < s->meshes_count; i++) {
        if (s->meshes[i].flags & MRW_MESH_NONUNIFORM) {
            mrwi_base_sha256_add_u32(part, i);
        }
    }
}

static void hash_nodes(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    mrwi_base_sha256 part;
    (void)index;
    begin(&part, "nodes");
    add_hashes(&part, 1, s, hash_node, 0, s->nodes_count);
    add_array(&part, 2, s->draws, s->draws_count, sizeof *s->draws);
    add_nonuniform(&part, 3, s);
    mrwi_base_sha256_end(&part, out);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Adds a run of `count` elements of `per` floats, beginning at `first`; MRW_NONE stands for no
 * run. */
static void add_stream(mrwi_base_sha256 *part, uint32_t number, const float *pool, uint32_t first,
                       uint32_t count, uint32_t per)
{
    if (first != MRW_NONE) {
        add_array(part, number, pool + (size_t)first * per, count, per * sizeof(float));
    }
}

static void hash_target(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_morph_target *target = &s->targets[index];
    const uint32_t count = target->entry_count;
    mrwi_base_sha256 part;
    begin(&part, "target");
    add_name(&part, 1, s, target->name);
    add_array(&part, 2, s->morph_vertices + target->first_entry, count, sizeof(uint32_t));
    add_stream(&part, 3, s->morph_positions, target->first_entry, count, 3);
    add_stream(&part, 4, s->morph_normals, target->normal, count, 3);
    add_stream(&part, 5, s->morph_tangents, target->tangent, count, 3);
    mrwi_base_sha256_end(&part, out);
}

static void hash_shape(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_mesh *mesh = &s->meshes[index];
    const uint32_t count = mesh->vertex_count;
    mrwi_base_sha256 part;
    begin(&part, "shape");
    add_name(&part, 1, s, mesh->name);
    add_uint(&part, 2, mesh->material, MRW_NONE);
    add_uint(&part, 3, mesh->flags & ~(MRW_MESH_NONUNIFORM | MRW_MESH_FLAT_NORMALS), 0);
    add_array(&part, 4, s->indices + mesh->first_index, (uint64_t)mesh->triangle_count * 3,
              sizeof(uint32_t));
    add_stream(&part, 5, s->positions, mesh->position, count, 3);
    add_stream(&part, 6, s->normals, mesh->normal, count, 3);
    add_stream(&part, 7, s->tangents, mesh->tangent, count, 4);
    add_stream(&part, 8, s->uvs, mesh->uv[0], count, 2);
    add_stream(&part, 9, s->uvs, mesh->uv[1], count, 2);
    add_stream(&part, 10, s->colors, mesh->color, count, 4);
    add_hashes(&part, 11, s, hash_target, mesh->first_target, mesh->target_count);
    mrwi_base_sha256_end(&part, out);
}

/* Hashes influences. Those of a mesh's groups are consecutive. */
static void hash_weights(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_mesh *mesh = &s->meshes[index];
    const mrw_influence_group *groups = s->groups + mesh->first_group;
    mrwi_base_sha256 part;
    begin(&part, "weights");
    if (mesh->max_influences > 0) {
        uint64_t count = 0;
        add_head(&part, 1, (uint64_t)mesh->group_count * 2 * sizeof(uint32_t));
        for (uint32_t g = 0; g < mesh->group_count; g++) {
            mrwi_base_sha256_add_u32(&part, groups[g].vertex_count);
            mrwi_base_sha256_add_u32(&part, groups[g].influence_count);
            count += (uint64_t)groups[g].vertex_count * groups[g].influence_count;
        }
        add_array(&part, 2, s->influence_joints + groups[0].first_influence, count,
                  sizeof(uint16_t));
        add_array(&part, 3, s->influence_weights + groups[0].first_influence, count, sizeof(float));
    }
    mrwi_base_sha256_end(&part, out);
}

/* ---- materials ------------------------------------------------------------------------------- */

static const float white[4] = {1, 1, 1, 1};

/* First numbers of a material's other fields, and of the factors of maps without a texture. */
#define FIELDS  256u
#define FACTORS 512u

_Static_assert(6 + MRW_MAP_COUNT <= FIELDS, "maps have the numbers of other fields");

static void add_map(mrwi_base_sha256 *material, uint32_t number, const mrw_scene *s,
                    const mrw_material_map *map, const float factor[4])
{
    static const float usual[6] = {1, 0, 0, 0, 1, 0};
    mrwi_base_sha256 part;
    uint8_t hash[32];
    if (map->texture == MRW_NONE) {
        return;
    }
    const mrw_texture *texture = &s->textures[map->texture];
    begin(&part, "map");
    add_name(&part, 1, s, texture->name);
    add_uint(&part, 2, texture->image, MRW_NONE);
    add_uint(&part, 3, texture->wrap_u, MRW_WRAP_REPEAT);
    add_uint(&part, 4, texture->wrap_v, MRW_WRAP_REPEAT);
    add_uint(&part, 5, texture->nearest, 0);
    add_uint(&part, 6, map->uv_set, 0);
    add_value(&part, 7, map->uv_transform, usual, sizeof usual);
    add_value(&part, 8, factor, white, sizeof white);
    add_uint(&part, 9, texture->minify, MRW_MINIFY_LINEAR_MIPMAP_LINEAR);
    mrwi_base_sha256_end(&part, hash);
    add_array(material, number, hash, 1, sizeof hash);
}

/* Adds maps. The base colour's factor belongs to the material, with a texture or without. */
static void add_maps(mrwi_base_sha256 *part, const mrw_scene *s, const mrw_material *material)
{
    for (uint32_t m = 0; m < MRW_MAP_COUNT; m++) {
        const mrw_material_map *map = &material->maps[m];
        add_map(part, 6 + m, s, map, m == MRW_MAP_BASE_COLOR ? white : map->factor);
    }
}

/* Adds factors. Fields that a map without a texture does not need have their usual values. */
static void add_factors(mrwi_base_sha256 *part, const mrw_material *material,
                        const mrw_material *usual)
{
    for (uint32_t m = MRW_MAP_BASE_COLOR + 1; m < MRW_MAP_COUNT; m++) {
        const mrw_material_map *map = &material->maps[m];
        if (map->texture == MRW_NONE) {
            add_value(part, FACTORS + m, map->factor, usual->maps[m].factor, sizeof map->factor);
        }
    }
}

static void hash_material(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_material usual = mrw_material_default(), *material = &s->materials[index];
    mrwi_base_sha256 part;
    begin(&part, "material");
    add_name(&part, 1, s, material->name);
    add_uint(&part, 2, material->alpha_mode, usual.alpha_mode);
    add_float(&part, 3, material->alpha_cutoff, usual.alpha_cutoff);
    add_uint(&part, 4, material->flags, usual.flags);
    add_value(&part, 5, material->maps[MRW_MAP_BASE_COLOR].factor, white, sizeof white);
    add_maps(&part, s, material);
    add_uint(&part, FIELDS, material->model, usual.model);
    add_float(&part, FIELDS + 1, material->ior, usual.ior);
    add_float(&part, FIELDS + 2, material->specular, usual.specular);
    add_float(&part, FIELDS + 3, material->clearcoat, usual.clearcoat);
    add_float(&part, FIELDS + 4, material->clearcoat_roughness, usual.clearcoat_roughness);
    add_float(&part, FIELDS + 5, material->shininess, usual.shininess);
    add_factors(&part, material, &usual);
    mrwi_base_sha256_end(&part, out);
}

static void hash_image(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    static const uint8_t none[32];
    const mrw_image_info *image = &s->images[index];
    mrwi_base_sha256 part;
    begin(&part, "image");
    add_name(&part, 1, s, image->name);
    add_name(&part, 2, s, image->path);
    add_value(&part, 3, image->hash, none, sizeof none);
    mrwi_base_sha256_end(&part, out);
}

/* ---- skins and clips ------------------------------------------------------------------------- */

static void hash_skin(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_skin *skin = &s->skins[index];
    mrwi_base_sha256 part;
    begin(&part, "skin");
    add_name(&part, 1, s, skin->name);
    add_array(&part, 2, s->joints + skin->first_joint, skin->joint_count, sizeof(uint32_t));
    add_array(&part, 3, s->geometry_to_joint + skin->first_joint, skin->joint_count,
              sizeof(mrw_mat4));
    mrwi_base_sha256_end(&part, out);
}

static void hash_channel(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_channel *channel = &s->channels[index];
    const uint32_t values = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    mrwi_base_sha256 part;
    begin(&part, "channel");
    add_uint(&part, 1, channel->node, MRW_NONE);
    add_uint(&part, 2, channel->path, MRW_PATH_TRANSLATION);
    add_uint(&part, 3, channel->interpolation, MRW_INTERPOLATION_STEP);
    add_array(&part, 4, s->key_times + channel->first_time, channel->key_count, sizeof(double));
    add_array(&part, 5, s->key_values + channel->first_value,
              (uint64_t)channel->key_count * channel->width * values, sizeof(float));
    add_uint(&part, 6, channel->before, MRW_EXTRAPOLATION_HOLD);
    add_uint(&part, 7, channel->after, MRW_EXTRAPOLATION_HOLD);
    add_uint(&part, 8, channel->before_cycles, 0);
    add_uint(&part, 9, channel->after_cycles, 0);
    mrwi_base_sha256_end(&part, out);
}

static void hash_material_channel(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_material_channel *channel = &s->material_channels[index];
    const uint32_t values = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const uint32_t width = mrwi_scene_property_width((mrw_material_property)channel->property);
    mrwi_base_sha256 part;
    begin(&part, "material channel");
    add_uint(&part, 1, channel->material, MRW_NONE);
    add_uint(&part, 2, channel->map, MRW_MAP_BASE_COLOR);
    add_uint(&part, 3, channel->property, MRW_PROPERTY_BASE_COLOR);
    add_uint(&part, 4, channel->interpolation, MRW_INTERPOLATION_STEP);
    add_array(&part, 5, s->key_times + channel->first_time, channel->key_count, sizeof(double));
    add_array(&part, 6, s->key_values + channel->first_value,
              (uint64_t)channel->key_count * width * values, sizeof(float));
    mrwi_base_sha256_end(&part, out);
}

static void hash_clip(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_clip *clip = &s->clips[index];
    uint32_t first;
    const uint32_t material_channels = mrw_scene_material_channels(s, index, &first);
    mrwi_base_sha256 part;
    begin(&part, "clip");
    add_name(&part, 1, s, clip->name);
    add_name(&part, 2, s, clip->full_name);
    add_double(&part, 3, clip->start);
    add_double(&part, 4, clip->duration);
    add_hashes(&part, 5, s, hash_channel, clip->first_channel, clip->channel_count);
    add_hashes(&part, 6, s, hash_material_channel, first, material_channels);
    mrwi_base_sha256_end(&part, out);
}

/* ---- cameras and lights ---------------------------------------------------------------------- */

static void hash_camera(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_scene_camera *camera = &s->cameras[index];
    mrwi_base_sha256 part;
    begin(&part, "camera");
    add_name(&part, 1, s, camera->name);
    add_uint(&part, 2, camera->node, MRW_NONE);
    add_uint(&part, 3, camera->orthographic, 0);
    add_float(&part, 4, camera->yfov, 0.0f);
    add_float(&part, 5, camera->aspect, 0.0f);
    add_float(&part, 6, camera->xmag, 0.0f);
    add_float(&part, 7, camera->ymag, 0.0f);
    add_float(&part, 8, camera->near_plane, 0.0f);
    add_float(&part, 9, camera->far_plane, 0.0f);
    mrwi_base_sha256_end(&part, out);
}

static void hash_light(const mrw_scene *s, uint32_t index, uint8_t out[32])
{
    const mrw_scene_light *light = &s->lights[index];
    mrwi_base_sha256 part;
    begin(&part, "light");
    add_name(&part, 1, s, light->name);
    add_uint(&part, 2, light->node, MRW_NONE);
    add_uint(&part, 3, light->type, MRW_SCENE_LIGHT_DIRECTIONAL);
    add_value(&part, 4, light->color, white, sizeof light->color);
    add_float(&part, 5, light->intensity, 1.0f);
    add_float(&part, 6, light->range, 0.0f);
    add_float(&part, 7, light->inner_cone, 0.0f);
    add_float(&part, 8, light->outer_cone, 0.0f);
    mrwi_base_sha256_end(&part, out);
}

/* ---- parts and the scene --------------------------------------------------------------------- */

static const hash_entry hash_part[MRW_PART_END] = {
    [MRW_PART_NODES] = hash_nodes,     [MRW_PART_SHAPES] = hash_shape,
    [MRW_PART_WEIGHTS] = hash_weights, [MRW_PART_MATERIALS] = hash_material,
    [MRW_PART_IMAGES] = hash_image,    [MRW_PART_SKINS] = hash_skin,
    [MRW_PART_CLIPS] = hash_clip,      [MRW_PART_CAMERAS] = hash_camera,
    [MRW_PART_LIGHTS] = hash_light,
};

uint32_t mrw_scene_part_count(const mrw_scene *scene, mrw_scene_part kind)
{
    const uint32_t counts[MRW_PART_END] = {
        [MRW_PART_NODES] = 1,
        [MRW_PART_SHAPES] = scene->meshes_count,
        [MRW_PART_WEIGHTS] = scene->meshes_count,
        [MRW_PART_MATERIALS] = scene->materials_count,
        [MRW_PART_IMAGES] = scene->images_count,
        [MRW_PART_SKINS] = scene->skins_count,
        [MRW_PART_CLIPS] = scene->clips_count,
        [MRW_PART_CAMERAS] = scene->cameras_count,
        [MRW_PART_LIGHTS] = scene->lights_count,
    };
    assert(kind >= MRW_PART_NODES && kind < MRW_PART_END);
    return counts[kind];
}

void mrw_scene_part_hash(const mrw_scene *scene, mrw_scene_part kind, uint32_t index,
                         uint8_t out[32])
{
    assert(index < mrw_scene_part_count(scene, kind));
    hash_part[kind](scene, index, out);
}

static void make_hash(const mrw_scene *scene, uint8_t out[32])
{
    mrwi_base_sha256 part;
    begin(&part, "scene");
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END; kind++) {
        add_hashes(&part, kind, scene, hash_part[kind], 0,
                   mrw_scene_part_count(scene, (mrw_scene_part)kind));
    }
    mrwi_base_sha256_end(&part, out);
}

const uint8_t *mrw_scene_hash(const mrw_scene *scene)
{
    mrwi_scene_kept_hash *kept = scene->kept_hash;
    pthread_mutex_lock(&kept->lock);
    if (!kept->made) {
        make_hash(scene, kept->bytes);
    }
    kept->made = true;
    pthread_mutex_unlock(&kept->lock);
    return kept->bytes;
}

void mrw_scene_hash_text(const mrw_scene *scene, char out[65])
{
    mrwi_base_sha256_text(mrw_scene_hash(scene), out);
}
