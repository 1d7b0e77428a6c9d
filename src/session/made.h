/* made.h: what sessions make of files besides models, once for all files of the same bytes. */
#ifndef MRWI_SESSION_MADE_H
#define MRWI_SESSION_MADE_H

#include "marrow/base.h"

#include <pthread.h>

typedef struct mrwi_session_made_entry mrwi_session_made_entry;

/* Things of one kind. Thread-safe; what is in it stays until all is freed. */
typedef struct mrwi_session_made {
    pthread_mutex_t lock;
    mrwi_session_made_entry *first;
    void (*free_thing)(void *thing);
} mrwi_session_made;

void mrwi_session_made_begin(mrwi_session_made *made, void (*free_thing)(void *thing));
void mrwi_session_made_free(mrwi_session_made *made);

/* Makes a thing of a file's bytes; path is NULL, and size 0, for what needs none. */
typedef mrw_status mrwi_session_maker(const void *user, const char *path, const mrw_bytes *bytes,
                                      void **out, mrw_error *error);

/* Reads the file, unless path is NULL, and has it made into a thing unless one of the same bytes
 * and variant was; who asks for the same meanwhile waits. *out stays the table's. */
mrw_status mrwi_session_made_take(mrwi_session_made *made, const char *path, uint32_t variant,
                                  mrwi_session_maker *make, const void *user, const void **out,
                                  mrw_error *error);

#endif
