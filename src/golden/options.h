/* options.h: lists a suite's options for the pictures of a case, and compares them with those in
 * golden.txt. */
#ifndef MRWI_GOLDEN_OPTIONS_H
#define MRWI_GOLDEN_OPTIONS_H

#include "golden/store.h"
#include "marrow/models.h"
#include "marrow/suite.h"

/* Returns a path as the suite names it: relative to the suite's folder, not to the current one. */
const char *mrwi_golden_options_path(const mrw_case *c, const char *path);

/* Returns true when a single time of a clip is framed by itself by default, not by the settings. */
bool mrwi_golden_options_frames_one(const mrw_settings *settings);

/* Returns true when such a case has goldens from when a single time was framed as its whole clip;
 * they stay so. */
bool mrwi_golden_options_keep_clip(const mrw_settings *settings,
                                   const mrwi_golden_stored *expected);

/* Lists the case's options, except for those of comparing. With `framed` adds how a single time is
 * framed, if the options do not tell. The arena holds new texts. */
mrw_status mrwi_golden_options_list(const mrw_case *c, bool framed, mrwi_base_arena *arena,
                                    mrwi_golden_stored *out, mrw_error *error);

/* Differences of the suite from what the goldens were made with. */
typedef struct mrwi_golden_options_change {
    /* "count = 8, was 4; ortho = yes, was not given", escaped; NULL when nothing differs. */
    const char *text;
    bool times;   /* Options that decide which times are drawn differ. */
    bool framing; /* Options that decide the camera differ. */
    bool size;    /* The size of pictures differs. */
} mrwi_golden_options_change;

/* Compares the options. Finds no differences in goldens before version 3, which have no options. */
mrw_status mrwi_golden_options_compare(const mrw_case *c, const mrwi_golden_stored *expected,
                                       mrwi_base_arena *arena, mrwi_golden_options_change *out,
                                       mrw_error *error);

#endif
