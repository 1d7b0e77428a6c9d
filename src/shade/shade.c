/* shade.c: the table of shading kernels, the encoding table, lights made ready, the background. */
#include "shade/shade.h"

#include "base/math.h"
#include "base/simd/isa.h"
#include "image/color.h"
#include "shade/shade_isa.h"

#include <assert.h>
#include <float.h>
#include <pthread.h>
#include <string.h>

uint32_t mrwi_shade_encode_cells[MRWI_SHADE_ENCODE_CELLS];
uint8_t mrwi_shade_lane_order[256][8];
uint8_t mrwi_shade_lane_rank[256][8];

static int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void fill_encode_cells(void)
{
    const int32_t width = 1 << MRWI_SHADE_ENCODE_SHIFT;
    uint32_t byte = 0;
    for (int32_t cell = 0; cell < MRWI_SHADE_ENCODE_CELLS; cell++) {
        int32_t start = MRWI_SHADE_ENCODE_FIRST + cell * width, lack = 0;
        uint32_t at_start = byte;
        while (byte < 255 && bits_of(mrwi_image_srgb_thresholds[byte]) < start + width) {
            lack = start + width - bits_of(mrwi_image_srgb_thresholds[byte]);
            byte++;
        }
        assert(byte - at_start <= 1);
        mrwi_shade_encode_cells[cell] = (at_start << MRWI_SHADE_ENCODE_SHIFT) + (uint32_t)lack;
    }
    assert(byte == 255);
}

static void fill_lane_orders(void)
{
    for (uint32_t mask = 0; mask < 256; mask++) {
        uint8_t count = 0;
        for (uint8_t lane = 0; lane < 8; lane++) {
            if (mask >> lane & 1u) {
                mrwi_shade_lane_rank[mask][lane] = count;
                mrwi_shade_lane_order[mask][count++] = lane;
            }
        }
    }
}

void mrwi_shade_fill_lane_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_lane_orders);
}

const mrwi_shade_kernels *mrwi_shade_kernels_for(mrw_isa isa)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_encode_cells);
    mrwi_shade_fill_lane_tables();
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_shade_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_shade_kernels_sse2),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_shade_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_shade_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_shade_kernels_neon),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

bool mrwi_shade_has_placed_lights(const mrw_lighting *lighting)
{
    bool has = false;
    for (uint32_t i = 0; i < lighting->light_count && !has; i++) {
        has = lighting->lights[i].type != MRW_LIGHT_DIRECTIONAL;
    }
    return has;
}

bool mrwi_shade_has_ambient_light(const mrw_lighting *lighting)
{
    const float *sky = lighting->sky, *ground = lighting->ground;
    return lighting->environment || sky[0] != 0.0f || sky[1] != 0.0f || sky[2] != 0.0f ||
           ground[0] != 0.0f || ground[1] != 0.0f || ground[2] != 0.0f;
}

static float held_within(float x, float bound)
{
    return x < bound ? x > -bound ? x : -bound : bound;
}

static void set_classic(const mrw_light *in, mrwi_shade_light *out)
{
    for (int c = 0; c < 3; c++) {
        out->color[c] = held_within(in->color[c] * in->diffuse, FLT_MAX);
        out->ambient[c] = held_within(in->color[c] * in->ambient, FLT_MAX);
        out->attenuation[c] = held_within(in->attenuation[c], FLT_MAX);
    }
    out->fills = in->ambient > 0.0f;
    out->attenuated = true;
}

/* Prepares lights by KHR_lights_punctual: the angular attenuation of spots, and the range of points
 * and spots. Values are clamped so that whatever a kernel computes from them stays finite, and
 * times 0 it is 0. */
void mrwi_shade_prepare_lights(const mrw_lighting *lighting, mrwi_shade_light *out)
{
    uint32_t shadows = 0;
    for (uint32_t i = 0; i < lighting->light_count; i++) {
        const mrw_light *in = &lighting->lights[i];
        mrwi_shade_light *light = &out[i];
        memset(light, 0, sizeof *light);
        light->placed = in->type != MRW_LIGHT_DIRECTIONAL;
        light->spot = in->type == MRW_LIGHT_SPOT;
        memcpy(light->position, in->position, sizeof light->position);
        memcpy(light->color, in->color, sizeof light->color);
        for (int c = 0; c < 3; c++) {
            light->to_light[c] = held_within(in->to_light[c], 2.0f);
            light->shine[c] = held_within(in->color[c] * in->specular, FLT_MAX);
        }
        if (in->classic) {
            set_classic(in, light);
        }
        light->inv_range_squared =
            in->range > 0.0f ? (float)(1.0 / ((double)in->range * (double)in->range)) : 0.0f;
        if (light->spot) {
            const double outer = mrwi_base_cos((double)in->outer_cone);
            const double width = mrwi_base_cos((double)in->inner_cone) - outer;
            const double scale = 1.0 / (width > 0.001 ? width : 0.001);
            light->cone_scale = (float)scale;
            light->cone_offset = (float)(-outer * scale);
        }
        light->shadow = in->shadow && shadows < MRW_SHADOW_LIGHTS ? ++shadows : 0;
    }
}

void mrwi_shade_background_of(const uint8_t srgb[4], bool raw, float out[4])
{
    float alpha = (float)srgb[3] / 255.0f;
    for (int c = 0; c < 3; c++) {
        float value =
            raw ? (float)srgb[c] / 255.0f : (float)mrwi_image_srgb_to_linear16[srgb[c]] / 65535.0f;
        out[c] = value * alpha;
    }
    out[3] = alpha;
}
