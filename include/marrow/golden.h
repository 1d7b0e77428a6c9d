/* golden.h: golden-image regression tests: runs the cases of suites, and updates the goldens that
 * they are compared with.
 *
 *     suite files -> mrw_case_list -> mrw_test_run -> mrw_results -> reports
 *       (suite.h)                          |              |           (report.h)
 *                                    results folder  results.json -> mrw_results_read, accept,
 *                                                                    merge, --last-failed
 *
 * The goldens of a case are in GOLDEN/SUITE/CASE/: CLIP_FRAME.png (frame numbers of four or more
 * digits), golden.txt (pixel version, scene hashes and, with store = hash, pixel hashes), pose.txt
 * and bounds.txt. Results have the same names below RESULTS/SUITE/CASE/, so accepting means
 * copying.
 *
 * golden.txt also records how the pictures were made: camera and time of each, their size, and the
 * keys of the suite. GOLDEN/SUITE/scene-HASH.txt holds the parts of a model for all cases of the
 * suite. It explains how a model has changed. Updating and accepting remove it when no golden.txt
 * of the suite has its hash. Cases are drawn with the recorded camera, so
 * everything that has not changed stays in place. If the case would now be framed differently, by a
 * quarter of a pixel or more, that is a failure of its own. If the suite asks for another time,
 * size or camera than the golden's, nothing is compared, and the case fails. A golden.txt of an
 * older marrow has none of these records; such cases are framed again (see mrw_case_result).
 *
 * Renderers other than software have their own goldens in GOLDEN/SUITE/CASE/BACKEND/; their
 * golden.txt also names the driver. If the scene hashes of golden.txt use another formula
 * (MRW_SCENE_FORMULA) than this marrow, the scene is not compared; everything else is.
 *
 * Goldens that cannot be trusted fail, whatever the pixels show:
 *
 *     - golden.txt is missing beside other goldens, is damaged, has a frame twice, or has another
 *       number of models than the case draws;
 *     - with store = hash, the picture of a frame in mrw_case.key_frames does not match its hash;
 *     - a frame that has a golden is no longer drawn, and the scene has changed. If the scene is
 *       the same, the suite asks for fewer frames, and the goldens are listed as unused;
 *     - the goldens are from another backend; no picture is compared;
 *     - the goldens are from another driver of the same backend.
 *
 * mask = node:NAME excludes the pixels whose first sample (sample 0) shows the node in this run.
 * Goldens do not record the positions of nodes. Where the golden shows the node in another place,
 * that place is compared with the new picture. A masked node may therefore change its look but not
 * its position; for a node that moves, add a rectangle or an image as a mask. (mrw_diff of two
 * models draws both, and excludes a node where either shows it.)
 *
 * Memory: a list or a results struct owns everything in it; all of it is freed with the struct.
 */
#ifndef MARROW_GOLDEN_H
#define MARROW_GOLDEN_H

#include "models.h"
#include "report.h"
#include "suite.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrw_backend mrw_backend; /* frame.h */

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Selects the cases of a list to run. */
typedef struct mrw_case_choice {
    const char *const *globs; /* patterns (mrw_case_matches), of which a case must match one */
    size_t glob_count;        /* 0: all cases match */
    const char *tag;          /* tag of the cases to run; NULL: any */
    bool last_failed;     /* only cases that failed in the last run, according to results.json */
    const char *out;      /* results folder of --out; NULL: mrw_case.results */
    uint32_t shard_index; /* 1 ... shard_count: take every shard_count-th case */
    uint32_t shard_count; /* 0 or 1: no shards */
} mrw_case_choice;

/* Tests SUITE/CASE and CASE against a name pattern. Fails only if memory runs out. */
MRW_API mrw_status mrw_case_matches(const mrw_case *item, const char *glob, bool *out,
                                    mrw_error *error);

/* Removes the cases that are not chosen: first by name, tag and last run, then all but every
 * shard_count-th of the rest. The same list gives the same shards everywhere. Returns
 * MRW_ERROR_USAGE if last_failed is set and no case has a results.json. */
MRW_API mrw_status mrw_cases_choose(mrw_case_list *list, const mrw_case_choice *choice,
                                    mrw_error *error);

