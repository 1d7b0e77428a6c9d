/* dae_curves.c: gives more keys to Collada curves that are not straight, and reads how curves
 * continue beyond their keys.
 *
 * assimp joins keys by straight lines, whatever a sampler's INTERPOLATION says. So before a sampler
 * with BEZIER, HERMITE or STEP segments two sources are inserted, with the times and values of a
 * polyline close to its curve, and the sampler refers to them. Its own sources may be shared, so
 * they stay.
 *
 * Collada 1.4.1, "Curve Interpolation": the control points of a Bezier segment are its two keys,
 * the first one's OUT_TANGENT and the second one's IN_TANGENT; those of a Hermite segment are at a
 * third of the tangents. A tangent has a time and a value for each number of the key; or one time,
 * then values; or, in files of some programs, only values, with the times at thirds. */
#include "import/dae_library.h"

#include "base/memory.h"
#include "base/text.h"
#include "import/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP        (1.0 / 480.0)
#define LEAST_ERROR 1e-6
#define SLOPE_SPAN  (1.0 / 120.0)
#define JUMP        1e-6       /* seconds, or a share of the time: floats can hold it */
#define MAX_NUMBERS (1u << 26) /* limit for all sources together */
#define MORE_POINTS 2048       /* limit per sampler: assimp's time grows with their square */

typedef mrwi_import_dae_source source;
typedef mrwi_import_dae_sampler sampler;
typedef mrwi_import_dae_channel channel;
typedef mrwi_import_dae_library library;
typedef mrwi_import_dae_numbers numbers;

/* ---- a sampler ------------------------------------------------------------------------------- */

typedef enum interpolation { LINEAR, BEZIER, HERMITE, STEPPED } interpolation;

typedef struct curve {
    mrwi_import_span input, output; /* the references to be replaced */
    numbers times, values, in_tangents, out_tangents;
    uint8_t *interpolations; /* one per key */
} curve;

static void free_curve(curve *c)
{
    mrwi_base_free(c->times.values);
    mrwi_base_free(c->values.values);
    mrwi_base_free(c->in_tangents.values);
    mrwi_base_free(c->out_tangents.values);
    mrwi_base_free(c->interpolations);
}

static interpolation interpolation_of(mrwi_import_span name)
{
    return mrwi_import_span_is(name, "BEZIER")    ? BEZIER
           : mrwi_import_span_is(name, "HERMITE") ? HERMITE
           : mrwi_import_span_is(name, "STEP")    ? STEPPED
                                                  : LINEAR;
}

/* Reads a name for each key. Returns false if they are missing, too few or all LINEAR. */
static bool read_interpolations(const source *from, size_t count, uint8_t *out)
{
    mrwi_import_xml_tag array;
    mrwi_import_span text;
    const char *at = from ? from->body.at : NULL;
    const char *end = from ? at + from->body.size : NULL;
    bool curved = false;
    if (!from || !mrwi_import_xml_find(&at, end, "Name_array", &array) ||
        !mrwi_import_xml_body(&at, end, &array, &text)) {
        return false;
    }
    at = text.at;
    end = at + text.size;
    for (size_t i = 0; i < count; i++) {
        at = mrwi_import_dae_skip_blanks(at, end);
        const char *name = at;
        while (at < end && (uint8_t)*at > ' ') {
            at++;
        }
        if (at == name) {
            return false;
        }
        out[i] = (uint8_t)interpolation_of((mrwi_import_span){name, (size_t)(at - name)});
        curved = curved || out[i] != LINEAR;
    }
    return curved;
}

static bool ascends(const numbers *times)
{
    for (size_t i = 1; i < times->count; i++) {
        if (!(times->values[i] > times->values[i - 1])) {
            return false;
        }
    }
    return times->width == 1 && fabs(times->values[0]) < 1e9 &&
           fabs(times->values[times->count - 1]) < 1e9;
}

