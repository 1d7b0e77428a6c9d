/* reader.c: the common beginning of all readers, and the common end of those that take a finished
 * scene from elsewhere. */
#include "load/reader.h"

#include "base/text.h"
#include "load/texture.h"

#include <inttypes.h>
#include <string.h>

/* pixels of the picture that stands in for a missing one: always allowed */
#define CHECKER_PIXELS 4096u

mrw_status mrwi_load_job_builder(const mrwi_load_read_job *job, const char *format,
                                 mrwi_scene_builder **out, mrw_error *error)
{
    mrw_status status = mrwi_scene_builder_create(job->name, format, out, error);
    if (status) {
        return status;
    }
    const mrw_load_def *def = job->def;
    mrwi_scene_builder_limit(
        *out, &(mrwi_scene_limits){def->max_vertices, def->max_joints, def->max_keys});
    mrwi_scene_builder_flip(*out, def->flip_v, def->flip_winding);
    if (def->clips_only) {
        mrwi_scene_builder_hide_textures(*out);
    }
    return MRW_OK;
}

static uint64_t count_vertices(const mrw_scene *scene)
{
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < scene->meshes_count; i++) {
        vertices += scene->meshes[i].vertex_count;
    }
    return vertices;
}

/* Counts the pixels of the largest image, and of all together. */
static void count_pixels(const mrw_scene *scene, uint64_t *largest, uint64_t *all)
{
    *largest = *all = 0;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        const mrw_image_info *image = &scene->images[i];
        uint64_t pixels = (uint64_t)image->width * image->height;
        if ((image->flags & MRW_IMAGE_MISSING) == 0 || pixels > CHECKER_PIXELS) {
            *largest = pixels > *largest ? pixels : *largest;
            *all += pixels;
        }
    }
}

mrw_status mrwi_load_job_check_scene(const mrwi_load_read_job *job, const mrw_scene *scene,
                                     mrw_error *error)
{
    const mrw_load_def *def = job->def;
    uint64_t largest, all;
    char name[300];
    const bool compiled = strcmp(job->format, "marrow") == 0;
    const uint32_t refused = (def->maps == MRW_MAPS_ALL || compiled ? MRW_IMAGE_UNDECODED : 0) |
                             (def->later_jpegs && !compiled ? 0 : MRW_IMAGE_ENCODED);
    for (uint32_t i = 0; i < scene->images_count; i++) {
        if ((scene->images[i].flags & refused) != 0) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: damaged scene: image %" PRIu32 ": without texels",
                                  mrwi_base_escape(job->name, name, sizeof name), i);
        }
    }
    count_pixels(scene, &largest, &all);
    const struct {
        const char *what, *option;
        uint64_t value, most;
    } limits[] = {
        {"vertices", "vertices", count_vertices(scene), def->max_vertices},
        {"joints", "joints", scene->joints_count, def->max_joints},
        {"keys", "keys", scene->key_times_count, def->max_keys},
        {"pixels in one texture", "texture-size", largest, def->max_texture_size},
        {"pixels in all textures", "texture-size", all, mrwi_load_texture_budget_of(def).pixels},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].value > limits[i].most) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: it has more than %" PRIu64
                                  " %s; if you trust the file, allow "
                                  "more with --max-%s N",
                                  mrwi_base_escape(job->name, name, sizeof name), limits[i].most,
                                  limits[i].what, limits[i].option);
        }
    }
    return MRW_OK;
}
