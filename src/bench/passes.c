/* passes.c: measures, for `marrow bench`, five passes of a character without its picture, beside
 * the picture; and its picture with 16 bits per channel and two passes in an OpenEXR file, drawn
 * and encoded, beside the picture with 8 bits. */
#include "bench/character.h"
#include "bench/internal.h"

#include <marrow/codecs.h>

typedef struct passes_work {
    bench_character character;
    mrw_renderer *renderer;
    mrw_png_encoder *encoder;
    mrw_image picture, deep; /* with 8 and with 16 bits per channel */
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

static mrw_status write_picture(passes_work *w, uint32_t bits, mrw_isa isa, mrw_image *image,
                                mrw_error *error)
{
    const mrw_png_def png = {MRW_PNG_FAST, isa, 1};
    mrw_frame_def def = w->character.frame;
    mrw_bytes bytes;
    def.isa = isa;
    def.bits = bits;
    mrw_status status = mrw_render(w->renderer, &def, &w->character.instance, 1, 1, image, error);
    return status ? status : mrw_png_encoder_encode(w->encoder, image, &png, &bytes, error);
}

static mrw_status run_8_bits(void *data, mrw_isa isa, mrw_error *error)
{
    passes_work *w = data;
    return write_picture(w, 8, isa, &w->picture, error);
}

static mrw_status run_16_bits(void *data, mrw_isa isa, mrw_error *error)
{
    passes_work *w = data;
    return write_picture(w, 16, isa, &w->deep, error);
}

static mrw_status run_exr(void *data, mrw_isa isa, mrw_error *error)
{
    static const mrw_aov_request both[] = {{MRW_AOV_DEPTH, NULL}, {MRW_AOV_NORMAL, NULL}};
    passes_work *w = data;
    mrw_frame_def def = w->character.frame;
    mrw_bytes bytes = {0};
    def.isa = isa;
    def.aovs = both;
    def.aov_count = 2;
    def.no_picture = true;
    mrw_status status =
        mrw_render(w->renderer, &def, &w->character.instance, 1, 1, &w->picture, error);
    if (status) {
        return status;
    }
    const mrw_image *depth = mrw_frame_aov(w->renderer, 0), *normal = mrw_frame_aov(w->renderer, 1);
    const mrw_exr_channel channels[] = {{"Z", MRW_FORMAT_F32, depth->pixels, 4},
                                        {"normal.X", MRW_FORMAT_F32, normal->pixels, 12},
                                        {"normal.Y", MRW_FORMAT_F32, normal->pixels + 4, 12},
                                        {"normal.Z", MRW_FORMAT_F32, normal->pixels + 8, 12}};
    const mrw_exr_def exr = {def.width, def.height, channels, 4, NULL, 0};
    status = mrw_exr_encode(&exr, &bytes, error);
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status bench_passes(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    static const bench_work works[] = {[BENCH_PASSES_FIVE] = run_passes,
                                       [BENCH_PASSES_EXR] = run_exr,
                                       [BENCH_PASSES_16_BITS] = run_16_bits};
    passes_work w = {.renderer = NULL};
    mrw_status status = bench_character_load(MRW_SHADING_LIT, 1, row->sizes[BENCH_WIDTH], 0.05f,
                                             &w.character, error);
    if (status) {
        goto out;
    }
    w.character.frame.samples = row->sizes[BENCH_SAMPLES];
    status = mrw_renderer_create(&w.renderer, error);
    if (status) {
        goto out;
    }
    status = mrw_png_encoder_create(&w.encoder, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, works[row->choice]);
    if (row->choice == BENCH_PASSES_FIVE) {
        bench_add_yardstick(out, "picture", run_picture);
    } else {
        bench_add_yardstick(out, "8-bits", run_8_bits);
    }
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e3);
out:
    mrw_png_encoder_free(w.encoder);
    mrw_renderer_free(w.renderer);
    mrw_image_free(&w.picture);
    mrw_image_free(&w.deep);
    bench_character_free(&w.character);
    return status;
}
