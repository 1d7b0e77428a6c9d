/* promote.c: makes results of a case its goldens. Goldens that are not taken stay, so text files
 * are merged frame by frame. */
#include "golden/promote.h"

#include "base/file.h"
#include "base/text.h"
#include "golden/expected.h"
#include "golden/names.h"
#include "golden/scene_files.h"
#include "image/file.h"

#include <stdio.h>
#include <string.h>

/* Goldens and results of the case. */
typedef struct merge {
    const mrwi_golden_promotion *p;
    mrwi_base_arena arena;
    mrwi_golden_expected goldens; /* Damaged parts count as missing. */
    mrwi_golden_expected results;
} merge;

static mrw_status begin(merge *m, mrw_error *error)
{
    const mrw_case *c = m->p->c;
    char safe[512];
    mrw_status status = mrwi_golden_expected_read(m->p->results, c->checks, c->store_hash,
                                                  &m->arena, &m->results, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_expected_read(c->golden, c->checks, c->store_hash, &m->arena, &m->goldens,
                                       error);
    if (status) {
        return status;
    }
    const char *fault = m->results.stored_file.fault  ? m->results.stored_file.fault
                        : m->results.poses_file.fault ? m->results.poses_file.fault
                                                      : m->results.boxes_file.fault;
    if (fault) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s; run marrow test again", fault);
    }
    if (!m->results.stored_file.there) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s/golden.txt: these results are incomplete; run marrow test again",
                              mrwi_base_escape(m->p->results, safe, sizeof safe));
    }
    return MRW_OK;
}

