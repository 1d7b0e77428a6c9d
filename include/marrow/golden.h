/* golden.h: golden-image regression tests: suites of cases, running them, updating what they are
 * compared with, reports.
 *
 *     suite files -> mrw_case_list -> mrw_test_run -> mrw_results -> reports
 *                                          |              |
 *                                    results folder  results.json -> mrw_results_read, accept,
 *                                                                    merge, --last-failed
 *
 * A suite is `suite.ini`, named after its folder, or `NAME.suite.ini`; no other .ini is read.
 * [defaults] holds keys for all of its cases, wherever it stands; every other section is a case.
 * Keys are the long names of render options and of comparison options ('_' and '-' are the same in
 * a key), and these:
 *
 *     model      a file, or demo:NAME; every case needs one
 *     golden     folder of the goldens, relative to the suite; default: golden
 *     check      what is compared: pixels, pose, bounds; default: pixels
 *     store      pictures (default), or hash: a line a frame in golden.txt, which is exact
 *     key-frames frames that are stored as pictures too with `store = hash`: numbers as in --frames
 *     tags       words to choose cases by
 *     skip       a reason: the case is not run
 *     xfail      a reason: the case is known to fail; when it passes, that is a failure. Updating
 *                and accepting leave its goldens alone
 *     max-degrees, max-distance   what joints may be off in a pose check, and corners in one of
 *                bounds; default 0: the same bits
 *
 * Options that only make sense on a command line are no keys: output, sheet, force, dry-run, json,
 * shard, jobs, isa, strict, quiet, verbose. Flags take yes or no. Paths lead from the suite's
 * folder.
 *
 * A list makes several cases, one a value: `clip = Walk, Run` in [hero] makes hero.Walk and
 * hero.Run. Lists in several keys multiply; the section's own come first in names, in the order
 * they are written, then those of [defaults]. In names a value is what mrw_safe_file_name makes of
 * it. Values that have commas of their own (vectors, scale, frames, times, blend, mask,
 * allow-format, key-frames) are listed with '|'. `check` and `tags` are never lists of cases, and
 * golden, skip and xfail never lists. A key that an option would be repeated for takes several at
 * once with " + " between them: `add = horse.glb + sword.glb@hand`.
 *
 * A case's own key replaces that of [defaults], and puts out of force those that it excludes or
 * that change nothing beside it: with `fit = all` in [defaults] a case can say `eye = 1,2,3`, with
 * `compare = pixel` and `max-delta = 2` there, `compare = exact`. Apart from that, keys that
 * exclude each other or change nothing are refused as on a command line.
 *
 * Text is UTF-8, a key or a [section] a line, none of them indented; `;` or `#` begins a line of
 * comment, and ` ;` ends a value.
 *
 * Goldens of a case lie in GOLDEN/SUITE/CASE/: CLIP_FRAME.png (frame numbers of four digits or
 * more), golden.txt (pixel version, scene hashes and, with store = hash, pixel hashes), pose.txt
 * and bounds.txt. Results have the same names below RESULTS/SUITE/CASE/, so that accepting is
 * copying.
 *
 * Goldens that nothing vouches for fail, whatever the pixels: a golden.txt that is missing beside
 * others, is damaged, has a frame twice, or is of another number of models than the case draws; a
 * key frame whose picture is not the one that golden.txt has the hash of; frames that are goldens
 * but are not drawn any more, where the scene is another (with the same scene the suite asks for
 * fewer: they are listed as unused).
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

#include "compare.h"
#include "options.h"
#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cases ----------------------------------------------------------------------------------- */

enum { MRW_CHECK_PIXELS = 1, MRW_CHECK_POSE = 2, MRW_CHECK_BOUNDS = 4 };

/* One case, lists resolved: what to draw and how to compare it. All texts are UTF-8 without control
 * characters; names and folders are safe as file names; paths lead from the current folder. */
