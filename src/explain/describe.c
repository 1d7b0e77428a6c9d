/* describe.c: says what a scene holds, as JSON and as tables. */
#include "marrow/explain.h"

#include "explain/table.h"

#include <string.h>

/* ---- facts ----------------------------------------------------------------------------------- */

static const char *text_of(const mrw_scene *scene, uint32_t offset)
{
    return mrw_scene_string(scene, offset);
}

/* Returns the skin of the first draw of a mesh, or MRW_NONE. */
static uint32_t skin_of(const mrw_scene *scene, uint32_t mesh)
{
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        if (scene->draws[d].mesh == mesh) {
            return scene->draws[d].skin;
        }
    }
    return MRW_NONE;
}

/* Counts the channels of nodes and of materials. */
static uint32_t channel_count(const mrw_scene *scene, uint32_t clip)
{
    uint32_t first;
    return scene->clips[clip].channel_count + mrw_scene_material_channels(scene, clip, &first);
}

static uint64_t key_count(const mrw_scene *scene, uint32_t index)
{
    const mrw_clip *clip = &scene->clips[index];
    uint64_t keys = 0;
    uint32_t first;
    const uint32_t count = mrw_scene_material_channels(scene, index, &first);
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        keys += scene->channels[clip->first_channel + c].key_count;
    }
    for (uint32_t c = 0; c < count; c++) {
        keys += scene->material_channels[first + c].key_count;
    }
    return keys;
}

/* Counts the channels that do not hold their value before their first key or after their last. */
static uint32_t extrapolated_count(const mrw_scene *scene, const mrw_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const mrw_channel *channel = &scene->channels[clip->first_channel + c];
        count +=
            channel->before != MRW_EXTRAPOLATION_HOLD || channel->after != MRW_EXTRAPOLATION_HOLD;
    }
    return count;
}

static const char *light_type(const mrw_scene_light *light)
{
    static const char *const names[] = {"directional", "point", "spot"};
    return light->type < 3 ? names[light->type] : "unknown";
}

static const char *alpha_mode(const mrw_material *material)
{
    static const char *const names[] = {"opaque", "mask", "blend"};
    return material->alpha_mode < 3 ? names[material->alpha_mode] : "unknown";
}

static const char *model_of(const mrw_material *material)
{
    static const char *const names[] = {[MRW_MATERIAL_METALLIC_ROUGHNESS] = "metallic-roughness",
                                        [MRW_MATERIAL_SPECULAR_GLOSSINESS] = "specular-glossiness",
                                        [MRW_MATERIAL_CLASSIC] = "classic"};
    return material->model < 3 ? names[material->model] : "unknown";
}

