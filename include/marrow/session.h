/* session.h: from settings (options.h) to pictures: what they say of models, clips, frames and
 * cameras, ready for frame.h. The command draws through it, and whoever wants what the command
 * draws, to the last bit, does so too.
 *
 *   mrw_session_load -> mrw_scene            the files: the model's, and those of --anim; or
 *   mrw_session_cache_load                   what was loaded before
 *   mrw_session_model_init                   its clips, and how they are mixed
 *   mrw_session_pictures                     which clips and times are asked for
 *   mrw_session_begin, _prepare              instances of the model and of --add's
 *   mrw_session_perform                      draws them on many threads into a sink; or
 *   mrw_session_play, _aim, then mrw_render  for each picture
 *
 * Loading and sessions are apart: a scene is loaded once and only read from then on, so any number
 * of models and sessions may use it at the same time, each with settings of its own. Whatever is
 * begun here borrows what it is given (paths, settings, scenes, models), which must live longer and
 * stay as it is. Settings are those of a command line or file, checked by mrw_settings_parse or
 * mrw_settings_set.
 *
 * Threads: functions on different objects may run at the same time; one session is used by one
 * thread at a time, and uses several itself. Nothing here prints.
 *
 * Errors are those of the rooms below, with the model's path in front of what a model lacks:
 * MRW_ERROR_USAGE for what is wrong whatever the file holds, MRW_ERROR_INPUT for files that can't
 * be read and for clips, nodes, cameras and frames that are not there, MRW_ERROR_MEMORY. Where
 * making something failed there is nothing to free, and freeing it is allowed; only a session that
 * could not be prepared is to be freed all the same.
 */
#ifndef MARROW_SESSION_H
#define MARROW_SESSION_H

#include "frame.h"
#include "load.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Loading --------------------------------------------------------------------------------- */

/* The program around a session: who hears what is found on the way, and what "-" is. Any may be
 * NULL, and so may a pointer to a host. Texts are one line without a newline, safe for a terminal,
 * and valid during the call only. Called on the thread that loads or prepares, but for
 * progress. */
typedef struct mrw_session_host {
    void *user;
    void (*warning)(void *user, const char *text);         /* about a file, with its name */
    void (*machine_warning)(void *user, const char *text); /* see mrw_load_def */
    void (*file_opened)(void *user, int fd);               /* see mrw_load_def */
    /* The same: of one file after the other, from any thread. */
    void (*progress)(void *user, uint32_t done, uint32_t count);
    void (*note)(void *user, const char *text);   /* what a user may want to know */
    void (*detail)(void *user, const char *text); /* figures for the curious: hashes, seconds;
                                                     NULL: the hashes are not made */
    /* Loads the model "-". NULL: such a model is refused. */
    mrw_status (*standard_input)(void *user, const mrw_load_def *def, mrw_scene **out,
                                 mrw_error *error);
    bool no_texels; /* models are looked at, not drawn: no map is decoded */
    /* Maps that are decoded beside those that settings read (mrw_session_load), a bit each: for who
     * draws the model with other settings, too. Default none. */
    uint32_t maps;
    /* Warnings of a model are told to each session that a cache gives it to; else once, when it is
     * loaded. (Those about clips of --anim are told once.) */
    bool warn_again;
} mrw_session_host;

/* Loads a model (mrw_load_file, with all that settings say of reading files) and adds the clips of
 * --anim. Only the maps are decoded that settings->command reads (mrw_command_info.reads): of
 * MRW_COMMAND_NONE all, of those that draw what the pictures of these settings read, and all with
 * --displacement FILE. host may be NULL. The caller frees *out with mrw_scene_free; it is NULL
 * after a failure. MRW_ERROR_USAGE is about an option; a message about a file begins with its name.
 */
MRW_API mrw_status mrw_session_load(const char *path, const mrw_settings *settings,
                                    const mrw_session_host *host, mrw_scene **out,
                                    mrw_error *error);

