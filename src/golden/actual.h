/* actual.h: computes the golden texts of a case as they would be now, and how the inputs have
 * changed. */
#ifndef MRWI_GOLDEN_ACTUAL_H
#define MRWI_GOLDEN_ACTUAL_H

#include "golden/pictures.h"

/* Fills in golden.txt, except for hashes, cameras and parts of models, which are added as they are
 * found. */
mrw_status mrwi_golden_actual_begin(const mrw_case *c, const mrw_session *session,
                                    mrwi_golden_findings *found, mrw_error *error);

/* Finds the parts of models. Called only when they are needed. */
mrw_status mrwi_golden_actual_parts(const mrwi_golden_input *in, const mrw_session *session,
                                    mrwi_golden_findings *found, mrw_error *error);

/* Lists joints, and allocates poses and boxes. */
mrw_status mrwi_golden_actual_poses(const mrwi_golden_input *in, const mrw_session *session,
                                    mrwi_golden_findings *found, mrw_error *error);

/* Sets the scene's hash in the result, and how models and the suite have changed. */
mrw_status mrwi_golden_actual_changes(const mrwi_golden_input *in, const mrw_session *session,
                                      mrwi_golden_findings *found, mrw_error *error);

#endif