typedef struct mrw_case {
    const char *suite;      /* its suite's name */
    const char *name;       /* "hero.Walk" */
    const char *suite_file; /* path of the suite file */
    uint32_t line;          /* of the section in it */
    const char *golden;     /* folder of this case's goldens: GOLDEN/SUITE/CASE */
    const char *results;    /* folder of its results, unless --out says otherwise:
                               results/SUITE/CASE beside the suite */
    const char *model;      /* as to be loaded */
    mrw_settings settings;  /* defaults, then what the suite says; paths resolved. The command is
                               MRW_COMMAND_TEST; jobs, isa and the like are not set by suites */
    bool store_hash;
    mrw_frame_range *key_frames;
    size_t key_frame_count;
    uint32_t checks; /* MRW_CHECK_... or-ed */
    double max_degrees;
    double max_distance;
    const char *const *tags;
    size_t tag_count;
    const char *skip;           /* reason, or NULL */
    const char *xfail;          /* reason, or NULL */
    const char *const *options; /* what the suite says of settings, as on a command line: a text an
                                   option, "--size=160x120", "--ortho"; paths resolved */
    size_t option_count;
} mrw_case;

typedef struct mrw_case_list {
    mrw_case *items; /* by path of the suite file, then by line; the cases of a list in its order,
                        those of the last list fastest */
    size_t count;
    void *memory; /* owns everything the items point to */
} mrw_case_list;

/* Reads suite files. Each path is a suite file or a folder below which suites are looked for; no
 * paths: the current folder. Results and golden folders of suites found, hidden folders and links
 * to folders are not entered; a file that several paths lead to is read once.
 *
 * MRW_ERROR_USAGE with file and line for anything wrong in a suite: unknown keys (with the
 * nearest), values that an option refuses, options that exclude each other, repeated sections and
 * keys, lines over 198 bytes and section names over 48, section names that are no safe file names,
 * two cases whose names differ in nothing but capitals, two suites of one name (but for capitals)
 * that share a folder of goldens or results, more than 10000 cases of one section or 100000 in all.
 * MRW_ERROR_INPUT: a path that can't be opened, a file over 1 MiB. No suite at all, or suites
 * without cases, give an empty list.
 */
MRW_API mrw_status mrw_cases_load(const char *const *paths, size_t path_count, mrw_case_list *out,
                                  mrw_error *error);
MRW_API void mrw_cases_free(mrw_case_list *list);

/* Which cases of a list run. */
typedef struct mrw_case_choice {
    const char *glob;     /* matched with SUITE/CASE and with CASE; NULL: all */
    const char *tag;      /* NULL: all */
    bool last_failed;     /* only those that failed in the last run, as results.json tells */
    const char *out;      /* results folder of --out, or NULL: see mrw_case.results */
    uint32_t shard_index; /* 1 ... shard_count: every shard_count-th case */
    uint32_t shard_count; /* 0 or 1: all */
} mrw_case_choice;

/* Takes what is not chosen out of the list: by name, tag and the last run, then every
 * shard_count-th of what is left. The same list gives the same shards everywhere. MRW_ERROR_USAGE
 * when last_failed finds no results.json of any case. */
MRW_API mrw_status mrw_cases_choose(mrw_case_list *list, const mrw_case_choice *choice,
                                    mrw_error *error);

/* ---- Results --------------------------------------------------------------------------------- */

typedef enum mrw_outcome {
    MRW_PASSED,
    MRW_FAILED,
    MRW_XFAILED, /* failed as expected: counts as passed */
    MRW_XPASSED, /* passed although expected to fail: counts as failed */
    MRW_SKIPPED,
    MRW_UPDATED, /* its goldens were written: counts as passed */
    MRW_OUTCOME_COUNT
} mrw_outcome;

/* "passed", "failed", "xfailed", "xpassed", "skipped", "updated". Static storage. */
MRW_API const char *mrw_outcome_name(mrw_outcome outcome);

/* True for failed and xpassed. */
MRW_API bool mrw_outcome_is_bad(mrw_outcome outcome);

