/* jpeg.c: measures reading and writing JPEGs, for `marrow bench`. Yardsticks are stb_image, and the
 * PNG of the same frame. */
#include "bench/internal.h"

#include <marrow/codecs.h>

typedef struct jpeg_work {
    mrw_image image;
    mrw_text file;
} jpeg_work;

static mrw_status run_read(void *data, mrw_isa isa, mrw_error *error)
{
    const jpeg_work *w = data;
    mrw_image image = {.width = 0};
    (void)isa;
    const mrw_status status =
        mrw_image_decode(w->file.data, w->file.size, 4, 0, "texture", &image, error);
    mrw_image_free(&image);
    return status;
}

static mrw_status run_stb(void *data, mrw_isa isa, mrw_error *error)
{
    const jpeg_work *w = data;
    (void)isa;
    return bench_stb_decode(w->file.data, w->file.size, error);
}

mrw_status bench_jpeg_read(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    jpeg_work w = {.file = {0}};
    const uint32_t side = row->sizes[BENCH_WIDTH];
    mrw_status status = mrw_image_create(side, side, 3, &w.image, error);
    for (uint32_t i = 0; i < 3 * side * side && !status; i++) { /* waves with some grain */
        const uint32_t x = i / 3 % side, y = i / 3 / side, grain = (i * 2654435761u) >> 27;
        w.image.pixels[i] = (uint8_t)(((x * y >> 11) + 40 * (i % 3)) % 192 + grain);
    }
    status = status ? status : bench_stb_write(&w.image, true, &w.file, error);
    if (!status) {
        bench_add_kernels(b, out, run_read);
        bench_add_yardstick(out, "stb", run_stb);
        status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
        bench_scale(row, out, 1e3);
    }
    mrw_text_free(&w.file);
    mrw_image_free(&w.image);
    return status;
}

static mrw_status run_write(void *data, mrw_isa isa, mrw_error *error)
{
    const jpeg_work *w = data;
    mrw_bytes file = {0};
    (void)isa;
    const mrw_status status = mrw_jpeg_encode(&w->image, 92, &file, error);
    mrw_bytes_free(&file);
    return status;
}

static mrw_status run_png(void *data, mrw_isa isa, mrw_error *error)
{
    const jpeg_work *w = data;
    mrw_bytes file = {0};
    (void)isa;
    const mrw_status status = mrw_png_encode(&w->image, &file, error);
    mrw_bytes_free(&file);
    return status;
}

mrw_status bench_jpeg_write(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    jpeg_work w = {.file = {0}};
    mrw_status status = bench_character_picture(&w.image, error);
    if (!status) {
        bench_add_kernels(b, out, run_write);
        bench_add_yardstick(out, "png", run_png);
        status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
        bench_scale(row, out, 1e3);
    }
    mrw_image_free(&w.image);
    return status;
}
