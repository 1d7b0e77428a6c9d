/* aim.c: where the camera of each view stands: what it frames is measured, and kept where it stays.
 */
#include "base/memory.h"
#include "base/text.h"
#include "session/owned.h"

#include <string.h>

static mrw_status start_following(mrw_session *session, mrw_error *error)
{
    mrw_renderer *renderer = NULL;
    mrw_status status = mrw_renderer_create(&renderer, error);
    if (status == MRW_OK) {
        status = mrw_follow_node(renderer, &session->instances[0], session->frame.follow.node,
                                 &session->frame.follow, error);
    }
    mrw_renderer_free(renderer);
    return status;
}

static mrw_view_def *view_of(const mrw_session *session)
{
    return &session->owned->views[session->owned->at].view;
}

/* Views that are measured together, and an entry of extents for each. */
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

/* Every clip in turn, each with the clips that the others play along with it. */
static mrw_status extents_of_all(mrw_session *session, const measure *m, mrw_error *error)
{
    const uint32_t count = session->model->scene->clips_count;
    const uint32_t now = session->instances[0].clip;
    mrw_extents *part = mrwi_base_alloc(m->count, sizeof *part);
    mrw_status status = part ? MRW_OK : mrwi_base_fail_memory(error, m->count * sizeof *part);
    for (uint32_t c = 0; c < count && status == MRW_OK; c++) {
        mrwi_session_play_clip(session, c);
        status = extents_of(session, MRW_FIT_CLIP, m, c == 0 ? m->out : part, error);
        for (uint32_t v = 0; v < m->count && c > 0 && status == MRW_OK; v++) {
            mrw_extents_merge(&m->out[v], &part[v]);
        }
    }
    mrwi_session_play_clip(session, now);
    mrwi_base_free(part);
    return status;
}

/* Measures what views see, in all poses that are framed. */
static mrw_status measure_poses(mrw_session *session, const measure *m, mrw_error *error)
{
    const bool each = session->fit == MRW_FIT_ALL &&
                      session->model->settings->animation.pose == MRW_POSE_CLIP &&
                      session->model->scene->clips_count > 0 && !session->model->mix.fixed;
    return each ? extents_of_all(session, m, error)
                : extents_of(session, session->fit, m, m->out, error);
}

/* ---- shadows on the ground ------------------------------------------------------------------- */

/* Makes the rig of a picture seen by a camera; no lights if its file has some in place of it. */
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
        (lit ? mrw_light_rig_studio : mrw_light_rig_single)(stand, lights, &rig);
    }
    return rig;
}

/* A sun whose shadows on the ground must fit into the picture of a view. */
typedef struct sun {
    float to_light[3];
    uint32_t view;
} sun;

/* Lists the suns of each view: the key of its rig and those of --light. Lights of files move, and
 * are left out. Suns lower than 10 degrees, whose shadows are long, and suns at the zenith, whose
 * shadows lie under the model, are left out as well. */