/* Why a frame failed, or-ed. */
enum {
    MRW_WHY_MISSING = 1, /* there is no golden */
    MRW_WHY_DAMAGED = 2, /* the golden can't be read */
    MRW_WHY_PIXELS = 4,
    MRW_WHY_POSE = 8,
    MRW_WHY_BOUNDS = 16,
    MRW_WHY_EMPTY = 32 /* blank, one colour, cut by every border: see emptiness */
};

/* The joint of a frame that is farthest off. All zeros and joint NULL: none is off. */
typedef struct mrw_pose_difference {
    const char *joint;  /* a stranger's name, not escaped */
    double degrees;     /* by which it is turned */
    double distance;    /* by which it is moved, metres */
    double scale;       /* larger of the ratios of its lengths, 1: as expected */
    uint32_t differing; /* joints beyond the limits */
    uint32_t joints;    /* of all */
} mrw_pose_difference;

/* One frame. Pictures are paths relative to the results folder with '/', or NULL; an absolute path
 * stands for itself, but not in a file. */
typedef struct mrw_frame_result {
    const char *name; /* "Walk_0012": of its files */
    const char *clip; /* as the model calls it; a stranger's name, not escaped */
    uint64_t frame;
    double time; /* seconds */
    bool passed;
    uint32_t why;         /* MRW_WHY_... or-ed; 0 when it passed */
    const char *message;  /* one line, escaped for a terminal; "" when it passed */
    const char *expected; /* a copy of the golden picture as it was, NAME.expected.png, in bad
                             cases, for all frames that have one: results are whole on another
                             machine. NULL in all other cases */
    const char *actual;   /* NAME.png; NULL when it is the same as expected */
    const char *diff;     /* NAME.diff.png */
    bool compared;        /* the metrics below are there */
    mrw_compare_result metrics;
    mrw_emptiness emptiness;
    mrw_pose_difference pose;
    double bounds; /* largest difference of the bounding box's sides and corners, metres */
} mrw_frame_result;

typedef struct mrw_case_result {
    const char *suite;
    const char *name;
    const char *suite_file;
    uint32_t line;
    const char *model;
    const char *golden; /* folder */
    mrw_outcome outcome;
    const char *message; /* one line, escaped for a terminal: why it failed or was skipped, in the
                            order of importance: the model fails to load; another scene than the
                            goldens were made of; then the first bad frame. "" when there is
                            nothing to say */
    const char *reason;  /* of skip or xfail, as the suite has it; NULL without */
    const char *mode;    /* "exact", "pixel", "perceptual" */
    double seconds;
    const char *const *tags;
    size_t tag_count;
    uint32_t pixel_version;        /* of this run */
    uint32_t golden_pixel_version; /* 0: no golden */
    const char *scene_hash;        /* of the first model, 64 hex digits; "" when it did not load */
    const char *golden_scene_hash; /* "": no golden */
    mrw_frame_result *frames;      /* in order of clips and frames; none when nothing was drawn */
    size_t frame_count;
    uint32_t bad_frames;
    uint32_t runs; /* with --repeat: how often it was run; outcome is the worst */
} mrw_case_result;

typedef struct mrw_results {
    mrw_case_result *cases;
    size_t case_count;
    uint32_t counts[MRW_OUTCOME_COUNT];
    const char *const *unused; /* files among the goldens that no case uses: found by full runs */
    size_t unused_count;
    double seconds; /* of the whole run */
    uint32_t shard_index;
    uint32_t shard_count;
    const char *title;  /* what was compared: "marrow test", "old.fbx and new.fbx" */
    const char *folder; /* the results folder that pictures are relative to */
    void *memory;       /* owns everything */
} mrw_results;

/* Reads FOLDER/results.json, which a run writes. A stranger's file: nothing in it is trusted. Sizes
 * (128 MiB, 4 million values, 64 KiB a text), types and ranges are checked; pictures whose paths
 * are absolute or lead out of the folder are MRW_ERROR_INPUT; whether they exist is not looked at.
 * Texts that are said to be escaped are. suite_file, model, golden and unused are for display: they
 * name files of the machine that ran the tests. */
