/* pick.c: `marrow pick`: what is seen at pixels of a picture. */
#include "posed.h"

#include <stdlib.h>

typedef struct job {
    const mrw_settings *settings;
    cli_posed posed;
    mrw_legend legend;
    mrw_text *answers; /* [picture] */
} job;

/* ---- answers --------------------------------------------------------------------------------- */

static void open_json(const job *j, const mrw_picture *at, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "schema"), 1);
    mrw_json_string(mrw_json_key(json, "model"), j->posed.model.path);
    mrw_json_string(mrw_json_key(json, "clip"),
                    at->clip == MRW_NONE ? NULL : mrw_session_clip_name(&j->posed.model, at->clip));
    mrw_json_uint(mrw_json_key(json, "frame"), at->frame);
    mrw_json_double(mrw_json_key(json, "time"), at->time);
    mrw_json_uint(mrw_json_key(json, "width"), j->posed.session.frame.width);
    mrw_json_uint(mrw_json_key(json, "height"), j->posed.session.frame.height);
    mrw_json_open(mrw_json_key(json, "pixels"), '[');
}

static void put_floats(mrw_text *out, const char *what, const float *values, int count)
{
    mrw_text_add(out, "%s", what);
    for (int i = 0; i < count; i++) {
        mrw_text_add(out, i > 0 ? ", " : "");
        mrw_text_fixed(out, (double)values[i], 4);
    }
}

static void put_name(mrw_text *out, const char *what, const char *name)
{
    mrw_text_add(out, "%s", what);
    mrw_text_escaped(out, name);
}

/* Adds a line that says what is seen, and two that say where it is and what moves it. */
static void pixel_text(const job *j, const mrw_pick *pick, mrw_text *out)
{
    mrw_text_add(out, "%u,%u: ", pick->pixel[0], pick->pixel[1]);
    if (!pick->draw) {
        mrw_text_add(out, "nothing\n");
        return;
    }
    const mrw_legend_draw *draw = pick->draw;
    const mrw_scene *scene = j->posed.session.scenes[draw->instance];
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    char model[MRW_SESSION_NAME_SIZE];
    mrw_text_add(out, "id %u", draw->id);
    if (j->posed.session.instance_count > 1) {
        mrw_session_instance_name(&j->posed.session, draw->instance, model);
        put_name(out, ", model ", model);
        mrw_text_add(out, " (instance %u)", draw->instance);
    }
    put_name(out, ", node ", mrw_scene_string(scene, scene->nodes[draw->node].name));
    put_name(out, ", mesh ", mrw_scene_string(scene, mesh->name));
    if (draw->material != MRW_NONE) {
        put_name(out, ", material ",
                 mrw_scene_string(scene, scene->materials[draw->material].name));
    }
    put_floats(out, "\n  at ", pick->position, 3);
    put_floats(out, ", depth ", &pick->depth, 1);
    mrw_text_add(out, ", in triangle %u of %u", pick->triangle, mesh->triangle_count);
    put_floats(out, " at ", pick->barycentric, 3);
    mrw_text_add(out, pick->joints.count > 0 ? "\n  moved by" : "\n  no joint moves it");
    for (uint32_t i = 0; i < pick->joints.count; i++) {
        const mrw_joint_weight *at = &pick->joints.items[i];
        put_name(out, i > 0 ? ", " : " ", mrw_scene_string(scene, scene->nodes[at->node].name));
        mrw_text_add(out, " ");
        mrw_text_fixed(out, at->weight, 3);
    }
    mrw_text_add(out, "\n");
}

static void open_text(const job *j, const mrw_picture *at, mrw_text *out)
{
    if (j->posed.plan.pictures.count > 1) {
        mrw_text_escaped(out, mrw_session_clip_name(&j->posed.model, at->clip));
        mrw_text_add(out, " at ");
        mrw_text_double(out, at->time);
        mrw_text_add(out, " s\n");
    }
}

/* ---- the work -------------------------------------------------------------------------------- */

