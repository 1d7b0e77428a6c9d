/* plan.h: from settings and models to the pictures to draw and the files they go to: names, sheets,
 * sprite sheets, files of passes, COCO documents. `marrow render`, `sheet`, `sprites` and `bake`
 * plan this way; the options are those of `marrow help render`. It also says what a picture shows
 * at a pixel, as `marrow pick` does.
 *
 *     mrw_plan_check(&settings, &kinds, &error);                    without a model
 *     mrw_session_model_init(path, scene, &settings, &model, &error);
 *     mrw_plan_make(&model, &kinds, NULL, &plan, &error);
 *     mrw_plan_share(&settings, NULL, &plan, &error);
 *     mrw_session_begin(&session, &model, plan.sequence, &error);   of session.h
 *     ...                    draw plan.pictures; picture i goes to
 *     ...                    plan.files.paths[plan.files.of[i]]
 *     mrw_plan_free(&plan);
 *
 * Only the functions of mrw_pass_files and mrw_plan_output write files. Functions may be called on
 * any thread, on one plan by one thread at a time; exceptions are noted. Settings and models must
 * outlive what is made from them.
 */
#ifndef MARROW_PLAN_H
#define MARROW_PLAN_H

#include "bake.h"
#include "json.h"
#include "legend.h"
#include "models.h"
#include "output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* session.h and frame.h have these. */
typedef struct mrw_session mrw_session;
typedef struct mrw_session_sink mrw_session_sink;
typedef struct mrw_sequence_frame mrw_sequence_frame;

/* ---- Formats --------------------------------------------------------------------------------- */

#define MRW_PLAN_ENDINGS 3

/* Formats that -o may name. */
typedef struct mrw_plan_kinds {
    /* All formats of pictures (mrw_output_describe); the default is ".png". */
    bool pictures;
    /* Other endings, such as ".obj"; the first is the default. Unused entries are NULL. */
    const char *endings[MRW_PLAN_ENDINGS];
    /* Template without -o, and of a file in a folder. NULL: a name from the model, its clips and
     * its frames. */
    const char *usual;
} mrw_plan_kinds;

/* Finds the format that -o, --sheet, --atlas and --stream ask for. Returns MRW_ERROR_USAGE if the
 * ending is unknown or does not suit the options. */
MRW_API mrw_status mrw_plan_format(const mrw_settings *settings, mrw_output_format *out,
                                   mrw_error *error);

/* Returns true if the pictures of all models go to one sheet or animation: -o has no {model}. */
MRW_API bool mrw_plan_shares_files(const mrw_settings *settings);

/* Checks all options that say where pictures go, as far as that is possible without a model: -o,
 * --stream, --aov, --atlas and the options that only some formats take. Returns MRW_ERROR_USAGE for
 * the first fault. */
MRW_API mrw_status mrw_plan_check(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                                  mrw_error *error);

/* ---- Passes (--aov) -------------------------------------------------------------------------- */

/* The passes that settings ask for, and how they are written. */
typedef struct mrw_plan_passes {
    /* Number of passes; 0: only the picture is written, and everything below is zero. */
    uint32_t count;
    /* Passes are pictures to look at (--aov-view). */
    bool view;
    /* Each pass has a file of its own. */
    bool each;
    mrw_pass_format format;
    /* [count] in the order of --aov, without images; the names are owned. */
    mrw_output_pass *items;
    /* Passes whose numbers the frame computes, at least one for its camera. */
    mrw_aov_request *requests;
    uint32_t request_count;
    /* [count] index in `requests`, or MRW_NONE for a pass that is a drawn picture. */
    uint32_t *request_of;
    /* [count] the shading mode that draws the pass (--aov-view), or MRW_NONE. */
    uint32_t *shading_of;
    /* With `view`: the request whose numbers say which pixels show something. */
    uint32_t seen;
} mrw_plan_passes;

