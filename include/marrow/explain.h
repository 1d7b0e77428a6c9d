/* explain.h: what a scene holds, for programs and for people, as `marrow info` prints it: meshes,
 * skins, clips, materials, textures, variants, cameras, lights and the scene's hash.
 *
 *     mrw_scene_origin origin = {.path = path};
 *     mrw_json json = {0};
 *     mrw_json_open(&json, '{');
 *     mrw_scene_describe_json(scene, &origin, &json);
 *     mrw_json_close(&json, '}');
 *
 * These functions only read the scene, so any number of threads may describe one scene, each into
 * a text of its own. They cannot fail: the text's `failed` says if memory ran out.
 */
#ifndef MARROW_EXPLAIN_H
#define MARROW_EXPLAIN_H

#include "json.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Facts about a model that its scene does not hold. Everything is borrowed for the call. */
typedef struct mrw_scene_origin {
    /* Path of the file, or another name for the model. Never NULL. */
    const char *path;
    /* Names of the file's variants (mrw_load_def.variant_found), one after the other, each with its
     * NUL. NULL: there are none. */
    const char *variants;
    /* Number of those names. */
    uint32_t variant_count;
    /* [6] Smallest x, y and z of the rest pose in world space, then the largest, in the file's
     * units (mrw_bake_measure_rest). NULL: there are no triangles. */
    const float *rest_box;
} mrw_scene_origin;

/* Adds the description to an open object of a JSON document: the keys from "schema", which is 1, to
 * "bounds_rest". The scene's warnings are left to the caller, who may have more of them. Numbers
 * are exact; names are as in the file. */
MRW_API void mrw_scene_describe_json(const mrw_scene *scene, const mrw_scene_origin *origin,
                                     mrw_json *json);

/* Adds the description as lines and tables for a terminal, in UTF-8 and without colours. Names are
 * escaped and numbers are rounded; a part without entries has no table. */
MRW_API void mrw_scene_describe(const mrw_scene *scene, const mrw_scene_origin *origin,
                                mrw_text *out);

#ifdef __cplusplus
}
#endif
#endif
