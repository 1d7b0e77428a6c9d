/* kernels_shade.h: the kernels of shading: colours of fragments, their alpha, and encoding.
 * Vertices are as the vertex stage leaves them, in the worst case: finite, anywhere within the
 * guard band. test_shade.c has the scenes that are made for one feature each. */
#ifndef MARROW_TEST_KERNELS_SHADE_H
#define MARROW_TEST_KERNELS_SHADE_H

#include "tone_fixture.h"

#include "shade/shade.h"

enum { SHADE_COLOR, SHADE_ALPHA, SHADE_ENCODE /* plus a mrwi_shade_curve */ };

#define SHADE_TRIANGLES 120
#define SHADE_DRAWS     6
#define SHADE_TEXTURES  4
#define SHADE_LIGHTS    9
#define SHADE_DEPTHS    51200 /* more than mrw_shadow_floats of all maps below */
#define SHADE_PIXELS    64    /* a side of the picture that knows of ambient occlusion */
#define SHADE_SHIFT     16    /* lists begin at any float of a cache line */
#define SHADE_ROOM      (MRWI_SHADE_LIST_MAX + MRWI_SHADE_LIST_PAD + SHADE_SHIFT)
#define SHADE_GUARD     0xA5
#define SHADE_SHORT     33 /* two registers of the widest, and one fragment */

/* The memory of all lists. */
_Alignas(64) static uint8_t shade_memory[MRWI_SHADE_MEMORY];

typedef struct shade_scene {
    mrwi_shade_vertex vertices[3 * SHADE_TRIANGLES] __attribute__((aligned(64)));
    float streams[MRWI_SHADE_STREAM_COUNT][3 * SHADE_TRIANGLES][4] __attribute__((aligned(64)));
    mrwi_shade_triangle triangles[SHADE_TRIANGLES] __attribute__((aligned(64)));
    mrw_raster_draw draws[SHADE_DRAWS];
    mrw_raster_material materials[SHADE_DRAWS];
    mrw_raster_texture *textures[SHADE_TEXTURES], *matcap;
    mrw_light lights[SHADE_LIGHTS];
    mrwi_shade_light prepared[SHADE_LIGHTS];
    mrw_environment *studio;
    mrw_shadow_map maps[SHADE_LIGHTS];
    mrwi_shade_shadow shadows[MRW_SHADOW_LIGHTS];
    float depths[SHADE_DEPTHS];
    mrw_raster_occlusion occlusion;
    float openness[2][(SHADE_PIXELS + 2) * (SHADE_PIXELS + 2)];
    float x[SHADE_ROOM], y[SHADE_ROOM];
    uint32_t triangle[SHADE_ROOM];
    mrwi_shade_frame frame;
} shade_scene;

static shade_scene shade_in;

static const void *shade_table(mrw_isa isa)
{
    return mrwi_shade_kernels_for(isa);
}

static void free_shade_textures(void)
{
    for (int i = 0; i < SHADE_TEXTURES; i++) {
        mrw_raster_texture_free(shade_in.textures[i]);
    }
    mrw_raster_texture_free(shade_in.matcap);
    shade_in.matcap = NULL;
    mrw_environment_free(shade_in.studio);
    shade_in.studio = NULL;
    memset(shade_in.textures, 0, sizeof shade_in.textures);
}

static void make_shade_textures(bool raw)
{
    static const uint32_t sizes[SHADE_TEXTURES][2] = {{1, 1}, {32, 32}, {13, 7}, {64, 3}};
    const mrw_encoding encodings[2] = {raw ? MRW_ENCODING_RAW : MRW_ENCODING_COLOR,
                                       MRW_ENCODING_DATA};
    uint8_t texels[32 * 32 * 4];
    mrw_error error;
    free_shade_textures();
    for (int i = 0; i < SHADE_TEXTURES; i++) {
        random_bytes(texels, sizeof texels, 256);
        const mrw_encoding encoding = encodings[random_below(2)];
        ck_assert_int_eq(mrw_raster_texture_create(NULL, sizes[i][0], sizes[i][1], encoding,
                                                   &shade_in.textures[i], &error),
                         MRW_OK);
        if (encoding == MRW_ENCODING_DATA && i % 3 != 0) { /* of any map but normals, too */
            mrw_raster_texture_set_alpha(shade_in.textures[i], MRW_TEXTURE_ALPHA_SPREAD, 0);
        }
        ck_assert_int_eq(mrw_raster_texture_fill(shade_in.textures[i], texels, 0, &error), MRW_OK);
    }
    ck_assert_int_eq(
        mrw_raster_texture_create(texels, 27, 27, encodings[0], &shade_in.matcap, &error), MRW_OK);
}

