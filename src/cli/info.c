/* info.c: `marrow info`: what is in a file, as tables or as JSON. */
#include "cli.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* Measures the box of the rest pose. */
static mrw_status measure_rest(const mrw_scene *scene, const mrw_settings *settings,
                               mrw_bake_measure *out, mrw_error *error)
{
    mrw_model *prepared = NULL;
    mrw_renderer *renderer = NULL;
    const mrw_posed_draw *posed = NULL;
    mrw_model_def def = mrw_model_def_default();
    def.no_textures = true;
    def.show_hidden = settings->model.show_hidden;
    *out = (mrw_bake_measure){0};
    mrw_status status =
        mrw_model_create_with(scene, &def, mrw_session_threads(settings), &prepared, error);
    if (status) {
        goto out;
    }
    status = mrw_renderer_create(&renderer, error);
    if (status) {
        goto out;
    }
    mrw_instance instance = mrw_instance_default(prepared);
    instance.pose = MRW_POSE_REST;
    instance.clip = MRW_NONE;
    status = mrw_pose_instance(renderer, &instance, MRW_ISA_AUTO, &posed, error);
    if (status) {
        goto out;
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_bake_measure part = mrw_bake_measure_draw(scene, &posed[d]);
        mrw_bake_measure_add(out, &part);
    }
out:
    mrw_renderer_free(renderer);
    mrw_model_free(prepared);
    return status;
}

/* ---- facts both answers need ----------------------------------------------------------------- */

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

/* Names of the variants of a file. A scene does not contain them. */
typedef struct variants {
    mrw_text names; /* NUL-terminated texts, one after the other */
    uint32_t count;
} variants;

static void hear_variant(void *user, const char *name)
{
    variants *v = user;
    mrw_text_put(&v->names, name, strlen(name) + 1);
    v->count++;
}

static void variants_json(const variants *v, mrw_json *json)
{
    const char *name = v->names.data;
    mrw_json_open(mrw_json_key(json, "variants"), '[');
    for (uint32_t i = 0; i < v->count && !v->names.failed; i++) {
        mrw_json_string(json, name);
        name += strlen(name) + 1;
    }
    mrw_json_close(json, ']');
}

static void scene_json(const char *path, const mrw_scene *scene, const variants *v,
                       const mrw_bake_measure *rest, mrw_json *json)
{
    char hash[65];
    mrw_scene_hash_text(scene, hash);
    mrw_json_open(json, '{');
    counted(json, "schema", 1);
    named(json, "model", path);
    named(json, "format", text_of(scene, scene->format));
    meshes_json(scene, json);
    skins_json(scene, json);
    counted(json, "nodes", scene->nodes_count);
    counted(json, "hidden_nodes", count_hidden(scene));
    counted(json, "draws", scene->draws_count);
    clips_json(scene, json);
    materials_json(scene, json);
    textures_json(scene, json);
    variants_json(v, json);
    cameras_json(scene, json);
    lights_json(scene, json);
    named(json, "scene_hash", hash);
    counted(json, "scene_formula", MRW_SCENE_FORMULA);
    mrw_json_open(mrw_json_key(json, "bounds_rest"), '{');
    mrw_json_key(json, "min");
    rest->any ? mrw_json_floats(json, rest->aabb_min, 3) : mrw_json_null(json);
    mrw_json_key(json, "max");
    rest->any ? mrw_json_floats(json, rest->aabb_max, 3) : mrw_json_null(json);
    mrw_json_close(json, '}');
    mrw_json_open(mrw_json_key(json, "warnings"), '[');
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        mrw_json_string(json, text_of(scene, scene->warnings[i]));
    }
    host_put_warnings(json); /* warnings about the machine */
    mrw_json_close(json, ']');
    mrw_json_close(json, '}');
    mrw_json_line(json);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void clips_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {
        .title = "Clips",
        .heads = {">#", "name", ">seconds", ">first key", ">last key", ">channels", ">keys"}};
    for (uint32_t i = 0; i < scene->clips_count; i++) {
        const mrw_clip *clip = &scene->clips[i];
        double first, last;
        const bool any = mrw_scene_key_span(scene, i, &first, &last);
        cli_table_number(&t, i);
        cli_table_name(&t, text_of(scene, clip->name));
        cli_table_fixed(&t, clip->duration, 3);
        any ? cli_table_fixed(&t, first, 3) : cli_table_name(&t, "");
        any ? cli_table_fixed(&t, last, 3) : cli_table_name(&t, "");
        cli_table_number(&t, channel_count(scene, i));
        cli_table_number(&t, key_count(scene, i));
    }
    cli_table_print(&t, out);
}