static mrw_status find_suns(const mrw_session *session, const measure *m, sun *out, uint32_t *count,
                            mrw_error *error)
{
    static const mrw_mat4 world = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const mrw_frame_def *frame = &session->frame;
    mrw_status status = MRW_OK;
    *count = 0;
    for (uint32_t v = 0; v < m->count && status == MRW_OK; v++) {
        mrw_light lights[MRW_RIG_LIGHTS], light;
        mrw_lighting rig = {0};
        mrw_camera camera;
        status = mrw_view_camera(&m->views[v], &m->out[v], session->owned->aspect, &camera, error);
        if (status == MRW_OK) {
            rig = rig_of(session, &camera, lights);
        }
        for (uint32_t i = 0; i < rig.light_count + frame->light_count && status == MRW_OK; i++) {
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
    return status;
}

/* Adds the shadow of all that a sun sees: a parallelogram on the ground. `seen` is a parallel
 * projection along the sun's rays; `up` is its vertical. */
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
    const mrw_extents model = *out; /* whose box also sizes shadow maps and occlusion */
    mrw_extents_add(out, points[0], 4, 3);
    memcpy(out->aabb_min, model.aabb_min, sizeof out->aabb_min);
    memcpy(out->aabb_max, model.aabb_max, sizeof out->aabb_max);
}

/* Makes room for the shadows of suns on the ground. */
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
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        views[i] = mrw_view_def_default();
        views[i].orthographic = views[i].has_eye = views[i].has_target = true;
        memcpy(views[i].eye, suns[i].to_light, sizeof views[i].eye);
        memset(views[i].target, 0, sizeof views[i].target);
    }
    if (status == MRW_OK && count > 0) {
        status = measure_poses(session, &(measure){views, count, seen}, error);
    }
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        mrw_extents *own = &m->out[suns[i].view];
        add_shadow(&suns[i], &seen[i], seen[i].aabb_min[1], own);
    }
    mrwi_base_free(suns);
    mrwi_base_free(views);
    mrwi_base_free(seen);
    return status;
}

/* ---- cameras --------------------------------------------------------------------------------- */

/* Messages about the view itself carry no path. */
static mrw_status about_model(const mrw_session *session, mrw_status status, mrw_error *error)
{
    return status == MRW_ERROR_INPUT ? mrwi_session_prefix(error, session->model->path, status)
                                     : status;
}

static mrw_status measure_views(mrw_session *session, const measure *m, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (session->frame.follow.node != MRW_NONE) {
        status = start_following(session, error);
    }
    if (status == MRW_OK) {
        status = measure_poses(session, m, error);
    }
    if (status == MRW_OK) {
        status = add_shadows(session, m, error);
    }
    return about_model(session, status, error);
}

mrw_status mrw_session_extents(mrw_session *session, mrw_extents *out, mrw_error *error)
{
    return measure_views(session, &(measure){view_of(session), 1, out}, error);
}

/* True when what is drawn may leave what is framed: a clip, the pose at rest; loops that go on, the
 * first of them; what goes on beyond the clip, the clip; and the ground, all. */
static bool may_leave_extents(const mrw_session *session)
{
    return session->frame.ground || session->fit == MRW_FIT_REST ||
           session->model->settings->animation.wrap == MRW_TIME_FILE ||
           session->model->settings->animation.root_motion == MRW_ROOT_MOTION_LOOP;
}

/* Then near and far, which enclose the extents, must not cut it: it is seen as far as the picture
 * reaches. Where the camera stands is the same. */
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

static bool has_positions(const mrw_frame_def *frame)
{
    bool has = false;
    for (uint32_t i = 0; i < frame->aov_count; i++) {
        has = has || frame->aovs[i].aov == MRW_AOV_POSITION;
    }
    return has;
}

/* Whether something of the pictures goes by what all of them show. */
static bool wants_bounds(const mrw_frame_def *frame)
{
    return frame->shadows || frame->ground || frame->occlusion || frame->overlays ||
           has_positions(frame);
}

/* The box of all that the clip at hand shows. What was framed, unless that is seen from a camera
 * that moves, or is the pose at rest; where every picture is framed by itself, it is its own. */
