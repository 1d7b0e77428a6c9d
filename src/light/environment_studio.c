/* environment_studio.c: the built-in studios.
 *
 * The soft rig's studio is prepared in advance: `make studio` makes assets/studio.env from
 * assets/studio.hdr, and the assembler puts it into the library. It is grey, so a texel is one
 * number of 16 bits, a share of the brightest. The file holds the value of one step and nine
 * polynomial coefficients, as floats of 4 bytes, then the texels of all levels, without borders.
 * All numbers are little-endian.
 *
 * The three-point rig's studio is stored as its picture, assets/studio-dim.hdr, and prefiltered
 * when it is asked for. Its texels are rounded to 16 bits, too, as they were when it was stored
 * prefiltered, so that pictures of pixel version 8 can be drawn again.
 */
#include "light/environment.h"

#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

__asm__(".pushsection .rodata,\"a\",%progbits\n"
        ".balign 64\n"
        ".hidden mrwi_light_studio\n"
        ".globl mrwi_light_studio\n"
        "mrwi_light_studio:\n"
        ".incbin \"assets/studio.env\"\n"
        ".hidden mrwi_light_studio_end\n"
        ".globl mrwi_light_studio_end\n"
        "mrwi_light_studio_end:\n"
        ".byte 0\n"
        ".hidden mrwi_light_dim_studio\n"
        ".globl mrwi_light_dim_studio\n"
        "mrwi_light_dim_studio:\n"
        ".incbin \"assets/studio-dim.hdr\"\n"
        ".hidden mrwi_light_dim_studio_end\n"
        ".globl mrwi_light_dim_studio_end\n"
        "mrwi_light_dim_studio_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const uint8_t mrwi_light_studio[];
extern const uint8_t mrwi_light_studio_end[];
extern const uint8_t mrwi_light_dim_studio[];
extern const uint8_t mrwi_light_dim_studio_end[];

/* ---- the prefiltered studio ------------------------------------------------------------------ */

static float read_float(const uint8_t **at)
{
    const uint8_t *b = *at;
    const uint32_t bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    *at += 4;
    return value;
}

static void read_level(const uint8_t **at, float step, const mrwi_light_environment_level *level,
                       float (*texels)[4])
{
    const size_t size = mrwi_light_environment_size(level), stride = (size_t)level->stride;
    const uint8_t *b = *at;
    for (size_t y = 1; y <= size; y++) {
        float(*out)[4] = texels + level->first + y * stride + 1;
        for (size_t x = 0; x < size; x++, b += 2) {
            const float value = (float)(b[0] | b[1] << 8) * step;
            out[x][0] = out[x][1] = out[x][2] = value;
        }
    }
    *at = b;
    mrwi_light_environment_close(level, texels);
}

static mrw_status unpack_studio(mrw_environment **out, mrw_error *error)
{
    mrw_environment *environment = mrwi_light_environment_alloc(256);
    const uint8_t *at = mrwi_light_studio;
    *out = environment;
    if (!environment) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const float step = read_float(&at);
    for (int i = 0; i < 9; i++) {
        const float c = read_float(&at);
        environment->diffuse[0][i] = environment->diffuse[1][i] = environment->diffuse[2][i] = c;
    }
    for (int i = 0; i < MRWI_LIGHT_ENVIRONMENT_LEVELS; i++) {
        read_level(&at, step, &environment->specular.levels[i], environment->specular.texels);
    }
    assert(at == mrwi_light_studio_end);
    mrwi_base_fp_leave(fp);
    return MRW_OK;
}

/* ---- the picture of the dim studio ----------------------------------------------------------- */

/* Rounds all texels to a 65535th of the largest. */
static void round_texels(mrwi_light_environment_map *map)
{
    const mrwi_light_environment_level *last = &map->levels[MRWI_LIGHT_ENVIRONMENT_LEVELS - 1];
    const size_t count = (size_t)last->first + (size_t)last->stride * (size_t)last->stride;
    float largest = 0.0f;
    for (size_t i = 0; i < count; i++) {
        largest = map->texels[i][0] > largest ? map->texels[i][0] : largest;
    }
    const float step = largest / 65535.0f;
    for (size_t i = 0; i < count; i++) {
        const float value = (float)(uint32_t)(map->texels[i][0] / step + 0.5f) * step;
        map->texels[i][0] = map->texels[i][1] = map->texels[i][2] = value;
    }
}

static mrw_status prefilter_dim_studio(int threads, mrw_environment **out, mrw_error *error)
{
    const size_t size = (size_t)(mrwi_light_dim_studio_end - mrwi_light_dim_studio);
    mrw_status status = mrw_environment_create_hdr(mrwi_light_dim_studio, size, "the dim studio",
                                                   false, threads, out, error);
    if (!status) {
        mrwi_base_fp fp = mrwi_base_fp_enter();
        round_texels(&(*out)->specular);
        mrwi_base_fp_leave(fp);
    }
    return status;
}

mrw_status mrw_environment_create_studio(mrw_rig_kind kind, int threads, mrw_environment **out,
                                         mrw_error *error)
{
    *out = NULL;
    return kind == MRW_RIG_SOFT ? unpack_studio(out, error)
                                : prefilter_dim_studio(threads, out, error);
}