static void meshes_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {
        .title = "Meshes",
        .heads = {"name", ">vertices", ">triangles", ">influences", ">morphs", "material"}};
    for (uint32_t i = 0; i < scene->meshes_count; i++) {
        const mrw_mesh *mesh = &scene->meshes[i];
        cli_table_name(&t, text_of(scene, mesh->name));
        cli_table_number(&t, mesh->vertex_count);
        cli_table_number(&t, mesh->triangle_count);
        cli_table_number(&t, mesh->max_influences);
        cli_table_number(&t, mesh->target_count);
        cli_table_name(&t, mesh->material == MRW_NONE
                               ? ""
                               : text_of(scene, scene->materials[mesh->material].name));
    }
    cli_table_print(&t, out);
}

static void skins_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {.title = "Skins", .heads = {"name", ">joints", "first joint"}};
    for (uint32_t i = 0; i < scene->skins_count; i++) {
        const mrw_skin *skin = &scene->skins[i];
        cli_table_name(&t, text_of(scene, skin->name));
        cli_table_number(&t, skin->joint_count);
        cli_table_name(&t, text_of(scene, scene->nodes[scene->joints[skin->first_joint]].name));
    }
    cli_table_print(&t, out);
}

/* Fills a cell with maps and the numbers of their textures: "base color 0, normal 2 (uv set 1)". */
static void maps_cell(cli_table *t, const mrw_material *material)
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
    cli_table_text(t, text.size > 0 ? text.data : "-");
    mrw_text_free(&text);
}

/* Fills a cell with "metallic 0.00, roughness 0.50", "glossiness 0.50", "shininess 32.00" or
 * "matt".
 */
static void surface_cell(cli_table *t, const mrw_material *material)
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
    cli_table_text(t, text.data ? text.data : "");
    mrw_text_free(&text);
}

static void materials_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {.title = "Materials", .heads = {"name", "alpha", "sides", "surface", "maps"}};
    for (uint32_t i = 0; i < scene->materials_count; i++) {
        const mrw_material *material = &scene->materials[i];
        cli_table_name(&t, text_of(scene, material->name));
        cli_table_text(&t, alpha_mode(material));
        cli_table_text(&t, (material->flags & MRW_MATERIAL_DOUBLE_SIDED) != 0 ? "both" : "front");
        surface_cell(&t, material);
        maps_cell(&t, material);
    }
    cli_table_print(&t, out);
}

static void textures_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {.title = "Textures", .heads = {">#", "source", ">width", ">height", "found"}};
    for (uint32_t i = 0; i < scene->textures_count; i++) {
        const mrw_image_info *image = image_of(scene, &scene->textures[i]);
        bool embedded = (image->flags & MRW_IMAGE_EMBEDDED) != 0;
        cli_table_number(&t, i);
        cli_table_name(&t, embedded ? "(embedded)" : text_of(scene, image->path));
        bool unseen = (image->flags & MRW_IMAGE_UNSEEN) != 0;
        unseen ? cli_table_text(&t, "-") : cli_table_number(&t, image->width);
        unseen ? cli_table_text(&t, "-") : cli_table_number(&t, image->height);
        cli_table_text(&t, unseen                                    ? "not used"
                           : (image->flags & MRW_IMAGE_MISSING) != 0 ? "no"
                                                                     : "yes");
    }
    cli_table_print(&t, out);
}

static void variants_table(const variants *v, mrw_text *out)
{
    cli_table t = {.title = "Variants", .heads = {">#", "name"}};
    const char *name = v->names.data;
    for (uint32_t i = 0; i < v->count && !v->names.failed; i++) {
        cli_table_number(&t, i);
        cli_table_name(&t, name);
        name += strlen(name) + 1;
    }
    cli_table_print(&t, out);
}

