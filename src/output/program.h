/* program.h: another program that is fed through its standard input. */
#ifndef MRWI_OUTPUT_PROGRAM_H
#define MRWI_OUTPUT_PROGRAM_H

#include "base/child.h"
#include "marrow/output.h"

#include <limits.h>

/* A program. The struct must not move while the program runs. */
typedef struct mrwi_output_program {
    mrwi_base_child child;
    bool runs; /* it was started, and nobody has waited for its end */
    int input; /* a socket: its standard input; -1: closed */
    int said;  /* a file that receives its standard error */
} mrwi_output_program;

/* Looks a program up in the absolute folders of PATH. Relative folders are skipped: a file in the
 * current folder is not an installed program. */
bool mrwi_output_program_find(const char *name, char out[PATH_MAX]);

/* Starts a program; NULL ends the arguments (see mrwi_base_child_start). Returns 0, or an errno if
 * it was not started. */
int mrwi_output_program_start(const char *path, const char *const *arguments,
                              mrwi_output_program *out);

/* Closes its input and waits for its end. Returns true if its exit status is 0; else *out says how
 * it ended: "exit status 1". If the process ignores SIGCHLD the status is unknown, which counts as
 * a failure. */
bool mrwi_output_program_wait(mrwi_output_program *program, char out[64]);

/* Writes the first lines of its standard error, joined by "; " and escaped, without memory
 * addresses. */
void mrwi_output_program_said(const mrwi_output_program *program, char *out, size_t size);

/* Ends the program and its children, unless somebody has waited for its end. */
void mrwi_output_program_free(mrwi_output_program *program);

#endif
