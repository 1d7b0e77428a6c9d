/* passes.c: files of passes: which format holds what, and OpenEXR's channels and attributes. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"
#include "marrow/output.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const endings[MRW_PASS_FORMAT_COUNT] = {".png", ".exr", ".pfm", ".flo", ".npy"};

const char *mrw_pass_format_ending(mrw_pass_format format)
{
    assert((unsigned)format < MRW_PASS_FORMAT_COUNT);
    return endings[format];
}

bool mrw_pass_format_find(const char *path, mrw_pass_format *out)
{
    for (int i = 0; i < MRW_PASS_FORMAT_COUNT; i++) {
        if (mrw_output_ends_with(path, endings[i])) {
            *out = (mrw_pass_format)i;
            return true;
        }
    }
    return false;
}

bool mrw_pass_format_holds(mrw_pass_format format, const mrw_output_pass *pass)
{
    switch (format) {
    case MRW_PASS_PNG:
        return pass->is_color || (pass->format == MRW_FORMAT_U32 && pass->channels == 1) ||
               (pass->format == MRW_FORMAT_F32 && pass->channels == 1 && pass->scale > 0.0);
    case MRW_PASS_PFM:
        return pass->format == MRW_FORMAT_F32 && (pass->channels == 1 || pass->channels == 3 ||
                                                  (pass->is_color && pass->channels == 4));
    case MRW_PASS_FLO:
        return pass->is_flow;
    default:
        return true;
    }
}

/* ---- PNG and PFM ----------------------------------------------------------------------------- */

static mrw_status refuse_depth(const mrw_output_pass *pass, double value, mrw_error *error)
{
    char safe[96], number[32], scale[32], most[32];
    mrwi_base_format_double(value, number);
    mrwi_base_format_double(pass->scale, scale);
    mrwi_base_format_double(UINT16_MAX / pass->scale, most);
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "--aov %s: the value %s is too large for a .png with --depth-scale %s, "
                          "which allows up to %s; use a smaller scale, or write an .exr or .npy",
                          mrwi_base_escape(pass->name, safe, sizeof safe), number, scale, most);
}

/* Fills in the values times the scale, rounded; 0 where there is no surface. */
static mrw_status scale_png(const mrw_output_pass *pass, mrw_image *narrow, mrw_error *error)
{
    const float *from = (const float *)(const void *)pass->image->pixels;
    uint16_t *to = (uint16_t *)(void *)narrow->pixels;
    for (size_t i = 0; i < (size_t)narrow->width * narrow->height; i++) {
        const double value = isfinite(from[i]) ? floor((double)from[i] * pass->scale + 0.5) : 0.0;
        if (value > UINT16_MAX) {
            return refuse_depth(pass, (double)from[i], error);
        }
        to[i] = (uint16_t)(value > 0.0 ? value : 0.0);
    }
    return MRW_OK;
}

/* Fills in the numbers of a pass such as ids. */
static mrw_status narrow_png(const mrw_output_pass *pass, mrw_image *narrow, mrw_error *error)
{
    const uint32_t *from = (const uint32_t *)(const void *)pass->image->pixels;
    uint16_t *to = (uint16_t *)(void *)narrow->pixels;
    for (size_t i = 0; i < (size_t)narrow->width * narrow->height; i++) {
        if (from[i] > UINT16_MAX) {
            char safe[96];
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "--aov %s: the number %u is too large for a .png, which allows "
                                  "up to 65535; write an .exr instead",
                                  mrwi_base_escape(pass->name, safe, sizeof safe), from[i]);
        }
        to[i] = (uint16_t)from[i];
    }
    return MRW_OK;
}

static mrw_status encode_png(const mrw_output_pass *pass, mrw_bytes *out, mrw_error *error)
{
    const mrw_image *image = pass->image;
    mrw_image narrow = {0};
    mrw_status status =
        mrw_image_create_as(MRW_FORMAT_U16, image->width, image->height, 1, &narrow, error);
    if (status) {
        return status;
    }
    status = image->format == MRW_FORMAT_F32 ? scale_png(pass, &narrow, error)
                                             : narrow_png(pass, &narrow, error);
    if (status) {
        goto out;
    }
    status = mrw_png_encode(&narrow, out, error);
out:
    mrw_image_free(&narrow);
    return status;
}

/* Encodes one or three channels as they are, and the first three of four. */
static mrw_status encode_pfm(const mrw_output_pass *pass, mrw_bytes *out, mrw_error *error)
{
    const mrw_image *image = pass->image;
    const size_t pixels = (size_t)image->width * image->height;
    mrw_image three = {0};
    if (image->channels != 4) {
        return mrw_pfm_encode(image, out, error);
    }
    mrw_status status =
        mrw_image_create_as(MRW_FORMAT_F32, image->width, image->height, 3, &three, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < pixels; i++) {
        memcpy(three.pixels + 12 * i, image->pixels + 16 * i, 12);
    }
    status = mrw_pfm_encode(&three, out, error);
    mrw_image_free(&three);
    return status;
}

/* ---- OpenEXR --------------------------------------------------------------------------------- */

/* Channels and attributes of a file that is not encoded yet. */
typedef struct exr_draft {
    mrwi_base_arena arena;
    mrw_exr_channel *channels;
    mrw_exr_attribute *attributes;
    uint32_t channel_count;
    uint32_t attribute_count;
    bool starved; /* memory ran out */
} exr_draft;

#define CRYPTO_ATTRIBUTES 4
#define CAMERA_ATTRIBUTES 5

/* Returns a channel's name, or NULL without memory. Colour is R, G, B, A and depth is Z, the names
 * that other programs read; Cryptomatte has layers of r, g, b, a, "two pairs each" (its
 * specification, "Cryptomatte Channels"). */
