/* sequence.c: a character as a sequence of PNG files, for `marrow bench`: posing, skinning,
 * drawing, encoding, writing. */
#include "bench/internal.h"

#include <errno.h>
#include <marrow/codecs.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES 8u /* of a call, when processor time is read */
/* Of a call, when the clock on the wall is, for threads start and end with a sequence: all that the
 * clip has at 30 a second. */
#define MANY_FRAMES 60u
#define RATE_ROUNDS 7

#define FRAME_PATH (sizeof((bench *)0)->folder + 32)

typedef struct sequence_work {
    const bench *b;
    bench_character character;
    uint32_t frames;
    uint32_t first, step; /* of the frames, those that are drawn */
    int threads;
    mrw_image picture;                      /* one of the frames */
    mrw_png_encoder *encoders[MANY_FRAMES]; /* one a worker, as `marrow render` has them */
} sequence_work;

static void name_frame(const sequence_work *w, uint32_t frame, char path[FRAME_PATH])
{
    snprintf(path, FRAME_PATH, "%s/frame_%04u.png", w->b->folder, frame);
}

static mrw_status write_frame(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    sequence_work *w = user;
    char path[FRAME_PATH];
    const mrw_png_def def = {.effort = MRW_PNG_FAST, .isa = w->character.frame.isa};
    mrw_png_encoder **encoder = &w->encoders[frame->worker];
    mrw_bytes png;
    mrw_status status = !*encoder ? mrw_png_encoder_create(encoder, error) : MRW_OK;
    if (status == MRW_OK) {
        status = mrw_png_encoder_encode(*encoder, frame->image, &def, &png, error);
    }
    if (status == MRW_OK) {
        name_frame(w, w->first + frame->index * w->step, path);
        status = mrw_file_write(path, png.data, png.size, error);
    }
    return status;
}

/* The times are different ones: no two frames are equal. */
static mrw_status run_sequence(void *data, mrw_isa isa, mrw_error *error)
{
    sequence_work *w = data;
    double times[MANY_FRAMES];
    uint32_t count = 0;
    for (uint32_t i = w->first; i < w->frames; i += w->step) {
        times[count++] = BENCH_CHARACTER_CLIP * ((double)i + 0.5) / (double)w->frames;
    }
    w->character.frame.isa = isa;
    return mrw_render_sequence(&w->character.frame, &w->character.instance, 1, times, count,
                               w->threads, write_frame, w, error);
}

static mrw_status run_stb(void *data, mrw_isa isa, mrw_error *error)
{
    sequence_work *w = data;
    size_t size;
    (void)isa;
    return bench_stb_encode(&w->picture, &size, error);
}

static mrw_status make_work(bench *b, const bench_row *row, sequence_work *w, mrw_error *error)
{
    mrw_renderer *renderer = NULL;
    *w = (sequence_work){
        .b = b, .frames = FRAMES, .step = 1, .threads = (int)row->sizes[BENCH_THREADS]};
    mrw_status status = bench_folder_make(b, error);
    if (status == MRW_OK) {
        status = bench_character_load((mrw_shading)row->choice, row->sizes[BENCH_WIDTH], 0.05f,
                                      &w->character, error);
    }
    w->character.frame.samples = row->sizes[BENCH_SAMPLES];
    if (status == MRW_OK) {
        status = mrw_renderer_create(&renderer, error);
    }
    if (status == MRW_OK) {
        status = mrw_render(renderer, &w->character.frame, &w->character.instance, 1, 1,
                            &w->picture, error);
    }
    mrw_renderer_free(renderer);
    return status;
}

static void free_work(sequence_work *w)
{
    for (size_t i = 0; i < MANY_FRAMES; i++) {
        mrw_png_encoder_free(w->encoders[i]);
    }
    mrw_image_free(&w->picture);
    bench_character_free(&w->character);
}

mrw_status bench_sequence(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    mrw_status status = make_work(b, row, &w, error);
    bench_add_kernels(b, out, run_sequence);
    bench_add_yardstick(out, "stb", run_stb);
    if (status == MRW_OK) {
        status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    }
    bench_way *stb = &out->way[out->count - 1]; /* it encodes one frame */
    stb->median *= FRAMES;
    stb->best *= FRAMES;
    bench_scale(row, out, 1e3 / FRAMES);
    free_work(&w);
    return status;
}

/* ---- wall time ------------------------------------------------------------------------------- */

/* Files that are there already would be measured otherwise: to replace one, some file systems write
 * the new one to the disk first, with threads of the kernel that work beside ours. */
static void remove_frames(const sequence_work *w)
{
    char path[FRAME_PATH];
    for (uint32_t i = w->first; i < w->frames; i += w->step) {
        name_frame(w, i, path);
        unlink(path);
    }
}

static mrw_status time_threads(sequence_work *w, int threads, mrw_isa isa, double *seconds,
                               mrw_error *error)
{
    mrw_status status = bench_check(w->b, error);
    w->threads = threads;
    remove_frames(w);
    double begin = mrw_clock_seconds(MRW_CLOCK_WALL);
    if (status == MRW_OK) {
        status = run_sequence(w, isa, error);
    }
    *seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - begin;
    return status;
}

