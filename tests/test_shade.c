/* test_shade.c: shading kernels, mip pyramids and encoding.
 *
 * All kernels against scalar bit for bit; scalar against a double-precision evaluator written here
 * from the formulas (texture coordinates by homogeneous interpolation, derivatives by differences,
 * wrapping by integer remainders; surfaces as glTF 2.0's appendix B and its extensions write them,
 * with normalised bisectors and pow); hand-made values for the rest.
 */
#include "test.h"

#include "base/memory.h"
#include "image/color.h"
#include "marrow/scene.h"
#include "shade/environment_spec.h"
#include "shade/shade.h"
#include "shade/texture.h"

#define MAX_VERTICES  600
#define MAX_TRIANGLES 200
#define MAX_DRAWS     6
#define MAX_LIGHTS    40
#define LIST_ROOM     (MRWI_SHADE_LIST_MAX + MRWI_SHADE_LIST_PAD)

/* ---- random numbers and scenes --------------------------------------------------------------- */

static uint64_t random_state = 1;

/* Each test begins with it: where tests share a process, as under the emulator, what those before
 * have drawn differs from machine to machine. */
static void begin_random(void)
{
    random_state = 1;
}

static uint32_t random_u32(void)
{
    return test_random(&random_state);
}

static uint32_t random_below(uint32_t n)
{
    return test_random_below(&random_state, n);
}

static float random_float(float lo, float hi)
{
    return test_random_float(&random_state, lo, hi);
}

static float snap(float x)
{
    return floorf(x * 256.0f) / 256.0f;
}

typedef struct scene {
    mrwi_shade_vertex vertices[MAX_VERTICES] __attribute__((aligned(64)));
    float colors[MAX_VERTICES][4] __attribute__((aligned(64)));
    mrwi_shade_triangle triangles[MAX_TRIANGLES] __attribute__((aligned(64)));
    mrw_raster_draw draws[MAX_DRAWS];
    mrw_raster_material materials[MAX_DRAWS];
    mrw_raster_texture *textures[4], *matcap;
    uint8_t *texels[4];
    float positions[MAX_VERTICES][4] __attribute__((aligned(64)));
    mrw_light lights[MAX_LIGHTS];
    mrwi_shade_light prepared[MAX_LIGHTS];
    uint32_t size[4][2];
    float x[LIST_ROOM], y[LIST_ROOM];
    uint32_t triangle[LIST_ROOM];
    mrwi_shade_frame frame;
} scene;

static const float no_colors[4];

static mrw_raster_texture *texture_of(const uint8_t *rgba, uint32_t width, uint32_t height,
                                      mrw_encoding encoding)
{
    mrw_raster_texture *texture = NULL;
    mrw_error error;
    ck_assert_int_eq(mrw_raster_texture_create(rgba, width, height, encoding, &texture, &error),
                     MRW_OK);
    return texture;
}

/* Three lights, and weak ones from all around up to MAX_LIGHTS. The first three shine. */
static mrw_lighting test_lighting(mrw_light lights[MAX_LIGHTS])
{
    static const mrw_light first[3] = {
        {.to_light = {0.6f, 0.0f, 0.8f}, .color = {0.5f, 0.4f, 0.3f}, .specular = 0.5f},
        {.to_light = {-0.48f, 0.64f, 0.6f}, .color = {0.1f, 0.2f, 0.3f}},
        {.to_light = {0.0f, 0.6f, -0.8f}, .color = {0.3f, 0.3f, 0.3f}, .specular = 0.25f}};
    memcpy(lights, first, sizeof first);
    for (int i = 3; i < MAX_LIGHTS; i++) {
        const double y = 1.0 - (2.0 * i + 1.0) / MAX_LIGHTS, r = sqrt(1.0 - y * y), turn = 2.4 * i;
        lights[i] =
            (mrw_light){.to_light = {(float)(r * cos(turn)), (float)y, (float)(r * sin(turn))},
                        .color = {0.02f, 0.03f, 0.01f * (float)(i % 3)},
                        .specular = i % 2 == 0 ? 0.0f : 0.4f};
    }
    return (mrw_lighting){.lights = lights,
                          .light_count = 3,
                          .up = {0.0f, 1.0f, 0.0f},
                          .sky = {0.30f, 0.32f, 0.35f},
                          .ground = {0.10f, 0.08f, 0.06f}};
}

/* Another surface for each material. Roughness is at least 0.2: below that, float's rounding of
 * directions is seen in highlights. */
static void set_surfaces(scene *s, int first)
{
    for (int i = 0; i < MAX_DRAWS; i++) {
        mrw_raster_material *m = &s->materials[i];
        m->surface = (mrw_surface)((first + i) % 3);
        m->shininess = first % 4 == 0 ? 0.0f : (float)(1 << (first + i) % 8) + 0.37f * (float)i;
        m->metallic = i % 3 == 0 ? 0.0f : random_float(0.0f, 1.0f);
        m->roughness = random_float(0.2f, 1.0f);
        m->glossiness = random_float(0.0f, 0.8f);
        m->reflectance = random_float(0.0f, 0.2f);
        m->specular = random_float(0.0f, 1.0f);
        m->clearcoat = i % 2 ? random_float(0.0f, 1.0f) : 0.0f;
        m->clearcoat_roughness = random_float(0.2f, 1.0f);
        for (int k = 0; k < 3; k++) {
            m->specular_color[k] = random_float(0.0f, m->surface == 0 ? 2.0f : 0.9f);
            m->emissive[k] = i == 5 ? random_float(0.0f, 3.0f) : 0.0f;
        }
    }
}

/* Lights of the frame, as they are now; `placed`: of all types, from all around, and every fourth
 * a tutorial's. */
static void set_lights(scene *s, uint32_t count, bool placed)
{
    for (uint32_t i = 0; i < MAX_LIGHTS; i++) {
        mrw_light *light = &s->lights[i];
        light->type = placed ? (mrw_light_type)(i % 3) : MRW_LIGHT_DIRECTIONAL;
        light->range = i % 2 ? random_float(1.0f, 20.0f) : 0.0f;
        light->outer_cone = random_float(0.5f, 1.6f);
        light->inner_cone = i % 4 ? light->outer_cone * random_float(0.0f, 0.9f) : 0.0f;
        light->classic = placed && i % 4 == 1;
        light->diffuse = random_float(0.0f, 1.5f);
        light->ambient = i % 8 == 1 ? random_float(0.0f, 0.5f) : 0.0f;
        for (int k = 0; k < 3; k++) {
            light->position[k] = light->to_light[k] * random_float(2.0f, 9.0f);
            light->attenuation[k] = random_float(0.1f, 1.0f);
        }
    }
    s->frame.lighting.light_count = count;
    s->frame.streams[MRWI_SHADE_POSITION] = (const float(*)[4])s->positions;
    s->frame.placed_lights = placed;
    mrwi_shade_prepare_lights(&s->frame.lighting, s->prepared);
}

/* Every material differs; vertices and triangles are left to the test. */
static scene *scene_create(mrw_encoding encoding)
{
    static const uint32_t sizes[4][2] = {{1, 1}, {16, 16}, {13, 7}, {64, 3}};
    scene *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4; i++) {
        s->size[i][0] = sizes[i][0];
        s->size[i][1] = sizes[i][1];
        size_t bytes = (size_t)sizes[i][0] * sizes[i][1] * 4;
        s->texels[i] = malloc(bytes);
        for (size_t k = 0; k < bytes; k++) {
            s->texels[i][k] = (uint8_t)random_u32();
        }
        s->textures[i] = texture_of(s->texels[i], sizes[i][0], sizes[i][1], encoding);
    }
    s->matcap = texture_of(s->texels[1], 16, 16, MRW_ENCODING_COLOR);
    for (uint32_t i = 0; i < MAX_DRAWS; i++) {
        mrw_raster_material *m = &s->materials[i];
        *m = (mrw_raster_material){.base_color = {0.9f, 0.8f, 0.7f, 0.6f},
                                   .maps[0].texture = i == 0 ? NULL : s->textures[(i - 1) % 4],
                                   .alpha_mode = i % 3,
                                   .alpha_cutoff = 0.5f,
                                   .maps[0].wrap_u = i % 3,
                                   .maps[0].wrap_v = (i / 2) % 3,
                                   .maps[0].nearest = i % 2 == 1,
                                   .maps[0].minify = i % 2 == 0 ? 0 : i,
                                   .unlit = i == 4};
        s->draws[i] = (mrw_raster_draw){.colors = i % 2 == 0 ? no_colors : NULL, .material = m};
    }
    s->frame = (mrwi_shade_frame){.vertices = s->vertices,
                                  .streams = {(const float(*)[4])s->colors},
                                  .triangles = s->triangles,
                                  .draws = s->draws,
                                  .lighting = test_lighting(s->lights),
                                  .lights = s->prepared,
                                  .shading = MRW_SHADING_LIT,
                                  .filter = MRW_FILTER_TRILINEAR,
                                  .matcap = s->matcap,
                                  .up = {0.1f, 0.8f, -0.2f},
                                  .ray0 = {-0.5f, 0.5f, 2.0f},
                                  .ray_dx = {1e-3f, 0.0f, 1e-5f},
                                  .ray_dy = {0.0f, -1e-3f, 1e-5f}};
    set_lights(s, s->frame.lighting.light_count, false);
    return s;
}

static void scene_free(scene *s)
{
    for (int i = 0; i < 4; i++) {
        mrw_raster_texture_free(s->textures[i]);
        free(s->texels[i]);
    }
    mrw_raster_texture_free(s->matcap);
    free(s);
}

/* The memory of all lists. */
_Alignas(64) static uint8_t shade_memory[MRWI_SHADE_MEMORY];

static mrwi_shade_list list_of(scene *s, uint32_t count)
{
    for (uint32_t i = count; i < count + MRWI_SHADE_LIST_PAD; i++) {
        s->x[i] = count > 0 ? s->x[count - 1] : 0.5f;
        s->y[i] = count > 0 ? s->y[count - 1] : 0.5f;
        s->triangle[i] = count > 0 ? s->triangle[count - 1] : 0;
    }
    return (mrwi_shade_list){count, s->x, s->y, s->triangle, NULL, NULL, shade_memory};
}

static mrwi_shade_vertex random_vertex(float reach)
{
    float n[3] = {random_float(-1.0f, 1.0f), random_float(-1.0f, 1.0f), random_float(-1.0f, 1.0f)};
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + 1e-6f;
    return (mrwi_shade_vertex){.x = snap(random_float(0.0f, reach)),
                               .y = snap(random_float(0.0f, reach)),
                               .inv_w = random_float(0.2f, 2.0f),
                               .u = random_float(-2.0f, 3.0f),
                               .v = random_float(-2.0f, 3.0f),
                               .nx = n[0] / length,
                               .ny = n[1] / length,
                               .nz = n[2] / length};
}

/* Makes vertices and triangles, each with its own three vertices, spread over the draws. */
static void fill_triangles(scene *s, float reach)
{
    for (uint32_t i = 0; i < MAX_TRIANGLES; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            s->vertices[3 * i + k] = random_vertex(reach);
            for (int c = 0; c < 4; c++) {
                s->colors[3 * i + k][c] = random_float(0.0f, 1.2f);
                s->positions[3 * i + k][c] = c < 3 ? random_float(-1.0f, 1.0f) : 1.0f;
            }
            s->triangles[i].vertex[k] = 3 * i + k;
        }
        s->triangles[i].draw_flags = random_below(MAX_DRAWS) << 1 | random_below(2);
    }
}

/* A point of the triangle with snapped coordinates, as coverage finds them. */
static void put_inside(scene *s, uint32_t i, uint32_t triangle)
{
    const mrwi_shade_vertex *v = &s->vertices[3 * triangle];
    float a = random_float(0.05f, 0.9f), b = random_float(0.05f, 0.95f - a);
    s->triangle[i] = triangle;
    s->x[i] = snap(v[0].x + a * (v[1].x - v[0].x) + b * (v[2].x - v[0].x));
    s->y[i] = snap(v[0].y + a * (v[1].y - v[0].y) + b * (v[2].y - v[0].y));
}

/* Neighbours are often the same triangle's: kernels have a way of their own for runs. */
static void fill_list(scene *s, uint32_t count)
{
    uint32_t stay = 1 + random_below(random_below(2) ? 4 : 60);
    for (uint32_t i = 0; i < count; i++) {
        put_inside(s, i,
                   i > 0 && random_below(stay) ? s->triangle[i - 1] : random_below(MAX_TRIANGLES));
    }
}

