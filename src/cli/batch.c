/* batch.c: `marrow batch`: jobs of a list, one line of JSON each, by a process that keeps models.
 */
#include "cli.h"

#include <errno.h>
#include <marrow/simple.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of a line. */
#define MOST_LINE ((size_t)1 << 20)

/* A list of jobs. */
typedef struct batch {
    const mrw_settings *settings;
    mrw_engine *engine;
    mrw_job *job;
    FILE *lines;
    char *line;
    size_t room;
    uint64_t number; /* number of the line, from 1 */
    uint64_t jobs, failed;
    int status; /* status of the first job that failed */
} batch;

/* Gives the job the options of the command line. */
static mrw_status share_options(const batch *b, mrw_error *error)
{
    static const char *const own[] = {"cache", "shard",   "timeout", "memory",
                                      "quiet", "verbose", "strict",  "json"};
    const mrw_text_list *given = &b->settings->given;
    char text[4096];
    for (size_t i = 0; i < given->count; i++) {
        bool is_own = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
            is_own = is_own || strcmp(own[k], given->items[i]) == 0;
        }
        for (size_t k = 0;
             !is_own && mrw_settings_text(b->settings, given->items[i], k, text, sizeof text);
             k++) {
            if (mrw_job_set(b->job, given->items[i], text)) {
                return mrw_fail(error, MRW_ERROR_USAGE, "%s", mrw_job_error(b->job));
            }
        }
    }
    return MRW_OK;
}

static mrw_status begin(batch *b, mrw_error *error)
{
    const char *path = b->settings->arguments.items[0];
    char safe[512];
    b->lines = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!b->lines) {
        return mrw_fail(error, MRW_ERROR_INPUT, "%s: %s", mrw_escape_text(path, safe, sizeof safe),
                        strerror(errno));
    }
    b->engine = mrw_engine_create(b->settings->run.cache);
    b->job = b->engine ? mrw_job_create(b->engine) : NULL;
    return b->job ? share_options(b, error) : host_fail_memory(error);
}

static void end(batch *b)
{
    mrw_job_free(b->job);
    mrw_engine_free(b->engine);
    free(b->line);
    if (b->lines && b->lines != stdin) {
        fclose(b->lines);
    }
}

/* Returns the status in an answer, which begins with the id and the status. */
static int status_of(const char *answer)
{
    const char *at = strstr(answer, "\"status\": ");
    return at ? atoi(at + strlen("\"status\": ")) : HOST_INTERNAL;
}

static mrw_status answer(batch *b, const char *text, mrw_error *error)
{
    const int status = status_of(text);
    mrw_text line = {0};
    b->jobs++;
    b->failed += status != 0;
    b->status = b->status == 0 ? status : b->status;
    mrw_text_puts(&line, text);
    mrw_text_puts(&line, "\n");
    const mrw_status printed = host_print(&line, error);
    mrw_text_free(&line);
    return printed;
}

/* Reads a line without its end. *size: its bytes; more than MOST_LINE if it was longer. Returns
 * false at the end of the list. */
static bool read_line(batch *b, size_t *size)
{
    int byte;
    *size = 0;
    while ((byte = getc_unlocked(b->lines)) != EOF && byte != '\n') {
        if (*size == b->room && b->room < MOST_LINE) {
            const size_t room = b->room > 0 ? 2 * b->room : 4096;
            char *grown = realloc(b->line, room);
            if (!grown) {
                return false;
            }
            b->line = grown;
            b->room = room;
        }
        if (*size < b->room) {
            b->line[*size] = (char)byte;
        }
        *size += *size <= MOST_LINE;
    }
    b->number++;
    return byte != EOF || *size > 0;
}

/* Returns true for an empty line and for a comment. */
static bool is_blank(const char *line, size_t size)
{
    size_t at = 0;
    if (size > 0 && line[0] == '#') {
        return true;
    }
    while (at < size && strchr(" \t\r", line[at])) {
        at++;
    }
    return at == size;
}

static mrw_status run_line(batch *b, size_t size, mrw_error *error)
{
    char text[200];
    if (size > MOST_LINE) {
        snprintf(text, sizeof text,
                 "{\"status\": 2, \"error\": \"line %llu is longer than %zu bytes\", "
                 "\"warnings\": []}",
                 (unsigned long long)b->number, MOST_LINE);
        return answer(b, text, error);
    }
    return answer(b, mrw_job_run(b->job, b->line, size), error);
}

static mrw_status run(batch *b, mrw_error *error)
{
    const mrw_run_settings *run = &b->settings->run;
    mrw_status status = MRW_OK;
    size_t size = 0;
    uint64_t index = 0;
    while (!status && read_line(b, &size)) {
        if (is_blank(b->line, size)) {
            continue;
        }
        if (index++ % run->shard_count == run->shard_index - 1) {
            status = run_line(b, size, error);
        }
        if (!status) {
            status = host_check_signal(error);
        }
    }
    if (!status && ferror(b->lines)) {
        status = mrw_fail(error, MRW_ERROR_INPUT, "the list of jobs cannot be read: %s",
                          strerror(errno));
    }
    return status;
}

int cli_batch(const mrw_settings *settings)
{
    batch b = {.settings = settings};
    mrw_error error;
    mrw_status status = begin(&b, &error);
    if (!status) {
        status = run(&b, &error);
    }
    if (status) {
        host_complain(&error);
    } else if (b.failed > 0) {
        host_say("%llu of %llu jobs failed", (unsigned long long)b.failed,
                 (unsigned long long)b.jobs);
    }
    end(&b);
    return status ? host_exit_status(status) : b.status;
}
