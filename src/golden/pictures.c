/* pictures.c: the pictures of a case: which they are, what they are called, and drawing them. */
#include "base/parallel.h"
#include "base/text.h"
#include "frame/workers.h"
#include "golden/against.h"
#include "golden/case.h"
#include "report/results.h"
#include "stage/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 4096 /* frames whose cameras are placed before they are drawn */

/* ---- names ----------------------------------------------------------------------------------- */

static const char *frame_name(mrwi_golden_case_run *cr, const mrw_picture *picture)
{
    char safe[201], name[MRWI_GOLDEN_NAME_SIZE];
    mrw_safe_file_name(mrw_stage_clip_name(&cr->model, picture->clip), safe, sizeof safe);
    snprintf(name, sizeof name, "%s_%04llu", safe, (unsigned long long)picture->frame);
    return mrwi_report_text(cr->run->results, name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two clips may become one file name. */
static mrw_status check_names(mrwi_golden_case_run *cr, mrw_error *error)
{
    uint32_t count = cr->pictures.count;
    const char **names = mrwi_base_alloc(count, sizeof *names);
    mrw_status status = names ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *names);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        names[i] = cr->result->frames[i].name;
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

static mrw_status make_frames(mrwi_golden_case_run *cr, mrw_error *error)
{
    const uint32_t count = cr->pictures.count;
    mrw_frame_result *frames = mrwi_report_alloc(cr->run->results, count, sizeof *frames);
    cr->states = mrwi_base_arena_alloc(&cr->arena, count, sizeof *cr->states);
    if (!frames || !cr->states) {
        return mrwi_base_fail_memory(error, count * sizeof *frames);
    }
    memset(cr->states, 0, count * sizeof *cr->states);
    for (uint32_t i = 0; i < count; i++) {
        const mrw_picture *picture = &cr->pictures.items[i];
        bool again = i > 0 && picture[-1].clip == picture->clip;
        const char *clip = mrw_stage_clip_name(&cr->model, picture->clip);
        frames[i] = (mrw_frame_result){
            .name = frame_name(cr, picture),
            .clip = again ? frames[i - 1].clip : mrwi_report_text(cr->run->results, clip),
            .frame = picture->frame,
            .time = picture->time,
            .message = "",
            .pose = {.scale = 1.0},
        };
        if (!frames[i].name || !frames[i].clip) {
            return mrwi_base_fail_memory(error, 0);
        }
    }
    cr->result->frames = frames;
    cr->result->frame_count = count;
    return check_names(cr, error);
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
static int64_t last_frame(const mrwi_golden_case_run *cr, uint32_t clip)
{
    const mrw_settings *settings = &cr->settings;
    uint64_t last = 0;
    if (settings->count == 0 && settings->time_count == 0) {
        return (int64_t)mrw_last_frame(mrw_stage_clip_duration(&cr->model, clip),
                                       mrw_stage_clip_rate(&cr->model, clip));
    }
    for (uint32_t i = 0; i < cr->pictures.count; i++) {
        const mrw_picture *picture = &cr->pictures.items[i];
        last = picture->clip == clip && picture->frame > last ? picture->frame : last;
    }
    return (int64_t)last;
}

static void mark_key_frames(mrwi_golden_case_run *cr)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < cr->pictures.count; i++) {
        const mrw_picture *picture = &cr->pictures.items[i];
        if (i == 0 || picture[-1].clip != picture->clip) {
            last = last_frame(cr, picture->clip);
        }
        cr->states[i].key = !cr->c->store_hash;
        for (size_t k = 0; k < cr->c->key_frame_count && !cr->states[i].key; k++) {
            cr->states[i].key = in_range(&cr->c->key_frames[k], last, (int64_t)picture->frame);
        }
    }
}

/* ---- masks ----------------------------------------------------------------------------------- */

static mrw_status add_mask(mrwi_golden_case_run *cr, const mrw_mask *mask, mrw_error *error)
{
    const uint32_t width = cr->settings.width, height = cr->settings.height;
    if (mask->kind == MRW_MASK_NODE) {
        return mrw_stage_find_node(&cr->model, mask->name, &cr->mask_nodes[cr->mask_node_count++],
                                   error);
    }
    if (!cr->mask) {
        cr->mask = mrwi_base_arena_alloc(&cr->arena, (size_t)width * height, 1);
        if (!cr->mask) {
            return mrwi_base_fail_memory(error, (size_t)width * height);
        }
        memset(cr->mask, 0, (size_t)width * height);
    }
    return mrwi_stage_mask(mask, width, height, cr->mask, error);
}

static mrw_status make_masks(mrwi_golden_case_run *cr, mrw_error *error)
{
    const mrw_text_list *masks = &cr->settings.masks;
    mrw_status status = MRW_OK;
    cr->mask = NULL;
    cr->mask_node_count = 0;
    cr->mask_nodes = mrwi_base_arena_alloc(&cr->arena, masks->count, sizeof *cr->mask_nodes);
    if (!cr->mask_nodes) {
        return mrwi_base_fail_memory(error, masks->count * sizeof *cr->mask_nodes);
    }
    for (size_t i = 0; i < masks->count && status == MRW_OK; i++) {
        mrw_mask mask;
        char safe[300];
        status = mrw_mask_parse(masks->items[i], &mask)
                     ? add_mask(cr, &mask, error)
                     : mrwi_base_fail(error, MRW_ERROR_USAGE, "mask = %s: this is no mask",
                                      mrwi_base_escape(masks->items[i], safe, sizeof safe));
    }
    return status;
}

/* ---- the stage ------------------------------------------------------------------------------- */

static mrw_status take_added(void *user, const char *path, const mrw_settings *reading,
                             const mrw_scene **scene, const mrw_model **prepared, mrw_error *error)
{
    const mrwi_golden_case_run *cr = user;
    return mrwi_golden_scenes_added(&cr->run->scenes, path, reading, cr->threads, &cr->run->host,
                                    scene, prepared, error);
}

mrw_status mrwi_golden_case_stage(mrwi_golden_case_run *cr, const mrw_scene *scene,
                                  mrw_error *error)
{
    cr->scene = scene;
    mrw_status status = mrw_stage_model_init(cr->c->model, scene, &cr->settings, &cr->model, error);
    bool sequence = mrw_stage_wants_sequence(&cr->settings);
    if (status == MRW_OK) {
        status = mrw_stage_pictures(&cr->model, sequence, &cr->pictures, error);
    }
    if (status == MRW_OK) {
        mrw_picture_list_share(&cr->pictures, &cr->settings);
    }
    if (status == MRW_OK && cr->pictures.count == 0) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT, "the case draws no frame");
    }
    if (status == MRW_OK) {
        status = mrw_stage_begin(&cr->stage, &cr->model, sequence, error);
    }
    if (status == MRW_OK) {
        status = make_masks(cr, error);
    }
    if (status == MRW_OK && cr->shared) {
        size_t index = (size_t)(cr->c - cr->run->cases->items);
        status = mrwi_golden_scenes_model(&cr->run->scenes, index, &cr->settings, cr->threads,
                                          &cr->stage.prepared, error);
        cr->stage.take_added = take_added;
        cr->stage.added_user = cr;
    }
    if (status == MRW_OK) {
        cr->stage.threads = cr->threads;
        cr->stage.frame.subject = true;
        cr->stage.frame.ids = cr->mask_node_count > 0;
        status = mrw_stage_prepare(&cr->stage, &cr->run->host, error);
    }
    if (status == MRW_OK && !cr->result->frames) {
        status = make_frames(cr, error);
        if (status == MRW_OK) {
            mark_key_frames(cr);
        }
    }
    return status;
}

