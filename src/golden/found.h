/* found.h: the goldens of a case as they would be now, and how what they are made of has changed.
 */
#ifndef MRWI_GOLDEN_FOUND_H
#define MRWI_GOLDEN_FOUND_H

#include "golden/pictures.h"

/* golden.txt but for hashes, cameras and parts of models, which come as they are found. */
mrw_status mrwi_golden_found_begin(const mrw_case *c, const mrw_session *session,
                                   mrwi_golden_findings *found, mrw_error *error);

/* The parts of models: looked at when somebody wants to know. */
mrw_status mrwi_golden_found_parts(const mrwi_golden_input *in, const mrw_session *session,
                                   mrwi_golden_stored *stored, mrw_error *error);

/* Lists joints and makes room for poses and boxes. */
mrw_status mrwi_golden_found_poses(const mrwi_golden_input *in, const mrw_session *session,
                                   mrwi_golden_findings *found, mrw_error *error);

/* Notes in the result what scene it is of, and how models and the suite have changed. */
mrw_status mrwi_golden_found_changes(const mrwi_golden_input *in, const mrw_session *session,
                                     mrwi_golden_findings *found, mrw_error *error);

#endif
