/* clip.c: draws one clip of two models with one camera and compares pictures, joints and boxes. */
#include "diff/diff.h"

#include "base/text.h"
#include "image/file.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE 1400

typedef mrwi_diff_models_state models;

/* The task for a pair of pictures. */
typedef enum picture_task {
    JUDGE,
    SHOW /* If a clip differs, all its pictures are written, also those that are the same. */
} picture_task;

/* A clip that is being drawn. */
typedef struct clip_work {
    models *m;
    mrwi_diff_clip *clip;
    picture_task task;
    const uint32_t *order; /* Index in the clip of each drawn picture; NULL: all pictures of the
                            * clip are drawn. */
} clip_work;

/* One picture of both sides, on the thread that drew side 0. */
typedef struct picture_pair {
    clip_work *w;
    uint32_t index; /* Index in the clip. */
    const mrw_sequence_frame *shown;
    mrwi_diff_worker *worker;
    mrw_image images[2]; /* Side 0 of the crew, side 1 of the worker. */
    const uint8_t *mask; /* Pixels to leave out; those of masked nodes on either side. */
} picture_pair;

/* ---- the camera ------------------------------------------------------------------------------ */

/* Frames both models as they are played, with the camera of the file before. */
static mrw_status aim(void *user, mrw_session *session, const mrw_picture *at, mrw_error *error)
{
    const clip_work *w = user;
    models *m = w->m;
    mrw_session *after = &m->sides[1].session;
    mrw_picture there = *at;
    mrw_extents extents[2];
    there.clip = w->clip->clips[1];
    mrw_session_play(after, &there);
    if (session->frame.scene_camera != MRW_NONE || m->framed) {
        return MRW_OK;
    }
    m->framed = session->fit == MRW_FIT_ALL || session->fit == MRW_FIT_REST;
    mrw_status status = mrw_session_extents(session, &extents[0], error);
    if (status) {
        return status;
    }
    status = mrw_session_extents(after, &extents[1], error);
    if (status) {
        return status;
    }
    mrw_extents_merge(&extents[0], &extents[1]);
    return mrw_session_aim_at(session, &extents[0], error);
}

/* ---- one picture of both --------------------------------------------------------------------- */

