/* frame.h: draws one frame of a case, compares it with its goldens and writes its results. */
#ifndef MRWI_GOLDEN_FRAME_H
#define MRWI_GOLDEN_FRAME_H

#include "golden/expected.h"
#include "golden/options.h"
#include "marrow/golden.h"
#include "session/joints.h"

/* Buffers of one thread. */
typedef struct mrwi_golden_worker {
    const mrw_image *image; /* Current picture; it belongs to the crew. */
    mrw_image expected;     /* Golden picture read last */
    uint8_t *mask;          /* Mask of the picture drawn last */
    size_t mask_size;
} mrwi_golden_worker;

/* Inputs of a case; const once it is begun. */
typedef struct mrwi_golden_input {
    const mrw_case *c;
    const mrw_test_def *def;
    const mrw_session_host *host;
    const char *folder; /* Folder of the case's results */
    /* The case's settings, with other threads and shards; both share lists. */
    mrw_settings settings;
    mrw_compare_def compare;
    mrwi_golden_parts_kept *parts; /* Parts of models, shared by all cases */
    mrwi_golden_expected expected;
    mrwi_golden_options_change suite; /* How the suite differs from the goldens */
    bool keeps_views;                 /* Pictures use the cameras of the goldens. */
    /* A single time is framed as its whole clip, as in the goldens. */
    bool keeps_clip;
} mrwi_golden_input;

/* Parts of pictures that are not compared. */
typedef struct mrwi_golden_masks {
    uint8_t *pixels; /* Mask of rectangles and images, or NULL */
    size_t size;     /* Size of a picture, in pixels */
    uint32_t *nodes; /* Nodes that are masked wherever they are drawn */
    uint32_t node_count;
} mrwi_golden_masks;

/* State of one frame, beside its result. Kinds are bits MRW_CHECK_... */
typedef struct mrwi_golden_frame_state {
    uint8_t missing;     /* Kinds without a golden */
    uint8_t differs;     /* Kinds that are damaged or differ */
    bool key;            /* The frame's golden is a picture, not only a hash. */
    bool expected_seen;  /* The golden picture could be read. */
    bool unsteady;       /* A second run gave another result. */
    bool reframed;       /* Framing the frame again would give another camera than the golden's. */
    bool moved;          /* The frame is reframed because of the suite: nothing is compared. */
    bool stray;          /* golden.txt gives the frame another camera than its clip's. */
    uint8_t hash[32];    /* Hash of the picture; set with --repeat or hashes */
    const char *renamed; /* New name that --rename gives to goldens with an old name; or NULL. */
} mrwi_golden_frame_state;

/* Results of one frame. Each frame has its own, so several threads can work on one case. */
typedef struct mrwi_golden_frame {
    uint32_t index;
    mrw_frame_result *result;
    mrwi_golden_frame_state *state;
    mrwi_golden_stored_frame *stored; /* The frame in golden.txt as it would be now */
    mrwi_compare_pose *pose;          /* the frame in pose.txt as it would be now */
    mrwi_compare_box *box;            /* the frame in bounds.txt as it would be now */
    mrw_results *memory;              /* Memory of texts in the result */
} mrwi_golden_frame;

/* A frame after drawing. */
typedef struct mrwi_golden_shown {
    const mrw_session *session;
    const mrwi_golden_masks *masks;
    const mrwi_session_joints *joints; /* Joints whose poses are compared */
    const mrw_sequence_frame *picture;
    const mrwi_golden_frame
        *same; /* The worker's previous frame if it shows the same picture, or NULL. */
} mrwi_golden_shown;

/* Handles one frame. It may be called on any thread, each with its own worker. */
typedef mrw_status mrwi_golden_frame_task(const mrwi_golden_input *in,
                                          const mrwi_golden_frame *frame,
                                          const mrwi_golden_shown *shown,
                                          mrwi_golden_worker *worker, mrw_error *error);

/* Tasks that judge a frame, write the pictures of a frame that passed, and check that drawing a
 * frame again gives the same. */
mrwi_golden_frame_task mrwi_golden_frame_judge;
mrwi_golden_frame_task mrwi_golden_frame_show;
mrwi_golden_frame_task mrwi_golden_frame_repeat;

/* Writes the picture into in->folder, which holds the goldens of a new framing: see write_framed in
 * run_case.c. */
mrwi_golden_frame_task mrwi_golden_frame_put;

/* Copies the golden picture of a frame into the results. */
mrw_status mrwi_golden_frame_copy_expected(const mrwi_golden_input *in, mrw_frame_result *result,
                                           mrw_results *memory, mrw_error *error);

#endif
