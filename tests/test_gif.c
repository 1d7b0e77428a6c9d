/* test_gif.c: GIFs and WebPs of many pictures, decoded by giflib and libwebp. */
#include "base/memory.h"
#include "base/parallel.h"
#include "marrow/output.h"
#include "test.h"

#include <gif_lib.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

#define WIDTH  24
#define HEIGHT 18
#define MOST   200

static mrw_image images[MOST];
static uint32_t image_count;

/* ---- pictures and files ---------------------------------------------------------------------- */

static void begin(uint32_t count, uint32_t channels)
{
    image_count = count;
    for (uint32_t i = 0; i < count; i++) {
        mrw_image_free(&images[i]);
        ck_assert_int_eq(mrw_image_create(WIDTH, HEIGHT, channels, &images[i], NULL), MRW_OK);
    }
}

static void tear_down(void)
{
    for (uint32_t i = 0; i < MOST; i++) {
        mrw_image_free(&images[i]);
    }
}

static void set_pixel(uint32_t i, uint32_t x, uint32_t y, const uint8_t color[4])
{
    const uint32_t channels = images[i].channels;
    memcpy(images[i].pixels + (y * WIDTH + x) * channels, color, channels);
}

typedef struct put_job {
    mrw_output *output;
    int statuses[4];
} put_job;

static void put_one(void *user, int64_t index, int worker)
{
    put_job *job = user;
    const uint32_t i = image_count - 1 - (uint32_t)index; /* the last first */
    mrw_status status = mrw_output_put(job->output, worker, i, i, &images[i], NULL);
    job->statuses[worker] = status != MRW_OK ? (int)status : job->statuses[worker];
}

/* The file of the pictures, in memory. def: what else is said; may be NULL. */
static mrw_bytes write_file(mrw_output_format format, mrw_rate rate, const mrw_output_def *with,
                            int threads, uint64_t *left_out)
{
    uint32_t of[MOST] = {0};
    char *path = "-";
    const mrw_output_files files = {&path, 1, of, image_count};
    mrw_output_def def = with ? *with : (mrw_output_def){0};
    put_job job = {0};
    mrw_bytes bytes = {0};
    def.format = format;
    def.files = &files;
    def.width = WIDTH;
    def.height = HEIGHT;
    def.channels = images[0].channels;
    def.png = mrw_png_def_default();
    def.workers = 4;
    def.rates = &rate;
    ck_assert_int_eq(mrw_output_open(&def, &job.output, NULL), MRW_OK);
    mrwi_base_parallel_for(threads, image_count, put_one, &job);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(job.statuses[i], MRW_OK);
    }
    ck_assert_int_eq(mrw_output_finish(job.output, &bytes, NULL), MRW_OK);
    if (left_out) {
        *left_out = mrw_output_left_out(job.output);
    }
    mrw_output_free(job.output);
    return bytes;
}

/* ---- giflib's reader ------------------------------------------------------------------------- */

typedef struct reader {
    const mrw_bytes *bytes;
    size_t at;
} reader;

static int read_bytes(GifFileType *file, GifByteType *out, int size)
{
    reader *r = file->UserData;
    const size_t left = r->bytes->size - r->at, got = (size_t)size < left ? (size_t)size : left;
    memcpy(out, r->bytes->data + r->at, got);
    r->at += got;
    return (int)got;
}

/* What a viewer shows: RGBA, as GIF89a says (disposal: section 23). */
typedef struct shown {
    uint32_t count;
    uint8_t pixels[MOST][HEIGHT][WIDTH][4];
    uint32_t delays[MOST];
    int left[MOST], top[MOST], width[MOST], height[MOST], colors;
    uint8_t palette[256][3];
    bool plays; /* without end */
} shown;

static shown seen;

static void clear_rectangle(uint8_t canvas[HEIGHT][WIDTH][4], const GifImageDesc *d)
{
    for (int y = d->Top; y < d->Top + d->Height; y++) {
        memset(canvas[y][d->Left], 0, 4 * (size_t)d->Width);
    }
}

