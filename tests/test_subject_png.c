/* test_subject_png.c: the chunk that carries a picture's subject: written as image.h says, read
 * back, and harmless however it is damaged. Chunks are taken apart and made by hand. */
#include "png_fixture.h"

#include "base/memory.h"
#include "image/subject.h"
#include "marrow/codecs.h"

#define MOST_CHUNKS 12

static mrw_image make_image(uint32_t width, uint32_t height, uint32_t channels, bool subject)
{
    mrw_image image;
    ck_assert_int_eq(mrw_image_create(width, height, channels, &image, NULL), MRW_OK);
    const size_t pixels = (size_t)width * height;
    for (size_t i = 0; i < pixels * channels; i++) {
        image.pixels[i] = (uint8_t)(i * 7);
    }
    if (subject) {
        image.subject = mrwi_base_alloc_zero(pixels, 1);
    }
    return image;
}

static mrw_bytes encode(const mrw_image *image)
{
    mrw_bytes png;
    ck_assert_int_eq(mrw_png_encode(image, &png, NULL), MRW_OK);
    return png;
}

/* Decodes; the picture must be there whatever its subject. The caller frees it. */
static mrw_image decode(const uint8_t *data, size_t size, uint32_t channels)
{
    mrw_image image = {0};
    mrw_error error = {0};
    ck_assert_msg(mrw_image_decode(data, size, channels, 0, "x", &image, &error) == MRW_OK, "%s",
                  error.text);
    return image;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The format, once more and slowly: one pixel after the other. */
static size_t pack_slowly(const uint8_t *subject, size_t pixels, uint8_t *out)
{
    size_t n = 0, done = 0;
    out[n++] = 1;
    for (int value = 0; done < pixels; value = 1 - value) {
        size_t run = 0;
        while (done < pixels && subject[done] == value) {
            run++;
            done++;
        }
        do {
            out[n++] = (uint8_t)(run % 128 + (run >= 128 ? 128 : 0));
            run /= 128;
        } while (run > 0);
    }
    return n;
}

static void check_written(const mrw_image *image)
{
    const size_t pixels = (size_t)image->width * image->height;
    mrw_bytes png = encode(image), again = encode(image);
    chunk chunks[MOST_CHUNKS];
    uint8_t *expected = malloc(pixels + 16);
    size_t size = pack_slowly(image->subject, pixels, expected);
    ck_assert_uint_eq(png.size, again.size);
    ck_assert_mem_eq(png.data, again.data, png.size);
    ck_assert_int_eq(read_chunks(&png, chunks, MOST_CHUNKS), 4); /* with their checksums */
    check_header(&chunks[0], image);
    ck_assert_str_eq(chunks[1].type, "mrSB");
    ck_assert_str_eq(chunks[2].type, "IDAT");
    ck_assert_str_eq(chunks[3].type, "IEND");
    ck_assert_uint_eq(chunks[1].size, size);
    ck_assert_mem_eq(chunks[1].data, expected, size);
    check_packed(chunks[2].data, chunks[2].size, image);
    for (uint32_t channels = 0; channels <= 4; channels += channels == 0 ? 3 : 1) {
        mrw_image back = decode(png.data, png.size, channels);
        ck_assert_uint_eq(back.channels, channels == 0 ? image->channels : channels);
        ck_assert_ptr_nonnull(back.subject);
        ck_assert_mem_eq(back.subject, image->subject, pixels);
        mrw_image_free(&back);
    }
    free(expected);
    mrw_bytes_free(&png);
    mrw_bytes_free(&again);
}

/* By hand: 5 x 2 pixels, "01100 00011" and its like. */
START_TEST(the_chunk_is_the_documented_one)
{
    static const struct {
        uint8_t subject[10], data[12];
        size_t size;
    } cases[] = {{{0, 1, 1, 0, 0, 0, 0, 0, 1, 1}, {1, 1, 2, 5, 2}, 5},
                 {{1, 1, 1, 0, 0, 0, 0, 0, 0, 1}, {1, 0, 3, 6, 1}, 5},
                 {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 10}, 2},
                 {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 0, 10}, 3},
                 {{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}, {1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_image image = make_image(5, 2, 3, true);
        chunk chunks[MOST_CHUNKS];
        memcpy(image.subject, cases[i].subject, 10);
        mrw_bytes png = encode(&image);
        read_chunks(&png, chunks, MOST_CHUNKS);
        ck_assert_uint_eq(chunks[1].size, cases[i].size);
        ck_assert_mem_eq(chunks[1].data, cases[i].data, cases[i].size);
        /* PNG third edition, 5.4: bit 5 of the letters */
        ck_assert_uint_ne(chunks[1].type[0] & 32, 0); /* ancillary */
        ck_assert_uint_ne(chunks[1].type[1] & 32, 0); /* private */
        ck_assert_uint_eq(chunks[1].type[2] & 32, 0); /* reserved */
        ck_assert_uint_eq(chunks[1].type[3] & 32, 0); /* unsafe to copy */
        mrw_bytes_free(&png);
        check_written(&image);
        mrw_image_free(&image);
    }
}
END_TEST

START_TEST(any_subject_comes_back)
{
    static const uint32_t sizes[][2] = {{1, 1},   {127, 1},  {128, 1},    {1, 129},
                                        {64, 64}, {257, 31}, {2048, 1030}};
    uint64_t state = 3;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t most = 1; most <= 100000; most *= 10) { /* runs up to so long */
            mrw_image image = make_image(sizes[i][0], sizes[i][1], 3 + i % 2, true);
            uint8_t value = (uint8_t)(most % 3 % 2);
            size_t left = 0;
            for (size_t p = 0; p < (size_t)image.width * image.height; p++, left--) {
                if (left == 0) {
                    left = 1 + test_random_below(&state, most);
                    value = !value;
                }
                image.subject[p] = value;
            }
            check_written(&image);
            mrw_image_free(&image);
        }
    }
}
END_TEST