/* What only damaged or extreme models bring. */
static void spoil_triangles(scene *s)
{
    static const float odd[] = {0.0f,   -0.0f, 1e-38f, 1e-45f,    1e20f,  -1e20f, 3e38f,
                                -3e38f, 0.5f,  1.0f,   8388609.f, 1e-20f, 2.5f,   -7.0f};
    const uint32_t odds = sizeof odd / sizeof odd[0];
    for (uint32_t i = 0; i < MAX_TRIANGLES; i++) {
        mrwi_shade_vertex *v = &s->vertices[3 * i];
        switch (random_below(6)) {
        case 0: /* no area */
            v[1].x = v[2].x = v[0].x;
            break;
        case 1: /* a point */
            v[1].x = v[2].x = v[0].x;
            v[1].y = v[2].y = v[0].y;
            break;
        case 2:
            for (int k = 0; k < 3; k++) {
                v[k].u = odd[random_below(odds)], v[k].v = odd[random_below(odds)];
            }
            break;
        case 3:
            for (int k = 0; k < 3; k++) {
                v[k].inv_w = fabsf(odd[random_below(odds)]);
            }
            break;
        case 4:
            for (int k = 0; k < 3; k++) {
                v[k].nx = v[k].ny = v[k].nz = random_below(2) ? 0.0f : odd[random_below(odds)];
            }
            break;
        default: /* the whole guard band */
            v[0].x = -16384.0f, v[0].y = 16384.0f;
            v[1].x = 16384.0f, v[1].y = -16384.0f;
            v[2].x = 16384.0f, v[2].y = 16384.0f - 1.0f / 256.0f;
        }
    }
}

/* ---- kernels against scalar ------------------------------------------------------------------ */

static void compare_with_scalar(scene *s, uint32_t count)
{
    static float expected[LIST_ROOM][4] __attribute__((aligned(64)));
    static float got[LIST_ROOM][4] __attribute__((aligned(64)));
    static float expected_alpha[LIST_ROOM], got_alpha[LIST_ROOM];
    mrwi_shade_list list = list_of(s, count);
    const mrwi_shade_kernels *scalar = mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    scalar->shade(&s->frame, &list, expected);
    scalar->alpha(&s->frame, &list, expected_alpha);
    for (uint32_t i = 0; i < count; i++) {
        for (int c = 0; c < 4; c++) {
            ck_assert_msg(expected[i][c] >= 0.0f && expected[i][c] <= 65536.0f,
                          "fragment %u channel %d: %g", i, c, (double)expected[i][c]);
        }
        ck_assert(expected_alpha[i] >= 0.0f && expected_alpha[i] <= 1.0f);
    }
    for (mrw_isa isa = MRW_ISA_SSE2; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available(isa)) {
            continue;
        }
        const mrwi_shade_kernels *kernels = mrwi_shade_kernels_for(isa);
        memset(got, 0xff, sizeof got);
        memset(got_alpha, 0xff, sizeof got_alpha);
        kernels->shade(&s->frame, &list, got);
        kernels->alpha(&s->frame, &list, got_alpha);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_msg(memcmp(got[i], expected[i], sizeof got[i]) == 0,
                          "%s, fragment %u of %u, draw %u, shading %d, filter %d: %a %a %a %a, not "
                          "%a %a %a %a",
                          mrw_isa_name(isa), i, count, s->triangles[s->triangle[i]].draw_flags >> 1,
                          (int)s->frame.shading, (int)s->frame.filter, (double)got[i][0],
                          (double)got[i][1], (double)got[i][2], (double)got[i][3],
                          (double)expected[i][0], (double)expected[i][1], (double)expected[i][2],
                          (double)expected[i][3]);
        }
        ck_assert(memcmp(got_alpha, expected_alpha, count * sizeof(float)) == 0);
    }
}

/* Whether a point belongs to a triangle, in whole sub-pixels: on an edge, when a step to the right,
 * and a far smaller one down, leads inside. */
static bool belongs(const scene *s, uint32_t triangle, float px, float py)
{
    int64_t x[3], y[3];
    for (int i = 0; i < 3; i++) {
        const mrwi_shade_vertex *v = &s->vertices[s->triangles[triangle].vertex[i]];
        x[i] = (int64_t)((v->x - px) * 256.0f);
        y[i] = (int64_t)((v->y - py) * 256.0f);
    }
    int64_t area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    int64_t sign = area < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        int64_t e = sign * (x[i] * y[k] - x[k] * y[i]);
        int64_t right = sign * (y[i] - y[k]), down = sign * (x[k] - x[i]);
        if (e < 0 || (e == 0 && (right < 0 || (right == 0 && down <= 0)))) {
            return false;
        }
    }
    return true;
}

/* A list with second positions gives what a list of the right positions gives. */
static void compare_other_positions(scene *s, uint32_t count)
{
    static float expected[LIST_ROOM][4] __attribute__((aligned(64)));
    static float got[LIST_ROOM][4] __attribute__((aligned(64)));
    static float x[LIST_ROOM], y[LIST_ROOM], other_x[LIST_ROOM], other_y[LIST_ROOM];
    mrwi_shade_list list = list_of(s, count), placed = list;
    for (uint32_t i = 0; i < count + MRWI_SHADE_LIST_PAD; i++) {
        uint32_t from = i < count || count == 0 ? i : count - 1;
        bool stay = i != from;
        other_x[i] = stay ? other_x[from] : s->x[i] + (float)random_below(16) / 16.0f - 0.5f;
        other_y[i] = stay ? other_y[from] : s->y[i] + (float)random_below(16) / 16.0f - 0.5f;
        bool here = belongs(s, s->triangle[i], s->x[i], s->y[i]);
        x[i] = here ? s->x[i] : other_x[i];
        y[i] = here ? s->y[i] : other_y[i];
    }
    placed.x = x, placed.y = y;
    list.other_x = other_x, list.other_y = other_y;
    mrwi_shade_kernels_for(MRW_ISA_SCALAR)->shade(&s->frame, &placed, expected);
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available(isa)) {
            continue;
        }
        mrwi_shade_kernels_for(isa)->shade(&s->frame, &list, got);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_msg(memcmp(got[i], expected[i], sizeof got[i]) == 0, "%s, fragment %u of %u",
                          mrw_isa_name(isa), i, count);
        }
    }
}

/* Shading pixels of the picture at once gives the bytes of shading, then encoding. */
static void compare_pixels(scene *s, uint32_t count)
{
    static float rgba[LIST_ROOM][4] __attribute__((aligned(64)));
    static uint8_t pixels[4 * 4 * LIST_ROOM];
    static uint32_t where[LIST_ROOM];
    static const float ground[4] = {0.25f, 0.5f, 0.75f, 1.0f};
    mrwi_shade_list list = list_of(s, count);
    uint32_t at = 0, stay = 1 + random_below(50);
    for (uint32_t i = 0; i < count; i++) {
        where[i] = at += 1 + (random_below(stay) ? 0 : random_below(3));
    }
    const mrwi_shade_kernels *scalar = mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    scalar->shade(&s->frame, &list, rgba);
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        for (uint32_t channels = 3; channels <= 4 && mrw_isa_available(isa); channels++) {
            memset(pixels, 0, sizeof pixels);
            mrwi_shade_kernels_for(isa)->shade_pixels(&s->frame, &list, where, channels, pixels);
            for (uint32_t i = 0; i < count; i++) {
                uint8_t expected[4];
                const mrwi_shade_triangle *t = &s->triangles[s->triangle[i]];
                if (s->draws[t->draw_flags >> 1].material->alpha_mode == 2) {
                    continue; /* transparent: not for this kernel */
                }
                scalar->encode((const float(*)[4])rgba + i, 1, ground, channels, s->frame.tone,
                               expected);
                ck_assert(memcmp(pixels + (size_t)where[i] * channels, expected, channels) == 0);
            }
        }
    }
}

static const mrwi_shade_tone raw_bytes = {.curve = MRWI_SHADE_CURVE_RAW}, plain = {0};

static void compare_all_modes(scene *s, uint32_t count)
{
    static const mrwi_shade_tone tones[4] = {{.curve = MRWI_SHADE_CURVE_SRGB},
                                             {MRWI_SHADE_CURVE_EXPOSED, 0.3f},
                                             {MRWI_SHADE_CURVE_ACES, 1.7f},
                                             {MRWI_SHADE_CURVE_NEUTRAL, 2.5f}};
    for (int shading = MRW_SHADING_LIT; shading < MRW_SHADING_COUNT; shading++) {
        for (int filter = MRW_FILTER_NEAREST; filter <= MRW_FILTER_ANISO; filter++) {
            s->frame.shading = (mrw_shading)shading;
            s->frame.filter = (mrw_filter)filter;
            s->frame.channel = (mrw_shading_channel)random_below(MRW_CHANNEL_COUNT);
            s->frame.tone =
                mrw_shading_info_of(s->frame.shading)->encoded ? tones[random_below(4)] : raw_bytes;
            compare_with_scalar(s, count);
            compare_other_positions(s, count);
            compare_pixels(s, count);
        }
    }
}

START_TEST(kernels_agree_on_every_short_count)
{
    scene *s = scene_create(MRW_ENCODING_COLOR);
    for (uint32_t count = 0; count <= 70; count++) {
        fill_triangles(s, 300.0f);
        fill_list(s, count);
        compare_all_modes(s, count);
    }
    scene_free(s);
}
END_TEST

START_TEST(kernels_agree_on_long_lists)
{
    static const uint32_t counts[] = {127, 128, 129, 300, 1000, MRWI_SHADE_LIST_MAX};
    scene *s = scene_create(MRW_ENCODING_RAW);
    for (uint32_t i = 0; i < 6; i++) {
        fill_triangles(s, i % 2 ? 20.0f : 2000.0f);
        if (i == 2) { /* one draw */
            for (uint32_t t = 0; t < MAX_TRIANGLES; t++) {
                s->triangles[t].draw_flags = 3 << 1;
            }
        }
        fill_list(s, counts[i]);
        set_surfaces(s, (int)i);
        set_lights(s, 7 * i, i >= 3);
        compare_all_modes(s, counts[i]);
    }
    scene_free(s);
}
END_TEST

START_TEST(kernels_agree_on_damage)
{
    scene *s = scene_create(MRW_ENCODING_COLOR);
    for (int round = 0; round < 30; round++) {
        fill_triangles(s, 400.0f);
        fill_list(s, 200);
        spoil_triangles(s);
        set_surfaces(s, round);
        set_lights(s, 3, round % 2);
        compare_all_modes(s, 200);
    }
    scene_free(s);
}
END_TEST

/* Every wrap mode on both axes, on every texture, with coordinates far out. */
START_TEST(kernels_agree_on_wraps)
{
    scene *s = scene_create(MRW_ENCODING_COLOR);
    fill_triangles(s, 300.0f);
    for (uint32_t t = 0; t < MAX_TRIANGLES; t++) {
        s->triangles[t].draw_flags = (t % 5 + 1) << 1;
    }
    for (uint32_t i = 0; i < 3 * MAX_TRIANGLES; i += 1 + random_below(3)) {
        s->vertices[i].u *= (float)(1 << random_below(24)), s->vertices[i].v -= 1000.0f;
    }
    for (uint32_t wrap = 0; wrap < 9; wrap++) {
        for (uint32_t d = 0; d < MAX_DRAWS; d++) {
            s->materials[d].maps[0].wrap_u = wrap % 3, s->materials[d].maps[0].wrap_v = wrap / 3;
        }
        fill_list(s, 150);
        compare_all_modes(s, 150);
    }
    scene_free(s);
}
END_TEST

START_TEST(kernels_agree_on_data)
{
    scene *s = scene_create(MRW_ENCODING_DATA);
    for (uint32_t i = 0; i < 8; i++) {
        fill_triangles(s, i % 2 ? 20.0f : 1000.0f);
        fill_list(s, 50 + 70 * i);
        compare_all_modes(s, 50 + 70 * i);
    }
    scene_free(s);
}
END_TEST

/* ---- the evaluator in double ----------------------------------------------------------------- */

/* Linear texels of all levels, made by exact area overlap. */
typedef struct pyramid {
    int levels, width[16], height[16];
    double *texels[16];
} pyramid;

static double srgb_to_linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double overlap(double a0, double a1, double b0, double b1)
{
    double lo = a0 > b0 ? a0 : b0, hi = a1 < b1 ? a1 : b1;
    return hi > lo ? hi - lo : 0.0;
}

static void pyramid_reduce(pyramid *p, int level)
{
    int w = p->width[level], h = p->height[level];
    int hw = w > 1 ? w / 2 : 1, hh = h > 1 ? h / 2 : 1;
    double sx = (double)w / hw, sy = (double)h / hh;
    double *out = calloc((size_t)(hw * hh * 4), sizeof(double));
    for (int y = 0; y < h * hh; y++) {
        for (int x = 0; x < w * hw; x++) {
            int fx = x % w, fy = y % h, tx = x / w, ty = y / h;
            double area = overlap(fx, fx + 1, tx * sx, (tx + 1) * sx) *
                          overlap(fy, fy + 1, ty * sy, (ty + 1) * sy);
            for (int c = 0; c < 4; c++) {
                out[(ty * hw + tx) * 4 + c] +=
                    area / (sx * sy) * p->texels[level][(fy * w + fx) * 4 + c];
            }
        }
    }
    p->width[level + 1] = hw;
    p->height[level + 1] = hh;
    p->texels[level + 1] = out;
}

