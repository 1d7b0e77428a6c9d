/* fbx_instances.c: a geometry that several models show, each with its own materials.
 *
 * In FBX the materials of a mesh are those of its model: connections from materials to the model,
 * in order; the geometry only has numbers of that list. assimp makes one mesh per geometry, with
 * the materials of the model that it meets first. So each further list of materials gets its own
 * copy of the geometry, which the models with that list are connected to instead.
 *
 * A geometry with skins or blend shapes stays as it is: they would have to be copied, too. So do
 * models beyond MAX_LISTS lists, or beyond the room for edits.
 */
#include "import/fbx_bytes.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSTANCES (1u << 20)
#define MAX_LISTS     64 /* lists of materials per geometry */
#define FIRST_COPY    UINT64_C(0x4d52570000000001)

/* ---- lists ----------------------------------------------------------------------------------- */

typedef struct instance_item {
    uint64_t key, other; /* the ends of a connection, or an id */
    uint64_t materials;  /* models and connections of geometries: a hash of the list */
    uint32_t order;
    mrwi_import_fbx_object object; /* geometries only */
    size_t at, size;               /* connections only: the place of the geometry's id */
} instance_item;

typedef struct instance_list {
    instance_item *items;
    size_t count, room;
} instance_list;

typedef struct instance_finder {
    instance_list geometries, models, materials;
    instance_list shown;   /* geometry to model */
    instance_list painted; /* model to material */
    instance_list deformed;
    bool failed; /* true when out of memory */
    uint64_t next_id;
} instance_finder;

static void add_item(instance_finder *f, instance_list *list, const instance_item *new)
{
    if (f->failed || list->count == MAX_INSTANCES) {
        return;
    }
    if (list->count == list->room) {
        const size_t room = list->room > 0 ? 2 * list->room : 64;
        instance_item *items =
            mrwi_base_realloc(list->items, list->count * sizeof *items, room, sizeof *items);
        f->failed = !items;
        if (!items) {
            return;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count] = *new;
    list->items[list->count].order = (uint32_t)list->count;
    list->count++;
}

static int compare_instances(const void *a, const void *b)
{
    const instance_item *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static void sort_items(instance_list *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items, compare_instances);
    }
}

/* Returns the index of the first item whose key is not below this one. */
static size_t find_first(const instance_list *list, uint64_t key)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->items[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const instance_list *list, size_t i, uint64_t key)
{
    return i < list->count && list->items[i].key == key;
}

