/* test_exr_read.c: OpenEXR pictures that are read, made here byte by byte after "OpenEXR File
 * Layout" of the Academy Software Foundation, by marrow's writer, and by OpenEXR's own programs;
 * and what is wrong with others. */
#include "test.h"

#include "base/memory.h"
#include "marrow/codecs.h"

enum { UINT, HALF, FLOAT }; /* types of channels, as files number them */

/* ---- a writer of uncompressed files ---------------------------------------------------------- */

typedef struct channel {
    const char *name;
    int type;
    const uint32_t *bits; /* one value per pixel: of halves the lower 16 bits */
    uint32_t sampling;
} channel;

/* What a file holds. All fields but the first four may be 0. */
typedef struct picture {
    uint32_t width, height;
    const channel *channels; /* sorted by name */
    uint32_t channel_count;
    uint32_t tile[2];
    int32_t left, top;
    bool downwards; /* rows from the bottom */
    uint8_t compression;
    bool cube;
    uint32_t shown[2]; /* display window, where it is not the data window */
    const char *type;
} picture;

typedef struct file {
    uint8_t bytes[65536];
    size_t size;
} file;

static void put(file *f, const void *bytes, size_t size)
{
    ck_assert_uint_le(f->size + size, sizeof f->bytes);
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_u32(file *f, uint32_t value)
{
    put(f, &value, 4);
}

static void put_text(file *f, const char *text)
{
    put(f, text, strlen(text) + 1);
}

static void put_attribute(file *f, const char *name, const char *type, const void *value,
                          uint32_t size)
{
    put_text(f, name);
    put_text(f, type);
    put_u32(f, size);
    put(f, value, size);
}

static void put_channels(file *f, const picture *p)
{
    static const uint8_t linear[4] = {0};
    uint32_t size = 1;
    for (uint32_t i = 0; i < p->channel_count; i++) {
        size += (uint32_t)strlen(p->channels[i].name) + 17;
    }
    put_text(f, "channels");
    put_text(f, "chlist");
    put_u32(f, size);
    for (uint32_t i = 0; i < p->channel_count; i++) {
        const channel *c = &p->channels[i];
        put_text(f, c->name);
        put_u32(f, (uint32_t)c->type);
        put(f, linear, 4);
        put_u32(f, c->sampling > 0 ? c->sampling : 1);
        put_u32(f, c->sampling > 0 ? c->sampling : 1);
    }
    put(f, "", 1);
}

static void put_header(file *f, const picture *p)
{
    const float one = 1, center[2] = {0, 0};
    const uint8_t order = p->downwards, map = 1;
    const int32_t window[4] = {p->left, p->top, (int32_t)((int64_t)p->left + p->width - 1),
                               (int32_t)((int64_t)p->top + p->height - 1)};
    int32_t shown[4];
    memcpy(shown, window, sizeof shown);
    if (p->shown[0] > 0) {
        shown[2] = p->left + (int32_t)p->shown[0] - 1;
        shown[3] = p->top + (int32_t)p->shown[1] - 1;
    }
    f->size = 0;
    put_u32(f, 20000630);
    put_u32(f, p->tile[0] > 0 ? 0x202 : 2);
    put_channels(f, p);
    put_attribute(f, "compression", "compression", &p->compression, 1);
    put_attribute(f, "dataWindow", "box2i", window, 16);
    put_attribute(f, "displayWindow", "box2i", shown, 16);
    put_attribute(f, "lineOrder", "lineOrder", &order, 1);
    put_attribute(f, "pixelAspectRatio", "float", &one, 4);
    put_attribute(f, "screenWindowCenter", "v2f", center, 8);
    put_attribute(f, "screenWindowWidth", "float", &one, 4);
    if (p->tile[0] > 0) {
        uint8_t tiles[9] = {0};
        memcpy(tiles, p->tile, 8);
        put_attribute(f, "tiles", "tiledesc", tiles, 9);
    }
    if (p->cube) {
        put_attribute(f, "envmap", "envmap", &map, 1);
    }
    if (p->type) {
        put_attribute(f, "type", "string", p->type, (uint32_t)strlen(p->type));
    }
    put(f, "", 1);
}

/* Writes a part of the picture: row after row, channel after channel. */
static void put_pixels(file *f, const picture *p, uint32_t x0, uint32_t y0, uint32_t x1,
                       uint32_t y1)
{
    const size_t start = f->size;
    put_u32(f, 0);
    for (uint32_t y = y0; y < y1; y++) {
        for (uint32_t i = 0; i < p->channel_count; i++) {
            for (uint32_t x = x0; x < x1; x++) {
                const uint32_t bits = p->channels[i].bits[y * p->width + x];
                put(f, &bits, p->channels[i].type == HALF ? 2 : 4);
            }
        }
    }
    const uint32_t size = (uint32_t)(f->size - start - 4);
    memcpy(f->bytes + start, &size, 4);
}

static void write_file(file *f, const picture *p)
{
    const uint32_t wide = p->tile[0] > 0 ? p->tile[0] : p->width;
    const uint32_t high = p->tile[0] > 0 ? p->tile[1] : 1;
    const uint32_t across = (p->width + wide - 1) / wide, down = (p->height + high - 1) / high;
    static const uint8_t zeros[8];
    put_header(f, p);
    const size_t table = f->size;
    for (uint32_t i = 0; i < across * down; i++) {
        put(f, zeros, 8);
    }
    for (uint32_t i = 0; i < across * down; i++) {
        const uint32_t n = p->downwards ? across * down - 1 - i : i;
        const uint32_t tx = n % across, ty = n / across, x = tx * wide, y = ty * high;
        const uint64_t at = f->size;
        memcpy(f->bytes + table + 8 * n, &at, 8);
        if (p->tile[0] > 0) {
            put_u32(f, tx);
            put_u32(f, ty);
            put(f, zeros, 8);
        } else {
            put_u32(f, (uint32_t)(p->top + (int32_t)y));
        }
        put_pixels(f, p, x, y, x + wide < p->width ? x + wide : p->width,
                   y + high < p->height ? y + high : p->height);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* As far as the last byte of a block of its own: whatever is read beyond, sanitizers see. */
static mrw_status decode(const uint8_t *bytes, size_t size, uint64_t max_pixels, mrw_image *out,
                         mrw_error *error)
{
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    const mrw_status status = mrw_image_decode_exr(copy, size, max_pixels, "sky.exr", out, error);
    free(copy);
    return status;
}

static void check(const picture *p, const float *expected)
{
    static file f;
    mrw_image image;
    mrw_error error;
    write_file(&f, p);
    ck_assert_msg(decode(f.bytes, f.size, 0, &image, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(image.width, p->width);
    ck_assert_uint_eq(image.height, p->height);
    ck_assert_uint_eq(image.channels, 3);
    ck_assert_int_eq(image.format, MRW_FORMAT_F32);
    for (size_t i = 0; i < (size_t)p->width * p->height * 3; i++) {
        const float got = ((const float *)(void *)image.pixels)[i];
        ck_assert_msg(got == expected[i], "value %zu: %g, not %g", i, (double)got,
                      (double)expected[i]);
    }
    mrw_image_free(&image);
}

static void refused(const picture *p, const char *words)
{
    static file f;
    mrw_image image;
    mrw_error error;
    write_file(&f, p);
    ck_assert_int_eq(decode(f.bytes, f.size, 0, &image, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
    ck_assert_msg(strstr(error.text, "sky.exr: "), "%s", error.text);
    ck_assert_ptr_null(image.pixels);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* IEEE 754 halves and their values: 1, -2, 65504, the smallest ones, 0.333 and its neighbours. */
static const uint32_t halves[6] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x8400};
static const float half_values[6] = {1.0f, -2.0f, 65504.0f, 0x1p-24f, 0x1.554p-2f, -0x1p-14f};

START_TEST(halves_are_exact)
{
    uint32_t green[6], blue[6];
    float expected[18];
    for (int i = 0; i < 6; i++) {
        green[i] = halves[(i + 1) % 6];
        blue[i] = halves[(i + 2) % 6];
        for (int k = 0; k < 3; k++) {
            expected[3 * i + k] = half_values[(i + k) % 6];
        }
    }
    const channel channels[] = {
        {"B", HALF, blue, 1}, {"G", HALF, green, 1}, {"R", HALF, halves, 1}};
    check(&(picture){.width = 3, .height = 2, .channels = channels, .channel_count = 3}, expected);
    check(
        &(picture){
            .width = 2, .height = 3, .channels = channels, .channel_count = 3, .downwards = true},
        expected);
    check(&(picture){.width = 6,
                     .height = 1,
                     .channels = channels,
                     .channel_count = 3,
                     .left = -7,
                     .top = 40},
          expected);
}
END_TEST

#define MANY 500

/* Random floats in a picture, among channels that are not read, of all types. */
typedef struct noise {
    uint32_t bits[3][MANY];
    uint32_t others[MANY];
    channel channels[7];
    float values[3 * MANY];
} noise;

static void make_noise(noise *n, uint64_t seed)
{
    for (int i = 0; i < MANY; i++) {
        n->others[i] = test_random(&seed);
        for (int k = 0; k < 3; k++) {
            const float value = test_random_float(&seed, -10.0f, 1000.0f);
            n->bits[k][i] = bits_of(value);
            n->values[3 * i + k] = value;
        }
    }
    const channel channels[] = {{"A", HALF, n->others, 1},       {"B", FLOAT, n->bits[2], 1},
                                {"G", FLOAT, n->bits[1], 1},     {"R", FLOAT, n->bits[0], 1},
                                {"Z", UINT, n->others, 1},       {"layer.R", HALF, n->others, 1},
                                {"layer.Y", FLOAT, n->others, 1}};
    memcpy(n->channels, channels, sizeof channels);
}

START_TEST(other_channels_are_left_out)
{
    noise n;
    make_noise(&n, 1);
    check(&(picture){.width = 25, .height = 20, .channels = n.channels, .channel_count = 7},
          n.values);
    check(&(picture){.width = 1, .height = 500, .channels = n.channels, .channel_count = 7},
          n.values);
}
END_TEST

START_TEST(tiles_of_any_size)
{
    static const uint32_t tiles[][2] = {{1, 1}, {7, 5}, {25, 20}, {64, 64}, {24, 3}};
    noise n;
    make_noise(&n, 2);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        check(&(picture){.width = 25,
                         .height = 20,
                         .channels = n.channels,
                         .channel_count = 7,
                         .tile = {tiles[i][0], tiles[i][1]}},
              n.values);
        check(&(picture){.width = 25,
                         .height = 20,
                         .channels = n.channels,
                         .channel_count = 7,
                         .tile = {tiles[i][0], tiles[i][1]},
                         .left = 3,
                         .top = -9},
              n.values);
    }
}
END_TEST

START_TEST(luminance_alone_is_grey)
{
    const channel channels[] = {{"A", HALF, halves, 1}, {"Y", HALF, halves, 1}};
    float expected[18];
    for (int i = 0; i < 18; i++) {
        expected[i] = half_values[i / 3];
    }
    check(&(picture){.width = 2, .height = 3, .channels = channels, .channel_count = 2}, expected);
    check(
        &(picture){
            .width = 2, .height = 3, .channels = channels, .channel_count = 2, .tile = {2, 2}},
        expected);
}
END_TEST

/* What marrow writes (ZIP, 16 rows a block), it reads. */
START_TEST(our_own_files)
{
    noise n;
    make_noise(&n, 3);
    static const uint32_t sizes[][2] = {{25, 20}, {500, 1}, {1, 500}, {10, 33}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const mrw_exr_channel channels[] = {{"R", MRW_FORMAT_F32, n.values, 12},
                                            {"G", MRW_FORMAT_F32, n.values + 1, 12},
                                            {"id", MRW_FORMAT_U32, n.others, 4},
                                            {"B", MRW_FORMAT_F32, n.values + 2, 12}};
        const mrw_exr_def def = {sizes[i][0], sizes[i][1], channels, 4, NULL, 0};
        mrw_bytes bytes = {0};
        mrw_image image;
        mrw_error error;
        ck_assert_int_eq(mrw_exr_encode(&def, &bytes, NULL), MRW_OK);
        ck_assert(mrw_image_is_exr(bytes.data, bytes.size));
        ck_assert_msg(decode(bytes.data, bytes.size, 0, &image, &error) == MRW_OK, "%s",
                      error.text);
        ck_assert_mem_eq(image.pixels, n.values,
                         (size_t)sizes[i][0] * sizes[i][1] * 3 * sizeof(float));
        mrw_image_free(&image);
        mrw_bytes_free(&bytes);
    }
}
END_TEST

/* ---- compressions ---------------------------------------------------------------------------- */

static void read_picture(const char *path, mrw_image *out)
{
    mrw_error error;
    ck_assert_msg(mrw_image_read_exr(path, 0, out, &error) == MRW_OK, "%s", error.text);
}

/* OpenEXR's own program compresses a picture of halves, and its C++ library unpacks it: both files
 * must hold the same. Slopes and noise, so that blocks do get smaller. */
START_TEST(all_compressions)
{
    static const char *const methods[] = {"rle", "zip", "piz", "pxr24"};
    static uint32_t bits[3][64 * 48];
    static file f;
    mrw_image packed, unpacked;
    uint64_t seed = 8;
    if (system("command -v exrmaketiled >/dev/null") != 0) {
        SKIP("exr: exrmaketiled is not here\n");
        return;
    }
    for (int i = 0; i < 64 * 48; i++) {
        bits[0][i] = 0x3800u + (uint32_t)i / 8;
        bits[1][i] = i % 64 < 32 ? 0x3c00 : 0x2000 + test_random(&seed) % 64;
        bits[2][i] = test_random(&seed) % 0x7c00;
    }
    const channel channels[] = {
        {"B", HALF, bits[0], 1}, {"G", HALF, bits[1], 1}, {"R", HALF, bits[2], 1}};
    write_file(&f, &(picture){.width = 64, .height = 48, .channels = channels, .channel_count = 3});
    test_folder_enter();
    test_write("plain.exr", f.bytes, f.size);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char command[300];
        snprintf(command, sizeof command,
                 "exrmaketiled -z %s -t 32 20 plain.exr packed.exr && "
                 "exrmaketiled -z none -t 32 20 packed.exr unpacked.exr",
                 methods[i]);
        ck_assert_int_eq(system(command), 0);
        read_picture("packed.exr", &packed);
        read_picture("unpacked.exr", &unpacked);
        ck_assert_msg(memcmp(packed.pixels, unpacked.pixels, 64 * 48 * 3 * sizeof(float)) == 0,
                      "%s", methods[i]);
        mrw_image_free(&packed);
        mrw_image_free(&unpacked);
    }
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

START_TEST(other_pictures_are_refused)
{
    noise n;
    make_noise(&n, 4);
    const channel *b = &n.channels[1], *g = &n.channels[2], *r = &n.channels[3];
    const channel depth = {"Z", FLOAT, n.others, 1}, grey = {"Y", FLOAT, n.others, 1};
    const channel chroma = {"BY", FLOAT, n.others, 1}, ids = {"R", UINT, n.others, 1};
    refused(&(picture){.width = 4, .height = 4, .channels = &depth, .channel_count = 1},
            "its channels are Z, not R, G and B, or Y alone");
    refused(
        &(picture){.width = 4, .height = 4, .channels = (channel[]){*b, *g}, .channel_count = 2},
        "its channels are B, G, not");
    refused(
        &(picture){
            .width = 4, .height = 4, .channels = (channel[]){*b, *g, grey}, .channel_count = 3},
        "its channels are B, G, Y, not");
    refused(
        &(picture){
            .width = 4, .height = 4, .channels = (channel[]){chroma, grey}, .channel_count = 2},
        "its channels are BY, Y, not");
    refused(&(picture){.width = 4,
                       .height = 4,
                       .channels = (channel[]){{"l.B", FLOAT, n.others, 1},
                                               {"l.G", FLOAT, n.others, 1},
                                               {"l.R", FLOAT, n.others, 1}},
                       .channel_count = 3},
            "its channels are l.B, l.G, l.R, not");
    refused(
        &(picture){
            .width = 4, .height = 4, .channels = (channel[]){*b, *g, ids}, .channel_count = 3},
        "its channels are integers");
    refused(&(picture){.width = 4,
                       .height = 4,
                       .channels = (channel[]){*b, *g, *r},
                       .channel_count = 3,
                       .compression = 8},
            "compressed by DWA");
    refused(&(picture){.width = 4,
                       .height = 4,
                       .channels = (channel[]){*b, *g, *r},
                       .channel_count = 3,
                       .compression = 6},
            "compressed by B44: save it");
    refused(&(picture){.width = 4,
                       .height = 4,
                       .channels = (channel[]){*b, *g, *r},
                       .channel_count = 3,
                       .cube = true},
            "a cube map");
    refused(&(picture){.width = 4,
                       .height = 4,
                       .channels = (channel[]){*b, *g, *r},
                       .channel_count = 3,
                       .shown = {8, 4}},
            "the data window has 4 x 4 pixels, the display window 8 x 4");
}
END_TEST

static void refused_bytes(const void *bytes, size_t size, uint64_t max_pixels, const char *words)
{
    mrw_image image;
    mrw_error error;
    ck_assert_int_eq(decode(bytes, size, max_pixels, &image, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
    ck_assert_ptr_null(image.pixels);
}

/* The size is checked before anything else is read or allocated. */
START_TEST(large_pictures_are_refused)
{
    static file f;
    noise n;
    make_noise(&n, 5);
    write_file(&f,
               &(picture){.width = 25, .height = 20, .channels = n.channels, .channel_count = 7});
    refused_bytes(f.bytes, f.size, 499, "25 x 20 pixels is larger than allowed");
    put_header(
        &f,
        &(picture){.width = 30000, .height = 30000, .channels = n.channels, .channel_count = 7});
    refused_bytes(f.bytes, f.size, 0,
                  "30000 x 30000 pixels is larger than allowed (16384 per side");
    put_header(&f, &(picture){.width = 2000000000,
                              .height = 2000000000,
                              .channels = n.channels,
                              .channel_count = 7});
    refused_bytes(f.bytes, f.size, 0, "2000000000 x 2000000000 pixels is larger");
    put_header(&f, &(picture){.width = 4000000000,
                              .height = 3,
                              .channels = n.channels,
                              .channel_count = 7,
                              .left = -2147483647});
    refused_bytes(f.bytes, f.size, 0, "4000000000 x 3 pixels is larger");
    put_header(&f, &(picture){.width = 0, .height = 5, .channels = n.channels, .channel_count = 7});
    refused_bytes(f.bytes, f.size, 0, "no pixels");
    put_header(
        &f,
        &(picture){.width = 16000, .height = 16000, .channels = n.channels, .channel_count = 7});
    refused_bytes(f.bytes, f.size, 0, "damaged or cut off");
}
END_TEST

START_TEST(cut_files_are_refused)
{
    static file f;
    noise n;
    make_noise(&n, 6);
    for (int tiled = 0; tiled < 2; tiled++) {
        write_file(&f, &(picture){.width = 7,
                                  .height = 5,
                                  .channels = n.channels,
                                  .channel_count = 7,
                                  .tile = {tiled ? 4u : 0u, 3}});
        for (size_t size = 0; size < f.size; size++) {
            mrw_image image;
            mrw_error error;
            ck_assert_msg(decode(f.bytes, size, 0, &image, &error) == MRW_ERROR_INPUT, "%zu", size);
        }
    }
}
END_TEST

/* A chunk that is stored without compression but is too short: the library would show what is in
 * its memory. The last line has 8 + 2 * 12 bytes. */
START_TEST(short_chunks_are_refused)
{
    static file f;
    const channel channels[] = {
        {"B", HALF, halves, 1}, {"G", HALF, halves, 1}, {"R", HALF, halves, 1}};
    write_file(&f, &(picture){.width = 2, .height = 3, .channels = channels, .channel_count = 3});
    uint8_t *size = f.bytes + f.size - 2 * 6 - 4;
    ck_assert_uint_eq(size[0], 12);
    size[0] = 6;
    refused_bytes(f.bytes, f.size, 0, "damaged or cut off");
}
END_TEST

/* Random bytes changed: any result, but no crash, and no picture with a failure. */
START_TEST(damage_does_no_harm)
{
    static file f, changed;
    noise n;
    uint64_t seed = 11;
    make_noise(&n, 7);
    for (int round = 0; round < TEST_ROUNDS(4000); round++) {
        const mrw_exr_channel channels[] = {{"R", MRW_FORMAT_F32, n.values, 12},
                                            {"G", MRW_FORMAT_F32, n.values + 1, 12},
                                            {"B", MRW_FORMAT_F32, n.values + 2, 12}};
        const mrw_exr_def def = {25, 20, channels, 3, NULL, 0};
        if (round % 1000 == 0) {
            mrw_bytes bytes = {0};
            ck_assert_int_eq(mrw_exr_encode(&def, &bytes, NULL), MRW_OK);
            f.size = 0;
            put(&f, bytes.data, bytes.size);
            mrw_bytes_free(&bytes);
        } else if (round % 1000 == 500) {
            write_file(&f, &(picture){.width = 25,
                                      .height = 20,
                                      .channels = n.channels,
                                      .channel_count = 7,
                                      .tile = {round % 2000 < 1000 ? 9u : 0u, 8}});
        }
        changed = f;
        const uint32_t most = round % 3 ? 400 : (uint32_t)f.size;
        for (uint32_t i = 0; i < 1 + test_random(&seed) % 4; i++) {
            changed.bytes[test_random(&seed) % most] = (uint8_t)test_random(&seed);
        }
        mrw_image image;
        mrw_error error = {0};
        if (decode(changed.bytes, changed.size, 1 << 20, &image, &error)) {
            ck_assert_ptr_null(image.pixels);
            ck_assert_msg(error.text[0] != '\0', "round %d", round);
        }
        mrw_image_free(&image);
    }
}
END_TEST

START_TEST(memory_that_ends)
{
    static file f;
    noise n;
    make_noise(&n, 9);
    for (int tiled = 0; tiled < 2; tiled++) {
        write_file(&f, &(picture){.width = 25,
                                  .height = 20,
                                  .channels = n.channels,
                                  .channel_count = 7,
                                  .tile = {tiled ? 16u : 0u, 8}});
        bool pending = false;
        for (uint64_t i = 1; !pending; i++) {
            mrw_image image;
            mrwi_base_alloc_fail_at(i);
            const mrw_status status = decode(f.bytes, f.size, 0, &image, NULL);
            pending = mrwi_base_alloc_fail_pending();
            ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
            mrw_image_free(&image);
        }
        mrwi_base_alloc_fail_at(0);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("exr read");
    TCase *t = tcase_create("exr read");
    tcase_add_test(t, halves_are_exact);
    tcase_add_test(t, other_channels_are_left_out);
    tcase_add_test(t, tiles_of_any_size);
    tcase_add_test(t, luminance_alone_is_grey);
    tcase_add_test(t, our_own_files);
    tcase_add_test(t, all_compressions);
    tcase_add_test(t, other_pictures_are_refused);
    tcase_add_test(t, large_pictures_are_refused);
    tcase_add_test(t, cut_files_are_refused);
    tcase_add_test(t, short_chunks_are_refused);
    tcase_add_test(t, damage_does_no_harm);
    tcase_add_test(t, memory_that_ends);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
