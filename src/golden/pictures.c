/* pictures.c: lists, names and draws the pictures of a case. */
#include "golden/pictures.h"

#include "base/text.h"
#include "base/utf8.h"
#include "golden/against.h"
#include "golden/names.h"
#include "report/results.h"
#include "session/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the session ----------------------------------------------------------------------------- */

static mrw_status add_mask(const mrw_session_model *model, const mrw_mask *mask,
                           mrwi_golden_masks *masks, mrw_error *error)
{
    const uint32_t width = model->settings->picture.width, height = model->settings->picture.height;
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
    const mrw_text_list *masks = &settings->compare.masks;
    *out = (mrwi_golden_masks){.size = (size_t)settings->picture.width * settings->picture.height};
    out->nodes = mrwi_base_alloc(masks->count, sizeof *out->nodes);
    if (!out->nodes) {
        return mrwi_base_fail_memory(error, masks->count * sizeof *out->nodes);
    }
    for (size_t i = 0; i < masks->count; i++) {
        mrw_mask mask;
        char safe[300];
        if (!mrw_mask_parse(masks->items[i], &mask)) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE, "mask = %s: this is not a mask",
                                  mrwi_base_escape(masks->items[i], safe, sizeof safe));
        }
        mrw_status status = add_mask(model, &mask, out, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Keeps the side from which the goldens show the model, if the suite leaves it to the model's
 * front. Another front, or the fixed azimuth of versions that found no fronts, is not another
 * framing. */
static mrw_status keep_front(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                             mrw_error *error)
{
    const mrwi_golden_stored *expected = &in->expected.stored;
    mrw_session_view view;
    if (expected->view_count == 0 || !mrw_settings_finds_front(&in->settings)) {
        return MRW_OK;
    }
    mrw_status status = mrw_session_find_view(&prepared->model, 0, &view, error);
    if (status) {
        return status;
    }
    if (mrwi_golden_view_side(&expected->views[0], &view.view)) {
        mrw_session_set_view(&prepared->session, &view.view);
    }
    return MRW_OK;
}

mrw_status mrwi_golden_session_begin(const mrwi_golden_input *in, const mrw_scene *scene,
                                     mrwi_golden_prepared *prepared, mrw_error *error)
{
    const mrw_settings *settings = &in->settings;
    const bool sequence = mrw_session_wants_sequence(settings);
    mrw_session *session = &prepared->session;
    mrw_status status =
        mrw_session_model_init(in->c->model, scene, settings, &prepared->model, error);
    if (status) {
        return status;
    }
    status = mrw_session_pictures(&prepared->model, sequence, &prepared->pictures, error);
    if (status) {
        return status;
    }
    mrw_picture_list_share(&prepared->pictures, settings, 0);
    if (prepared->pictures.count == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "the case draws no frames");
    }
    status = mrw_session_begin(session, &prepared->model, sequence, error);
    if (status) {
        return status;
    }
    session->fit = in->keeps_clip ? MRW_FIT_CLIP : session->fit;
    status = make_masks(&prepared->model, &prepared->masks, error);
    if (status) {
        return status;
    }
    session->cache = prepared->cache;
    session->threads = prepared->workers->count;
    session->frame.subject = true;
    session->frame.targets = prepared->masks.node_count > 0 ? MRW_NODE_TARGETS : 0;
    status = mrw_session_prepare(session, in->host, error);
    if (status) {
        return status;
    }
    return in->keeps_views ? keep_front(in, prepared, error) : MRW_OK;
}