/* Models that were loaded and prepared, for all who ask for the same again: one picture that shows
 * a file many times, several sessions, a run of cases. Thread-safe; what is being loaded is waited
 * for.
 *
 * Two models are the same when settings say the same of reading files and all files that were
 * opened for one hold the same bytes, looked for where they would be for the other: model, buffers,
 * textures, those of --anim. They are read anew each time, and compared by SHA-256, so that a file
 * that was changed is another model, while copies of a file are one, if the files beside them are
 * the same. (What the importer reads must also be called the same.) "-" is the same as "-". What
 * there is to say about a model is told once, when it is loaded, but for
 * mrw_session_host.warn_again.
 *
 * Environments are kept, too, until it is freed: one for all files of the same bytes. */
typedef struct mrw_session_cache mrw_session_cache;

/* The caller frees *out with mrw_session_cache_free. */
MRW_API mrw_status mrw_session_cache_create(mrw_session_cache **out, mrw_error *error);

/* Frees the cache, its scenes and what was prepared of them. NULL is allowed. */
MRW_API void mrw_session_cache_free(mrw_session_cache *cache);

/* mrw_session_load, unless the cache has the model. To be given back with
 * mrw_session_cache_release. Texts and lists of settings are borrowed until the cache is freed.
 * cache NULL: mrw_session_load. */
MRW_API mrw_status mrw_session_cache_load(mrw_session_cache *cache, const char *path,
                                          const mrw_settings *settings,
                                          const mrw_session_host *host, const mrw_scene **out,
                                          mrw_error *error);

/* Gives a scene back that mrw_session_cache_load gave from this cache: once a call. Given back by
 * all, it is freed, unless it is one of --add. NULL for the cache frees the scene; for the scene is
 * allowed. */
MRW_API void mrw_session_cache_release(mrw_session_cache *cache, const mrw_scene *scene);

/* Bytes of the name below with its NUL; one that is longer is cut. */
#define MRW_SESSION_NAME_SIZE 256

/* What a model is called in names of files: its path without folder, extension and "demo:"; "-" is
 * "stdin". As the path has it, not escaped. */
MRW_API void mrw_session_name(const char *path, char out[MRW_SESSION_NAME_SIZE]);

/* ---- A model's clips ------------------------------------------------------------------------- */

/* What --blend, --together and --layer make of a model's clips; no tracks without them. */
typedef struct mrw_session_mix {
    mrw_track *tracks; /* without `fixed` the first stands for whichever clip is at hand */
    uint32_t track_count;
    bool sync;
    bool fixed;     /* --blend or --together: one sequence, in place of the clips */
    char name[512]; /* of that sequence: "Walk+Run" */
} mrw_session_mix;

/* A scene as settings see it. Const once it is made: sessions and threads may share it. */
typedef struct mrw_session_model {
    const char *path; /* as given */
    char name[MRW_SESSION_NAME_SIZE];
    const mrw_scene *scene;
    const mrw_settings *settings;
    mrw_session_mix mix; /* owned */
} mrw_session_model;

/* Finds the clips and nodes of --blend, --together and --layer. path is where the scene is from. */
MRW_API mrw_status mrw_session_model_init(const char *path, const mrw_scene *scene,
                                          const mrw_settings *settings, mrw_session_model *out,
                                          mrw_error *error);

/* Frees the mix; the scene is not the model's. A zeroed model is allowed. */
MRW_API void mrw_session_model_free(mrw_session_model *model);

/* Clips that were chosen. */
typedef struct mrw_session_clips {
    uint32_t *items; /* indices into the scene's clips, or one MRW_NONE: a pose */
    uint32_t count;  /* at least 1 */
} mrw_session_clips;

/* The clips of --clip (name, index from 0, pattern, "all"), each once, in the order given. Without
 * it the first clip, or MRW_NONE when there is none or --pose asks for another pose. A fixed mix is
 * one clip: that of its first track. MRW_ERROR_INPUT for a name or pattern that no clip has. Free
 * with mrw_session_clips_free. */
MRW_API mrw_status mrw_session_choose_clips(const mrw_session_model *model, mrw_session_clips *out,
                                            mrw_error *error);

/* Frees and zeroes them. Zeroed ones are allowed. */
MRW_API void mrw_session_clips_free(mrw_session_clips *clips);

/* What a clip is called: of a fixed mix its name, of MRW_NONE "rest" or "bind". As the file has it,
 * not escaped; valid as long as the model. */
