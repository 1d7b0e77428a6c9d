/* expected.h: reads what a case is compared with. */
#ifndef MRWI_GOLDEN_EXPECTED_H
#define MRWI_GOLDEN_EXPECTED_H

#include "golden/store.h"
#include "marrow/models.h"
#include "marrow/suite.h"

/* Size limits in bytes: of golden.txt, pose.txt and bounds.txt, and of a picture's file. */
#define MRWI_GOLDEN_TEXT_SIZE    (256u << 20)
#define MRWI_GOLDEN_PICTURE_SIZE (2u << 30)

/* State of a text file among goldens. */
typedef struct mrwi_golden_file {
    bool there;
    const char *fault; /* Why the file can't be read or trusted, escaped; or NULL. */
} mrwi_golden_file;

/* Known cameras of frames. */
typedef struct mrwi_golden_cameras {
    const char **frames; /* Names of the frames */
    mrw_camera *items;   /* Camera of each frame; NULL when none is known. */
    uint32_t count;
} mrwi_golden_cameras;

/* A backend other than software that draws a case, and its driver. NULL means software. */
typedef struct mrwi_golden_drawer {
    const char *backend;
    const char *driver;
} mrwi_golden_drawer;

/* Expected results of a case; const once opened. */
typedef struct mrwi_golden_expected {
    const char *folder; /* Folder of pictures, FRAME.png */
    /* Frames have a hash in `stored` instead of a picture, except for key frames. */
    bool hashes;
    mrwi_golden_file stored_file; /* State of golden.txt */
    mrwi_golden_file poses_file;  /* State of pose.txt */
    mrwi_golden_file boxes_file;  /* State of bounds.txt */
    mrwi_golden_stored stored;    /* Content of golden.txt; empty if it is missing or damaged. */
    mrwi_golden_poses poses;      /* Content of pose.txt, likewise */
    mrwi_golden_boxes boxes;      /* Content of bounds.txt, likewise */
    mrwi_golden_cameras cameras;
    const char *foreign; /* Other backend or driver that drew the pictures, escaped; or NULL. */
    bool unseen;         /* Pictures are of another backend and not compared. */
} mrwi_golden_expected;

/* Source of expected results: the goldens, or something else that puts the same files into a
 * folder. open is called once per case, on any thread, several at a time, and may itself use the
 * given number of threads. The arena holds its results. *out tells what it can't find or read; a
 * failure ends the run. */
typedef struct mrwi_golden_reference {
    mrw_status (*open)(const void *user, const mrw_case *c, int threads, mrwi_base_arena *arena,
                       mrwi_golden_expected *out, mrw_error *error);
    /* Called once for each open; may be NULL. */
    void (*close)(const mrwi_golden_expected *expected);
    const void *user;
} mrwi_golden_reference;

/* Returns the source that reads goldens. `drawer` must outlive it. */
mrwi_golden_reference mrwi_golden_source(const mrwi_golden_drawer *drawer);

/* Reads expected results from any folder of such files. */
mrw_status mrwi_golden_expected_read(const char *folder, uint32_t checks, bool hashes,
                                     mrwi_base_arena *arena, mrwi_golden_expected *out,
                                     mrw_error *error);

/* Reads the goldens of a case that a drawer draws. A golden.txt that is missing beside other
 * goldens, or has another number of models, is a fault: nothing would tell what the goldens were
 * made of. */
mrw_status mrwi_golden_expected_goldens(const mrw_case *c, const mrwi_golden_drawer *drawer,
                                        mrwi_base_arena *arena, mrwi_golden_expected *out,
                                        mrw_error *error);

/* Makes a copy of the case with the golden folder of a drawer. The arena holds new texts. */
mrw_status mrwi_golden_case_of(const mrw_case *c, const mrwi_golden_drawer *drawer,
                               mrwi_base_arena *arena, mrw_case *out, mrw_error *error);

#endif
