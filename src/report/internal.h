/* internal.h: what the files of the golden room share. */
#ifndef MRWI_REPORT_INTERNAL_H
#define MRWI_REPORT_INTERNAL_H

#include "base/memory.h"
#include "marrow/golden.h"

/* ---- text.c: growing text -------------------------------------------------------------------- */

/* Zero-initialise. After running out of memory `failed` is set and everything else does nothing. */
typedef struct mrwi_text {
    char *data; /* NUL-terminated once something was added */
    size_t size;
    size_t capacity;
    bool failed;
} mrwi_text;

void mrwi_text_put(mrwi_text *text, const void *bytes, size_t size);
void mrwi_text_puts(mrwi_text *text, const char *string);
/* As in mrwi_fail: no floating point. */
void mrwi_text_add(mrwi_text *text, const char *format, ...) MRW_PRINTF(2, 3);
void mrwi_text_double(mrwi_text *text, double value); /* reads back to the same number */
void mrwi_text_fixed(mrwi_text *text, double value, int decimals);

/* A stranger's text, a character at a time: `put` gets the UTF-8 of one character, terminated, or
 * what mrwi_escape makes of one that a terminal would act on or of a byte that is no UTF-8. NULL is
 * the empty text. */
void mrwi_text_escaped(mrwi_text *text, const char *stranger,
                       void (*put)(mrwi_text *text, const char *character));

/* put for XML and HTML, in elements and in attributes: & < > " ' and what XML 1.0 has no room for.
 */
void mrwi_text_xml(mrwi_text *text, const char *character);

/* A quoted JSON string, which is a YAML string, too; bytes that are no UTF-8 become U+FFFD. Safe in
 * a terminal, in a log of GitHub (which acts on "##[") and inside <script>. NULL: null. */
void mrwi_text_json(mrwi_text *text, const char *string);

/* Hands the text over and leaves an empty one behind; the caller frees *out. */
mrw_status mrwi_text_take(mrwi_text *text, mrw_bytes *out, mrw_error *error);
void mrwi_text_free(mrwi_text *text);

/* ---- results.c ------------------------------------------------------------------------------- */

/* An arena in results->memory, which mrw_results_free frees; NULL when out of memory. */
mrwi_arena *mrwi_results_arena(mrw_results *results);

/* A copy in the arena. NULL gives NULL, and so does being out of memory. */
const char *mrwi_copy_text(mrwi_arena *arena, const char *string);

/* Counts outcomes into results->counts. */
void mrwi_results_count(mrw_results *results);

/* The first frame that failed, or NULL. */
const mrw_frame_result *mrwi_first_bad_frame(const mrw_case_result *result);

/* Adds the path of a picture from the current folder. */
void mrwi_text_picture(mrwi_text *text, const mrw_results *results, const char *picture);

/* The path without "./" at its start: what CI compares with the paths of a repository. "" for NULL.
 */
const char *mrwi_plain_path(const char *path);

/* True when a relative path with '/' stays where it starts: no empty, "." or ".." part, no control
 * character, not empty itself. */
bool mrwi_path_is_inside(const char *path);

/* Tokens of files: "missing", "damaged", ... for a single MRW_WHY_... bit, NULL for others. */
const char *mrwi_why_name(uint32_t why);

/* ---- figures.c ------------------------------------------------------------------------------- */

/* A number for people: with so many decimals, or shortest where they would make it 0. */
void mrwi_text_figure(mrwi_text *text, double value, int decimals);

/* Adds how far a frame is off, strangers' names through `put`; nothing when there are no figures.
 * "132 pixels differ (2.53 %), by at most 14; PSNR 40.1 dB, FLIP 0.0312, of a pixel 0.75; joint
 * LeftFoot turned 3.1 degrees, moved 0.0123 m; bounds off by 0.0030 m". */
void mrwi_text_figures(mrwi_text *text, const mrw_frame_result *frame,
                       void (*put)(mrwi_text *text, const char *character));

/* The largest figures of all frames of a case as if they were of one frame. */
mrw_frame_result mrwi_worst_frame(const mrw_case_result *result);

/* What to say of a bad case when it says nothing itself. */
const char *mrwi_case_message(const mrw_case_result *result);

#endif
