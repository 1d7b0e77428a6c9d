/* diff.h: what the files that compare two of a kind share. "Before" and "after" are side 0 and 1.
 *
 *   diff.c      what two paths are, and which comparison they want
 *   pictures.c  two pictures, two folders
 *   models.c    two models: joints, clips that belong together
 *   clip.c      one clip of both: drawn, compared
 *   words.c     what is said of a clip
 *   shapes.c    meshes, vertex by vertex
 *   shared.c    what all kinds share: cases of results, pictures compared and written, progress
 */
#ifndef MRWI_DIFF_DIFF_H
#define MRWI_DIFF_DIFF_H

#include "compare/pose.h"
#include "marrow/diff.h"
#include "report/results.h"
#include "session/joints.h"

#include <pthread.h>
#include <stdatomic.h>

/* How far a comparison is. Threads that compare tell of it with mrwi_diff_count; with
 * mrwi_diff_step where they have no sink to end. */
typedef struct mrwi_diff_progress {
    const mrw_diff_def *def; /* whose progress() hears of it */
    size_t count;            /* pictures to compare */
    pthread_mutex_t lock;    /* of all that follows */
    size_t done;
    size_t failed_at;
    mrw_error failure; /* of the first picture that failed, in their order */
    atomic_bool stop;
} mrwi_diff_progress;

/* What is compared and how, and where what is found goes. */
typedef struct mrwi_diff {
    const mrw_diff_def *def;
    const char *paths[2];
    mrw_compare_def compare; /* without mask, on one thread */
    mrw_results *results;
    mrwi_diff_progress *progress;
} mrwi_diff;

/* Makes the results' cases; each is "passed" and has no frames. */
mrw_status mrwi_diff_cases(mrw_results *results, mrw_compare_mode mode, size_t count,
                           mrw_error *error);

/* Names a case: its suite, itself (a stranger's name), its two files. */
mrw_status mrwi_diff_name_case(const mrwi_diff *diff, mrw_case_result *result, const char *suite,
                               const char *name, const char *before, const char *after,
                               mrw_error *error);

/* Compares pictures; what fails gets all metrics. */
mrw_status mrwi_diff_compare(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_compare_result *out, mrw_error *error);

/* The picture of a difference. */
mrw_status mrwi_diff_picture(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_image *out, mrw_error *error);

/* Writes a picture, and the folders to it. */
mrw_status mrwi_diff_write(const char *path, const mrw_image *image, mrw_error *error);

/* Counts a picture that is done, and tells whoever listens; what they return. */
mrw_status mrwi_diff_count(mrwi_diff_progress *progress, mrw_error *error);

/* Notes that picture `index` is done, or why not. */
void mrwi_diff_step(mrwi_diff_progress *progress, size_t index, mrw_status status,
                    const mrw_error *error);

/* The failure noted, if there is one. */
mrw_status mrwi_diff_outcome(const mrwi_diff_progress *progress, mrw_error *error);

/* True for what ends in a way that pictures do. */
bool mrwi_diff_is_picture_name(const char *path);

mrw_status mrwi_diff_pictures(const mrwi_diff *diff, mrw_error *error);
mrw_status mrwi_diff_folders(const mrwi_diff *diff, mrw_error *error);
mrw_status mrwi_diff_models(const mrwi_diff *diff, mrw_error *error);

/* ---- models ---------------------------------------------------------------------------------- */

/* One model. */
typedef struct mrwi_diff_side {
    mrw_settings settings; /* lists are borrowed */
    const mrw_scene *scene;
    mrw_session_model model;
    mrw_session session;
    mrwi_session_joint *joints; /* those that both sides have, in one order */
    uint32_t *mask_nodes;
    uint32_t mask_node_count;
} mrwi_diff_side;

/* What one thread works with, beside the crew's. */
typedef struct mrwi_diff_worker {
    mrw_image image;     /* of side 1; that of side 0 is the crew's */
    mrw_instance *after; /* side 1 at the time of the picture */
    mrwi_compare_pose poses[2];
    uint8_t *mask;
} mrwi_diff_worker;

typedef struct mrwi_diff_workers {
    mrw_crew *crew;
    mrwi_diff_worker *items; /* one a thread */
    int count;
} mrwi_diff_workers;

typedef struct mrwi_diff_models_state {
    const mrwi_diff *diff;
    mrw_session_cache *cache; /* where both sides take models from, or NULL */
    mrwi_diff_side sides[2];
    uint32_t joint_count;
    bool framed;   /* the camera stays for all clips */
    uint8_t *mask; /* of rectangles and images, or NULL */
    bool masks_nodes;
    mrwi_diff_workers workers;
    mrwi_base_arena arena;
} mrwi_diff_models_state;

/* A clip of both, or of one: then the other is absent. MRW_NONE is a pose. */
typedef struct mrwi_diff_clip {
    uint32_t clips[2];
    bool there[2];
    mrw_picture_list pictures; /* of side 0's clip */
    mrw_case_result *result;
    const char *folder;      /* of its pictures; NULL: none */
    const char *safe;        /* its name as part of a file name */
    const char **pose_texts; /* of each frame; NULL: within the limits */
} mrwi_diff_clip;

/* Draws and compares all pictures of a clip that both have, and fills in its result. */
mrw_status mrwi_diff_clip_run(mrwi_diff_models_state *state, mrwi_diff_clip *clip,
                              mrw_error *error);

/* The line that stands for a clip: "LeftFoot turned 3.1 degrees at frame 12; 12 of 25 frames
 * differ, most at frame 12 (5.2 % of what marrow drew)". */
void mrwi_diff_describe_clip(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip,
                             mrw_text *out);

/* Notes for the host: vertices that have moved, of meshes that both have. */
mrw_status mrwi_diff_tell_shapes(const mrw_scene *before, const mrw_scene *after,
                                 const mrw_session_host *host, mrw_error *error);

/* True when the clip lasts longer or shorter than before. */
bool mrwi_diff_other_duration(const mrwi_diff_models_state *state, const mrwi_diff_clip *clip);

#endif
