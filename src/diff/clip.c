/* clip.c: one clip of two models: both drawn with one camera, picture against picture, joints
 * against joints. */
#include "diff/diff.h"

#include "base/parallel.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE 1400

typedef mrwi_diff_models_state models;

/* A clip at work. */
typedef struct scene_of_two {
    models *m;
    mrwi_diff_clip *clip;
    mrw_camera *cameras;
    uint32_t camera_count; /* 1: all pictures share it */
    bool moving;           /* the camera is that of the file before, or follows a node of it */
    const uint32_t *order; /* pictures to draw */
    int threads;           /* of one picture */
    mrw_status (*task)(struct scene_of_two *s, uint32_t index, mrwi_diff_worker *worker,
                       mrw_error *error);
} batch;

/* ---- the camera ------------------------------------------------------------------------------ */

static void play(models *m, int side, const mrwi_diff_clip *clip, uint32_t index)
{
    mrw_picture picture = clip->pictures.items[index];
    picture.clip = clip->clips[side];
    mrw_session_play(&m->sides[side].session, &picture);
}

/* Frames both models as they are played. */
static mrw_status aim(models *m, mrw_error *error)
{
    mrw_extents extents[2];
    mrw_status status = MRW_OK;
    for (int s = 0; s < 2 && status == MRW_OK; s++) {
        status = mrw_session_extents(&m->sides[s].session, &extents[s], error);
    }
    if (status == MRW_OK) {
        mrw_extents_merge(&extents[0], &extents[1]);
        status = mrw_session_aim_at(&m->sides[0].session, &extents[0], error);
    }
    return status;
}

static mrw_status place_cameras(batch *s, mrw_error *error)
{
    models *m = s->m;
    const mrw_session *session = &m->sides[0].session;
    const uint32_t pictures = s->clip->pictures.count;
    mrw_status status = MRW_OK;
    s->camera_count = session->fit == MRW_FIT_FRAME ? pictures : 1;
    s->cameras = mrwi_base_alloc(s->camera_count, sizeof *s->cameras);
    if (!s->cameras) {
        return mrwi_base_fail_memory(error, s->camera_count * sizeof *s->cameras);
    }
    for (uint32_t i = 0; i < s->camera_count && status == MRW_OK; i++) {
        play(m, 0, s->clip, i);
        play(m, 1, s->clip, i);
        if (session->frame.scene_camera == MRW_NONE && !m->framed) {
            status = aim(m, error);
        }
        s->cameras[i] = session->frame.camera;
    }
    m->framed = session->fit == MRW_FIT_ALL || session->fit == MRW_FIT_REST;
    s->moving = session->frame.scene_camera != MRW_NONE || session->frame.follow.node != MRW_NONE;
    return status;
}

/* ---- one picture of both --------------------------------------------------------------------- */

static mrw_status prepare_worker(const models *m, mrwi_diff_worker *worker, mrw_error *error)
{
    const mrw_settings *settings = m->diff->def->settings;
    bool made = true;
    if (worker->renderer) {
        return MRW_OK;
    }
    mrw_status status = mrw_renderer_create(&worker->renderer, error);
    for (int s = 0; s < 2 && status == MRW_OK; s++) {
        uint32_t count = m->sides[s].session.instance_count;
        worker->instances[s] = mrwi_base_alloc(count, sizeof *worker->instances[s]);
        worker->poses[s].joints = mrwi_base_alloc(m->joint_count, sizeof(mrwi_compare_joint));
        worker->poses[s].count = m->joint_count;
        worker->poses[s].frame = "";
        made = made && worker->instances[s] && worker->poses[s].joints;
    }
    if (status == MRW_OK && m->masks_nodes) {
        worker->mask = mrwi_base_alloc((size_t)settings->width * settings->height, 1);
        made = made && worker->mask;
    }
    return status == MRW_OK && !made ? mrwi_base_fail_memory(error, 0) : status;
}

/* The model as it is at a picture's time. */
static const mrw_instance *pose_instances(const batch *s, int side, uint32_t index,
                                          mrwi_diff_worker *worker)
{
    const mrw_session *session = &s->m->sides[side].session;
    mrw_instance *out = worker->instances[side];
    memcpy(out, session->instances, session->instance_count * sizeof *out);
    for (uint32_t i = 0; i < session->instance_count; i++) {
        out[i].time = s->clip->pictures.items[index].play_time;
    }
    return out;
}

