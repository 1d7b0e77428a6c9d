/* perform.c: the loop over the pictures: places the cameras of each clip, then lets threads draw.
 */
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "session/internal.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- cameras --------------------------------------------------------------------------------- */

void mrwi_session_views_free(mrwi_session_views *views)
{
    mrwi_base_free(views->times);
    mrwi_base_free(views->views);
    mrwi_base_free(views->cameras);
    *views = (mrwi_session_views){0};
}

/* Most characters of a clip's name on a label, so that the frame and the time behind it stay
 * readable. */
#define MOST_CHARACTERS 40

/* Returns the name, cut to MOST_CHARACTERS; NULL when out of memory. */
static const char *short_name(mrwi_base_arena *arena, const char *name)
{
    const char *end = name;
    for (int i = 0; i < MOST_CHARACTERS && *end; i++) {
        uint32_t code;
        const size_t length = mrwi_base_utf8_decode(end, &code);
        end += length > 0 ? length : 1;
    }
    return *end ? mrwi_base_format(arena, "%.*s...", (int)(end - name), name) : name;
}

/* Returns true if frames have numbers, which stills and given times do not. */
static bool has_numbers(const mrw_session *session)
{
    const mrw_settings *settings = session->model->settings;
    const mrw_animation_settings *animation = &settings->animation;
    return animation->time_count == 0 &&
           (animation->frame_count > 0 || mrw_session_wants_sequence(settings));
}

/* Makes the text of --overlay label for each time, in the arena. *out is NULL without the option.
 */
static mrw_status make_labels(const mrw_session *session, const mrw_picture *pictures,
                              uint32_t count, mrwi_base_arena *arena, const char ***out,
                              mrw_error *error)
{
    *out = NULL;
    if ((session->frame.overlays >> MRW_OVERLAY_LABEL & 1) == 0) {
        return MRW_OK;
    }
    const uint32_t views = session->frame.view_count;
    const bool numbers = count / views > 1 ? session->model->settings->animation.time_count == 0
                                           : has_numbers(session);
    const char **labels = mrwi_base_arena_alloc(arena, count / views, sizeof *labels);
    if (!labels) {
        return mrwi_base_fail_memory(error, count * sizeof *labels);
    }
    for (uint32_t i = 0; i < count / views; i++) {
        const mrw_picture *at = &pictures[(size_t)i * views];
        const char *clip = short_name(arena, mrw_session_clip_name(session->model, at->clip));
        char time[32], frame[32] = "";
        mrwi_base_format_fixed(at->time, 3, time);
        if (numbers) {
            snprintf(frame, sizeof frame, "   frame %llu", (unsigned long long)at->frame);
        }
        labels[i] = !clip ? NULL
                    : at->clip == MRW_NONE
                        ? mrwi_base_format(arena, "%s pose", clip)
                        : mrwi_base_format(arena, "%s%s   %s s", clip, frame, time);
        if (!labels[i]) {
            return mrwi_base_fail_memory(error, count * sizeof *labels);
        }
    }
    *out = labels;
    return MRW_OK;
}

/* Places the camera of a picture. If `views` is not NULL, it places the cameras of all views of the
 * picture's time there instead. */
static mrw_status place(mrw_session *session, const mrw_picture *picture,
                        const mrw_session_sink *sink, mrw_frame_view *views, mrw_error *error)
{
    if (sink && sink->go_on) {
        mrw_status status = sink->go_on(sink->user, error);
        if (status) {
            return status;
        }
    }
    mrw_session_play(session, picture);
    if (views) {
        return mrwi_session_aim_views(session, views, error);
    }
    return sink && sink->aim ? sink->aim(sink->user, session, picture, error)
                             : mrw_session_aim(session, error);
}

static mrw_status make_views(const mrw_session *session, uint32_t count, mrwi_session_views *out,
                             mrw_error *error)
{
    const uint32_t views = session->frame.view_count;
    const bool several = views > 1;
    const bool each = session->fit == MRW_FIT_FRAME || mrw_session_turns(session->model->settings);
    *out =
        (mrwi_session_views){.times = mrwi_base_alloc(count, sizeof *out->times),
                             .time_count = count / views,
                             .views = several ? mrwi_base_alloc(views, sizeof *out->views) : NULL,
                             .cameras = each ? mrwi_base_alloc(count, sizeof *out->cameras) : NULL};
    return out->times && (out->views || !several) && (out->cameras || !each)
               ? MRW_OK
               : mrwi_base_fail_memory(error, count * sizeof *out->cameras);
}

