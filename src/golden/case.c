/* case.c: one case, from its settings to its outcome. */
#include "golden/case.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/promote.h"
#include "golden/unused.h"
#include "report/results.h"
#include "stage/compare.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE 1800

/* ---- what is the case's own ------------------------------------------------------------------ */

static mrw_status begin(mrwi_golden_case_run *cr, mrw_error *error)
{
    const mrw_test_def *def = cr->run->def;
    const mrw_case *c = cr->c;
    cr->settings = c->settings; /* the lists stay the case's */
    cr->settings.isa = def->isa;
    cr->settings.threads = (uint32_t)cr->threads;
    cr->settings.shard_index = cr->settings.shard_count = 1;
    cr->compare = mrwi_stage_compare(&c->settings, def->isa);
    cr->folder = mrwi_base_format(&cr->arena, "%s/%s/%s", cr->run->roots[c - cr->run->cases->items],
                                  c->suite, c->name);
    if (!cr->folder) {
        return mrwi_base_fail_memory(error, 0);
    }
    size_t longest =
        strlen(cr->folder) > strlen(c->golden) ? strlen(cr->folder) : strlen(c->golden);
    if (longest + MRWI_GOLDEN_NAME_SIZE + sizeof "/.expected.png" > PATH_MAX) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the paths of its goldens or results are too long for this system");
    }
    return cr->run->source.open(cr->run->source.user, c, &cr->arena, &cr->expected, error);
}

/* ---- golden.txt as it would be --------------------------------------------------------------- */

/* A model as the suite names it: paths lead from the suite's folder, not from where marrow runs. */
static const char *name_in_suite(const mrwi_golden_case_run *cr, const char *path)
{
    const char *slash = strrchr(cr->c->suite_file, '/');
    size_t length = slash ? (size_t)(slash - cr->c->suite_file) + 1 : 0;
    return strncmp(path, cr->c->suite_file, length) == 0 ? path + length : path;
}

static mrw_status make_stored(mrwi_golden_case_run *cr, mrw_error *error)
{
    const uint32_t scenes = cr->stage.instance_count, frames = cr->pictures.count;
    cr->stored = (mrwi_golden_stored){
        .pixel_version = MRW_PIXEL_VERSION,
        .scene_formula = MRW_SCENE_FORMULA,
        .scenes = mrwi_base_arena_alloc(&cr->arena, scenes, sizeof *cr->stored.scenes),
        .frames = mrwi_base_arena_alloc(&cr->arena, frames, sizeof *cr->stored.frames),
    };
    if (!cr->stored.scenes || !cr->stored.frames) {
        return mrwi_base_fail_memory(error, frames * sizeof *cr->stored.frames);
    }
    for (uint32_t i = 0; i < scenes; i++) {
        mrwi_golden_stored_scene *scene = &cr->stored.scenes[i];
        scene->model = i == 0 ? name_in_suite(cr, cr->c->model)
                              : name_in_suite(cr, cr->settings.added.items[i - 1]);
        mrw_scene_hash_text(cr->stage.scenes[i], scene->hash);
    }
    for (uint32_t i = 0; i < frames; i++) {
        cr->stored.frames[i] = (mrwi_golden_stored_frame){.name = cr->result->frames[i].name,
                                                          .key = cr->states[i].key};
    }
    cr->stored.scene_count = scenes;
    cr->stored.frame_count = frames;
    return MRW_OK;
}

/* Lists joints and makes room for poses and boxes. */
static mrw_status make_poses(mrwi_golden_case_run *cr, mrw_error *error)
{
    const uint32_t frames = cr->pictures.count;
    mrw_status status = mrwi_stage_joints_list(&cr->stage, &cr->arena, &cr->joints, error);
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
    mrwi_compare_joint *all = mrwi_base_arena_alloc(&cr->arena, joints, sizeof *all);
    cr->poses.items = mrwi_base_arena_alloc(&cr->arena, frames, sizeof *cr->poses.items);
    cr->boxes.items = mrwi_base_arena_alloc(&cr->arena, frames, sizeof *cr->boxes.items);
    if (!all || !cr->poses.items || !cr->boxes.items) {
        return mrwi_base_fail_memory(error, joints * sizeof *all);
    }
    cr->poses.count = cr->boxes.count = frames;
    for (uint32_t i = 0; i < frames; i++) {
        const char *name = cr->result->frames[i].name;
        cr->poses.items[i] = (mrwi_compare_pose){
            name, poses ? all + (size_t)i * cr->joints.count : all, poses ? cr->joints.count : 0};
        cr->boxes.items[i] = (mrwi_compare_box){.frame = name};
    }
    return MRW_OK;
}

