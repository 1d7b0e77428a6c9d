/* internal.h: what the files of the room share. */
#ifndef MRWI_SESSION_INTERNAL_H
#define MRWI_SESSION_INTERNAL_H

#include "load/opened.h"
#include "marrow/session.h"

/* Puts "what: " before the message, unless it begins so. Returns status. error may be NULL. */
mrw_status mrwi_session_prefix(mrw_error *error, const char *what, mrw_status status);

/* Tell the host, if it listens. */
void mrwi_session_warn(const mrw_session_host *host, const char *text);
void mrwi_session_note(const mrw_session_host *host, const char *text);
void mrwi_session_detail(const mrw_session_host *host, const char *text);

/* ids.c: the numbers of --id, one a draw of all instances, which the caller frees; NULL without
 * any. MRW_ERROR_INPUT for what is not there or shows nothing; the host is warned where a number is
 * also that of draws without one of their own. */
mrw_status mrwi_session_number_draws(const mrw_session *session, const mrw_session_host *host,
                                     uint32_t **out, mrw_error *error);

/* pictures.c: warns of clips of which a sequence shows next to nothing. */
void mrwi_session_warn_of_short_clips(const mrw_session_model *model, const mrw_session_host *host);

/* maps.c: the maps that are read of models, a bit each: of all that is done with them, and of what
 * a session prepares. */
uint32_t mrwi_session_maps(const mrw_settings *settings, const mrw_session_host *host);
uint32_t mrwi_session_prepared_maps(const mrw_session *session);

/* load.c: what settings say of reading files. */
mrw_load_def mrwi_session_load_def(const mrw_settings *settings, const mrw_session_host *host);

/* mrw_session_load, and notes what was read: of the model, but "-", then of each --anim, then of
 * --displacement. opened has an entry for each of them, or is NULL. */
mrw_status mrwi_session_load_noting(const char *path, const mrw_settings *settings,
                                    const mrw_session_host *host, mrwi_load_opened *opened,
                                    mrw_scene **out, mrw_error *error);

/* heights.c: what --displacement and --subdivide make of a scene that was read from path, put in
 * its place; what was read is noted, unless opened is NULL. */
mrw_status mrwi_session_displace(const char *path, const mrw_settings *settings,
                                 const mrw_session_host *host, mrwi_load_opened *opened,
                                 mrw_scene **scene, mrw_error *error);
/* Looks at the file of --displacement again: whether it is what was noted. */
bool mrwi_session_heights_again(const mrwi_load_opened *opened, const char *path,
                                const mrw_settings *settings, const mrw_session_host *host);

/* session.c: how a model of --add is read. */
typedef struct mrwi_session_reading {
    char path[4096];
    char node[4096]; /* "" if there is none */
    mrw_placement placement;
    mrw_settings settings;
} mrwi_session_reading;

/* mix.c: finds a clip by its name or number, `length` characters of text. MRW_ERROR_INPUT, with the
 * nearest names, if there is none. */
mrw_status mrwi_session_find_clip(const mrw_session_model *model, const char *text, size_t length,
                                  uint32_t *out, mrw_error *error);

/* Splits the value of --add into the path of the model and the node; a file that has the whole
 * name, without keys, is meant first. */
mrw_status mrwi_session_split_added(const char *text, mrwi_session_reading *out, mrw_error *error);

/* Splits the value of --add, and makes the settings that the model is read with. */
mrw_status mrwi_session_read_added(const mrw_settings *settings, const char *text,
                                   mrwi_session_reading *out, mrw_error *error);

/* Tells the warnings of a scene that was loaded from path. */
void mrwi_session_pass_warnings(const mrw_session_host *host, const mrw_scene *scene,
                                const char *path);

/* Looks at all files again that were read beside a model of the same hash. */
bool mrwi_session_files_again(const mrwi_load_opened *opened, const char *path,
                              const mrw_settings *settings, const mrw_session_host *host);

/* lights.c: the lights of --light, in their order; the caller frees *out, also after a failure. */
mrw_status mrwi_session_lights(const mrw_session_model *model, mrw_light_def **out,
                               mrw_error *error);

/* data.c: what --shading MODE:ARGUMENT shows. The channel, known before models are; the joint,
 * which some scene of the session must have. */
mrw_status mrwi_session_find_channel(const mrw_settings *settings, mrw_frame_def *frame,
                                     mrw_error *error);
mrw_status mrwi_session_find_joint(const mrw_session *session, mrw_error *error);

/* settings.c: what settings say of a picture. */
mrw_frame_def mrwi_session_frame(const mrw_settings *settings);

/* model.c: where the model has its front, as it stands in the world but for its turn. */
mrw_status mrwi_session_find_front(const mrw_session_model *model, mrw_front *out,
                                   mrw_error *error);

/* model.c: true where all views stand at one distance. */
bool mrwi_session_shares_distance(const mrw_settings *settings);

/* mix.c: true for a number below count, in at most 9 digits. */
bool mrwi_session_is_index(const char *name, uint32_t count, uint32_t *out);

/* mix.c: fills in model->mix; the model is otherwise complete. */
mrw_status mrwi_session_mix_make(mrw_session_model *model, mrw_error *error);

/* Seconds that a clip plays in a mix that is not empty. */
double mrwi_session_mix_duration(const mrw_session_model *model, uint32_t clip);

/* aim.c: places a camera for each view of the time at hand, for which everything is posed once. */
mrw_status mrwi_session_aim_views(mrw_session *session, mrw_frame_view *out, mrw_error *error);

/* ---- blank.c --------------------------------------------------------------------------------- */

/* Whether a finished picture shows nothing but its background, if that has one colour. */
bool mrwi_session_is_blank(const mrw_frame_def *def, const mrw_image *image);

/* Says of `count` blank pictures, of which one is given, what may be the cause and what may help;
 * nothing where there is nothing to draw. */
void mrwi_session_warn_of_blank(mrw_session *session, const mrw_picture *picture, uint32_t count,
                                const mrw_session_sink *sink);

/* sparse.c: true for a finished picture that differs from its background in less than 0.1 % of its
 * pixels. */
bool mrwi_session_is_sparse(const mrw_frame_def *def, const mrw_image *image);

/* Warns of `count` such pictures, of which one is given, and names the part of the model that lies
 * farthest from the rest. */
void mrwi_session_warn_of_sparse(mrw_session *session, const mrw_picture *picture, uint32_t count,
                                 const mrw_session_sink *sink);

/* Names a mesh of the model, as it is posed, that is closed and faces inwards, unless it holds
 * another: pictures from outside show its inside. */
void mrwi_session_warn_of_insides(const mrw_session *session, const mrw_session_host *host);

/* ---- perform.c ------------------------------------------------------------------------------- */

/* When pictures of one clip are played and where they are seen from. */
typedef struct mrwi_session_views {
    double *times;
    uint32_t time_count;
    mrw_frame_view *views; /* of the session's views, where there are several */
    mrw_camera *cameras;   /* one a picture; NULL: all have those, or that of the session's frame */
} mrwi_session_views;

/* Plays the pictures and places their cameras, as the sink says, which may be NULL. Nothing is to
 * be freed when it fails. */
mrw_status mrwi_session_shoot(mrw_session *session, const mrw_picture *pictures, uint32_t count,
                              const mrw_session_sink *sink, mrwi_session_views *out,
                              mrw_error *error);
void mrwi_session_views_free(mrwi_session_views *views);

/* How many of the pictures, from the first on, are of one clip. */
uint32_t mrwi_session_clip_run(const mrw_picture *pictures, uint32_t count);

#endif