/* Finds suites that have no goldens, although their golden folder holds goldens of at least half of
 * the same cases under a name that no suite has. That happens to a suite without a `name` if the
 * folder of a checkout, which names it, is called differently. Appends one line per suite to *out,
 * such as "golden/repo holds these cases: add `name = repo` to [defaults] of suite.ini". Goldens
 * that would be written for such a suite would be lost to the next checkout. Fails only if memory
 * runs out. */
MRW_API mrw_status mrw_find_misnamed_suites(const mrw_case_list *cases, mrw_text *out,
                                            mrw_error *error);

/* ---- Running --------------------------------------------------------------------------------- */

/* The goldens that a test run writes. */
typedef enum mrw_update {
    MRW_UPDATE_NONE,
    MRW_UPDATE_MISSING, /* Write missing goldens. */
    MRW_UPDATE_CHANGED, /* Also replace goldens that differ by more than the comparison allows. */
    MRW_UPDATE_ALL
} mrw_update;

/* How cases are run. */
typedef struct mrw_test_def {
    mrw_update update;
    /* Let --update write empty pictures, too. golden.txt records that they are intentional, and
     * they pass. */
    bool allow_blank;
    bool fail_fast; /* start no case after a failure; the rest is skipped */
    /* Run only cases whose inputs differ from those of their goldens: see mrw_test_run. Not with
     * `against`. */
    bool changed;
    bool full;       /* the list is complete for its suites: look for unused goldens */
    bool prune;      /* remove unused goldens */
    bool rename;     /* rename goldens that have names of an earlier marrow */
    uint32_t repeat; /* runs of each case; 0 means 1. Runs that differ are a failure */
    const char *out; /* results folder; NULL: results/ beside each suite */
    /* Another marrow program whose pictures and poses replace the goldens, or NULL. Goldens are
     * then neither updated nor searched for unused ones. See mrw_test_run. */
    const char *against;
    /* Renderer with goldens of its own; NULL: software. Its `name` is also the name of the goldens'
     * folder. Only one worker draws with it. Cases that only software can draw
     * (mrw_case.soft_reason) are skipped. */
    const mrw_backend *backend;
    const char *driver;     /* driver of the backend, at most 200 characters; NULL: software */
    double against_seconds; /* time limit in seconds for the pictures of a case; default 120 */
    uint32_t shard_index;   /* part of the cases in the list, from 1; recorded in results */
    uint32_t shard_count;   /* 0 or 1: the list has all cases */
    int threads;
    mrw_isa isa;
    /* Cache of models, environments and their measurements, for several runs of the same cases. It
     * keeps them until it is freed. The list of cases must outlive it. NULL: the run has its own
     * cache. */
    mrw_session_cache *cache;
    /* Called after each case, from any thread but never concurrently. May be NULL. A result other
     * than MRW_OK ends the run after the cases in progress; finished ones stay complete. */
    mrw_status (*progress)(void *user, const mrw_case_result *result, size_t done, size_t count,
                           mrw_error *error);
    /* Called before each picture of a case, from several threads concurrently. May be NULL.
     * MRW_ERROR_CANCELLED ends the run at once: cases in progress leave no results and count as
     * skipped. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    /* Called twenty times per second, on the calling thread, while another run writes into the
     * results folder. May be NULL. A result other than MRW_OK ends the run before it begins. */
    mrw_status (*waiting)(void *user, const char *folder, mrw_error *error);
    /* Receives each repair or omission when a model is loaded, one line per call. May be NULL.
     * Called from any thread but never concurrently. */
    void (*warning)(void *user, const char *text);
    /* Receives, once, a note about what this machine lacks (see mrw_load_def). Otherwise like
     * `warning`. */
    void (*machine_warning)(void *user, const char *text);
    void (*file_opened)(void *user, int fd); /* see mrw_load_def; called like `warning` */
    void *user;
} mrw_test_def;

/* Returns the defaults: one run of each case with software, compared with the goldens. */
MRW_API mrw_test_def mrw_test_def_default(void);

