/* test_modes.c: what shading modes other than lit show, against values computed here in double
 * precision from what raster.h says of them. That all kernels agree is seen in test_shade.c and
 * test_kernels.c. */
#include "test.h"

#include "shade/mode_values.h"

#include <marrow/raster.h>

#include <math.h>

#define SIDE 16

/* A square of two triangles over the whole picture, a unit a pixel, seen along -Z. */
typedef struct square {
    float positions[4][4], normals[4][4];
    mrw_raster_material material;
    mrw_light light;
    mrw_raster_draw draw;
    mrw_raster_job job;
    mrw_target target;
    uint8_t pixels[SIDE * SIDE * 3];
} square;

static const uint32_t corners[6] = {0, 2, 1, 2, 3, 1};

static void make_square(square *s, mrw_shading shading)
{
    *s = (square){.material = {.base_color = {0.5f, 0.25f, 0.75f, 1.0f},
                               .double_sided = true,
                               .roughness = 1.0f,
                               .reflectance = 0.04f,
                               .specular = 1.0f,
                               .specular_color = {1, 1, 1},
                               .uv_transform = {1, 0, 0, 0, 1, 0}},
                  .light = {.type = MRW_LIGHT_DIRECTIONAL,
                            .to_light = {0, 0, 1},
                            .color = {0.5f, 0.4f, 0.3f},
                            .specular = 1.0f}};
    for (int i = 0; i < 4; i++) {
        const float at[4] = {(float)(i % 2 * SIDE), (float)(SIDE - i / 2 * SIDE), 0.5f, 1};
        memcpy(s->positions[i], at, sizeof at);
        s->normals[i][2] = 1.0f;
    }
    s->draw =
        (mrw_raster_draw){.vertex_count = 4, .triangle_count = 2, .indices = corners, .id = 1};
    s->target = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, NULL, SIDE * 3};
    s->job = (mrw_raster_job){.draw_count = 1,
                              .view = {.world_to_clip = {{2.0f / SIDE, 0, 0, 0, 0, 2.0f / SIDE, 0,
                                                          0, 0, 0, 1, 0, -1, -1, 0, 1}},
                                       .view_back = {0, 0, 1},
                                       .orthographic = true},
                              .lighting = {.up = {0, 1, 0},
                                           .sky = {0.1f, 0.1f, 0.1f},
                                           .ground = {0.1f, 0.1f, 0.1f},
                                           .light_count = 1},
                              .shading = shading,
                              .filter = MRW_FILTER_TRILINEAR,
                              .exposure = 1.0f,
                              .tonemap = MRW_TONEMAP_NONE,
                              .samples = 1,
                              .width = SIDE,
                              .height = SIDE,
                              .target_count = 1,
                              .threads = 1};
}

static void turn_normals(square *s, float x, float z)
{
    for (int i = 0; i < 4; i++) {
        s->normals[i][0] = x;
        s->normals[i][2] = z;
    }
}

static void draw_square(square *s)
{
    mrw_raster *raster = NULL;
    s->draw.material = &s->material;
    s->draw.positions = s->positions[0];
    s->draw.normals = s->normals[0];
    s->target.data = s->pixels;
    s->job.targets = &s->target;
    s->job.draws = &s->draw;
    s->job.lighting.lights = &s->light;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &s->job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

static double byte_of(double x)
{
    x = fmin(fmax(x, 0), 1);
    return 255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055);
}