static bool read_curve(const library *lib, const sampler *from, size_t *numbers_left, curve *c)
{
    const source *in = NULL, *out = NULL, *names = NULL, *left = NULL, *right = NULL;
    const char *at = from->body.at, *end = at + from->body.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span semantic, reference;
    while (mrwi_import_xml_find(&at, end, "input", &tag)) {
        if (!mrwi_import_xml_attribute(&tag, "semantic", &semantic) ||
            !mrwi_import_xml_attribute(&tag, "source", &reference)) {
            continue;
        }
        const source *found = mrwi_import_dae_find_source(lib, reference);
        if (mrwi_import_span_is(semantic, "INPUT")) {
            in = found, c->input = reference;
        } else if (mrwi_import_span_is(semantic, "OUTPUT")) {
            out = found, c->output = reference;
        } else if (mrwi_import_span_is(semantic, "INTERPOLATION")) {
            names = found;
        } else if (mrwi_import_span_is(semantic, "IN_TANGENT")) {
            left = found;
        } else if (mrwi_import_span_is(semantic, "OUT_TANGENT")) {
            right = found;
        }
    }
    if (!names || !mrwi_import_dae_read_source(in, numbers_left, &c->times) ||
        !ascends(&c->times)) {
        return false;
    }
    c->interpolations = mrwi_base_alloc(c->times.count, 1);
    if (!c->interpolations || c->times.count < 2 ||
        !read_interpolations(names, c->times.count, c->interpolations) ||
        !mrwi_import_dae_read_source(out, numbers_left, &c->values) ||
        c->values.count != c->times.count || c->values.width > MRWI_IMPORT_CURVE_WIDTH) {
        return false;
    }
    mrwi_import_dae_read_source(left, numbers_left, &c->in_tangents);
    mrwi_import_dae_read_source(right, numbers_left, &c->out_tangents);
    return true;
}

/* Computes the inner control point of a key's tangent. Returns false if there is none, or if the
 * numbers of the key have different times. */
static bool control_point(const curve *c, const numbers *tangents, size_t key, double third,
                          bool hermite, mrwi_import_bezier *out, int point)
{
    size_t width = c->values.width, stride = tangents->width;
    bool pairs = stride == 2 * width, time_first = stride == width + 1 && !pairs;
    if (!tangents->values || key >= tangents->count || !(pairs || time_first || stride == width)) {
        return false;
    }
    const double *t = tangents->values + key * stride, *v = c->values.values + key * width;
    double time = c->times.values[key], sign = third > 0.0 ? 1.0 / 3.0 : -1.0 / 3.0;
    out->x[point] = !pairs && !time_first ? time + third : hermite ? time + sign * t[0] : t[0];
    for (size_t i = 0; i < width; i++) {
        double value = pairs ? t[2 * i + 1] : time_first ? t[i + 1] : t[i];
        out->y[i][point] = hermite ? v[i] + sign * value : value;
        if (pairs && t[2 * i] != t[0]) {
            return false;
        }
    }
    return true;
}

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static bool make_segment(const curve *c, size_t i, mrwi_import_bezier *out)
{
    size_t width = c->values.width;
    double x0 = c->times.values[i], x3 = c->times.values[i + 1], third = (x3 - x0) / 3.0;
    bool hermite = c->interpolations[i] == HERMITE;
    if (!control_point(c, &c->out_tangents, i, third, hermite, out, 1) ||
        !control_point(c, &c->in_tangents, i + 1, -third, hermite, out, 2)) {
        return false;
    }
    out->x[0] = x0;
    out->x[1] = between(out->x[1], x0, x3);
    out->x[2] = between(out->x[2], x0, x3);
    out->x[3] = x3;
    for (size_t k = 0; k < width; k++) {
        out->y[k][0] = c->values.values[i * width + k];
        out->y[k][3] = c->values.values[(i + 1) * width + k];
    }
    return true;
}

