/* overlay.c: draws over the picture: timeline, names, lists and messages. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mrwi_overlay_color white = {240, 242, 245, 255}, dim = {168, 174, 184, 255};
static const mrwi_overlay_color plate = {16, 18, 22, 216}, track = {70, 76, 88, 255};
static const mrwi_overlay_color range = {84, 122, 178, 255}, key_mark = {244, 190, 80, 255};
static const mrwi_overlay_color head = {255, 92, 72, 255}, warning = {255, 150, 130, 255};
static const mrwi_overlay_color chosen_row = {46, 74, 118, 255};

#define BORDER 8

static viewer_text text_of(const viewer *v)
{
    return viewer_canvas_text_of(v->window.width, v->window.height);
}

/* ---- the timeline ---------------------------------------------------------------------------- */

/* Returns the distance from the top of the timeline to its track: a row of text is above it. */
static int track_top(const viewer *v)
{
    return text_of(v).line + text_of(v).scale * 3;
}

static int track_size(const viewer *v)
{
    return text_of(v).scale == 1 ? 12 : 18;
}

int viewer_overlay_timeline(const viewer *v)
{
    const bool none = v->state.play.clip == MRW_NONE || v->state.play.clock.timing.last == 0;
    return none ? 0 : track_top(v) + track_size(v) + 4 * text_of(v).scale;
}

static double track_width(const viewer *v)
{
    const double width = (double)v->window.width - 2.0 * BORDER;
    return width > 1.0 ? width : 1.0;
}

static double x_of_time(const viewer *v, double time)
{
    const double length =
        mrw_frame_time(v->state.play.clock.timing.last, v->state.play.clock.timing.rate);
    const double share = length > 0.0 ? time / length : 0.0;
    return BORDER + (share > 1.0 ? 1.0 : share) * track_width(v);
}

static double x_of_frame(const viewer *v, uint64_t frame)
{
    return x_of_time(v, mrw_frame_time(frame, v->state.play.clock.timing.rate));
}

uint64_t viewer_overlay_frame_at(const viewer *v, double x)
{
    const double share = (x - BORDER) / track_width(v);
    const double most = (double)v->state.play.clock.timing.last;
    return share <= 0.0   ? 0
           : share >= 1.0 ? v->state.play.clock.timing.last
                          : (uint64_t)(share * most + 0.5);
}

/* Writes a rate: "25", or "30000/1001" for one that is not whole. */
static void rate_text(mrw_rate rate, char out[32])
{
    if (rate.den == 1) {
        snprintf(out, 32, "%u", rate.num);
    } else {
        snprintf(out, 32, "%u/%u", rate.num, rate.den);
    }
}

#define STATUS_PARTS 5

/* Writes the text above the track: the time, then as many `parts` as asked for: the clip's name,
 * speed and pictures per second, the frame, direction and repeat, the shading. */
static void status_text(const viewer *v, int parts, char *out, size_t size)
{
    const viewer_clock *c = &v->state.play.clock;
    static const char *const repeats[] = {"loop", "ping-pong", "once"};
    char rate[32], number[32], clip[80], shading[88], plays[80], safe[80], from[84] = "";
    char speed[80], frame[100], pictures[40] = "";
    rate_text(c->timing.rate, rate);
    if (v->window.rate.per_second > 0) {
        snprintf(pictures, sizeof pictures, "   %u picture%s/s", v->window.rate.per_second,
                 v->window.rate.per_second == 1 ? "" : "s");
    }
    mrw_format_double(viewer_clock_speed(c), number);
    snprintf(speed, sizeof speed, "   x%s%s", number, pictures);
    snprintf(frame, sizeof frame, "   frame %llu of %llu at %s/s", (unsigned long long)c->frame,
             (unsigned long long)c->timing.last, rate);
    snprintf(plays, sizeof plays, "   %s%s %s", c->playing ? "plays" : "stands",
             c->backward ? " backward," : ",", repeats[c->repeat]);
    snprintf(shading, sizeof shading, "   %s",
             mrw_escape_text(v->state.shading, safe, sizeof safe));
    if (viewer_fade_runs(&v->state.play)) {
        snprintf(from, sizeof from, "%s > ",
                 mrw_escape_text(
                     mrw_session_clip_name(&v->loaded.model,
                                           v->state.play.fade.clips[v->state.play.fade.count - 2]),
                     clip, sizeof clip));
    }
    mrw_format_fixed(c->time, 3, number);
    snprintf(out, size, "%s%s%s%s s%s%s%s%s", parts > 0 ? from : "",
             parts > 0
                 ? mrw_escape_text(mrw_session_clip_name(&v->loaded.model, v->state.play.clip),
                                   clip, sizeof clip)
                 : "",
             parts > 0 ? "   " : "", number, parts > 1 ? speed : "", parts > 2 ? frame : "",
             parts > 3 ? plays : "", parts > 4 ? shading : "");
}