static double light_of(double byte)
{
    const double x = byte / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static const uint8_t *pixel(const square *s, int x, int y)
{
    return s->pixels + 3 * (y * SIDE + x);
}

static void expect(const square *s, int x, int y, const double light[3])
{
    for (int k = 0; k < 3; k++) {
        const double wanted = byte_of(light[k]), got = pixel(s, x, y)[k];
        ck_assert_msg(fabs(wanted - got) < 0.51, "pixel %d %d, channel %d: %g, not %g", x, y, k,
                      got, wanted);
    }
}

/* ---- clay and flat --------------------------------------------------------------------------- */

/* Whatever the material: grey times what a matt surface gets of the light, whose cosine is 0.6. */
START_TEST(clay_is_the_same_grey)
{
    for (int i = 0; i < 4; i++) {
        square s;
        make_square(&s, MRW_SHADING_CLAY);
        turn_normals(&s, 0.8f, 0.6f);
        s.material.surface = (mrw_surface)(i % 3);
        s.material.metallic = s.material.roughness = 0.2f * (float)i;
        s.material.base_color[i % 3] = 1.0f;
        s.material.unlit = i == 3;
        s.material.shininess = 30.0f;
        s.material.emissive[0] = 4.0f;
        draw_square(&s);
        expect(&s, 3, 5, (const double[3]){CLAY_GREY * 0.4, CLAY_GREY * 0.34, CLAY_GREY * 0.28});
        s.job.exposure = 0.5f;
        draw_square(&s);
        expect(&s, 3, 5, (const double[3]){CLAY_GREY * 0.2, CLAY_GREY * 0.17, CLAY_GREY * 0.14});
    }
}
END_TEST

/* The triangles face the eye, whatever their normals. */
START_TEST(flat_has_the_normals_of_triangles)
{
    square flat, lit;
    make_square(&lit, MRW_SHADING_LIT);
    make_square(&flat, MRW_SHADING_FLAT);
    turn_normals(&flat, -0.9f, 0.3f);
    draw_square(&lit);
    draw_square(&flat);
    ck_assert_mem_eq(lit.pixels, flat.pixels, sizeof lit.pixels);
    flat.job.shading = MRW_SHADING_LIT;
    draw_square(&flat);
    ck_assert_mem_ne(lit.pixels, flat.pixels, sizeof lit.pixels);
}
END_TEST

/* ---- phong ----------------------------------------------------------------------------------- */

typedef struct phong_values {
    double specular[3], power;
} phong_values;

static void unit(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Phong's formula at the centre of a pixel of make_bulge. */
static void evaluate_phong(const square *s, const phong_values *v, int px, int py, double out[3])
{
    const double x = px + 0.5, y = SIDE - (py + 0.5), eye[3] = {0, 0, 1};
    double n[3] = {-0.7 + 1.4 * x / SIDE, 0, 1}, r[3];
    double l[3] = {(double)s->light.position[0] - x, (double)s->light.position[1] - y,
                   (double)s->light.position[2] - 0.5};
    const double left = 1 / dot(l, l);
    unit(n);
    unit(l);
    const double nl = dot(n, l);
    for (int k = 0; k < 3; k++) {
        r[k] = 2 * dot(n, eye) * n[k] - eye[k];
    }
    const double power = nl > 0 ? pow(fmax(dot(r, l), 0), v->power) : 0;
    for (int k = 0; k < 3; k++) {
        const double base = (double)s->material.base_color[k];
        out[k] = base * 0.1 +
                 (double)s->light.color[k] * left * (base * fmax(nl, 0) + v->specular[k] * power) +
                 (double)s->material.emissive[k];
    }
}

/* A point above the square, whose normals lean out to the left and the right. */
static void make_bulge(square *s)
{
    make_square(s, MRW_SHADING_PHONG);
    s->light = (mrw_light){
        .type = MRW_LIGHT_POINT, .position = {6, 5, 6.5f}, .color = {20, 16, 12}, .specular = 1.0f};
    for (int i = 0; i < 4; i++) {
        s->normals[i][0] = i % 2 ? 0.7f : -0.7f;
    }
}

static void check_phong(square *s, const phong_values *v)
{
    draw_square(s);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double wanted[3];
            evaluate_phong(s, v, x, y, wanted);
            expect(s, x, y, wanted);
        }
    }
}

START_TEST(phong_is_phongs)
{
    square s;
    make_bulge(&s);
    s.material.surface = MRW_SURFACE_CLASSIC;
    s.material.shininess = 80.0f;
    s.material.specular_color[1] = 0.5f;
    check_phong(&s, &(phong_values){{1, 0.5, 1}, 20});
    s.material.shininess = 0.0f;
    s.material.emissive[2] = 0.125f;
    check_phong(&s, &(phong_values){{0, 0, 0}, 1});
    make_bulge(&s);
    s.material.roughness = 0.4f;
    check_phong(&s, &(phong_values){{0.3, 0.3, 0.3}, 0.5 * (1 / pow(0.4, 4) - 1)});
    s.material.metallic = 1.0f;
    check_phong(&s, &(phong_values){{0.3, 0.15, 0.45}, 0.5 * (1 / pow(0.4, 4) - 1)});
    s.material.surface = MRW_SURFACE_SPECULAR_GLOSSINESS;
    s.material.glossiness = 0.75f;
    check_phong(&s, &(phong_values){{0.75, 0.75, 0.75}, 0.5 * (1 / pow(0.25, 4) - 1)});
}
END_TEST

/* ---- tutorials' lamps ------------------------------------------------------------------------ */

static void place_lamp(square *s, mrw_light_type type, const float attenuation[3])
{
    static const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    mrw_light_def def = mrw_light_def_default(type);
    const float position[3] = {7.5f, 8.5f, 2.5f}, color[3] = {0.6f, 0.3f, 0.9f};
    memcpy(def.position, position, sizeof position);
    memcpy(def.color, color, sizeof color);
    memcpy(def.attenuation, attenuation, sizeof def.attenuation);
    def.intensity = 2.0f;
    def.ambient = 0.25f;
    def.diffuse = 0.5f;
    def.specular = 0.125f;
    mrw_light_place_classic(&def, &identity, &s->light);
}

/* color * 2 / divisor * (base * (0.25 + 0.5 cosine) + 0.125 power), and the light from all around.
 */
