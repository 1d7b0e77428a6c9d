/* callbacks.c: what the command gives the library's session: messages go to standard error, "-" is
 * standard input. */
#include "host.h"

#include <marrow/load.h>
#include <stdio.h>
#include <unistd.h>

#define STDIN_NAME "standard input"

/* ---- "-" ------------------------------------------------------------------------------------- */

static mrw_status read_stdin(uint64_t most, mrw_text *out, mrw_error *error)
{
    static bool used;
    char block[16384];
    size_t count;
    if (used) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-: only one model can be read from standard input");
    }
    used = true;
    host_note_opened(NULL, STDIN_FILENO); /* it may be a redirected file */
    while ((count = fread(block, 1, sizeof block, stdin)) > 0 && out->size <= most) {
        mrw_text_put(out, block, count);
    }
    if (out->failed) {
        return host_fail_memory(error);
    }
    if (ferror(stdin)) {
        return mrw_fail(error, MRW_ERROR_INPUT, STDIN_NAME ": it could not be read");
    }
    if (out->size > most) {
        return mrw_fail(error, MRW_ERROR_INPUT,
                        STDIN_NAME ": the model is larger than the size limit; allow it with "
                                   "--max-file-size");
    }
    return MRW_OK;
}

/* Loads a model from standard input. Its paths are relative to the current folder. */
static mrw_status load_stdin(void *unused, const mrw_load_def *def, mrw_scene **out,
                             mrw_error *error)
{
    mrw_text bytes = {0};
    (void)unused;
    mrw_status status = read_stdin(def->max_file_size, &bytes, error);
    if (!status) {
        status = mrw_load_memory(bytes.data ? bytes.data : "", bytes.size, STDIN_NAME, ".", def,
                                 out, error);
    }
    mrw_text_free(&bytes);
    return status;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void hear_warning(void *unused, const char *text)
{
    (void)unused;
    host_warn(text);
}

static void hear_note(void *unused, const char *text)
{
    (void)unused;
    host_say("%s", text);
}

static void hear_detail(void *unused, const char *text)
{
    (void)unused;
    host_detail("%s", text);
}

mrw_session_host host_callbacks = {.warning = hear_warning,
                                   .machine_warning = host_warn_machine,
                                   .file_opened = host_note_opened,
                                   .note = hear_note,
                                   .standard_input = load_stdin};

void host_callbacks_begin(const mrw_settings *settings)
{
    host_callbacks.detail = settings->run.verbose ? hear_detail : NULL;
    /* With --json each model of these has an answer of its own, with all its warnings. */
    host_callbacks.warn_again =
        (settings->command == MRW_COMMAND_RENDER || settings->command == MRW_COMMAND_SHEET ||
         settings->command == MRW_COMMAND_SPRITES) &&
        settings->output.json;
}
