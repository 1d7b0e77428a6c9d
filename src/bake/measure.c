/* measure.c: boxes, areas and centroids of posed meshes, in double. */
#include "marrow/bake.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "marrow/frame.h"

#include <math.h>

static void add_point(mrw_bake_measure *m, const float p[3])
{
    for (int k = 0; k < 3; k++) {
        if (!m->any || p[k] < m->aabb_min[k]) {
            m->aabb_min[k] = p[k];
        }
        if (!m->any || p[k] > m->aabb_max[k]) {
            m->aabb_max[k] = p[k];
        }
    }
    m->any = true;
}

static void add_triangle(mrw_bake_measure *m, const float *a, const float *b, const float *c)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    double x = u[1] * v[2] - u[2] * v[1];
    double y = u[2] * v[0] - u[0] * v[2];
    double z = u[0] * v[1] - u[1] * v[0];
    double area = 0.5 * sqrt((x * x + y * y) + z * z);
    m->area += area;
    for (int k = 0; k < 3; k++) {
        m->weighted_sum[k] += area * (((double)a[k] + (double)b[k]) + (double)c[k]) / 3.0;
    }
}

static mrw_bake_measure measure_draw(const mrw_scene *scene, const mrw_posed_draw *posed)
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[posed->draw].mesh];
    const uint32_t *indices = scene->indices + mesh->first_index;
    mrw_bake_measure m = {0};
    for (uint32_t t = 0; t < posed->triangle_count; t++, indices += 3) {
        const float *corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = posed->positions + 4 * (size_t)indices[k];
            add_point(&m, corner[k]);
        }
        add_triangle(&m, corner[0], corner[1], corner[2]);
    }
    return m;
}

static void add_measure(mrw_bake_measure *sum, const mrw_bake_measure *part)
{
    if (!part->any) {
        return;
    }
    add_point(sum, part->aabb_min);
    add_point(sum, part->aabb_max);
    sum->area += part->area;
    for (int k = 0; k < 3; k++) {
        sum->weighted_sum[k] += part->weighted_sum[k];
    }
}

/* ---- public functions ------------------------------------------------------------------------ */

mrw_bake_measure mrw_bake_measure_draw(const mrw_scene *scene, const mrw_posed_draw *posed)
{
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    const mrw_bake_measure measure = measure_draw(scene, posed);
    mrwi_base_fp_leave(fp);
    return measure;
}

void mrw_bake_measure_add(mrw_bake_measure *sum, const mrw_bake_measure *part)
{
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    add_measure(sum, part);
    mrwi_base_fp_leave(fp);
}

mrw_status mrw_bake_measure_rest(const mrw_scene *scene, bool show_hidden, int threads,
                                 mrw_bake_measure *out, mrw_error *error)
{
    mrw_model *prepared = NULL;
    mrw_renderer *renderer = NULL;
    const mrw_posed_draw *posed = NULL;
    mrw_model_def def = mrw_model_def_default();
    def.no_textures = true;
    def.show_hidden = show_hidden;
    *out = (mrw_bake_measure){0};
    mrw_status status = mrw_model_create_with(scene, &def, threads, &prepared, error);
    if (status) {
        goto out;
    }
    status = mrw_renderer_create(&renderer, error);
    if (status) {
        goto out;
    }
    mrw_instance instance = mrw_instance_default(prepared);
    instance.pose = MRW_POSE_REST;
    instance.clip = MRW_NONE;
    status = mrw_pose_instance(renderer, &instance, MRW_ISA_AUTO, &posed, error);
    if (status) {
        goto out;
    }
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_bake_measure part = measure_draw(scene, &posed[d]);
        add_measure(out, &part);
    }
    mrwi_base_fp_leave(fp);
out:
    mrw_renderer_free(renderer);
    mrw_model_free(prepared);
    return status;
}

bool mrw_bake_centroid(const mrw_bake_measure *measure, double out[3])
{
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    const bool known = measure->area > 0.0;
    for (int k = 0; k < 3 && known; k++) {
        out[k] = measure->weighted_sum[k] / measure->area;
    }
    mrwi_base_fp_leave(fp);
    return known;
}

mrw_status mrw_bake_meshes_measure(const mrw_scene *scene, const mrw_posed_draw *posed,
                                   mrw_bake_meshes *out, mrw_error *error)
{
    mrw_bake_mesh *items = mrwi_base_alloc(scene->draws_count, sizeof *items);
    if (!items) {
        return mrwi_base_fail_memory(error, scene->draws_count * sizeof *items);
    }
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    *out = (mrw_bake_meshes){.items = items};
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_mesh *mesh = &scene->meshes[scene->draws[d].mesh];
        const bool bones = (mesh->flags & MRW_MESH_BONES) != 0;
        const mrw_bake_measure measure = measure_draw(scene, &posed[d]);
        if (measure.any) {
            items[out->count++] = (mrw_bake_mesh){d, bones, measure};
        }
        if (!bones) {
            add_measure(&out->total, &measure);
        }
    }
    mrwi_base_fp_leave(fp);
    return MRW_OK;
}

void mrw_bake_meshes_free(mrw_bake_meshes *meshes)
{
    mrwi_base_free(meshes->items);
    *meshes = (mrw_bake_meshes){0};
}
