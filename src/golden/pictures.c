/* pictures.c: the pictures of a case: which they are, what they are called, and drawing them. */
#include "golden/pictures.h"

#include "base/parallel.h"
#include "base/text.h"
#include "frame/workers.h"
#include "golden/against.h"
#include "golden/failure.h"
#include "report/results.h"
#include "session/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 4096 /* frames whose cameras are placed before they are drawn */

/* ---- the session ----------------------------------------------------------------------------- */

static mrw_status add_mask(const mrw_session_model *model, const mrw_mask *mask,
                           mrwi_golden_masks *masks, mrw_error *error)
{
    const uint32_t width = model->settings->width, height = model->settings->height;
    if (mask->kind == MRW_MASK_NODE) {
        return mrw_session_find_node(model, mask->name, &masks->nodes[masks->node_count++], error);
    }
    if (!masks->pixels) {
        masks->pixels = mrwi_base_alloc_zero(masks->size, 1);
        if (!masks->pixels) {
            return mrwi_base_fail_memory(error, masks->size);
        }
    }
    return mrwi_session_mask(mask, width, height, masks->pixels, error);
}

static mrw_status make_masks(const mrw_session_model *model, mrwi_golden_masks *out,
                             mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    const mrw_text_list *masks = &settings->masks;
    mrw_status status = MRW_OK;
    *out = (mrwi_golden_masks){.size = (size_t)settings->width * settings->height};
    out->nodes = mrwi_base_alloc(masks->count, sizeof *out->nodes);
    if (!out->nodes) {
        return mrwi_base_fail_memory(error, masks->count * sizeof *out->nodes);
    }
    for (size_t i = 0; i < masks->count && status == MRW_OK; i++) {
        mrw_mask mask;
        char safe[300];
        status = mrw_mask_parse(masks->items[i], &mask)
                     ? add_mask(model, &mask, out, error)
                     : mrwi_base_fail(error, MRW_ERROR_USAGE, "mask = %s: this is no mask",
                                      mrwi_base_escape(masks->items[i], safe, sizeof safe));
    }
    return status;
}

mrw_status mrwi_golden_session_begin(const mrwi_golden_input *in, const mrw_scene *scene,
                                     mrwi_golden_staged *staged, mrw_error *error)
{
    const mrw_settings *settings = &in->settings;
    const bool sequence = mrw_session_wants_sequence(settings);
    mrw_session *session = &staged->session;
    mrw_status status =
        mrw_session_model_init(in->c->model, scene, settings, &staged->model, error);
    if (status == MRW_OK) {
        status = mrw_session_pictures(&staged->model, sequence, &staged->pictures, error);
    }
    if (status == MRW_OK) {
        mrw_picture_list_share(&staged->pictures, settings);
    }
    if (status == MRW_OK && staged->pictures.count == 0) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT, "the case draws no frame");
    }
    if (status == MRW_OK) {
        status = mrw_session_begin(session, &staged->model, sequence, error);
    }
    if (status == MRW_OK) {
        status = make_masks(&staged->model, &staged->masks, error);
    }
    if (status == MRW_OK) {
        session->cache = staged->scenes ? staged->scenes->cache : NULL;
        session->threads = staged->workers->count;
        session->frame.subject = true;
        session->frame.targets = staged->masks.node_count > 0 ? MRW_NODE_TARGETS : 0;
        status = mrw_session_prepare(session, in->host, error);
    }
    return status;
}