/* Numbers of four and five bytes: a run of 2^28 pixels is the largest there is. */
START_TEST(the_largest_picture_has_a_subject)
{
    const size_t pixels = (size_t)MRW_IMAGE_MAX_SIDE * MRW_IMAGE_MAX_SIDE;
    mrw_image image = {.width = MRW_IMAGE_MAX_SIDE, .height = MRW_IMAGE_MAX_SIDE, .channels = 3};
    mrwi_image_room packed = {0};
    uint8_t file[64] = {0};
    image.subject = mrwi_base_alloc_zero(pixels, 1);
    ck_assert_ptr_nonnull(image.subject);
    for (int drawn = 0; drawn < 2; drawn++) {
        static const uint8_t expected[2][7] = {{1, 0x80, 0x80, 0x80, 0x80, 1},
                                               {1, 0, 0x80, 0x80, 0x80, 0x80, 1}};
        memset(image.subject, drawn, pixels);
        size_t size = 8, packed_size;
        ck_assert_int_eq(mrwi_image_subject_pack(&image, &packed, &packed_size, NULL), MRW_OK);
        ck_assert_uint_eq(packed_size, drawn ? 7 : 6);
        ck_assert_mem_eq(packed.data, expected[drawn], packed_size);
        uint8_t *subject;
        size += put_chunk(file + size, "mrSB", packed.data, packed_size);
        size += put_chunk(file + size, "IDAT", NULL, 0);
        ck_assert_int_eq(mrwi_image_subject_read(file, size, MRW_IMAGE_MAX_SIDE, MRW_IMAGE_MAX_SIDE,
                                                 &subject, NULL),
                         MRW_OK);
        ck_assert_ptr_nonnull(subject);
        ck_assert_int_eq(memcmp(subject, image.subject, pixels), 0);
        mrwi_base_free(subject);
    }
    mrwi_base_free(packed.data);
    mrwi_base_free(image.subject);
}
END_TEST

