/* gltf.c: reads glTF 2.0 (https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html): the order in
 * which the parts of a file become a scene. */
#include "load/gltf.h"

#include "base/parallel.h"
#include "base/text.h"
#include "load/texture.h"

#include <inttypes.h>
#include <string.h>

/* cJSON takes about 80 bytes a value: 800 MB at most. */
#define MAX_JSON_VALUES UINT64_C(10000000)

void *mrwi_load_gltf_scratch(mrwi_load_gltf *g, size_t count, size_t size)
{
    void *block = mrwi_base_arena_alloc(&g->scratch, count, size);
    if (!block) {
        mrwi_load_json_fail_memory(&g->json, count * size);
    }
    return block;
}

void *mrwi_load_gltf_keep(mrwi_load_gltf *g, size_t count, size_t size)
{
    void *block = mrwi_base_arena_alloc(&g->keep, count, size);
    if (!block) {
        mrwi_load_json_fail_memory(&g->json, count * size);
        return NULL;
    }
    return memset(block, 0, count * size);
}

bool mrwi_load_gltf_charge(mrwi_load_gltf *g, uint64_t count)
{
    if (count > g->elements_left) {
        mrwi_load_json_fail(
            &g->json,
            "the file holds more than %" PRIu64
            " vertices, indices, keys and weights (draws, morph targets and what has no "
            "data count ten times); split it",
            g->def->max_elements);
        return false;
    }
    g->elements_left -= count;
    return true;
}

bool mrwi_load_gltf_charge_bytes(mrwi_load_gltf *g, uint64_t bytes)
{
    if (bytes > g->bytes_left) {
        mrwi_load_json_fail(&g->json,
                            "the buffers of the file hold more than %" PRIu64
                            " bytes; allow more with "
                            "--max-file-size",
                            g->def->max_file_size);
        return false;
    }
    g->bytes_left -= bytes;
    return true;
}

/* ---- what the file asks of its reader -------------------------------------------------------- */

static bool check_version(mrwi_load_gltf *g)
{
    const cJSON *asset = mrwi_load_json_object(&g->json, g->root, "asset");
    const char *version = mrwi_load_json_string(&g->json, asset, "version");
    const char *least = mrwi_load_json_string(&g->json, asset, "minVersion");
    if (!version) {
        mrwi_load_json_fail(&g->json,
                            "it has no \"asset\" with a \"version\", so this is not glTF 2.0");
        return false;
    }
    if (strncmp(version, "1", 1) == 0) {
        mrwi_load_json_fail(&g->json, "it is glTF 1.0; marrow reads glTF 2.0: convert it with: npx "
                                      "gltf-pipeline -i in.gltf -o out.glb");
    } else if (strncmp(version, "2", 1) != 0 || (least && strcmp(least, "2.0") != 0)) {
        char text[64];
        mrwi_load_json_fail(&g->json, "it needs glTF %s; marrow reads glTF 2.0",
                            mrwi_base_escape(least ? least : version, text, sizeof text));
    }
    return mrwi_load_gltf_good(g);
}

/* Advice for extensions that are met; NULL for others. */
static const char *conversion(const char *extension)
{
    static const char *const commands[][2] = {{"KHR_draco_mesh_compression", "copy"},
                                              {"KHR_meshopt_compression", "copy"},
                                              {"KHR_texture_basisu", "ktxdecompress"},
                                              {"EXT_texture_webp", "png"},
                                              {"EXT_texture_avif", "png"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(extension, commands[i][0]) == 0) {
            return commands[i][1];
        }
    }
    return NULL;
}