MRW_API mrw_status mrw_results_read(const char *folder, mrw_results *out, mrw_error *error);
MRW_API void mrw_results_free(mrw_results *results);

/* Writes results->folder/results.json. The folder exists. In it: schema 1; numbers that read back
 * exactly, null for those that are not finite; bytes that are no UTF-8 as U+FFFD; control
 * characters and those that reorder text escaped; no date, host or program version. */
MRW_API mrw_status mrw_results_write(const mrw_results *results, mrw_error *error);

/* The same as text: what --json prints. The caller frees *out. */
MRW_API mrw_status mrw_results_json(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* Joins results of shards or suites; everything is copied. The cases come by suite file, then by
 * line, as in the list they were made of; times are summed. Pictures become paths relative to
 * `folder`, by name alone: where `folder` is a symbolic link they may lead astray.
 * A case that stands in two of them is MRW_ERROR_INPUT, and so are shards of different counts. Each
 * shard of which there is nothing becomes a failed case "shard 2 of 3" of the suite "marrow",
 * without frames, file or line: a lost shard never passes. With all shards there, the result is no
 * shard. */
MRW_API mrw_status mrw_results_merge(const mrw_results *parts, size_t count, const char *folder,
                                     mrw_results *out, mrw_error *error);

/* 0, 1 when a case is bad or there are no cases, 77 when all were skipped. Shards other than the
 * first may be without cases: 0. */
MRW_API int mrw_results_exit_status(const mrw_results *results);

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
    bool full;           /* the list is all cases of its suites: unused goldens are looked for */
    bool prune;          /* and removed */
    uint32_t repeat;     /* runs of each case; default 1. Runs that differ are a failure */
    const char *out;     /* results folder; NULL: results/ beside each suite */
    const char *against; /* another marrow: its pictures and poses are the goldens; or NULL. Nothing
                            is updated or looked for among goldens. See mrw_test_run */
    double against_seconds; /* how long it may take for a case's pictures; default 120 */
    uint32_t shard_index; /* which part of the cases the list is, from 1: it is noted in results */
    uint32_t shard_count; /* 0 or 1: the list is all */
    int threads;
    mrw_isa isa;
    /* Called when a case is done, on any thread but one at a time; may be NULL. Anything but MRW_OK
     * ends the run after the cases at work; what is done stays whole. */
    mrw_status (*progress)(void *user, const mrw_case_result *result, size_t done, size_t count,
                           mrw_error *error);
    /* May be NULL. Called on any thread but one at a time. What was repaired or left out of a model
     * when it was loaded, one line each; what this machine lacks (see mrw_load_def), once. */
    void (*warning)(void *user, const char *text);
    void (*machine_warning)(void *user, const char *text);
    void *user;
} mrw_test_def;

MRW_API mrw_test_def mrw_test_def_default(void);

/* Runs all cases of a list, several at once, and writes results: what differs, its pictures and
 * results.json, below def->out or beside each suite; the results of an earlier run of the same
 * cases are removed first. With several results folders each gets its own results.json and *out
 * holds all of them, relative to the current folder. A case that fails is no error; what makes
 * running impossible (a results folder that can't be written, say) is. A model that does not load,
 * and masks that leave nothing of a picture to compare, fail their case without frames.
 *
 * What cases and frames have in common is done once. A model is loaded once for all cases that read
 * it the same way. What they frame is measured once for those that frame it the same way: with
 * fit = all or rest whatever their clips, with fit = clip those of one clip, with fit = frame each
 * by itself; so are cases with add, blend, layer or follow. Frames of a clip whose nodes and morph
 * weights are the same, to the bit, are drawn and posed once and judged each; with mask = node they
 * are drawn each. def->repeat draws and poses all again.
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
} mrw_change;

typedef struct mrw_changes {
    mrw_change *items;
    size_t count;
    void *memory;
} mrw_changes;

/* Makes the results of the last run (or of the results folder `from`) goldens of the cases in the
 * list, those in which something differs. With dry_run nothing is written and the changes are only
 * listed. Each file is replaced whole; golden.txt last. */