void mrwi_golden_session_end(mrwi_golden_staged *staged)
{
    mrw_session_free(&staged->session);
    mrw_picture_list_free(&staged->pictures);
    mrw_session_model_free(&staged->model);
    mrwi_base_free(staged->masks.pixels);
    mrwi_base_free(staged->masks.nodes);
    staged->masks = (mrwi_golden_masks){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *frame_name(const mrw_session_model *model, const mrw_picture *picture,
                              mrw_results *memory)
{
    char safe[201], name[MRWI_GOLDEN_NAME_SIZE];
    mrw_safe_file_name(mrw_session_clip_name(model, picture->clip), safe, sizeof safe);
    snprintf(name, sizeof name, "%s_%04llu", safe, (unsigned long long)picture->frame);
    return mrwi_report_text(memory, name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two clips may become one file name. */
static mrw_status check_names(const mrw_frame_result *frames, uint32_t count, mrw_error *error)
{
    const char **names = mrwi_base_alloc(count, sizeof *names);
    mrw_status status = names ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *names);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        names[i] = frames[i].name;
    }
    if (status == MRW_OK) {
        qsort(names, count, sizeof *names, by_text);
    }
    for (uint32_t i = 1; i < count && status == MRW_OK; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status =
                mrwi_base_fail(error, MRW_ERROR_INPUT,
                               "two frames would both be called %s.png: clips whose names differ "
                               "only in signs that file names don't have need a case each",
                               names[i]);
        }
    }
    mrwi_base_free(names);
    return status;
}

/* ---- key frames ------------------------------------------------------------------------------ */

static bool in_range(const mrw_frame_range *range, int64_t last, int64_t frame)
{
    int64_t from = range->first < 0 ? range->first + last + 1 : range->first;
    int64_t to = range->last < 0 ? range->last + last + 1 : range->last;
    int64_t low = from < to ? from : to, high = from < to ? to : from;
    return frame >= low && frame <= high && (frame - from) % range->step == 0;
}

/* Where frames count from the end: at the clip's, or at the last of those counted. */
static int64_t last_frame(const mrw_session_model *model, const mrw_picture_list *pictures,
                          uint32_t clip)
{
    const mrw_settings *settings = model->settings;
    uint64_t last = 0;
    if (settings->count == 0 && settings->time_count == 0) {
        return (int64_t)mrw_last_frame(mrw_session_clip_duration(model, clip),
                                       mrw_session_clip_rate(model, clip));
    }
    for (uint32_t i = 0; i < pictures->count; i++) {
        const mrw_picture *picture = &pictures->items[i];
        last = picture->clip == clip && picture->frame > last ? picture->frame : last;
    }
    return (int64_t)last;
}

static void mark_key_frames(const mrw_case *c, const mrw_session_model *model,
                            const mrw_picture_list *pictures, mrwi_golden_frame_state *states)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < pictures->count; i++) {
        const mrw_picture *picture = &pictures->items[i];
        if (i == 0 || picture[-1].clip != picture->clip) {
            last = last_frame(model, pictures, picture->clip);
        }
        states[i].key = !c->store_hash;
        for (size_t k = 0; k < c->key_frame_count && !states[i].key; k++) {
            states[i].key = in_range(&c->key_frames[k], last, (int64_t)picture->frame);
        }
    }
}

/* ---- the frames ------------------------------------------------------------------------------ */

mrw_status mrwi_golden_frames_make(const mrwi_golden_input *in, const mrwi_golden_staged *staged,
                                   mrwi_golden_findings *found, mrw_error *error)
{
    const mrw_picture_list *pictures = &staged->pictures;
    const uint32_t count = pictures->count;
    mrw_frame_result *frames = mrwi_report_alloc(found->memory, count, sizeof *frames);
    found->states = mrwi_base_arena_alloc(found->arena, count, sizeof *found->states);
    if (!frames || !found->states) {
        return mrwi_base_fail_memory(error, count * sizeof *frames);
    }
    memset(found->states, 0, count * sizeof *found->states);
    for (uint32_t i = 0; i < count; i++) {
        const mrw_picture *picture = &pictures->items[i];
        bool again = i > 0 && picture[-1].clip == picture->clip;
        const char *clip = mrw_session_clip_name(&staged->model, picture->clip);
        frames[i] = (mrw_frame_result){
            .name = frame_name(&staged->model, picture, found->memory),
            .clip = again ? frames[i - 1].clip : mrwi_report_text(found->memory, clip),
            .frame = picture->frame,
            .time = picture->time,
            .message = "",
            .pose = {.scale = 1.0},
        };
        if (!frames[i].name || !frames[i].clip) {
            return mrwi_base_fail_memory(error, 0);
        }
    }
    found->result->frames = frames;
    found->result->frame_count = count;
    mark_key_frames(in->c, &staged->model, pictures, found->states);
    return check_names(frames, count, error);
}

