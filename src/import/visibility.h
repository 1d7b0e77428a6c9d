/* visibility.h: the nodes that a file hides, and those that are joints: read from its bytes,
 * because assimp drops both. */
#ifndef MRWI_IMPORT_VISIBILITY_H
#define MRWI_IMPORT_VISIBILITY_H

#include "base/memory.h"

/* The times at which a node is shown in a clip. */
typedef struct mrwi_import_visibility_curve {
    const char *clip, *node;
    uint32_t count;
    double *times; /* seconds from the clip's start, ascending */
    float *values; /* 0 hides */
} mrwi_import_visibility_curve;

/* The use of a node for the bones that a file without triangles shows. */
typedef enum mrwi_import_node_kind {
    MRWI_IMPORT_PLAIN,
    MRWI_IMPORT_JOINT,
    MRWI_IMPORT_OTHER /* a camera, a light, an effector of a rig ...: never a bone */
} mrwi_import_node_kind;

typedef struct mrwi_import_visible_node {
    const char *name;
    uint32_t flags; /* bits of MRW_NODE_... */
    mrwi_import_node_kind kind;
} mrwi_import_visible_node;

/* All of it, by the names that assimp gives nodes and clips. */
typedef struct mrwi_import_visibility {
    mrwi_import_visible_node *nodes; /* sorted by name */
    size_t node_count;               /* number of nodes that are hidden or have a kind */
    size_t joint_count;
    mrwi_import_visibility_curve *curves;
    size_t curve_count;
    mrwi_base_arena arena; /* memory of all of it */
} mrwi_import_visibility;

void mrwi_import_visibility_free(mrwi_import_visibility *visibility);
/* Sorts the nodes. Call it after all are there. */
void mrwi_import_visibility_sort(mrwi_import_visibility *visibility);
/* Returns the MRW_NODE_... of a node, or 0. */
uint32_t mrwi_import_visibility_flags(const mrwi_import_visibility *visibility, const char *name);
mrwi_import_node_kind mrwi_import_visibility_kind(const mrwi_import_visibility *visibility,
                                                  const char *name);

/* Reads visibility from the bytes that assimp reads (fbx_visibility.c). The caller frees *out in
 * any case. Returns false when out of memory. */
bool mrwi_import_fbx_read_visibility(const uint8_t *bytes, size_t size,
                                     mrwi_import_visibility *out);
/* Does the same for a Collada file with these tags (dae_visibility.c). */
bool mrwi_import_dae_read_visibility(const uint8_t *bytes, size_t size, uint32_t tags,
                                     mrwi_import_visibility *out);

#endif