static const mrw_image_info *image_of(const mrw_scene *scene, const mrw_texture *texture)
{
    return &scene->images[texture->image];
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void named(mrw_json *json, const char *key, const char *value)
{
    mrw_json_key(json, key);
    mrw_json_string(json, value);
}

static void counted(mrw_json *json, const char *key, uint64_t value)
{
    mrw_json_key(json, key);
    mrw_json_uint(json, value);
}

static void measured(mrw_json *json, const char *key, double value)
{
    mrw_json_key(json, key);
    mrw_json_double(json, value);
}

static void meshes_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "meshes"), '[');
    for (uint32_t i = 0; i < scene->meshes_count; i++) {
        const mrw_mesh *mesh = &scene->meshes[i];
        uint32_t skin = skin_of(scene, i);
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, mesh->name));
        counted(json, "vertices", mesh->vertex_count);
        counted(json, "triangles", mesh->triangle_count);
        named(json, "material",
              mesh->material == MRW_NONE ? NULL
                                         : text_of(scene, scene->materials[mesh->material].name));
        named(json, "skin", skin == MRW_NONE ? NULL : text_of(scene, scene->skins[skin].name));
        mrw_json_key(json, "skin_index");
        skin == MRW_NONE ? mrw_json_null(json) : mrw_json_uint(json, skin);
        counted(json, "max_influences", mesh->max_influences);
        counted(json, "morph_targets", mesh->target_count);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void skins_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "skins"), '[');
    for (uint32_t i = 0; i < scene->skins_count; i++) {
        const mrw_skin *skin = &scene->skins[i];
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, skin->name));
        mrw_json_open(mrw_json_key(json, "joints"), '[');
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            uint32_t node = scene->joints[skin->first_joint + k];
            mrw_json_string(json, text_of(scene, scene->nodes[node].name));
        }
        mrw_json_close(json, ']');
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void clips_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "clips"), '[');
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        const mrw_clip *clip = &scene->clips[i];
        double first, last;
        const bool any = mrw_scene_key_span(scene, i, &first, &last);
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, clip->name));
        named(json, "full_name", text_of(scene, clip->full_name));
        measured(json, "start", clip->start);
        measured(json, "duration", clip->duration);
        mrw_json_key(json, "first_key");
        any ? mrw_json_double(json, first) : mrw_json_null(json);
        mrw_json_key(json, "last_key");
        any ? mrw_json_double(json, last) : mrw_json_null(json);
        counted(json, "channels", channel_count(scene, i));
        counted(json, "material_channels", channel_count(scene, i) - clip->channel_count);
        counted(json, "keys", key_count(scene, i));
        counted(json, "extrapolated", extrapolated_count(scene, clip));
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void maps_json(const mrw_material *material, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "maps"), '[');
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        const mrw_material_map *map = &material->maps[m];
        const mrw_map_info *info = mrw_map_info_of((mrw_map)m);
        if (map->texture == MRW_NONE) {
            continue;
        }
        mrw_json_open(json, '{');
        named(json, "map", info->name);
        counted(json, "texture", map->texture);
        counted(json, "uv_set", map->uv_set);
        mrw_json_floats(mrw_json_key(json, "uv_transform"), map->uv_transform, 6);
        mrw_json_floats(mrw_json_key(json, "factor"), map->factor, 4);
        mrw_json_bool(mrw_json_key(json, "srgb"), info->srgb);
        mrw_json_bool(mrw_json_key(json, "drawn"), info->drawn);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

/* Adds the values that the material's model uses. */
static void surface_json(const mrw_material *material, mrw_json *json)
{
    const float *metal = material->maps[MRW_MAP_METALLIC_ROUGHNESS].factor;
    const float *specular = material->maps[MRW_MAP_SPECULAR].factor;
    named(json, "model", model_of(material));
    mrw_json_floats(mrw_json_key(json, "emissive"), material->maps[MRW_MAP_EMISSIVE].factor, 3);
    mrw_json_floats(mrw_json_key(json, "specular_color"), specular, 3);
    switch (material->model) {
    case MRW_MATERIAL_METALLIC_ROUGHNESS:
        measured(json, "roughness", (double)metal[1]);
        measured(json, "metallic", (double)metal[2]);
        measured(json, "ior", (double)material->ior);
        measured(json, "specular", (double)material->specular);
        measured(json, "clearcoat", (double)material->clearcoat);
        measured(json, "clearcoat_roughness", (double)material->clearcoat_roughness);
        break;
    case MRW_MATERIAL_SPECULAR_GLOSSINESS:
        measured(json, "glossiness", (double)specular[3]);
        break;
    default:
        measured(json, "shininess", (double)material->shininess);
    }
}

