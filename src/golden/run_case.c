/* run_case.c: runs one case: from its settings to its outcome, its results and its goldens. */
#include "golden/run_case.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/actual.h"
#include "golden/names.h"
#include "golden/promote.h"
#include "golden/scene_files.h"
#include "report/results.h"
#include "session/compare.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE 1800

/* ---- what is the case's own ------------------------------------------------------------------ */

static mrw_update update_mode(const mrwi_golden_input *in)
{
    /* A case that is known to fail does not update its goldens. */
    return in->c->xfail ? MRW_UPDATE_NONE : in->def->update;
}

static mrw_status begin(const mrwi_golden_job *job, int threads, mrwi_base_arena *arena,
                        mrwi_golden_input *in, mrw_error *error)
{
    const mrw_case *c = job->c;
    *in = (mrwi_golden_input){.c = c,
                              .def = job->def,
                              .host = job->host,
                              .parts = job->parts,
                              .settings = c->settings, /* the case still owns the lists */
                              .compare = mrw_session_compare_def(&c->settings)};
    in->compare.isa = job->def->isa;
    in->settings.run.isa = job->def->isa;
    in->settings.run.threads = (uint32_t)threads;
    in->settings.run.shard_index = in->settings.run.shard_count = 1;
    in->folder = mrwi_base_format(arena, "%s/%s/%s", job->root, c->suite, c->name);
    if (!in->folder) {
        return mrwi_base_fail_memory(error, 0);
    }
    size_t longest =
        strlen(in->folder) > strlen(c->golden) ? strlen(in->folder) : strlen(c->golden);
    if (longest + MRWI_GOLDEN_NAME_SIZE + sizeof "/" MRWI_GOLDEN_FRAMED "/.expected.png" >
        PATH_MAX) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "the paths of its goldens or results are too long for this system");
    }
    mrw_status status =
        job->source->open(job->source->user, c, threads, arena, &in->expected, error);
    if (status) {
        return status;
    }
    const mrwi_golden_expected *expected = &in->expected;
    if (!expected->stored_file.fault) {
        status = mrwi_golden_options_compare(c, &expected->stored, arena, &in->suite, error);
        if (status) {
            return status;
        }
    }
    /* Goldens that are written again are framed again. */
    in->keeps_views = !c->refit && update_mode(in) < MRW_UPDATE_CHANGED;
    in->keeps_clip = in->keeps_views && expected->stored_file.there &&
                     mrwi_golden_options_keep_clip(&c->settings, &expected->stored);
    return MRW_OK;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Returns why golden.txt can't be trusted, is of another drawer, or another marrow's camera differs
 * from ours; or NULL. */
static const char *fault_of(const mrwi_golden_input *in, const mrwi_golden_findings *found)
{
    return found->camera_fault    ? found->camera_fault
           : in->expected.foreign ? in->expected.foreign
                                  : in->expected.stored_file.fault;
}

/* Adds a cause: "a; b". */
static void add_cause(char *out, size_t size, const char *before, const char *text)
{
    const size_t used = strlen(out);
    if (text) {
        snprintf(out + used, size - used, "%s%s%s", used > 0 ? "; " : "", before, text);
    }
}

/* Describes what has changed in the model and the suite, to be read before looking at pictures; ""
 * when nothing has. */