static pyramid pyramid_create(const uint8_t *rgba, int width, int height, mrw_encoding encoding)
{
    pyramid p = {.levels = 1, .width = {width}, .height = {height}};
    p.texels[0] = malloc((size_t)(width * height * 4) * sizeof(double));
    for (int i = 0; i < width * height * 4; i++) {
        const bool linear = encoding != MRW_ENCODING_COLOR || i % 4 == 3;
        p.texels[0][i] = linear ? rgba[i] / 255.0 : srgb_to_linear(rgba[i] / 255.0);
    }
    for (; p.width[p.levels - 1] * p.height[p.levels - 1] > 1; p.levels++) {
        pyramid_reduce(&p, p.levels - 1);
    }
    return p;
}

static void pyramid_free(pyramid *p)
{
    for (int i = 0; i < p->levels; i++) {
        free(p->texels[i]);
    }
}

static int wrap_index(long i, int size, uint32_t mode)
{
    if (mode == 1) {
        return (int)(i < 0 ? 0 : i >= size ? size - 1 : i);
    }
    long period = mode == 0 ? size : 2L * size, m = i % period;
    m = m < 0 ? m + period : m;
    return (int)(m < size ? m : period - 1 - m);
}

static void double_bilinear(const pyramid *p, int level, const mrw_raster_material *m, double u,
                            double v, double out[4])
{
    int w = p->width[level], h = p->height[level];
    double x = u * w - 0.5, y = v * h - 0.5, fx = x - floor(x), fy = y - floor(y);
    memset(out, 0, 4 * sizeof(double));
    for (int k = 0; k < 4; k++) {
        int tx = wrap_index((long)floor(x) + k % 2, w, m->maps[0].wrap_u);
        int ty = wrap_index((long)floor(y) + k / 2, h, m->maps[0].wrap_v);
        double weight = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
        for (int c = 0; c < 4; c++) {
            out[c] += weight * p->texels[level][(ty * w + tx) * 4 + c];
        }
    }
}

/* False near a texel's border. */
static bool double_nearest(const pyramid *p, int level, const mrw_raster_material *m, double u,
                           double v, double out[4])
{
    const int width = p->width[level], height = p->height[level];
    int tx = wrap_index((long)floor(u * width), width, m->maps[0].wrap_u);
    int ty = wrap_index((long)floor(v * height), height, m->maps[0].wrap_v);
    memcpy(out, &p->texels[level][(ty * width + tx) * 4], 4 * sizeof(double));
    return fabs(u * width - round(u * width)) > 1e-3 && fabs(v * height - round(v * height)) > 1e-3;
}

/* Shares of the corners at a point, by areas and then 1/w. */
static void double_weights(const mrwi_shade_vertex *v, double x, double y, double out[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const mrwi_shade_vertex *a = &v[(i + 1) % 3], *b = &v[(i + 2) % 3];
        out[i] = ((a->x - x) * (b->y - y) - (b->x - x) * (a->y - y)) * v[i].inv_w;
        sum += out[i];
    }
    for (int i = 0; i < 3; i++) {
        out[i] /= sum;
    }
}

static void double_uv(const mrwi_shade_vertex *v, double x, double y, double out[2])
{
    double w[3];
    double_weights(v, x, y, w);
    out[0] = w[0] * v[0].u + w[1] * v[1].u + w[2] * v[2].u;
    out[1] = w[0] * v[0].v + w[1] * v[1].v + w[2] * v[2].v;
}

/* How far the coordinates go in texels from a pixel to the one on the right, and to that below. */
static void double_steps(const pyramid *p, const mrwi_shade_vertex *v, double x, double y,
                         double out[2][2])
{
    const double step = 1e-4;
    for (int axis = 0; axis < 2; axis++) {
        double before[2], after[2];
        double_uv(v, x - (axis == 0 ? step : 0), y - (axis == 1 ? step : 0), before);
        double_uv(v, x + (axis == 0 ? step : 0), y + (axis == 1 ? step : 0), after);
        out[axis][0] = (after[0] - before[0]) * p->width[0] / (2 * step);
        out[axis][1] = (after[1] - before[1]) * p->height[0] / (2 * step);
    }
}

static double double_lod(const pyramid *p, const mrwi_shade_vertex *v, double x, double y)
{
    double steps[2][2];
    double_steps(p, v, x, y, steps);
    return log2(fmax(hypot(steps[0][0], steps[0][1]), hypot(steps[1][0], steps[1][1])));
}

/* As the map asks to be minified: mrw_minify of scene.h. */
static bool double_trilinear(const pyramid *p, const mrw_raster_material *m, const double uv[2],
                             double lod, double out[4])
{
    const uint32_t minify = m->maps[0].minify;
    double fine[4], coarse[4], top = p->levels - 1;
    bool sure = true;
    if (minify >= 4) {
        lod = 0;
    } else if (minify >= 2) {
        sure = fabs(lod - floor(lod) - 0.5) > 1e-3;
        lod = round(lod);
    }
    lod = lod < top ? lod : top;
    int level = (int)lod, next = level + 1 < p->levels ? level + 1 : level;
    double_bilinear(p, level, m, uv[0], uv[1], fine);
    double_bilinear(p, next, m, uv[0], uv[1], coarse);
    if (minify % 2 == 1) {
        sure = double_nearest(p, level, m, uv[0], uv[1], fine) && sure;
        sure = double_nearest(p, next, m, uv[0], uv[1], coarse) && sure;
    }
    for (int c = 0; c < 4; c++) {
        out[c] = fine[c] + (coarse[c] - fine[c]) * (lod - level);
    }
    return sure;
}

/* The axes of the ellipse by turning a pixel's circle in steps of half a degree and then finer: no
 * formula of the code under test. False where there may be a probe more or less, or another texel
 * may be the nearest one. */
static bool double_aniso(const mrw_raster_material *m, const pyramid *p, const mrwi_shade_vertex *v,
                         double x, double y, double out[4])
{
    double steps[2][2], uv[2], longest = 0, shortest = INFINITY, along[2] = {0, 0};
    double_steps(p, v, x, y, steps);
    double_uv(v, x, y, uv);
    for (double step = M_PI / 360, from = 0, best = 0; step > 1e-7; step /= 30) {
        for (int i = -360; i <= 360; i++) {
            double c = cos(from + i * step), s = sin(from + i * step);
            double at[2] = {c * steps[0][0] + s * steps[1][0], c * steps[0][1] + s * steps[1][1]};
            double length = hypot(at[0], at[1]);
            if (length > longest) {
                longest = length, best = from + i * step;
                along[0] = at[0] / p->width[0], along[1] = at[1] / p->height[0];
            }
        }
        from = best;
    }
    shortest = fabs(steps[0][0] * steps[1][1] - steps[0][1] * steps[1][0]) / longest;
    shortest = fmax(shortest, longest / 16);
    bool certain = !(m->maps[0].nearest || m->maps[0].minify % 2 == 1) || fabs(shortest - 1) > 1e-3;
    bool magnified = shortest <= 1;
    shortest = fmax(shortest, 1);
    double ratio = fmax(longest / shortest, 1) + 0.875;
    int count = (int)ratio;
    for (int k = 0; k < count; k++) {
        double t = (k + 0.5) / count - 0.5, at[2] = {uv[0] + t * along[0], uv[1] + t * along[1]};
        double probe[4];
        if (!magnified) {
            certain = double_trilinear(p, m, at, log2(shortest), probe) && certain;
        } else if (m->maps[0].nearest) {
            certain = double_nearest(p, 0, m, at[0], at[1], probe) && certain;
        } else {
            double_bilinear(p, 0, m, at[0], at[1], probe);
        }
        for (int c = 0; c < 4; c++) {
            out[c] = (k > 0 ? out[c] : 0) + probe[c] / count;
        }
    }
    return certain && fabs(ratio - round(ratio)) > 1e-3;
}

/* False when the point lies so near to a jump (a texel's border) that float may take either side.
 */
