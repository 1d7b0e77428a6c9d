/* canvas.c: rectangles, strokes and text over a picture. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 240 /* bytes of a line; text goes on in the next one */

static void blend(uint8_t *pixel, mrwi_overlay_color color, unsigned alpha)
{
    const uint8_t from[3] = {color.r, color.g, color.b};
    for (int i = 0; i < 3; i++) {
        pixel[i] = (uint8_t)((pixel[i] * (255u - alpha) + from[i] * alpha + 127u) / 255u);
    }
}

void viewer_canvas_rect(mrw_image *image, int x, int y, int width, int height,
                        mrwi_overlay_color color)
{
    const int left = x < 0 ? 0 : x, top = y < 0 ? 0 : y;
    const int right = x + width > (int)image->width ? (int)image->width : x + width;
    const int bottom = y + height > (int)image->height ? (int)image->height : y + height;
    for (int row = top; row < bottom; row++) {
        uint8_t *pixel = image->pixels + 3 * ((size_t)row * image->width + (size_t)left);
        for (int column = left; column < right; column++, pixel += 3) {
            blend(pixel, color, color.a);
        }
    }
}

void viewer_canvas_stroke(mrwi_overlay_canvas *canvas, const double a[2], const double b[2],
                          double radius)
{
    const double reach = 4.0 * (canvas->image->width + canvas->image->height) + 4096.0;
    if (fabs(a[0]) < reach && fabs(a[1]) < reach && fabs(b[0]) < reach && fabs(b[1]) < reach) {
        mrwi_overlay_add_stroke(canvas, &(mrwi_overlay_stroke){.at = {{a[0], a[1]}, {b[0], b[1]}},
                                                               .radius = {radius, radius},
                                                               .alpha = {1.0, 1.0}});
    }
}

/* Small letters are 8 pixels high: with 9, titles of lists would not fit into 320 columns. */
viewer_text viewer_canvas_text_of(uint32_t width, uint32_t height)
{
    return width >= 800 && height >= 400
               ? (viewer_text){.scale = 2, .line = 26, .above = 4, .capitals = 15, .radius = 0.9}
               : (viewer_text){.scale = 1, .line = 15, .above = 3, .capitals = 8, .radius = 0.6};
}

static viewer_text text_of(const mrw_image *image)
{
    return viewer_canvas_text_of(image->width, image->height);
}

void viewer_canvas_text(mrwi_overlay_canvas *canvas, int x, int y, const char *text,
                        mrwi_overlay_color color)
{
    const viewer_text size = text_of(canvas->image);
    const mrwi_overlay_text place = {.x = x + 0.5,
                                     .y = y + size.capitals + 0.5,
                                     .size = size.capitals,
                                     .radius = size.radius,
                                     .alpha = 1.0};
    mrwi_overlay_add_text(canvas, &place, text);
    mrwi_overlay_blend(canvas, color);
}

int viewer_canvas_text_width(const mrw_image *image, const char *text)
{
    return (int)ceil(mrwi_overlay_text_width(text, text_of(image).capitals)) + 1;
}

/* Returns how many bytes of text fit into a width: whole words, or whole characters of a word that
 * is longer, at least one. */
static size_t fitting(const mrw_image *image, const char *text, int width)
{
    char part[LONGEST + 1];
    size_t fits = 0, words = 0;
    for (size_t n = 0; text[n] != '\0' && n < LONGEST - 4;) {
        do { /* one UTF-8 character */
            part[n] = text[n];
            n++;
        } while (((unsigned char)text[n] & 0xc0) == 0x80 && n < LONGEST);
        part[n] = '\0';
        if (fits > 0 && viewer_canvas_text_width(image, part) > width) {
            return words > 0 ? words : fits;
        }
        fits = n;
        words = text[n] == ' ' || text[n] == '\0' ? n : words;
    }
    return fits;
}

int viewer_canvas_paragraph(mrwi_overlay_canvas *canvas, int x, int y, int width, bool plate,
                            const char *text, mrwi_overlay_color color)
{
    const mrwi_overlay_color dark = {16, 18, 22, 216};
    const mrw_image *image = canvas->image;
    const viewer_text size = text_of(image);
    int lines = 0;
    for (; *text != '\0'; lines++) {
        char part[LONGEST + 1];
        const size_t count = fitting(image, text, width - (plate ? 8 * size.scale : 0));
        snprintf(part, sizeof part, "%.*s", (int)count, text);
        if (plate) {
            viewer_canvas_rect(canvas->image, x, y + lines * size.line,
                               viewer_canvas_text_width(image, part) + 8 * size.scale, size.line,
                               dark);
        }
        viewer_canvas_text(canvas, x + (plate ? 4 * size.scale : 0),
                           y + lines * size.line + size.above, part, color);
        text += count;
        text += strspn(text, " ");
    }
    return lines;
}

int viewer_canvas_paragraph_lines(const mrw_image *image, int width, bool plate, const char *text)
{
    int lines = 0;
    for (; *text != '\0'; lines++) {
        text += fitting(image, text, width - (plate ? 8 * text_of(image).scale : 0));
        text += strspn(text, " ");
    }
    return lines;
}
