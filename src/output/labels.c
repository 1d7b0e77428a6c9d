/* labels.c: texts in a sheet: a heading where a group of pictures begins and at the start of each
 * of its rows, a caption below each picture, a note over one. Text is drawn into horizontal strips
 * of the sheet: a strip has the sheet's full width, so it's a valid picture. */
#include "output/labels.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "image/color.h"
#include "output/cells.h"
#include "overlay/overlay.h"

#include <string.h>

/* Sizes of text in pixels. Multiples of 3 look sharp. */
#define HEADING_SIZE 12.0
#define CAPTION_SIZE 9.0
/* Pixels from one line to the next, and pixels of space around all lines of a text. */
#define HEADING_LINE 17u
#define CAPTION_LINE 13u
#define HEADING_AIR  3u
#define CAPTION_AIR  3u
#define MOST_LINES   4u /* lines per text; one if only few letters fit in a line */
/* Bytes of a text that are read; the rest is ignored. */
#define TEXT_SIZE 4096

typedef char line_text[TEXT_SIZE + 4];

/* ---- texts ----------------------------------------------------------------------------------- */

/* Writes the text, or its beginning and "..." if it's too wide, or nothing if not even that fits.
 * Returns the width. */
static double fit(const char *text, double size, double room, line_text out)
{
    /* a character is at least half the size wide, and at most four bytes long */
    const double most = room > 0.0 ? 4.0 * (2.0 * room / size + 1.0) : 0.0;
    const size_t length = strnlen(text, most < TEXT_SIZE ? (size_t)most : TEXT_SIZE);
    const bool whole = text[length] == '\0';
    size_t kept = length;
    memcpy(out, text, length);
    out[length] = '\0';
    double width = mrwi_overlay_text_width(out, size);
    while (kept > 0 && (width > room || (!whole && kept == length))) {
        do { /* up to the start of a UTF-8 character */
            kept--;
        } while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80);
        memcpy(out + kept, "...", 4);
        width = mrwi_overlay_text_width(out, size);
    }
    if (width > room) {
        out[0] = '\0';
        width = 0.0;
    }
    return width;
}

/* Returns the length of the longest beginning of a text that fits in a line, at least a character.
 * It ends after a space or a mark if one is in it. */
static size_t line_length(const char *text, double size, double room, line_text line)
{
    size_t fits = 0, broken = 0;
    for (size_t at = 0; text[at] != '\0' && at < TEXT_SIZE - 4;) {
        do { /* one UTF-8 character */
            line[at] = text[at];
            at++;
        } while (((unsigned char)text[at] & 0xc0) == 0x80 && at < TEXT_SIZE);
        line[at] = '\0';
        if (fits > 0 && mrwi_overlay_text_width(line, size) > room) {
            return broken > 0 ? broken : fits;
        }
        fits = at;
        broken = strchr(" _-|:/.,", line[at - 1]) ? at : broken;
    }
    return fits;
}

/* Copies the next line of a text and advances *text; the last line is cut to fit. Returns the width
 * of the line. */
static double next_line(const char **text, double size, double room, bool last, line_text line)
{
    if (last) {
        const double width = fit(*text, size, room, line);
        *text = "";
        return width;
    }
    const size_t length = line_length(*text, size, room, line);
    size_t shown = length;
    memcpy(line, *text, length);
    while (shown > 0 && line[shown - 1] == ' ') {
        shown--;
    }
    line[shown] = '\0';
    *text += length;
    return mrwi_overlay_text_width(line, size);
}

static uint32_t most_lines(double size, double room)
{
    return room >= 4.0 * size ? MOST_LINES : 1;
}

/* Returns the number of lines that a text takes; 0 for NULL. */
static uint32_t count_lines(const char *text, double size, double room, line_text line)
{
    const uint32_t most = most_lines(size, room);
    uint32_t lines = 0;
    while (text && *text != '\0' && lines < most) {
        next_line(&text, size, room, lines + 1 == most, line);
        lines++;
    }
    return lines;
}

/* Draws a line in dark or light, whichever contrasts with the background; over a translucent one in
 * light with a dark border. y: the line's top. */