static bool double_texture(const scene *s, const mrw_raster_material *m, const pyramid *p,
                           const mrwi_shade_vertex *v, double x, double y, double out[4])
{
    double uv[2], lod = double_lod(p, v, x, y);
    double_uv(v, x, y, uv);
    mrw_filter filter = s->frame.filter;
    if (filter == MRW_FILTER_ANISO) {
        return double_aniso(m, p, v, x, y, out);
    }
    if (filter == MRW_FILTER_NEAREST || (m->maps[0].nearest && lod <= 0)) {
        return double_nearest(p, 0, m, uv[0], uv[1], out) && fabs(lod) > 1e-3;
    }
    double_bilinear(p, 0, m, uv[0], uv[1], out);
    const uint32_t minify = m->maps[0].minify; /* mrw_minify of scene.h */
    bool sure = !(m->maps[0].nearest || minify % 2 == 1) || fabs(lod) > 1e-3;
    if (filter == MRW_FILTER_BILINEAR || lod <= 0) {
        return sure;
    }
    return double_trilinear(p, m, uv, lod, out) && sure;
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void unit3(double *v)
{
    double length = sqrt(dot3(v, v));
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

/* Radiance towards the eye of a microfacet lobe without Fresnel, times pi: glTF 2.0, B.2.2, B.3.2.
 */
static double double_lobe(double roughness, double curvature, const double n[3], const double v[3],
                          const double l[3])
{
    double half[3] = {l[0] + v[0], l[1] + v[1], l[2] + v[2]};
    unit3(half);
    const double nl = dot3(n, l), nh = fmax(dot3(n, half), 0), nv = fmax(dot3(n, v), 0);
    double a2 = pow(roughness, 4);
    a2 = fmin(a2 + fmax(curvature * fmax(nv, 0) * fmax(nv, 0) - 48 * a2, 0), 1);
    const double t = nh * nh * (a2 - 1) + 1;
    const double visible =
        0.5 / (nl * sqrt(nv * nv * (1 - a2) + a2) + nv * sqrt(nl * nl * (1 - a2) + a2));
    return a2 / (t * t) * visible;
}

/* How much the interpolated normal turns from pixel to pixel, without perspective: 1 / pi times
 * the squares of both slopes, at most 0.18 (Tokuyoshi and Kaplanyan 2019). */
static double double_curvature(const mrwi_shade_vertex *v)
{
    double sum = 0;
    const double area = (double)(v[1].x - v[0].x) * (v[2].y - v[0].y) -
                        (double)(v[2].x - v[0].x) * (v[1].y - v[0].y);
    for (int axis = 0; axis < 2; axis++) {
        double slope[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) { /* a corner's share falls towards the side across */
            const mrwi_shade_vertex *a = &v[(i + 1) % 3], *b = &v[(i + 2) % 3];
            const double share = (axis == 0 ? a->y - b->y : b->x - a->x) / area;
            for (int k = 0; k < 3; k++) {
                slope[k] += share * (&v[i].nx)[k];
            }
        }
        sum += dot3(slope, slope);
    }
    return fmin(sum / acos(-1), 0.18);
}

static double double_fresnel(double f0, double f90, double cosine)
{
    return f0 + (f90 - f0) * pow(1 - cosine, 5);
}

/* MRW_SURFACE_CLASSIC of raster.h: reflectances and roughness by the shininess n. */
static double double_classic(const mrw_raster_material *m, double f0[3], double *f90)
{
    const double n = m->shininess, part = n > 0 ? 0.08 : 0;
    *f90 = 0;
    for (int c = 0; c < 3; c++) {
        f0[c] = fmin(m->specular_color[c] * part, 0.2);
        *f90 = fmax(*f90, f0[c]);
    }
    return pow(2 / (n + 2), 0.25);
}

/* What a surface makes of a light of which a white matt one makes the cosine; a channel. */
static double double_surface(const mrw_raster_material *m, double curvature, int k, double base,
                             const double n[3], const double v[3], const double l[3],
                             double specular)
{
    double half[3] = {l[0] + v[0], l[1] + v[1], l[2] + v[2]};
    unit3(half);
    const double vh = dot3(v, half);
    if (m->surface == MRW_SURFACE_CLASSIC) {
        double f0[3], f90;
        const double rough = double_classic(m, f0, &f90);
        const double lobe = double_lobe(rough, curvature, n, v, l) * specular;
        return base * (1 - double_fresnel(fmax(f0[0], fmax(f0[1], f0[2])), f90, vh)) +
               double_fresnel(f0[k], f90, vh) * lobe;
    }
    const bool gloss = m->surface == MRW_SURFACE_SPECULAR_GLOSSINESS;
    const double rough = gloss ? 1 - m->glossiness : m->roughness;
    const double lobe = double_lobe(rough, curvature, n, v, l) * specular;
    double f0[3], most = 0;
    for (int c = 0; c < 3; c++) { /* KHR_materials_ior, KHR_materials_specular */
        f0[c] =
            gloss ? m->specular_color[c] : fmin((double)m->reflectance * m->specular_color[c], 1);
        most = fmax(most, f0[c]);
    }
    const double weight = gloss ? 1 : m->specular;
    const double matt = gloss ? base * (1 - fmin(most, 1)) : base;
    const double dielectric = matt * (1 - weight * double_fresnel(most, 1, vh)) +
                              weight * double_fresnel(f0[k], 1, vh) * lobe;
    const double metal = lobe * double_fresnel(base, 1, vh);
    return gloss ? dielectric : dielectric * (1 - m->metallic) + metal * m->metallic;
}

/* KHR_lights_punctual: the direction to a light, and what is left of it. */
static double double_arrival(const mrw_light *light, const double position[3], double l[3])
{
    for (int k = 0; k < 3; k++) {
        l[k] = light->type == MRW_LIGHT_DIRECTIONAL ? light->to_light[k]
                                                    : light->position[k] - position[k];
    }
    if (light->type == MRW_LIGHT_DIRECTIONAL) {
        return 1;
    }
    const double d = sqrt(dot3(l, l));
    const double axis[3] = {light->to_light[0], light->to_light[1], light->to_light[2]};
    unit3(l);
    const double c = light->attenuation[0], b = light->attenuation[1], a = light->attenuation[2];
    double left = light->classic ? 1 / (c + b * d + a * d * d) : 1 / (d * d);
    if (light->range > 0) {
        left *= fmin(fmax(1 - pow(d / light->range, 4), 0), 1);
    }
    if (light->type == MRW_LIGHT_SPOT) {
        const double inner = cos(light->inner_cone), outer = cos(light->outer_cone);
        const double cone = fmin(fmax((dot3(l, axis) - outer) / fmax(0.001, inner - outer), 0), 1);
        left *= cone * cone;
    }
    return left;
}

static void double_light(const mrwi_shade_frame *f, const mrw_raster_material *m, double curvature,
                         const double n[3], const double position[3], double x, double y,
                         double base[4])
{
    const mrw_lighting *all = &f->lighting;
    const bool lit = f->shading == MRW_SHADING_LIT;
    double view[3], up[3] = {all->up[0], all->up[1], all->up[2]}, out[3], coat[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        view[k] = f->ray0[k] + x * f->ray_dx[k] + y * f->ray_dy[k];
    }
    unit3(view);
    double above = 0.5 + 0.5 * dot3(n, up);
    for (int k = 0; k < 3; k++) { /* dark where surfaces mirror it: see light_from_all_around */
        out[k] = base[k] * (all->ground[k] * (1 - above) + all->sky[k] * above);
    }
    for (uint32_t i = 0; i < all->light_count; i++) {
        const mrw_light *light = &all->lights[i];
        double l[3];
        const double left = double_arrival(light, position, l), nl = dot3(n, l);
        for (int k = 0; k < 3 && light->classic && !lit; k++) {
            out[k] += light->color[k] * light->ambient * left * base[k];
        }
        for (int k = 0; k < 3 && nl > 0; k++) {
            const double bright = light->color[k] * left * nl;
            const double matt = light->classic ? light->diffuse : 1;
            const double whole =
                double_surface(m, curvature, k, base[k], n, view, l, light->specular);
            const double dull = double_surface(m, curvature, k, base[k], n, view, l, 0);
            const double part = lit ? whole + (matt - 1) * dull : matt * base[k];
            out[k] += bright * part;
            coat[k] += bright * double_lobe(m->clearcoat_roughness, curvature, n, view, l) *
                       light->specular;
        }
    }
    const double share = m->clearcoat * double_fresnel(0.04, 1, fmax(dot3(n, view), 0));
    for (int k = 0; k < 3; k++) {
        base[k] = out[k];
        if (lit) { /* KHR_materials_clearcoat */
            base[k] = (out[k] + m->emissive[k]) * (1 - share) + coat[k] * share;
        }
    }
}

/* What the fragment should be; false when it lies at a jump. */
static bool double_shade(const scene *s, const pyramid *pyramids, uint32_t i, double out[4])
{
    const mrwi_shade_triangle *t = &s->triangles[s->triangle[i]];
    const mrwi_shade_vertex *v = &s->vertices[t->vertex[0]];
    const mrw_raster_draw *draw = &s->draws[t->draw_flags >> 1];
    const mrw_raster_material *m = draw->material;
    double x = s->x[i], y = s->y[i], w[3], base[4], texel[4] = {1, 1, 1, 1}, n[3];
    bool certain = true;
    double_weights(v, x, y, w);
    for (int k = 0; k < 4; k++) {
        base[k] = m->base_color[k];
        if (draw->colors) {
            base[k] *= w[0] * s->colors[t->vertex[0]][k] + w[1] * s->colors[t->vertex[1]][k] +
                       w[2] * s->colors[t->vertex[2]][k];
        }
    }
    if (m->maps[0].texture) {
        for (int k = 0; k < 4; k++) {
            if (m->maps[0].texture == s->textures[k]) {
                certain = double_texture(s, m, &pyramids[k], v, x, y, texel);
            }
        }
    }
    for (int k = 0; k < 4; k++) {
        base[k] *= texel[k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = w[0] * (&v[0].nx)[k] + w[1] * (&v[1].nx)[k] + w[2] * (&v[2].nx)[k];
        n[k] = t->draw_flags & 1 ? -n[k] : n[k];
    }
    if (sqrt(dot3(n, n)) < 0.05) {
        certain = false; /* normals that cancel out have no direction to speak of */
    }
    unit3(n);
    if (mrw_shading_info_of(s->frame.shading)->lit && !m->unlit) {
        double position[3];
        for (int k = 0; k < 3; k++) {
            position[k] = w[0] * s->positions[t->vertex[0]][k] +
                          w[1] * s->positions[t->vertex[1]][k] +
                          w[2] * s->positions[t->vertex[2]][k];
        }
        double_light(&s->frame, m, double_curvature(v), n, position, x, y, base);
    }
    double alpha = m->alpha_mode == 2 ? (base[3] < 1 ? base[3] : 1) : 1;
    for (int k = 0; k < 3; k++) {
        out[k] = base[k] * alpha;
    }
    out[3] = alpha;
    return certain;
}

/* Area of a triangle of the scene in pixels. */
static double area_of(const mrwi_shade_vertex *v)
{
    return 0.5 * fabs((double)(v[1].x - v[0].x) * (v[2].y - v[0].y) -
                      (double)(v[2].x - v[0].x) * (v[1].y - v[0].y));
}

static uint32_t compare_with_double(scene *s, const pyramid *pyramids, uint32_t count, double error)
{
    static float got[LIST_ROOM][4] __attribute__((aligned(64)));
    mrwi_shade_list list = list_of(s, count);
    mrwi_shade_kernels_for(MRW_ISA_SCALAR)->shade(&s->frame, &list, got);
    uint32_t compared = 0;
    for (uint32_t i = 0; i < count; i++) {
        double expected[4];
        if (area_of(&s->vertices[3 * s->triangle[i]]) < 40.0 ||
            !double_shade(s, pyramids, i, expected)) {
            continue;
        }
        compared++;
        for (int c = 0; c < 4; c++) {
            ck_assert_msg(fabs(got[i][c] - expected[c]) < error * (1 + expected[c]),
                          "draw %u, shading %d, filter %d, channel %d: %g, not %g",
                          s->triangles[s->triangle[i]].draw_flags >> 1, (int)s->frame.shading,
                          (int)s->frame.filter, c, (double)got[i][c], expected[c]);
        }
    }
    return compared;
}

static void check_scalar_against_double(mrw_encoding encoding, double error)
{
    scene *s = scene_create(encoding);
    pyramid pyramids[4];
    for (int i = 0; i < 4; i++) {
        pyramids[i] =
            pyramid_create(s->texels[i], (int)s->size[i][0], (int)s->size[i][1], encoding);
    }
    uint32_t compared = 0, total = 0;
    for (int round = 0; round < 64; round++) {
        for (uint32_t d = 0; d < MAX_DRAWS; d++) {
            s->materials[d].maps[0].wrap_u = random_below(3);
            s->materials[d].maps[0].wrap_v = random_below(3);
            s->materials[d].maps[0].minify = random_below(2) * random_below(6);
        }
        fill_triangles(s, round % 2 ? 40.0f : 400.0f);
        fill_list(s, 250);
        set_surfaces(s, round);
        set_lights(s, (uint32_t)(round % 6 == 0 ? MAX_LIGHTS : round % 6), round >= 32);
        static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_LAMBERT, MRW_SHADING_UNLIT,
                                            MRW_SHADING_RAW};
        s->frame.shading = modes[round % 4];
        s->frame.filter = (mrw_filter)(round / 4 % 4);
        for (int k = 0; k < 3 && s->frame.shading == MRW_SHADING_LIT; k++) {
            s->frame.lighting.sky[k] = s->frame.lighting.ground[k] = 0.0f;
        }
        compared += compare_with_double(s, pyramids, 250, error);
        total += 250;
    }
    ck_assert_uint_gt(compared, total * 3 / 4);
    for (int i = 0; i < 4; i++) {
        pyramid_free(&pyramids[i]);
    }
    scene_free(s);
}

START_TEST(scalar_agrees_with_double)
{
    check_scalar_against_double(MRW_ENCODING_COLOR, 1e-3);
}
END_TEST

START_TEST(scalar_agrees_with_double_raw)
{
    check_scalar_against_double(MRW_ENCODING_RAW, 1e-3);
}
END_TEST

/* Levels are rounded to half a step of 1/255, and light makes 1.5 times of it at most. */
START_TEST(scalar_agrees_with_double_on_data)
{
    check_scalar_against_double(MRW_ENCODING_DATA, 4e-3);
}
END_TEST

/* ---- single fragments ------------------------------------------------------------------------ */

/* Triangle 0 of the scene with draw 0, one fragment at (x, y). */
static void shade_one_with(mrw_isa isa, scene *s, float x, float y, float out[4])
{
    float rgba[1 + MRWI_SHADE_LIST_PAD][4] __attribute__((aligned(64)));
    s->x[0] = x;
    s->y[0] = y;
    s->triangle[0] = 0;
    mrwi_shade_list list = list_of(s, 1);
    mrwi_shade_kernels_for(isa)->shade(&s->frame, &list, rgba);
    memcpy(out, rgba[0], sizeof rgba[0]);
}

static void shade_one(scene *s, float x, float y, float out[4])
{
    shade_one_with(MRW_ISA_SCALAR, s, x, y, out);
}

/* A triangle over (0, 0) (256, 0) (0, 256) whose uv spans `texels` texels of width a pixel; white,
 * facing +Z, orthographic, unlit. */
static scene *flat_scene(float u_per_pixel, float v_per_pixel)
{
    scene *s = scene_create(MRW_ENCODING_COLOR);
    for (uint32_t k = 0; k < 3; k++) {
        float x = k == 1 ? 256.0f : 0.0f, y = k == 2 ? 256.0f : 0.0f;
        s->vertices[k] =
            (mrwi_shade_vertex){x, y, 1.0f, x * u_per_pixel, y * v_per_pixel, 0.0f, 0.0f, 1.0f};
        s->triangles[0].vertex[k] = k;
    }
    s->materials[0] = (mrw_raster_material){.base_color = {1, 1, 1, 1}};
    s->draws[0].colors = NULL;
    s->frame.shading = MRW_SHADING_RAW;
    return s;
}

/* A sliver of 1/256 pixel over 8000: in float its area would be noise. */
START_TEST(slivers_keep_their_attributes)
{
    scene *s = flat_scene(0.0f, 0.0f);
    mrwi_shade_vertex *v = s->vertices;
    v[0].x = 3.25f, v[0].y = 7.5f;
    v[1].x = 8003.25f, v[1].y = 5007.5f;
    v[2].x = 4003.25f, v[2].y = 2507.5f + 1.0f / 256.0f;
    s->draws[0].colors = no_colors;
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 4; c++) {
            s->colors[k][c] = k == c ? 1.0f : 0.0f;
        }
    }
    float rgba[4];
    shade_one(s, 4003.25f, 2507.5f + 1.0f / 256.0f, rgba); /* corner 2 */
    ck_assert_double_lt(fabs((double)rgba[2] - 1.0), 1e-6);
    shade_one(s, 3203.25f, 2007.5f, rgba); /* on the side from 0 to 1, at 0.4 */
    ck_assert_double_lt(fabs((double)rgba[0] - 0.6), 1e-6);
    ck_assert_double_lt(fabs((double)rgba[1] - 0.4), 1e-6);
    ck_assert_double_lt((double)rgba[2], 1e-6);
    scene_free(s);
}
END_TEST

/* Corner 0 a hundred thousand times nearer than the others: what they show must still be right. */
START_TEST(horizon_keeps_its_attributes)
{
    scene *s = flat_scene(0.0f, 0.0f);
    s->vertices[1].inv_w = s->vertices[2].inv_w = 1e-5f;
    s->draws[0].colors = no_colors;
    s->colors[1][0] = s->colors[2][0] = 1.0f;
    float rgba[4];
    const float x = 65510.0f / 256.0f;
    shade_one(s, x, 0.0f, rgba);
    double far = (double)x / 256.0 * 1e-5, near = 1 - (double)x / 256.0;
    ck_assert_double_lt(fabs((double)rgba[0] - far / (far + near)), 1e-6);
    scene_free(s);
}
END_TEST

