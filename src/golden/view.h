/* view.h: where the pictures of a case are seen from, as golden.txt has it. */
#ifndef MRWI_GOLDEN_VIEW_H
#define MRWI_GOLDEN_VIEW_H

#include "base/memory.h"
#include "golden/lines.h"
#include "marrow/session.h"

/* A camera, and what it was placed for. */
typedef struct mrwi_golden_view {
    mrw_camera camera;
    bool boxed; /* the box of what is framed is known */
    mrw_shadow_bounds box;
    bool follows; /* a node, from `origin` on */
    float origin[3];
} mrwi_golden_view;

/* That of a session which has just placed its camera; false for a camera of the file. */
bool mrwi_golden_view_of(const mrw_session *session, mrwi_golden_view *out);

/* Sees what a session draws from there, in place of where it has placed its camera. */
void mrwi_golden_view_take(const mrwi_golden_view *view, mrw_session *session);

/* True when both see the same, to the bit; boxes are not looked at. */
bool mrwi_golden_view_same(const mrwi_golden_view *a, const mrwi_golden_view *b);

/* True when what both were placed for lies at the same places of the picture, to a quarter of a
 * pixel, and between the planes of both. An importer that rounds otherwise on another
 * machine frames a model alike, not the same. */
bool mrwi_golden_view_alike(const mrwi_golden_view *a, const mrwi_golden_view *b, uint32_t width,
                            uint32_t height);

/* Turns a view by quarters to where a golden was seen from; false: it does not stand there then. */
bool mrwi_golden_view_side(const mrwi_golden_view *golden, mrw_view_def *view);

/* How the framing would change: "the box grows by 4.0 upwards". */
void mrwi_golden_view_describe(const mrwi_golden_view *before, const mrwi_golden_view *after,
                               mrw_text *out);

/* What stands behind "camera N" in a line of its own; floats come back to the same bits. What was
 * read is a camera: rigid, finite, with a lens. */
void mrwi_golden_view_put(const mrwi_golden_view *view, mrw_text *out);
mrw_status mrwi_golden_view_read(mrwi_golden_lines *lines, mrwi_golden_view *out, mrw_error *error);

#endif
