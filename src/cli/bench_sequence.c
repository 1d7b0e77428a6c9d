/* bench_sequence.c: a character as a sequence of PNG files, for `marrow bench`: posing, skinning,
 * drawing, encoding, writing. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#define FRAMES      8u  /* of a call, when processor time is read */
#define MANY_FRAMES 24u /* when the clock on the wall is: threads start and end with a sequence */

typedef struct sequence_work {
    const bench *b;
    bench_character character;
    uint32_t frames;
    int threads;
    mrw_image picture;                      /* one of the frames */
    mrw_png_encoder *encoders[MANY_FRAMES]; /* one a worker, as `marrow render` has them */
} sequence_work;

static mrw_status write_frame(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    sequence_work *w = user;
    char path[sizeof w->b->folder + 32];
    const mrw_png_def def = {.effort = MRW_PNG_FAST, .isa = w->character.frame.isa};
    mrw_png_encoder **encoder = &w->encoders[frame->worker];
    mrw_bytes png;
    mrw_status status = *encoder == NULL ? mrw_png_encoder_create(encoder, error) : MRW_OK;
    if (status == MRW_OK) {
        status = mrw_png_encoder_encode(*encoder, frame->image, &def, &png, error);
    }
    if (status == MRW_OK) {
        snprintf(path, sizeof path, "%s/frame_%04u.png", w->b->folder, frame->index);
        status = mrw_file_write(path, png.data, png.size, error);
    }
    return status;
}

/* The times are different ones: no two frames are equal. */
static mrw_status run_sequence(void *data, mrw_isa isa, mrw_error *error)
{
    sequence_work *w = data;
    double times[MANY_FRAMES];
    for (uint32_t i = 0; i < w->frames; i++) {
        times[i] = BENCH_CHARACTER_CLIP * ((double)i + 0.5) / (double)w->frames;
    }
    w->character.frame.isa = isa;
    return mrw_render_sequence(&w->character.frame, &w->character.instance, 1, times, w->frames,
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
    *w = (sequence_work){.b = b, .frames = FRAMES, .threads = (int)row->sizes[BENCH_THREADS]};
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
        status = bench_measure(b, out, &w, BENCH_CPU, error);
    }
    bench_way *stb = &out->way[out->count - 1]; /* it encodes one frame */
    stb->median *= FRAMES;
    stb->best *= FRAMES;
    bench_scale(row, out, 1e3 / FRAMES);
    free_work(&w);
    return status;
}

/* Frames a second of so many threads. */
mrw_status bench_rate(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    mrw_status status = make_work(b, row, &w, error);
    w.frames = MANY_FRAMES;
    bench_add_kernels(b, out, run_sequence);
    if (status == MRW_OK) {
        status = bench_measure(b, out, &w, BENCH_WALL, error);
    }
    bench_scale(row, out, MANY_FRAMES);
    free_work(&w);
    return status;
}

/* ---- threads against one ---- */

#define MOST_PAIRS 9

/* One thread and several, one after the other: what else happens meanwhile hits both alike. */
static mrw_status time_pair(sequence_work *w, int threads, mrw_isa isa, double *ratio,
                            mrw_error *error)
{
    mrw_status status = bench_check(error);
    double seconds[2] = {0.0, 0.0};
    for (int i = 0; i < 2 && status == MRW_OK; i++) {
        w->threads = i == 0 ? 1 : threads;
        double start = cli_now();
        status = run_sequence(w, isa, error);
        seconds[i] = cli_now() - start;
    }
    *ratio = seconds[0] / (seconds[1] > 1e-9 ? seconds[1] : 1e-9);
    return status;
}

mrw_status bench_threads(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    sequence_work w;
    mrw_status status = make_work(b, row, &w, error);
    const int threads = w.threads, pairs = b->quick ? 1 : MOST_PAIRS;
    w.frames = MANY_FRAMES;
    bench_add_kernels(b, out, run_sequence);
    for (int i = 0; i < out->count && status == MRW_OK; i++) {
        double ratios[MOST_PAIRS];
        int count =
            i == 0 || b->quick ? pairs : 3; /* slower kernels share the fast ones' threads */
        for (int p = 0; p < count && status == MRW_OK; p++) {
            status = time_pair(&w, threads, out->way[i].isa, &ratios[p], error);
        }
        if (status == MRW_OK) {
            bench_settle(&out->way[i], ratios, count, true);
        }
    }
    free_work(&w);
    return status;
}
