/* edits.c: a copy of a file in which some bytes are replaced. */
#include "import/edits.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EDITS (1u << 18)
#define MAX_ADDED ((size_t)256 << 20)

static bool grow_list(mrwi_import_edits *edits)
{
    if (edits->count < edits->room) {
        return true;
    }
    size_t room = edits->room > 0 ? 2 * edits->room : 64;
    mrwi_import_edit *list = mrwi_base_alloc(room, sizeof *list);
    if (!list) {
        return false;
    }
    if (edits->count > 0) {
        memcpy(list, edits->list, edits->count * sizeof *list);
    }
    mrwi_base_free(edits->list);
    edits->list = list;
    edits->room = room;
    return true;
}

mrwi_import_edit *mrwi_import_edits_add(mrwi_import_edits *edits, size_t at, size_t removed,
                                        size_t size)
{
    if (edits->count == MAX_EDITS || size > MAX_ADDED - edits->added || !grow_list(edits)) {
        return NULL;
    }
    uint8_t *data = mrwi_base_alloc_zero(size > 0 ? size : 1, 1);
    if (!data) {
        return NULL;
    }
    edits->added += size;
    mrwi_import_edit *edit = &edits->list[edits->count++];
    *edit = (mrwi_import_edit){.at = at, .removed = removed, .data = data, .size = size};
    return edit;
}

size_t mrwi_import_edits_left(const mrwi_import_edits *edits)
{
    return MAX_ADDED - edits->added;
}

void mrwi_import_edits_drop_last(mrwi_import_edits *edits)
{
    mrwi_import_edit *edit = &edits->list[--edits->count];
    edits->added -= edit->size;
    mrwi_base_free(edit->data);
}

static int compare_edits(const void *a, const void *b)
{
    const mrwi_import_edit *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return x->removed < y->removed ? -1 : x->removed > y->removed;
}

/* Drops edits that overlap an earlier one: two readers of a damaged file may edit the same
 * bytes. */
static void drop_overlaps(mrwi_import_edits *edits)
{
    size_t kept = 0, end = 0;
    for (size_t i = 0; i < edits->count; i++) {
        mrwi_import_edit e = edits->list[i];
        if (e.at < end || e.removed > edits->size || e.at > edits->size - e.removed) {
            mrwi_base_free(e.data);
            continue;
        }
        end = e.at + e.removed;
        edits->list[kept++] = e;
    }
    edits->count = kept;
}

bool mrwi_import_edits_apply(mrwi_import_edits *edits, uint8_t **out, size_t *out_size)
{
    if (edits->count > 1) {
        qsort(edits->list, edits->count, sizeof *edits->list, compare_edits);
    }
    drop_overlaps(edits);
    uint8_t *copy = mrwi_base_alloc(edits->size + edits->added, 1);
    if (!copy) {
        return false;
    }
    size_t from = 0, to = 0;
    for (size_t i = 0; i < edits->count; i++) {
        mrwi_import_edit *e = &edits->list[i];
        memcpy(copy + to, edits->bytes + from, e->at - from);
        to += e->at - from;
        memcpy(copy + to, e->data, e->size);
        to += e->size;
        from = e->at + e->removed;
        e->shift = (ptrdiff_t)to - (ptrdiff_t)from;
    }
    memcpy(copy + to, edits->bytes + from, edits->size - from);
    *out = copy;
    *out_size = to + (edits->size - from);
    return true;
}

size_t mrwi_import_edits_shift(const mrwi_import_edits *edits, size_t place)
{
    size_t low = 0, high = edits->count; /* number of edits before the place */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edits->list[middle].at < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? (size_t)edits->list[low - 1].shift : 0;
}

void mrwi_import_edits_free(mrwi_import_edits *edits)
{
    for (size_t i = 0; i < edits->count; i++) {
        mrwi_base_free(edits->list[i].data);
    }
    mrwi_base_free(edits->list);
}