/* Returns the number of files per picture: 1, or one per pass. */
MRW_API uint32_t mrw_plan_passes_files(const mrw_plan_passes *passes);
/* Returns true if the frame's picture is written: without passes, or as one of them. */
MRW_API bool mrw_plan_passes_show_picture(const mrw_plan_passes *passes);
/* Returns the number of passes that shading modes draw. */
MRW_API uint32_t mrw_plan_passes_modes(const mrw_plan_passes *passes);

/* ---- Plans ----------------------------------------------------------------------------------- */

/* The pictures of one model and their files. Freed with mrw_plan_free. */
typedef struct mrw_plan {
    mrw_picture_list pictures;
    mrw_plan_passes passes;
    /* Files of the pictures; zeroes without files. With one file per pass there are
     * mrw_plan_passes_files() consecutive entries per picture. */
    mrw_output_files files;
    /* JSON files of sprite sheets, one per sheet; or zeroes. */
    mrw_output_files atlases;
    mrw_output_format format;
    /* The whole clip is wanted, unless frames are named: for mrw_session_begin. */
    bool sequence;
    /* [view_count] */
    mrw_session_view *views;
    uint32_t view_count;
    /* {n} of the first picture. */
    uint64_t first_number;
    /* Pictures of all shards, repeated ones included. */
    uint32_t planned;
} mrw_plan;

/* Counts of the earlier models of a command line. */
typedef struct mrw_plan_before {
    uint64_t times;    /* counted by --shard */
    uint64_t pictures; /* counted by {n} */
} mrw_plan_before;

/* Counts the times and pictures of a model, over all shards. If the counts depend on its file, the
 * file is read for its clips alone. Returns zeroes if the file cannot be read: making the plan says
 * why. */
MRW_API mrw_plan_before mrw_plan_count(const char *path, const mrw_settings *settings);

/* Plans the pictures of a model, those of all shards. kinds: NULL plans pictures without files.
 * before: the earlier models, or NULL. *out needs to be freed only after a success. */
MRW_API mrw_status mrw_plan_make(const mrw_session_model *model, const mrw_plan_kinds *kinds,
                                 const mrw_plan_before *before, mrw_plan *out, mrw_error *error);
/* Plans the cell of a sheet that says why a model cannot be read: one picture, which is never
 * drawn, of no clip. Needs -o with a name for all models. *out needs to be freed only after a
 * success. */
MRW_API mrw_status mrw_plan_make_note(const mrw_settings *settings, mrw_plan *out,
                                      mrw_error *error);
/* Keeps each file's picture once, and only the pictures and files of this shard (--shard). Call it
 * once, after the names of all files were checked. Does nothing if pictures share a file. */
MRW_API mrw_status mrw_plan_share(const mrw_settings *settings, const mrw_plan_before *before,
                                  mrw_plan *plan, mrw_error *error);
/* Frees a plan and zeroes it; a zeroed plan is allowed. */
MRW_API void mrw_plan_free(mrw_plan *plan);

/* Names other files for the pictures of a plan, as -o would. option: the option that gave `path`,
 * for messages. The caller frees *out with mrw_output_files_free. */
MRW_API mrw_status mrw_plan_name(const mrw_session_model *model, const char *option,
                                 const char *path, const char *ending, const mrw_plan *plan,
                                 mrw_output_files *out, mrw_error *error);

/* The pictures of one model, of several that may share files. Everything is borrowed. */
typedef struct mrw_plan_part {
    /* Only `path` is read of a model with a note. */
    const mrw_session_model *model;
    /* The files of the first part's plan are those of all parts (mrw_output_files_append). */
    const mrw_plan *plan;
    /* Index of the model's first picture among those of all files. */
    uint32_t first;
    /* Reason why the model cannot be read, which a label shows (mrw_plan_make_note); or NULL. */
    const char *note;
} mrw_plan_part;

/* Returns MRW_ERROR_USAGE unless each sheet of sprites has exactly one JSON file. */
MRW_API mrw_status mrw_plan_check_atlases(const mrw_plan *plan, mrw_error *error);

