/* results.h: functions shared by the code that makes, reads, writes and shows results. */
#ifndef MRWI_REPORT_RESULTS_H
#define MRWI_REPORT_RESULTS_H

#include "base/memory.h"
#include "marrow/json.h"
#include "marrow/report.h"

/* ---- results.c ------------------------------------------------------------------------------- */

/* Returns the arena of the results, which mrw_results_free frees; NULL when out of memory. */
mrwi_base_arena *mrwi_report_results_arena(mrw_results *results);

/* Allocates memory of the results, or copies a text into it; returns NULL when out of memory. The
 * first call, or mrwi_report_results_arena, must be on one thread; later calls may come from
 * several threads at once. */
void *mrwi_report_alloc(mrw_results *results, size_t count, size_t size);
const char *mrwi_report_text(mrw_results *results, const char *text);

/* Counts outcomes into results->counts. */
void mrwi_report_results_count(mrw_results *results);

/* Makes the order of mrw_results_order. The caller frees it; it is NULL after a failure. */
mrw_status mrwi_report_results_order(const mrw_results *results, size_t **order, mrw_error *error);

/* Returns the first frame that failed, or NULL. */
const mrw_frame_result *mrwi_report_first_bad_frame(const mrw_case_result *result);

/* Adds the path of a picture, as seen from the current folder. */
void mrwi_report_picture_path(mrw_text *text, const mrw_results *results, const char *picture);

/* Returns the path without "./" at its start, as CI compares it with paths of a repository; "" for
 * NULL. */
const char *mrwi_report_plain_path(const char *path);

/* Returns true if a relative path stays below its start: it is not empty and has no empty, "." or
 * ".." part and no control character. */
bool mrwi_report_path_is_inside(const char *path);

/* Returns the name in files, "missing", "damaged" and so on, of a single MRW_WHY_... bit; NULL for
 * others. */
const char *mrwi_report_why_name(uint32_t why);

/* ---- results_read.c, results_write.c --------------------------------------------------------- */

#define MRWI_REPORT_RESULTS_FILE   "results.json"
#define MRWI_REPORT_RESULTS_SCHEMA 1

/* Does what mrw_results_read does for the content of results.json in `folder`. */
mrw_status mrwi_report_results_parse(const void *text, size_t size, const char *folder,
                                     mrw_results *out, mrw_error *error);

/* Names of mrw_subject and mrw_emptiness in files. */
#define MRWI_REPORT_SUBJECTS    3
#define MRWI_REPORT_EMPTINESSES 4
extern const char *const mrwi_report_subject_tokens[MRWI_REPORT_SUBJECTS];
extern const char *const mrwi_report_empty_tokens[MRWI_REPORT_EMPTINESSES];

/* Write members of a frame that results.json and the HTML report have in common: "why"; of the
 * metrics "ratio", "largest", "box", "mean", "psnr" and "flip"; of the pose "degrees", "distance",
 * "scale" and "differing". */
void mrwi_report_put_why(mrw_json *json, uint32_t why);
void mrwi_report_put_metrics(mrw_json *json, const mrw_compare_result *metrics);
void mrwi_report_put_pose(mrw_json *json, const mrw_pose_difference *pose);

/* Most shards, which is also the limit of --shard. */
#define MRWI_REPORT_MAX_SHARDS 100000

/* ---- figures.c ------------------------------------------------------------------------------- */

/* Adds a number for people, with `decimals` decimals, or the shortest form if it would read 0. */
void mrwi_report_figure(mrw_text *text, double value, int decimals);

/* Adds how far a frame is off; adds nothing if there are no figures. Names from files go through
 * `put`. "132 pixels differ (2.53 %), by at most 14; PSNR 40.1 dB, FLIP 0.0312, of a pixel 0.75;
 * joint LeftFoot turned 3.1 degrees, moved 0.0123 m; bounds off by 0.0030 m". */
void mrwi_report_figures(mrw_text *text, const mrw_frame_result *frame,
                         void (*put)(mrw_text *text, const char *character));

/* Returns the largest figures of all frames of a case, as if they were those of one frame. */
mrw_frame_result mrwi_report_worst_frame(const mrw_case_result *result);

/* Returns the message of a case, or a general one if a bad case has none. */
const char *mrwi_report_case_message(const mrw_case_result *result);

/* ---- escape.c -------------------------------------------------------------------------------- */

/* Passes a text from a file to `put`, one character at a time: as terminated UTF-8, or as
 * mrwi_base_escape writes a character that a terminal would act on or a byte that is not UTF-8.
 * NULL is the empty text. */
void mrwi_report_escaped(mrw_text *text, const char *foreign,
                         void (*put)(mrw_text *text, const char *character));

/* Adds a character in XML or HTML, in elements and attributes. Escapes & < > " ' and replaces
 * characters that XML 1.0 does not allow. */
void mrwi_report_xml(mrw_text *text, const char *character);

#endif