static void cameras_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {.title = "Cameras", .heads = {">#", "name", "node", "type"}};
    for (uint32_t i = 0; i < scene->cameras_count; i++) {
        const mrw_scene_camera *camera = &scene->cameras[i];
        cli_table_number(&t, i);
        cli_table_name(&t, text_of(scene, camera->name));
        cli_table_name(&t, text_of(scene, scene->nodes[camera->node].name));
        cli_table_text(&t, camera->orthographic ? "orthographic" : "perspective");
    }
    cli_table_print(&t, out);
}

static void lights_table(const mrw_scene *scene, mrw_text *out)
{
    cli_table t = {.title = "Lights", .heads = {"name", "node", "type", ">intensity"}};
    for (uint32_t i = 0; i < scene->lights_count; i++) {
        const mrw_scene_light *light = &scene->lights[i];
        cli_table_name(&t, text_of(scene, light->name));
        cli_table_name(&t, text_of(scene, scene->nodes[light->node].name));
        cli_table_text(&t, light_type(light));
        cli_table_fixed(&t, (double)light->intensity, 2);
    }
    cli_table_print(&t, out);
}

static void scene_text(const char *path, const mrw_scene *scene, const variants *v,
                       const mrw_bake_measure *rest, mrw_text *out)
{
    char hash[65];
    mrw_scene_hash_text(scene, hash);
    mrw_text_escaped(out, path);
    mrw_text_add(out, "\n  format      ");
    mrw_text_escaped(out, text_of(scene, scene->format));
    mrw_text_add(out, "\n  nodes       %u, drawn meshes %u", scene->nodes_count,
                 scene->draws_count);
    if (count_hidden(scene) > 0) {
        mrw_text_add(out, ", hidden nodes %u", count_hidden(scene));
    }
    mrw_text_add(out, "\n");
    mrw_text_add(out, "  rest box    %s", rest->any ? "" : "none: there are no triangles\n");
    for (int k = 0; k < 3 && rest->any; k++) {
        mrw_text_fixed(out, (double)rest->aabb_min[k], 3);
        mrw_text_add(out, " to ");
        mrw_text_fixed(out, (double)rest->aabb_max[k], 3);
        mrw_text_add(out, k < 2 ? ", " : "\n");
    }
    mrw_text_add(out, "  scene hash  %s\n", hash);
    clips_table(scene, out);
    meshes_table(scene, out);
    skins_table(scene, out);
    materials_table(scene, out);
    textures_table(scene, out);
    variants_table(v, out);
    cameras_table(scene, out);
    lights_table(scene, out);
}

/* Says a warning. The answer contains it, too, without the path. */
static void hear_warning(void *unused, const char *text)
{
    (void)unused;
    host_warn_answered(text);
}

static mrw_status show(const mrw_settings *settings, const char *path, bool separate,
                       mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_bake_measure rest;
    mrw_json json = {0};
    variants v = {.count = 0};
    mrw_session_host host = host_callbacks;
    host.user = &v;
    host.variant_found = hear_variant;
    host.no_texels = true;
    host.warning = hear_warning;
    host_answer_about(path);
    mrw_status status = mrw_session_load(path, settings, &host, &scene, error);
    if (status) {
        goto out;
    }
    status = host_check_opened(settings, NULL, error);
    if (status) {
        goto out;
    }
    if (v.names.failed) {
        status = host_fail_memory(error);
        goto out;
    }
    status = measure_rest(scene, settings, &rest, error);
    if (status) {
        goto out;
    }
    if (settings->output.json) {
        scene_json(path, scene, &v, &rest, &json);
        status = host_answer_as_it_is(&json.text, error);
    } else {
        mrw_text_add(&json.text, "%s", separate ? "\n" : "");
        scene_text(path, scene, &v, &rest, &json.text);
        status = host_print(&json.text, error);
    }
out:
    mrw_text_free(&json.text);
    mrw_text_free(&v.names);
    mrw_scene_free(scene);
    return status;
}

int cli_info(const mrw_settings *settings)
{
    int result = HOST_DONE;
    for (size_t i = 0; i < settings->arguments.count; i++) {
        mrw_error error;
        const mrw_status status = show(settings, settings->arguments.items[i], i > 0, &error);
        if (status) {
            host_complain(&error);
            result = result == HOST_DONE ? host_exit_status(status) : result;
        }
    }
    return result;
}
