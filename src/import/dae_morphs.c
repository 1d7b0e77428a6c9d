/* dae_morphs.c: rewrites Collada's morphs, and skins over them, so that assimp 5.2 can read them.
 *
 * A <morph> has a mesh, target meshes and weights. assimp 5.2
 * - takes the mesh's reference with its '#', which names no mesh: nothing is drawn;
 * - looks for the references to targets and weights in the first child of the <controller> only, so
 *   that neither is found: the whole file is refused;
 * - refuses a <skin> whose source is a morph's controller;
 * - gives the targets of a morph to whatever draws a mesh of its mesh's name, targets of that name
 *   included, without an end.
 * So the '#' is removed. The first child becomes the reference to the targets. The reference to the
 * weights stays empty, and a source without an id holds the weights. Skins refer to the mesh, which
 * has its targets by its name; and that name becomes unique. All morphs share the source without an
 * id. So morphs whose weights at rest differ from the first one's are left out, and so are relative
 * morphs; their meshes are drawn without targets.
 *
 * Curves that move weights have targets like "id(0)", without the '/' of targets in nodes. assimp
 * looks for a node's id in them, and refuses the file if it finds one. These curves are left out,
 * too. */
#include "import/dae.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS (1u << 14) /* limit per kind */
#define MAX_WEIGHTS  (1u << 12)
#define MAX_HOPS     16 /* limit of controllers over controllers */

typedef struct controller {
    mrwi_import_span id, source; /* ids; `source` with its '#' */
    mrwi_import_span tag, whole; /* <controller ...>, and the whole element */
    mrwi_import_span targets;    /* the reference to the targets */
    mrwi_import_span weights;    /* the numbers of the weights */
    bool morph, linked;
} controller;

typedef struct geometry {
    mrwi_import_span id;
    mrwi_import_xml_tag tag;
    bool morphed;
} geometry;

typedef struct parts {
    controller *controllers;
    geometry *geometries;
    size_t controller_count, geometry_count;
    mrwi_import_left_out left_out;
} parts;

/* ---- reading --------------------------------------------------------------------------------- */

/* Finds the numbers of a source in a controller's body. */
static mrwi_import_span find_numbers(mrwi_import_span body, mrwi_import_span reference)
{
    const char *at = body.at, *end = at + body.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span id, inside, numbers = {NULL, 0};
    while (mrwi_import_xml_find(&at, end, "source", &tag) &&
           mrwi_import_xml_body(&at, end, &tag, &inside)) {
        const char *from = inside.at;
        if (mrwi_import_xml_attribute(&tag, "id", &id) && id.size + 1 == reference.size &&
            memcmp(id.at, reference.at + 1, id.size) == 0 &&
            mrwi_import_xml_find(&from, inside.at + inside.size, "float_array", &tag) &&
            mrwi_import_xml_body(&from, inside.at + inside.size, &tag, &numbers)) {
            break;
        }
    }
    return numbers;
}

static void read_targets(mrwi_import_span body, controller *c)
{
    const char *at = body.at, *end = at + body.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span semantic, reference;
    if (!mrwi_import_xml_find(&at, end, "targets", &tag)) {
        return;
    }
    while (mrwi_import_xml_find(&at, end, "input", &tag)) {
        if (!mrwi_import_xml_attribute(&tag, "semantic", &semantic) ||
            !mrwi_import_xml_attribute(&tag, "source", &reference) || reference.size < 2 ||
            reference.at[0] != '#') {
            continue;
        }
        if (mrwi_import_span_is(semantic, "MORPH_TARGET")) {
            c->targets = reference;
        } else if (mrwi_import_span_is(semantic, "MORPH_WEIGHT")) {
            c->weights = find_numbers(body, reference);
        }
    }
}

