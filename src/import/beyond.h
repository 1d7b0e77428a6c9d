/* beyond.h: how the curves of a file go on before their first key and behind their last, which
 * assimp drops. */
#ifndef MRWI_IMPORT_BEYOND_H
#define MRWI_IMPORT_BEYOND_H

#include "marrow/scene.h"

/* mrw_extrapolation, and cycles, 0: for ever. */
typedef struct mrwi_import_ends {
    uint16_t before, after, before_cycles, after_cycles;
} mrwi_import_ends;

/* One curve that moves, or what all of them that make up a channel of assimp's have in common. */
typedef struct mrwi_import_curve_ends {
    mrwi_import_ends ends;
    double first, last; /* keys, in a unit of the caller's */
    bool any;           /* false: none moves */
    bool differ;        /* they go on differently, or from other keys */
} mrwi_import_curve_ends;

/* Adds a curve. */
void mrwi_import_curve_ends_add(mrwi_import_curve_ends *sum, const mrwi_import_ends *ends,
                                double first, double last);

/* A channel of assimp's. */
typedef struct mrwi_import_beyond_entry {
    char *clip; /* NULL: of all clips */
    char *node;
    uint32_t paths;        /* 1 << mrw_path, or-ed */
    mrwi_import_ends ends; /* where they differ, of none */
    double seconds;        /* from its first key to its last */
    bool differ;
} mrwi_import_beyond_entry;

/* Those that do not hold. */
typedef struct mrwi_import_beyond {
    mrwi_import_beyond_entry *list; /* in the end by node */
    size_t count, room;
} mrwi_import_beyond;

/* A name in the bytes of a file. */
typedef struct mrwi_import_beyond_name {
    const void *at; /* NULL: none */
    size_t size;
} mrwi_import_beyond_name;

/* Adds an entry, unless all of it holds. suffix stands behind the node's name. False when out of
 * memory. */
bool mrwi_import_beyond_add(mrwi_import_beyond *beyond, mrwi_import_beyond_name clip,
                            mrwi_import_beyond_name node, const char *suffix, uint32_t paths,
                            const mrwi_import_curve_ends *ends, double unit);
void mrwi_import_beyond_sort(mrwi_import_beyond *beyond);
/* The first entry of a clip, node (`size` characters) and path; NULL when there is none. */
const mrwi_import_beyond_entry *mrwi_import_beyond_find(const mrwi_import_beyond *beyond,
                                                        const char *clip, const char *node,
                                                        size_t size, mrw_path path);
void mrwi_import_beyond_free(mrwi_import_beyond *beyond);

#endif