static void show_frame(GifFileType *file, int i, uint8_t canvas[HEIGHT][WIDTH][4], int *disposal)
{
    const SavedImage *frame = &file->SavedImages[i];
    const GifImageDesc *d = &frame->ImageDesc;
    GraphicsControlBlock control;
    ck_assert_int_eq(DGifSavedExtensionToGCB(file, i, &control), GIF_OK);
    ck_assert(d->Width > 0 && d->Left + d->Width <= WIDTH && d->Top + d->Height <= HEIGHT);
    for (int y = 0; y < d->Height; y++) {
        for (int x = 0; x < d->Width; x++) {
            const int index = frame->RasterBits[y * d->Width + x];
            const GifColorType *color = &file->SColorMap->Colors[index];
            if (index != control.TransparentColor) {
                const uint8_t pixel[4] = {color->Red, color->Green, color->Blue, 255};
                memcpy(canvas[d->Top + y][d->Left + x], pixel, 4);
            }
        }
    }
    seen.delays[i] = (uint32_t)control.DelayTime;
    seen.left[i] = d->Left;
    seen.top[i] = d->Top;
    seen.width[i] = d->Width;
    seen.height[i] = d->Height;
    *disposal = control.DisposalMode;
}

static void decode_gif(const mrw_bytes *bytes)
{
    static uint8_t canvas[HEIGHT][WIDTH][4], before[HEIGHT][WIDTH][4];
    reader r = {bytes, 0};
    int code = 0;
    GifFileType *file = DGifOpen(&r, read_bytes, &code);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(DGifSlurp(file), GIF_OK);
    ck_assert_uint_eq(r.at, bytes->size);
    ck_assert_int_eq(file->SWidth, WIDTH);
    ck_assert_int_eq(file->SHeight, HEIGHT);
    ck_assert_int_le(file->ImageCount, MOST);
    seen = (shown){.count = (uint32_t)file->ImageCount, .colors = file->SColorMap->ColorCount};
    for (int i = 0; i < seen.colors; i++) {
        const GifColorType *color = &file->SColorMap->Colors[i];
        memcpy(seen.palette[i], (uint8_t[]){color->Red, color->Green, color->Blue}, 3);
    }
    memset(canvas, 0, sizeof canvas);
    for (int i = 0; i < file->ImageCount; i++) {
        const SavedImage *frame = &file->SavedImages[i];
        int disposal;
        memcpy(before, canvas, sizeof canvas);
        show_frame(file, i, canvas, &disposal);
        memcpy(seen.pixels[i], canvas, sizeof canvas);
        if (disposal == DISPOSE_BACKGROUND) {
            clear_rectangle(canvas, &frame->ImageDesc);
        } else if (disposal == DISPOSE_PREVIOUS) {
            memcpy(canvas, before, sizeof canvas);
        }
        for (int e = 0; e < frame->ExtensionBlockCount; e++) {
            const ExtensionBlock *block = &frame->ExtensionBlocks[e];
            seen.plays = seen.plays || (block->Function == APPLICATION_EXT_FUNC_CODE &&
                                        memcmp(block->Bytes, "NETSCAPE2.0", 11) == 0);
        }
    }
    DGifCloseFile(file, &code);
}

/* Picture i is what shown frame `at` shows, pixel by pixel. */
static void assert_shown(uint32_t at, uint32_t i)
{
    const uint32_t channels = images[i].channels;
    for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
        const uint8_t *wanted = images[i].pixels + p * channels,
                      *got = seen.pixels[at][p / WIDTH][p % WIDTH];
        const bool clear = channels == 4 && wanted[3] < 128;
        ck_assert_uint_eq(got[3], clear ? 0 : 255);
        ck_assert(clear || memcmp(got, wanted, 3) == 0);
    }
}

static uint32_t sum_of_delays(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        ck_assert_uint_ge(seen.delays[i], 2);
        sum += seen.delays[i];
    }
    return sum;
}

/* ---- colours --------------------------------------------------------------------------------- */

/* 255 colours and clear pixels, exact, in whatever order and from however many threads. */
START_TEST(few_colors_are_exact)
{
    begin(5, 4);
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
            const uint32_t k = (p + 61 * i) % 255;
            const uint8_t color[4] = {(uint8_t)(k * 7), (uint8_t)(255 - k), (uint8_t)(k * k),
                                      (uint8_t)(p % 11 == i ? 0 : 255)};
            set_pixel(i, p % WIDTH, p / WIDTH, color);
        }
    }
    mrw_bytes first = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, NULL, 1, NULL);
    decode_gif(&first);
    ck_assert_uint_eq(seen.count, 5);
    ck_assert_int_eq(seen.colors, 256);
    ck_assert(seen.plays);
    for (uint32_t i = 0; i < 5; i++) {
        assert_shown(i, i);
    }
    mrw_bytes other = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, NULL, 4, NULL);
    ck_assert_uint_eq(other.size, first.size);
    ck_assert_mem_eq(other.data, first.data, first.size);
    mrw_bytes_free(&first);
    mrw_bytes_free(&other);
}
END_TEST