static void materials_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "materials"), '[');
    for (uint32_t i = 0; i < scene->materials_count; i++) {
        const mrw_material *material = &scene->materials[i];
        const mrw_material_map *base = &material->maps[MRW_MAP_BASE_COLOR];
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, material->name));
        mrw_json_floats(mrw_json_key(json, "base_color"), base->factor, 4);
        mrw_json_key(json, "texture");
        base->texture == MRW_NONE ? mrw_json_null(json) : mrw_json_uint(json, base->texture);
        surface_json(material, json);
        maps_json(material, json);
        named(json, "alpha_mode", alpha_mode(material));
        mrw_json_bool(mrw_json_key(json, "double_sided"),
                      (material->flags & MRW_MATERIAL_DOUBLE_SIDED) != 0);
        mrw_json_bool(mrw_json_key(json, "unlit"), (material->flags & MRW_MATERIAL_UNLIT) != 0);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void textures_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "textures"), '[');
    for (uint32_t i = 0; i < scene->textures_count; i++) {
        const mrw_image_info *image = image_of(scene, &scene->textures[i]);
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, scene->textures[i].name));
        if ((image->flags & MRW_IMAGE_EMBEDDED) != 0) {
            mrw_json_bool(mrw_json_key(json, "embedded"), true);
        } else {
            named(json, "path", text_of(scene, image->path));
        }
        counted(json, "width", image->width);
        counted(json, "height", image->height);
        mrw_json_bool(mrw_json_key(json, "found"), (image->flags & MRW_IMAGE_MISSING) == 0);
        mrw_json_bool(mrw_json_key(json, "used"), (image->flags & MRW_IMAGE_UNSEEN) == 0);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void cameras_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "cameras"), '[');
    for (uint32_t i = 0; i < scene->cameras_count; i++) {
        const mrw_scene_camera *camera = &scene->cameras[i];
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, camera->name));
        named(json, "node", text_of(scene, scene->nodes[camera->node].name));
        named(json, "type", camera->orthographic ? "orthographic" : "perspective");
        if (camera->orthographic) {
            measured(json, "xmag", (double)camera->xmag);
            measured(json, "ymag", (double)camera->ymag);
        } else {
            measured(json, "yfov", (double)camera->yfov);
            measured(json, "aspect", (double)camera->aspect);
        }
        measured(json, "near", (double)camera->near_plane);
        measured(json, "far", (double)camera->far_plane);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void lights_json(const mrw_scene *scene, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "lights"), '[');
    for (uint32_t i = 0; i < scene->lights_count; i++) {
        const mrw_scene_light *light = &scene->lights[i];
        mrw_json_open(json, '{');
        named(json, "name", text_of(scene, light->name));
        named(json, "node", text_of(scene, scene->nodes[light->node].name));
        named(json, "type", light_type(light));
        mrw_json_floats(mrw_json_key(json, "color"), light->color, 3);
        measured(json, "intensity", (double)light->intensity);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

/* Counts the nodes that are not drawn at rest, without the nodes below them. */
static uint32_t count_hidden(const mrw_scene *scene)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        count += (scene->nodes[i].flags & (MRW_NODE_HIDDEN | MRW_NODE_NOT_SHOWN)) != 0;
    }
    return count;
}

static void variants_json(const mrw_scene_origin *origin, mrw_json *json)
{
    const char *name = origin->variants;
    mrw_json_open(mrw_json_key(json, "variants"), '[');
    for (uint32_t i = 0; i < origin->variant_count; i++) {
        mrw_json_string(json, name);
        name += strlen(name) + 1;
    }
    mrw_json_close(json, ']');
}

void mrw_scene_describe_json(const mrw_scene *scene, const mrw_scene_origin *origin, mrw_json *json)
{
    char hash[65];
    mrw_scene_hash_text(scene, hash);
    counted(json, "schema", 1);
    named(json, "model", origin->path);
    named(json, "format", text_of(scene, scene->format));
    meshes_json(scene, json);
    skins_json(scene, json);
    counted(json, "nodes", scene->nodes_count);
    counted(json, "hidden_nodes", count_hidden(scene));
    counted(json, "draws", scene->draws_count);
    clips_json(scene, json);
    materials_json(scene, json);
    textures_json(scene, json);
    variants_json(origin, json);
    cameras_json(scene, json);
    lights_json(scene, json);
    named(json, "scene_hash", hash);
    counted(json, "scene_formula", MRW_SCENE_FORMULA);
    mrw_json_open(mrw_json_key(json, "bounds_rest"), '{');
    mrw_json_key(json, "min");
    origin->rest_box ? mrw_json_floats(json, origin->rest_box, 3) : mrw_json_null(json);
    mrw_json_key(json, "max");
    origin->rest_box ? mrw_json_floats(json, origin->rest_box + 3, 3) : mrw_json_null(json);
    mrw_json_close(json, '}');
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void clips_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {
        .title = "Clips",
        .heads = {">#", "name", ">seconds", ">first key", ">last key", ">channels", ">keys"}};
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        const mrw_clip *clip = &scene->clips[i];
        double first, last;
        const bool any = mrw_scene_key_span(scene, i, &first, &last);
        mrwi_explain_table_number(&t, i);
        mrwi_explain_table_name(&t, text_of(scene, clip->name));
        mrwi_explain_table_fixed(&t, clip->duration, 3);
        any ? mrwi_explain_table_fixed(&t, first, 3) : mrwi_explain_table_name(&t, "");
        any ? mrwi_explain_table_fixed(&t, last, 3) : mrwi_explain_table_name(&t, "");
        mrwi_explain_table_number(&t, channel_count(scene, i));
        mrwi_explain_table_number(&t, key_count(scene, i));
    }
    mrwi_explain_table_print(&t, out);
}