void mrwi_golden_session_end(mrwi_golden_prepared *prepared)
{
    mrw_session_free(&prepared->session);
    mrw_picture_list_free(&prepared->pictures);
    mrw_session_model_free(&prepared->model);
    mrwi_base_free(prepared->masks.pixels);
    mrwi_base_free(prepared->masks.nodes);
    prepared->masks = (mrwi_golden_masks){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Size of a clip's name in names of frames, with the NUL */
#define CLIP_SIZE 201

/* Returns true if the names of two clips become one if each byte outside ASCII is '_'. */
static bool are_alike(const mrw_session_model *model, uint32_t clip, uint32_t other)
{
    char safe[CLIP_SIZE], old[2][CLIP_SIZE];
    mrw_safe_file_name(mrw_session_clip_name(model, clip), safe, sizeof safe);
    mrwi_base_old_file_name(safe, old[0], sizeof old[0]);
    mrw_safe_file_name(mrw_session_clip_name(model, other), safe, sizeof safe);
    mrwi_base_old_file_name(safe, old[1], sizeof old[1]);
    return clip != other && strcmp(old[0], old[1]) == 0;
}

static bool has_own_old_name(const mrwi_golden_prepared *prepared, uint32_t clip)
{
    const mrw_picture_list *pictures = &prepared->pictures;
    for (uint32_t i = 0; i < pictures->count; i++) {
        const uint32_t other = pictures->items[i].clip;
        if ((i == 0 || other != pictures->items[i - 1].clip) &&
            are_alike(&prepared->model, clip, other)) {
            return false;
        }
    }
    return true;
}

/* Names a frame as its goldens are named. */
static mrw_status name_frame(const mrwi_golden_input *in, const mrwi_golden_prepared *prepared,
                             const mrw_picture *picture, mrw_results *memory,
                             mrw_frame_result *frame, mrwi_golden_frame_state *state,
                             mrw_error *error)
{
    char safe[CLIP_SIZE], name[MRWI_GOLDEN_NAME_SIZE];
    mrw_safe_file_name(mrw_session_clip_name(&prepared->model, picture->clip), safe, sizeof safe);
    snprintf(name, sizeof name, "%s_%04llu", safe, (unsigned long long)picture->frame);
    if (!mrwi_base_utf8_is_wide(name) || in->def->against) {
        frame->name = mrwi_report_text(memory, name);
        return frame->name ? MRW_OK : mrwi_base_fail_memory(error, sizeof name);
    }
    frame->name = mrwi_golden_names_choose(&in->expected, name,
                                           has_own_old_name(prepared, picture->clip), memory);
    if (frame->name && !mrwi_base_utf8_same(frame->name, name)) {
        state->renamed = mrwi_report_text(memory, name);
        return state->renamed ? MRW_OK : mrwi_base_fail_memory(error, sizeof name);
    }
    return frame->name ? MRW_OK : mrwi_base_fail_memory(error, sizeof name);
}

/* Refuses two frames of one name: the names of two clips may become one file name. */
static mrw_status check_names(const mrw_frame_result *frames, uint32_t count, mrw_error *error)
{
    const char **names = mrwi_base_alloc(count, sizeof *names);
    mrwi_base_arena arena = {0}; /* owns names in normal form C */
    char nfc[MRWI_BASE_NFC_SIZE];
    if (!names) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    mrw_status status = MRW_OK;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = frames[i].name;
        if (mrwi_base_utf8_is_wide(names[i])) {
            names[i] = mrwi_base_copy_text(&arena, mrwi_base_utf8_nfc(names[i], nfc));
            if (!names[i]) {
                status = mrwi_base_fail_memory(error, sizeof nfc);
                goto out;
            }
        }
    }
    qsort(names, count, sizeof *names, mrwi_base_compare_texts);
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status = mrwi_base_fail(
                error, MRW_ERROR_INPUT,
                "two frames would both be called %s.png: clips whose names differ only in "
                "characters that file names can't contain need one case each",
                names[i]);
            goto out;
        }
    }
out:
    mrwi_base_free(names);
    mrwi_base_arena_free(&arena);
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

/* Returns the last frame, from which negative numbers count: that of the clip, or of the requested
 * frames or times. */
static int64_t last_frame(const mrw_session_model *model, const mrw_picture_list *pictures,
                          uint32_t clip)
{
    const mrw_settings *settings = model->settings;
    uint64_t last = 0;
    if (settings->animation.count == 0 && settings->animation.time_count == 0) {
        return (int64_t)mrw_last_frame(mrw_session_clip_duration(model, clip),
                                       mrw_session_time_rate(model, clip));
    }
    for (uint32_t i = 0; i < pictures->count; i++) {
        const mrw_picture *picture = &pictures->items[i];
        last = picture->clip == clip && picture->frame > last ? picture->frame : last;
    }
    return (int64_t)last;
}

