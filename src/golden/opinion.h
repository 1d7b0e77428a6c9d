/* opinion.h: what the files of a second opinion share. */
#ifndef MRWI_GOLDEN_OPINION_H
#define MRWI_GOLDEN_OPINION_H

#include "marrow/golden.h"

/* A second opinion as results, for the reports of tests: software's pictures are the expected ones,
 * the other renderer's the actual ones. */
typedef struct mrwi_golden_opinion_report {
    const mrw_opinion_def *def; /* without def->results, the functions below do nothing */
    mrw_results *results;
    double start;      /* wall clock at the beginning of the run */
    double case_start; /* wall clock at the beginning of the current case */
} mrwi_golden_opinion_report;

/* A picture that both renderers drew. */
typedef struct mrwi_golden_opinion_picture {
    const char *clip;
    uint64_t frame;
    double time;
    const mrw_image *expected; /* picture of software */
    const mrw_image *actual;   /* picture of the other renderer */
    uint32_t levels;           /* most levels by which pixels may differ */
    bool agrees;
    const char *message; /* how far they agree */
} mrwi_golden_opinion_picture;

/* Begins the results of `case_count` cases. The caller frees *results in any case. */
mrw_status mrwi_golden_opinion_report_begin(const mrw_opinion_def *def, size_t case_count,
                                            mrw_results *results, mrwi_golden_opinion_report *out,
                                            mrw_error *error);
/* Begins a case of at most `pictures` pictures. */
mrw_status mrwi_golden_opinion_report_case(mrwi_golden_opinion_report *report, const mrw_case *c,
                                           uint32_t pictures, mrw_error *error);
/* Compares the pictures, and writes them into the folder of the report. */
mrw_status mrwi_golden_opinion_report_picture(mrwi_golden_opinion_report *report,
                                              const mrwi_golden_opinion_picture *picture,
                                              mrw_error *error);
/* Ends a case. message: escaped, or "". reason: why it is skipped, or NULL. */
mrw_status mrwi_golden_opinion_report_outcome(mrwi_golden_opinion_report *report,
                                              mrw_outcome outcome, const char *message,
                                              const char *reason, mrw_error *error);
/* Ends the run. fault: why the opinion is worth nothing whatever the cases say, or NULL. */
void mrwi_golden_opinion_report_end(mrwi_golden_opinion_report *report, const char *fault);

#endif
