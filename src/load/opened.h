/* opened.h: what a load read, so that another one can be known to give the same scene. */
#ifndef MRWI_LOAD_OPENED_H
#define MRWI_LOAD_OPENED_H

#include "load/files_local.h"

/* A file that a reader asked for, by the path it has in the model, and what it got. */
typedef struct mrwi_load_opened_file {
    mrwi_sandbox_file_kind kind;
    mrwi_base_read_result result;
    uint8_t hash[32]; /* SHA-256 of its bytes; zeros when it was not to be had */
    char *path;
} mrwi_load_opened_file;

/* What a load read. A reader is a function of the model's bytes, its format, the def of the load
 * and what it gets when it asks for files: where all these are the same, so is the scene, or the
 * failure but for the name in its message. Zero-initialise. */
typedef struct mrwi_load_opened {
    bool whole;        /* all was noted; false: nothing may be concluded */
    uint8_t model[32]; /* see mrwi_load_model_hash */
    mrwi_load_opened_file *files;
    size_t count;
    size_t capacity;
} mrwi_load_opened;

/* mrw_load_file, and notes what it read, failed or not. */
mrw_status mrwi_load_file_noting(const char *path, const mrw_load_def *def,
                                 mrwi_load_opened *opened, mrw_scene **out, mrw_error *error);

/* The SHA-256 of a model's format and bytes, and of its name without folder where the importer
 * reads it, which asks for files beside it by that name. False when it cannot be read. */
bool mrwi_load_model_hash(const char *path, const mrw_load_def *def, uint8_t hash[32]);

/* Looks for all the files again that were asked for, now from the model at `path`: true when each
 * is as it was. */
bool mrwi_load_opened_again(const mrwi_load_opened *opened, const char *path,
                            const mrw_load_def *def);

/* Frees what was noted, and zeroes it. */
void mrwi_load_opened_free(mrwi_load_opened *opened);

/* ---- for those that give files to readers ---------------------------------------------------- */

/* Note what a reader got: a file's bytes; one that is given away open, whose offset stays as it is;
 * or nothing, and why. opened NULL: nobody wants to know. */
void mrwi_load_opened_note(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind, const char *path,
                           const uint8_t *data, size_t size);
void mrwi_load_opened_note_fd(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                              const char *path, int fd);
void mrwi_load_opened_note_failure(mrwi_load_opened *opened, mrwi_sandbox_file_kind kind,
                                   const char *path, mrwi_base_read_result result);

#endif