static mrw_raster_map random_map(const mrw_raster_texture *texture)
{
    return (mrw_raster_map){.texture = texture,
                            .wrap_u = random_below(3),
                            .wrap_v = random_below(3),
                            .nearest = random_below(3) == 0,
                            .minify = random_below(2) * random_below(6),
                            .uvs = random_below(1 + MRW_RASTER_MORE_UVS)};
}

/* Each with some of the maps that its surface has, or with all of them. */
static void make_shade_materials(void)
{
    static const float there[4];
    for (uint32_t i = 0; i < SHADE_DRAWS; i++) {
        const uint32_t sparse = 1 + random_below(6);
        mrw_raster_material *m = &shade_in.materials[i];
        *m = (mrw_raster_material){.base_color = {0.9f, 0.8f, 0.7f, 0.6f},
                                   .alpha_mode = random_below(3),
                                   .alpha_cutoff = 0.5f,
                                   .unlit = i == 4,
                                   .surface = (mrw_surface)random_below(3),
                                   .metallic = fabsf(random_unit()),
                                   .roughness = fabsf(random_unit()),
                                   .reflectance = 0.04f,
                                   .specular = fabsf(random_unit()),
                                   .specular_color = {1.0f, 0.8f, 0.6f},
                                   .glossiness = fabsf(random_unit()),
                                   .shininess = (float)(random_below(200)),
                                   .normal_scale = 1.0f + random_unit(),
                                   .clearcoat_normal_scale = 1.0f,
                                   .occlusion_strength = fabsf(random_unit()),
                                   .clearcoat = random_below(2) ? 0.8f : 0.0f,
                                   .clearcoat_roughness = 0.2f,
                                   .sheen_roughness = fabsf(random_unit())};
        m->sheen_color[i % 3] = random_below(3) == 0 ? 0.7f : 0.0f;
        m->emissive[i % 3] = random_below(2) ? 0.3f : 0.0f;
        if (random_below(3) == 0) { /* as most are */
            m->metallic = 0.0f;
            m->specular_color[1] = m->specular_color[2] = 1.0f;
        }
        for (uint32_t k = 0; k < MRW_RASTER_MAP_COUNT && i > 0; k++) {
            const bool first = k == MRW_RASTER_MAP_BASE_COLOR;
            if (first ? i % 3 != 0 : random_below(sparse) == 0) {
                m->maps[k] = random_map(shade_in.textures[random_below(SHADE_TEXTURES)]);
            }
            if (k > 0 && random_below(2)) { /* as another one lies */
                m->maps[k] = m->maps[random_below(k)];
            }
        }
        shade_in.draws[i] = (mrw_raster_draw){.colors = i % 2 == 0 ? there : NULL,
                                              .tangents = random_below(4) ? there : NULL,
                                              .flat = random_below(4) == 0,
                                              .mirrored = random_below(2),
                                              .ground = (mrw_ground)(i == 5 ? random_below(3) : 0),
                                              .material = m};
    }
}