/* Where what is found of a frame goes. */
static mrwi_golden_frame frame_of(const mrwi_golden_findings *found, uint32_t index)
{
    return (mrwi_golden_frame){.index = index,
                               .result = &found->result->frames[index],
                               .state = &found->states[index],
                               .stored = &found->stored.frames[index],
                               .pose = &found->poses.items[index],
                               .box = &found->boxes.items[index],
                               .memory = found->memory};
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Frames of one clip, whose cameras are placed. */
typedef struct batch {
    const mrwi_golden_input *in;
    const mrwi_golden_staged *staged;
    const mrwi_golden_findings *found;
    mrwi_golden_frame_task *task;
    const uint32_t *frames; /* indices */
    const mrw_frame_def *defs;
    uint32_t def_count;               /* 1: all frames share it */
    mrwi_frame_duplicates duplicates; /* of these frames; see find_duplicates */
    int threads;                      /* of each frame */
    mrwi_golden_failure failure;
} batch;

static mrw_instance *copy_instances(const mrw_session *session, double time,
                                    mrwi_golden_worker *worker)
{
    const uint32_t count = session->instance_count;
    if (worker->instance_capacity < count) {
        mrwi_base_free(worker->instances);
        worker->instances = mrwi_base_alloc(count, sizeof *worker->instances);
        worker->instance_capacity = worker->instances ? count : 0;
    }
    if (worker->instances) {
        memcpy(worker->instances, session->instances, count * sizeof *worker->instances);
        for (uint32_t i = 0; i < count; i++) {
            worker->instances[i].time = time;
        }
    }
    return worker->instances;
}

/* `same`: what the worker drew last, when that shows the same; or NULL. */
static mrw_status draw_frame(const batch *b, uint32_t index, const mrwi_golden_frame *same,
                             mrwi_golden_worker *worker, mrw_error *error)
{
    const mrw_session *session = &b->staged->session;
    const mrwi_golden_frame frame = frame_of(b->found, b->frames[index]);
    mrw_status status = MRW_OK;
    if (!worker->renderer) {
        status = mrw_renderer_create(&worker->renderer, error);
    }
    const double time = b->staged->pictures.items[frame.index].play_time;
    const mrw_instance *instances = copy_instances(session, time, worker);
    if (status == MRW_OK && !instances) {
        status = mrwi_base_fail_memory(error, session->instance_count * sizeof *instances);
    }
    const mrwi_golden_drawing drawing = {.session = session,
                                         .masks = &b->staged->masks,
                                         .joints = &b->found->joints,
                                         .def = &b->defs[b->def_count > 1 ? index : 0],
                                         .instances = instances,
                                         .same = same,
                                         .threads = b->threads};
    return status == MRW_OK ? b->task(b->in, &frame, &drawing, worker, error) : status;
}

/* One frame, then those that show the same. */
static void draw_one(void *user, int64_t number, int worker_number)
{
    batch *b = user;
    const uint32_t first = b->duplicates.firsts[number];
    const mrwi_golden_frame drawn = frame_of(b->found, b->frames[first]);
    mrwi_golden_worker *worker = &b->staged->workers->items[worker_number];
    mrw_error error;
    mrw_status status = MRW_OK;
    for (uint32_t i = first; i != MRW_NONE && status == MRW_OK; i = b->duplicates.next[i]) {
        status = draw_frame(b, i, i == first ? NULL : &drawn, worker, &error);
        if (status != MRW_OK) {
            mrwi_golden_failure_note(&b->failure, b->frames[i], status, &error);
        }
    }
}

/* Frames are the same when what plays is: a camera that frames one by itself depends on nothing
 * else. Those of another marrow may. */
static mrw_status find_duplicates(batch *b, uint32_t count, mrw_error *error)
{
    const mrw_session *session = &b->staged->session;
    mrwi_frame_workers workers;
    if (b->def_count > 1 && b->in->expected.cameras.items) {
        return mrwi_frame_duplicates_none(count, &b->duplicates, error);
    }
    double *times = mrwi_base_alloc(count, sizeof *times);
    mrw_status status = times ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *times);
    if (status != MRW_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        times[i] = b->staged->pictures.items[b->frames[i]].play_time;
    }
    status =
        mrwi_frame_workers_create(&workers, 1, session->instances, session->instance_count, error);
    if (status == MRW_OK) {
        status = mrwi_frame_duplicates_find(&workers, &session->frame, times, count, &b->duplicates,
                                            error);
    }
    mrwi_frame_workers_free(&workers);
    mrwi_base_free(times);
    return status;
}

