/* view.h: the cameras of a case's pictures, as golden.txt records them. */
#ifndef MRWI_GOLDEN_VIEW_H
#define MRWI_GOLDEN_VIEW_H

#include "base/memory.h"
#include "golden/lines.h"
#include "marrow/session.h"

/* A camera, and what it was placed for. */
typedef struct mrwi_golden_view {
    mrw_camera camera;
    bool boxed;            /* `box` is known. */
    mrw_shadow_bounds box; /* Bounds of what is framed */
    bool follows;          /* The camera follows a node, starting at `origin`. */
    float origin[3];
} mrwi_golden_view;

/* Gets the view of a session that has just placed its camera. Returns false for a camera of the
 * file. */
bool mrwi_golden_view_of(const mrw_session *session, mrwi_golden_view *out);

/* Draws a session with this view instead of the one it has placed. */
void mrwi_golden_view_take(const mrwi_golden_view *view, mrw_session *session);

/* Returns true when both views are equal bit for bit. Ignores boxes. */
bool mrwi_golden_view_same(const mrwi_golden_view *a, const mrwi_golden_view *b);

/* Returns true when both views show the framed boxes at the same places of the picture, to a
 * quarter of a pixel, and between their planes. An importer that rounds differently on another
 * machine frames a model alike, but not equally. */
bool mrwi_golden_view_alike(const mrwi_golden_view *a, const mrwi_golden_view *b, uint32_t width,
                            uint32_t height);

/* Turns a view in steps of 90 degrees to the side that a golden shows. Returns false, and does not
 * turn it, when the golden's camera is at none of these. */
bool mrwi_golden_view_side(const mrwi_golden_view *golden, mrw_view_def *view);

/* Describes how the framing would change: "the box grows by 4.0 upwards". */
void mrwi_golden_view_describe(const mrwi_golden_view *before, const mrwi_golden_view *after,
                               mrw_text *out);

/* Writes and reads what follows "camera N" in a line. Floats are read back with the same bits. A
 * view that was read is a valid camera: rigid, finite, with a lens. */
void mrwi_golden_view_put(const mrwi_golden_view *view, mrw_text *out);
mrw_status mrwi_golden_view_read(mrwi_golden_lines *lines, mrwi_golden_view *out, mrw_error *error);

#endif
