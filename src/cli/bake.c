/* bake.c: `marrow bake`: the deformed mesh as geometry and numbers. */
#include "posed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const mrw_plan_kinds kinds = {.endings = {".obj", ".ply"}};

/* Output of a picture, which waits for that of the pictures before it. */
typedef struct picture_output {
    bool done;
    mrw_text answer; /* text for standard output */
    mrw_text joints; /* text for the file of --joints */
} picture_output;

typedef struct job {
    const mrw_settings *settings;
    cli_posed posed;
    mrw_coco_people people;
    mrw_output_files images; /* names of the pictures in a COCO document */
    pthread_mutex_t lock;    /* protects the fields below */
    picture_output *outputs; /* [picture] */
    uint32_t next;           /* the first picture that is not printed yet */
    mrw_text joints;         /* output of --joints: lines, or the annotations of a document */
} job;

/* The pass that masks are made from. */
static const mrw_aov_request ids = {.aov = MRW_AOV_ID};

static bool wants_coco(const job *j)
{
    return j->settings->output.joints && j->settings->output.joints_format >= 1;
}

/* ---- numbers --------------------------------------------------------------------------------- */

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
    mrw_bake_measure total = {0}; /* with bones, unlike meshes->total */
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

/* Writes the numbers of a picture, unless files were asked for instead. */
static mrw_status describe_meshes(const job *j, const mrw_picture *at, const mrw_posed_draw *posed,
                                  mrw_text *out, mrw_error *error)
{
    mrw_json json = {0};
    mrw_bake_meshes meshes;
    if (!j->settings->output.json && (j->settings->output.path || j->settings->output.joints)) {
        return MRW_OK;
    }
    const mrw_status status = mrw_bake_meshes_measure(j->posed.scene, posed, &meshes, error);
    if (status) {
        return status;
    }
    j->settings->output.json ? mrw_plan_meshes_json(&j->posed.model, at, &meshes, &json)
                             : meshes_text(j, at, &meshes, &json.text);
    *out = json.text;
    mrw_bake_meshes_free(&meshes);
    return MRW_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static bool stopped(void *unused)
{
    (void)unused;
    return host_signal() != 0;
}

/* Writes the joints as posed, seen by the picture's camera: a line, or annotations with `masks`. */
static mrw_status describe_joints(const job *j, const mrw_picture *at,
                                  const mrw_sequence_frame *shown, const mrw_posed_instance *posed,
                                  const mrw_bake_masks *masks, mrw_text *out, mrw_error *error)
{
    mrw_bake_joints joints;
    mrw_json json = {0};
    mrw_bake_joints_job work = mrw_bake_joints_job_default();
    work.instances = shown->instances;
    work.instance_count = shown->instance_count;
    work.posed = posed;
    work.frame = shown->def;
    work.stop = stopped;
    mrw_status status;
    if (wants_coco(j)) {
        status = mrw_coco_annotate(&j->posed.session, &j->people, shown, &work, masks, out, error);
    } else {
        status = mrw_bake_joints_find(&work, &joints, error);
    }
    if (status) {
        return status;
    }
    if (!wants_coco(j)) {
        mrw_plan_joints_json(&j->posed.session, &j->posed.plan, at, &joints, &json);
        *out = json.text;
        mrw_bake_joints_free(&joints);
    }
    return MRW_OK;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Prints the output of a picture, and of those after it that waited for it. */
static mrw_status print_in_order(job *j, uint32_t index, const picture_output *own,
                                 mrw_error *error)
{
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&j->lock);
    j->outputs[index] = *own;
    while (!status && j->next < j->posed.plan.pictures.count && j->outputs[j->next].done) {
        picture_output *next = &j->outputs[j->next++];
        if (next->answer.size > 0 || next->answer.failed) { /* empty for further views */
            status = j->settings->output.json ? host_answer(&next->answer, error)
                                              : host_print(&next->answer, error);
        }
        mrw_text_free(&next->answer);
        if (wants_coco(j) && next->joints.size > 0 && j->joints.size > 0) {
            mrw_text_add(&j->joints, ",");
        }
        if (next->joints.size > 0) {
            mrw_text_put(&j->joints, next->joints.data, next->joints.size);
        }
        j->joints.failed = j->joints.failed || next->joints.failed;
        mrw_text_free(&next->joints);
    }
    pthread_mutex_unlock(&j->lock);
    return status;
}

static mrw_status receive(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    job *j = user;
    const mrw_picture *at = &j->posed.plan.pictures.items[shown->index];
    const mrw_posed_instance *posed = NULL;
    picture_output own = {.done = true};
    mrw_bake_masks masks = {0};
    mrw_status status = MRW_OK;
    if (wants_coco(j)) { /* before posing, which invalidates the pass */
        status = mrw_coco_masks_find(&j->posed.session, shown, &masks, error);
        if (status) {
            goto out;
        }
    }
    status = mrw_pose_instances(shown->renderer, shown->instances, shown->instance_count,
                                shown->def->isa, &posed, error);
    if (status) {
        goto out;
    }
    if (at->view == 0) { /* the mesh is the same from all views */
        status = describe_meshes(j, at, posed[0].draws, &own.answer, error);
        if (status) {
            goto out;
        }
    }
    if (j->settings->output.joints) {
        status = describe_joints(j, at, shown, posed, &masks, &own.joints, error);
        if (status) {
            goto out;
        }
    }
    if (j->settings->output.path) {
        const char *path = j->posed.plan.files.paths[j->posed.plan.files.of[shown->index]];
        status = mrw_bake_mesh_write(
            j->posed.scene, posed[0].draws,
            mrw_output_ends_with(path, ".ply") ? MRW_BAKE_PLY : MRW_BAKE_OBJ, path, error);
    }
out:
    mrw_bake_masks_free(&masks);
    if (status) {
        mrw_text_free(&own.answer);
        mrw_text_free(&own.joints);
        return status;
    }
    return print_in_order(j, shown->index, &own, error);
}

/* Aims the camera if pixels of joints need one. */
static mrw_status aim(void *user, mrw_session *session, const mrw_picture *unused, mrw_error *error)
{
    const job *j = user;
    (void)unused;
    return j->settings->output.joints ? mrw_session_aim(session, error) : MRW_OK;
}

static mrw_status write_joints(const job *j, mrw_error *error)
{
    const char *path = j->settings->output.joints;
    const mrw_text *text = &j->joints;
    mrw_json document = {0};
    mrw_status status;
    if (!path) {
        return MRW_OK;
    }
    if (wants_coco(j)) {
        mrw_coco_document_json(&j->posed.session, &j->people, &j->posed.plan, &j->images,
                               &j->joints, &document);
        text = &document.text;
    }
    if (text->failed) {
        status = host_fail_memory(error);
    } else if (mrw_output_is_stdout(path)) {
        status = host_print(text, error);
    } else {
        status = mrw_file_write(path, text->data ? text->data : "", text->size, error);
    }
    mrw_text_free(&document.text);
    return status;
}

/* Prepares the session. Masks need the pictures as render draws them, with textures. Without masks
 * nothing is drawn, and the shading that is cheapest to prepare is sufficient. */
static mrw_status prepare(job *j, mrw_error *error)
{
    mrw_session *session = &j->posed.session;
    session->frame.every = true;
    if (wants_coco(j)) {
        session->fewest_levels = !session->cache;
        session->frame.aovs = &ids; /* keeps the levels of textures that the pass needs */
        session->frame.aov_count = 1;
    } else {
        session->frame.shading = MRW_SHADING_RAW;
    }
    return mrw_session_prepare(session, &host_callbacks, error);
}

/* Poses the pictures, or draws them for masks. In masks draws are told apart by their indices,
 * since
 * --id may give several one number. */
static mrw_status perform(job *j, mrw_error *error)
{
    mrw_session *session = &j->posed.session;
    const mrw_plan *plan = &j->posed.plan;
    const bool several = plan->view_count > 1; /* only for joints, which need cameras */
    const mrw_session_sink sink = {
        .user = j, .put = receive, .aim = several ? NULL : aim, .go_on = host_go_on};
    const uint32_t *numbers = session->frame.ids;
    mrw_crew *crew;
    mrw_status status = mrw_crew_create(mrw_backend_none(), session->threads, &crew, error);
    if (status) {
        return status;
    }
    if (wants_coco(j)) {
        session->frame.ids = NULL;
    }
    status = mrw_session_perform(session, plan->pictures.items, plan->pictures.count, crew, &sink,
                                 error);
    session->frame.ids = numbers;
    mrw_crew_free(crew);
    return status;
}

static mrw_status bake_all(job *j, mrw_error *error)
{
    const mrw_output_files *files = &j->posed.plan.files;
    const char *joints = j->settings->output.joints;
    mrw_status status = MRW_OK;
    if (j->settings->output.path) {
        status = mrw_output_files_prepare(files, true, error);
        if (status) {
            return status;
        }
    }
    if (joints && !mrw_output_is_stdout(joints)) {
        status = mrw_make_folder_of(joints, "--joints", error);
        if (status) {
            return status;
        }
    }
    j->outputs = calloc(j->posed.plan.pictures.count + 1, sizeof *j->outputs);
    if (!j->outputs) {
        return host_fail_memory(error);
    }
    status = prepare(j, error);
    if (status) {
        return status;
    }
    status = mrw_coco_people_find(&j->posed.session, &j->people, error);
    if (status) {
        return status;
    }
    /* after preparing, which loads the models of --add */
    status = host_check_opened(j->settings, files, error);
    if (status) {
        return status;
    }
    status = perform(j, error);
    return status ? status : write_joints(j, error);
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
    if (mrw_template_check(path, &fields, NULL) || (fields & MRW_FIELD_AOV) != 0) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--images '%s': the name of a picture can contain {model}, {clip}, {view}, "
                        "{time} and {frame:04}; write a plain brace as {{ or }}",
                        safe);
    }
    return MRW_OK;
}