/* A 16x16 texture whose levels are plain: level n has the value values[n]. */
static void paint_levels(mrw_raster_texture *texture, const uint16_t *values)
{
    for (uint32_t n = 0; n < texture->layout.level_count; n++) {
        const mrwi_shade_texture_level *level = &texture->layout.levels[n];
        for (int32_t i = 0; i < level->stride * ((int32_t)level->height + 1); i++) {
            for (int c = 0; c < 4; c++) {
                ((uint16_t *)(uintptr_t)texture->texels)[4 * (level->first + i) + c] = values[n];
            }
        }
    }
}

START_TEST(footprint_chooses_the_level)
{
    static const uint16_t values[5] = {0, 10000, 30000, 50000, 65535};
    static const struct {
        float texels_u, texels_v; /* a pixel */
        double expected;          /* of 65535 */
    } cases[] = {
        {0.25f, 0.5f, 0},     {1.0f, 1.0f, 0},          {2.0f, 1.0f, 10000},
        {1.0f, 4.0f, 30000},  {-8.0f, 2.0f, 50000},     {16.0f, 16.0f, 65535},
        {1e6f, 16.0f, 65535}, {2.828427f, 1.0f, 20000}, {5.656854f, 1.0f, 40000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene *s = flat_scene(cases[i].texels_u / 16.0f, cases[i].texels_v / 16.0f);
        s->materials[0].maps[0].texture = s->textures[1];
        paint_levels(s->textures[1], values);
        float rgba[4];
        shade_one(s, 20.5f, 30.5f, rgba);
        ck_assert_msg(fabs((double)rgba[0] * 65535.0 - cases[i].expected) < 1.0, "case %zu: %g", i,
                      (double)rgba[0] * 65535.0);
        scene_free(s);
    }
}
END_TEST

/* log2 of the footprint in steps of 1/64 octave: each value to 2e-4 of a level. */
START_TEST(level_is_a_logarithm)
{
    static const uint16_t values[5] = {0, 16000, 32000, 48000, 64000};
    for (int step = 0; step <= 256; step++) {
        double lod = step / 64.0;
        scene *s = flat_scene((float)(exp2(lod) / 16.0), 0.0f);
        s->materials[0].maps[0].texture = s->textures[1];
        paint_levels(s->textures[1], values);
        float rgba[4];
        shade_one(s, 20.5f, 30.5f, rgba);
        ck_assert_double_lt(fabs((double)rgba[0] * 65535.0 / 16000.0 - lod), 2e-4);
        scene_free(s);
    }
}
END_TEST

START_TEST(far_checker_turns_grey)
{
    uint8_t checker[32 * 32 * 4];
    for (int i = 0; i < 32 * 32; i++) {
        memset(checker + 4 * i, (i % 32 + i / 32) % 2 ? 255 : 0, 4);
    }
    scene *s = flat_scene(2.0f / 32.0f, 2.0f / 32.0f);
    mrw_raster_texture *texture = texture_of(checker, 32, 32, MRW_ENCODING_COLOR);
    s->materials[0].maps[0].texture = texture;
    for (int i = 0; i < 50; i++) {
        float rgba[4];
        shade_one(s, (float)i + 0.5f, 30.5f, rgba);
        ck_assert_double_lt(fabs((double)rgba[0] - 0.5), 1e-4);
    }
    mrw_raster_texture_free(texture);
    scene_free(s);
}
END_TEST

/* Two texels, 0 and 1, at their centres, between them, and beyond either end. */
START_TEST(wraps_blend_by_hand)
{
    static const uint8_t texels[8] = {0, 0, 0, 255, 255, 255, 255, 255};
    static const struct {
        uint32_t wrap;
        float u;
        double expected;
    } cases[] = {
        {0, 0.25f, 0},     {0, 0.5f, 0.5},   {0, 0.75f, 1}, {0, 1.0f, 0.5},    {0, 0.0f, 0.5},
        {0, -0.125f, .75}, {0, 5.375f, .25}, {1, 0.25f, 0}, {1, 0.125f, 0},    {1, -3.0f, 0},
        {1, 0.5f, 0.5},    {1, 1.0f, 1},     {1, 9.0f, 1},  {2, 0.0f, 0},      {2, 1.0f, 1},
        {2, 1.25f, 1},     {2, 1.5f, 0.5},   {2, 1.75f, 0}, {2, -0.375f, .25}, {2, -0.75f, 1},
    };
    mrw_raster_texture *texture = texture_of(texels, 2, 1, MRW_ENCODING_RAW);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene *s = flat_scene(0.0f, 0.0f);
        s->materials[0].maps[0].texture = texture;
        s->materials[0].maps[0].wrap_u = cases[i].wrap;
        for (int k = 0; k < 3; k++) {
            s->vertices[k].u = cases[i].u;
        }
        float rgba[4];
        shade_one(s, 10.5f, 10.5f, rgba);
        ck_assert_msg(fabs((double)rgba[0] - cases[i].expected) < 1e-6, "case %zu: %g", i,
                      (double)rgba[0]);
        scene_free(s);
    }
    mrw_raster_texture_free(texture);
}
END_TEST

/* Seen along the light: N.L = N.H = V.H = 1. Half of sky and ground comes to 0.15. */
static scene *hand_lit_scene(void)
{
    scene *s = flat_scene(0.0f, 0.0f);
    s->frame.shading = MRW_SHADING_LIT;
    s->lights[0] =
        (mrw_light){.to_light = {0, 0, 1}, .color = {0.5f, 0.25f, 0.125f}, .specular = 1.0f};
    s->frame.lighting = (mrw_lighting){.lights = s->lights,
                                       .up = {0, 1, 0},
                                       .sky = {0.2f, 0.2f, 0.2f},
                                       .ground = {0.1f, 0.1f, 0.1f}};
    set_lights(s, 1, false);
    memcpy(s->frame.ray0, (float[3]){0, 0, 7}, sizeof s->frame.ray0);
    memset(s->frame.ray_dx, 0, sizeof s->frame.ray_dx);
    memset(s->frame.ray_dy, 0, sizeof s->frame.ray_dy);
    return s;
}

START_TEST(light_by_hand)
{
    scene *s = hand_lit_scene();
    mrw_raster_material *m = &s->materials[0];
    float rgba[4];
    m->surface = MRW_SURFACE_CLASSIC; /* matt: 0.5 + 0.15 */
    m->specular_color[0] = 0.4f;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.65), 1e-6);
    for (int k = 0; k < 3; k++) {
        s->frame.lighting.sky[k] = s->frame.lighting.ground[k] = 0.0f;
    }
    /* a2 = 2 / 64 = 1/32, the lobe is 1 / (4 a2) = 8, f0 = 0.4 0.08 = 0.032, of the matt part 0.968
     * is left: 0.5 (0.968 + 0.032 8). */
    m->shininess = 62;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.612), 1e-5);
    ck_assert_double_lt(fabs((double)rgba[1] - 0.25 * 0.968), 1e-5);
    m->shininess = 2; /* a2 = 1/2, a lobe of 1/2, f0 = 4 0.08, but 0.2 */
    m->specular_color[0] = 4;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.5 * (0.8 + 0.2 / 2)), 1e-5);
    m->specular_color[0] = 0.4f;
    m->shininess = 198; /* a2 = 1/100, a lobe of 25, f0 = 0.4 0.08 */
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.5 * (0.968 + 0.032 * 25)), 1e-5);
    m->surface = MRW_SURFACE_METALLIC_ROUGHNESS;
    for (int k = 1; k < 3; k++) {
        s->frame.lighting.sky[k] = 0.2f;
        s->frame.lighting.ground[k] = 0.1f;
    }
    m->metallic = 1; /* a2 = 1/4: D = 1 / a2 pi, V = 1/4, F = 1: 0.5 (4 / 4) */
    m->roughness = 0.70710678f;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.5), 1e-5);
    s->frame.lighting.sky[0] = 0.2f;
    s->frame.lighting.ground[0] = 0.1f;
    m->metallic = 0; /* 0.5 (0.96 + 0.04) + 0.15 */
    m->reflectance = 0.04f;
    m->specular = 1;
    m->specular_color[0] = m->specular_color[1] = m->specular_color[2] = 1;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.65), 1e-5);
    m->emissive[1] = 2; /* 0.25 + 0.15 + 2 */
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[1] - 2.4), 1e-5);
    s->frame.shading = MRW_SHADING_LAMBERT;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.65), 1e-6);
    ck_assert_double_lt(fabs((double)rgba[1] - 0.4), 1e-6);
    s->triangles[0].draw_flags = 1; /* from behind: away from the light */
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert_double_lt(fabs((double)rgba[0] - 0.15), 1e-6);
    m->unlit = true;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert(rgba[0] == 1.0f && rgba[3] == 1.0f);
    scene_free(s);
}
END_TEST

/* Estevez and Kulla's distribution and Neubelt and Pettineo's visibility in double, over a white
 * matt surface along Z, of which as much is missing as white fibres reflect of all light: the
 * exponential of three.js. Light from above and around, 0.15. */
START_TEST(sheen_by_an_evaluator)
{
    static const float eyes[3][3] = {{0, 0, 7}, {3, 0, 4}, {-4, 1, 0.5f}};
    static const float lights[3][3] = {{0, 0, 1}, {0.6f, 0, 0.8f}, {-0.8f, 0.59f, 0.1091f}};
    static const double roughnesses[3] = {0.2, 0.5, 1};
    for (int i = 0; i < 27; i++) {
        scene *s = hand_lit_scene();
        mrw_raster_material *m = &s->materials[0];
        const float *e = eyes[i % 3], *l = lights[i / 3 % 3];
        const double r = roughnesses[i / 9], alpha = r * r;
        const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        double h[3], h2 = 0;
        m->surface = MRW_SURFACE_METALLIC_ROUGHNESS; /* nothing but matt */
        m->metallic = m->specular = 0;
        m->roughness = 1;
        m->sheen_roughness = (float)r;
        memcpy(m->sheen_color, (float[3]){0.5f, 1, 0}, sizeof m->sheen_color);
        memcpy(s->frame.ray0, e, sizeof s->frame.ray0);
        memcpy(s->lights[0].to_light, l, sizeof s->lights[0].to_light);
        set_lights(s, 1, false);
        for (int k = 0; k < 3; k++) {
            h[k] = e[k] / length + l[k];
            h2 += h[k] * h[k];
        }
        const double nl = l[2], nv = e[2] / length, nh2 = h[2] * h[2] / h2;
        const double d = (2 + 1 / alpha) * pow(fmax(1 - nh2, 1 / 128.0), 1 / (2 * alpha)) / 2;
        const double v = fmin(1 / (4 * (nl + nv - nl * nv)), 1);
        const double a = -1.9362 + 1.0678 * r + 0.4573 * r * r - 0.8469 / (r + 0.1);
        const double b = -0.6014 + 0.5538 * r - 0.4670 * r * r - 0.1255 / (r + 0.1);
        const double albedo = exp(a * nv + b), light[3] = {0.5, 0.25, 0.125};
        for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            float rgba[4];
            for (int k = 0; k < 3 && mrw_isa_available(isa); k++) {
                const double tint = m->sheen_color[k];
                const double below = (nl * light[k] + 0.15) * (1 - albedo);
                const double expected = below + tint * (d * v * nl * light[k] + 0.15 * albedo);
                shade_one_with(isa, s, 1.5f, 1.5f, rgba);
                ck_assert_double_eq_tol(rgba[k], expected, 1e-4);
            }
        }
        scene_free(s);
    }
}
END_TEST

/* Where texels of (-0.7, 0, 0.7), (0.7, 0, 0.7), (0, -0.7, 0.7) and (0, 0.7, 0.7) are one, the
 * normal is straight and the mean of all 0.7 long: 2 (1 - 0.7) / 0.7 = 0.83 more of the square of
 * alpha, which head on is all that the lobe depends on: 1 / 4 a2. A quarter of that at half the
 * scale. */
START_TEST(averaged_normals_widen_highlights)
{
    static const uint8_t texels[4][4] = {
        {38, 128, 218, 7}, {217, 128, 218, 99}, {128, 38, 218, 5}, {128, 217, 218, 0}};
    static float tangents[3][4] = {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}};
    mrw_raster_texture *texture = texture_of(NULL, 2, 2, MRW_ENCODING_DATA);
    mrw_raster_texture_set_alpha(texture, MRW_TEXTURE_ALPHA_SPREAD, 0);
    ck_assert_int_eq(mrw_raster_texture_fill(texture, texels[0], 0, NULL), MRW_OK);
    for (int half = 0; half < 2; half++) {
        scene *s = hand_lit_scene();
        mrw_raster_material *m = &s->materials[0];
        const double r = 0.7071, scale = half ? 0.5 : 1, a2 = pow(0.5, 4);
        const double wide = a2 + 2 * (1 - r) / r * scale * scale;
        m->metallic = 1.0f;
        m->roughness = 0.5f;
        m->base_color[0] = 1.0f;
        m->maps[MRW_RASTER_MAP_NORMAL].texture = texture;
        m->normal_scale = (float)scale;
        memset(s->frame.lighting.sky, 0, sizeof s->frame.lighting.sky);
        memset(s->frame.lighting.ground, 0, sizeof s->frame.lighting.ground);
        s->draws[0].tangents = tangents[0];
        s->frame.streams[MRWI_SHADE_TANGENT] = (const float(*)[4])tangents;
        for (int k = 0; k < 3; k++) {
            s->vertices[k].u = s->vertices[k].x * 2.0f; /* four texels a pixel */
            s->vertices[k].v = s->vertices[k].y * 2.0f;
        }
        for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            float rgba[4];
            if (mrw_isa_available(isa)) {
                shade_one_with(isa, s, 1.5f, 1.5f, rgba);
                ck_assert_double_eq_tol(rgba[0], 0.5 / (4 * wide), 0.02 * 0.5 / (4 * wide));
            }
        }
        scene_free(s);
    }
    mrw_raster_texture_free(texture);
}
END_TEST

