/* run.h: what the files of running cases share.
 *
 *   run.c         all cases: workers, results folders, results.json
 *   scenes.c      models that several cases draw
 *   case.c        one case: from its settings to its outcome
 *   pictures.c    one case: its pictures, drawn one after the other or several at once
 *   cameras.c     one case: its cameras, shared with others where they are the same
 *   frame.c       one frame: drawn, compared, its files
 *   run_pose.c    one frame: joints and bounds
 *   run_mask.c    what is left out of comparisons
 *   expected.c    what a case is compared with: goldens
 *   against.c     or what another marrow draws; against_read.c: what it says
 *   promote.c     results to goldens; accept.c: afterwards, from a results folder
 *   unused.c      goldens that no case uses; old results
 */
#ifndef MRWI_GOLDEN_RUN_H
#define MRWI_GOLDEN_RUN_H

#include "base/files.h"
#include "golden/store.h"
#include "marrow/stage.h"

#include <pthread.h>
#include <stdatomic.h>

#define MRWI_TEXT_SIZE    (256u << 20) /* of golden.txt, pose.txt, bounds.txt */
#define MRWI_PICTURE_SIZE (2u << 30)   /* bytes of a picture's file: what is read of images */

/* ---- expected.c ------------------------------------------------------------------------------ */

/* What a case is compared with. */
typedef struct mrwi_expected {
    const char *folder; /* of pictures, FRAME.png */
    bool hashes;        /* frames that are no key frames have a hash in `stored` in their place */
    bool stored_there;  /* the same for poses and boxes: false when there is no such file */
    bool poses_there;
    bool boxes_there;
    const char *stored_fault; /* why it can't be read, escaped; or NULL */
    const char *poses_fault;
    const char *boxes_fault;
    mrwi_stored stored;
    mrwi_poses poses;
    mrwi_boxes boxes;
    const char **camera_frames; /* names of frames whose camera is known; NULL: of none */
    mrw_camera *cameras;        /* of each */
    uint32_t camera_count;
} mrwi_expected;

/* Where that comes from: the goldens, or something else that puts the same into a folder. open is
 * called once a case, on any thread, several at a time; what it makes is the arena's. Whatever it
 * can't find or read is said in *out; a failure ends the run. */
typedef struct mrwi_source {
    mrw_status (*open)(void *user, const mrw_case *c, mrwi_arena *arena, mrwi_expected *out,
                       mrw_error *error);
    void (*close)(void *user, mrwi_expected *expected); /* once for each open; may be NULL */
    void *user;
} mrwi_source;

mrwi_source mrwi_golden_source(void);

/* The same for any folder of such files. */
mrw_status mrwi_expected_read(const char *folder, uint32_t checks, bool hashes, mrwi_arena *arena,
                              mrwi_expected *out, mrw_error *error);

/* The goldens of a case. A golden.txt that is missing beside others, or is of another number of
 * models, is a fault: nothing would tell what they were made of. */
mrw_status mrwi_expected_goldens(const mrw_case *c, mrwi_arena *arena, mrwi_expected *out,
                                 mrw_error *error);

/* ---- against.c ------------------------------------------------------------------------------- */

struct mrwi_run;
struct mrwi_case_run;

/* Asks the other marrow what it is, for the title of the results. */
mrw_status mrwi_against_begin(struct mrwi_run *run, mrw_error *error);
mrwi_source mrwi_against_source(struct mrwi_run *run);

/* Puts the other's camera into the frame where it is another, and notes that. */
mrw_status mrwi_against_aim(struct mrwi_case_run *cr, uint32_t index, mrw_frame_def *frame,
                            mrw_error *error);

/* ---- scenes.c -------------------------------------------------------------------------------- */

/* A scene prepared for drawing in one of the ways that cases want. */
typedef struct mrwi_drawable {
    uint32_t shading;
    uint32_t max_influences;
    mrw_model *model;
    struct mrwi_drawable *next;
} mrwi_drawable;

