/* aim.c: places the camera of each view by measuring what it frames, and keeps cameras that stay.
 */
#include "base/memory.h"
#include "base/text.h"
#include "session/state.h"

#include <string.h>

/* Finds where the node of --follow is at the start, in session->frame.follow. */
static mrw_status start_following(mrw_session *session, mrw_error *error)
{
    mrw_renderer *renderer = NULL;
    mrw_status status = mrw_renderer_create(&renderer, error);
    if (status) {
        return status;
    }
    status = mrw_follow_node(renderer, &session->instances[0], session->frame.follow.node,
                             &session->frame.follow, error);
    mrw_renderer_free(renderer);
    return status;
}

/* Returns the current view. */
static mrw_view_def *view_of(const mrw_session *session)
{
    return &session->owned->views[session->owned->at].view;
}

/* Views that are measured together, with one entry of `out` per view. */
typedef struct measure {
    const mrw_view_def *views;
    uint32_t count;
    mrw_extents *out;
} measure;

static mrw_status extents_of(mrw_session *session, mrw_fit fit, const measure *m, mrw_extents *out,
                             mrw_error *error)
{
    return mrw_frame_extents_of_views(
        session->instances, session->instance_count, &session->frame.follow, fit, m->views,
        m->count, session->owned->aspect, session->frame.isa, session->threads, out, error);
}

/* Measures all clips: plays them one after another, each with the clips that added models play
 * along with it. */
static mrw_status extents_of_all(mrw_session *session, const measure *m, mrw_error *error)
{
    const uint32_t count = session->model->scene->clips_count;
    const uint32_t now = session->instances[0].clip;
    mrw_status status = MRW_OK;
    mrw_extents *part = mrwi_base_alloc(m->count, sizeof *part);
    if (!part) {
        status = mrwi_base_fail_memory(error, m->count * sizeof *part);
        goto out;
    }
    for (uint32_t c = 0; c < count; c++) {
        mrwi_session_play_clip(session, c);
        status = extents_of(session, MRW_FIT_CLIP, m, c == 0 ? m->out : part, error);
        if (status) {
            goto out;
        }
        for (uint32_t v = 0; v < m->count && c > 0; v++) {
            mrw_extents_merge(&m->out[v], &part[v]);
        }
    }
out:
    mrwi_session_play_clip(session, now);
    mrwi_base_free(part);
    return status;
}

/* Measures what views see, in all poses that session->fit frames. */
static mrw_status measure_poses(mrw_session *session, const measure *m, mrw_error *error)
{
    const bool each = session->fit == MRW_FIT_ALL &&
                      session->model->settings->animation.pose == MRW_POSE_CLIP &&
                      session->model->scene->clips_count > 0 && !session->model->mix.fixed;
    return each ? extents_of_all(session, m, error)
                : extents_of(session, session->fit, m, m->out, error);
}

/* ---- shadows on the ground ------------------------------------------------------------------- */

/* Makes the rig of a picture seen by a camera; without lights if those of the model's file replace
 * it. */