static void draw_time(const viewer *v, mrwi_overlay_canvas *canvas)
{
    mrw_image *image = canvas->image;
    const viewer_clock *c = &v->state.play.clock;
    const int top = (int)image->height - viewer_overlay_timeline(v), size = track_size(v);
    const int y = top + track_top(v), mark = size / 3 + 1;
    char text[400];
    if (viewer_overlay_timeline(v) == 0) {
        return;
    }
    viewer_canvas_rect(image, 0, top, (int)image->width, (int)image->height - top, plate);
    for (int parts = STATUS_PARTS; parts >= 0; parts--) {
        status_text(v, parts, text, sizeof text);
        if (viewer_canvas_text_width(image, text) <= (int)track_width(v)) {
            break;
        }
    }
    viewer_canvas_text(canvas, BORDER, top + text_of(v).above + 1, text, white);
    viewer_canvas_rect(image, BORDER, y, (int)track_width(v) + 1, size, track);
    const int from = (int)x_of_frame(v, c->range.in), to = (int)x_of_frame(v, c->range.out);
    viewer_canvas_rect(image, from, y, to - from + 1, size, range);
    int last = -1;
    for (size_t i = 0; i < c->timing.key_count; i++) { /* one mark per column */
        const int x = (int)x_of_time(v, c->timing.keys[i]);
        if (x != last) {
            viewer_canvas_rect(image, x, y + size - mark, 1, mark, key_mark);
        }
        last = x;
    }
    viewer_canvas_rect(image, (int)x_of_time(v, c->time) - 1, y - 2, 3, size + 4, head);
}

/* ---- lists ----------------------------------------------------------------------------------- */