static bool has_item(const instance_list *list, uint64_t key)
{
    return is_at(list, find_first(list, key), key);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void note_geometry(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, void *context)
{
    instance_finder *f = context;
    (void)fbx;
    if (object->class_size == 4 && memcmp(object->class, "Mesh", 4) == 0) {
        add_item(f, &f->geometries, &(instance_item){.key = object->id, .object = *object});
    }
}

static void note_model(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, void *context)
{
    instance_finder *f = context;
    (void)fbx;
    add_item(f, &f->models, &(instance_item){.key = object->id});
}

static void note_material(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, void *context)
{
    instance_finder *f = context;
    (void)fbx;
    add_item(f, &f->materials, &(instance_item){.key = object->id});
}

static void note_link(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l, void *context)
{
    instance_finder *f = context;
    (void)fbx;
    if (l->property) {
        return;
    }
    if (has_item(&f->geometries, l->to)) {
        add_item(f, &f->deformed, &(instance_item){.key = l->to});
    } else if (has_item(&f->models, l->to) && has_item(&f->geometries, l->from)) {
        add_item(f, &f->shown,
                 &(instance_item){
                     .key = l->from, .other = l->to, .at = l->from_at, .size = l->from_size});
    } else if (has_item(&f->models, l->to) && has_item(&f->materials, l->from)) {
        add_item(f, &f->painted, &(instance_item){.key = l->to, .other = l->from});
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Gives each model a hash of its list of materials, and each connection that of its model. */
static void hash_lists(instance_finder *f)
{
    instance_item *models = f->models.items, *shown = f->shown.items;
    for (size_t i = 0; i < f->models.count; i++) {
        uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a, by whole ids */
        if (i > 0 && models[i - 1].key == models[i].key) {
            models[i].materials = models[i - 1].materials;
            continue;
        }
        for (size_t k = find_first(&f->painted, models[i].key);
             is_at(&f->painted, k, models[i].key); k++) {
            hash = (hash ^ f->painted.items[k].other) * UINT64_C(1099511628211);
            hash ^= hash >> 29;
        }
        models[i].materials = hash;
    }
    for (size_t i = 0; i < f->shown.count; i++) {
        shown[i].materials = models[find_first(&f->models, shown[i].other)].materials;
    }
}

/* Puts the id of a copy into a connection. */
static void redirect(mrwi_import_fbx *fbx, const instance_item *link, uint64_t id)
{
    char text[24];
    const size_t size =
        fbx->binary ? 8 : (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    mrwi_import_edit *edit = mrwi_import_edits_add(&fbx->edits, link->at, link->size, size);
    if (edit && fbx->binary) {
        mrwi_import_fbx_put_little(edit->data, id, 8);
    } else if (edit) {
        memcpy(edit->data, text, size);
    }
}

static bool copy_binary(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node, uint64_t id,
                        uint32_t copies)
{
    const size_t size = node->end - node->at;
    mrwi_import_edit *edit = mrwi_import_edits_add(&fbx->edits, node->end, 0, size * copies);
    if (!edit) {
        return false;
    }
    edit->copied_from = node->at;
    edit->copied_size = size;
    for (uint32_t i = 0; i < copies; i++) {
        uint8_t *copy = edit->data + i * size;
        memcpy(copy, fbx->bytes + node->at, size);
        mrwi_import_fbx_put_little(copy + (node->properties + 1 - node->at), id + i, 8);
    }
    return true;
}

/* Text: `Geometry: ID, "Geometry::name", "Mesh" {...}`, of which only the id differs. */
static bool copy_text(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, uint64_t id,
                      uint32_t copies)
{
    mrwi_import_fbx_body body = object->body;
    if (!mrwi_import_fbx_close_body(fbx, &body)) {
        return false;
    }
    /* includes the quote before the name */
    const size_t from = object->name - 1, size = body.to - from;
    enum { HEAD = 48 };
    char head[HEAD + 1];
    mrwi_import_edit *edit = mrwi_import_edits_add(&fbx->edits, body.to, 0, (size + HEAD) * copies);
    for (uint32_t i = 0; edit && i < copies; i++) {
        uint8_t *copy = edit->data + i * (size + HEAD);
        const int used =
            snprintf(head, sizeof head, "\nGeometry: %llu, ", (unsigned long long)(id + i));
        memset(copy, ' ', HEAD);
        memcpy(copy, head, (size_t)used);
        memcpy(copy + HEAD, fbx->bytes + from, size);
    }
    return edit;
}

/* Makes as many copies of a geometry as there is room for, and returns their number. */
static uint32_t copy_geometry(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object,
                              uint64_t id, uint32_t copies)
{
    while (copies > 0 && !(fbx->binary ? copy_binary(fbx, &object->body.node, id, copies)
                                       : copy_text(fbx, object, id, copies))) {
        copies /= 2;
    }
    return copies;
}

/* Gives the models of one geometry copies of it, one per further list of materials. */
static void separate(instance_finder *f, mrwi_import_fbx *fbx, const instance_item *geometry)
{
    uint64_t lists[MAX_LISTS];
    uint32_t count = 0;
    const size_t first = find_first(&f->shown, geometry->key);
    for (size_t i = first; is_at(&f->shown, i, geometry->key) && count < MAX_LISTS; i++) {
        uint32_t k = 0;
        while (k < count && lists[k] != f->shown.items[i].materials) {
            k++;
        }
        lists[k] = f->shown.items[i].materials;
        count += k == count;
    }
    if (count < 2) {
        return;
    }
    const uint64_t id = f->next_id;
    const uint32_t copies = has_item(&f->deformed, geometry->key)
                                ? 0
                                : copy_geometry(fbx, &geometry->object, id, count - 1);
    f->next_id += copies;
    bool all = true;
    for (size_t i = first; is_at(&f->shown, i, geometry->key); i++) {
        uint32_t k = 0;
        while (k <= copies && lists[k] != f->shown.items[i].materials) {
            k++;
        }
        all = all && k <= copies;
        if (k > 0 && k <= copies) {
            redirect(fbx, &f->shown.items[i], id + k - 1);
        }
    }
    fbx->unpainted += !all;
}

bool mrwi_import_fbx_find_instances(mrwi_import_fbx *fbx)
{
    instance_finder f = {.next_id = FIRST_COPY};
    mrwi_import_fbx_each_object(fbx, "Geometry", note_geometry, &f);
    mrwi_import_fbx_each_object(fbx, "Model", note_model, &f);
    mrwi_import_fbx_each_object(fbx, "Material", note_material, &f);
    instance_list *const lists[] = {&f.geometries, &f.models,  &f.materials,
                                    &f.shown,      &f.painted, &f.deformed};
    for (size_t i = 0; i < 3; i++) {
        sort_items(lists[i]);
    }
    if (f.materials.count > 0 && f.models.count > 1 && f.geometries.count > 0) {
        mrwi_import_fbx_each_link(fbx, note_link, &f);
    }
    for (size_t i = 3; i < 6; i++) {
        sort_items(lists[i]);
    }
    if (!f.failed) {
        hash_lists(&f);
    }
    for (size_t i = 0; !f.failed && i < f.geometries.count; i++) {
        if (!is_at(&f.geometries, i + 1,
                   f.geometries.items[i].key)) { /* the last of one id counts */
            separate(&f, fbx, &f.geometries.items[i]);
        }
    }
    for (size_t i = 0; i < 6; i++) {
        mrwi_base_free(lists[i]->items);
    }
    return !f.failed;
}
