/* session.h: from settings (options.h) to pictures. Resolves the models, clips, frames and cameras
 * that the settings name, ready for frame.h. The `marrow` command draws through it; a program that
 * must match the command to the last bit uses it, too.
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
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Loading --------------------------------------------------------------------------------- */

/* Callbacks of the program that uses a session, including its loader for the model "-". Any
 * callback may be NULL, and so may a pointer to a host. Texts are one line without a newline, safe
 * for a terminal, and valid only during the call. All except `progress` are called on the thread
 * that loads or prepares. */
typedef struct mrw_session_host {
    void *user;
    void (*warning)(void *user, const char *text);         /* about a file; names it */
    void (*machine_warning)(void *user, const char *text); /* see mrw_load_def */
    void (*file_opened)(void *user, int fd);               /* see mrw_load_def */
    void (*variant_found)(void *user, const char *name);   /* see mrw_load_def */
    /* See mrw_load_def. Files are loaded one after another. Called from any thread. */
    void (*progress)(void *user, uint32_t done, uint32_t count);
    void (*note)(void *user, const char *text); /* information for the user */
    /* Receives details such as hashes and seconds. NULL: hashes are not computed. */
    void (*detail)(void *user, const char *text);
    /* Loads the model "-". NULL: "-" is an error. */
    mrw_status (*standard_input)(void *user, const mrw_load_def *def, mrw_scene **out,
                                 mrw_error *error);
    bool no_texels;  /* models are inspected but not drawn: decode no map */
    bool clips_only; /* see mrw_load_def; only for mrw_session_load */
    /* Additional maps to decode, one bit each, beyond those that the settings need
     * (mrw_session_load). For programs that also draw the model with other settings. Default none.
     */
    uint32_t maps;
    /* Repeat a model's warnings for each session that gets it from a cache; otherwise they are
     * given once, when it is loaded. Warnings about clips of --anim are always given once. */
    bool warn_again;
} mrw_session_host;

/* Loads a model (mrw_load_file, with the file options of the settings) and adds the clips of
 * --anim. Decodes only the maps that settings->command needs (mrw_command_info.reads): all for
 * MRW_COMMAND_NONE; for commands that draw, those that pictures with these settings read, or all
 * with --displacement FILE. `host` may be NULL. The caller frees *out with mrw_scene_free; it is
 * NULL after a failure. MRW_ERROR_USAGE concerns an option; messages about a file begin with its
 * name. */
MRW_API mrw_status mrw_session_load(const char *path, const mrw_settings *settings,
                                    const mrw_session_host *host, mrw_scene **out,
                                    mrw_error *error);

/* A cache of loaded and prepared models, shared by everyone who asks for the same model: one
 * picture that shows a file many times, several sessions, a run of cases. Thread-safe; a second
 * request waits while the model is being loaded.
 *
 * Two models are the same if the settings for reading files agree and all opened files (model,
 * buffers, textures, those of --anim) hold the same bytes. Relative names are resolved from each
 * model's own folder. The files are read again on each request and compared by SHA-256. A changed
 * file is therefore another model, while copies of a file are one model if the files beside them
 * are equal. (Files read by the importer must have equal names, too.) Two requests for "-" mean the
 * same model. Messages about a model are given once, when it is loaded, unless
 * mrw_session_host.warn_again is set.
 *
 * Environments are cached, too, until the cache is freed. Files with the same bytes share one
 * environment. */
typedef struct mrw_session_cache mrw_session_cache;

/* Creates an empty cache. The caller frees *out with mrw_session_cache_free. */
MRW_API mrw_status mrw_session_cache_create(mrw_session_cache **out, mrw_error *error);

/* Frees the cache, its scenes and everything prepared from them. NULL is allowed. */
MRW_API void mrw_session_cache_free(mrw_session_cache *cache);

/* Returns the model from the cache, or loads it as mrw_session_load does. Release it with
 * mrw_session_cache_release. Texts and lists of the settings are borrowed until the cache is freed.
 * A NULL cache means mrw_session_load. */
MRW_API mrw_status mrw_session_cache_load(mrw_session_cache *cache, const char *path,
                                          const mrw_settings *settings,
                                          const mrw_session_host *host, const mrw_scene **out,
                                          mrw_error *error);

/* Releases a scene from mrw_session_cache_load of this cache, once per load. The last release frees
 * the scene, unless it is one of --add. With a NULL cache the scene is freed. The scene may be
 * NULL. */
MRW_API void mrw_session_cache_release(mrw_session_cache *cache, const mrw_scene *scene);

/* Size of the name below with its NUL; a longer name is truncated. */
#define MRW_SESSION_NAME_SIZE 256

/* Writes the model's name for use in file names: its path without folder, extension and "demo:";
 * "stdin" for "-". The name is as in the path, not escaped. */
