/* html.h: data and functions that the files of the HTML report share. */
#ifndef MRWI_REPORT_HTML_H
#define MRWI_REPORT_HTML_H

#include "report/results.h"

/* Folder of the pictures, beside index.html. */
#define MRWI_REPORT_PICTURES "pictures"

/* Bytes of pictures that are written as scripts. A page opened as a file cannot read the pixels of
 * picture files beside it, so pictures whose pixel values it shows are scripts. The first bad
 * frames of each case come first. */
#define MRWI_REPORT_VALUES ((uint64_t)64 << 20)

/* Bytes of base64 of pictures in a page that holds them itself. The first bad frames come first. */
#define MRWI_REPORT_INLINE ((uint64_t)25 << 20)

enum {
    MRWI_REPORT_ROLE_EXPECTED,
    MRWI_REPORT_ROLE_ACTUAL,
    MRWI_REPORT_ROLE_DIFF,
    MRWI_REPORT_ROLES
};

typedef enum mrwi_report_picture_state {
    MRWI_REPORT_PICTURE_NONE,    /* The results name no picture. */
    MRWI_REPORT_PICTURE_SHOWN,   /* The picture is in the report. */
    MRWI_REPORT_PICTURE_MISSING, /* Its file does not exist or cannot be read. */
    MRWI_REPORT_PICTURE_DAMAGED, /* Its file is not a picture. */
    MRWI_REPORT_PICTURE_LEFT     /* It was left out to limit the report's size. */
} mrwi_report_picture_state;

typedef struct mrwi_report_picture {
    mrwi_report_picture_state state;
    const char *name; /* Name of its file in pictures/, or its PNG as base64 if the page holds
                       * pictures. */
    uint32_t width;
    uint32_t height;
    bool values; /* The file is a script, which lets the page read pixel values. */
} mrwi_report_picture;

/* A report that is being written. The first four fields are given, the others begin as 0. Free it
 * with mrwi_report_free. */
typedef struct mrwi_report {
    const mrw_results *results;
    const char *folder;   /* Folder of the report. NULL: one page with the failures, which holds its
                           * pictures. */
    uint64_t values_left; /* Begins as MRWI_REPORT_VALUES and counts down. */
    uint64_t inline_left; /* Begins as MRWI_REPORT_INLINE and counts down. */
    mrwi_report_picture (**pictures)[MRWI_REPORT_ROLES]; /* For each case the pictures of its
                                                          * frames, or NULL. */
    uint64_t frames_left;                                /* Number of frames whose pictures were
                                                          * left out. */
    mrwi_base_arena arena;
} mrwi_report;

/* html_pictures.c */

void mrwi_report_free(mrwi_report *report);

/* Returns true if the report shows the case; a page that holds its pictures shows only failures. */
bool mrwi_report_has_case(const mrwi_report *report, const mrw_case_result *result);

/* Returns true if the report has pictures of the case. */
bool mrwi_report_has_pictures(const mrwi_report *report, const mrw_case_result *result);

/* Copies the pictures to FOLDER/pictures, or takes them into the page. An unreadable picture gets a
 * state and is not a failure. */
mrw_status mrwi_report_take_pictures(mrwi_report *report, mrw_error *error);

/* Removes pictures that earlier reports wrote, and nothing else. Files that cannot be removed stay.
 */
void mrwi_report_remove_old(const mrwi_report *report);

/* html_data.c: writes all that the page shows as JSON, which may stand in <script>. Texts from
 * files are escaped as for a terminal, so that characters which reorder or hide text become
 * visible. */
void mrwi_report_data(const mrwi_report *report, mrw_text *out);

/* Writes a verdict such as "3 of 128 cases failed". */
void mrwi_report_verdict(const mrw_results *results, mrw_text *out);

/* html_page.c: the page itself, from page*.html, .css and .js. */
extern const char mrwi_report_html[], mrwi_report_html_end[];
extern const char mrwi_report_css[], mrwi_report_css_end[];
extern const char mrwi_report_js[], mrwi_report_js_end[];

#endif
