/* fbx_beyond.c: reads how FBX curves continue before their first key and after their last.
 *
 * A curve has "Pre-Extrapolation" and "Post-Extrapolation" with a Type, a letter: C, or nothing,
 * holds; R repeats, M mirrors, A repeats from where the cycle before ended, K keeps the slope; and
 * Repetition, the number of cycles, below 0 for ever. ufbx reads them in this way. Three curves,
 * one per axis, belong to a curve node, which belongs to a layer of a stack and to the property of
 * a model. assimp makes one channel of the three. It can continue only if all curves that move
 * continue alike, from the same keys.
 *
 * A file without any such curve costs only a search for the word. */
#include "import/beyond.h"
#include "import/fbx_bytes.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ANIM_OBJECTS (1u << 21)
#define NO_OWNER         SIZE_MAX

typedef enum anim_kind {
    ANIM_CURVE,
    ANIM_CURVE_NODE,
    ANIM_LAYER,
    ANIM_STACK,
    ANIM_MODEL
} anim_kind;

typedef struct anim_object {
    anim_kind kind;
    uint64_t id;
    mrwi_import_beyond_name name; /* name of a stack or model */
    /* number of the model among those of its name; assimp's name has a mark from 1 on */
    size_t nth;
    size_t owner;                /* layer of a curve node, or stack of a layer */
    mrwi_import_curve_ends ends; /* ends of a curve, or of the curves of a node */
} anim_object;

typedef struct anim_finder {
    mrwi_import_fbx *fbx;
    anim_object *list; /* sorted by id after reading */
    size_t count, room;
    anim_kind kind; /* kind of objects that are being listed */
    bool any;       /* true if some curve does not hold */
    mrwi_import_beyond *out;
    bool failed; /* true when out of memory */
} anim_finder;

/* ---- curves ---------------------------------------------------------------------------------- */

/* Reads the first property of a node as a whole number, or the first character of a string. */
static bool anim_binary_value(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                              int64_t *out)
{
    const size_t at = node->properties, size = node->children - at;
    const uint8_t *p = fbx->bytes + at + 1;
    size_t length;
    if (size < 2) {
        return false;
    }
    switch (fbx->bytes[at]) {
    case 'C':
    case 'B':
        *out = p[0];
        return true;
    case 'Y':
        *out = size >= 3 ? (int16_t)mrwi_import_fbx_little(p, 2) : 0;
        return size >= 3;
    case 'I':
        *out = size >= 5 ? (int32_t)mrwi_import_fbx_little(p, 4) : 0;
        return size >= 5;
    case 'L':
        *out = size >= 9 ? (int64_t)mrwi_import_fbx_little(p, 8) : 0;
        return size >= 9;
    default:
        p = mrwi_import_fbx_string_at(fbx, at, node->children, &length);
        *out = p && length > 0 ? p[0] : 0;
        return p && length > 0;
    }
}

/* Reads the value after a name in `Pre-Extrapolation: { Type: R Repetition: -1 }`; of a letter its
 * code. */
static bool anim_text_value(const mrwi_import_fbx *fbx, size_t from, size_t to, const char *name,
                            int64_t *out)
{
    size_t at = mrwi_import_fbx_find_line(fbx, from, to, name);
    uint64_t number;
    at = mrwi_import_fbx_skip_blanks(fbx, at, to);
    at += at < to && fbx->bytes[at] == '"';
    const bool negative = at < to && fbx->bytes[at] == '-';
    if (at >= to) {
        return false;
    }
    if (mrwi_import_fbx_read_id(fbx, at + negative, to, &number)) {
        *out = negative ? -1 : number < 65536 ? (int64_t)number : -1;
    } else {
        *out = fbx->bytes[at];
    }
    return true;
}

