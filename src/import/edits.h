/* edits.h: a copy of a file in which some bytes are replaced. */
#ifndef MRWI_IMPORT_EDITS_H
#define MRWI_IMPORT_EDITS_H

#include "marrow/base.h"

#include <stddef.h>
#include <stdint.h>

/* An edit: replaces `removed` bytes at `at`. */
typedef struct mrwi_import_edit {
    size_t at, removed;
    uint8_t *data;
    size_t size;
    /* true for a whole node of a binary FBX file: its header begins with its end offset */
    bool is_node;
    /* Copies of a node of a binary FBX file, with its children: the place of that node, and the
     * size of each copy; 0 for other edits. */
    size_t copied_from, copied_size;
    ptrdiff_t shift; /* how far the bytes after this edit move, by it and those before it */
} mrwi_import_edit;

typedef struct mrwi_import_edits {
    const uint8_t *bytes; /* the file */
    size_t size;
    mrwi_import_edit *list;
    size_t count, room;
    size_t added; /* bytes added so far */
} mrwi_import_edits;

/* Adds an edit whose `size` bytes of data the caller fills. NULL if there are too many edits, if
 * they would add too much, or when out of memory: then the file stays unchanged at this place. */
mrwi_import_edit *mrwi_import_edits_add(mrwi_import_edits *edits, size_t at, size_t removed,
                                        size_t size);

/* Returns how many bytes edits may still add. */
size_t mrwi_import_edits_left(const mrwi_import_edits *edits);

/* Removes the last edit. */
void mrwi_import_edits_drop_last(mrwi_import_edits *edits);

/* Sorts the edits, drops those that overlap an earlier one and writes the copy (mrwi_base_alloc).
 * Returns false when out of memory. */
bool mrwi_import_edits_apply(mrwi_import_edits *edits, uint8_t **out, size_t *out_size);

/* Returns the bytes that were added before a place of the file, without those added exactly there.
 * Call it after mrwi_import_edits_apply. */
size_t mrwi_import_edits_shift(const mrwi_import_edits *edits, size_t place);

void mrwi_import_edits_free(mrwi_import_edits *edits);

#endif
