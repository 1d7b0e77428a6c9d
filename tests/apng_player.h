/* apng_player.h: plays an animated PNG as the third edition of PNG says (11.3.7), by code that
 * shares nothing with the writer but inflate. */
#ifndef MARROW_APNG_PLAYER_H
#define MARROW_APNG_PLAYER_H

#include "png_fixture.h"

enum { PLAYER_KEEP, PLAYER_CLEAR, PLAYER_RESTORE };

/* A frame's fcTL. */
typedef struct player_frame {
    uint32_t width, height, x, y;
    uint32_t delay_num, delay_den;
    uint8_t dispose, over;
} player_frame;

typedef struct player {
    chunk chunks[128];
    int count, at;
    uint32_t sequence; /* the next number */
    mrw_image canvas, before;
    player_frame frame; /* the one shown */
    uint32_t played;
} player;

/* Frees nothing of the file, which must last. */
static inline void player_open(player *p, const mrw_bytes *file, uint32_t width, uint32_t height,
                               uint32_t channels)
{
    memset(p, 0, sizeof *p);
    p->count = read_chunks(file, p->chunks, 128);
    p->at = 2; /* IHDR, acTL */
    ck_assert_int_eq(mrw_image_create(width, height, channels, &p->canvas, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_create(width, height, channels, &p->before, NULL), MRW_OK);
    check_header(&p->chunks[0], &p->canvas);
    ck_assert_str_eq(p->chunks[1].type, "acTL");
    memset(p->canvas.pixels, 0, (size_t)width * height * channels);
}

static inline void player_close(player *p)
{
    mrw_image_free(&p->canvas);
    mrw_image_free(&p->before);
}

static inline const chunk *player_chunk(player *p, const char *type, bool numbered)
{
    ck_assert_int_lt(p->at, p->count);
    const chunk *found = &p->chunks[p->at++];
    ck_assert_str_eq(found->type, type);
    if (numbered) {
        ck_assert_uint_eq(load_u32(found->data), p->sequence++);
    }
    return found;
}

static inline void player_read_control(player *p)
{
    const chunk *c = player_chunk(p, "fcTL", true);
    ck_assert_uint_eq(c->size, 26);
    const uint8_t *d = c->data;
    p->frame = (player_frame){.width = load_u32(d + 4),
                              .height = load_u32(d + 8),
                              .x = load_u32(d + 12),
                              .y = load_u32(d + 16),
                              .delay_num = (uint32_t)d[20] << 8 | d[21],
                              .delay_den = (uint32_t)d[22] << 8 | d[23],
                              .dispose = d[24],
                              .over = d[25]};
    const player_frame *f = &p->frame;
    ck_assert(f->width > 0 && f->width <= p->canvas.width - f->x && f->x < p->canvas.width);
    ck_assert(f->height > 0 && f->height <= p->canvas.height - f->y && f->y < p->canvas.height);
    ck_assert(f->dispose <= PLAYER_RESTORE && f->over <= 1);
}

static inline uint8_t *player_pixel(mrw_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * image->channels;
}

static inline void player_dispose(player *p)
{
    const player_frame *f = &p->frame;
    const size_t row = (size_t)f->width * p->canvas.channels;
    for (uint32_t y = f->y; y < f->y + f->height && f->dispose != PLAYER_KEEP; y++) {
        uint8_t *to = player_pixel(&p->canvas, f->x, y);
        if (f->dispose == PLAYER_CLEAR || p->played == 1) { /* before the first is nothing */
            memset(to, 0, row);
        } else {
            memcpy(to, player_pixel(&p->before, f->x, y), row);
        }
    }
}

/* PNG 13.16: colours of partly transparent pixels are mixed. */
static inline void player_mix(uint8_t to[4], const uint8_t from[4])
{
    const double a = from[3] / 255.0, under = to[3] / 255.0 * (1 - a), sum = a + under;
    for (int c = 0; c < 3; c++) {
        to[c] = sum > 0 ? (uint8_t)((from[c] * a + to[c] * under) / sum + 0.5) : 0;
    }
    to[3] = (uint8_t)(sum * 255 + 0.5);
}

static inline void player_draw(player *p, const uint8_t *rows)
{
    const player_frame *f = &p->frame;
    const uint32_t channels = p->canvas.channels;
    for (uint32_t y = 0; y < f->height; y++) {
        rows++;
        for (uint32_t x = 0; x < f->width; x++, rows += channels) {
            uint8_t *to = player_pixel(&p->canvas, f->x + x, f->y + y);
            if (!f->over || channels == 3 || rows[3] == 255) {
                memcpy(to, rows, channels);
            } else if (rows[3] > 0) {
                player_mix(to, rows);
            }
        }
    }
}

/* The next frame, onto the canvas. */
static inline void player_next(player *p)
{
    if (p->played > 0) {
        player_dispose(p);
    }
    player_read_control(p);
    memcpy(p->before.pixels, p->canvas.pixels,
           (size_t)p->canvas.width * p->canvas.height * p->canvas.channels);
    const bool first = p->played++ == 0;
    const chunk *data = player_chunk(p, first ? "IDAT" : "fdAT", !first);
    const size_t number = first ? 0 : 4, stride = (size_t)p->frame.width * p->canvas.channels;
    const size_t expected = (stride + 1) * p->frame.height;
    size_t size = 0;
    uint8_t *rows = malloc(expected);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    ck_assert_int_eq(libdeflate_zlib_decompress(d, data->data + number, data->size - number, rows,
                                                expected, &size),
                     LIBDEFLATE_SUCCESS);
    ck_assert_uint_eq(size, expected);
    libdeflate_free_decompressor(d);
    unfilter(rows, stride, p->frame.height, p->canvas.channels);
    player_draw(p, rows);
    free(rows);
}

#endif
