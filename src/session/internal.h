/* internal.h: functions that files of the room share. */
#ifndef MRWI_SESSION_INTERNAL_H
#define MRWI_SESSION_INTERNAL_H

#include "load/opened.h"
#include "marrow/session.h"

/* Puts "what: " before the message unless it is there. Returns status. error may be NULL. */
mrw_status mrwi_session_prefix(mrw_error *error, const char *what, mrw_status status);

/* Pass a text to the host, if it listens. */
void mrwi_session_warn(const mrw_session_host *host, const char *text);
void mrwi_session_note(const mrw_session_host *host, const char *text);
void mrwi_session_detail(const mrw_session_host *host, const char *text);

/* ids.c: makes the numbers of --id, one per draw of all instances. The caller frees *out, also
 * after a failure; it is NULL without --id. Fails with MRW_ERROR_INPUT for names that do not exist
 * or draw nothing. Warns the host if a number is also that of a draw without --id. */
mrw_status mrwi_session_number_draws(const mrw_session *session, const mrw_session_host *host,
                                     uint32_t **out, mrw_error *error);

/* pictures.c: warns of clips that a sequence hardly shows because they are too short. */
void mrwi_session_warn_of_short_clips(const mrw_session_model *model, const mrw_session_host *host);

/* maps.c: return the maps of models that are read, one bit per map: by everything that is done with
 * the models, and by what a session prepares. */
uint32_t mrwi_session_maps(const mrw_settings *settings, const mrw_session_host *host);
uint32_t mrwi_session_prepared_maps(const mrw_session *session);

/* A model to load. */
typedef struct mrwi_session_source {
    const char *path;  /* path of its file, or "-"; its name if it is in memory */
    const void *bytes; /* the model in memory; NULL: it is a file */
    size_t size;
} mrwi_session_source;

/* Returns true for standard input. */
bool mrwi_session_is_piped(const mrwi_session_source *source);

/* Returns the model's folder, in out; NULL if it has none. */
const char *mrwi_session_folder_of(const mrwi_session_source *source, char out[MRWI_BASE_PATH_MAX]);

/* Does mrw_session_load and notes which files were read: the model unless it is "-", then each
 * --anim, then --displacement. opened has one entry for each of them, or is NULL. */
mrw_status mrwi_session_load_noting(const mrwi_session_source *source, const mrw_settings *settings,
                                    const mrw_session_host *host, mrwi_load_opened *opened,
                                    mrw_scene **out, mrw_error *error);

/* heights.c: applies --displacement and --subdivide to a scene of a source and puts the result in
 * its place. Notes the file that was read, unless opened is NULL. */
mrw_status mrwi_session_displace(const mrwi_session_source *source, const mrw_settings *settings,
                                 const mrw_session_host *host, mrwi_load_opened *opened,
                                 mrw_scene **scene, mrw_error *error);
/* Reads the file of --displacement again; returns true if it is what was noted. */
bool mrwi_session_heights_again(const mrwi_load_opened *opened, const mrwi_session_source *source,
                                const mrw_settings *settings, const mrw_session_host *host);

/* session.c: how a model of --add is loaded and placed. */
typedef struct mrwi_session_reading {
    char path[4096];
    char node[4096]; /* "" if there is none */
    mrw_placement placement;
    mrw_settings settings;
} mrwi_session_reading;

/* names.c: finds a clip by its name or number, `length` characters of text. Fails with
 * MRW_ERROR_INPUT and the nearest names if there is none. */
mrw_status mrwi_session_find_clip(const mrw_session_model *model, const char *text, size_t length,
                                  uint32_t *out, mrw_error *error);

/* Splits the value of --add into the path of the model and the node. If a file has the whole text,
 * without keys, as its name, that file is meant. */
mrw_status mrwi_session_split_added(const char *text, mrwi_session_reading *out, mrw_error *error);

/* Splits the value of --add and makes the settings that the model is loaded with. */
mrw_status mrwi_session_read_added(const mrw_settings *settings, const char *text,
                                   mrwi_session_reading *out, mrw_error *error);

/* Passes the warnings of a scene that was loaded from path to the host. */
void mrwi_session_pass_warnings(const mrw_session_host *host, const mrw_scene *scene,
                                const char *path);
/* Warns about damaged images that loading path left encoded, once the model's textures are filled.
 */
void mrwi_session_warn_of_damage(const mrw_session_host *host, const char *path,
                                 const mrw_scene *scene, const mrw_model *model);

