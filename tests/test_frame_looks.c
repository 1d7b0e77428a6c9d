/* test_frame_looks.c: what becomes of a scene's materials, textures, colours, morphs, skins,
 * cameras and clips in a frame. Scenes of one or two squares, seen straight on, 8 x 8 pixels; each
 * expected pixel follows by hand.
 */
#include "scene_fixture.h"

#include <marrow/frame.h>

#define SIDE 8

static const uint8_t red[3] = {255, 0, 0}, green[3] = {0, 255, 0}, blue[3] = {0, 0, 255};
static const uint8_t white[3] = {255, 255, 255}, grey[3] = {90, 90, 90}; /* grey: the background */

/* u to the right, v down: the square's corners in the order of `square`. */
static const float square_uvs[12] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};
static const float square_normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};

static uint32_t add_material(mrwi_scene_builder *b, const mrw_material *in)
{
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, in, &index, NULL), MRW_OK);
    return index;
}

static uint32_t add_texture(mrwi_scene_builder *b, const uint8_t *rgba, uint32_t width,
                            uint32_t height, mrw_texture look)
{
    mrwi_scene_image_input image = {
        .name = "texels", .width = width, .height = height, .rgba = rgba};
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &look.image, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &look, &index, NULL), MRW_OK);
    return index;
}

static mrwi_scene_mesh_input textured_square(uint32_t material)
{
    mrwi_scene_mesh_input mesh = square_mesh();
    mesh.material = material;
    mesh.normals = square_normals;
    mesh.uvs[0] = square_uvs;
    return mesh;
}

static mrw_scene *scene_of(mrwi_scene_builder *b, const mrwi_scene_mesh_input *mesh)
{
    uint32_t node = add_node(b, "square", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, mesh), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

/* A parallel camera in front of the point (x, y) that shows `half` to each side of it. */
static mrw_camera camera_at(float x, float y, float half)
{
    mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, 5, 1}};
    mrw_lens lens = {.xmag = half, .ymag = half, .near_plane = 1, .far_plane = 10};
    mrw_camera camera;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &camera, NULL), MRW_OK);
    return camera;
}

static mrw_frame_def frame_of_unit_square(mrw_shading shading)
{
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = SIDE;
    def.samples = 1;
    def.shading = shading;
    memcpy(def.background, grey, 3);
    def.camera = camera_at(0.5f, 0.5f, 0.5f);
    return def;
}

typedef struct picture {
    uint8_t at[SIDE][SIDE][3];
} picture;