static mrw_status copy_picture(const merge *m, const char *name, mrw_error *error)
{
    char from[4096], to[MRWI_BASE_PATH_MAX];
    mrw_bytes bytes;
    snprintf(from, sizeof from, "%s/%s.png", m->p->results, name);
    mrwi_golden_names_path(m->p->c->golden, name, to);
    mrw_status status = mrwi_base_read_file(from, MRWI_GOLDEN_PICTURE_SIZE, &bytes, NULL, error);
    if (status) {
        return status;
    }
    status = mrwi_image_file_keep(to, bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    return status;
}

/* Copies GOLDEN/SUITE. */
static void suite_of(const merge *m, char out[MRWI_BASE_PATH_MAX])
{
    snprintf(out, MRWI_BASE_PATH_MAX, "%s", m->p->c->golden);
    mrwi_base_cut_parts(out, m->results.stored.backend ? 2 : 1);
}

/* Refuses to replace Git LFS pointers before anything is written. */
static mrw_status check_goldens(const merge *m, mrw_error *error)
{
    static const char *const texts[] = {"golden.txt", "pose.txt", "bounds.txt"};
    mrw_status status;
    char path[MRWI_BASE_PATH_MAX];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(path, sizeof path, "%s/%s", m->p->c->golden, texts[i]);
        status = mrwi_base_check_stand_in(path, error);
        if (status) {
            return status;
        }
    }
    for (uint32_t i = 0; i < m->p->count; i++) {
        mrwi_golden_names_path(m->p->c->golden, m->p->names[i], path);
        status = mrwi_base_check_stand_in(path, error);
        if (status) {
            return status;
        }
    }
    suite_of(m, path);
    const mrwi_golden_stored *const stored[] = {&m->results.stored, &m->goldens.stored};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < stored[k]->scene_count; i++) {
            const mrwi_golden_stored_scene *scene = &stored[k]->scenes[i];
            if (scene->parts.count == 0) { /* its file is not written */
                continue;
            }
            status = mrwi_golden_scene_file_check(path, scene->hash, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

static mrw_status write_text(const merge *m, const char *name, mrw_text *text, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", m->p->c->golden, name);
    mrw_status status = text->failed ? mrwi_base_fail_memory(error, text->size)
                                     : mrwi_image_file_keep(path, text->data, text->size, error);
    mrw_text_free(text);
    return status;
}

/* ---- the three text files -------------------------------------------------------------------- */

static mrw_status write_poses(const merge *m, mrw_error *error)
{
    mrw_text text = {0};
    bool any = false;
    mrwi_golden_poses_begin(&text);
    for (uint32_t i = 0; i < m->p->count; i++) {
        bool take = (m->p->take[i] & MRW_CHECK_POSE) != 0;
        const mrwi_golden_poses *from = take ? &m->results.poses : &m->goldens.poses;
        const mrwi_compare_pose *pose = mrwi_golden_poses_find(from, m->p->names[i], i);
        any |= take;
        if (pose) {
            mrwi_golden_poses_add(&text, pose);
        }
    }
    if (!any) {
        mrw_text_free(&text);
        return MRW_OK;
    }
    return write_text(m, "pose.txt", &text, error);
}

static mrw_status write_boxes(const merge *m, mrw_error *error)
{
    mrw_text text = {0};
    bool any = false;
    mrwi_golden_boxes_begin(&text);
    for (uint32_t i = 0; i < m->p->count; i++) {
        bool take = (m->p->take[i] & MRW_CHECK_BOUNDS) != 0;
        const mrwi_golden_boxes *from = take ? &m->results.boxes : &m->goldens.boxes;
        const mrwi_compare_box *box = mrwi_golden_boxes_find(from, m->p->names[i], i);
        any |= take;
        if (box) {
            mrwi_golden_boxes_add(&text, box);
        }
    }
    if (!any) {
        mrw_text_free(&text);
        return MRW_OK;
    }
    return write_text(m, "bounds.txt", &text, error);
}

/* Adds the time and the view of a frame: the golden's, if that stays. */
static void add_time(const merge *m, uint32_t index, mrwi_golden_stored *out)
{
    const mrwi_golden_stored *from = &m->goldens.stored;
    const char *name = m->p->names[index];
    const mrwi_golden_stored_time *time =
        m->p->take[index] == 0 ? mrwi_golden_stored_time_of(from, name, index) : NULL;
    if (!time) {
        from = &m->results.stored;
        time = mrwi_golden_stored_time_of(from, name, index);
    }
    if (!time) {
        return;
    }
    mrwi_golden_stored_time *own = &out->times[out->time_count++];
    *own = (mrwi_golden_stored_time){name, time->seconds, MRW_NONE};
    if (time->view != MRW_NONE) {
        const mrwi_golden_view *view = &from->views[time->view];
        own->view = 0;
        while (own->view < out->view_count &&
               !mrwi_golden_view_same(&out->views[own->view], view)) {
            own->view++;
        }
        out->views[own->view] = *view;
        out->view_count += own->view == out->view_count;
    }
}

/* Keeps the models and the suite of the goldens, since some frames of theirs stay. */
static void keep_inputs(const mrwi_golden_stored *from, mrwi_golden_stored *out)
{
    if (from->version < 3 || from->scene_count != out->scene_count) {
        return;
    }
    out->pixel_version = from->pixel_version;
    out->scene_formula = from->scene_formula;
    out->scenes = from->scenes;
    out->width = from->width;
    out->height = from->height;
    out->options = from->options;
    out->option_count = from->option_count;
}

/* Moves the parts of models into files that all cases of the suite share. */
static mrw_status write_scenes(merge *m, const char *folder, mrwi_golden_stored *stored,
                               mrw_error *error)
{
    const uint32_t count = stored->scene_count;
    mrwi_golden_stored_scene *scenes = mrwi_base_arena_alloc(&m->arena, count, sizeof *scenes);
    if (!scenes) {
        return mrwi_base_fail_memory(error, count * sizeof *scenes);
    }
    for (uint32_t i = 0; i < count; i++) {
        /* keep_inputs makes sure that the results have as many scenes */
        const mrwi_golden_stored_scene *now = &m->results.stored.scenes[i];
        scenes[i] = stored->scenes[i];
        if (strcmp(scenes[i].hash, now->hash) == 0) {
            scenes[i].parts = now->parts; /* goldens may have lost theirs */
        }
        if (stored->scene_formula == MRW_SCENE_FORMULA) { /* files of other formulas are not read */
            mrw_status status = mrwi_golden_scene_file_write(folder, &scenes[i], error);
            if (status) {
                return status;
            }
        }
        scenes[i].parts = (mrwi_explain_part_list){0};
    }
    stored->scenes = scenes;
    return MRW_OK;
}

static mrw_status write_stored(merge *m, mrw_error *error)
{
    const uint32_t count = m->p->count;
    mrwi_golden_stored stored = m->results.stored;
    mrw_text text = {0};
    char folder[MRWI_BASE_PATH_MAX];
    stored.frames = mrwi_base_arena_alloc(&m->arena, count, sizeof *stored.frames);
    stored.times = mrwi_base_arena_alloc(&m->arena, count, sizeof *stored.times);
    stored.views = mrwi_base_arena_alloc(&m->arena, count, sizeof *stored.views);
    stored.frame_count = stored.time_count = stored.view_count = 0;
    if (m->p->partial) {
        keep_inputs(&m->goldens.stored, &stored);
    }
    if (!stored.frames || !stored.times || !stored.views) {
        return mrwi_base_fail_memory(error, count * sizeof *stored.frames);
    }
    for (uint32_t i = 0; i < count; i++) {
        bool take = (m->p->take[i] & MRW_CHECK_PIXELS) != 0;
        const mrwi_golden_stored *from = take ? &m->results.stored : &m->goldens.stored;
        const mrwi_golden_stored_frame *frame = mrwi_golden_stored_find(from, m->p->names[i], i);
        mrwi_golden_stored_frame *out = &stored.frames[stored.frame_count++];
        *out = (mrwi_golden_stored_frame){.name = m->p->names[i]};
        if (frame && m->p->c->store_hash) {
            *out = *frame;
        }
        out->empty = mrwi_golden_stored_empty(from, m->p->names[i]);
        add_time(m, i, &stored);
    }
    suite_of(m, folder);
    const int lock = mrwi_golden_scene_files_lock(folder);
    mrw_status status = write_scenes(m, folder, &stored, error);
    if (!status) {
        mrwi_golden_stored_write(&stored, &text);
        status = write_text(m, "golden.txt", &text, error);
    }
    mrwi_golden_scene_files_unlock(lock);
    return status;
}

mrw_status mrwi_golden_promote(const mrwi_golden_promotion *promotion, mrw_error *error)
{
    merge m = {.p = promotion};
    mrw_status status = begin(&m, error);
    if (status) {
        goto out;
    }
    status = check_goldens(&m, error);
    if (status) {
        goto out;
    }
    status = mrw_make_folder(promotion->c->golden, NULL, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < promotion->count; i++) {
        if (promotion->pictures[i]) {
            status = copy_picture(&m, promotion->names[i], error);
            if (status) {
                goto out;
            }
        }
    }
    status = write_poses(&m, error);
    if (status) {
        goto out;
    }
    status = write_boxes(&m, error);
    if (status) {
        goto out;
    }
    status = write_stored(&m, error);
out:
    mrwi_base_arena_free(&m.arena);
    return status;
}
