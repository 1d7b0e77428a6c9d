/* fbx_visibility.c: finds what an FBX file hides, from its bytes, because assimp drops it.
 *
 * Three properties of a model count: "Visibility" hides it and everything below it, down to models
 * whose "Visibility Inheritance" is 0. "Show", of MotionBuilder, hides the model alone.
 * "Visibility" can be animated: a curve node of a layer of a stack is connected to it. Values other
 * than 0 show the model, and hold until the next key. */
#include "import/fbx_bytes.h"
#include "import/visibility.h"

#include "marrow/scene.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CURVES 4096
#define MOST_KEYS   (1u << 22) /* limit for all curves together: several models may have one */

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct named_object {
    uint64_t id;
    const char *name; /* assimp's name of the node */
    mrwi_import_node_kind kind;
    mrwi_import_fbx_body body;
} named_object;

typedef struct object_list {
    mrwi_base_arena *arena;
    named_object *items; /* sorted by id after reading */
    size_t count, room;
    bool failed; /* true when out of memory */
} object_list;

/* Returns an object's name; in text without the class of "Model::Hips". */
static const char *name_of(mrwi_base_arena *arena, const mrwi_import_fbx *fbx,
                           const mrwi_import_fbx_object *object)
{
    static const char *const classes[] = {"Model::", "AnimStack::"};
    const char *from = (const char *)fbx->bytes + object->name;
    size_t length = object->name_end - object->name;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const size_t size = strlen(classes[i]);
        if (length >= size && memcmp(from, classes[i], size) == 0) {
            from += size;
            length -= size;
        }
    }
    char *copy = mrwi_base_arena_alloc(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, from, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Returns the kind by the class of a model: MotionBuilder's control rigs have IKEffector and
 * FKEffector. */
static mrwi_import_node_kind kind_of(const mrwi_import_fbx_object *object)
{
    static const struct {
        const char *class;
        mrwi_import_node_kind kind;
    } known[] = {{"", MRWI_IMPORT_PLAIN},     {"Null", MRWI_IMPORT_PLAIN},
                 {"Mesh", MRWI_IMPORT_PLAIN}, {"LimbNode", MRWI_IMPORT_JOINT},
                 {"Limb", MRWI_IMPORT_JOINT}, {"Root", MRWI_IMPORT_JOINT}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (object->class_size == strlen(known[i].class) &&
            memcmp(object->class, known[i].class, object->class_size) == 0) {
            return known[i].kind;
        }
    }
    return MRWI_IMPORT_OTHER;
}

static void add_object(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, void *context)
{
    object_list *list = context;
    mrwi_import_fbx_body body = object->body;
    if (list->failed || !mrwi_import_fbx_close_body(fbx, &body)) {
        return;
    }
    if (list->count == list->room) {
        const size_t room = list->room > 0 ? 2 * list->room : 64;
        named_object *grown =
            mrwi_base_realloc(list->items, list->count * sizeof *grown, room, sizeof *grown);
        list->failed = !grown;
        if (!grown) {
            return;
        }
        list->items = grown;
        list->room = room;
    }
    const char *name = name_of(list->arena, fbx, object);
    list->failed = !name;
    list->items[list->count++] = (named_object){object->id, name, kind_of(object), body};
}

static int compare_ids(const void *a, const void *b)
{
    const named_object *x = a, *y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return 0;
}

static void list_objects(mrwi_import_fbx *fbx, const char *type, object_list *out)
{
    mrwi_import_fbx_each_object(fbx, type, add_object, out);
    if (out->count > 1) {
        qsort(out->items, out->count, sizeof *out->items, compare_ids);
    }
}

static const named_object *find_object(const object_list *list, uint64_t id)
{
    const named_object key = {.id = id};
    return list->count > 0
               ? bsearch(&key, list->items, list->count, sizeof *list->items, compare_ids)
               : NULL;
}

static uint32_t flags_of(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body)
{
    static const struct {
        const char *name;
        uint32_t flag;
    } properties[] = {{"Visibility", MRW_NODE_HIDDEN},
                      {"Visibility Inheritance", MRW_NODE_OWN_VISIBILITY},
                      {"Show", MRW_NODE_NOT_SHOWN}};
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        double value = 1.0;
        if (mrwi_import_fbx_read_property(fbx, body, properties[i].name, &value) && value == 0.0) {
            flags |= properties[i].flag;
        }
    }
    return flags;
}