/* Runs all cases of a list, several at once, and writes results below def->out or beside each
 * suite: differences, their pictures and results.json. Results of an earlier run of the same cases
 * are removed first. If several runs on this machine, in this process or others, share a results
 * folder, one works while the others wait (where the file system supports locks). Each results
 * folder gets its own results.json; *out holds the results of all, relative to the current folder.
 * A failed case is not an error of the call. An error is returned only if running is impossible,
 * for example if a results folder cannot be written. A case whose model does not load, or whose
 * masks leave nothing to compare, fails without frames.
 *
 * Work that cases and frames share is done once. A model is loaded once for all cases that read it
 * the same way. Its framing is measured once for all cases that frame it the same way. With fit =
 * all or rest, cases of any clips share it; with fit = clip, cases of the same clip. It is measured
 * separately for each case with add, blend, layer, follow or fit = frame. Frames of a clip with
 * bit-identical nodes and morph weights are drawn and posed once, but each is judged. def->repeat
 * draws and poses everything again.
 *
 * def->changed leaves out (MRW_LEFT_OUT) cases whose goldens were made from the inputs they have
 * now. Such a case is not drawn, and its models are loaded only as far as the hashes need. The
 * inputs are those in golden.txt: hashes of the scenes of the model (with its textures, clips of
 * other files and displacement) and of added models; the suite's keys that affect pixels; the
 * picture's size; the pixel version; the driver of another backend. Inputs that cannot be known
 * count as changed: a golden, picture or frame that is missing, empty or truncated; a text file of
 * the goldens that does not parse; a golden.txt before version 3 or with another MRW_SCENE_FORMULA;
 * a model that does not load; an environment or matcap from a file, whose hash golden.txt does not
 * hold. Cases that failed in the last run, according to results.json, count as changed, too, and so
 * do cases that were expected to fail then and no longer are. Masks and tolerances are not inputs,
 * and pixels of golden pictures are not checked: run all cases after you have changed these.
 *
 * def->against makes the other program draw each case into a temporary folder. It runs `render` and
 * `bake` with the case's options as in the suite, so frames and framing are its own. If its camera
 * differs from this marrow's, that is a separate failure and reported first; this marrow then draws
 * with the other's camera, so that further differences show. (Cameras are not compared with
 * --camera or --follow, or if the other program is too old for `bake --joints`.) An unknown option,
 * a crash, or more than def->against_seconds fail the case, with the program's message. Poses and
 * bounds are those of the model, without models of --add. Returns MRW_ERROR_USAGE if the program is
 * not a marrow. */
MRW_API mrw_status mrw_test_run(const mrw_case_list *cases, const mrw_test_def *def,
                                mrw_results *out, mrw_error *error);

/* One golden that accepting would change or has changed. */
typedef struct mrw_change {
    const char *suite;
    const char *name;  /* name of the case */
    const char *frame; /* name of the frame; NULL: only text files of the case change */
    const char *text;  /* one line: "new", "132 of 5210 pixels differ ...", "joint LeftFoot
                          turned 3.1 degrees" */
    bool refused;      /* not accepted: the picture is empty, and allow_blank is not set */
    bool left;         /* not accepted: `framing` is set, but more than the framing differs */
} mrw_change;

/* A list of changes. Free with mrw_changes_free. */
typedef struct mrw_changes {
    mrw_change *items;
    size_t count;
    void *memory;
} mrw_changes;

/* Selects the results that become goldens. */
typedef struct mrw_accept_def {
    const char *from; /* Results folder. NULL: that of the last run. */
    bool allow_blank; /* Accept empty pictures, too. */
    bool framing; /* only accept new cameras and their pictures, for cases that differ in nothing
                     but framing */
    bool dry_run; /* only list the changes, and write nothing */
} mrw_accept_def;

/* Copies the results of the last run to the goldens, for each case of the list that has
 * differences. The goldens are those of the backend that drew the results. A case that would be
 * framed differently gets the new camera and all its pictures, which the run stored beside the
 * others. Each file is replaced atomically, golden.txt last. */
MRW_API mrw_status mrw_accept(const mrw_case_list *cases, const mrw_accept_def *def,
                              mrw_changes *out, mrw_error *error);
