/* names.h: chooses and changes the names of goldens. Names keep the letters of all scripts.
 * Earlier, file names were ASCII with '_' for each other byte; goldens of that time are still
 * found. */
#ifndef MRWI_GOLDEN_NAMES_H
#define MRWI_GOLDEN_NAMES_H

#include "base/file.h"
#include "golden/pictures.h"

/* Chooses the name of a frame's goldens: `name`, the same in another normal form, or the old name
 * if one_clip is set, whichever has goldens; `name` if none has. one_clip says that no other clip
 * of the case has the same old name. Returns NULL when out of memory. */
const char *mrwi_golden_names_choose(const mrwi_golden_expected *expected, const char *name,
                                     bool one_clip, mrw_results *memory);

/* Writes FOLDER/NAME.png, or the path of a file with the same name in another normal form if only
 * that exists. Returns false if the path is too long. */
bool mrwi_golden_names_path(const char *folder, const char *name, char out[MRWI_BASE_PATH_MAX]);

/* Renames goldens of frames with old names, and writes the new names into the text files. */
mrw_status mrwi_golden_names_move_frames(const mrwi_golden_input *in,
                                         const mrwi_golden_findings *found, mrw_error *error);

/* Moves folders of cases that have old names. */
mrw_status mrwi_golden_names_move_cases(const mrw_case_list *cases, mrw_error *error);

#endif
