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

mrwi_golden_reference mrwi_golden_source(void);

/* The same for any folder of such files. */
mrw_status mrwi_golden_expected_read(const char *folder, uint32_t checks, bool hashes,
                                     mrwi_base_arena *arena, mrwi_golden_expected *out,
                                     mrw_error *error);

/* The goldens of a case. A golden.txt that is missing beside others, or is of another number of
 * models, is a fault: nothing would tell what they were made of. */
mrw_status mrwi_golden_expected_goldens(const mrw_case *c, mrwi_base_arena *arena,
                                        mrwi_golden_expected *out, mrw_error *error);

#endif
