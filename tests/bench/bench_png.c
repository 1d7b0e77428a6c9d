/* bench_png.c: what encoding a PNG of 1280x720 costs on one core, in ms and kB, and what
 * stb_image_write and libdeflate make of the same pixels in the same run.
 *
 * The pictures: the figure of the demo, whole on plain ground and so near that it covers two
 * fifths; a gradient; noise; and the PNG files given.
 *
 * Usage: bench_png [FILE.png...]
 */
#include "marrow/marrow.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include "stb_image_write.h"
#pragma GCC diagnostic pop

#define WIDTH     1280
#define HEIGHT    720
#define RUNS      61
#define SLOW_RUNS 3

static void check(mrw_status status, const mrw_error *error)
{
    if (status != MRW_OK) {
        fprintf(stderr, "bench_png: %s\n", error->text);
        exit(1);
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* The figure: whole, or its upper half seen from so near. */
static mrw_image draw_figure(float near)
{
    mrw_error error;
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_extents extents;
    mrw_image image = {0};
    mrw_view_def view = mrw_view_def_default();
    mrw_frame_def frame = mrw_frame_def_default();
    const float aspect = (float)WIDTH / HEIGHT;
    check(mrw_load_file("demo:figure", NULL, &scene, &error), &error);
    check(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, &error), &error);
    check(mrw_renderer_create(&renderer, &error), &error);
    mrw_instance instance = mrw_instance_default(model);
    instance.time = 0.25;
    if (near > 0.0f) {
        view.has_eye = view.has_target = true;
        memcpy(view.eye, (float[3]){0.3f * near, 1.45f, near}, sizeof view.eye);
        memcpy(view.target, (float[3]){0.0f, 1.3f, 0.0f}, sizeof view.target);
    }
    frame.width = WIDTH;
    frame.height = HEIGHT;
    check(mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, aspect, MRW_ISA_AUTO, 1, &extents,
                            &error),
          &error);
    check(mrw_view_camera(&view, &extents, aspect, &frame.camera, &error), &error);
    check(mrw_render(renderer, &frame, &instance, 1, 1, &image, &error), &error);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return image;
}

static mrw_image make_image(bool noise)
{
    mrw_image image;
    mrw_error error;
    uint32_t state = 1;
    check(mrw_image_create(WIDTH, HEIGHT, 3, &image, &error), &error);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; i++) {
        size_t x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        state = state * 1664525u + 1013904223u;
        image.pixels[i] = (uint8_t)(noise ? state >> 24 : (x / 2 + y * (1 + i % 3)) / 8);
    }
    return image;
}

/* The share of pixels that differ from the first. */
static double covered(const mrw_image *image)
{
    size_t other = 0, count = (size_t)image->width * image->height;
    for (size_t i = 0; i < count; i++) {
        other += memcmp(image->pixels, image->pixels + i * image->channels, image->channels) != 0;
    }
    return (double)other / (double)count;
}

/* ---- encoders -------------------------------------------------------------------------------- */

typedef size_t (*encoder)(const mrw_image *image, int choice);

/* choice: an mrw_isa. */
static size_t encode_fast(const mrw_image *image, int choice)
{
    mrw_bytes png;
    mrw_error error;
    mrw_png_def def = mrw_png_def_default();
    def.isa = (mrw_isa)choice;
    check(mrw_png_encode_as(image, &def, &png, &error), &error);
    size_t size = png.size;
    mrw_bytes_free(&png);
    return size;
}

static size_t encode_best(const mrw_image *image, int choice)
{
    mrw_bytes png;
    mrw_error error;
    mrw_png_def def = mrw_png_def_default();
    def.effort = MRW_PNG_BEST;
    (void)choice;
    check(mrw_png_encode_as(image, &def, &png, &error), &error);
    size_t size = png.size;
    mrw_bytes_free(&png);
    return size;
}

static size_t encode_stb(const mrw_image *image, int choice)
{
    int size;
    (void)choice;
    unsigned char *png = stbi_write_png_to_mem(image->pixels, 0, (int)image->width,
                                               (int)image->height, (int)image->channels, &size);
    if (png == NULL) {
        fprintf(stderr, "bench_png: out of memory\n");
        exit(1);
    }
    free(png);
    return (size_t)size;
}

/* All rows filtered "up"; choice: a level of libdeflate. */
static size_t encode_libdeflate(const mrw_image *image, int choice)
{
    size_t stride = (size_t)image->width * image->channels, raw = (stride + 1) * image->height;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(choice);
    size_t bound = libdeflate_zlib_compress_bound(compressor, raw);
    uint8_t *rows = malloc(raw), *out = malloc(bound);
    for (size_t y = 0; y < image->height; y++) {
        uint8_t *to = rows + y * (stride + 1);
        const uint8_t *row = image->pixels + y * stride;
        *to++ = 2;
        for (size_t x = 0; x < stride; x++) {
            to[x] = (uint8_t)(row[x] - (y > 0 ? row[(ptrdiff_t)x - (ptrdiff_t)stride] : 0));
        }
    }
    size_t size = libdeflate_zlib_compress(compressor, rows, raw, out, bound);
    libdeflate_free_compressor(compressor);
    free(rows);
    free(out);
    return size;
}

/* What any encoder must at least do: read the pixels. */
static size_t copy_pixels(const mrw_image *image, int choice)
{
    static uint8_t *copy;
    size_t size = (size_t)image->width * image->height * image->channels;
    (void)choice;
    copy = copy != NULL ? copy : malloc((size_t)1 << 30);
    memcpy(copy, image->pixels, size);
    return size;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, encoder encode, int choice, const mrw_image *image, int runs)
{
    double times[RUNS];
    size_t size = encode(image, choice);
    for (int i = 0; i < runs; i++) {
        double start = now();
        encode(image, choice);
        times[i] = now() - start;
    }
    qsort(times, (size_t)runs, sizeof *times, compare_times);
    printf("    %-24s %9.2f %9.2f %9.1f\n", name, times[0], times[runs / 2], (double)size / 1e3);
}

static void bench(const char *name, mrw_image image)
{
    printf("  %s: %ux%u, %u channels, %.0f %% covered\n", name, image.width, image.height,
           image.channels, 100.0 * covered(&image));
    for (int isa = MRW_ISA_COUNT - 1; isa >= MRW_ISA_SCALAR; isa--) {
        if (mrw_isa_available((mrw_isa)isa)) {
            measure(mrw_isa_name((mrw_isa)isa), encode_fast, isa, &image, RUNS);
        }
    }
    measure("a copy of the pixels", copy_pixels, 0, &image, RUNS);
    measure("libdeflate 1, up", encode_libdeflate, 1, &image, RUNS / 4);
    measure("libdeflate 4, up", encode_libdeflate, 4, &image, RUNS / 8);
    measure("stb_image_write", encode_stb, 0, &image, SLOW_RUNS);
    measure("best", encode_best, 0, &image, 1);
    mrw_image_free(&image);
}

int main(int argc, char **argv)
{
    printf("PNG on one core: ms, best and median; kB\n");
    bench("small model", draw_figure(0.0f));
    bench("near model", draw_figure(0.85f));
    bench("gradient", make_image(false));
    bench("noise", make_image(true));
    for (int i = 1; i < argc; i++) {
        mrw_image image;
        mrw_error error;
        check(mrw_image_read(argv[i], 0, &image, &error), &error);
        bench(argv[i], image);
    }
    return 0;
}