/* Draws the scene's first clip at a time, and frees the scene. */
static picture draw_at(mrw_scene *scene, const mrw_frame_def *def, double time)
{
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_image image = {0};
    picture out;
    ck_assert_int_eq(mrw_model_create(scene, def->shading, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    instance.time = time;
    ck_assert_int_eq(mrw_render(renderer, def, &instance, 1, 1, &image, NULL), MRW_OK);
    memcpy(&out, image.pixels, sizeof out);
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return out;
}

static picture draw(mrw_scene *scene, const mrw_frame_def *def)
{
    return draw_at(scene, def, 0.0);
}

static void expect(const picture *p, int x, int y, const uint8_t color[3])
{
    const uint8_t *got = p->at[y][x];
    ck_assert_msg(memcmp(got, color, 3) == 0, "pixel %d %d is %d %d %d, not %d %d %d", x, y, got[0],
                  got[1], got[2], color[0], color[1], color[2]);
}

/* ---- textures -------------------------------------------------------------------------------- */

/* One row of two texels and one of two others, with coordinates that run over them twice. */
static const uint8_t four_texels[16] = {255, 0, 0,   255, 0,   255, 0,   255,
                                        0,   0, 255, 255, 255, 255, 255, 255};

static mrw_scene *repeated_square(uint32_t wrap_u, uint32_t wrap_v)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    float uvs[12];
    for (int i = 0; i < 12; i++) {
        uvs[i] = 2 * square_uvs[i];
    }
    material.maps[MRW_MAP_BASE_COLOR].texture =
        add_texture(b, four_texels, 2, 2, (mrw_texture){.wrap_u = wrap_u, .wrap_v = wrap_v});
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mesh.uvs[0] = uvs;
    return scene_of(b, &mesh);
}

/* Four texels fit across the picture, two pixels each. */
static void expect_quarters(const picture *p, int down, const uint8_t *const colors[4])
{
    for (int i = 0; i < 4; i++) {
        expect(p, down ? 0 : 2 * i, down ? 2 * i : 0, colors[i]);
        expect(p, down ? 1 : 2 * i + 1, down ? 2 * i + 1 : 1, colors[i]);
    }
}

START_TEST(each_axis_wraps_in_its_own_way)
{
    const uint8_t *const repeat_u[4] = {red, green, red, green};
    const uint8_t *const clamp_u[4] = {red, green, green, green};
    const uint8_t *const mirror_u[4] = {red, green, green, red};
    const uint8_t *const repeat_v[4] = {red, blue, red, blue};
    const uint8_t *const clamp_v[4] = {red, blue, blue, blue};
    const uint8_t *const mirror_v[4] = {red, blue, blue, red};
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
    def.filter = MRW_FILTER_NEAREST;
    picture p = draw(repeated_square(MRW_WRAP_REPEAT, MRW_WRAP_CLAMP), &def);
    expect_quarters(&p, 0, repeat_u);
    expect_quarters(&p, 1, clamp_v);
    p = draw(repeated_square(MRW_WRAP_CLAMP, MRW_WRAP_MIRROR), &def);
    expect_quarters(&p, 0, clamp_u);
    expect_quarters(&p, 1, mirror_v);
    p = draw(repeated_square(MRW_WRAP_MIRROR, MRW_WRAP_REPEAT), &def);
    expect_quarters(&p, 0, mirror_u);
    expect_quarters(&p, 1, repeat_v);
}
END_TEST

/* Magnified fourfold, texel centres at pixels 2 and 6: between them the filter blends, unless the
 * file asks for pixel art. */
START_TEST(pixel_art_stays_sharp)
{
    for (uint32_t nearest = 0; nearest < 2; nearest++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        material.maps[MRW_MAP_BASE_COLOR].texture = add_texture(
            b, four_texels, 2, 2,
            (mrw_texture){
                .wrap_u = MRW_WRAP_CLAMP, .wrap_v = MRW_WRAP_CLAMP, .nearest = (uint16_t)nearest});
        mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
        mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
        picture p = draw(scene_of(b, &mesh), &def);
        expect(&p, 0, 0, red);
        if (nearest) {
            expect(&p, 3, 0, red);
            expect(&p, 4, 0, green);
        } else {
            ck_assert_int_eq(p.at[0][3][0], 159); /* 3.5 pixels: 3/8 of the way: 255 * 5/8 */
            ck_assert_int_eq(p.at[0][3][1], 96);
        }
    }
}
END_TEST

/* Half a turn of the texture to the right, and a second set of coordinates. */
START_TEST(coordinates_are_chosen_and_transformed)
{
    static const float first_texel[12] = {0};
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
    def.filter = MRW_FILTER_NEAREST;
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrw_material_map *map = &material.maps[MRW_MAP_BASE_COLOR];
    map->texture = add_texture(b, four_texels, 2, 2, (mrw_texture){0});
    map->uv_set = 1;
    map->uv_transform[2] = 0.5f;
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mesh.uvs[0] = first_texel;
    mesh.uvs[1] = square_uvs;
    picture p = draw(scene_of(b, &mesh), &def);
    expect(&p, 0, 0, green);
    expect(&p, 7, 0, red);
    expect(&p, 0, 7, white);
    expect(&p, 7, 7, blue);
}
END_TEST

/* A texel's byte comes out as it is in the raw mode and, decoded and encoded again, in the unlit
 * one and with KHR_materials_unlit. Between black and white the two differ: half of 255 or half of
 * the light. */
START_TEST(raw_and_unlit_keep_bytes)
{
    static const uint8_t bars[8] = {100, 100, 100, 255, 100, 100, 100, 255};
    static const uint8_t black_white[8] = {0, 0, 0, 255, 255, 255, 255, 255};
    static const mrw_shading modes[] = {MRW_SHADING_LAMBERT, MRW_SHADING_UNLIT, MRW_SHADING_RAW};
    for (int i = 0; i < 3; i++) {
        const bool raw = modes[i] == MRW_SHADING_RAW;
        mrw_frame_def def = frame_of_unit_square(modes[i]);
        mrw_material material = mrw_material_default();
        material.flags = modes[i] == MRW_SHADING_LAMBERT ? MRW_MATERIAL_UNLIT : 0;
        mrwi_scene_builder *b = begin();
        material.maps[MRW_MAP_BASE_COLOR].texture = add_texture(b, bars, 2, 1, (mrw_texture){0});
        mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
        picture p = draw(scene_of(b, &mesh), &def);
        expect(&p, 4, 4, (const uint8_t[3]){100, 100, 100});
        def.camera = camera_at(0.5f, 0.5f, 0.0625f); /* an eighth of the square, in the middle */
        b = begin();
        material.maps[MRW_MAP_BASE_COLOR].texture =
            add_texture(b, black_white, 2, 1, (mrw_texture){0});
        mesh = textured_square(add_material(b, &material));
        p = draw(scene_of(b, &mesh), &def);
        /* pixel 4: u = 0.5 + 1/128, so (0.5 + 1/64) of the way: 131.5 of 255, or encoded 190 */
        ck_assert_int_eq(p.at[4][4][0], raw ? 131 : 190);
    }
}
END_TEST

/* ---- colours, sides, alpha ------------------------------------------------------------------- */

START_TEST(vertex_colors_tint)
{
    float colors[24];
    for (int i = 0; i < 24; i++) {
        colors[i] = i % 4 == 1 || i % 4 == 3 ? 1.0f : 0.0f;
    }
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mesh.colors = colors;
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
    picture p = draw(scene_of(b, &mesh), &def);
    expect(&p, 3, 3, green);
}
END_TEST

START_TEST(backs_are_drawn_when_asked_for)
{
    static const uint32_t backwards[6] = {2, 1, 0, 5, 4, 3};
    for (uint32_t sides = 0; sides < 2; sides++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        material.flags = sides * MRW_MATERIAL_DOUBLE_SIDED;
        mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
        mesh.indices = backwards;
        mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
        picture p = draw(scene_of(b, &mesh), &def);
        expect(&p, 3, 3, sides ? white : grey);
    }
}
END_TEST

START_TEST(the_cutoff_is_the_material_s)
{
    static const float cutoffs[2] = {0.3f, 0.5f};
    for (int i = 0; i < 2; i++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        material.alpha_mode = MRW_ALPHA_MASK;
        material.alpha_cutoff = cutoffs[i];
        material.maps[MRW_MAP_BASE_COLOR].factor[3] = 0.4f;
        mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
        mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
        picture p = draw(scene_of(b, &mesh), &def);
        expect(&p, 3, 3, i == 0 ? white : grey);
    }
}
END_TEST

/* In the left half of the texels 25 of 64 are opaque. At a distance their alpha is 0.39, which a
 * cutoff of 0.6 would cut away; levels for masks keep the coverage. Three materials share the
 * image. */
START_TEST(cutoffs_of_an_image_keep_their_coverage)
{
    static const float cutoffs[3] = {0.2f, 0.3f, 0.6f};
    static uint8_t dots[64 * 64 * 4];
    for (size_t i = 0; i < 64 * 64; i++) {
        memset(&dots[4 * i], 255, 3);
        dots[4 * i + 3] = i / 64 % 8 < 5 && i % 64 < 32 && i % 8 < 5 ? 255 : 0;
    }
    for (int drawn = 0; drawn < 3; drawn++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        material.alpha_mode = MRW_ALPHA_MASK;
        material.maps[MRW_MAP_BASE_COLOR].texture = add_texture(b, dots, 64, 64, (mrw_texture){0});
        int white_pixels = 0;
        for (int i = 0; i < 3; i++) { /* the others are beside the picture */
            mrwi_scene_node_input in = {.parent = MRW_NONE, .rest = identity};
            uint32_t node;
            in.rest.translation[0] = i == drawn ? 0.0f : 7.0f;
            ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &node, NULL), MRW_OK);
            material.alpha_cutoff = cutoffs[i];
            mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
            ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL),
                             MRW_OK);
        }
        mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
        def.camera = camera_at(0.5f, 0.5f, 1.0f); /* the square is 4 x 4 pixels of 16 x 16 texels */
        def.samples = 8;
        picture p = draw(finish(b), &def);
        for (int y = 2; y < 6; y++) {
            for (int x = 2; x < 6; x++) {
                white_pixels += p.at[y][x][0] > grey[0];
            }
        }
        ck_assert_int_gt(white_pixels, 0);
    }
}
END_TEST

