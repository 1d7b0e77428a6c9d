/* test_sprites.c: sprite sheets: where pictures lie, and every pixel of them. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"
#include "marrow/output.h"
#include "output/bleed.h"
#include "output/pack.h"
#include "test.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <unistd.h>

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    return test_random_below(&seed, limit);
}

/* ---- packing --------------------------------------------------------------------------------- */

#define MOST 700

static mrwi_output_rect rects[MOST];

/* Each inside of its page with the gap around it, none nearer to another than the gap. */
static void assert_packed(const mrwi_output_pack_def *def, uint32_t count,
                          const mrwi_output_page *pages, uint32_t page_count)
{
    for (uint32_t p = 0; p < page_count; p++) {
        const uint32_t w = pages[p].width, h = pages[p].height;
        uint32_t on = 0;
        ck_assert(w <= def->page_size && h <= def->page_size);
        ck_assert(!def->power_of_two || ((w & (w - 1)) == 0 && (h & (h - 1)) == 0));
        for (uint32_t i = 0; i < count; i++) {
            const mrwi_output_rect *a = &rects[i];
            on += a->page == p;
            ck_assert(a->page < page_count);
            ck_assert(a->page != p ||
                      (a->x >= def->gap && a->y >= def->gap && a->x + a->width + def->gap <= w &&
                       a->y + a->height + def->gap <= h));
            for (uint32_t k = 0; k < i && a->page == p; k++) {
                const mrwi_output_rect *b = &rects[k];
                ck_assert(b->page != p || a->x + a->width + def->gap <= b->x ||
                          b->x + b->width + def->gap <= a->x ||
                          a->y + a->height + def->gap <= b->y ||
                          b->y + b->height + def->gap <= a->y);
            }
        }
        ck_assert_uint_gt(on, 0);
    }
}

START_TEST(rectangles_lie_apart)
{
    seed = 1;
    for (int round = 0; round < 60; round++) {
        const uint32_t count = 1 + below(round % 10 == 0 ? MOST : 60);
        const uint32_t widest = 1 + below(90), tallest = 1 + below(90);
        const mrwi_output_pack_def def = {below(7), round % 3 == 0 ? 16384 : 120 + below(400),
                                          round % 2 == 0};
        mrwi_output_page *pages = NULL;
        uint32_t page_count = 0;
        for (uint32_t i = 0; i < count; i++) {
            rects[i] = (mrwi_output_rect){.width = 1 + below(widest), .height = 1 + below(tallest)};
        }
        mrw_error error = {0};
        const mrw_status status = mrwi_output_pack(&def, rects, count, &pages, &page_count, &error);
        if (status != MRW_OK) { /* 120 within powers of two is 64 */
            ck_assert(def.power_of_two && def.page_size < 128);
            ck_assert_ptr_nonnull(strstr(error.text, "larger --page-size"));
            continue;
        }
        assert_packed(&def, count, pages, page_count);
        ck_assert(page_count == 1 || def.page_size < 16384);
        mrwi_base_free(pages);
    }
}
END_TEST

/* Squares of one size: pages of powers of two that hold exactly as many, and others without loss.
 */
