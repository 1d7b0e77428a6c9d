/* m3d.c: reads Frank Luna's text M3D; see m3d.h. */
#include "load/m3d.h"

#include "base/text.h"

#include <string.h>

/* The least text that one of each takes, with its keywords. */
#define LEAST_MATERIAL 90
#define LEAST_VERTEX   50
#define LEAST_TRIANGLE 6
#define LEAST_BONE     40
#define LEAST_CLIP     16

static bool read_header(mrwi_load_m3d_cursor *c, mrwi_load_m3d_header *out)
{
    return mrwi_load_m3d_section(c, "m3d-File-Header") &&
           mrwi_load_m3d_count(c, "#Materials", LEAST_MATERIAL, &out->materials) &&
           mrwi_load_m3d_count(c, "#Vertices", LEAST_VERTEX, &out->vertices) &&
           mrwi_load_m3d_count(c, "#Triangles", LEAST_TRIANGLE, &out->triangles) &&
           mrwi_load_m3d_count(c, "#Bones", LEAST_BONE, &out->bones) &&
           mrwi_load_m3d_count(c, "#AnimationClips", LEAST_CLIP, &out->clips);
}

static bool read_all(mrwi_load_m3d_cursor *c, const mrwi_load_read_job *job,
                     mrwi_scene_builder *builder, mrwi_base_arena *kept)
{
    mrwi_load_m3d_header header = {0};
    mrwi_load_m3d_material *materials = NULL;
    mrwi_load_m3d_geometry geometry = {0};
    return read_header(c, &header) &&
           mrwi_load_m3d_read_materials(c, header.materials, builder, kept, &materials) &&
           mrwi_load_m3d_read_geometry(c, &header, kept, &geometry) &&
           mrwi_load_m3d_read_bones(c, header.bones, builder, kept) &&
           mrwi_load_m3d_push_meshes(c, &header, materials, &geometry, job, builder) &&
           mrwi_load_m3d_read_clips(c, &header, builder);
}

static void warn_rest(mrwi_load_m3d_cursor *c, mrwi_scene_builder *builder)
{
    if (mrwi_load_m3d_peek(c).length > 0) {
        mrwi_scene_builder_warn(builder,
                                "there is more text after the last section; it is ignored");
    }
}

mrw_status mrwi_load_m3d_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    const bool marked = job->size >= 3 && memcmp(job->bytes, "\xef\xbb\xbf", 3) == 0;
    mrwi_load_m3d_cursor c = {.name = job->name,
                              .text = (const char *)job->bytes,
                              .size = job->size,
                              .at = marked ? 3 : 0,
                              .most_elements = job->def->max_elements,
                              .elements_left = job->def->max_elements,
                              .error = error};
    mrwi_scene_builder *builder = NULL;
    mrwi_base_arena kept = {0};
    *out = NULL;
    if (mrwi_load_m3d_ok(&c, mrwi_load_job_builder(job, "m3d", &builder, error)) &&
        read_all(&c, job, builder, &kept)) {
        warn_rest(&c, builder);
        mrwi_load_m3d_ok(&c, mrwi_scene_builder_finish(builder, out, error));
    }
    mrwi_scene_builder_free(builder);
    mrwi_base_arena_free(&kept);
    return c.status;
}