/* On a black metal only Fresnel's edge shines, on a black dielectric four hundredths of light from
 * the front: glTF's appendix B in double, from the rig's lights. Seen straight on by a parallel
 * camera, the normal and the direction to the eye are +Z. */
START_TEST(highlights_stand_where_the_eye_sees_them)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    memset(material.maps[MRW_MAP_BASE_COLOR].factor, 0, 3 * sizeof(float));
    material.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[1] = 0.5f;
    material.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2] = 0.0f;
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_LIT);
    mrw_light lights[MRW_RIG_LIGHTS];
    mrw_lighting lighting;
    mrw_light_rig_studio(MRW_RIG_THREE_POINT, &def.camera, lights, &lighting);
    memset(lighting.sky, 0, sizeof lighting.sky);
    memset(lighting.ground, 0, sizeof lighting.ground);
    def.lighting = &lighting;
    def.tonemap = MRW_TONEMAP_NONE;
    double light = 0;
    const double a2 = 0.5 * 0.5 * 0.5 * 0.5;
    for (uint32_t i = 0; i < lighting.light_count; i++) {
        const float *l = lights[i].to_light;
        const double nl = l[2], long_h = sqrt(2.0 + 2.0 * nl);
        const double nh = (nl + 1.0) / long_h, t = nh * nh * (a2 - 1.0) + 1.0;
        if (nl > 0) {
            const double facets = a2 / (t * t) * 0.5 / (nl + sqrt(a2 + (1.0 - a2) * nl * nl));
            const double fresnel = 0.04 + 0.96 * pow(1.0 - nh, 5.0); /* V.H is N.H here */
            light += lights[i].specular * facets * fresnel * nl * lights[i].color[0];
        }
    }
    double encoded = 255 * (1.055 * pow(light, 1 / 2.4) - 0.055);
    ck_assert_double_gt(encoded, 15.0);
    picture p = draw(scene_of(b, &mesh), &def);
    ck_assert_double_eq_tol(p.at[3][3][0], encoded, 0.6);
}
END_TEST