static void meshes_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {
        .title = "Meshes",
        .heads = {"name", ">vertices", ">triangles", ">influences", ">morphs", "material"}};
    for (uint32_t i = 0; i < scene->meshes_count; i++) {
        const mrw_mesh *mesh = &scene->meshes[i];
        mrwi_explain_table_name(&t, text_of(scene, mesh->name));
        mrwi_explain_table_number(&t, mesh->vertex_count);
        mrwi_explain_table_number(&t, mesh->triangle_count);
        mrwi_explain_table_number(&t, mesh->max_influences);
        mrwi_explain_table_number(&t, mesh->target_count);
        mrwi_explain_table_name(&t, mesh->material == MRW_NONE
                                        ? ""
                                        : text_of(scene, scene->materials[mesh->material].name));
    }
    mrwi_explain_table_print(&t, out);
}

static void skins_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {.title = "Skins", .heads = {"name", ">joints", "first joint"}};
    for (uint32_t i = 0; i < scene->skins_count; i++) {
        const mrw_skin *skin = &scene->skins[i];
        mrwi_explain_table_name(&t, text_of(scene, skin->name));
        mrwi_explain_table_number(&t, skin->joint_count);
        mrwi_explain_table_name(
            &t, text_of(scene, scene->nodes[scene->joints[skin->first_joint]].name));
    }
    mrwi_explain_table_print(&t, out);
}

/* Fills a cell with maps and the numbers of their textures: "base color 0, normal 2 (uv set 1)". */
static void maps_cell(mrwi_explain_table *t, const mrw_material *material)
{
    mrw_text text = {0};
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        const mrw_material_map *map = &material->maps[m];
        if (map->texture != MRW_NONE) {
            mrw_text_add(&text, "%s%s %u%s", text.size > 0 ? ", " : "",
                         mrw_map_info_of((mrw_map)m)->name, map->texture,
                         map->uv_set == 1 ? " (uv set 1)" : "");
        }
    }
    mrwi_explain_table_text(t, text.size > 0 ? text.data : "-");
    t->cells.failed = t->cells.failed || text.failed;
    mrw_text_free(&text);
}

/* Fills a cell with "metallic 0.00, roughness 0.50", "glossiness 0.50", "shininess 32.00" or
 * "matt".
 */
static void surface_cell(mrwi_explain_table *t, const mrw_material *material)
{
    const float *metal = material->maps[MRW_MAP_METALLIC_ROUGHNESS].factor;
    mrw_text text = {0};
    if (material->model == MRW_MATERIAL_METALLIC_ROUGHNESS) {
        mrw_text_add(&text, "metallic ");
        mrw_text_fixed(&text, (double)metal[2], 2);
        mrw_text_add(&text, ", roughness ");
        mrw_text_fixed(&text, (double)metal[1], 2);
    } else if (material->model == MRW_MATERIAL_SPECULAR_GLOSSINESS) {
        mrw_text_add(&text, "glossiness ");
        mrw_text_fixed(&text, (double)material->maps[MRW_MAP_SPECULAR].factor[3], 2);
    } else if (material->shininess > 0.0f) {
        mrw_text_add(&text, "shininess ");
        mrw_text_fixed(&text, (double)material->shininess, 2);
    } else {
        mrw_text_add(&text, "matt");
    }
    mrwi_explain_table_text(t, text.data ? text.data : "");
    t->cells.failed = t->cells.failed || text.failed;
    mrw_text_free(&text);
}

static void materials_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {.title = "Materials",
                            .heads = {"name", "alpha", "sides", "surface", "maps"}};
    for (uint32_t i = 0; i < scene->materials_count; i++) {
        const mrw_material *material = &scene->materials[i];
        mrwi_explain_table_name(&t, text_of(scene, material->name));
        mrwi_explain_table_text(&t, alpha_mode(material));
        mrwi_explain_table_text(&t, (material->flags & MRW_MATERIAL_DOUBLE_SIDED) != 0 ? "both"
                                                                                       : "front");
        surface_cell(&t, material);
        maps_cell(&t, material);
    }
    mrwi_explain_table_print(&t, out);
}

