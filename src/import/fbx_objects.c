/* fbx_objects.c: reads the objects of an FBX file: id, name, class. It marks names, so that models
 * of one name can be told apart.
 *
 * Binary: properties id, name NUL 1 class, subclass. Text, in one line: `Deformer: 5,
 * "SubDeformer::Smile", "BlendShapeChannel" {`. */
#include "import/fbx_bytes.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- binary ---------------------------------------------------------------------------------- */

const uint8_t *mrwi_import_fbx_string_at(const mrwi_import_fbx *fbx, size_t at, size_t to,
                                         size_t *length)
{
    if (to - at < 5 || fbx->bytes[at] != 'S') {
        return NULL;
    }
    *length = (size_t)mrwi_import_fbx_little(fbx->bytes + at + 1, 4);
    return *length <= to - at - 5 ? fbx->bytes + at + 5 : NULL;
}

typedef struct object_walk {
    const char *type;
    mrwi_import_fbx_object_fn *each;
    void *context;
} object_walk;

static void visit_node(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node, void *context)
{
    const object_walk *walk = context;
    size_t at = node->properties, name_size, class_size;
    if (!mrwi_import_fbx_is_named(fbx, node, walk->type) || node->children - at < 9 ||
        fbx->bytes[at] != 'L') {
        return;
    }
    const uint8_t *name = mrwi_import_fbx_string_at(fbx, at + 9, node->children, &name_size);
    const uint8_t *class =
        name ? mrwi_import_fbx_string_at(fbx, at + 14 + name_size, node->children, &class_size)
             : NULL;
    if (class) {
        const uint8_t *end = memmem(name, name_size, "\0\1", 2);
        end = end ? end : name + name_size;
        const mrwi_import_fbx_object object = {.id = mrwi_import_fbx_little(fbx->bytes + at + 1, 8),
                                               .name = (size_t)(name - fbx->bytes),
                                               .name_end = (size_t)(end - fbx->bytes),
                                               .class = class,
                                               .class_size = class_size,
                                               .body.node = *node};
        walk->each(fbx, &object, walk->context);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

size_t mrwi_import_fbx_read_id(const mrwi_import_fbx *fbx, size_t at, size_t to, uint64_t *out)
{
    size_t first = at;
    uint64_t value = 0;
    for (; at < to && fbx->bytes[at] >= '0' && fbx->bytes[at] <= '9' && at - first < 20; at++) {
        value = 10 * value + (uint64_t)(fbx->bytes[at] - '0');
    }
    *out = value;
    return at > first ? at : 0;
}

size_t mrwi_import_fbx_expect(const mrwi_import_fbx *fbx, size_t at, size_t to, const char *what)
{
    size_t length = strlen(what);
    at = mrwi_import_fbx_skip_blanks(fbx, at, to);
    bool there = to - at >= length && memcmp(fbx->bytes + at, what, length) == 0;
    return there ? mrwi_import_fbx_skip_blanks(fbx, at + length, to) : to;
}

/* Reads the text between two quotes; the first is at `at`. Returns the place of the second, or
 * `to`. */
static size_t read_quoted(const mrwi_import_fbx *fbx, size_t at, size_t to, size_t *first)
{
    *first = at + 1;
    const uint8_t *quote =
        at < to && fbx->bytes[at] == '"' ? memchr(fbx->bytes + at + 1, '"', to - at - 1) : NULL;
    return quote ? (size_t)(quote - fbx->bytes) : to;
}

static bool begins_line(const mrwi_import_fbx *fbx, size_t at)
{
    while (at > 0 && (fbx->bytes[at - 1] == ' ' || fbx->bytes[at - 1] == '\t')) {
        at--;
    }
    return at == 0 || fbx->bytes[at - 1] == '\n';
}

/* Reads the object after "Type:" in the line that ends at `to`. */
static bool read_line(const mrwi_import_fbx *fbx, size_t at, size_t to, mrwi_import_fbx_object *out)
{
    size_t class;
    at = mrwi_import_fbx_read_id(fbx, mrwi_import_fbx_skip_blanks(fbx, at, to), to, &out->id);
    at = at != 0 ? mrwi_import_fbx_expect(fbx, at, to, ",") : to;
    out->name_end = read_quoted(fbx, at, to, &out->name);
    at = out->name_end < to ? mrwi_import_fbx_expect(fbx, out->name_end + 1, to, ",") : to;
    size_t class_end = read_quoted(fbx, at, to, &class);
    if (class_end == to) {
        return false;
    }
    out->class = fbx->bytes + class;
    out->class_size = class_end - class;
    at = mrwi_import_fbx_skip_blanks(fbx, class_end + 1, to);
    out->body.from = at + 1;
    return at < to && fbx->bytes[at] == '{';
}

static void visit_lines(mrwi_import_fbx *fbx, const object_walk *walk)
{
    char key[40];
    size_t length = (size_t)snprintf(key, sizeof key, "%s:", walk->type), at = 0;
    const uint8_t *found;
    while ((found = mrwi_import_fbx_find(fbx, at, fbx->size, key))) {
        size_t start = (size_t)(found - fbx->bytes);
        const uint8_t *line = memchr(found, '\n', fbx->size - start);
        size_t end = line ? (size_t)(line - fbx->bytes) : fbx->size;
        mrwi_import_fbx_object object = {.id = 0};
        at = start + length;
        if (begins_line(fbx, start) && read_line(fbx, at, end, &object)) {
            walk->each(fbx, &object, walk->context);
        }
    }
}

bool mrwi_import_fbx_close_body(const mrwi_import_fbx *fbx, mrwi_import_fbx_body *body)
{
    body->to = fbx->binary ? 0 : mrwi_import_fbx_closing_brace(fbx, body->from);
    return fbx->binary || body->to != 0;
}

/* ---- connections ----------------------------------------------------------------------------- */

typedef struct link_walk {
    mrwi_import_fbx_link_fn *each;
    void *context;
} link_walk;

static void visit_binary_link(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node, void *context)
{
    static const char kind[] = "S\2\0\0\0O";
    const link_walk *walk = context;
    const uint8_t *p = fbx->bytes + node->properties;
    const size_t from = sizeof kind + 1, to = from + 9;
    if (node->children - node->properties < to + 8 || memcmp(p, kind, sizeof kind - 1) != 0 ||
        p[from - 1] != 'L' || p[to - 1] != 'L') {
        return;
    }
    mrwi_import_fbx_link l = {.from = mrwi_import_fbx_little(p + from, 8),
                              .to = mrwi_import_fbx_little(p + to, 8),
                              .from_at = node->properties + from,
                              .from_size = 8,
                              .to_at = node->properties + to,
                              .to_size = 8};
    if (p[sizeof kind - 1] == 'P') {
        l.property = mrwi_import_fbx_string_at(fbx, node->properties + to + 8, node->children,
                                               &l.property_size);
    }
    if (l.property || p[sizeof kind - 1] == 'O') {
        walk->each(fbx, &l, walk->context);
    }
}

/* Visits `C: "OO",5,4` or `C: "OP",5,4, "Visibility"`. */
static void visit_text_links(mrwi_import_fbx *fbx, const link_walk *walk)
{
    size_t at = mrwi_import_fbx_find_line(fbx, 0, fbx->size, "Connections");
    while ((at = mrwi_import_fbx_find_line(fbx, at, fbx->size, "C")) < fbx->size) {
        mrwi_import_fbx_link l = {.from = 0};
        size_t behind = mrwi_import_fbx_expect(fbx, at, fbx->size, "\"OO\"");
        const bool to_property = behind == fbx->size;
        behind = to_property ? mrwi_import_fbx_expect(fbx, at, fbx->size, "\"OP\"") : behind;
        l.from_at = mrwi_import_fbx_expect(fbx, behind, fbx->size, ",");
        size_t id = mrwi_import_fbx_read_id(fbx, l.from_at, fbx->size, &l.from);
        l.from_size = id - l.from_at;
        l.to_at = id != 0 ? mrwi_import_fbx_expect(fbx, id, fbx->size, ",") : fbx->size;
        id = mrwi_import_fbx_read_id(fbx, l.to_at, fbx->size, &l.to);
        if (id == 0) {
            continue;
        }
        l.to_size = id - l.to_at;
        if (to_property) {
            size_t first, quote = mrwi_import_fbx_expect(fbx, id, fbx->size, ",");
            const size_t last = read_quoted(fbx, quote, fbx->size, &first);
            l.property = last < fbx->size ? fbx->bytes + first : NULL;
            l.property_size = last - first;
        }
        if (l.property || !to_property) {
            walk->each(fbx, &l, walk->context);
        }
    }
}

void mrwi_import_fbx_each_link(mrwi_import_fbx *fbx, mrwi_import_fbx_link_fn *each, void *context)
{
    link_walk walk = {each, context};
    if (fbx->binary) {
        mrwi_import_fbx_each_child(fbx, "Connections", visit_binary_link, &walk);
    } else {
        visit_text_links(fbx, &walk);
    }
}

/* ---- properties ------------------------------------------------------------------------------ */

bool mrwi_import_fbx_read_number(const mrwi_import_fbx *fbx, size_t at, size_t to, double *out)
{
    if (to - at < 5) {
        return false;
    }
    const uint8_t *p = fbx->bytes + at + 1;
    uint64_t wide = to - at >= 9 ? mrwi_import_fbx_little(p, 8) : 0;
    uint32_t narrow = (uint32_t)mrwi_import_fbx_little(p, 4);
    float single;
    switch (fbx->bytes[at]) {
    case 'D':
        memcpy(out, &wide, sizeof *out);
        return to - at >= 9;
    case 'L':
        *out = (double)(int64_t)wide;
        return to - at >= 9;
    case 'F':
        memcpy(&single, &narrow, sizeof single);
        *out = (double)single;
        return true;
    case 'I':
        *out = (double)(int32_t)narrow;
        return true;
    default:
        return false;
    }
}

/* Reads `P: "DeformPercent", "Number", "", "A", 100` among the properties. */
static bool read_binary_property(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *parent,
                                 const char *name, double *out)
{
    mrwi_import_fbx_node list, p;
    if (!mrwi_import_fbx_find_child(fbx, parent, "Properties70", &list)) {
        return false;
    }
    for (size_t at = list.children; at < list.end; at = p.end) {
        if (!mrwi_import_fbx_read_node(fbx, at, list.end, &p) || p.end == 0) {
            return false;
        }
        size_t length, value = p.properties;
        const uint8_t *key = mrwi_import_fbx_string_at(fbx, value, p.children, &length);
        if (!key || length != strlen(name) || memcmp(key, name, length) != 0) {
            continue;
        }
        for (int i = 0; i < 4 && mrwi_import_fbx_string_at(fbx, value, p.children, &length); i++) {
            value += 5 + length;
        }
        return mrwi_import_fbx_read_number(fbx, value, p.children, out);
    }
    return false;
}

static bool read_text_property(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                               const char *name, double *out)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\"", name);
    const uint8_t *found = mrwi_import_fbx_find(fbx, body->from, body->to, key);
    size_t at = found ? (size_t)(found - fbx->bytes) : body->to;
    const uint8_t *line = memchr(fbx->bytes + at, '\n', body->to - at);
    size_t end = line ? (size_t)(line - fbx->bytes) : body->to;
    for (int commas = 0, quotes = 0; at < end && commas < 4; at++) {
        quotes += fbx->bytes[at] == '"';
        commas += fbx->bytes[at] == ',' && quotes % 2 == 0;
    }
    at = mrwi_import_fbx_skip_blanks(fbx, at, end);
    return mrwi_base_parse_double((const char *)fbx->bytes + at, end - at, out) != 0;
}