int viewer_overlay_rows(const viewer *v)
{
    const int line = text_of(v).line;
    const int rows = ((int)v->window.height - viewer_overlay_timeline(v) - 3 * line) / line;
    return rows > 1 ? rows : 1;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Returns true if the clip's name has the text of the filter; ASCII letters match in either case.
 */
static bool matches(const viewer *v, uint32_t clip)
{
    const char *filter = v->overlay.filter;
    for (const char *name = mrw_session_clip_name(&v->loaded.model, clip);; name++) {
        size_t i = 0;
        while (filter[i] != '\0' && lower(filter[i]) == lower(name[i])) {
            i++;
        }
        if (filter[i] == '\0' || name[0] == '\0') {
            return filter[i] == '\0';
        }
    }
}

/* Counts the rows above a clip: clips that match the filter. */
static int rows_before(const viewer *v, uint32_t clip)
{
    int rows = 0;
    for (uint32_t c = 0; c < clip && c < v->loaded.scene->clips_count; c++) {
        rows += matches(v, c);
    }
    return rows;
}

/* Returns the clip in a row, or MRW_NONE behind the last one. */
static uint32_t clip_in_row(const viewer *v, int row)
{
    for (uint32_t c = 0; c < v->loaded.scene->clips_count; c++) {
        if (matches(v, c) && row-- == 0) {
            return c;
        }
    }
    return MRW_NONE;
}

uint32_t viewer_overlay_choose(const viewer *v, int rows)
{
    const int last = rows_before(v, MRW_NONE) - 1;
    const int row = rows_before(v, v->overlay.chosen) + rows;
    return clip_in_row(v, row < 0 ? 0 : row > last ? last : row);
}

uint32_t viewer_overlay_filter(const viewer *v)
{
    const uint32_t chosen = v->overlay.chosen;
    return chosen == MRW_NONE || !matches(v, chosen) ? clip_in_row(v, 0) : chosen;
}

static int first_row(const viewer *v)
{
    const int fit = viewer_overlay_rows(v);
    const int row = v->overlay.chosen == MRW_NONE ? 0 : rows_before(v, v->overlay.chosen);
    return row < fit ? 0 : row - fit + 1;
}

/* Writes a row of the list of clips: "3  Walk  1.20 s". */
static void clip_text(const viewer *v, uint32_t clip, char out[360])
{
    char name[300], seconds[32];
    mrw_format_fixed(mrw_session_clip_duration(&v->loaded.model, clip), 2, seconds);
    snprintf(out, 360, "%u  %s  %s s", clip,
             mrw_escape_text(mrw_session_clip_name(&v->loaded.model, clip), name, sizeof name),
             seconds);
}

static void list_title(const viewer *v, char out[200])
{
    char safe[130];
    if (v->overlay.filter[0] == '\0') {
        snprintf(out, 200, "Clips: type to filter; Up, Down, Enter, or a click");
    } else {
        snprintf(out, 200, "Clips with \"%s\": %d of %u",
                 mrw_escape_text(v->overlay.filter, safe, sizeof safe), rows_before(v, MRW_NONE),
                 v->loaded.scene->clips_count);
    }
}

/* Returns the width of the longest text, whatever the filter, so that the list does not jump. */
static int list_width(const viewer *v)
{
    const mrw_image *image = &v->overlay.image;
    char text[360], title[200];
    list_title(v, title);
    int widest = viewer_canvas_text_width(image, title);
    for (uint32_t c = 0; c < v->loaded.scene->clips_count; c++) {
        clip_text(v, c, text);
        const int width = viewer_canvas_text_width(image, text);
        widest = width > widest ? width : widest;
    }
    widest += 2 * BORDER;
    return widest < (int)v->window.width ? widest : (int)v->window.width;
}

static void draw_clips(const viewer *v, mrwi_overlay_canvas *canvas)
{
    mrw_image *image = canvas->image;
    const int first = first_row(v), fit = viewer_overlay_rows(v), width = list_width(v);
    const int count = rows_before(v, MRW_NONE);
    const viewer_text size = text_of(v);
    const int shown = count - first < fit ? count - first : fit;
    char text[360], title[200];
    list_title(v, title);
    viewer_canvas_rect(image, 0, 0, width, (shown + 1) * size.line + 12, plate);
    viewer_canvas_text(canvas, BORDER, 3 + size.above, title, dim);
    uint32_t clip = clip_in_row(v, first);
    for (int i = 0; i < shown; i++, clip++) {
        while (!matches(v, clip)) {
            clip++;
        }
        const int y = (i + 1) * size.line + 6;
        clip_text(v, clip, text);
        if (clip == v->overlay.chosen) {
            viewer_canvas_rect(image, 0, y, width, size.line, chosen_row);
        }
        viewer_canvas_text(canvas, BORDER, y + size.above, text,
                           clip == v->state.play.clip ? key_mark : white);
    }
    if (count > fit) { /* the part of the list that is shown */
        const int high = fit * size.line, top = size.line + 6, wide = 3 * size.scale;
        viewer_canvas_rect(image, width - wide, top, wide, high, track);
        viewer_canvas_rect(image, width - wide, top + high * first / count, wide,
                           high * fit / count + 1, key_mark);
    }
}

uint32_t viewer_overlay_clip_at(const viewer *v, double x, double y)
{
    const int line = text_of(v).line;
    if (x > list_width(v) || !(y >= line + 6.0 && y < v->window.height)) {
        return MRW_NONE;
    }
    const int row = (int)((y - 6.0) / line) - 1;
    return row >= viewer_overlay_rows(v) ? MRW_NONE : clip_in_row(v, first_row(v) + row);
}

/* Draws the list of keys from help_from on, as far as there is room. Rows go down, and in wide
 * windows into a second column. Help that is too long for its column is wrapped. */
static void draw_help(const viewer *v, mrwi_overlay_canvas *canvas)
{
    mrw_image *image = canvas->image;
    const mrwi_overlay_color page = {16, 18, 22, 236};
    const viewer_text size = text_of(v);
    const int bottom = (int)image->height - viewer_overlay_timeline(v), width = (int)image->width;
    const int wide = width >= 1200 ? width / 2 : width, end = bottom - size.line - 2;
    int x = 0, y = 4, row = 0, column = 0;
    for (size_t i = 0; i < viewer_key_count(); i++) {
        const int keys =
            viewer_canvas_text_width(image, viewer_key_at(i).keys) + 2 * BORDER + 8 * size.scale;
        column = keys > column ? keys : column;
    }
    viewer_canvas_rect(image, 0, 0, width, bottom, page);
    for (size_t i = 0; i < viewer_key_count(); i++) {
        const viewer_key_info info = viewer_key_at(i);
        const int room = wide - column - BORDER;
        const int height = size.line * viewer_canvas_paragraph_lines(image, room, false, info.help);
        const bool group = info.group && row++ >= v->overlay.help_from;
        if (row++ < v->overlay.help_from) {
            continue;
        }
        const int whole = height + (group ? size.line : 0);
        if (y + whole > end && x + 2 * wide <= width) {
            x += wide;
            y = 4;
        }
        if (y + whole > end) {
            break;
        }
        if (group) {
            viewer_canvas_text(canvas, x + BORDER, y + size.above, info.group, key_mark);
            y += size.line;
        }
        viewer_canvas_text(canvas, x + 2 * BORDER, y + size.above, info.keys, white);
        viewer_canvas_paragraph(canvas, x + column, y, room, false, info.help, dim);
        y += height;
    }
    viewer_canvas_text(canvas, BORDER, end + size.above,
                       "Up and Down for more; h or Esc closes this list", key_mark);
}

/* ---- the window ------------------------------------------------------------------------------ */

/* Converts a pixel of a picture to RGB; a checkerboard shows where it is transparent. */
static void put_pixel(const mrw_image *from, uint32_t x, uint32_t y, uint8_t out[3])
{
    const uint8_t *p = from->pixels + from->channels * ((size_t)y * from->width + x);
    const unsigned alpha = from->channels == 4 ? p[3] : 255u;
    const unsigned square = (x / 12 + y / 12) % 2 == 0 ? 150u : 106u;
    for (int i = 0; i < 3; i++) {
        out[i] = (uint8_t)((p[i] * alpha + square * (255u - alpha) + 127u) / 255u);
    }
}

static mrw_status lay_picture(const mrw_image *from, uint32_t width, uint32_t height, mrw_image *to,
                              mrw_error *error)
{
    if (to->width != width || to->height != height) {
        mrw_image_free(to);
        mrw_status status = mrw_image_create(width, height, 3, to, error);
        if (status) {
            return status;
        }
    }
    memset(to->pixels, 0x30, 3 * (size_t)to->width * to->height);
    for (uint32_t y = 0; y < to->height && y < from->height; y++) {
        for (uint32_t x = 0; x < to->width && x < from->width; x++) {
            put_pixel(from, x, y, to->pixels + 3 * ((size_t)y * to->width + x));
        }
    }
    return MRW_OK;
}

/* Begins a canvas over the image. The mask stays for the next pictures: canvases leave it zeroed.
 */
static mrw_status begin_canvas(viewer_overlay *o, mrwi_overlay_canvas *out, mrw_error *error)
{
    const size_t pixels = (size_t)o->image.width * o->image.height;
    if (pixels > o->mask_pixels) {
        free(o->mask);
        o->mask = calloc(pixels, sizeof *o->mask);
        o->mask_pixels = o->mask ? pixels : 0;
        if (!o->mask) {
            return viewer_fail_memory(error);
        }
    }
    mrwi_overlay_begin(&o->image, NULL, o->mask, out);
    return MRW_OK;
}

static void put_difference(const mrw_image *a, const mrw_image *b, size_t pixel, uint8_t out[3])
{
    for (int i = 0; i < 3; i++) {
        const size_t at = pixel * a->channels + (size_t)i;
        const int by = 16 * abs(a->pixels[at] - b->pixels[at]);
        out[i] = (uint8_t)(by < 255 ? by : 255);
    }
}

/* Returns true if the window has another size than the picture. */
static bool is_enlarged(const viewer *v)
{
    return v->state.width != v->window.width || v->state.height != v->window.height;
}

/* Replaces the image by one of the window's size, in which each pixel is a square of pixels. */
static mrw_status enlarge(const viewer *v, mrw_image *image, mrw_error *error)
{
    const uint32_t scale = viewer_scale(v);
    mrw_image to = {0};
    int left, top;
    mrw_status status = mrw_image_create(v->window.width, v->window.height, 3, &to, error);
    if (status) {
        return status;
    }
    memset(to.pixels, 0x30, 3 * (size_t)to.width * to.height);
    viewer_origin(v, &left, &top);
    for (uint32_t y = (uint32_t)top; y < to.height && (y - (uint32_t)top) / scale < image->height;
         y++) {
        for (uint32_t x = (uint32_t)left;
             x < to.width && (x - (uint32_t)left) / scale < image->width; x++) {
            const size_t at =
                (size_t)((y - (uint32_t)top) / scale) * image->width + (x - (uint32_t)left) / scale;
            memcpy(to.pixels + 3 * ((size_t)y * to.width + x), image->pixels + 3 * at, 3);
        }
    }
    mrw_image_free(image);
    *image = to;
    return MRW_OK;
}

/* Draws the other picture, as the layout asks for. */
static void lay_other(const viewer *v, const mrw_image *other, mrw_image *to)
{
    const viewer_layout layout = v->pair.layout;
    const uint32_t width = to->width, half = width / 2;
    /* column `x` of the window shows column `x - shift` of the other picture, from `from` on */
    const uint32_t shift = layout == VIEWER_SIDES ? half - width / 4 : 0;
    const uint32_t from = layout == VIEWER_SIDES   ? half
                          : layout == VIEWER_SWIPE ? (uint32_t)v->pair.border
                          : layout == VIEWER_BLINK && !viewer_pair_blinks(v) ? width
                                                                             : 0;
    for (uint32_t y = 0; y < to->height && y < other->height; y++) {
        uint8_t *row = to->pixels + 3 * (size_t)y * width;
        if (layout == VIEWER_SIDES) {
            memmove(row, row + 3 * (size_t)(width / 4), 3 * (size_t)half);
        }
        for (uint32_t x = from; x < width && x - shift < other->width; x++) {
            if (layout == VIEWER_DIFFERENCE) {
                put_difference(&v->drawing.last.picture, other, (size_t)y * width + x, row + 3 * x);
            } else {
                put_pixel(other, x - shift, y, row + 3 * x);
            }
        }
    }
    if (from > 0 && from < width) {
        const int below = is_enlarged(v) ? 0 : viewer_overlay_timeline(v);
        viewer_canvas_rect(to, (int)from - 1, 0, is_enlarged(v) ? 1 : 2, (int)to->height - below,
                           head);
    }
}

/* Writes the names of the two pictures. Returns the height of the text in pixels. */
static int draw_names(const viewer *v, mrwi_overlay_canvas *canvas)
{
    const mrw_image *image = canvas->image;
    const viewer_pair *pair = &v->pair;
    const viewer_text size = text_of(v);
    const int width = (int)image->width, half = width / 2 - 8;
    char a[200], b[200], text[600];
    viewer_pair_names(v, a, b);
    if (pair->layout == VIEWER_DIFFERENCE) {
        snprintf(text, sizeof text, "%s, %s: %llu of %llu pixels differ, by up to %d", a, b,
                 (unsigned long long)pair->differing,
                 (unsigned long long)v->state.width * v->state.height, pair->furthest);
        return size.line * viewer_canvas_paragraph(canvas, 4, 4, width - 8, true, text, white);
    }
    if (pair->layout == VIEWER_BLINK) {
        return size.line * viewer_canvas_paragraph(canvas, 4, 4, width - 8, true,
                                                   viewer_pair_blinks(v) ? b : a, white);
    }
    const int right = width - 4 - viewer_canvas_text_width(image, b) - 8 * size.scale;
    const int x = right > width / 2 + 4 && pair->layout == VIEWER_SWIPE ? right : width / 2 + 4;
    const int lines = viewer_canvas_paragraph(canvas, 4, 4, half, true, a, white);
    const int more = viewer_canvas_paragraph(canvas, x, 4, half, true, b, white);
    return size.line * (more > lines ? more : lines);
}

static void draw_messages(const viewer *v, mrwi_overlay_canvas *canvas)
{
    mrw_image *image = canvas->image;
    const viewer_overlay *o = &v->overlay;
    const int width = (int)image->width - 8, line = text_of(v).line;
    char text[600] = "", name[200];
    double share = 0.0;
    const bool two = viewer_pair_image(v) && !o->clips && !o->help;
    int y = 4 + (two ? draw_names(v, canvas) : 0);
    viewer_results_describe(v, text, sizeof text);
    if (text[0] != '\0' && !o->clips && !o->help) {
        y += line * viewer_canvas_paragraph(canvas, 4, y, width, true, text, white);
    }
    viewer_lights_describe(v, text, sizeof text);
    if (text[0] != '\0' && !o->clips && !o->help) {
        y += line * viewer_canvas_paragraph(canvas, 4, y, width, true, text, white);
    }
    for (int i = 0; i < 3 && o->picked[0][0] != '\0' && !o->clips && !o->help; i++) {
        y += line * viewer_canvas_paragraph(canvas, 4, y, width, true, o->picked[i], white);
    }
    snprintf(text, sizeof text, "%s", o->help && !o->bad ? "" : o->message);
    if (text[0] == '\0' && v->window.flight.on && !o->clips && !o->help) {
        char factor[32];
        mrw_format_double(viewer_keys_flight(&v->window.flight), factor);
        snprintf(text, sizeof text,
                 "flight at x%s: hold w a s d q e, drag to look around; - = slower, faster; Esc "
                 "ends it",
                 factor);
    } else if (text[0] == '\0' && o->hint && !o->clips && !o->help) {
        snprintf(text, sizeof text, "%sh: keys%s",
                 v->state.play.clock.timing.last == 0 ? ""
                 : v->state.play.clock.playing        ? "Space: pause  "
                                                      : "Space: play  ",
                 v->loaded.scene->clips_count > 1 && !v->loaded.model.mix.fixed ? "  Tab: clips"
                                                                                : "");
    } else if (text[0] == '\0' && o->still > 0 && !o->clips && !o->help) {
        snprintf(text, sizeof text, "other clips move %u node%s that stand%s still: t plays all",
                 o->still, o->still == 1 ? "" : "s", o->still == 1 ? "s" : "");
    }
    if (v->loaded.loading.running) {
        char progress[80];
        share = viewer_load_progress(&v->loaded.loading, progress);
        snprintf(text, sizeof text, "loading %s: %s",
                 mrw_escape_text(v->loaded.loading.path, name, sizeof name), progress);
    }
    const int lines = viewer_canvas_paragraph_lines(image, width, true, text);
    const int top = (int)image->height - viewer_overlay_timeline(v) - 4 - lines * line;
    viewer_canvas_paragraph(canvas, 4, top, width, true, text,
                            o->bad && !v->loaded.loading.running ? warning : white);
    if (share > 0.0) {
        const int high = 3 * text_of(v).scale;
        viewer_canvas_rect(image, 4, top - high, width, high, track);
        viewer_canvas_rect(image, 4, top - high, (int)(share * width), high, key_mark);
    }
}

bool viewer_overlay_fits(const viewer *v)
{
    return v->drawing.last.picture.width == v->state.width &&
           v->drawing.last.picture.height == v->state.height;
}

/* Draws what lies on the model: edges, skeletons and lights. */
static mrw_status draw_on_model(viewer *v, mrwi_overlay_canvas *canvas, mrw_error *error)
{
    if (v->overlay.edges) {
        mrw_status status = viewer_picture_ids(v, error);
        if (status) {
            return status;
        }
        status = viewer_edges_draw(v, canvas->image, error);
        if (status) {
            return status;
        }
    }
    if (v->overlay.skeleton) {
        mrw_status status = viewer_marks_skeletons(v, canvas, error);
        if (status) {
            return status;
        }
    }
    if (v->lights.picked == MRW_NONE) {
        return MRW_OK;
    }
    mrw_status status = viewer_picture_box(&v->drawing, &v->state.box, error);
    return status ? status : viewer_marks_lights(v, canvas, error);
}

mrw_status viewer_overlay_draw(viewer *v, mrw_error *error)
{
    mrwi_overlay_canvas canvas;
    mrw_status status = lay_picture(&v->drawing.last.picture, v->state.width, v->state.height,
                                    &v->overlay.image, error);
    if (status) {
        return status;
    }
    status = begin_canvas(&v->overlay, &canvas, error);
    if (status) {
        return status;
    }
    if (v->drawing.line.begun && v->drawing.last.valid && viewer_overlay_fits(v)) {
        status = draw_on_model(v, &canvas, error);
        if (status) {
            return status;
        }
    }
    if (viewer_pair_image(v)) {
        lay_other(v, viewer_pair_image(v), &v->overlay.image);
    }
    if (is_enlarged(v)) {
        status = enlarge(v, &v->overlay.image, error);
        if (status) {
            return status;
        }
        status = begin_canvas(&v->overlay, &canvas, error);
        if (status) {
            return status;
        }
    }
    draw_time(v, &canvas);
    if (v->overlay.help) {
        draw_help(v, &canvas);
    } else if (v->overlay.clips) {
        draw_clips(v, &canvas);
    }
    draw_messages(v, &canvas);
    return MRW_OK;
}