/* Reads a controller. Returns false if it is neither a skin nor a morph over something. */
static bool read_controller(const mrwi_import_xml_tag *tag, mrwi_import_span body, controller *c)
{
    const char *at = body.at, *end = at + body.size;
    mrwi_import_xml_tag inside;
    mrwi_import_span method;
    memset(c, 0, sizeof *c);
    c->tag = tag->whole;
    if (!mrwi_import_xml_attribute(tag, "id", &c->id)) {
        return false;
    }
    while (mrwi_import_xml_next(&at, end, &inside)) {
        c->morph = mrwi_import_span_is(inside.name, "morph");
        if (c->morph || mrwi_import_span_is(inside.name, "skin")) {
            break;
        }
    }
    if (at == end || !mrwi_import_xml_attribute(&inside, "source", &c->source) ||
        c->source.size < 2 || c->source.at[0] != '#') {
        return false;
    }
    if (c->morph && !(mrwi_import_xml_attribute(&inside, "method", &method) &&
                      mrwi_import_span_is(method, "RELATIVE"))) {
        read_targets(body, c);
    }
    return true;
}

static void read_parts(const char *text, size_t size, parts *p)
{
    const char *at = text, *end = text + size;
    mrwi_import_xml_tag tag;
    mrwi_import_span body, id;
    while (mrwi_import_xml_next(&at, end, &tag)) {
        if (tag.closes || tag.empty) {
            continue;
        }
        if (mrwi_import_span_is(tag.name, "controller") && p->controller_count < MAX_ELEMENTS) {
            controller *c = &p->controllers[p->controller_count];
            if (!mrwi_import_xml_body(&at, end, &tag, &body)) {
                return;
            }
            if (read_controller(&tag, body, c)) {
                c->whole = (mrwi_import_span){tag.whole.at, (size_t)(at - tag.whole.at)};
                p->controller_count++;
            }
        } else if (mrwi_import_span_is(tag.name, "geometry") && p->geometry_count < MAX_ELEMENTS &&
                   mrwi_import_xml_attribute(&tag, "id", &id)) {
            p->geometries[p->geometry_count++] = (geometry){.id = id, .tag = tag};
        }
    }
}

/* ---- looking up ------------------------------------------------------------------------------ */

static int compare_spans(mrwi_import_span a, mrwi_import_span b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.at, b.at, shared);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Compares controllers by id; of equal ids the first in the file comes first. */
static int compare_controllers(const void *a, const void *b)
{
    const controller *x = a, *y = b;
    const int order = compare_spans(x->id, y->id);
    return order != 0 ? order : (x->id.at > y->id.at) - (x->id.at < y->id.at);
}

static int compare_geometries(const void *a, const void *b)
{
    const geometry *x = a, *y = b;
    const int order = compare_spans(x->id, y->id);
    return order != 0 ? order : (x->id.at > y->id.at) - (x->id.at < y->id.at);
}

static int compare_to_controller(const void *id, const void *c)
{
    return compare_spans(*(const mrwi_import_span *)id, ((const controller *)c)->id);
}

static int compare_to_geometry(const void *id, const void *g)
{
    return compare_spans(*(const mrwi_import_span *)id, ((const geometry *)g)->id);
}

static controller *find_controller(const parts *p, mrwi_import_span reference)
{
    const mrwi_import_span id = {reference.at + 1, reference.size - 1};
    return p->controller_count > 0 ? bsearch(&id, p->controllers, p->controller_count,
                                             sizeof *p->controllers, compare_to_controller)
                                   : NULL;
}

static geometry *find_geometry(const parts *p, mrwi_import_span reference)
{
    const mrwi_import_span id = {reference.at + 1, reference.size - 1};
    return p->geometry_count > 0 ? bsearch(&id, p->geometries, p->geometry_count,
                                           sizeof *p->geometries, compare_to_geometry)
                                 : NULL;
}

/* Finds the reference to the mesh under a controller's morphs. */
static mrwi_import_span find_mesh(const parts *p, mrwi_import_span source)
{
    for (int hop = 0; hop < MAX_HOPS; hop++) {
        const controller *under = find_controller(p, source);
        if (!under || !under->morph) {
            break;
        }
        source = under->source;
    }
    return source;
}

