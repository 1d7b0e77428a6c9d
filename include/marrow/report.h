/* report.h: results of golden tests (golden.h) and of comparisons of two pictures, folders or
 * models (diff.h): as a file, results.json, and as reports: HTML, JUnit, TAP and GitHub Actions.
 *
 * Memory: results own everything in them, and mrw_results_free frees it.
 *
 * Threads: functions that take const results may run on several threads concurrently, even on the
 * same results. No two may write to the same file or folder.
 *
 * Errors: MRW_ERROR_MEMORY; MRW_ERROR_INPUT from functions that read files; MRW_ERROR_OUTPUT from
 * functions that write them. A failed call leaves nothing to free: results are zeroed, and no bytes
 * are allocated.
 */
#ifndef MARROW_REPORT_H
#define MARROW_REPORT_H

#include "base.h"
#include "compare.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results --------------------------------------------------------------------------------- */

/* The outcome of a case. */
typedef enum mrw_outcome {
    MRW_PASSED,
    MRW_FAILED,
    MRW_XFAILED, /* failed as expected: counts as passed */
    MRW_XPASSED, /* passed although expected to fail: counts as failed */
    MRW_SKIPPED,
    MRW_UPDATED,  /* goldens were written: counts as passed */
    MRW_LEFT_OUT, /* not run, because its goldens were made from the same inputs:
                     mrw_test_def.changed */
    MRW_OUTCOME_COUNT
} mrw_outcome;

/* Returns the name of an outcome in files and reports: "passed", "failed", "xfailed", "xpassed",
 * "skipped", "updated" or "left-out". `outcome` is below MRW_OUTCOME_COUNT. Static storage. */
MRW_API const char *mrw_outcome_name(mrw_outcome outcome);

/* Returns true for failed and xpassed. */
MRW_API bool mrw_outcome_is_bad(mrw_outcome outcome);

/* Reasons why a frame failed, or-ed. */
enum {
    MRW_WHY_MISSING = 1, /* the golden is missing */
    MRW_WHY_DAMAGED = 2, /* the golden cannot be read */
    MRW_WHY_PIXELS = 4,  /* more pixels differ, or by more, than the case allows */
    MRW_WHY_POSE = 8,    /* a joint is off by more than allowed, or exists on one side only */
    MRW_WHY_BOUNDS = 16, /* the bounding box is off by more than allowed */
    MRW_WHY_EMPTY = 32,  /* blank, one colour or cut by every border: see emptiness */
    MRW_WHY_DRIVER = 64, /* the golden is from another driver or another backend */
    MRW_WHY_SUITE =
        128 /* not compared: the suite asks for another time, size or camera than the golden's */
};

/* The result of one frame. Pictures are paths with '/' relative to the results folder, or NULL. In
 * memory, an absolute path is allowed, too; in a file it is not. */
typedef struct mrw_frame_result {
    /* Base name of its files, such as "Walk_0012". */
    const char *name;
    /* Name of the clip in the model, untrusted and not escaped. */
    const char *clip;
    /* Frame number in the clip, from 0. */
    uint64_t frame;
    /* Time in seconds from the clip's start. */
    double time;
    bool passed;
    /* MRW_WHY_... or-ed; 0 if the frame passed. */
    uint32_t why;
    /* One line, escaped for a terminal; "" if the frame passed. */
    const char *message;
    /* Unchanged copy of the golden, NAME.expected.png. Bad cases have it for every frame with a
     * golden, so results are complete on another machine. Otherwise NULL. */
    const char *expected;
    /* Drawn picture, NAME.png; NULL if it equals the golden. */
    const char *actual;
    /* Picture of the differences, NAME.diff.png. */
    const char *diff;
    /* The metrics below are valid. */
    bool compared;
    mrw_compare_result metrics;
    /* Emptiness of the drawn picture, which decides whether it may become a golden. */
    mrw_emptiness emptiness;
    /* The joint that is farthest off. Its `joint` is NULL if none is off or joints were not
     * compared. */
    mrw_pose_difference pose;
    /* Largest difference of the bounding box's sides and corners in metres; 0 if boxes were not
     * compared. */
    double bounds;
} mrw_frame_result;

