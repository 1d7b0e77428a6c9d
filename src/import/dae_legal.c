/* dae_legal.c: changes legal Collada that assimp 5.2 refuses or misreads:
 *
 * - White space around a word or before a number of a list: <color>, <vcount>, <up_axis>,
 *   <init_from> and the <source> of a sampler are read from their first byte to their last. (Other
 *   lists and numbers were tested with blanks everywhere and are read correctly.)
 * - <bind_vertex_input>: it says which set of texture coordinates a texture uses. assimp ignores it
 *   and takes the first number in the name that the effect gives the set: 1 for CHANNEL1. So that
 *   name is replaced by one with the right number: the place of the bound set among those of the
 *   file, because assimp closes the gaps between them.
 * - A symbol of <bind_material> that is also the id of another material: assimp then ignores the
 *   binding. So such symbols get a prefix. */
#include "import/dae.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS (1u << 16) /* limit per kind */
#define MAX_SET      (1u << 10)

typedef struct pair {
    mrwi_import_span key, value;
} pair;

typedef struct pairs {
    pair *list;
    size_t count, room;
    bool failed; /* true when out of memory */
} pairs;

static void add_pair(pairs *to, pair added)
{
    if (to->count == to->room && to->count < MAX_ELEMENTS && !to->failed) {
        const size_t room = to->room > 0 ? 2 * to->room : 64;
        pair *longer =
            mrwi_base_realloc(to->list, to->count * sizeof *longer, room, sizeof *longer);
        to->failed = !longer;
        to->list = longer ? longer : to->list;
        to->room = longer ? room : to->room;
    }
    if (to->count < to->room) {
        to->list[to->count++] = added;
    }
}

static int compare_spans(mrwi_import_span a, mrwi_import_span b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.at, b.at, shared);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Compares pairs by key; of equal keys the first in the file comes first. */
static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    const int order = compare_spans(x->key, y->key);
    return order != 0 ? order : (x->key.at > y->key.at) - (x->key.at < y->key.at);
}

static void sort_pairs(pairs *all)
{
    if (all->count > 1) {
        qsort(all->list, all->count, sizeof *all->list, compare_pairs);
    }
}

static const pair *find_pair(const pairs *all, mrwi_import_span key)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_spans(all->list[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low < all->count && compare_spans(all->list[low].key, key) == 0;
    return found ? &all->list[low] : NULL;
}

static void replace(mrwi_import_edits *edits, const char *at, size_t removed, const char *instead,
                    size_t size)
{
    mrwi_import_edit *edit =
        mrwi_import_edits_add(edits, (size_t)(at - (const char *)edits->bytes), removed, size);
    if (edit && size > 0) {
        memcpy(edit->data, instead, size);
    }
}

/* ---- blanks ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Trims the text of an element without children, whose closing tag comes next. */
static void trim(const mrwi_import_xml_tag *tag, const mrwi_import_xml_tag *next,
                 mrwi_import_edits *edits)
{
    static const char *const names[] = {"color", "vcount", "up_axis", "init_from", "source"};
    const char *from = tag->whole.at + tag->whole.size, *to = next->whole.at;
    bool trimmed = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        trimmed = trimmed || mrwi_import_span_is(tag->name, names[i]);
    }
    if (!trimmed || !next->closes || from == to) {
        return;
    }
    const char *first = from, *last = to;
    while (first < last && is_blank(*first)) {
        first++;
    }
    while (last > first && is_blank(last[-1])) {
        last--;
    }
    if (first > from) {
        replace(edits, from, (size_t)(first - from), "", 0);
    }
    if (last < to && first < last) {
        replace(edits, last, (size_t)(to - last), "", 0);
    }
}

/* ---- what is looked up ----------------------------------------------------------------------- */

typedef struct elements {
    pairs bindings;  /* names of texture coordinates and the attributes that bind them */
    pairs texcoords; /* such names in effects: key and value are equal */
    pairs materials; /* ids: key and value are equal */
    pairs bound;     /* symbols and the targets that they are bound to */
    pairs painted;   /* symbols of primitives: key and value are equal */
    bool sets[MAX_SET];
} elements;

static size_t set_number(const mrwi_import_xml_tag *tag, const char *name)
{
    size_t number;
    return mrwi_import_xml_count(tag, name, 0, MAX_SET - 1, &number) ? number : MAX_SET;
}

static void list_input(elements *e, const mrwi_import_xml_tag *tag)
{
    mrwi_import_span semantic;
    if (mrwi_import_xml_attribute(tag, "semantic", &semantic) &&
        mrwi_import_span_is(semantic, "TEXCOORD")) {
        const size_t set = set_number(tag, "set");
        if (set < MAX_SET) {
            e->sets[set] = true;
        }
    }
}

static void list_binding(elements *e, const mrwi_import_xml_tag *tag)
{
    pair p = {.value = tag->attributes};
    mrwi_import_span input;
    if (mrwi_import_xml_attribute(tag, "semantic", &p.key) &&
        (!mrwi_import_xml_attribute(tag, "input_semantic", &input) ||
         mrwi_import_span_is(input, "TEXCOORD"))) {
        add_pair(&e->bindings, p);
    }
}

