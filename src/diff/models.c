/* models.c: compares two models: loads both, begins a session of each, matches their joints and
 * clips by name, then compares clip by clip. */
#include "diff/diff.h"

#include "base/text.h"
#include "explain/parts.h"
#include "session/compare.h"
#include "session/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_NAMES 4 /* most joints that are named before "and 12 more" */

typedef mrwi_diff_models_state models;
typedef mrwi_diff_side side;

/* ---- loading --------------------------------------------------------------------------------- */

/* Loads a side. The camera of the file before sees both sides; the file after need not have it. */
static mrw_status load_side(models *m, int s, mrw_error *error)
{
    const mrwi_diff *diff = m->diff;
    side *x = &m->sides[s];
    x->settings = *diff->def->settings;
    x->settings.run.threads = (uint32_t)m->workers.count;
    x->settings.run.isa = diff->def->isa;
    x->settings.files.texture_memory /= 2; /* the same for both, so that they can be compared */
    if (s == 1) {
        x->settings.camera.names = (mrw_text_list){0};
    }
    mrw_status status = mrw_session_cache_load(m->cache, diff->paths[s], &x->settings,
                                               diff->def->host, &x->scene, error);
    if (status) {
        return status;
    }
    return mrw_session_model_init(diff->paths[s], x->scene, &x->settings, &x->model, error);
}

/* Begins and prepares the session of a side. One camera sees both sides; if it is placed by the
 * model's front, that is the front of side 0. */
static mrw_status begin_side(models *m, int s, mrw_error *error)
{
    side *x = &m->sides[s];
    mrw_status status = mrw_session_begin(&x->session, &x->model, true, error);
    if (status) {
        return status;
    }
    x->session.cache = m->cache;
    x->session.threads = m->workers.count;
    x->session.frame.targets = m->masks_nodes ? MRW_NODE_TARGETS : 0;
    status = mrw_session_prepare(&x->session, m->diff->def->host, error);
    if (status) {
        return status;
    }
    if (s == 1 && mrw_settings_finds_front(&x->settings)) {
        mrw_session_view view;
        status = mrw_session_find_view(&m->sides[0].model, 0, &view, error);
        if (status) {
            return status;
        }
        mrw_session_set_view(&x->session, &view.view);
    }
    return MRW_OK;
}