START_TEST(nothing_is_lost_where_nothing_need_be)
{
    static const struct {
        uint32_t count, side, gap, page_size;
        bool power_of_two;
        uint32_t pages, area; /* of the first page */
    } cases[] = {{64, 32, 0, 16384, true, 1, 256 * 256}, {32, 32, 0, 16384, true, 1, 128 * 256},
                 {1, 32, 0, 16384, true, 1, 32 * 32},    {1, 32, 1, 16384, true, 1, 64 * 64},
                 {100, 10, 0, 16384, false, 1, 10000},   {100, 8, 2, 102, false, 1, 102 * 102},
                 {101, 8, 2, 102, false, 2, 102 * 102},  {65, 32, 0, 300, true, 2, 256 * 256},
                 {300, 8, 2, 102, false, 3, 102 * 102},  {1, 5, 3, 11, false, 1, 121}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mrwi_output_pack_def def = {cases[i].gap, cases[i].page_size, cases[i].power_of_two};
        mrwi_output_page *pages = NULL;
        uint32_t page_count = 0;
        for (uint32_t k = 0; k < cases[i].count; k++) {
            rects[k] = (mrwi_output_rect){.width = cases[i].side, .height = cases[i].side};
        }
        ck_assert_int_eq(mrwi_output_pack(&def, rects, cases[i].count, &pages, &page_count, NULL),
                         MRW_OK);
        assert_packed(&def, cases[i].count, pages, page_count);
        ck_assert_uint_eq(page_count, cases[i].pages);
        ck_assert_uint_eq(pages[0].width * pages[0].height, cases[i].area);
        mrwi_base_free(pages);
    }
}
END_TEST

START_TEST(what_is_larger_than_a_page)
{
    const mrwi_output_pack_def def = {4, 64, false};
    mrwi_output_page *pages;
    uint32_t page_count;
    mrw_error error = {0};
    rects[0] = (mrwi_output_rect){.width = 20, .height = 57};
    ck_assert_int_eq(mrwi_output_pack(&def, rects, 1, &pages, &page_count, &error),
                     MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "does not fit on a page of 64x64"));
    rects[0].height = 56;
    ck_assert_int_eq(mrwi_output_pack(&def, rects, 1, &pages, &page_count, &error), MRW_OK);
    mrwi_base_free(pages);
}
END_TEST

/* ---- bleeding -------------------------------------------------------------------------------- */

/* Each clear pixel looks at all others. */
static void bleed_slowly(const uint8_t *from, uint8_t *to, uint32_t width, uint32_t height)
{
    for (uint32_t i = 0; i < width * height; i++) {
        const int x = (int)(i % width), y = (int)(i / width);
        int nearest = INT32_MAX;
        memcpy(to + 4 * i, from + 4 * i, 4);
        for (uint32_t column = 0; column < width && from[4 * i + 3] == 0; column++) {
            for (uint32_t row = 0; row < height; row++) {
                const uint8_t *pixel = from + 4 * (row * width + column);
                const int dx = (int)column - x, dy = (int)row - y, distance = dx * dx + dy * dy;
                if (pixel[3] != 0 && distance < nearest) {
                    nearest = distance;
                    memcpy(to + 4 * i, pixel, 3);
                }
            }
        }
    }
}

START_TEST(clear_pixels_take_the_nearest_colour)
{
    static uint8_t plain[32 * 32 * 4], expected[sizeof plain], page[40 * 32 * 4];
    seed = 2;
    for (int round = 0; round < 200; round++) {
        const uint32_t width = 1 + below(32), height = 1 + below(32), share = 1 + below(60);
        for (uint32_t i = 0; i < width * height; i++) {
            const bool seen = below(100) < share && round % 20 != 0; /* at times none is */
            for (int c = 0; c < 4; c++) {
                plain[4 * i + (uint32_t)c] = (uint8_t)(c < 3  ? below(256)
                                                       : seen ? 1 + below(255)
                                                              : 0);
            }
        }
        bleed_slowly(plain, expected, width, height);
        memset(page, 77, sizeof page);
        for (uint32_t y = 0; y < height; y++) {
            memcpy(page + y * 160 + 8, plain + 4 * y * width, 4 * width);
        }
        ck_assert_int_eq(mrwi_output_bleed(page + 8, 160, width, height, NULL), MRW_OK);
        for (uint32_t y = 0; y < height; y++) {
            ck_assert_mem_eq(page + y * 160 + 8, expected + 4 * y * width, 4 * width);
            ck_assert_uint_eq(page[y * 160 + 7], 77);
            ck_assert_uint_eq(page[y * 160 + 8 + 4 * width], 77);
        }
    }
}
END_TEST

