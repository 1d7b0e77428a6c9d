/* session.h: from settings (settings.h) to pictures. With models.h it resolves the models, clips,
 * frames and cameras that the settings name, ready for frame.h. The `marrow` command draws through
 * it; a program that must match the command to the last bit uses it, too.
 *
 *     mrw_session_load -> mrw_scene            loads the model's file and those of --anim; or
 *     mrw_session_cache_load                   reuses a model loaded before
 *     mrw_session_model_init                   its clips, and how they are mixed
 *     mrw_session_pictures                     the requested clips and times
 *     mrw_session_begin, _prepare              instances of the model and of those of --add
 *     mrw_session_perform                      draws them on many threads into a sink; or
 *     mrw_session_play, _aim, then mrw_render  for each picture
 *
 * Loading is separate from sessions. A scene is loaded once and only read afterwards, so any number
 * of models and sessions may share it, each with its own settings. Every object here borrows its
 * arguments (paths, settings, scenes, models): they must outlive it and must not change. Settings
 * come from a command line or a file and have been checked by mrw_settings_parse or
 * mrw_settings_set.
 *
 * Threads: functions on different objects may run concurrently. A session is used by one thread at
 * a time, and starts threads itself. No function prints.
 *
 * Errors: those of the headers that this one includes. Messages about a model's contents begin with
 * its path. MRW_ERROR_USAGE for mistakes that do not depend on any file; MRW_ERROR_INPUT for
 * unreadable files and for unknown clips, nodes, cameras and frames; MRW_ERROR_MEMORY. A failed
 * constructor leaves nothing to free, but freeing is allowed. The exception is a session whose
 * mrw_session_prepare failed: it must be freed.
 */
#ifndef MARROW_SESSION_H
#define MARROW_SESSION_H

#include "frame.h"
#include "load.h"
#include "models.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Frames of settings ---------------------------------------------------------------------- */

/* Returns the options of a frame, without the parts that need a model: camera, lights of --light,
 * environments, passes, numbers of --id. mrw_session_begin and mrw_session_prepare add those. */
MRW_API mrw_frame_def mrw_session_frame_def(const mrw_settings *settings);

/* ---- The session ----------------------------------------------------------------------------- */

/* The contents of a picture and its camera: the input of mrw_render and mrw_render_sequence.
 * Zero-initialise. Fields are read-only unless their comment says otherwise. */
typedef struct mrw_session {
    const mrw_session_model *model;
    /* Shading and passes may be changed before mrw_session_prepare if the scene has the maps that
     * they read (mrw_session_host.maps). Between pictures, any field may be changed except those
     * that affect shading, passes or the picture's aspect ratio. */
    mrw_frame_def frame;
    mrw_fit fit; /* from mrw_session_fit */
    int threads; /* may be changed */
    /* May be set before mrw_session_prepare. Keeps only the texture levels that the session's
     * pictures can show. Set it only if the session draws no pictures other than those of
     * mrw_session_pictures (--shard may omit some), each with the camera of mrw_session_aim. If the
     * settings name frames or times, levels for the rest of the clip are kept as well. Pixels do
     * not change.
     *
     * mrw_session_prepare then poses all pictures and finds their cameras, and reports the errors
     * of mrw_session_aim. It calls mrw_scene_drop_texels for the scenes, so nothing else may use
     * the model's scene or the cache. */
    bool fewest_levels;
    /* May be set before mrw_session_prepare. Cache from which the models of --add are loaded; they
     * stay in it until it is freed. If the model's scene comes from this cache, its prepared model
     * is kept there, too. NULL: the session has its own cache for the models of --add. */
    mrw_session_cache *cache;

    /* The model, the models of --add, then the copies of the model; NULL until prepared. */
    mrw_instance *instances;
    const mrw_scene **scenes; /* scene of each instance */
    uint32_t instance_count;
    uint32_t model_count; /* instances without the copies */

    /* World-space box for which mrw_session_aim placed frame.camera. has_framed is false if nothing
     * was measured, as for a camera of the file. */
    bool has_framed;
    mrw_shadow_bounds framed;

    struct mrw_session_owned *owned; /* private */
} mrw_session;

/* Returns --fit or its default. The default is CLIP with --frames, even for one picture. With
 * --times or --count it is FRAME for one time, else CLIP. Without these three options it is FRAME
 * if `sequence` (see mrw_session_begin) is false or with --turntable, else CLIP. `sheet` uses ALL,
 * but not with --blend or --pose. Shards do not change the result. */
MRW_API mrw_fit mrw_session_fit(const mrw_settings *settings, bool sequence);

/* Returns a light of --light. Its node is 0: entry->node is the name of the node. */
MRW_API mrw_light_def mrw_session_light_def(const mrw_light_entry *entry);