static mrw_status check(const mrw_settings *settings, mrw_error *error)
{
    if (mrw_output_is_stdout(settings->output.path)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "bake writes its numbers to standard output; give -o a name that ends in "
                        ".obj or .ply");
    }
    if (settings->output.joints && strcmp(settings->output.joints, "-") == 0 &&
        host_answers_to_stdout()) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--json and --joints - would both write to standard output; give "
                        "--json=FILE or --joints FILE");
    }
    const mrw_status status = check_images(settings->output.images, error);
    return status ? status : mrw_plan_check(settings, &kinds, error);
}

int cli_bake(const mrw_settings *settings)
{
    mrw_error error;
    job j = {.settings = settings};
    const mrw_output_files *files = &j.posed.plan.files;
    pthread_mutex_init(&j.lock, NULL);
    mrw_status status = check(settings, &error);
    if (status) {
        goto out;
    }
    status = cli_posed_begin(settings, settings->output.path ? &kinds : NULL, &j.posed, &error);
    if (status) {
        goto out;
    }
    if (wants_coco(&j)) {
        status = mrw_plan_name(&j.posed.model, "--images", settings->output.images, ".png",
                               &j.posed.plan, &j.images, &error);
        if (status) {
            goto out;
        }
    }
    host_signals_hold();
    status = bake_all(&j, &error);
    host_signals_release();
    if (!status && settings->output.path) {
        char safe[512];
        host_say("%u %s to %s%s", files->count, files->count == 1 ? "mesh" : "meshes",
                 mrw_escape_text(files->paths[0], safe, sizeof safe),
                 files->count > 1 ? " and on" : "");
    }
out:
    if (status) {
        host_complain(&error);
    }
    for (uint32_t i = 0; j.outputs && i < j.posed.plan.pictures.count; i++) {
        mrw_text_free(&j.outputs[i].answer);
        mrw_text_free(&j.outputs[i].joints);
    }
    free(j.outputs);
    pthread_mutex_destroy(&j.lock);
    mrw_text_free(&j.joints);
    mrw_output_files_free(&j.images);
    mrw_coco_people_free(&j.people);
    cli_posed_free(&j.posed);
    return host_exit_status(status);
}
