/* fbx_sliders.c: reads blend shape channels of FBX files, and marks them to recognise their
 * targets.
 *
 * A channel is a slider, "DeformPercent", that leads the mesh through one or several targets
 * ("in-betweens"). Each of them has its full effect at its own percentage ("FullWeights"). assimp
 * makes a morph target of each and drops the percentages; its keys name a channel by its number in
 * its deformer, whatever the number of targets. So the channels are listed here, and the name of
 * each, which its targets inherit, gets its number in that list.
 *
 * Several deformers of one mesh would number their channels alike, so in the bytes assimp reads the
 * first of them has the channels of all.
 *
 * Blender writes a channel of one target with many FullWeights: one weight per vertex of the
 * target. The target is multiplied by them. */
#include "import/fbx_bytes.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OBJECTS (1u << 20)
#define NO_PLACE    1e-5f /* closer knots are one */
#define MAX_PERCENT 1e8

typedef enum object_kind { CHANNEL, DEFORMER, SHAPE, MESH } object_kind;

static const char *const classes[] = {
    [CHANNEL] = "BlendShapeChannel", [DEFORMER] = "BlendShape", [SHAPE] = "Shape", [MESH] = "Mesh"};

typedef struct object {
    object_kind kind;
    mrwi_import_fbx_object head;
    uint32_t count;   /* number of a channel's targets, or of a deformer's channels */
    uint32_t place;   /* number of a channel in its deformer; MRW_NONE if it has none */
    uint32_t partner; /* a channel's first shape, a deformer's mesh, or a mesh's first deformer */
    bool is_shared;   /* true for a deformer of several meshes */
} object;

typedef struct finder {
    mrwi_import_fbx *fbx;
    object *list; /* sorted by id after reading */
    size_t count, room;
    bool failed; /* true when out of memory */
} finder;

/* ---- objects --------------------------------------------------------------------------------- */

static void add_object(finder *f, object_kind kind, const mrwi_import_fbx_object *head)
{
    if (f->failed || f->count == MAX_OBJECTS) {
        return;
    }
    if (f->count == f->room) {
        size_t room = f->room > 0 ? 2 * f->room : 64;
        object *list = mrwi_base_realloc(f->list, f->count * sizeof *list, room, sizeof *list);
        f->failed = !list;
        if (!list) {
            return;
        }
        f->list = list;
        f->room = room;
    }
    f->list[f->count++] =
        (object){.kind = kind, .head = *head, .place = MRW_NONE, .partner = MRW_NONE};
}

static void add_if(finder *f, object_kind kind, const mrwi_import_fbx_object *head)
{
    const char *class = classes[kind];
    if (head->class_size == strlen(class) && memcmp(head->class, class, head->class_size) == 0) {
        add_object(f, kind, head);
    }
}

static void visit_deformer(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *head, void *context)
{
    (void)fbx;
    add_if(context, CHANNEL, head);
    add_if(context, DEFORMER, head);
}

static void visit_geometry(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *head, void *context)
{
    (void)fbx;
    add_if(context, SHAPE, head);
    add_if(context, MESH, head);
}

static int compare_objects(const void *a, const void *b)
{
    const mrwi_import_fbx_object *x = &((const object *)a)->head, *y = &((const object *)b)->head;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->name < y->name ? -1 : x->name > y->name;
}

/* Finds the objects. Returns false if there are no channels. */
static bool find_objects(finder *f)
{
    bool any = false;
    mrwi_import_fbx_each_object(f->fbx, "Deformer", visit_deformer, f);
    for (size_t i = 0; i < f->count; i++) {
        any = any || f->list[i].kind == CHANNEL;
    }
    if (any) {
        mrwi_import_fbx_each_object(f->fbx, "Geometry", visit_geometry, f);
    }
    if (any && !f->failed) {
        qsort(f->list, f->count, sizeof *f->list, compare_objects);
    }
    return any && !f->failed;
}

/* Returns an object, or NULL. If several have one id, the last one counts, as in assimp. */
static object *object_of(const finder *f, uint64_t id, object_kind kind)
{
    size_t low = 0, high = f->count; /* the first one after those of the id */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->list[middle].head.id <= id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    object *o = low > 0 ? &f->list[low - 1] : NULL;
    return o && o->head.id == id && o->kind == kind ? o : NULL;
}

/* ---- connections ----------------------------------------------------------------------------- */

typedef struct slider_walk {
    finder *f;
    void (*each)(finder *f, const mrwi_import_fbx_link *l);
} slider_walk;

