/* fbx_curves.c: gives more keys to FBX curves that are not straight.
 *
 * assimp joins keys by straight lines, whatever their flags say. So a curve with constant or cubic
 * segments is replaced, in the bytes assimp reads, by a polyline close to it.
 *
 * A key's flags and four attributes apply to a run of KeyAttrRefCount keys. Their meaning follows
 * the SDK's FbxAnimCurveDef and, where that is silent, values written by Maya and MotionBuilder:
 * attributes 0 and 1 are the slopes (per second) to the right of the key and to the left of the
 * next one. With automatic tangents they are a bias in percent; with TCB tangents the first three
 * are tension, continuity and bias. Otherwise attribute 2 packs the two weights in 1/10000.
 *
 * A curve that continues with its slope (fbx_beyond.c) continues with that of its tangent: the last
 * milliseconds of the polyline have exactly that slope. */
#include "import/curve.h"
#include "import/fbx_bytes.h"

#include "base/math.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { /* flags of a key */
       CONSTANT = 0x2,
       CUBIC = 0x8,
       CONSTANT_NEXT = 0x100, /* the next key's value holds, not this one's */
       TANGENT_TCB = 0x200,
       TANGENT_USER = 0x400,
       CLAMP = 0x1000,
       TIME_INDEPENDENT = 0x2000,
       CLAMP_PROGRESSIVE = 0x4000,
       WEIGHTED_RIGHT = 0x1000000,
       WEIGHTED_NEXT_LEFT = 0x2000000,
};

#define THIRD         (1.0 / 3.0)
#define LEAST_ERROR   2e-5                                /* units or degrees */
#define STEP          (double)MRWI_IMPORT_FBX_MILLISECOND /* least distance between keys */
#define MAX_KEYS      (1u << 22)                          /* limit per curve */
#define MAX_BIAS      100.0                               /* in hundreds of percent */
#define BIAS_ABSOLUTE 5.0 /* from here on, a bias bends by its square */

typedef struct fbx_key {
    double time; /* ticks, whole numbers */
    double value;
    uint32_t flags;
    uint32_t attributes[4];
    double slope_left, slope_right; /* per second */
    double weight_left, weight_right;
} fbx_key;

/* ---- tangents -------------------------------------------------------------------------------- */

static double float_of(uint32_t bits)
{
    float single;
    memcpy(&single, &bits, sizeof single);
    return fabsf(single) < 1e30f ? (double)single : 0.0; /* false for NaN */
}

/* Returns the slope between two keys, per second. */
static double slope_between(const fbx_key *a, const fbx_key *b)
{
    return (b->value - a->value) * (double)MRWI_IMPORT_FBX_SECOND / (b->time - a->time);
}

/* Returns the effect of a bias of more than 500 %: it bends the tangent by 40 units per second
 * times its square. */
static double strong_bias(double hundreds, double direction)
{
    double excess = fabs(hundreds) - BIAS_ABSOLUTE;
    return excess > 0.0 ? excess * excess * (direction > 0.0 ? 40.0 : -40.0) : 0.0;
}

/* Limits a slope so that the curve never exceeds the neighbouring keys. */
static double clamp_progressive(const fbx_key *k, double slope)
{
    double sign = slope >= 0.0 ? 1.0 : -1.0, size = fabs(slope);
    double left = sign * slope_between(k - 1, k) / k->weight_left;
    double right = sign * slope_between(k, k + 1) / k->weight_right;
    double most = left < right ? left : right;
    most = most > 0.0 ? most : 0.0; /* 0 also for NaN */
    return sign * (size < most ? size : most);
}