static void draw(mrwi_overlay_canvas *canvas, const uint8_t background[4], double x, double y,
                 double size, const char *text)
{
    const mrwi_overlay_color dark = {24, 24, 24, 255}, light = {240, 240, 240, 255};
    const bool unknown = canvas->image->channels == 4 && background[3] < 255;
    const double luminance = 0.2126 * mrwi_image_srgb_to_linear16[background[0]] +
                             0.7152 * mrwi_image_srgb_to_linear16[background[1]] +
                             0.0722 * mrwi_image_srgb_to_linear16[background[2]];
    mrwi_overlay_text place = {.x = (double)(uint32_t)x + 0.5,
                               .y = y + size + 2.5,
                               .size = size,
                               .radius = 2.0,
                               .alpha = 1.0};
    if (unknown) {
        mrwi_overlay_add_text(canvas, &place, text);
        mrwi_overlay_blend(canvas, dark);
    }
    place.radius = unknown || luminance < 0.18 * 65535.0 ? 0.65 : 0.85;
    mrwi_overlay_add_text(canvas, &place, text);
    mrwi_overlay_blend(canvas, unknown || luminance < 0.18 * 65535.0 ? light : dark);
}

/* Makes a picture and a canvas of the strip of a sheet that begins at row `top`. */
static void begin_strip(mrw_image *strip, const mrw_image *sheet, size_t top, uint32_t height,
                        float *mask, mrwi_overlay_canvas *out)
{
    *strip = *sheet;
    strip->pixels = sheet->pixels + top * sheet->width * sheet->channels;
    strip->height = height;
    mrwi_overlay_begin(strip, NULL, mask, out);
}

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct drawing {
    const mrw_sheet_def *sheet;
    const mrw_output_label **labels; /* [cell]; NULL where the cell is empty */
    mrw_image *image;
    float *mask;
    line_text text;
} drawing;

/* Fills in the label of each cell of a file's sheet. */
static mrw_status find_labels(const mrwi_output_target *target, uint32_t count,
                              const mrw_output_label ***out, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    uint32_t *cells = mrwi_base_alloc(target->count, sizeof *cells), place = 0;
    *out = mrwi_base_alloc_zero(count, sizeof **out);
    if (!cells || !*out) {
        mrwi_base_free(cells);
        return mrwi_base_fail_memory(error, count * sizeof **out);
    }
    mrwi_output_cells(target, cells);
    for (uint32_t i = 0; i < def->files->picture_count; i++) {
        if (def->files->of[i] == target->file) {
            (*out)[cells[place++]] = &def->labels[i];
        }
    }
    mrwi_base_free(cells);
    return MRW_OK;
}

/* Returns true if a heading begins at the cell: the cell before is in another row, is empty, or
 * belongs to another group. */
static bool begins(const drawing *d, uint32_t cell)
{
    const mrw_output_label *label = d->labels[cell];
    return label && (cell % d->sheet->columns == 0 || !d->labels[cell - 1] ||
                     d->labels[cell - 1]->group != label->group);
}

/* Returns the pixels that a heading may take: up to the next one, or to the end of the row. */
static double heading_room(const drawing *d, uint32_t cell)
{
    const mrw_sheet_def *s = d->sheet;
    const uint32_t end = cell - cell % s->columns + s->columns;
    uint32_t cells = 1;
    while (cell + cells < end && (cell + cells >= s->count || !begins(d, cell + cells))) {
        cells++;
    }
    return (double)cells * s->width + (double)(cells - 1) * s->gap - 4.0;
}