static bool read_side(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                      const char *name, int64_t *type, int64_t *cycles)
{
    if (fbx->binary) {
        mrwi_import_fbx_node side, child;
        if (!mrwi_import_fbx_find_child(fbx, &body->node, name, &side) ||
            !mrwi_import_fbx_find_child(fbx, &side, "Type", &child) ||
            !anim_binary_value(fbx, &child, type)) {
            return false;
        }
        if (!mrwi_import_fbx_find_child(fbx, &side, "Repetition", &child) ||
            !anim_binary_value(fbx, &child, cycles)) {
            *cycles = -1;
        }
        return true;
    }
    const size_t at = mrwi_import_fbx_find_line(fbx, body->from, body->to, name);
    const uint8_t *brace = at < body->to ? memchr(fbx->bytes + at, '{', body->to - at) : NULL;
    const size_t from = brace ? (size_t)(brace - fbx->bytes) + 1 : 0;
    const uint8_t *end = brace ? memchr(brace, '}', body->to - from) : NULL;
    const size_t to = end ? (size_t)(end - fbx->bytes) : from;
    *cycles = -1;
    anim_text_value(fbx, from, to, "Repetition", cycles);
    return anim_text_value(fbx, from, to, "Type", type);
}

static void read_end(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body, const char *name,
                     uint16_t *how, uint16_t *most)
{
    int64_t type, cycles;
    if (!read_side(fbx, body, name, &type, &cycles) || cycles == 0) {
        return;
    }
    *how = type == 'R'   ? MRW_EXTRAPOLATION_REPEAT
           : type == 'M' ? MRW_EXTRAPOLATION_MIRROR
           : type == 'A' ? MRW_EXTRAPOLATION_REPEAT_RELATIVE
           : type == 'K' ? MRW_EXTRAPOLATION_SLOPE
                         : MRW_EXTRAPOLATION_HOLD;
    if (*how >= MRW_EXTRAPOLATION_REPEAT && cycles > 0 && cycles < 65536) {
        *most = (uint16_t)cycles;
    }
}

bool mrwi_import_fbx_may_go_on(const mrwi_import_fbx *fbx)
{
    return mrwi_import_fbx_find(fbx, 0, fbx->size, "-Extrapolation");
}

void mrwi_import_fbx_keeps_slope(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                 bool *before, bool *after)
{
    mrwi_import_ends ends = {0};
    read_end(fbx, body, "Pre-Extrapolation", &ends.before, &ends.before_cycles);
    read_end(fbx, body, "Post-Extrapolation", &ends.after, &ends.after_cycles);
    *before = ends.before == MRW_EXTRAPOLATION_SLOPE;
    *after = ends.after == MRW_EXTRAPOLATION_SLOPE;
}

static bool curve_moves(const mrwi_import_fbx_array *values)
{
    for (size_t i = 1; i < values->count; i++) {
        if (values->numbers[i] != values->numbers[0]) {
            return true;
        }
    }
    return false;
}

/* Makes steps hold: a step has no slope to continue. */
static void hold_steps(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body, size_t keys,
                       mrwi_import_ends *ends)
{
    enum { STEP_FLAG = 0x2 };
    mrwi_import_fbx_array flags = {0}, runs = {0};
    if ((ends->before == MRW_EXTRAPOLATION_SLOPE || ends->after == MRW_EXTRAPOLATION_SLOPE) &&
        mrwi_import_fbx_read_array(fbx, body, "KeyAttrFlags", MRWI_IMPORT_FBX_BITS, &flags) &&
        mrwi_import_fbx_read_array(fbx, body, "KeyAttrRefCount", MRWI_IMPORT_FBX_NUMBERS, &runs) &&
        flags.count == runs.count && flags.count > 0) {
        size_t run = 0; /* run of the key before the last */
        for (double end = runs.numbers[0]; run + 1 < runs.count && end < (double)keys - 1.0;
             end += runs.numbers[run]) {
            run++;
        }
        if ((mrwi_base_to_u32(flags.numbers[0]) & STEP_FLAG) &&
            ends->before == MRW_EXTRAPOLATION_SLOPE) {
            ends->before = MRW_EXTRAPOLATION_HOLD;
        }
        if ((mrwi_base_to_u32(flags.numbers[run]) & STEP_FLAG) &&
            ends->after == MRW_EXTRAPOLATION_SLOPE) {
            ends->after = MRW_EXTRAPOLATION_HOLD;
        }
    }
    mrwi_base_free(flags.numbers);
    mrwi_base_free(runs.numbers);
}

