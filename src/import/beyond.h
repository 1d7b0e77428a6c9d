/* beyond.h: the continuation of curves before their first key and after their last, which assimp
 * drops. */
#ifndef MRWI_IMPORT_BEYOND_H
#define MRWI_IMPORT_BEYOND_H

#include "marrow/scene.h"

/* mrw_extrapolation, and the number of cycles; 0: for ever. */
typedef struct mrwi_import_ends {
    uint16_t before, after, before_cycles, after_cycles;
} mrwi_import_ends;

/* One curve that moves, or the common properties of the curves that make up one channel in
 * assimp. */
typedef struct mrwi_import_curve_ends {
    mrwi_import_ends ends;
    double first, last; /* first and last key, in a unit of the caller's choice */
    bool any;           /* false if no curve moves */
    bool differ;        /* true if the curves continue differently, or from other keys */
} mrwi_import_curve_ends;

/* Adds a curve. */
void mrwi_import_curve_ends_add(mrwi_import_curve_ends *sum, const mrwi_import_ends *ends,
                                double first, double last);

/* A channel of assimp's scene. */
typedef struct mrwi_import_beyond_entry {
    char *clip; /* NULL for all clips */
    char *node;
    uint32_t paths;        /* 1 << mrw_path, or-ed */
    mrwi_import_ends ends; /* zeros if its curves differ */
    double seconds;        /* from its first key to its last */
    bool differ;
} mrwi_import_beyond_entry;

/* The channels that do not hold. */
typedef struct mrwi_import_beyond {
    mrwi_import_beyond_entry *list; /* sorted by node after reading */
    size_t count, room;
} mrwi_import_beyond;

/* A name in the bytes of a file. */
typedef struct mrwi_import_beyond_name {
    const void *at; /* NULL for no name */
    size_t size;
} mrwi_import_beyond_name;

/* Adds an entry, unless all of it holds. suffix is appended to the node's name. Returns false when
 * out of memory. */
bool mrwi_import_beyond_add(mrwi_import_beyond *beyond, mrwi_import_beyond_name clip,
                            mrwi_import_beyond_name node, const char *suffix, uint32_t paths,
                            const mrwi_import_curve_ends *ends, double unit);
void mrwi_import_beyond_sort(mrwi_import_beyond *beyond);
/* Finds the first entry of a clip, node (`size` characters) and path; NULL if there is none. */
const mrwi_import_beyond_entry *mrwi_import_beyond_find(const mrwi_import_beyond *beyond,
                                                        const char *clip, const char *node,
                                                        size_t size, mrw_path path);
void mrwi_import_beyond_free(mrwi_import_beyond *beyond);

#endif