/* Several frames at once, or one with several threads. */
static mrw_status draw_batch(batch *b, uint32_t count, mrw_error *error)
{
    const int threads = b->staged->workers->count;
    mrw_status status = find_duplicates(b, count, error);
    if (status != MRW_OK) {
        return status;
    }
    bool apart = threads > 1 && b->duplicates.first_count >= (uint32_t)threads;
    b->threads = apart ? 1 : threads;
    mrwi_golden_failure_begin(&b->failure);
    mrwi_base_parallel_for(apart ? threads : 1, b->duplicates.first_count, draw_one, b);
    mrwi_frame_duplicates_free(&b->duplicates);
    return mrwi_golden_failure_end(&b->failure, error);
}

/* Places the camera for one frame. What cases of one scene frame alike is measured once. */
static mrw_status aim(const mrwi_golden_input *in, mrwi_golden_staged *staged,
                      mrwi_golden_findings *found, uint32_t index, mrw_frame_def *out,
                      mrw_error *error)
{
    const mrwi_golden_cameras *cameras = &in->expected.cameras;
    mrw_session *session = &staged->session;
    mrw_session_play(session, &staged->pictures.items[index]);
    mrw_status status = staged->scenes
                            ? mrwi_golden_scenes_aim(staged->scenes, in->index, session, error)
                            : mrw_session_aim(session, error);
    *out = session->frame;
    if (status == MRW_OK && cameras->items) {
        status = mrwi_golden_against_aim(cameras, found->result->frames[index].name, found->arena,
                                         out, &found->camera_fault, error);
    }
    return status;
}

/* The next frames to draw that share a clip, from *at on. */
static uint32_t next_frames(const mrw_picture_list *pictures, const bool *marked, uint32_t *at,
                            uint32_t *frames)
{
    uint32_t count = 0;
    for (; *at < pictures->count && count < CHUNK; (*at)++) {
        if (marked && !marked[*at]) {
            continue;
        }
        if (count > 0 && pictures->items[frames[0]].clip != pictures->items[*at].clip) {
            break;
        }
        frames[count++] = *at;
    }
    return count;
}

mrw_status mrwi_golden_frames_draw(const mrwi_golden_input *in, mrwi_golden_staged *staged,
                                   mrwi_golden_findings *found, mrwi_golden_frame_task *task,
                                   const bool *marked, mrw_error *error)
{
    const mrw_picture_list *pictures = &staged->pictures;
    const uint32_t most = pictures->count < CHUNK ? pictures->count : CHUNK;
    uint32_t *frames = mrwi_base_alloc(most, sizeof *frames);
    mrw_frame_def *defs = mrwi_base_alloc(most, sizeof *defs);
    mrw_status status = frames && defs ? MRW_OK : mrwi_base_fail_memory(error, most * sizeof *defs);
    for (uint32_t at = 0, count; status == MRW_OK;) {
        count = next_frames(pictures, marked, &at, frames);
        if (count == 0) {
            break;
        }
        /* One camera for all, unless each frame is framed by itself. */
        batch b = {.in = in,
                   .staged = staged,
                   .found = found,
                   .task = task,
                   .frames = frames,
                   .defs = defs,
                   .def_count = staged->session.fit == MRW_FIT_FRAME ? count : 1};
        for (uint32_t i = 0; i < b.def_count && status == MRW_OK; i++) {
            status = aim(in, staged, found, frames[i], &defs[i], error);
        }
        if (status == MRW_OK) {
            status = draw_batch(&b, count, error);
        }
    }
    mrwi_base_free(frames);
    mrwi_base_free(defs);
    return status;
}