static void draw(const curve *c, mrwi_import_polyline *line)
{
    double tolerance[MRWI_IMPORT_CURVE_WIDTH];
    size_t width = c->values.width;
    mrwi_import_bezier segment;
    mrwi_import_curve_tolerance(c->values.values, c->values.count, width, LEAST_ERROR, tolerance);
    mrwi_import_polyline_add(line, c->times.values[0], c->values.values);
    for (size_t i = 0; i + 1 < c->times.count; i++) {
        const double *from = c->values.values + i * width, *to = from + width;
        double x = c->times.values[i + 1];
        if (c->interpolations[i] == STEPPED && memcmp(from, to, width * sizeof *from) != 0) {
            mrwi_import_polyline_add(line, x - JUMP * (fabs(x) > 1.0 ? fabs(x) : 1.0), from);
        } else if ((c->interpolations[i] == BEZIER || c->interpolations[i] == HERMITE) &&
                   make_segment(c, i, &segment)) {
            mrwi_import_polyline_add_bezier(line, &segment, tolerance, STEP);
        }
        mrwi_import_polyline_add(line, x, to);
    }
}

/* ---- what lies beyond ------------------------------------------------------------------------ */

/* Reads an extrapolation. FCollada and OpenCOLLADA write Maya's pre_infinity and post_infinity into
 * the source of times; 1.5 has attributes of the sampler. GRADIENT is 1.5's word for LINEAR. */

static uint16_t extrapolation_of(mrwi_import_span word)
{
    while (word.size > 0 && (uint8_t)word.at[0] <= ' ') {
        word = (mrwi_import_span){word.at + 1, word.size - 1};
    }
    while (word.size > 0 && (uint8_t)word.at[word.size - 1] <= ' ') {
        word.size--;
    }
    return mrwi_import_span_is(word, "CYCLE")            ? MRW_EXTRAPOLATION_REPEAT
           : mrwi_import_span_is(word, "OSCILLATE")      ? MRW_EXTRAPOLATION_MIRROR
           : mrwi_import_span_is(word, "CYCLE_RELATIVE") ? MRW_EXTRAPOLATION_REPEAT_RELATIVE
           : mrwi_import_span_is(word, "LINEAR") || mrwi_import_span_is(word, "GRADIENT")
               ? MRW_EXTRAPOLATION_SLOPE
               : MRW_EXTRAPOLATION_HOLD;
}

static void read_infinity(mrwi_import_span body, const char *name, uint16_t *out)
{
    const char *at = body.at, *end = at + body.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span word;
    if (mrwi_import_xml_find(&at, end, name, &tag) && mrwi_import_xml_body(&at, end, &tag, &word)) {
        *out = extrapolation_of(word);
    }
}

static const source *input_of(const library *lib, const sampler *s, const char *semantic)
{
    const source *found = NULL;
    const char *at = s->body.at, *end = at + s->body.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span name, reference;
    while (mrwi_import_xml_find(&at, end, "input", &tag)) {
        if (mrwi_import_xml_attribute(&tag, "semantic", &name) &&
            mrwi_import_span_is(name, semantic) &&
            mrwi_import_xml_attribute(&tag, "source", &reference)) {
            found = mrwi_import_dae_find_source(lib, reference);
        }
    }
    return found;
}

static mrwi_import_ends read_ends(const source *in, const sampler *s)
{
    mrwi_import_ends ends = {0};
    mrwi_import_span word;
    read_infinity(in->body, "pre_infinity", &ends.before);
    read_infinity(in->body, "post_infinity", &ends.after);
    if (mrwi_import_xml_attribute(&s->tag, "pre_behavior", &word)) {
        ends.before = extrapolation_of(word);
    }
    if (mrwi_import_xml_attribute(&s->tag, "post_behavior", &word)) {
        ends.after = extrapolation_of(word);
    }
    return ends;
}

