/* visibility.h: what a file hides, and which nodes are joints, that assimp drops: read from its
 * bytes. */
#ifndef MRWI_IMPORT_VISIBILITY_H
#define MRWI_IMPORT_VISIBILITY_H

#include "base/memory.h"

/* When a node is shown in a clip. */
typedef struct mrwi_import_visibility_curve {
    const char *clip, *node;
    uint32_t count;
    double *times; /* seconds from the clip's start, ascending */
    float *values; /* 0: hidden */
} mrwi_import_visibility_curve;

/* What a node is for the bones that a file without triangles shows. */
typedef enum mrwi_import_node_kind {
    MRWI_IMPORT_PLAIN,
    MRWI_IMPORT_JOINT,
    MRWI_IMPORT_OTHER /* a camera, a light, an effector of a rig ...: never a bone */
} mrwi_import_node_kind;

typedef struct mrwi_import_visible_node {
    const char *name;
    uint32_t flags; /* MRW_NODE_... */
    mrwi_import_node_kind kind;
} mrwi_import_visible_node;

/* By the names that assimp gives nodes and clips. */
typedef struct mrwi_import_visibility {
    mrwi_import_visible_node *nodes; /* sorted by name */
    size_t node_count;               /* those of which there is something to say */
    size_t joint_count;
    mrwi_import_visibility_curve *curves;
    size_t curve_count;
    mrwi_base_arena arena; /* has all of it */
} mrwi_import_visibility;

void mrwi_import_visibility_free(mrwi_import_visibility *visibility);
/* To be called once all nodes are there. */
void mrwi_import_visibility_sort(mrwi_import_visibility *visibility);
/* MRW_NODE_... of a node, or 0. */
uint32_t mrwi_import_visibility_flags(const mrwi_import_visibility *visibility, const char *name);
mrwi_import_node_kind mrwi_import_visibility_kind(const mrwi_import_visibility *visibility,
                                                  const char *name);

/* fbx_visibility.c: of the bytes that assimp reads. The caller frees *out in any case. False when
 * out of memory. */
bool mrwi_import_fbx_read_visibility(const uint8_t *bytes, size_t size,
                                     mrwi_import_visibility *out);
/* dae_visibility.c: the same of a Collada file. */
bool mrwi_import_dae_read_visibility(const uint8_t *bytes, size_t size,
                                     mrwi_import_visibility *out);

#endif
