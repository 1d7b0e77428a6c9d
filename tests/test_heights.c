/* test_heights.c: bump maps: normals of heights by hand and by an evaluator in double, normal maps
 * in their place, and pictures of bumps that are seen, by the light on them, not to be dents. */
#include "scene_fixture.h"

#include <marrow/marrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- normals --------------------------------------------------------------------------------- */

static void grey(uint8_t *texel, int height)
{
    texel[0] = texel[1] = texel[2] = (uint8_t)height;
    texel[3] = 255;
}

static void check_texel(const uint8_t *got, int r, int g, int b)
{
    ck_assert_msg(got[0] == r && got[1] == g && got[2] == b && got[3] == 255,
                  "%d %d %d, not %d %d %d", got[0], got[1], got[2], r, g, b);
}

/* Four texels that rise by a third each. The relief of a map of four is 4 / 256 of a texel, so a
 * scale of 1 / 64 makes the slope 1 / 3, and a half of that at the ends, which lack a neighbour:
 * (-1, 0, 3) / sqrt 10 is (-0.3162, 0, 0.9487), (-1, 0, 6) / sqrt 37 is (-0.1644, 0, 0.9864). Where
 * it repeats, the ends fall to each other by a third. */
START_TEST(a_ramp_by_hand)
{
    uint8_t heights[16], normals[16];
    for (int i = 0; i < 4; i++) {
        grey(heights + 4 * i, 85 * i);
    }
    mrw_raster_heights_to_normals(heights, 4, 1, false, true, 1.0f / 64, normals);
    check_texel(normals, 107, 128, 253);
    check_texel(normals + 4, 87, 128, 248);
    check_texel(normals + 8, 87, 128, 248);
    check_texel(normals + 12, 107, 128, 253);
    mrw_raster_heights_to_normals(heights, 4, 1, true, false, 1.0f / 64, normals);
    check_texel(normals, 168, 128, 248);
    check_texel(normals + 4, 87, 128, 248);
    check_texel(normals + 12, 168, 128, 248);
    /* from the top down: what rises downwards leans up */
    mrw_raster_heights_to_normals(heights, 1, 4, true, false, 1.0f / 64, normals);
    check_texel(normals, 128, 148, 253);
    check_texel(normals + 4, 128, 168, 248);
    check_texel(normals + 12, 128, 148, 253);
    mrw_raster_heights_to_normals(heights, 1, 4, true, true, 1.0f / 64, normals);
    check_texel(normals, 128, 87, 248);
    check_texel(normals + 8, 128, 168, 248);
}
END_TEST

/* The height there, where a map goes on. */
static double height_at(const uint8_t *rgba, const int size[2], const bool repeats[2], int x, int y)
{
    int at[2] = {x, y};
    for (int k = 0; k < 2; k++) {
        if (repeats[k]) {
            at[k] = (at[k] + size[k]) % size[k];
        } else {
            at[k] = at[k] < 0 ? 0 : at[k] >= size[k] ? size[k] - 1 : at[k];
        }
    }
    const uint8_t *texel = rgba + 4 * (at[1] * size[0] + at[0]);
    return (texel[0] + texel[1] + texel[2]) / 765.0;
}

/* Any size, colour and wrap: the mean of three central differences, the middle one twice. */
START_TEST(slopes_by_an_evaluator)
{
    static const int sizes[][2] = {{1, 1}, {1, 5}, {6, 1}, {2, 2}, {7, 5}, {32, 48}};
    for (int i = 0; i < (int)COUNT(sizes) * 4; i++) {
        const int *size = sizes[i / 4], w = size[0], h = size[1];
        const bool repeats[2] = {(i & 1) != 0, (i & 2) != 0};
        const double scale = 0.125, relief = (w > h ? w : h) / 256.0 / scale;
        uint8_t heights[32 * 48 * 4], normals[32 * 48 * 4];
        for (int k = 0; k < w * h * 4; k++) {
            heights[k] = (uint8_t)random_u32();
        }
        mrw_raster_heights_to_normals(heights, (uint32_t)w, (uint32_t)h, repeats[0], repeats[1],
                                      (float)scale, normals);
        for (int k = 0; k < w * h; k++) {
            double right = 0, up = 0;
            for (int d = -1; d <= 1; d++) {
                const int x = k % w, y = k / w;
                const double weight = (d == 0 ? 2 : 1) / 4.0 / 2.0;
                right += weight * (height_at(heights, size, repeats, x + 1, y + d) -
                                   height_at(heights, size, repeats, x - 1, y + d));
                up += weight * (height_at(heights, size, repeats, x + d, y - 1) -
                                height_at(heights, size, repeats, x + d, y + 1));
            }
            right *= relief;
            up *= relief;
            const double length = sqrt(right * right + up * up + 1);
            const double n[3] = {-right / length, -up / length, 1 / length};
            for (int c = 0; c < 3; c++) {
                ck_assert_double_eq_tol(normals[4 * k + c], 127.5 + 127.5 * n[c], 0.5001);
            }
        }
    }
}
END_TEST