static void describe_origin(const mrwi_golden_input *in, const mrwi_golden_findings *found,
                            char *out, size_t size)
{
    const mrwi_golden_stored *expected = &in->expected.stored;
    const mrw_case_result *result = found->result;
    const char *fault = fault_of(in, found);
    const bool against = in->def->against;
    const bool drawn_alike =
        expected->pixel_version == 0 || expected->pixel_version == MRW_PIXEL_VERSION;
    char text[200];
    out[0] = '\0';
    if (fault) {
        /* with hashes each frame tells the fault */
        snprintf(out, size, "%s", in->expected.hashes && !in->expected.foreign ? "" : fault);
        return;
    }
    add_cause(out, size, "", result->model_change);
    if (!result->model_change && expected->scene_count > 0 &&
        expected->scene_formula != MRW_SCENE_FORMULA) {
        /* Hashes of scenes by two formulas can't be compared. */
        const bool older = expected->scene_formula < MRW_SCENE_FORMULA;
        snprintf(text, sizeof text,
                 against ? "the other marrow is %s one: scene not compared"
                         : "golden.txt was made by %s marrow: scene not compared",
                 older ? "an older" : "a newer");
        add_cause(out, size, "", text);
    }
    if (!result->model_change && !drawn_alike) {
        snprintf(text, sizeof text, "%s pixel version %u, but this marrow draws version %u",
                 against ? "the other marrow draws" : "the goldens have", expected->pixel_version,
                 (unsigned)MRW_PIXEL_VERSION);
        add_cause(out, size, "", text);
    }
    add_cause(out, size, "the suite changed: ", result->suite_change);
    add_cause(out, size,
              update_mode(in) >= MRW_UPDATE_CHANGED ? "the framing changes: "
                                                    : "framing would change: ",
              result->framing);
}

static mrw_status set_message(mrw_case_result *result, mrw_results *memory, const char *text,
                              mrw_error *error)
{
    const char *copy = mrwi_report_text(memory, text);
    if (copy) {
        result->message = copy;
    }
    return copy ? MRW_OK : mrwi_base_fail_memory(error, strlen(text));
}

/* Sets the outcome and a message like "another scene; Walk_0012: LeftFoot turned 3.1 degrees at
 * frame 12 (and 4 more of 24 frames)". */
static mrw_status judge_case(const mrwi_golden_input *in, mrwi_golden_findings *found,
                             mrw_error *error)
{
    mrw_case_result *result = found->result;
    char text[MESSAGE];
    const mrw_frame_result *first = mrwi_report_first_bad_frame(result);
    const mrwi_golden_expected *goldens = &in->expected;
    char gone[MRWI_GOLDEN_NAME_SIZE] = "";
    result->framing = found->framing ? mrwi_report_text(found->memory, found->framing) : NULL;
    if (found->framing && !result->framing) {
        return mrwi_base_fail_memory(error, 0);
    }
    describe_origin(in, found, text, sizeof text);
    result->bad_frames = 0;
    for (size_t i = 0; i < result->frame_count; i++) {
        result->bad_frames += !result->frames[i].passed;
    }
    size_t used = strlen(text);
    /* If the scene is the same, missing frames are the suite's choice; if it changed, a clip may be
     * shorter. */
    if (mrwi_golden_stored_other_scene(&goldens->stored, &found->stored) && !in->def->against) {
        mrw_status status = mrwi_golden_unused_frame(goldens, in->c->checks, result, gone, error);
        if (status) {
            return status;
        }
    }
    if (gone[0]) {
        snprintf(text + used, sizeof text - used, "; golden frame %s is not drawn any more", gone);
        used = strlen(text);
    }
    const bool bad = first || gone[0] || result->framing || fault_of(in, found);
    result->outcome = bad ? MRW_FAILED : MRW_PASSED;
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
    return set_message(result, found->memory, text, error);
}

/* ---- results of failed cases ----------------------------------------------------------------- */

static mrw_status write_text(const char *folder, const char *name, mrw_text *text, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mrw_status status = text->failed ? mrwi_base_fail_memory(error, text->size)
                                     : mrw_make_folder(folder, NULL, error);
    if (!status) {
        status = mrw_file_write(path, text->data, text->size, error);
    }
    mrw_text_free(text);
    return status;
}

/* Writes golden.txt, pose.txt and bounds.txt as they would be now into the results. */
static mrw_status write_texts(const mrwi_golden_input *in, const mrw_session *session,
                              mrwi_golden_findings *found, mrw_error *error)
{
    const uint32_t checks = in->c->checks;
    mrw_text stored = {0}, poses = {0}, boxes = {0};
    mrw_status status = mrwi_golden_actual_parts(in, session, found, error);
    if (status) {
        return status;
    }
    mrwi_golden_stored_write(&found->stored, &stored);
    status = write_text(in->folder, "golden.txt", &stored, error);
    if (status) {
        return status;
    }
    if ((checks & MRW_CHECK_POSE) != 0) {
        mrwi_golden_poses_begin(&poses);
        for (uint32_t i = 0; i < found->poses.count; i++) {
            mrwi_golden_poses_add(&poses, &found->poses.items[i]);
        }
        status = write_text(in->folder, "pose.txt", &poses, error);
        if (status) {
            return status;
        }
    }
    if ((checks & MRW_CHECK_BOUNDS) != 0) {
        mrwi_golden_boxes_begin(&boxes);
        for (uint32_t i = 0; i < found->boxes.count; i++) {
            mrwi_golden_boxes_add(&boxes, &found->boxes.items[i]);
        }
        status = write_text(in->folder, "bounds.txt", &boxes, error);
    }
    return status;
}