static mrw_status note_scene(mrwi_golden_case_run *cr, mrw_error *error)
{
    const mrwi_golden_stored *expected = &cr->expected.stored;
    cr->result->scene_hash = mrwi_report_text(cr->run->results, cr->stored.scenes[0].hash);
    cr->result->golden_pixel_version = expected->pixel_version;
    if (expected->scene_count > 0 && expected->scene_formula == MRW_SCENE_FORMULA) {
        cr->result->golden_scene_hash =
            mrwi_report_text(cr->run->results, expected->scenes[0].hash);
    }
    return cr->result->scene_hash && cr->result->golden_scene_hash
               ? MRW_OK
               : mrwi_base_fail_memory(error, 65);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static const mrwi_golden_stored_scene *other_scene(const mrwi_golden_case_run *cr)
{
    return mrwi_golden_stored_other_scene(&cr->expected.stored, &cr->stored);
}

/* The scene can't be compared with that of another formula. */
static void describe_formula(const mrwi_golden_case_run *cr, char *out, size_t size)
{
    const bool older = cr->expected.stored.scene_formula < MRW_SCENE_FORMULA;
    if (cr->run->def->against) {
        snprintf(out, size, "the other marrow is %s: scene not compared",
                 older ? "an older one" : "a newer one");
    } else {
        snprintf(out, size, "golden.txt was made by %s marrow: scene not compared",
                 older ? "an older" : "a newer");
    }
}

/* What to know before looking at pictures; "" when there is nothing. */
static void describe_origin(const mrwi_golden_case_run *cr, char *out, size_t size)
{
    const mrwi_golden_stored *expected = &cr->expected.stored;
    const mrwi_golden_stored_scene *scene = other_scene(cr);
    const bool against = cr->run->def->against;
    const bool drawn_alike =
        expected->pixel_version == 0 || expected->pixel_version == MRW_PIXEL_VERSION;
    char safe[300];
    out[0] = '\0';
    if (cr->expected.stored_file.fault) {
        /* With hashes each frame says it. */
        snprintf(out, size, "%s", cr->expected.hashes ? "" : cr->expected.stored_file.fault);
        return;
    }
    if (scene) {
        snprintf(out, size,
                 against ? "%s loads as another scene in the other marrow: the importer changed"
                         : "%s loads as another scene than the goldens were made of: the model or "
                           "the importer changed",
                 mrwi_base_escape(scene->model, safe, sizeof safe));
        return;
    }
    if (expected->scene_count > 0 && expected->scene_formula != MRW_SCENE_FORMULA) {
        describe_formula(cr, out, size);
    }
    if (!drawn_alike) {
        const size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s pixel version %u, this marrow draws version %u",
                 used > 0 ? "; " : "", against ? "the other marrow draws" : "the goldens are of",
                 expected->pixel_version, (unsigned)MRW_PIXEL_VERSION);
    }
}

static uint32_t count_bad(const mrw_case_result *result)
{
    uint32_t bad = 0;
    for (size_t i = 0; i < result->frame_count; i++) {
        bad += !result->frames[i].passed;
    }
    return bad;
}

static mrw_status set_message(mrwi_golden_case_run *cr, const char *text, mrw_error *error)
{
    const char *copy = mrwi_report_text(cr->run->results, text);
    if (copy) {
        cr->result->message = copy;
    }
    return copy ? MRW_OK : mrwi_base_fail_memory(error, strlen(text));
}

