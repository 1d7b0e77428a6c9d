/* still.c: measures one picture of a character on several threads against one, in wall time, for
 * `marrow bench`: posing, skinning, drawing, encoding. */
#include "bench/character.h"
#include "bench/internal.h"

#include <marrow/codecs.h>

#define ROUNDS 41
#define STILLS 5 /* pictures of a measurement */

typedef struct still_work {
    bench_character character;
    mrw_renderer *renderer;
    mrw_png_encoder *encoder;
    mrw_image picture;
} still_work;

static mrw_status time_stills(still_work *w, mrw_isa isa, int threads, double *seconds,
                              mrw_error *error)
{
    const mrw_png_def def = {MRW_PNG_FAST, isa, threads};
    mrw_status status = MRW_OK;
    w->character.frame.isa = isa;
    const double begin = mrw_clock_seconds(MRW_CLOCK_WALL);
    for (int i = 0; i < STILLS && !status; i++) {
        mrw_bytes png;
        status = mrw_render(w->renderer, &w->character.frame, &w->character.instance, 1, threads,
                            &w->picture, error);
        if (!status) {
            status = mrw_png_encoder_encode(w->encoder, &w->picture, &def, &png, error);
        }
    }
    *seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - begin;
    return status;
}

/* Measures one thread and several in turn, so that other work of the machine slows both down. */
static mrw_status time_gains(const bench *b, still_work *w, int threads, bench_way *out,
                             mrw_error *error)
{
    double gains[ROUNDS];
    const int rounds = b->job->quick ? bench_slow_rounds(b) : ROUNDS;
    for (int r = -1; r < rounds; r++) { /* round -1 warms up */
        double one = 0.0, several = 0.0;
        mrw_status status = bench_check(b, error);
        status = status ? status : time_stills(w, out->isa, 1, &one, error);
        status = status ? status : time_stills(w, out->isa, threads, &several, error);
        if (status) {
            return status;
        }
        gains[r < 0 ? 0 : r] = one / (several > 1e-9 ? several : 1e-9);
    }
    bench_settle(out, gains, rounds, true);
    return MRW_OK;
}

mrw_status bench_still(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    still_work w = {.renderer = NULL};
    mrw_status status = bench_character_load((mrw_shading)row->choice, 1, row->sizes[BENCH_WIDTH],
                                             0.05f, &w.character, error);
    w.character.frame.samples = row->sizes[BENCH_SAMPLES];
    status = status ? status : mrw_renderer_create(&w.renderer, error);
    status = status ? status : mrw_png_encoder_create(&w.encoder, error);
    bench_add_kernels(b, out, NULL);
    for (int i = 0; i < out->count && !status; i++) {
        status = time_gains(b, &w, (int)row->sizes[BENCH_THREADS], &out->way[i], error);
    }
    mrw_png_encoder_free(w.encoder);
    mrw_renderer_free(w.renderer);
    mrw_image_free(&w.picture);
    bench_character_free(&w.character);
    return status;
}
