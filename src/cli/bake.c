/* bake.c: `marrow bake`: the deformed mesh as geometry and numbers. */
#include "cli.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const mrw_plan_kinds kinds = {.endings = {".obj", ".ply"}};

/* What there is to say of a picture, until those before it are told. */
typedef struct told {
    bool done;
    mrw_text answer; /* for standard output */
    mrw_text joints;
} told;

typedef struct job {
    const mrw_settings *settings;
    cli_posed posed;
    cli_coco_people people;
    mrw_output_files images; /* what the pictures are called, of a document of COCO */
    pthread_mutex_t lock;    /* of what follows */
    told *told;              /* one a picture */
    uint32_t next;           /* the first picture that has not been told */
    mrw_text joints;         /* for --joints: lines, or the annotations of a document */
} job;

/* The numbers that masks are made of. */
static const mrw_aov_request ids = {.aov = MRW_AOV_ID};

static bool wants_coco(const job *j)
{
    return j->settings->output.joints && j->settings->output.joints_format >= 1;
}

static const char *material_name(const mrw_scene *scene, const mrw_mesh *mesh)
{
    return mesh->material == MRW_NONE
               ? NULL
               : mrw_scene_string(scene, scene->materials[mesh->material].name);
}

/* The clip's name, or NULL for a pose. */
static const char *clip_of(const job *j, const mrw_picture *at)
{
    return at->clip == MRW_NONE ? NULL : mrw_session_clip_name(&j->posed.model, at->clip);
}

