/* scene_files.h: the parts of a scene in a file that all cases of a suite share:
 * GOLDEN/SUITE/scene-HASH.txt, named by the scene's hash.
 *
 *     marrow scene 1
 *     part nodes "" bcb4... count 13 draws 3 ...     as in golden.txt (parts.h)
 *     end
 *
 * The file only explains how a model has changed. Without it a changed model is still found, by its
 * hash in golden.txt.
 */
#ifndef MRWI_GOLDEN_SCENE_FILES_H
#define MRWI_GOLDEN_SCENE_FILES_H

#include "golden/store.h"
#include "marrow/suite.h"

/* Writes the file of a scene into GOLDEN/SUITE unless it is there. Does nothing if the parts are
 * unknown. */
mrw_status mrwi_golden_scene_file_write(const char *folder, const mrwi_golden_stored_scene *scene,
                                        mrw_error *error);

/* Reads the parts of a scene whose golden.txt is in `golden`: GOLDEN/SUITE/CASE, or a backend's
 * folder in it. Does nothing if they are known. If the file is missing or damaged, the parts stay
 * unknown and *fault, which may be NULL, says why. Everything belongs to the arena. */
mrw_status mrwi_golden_scene_file_read(const char *golden, mrwi_golden_stored_scene *scene,
                                       mrwi_base_arena *arena, const char **fault,
                                       mrw_error *error);

/* Does the same for those scenes of `expected` that are others in `actual`. The list of scenes
 * becomes a copy; the former one is not changed. Does nothing before version 4. */
mrw_status mrwi_golden_scene_files_read(const char *golden, mrwi_golden_stored *expected,
                                        const mrwi_golden_stored *actual, mrwi_base_arena *arena,
                                        const char **fault, mrw_error *error);

/* Moves the files of all scenes from one GOLDEN/SUITE to another. */
mrw_status mrwi_golden_scene_files_move(const char *from, const char *to, mrw_error *error);

/* Removes the files that no golden.txt of their suite names, in the suites of all cases. Leaves a
 * suite alone if one of its golden.txt cannot be read. */
mrw_status mrwi_golden_scene_files_sweep(const mrw_case_list *cases, mrw_error *error);

#endif
