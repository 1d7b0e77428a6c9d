/* fit.c: measures framing, for `marrow bench`: the extents of a whole clip, and two pictures. The
 * yardstick frames the rest pose instead and draws the same pictures. */
#include "bench/character.h"
#include "bench/internal.h"

#define MOST_COPIES 100

typedef struct fit_work {
    bench_character character;
    mrw_instance copies[MOST_COPIES];
    uint32_t count;
    mrw_view_def view;
    mrw_extents extents;
    mrw_renderer *renderer;
    mrw_image picture;
} fit_work;

static mrw_status frame(fit_work *w, mrw_fit fit, mrw_isa isa, mrw_error *error)
{
    return mrw_frame_extents(w->copies, w->count, fit, &w->view, 16.0f / 9.0f, isa, 1, &w->extents,
                             error);
}

static mrw_status draw_two(fit_work *w, mrw_fit fit, mrw_isa isa, mrw_error *error)
{
    mrw_status status = frame(w, fit, isa, error);
    w->character.frame.isa = isa;
    for (int picture = 0; picture < 2 && !status; picture++) {
        for (uint32_t i = 0; i < w->count; i++) {
            w->copies[i].time = picture * BENCH_CHARACTER_CLIP;
        }
        status = mrw_render(w->renderer, &w->character.frame, w->copies, w->count, 1, &w->picture,
                            error);
    }
    return status;
}

static mrw_status run_clip(void *data, mrw_isa isa, mrw_error *error)
{
    return draw_two(data, MRW_FIT_CLIP, isa, error);
}

static mrw_status run_rest(void *data, mrw_isa isa, mrw_error *error)
{
    return draw_two(data, MRW_FIT_REST, isa, error);
}

mrw_status bench_fit(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    static fit_work w;
    const uint32_t fineness = row->sizes[BENCH_TRIANGLES] > 11040 ? 2 : 1;
    w = (fit_work){.count = row->choice, .view = mrw_view_def_default()};
    mrw_status status = bench_character_load(MRW_SHADING_LIT, fineness, row->sizes[BENCH_WIDTH],
                                             0.05f, &w.character, error);
    for (uint32_t i = 0; i < w.count; i++) {
        w.copies[i] = w.character.instance;
        w.copies[i].model_to_world.m[12] = 2.0f * (float)(i % 10);
        w.copies[i].model_to_world.m[14] = -2.0f * (float)(i / 10);
    }
    status = status ? status : mrw_renderer_create(&w.renderer, error);
    status = status ? status : frame(&w, MRW_FIT_CLIP, MRW_ISA_AUTO, error);
    if (status) {
        goto out;
    }
    status = mrw_view_camera(&w.view, &w.extents, 16.0f / 9.0f, &w.character.frame.camera, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_clip);
    bench_add_yardstick(out, "rest", run_rest);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    bench_character_free(&w.character);
    mrw_image_free(&w.picture);
    mrw_renderer_free(w.renderer);
    return status;
}