void mrwi_golden_case_unstage(mrwi_golden_case_run *cr)
{
    mrw_stage_free(&cr->stage);
    mrw_picture_list_free(&cr->pictures);
    mrw_stage_model_free(&cr->model);
    cr->scene = NULL;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Frames of one clip, whose cameras are placed. */
typedef struct batch {
    mrwi_golden_case_run *cr;
    mrwi_golden_frame_task task;
    const uint32_t *frames; /* indices */
    const mrw_frame_def *defs;
    uint32_t def_count;               /* 1: all frames share it */
    mrwi_frame_duplicates duplicates; /* of these frames; see find_duplicates */
    int threads;                      /* of each frame */
    pthread_mutex_t lock;
    uint32_t failed_at;
    mrw_error failure; /* of the first frame that failed */
} batch;

static mrw_instance *copy_instances(const mrwi_golden_case_run *cr, mrwi_golden_worker *worker,
                                    double time)
{
    const uint32_t count = cr->stage.instance_count;
    if (worker->instance_capacity < count) {
        mrwi_base_free(worker->instances);
        worker->instances = mrwi_base_alloc(count, sizeof *worker->instances);
        worker->instance_capacity = worker->instances ? count : 0;
    }
    if (worker->instances) {
        memcpy(worker->instances, cr->stage.instances, count * sizeof *worker->instances);
        for (uint32_t i = 0; i < count; i++) {
            worker->instances[i].time = time;
        }
    }
    return worker->instances;
}

static mrw_status draw_frame(const batch *s, uint32_t index, mrwi_golden_worker *worker,
                             mrw_error *error)
{
    mrwi_golden_case_run *cr = s->cr;
    const uint32_t frame = s->frames[index];
    mrw_status status = MRW_OK;
    if (!worker->renderer) {
        status = mrw_renderer_create(&worker->renderer, error);
    }
    mrw_instance *instances = copy_instances(cr, worker, cr->pictures.items[frame].play_time);
    if (status == MRW_OK && !instances) {
        status = mrwi_base_fail_memory(error, cr->stage.instance_count * sizeof *instances);
    }
    const mrw_frame_def *def = &s->defs[s->def_count > 1 ? index : 0];
    return status == MRW_OK ? s->task(cr, frame, def, instances, worker, s->threads, error)
                            : status;
}

static void note_failure(batch *s, uint32_t index, mrw_status status, const mrw_error *error)
{
    pthread_mutex_lock(&s->lock);
    if (s->frames[index] < s->failed_at) {
        s->failed_at = s->frames[index];
        s->failure = *error;
        s->failure.status = status;
    }
    pthread_mutex_unlock(&s->lock);
}

/* One frame, then those that show the same. */
static void draw_one(void *user, int64_t number, int worker_number)
{
    batch *s = user;
    mrwi_golden_worker *worker = &s->cr->workers[worker_number];
    mrw_error error;
    mrw_status status = MRW_OK;
    worker->drawn = false;
    for (uint32_t i = s->duplicates.firsts[number]; i != MRW_NONE && status == MRW_OK;
         i = s->duplicates.next[i]) {
        status = draw_frame(s, i, worker, &error);
        worker->drawn = true;
        worker->duplicate_of = s->frames[s->duplicates.firsts[number]];
        if (status != MRW_OK) {
            note_failure(s, i, status, &error);
        }
    }
    worker->drawn = false;
}

/* Frames are the same when what plays is: a camera that frames one by itself depends on nothing
 * else. Those of another marrow may. */
static mrw_status find_duplicates(batch *s, uint32_t count, mrw_error *error)
{
    const mrw_stage *stage = &s->cr->stage;
    mrwi_frame_workers workers;
    if (s->def_count > 1 && s->cr->expected.cameras.items) {
        return mrwi_frame_duplicates_none(count, &s->duplicates, error);
    }
    double *times = mrwi_base_alloc(count, sizeof *times);
    mrw_status status = times ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *times);
    if (status != MRW_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        times[i] = s->cr->pictures.items[s->frames[i]].play_time;
    }
    status = mrwi_frame_workers_create(&workers, 1, stage->instances, stage->instance_count, error);
    if (status == MRW_OK) {
        status = mrwi_frame_duplicates_find(&workers, &stage->frame, times, count, &s->duplicates,
                                            error);
    }
    mrwi_frame_workers_free(&workers);
    mrwi_base_free(times);
    return status;
}

