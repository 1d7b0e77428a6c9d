/* gltf.c: reads glTF 2.0 (https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html): calls the
 * readers of its parts in order. */
#include "load/gltf.h"

#include "base/parallel.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* cJSON takes about 80 bytes per value: 800 MB at most. */
#define MAX_JSON_VALUES UINT64_C(10000000)

/* The state of a load. Each step gets the parts that it reads and writes as parameters. */
typedef struct load {
    mrwi_load_gltf_document document;
    mrwi_load_gltf_file file;
    mrwi_load_gltf_tree tree;
    mrwi_load_gltf_materials materials;
    mrwi_load_gltf_images images;
    mrwi_scene_builder *builder;
    mrwi_base_arena keep; /* memory until the end of the load */
} load;

void *mrwi_load_gltf_scratch(mrwi_load_gltf_file *file, size_t count, size_t size)
{
    return mrwi_load_json_alloc(&file->json, &file->scratch, count, size);
}

bool mrwi_load_gltf_charge(mrwi_load_gltf_file *file, uint64_t count)
{
    if (count > file->budget.elements_left) {
        mrwi_load_json_fail(&file->json,
                            "the file contains more than %" PRIu64
                            " vertices, indices, keys and weights (draws, morph targets and items "
                            "without data count ten times); split it",
                            file->budget.max_elements);
        return false;
    }
    file->budget.elements_left -= count;
    return true;
}

bool mrwi_load_gltf_charge_bytes(mrwi_load_gltf_file *file, uint64_t bytes)
{
    if (bytes > file->budget.bytes_left) {
        mrwi_load_json_fail(&file->json,
                            "the buffers of the file contain more than %" PRIu64
                            " bytes; allow more with "
                            "--max-file-size",
                            file->budget.max_bytes);
        return false;
    }
    file->budget.bytes_left -= bytes;
    return true;
}

/* ---- what the file asks of its reader -------------------------------------------------------- */

static bool check_version(mrwi_load_json *json, const cJSON *root)
{
    const cJSON *asset = mrwi_load_json_object(json, root, "asset");
    const char *version = mrwi_load_json_string(json, asset, "version");
    const char *least = mrwi_load_json_string(json, asset, "minVersion");
    if (!version) {
        mrwi_load_json_fail(json,
                            "it has no \"asset\" with a \"version\", so this is not glTF 2.0");
        return false;
    }
    if (strncmp(version, "1", 1) == 0) {
        mrwi_load_json_fail(json, "it is glTF 1.0; marrow reads glTF 2.0: convert it with: npx "
                                  "gltf-pipeline -i in.gltf -o out.glb");
    } else if (strncmp(version, "2", 1) != 0 || (least && strcmp(least, "2.0") != 0)) {
        char text[64];
        mrwi_load_json_fail(json, "it needs glTF %s; marrow reads glTF 2.0",
                            mrwi_base_escape(least ? least : version, text, sizeof text));
    }
    return mrwi_load_json_good(json);
}

/* ---- the parts ------------------------------------------------------------------------------- */

static bool list_parts(mrwi_load_json *json, mrwi_base_arena *keep, const cJSON *root,
                       mrwi_load_gltf_document *out)
{
    const cJSON *punctual = mrwi_load_json_extension(json, root, "KHR_lights_punctual");
    const struct {
        const char *key;
        mrwi_load_json_list *list;
    } parts[] = {{"buffers", &out->buffers},     {"bufferViews", &out->views},
                 {"accessors", &out->accessors}, {"images", &out->images},
                 {"samplers", &out->samplers},   {"textures", &out->textures},
                 {"materials", &out->materials}, {"meshes", &out->meshes},
                 {"nodes", &out->nodes},         {"skins", &out->skins},
                 {"scenes", &out->scenes},       {"animations", &out->animations},
                 {"cameras", &out->cameras}};
    out->root = root;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].list = mrwi_load_json_objects(json, keep, root, parts[i].key);
    }
    out->lights = mrwi_load_json_objects(json, keep, punctual, "lights");
    return mrwi_load_json_good(json);
}

/* Allocates memory for the results about each entry. */
static bool start(load *l, const mrwi_load_read_job *job)
{
    const mrwi_load_gltf_document *document = &l->document;
    mrwi_load_json *json = &l->file.json;
    mrwi_load_gltf_bytes *bytes = &l->file.bytes;
    uint32_t materials = document->materials.count;
    bytes->buffers =
        mrwi_load_json_alloc_zero(json, &l->keep, document->buffers.count, sizeof *bytes->buffers);
    bytes->views =
        mrwi_load_json_alloc_zero(json, &l->keep, document->views.count, sizeof *bytes->views);
    l->tree.nodes =
        mrwi_load_json_alloc_zero(json, &l->keep, document->nodes.count, sizeof *l->tree.nodes);
    l->tree.meshes =
        mrwi_load_json_alloc_zero(json, &l->keep, document->meshes.count, sizeof *l->tree.meshes);
    l->materials.index = mrwi_load_json_alloc_none(json, &l->keep, materials);
    l->materials.drawn =
        mrwi_load_json_alloc_zero(json, &l->keep, materials, sizeof *l->materials.drawn);
    l->materials.animated =
        mrwi_load_json_alloc_zero(json, &l->keep, materials, sizeof *l->materials.animated);
    l->materials.clear =
        mrwi_load_json_alloc_zero(json, &l->keep, materials, sizeof *l->materials.clear);
    return mrwi_load_json_good(json) &&
           mrwi_load_gltf_start_images(json, &l->keep, job, document->images.count, &l->images) &&
           mrwi_load_gltf_charge(&l->file, document->nodes.count);
}