typedef struct mrwi_framing mrwi_framing; /* cameras.c */

/* A model with all that settings say of reading it; loaded when the first case wants it, freed
 * after the last. Those of --add stay to the end of the run. */
typedef struct mrwi_shared_scene {
    pthread_mutex_t lock;
    const char *path;
    mrw_settings settings;
    size_t users;                   /* cases that have not given it back */
    struct mrwi_shared_scene *next; /* among those of --add */
    bool tried;
    mrw_scene *scene;
    mrwi_drawable *drawables;
    mrwi_framing *framings;
    mrw_error error; /* when it could not be loaded */
} mrwi_shared_scene;

typedef struct mrwi_scenes {
    mrwi_shared_scene *items;
    uint32_t count;
    uint32_t *of_case;    /* [case of the list] */
    pthread_mutex_t lock; /* of the list that follows */
    mrwi_shared_scene *added;
} mrwi_scenes;

mrw_status mrwi_scenes_make(const mrw_case_list *cases, mrwi_scenes *out, mrw_error *error);
/* The scene of a case; `threads` load it when it is not loaded yet. */
mrw_status mrwi_scenes_take(mrwi_scenes *scenes, size_t index, int threads,
                            const mrw_stage_host *host, const mrw_scene **out, mrw_error *error);

/* The scene of a case that has taken it, prepared as its settings want. */
mrw_status mrwi_scenes_drawable(mrwi_scenes *scenes, size_t index, const mrw_settings *settings,
                                int threads, const mrw_model **out, mrw_error *error);

/* A model of --add, loaded and prepared as settings say; it stays until the run ends. */
mrw_status mrwi_scenes_added(mrwi_scenes *scenes, const char *path, const mrw_settings *settings,
                             int threads, const mrw_stage_host *host, const mrw_scene **scene,
                             const mrw_model **drawable, mrw_error *error);
void mrwi_scenes_give(mrwi_scenes *scenes, size_t index); /* once a case, taken or not */
void mrwi_scenes_free(mrwi_scenes *scenes);

/* ---- run.c ----------------------------------------------------------------------------------- */

/* What one thread works with. */
typedef struct mrwi_worker {
    mrw_renderer *renderer;
    mrw_image image;    /* what was drawn last */
    bool drawn;         /* that is the frame at hand, too: it shows what `twin` does */
    uint32_t twin;      /* the frame it was drawn for */
    mrw_image expected; /* the golden read last */
    uint8_t *mask;
    size_t mask_size;
    mrw_instance *instances;
    uint32_t instance_capacity;
} mrwi_worker;

/* A file among the goldens that no case uses. */
typedef struct mrwi_unused {
    const char *path;
    struct mrwi_unused *next;
} mrwi_unused;

typedef struct mrwi_run {
    const mrw_case_list *cases;
    const mrw_test_def *def;
    mrwi_source source;
    mrw_stage_host host;
    mrw_results *results;
    const char **roots; /* results folder of each case */
    mrwi_scenes scenes;
    mrwi_worker *workers;
    int worker_count;
    int inner_threads;    /* of one case */
    atomic_bool stop;     /* start no case any more */
    atomic_bool bad;      /* a case has failed */
    pthread_mutex_t lock; /* of all that follows, and of the results' arena */
    mrwi_unused *unused;
    size_t done;
    size_t failed_at; /* of the cases whose error ends the run, the first one */
    mrw_error failure;
    char told[1024]; /* the machine's warning before */
} mrwi_run;

/* Memory and text of the results, from any thread; NULL when out of memory. */
void *mrwi_run_alloc(mrwi_run *run, size_t count, size_t size);
const char *mrwi_run_text(mrwi_run *run, const char *text);

/* ---- case.c ---------------------------------------------------------------------------------- */