static bool keeps_slope(const mrwi_import_ends *ends)
{
    return ends->before == MRW_EXTRAPOLATION_SLOPE || ends->after == MRW_EXTRAPOLATION_SLOPE;
}

/* Makes a row beside an end of the line, `way` seconds from it, so that the line has the tangent's
 * slope there and continues with it: the slope from the end of segment i to its control point, or
 * to the other one if the first two are equal. Returns false for straight segments. */
static bool row_beside(const curve *c, size_t i, bool last, double way, double *out)
{
    mrwi_import_bezier b;
    const bool curved = c->interpolations[i] == BEZIER || c->interpolations[i] == HERMITE;
    if (!curved || !make_segment(c, i, &b)) {
        return false;
    }
    const int end = last ? 3 : 0, near = last ? 2 : 1, far = last ? 1 : 2;
    const double least = 1e-6 * (b.x[3] - b.x[0]);
    const int other = fabs(b.x[near] - b.x[end]) > least ? near : far;
    const double run = b.x[other] - b.x[end];
    for (size_t k = 0; k < c->values.width && fabs(run) > least; k++) {
        out[k] = b.y[k][end] + (b.y[k][other] - b.y[k][end]) / run * way;
    }
    return fabs(run) > least;
}

static void bend_ends(const curve *c, const mrwi_import_ends *ends,
                      const mrwi_import_polyline *from, mrwi_import_polyline *to)
{
    double row[MRWI_IMPORT_CURVE_WIDTH];
    const size_t n = from->count, width = from->width, keys = c->times.count;
    for (size_t i = 0; i < n; i++) {
        const bool is_last = i + 1 == n;
        const double span = is_last ? from->x[i] - from->x[i - 1] : from->x[i + 1] - from->x[i];
        const double way = span > 2.0 * SLOPE_SPAN ? SLOPE_SPAN : 0.5 * span;
        if (is_last && ends->after == MRW_EXTRAPOLATION_SLOPE &&
            row_beside(c, keys - 2, true, -way, row)) {
            mrwi_import_polyline_add(to, from->x[i] - way, row);
        }
        mrwi_import_polyline_add(to, from->x[i], from->y + i * width);
        if (i == 0 && ends->before == MRW_EXTRAPOLATION_SLOPE &&
            row_beside(c, 0, false, way, row)) {
            mrwi_import_polyline_add(to, from->x[i] + way, row);
        }
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A text that grows at its end. */
typedef struct writer {
    char *out; /* mrwi_base_alloc */
    size_t size, room;
    size_t most; /* largest size */
    bool failed; /* true when out of memory, or over the largest size */
} writer;

/* Makes room for more bytes. Returns false, and adds nothing, on failure. */
static bool make_room(writer *w, size_t bytes)
{
    w->failed = w->failed || w->size > w->most;
    if (!w->failed && bytes > w->room - w->size) {
        const size_t room = 2 * w->size + bytes + 4096;
        char *grown = mrwi_base_realloc(w->out, w->size, room, 1);
        w->failed = !grown;
        w->out = grown ? grown : w->out;
        w->room = grown ? room : w->room;
    }
    return !w->failed;
}

static void put(writer *w, const char *text, size_t size)
{
    if (make_room(w, size)) {
        memcpy(w->out + w->size, text, size);
        w->size += size;
    }
}

#define SOURCE_ROOM 400 /* for either end of a source, without its parameters */
#define NUMBER_ROOM 33  /* for a number and a blank */

static void put_source(writer *w, const char *id, const double *values, size_t count, size_t width,
                       mrwi_import_span parameters)
{
    char text[SOURCE_ROOM];
    put(w, text,
        (size_t)snprintf(text, sizeof text,
                         "<source id=\"%s\"><float_array id=\"%s-a\" count=\"%zu\">", id, id,
                         count * width));
    for (size_t i = 0; i < count * width && make_room(w, NUMBER_ROOM); i++) {
        w->size += mrwi_base_format_float((float)values[i], w->out + w->size);
        w->out[w->size++] = ' ';
    }
    put(w, text,
        (size_t)snprintf(text, sizeof text,
                         "</float_array><technique_common><accessor source=\"#%s-a\" "
                         "count=\"%zu\" stride=\"%zu\">",
                         id, count, width));
    put(w, parameters.at, parameters.size);
    static const char end[] = "</accessor></technique_common></source>";
    put(w, end, sizeof end - 1);
}

/* Writes the two sources of a sampler, at most `most` bytes. Returns false on failure. */
static bool put_sources(writer *w, const curve *c, const mrwi_import_polyline *line, size_t number,
                        size_t most)
{
    char id[40];
    *w = (writer){.most = most};
    snprintf(id, sizeof id, "mrw-curve-%zu-i", number);
    put_source(w, id, line->x, line->count, 1, c->times.parameters);
    snprintf(id, sizeof id, "mrw-curve-%zu-o", number);
    put_source(w, id, line->y, line->count, line->width, c->values.parameters);
    return !w->failed;
}

/* Returns the offset of a place of the file, as edits count it. */
static size_t place_of(const mrwi_import_edits *edits, const char *at)
{
    return (size_t)((const uint8_t *)at - edits->bytes);
}

static bool replace_reference(mrwi_import_edits *edits, mrwi_import_span old, const char *kind,
                              size_t number)
{
    char text[48];
    size_t size = (size_t)snprintf(text, sizeof text, "#mrw-curve-%zu-%s", number, kind);
    mrwi_import_edit *edit = mrwi_import_edits_add(edits, place_of(edits, old.at), old.size, size);
    if (edit) {
        memcpy(edit->data, text, size);
    }
    return edit;
}

static void replace_sources(const sampler *s, const curve *c, const mrwi_import_polyline *line,
                            size_t number, mrwi_import_edits *edits)
{
    size_t before = edits->count;
    writer w;
    if (!put_sources(&w, c, line, number, mrwi_import_edits_left(edits))) {
        mrwi_base_free(w.out);
        return;
    }
    mrwi_import_edit *edit =
        mrwi_import_edits_add(edits, place_of(edits, s->tag.whole.at), 0, w.size);
    if (edit) {
        memcpy(edit->data, w.out, w.size);
    }
    mrwi_base_free(w.out);
    if (!edit || !replace_reference(edits, c->input, "i", number) ||
        !replace_reference(edits, c->output, "o", number)) {
        while (edits->count > before) {
            mrwi_import_edits_drop_last(edits);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void mend_samplers(const library *lib, mrwi_import_edits *edits)
{
    size_t numbers_left = MAX_NUMBERS;
    for (size_t i = 0; i < lib->sampler_count; i++) {
        curve c = {0};
        if (read_curve(lib, &lib->samplers[i], &numbers_left, &c)) {
            const source *in = input_of(lib, &lib->samplers[i], "INPUT");
            const mrwi_import_ends ends = read_ends(in, &lib->samplers[i]);
            mrwi_import_polyline line = {.width = c.values.width,
                                         .limit = 4 * c.times.count + MORE_POINTS};
            mrwi_import_polyline bent = line, *drawn = &line;
            draw(&c, &line);
            if (keeps_slope(&ends) && !line.failed && line.count > 1) {
                bend_ends(&c, &ends, &line, &bent);
                drawn = &bent;
            }
            if (!drawn->failed && drawn->count > c.times.count) {
                replace_sources(&lib->samplers[i], &c, drawn, i, edits);
            }
            mrwi_import_polyline_free(&line);
            mrwi_import_polyline_free(&bent);
        }
        free_curve(&c);
    }
}

/* ---- animations that play together ----------------------------------------------------------- */

static bool is_animation(const mrwi_import_xml_tag *tag, bool closes)
{
    return tag->closes == closes && !tag->empty && mrwi_import_span_is(tag->name, "animation");
}

static void cut_tag(mrwi_import_edits *edits, const mrwi_import_xml_tag *tag, const char *instead)
{
    size_t size = strlen(instead);
    mrwi_import_edit *edit =
        mrwi_import_edits_add(edits, place_of(edits, tag->whole.at), tag->whole.size, size);
    if (edit) {
        memcpy(edit->data, instead, size);
    }
}

/* Joins all animations. Without <animation_clip> all animations of a file play together. assimp
 * makes a clip of each <animation>, with whole transforms of nodes of which it may move only a
 * part. So all become one element: only the first one's opening tag and the last one's closing tag
 * stay. */
static void join_animations(mrwi_import_span text, mrwi_import_edits *edits)
{
    const char *at = text.at, *end = at + text.size, *last = NULL;
    size_t opened = 0;
    mrwi_import_xml_tag tag;
    while (mrwi_import_xml_next(&at, end, &tag)) {
        opened += is_animation(&tag, false);
        last = is_animation(&tag, true) ? tag.whole.at : last;
    }
    at = text.at;
    for (size_t seen = 0; opened > 1 && mrwi_import_xml_next(&at, end, &tag);) {
        if (is_animation(&tag, false)) {
            cut_tag(edits, &tag, seen++ == 0 ? "<animation>" : "");
        } else if (is_animation(&tag, true) && tag.whole.at != last) {
            cut_tag(edits, &tag, "");
        }
    }
}

/* ---- beyond the keys ------------------------------------------------------------------------- */

static bool rows_move(const numbers *n)
{
    for (size_t i = n->width; i < n->count * n->width; i++) {
        if (n->values[i] != n->values[i % n->width]) {
            return true;
        }
    }
    return false;
}

/* Reads how a sampler that moves something continues. A step has no slope to continue: it holds. */
static mrwi_import_curve_ends sampler_ends(const library *lib, const sampler *s,
                                           size_t *numbers_left)
{
    const source *in = input_of(lib, s, "INPUT"), *out = input_of(lib, s, "OUTPUT");
    mrwi_import_curve_ends found = {.any = false};
    numbers times = {0}, values = {0};
    curve c = {0};
    if (in && mrwi_import_dae_read_source(in, numbers_left, &times) && ascends(&times) &&
        times.count > 1 && mrwi_import_dae_read_source(out, numbers_left, &values) &&
        rows_move(&values)) {
        mrwi_import_ends ends = read_ends(in, s);
        if (keeps_slope(&ends) && read_curve(lib, s, numbers_left, &c)) {
            const uint8_t *how = c.interpolations;
            ends.before =
                ends.before == MRW_EXTRAPOLATION_SLOPE && how[0] == STEPPED ? 0 : ends.before;
            ends.after = ends.after == MRW_EXTRAPOLATION_SLOPE && how[c.times.count - 2] == STEPPED
                             ? 0
                             : ends.after;
        }
        mrwi_import_curve_ends_add(&found, &ends, times.values[0], times.values[times.count - 1]);
    }
    free_curve(&c);
    mrwi_base_free(times.values);
    mrwi_base_free(values.values);
    return found;
}

static int compare_samplers(const void *a, const void *b)
{
    const sampler *x = a, *y = b;
    int order = mrwi_import_dae_compare(x->id, y->id);
    return order != 0 ? order : x->body.at < y->body.at ? -1 : x->body.at > y->body.at;
}

static int compare_channels(const void *a, const void *b)
{
    const channel *x = a, *y = b;
    int order = mrwi_import_dae_compare(x->node, y->node);
    return order != 0 ? order : x->node.at < y->node.at ? -1 : x->node.at > y->node.at;
}

static const sampler *find_sampler(const library *lib, mrwi_import_span reference)
{
    const mrwi_import_span id = {reference.at + 1, reference.size - 1};
    size_t low = 0, high = lib->sampler_count;
    if (reference.size < 2 || reference.at[0] != '#') {
        return NULL;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mrwi_import_dae_compare(lib->samplers[middle].id, id) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < lib->sampler_count && mrwi_import_dae_compare(lib->samplers[low].id, id) == 0
               ? &lib->samplers[low]
               : NULL;
}

/* Finds the channels that continue. assimp makes one channel of everything that moves a node. Sorts
 * samplers and channels. */
static bool find_beyond(library *lib, mrwi_import_beyond *out)
{
    const uint32_t paths =
        1u << MRW_PATH_TRANSLATION | 1u << MRW_PATH_ROTATION | 1u << MRW_PATH_SCALE;
    size_t numbers_left = MAX_NUMBERS;
    if (lib->sampler_count == 0 || lib->channel_count == 0) {
        return true;
    }
    qsort(lib->samplers, lib->sampler_count, sizeof *lib->samplers, compare_samplers);
    qsort(lib->channels, lib->channel_count, sizeof *lib->channels, compare_channels);
    for (size_t i = 0, next; i < lib->channel_count; i = next) {
        const mrwi_import_span node = lib->channels[i].node;
        mrwi_import_curve_ends sum = {.any = false};
        for (next = i; next < lib->channel_count &&
                       mrwi_import_dae_compare(lib->channels[next].node, node) == 0;
             next++) {
            const sampler *s = find_sampler(lib, lib->channels[next].sampler);
            const mrwi_import_curve_ends one =
                s ? sampler_ends(lib, s, &numbers_left) : (mrwi_import_curve_ends){.any = false};
            if (one.any) {
                mrwi_import_curve_ends_add(&sum, &one.ends, one.first, one.last);
            }
        }
        const mrwi_import_beyond_name name = {node.at, node.size}, none = {NULL, 0};
        if (!mrwi_import_beyond_add(out, none, name, "", paths, &sum, 1.0)) {
            return false;
        }
    }
    mrwi_import_beyond_sort(out);
    return true;
}

/* Returns true if some curve may continue. Most files of Maya have CONSTANT for each curve. */
static bool may_go_on(mrwi_import_span text)
{
    static const char *const words[] = {"CYCLE", "OSCILLATE", "_infinity>LINEAR", "_behavior="};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (memmem(text.at, text.size, words[i], strlen(words[i]))) {
            return true;
        }
    }
    return false;
}

bool mrwi_import_dae_mend(const uint8_t *bytes, size_t size, uint32_t tags,
                          mrwi_import_beyond *beyond, uint8_t **out, size_t *out_size)
{
    const mrwi_import_span text = {(const char *)bytes, size};
    library lib = {0};
    mrwi_import_edits edits = {.bytes = bytes, .size = size};
    bool good = true;
    *out = NULL;
    *beyond = (mrwi_import_beyond){NULL, 0, 0};
    if ((tags & MRWI_IMPORT_DAE_SAMPLER) && mrwi_import_dae_library_list(text, &lib)) {
        mend_samplers(&lib, &edits);
        good = !may_go_on(text) || find_beyond(&lib, beyond);
    }
    if (!(tags & MRWI_IMPORT_DAE_CLIP)) {
        join_animations(text, &edits);
    }
    if (tags & MRWI_IMPORT_DAE_TRANSPARENT) {
        mrwi_import_dae_mark_opacity(text.at, text.size, &edits);
    }
    good = good && mrwi_import_dae_mend_arrays(text.at, text.size, &edits) &&
           (!(tags & MRWI_IMPORT_DAE_MORPH) ||
            mrwi_import_dae_mend_morphs(text.at, text.size, &edits)) &&
           mrwi_import_dae_mend_legal(text.at, text.size, &edits) &&
           (edits.count == 0 || mrwi_import_edits_apply(&edits, out, out_size));
    mrwi_import_edits_free(&edits);
    mrwi_import_dae_library_free(&lib);
    return good;
}