/* "another scene; Walk_0012: LeftFoot turned 3.1 degrees at frame 12 (and 4 more of 24 frames)". */
static mrw_status judge_case(mrwi_golden_case_run *cr, mrw_error *error)
{
    mrw_case_result *result = cr->result;
    char text[MESSAGE];
    const mrw_frame_result *first = mrwi_report_first_bad_frame(result);
    char gone[MRWI_GOLDEN_NAME_SIZE] = "";
    describe_origin(cr, text, sizeof text);
    result->bad_frames = count_bad(result);
    size_t used = strlen(text);
    /* With the same scene the suite asks for fewer frames; with another one a clip may be shorter.
     */
    if (other_scene(cr) && !cr->run->def->against) {
        mrw_status status = mrwi_golden_unused_frame(cr, gone, error);
        if (status != MRW_OK) {
            return status;
        }
    }
    if (gone[0]) {
        snprintf(text + used, sizeof text - used, "; golden frame %s is not drawn any more", gone);
        used = strlen(text);
    }
    result->outcome = first || gone[0] || cr->expected.stored_file.fault ? MRW_FAILED : MRW_PASSED;
    if (first) {
        snprintf(text + used, sizeof text - used, "%s%s: %s", used > 0 ? "; " : "", first->name,
                 first->message);
        used = strlen(text);
    } else if (result->outcome == MRW_PASSED && used > 0) {
        snprintf(text + used, sizeof text - used, "; nothing that is compared differs");
    }
    if (result->bad_frames > 1) {
        snprintf(text + used, sizeof text - used, " (and %u more of %zu frames)",
                 result->bad_frames - 1, result->frame_count);
    }
    return set_message(cr, text, error);
}

/* ---- what bad cases leave behind ------------------------------------------------------------- */

static mrw_status write_text(const mrwi_golden_case_run *cr, const char *name, mrw_text *text,
                             mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", cr->folder, name);
    mrw_status status = text->failed ? mrwi_base_fail_memory(error, text->size)
                                     : mrw_make_folder(cr->folder, NULL, error);
    if (status == MRW_OK) {
        status = mrw_file_write(path, text->data, text->size, error);
    }
    mrw_text_free(text);
    return status;
}

/* golden.txt, pose.txt and bounds.txt as they would be. */
static mrw_status write_texts(mrwi_golden_case_run *cr, mrw_error *error)
{
    mrw_text stored = {0}, poses = {0}, boxes = {0};
    mrwi_golden_stored_write(&cr->stored, &stored);
    mrw_status status = write_text(cr, "golden.txt", &stored, error);
    if (status == MRW_OK && (cr->c->checks & MRW_CHECK_POSE) != 0) {
        mrwi_golden_poses_begin(&poses);
        for (uint32_t i = 0; i < cr->poses.count; i++) {
            mrwi_golden_poses_add(&poses, &cr->poses.items[i]);
        }
        status = write_text(cr, "pose.txt", &poses, error);
    }
    if (status == MRW_OK && (cr->c->checks & MRW_CHECK_BOUNDS) != 0) {
        mrwi_golden_boxes_begin(&boxes);
        for (uint32_t i = 0; i < cr->boxes.count; i++) {
            mrwi_golden_boxes_add(&boxes, &cr->boxes.items[i]);
        }
        status = write_text(cr, "bounds.txt", &boxes, error);
    }
    return status;
}

/* Expected pictures of all frames; the pictures of frames that passed though they differ. */
static mrw_status show_case(mrwi_golden_case_run *cr, mrw_error *error)
{
    const size_t count = cr->result->frame_count;
    bool *marked = mrwi_base_alloc_zero(count, sizeof *marked);
    bool any = false;
    mrw_status status = marked ? MRW_OK : mrwi_base_fail_memory(error, count);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        const mrw_frame_result *frame = &cr->result->frames[i];
        marked[i] = frame->passed && frame->compared && !frame->metrics.identical && !frame->actual;
        any |= marked[i];
        if (cr->states[i].expected_seen) {
            status = mrwi_golden_frame_copy_expected(cr, i, error);
        }
    }
    if (status == MRW_OK && any) {
        status = mrwi_golden_case_perform(cr, mrwi_golden_frame_show, marked, error);
    }
    mrwi_base_free(marked);
    return status;
}