static void expect_lamp(const square *s, int x, int y, double divisor, double cosine, double power)
{
    static const double color[3] = {0.6, 0.3, 0.9};
    double light[3];
    for (int k = 0; k < 3; k++) {
        const double base = (double)s->material.base_color[k];
        light[k] =
            0.1 * base + color[k] * 2 / divisor * (base * (0.25 + 0.5 * cosine) + 0.125 * power);
    }
    expect(s, x, y, light);
}

/* The lamp stands 2 above one pixel; 3 pixels beside it L is (3, 0, 2) / sqrt(13), and R is the
 * normal. */
START_TEST(lamps_are_as_their_numbers_say)
{
    for (int phong = 0; phong < 2; phong++) {
        square s;
        make_square(&s, phong ? MRW_SHADING_PHONG : MRW_SHADING_LAMBERT);
        s.material.surface = MRW_SURFACE_CLASSIC;
        s.material.shininess = 8.0f;
        place_lamp(&s, MRW_LIGHT_POINT, (const float[]){1, 0.5f, 0.25f});
        draw_square(&s);
        expect_lamp(&s, 7, 7, 1 + 0.5 * 2 + 0.25 * 4, 1, phong);
        expect_lamp(&s, 10, 7, 1 + 0.5 * sqrt(13) + 0.25 * 13, 2 / sqrt(13), phong * 4.0 / 13);
        place_lamp(&s, MRW_LIGHT_POINT, (const float[]){1.5f, 0, 0});
        draw_square(&s);
        expect_lamp(&s, 10, 7, 1.5, 2 / sqrt(13), phong * 4.0 / 13);
        place_lamp(&s, MRW_LIGHT_DIRECTIONAL, (const float[]){7, 7, 7});
        s.light.color[2] = 0.9f; /* half of it, not to be cut off */
        draw_square(&s);
        const double b[3] = {0.5, 0.25, 0.75}, c[3] = {1.2, 0.6, 0.9}, shine = 0.125 * phong;
        expect(&s, 3, 3,
               (const double[3]){b[0] * 0.1 + c[0] * (b[0] * 0.75 + shine),
                                 b[1] * 0.1 + c[1] * (b[1] * 0.75 + shine),
                                 b[2] * 0.1 + c[2] * (b[2] * 0.75 + shine)});
    }
}
END_TEST

/* Ambient light reaches what is turned away; the strength of what is matt dims no highlight. */
START_TEST(strengths_are_apart)
{
    square s;
    make_square(&s, MRW_SHADING_PHONG);
    s.material.surface = MRW_SURFACE_CLASSIC;
    s.material.shininess = 8.0f;
    place_lamp(&s, MRW_LIGHT_DIRECTIONAL, (const float[]){1, 0, 0});
    s.light.diffuse = 0.0f;
    s.light.ambient = 0.0f;
    draw_square(&s);
    expect(&s, 5, 5,
           (const double[3]){0.05 + 1.2 * 0.125, 0.025 + 0.6 * 0.125, 0.075 + 1.8 * 0.125});
    s.light.ambient = 0.25f;
    s.light.to_light[2] = -1.0f;
    draw_square(&s);
    expect(&s, 5, 5, (const double[3]){0.05 + 0.5 * 0.3, 0.025 + 0.25 * 0.15, 0.075 + 0.75 * 0.45});
}
END_TEST

/* ---- gouraud --------------------------------------------------------------------------------- */

/* The lamp of place_lamp at the corners of the bulge, in double; the highlight is white's. */
static void evaluate_corner(const square *s, int i, double power, double out[3])
{
    const double eye[3] = {0, 0, 1}, color[3] = {0.6, 0.3, 0.9};
    double n[3] = {i % 2 ? 0.7 : -0.7, 0, 1}, l[3], r[3];
    for (int k = 0; k < 3; k++) {
        l[k] = (double)s->light.position[k] - (double)s->positions[i][k];
    }
    const double d = sqrt(dot(l, l)), left = 2 / (1 + 0.5 * d + 0.25 * d * d);
    unit(n);
    unit(l);
    for (int k = 0; k < 3; k++) {
        r[k] = 2 * dot(n, eye) * n[k] - eye[k];
    }
    const double nl = dot(n, l), shine = nl > 0 ? pow(fmax(dot(r, l), 0), power) : 0;
    for (int k = 0; k < 3; k++) {
        out[k] = 0.1 + color[k] * left * (0.25 + 0.5 * fmax(nl, 0) + 0.125 * shine);
    }
}

/* At the corners, and between them as far as the pixel is from each: on the diagonal, whose ends
 * are the corners 2 and 1, all that counts is those two. */
