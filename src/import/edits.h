/* edits.h: a copy of a file in which some bytes are replaced. */
#ifndef MRWI_IMPORT_EDITS_H
#define MRWI_IMPORT_EDITS_H

#include "marrow/base.h"

#include <stddef.h>
#include <stdint.h>

/* Replaces `removed` bytes at `at`. */
typedef struct mrwi_import_edit {
    size_t at, removed;
    uint8_t *data;
    size_t size;
    bool is_node; /* a whole node of a binary FBX file: its header begins with its end offset */
    /* Copies of a node of a binary FBX file, with its children: where that node is, and the size
     * of each copy; 0 for other edits. */
    size_t copied_from, copied_size;
    ptrdiff_t shift; /* of what lies behind this edit and those before it */
} mrwi_import_edit;

typedef struct mrwi_import_edits {
    const uint8_t *bytes; /* the file */
    size_t size;
    mrwi_import_edit *list;
    size_t count, room;
    size_t added; /* bytes */
} mrwi_import_edits;

/* An edit whose `size` bytes of data the caller fills. NULL when there are too many edits, they
 * would add too much or memory is out: the file stays as it is at this place. */
mrwi_import_edit *mrwi_import_edits_add(mrwi_import_edits *edits, size_t at, size_t removed,
                                        size_t size);

/* Takes the last edit back. */
void mrwi_import_edits_drop_last(mrwi_import_edits *edits);

/* Sorts the edits, drops those that overlap an earlier one and writes the copy (mrwi_base_alloc).
 * False when out of memory. */
bool mrwi_import_edits_apply(mrwi_import_edits *edits, uint8_t **out, size_t *out_size);

/* After mrwi_import_edits_apply: bytes added before a place of the file, without what is added
 * there. */
size_t mrwi_import_edits_shift(const mrwi_import_edits *edits, size_t place);

void mrwi_import_edits_free(mrwi_import_edits *edits);

#endif