static void free_side(models *m, int s)
{
    side *x = &m->sides[s];
    mrw_session_free(&x->session);
    mrw_session_model_free(&x->model);
    mrw_session_cache_release(m->cache, x->scene);
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* Adds a masked node of each side that has one of that name. Fails if neither side has. */
static mrw_status find_mask_node(models *m, const char *name, mrw_error *error)
{
    mrw_error ignored;
    uint32_t found = 0, node;
    for (int s = 0; s < 2; s++) {
        side *x = &m->sides[s];
        if (!mrw_session_find_node(&x->model, name, &node, &ignored)) {
            x->mask_nodes[x->mask_node_count++] = node;
            found++;
        }
    }
    m->masks_nodes = true;
    return found > 0 ? MRW_OK : mrw_session_find_node(&m->sides[0].model, name, &node, error);
}

static mrw_status make_masks(models *m, mrw_error *error)
{
    const mrw_settings *settings = m->diff->def->settings;
    const mrw_text_list *masks = &settings->compare.masks;
    const size_t pixels = (size_t)settings->picture.width * settings->picture.height;
    for (int s = 0; s < 2; s++) {
        m->sides[s].mask_nodes = mrwi_base_arena_alloc(&m->arena, masks->count, sizeof(uint32_t));
        if (!m->sides[s].mask_nodes) {
            return mrwi_base_fail_memory(error, masks->count * sizeof(uint32_t));
        }
    }
    for (size_t i = 0; i < masks->count; i++) {
        mrw_mask mask;
        if (!mrw_mask_parse(masks->items[i], &mask)) {
            continue;
        }
        if (mask.kind == MRW_MASK_NODE) {
            mrw_status status = find_mask_node(m, mask.name, error);
            if (status) {
                return status;
            }
            continue;
        }
        if (!m->mask) {
            m->mask = mrwi_base_arena_alloc(&m->arena, pixels, 1);
            if (!m->mask) {
                return mrwi_base_fail_memory(error, pixels);
            }
            memset(m->mask, 0, pixels);
        }
        mrw_status status = mrwi_session_mask(&mask, settings->picture.width,
                                              settings->picture.height, m->mask, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

typedef mrwi_compare_named named;

/* Sorts the joints of one side that have no partner yet by name, or by name without namespaces if
 * `bare`. */
static uint32_t sort_joints(const mrwi_session_joints *places, const uint32_t *partner, bool bare,
                            named *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        const char *name = places->items[i].name;
        if (partner[i] == MRW_NONE) {
            out[count++] = (named){bare ? mrwi_base_without_namespace(name) : name, i};
        }
    }
    mrwi_compare_named_sort(out, count);
    return count;
}

/* Joints of both sides and their partners. Partners are joints of the same name, the first with the
 * first and so on; then, of the joints left, those whose names are the same without namespaces, as
 * --anim matches them. */
typedef struct joint_match {
    mrwi_session_joints all[2];
    named *sorted[2];
    uint32_t *partner[2]; /* MRW_NONE if there is none. */
} joint_match;

/* Finds partners among the joints that have none. bare: compare names without namespaces. */
static void match(joint_match *j, bool bare)
{
    const named *a = j->sorted[0], *b = j->sorted[1];
    const uint32_t na = sort_joints(&j->all[0], j->partner[0], bare, j->sorted[0]);
    const uint32_t nb = sort_joints(&j->all[1], j->partner[1], bare, j->sorted[1]);
    for (uint32_t i = 0, k = 0; i < na && k < nb;) {
        int order = strcmp(a[i].name, b[k].name);
        if (order == 0) {
            j->partner[0][a[i].index] = b[k].index;
            j->partner[1][b[k].index] = a[i].index;
        }
        i += order <= 0;
        k += order >= 0;
    }
}

/* A list of names: "Tail, Hat and 3 more". */
typedef struct name_list {
    mrw_text text;
    uint32_t count;
} name_list;

static void add_name(name_list *list, const char *name)
{
    char safe[100];
    if (list->count++ < MOST_NAMES) {
        mrw_text_add(&list->text, "%s%s", list->count > 1 ? ", " : "",
                     mrwi_base_escape(name, safe, sizeof safe));
    }
}

static void put_names(mrw_text *out, const char *what, name_list *list)
{
    if (list->count > 0) {
        mrw_text_add(out, "%s%s: %s", out->size > 0 ? "; " : "", what,
                     list->text.data ? list->text.data : "");
    }
    if (list->count > MOST_NAMES) {
        mrw_text_add(out, " and %u more", list->count - MOST_NAMES);
    }
    out->failed |= list->text.failed;
    mrw_text_free(&list->text);
}

/* Renames a root that has the name of the file, as some importers name it: that name says nothing.
 */
static void forget_file_name(const side *x, const char *path, mrwi_session_joints *places)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (uint32_t i = 0; i < places->count; i++) {
        mrwi_session_joint *place = &places->items[i];
        bool root = place->instance == 0 && x->scene->nodes[place->node].parent == MRW_NONE;
        if (root && (strcmp(place->name, file) == 0 || strcmp(place->name, x->model.name) == 0)) {
            place->name = "the root";
        }
    }
}

static mrw_status list_joints(models *m, joint_match *j, mrw_error *error)
{
    for (int s = 0; s < 2; s++) {
        mrw_status status =
            mrwi_session_joints_list(&m->sides[s].session, &m->arena, &j->all[s], error);
        if (status) {
            return status;
        }
        forget_file_name(&m->sides[s], m->diff->paths[s], &j->all[s]);
        const uint32_t count = j->all[s].count;
        j->sorted[s] = mrwi_base_arena_alloc(&m->arena, count, sizeof *j->sorted[s]);
        j->partner[s] = mrwi_base_arena_alloc(&m->arena, count, sizeof *j->partner[s]);
        if (!j->sorted[s] || !j->partner[s]) {
            return mrwi_base_fail_memory(error, count * sizeof *j->sorted[s]);
        }
        memset(j->partner[s], 0xFF, count * sizeof *j->partner[s]);
    }
    return MRW_OK;
}

/* Keeps the joints that both sides have, in the order and by the names of the file after, and
 * describes the other joints. */
static mrw_status match_joints(models *m, mrw_text *differences, mrw_error *error)
{
    joint_match j = {.sorted = {NULL, NULL}};
    name_list added = {.count = 0}, removed = {.count = 0};
    mrw_status status = list_joints(m, &j, error);
    if (status) {
        return status;
    }
    const uint32_t na = j.all[0].count, nb = j.all[1].count;
    m->sides[0].joints = mrwi_base_arena_alloc(&m->arena, nb, sizeof(mrwi_session_joint));
    m->sides[1].joints = mrwi_base_arena_alloc(&m->arena, nb, sizeof(mrwi_session_joint));
    if (!m->sides[0].joints || !m->sides[1].joints) {
        return mrwi_base_fail_memory(error, nb * sizeof(mrwi_session_joint));
    }
    match(&j, false);
    match(&j, true);
    for (uint32_t i = 0; i < nb; i++) {
        if (j.partner[1][i] == MRW_NONE) {
            add_name(&added, j.all[1].items[i].name);
            continue;
        }
        mrwi_session_joint *before = &m->sides[0].joints[m->joint_count];
        *before = j.all[0].items[j.partner[1][i]];
        before->name = j.all[1].items[i].name;
        m->sides[1].joints[m->joint_count++] = j.all[1].items[i];
    }
    for (uint32_t i = 0; i < na; i++) {
        if (j.partner[0][i] == MRW_NONE) {
            add_name(&removed, j.all[0].items[i].name);
        }
    }
    put_names(differences, "removed", &removed);
    put_names(differences, "added", &added);
    return differences->failed ? mrwi_base_fail_memory(error, differences->size) : MRW_OK;
}

/* ---- clips ----------------------------------------------------------------------------------- */

typedef struct clip_list {
    mrwi_diff_clip *items; /* in the arena */
    size_t count;
} clip_list;

/* Finds the clips of one side that a pattern of --clip names. NULL: all its clips, or its pose if
 * it has none ("all" would find a clip of that name). */
static mrw_status choose(const side *x, const char *pattern, mrw_session_clips *out,
                         mrw_error *error)
{
    const mrw_settings *own = x->model.settings;
    const uint32_t count = x->scene->clips_count;
    mrw_settings settings = *own;
    mrw_session_model model = x->model;
    if (!pattern && own->animation.pose == MRW_POSE_CLIP && count > 0 && !x->model.mix.fixed) {
        *out = (mrw_session_clips){mrwi_base_alloc(count, sizeof *out->items), count};
        for (uint32_t i = 0; out->items && i < count; i++) {
            out->items[i] = i;
        }
        return out->items ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *out->items);
    }
    settings.animation.clips = (mrw_text_list){&pattern, pattern ? 1 : 0};
    model.settings = &settings;
    return mrw_session_choose_clips(&model, out, error);
}

static bool is_chosen(const clip_list *list, int s, uint32_t clip)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].there[s] && list->items[i].clips[s] == clip) {
            return true;
        }
    }
    return false;
}

