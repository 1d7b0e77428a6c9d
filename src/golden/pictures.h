/* pictures.h: the pictures of a case: which they are, drawn one after the other or several at once.
 */
#ifndef MRWI_GOLDEN_PICTURES_H
#define MRWI_GOLDEN_PICTURES_H

#include "golden/frame.h"
#include "golden/scenes.h"

/* Who works on a case. */
typedef struct mrwi_golden_workers {
    mrwi_golden_worker *items; /* one a thread */
    int count;
    mrw_crew *drawing;
    mrw_crew *posing; /* where nobody compares pictures */
} mrwi_golden_workers;

/* A case that is prepared for drawing. */
typedef struct mrwi_golden_prepared {
    mrw_session_cache *cache; /* whose scene is drawn; NULL: it is this session's alone */
    const mrwi_golden_workers *workers;
    mrw_session_model model;
    mrw_session session;
    mrw_picture_list pictures;
    mrwi_golden_masks masks;
} mrwi_golden_prepared;

/* What comes of a case. Frames are indices into result->frames, states, stored.frames, poses and
 * boxes. */
typedef struct mrwi_golden_findings {
    mrw_case_result *result;
    mrw_results *memory;    /* of what the result points at */
    mrwi_base_arena *arena; /* of all the rest */
    mrwi_golden_frame_state *states;
    mrwi_session_joints joints;
    const char *camera_fault;  /* another marrow frames the case otherwise; or NULL */
    const char *framing;       /* how the case would be framed now, where that is another way than
                                  the goldens are: "the box grows by 4.0 upwards"; or NULL */
    mrwi_golden_stored stored; /* this and what follows: as golden files would be now */
    mrwi_golden_poses poses;
    mrwi_golden_boxes boxes;
} mrwi_golden_findings;

/* Finds pictures and masks, and prepares the session; cache and workers are set. To be ended
 * whatever it returns; then it can be begun again. */
mrw_status mrwi_golden_session_begin(const mrwi_golden_input *in, const mrw_scene *scene,
                                     mrwi_golden_prepared *prepared, mrw_error *error);
void mrwi_golden_session_end(mrwi_golden_prepared *prepared);

/* Sets the states' `key`: of frames that are stored as pictures. */
void mrwi_golden_mark_key_frames(const mrw_case *c, const mrw_session_model *model,
                                 const mrw_picture_list *pictures, mrwi_golden_frame_state *states);

/* Makes a result and a state of each picture. */
mrw_status mrwi_golden_frames_make(const mrwi_golden_input *in,
                                   const mrwi_golden_prepared *prepared,
                                   mrwi_golden_findings *found, mrw_error *error);

/* Some of the frames, in their order. */
typedef struct mrwi_golden_choice {
    uint32_t *frames;
    uint32_t count;
} mrwi_golden_choice;

/* Draws the frames, and calls the task for each. some NULL: for all. */
mrw_status mrwi_golden_frames_draw(const mrwi_golden_input *in, mrwi_golden_prepared *prepared,
                                   mrwi_golden_findings *found, mrwi_golden_frame_task *task,
                                   const mrwi_golden_choice *some, mrw_error *error);

#endif