/* Frames a second of so many threads. */
mrw_status bench_rate(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    double seconds[RATE_ROUNDS];
    mrw_status status = make_work(b, row, &w, error);
    const int threads = w.threads, rounds = b->job->quick ? 1 : RATE_ROUNDS;
    w.frames = MANY_FRAMES;
    bench_add_kernels(b, out, run_sequence);
    for (int i = 0; i < out->count && status == MRW_OK; i++) {
        for (int r = -1; r < rounds && status == MRW_OK; r++) { /* the first warms up */
            status = time_threads(&w, threads, out->way[i].isa, &seconds[r < 0 ? 0 : r], error);
        }
        if (status == MRW_OK) {
            bench_settle(&out->way[i], seconds, rounds, false);
        }
    }
    bench_scale(row, out, MANY_FRAMES);
    free_work(&w);
    return status;
}

/* ---- threads against one, and against processes ---------------------------------------------- */

#define MOST_ROUNDS 7
#define FEW_ROUNDS  3 /* slower kernels share the fast ones' threads */

/* A process of a yardstick. It says when it is ready, having drawn once, and when it is done. */
typedef struct member {
    pid_t process;
    int says; /* a pipe */
} member;

static void close_both(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

/* Never returns. It draws again when `start` closes. */
static void work_alone(sequence_work *w, mrw_isa isa, const int start[2], int say)
{
    mrw_error error;
    char byte = 0;
    close(start[1]);
    bool well = run_sequence(w, isa, &error) == MRW_OK;
    remove_frames(w);
    well = well && write(say, &byte, 1) == 1 && read(start[0], &byte, 1) == 0 &&
           run_sequence(w, isa, &error) == MRW_OK && write(say, &byte, 1) == 1;
    _exit(well ? 0 : 1);
}

static bool begin_member(sequence_work *w, mrw_isa isa, const int start[2], member *out)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    const pid_t parent = getpid();
    out->process = fork();
    if (out->process == 0) {
        bench_child_follow(parent);
        work_alone(w, isa, start, ends[1]);
    }
    if (out->process < 0) {
        close_both(ends);
        return false;
    }
    close(ends[1]);
    out->says = ends[0];
    return true;
}

/* False when one of them died. */
static bool hear_all(const member *members, int count)
{
    char byte;
    ssize_t got = 1;
    for (int i = 0; i < count && got == 1; i++) {
        do {
            got = read(members[i].says, &byte, 1);
        } while (got < 0 && errno == EINTR);
    }
    return got == 1;
}

static void end_members(const member *members, int count)
{
    for (int i = 0; i < count; i++) {
        close(members[i].says);
        while (waitpid(members[i].process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

/* The time in which `count` processes of one thread draw all frames, each its share of them. They
 * have nothing in common but the machine: threads could hardly be faster. */
static mrw_status time_processes(sequence_work *w, int count, mrw_isa isa, double *seconds,
                                 mrw_error *error)
{
    member members[MANY_FRAMES];
    int start[2], begun = 0;
    if (pipe(start) != 0) {
        return bench_fail(error, MRW_ERROR_UNSUPPORTED, "no pipe: %s", strerror(errno));
    }
    w->threads = 1;
    w->step = (uint32_t)count;
    for (w->first = 0; begun < count && begin_member(w, isa, start, &members[begun]); begun++) {
        w->first++;
    }
    w->first = 0;
    w->step = 1;
    close(start[0]);
    bool well = begun == count && hear_all(members, begun);
    double begin = mrw_clock_seconds(MRW_CLOCK_WALL);
    close(start[1]);
    well = hear_all(members, begun) && well;
    *seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - begin;
    end_members(members, begun);
    mrw_status status = bench_check(w->b, error);
    return status != MRW_OK || well
               ? status
               : bench_fail(error, MRW_ERROR_INTERNAL, "a process that bench started failed");
}

/* One thread, several and, where asked for, processes, one after the other: what else happens
 * meanwhile hits all alike. */
static mrw_status time_round(sequence_work *w, int threads, mrw_isa isa, double *gain,
                             double *processes_gain, mrw_error *error)
{
    double one = 0.0, several = 0.0, processes = 0.0;
    mrw_status status = time_threads(w, 1, isa, &one, error);
    if (status == MRW_OK) {
        status = time_threads(w, threads, isa, &several, error);
    }
    if (status == MRW_OK && processes_gain) {
        status = time_processes(w, threads, isa, &processes, error);
        *processes_gain = one / (processes > 1e-9 ? processes : 1e-9);
    }
    *gain = one / (several > 1e-9 ? several : 1e-9);
    return status;
}

mrw_status bench_threads(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    double gains[MOST_ROUNDS], processes[MOST_ROUNDS];
    mrw_status status = make_work(b, row, &w, error);
    const int threads = w.threads;
    w.frames = MANY_FRAMES;
    bench_add_kernels(b, out, run_sequence);
    const int kernels = out->count;
    for (int i = 0; i < kernels && status == MRW_OK; i++) {
        const int rounds = b->job->quick ? 1 : i == 0 ? MOST_ROUNDS : FEW_ROUNDS;
        for (int r = 0; r < rounds && status == MRW_OK; r++) {
            status = time_round(&w, threads, out->way[i].isa, &gains[r],
                                i == 0 ? &processes[r] : NULL, error);
        }
        if (status == MRW_OK) {
            bench_settle(&out->way[i], gains, rounds, true);
        }
        if (status == MRW_OK && i == 0) {
            bench_add_yardstick(out, "processes", NULL);
            bench_settle(&out->way[out->count - 1], processes, rounds, true);
        }
    }
    free_work(&w);
    return status;
}