static mrw_status find_bounds(mrw_session *session, const mrw_extents *framed, mrw_error *error)
{
    mrw_frame_def *frame = &session->frame;
    const mrw_fit fit = session->fit == MRW_FIT_REST ? MRW_FIT_CLIP : session->fit;
    mrw_extents extents;
    mrw_status status = MRW_OK;
    frame->has_bounds = false;
    if (!wants_bounds(frame) || fit == MRW_FIT_FRAME) {
        return MRW_OK;
    }
    if (!framed && session->owned->boxed &&
        session->owned->boxed_clip == session->instances[0].clip) {
        frame->bounds = session->owned->box;
        frame->has_bounds = true;
        return MRW_OK;
    }
    if (framed && fit == session->fit && frame->follow.node == MRW_NONE) {
        extents = *framed;
    } else {
        status = mrw_frame_extents(session->instances, session->instance_count, fit,
                                   view_of(session), session->owned->aspect, frame->isa,
                                   session->threads, &extents, error);
    }
    if (status == MRW_OK && extents.count > 0) {
        memcpy(frame->bounds.min, extents.aabb_min, sizeof frame->bounds.min);
        memcpy(frame->bounds.max, extents.aabb_max, sizeof frame->bounds.max);
        frame->has_bounds = true;
        session->owned->box = frame->bounds;
        session->owned->boxed_clip = session->instances[0].clip;
        session->owned->boxed = !framed;
    }
    return status;
}

static void note_framed(mrw_session *session, const mrw_extents *extents)
{
    session->has_framed = extents->count > 0;
    memcpy(session->framed.min, extents->aabb_min, sizeof session->framed.min);
    memcpy(session->framed.max, extents->aabb_max, sizeof session->framed.max);
}

mrw_status mrw_session_aim_at(mrw_session *session, const mrw_extents *extents, mrw_error *error)
{
    mrw_camera *camera = &session->frame.camera;
    note_framed(session, extents);
    mrw_status status =
        mrw_view_camera(view_of(session), extents, session->owned->aspect, camera, error);
    if (status == MRW_OK && may_leave_extents(session)) {
        status = widen(session, extents, camera, error);
    }
    if (status == MRW_OK) {
        status = find_bounds(session, extents, error);
    }
    return about_model(session, status, error);
}

/* Where the camera of the view at hand is kept for all clips, and where for the clip at hand. */
static mrwi_session_aim *aim_of_all(const mrw_session *session)
{
    return session->owned->aims +
           session->owned->at * mrwi_session_aims_of_view(session->model->scene);
}

static mrwi_session_aim *aim_of_clip(const mrw_session *session)
{
    const uint32_t clip = session->instances[0].clip;
    return aim_of_all(session) + (clip == MRW_NONE ? 1 : 2 + clip);
}

void mrw_session_set_view(mrw_session *session, const mrw_view_def *view)
{
    *view_of(session) = *view;
    aim_of_all(session)->known = false;
}

/* True when nothing that is drawn has a say in where a camera stands and what it shows. */
static bool stands_alone(const mrw_view_def *view)
{
    return view->has_eye && view->has_target && view->near_plane > 0.0f && view->far_plane > 0.0f &&
           (!view->orthographic || view->height > 0.0f);
}

/* Places a camera that stands alone. */
static mrw_status aim_alone(mrw_session *session, mrw_error *error)
{
    const float aspect = session->owned->aspect;
    mrw_extents none;
    session->has_framed = false;
    mrw_status status =
        session->frame.follow.node == MRW_NONE ? MRW_OK : start_following(session, error);
    mrw_extents_begin(view_of(session), aspect, &none);
    if (status == MRW_OK) {
        status = mrw_view_camera(view_of(session), &none, aspect, &session->frame.camera, error);
    }
    if (status == MRW_OK) {
        status = find_bounds(session, NULL, error);
    }
    return about_model(session, status, error);
}

/* Where the camera at hand is kept, or is to be; NULL: nowhere. */
static mrwi_session_aim *kept_of(const mrw_session *session)
{
    switch (session->fit) {
    case MRW_FIT_ALL:
    case MRW_FIT_REST:
        return aim_of_all(session);
    case MRW_FIT_CLIP:
        return session->owned->keeps_aims ? aim_of_clip(session) : NULL;
    default:
        return NULL;
    }
}

static void take_kept(mrw_session *session, const mrwi_session_aim *kept)
{
    session->frame.camera = kept->camera;
    session->frame.follow = kept->follow;
    session->frame.has_bounds = kept->has_bounds;
    session->frame.bounds = kept->bounds;
    session->has_framed = kept->has_framed;
    session->framed = kept->framed;
}

