/* labels.c: texts in a sheet: a heading where a group of pictures begins and at the start of each
 * of its rows, a caption below each picture. A strip of the sheet is as wide as that, so it is a
 * picture of its own for what draws text. */
#include "output/labels.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "image/color.h"
#include "overlay/overlay.h"

#include <string.h>

/* Multiples of 3 look sharp. */
#define HEADING_SIZE 12.0
#define CAPTION_SIZE 9.0
/* Capitals, what reaches below the baseline, and some air. */
#define ABOVE 20u
#define BELOW 16u
/* Bytes of a text that are looked at. */
#define TEXT_SIZE 4096

/* A picture of the file, on the way through all of them in order. */
typedef struct walk {
    const mrwi_output_target *target;
    const mrw_output_label *label; /* NULL before the first */
    uint32_t picture;              /* the next one to look at */
    uint32_t cell;
    bool first_of_group;
} walk;

static bool step(walk *w)
{
    const mrw_output_def *def = w->target->def;
    const mrw_output_label *before = w->label;
    while (w->picture < def->files->picture_count &&
           def->files->of[w->picture] != w->target->file) {
        w->picture++;
    }
    if (w->picture == def->files->picture_count) {
        return false;
    }
    w->label = &def->labels[w->picture++];
    w->first_of_group = !before || before->group != w->label->group;
    w->cell += before ? 1 : 0;
    if (w->first_of_group && def->apart > 0 && w->cell % def->apart > 0) {
        w->cell += def->apart - w->cell % def->apart;
    }
    return true;
}

void mrwi_output_labels_measure(const mrwi_output_target *target, mrw_sheet_def *sheet)
{
    for (walk w = {.target = target}; step(&w);) {
        sheet->count = w.cell + 1;
        sheet->above = w.label->heading ? ABOVE : sheet->above;
        sheet->below = w.label->caption ? BELOW : sheet->below;
    }
}

void mrwi_output_labels_place(const mrwi_output_target *target, uint32_t *cells)
{
    for (walk w = {.target = target}; step(&w);) {
        *cells++ = w.cell;
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The text, or as much of it as there is room for with "..." behind, or nothing. Returns its width.
 */
static double fit(const char *text, double size, double room, char out[TEXT_SIZE + 4])
{
    /* a character takes half of the size at least, and four bytes at most */
    const double most = room > 0.0 ? 4.0 * (2.0 * room / size + 1.0) : 0.0;
    const size_t length = strnlen(text, most < TEXT_SIZE ? (size_t)most : TEXT_SIZE);
    const bool whole = text[length] == '\0';
    size_t kept = length;
    memcpy(out, text, length);
    out[length] = '\0';
    double width = mrwi_overlay_text_width(out, size);
    while (kept > 0 && (width > room || (!whole && kept == length))) {
        do { /* not within a character of UTF-8 */
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

/* In the ink that is seen on the background; where that may be any, in white with a dark border. */
static void draw(mrwi_overlay_canvas *canvas, const uint8_t background[4], double x, double size,
                 const char *text)
{
    const mrwi_overlay_color dark = {24, 24, 24, 255}, light = {240, 240, 240, 255};
    const bool unknown = canvas->image->channels == 4 && background[3] < 255;
    const double luminance = 0.2126 * mrwi_image_srgb_to_linear16[background[0]] +
                             0.7152 * mrwi_image_srgb_to_linear16[background[1]] +
                             0.0722 * mrwi_image_srgb_to_linear16[background[2]];
    mrwi_overlay_text place = {
        .x = (double)(uint32_t)x + 0.5, .y = size + 2.5, .size = size, .radius = 2.0, .alpha = 1.0};
    if (unknown) {
        mrwi_overlay_add_text(canvas, &place, text);
        mrwi_overlay_blend(canvas, dark);
    }
    place.radius = unknown || luminance < 0.18 * 65535.0 ? 0.65 : 0.85;
    mrwi_overlay_add_text(canvas, &place, text);
    mrwi_overlay_blend(canvas, unknown || luminance < 0.18 * 65535.0 ? light : dark);
}

/* The strip of a sheet that begins at row `top` of its pixels. */
static void begin_strip(mrw_image *strip, const mrw_image *sheet, size_t top, uint32_t height,
                        float *mask, mrwi_overlay_canvas *out)
{
    *strip = *sheet;
    strip->pixels = sheet->pixels + top * sheet->width * sheet->channels;
    strip->height = height;
    mrwi_overlay_begin(strip, NULL, mask, out);
}

/* A heading and the room it has: up to the next one in its row. */
typedef struct heading {
    const char *text;
    uint32_t cell, end;
} heading;

typedef struct drawing {
    const mrw_sheet_def *sheet;
    mrw_image *image;
    float *mask;
    char text[TEXT_SIZE + 4];
} drawing;

static void place_of(const drawing *d, uint32_t cell, size_t *left, size_t *top)
{
    const mrw_sheet_def *s = d->sheet;
    const uint32_t columns = s->columns < s->count ? s->columns : s->count;
    *left = s->gap + (size_t)(cell % columns) * (s->width + s->gap);
    *top = s->gap + (size_t)(cell / columns) * ((size_t)s->above + s->height + s->below + s->gap);
}

static void draw_heading(drawing *d, const heading *h)
{
    mrw_image strip;
    mrwi_overlay_canvas canvas;
    size_t left, top;
    const uint32_t cells = h->end - h->cell;
    if (!h->text) {
        return;
    }
    place_of(d, h->cell, &left, &top);
    begin_strip(&strip, d->image, top, d->sheet->above, d->mask, &canvas);
    const double room = (double)cells * d->sheet->width + (double)(cells - 1) * d->sheet->gap;
    fit(h->text, HEADING_SIZE, room - 4.0, d->text);
    draw(&canvas, d->sheet->background, (double)left + 1.0, HEADING_SIZE, d->text);
}

static void draw_caption(drawing *d, uint32_t cell, const char *text)
{
    mrw_image strip;
    mrwi_overlay_canvas canvas;
    size_t left, top;
    if (!text) {
        return;
    }
    place_of(d, cell, &left, &top);
    begin_strip(&strip, d->image, top + d->sheet->above + d->sheet->height, d->sheet->below,
                d->mask, &canvas);
    const double room = (double)d->sheet->width - 4.0;
    const double width = fit(text, CAPTION_SIZE, room, d->text);
    draw(&canvas, d->sheet->background, (double)left + 2.0 + 0.5 * (room - width), CAPTION_SIZE,
         d->text);
}

mrw_status mrwi_output_labels_draw(const mrwi_output_target *target, const mrw_sheet_def *sheet,
                                   mrw_image *image, mrw_error *error)
{
    const uint32_t columns = sheet->columns < sheet->count ? sheet->columns : sheet->count;
    const size_t pixels = (size_t)image->width * (ABOVE > BELOW ? ABOVE : BELOW);
    drawing d = {sheet, image, mrwi_base_alloc_zero(pixels, sizeof *d.mask), {0}};
    heading open = {0};
    if (!d.mask) {
        return mrwi_base_fail_memory(error, pixels * sizeof *d.mask);
    }
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    for (walk w = {.target = target}; step(&w);) {
        if (w.first_of_group || w.cell % columns == 0) {
            draw_heading(&d, &open);
            open = (heading){w.label->heading, w.cell, w.cell};
        }
        open.end = w.cell + 1;
        draw_caption(&d, w.cell, w.label->caption);
    }
    draw_heading(&d, &open);
    mrwi_base_fp_leave(fp);
    mrwi_base_free(d.mask);
    return MRW_OK;
}