START_TEST(gouraud_is_phong_at_vertices)
{
    square s;
    float light[4][4];
    double corner[4][3];
    make_bulge(&s);
    s.job.shading = MRW_SHADING_GOURAUD;
    s.material.surface = MRW_SURFACE_CLASSIC;
    s.material.shininess = 8.0f;
    place_lamp(&s, MRW_LIGHT_POINT, (const float[]){1, 0.5f, 0.25f});
    s.light.position[2] = 9.0f;
    s.draw.material = &s.material;
    s.draw.positions = s.positions[0];
    s.draw.normals = s.normals[0];
    s.job.lighting.lights = &s.light;
    mrw_raster_light_vertices(&s.draw, &s.job.lighting, (const float[]){0, 0, 1, 0}, light);
    for (int i = 0; i < 4; i++) {
        evaluate_corner(&s, i, 2, corner[i]);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq_tol((double)light[i][k], corner[i][k], 2e-6);
        }
        ck_assert_float_eq(light[i][3], 1.0f);
    }
    s.draw.colors = light[0];
    draw_square(&s);
    for (int x = 0; x < SIDE; x++) {
        const double share = (x + 0.5) / SIDE;
        double wanted[3];
        for (int k = 0; k < 3; k++) {
            wanted[k] = (double)s.material.base_color[k] *
                        (corner[1][k] * share + corner[2][k] * (1 - share));
        }
        expect(&s, x, SIDE - 1 - x, wanted);
    }
}
END_TEST

/* An eye at a point sees a highlight elsewhere than one that is far away; colours count. */
START_TEST(gouraud_has_eyes_and_colors)
{
    square s;
    float light[4][4];
    const float colors[4][4] = {{0.5f, 1, 0.25f, 0.75f}, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}};
    make_square(&s, MRW_SHADING_GOURAUD);
    s.material.roughness = 0.5f; /* (R.L)^7.5 */
    s.draw.material = &s.material;
    s.draw.positions = s.positions[0];
    s.draw.normals = s.normals[0];
    s.draw.colors = colors[0];
    s.job.lighting.lights = &s.light;
    mrw_raster_light_vertices(&s.draw, &s.job.lighting, (const float[]){0, 0, 12.5f, 1}, light);
    /* corner 0 lies at (0, 16, 0.5): the eye's direction is (0, -4, 3) / 5, R.L 0.6 */
    const double shine = 0.25 * pow(0.6, 7.5);
    ck_assert_double_eq_tol((double)light[0][0], 0.5 * (0.1 + 0.5 * (1 + shine)), 1e-6);
    ck_assert_double_eq_tol((double)light[0][2], 0.25 * (0.1 + 0.3 * (1 + shine)), 1e-6);
    ck_assert_float_eq(light[0][3], 0.75f);
    /* corner 2 lies below the eye, which sees all of the highlight */
    ck_assert_double_eq_tol((double)light[2][1], 0.1 + 0.4 * 1.25, 1e-6);
    ck_assert_float_eq(light[3][0], 0.0f);
}
END_TEST

/* 300 lamps: a third above corner 0 alone, a third that ends before it reaches the square, a third
 * beside corners 1 and 3, where KHR_lights_punctual's window leaves some. */
START_TEST(gouraud_has_the_lamps_that_reach)
{
    static const struct {
        float position[3], range;
    } kinds[3] = {{{0, 16, 2.5f}, 4}, {{8, 116, 0.5f}, 99.5f}, {{24, 8, 6.5f}, 16}};
    static mrw_light lamps[300];
    square s;
    float light[4][4];
    make_square(&s, MRW_SHADING_GOURAUD);
    s.draw.material = &s.material;
    s.draw.positions = s.positions[0];
    s.draw.normals = s.normals[0];
    for (int i = 0; i < 300; i++) {
        lamps[i] = (mrw_light){
            .type = MRW_LIGHT_POINT, .color = {0.5f, 0.25f, 0.125f}, .range = kinds[i % 3].range};
        memcpy(lamps[i].position, kinds[i % 3].position, sizeof lamps[i].position);
    }
    s.job.lighting.lights = lamps;
    s.job.lighting.light_count = 300;
    mrw_raster_light_vertices(&s.draw, &s.job.lighting, (const float[]){0, 0, 1, 0}, light);
    const double above = (1 - 0.25 * 0.25) / 4, near = 164.0 / 256;
    const double beside = (1 - near * near) / 164 * 6 / sqrt(164);
    const double share[4] = {above, beside, 0, beside};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            const double wanted = 0.1 + 100 * 0.5 / (1 << k) * share[i];
            ck_assert_double_eq_tol((double)light[i][k], wanted, 2e-5);
        }
    }
}
END_TEST

/* ---- toon ------------------------------------------------------------------------------------ */

