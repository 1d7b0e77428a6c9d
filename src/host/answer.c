/* answer.c: --json: the answers of a command, its warnings and errors, one JSON value per line, on
 * standard output or in a file.
 *
 * A warning is in the next answer, and only there: warnings of a model's loading are in that
 * model's answer, or in the error that replaces it. */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    const char *to;    /* a file; "-": standard output; NULL: no JSON */
    const char *about; /* current model, or NULL */
    mrw_text file;     /* content of the file, which is written at the end */
} answer;

/* Finds the destination in a command line that could not be parsed to its end. */
static const char *look_for_json(int argc, char **argv)
{
    const char *found = NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            found = "-";
        } else if (strcmp(argv[i], "--no-json") == 0) {
            found = NULL;
        } else if (strncmp(argv[i], "--json=", 7) == 0 && argv[i][7] != '\0') {
            found = argv[i] + 7;
        }
    }
    return found;
}

/* Turns JSON off after a failure: errors must not go to a file that must not be written. */
static mrw_status fail_file(mrw_status status)
{
    if (status) {
        answer.to = NULL;
    }
    return status;
}

mrw_status host_answer_check(const host_guard *guard, mrw_error *error)
{
    if (!answer.to || host_answers_to_stdout()) {
        return MRW_OK;
    }
    return fail_file(host_guard_check(guard, "--json", answer.to, error));
}

mrw_status host_answer_begin(const mrw_settings *settings, bool understood, int argc, char **argv,
                             mrw_error *error)
{
    answer.to = understood ? settings->output.json : look_for_json(argc, argv);
    host_signals_answer(host_answers_to_stdout());
    if (!answer.to || host_answers_to_stdout()) {
        return MRW_OK;
    }
    struct stat info;
    if (!understood && stat(answer.to, &info) == 0 && S_ISREG(info.st_mode)) {
        answer.to = NULL; /* the command may read this file: its inputs are not known */
        return MRW_OK;
    }
    host_guard guard = {.folders = "input files"};
    host_guard_inputs(&guard, settings);
    mrw_status status = host_answer_check(&guard, error);
    host_guard_free(&guard);
    return status ? status : fail_file(mrw_make_folder_of(answer.to, "--json", error));
}

bool host_answers_to_stdout(void)
{
    return answer.to && strcmp(answer.to, "-") == 0;
}

void host_answer_about(const char *model)
{
    answer.about = model;
}

mrw_status host_answer_as_it_is(const mrw_text *text, mrw_error *error)
{
    if (text->failed) {
        return host_fail_memory(error);
    }
    if (!answer.to || host_answers_to_stdout()) {
        return host_print(text, error);
    }
    mrw_text_put(&answer.file, text->data, text->size);
    return answer.file.failed ? host_fail_memory(error) : MRW_OK;
}

/* Puts the warnings into the object before its closing brace. */
mrw_status host_answer(const mrw_text *object, mrw_error *error)
{
    mrw_json warnings = {0};
    mrw_text line = {.failed = object->failed};
    size_t end = object->size;
    while (end > 0 && object->data[end - 1] != '}') {
        end--;
    }
    const size_t brace = end - (end > 0);
    for (end = brace; end > 0 && strchr(" \n", object->data[end - 1]);) {
        end--;
    }
    mrw_text_put(&line, object->data, end);
    mrw_json_open(&warnings, '[');
    host_put_warnings(&warnings);
    mrw_json_close(&warnings, ']');
    mrw_text_add(&line, ", \"warnings\": %s", warnings.text.failed ? "[]" : warnings.text.data);
    mrw_text_put(&line, object->data + end, object->size - end);
    mrw_status status = host_answer_as_it_is(&line, error);
    mrw_text_free(&warnings.text);
    mrw_text_free(&line);
    return status;
}

void host_answer_error(const mrw_error *error, int exit_status)
{
    mrw_json json = {0};
    mrw_error ignored;
    if (!answer.to) {
        return;
    }
    mrw_json_open(&json, '{');
    mrw_json_open(mrw_json_key(&json, "error"), '{');
    mrw_json_uint(mrw_json_key(&json, "status"), (uint64_t)exit_status);
    if (exit_status == HOST_IMPOSSIBLE) {
        mrw_json_string(mrw_json_key(&json, "reason"), mrw_status_name(error->status));
    }
    mrw_json_string(mrw_json_key(&json, "text"), error->text);
    mrw_json_string(mrw_json_key(&json, "model"), answer.about);
    mrw_json_close(&json, '}');
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    host_answer(&json.text, &ignored); /* the exit status reports the error in any case */
    mrw_text_free(&json.text);
}

mrw_status host_answer_end(mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (!answer.to || host_answers_to_stdout()) {
        goto out;
    }
    status = host_check_answer(error); /* a load that failed has opened files, too */
    if (status) {
        goto out;
    }
    status = mrw_file_write(answer.to, answer.file.data ? answer.file.data : "", answer.file.size,
                            error);

out:
    mrw_text_free(&answer.file);
    answer.to = NULL;
    return status;
}