/* Counts the frames of an earlier run that are beside the written ones: files with the same names
 * but for the number of the frame, which a program that reads the folder would take, too. plan:
 * shared (mrw_plan_share). first: receives one of their names, the least of its
 * clip and view, or "". Returns 0 as well if
 * the files have no frame numbers, if only a shard or passes were written, or if memory ran out. */
MRW_API uint32_t mrw_plan_leftovers(const mrw_settings *settings, const mrw_plan *plan,
                                    char first[MRW_OUTPUT_PATH_SIZE]);

/* Returns the pictures per second of an animation: --fps divided by a constant step of frame
 * numbers; a --count spread over the clip lasts as long as the clip. pictures: those of one file,
 * at least one. */
MRW_API mrw_rate mrw_plan_rate(const mrw_session_model *model, const mrw_picture *pictures,
                               uint32_t count);

/* ---- Sheets ---------------------------------------------------------------------------------- */

/* Labels of sheets. Zero-initialise; free with mrw_plan_labels_free, also after a failure. */
typedef struct mrw_plan_labels {
    mrw_output_label *items; /* [count] one per picture of the files; the texts are owned */
    uint32_t count;
} mrw_plan_labels;

/* Adds the labels of a plan's pictures: model, clip, view, time and pass, as far as they differ.
 * named: headings name the model, too. */
MRW_API mrw_status mrw_plan_labels_add(mrw_plan_labels *labels, const mrw_session_model *model,
                                       const mrw_plan *plan, bool named, mrw_error *error);
/* Adds the label of a picture that could not be drawn: the file name as heading, the reason as
 * note. */
MRW_API mrw_status mrw_plan_labels_add_note(mrw_plan_labels *labels, const char *path,
                                            const char *note, mrw_error *error);
/* Removes headings and captions, so that only notes are left. */
MRW_API void mrw_plan_labels_keep_notes(mrw_plan_labels *labels);
MRW_API void mrw_plan_labels_free(mrw_plan_labels *labels);

/* Cells of sheets, as mrw_output_def takes them. */
typedef struct mrw_plan_layout {
    uint32_t *cells; /* [picture of all files] mrw_output_def.cells; NULL: in order */
    uint32_t columns;
} mrw_plan_layout;

/* Lays out sheets: rows of --rows, one per view if several views have several times, or for
 * `sheet` one per clip. Returns MRW_ERROR_USAGE if the given columns would split a row. The caller
 * frees *out with mrw_plan_layout_free, also after a failure. */
MRW_API mrw_status mrw_plan_layout_make(const mrw_settings *settings, const mrw_plan_part *parts,
                                        uint32_t count, mrw_plan_layout *out, mrw_error *error);
MRW_API void mrw_plan_layout_free(mrw_plan_layout *layout);

/* ---- Sprite sheets --------------------------------------------------------------------------- */

/* Returns true if an option asks for a sprite sheet: --atlas, or one that only those have. */
MRW_API bool mrw_plan_wants_sprites(const mrw_settings *settings);

/* Entries of a sprite sheet. Zero-initialise; free with mrw_plan_sprites_free, also after a
 * failure. */
typedef struct mrw_plan_sprites {
    mrw_output_sprite *items; /* [count] the pictures of all models, one model after the other */
    uint32_t *numbers;        /* [count] index of the picture in its animation */
    char **texts;             /* [text_count] owned; the items refer to them */
    uint32_t count;
    size_t text_count;
} mrw_plan_sprites;

/* Adds the planned pictures of a model. several: names of animations begin with the model's. */
MRW_API mrw_status mrw_plan_sprites_add(mrw_plan_sprites *sprites, const mrw_session_model *model,
                                        const mrw_plan *plan, bool several, mrw_error *error);
/* Gives every picture a unique name. Call it once, after the last model. */
MRW_API mrw_status mrw_plan_sprites_name(mrw_plan_sprites *sprites, mrw_error *error);
/* Finds the node of --pivot; *node is MRW_NONE without that option. */
MRW_API mrw_status mrw_plan_sprites_find_pivot(const mrw_session_model *model, uint32_t *node,
                                               mrw_error *error);