/* Of many, each pixel gets a colour at the least distance, and the ground stays itself. */
START_TEST(many_colors_are_near)
{
    static const uint8_t ground[3] = {201, 203, 207};
    begin(2, 3);
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
            const uint8_t color[4] = {(uint8_t)(p * 5), (uint8_t)(p * 3 + i), (uint8_t)(p / 2)};
            set_pixel(i, p % WIDTH, p / WIDTH, p % 3 == 0 ? ground : color);
        }
    }
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, NULL, 2, NULL);
    decode_gif(&bytes);
    uint64_t error = 0;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
            const uint8_t *wanted = images[i].pixels + 3 * p,
                          *got = seen.pixels[i][p / WIDTH][p % WIDTH];
            for (int c = 0; c < 3; c++) {
                error += (uint64_t)((got[c] - wanted[c]) * (got[c] - wanted[c]));
            }
            ck_assert(p % 3 != 0 || memcmp(got, ground, 3) == 0);
        }
    }
    ck_assert_uint_lt(error / (2 * WIDTH * HEIGHT * 3), 12); /* of 577 colours */
    mrw_bytes_free(&bytes);
}
END_TEST

static int distance(const uint8_t *a, const uint8_t *b)
{
    const int r = a[0] - b[0], g = a[1] - b[1], blue = a[2] - b[2];
    return 3 * r * r + 6 * g * g + 2 * blue * blue;
}

/* How far the means of blocks of 4 x 4 pixels are from those of the pictures, squared, summed. */
static uint64_t error_of_blocks(void)
{
    uint64_t error = 0;
    for (uint32_t at = 0; at < image_count * (WIDTH / 4) * (HEIGHT / 4) * 3; at++) {
        const uint32_t c = at % 3, x = at / 3 % (WIDTH / 4) * 4;
        const uint32_t y = at / 3 / (WIDTH / 4) % (HEIGHT / 4) * 4;
        const uint32_t i = at / 3 / (WIDTH / 4) / (HEIGHT / 4);
        int sum = 0;
        for (uint32_t p = 0; p < 16; p++) {
            const uint32_t px = x + p % 4, py = y + p / 4;
            sum += seen.pixels[i][py][px][c] - images[i].pixels[(py * WIDTH + px) * 3 + c];
        }
        error += (uint64_t)(sum * sum);
    }
    return error;
}

/* Patterns come nearer in the mean, and none has a colour far from its own: no speckles. */
START_TEST(dithering_is_nearer_without_speckles)
{
    const mrw_output_def dithered = {.dither = true};
    begin(20, 3);
    for (uint32_t i = 0; i < 20; i++) {
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) { /* slopes, and some of one bright colour */
            const uint8_t color[4] = {(uint8_t)(60 + p % WIDTH * 4 + i),
                                      (uint8_t)(40 + p / WIDTH * 5), (uint8_t)(30 + 8 * i)};
            const uint8_t bright[4] = {255, (uint8_t)(200 + p % 50), (uint8_t)(p % 7)};
            set_pixel(i, p % WIDTH, p / WIDTH, p % 97 == 0 ? bright : color);
        }
    }
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, NULL, 1, NULL);
    decode_gif(&bytes);
    const uint64_t plain = error_of_blocks();
    mrw_bytes_free(&bytes);
    bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, &dithered, 1, NULL);
    decode_gif(&bytes);
    ck_assert_uint_lt(2 * error_of_blocks(), plain);
    for (uint32_t at = 0; at < 20 * WIDTH * HEIGHT; at++) {
        const uint32_t i = at / (WIDTH * HEIGHT), p = at % (WIDTH * HEIGHT);
        const uint8_t *wanted = images[i].pixels + 3 * p;
        int least = INT32_MAX;
        for (int k = 1; k < seen.colors; k++) {
            const int far = distance(seen.palette[k], wanted);
            least = far < least ? far : least;
        }
        const int bound = 16 * least > 4400 ? 16 * least : 4400;
        ck_assert_int_le(distance(seen.pixels[i][p / WIDTH][p % WIDTH], wanted), bound);
    }
    mrw_bytes_free(&bytes);
}
END_TEST