/* Cosines to the light and to the eye that lie amid bands, and what is left of the light there. */
START_TEST(toon_has_bands)
{
    static const struct {
        float x, z;
        double share;
    } cases[] = {{0, 1, 1.0}, {0.6f, 0.8f, 0.38 + 0.37}, {0.96f, 0.28f, 0.38}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        square s;
        double light[3];
        make_square(&s, MRW_SHADING_TOON);
        s.light.to_light[0] = -0.6f; /* cosines 0.8, 0.28 and -0.352 */
        s.light.to_light[2] = 0.8f;
        turn_normals(&s, cases[i].x, cases[i].z);
        s.light.specular = 0.0f;
        draw_square(&s);
        const double rim = RIM_DARK + (1 - RIM_DARK) * fmin(1, 0.5 + (cases[i].z - 0.2) * 9);
        for (int k = 0; k < 3; k++) {
            light[k] = (double)s.material.base_color[k] *
                       (0.1 + cases[i].share * (double)s.light.color[k]) * rim;
        }
        expect(&s, 7, 7, light);
    }
}
END_TEST

/* Crisp: all of it or nothing, but for a step of one eightieth. */
START_TEST(toon_has_a_crisp_highlight)
{
    square s;
    make_square(&s, MRW_SHADING_TOON);
    s.material.roughness = 0.3f;
    draw_square(&s);
    expect(&s, 7, 7, (const double[3]){0.5 * 0.6 + 0.15, 0.25 * 0.5 + 0.12, 0.75 * 0.4 + 0.09});
    turn_normals(&s, 0.28f, 0.96f); /* (N.H)^2 = 0.92 */
    draw_square(&s);
    expect(&s, 7, 7, (const double[3]){0.5 * 0.6, 0.25 * 0.5, 0.75 * 0.4});
}
END_TEST

/* Cloth has no highlight: none from a roughness of 0.6 on, all of it at 0.35. A shininess of 30 is
 * a roughness of (2 / 32)^(1/4) = 0.5, one of 13.43 0.6; classic highlights have their colour. */
START_TEST(toon_shines_as_a_material_does)
{
    static const struct {
        mrw_surface surface;
        float roughness, glossiness, shininess;
        double red, green;
    } cases[] = {
        {MRW_SURFACE_METALLIC_ROUGHNESS, 1.0f, 1.0f, 90, 0, 0},
        {MRW_SURFACE_METALLIC_ROUGHNESS, 0.6f, 1.0f, 90, 0, 0},
        {MRW_SURFACE_METALLIC_ROUGHNESS, 0.475f, 0, 0, 0.5, 0.5},
        {MRW_SURFACE_METALLIC_ROUGHNESS, 0.3f, 0, 0, 1, 1},
        {MRW_SURFACE_SPECULAR_GLOSSINESS, 0, 0.2f, 90, 0, 0},
        {MRW_SURFACE_SPECULAR_GLOSSINESS, 1.0f, 0.525f, 0, 0.5, 0.5},
        {MRW_SURFACE_CLASSIC, 0, 1.0f, 0, 0, 0},
        {MRW_SURFACE_CLASSIC, 0, 1.0f, 13.4f, 0, 0},
        {MRW_SURFACE_CLASSIC, 1.0f, 0, 30, 0.4, 0.2},
        {MRW_SURFACE_CLASSIC, 1.0f, 0, 4000, 1, 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        square s;
        make_square(&s, MRW_SHADING_TOON);
        s.material.surface = cases[i].surface;
        s.material.roughness = cases[i].roughness;
        s.material.glossiness = cases[i].glossiness;
        s.material.shininess = cases[i].shininess;
        if (cases[i].surface == MRW_SURFACE_CLASSIC) {
            s.material.specular_color[1] = 0.5f;
        }
        draw_square(&s);
        expect(&s, 7, 7,
               (const double[3]){0.5 * 0.6 + 0.15 * cases[i].red,
                                 0.25 * 0.5 + 0.12 * cases[i].green,
                                 0.75 * 0.4 + 0.09 * cases[i].red});
    }
}
END_TEST

/* ---- wire ------------------------------------------------------------------------------------ */

/* How much of a row is line. */
static double line_of_row(const square *s, int y)
{
    double sum = 0;
    for (int x = 0; x < SIDE; x++) {
        const double face = WIRE_GREY * 0.6, line = (double)wire_line[0];
        sum += (face - light_of(pixel(s, x, y)[0])) / (face - line);
    }
    return sum;
}

/* The diagonal of the square crosses each row once, through the centre of a pixel, which is all
 * line; those beside it lie 1 / sqrt(2) away and have 1 less that of it. The left and right edges
 * show the inner halves of theirs. Twice as far away, the lines are as wide. */
START_TEST(lines_are_a_pixel_wide)
{
    square s;
    make_square(&s, MRW_SHADING_WIRE);
    draw_square(&s);
    for (int y = 2; y < SIDE - 2; y++) {
        ck_assert_double_eq_tol(line_of_row(&s, y), 1 + (3 - sqrt(2)), 0.03);
    }
    expect(&s, 8, 3, (const double[3]){WIRE_GREY * 0.6, WIRE_GREY * 0.5, WIRE_GREY * 0.4});
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            s.positions[i][k] = 4 + s.positions[i][k] / 2;
        }
    }
    draw_square(&s);
    double sum = 0;
    for (int x = 4; x < 12; x++) {
        sum += (WIRE_GREY * 0.6 - light_of(pixel(&s, x, 7)[0])) / (WIRE_GREY * 0.6 - 0.012);
    }
    ck_assert_double_eq_tol(sum, 1 + (3 - sqrt(2)), 0.03);
}
END_TEST

