/* heights.c: gives the model's materials the height map of --displacement, and divides triangles
 * for --subdivide, so that the map has more vertices to move. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "base/text.h"
#include "image/decode.h"
#include "scene/derive.h"
#include "session/internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file of a height map. */
typedef struct height_file {
    char path[MRWI_BASE_PATH_MAX];
    char label[300]; /* for messages */
    uint8_t *bytes;
    size_t size;
    uint8_t hash[32];
} height_file;

/* Reads the file at the path as given, or where textures of the model are looked for. */
static mrwi_base_read_result find(const mrwi_session_source *model, const mrw_load_def *def,
                                  height_file *out)
{
    char folder[MRWI_BASE_PATH_MAX];
    mrwi_load_local_files files;
    mrwi_base_read_result result =
        mrwi_base_read_path(out->path, def->max_file_size, &out->bytes, &out->size);
    if (result == MRWI_BASE_READ_OK && def->file_opened) {
        const int fd = open(out->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0) {
            def->file_opened(def->file_opened_user, fd);
            close(fd);
        }
    }
    if (result != MRWI_BASE_READ_MISSING ||
        mrwi_load_local_files_open(&files, mrwi_session_folder_of(model, folder), def, NULL)) {
        return result;
    }
    files.exact = true; /* a user wrote the path */
    const mrwi_sandbox_files reader = mrwi_load_local_files_reader(&files);
    result =
        reader.read(reader.user, MRWI_SANDBOX_FILE_TEXTURE, out->path, &out->bytes, &out->size);
    mrwi_load_local_files_close(&files);
    return result == MRWI_BASE_READ_OUTSIDE ? MRWI_BASE_READ_MISSING : result;
}

static mrwi_base_read_result read_heights(const mrwi_session_source *model,
                                          const mrw_settings *settings,
                                          const mrw_displacement *displacement,
                                          const mrw_load_def *def, height_file *out)
{
    mrwi_base_sha256 hash;
    *out = (height_file){.bytes = NULL};
    if (displacement->path_length >= sizeof out->path) {
        return MRWI_BASE_READ_MISSING;
    }
    memcpy(out->path, settings->model.displacement, displacement->path_length);
    mrwi_base_escape(out->path, out->label, sizeof out->label);
    const mrwi_base_read_result result = find(model, def, out);
    if (result == MRWI_BASE_READ_OK) {
        mrwi_base_sha256_begin(&hash);
        mrwi_base_sha256_add(&hash, out->bytes, out->size);
        mrwi_base_sha256_end(&hash, out->hash);
    }
    return result;
}

/* Decodes a height map and gives it to the scene. */
static mrw_status displace(const height_file *file, const mrw_displacement *displacement,
                           const mrw_load_def *def, const char *model, const mrw_scene *base,
                           mrw_scene **out, mrw_error *error)
{
    mrw_image image = {.width = 0};
    bool deep;
    mrw_status status = mrwi_image_decode_heights(file->bytes, file->size, def->max_texture_size,
                                                  file->label, &image, &deep, error);
    if (status) {
        goto out;
    }
    const uint64_t used = mrw_scene_texture_memory(base);
    if (mrw_image_memory(image.width, image.height) >
        (used < def->texture_memory ? def->texture_memory - used : 0)) {
        status = mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "--displacement %s: %" PRIu32 "x%" PRIu32
            " texels need more memory than --texture-memory has left; scale it down, or allow more",
            file->label, image.width, image.height);
        goto out;
    }
    mrwi_scene_heights heights = {.width = image.width,
                                  .height = image.height,
                                  .rgba = image.pixels,
                                  .deep = deep,
                                  .scale = displacement->scale,
                                  .midlevel = displacement->midlevel};
    memcpy(heights.hash, file->hash, sizeof heights.hash);
    status = mrwi_scene_displace(base, &heights, model, out, error);
out:
    mrw_image_free(&image);
    return status;
}