/* Of some lights, over places up to a unit from the middle; what they saw is noise. */
static void make_shade_shadows(void)
{
    static const float softnesses[] = {0.0f, 4.0f, 30.0f, 100.0f}; /* texels per depth */
    const bool any = random_below(2);
    for (int i = 0; i < SHADE_DEPTHS; i++) {
        shade_in.depths[i] = random_below(8) ? fabsf(random_unit()) : 1.0f;
    }
    for (int i = 0; i < SHADE_LIGHTS; i++) {
        const bool cube = random_below(3) == 0, perspective = cube || random_below(2);
        mrw_shadow_map *map = &shade_in.maps[i];
        *map = (mrw_shadow_map){.faces = cube ? MRW_SHADOW_FACES : 1,
                                .size = cube ? 64 : 128,
                                .stride = cube ? 64 : 160,
                                .depths = shade_in.depths,
                                .softness = softnesses[random_below(4)],
                                .widest = 60.0f,
                                .levels = (uint32_t)random_below(5),
                                .lift = random_below(2) ? 0.01f : 0.0f,
                                .perspective = perspective,
                                .origin = {0.3f * random_unit(), random_unit(), random_unit()},
                                .right = {0.6f, 0.0f, 0.8f},
                                .down = {0.0f, -1.0f, 0.0f},
                                .forward = {-0.8f, 0.0f, 0.6f},
                                .texels = 30.0f,
                                .depth_offset = perspective ? 1.1f : 0.2f,
                                .depth_scale = perspective ? -0.1f : 0.4f};
        shade_in.lights[i].shadow = any && random_below(3) ? map : NULL;
    }
}

/* Depths like those of fragments, and others. */
static void make_shade_occlusion(void)
{
    const size_t row = SHADE_PIXELS + 2;
    for (size_t i = 0; i < row * row; i++) {
        shade_in.openness[0][i] = random_below(4) ? 0.3f * random_unit() : 1e9f;
        shade_in.openness[1][i] = fabsf(random_unit());
    }
    shade_in.occlusion = (mrw_raster_occlusion){.visibility = shade_in.openness[1] + row + 1,
                                                .depths = shade_in.openness[0] + row + 1,
                                                .stride = SHADE_PIXELS + 2,
                                                .axis = {0.3f, -0.2f, 0.1f, 0.05f}};
    shade_in.frame.occlusion = random_below(2) ? &shade_in.occlusion : NULL;
    shade_in.frame.width = shade_in.frame.height = SHADE_PIXELS;
}

static void make_shade_frame(void)
{
    static const mrw_light pair[2] = {
        {.to_light = {0.6f, 0.0f, 0.8f}, .color = {0.5f, 0.4f, 0.3f}, .specular = 0.5f},
        {.to_light = {-0.48f, 0.64f, 0.6f}, .color = {0.1f, 0.2f, 0.3f}}};
    const bool placed = random_below(2);
    const float ambient = random_below(3) ? 1.0f : 0.0f;
    for (int i = 0; i < SHADE_LIGHTS; i++) {
        shade_in.lights[i] = pair[i % 2];
        shade_in.lights[i].type = placed ? (mrw_light_type)random_below(3) : MRW_LIGHT_DIRECTIONAL;
        shade_in.lights[i].range = random_below(2) ? 2.0f : 0.0f;
        shade_in.lights[i].inner_cone = 0.3f;
        shade_in.lights[i].outer_cone = 0.3f + fabsf(random_unit());
        for (int k = 0; k < 3; k++) {
            shade_in.lights[i].position[k] = 3.0f * random_unit();
        }
    }
    make_shade_shadows();
    const mrw_lighting lighting = {.lights = shade_in.lights,
                                   .light_count = 1 + random_below(SHADE_LIGHTS),
                                   .up = {0.0f, 1.0f, 0.0f},
                                   .sky = {0.30f * ambient, 0.32f * ambient, 0.35f * ambient},
                                   .ground = {0.10f * ambient, 0.08f * ambient, 0.06f * ambient}};
    if (!shade_in.studio) {
        ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_SOFT, 1, &shade_in.studio, NULL),
                         MRW_OK);
    }
    shade_in.frame = (mrwi_shade_frame){.vertices = shade_in.vertices,
                                        .triangles = shade_in.triangles,
                                        .draws = shade_in.draws,
                                        .lighting = lighting,
                                        .lights = shade_in.prepared,
                                        .placed_lights = placed,
                                        .matcap = shade_in.matcap,
                                        .up = {0.1f, 0.8f, -0.2f},
                                        .ray0 = {-0.5f, 0.5f, 2.0f},
                                        .ray_dx = {1e-3f, 0.0f, 1e-5f},
                                        .ray_dy = {0.0f, -1e-3f, 1e-5f}};
    if (random_below(2)) {
        mrw_environment_place(shade_in.studio, 360.0f * random_unit(), 0.5f, NULL,
                              &shade_in.frame.lighting);
        shade_in.frame.lighting.environment_compensation = random_below(2);
    }
    shade_in.frame.lighting.wide_highlights = random_below(2);
    for (int k = 0; k < MRWI_SHADE_STREAM_COUNT; k++) {
        shade_in.frame.streams[k] = (const float(*)[4])shade_in.streams[k];
    }
    make_shade_occlusion();
}

