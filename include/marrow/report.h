/* report.h: results: what golden tests (golden.h) and comparisons of two of a kind (diff.h) found;
 * as a file, results.json, and as reports: HTML, JUnit, TAP and what GitHub Actions show.
 *
 * Memory: everything in results belongs to them and is freed with them.
 *
 * Threads: what takes const results may run on several threads at once, on the same results, too;
 * but no two may write to the same file or folder.
 *
 * Errors: MRW_ERROR_MEMORY, of what reads files MRW_ERROR_INPUT, and of what writes them
 * MRW_ERROR_OUTPUT. After a failure there is nothing to free: results are zeroed, bytes were not
 * made.
 */
#ifndef MARROW_REPORT_H
#define MARROW_REPORT_H

#include "base.h"
#include "compare.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results --------------------------------------------------------------------------------- */

/* What became of a case. */
typedef enum mrw_outcome {
    MRW_PASSED,
    MRW_FAILED,
    MRW_XFAILED, /* failed as expected: counts as passed */
    MRW_XPASSED, /* passed although expected to fail: counts as failed */
    MRW_SKIPPED,
    MRW_UPDATED,  /* its goldens were written: counts as passed */
    MRW_LEFT_OUT, /* not run: its goldens were made of what it draws. See mrw_test_def.changed */
    MRW_OUTCOME_COUNT
} mrw_outcome;

/* "passed", "failed", "xfailed", "xpassed", "skipped", "updated", "left-out": what files and
 * reports say. Static storage. outcome is one of the above. */
MRW_API const char *mrw_outcome_name(mrw_outcome outcome);

/* True for failed and xpassed. */
MRW_API bool mrw_outcome_is_bad(mrw_outcome outcome);

/* Why a frame failed, or-ed. */
enum {
    MRW_WHY_MISSING = 1, /* there is no golden */
    MRW_WHY_DAMAGED = 2, /* the golden can't be read */
    MRW_WHY_PIXELS = 4,  /* more of them differ, or by more, than the case allows */
    MRW_WHY_POSE = 8,    /* a joint is farther off than it allows, or is not in both */
    MRW_WHY_BOUNDS = 16, /* the bounding box is farther off than it allows */
    MRW_WHY_EMPTY = 32,  /* blank, one colour, cut by every border: see emptiness */
    MRW_WHY_DRIVER = 64, /* the golden is of another driver, or another backend */
    MRW_WHY_SUITE = 128  /* the suite asks for another time, size or camera than the golden is of:
                            not compared */
};

/* One frame. Pictures are paths relative to the results folder with '/', or NULL; an absolute path
 * stands for itself, but not in a file. */
typedef struct mrw_frame_result {
    /* "Walk_0012": what its files are called. */
    const char *name;
    /* As the model calls it; a stranger's name, not escaped. */
    const char *clip;
    /* Its number in the clip, from 0. */
    uint64_t frame;
    /* Seconds from the clip's start. */
    double time;
    bool passed;
    /* MRW_WHY_... or-ed; 0 when it passed. */
    uint32_t why;
    /* One line, escaped for a terminal; "" when it passed. */
    const char *message;
    /* A copy of the golden picture as it was, NAME.expected.png, in bad cases, for all frames that
     * have one: results are whole on another machine. NULL in all other cases. */
    const char *expected;
    /* NAME.png; NULL when it is the same as expected. */
    const char *actual;
    /* NAME.diff.png. */
    const char *diff;
    /* The metrics below are there. */
    bool compared;
    mrw_compare_result metrics;
    /* Of the picture that was drawn: whether it is fit to be a golden. */
    mrw_emptiness emptiness;
    /* The joint that is farthest off; its joint is NULL, too, where joints were not compared. */
    mrw_pose_difference pose;
    /* Largest difference of the bounding box's sides and corners, metres; 0, too, where boxes were
     * not compared. */
    double bounds;
} mrw_frame_result;

