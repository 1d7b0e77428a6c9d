/* font.c: a font of strokes: each glyph is a few polylines on a small grid. */
#include "overlay/overlay.h"

#include <assert.h>

/* Polylines, separated by blanks. A point is two characters, x and y, each a digit or a letter from
 * 'a' for 10. From the baseline, y = 4, to the top of capitals are 12 units; small letters are 8
 * high, and descenders reach 4 below. */
typedef struct glyph {
    uint8_t width; /* units */
    const char *lines;
} glyph;

#define BASELINE 4
#define CAPITALS 12.0
#define BETWEEN  4 /* units between glyphs */

static const glyph ascii[] = {
    {4, ""},                                            /* space */
    {2, "1g18 1514"},                                   /* ! */
    {3, "0g0d 3g3d"},                                   /* " */
    {8, "2f25 6f65 0c8c 0888"},                         /* # */
    {8, "8e6g2g0e0c2a6a8886642406 4i42"},               /* $ */
    {8, "8g04 1g2g3f3e2d1d0e0f1g 677786857464555667"},  /* % */
    {8, "842d2f3g4g5f5d0906244489"},                    /* & */
    {2, "1g1d"},                                        /* ' */
    {3, "3h0d0632"},                                    /* ( */
    {3, "0h3d3602"},                                    /* ) */
    {6, "3f39 0e6a 6e0a"},                              /* * */
    {6, "3d37 0a6a"},                                   /* + */
    {2, "151402"},                                      /* , */
    {5, "0a5a"},                                        /* - */
    {2, "1514"},                                        /* . */
    {6, "036h"},                                        /* / */
    {6, "2g4g6e664424060e2g"},                          /* 0 */
    {6, "1d3g34 1454"},                                 /* 1 */
    {6, "0e2g4g6e6c0464"},                              /* 2 */
    {6, "0e2g4g6e6c4a2a 4a6866442406"},                 /* 3 */
    {6, "4g0868 5c54"},                                 /* 4 */
    {6, "6g0g0b4b6966442406"},                          /* 5 */
    {6, "6e4g2g0e06244466694b2b09"},                    /* 6 */
    {6, "0g6g24"},                                      /* 7 */
    {6, "2g4g6e6c4a2a0c0e2g 2a080624446668 4a68"},      /* 8 */
    {6, "062444666e4g2g0e0b29496b"},                    /* 9 */
    {2, "1514 1c1b"},                                   /* : */
    {2, "151402 1c1b"},                                 /* ; */
    {6, "6e0a66"},                                      /* < */
    {6, "0c6c 0868"},                                   /* = */
    {6, "0e6a06"},                                      /* > */
    {6, "0e2g4g6e6c3a38 3534"},                         /* ? */
    {10, "8434070d3g7gada88778 7c78 7b5d4d3b3948587a"}, /* @ */
    {8, "044g84 1777"},                                 /* A */
    {8, "040g5g7e7c5a0a 5a88866404"},                   /* B */
    {8, "8e6g2g0e06246486"},                            /* C */
    {8, "040g5g8d875404"},                              /* D */
    {7, "7g0g0474 0a6a"},                               /* E */
    {7, "7g0g04 0a6a"},                                 /* F */
    {8, "8e6g2g0e062464868a5a"},                        /* G */
    {8, "040g 848g 0a8a"},                              /* H */
    {4, "2g24 0g4g 0444"},                              /* I */
    {6, "6g66442406"},                                  /* J */
    {8, "040g 8g08 3b84"},                              /* K */
    {7, "0g0474"},                                      /* L */
    {8, "040g488g84"},                                  /* M */
    {8, "040g848g"},                                    /* N */
    {8, "2g6g8e866424060e2g"},                          /* O */
    {8, "040g6g8e8b6909"},                              /* P */
    {8, "2g6g8e866424060e2g 5883"},                     /* Q */
    {8, "040g6g8e8b6909 4984"},                         /* R */
    {8, "8e6g2g0e0c2a6a8886642406"},                    /* S */
    {8, "0g8g 4g44"},                                   /* T */
    {8, "0g062464868g"},                                /* U */
    {8, "0g448g"},                                      /* V */
    {10, "0g345c74ag"},                                 /* W */
    {8, "0g84 8g04"},                                   /* X */
    {8, "0g4a8g 4a44"},                                 /* Y */
    {8, "0g8g0484"},                                    /* Z */
    {3, "3h0h0232"},                                    /* [ */
    {6, "0h63"},                                        /* \ */
    {3, "0h3h3202"},                                    /* ] */
    {6, "0c3g6c"},                                      /* ^ */
    {8, "0282"},                                        /* _ */
    {3, "0g2d"},                                        /* ` */
    {6, "6c64 6a4c2c0a06244466"},                       /* a */
    {6, "0g04 0a2c4c6a66442406"},                       /* b */
    {6, "6a4c2c0a06244466"},                            /* c */
    {6, "6g64 6a4c2c0a06244466"},                       /* d */
    {6, "08686a4c2c0a06244465"},                        /* e */
    {5, "5g4g2e24 0c5c"},                               /* f */
    {6, "6c62402001 6a4c2c0a06244466"},                 /* g */
    {6, "0g04 0a2c4c6a64"},                             /* h */
    {2, "1c14 1g1f"},                                   /* i */
    {3, "3c322000 3g3f"},                               /* j */
    {6, "0g04 6c06 2864"},                              /* k */
    {3, "0g062434"},                                    /* l */
    {10, "0c04 0a2c3c5a54 5a7c8caaa4"},                 /* m */
    {6, "0c04 0a2c4c6a64"},                             /* n */
    {6, "2c4c6a664424060a2c"},                          /* o */
    {6, "0c00 0a2c4c6a66442406"},                       /* p */
    {6, "6c60 6a4c2c0a06244466"},                       /* q */
    {5, "0c04 0a2c4c5b"},                               /* r */
    {6, "6b5c1c0b0918586765541405"},                    /* s */
    {5, "2f264454 0c5c"},                               /* t */
    {6, "0c06244466 6c64"},                             /* u */
    {6, "0c346c"},                                      /* v */
    {8, "0c244a648c"},                                  /* w */
    {6, "0c64 6c04"},                                   /* x */
    {6, "0c34 6c2010"},                                 /* y */
    {6, "0c6c0464"},                                    /* z */
    {4, "4h3h2g2b0a29233242"},                          /* { */
    {2, "1h12"},                                        /* | */
    {4, "0h1h2g2b4a29231202"},                          /* } */
    {6, "091b2b49596b"},                                /* ~ */
};
static const glyph box = {6, "040g6g6404"};

