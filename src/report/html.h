/* html.h: what the files of the HTML report share. */
#ifndef MRWI_REPORT_HTML_H
#define MRWI_REPORT_HTML_H

#include "report/results.h"

/* Pictures lie in this folder beside index.html. */
#define MRWI_REPORT_PICTURES "pictures"

/* A page that was opened as a file cannot read the pixels of pictures beside it. Pictures whose
 * pixel values it shows are therefore scripts. Up to so many bytes of pictures are, the first bad
 * frames of each case first. */
#define MRWI_REPORT_VALUES ((uint64_t)64 << 20)

/* Pictures of a page that holds them itself: bytes of base64, the first bad frames first. */
#define MRWI_REPORT_INLINE ((uint64_t)25 << 20)

enum {
    MRWI_REPORT_ROLE_EXPECTED,
    MRWI_REPORT_ROLE_ACTUAL,
    MRWI_REPORT_ROLE_DIFF,
    MRWI_REPORT_ROLES
};

typedef enum mrwi_report_picture_state {
    MRWI_REPORT_PICTURE_NONE,    /* the results name none */
    MRWI_REPORT_PICTURE_SHOWN,   /* it is in the report */
    MRWI_REPORT_PICTURE_MISSING, /* its file is not there or can't be read */
    MRWI_REPORT_PICTURE_DAMAGED, /* its file is no picture */
    MRWI_REPORT_PICTURE_LEFT     /* left out for the sake of size */
} mrwi_report_picture_state;

typedef struct mrwi_report_picture {
    mrwi_report_picture_state state;
    const char *name; /* its file in pictures/; its PNG as base64 in a page with pictures inside */
    uint32_t width;
    uint32_t height;
    bool values; /* the file is a script */
} mrwi_report_picture;

/* A report in the making. The first four are given, the rest is zero at first; free with
 * mrwi_report_free. */
typedef struct mrwi_report {
    const mrw_results *results;
    const char *folder;   /* NULL: one page of the failures, pictures inside */
    uint64_t values_left; /* MRWI_REPORT_VALUES, and what is left of it */
    uint64_t inline_left; /* MRWI_REPORT_INLINE, and what is left of it */
    mrwi_report_picture (**pictures)[MRWI_REPORT_ROLES]; /* a case: those of its frames, or NULL */
    uint64_t frames_left;                                /* frames whose pictures were left out */
    mrwi_base_arena arena;
} mrwi_report;

/* html_pictures.c */

void mrwi_report_free(mrwi_report *report);

/* True when the case stands in the report; a page with pictures inside has the failures only. */
bool mrwi_report_has_case(const mrwi_report *report, const mrw_case_result *result);

/* True when the report has pictures of the case. */
bool mrwi_report_has_pictures(const mrwi_report *report, const mrw_case_result *result);

/* Copies the pictures to FOLDER/pictures, or takes them in. A picture that can't
 * be read is a state of it and no failure. */
mrw_status mrwi_report_take_pictures(mrwi_report *report, mrw_error *error);

/* Removes the pictures of earlier reports; nothing else, whoever put it there. What can't be
 * removed stays. */
void mrwi_report_remove_old(const mrwi_report *report);

/* html_data.c: all the page shows, as JSON that may stand in <script>. Strangers' texts in it are
 * escaped as for a terminal: text that reorders or hides other text is seen. */
void mrwi_report_data(const mrwi_report *report, mrw_text *out);

/* "3 of 128 cases failed". */
void mrwi_report_verdict(const mrw_results *results, mrw_text *out);

void mrwi_report_base64(mrw_text *text, const uint8_t *bytes, size_t size);

/* html_page.c: the page itself, as in page*.html, .css and .js. */
extern const char mrwi_report_html[], mrwi_report_html_end[];
extern const char mrwi_report_css[], mrwi_report_css_end[];
extern const char mrwi_report_js[], mrwi_report_js_end[];

#endif
