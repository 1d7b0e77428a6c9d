/* case.h: one case while it runs, and its frames. */
#ifndef MRWI_GOLDEN_CASE_H
#define MRWI_GOLDEN_CASE_H

#include "golden/run.h"
#include "stage/joints.h"

/* Of one frame, beside its result. Bits of kinds are MRW_CHECK_... */
typedef struct mrwi_golden_frame_state {
    uint8_t missing;    /* kinds without a golden */
    uint8_t differs;    /* kinds that are damaged or differ */
    bool key;           /* it has a picture, not only a hash */
    bool expected_seen; /* the golden picture could be read */
    bool unsteady;      /* a second run gave something else */
    uint8_t hash[32];   /* of the picture; with --repeat or hashes */
} mrwi_golden_frame_state;

/* One case while it runs. Frames are indices into pictures, results, states, poses and boxes. */
typedef struct mrwi_golden_case_run {
    mrwi_golden_run *run;
    const mrw_case *c;
    mrw_case_result *result;
    mrwi_golden_worker *workers; /* one a thread of this case */
    int threads;
    mrwi_base_arena arena; /* its own */
    const char *folder;    /* of its results */
    mrw_settings settings;
    mrwi_golden_expected expected;

    const mrw_scene *scene;
    bool shared; /* the scene is the run's, not this case's alone */
    mrw_stage_model model;
    mrw_stage stage;
    mrw_picture_list pictures;
    mrwi_golden_frame_state *states;

    mrw_compare_def compare;
    uint8_t *mask; /* of rectangles and images, or NULL */
    uint32_t *mask_nodes;
    uint32_t mask_node_count;

    mrwi_stage_joints joints;

    mrwi_golden_stored stored; /* this and what follows: as golden files would be now */
    mrwi_golden_poses poses;
    mrwi_golden_boxes boxes;
} mrwi_golden_case_run;

/* ---- case.c ---------------------------------------------------------------------------------- */

/* Runs case `index` of the list and fills in its result. A failure ends the run. */
mrw_status mrwi_golden_case_run_all(mrwi_golden_run *run, size_t index, mrwi_golden_worker *workers,
                                    mrw_error *error);

/* ---- pictures.c ------------------------------------------------------------------------------ */

/* Does something with one frame, on any of the case's threads, each with its own worker. `threads`
 * is what it may use itself. */
typedef mrw_status (*mrwi_golden_frame_task)(mrwi_golden_case_run *cr, uint32_t index,
                                             const mrw_frame_def *frame,
                                             const mrw_instance *instances,
                                             mrwi_golden_worker *worker, int threads,
                                             mrw_error *error);

/* Finds pictures and prepares the stage. */
mrw_status mrwi_golden_case_stage(mrwi_golden_case_run *cr, const mrw_scene *scene,
                                  mrw_error *error);
void mrwi_golden_case_unstage(mrwi_golden_case_run *cr);

/* Calls the task for all frames, or for those marked. */
mrw_status mrwi_golden_case_perform(mrwi_golden_case_run *cr, mrwi_golden_frame_task task,
                                    const bool *marked, mrw_error *error);

/* ---- frame.c --------------------------------------------------------------------------------- */

/* Tasks: draw and judge a frame; draw and leave the pictures of one that passed; draw it again and
 * see whether it is the same. */
mrw_status mrwi_golden_frame_judge(mrwi_golden_case_run *cr, uint32_t index,
                                   const mrw_frame_def *frame, const mrw_instance *instances,
                                   mrwi_golden_worker *worker, int threads, mrw_error *error);
mrw_status mrwi_golden_frame_show(mrwi_golden_case_run *cr, uint32_t index,
                                  const mrw_frame_def *frame, const mrw_instance *instances,
                                  mrwi_golden_worker *worker, int threads, mrw_error *error);
mrw_status mrwi_golden_frame_repeat(mrwi_golden_case_run *cr, uint32_t index,
                                    const mrw_frame_def *frame, const mrw_instance *instances,
                                    mrwi_golden_worker *worker, int threads, mrw_error *error);

/* Copies the golden of a frame into the results. */
mrw_status mrwi_golden_frame_copy_expected(mrwi_golden_case_run *cr, uint32_t index,
                                           mrw_error *error);

#endif