void mrwi_golden_mark_key_frames(const mrw_case *c, const mrw_session_model *model,
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

mrw_status mrwi_golden_frames_make(const mrwi_golden_input *in,
                                   const mrwi_golden_prepared *prepared,
                                   mrwi_golden_findings *found, mrw_error *error)
{
    const mrw_picture_list *pictures = &prepared->pictures;
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
        const char *clip = mrw_session_clip_name(&prepared->model, picture->clip);
        frames[i] = (mrw_frame_result){
            .clip = again ? frames[i - 1].clip : mrwi_report_text(found->memory, clip),
            .frame = picture->frame,
            .time = picture->time,
            .message = "",
            .pose = {.scale = 1.0},
        };
        const mrw_status status =
            name_frame(in, prepared, picture, found->memory, &frames[i], &found->states[i], error);
        if (status) {
            return status;
        }
        if (!frames[i].clip) {
            return mrwi_base_fail_memory(error, 0);
        }
        found->result->old_names |= !!found->states[i].renamed;
    }
    found->result->old_names |= !!in->c->golden_renamed;
    found->result->frames = frames;
    found->result->frame_count = count;
    mrwi_golden_mark_key_frames(in->c, &prepared->model, pictures, found->states);
    return check_names(frames, count, error);
}

/* Collects where the results of a frame go. */
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

/* Frames of a case while they are drawn. */
typedef struct drawing {
    const mrwi_golden_input *in;
    const mrwi_golden_prepared *prepared;
    mrwi_golden_findings *found;
    mrwi_golden_frame_task *task;
    const mrw_picture *pictures;
    const uint32_t *frames; /* Frame of each picture; NULL when the pictures are all frames. */
    /* Camera as mrw_session_aim left it, before another marrow's replaced it. */
    mrw_camera camera;
    bool moved;
} drawing;

static uint32_t frame_at(const drawing *d, uint32_t picture)
{
    return d->frames ? d->frames[picture] : picture;
}

static mrw_status put_frame(void *user, const mrw_sequence_frame *shown, mrw_error *error)
{
    const drawing *d = user;
    const mrwi_golden_frame frame = frame_of(d->found, frame_at(d, shown->index));
    const mrwi_golden_frame same = frame_of(d->found, frame_at(d, shown->same_as));
    const mrwi_golden_shown drawn = {.session = &d->prepared->session,
                                     .masks = &d->prepared->masks,
                                     .joints = &d->found->joints,
                                     .picture = shown,
                                     .same = shown->index == shown->same_as ? NULL : &same};
    return d->task(d->in, &frame, &drawn, &d->prepared->workers->items[shown->worker], error);
}

/* Aims with the camera of another marrow that draws the case. */
static mrw_status aim_as_other(void *user, mrw_session *session, const mrw_picture *picture,
                               mrw_error *error)
{
    drawing *d = user;
    const uint32_t frame = frame_at(d, (uint32_t)(picture - d->pictures));
    if (d->moved) {
        session->frame.camera = d->camera;
    }
    mrw_status status = mrw_session_aim(session, error);
    d->camera = session->frame.camera;
    d->moved = true;
    if (status) {
        return status;
    }
    return mrwi_golden_against_aim(&d->in->expected.cameras, d->found->result->frames[frame].name,
                                   d->found->arena, &session->frame, &d->found->camera_fault,
                                   error);
}

/* Returns the index of the frame's view among those drawn so far, to which it adds a new view. */
static uint32_t view_index(const drawing *d, const mrwi_golden_view *view)
{
    mrwi_golden_stored *stored = &d->found->stored;
    uint32_t at = 0;
    while (at < stored->view_count && !mrwi_golden_view_same(&stored->views[at], view)) {
        at++;
    }
    if (at == stored->view_count) {
        stored->views[stored->view_count++] = *view;
    }
    return at;
}

/* Returns the view of a frame's golden. If that has none, the view of another frame of the clip is
 * taken, since a clip has one camera unless each frame has its own. */
static const mrwi_golden_view *golden_view(const drawing *d, uint32_t frame, bool each)
{
    const mrwi_golden_stored *expected = &d->in->expected.stored;
    const mrw_frame_result *frames = d->found->result->frames;
    const uint32_t count = (uint32_t)d->found->result->frame_count;
    const char *clip = frames[frame].clip;
    while (!each && frame > 0 && frames[frame - 1].clip == clip) {
        frame--;
    }
    for (uint32_t i = frame; i < count && frames[i].clip == clip; i++) {
        const mrwi_golden_stored_time *time =
            mrwi_golden_stored_time_of(expected, frames[i].name, i);
        if (time) {
            return time->view == MRW_NONE ? NULL : &expected->views[time->view];
        }
        if (each) {
            break;
        }
    }
    return NULL;
}