START_TEST(alpha_is_cut_over_the_matte)
{
    static const uint8_t half[4] = {200, 100, 0, 128}, less[4] = {200, 100, 0, 127};
    const mrw_output_def def = {.has_matte = true, .matte = {0, 0, 255}};
    begin(1, 4);
    set_pixel(0, 3, 4, half);
    set_pixel(0, 5, 6, less);
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, NULL, 1, NULL);
    decode_gif(&bytes);
    ck_assert_mem_eq(seen.pixels[0][4][3], ((uint8_t[]){200, 100, 0, 255}), 4);
    ck_assert_uint_eq(seen.pixels[0][6][5][3], 0);
    mrw_bytes_free(&bytes);
    bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){25, 1}, &def, 1, NULL);
    decode_gif(&bytes);
    /* 200 * 128 / 255 = 100.4; 100 * 128 / 255 = 50.2; 255 * 127 / 255 = 127 */
    ck_assert_mem_eq(seen.pixels[0][4][3], ((uint8_t[]){100, 50, 127, 255}), 4);
    ck_assert_uint_eq(seen.pixels[0][6][5][3], 0);
    ck_assert(!seen.plays);
    mrw_bytes_free(&bytes);
}
END_TEST

/* ---- what changes ---------------------------------------------------------------------------- */

/* A square that shrinks on clear ground, moves and grows: nothing of it stays behind. */
START_TEST(what_a_figure_leaves_is_cleared)
{
    static const uint8_t sizes[] = {16, 12, 12, 7, 1, 0, 3, 9, 16, 2};
    const uint32_t count = sizeof sizes;
    begin(count, 4);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t y = 0; y < sizes[i]; y++) {
            for (uint32_t x = 0; x < sizes[i]; x++) {
                const uint8_t color[4] = {(uint8_t)(x / 2 * 20), (uint8_t)(10 * y), 40, 255};
                set_pixel(i, x + i % 3, y + 1, color);
            }
        }
    }
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){10, 1}, NULL, 3, NULL);
    decode_gif(&bytes);
    ck_assert_uint_eq(seen.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_shown(i, i);
    }
    mrw_bytes_free(&bytes);
}
END_TEST

/* Only the rectangle that differs is there, and a picture that stays lasts longer. */
START_TEST(rectangles_are_the_smallest)
{
    begin(4, 3);
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t color[4] = {(uint8_t)(i < 2 ? 1 : i), 2, 3};
        set_pixel(i, 7, 5, color);
        set_pixel(i, 9, 6, color);
    }
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){10, 1}, NULL, 1, NULL);
    decode_gif(&bytes);
    ck_assert_uint_eq(seen.count, 3);
    ck_assert_uint_eq(seen.delays[0], 20);
    ck_assert_uint_eq(seen.delays[1], 10);
    ck_assert_int_eq(seen.left[1], 7);
    ck_assert_int_eq(seen.top[1], 5);
    ck_assert_int_eq(seen.width[1], 3);
    ck_assert_int_eq(seen.height[1], 2);
    assert_shown(0, 0);
    assert_shown(1, 2);
    assert_shown(2, 3);
    mrw_bytes_free(&bytes);
}
END_TEST

/* ---- times ----------------------------------------------------------------------------------- */

static void fill_numbers(uint32_t count)
{
    begin(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t color[4] = {(uint8_t)i, 0, 9};
        set_pixel(i, 0, 0, color);
    }
}

START_TEST(delays_add_up)
{
    static const struct {
        mrw_rate rate;
        uint32_t count, total, shown;
    } cases[] = {{{30, 1}, 30, 100, 30},   {{24000, 1001}, 48, 200, 48}, {{50, 1}, 7, 14, 7},
                 {{48, 1}, 100, 208, 100}, {{60, 1}, 60, 100, 50},       {{100, 1}, 100, 100, 50},
                 {{120, 1}, 7, 6, 3},      {{1, 1}, 2, 200, 2},          {{1000, 1}, 1, 2, 1},
                 {{7, 3}, 7, 300, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t left_out = 0;
        fill_numbers(cases[c].count);
        mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, cases[c].rate, NULL, 2, &left_out);
        decode_gif(&bytes);
        ck_assert_uint_eq(seen.count, cases[c].shown);
        ck_assert_uint_eq(left_out, cases[c].count - cases[c].shown);
        ck_assert_uint_eq(sum_of_delays(), cases[c].total);
        mrw_bytes_free(&bytes);
    }
    fill_numbers(60); /* at 60 a second picture k * 1.2 plays k fiftieths after the start */
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){60, 1}, NULL, 1, NULL);
    decode_gif(&bytes);
    for (uint32_t i = 0; i < 50; i++) {
        assert_shown(i, i * 6 / 5);
    }
    mrw_bytes_free(&bytes);
}
END_TEST

