/* opened.h: the record of a load, to know whether another load gives the same scene. */
#ifndef MRWI_LOAD_OPENED_H
#define MRWI_LOAD_OPENED_H

#include "load/files_local.h"

/* A file that a reader asked for, by its path in the model, and its content. */
typedef struct mrwi_load_opened_file {
    mrwi_sandbox_file_kind kind;
    mrwi_base_read_result result;
    uint8_t hash[32]; /* SHA-256 of its bytes; zeros if it was not available */
    char *path;
} mrwi_load_opened_file;

/* The record of a load. A reader is a function of the model's bytes, its format, the def of the
 * load and the files that it gets. If all these are the same, so is the scene, or the failure
 * except for the name in its message. Zero-initialise. */
typedef struct mrwi_load_opened {
    bool whole;        /* true if everything was recorded; false: draw no conclusions */
    uint8_t model[32]; /* see mrwi_load_model_hash */
    mrwi_load_opened_file *files;
    size_t count;
    size_t capacity;
} mrwi_load_opened;

/* Calls mrw_load_file and records the files that it read, even if it failed. */
mrw_status mrwi_load_file_noting(const char *path, const mrw_load_def *def,
                                 mrwi_load_opened *opened, mrw_scene **out, mrw_error *error);

/* Computes the SHA-256 of a model's format and bytes, and, if the importer reads it, of its name
 * without folder: the importer asks for files beside it by that name. Returns false if it cannot be
 * read. */
bool mrwi_load_model_hash(const char *path, const mrw_load_def *def, uint8_t hash[32]);

/* The same for a model in memory: see mrw_load_memory. */
mrw_status mrwi_load_memory_noting(const void *bytes, size_t size, const char *name,
                                   const mrw_load_def *def, mrwi_load_opened *opened,
                                   mrw_scene **out, mrw_error *error);
void mrwi_load_memory_hash(const void *bytes, size_t size, const char *name,
                           const mrw_load_def *def, uint8_t hash[32]);

/* Looks again for all recorded files, now for a model in `folder`; NULL: it has none. Returns true
 * if none has changed. */
bool mrwi_load_opened_again(const mrwi_load_opened *opened, const char *folder,
                            const mrw_load_def *def);

/* Frees a record and zeroes it. */
void mrwi_load_opened_free(mrwi_load_opened *opened);

/* ---- for those that give files to readers ---------------------------------------------------- */

/* Record the result of a request: a file's bytes; a file that is handed over open, whose offset
 * stays; or the reason for a refusal. opened may be NULL: nothing is recorded. */
void mrwi_load_opened_note(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind, const char *path,
                           const uint8_t *data, size_t size);
void mrwi_load_opened_note_fd(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                              const char *path, int fd);
void mrwi_load_opened_note_failure(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                                   const char *path, mrwi_base_read_result result);

#endif
