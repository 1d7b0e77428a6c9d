/* store.h: goldens on disk beside the pictures: golden.txt, pose.txt, bounds.txt. */
#ifndef MRWI_GOLDEN_STORE_H
#define MRWI_GOLDEN_STORE_H

#include "base/memory.h"
#include "compare/pose.h"
#include "golden/parts.h"
#include "golden/view.h"
#include "marrow/text.h"

#define MRWI_GOLDEN_NAME_SIZE 256 /* of a frame: it is part of a file name */

/* True for what frames are called: file name characters, no dot in front. */
bool mrwi_golden_is_frame_name(const char *name);

/* Beside the results of a case: its goldens as they would be, framed anew. */
#define MRWI_GOLDEN_FRAMED "framed"

/* ---- golden.txt ------------------------------------------------------------------------------ */

/*     marrow golden 3
 *     pixel_version 1
 *     scene_formula 2                  how scene hashes are made: MRW_SCENE_FORMULA
 *     drawn_by gl "llvmpipe ..."       another backend than software, and its driver
 *     size 320 240                     of the pictures
 *     option "--clip=Walk"             what the suite says of them, a line an option
 *     scene "../horse.glb" 3f0c...     a line a model: as the suite names it, its scene hash
 *     part shape "Ear" 77d1... vertices 120 triangles 200 ...     its parts (parts.h): in results
 *     camera 1 perspective ... view ... eye ... planes ... box ...   a line a camera: view.h
 *     time Walk_0012 0.4 camera 1      when a frame is, and the camera that drew it; none: a
 *                                      camera of the file
 *     frame Walk_0012 91ab...          with store = hash: the pixel hash
 *     key Walk_0013 c4d2...            the same of a frame that has a picture, too
 *     empty Walk_0013                  blank, one colour or cut, and meant to be so
 *     end
 *
 * Goldens have no part lines: all cases of a suite share them (scene_files.h). Older versions are
 * read, too. Goldens of version 3 have part lines. Versions 1 and 2 have no size, option, part,
 * camera, time and end; version 1 has no scene_formula: it is 1. */
#define MRWI_GOLDEN_STORED_VERSION 4

typedef struct mrwi_golden_stored_scene {
    const char *model;
    char hash[65];
    mrwi_golden_parts parts; /* none: not read, of an older version, or of another formula */
} mrwi_golden_stored_scene;

typedef struct mrwi_golden_stored_frame {
    const char *name;
    char hash[65]; /* "": none */
    bool key;
    bool empty;
} mrwi_golden_stored_frame;

typedef struct mrwi_golden_stored_time {
    const char *name;
    double seconds;
    uint32_t view; /* index; MRW_NONE: a camera of the file */
} mrwi_golden_stored_time;

typedef struct mrwi_golden_stored {
    uint32_t version; /* of the file; 0: there is none */
    uint32_t pixel_version;
    uint32_t scene_formula;
    const char *backend; /* NULL: software */
    const char *driver;
    uint32_t width, height; /* 0: not known */
    const char **options;   /* "--clip=Walk", paths as in the suite */
    uint32_t option_count;
    mrwi_golden_stored_scene *scenes;
    uint32_t scene_count;
    mrwi_golden_view *views;
    uint32_t view_count;
    mrwi_golden_stored_time *times; /* in the order of the frames */
    uint32_t time_count;
    mrwi_golden_stored_frame *frames; /* those that have a hash, then those that are empty */
    uint32_t frame_count;
} mrwi_golden_stored;

/* bytes are those of the file at path, which stands in messages. What is made is the arena's. */
mrw_status mrwi_golden_stored_read(const char *path, const mrw_bytes *bytes, mrwi_base_arena *arena,
                                   mrwi_golden_stored *out, mrw_error *error);
void mrwi_golden_stored_write(const mrwi_golden_stored *stored, mrw_text *out);

/* The frame with its hash, or NULL; whether it may be empty. The search begins at `from`, which is
 * where one expects it. */
const mrwi_golden_stored_frame *mrwi_golden_stored_find(const mrwi_golden_stored *stored,
                                                        const char *frame, uint32_t from);
bool mrwi_golden_stored_empty(const mrwi_golden_stored *stored, const char *frame);

/* The time of the frame, or NULL. */
const mrwi_golden_stored_time *mrwi_golden_stored_time_of(const mrwi_golden_stored *stored,
                                                          const char *frame, uint32_t from);

/* The first scene that is another than the goldens were made of, or NULL. Hashes of two formulas
 * are not compared. */
const mrwi_golden_stored_scene *mrwi_golden_stored_other_scene(const mrwi_golden_stored *expected,
                                                               const mrwi_golden_stored *actual);

/* How models differ: "fox.glb: shape of Ear: box 4.0 taller", escaped; that they are other scenes
 * where nothing is known of their parts, with `fault`, which may be NULL, as the reason. against:
 * expected is another marrow's. */
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

/* NULL when there is none. */
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