/* Opens what is told of a picture: "schema", "model", "clip". */
static void open_json(const job *j, const mrw_picture *at, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_key(json, "schema");
    mrw_json_uint(json, 1);
    mrw_json_key(json, "model");
    mrw_json_string(json, j->posed.model.path);
    mrw_json_key(json, "clip");
    mrw_json_string(json, clip_of(j, at));
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Writes "aabb_min", "aabb_max", "area" and "area_centroid". */
static void measure_json(const mrw_bake_measure *measure, mrw_json *json)
{
    double centroid[3];
    mrw_json_key(json, "aabb_min");
    measure->any ? mrw_json_floats(json, measure->aabb_min, 3) : mrw_json_null(json);
    mrw_json_key(json, "aabb_max");
    measure->any ? mrw_json_floats(json, measure->aabb_max, 3) : mrw_json_null(json);
    mrw_json_key(json, "area");
    mrw_json_double(json, measure->area);
    mrw_json_key(json, "area_centroid");
    mrw_bake_centroid(measure, centroid) ? mrw_json_doubles(json, centroid, 3)
                                         : mrw_json_null(json);
}

static void mesh_json(const mrw_scene *scene, const mrw_bake_mesh *baked, mrw_json *json)
{
    const mrw_draw *draw = &scene->draws[baked->draw];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    mrw_json_open(json, '{');
    mrw_json_key(json, "node");
    mrw_json_string(json, mrw_scene_string(scene, scene->nodes[draw->node].name));
    mrw_json_key(json, "mesh");
    mrw_json_string(json, mrw_scene_string(scene, mesh->name));
    mrw_json_key(json, "material");
    mrw_json_string(json, material_name(scene, mesh));
    mrw_json_key(json, "skinned");
    mrw_json_bool(json, draw->skin != MRW_NONE);
    mrw_json_key(json, "vertices");
    mrw_json_uint(json, mesh->vertex_count);
    mrw_json_key(json, "triangles");
    mrw_json_uint(json, mesh->triangle_count);
    measure_json(&baked->measure, json);
    mrw_json_close(json, '}');
}

static void meshes_json(const job *j, const mrw_picture *at, const mrw_bake_meshes *meshes,
                        mrw_json *json)
{
    open_json(j, at, json);
    mrw_json_key(json, "time");
    mrw_json_double(json, at->time);
    mrw_json_key(json, "up");
    mrw_json_string(json, "Y");
    mrw_json_key(json, "meshes");
    mrw_json_open(json, '[');
    for (uint32_t i = 0; i < meshes->count; i++) {
        if (!meshes->items[i].bones) { /* a bare skeleton has no meshes */
            mesh_json(j->posed.scene, &meshes->items[i], json);
        }
    }
    mrw_json_close(json, ']');
    measure_json(&meshes->total, json);
    mrw_json_close(json, '}');
    mrw_json_line(json);
}

static void put_point(mrw_text *out, const char *what, double x, double y, double z)
{
    mrw_text_add(out, "%s", what);
    mrw_text_fixed(out, x, 4);
    mrw_text_add(out, ", ");
    mrw_text_fixed(out, y, 4);
    mrw_text_add(out, ", ");
    mrw_text_fixed(out, z, 4);
}

static void meshes_text(const job *j, const mrw_picture *at, const mrw_bake_meshes *meshes,
                        mrw_text *out)
{
    mrw_bake_measure total = {0}; /* bones are told of, too */
    uint64_t triangles = 0;
    double centroid[3];
    for (uint32_t i = 0; i < meshes->count; i++) {
        const mrw_bake_mesh *mesh = &meshes->items[i];
        triangles += j->posed.scene->meshes[j->posed.scene->draws[mesh->draw].mesh].triangle_count;
        mrw_bake_measure_add(&total, &mesh->measure);
    }
    mrw_text_escaped(out, mrw_session_clip_name(&j->posed.model, at->clip));
    mrw_text_add(out, " at ");
    mrw_text_double(out, at->time);
    mrw_text_add(out, " s: %llu triangles", (unsigned long long)triangles);
    if (total.any) {
        put_point(out, "; box from ", (double)total.aabb_min[0], (double)total.aabb_min[1],
                  (double)total.aabb_min[2]);
        put_point(out, " to ", (double)total.aabb_max[0], (double)total.aabb_max[1],
                  (double)total.aabb_max[2]);
        mrw_text_add(out, "; area ");
        mrw_text_fixed(out, total.area, 4);
    }
    if (mrw_bake_centroid(&total, centroid)) {
        put_point(out, " about ", centroid[0], centroid[1], centroid[2]);
    }
    mrw_text_add(out, "\n");
}

/* Numbers go to standard output, unless files were asked for instead. */
static mrw_status tell(const job *j, const mrw_picture *at, const mrw_posed_draw *posed,
                       mrw_text *out, mrw_error *error)
{
    mrw_json json = {0};
    mrw_bake_meshes meshes;
    if (!j->settings->output.json && (j->settings->output.path || j->settings->output.joints)) {
        return MRW_OK;
    }
    mrw_status status = mrw_bake_meshes_measure(j->posed.scene, posed, &meshes, error);
    if (status != MRW_OK) {
        return status;
    }
    j->settings->output.json ? meshes_json(j, at, &meshes, &json)
                             : meshes_text(j, at, &meshes, &json.text);
    *out = json.text;
    mrw_bake_meshes_free(&meshes);
    return MRW_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void number_json(mrw_json *json, const char *key, bool known, double value)
{
    mrw_json_key(json, key);
    known ? mrw_json_double(json, value) : mrw_json_null(json);
}

/* A joint of a skin by its place in the scene's joints; MRW_NONE: what belongs to no skin. */
static void skinning_json(const mrw_scene *scene, const mrw_bake_joints *joints, uint32_t joint,
                          mrw_json *json)
{
    mrw_json_key(json, "offset");
    joint == MRW_NONE ? mrw_json_null(json)
                      : mrw_json_floats(json, scene->geometry_to_joint[joint].m, 16);
    mrw_json_key(json, "final");
    joint == MRW_NONE ? mrw_json_null(json)
                      : mrw_json_floats(json, joints->geometry_to_world[joint].m, 16);
}

static void joint_json(const mrw_scene *scene, const mrw_bake_joints *joints,
                       const mrw_bake_joint *joint, mrw_json *json)
{
    const mrw_node *node = &scene->nodes[joint->node];
    mrw_json_open(json, '{');
    mrw_json_key(json, "name");
    mrw_json_string(json, mrw_scene_string(scene, node->name));
    mrw_json_key(json, "node");
    mrw_json_uint(json, joint->node);
    mrw_json_key(json, "parent");
    node->parent == MRW_NONE ? mrw_json_null(json) : mrw_json_uint(json, node->parent);
    mrw_json_key(json, "world");
    mrw_json_floats(json, joint->joint_to_world.m, 16);
    skinning_json(scene, joints, joint->joint, json);
    number_json(json, "x", joint->in_front, joint->x);
    number_json(json, "y", joint->in_front, joint->y);
    number_json(json, "depth", true, joint->depth);
    number_json(json, "depth01", joint->in_front, joint->depth01);
    number_json(json, "surface_depth", joint->surface_depth < (double)INFINITY,
                joint->surface_depth);
    mrw_json_key(json, "inside");
    mrw_json_bool(json, joint->inside);
    mrw_json_key(json, "hidden");
    mrw_json_bool(json, joint->hidden);
    mrw_json_key(json, "occluded");
    mrw_json_bool(json, joint->occluded);
    mrw_json_close(json, '}');
}

/* Each skin's joints in its own order: the arrays that shaders take. */
static void skins_json(const mrw_scene *scene, const mrw_bake_joints *joints, mrw_json *json)
{
    mrw_json_open(json, '[');
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        const mrw_skin *skin = &scene->skins[s];
        mrw_json_open(json, '{');
        mrw_json_string(mrw_json_key(json, "name"), mrw_scene_string(scene, skin->name));
        mrw_json_open(mrw_json_key(json, "joints"), '[');
        for (uint32_t j = skin->first_joint; j < skin->first_joint + skin->joint_count; j++) {
            const uint32_t node = scene->joints[j];
            mrw_json_open(json, '{');
            mrw_json_string(mrw_json_key(json, "name"),
                            mrw_scene_string(scene, scene->nodes[node].name));
            mrw_json_uint(mrw_json_key(json, "node"), node);
            skinning_json(scene, joints, j, json);
            mrw_json_close(json, '}');
        }
        mrw_json_close(json, ']');
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

/* One of several views: its name, its direction, its angles if it has some. */
static void view_json(const mrw_session_view *view, mrw_json *json)
{
    const bool angles = view->scene_camera == MRW_NONE && !view->view.has_eye;
    mrw_json_string(mrw_json_key(json, "view"), view->name);
    if (view->direction) {
        mrw_json_string(mrw_json_key(json, "dir"), view->direction);
    }
    number_json(json, "azimuth", angles, (double)view->view.azimuth_degrees);
    number_json(json, "elevation", angles, (double)view->view.elevation_degrees);
}

static void joints_json(const job *j, const mrw_picture *at, const mrw_bake_joints *joints,
                        mrw_json *json)
{
    open_json(j, at, json);
    mrw_json_key(json, "frame");
    mrw_json_uint(json, at->frame);
    mrw_json_key(json, "time");
    mrw_json_double(json, at->time);
    if (j->posed.plan.view_count > 1) {
        view_json(&j->posed.plan.views[at->view], json);
    }
    mrw_json_key(json, "width");
    mrw_json_uint(json, j->posed.session.frame.width);
    mrw_json_key(json, "height");
    mrw_json_uint(json, j->posed.session.frame.height);
    mrw_json_key(json, "world_to_view");
    mrw_json_floats(json, joints->camera.world_to_view.m, 16);
    mrw_json_key(json, "view_to_clip");
    mrw_json_floats(json, joints->camera.view_to_clip.m, 16);
    mrw_json_key(json, "tolerance");
    mrw_json_double(json, joints->tolerance);
    mrw_json_key(json, "joints");
    mrw_json_open(json, '[');
    for (uint32_t i = 0; i < joints->count; i++) {
        joint_json(j->posed.scene, joints, &joints->items[i], json);
    }
    mrw_json_close(json, ']');
    mrw_json_key(json, "skins");
    skins_json(j->posed.scene, joints, json);
    mrw_json_close(json, '}');
    mrw_json_line(json);
}

static bool stopped(void *unused)
{
    (void)unused;
    return cli_signal() != 0;
}

/* A line: the joints of the model. */
static mrw_status tell_line(const job *j, const mrw_picture *at, const mrw_bake_joints_job *work,
                            mrw_text *out, mrw_error *error)
{
    mrw_bake_joints joints;
    mrw_status status = mrw_bake_joints_find(work, &joints, error);
    if (status == MRW_OK) {
        mrw_json json = {0};
        joints_json(j, at, &joints, &json);
        *out = json.text;
        mrw_bake_joints_free(&joints);
    }
    return status;
}

/* Joints as posed, seen by the picture's camera. masks: of COCO's annotations. */
static mrw_status tell_joints(const job *j, const mrw_picture *at, const mrw_sequence_frame *shown,
                              const mrw_posed_instance *posed, const mrw_bake_masks *masks,
                              mrw_text *out, mrw_error *error)
{
    mrw_bake_joints_job work = mrw_bake_joints_job_default();
    work.instances = shown->instances;
    work.instance_count = shown->instance_count;
    work.posed = posed;
    work.frame = shown->def;
    work.stop = stopped;
    mrw_status status = wants_coco(j) ? cli_coco_annotations(&j->posed.session, &j->people, shown,
                                                             &work, masks, out, error)
                                      : tell_line(j, at, &work, out, error);
    return status == MRW_ERROR_CANCELLED ? mrw_fail(error, status, CLI_STOPPED) : status;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Adds one text to another. */
static void move_text(mrw_text *from, mrw_text *to)
{
    if (from->size > 0) {
        mrw_text_put(to, from->data, from->size);
    }
    to->failed = to->failed || from->failed;
    mrw_text_free(from);
}

/* Tells of a picture, and of those after it that waited for it. */
static mrw_status tell_in_order(job *j, uint32_t index, const told *what, mrw_error *error)
{
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&j->lock);
    j->told[index] = *what;
    while (status == MRW_OK && j->next < j->posed.plan.pictures.count && j->told[j->next].done) {
        told *next = &j->told[j->next++];
        if (next->answer.size > 0 || next->answer.failed) { /* not of a second view */
            status = j->settings->output.json ? cli_answer(&next->answer, error)
                                              : cli_print(&next->answer, error);
        }
        mrw_text_free(&next->answer);
        if (wants_coco(j) && next->joints.size > 0 && j->joints.size > 0) {
            mrw_text_add(&j->joints, ",");
        }
        move_text(&next->joints, &j->joints);
    }
    pthread_mutex_unlock(&j->lock);
    return status;
}

static mrw_status put(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    job *j = user;
    const mrw_picture *at = &j->posed.plan.pictures.items[shown->index];
    const mrw_posed_instance *posed = NULL;
    told what = {.done = true};
    mrw_bake_masks masks = {0};
    mrw_status status =
        wants_coco(j) ? cli_coco_masks(&j->posed.session, shown, &masks, error) : MRW_OK;
    if (status == MRW_OK) {
        status = mrw_pose_instances(shown->renderer, shown->instances, shown->instance_count,
                                    shown->def->isa, &posed, error);
    }
    if (status == MRW_OK && at->view == 0) { /* the mesh is the same from all views */
        status = tell(j, at, posed[0].draws, &what.answer, error);
    }
    if (status == MRW_OK && j->settings->output.joints) {
        status = tell_joints(j, at, shown, posed, &masks, &what.joints, error);
    }
    mrw_bake_masks_free(&masks);
    if (status == MRW_OK && j->settings->output.path) {
        const char *path = j->posed.plan.files.paths[j->posed.plan.files.of[shown->index]];
        status = mrw_bake_mesh_write(
            j->posed.scene, posed[0].draws,
            mrw_output_ends_with(path, ".ply") ? MRW_BAKE_PLY : MRW_BAKE_OBJ, path, error);
    }
    if (status == MRW_OK) {
        return tell_in_order(j, shown->index, &what, error);
    }
    mrw_text_free(&what.answer);
    mrw_text_free(&what.joints);
    return status;
}

/* Only pixels of joints want a camera. */
static mrw_status aim(void *user, mrw_session *session, const mrw_picture *unused, mrw_error *error)
{
    const job *j = user;
    (void)unused;
    return j->settings->output.joints ? mrw_session_aim(session, error) : MRW_OK;
}

static mrw_status write_joints(const job *j, mrw_error *error)
{
    const char *path = j->settings->output.joints;
    mrw_json document = {0};
    if (!path) {
        return MRW_OK;
    }
    if (wants_coco(j)) {
        cli_coco_document(&j->posed.session, &j->people, &j->posed.plan, &j->images, &j->joints,
                          &document);
    }
    const mrw_text *text = wants_coco(j) ? &document.text : &j->joints;
    mrw_status status = text->failed ? cli_fail_memory(error)
                        : mrw_output_is_stdout(path)
                            ? cli_print(text, error)
                            : mrw_file_write(path, text->data ? text->data : "", text->size, error);
    mrw_text_free(&document.text);
    return status;
}

/* Masks are those of the pictures that render draws, textures and all; without them nothing is
 * drawn, and the cheapest to prepare will do. */
static mrw_status prepare(job *j, mrw_error *error)
{
    j->posed.session.frame.every = true;
    if (wants_coco(j)) {
        j->posed.session.fewest_levels = !j->posed.session.cache;
        j->posed.session.frame.aovs = &ids; /* they have levels of textures kept */
        j->posed.session.frame.aov_count = 1;
    } else {
        j->posed.session.frame.shading = MRW_SHADING_RAW;
    }
    return mrw_session_prepare(&j->posed.session, &cli_host, error);
}

/* Draws are told apart by their places: --id may give several one number. */
static mrw_status perform(job *j, mrw_crew *crew, mrw_error *error)
{
    const bool several = j->posed.plan.view_count > 1; /* only for joints, which want cameras */
    const mrw_session_sink sink = {
        .user = j, .put = put, .aim = several ? NULL : aim, .go_on = cli_go_on};
    const uint32_t *numbers = j->posed.session.frame.ids;
    if (wants_coco(j)) {
        j->posed.session.frame.ids = NULL;
    }
    mrw_status status = mrw_session_perform(&j->posed.session, j->posed.plan.pictures.items,
                                            j->posed.plan.pictures.count, crew, &sink, error);
    j->posed.session.frame.ids = numbers;
    return status;
}

static mrw_status bake_all(job *j, mrw_error *error)
{
    const uint32_t count = j->posed.plan.pictures.count;
    mrw_crew *crew = NULL;
    const char *joints = j->settings->output.joints;
    mrw_status status = j->settings->output.path
                            ? mrw_output_files_prepare(&j->posed.plan.files, true, error)
                            : MRW_OK;
    if (status == MRW_OK && joints && !mrw_output_is_stdout(joints)) {
        status = mrw_make_folder_of(joints, "--joints", error);
    }
    if (status == MRW_OK) {
        j->told = calloc(count + 1, sizeof *j->told);
        status = j->told ? MRW_OK : cli_fail_memory(error);
    }
    if (status == MRW_OK) {
        status = prepare(j, error);
    }
    if (status == MRW_OK) {
        status = cli_coco_people_find(&j->posed.session, &j->people, error);
    }
    if (status == MRW_OK) { /* it has loaded what is added */
        status = cli_check_opened(j->settings, &j->posed.plan.files, error);
    }
    if (status == MRW_OK) {
        status = mrw_crew_create(mrw_backend_none(), j->posed.session.threads, &crew, error);
    }
    if (status == MRW_OK) {
        status = perform(j, crew, error);
    }
    mrw_crew_free(crew);
    return status == MRW_OK ? write_joints(j, error) : status;
}

static void free_job(job *j)
{
    for (uint32_t i = 0; j->told && i < j->posed.plan.pictures.count; i++) {
        mrw_text_free(&j->told[i].answer);
        mrw_text_free(&j->told[i].joints);
    }
    free(j->told);
    pthread_mutex_destroy(&j->lock);
    mrw_text_free(&j->joints);
    mrw_output_files_free(&j->images);
    cli_coco_people_free(&j->people);
    cli_posed_free(&j->posed);
}

static mrw_status check_images(const char *path, mrw_error *error)
{
    uint32_t fields = 0;
    char safe[512];
    if (!path) {
        return MRW_OK;
    }
    mrw_escape_text(path, safe, sizeof safe);
    if (mrw_output_is_stdout(path) ||
        (!mrw_output_is_folder(path) && !mrw_output_ends_with(path, ".png"))) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--images '%s': expected a name that ends in .png, as in "
                        "'walk_{frame:04}.png', or a folder that ends in '/'",
                        safe);
    }
    if (mrw_template_check(path, &fields, NULL) != MRW_OK || (fields & MRW_FIELD_AOV) != 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--images '%s': the name of a picture can contain {model}, {clip}, {view}, "
                        "{time} and {frame:04}; write a plain brace as {{ or }}",
                        safe);
    }
    return MRW_OK;
}

