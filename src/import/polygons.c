/* polygons.c: polygons that are cut into triangles here and not by assimp. */
#include "import/polygons.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_large(const struct aiFace *face)
{
    return face->mNumIndices > MRWI_IMPORT_POLYGON_SMALL && face->mIndices;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const mrwi_import_polygon *)a)->corners;
    const uintptr_t y = (uintptr_t)((const mrwi_import_polygon *)b)->corners;
    return x < y ? -1 : x > y;
}

static size_t count_large(const struct aiScene *scene)
{
    size_t count = 0;
    for (unsigned m = 0; scene->mMeshes && m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        for (unsigned f = 0; mesh && mesh->mFaces && f < mesh->mNumFaces; f++) {
            count += is_large(&mesh->mFaces[f]);
        }
    }
    return count;
}

/* Takes the polygons of a mesh. A mesh without any left must not have the flag for polygons: assimp
 * would stop. */
static void take_of_mesh(struct aiMesh *mesh, mrwi_import_polygons *out)
{
    const size_t before = out->count;
    bool left = false;
    for (unsigned f = 0; mesh && mesh->mFaces && f < mesh->mNumFaces; f++) {
        struct aiFace *face = &mesh->mFaces[f];
        if (is_large(face)) {
            mrwi_import_polygon *item = &out->items[out->count++];
            *item = (mrwi_import_polygon){.corners = face->mIndices, .count = face->mNumIndices};
            memcpy(item->first, face->mIndices, sizeof item->first);
            face->mNumIndices = 3;
        }
        left = left || face->mNumIndices > 3;
    }
    if (out->count > before && !left) {
        mesh->mPrimitiveTypes &= ~(unsigned)aiPrimitiveType_POLYGON;
        mesh->mPrimitiveTypes |= aiPrimitiveType_TRIANGLE;
    }
}

bool mrwi_import_polygons_take(struct aiScene *scene, mrwi_import_polygons *out)
{
    const size_t count = count_large(scene);
    *out = (mrwi_import_polygons){NULL, 0};
    if (count == 0) {
        return true;
    }
    out->items = mrwi_base_alloc(count, sizeof *out->items);
    if (!out->items) {
        return false;
    }
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        take_of_mesh(scene->mMeshes[m], out);
    }
    qsort(out->items, out->count, sizeof *out->items, compare);
    return true;
}

void mrwi_import_polygons_restore(const mrwi_import_polygons *polygons)
{
    for (size_t i = 0; i < polygons->count; i++) {
        memcpy(polygons->items[i].corners, polygons->items[i].first,
               sizeof polygons->items[i].first);
    }
}

void mrwi_import_polygons_free(mrwi_import_polygons *polygons)
{
    mrwi_base_free(polygons->items);
    *polygons = (mrwi_import_polygons){NULL, 0};
}

uint32_t mrwi_import_polygons_corners(const mrwi_import_polygons *polygons,
                                      const struct aiFace *face)
{
    const mrwi_import_polygon wanted = {.corners = face->mIndices};
    const mrwi_import_polygon *found =
        polygons->count > 0
            ? bsearch(&wanted, polygons->items, polygons->count, sizeof *polygons->items, compare)
            : NULL;
    return found ? found->count : 3;
}
