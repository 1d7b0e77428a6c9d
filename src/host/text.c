/* text.c: error messages, standard output. */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

mrw_status host_fail_memory(mrw_error *error)
{
    return mrw_fail_memory(error, 0);
}

mrw_status host_write_stdout(const void *bytes, size_t size, mrw_error *error)
{
    if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0) {
        return mrw_fail(error, MRW_ERROR_OUTPUT, "standard output: %s; nothing more was written",
                        strerror(errno));
    }
    return MRW_OK;
}

mrw_status host_print(const mrw_text *text, mrw_error *error)
{
    if (text->failed) {
        return host_fail_memory(error);
    }
    return text->size > 0 ? host_write_stdout(text->data, text->size, error) : MRW_OK;
}

void host_put_argument(const char *path, mrw_text *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_./-+=:@%,";
    const char *quote = path[strspn(path, plain)] == '\0' ? "" : "'";
    mrw_text_add(text, "%s", quote);
    for (const char *p = path; *p != '\0'; p++) {
        mrw_text_add(text, *p == '\'' ? "'\\''" : "%c", *p);
    }
    mrw_text_add(text, "%s", quote);
}