/* Triangles whose least height, over the diagonal, is 4.5 pixels and less: at a corner, which
 * is all line, and what it is mixed with. */
START_TEST(lines_of_small_triangles_fade)
{
    static const struct {
        double height, strength;
    } cases[] = {{4.5, 1.0}, {2.5, 0.5}, {1.75, 0.25}, {0.9, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float side = (float)(round(cases[i].height * sqrt(2) * 256) / 256);
        square s;
        make_square(&s, MRW_SHADING_WIRE);
        for (int k = 0; k < 4; k++) { /* corner 0 in the middle of pixel 8, 7 */
            s.positions[k][0] = 8.5f + (float)(k % 2) * side;
            s.positions[k][1] = 8.5f - (k / 2 ? side : 0.0f);
        }
        draw_square(&s);
        const double line = cases[i].strength, face[3] = {0.6, 0.5, 0.4};
        double light[3];
        for (int k = 0; k < 3; k++) {
            light[k] = WIRE_GREY * face[k] * (1 - line) + (double)wire_line[k] * line;
        }
        expect(&s, 8, 7, light);
    }
}
END_TEST

/* ---- matcap ---------------------------------------------------------------------------------- */

#define BALL 8

/* Red on the upper left, green on the upper right, blue below red, white below green. */
static mrw_raster_texture *four_colors(void)
{
    static const uint8_t colors[4][4] = {
        {255, 0, 0, 0}, {0, 255, 0, 0}, {0, 0, 255, 0}, {255, 255, 255, 0}};
    uint8_t rgba[BALL * BALL][4];
    mrw_raster_texture *out;
    for (int i = 0; i < BALL * BALL; i++) {
        const int lower = i / BALL >= BALL / 2, right = i % BALL >= BALL / 2;
        memcpy(rgba[i], colors[2 * lower + right], 4);
    }
    ck_assert_int_eq(mrw_raster_texture_create(rgba[0], BALL, BALL, MRW_ENCODING_COLOR, &out, NULL),
                     MRW_OK);
    return out;
}

static void set_normal(square *s, float x, float y, float z)
{
    for (int i = 0; i < 4; i++) {
        s->normals[i][0] = x;
        s->normals[i][1] = y;
        s->normals[i][2] = z;
    }
}

static const double red[3] = {1, 0, 0}, green[3] = {0, 1, 0}, blue[3] = {0, 0, 1};
static const double white[3] = {1, 1, 1};

/* Whatever the light and the base colour, and of unlit materials, too; backs have the normal of the
 * side that is seen; a normal map turns it: (0.6, -0.6, 0.5) in the space of T = +x, B = -y. */
START_TEST(matcaps_are_looked_up_by_normals)
{
    static const uint8_t texel[4] = {204, 51, 191, 255};
    static float tangents[4][4];
    mrw_raster_texture *ball = four_colors(), *map;
    square s;
    make_square(&s, MRW_SHADING_MATCAP);
    s.job.matcap = ball;
    set_normal(&s, -0.5f, 0.5f, 0.7f);
    draw_square(&s);
    expect(&s, 3, 9, red);
    set_normal(&s, 0.5f, 0.5f, 0.7f);
    s.material.unlit = true;
    draw_square(&s);
    expect(&s, 3, 9, green);
    set_normal(&s, -0.5f, -0.5f, 0.7f);
    draw_square(&s);
    expect(&s, 3, 9, blue);
    set_normal(&s, 0.5f, -0.5f, 0.7f);
    draw_square(&s);
    expect(&s, 3, 9, white);
    set_normal(&s, 0.5f, -0.5f, -0.7f); /* away from the eye, and yet not the back */
    draw_square(&s);
    expect(&s, 3, 9, white);
    s.draw.indices = (const uint32_t[6]){0, 1, 2, 2, 1, 3};
    draw_square(&s);
    expect(&s, 3, 9, red);
    s.draw.indices = corners;
    ck_assert_int_eq(mrw_raster_texture_create(texel, 1, 1, MRW_ENCODING_DATA, &map, NULL), MRW_OK);
    s.material.maps[MRW_RASTER_MAP_NORMAL].texture = map;
    s.material.normal_scale = 1.0f;
    set_normal(&s, 0, 0, 1);
    for (int i = 0; i < 4; i++) {
        tangents[i][0] = 1.0f;
        tangents[i][3] = -1.0f;
    }
    s.draw.tangents = tangents[0];
    draw_square(&s);
    expect(&s, 3, 9, green);
    mrw_raster_texture_free(map);
    mrw_raster_texture_free(ball);
}
END_TEST

/* Half of the surface's colour over black, at half the exposure; what a mask cuts off is a hole. */
START_TEST(matcaps_keep_alpha_and_are_exposed)
{
    mrw_raster_texture *ball = four_colors();
    square s;
    make_square(&s, MRW_SHADING_MATCAP);
    s.job.matcap = ball;
    s.job.exposure = 0.5f;
    set_normal(&s, -0.5f, 0.5f, 0.7f);
    draw_square(&s);
    expect(&s, 3, 9, (const double[3]){0.5, 0, 0});
    s.material.alpha_mode = 2;
    s.material.base_color[3] = 0.5f;
    draw_square(&s);
    expect(&s, 3, 9, (const double[3]){0.25, 0, 0});
    s.material.alpha_mode = 1;
    s.material.alpha_cutoff = 0.6f;
    draw_square(&s);
    expect(&s, 3, 9, (const double[3]){0, 0, 0});
    mrw_raster_texture_free(ball);
}
END_TEST

/* At the right end of the ball u is 0.995, and of 200 texels a row 198.5 is the place: half of the
 * last texel but one, 198, and half of the last. At the upper end v is 0.005: half of rows 0 and 1.
 */
START_TEST(matcaps_are_read_inside_of_the_ball)
{
    static uint8_t rgba[200][200][4];
    mrw_raster_texture *ball;
    square s;
    for (int i = 0; i < 200; i++) {
        rgba[i][198][0] = rgba[1][i][1] = 255;
    }
    ck_assert_int_eq(
        mrw_raster_texture_create(rgba[0][0], 200, 200, MRW_ENCODING_COLOR, &ball, NULL), MRW_OK);
    make_square(&s, MRW_SHADING_MATCAP);
    s.job.matcap = ball;
    set_normal(&s, 1, 0, 0);
    draw_square(&s);
    expect(&s, 3, 9, (const double[3]){0.5, 0, 0});
    set_normal(&s, 0, 1, 0);
    draw_square(&s);
    expect(&s, 3, 9, (const double[3]){0, 0.5, 0});
    mrw_raster_texture_free(ball);
}
END_TEST

/* A picture whose linear red grows from left to right by 1 / 255 or more a texel, and green down.
 */
static mrw_raster_texture *slopes(void)
{
    static uint8_t rgba[64][64][4];
    mrw_raster_texture *out;
    for (int y = 0; y < 64; y++) {
        for (int x = 0; x < 64; x++) {
            rgba[y][x][0] = (uint8_t)(4 * x);
            rgba[y][x][1] = (uint8_t)(4 * y);
        }
    }
    ck_assert_int_eq(mrw_raster_texture_create(rgba[0][0], 64, 64, MRW_ENCODING_COLOR, &out, NULL),
                     MRW_OK);
    return out;
}

/* The slope at a place of 0 ... 1: linear light between the centres of two texels. */
static double slope_at(double at)
{
    const double x = fmin(fmax(at * 64 - 0.5, 0), 63), whole = floor(x);
    const double left = light_of(4 * whole), right = light_of(4 * fmin(whole + 1, 63));
    return left + (right - left) * (x - whole);
}

/* A camera that is turned by `turn` about the world's y and by `tilt` about its own x, its distance
 * from the middle of a large square; shift moves the picture, as lenses do that are shifted. */
static void look_at(square *s, double turn, double tilt, double shift, double rows[3][3])
{
    const double cy = cos(turn), sy = sin(turn), cx = cos(tilt), sx = sin(tilt), f = 1.2;
    const double right[3] = {cy, 0, -sy}, up[3] = {sx * sy, cx, sx * cy};
    const double back[3] = {cx * sy, -sx, cx * cy};
    for (int c = 0; c < 3; c++) {
        rows[0][c] = right[c], rows[1][c] = up[c], rows[2][c] = back[c];
        float *m = &s->job.view.world_to_clip.m[4 * c];
        m[0] = (float)(f * right[c]);
        m[1] = (float)(f * up[c] + shift * back[c]);
        m[2] = (float)(-0.5 * back[c]);
        m[3] = (float)-back[c];
        s->job.view.view_back[c] = (float)back[c];
    }
    float *last = &s->job.view.world_to_clip.m[12]; /* the eye is 5 behind */
    last[0] = 0, last[1] = (float)(-5 * shift), last[2] = 2.5f, last[3] = 5;
    s->job.view.orthographic = false;
    for (int i = 0; i < 4; i++) {
        s->positions[i][0] = (float)(i % 2 * 200 - 100);
        s->positions[i][1] = (float)(100 - i / 2 * 200);
        s->positions[i][2] = 0;
    }
}

/* three.js: V to the eye in view space, x = normalize(V.z, 0, -V.x), y = V x x. */
static void expect_slopes(const square *s, double rows[3][3], double shift, int px, int py)
{
    const double f = 1.2, n[3] = {(double)s->normals[0][0], (double)s->normals[0][1],
                                  (double)s->normals[0][2]};
    double m[3], v[3] = {-((px + 0.5) / 8 - 1) / f, -(1 - (py + 0.5) / 8 + shift) / f, 1};
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
        m[i] = rows[i][0] * n[0] + rows[i][1] * n[1] + rows[i][2] * n[2];
    }
    const double across = sqrt(v[2] * v[2] + v[0] * v[0]);
    const double x[3] = {v[2] / across, 0, -v[0] / across};
    const double y[3] = {v[1] * x[2] - v[2] * x[1], v[2] * x[0] - v[0] * x[2],
                         v[0] * x[1] - v[1] * x[0]};
    const double right = x[0] * m[0] + x[2] * m[2], up = y[0] * m[0] + y[1] * m[1] + y[2] * m[2];
    expect(s, px, py,
           (const double[3]){slope_at(0.5 + 0.495 * right), slope_at(0.5 - 0.495 * up), 0});
}