mrw_status mrwi_session_shoot(mrw_session *session, const mrw_picture *pictures, uint32_t count,
                              const mrw_session_sink *sink, mrwi_session_views *out,
                              mrw_error *error)
{
    const uint32_t views = session->frame.view_count;
    assert(count % views == 0 && !(views > 1 && sink && sink->aim));
    mrw_status status = make_views(session, count, out, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < out->time_count; i++) {
        const mrw_picture *picture = &pictures[(size_t)i * views];
        assert(views == 1 || picture->view == 0);
        out->times[i] = picture->play_time;
        if (out->cameras || i == 0) {
            status = place(session, picture, sink, out->views, error);
            if (status) {
                goto out;
            }
        }
        for (uint32_t v = 0; v < views && out->cameras; v++) {
            out->cameras[(size_t)i * views + v] =
                out->views ? out->views[v].camera : session->frame.camera;
        }
    }
out:
    if (status) {
        mrwi_session_views_free(out);
    }
    return status;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static bool has_aov(const mrw_frame_def *frame, mrw_aov aov)
{
    for (uint32_t i = 0; i < frame->aov_count; i++) {
        if (frame->aovs[i].aov == aov) {
            return true;
        }
    }
    return false;
}

/* Finds the picture before (or behind) each of those given, in the arena. If each picture is framed
 * by itself, its neighbour is, too. *out is NULL if no pass needs neighbours. */
static mrw_status find_neighbours(mrw_session *session, const mrw_picture *pictures, uint32_t count,
                                  bool before, const mrw_session_sink *sink,
                                  const mrwi_session_views *views, mrwi_base_arena *arena,
                                  const mrw_frame_neighbour **out, mrw_error *error)
{
    const uint32_t view_count = session->frame.view_count;
    *out = NULL;
    if (!has_aov(&session->frame, before ? MRW_AOV_FLOW_BACKWARD : MRW_AOV_FLOW_FORWARD)) {
        return MRW_OK;
    }
    mrw_frame_neighbour *found = mrwi_base_arena_alloc(arena, count, sizeof *found);
    mrw_frame_view *own = mrwi_base_arena_alloc(arena, view_count, sizeof *own);
    if (!found || !own) {
        return mrwi_base_fail_memory(error, count * sizeof *found);
    }
    for (uint32_t i = 0; i < count; i++) {
        mrw_picture at = pictures[i];
        const uint32_t v = i % view_count;
        at.play_time = before ? at.last_time : at.next_time;
        at.view = before ? at.last_view : at.next_view;
        if (views->cameras && v == 0) {
            mrw_status status = place(session, &at, sink, views->views ? own : NULL, error);
            if (status) {
                return status;
            }
        }
        const mrw_frame_view *seen = views->cameras ? own : views->views;
        found[i] = (mrw_frame_neighbour){true, at.play_time,
                                         views->views ? seen[v].camera : session->frame.camera};
    }
    *out = found;
    return MRW_OK;
}

uint32_t mrwi_session_clip_run(const mrw_picture *pictures, uint32_t count)
{
    uint32_t run = count > 0;
    while (run < count && pictures[run].clip == pictures[0].clip) {
        run++;
    }
    return run;
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Pictures that a warning is about. */
typedef struct few {
    _Atomic uint32_t count;
    _Atomic uint32_t first; /* Index of the first of them, or MRW_NONE. */
} few;

/* Pictures of one clip. */
typedef struct clip_run {
    const mrw_session_sink *sink;
    uint32_t first;
    _Atomic uint32_t *sorted;     /* Number of pictures that were not blended exactly. */
    _Atomic uint32_t *shadowless; /* Most lights of one picture that could not cast shadows. */
    few *blank;                   /* Pictures that show only the background. */
    few *sparse;                  /* Pictures that show almost nothing. */
} clip_run;

static void count_one(few *f, uint32_t index)
{
    uint32_t first = atomic_load(&f->first);
    atomic_fetch_add_explicit(&f->count, 1, memory_order_relaxed);
    while (index < first && !atomic_compare_exchange_weak(&f->first, &first, index)) {
    }
}

/* Passes a drawn picture to the sink and counts what warnings will be about. Called on any thread
 * of the crew. */
static mrw_status pass_on(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    const clip_run *run = user;
    const mrw_session_sink *sink = run->sink;
    mrw_sequence_frame picture = *frame;
    picture.index += run->first;
    picture.same_as += run->first;
    if (mrw_frame_sorted_bands(frame->renderer) > 0) {
        atomic_fetch_add_explicit(run->sorted, 1, memory_order_relaxed);
    }
    const uint32_t here = mrw_frame_shadowless_lights(frame->renderer);
    uint32_t most = atomic_load(run->shadowless);
    while (here > most && !atomic_compare_exchange_weak(run->shadowless, &most, here)) {
    }
    if (mrwi_session_is_blank(frame->def, frame->image)) {
        count_one(run->blank, (uint32_t)picture.index);
    } else if (mrwi_session_is_sparse(frame->def, frame->image)) {
        count_one(run->sparse, (uint32_t)picture.index);
    }
    if (sink->go_on) {
        mrw_status status = sink->go_on(sink->user, error);
        if (status) {
            return status;
        }
    }
    return sink->put(sink->user, &picture, error);
}

static void tell_of_pictures(const mrw_session *session, const clip_run *run)
{
    const uint32_t sorted = atomic_load(run->sorted), lights = atomic_load(run->shadowless);
    const char *path = session->model->path;
    char text[1024];
    if (sorted > 0) {
        snprintf(text, sizeof text,
                 "%.500s: %u picture%s more than %u transparent fragments in a band of 8 rows; "
                 "there, triangles are blended as a whole and hide one another where they cross",
                 path, sorted, sorted == 1 ? " has" : "s have", MRW_RASTER_FRAGMENTS_MAX);
        mrwi_session_warn(run->sink->host, text);
    }
    if (lights > 0) {
        snprintf(text, sizeof text,
                 "%.500s: of %u lights that could cast shadows, the last %u cast none (the files' "
                 "lights count first, then those of --light); at most %d can",
                 path, MRW_SHADOW_LIGHTS + lights, lights, MRW_SHADOW_LIGHTS);
        mrwi_session_warn(run->sink->host, text);
    }
}

/* Sets *out to true if no node is moved by two clips of the scene. *still is then the number of
 * channels by which clips other than `clip` move nodes that `clip` leaves still. */
static mrw_status clips_share_nothing(const mrw_scene *scene, uint32_t clip, bool *out,
                                      uint32_t *still, mrw_error *error)
{
    uint32_t *mover = mrwi_base_alloc_zero(scene->nodes_count, sizeof *mover); /* 1 + the clip */
    if (!mover) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *mover);
    }
    *out = true;
    *still = 0;
    for (uint32_t i = 0; i < scene->clips_count && *out; i++) {
        const mrw_clip *at = &scene->clips[i];
        for (uint32_t c = at->first_channel; c < at->first_channel + at->channel_count; c++) {
            uint32_t *node = &mover[scene->channels[c].node];
            *out = *out && (*node == 0 || *node == i + 1);
            *still += *node == 0 && i != clip;
            *node = i + 1;
        }
    }
    mrwi_base_free(mover);
    return MRW_OK;
}

