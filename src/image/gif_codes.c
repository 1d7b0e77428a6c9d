/* gif_codes.c: pixels that may be drawn or left clear, for the dictionary of an LZW encoder.
 *
 * An encoder takes the longest string that its dictionary has. Where a pixel may have either of two
 * values, all strings that fit are followed at once, and the pixels become the longest of them.
 * What the encoder then finds in them is that string, so that both dictionaries stay the same. */
#include "image/gif_codes.h"

/* What is still to be packed. */
typedef struct pixels_left {
    const uint8_t *drawn;
    const uint8_t *optional;
    size_t count;
} pixels_left;

/* Forgets all strings from `first` on. */
static void clear(mrwi_image_gif_codes *codes, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        codes->next[codes->parent[i]][codes->last[i]] = 0;
    }
}

static void insert(mrwi_image_gif_codes *codes, uint32_t code, uint32_t parent, uint8_t last)
{
    codes->next[parent][last] = (uint16_t)code;
    codes->parent[code] = (uint16_t)parent;
    codes->last[code] = last;
}

/* Writes the string of a code, whose last pixel is before `end`. */
static void write_string(const mrwi_image_gif_codes *codes, uint32_t code, uint32_t length,
                         uint8_t *end)
{
    for (uint32_t i = 0; i < length; i++) {
        *--end = codes->last[code];
        code = codes->parent[code];
    }
}

/* The longest string that begins with a pixel `first`: its code and length. */
static uint32_t follow(mrwi_image_gif_codes *codes, const pixels_left *p, uint8_t first,
                       uint32_t *length)
{
    uint32_t count = 1, which = 0;
    codes->found[0][0] = first;
    for (*length = 1; *length < p->count; (*length)++) {
        const uint16_t *from = codes->found[which];
        uint16_t *to = codes->found[1 - which];
        const uint8_t pixel = p->drawn[*length];
        const bool optional = p->optional[*length] != 0;
        uint32_t longer = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint16_t left = optional ? codes->next[from[i]][0] : 0;
            const uint16_t drawn = optional && pixel == 0 ? 0 : codes->next[from[i]][pixel];
            to[longer] = left;
            longer += left != 0;
            to[longer] = drawn;
            longer += drawn != 0;
        }
        if (longer == 0) {
            break;
        }
        count = longer;
        which = 1 - which;
    }
    return codes->found[which][0];
}

void mrwi_image_gif_choose_pixels(mrwi_image_gif_codes *codes, const uint8_t *drawn,
                                  const uint8_t *optional, size_t count, int bits, uint8_t *pixels)
{
    const uint32_t first = (1u << bits) + 2; /* behind the codes of clearing and of the end */
    uint32_t end = first, before = 0;
    for (uint32_t i = 0; i < first; i++) {
        codes->last[i] = (uint8_t)i;
    }
    for (size_t at = 0; at < count;) {
        const pixels_left left = {drawn + at, optional + at, count - at};
        uint32_t best = 0, longest = 0;
        const bool grows = at > 0 && end < MRWI_IMAGE_GIF_CODES;
        if (at > 0 && !grows) {
            clear(codes, first, end);
            end = first;
        }
        for (int leave = optional[at] ? 1 : 0; leave >= 0; leave--) {
            const uint8_t pixel = leave ? 0 : drawn[at];
            uint32_t length;
            if (grows) { /* the string before and this pixel, which may be used at once */
                insert(codes, end, before, pixel);
            }
            const uint32_t code = follow(codes, &left, pixel, &length);
            if (length > longest) {
                longest = length;
                best = code;
                write_string(codes, code, length, pixels + at + length);
            }
            if (grows) {
                codes->next[before][pixel] = 0;
            }
        }
        if (grows) {
            insert(codes, end++, before, pixels[at]);
        }
        before = best;
        at += longest;
    }
    clear(codes, first, end);
}
