/* load.c: files to scenes: finds the bytes, tells their format, calls its reader. */
#include "marrow/load.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "load/demo.h"
#include "load/format.h"
#include "load/gltf.h"
#include "load/uri.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEMO_PREFIX "demo:"

mrw_load_def mrw_load_def_default(void)
{
    mrw_load_def def;
    memset(&def, 0, sizeof def);
    def.max_file_size = UINT64_C(2) << 30;
    def.max_texture_size = UINT64_C(16384) * 16384;
    def.max_elements = 100000000;
    return def;
}

/* ---- errors -----------------------------------------------------------------------------------*/

static mrw_status fail_read(mrw_error *error, const char *path, mrwi_read_result result,
                            uint64_t max)
{
    char name[300];
    mrwi_escape(path, name, sizeof name);
    switch (result) {
    case MRWI_READ_MEMORY:
        return mrwi_fail_memory(error, 0);
    case MRWI_READ_MISSING:
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: there is no such file; check the path (demo:NAME means a built-in "
                         "model)",
                         name);
    case MRWI_READ_DENIED:
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: permission denied; allow reading it (chmod +r)", name);
    case MRWI_READ_FOLDER:
        return mrwi_fail(error, MRW_ERROR_INPUT, "%s: this is a folder; name the model file in it",
                         name);
    case MRWI_READ_SPECIAL:
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: this is no regular file; copy the model to one", name);
    case MRWI_READ_LARGE:
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the file has more than %" PRIu64 " bytes; split the model", name,
                         max);
    default:
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the file could not be read; check the disk and try again", name);
    }
}

static mrw_status fail_format(mrw_error *error, const uint8_t *bytes, size_t size, const char *file)
{
    char name[300];
    mrwi_escape(file, name, sizeof name);
    if (size == 0) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: the file is empty; copy or export the model again", name);
    }
    const char *foreign = mrwi_format_foreign(bytes, size, file);
    if (foreign != NULL) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: this is %s, which marrow does not read; it reads " MRWI_FORMATS_READ
                         ": export the model as .glb, for instance with Blender",
                         name, foreign);
    }
    if (mrwi_format_named_gltf(file)) {
        return mrwi_fail(error, MRW_ERROR_INPUT,
                         "%s: there is no glTF in it (a .glb begins with the letters glTF, a .gltf "
                         "with a brace); export the model again",
                         name);
    }
    return mrwi_fail(error, MRW_ERROR_INPUT, "%s: unknown format; marrow reads " MRWI_FORMATS_READ,
                     name);
}

/* ---- loading ----------------------------------------------------------------------------------*/

static mrw_status load_bytes(const uint8_t *bytes, size_t size, const char *name, int folder_fd,
                             const mrw_load_def *def, mrw_scene **out, mrw_error *error)
{
    mrw_load_def fallback = mrw_load_def_default();
    mrwi_fp fp = mrwi_fp_enter();
    *out = NULL;
    mrw_status status = mrwi_format_is_gltf(bytes, size)
                            ? mrwi_gltf_load(bytes, size, name, folder_fd,
                                             def != NULL ? def : &fallback, out, error)
                            : fail_format(error, bytes, size, name);
    mrwi_fp_leave(fp);
    return status;
}

static mrw_status fail_demo(mrw_error *error, const char *name)
{
    char list[256] = "", escaped[100];
    for (size_t i = 0; i < mrwi_demo_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", mrwi_demo_at(i).name);
    }
    return mrwi_fail(error, MRW_ERROR_INPUT,
                     DEMO_PREFIX "%s: there is no such built-in model; there are %s",
                     mrwi_escape(name, escaped, sizeof escaped), list);
}

static mrw_status load_demo(const char *path, const mrw_load_def *def, mrw_scene **out,
                            mrw_error *error)
{
    const char *name = path + strlen(DEMO_PREFIX);
    for (size_t i = 0; i < mrwi_demo_count; i++) {
        mrwi_demo demo = mrwi_demo_at(i);
        if (strcmp(name, demo.name) == 0) {
            return load_bytes(demo.data, demo.size, path, -1, def, out, error);
        }
    }
    return fail_demo(error, name);
}

mrw_status mrw_load_file(const char *path, const mrw_load_def *def, mrw_scene **out,
                         mrw_error *error)
{
    assert(path != NULL && out != NULL);
    *out = NULL;
    if (strncmp(path, DEMO_PREFIX, strlen(DEMO_PREFIX)) == 0) {
        return load_demo(path, def, out, error);
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    uint64_t max = (def != NULL ? *def : mrw_load_def_default()).max_file_size;
    mrwi_read_result result = mrwi_read_file(path, max, &bytes, &size);
    if (result != MRWI_READ_OK) {
        return fail_read(error, path, result, max);
    }
    int folder_fd = mrwi_open_folder_of(path);
    mrw_status status = load_bytes(bytes, size, path, folder_fd, def, out, error);
    if (folder_fd >= 0) {
        close(folder_fd);
    }
    mrwi_free(bytes);
    return status;
}

mrw_status mrw_load_memory(const void *bytes, size_t size, const char *name, const char *folder,
                           const mrw_load_def *def, mrw_scene **out, mrw_error *error)
{
    assert((bytes != NULL || size == 0) && out != NULL);
    int folder_fd = folder != NULL ? mrwi_open_folder(folder) : -1;
    const uint8_t empty = 0;
    mrw_status status = load_bytes(size > 0 ? bytes : &empty, size, name != NULL ? name : "model",
                                   folder_fd, def, out, error);
    if (folder_fd >= 0) {
        close(folder_fd);
    }
    return status;
}