static mrw_status note_framing(const drawing *d, const mrwi_golden_view *before,
                               const mrwi_golden_view *after, mrw_error *error)
{
    mrw_text text = {0};
    if (d->found->framing) {
        return MRW_OK;
    }
    mrwi_golden_view_describe(before, after, &text);
    d->found->framing = text.failed ? NULL : mrwi_base_copy_text(d->found->arena, text.data);
    mrw_text_free(&text);
    return d->found->framing ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Sets the view of a frame or, without `each`, of all following frames of its clip, too. */
static void note_view(const drawing *d, uint32_t frame, bool each, uint32_t view, bool reframed)
{
    const mrwi_golden_expected *expected = &d->in->expected;
    mrwi_golden_findings *found = d->found;
    const mrw_frame_result *frames = found->result->frames;
    const uint32_t count = (uint32_t)found->result->frame_count;
    for (uint32_t i = frame; i < count && frames[i].clip == frames[frame].clip; i++) {
        const mrwi_golden_stored_time *time =
            reframed || view == MRW_NONE || !d->in->keeps_views
                ? NULL
                : mrwi_golden_stored_time_of(&expected->stored, frames[i].name, i);
        found->stored.times[i].view = view;
        found->states[i].reframed = reframed;
        found->states[i].moved = reframed && d->in->suite.framing && !d->in->c->refit;
        found->states[i].stray =
            time && time->view != MRW_NONE &&
            !mrwi_golden_view_same(&expected->stored.views[time->view], &found->stored.views[view]);
        if (each) {
            break;
        }
    }
}

/* Aims with the golden's camera, unless the suite has changed the framing. */
static mrw_status aim_as_golden(void *user, mrw_session *session, const mrw_picture *picture,
                                mrw_error *error)
{
    const drawing *d = user;
    const uint32_t frame = frame_at(d, (uint32_t)(picture - d->pictures));
    const bool each = session->fit == MRW_FIT_FRAME;
    mrwi_golden_view own;
    mrw_status status = mrw_session_aim(session, error);
    if (status) {
        return status;
    }
    if (!mrwi_golden_view_of(session, &own)) {
        note_view(d, frame, each, MRW_NONE, false);
        return MRW_OK;
    }
    const mrwi_golden_view *golden = golden_view(d, frame, each);
    const bool differs =
        golden && (d->in->c->checks & MRW_CHECK_PIXELS) != 0 &&
        !mrwi_golden_view_alike(golden, &own, session->frame.width, session->frame.height);
    if (differs && !d->in->suite.framing && !d->in->c->refit) {
        status = note_framing(d, golden, &own, error);
        if (status) {
            return status;
        }
    }
    const bool keeps = golden && d->in->keeps_views && !(differs && d->in->suite.framing);
    if (keeps) {
        mrwi_golden_view_take(golden, session);
    }
    note_view(d, frame, each, view_index(d, keeps ? golden : &own), differs);
    return MRW_OK;
}

static mrw_status go_on(void *user, mrw_error *error)
{
    const drawing *d = user;
    const mrw_test_def *def = d->in->def;
    return def->go_on ? def->go_on(def->user, error) : MRW_OK;
}

mrw_status mrwi_golden_frames_draw(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                                   mrwi_golden_findings *found, mrwi_golden_frame_task *task,
                                   const mrwi_golden_choice *some, mrw_error *error)
{
    const mrwi_golden_workers *workers = prepared->workers;
    const bool seen = (in->c->checks & MRW_CHECK_PIXELS) != 0;
    const uint32_t count = some ? some->count : prepared->pictures.count;
    mrw_picture *chosen = some ? mrwi_base_alloc(count, sizeof *chosen) : NULL;
    drawing d = {.in = in,
                 .prepared = prepared,
                 .found = found,
                 .task = task,
                 .pictures = some ? chosen : prepared->pictures.items,
                 .frames = some ? some->frames : NULL};
    const mrw_session_sink sink = {.user = &d,
                                   .put = put_frame,
                                   .aim = in->expected.cameras.items ? aim_as_other : aim_as_golden,
                                   .go_on = go_on,
                                   .host = in->host};
    if (some && !chosen) {
        return mrwi_base_fail_memory(error, count * sizeof *chosen);
    }
    for (uint32_t i = 0; some && i < count; i++) {
        chosen[i] = prepared->pictures.items[some->frames[i]];
    }
    mrw_status status =
        mrw_session_perform(&prepared->session, d.pictures, count,
                            seen ? workers->drawing : workers->posing, &sink, error);
    mrwi_base_free(chosen);
    return status;
}
