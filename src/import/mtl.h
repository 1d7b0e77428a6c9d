/* mtl.h: what assimp leaves out of the material libraries of OBJ files: how maps lie and what their
 * numbers are multiplied with. */
#ifndef MRWI_IMPORT_MTL_H
#define MRWI_IMPORT_MTL_H

#include "base/memory.h"

/* The kind of Kd, a colour, of which only that it is there is kept: assimp makes up a grey. */
#define MRWI_IMPORT_MTL_KD 0u /* aiTextureType_NONE */

/* A statement that gives a material a map, with its options. */
typedef struct mrwi_import_mtl_map {
    const char *material;
    unsigned kind;    /* enum aiTextureType, or MRWI_IMPORT_MTL_KD */
    size_t order;     /* of statements: the last one of a material and kind counts */
    double range[2];  /* -mm: base and gain; usually 0 and 1 */
    double offset[2]; /* -o; usually 0 and 0 */
    double scale[2];  /* -s; usually 1 and 1 */
} mrwi_import_mtl_map;

/* Those of all libraries of a file. Zero-initialise. */
typedef struct mrwi_import_mtl {
    mrwi_import_mtl_map *maps;
    size_t count, room;
    mrwi_base_arena names;
    bool of_blender; /* some library says that Blender wrote it */
} mrwi_import_mtl;

/* Adds the maps of a library, whose options become spaces, but for those that assimp reads: it
 * takes -o, -s and -t to have three numbers, and so the name of the picture for one of them where
 * they have less. What says opacity twice, or not as assimp reads it, becomes spaces, too, and so
 * does what stands before the first material. False when out of memory. */
bool mrwi_import_mtl_read(char *text, size_t size, mrwi_import_mtl *mtl);

/* Once all are read, before they are looked for. */
void mrwi_import_mtl_sort(mrwi_import_mtl *mtl);

/* NULL where the material has no such statement. */
const mrwi_import_mtl_map *mrwi_import_mtl_find(const mrwi_import_mtl *mtl, const char *material,
                                                unsigned kind);

void mrwi_import_mtl_free(mrwi_import_mtl *mtl);

#endif
