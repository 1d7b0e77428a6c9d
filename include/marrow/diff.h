/* diff.h: two pictures, two folders of pictures or two models against each other. What differs are
 * results, as of tests: report.h shows them.
 *
 * Threads: several comparisons may run at once, as long as they write to different files and
 * folders. Each takes threads of its own. Nothing here prints.
 */
#ifndef MARROW_DIFF_H
#define MARROW_DIFF_H

#include "options.h"
#include "report.h"
#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two of what are compared. */
typedef enum mrw_diff_kind {
    MRW_DIFF_PICTURES, /* two files that mrw_image_read reads */
    MRW_DIFF_FOLDERS,  /* two folders of such files */
    MRW_DIFF_MODELS    /* two files that mrw_load_file reads, demo:NAME included */
} mrw_diff_kind;

/* Tells folders by what they are, pictures by their content or, where that tells nothing, by their
 * ending; everything else is a model. MRW_ERROR_USAGE for two of different kinds, MRW_ERROR_INPUT
 * for what is not there: *out is then what the name of the first tells. */
MRW_API mrw_status mrw_diff_kind_of(const char *before, const char *after, mrw_diff_kind *out,
                                    mrw_error *error);

/* How to compare. All of it is borrowed until mrw_diff returns. */
typedef struct mrw_diff_def {
    const mrw_settings *settings; /* how to compare, and of models what to draw and how */
    const mrw_session_host *host; /* hears of models; may be NULL */
    bool all_metrics;             /* also of what passes; what fails always has them */
    const char *out; /* where pictures of differences go; NULL: none are written. PICTURES: a PNG
                        file, written in any case. FOLDERS: a folder, NAME.png in it for what
                        differs. MODELS: a folder, CLIP/CLIP_FRAME.expected.png, .png and
                        .diff.png in it for clips that differ. Missing folders are made. */
    int threads;     /* default 1 */
    mrw_isa isa;
    /* Called when a picture was compared, on any thread but one at a time; may be NULL. Anything
     * but MRW_OK ends the comparison. */
    mrw_status (*progress)(void *user, size_t done, size_t count, mrw_error *error);
    /* MODELS: asked before each picture, also before those that are drawn to be shown and not
     * counted, on any thread, several at a time; may be NULL. Anything but MRW_OK ends the
     * comparison. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    void *user;
} mrw_diff_def;

/* One thread, the fastest kernels, no pictures and nobody to tell; everything but the settings may
 * then be changed. */
MRW_API mrw_diff_def mrw_diff_def_default(const mrw_settings *settings);

/* Compares two of the kind that mrw_diff_kind_of tells. A difference is no error: results hold a
 * case for each picture or clip, with a message in any case ("identical", "the same"), `golden` is
 * what was before, `model` what comes after. Paths of pictures lead from the current folder.
 *
 * PICTURES: one case. MRW_ERROR_INPUT when one can't be read.
 *
 * FOLDERS: a case for each picture (by its ending: png, jpg, jpeg, bmp, tga, dds) in either, by its
 * path below the folder; hidden ones and links to folders are not entered. One that is missing on
 * one side or can't be read is a failure. MRW_ERROR_INPUT when there are none.
 *
 * MODELS: a case for each clip of --clip, of all clips without it, matched by name; the pose of
 * --pose; where no clip is in both, the rest pose. Frames are those of the clip before, by its
 * duration and rate; without an option that says which, all of them. Both sides are drawn with one
 * camera: that which frames both, or the one of the file before (--camera, --follow). Compared are
 * pixels, joints by name, or else by name without namespaces ("rig:Hips" is "Hips", as with
 * --anim), within max_degrees and max_distance of the settings, and bounds. A clip, or a joint,
 * that only one side has, and another duration (by more than a microsecond), are failures by
 * themselves. Equal scenes are not drawn. Vertices that moved are told to the host, as notes: of
 * each mesh that both have how many, and the one that moved most.
 *
 * Free *out with mrw_results_free; after a failure there is nothing to free. MRW_ERROR_USAGE and
 * _INPUT as above and of reading the files, MRW_ERROR_OUTPUT for pictures that can't be written,
 * _UNSUPPORTED for an isa that is not available, MRW_ERROR_MEMORY, and whatever progress returned.
 * Of several pictures that failed the first in their order is told of, whichever came first. */
MRW_API mrw_status mrw_diff(const char *before, const char *after, const mrw_diff_def *def,
                            mrw_results *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