static const char *name_of(const models *m, const mrwi_diff_clip *clip)
{
    int s = clip->there[0] ? 0 : 1;
    return mrw_session_clip_name(&m->sides[s].model, clip->clips[s]);
}

/* Returns the first clip of side 0 that has that name and no partner; NULL if there is none. */
static mrwi_diff_clip *find_partner(const models *m, clip_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        mrwi_diff_clip *clip = &list->items[i];
        if (clip->there[0] && !clip->there[1] && strcmp(name_of(m, clip), name) == 0) {
            return clip;
        }
    }
    return NULL;
}

/* Adds the clips of one side that are not listed yet; those of side 1 join their partners. */
static void add_clips(const models *m, int s, const mrw_session_clips *found, clip_list *list)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const char *name = mrw_session_clip_name(&m->sides[s].model, found->items[i]);
        mrwi_diff_clip *clip = s == 1 ? find_partner(m, list, name) : NULL;
        if (is_chosen(list, s, found->items[i])) {
            continue;
        }
        if (!clip) {
            clip = &list->items[list->count++];
            *clip = (mrwi_diff_clip){.there = {false, false}};
        }
        clip->clips[s] = found->items[i];
        clip->there[s] = true;
    }
}

/* Adds the clips that a pattern names. It must name a clip of at least one side. */
static mrw_status add_pattern(const models *m, const char *pattern, clip_list *before,
                              clip_list *after, mrw_error *error)
{
    clip_list *lists[2] = {before, after};
    mrw_status statuses[2];
    mrw_error why[2];
    for (int s = 0; s < 2; s++) {
        mrw_session_clips found = {0};
        statuses[s] = choose(&m->sides[s], pattern, &found, &why[s]);
        if (statuses[s] && statuses[s] != MRW_ERROR_INPUT) {
            return mrwi_base_fail(error, statuses[s], "%s", why[s].text);
        }
        if (!statuses[s]) {
            add_clips(m, s, &found, lists[s]);
        }
        mrw_session_clips_free(&found);
    }
    if (statuses[0] && statuses[1]) {
        return mrwi_base_fail(error, statuses[0], "%s", why[0].text);
    }
    return MRW_OK;
}

