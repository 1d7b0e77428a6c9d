/* png.c: measures writing and reading PNG files, for `marrow bench`. Yardsticks are stb, and
 * libdeflate after the up filter. */
#include "bench/character.h"
#include "bench/internal.h"

#include <libdeflate.h>
#include <marrow/codecs.h>
#include <stdlib.h>
#include <string.h>

#define PNG_AROUND 57 /* bytes of a file without its pixels: the signature and three chunks */

typedef struct png_work {
    mrw_image image;
    char *copy;
    uint8_t *rows;   /* filtered rows, the input of libdeflate */
    uint8_t *packed; /* the output of libdeflate */
    struct libdeflate_compressor *deflater;
    size_t size;    /* size of the last file in bytes */
    mrw_bytes file; /* the file to read */
} png_work;

enum { PNG_PLAIN, PNG_TEXTURED, PNG_SMOOTH }; /* a row's choice */

/* Makes the picture of a row: the character on a plain ground, textured or in clay, or the body
 * that covers 40 %. */
static mrw_status make_picture(const bench_row *row, mrw_image *out, mrw_error *error)
{
    bench_character character;
    mrw_renderer *renderer = NULL;
    uint32_t width = row->sizes[BENCH_WIDTH];
    if (row->choice == PNG_TEXTURED) {
        return bench_draw_picture(row->sizes[BENCH_TRIANGLES], width, row->sizes[BENCH_SAMPLES],
                                  out, error);
    }
    mrw_status status =
        bench_character_load(row->choice == PNG_SMOOTH ? MRW_SHADING_CLAY : MRW_SHADING_LIT, 1,
                             width, 0.05f, &character, error);
    if (status) {
        goto out;
    }
    status = mrw_renderer_create(&renderer, error);
    if (status) {
        goto out;
    }
    character.frame.samples = row->sizes[BENCH_SAMPLES];
    status = mrw_render(renderer, &character.frame, &character.instance, 1, 1, out, error);
out:
    mrw_renderer_free(renderer);
    bench_character_free(&character);
    return status;
}

static size_t filtered_size(const mrw_image *image)
{
    return ((size_t)image->width * image->channels + 1) * image->height;
}

/* Takes the image over. */
static mrw_status make_work(mrw_image *image, png_work *w, mrw_error *error)
{
    *w = (png_work){.image = *image};
    *image = (mrw_image){0};
    w->copy = bench_array((size_t)w->image.width * w->image.height, w->image.channels);
    w->deflater = libdeflate_alloc_compressor(2);
    w->rows = bench_array(filtered_size(&w->image), 1);
    w->packed = bench_array(libdeflate_zlib_compress_bound(NULL, filtered_size(&w->image)), 1);
    return w->copy && w->deflater && w->rows && w->packed ? MRW_OK : bench_fail_memory(error);
}

static void free_work(png_work *w)
{
    mrw_image_free(&w->image);
    free(w->copy);
    free(w->rows);
    free(w->packed);
    if (w->deflater) {
        libdeflate_free_compressor(w->deflater);
    }
}

static mrw_status run_marrow(void *data, mrw_isa isa, mrw_error *error)
{
    png_work *w = data;
    mrw_png_def def = mrw_png_def_default();
    mrw_bytes png = {0};
    def.isa = isa;
    mrw_status status = mrw_png_encode_as(&w->image, &def, &png, error);
    w->size = png.size;
    mrw_bytes_free(&png);
    return status;
}

static mrw_status run_stb(void *data, mrw_isa isa, mrw_error *error)
{
    png_work *w = data;
    (void)isa;
    return bench_stb_encode(&w->image, &w->size, error);
}

/* Packs the picture with the simplest encoder that finds matches: the up filter for all rows, then
 * libdeflate at level 2. */
static mrw_status run_libdeflate(void *data, mrw_isa isa, mrw_error *error)
{
    png_work *w = data;
    const size_t stride = (size_t)w->image.width * w->image.channels,
                 raw = filtered_size(&w->image);
    uint8_t *to = w->rows;
    (void)isa;
    (void)error;
    for (uint32_t y = 0; y < w->image.height; y++, to += stride) {
        const uint8_t *row = w->image.pixels + y * stride, *above = y > 0 ? row - stride : NULL;
        *to++ = 2;
        for (size_t i = 0; i < stride; i++) {
            to[i] = (uint8_t)(row[i] - (above ? above[i] : 0));
        }
    }
    w->size = PNG_AROUND + libdeflate_zlib_compress(w->deflater, w->rows, raw, w->packed,
                                                    libdeflate_zlib_compress_bound(NULL, raw));
    return MRW_OK;
}

static mrw_status run_copy(void *data, mrw_isa isa, mrw_error *error)
{
    png_work *w = data;
    (void)isa;
    (void)error;
    memcpy(w->copy, w->image.pixels, (size_t)w->image.width * w->image.height * w->image.channels);
    __asm__ volatile("" ::"r"(w->copy) : "memory");
    return MRW_OK;
}

static void add_encoders(const bench *b, bench_ways *out)
{
    bench_add_kernels(b, out, run_marrow);
    bench_add_yardstick(out, "stb", run_stb);
    bench_add_yardstick(out, "libdeflate", run_libdeflate);
}

mrw_status bench_png_of(bench *b, const bench_row *row, mrw_image *image, bench_ways *out,
                        mrw_error *error)
{
    png_work w;
    mrw_status status = make_work(image, &w, error);
    if (status) {
        goto out;
    }
    add_encoders(b, out);
    bench_add_yardstick(out, "copy", run_copy);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    free_work(&w);
    return status;
}

mrw_status bench_png_size_of(bench *b, mrw_image *image, bench_ways *out, mrw_error *error)
{
    png_work w;
    mrw_status status = make_work(image, &w, error);
    if (status) {
        goto out;
    }
    add_encoders(b, out);
    for (int i = 0; i < out->count; i++) {
        bench_way *way = &out->way[i];
        status = way->work(&w, way->isa, error);
        if (status) {
            goto out;
        }
        way->median = way->best = (double)w.size * 1e-3;
        way->runs = 1;
    }
out:
    free_work(&w);
    return status;
}

mrw_status bench_png(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    mrw_image image = {0};
    mrw_status status = make_picture(row, &image, error);
    if (!status) {
        status = bench_png_of(b, row, &image, out, error);
    }
    mrw_image_free(&image); /* empty once it was taken over */
    return status;
}

mrw_status bench_png_size(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    mrw_image image = {0};
    mrw_status status = make_picture(row, &image, error);
    if (!status) {
        status = bench_png_size_of(b, &image, out, error);
    }
    mrw_image_free(&image);
    return status;
}

static mrw_status run_read(void *data, mrw_isa isa, mrw_error *error)
{
    const png_work *w = data;
    mrw_image image = {.width = 0};
    (void)isa;
    const mrw_status status =
        mrw_image_decode(w->file.data, w->file.size, 0, 0, "frame", &image, error);
    mrw_image_free(&image);
    return status;
}

mrw_status bench_png_read(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    png_work w = {.size = 0};
    mrw_image image = {0};
    mrw_status status = make_picture(row, &image, error);
    status = status ? status : make_work(&image, &w, error);
    status = status ? status : mrw_png_encode(&w.image, &w.file, error);
    if (!status) {
        bench_add_kernels(b, out, run_read);
        bench_add_yardstick(out, "copy", run_copy);
        status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
        bench_scale(row, out, 1e3);
    }
    mrw_bytes_free(&w.file);
    free_work(&w);
    mrw_image_free(&image);
    return status;
}