/* A place within the guard band, a multiple of 1/256. */
static float shade_place(float reach)
{
    return floorf(random_unit() * reach * 256.0f) / 256.0f;
}

static float random_coordinate(enum numbers numbers)
{
    const float u = 2.0f * random_number(numbers);
    return isfinite(u) ? u : 0.0f; /* twice the largest */
}

static mrwi_shade_vertex random_shade_vertex(float reach, enum numbers numbers)
{
    const float weight = random_number(numbers);
    mrwi_shade_vertex v = {.x = shade_place(reach),
                           .y = shade_place(reach),
                           .inv_w = numbers == ORDINARY ? 1.1f + weight : fabsf(weight),
                           .u = random_coordinate(numbers),
                           .v = random_coordinate(numbers),
                           .nx = random_number(numbers),
                           .ny = random_number(numbers),
                           .nz = random_number(numbers)};
    return v;
}

/* Runs of a triangle, and any others. */
static void random_fragments(void)
{
    for (uint32_t i = 0; i < SHADE_ROOM; i++) {
        const bool same = i > 0 && random_below(3) != 0;
        shade_in.triangle[i] = same ? shade_in.triangle[i - 1] : random_below(SHADE_TRIANGLES);
        const mrwi_shade_vertex *v = &shade_in.vertices[3 * shade_in.triangle[i]];
        shade_in.x[i] = floorf((v[0].x + v[1].x + v[2].x) / 3.0f) + 0.5f + (float)(i % 7);
        shade_in.y[i] = floorf((v[0].y + v[1].y + v[2].y) / 3.0f) + 0.5f - (float)(i % 5);
    }
}

/* Long runs of a triangle, side by side; some go to another row, leave a pixel out, or stand
 * between pixels. */
static void random_stretches(void)
{
    random_fragments();
    for (uint32_t i = 1; i < SHADE_ROOM; i++) {
        if (random_below(100) == 0) {
            continue;
        }
        const float gap = random_below(150) == 0 ? 2.0f : 1.0f;
        shade_in.triangle[i] = shade_in.triangle[i - 1];
        shade_in.x[i] = shade_in.x[i - 1] + gap;
        shade_in.y[i] = shade_in.y[i - 1];
        if (random_below(150) == 0) {
            shade_in.x[i] += (float)random_below(256) / 256.0f;
        }
        if (random_below(150) == 0) {
            shade_in.y[i] += (float)random_below(256) / 256.0f;
        }
    }
}

/* One in four becomes odd: never what is no number. */
static void spoil_numbers(float *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        if (random_below(4) == 0) {
            numbers[i] = random_number(ODD);
        }
    }
}