bool mrwi_import_fbx_read_property(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                   const char *name, double *out)
{
    return fbx->binary ? read_binary_property(fbx, &body->node, name, out)
                       : read_text_property(fbx, body, name, out);
}

/* ---- both ------------------------------------------------------------------------------------ */

void mrwi_import_fbx_each_object(mrwi_import_fbx *fbx, const char *type,
                                 mrwi_import_fbx_object_fn *each, void *context)
{
    object_walk walk = {type, each, context};
    if (fbx->binary) {
        mrwi_import_fbx_each_child(fbx, "Objects", visit_node, &walk);
    } else {
        visit_lines(fbx, &walk);
    }
}

/* Binary: lengthens the string and the list of properties that contains it. */
static void lengthen(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, const char *text,
                     size_t length)
{
    size_t first = mrwi_import_fbx_property_size_at(fbx, &object->body.node), at = object->name_end;
    int width = mrwi_import_fbx_offset_size(fbx);
    mrwi_import_edit *edit =
        mrwi_import_edits_add(&fbx->edits, first, at - first, at - first + length);
    if (!edit) {
        return;
    }
    memcpy(edit->data, fbx->bytes + first, at - first);
    memcpy(edit->data + (at - first), text, length);
    uint8_t *string_size = edit->data + (object->name - 4 - first);
    mrwi_import_fbx_put_little(edit->data, mrwi_import_fbx_little(edit->data, width) + length,
                               width);
    mrwi_import_fbx_put_little(string_size, mrwi_import_fbx_little(string_size, 4) + length, 4);
}

