/* compare.c: measures comparing two pictures, for `marrow bench`: discs with soft edges, half on a
 * plain ground and half on a gradient, and the same moved by a third of a pixel. */
#include "bench/internal.h"

#include <marrow/compare.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_work {
    mrw_image expected, actual;
    mrw_compare_def def;
    char *copy;
} compare_work;

static void draw_discs(mrw_image *image, float shift)
{
    for (uint32_t i = 0; i < image->width * image->height; i++) {
        uint32_t x = i % image->width, y = i / image->width;
        float dx = fmodf((float)x + shift, 160.0f) - 80.0f, dy = (float)(y % 160) - 80.0f;
        float inside = fminf(1.0f, fmaxf(0.0f, 60.5f - sqrtf(dx * dx + dy * dy)));
        float ground = y < image->height / 2 ? 60.0f : 60.0f + (float)x / 20.0f;
        for (int c = 0; c < 3; c++) {
            float surface = 120.0f + 20.0f * (float)c + dx + 0.4f * dy;
            image->pixels[3 * (size_t)i + (size_t)c] =
                (uint8_t)fminf(255.0f, fmaxf(0.0f, ground + (surface - ground) * inside));
        }
    }
}

static mrw_status run_compare(void *data, mrw_isa isa, mrw_error *error)
{
    compare_work *w = data;
    mrw_compare_result result;
    w->def.isa = isa;
    return mrw_compare(&w->expected, &w->actual, &w->def, false, &result, error);
}

static mrw_status run_copy(void *data, mrw_isa isa, mrw_error *error)
{
    compare_work *w = data;
    (void)isa;
    (void)error;
    memcpy(w->copy, w->expected.pixels, (size_t)w->expected.width * w->expected.height * 3);
    __asm__ volatile("" ::"r"(w->copy) : "memory");
    return MRW_OK;
}

mrw_status bench_compare(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    uint32_t width = row->sizes[BENCH_WIDTH], height = BENCH_HEIGHT(width);
    compare_work w = {.def = mrw_compare_def_default(),
                      .copy = bench_array((size_t)width * height, 3)};
    w.def.mode = (mrw_compare_mode)row->choice;
    w.def.ignore_antialiasing = row->choice == MRW_COMPARE_PIXEL;
    if (!w.copy) {
        return bench_fail_memory(error);
    }
    mrw_status status = mrw_image_create(width, height, 3, &w.expected, error);
    if (status) {
        goto out;
    }
    status = mrw_image_create(width, height, 3, &w.actual, error);
    if (status) {
        goto out;
    }
    draw_discs(&w.expected, 0.0f);
    draw_discs(&w.actual, row->choice == MRW_COMPARE_EXACT ? 0.0f : 0.3f);
    bench_add_kernels(b, out, run_compare);
    bench_add_yardstick(out, "copy", run_copy);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    mrw_image_free(&w.expected);
    mrw_image_free(&w.actual);
    free(w.copy);
    return status;
}