/* ---- sheets ---------------------------------------------------------------------------------- */

#define PICTURES 24

static mrw_image images[PICTURES];
static mrw_output_sprite labels[PICTURES];
static char names[PICTURES][32];

/* Pictures of two animations, A and B, in turn. */
static void label(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *animation = i % 2 == 0 ? "A" : "B";
        snprintf(names[i], sizeof names[i], "%s/%03u", animation, i / 2);
        labels[i] = (mrw_output_sprite){
            .name = names[i], .animation = animation, .clip = animation, .seconds = 0.1};
    }
}

static void make_images(uint32_t count, uint32_t width, uint32_t height, uint32_t channels)
{
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(mrw_image_create(width, height, channels, &images[i], NULL), MRW_OK);
    }
}

static void free_images(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mrw_image_free(&images[i]);
    }
}

/* Writes the pictures to a.png and a.json, or what a template of pages gives. */
static mrw_status write_sheet(mrw_output_def def, uint32_t count, bool paged, mrw_error *error)
{
    char sheet[] = "a{page}.png", json[] = "a{page}.json", plain[] = "a.png", only[] = "a.json";
    char *paths[1] = {paged ? sheet : plain};
    const char *const json_paths[1] = {paged ? json : only};
    uint32_t of[PICTURES] = {0};
    const mrw_output_files files = {paths, 1, of, count};
    mrw_output *output = NULL;
    mrw_bytes bytes = {0};
    def.format = MRW_OUTPUT_SPRITES;
    def.files = &files;
    def.width = images[0].width;
    def.height = images[0].height;
    def.channels = images[0].channels;
    def.workers = 1;
    def.sprites.labels = labels;
    def.sprites.json_paths = json_paths;
    def.sprites.page_size = def.sprites.page_size > 0 ? def.sprites.page_size : 16384;
    mrw_status status = mrw_output_open(&def, &output, error);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) { /* in any order */
        const uint32_t picture = (i + 5) % count;
        status = mrw_output_put(output, 0, picture, picture, &images[picture], error);
    }
    if (status == MRW_OK) {
        status = mrw_output_finish(output, &bytes, error);
    }
    mrw_output_free(output);
    return status;
}

static void read_page(uint32_t page, bool paged, mrw_image *image, cJSON **json)
{
    char name[32], text[1 << 16];
    snprintf(name, sizeof name, paged ? "a%u.png" : "a.png", page);
    ck_assert_int_eq(mrw_image_read(name, images[0].channels, image, NULL), MRW_OK);
    snprintf(name, sizeof name, paged ? "a%u.json" : "a.json", page);
    FILE *file = fopen(name, "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    *json = cJSON_Parse(text);
    ck_assert_ptr_nonnull(*json);
}

static uint32_t number(const cJSON *frame, const char *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(cJSON_GetObjectItem(frame, object), key);
    ck_assert(cJSON_IsNumber(value));
    return (uint32_t)value->valueint;
}

/* Letters are pixels: a dot is clear, others have their own colour. */
static void draw(mrw_image *image, const char *const *rows)
{
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            const uint8_t letter = (uint8_t)rows[y][x];
            uint8_t *pixel = image->pixels + (y * image->width + x) * 4;
            memcpy(pixel, (uint8_t[4]){letter, (uint8_t)(2 * letter), 7, 200}, 4);
            memset(pixel, 0, letter == '.' ? 4 : 0);
        }
    }
}

/* The same backwards; small letters are clear pixels that have their capital's colour. */
static void assert_drawn(const mrw_image *image, const char *const *rows)
{
    for (uint32_t y = 0; y < image->height; y++) {
        ck_assert_uint_eq(strlen(rows[y]), image->width);
        for (uint32_t x = 0; x < image->width; x++) {
            const uint8_t *pixel = image->pixels + (y * image->width + x) * 4;
            char letter = pixel[0] == 0 && pixel[3] == 0 ? '.' : (char)pixel[0];
            letter = (char)(letter != '.' && pixel[3] == 0 ? letter + 'a' - 'A' : letter);
            ck_assert_msg(letter == rows[y][x], "%u, %u: %c in place of %c", x, y, letter,
                          rows[y][x]);
        }
    }
}