/* Of one frame, beside its result. Bits of kinds are MRW_CHECK_... */
typedef struct mrwi_frame_state {
    uint8_t missing;    /* kinds without a golden */
    uint8_t differs;    /* kinds that are damaged or differ */
    bool key;           /* it has a picture, not only a hash */
    bool expected_seen; /* the golden picture could be read */
    bool unsteady;      /* a second run gave something else */
    uint8_t hash[32];   /* of the picture; with --repeat or hashes */
} mrwi_frame_state;

/* A joint as a pose golden names it. */
typedef struct mrwi_joint_place {
    const char *name;
    uint32_t instance;
    uint32_t node;
} mrwi_joint_place;

typedef struct mrwi_joint_places {
    mrwi_joint_place *items;
    uint32_t count;
} mrwi_joint_places;

/* One case while it runs. Frames are indices into pictures, results, states, poses and boxes. */
typedef struct mrwi_case_run {
    mrwi_run *run;
    const mrw_case *c;
    mrw_case_result *result;
    mrwi_worker *workers; /* one a thread of this case */
    int threads;
    mrwi_arena arena;   /* its own */
    const char *folder; /* of its results */
    mrw_settings settings;
    mrwi_expected expected;

    const mrw_scene *scene;
    bool shared; /* the scene is the run's, not this case's alone */
    mrw_stage_model model;
    mrw_stage stage;
    mrw_picture_list pictures;
    mrwi_frame_state *states;

    mrw_compare_def compare;
    uint8_t *mask; /* of rectangles and images, or NULL */
    uint32_t *mask_nodes;
    uint32_t mask_node_count;

    mrwi_joint_places joints;

    mrwi_stored stored; /* this and what follows: as golden files would be now */
    mrwi_poses poses;
    mrwi_boxes boxes;
} mrwi_case_run;

/* How settings compare pictures; the mask is left out. */
mrw_compare_def mrwi_compare_def_of(const mrw_settings *settings, mrw_isa isa);

/* Runs case `index` of the list and fills in its result. A failure ends the run. */
mrw_status mrwi_case_run_all(mrwi_run *run, size_t index, mrwi_worker *workers, mrw_error *error);

/* ---- pictures.c ------------------------------------------------------------------------------ */

/* Does something with one frame, on any of the case's threads, each with its own worker. `threads`
 * is what it may use itself. */
typedef mrw_status (*mrwi_frame_task)(mrwi_case_run *cr, uint32_t index, const mrw_frame_def *frame,
                                      const mrw_instance *instances, mrwi_worker *worker,
                                      int threads, mrw_error *error);

/* Finds pictures and prepares the stage. */
mrw_status mrwi_case_stage(mrwi_case_run *cr, const mrw_scene *scene, mrw_error *error);
void mrwi_case_unstage(mrwi_case_run *cr);

/* Calls the task for all frames, or for those marked. */
mrw_status mrwi_case_perform(mrwi_case_run *cr, mrwi_frame_task task, const bool *marked,
                             mrw_error *error);

/* ---- cameras.c ------------------------------------------------------------------------------- */

/* mrw_stage_aim. Cases that frame a model the same way, as a whole or one clip of it, measure it
 * once. */
mrw_status mrwi_case_aim(mrwi_case_run *cr, mrw_error *error);
void mrwi_framings_free(mrwi_framing *framings);

/* For tests: how often something was measured so far, and kept. */
uint64_t mrwi_framings_measured(void);

/* ---- run_mask.c ------------------------------------------------------------------------------ */

/* Reads the masks of the case's settings. */
mrw_status mrwi_mask_make(mrwi_case_run *cr, mrw_error *error);

/* Marks what a mask that is no node's leaves out of pictures of that size. */
mrw_status mrwi_mask_mark(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks,
                          mrw_error *error);

/* The mask of the frame drawn last by this worker, in *out; NULL: nothing is masked. */
mrw_status mrwi_mask_frame(mrwi_case_run *cr, const mrw_instance *instances, mrwi_worker *worker,
                           const uint8_t **out, mrw_error *error);