MRW_API const char *mrw_session_clip_name(const mrw_session_model *model, uint32_t clip);

/* Seconds, of what is mixed with it too; 0 for MRW_NONE. */
MRW_API double mrw_session_clip_duration(const mrw_session_model *model, uint32_t clip);

/* --fps; with `--fps file` the first usual rate (30, 24, 25, 60, 50, 48, 120, 100, 29.97, 23.976)
 * on whose frames all keys lie, of the clip and what is mixed with it; the default, when there is
 * none. */
MRW_API mrw_rate mrw_session_clip_rate(const mrw_session_model *model, uint32_t clip);

/* The rate at which the pictures lie in the clip: that divided by --speed (mrw_time_rate). */
MRW_API mrw_rate mrw_session_time_rate(const mrw_session_model *model, uint32_t clip);

/* Finds a node by name, else by index from 0, else by pattern: the first that matches, in the order
 * of the scene. MRW_ERROR_INPUT for none, with the nearest names. */
MRW_API mrw_status mrw_session_find_node(const mrw_session_model *model, const char *name,
                                         uint32_t *out, mrw_error *error);

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Where a picture is seen from. */
typedef struct mrw_session_view {
    /* Of --views, and of several angles: "front", or the angles, "az30_el15"; of --directions the
     * direction; of --camera the camera's name, or "camera_2" where it has none. As the file has
     * it, not escaped. */
    char name[MRW_SESSION_NAME_SIZE];
    /* Of --directions which way the model looks in the picture, if its front is at the first of
     * them: "s" out of it, "w" to the left, "nw"...; else NULL. Static storage. */
    const char *direction;
    mrw_view_def view;
    /* A camera of the file, or MRW_NONE: the view's. */
    uint32_t scene_camera;
} mrw_session_view;

/* How many views settings ask for: those of --views, of several --camera, of --azimuth times those
 * of --elevation, of --directions, of --turntable; else 1. */
MRW_API uint32_t mrw_session_view_count(const mrw_settings *settings);

/* True with --turntable: each picture has a view of its own. Else each time has all of them. */
MRW_API bool mrw_session_turns(const mrw_settings *settings);

/* View `index`, below that number. MRW_ERROR_INPUT where --camera names none, or one twice. */
MRW_API mrw_status mrw_session_find_view(const mrw_session_model *model, uint32_t index,
                                         mrw_session_view *out, mrw_error *error);

/* One time of one clip, seen from one view: what there is to draw. */
typedef struct mrw_picture {
    /* Its place among all pictures that were asked for, from 0. */
    uint32_t index;
    /* Index into the scene's clips, or MRW_NONE: a pose. */
    uint32_t clip;
    /* Its number in the clip, at the rate of mrw_session_time_rate. */
    uint64_t frame;
    /* Seconds from the clip's start, clamped or wrapped. */
    double time;
    /* The same, but with --wrap loop not wrapped, so that every clip loops by itself. */
    double play_time;
    /* Of mrw_session_find_view. */
    uint32_t view;
    /* play_time of the pictures of the clip that were asked for before and behind this one,
     * whatever shard they are of; at the ends a frame away. For the flow to them. */
    double last_time, next_time;
    /* Their views. */
    uint32_t last_view, next_view;
} mrw_picture;

/* Pictures of one or several clips. */
typedef struct mrw_picture_list {
    /* Those of one clip stand together, and in it the views of each time, in order. */
    mrw_picture *items;
    uint32_t count;
    uint32_t view_count; /* of each time; 1 where each picture has its own */
    /* Clips that were asked for, and the most frames of one, equal ones included: sharing out below
     * changes neither. */
    uint32_t clip_count;
    uint32_t most_frames;
} mrw_picture_list;

/* True when settings speak of several frames or of their rate: then a clip means all its frames,
 * unless some are named, and otherwise its start. */
MRW_API bool mrw_session_wants_sequence(const mrw_settings *settings);

/* --fit, or its default: FRAME where settings ask for one time of a clip (one of --times, --count
 * 1; without `sequence`, of mrw_session_begin, none of them), whatever --shard leaves of it; else
 * CLIP. --frames names pictures of a sequence, of one, too. */
