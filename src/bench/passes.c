/* passes.c: measures five passes of a character without its picture, for `marrow bench`. The
 * yardstick is the picture. */
#include "bench/character.h"
#include "bench/internal.h"

typedef struct passes_work {
    bench_character character;
    mrw_renderer *renderer;
    mrw_image picture;
} passes_work;

static mrw_status run_passes(void *data, mrw_isa isa, mrw_error *error)
{
    static const mrw_aov_request five[] = {{MRW_AOV_COLOR, NULL},
                                           {MRW_AOV_DEPTH, NULL},
                                           {MRW_AOV_NORMAL, NULL},
                                           {MRW_AOV_POSITION, NULL},
                                           {MRW_AOV_ID, NULL}};
    passes_work *w = data;
    mrw_frame_def def = w->character.frame;
    def.isa = isa;
    def.aovs = five;
    def.aov_count = sizeof five / sizeof five[0];
    def.no_picture = true;
    return mrw_render(w->renderer, &def, &w->character.instance, 1, 1, &w->picture, error);
}

static mrw_status run_picture(void *data, mrw_isa isa, mrw_error *error)
{
    passes_work *w = data;
    (void)isa;
    return mrw_render(w->renderer, &w->character.frame, &w->character.instance, 1, 1, &w->picture,
                      error);
}

mrw_status bench_passes(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    passes_work w = {.renderer = NULL};
    mrw_status status = bench_character_load((mrw_shading)row->choice, 1, row->sizes[BENCH_WIDTH],
                                             0.05f, &w.character, error);
    if (status) {
        goto out;
    }
    w.character.frame.samples = row->sizes[BENCH_SAMPLES];
    status = mrw_renderer_create(&w.renderer, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_passes);
    bench_add_yardstick(out, "picture", run_picture);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    mrw_renderer_free(w.renderer);
    mrw_image_free(&w.picture);
    bench_character_free(&w.character);
    return status;
}
