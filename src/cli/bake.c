/* bake.c: `marrow bake`: the deformed mesh as geometry and numbers. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_output_kinds kinds = {{".obj", ".ply"}};

typedef struct job {
    const mrw_settings *settings;
    mrw_scene *scene;
    mrw_stage_model model;
    cli_plan plan;
    mrw_stage stage;
    mrw_renderer *renderer;
    const mrw_posed_draw *posed; /* of the time at hand */
    cli_text joints;             /* lines for --joints */
} job;

static const char *material_name(const mrw_scene *scene, const mrw_mesh *mesh)
{
    return mesh->material == MRW_NONE
               ? NULL
               : mrw_scene_string(scene, scene->materials[mesh->material].name);
}

/* The clip's name, or NULL for a pose. */
static const char *clip_of(const job *j, const mrw_picture *at)
{
    return at->clip == MRW_NONE ? NULL : mrw_stage_clip_name(&j->model, at->clip);
}

/* ---- numbers ---- */

static void draw_json(const job *j, uint32_t d, const cli_measure *measure, cli_json *json)
{
    const mrw_scene *scene = j->scene;
    const mrw_draw *draw = &scene->draws[d];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    cli_json_open(json, '{');
    cli_json_key(json, "node");
    cli_json_string(json, mrw_scene_string(scene, scene->nodes[draw->node].name));
    cli_json_key(json, "mesh");
    cli_json_string(json, mrw_scene_string(scene, mesh->name));
    cli_json_key(json, "material");
    cli_json_string(json, material_name(scene, mesh));
    cli_json_key(json, "skinned");
    cli_json_bool(json, draw->skin != MRW_NONE);
    cli_json_key(json, "vertices");
    cli_json_uint(json, mesh->vertex_count);
    cli_json_key(json, "triangles");
    cli_json_uint(json, mesh->triangle_count);
    cli_measure_json(json, measure);
    cli_json_close(json, '}');
}

static void posed_json(const job *j, const mrw_picture *at, cli_json *json)
{
    const mrw_scene *scene = j->scene;
    cli_measure total = {0};
    cli_json_open(json, '{');
    cli_json_key(json, "schema");
    cli_json_uint(json, 1);
    cli_json_key(json, "model");
    cli_json_string(json, j->model.path);
    cli_json_key(json, "clip");
    cli_json_string(json, clip_of(j, at));
    cli_json_key(json, "time");
    cli_json_double(json, at->time);
    cli_json_key(json, "up");
    cli_json_string(json, "Y");
    cli_json_key(json, "meshes");
    cli_json_open(json, '[');
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        cli_measure measure = cli_measure_draw(scene, &j->posed[d]);
        bool bones = scene->meshes[scene->draws[d].mesh].flags & MRW_MESH_BONES;
        if (measure.any && !bones) { /* a bare skeleton has no meshes */
            draw_json(j, d, &measure, json);
            cli_measure_add(&total, &measure);
        }
    }
    cli_json_close(json, ']');
    cli_measure_json(json, &total);
    cli_json_close(json, '}');
    cli_json_line(json);
}

static void put_point(cli_text *out, const char *what, double x, double y, double z)
{
    cli_text_add(out, "%s", what);
    cli_text_fixed(out, x, 4);
    cli_text_add(out, ", ");
    cli_text_fixed(out, y, 4);
    cli_text_add(out, ", ");
    cli_text_fixed(out, z, 4);
}

static void posed_text(const job *j, const mrw_picture *at, cli_text *out)
{
    const mrw_scene *scene = j->scene;
    cli_measure total = {0};
    uint64_t triangles = 0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        cli_measure measure = cli_measure_draw(scene, &j->posed[d]);
        triangles += scene->meshes[scene->draws[d].mesh].triangle_count;
        cli_measure_add(&total, &measure);
    }
    cli_text_escaped(out, mrw_stage_clip_name(&j->model, at->clip));
    cli_text_add(out, " at ");
    cli_text_double(out, at->time);
    cli_text_add(out, " s: %llu triangles", (unsigned long long)triangles);
    if (total.any) {
        put_point(out, "; box from ", (double)total.min[0], (double)total.min[1],
                  (double)total.min[2]);
        put_point(out, " to ", (double)total.max[0], (double)total.max[1], (double)total.max[2]);
        cli_text_add(out, "; area ");
        cli_text_fixed(out, total.area, 4);
    }
    if (total.area > 0.0) {
        put_point(out, " about ", total.moment[0] / total.area, total.moment[1] / total.area,
                  total.moment[2] / total.area);
    }
    cli_text_add(out, "\n");
}

/* ---- geometry ---- */

static mrw_status write_mesh(const job *j, const char *path, mrw_error *error)
{
    cli_text file = {0};
    bool ply = cli_ends_with(path, ".ply");
    mrw_status status = (ply ? cli_write_ply : cli_write_obj)(j->scene, j->posed, &file, error);
    if (status == MRW_OK) {
        status = j->plan.to_stdout
                     ? cli_print(&file, error)
                     : mrw_file_write(path, file.data ? file.data : "", file.size, error);
    }
    cli_text_free(&file);
    return status;
}