/* Places all views at one distance, for what the pictures at hand show, unless they are. */
static mrw_status share_distance(mrw_session *session, mrw_error *error)
{
    mrw_session_owned *owned = session->owned;
    const mrw_view_def *asked = &session->model->settings->camera.view;
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
        views[v] = *asked;
        views[v].azimuth_degrees = owned->views[v].view.azimuth_degrees;
        views[v].elevation_degrees = owned->views[v].view.elevation_degrees;
    }
    mrw_status status = measure_views(session, &(measure){views, count, owned->extents}, error);
    if (status == MRW_OK) {
        status = about_model(
            session, mrw_view_at_one_distance(views, owned->extents, count, owned->aspect, error),
            error);
    }
    for (uint32_t v = 0; v < count && status == MRW_OK; v++) {
        owned->views[v].view = views[v];
    }
    owned->measured = status == MRW_OK;
    owned->measured_clip = clip;
    owned->measured_time = time;
    mrwi_base_free(views);
    return status;
}

/* What the view at hand sees is measured, unless another session or `extents`, where it is not
 * NULL, have it. */
static mrw_status aim_at_extents(mrw_session *session, const mrw_extents *extents, mrw_error *error)
{
    mrwi_session_loaded *loaded = session->owned->loaded;
    mrw_extents own;
    mrw_status status = MRW_OK;
    if (session->owned->extents) {
        status = share_distance(session, error);
        extents = &session->owned->extents[session->owned->at];
    }
    if (!extents) {
        status = loaded ? mrwi_session_framings_extents(mrwi_session_loaded_framings(loaded),
                                                        view_of(session), session, &own, error)
                        : mrw_session_extents(session, &own, error);
    }
    return status == MRW_OK ? mrw_session_aim_at(session, extents ? extents : &own, error) : status;
}

/* mrw_session_aim with what the view at hand sees, where it is known, or NULL. */
static mrw_status aim(mrw_session *session, const mrw_extents *extents, mrw_error *error)
{
    if (session->frame.scene_camera != MRW_NONE) {
        return find_bounds(session, NULL, error);
    }
    mrwi_session_aim *kept = kept_of(session);
    if (kept && kept->known) {
        take_kept(session, kept);
        return MRW_OK;
    }
    if (stands_alone(view_of(session))) {
        return aim_alone(session, error);
    }
    mrw_status status = aim_at_extents(session, extents, error);
    if (status == MRW_OK && kept) {
        *kept = (mrwi_session_aim){true,
                                   session->frame.camera,
                                   session->frame.follow,
                                   session->frame.has_bounds,
                                   session->frame.bounds,
                                   session->has_framed,
                                   session->framed};
    }
    return status;
}

mrw_status mrw_session_aim(mrw_session *session, mrw_error *error)
{
    return aim(session, NULL, error);
}

/* Whether some view is yet to be measured. */
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
    mrw_status status =
        views && extents ? MRW_OK : mrwi_base_fail_memory(error, count * sizeof *extents);
    const bool measures = status == MRW_OK && !owned->extents && needs_extents(session);
    for (uint32_t v = 0; v < count && status == MRW_OK; v++) {
        views[v] = owned->views[v].view;
    }
    if (measures) {
        status = measure_views(session, &(measure){views, count, extents}, error);
    }
    for (owned->at = 0; owned->at < count && status == MRW_OK; owned->at++) {
        session->frame.scene_camera = owned->views[owned->at].scene_camera;
        status = aim(session, measures ? &extents[owned->at] : NULL, error);
        out[owned->at] = (mrw_frame_view){session->frame.camera, session->frame.scene_camera};
    }
    owned->at = 0;
    mrwi_base_free(views);
    mrwi_base_free(extents);
    return status;
}
