/* polygons.h: polygons that are cut into triangles here and not by assimp. */
#ifndef MRWI_IMPORT_POLYGONS_H
#define MRWI_IMPORT_POLYGONS_H

#include <assimp/scene.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* assimp cuts polygons with at most so many corners. */
#define MRWI_IMPORT_POLYGON_SMALL 8u

typedef struct mrwi_import_polygon {
    unsigned *corners;
    uint32_t count;
    unsigned first[3]; /* first corners, which assimp may exchange */
} mrwi_import_polygon;

/* The polygons, sorted by the address of their corners. */
typedef struct mrwi_import_polygons {
    mrwi_import_polygon *items;
    size_t count;
} mrwi_import_polygons;

/* Records all polygons with more corners, and makes assimp take them for triangles:
 * aiProcess_Triangulate moves the array of a triangle's corners to its result. Returns false when
 * out of memory. */
bool mrwi_import_polygons_take(struct aiScene *scene, mrwi_import_polygons *out);
/* Restores corners that assimp has exchanged: it does so with triangles that begin alike. */
void mrwi_import_polygons_restore(const mrwi_import_polygons *polygons);
void mrwi_import_polygons_free(mrwi_import_polygons *polygons);

/* Returns the number of corners of a face that assimp takes for a triangle. */
uint32_t mrwi_import_polygons_corners(const mrwi_import_polygons *polygons,
                                      const struct aiFace *face);

#endif
