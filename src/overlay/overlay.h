/* overlay.h: strokes, polygons and text over a picture, anti-aliased. Takes numbers, knows no
 * scene.
 *
 * Points are pixels from the top left corner of the picture: the centre of its first pixel is
 * (0.5, 0.5). What is added to a canvas is one layer, until it is blended in a colour: where shapes
 * of a layer meet, a pixel has the largest alpha of them and not their sum, so that lines have no
 * knots where they join and a layer looks the same in any order of its shapes.
 *
 * Only + - * / sqrt, comparisons and integers: the same bits everywhere. Coordinates are finite.
 */
#ifndef MRWI_OVERLAY_OVERLAY_H
#define MRWI_OVERLAY_OVERLAY_H

#include "marrow/image.h"

/* sRGB, straight alpha. */
typedef struct mrwi_overlay_color {
    uint8_t r, g, b, a;
} mrwi_overlay_color;

/* A picture to draw on. To be begun with mrwi_overlay_begin. */
typedef struct mrwi_overlay_canvas {
    mrw_image *image;
    const float *depths;
    float *mask;            /* alpha of the layer: width * height, 0 outside of the box */
    int32_t x0, y0, x1, y1; /* the box: pixels that the layer may have touched */
} mrwi_overlay_canvas;

/* Starts with an empty layer. image: RGB or RGBA of U8 or U16, sRGB with straight alpha, 3 or 4
 * channels. depths: one a pixel, at its centre, growing from the eye; or NULL: nothing hides
 * anything. mask: width * height floats, 0. All are borrowed. */
void mrwi_overlay_begin(mrw_image *image, const float *depths, float *mask,
                        mrwi_overlay_canvas *out);

/* A line with round ends, and a disc where both ends are the same. */
typedef struct mrwi_overlay_stroke {
    double at[2][2];  /* pixels */
    double radius[2]; /* at the ends, above 0: half of its width */
    double alpha[2];  /* at the ends, 0 ... 1 */
    double depth[2];  /* at the ends; read where `tested` */
    bool tested;      /* hidden where the pixel's depth is less */
    /* Hidden only where all its neighbours' depths are less, too: beside a line on a surface this
     * may rise above it. */
    bool on_surface;
} mrwi_overlay_stroke;

/* Adds a stroke. Its alpha in a pixel is the exact area of the pixel between two lines, as if the
 * border were straight across it: exact for all but the caps and steep tapers. */
void mrwi_overlay_add_stroke(mrwi_overlay_canvas *canvas, const mrwi_overlay_stroke *stroke);

/* The most corners of a polygon. */
#define MRWI_OVERLAY_CORNERS 16

/* A convex polygon, either way around. */
typedef struct mrwi_overlay_polygon {
    uint32_t count; /* 3 ... MRWI_OVERLAY_CORNERS */
    double at[MRWI_OVERLAY_CORNERS][2];
    double alpha;    /* 0 ... 1 */
    double depth[3]; /* at (x, y): depth[0] + depth[1] x + depth[2] y; read where `tested` */
    bool tested;     /* hidden where the pixel's depth is less */
} mrwi_overlay_polygon;

/* Adds a polygon: its alpha times the exact area of each pixel that it covers. */
void mrwi_overlay_add_polygon(mrwi_overlay_canvas *canvas, const mrwi_overlay_polygon *polygon);

/* Blends the layer in a colour, in linear light, and begins the next one. The picture's subject,
 * where there is one, gets 1 where alpha is 1/255 or more. */
void mrwi_overlay_blend(mrwi_overlay_canvas *canvas, mrwi_overlay_color color);

/* ---- font.c: text ---------------------------------------------------------------------------- */

/* Text in strokes. Capital letters are `size` pixels high; multiples of 3 with a baseline through
 * the centres of pixels look sharp. */
typedef struct mrwi_overlay_text {
    double x, y; /* the left end of the baseline */
    double size;
    double radius; /* of the strokes */
    double alpha;
} mrwi_overlay_text;

/* Adds text: UTF-8, of which ASCII has glyphs and each other character is a box. */
void mrwi_overlay_add_text(mrwi_overlay_canvas *canvas, const mrwi_overlay_text *place,
                           const char *text);

/* Pixels from the left end of the first glyph to the right end of the last, without the width of
 * strokes. */
double mrwi_overlay_text_width(const char *text, double size);

#endif