static void list_material(elements *e, const mrwi_import_xml_tag *tag)
{
    static const char *const primitives[] = {"triangles", "polylist", "polygons", "tristrips",
                                             "trifans"};
    pair p;
    if (mrwi_import_span_is(tag->name, "material") &&
        mrwi_import_xml_attribute(tag, "id", &p.key)) {
        p.value = p.key;
        add_pair(&e->materials, p);
    } else if (mrwi_import_span_is(tag->name, "instance_material") &&
               mrwi_import_xml_attribute(tag, "symbol", &p.key) &&
               mrwi_import_xml_attribute(tag, "target", &p.value)) {
        add_pair(&e->bound, p);
    }
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        if (mrwi_import_span_is(tag->name, primitives[i]) &&
            mrwi_import_xml_attribute(tag, "material", &p.key)) {
            p.value = p.key;
            add_pair(&e->painted, p);
        }
    }
}

static void list_tag(elements *e, const mrwi_import_xml_tag *tag)
{
    pair p = {.value = {NULL, 0}};
    list_material(e, tag);
    if (mrwi_import_span_is(tag->name, "input")) {
        list_input(e, tag);
    } else if (mrwi_import_span_is(tag->name, "bind_vertex_input")) {
        list_binding(e, tag);
    } else if (mrwi_import_span_is(tag->name, "texture") &&
               mrwi_import_xml_attribute(tag, "texcoord", &p.key)) {
        p.value = p.key;
        add_pair(&e->texcoords, p);
    }
}

/* ---- texture coordinates --------------------------------------------------------------------- */

static void name_sets(const elements *e, mrwi_import_edits *edits)
{
    for (size_t i = 0; i < e->texcoords.count; i++) {
        const mrwi_import_span name = e->texcoords.list[i].value;
        const pair *bound = find_pair(&e->bindings, name);
        const mrwi_import_xml_tag tag = {.attributes = bound ? bound->value : name};
        const size_t set = bound ? set_number(&tag, "input_set") : MAX_SET;
        size_t rank = 0;
        for (size_t s = 0; s < set && set < MAX_SET; s++) {
            rank += e->sets[s];
        }
        if (set < MAX_SET) {
            char text[32];
            const int size = snprintf(text, sizeof text, "CHANNEL%zu", rank);
            replace(edits, name.at, name.size, text, (size_t)size);
        }
    }
}

/* ---- materials ------------------------------------------------------------------------------- */

#define SYMBOL_PREFIX "symbol-"

/* Adds the prefix to the symbols of the list that clash. */
static void prefix_symbols(const pairs *clashing, const pairs *symbols, mrwi_import_edits *edits)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const mrwi_import_span symbol = symbols->list[i].key;
        if (find_pair(clashing, symbol)) {
            replace(edits, symbol.at, 0, SYMBOL_PREFIX, sizeof SYMBOL_PREFIX - 1);
        }
    }
}

static bool name_symbols(elements *e, mrwi_import_edits *edits)
{
    pairs clashing = {0};
    sort_pairs(&e->materials);
    for (size_t i = 0; i < e->bound.count; i++) {
        const pair *b = &e->bound.list[i];
        const size_t mark = b->value.size > 0 && b->value.at[0] == '#';
        const mrwi_import_span target = {b->value.at + mark, b->value.size - mark};
        /* assimp does not decode a target: one that it cannot find must stay as it is */
        if (compare_spans(b->key, target) != 0 && find_pair(&e->materials, b->key) &&
            find_pair(&e->materials, target)) {
            add_pair(&clashing, *b);
        }
    }
    sort_pairs(&clashing);
    prefix_symbols(&clashing, &e->bound, edits);
    prefix_symbols(&clashing, &e->painted, edits);
    mrwi_base_free(clashing.list);
    return !clashing.failed;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool mrwi_import_dae_mend_legal(const char *text, size_t size, mrwi_import_edits *edits)
{
    const char *at = text, *end = text + size;
    elements *e = mrwi_base_alloc_zero(1, sizeof *e);
    mrwi_import_xml_tag tag, before = {.closes = true};
    while (e && mrwi_import_xml_next(&at, end, &tag)) {
        if (!before.closes && !before.empty) {
            trim(&before, &tag, edits);
        }
        if (!tag.closes) {
            list_tag(e, &tag);
        }
        before = tag;
    }
    bool good = e && !e->bindings.failed && !e->texcoords.failed && !e->materials.failed &&
                !e->bound.failed && !e->painted.failed;
    if (good) {
        sort_pairs(&e->bindings);
        name_sets(e, edits);
        good = name_symbols(e, edits);
    }
    if (e) {
        mrwi_base_free(e->bindings.list);
        mrwi_base_free(e->texcoords.list);
        mrwi_base_free(e->materials.list);
        mrwi_base_free(e->bound.list);
        mrwi_base_free(e->painted.list);
    }
    mrwi_base_free(e);
    return good;
}