/* Frees the changes and zeroes the struct. A zeroed struct is allowed. */
MRW_API void mrw_changes_free(mrw_changes *changes);

/* ---- Second opinions ------------------------------------------------------------------------- */

/* How a case came out: how far another backend's pictures agree with those of software. */
typedef struct mrw_opinion_case {
    /* MRW_PASSED, MRW_FAILED or MRW_SKIPPED. */
    mrw_outcome outcome;
    /* Both have drawn the case. If false, `reason` says why not, and ratio, pixels, group, text and
     * cause are meaningless. */
    bool drawn;
    /* Smallest share of the subject's pixels that agree, over the pictures of the case; 0 ... 1. */
    double ratio;
    /* The share that is enough: mrw_case.gl_ratio or its default 0.995. */
    double wanted;
    /* Number of pixels of the subject in the picture with that ratio. */
    uint32_t pixels;
    /* Number of pixels in the largest connected group that does not agree; at most 16 may. */
    uint32_t group;
    /* Ratio and group as a sentence: "99.950 % of 5210 pixels agree". */
    char text[200];
    /* The input of shading that differs, for a failed case: "normal of Skin"; otherwise "". */
    char cause[200];
    /* Why the case was skipped, or could not be drawn; otherwise NULL. Valid during the call. */
    const char *reason;
} mrw_opinion_case;

/* How cases are drawn twice and compared. All pointers are borrowed. */
typedef struct mrw_opinion_def {
    /* The other backend; one worker draws with it. */
    const mrw_backend *backend;
    /* Driver of the backend, for results. */
    const char *driver;
    /* Returns true if the backend's last picture failed because the driver does not support its
     * size; such a case is skipped. NULL: never. Called with `user`. */
    bool (*lacks)(void *user);
    /* Host that loads models and receives warnings. */
    const mrw_session_host *host;
    /* Number of threads that draw with software, at least 1. */
    int threads;
    /* Make results, and compare all metrics for them. */
    bool results;
    /* Folder that pictures for reports are written to; it exists. NULL: none are written. Only with
     * `results`. */
    const char *folder;
    /* Part of the cases in the list, from 1; recorded in results. */
    uint32_t shard_index;
    /* Number of parts; 0 or 1: the list has all cases. */
    uint32_t shard_count;
    /* Called with `user` after each case, on the calling thread. May be NULL. */
    void (*progress)(void *user, const mrw_case *item, const mrw_opinion_case *result);
    /* Called with `user` before each picture, as for mrw_session_sink. May be NULL. */
    mrw_status (*go_on)(void *user, mrw_error *error);
    void *user;
} mrw_opinion_def;

/* The outcome of all cases. Freed with mrw_opinion_free. */
typedef struct mrw_opinion {
    uint32_t compared; /* cases that both have drawn */
    uint32_t skipped;  /* cases that the other backend cannot draw, or that the suite skips */
    uint32_t failed;   /* cases that differ, or that cannot be drawn */
    /* Why the opinion is worth nothing whatever the cases say: none was compared, or more than a
     * tenth was skipped. NULL: it is sound. Static. */
    const char *fault;
    /* Results for reports, with software's pictures as the expected ones; a fault is a failed case
     * of its own. Zeroed without def->results. They borrow from the cases and from the def. */
    mrw_results results;
} mrw_opinion;

/* Draws the cases with software and with another backend, and compares the pictures: at most four
 * of each case. A pixel of the subject agrees if no channel differs by more than 2 levels of 255;
 * at an edge of coverage also if it is within 2 levels of what the other picture spans in the 3 x 3
 * pixels around it. A case passes if enough of its pixels agree. A case that cannot be drawn is not
 * an error of the call; MRW_ERROR_CANCELLED, MRW_ERROR_MEMORY and MRW_ERROR_OUTPUT end the run.
 * After an error there is nothing to free. */
MRW_API mrw_status mrw_second_opinion(const mrw_case_list *cases, const mrw_opinion_def *def,
                                      mrw_opinion *out, mrw_error *error);
/* Frees the results and zeroes the struct. A zeroed struct is allowed. */
MRW_API void mrw_opinion_free(mrw_opinion *opinion);

#ifdef __cplusplus
}
#endif
#endif
