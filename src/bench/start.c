/* start.c: measures the cold start, for `marrow bench`: runs this program like a user, to draw the
 * first frame of a glb with textures to a file. Time includes all its processes.
 *
 * The kernel starts the peak memory of a new process at the peak of the process that started it. So
 * these rows come before rows that need much memory.
 */
#include "bench/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

#define ROUNDS       9
#define TEXTURE_SIDE 1024u

/* Figures of one run: processor time, wall time, memory. */
enum { CPU, WALL, MEMORY, FIGURES };

/* Returns the environment of a shell: without the variable that this process has set for itself.
 * NULL: out of memory. The caller frees it. */
static char **user_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count]) {
        count++;
    }
    char **out = calloc(count + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++) {
        if (strncmp(environ[i], "OMP_WAIT_POLICY=", 16) != 0) {
            out[kept++] = environ[i];
        }
    }
    return out;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static mrw_status start(char *const *arguments, pid_t *child, mrw_error *error)
{
    char **environment = user_environment();
    if (!environment) {
        return bench_fail_memory(error);
    }
    const int failed = bench_child_start(arguments, environment, child);
    free(environment);
    return failed == 0 ? MRW_OK
                       : mrw_fail(error, MRW_ERROR_UNSUPPORTED, "marrow can't be started: %s",
                                  strerror(failed));
}

static mrw_status run_program(const bench *b, char *const *arguments, double figures[FIGURES],
                              mrw_error *error)
{
    struct rusage usage;
    pid_t child = -1;
    int answer = 0;
    mrw_status status = bench_check(b, error);
    if (status) {
        return status;
    }
    double begin = mrw_clock_seconds(MRW_CLOCK_WALL);
    status = start(arguments, &child, error);
    if (status) {
        return status;
    }
    while (wait4(child, &answer, 0, &usage) < 0 && errno == EINTR) {
    }
    figures[WALL] = (mrw_clock_seconds(MRW_CLOCK_WALL) - begin) * 1e3;
    figures[CPU] = (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)) * 1e3;
    figures[MEMORY] = (double)usage.ru_maxrss * 1024e-6;
    if (!WIFEXITED(answer) || WEXITSTATUS(answer) != 0) {
        status = bench_check(b, error);
        return status ? status
                      : mrw_fail(error, MRW_ERROR_INTERNAL, "marrow %s, started by bench, failed",
                                 arguments[1]);
    }
    return MRW_OK;
}

/* Draws a picture with the kernels of isa. MRW_ISA_AUTO: only starts and ends. */
static mrw_status run_way(const bench *b, mrw_isa isa, uint32_t width, double figures[FIGURES],
                          mrw_error *error)
{
    char model[sizeof b->folder + 32], picture[sizeof b->folder + 32], size[32], name[16];
    snprintf(model, sizeof model, "%s/character.glb", b->folder);
    snprintf(picture, sizeof picture, "%s/first.png", b->folder);
    snprintf(size, sizeof size, "%ux%u", width, BENCH_HEIGHT(width));
    snprintf(name, sizeof name, "%s", mrw_isa_name(isa));
    char *drawing[] = {"marrow", "render", model, "--size", size, "--isa",
                       name,     "-q",     "-o",  picture,  NULL};
    char *nothing[] = {"marrow", "--version", NULL};
    return run_program(b, isa == MRW_ISA_AUTO ? nothing : drawing, figures, error);
}

static mrw_status write_model(bench *b, mrw_error *error)
{
    char path[sizeof b->folder + 32];
    mrw_text glb = {0};
    mrw_status status = bench_folder_make(b, error);
    if (status) {
        return status;
    }
    status = bench_character_glb(TEXTURE_SIDE, 1, &glb, error);
    if (status) {
        goto out;
    }
    if (glb.size < 2600000 || glb.size > 2800000) {
        status = mrw_fail(error, MRW_ERROR_INTERNAL,
                          "the glb has %zu bytes, but should have about 2.7 MB", glb.size);
        goto out;
    }
    snprintf(path, sizeof path, "%s/character.glb", b->folder);
    status = mrw_file_write(path, glb.data, glb.size, error);
out:
    mrw_text_free(&glb);
    return status;
}

/* Measures all three rows at once. */
static mrw_status run_all(bench *b, const bench_row *row, mrw_error *error)
{
    static double values[BENCH_MOST_WAYS][FIGURES][ROUNDS];
    bench_ways ways = {.count = 0};
    int rounds = b->job->quick ? 1 : ROUNDS;
    mrw_status status = write_model(b, error);
    if (status) {
        return status;
    }
    bench_add_kernels(b, &ways, NULL);
    bench_add_yardstick(&ways, "empty-run", NULL);
    for (int r = 0; r < rounds; r++) {
        for (int w = 0; w < ways.count; w++) {
            double figures[FIGURES];
            status = run_way(b, ways.way[w].isa, row->sizes[BENCH_WIDTH], figures, error);
            if (status) {
                return status;
            }
            for (int f = 0; f < FIGURES; f++) {
                values[w][f][r] = figures[f];
            }
        }
    }
    for (int f = 0; f < FIGURES; f++) {
        b->start_ways[f] = ways;
        for (int w = 0; w < ways.count; w++) {
            bench_settle(&b->start_ways[f].way[w], values[w][f], rounds, false);
        }
    }
    b->started = true;
    return MRW_OK;
}

mrw_status bench_start(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    mrw_status status = b->started ? MRW_OK : run_all(b, row, error);
    if (status) {
        return status;
    }
    *out = b->start_ways[row->choice];
    return MRW_OK;
}