/* In a perspective view the same normal is another place of the ball in each pixel. */
START_TEST(balls_look_the_same_anywhere)
{
    static const float normals[3][3] = {{0, 0, 1}, {0.6f, 0, 0.8f}, {-0.48f, 0.36f, 0.8f}};
    static const double views[4][3] = {{0, 0, 0}, {0.4, 0, 0}, {-0.2, 0.35, 0}, {0.3, -0.3, 0.4}};
    mrw_raster_texture *ball = slopes();
    square s;
    double rows[3][3];
    for (int i = 0; i < 12; i++) {
        const double *view = views[i / 3], shift = view[2];
        make_square(&s, MRW_SHADING_MATCAP);
        s.job.matcap = ball;
        look_at(&s, view[0], view[1], shift, rows);
        set_normal(&s, normals[i % 3][0], normals[i % 3][1], normals[i % 3][2]);
        draw_square(&s);
        for (int k = 0; k < SIDE * SIDE; k++) {
            expect_slopes(&s, rows, shift, k % SIDE, k / SIDE);
        }
    }
    mrw_raster_texture_free(ball);
}
END_TEST

/* ---- table ----------------------------------------------------------------------------------- */

/* LOOK.md's rules 14 and 15. */
START_TEST(who_has_exposure_and_tone_map)
{
    static const struct {
        mrw_shading shading;
        bool exposed, tone_mapped;
    } rules[] = {{MRW_SHADING_LIT, true, true},     {MRW_SHADING_FLAT, true, true},
                 {MRW_SHADING_CLAY, true, true},    {MRW_SHADING_TOON, true, true},
                 {MRW_SHADING_MATCAP, true, true},  {MRW_SHADING_LAMBERT, true, false},
                 {MRW_SHADING_PHONG, true, false},  {MRW_SHADING_UNLIT, false, false},
                 {MRW_SHADING_RAW, false, false},   {MRW_SHADING_WIRE, false, false},
                 {MRW_SHADING_GOURAUD, true, false}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const mrw_shading_info *mode = mrw_shading_info_of(rules[i].shading);
        ck_assert_msg(mode->exposed == rules[i].exposed &&
                          mode->tone_mapped == rules[i].tone_mapped,
                      "%s", mode->name);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("modes");
    TCase *tc = tcase_create("modes");
    tcase_add_test(tc, clay_is_the_same_grey);
    tcase_add_test(tc, flat_has_the_normals_of_triangles);
    tcase_add_test(tc, phong_is_phongs);
    tcase_add_test(tc, lamps_are_as_their_numbers_say);
    tcase_add_test(tc, strengths_are_apart);
    tcase_add_test(tc, gouraud_is_phong_at_vertices);
    tcase_add_test(tc, gouraud_has_eyes_and_colors);
    tcase_add_test(tc, gouraud_has_the_lamps_that_reach);
    tcase_add_test(tc, toon_has_bands);
    tcase_add_test(tc, toon_has_a_crisp_highlight);
    tcase_add_test(tc, toon_shines_as_a_material_does);
    tcase_add_test(tc, matcaps_are_looked_up_by_normals);
    tcase_add_test(tc, matcaps_keep_alpha_and_are_exposed);
    tcase_add_test(tc, matcaps_are_read_inside_of_the_ball);
    tcase_add_test(tc, balls_look_the_same_anywhere);
    tcase_add_test(tc, lines_are_a_pixel_wide);
    tcase_add_test(tc, lines_of_small_triangles_fade);
    tcase_add_test(tc, who_has_exposure_and_tone_map);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
