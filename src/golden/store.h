/* store.h: golden.txt, pose.txt and bounds.txt, which are goldens beside the pictures. */
#ifndef MRWI_GOLDEN_STORE_H
#define MRWI_GOLDEN_STORE_H

#include "base/memory.h"
#include "compare/pose.h"
#include "golden/parts.h"
#include "golden/view.h"
#include "marrow/text.h"

#define MRWI_GOLDEN_NAME_SIZE 256 /* Size of a frame's name, which is part of a file name */

/* Returns true for a valid frame name. The suites make frame names of characters for file names
 * only, without a dot in front. */
bool mrwi_golden_is_frame_name(const char *name);

/* Folder in the results of a case with its goldens as they would be if it was framed again */
#define MRWI_GOLDEN_FRAMED "framed"

/* ---- golden.txt ------------------------------------------------------------------------------ */

/*     marrow golden 3
 *     pixel_version 1
 *     scene_formula 2                  how scene hashes are made: MRW_SCENE_FORMULA
 *     drawn_by gl "llvmpipe ..."       another backend than software, and its driver
 *     size 320 240                     of the pictures
 *     option "--clip=Walk"             the suite's options for them, one per line
 *     scene "../horse.glb" 3f0c...     each model: its path as in the suite, its scene hash
 *     part shape "Ear" 77d1... vertices 120 triangles 200 ...     its parts (parts.h), in results
 *     camera 1 perspective ... view ... eye ... planes ... box ...   each camera (view.h)
 *     time Walk_0012 0.4 camera 1      the time of a frame, and the camera that drew it; without
 *                                      `camera` a camera of the file did
 *     frame Walk_0012 91ab...          with store = hash: the pixel hash
 *     key Walk_0013 c4d2...            the pixel hash of a frame that also has a picture
 *     empty Walk_0013                  a frame that may be blank, of one colour or cut
 *     end
 *
 * Goldens have no part lines: all cases of a suite share them (scene_files.h). Older versions are
 * read, too. Goldens of version 3 have part lines. Versions 1 and 2 have no size, option, part,
 * camera, time and end; version 1 has no scene_formula: it is 1. */
#define MRWI_GOLDEN_STORED_VERSION 4

typedef struct mrwi_golden_stored_scene {
    const char *model;
    char hash[65];
    mrwi_explain_part_list
        parts; /* Empty when not read, of an older version, or of another formula */
} mrwi_golden_stored_scene;

typedef struct mrwi_golden_stored_frame {
    const char *name;
    char hash[65]; /* Empty when there is none */
    bool key;
    bool empty;
} mrwi_golden_stored_frame;

typedef struct mrwi_golden_stored_time {
    const char *name;
    double seconds;
    uint32_t view; /* Index of the view; MRW_NONE for a camera of the file */
} mrwi_golden_stored_time;

typedef struct mrwi_golden_stored {
    uint32_t version; /* Version of the file; 0 when there is none */
    uint32_t pixel_version;
    uint32_t scene_formula;
    const char *backend; /* Backend that drew the goldens; NULL for software */
    const char *driver;
    uint32_t width, height; /* Size of pictures; 0 when unknown */
    const char **options;   /* Options like "--clip=Walk", with paths as in the suite */
    uint32_t option_count;
    mrwi_golden_stored_scene *scenes;
    uint32_t scene_count;
    mrwi_golden_view *views;
    uint32_t view_count;
    mrwi_golden_stored_time *times; /* Times, in the order of the frames */
    uint32_t time_count;
    mrwi_golden_stored_frame *frames; /* Frames with a hash, then frames that may be empty */
    uint32_t frame_count;
} mrwi_golden_stored;

/* Reads golden.txt. `bytes` are its content; `path` is for messages. The arena holds the result. */
mrw_status mrwi_golden_stored_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                   mrwi_golden_stored *out, mrw_error *error);
void mrwi_golden_stored_write(const mrwi_golden_stored *stored, mrw_text *out);

/* Find a frame's hash, or NULL; and whether a frame may be empty. The search begins at index
 * `from`, where the frame is expected. */
const mrwi_golden_stored_frame *mrwi_golden_stored_find(const mrwi_golden_stored *stored,
                                                        const char *frame, uint32_t from);
bool mrwi_golden_stored_empty(const mrwi_golden_stored *stored, const char *frame);

/* Returns the time of the frame, or NULL. */
const mrwi_golden_stored_time *mrwi_golden_stored_time_of(const mrwi_golden_stored *stored,
                                                          const char *frame, uint32_t from);

/* Returns the first scene that is not the one of the goldens, or NULL. Hashes of two formulas are
 * not compared. */
const mrwi_golden_stored_scene *mrwi_golden_stored_other_scene(const mrwi_golden_stored *expected,
                                                               const mrwi_golden_stored *actual);

/* Describes how models differ: "fox.glb: shape of Ear: box 4.0 taller", escaped. If the parts of a
 * model are unknown, says that the scenes differ, and gives `fault` as the reason unless it is
 * NULL. `against` says that `expected` is from another marrow. */
void mrwi_golden_stored_describe_scenes(const mrwi_golden_stored *expected,
                                        const mrwi_golden_stored *actual, bool against,
                                        const char *fault, mrw_text *out);

/* ---- pose.txt -------------------------------------------------------------------------------- */

/*     marrow pose 1
 *     frame Walk_0012
 *     joint "LeftFoot" 1 0 0 0 1 0 0 0 1 0.5 0 0.25
 */
typedef struct mrwi_golden_poses {
    mrwi_compare_pose *items;
    uint32_t count;
} mrwi_golden_poses;

mrw_status mrwi_golden_poses_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                  mrwi_golden_poses *out, mrw_error *error);
void mrwi_golden_poses_begin(mrw_text *out);
void mrwi_golden_poses_add(mrw_text *out, const mrwi_compare_pose *pose);

/* Returns the pose of a frame, or NULL. */
const mrwi_compare_pose *mrwi_golden_poses_find(const mrwi_golden_poses *poses, const char *frame,
                                                uint32_t from);

/* ---- bounds.txt ------------------------------------------------------------------------------ */

/*     marrow bounds 1
 *     frame Walk_0012 -0.5 0 -0.25 0.5 1.75 0.25
 *     frame Walk_0013 none
 */
typedef struct mrwi_golden_boxes {
    mrwi_compare_box *items;
    uint32_t count;
} mrwi_golden_boxes;

mrw_status mrwi_golden_boxes_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                  mrwi_golden_boxes *out, mrw_error *error);
void mrwi_golden_boxes_begin(mrw_text *out);
void mrwi_golden_boxes_add(mrw_text *out, const mrwi_compare_box *box);
const mrwi_compare_box *mrwi_golden_boxes_find(const mrwi_golden_boxes *boxes, const char *frame,
                                               uint32_t from);

#endif
