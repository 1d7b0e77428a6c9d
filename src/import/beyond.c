/* beyond.c: see beyond.h. */
#include "import/beyond.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES (1u << 20)

void mrwi_import_curve_ends_add(mrwi_import_curve_ends *sum, const mrwi_import_ends *ends,
                                double first, double last)
{
    if (!sum->any) {
        *sum = (mrwi_import_curve_ends){*ends, first, last, true, false};
    } else if (memcmp(&sum->ends, ends, sizeof *ends) != 0 || sum->first != first ||
               sum->last != last) {
        sum->differ = true;
    }
}

static bool holds(const mrwi_import_ends *ends)
{
    return ends->before == MRW_EXTRAPOLATION_HOLD && ends->after == MRW_EXTRAPOLATION_HOLD;
}

static char *copy_name(mrwi_import_beyond_name name, const char *suffix)
{
    const size_t more = strlen(suffix) + 1;
    char *text = mrwi_base_alloc(name.size + more, 1);
    if (text) {
        memcpy(text, name.at, name.size);
        memcpy(text + name.size, suffix, more);
    }
    return text;
}

bool mrwi_import_beyond_add(mrwi_import_beyond *beyond, mrwi_import_beyond_name clip,
                            mrwi_import_beyond_name node, const char *suffix, uint32_t paths,
                            const mrwi_import_curve_ends *ends, double unit)
{
    if (!ends->any || (!ends->differ && holds(&ends->ends)) || beyond->count == MAX_ENTRIES) {
        return true;
    }
    if (beyond->count == beyond->room) {
        const size_t room = beyond->room > 0 ? 2 * beyond->room : 64;
        void *list = mrwi_base_realloc(beyond->list, beyond->count * sizeof *beyond->list, room,
                                       sizeof *beyond->list);
        if (!list) {
            return false;
        }
        beyond->list = list;
        beyond->room = room;
    }
    mrwi_import_beyond_entry entry = {.clip = clip.at ? copy_name(clip, "") : NULL,
                                      .node = copy_name(node, suffix),
                                      .paths = paths,
                                      .seconds = (ends->last - ends->first) * unit,
                                      .differ = ends->differ};
    if (!ends->differ) {
        entry.ends = ends->ends;
    }
    beyond->list[beyond->count++] = entry;
    return entry.node && (entry.clip || !clip.at);
}

static int compare_nodes(const void *a, const void *b)
{
    const mrwi_import_beyond_entry *x = a, *y = b;
    const int order = strcmp(x->node, y->node);
    if (order != 0 || x->paths != y->paths) {
        return order != 0 ? order : x->paths < y->paths ? -1 : 1;
    }
    return strcmp(x->clip ? x->clip : "", y->clip ? y->clip : "");
}

void mrwi_import_beyond_sort(mrwi_import_beyond *beyond)
{
    if (beyond->count > 0) {
        qsort(beyond->list, beyond->count, sizeof *beyond->list, compare_nodes);
    }
}

/* Compares an entry with a node's name; below 0 if the entry comes first. */
static int compare_name(const mrwi_import_beyond_entry *entry, const char *node, size_t size)
{
    const int order = strncmp(entry->node, node, size);
    return order != 0 ? order : entry->node[size] != '\0';
}

const mrwi_import_beyond_entry *mrwi_import_beyond_find(const mrwi_import_beyond *beyond,
                                                        const char *clip, const char *node,
                                                        size_t size, mrw_path path)
{
    size_t low = 0, high = beyond->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_name(&beyond->list[middle], node, size) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < beyond->count && compare_name(&beyond->list[low], node, size) == 0; low++) {
        const mrwi_import_beyond_entry *entry = &beyond->list[low];
        if ((entry->paths >> path & 1u) != 0 && (!entry->clip || strcmp(entry->clip, clip) == 0)) {
            return entry;
        }
    }
    return NULL;
}

void mrwi_import_beyond_free(mrwi_import_beyond *beyond)
{
    for (size_t i = 0; i < beyond->count; i++) {
        mrwi_base_free(beyond->list[i].clip);
        mrwi_base_free(beyond->list[i].node);
    }
    mrwi_base_free(beyond->list);
    *beyond = (mrwi_import_beyond){0};
}