/* Makes the place where a node is seen the pivot of a drawn picture. items: those of the picture's
 * model. Thread-safe for different pictures, in a sink of mrw_session_perform. Returns
 * MRW_ERROR_INPUT if the node is behind the camera. */
MRW_API mrw_status mrw_plan_sprites_put_pivot(mrw_output_sprite *items, uint32_t node,
                                              const mrw_sequence_frame *shown, mrw_error *error);
MRW_API void mrw_plan_sprites_free(mrw_plan_sprites *sprites);

/* ---- Files of passes ------------------------------------------------------------------------- */

/* Files of passes that are being written. Freed with mrw_pass_files_free. */
typedef struct mrw_pass_files {
    const mrw_settings *settings;
    const mrw_plan *plan;
    uint8_t (*hashes)[32];   /* [picture][pass] with settings->output.json, otherwise NULL */
    mrw_intrinsics *cameras; /* [picture] */
    mrw_text *manifests;     /* [pass] JSON of Cryptomatte; empty for other passes */
    mrw_bytes stdout_bytes;  /* the file for standard output */
    mrw_output *output;      /* collects the pictures of a pass; borrowed, NULL for single files */
} mrw_pass_files;

/* Begins the files of a plan with passes, and lets the frame compute these passes. The caller frees
 * *out in any case. */
MRW_API mrw_status mrw_pass_files_begin(const mrw_settings *settings, const mrw_plan *plan,
                                        mrw_frame_def *frame, mrw_pass_files *out,
                                        mrw_error *error);
/* Makes the manifests, and gives errors of the passes before the first picture is drawn. session:
 * prepared. */
MRW_API mrw_status mrw_pass_files_look(mrw_pass_files *files, const mrw_session *session,
                                       mrw_error *error);
/* Writes the files of a picture, except those that shading modes draw. Thread-safe for different
 * pictures: call it in a sink of mrw_session_perform. */
MRW_API mrw_status mrw_pass_files_put(mrw_pass_files *files, const mrw_sequence_frame *frame,
                                      mrw_error *error);
/* Draws the passes that shading modes draw, as `--shading MODE --aa 1` does, and writes them.
 * session: prepared. sink: its go_on is asked as in mrw_session_perform; its `put`, if it has one,
 * gets each picture after that is written. */
MRW_API mrw_status mrw_pass_files_draw_modes(mrw_pass_files *files, const mrw_session *session,
                                             const mrw_session_sink *sink, mrw_error *error);
/* Adds the keys "camera" and "passes" of a picture to an open object. files: begun with
 * settings->output.json; or NULL before anything is written: only the names of files are known
 * then. */
MRW_API void mrw_pass_files_json(const mrw_pass_files *files, const mrw_plan *plan,
                                 uint32_t picture, mrw_json *json);
/* Frees the files and zeroes them; zeroed ones are allowed. */
MRW_API void mrw_pass_files_free(mrw_pass_files *files);

/* ---- Open files ------------------------------------------------------------------------------ */

/* The files of plans while they are written, in any format, with what they need besides pictures.
 * Freed with mrw_plan_output_free.
 *
 *     mrw_plan_output_begin(&settings, parts, count, &out, &error);
 *     mrw_plan_output_open(&out, &session, &error);
 *     mrw_plan_prepare_files(&settings, parts[0].plan, &error);
 *     ...                    each sink of mrw_session_perform calls mrw_plan_output_put
 *     mrw_plan_output_finish(&out, &bytes, &error);
 */
