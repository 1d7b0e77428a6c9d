/* mtl.h: the data that assimp drops from the material libraries of OBJ files: the layout of maps,
 * and the factors of their numbers. */
#ifndef MRWI_IMPORT_MTL_H
#define MRWI_IMPORT_MTL_H

#include "base/memory.h"

/* The kind of Kd, a colour. Only its existence is recorded: without it, assimp invents a grey. */
#define MRWI_IMPORT_MTL_KD 0u /* aiTextureType_NONE */

/* A statement that gives a material a map, with its options. */
typedef struct mrwi_import_mtl_map {
    const char *material;
    unsigned kind;    /* enum aiTextureType, or MRWI_IMPORT_MTL_KD */
    size_t order;     /* number of the statement: the last one of a material and kind counts */
    double range[2];  /* -mm: base and gain; usually 0 and 1 */
    double offset[2]; /* -o; usually 0 and 0 */
    double scale[2];  /* -s; usually 1 and 1 */
} mrwi_import_mtl_map;

/* The maps of all libraries of a file. Zero-initialise. */
typedef struct mrwi_import_mtl {
    mrwi_import_mtl_map *maps;
    size_t count, room;
    mrwi_base_arena names;
    bool of_blender; /* true if some library says that Blender wrote it */
} mrwi_import_mtl;

/* Adds the maps of a library, and overwrites their options with spaces, except for those that
 * assimp reads: it takes -o, -s and -t to have three numbers, and so takes the name of the picture
 * for one of them if they have fewer. Statements that give the opacity twice, or not as assimp
 * reads it, become spaces, too, and so does everything before the first material. Returns false
 * when out of memory. */
bool mrwi_import_mtl_read(char *text, size_t size, mrwi_import_mtl *mtl);

/* Sorts the maps. Call it after all are read and before any is searched. */
void mrwi_import_mtl_sort(mrwi_import_mtl *mtl);

/* Returns the map of a statement; NULL if the material has no such statement. */
const mrwi_import_mtl_map *mrwi_import_mtl_find(const mrwi_import_mtl *mtl, const char *material,
                                                unsigned kind);

void mrwi_import_mtl_free(mrwi_import_mtl *mtl);

#endif