/* Reads how a curve that moves continues. */
static void read_ends(mrwi_import_fbx *fbx, mrwi_import_fbx_body *body, mrwi_import_curve_ends *out)
{
    mrwi_import_fbx_array times = {0}, values = {0};
    mrwi_import_ends ends = {0};
    if (mrwi_import_fbx_close_body(fbx, body) &&
        mrwi_import_fbx_read_array(fbx, body, "KeyValueFloat", MRWI_IMPORT_FBX_NUMBERS, &values) &&
        curve_moves(&values) &&
        mrwi_import_fbx_read_array(fbx, body, "KeyTime", MRWI_IMPORT_FBX_NUMBERS, &times) &&
        times.count > 1) {
        read_end(fbx, body, "Pre-Extrapolation", &ends.before, &ends.before_cycles);
        read_end(fbx, body, "Post-Extrapolation", &ends.after, &ends.after_cycles);
        hold_steps(fbx, body, times.count, &ends);
        mrwi_import_curve_ends_add(out, &ends, times.numbers[0], times.numbers[times.count - 1]);
    }
    mrwi_base_free(times.numbers);
    mrwi_base_free(values.numbers);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Returns an object's name. Text has "Model::Hips", binary the name alone. */
static mrwi_import_beyond_name anim_name_of(const mrwi_import_fbx *fbx,
                                            const mrwi_import_fbx_object *head, const char *class)
{
    const uint8_t *at = fbx->bytes + head->name;
    size_t size = head->name_end - head->name, length = strlen(class);
    if (!fbx->binary && size >= length && memcmp(at, class, length) == 0) {
        at += length;
        size -= length;
    }
    return (mrwi_import_beyond_name){at, size};
}

static void visit_anim_object(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *head,
                              void *context)
{
    anim_finder *f = context;
    anim_object o = {.kind = f->kind, .id = head->id, .owner = NO_OWNER};
    if (f->failed || f->count == MAX_ANIM_OBJECTS) {
        return;
    }
    if (f->count == f->room) {
        const size_t room = f->room > 0 ? 2 * f->room : 64;
        anim_object *list = mrwi_base_realloc(f->list, f->count * sizeof *list, room, sizeof *list);
        f->failed = !list;
        if (!list) {
            return;
        }
        f->list = list;
        f->room = room;
    }
    if (f->kind == ANIM_CURVE) {
        mrwi_import_fbx_body body = head->body;
        read_ends(fbx, &body, &o.ends);
        f->any = f->any || o.ends.ends.before || o.ends.ends.after;
    } else if (f->kind == ANIM_MODEL || f->kind == ANIM_STACK) {
        o.name = anim_name_of(fbx, head, f->kind == ANIM_MODEL ? "Model::" : "AnimStack::");
    }
    f->list[f->count++] = o;
}

static int compare_anim_names(const void *a, const void *b)
{
    const anim_object *x = a, *y = b;
    if (x->name.size != y->name.size) {
        return x->name.size < y->name.size ? -1 : 1;
    }
    const int order = x->name.size > 0 ? memcmp(x->name.at, y->name.at, x->name.size) : 0;
    if (order != 0) {
        return order;
    }
    return x->name.at < y->name.at ? -1 : x->name.at > y->name.at;
}

/* Numbers models of one name in the order of the file, as mrwi_import_fbx_find_names marks them. */
static void number_anim_models(anim_object *models, size_t count)
{
    if (count == 0) {
        return;
    }
    qsort(models, count, sizeof *models, compare_anim_names);
    for (size_t i = 1; i < count; i++) {
        const mrwi_import_beyond_name *a = &models[i - 1].name, *b = &models[i].name;
        const bool same = a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
        models[i].nth = same ? models[i - 1].nth + 1 : 0;
    }
}

static int compare_anim_ids(const void *a, const void *b)
{
    const anim_object *x = a, *y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void list_anim_objects(anim_finder *f)
{
    static const char *const types[] = {[ANIM_CURVE] = "AnimationCurve",
                                        [ANIM_CURVE_NODE] = "AnimationCurveNode",
                                        [ANIM_LAYER] = "AnimationLayer",
                                        [ANIM_STACK] = "AnimationStack",
                                        [ANIM_MODEL] = "Model"};
    for (f->kind = ANIM_CURVE; f->kind <= ANIM_MODEL && (f->kind == ANIM_CURVE || f->any);
         f->kind++) {
        const size_t first = f->count;
        mrwi_import_fbx_each_object(f->fbx, types[f->kind], visit_anim_object, f);
        if (f->kind == ANIM_MODEL && !f->failed) {
            number_anim_models(f->list + first, f->count - first);
        }
    }
    if (f->any && !f->failed) {
        qsort(f->list, f->count, sizeof *f->list, compare_anim_ids);
    }
}

static anim_object *anim_object_of(const anim_finder *f, uint64_t id, anim_kind kind)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->list[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < f->count && f->list[low].id == id; low++) {
        if (f->list[low].kind == kind) {
            return &f->list[low];
        }
    }
    return NULL;
}

/* ---- connections ----------------------------------------------------------------------------- */

typedef struct anim_link {
    uint64_t from, to;
    mrwi_import_beyond_name property; /* only for OP */
} anim_link;

typedef void anim_link_fn(anim_finder *f, const anim_link *l);

typedef struct anim_link_walk {
    anim_finder *f;
    anim_link_fn *each;
} anim_link_walk;

static void visit_binary_anim_link(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                                   void *context)
{
    const anim_link_walk *walk = context;
    const uint8_t *p = fbx->bytes + node->properties;
    const size_t size = node->children - node->properties;
    size_t length;
    if (size < 25 || p[0] != 'S' || mrwi_import_fbx_little(p + 1, 4) != 2 || p[7] != 'L' ||
        p[16] != 'L') {
        return;
    }
    anim_link l = {.from = mrwi_import_fbx_little(p + 8, 8),
                   .to = mrwi_import_fbx_little(p + 17, 8)};
    if (memcmp(p + 5, "OP", 2) == 0) {
        const uint8_t *property =
            mrwi_import_fbx_string_at(fbx, node->properties + 25, node->children, &length);
        l.property = (mrwi_import_beyond_name){property, property ? length : 0};
    }
    walk->each(walk->f, &l);
}

/* Visits `C: "OP",5,4, "Lcl Translation"`. */
static void visit_text_anim_links(anim_finder *f, anim_link_fn *each)
{
    const mrwi_import_fbx *fbx = f->fbx;
    const size_t end = fbx->size;
    size_t at = mrwi_import_fbx_find_line(fbx, 0, end, "Connections");
    while ((at = mrwi_import_fbx_find_line(fbx, at, end, "C")) < end) {
        anim_link l = {.from = 0};
        size_t id = mrwi_import_fbx_skip_blanks(fbx, at, end);
        if (end - id < 4 || fbx->bytes[id] != '"') {
            continue;
        }
        const bool has_property = memcmp(fbx->bytes + id, "\"OP\"", 4) == 0;
        id = mrwi_import_fbx_expect(fbx, id + 4, end, ",");
        id = mrwi_import_fbx_read_id(fbx, id, end, &l.from);
        id = id != 0 ? mrwi_import_fbx_expect(fbx, id, end, ",") : end;
        id = mrwi_import_fbx_read_id(fbx, id, end, &l.to);
        if (id == 0) {
            continue;
        }
        if (has_property) {
            const size_t quote = mrwi_import_fbx_expect(fbx, id, end, ",");
            const uint8_t *first = fbx->bytes + quote + 1;
            const uint8_t *last = quote < end && fbx->bytes[quote] == '"'
                                      ? memchr(first, '"', end - quote - 1)
                                      : NULL;
            l.property =
                (mrwi_import_beyond_name){last ? first : NULL, last ? (size_t)(last - first) : 0};
        }
        each(f, &l);
    }
}

static void visit_anim_links(anim_finder *f, anim_link_fn *each)
{
    anim_link_walk walk = {f, each};
    if (f->fbx->binary) {
        mrwi_import_fbx_each_child(f->fbx, "Connections", visit_binary_anim_link, &walk);
    } else {
        visit_text_anim_links(f, each);
    }
}

static bool is_property_named(const anim_link *l, const char *name)
{
    return l->property.at && l->property.size == strlen(name) &&
           memcmp(l->property.at, name, l->property.size) == 0;
}

/* Joins curves with their nodes, nodes with layers, layers with stacks. */
static void join_anim(anim_finder *f, const anim_link *l)
{
    anim_object *node = anim_object_of(f, l->property.at ? l->to : l->from, ANIM_CURVE_NODE);
    if (l->property.at) {
        const anim_object *curve = node ? anim_object_of(f, l->from, ANIM_CURVE) : NULL;
        if (curve && curve->ends.any) {
            mrwi_import_curve_ends_add(&node->ends, &curve->ends.ends, curve->ends.first,
                                       curve->ends.last);
        }
        return;
    }
    anim_object *layer = anim_object_of(f, node ? l->to : l->from, ANIM_LAYER);
    const anim_object *stack = layer && !node ? anim_object_of(f, l->to, ANIM_STACK) : NULL;
    if (node && layer && node->owner == NO_OWNER) {
        node->owner = (size_t)(layer - f->list);
    } else if (stack && layer->owner == NO_OWNER) {
        layer->owner = (size_t)(stack - f->list);
    }
}

/* Joins curve nodes with the models they move. */
static void add_anim_channel(anim_finder *f, const anim_link *l)
{
    const anim_object *node = anim_object_of(f, l->from, ANIM_CURVE_NODE),
                      *model = anim_object_of(f, l->to, ANIM_MODEL);
    const uint32_t paths = is_property_named(l, "Lcl Translation") ? 1u << MRW_PATH_TRANSLATION
                           : is_property_named(l, "Lcl Rotation")  ? 1u << MRW_PATH_ROTATION
                           : is_property_named(l, "Lcl Scaling")   ? 1u << MRW_PATH_SCALE
                                                                   : 0;
    if (!node || !model || paths == 0 || node->owner == NO_OWNER || f->failed) {
        return;
    }
    const anim_object *layer = &f->list[node->owner];
    if (layer->owner != NO_OWNER) {
        char mark[24] = "";
        if (model->nth > 0) {
            snprintf(mark, sizeof mark, "%c%zu", MRWI_IMPORT_FBX_MARK, model->nth);
        }
        f->failed =
            !mrwi_import_beyond_add(f->out, f->list[layer->owner].name, model->name, mark, paths,
                                    &node->ends, 1.0 / (double)MRWI_IMPORT_FBX_SECOND);
    }
}

bool mrwi_import_fbx_find_beyond(mrwi_import_fbx *fbx, mrwi_import_beyond *out)
{
    anim_finder f = {.fbx = fbx, .out = out};
    if (!mrwi_import_fbx_may_go_on(fbx)) {
        return true;
    }
    list_anim_objects(&f);
    if (f.any && !f.failed) {
        visit_anim_links(&f, join_anim);
        visit_anim_links(&f, add_anim_channel);
        mrwi_import_beyond_sort(out);
    }
    mrwi_base_free(f.list);
    return !f.failed;
}