/* Lights, colours and the eye, of any size and sign. */
static void spoil_light(void)
{
    mrw_lighting *lighting = &shade_in.frame.lighting;
    lighting->light_count = random_below(SHADE_LIGHTS + 1);
    for (uint32_t i = 0; i < lighting->light_count; i++) {
        spoil_numbers(shade_in.lights[i].to_light, 3);
        spoil_numbers(shade_in.lights[i].color, 3);
        spoil_numbers(&shade_in.lights[i].specular, 1);
        spoil_numbers(shade_in.lights[i].position, 3);
        spoil_numbers(&shade_in.lights[i].range, 1);
        spoil_numbers(shade_in.maps[i].origin, 3);
        spoil_numbers(shade_in.maps[i].right, 3);
        spoil_numbers(shade_in.maps[i].forward, 3);
    }
    spoil_numbers(lighting->up, 3);
    spoil_numbers(lighting->sky, 3);
    spoil_numbers(lighting->ground, 3);
    spoil_numbers(shade_in.frame.up, 3);
    spoil_numbers(shade_in.frame.ray0, 3);
    spoil_numbers(shade_in.frame.ray_dx, 3);
    spoil_numbers(shade_in.frame.ray_dy, 3);
    for (int i = 0; i < SHADE_DRAWS; i++) {
        spoil_numbers(shade_in.materials[i].base_color, 4);
        spoil_numbers(&shade_in.materials[i].shininess, 1);
        spoil_numbers(&shade_in.materials[i].metallic, 1);
        spoil_numbers(&shade_in.materials[i].roughness, 1);
        spoil_numbers(&shade_in.materials[i].specular, 1);
        spoil_numbers(shade_in.materials[i].specular_color, 3);
        spoil_numbers(&shade_in.materials[i].glossiness, 1);
        spoil_numbers(shade_in.materials[i].emissive, 3);
        spoil_numbers(&shade_in.materials[i].normal_scale, 1);
        spoil_numbers(&shade_in.materials[i].occlusion_strength, 1);
        spoil_numbers(&shade_in.materials[i].clearcoat, 1);
        spoil_numbers(&shade_in.materials[i].sheen_roughness, 1);
    }
    for (int k = 0; k < MRWI_SHADE_UVS; k++) {
        spoil_numbers(shade_in.streams[k][0], 4 * 3 * SHADE_TRIANGLES);
    }
}

/* Where numbers are odd, triangles are sometimes lines or points, too. */
static void random_shade(enum numbers numbers)
{
    static const float reaches[] = {16384.0f, 2100.0f, 2048.0f, 1000.0f, 70.0f};
    const uint32_t size = random_below(16);
    const float reach = size < 5 ? reaches[size] : 200.0f;
    make_shade_materials();
    make_shade_frame();
    for (uint32_t i = 0; i < SHADE_TRIANGLES; i++) {
        mrwi_shade_vertex *v = &shade_in.vertices[3 * i];
        for (uint32_t k = 0; k < 3; k++) {
            v[k] = random_shade_vertex(reach, numbers);
            shade_in.triangles[i].vertex[k] = 3 * i + k;
            for (int c = 0; c < 4; c++) {
                for (int stream = 0; stream < MRWI_SHADE_STREAM_COUNT; stream++) {
                    shade_in.streams[stream][3 * i + k][c] =
                        stream >= MRWI_SHADE_UVS ? random_coordinate(numbers) : random_unit();
                }
                shade_in.streams[MRWI_SHADE_COLOR][3 * i + k][c] = fabsf(random_unit());
            }
        }
        shade_in.triangles[i].draw_flags = random_below(2 * SHADE_DRAWS);
        if (numbers != ORDINARY && random_below(4) == 0) {
            v[1] = v[0];
        }
        if (numbers != ORDINARY && random_below(8) == 0) {
            v[2].x = v[1].x = v[0].x;
        }
    }
    if (numbers != ORDINARY && random_below(2)) {
        spoil_light();
    }
    mrwi_shade_prepare_lights(&shade_in.frame.lighting, shade_in.prepared);
    shade_in.frame.shadows = shade_in.shadows;
    shade_in.frame.shadow_count =
        mrwi_shade_prepare_shadows(&shade_in.frame.lighting, shade_in.shadows);
    if (random_below(2)) {
        random_stretches();
    } else {
        random_fragments();
    }
}

/* What a kernel may write: the list and its padding; around it are guards. */
static void check_shade_guards(const uint8_t *out, size_t start, size_t size, size_t room,
                               mrw_isa isa)
{
    static const uint8_t guard[256] = {[0 ... 255] = SHADE_GUARD};
    check_bytes(out, guard, start, "before the list", isa);
    for (size_t i = start + size; i < room; i += sizeof guard) {
        check_bytes(out + i, guard, room - i < sizeof guard ? room - i : sizeof guard,
                    "behind the list", isa);
    }
}