static const char *channel_name(exr_draft *draft, const mrw_output_pass *pass, uint32_t channel)
{
    static const char rgba[] = "rgba";
    const char *letters = pass->letters;
    if (pass->crypto) {
        return mrwi_base_format(&draft->arena, "%s%02u.%c", pass->crypto, channel / 4,
                                rgba[channel % 4]);
    }
    if (letters[0] == '\0') {
        /* other programs cut names at dots */
        const char *colon = strchr(pass->name, ':');
        return !colon ? pass->name
                      : mrwi_base_format(&draft->arena, "%.*s.%s", (int)(colon - pass->name),
                                         pass->name, colon + 1);
    }
    if (pass->is_color || strcmp(letters, "Z") == 0) {
        return mrwi_base_format(&draft->arena, "%c", letters[channel]);
    }
    return mrwi_base_format(&draft->arena, "%s.%c", pass->name, letters[channel]);
}

static void add_channels(exr_draft *draft, const mrw_output_pass *pass)
{
    const size_t size = mrw_format_size(pass->image->format);
    for (uint32_t c = 0; c < pass->image->channels; c++) {
        const char *name = channel_name(draft, pass, c);
        draft->starved = draft->starved || !name;
        draft->channels[draft->channel_count++] =
            (mrw_exr_channel){name, pass->image->format, pass->image->pixels + c * size,
                              pass->image->channels * size};
    }
}

static void add_attribute(exr_draft *draft, const char *name, mrw_exr_kind kind, const char *text,
                          const float *numbers, uint32_t count)
{
    mrw_exr_attribute *to = &draft->attributes[draft->attribute_count++];
    draft->starved = draft->starved || !name;
    *to = (mrw_exr_attribute){.name = name, .kind = kind, .text = text};
    for (uint32_t i = 0; i < count; i++) {
        to->numbers[i] = numbers[i];
    }
}

static void add_camera(exr_draft *draft, const mrw_output_camera *camera)
{
    const float far_plane = camera->far_plane > 0.0f ? camera->far_plane : INFINITY;
    const float orthographic = camera->orthographic ? 1.0f : 0.0f;
    add_attribute(draft, "K", MRW_EXR_M33F, NULL, camera->k, 9);
    add_attribute(draft, "world_to_camera", MRW_EXR_M44F, NULL, camera->world_to_camera, 16);
    add_attribute(draft, "near", MRW_EXR_FLOAT, NULL, &camera->near_plane, 1);
    add_attribute(draft, "far", MRW_EXR_FLOAT, NULL, &far_plane, 1);
    add_attribute(draft, "orthographic", MRW_EXR_INT, NULL, &orthographic, 1);
}

/* Adds the attributes of a Cryptomatte layer, whose key is the first 7 digits of its name's hash.
 */
static void add_crypto(exr_draft *draft, const mrw_output_pass *pass)
{
    static const char *const keys[CRYPTO_ATTRIBUTES] = {"name", "hash", "conversion", "manifest"};
    const char *const values[CRYPTO_ATTRIBUTES] = {pass->crypto, "MurmurHash3_32",
                                                   "uint32_to_float32", pass->manifest};
    for (int i = 0; i < CRYPTO_ATTRIBUTES && pass->crypto; i++) {
        const char *name =
            mrwi_base_format(&draft->arena, "cryptomatte/%.7x/%s", pass->crypto_hash >> 4, keys[i]);
        add_attribute(draft, name, MRW_EXR_STRING, values[i], NULL, 0);
    }
}

static mrw_status encode_exr(const mrw_output_pass *passes, uint32_t count,
                             const mrw_output_camera *camera, mrw_bytes *out, mrw_error *error)
{
    exr_draft draft = {0};
    uint32_t channels = 0;
    for (uint32_t i = 0; i < count; i++) {
        channels += passes[i].image->channels;
    }
    draft.channels = mrwi_base_arena_alloc(&draft.arena, channels, sizeof *draft.channels);
    draft.attributes =
        mrwi_base_arena_alloc(&draft.arena, CAMERA_ATTRIBUTES + CRYPTO_ATTRIBUTES * (size_t)count,
                              sizeof *draft.attributes);
    draft.starved = !draft.channels || !draft.attributes;
    if (!draft.starved) {
        add_camera(&draft, camera);
    }
    for (uint32_t i = 0; i < count && !draft.starved; i++) {
        add_channels(&draft, &passes[i]);
        add_crypto(&draft, &passes[i]);
    }
    const mrw_exr_def def = {.width = passes[0].image->width,
                             .height = passes[0].image->height,
                             .channels = draft.channels,
                             .channel_count = draft.channel_count,
                             .attributes = draft.attributes,
                             .attribute_count = draft.attribute_count};
    mrw_status status = draft.starved
                            ? mrwi_base_fail_memory(error, channels * sizeof(mrw_exr_channel))
                            : mrw_exr_encode(&def, out, error);
    mrwi_base_arena_free(&draft.arena);
    return status;
}

mrw_status mrw_pass_encode(mrw_pass_format format, const mrw_output_pass *passes, uint32_t count,
                           const mrw_output_camera *camera, mrw_bytes *out, mrw_error *error)
{
    assert(count >= 1 && (count == 1 || format == MRW_PASS_EXR));
    switch (format) {
    case MRW_PASS_PNG:
        return encode_png(&passes[0], out, error);
    case MRW_PASS_PFM:
        return encode_pfm(&passes[0], out, error);
    case MRW_PASS_FLO:
        return mrw_flo_encode(passes[0].image, out, error);
    case MRW_PASS_NPY:
        return mrw_npy_encode(passes[0].image, out, error);
    default:
        return encode_exr(passes, count, camera, out, error);
    }
}