/* ---- how steep, and whether it is one -------------------------------------------------------- */

/* Ramps of a grey level each texel, of which both ends rise by a half. */
START_TEST(scales_follow_steepness)
{
    uint8_t flat[64], steep[64 * 64 * 4], heights[256 * 4 * 4];
    for (uint32_t w = 16; w <= 256; w *= 2) {
        for (uint32_t k = 0; k < w * 4; k++) {
            grey(heights + 4 * k, (int)(k % w));
        }
        const double mean = w / 256.0 / 255.0 * sqrt((w - 1.5) / w);
        const double scale = (double)mrw_raster_height_scale(heights, w, 4);
        ck_assert_double_eq(scale * 64, floor(scale * 64));
        ck_assert(scale == 1.0 / 64 || (mean / scale >= 0.25 && mean / scale < 0.5));
    }
    memset(flat, 99, sizeof flat);
    ck_assert_float_eq(mrw_raster_height_scale(flat, 4, 4), 1.0f / 64);
    /* walls two texels thick: all texels but the first and the last of a row rise or fall by 1/2 */
    for (int k = 0; k < 64 * 64; k++) {
        grey(steep + 4 * k, k % 4 < 2 ? 0 : 255);
    }
    ck_assert_float_eq(mrw_raster_height_scale(steep, 64, 64), 0.25f);
}
END_TEST

static void fill(uint8_t *rgba, int count, int r, int g, int b, int noise)
{
    for (int i = 0; i < count; i++) {
        const int shake = noise > 0 ? (int)(random_u32() % (uint32_t)(2 * noise + 1)) - noise : 0;
        const int texel[4] = {r + shake, g - shake, b + shake, 255};
        for (int c = 0; c < 4; c++) {
            rgba[4 * i + c] = (uint8_t)(texel[c] < 0 ? 0 : texel[c] > 255 ? 255 : texel[c]);
        }
    }
}

START_TEST(normal_maps_are_told_from_heights)
{
    enum { COUNT_ = 64 * 32 };
    static uint8_t rgba[COUNT_ * 4];
    static const struct {
        int r, g, b;
        bool normals;
    } cases[] = {
        {128, 128, 255, true},  {200, 128, 230, true},  {128, 60, 235, true},
        {128, 128, 128, false}, {255, 255, 255, false}, {0, 0, 0, false},
        {201, 201, 201, false}, /* grey of unit length */
        {150, 90, 70, false},   /* bricks */
        {90, 120, 200, false},  /* the sky */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fill(rgba, COUNT_, cases[i].r, cases[i].g, cases[i].b, 8);
        ck_assert_msg(mrw_raster_are_normals(rgba, 64, 32) == cases[i].normals, "%zu", i);
    }
    fill(rgba, COUNT_, 128, 128, 255, 0); /* an atlas that is empty in less than a half */
    fill(rgba, COUNT_ * 2 / 5, 0, 0, 0, 0);
    ck_assert(mrw_raster_are_normals(rgba, 64, 32));
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

#define SIDE 32

typedef struct picture {
    uint8_t at[SIDE][SIDE][3];
} picture;

/* From one of the four sides, 45 degrees above the surface. */
typedef enum side { LEFT, RIGHT, TOP, BOTTOM } side;

/* Draws a square of 0 ... 1 seen straight on from +Z, matt and white, and frees it. */
static picture draw(mrw_scene *scene, side from)
{
    static const float directions[4][3] = {{-1, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, -1, 1}};
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 5, 1}};
    const mrw_lens lens = {.xmag = 0.5f, .ymag = 0.5f, .near_plane = 1, .far_plane = 10};
    mrw_light light = {.color = {1, 1, 1}};
    const mrw_lighting lighting = {.lights = &light, .light_count = 1, .up = {0, 1, 0}};
    mrw_frame_def def = mrw_frame_def_default();
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_image image = {0};
    picture out;
    for (int k = 0; k < 3; k++) {
        light.to_light[k] = directions[from][k] * 0.70710678f;
    }
    def.width = def.height = SIDE;
    def.samples = 1;
    def.lighting = &lighting;
    def.tonemap = MRW_TONEMAP_NONE;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &def.camera, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 1, &image, NULL), MRW_OK);
    memcpy(&out, image.pixels, sizeof out);
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    return out;
}