void mrwi_import_fbx_mark(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, size_t number)
{
    char mark[24];
    size_t length = (size_t)snprintf(mark, sizeof mark, "%c%zu", MRWI_IMPORT_FBX_MARK, number);
    if (fbx->binary) {
        lengthen(fbx, object, mark, length);
        return;
    }
    mrwi_import_edit *edit = mrwi_import_edits_add(&fbx->edits, object->name_end, 0, length);
    if (edit) {
        memcpy(edit->data, mark, length);
    }
}

/* ---- models of one name ---------------------------------------------------------------------- */

/* FBX files refer to models by id, and joints often share a name: Maya allows it under different
 * parents. assimp refers by name: it merges the joints and moves the first of them by the keys of
 * all. So the second model of a name and all after it get marks. */

#define MAX_MODELS (1u << 20)

typedef struct model {
    const uint8_t *name;
    mrwi_import_fbx_object object;
} model;

typedef struct model_list {
    model *list;
    size_t count, room;
    bool failed; /* true when out of memory */
} model_list;

static void add_model(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object, void *context)
{
    model_list *models = context;
    if (models->failed || models->count == MAX_MODELS) {
        return;
    }
    if (models->count == models->room) {
        size_t room = models->room > 0 ? 2 * models->room : 64, used = models->count;
        model *list = mrwi_base_realloc(models->list, used * sizeof *list, room, sizeof *list);
        models->failed = !list;
        if (!list) {
            return;
        }
        models->list = list;
        models->room = room;
    }
    models->list[models->count++] = (model){fbx->bytes + object->name, *object};
}

static int compare_names(const model *x, const model *y)
{
    size_t a = x->object.name_end - x->object.name, b = y->object.name_end - y->object.name;
    return a != b ? (a < b ? -1 : 1) : memcmp(x->name, y->name, a);
}

static int compare_models(const void *a, const void *b)
{
    const model *x = a, *y = b;
    int order = compare_names(x, y);
    if (order != 0) {
        return order;
    }
    return x->object.name < y->object.name ? -1 : x->object.name > y->object.name;
}

bool mrwi_import_fbx_find_names(mrwi_import_fbx *fbx)
{
    model_list models = {NULL, 0, 0, false};
    mrwi_import_fbx_each_object(fbx, "Model", add_model, &models);
    if (models.count > 1 && !models.failed) {
        qsort(models.list, models.count, sizeof *models.list, compare_models);
    }
    for (size_t i = 1, nth = 0; !models.failed && i < models.count; i++) {
        nth = compare_names(&models.list[i - 1], &models.list[i]) == 0 ? nth + 1 : 0;
        if (nth > 0) {
            mrwi_import_fbx_mark(fbx, &models.list[i].object, nth);
        }
    }
    mrwi_base_free(models.list);
    return !models.failed;
}