/* 65,535 hundredths are the most that a frame can say. */
START_TEST(long_pictures)
{
    begin(2, 4);
    set_pixel(0, 2, 2, (const uint8_t[4]){1, 2, 3, 255});
    set_pixel(1, 9, 9, (const uint8_t[4]){1, 2, 3, 255});
    mrw_bytes bytes = write_file(MRW_OUTPUT_GIF, (mrw_rate){1, 1000}, NULL, 1, NULL);
    decode_gif(&bytes);
    ck_assert_uint_eq(sum_of_delays(), 200000);
    ck_assert_uint_eq(seen.count, 4);
    assert_shown(1, 0);
    assert_shown(3, 1);
    mrw_bytes_free(&bytes);
}
END_TEST

/* ---- WebP ------------------------------------------------------------------------------------ */

START_TEST(webp_keeps_every_pixel)
{
    for (uint32_t channels = 3; channels <= 4; channels++) {
        begin(9, channels);
        for (uint32_t i = 0; i < 9; i++) {
            for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
                const uint8_t color[4] = {(uint8_t)(p * 5), (uint8_t)(p * 3 + (i & 6)),
                                          (uint8_t)(p >> 2), (uint8_t)(p * (1 + i / 4))};
                set_pixel(i, p % WIDTH, p / WIDTH, color);
            }
        }
        mrw_bytes bytes = write_file(MRW_OUTPUT_WEBP, (mrw_rate){30, 1}, NULL, 3, NULL);
        const WebPData data = {bytes.data, bytes.size};
        WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
        WebPAnimInfo info;
        uint8_t *canvas;
        int end = 0, start;
        ck_assert(decoder && WebPAnimDecoderGetInfo(decoder, &info));
        ck_assert_uint_eq(info.canvas_width, WIDTH);
        ck_assert_uint_eq(info.loop_count, 0);
        for (uint32_t i = 0; i < 9; i++) {
            start = end;
            if ((i * 1000 + 15) / 30 >= (uint32_t)start) { /* what stays is one frame */
                ck_assert(WebPAnimDecoderGetNext(decoder, &canvas, &end));
            }
            for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
                const uint8_t *wanted = images[i].pixels + p * channels;
                ck_assert(channels == 3 || canvas[4 * p + 3] == wanted[3]);
                ck_assert((channels == 4 && wanted[3] == 0) ||
                          memcmp(canvas + 4 * p, wanted, 3) == 0);
            }
        }
        ck_assert(!WebPAnimDecoderHasMoreFrames(decoder));
        ck_assert_int_eq(end, 300);
        WebPAnimDecoderDelete(decoder);
        mrw_bytes_free(&bytes);
    }
}
END_TEST

START_TEST(webp_by_quality_is_smaller)
{
    const mrw_output_def def = {.quality = 40};
    uint32_t noise = 1;
    begin(2, 3);
    for (uint32_t p = 0; p < 2 * WIDTH * HEIGHT; p++) {
        noise = (noise ^ noise >> 15) * 2654435761u + p;
        const uint8_t color[4] = {(uint8_t)(noise >> 8), (uint8_t)(noise >> 13),
                                  (uint8_t)(noise >> 20)};
        set_pixel(p % 2, p / 2 % WIDTH, p / 2 / WIDTH, color);
    }
    mrw_bytes whole = write_file(MRW_OUTPUT_WEBP, (mrw_rate){30, 1}, NULL, 1, NULL);
    mrw_bytes less = write_file(MRW_OUTPUT_WEBP, (mrw_rate){30, 1}, &def, 1, NULL);
    ck_assert_uint_lt(less.size, whole.size);
    mrw_bytes_free(&whole);
    mrw_bytes_free(&less);
}
END_TEST

