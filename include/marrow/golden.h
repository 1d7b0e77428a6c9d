/* golden.h: golden-image regression tests: running the cases of suites, updating what they are
 * compared with.
 *
 *     suite files -> mrw_case_list -> mrw_test_run -> mrw_results -> reports
 *       (suite.h)                          |              |           (report.h)
 *                                    results folder  results.json -> mrw_results_read, accept,
 *                                                                    merge, --last-failed
 *
 * Goldens of a case lie in GOLDEN/SUITE/CASE/: CLIP_FRAME.png (frame numbers of four digits or
 * more), golden.txt (pixel version, scene hashes and, with store = hash, pixel hashes), pose.txt
 * and bounds.txt. Results have the same names below RESULTS/SUITE/CASE/, so that accepting is
 * copying. golden.txt also holds what the pictures were made of: the camera that drew them and when
 * each is, their size, what the suite said, and the parts of each model. Cases are drawn with that
 * camera, so that what has not changed stays where it was; that they would be framed otherwise now,
 * by a quarter of a pixel or more, is a failure by itself. Where the suite asks for another time,
 * size or camera than a golden is of, nothing is compared, which is a failure, too. A golden.txt of
 * an older marrow has nothing of this: such cases are framed anew (see mrw_case_result).
 *
 * What another backend than software draws has goldens of its own, in
 * GOLDEN/SUITE/CASE/BACKEND/, whose golden.txt names the driver, too. A golden.txt whose scene
 * hashes are of another formula (MRW_SCENE_FORMULA) than this marrow's says nothing of the scene;
 * everything else is compared.
 *
 * Goldens that nothing vouches for fail, whatever the pixels: a golden.txt that is missing beside
 * others, is damaged, has a frame twice, or is of another number of models than the case draws; a
 * key frame whose picture is not the one that golden.txt has the hash of; frames that are goldens
 * but are not drawn any more, where the scene is another (with the same scene the suite asks for
 * fewer: they are listed as unused); goldens of another backend, with which no picture is compared;
 * goldens of another driver of the same backend, whatever its pictures look like.
 *
 * mask = node:NAME leaves out the pixels where this run draws the node, by sample 0. Goldens don't
 * hold where nodes are: what the golden shows of the node elsewhere is compared with what is drawn
 * there now, so a masked node may look different but not move; for where it moves, add a mask of a
 * rectangle or an image. (mrw_diff of two models draws both: there a node is left out where either
 * shows it.)
 *
 * Memory: everything in a list or in results belongs to it and is freed with it.
 */
#ifndef MARROW_GOLDEN_H
#define MARROW_GOLDEN_H

#include "report.h"
#include "session.h"
#include "suite.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Which cases of a list run. */
typedef struct mrw_case_choice {
    const char *const *globs; /* a case matches one of them, see mrw_case_matches; */
    size_t glob_count;        /* 0: all do */
    const char *tag;          /* NULL: all */
    bool last_failed;         /* only those that failed in the last run, as results.json tells */
    const char *out;          /* results folder of --out, or NULL: see mrw_case.results */
    uint32_t shard_index;     /* 1 ... shard_count: every shard_count-th case */
    uint32_t shard_count;     /* 0 or 1: all */
} mrw_case_choice;

/* Whether SUITE/CASE or CASE of a case matches a pattern of names. Fails only for want of memory.
 */
MRW_API mrw_status mrw_case_matches(const mrw_case *item, const char *glob, bool *out,
                                    mrw_error *error);

/* Takes what is not chosen out of the list: by name, tag and the last run, then every
 * shard_count-th of what is left. The same list gives the same shards everywhere. MRW_ERROR_USAGE
 * when last_failed finds no results.json of any case. */
MRW_API mrw_status mrw_cases_choose(mrw_case_list *list, const mrw_case_choice *choice,
                                    mrw_error *error);

/* ---- Running --------------------------------------------------------------------------------- */

typedef enum mrw_update {
    MRW_UPDATE_NONE,
    MRW_UPDATE_MISSING, /* write goldens that are missing */
    MRW_UPDATE_CHANGED, /* and those that differ beyond what the comparison allows */
    MRW_UPDATE_ALL
} mrw_update;

typedef struct mrw_test_def {
    mrw_update update;
    bool allow_blank;    /* --update also writes empty pictures; golden.txt then says
                            that they are meant to be, and they pass */
    bool fail_fast;      /* start no case after one has failed; those left out are skipped */
    bool changed;        /* run those cases alone that have other inputs than their goldens: see
                            mrw_test_run. Not with `against` */
    bool full;           /* the list is all cases of its suites: unused goldens are looked for */
    bool prune;          /* and removed */
    uint32_t repeat;     /* runs of each case; 0 or 1: one. Runs that differ are a failure */
    const char *out;     /* results folder; NULL: results/ beside each suite */
    const char *against; /* another marrow: its pictures and poses are the goldens; or NULL. Nothing
                            is updated or looked for among goldens. See mrw_test_run */
    const mrw_backend *backend; /* what draws, and its goldens; NULL: software. Its `name` is that
                                   of a folder. One worker draws with it, and cases with a
                                   soft_reason are skipped */
    const char *driver;         /* what draws for the backend, of 200 characters; NULL: software */
    double against_seconds;     /* how long it may take for a case's pictures; default 120 */
    uint32_t shard_index; /* which part of the cases the list is, from 1: it is noted in results */
    uint32_t shard_count; /* 0 or 1: the list is all */
    int threads;
    mrw_isa isa;
    /* Where models and environments are taken from, and stay, with what was measured of them, until
     * it is freed: for several runs of the same cases, which must live as long. NULL: the run has a
     * cache of its own. */
    mrw_session_cache *cache;
    /* Called when a case is done, on any thread but one at a time; may be NULL. Anything but MRW_OK
     * ends the run after the cases at work; what is done stays whole. */
    mrw_status (*progress)(void *user, const mrw_case_result *result, size_t done, size_t count,
                           mrw_error *error);
    /* Asked before each picture of a case, on any thread, several at a time; may be NULL.
     * MRW_ERROR_CANCELLED ends the run in the middle of its cases: those at work leave nothing and
     * count as skipped. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    /* Called while another run writes into the results folder, twenty times a second, on the thread
     * that called; may be NULL. Anything but MRW_OK ends the run, which has not begun. */
    mrw_status (*waiting)(void *user, const char *folder, mrw_error *error);
    /* May be NULL. Called on any thread but one at a time. What was repaired or left out of a model
     * when it was loaded, one line each; what this machine lacks (see mrw_load_def), once. */
    void (*warning)(void *user, const char *text);
    void (*machine_warning)(void *user, const char *text);
    void (*file_opened)(void *user, int fd); /* see mrw_load_def; as those two */
    void *user;
} mrw_test_def;