/* Several frames at once, or one with several threads. */
static mrw_status draw_batch(batch *s, uint32_t count, mrw_error *error)
{
    int threads = s->cr->threads;
    mrw_status status = find_duplicates(s, count, error);
    if (status != MRW_OK) {
        return status;
    }
    bool apart = threads > 1 && s->duplicates.first_count >= (uint32_t)threads;
    s->threads = apart ? 1 : threads;
    s->failed_at = MRW_NONE;
    pthread_mutex_init(&s->lock, NULL);
    mrwi_base_parallel_for(apart ? threads : 1, s->duplicates.first_count, draw_one, s);
    pthread_mutex_destroy(&s->lock);
    mrwi_frame_duplicates_free(&s->duplicates);
    return s->failed_at == MRW_NONE
               ? MRW_OK
               : mrwi_base_fail(error, s->failure.status, "%s", s->failure.text);
}

static mrw_status aim_one(mrwi_golden_case_run *cr, mrw_error *error)
{
    size_t index = (size_t)(cr->c - cr->run->cases->items);
    return cr->shared ? mrwi_golden_scenes_aim(&cr->run->scenes, index, &cr->stage, error)
                      : mrw_stage_aim(&cr->stage, error);
}

/* Places the cameras of some frames of one clip: one for all, unless each is framed by itself. */
static mrw_status aim(mrwi_golden_case_run *cr, const uint32_t *frames, uint32_t count,
                      mrw_frame_def *defs, uint32_t *def_count, mrw_error *error)
{
    mrw_status status = MRW_OK;
    *def_count = cr->stage.fit == MRW_FIT_FRAME ? count : 1;
    for (uint32_t i = 0; i < *def_count && status == MRW_OK; i++) {
        mrw_stage_play(&cr->stage, &cr->pictures.items[frames[i]]);
        status = aim_one(cr, error);
        defs[i] = cr->stage.frame;
        if (status == MRW_OK && cr->expected.cameras.items) {
            status = mrwi_golden_against_aim(&cr->expected.cameras,
                                             cr->result->frames[frames[i]].name, &cr->arena,
                                             &defs[i], &cr->expected.stored_file.fault, error);
        }
    }
    return status;
}

