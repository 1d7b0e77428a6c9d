/* expected.h: what a case is compared with. */
#ifndef MRWI_GOLDEN_EXPECTED_H
#define MRWI_GOLDEN_EXPECTED_H

#include "golden/store.h"
#include "marrow/session.h"
#include "marrow/suite.h"

/* Bytes that are read at most: of golden.txt, pose.txt and bounds.txt, and of a picture's file. */
#define MRWI_GOLDEN_TEXT_SIZE    (256u << 20)
#define MRWI_GOLDEN_PICTURE_SIZE (2u << 30)

/* How a text file among goldens was found. */
typedef struct mrwi_golden_file {
    bool there;
    const char *fault; /* why it can't be read or believed, escaped; or NULL */
} mrwi_golden_file;

/* Cameras of frames, where they are known. */
typedef struct mrwi_golden_cameras {
    const char **frames; /* names */
    mrw_camera *items;   /* of each; NULL: of none */
    uint32_t count;
} mrwi_golden_cameras;

/* What draws a case: another backend than software, and its driver. NULL: software. */
typedef struct mrwi_golden_drawer {
    const char *backend;
    const char *driver;
} mrwi_golden_drawer;

/* What a case is compared with; const once it is opened. */
typedef struct mrwi_golden_expected {
    const char *folder; /* of pictures, FRAME.png */
    bool hashes;        /* frames that are no key frames have a hash in `stored` in their place */
    mrwi_golden_file stored_file; /* golden.txt, pose.txt and bounds.txt, and what they say: */
    mrwi_golden_file poses_file;  /* nothing where a file is missing or damaged */
    mrwi_golden_file boxes_file;
    mrwi_golden_stored stored;
    mrwi_golden_poses poses;
    mrwi_golden_boxes boxes;
    mrwi_golden_cameras cameras;
    const char *foreign; /* pictures are of another backend or driver: which, escaped; or NULL */
    bool unseen;         /* of another backend: no picture is compared */
} mrwi_golden_expected;

/* Where that comes from: the goldens, or something else that puts the same into a folder. open is
 * called once a case, on any thread, several at a time, and may use so many threads itself; what it
 * makes is the arena's. Whatever it can't find or read is said in *out; a failure ends the run. */
typedef struct mrwi_golden_reference {
    mrw_status (*open)(const void *user, const mrw_case *c, int threads, mrwi_base_arena *arena,
                       mrwi_golden_expected *out, mrw_error *error);
    void (*close)(const mrwi_golden_expected *expected); /* once for each open; may be NULL */
    const void *user;
} mrwi_golden_reference;

/* drawer must outlive it. */
mrwi_golden_reference mrwi_golden_source(const mrwi_golden_drawer *drawer);

/* The same for any folder of such files. */
mrw_status mrwi_golden_expected_read(const char *folder, uint32_t checks, bool hashes,
                                     mrwi_base_arena *arena, mrwi_golden_expected *out,
                                     mrw_error *error);

/* The goldens of a case, for what a drawer draws. A golden.txt that is missing beside others, or is
 * of another number of models, is a fault: nothing would tell what they were made of. */
mrw_status mrwi_golden_expected_goldens(const mrw_case *c, const mrwi_golden_drawer *drawer,
                                        mrwi_base_arena *arena, mrwi_golden_expected *out,
                                        mrw_error *error);

/* The case as a drawer has it: in the folder of its goldens. Texts that are made are the arena's.
 */
mrw_status mrwi_golden_case_of(const mrw_case *c, const mrwi_golden_drawer *drawer,
                               mrwi_base_arena *arena, mrw_case *out, mrw_error *error);

#endif
