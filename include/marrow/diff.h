/* diff.h: compares two pictures, two folders of pictures or two models. The differences are results
 * like those of tests; report.h shows them.
 *
 * Threads: several comparisons may run concurrently if they write to different files and folders.
 * Each uses its own threads. No function prints.
 */
#ifndef MARROW_DIFF_H
#define MARROW_DIFF_H

#include "models.h"
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of things that are compared. */
typedef enum mrw_diff_kind {
    MRW_DIFF_PICTURES, /* two files in a format of mrw_image_read */
    MRW_DIFF_FOLDERS,  /* two folders of such files */
    MRW_DIFF_MODELS    /* two files in a format of mrw_load_file, or demo:NAME */
} mrw_diff_kind;

/* Detects the kind of two paths. Folders are detected as such, pictures by their content or, if
 * that is inconclusive, by their ending; everything else is a model. Returns MRW_ERROR_USAGE if the
 * kinds differ, and MRW_ERROR_INPUT if a path does not exist; *out then follows from the first
 * path's name. */
MRW_API mrw_status mrw_diff_kind_of(const char *before, const char *after, mrw_diff_kind *out,
                                    mrw_error *error);

/* How to compare. All pointers are borrowed until mrw_diff returns. */
typedef struct mrw_diff_def {
    /* Limits of the comparison; for models also what to draw and how. */
    const mrw_settings *settings;
    const mrw_session_host *host; /* receives messages about models; may be NULL */
    bool all_metrics; /* compute every metric for passing pictures too; failures always get them */
    /* Output for pictures of differences; NULL: none are written. PICTURES: a PNG file, written in
     * any case. FOLDERS: a folder, with NAME.png for each picture that differs. MODELS: a folder,
     * with CLIP/CLIP_FRAME.expected.png, .png and .diff.png for clips that differ. Missing folders
     * are created. */
    const char *out;
    int threads; /* default 1 */
    mrw_isa isa;
    /* Called after each picture, from any thread but never concurrently. May be NULL. A result
     * other than MRW_OK ends the comparison. */
    mrw_status (*progress)(void *user, size_t done, size_t count, mrw_error *error);
    /* MODELS: called before each picture, including pictures that are drawn only to be shown and
     * are not counted, from several threads concurrently. May be NULL. A result other than MRW_OK
     * ends the comparison. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    void *user;
} mrw_diff_def;

/* Returns the defaults: one thread, the fastest kernels, no output and no callbacks. All fields but
 * `settings` may then be changed. */
MRW_API mrw_diff_def mrw_diff_def_default(const mrw_settings *settings);

/* Compares two paths of the kind that mrw_diff_kind_of detects. A difference is not an error. The
 * results hold a case per picture or clip, always with a message (also "identical" or "the same");
 * `golden` is the `before` side, `model` the `after` side. Paths of pictures are relative to the
 * current folder.
 *
 * PICTURES: one case. Returns MRW_ERROR_INPUT if a picture cannot be read.
 *
 * FOLDERS: one case per picture in either folder, matched by its path below the folder. Pictures
 * are recognised by their ending (png, jpg, jpeg, bmp, tga, dds). Hidden files and folders, and
 * links to folders, are skipped. A picture that is missing on one side or unreadable is a failure.
 * Returns MRW_ERROR_INPUT if there are no pictures.
 *
 * MODELS: one case per clip of --clip, or of all clips without it, matched by name. With --pose,
 * one case for that pose; if no clip is in both models, one for the rest pose. Frames follow the
 * clip's duration and rate in `before`: those that the options name, otherwise all. Both sides are
 * drawn with one camera: one that frames both, or that of `before` (--camera, --follow). The
 * comparison covers pixels, joints and bounds. Joints are matched by name, or else by name without
 * namespaces ("rig:Hips" is "Hips", as with --anim); max_degrees and max_distance of the settings
 * are their limits. A clip or joint on only one side, and durations that differ by more than a
 * microsecond, are failures of their own. Equal scenes are not drawn. The host receives notes about
 * how the files differ: for each mesh in both models the number of moved vertices and the one that
 * moved most, then other parts, such as colours and weights, in the words of mrw_test_run.
 *
 * Free *out with mrw_results_free; after a failure there is nothing to free. Returns
 * MRW_ERROR_USAGE and MRW_ERROR_INPUT as above and from reading files, MRW_ERROR_OUTPUT if a
 * picture cannot be written, MRW_ERROR_CPU for an unavailable isa, MRW_ERROR_MEMORY, and
 * any error from `progress`. If several pictures fail, the error is that of the first in order, not
 * of the first in time. */
MRW_API mrw_status mrw_diff(const char *before, const char *after, const mrw_diff_def *def,
                            mrw_results *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