/* The one light of `lambert`, by hand, on white seen straight on. */
START_TEST(lambert_has_one_light)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_LAMBERT);
    mrw_light rig[MRW_RIG_LIGHTS];
    mrw_lighting lighting;
    mrw_light_rig_single(&def.camera, rig, &lighting);
    double light =
        (lighting.sky[0] + lighting.ground[0]) / 2.0 + (double)rig[0].to_light[2] * rig[0].color[0];
    picture p = draw(scene_of(b, &mesh), &def);
    ck_assert_double_eq_tol(p.at[3][3][0], 255 * (1.055 * pow(light, 1 / 2.4) - 0.055), 0.6);
}
END_TEST

/* 70 lights in front of a white square, one beside it, one behind it, and ambient light: what of
 * each colour reaches it is 70 times a light's and half of sky and ground. */
START_TEST(any_number_of_lights_may_shine)
{
    mrw_light lights[72];
    for (int i = 0; i < 70; i++) {
        lights[i] = (mrw_light){.to_light = {0, 0, 1}, .color = {0.01f, 0.004f, 0.001f}};
    }
    lights[70] = (mrw_light){.to_light = {1, 0, 0}, .color = {1, 1, 1}};
    lights[71] = (mrw_light){.to_light = {0, 0, -1}, .color = {1, 1, 1}};
    const mrw_lighting lighting = {.lights = lights,
                                   .light_count = 72,
                                   .up = {0, 1, 0},
                                   .sky = {0.1f, 0.1f, 0.3f},
                                   .ground = {0.1f, 0, 0.1f}};
    const double expected[3] = {0.7 + 0.1, 0.28 + 0.05, 0.07 + 0.2};
    for (int i = 0; i < 2; i++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        material.model = MRW_MATERIAL_CLASSIC; /* matt */
        mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
        mrw_frame_def def = frame_of_unit_square(i == 0 ? MRW_SHADING_LIT : MRW_SHADING_LAMBERT);
        def.lighting = &lighting;
        def.tonemap = MRW_TONEMAP_NONE;
        picture p = draw(scene_of(b, &mesh), &def);
        for (int c = 0; c < 3; c++) {
            const double byte = 255 * (1.055 * pow(expected[c], 1 / 2.4) - 0.055);
            ck_assert_double_eq_tol(p.at[3][3][c], byte, 0.6);
        }
    }
}
END_TEST

static mrw_status keep_picture(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    (void)error;
    memcpy(user, frame->image->pixels, sizeof(picture));
    return MRW_OK;
}