/* Returns the automatic tangent of a key between two others. */
static double auto_slope(const fbx_key *k, double bias_percent)
{
    const fbx_key *before = k - 1, *after = k + 1;
    if ((k->flags & CLAMP) && (before->value == k->value || after->value == k->value)) {
        return 0.0;
    }
    double slope = slope_between(before, after);
    if (!(k->flags & TIME_INDEPENDENT)) {
        double left = slope_between(before, k), right = slope_between(k, after);
        double part = (k->time - before->time) / (after->time - before->time);
        slope = 0.5 * slope + 0.5 * (left * (1.0 - part) + right * part);
        double bias = bias_percent / 100.0;
        bias = bias < -MAX_BIAS ? -MAX_BIAS : bias > MAX_BIAS ? MAX_BIAS : bias;
        if (fabs(bias) > 1e-4) {
            double target = bias > 0.0 ? right : left, way = target - slope;
            slope += way * fabs(bias) + strong_bias(bias, fabs(way) > 1e-5 ? way : bias);
        }
    }
    return (k->flags & CLAMP_PROGRESSIVE) ? clamp_progressive(k, slope) : slope;
}

/* Returns the automatic tangent of the first or last key. */
static double auto_slope_at_end(const fbx_key *k, const fbx_key *from, const fbx_key *to,
                                double bias_percent)
{
    if ((k->flags & CLAMP_PROGRESSIVE) || ((k->flags & CLAMP) && from->value == to->value)) {
        return 0.0;
    }
    double bias = (k->flags & TIME_INDEPENDENT) ? 0.0 : bias_percent / 100.0;
    bias = bias < -MAX_BIAS ? -MAX_BIAS : bias > MAX_BIAS ? MAX_BIAS : bias;
    return slope_between(from, to) + strong_bias(bias, bias);
}

static void set_auto(fbx_key *k, bool has_before, bool has_after)
{
    double left = k->slope_left, right = k->slope_right;
    if (has_before && has_after) {
        bool unified = fabs(left + right) <= 1e-4;
        k->slope_right = auto_slope(k, right);
        k->slope_left = unified ? k->slope_right : auto_slope(k, -left);
    } else if (has_before) {
        k->slope_left = k->slope_right = auto_slope_at_end(k, k - 1, k, -left);
    } else if (has_after) {
        k->slope_left = k->slope_right = auto_slope_at_end(k, k, k + 1, right);
    } else {
        k->slope_left = k->slope_right = 0.0;
    }
}

/* Sets TCB tangents: Kochanek and Bartels, "Interpolating splines with local tension, continuity,
 * and bias control" (1984), on slopes per second. At the ends the one neighbour counts twice. */
static void set_tcb(fbx_key *k, bool has_before, bool has_after)
{
    double tension = float_of(k->attributes[0]), continuity = float_of(k->attributes[1]);
    double bias = float_of(k->attributes[2]);
    double left = has_before ? slope_between(k - 1, k) : 0.0;
    double right = has_after ? slope_between(k, k + 1) : 0.0;
    double factor = (has_before && has_after ? 0.5 : 1.0) * (1.0 - tension);
    k->slope_left = factor * ((1.0 + bias) * (1.0 - continuity) * left +
                              (1.0 - bias) * (1.0 + continuity) * right);
    k->slope_right = factor * ((1.0 + bias) * (1.0 + continuity) * left +
                               (1.0 - bias) * (1.0 - continuity) * right);
}

/* Returns a weight. 1/3 is stored as 0.3333: an exact third makes time linear in the parameter. */
static double weight_of(uint32_t packed)
{
    double weight = (double)(packed & 0xffff) * 1e-4;
    weight = weight > 1.0 ? 1.0 : weight;
    return fabs(weight - THIRD) < 1e-4 ? THIRD : weight;
}

/* Sets the tangents of a key. Keys must be in order: a key's attributes first define the left side
 * of its successor. */