/* A pyramid in the middle third, as high as a map of strength 64 has it: a quarter of the side, so
 * that its faces have a slope of 3 / 2. */
#define MAP 48
static void pyramid(uint8_t rgba[MAP * MAP * 4])
{
    for (int k = 0; k < MAP * MAP; k++) {
        const int x = abs(2 * (k % MAP) + 1 - MAP), y = abs(2 * (k / MAP) + 1 - MAP);
        const int away = x > y ? x : y;
        grey(rgba + 4 * k, away < 16 ? 255 - 255 * away / 16 : 0);
    }
}

static mrw_scene *bumpy_square(const uint8_t *rgba, mrw_map map, float strength)
{
    static const float uvs[12] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};
    static const float normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    const mrwi_scene_image_input image = {
        .name = "bumps", .width = MAP, .height = MAP, .rgba = rgba};
    mrw_texture texture = {.wrap_u = MRW_WRAP_CLAMP, .wrap_v = MRW_WRAP_CLAMP};
    mrw_material material = mrw_material_default();
    material.model = MRW_MATERIAL_CLASSIC;
    memset(material.maps[MRW_MAP_SPECULAR].factor, 0, 3 * sizeof(float));
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &texture.image, NULL), MRW_OK);
    ck_assert_int_eq(
        mrwi_scene_builder_texture(b, NULL, &texture, &material.maps[map].texture, NULL), MRW_OK);
    material.maps[map].factor[0] = strength;
    material.maps[map].factor[1] = strength;
    ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, &material, &mesh.material, NULL), MRW_OK);
    mesh.normals = normals;
    mesh.uvs[0] = uvs;
    const uint32_t node = add_node(b, "square", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

static double encoded(double light)
{
    return light > 0 ? 255 * (1.055 * pow(light, 1 / 2.4) - 0.055) : 0;
}

/* The middles of the four faces of a pyramid, whose normal is (-+slope, 0, 1) or (0, +-slope, 1) of
 * unit length, under light from (+-1, 0, 1) / sqrt 2 or (0, +-1, 1) / sqrt 2. */
static void check_faces(const picture *p, double slope, side from)
{
    static const int at[4][2] = {{13, 16}, {18, 16}, {16, 13}, {16, 18}};
    for (int face = 0; face < 4; face++) {
        const bool across = face / 2 == (int)from / 2;
        const double towards = !across ? 0 : (int)from == face ? slope : -slope;
        /* where a face leans aside, its normal only grows longer before it is made unit again */
        const double aside = across ? 1 : sqrt(slope * slope + 1);
        const double expected = encoded((towards + 1) / sqrt(2 * (towards * towards + 1)) / aside);
        const int got = p->at[at[face][1]][at[face][0]][0];
        ck_assert_msg(fabs(got - expected) < 4, "face %d, light %d: %d, not %g", face, (int)from,
                      got, expected);
    }
    ck_assert_double_eq_tol(p->at[4][4][0], encoded(sqrt(0.5)), 1.5);
}

/* Bumps, not dents: the side that faces the light is the bright one. */
START_TEST(bumps_face_the_light)
{
    static uint8_t rgba[MAP * MAP * 4];
    pyramid(rgba);
    for (side from = LEFT; from <= BOTTOM; from++) {
        picture p = draw(bumpy_square(rgba, MRW_MAP_HEIGHT, 64), from);
        check_faces(&p, 1.5, from);
        p = draw(bumpy_square(rgba, MRW_MAP_HEIGHT, 16), from);
        check_faces(&p, 0.375, from);
        p = draw(bumpy_square(rgba, MRW_MAP_HEIGHT, -16), from);
        check_faces(&p, -0.375, from);
        p = draw(bumpy_square(rgba, MRW_MAP_HEIGHT, 0), from);
        check_faces(&p, 0, from);
    }
}
END_TEST

/* A normal map is one in either place, at whatever strength. */
START_TEST(normals_in_their_place)
{
    static uint8_t rgba[MAP * MAP * 4], normals[MAP * MAP * 4];
    pyramid(rgba);
    mrw_raster_heights_to_normals(rgba, MAP, MAP, false, false, 1.0f / 16, normals);
    ck_assert(mrw_raster_are_normals(normals, MAP, MAP));
    const picture a = draw(bumpy_square(normals, MRW_MAP_HEIGHT, 5), LEFT);
    const picture b = draw(bumpy_square(normals, MRW_MAP_NORMAL, 1), LEFT);
    ck_assert_mem_eq(&a, &b, sizeof a);
    check_faces(&a, 0.375, LEFT);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

static void write_pyramid(void)
{
    static uint8_t rgba[MAP * MAP * 4];
    mrw_image image = {MAP, MAP, 4, MRW_FORMAT_U8, rgba, NULL};
    mrw_bytes png = {0};
    pyramid(rgba);
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    test_write(test_path("pyramid.png"), png.data, png.size);
    mrw_bytes_free(&png);
}

/* The square with a matt white material, as OBJ and as Collada have it. */
static const char obj[] =
    "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
    "vt 0 1\nvn 0 0 1\nusemtl m\nf 1/1/1 2/2/1 3/3/1 4/4/1\n";
static const char mtl[] = "newmtl m\nKd 1 1 1\nillum 1\nmap_bump -bm 16 -clamp on pyramid.png\n";
static const char dae[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
    "version='1.4.1'><asset><up_axis>Y_UP</up_axis></asset><library_images><image id='i'>"
    "<init_from>pyramid.png</init_from></image></library_images><library_effects><effect id='e'>"
    "<profile_COMMON><newparam sid='s'><surface type='2D'><init_from>i</init_from></surface>"
    "</newparam><newparam sid='p'><sampler2D><source>s</source></sampler2D></newparam><technique "
    "sid='c'><lambert><diffuse><color>1 1 1 1</color></diffuse></lambert><extra><technique "
    "profile='FCOLLADA'><bump><texture texture='p' texcoord='UV'><extra><technique profile='MAYA'>"
    "<amount>16</amount></technique></extra></texture></bump></technique></extra></technique>"
    "</profile_COMMON></effect></library_effects><library_materials><material id='m'>"
    "<instance_effect url='#e'/></material></library_materials><library_geometries><geometry "
    "id='g'><mesh><source id='v'><float_array id='va' count='12'>0 0 0 1 0 0 1 1 0 0 1 0"
    "</float_array><technique_common><accessor source='#va' count='4' stride='3'><param name='X' "
    "type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"
    "</technique_common></source><source id='u'><float_array id='ua' count='8'>0 0 1 0 1 1 0 1"
    "</float_array><technique_common><accessor source='#ua' count='4' stride='2'><param name='S' "
    "type='float'/><param name='T' type='float'/></accessor></technique_common></source><vertices "
    "id='p'><input semantic='POSITION' source='#v'/></vertices><triangles count='2' material='mm'>"
    "<input semantic='VERTEX' source='#p' offset='0'/><input semantic='TEXCOORD' source='#u' "
    "offset='0' set='0'/><p>0 1 2 0 2 3</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id='w'><node id='n'><instance_geometry url='#g'>"
    "<bind_material><technique_common><instance_material symbol='mm' target='#m'>"
    "<bind_vertex_input semantic='UV' input_semantic='TEXCOORD' input_set='0'/>"
    "</instance_material></technique_common></bind_material></instance_geometry></node>"
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/></scene>"
    "</COLLADA>";

static mrw_scene *load_bumps(const char *name, const char *file)
{
    mrw_error error = {0};
    mrw_scene *scene = NULL;
    mrw_status status =
        mrw_load_memory(file, strlen(file), name, test_folder(), NULL, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

/* Strength 16 of files: what faces the light is bright, by as much as follows by hand. One that is
 * not there is named, and what is left is level. */
START_TEST(bumps_of_files)
{
    static const struct {
        const char *name, *file;
    } files[] = {{"a.obj", obj}, {"a.dae", dae}};
    test_write_text(test_path("a.mtl"), mtl);
    for (size_t there = 0; there < 2; there++) {
        for (size_t i = 0; i < COUNT(files); i++) {
            for (side from = LEFT; from <= BOTTOM; from++) {
                mrw_scene *s = load_bumps(files[i].name, files[i].file);
                ck_assert_uint_eq(s->warnings_count, there ? 0 : 1);
                ck_assert(there || warned(s, "texture \"pyramid.png\" does not exist"));
                const picture p = draw(s, from);
                check_faces(&p, there ? 0.375 : 0, from);
            }
        }
        write_pyramid();
    }
    test_folder_remove();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("heights");
    TCase *tc = tcase_create("heights");
    tcase_add_test(tc, a_ramp_by_hand);
    tcase_add_test(tc, slopes_by_an_evaluator);
    tcase_add_test(tc, scales_follow_steepness);
    tcase_add_test(tc, normal_maps_are_told_from_heights);
    tcase_add_test(tc, bumps_face_the_light);
    tcase_add_test(tc, normals_in_their_place);
    tcase_add_test(tc, bumps_of_files);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
