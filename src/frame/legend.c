/* legend.c: the meaning of the numbers in passes. */
#include "marrow/legend.h"

#include "base/text.h"
#include "frame/frame.h"

uint32_t mrwi_frame_first_of_scene(const mrw_instance *instances, uint32_t instance)
{
    uint32_t i = 0;
    while (instances[i].model->scene != instances[instance].model->scene) {
        i++;
    }
    return i;
}

uint32_t mrw_frame_number_materials(const mrw_instance *instances, uint32_t instance_count,
                                    uint32_t *firsts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < instance_count; i++) {
        const uint32_t first = mrwi_frame_first_of_scene(instances, i);
        if (first == i) {
            firsts[i] = count + 1;
            count += instances[i].model->scene->materials_count + 1;
        }
        firsts[i] = firsts[first];
    }
    return count;
}

/* Returns true when nodes[0] is the only root: parents come first. */
static bool has_one_root(const mrw_scene *scene)
{
    for (uint32_t n = 1; n < scene->nodes_count; n++) {
        if (scene->nodes[n].parent == MRW_NONE) {
            return false;
        }
    }
    return true;
}

static uint32_t group_of(const mrw_scene *scene, bool one_root, uint32_t node)
{
    uint32_t below = node;
    while (scene->nodes[node].parent != MRW_NONE) {
        below = node;
        node = scene->nodes[node].parent;
    }
    return one_root ? below : node;
}

static void fill(const mrw_instance *instances, uint32_t instance, const uint32_t *ids,
                 uint32_t first_material, mrw_legend *legend)
{
    const mrw_scene *scene = instances[instance].model->scene;
    const bool one_root = has_one_root(scene);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_draw *draw = &scene->draws[d];
        const uint32_t material = scene->meshes[draw->mesh].material, place = legend->draw_count++;
        legend->draws[place] = (mrw_legend_draw){
            .id = ids ? ids[place] : place + 1,
            .instance = instance,
            .draw = d,
            .node = draw->node,
            .mesh = draw->mesh,
            .material = material,
            .group = group_of(scene, one_root, draw->node),
            .material_number =
                first_material + (material == MRW_NONE ? scene->materials_count : material)};
    }
}

mrw_status mrw_frame_legend(const mrw_instance *instances, uint32_t instance_count,
                            const uint32_t *ids, mrw_legend *out, mrw_error *error)
{
    uint32_t *firsts = mrwi_base_alloc(instance_count, sizeof *firsts);
    size_t count = 0;
    for (uint32_t i = 0; i < instance_count; i++) {
        count += instances[i].model->scene->draws_count;
    }
    *out = (mrw_legend){.draws = mrwi_base_alloc(count, sizeof *out->draws)};
    if (!firsts || !out->draws) {
        mrwi_base_free(firsts);
        mrw_legend_free(out);
        return mrwi_base_fail_memory(error, count * sizeof *out->draws);
    }
    out->material_count = mrw_frame_number_materials(instances, instance_count, firsts);
    for (uint32_t i = 0; i < instance_count; i++) {
        fill(instances, i, ids, firsts[i], out);
    }
    mrwi_base_free(firsts);
    return MRW_OK;
}

void mrw_legend_free(mrw_legend *legend)
{
    mrwi_base_free(legend->draws);
    *legend = (mrw_legend){0};
}