static mrw_lighting rig_of(const mrw_session *session, const mrw_camera *camera,
                           mrw_light lights[MRW_RIG_LIGHTS])
{
    const mrw_frame_def *frame = &session->frame;
    const mrw_camera front = {.world_to_view = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
    const mrw_camera *stand = frame->light_frame == MRW_LIGHT_FRAME_WORLD ? &front : camera;
    const bool lit = mrw_shading_info_of(frame->shading)->environment;
    const bool files = lit && frame->file_lights && session->model->scene->lights_count > 0;
    mrw_lighting rig = {0};
    if (frame->rig == MRW_RIG_ON || (frame->rig == MRW_RIG_AUTO && !files)) {
        if (lit) {
            mrw_light_rig_studio(frame->rig_kind, stand, lights, &rig);
        } else {
            mrw_light_rig_single(stand, lights, &rig);
        }
    }
    return rig;
}

/* A sun whose shadow on the ground must fit into the picture of a view. */
typedef struct sun {
    float to_light[3];
    uint32_t view;
} sun;

/* Lists the suns of each view: the key of its rig and those of --light. Lights of files are left
 * out because they move. Suns lower than 10 degrees, whose shadows are long, and suns at the
 * zenith, whose shadows lie under the model, are left out as well. */
static mrw_status find_suns(const mrw_session *session, const measure *m, sun *out, uint32_t *count,
                            mrw_error *error)
{
    static const mrw_mat4 world = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const mrw_frame_def *frame = &session->frame;
    *count = 0;
    for (uint32_t v = 0; v < m->count; v++) {
        mrw_light lights[MRW_RIG_LIGHTS], light;
        mrw_camera camera;
        mrw_status status =
            mrw_view_camera(&m->views[v], &m->out[v], session->owned->aspect, &camera, error);
        if (status) {
            return status;
        }
        const mrw_lighting rig = rig_of(session, &camera, lights);
        for (uint32_t i = 0; i < rig.light_count + frame->light_count; i++) {
            if (i < rig.light_count) {
                light = lights[i];
            } else {
                mrw_light_place(&frame->lights[i - rig.light_count], &world, &light);
            }
            const bool fixed = i < rig.light_count ||
                               frame->lights[i - rig.light_count].space == MRW_LIGHT_SPACE_WORLD;
            const bool slanted = light.to_light[1] > 0.17f && light.to_light[1] < 0.999f;
            if (light.type == MRW_LIGHT_DIRECTIONAL && light.throws_shadow && fixed && slanted) {
                out[*count].view = v;
                memcpy(out[(*count)++].to_light, light.to_light, sizeof light.to_light);
            }
        }
    }
    return MRW_OK;
}

/* Adds the shadow of everything that a sun sees: a parallelogram on the ground. `seen` is a
 * parallel projection along the sun's rays; `up` is its vertical. The box stays as it is. */
static void add_shadow(const sun *from, const mrw_extents *seen, float ground, mrw_extents *out)
{
    const float *right = seen->plane[MRW_PLANE_RIGHT], *up = seen->plane[MRW_PLANE_TOP];
    const float along[2] = {-seen->support[MRW_PLANE_LEFT], seen->support[MRW_PLANE_RIGHT]};
    const float high[2] = {-seen->support[MRW_PLANE_BOTTOM], seen->support[MRW_PLANE_TOP]};
    float points[4][3];
    for (int corner = 0; corner < 4; corner++) {
        const float a = along[corner & 1], b = high[corner >> 1];
        const float way = (ground - (a * right[1] + b * up[1])) / from->to_light[1];
        for (int k = 0; k < 3; k++) {
            points[corner][k] = (a * right[k] + b * up[k]) + way * from->to_light[k];
        }
    }
    const mrw_extents model = *out; /* its box also sizes shadow maps and occlusion */
    mrw_extents_add(out, points[0], 4, 3);
    memcpy(out->aabb_min, model.aabb_min, sizeof out->aabb_min);
    memcpy(out->aabb_max, model.aabb_max, sizeof out->aabb_max);
}

/* Extends the extents of sprites on a ground by the shadows of suns. */
static mrw_status add_shadows(mrw_session *session, const measure *m, mrw_error *error)
{
    const size_t most = (size_t)m->count * (1 + session->frame.light_count);
    if (session->model->settings->command != MRW_COMMAND_SPRITES || !session->frame.ground ||
        m->out[0].count == 0) {
        return MRW_OK;
    }
    sun *suns = mrwi_base_alloc(most, sizeof *suns);
    mrw_view_def *views = mrwi_base_alloc(most, sizeof *views);
    mrw_extents *seen = mrwi_base_alloc(most, sizeof *seen);
    uint32_t count = 0;
    mrw_status status = suns && views && seen ? find_suns(session, m, suns, &count, error)
                                              : mrwi_base_fail_memory(error, most * sizeof *seen);
    if (status || count == 0) {
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        views[i] = mrw_view_def_default();
        views[i].orthographic = views[i].has_eye = views[i].has_target = true;
        memcpy(views[i].eye, suns[i].to_light, sizeof views[i].eye);
        memset(views[i].target, 0, sizeof views[i].target);
    }
    status = measure_poses(session, &(measure){views, count, seen}, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_shadow(&suns[i], &seen[i], seen[i].aabb_min[1], &m->out[suns[i].view]);
    }
out:
    mrwi_base_free(suns);
    mrwi_base_free(views);
    mrwi_base_free(seen);
    return status;
}

/* ---- cameras --------------------------------------------------------------------------------- */

/* Puts the model's path before messages about the model; messages about the view have no path. */
static mrw_status about_model(const mrw_session *session, mrw_status status, mrw_error *error)
{
    return status == MRW_ERROR_INPUT ? mrwi_session_prefix(error, session->model->path, status)
                                     : status;
}

/* Measures everything that the views frame: poses and, for sprites, shadows on the ground. */
static mrw_status measure_views(mrw_session *session, const measure *m, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (session->frame.follow.node != MRW_NONE) {
        status = start_following(session, error);
        if (status) {
            return about_model(session, status, error);
        }
    }
    status = measure_poses(session, m, error);
    if (status) {
        return about_model(session, status, error);
    }
    return about_model(session, add_shadows(session, m, error), error);
}

mrw_status mrw_session_extents(mrw_session *session, mrw_extents *out, mrw_error *error)
{
    return measure_views(session, &(measure){view_of(session), 1, out}, error);
}

/* Returns true if something drawn may lie outside the measured extents: a clip leaves those of the
 * rest pose, root motion over several loops those of the first loop, --wrap file those of the clip,
 * and the ground all of them. */
static bool may_leave_extents(const mrw_session *session)
{
    return session->frame.ground || session->fit == MRW_FIT_REST ||
           session->model->settings->animation.wrap == MRW_TIME_FILE ||
           session->model->settings->animation.root_motion == MRW_ROOT_MOTION_LOOP;
}

/* Moves the near and far planes, which enclose the extents, apart, so that they cut nothing that
 * may lie outside the extents. The camera stays in its place. */
static mrw_status widen(const mrw_session *session, const mrw_extents *extents, mrw_camera *camera,
                        mrw_error *error)
{
    mrw_view_def view = *view_of(session);
    if (!(view.near_plane > 0.0f)) {
        const float nearest = camera->near_plane * 0.05f, steady = camera->far_plane * 1e-3f;
        const float wide = nearest > steady ? nearest : steady; /* depth has 24 bits */
        view.near_plane = wide < camera->near_plane ? wide : camera->near_plane;
    }
    if (!(view.far_plane > 0.0f)) {
        view.far_plane = camera->far_plane * 20.0f;
    }
    return mrw_view_camera(&view, extents, session->owned->aspect, camera, error);
}

/* Returns true if the pictures depend on the box of what all of them show. */
static bool wants_bounds(const mrw_frame_def *frame)
{
    for (uint32_t i = 0; i < frame->aov_count; i++) {
        if (frame->aovs[i].aov == MRW_AOV_POSITION) {
            return true;
        }
    }
    return frame->shadows || frame->ground || frame->occlusion || frame->overlays;
}

/* Finds the box of everything that the current clip shows. That is the box of `framed`, unless the
 * camera moves or frames the rest pose. A picture that is framed by itself has its own box, and
 * none is found here. */
static mrw_status find_bounds(mrw_session *session, const mrw_extents *framed, mrw_error *error)
{
    mrw_frame_def *frame = &session->frame;
    mrw_session_owned *owned = session->owned;
    const mrw_fit fit = session->fit == MRW_FIT_REST ? MRW_FIT_CLIP : session->fit;
    mrw_extents extents;
    frame->has_bounds = false;
    if (!wants_bounds(frame) || fit == MRW_FIT_FRAME) {
        return MRW_OK;
    }
    if (!framed && owned->boxed && owned->boxed_clip == session->instances[0].clip) {
        frame->bounds = owned->box;
        frame->has_bounds = true;
        return MRW_OK;
    }
    if (framed && fit == session->fit && frame->follow.node == MRW_NONE) {
        extents = *framed;
    } else {
        mrw_status status =
            mrw_frame_extents(session->instances, session->instance_count, fit, view_of(session),
                              owned->aspect, frame->isa, session->threads, &extents, error);
        if (status) {
            return status;
        }
    }
    if (extents.count > 0) {
        memcpy(frame->bounds.min, extents.aabb_min, sizeof frame->bounds.min);
        memcpy(frame->bounds.max, extents.aabb_max, sizeof frame->bounds.max);
        frame->has_bounds = true;
        owned->box = frame->bounds;
        owned->boxed_clip = session->instances[0].clip;
        owned->boxed = !framed;
    }
    return MRW_OK;
}

mrw_status mrw_session_aim_at(mrw_session *session, const mrw_extents *extents, mrw_error *error)
{
    mrw_camera *camera = &session->frame.camera;
    session->has_framed = extents->count > 0;
    memcpy(session->framed.min, extents->aabb_min, sizeof session->framed.min);
    memcpy(session->framed.max, extents->aabb_max, sizeof session->framed.max);
    mrw_status status =
        mrw_view_camera(view_of(session), extents, session->owned->aspect, camera, error);
    if (status) {
        return about_model(session, status, error);
    }
    if (may_leave_extents(session)) {
        status = widen(session, extents, camera, error);
        if (status) {
            return about_model(session, status, error);
        }
    }
    return about_model(session, find_bounds(session, extents, error), error);
}

/* Returns the place of the current view's camera that holds for all clips. */
static mrwi_session_aim *aim_of_all(const mrw_session *session)
{
    return session->owned->aims +
           session->owned->at * mrwi_session_aims_of_view(session->model->scene);
}

void mrw_session_set_view(mrw_session *session, const mrw_view_def *view)
{
    *view_of(session) = *view;
    aim_of_all(session)->known = false;
}

/* Returns true if the view alone decides where the camera stands and how far it sees. */
static bool stands_alone(const mrw_view_def *view)
{
    return view->has_eye && view->has_target && view->near_plane > 0.0f && view->far_plane > 0.0f &&
           (!view->orthographic || view->height > 0.0f);
}

/* Places a camera for which nothing needs to be measured. */
static mrw_status aim_alone(mrw_session *session, mrw_error *error)
{
    const float aspect = session->owned->aspect;
    mrw_extents none;
    session->has_framed = false;
    if (session->frame.follow.node != MRW_NONE) {
        mrw_status status = start_following(session, error);
        if (status) {
            return about_model(session, status, error);
        }
    }
    mrw_extents_begin(view_of(session), aspect, &none);
    mrw_status status =
        mrw_view_camera(view_of(session), &none, aspect, &session->frame.camera, error);
    if (status) {
        return about_model(session, status, error);
    }
    return about_model(session, find_bounds(session, NULL, error), error);
}

/* Returns the place where the current view's camera is kept, or will be; NULL if it is not kept. */
static mrwi_session_aim *kept_of(const mrw_session *session)
{
    mrwi_session_aim *all = aim_of_all(session);
    const uint32_t clip = session->instances[0].clip;
    switch (session->fit) {
    case MRW_FIT_ALL:
    case MRW_FIT_REST:
        return all;
    case MRW_FIT_CLIP:
        return session->owned->keeps_aims ? all + (clip == MRW_NONE ? 1 : 2 + clip) : NULL;
    default:
        return NULL;
    }
}

/* Places the cameras of all views at one distance, for what the current pictures show, unless they
 * stand there already. */
static mrw_status share_distance(mrw_session *session, mrw_error *error)
{
    mrw_session_owned *owned = session->owned;
    const mrw_view_def asked = mrw_session_view_def(session->model->settings);
    const uint32_t count = owned->view_count, clip = session->instances[0].clip;
    const double time = session->fit == MRW_FIT_FRAME ? session->instances[0].time : 0.0;
    if (owned->measured && owned->measured_clip == clip && owned->measured_time == time) {
        return MRW_OK;
    }
    mrw_view_def *views = mrwi_base_alloc(count, sizeof *views);
    if (!views) {
        return mrwi_base_fail_memory(error, count * sizeof *views);
    }
    for (uint32_t v = 0; v < count; v++) {
        views[v] = asked;
        views[v].azimuth_degrees = owned->views[v].view.azimuth_degrees;
        views[v].elevation_degrees = owned->views[v].view.elevation_degrees;
    }
    owned->measured = false;
    mrw_status status = measure_views(session, &(measure){views, count, owned->extents}, error);
    if (status) {
        goto out;
    }
    status = mrw_view_at_one_distance(views, owned->extents, count, owned->aspect, error);
    if (status) {
        status = about_model(session, status, error);
        goto out;
    }
    for (uint32_t v = 0; v < count; v++) {
        owned->views[v].view = views[v];
    }
    owned->measured = true;
    owned->measured_clip = clip;
    owned->measured_time = time;
out:
    mrwi_base_free(views);
    return status;
}

/* Places the current view's camera for `extents`. If that is NULL, it measures what the view sees,
 * unless another session has measured the same. */
static mrw_status aim_at_extents(mrw_session *session, const mrw_extents *extents, mrw_error *error)
{
    mrwi_session_loaded *loaded = session->owned->loaded;
    mrw_extents own;
    if (session->owned->extents) {
        mrw_status status = share_distance(session, error);
        if (status) {
            return status;
        }
        extents = &session->owned->extents[session->owned->at];
    }
    if (!extents) {
        mrw_status status =
            loaded ? mrwi_session_framings_extents(mrwi_session_loaded_framings(loaded),
                                                   view_of(session), session, &own, error)
                   : mrw_session_extents(session, &own, error);
        if (status) {
            return status;
        }
        extents = &own;
    }
    return mrw_session_aim_at(session, extents, error);
}

/* Does mrw_session_aim for the current view. extents: what the view sees, if known, or NULL. */
static mrw_status aim(mrw_session *session, const mrw_extents *extents, mrw_error *error)
{
    mrw_frame_def *frame = &session->frame;
    if (frame->scene_camera != MRW_NONE) {
        return find_bounds(session, NULL, error);
    }
    mrwi_session_aim *kept = kept_of(session);
    if (kept && kept->known) {
        frame->camera = kept->camera;
        frame->follow = kept->follow;
        frame->has_bounds = kept->has_bounds;
        frame->bounds = kept->bounds;
        session->has_framed = kept->has_framed;
        session->framed = kept->framed;
        return MRW_OK;
    }
    if (stands_alone(view_of(session))) {
        return aim_alone(session, error);
    }
    mrw_status status = aim_at_extents(session, extents, error);
    if (status) {
        return status;
    }
    if (kept) {
        *kept = (mrwi_session_aim){.known = true,
                                   .camera = frame->camera,
                                   .follow = frame->follow,
                                   .has_bounds = frame->has_bounds,
                                   .bounds = frame->bounds,
                                   .has_framed = session->has_framed,
                                   .framed = session->framed};
    }
    return MRW_OK;
}

mrw_status mrw_session_aim(mrw_session *session, mrw_error *error)
{
    return aim(session, NULL, error);
}

/* Returns true if a view is still to be measured. */
static bool needs_extents(mrw_session *session)
{
    mrw_session_owned *owned = session->owned;
    bool needs = false;
    for (owned->at = 0; owned->at < owned->view_count; owned->at++) {
        const mrwi_session_aim *kept = kept_of(session);
        needs = needs || !((kept && kept->known) || stands_alone(view_of(session)));
    }
    owned->at = 0;
    return needs && owned->views[0].scene_camera == MRW_NONE;
}

mrw_status mrwi_session_aim_views(mrw_session *session, mrw_frame_view *out, mrw_error *error)
{
    mrw_session_owned *owned = session->owned;
    const uint32_t count = owned->view_count;
    mrw_view_def *views = mrwi_base_alloc(count, sizeof *views);
    mrw_extents *extents = mrwi_base_alloc(count, sizeof *extents);
    mrw_status status = MRW_OK;
    if (!views || !extents) {
        status = mrwi_base_fail_memory(error, count * sizeof *extents);
        goto out;
    }
    const bool measures = !owned->extents && needs_extents(session);
    for (uint32_t v = 0; v < count; v++) {
        views[v] = owned->views[v].view;
    }
    if (measures) {
        status = measure_views(session, &(measure){views, count, extents}, error);
        if (status) {
            goto out;
        }
    }
    for (owned->at = 0; owned->at < count; owned->at++) {
        session->frame.scene_camera = owned->views[owned->at].scene_camera;
        status = aim(session, measures ? &extents[owned->at] : NULL, error);
        if (status) {
            goto out;
        }
        out[owned->at] = (mrw_frame_view){session->frame.camera, session->frame.scene_camera};
    }
out:
    owned->at = 0;
    mrwi_base_free(views);
    mrwi_base_free(extents);
    return status;
}
