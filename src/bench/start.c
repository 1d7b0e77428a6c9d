/* start.c: measures the cold start, for `marrow bench`: runs this program like a user, to draw the
 * first frame of a glb with textures to a file, or a thumbnail. Time includes all its processes.
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

/* Figures of one run: processor time, wall time, memory. VERSION is the processor time of a run
 * that only starts and ends. */
enum { CPU, WALL, MEMORY, FIGURES, VERSION = FIGURES };

/* Returns the environment of a shell: without the variables that this process has set for itself.
 * NULL: out of memory. The caller frees it. */
static char **user_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count]) {
        count++;
    }
    char **out = calloc(count + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++) {
        if (strncmp(environ[i], "OMP_WAIT_POLICY=", 16) != 0 &&
            strncmp(environ[i], "GOMP_SPINCOUNT=", 15) != 0) {
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
typedef mrw_status run_way(const bench *b, mrw_isa isa, uint32_t width, double figures[FIGURES],
                           mrw_error *error);

static mrw_status draw(const bench *b, const char *file, mrw_isa isa, uint32_t width,
                       uint32_t height, double figures[FIGURES], mrw_error *error)
{
    char model[sizeof b->folder + 32], picture[sizeof b->folder + 32], size[32], name[16];
    snprintf(model, sizeof model, "%s/%s", b->folder, file);
    snprintf(picture, sizeof picture, "%s/first.png", b->folder);
    snprintf(size, sizeof size, "%ux%u", width, height);
    snprintf(name, sizeof name, "%s", mrw_isa_name(isa));
    char *drawing[] = {"marrow", "render", model, "--size", size, "--isa",
                       name,     "-q",     "-o",  picture,  NULL};
    char *nothing[] = {"marrow", "--version", NULL};
    return run_program(b, isa == MRW_ISA_AUTO ? nothing : drawing, figures, error);
}

static mrw_status draw_first(const bench *b, mrw_isa isa, uint32_t width, double figures[FIGURES],
                             mrw_error *error)
{
    return draw(b, "character.glb", isa, width, BENCH_HEIGHT(width), figures, error);
}

static mrw_status draw_square(const bench *b, mrw_isa isa, uint32_t width, double figures[FIGURES],
                              mrw_error *error)
{
    return draw(b, "square.gltf", isa, width, width, figures, error);
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

/* Measures all figures of a way to draw at once. */
static mrw_status run_all(bench *b, const bench_row *row, run_way *run, bench_ways out[FIGURES],
                          mrw_error *error)
{
    static double values[BENCH_MOST_WAYS][FIGURES][ROUNDS];
    bench_ways ways = {.count = 0};
    int rounds = b->job->quick ? 1 : ROUNDS;
    mrw_status status = MRW_OK;
    bench_add_kernels(b, &ways, NULL);
    bench_add_yardstick(&ways, "empty-run", NULL);
    for (int r = 0; r < rounds; r++) {
        for (int w = 0; w < ways.count; w++) {
            double figures[FIGURES];
            status = run(b, ways.way[w].isa, row->sizes[BENCH_WIDTH], figures, error);
            if (status) {
                return status;
            }
            for (int f = 0; f < FIGURES; f++) {
                values[w][f][r] = figures[f];
            }
        }
    }
    for (int f = 0; f < FIGURES; f++) {
        out[f] = ways;
        for (int w = 0; w < ways.count; w++) {
            bench_settle(&out[f].way[w], values[w][f], rounds, false);
        }
    }
    return MRW_OK;
}

/* Makes the row of the run that does nothing, which is the same for all kernels. */
static void settle_version(bench_ways ways[VERSION + 1])
{
    bench_ways *version = &ways[VERSION];
    *version = ways[CPU];
    version->count--; /* the yardstick, whose figures these are */
    const bench_way *nothing = &version->way[version->count];
    for (int w = 0; w < version->count; w++) {
        version->way[w].median = nothing->median;
        version->way[w].best = nothing->best;
    }
}

mrw_status bench_start(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (b->start_ways[0].count == 0) {
        status = write_model(b, error);
        if (status) {
            return status;
        }
        status = run_all(b, row, draw_first, b->start_ways, error);
        if (status) {
            return status;
        }
        settle_version(b->start_ways);
    }
    *out = b->start_ways[row->choice];
    return MRW_OK;
}

/* Measures one run: its memory is the same for all kernels. */
mrw_status bench_crowd(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    char model[sizeof b->folder + 32], picture[sizeof b->folder + 32], size[32], copies[16];
    double figures[FIGURES];
    mrw_status status = write_model(b, error);
    if (status) {
        return status;
    }
    snprintf(model, sizeof model, "%s/character.glb", b->folder);
    snprintf(picture, sizeof picture, "%s/copies.png", b->folder);
    snprintf(size, sizeof size, "%ux%u", row->sizes[BENCH_WIDTH],
             BENCH_HEIGHT(row->sizes[BENCH_WIDTH]));
    snprintf(copies, sizeof copies, "%d", row->choice);
    char *drawing[] = {"marrow", "render", model, "--copies", copies, "--size", size, "--aa",
                       "1",      "-j",     "1",   "-q",       "-o",   picture,  NULL};
    status = run_program(b, drawing, figures, error);
    if (status) {
        return status;
    }
    bench_add_kernels(b, out, NULL);
    for (int w = 0; w < out->count; w++) {
        bench_settle(&out->way[w], &figures[MEMORY], 1, false);
    }
    return MRW_OK;
}

/* ---- a thumbnail of JPEGs -------------------------------------------------------------------- */

/* Writes a square with four JPEGs, pictures of the character. Other processes draw them, so that
 * this one stays small. */
static mrw_status write_square(bench *b, mrw_error *error)
{
    static const struct {
        float positions[12], uvs[8];
        uint16_t indices[6];
    } square = {
        {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, {0, 1, 1, 1, 1, 0, 0, 0}, {0, 1, 2, 0, 2, 3}};
    static const char gltf[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":92,\"uri\":\"s.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,"
        "\"byteLength\":32},{\"buffer\":0,\"byteOffset\":80,\"byteLength\":12}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"},"
        "{\"bufferView\":2,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}],"
        "\"images\":[{\"uri\":\"0.jpg\"},{\"uri\":\"1.jpg\"},{\"uri\":\"2.jpg\"},"
        "{\"uri\":\"3.jpg\"}],\"textures\":[{\"source\":0},{\"source\":1},{\"source\":2},"
        "{\"source\":3}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":"
        "{\"index\":0},\"metallicRoughnessTexture\":{\"index\":1}},\"normalTexture\":"
        "{\"index\":2},\"emissiveTexture\":{\"index\":3},\"emissiveFactor\":[1,1,1]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
        "\"indices\":2,\"material\":0}]}],\"nodes\":[{\"mesh\":0}]}";
    char path[sizeof b->folder + 32], model[sizeof b->folder + 32], azimuth[16];
    double figures[FIGURES];
    snprintf(model, sizeof model, "%s/character.glb", b->folder);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%d.jpg", b->folder, i);
        snprintf(azimuth, sizeof azimuth, "%d", 30 * i);
        char *drawing[] = {"marrow", "render", model, "--size", "2048x2048", "--azimuth",
                           azimuth,  "-q",     "-o",  path,     NULL};
        mrw_status status = run_program(b, drawing, figures, error);
        if (status) {
            return status;
        }
    }
    snprintf(path, sizeof path, "%s/s.bin", b->folder);
    mrw_status status = mrw_file_write(path, &square, 92, error);
    snprintf(path, sizeof path, "%s/square.gltf", b->folder);
    return status ? status : mrw_file_write(path, gltf, sizeof gltf - 1, error);
}

mrw_status bench_thumbnail(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (b->thumbnail_ways[0].count == 0) {
        status = write_model(b, error);
        if (status) {
            return status;
        }
        status = write_square(b, error);
        if (status) {
            return status;
        }
        status = run_all(b, row, draw_square, b->thumbnail_ways, error);
        if (status) {
            return status;
        }
    }
    *out = b->thumbnail_ways[row->choice];
    return MRW_OK;
}
