/* opacity.c: puts opacity textures into the alpha of the base texture, which is drawn. */
#include "import/opacity.h"

#include "base/memory.h"
#include "base/sha256.h"

#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Two neighbouring texels of a row or column, and the weight of the second, of 256. */
typedef struct step {
    uint32_t first, second, part;
} step;

/* Finds where the centres of `count` texels are among `from` texels with the same total width. */
static step *make_steps(uint32_t from, uint32_t count)
{
    step *steps = mrwi_base_alloc(count, sizeof *steps);
    for (uint32_t i = 0; steps && i < count; i++) {
        const int64_t at = (int64_t)(2 * (uint64_t)i + 1) * from - count,
                      whole = 2 * (int64_t)count;
        const int64_t texel = at < 0 ? -1 : at / whole;
        const int64_t last = (int64_t)from - 1;
        steps[i].first = (uint32_t)(texel < 0 ? 0 : texel);
        steps[i].second = (uint32_t)(texel < last ? texel + 1 : last);
        steps[i].part = (uint32_t)((at - texel * whole) * 256 / whole);
    }
    return steps;
}

static uint8_t between(const uint8_t *above, const uint8_t *below, const step *x, uint32_t down)
{
    const uint32_t a =
        above[4 * (size_t)x->first] * (256 - x->part) + above[4 * (size_t)x->second] * x->part;
    const uint32_t b =
        below[4 * (size_t)x->first] * (256 - x->part) + below[4 * (size_t)x->second] * x->part;
    return (uint8_t)((a * (256 - down) + b * down + 32768) >> 16);
}

/* Resizes RGBA texels to width x height; NULL when out of memory. */
static uint8_t *resize(const mrwi_scene_texels *in, uint32_t width, uint32_t height)
{
    uint8_t *out = mrwi_base_alloc((size_t)width * height, 4);
    if (out && in->width == width && in->height == height) {
        memcpy(out, in->rgba, (size_t)width * height * 4);
        return out;
    }
    step *columns = make_steps(in->width, width), *rows = make_steps(in->height, height);
    const bool good = out && columns && rows;
    for (uint32_t y = 0; good && y < height; y++) {
        const uint8_t *above = in->rgba + (size_t)rows[y].first * in->width * 4;
        const uint8_t *below = in->rgba + (size_t)rows[y].second * in->width * 4;
        uint8_t *row = out + (size_t)y * width * 4;
        for (size_t i = 0; i < 4 * (size_t)width; i++) {
            row[i] = between(above + i % 4, below + i % 4, &columns[i / 4], rows[y].part);
        }
    }
    mrwi_base_free(columns);
    mrwi_base_free(rows);
    if (!good) {
        mrwi_base_free(out);
    }
    return good ? out : NULL;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Returns Rec. 709's luminance of the stored values, in 256ths: opacity is a number, not light. */
static uint8_t luminance(const uint8_t *rgba)
{
    return (uint8_t)((54u * rgba[0] + 183u * rgba[1] + 19u * rgba[2] + 128u) >> 8);
}

static bool takes_alpha(const mrwi_scene_texels *opacity, mrwi_import_opacity_from from)
{
    return from == MRWI_IMPORT_OPACITY_FROM_ALPHA ||
           (from == MRWI_IMPORT_OPACITY_FROM_ANY && opacity->alpha);
}

static void hash_both(const mrwi_scene_texels *base, const mrwi_scene_texels *opacity,
                      mrwi_import_opacity how, uint8_t out[32])
{
    static const char kind[] = "marrow opacity\n";
    static const uint8_t white[32];
    const uint8_t bits[3] = {(uint8_t)how.from, how.inverted, how.amount};
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, kind, sizeof kind - 1);
    mrwi_base_sha256_add(&hash, base ? base->hash : white, sizeof white);
    mrwi_base_sha256_add(&hash, opacity->hash, sizeof opacity->hash);
    mrwi_base_sha256_add(&hash, bits, sizeof bits);
    mrwi_base_sha256_end(&hash, out);
}

bool mrwi_import_opacity_join(const mrwi_scene_texels *base, const mrwi_scene_texels *opacity,
                              mrwi_import_opacity how, mrwi_scene_texels *out)
{
    const size_t count = (size_t)out->width * out->height;
    const bool alpha = takes_alpha(opacity, how.from);
    uint8_t *levels = resize(opacity, out->width, out->height);
    out->rgba = base ? resize(base, out->width, out->height) : mrwi_base_alloc(count, 4);
    const bool good = levels && out->rgba;
    if (good && !base) {
        memset(out->rgba, 255, 4 * count);
    }
    for (size_t i = 0; good && i < count; i++) {
        const uint32_t level = alpha ? levels[4 * i + 3] : luminance(levels + 4 * i);
        const uint8_t part = (uint8_t)((level * how.amount + 127) / 255);
        out->rgba[4 * i + 3] = how.inverted ? (uint8_t)(255 - part) : part;
    }
    hash_both(base, opacity, how, out->hash);
    if (good) {
        mrwi_scene_texels_find(out);
    }
    mrwi_base_free(levels);
    return good;
}
