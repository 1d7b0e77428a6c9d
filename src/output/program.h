/* program.h: another program that is fed through its standard input. */
#ifndef MRWI_OUTPUT_PROGRAM_H
#define MRWI_OUTPUT_PROGRAM_H

#include "base/child.h"
#include "marrow/output.h"

#include <limits.h>

/* It stays where it is once it was started. */
typedef struct mrwi_output_program {
    mrwi_base_child child;
    bool runs; /* it was started, and not waited for */
    int input; /* a socket: its standard input; -1: closed */
    int said;  /* a file of what it says on standard error */
} mrwi_output_program;

/* Looks a program up in the absolute folders of PATH: what lies in the current folder is not what
 * is installed. */
bool mrwi_output_program_find(const char *name, char out[PATH_MAX]);

/* Starts it with these arguments, the last of which is NULL: see mrwi_base_child_start. Returns 0
 * or an errno; then there is nothing to end. */
int mrwi_output_program_start(const char *path, const char *const *arguments,
                              mrwi_output_program *out);

/* Closes its input and waits. True where it ended well; else *out says how: "exit status 1". Where
 * the process ignores SIGCHLD that can't be known, and is not taken for well. */
bool mrwi_output_program_wait(mrwi_output_program *program, char out[64]);

/* The first lines of what it has said, joined by "; " and escaped, addresses of its memory left
 * out. */
void mrwi_output_program_said(const mrwi_output_program *program, char *out, size_t size);

/* Ends it where it was not waited for, and what it has started. */
void mrwi_output_program_free(mrwi_output_program *program);

#endif