/* Returns the glyph of the next character of UTF-8 and moves *text behind it. Invalid UTF-8 becomes
 * one or more boxes. */
static const glyph *next_glyph(const char **text)
{
    const unsigned char first = (unsigned char)*(*text)++;
    _Static_assert(sizeof ascii / sizeof ascii[0] == 95, "32 to 126");
    if (first >= 0xc0) {
        while (((unsigned char)**text & 0xc0) == 0x80) {
            (*text)++;
        }
    }
    return first >= 32 && first < 127 ? &ascii[first - 32] : &box;
}

static int units_of(char digit)
{
    return digit >= 'a' ? digit - 'a' + 10 : digit - '0';
}

static void add_glyph(mrwi_overlay_canvas *canvas, const mrwi_overlay_text *place, double x,
                      const char *lines)
{
    const double unit = place->size / CAPITALS;
    mrwi_overlay_stroke stroke = {.radius = {place->radius, place->radius},
                                  .alpha = {place->alpha, place->alpha}};
    bool begun = false; /* a polyline has a point */
    for (; *lines != '\0'; lines++) {
        if (*lines == ' ') {
            begun = false;
            continue;
        }
        const double to[2] = {x + unit * units_of(lines[0]),
                              place->y - unit * (units_of(lines[1]) - BASELINE)};
        lines++;
        stroke.at[0][0] = stroke.at[1][0];
        stroke.at[0][1] = stroke.at[1][1];
        stroke.at[1][0] = to[0];
        stroke.at[1][1] = to[1];
        if (begun) {
            mrwi_overlay_add_stroke(canvas, &stroke);
        }
        begun = true;
    }
}

void mrwi_overlay_add_text(mrwi_overlay_canvas *canvas, const mrwi_overlay_text *place,
                           const char *text)
{
    double x = place->x;
    while (*text != '\0') {
        const glyph *g = next_glyph(&text);
        add_glyph(canvas, place, x, g->lines);
        x += place->size / CAPITALS * (g->width + BETWEEN);
    }
}

double mrwi_overlay_text_width(const char *text, double size)
{
    int units = 0;
    while (*text != '\0') {
        units += next_glyph(&text)->width + (*text != '\0' ? BETWEEN : 0);
    }
    return size / CAPITALS * units;
}