static bool set_models(const mrwi_import_fbx *fbx, const object_list *models,
                       mrwi_import_visibility *out)
{
    out->nodes = mrwi_base_arena_alloc(&out->arena, models->count, sizeof *out->nodes);
    for (size_t i = 0; out->nodes && i < models->count; i++) {
        const named_object *model = &models->items[i];
        const uint32_t flags = flags_of(fbx, &model->body);
        if (flags != 0 || model->kind != MRWI_IMPORT_PLAIN) {
            out->nodes[out->node_count++] =
                (mrwi_import_visible_node){model->name, flags, model->kind};
            out->joint_count += model->kind == MRWI_IMPORT_JOINT;
        }
    }
    mrwi_import_visibility_sort(out);
    return out->nodes;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* The ids from a curve to a clip; 0: not found yet. */
typedef struct curve_way {
    uint64_t node, model, curve, layer, stack;
} curve_way;

typedef struct way_list {
    curve_way ways[MOST_CURVES]; /* sorted by node after reading */
    size_t count;
} way_list;

static bool is_property(const mrwi_import_fbx_link *l, const char *name)
{
    return l->property && l->property_size == strlen(name) &&
           memcmp(l->property, name, l->property_size) == 0;
}

static void find_node(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l, void *context)
{
    way_list *list = context;
    (void)fbx;
    if (is_property(l, "Visibility") && list->count < MOST_CURVES) {
        list->ways[list->count++] = (curve_way){.node = l->from, .model = l->to};
    }
}

static int compare_nodes(const void *a, const void *b)
{
    const curve_way *x = a, *y = b;
    return x->node != y->node ? (x->node < y->node ? -1 : 1) : 0;
}

static curve_way *find_way(way_list *list, uint64_t node)
{
    const curve_way key = {.node = node};
    return bsearch(&key, list->ways, list->count, sizeof *list->ways, compare_nodes);
}

static void find_curve_and_layer(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l, void *context)
{
    curve_way *way;
    (void)fbx;
    if (is_property(l, "d|Visibility") && (way = find_way(context, l->to))) {
        way->curve = l->from;
    } else if (!l->property && (way = find_way(context, l->from))) {
        way->layer = l->to;
    }
}

typedef struct layer_stack {
    uint64_t layer, stack;
} layer_stack;

/* The layers of stacks. */
typedef struct layer_walk {
    const object_list *stacks;
    layer_stack found[MOST_CURVES]; /* sorted by layer after reading */
    size_t count;
} layer_walk;

static void find_stack(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l, void *context)
{
    layer_walk *walk = context;
    (void)fbx;
    if (!l->property && walk->count < MOST_CURVES && find_object(walk->stacks, l->to)) {
        walk->found[walk->count++] = (layer_stack){l->from, l->to};
    }
}

static int compare_layers(const void *a, const void *b)
{
    const layer_stack *x = a, *y = b;
    return x->layer != y->layer ? (x->layer < y->layer ? -1 : 1) : 0;
}

/* The times at which assimp begins and ends a clip: LocalStart and LocalStop, or, without both,
 * from the earliest key. */
typedef struct clip_span {
    double start, stop;
} clip_span;

static double earliest_key(const mrwi_import_fbx *fbx, const object_list *curves)
{
    double least = 0.0;
    bool any = false;
    for (size_t i = 0; i < curves->count; i++) {
        mrwi_import_fbx_array times;
        if (!mrwi_import_fbx_read_array(fbx, &curves->items[i].body, "KeyTime",
                                        MRWI_IMPORT_FBX_NUMBERS, &times)) {
            continue;
        }
        if (times.count > 0 && (!any || times.numbers[0] < least)) {
            least = times.numbers[0];
            any = true;
        }
        mrwi_base_free(times.numbers);
    }
    return least;
}

static clip_span span_of(const mrwi_import_fbx *fbx, const named_object *stack, double earliest)
{
    clip_span span = {0.0, 0.0};
    mrwi_import_fbx_read_property(fbx, &stack->body, "LocalStart", &span.start);
    mrwi_import_fbx_read_property(fbx, &stack->body, "LocalStop", &span.stop);
    if (span.start == 0.0 && span.stop == 0.0) {
        span = (clip_span){earliest, 1e30};
    }
    return span;
}

/* Sets the keys of a curve. Keys before the clip count at its beginning: of equal times the builder
 * takes the last. */
static bool set_keys(mrwi_import_visibility *all, const clip_span *span,
                     const mrwi_import_fbx_array *times, const mrwi_import_fbx_array *values,
                     mrwi_import_visibility_curve *out)
{
    out->times = mrwi_base_arena_alloc(&all->arena, times->count, sizeof *out->times);
    out->values = mrwi_base_arena_alloc(&all->arena, times->count, sizeof *out->values);
    for (size_t i = 0; out->times && out->values && i < times->count; i++) {
        const double ticks = times->numbers[i] - span->start;
        if (times->numbers[i] > span->stop) {
            break;
        }
        out->times[out->count] = ticks > 0.0 ? ticks / (double)MRWI_IMPORT_FBX_SECOND : 0.0;
        out->values[out->count++] = values->numbers[i] != 0.0 ? 1.0f : 0.0f;
    }
    return out->times && out->values;
}

/* Adds a curve. Returns false when out of memory. */
static bool add_curve(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                      const clip_span *span, const char *clip, const char *model, uint32_t *left,
                      mrwi_import_visibility *out)
{
    mrwi_import_fbx_array times, values;
    bool good = true;
    if (!mrwi_import_fbx_read_array(fbx, body, "KeyTime", MRWI_IMPORT_FBX_NUMBERS, &times)) {
        return true;
    }
    const bool fits = times.count <= *left;
    *left = fits ? *left - (uint32_t)times.count : 0;
    if (fits &&
        mrwi_import_fbx_read_array(fbx, body, "KeyValueFloat", MRWI_IMPORT_FBX_NUMBERS, &values)) {
        mrwi_import_visibility_curve curve = {.clip = clip, .node = model};
        if (times.count == values.count) {
            good = set_keys(out, span, &times, &values, &curve);
            out->curves[out->curve_count] = curve;
            out->curve_count += good && curve.count > 0;
        }
        mrwi_base_free(values.numbers);
    }
    mrwi_base_free(times.numbers);
    return good;
}

static bool set_curves(mrwi_import_fbx *fbx, way_list *list, const object_list *models,
                       mrwi_import_visibility *out)
{
    object_list stacks = {.arena = &out->arena}, curves = {.arena = &out->arena};
    layer_walk *layers = mrwi_base_alloc_zero(1, sizeof *layers);
    list_objects(fbx, "AnimationStack", &stacks);
    list_objects(fbx, "AnimationCurve", &curves);
    out->curves = mrwi_base_arena_alloc(&out->arena, list->count, sizeof *out->curves);
    bool good = layers && out->curves && !stacks.failed && !curves.failed;
    if (good) {
        layers->stacks = &stacks;
        mrwi_import_fbx_each_link(fbx, find_stack, layers);
        qsort(layers->found, layers->count, sizeof *layers->found, compare_layers);
    }
    const double earliest = good ? earliest_key(fbx, &curves) : 0.0;
    uint32_t left = MOST_KEYS;
    for (size_t i = 0; good && left > 0 && i < list->count; i++) {
        const layer_stack key = {.layer = list->ways[i].layer};
        const layer_stack *layer =
            bsearch(&key, layers->found, layers->count, sizeof *layers->found, compare_layers);
        const named_object *stack = layer ? find_object(&stacks, layer->stack) : NULL;
        const named_object *curve = find_object(&curves, list->ways[i].curve);
        const named_object *model = find_object(models, list->ways[i].model);
        if (!stack || !curve || !model) {
            continue;
        }
        const clip_span span = span_of(fbx, stack, earliest);
        good = add_curve(fbx, &curve->body, &span, stack->name, model->name, &left, out);
    }
    mrwi_base_free(stacks.items);
    mrwi_base_free(curves.items);
    mrwi_base_free(layers);
    return good;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool mrwi_import_fbx_read_visibility(const uint8_t *bytes, size_t size, mrwi_import_visibility *out)
{
    mrwi_import_fbx fbx = mrwi_import_fbx_open(bytes, size);
    *out = (mrwi_import_visibility){.nodes = NULL};
    object_list models = {.arena = &out->arena};
    way_list *ways = mrwi_base_alloc_zero(1, sizeof *ways);
    list_objects(&fbx, "Model", &models);
    bool good = ways && !models.failed && set_models(&fbx, &models, out);
    if (good) {
        mrwi_import_fbx_each_link(&fbx, find_node, ways);
        qsort(ways->ways, ways->count, sizeof *ways->ways, compare_nodes);
        mrwi_import_fbx_each_link(&fbx, find_curve_and_layer, ways);
        good = ways->count == 0 || set_curves(&fbx, ways, &models, out);
    }
    mrwi_base_free(models.items);
    mrwi_base_free(ways);
    return good;
}
