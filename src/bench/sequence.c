/* sequence.c: measures a character as a sequence of PNG files, for `marrow bench`: posing,
 * skinning, drawing, encoding, writing. */
#include "bench/character.h"
#include "bench/internal.h"

#include <errno.h>
#include <marrow/codecs.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES 8u /* frames of a call that is measured in processor time */
/* Frames of a call that is measured in wall time: the whole clip at 30 per second, because threads
 * start and end with each sequence. */
#define MANY_FRAMES 60u
#define RATE_ROUNDS 7

#define FRAME_PATH (sizeof((bench *)0)->folder + 32)

typedef struct sequence_work {
    const bench *b;
    bench_character character;
    uint32_t frames;
    uint32_t first, step; /* draw the frames first, first + step, ... */
    int threads;
    mrw_image picture;                      /* one frame, for the yardstick */
    mrw_png_encoder *encoders[MANY_FRAMES]; /* one per worker, as in `marrow render` */
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
    if (status) {
        return status;
    }
    status = mrw_png_encoder_encode(*encoder, frame->image, &def, &png, error);
    if (status) {
        return status;
    }
    name_frame(w, w->first + frame->index * w->step, path);
    return mrw_file_write(path, png.data, png.size, error);
}

/* Draws the frames of the work. All times differ, so no two frames are equal. */
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
    if (status) {
        return status;
    }
    status = bench_character_load((mrw_shading)row->choice, 1, row->sizes[BENCH_WIDTH], 0.05f,
                                  &w->character, error);
    if (status) {
        return status;
    }
    w->character.frame.samples = row->sizes[BENCH_SAMPLES];
    status = mrw_renderer_create(&renderer, error);
    if (status) {
        return status;
    }
    status =
        mrw_render(renderer, &w->character.frame, &w->character.instance, 1, 1, &w->picture, error);
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
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_sequence);
    bench_add_yardstick(out, "stb", run_stb);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_way *stb = &out->way[out->count - 1]; /* a call of stb encodes one frame */
    stb->median *= FRAMES;
    stb->best *= FRAMES;
    bench_scale(row, out, 1e3 / FRAMES);
out:
    free_work(&w);
    return status;
}

/* ---- wall time ------------------------------------------------------------------------------- */

/* Removes the files of all frames. To replace a file some file systems write the new one to the
 * disk first, with threads of the kernel that run beside ours, so this would be measured, too. */
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
    if (status) {
        return status;
    }
    w->threads = threads;
    remove_frames(w);
    double begin = mrw_clock_seconds(MRW_CLOCK_WALL);
    status = run_sequence(w, isa, error);
    *seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - begin;
    return status;
}

/* Measures the frames per second of so many threads. */
mrw_status bench_rate(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    double seconds[RATE_ROUNDS];
    mrw_status status = make_work(b, row, &w, error);
    if (status) {
        goto out;
    }
    const int threads = w.threads, rounds = b->job->quick ? 1 : RATE_ROUNDS;
    w.frames = MANY_FRAMES;
    bench_add_kernels(b, out, run_sequence);
    for (int i = 0; i < out->count; i++) {
        for (int r = -1; r < rounds; r++) { /* round -1 warms up */
            status = time_threads(&w, threads, out->way[i].isa, &seconds[r < 0 ? 0 : r], error);
            if (status) {
                goto out;
            }
        }
        bench_settle(&out->way[i], seconds, rounds, false);
    }
    bench_scale(row, out, MANY_FRAMES);
out:
    free_work(&w);
    return status;
}

/* ---- threads against one, and against processes ---------------------------------------------- */

#define MOST_ROUNDS 7
#define FEW_ROUNDS  3 /* rounds of slower kernels, which run with the same threads */

/* A process of a yardstick. It writes a byte when it is ready, after drawing once, and another when
 * it is done. */
typedef struct member {
    pid_t process;
    int says; /* the pipe to read from */
} member;

/* Draws once, and again when `start` closes. Never returns. */
static void work_alone(sequence_work *w, mrw_isa isa, const int start[2], int say)
{
    mrw_error error;
    char byte = 0;
    close(start[1]);
    const mrw_status status = run_sequence(w, isa, &error);
    remove_frames(w);
    const bool well = !status && write(say, &byte, 1) == 1 && read(start[0], &byte, 1) == 0 &&
                      !run_sequence(w, isa, &error) && write(say, &byte, 1) == 1;
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
    close(ends[1]);
    if (out->process < 0) {
        close(ends[0]);
        return false;
    }
    out->says = ends[0];
    return true;
}

/* Waits for a byte from each member. Returns false if one of them died. */
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

/* Measures `count` processes of one thread that draw all frames, each its share. They have nothing
 * in common but the machine, so threads could hardly be faster. */
static mrw_status time_processes(sequence_work *w, int count, mrw_isa isa, double *seconds,
                                 mrw_error *error)
{
    member members[MANY_FRAMES];
    int start[2], begun = 0;
    if (pipe(start) != 0) {
        return mrw_fail(error, MRW_ERROR_UNSUPPORTED, "no pipe: %s", strerror(errno));
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
    if (status) {
        return status;
    }
    return well ? MRW_OK
                : mrw_fail(error, MRW_ERROR_INTERNAL, "a process that bench started failed");
}

/* Measures one thread, several, and processes unless processes_gain is NULL, one right after the
 * other: so other work of the machine slows all of them down. */
static mrw_status time_round(sequence_work *w, int threads, mrw_isa isa, double *gain,
                             double *processes_gain, mrw_error *error)
{
    double one = 0.0, several = 0.0, processes = 0.0;
    mrw_status status = time_threads(w, 1, isa, &one, error);
    if (status) {
        return status;
    }
    status = time_threads(w, threads, isa, &several, error);
    if (status) {
        return status;
    }
    *gain = one / (several > 1e-9 ? several : 1e-9);
    if (!processes_gain) {
        return MRW_OK;
    }
    status = time_processes(w, threads, isa, &processes, error);
    *processes_gain = one / (processes > 1e-9 ? processes : 1e-9);
    return status;
}

mrw_status bench_threads(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    double gains[MOST_ROUNDS], processes[MOST_ROUNDS];
    mrw_status status = make_work(b, row, &w, error);
    if (status) {
        goto out;
    }
    const int threads = w.threads;
    w.frames = MANY_FRAMES;
    bench_add_kernels(b, out, run_sequence);
    const int kernels = out->count;
    for (int i = 0; i < kernels; i++) {
        const int rounds = b->job->quick ? 1 : i == 0 ? MOST_ROUNDS : FEW_ROUNDS;
        for (int r = 0; r < rounds; r++) {
            status = time_round(&w, threads, out->way[i].isa, &gains[r],
                                i == 0 ? &processes[r] : NULL, error);
            if (status) {
                goto out;
            }
        }
        bench_settle(&out->way[i], gains, rounds, true);
        if (i == 0) {
            bench_add_yardstick(out, "processes", NULL);
            bench_settle(&out->way[out->count - 1], processes, rounds, true);
        }
    }
out:
    free_work(&w);
    return status;
}