static mrw_status check(const mrw_settings *settings, mrw_error *error)
{
    if (settings->output.path && strcmp(settings->output.path, "-") == 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "bake writes its numbers to standard output; give -o a name that ends in "
                        ".obj or .ply");
    }
    if (settings->output.joints && strcmp(settings->output.joints, "-") == 0 &&
        cli_answers_to_stdout()) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--json and --joints - would both write to standard output; give "
                        "--json=FILE or --joints FILE");
    }
    mrw_status status = check_images(settings->output.images, error);
    return status == MRW_OK ? mrw_plan_check(settings, &kinds, error) : status;
}

int cli_bake(const mrw_settings *settings)
{
    mrw_error error;
    job j = {.settings = settings};
    pthread_mutex_init(&j.lock, NULL);
    mrw_status status = check(settings, &error);
    if (status == MRW_OK) {
        status = cli_posed_begin(settings, settings->output.path ? &kinds : NULL, &j.posed, &error);
    }
    if (status == MRW_OK && wants_coco(&j)) {
        status = mrw_plan_name(&j.posed.model, "--images", settings->output.images, ".png",
                               &j.posed.plan, &j.images, &error);
    }
    if (status == MRW_OK) {
        cli_signals_hold();
        status = bake_all(&j, &error);
        cli_signals_release();
    }
    if (status == MRW_OK && settings->output.path) {
        char safe[512];
        cli_say("%u %s to %s%s", j.posed.plan.files.count,
                j.posed.plan.files.count == 1 ? "mesh" : "meshes",
                mrw_escape_text(j.posed.plan.files.paths[0], safe, sizeof safe),
                j.posed.plan.files.count > 1 ? " and on" : "");
    }
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    free_job(&j);
    return cli_exit_status(status);
}
