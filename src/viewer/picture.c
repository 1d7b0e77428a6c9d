/* picture.c: writes the state as a line and draws it as `marrow render` does. */
#include "internal.h"

#include <marrow/codecs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the session of a line ------------------------------------------------------------------- */

void viewer_drawing_end(viewer_drawing *d, viewer_base *current)
{
    if (d->line.begun) {
        mrw_session_free(&d->line.session);
        mrw_session_model_free(&d->line.model);
    }
    d->line.begun = d->last.valid = d->last.other_valid = d->last.ids_valid = false;
    if (d->line.base &&
        d->line.base->settings.model.added.count > 0) { /* the cache may borrow from it */
        d->line.base->next = current->next;
        current->next = d->line.base;
    } else {
        viewer_base_free(d->line.base);
    }
    d->line.base = NULL;
    free(d->line.key);
    free(d->line.view);
    free(d->line.shine);
    free(d->line.lights);
    d->line.key = d->line.view = d->line.shine = NULL;
    d->line.lights = NULL;
}

/* The three parts of a line that viewer_drawn_line keeps as text. */
typedef enum part { PART_KEY, PART_VIEW, PART_SHINE } part;

/* Joins the words of a part, without the time. Returns NULL without memory; the caller frees it. */
static char *join(const viewer_line_parts *parts, part wanted)
{
    mrw_text text = {0};
    viewer_words some = {0};
    for (size_t i = 0; i < parts->words.count; i++) {
        const part is = i >= parts->camera_from                      ? PART_VIEW
                        : i - parts->light_from < parts->light_count ? PART_SHINE
                                                                     : PART_KEY;
        if (is == wanted && (i != parts->time_at || i == 0)) {
            viewer_words_add(&some, parts->words.items[i]);
        }
    }
    mrw_text_puts(&text, "");
    viewer_words_join(&some, &text);
    char *out = some.failed || text.failed ? NULL : viewer_copy(text.data);
    viewer_words_free(&some);
    mrw_text_free(&text);
    return out;
}

static mrw_status begin(viewer *v, viewer_base *base, mrw_error *error)
{
    viewer_drawing *d = &v->drawing;
    viewer_drawing_end(&v->drawing, v->loaded.base);
    d->line.base = base;
    d->line.begun = d->line.aimed = false;
    mrw_status status = mrw_session_model_init(v->state.path, v->loaded.scene, &base->settings,
                                               &d->line.model, error);
    if (status) {
        return status;
    }
    status = mrw_session_begin(&d->line.session, &d->line.model,
                               mrw_session_wants_sequence(&base->settings), error);
    if (status) {
        mrw_session_model_free(&d->line.model);
        return status;
    }
    d->line.begun = true;
    d->line.session.cache = d->cache;
    return mrw_session_prepare(&d->line.session, v->def.host, error);
}

