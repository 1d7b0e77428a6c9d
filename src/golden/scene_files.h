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

/* Returns true if the file of a scene is missing. `golden` is the folder of the golden.txt that
 * names the scene: GOLDEN/SUITE/CASE, or a backend's folder in it. */
bool mrwi_golden_scene_file_missing(const char *golden, const char *hash);

/* Fails with MRW_ERROR_INPUT if the file of a scene in GOLDEN/SUITE is a Git LFS pointer or an HTML
 * page. */
mrw_status mrwi_golden_scene_file_check(const char *folder, const char *hash, mrw_error *error);

/* Writes the file of a scene into GOLDEN/SUITE unless it is there. Does nothing if the parts are
 * unknown. */
mrw_status mrwi_golden_scene_file_write(const char *folder, const mrwi_golden_stored_scene *scene,
                                        mrw_error *error);

/* Reads the parts of a scene that the golden.txt in `golden` names, unless they are known. If the
 * file is missing or damaged, the parts stay unknown, and *fault is set to the reason; otherwise
 * *fault keeps its value. Everything belongs to the arena. */
mrw_status mrwi_golden_scene_file_read(const char *golden, mrwi_golden_stored_scene *scene,
                                       mrwi_base_arena *arena, const char **fault,
                                       mrw_error *error);

/* Does the same for those scenes of `expected` that differ in `actual`. Replaces the list of scenes
 * by a copy and does not change the former one. Does nothing before version 4. */
mrw_status mrwi_golden_scene_files_read(const char *golden, mrwi_golden_stored *expected,
                                        const mrwi_golden_stored *actual, mrwi_base_arena *arena,
                                        const char **fault, mrw_error *error);

/* Moves the files of all scenes from one GOLDEN/SUITE to another. */
mrw_status mrwi_golden_scene_files_move(const char *from, const char *to, mrw_error *error);

/* Locks GOLDEN/SUITE while files of scenes and the golden.txt that name them are written, so that a
 * sweep waits. Several threads and processes can hold this lock at once. Returns what to unlock
 * with; -1 without a lock. */
int mrwi_golden_scene_files_lock(const char *folder);
void mrwi_golden_scene_files_unlock(int lock);

/* Removes files that no golden.txt of their suite names, in the suites of all cases. Leaves a suite
 * alone if one of its golden.txt cannot be read. */
mrw_status mrwi_golden_scene_files_sweep(const mrw_case_list *cases, mrw_error *error);

#endif