static void compare_shade(mrw_isa isa, int variant, uint32_t count, uint32_t shift)
{
    static float expected[4 + SHADE_ROOM][4] __attribute__((aligned(64)));
    static float actual[4 + SHADE_ROOM][4] __attribute__((aligned(64)));
    const mrwi_shade_kernels *scalar = shade_table(MRW_ISA_SCALAR), *kernels = shade_table(isa);
    const mrwi_shade_list list = {.memory = shade_memory,
                                  .count = count,
                                  .x = shade_in.x + shift,
                                  .y = shade_in.y + shift,
                                  .triangle = shade_in.triangle + shift};
    memset(actual, SHADE_GUARD, sizeof actual);
    if (variant == SHADE_COLOR) {
        scalar->shade(&shade_in.frame, &list, expected + 4);
        kernels->shade(&shade_in.frame, &list, actual + 4);
        check_bytes(actual[4], expected[4], count * sizeof *actual, "colours", isa);
        check_shade_guards((const uint8_t *)actual, sizeof *actual * 4,
                           sizeof *actual * (count > 0 ? count + MRWI_SHADE_LIST_PAD : 0),
                           sizeof actual, isa);
    } else {
        float *alphas = (float *)(void *)actual + 16 + shift; /* over rows of four */
        float *wanted = (float *)(void *)expected + 16 + shift;
        scalar->alpha(&shade_in.frame, &list, wanted);
        kernels->alpha(&shade_in.frame, &list, alphas);
        check_bytes(alphas, wanted, count * sizeof(float), "alpha", isa);
        check_shade_guards((const uint8_t *)(alphas - 16), 64, sizeof(float) * count,
                           64 + sizeof(float) * (count + 64), isa);
    }
}

static void check_shade_lists(mrw_isa isa, int variant, enum numbers numbers)
{
    for (uint32_t count = 0; count <= SHADE_SHORT + 6; count++) {
        random_shade(numbers);
        for (int mode = 0; mode < 4 * MRW_SHADING_COUNT; mode++) {
            shade_in.frame.shading = (mrw_shading)(mode % MRW_SHADING_COUNT);
            shade_in.frame.filter = (mrw_filter)(MRW_FILTER_NEAREST + mode / MRW_SHADING_COUNT);
            shade_in.frame.channel = (mrw_shading_channel)random_below(MRW_CHANNEL_COUNT);
            const uint32_t extra = count > SHADE_SHORT ? random_below(MRWI_SHADE_LIST_MAX - 64) : 0;
            compare_shade(isa, variant,
                          count == SHADE_SHORT + 1 ? MRWI_SHADE_LIST_MAX : count + extra,
                          random_below(SHADE_SHIFT));
        }
    }
}

/* No picture should have some of these, and yet they become some byte. */
static void check_shade_encode(mrw_isa isa, mrwi_shade_curve curve, enum numbers numbers)
{
    static float rgba[MRWI_SHADE_LIST_MAX + 16][4];
    static uint8_t expected[4 * MRWI_SHADE_LIST_MAX + 64], actual[4 * MRWI_SHADE_LIST_MAX + 64];
    for (uint32_t round = 0; round < TEST_ROUNDS(600); round++) {
        const uint32_t shift = random_below(16), channels = 3 + random_below(2);
        const mrwi_shade_tone tone = {curve, random_tone().exposure};
        const uint32_t count =
            round < TEST_ROUNDS(300) ? round % 75 : random_below(MRWI_SHADE_LIST_MAX + 1);
        float background[4] = {0.2f, 0.4f, 0.1f, 1.0f};
        for (uint32_t i = 0; i < 4 * MRWI_SHADE_LIST_MAX + 64; i++) {
            (&rgba[0][0])[i] = random_number(numbers);
            if (random_below(2)) {
                (&rgba[0][0])[i] = fabsf((&rgba[0][0])[i]);
            }
        }
        if (channels == 4) {
            for (int i = 0; i < 4; i++) {
                background[i] *= 0.5f * (1.0f + random_unit());
            }
        }
        memset(expected, 0xA5, sizeof expected);
        memset(actual, 0xA5, sizeof actual);
        const float(*in)[4] = (const float(*)[4])rgba + shift;
        ((const mrwi_shade_kernels *)shade_table(MRW_ISA_SCALAR))
            ->encode(in, count, background, channels, tone, expected + shift);
        ((const mrwi_shade_kernels *)shade_table(isa))
            ->encode(in, count, background, channels, tone, actual + shift);
        check_bytes(actual, expected, sizeof actual, "bytes", isa);
    }
}

