/* models.h: from settings (settings.h) to models, their clips and the list of pictures. session.h
 * draws the pictures; it includes this header.
 *
 *     mrw_session_load -> mrw_scene            loads the model's file and those of --anim; or
 *     mrw_session_cache_load                   reuses a model loaded before
 *     mrw_session_model_init                   its clips, and how they are mixed
 *     mrw_session_pictures                     the requested clips and times
 *
 * Every object here borrows its arguments (paths, settings, scenes, models): they must outlive it
 * and must not change. Settings come from a command line or a file and have been checked by
 * mrw_settings_parse or mrw_settings_set. A scene is loaded once and only read afterwards, so any
 * number of models may share it, each with its own settings.
 *
 * Threads: functions on different objects may run concurrently. No function prints.
 *
 * Errors: those of the headers that this one includes; functions that load also return those of
 * load.h, such as MRW_ERROR_TOOL and MRW_ERROR_TIME. Messages about a model's contents begin with
 * its path. MRW_ERROR_USAGE for mistakes that do not depend on any file; MRW_ERROR_INPUT for
 * unreadable files and for unknown clips, nodes, cameras and frames; MRW_ERROR_MEMORY. A failed
 * constructor leaves nothing to free, but freeing is allowed.
 */
#ifndef MARROW_MODELS_H
#define MARROW_MODELS_H

#include "options.h"
#include "scene.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Include load.h and compare.h to use these. */
typedef struct mrw_load_def mrw_load_def;
typedef struct mrw_compare_def mrw_compare_def;

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
    /* See mrw_load_def: finds the files of models in memory. */
    bool (*find_file)(void *user, const char *name, const void **bytes, size_t *size);
    void (*note)(void *user, const char *text); /* information for the user */
    /* Receives details such as hashes and seconds. NULL: hashes are not computed. */
    void (*detail)(void *user, const char *text);
    /* Loads the model "-". NULL: "-" is an error. */
    mrw_status (*standard_input)(void *user, const mrw_load_def *def, mrw_scene **out,
                                 mrw_error *error);
    bool no_texels;  /* models are inspected but not drawn: decode no map */
    bool clips_only; /* load only the clips: see mrw_load_def. Only mrw_session_load takes it */
    /* Additional maps to decode, one bit each, beyond those that the settings need
     * (mrw_session_load). For programs that also draw the model with other settings. Default none.
     */
    uint32_t maps;
    /* Leave JPEGs encoded until the session is prepared: see mrw_load_def. For sessions with
     * fewest_levels. mrw_session_prepare then warns about damaged ones. */
    bool later_jpegs;
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

/* Lets the cache keep models that nobody uses while they take up to `bytes` together; beyond that,
 * the least recently used are freed. Counted are scenes and the textures of prepared models, plus
 * an allowance for the rest. Default 0: a model is freed when it is released last, and failures to
 * read a file are remembered until the cache is freed. Models of --add and environments are not
 * bounded. */
MRW_API void mrw_session_cache_limit(mrw_session_cache *cache, uint64_t bytes);

/* Returns the model from the cache, or loads it as mrw_session_load does. Release it with
 * mrw_session_cache_release. A NULL cache means mrw_session_load. */
MRW_API mrw_status mrw_session_cache_load(mrw_session_cache *cache, const char *path,
                                          const mrw_settings *settings,
                                          const mrw_session_host *host, const mrw_scene **out,
                                          mrw_error *error);

/* The same for a model in memory, whose bytes are only read during the call. `name` appears in
 * messages, its ending tells the format where the content does not, and mrw_session_name makes the
 * model's name of it. The files that the model names come from host->find_file; without it, from
 * --asset-root and --texture-dir only. */
MRW_API mrw_status mrw_session_cache_load_memory(mrw_session_cache *cache, const void *bytes,
                                                 size_t size, const char *name,
                                                 const mrw_settings *settings,
                                                 const mrw_session_host *host,
                                                 const mrw_scene **out, mrw_error *error);

/* Releases a scene from a load of this cache, once per load. After the last release the scene is
 * freed as soon as the limit asks for it, unless it is one of --add. With a NULL cache the scene is
 * freed. The scene may be NULL. */
MRW_API void mrw_session_cache_release(mrw_session_cache *cache, const mrw_scene *scene);

/* Size of the name below with its NUL; a longer name is truncated. */
#define MRW_SESSION_NAME_SIZE 256

/* Writes the model's name for use in file names: its path without folder, extension and "demo:";
 * "stdin" for "-". The name is as in the path, not escaped. */
MRW_API void mrw_session_name(const char *path, char out[MRW_SESSION_NAME_SIZE]);

/* ---- A model's clips ------------------------------------------------------------------------- */

/* The mix of clips that --blend, --together and --layer define; without them it has no tracks. */
typedef struct mrw_session_mix {
    struct mrw_track
        *tracks; /* unless `fixed` is set, the first track stands for the current clip */
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

/* Returns how files are read: the options, the maps that the settings need, and the callbacks of
 * the host. */
MRW_API mrw_load_def mrw_session_load_def(const mrw_settings *settings,
                                          const mrw_session_host *host);

/* Returns how two pictures are compared: the options of --compare, without masks. */
MRW_API mrw_compare_def mrw_session_compare_def(const mrw_settings *settings);

/* Returns the camera options of the settings, without --views and the like: the first angles, and
 * mrw_view_def_default for what no option sets. The azimuth is not yet turned to the model's front
 * (mrw_settings_finds_front), as that of mrw_session_find_view is. */
MRW_API mrw_view_def mrw_session_view_def(const mrw_settings *settings);

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