static const char *const first[] = {".....", //
                                    ".AB..", //
                                    ".C.D.", //
                                    "....."};
static const char *const second[] = {".....", //
                                     ".....", //
                                     "..E..", //
                                     "....."};

START_TEST(every_pixel)
{
    static const struct {
        mrw_output_def def;
        uint32_t width, height;
        const char *rows[12];
    } cases[] = {
        {{.columns = 2, .gap = 1, .sprites = {.trim = MRW_TRIM_NONE}},
         13,
         6,
         {".............", ".............", "..AB.........", "..C.D....E...", ".............",
          "............."}},
        {{.columns = 2, .gap = 2, .sprites = {.trim = MRW_TRIM_FRAME, .extrude = 1}},
         12,
         6,
         {"............", ".AAB..EEE...", ".AAB..EEE...", ".CC.DDEEE...", ".CC.DD......",
          "............"}},
        {{.columns = 2, .gap = 0, .sprites = {.trim = MRW_TRIM_FRAME, .bleed = true}},
         6,
         2,
         {"ABbE..", "CcD..."}},
        {{.columns = 1, .gap = 1, .sprites = {.trim = MRW_TRIM_ALL, .bleed = true}},
         5,
         7,
         {".....", ".ABb.", ".CcD.", ".....", ".eee.", ".eEe.", "....."}},
        {{.columns = 2, .gap = 0, .sprites = {.trim = MRW_TRIM_CLIP, .power_of_two = true}},
         8,
         2,
         {"AB.E....", "C.D....."}},
        {{.gap = 0, .sprites = {.trim = MRW_TRIM_FRAME}}, 4, 2, {"AB.E", "C.D."}},
    };
    label(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_error error = {0};
        mrw_image sheet = {0};
        cJSON *json;
        make_images(2, 5, 4, 4);
        draw(&images[0], first);
        draw(&images[1], second);
        ck_assert_msg(write_sheet(cases[i].def, 2, false, &error) == MRW_OK, "%s", error.text);
        read_page(0, false, &sheet, &json);
        ck_assert_uint_eq(sheet.width, cases[i].width);
        ck_assert_uint_eq(sheet.height, cases[i].height);
        assert_drawn(&sheet, cases[i].rows);
        cJSON_Delete(json);
        mrw_image_free(&sheet);
        free_images(2);
    }
}
END_TEST

/* An opaque sheet has its ground between the pictures. */
START_TEST(opaque_pictures)
{
    const mrw_output_def def = {.gap = 2, .background = {9, 8, 7, 255}, .sprites = {.extrude = 1}};
    mrw_image sheet = {0};
    cJSON *json;
    label(1);
    make_images(1, 2, 1, 3);
    memcpy(images[0].pixels, (uint8_t[]){1, 2, 3, 4, 5, 6}, 6);
    ck_assert_int_eq(write_sheet(def, 1, false, NULL), MRW_OK);
    read_page(0, false, &sheet, &json);
    ck_assert_uint_eq(sheet.width, 6);
    ck_assert_uint_eq(sheet.height, 5);
    for (uint32_t i = 0; i < 30; i++) {
        const uint32_t x = i % 6, y = i / 6;
        const bool ground = x == 0 || x == 5 || y == 0 || y == 4;
        ck_assert_uint_eq(sheet.pixels[3 * i], ground ? 9 : x < 3 ? 1 : 4);
        ck_assert_uint_eq(sheet.pixels[3 * i + 2], ground ? 7 : x < 3 ? 3 : 6);
    }
    cJSON_Delete(json);
    mrw_image_free(&sheet);
    free_images(1);
}
END_TEST