/* Without lights there is none, in a sequence as well. */
START_TEST(darkness_is_black)
{
    static const double time = 0.0;
    static const uint8_t black[3] = {0, 0, 0};
    const mrw_lighting darkness = {.lights = NULL};
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mrw_scene *scene = scene_of(b, &mesh);
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_LIT);
    mrw_model *model;
    picture p;
    def.lighting = &darkness;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    ck_assert_int_eq(mrw_render_sequence(&def, &instance, 1, &time, 1, 1, keep_picture, &p, NULL),
                     MRW_OK);
    expect(&p, 3, 3, black);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

/* One picture is used again: clear around the square at first, then the grey background. */
/* An unlit material of linear 0.54, the background beside it as it is. */
START_TEST(exposure_and_tone_map_reach_lit_pictures)
{
    static const struct {
        float exposure;
        mrw_tonemap tonemap;
        uint8_t level;
    } cases[] = {{1.0f, MRW_TONEMAP_NONE, 194},    {0.5f, MRW_TONEMAP_NONE, 142}, /* 0.27 */
                 {1.0f, MRW_TONEMAP_NEUTRAL, 188},                                /* 0.5 */
                 {0.5f, MRW_TONEMAP_NEUTRAL, 132},                                /* 0.23 */
                 {0.2f, MRW_TONEMAP_ACES, 91}, /* 0.108 / 0.6 = 0.18: 0.1056 by the curve */
                 {0.0f, MRW_TONEMAP_ACES, 0}};
    const mrw_frame_def preset = mrw_frame_def_default();
    ck_assert(preset.exposure == 1.0f && preset.tonemap == MRW_TONEMAP_NEUTRAL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        material.flags |= MRW_MATERIAL_UNLIT;
        for (int c = 0; c < 3; c++) {
            material.maps[MRW_MAP_BASE_COLOR].factor[c] = 0.54f;
        }
        mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
        mrw_frame_def def = frame_of_unit_square(MRW_SHADING_LIT);
        def.exposure = cases[i].exposure;
        def.tonemap = cases[i].tonemap;
        def.camera = camera_at(1.0f, 0.5f, 0.5f);
        const picture p = draw(scene_of(b, &mesh), &def);
        const uint8_t level[3] = {cases[i].level, cases[i].level, cases[i].level};
        expect(&p, 1, 3, level);
        expect(&p, 6, 3, grey);
    }
}
END_TEST

START_TEST(clear_backgrounds_have_alpha)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mrw_scene *scene = scene_of(b, &mesh);
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_image image = {0};
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
    def.camera = camera_at(1.0f, 0.5f, 0.5f); /* the square is the left half */
    ck_assert_int_eq(mrw_model_create(scene, def.shading, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    def.transparent = true;
    ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 1, &image, NULL), MRW_OK);
    ck_assert_uint_eq(image.channels, 4);
    ck_assert_mem_eq(image.pixels, "\xff\xff\xff\xff", 4);
    ck_assert_mem_eq(image.pixels + (size_t)4 * (SIDE - 1), "\0\0\0\0", 4);
    def.transparent = false;
    ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 1, &image, NULL), MRW_OK);
    ck_assert_uint_eq(image.channels, 3);
    ck_assert_mem_eq(image.pixels, white, 3);
    ck_assert_mem_eq(image.pixels + (size_t)3 * (SIDE - 1), grey, 3);
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

/* ---- skins and morphs ------------------------------------------------------------------------ */

/* The joint mirrors, the node does not: the square lies at x = -1 ... 0, and still faces the
 * camera. */
START_TEST(a_mirroring_joint_turns_no_triangle_round)
{
    static const uint32_t joints[6] = {0};
    static const float weights[6] = {1, 1, 1, 1, 1, 1};
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mesh.influence_count = 1;
    mesh.joints = joints;
    mesh.weights = weights;
    mesh.joint_limit = 1;
    uint32_t node = add_node(b, "square", MRW_NONE), skin;
    uint32_t joint = add_scaled(b, MRW_NONE, -1, 1, 1);
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", &joint, NULL, 1, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
    def.camera = camera_at(-0.5f, 0.5f, 0.5f);
    picture p = draw(finish(b), &def);
    expect(&p, 3, 3, white);
}
END_TEST