typedef struct mrw_plan_output {
    const mrw_settings *settings;
    const mrw_plan_part *parts; /* [part_count] */
    uint32_t part_count;
    mrw_output *output;       /* takes the pictures; NULL for files of passes alone */
    mrw_pass_files passes;    /* `plan` is NULL without passes */
    mrw_rate *rates;          /* [file] pictures per second of animations, or NULL */
    mrw_plan_layout layout;   /* cells of sheets */
    mrw_plan_labels labels;   /* labels of sheets */
    mrw_plan_sprites sprites; /* entries of sprite sheets, of all parts */
    uint32_t *pivots;         /* [part] node of --pivot, or MRW_NONE; NULL: no sprite sheet */
} mrw_plan_output;

/* Checks the names of atlases and lays out sheets; opens nothing. parts: at least one, borrowed
 * until *out is freed; with passes exactly one, without a note. The caller frees *out with
 * mrw_plan_output_free, also after a failure. */
MRW_API mrw_status mrw_plan_output_begin(const mrw_settings *settings, const mrw_plan_part *parts,
                                         uint32_t count, mrw_plan_output *out, mrw_error *error);
/* Opens the files, whose content appears when it is complete. session: begun, of the first part
 * without a note. Its frame is made to compute the passes, so prepare it afterwards. For a format
 * that is written in order (mrw_output_info.in_order), set frame.every and frame.ahead of each
 * session: they bound the pictures that wait in memory. */
MRW_API mrw_status mrw_plan_output_open(mrw_plan_output *output, mrw_session *session,
                                        mrw_error *error);
/* Makes the folders of a plan's files, atlases included. Returns MRW_ERROR_OUTPUT if a file is
 * there that the settings do not allow to overwrite: without -o or --atlas only --force does. */
MRW_API mrw_status mrw_plan_prepare_files(const mrw_settings *settings, const mrw_plan *plan,
                                          mrw_error *error);
/* Takes a drawn picture of a part: writes it, or adds it to its file. Thread-safe for different
 * pictures: call it in a sink of mrw_session_perform. */
MRW_API mrw_status mrw_plan_output_put(mrw_plan_output *output, uint32_t part,
                                       const mrw_sequence_frame *frame, mrw_error *error);
/* Fills the cell of a part with a note with the background. */
MRW_API mrw_status mrw_plan_output_put_note(mrw_plan_output *output, uint32_t part,
                                            mrw_error *error);
/* Completes the files. *stdout_bytes receives what goes to standard output, or is empty; the caller
 * frees it with mrw_bytes_free. */
MRW_API mrw_status mrw_plan_output_finish(mrw_plan_output *output, mrw_bytes *stdout_bytes,
                                          mrw_error *error);
/* Frees what is owned and zeroes the struct. Files that are not complete do not appear. A zeroed
 * struct is allowed. */
MRW_API void mrw_plan_output_free(mrw_plan_output *output);

/* ---- Meaning of numbers ---------------------------------------------------------------------- */

/* Adds an object with the meaning of the numbers in passes: "ids", one per draw, "materials" and
 * "joints". session: prepared. */
MRW_API void mrw_plan_legend_json(const mrw_session *session, mrw_json *json);
/* Adds the keys of one entry of "ids" to an open object. */
MRW_API void mrw_plan_legend_draw_json(const mrw_session *session, const mrw_legend_draw *at,
                                       mrw_json *json);

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Surface that a picture shows at a pixel. Freed with mrw_pick_free. */
typedef struct mrw_pick {
    /* Column and row, from 0 at the top left corner. */
    uint32_t pixel[2];
    /* Draw of the legend whose surface is seen; borrowed from the legend. NULL: the pixel shows
     * nothing, and everything below is zero. */
    const mrw_legend_draw *draw;
    /* Index of the triangle in the mesh. */
    uint32_t triangle;
    /* Weights of the triangle's corners, with sum 1. */
    float barycentric[3];
    /* Position in world space. */
    float position[3];
    /* Distance along the view, in world units. */
    float depth;
    /* Distance from the eye, in world units; equal to `depth` in parallel projections. */
    float distance;
    /* 1 plus the node of the joint with the largest weight; 0: no joint moves the point. */
    uint32_t joint;
    /* Joints that move the point, with their weights. */
    mrw_point_joints joints;
} mrw_pick;

