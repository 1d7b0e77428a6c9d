/* m3d.c: reads Frank Luna's text M3D: see m3d.h. */
#include "load/m3d.h"

#include "base/text.h"

#include <string.h>

/* The least text that one of each takes, with its keywords. */
#define LEAST_MATERIAL 90
#define LEAST_VERTEX   50
#define LEAST_TRIANGLE 6
#define LEAST_BONE     40
#define LEAST_CLIP     16

static bool read_header(mrwi_load_m3d *m)
{
    return mrwi_load_m3d_section(m, "m3d-File-Header") &&
           mrwi_load_m3d_count(m, "#Materials", LEAST_MATERIAL, &m->material_count) &&
           mrwi_load_m3d_count(m, "#Vertices", LEAST_VERTEX, &m->vertex_count) &&
           mrwi_load_m3d_count(m, "#Triangles", LEAST_TRIANGLE, &m->triangle_count) &&
           mrwi_load_m3d_count(m, "#Bones", LEAST_BONE, &m->bone_count) &&
           mrwi_load_m3d_count(m, "#AnimationClips", LEAST_CLIP, &m->clip_count);
}

static void warn_rest(mrwi_load_m3d *m)
{
    if (mrwi_load_m3d_peek(m).length > 0) {
        mrwi_scene_builder_warn(m->builder,
                                "there is more text behind the last section; it is left out");
    }
}

static void read_all(mrwi_load_m3d *m, mrw_scene **out)
{
    bool good = mrwi_load_m3d_ok(m, mrwi_load_job_builder(m->job, "m3d", &m->builder, m->error)) &&
                read_header(m) && mrwi_load_m3d_read_materials(m) &&
                mrwi_load_m3d_read_subsets(m) && mrwi_load_m3d_read_vertices(m) &&
                mrwi_load_m3d_read_triangles(m) && mrwi_load_m3d_read_bones(m) &&
                mrwi_load_m3d_push_meshes(m) && mrwi_load_m3d_read_clips(m);
    if (good) {
        warn_rest(m);
        mrwi_load_m3d_ok(m, mrwi_scene_builder_finish(m->builder, out, m->error));
    }
}

mrw_status mrwi_load_m3d_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    mrwi_load_m3d m;
    memset(&m, 0, sizeof m);
    *out = NULL;
    m.job = job;
    m.error = error;
    m.text = (const char *)job->bytes;
    m.size = job->size;
    m.at = job->size >= 3 && memcmp(job->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    m.elements_left = job->def->max_elements;
    m.textures_left = mrwi_load_texture_budget_of(job->def);
    read_all(&m, out);
    mrwi_scene_builder_free(m.builder);
    mrwi_base_arena_free(&m.keep);
    return m.status;
}