/* A figure of random pixels somewhere in a picture; every third one is that of the one before, one
 * is empty. */
static void make_random(uint32_t count)
{
    make_images(count, 40, 30, 4);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t width = 1 + below(20), height = 1 + below(15);
        const uint32_t left = below(40 - width), top = below(30 - height);
        if (i % 3 == 2) {
            memcpy(images[i].pixels, images[i - 1].pixels, 40 * 30 * 4);
        }
        for (uint32_t p = 0; p < width * height && i % 3 != 2 && i != 4; p++) {
            uint8_t *pixel = images[i].pixels + ((top + p / width) * 40 + left + p % width) * 4;
            memcpy(pixel,
                   (uint8_t[4]){(uint8_t)below(256), (uint8_t)below(256), (uint8_t)i,
                                (uint8_t)(1 + below(255))},
                   4);
            memset(pixel, 0, below(4) == 0 ? 4 : 0);
        }
    }
}

/* Cuts the sprites of a page out and puts them where they were: the pictures are there again.
 * Returns how many there are, and adds up what they cover, each place once. */
static uint32_t assert_page(const mrw_image *sheet, const cJSON *json, bool shares)
{
    const cJSON *frames = cJSON_GetObjectItem(json, "frames"), *frame;
    uint32_t found = 0, corners[PICTURES] = {0};
    cJSON_ArrayForEach(frame, frames)
    {
        static uint8_t again[40 * 30 * 4];
        const uint32_t i = 2 * (uint32_t)atoi(frame->string + 2) + (frame->string[0] == 'B');
        const uint32_t x = number(frame, "frame", "x"), y = number(frame, "frame", "y");
        const uint32_t w = number(frame, "frame", "w"), h = number(frame, "frame", "h");
        const uint32_t sx = number(frame, "spriteSourceSize", "x");
        const uint32_t sy = number(frame, "spriteSourceSize", "y");
        ck_assert_uint_eq(number(frame, "sourceSize", "w"), 40);
        ck_assert_uint_eq(number(frame, "sourceSize", "h"), 30);
        ck_assert_uint_eq(number(frame, "spriteSourceSize", "w"), w);
        ck_assert_int_eq(cJSON_IsTrue(cJSON_GetObjectItem(frame, "trimmed")), w < 40 || h < 30);
        memset(again, 0, sizeof again);
        for (uint32_t row = 0; row < h; row++) {
            memcpy(again + ((sy + row) * 40 + sx) * 4,
                   sheet->pixels + ((size_t)(y + row) * sheet->width + x) * 4, 4 * w);
        }
        ck_assert_mem_eq(again, images[i].pixels, sizeof again);
        corners[found++] = y << 16 | x;
        for (uint32_t k = 0; k + 1 < found && !shares; k++) {
            ck_assert_uint_ne(corners[k], corners[found - 1]);
        }
    }
    return found;
}

/* Three columns of whole pictures, in the order of these, not of animations. */
static void assert_cells(const cJSON *json)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        const cJSON *frame = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "frames"), names[i]);
        ck_assert_uint_eq(number(frame, "frame", "x"), 2 + i % 3 * 42);
        ck_assert_uint_eq(number(frame, "frame", "y"), 2 + i / 3 * 32);
    }
}