/* Warns if one clip plays alone and every clip moves nodes of its own. Some programs, such as
 * Blender, write the motion of each object as a clip of its own; one clip alone leaves the other
 * objects still, which is rarely intended. */
static mrw_status warn_of_still_nodes(const mrw_session *session, const mrw_picture *pictures,
                                      uint32_t count, const mrw_session_host *host,
                                      mrw_error *error)
{
    const mrw_session_model *model = session->model;
    const mrw_scene *scene = model->scene;
    const uint32_t clip = count > 0 ? pictures[0].clip : MRW_NONE;
    const bool many = mrw_session_wants_clips(model->settings);
    bool alone = clip != MRW_NONE && scene->clips_count > 1 && model->mix.track_count == 0 && !many;
    for (uint32_t i = 1; i < count && alone; i++) {
        alone = pictures[i].clip == clip;
    }
    if (!alone) {
        return MRW_OK;
    }
    uint32_t still = 0;
    mrw_status status = clips_share_nothing(scene, clip, &alone, &still, error);
    if (status) {
        return status;
    }
    if (alone && still > 0) {
        char text[1024], name[200];
        snprintf(
            text, sizeof text,
            "%.500s: clip \"%s\" leaves %u node%s still that other clips move, because each clip "
            "moves different nodes; --clip all --together plays them at once",
            model->path,
            mrwi_base_escape(mrw_scene_string(scene, scene->clips[clip].name), name, sizeof name),
            still, still == 1 ? "" : "s");
        mrwi_session_warn(host, text);
    }
    return MRW_OK;
}

