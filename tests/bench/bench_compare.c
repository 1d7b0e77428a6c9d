/* bench_compare.c: what comparing two decoded pictures costs, in ms.
 *
 * A picture of shapes on a plain ground and on a gradient is made here, with an edge a pixel wide
 * as anti-aliasing leaves it, and compared with itself, with one pixel changed, with the shapes
 * moved a little, and with every pixel changed by noise.
 *
 * Usage: bench_compare [ISA [THREADS]]
 */
#include "marrow/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH  1920
#define HEIGHT 1080
#define RUNS   15

static uint32_t random_bits(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static mrw_image make_image(void)
{
    mrw_image image;
    mrw_error error;
    if (mrw_image_create(WIDTH, HEIGHT, 3, &image, &error) != MRW_OK) {
        fprintf(stderr, "bench_compare: %s\n", error.text);
        exit(1);
    }
    return image;
}

/* Discs in rows, each shaded, with soft edges; the lower half of the ground is a gradient. */
static mrw_image draw_shapes(double shift)
{
    mrw_image image = make_image();
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            double dx = fmod((double)x + shift, 160.0) - 80.0, dy = y % 160 - 80;
            double inside = 60.5 - sqrt(dx * dx + dy * dy);
            inside = inside < 0.0 ? 0.0 : inside > 1.0 ? 1.0 : inside;
            double ground = y < HEIGHT / 2 ? 60.0 : 60.0 + x / 20.0;
            uint8_t *pixel = image.pixels + 3 * ((size_t)y * WIDTH + (size_t)x);
            for (int c = 0; c < 3; c++) {
                double surface = 120.0 + (double)c * 20.0 + dx + 0.4 * dy;
                pixel[c] = (uint8_t)(ground + (surface - ground) * inside);
            }
        }
    }
    return image;
}

static mrw_image copy_of(const mrw_image *image)
{
    mrw_image copy = make_image();
    memcpy(copy.pixels, image->pixels, (size_t)WIDTH * HEIGHT * 3);
    return copy;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The best of the runs: others may use the machine meanwhile. */
static double measure(const mrw_image *a, const mrw_image *b, const mrw_compare_def *def,
                      bool all_metrics)
{
    double best = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        mrw_compare_result result;
        mrw_error error;
        double start = now();
        if (mrw_compare(a, b, def, all_metrics, &result, &error) != MRW_OK) {
            fprintf(stderr, "bench_compare: %s\n", error.text);
            exit(1);
        }
        best = fmin(best, (now() - start) * 1e3);
    }
    return best;
}

static void bench(const char *name, const mrw_image *a, const mrw_image *b, mrw_compare_def def)
{
    double exact = measure(a, b, &def, false), all = measure(a, b, &def, true);
    def.mode = MRW_COMPARE_PIXEL;
    def.max_delta = 2;
    double pixel = measure(a, b, &def, false);
    def.ignore_antialiasing = true;
    double edges = measure(a, b, &def, false);
    printf("  %-20s %8.2f %8.2f %8.2f %8.2f\n", name, exact, pixel, edges, all);
}

int main(int argc, char **argv)
{
    mrw_compare_def def = mrw_compare_def_default();
    def.isa = mrw_isa_best();
    if (argc > 1 && !(mrw_isa_from_name(argv[1], &def.isa) && mrw_isa_available(def.isa))) {
        fprintf(stderr, "bench_compare: no instruction set %s here\n", argv[1]);
        return 77;
    }
    def.threads = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    mrw_image shapes = draw_shapes(0.0), moved = draw_shapes(0.3);
    mrw_image same = copy_of(&shapes), one = copy_of(&shapes), noise = copy_of(&shapes);
    one.pixels[3 * ((size_t)500 * WIDTH + 900)] ^= 64;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; i++) {
        noise.pixels[i] = (uint8_t)(noise.pixels[i] + 1 + random_bits() % 20);
    }
    printf("Two pictures of %dx%d in ms, %s, threads: %d, best of %d runs\n", WIDTH, HEIGHT,
           mrw_isa_name(def.isa), def.threads, RUNS);
    printf("  %-20s %8s %8s %8s %8s\n", "", "exact", "pixel", "edges", "all");
    bench("identical", &shapes, &same, def);
    bench("one pixel", &shapes, &one, def);
    bench("moved by 0.3 pixels", &shapes, &moved, def);
    bench("all different", &shapes, &noise, def);
    mrw_image *const all[] = {&shapes, &moved, &same, &one, &noise};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mrw_image_free(all[i]);
    }
    return 0;
}