/* Without a subject a file is what it was; with one, taking the chunk out gives that file. */
START_TEST(only_pictures_with_a_subject_have_the_chunk)
{
    mrw_image image = make_image(40, 30, 4, false);
    chunk chunks[MOST_CHUNKS];
    uint8_t plain_hash[32], hash[32];
    mrw_bytes plain = encode(&image);
    mrw_image_hash(&image, plain_hash);
    ck_assert_int_eq(read_chunks(&plain, chunks, MOST_CHUNKS), 3);
    mrw_image back = decode(plain.data, plain.size, 0);
    ck_assert_ptr_null(back.subject);
    mrw_image_free(&back);
    image.subject = mrwi_base_alloc_zero(40 * 30, 1);
    memset(image.subject + 300, 1, 200);
    mrw_bytes png = encode(&image);
    mrw_image_hash(&image, hash);
    ck_assert_mem_eq(hash, plain_hash, 32);
    read_chunks(&png, chunks, MOST_CHUNKS);
    size_t chunk_size = chunks[1].size + 12;
    ck_assert_uint_eq(png.size, plain.size + chunk_size);
    ck_assert_mem_eq(png.data, plain.data, 33);
    ck_assert_mem_eq(png.data + 33 + chunk_size, plain.data + 33, plain.size - 33);
    mrw_image_free(&image);
    mrw_bytes_free(&png);
    mrw_bytes_free(&plain);
}
END_TEST

