/* environment.c: measures making an environment from a Radiance file, for `marrow bench`. */
#include "bench/internal.h"

#include <marrow/light.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct environment_work {
    uint8_t *file;
    size_t size;
    mrw_image picture; /* input of stb's yardstick: the picture of png-plain */
    size_t packed;     /* size of its PNG */
} environment_work;

/* Makes a sky that is not run-length encoded: four bytes per pixel, with eight exponents. */
static mrw_status make_file(uint32_t width, environment_work *w, mrw_error *error)
{
    const size_t pixels = (size_t)width * (width / 2);
    w->file = bench_array(pixels + 32, 4);
    if (!w->file) {
        return bench_fail_memory(error);
    }
    w->size =
        (size_t)snprintf((char *)w->file, 128, "#?RADIANCE\n\n-Y %u +X %u\n", width / 2, width);
    uint32_t seed = 7;
    for (size_t i = 0; i < pixels; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint8_t pixel[4] = {(uint8_t)(128 | seed >> 24), (uint8_t)(128 | seed >> 16),
                                  (uint8_t)(128 | seed >> 8), (uint8_t)(126 + (i >> 7) % 8)};
        memcpy(w->file + w->size, pixel, sizeof pixel);
        w->size += sizeof pixel;
    }
    return MRW_OK;
}

static mrw_status run_marrow(void *data, mrw_isa isa, mrw_error *error)
{
    const environment_work *w = data;
    mrw_environment *environment = NULL;
    (void)isa; /* this work has no kernels */
    mrw_status status =
        mrw_environment_create_hdr(w->file, w->size, "sky.hdr", false, 1, &environment, error);
    mrw_environment_free(environment);
    return status;
}

static mrw_status run_stb(void *data, mrw_isa isa, mrw_error *error)
{
    environment_work *w = data;
    (void)isa;
    return bench_stb_encode(&w->picture, &w->packed, error);
}

mrw_status bench_environment(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    environment_work w = {.file = NULL};
    mrw_status status = make_file(row->sizes[BENCH_WIDTH], &w, error);
    if (status) {
        goto out;
    }
    status = bench_character_picture(&w.picture, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_marrow);
    bench_add_yardstick(out, "stb-png", run_stb);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    mrw_image_free(&w.picture);
    free(w.file);
    return status;
}
