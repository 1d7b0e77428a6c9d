/* compile.c: `marrow compile`: writes a loaded model as a file that needs no importer. */
#include "cli.h"

#include <marrow/load.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ENDING ".marrow"

/* Writes the path of the file: -o, or MODEL.marrow in the current folder, which must not exist yet
 * unless --force is given. */
static mrw_status choose_path(const mrw_settings *settings, char *out, size_t size,
                              mrw_error *error)
{
    char name[MRW_SESSION_NAME_SIZE], safe[256];
    if (settings->output.path) {
        snprintf(out, size, "%s", settings->output.path);
        return MRW_OK;
    }
    mrw_session_name(settings->arguments.items[0], name);
    snprintf(out, size, "%s" ENDING, mrw_safe_file_name(name, safe, sizeof safe));
    if (!settings->output.force && access(out, F_OK) == 0) {
        return mrw_fail(error, MRW_ERROR_OUTPUT,
                        "%s: the file exists; --force overwrites it, -o chooses another name", out);
    }
    return MRW_OK;
}

static mrw_status write_scene(const mrw_settings *settings, const mrw_scene *scene,
                              mrw_error *error)
{
    mrw_bytes bytes;
    char path[4096], safe[512];
    char *paths[] = {path};
    const mrw_output_files files = {.paths = paths, .count = 1};
    mrw_status status = choose_path(settings, path, sizeof path, error);
    if (status) {
        return status;
    }
    status = host_check_files(settings, "-o", &files, error);
    if (status) {
        return status;
    }
    status = host_check_opened(settings, &files, error);
    if (status) {
        return status;
    }
    const bool piped = strcmp(path, "-") == 0;
    if (!piped) {
        status = mrw_make_folder_of(path, "-o", error);
        if (status) {
            return status;
        }
    }
    status = mrw_scene_compile(scene, &bytes, error);
    if (status) {
        return status;
    }
    status = piped ? host_write_stdout(bytes.data, bytes.size, error)
                   : mrw_file_write(path, bytes.data, bytes.size, error);
    if (!status && !piped) {
        host_say("wrote %llu bytes to %s", (unsigned long long)bytes.size,
                 mrw_escape_text(path, safe, sizeof safe));
    }
    mrw_bytes_free(&bytes);
    return status;
}

static mrw_status compile(const mrw_settings *settings, mrw_error *error)
{
    const char *output = settings->output.path;
    mrw_scene *scene = NULL;
    char safe[512];
    if (output && strcmp(output, "-") != 0 && !mrw_output_ends_with(output, ENDING)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "-o %s: the name of a compiled scene must end in " ENDING,
                        mrw_escape_text(output, safe, sizeof safe));
    }
    mrw_status status =
        mrw_session_load(settings->arguments.items[0], settings, &host_callbacks, &scene, error);
    if (!status) {
        status = write_scene(settings, scene, error);
    }
    mrw_scene_free(scene);
    return status;
}

int cli_compile(const mrw_settings *settings)
{
    mrw_error error;
    mrw_status status = compile(settings, &error);
    if (status) {
        host_complain(&error);
    }
    return host_exit_status(status);
}