static bool is_read(const char *extension)
{
    static const char *const names[] = {"KHR_mesh_quantization",
                                        "EXT_meshopt_compression",
                                        "KHR_animation_pointer",
                                        "KHR_texture_transform",
                                        "KHR_lights_punctual",
                                        "KHR_materials_unlit",
                                        "KHR_materials_emissive_strength",
                                        "KHR_materials_pbrSpecularGlossiness"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(extension, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_extensions(mrwi_load_gltf *g)
{
    const cJSON *list = mrwi_load_json_array(&g->json, g->root, "extensionsRequired");
    for (const cJSON *e = list ? list->child : NULL; e; e = e->next) {
        char name[128];
        if (!cJSON_IsString(e)) {
            mrwi_load_json_fail(&g->json, "\"extensionsRequired\" must hold strings");
        } else if (!is_read(e->valuestring)) {
            const char *command = conversion(e->valuestring);
            mrwi_load_json_fail(
                &g->json, "it needs the extension %s, which marrow does not read%s%s%s",
                mrwi_base_escape(e->valuestring, name, sizeof name),
                command ? "; convert it with: npx @gltf-transform/cli " : "",
                command ? command : "", command ? " in.glb out.glb" : "; export it without");
        }
    }
    return mrwi_load_gltf_good(g);
}

/* ---- the parts ------------------------------------------------------------------------------- */

static uint32_t *none_indices(mrwi_load_gltf *g, uint32_t count)
{
    uint32_t *indices = mrwi_load_gltf_keep(g, count, sizeof *indices);
    if (indices) {
        memset(indices, 0xff, count * sizeof *indices); /* MRW_NONE */
    }
    return indices;
}

static bool list_parts(mrwi_load_gltf *g)
{
    const cJSON *punctual = mrwi_load_json_extension(&g->json, g->root, "KHR_lights_punctual");
    const struct {
        const char *key;
        mrwi_load_json_list *list;
    } parts[] = {
        {"buffers", &g->buffers},     {"bufferViews", &g->views}, {"accessors", &g->accessors},
        {"images", &g->images},       {"samplers", &g->samplers}, {"textures", &g->textures},
        {"materials", &g->materials}, {"meshes", &g->meshes},     {"nodes", &g->nodes},
        {"skins", &g->skins},         {"scenes", &g->scenes},     {"animations", &g->animations},
        {"cameras", &g->cameras}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].list = mrwi_load_json_objects(&g->json, &g->keep, g->root, parts[i].key);
    }
    g->lights = mrwi_load_json_objects(&g->json, &g->keep, punctual, "lights");
    g->buffer_data = mrwi_load_gltf_keep(g, g->buffers.count, sizeof *g->buffer_data);
    g->view_data = mrwi_load_gltf_keep(g, g->views.count, sizeof *g->view_data);
    g->node_data = mrwi_load_gltf_keep(g, g->nodes.count, sizeof *g->node_data);
    g->mesh_data = mrwi_load_gltf_keep(g, g->meshes.count, sizeof *g->mesh_data);
    g->skin_joints = mrwi_load_gltf_keep(g, g->skins.count, sizeof *g->skin_joints);
    g->material_index = none_indices(g, g->materials.count);
    g->texture_index = none_indices(g, g->textures.count);
    g->image_index = none_indices(g, g->images.count);
    g->texture_image = none_indices(g, g->textures.count);
    g->texture_shown = mrwi_load_gltf_keep(g, g->textures.count, sizeof *g->texture_shown);
    g->material_drawn = mrwi_load_gltf_keep(g, g->materials.count, sizeof *g->material_drawn);
    return mrwi_load_gltf_good(g) && mrwi_load_gltf_start_images(g) &&
           mrwi_load_gltf_charge(g, g->nodes.count);
}

/* Gives everything to the builder. Images are decoded meanwhile. */
static void push_all(void *user)
{
    mrwi_load_gltf *g = user;
    (void)(mrwi_load_gltf_push_nodes(g) && mrwi_load_gltf_push_skins(g) &&
           mrwi_load_gltf_push_materials(g) && mrwi_load_gltf_push_meshes(g) &&
           mrwi_load_gltf_push_draws(g) && mrwi_load_gltf_push_views(g) &&
           mrwi_load_gltf_push_animations(g) && mrwi_load_gltf_take_images(g));
}

/* Threads that have something to do. */
static int team_size(const mrwi_load_gltf *g)
{
    uint32_t most = g->images.count + 1;
    bool drawn = false;
    for (uint32_t i = 0; i < g->materials.count; i++) {
        drawn = drawn || g->material_drawn[i];
    }
    return !drawn || g->images.count == 0     ? 1
           : most < (uint32_t)g->def->threads ? (int)most
                                              : g->def->threads;
}

/* Builds everything and freezes it. */
static void build(mrwi_load_gltf *g, mrw_scene **out)
{
    if (!list_parts(g) || !mrwi_load_gltf_read_meshes(g) || !mrwi_load_gltf_read_tree(g)) {
        return;
    }
    mrwi_load_gltf_find_drawn(g);
    mrwi_base_tasks_run(team_size(g), push_all, g);
    if (mrwi_load_gltf_good(g)) {
        mrwi_load_json_ok(&g->json, mrwi_scene_builder_finish(g->builder, out, g->json.error));
    }
}

static void run(mrwi_load_gltf *g, const mrwi_load_read_job *job, bool binary, mrw_scene **out)
{
    cJSON *root = mrwi_load_json_parse(&g->json, g->glb.text, g->glb.text_size, MAX_JSON_VALUES);
    g->root = root;
    if (root && check_version(g) && check_extensions(g) &&
        mrwi_load_json_ok(&g->json, mrwi_load_job_builder(job, binary ? "glb2" : "gltf2",
                                                          &g->builder, g->json.error))) {
        build(g, out);
    }
    mrwi_scene_builder_free(g->builder);
    mrwi_load_gltf_images_free(g);
    mrwi_load_gltf_buffers_free(g);
    cJSON_Delete(root);
}

mrw_status mrwi_load_gltf_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    mrwi_load_gltf g;
    memset(&g, 0, sizeof g);
    mrwi_load_json_begin(&g.json, job->name, error);
    g.def = job->def;
    g.files = job->files;
    g.elements_left = g.def->max_elements;
    g.bytes_left = g.def->max_file_size;
    g.textures_left = mrwi_load_texture_budget_of(g.def);
    bool binary = mrwi_load_glb_is(job->bytes, job->size);
    g.glb = (mrwi_load_glb){(const char *)job->bytes, job->size, NULL, 0};
    if (!binary || mrwi_load_glb_split(&g.json, job->bytes, job->size, &g.glb)) {
        run(&g, job, binary, out);
    }
    mrwi_base_free(g.row_map);
    mrwi_base_arena_free(&g.scratch);
    mrwi_base_arena_free(&g.keep);
    return g.json.status;
}