/* The next frames to draw that share a clip, from *at on. */
static uint32_t next_frames(const mrwi_golden_case_run *cr, const bool *marked, uint32_t *at,
                            uint32_t *frames)
{
    uint32_t count = 0;
    for (; *at < cr->pictures.count && count < CHUNK; (*at)++) {
        if (marked && !marked[*at]) {
            continue;
        }
        if (count > 0 && cr->pictures.items[frames[0]].clip != cr->pictures.items[*at].clip) {
            break;
        }
        frames[count++] = *at;
    }
    return count;
}

mrw_status mrwi_golden_case_perform(mrwi_golden_case_run *cr, mrwi_golden_frame_task task,
                                    const bool *marked, mrw_error *error)
{
    const uint32_t most = cr->pictures.count < CHUNK ? cr->pictures.count : CHUNK;
    uint32_t *frames = mrwi_base_alloc(most, sizeof *frames);
    mrw_frame_def *defs = mrwi_base_alloc(most, sizeof *defs);
    mrw_status status = frames && defs ? MRW_OK : mrwi_base_fail_memory(error, most * sizeof *defs);
    for (uint32_t at = 0, count; status == MRW_OK;) {
        batch s = {.cr = cr, .task = task, .frames = frames, .defs = defs};
        count = next_frames(cr, marked, &at, frames);
        if (count == 0) {
            break;
        }
        status = aim(cr, frames, count, defs, &s.def_count, error);
        if (status == MRW_OK) {
            status = draw_batch(&s, count, error);
        }
    }
    mrwi_base_free(frames);
    mrwi_base_free(defs);
    return status;
}
