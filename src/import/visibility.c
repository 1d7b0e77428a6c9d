/* visibility.c: the nodes that a file hides, by name. */
#include "import/visibility.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    const mrwi_import_visible_node *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void mrwi_import_visibility_sort(mrwi_import_visibility *visibility)
{
    if (visibility->node_count > 1) {
        qsort(visibility->nodes, visibility->node_count, sizeof *visibility->nodes, compare_names);
    }
}

static const mrwi_import_visible_node *find(const mrwi_import_visibility *visibility,
                                            const char *name)
{
    const mrwi_import_visible_node key = {.name = name};
    return visibility->node_count > 0 ? bsearch(&key, visibility->nodes, visibility->node_count,
                                                sizeof *visibility->nodes, compare_names)
                                      : NULL;
}

uint32_t mrwi_import_visibility_flags(const mrwi_import_visibility *visibility, const char *name)
{
    const mrwi_import_visible_node *found = find(visibility, name);
    return found ? found->flags : 0;
}

mrwi_import_node_kind mrwi_import_visibility_kind(const mrwi_import_visibility *visibility,
                                                  const char *name)
{
    const mrwi_import_visible_node *found = find(visibility, name);
    return found ? found->kind : MRWI_IMPORT_PLAIN;
}

void mrwi_import_visibility_free(mrwi_import_visibility *visibility)
{
    mrwi_base_arena_free(&visibility->arena);
    *visibility = (mrwi_import_visibility){.nodes = NULL};
}