/* In a furnace, with the radiance 0.5 all around. A white dielectric gives all of it back, whatever
 * its roughness: what it mirrors is missing in what is matt. A white metal gives back less, by what
 * is lost between its facets, the more the rougher it is; with compensation within 2 % of all. A
 * classic surface is matt. Half of it, where half is occluded. */
START_TEST(light_from_all_around)
{
    static const uint8_t half[4] = {128, 0, 0, 255};
    mrw_raster_texture *texture = texture_of(half, 1, 1, MRW_ENCODING_DATA);
    const float white[3] = {0.5f, 0.5f, 0.5f};
    mrw_environment *environment;
    ck_assert_int_eq(mrw_environment_create(white, 1, 1, false, 1, &environment, NULL), MRW_OK);
    for (int around = 0; around < 2; around++) {
        scene *s = hand_lit_scene();
        mrw_lighting *lighting = &s->frame.lighting;
        mrw_raster_material *m = &s->materials[0];
        float rgba[4], before = 1.0f;
        lighting->light_count = 0;
        for (int k = 0; k < 3; k++) {
            lighting->sky[k] = lighting->ground[k] = around == 0 ? 0.5f : 0.0f;
            m->specular_color[k] = 1.0f;
        }
        if (around == 1) {
            mrw_environment_place(environment, 30.0f, 1.0f, NULL, lighting);
        }
        m->specular = 1.0f;
        m->reflectance = 0.04f;
        for (int i = 1; i <= 10; i++) {
            m->roughness = 0.1f * (float)i;
            m->metallic = 0.0f;
            shade_one(s, 9.5f, 9.5f, rgba);
            ck_assert_double_lt(fabs((double)rgba[0] - 0.5), 1e-3);
            m->metallic = 1.0f;
            lighting->environment_compensation = false;
            shade_one(s, 9.5f, 9.5f, rgba);
            ck_assert(rgba[0] < 0.505f && rgba[0] < before + 0.01f && rgba[0] > 0.15f);
            before = rgba[0];
            lighting->environment_compensation = true;
            shade_one(s, 9.5f, 9.5f, rgba);
            ck_assert_double_lt(fabs((double)rgba[0] - 0.5), 0.01);
        }
        ck_assert(before < 0.4f);
        m->surface = MRW_SURFACE_CLASSIC;
        shade_one(s, 9.5f, 9.5f, rgba);
        ck_assert_double_lt(fabs((double)rgba[0] - 0.5), 1e-3);
        m->maps[MRW_RASTER_MAP_OCCLUSION].texture = texture;
        m->occlusion_strength = 1.0f;
        shade_one(s, 9.5f, 9.5f, rgba);
        ck_assert_double_lt(fabs((double)rgba[0] - 0.5 * 128 / 255), 1e-3);
        m->occlusion_strength = 0.5f;
        shade_one(s, 9.5f, 9.5f, rgba);
        ck_assert_double_lt(fabs((double)rgba[0] - 0.5 * (0.5 + 0.5 * 128 / 255)), 1e-3);
        scene_free(s);
    }
    mrw_environment_free(environment);
    mrw_raster_texture_free(texture);
}
END_TEST

/* A point light two units above: a quarter; with a range of 4, 15/16 of that (1 - (2/4)^4); of a
 * range of 2 and beyond, nothing. A spot that shines down, seen 45 degrees off its axis of 60, the
 * inner cone being 0: ((cos 45 - cos 60) / (1 - cos 60))^2, at a distance of 2 sqrt 2 and with that
 * cosine. Of cones close to each other: cosines of 0.71710678 and 0.69710678, half way between
 * them a quarter; and of equal ones, where the cosine is 0.0005 above them, over 0.001 the same. */
START_TEST(placed_lights_by_hand)
{
    static const struct {
        mrw_light_type type;
        float x, range;
        double inner, outer; /* cosines of the cones */
        double expected;
    } cases[] = {{MRW_LIGHT_POINT, 0, 0, 1, 0.5, 0.25},
                 {MRW_LIGHT_POINT, 0, 4, 1, 0.5, 0.25 * 15 / 16},
                 {MRW_LIGHT_POINT, 0, 2, 1, 0.5, 0},
                 {MRW_LIGHT_POINT, 0, 1, 1, 0.5, 0},
                 {MRW_LIGHT_SPOT, 0, 0, 1, 0.5, 0.25},
                 {MRW_LIGHT_SPOT, 2, 0, 1, 0.5, 0.70710678 / 8 * 0.17157288},
                 {MRW_LIGHT_SPOT, 4, 0, 1, 0.5, 0},
                 {MRW_LIGHT_SPOT, 2, 0, 0.71710678, 0.69710678, 0.70710678 / 8 * 0.25},
                 {MRW_LIGHT_SPOT, 2, 0, 0.70660678, 0.70660678, 0.70710678 / 8 * 0.25},
                 {MRW_LIGHT_SPOT, 2, 0, 0.70460678, 0.70460678, 0.70710678 / 8},
                 {MRW_LIGHT_SPOT, 2, 0, 0.70760678, 0.70760678, 0}};
    scene *s = hand_lit_scene();
    s->materials[0].surface = MRW_SURFACE_CLASSIC;
    memset(s->frame.lighting.sky, 0, sizeof s->frame.lighting.sky);
    memset(s->frame.lighting.ground, 0, sizeof s->frame.lighting.ground);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float rgba[4];
        s->lights[0].type = cases[i].type;
        s->lights[0].range = cases[i].range;
        s->lights[0].inner_cone = (float)acos(cases[i].inner);
        s->lights[0].outer_cone = (float)acos(cases[i].outer);
        memcpy(s->lights[0].position, (float[3]){cases[i].x, 0, 2}, 3 * sizeof(float));
        mrwi_shade_prepare_lights(&s->frame.lighting, s->prepared);
        s->frame.placed_lights = true;
        shade_one(s, 1.5f, 1.5f, rgba);
        ck_assert_msg(fabs((double)rgba[0] - 0.5 * cases[i].expected) < 1e-5, "case %zu: %g", i,
                      (double)rgba[0]);
    }
    scene_free(s);
}
END_TEST

/* Corners at (0, 0, 0), (1, 0, 0) and (0, 1, 1), whatever their normals: the front's normal is
 * (0, -1, 1) / sqrt(2). Mirrored, clockwise is the front, which looks the other way; so do backs.
 */
START_TEST(flat_triangles_by_hand)
{
    for (int i = 0; i < 4; i++) {
        scene *s = hand_lit_scene();
        const bool mirrored = i % 2, back = i / 2;
        memset(s->frame.lighting.sky, 0, sizeof s->frame.lighting.sky);
        memset(s->frame.lighting.ground, 0, sizeof s->frame.lighting.ground);
        memset(s->positions, 0, sizeof s->positions);
        s->positions[1][0] = s->positions[2][1] = s->positions[2][2] = 1.0f;
        s->frame.streams[MRWI_SHADE_POSITION] = (const float(*)[4])s->positions;
        s->materials[0].surface = MRW_SURFACE_CLASSIC;
        s->draws[0].flat = true;
        s->draws[0].mirrored = mirrored;
        s->triangles[0].draw_flags = back;
        for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            for (int below = 0; below < 2 && mrw_isa_available(isa); below++) {
                float rgba[4];
                const double cosine = (mirrored != back) == below ? 0.70710678 : 0.0;
                memcpy(s->lights[0].to_light, (float[3]){0, 0, below ? -1 : 1}, 3 * sizeof(float));
                mrwi_shade_prepare_lights(&s->frame.lighting, s->prepared);
                shade_one_with(isa, s, 1.5f, 1.5f, rgba);
                ck_assert_double_lt(fabs((double)rgba[0] - 0.5 * cosine), 1e-6);
            }
        }
        scene_free(s);
    }
}
END_TEST

/* A texel of (1, 0.5, 0.5) is the tangent, (0.5, 1, 0.5) the bitangent; blue at 1 the normal. With
 * the tangent at +X, a front's bitangent is cross(Z, X) = Y, times the sign. On a back all turn,
 * and what faces the light then is what turned towards it. */
START_TEST(normal_maps_by_hand)
{
    static const struct {
        uint8_t rgb[3];
        float scale, sign;
        bool back;
        float light[3];
        double cosine;
    } cases[] = {{{255, 128, 128}, 1, 1, false, {1, 0, 0}, 1},
                 {{128, 255, 128}, 1, 1, false, {0, 1, 0}, 1},
                 {{128, 255, 128}, 1, -1, false, {0, -1, 0}, 1},
                 {{255, 128, 255}, 1, 1, false, {1, 0, 0}, 0.70710678},
                 {{255, 128, 255}, 0.5f, 1, false, {1, 0, 0}, 0.4472136},
                 {{128, 128, 255}, 1, 1, false, {0, 0, 1}, 1},
                 {{255, 128, 128}, 1, 1, true, {-1, 0, 0}, 1},
                 {{128, 255, 128}, 1, 1, true, {0, -1, 0}, 1},
                 {{128, 128, 255}, 1, 1, true, {0, 0, -1}, 1}};
    static float tangents[3][4];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene *s = hand_lit_scene();
        const uint8_t texel[4] = {cases[i].rgb[0], cases[i].rgb[1], cases[i].rgb[2], 255};
        mrw_raster_texture *texture = texture_of(texel, 1, 1, MRW_ENCODING_DATA);
        float rgba[4];
        s->materials[0].surface = MRW_SURFACE_CLASSIC;
        s->materials[0].maps[MRW_RASTER_MAP_NORMAL].texture = texture;
        s->materials[0].normal_scale = cases[i].scale;
        s->draws[0].tangents = tangents[0];
        s->frame.streams[MRWI_SHADE_TANGENT] = (const float(*)[4])tangents;
        memset(s->frame.lighting.sky, 0, sizeof s->frame.lighting.sky);
        memset(s->frame.lighting.ground, 0, sizeof s->frame.lighting.ground);
        memcpy(s->lights[0].to_light, cases[i].light, sizeof s->lights[0].to_light);
        mrwi_shade_prepare_lights(&s->frame.lighting, s->prepared);
        for (int k = 0; k < 3; k++) {
            memcpy(tangents[k], (float[4]){3, 0, 0, cases[i].sign}, sizeof tangents[k]);
        }
        s->triangles[0].draw_flags = cases[i].back;
        for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            if (mrw_isa_available(isa)) {
                shade_one_with(isa, s, 1.5f, 1.5f, rgba);
                ck_assert_msg(fabs((double)rgba[0] - 0.5 * cases[i].cosine) < 3e-3, "case %zu: %g",
                              i, (double)rgba[0]);
            }
        }
        mrw_raster_texture_free(texture);
        scene_free(s);
    }
}
END_TEST

/* ---- maps, and light from all around --------------------------------------------------------- */

/* The maps of a surface, a texel each; channel by channel another value. */
enum { TEXELS = MRW_RASTER_MAP_COUNT };

static void put_texels(mrw_raster_material *m, mrw_raster_texture **textures,
                       double texel[TEXELS][4])
{
    for (int k = 0; k < TEXELS; k++) {
        uint8_t bytes[4];
        for (int c = 0; c < 4; c++) {
            bytes[c] = (uint8_t)(40 + random_below(216));
            texel[k][c] = bytes[c] / 255.0;
        }
        textures[k] = NULL;
        if (k == MRW_RASTER_MAP_BASE_COLOR || k == MRW_RASTER_MAP_NORMAL ||
            k == MRW_RASTER_MAP_CLEARCOAT_NORMAL) {
            continue;
        }
        textures[k] = texture_of(bytes, 1, 1, MRW_ENCODING_DATA);
        m->maps[k].texture = textures[k];
    }
}

/* The material that shows without maps what this one does with them (glTF 2.0, 3.9, and the
 * extensions: which channel of which map multiplies what). */