/* Draws a disc that moves over a slope, or over nothing when there is alpha; it stays once. */
static void fill_moving(uint32_t count, uint32_t channels)
{
    begin(count, channels);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
            const int x = (int)(p % WIDTH) - 3 - 2 * (int)(i - i / 4), y = (int)(p / WIDTH) - 9;
            const bool in = x * x + y * y < 30;
            const uint8_t ground[4] = {(uint8_t)(p * 3), (uint8_t)(p / WIDTH * 9), 90, 255};
            const uint8_t disc[4] = {(uint8_t)(200 + x * 5), (uint8_t)(90 + y * 8), 30,
                                     (uint8_t)(x * x + y * y < 20 ? 255 : 120)};
            static const uint8_t nothing[4];
            set_pixel(i, p % WIDTH, p / WIDTH, in ? disc : channels == 4 ? nothing : ground);
        }
    }
}

/* Encodes the pictures at 10 per second with libwebp's own encoder of animations. */
static WebPData encode_by_libwebp(uint32_t quality)
{
    WebPAnimEncoder *encoder = WebPAnimEncoderNew(WIDTH, HEIGHT, NULL);
    WebPConfig config;
    WebPData data;
    ck_assert(encoder && WebPConfigInit(&config));
    config.lossless = config.exact = quality == 0;
    config.method = quality == 0 ? 3 : config.method;
    config.quality = quality == 0 ? config.quality : (float)quality;
    for (uint32_t i = 0; i < image_count; i++) {
        WebPPicture picture;
        ck_assert(WebPPictureInit(&picture));
        picture.width = WIDTH;
        picture.height = HEIGHT;
        picture.use_argb = 1;
        const int stride = (int)(WIDTH * images[i].channels);
        ck_assert(images[i].channels == 4
                      ? WebPPictureImportRGBA(&picture, images[i].pixels, stride)
                      : WebPPictureImportRGB(&picture, images[i].pixels, stride));
        ck_assert(WebPAnimEncoderAdd(encoder, &picture, (int)(100 * i), &config));
        WebPPictureFree(&picture);
    }
    ck_assert(WebPAnimEncoderAdd(encoder, NULL, (int)(100 * image_count), NULL));
    ck_assert(WebPAnimEncoderAssemble(encoder, &data));
    WebPAnimEncoderDelete(encoder);
    return data;
}

/* Any number of threads writes the bytes of libwebp's encoder, which has one. */
START_TEST(webp_is_what_libwebp_writes)
{
    static const uint32_t qualities[] = {0, 30, 90};
    for (uint32_t channels = 3; channels <= 4; channels++) {
        fill_moving(9, channels);
        for (size_t q = 0; q < sizeof qualities / sizeof *qualities; q++) {
            const mrw_output_def def = {.quality = qualities[q]};
            WebPData wanted = encode_by_libwebp(qualities[q]);
            for (int threads = 1; threads <= 4; threads++) {
                mrw_bytes got = write_file(MRW_OUTPUT_WEBP, (mrw_rate){10, 1}, &def, threads, NULL);
                ck_assert_uint_eq(got.size, wanted.size);
                ck_assert_mem_eq(got.data, wanted.bytes, wanted.size);
                mrw_bytes_free(&got);
            }
            WebPDataClear(&wanted);
        }
    }
}
END_TEST

/* 24 bits of milliseconds are the most that a frame can say: a picture of 10,000 seconds, two that
 * repeat it and another one. */
START_TEST(webp_long_pictures)
{
    uint32_t of[4] = {0};
    char *path = "-";
    const mrw_output_files files = {&path, 1, of, 4};
    mrw_rate rate = {1, 10000};
    const mrw_output_def def = {.format = MRW_OUTPUT_WEBP,
                                .files = &files,
                                .width = WIDTH,
                                .height = HEIGHT,
                                .channels = 3,
                                .rates = &rate,
                                .workers = 1};
    mrw_output *output = NULL;
    mrw_error error = {0};
    mrw_bytes bytes;
    uint8_t *canvas;
    int end = 0, begun = 0;
    begin(4, 3);
    set_pixel(3, 9, 9, (const uint8_t[4]){1, 2, 3, 255});
    ck_assert_int_eq(mrw_output_open(&def, &output, NULL), MRW_OK);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(mrw_output_put(output, 0, i, i < 3 ? 0 : i, &images[i], NULL), MRW_OK);
    }
    ck_assert_int_eq(mrw_output_finish(output, &bytes, NULL), MRW_OK);
    mrw_output_free(output);
    const WebPData data = {bytes.data, bytes.size};
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
    ck_assert(decoder);
    while (WebPAnimDecoderHasMoreFrames(decoder)) {
        begun = end;
        ck_assert(WebPAnimDecoderGetNext(decoder, &canvas, &end));
        ck_assert_int_eq(canvas[4 * (9 * WIDTH + 9) + 2], begun >= 30000000 ? 3 : 0);
    }
    ck_assert_int_eq(begun, 30000000);
    ck_assert_int_eq(end, 40000000);
    WebPAnimDecoderDelete(decoder);
    mrw_bytes_free(&bytes);
    rate.den = 17000;
    ck_assert_int_eq(mrw_output_open(&def, &output, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "must show each picture for less than 16777 seconds"));
}
END_TEST