mrw_status mrwi_output_labels_measure(const mrwi_output_target *target, mrw_sheet_def *sheet,
                                      mrw_error *error)
{
    drawing d = {.sheet = sheet};
    uint32_t headings = 0, captions = 0;
    const mrw_status status = find_labels(target, sheet->count, &d.labels, error);
    if (status) {
        goto out;
    }
    for (uint32_t c = 0; c < sheet->count; c++) {
        uint32_t lines = 0;
        if (begins(&d, c)) {
            lines = count_lines(d.labels[c]->heading, HEADING_SIZE, heading_room(&d, c), d.text);
            headings = lines > headings ? lines : headings;
        }
        if (d.labels[c]) {
            lines = count_lines(d.labels[c]->caption, CAPTION_SIZE, sheet->width - 4.0, d.text);
            captions = lines > captions ? lines : captions;
        }
    }
    sheet->above = headings > 0 ? headings * HEADING_LINE + HEADING_AIR : 0;
    sheet->below = captions > 0 ? captions * CAPTION_LINE + CAPTION_AIR : 0;
out:
    mrwi_base_free(d.labels);
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void place_of(const drawing *d, uint32_t cell, size_t *left, size_t *top)
{
    const mrw_sheet_def *s = d->sheet;
    *left = s->gap + (size_t)(cell % s->columns) * (s->width + s->gap);
    *top =
        s->gap + (size_t)(cell / s->columns) * ((size_t)s->above + s->height + s->below + s->gap);
}

static void draw_heading(drawing *d, uint32_t cell)
{
    const char *text = d->labels[cell]->heading;
    const double room = heading_room(d, cell);
    mrw_image strip;
    mrwi_overlay_canvas canvas;
    size_t left, top;
    if (!text) {
        return;
    }
    place_of(d, cell, &left, &top);
    begin_strip(&strip, d->image, top, d->sheet->above, d->mask, &canvas);
    const uint32_t most = most_lines(HEADING_SIZE, room);
    for (uint32_t line = 0; *text != '\0' && line < most; line++) {
        next_line(&text, HEADING_SIZE, room, line + 1 == most, d->text);
        draw(&canvas, d->sheet->background, (double)left + 1.0, line * HEADING_LINE, HEADING_SIZE,
             d->text);
    }
}

/* Draws centred lines into a strip of the sheet that begins at row `top`. */
static void draw_lines(drawing *d, size_t left, size_t top, uint32_t height, const char *text,
                       uint32_t most)
{
    mrw_image strip;
    mrwi_overlay_canvas canvas;
    const double room = (double)d->sheet->width - 4.0;
    begin_strip(&strip, d->image, top, height, d->mask, &canvas);
    for (uint32_t line = 0; *text != '\0' && line < most; line++) {
        const double width = next_line(&text, CAPTION_SIZE, room, line + 1 == most, d->text);
        const double x = 0.5 * (room - width); /* a letter may be wider than a narrow cell */
        draw(&canvas, d->sheet->background, (double)left + 2.0 + (x > 0.0 ? x : 0.0),
             line * CAPTION_LINE, CAPTION_SIZE, d->text);
    }
}

static void draw_cell(drawing *d, uint32_t cell)
{
    const mrw_sheet_def *s = d->sheet;
    const mrw_output_label *label = d->labels[cell];
    size_t left, top;
    place_of(d, cell, &left, &top);
    if (label->caption) {
        draw_lines(d, left, top + s->above + s->height, s->below, label->caption,
                   most_lines(CAPTION_SIZE, s->width - 4.0));
    }
    if (label->note) {
        const uint32_t most =
            (s->height - (s->height < CAPTION_AIR ? s->height : CAPTION_AIR)) / CAPTION_LINE;
        draw_lines(d, left, top + s->above, s->height, label->note, most);
    }
}

mrw_status mrwi_output_labels_draw(const mrwi_output_target *target, const mrw_sheet_def *sheet,
                                   mrw_image *image, mrw_error *error)
{
    const uint32_t texts = sheet->above > sheet->below ? sheet->above : sheet->below;
    const size_t pixels = (size_t)image->width * (texts > sheet->height ? texts : sheet->height);
    drawing d = {
        .sheet = sheet, .image = image, .mask = mrwi_base_alloc_zero(pixels, sizeof *d.mask)};
    if (!d.mask) {
        return mrwi_base_fail_memory(error, pixels * sizeof *d.mask);
    }
    const mrw_status status = find_labels(target, sheet->count, &d.labels, error);
    if (status) {
        goto out;
    }
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t c = 0; c < sheet->count; c++) {
        if (begins(&d, c)) {
            draw_heading(&d, c);
        }
        if (d.labels[c]) {
            draw_cell(&d, c);
        }
    }
    mrwi_base_fp_leave(fp);
out:
    mrwi_base_free(d.labels);
    mrwi_base_free(d.mask);
    return status;
}