/* ---- updating -------------------------------------------------------------------------------- */

static mrw_update update_mode(const mrwi_golden_case_run *cr)
{
    /* What is known to fail must not become what is expected. */
    return cr->c->xfail ? MRW_UPDATE_NONE : cr->run->def->update;
}

/* Which kinds of a frame become goldens. */
static uint8_t kinds_to_take(const mrwi_golden_case_run *cr, uint32_t index)
{
    const mrwi_golden_frame_state *state = &cr->states[index];
    const mrw_frame_result *frame = &cr->result->frames[index];
    mrw_update update = update_mode(cr);
    bool empty = (frame->why & MRW_WHY_EMPTY) != 0;
    uint32_t kinds = state->missing;
    if (update >= MRW_UPDATE_CHANGED) {
        kinds |= state->differs | (empty ? (uint32_t)MRW_CHECK_PIXELS : 0);
    }
    if (update == MRW_UPDATE_ALL) {
        kinds = cr->c->checks;
    }
    bool refused = empty && !cr->run->def->allow_blank;
    return (uint8_t)(refused ? 0 : kinds);
}

/* golden.txt has to be written though no frame is. */
static bool text_is_stale(const mrwi_golden_case_run *cr)
{
    mrw_update update = update_mode(cr);
    bool missing = !cr->expected.stored_file.there;
    bool changed = cr->expected.stored_file.fault || other_scene(cr) ||
                   cr->expected.stored.pixel_version != MRW_PIXEL_VERSION ||
                   cr->expected.stored.scene_formula != MRW_SCENE_FORMULA ||
                   cr->expected.stored.scene_count != cr->stored.scene_count;
    return (update >= MRW_UPDATE_MISSING && missing) || (update >= MRW_UPDATE_CHANGED && changed) ||
           update == MRW_UPDATE_ALL;
}

static mrw_status forget_pictures(const mrwi_golden_case_run *cr, mrw_frame_result *frame,
                                  mrw_error *error)
{
    static const char *const endings[2] = {".png", ".diff.png"};
    mrw_status status = MRW_OK;
    for (int i = 0; i < 2 && status == MRW_OK; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s%s", cr->folder, frame->name, endings[i]);
        status = mrwi_base_remove_file(path, error);
    }
    frame->actual = frame->diff = NULL;
    return status;
}

/* A frame whose goldens were written has passed, unless something of it was left. */
static mrw_status settle_frame(mrwi_golden_case_run *cr, uint32_t index, uint8_t taken,
                               mrw_error *error)
{
    mrw_frame_result *frame = &cr->result->frames[index];
    mrwi_golden_frame_state *state = &cr->states[index];
    state->missing &= (uint8_t)~taken;
    state->differs &= (uint8_t)~taken;
    bool empty = (frame->why & MRW_WHY_EMPTY) != 0 && (taken & MRW_CHECK_PIXELS) == 0;
    if (taken != 0 && state->missing == 0 && state->differs == 0 && !empty) {
        frame->passed = true;
        frame->why = 0;
        frame->message = "";
        return forget_pictures(cr, frame, error);
    }
    if (state->missing == 0) {
        frame->why &= ~(uint32_t)MRW_WHY_MISSING;
    }
    return MRW_OK;
}

static mrw_status promote(mrwi_golden_case_run *cr, const uint8_t *take, mrw_error *error)
{
    const uint32_t count = cr->pictures.count;
    const char **names = mrwi_base_arena_alloc(&cr->arena, count, sizeof *names);
    bool *pictures = mrwi_base_arena_alloc(&cr->arena, count, sizeof *pictures);
    if (!names || !pictures) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrw_frame_result *frame = &cr->result->frames[i];
        names[i] = frame->name;
        pictures[i] = cr->states[i].key && frame->actual && (take[i] & MRW_CHECK_PIXELS) != 0;
    }
    mrwi_golden_promotion promotion = {cr->c, cr->folder, names, take, pictures, count};
    return mrwi_golden_promote(&promotion, error);
}