static mrw_status choose_all(const models *m, clip_list *before, clip_list *after, mrw_error *error)
{
    const mrw_text_list *patterns = &m->diff->def->settings->animation.clips;
    if (patterns->count == 0 || m->sides[0].model.mix.fixed) {
        return add_pattern(m, NULL, before, after, error);
    }
    for (size_t i = 0; i < patterns->count; i++) {
        mrw_status status = add_pattern(m, patterns->items[i], before, after, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static bool any_in_both(const clip_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].there[0] && list->items[i].there[1]) {
            return true;
        }
    }
    return false;
}

/* Lists the clips of side 0 in their order, each with its partner, then the clips that only side 1
 * has. A model without clips is in its rest pose, which is left out if the other model plays clips.
 */
static mrw_status choose_clips(models *m, clip_list *out, mrw_error *error)
{
    const size_t most = (size_t)m->sides[0].scene->clips_count + m->sides[1].scene->clips_count + 3;
    clip_list after = {.items = mrwi_base_arena_alloc(&m->arena, most, sizeof *after.items)};
    *out = (clip_list){.items = mrwi_base_arena_alloc(&m->arena, most, sizeof *out->items)};
    if (!after.items || !out->items) {
        return mrwi_base_fail_memory(error, most * sizeof *out->items);
    }
    mrw_status status = choose_all(m, out, &after, error);
    if (status) {
        return status;
    }
    bool poses = out->count == 1 && out->items[0].clips[0] == MRW_NONE;
    bool posed = after.count == 1 && after.items[0].clips[1] == MRW_NONE;
    if (poses != posed) {
        *(poses ? out : &after) = (clip_list){.items = poses ? out->items : after.items};
    }
    for (size_t i = 0; i < after.count; i++) {
        const mrw_session_clips one = {&after.items[i].clips[1], 1};
        add_clips(m, 1, &one, out);
    }
    if (poses != posed && !any_in_both(out)) {
        out->items[out->count++] =
            (mrwi_diff_clip){.clips = {MRW_NONE, MRW_NONE}, .there = {true, true}};
    }
    return MRW_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static mrw_status list_pictures(const models *m, mrwi_diff_clip *clip, mrw_error *error)
{
    const side *x = &m->sides[0];
    mrw_frame_span span = {.duration = mrw_session_clip_duration(&x->model, clip->clips[0]),
                           .rate = mrw_session_time_rate(&x->model, clip->clips[0])};
    mrw_frame_list frames;
    mrw_error why;
    span.last_frame = mrw_last_frame(span.duration, span.rate);
    mrw_status status = mrw_settings_frames(&x->settings, &span, true, &frames, &why);
    if (status) {
        char safe[300], name[300];
        return mrwi_base_fail(error, status, "%s: clip %s: %s",
                              mrwi_base_escape(m->diff->paths[0], safe, sizeof safe),
                              mrwi_base_escape(name_of(m, clip), name, sizeof name), why.text);
    }
    mrw_picture *items = mrwi_base_alloc(frames.count, sizeof *items);
    for (size_t i = 0; items && i < frames.count; i++) {
        const mrw_frame_choice *at = &frames.items[i];
        items[i] = (mrw_picture){
            .index = (uint32_t)i,
            .clip = clip->clips[0],
            .frame = at->number,
            .time = at->time,
            .play_time = x->settings.animation.wrap == MRW_TIME_LOOP ? at->asked : at->time,
        };
    }
    clip->pictures =
        (mrw_picture_list){.items = items, .count = (uint32_t)frames.count, .view_count = 1};
    mrw_frame_list_free(&frames);
    if (!items) {
        return mrwi_base_fail_memory(error, clip->pictures.count * sizeof *items);
    }
    mrw_picture_list_share(&clip->pictures, &x->settings, 0);
    return MRW_OK;
}

static bool is_taken(const clip_list *list, size_t count, const char *safe)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(list->items[i].safe, safe) == 0) {
            return true;
        }
    }
    return false;
}

