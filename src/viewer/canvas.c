/* canvas.c: rectangles, lines and text over a picture. */
#include "internal.h"

#include <math.h>
#include <stb_easy_font.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 240 /* characters of a line; the rest is not drawn */

static void blend(uint8_t *pixel, viewer_color color, unsigned alpha)
{
    const uint8_t from[3] = {color.r, color.g, color.b};
    for (int i = 0; i < 3; i++) {
        pixel[i] = (uint8_t)((pixel[i] * (255u - alpha) + from[i] * alpha + 127u) / 255u);
    }
}

void viewer_canvas_rect(mrw_image *image, int x, int y, int width, int height, viewer_color color)
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

/* Draws all pixels within `radius` of a segment; borders are antialiased over one pixel. */
static void capsule(mrw_image *image, const double a[2], const double b[2], double radius,
                    viewer_color color)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    const double reach = radius + 1.0;
    const double low_x = (a[0] < b[0] ? a[0] : b[0]) - reach;
    const double high_x = (a[0] > b[0] ? a[0] : b[0]) + reach;
    const double low_y = (a[1] < b[1] ? a[1] : b[1]) - reach;
    const double high_y = (a[1] > b[1] ? a[1] : b[1]) + reach;
    const int left = low_x < 0.0 ? 0 : (int)low_x, top = low_y < 0.0 ? 0 : (int)low_y;
    const int right = high_x > image->width ? (int)image->width : (int)high_x + 1;
    const int bottom = high_y > image->height ? (int)image->height : (int)high_y + 1;
    for (int y = top; y < bottom && y < (int)image->height; y++) {
        for (int x = left; x < right && x < (int)image->width; x++) {
            const double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            double t = square > 0.0 ? (px * dx + py * dy) / square : 0.0;
            t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
            const double ex = px - t * dx, ey = py - t * dy;
            const double cover = radius + 0.5 - sqrt(ex * ex + ey * ey);
            if (cover > 0.0) {
                const double share = cover > 1.0 ? 1.0 : cover;
                blend(image->pixels + 3 * ((size_t)y * image->width + (size_t)x), color,
                      (unsigned)(share * color.a + 0.5));
            }
        }
    }
}

/* Returns false for a point far outside the picture, so that no loop runs long. */
static bool is_near(const mrw_image *image, double x, double y)
{
    return fabs(x) < 4.0 * image->width + 4096.0 && fabs(y) < 4.0 * image->height + 4096.0;
}

void viewer_canvas_line(mrw_image *image, double x0, double y0, double x1, double y1, double radius,
                        viewer_color color)
{
    if (is_near(image, x0, y0) && is_near(image, x1, y1)) {
        capsule(image, (const double[2]){x0, y0}, (const double[2]){x1, y1}, radius, color);
    }
}

void viewer_canvas_disc(mrw_image *image, double x, double y, double radius, viewer_color color)
{
    if (is_near(image, x, y)) {
        capsule(image, (const double[2]){x, y}, (const double[2]){x, y}, radius, color);
    }
}

/* Replaces characters that the font does not have by one question mark each. */
static void plain(const char *text, char out[LONGEST + 1])
{
    size_t used = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0' && used < LONGEST; p++) {
        if (*p >= 32 && *p < 127) {
            out[used++] = (char)*p;
        } else if ((*p & 0xC0) != 0x80) {
            out[used++] = '?';
        }
    }
    out[used] = '\0';
}

viewer_text viewer_canvas_text_of(uint32_t width, uint32_t height)
{
    return width >= 800 && height >= 400 ? (viewer_text){2, 26, 5} : (viewer_text){1, 15, 4};
}

static viewer_text text_of(const mrw_image *image)
{
    return viewer_canvas_text_of(image->width, image->height);
}

void viewer_canvas_text(mrw_image *image, int x, int y, const char *text, viewer_color color)
{
    /* a character has up to 12 strokes of 4 corners, each 16 bytes */
    float quads[LONGEST * 12 * 16];
    char shown[LONGEST + 1];
    const int scale = text_of(image).scale;
    plain(text, shown);
    const int count = stb_easy_font_print(0.0f, 0.0f, shown, NULL, quads, sizeof quads);
    for (int i = 0; i < count; i++) {
        const float *corner = quads + 16 * i, *opposite = corner + 8;
        viewer_canvas_rect(image, x + scale * (int)corner[0], y + scale * (int)corner[1],
                           scale * (int)(opposite[0] - corner[0]),
                           scale * (int)(opposite[1] - corner[1]), color);
    }
}

int viewer_canvas_text_width(const mrw_image *image, const char *text)
{
    char shown[LONGEST + 1];
    plain(text, shown);
    return text_of(image).scale * stb_easy_font_width(shown);
}

/* Returns how many bytes of text fit into a width: whole words, or a part of a word that is longer.
 */
static size_t fitting(const mrw_image *image, const char *text, int width)
{
    char part[LONGEST + 1];
    size_t fits = 0, words = 0;
    for (size_t n = 1; n <= LONGEST && text[n - 1] != '\0'; n++) {
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        if (viewer_canvas_text_width(image, part) > width) {
            return words > 0 ? words : fits > 0 ? fits : 1;
        }
        fits = n;
        words = text[n] == ' ' || text[n] == '\0' ? n : words;
    }
    return fits;
}

int viewer_canvas_paragraph(mrw_image *image, int x, int y, int width, bool plate, const char *text,
                            viewer_color color)
{
    const viewer_color dark = {16, 18, 22, 216};
    const viewer_text size = text_of(image);
    int lines = 0;
    for (; *text != '\0'; lines++) {
        char part[LONGEST + 1];
        const size_t count = fitting(image, text, width - (plate ? 8 * size.scale : 0));
        snprintf(part, sizeof part, "%.*s", (int)count, text);
        if (plate) {
            viewer_canvas_rect(image, x, y + lines * size.line,
                               viewer_canvas_text_width(image, part) + 8 * size.scale, size.line,
                               dark);
        }
        viewer_canvas_text(image, x + (plate ? 4 * size.scale : 0),
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