START_TEST(animations_and_sheets_have_none)
{
    mrw_image frames[2] = {make_image(20, 10, 3, true), make_image(20, 10, 3, true)}, sheet;
    chunk with[16], without[16];
    mrw_bytes file, plain;
    memset(frames[1].subject, 1, 200);
    ck_assert_int_eq(mrw_apng_encode(frames, 2, (mrw_rate){10, 1}, &file, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_sheet(frames, 2, 2, 1, (uint8_t[4]){0}, &sheet, NULL), MRW_OK);
    ck_assert_ptr_null(sheet.subject);
    for (int i = 0; i < 2; i++) {
        mrwi_base_free(frames[i].subject);
        frames[i].subject = NULL;
    }
    ck_assert_int_eq(mrw_apng_encode(frames, 2, (mrw_rate){10, 1}, &plain, NULL), MRW_OK);
    ck_assert_int_eq(read_chunks(&file, with, 16), read_chunks(&plain, without, 16));
    ck_assert_uint_eq(file.size, plain.size);
    ck_assert_mem_eq(file.data, plain.data, plain.size);
    for (int i = 0; i < 2; i++) {
        mrw_image_free(&frames[i]);
    }
    mrw_image_free(&sheet);
    mrw_bytes_free(&file);
    mrw_bytes_free(&plain);
}
END_TEST

/* ---- reading what others may write ----------------------------------------------------------- */

#define WIDTH  20
#define HEIGHT 10

/* A chunk to put into a PNG of WIDTH x HEIGHT: before its pixels, or after. */
typedef struct part {
    const char *type;
    const uint8_t *data;
    size_t size;
    bool after;
    bool bad_checksum;
} part;

/* An honest PNG without a subject, with these chunks. The caller frees it. */
static mrw_bytes assemble(const part *parts, size_t count)
{
    mrw_image image = make_image(WIDTH, HEIGHT, 3, false);
    mrw_bytes png = encode(&image);
    uint8_t *out = malloc(png.size + 65536);
    size_t used = 33;
    memcpy(out, png.data, used);
    for (int after = 0; after < 2; after++) {
        for (size_t i = 0; i < count; i++) {
            if (parts[i].after == (after == 1)) {
                used += put_chunk(out + used, parts[i].type, parts[i].data, parts[i].size);
                out[used - 1] ^= parts[i].bad_checksum;
            }
        }
        size_t from = after ? png.size - 12 : 33, to = after ? png.size : png.size - 12;
        memcpy(out + used, png.data + from, to - from);
        used += to - from;
    }
    mrw_bytes_free(&png);
    mrw_image_free(&image);
    return (mrw_bytes){out, used};
}

/* Decodes a PNG from a block of just its size, so that a sanitizer sees an overrun; says whether it
 * has a subject, whose bytes must be 0 or 1. */
static bool has_subject(const mrw_bytes *png, uint8_t *subject)
{
    uint8_t *exact = malloc(png->size);
    memcpy(exact, png->data, png->size);
    mrw_image image = decode(exact, png->size, 0);
    bool has = image.subject;
    for (size_t p = 0; has && p < (size_t)image.width * image.height; p++) {
        ck_assert_uint_le(image.subject[p], 1);
    }
    if (has && subject) {
        memcpy(subject, image.subject, (size_t)image.width * image.height);
    }
    mrw_image_free(&image);
    free(exact);
    return has;
}

static bool accepted(const part *parts, size_t count)
{
    mrw_bytes png = assemble(parts, count);
    bool has = has_subject(&png, NULL);
    free(png.data);
    return has;
}

START_TEST(damaged_chunks_are_ignored)
{
    /* 200 = 0xc8 0x01, 150 = 0x96 0x01 */
    static const struct {
        const char *what;
        uint8_t data[16];
        size_t size;
        bool sound;
    } cases[] = {
        {"sound", {1, 50, 0x96, 1}, 4, true},
        {"sound, all drawn", {1, 0, 0xc8, 1}, 4, true},
        {"sound, nothing drawn", {1, 0xc8, 1}, 3, true},
        {"no data", {0}, 0, false},
        {"a version alone", {1}, 1, false},
        {"another version", {2, 50, 0x96, 1}, 4, false},
        {"version 0", {0, 50, 0x96, 1}, 4, false},
        {"one pixel too few", {1, 50, 0x95, 1}, 4, false},
        {"one pixel too many", {1, 50, 0x97, 1}, 4, false},
        {"too many in the first run", {1, 0xc9, 1}, 3, false},
        {"far too many", {1, 0xff, 0xff, 0xff, 0xff, 0x7f}, 6, false},
        {"a run more at the end", {1, 50, 0x96, 1, 1}, 5, false},
        {"an empty run at the end", {1, 50, 0x96, 1, 0}, 5, false},
        {"an empty run inside", {1, 25, 0, 25, 0x96, 1}, 6, false},
        {"cut off inside a number", {1, 50, 0x96}, 3, false},
        {"a number too long", {1, 50, 0x96, 0x81, 0}, 5, false},
        {"a zero too long", {1, 0x80, 0, 0xc8, 1}, 5, false},
        {"a number of six bytes", {1, 50, 0x96, 0x81, 0x80, 0x80, 0x80, 0}, 8, false},
        {"a number beyond 64 bits",
         {1, 50, 0x96, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0},
         15,
         false},
        {"2^35 + 150", {1, 50, 0x96, 0x81, 0x80, 0x80, 0x80, 1}, 8, false},
        {"2^32 + 150", {1, 50, 0x96, 0x81, 0x80, 0x80, 0x10}, 7, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        part one = {"mrSB", cases[i].data, cases[i].size, false, false};
        ck_assert_msg(accepted(&one, 1) == cases[i].sound, "%s", cases[i].what);
        one.bad_checksum = true;
        ck_assert_msg(!accepted(&one, 1), "%s, with a wrong checksum", cases[i].what);
    }
}
END_TEST

START_TEST(one_chunk_before_the_pixels_counts)
{
    static const uint8_t data[4] = {1, 50, 0x96, 1}, text[6] = "Name\0x";
    const part sound = {"mrSB", data, 4, false, false}, late = {"mrSB", data, 4, true, false};
    const part broken = {"mrSB", data, 4, false, true}, note = {"tEXt", text, 6, false, false};
    const part copied = {"mrSb", data, 4, false, false}, wrong = {"mrSB", data, 3, false, false};
    const struct {
        part parts[3];
        size_t count;
        bool sound;
    } cases[] = {{{sound}, 1, true},          {{note, sound, note}, 3, true},
                 {{late}, 1, false},          {{sound, late}, 2, true},
                 {{sound, sound}, 2, false},  {{sound, note, wrong}, 3, false},
                 {{broken, sound}, 2, false}, {{wrong, sound}, 2, false},
                 {{copied}, 1, false},        {{copied, sound}, 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(accepted(cases[i].parts, cases[i].count) == cases[i].sound, "case %d",
                      (int)i);
    }
}
END_TEST

/* Every byte of the chunk, its length and checksum included, changed in eight ways and some more:
 * the picture decodes to the same pixels or, when the chunk's length lies, is refused; a subject is
 * there only if the file is sound, that is, unchanged. */
START_TEST(flipped_bytes_do_no_harm)
{
    mrw_image image = make_image(WIDTH, HEIGHT, 3, true);
    memset(image.subject + 50, 1, 30);
    memset(image.subject + 150, 1, 7);
    mrw_bytes png = encode(&image);
    chunk chunks[MOST_CHUNKS];
    read_chunks(&png, chunks, MOST_CHUNKS);
    const size_t first = 33, end = first + chunks[1].size + 12;
    ck_assert(has_subject(&png, NULL));
    uint32_t decoded = 0;
    for (size_t at = first; at < end; at++) {
        for (int change = 1; change < 256; change++) {
            uint8_t *damaged = malloc(png.size);
            mrw_image back = {0};
            memcpy(damaged, png.data, png.size);
            damaged[at] ^= (uint8_t)change;
            if (mrw_image_decode(damaged, png.size, 0, 0, "x", &back, NULL) == MRW_OK) {
                ck_assert_ptr_null(back.subject);
                ck_assert_mem_eq(back.pixels, image.pixels, WIDTH * HEIGHT * 3);
                decoded++;
            }
            mrw_image_free(&back);
            free(damaged);
        }
    }
    ck_assert_uint_gt(decoded, 255 * (uint32_t)chunks[1].size);
    mrw_image_free(&image);
    mrw_bytes_free(&png);
}
END_TEST

/* Random data under a right checksum: whatever is accepted packs to the same bytes again. */
START_TEST(accepted_chunks_are_the_only_way_to_say_it)
{
    uint64_t state = 11;
    uint32_t sound = 0;
    for (int round = 0; round < TEST_ROUNDS(100000); round++) {
        uint8_t data[12] = {1}, subject[WIDTH * HEIGHT], again[WIDTH * HEIGHT + 16], *got;
        size_t size = 1, left = WIDTH * HEIGHT;
        while (size < 10 && left > 0) { /* mostly right */
            uint32_t value = test_random_below(&state, 90);
            value = test_random_below(&state, 4) == 0 ? (uint32_t)left : value;
            left -= value < left ? value : left;
            if (value >= 128) {
                data[size++] = (uint8_t)(value | 128);
            }
            data[size++] = (uint8_t)(value >= 128 ? value >> 7 : value);
        }
        if (test_random_below(&state, 4) == 0) {
            const uint32_t at = test_random_below(&state, (uint32_t)size);
            data[at] ^= (uint8_t)(1u << test_random_below(&state, 8));
        }
        uint8_t file[64];
        size_t used = 8 + put_chunk(file + 8, "mrSB", data, size);
        used += put_chunk(file + used, "IDAT", NULL, 0);
        ck_assert_int_eq(mrwi_image_subject_read(file, used, WIDTH, HEIGHT, &got, NULL), MRW_OK);
        if (got) {
            memcpy(subject, got, sizeof subject);
            ck_assert_uint_eq(pack_slowly(subject, WIDTH * HEIGHT, again), size);
            ck_assert_mem_eq(again, data, size);
            sound++;
        }
        mrwi_base_free(got);
    }
    ck_assert_uint_gt(sound, TEST_ROUNDS(10000));
}
END_TEST

/* Files that end anywhere in the chunk, and lengths that reach beyond the file or wrap. */
START_TEST(cut_files_do_no_harm)
{
    static const uint8_t data[4] = {1, 50, 0x96, 1};
    static const uint32_t lengths[] = {5, 100, 0x7fffffff, 0x80000000, 0xfffffff3, 0xffffffff};
    uint8_t file[64] = {0}, *got;
    size_t size = 8 + put_chunk(file + 8, "mrSB", data, 4);
    size += put_chunk(file + size, "IDAT", NULL, 0);
    for (size_t end = 0; end < size; end++) {
        uint8_t *exact = malloc(end + 1);
        memcpy(exact, file, end);
        ck_assert_int_eq(mrwi_image_subject_read(exact, end, WIDTH, HEIGHT, &got, NULL), MRW_OK);
        ck_assert_ptr_null(got); /* the pixels are not reached */
        free(exact);
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint8_t *exact = malloc(size);
        memcpy(exact, file, size);
        store_u32(exact + 8, lengths[i]);
        ck_assert_int_eq(mrwi_image_subject_read(exact, size, WIDTH, HEIGHT, &got, NULL), MRW_OK);
        ck_assert_ptr_null(got);
        free(exact);
    }
    ck_assert_int_eq(mrwi_image_subject_read(file, size, WIDTH, HEIGHT, &got, NULL), MRW_OK);
    ck_assert_ptr_nonnull(got);
    mrwi_base_free(got);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(every_failed_allocation_is_reported)
{
    mrw_image image = make_image(200, 100, 3, true);
    for (size_t p = 0; p < 200 * 100; p++) {
        image.subject[p] = p / 2 % 2; /* the chunk grows */
    }
    mrw_bytes png = encode(&image), out;
    int failures[2] = {0, 0};
    for (int read = 0; read < 2; read++) {
        for (uint64_t n = 1;; n++) {
            mrw_image back = {0};
            mrw_error error = {0};
            mrwi_base_alloc_fail_at(n);
            mrw_status status = read
                                    ? mrw_image_decode(png.data, png.size, 0, 0, "x", &back, &error)
                                    : mrw_png_encode(&image, &out, &error);
            bool fired = !mrwi_base_alloc_fail_pending();
            mrwi_base_alloc_fail_at(0);
            ck_assert_int_eq(status, fired ? MRW_ERROR_MEMORY : MRW_OK);
            ck_assert_int_eq(error.status, status);
            ck_assert(!fired || !back.pixels);
            if (!fired) {
                ck_assert(read == 0 || back.subject);
                mrw_image_free(&back);
                if (!read) {
                    mrw_bytes_free(&out);
                }
                break;
            }
            failures[read]++;
        }
    }
    ck_assert_int_ge(failures[0], 5);
    ck_assert_int_ge(failures[1], 3);
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("subject_png");
    TCase *tc = tcase_create("subject_png");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_chunk_is_the_documented_one);
    tcase_add_test(tc, any_subject_comes_back);
    tcase_add_test(tc, the_largest_picture_has_a_subject);
    tcase_add_test(tc, only_pictures_with_a_subject_have_the_chunk);
    tcase_add_test(tc, animations_and_sheets_have_none);
    tcase_add_test(tc, damaged_chunks_are_ignored);
    tcase_add_test(tc, one_chunk_before_the_pixels_counts);
    tcase_add_test(tc, flipped_bytes_do_no_harm);
    tcase_add_test(tc, accepted_chunks_are_the_only_way_to_say_it);
    tcase_add_test(tc, cut_files_do_no_harm);
    tcase_add_test(tc, every_failed_allocation_is_reported);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
