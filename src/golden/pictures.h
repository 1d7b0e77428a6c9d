/* pictures.h: lists and draws the pictures of a case, one after the other or several at once. */
#ifndef MRWI_GOLDEN_PICTURES_H
#define MRWI_GOLDEN_PICTURES_H

#include "golden/frame.h"
#include "golden/scenes.h"

/* Threads and crews that work on a case. */
typedef struct mrwi_golden_workers {
    mrwi_golden_worker *items; /* One item per thread */
    int count;
    mrw_crew *drawing;
    mrw_crew *posing; /* Crew for cases that compare no pictures */
} mrwi_golden_workers;

/* A case that is prepared for drawing. */
typedef struct mrwi_golden_prepared {
    /* Cache with the scene; NULL when the scene belongs to this session alone. */
    mrw_session_cache *cache;
    const mrwi_golden_workers *workers;
    mrw_session_model model;
    mrw_session session;
    mrw_picture_list pictures;
    mrwi_golden_masks masks;
} mrwi_golden_prepared;

/* Findings of a case. Frames are indices into result->frames, states, stored.frames, poses and
 * boxes. */
typedef struct mrwi_golden_findings {
    mrw_case_result *result;
    mrw_results *memory;    /* Memory of what the result points at */
    mrwi_base_arena *arena; /* Memory of everything else */
    mrwi_golden_frame_state *states;
    mrwi_session_joints joints;
    const char *camera_fault; /* Says that another marrow frames the case differently; or NULL. */
    /* How a new framing would differ from the goldens' ("the box grows by 4.0 upwards"); or
     * NULL. */
    const char *framing;
    mrwi_golden_stored stored; /* golden.txt as it would be now */
    mrwi_golden_poses poses;   /* pose.txt as it would be now */
    mrwi_golden_boxes boxes;   /* bounds.txt as it would be now */
} mrwi_golden_findings;

/* Lists pictures, makes masks and prepares the session. Set cache and workers before. End it even
 * after a failure; then it can be begun again. */
mrw_status mrwi_golden_session_begin(const mrwi_golden_input *in, const mrw_scene *scene,
                                     mrwi_golden_prepared *prepared, mrw_error *error);
void mrwi_golden_session_end(mrwi_golden_prepared *prepared);

/* Sets `key` in the states of frames that are stored as pictures. */
void mrwi_golden_mark_key_frames(const mrw_case *c, const mrw_session_model *model,
                                 const mrw_picture_list *pictures, mrwi_golden_frame_state *states);

/* Makes a result and a state for each picture. */
mrw_status mrwi_golden_frames_make(const mrwi_golden_input *in,
                                   const mrwi_golden_prepared *prepared,
                                   mrwi_golden_findings *found, mrw_error *error);

/* A subset of the frames, in ascending order. */
typedef struct mrwi_golden_choice {
    uint32_t *frames;
    uint32_t count;
} mrwi_golden_choice;

/* Draws the frames and calls the task for each; for all when `some` is NULL. */
mrw_status mrwi_golden_frames_draw(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                                   mrwi_golden_findings *found, mrwi_golden_frame_task *task,
                                   const mrwi_golden_choice *some, mrw_error *error);

#endif