/* Returns true if the camera was placed to show the whole model. */
static bool is_framed(const mrw_session *session)
{
    const mrw_settings *settings = session->model->settings;
    return !mrw_settings_given(settings, "eye") && !mrw_settings_given(settings, "camera") &&
           !mrw_settings_given(settings, "view-height");
}

/* Makes everything about the pictures of one clip that threads then draw from: cameras, labels and
 * neighbours. The caller frees the arena and *views, also after a failure. */
static mrw_status set_up_clip(mrw_session *session, const mrw_picture *pictures, uint32_t count,
                              const mrw_session_sink *sink, mrwi_base_arena *arena,
                              mrwi_session_views *views, mrw_frame_def *out, mrw_error *error)
{
    const char **labels;
    mrw_status status = make_labels(session, pictures, count, arena, &labels, error);
    if (status) {
        return status;
    }
    status = mrwi_session_shoot(session, pictures, count, sink, views, error);
    if (status) {
        return status;
    }
    *out = session->frame;
    out->views = views->views;
    out->cameras = views->cameras;
    out->labels = labels;
    status =
        find_neighbours(session, pictures, count, true, sink, views, arena, &out->lasts, error);
    if (status) {
        return status;
    }
    return find_neighbours(session, pictures, count, false, sink, views, arena, &out->nexts, error);
}

mrw_status mrw_session_perform(mrw_session *session, const mrw_picture *pictures, uint32_t count,
                               mrw_crew *crew, const mrw_session_sink *sink, mrw_error *error)
{
    _Atomic uint32_t sorted = 0, shadowless = 0;
    few blank = {0, MRW_NONE}, sparse = {0, MRW_NONE};
    clip_run run = {.sink = sink,
                    .sorted = &sorted,
                    .shadowless = &shadowless,
                    .blank = &blank,
                    .sparse = &sparse};
    mrw_status status = warn_of_still_nodes(session, pictures, count, sink->host, error);
    if (status) {
        return status;
    }
    for (uint32_t length; run.first < count; run.first += length) {
        const mrw_picture *at = pictures + run.first;
        mrwi_session_views views = {0};
        mrwi_base_arena arena = {0};
        mrw_frame_def frame;
        length = mrwi_session_clip_run(at, count - run.first);
        status = set_up_clip(session, at, length, sink, &arena, &views, &frame, error);
        if (!status) {
            status = mrw_crew_render(crew, &frame, session->instances, session->instance_count,
                                     views.times, views.time_count, pass_on, &run, error);
            if (status == MRW_ERROR_INPUT && error) {
                mrwi_base_fail(error, status, "%s: %s", session->model->path, error->text);
            }
        }
        mrwi_session_views_free(&views);
        mrwi_base_arena_free(&arena);
        if (status) {
            break;
        }
    }
    tell_of_pictures(session, &run);
    if (status || count == 0 || sink->aim) { /* a sink that aims decides what is seen */
        return status;
    }
    if (blank.count > 0) {
        mrwi_session_warn_of_blank(session, &pictures[blank.first], blank.count, sink);
    } else if (sparse.count > 0 && is_framed(session)) {
        mrwi_session_warn_of_sparse(session, &pictures[sparse.first], sparse.count, sink);
    } else {
        mrwi_session_warn_of_insides(session, sink->host);
    }
    return MRW_OK;
}