/* Writes the expected pictures of all frames, and the pictures of frames that passed although they
 * differ. */
static mrw_status show_case(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                            mrwi_golden_findings *found, mrw_error *error)
{
    const size_t count = found->result->frame_count;
    mrwi_golden_choice some = {.frames = mrwi_base_alloc(count, sizeof *some.frames)};
    if (!some.frames) {
        return mrwi_base_fail_memory(error, count * sizeof *some.frames);
    }
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < count; i++) {
        mrw_frame_result *frame = &found->result->frames[i];
        if (frame->passed && frame->compared && !frame->metrics.identical && !frame->actual) {
            some.frames[some.count++] = (uint32_t)i;
        }
        if (found->states[i].expected_seen) {
            status = mrwi_golden_frame_copy_expected(in, frame, found->memory, error);
            if (status) {
                goto out;
            }
        }
    }
    if (some.count > 0) {
        status = mrwi_golden_frames_draw(in, prepared, found, mrwi_golden_frame_show, &some, error);
    }
out:
    mrwi_base_free(some.frames);
    return status;
}

/* Writes the goldens as they would be if the case was framed again. `marrow accept` takes them when
 * the framing changes. Poses and bounds are the same. */
static mrw_status write_framed(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                               const mrwi_golden_findings *found, mrw_error *error)
{
    const uint32_t count = (uint32_t)found->result->frame_count;
    mrwi_golden_input framed = *in;
    framed.folder = mrwi_base_format(found->arena, "%s/" MRWI_GOLDEN_FRAMED, in->folder);
    framed.keeps_views = false;
    if (!framed.folder) {
        return mrwi_base_fail_memory(error, 0);
    }
    /* Drawing the frames again overwrites these arrays. */
    mrwi_golden_findings again = *found;
    mrwi_golden_stored *stored = &again.stored;
    again.states = mrwi_base_arena_alloc(found->arena, count, sizeof *again.states);
    stored->views = mrwi_base_arena_alloc(found->arena, count, sizeof *stored->views);
    stored->times = mrwi_base_arena_alloc(found->arena, count, sizeof *stored->times);
    stored->frames = mrwi_base_arena_alloc(found->arena, count, sizeof *stored->frames);
    stored->view_count = 0;
    if (!again.states || !stored->views || !stored->times || !stored->frames) {
        return mrwi_base_fail_memory(error, count * sizeof *stored->views);
    }
    memcpy(again.states, found->states, count * sizeof *again.states);
    memcpy(stored->times, found->stored.times, count * sizeof *stored->times);
    memcpy(stored->frames, found->stored.frames, count * sizeof *stored->frames);
    mrw_status status =
        mrwi_golden_frames_draw(&framed, prepared, &again, mrwi_golden_frame_put, NULL, error);
    if (status) {
        return status;
    }
    return write_texts(&framed, &prepared->session, &again, error);
}

/* ---- updating -------------------------------------------------------------------------------- */

/* Returns the kinds of a frame that become goldens: bits MRW_CHECK_... */
static uint8_t kinds_to_take(const mrwi_golden_input *in, const mrw_frame_result *frame,
                             const mrwi_golden_frame_state *state)
{
    mrw_update update = update_mode(in);
    bool empty = (frame->why & MRW_WHY_EMPTY) != 0;
    uint32_t kinds = state->missing;
    if (update >= MRW_UPDATE_CHANGED) {
        kinds |= state->differs | (empty ? (uint32_t)MRW_CHECK_PIXELS : 0) |
                 (state->reframed ? in->c->checks & MRW_CHECK_PIXELS : 0);
    }
    if (update == MRW_UPDATE_ALL) {
        kinds = in->c->checks;
    }
    bool refused = empty && !in->def->allow_blank;
    return (uint8_t)(refused ? 0 : kinds);
}