/* Numbers go to standard output, unless files were asked for instead. */
static mrw_status tell(const job *j, const mrw_picture *at, mrw_error *error)
{
    cli_json json = {0};
    if (j->settings->json) {
        posed_json(j, at, &json);
    } else if (!j->settings->output && !j->settings->joints) {
        posed_text(j, at, &json.text);
    }
    mrw_status status = cli_print(&json.text, error);
    cli_text_free(&json.text);
    return status;
}

static mrw_status add_joints(job *j, uint32_t index, const mrw_posed_instance *posed,
                             mrw_error *error)
{
    return cli_joints_json(&j->stage, posed, &j->plan.pictures.items[index], &j->joints, error);
}

/* Pictures that share a clip share a camera, as in render. */
static mrw_status aim(job *j, uint32_t index, mrw_error *error)
{
    const mrw_picture *at = &j->plan.pictures.items[index];
    bool same = index > 0 && j->stage.fit != MRW_FIT_FRAME && at[-1].clip == at->clip;
    return j->settings->joints && !same ? mrw_stage_aim(&j->stage, error) : MRW_OK;
}

static mrw_status bake_one(job *j, uint32_t index, mrw_error *error)
{
    const mrw_picture *at = &j->plan.pictures.items[index];
    const mrw_posed_instance *posed = NULL;
    mrw_stage_play(&j->stage, at);
    mrw_status status = aim(j, index, error);
    if (status == MRW_OK) {
        status = mrw_pose_instances(j->renderer, j->stage.instances, j->stage.instance_count,
                                    j->settings->isa, &posed, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    j->posed = posed[0].draws;
    status = tell(j, at, error);
    if (status == MRW_OK && j->settings->joints) {
        status = add_joints(j, index, posed, error);
    }
    if (status == MRW_OK && j->settings->output) {
        status = write_mesh(j, j->plan.files[j->plan.file_of[index]], error);
    }
    return status;
}

static mrw_status write_joints(const job *j, mrw_error *error)
{
    const char *path = j->settings->joints;
    if (!path) {
        return MRW_OK;
    }
    return strcmp(path, "-") == 0
               ? cli_print(&j->joints, error)
               : mrw_file_write(path, j->joints.data ? j->joints.data : "", j->joints.size, error);
}

static mrw_status bake_all(job *j, mrw_error *error)
{
    mrw_status status =
        j->settings->output ? cli_plan_prepare_files(&j->plan, j->settings, error) : MRW_OK;
    if (status == MRW_OK) {
        j->stage.frame.shading = MRW_SHADING_UNLIT; /* cheapest to prepare: nothing is drawn */
        status = mrw_stage_prepare(&j->stage, &cli_host, error);
    }
    if (status == MRW_OK) {
        status = mrw_renderer_create(&j->renderer, error);
    }
    for (uint32_t i = 0; i < j->plan.pictures.count && status == MRW_OK; i++) {
        if (cli_signal() != 0) {
            return cli_fail(error, MRW_ERROR_CANCELLED, "stopped by a signal");
        }
        status = bake_one(j, i, error);
    }
    return status == MRW_OK ? write_joints(j, error) : status;
}

static mrw_status check(const mrw_settings *settings, mrw_error *error)
{
    if (settings->output && strcmp(settings->output, "-") == 0) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "bake writes its numbers to standard output; give -o a name that ends in "
                        ".obj or .ply");
    }
    if (settings->joints && strcmp(settings->joints, "-") == 0 && settings->json) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "--json and --joints - both want standard output; leave one out");
    }
    return cli_check_output(settings, &kinds, error);
}

int cli_bake(const mrw_settings *settings)
{
    mrw_error error;
    job j = {.settings = settings};
    const char *path = settings->arguments.items[0];
    mrw_status status = check(settings, &error);
    if (status == MRW_OK) {
        status = mrw_stage_load(path, settings, &cli_host, &j.scene, &error);
    }
    if (status == MRW_OK) {
        status = mrw_stage_model_init(path, j.scene, settings, &j.model, &error);
    }
    if (status == MRW_OK) {
        status = cli_plan_make(&j.model, settings->output ? &kinds : NULL, &j.plan, &error);
    }
    if (status == MRW_OK) {
        status = mrw_stage_begin(&j.stage, &j.model, j.plan.sequence, &error);
    }
    if (status == MRW_OK) {
        cli_signals_hold();
        status = bake_all(&j, &error);
        cli_signals_release();
    }
    if (status == MRW_OK && settings->output) {
        char safe[512];
        cli_say("%u %s to %s%s", j.plan.file_count, j.plan.file_count == 1 ? "mesh" : "meshes",
                mrw_escape_text(j.plan.files[0], safe, sizeof safe),
                j.plan.file_count > 1 ? " and on" : "");
    }
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    mrw_renderer_free(j.renderer);
    mrw_stage_free(&j.stage);
    cli_text_free(&j.joints);
    cli_plan_free(&j.plan);
    mrw_stage_model_free(&j.model);
    mrw_scene_free(j.scene);
    return cli_exit_status(status);
}
