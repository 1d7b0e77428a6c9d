/* assimp_fbx_bytes.h: FBX bytes mended before assimp sees them. */
#ifndef MRWI_LOAD_ASSIMP_FBX_BYTES_H
#define MRWI_LOAD_ASSIMP_FBX_BYTES_H

#include "load/reader.h"

/* Sets *out (mrwi_alloc) to a copy of the file that lacks nothing assimp insists on, or to NULL
 * when the file may be read as it is. False when out of memory. */
bool mrwi_fbx_mend(const uint8_t *bytes, size_t size, uint8_t **out, size_t *out_size);

/* ---- between assimp_fbx_bytes.c and assimp_fbx_shapes.c ---- */

/* Replaces `removed` bytes at `at` by head, then `repeats` times unit, then tail. */
typedef struct mrwi_fbx_edit {
    size_t at, removed;
    uint8_t head[64];
    size_t head_size;
    size_t repeats;
    char unit[4];
    size_t unit_size;
    char tail[4];
    size_t tail_size;
    ptrdiff_t shift; /* of what lies behind this edit and those before it */
} mrwi_fbx_edit;

typedef struct mrwi_fbx_edits {
    const uint8_t *bytes; /* the file */
    size_t size;
    bool binary;
    uint32_t version; /* of a binary file: from 7500 on offsets have 8 bytes */
    mrwi_fbx_edit *list;
    size_t count;
    size_t added; /* bytes */
} mrwi_fbx_edits;

/* NULL when there are too many or they would add too much. */
mrwi_fbx_edit *mrwi_fbx_add_edit(mrwi_fbx_edits *edits, size_t at, size_t removed, size_t added);

uint64_t mrwi_fbx_little(const uint8_t *p, int bytes);
void mrwi_fbx_put_little(uint8_t *p, uint64_t value, int bytes);

/* Finds blend shapes without normals and gives them zeros. */
void mrwi_fbx_find_shapes(mrwi_fbx_edits *edits);
/* Moves the offsets in the headers of a binary file's nodes, in the edited copy. */
void mrwi_fbx_move_offsets(const mrwi_fbx_edits *edits, uint8_t *out);

#endif