static mrw_status describe_update(mrwi_golden_case_run *cr, const uint32_t written[2],
                                  mrw_error *error)
{
    char text[MESSAGE];
    uint32_t frames = written[0] + written[1];
    describe_origin(cr, text, sizeof text);
    size_t used = strlen(text);
    const char *before = used > 0 ? "; " : "";
    if (frames == 0) {
        snprintf(text + used, sizeof text - used, "%sgolden.txt written", before);
    } else {
        snprintf(text + used, sizeof text - used,
                 "%sgoldens of %u frame%s written: %u new, %u changed", before, frames,
                 frames == 1 ? "" : "s", written[0], written[1]);
    }
    return set_message(cr, text, error);
}

static mrw_status update_case(mrwi_golden_case_run *cr, mrw_error *error)
{
    const uint32_t count = cr->pictures.count;
    uint8_t *take = mrwi_base_arena_alloc(&cr->arena, count, 1);
    uint32_t written[2] = {0, 0}; /* new and changed frames */
    if (!take) {
        return mrwi_base_fail_memory(error, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        take[i] = kinds_to_take(cr, i);
        if (take[i] != 0) {
            written[cr->states[i].missing == 0]++;
        }
    }
    if (written[0] + written[1] == 0 && !text_is_stale(cr)) {
        return MRW_OK;
    }
    mrw_status status = write_texts(cr, error);
    if (status == MRW_OK) {
        status = promote(cr, take, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        status = settle_frame(cr, i, take[i], error);
    }
    if (status == MRW_OK && mrwi_report_first_bad_frame(cr->result)) {
        return judge_case(cr, error);
    }
    if (status == MRW_OK) {
        cr->result->outcome = MRW_UPDATED;
        cr->result->bad_frames = 0;
        status = describe_update(cr, written, error);
    }
    return status == MRW_OK ? mrwi_golden_remove_results(cr->folder, error) : status;
}

/* ---- runs that repeat ------------------------------------------------------------------------ */

static mrw_status unsteady(mrwi_golden_case_run *cr, uint32_t number, const char *what,
                           mrw_error *error)
{
    char text[MESSAGE];
    snprintf(text, sizeof text, "not the same in run %u: %s", number, what);
    cr->result->outcome = MRW_FAILED;
    return set_message(cr, text, error);
}

/* Everything once more, from the file on. */
static mrw_status repeat_once(mrwi_golden_case_run *cr, uint32_t number, mrw_error *error)
{
    const mrw_scene *first = cr->scene;
    mrw_scene *scene = NULL;
    mrw_status status = mrw_stage_load(cr->c->model, &cr->settings, &cr->run->host, &scene, error);
    if (status == MRW_OK && memcmp(mrw_scene_hash(scene), mrw_scene_hash(first), 32) != 0) {
        status = unsteady(cr, number, "the model loads as another scene", error);
    } else if (status == MRW_OK) {
        mrwi_golden_case_unstage(cr);
        cr->shared = false;
        status = mrwi_golden_case_stage(cr, scene, error);
        if (status == MRW_OK) {
            status = mrwi_golden_case_perform(cr, mrwi_golden_frame_repeat, NULL, error);
        }
        for (uint32_t i = 0; i < cr->result->frame_count && status == MRW_OK; i++) {
            if (cr->states[i].unsteady) {
                status = unsteady(cr, number, cr->result->frames[i].name, error);
                break;
            }
        }
        mrwi_golden_case_unstage(cr);
        cr->scene = first;
        cr->shared = true;
    }
    mrw_scene_free(scene);
    return status;
}

static mrw_status repeat(mrwi_golden_case_run *cr, bool *steady, mrw_error *error)
{
    mrw_outcome before = cr->result->outcome;
    const char *message = cr->result->message;
    mrw_status status = MRW_OK;
    *steady = true;
    for (uint32_t n = 2; n <= cr->run->def->repeat && status == MRW_OK && *steady; n++) {
        status = repeat_once(cr, n, error);
        *steady = cr->result->message == message;
        cr->result->runs = n;
    }
    cr->result->outcome = *steady ? before : MRW_FAILED;
    return status;
}

/* ---- the case -------------------------------------------------------------------------------- */

static mrw_status draw_and_judge(mrwi_golden_case_run *cr, mrw_error *error)
{
    mrw_status status = make_stored(cr, error);
    if (status == MRW_OK) {
        status = note_scene(cr, error);
    }
    if (status == MRW_OK) {
        status = make_poses(cr, error);
    }
    if (status == MRW_OK) {
        status = mrwi_golden_case_perform(cr, mrwi_golden_frame_judge, NULL, error);
    }
    return status == MRW_OK ? judge_case(cr, error) : status;
}

/* Goldens first: what they settle needs no results. */
static mrw_status finish(mrwi_golden_case_run *cr, bool steady, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (steady && update_mode(cr) != MRW_UPDATE_NONE) {
        status = update_case(cr, error);
    }
    if (status == MRW_OK && cr->result->outcome == MRW_FAILED) {
        status = show_case(cr, error);
        status = status == MRW_OK ? write_texts(cr, error) : status;
    }
    if (status == MRW_OK && cr->run->def->full) {
        status = mrwi_golden_unused_of_case(cr, error);
    }
    return status;
}

static mrw_status run_case(mrwi_golden_case_run *cr, const mrw_scene *scene, mrw_error *error)
{
    bool steady = true;
    mrw_status status = mrwi_golden_case_stage(cr, scene, error);
    if (status == MRW_OK) {
        status = draw_and_judge(cr, error);
    }
    if (status == MRW_OK && cr->run->def->repeat > 1) {
        status = repeat(cr, &steady, error);
        mrwi_golden_case_unstage(cr);
        status = status == MRW_OK ? mrwi_golden_case_stage(cr, scene, error) : status;
    }
    if (status == MRW_OK) {
        status = finish(cr, steady, error);
    }
    mrwi_golden_case_unstage(cr);
    return status;
}

/* Errors of the case make it fail; those of the machine end the run. */
static mrw_status absorb(mrwi_golden_case_run *cr, mrw_status status, mrw_error *error)
{
    if (status == MRW_OK || status == MRW_ERROR_OUTPUT || status == MRW_ERROR_MEMORY ||
        status == MRW_ERROR_CANCELLED) {
        return status;
    }
    cr->result->outcome = MRW_FAILED;
    cr->result->frames = NULL; /* half of them may not have been drawn */
    cr->result->frame_count = cr->result->bad_frames = 0;
    mrw_error why = *error;
    return set_message(cr, why.text, error);
}

static mrw_status expect_failure(mrwi_golden_case_run *cr, mrw_error *error)
{
    char text[MESSAGE], safe[1200];
    if (!cr->c->xfail || cr->result->outcome == MRW_SKIPPED) {
        return MRW_OK;
    }
    if (cr->result->outcome == MRW_FAILED) {
        cr->result->outcome = MRW_XFAILED;
        return MRW_OK;
    }
    cr->result->outcome = MRW_XPASSED;
    snprintf(text, sizeof text, "it passes, though it is known to fail: %s",
             mrwi_base_escape(cr->c->xfail, safe, sizeof safe));
    return set_message(cr, text, error);
}

mrw_status mrwi_golden_case_run_all(mrwi_golden_run *run, size_t index, mrwi_golden_worker *workers,
                                    mrw_error *error)
{
    const mrw_case *c = &run->cases->items[index];
    mrwi_golden_case_run cr = {.run = run,
                               .c = c,
                               .result = &run->results->cases[index],
                               .workers = workers,
                               .shared = true,
                               .threads = run->inner_threads};
    const mrw_scene *scene = NULL;
    double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    cr.result->runs = 1;
    mrw_status status = begin(&cr, error);
    if (status == MRW_OK) {
        status =
            mrwi_golden_scenes_take(&run->scenes, index, cr.threads, &run->host, &scene, error);
    }
    if (status == MRW_OK) {
        status = run_case(&cr, scene, error);
    }
    status = absorb(&cr, status, error);
    if (status == MRW_OK) {
        status = expect_failure(&cr, error);
    }
    if (run->source.close) {
        run->source.close(run->source.user, &cr.expected);
    }
    cr.result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    mrwi_base_arena_free(&cr.arena);
    return status;
}