static const mrw_posed_draw *pose(mrw_scene *scene, mrw_pose kind, mrw_model **model,
                                  mrw_renderer **renderer)
{
    const mrw_posed_draw *posed;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_RAW, 1, model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(renderer, NULL), MRW_OK);
    mrw_instance instance = mrw_instance_default(*model);
    instance.pose = kind;
    ck_assert_int_eq(mrw_pose_instance(*renderer, &instance, MRW_ISA_AUTO, &posed, NULL), MRW_OK);
    return posed;
}

static uint32_t add_node_at(mrwi_scene_builder *b, float x, float y, float z)
{
    mrwi_scene_node_input in = {.parent = MRW_NONE, .rest = identity};
    uint32_t index;
    in.rest.translation[0] = x;
    in.rest.translation[1] = y;
    in.rest.translation[2] = z;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

/* One triangle hangs on a joint at y = 7, the other on none, so on its node at x = 5. Posed, each
 * is where its own is; bound, both are where the mesh has them. */
START_TEST(vertices_without_influences_follow_their_node_unless_bound)
{
    static const uint32_t joints[6] = {0};
    static const float weights[6] = {1, 1, 1, 0, 0, 0};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mesh.influence_count = 1;
    mesh.joints = joints;
    mesh.weights = weights;
    mesh.joint_limit = 1;
    uint32_t node = add_node_at(b, 5, 0, 0), joint = add_node_at(b, 0, 7, 0), skin;
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", &joint, NULL, 1, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    mrw_scene *scene = finish(b);
    ck_assert_uint_eq(scene->groups_count, 2);
    for (int bind = 0; bind < 2; bind++) {
        mrw_model *model;
        mrw_renderer *renderer;
        const mrw_posed_draw *posed =
            pose(scene, bind ? MRW_POSE_BIND : MRW_POSE_REST, &model, &renderer);
        for (uint32_t g = 0; g < 2; g++) {
            const mrw_influence_group *group = &scene->groups[g];
            for (uint32_t v = group->first_vertex; v < group->first_vertex + group->vertex_count;
                 v++) {
                const float *filed = scene->positions + 3 * (size_t)v;
                const float *got = posed[0].positions + 4 * (size_t)v;
                bool rigid = group->influence_count == 0;
                ck_assert_float_eq(got[0], filed[0] + (rigid && !bind ? 5.0f : 0.0f));
                ck_assert_float_eq(got[1], filed[1] + (!rigid && !bind ? 7.0f : 0.0f));
            }
        }
        mrw_renderer_free(renderer);
        mrw_model_free(model);
    }
    mrw_scene_free(scene);
}
END_TEST

/* Half of two units forward and a quarter of one to the right; normals a quarter of four to the
 * right, so at 45 degrees. */
START_TEST(all_morph_targets_move_and_turn)
{
    static const float half_and_quarter[2] = {0.5f, 0.25f};
    float forward[18] = {0}, right[18] = {0}, turn[18] = {0};
    for (int v = 0; v < 6; v++) {
        forward[3 * v + 2] = 2.0f;
        right[3 * v] = 1.0f;
        turn[3 * v] = 4.0f;
    }
    const mrwi_scene_target_input targets[2] = {{"forward", forward, NULL, NULL},
                                                {"right", right, turn, NULL}};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mesh.normals = square_normals;
    mesh.targets = targets;
    mesh.target_count = 2;
    mrwi_scene_node_input in = {
        .parent = MRW_NONE, .rest = identity, .weights = half_and_quarter, .weight_count = 2};
    uint32_t node;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &node, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    mrw_scene *scene = finish(b);
    mrw_model *model;
    mrw_renderer *renderer;
    const mrw_posed_draw *posed = pose(scene, MRW_POSE_REST, &model, &renderer);
    ck_assert_uint_eq(posed[0].vertex_count, 4);
    for (uint32_t v = 0; v < 4; v++) {
        const float *got = posed[0].positions + 4 * v, *normal = posed[0].normals + 4 * v;
        ck_assert_float_eq(got[0], scene->positions[3 * v] + 0.25f);
        ck_assert_float_eq(got[1], scene->positions[3 * v + 1]);
        ck_assert_float_eq(got[2], 1.0f);
        ck_assert_float_eq_tol(normal[0], 0.70710678f, 1e-6f);
        ck_assert_float_eq_tol(normal[2], 0.70710678f, 1e-6f);
    }
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

/* A node twice the size: directions stay of unit length, the bitangent's sign stays. */
START_TEST(posed_directions_are_unit)
{
    float tangents[24] = {0};
    for (int v = 0; v < 6; v++) {
        tangents[4 * v] = 1.0f;
        tangents[4 * v + 3] = -1.0f;
    }
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mesh.normals = square_normals;
    mesh.tangents = tangents;
    uint32_t node = add_scaled(b, MRW_NONE, 2, 2, 2);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    mrw_scene *scene = finish(b);
    mrw_model *model;
    mrw_renderer *renderer;
    const mrw_posed_draw *posed = pose(scene, MRW_POSE_REST, &model, &renderer);
    ck_assert_mem_eq(posed[0].normals, ((const float[4]){0, 0, 1, 0}), 4 * sizeof(float));
    ck_assert_mem_eq(posed[0].tangents, ((const float[4]){1, 0, 0, -1}), 4 * sizeof(float));
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

/* One corner of a square without normals is lifted, which bends it along its diagonal: each
 * triangle has the normal of where it lies, and what both share the mean by their areas. In a
 * mirroring node fronts stay fronts. */
START_TEST(flat_normals_are_those_of_the_moved_triangles)
{
    static const float whole[1] = {1.0f};
    float lift[18] = {0};
    lift[17] = 1.0f;
    const mrwi_scene_target_input target = {"lift", lift, NULL, NULL};
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        mrwi_scene_builder *b = begin();
        mrwi_scene_mesh_input mesh = square_mesh();
        mesh.flat_normals = true;
        mesh.targets = &target;
        mesh.target_count = 1;
        mrwi_scene_node_input in = {
            .parent = MRW_NONE, .rest = identity, .weights = whole, .weight_count = 1};
        in.rest.scale[0] = mirrored ? -1.0f : 1.0f;
        uint32_t node;
        ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &node, NULL), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL),
                         MRW_OK);
        mrw_scene *scene = finish(b);
        mrw_model *model;
        mrw_renderer *renderer;
        const mrw_posed_draw *posed = pose(scene, MRW_POSE_REST, &model, &renderer);
        ck_assert_uint_eq(posed[0].vertex_count, 4);
        for (uint32_t v = 0; v < 4; v++) {
            const float *p = scene->positions + 3 * v, *n = posed[0].normals + 4 * v;
            const bool lifted = p[0] < 0.5f && p[1] > 0.5f, below = p[0] > 0.5f && p[1] < 0.5f;
            const double expected[3] = {below ? 0 : 1, below ? 0 : -1, below || lifted ? 1 : 2};
            const double length = sqrt(below ? 1.0 : lifted ? 3.0 : 6.0);
            ck_assert_double_eq_tol(n[0], (mirrored ? -1 : 1) * expected[0] / length, 1e-6);
            ck_assert_double_eq_tol(n[1], expected[1] / length, 1e-6);
            ck_assert_double_eq_tol(n[2], expected[2] / length, 1e-6);
        }
        mrw_renderer_free(renderer);
        mrw_model_free(model);
        mrw_scene_free(scene);
    }
}
END_TEST