static mrw_status receive(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    job *j = user;
    const mrw_picture *at = &j->posed.plan.pictures.items[shown->index];
    const mrw_text_list *pixels = &j->settings->output.pixels;
    const bool as_json = j->settings->output.json;
    mrw_json json = {0};
    as_json ? open_json(j, at, &json) : open_text(j, at, &json.text);
    for (size_t i = 0; i < pixels->count; i++) {
        uint32_t pixel[2];
        mrw_pick pick;
        mrw_pixel_parse(pixels->items[i], pixel);
        const mrw_status status = mrw_pick_at(&j->legend, shown, pixel, &pick, error);
        if (status) {
            mrw_text_free(&json.text);
            return status;
        }
        as_json ? mrw_pick_json(&j->posed.session, &pick, &json) : pixel_text(j, &pick, &json.text);
        mrw_pick_free(&pick);
    }
    if (as_json) {
        mrw_json_close(&json, ']');
        mrw_json_close(&json, '}');
        mrw_json_line(&json);
    }
    j->answers[shown->index] = json.text;
    return MRW_OK;
}

/* Draws the pictures and looks at their pixels. Draws are told apart by their indices, since --id
 * may give several one number. */
static mrw_status draw(job *j, mrw_error *error)
{
    const mrw_session_sink sink = {.user = j, .put = receive, .go_on = host_go_on};
    mrw_session *session = &j->posed.session;
    mrw_frame_def *frame = &session->frame;
    mrw_crew *crew;
    mrw_status status = mrw_frame_legend(session->instances, session->instance_count, frame->ids,
                                         &j->legend, error);
    if (status) {
        return status;
    }
    status = mrw_crew_create(mrw_backend_none(), session->threads, &crew, error);
    if (status) {
        return status;
    }
    frame->ids = NULL;
    frame->every = true; /* the answers name their times */
    status = mrw_session_perform(session, j->posed.plan.pictures.items,
                                 j->posed.plan.pictures.count, crew, &sink, error);
    mrw_crew_free(crew);
    return status;
}

static mrw_status pick_all(job *j, mrw_error *error)
{
    const uint32_t count = j->posed.plan.pictures.count;
    mrw_session *session = &j->posed.session;
    j->answers = calloc((size_t)count + 1, sizeof *j->answers);
    if (!j->answers) {
        return host_fail_memory(error);
    }
    session->fewest_levels = !session->cache;
    /* before preparing, which keeps the levels of textures that the passes need */
    session->frame.aovs = mrw_pick_requests(&session->frame.aov_count);
    mrw_status status = mrw_session_prepare(session, &host_callbacks, error);
    if (status) {
        return status;
    }
    /* after preparing, which loads the models of --add */
    status = host_check_opened(j->settings, &j->posed.plan.files, error);
    if (status) {
        return status;
    }
    status = draw(j, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        status = j->settings->output.json ? host_answer(&j->answers[i], error)
                                          : host_print(&j->answers[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Checks that there are pixels, and that they are inside the picture. */
static mrw_status check(const mrw_settings *settings, mrw_error *error)
{
    const mrw_text_list *pixels = &settings->output.pixels;
    const uint32_t width = settings->picture.width, height = settings->picture.height;
    if (pixels->count == 0) {
        return mrw_fail(error, MRW_ERROR_USAGE, "pick needs a pixel to look at, as in --at %u,%u",
                        width / 2, height / 2);
    }
    for (size_t i = 0; i < pixels->count; i++) {
        uint32_t pixel[2];
        if (!mrw_pixel_parse(pixels->items[i], pixel) || pixel[0] >= width || pixel[1] >= height) {
            return mrw_fail(error, MRW_ERROR_USAGE,
                            "--at %s is outside the picture, which is %ux%u: 0,0 to %u,%u",
                            pixels->items[i], width, height, width - 1, height - 1);
        }
    }
    return MRW_OK;
}

int cli_pick(const mrw_settings *settings)
{
    mrw_error error;
    job j = {.settings = settings};
    mrw_status status = check(settings, &error);
    if (status) {
        goto out;
    }
    status = cli_posed_begin(settings, NULL, &j.posed, &error);
    if (status) {
        goto out;
    }
    host_signals_hold();
    status = pick_all(&j, &error);
    host_signals_release();
out:
    if (status) {
        host_complain(&error);
    }
    for (uint32_t i = 0; j.answers && i < j.posed.plan.pictures.count; i++) {
        mrw_text_free(&j.answers[i]);
    }
    free(j.answers);
    mrw_legend_free(&j.legend);
    cli_posed_free(&j.posed);
    return host_exit_status(status);
}