START_TEST(sides_are_bounded)
{
    static const struct {
        mrw_output_format format;
        uint32_t most;
        const char *text;
    } cases[] = {{MRW_OUTPUT_GIF, 65535, "a GIF has at most 65535 pixels per side, not "},
                 {MRW_OUTPUT_WEBP, 16383, "a WebP has at most 16383 pixels per side, not "}};
    for (int c = 0; c < 4; c++) {
        uint32_t of[1] = {0};
        char *path = "-";
        const mrw_output_files files = {&path, 1, of, 1};
        const uint32_t most = cases[c / 2].most;
        mrw_output_def def = {.format = cases[c / 2].format,
                              .files = &files,
                              .width = c % 2 ? most + 1 : 1,
                              .height = c % 2 ? 1 : most + 1,
                              .channels = 3,
                              .workers = 1};
        mrw_output *output = NULL;
        mrw_error error = {0};
        ck_assert_int_eq(mrw_output_open(&def, &output, &error), MRW_ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(error.text, cases[c / 2].text));
        def.width -= c % 2 ? 1 : 0;
        def.height -= c % 2 ? 0 : 1;
        ck_assert_int_eq(mrw_output_open(&def, &output, &error), MRW_OK);
        mrw_output_free(output);
    }
}
END_TEST

/* ---- want of memory -------------------------------------------------------------------------- */

START_TEST(every_allocation_may_fail)
{
    fill_numbers(3);
    for (int format = MRW_OUTPUT_GIF; format <= MRW_OUTPUT_WEBP; format++) {
        bool pending = false;
        for (uint64_t n = 1; !pending; n++) {
            uint32_t of[3] = {0};
            char *path = "-";
            const mrw_output_files files = {&path, 1, of, 3};
            const mrw_output_def def = {.format = (mrw_output_format)format,
                                        .files = &files,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .channels = 3,
                                        .png = mrw_png_def_default(),
                                        .workers = 1};
            mrw_output *output = NULL;
            mrw_bytes bytes = {0};
            mrwi_base_alloc_fail_at(n);
            mrw_status status = mrw_output_open(&def, &output, NULL);
            for (uint32_t i = 0; i < 3 && status == MRW_OK; i++) {
                status = mrw_output_put(output, 0, i, i, &images[i], NULL);
            }
            if (status == MRW_OK) {
                status = mrw_output_finish(output, &bytes, NULL);
            }
            pending = mrwi_base_alloc_fail_pending();
            mrwi_base_alloc_fail_at(0);
            ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
            mrw_bytes_free(&bytes);
            mrw_output_free(output);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gif");
    TCase *gif = tcase_create("gif"), *webp = tcase_create("webp");
    tcase_add_checked_fixture(gif, NULL, tear_down);
    tcase_add_test(gif, few_colors_are_exact);
    tcase_add_test(gif, many_colors_are_near);
    tcase_add_test(gif, dithering_is_nearer_without_speckles);
    tcase_add_test(gif, alpha_is_cut_over_the_matte);
    tcase_add_test(gif, what_a_figure_leaves_is_cleared);
    tcase_add_test(gif, rectangles_are_the_smallest);
    tcase_add_test(gif, delays_add_up);
    tcase_add_test(gif, long_pictures);
    suite_add_tcase(s, gif);
    tcase_add_checked_fixture(webp, NULL, tear_down);
    tcase_add_test(webp, webp_keeps_every_pixel);
    tcase_add_test(webp, webp_by_quality_is_smaller);
    tcase_add_test(webp, webp_is_what_libwebp_writes);
    tcase_add_test(webp, webp_long_pictures);
    tcase_add_test(webp, sides_are_bounded);
    tcase_add_test(webp, every_allocation_may_fail);
    suite_add_tcase(s, webp);
    return s;
}

TEST_MAIN(suite())
