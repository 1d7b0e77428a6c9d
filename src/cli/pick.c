/* pick.c: `marrow pick`: what is seen at pixels of a picture. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The passes that answer, in the order in which they are asked for. */
enum { ID, TRIANGLE, BARYCENTRIC, POSITION, DEPTH, DISTANCE, JOINT, PASSES };

static const mrw_aov_request passes[PASSES] = {
    [ID] = {.aov = MRW_AOV_ID},
    [TRIANGLE] = {.aov = MRW_AOV_TRIANGLE},
    [BARYCENTRIC] = {.aov = MRW_AOV_BARYCENTRIC},
    [POSITION] = {.aov = MRW_AOV_POSITION},
    [DEPTH] = {.aov = MRW_AOV_DEPTH},
    [DISTANCE] = {.aov = MRW_AOV_DISTANCE},
    [JOINT] = {.aov = MRW_AOV_JOINT},
};

typedef struct job {
    const mrw_settings *settings;
    cli_posed posed;
    mrw_legend legend;
    mrw_text *answers; /* one a picture */
} job;

/* What is seen at a pixel. */
typedef struct picked {
    const mrw_legend_draw *draw; /* NULL: nothing; then the rest means nothing */
    uint32_t triangle;           /* of the mesh, from 0 */
    float barycentric[3], position[3];
    float depth, distance;
    uint32_t joint; /* 1 and a node of the scene, or 0 */
    mrw_point_joints joints;
} picked;

/* ---- looking --------------------------------------------------------------------------------- */

/* A pixel of a pass: its first channel. */
static const void *value_at(const mrw_renderer *renderer, uint32_t pass, const uint32_t pixel[2])
{
    const mrw_image *image = mrw_frame_aov(renderer, pass);
    const size_t at = (size_t)pixel[1] * image->width + pixel[0];
    return image->pixels + at * image->channels * mrw_format_size(image->format);
}

