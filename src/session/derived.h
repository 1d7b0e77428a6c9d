/* derived.h: objects that sessions derive from files besides models, such as environments, each
 * made once for all files of the same bytes. */
#ifndef MRWI_SESSION_DERIVED_H
#define MRWI_SESSION_DERIVED_H

#include "marrow/base.h"

#include <pthread.h>

typedef struct mrwi_session_derived_entry mrwi_session_derived_entry;

/* Derived objects of one kind. Thread-safe. Objects stay until all are freed. */
typedef struct mrwi_session_derived {
    pthread_mutex_t lock;
    mrwi_session_derived_entry *first;
    void (*free_object)(void *object);
} mrwi_session_derived;

void mrwi_session_derived_begin(mrwi_session_derived *derived, void (*free_object)(void *object));
void mrwi_session_derived_free(mrwi_session_derived *derived);

/* Derives an object from a file's bytes. path is NULL and size 0 for an object that needs no file.
 */
typedef mrw_status mrwi_session_maker(const void *user, const char *path, const mrw_bytes *bytes,
                                      void **out, mrw_error *error);

/* Reads the file, unless path is NULL, and derives an object, unless there is one of the same bytes
 * and variant. Other threads that ask for an object wait meanwhile. *out belongs to the table. */
mrw_status mrwi_session_derived_take(mrwi_session_derived *derived, const char *path,
                                     uint32_t variant, mrwi_session_maker *make, const void *user,
                                     const void **out, mrw_error *error);

#endif