/* The result of one case: a section of a suite file, or an item of a comparison (see mrw_diff). */
typedef struct mrw_case_result {
    const char *suite;
    const char *name;
    /* Location of the case: path of the suite file, and line in it from 1. In a comparison, the
     * path of the `after` side, and line 1. */
    const char *suite_file;
    uint32_t line;
    /* Drawn model: a path, or demo:NAME. */
    const char *model;
    /* Folder of its goldens. */
    const char *golden;
    /* Renderer other than this library's software: the backend, such as "gl", and its driver,
     * escaped for a terminal. NULL: software. */
    const char *backend;
    const char *driver;
    mrw_outcome outcome;
    /* One line, escaped for a terminal: why the case failed or was skipped. The most important
     * reason comes first: the model fails to load; the scene differs from that of the goldens; then
     * the first bad frame. "" if there is nothing to report. */
    const char *message;
    /* Change of the models since the goldens were made, such as "fox.glb: shape of Ear: box 4.0
     * taller; Run lasts 0.963 s, was 0.917". This text and the next two are causes: one line each,
     * escaped for a terminal, NULL for none. `message` begins with them, in this order. */
    const char *model_change;
    /* Change of the suite's keys, such as "count = 8, was 4". */
    const char *suite_change;
    /* Change of the framing, which is a failure of its own, such as "the box grows by 4.0 upwards".
     */
    const char *framing;
    /* Its goldens have names of an earlier marrow, in which each byte outside ASCII is '_'. Not in
     * results.json. */
    bool old_names;
    /* Version of the golden.txt that the case was compared with; 0: none. Versions before 3 hold no
     * camera: the case is framed again. */
    uint32_t golden_version;
    /* Reason given for skip or xfail in the suite; NULL without one. */
    const char *reason;
    /* Comparison mode: "exact", "pixel" or "perceptual". */
    const char *mode;
    /* Elapsed time in seconds of all runs of --repeat together. */
    double seconds;
    /* tag_count texts in the order of the suite file. */
    const char *const *tags;
    size_t tag_count;
    /* MRW_PIXEL_VERSION of this run. */
    uint32_t pixel_version;
    /* Pixel version of the goldens; 0: no golden exists. */
    uint32_t golden_pixel_version;
    /* Hash of the first model's scene, 64 hexadecimal digits; "" if it did not load. */
    const char *scene_hash;
    /* Hash that the goldens record; "": no golden, or another formula. */
    const char *golden_scene_hash;
    /* frame_count frames in the order of clips and frames; none if nothing was drawn. */
    mrw_frame_result *frames;
    size_t frame_count;
    /* Number of frames that did not pass. */
    uint32_t bad_frames;
    /* Runs of --repeat; `outcome` is the worst of them. */
    uint32_t runs;
} mrw_case_result;

/* The results of a whole run. */
typedef struct mrw_results {
    mrw_case_result *cases;
    size_t case_count;
    /* Number of cases by outcome. */
    uint32_t counts[MRW_OUTCOME_COUNT];
    /* Files among the goldens that no case uses; only full runs look for them. */
    const char *const *unused;
    size_t unused_count;
    /* Lines about clips of tested models that no case draws, "hero.glb: no case draws Idle, Run",
     * escaped for a terminal; only full runs look for them. Not in results.json. */
    const char *const *undrawn;
    size_t undrawn_count;
    /* Elapsed time in seconds of the whole run; of merged results the sum. */
    double seconds;
    /* Shard I of N, from 1; 1 of 1: not sharded. */
    uint32_t shard_index;
    uint32_t shard_count;
    /* Subject of the run, such as "marrow test" or "old.fbx and new.fbx". */
    const char *title;
    /* Replacement for the goldens in this run: "software", or the path of another marrow. Such
     * results cannot be accepted. NULL: goldens. */
    const char *against;
    /* Results folder; paths of pictures are relative to it. */
    const char *folder;
    /* Private; owns everything. */
    void *memory;
} mrw_results;

/* Reads FOLDER/results.json, which a run writes. The file is untrusted. Sizes (128 MiB, 4 million
 * values, 64 KiB per text), types and ranges are checked. Pictures whose paths are absolute or lead
 * out of the folder are MRW_ERROR_INPUT; their existence is not checked. Texts described as escaped
 * are escaped. suite_file, model, golden and unused are for display only: they name files of the
 * machine that ran the tests. */
MRW_API mrw_status mrw_results_read(const char *folder, mrw_results *out, mrw_error *error);

/* Frees everything that the results own, and zeroes them. NULL and zeroed results are allowed. */
MRW_API void mrw_results_free(mrw_results *results);

/* Writes results->folder/results.json, completely or not at all. The folder must exist. The file
 * has schema 1. Numbers read back exactly, except that NaN and infinities become null. Invalid
 * UTF-8 becomes U+FFFD; control characters and those that reorder text are escaped. The file
 * contains no date, host or program version. A symbolic link in its place is refused with
 * MRW_ERROR_INPUT. */
