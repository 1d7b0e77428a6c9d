/* answer.c: what machines read: with --json the answers of a command, its warnings and errors, one
 * JSON value a line, on standard output or in a file.
 *
 * A warning stands in the answer that comes next, and once: what is said of a model while it loads
 * is in that model's answer, or in the error that comes in its place. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    const char *to;    /* "-": standard output; a file; NULL: nobody reads */
    const char *about; /* the model at hand, or NULL */
    mrw_text file;     /* what goes to the file at the end */
} answer;

/* The destination of a command line that could not be read to its end. */
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

/* Errors are for nobody where the file to write them to must not be written. */
static mrw_status fail_file(mrw_status status)
{
    if (status != MRW_OK) {
        answer.to = NULL;
    }
    return status;
}

mrw_status cli_answer_check(const cli_guard *guard, mrw_error *error)
{
    const bool file = answer.to && !cli_answers_to_stdout();
    return file ? fail_file(cli_guard_check(guard, "--json", answer.to, error)) : MRW_OK;
}

/* Before any work: what is read must not be written to, and the folder must be there. */
static mrw_status check_file(const mrw_settings *settings, mrw_error *error)
{
    cli_guard guard = {.folders = "input files"};
    cli_guard_inputs(&guard, settings);
    mrw_status status = cli_answer_check(&guard, error);
    cli_guard_free(&guard);
    return status == MRW_OK ? fail_file(mrw_make_folder_of(answer.to, "--json", error)) : status;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

mrw_status cli_answer_begin(const mrw_settings *settings, bool understood, int argc, char **argv,
                            mrw_error *error)
{
    answer.to = understood ? settings->output.json : look_for_json(argc, argv);
    cli_signals_answer(cli_answers_to_stdout());
    if (!answer.to || cli_answers_to_stdout()) {
        return MRW_OK;
    }
    if (!understood && is_there(answer.to)) {
        answer.to = NULL; /* what would have been read is not known */
        return MRW_OK;
    }
    return check_file(settings, error);
}

bool cli_answers_to_stdout(void)
{
    return answer.to && strcmp(answer.to, "-") == 0;
}

void cli_answer_about(const char *model)
{
    answer.about = model;
}

/* Whole lines. */
static mrw_status put(const mrw_text *text, mrw_error *error)
{
    if (text->failed) {
        return cli_fail_memory(error);
    }
    if (!answer.to || cli_answers_to_stdout()) {
        return cli_print(text, error);
    }
    mrw_text_put(&answer.file, text->data, text->size);
    return answer.file.failed ? cli_fail_memory(error) : MRW_OK;
}

mrw_status cli_answer_as_it_is(const mrw_text *text, mrw_error *error)
{
    return put(text, error);
}

/* Puts the warnings into the object before its closing brace. */
mrw_status cli_answer(const mrw_text *object, mrw_error *error)
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
    cli_put_warnings(&warnings);
    mrw_json_close(&warnings, ']');
    mrw_text_add(&line, ", \"warnings\": %s", warnings.text.failed ? "[]" : warnings.text.data);
    mrw_text_put(&line, object->data + end, object->size - end);
    mrw_status status = put(&line, error);
    mrw_text_free(&warnings.text);
    mrw_text_free(&line);
    return status;
}

void cli_answer_error(const mrw_error *error, int exit_status)
{
    mrw_json json = {0};
    mrw_error ignored;
    if (!answer.to) {
        return;
    }
    mrw_json_open(&json, '{');
    mrw_json_key(&json, "error");
    mrw_json_open(&json, '{');
    mrw_json_key(&json, "status");
    mrw_json_uint(&json, (uint64_t)exit_status);
    if (exit_status == CLI_IMPOSSIBLE) {
        mrw_json_string(mrw_json_key(&json, "reason"), mrw_status_name(error->status));
    }
    mrw_json_key(&json, "text");
    mrw_json_string(&json, error->text);
    mrw_json_key(&json, "model");
    mrw_json_string(&json, answer.about);
    mrw_json_close(&json, '}');
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    cli_answer(&json.text, &ignored); /* the exit status says that there was one */
    mrw_text_free(&json.text);
}

mrw_status cli_answer_end(mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (answer.to && !cli_answers_to_stdout()) {
        status = cli_check_answer(error); /* a load that failed has opened files, too */
    }
    if (status == MRW_OK && answer.to && !cli_answers_to_stdout()) {
        status = mrw_file_write(answer.to, answer.file.data ? answer.file.data : "",
                                answer.file.size, error);
    }
    mrw_text_free(&answer.file);
    answer.to = NULL;
    return status;
}