MRW_API mrw_status mrw_accept(const mrw_case_list *cases, const char *from, bool allow_blank,
                              bool dry_run, mrw_changes *out, mrw_error *error);
MRW_API void mrw_changes_free(mrw_changes *changes);

/* ---- Two of a kind --------------------------------------------------------------------------- */

typedef enum mrw_diff_kind {
    MRW_DIFF_PICTURES, /* two files that mrw_image_read reads */
    MRW_DIFF_FOLDERS,  /* two folders of such files */
    MRW_DIFF_MODELS    /* two files that mrw_load_file reads, demo:NAME included */
} mrw_diff_kind;

/* Tells folders by what they are, pictures by their content or, where that tells nothing, by their
 * ending; everything else is a model. MRW_ERROR_USAGE for two of different kinds, MRW_ERROR_INPUT
 * for what is not there. */
MRW_API mrw_status mrw_diff_kind_of(const char *before, const char *after, mrw_diff_kind *out,
                                    mrw_error *error);

typedef struct mrw_diff_def {
    const mrw_settings *settings; /* how to compare, and of models what to draw and how */
    const mrw_stage_host *host;   /* hears of models; may be NULL */
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
    void *user;
} mrw_diff_def;

/* For settings, which are borrowed. */
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
 * themselves. Equal scenes are not drawn. */
MRW_API mrw_status mrw_diff(const char *before, const char *after, const mrw_diff_def *def,
                            mrw_results *out, mrw_error *error);

/* ---- Reports --------------------------------------------------------------------------------- */

/* Writes DIR/index.html, one page without network, frameworks or absolute paths, fit to be opened
 * as a file, and the pictures of cases that did not just pass in DIR/pictures. The folder is made
 * where it is not there. Pictures are named by their frame and a hash of their bytes; the page
 * comes last, and then the pictures of an earlier report go, so that a report is always whole.
 * Beside the pictures of frames that differ stand their bytes as scripts (64 MiB of pictures, first
 * bad frames first), from which the page has its pixel values: browsers let a page that is a file
 * show a picture, not read it. A picture that is not there or can't be read is a placeholder in the
 * page and no failure. */
MRW_API mrw_status mrw_report_html(const mrw_results *results, const char *folder,
                                   mrw_error *error);

/* One self-contained page of the failures, pictures inside: of 25 MiB, the first bad frames of each
 * case first; what was left out, the page says. The caller frees *out. */
MRW_API mrw_status mrw_report_inline(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* Texts for CI; the caller frees *out. Strangers' texts are escaped as each format needs, so that
 * none of them ends a line, an element or a command. Paths are those of the results, pictures
 * behind results->folder: run from the top of the repository to have them linked. */

/* JUnit XML: a testsuite a suite, a testcase a case: classname is the suite, file and line are
 * where the case stands. Failed and xpassed are failures, skipped and xfailed are skipped.
 * system-out names the pictures of the first bad frames; the first is in GitLab's form of an
 * attachment. */
MRW_API mrw_status mrw_report_junit(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* TAP version 13 (testanything.org), escapes of version 14: a line a case; skipped is "# SKIP",
 * xfailed is "not ok" with
 * "# TODO"; failures have a YAML block. */
MRW_API mrw_status mrw_report_tap(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* A line ::error file=...,line=...,title=...::message for each bad case: commands that GitHub's
 * runner takes from either standard stream and shows at that line. */
MRW_API mrw_status mrw_report_annotations(const mrw_results *results, mrw_bytes *out,
                                          mrw_error *error);

/* Markdown for the file that GITHUB_STEP_SUMMARY names: counts, bad cases, their first bad frame
 * and worst figures. At most 1 MiB, GitHub's limit; the last line says how many cases were left
 * out. */
MRW_API mrw_status mrw_report_summary(const mrw_results *results, mrw_bytes *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