/* Returns the passes that mrw_pick_at reads, for mrw_frame_def.aovs; static. */
MRW_API const mrw_aov_request *mrw_pick_requests(uint32_t *count);
/* Finds what a drawn picture shows at a pixel inside it. shown: drawn with the passes of
 * mrw_pick_requests and without numbers of --id (mrw_frame_def.ids is NULL), so that the legend's
 * draws are found by their index. Thread-safe, in a sink of mrw_session_perform. The caller frees
 * *out. */
MRW_API mrw_status mrw_pick_at(const mrw_legend *legend, const mrw_sequence_frame *shown,
                               const uint32_t pixel[2], mrw_pick *out, mrw_error *error);
/* Adds an object with the pixel and what it shows: "x", "y" and "surface". session: prepared. */
MRW_API void mrw_pick_json(const mrw_session *session, const mrw_pick *pick, mrw_json *json);
/* Frees what is owned and zeroes the rest. A zeroed struct is allowed. */
MRW_API void mrw_pick_free(mrw_pick *pick);

/* ---- Meshes and joints as JSON --------------------------------------------------------------- */

/* Adds a line with the measures of a picture's meshes, as `marrow bake --json` prints it. picture:
 * one of the model. */
MRW_API void mrw_plan_meshes_json(const mrw_session_model *model, const mrw_picture *picture,
                                  const mrw_bake_meshes *meshes, mrw_json *json);
/* Adds a line with the joints of a picture, as `marrow bake --joints` writes it: camera, joints,
 * skins. joints: those of the session's model. */
MRW_API void mrw_plan_joints_json(const mrw_session *session, const mrw_plan *plan,
                                  const mrw_picture *picture, const mrw_bake_joints *joints,
                                  mrw_json *json);

/* ---- COCO ------------------------------------------------------------------------------------ */

/* Key points of people for --joints-format coco-17. With another format both pointers are NULL. */
typedef struct mrw_coco_people {
    uint32_t (*nodes)[MRW_PERSON_POINTS]; /* [instance] as of mrw_bake_find_person */
    bool *found;                          /* [instance] the instance is a human figure */
} mrw_coco_people;

/* Finds the people among a session's instances. Returns MRW_ERROR_INPUT if the model is not a human
 * figure. session: prepared. The caller frees *out with mrw_coco_people_free, also after a
 * failure. */
MRW_API mrw_status mrw_coco_people_find(const mrw_session *session, mrw_coco_people *out,
                                        mrw_error *error);
MRW_API void mrw_coco_people_free(mrw_coco_people *people);

/* Finds the mask of each instance in a picture whose first pass is MRW_AOV_ID, drawn without
 * numbers of --id. Call it before mrw_pose_instances, which invalidates the pass. The caller frees
 * *out with mrw_bake_masks_free. */
MRW_API mrw_status mrw_coco_masks_find(const mrw_session *session, const mrw_sequence_frame *shown,
                                       mrw_bake_masks *out, mrw_error *error);

/* Writes the annotations of a picture, one per visible instance: the elements of the document's
 * array, each on a line, with commas between them. work: the picture as posed; its `instance` is
 * ignored. The caller frees *out with mrw_text_free, also after a failure. */
MRW_API mrw_status mrw_coco_annotate(const mrw_session *session, const mrw_coco_people *people,
                                     const mrw_sequence_frame *shown,
                                     const mrw_bake_joints_job *work, const mrw_bake_masks *masks,
                                     mrw_text *out, mrw_error *error);

/* Adds the document of all pictures: images, annotations, categories and the legend. annotations:
 * those of all pictures, with commas between them. names: the files that the images name
 * (mrw_plan_name). */
MRW_API void mrw_coco_document_json(const mrw_session *session, const mrw_coco_people *people,
                                    const mrw_plan *plan, const mrw_output_files *names,
                                    const mrw_text *annotations, mrw_json *json);

#ifdef __cplusplus
}
#endif
#endif