/* Chooses the folder and the name of a clip's pictures, which no other clip has. */
static mrw_status name_files(models *m, const clip_list *list, size_t index, mrw_error *error)
{
    mrwi_diff_clip *clip = &list->items[index];
    const char *out = m->diff->def->out;
    char safe[201];
    mrw_safe_file_name(name_of(m, clip), safe, sizeof safe);
    clip->safe = mrwi_base_format(&m->arena, "%s", safe);
    for (size_t n = 2; clip->safe && is_taken(list, index, clip->safe); n++) {
        clip->safe = mrwi_base_format(&m->arena, "%s-%zu", safe, n);
    }
    clip->folder = out ? mrwi_base_format(&m->arena, "%s/%s", out, clip->safe) : NULL;
    return clip->safe && (clip->folder || !out) ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Names the files of all clips and lists their pictures. Adds the number of pictures to *count. */
static mrw_status plan_clips(models *m, clip_list *list, size_t *count, mrw_error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        mrwi_diff_clip *clip = &list->items[i];
        mrw_status status = name_files(m, list, i, error);
        if (status) {
            return status;
        }
        if (clip->there[0] && clip->there[1]) {
            status = list_pictures(m, clip, error);
            if (status) {
                return status;
            }
        }
        *count += clip->pictures.count;
    }
    return MRW_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Sets the message and the outcome of a case. */
static mrw_status say(models *m, mrw_case_result *result, bool bad, const char *text,
                      mrw_error *error)
{
    result->message = mrwi_report_text(m->diff->results, text);
    result->outcome = bad ? MRW_FAILED : MRW_PASSED;
    return result->message ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static mrw_status begin_case(models *m, mrw_case_result *result, const char *suite,
                             const char *name, mrw_error *error)
{
    char hashes[2][65];
    for (int s = 0; s < 2; s++) {
        mrw_scene_hash_text(m->sides[s].scene, hashes[s]);
    }
    mrw_status status = mrwi_diff_name_case(m->diff, result, suite, name, m->diff->paths[0],
                                            m->diff->paths[1], error);
    if (status) {
        return status;
    }
    result->golden_scene_hash = mrwi_report_text(m->diff->results, hashes[0]);
    result->scene_hash = mrwi_report_text(m->diff->results, hashes[1]);
    return result->golden_scene_hash && result->scene_hash ? MRW_OK
                                                           : mrwi_base_fail_memory(error, 65);
}

/* Fills in the cases: the joints, if they differ, then all clips. */
static mrw_status run_clips(models *m, clip_list *list, const mrw_text *joints, mrw_error *error)
{
    const size_t extra = joints->size > 0;
    mrw_status status =
        mrwi_diff_cases(m->diff->results, m->diff->compare.mode, list->count + extra, error);
    if (status) {
        return status;
    }
    mrw_case_result *cases = m->diff->results->cases;
    if (extra) {
        status = begin_case(m, &cases[0], "model", "joints", error);
        if (status) {
            return status;
        }
        status = say(m, &cases[0], true, joints->data, error);
        if (status) {
            return status;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        mrwi_diff_clip *clip = &list->items[i];
        char text[600], safe[512];
        clip->result = &cases[i + extra];
        status = begin_case(m, clip->result, "clips", name_of(m, clip), error);
        if (status) {
            return status;
        }
        if (clip->there[0] && clip->there[1]) {
            status = mrwi_diff_clip_run(m, clip, error);
        } else {
            snprintf(text, sizeof text, "this clip is only in %s",
                     mrwi_base_escape(m->diff->paths[clip->there[0] ? 0 : 1], safe, sizeof safe));
            status = say(m, clip->result, true, text, error);
        }
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Passes all clips without drawing them, because both models are the same scene. */
static mrw_status pass_all(models *m, const clip_list *list, mrw_error *error)
{
    mrw_status status =
        mrwi_diff_cases(m->diff->results, m->diff->compare.mode, list->count, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < list->count; i++) {
        mrw_case_result *result = &m->diff->results->cases[i];
        status = begin_case(m, result, "clips", name_of(m, &list->items[i]), error);
        if (status) {
            return status;
        }
        status = say(m, result, false, "the same scene", error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static void note(void *user, const char *line)
{
    const mrw_session_host *const *host = user;
    mrwi_session_note(*host, line);
}

/* Compares two models that are not the same scene. */
static mrw_status draw_all(models *m, clip_list *list, mrw_error *error)
{
    mrw_text joints = {0};
    const mrw_session_host *host = m->diff->def->host;
    mrw_status status =
        mrwi_explain_scenes(m->sides[0].scene, m->sides[1].scene, note, &host, error);
    if (status) {
        return status;
    }
    status = make_masks(m, error);
    if (status) {
        return status;
    }
    for (int s = 0; s < 2; s++) {
        status = begin_side(m, s, error);
        if (status) {
            return status;
        }
    }
    status = match_joints(m, &joints, error);
    if (status) {
        goto out;
    }
    m->workers.items = mrwi_base_alloc_zero((size_t)m->workers.count, sizeof *m->workers.items);
    if (!m->workers.items) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    status = mrw_crew_create(mrw_backend_software(), m->workers.count, &m->workers.crew, error);
    if (status) {
        goto out;
    }
    status = run_clips(m, list, &joints, error);
out:
    for (int i = 0; m->workers.items && i < m->workers.count; i++) {
        mrwi_diff_worker *worker = &m->workers.items[i];
        mrw_image_free(&worker->image);
        mrwi_base_free(worker->after);
        mrwi_base_free(worker->poses[0].joints);
        mrwi_base_free(worker->poses[1].joints);
        mrwi_base_free(worker->mask);
    }
    mrwi_base_free(m->workers.items);
    mrw_crew_free(m->workers.crew);
    mrw_text_free(&joints);
    return status;
}

mrw_status mrwi_diff_models(const mrwi_diff *diff, mrw_error *error)
{
    models m = {.diff = diff,
                .workers = {.count = diff->def->threads > 1 ? diff->def->threads : 1}};
    clip_list list = {0};
    mrw_status status = MRW_OK;
    if (diff->def->settings->model.added.count > 0) {
        status = mrw_session_cache_create(&m.cache, error);
        if (status) {
            goto out;
        }
    }
    for (int s = 0; s < 2; s++) {
        status = load_side(&m, s, error);
        if (status) {
            goto out;
        }
    }
    status = choose_clips(&m, &list, error);
    if (status) {
        goto out;
    }
    status = plan_clips(&m, &list, &diff->progress->count, error);
    if (status) {
        goto out;
    }
    const bool same =
        memcmp(mrw_scene_hash(m.sides[0].scene), mrw_scene_hash(m.sides[1].scene), 32) == 0;
    status = same ? pass_all(&m, &list, error) : draw_all(&m, &list, error);
out:
    for (size_t i = 0; i < list.count; i++) {
        mrw_picture_list_free(&list.items[i].pictures);
    }
    free_side(&m, 0);
    free_side(&m, 1);
    mrw_session_cache_free(m.cache);
    mrwi_base_arena_free(&m.arena);
    return status;
}