/* One case: a section of a suite file, or one of a comparison (mrw_diff says which there are). */
typedef struct mrw_case_result {
    const char *suite;
    const char *name;
    /* Where it stands: the path of its suite file, and a line of it from 1. Of a comparison the
     * path of what comes after, line 1. */
    const char *suite_file;
    uint32_t line;
    /* What was drawn: a path, or demo:NAME. */
    const char *model;
    /* The folder of its goldens. */
    const char *golden;
    /* What drew it where that is not this library's software: the backend, "gl", and its driver,
     * escaped for a terminal. NULL: software. */
    const char *backend;
    const char *driver;
    mrw_outcome outcome;
    /* One line, escaped for a terminal: why it failed or was skipped, in the order of importance:
     * the model fails to load; another scene than the goldens were made of; then the first bad
     * frame. "" when there is nothing to say. */
    const char *message;
    /* Causes, which the message has in front, in this order; one line each, escaped for a
     * terminal, NULL: none. How models are other than those that the goldens were made of:
     * "fox.glb: shape of Ear: box 4.0 taller; Run lasts 0.963 s, was 0.917". What the suite says
     * otherwise: "count = 8, was 4". How the case would be framed now, which is a failure by
     * itself: "the box grows by 4.0 upwards". */
    const char *model_change;
    const char *suite_change;
    const char *framing;
    /* The version of golden.txt that it was compared with; 0: none. Those before 3 hold no camera:
     * the case is framed anew. */
    uint32_t golden_version;
    /* That of skip or xfail, as the suite has it; NULL without. */
    const char *reason;
    /* "exact", "pixel", "perceptual". */
    const char *mode;
    /* As a clock on the wall shows, all runs of --repeat together. */
    double seconds;
    /* tag_count texts, in the order of the suite file. */
    const char *const *tags;
    size_t tag_count;
    /* MRW_PIXEL_VERSION of this run, and that of the goldens; 0: no golden. */
    uint32_t pixel_version;
    uint32_t golden_pixel_version;
    /* That of the first model, 64 hex digits; "" when it did not load. */
    const char *scene_hash;
    /* "": no golden, or of another formula. */
    const char *golden_scene_hash;
    /* frame_count frames in order of clips and frames; none when nothing was drawn. */
    mrw_frame_result *frames;
    size_t frame_count;
    /* Those of them that did not pass. */
    uint32_t bad_frames;
    /* With --repeat: how often it was run; outcome is the worst. */
    uint32_t runs;
} mrw_case_result;

/* A whole run. */
typedef struct mrw_results {
    mrw_case_result *cases;
    size_t case_count;
    /* How many cases ended so, by outcome. */
    uint32_t counts[MRW_OUTCOME_COUNT];
    /* Files among the goldens that no case uses: found by full runs. */
    const char *const *unused;
    size_t unused_count;
    /* Of the whole run, as a clock on the wall shows; of results that were merged the sum. */
    double seconds;
    /* Shard I of N, from 1; 1 of 1 is no shard. */
    uint32_t shard_index;
    uint32_t shard_count;
    /* What was compared: "marrow test", "old.fbx and new.fbx". */
    const char *title;
    /* What pictures of cases were compared with in place of goldens: "software", the path of
     * another marrow. Nothing of it can be accepted. NULL: goldens. */
    const char *against;
    /* The results folder that pictures are relative to. */
    const char *folder;
    /* The library's own: it owns everything. */
    void *memory;
} mrw_results;

/* Reads FOLDER/results.json, which a run writes. A stranger's file: nothing in it is trusted. Sizes
 * (128 MiB, 4 million values, 64 KiB a text), types and ranges are checked; pictures whose paths
 * are absolute or lead out of the folder are MRW_ERROR_INPUT; whether they exist is not looked at.
 * Texts that are said to be escaped are. suite_file, model, golden and unused are for display: they
 * name files of the machine that ran the tests. */
MRW_API mrw_status mrw_results_read(const char *folder, mrw_results *out, mrw_error *error);

/* Frees all that belongs to results and zeroes them. NULL and zeroed results are allowed. */
MRW_API void mrw_results_free(mrw_results *results);

/* Writes results->folder/results.json, whole or not at all. The folder exists. In it: schema 1;
 * numbers that read back exactly, null for those that are not finite; bytes that are no UTF-8 as
 * U+FFFD; control characters and those that reorder text escaped; no date, host or program version.
 */
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

/* Indices of all cases in the order in which reports tell them: as they come, but bad cases whose
 * models changed in the same way (model_change) behind the first of them, so that the cause is told
 * once. order has room for case_count. */
MRW_API mrw_status mrw_results_order(const mrw_results *results, size_t *order, mrw_error *error);

/* How many cases from order[at] on are of one cause: 1, where a case stands alone. */
MRW_API size_t mrw_results_run(const mrw_results *results, const size_t *order, size_t at);

/* The message of a case without its model_change, which was told before; "" when there is no more.
 * Valid as long as the result. */
MRW_API const char *mrw_case_detail(const mrw_case_result *result);

/* 0, 1 when a case is bad or there are no cases, 77 when all were skipped; 0, too, when all others
 * were left out. Shards other than the first may be without cases: 0. */
MRW_API int mrw_results_exit_status(const mrw_results *results);

/* ---- Reports --------------------------------------------------------------------------------- */

/* Writes DIR/index.html, one page without network, frameworks or absolute paths, fit to be opened
 * as a file, and the pictures of cases that did not just pass, or were not compared with goldens,
 * in DIR/pictures. The folder is made where it is not there. Pictures are named by their frame and
 * a hash of their bytes; the page comes last, and then the pictures of an earlier report go, so
 * that a report is always whole. Beside the pictures of frames that differ stand their bytes as
 * scripts (64 MiB of pictures, first bad frames first), from which the page has its pixel values:
 * browsers let a page that is a file show a picture, not read it. A picture that is not there or
 * can't be read is a placeholder in the page and no failure. */
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
 * xfailed is "not ok" with "# TODO"; failures have a YAML block. */
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