/* The frame both are drawn with: where the camera moves, it is where the model before has it. */
static mrw_status make_frame(const batch *s, uint32_t index, mrwi_diff_worker *worker,
                             mrw_frame_def *out, mrw_error *error)
{
    const mrw_session *session = &s->m->sides[0].session;
    *out = session->frame;
    out->camera = s->cameras[s->camera_count > 1 ? index : 0];
    if (!s->moving) {
        return MRW_OK;
    }
    const mrw_instance *instances = pose_instances(s, 0, index, worker);
    const mrw_posed_instance *posed;
    mrw_camera camera;
    mrw_status status = mrw_pose_instances(worker->renderer, instances, session->instance_count,
                                           out->isa, &posed, error);
    if (status == MRW_OK) {
        status = mrw_frame_camera(out, &instances[0], &posed[0], &camera, error);
    }
    if (status == MRW_OK) {
        out->camera = camera;
        out->scene_camera = MRW_NONE;
        out->follow.node = MRW_NONE;
    }
    return status;
}

static mrw_status draw_side(const batch *s, int side, uint32_t index, const mrw_frame_def *frame,
                            mrwi_diff_worker *worker, mrw_error *error)
{
    const mrwi_diff_side *x = &s->m->sides[side];
    const mrw_instance *instances = pose_instances(s, side, index, worker);
    mrw_status status = mrw_render(worker->renderer, frame, instances, x->session.instance_count,
                                   s->threads, &worker->images[side], error);
    const mrw_image *ids = mrw_frame_target(worker->renderer, MRW_TARGET_ID);
    const mrw_image *triangles = mrw_frame_target(worker->renderer, MRW_TARGET_TRIANGLE);
    for (uint32_t i = 0; i < x->mask_node_count && status == MRW_OK && ids; i++) {
        mrw_frame_mark_node(ids, triangles, instances, 0, x->mask_nodes[i], worker->mask);
    }
    return status;
}

/* Draws both; *mask is what to leave out: of nodes what is seen of them on either side. */
static mrw_status draw_both(const batch *s, uint32_t index, mrwi_diff_worker *worker,
                            const uint8_t **mask, mrw_error *error)
{
    const models *m = s->m;
    const size_t pixels = (size_t)m->diff->def->settings->width * m->diff->def->settings->height;
    mrw_frame_def frame;
    if (m->masks_nodes && m->mask) {
        memcpy(worker->mask, m->mask, pixels);
    } else if (m->masks_nodes) {
        memset(worker->mask, 0, pixels);
    }
    mrw_status status = make_frame(s, index, worker, &frame, error);
    for (int side = 0; side < 2 && status == MRW_OK; side++) {
        status = draw_side(s, side, index, &frame, worker, error);
    }
    *mask = m->masks_nodes ? worker->mask : m->mask;
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static mrw_status write_image(const batch *s, uint32_t index, const mrw_image *image,
                              const char *ending, const char **out, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", s->clip->folder, s->clip->result->frames[index].name,
             ending);
    mrw_status status = mrwi_diff_write(path, image, error);
    if (status == MRW_OK) {
        *out = mrwi_report_text(s->m->diff->results, path);
        status = *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof path);
    }
    return status;
}

