/* overlay.h: anti-aliased strokes, polygons and text over a picture. The room takes numbers and
 * knows no scene.
 *
 * Points are pixels from the top left corner of the picture: the centre of its first pixel is
 * (0.5, 0.5). Shapes added to a canvas form one layer, until it is blended in a colour. Where
 * shapes of a layer meet, a pixel gets their largest alpha and not the sum, so that lines have no
 * knots where they join, and the order of shapes does not matter.
 *
 * The calculation uses only + - * / sqrt, comparisons and integers, so it gives the same bits
 * everywhere. Coordinates must be finite.
 */
#ifndef MRWI_OVERLAY_OVERLAY_H
#define MRWI_OVERLAY_OVERLAY_H

#include "marrow/image.h"

/* A colour in sRGB with straight alpha. */
typedef struct mrwi_overlay_color {
    uint8_t r, g, b, a;
} mrwi_overlay_color;

/* A picture to draw on. Start with mrwi_overlay_begin. */
typedef struct mrwi_overlay_canvas {
    mrw_image *image;
    const float *depths;
    float *mask;            /* alpha of the layer: width * height, 0 outside of the box */
    int32_t x0, y0, x1, y1; /* the box: pixels that the layer may have touched */
} mrwi_overlay_canvas;

/* Starts with an empty layer. image: RGB or RGBA, U8 or U16, sRGB with straight alpha. depths: one
 * per pixel, at its centre, larger farther from the eye; NULL: shapes are not hidden. mask: width *
 * height floats, all 0. All three are borrowed. */
void mrwi_overlay_begin(mrw_image *image, const float *depths, float *mask,
                        mrwi_overlay_canvas *out);

/* A line with round ends; a disc if both ends are equal. */
typedef struct mrwi_overlay_stroke {
    double at[2][2];  /* pixels */
    double radius[2]; /* at the ends: half its width, above 0 */
    double alpha[2];  /* at the ends, 0 ... 1 */
    double depth[2];  /* at the ends; read if `tested` */
    bool tested;      /* hide it where the pixel's depth is less */
    /* Hide it only where the depths of all neighbours are less, too: beside a line on a surface,
     * the surface may rise above the line. */
    bool on_surface;
} mrwi_overlay_stroke;

/* Adds a stroke. Its alpha in a pixel is the exact area of the pixel between two straight lines,
 * which is exact except for caps and steep tapers. */
void mrwi_overlay_add_stroke(mrwi_overlay_canvas *canvas, const mrwi_overlay_stroke *stroke);

/* Maximal number of corners of a polygon. */
#define MRWI_OVERLAY_CORNERS 16

/* A convex polygon, either way around. */
typedef struct mrwi_overlay_polygon {
    uint32_t count; /* 3 ... MRWI_OVERLAY_CORNERS */
    double at[MRWI_OVERLAY_CORNERS][2];
    double alpha;    /* 0 ... 1 */
    double depth[3]; /* at (x, y): depth[0] + depth[1] x + depth[2] y; read if `tested` */
    bool tested;     /* hide it where the pixel's depth is less */
} mrwi_overlay_polygon;

/* Adds a polygon: its alpha times the exact area of each pixel that it covers. */
void mrwi_overlay_add_polygon(mrwi_overlay_canvas *canvas, const mrwi_overlay_polygon *polygon);

/* Blends the layer in a colour, in linear light, and starts the next layer. The picture's subject
 * mask, if it has one, becomes 1 where alpha is 1/255 or more. */
void mrwi_overlay_blend(mrwi_overlay_canvas *canvas, mrwi_overlay_color color);

/* ---- font.c: text ---------------------------------------------------------------------------- */

/* Text in strokes. Capital letters are `size` pixels high; multiples of 3 with a baseline through
 * the centres of pixels look sharp. */
typedef struct mrwi_overlay_text {
    double x, y; /* left end of the baseline */
    double size;
    double radius; /* radius of the strokes */
    double alpha;
} mrwi_overlay_text;

/* Adds text in UTF-8. ASCII has glyphs; every other character is drawn as a box. */
void mrwi_overlay_add_text(mrwi_overlay_canvas *canvas, const mrwi_overlay_text *place,
                           const char *text);

/* Returns the width in pixels from the left end of the first glyph to the right end of the last,
 * without the width of strokes. */
double mrwi_overlay_text_width(const char *text, double size);

#endif