static void set_tangents(fbx_key *k, bool has_before, bool has_after)
{
    bool cubic = (k->flags & CUBIC) && !(k->flags & CONSTANT),
         tcb = cubic && (k->flags & TANGENT_TCB);
    k->slope_right = float_of(k->attributes[0]);
    k->weight_right = THIRD;
    double next_slope = tcb || !cubic ? 0.0 : float_of(k->attributes[1]), next_weight = THIRD;
    if (cubic && (k->flags & WEIGHTED_RIGHT)) {
        k->weight_right = weight_of(k->attributes[2]);
    }
    if (cubic && !tcb && (k->flags & WEIGHTED_NEXT_LEFT)) {
        next_weight = weight_of(k->attributes[2] >> 16);
    }
    if (tcb) {
        set_tcb(k, has_before, has_after);
    } else if (cubic && !(k->flags & TANGENT_USER)) {
        set_auto(k, has_before, has_after);
    } else if (!cubic) {
        k->slope_right = 0.0;
    }
    if (has_after) {
        k[1].slope_left = next_slope;
        k[1].weight_left = next_weight;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct curve {
    mrwi_import_fbx_array times, values, flags, attributes, runs;
    fbx_key *keys;
    size_t count;
} curve;

static void free_curve(curve *c)
{
    mrwi_base_free(c->times.numbers);
    mrwi_base_free(c->values.numbers);
    mrwi_base_free(c->flags.numbers);
    mrwi_base_free(c->attributes.numbers);
    mrwi_base_free(c->runs.numbers);
    mrwi_base_free(c->keys);
}

/* Returns true if times strictly ascend, as assimp requires, and fit in 63 bits, and there is a run
 * for every key. */
static bool curve_is_sound(const curve *c)
{
    double covered = 0.0;
    for (size_t i = 0; i < c->times.count; i++) {
        if (!(fabs(c->times.numbers[i]) < 0x1p62) ||
            (i > 0 && !(c->times.numbers[i] > c->times.numbers[i - 1]))) {
            return false;
        }
    }
    for (size_t i = 0; i < c->runs.count; i++) {
        if (!(c->runs.numbers[i] >= 1.0)) {
            return false;
        }
        covered += c->runs.numbers[i];
    }
    return covered >= (double)c->times.count;
}

static bool has_cubic_or_constant(const curve *c)
{
    for (size_t i = 0; i < c->flags.count; i++) {
        if (mrwi_base_to_u32(c->flags.numbers[i]) & (CONSTANT | CUBIC)) {
            return true;
        }
    }
    return false;
}

static bool read_curve(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body, curve *c)
{
    return mrwi_import_fbx_read_array(fbx, body, "KeyAttrFlags", MRWI_IMPORT_FBX_BITS, &c->flags) &&
           has_cubic_or_constant(c) &&
           mrwi_import_fbx_read_array(fbx, body, "KeyTime", MRWI_IMPORT_FBX_NUMBERS, &c->times) &&
           mrwi_import_fbx_read_array(fbx, body, "KeyValueFloat", MRWI_IMPORT_FBX_NUMBERS,
                                      &c->values) &&
           mrwi_import_fbx_read_array(fbx, body, "KeyAttrDataFloat", MRWI_IMPORT_FBX_BITS,
                                      &c->attributes) &&
           mrwi_import_fbx_read_array(fbx, body, "KeyAttrRefCount", MRWI_IMPORT_FBX_NUMBERS,
                                      &c->runs) &&
           c->times.count > 1 && c->times.count == c->values.count &&
           c->flags.count == c->runs.count && c->attributes.count == 4 * c->runs.count &&
           curve_is_sound(c);
}

static bool make_keys(curve *c)
{
    c->count = c->times.count;
    c->keys = mrwi_base_alloc_zero(c->count, sizeof *c->keys);
    double left = c->runs.numbers[0];
    for (size_t i = 0, run = 0; c->keys && i < c->count; i++, left -= 1.0) {
        if (left < 1.0) {
            left = c->runs.numbers[++run];
        }
        fbx_key *k = &c->keys[i];
        k->time = c->times.numbers[i];
        k->value = c->values.numbers[i];
        k->flags = mrwi_base_to_u32(c->flags.numbers[run]);
        for (int a = 0; a < 4; a++) {
            k->attributes[a] = mrwi_base_to_u32(c->attributes.numbers[4 * run + (size_t)a]);
        }
    }
    for (size_t i = 0; c->keys && i < c->count; i++) {
        set_tangents(&c->keys[i], i > 0, i + 1 < c->count);
    }
    return c->keys;
}

/* ---- the polyline ---------------------------------------------------------------------------- */

static void add_cubic(mrwi_import_polyline *line, const fbx_key *a, const fbx_key *b,
                      double tolerance)
{
    double span = b->time - a->time, seconds = span / (double)MRWI_IMPORT_FBX_SECOND;
    mrwi_import_bezier segment; /* its width is 1 */
    segment.x[0] = a->time;
    segment.x[1] = a->time + a->weight_right * span;
    segment.x[2] = b->time - b->weight_left * span;
    segment.x[3] = b->time;
    segment.y[0][0] = a->value;
    segment.y[0][1] = a->value + a->weight_right * seconds * a->slope_right;
    segment.y[0][2] = b->value - b->weight_left * seconds * b->slope_left;
    segment.y[0][3] = b->value;
    mrwi_import_polyline_add_bezier(line, &segment, &tolerance, STEP);
}

/* Draws the curve. A constant segment jumps within one tick before a key. */
static void draw(const curve *c, mrwi_import_polyline *line)
{
    double tolerance;
    mrwi_import_curve_tolerance(c->values.numbers, c->count, 1, LEAST_ERROR, &tolerance);
    mrwi_import_polyline_add(line, c->keys[0].time, &c->keys[0].value);
    for (size_t i = 1; i < c->count; i++) {
        const fbx_key *a = &c->keys[i - 1], *b = &c->keys[i];
        if ((a->flags & CONSTANT) && a->value != b->value) {
            bool next = a->flags & CONSTANT_NEXT;
            mrwi_import_polyline_add(line, next ? a->time + 1.0 : b->time - 1.0,
                                     next ? &b->value : &a->value);
        } else if (!(a->flags & CONSTANT) && (a->flags & CUBIC)) {
            add_cubic(line, a, b, tolerance);
        }
        mrwi_import_polyline_add(line, b->time, &b->value);
    }
}

/* Draws straight lines from key to key. */
static void draw_straight(const curve *c, mrwi_import_polyline *line)
{
    for (size_t i = 0; i < c->count; i++) {
        mrwi_import_polyline_add(line, c->keys[i].time, &c->keys[i].value);
    }
}

/* ---- slopes that are kept -------------------------------------------------------------------- */

#define SLOPE_SPAN (4.0 * (double)MRWI_IMPORT_FBX_MILLISECOND)

/* Adds a point beside an end of the line, `way` ticks from it, so that the line has the slope there
 * to nine digits: the point's value is rounded to a float first, and its time adjusted. */
static void add_beside(mrwi_import_polyline *to, double time, double value, double slope,
                       double way)
{
    const double second = (double)MRWI_IMPORT_FBX_SECOND;
    const double beside = (double)(float)(value + slope * way / second);
    const double fitted = slope != 0.0 ? (beside - (double)(float)value) / slope * second : way;
    const double ticks = fitted / way > 0.5 && fitted / way < 1.5 ? fitted : way;
    mrwi_import_polyline_add(to, time + ticks, &beside);
}

static void bend_ends(const curve *c, bool before, bool after, const mrwi_import_polyline *from,
                      mrwi_import_polyline *to)
{
    const size_t n = from->count;
    const fbx_key *first = &c->keys[0], *last = &c->keys[c->count - 1];
    const bool curved[2] = {(first->flags & (CONSTANT | CUBIC)) == CUBIC,
                            (last[-1].flags & (CONSTANT | CUBIC)) == CUBIC};
    for (size_t i = 0; i < n; i++) {
        const bool is_last = i + 1 == n;
        const double span = is_last ? from->x[i] - from->x[i - 1] : from->x[i + 1] - from->x[i];
        const double way = span > 2.0 * SLOPE_SPAN ? SLOPE_SPAN : 0.5 * span;
        if (is_last && after && curved[1]) {
            add_beside(to, from->x[i], from->y[i], last->slope_left, -way);
        }
        mrwi_import_polyline_add(to, from->x[i], &from->y[i]);
        if (i == 0 && before && curved[0]) {
            add_beside(to, from->x[i], from->y[i], first->slope_right, way);
        }
    }
}

/* ---- clips that begin or end between keys ---------------------------------------------------- */

static bool is_cut(const mrwi_import_fbx *fbx, double from, double to, double *at)
{
    bool found = false;
    for (size_t i = 0; i < fbx->cut_count; i++) {
        double cut = (double)fbx->cuts[i];
        if (cut > from && cut < to && (!found || cut < *at)) {
            *at = cut;
            found = true;
        }
    }
    return found;
}

/* Returns true if some clip begins or ends between two points of the line. */
static bool is_cut_anywhere(const mrwi_import_fbx *fbx, const mrwi_import_polyline *line)
{
    for (size_t i = 0; i < fbx->cut_count; i++) {
        const double cut = (double)fbx->cuts[i];
        size_t low = 0, high = line->count; /* finds the first point at or after the cut */
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (line->x[middle] < cut) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && low < line->count && line->x[low] > cut) {
            return true;
        }
    }
    return false;
}

/* Adds points at the begin and end of clips: assimp drops what is outside. */
static void cut(const mrwi_import_fbx *fbx, const mrwi_import_polyline *from,
                mrwi_import_polyline *to)
{
    mrwi_import_polyline_add(to, from->x[0], from->y);
    for (size_t i = 1; i < from->count; i++) {
        double x0 = from->x[i - 1], x1 = from->x[i], y0 = from->y[i - 1], y1 = from->y[i];
        for (double at = x0; is_cut(fbx, at, x1, &at);) {
            double y = y0 + (y1 - y0) * ((at - x0) / (x1 - x0));
            mrwi_import_polyline_add(to, at, &y);
        }
        mrwi_import_polyline_add(to, x1, &y1);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void mend_keys(mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body, curve *c, bool follow)
{
    mrwi_import_polyline line = {.width = 1, .whole = true, .limit = MAX_KEYS};
    mrwi_import_polyline bent = line, pieces = line, *drawn = &line;
    bool before, after;
    mrwi_import_fbx_keeps_slope(fbx, body, &before, &after);
    if (follow) {
        draw(c, &line);
    } else if (before || after) {
        draw_straight(c, &line);
    }
    if ((before || after) && !line.failed && line.count > 1) {
        bend_ends(c, before, after, &line, &bent);
        drawn = &bent;
    }
    if (!drawn->failed && drawn->count > c->count) {
        if (is_cut_anywhere(fbx, drawn)) {
            cut(fbx, drawn, &pieces);
            drawn = &pieces;
        }
        if (!drawn->failed &&
            mrwi_import_fbx_replace_array(fbx, &c->times, "KeyTime", true, drawn->x,
                                          drawn->count) &&
            !mrwi_import_fbx_replace_array(fbx, &c->values, "KeyValueFloat", false, drawn->y,
                                           drawn->count)) {
            mrwi_import_edits_drop_last(&fbx->edits);
        }
    }
    mrwi_import_polyline_free(&line);
    mrwi_import_polyline_free(&bent);
    mrwi_import_polyline_free(&pieces);
}

static void mend_curve(mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body, bool follow)
{
    curve c = {0};
    if (read_curve(fbx, body, &c) && make_keys(&c)) {
        mend_keys(fbx, body, &c, follow);
    }
    free_curve(&c);
}

static void mend_object(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node, void *context)
{
    const bool *follow = context;
    if (mrwi_import_fbx_is_named(fbx, node, "AnimationCurve")) {
        mend_curve(fbx, &(mrwi_import_fbx_body){.node = *node}, *follow);
    }
}

static void find_text_curves(mrwi_import_fbx *fbx, bool follow)
{
    static const char key[] = "AnimationCurve: ";
    const uint8_t *at = fbx->bytes;
    while ((at = mrwi_import_fbx_find(fbx, (size_t)(at - fbx->bytes), fbx->size, key))) {
        const uint8_t *brace = memchr(at, '{', fbx->size - (size_t)(at - fbx->bytes));
        size_t from = brace ? (size_t)(brace - fbx->bytes) + 1 : 0;
        size_t to = brace ? mrwi_import_fbx_closing_brace(fbx, from) : 0;
        if (to == 0) {
            return;
        }
        mend_curve(fbx, &(mrwi_import_fbx_body){.from = from, .to = to}, follow);
        at = fbx->bytes + to;
    }
}

void mrwi_import_fbx_find_curves(mrwi_import_fbx *fbx, bool follow)
{
    if (fbx->binary) {
        mrwi_import_fbx_each_child(fbx, "Objects", mend_object, &follow);
    } else {
        find_text_curves(fbx, follow);
    }
}