/* Returns true if a model has not changed, but the file of its parts is missing. */
static bool lacks_scene_file(const mrwi_golden_input *in, const mrwi_golden_stored *actual)
{
    const mrwi_golden_stored *expected = &in->expected.stored;
    bool lacks = false;
    for (uint32_t i = 0; i < actual->scene_count && i < expected->scene_count; i++) {
        const char *hash = expected->scenes[i].hash;
        lacks = lacks || (expected->version >= 4 && strcmp(hash, actual->scenes[i].hash) == 0 &&
                          mrwi_golden_scene_file_missing(in->expected.folder, hash));
    }
    return lacks;
}

/* Returns true if golden.txt has to be written even if no frame is. */
static bool text_is_stale(const mrwi_golden_input *in, const mrwi_golden_stored *actual)
{
    const mrwi_golden_file *file = &in->expected.stored_file;
    const mrwi_golden_stored *expected = &in->expected.stored;
    mrw_update update = update_mode(in);
    bool changed = file->fault || in->expected.foreign || in->suite.text ||
                   expected->version < MRWI_GOLDEN_STORED_VERSION ||
                   mrwi_golden_stored_other_scene(expected, actual) ||
                   expected->pixel_version != MRW_PIXEL_VERSION ||
                   expected->scene_formula != MRW_SCENE_FORMULA ||
                   expected->scene_count != actual->scene_count;
    return (update >= MRW_UPDATE_MISSING && (!file->there || lacks_scene_file(in, actual))) ||
           (update >= MRW_UPDATE_CHANGED && changed) || update == MRW_UPDATE_ALL;
}