/* Reads all files again that were read beside a model of the same hash; returns true if they are
 * the same. */
bool mrwi_session_files_again(const mrwi_load_opened *opened, const mrwi_session_source *source,
                              const mrw_settings *settings, const mrw_session_host *host);

/* lights.c: makes the lights of --light, in their order. The caller frees *out, also after a
 * failure. */
mrw_status mrwi_session_lights(const mrw_session_model *model, mrw_light_def **out,
                               mrw_error *error);

/* names.c: find the argument of --shading MODE:ARGUMENT. The channel is found before models are
 * loaded; a joint must exist in some scene of the session. */
mrw_status mrwi_session_find_channel(const mrw_settings *settings, mrw_frame_def *frame,
                                     mrw_error *error);
mrw_status mrwi_session_find_joint(const mrw_session *session, mrw_error *error);

/* model.c: finds the front of the model as it stands in the world, without its turn about the
 * vertical axis. */
mrw_status mrwi_session_find_front(const mrw_session_model *model, mrw_front *out,
                                   mrw_error *error);
/* Does mrw_session_find_view for all mrw_session_view_count views, which share the front. */
mrw_status mrwi_session_find_views(const mrw_session_model *model, mrw_session_view *out,
                                   mrw_error *error);

/* model.c: returns true if the cameras of all views are at one distance. */
bool mrwi_session_shares_distance(const mrw_settings *settings);

/* names.c: returns true and the number if `name` is a number below count of at most 9 digits. */
bool mrwi_session_is_index(const char *name, uint32_t count, uint32_t *out);

/* tracks.c: makes model->mix; the model is otherwise complete. */
mrw_status mrwi_session_mix_make(mrw_session_model *model, mrw_error *error);

/* Returns the duration of a clip in a mix that is not empty, in seconds. */
double mrwi_session_mix_duration(const mrw_session_model *model, uint32_t clip);

/* aim.c: places a camera for each view of the current time. The instances are posed once for all
 * views. */
mrw_status mrwi_session_aim_views(mrw_session *session, mrw_frame_view *out, mrw_error *error);

/* ---- blank.c --------------------------------------------------------------------------------- */

/* Returns true if a finished picture shows only its background, which has one colour. */
bool mrwi_session_is_blank(const mrw_frame_def *def, const mrw_image *image);

/* Warns of `count` blank pictures, one of which is given: names the likely cause and a remedy. Does
 * nothing if there is nothing to draw. */
void mrwi_session_warn_of_blank(mrw_session *session, const mrw_picture *picture, uint32_t count,
                                const mrw_session_sink *sink);

/* sparse.c: returns true for a finished picture that differs from its background in less than 0.1 %
 * of its pixels. */
bool mrwi_session_is_sparse(const mrw_frame_def *def, const mrw_image *image);

/* Warns of `count` such pictures, one of which is given, and names the part of the model that lies
 * farthest from the rest. */
void mrwi_session_warn_of_sparse(mrw_session *session, const mrw_picture *picture, uint32_t count,
                                 const mrw_session_sink *sink);

/* Warns of a mesh of the posed model that is closed and faces inwards, unless another mesh lies
 * inside it: pictures from outside show its inside. */
void mrwi_session_warn_of_insides(const mrw_session *session, const mrw_session_host *host);

/* ---- perform.c ------------------------------------------------------------------------------- */

/* Times of the pictures of one clip, and the cameras that see them. */
typedef struct mrwi_session_views {
    double *times;
    uint32_t time_count;
    mrw_frame_view *views; /* One entry per view of the session, if it has several; else NULL. */
    mrw_camera *cameras;   /* One entry per picture. NULL: all pictures have the cameras in `views`,
                            * or the camera of the session's frame. */
} mrwi_session_views;

/* Plays the pictures and places their cameras. sink may be NULL; otherwise it may stop the loop and
 * place cameras itself. After a failure there is nothing to free. */
mrw_status mrwi_session_shoot(mrw_session *session, const mrw_picture *pictures, uint32_t count,
                              const mrw_session_sink *sink, mrwi_session_views *out,
                              mrw_error *error);
void mrwi_session_views_free(mrwi_session_views *views);

/* Returns how many of the pictures, from the first on, are of one clip. */
uint32_t mrwi_session_clip_run(const mrw_picture *pictures, uint32_t count);

#endif