/* ---- run_pose.c ------------------------------------------------------------------------------ */

/* Lists joints and makes room for poses and boxes. */
mrw_status mrwi_pose_make(mrwi_case_run *cr, mrw_error *error);

/* Gathers joints and bounds of a frame; pose has room for the case's joints. */
mrw_status mrwi_pose_gather(const mrwi_case_run *cr, const mrw_instance *instances,
                            mrwi_worker *worker, mrwi_pose *pose, mrwi_box *box, mrw_error *error);

/* The joints of all instances of a prepared stage: of all skins, or all nodes of a scene without
 * skins. */
mrw_status mrwi_joint_places_of(const mrw_stage *stage, mrwi_arena *arena, mrwi_joint_places *out,
                                mrw_error *error);

/* Joints and the box of instances as posed; a place for each of the pose's joints. */
void mrwi_gather_joints(const mrw_posed_instance *posed, const mrwi_joint_place *places,
                        mrwi_pose *pose);
void mrwi_gather_box(const mrw_stage *stage, uint32_t instance_count,
                     const mrw_posed_instance *posed, mrwi_box *box);

/* ---- frame.c --------------------------------------------------------------------------------- */

/* Tasks: draw and judge a frame; draw and leave the pictures of one that passed; draw it again and
 * see whether it is the same. */
mrw_status mrwi_frame_judge(mrwi_case_run *cr, uint32_t index, const mrw_frame_def *frame,
                            const mrw_instance *instances, mrwi_worker *worker, int threads,
                            mrw_error *error);
mrw_status mrwi_frame_show(mrwi_case_run *cr, uint32_t index, const mrw_frame_def *frame,
                           const mrw_instance *instances, mrwi_worker *worker, int threads,
                           mrw_error *error);
mrw_status mrwi_frame_repeat(mrwi_case_run *cr, uint32_t index, const mrw_frame_def *frame,
                             const mrw_instance *instances, mrwi_worker *worker, int threads,
                             mrw_error *error);

/* Copies the golden of a frame into the results. */
mrw_status mrwi_frame_copy_expected(mrwi_case_run *cr, uint32_t index, mrw_error *error);

/* ---- promote.c ------------------------------------------------------------------------------- */

/* Results of one case to its goldens. */
typedef struct mrwi_promotion {
    const mrw_case *c;
    const char *results;      /* the case's folder: FRAME.png, golden.txt, pose.txt, bounds.txt */
    const char *const *names; /* of its frames, in order */
    const uint8_t *take;      /* kinds (MRW_CHECK_...) that become goldens, of each frame */
    const bool *pictures;     /* frames whose picture is in the results, and is to be taken */
    uint32_t count;
} mrwi_promotion;

/* Each file is replaced whole: pictures, poses, bounds, golden.txt. What of the goldens is not
 * taken stays. */
mrw_status mrwi_promote(const mrwi_promotion *promotion, mrw_error *error);

/* ---- unused.c -------------------------------------------------------------------------------- */

/* Removes what an earlier run left in a case's folder of results, and the folder if it is empty. */
mrw_status mrwi_remove_results(const char *folder, mrw_error *error);

/* True when there are pictures of frames in the folder. */
bool mrwi_holds_pictures(const char *folder);

/* The first frame, by name, that there are goldens of, but that the case does not draw; "": none.
 */
mrw_status mrwi_unused_frame(const mrwi_case_run *cr, char out[MRWI_NAME_SIZE], mrw_error *error);

/* Lists goldens in the case's folder that it does not use. */
mrw_status mrwi_unused_of_case(mrwi_case_run *cr, mrw_error *error);

/* Lists those of cases that are no more, puts all in order into the results, and removes them with
 * `prune`. */
mrw_status mrwi_unused_finish(mrwi_run *run, mrw_error *error);

#endif
