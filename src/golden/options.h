/* options.h: what a suite says of the pictures of a case, as golden.txt has it, and how that has
 * changed. */
#ifndef MRWI_GOLDEN_OPTIONS_H
#define MRWI_GOLDEN_OPTIONS_H

#include "golden/store.h"
#include "marrow/session.h"
#include "marrow/suite.h"

/* A path as the suite names it: leading from the suite's folder, not from where marrow runs. */
const char *mrwi_golden_options_path(const mrw_case *c, const char *path);

/* True when one time of a clip is framed as it is, without that the settings say so. */
bool mrwi_golden_options_frames_one(const mrw_settings *settings);

/* True of goldens of such a case that were drawn while one time was framed as its whole clip; they
 * stay so. */
bool mrwi_golden_options_keep_clip(const mrw_settings *settings,
                                   const mrwi_golden_stored *expected);

/* The case's options, but for those of comparing; `framed`: and how one time is framed, where they
 * do not say it. Texts that are made are the arena's. */
mrw_status mrwi_golden_options_list(const mrw_case *c, bool framed, mrwi_base_arena *arena,
                                    mrwi_golden_stored *out, mrw_error *error);

/* What the suite says otherwise than it did when the goldens were made. */
typedef struct mrwi_golden_options_change {
    const char *text; /* "count = 8, was 4; ortho = yes, was not given", escaped; NULL: nothing */
    bool times;       /* among it what decides which times are drawn */
    bool framing;     /* what decides where the camera stands */
    bool size;        /* pictures are of another size */
} mrwi_golden_options_change;

/* Nothing for goldens that do not say what the suite said. */
mrw_status mrwi_golden_options_compare(const mrw_case *c, const mrwi_golden_stored *expected,
                                       mrwi_base_arena *arena, mrwi_golden_options_change *out,
                                       mrw_error *error);

#endif