static mrw_raster_material multiplied(const mrw_raster_material *m, double texel[TEXELS][4])
{
    mrw_raster_material out = *m;
    out.metallic *=
        (float)(texel[MRW_RASTER_MAP_METALLIC_ROUGHNESS][2] * texel[MRW_RASTER_MAP_METALLIC][0]);
    out.roughness *=
        (float)(texel[MRW_RASTER_MAP_METALLIC_ROUGHNESS][1] * texel[MRW_RASTER_MAP_ROUGHNESS][0]);
    out.specular *= (float)texel[MRW_RASTER_MAP_SPECULAR_STRENGTH][3];
    out.glossiness *= (float)texel[MRW_RASTER_MAP_SPECULAR][3];
    out.clearcoat *= (float)texel[MRW_RASTER_MAP_CLEARCOAT][0];
    out.sheen_roughness *= (float)texel[MRW_RASTER_MAP_SHEEN_ROUGHNESS][3];
    out.clearcoat_roughness *= (float)texel[MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS][1];
    for (int k = 0; k < 3; k++) {
        out.specular_color[k] *= (float)texel[MRW_RASTER_MAP_SPECULAR][k];
        out.sheen_color[k] *= (float)texel[MRW_RASTER_MAP_SHEEN_COLOR][k];
        out.emissive[k] *= (float)texel[MRW_RASTER_MAP_EMISSIVE][k];
    }
    return out;
}

/* Karis 2013 with Fdez-Aguera 2019, a channel: `matt` around the normal, `mirror` around what is
 * mirrored. The integrals are those of environment_spec.h, which test_environment checks. */
static double double_around(const mrw_raster_material *m, int k, double base, double seen,
                            double matt, double mirror, bool compensated)
{
    float scale, bias;
    double f0[3], most = 0;
    const bool gloss = m->surface == MRW_SURFACE_SPECULAR_GLOSSINESS;
    const bool classic = m->surface == MRW_SURFACE_CLASSIC;
    double rough = gloss ? 1.0f - m->glossiness : m->roughness;
    double metal = gloss ? 0 : m->metallic, weight = gloss ? 1 : m->specular;
    for (int c = 0; c < 3; c++) {
        f0[c] = weight * (gloss ? m->specular_color[c]
                                : fmin((double)m->reflectance * m->specular_color[c], 1));
    }
    if (classic) { /* the weight is the reflectance at grazing angles */
        rough = double_classic(m, f0, &weight);
        metal = 0;
    }
    for (int c = 0; c < 3; c++) {
        most = fmax(most, f0[c]);
    }
    mrwi_shade_environment_brdf((float)rough, (float)seen, &scale, &bias);
    const double body = base * (gloss ? 1 - most : 1 - metal);
    const double own = f0[k] * (1 - metal) + base * metal, grazing = weight * (1 - metal) + metal;
    const double once = own * scale + grazing * bias, lost = 1 - (scale + bias);
    double kept = 1 - (most * scale + weight * bias), more = 0;
    if (compensated) {
        const double mean = own + (1 - own) / 21, mean_below = most + (1 - most) / 21;
        more = once * mean * lost / (1 - mean * lost);
        kept -= (most * scale + weight * bias) * mean_below * lost / (1 - mean_below * lost);
    }
    return (body * kept + more) * matt + once * mirror;
}

/* A surface along Z, seen from (0.6, 0, 0.8), which mirrors what comes from (-0.6, 0, 0.8); the sky
 * is at +X: a fifth of it is mirrored, a half falls on what is matt. */
static void expect_maps(scene *s, const mrw_raster_material *m, double occlusion, double out[3])
{
    const mrw_lighting *all = &s->frame.lighting;
    const double n[3] = {0, 0, 1}, none[3] = {0, 0, 0}, seen = 0.8;
    double direct[4] = {m->base_color[0], m->base_color[1], m->base_color[2], 1};
    mrwi_shade_frame lamps = s->frame;
    mrw_raster_material below = *m, coat = *m;
    float scale, bias;
    memset(lamps.lighting.sky, 0, sizeof lamps.lighting.sky);
    memset(lamps.lighting.ground, 0, sizeof lamps.lighting.ground);
    double_light(&lamps, m, 0, n, none, 0, 0, direct); /* with emission and coat */
    below.clearcoat = 0;
    coat.roughness = m->clearcoat_roughness;
    mrwi_shade_environment_brdf(coat.roughness, (float)seen, &scale, &bias);
    const double share = m->clearcoat * double_fresnel(0.04, 1, seen);
    for (int k = 0; k < 3; k++) {
        const double matt = 0.5 * (all->sky[k] + all->ground[k]);
        const double mirror = 0.2 * all->sky[k] + 0.8 * all->ground[k];
        const double around = double_around(&below, k, m->base_color[k], seen, matt, mirror,
                                            all->environment_compensation);
        out[k] = direct[k] + around * occlusion * (1 - share) +
                 mirror * (0.04 * (double)scale + (double)bias) * m->clearcoat;
    }
}

static float random_part(float least, float most)
{
    return least + (most - least) * (float)random_below(1001) / 1000.0f;
}

START_TEST(maps_by_evaluation)
{
    for (int round = 0; round < TEST_ROUNDS(120); round++) {
        scene *s = hand_lit_scene();
        mrw_raster_material *m = &s->materials[0];
        mrw_raster_texture *textures[TEXELS];
        double texel[TEXELS][4], expected[3];
        m->surface = (mrw_surface)(round % 3);
        m->metallic = random_part(0.2f, 1);
        m->roughness = random_part(0.6f, 1);
        m->glossiness = random_part(0, 0.7f);
        m->reflectance = 0.04f;
        m->specular = random_part(0.3f, 1);
        m->shininess = random_part(1, 30);
        m->clearcoat = round / 3 % 2 ? random_part(0.3f, 1) : 0;
        m->clearcoat_roughness = random_part(0.6f, 1);
        m->occlusion_strength = random_part(0.3f, 1);
        for (int k = 0; k < 3; k++) { /* 0.04 times 50 is more than all */
            m->base_color[k] = random_part(0.1f, 0.9f);
            m->specular_color[k] = random_part(
                0, m->surface == MRW_SURFACE_METALLIC_ROUGHNESS && round % 4 == 0 ? 50.0f : 1.0f);
            m->emissive[k] = random_part(0, 0.5f);
            s->frame.lighting.sky[k] = random_part(0, 1);
            s->frame.lighting.ground[k] = random_part(0, 1);
        }
        put_texels(m, textures, texel);
        memcpy(s->frame.lighting.up, (float[3]){1, 0, 0}, sizeof s->frame.lighting.up);
        memcpy(s->frame.ray0, (float[3]){0.6f, 0, 0.8f}, sizeof s->frame.ray0);
        memcpy(s->lights[0].to_light, (float[3]){0, 0.6f, 0.8f}, sizeof s->lights[0].to_light);
        mrwi_shade_prepare_lights(&s->frame.lighting, s->prepared);
        s->frame.lighting.environment_compensation = round / 6 % 2;
        s->frame.lighting.wide_highlights = round / 3 % 2;
        const mrw_raster_material without = multiplied(m, texel);
        expect_maps(s, &without,
                    1 + (texel[MRW_RASTER_MAP_OCCLUSION][0] - 1) * m->occlusion_strength, expected);
        for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            float rgba[4];
            if (!mrw_isa_available(isa)) {
                continue;
            }
            shade_one_with(isa, s, 1.5f, 1.5f, rgba);
            for (int k = 0; k < 3; k++) {
                ck_assert_msg(fabs((double)rgba[k] - expected[k]) < 1e-3 * (1 + expected[k]),
                              "round %d, isa %d, channel %d: %g, not %g", round, (int)isa, k,
                              (double)rgba[k], expected[k]);
            }
        }
        for (int k = 0; k < TEXELS; k++) {
            mrw_raster_texture_free(textures[k]);
        }
        scene_free(s);
    }
}
END_TEST

/* Radiance of a white metal along Z under L(l) = 1 + 0.8 l.x, seen from v: sums over the hemisphere
 * of appendix B's D V (n.l) L. */
static double metal_under_slope(double roughness, const double v[3])
{
    const int rows = 200, columns = 400;
    const double n[3] = {0, 0, 1}, part = 2 * 3.14159265358979 / (rows * columns);
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < columns; k++) {
            const double z = (i + 0.5) / rows, across = sqrt(1 - z * z);
            const double turn = 2 * 3.14159265358979 * (k + 0.5) / columns;
            const double l[3] = {across * cos(turn), across * sin(turn), z};
            sum +=
                double_lobe(roughness, 0, n, v, l) / 3.14159265358979 * z * (1 + 0.8 * l[0]) * part;
        }
    }
    return sum;
}

/* The slope shows where a rough surface mirrors from: within 0.04 of the sums, from all sides. */
START_TEST(rough_metals_by_integrals)
{
    enum { WIDTH = 128, HEIGHT = 64 };
    static float picture[HEIGHT][WIDTH][3];
    static const double seen[4] = {0.95, 0.8, 0.6, 0.35};
    mrw_environment *environment;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const double polar = 3.14159265358979 * (y + 0.5) / HEIGHT;
            const double turn = 2 * 3.14159265358979 * ((x + 0.5) / WIDTH - 0.5);
            picture[y][x][0] = picture[y][x][1] = picture[y][x][2] =
                (float)(1 + 0.8 * sin(polar) * cos(turn));
        }
    }
    ck_assert_int_eq(
        mrw_environment_create(picture[0][0], WIDTH, HEIGHT, false, 1, &environment, NULL), MRW_OK);
    scene *s = hand_lit_scene();
    s->frame.lighting.light_count = 0;
    memset(s->frame.lighting.sky, 0, sizeof s->frame.lighting.sky);
    memset(s->frame.lighting.ground, 0, sizeof s->frame.lighting.ground);
    mrw_environment_place(environment, 0, 1, NULL, &s->frame.lighting);
    s->materials[0].metallic = 1;
    for (int i = 0; i < 32; i++) {
        const double z = seen[i / 8], x = (i % 2 ? -1 : 1) * sqrt(1 - z * z), v[3] = {x, 0, z};
        const double roughness = 0.25 + 0.25 * (i / 2 % 4);
        float rgba[4];
        memcpy(s->frame.ray0, (float[3]){(float)x, 0, (float)z}, sizeof s->frame.ray0);
        s->materials[0].roughness = (float)roughness;
        shade_one(s, 1.5f, 1.5f, rgba);
        const double expected = metal_under_slope(roughness, v);
        ck_assert_msg(fabs((double)rgba[0] - expected) < 0.04, "n.v %g, roughness %g: %g, not %g",
                      z, roughness, (double)rgba[0], expected);
    }
    mrw_environment_free(environment);
    scene_free(s);
}
END_TEST

START_TEST(alpha_premultiplies_blended_draws_only)
{
    scene *s = flat_scene(0.0f, 0.0f);
    float rgba[4];
    memcpy(s->materials[0].base_color, (float[4]){1.0f, 0.5f, 0.25f, 0.5f}, 4 * sizeof(float));
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert(rgba[0] == 1.0f && rgba[1] == 0.5f && rgba[2] == 0.25f && rgba[3] == 1.0f);
    s->materials[0].alpha_mode = 2;
    shade_one(s, 1.5f, 1.5f, rgba);
    ck_assert(rgba[0] == 0.5f && rgba[1] == 0.25f && rgba[2] == 0.125f && rgba[3] == 0.5f);
    scene_free(s);
}
END_TEST

/* ---- mip pyramids ---------------------------------------------------------------------------- */

START_TEST(plain_textures_stay_plain)
{
    static const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {5, 3}, {1, 9}, {64, 31}, {100, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t w = sizes[i][0], h = sizes[i][1];
        uint8_t *rgba = malloc((size_t)w * h * 4);
        for (uint32_t k = 0; k < w * h; k++) {
            memcpy(rgba + 4 * k, (uint8_t[4]){200, 100, 255, 77}, 4);
        }
        mrw_raster_texture *texture = texture_of(rgba, w, h, MRW_ENCODING_COLOR);
        const uint16_t expected[4] = {mrwi_image_srgb_to_linear16[200],
                                      mrwi_image_srgb_to_linear16[100], 65535, 77 * 257};
        const mrwi_shade_texture_level *last =
            &texture->layout.levels[texture->layout.level_count - 1];
        ck_assert(last->width == 1.0f && last->height == 1.0f);
        for (int32_t k = 0; k < last->first + 4; k++) {
            ck_assert(memcmp(texture->texels + 4 * k, expected, sizeof expected) == 0);
        }
        /* as many texels of 8 bytes as --texture-memory counts, beside the 4 of each in the scene
         */
        ck_assert_uint_eq(mrw_image_memory(w, h),
                          (uint64_t)w * h * 4 + (uint64_t)(last->first + 4) * 8);
        mrw_raster_texture_free(texture);
        free(rgba);
    }
}
END_TEST