/* ---- weights --------------------------------------------------------------------------------- */

static size_t read_weights(mrwi_import_span text, double out[MAX_WEIGHTS])
{
    const char *at = text.at, *end = at + text.size;
    size_t count = 0;
    while (at < end && count < MAX_WEIGHTS) {
        const size_t length = mrwi_base_parse_double(at, (size_t)(end - at), &out[count]);
        count += length > 0;
        at += length > 0 ? length : 1;
    }
    return count;
}

/* Links the first possible morph in the file, and those with the same weights. Returns the
 * first. */
static controller *link_morphs(parts *p, double *weights, size_t *count)
{
    controller *first = NULL;
    double *others = weights + MAX_WEIGHTS;
    for (size_t i = 0; i < p->controller_count; i++) {
        controller *c = &p->controllers[i];
        c->linked = c->morph && c->targets.at && c->weights.at && find_geometry(p, c->source);
        first = c->linked && (!first || c->tag.at < first->tag.at) ? c : first;
    }
    *count = first ? read_weights(first->weights, weights) : 0;
    for (size_t i = 0; i < p->controller_count; i++) {
        controller *c = &p->controllers[i];
        c->linked = c->linked && *count > 0 && *count < MAX_WEIGHTS &&
                    read_weights(c->weights, others) == *count &&
                    memcmp(others, weights, *count * sizeof *weights) == 0;
        p->left_out.morphs += c->morph && !c->linked;
    }
    return first && first->linked ? first : NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put(mrwi_import_edits *edits, const char *at, size_t removed, const char *text,
                size_t size)
{
    mrwi_import_edit *edit =
        mrwi_import_edits_add(edits, (size_t)(at - (const char *)edits->bytes), removed, size);
    if (edit && size > 0) {
        memcpy(edit->data, text, size);
    }
}

/* Replaces a controller's opening tag: adds the reference to the targets, and the weights if
 * given. */
static bool begin_morph(const controller *c, const double *weights, size_t count,
                        mrwi_import_edits *edits)
{
    const size_t room = c->targets.size + 400 + 34 * count;
    char *text = mrwi_base_alloc(room, 1);
    if (!text) {
        return false;
    }
    size_t size = (size_t)snprintf(text, room, "<input semantic=\"MORPH_TARGET\" source=\"%.*s\"/>",
                                   (int)c->targets.size, c->targets.at);
    if (count > 0) {
        size += (size_t)snprintf(text + size, room - size,
                                 "<source id=\"\"><float_array id=\"mrw-weights\" count=\"%zu\">",
                                 count);
        for (size_t i = 0; i < count; i++) {
            size += mrwi_base_format_float((float)weights[i], text + size);
            text[size++] = ' ';
        }
        size += (size_t)snprintf(text + size, room - size,
                                 "</float_array><technique_common><accessor "
                                 "source=\"#mrw-weights\" count=\"%zu\" stride=\"1\"><param "
                                 "name=\"W\" type=\"float\"/></accessor></technique_common>"
                                 "</source>",
                                 count);
    }
    put(edits, c->tag.at + c->tag.size, 0, text, size);
    put(edits, c->source.at, 1, "", 0);
    mrwi_base_free(text);
    return true;
}

static void name_geometry(geometry *g, size_t number, mrwi_import_edits *edits)
{
    char text[48];
    mrwi_import_span name;
    const bool named = mrwi_import_xml_attribute(&g->tag, "name", &name);
    const char *behind = g->tag.name.at + g->tag.name.size;
    const int size = snprintf(text, sizeof text,
                              named ? "mrw-morphed-%zu" : " name=\"mrw-morphed-%zu\"", number);
    if (!g->morphed) {
        put(edits, named ? name.at : behind, named ? name.size : 0, text, (size_t)size);
    }
    g->morphed = true;
}

/* Turns instances of morphs that are left out into instances of their meshes. */
static void redirect_instances(const parts *p, const char *text, size_t size,
                               mrwi_import_edits *edits)
{
    const char *at = text, *end = text + size;
    mrwi_import_xml_tag tag;
    mrwi_import_span url, body;
    while (mrwi_import_xml_find(&at, end, "instance_controller", &tag)) {
        const bool known = mrwi_import_xml_attribute(&tag, "url", &url) && url.size > 1;
        const controller *c = known ? find_controller(p, url) : NULL;
        if (!c || !c->morph || c->linked) {
            continue;
        }
        const mrwi_import_span mesh = find_mesh(p, c->source);
        if (!tag.empty && mrwi_import_xml_body(&at, end, &tag, &body)) {
            put(edits, body.at + body.size + 2, tag.name.size, "instance_geometry", 17);
        }
        put(edits, tag.name.at, tag.name.size, "instance_geometry", 17);
        put(edits, url.at, url.size, mesh.at, mesh.size);
    }
}

static void cut_channels(parts *p, const char *text, size_t size, mrwi_import_edits *edits)
{
    const char *at = text, *end = text + size;
    mrwi_import_xml_tag tag;
    mrwi_import_span target;
    while (mrwi_import_xml_find(&at, end, "channel", &tag)) {
        if (tag.empty && mrwi_import_xml_attribute(&tag, "target", &target) &&
            !memchr(target.at, '/', target.size) && memchr(target.at, '(', target.size)) {
            p->left_out.curves++;
            if (edits) {
                put(edits, tag.whole.at, tag.whole.size, "", 0);
            }
        }
    }
}

static bool write_parts(parts *p, const char *text, size_t size, mrwi_import_edits *edits)
{
    size_t count;
    double *weights = mrwi_base_alloc((size_t)2 * MAX_WEIGHTS, sizeof *weights);
    bool good = weights;
    const controller *first = good ? link_morphs(p, weights, &count) : NULL;
    for (size_t i = 0; good && edits && i < p->controller_count; i++) {
        const controller *c = &p->controllers[i];
        const mrwi_import_span mesh = find_mesh(p, c->source);
        if (c->linked) {
            good = begin_morph(c, weights, c == first ? count : 0, edits);
            name_geometry(find_geometry(p, c->source), i, edits);
        } else if (c->morph) {
            put(edits, c->whole.at, c->whole.size, "", 0);
        } else if (mesh.at != c->source.at) {
            put(edits, c->source.at, c->source.size, mesh.at, mesh.size);
        }
    }
    cut_channels(p, text, size, edits);
    if (good && edits && p->left_out.morphs > 0) {
        redirect_instances(p, text, size, edits);
    }
    mrwi_base_free(weights);
    return good;
}

/* Makes all edits. With edits NULL, only counts what is left out. */
static bool work(const char *text, size_t size, mrwi_import_edits *edits,
                 mrwi_import_left_out *left_out)
{
    *left_out = (mrwi_import_left_out){0, 0};
    parts p = {.controllers = mrwi_base_alloc(MAX_ELEMENTS, sizeof *p.controllers),
               .geometries = mrwi_base_alloc(MAX_ELEMENTS, sizeof *p.geometries)};
    bool good = p.controllers && p.geometries;
    if (good) {
        read_parts(text, size, &p);
        qsort(p.controllers, p.controller_count, sizeof *p.controllers, compare_controllers);
        qsort(p.geometries, p.geometry_count, sizeof *p.geometries, compare_geometries);
        good = write_parts(&p, text, size, edits);
        *left_out = p.left_out;
    }
    mrwi_base_free(p.controllers);
    mrwi_base_free(p.geometries);
    return good;
}

bool mrwi_import_dae_mend_morphs(const char *text, size_t size, mrwi_import_edits *edits)
{
    mrwi_import_left_out left_out;
    return work(text, size, edits, &left_out);
}

mrwi_import_left_out mrwi_import_dae_morphs_left_out(const char *text, size_t size)
{
    mrwi_import_left_out left_out;
    work(text, size, NULL, &left_out);
    return left_out;
}