/* Lets a frame pass whose goldens were written, unless a golden is still missing or differs. */
static mrw_status settle_frame(const char *folder, uint8_t taken, mrw_frame_result *frame,
                               mrwi_golden_frame_state *state, mrw_error *error)
{
    static const char *const endings[2] = {".png", ".diff.png"};
    state->missing &= (uint8_t)~taken;
    state->differs &= (uint8_t)~taken;
    bool empty = (frame->why & MRW_WHY_EMPTY) != 0 && (taken & MRW_CHECK_PIXELS) == 0;
    if (taken == 0 || state->missing != 0 || state->differs != 0 || empty) {
        if (state->missing == 0) {
            frame->why &= ~(uint32_t)MRW_WHY_MISSING;
        }
        return MRW_OK;
    }
    frame->passed = true;
    frame->why = 0;
    frame->message = "";
    frame->actual = frame->diff = NULL;
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s%s", folder, frame->name, endings[i]);
        mrw_status status = mrwi_base_remove_file(path, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static mrw_status promote(const mrwi_golden_input *in, const mrwi_golden_findings *found,
                          const uint8_t *take, mrw_error *error)
{
    const uint32_t count = (uint32_t)found->result->frame_count;
    const char **names = mrwi_base_arena_alloc(found->arena, count, sizeof *names);
    bool *pictures = mrwi_base_arena_alloc(found->arena, count, sizeof *pictures);
    bool partial = found->result->framing && update_mode(in) < MRW_UPDATE_CHANGED;
    if (!names || !pictures) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrw_frame_result *frame = &found->result->frames[i];
        names[i] = frame->name;
        pictures[i] = found->states[i].key && frame->actual && (take[i] & MRW_CHECK_PIXELS) != 0;
        partial |=
            !frame->passed && (take[i] == 0 || (found->states[i].differs & (uint8_t)~take[i]) != 0);
    }
    mrwi_golden_promotion promotion = {in->c, in->folder, names, take, pictures, count, partial};
    return mrwi_golden_promote(&promotion, error);
}

static mrw_status describe_update(const mrwi_golden_input *in, const mrwi_golden_findings *found,
                                  const uint32_t written[2], mrw_error *error)
{
    char text[MESSAGE];
    uint32_t frames = written[0] + written[1];
    describe_origin(in, found, text, sizeof text);
    size_t used = strlen(text);
    const char *before = used > 0 ? "; " : "";
    if (frames == 0) {
        snprintf(text + used, sizeof text - used, "%sgolden.txt written", before);
    } else {
        snprintf(text + used, sizeof text - used,
                 "%sgoldens of %u frame%s written: %u new, %u changed", before, frames,
                 frames == 1 ? "" : "s", written[0], written[1]);
    }
    return set_message(found->result, found->memory, text, error);
}

static mrw_status update_case(const mrwi_golden_input *in, const mrw_session *session,
                              mrwi_golden_findings *found, mrw_error *error)
{
    mrw_case_result *result = found->result;
    const size_t count = result->frame_count;
    uint8_t *take = mrwi_base_arena_alloc(found->arena, count, 1);
    uint32_t written[2] = {0, 0}; /* new and changed frames */
    if (!take) {
        return mrwi_base_fail_memory(error, count);
    }
    for (size_t i = 0; i < count; i++) {
        take[i] = kinds_to_take(in, &result->frames[i], &found->states[i]);
        if (take[i] != 0) {
            written[found->states[i].missing == 0]++;
        }
    }
    if (written[0] + written[1] == 0 && !text_is_stale(in, &found->stored)) {
        return MRW_OK;
    }
    mrw_status status = write_texts(in, session, found, error);
    if (status) {
        return status;
    }
    status = promote(in, found, take, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        status = settle_frame(in->folder, take[i], &result->frames[i], &found->states[i], error);
        if (status) {
            return status;
        }
    }
    const bool framed = !result->framing || update_mode(in) >= MRW_UPDATE_CHANGED;
    if (mrwi_report_first_bad_frame(result) || !framed) {
        return judge_case(in, found, error);
    }
    result->outcome = MRW_UPDATED;
    result->bad_frames = 0;
    status = describe_update(in, found, written, error);
    if (status) {
        return status;
    }
    return mrwi_golden_remove_results(in->folder, error);
}

/* ---- runs that repeat ------------------------------------------------------------------------ */

/* Draws all frames again. *what is the first frame that came out differently, or NULL. */
static mrw_status draw_again(const mrwi_golden_input *in, const mrw_scene *scene,
                             const mrwi_golden_workers *workers, mrwi_golden_findings *found,
                             const char **what, mrw_error *error)
{
    mrwi_golden_prepared prepared = {.workers = workers};
    *what = NULL;
    mrw_status status = mrwi_golden_session_begin(in, scene, &prepared, error);
    if (status) {
        goto out;
    }
    prepared.session.frame.every = true; /* draws equal frames, too */
    status = mrwi_golden_frames_draw(in, &prepared, found, mrwi_golden_frame_repeat, NULL, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < found->result->frame_count && !*what; i++) {
        *what = found->states[i].unsteady ? found->result->frames[i].name : NULL;
    }
out:
    mrwi_golden_session_end(&prepared);
    return status;
}

/* Repeats everything once, starting with the file. Sets the result's message if anything
 * differs. */
static mrw_status repeat_once(const mrwi_golden_input *in, const mrwi_golden_prepared *first,
                              mrwi_golden_findings *found, uint32_t number, mrw_error *error)
{
    mrw_scene *scene = NULL;
    const char *what = "the model loads as a different scene";
    char text[MESSAGE];
    mrw_status status = mrw_session_load(in->c->model, &in->settings, in->host, &scene, error);
    if (status) {
        goto out;
    }
    if (memcmp(mrw_scene_hash(scene), mrw_scene_hash(first->model.scene), 32) == 0) {
        status = draw_again(in, scene, first->workers, found, &what, error);
        if (status) {
            goto out;
        }
    }
    if (what) {
        snprintf(text, sizeof text, "run %u gave a different result: %s", number, what);
        status = set_message(found->result, found->memory, text, error);
    }
out:
    mrw_scene_free(scene);
    return status;
}

static mrw_status repeat(const mrwi_golden_input *in, const mrwi_golden_prepared *first,
                         mrwi_golden_findings *found, bool *steady, mrw_error *error)
{
    mrw_case_result *result = found->result;
    const char *message = result->message;
    *steady = true;
    for (uint32_t n = 2; n <= in->def->repeat && *steady; n++) {
        result->runs = n;
        mrw_status status = repeat_once(in, first, found, n, error);
        if (status) {
            return status;
        }
        *steady = result->message == message;
    }
    if (!*steady) {
        result->outcome = MRW_FAILED;
    }
    return MRW_OK;
}

/* ---- the case -------------------------------------------------------------------------------- */

/* Adds to an error how the model has changed since the goldens were made: a missing clip may have a
 * new name. */
static mrw_status tell_changes(const mrwi_golden_input *in, const mrw_scene *scene,
                               mrwi_base_arena *arena, mrw_error *error)
{
    const mrwi_golden_stored *stored = &in->expected.stored;
    mrwi_explain_part_list parts;
    mrw_text text = {0};
    const char *fault = NULL;
    char hash[65];
    const mrw_error why = *error;
    if (stored->version < 3 || stored->scene_count == 0 || in->expected.stored_file.fault ||
        stored->scene_formula != MRW_SCENE_FORMULA) {
        return MRW_ERROR_INPUT;
    }
    mrwi_golden_stored_scene before = stored->scenes[0];
    mrw_scene_hash_text(scene, hash);
    if (strcmp(before.hash, hash) == 0) {
        return MRW_ERROR_INPUT;
    }
    mrw_status status =
        mrwi_golden_scene_file_read(in->expected.folder, &before, arena, &fault, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_parts_find(in->parts, scene, &parts, error);
    if (status) {
        return status;
    }
    if (before.parts.count > 0) {
        mrwi_explain_parts(&before.parts, &parts, 3, &text);
    }
    if (text.failed) {
        status = mrwi_base_fail_memory(error, text.size);
    } else if (text.size > 0) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT, "%s; since the goldens were made: %s",
                                why.text, text.data);
    } else {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT, "%s", why.text);
    }
    mrw_text_free(&text);
    return status;
}