MRW_API void mrw_session_name(const char *path, char out[MRW_SESSION_NAME_SIZE]);

/* ---- A model's clips ------------------------------------------------------------------------- */

/* The mix of clips that --blend, --together and --layer define; without them it has no tracks. */
typedef struct mrw_session_mix {
    mrw_track *tracks; /* unless `fixed` is set, the first track stands for the current clip */
    uint32_t track_count;
    bool sync;
    bool fixed;     /* --blend or --together: a single sequence that replaces the clips */
    char name[512]; /* name of that sequence, such as "Walk+Run" */
} mrw_session_mix;

/* A scene together with settings. Const once initialised: sessions and threads may share it. */
typedef struct mrw_session_model {
    const char *path; /* path as given by the caller */
    char name[MRW_SESSION_NAME_SIZE];
    const mrw_scene *scene;
    const mrw_settings *settings;
    mrw_session_mix mix; /* owned */
} mrw_session_model;

/* Initialises a model: finds the clips and nodes of --blend, --together and --layer. `path` is the
 * file of the scene. */
MRW_API mrw_status mrw_session_model_init(const char *path, const mrw_scene *scene,
                                          const mrw_settings *settings, mrw_session_model *out,
                                          mrw_error *error);

/* Frees the mix, but not the scene. A zeroed model is allowed. */
MRW_API void mrw_session_model_free(mrw_session_model *model);

/* The chosen clips. */
typedef struct mrw_session_clips {
    uint32_t *items; /* indices into the scene's clips, or a single MRW_NONE for a pose */
    uint32_t count;  /* at least 1 */
} mrw_session_clips;

/* Finds the clips of --clip (name, index from 0, pattern, "all"), each once, in the given order.
 * Without --clip the result is the first clip, or MRW_NONE if there is none or --pose asks for
 * another pose. A fixed mix counts as one clip, that of its first track. Returns MRW_ERROR_INPUT if
 * no clip matches a name or pattern. Free with mrw_session_clips_free. */
MRW_API mrw_status mrw_session_choose_clips(const mrw_session_model *model, mrw_session_clips *out,
                                            mrw_error *error);

/* Frees the list and zeroes the struct. A zeroed struct is allowed. */
MRW_API void mrw_session_clips_free(mrw_session_clips *clips);

/* Returns a clip's name: the mix's name if it is fixed; "rest" or "bind" for MRW_NONE. The name is
 * as in the file, not escaped, and valid as long as the model. */
MRW_API const char *mrw_session_clip_name(const mrw_session_model *model, uint32_t clip);

/* Returns the duration in seconds of the clip and the clips mixed with it; 0 for MRW_NONE. */
MRW_API double mrw_session_clip_duration(const mrw_session_model *model, uint32_t clip);

/* Returns the rate of --fps. For `--fps file` this is the first common rate (30, 24, 25, 60, 50,
 * 48, 120, 100, 29.97, 23.976) whose frames hit all keys of the clip and of those mixed with it, or
 * the default rate if none does. */
MRW_API mrw_rate mrw_session_clip_rate(const mrw_session_model *model, uint32_t clip);

/* Returns the rate of pictures in the clip's own time: mrw_session_clip_rate divided by --speed
 * (mrw_time_rate). */
MRW_API mrw_rate mrw_session_time_rate(const mrw_session_model *model, uint32_t clip);

/* Finds a node by name, then by index from 0, then by pattern (its first match in scene order).
 * Returns MRW_ERROR_INPUT if none matches; the message lists the nearest names. */
MRW_API mrw_status mrw_session_find_node(const mrw_session_model *model, const char *name,
                                         uint32_t *out, mrw_error *error);

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The viewpoint of a picture. */
typedef struct mrw_session_view {
    /* Name of the view. --views and several angles: "front", or the angles, as "az30_el15".
     * --directions: the direction. --camera: the camera's name as in the file, not escaped, or
     * "camera_2" if it has none. */
    char name[MRW_SESSION_NAME_SIZE];
    /* --directions only: the way the model faces in the picture, if the first direction shows its
     * front: "s" towards the viewer, "w" to the left, "nw" ... Otherwise NULL. Static storage. */
    const char *direction;
    mrw_view_def view;
    /* Camera of the file, or MRW_NONE to use `view`. */
    uint32_t scene_camera;
} mrw_session_view;

/* Returns the number of views that the settings ask for: those of --views, of several --camera, of
 * --directions or of --turntable, or the number of azimuths times that of elevations; otherwise 1.
 */
MRW_API uint32_t mrw_session_view_count(const mrw_settings *settings);

/* Returns true with --turntable: each picture has its own view. Otherwise each time is drawn from
 * every view. */
MRW_API bool mrw_session_turns(const mrw_settings *settings);

/* Returns the camera options of the settings, without --views and the like: the first angles, and
 * mrw_view_def_default for what no option sets. */
