/* fbx_names.c: FBX models of one name are told apart.
 *
 * FBX files refer to models by id, and joints of one name are common: under different parents Maya
 * allows them. assimp refers by name: it merges the joints and moves the first of them by the keys
 * of all. So the second model of a name and those behind it get marks.
 */
#include "import/fbx_bytes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MODELS (1u << 20)

typedef struct model {
    const uint8_t *name;
    mrwi_fbx_object object;
} model;

typedef struct model_list {
    model *list;
    size_t count, room;
    bool failed; /* out of memory */
} model_list;

static void add_model(mrwi_fbx *fbx, const mrwi_fbx_object *object, void *context)
{
    model_list *models = context;
    if (models->failed || models->count == MAX_MODELS) {
        return;
    }
    if (models->count == models->room) {
        size_t room = models->room > 0 ? 2 * models->room : 64, used = models->count;
        model *list = mrwi_realloc(models->list, used * sizeof *list, room, sizeof *list);
        models->failed = list == NULL;
        if (list == NULL) {
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

bool mrwi_fbx_find_names(mrwi_fbx *fbx)
{
    model_list models = {NULL, 0, 0, false};
    mrwi_fbx_each_object(fbx, "Model", add_model, &models);
    if (models.count > 1 && !models.failed) {
        qsort(models.list, models.count, sizeof *models.list, compare_models);
    }
    for (size_t i = 1, nth = 0; !models.failed && i < models.count; i++) {
        nth = compare_names(&models.list[i - 1], &models.list[i]) == 0 ? nth + 1 : 0;
        if (nth > 0) {
            mrwi_fbx_mark(fbx, &models.list[i].object, nth);
        }
    }
    mrwi_free(models.list);
    return !models.failed;
}