MRW_API mrw_fit mrw_session_fit(const mrw_settings *settings, bool sequence);

/* The pictures that settings ask for, clip by clip, equal ones included (see mrw_settings_frames).
 * At most 4 * MRW_MAX_FRAMES. With --turntable N those of one time, the start where none is asked
 * for, numbered from 0 as frames, or N frames that are asked for; any other number of them is
 * MRW_ERROR_USAGE. Free with mrw_picture_list_free. */
MRW_API mrw_status mrw_session_pictures(const mrw_session_model *model, bool sequence,
                                        mrw_picture_list *out, mrw_error *error);

/* Keeps the first of equal pictures (of one clip, frame, time and view), and of those that remain
 * the ones of --shard: of N shards the I-th has every N-th time, which may be none, with all its
 * views. */
MRW_API void mrw_picture_list_share(mrw_picture_list *list, const mrw_settings *settings);

/* Frees and zeroes the list. A zeroed one is allowed. */
MRW_API void mrw_picture_list_free(mrw_picture_list *list);

/* ---- The session ----------------------------------------------------------------------------- */

/* What is in a picture, and the camera that sees it: what mrw_render and mrw_render_sequence take.
 * Zero-initialise. Fields are read, unless it says otherwise. */
typedef struct mrw_session {
    const mrw_session_model *model;
    mrw_frame_def frame; /* its shading and passes may be changed before preparing, where the scene
                            has the maps that they read (mrw_session_host.maps), and between
                            pictures what concerns neither these nor the shape of the picture */
    mrw_fit fit;         /* of mrw_session_fit */
    int threads;         /* may be changed */
    /* May be set before preparing, for a session that draws the pictures which its settings ask for
     * (mrw_session_pictures, of which --shard may leave some out), each with the camera of
     * mrw_session_aim, and no others: only those levels of textures are kept that such pictures can
     * show; where settings name frames or times, also those that the rest of the clip shows. That
     * does not change a pixel. All pictures are posed while it prepares, and cameras are found:
     * what mrw_session_aim refuses is refused then. Scenes drop their texels
     * (mrw_scene_drop_texels): nothing else may use the model's, nor the cache. */
    bool fewest_levels;
    mrw_session_cache *cache; /* may be set before preparing: where the models of --add are taken
                               from, to stay there until it is freed, and where the model is
                               prepared when its scene is from there. NULL: the session has one of
                               its own, for those of --add */

    /* The model, those of --add, copies of the model; NULL until prepared. */
    mrw_instance *instances;
    const mrw_scene **scenes; /* of each instance */
    uint32_t instance_count;
    uint32_t model_count; /* instances without the copies */

    /* Written by mrw_session_aim: the box of all that frame.camera was placed for, world space;
     * false where nothing was measured, as for a camera of the file. */
    bool has_framed;
    mrw_shadow_bounds framed;

    struct mrw_session_owned *owned; /* the room's own */
} mrw_session;

/* Reads what settings say of pictures, lights and cameras, and finds what --camera, --follow and
 * --light name.
 * sequence: mrw_session_wants_sequence, or what the caller knows better. */
MRW_API mrw_status mrw_session_begin(mrw_session *session, const mrw_session_model *model,
                                     bool sequence, mrw_error *error);

/* Loads the models of --add and the environment of --env, gives draws the numbers of --id
 * (session->frame.ids), and prepares all for drawing with session->frame.shading. Once; what
 * follows is for sessions that are prepared. host may be NULL.
 */
MRW_API mrw_status mrw_session_prepare(mrw_session *session, const mrw_session_host *host,
                                       mrw_error *error);

/* What the model of an instance is called: mrw_session_name of its path, of copies that of the
 * model. Of a session that is prepared. */
MRW_API void mrw_session_instance_name(const mrw_session *session, uint32_t instance,
                                       char out[MRW_SESSION_NAME_SIZE]);

/* Frees all that the session made, and zeroes it. A zeroed session is allowed. */
MRW_API void mrw_session_free(mrw_session *session);

/* Lets everything play a clip of the model at a picture's play_time, and sees it from the picture's
 * view from the next mrw_session_aim on. Models of --add play their clip of the same name, else
 * their first. */
