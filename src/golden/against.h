/* against.h: starts another marrow and reads its output. */
#ifndef MRWI_GOLDEN_AGAINST_H
#define MRWI_GOLDEN_AGAINST_H

#include "golden/expected.h"
#include "marrow/golden.h"

typedef struct mrw_frame_def mrw_frame_def; /* marrow/frame.h */

/* Asks the other marrow for its version, for the title of the results. */
mrw_status mrwi_golden_against_begin(const mrw_test_def *def, mrw_results *results,
                                     mrw_error *error);
mrwi_golden_reference mrwi_golden_against_source(const mrw_test_def *def);

/* Sets a frame's camera to the other marrow's when they differ, and describes that in *fault; the
 * arena holds this text. */
mrw_status mrwi_golden_against_aim(const mrwi_golden_cameras *cameras, const char *name,
                                   mrwi_base_arena *arena, mrw_frame_def *frame, const char **fault,
                                   mrw_error *error);

/* ---- against_read.c -------------------------------------------------------------------------- */

/* Files with the output of the other marrow, in the folder of a case. */
#define MRWI_GOLDEN_AGAINST_RENDER "said.render" /* render --json */
#define MRWI_GOLDEN_AGAINST_BAKE   "said.bake"   /* bake --json: one line per picture */
#define MRWI_GOLDEN_AGAINST_JOINTS "said.joints" /* bake --joints */
#define MRWI_GOLDEN_AGAINST_ERRORS "said.errors"

/* Reads scene hash and pixel version of a case, and the names of its pictures in order. */
mrw_status mrwi_golden_against_read_pictures(const char *folder, const mrw_case *c,
                                             mrwi_base_arena *arena, mrwi_golden_expected *out,
                                             const char ***names, uint32_t *count,
                                             mrw_error *error);

/* Reads joints, cameras and boxes of those pictures. */
mrw_status mrwi_golden_against_read_shapes(const char *folder, const char *const *names,
                                           uint32_t count, mrwi_base_arena *arena,
                                           mrwi_golden_expected *out, mrw_error *error);

#endif
