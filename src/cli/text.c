/* text.c: error messages, standard output. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

mrw_status cli_fail_memory(mrw_error *error)
{
    return mrw_fail(error, MRW_ERROR_MEMORY, "out of memory");
}

mrw_status cli_write_stdout(const void *bytes, size_t size, mrw_error *error)
{
    if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0) {
        return mrw_fail(error, MRW_ERROR_OUTPUT, "standard output: %s; nothing more was written",
                        strerror(errno));
    }
    return MRW_OK;
}

mrw_status cli_print(const mrw_text *text, mrw_error *error)
{
    if (text->failed) {
        return cli_fail_memory(error);
    }
    return text->size > 0 ? cli_write_stdout(text->data, text->size, error) : MRW_OK;
}
