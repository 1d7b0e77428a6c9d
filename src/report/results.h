/* results.h: results from the inside: what makes, reads, writes and shows them shares. */
#ifndef MRWI_REPORT_RESULTS_H
#define MRWI_REPORT_RESULTS_H

#include "base/memory.h"
#include "marrow/json.h"
#include "marrow/report.h"

/* ---- results.c ------------------------------------------------------------------------------- */

/* An arena in results->memory, which mrw_results_free frees; NULL when out of memory. */
mrwi_base_arena *mrwi_report_results_arena(mrw_results *results);

/* Memory and text of the results; NULL when out of memory. The first call, or
 * mrwi_report_results_arena, on one thread; then on any, several at once. */
void *mrwi_report_alloc(mrw_results *results, size_t count, size_t size);
const char *mrwi_report_text(mrw_results *results, const char *text);

/* Counts outcomes into results->counts. */
void mrwi_report_results_count(mrw_results *results);

/* The first frame that failed, or NULL. */
const mrw_frame_result *mrwi_report_first_bad_frame(const mrw_case_result *result);

/* Adds the path of a picture from the current folder. */
void mrwi_report_picture_path(mrw_text *text, const mrw_results *results, const char *picture);

/* The path without "./" at its start: what CI compares with the paths of a repository. "" for NULL.
 */
const char *mrwi_report_plain_path(const char *path);

/* True when a relative path with '/' stays where it starts: no empty, "." or ".." part, no control
 * character, not empty itself. */
bool mrwi_report_path_is_inside(const char *path);

/* Tokens of files: "missing", "damaged", ... for a single MRW_WHY_... bit, NULL for others. */
const char *mrwi_report_why_name(uint32_t why);

/* ---- results_read.c, results_write.c --------------------------------------------------------- */

#define MRWI_REPORT_RESULTS_FILE   "results.json"
#define MRWI_REPORT_RESULTS_SCHEMA 1

/* The names of mrw_subject and mrw_emptiness in files. */
#define MRWI_REPORT_SUBJECTS    3
#define MRWI_REPORT_EMPTINESSES 4
extern const char *const mrwi_report_subject_tokens[MRWI_REPORT_SUBJECTS];
extern const char *const mrwi_report_empty_tokens[MRWI_REPORT_EMPTINESSES];

/* Members of a frame that results.json and the HTML report have in common: "why"; of the metrics
 * "ratio", "largest", "box", "mean", "psnr" and "flip"; of the pose "degrees", "distance", "scale"
 * and "differing". */
void mrwi_report_put_why(mrw_json *json, uint32_t why);
void mrwi_report_put_metrics(mrw_json *json, const mrw_compare_result *metrics);
void mrwi_report_put_pose(mrw_json *json, const mrw_pose_difference *pose);

/* --shard takes no more. */
#define MRWI_REPORT_MAX_SHARDS 100000

/* ---- figures.c ------------------------------------------------------------------------------- */

/* A number for people: with so many decimals, or shortest where they would make it 0. */
void mrwi_report_figure(mrw_text *text, double value, int decimals);

/* Adds how far a frame is off, strangers' names through `put`; nothing when there are no figures.
 * "132 pixels differ (2.53 %), by at most 14; PSNR 40.1 dB, FLIP 0.0312, of a pixel 0.75; joint
 * LeftFoot turned 3.1 degrees, moved 0.0123 m; bounds off by 0.0030 m". */
void mrwi_report_figures(mrw_text *text, const mrw_frame_result *frame,
                         void (*put)(mrw_text *text, const char *character));

/* The largest figures of all frames of a case as if they were of one frame. */
mrw_frame_result mrwi_report_worst_frame(const mrw_case_result *result);

/* What to say of a bad case when it says nothing itself. */
const char *mrwi_report_case_message(const mrw_case_result *result);

/* ---- escape.c -------------------------------------------------------------------------------- */

/* A stranger's text, a character at a time: `put` gets the UTF-8 of one character, terminated, or
 * what mrwi_base_escape makes of one that a terminal would act on or of a byte that is no UTF-8.
 * NULL is the empty text. */
void mrwi_report_escaped(mrw_text *text, const char *stranger,
                         void (*put)(mrw_text *text, const char *character));

/* put for XML and HTML, in elements and in attributes: & < > " ' and what XML 1.0 has no room for.
 */
void mrwi_report_xml(mrw_text *text, const char *character);

#endif