/* ---- cameras and framing --------------------------------------------------------------------- */

static void add_translations(mrwi_scene_builder *b, uint32_t node, uint32_t keys,
                             const double *times, const float *values)
{
    mrwi_scene_channel_input channel = linear(node, MRW_PATH_TRANSLATION, 3, keys, times, values);
    add_channel(b, &channel);
}

/* The file's parallel camera moves half a square to the right, so the square half out to the left.
 */
START_TEST(a_camera_of_the_file_moves_with_its_node)
{
    static const double times[2] = {0, 1};
    static const float positions[6] = {0.5f, 0.5f, 5, 1.5f, 0.5f, 5};
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = textured_square(add_material(b, &material));
    mrw_scene_camera camera = {.node = add_node_at(b, 0.5f, 0.5f, 5),
                               .orthographic = 1,
                               .yfov = 1, /* means nothing here */
                               .xmag = 0.5f,
                               .ymag = 0.5f,
                               .near_plane = 1,
                               .far_plane = 10};
    ck_assert_int_eq(mrwi_scene_builder_camera(b, "front", &camera, NULL), MRW_OK);
    add_clip(b, "move", 0);
    add_translations(b, camera.node, 2, times, positions);
    mrw_frame_def def = frame_of_unit_square(MRW_SHADING_RAW);
    def.camera = camera_at(100, 100, 1); /* not used */
    def.scene_camera = 0;
    picture p = draw_at(scene_of(b, &mesh), &def, 0.5);
    for (int x = 0; x < SIDE; x++) {
        expect(&p, x, 3, x < SIDE / 2 ? white : grey);
    }
}
END_TEST