/* Allocates a worker's memory with its first picture. */
static mrw_status prepare_worker(const models *m, mrwi_diff_worker *worker, mrw_error *error)
{
    const mrw_settings *settings = m->diff->def->settings;
    const uint32_t count = m->sides[1].session.instance_count;
    bool made = true;
    if (worker->after) {
        return MRW_OK;
    }
    worker->after = mrwi_base_alloc(count, sizeof *worker->after);
    for (int s = 0; s < 2; s++) {
        worker->poses[s].joints = mrwi_base_alloc(m->joint_count, sizeof(mrwi_compare_joint));
        worker->poses[s].count = m->joint_count;
        worker->poses[s].frame = "";
        made = made && worker->poses[s].joints;
    }
    if (m->masks_nodes) {
        worker->mask =
            mrwi_base_alloc((size_t)settings->picture.width * settings->picture.height, 1);
        made = made && worker->mask;
    }
    return made && worker->after ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static const mrw_instance *instances_of(const picture_pair *p, int side)
{
    return side == 0 ? p->shown->instances : p->worker->after;
}

/* Marks the pixels of masked nodes in the picture that the renderer drew last. */
static void mark_nodes(const picture_pair *p, int side)
{
    const mrwi_diff_side *x = &p->w->m->sides[side];
    const mrw_image *ids = mrw_frame_target(p->shown->renderer, MRW_TARGET_ID);
    const mrw_image *triangles = mrw_frame_target(p->shown->renderer, MRW_TARGET_TRIANGLE);
    for (uint32_t i = 0; i < x->mask_node_count && ids; i++) {
        mrw_frame_mark_node(ids, triangles, instances_of(p, side), 0, x->mask_nodes[i],
                            p->worker->mask);
    }
}

/* Makes the frame that side 1 is drawn with. A camera that moves is placed by the model before. */
static mrw_status frame_of_after(const picture_pair *p, mrw_frame_def *out, mrw_error *error)
{
    const mrw_sequence_frame *shown = p->shown;
    const mrw_posed_instance *posed;
    *out = *shown->def;
    if (out->scene_camera == MRW_NONE && out->follow.node == MRW_NONE) {
        return MRW_OK;
    }
    mrw_status status = mrw_pose_instances(shown->renderer, shown->instances, shown->instance_count,
                                           out->isa, &posed, error);
    if (status) {
        return status;
    }
    out->scene_camera = MRW_NONE;
    out->follow.node = MRW_NONE;
    return mrw_frame_camera(shown->def, &shown->instances[0], &posed[0], &out->camera, error);
}

/* Draws side 1 after side 0. */
static mrw_status draw_after(picture_pair *p, mrw_error *error)
{
    const models *m = p->w->m;
    const mrw_session *session = &m->sides[1].session;
    const size_t pixels =
        (size_t)m->diff->def->settings->picture.width * m->diff->def->settings->picture.height;
    mrw_frame_def frame;
    mrw_status status = prepare_worker(m, p->worker, error);
    if (status) {
        return status;
    }
    mrw_instance *after = p->worker->after;
    memcpy(after, session->instances, session->instance_count * sizeof *after);
    for (uint32_t i = 0; i < session->instance_count; i++) {
        after[i].time = p->w->clip->pictures.items[p->index].play_time;
    }
    p->mask = m->mask;
    if (m->masks_nodes) {
        m->mask ? memcpy(p->worker->mask, m->mask, pixels) : memset(p->worker->mask, 0, pixels);
        mark_nodes(p, 0);
        p->mask = p->worker->mask;
    }
    status = frame_of_after(p, &frame, error);
    if (status) {
        return status;
    }
    status = mrw_crew_draw(m->workers.crew, p->shown->worker, &frame, after,
                           session->instance_count, p->shown->threads, &p->worker->image, error);
    if (status) {
        return status;
    }
    if (m->masks_nodes) {
        mark_nodes(p, 1);
    }
    p->images[0] = *p->shown->image;
    p->images[1] = p->worker->image;
    return MRW_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static mrw_status write_image(const picture_pair *p, const mrw_image *image, const char *ending,
                              const char **out, mrw_error *error)
{
    const mrwi_diff_clip *clip = p->w->clip;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", clip->folder, clip->result->frames[p->index].name,
             ending);
    mrw_status status = mrwi_image_write_png(path, "-o", image, error);
    if (status) {
        return status;
    }
    *out = mrwi_report_text(p->w->m->diff->results, path);
    return *out ? MRW_OK : mrwi_base_fail_memory(error, sizeof path);
}

/* Writes the expected picture and, if the pictures differ, the actual one and the difference. */
static mrw_status write_images(const picture_pair *p, mrw_error *error)
{
    mrw_frame_result *frame = &p->w->clip->result->frames[p->index];
    mrw_image diff = {0};
    mrw_status status = write_image(p, &p->images[0], ".expected.png", &frame->expected, error);
    if (status || (frame->metrics.identical && frame->metrics.masked_pixels == 0)) {
        return status;
    }
    status = write_image(p, &p->images[1], ".png", &frame->actual, error);
    if (status) {
        return status;
    }
    status = mrwi_diff_picture(p->w->m->diff, p->images, p->mask, p->shown->threads, &diff, error);
    if (status) {
        goto out;
    }
    status = write_image(p, &diff, ".diff.png", &frame->diff, error);
out:
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

/* Compares the joints and boxes of both sides. Differences go into the frame's result and are added
 * to the message. */
static mrw_status judge_shape(const picture_pair *p, char *message, mrw_error *error)
{
    const models *m = p->w->m;
    const mrw_settings *settings = m->diff->def->settings;
    const mrwi_compare_pose_limits limits = {settings->compare.max_degrees,
                                             settings->compare.max_distance};
    mrwi_diff_worker *worker = p->worker;
    mrw_frame_result *frame = &p->w->clip->result->frames[p->index];
    mrwi_compare_box boxes[2];
    char text[700];
    for (int side = 0; side < 2; side++) {
        const mrwi_diff_side *x = &m->sides[side];
        const mrw_posed_instance *posed;
        mrw_status status =
            mrw_pose_instances(p->shown->renderer, instances_of(p, side), x->session.instance_count,
                               x->session.frame.isa, &posed, error);
        if (status) {
            return status;
        }
        mrwi_compare_pose *pose = &worker->poses[side];
        mrwi_compare_box *box = &boxes[side];
        for (uint32_t j = 0; j < pose->count; j++) {
            pose->joints[j].name = x->joints[j].name;
            mrwi_session_joint_to_world(posed, &x->joints[j], pose->joints[j].joint_to_world);
        }
        box->any =
            mrwi_session_box(&x->session, x->session.instance_count, posed, box->min, box->max);
    }
    mrw_status status = mrwi_compare_pose_compare(&worker->poses[0], &worker->poses[1], &limits,
                                                  &frame->pose, text, sizeof text, error);
    if (status) {
        return status;
    }
    if (frame->pose.differing > 0) {
        frame->why |= MRW_WHY_POSE;
        p->w->clip->pose_texts[p->index] = mrwi_report_text(m->diff->results, text);
        add(message, text);
    }
    if (!mrwi_compare_box_compare(&boxes[0], &boxes[1], settings->compare.max_distance,
                                  &frame->bounds, text, sizeof text)) {
        frame->why |= MRW_WHY_BOUNDS;
        add(message, text);
    }
    frame->pose.joint =
        frame->pose.joint ? mrwi_report_text(m->diff->results, frame->pose.joint) : NULL;
    return MRW_OK;
}

static mrw_status judge(const picture_pair *p, mrw_error *error)
{
    const mrwi_diff *diff = p->w->m->diff;
    mrw_frame_result *frame = &p->w->clip->result->frames[p->index];
    char message[MESSAGE] = "", text[256];
    mrw_status status =
        mrwi_diff_compare(diff, p->images, p->mask, p->shown->threads, &frame->metrics, error);
    if (status) {
        return status;
    }
    frame->compared = true;
    frame->emptiness = mrw_image_emptiness(&p->images[1]);
    status = judge_shape(p, message, error);
    if (status) {
        return status;
    }
    if (!frame->metrics.passed) {
        frame->why |= MRW_WHY_PIXELS;
        add(message,
            mrw_compare_text(&frame->metrics, &p->images[0], &p->images[1], text, sizeof text));
    }
    frame->passed = frame->why == 0;
    frame->message = mrwi_report_text(diff->results, message);
    if (!frame->message) {
        return mrwi_base_fail_memory(error, MESSAGE);
    }
    return p->w->clip->folder && !frame->passed ? write_images(p, error) : MRW_OK;
}

/* ---- all pictures ---------------------------------------------------------------------------- */

static mrw_status put(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    clip_work *w = user;
    picture_pair p = {.w = w,
                      .index = w->order ? w->order[shown->index] : shown->index,
                      .shown = shown,
                      .worker = &w->m->workers.items[shown->worker]};
    mrw_status status = draw_after(&p, error);
    if (status) {
        return status;
    }
    if (w->task == SHOW) {
        return write_images(&p, error);
    }
    status = judge(&p, error);
    if (status) {
        return status;
    }
    return mrwi_diff_count(w->m->diff->progress, error);
}

static mrw_status go_on(void *user, mrw_error *error)
{
    const clip_work *w = user;
    const mrw_diff_def *def = w->m->diff->def;
    return def->go_on ? def->go_on(def->user, error) : MRW_OK;
}

static mrw_status draw(clip_work *w, const mrw_picture *pictures, uint32_t count, mrw_error *error)
{
    const mrw_session_sink sink = {
        .user = w, .put = put, .aim = aim, .go_on = go_on, .host = w->m->diff->def->host};
    mrw_session *session = &w->m->sides[0].session;
    session->frame.every = true; /* duplicates of this side may differ on the other */
    return mrw_session_perform(session, pictures, count, w->m->workers.crew, &sink, error);
}

static mrw_status make_frames(const clip_work *w, mrw_error *error)
{
    mrw_results *results = w->m->diff->results;
    mrwi_diff_clip *clip = w->clip;
    const uint32_t count = clip->pictures.count;
    mrw_frame_result *frames = mrwi_report_alloc(results, count, sizeof *frames);
    const char *name =
        mrwi_report_text(results, mrw_session_clip_name(&w->m->sides[0].model, clip->clips[0]));
    clip->pose_texts = mrwi_base_arena_alloc(&w->m->arena, count, sizeof *clip->pose_texts);
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

/* Sets the outcome and the message of the clip's case. */
static mrw_status settle(const clip_work *w, mrw_error *error)
{
    mrw_case_result *result = w->clip->result;
    mrw_text text = {0};
    for (size_t i = 0; i < result->frame_count; i++) {
        result->bad_frames += !result->frames[i].passed;
    }
    bool bad = result->bad_frames > 0 || mrwi_diff_other_duration(w->m, w->clip);
    result->outcome = bad ? MRW_FAILED : MRW_PASSED;
    mrwi_diff_describe_clip(w->m, w->clip, &text);
    result->message = text.failed ? NULL : mrwi_report_text(w->m->diff->results, text.data);
    mrw_text_free(&text);
    return result->message ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Draws and writes the pictures that were not written before. */
static mrw_status show_rest(clip_work *w, mrw_error *error)
{
    const mrw_case_result *result = w->clip->result;
    const size_t all = result->frame_count;
    uint32_t *order = mrwi_base_alloc(all, sizeof *order);
    mrw_picture *pictures = mrwi_base_alloc(all, sizeof *pictures);
    uint32_t count = 0;
    mrw_status status = MRW_OK;
    if (!order || !pictures) {
        status = mrwi_base_fail_memory(error, all * sizeof *pictures);
        goto out;
    }
    for (uint32_t i = 0; i < all; i++) {
        if (!result->frames[i].expected) {
            pictures[count] = w->clip->pictures.items[i];
            order[count++] = i;
        }
    }
    w->task = SHOW;
    w->order = order;
    status = draw(w, pictures, count, error);
out:
    mrwi_base_free(order);
    mrwi_base_free(pictures);
    return status;
}

mrw_status mrwi_diff_clip_run(mrwi_diff_models_state *state, mrwi_diff_clip *clip, mrw_error *error)
{
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    clip_work w = {.m = state, .clip = clip, .task = JUDGE};
    mrw_status status = make_frames(&w, error);
    if (status) {
        return status;
    }
    status = draw(&w, clip->pictures.items, clip->pictures.count, error);
    if (status) {
        return status;
    }
    status = settle(&w, error);
    if (status) {
        return status;
    }
    if (clip->folder && clip->result->outcome == MRW_FAILED) {
        status = show_rest(&w, error);
    }
    clip->result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    return status;
}