static mrw_status look(const job *j, const mrw_sequence_frame *shown, const uint32_t pixel[2],
                       picked *out, mrw_error *error)
{
    uint32_t id, triangle;
    *out = (picked){.draw = NULL};
    memcpy(&id, value_at(shown->renderer, ID, pixel), sizeof id);
    if (id == 0) {
        return MRW_OK;
    }
    memcpy(&triangle, value_at(shown->renderer, TRIANGLE, pixel), sizeof triangle);
    memcpy(out->barycentric, value_at(shown->renderer, BARYCENTRIC, pixel),
           sizeof out->barycentric);
    memcpy(out->position, value_at(shown->renderer, POSITION, pixel), sizeof out->position);
    memcpy(&out->depth, value_at(shown->renderer, DEPTH, pixel), sizeof out->depth);
    memcpy(&out->distance, value_at(shown->renderer, DISTANCE, pixel), sizeof out->distance);
    memcpy(&out->joint, value_at(shown->renderer, JOINT, pixel), sizeof out->joint);
    out->draw = &j->legend.draws[id - 1]; /* not numbered by --id: see perform() */
    out->triangle = triangle - 1;
    return mrw_frame_point_joints(&shown->instances[out->draw->instance], out->draw->draw,
                                  out->triangle, out->barycentric, &out->joints, error);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void joints_json(const mrw_scene *scene, const picked *what, mrw_json *json)
{
    const mrw_point_joints *joints = &what->joints;
    mrw_json_uint(mrw_json_key(json, "joint_number"), what->joint);
    mrw_json_string(mrw_json_key(json, "joint"),
                    what->joint > 0 ? mrw_scene_string(scene, scene->nodes[what->joint - 1].name)
                                    : NULL);
    mrw_json_open(mrw_json_key(json, "weights"), '[');
    for (uint32_t i = 0; i < joints->count; i++) {
        const mrw_joint_weight *at = &joints->items[i];
        mrw_json_open(json, '{');
        mrw_json_string(mrw_json_key(json, "joint"),
                        mrw_scene_string(scene, scene->nodes[at->node].name));
        mrw_json_uint(mrw_json_key(json, "node_index"), at->node);
        mrw_json_double(mrw_json_key(json, "weight"), at->weight);
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, ']');
}

static void pixel_json(const job *j, const uint32_t pixel[2], const picked *what, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_json_uint(mrw_json_key(json, "x"), pixel[0]);
    mrw_json_uint(mrw_json_key(json, "y"), pixel[1]);
    mrw_json_key(json, "surface");
    if (!what->draw) {
        mrw_json_null(json);
        mrw_json_close(json, '}');
        return;
    }
    mrw_json_open(json, '{');
    mrw_plan_legend_draw_json(&j->posed.session, what->draw, json);
    mrw_json_uint(mrw_json_key(json, "triangle"), what->triangle);
    mrw_json_uint(mrw_json_key(json, "triangle_number"), what->triangle + 1);
    mrw_json_floats(mrw_json_key(json, "barycentric"), what->barycentric, 3);
    mrw_json_floats(mrw_json_key(json, "position"), what->position, 3);
    mrw_json_double(mrw_json_key(json, "depth"), (double)what->depth);
    mrw_json_double(mrw_json_key(json, "distance"), (double)what->distance);
    joints_json(j->posed.session.scenes[what->draw->instance], what, json);
    mrw_json_close(json, '}');
    mrw_json_close(json, '}');
}

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

/* What is seen, in a line, and two that say where it is and what moves it. */
static void pixel_text(const job *j, const uint32_t pixel[2], const picked *what, mrw_text *out)
{
    mrw_text_add(out, "%u,%u: ", pixel[0], pixel[1]);
    if (!what->draw) {
        mrw_text_add(out, "nothing\n");
        return;
    }
    const mrw_legend_draw *draw = what->draw;
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
    put_floats(out, "\n  at ", what->position, 3);
    put_floats(out, ", depth ", &what->depth, 1);
    mrw_text_add(out, ", in triangle %u of %u", what->triangle, mesh->triangle_count);
    put_floats(out, " at ", what->barycentric, 3);
    mrw_text_add(out, what->joints.count > 0 ? "\n  moved by" : "\n  no joint moves it");
    for (uint32_t i = 0; i < what->joints.count; i++) {
        const mrw_joint_weight *at = &what->joints.items[i];
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

static mrw_status put(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    job *j = user;
    const mrw_picture *at = &j->posed.plan.pictures.items[shown->index];
    const mrw_text_list *pixels = &j->settings->output.pixels;
    const bool as_json = j->settings->output.json;
    mrw_status status = MRW_OK;
    mrw_json json = {0};
    as_json ? open_json(j, at, &json) : open_text(j, at, &json.text);
    for (size_t i = 0; i < pixels->count && status == MRW_OK; i++) {
        uint32_t pixel[2];
        picked what;
        mrw_pixel_parse(pixels->items[i], pixel);
        status = look(j, shown, pixel, &what, error);
        if (status == MRW_OK) {
            as_json ? pixel_json(j, pixel, &what, &json) : pixel_text(j, pixel, &what, &json.text);
            mrw_point_joints_free(&what.joints);
        }
    }
    if (as_json) {
        mrw_json_close(&json, ']');
        mrw_json_close(&json, '}');
        mrw_json_line(&json);
    }
    j->answers[shown->index] = json.text;
    return status;
}

/* Draws are told apart by their places: --id may give several one number. */
static mrw_status perform(job *j, mrw_error *error)
{
    const mrw_session_sink sink = {.user = j, .put = put, .go_on = cli_go_on};
    mrw_frame_def *frame = &j->posed.session.frame;
    mrw_crew *crew = NULL;
    mrw_status status = mrw_frame_legend(
        j->posed.session.instances, j->posed.session.instance_count, frame->ids, &j->legend, error);
    if (status == MRW_OK) {
        status = mrw_crew_create(mrw_backend_none(), j->posed.session.threads, &crew, error);
    }
    if (status == MRW_OK) {
        frame->ids = NULL;
        frame->every = true; /* the answers name their times */
        status = mrw_session_perform(&j->posed.session, j->posed.plan.pictures.items,
                                     j->posed.plan.pictures.count, crew, &sink, error);
    }
    mrw_crew_free(crew);
    return status;
}

static mrw_status pick_all(job *j, mrw_error *error)
{
    const uint32_t count = j->posed.plan.pictures.count;
    j->answers = calloc((size_t)count + 1, sizeof *j->answers);
    mrw_status status = j->answers ? MRW_OK : cli_fail_memory(error);
    if (status == MRW_OK) {
        j->posed.session.fewest_levels = !j->posed.session.cache;
        j->posed.session.frame.aovs = passes; /* they have levels of textures kept */
        j->posed.session.frame.aov_count = PASSES;
        status = mrw_session_prepare(&j->posed.session, &cli_host, error);
    }
    if (status == MRW_OK) { /* it has loaded what is added */
        status = cli_check_opened(j->settings, &j->posed.plan.files, error);
    }
    if (status == MRW_OK) {
        status = perform(j, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = j->settings->output.json ? cli_answer(&j->answers[i], error)
                                          : cli_print(&j->answers[i], error);
    }
    return status;
}

static void free_job(job *j)
{
    for (uint32_t i = 0; j->answers && i < j->posed.plan.pictures.count; i++) {
        mrw_text_free(&j->answers[i]);
    }
    free(j->answers);
    mrw_legend_free(&j->legend);
    cli_posed_free(&j->posed);
}

/* The pixels lie in the picture, and there are some. */
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
    if (status == MRW_OK) {
        status = cli_posed_begin(settings, NULL, &j.posed, &error);
    }
    if (status == MRW_OK) {
        cli_signals_hold();
        status = pick_all(&j, &error);
        cli_signals_release();
    }
    if (status != MRW_OK) {
        cli_complain(&error);
    }
    free_job(&j);
    return cli_exit_status(status);
}
