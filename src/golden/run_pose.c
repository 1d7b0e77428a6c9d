/* run_pose.c: where the joints of a frame are, and the box around its meshes. */
#include "base/text.h"
#include "golden/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- which joints ---------------------------------------------------------------------------- */

/* Marks the joints of all skins; all nodes of a scene without skins. */
static uint32_t mark_joints(const mrw_scene *scene, uint8_t *marks)
{
    uint32_t count = 0;
    memset(marks, scene->skins_count == 0, scene->nodes_count);
    for (uint32_t i = 0; i < scene->joints_count; i++) {
        marks[scene->joints[i]] = 1;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        count += marks[n];
    }
    return count;
}

/* "" for the model itself, "sword/" for one of --add. */
static void name_instance(const mrw_stage *stage, uint32_t instance, char *out, size_t size)
{
    char path[4096], name[MRW_STAGE_NAME_SIZE];
    out[0] = '\0';
    if (instance > 0) {
        const char *text = stage->model->settings->added.items[instance - 1];
        const char *at = access(text, F_OK) == 0 ? NULL : mrw_split_at(text);
        snprintf(path, sizeof path, "%.*s", (int)(at ? (size_t)(at - text) : strlen(text)), text);
        mrw_stage_name(path, name);
        snprintf(out, size, "%s/", name);
    }
}

static mrw_status list_joints(const mrw_stage *stage, uint32_t instance, const uint8_t *marks,
                              mrwi_arena *arena, mrwi_joint_places *out, mrw_error *error)
{
    const mrw_scene *scene = stage->scenes[instance];
    char before[MRW_STAGE_NAME_SIZE + 8];
    name_instance(stage, instance, before, sizeof before);
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const char *name = mrw_scene_string(scene, scene->nodes[n].name);
        if (!marks[n]) {
            continue;
        }
        if (before[0]) {
            name = mrwi_golden_format(arena, "%s%s", before, name);
        }
        if (!name) {
            return mrwi_fail_memory(error, sizeof before);
        }
        out->items[out->count++] = (mrwi_joint_place){name, instance, n};
    }
    return MRW_OK;
}

mrw_status mrwi_joint_places_of(const mrw_stage *stage, mrwi_arena *arena, mrwi_joint_places *out,
                                mrw_error *error)
{
    uint32_t count = 0, most_nodes = 0;
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        uint32_t nodes = stage->scenes[i]->nodes_count;
        most_nodes = nodes > most_nodes ? nodes : most_nodes;
        count += nodes;
    }
    uint8_t *marks = mrwi_arena_alloc(arena, most_nodes, 1);
    *out = (mrwi_joint_places){.items = mrwi_arena_alloc(arena, count, sizeof *out->items)};
    mrw_status status = marks && out->items ? MRW_OK : mrwi_fail_memory(error, count);
    for (uint32_t i = 0; i < stage->instance_count && status == MRW_OK; i++) {
        mark_joints(stage->scenes[i], marks);
        status = list_joints(stage, i, marks, arena, out, error);
    }
    return status;
}

mrw_status mrwi_pose_make(mrwi_case_run *cr, mrw_error *error)
{
    const uint32_t frames = cr->pictures.count;
    mrw_status status = mrwi_joint_places_of(&cr->stage, &cr->arena, &cr->joints, error);
    if (status != MRW_OK) {
        return status;
    }
    /* Another marrow tells of the model alone, whose joints are the first. */
    while (cr->run->def->against && cr->joints.count > 0 &&
           cr->joints.items[cr->joints.count - 1].instance > 0) {
        cr->joints.count--;
    }
    bool poses = (cr->c->checks & MRW_CHECK_POSE) != 0;
    size_t joints = poses ? (size_t)frames * cr->joints.count : 0;
    mrwi_joint *all = mrwi_arena_alloc(&cr->arena, joints, sizeof *all);
    cr->poses.items = mrwi_arena_alloc(&cr->arena, frames, sizeof *cr->poses.items);
    cr->boxes.items = mrwi_arena_alloc(&cr->arena, frames, sizeof *cr->boxes.items);
    if (!all || !cr->poses.items || !cr->boxes.items) {
        return mrwi_fail_memory(error, joints * sizeof *all);
    }
    cr->poses.count = cr->boxes.count = frames;
    for (uint32_t i = 0; i < frames; i++) {
        const char *name = cr->result->frames[i].name;
        cr->poses.items[i] = (mrwi_pose){name, poses ? all + (size_t)i * cr->joints.count : all,
                                         poses ? cr->joints.count : 0};
        cr->boxes.items[i] = (mrwi_box){.frame = name};
    }
    return MRW_OK;
}

/* ---- one frame ------------------------------------------------------------------------------- */

void mrwi_gather_joints(const mrw_posed_instance *posed, const mrwi_joint_place *places,
                        mrwi_pose *pose)
{
    for (uint32_t j = 0; j < pose->count; j++) {
        const float *m = posed[places[j].instance].node_to_world[places[j].node].m;
        pose->joints[j].name = places[j].name;
        for (int c = 0; c < 4; c++) {
            memcpy(pose->joints[j].joint_to_world + 3 * c, m + 4 * c, 3 * sizeof(float));
        }
    }
}

static void grow_box(mrwi_box *box, const float *positions, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        for (int i = 0; i < 3; i++) {
            float x = positions[4 * (size_t)v + (size_t)i];
            box->min[i] = !box->any || x < box->min[i] ? x : box->min[i];
            box->max[i] = !box->any || x > box->max[i] ? x : box->max[i];
        }
        box->any = true;
    }
}

void mrwi_gather_box(const mrw_stage *stage, uint32_t instance_count,
                     const mrw_posed_instance *posed, mrwi_box *box)
{
    box->any = false;
    for (uint32_t i = 0; i < instance_count; i++) {
        const mrw_scene *scene = stage->scenes[i];
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            if (scene->meshes[scene->draws[d].mesh].triangle_count > 0) {
                grow_box(box, posed[i].draws[d].positions, posed[i].draws[d].vertex_count);
            }
        }
    }
}

mrw_status mrwi_pose_gather(const mrwi_case_run *cr, const mrw_instance *instances,
                            mrwi_worker *worker, mrwi_pose *pose, mrwi_box *box, mrw_error *error)
{
    const mrw_posed_instance *posed;
    mrw_status status = mrw_pose_instances(worker->renderer, instances, cr->stage.instance_count,
                                           cr->stage.frame.isa, &posed, error);
    if (status == MRW_OK) {
        mrwi_gather_joints(posed, cr->joints.items, pose);
        mrwi_gather_box(&cr->stage, cr->run->def->against ? 1 : cr->stage.instance_count, posed,
                        box);
    }
    return status;
}