MRW_API void mrw_session_play(mrw_session *session, const mrw_picture *picture);

/* Sees what is drawn from another view from the next mrw_session_aim on: of a session that is
 * prepared, without fewest_levels, and whose camera is none of the file. The view is checked when
 * the camera is placed. */
MRW_API void mrw_session_set_view(mrw_session *session, const mrw_view_def *view);

/* Places the camera for the picture at hand, as --fit says: for it alone (FRAME), for all pictures
 * of its clip (CLIP), or once for all (REST, ALL: later calls do nothing). A --camera of the file
 * stays where it is. Near and far enclose what is framed; with REST, and with --root-motion loop,
 * they lie far apart, for what is drawn may leave it. A view with eye, target, near and far, and of
 * parallel projections the height, needs nothing to be measured. */
MRW_API mrw_status mrw_session_aim(mrw_session *session, mrw_error *error);

/* mrw_session_aim in two steps, so that several sessions can share one view: gather the extents of
 * each, merge them (mrw_extents_merge), and aim all at the sum. Their settings must agree on the
 * camera's options and on the picture's shape. The extents are those of the picture at hand, as
 * --fit says, each time. With --follow they are what the camera sees as it moves. */
MRW_API mrw_status mrw_session_extents(mrw_session *session, mrw_extents *out, mrw_error *error);
MRW_API mrw_status mrw_session_aim_at(mrw_session *session, const mrw_extents *extents,
                                      mrw_error *error);

/* ---- Pictures on many threads ---------------------------------------------------------------- */

/* What becomes of pictures. All functions get `user`; what they return other than MRW_OK, with
 * *error filled, ends the performance. */
typedef struct mrw_session_sink {
    void *user;
    /* Receives a picture, on the thread that drew it (see mrw_frame_sink); index and same_as are
     * places in the pictures given. */
    mrw_frame_sink put;
    /* Places session->frame.camera for a picture whose clip the session plays at its time; called
     * on the caller's thread. NULL: mrw_session_aim. Of sessions with one view alone. */
    mrw_status (*aim)(void *user, mrw_session *session, const mrw_picture *picture,
                      mrw_error *error);
    /* Asked before a camera is placed and before a picture is put: a signal, say. NULL: go on. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    /* Its `warning` hears what is wrong with the pictures, once they are drawn, on the caller's
     * thread: that not all could be blended exactly (MRW_RASTER_FRAGMENTS_MAX), or that lights have
     * no shadows (MRW_SHADOW_LIGHTS). NULL: nobody does. */
    const mrw_session_host *host;
} mrw_session_sink;

/* THE loop of pictures: of a session that is prepared, with the threads of a crew and what they
 * draw with; session->threads is for measuring what cameras frame. Pictures of one clip that stand
 * together have one camera, unless the session frames each by itself (FRAME), and are drawn at
 * once, equal ones a single time (mrw_crew_render; with session->frame.every each).
 *
 * Ends at the first failure, the same whatever the threads: clip by clip, of a clip that of its
 * first camera, all of which are placed before anything is drawn, then that of its first picture.
 *
 * With several views all of a time stand together, in order, as in a list of pictures: each time is
 * posed and skinned once.
 *
 * session->frame.cameras is not read. Afterwards instances, and frame.camera, are those of the
 * picture that a camera was placed for last. */
MRW_API mrw_status mrw_session_perform(mrw_session *session, const mrw_picture *pictures,
                                       uint32_t count, mrw_crew *crew, const mrw_session_sink *sink,
                                       mrw_error *error);

/* ---- The machine ----------------------------------------------------------------------------- */

/* How many threads settings want: --jobs, else mrw_cpu_count(); at least 1. */
MRW_API int mrw_session_threads(const mrw_settings *settings);

/* Refuses an instruction set (--isa, else MARROW_ISA of the environment) that has no such name
 * (MRW_ERROR_USAGE) or that this machine or build lacks (MRW_ERROR_UNSUPPORTED): the kernels
 * themselves would silently take others in place of MARROW_ISA's. */
MRW_API mrw_status mrw_session_check_isa(const mrw_settings *settings, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