/* Warns of a mesh without texture coordinates: one point of the map moves all its vertices. */
static void warn_missing_uvs(const mrw_session_host *host, const mrw_scene *scene,
                             const char *label)
{
    char text[500], name[100];
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_mesh *mesh = &scene->meshes[scene->draws[d].mesh];
        const mrw_material *material = &scene->materials[mesh->material];
        if (mesh->uv[material->maps[MRW_MAP_DISPLACEMENT].uv_set] == MRW_NONE) {
            snprintf(text, sizeof text,
                     "--displacement %s: mesh \"%s\" has no texture coordinates, so one point of "
                     "the map moves all of it",
                     label,
                     mrwi_base_escape(mrw_scene_string(scene, mesh->name), name, sizeof name));
            mrwi_session_warn(host, text);
            return;
        }
    }
}

static mrw_status add_heights(const mrwi_session_source *source, const mrw_settings *settings,
                              const mrw_session_host *host, mrwi_load_opened *opened,
                              const mrw_scene *base, mrw_scene **out, mrw_error *error)
{
    const mrw_load_def def = mrw_session_load_def(settings, host);
    mrw_displacement displacement;
    height_file file;
    mrw_displacement_parse(settings->model.displacement, &displacement);
    if (displacement.path_length == 0) {
        return mrwi_scene_displace(base, NULL, source->path, out, error);
    }
    const mrwi_base_read_result result = read_heights(source, settings, &displacement, &def, &file);
    mrw_status status = MRW_OK;
    if (result != MRWI_BASE_READ_OK) {
        status = mrwi_base_fail(
            error, result == MRWI_BASE_READ_MEMORY ? MRW_ERROR_MEMORY : MRW_ERROR_INPUT,
            "--displacement %s: the texture %s%s", file.label, mrwi_base_read_reason(result),
            result == MRWI_BASE_READ_MISSING
                ? "; it was looked for at the path as given, next to the model, and in the "
                  "folders of --texture-dir"
                : "");
        goto out;
    }
    if (opened) {
        memcpy(opened->model, file.hash, sizeof opened->model);
    }
    status = displace(&file, &displacement, &def, source->path, base, out, error);
    if (status) {
        goto out;
    }
    warn_missing_uvs(host, *out, file.label);
out:
    mrwi_base_free(file.bytes);
    return status;
}

/* Frees a scene and puts another in its place. */
static void replace(mrw_scene **scene, mrw_scene *made)
{
    mrw_scene_free(*scene);
    *scene = made;
}

mrw_status mrwi_session_displace(const mrwi_session_source *source, const mrw_settings *settings,
                                 const mrw_session_host *host, mrwi_load_opened *opened,
                                 mrw_scene **scene, mrw_error *error)
{
    const uint32_t levels = settings->model.subdivide;
    mrw_status status = MRW_OK;
    mrw_scene *made = NULL;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    if (settings->model.displacement) {
        status = add_heights(source, settings, host, opened, *scene, &made, error);
        replace(scene, status ? NULL : made);
        if (status) {
            goto out;
        }
    }
    if (levels > 0) {
        status = mrwi_scene_subdivide(*scene, levels, settings->files.max_vertices, source->path,
                                      &made, error);
        replace(scene, status ? NULL : made);
    }
out:
    mrwi_base_fp_leave(fp);
    return status;
}

bool mrwi_session_heights_again(const mrwi_load_opened *opened, const mrwi_session_source *source,
                                const mrw_settings *settings, const mrw_session_host *host)
{
    const mrw_load_def def = mrw_session_load_def(settings, host);
    mrw_displacement displacement = {.path_length = 0};
    height_file file;
    if (settings->model.displacement) {
        mrw_displacement_parse(settings->model.displacement, &displacement);
    }
    if (displacement.path_length == 0) {
        return true;
    }
    const mrwi_base_read_result result = read_heights(source, settings, &displacement, &def, &file);
    mrwi_base_free(file.bytes);
    return memcmp(file.hash, opened->model, sizeof file.hash) == 0 &&
           (result == MRWI_BASE_READ_OK || result == MRWI_BASE_READ_MISSING);
}