static void check_shade(mrw_isa isa, int variant)
{
    for (int round = 0; round < 4 && variant < SHADE_ENCODE; round++) {
        make_shade_textures(round % 2 != 0);
        check_shade_lists(isa, variant, round < 2 ? ORDINARY : ODD);
    }
    for (int numbers = ORDINARY; numbers < NUMBERS_COUNT && variant >= SHADE_ENCODE; numbers++) {
        check_shade_encode(isa, (mrwi_shade_curve)(variant - SHADE_ENCODE), (enum numbers)numbers);
    }
    free_shade_textures();
}

static void make_timed_shade(void)
{
    make_shade_textures(false);
    random_shade(ORDINARY);
    shade_in.frame.shading = MRW_SHADING_LIT;
    shade_in.frame.filter = MRW_FILTER_TRILINEAR;
}

/* Opaque colours, a few of them too bright. */
static void make_timed_colors(float (*rgba)[4])
{
    for (uint32_t i = 0; i < MRWI_SHADE_LIST_MAX; i++) {
        for (int c = 0; c < 4; c++) {
            rgba[i][c] = c == 3 ? 1.0f : (float)(i * 13 % 1024) / 900.0f;
        }
    }
}

static size_t work_shade(mrw_isa isa, int variant)
{
    static float rgba[SHADE_ROOM][4] __attribute__((aligned(64)));
    static float colors[MRWI_SHADE_LIST_MAX][4] __attribute__((aligned(64)));
    static uint8_t bytes[4 * SHADE_ROOM];
    static const float background[4] = {0.2f, 0.4f, 0.1f, 1.0f};
    const mrwi_shade_kernels *kernels = shade_table(isa);
    const mrwi_shade_list list = {.memory = shade_memory,
                                  .count = MRWI_SHADE_LIST_MAX,
                                  .x = shade_in.x,
                                  .y = shade_in.y,
                                  .triangle = shade_in.triangle};
    if (!shade_in.textures[0]) {
        make_timed_shade();
        make_timed_colors(colors);
    }
    if (variant == SHADE_COLOR) {
        kernels->shade(&shade_in.frame, &list, rgba);
    } else if (variant == SHADE_ALPHA) {
        kernels->alpha(&shade_in.frame, &list, &rgba[0][0]);
    } else {
        const mrwi_shade_tone tone = {(mrwi_shade_curve)(variant - SHADE_ENCODE), 1.2f};
        kernels->encode((const float(*)[4])colors, MRWI_SHADE_LIST_MAX, background, 3, tone, bytes);
    }
    return MRWI_SHADE_LIST_MAX * (variant == SHADE_COLOR   ? 12 + 16
                                  : variant == SHADE_ALPHA ? 16
                                                           : 19);
}

#define SHADE_ROW(name, variant)                                                                   \
    {                                                                                              \
        name, "src/shade/shade_", variant, shade_table, check_shade, work_shade                    \
    }
#define SHADE_ROWS                                                                                 \
    SHADE_ROW("shade", SHADE_COLOR), SHADE_ROW("shade alpha", SHADE_ALPHA),                        \
        SHADE_ROW("encode sRGB", SHADE_ENCODE + MRWI_SHADE_CURVE_SRGB),                            \
        SHADE_ROW("encode raw", SHADE_ENCODE + MRWI_SHADE_CURVE_RAW),                              \
        SHADE_ROW("encode exposed", SHADE_ENCODE + MRWI_SHADE_CURVE_EXPOSED),                      \
        SHADE_ROW("encode aces", SHADE_ENCODE + MRWI_SHADE_CURVE_ACES),                            \
        SHADE_ROW("encode neutral", SHADE_ENCODE + MRWI_SHADE_CURVE_NEUTRAL)

#endif