/* Begins a session. Reads the settings for pictures, lights and cameras, and finds the objects that
 * --camera, --follow and --light name. `sequence` is mrw_session_wants_sequence, unless the caller
 * knows better. */
MRW_API mrw_status mrw_session_begin(mrw_session *session, const mrw_session_model *model,
                                     bool sequence, mrw_error *error);

/* Loads the models of --add and the environment of --env, assigns the numbers of --id
 * (session->frame.ids), and prepares everything for drawing with session->frame.shading. Call it
 * once; the functions below need a prepared session. `host` may be NULL. */
MRW_API mrw_status mrw_session_prepare(mrw_session *session, const mrw_session_host *host,
                                       mrw_error *error);

/* Writes the name of an instance's model: mrw_session_name of its path. Copies have the model's
 * name. The session must be prepared. */
MRW_API void mrw_session_instance_name(const mrw_session *session, uint32_t instance,
                                       char out[MRW_SESSION_NAME_SIZE]);

/* Frees everything that the session made, and zeroes it. A zeroed session is allowed. */
MRW_API void mrw_session_free(mrw_session *session);

/* Plays a clip of the model at the picture's play_time, and selects the picture's view for the next
 * mrw_session_aim. Models of --add play their clip of the same name, or else their first. */
MRW_API void mrw_session_play(mrw_session *session, const mrw_picture *picture);

/* Selects another view for the next mrw_session_aim, which also checks it. The session must be
 * prepared, without fewest_levels, and must not use a camera of the file. */
MRW_API void mrw_session_set_view(mrw_session *session, const mrw_view_def *view);

/* Places the camera for the current picture as --fit says: for it alone (FRAME), for all pictures
 * of its clip (CLIP), or once for all (REST, ALL; later calls do nothing). A camera of the file
 * stays in its place. The near and far planes enclose the framed box; with REST and with
 * --root-motion loop they are far apart, because the model may leave that box. A view with eye,
 * target, near and far (and, if orthographic, height) needs no measuring. */
MRW_API mrw_status mrw_session_aim(mrw_session *session, mrw_error *error);

/* mrw_session_aim in two steps, so that several sessions can share one view: get the extents of
 * each session, merge them (mrw_extents_merge), and aim all sessions at the result. Their settings
 * must agree on the camera options and the picture's aspect ratio. Extents are those of the current
 * picture, according to --fit. With --follow they are relative to the moving camera. */
MRW_API mrw_status mrw_session_extents(mrw_session *session, mrw_extents *out, mrw_error *error);
MRW_API mrw_status mrw_session_aim_at(mrw_session *session, const mrw_extents *extents,
                                      mrw_error *error);

/* ---- Pictures on many threads ---------------------------------------------------------------- */

/* Receiver of pictures. All functions get `user`. A result other than MRW_OK, with *error filled
 * in, ends the run. */
typedef struct mrw_session_sink {
    void *user;
    /* Receives a picture on the thread that drew it (see mrw_frame_sink). index and same_as are
     * indices into the given pictures. */
    mrw_frame_sink put;
    /* Places session->frame.camera for a picture whose clip and time the session already plays.
     * Called on the caller's thread. NULL: mrw_session_aim. Only for sessions with a single view.
     */
    mrw_status (*aim)(void *user, mrw_session *session, const mrw_picture *picture,
                      mrw_error *error);
    /* Asked before each camera is placed and before each picture is put, for example to react to a
     * signal. NULL: never stop. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    /* Its `warning` receives problems of the pictures after they are drawn, on the caller's thread:
     * inexact blending (MRW_RASTER_FRAGMENTS_MAX) or lights without shadows (MRW_SHADOW_LIGHTS).
     * NULL: no warnings. */
    const mrw_session_host *host;
} mrw_session_sink;

/* Draws pictures of a prepared session with the threads and memory of a crew; session->threads is
 * used only to measure what cameras frame. Consecutive pictures of one clip are drawn in one batch
 * (mrw_crew_render). They share a camera unless the session frames each picture separately (FRAME).
 * Duplicates are drawn only once unless session->frame.every is set.
 *
 * Ends at the first failure, which is the same for any number of threads. Clips are drawn in order.
 * Within a clip, camera failures come first, because all cameras are placed before anything is
 * drawn.
 *
 * With several views, the views of each time must be consecutive and in order, as in a picture
 * list. Each time is then posed and skinned once.
 *
 * session->frame.cameras is ignored. Afterwards the instances and frame.camera are those of the
 * last picture for which a camera was placed. */
MRW_API mrw_status mrw_session_perform(mrw_session *session, const mrw_picture *pictures,
                                       uint32_t count, mrw_crew *crew, const mrw_session_sink *sink,
                                       mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
