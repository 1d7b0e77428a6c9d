/* frame.h: one frame of a case: drawn, compared with its goldens, its files in the results. */
#ifndef MRWI_GOLDEN_FRAME_H
#define MRWI_GOLDEN_FRAME_H

#include "golden/expected.h"
#include "golden/options.h"
#include "marrow/golden.h"
#include "session/joints.h"

/* What one thread works with. */
typedef struct mrwi_golden_worker {
    const mrw_image *image; /* the picture at hand; the crew's */
    mrw_image expected;     /* the golden read last */
    uint8_t *mask;          /* of the picture drawn last */
    size_t mask_size;
} mrwi_golden_worker;

/* A case as it is to be run; const once it is begun. */
typedef struct mrwi_golden_input {
    const mrw_case *c;
    const mrw_test_def *def;
    const mrw_session_host *host;
    const char *folder;    /* of its results */
    mrw_settings settings; /* the case's, whose lists they share, but for threads and shards */
    mrw_compare_def compare;
    mrwi_golden_parts_kept *parts; /* of models, for all cases */
    mrwi_golden_expected expected;
    mrwi_golden_options_change suite; /* what it says otherwise than the goldens do */
    bool keeps_views;                 /* pictures are seen from where the goldens were */
    bool keeps_clip;                  /* one time is framed as its whole clip, as the goldens are */
} mrwi_golden_input;

/* What of the pictures is not compared. */
typedef struct mrwi_golden_masks {
    uint8_t *pixels; /* of rectangles and images, or NULL */
    size_t size;     /* of a picture, in pixels */
    uint32_t *nodes; /* that are masked wherever they are drawn */
    uint32_t node_count;
} mrwi_golden_masks;

/* Of one frame, beside its result. Bits of kinds are MRW_CHECK_... */
typedef struct mrwi_golden_frame_state {
    uint8_t missing;    /* kinds without a golden */
    uint8_t differs;    /* kinds that are damaged or differ */
    bool key;           /* it has a picture, not only a hash */
    bool expected_seen; /* the golden picture could be read */
    bool unsteady;      /* a second run gave something else */
    bool reframed;      /* framed anew it would be seen from elsewhere than the golden was */
    bool moved;         /* and the suite is why: nothing is compared through it */
    bool stray;         /* golden.txt gives it another camera than the one that draws its clip */
    uint8_t hash[32];   /* of the picture; with --repeat or hashes */
    const char
        *renamed; /* name for --rename to give to its goldens, which have an old one; or NULL */
} mrwi_golden_frame_state;

/* Where what is found of one frame goes. All of it is the frame's own, so that several threads can
 * be at work on a case. */
typedef struct mrwi_golden_frame {
    uint32_t index;
    mrw_frame_result *result;
    mrwi_golden_frame_state *state;
    mrwi_golden_stored_frame *stored; /* this and what follows: as golden files would be now */
    mrwi_compare_pose *pose;
    mrwi_compare_box *box;
    mrw_results *memory; /* of texts in the result */
} mrwi_golden_frame;

/* A frame as it was drawn. */
typedef struct mrwi_golden_shown {
    const mrw_session *session;
    const mrwi_golden_masks *masks;
    const mrwi_session_joints *joints; /* those that poses are of */
    const mrw_sequence_frame *picture;
    const mrwi_golden_frame
        *same; /* what the worker had before, when that shows the same, or NULL */
} mrwi_golden_shown;

/* Does something with one frame, on any thread, each with its own worker. */
typedef mrw_status mrwi_golden_frame_task(const mrwi_golden_input *in,
                                          const mrwi_golden_frame *frame,
                                          const mrwi_golden_shown *shown,
                                          mrwi_golden_worker *worker, mrw_error *error);

/* Judge a frame; leave the pictures of one that passed; see whether one that was drawn again is the
 * same. */
mrwi_golden_frame_task mrwi_golden_frame_judge;
mrwi_golden_frame_task mrwi_golden_frame_show;
mrwi_golden_frame_task mrwi_golden_frame_repeat;

/* Leaves the picture among the results of a framing, which in->folder is: see case.c. */
mrwi_golden_frame_task mrwi_golden_frame_put;

/* Copies the golden of a frame into the results. */
mrw_status mrwi_golden_frame_copy_expected(const mrwi_golden_input *in, mrw_frame_result *result,
                                           mrw_results *memory, mrw_error *error);

#endif