MRW_API mrw_status mrw_results_write(const mrw_results *results, mrw_error *error);

/* Writes the same as text for --json. The caller frees *out. */
MRW_API mrw_status mrw_results_json(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* Merges results of shards or suites; everything is copied. Cases are sorted by suite file, then by
 * line, as in the original list; times are summed. Paths of pictures become relative to `folder`.
 * They are computed from names alone, so they may be wrong if `folder` is a symbolic link.
 *
 * A case that occurs twice, and shards of different counts, are MRW_ERROR_INPUT. Each missing shard
 * becomes a failed case "shard 2 of 3" of the suite "marrow", without frames, file or line, so a
 * lost shard never passes. If all shards are present, the result counts as not sharded. */
MRW_API mrw_status mrw_results_merge(const mrw_results *parts, size_t count, const char *folder,
                                     mrw_results *out, mrw_error *error);

/* Computes the order in which reports show the cases. Cases keep their order, but bad cases with
 * the same model_change follow the first of them, so the cause is shown once. `order` receives
 * case_count indices. */
MRW_API mrw_status mrw_results_order(const mrw_results *results, size_t *order, mrw_error *error);

/* Returns the number of cases from order[at] on that share one cause; 1 if the case stands alone.
 */
MRW_API size_t mrw_results_run(const mrw_results *results, const size_t *order, size_t at);

/* Returns a case's message without its model_change, for reports that have shown it already; "" if
 * nothing else remains. Valid as long as the result. */
MRW_API const char *mrw_case_detail(const mrw_case_result *result);

/* Returns the exit status: 1 if a case is bad or there are no cases; 77 if all cases were skipped;
 * otherwise 0. A shard other than the first may have no cases and gives 0. */
MRW_API int mrw_results_exit_status(const mrw_results *results);

/* ---- Reports --------------------------------------------------------------------------------- */

/* Writes DIR/index.html, and the pictures to DIR/pictures; creates the folder if needed. The page
 * uses no network, frameworks or absolute paths, and can be opened as a file. It has the pictures
 * of cases that did not simply pass, and of all cases that were not compared with goldens. Pictures
 * are named by frame and a hash of their bytes. The page is written last, then the pictures of an
 * earlier report are removed, so a report is always complete. The bytes of pictures with
 * differences are also stored as scripts (up to 64 MiB of pictures, the first bad frames first),
 * because browsers let a page opened as a file show pictures but not read their pixels. A missing
 * or unreadable picture becomes a placeholder in the page, not an error. DIR itself may be reached
 * by symbolic links. A link in place of the page, the folder of pictures or a file there is refused
 * with MRW_ERROR_INPUT before anything is written. */
MRW_API mrw_status mrw_report_html(const mrw_results *results, const char *folder,
                                   mrw_error *error);

/* Writes the failures as one self-contained page with up to 25 MiB of pictures inside, the first
 * bad frames of each case first. The page says what was omitted. The caller frees *out. */
MRW_API mrw_status mrw_report_inline(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* Texts for CI; the caller frees *out. Untrusted texts are escaped for each format, so that they
 * cannot end a line, an element or a command. Paths are those in the results, and pictures are
 * below results->folder; run from the top of the repository to get working links. */

/* Writes JUnit XML: a testsuite per suite, a testcase per case. classname is the suite; file and
 * line are the location of the case. Failed and xpassed are failures; skipped and xfailed are
 * skipped. system-out names the pictures of the first bad frames; the first is an attachment in
 * GitLab's form. */
MRW_API mrw_status mrw_report_junit(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* Writes TAP version 13 (testanything.org) with the escapes of version 14: one line per case.
 * Skipped is "# SKIP", xfailed is "not ok" with "# TODO"; failures have a YAML block. */
MRW_API mrw_status mrw_report_tap(const mrw_results *results, mrw_bytes *out, mrw_error *error);

/* Writes a line ::error file=...,line=...,title=...::message per bad case. GitHub's runner reads
 * these commands from standard output or standard error, and shows them at that line. */
MRW_API mrw_status mrw_report_annotations(const mrw_results *results, mrw_bytes *out,
                                          mrw_error *error);

/* Writes Markdown for the file that GITHUB_STEP_SUMMARY names: counts, bad cases, their first bad
 * frame and worst figures. At most 1 MiB, GitHub's limit; the last line says how many cases were
 * omitted. */
MRW_API mrw_status mrw_report_summary(const mrw_results *results, mrw_bytes *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
