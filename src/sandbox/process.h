/* process.h: runs a job in a helper process that can do nothing else. */
#ifndef MRWI_SANDBOX_PROCESS_H
#define MRWI_SANDBOX_PROCESS_H

#include "sandbox/channel.h"

/* Opens a file that the helper requests. The sandbox closes *fd; *size is the file's size. */
typedef mrwi_base_read_result mrwi_sandbox_open(void *user, mrwi_sandbox_file_kind kind,
                                                const char *path, int *fd, uint64_t *size);
/* Receives a text from the helper, escaped. */
typedef void mrwi_sandbox_warn(void *user, const char *text);

typedef struct mrwi_sandbox_job {
    const char *program; /* path of the helper */
    const char *name;    /* name of the input, which begins all messages; the helper gets it, too */
    const uint8_t *bytes; /* the input: the helper finds 64 zeros behind it */
    size_t size;
    double seconds;         /* wall time: more than 0, at most 1000000 */
    uint64_t memory;        /* bytes of address space, and of the output: at least 64 MiB */
    uint64_t max_file_size; /* the most bytes of a file that it requests */
    const void *details;    /* more data for the helper, which the sandbox does not read */
    size_t details_size;    /* at most MRWI_SANDBOX_CHANNEL_DETAILS */
    mrwi_sandbox_open *open;
    mrwi_sandbox_warn *warn;
    mrwi_sandbox_warn *detail; /* receives details of the import; NULL: they are dropped */
    void *user;                /* passed to open, warn and detail */
} mrwi_sandbox_job;

/* The result of a job. An untrusted file may have taken over the helper, so the caller must check
 * every byte. */
typedef struct mrwi_sandbox_answer {
    uint8_t *output; /* for mrwi_base_free; NULL if the helper could not do the job */
    size_t output_size;
    mrw_status said; /* its reason; never MRW_ERROR_MEMORY, which becomes a failure */
    char text[1024]; /* its reason as a text, escaped */
} mrwi_sandbox_answer;

/* Does the job in a new process. Returns MRW_OK if that answered. Anything else is a failure whose
 * message names the file, the event, the limit and the option. Thread-safe. */
mrw_status mrwi_sandbox_run(const mrwi_sandbox_job *job, mrwi_sandbox_answer *out,
                            mrw_error *error);

#endif