START_TEST(pictures_come_back)
{
    seed = 4;
    label(PICTURES);
    for (uint32_t round = 0; round < 4 * 2 * 3; round++) {
        const bool paged = round % 3 == 2;
        const mrw_output_def def = {.columns = round / 3 % 2 * 3,
                                    .gap = 2,
                                    .sprites = {.trim = (mrw_sprite_trim)(round / 6),
                                                .extrude = 1,
                                                .power_of_two = round % 3 == 1,
                                                .page_size = paged ? 150 : 16384}};
        uint32_t found = 0, page = 0;
        mrw_error error = {0};
        make_random(PICTURES);
        ck_assert_msg(write_sheet(def, PICTURES, paged, &error) == MRW_OK, "%s", error.text);
        for (; found < PICTURES; page++) {
            mrw_image sheet = {0};
            cJSON *json;
            ck_assert_uint_lt(page, PICTURES);
            read_page(page, paged, &sheet, &json);
            ck_assert(sheet.width <= def.sprites.page_size);
            found += assert_page(&sheet, json, def.columns == 0);
            if (def.columns == 3 && !paged && def.sprites.trim == MRW_TRIM_NONE) {
                assert_cells(json);
            }
            cJSON_Delete(json);
            mrw_image_free(&sheet);
        }
        ck_assert_uint_eq(found, PICTURES);
        ck_assert(paged ? page > 1 || def.sprites.trim == MRW_TRIM_FRAME : page == 1);
        free_images(PICTURES);
    }
}
END_TEST

/* Packed, a third of the pictures takes no room; and two that look the same elsewhere. */
START_TEST(equal_pictures_share)
{
    static const char *const moved[] = {"E....", ".....", ".....", "....."};
    mrw_image sheet = {0};
    cJSON *json;
    label(3);
    make_images(3, 5, 4, 4);
    draw(&images[0], second);
    draw(&images[1], moved);
    draw(&images[2], second);
    ck_assert_int_eq(write_sheet((mrw_output_def){.gap = 1, .sprites = {.trim = MRW_TRIM_FRAME}}, 3,
                                 false, NULL),
                     MRW_OK);
    read_page(0, false, &sheet, &json);
    assert_drawn(&sheet, (const char *const[]){"...", ".E.", "..."});
    ck_assert_uint_eq(sheet.height, 3);
    cJSON_Delete(json);
    mrw_image_free(&sheet);
    free_images(3);
}
END_TEST

START_TEST(what_can_not_be)
{
    mrw_error error = {0};
    label(2);
    make_images(2, 20, 20, 3);
    memset(images[1].pixels, 1, 1200);
    const mrw_output_def small = {.gap = 1, .sprites = {.page_size = 30}};
    ck_assert_int_eq(write_sheet(small, 2, false, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "needs 2 pages; put {page} into -o"));
    ck_assert_int_eq(access("a.png", F_OK), -1);
    ck_assert_int_eq(access("a.json", F_OK), -1);
    const mrw_output_def smaller = {.gap = 1, .sprites = {.page_size = 20}};
    ck_assert_int_eq(write_sheet(smaller, 2, true, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "does not fit on a page"));
    const mrw_output_def wide = {.columns = 2, .gap = 1, .sprites = {.page_size = 40}};
    ck_assert_int_eq(write_sheet(wide, 2, true, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "2 columns of sprites of 20x20 would be 43x22"));
    free_images(2);
}
END_TEST

START_TEST(memory_that_ends)
{
    mrw_output_def def = {.gap = 2, .sprites = {.trim = MRW_TRIM_CLIP, .bleed = true}};
    label(4);
    make_random(4);
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = write_sheet(def, 4, false, NULL);
        const bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY);
        if (pending) {
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
    }
    free_images(4);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sprites");
    TCase *tc = tcase_create("layout");
    tcase_add_test(tc, rectangles_lie_apart);
    tcase_add_test(tc, nothing_is_lost_where_nothing_need_be);
    tcase_add_test(tc, what_is_larger_than_a_page);
    tcase_add_test(tc, clear_pixels_take_the_nearest_colour);
    suite_add_tcase(s, tc);
    tc = tcase_create("sheets");
    tcase_add_checked_fixture(tc, test_folder_enter, test_folder_remove);
    tcase_add_test(tc, every_pixel);
    tcase_add_test(tc, opaque_pictures);
    tcase_add_test(tc, pictures_come_back);
    tcase_add_test(tc, equal_pictures_share);
    tcase_add_test(tc, what_can_not_be);
    tcase_add_test(tc, memory_that_ends);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
