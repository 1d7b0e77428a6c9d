/* load.h: files to scenes. */
#ifndef MARROW_LOAD_H
#define MARROW_LOAD_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrw_load_def {
    const char *const *texture_dirs; /* searched after the path as written and the basename beside
                                        the model; may be NULL */
    size_t texture_dir_count;
    uint64_t max_file_size;    /* bytes of one file, of all buffers of a model together, and of all
                                  its images; default 2 GiB */
    uint64_t max_texture_size; /* pixels of one texture; all of a model together may have twice as
                                  many; default 16384 * 16384 */
    uint64_t max_elements; /* vertices, indices, keys, weights and nodes read of one file; draws,
                              morph targets and rows without data count ten times; default 100
                              million (more than ten million make a load last seconds) */
} mrw_load_def;

MRW_API mrw_load_def mrw_load_def_default(void);

/* Loads a model file: glTF 2.0 (.gltf, .glb), told by its content, not by its extension.
 * "demo:NAME" loads one of the project's own models, which are part of the library: figure,
 * tentacle, blob, stage.
 *
 * External buffers and textures are opened only below the model's folder (textures also in
 * texture_dirs); other paths are refused. A missing texture is one warning in scene->warnings and a
 * visible checker. What cannot be repaired is MRW_ERROR_INPUT with file, element and reason.
 * def may be NULL for the defaults. The caller frees *out with mrw_scene_free. Thread-safe. */
MRW_API mrw_status mrw_load_file(const char *path, const mrw_load_def *def, mrw_scene **out,
                                 mrw_error *error);

/* The same from memory, which is only read during the call. `name` stands in messages; `folder` is
 * where relative URIs are looked up (NULL: nowhere, external files are refused). */
MRW_API mrw_status mrw_load_memory(const void *bytes, size_t size, const char *name,
                                   const char *folder, const mrw_load_def *def, mrw_scene **out,
                                   mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
