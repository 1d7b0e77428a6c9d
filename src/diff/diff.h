/* diff.h: data and functions that files of the room share. "Before" and "after" are sides 0 and 1.
 *
 *   diff.c      finds out what two paths are and chooses the comparison
 *   pictures.c  compares two pictures or two folders
 *   models.c    compares two models: loads them, matches their joints and clips
 *   clip.c      draws one clip of both models and compares the pictures
 *   words.c     describes the result of a clip
 *   shared.c    serves all kinds: cases of results, comparing pictures, progress
 */
#ifndef MRWI_DIFF_DIFF_H
#define MRWI_DIFF_DIFF_H

#include "compare/pose.h"
#include "marrow/diff.h"
#include "report/results.h"
#include "session/joints.h"

#include <pthread.h>
#include <stdatomic.h>

/* Progress of a comparison. Threads report it with mrwi_diff_count, or with mrwi_diff_step if no
 * sink can stop them. */
typedef struct mrwi_diff_progress {
    const mrw_diff_def *def; /* Its progress() is called. */
    size_t count;            /* Number of pictures to compare. */
    pthread_mutex_t lock;    /* Guards the fields below. */
    size_t done;
    size_t failed_at;
    mrw_error failure; /* The error of picture failed_at, the first in order that failed. */
    atomic_bool stop;
} mrwi_diff_progress;

/* A comparison: its inputs, its limits and where its results go. */
typedef struct mrwi_diff {
    const mrw_diff_def *def;
    const char *paths[2];
    mrw_compare_def compare; /* Has no mask, and uses one thread. */
    mrw_results *results;
    mrwi_diff_progress *progress;
} mrwi_diff;

/* Makes the results' cases; each is "passed" and has no frames. */
mrw_status mrwi_diff_cases(mrw_results *results, mrw_compare_mode mode, size_t count,
                           mrw_error *error);

/* Sets a case's suite, its name (which may come from a file) and its two files. */
mrw_status mrwi_diff_name_case(const mrwi_diff *diff, mrw_case_result *result, const char *suite,
                               const char *name, const char *before, const char *after,
                               mrw_error *error);

/* Compares pictures; those that fail get all metrics. */
mrw_status mrwi_diff_compare(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_compare_result *out, mrw_error *error);

/* Makes the picture of a difference. */
mrw_status mrwi_diff_picture(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_image *out, mrw_error *error);

/* Counts a finished picture and calls the progress callback. Returns that callback's status. */
mrw_status mrwi_diff_count(mrwi_diff_progress *progress, mrw_error *error);

/* Notes that picture `index` is finished, or why it failed. */
void mrwi_diff_step(mrwi_diff_progress *progress, size_t index, mrw_status status,
                    const mrw_error *error);

/* Returns the failure that was noted, if any. */
mrw_status mrwi_diff_outcome(const mrwi_diff_progress *progress, mrw_error *error);

/* Returns true if the path ends like the name of a picture. */
bool mrwi_diff_is_picture_name(const char *path);

mrw_status mrwi_diff_pictures(const mrwi_diff *diff, mrw_error *error);
mrw_status mrwi_diff_folders(const mrwi_diff *diff, mrw_error *error);
mrw_status mrwi_diff_models(const mrwi_diff *diff, mrw_error *error);

/* ---- models ---------------------------------------------------------------------------------- */

/* One of the two models. */
typedef struct mrwi_diff_side {
    mrw_settings settings; /* Borrows its lists. */
    const mrw_scene *scene;
    mrw_session_model model;
    mrw_session session;
    mrwi_session_joint *joints; /* The joints that both sides have, in the same order on both. */
    uint32_t *mask_nodes;
    uint32_t mask_node_count;
} mrwi_diff_side;

/* Work memory of one thread, beside that of the crew. */
typedef struct mrwi_diff_worker {
    mrw_image image;     /* Picture of side 1; the crew has that of side 0. */
    mrw_instance *after; /* Instances of side 1 at the time of the picture. */
    mrwi_compare_pose poses[2];
    uint8_t *mask;
} mrwi_diff_worker;

typedef struct mrwi_diff_workers {
    mrw_crew *crew;
    mrwi_diff_worker *items; /* One entry per thread. */
    int count;
} mrwi_diff_workers;

typedef struct mrwi_diff_models_state {
    const mrwi_diff *diff;
    mrw_session_cache *cache; /* Cache from which both sides take models, or NULL. */
    mrwi_diff_side sides[2];
    uint32_t joint_count;
    bool framed;   /* The camera has been placed and stays for all clips. */
    uint8_t *mask; /* The mask made of rectangles and images, or NULL. */
    bool masks_nodes;
    mrwi_diff_workers workers;
    mrwi_base_arena arena;
} mrwi_diff_models_state;

/* A clip of both models, or of one of them. MRW_NONE is a pose. */
typedef struct mrwi_diff_clip {
    uint32_t clips[2];
    bool there[2];
    mrw_picture_list pictures; /* The pictures of side 0's clip. */
    mrw_case_result *result;
    const char *folder;      /* Folder of the clip's pictures; NULL: they are not written. */
    const char *safe;        /* The clip's name as part of a file name. */
    const char **pose_texts; /* Difference of each frame's pose; NULL: within the limits. */
} mrwi_diff_clip;

/* Draws and compares all pictures of a clip that both models have, and fills in its result. */
mrw_status mrwi_diff_clip_run(mrwi_diff_models_state *state, mrwi_diff_clip *clip,
                              mrw_error *error);

/* Writes the line that describes a clip: "LeftFoot turned 3.1 degrees at frame 12; 12 of 25 frames
 * differ, most at frame 12 (5.2 % of what marrow drew)". */
void mrwi_diff_describe_clip(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip,
                             mrw_text *out);

/* Returns true if the clip's duration has changed. */
bool mrwi_diff_other_duration(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip);

#endif