static mrw_extents extents_of(const mrw_instance *instance, mrw_fit fit)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    ck_assert_int_eq(
        mrw_frame_extents(instance, 1, fit, &view, 1.0f, MRW_ISA_AUTO, 1, &extents, NULL), MRW_OK);
    return extents;
}

/* Clip 0 takes a square from x = 3 to 4 in 0.05 s, which is no multiple of 1/30 s; clip 1 takes it
 * to x = 10 and back in 100 s, measured at 600 even times; the rest pose has it at x = 0. */
START_TEST(fits_measure_what_they_say)
{
    static const double short_times[2] = {0, 0.05}, long_times[3] = {0, 50, 100};
    static const float to_four[6] = {3, 0, 0, 4, 0, 0}, to_ten[9] = {0, 0, 0, 10, 0, 0, 0, 0, 0};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    uint32_t node = add_node(b, "square", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    add_clip(b, "short", 0);
    add_translations(b, node, 2, short_times, to_four);
    add_clip(b, "long", 0);
    add_translations(b, node, 3, long_times, to_ten);
    mrw_scene *scene = finish(b);
    mrw_model *model;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_RAW, 1, &model, NULL), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    mrw_extents extents = extents_of(&instance, MRW_FIT_CLIP);
    ck_assert_float_eq(extents.aabb_min[0], 3.0f);
    ck_assert_float_eq(extents.aabb_max[0], 5.0f);
    extents = extents_of(&instance, MRW_FIT_FRAME);
    ck_assert_float_eq(extents.aabb_max[0], 4.0f);
    extents = extents_of(&instance, MRW_FIT_REST);
    ck_assert_float_eq(extents.aabb_min[0], 0.0f);
    ck_assert_float_eq(extents.aabb_max[0], 1.0f);
    const double highest = 10.0 * (299 * 100.0 / 599) / 50; /* the last time before the turn */
    extents = extents_of(&instance, MRW_FIT_ALL);
    ck_assert_float_eq(extents.aabb_min[0], 0.0f);
    ck_assert_double_eq_tol(extents.aabb_max[0], 1 + highest, 1e-5);
    ck_assert_uint_eq(extents.count, 4 * (3 + 600));
    instance.clip = 1;
    extents = extents_of(&instance, MRW_FIT_CLIP);
    ck_assert_double_eq_tol(extents.aabb_max[0], 1 + highest, 1e-5);
    ck_assert_uint_eq(extents.count, 4 * 600);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame looks");
    TCase *textures = test_case(s, "textures");
    tcase_add_test(textures, each_axis_wraps_in_its_own_way);
    tcase_add_test(textures, pixel_art_stays_sharp);
    tcase_add_test(textures, coordinates_are_chosen_and_transformed);
    tcase_add_test(textures, raw_and_unlit_keep_bytes);
    TCase *surfaces = test_case(s, "surfaces");
    tcase_add_test(surfaces, vertex_colors_tint);
    tcase_add_test(surfaces, backs_are_drawn_when_asked_for);
    tcase_add_test(surfaces, the_cutoff_is_the_material_s);
    tcase_add_test(surfaces, cutoffs_of_an_image_keep_their_coverage);
    tcase_add_test(surfaces, highlights_stand_where_the_eye_sees_them);
    tcase_add_test(surfaces, lambert_has_one_light);
    tcase_add_test(surfaces, any_number_of_lights_may_shine);
    tcase_add_test(surfaces, darkness_is_black);
    tcase_add_test(surfaces, exposure_and_tone_map_reach_lit_pictures);
    tcase_add_test(surfaces, clear_backgrounds_have_alpha);
    TCase *shapes = test_case(s, "shapes");
    tcase_add_test(shapes, a_mirroring_joint_turns_no_triangle_round);
    tcase_add_test(shapes, vertices_without_influences_follow_their_node_unless_bound);
    tcase_add_test(shapes, all_morph_targets_move_and_turn);
    tcase_add_test(shapes, posed_directions_are_unit);
    tcase_add_test(shapes, flat_normals_are_those_of_the_moved_triangles);
    TCase *cameras = test_case(s, "cameras");
    tcase_add_test(cameras, a_camera_of_the_file_moves_with_its_node);
    tcase_add_test(cameras, fits_measure_what_they_say);
    return s;
}

TEST_MAIN(suite())