/* A row of raw values 0, 10, 20 ... (times 257): pairs average, odd lengths weigh three texels. */
START_TEST(gradients_by_hand)
{
    static const struct {
        uint32_t width, levels;
        double level1[3];
    } cases[] = {
        {2, 2, {5, 0, 0}},
        {3, 2, {10, 0, 0}},
        {4, 3, {5, 25, 0}},
        {5, 3, {(2 * 0 + 2 * 10 + 20) / 5.0, (20 + 2 * 30 + 2 * 40) / 5.0, 0}},
        {7,
         3,
         {(3 * 0 + 3 * 10 + 20) / 7.0, (2 * 20 + 3 * 30 + 2 * 40) / 7.0,
          (40 + 3 * 50 + 3 * 60) / 7.0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t w = cases[i].width;
        for (int turned = 0; turned < 2; turned++) {
            uint8_t rgba[7 * 4];
            for (uint32_t k = 0; k < w; k++) {
                memset(rgba + 4 * k, (int)(10 * k), 4);
            }
            mrw_raster_texture *t =
                texture_of(rgba, turned ? 1 : w, turned ? w : 1, MRW_ENCODING_RAW);
            ck_assert_uint_eq(t->layout.level_count, cases[i].levels);
            const mrwi_shade_texture_level *level = &t->layout.levels[1];
            ck_assert_uint_eq((uint32_t)(turned ? level->height : level->width), w / 2);
            for (uint32_t k = 0; k < w / 2; k++) {
                int32_t texel = level->first + (int32_t)k * (turned ? level->stride : 1);
                double got = t->texels[4 * texel] / 257.0;
                ck_assert_double_lt(fabs(got - cases[i].level1[k]), 0.5 / 257 + 1e-9);
            }
            mrw_raster_texture_free(t);
        }
    }
}
END_TEST

/* The column behind the last and the row below repeat the first ones. */
START_TEST(levels_are_padded)
{
    uint8_t rgba[6 * 5 * 4];
    for (size_t i = 0; i < sizeof rgba; i++) {
        rgba[i] = (uint8_t)(i * 7);
    }
    mrw_raster_texture *t = texture_of(rgba, 6, 5, MRW_ENCODING_RAW);
    for (uint32_t n = 0; n < t->layout.level_count; n++) {
        const uint16_t *texels = t->texels + 4 * t->layout.levels[n].first;
        int w = (int)t->layout.levels[n].width, h = (int)t->layout.levels[n].height;
        for (int y = 0; y <= h; y++) {
            for (int x = 0; x <= w; x++) {
                ck_assert(memcmp(texels + 4 * (y * (w + 1) + x),
                                 texels + 4 * (y % h * (w + 1) + x % w), 8) == 0);
            }
        }
    }
    ck_assert_uint_eq(t->texels[4 * 7], rgba[6 * 4] * 257u);
    mrw_raster_texture_free(t);
}
END_TEST

START_TEST(bad_textures_are_refused)
{
    static const uint8_t texel[4];
    mrw_raster_texture *texture;
    mrw_error error;
    ck_assert_int_eq(mrw_raster_texture_create(texel, 0, 1, MRW_ENCODING_COLOR, &texture, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "0x1"));
    ck_assert_int_eq(
        mrw_raster_texture_create(texel, 1, 16385, MRW_ENCODING_COLOR, &texture, &error),
        MRW_ERROR_INPUT);
    for (uint64_t n = 1; n <= 2; n++) {
        mrwi_base_alloc_fail_at(n);
        ck_assert_int_eq(
            mrw_raster_texture_create(texel, 1, 1, MRW_ENCODING_COLOR, &texture, &error),
            MRW_ERROR_MEMORY);
        ck_assert_ptr_null(texture);
    }
    mrwi_base_alloc_fail_at(0);
    mrw_raster_texture_free(NULL);
}
END_TEST

/* ---- encoding -------------------------------------------------------------------------------- */

typedef void isa_test(const mrwi_shade_kernels *kernels);

static void for_each_isa(isa_test test)
{
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (isa == MRW_ISA_SCALAR || mrw_isa_available(isa)) {
            test(mrwi_shade_kernels_for(isa));
        }
    }
}

/* Nothing over every background byte, every alpha: comes out as written. */
static void check_backgrounds(const mrwi_shade_kernels *kernels)
{
    static const float nothing[1][4];
    for (uint32_t i = 0; i < 256 * 256; i++) {
        uint8_t byte = (uint8_t)i, alpha = (uint8_t)(i >> 8), out[4];
        uint8_t ground[4] = {byte, (uint8_t)(byte ^ 0x5a), (uint8_t)(255 - byte), alpha};
        float linear[4];
        for (int raw = 0; raw < 2; raw++) {
            mrwi_shade_background_of(ground, raw, linear);
            kernels->encode(nothing, 1, linear, 4, raw ? raw_bytes : plain, out);
            if (alpha == 0) {
                ck_assert(memcmp(out, (uint8_t[4]){0, 0, 0, 0}, 4) == 0);
            } else {
                ck_assert(memcmp(out, ground, 4) == 0);
            }
            if (alpha == 255) {
                kernels->encode(nothing, 1, linear, 3, raw ? raw_bytes : plain, out);
                ck_assert(memcmp(out, ground, 3) == 0);
            }
        }
    }
}

START_TEST(backgrounds_come_out_as_written)
{
    for_each_isa(check_backgrounds);
}
END_TEST

/* All floats from 0 to beyond 1 in steps of 97 ulps, and both sides of each threshold. */
static void check_encode_dense(const mrwi_shade_kernels *kernels)
{
    static const float no_background[4];
    uint32_t bits = 0x38000000;
    for (int done = 0; !done;) {
        float rgba[96][4];
        uint8_t out[96 * 3];
        for (int i = 0; i < 96; i++) {
            for (int c = 0; c < 3; c++, bits += 97) {
                memcpy(&rgba[i][c], &bits, sizeof bits);
            }
            rgba[i][3] = 1.0f;
        }
        kernels->encode((const float(*)[4])rgba, 96, no_background, 3, plain, out);
        for (int i = 0; i < 96 * 3; i++) {
            ck_assert_uint_eq(out[i], mrwi_image_linear_to_srgb8(rgba[i / 3][i % 3]));
        }
        done = bits > 0x3f900000;
    }
    for (int i = 0; i < 255; i++) {
        float at = mrwi_image_srgb_thresholds[i];
        float rgba[1][4] = {{at, nextafterf(at, 0.0f), nextafterf(at, 2.0f), 1.0f}};
        uint8_t out[3];
        kernels->encode((const float(*)[4])rgba, 1, no_background, 3, plain, out);
        ck_assert(out[0] == i + 1 && out[1] == i && out[2] == i + 1);
    }
}

START_TEST(encoding_is_exact)
{
    for_each_isa(check_encode_dense);
}
END_TEST

/* The thresholds are where they belong: halfway between neighbouring bytes, to 1e-6. */
START_TEST(encoding_rounds_to_the_nearest_byte)
{
    static const float no_background[4];
    for (int b = 0; b < 256; b++) {
        float rgba[1][4] = {{(float)srgb_to_linear(b / 255.0),
                             (float)srgb_to_linear((b + 0.49) / 255),
                             (float)srgb_to_linear((b - 0.49) / 255), 1.0f}};
        uint8_t out[3];
        mrwi_shade_kernels_for(MRW_ISA_SCALAR)
            ->encode((const float(*)[4])rgba, 1, no_background, 3, plain, out);
        ck_assert(out[0] == b && out[1] == b && out[2] == b);
    }
}
END_TEST

/* Values no picture should have become some byte, the same everywhere. */
static void check_encode_odd(const mrwi_shade_kernels *kernels)
{
    static const float clear[4];
    static const float rgba[3][4] = {
        {NAN, -1.0f, INFINITY, 1.0f}, {0.25f, 1e30f, -INFINITY, 0.5f}, {0.0f, 1e-45f, 0.0f, 2.0f}};
    static const uint8_t rgb[9] = {0, 0, 255, 137, 255, 0, 0, 0, 0};
    static const uint8_t rgba_bytes[12] = {0, 0, 255, 255, 188, 255, 0, 128, 0, 0, 0, 255};
    uint8_t out[12];
    kernels->encode(rgba, 3, clear, 3, plain, out);
    ck_assert(memcmp(out, rgb, 9) == 0);
    kernels->encode(rgba, 3, clear, 4, plain, out);
    ck_assert(memcmp(out, rgba_bytes, 12) == 0);
}

START_TEST(encoding_survives_odd_values)
{
    for_each_isa(check_encode_odd);
}
END_TEST

/* Half-covered white over black, and over a half-transparent white ground. */
static void check_compositing(const mrwi_shade_kernels *kernels)
{
    static const float half[1][4] = {{0.5f, 0.5f, 0.5f, 0.5f}};
    uint8_t out[4];
    kernels->encode(half, 1, (float[4]){0, 0, 0, 1}, 3, raw_bytes, out);
    ck_assert_uint_eq(out[0], 128);
    kernels->encode(half, 1, (float[4]){0, 0, 0, 1}, 3, plain, out);
    ck_assert_uint_eq(out[0], 188); /* sRGB of 0.5 is 187.5 */
    kernels->encode(half, 1, (float[4]){0, 0, 0, 0}, 4, plain, out);
    ck_assert(out[0] == 255 && out[3] == 128);
    kernels->encode(half, 1, (float[4]){0.5f, 0.5f, 0.5f, 0.5f}, 4, plain, out);
    ck_assert(out[0] == 255 && out[3] == 191); /* 0.75 */
}

START_TEST(compositing_by_hand)
{
    for_each_isa(check_compositing);
}
END_TEST

/* Any number of pixels: none is missed, nothing is written behind the last. */
static void check_encode_counts(const mrwi_shade_kernels *kernels)
{
    float rgba[300][4];
    for (int i = 0; i < 300; i++) {
        for (int c = 0; c < 4; c++) {
            rgba[i][c] = c == 3 ? 1.0f : (float)((i * 3 + c) % 256) / 255.0f;
        }
    }
    for (uint32_t count = 0; count <= 300; count += count < 20 ? 1 : 20) {
        uint8_t out[300 * 4 + 1];
        for (uint32_t channels = 3; channels <= 4; channels++) {
            memset(out, 0xcd, sizeof out);
            kernels->encode((const float(*)[4])rgba, count, (float[4]){0}, channels, raw_bytes,
                            out);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t c = 0; c < 3; c++) {
                    ck_assert_uint_eq(out[i * channels + c], (i * 3 + c) % 256);
                }
            }
            ck_assert_uint_eq(out[count * channels], 0xcd);
        }
    }
}

START_TEST(encoding_takes_any_count)
{
    for_each_isa(check_encode_counts);
}
END_TEST

/* Raw mode shows the bytes of a plain texture. */
START_TEST(raw_bytes_come_out)
{
    const mrwi_shade_kernels *kernels = mrwi_shade_kernels_for(MRW_ISA_SCALAR);
    for (int b = 0; b < 256; b++) {
        uint8_t rgba[12], out[3];
        memset(rgba, b, sizeof rgba);
        scene *s = flat_scene(0.7f, 0.3f);
        mrw_raster_texture *texture = texture_of(rgba, 3, 1, MRW_ENCODING_RAW);
        s->materials[0].maps[0].texture = texture;
        float color[1][4];
        shade_one(s, 12.5f, 40.5f, color[0]);
        kernels->encode((const float(*)[4])color, 1, (float[4]){0}, 3, raw_bytes, out);
        ck_assert(out[0] == b && out[1] == b && out[2] == b);
        mrw_raster_texture_free(texture);
        scene_free(s);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("shade");
    TCase *tc = tcase_create("shade");
    tcase_add_checked_fixture(tc, begin_random, NULL);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, kernels_agree_on_every_short_count);
    tcase_add_test(tc, kernels_agree_on_long_lists);
    tcase_add_test(tc, kernels_agree_on_damage);
    tcase_add_test(tc, kernels_agree_on_wraps);
    tcase_add_test(tc, kernels_agree_on_data);
    tcase_add_test(tc, scalar_agrees_with_double);
    tcase_add_test(tc, scalar_agrees_with_double_raw);
    tcase_add_test(tc, scalar_agrees_with_double_on_data);
    tcase_add_test(tc, slivers_keep_their_attributes);
    tcase_add_test(tc, horizon_keeps_its_attributes);
    tcase_add_test(tc, footprint_chooses_the_level);
    tcase_add_test(tc, level_is_a_logarithm);
    tcase_add_test(tc, far_checker_turns_grey);
    tcase_add_test(tc, wraps_blend_by_hand);
    tcase_add_test(tc, light_by_hand);
    tcase_add_test(tc, light_from_all_around);
    tcase_add_test(tc, placed_lights_by_hand);
    tcase_add_test(tc, flat_triangles_by_hand);
    tcase_add_test(tc, normal_maps_by_hand);
    tcase_add_test(tc, maps_by_evaluation);
    tcase_add_test(tc, rough_metals_by_integrals);
    tcase_add_test(tc, sheen_by_an_evaluator);
    tcase_add_test(tc, averaged_normals_widen_highlights);
    tcase_add_test(tc, alpha_premultiplies_blended_draws_only);
    tcase_add_test(tc, plain_textures_stay_plain);
    tcase_add_test(tc, gradients_by_hand);
    tcase_add_test(tc, levels_are_padded);
    tcase_add_test(tc, bad_textures_are_refused);
    tcase_add_test(tc, backgrounds_come_out_as_written);
    tcase_add_test(tc, encoding_is_exact);
    tcase_add_test(tc, encoding_rounds_to_the_nearest_byte);
    tcase_add_test(tc, encoding_survives_odd_values);
    tcase_add_test(tc, compositing_by_hand);
    tcase_add_test(tc, encoding_takes_any_count);
    tcase_add_test(tc, raw_bytes_come_out);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