static void textures_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {.title = "Textures",
                            .heads = {">#", "source", ">width", ">height", "found"}};
    for (uint32_t i = 0; i < scene->textures_count; i++) {
        const mrw_image_info *image = image_of(scene, &scene->textures[i]);
        bool embedded = (image->flags & MRW_IMAGE_EMBEDDED) != 0;
        mrwi_explain_table_number(&t, i);
        mrwi_explain_table_name(&t, embedded ? "(embedded)" : text_of(scene, image->path));
        bool unseen = (image->flags & MRW_IMAGE_UNSEEN) != 0;
        unseen ? mrwi_explain_table_text(&t, "-") : mrwi_explain_table_number(&t, image->width);
        unseen ? mrwi_explain_table_text(&t, "-") : mrwi_explain_table_number(&t, image->height);
        mrwi_explain_table_text(&t, unseen                                    ? "not used"
                                    : (image->flags & MRW_IMAGE_MISSING) != 0 ? "no"
                                                                              : "yes");
    }
    mrwi_explain_table_print(&t, out);
}

static void variants_table(const mrw_scene_origin *origin, mrw_text *out)
{
    mrwi_explain_table t = {.title = "Variants", .heads = {">#", "name"}};
    const char *name = origin->variants;
    for (uint32_t i = 0; i < origin->variant_count; i++) {
        mrwi_explain_table_number(&t, i);
        mrwi_explain_table_name(&t, name);
        name += strlen(name) + 1;
    }
    mrwi_explain_table_print(&t, out);
}

static void cameras_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {.title = "Cameras", .heads = {">#", "name", "node", "type"}};
    for (uint32_t i = 0; i < scene->cameras_count; i++) {
        const mrw_scene_camera *camera = &scene->cameras[i];
        mrwi_explain_table_number(&t, i);
        mrwi_explain_table_name(&t, text_of(scene, camera->name));
        mrwi_explain_table_name(&t, text_of(scene, scene->nodes[camera->node].name));
        mrwi_explain_table_text(&t, camera->orthographic ? "orthographic" : "perspective");
    }
    mrwi_explain_table_print(&t, out);
}

static void lights_table(const mrw_scene *scene, mrw_text *out)
{
    mrwi_explain_table t = {.title = "Lights", .heads = {"name", "node", "type", ">intensity"}};
    for (uint32_t i = 0; i < scene->lights_count; i++) {
        const mrw_scene_light *light = &scene->lights[i];
        mrwi_explain_table_name(&t, text_of(scene, light->name));
        mrwi_explain_table_name(&t, text_of(scene, scene->nodes[light->node].name));
        mrwi_explain_table_text(&t, light_type(light));
        mrwi_explain_table_fixed(&t, (double)light->intensity, 2);
    }
    mrwi_explain_table_print(&t, out);
}

void mrw_scene_describe(const mrw_scene *scene, const mrw_scene_origin *origin, mrw_text *out)
{
    const float *box = origin->rest_box;
    char hash[65];
    mrw_scene_hash_text(scene, hash);
    mrw_text_escaped(out, origin->path);
    mrw_text_add(out, "\n  format      ");
    mrw_text_escaped(out, text_of(scene, scene->format));
    mrw_text_add(out, "\n  nodes       %u, drawn meshes %u", scene->nodes_count,
                 scene->draws_count);
    if (count_hidden(scene) > 0) {
        mrw_text_add(out, ", hidden nodes %u", count_hidden(scene));
    }
    mrw_text_add(out, "\n");
    mrw_text_add(out, "  rest box    %s", box ? "" : "none: there are no triangles\n");
    for (int k = 0; k < 3 && box; k++) {
        mrw_text_fixed(out, (double)box[k], 3);
        mrw_text_add(out, " to ");
        mrw_text_fixed(out, (double)box[3 + k], 3);
        mrw_text_add(out, k < 2 ? ", " : "\n");
    }
    mrw_text_add(out, "  scene hash  %s\n", hash);
    clips_table(scene, out);
    meshes_table(scene, out);
    skins_table(scene, out);
    materials_table(scene, out);
    textures_table(scene, out);
    variants_table(origin, out);
    cameras_table(scene, out);
    lights_table(scene, out);
}