/* Prepares the case's scene for drawing, and makes room for the findings. */
static mrw_status set_up(mrwi_golden_shared_scene *shared, const mrwi_golden_input *in,
                         mrwi_golden_prepared *prepared, mrwi_golden_findings *found,
                         mrw_error *error)
{
    const mrw_scene *scene = NULL;
    mrw_status status =
        mrwi_golden_scene_take(shared, in->c, in->host, prepared->workers->count, &scene, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_session_begin(in, scene, prepared, error);
    if (status == MRW_ERROR_INPUT) {
        return tell_changes(in, scene, found->arena, error);
    }
    if (status) {
        return status;
    }
    status = mrwi_golden_frames_make(in, prepared, found, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_actual_begin(in->c, &prepared->session, found, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_actual_changes(in, &prepared->session, found, error);
    if (status) {
        return status;
    }
    return mrwi_golden_actual_poses(in, &prepared->session, found, error);
}

/* Settles the outcome once all frames are judged, and writes goldens and results. */
static mrw_status settle(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                         mrwi_golden_findings *found, mrw_error *error)
{
    bool steady = true;
    mrw_status status = judge_case(in, found, error);
    if (status) {
        return status;
    }
    if (in->def->repeat > 1) {
        status = repeat(in, prepared, found, &steady, error);
        if (status) {
            return status;
        }
    }
    /* Goldens come first: a case that passes with them needs no results. */
    if (steady && update_mode(in) != MRW_UPDATE_NONE) {
        status = update_case(in, &prepared->session, found, error);
        if (status) {
            return status;
        }
    }
    if (found->result->outcome != MRW_FAILED) {
        return MRW_OK;
    }
    status = show_case(in, prepared, found, error);
    if (status) {
        return status;
    }
    status = write_texts(in, &prepared->session, found, error);
    if (status) {
        return status;
    }
    if (found->result->framing && in->keeps_views && (in->c->checks & MRW_CHECK_PIXELS) != 0) {
        return write_framed(in, prepared, found, error);
    }
    return MRW_OK;
}

/* Lists goldens of the case that it does not use. */
static mrw_status list_unused(const mrwi_golden_input *in, const mrwi_golden_findings *found,
                              mrwi_golden_unused *unused, mrw_error *error)
{
    const size_t frames = found->result->frame_count;
    const bool pixels = (in->c->checks & MRW_CHECK_PIXELS) != 0;
    const char **pictures = mrwi_base_arena_alloc(found->arena, frames, sizeof *pictures);
    size_t count = 0;
    if (!pictures) {
        return mrwi_base_fail_memory(error, frames * sizeof *pictures);
    }
    for (size_t i = 0; i < frames && pixels; i++) {
        if (found->states[i].key) {
            pictures[count++] = found->result->frames[i].name;
        }
    }
    return mrwi_golden_unused_of_case(unused, in->c, pictures, count, error);
}

/* Makes a case fail by its own errors. Errors of the machine, and cancelling, end the run. */
static mrw_status absorb(const mrwi_golden_input *in, mrw_case_result *result, mrw_results *memory,
                         mrw_status status, mrw_error *error)
{
    if (!status || status == MRW_ERROR_OUTPUT || status == MRW_ERROR_MEMORY) {
        return status;
    }
    result->frames = NULL; /* half of them may not have been drawn */
    result->frame_count = result->bad_frames = 0;
    if (status == MRW_ERROR_CANCELLED) { /* counts as not run, and leaves no files */
        result->outcome = MRW_SKIPPED;
        result->message = "not finished: the run was stopped";
        mrwi_golden_remove_results(in->folder, NULL);
        return status;
    }
    result->outcome = MRW_FAILED;
    mrw_error why = *error;
    return set_message(result, memory, why.text, error);
}

static mrw_status expect_failure(const mrw_case *c, mrw_case_result *result, mrw_results *memory,
                                 mrw_error *error)
{
    char text[MESSAGE], safe[1200];
    if (!c->xfail || result->outcome == MRW_SKIPPED) {
        return MRW_OK;
    }
    if (result->outcome == MRW_FAILED) {
        result->outcome = MRW_XFAILED;
        return MRW_OK;
    }
    result->outcome = MRW_XPASSED;
    snprintf(text, sizeof text, "it passes, though it is known to fail: %s",
             mrwi_base_escape(c->xfail, safe, sizeof safe));
    return set_message(result, memory, text, error);
}

mrw_status mrwi_golden_case_run(const mrwi_golden_job *job, const mrwi_golden_workers *workers,
                                mrw_error *error)
{
    mrwi_base_arena arena = {0};
    mrwi_golden_input in;
    mrwi_golden_prepared prepared = {.cache = job->shared->cache, .workers = workers};
    mrwi_golden_findings found = {.result = job->result, .memory = job->memory, .arena = &arena};
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    job->result->runs = 1;
    mrw_status status = begin(job, workers->count, &arena, &in, error);
    if (status) {
        goto out;
    }
    status = set_up(job->shared, &in, &prepared, &found, error);
    if (status) {
        goto out;
    }
    if (job->clips) {
        status = mrwi_golden_clips_note(job->clips, job->c, &prepared, job->memory, error);
        if (status) {
            goto out;
        }
    }
    status = mrwi_golden_frames_draw(&in, &prepared, &found, mrwi_golden_frame_judge, NULL, error);
    if (status) {
        goto out;
    }
    status = settle(&in, &prepared, &found, error);
    if (status) {
        goto out;
    }
    if (job->unused) {
        status = list_unused(&in, &found, job->unused, error);
        if (status) {
            goto out;
        }
    }
    if (in.def->rename) {
        status = mrwi_golden_names_move_frames(&in, &found, error);
    }
out:
    mrwi_golden_session_end(&prepared);
    status = absorb(&in, job->result, job->memory, status, error);
    if (!status) {
        status = expect_failure(job->c, job->result, job->memory, error);
    }
    if (job->source->close) {
        job->source->close(&in.expected);
    }
    job->result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    mrwi_base_arena_free(&arena);
    return status;
}
