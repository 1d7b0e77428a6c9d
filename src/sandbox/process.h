/* process.h: one job, done by a helper process that can do nothing else. */
#ifndef MRWI_SANDBOX_PROCESS_H
#define MRWI_SANDBOX_PROCESS_H

#include "sandbox/channel.h"

/* Opens a file that the helper asks for; *fd is the sandbox's, *size is the file's. */
typedef mrwi_base_read_result mrwi_sandbox_open(void *user, mrwi_sandbox_file_kind kind,
                                                const char *path, int *fd, uint64_t *size);
/* Hears what the helper says of this machine, escaped. */
typedef void mrwi_sandbox_warn(void *user, const char *text);

typedef struct mrwi_sandbox_job {
    const char *program;  /* path of the helper */
    const char *name;     /* of the input, which messages begin with; the helper gets it, too */
    const uint8_t *bytes; /* the input: the helper finds 64 zeros behind it */
    size_t size;
    double seconds;         /* wall time: more than 0, at most 1000000 */
    uint64_t memory;        /* bytes of address space, and of the output: at least 64 MiB */
    uint64_t max_file_size; /* bytes of a file that it asks for */
    const void *details;    /* what else the helper is to know; not looked at */
    size_t details_size;    /* at most MRWI_SANDBOX_CHANNEL_DETAILS */
    mrwi_sandbox_open *open;
    mrwi_sandbox_warn *warn;
    mrwi_sandbox_warn *detail; /* what was taken for what; NULL: nobody asks */
    void *user;                /* of both */
} mrwi_sandbox_job;

/* Made by a process that a stranger's file may have misled: to be checked to the last byte. */
typedef struct mrwi_sandbox_answer {
    uint8_t *output; /* for mrwi_base_free; NULL when it could not do the job */
    size_t output_size;
    mrw_status said; /* why it could not: never MRW_ERROR_MEMORY, which is a limit */
    char text[1024]; /* the same in words, escaped */
} mrwi_sandbox_answer;

/* Does the job with a fresh process. MRW_OK when that answered. Whatever else happened to it is one
 * message: which file, what happened, which limit, which option. Thread-safe. */
mrw_status mrwi_sandbox_run(const mrwi_sandbox_job *job, mrwi_sandbox_answer *out,
                            mrw_error *error);

#endif