MRW_API mrw_view_def mrw_session_view_def(const mrw_settings *settings);

/* Returns a light of --light. Its node is 0: entry->node is the name of the node. */
MRW_API mrw_light_def mrw_session_light_def(const mrw_light_entry *entry);

/* Finds view `index`, below mrw_session_view_count. Returns MRW_ERROR_INPUT if --camera names an
 * unknown camera, or one camera twice. */
MRW_API mrw_status mrw_session_find_view(const mrw_session_model *model, uint32_t index,
                                         mrw_session_view *out, mrw_error *error);

/* One picture to draw: a time of a clip, seen from a view. */
typedef struct mrw_picture {
    /* Index among all requested pictures, from 0. */
    uint32_t index;
    /* Index into the scene's clips, or MRW_NONE: a pose. */
    uint32_t clip;
    /* Frame number in the clip at the rate of mrw_session_time_rate. */
    uint64_t frame;
    /* Time in seconds from the clip's start, after clamping or wrapping. */
    double time;
    /* Time at which animations are played: `time`, but not wrapped with --wrap loop, so that every
     * clip loops by itself. */
    double play_time;
    /* Index for mrw_session_find_view. */
    uint32_t view;
    /* play_time of the previous and the next requested picture of the clip, regardless of shards.
     * Before the first and after the last picture, the time is one frame away. For optical flow. */
    double last_time, next_time;
    /* Views of these two pictures. */
    uint32_t last_view, next_view;
} mrw_picture;

/* Pictures of one or more clips. */
typedef struct mrw_picture_list {
    /* Pictures grouped by clip, and within a clip by time; the views of each time are in order. */
    mrw_picture *items;
    uint32_t count;
    uint32_t view_count; /* views per time; 1 where each picture has its own view */
    /* Number of requested clips, and of frames in the longest of them, duplicates included.
     * mrw_picture_list_share does not change these. */
    uint32_t clip_count;
    uint32_t most_frames;
} mrw_picture_list;

/* Returns true if the settings name several frames or a frame rate. A clip then means all its
 * frames unless some are named; otherwise it means its start. */
MRW_API bool mrw_session_wants_sequence(const mrw_settings *settings);

/* Returns --fit or its default. The default is CLIP with --frames, even for one picture. With
 * --times or --count it is FRAME for one time, else CLIP. Without these three options it is FRAME
 * if `sequence` (see mrw_session_begin) is false or with --turntable, else CLIP. `sheet` uses ALL,
 * but not with --blend or --pose. Shards do not change the result. */
MRW_API mrw_fit mrw_session_fit(const mrw_settings *settings, bool sequence);

/* Lists the pictures that the settings ask for, clip by clip, duplicates included (see
 * mrw_settings_frames); at most 4 * MRW_MAX_FRAMES. --turntable N accepts one time (by default the
 * start) or exactly N times; any other number is MRW_ERROR_USAGE. One time gives N pictures,
 * numbered from 0 like frames. Free with mrw_picture_list_free. */
MRW_API mrw_status mrw_session_pictures(const mrw_session_model *model, bool sequence,
                                        mrw_picture_list *out, mrw_error *error);

/* Removes duplicates (same clip, frame, time and view), then keeps the pictures of --shard. Shard I
 * of N has every N-th time with all its views. `before` is the number of times of earlier lists
 * that are shared out together with this one. A shard may be empty. Returns the number of different
 * times before sharing. */
MRW_API uint64_t mrw_picture_list_share(mrw_picture_list *list, const mrw_settings *settings,
                                        uint64_t before);

/* Returns true if --clip may choose several clips: by several values, a pattern or "all". */
MRW_API bool mrw_session_wants_clips(const mrw_settings *settings);

/* Returns the number of times that mrw_picture_list_share finds, if that does not depend on the
 * model: a still, --count, --times or --turntable, and not several clips. 0: it depends.
 * `sequence`: see mrw_session_begin. */
MRW_API uint64_t mrw_session_known_times(const mrw_settings *settings, bool sequence);

/* Frees and zeroes the list. A zeroed list is allowed. */
MRW_API void mrw_picture_list_free(mrw_picture_list *list);

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

/* ---- The machine ----------------------------------------------------------------------------- */

/* Returns the number of threads: --jobs, or else mrw_cpu_count(); at least 1. */
MRW_API int mrw_session_threads(const mrw_settings *settings);

/* Checks the instruction set of --isa, or else of the environment variable MARROW_ISA. Returns
 * MRW_ERROR_USAGE if the name is unknown, MRW_ERROR_CPU if this machine or build lacks it.
 * Without this check, the kernels silently replace an unavailable set of MARROW_ISA. */
MRW_API mrw_status mrw_session_check_isa(const mrw_settings *settings, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