/* Counts images that no material shows. */
static uint32_t count_idle_images(const load *l)
{
    uint32_t idle = 0;
    for (uint32_t i = 0; i < l->document.images.count; i++) {
        idle += !l->images.shown[i];
    }
    return idle;
}

static bool push_materials(load *l)
{
    const bool good =
        mrwi_load_gltf_push_materials(&l->file, &l->keep, &l->materials, &l->images, l->builder);
    mrwi_load_progress_add(&l->file.progress, good ? count_idle_images(l) : 0);
    return good;
}

/* Gives everything to the builder. Images are decoded meanwhile. */
static void push_all(void *user)
{
    load *l = user;
    mrwi_load_gltf_file *file = &l->file;
    mrwi_scene_builder *builder = l->builder;
    (void)(mrwi_load_gltf_push_nodes(file, &l->tree, builder) &&
           mrwi_load_gltf_push_skins(file, builder) && push_materials(l) &&
           mrwi_load_gltf_draco_decode(file, &l->keep, &l->tree, builder) &&
           mrwi_load_gltf_push_meshes(file, &l->tree, &l->materials, builder) &&
           mrwi_load_gltf_push_draws(file, &l->tree, builder) &&
           (file->progress.def->clips_only || mrwi_load_gltf_push_bones(file, &l->tree, builder)) &&
           mrwi_load_gltf_push_views(&file->json, file->document, &l->tree, builder) &&
           mrwi_load_gltf_push_animations(file, &l->tree, &l->materials, builder) &&
           mrwi_load_gltf_take_images(&file->json, &l->images, builder));
}

/* Returns the number of threads that have something to do. */
static int team_size(const mrwi_load_gltf_document *document,
                     const mrwi_load_gltf_materials *materials, int threads)
{
    uint32_t most = document->images.count + 1;
    bool drawn = false;
    for (uint32_t i = 0; i < document->materials.count; i++) {
        drawn = drawn || materials->drawn[i];
    }
    return !drawn || document->images.count == 0 ? 1
           : most < (uint32_t)threads            ? (int)most
                                                 : threads;
}

/* Gives back the memory of everything that has been read: freezing takes the most. */
static void release(load *l, const mrwi_load_read_job *job)
{
    mrwi_load_gltf_bytes_free(&l->file.bytes, &l->document);
    l->file.bytes = (mrwi_load_gltf_bytes){.buffers = NULL};
    mrwi_base_arena_free(&l->file.scratch);
    if (job->releasable) {
        mrwi_base_release((void *)(uintptr_t)job->bytes, job->size);
    }
}

/* Builds the scene and freezes it. */
static void build(load *l, const mrwi_load_read_job *job, const cJSON *root, mrw_scene **out)
{
    const mrw_load_def *def = job->def;
    const mrwi_load_gltf_document *document = &l->document;
    mrwi_load_json *json = &l->file.json;
    if (!list_parts(json, &l->keep, root, &l->document) || !start(l, job) ||
        !mrwi_load_gltf_choose_variant(json, &l->keep, def, l->builder, &l->document) ||
        !mrwi_load_gltf_read_meshes(json, &l->keep, document, l->tree.meshes) ||
        !mrwi_load_gltf_read_tree(&l->file, &l->keep, def->scene, &l->tree)) {
        return;
    }
    if (!def->clips_only) {
        mrwi_load_gltf_find_drawn(document, &l->tree, &l->materials);
    }
    mrwi_load_gltf_find_animated(document, &l->materials);
    l->file.progress.def = def;
    l->file.progress.count =
        document->images.count + document->meshes.count + document->animations.count;
    l->images.progress = &l->file.progress;
    mrwi_base_tasks_run(team_size(document, &l->materials, def->threads), push_all, l);
    if (mrwi_load_json_good(json)) {
        release(l, job);
        mrwi_load_json_ok(json, mrwi_scene_builder_finish(l->builder, out, json->error));
    }
}

static void run(load *l, const mrwi_load_read_job *job, const mrwi_load_glb *glb, mrw_scene **out)
{
    mrwi_load_json *json = &l->file.json;
    cJSON *root = mrwi_load_json_parse(json, glb->text, glb->text_size, MAX_JSON_VALUES);
    const char *format = mrwi_load_glb_is(job->bytes, job->size) ? "glb2" : "gltf2";
    if (root && check_version(json, root) && mrwi_load_gltf_check_extensions(json, root) &&
        mrwi_load_json_ok(json, mrwi_load_job_builder(job, format, &l->builder, json->error)) &&
        mrwi_load_gltf_tell_extensions(json, root, l->builder)) {
        build(l, job, root, out);
    }
    mrwi_scene_builder_free(l->builder);
    mrwi_load_gltf_images_free(&l->images);
    mrwi_load_gltf_bytes_free(&l->file.bytes, &l->document);
    mrwi_base_free(l->file.draco.answer);
    cJSON_Delete(root);
}

mrw_status mrwi_load_gltf_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    const mrw_load_def *def = job->def;
    load l;
    memset(&l, 0, sizeof l);
    mrwi_load_json_begin(&l.file.json, job->name, error);
    mrwi_load_glb glb = {(const char *)job->bytes, job->size, NULL, 0};
    if (!mrwi_load_glb_is(job->bytes, job->size) ||
        mrwi_load_glb_split(&l.file.json, job->bytes, job->size, &glb)) {
        l.file.job = job;
        l.file.document = &l.document;
        l.file.bytes = (mrwi_load_gltf_bytes){job->files, glb.bin, glb.bin_size, NULL, NULL};
        l.file.budget = (mrwi_load_gltf_budget){def->max_elements, def->max_elements,
                                                def->max_file_size, def->max_file_size};
        run(&l, job, &glb, out);
    }
    mrwi_base_arena_free(&l.file.scratch);
    mrwi_base_arena_free(&l.keep);
    return l.file.json.status;
}
