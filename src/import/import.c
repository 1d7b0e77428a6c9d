/* import.c: reads every format that assimp reads: opens the file in memory, imports it, converts
 * it.
 *
 * It runs in the import helper. The scene of assimp is not released: with two FBX joints of one
 * name assimp would free memory twice, and the helper leaves with _exit. */
#include "import/import.h"

#include "base/text.h"
#include "import/dae.h"
#include "import/io.h"
#include "import/utf16.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failing, memory ------------------------------------------------------------------------- */

bool mrwi_import_fail(mrwi_import_resources *res, const char *format, ...)
{
    char text[800], name[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mrwi_base_escape(res->job->name, name, sizeof name);
    res->status = mrwi_base_fail(res->error, MRW_ERROR_INPUT, "%s: %s", name, text);
    return false;
}

bool mrwi_import_ok(mrwi_import_resources *res, mrw_status status)
{
    if (!res->status) {
        res->status = status;
    }
    return !res->status;
}

static void *take(mrwi_import_resources *res, mrwi_base_arena *arena, uint64_t count, size_t size)
{
    void *block = count <= SIZE_MAX ? mrwi_base_arena_alloc(arena, (size_t)count, size) : NULL;
    if (!block) {
        res->status = mrwi_base_fail_memory(res->error, 0);
        return NULL;
    }
    return memset(block, 0, (size_t)count * size);
}

void *mrwi_import_keep(mrwi_import_resources *res, uint64_t count, size_t size)
{
    return take(res, &res->keep, count, size);
}

void *mrwi_import_scratch(mrwi_import_resources *res, uint64_t count, size_t size)
{
    return take(res, &res->scratch, count, size);
}

bool mrwi_import_charge(mrwi_import_resources *res, uint64_t count)
{
    if (count > res->elements_left) {
        return mrwi_import_fail(res,
                                "the file contains more than %" PRIu64
                                " nodes, vertices, indices, influences and keys",
                                res->job->def->max_elements);
    }
    res->elements_left -= count;
    return true;
}

/* ---- small readers --------------------------------------------------------------------------- */

const char *mrwi_import_text(const struct aiString *string)
{
    return memchr(string->data, '\0', sizeof string->data) ? string->data : "";
}

const char *mrwi_import_unmarked(const mrwi_import_source *source, const char *name,
                                 mrwi_import_resources *res)
{
    const char *mark = source->is_fbx ? strchr(name, MRWI_IMPORT_FBX_MARK) : NULL;
    if (!mark) {
        return name;
    }
    size_t before = (size_t)(mark - name), length = strlen(name);
    const char *behind = mark + 1 + strspn(mark + 1, "0123456789");
    char *copy = mrwi_import_keep(res, length + 1, 1);
    if (!copy) {
        return "";
    }
    memcpy(copy, name, before);
    memcpy(copy + before, behind, length - (size_t)(behind - name));
    return copy;
}

static bool entry_number(const struct aiMetadataEntry *entry, double *out)
{
    if (!entry->mData) {
        return false;
    }
    switch (entry->mType) {
    case AI_BOOL:
        *out = *(const bool *)entry->mData ? 1.0 : 0.0;
        return true;
    case AI_INT32:
        *out = (double)*(const int32_t *)entry->mData;
        return true;
    case AI_UINT64:
        *out = (double)*(const uint64_t *)entry->mData;
        return true;
    case AI_FLOAT:
        *out = (double)*(const float *)entry->mData;
        return true;
    case AI_DOUBLE:
        *out = *(const double *)entry->mData;
        return true;
    default:
        return false;
    }
}

static const struct aiMetadataEntry *find_entry(const struct aiMetadata *metadata, const char *key)
{
    if (!metadata || !metadata->mKeys || !metadata->mValues) {
        return NULL;
    }
    for (unsigned i = 0; i < metadata->mNumProperties; i++) {
        if (strcmp(mrwi_import_text(&metadata->mKeys[i]), key) == 0) {
            return &metadata->mValues[i];
        }
    }
    return NULL;
}

bool mrwi_import_number(const struct aiMetadata *metadata, const char *key, double *out)
{
    const struct aiMetadataEntry *entry = find_entry(metadata, key);
    return entry && entry_number(entry, out);
}

const char *mrwi_import_word(const struct aiMetadata *metadata, const char *key)
{
    const struct aiMetadataEntry *entry = find_entry(metadata, key);
    return entry && entry->mType == AI_AISTRING && entry->mData
               ? mrwi_import_text((const struct aiString *)entry->mData)
               : "";
}

/* ---- importing ------------------------------------------------------------------------------- */

static void set_properties(struct aiPropertyStore *store)
{
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
}

static void warn_collada(const mrwi_load_read_job *job, uint32_t tags, mrwi_scene_builder *builder)
{
    const char *text = (const char *)job->bytes;
    mrwi_import_left_out left_out = {0, 0};
    if (tags & MRWI_IMPORT_DAE_MORPH) {
        left_out = mrwi_import_dae_morphs_left_out(text, job->size);
    }
    if (left_out.morphs > 0) {
        mrwi_scene_builder_warn(
            builder,
            "some of its morphs are ignored (%zu): they are relative or damaged, or their weights "
            "differ from the first one's; export the model as .glb to see them",
            left_out.morphs);
    }
    if (left_out.curves > 0) {
        mrwi_scene_builder_warn(builder,
                                "curves that animate its morph weights are ignored (%zu); export "
                                "the model as .glb to see them",
                                left_out.curves);
    }
    if ((tags & MRWI_IMPORT_DAE_DISPLACEMENT) && mrwi_import_dae_displaces(text, job->size)) {
        mrwi_scene_builder_warn(builder,
                                "its displacement maps are ignored: Collada does not define their "
                                "scale; use --displacement TEXTURE:SCALE to apply one");
    }
}

/* Lets assimp cut small polygons. Large ones are cut when their mesh is read. */
static void triangulate(mrwi_import_resources *res, mrwi_import_source *source)
{
    if (!source->scene) {
        return;
    }
    if (!mrwi_import_polygons_take((struct aiScene *)(uintptr_t)source->scene, &source->polygons)) {
        res->status = mrwi_base_fail_memory(res->error, 0);
        return;
    }
    source->scene = aiApplyPostProcessing(source->scene, aiProcess_Triangulate);
    if (source->scene) {
        mrwi_import_polygons_restore(&source->polygons);
    }
}

/* Imports the file. assimp is asked for triangles only: points and lines are left out here,
 * joining vertices there ignores bones and morphs, and sorting by primitive type fails if
 * nothing remains. */
static bool import(mrwi_import_resources *res, mrwi_scene_builder *builder,
                   mrwi_import_source *source)
{
    struct aiPropertyStore *store = aiCreatePropertyStore();
    mrwi_import_files *files = mrwi_import_files_open(source->job);
    if (!store || !files) {
        res->status = mrwi_base_fail_memory(res->error, 0);
    } else {
        set_properties(store);
        aiDetachAllLogStreams();
        source->scene = aiImportFileExWithProperties(mrwi_import_files_model(files), 0,
                                                     mrwi_import_files_io(files), store);
        triangulate(res, source);
        mrwi_import_files_report(files, builder);
        if (!mrwi_import_files_take_extras(files, &source->extras)) {
            res->status = mrwi_base_fail_memory(res->error, 0);
        }
        warn_collada(source->job, source->extras.dae_tags, builder);
        if (source->scene) {
            source->colors = mrwi_import_find_colors(source);
        }
    }
    mrwi_import_files_close(files);
    if (store) {
        aiReleasePropertyStore(store);
    }
    if (!res->status && !source->scene) {
        char why[400];
        return mrwi_import_fail(
            res,
            "it cannot be read: %s; the file is damaged, or contains something the importer does "
            "not support: export it again, for instance as .glb",
            mrwi_base_escape(aiGetErrorString(), why, sizeof why));
    }
    return !res->status;
}

static bool check_scene(const struct aiScene *s, mrwi_import_resources *res)
{
    if (!s->mRootNode || (s->mNumMeshes > 0 && !s->mMeshes) ||
        (s->mNumMaterials > 0 && !s->mMaterials) || (s->mNumAnimations > 0 && !s->mAnimations) ||
        (s->mNumTextures > 0 && !s->mTextures) || (s->mNumCameras > 0 && !s->mCameras) ||
        (s->mNumLights > 0 && !s->mLights)) {
        return mrwi_import_fail(res, "the importer found no model in it: give the file that "
                                     "contains one, or export it as .glb");
    }
    return true;
}

static bool convert(const mrwi_import_source *source, mrwi_import_resources *res,
                    mrwi_scene_builder *builder)
{
    mrwi_import_tree tree;
    uint32_t *materials;
    bool any_triangles;
    return mrwi_import_push_tree(source, res, builder, &tree) &&
           mrwi_import_push_materials(source, res, builder, &materials) &&
           mrwi_import_push_meshes(&tree, materials, res, builder, &any_triangles) &&
           (any_triangles || mrwi_import_push_bones(&tree, res, builder)) &&
           mrwi_import_push_views(&tree, res, builder) &&
           mrwi_import_push_clips(&tree, res, builder);
}

static mrw_status read_utf8(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    mrwi_import_source source = {.job = job, .is_fbx = strcmp(job->format, "fbx") == 0};
    mrwi_import_resources res = {
        .job = job, .elements_left = job->def->max_elements, .error = error};
    mrwi_scene_builder *builder = NULL;
    if (mrwi_import_ok(&res, mrwi_load_job_builder(job, job->format, &builder, error)) &&
        import(&res, builder, &source) && check_scene(source.scene, &res) &&
        convert(&source, &res, builder)) {
        mrwi_import_ok(&res, mrwi_scene_builder_finish(builder, out, error));
    }
    mrwi_scene_builder_free(builder);
    mrwi_import_polygons_free(&source.polygons);
    mrwi_import_extras_free(&source.extras);
    mrwi_base_arena_free(&res.keep);
    mrwi_base_arena_free(&res.scratch);
    return res.status;
}

mrw_status mrwi_import_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    mrwi_load_read_job utf8 = *job;
    uint8_t *text = NULL;
    *out = NULL;
    if (strcmp(job->format, "collada") == 0 && mrwi_import_utf16_is(job->bytes, job->size)) {
        text = mrwi_import_utf16_to_utf8(job->bytes, job->size, &utf8.size);
        if (!text) {
            return mrwi_base_fail_memory(error, job->size);
        }
        utf8.bytes = text;
    }
    mrw_status status = read_utf8(&utf8, out, error);
    mrwi_base_free(text);
    return status;
}