/* Returns true if the session draws the settings once its camera is changed. */
static bool sees_only(const viewer_drawing *d, const mrw_settings *settings)
{
    const mrw_fit fit = mrw_session_fit(settings, mrw_session_wants_sequence(settings));
    return fit == d->line.session.fit && settings->camera.names.count == 0 &&
           d->line.session.frame.scene_camera == MRW_NONE;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Moves the session's lights if the settings have the same lights in other places. Returns false
 * if they have others, or without memory. */
static bool light_only(viewer_drawing *d, const mrw_settings *settings)
{
    mrw_frame_def *frame = &d->line.session.frame;
    const mrw_light_settings *before = &d->line.base->settings.lights, *after = &settings->lights;
    bool same = before->count == after->count && before->count == frame->light_count &&
                frame->rig == (mrw_rig_use)settings->picture.rig &&
                memcmp(frame->ambient, settings->picture.ambient, sizeof frame->ambient) == 0;
    for (size_t i = 0; same && i < after->count; i++) {
        same = before->items[i].space == after->items[i].space &&
               same_text(before->items[i].node, after->items[i].node);
    }
    mrw_light_def *lights = same ? malloc((after->count + 1) * sizeof *lights) : NULL;
    for (size_t i = 0; lights && i < after->count; i++) {
        lights[i] = mrw_session_light_def(&after->items[i]);
        lights[i].node = frame->lights[i].node;
    }
    if (lights) {
        frame->lights = lights;
        free(d->line.lights);
        d->line.lights = lights;
    }
    return lights;
}

/* Changes camera and lights of the session. Returns false if that is not enough: then another
 * session is needed. */
static bool change(viewer_drawing *d, const mrw_settings *settings, const char *key,
                   const char *view, const char *shine)
{
    const bool same_view = same_text(d->line.view, view),
               same_shine = same_text(d->line.shine, shine);
    if (!d->line.begun || !same_text(d->line.key, key) || !(same_view || sees_only(d, settings)) ||
        !(same_shine || light_only(d, settings))) {
        return false;
    }
    if (!same_view) {
        const mrw_view_def def = mrw_session_view_def(settings);
        mrw_session_set_view(&d->line.session, &def);
        d->line.aimed = false;
    }
    return true;
}

/* Makes the session that draws a line whose parts are key, view and shine: changes the one there
 * is, or begins another. */
static mrw_status make_session(viewer *v, const viewer_words *line, const char *key,
                               const char *view, const char *shine, mrw_error *error)
{
    viewer_base *base;
    if (!key || !view || !shine) {
        return viewer_fail_memory(error);
    }
    mrw_status status =
        viewer_base_read((int)line->count, (const char *const *)line->items, &base, error);
    if (status) {
        return status;
    }
    if (!change(&v->drawing, &base->settings, key, view, shine)) {
        return begin(v, base, error);
    }
    viewer_base_free(base);
    return MRW_OK;
}

/* Makes sure that there is a session that draws the state. */
static mrw_status update_session(viewer *v, mrw_error *error)
{
    viewer_drawing *d = &v->drawing;
    viewer_line_parts parts;
    mrw_status status = viewer_line_make(v, true, &parts, error);
    if (status) {
        return status;
    }
    char *key = join(&parts, PART_KEY), *view = join(&parts, PART_VIEW);
    char *shine = join(&parts, PART_SHINE);
    if (d->line.begun && key && same_text(d->line.key, key) && same_text(d->line.view, view) &&
        same_text(d->line.shine, shine)) {
        goto out;
    }
    d->last.valid = d->last.other_valid = d->last.ids_valid = false;
    status = make_session(v, &parts.words, key, view, shine, error);
    free(d->line.key);
    free(d->line.view);
    free(d->line.shine);
    d->line.key = d->line.view = d->line.shine = NULL;
    if (status) {
        goto out;
    }
    d->line.key = key;
    d->line.view = view;
    d->line.shine = shine;
    key = view = shine = NULL;
out:
    free(key);
    free(view);
    free(shine);
    viewer_words_free(&parts.words);
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static mrw_status copy_image(const mrw_image *from, mrw_image *to, mrw_error *error)
{
    if (to->width != from->width || to->height != from->height || to->channels != from->channels ||
        to->format != from->format) {
        mrw_image_free(to);
        mrw_status status =
            mrw_image_create_as(from->format, from->width, from->height, from->channels, to, error);
        if (status) {
            return status;
        }
    }
    memcpy(to->pixels, from->pixels,
           (size_t)from->width * from->height * from->channels * mrw_format_size(from->format));
    return MRW_OK;
}

/* Copies the mask of a picture's subject, which goes into PNGs. */
static mrw_status copy_subject(const mrw_image *image, uint8_t **subject, mrw_error *error)
{
    const size_t size = (size_t)image->width * image->height;
    free(*subject);
    *subject = image->subject ? malloc(size) : NULL;
    if (image->subject && !*subject) {
        return viewer_fail_memory(error);
    }
    if (image->subject) {
        memcpy(*subject, image->subject, size);
    }
    return MRW_OK;
}

static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    viewer_drawing *d = user;
    if (d->drawing_other) {
        return copy_image(frame->image, &d->last.other, error);
    }
    mrw_status status = MRW_OK;
    if (!d->only_ids) {
        status = copy_subject(frame->image, &d->last.subject, error);
        if (status) {
            return status;
        }
        status = copy_image(frame->image, &d->last.picture, error);
    }
    if (status || frame->def->targets == 0) {
        return status;
    }
    const mrw_image *ids = mrw_frame_target(frame->renderer, MRW_TARGET_ID);
    const mrw_image *triangles = mrw_frame_target(frame->renderer, MRW_TARGET_TRIANGLE);
    if (!ids || !triangles) {
        return mrw_fail(error, MRW_ERROR_DISPLAY, "this backend does not report what it drew");
    }
    status = copy_image(ids, &d->last.ids, error);
    return status ? status : copy_image(triangles, &d->last.triangles, error);
}

/* Places the camera. One placement serves a whole clip, unless each picture is framed on its own.
 */
static mrw_status aim(void *user, mrw_session *session, const mrw_picture *picture,
                      mrw_error *error)
{
    viewer_drawing *d = user;
    if (d->line.aimed && d->line.clip == picture->clip && session->fit != MRW_FIT_FRAME) {
        return MRW_OK;
    }
    mrw_status status = mrw_session_aim(session, error);
    d->line.aimed = !status;
    d->line.clip = picture->clip;
    return status;
}

void viewer_drawing_forget(viewer_drawing *d)
{
    mrw_crew_free(d->crews[1]);
    d->crews[1] = NULL;
}

/* Makes the crew of a backend. One thread draws with the second, because a device has one queue. */
static mrw_status make_crew(const viewer_def *def, bool second, viewer_drawing *d, mrw_error *error)
{
    const mrw_backend *backend = def->backend;
    if (d->crews[second]) {
        return MRW_OK;
    }
    if (second) {
        mrw_status status = def->second
                                ? def->second(def->user, &backend, error)
                                : mrw_fail(error, MRW_ERROR_DISPLAY, "there is no other backend");
        if (status) {
            return status;
        }
    }
    return mrw_crew_create(backend, second ? 1 : d->line.session.threads, &d->crews[second], error);
}

/* Returns true if the picture gets one sample per pixel: OpenGL draws samples one after another, so
 * it draws one while something moves. Two pictures that are compared have all samples. */
static bool is_coarse(const viewer *v)
{
    const bool moves =
        v->state.play.clock.playing
            ? v->state.play.clock.timing.last > 0
            : v->window.flight.held != 0 || (v->window.mouse.drag != VIEWER_DRAG_NONE &&
                                             v->window.mouse.drag != VIEWER_DRAG_TIME);
    return moves && v->state.second && v->pair.layout == VIEWER_ALONE && !v->drawing.exact;
}

static mrw_status draw(const viewer_def *def, const viewer_playback *play, bool second,
                       viewer_drawing *d, mrw_error *error)
{
    const mrw_picture picture = {.clip = d->line.model.mix.fixed ? d->line.model.mix.tracks[0].clip
                                                                 : play->clip,
                                 .frame = play->clock.frame,
                                 .time = play->clock.time,
                                 .play_time = play->clock.play_time};
    const mrw_session_sink sink = {.user = d, .put = receive, .aim = aim};
    mrw_status status = make_crew(def, second, d, error);
    if (status) {
        return status;
    }
    return mrw_session_perform(&d->line.session, &picture, 1, d->crews[second], &sink, error);
}

mrw_status viewer_picture_other(viewer *v, mrw_error *error)
{
    viewer_drawing *d = &v->drawing;
    if (d->last.other_valid) {
        return MRW_OK;
    }
    d->drawing_other = true;
    mrw_status status = draw(&v->def, &v->state.play, !v->state.second, d, error);
    d->drawing_other = false;
    d->last.other_valid = !status;
    v->overlay.dirty = true;
    return status;
}

mrw_status viewer_picture(viewer *v, mrw_error *error)
{
    viewer_drawing *d = &v->drawing;
    mrw_status status = update_session(v, error);
    if (status) {
        return status;
    }
    const bool coarse = is_coarse(v);
    if (d->last.valid && d->last.time == v->state.play.clock.play_time &&
        d->last.coarse <= coarse) {
        return MRW_OK;
    }
    const bool ids = v->overlay.edges && !v->state.second; /* cheap while drawing the picture */
    const uint32_t samples = d->line.session.frame.samples;
    d->last.other_valid = false;
    d->line.session.frame.targets = ids ? MRW_NODE_TARGETS : 0;
    d->line.session.frame.samples = coarse ? 1 : samples;
    status = draw(&v->def, &v->state.play, v->state.second, d, error);
    d->line.session.frame.targets = 0;
    d->line.session.frame.samples = samples;
    d->last.coarse = coarse;
    v->window.rate.count++;
    d->last.ids_valid = ids && !status;
    d->last.valid = !status;
    d->last.time = v->state.play.clock.play_time;
    v->overlay.dirty = true;
    return status;
}

mrw_status viewer_picture_ids(viewer *v, mrw_error *error)
{
    viewer_drawing *d = &v->drawing;
    mrw_status status = viewer_picture(v, error);
    if (status || d->last.ids_valid) {
        return status;
    }
    d->line.session.frame.targets = MRW_NODE_TARGETS;
    d->only_ids = true;
    status = draw(&v->def, &v->state.play, false, d, error);
    d->only_ids = false;
    d->line.session.frame.targets = 0;
    d->last.ids_valid = !status;
    return status;
}

/* ---- camera and bounding box ----------------------------------------------------------------- */

mrw_status viewer_picture_camera(const viewer_drawing *d, mrw_camera *out,
                                 const mrw_posed_instance **posed, mrw_error *error)
{
    mrw_status status =
        mrw_pose_instances(d->renderer, d->line.session.instances, d->line.session.instance_count,
                           d->line.session.frame.isa, posed, error);
    if (status) {
        return status;
    }
    return mrw_frame_camera(&d->line.session.frame, &d->line.session.instances[0], *posed, out,
                            error);
}

mrw_status viewer_picture_box(const viewer_drawing *d, viewer_box *box, mrw_error *error)
{
    mrw_extents extents;
    if (box->known) {
        return MRW_OK;
    }
    const mrw_view_def view = mrw_view_def_default();
    mrw_status status = mrw_frame_extents(d->line.session.instances, d->line.session.instance_count,
                                          MRW_FIT_CLIP, &view, 1.0f, d->line.session.frame.isa,
                                          d->line.session.threads, &extents, error);
    if (status) {
        return status;
    }
    const bool empty = extents.count == 0;
    for (int i = 0; i < 3; i++) {
        box->min[i] = empty ? -0.5f : extents.aabb_min[i];
        box->max[i] = empty ? 0.5f : extents.aabb_max[i];
    }
    box->known = true;
    return MRW_OK;
}

mrw_status viewer_picture_place(const viewer_drawing *d, viewer_box *box, mrw_camera *out,
                                const mrw_posed_instance **posed, mrw_error *error)
{
    mrw_status status = viewer_picture_box(d, box, error);
    return status ? status : viewer_picture_camera(d, out, posed, error);
}

/* ---- as a file ------------------------------------------------------------------------------- */

mrw_status viewer_picture_save(viewer *v, char *file, size_t size, mrw_error *error)
{
    const char *folder = v->def.settings->output.path;
    char name[100], clip[100];
    mrw_bytes bytes = {0};
    v->drawing.exact = true;
    mrw_status status = viewer_picture(v, error);
    v->drawing.exact = false;
    if (status) {
        return status;
    }
    mrw_safe_file_name(v->loaded.model.name, name, sizeof name);
    mrw_safe_file_name(mrw_session_clip_name(&v->loaded.model, v->state.play.clip), clip,
                       sizeof clip);
    const unsigned long long frame = (unsigned long long)v->state.play.clock.frame;
    snprintf(file, size, "%s%s_%s_%04llu.png", folder ? folder : "", name, clip, frame);
    for (unsigned n = 2; access(file, F_OK) == 0; n++) { /* never overwrites a file */
        snprintf(file, size, "%s%s_%s_%04llu_%u.png", folder ? folder : "", name, clip, frame, n);
    }
    status = mrw_make_folder_of(file, "-o", error);
    if (status) {
        return status;
    }
    mrw_image picture = v->drawing.last.picture;
    picture.subject = v->drawing.last.subject;
    status = mrw_png_encode(&picture, &bytes, error);
    if (status) {
        goto out;
    }
    status = mrw_file_write(file, bytes.data, bytes.size, error);
out:
    mrw_bytes_free(&bytes);
    return status;
}
