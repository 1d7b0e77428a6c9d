/* dae_arrays.c: corrects Collada arrays whose count is smaller than what is read of them.
 *
 * assimp reads as many numbers as an array's count says, and then what accessors ask for, without
 * checking: after the array it reads whatever the memory holds. So such a count is replaced by the
 * one that the accessors need. If the numbers exist, the file is read as intended; if not, assimp
 * reports it. */
#include "import/dae.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS (1u << 18)

typedef struct array {
    mrwi_import_span id;
    mrwi_import_span count_text;
    size_t count;
    size_t needed;
} array;

typedef struct accessor {
    mrwi_import_span source;
    size_t needed; /* count of numbers that accessors need */
} accessor;

typedef struct lists {
    array *arrays;
    accessor *accessors;
    size_t array_count, accessor_count, array_room, accessor_room;
    size_t most; /* largest count of numbers that the file can hold */
} lists;

static bool is_array(mrwi_import_span name)
{
    static const char *const names[] = {"float_array", "int_array", "bool_array", "Name_array",
                                        "IDREF_array"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (mrwi_import_span_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

/* Makes room for one more entry. Returns false when out of memory. */
static bool extend(void **list, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    const size_t more = *room > 0 ? 2 * *room : 64;
    void *longer = mrwi_base_realloc(*list, count * size, more, size);
    if (longer) {
        *list = longer;
        *room = more;
    }
    return longer;
}

static bool list_array(lists *l, const mrwi_import_xml_tag *tag)
{
    array a = {.needed = 0};
    void *list = l->arrays;
    if (!mrwi_import_xml_attribute(tag, "id", &a.id) ||
        !mrwi_import_xml_attribute(tag, "count", &a.count_text) ||
        !mrwi_import_xml_count(tag, "count", 0, l->most, &a.count)) {
        return true;
    }
    const bool good = extend(&list, l->array_count, &l->array_room, sizeof a);
    l->arrays = list;
    if (good) {
        l->arrays[l->array_count++] = a;
    }
    return good;
}

/* Counts the numbers from the first to the last one that an accessor reads; `most` if that is
 * unknown. */
static size_t needed_by(const lists *l, const mrwi_import_xml_tag *tag, mrwi_import_span body)
{
    size_t count, stride, offset, params = 0;
    const char *at = body.at;
    mrwi_import_xml_tag param;
    if (!mrwi_import_xml_count(tag, "count", 0, l->most, &count) ||
        !mrwi_import_xml_count(tag, "stride", 1, l->most, &stride) ||
        !mrwi_import_xml_count(tag, "offset", 0, l->most, &offset)) {
        return l->most;
    }
    while (mrwi_import_xml_find(&at, body.at + body.size, "param", &param)) {
        params++;
    }
    const size_t last = params > stride ? params : stride;
    size_t needed = 0;
    if (count == 0) {
        return 0;
    }
    if (__builtin_mul_overflow(count - 1, stride, &needed) ||
        __builtin_add_overflow(needed, last, &needed) ||
        __builtin_add_overflow(needed, offset, &needed)) {
        return l->most;
    }
    return needed < l->most ? needed : l->most;
}

static bool list_accessor(lists *l, const mrwi_import_xml_tag *tag, mrwi_import_span body)
{
    accessor a = {.needed = 0};
    void *list = l->accessors;
    if (!mrwi_import_xml_attribute(tag, "source", &a.source) || a.source.size < 2 ||
        a.source.at[0] != '#') {
        return true;
    }
    a.source.at++;
    a.source.size--;
    a.needed = needed_by(l, tag, body);
    const bool good = extend(&list, l->accessor_count, &l->accessor_room, sizeof a);
    l->accessors = list;
    if (good) {
        l->accessors[l->accessor_count++] = a;
    }
    return good;
}

/* Fills the lists. Returns false when out of memory. */
static bool walk(lists *l, const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    mrwi_import_xml_tag tag;
    bool good = true;
    size_t seen = 0;
    while (good && seen < MAX_ELEMENTS && mrwi_import_xml_next(&at, end, &tag)) {
        if (tag.closes) {
            continue;
        }
        if (is_array(tag.name)) {
            good = list_array(l, &tag);
            seen++;
        } else if (mrwi_import_span_is(tag.name, "accessor")) {
            mrwi_import_span body = {at, 0};
            if (!tag.empty) {
                mrwi_import_xml_body(&at, end, &tag, &body);
            }
            good = list_accessor(l, &tag, body);
            seen++;
        }
    }
    return good;
}

static int compare_ids(mrwi_import_span a, mrwi_import_span b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = memcmp(a.at, b.at, shared);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_arrays(const void *a, const void *b)
{
    const array *x = a, *y = b;
    const int order = compare_ids(x->id, y->id);
    return order != 0 ? order : (x->id.at > y->id.at) - (x->id.at < y->id.at);
}

/* Raises the need of all arrays with an id, since it is unspecified which of them assimp takes. */
static void need(lists *l, const accessor *a)
{
    size_t low = 0, high = l->array_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_ids(l->arrays[middle].id, a->source) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < l->array_count && compare_ids(l->arrays[low].id, a->source) == 0; low++) {
        if (a->needed <= l->arrays[low].needed) {
            break; /* all later ones come after it, too */
        }
        l->arrays[low].needed = a->needed;
    }
}

static void mend(const array *a, const char *text, mrwi_import_edits *edits)
{
    char number[32];
    const int length = snprintf(number, sizeof number, "%zu", a->needed);
    mrwi_import_edit *edit = mrwi_import_edits_add(edits, (size_t)(a->count_text.at - text),
                                                   a->count_text.size, (size_t)length);
    if (edit) {
        memcpy(edit->data, number, (size_t)length);
    }
}

bool mrwi_import_dae_mend_arrays(const char *text, size_t size, mrwi_import_edits *edits)
{
    lists l = {.most = size};
    const bool good = walk(&l, text, size);
    if (good && l.array_count > 0 && l.accessor_count > 0) {
        qsort(l.arrays, l.array_count, sizeof *l.arrays, compare_arrays);
        for (size_t i = 0; i < l.accessor_count; i++) {
            need(&l, &l.accessors[i]);
        }
        for (size_t i = 0; i < l.array_count; i++) {
            if (l.arrays[i].needed > l.arrays[i].count) {
                mend(&l.arrays[i], text, edits);
            }
        }
    }
    mrwi_base_free(l.arrays);
    mrwi_base_free(l.accessors);
    return good;
}