static void visit_link(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l, void *context)
{
    const slider_walk *walk = context;
    (void)fbx;
    if (!l->property) {
        walk->each(walk->f, l);
    }
}

static void visit_links(finder *f, void (*each)(finder *f, const mrwi_import_fbx_link *l))
{
    slider_walk walk = {f, each};
    mrwi_import_fbx_each_link(f->fbx, visit_link, &walk);
}

static void join_deformer(finder *f, const mrwi_import_fbx_link *l)
{
    object *deformer = object_of(f, l->from, DEFORMER), *mesh = object_of(f, l->to, MESH);
    if (deformer && mesh) {
        deformer->is_shared = deformer->is_shared || deformer->partner != MRW_NONE;
        deformer->partner = (uint32_t)(mesh - f->list);
        if (mesh->partner == MRW_NONE) {
            mesh->partner = (uint32_t)(deformer - f->list);
        }
    }
}

/* Writes another object's id into a connection. Returns false if there is no room. */
static bool relink(finder *f, const mrwi_import_fbx_link *l, uint64_t id)
{
    char text[32];
    size_t size =
        f->fbx->binary ? 8 : (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    mrwi_import_edit *edit = mrwi_import_edits_add(&f->fbx->edits, l->to_at, l->to_size, size);
    if (edit && f->fbx->binary) {
        mrwi_import_fbx_put_little(edit->data, id, 8);
    } else if (edit) {
        memcpy(edit->data, text, size);
    }
    return edit;
}

static void join_channel(finder *f, const mrwi_import_fbx_link *l)
{
    object *channel = object_of(f, l->from, CHANNEL), *deformer = object_of(f, l->to, DEFORMER);
    object *shape = object_of(f, l->from, SHAPE), *owner = object_of(f, l->to, CHANNEL);
    if (shape && owner) {
        owner->partner = owner->count++ == 0 ? (uint32_t)(shape - f->list) : owner->partner;
    }
    if (!channel || !deformer) {
        return;
    }
    if (deformer->partner != MRW_NONE && !deformer->is_shared) {
        object *first = &f->list[f->list[deformer->partner].partner];
        if (first != deformer && !first->is_shared && relink(f, l, first->head.id)) {
            deformer = first;
        }
    }
    channel->place = channel->place == MRW_NONE ? deformer->count : channel->place;
    deformer->count++;
}

/* ---- what a channel says --------------------------------------------------------------------- */

/* Reads a channel's percentage. The property counts; Blender writes a node of the same name
 * only. */
static double percent_of(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body)
{
    static const char name[] = "DeformPercent";
    double percent = 0.0;
    mrwi_import_fbx_node child;
    if (mrwi_import_fbx_read_property(fbx, body, name, &percent)) {
        return fabs(percent) < MAX_PERCENT ? percent : 0.0; /* 0 also for NaN */
    }
    percent = 0.0;
    if (!fbx->binary) {
        size_t at = mrwi_import_fbx_find_line(fbx, body->from, body->to, name);
        at = mrwi_import_fbx_skip_blanks(fbx, at, body->to);
        mrwi_base_parse_double((const char *)fbx->bytes + at, body->to - at, &percent);
    } else if (!mrwi_import_fbx_find_child(fbx, &body->node, name, &child) ||
               !mrwi_import_fbx_read_number(fbx, child.properties, child.children, &percent)) {
        percent = 0.0;
    }
    return fabs(percent) < MAX_PERCENT ? percent : 0.0;
}

/* ---- knots ----------------------------------------------------------------------------------- */

typedef struct knot {
    float at;
    uint32_t target; /* MRW_NONE for the mesh without the channel */
} knot;

static int compare_knots(const void *a, const void *b)
{
    const knot *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return x->target < y->target ? -1 : x->target > y->target;
}

/* Returns a target's place in single precision, as assimp computes a key's weight: so a key can be
 * exactly on a knot. A target without a percentage has its full effect at 100. */
static float place_of(const mrwi_import_fbx_array *full, uint32_t target)
{
    double percent = target < full->count ? full->numbers[target] : 100.0;
    return fabs(percent) < MAX_PERCENT ? (float)percent / 100.0f : 0.0f;
}

/* Sets the knots, sorted. A target at the place of the mesh itself or of an earlier target has no
 * knot. */
static bool set_knots(mrwi_import_fbx_slider *slider, const mrwi_import_fbx_array *full)
{
    uint32_t count = slider->target_count + 1;
    knot *all = mrwi_base_alloc(count, sizeof *all);
    slider->knots = mrwi_base_alloc(count, sizeof *slider->knots);
    slider->knot_of = mrwi_base_alloc(count, sizeof *slider->knot_of);
    bool good = all && slider->knots && slider->knot_of;
    uint32_t used = 1;
    for (uint32_t t = 0; good && t < slider->target_count; t++) {
        float at = place_of(full, t);
        slider->knot_of[t] = MRW_NONE;
        if (fabsf(at) >= NO_PLACE) {
            all[used++] = (knot){at, t};
        }
    }
    if (good) {
        all[0] = (knot){0.0f, MRW_NONE};
        qsort(all, used, sizeof *all, compare_knots);
    }
    for (uint32_t i = 0; good && i < used; i++) {
        uint32_t k = slider->knot_count;
        if (k > 0 && all[i].at - slider->knots[k - 1] < NO_PLACE) {
            continue;
        }
        slider->knots[k] = all[i].at;
        slider->knot_count++;
        if (all[i].target != MRW_NONE) {
            slider->knot_of[all[i].target] = k;
        }
    }
    mrwi_base_free(all);
    return good;
}

/* ---- weights of vertices --------------------------------------------------------------------- */

static bool all_are(const mrwi_import_fbx_array *array, double value)
{
    for (size_t i = 0; i < array->count; i++) {
        if (array->numbers[i] != value) {
            return false;
        }
    }
    return true;
}

/* Multiplies the target's differences by the weights of its vertices. */
static void weigh_target(finder *f, object *shape, const mrwi_import_fbx_array *full)
{
    static const char name[] = "Vertices";
    mrwi_import_fbx_array vertices;
    if (all_are(full, 100.0) || !mrwi_import_fbx_close_body(f->fbx, &shape->head.body) ||
        !mrwi_import_fbx_read_array(f->fbx, &shape->head.body, name, MRWI_IMPORT_FBX_NUMBERS,
                                    &vertices)) {
        return;
    }
    if (vertices.count == 3 * full->count) {
        for (size_t i = 0; i < vertices.count; i++) {
            vertices.numbers[i] *= full->numbers[i / 3] / 100.0;
        }
        mrwi_import_fbx_replace_array(f->fbx, &vertices, name, false, vertices.numbers,
                                      vertices.count);
    }
    mrwi_base_free(vertices.numbers);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool add_slider(finder *f, object *channel, mrwi_import_fbx_slider *slider)
{
    mrwi_import_fbx_array full = {.count = 0};
    mrwi_import_fbx_body *body = &channel->head.body;
    bool is_closed = mrwi_import_fbx_close_body(f->fbx, body);
    if (!is_closed ||
        !mrwi_import_fbx_read_array(f->fbx, body, "FullWeights", MRWI_IMPORT_FBX_NUMBERS, &full)) {
        full.count = 0;
    }
    if (channel->count == 1 && full.count > 1) {
        weigh_target(f, &f->list[channel->partner], &full);
        full.count = 0;
    }
    slider->place = channel->place;
    slider->rest = is_closed ? (float)percent_of(f->fbx, body) / 100.0f : 0.0f;
    slider->target_count = channel->count;
    bool good = set_knots(slider, &full);
    mrwi_base_free(full.numbers);
    return good;
}

static bool add_sliders(finder *f, mrwi_import_fbx_sliders *out)
{
    out->list = mrwi_base_alloc_zero(f->count, sizeof *out->list);
    for (size_t i = 0; out->list && i < f->count; i++) {
        if (f->list[i].kind == CHANNEL) {
            mrwi_import_fbx_mark(f->fbx, &f->list[i].head, out->count);
            if (!add_slider(f, &f->list[i], &out->list[out->count++])) {
                return false;
            }
        }
    }
    return out->list;
}

bool mrwi_import_fbx_find_sliders(mrwi_import_fbx *fbx, mrwi_import_fbx_sliders *out)
{
    finder f = {.fbx = fbx};
    bool good = true;
    if (find_objects(&f)) {
        visit_links(&f, join_deformer);
        visit_links(&f, join_channel);
        good = add_sliders(&f, out);
    }
    mrwi_base_free(f.list);
    return good && !f.failed;
}

void mrwi_import_fbx_sliders_free(mrwi_import_fbx_sliders *sliders)
{
    for (size_t i = 0; i < sliders->count; i++) {
        mrwi_base_free(sliders->list[i].knots);
        mrwi_base_free(sliders->list[i].knot_of);
    }
    mrwi_base_free(sliders->list);
    *sliders = (mrwi_import_fbx_sliders){NULL, 0};
}