static mrw_status write_images(const batch *s, uint32_t index, const mrwi_diff_worker *worker,
                               const uint8_t *mask, mrw_error *error)
{
    mrw_frame_result *frame = &s->clip->result->frames[index];
    mrw_image diff = {0};
    mrw_status status =
        write_image(s, index, &worker->images[0], ".expected.png", &frame->expected, error);
    if (frame->metrics.identical && frame->metrics.masked_pixels == 0) {
        return status;
    }
    if (status == MRW_OK) {
        status = write_image(s, index, &worker->images[1], ".png", &frame->actual, error);
    }
    if (status == MRW_OK) {
        status = mrwi_diff_picture(s->m->diff, worker->images, mask, s->threads, &diff, error);
    }
    if (status == MRW_OK) {
        status = write_image(s, index, &diff, ".diff.png", &frame->diff, error);
    }
    mrw_image_free(&diff);
    return status;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Adds a part to a message: "a; b". */
static void add(char *message, const char *part)
{
    size_t used = strlen(message);
    snprintf(message + used, MESSAGE - used, "%s%s", used > 0 ? "; " : "", part);
}

static void gather(const mrwi_diff_side *x, const mrw_posed_instance *posed,
                   mrwi_compare_pose *pose, mrwi_compare_box *box)
{
    for (uint32_t j = 0; j < pose->count; j++) {
        pose->joints[j].name = x->joints[j].name;
        mrwi_session_joint_to_world(posed, &x->joints[j], pose->joints[j].joint_to_world);
    }
    box->any = mrwi_session_box(&x->session, x->session.instance_count, posed, box->min, box->max);
}

static mrw_status judge_shape(const batch *s, uint32_t index, mrwi_diff_worker *worker,
                              char *message, mrw_error *error)
{
    const models *m = s->m;
    const mrw_settings *settings = m->diff->def->settings;
    const mrwi_compare_pose_limits limits = {settings->max_degrees, settings->max_distance};
    mrw_frame_result *frame = &s->clip->result->frames[index];
    mrwi_compare_box boxes[2];
    char text[700];
    mrw_status status = MRW_OK;
    for (int side = 0; side < 2 && status == MRW_OK; side++) {
        const mrwi_diff_side *x = &m->sides[side];
        const mrw_posed_instance *posed;
        status = mrw_pose_instances(worker->renderer, pose_instances(s, side, index, worker),
                                    x->session.instance_count, x->session.frame.isa, &posed, error);
        if (status == MRW_OK) {
            gather(x, posed, &worker->poses[side], &boxes[side]);
        }
    }
    if (status == MRW_OK) {
        status = mrwi_compare_pose_compare(&worker->poses[0], &worker->poses[1], &limits,
                                           &frame->pose, text, sizeof text, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    if (frame->pose.differing > 0) {
        frame->why |= MRW_WHY_POSE;
        s->clip->pose_texts[index] = mrwi_report_text(m->diff->results, text);
        add(message, text);
    }
    if (!mrwi_compare_box_compare(&boxes[0], &boxes[1], settings->max_distance, &frame->bounds,
                                  text, sizeof text)) {
        frame->why |= MRW_WHY_BOUNDS;
        add(message, text);
    }
    frame->pose.joint =
        frame->pose.joint ? mrwi_report_text(m->diff->results, frame->pose.joint) : NULL;
    return MRW_OK;
}

static mrw_status judge(batch *s, uint32_t index, mrwi_diff_worker *worker, mrw_error *error)
{
    mrw_frame_result *frame = &s->clip->result->frames[index];
    const uint8_t *mask = NULL;
    char message[MESSAGE] = "", text[256];
    mrw_status status = draw_both(s, index, worker, &mask, error);
    if (status == MRW_OK) {
        status =
            mrwi_diff_compare(s->m->diff, worker->images, mask, s->threads, &frame->metrics, error);
    }
    if (status == MRW_OK) {
        frame->compared = true;
        frame->emptiness = mrw_image_emptiness(&worker->images[1]);
        status = judge_shape(s, index, worker, message, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    if (!frame->metrics.passed) {
        frame->why |= MRW_WHY_PIXELS;
        add(message, mrw_compare_text(&frame->metrics, &worker->images[0], &worker->images[1], text,
                                      sizeof text));
    }
    frame->passed = frame->why == 0;
    frame->message = mrwi_report_text(s->m->diff->results, message);
    if (!frame->message) {
        return mrwi_base_fail_memory(error, MESSAGE);
    }
    return s->clip->folder && !frame->passed ? write_images(s, index, worker, mask, error) : MRW_OK;
}

/* Of a clip that differs all pictures are shown, those that are the same too. */
static mrw_status show(batch *s, uint32_t index, mrwi_diff_worker *worker, mrw_error *error)
{
    const uint8_t *mask = NULL;
    mrw_status status = draw_both(s, index, worker, &mask, error);
    return status == MRW_OK ? write_images(s, index, worker, mask, error) : status;
}

/* ---- all pictures ---------------------------------------------------------------------------- */

static void draw_one(void *user, int64_t at, int number)
{
    batch *s = user;
    mrwi_diff_progress *progress = s->m->diff->progress;
    mrwi_diff_worker *worker = &s->m->workers[number];
    const uint32_t index = s->order[at];
    mrw_error error = {0};
    if (atomic_load(&progress->stop)) {
        return;
    }
    mrw_status status = prepare_worker(s->m, worker, &error);
    if (status == MRW_OK) {
        status = s->task(s, index, worker, &error);
    }
    if (s->task == judge || status != MRW_OK) {
        mrwi_diff_step(progress, s->clip->first + index, status, &error);
    }
}

/* Several pictures at once, or one with several threads. */
static mrw_status draw(batch *s, const uint32_t *order, uint32_t count, mrw_error *error)
{
    const int threads = s->m->threads;
    const bool apart = count >= (uint32_t)threads;
    s->order = order;
    s->threads = apart ? 1 : threads;
    mrwi_base_parallel_for(apart ? threads : 1, count, draw_one, s);
    return mrwi_diff_outcome(s->m->diff->progress, error);
}

static mrw_status make_frames(const batch *s, mrw_error *error)
{
    mrw_results *results = s->m->diff->results;
    mrwi_diff_clip *clip = s->clip;
    const uint32_t count = clip->pictures.count;
    mrw_frame_result *frames = mrwi_report_alloc(results, count, sizeof *frames);
    const char *name =
        mrwi_report_text(results, mrw_session_clip_name(&s->m->sides[0].model, clip->clips[0]));
    clip->pose_texts = mrwi_base_arena_alloc(&s->m->arena, count, sizeof *clip->pose_texts);
    bool made = frames && name && clip->pose_texts;
    for (uint32_t i = 0; i < count && made; i++) {
        const mrw_picture *picture = &clip->pictures.items[i];
        char file[300];
        snprintf(file, sizeof file, "%s_%04llu", clip->safe, (unsigned long long)picture->frame);
        frames[i] = (mrw_frame_result){.name = mrwi_report_text(results, file),
                                       .clip = name,
                                       .frame = picture->frame,
                                       .time = picture->time,
                                       .message = "",
                                       .pose = {.scale = 1.0}};
        clip->pose_texts[i] = NULL;
        made = frames[i].name;
    }
    clip->result->frames = frames;
    clip->result->frame_count = made ? count : 0;
    return made ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *frames);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static mrw_status settle(const batch *s, mrw_error *error)
{
    mrw_case_result *result = s->clip->result;
    mrw_text text = {0};
    for (size_t i = 0; i < result->frame_count; i++) {
        result->bad_frames += !result->frames[i].passed;
    }
    bool bad = result->bad_frames > 0 || mrwi_diff_other_duration(s->m, s->clip);
    result->outcome = bad ? MRW_FAILED : MRW_PASSED;
    mrwi_diff_describe_clip(s->m, s->clip, &text);
    result->message = text.failed ? NULL : mrwi_report_text(s->m->diff->results, text.data);
    mrw_text_free(&text);
    return result->message ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static mrw_status show_rest(batch *s, uint32_t *order, mrw_error *error)
{
    const mrw_case_result *result = s->clip->result;
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->frame_count; i++) {
        if (!result->frames[i].expected) {
            order[count++] = i;
        }
    }
    s->task = show;
    return count > 0 ? draw(s, order, count, error) : MRW_OK;
}

mrw_status mrwi_diff_clip_run(mrwi_diff_models_state *state, mrwi_diff_clip *clip, mrw_error *error)
{
    const uint32_t count = clip->pictures.count;
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    batch s = {.m = state, .clip = clip, .task = judge};
    uint32_t *order = mrwi_base_alloc(count, sizeof *order);
    mrw_status status = order ? make_frames(&s, error) : mrwi_base_fail_memory(error, count);
    if (status == MRW_OK) {
        status = place_cameras(&s, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        order[i] = i;
    }
    if (status == MRW_OK) {
        status = draw(&s, order, count, error);
    }
    if (status == MRW_OK) {
        status = settle(&s, error);
    }
    if (status == MRW_OK && clip->folder && clip->result->outcome == MRW_FAILED) {
        status = show_rest(&s, order, error);
    }
    clip->result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    mrwi_base_free(order);
    mrwi_base_free(s.cameras);
    return status;
}