MRW_API mrw_test_def mrw_test_def_default(void);

/* Runs all cases of a list, several at once, and writes results: what differs, its pictures and
 * results.json, below def->out or beside each suite; the results of an earlier run of the same
 * cases are removed first. Of several runs into one folder, of this process or others on this
 * machine, one works and the others wait (where the file system has locks). With several results
 * folders each gets its own results.json and *out holds all of them, relative to the current
 * folder. A case that fails is no error; what makes running impossible (a results folder that can't
 * be written, say) is. A model that does not load, and masks that leave nothing of a picture to
 * compare, fail their case without frames.
 *
 * What cases and frames have in common is done once. A model is loaded once for all cases that read
 * it the same way. What they frame is measured once for those that frame it the same way: with
 * fit = all or rest whatever their clips, with fit = clip those of one clip, with fit = frame each
 * by itself; so are cases with add, blend, layer or follow. Frames of a clip whose nodes and morph
 * weights are the same, to the bit, are drawn and posed once and judged each. def->repeat draws and
 * poses all again.
 *
 * With def->changed cases are left out (MRW_LEFT_OUT) whose goldens were made of what they would
 * draw now: nothing is drawn of them, and of their models as much is loaded as the hashes need.
 * Inputs are what golden.txt holds: the scenes of the model with its textures, clips of other
 * files and displacement, and of added models, by their hashes; the suite's keys that bear on
 * pixels; the picture's size; the pixel version; the driver of another backend. What can't be known
 * counts as changed: a golden, a picture or a frame that is missing, empty or cut; a text file of
 * theirs that does not parse; a golden.txt before version 3 or of another MRW_SCENE_FORMULA; a
 * model that does not load; an environment or a matcap of a file, whose hash golden.txt does not
 * hold. So does what failed in the last run, as results.json tells, and what was known to fail then
 * and is no longer said to. No inputs of a golden are masks and tolerances, and pixels of golden
 * pictures are not looked at: run all cases when you have changed those.
 *
 * With def->against the other program draws each case into a temporary folder: `render` and `bake`
 * with the case's options as the suite has them, so that frames and framing are its own. Where its
 * camera is another than this marrow's, that is a failure by itself, told first; pictures are then
 * compared through the other's camera, so that what else differs is seen. (Not with --camera and
 * --follow, nor when the other is too old for `bake --joints`.) An option that it does not know, a
 * crash, or more than def->against_seconds fail the case with what it said. Poses and bounds are
 * those of the model, without models of --add. MRW_ERROR_USAGE when it is no marrow. */
MRW_API mrw_status mrw_test_run(const mrw_case_list *cases, const mrw_test_def *def,
                                mrw_results *out, mrw_error *error);

/* One golden that accepting would change or has changed. */
typedef struct mrw_change {
    const char *suite;
    const char *name;  /* of the case */
    const char *frame; /* NULL: the case's text files alone */
    const char *text;  /* one line: "new", "132 of 5210 pixels differ ...", "joint LeftFoot turned
                          3.1 degrees" */
    bool refused;      /* empty, and blank is not allowed */
    bool left;         /* with `framing`: more than that differs */
} mrw_change;

typedef struct mrw_changes {
    mrw_change *items;
    size_t count;
    void *memory;
} mrw_changes;

/* What of the results becomes goldens. */
typedef struct mrw_accept_def {
    const char *from; /* a results folder; NULL: that of the last run */
    bool allow_blank; /* empty pictures, too */
    bool framing;     /* alone: of cases that would be framed otherwise and differ in nothing else
                         the camera, and the pictures that it gives */
    bool dry_run;     /* nothing is written, the changes are only listed */
} mrw_accept_def;

/* Makes the results of the last run goldens of the cases in the list, those in which something
 * differs; of the backend that drew them. A case that would be framed otherwise gets the new camera
 * and all pictures that it gives, which the run has left beside the others. Each file is replaced
 * whole; golden.txt last. */
MRW_API mrw_status mrw_accept(const mrw_case_list *cases, const mrw_accept_def *def,
                              mrw_changes *out, mrw_error *error);
MRW_API void mrw_changes_free(mrw_changes *changes);

#ifdef __cplusplus
}
#endif
#endif
