/* test_data_modes.c: shading modes that show data instead of light. Channels of the rasterizer on a
 * square over the whole picture, whose pixels follow by hand; modes that frames make of vertices on
 * scenes of one square. That lanes give the bits of scalar is in test_shade.c and test_kernels.c.
 */
#include "scene_fixture.h"

#include <marrow/frame.h>

#define SIDE 8

static const uint8_t grey[3] = {90, 90, 90}; /* the background */

/* ---- channels -------------------------------------------------------------------------------- */

typedef struct quad {
    float positions[4][4], normals[4][4], tangents[4][4], colors[4][4], uvs[4][2];
    mrw_raster_texture *textures[4];
    uint32_t texture_count;
    mrw_raster_material material;
    mrw_raster_draw draw;
} quad;

/* A front that faces +z, tangents along +x; no maps, a plain surface. */
static void begin_quad(quad *q)
{
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    memset(q, 0, sizeof *q);
    for (int i = 0; i < 4; i++) {
        const float at[4] = {i / 2 ? 1.0f : -1.0f, i % 2 ? -1.0f : 1.0f, 0.5f, 1.0f};
        memcpy(q->positions[i], at, sizeof at);
        q->normals[i][2] = q->tangents[i][0] = q->tangents[i][3] = 1.0f;
    }
    q->material = (mrw_raster_material){.base_color = {0.5f, 0.25f, 1.0f, 0.3f},
                                        .metallic = 0.4f,
                                        .roughness = 0.6f,
                                        .specular_color = {1, 1, 1},
                                        .glossiness = 0.75f,
                                        .emissive = {0.2f, 0.4f, 2.0f},
                                        .normal_scale = 0.5f,
                                        .occlusion_strength = 0.5f,
                                        .double_sided = true,
                                        .uv_transform = {1, 0, 0, 0, 1, 0}};
    q->draw = (mrw_raster_draw){.vertex_count = 4,
                                .triangle_count = 2,
                                .indices = indices,
                                .positions = q->positions[0],
                                .normals = q->normals[0],
                                .uvs = q->uvs[0],
                                .tangents = q->tangents[0],
                                .id = 1,
                                .material = &q->material};
}

static void end_quad(quad *q)
{
    for (uint32_t i = 0; i < q->texture_count; i++) {
        mrw_raster_texture_free(q->textures[i]);
    }
}

/* A map of one texel. */
static void put_map(quad *q, mrw_raster_map_kind kind, mrw_encoding encoding, uint8_t r, uint8_t g,
                    uint8_t b)
{
    const uint8_t texel[4] = {r, g, b, 255};
    mrw_raster_texture **texture = &q->textures[q->texture_count++];
    ck_assert_int_eq(mrw_raster_texture_create(texel, 1, 1, encoding, texture, NULL), MRW_OK);
    q->material.maps[kind].texture = *texture;
}

static void draw_quad(const quad *q, mrw_shading shading, mrw_shading_channel channel,
                      uint8_t out[3])
{
    static const mrw_mat4 unmoved = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    uint8_t pixels[SIDE * SIDE * 3];
    mrw_raster *raster;
    const mrw_target target = {.kind = MRW_TARGET_COLOR,
                               .format = MRW_FORMAT_U8,
                               .channels = 3,
                               .data = pixels,
                               .stride = SIDE * 3};
    const mrw_raster_job job = {.draws = &q->draw,
                                .draw_count = 1,
                                .view = {.world_to_clip = unmoved, .orthographic = true},
                                .shading = shading,
                                .channel = channel,
                                .filter = MRW_FILTER_TRILINEAR,
                                .exposure = 7.0f, /* not read */
                                .tonemap = MRW_TONEMAP_ACES,
                                .samples = 1,
                                .background = {90, 90, 90, 255},
                                .width = SIDE,
                                .height = SIDE,
                                .targets = &target,
                                .target_count = 1,
                                .threads = 1};
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    mrw_raster_free(raster);
    memcpy(out, pixels + (3 * SIDE + 4) * 3, 3);
    ck_assert_int_eq(memcmp(out, pixels, 3), 0); /* it is plain */
}

static uint8_t byte_of(double x)
{
    return (uint8_t)((x < 0 ? 0 : x > 1 ? 1 : x) * 255.0 + 0.5);
}

static uint8_t encoded(double x)
{
    return byte_of(x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055);
}

static void expect_bytes(const uint8_t got[3], int r, int g, int b, const char *what)
{
    ck_assert_msg(abs(got[0] - r) <= 1 && abs(got[1] - g) <= 1 && abs(got[2] - b) <= 1,
                  "%s is %d %d %d, not %d %d %d", what, got[0], got[1], got[2], r, g, b);
}

static void expect_channel(const quad *q, mrw_shading_channel channel, double r, double g, double b)
{
    uint8_t got[3];
    draw_quad(q, MRW_SHADING_CHANNEL, channel, got);
    expect_bytes(got, byte_of(r), byte_of(g), byte_of(b), mrw_shading_channel_name(channel));
}

static void expect_color(const quad *q, mrw_shading_channel channel, double r, double g, double b)
{
    uint8_t got[3];
    draw_quad(q, MRW_SHADING_CHANNEL, channel, got);
    expect_bytes(got, encoded(r), encoded(g), encoded(b), mrw_shading_channel_name(channel));
}

START_TEST(channels_without_maps)
{
    quad q;
    begin_quad(&q);
    expect_color(&q, MRW_CHANNEL_BASE, 0.5, 0.25, 1);
    expect_channel(&q, MRW_CHANNEL_ALPHA, 0.3, 0.3, 0.3);
    expect_channel(&q, MRW_CHANNEL_METALLIC, 0.4, 0.4, 0.4);
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, 0.6, 0.6, 0.6);
    expect_channel(&q, MRW_CHANNEL_OCCLUSION, 1, 1, 1);
    expect_color(&q, MRW_CHANNEL_EMISSIVE, 0.2, 0.4, 1);
    expect_channel(&q, MRW_CHANNEL_NORMAL_MAP, 0.5, 0.5, 1);
    expect_channel(&q, MRW_CHANNEL_NORMAL, 0.5, 0.5, 1);
    expect_channel(&q, MRW_CHANNEL_GEOMETRY_NORMAL, 0.5, 0.5, 1);
    expect_channel(&q, MRW_CHANNEL_TANGENT, 1, 0.5, 0.5);
    expect_channel(&q, MRW_CHANNEL_TANGENT_W, 1, 1, 1);
    expect_channel(&q, MRW_CHANNEL_VERTEX_COLOR, 1, 1, 1);
    expect_channel(&q, MRW_CHANNEL_UV0, 0, 0, 0);
    q.material.roughness = 0.0f; /* no lamp sees less than 0.045 */
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, 0.045, 0.045, 0.045);
    q.draw.tangents = NULL;
    expect_channel(&q, MRW_CHANNEL_TANGENT, 0.5, 0.5, 0.5);
    expect_channel(&q, MRW_CHANNEL_TANGENT_W, 0.5, 0.5, 0.5);
    end_quad(&q);
}
END_TEST

/* Roughness 128 / 255, metallic 64 / 255; occlusion 1 + (0.4 - 1) / 2. */
START_TEST(channels_with_maps)
{
    quad q;
    begin_quad(&q);
    put_map(&q, MRW_RASTER_MAP_METALLIC_ROUGHNESS, MRW_ENCODING_DATA, 0, 128, 64);
    put_map(&q, MRW_RASTER_MAP_OCCLUSION, MRW_ENCODING_DATA, 102, 0, 0);
    put_map(&q, MRW_RASTER_MAP_EMISSIVE, MRW_ENCODING_COLOR, 255, 0, 255);
    put_map(&q, MRW_RASTER_MAP_NORMAL, MRW_ENCODING_DATA, 192, 100, 224);
    const double metallic = 0.4 * 64 / 255, roughness = 0.6 * 128 / 255;
    expect_channel(&q, MRW_CHANNEL_METALLIC, metallic, metallic, metallic);
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, roughness, roughness, roughness);
    expect_channel(&q, MRW_CHANNEL_OCCLUSION, 0.7, 0.7, 0.7);
    expect_color(&q, MRW_CHANNEL_EMISSIVE, 0.2, 0, 1);
    const double x = (2 * 192 / 255.0 - 1) / 2, y = (2 * 100 / 255.0 - 1) / 2,
                 z = 2 * 224 / 255.0 - 1, length = sqrt(x * x + y * y + z * z);
    const double n[3] = {x / length, y / length, z / length};
    expect_channel(&q, MRW_CHANNEL_NORMAL_MAP, n[0] / 2 + 0.5, n[1] / 2 + 0.5, n[2] / 2 + 0.5);
    expect_channel(&q, MRW_CHANNEL_NORMAL, n[0] / 2 + 0.5, n[1] / 2 + 0.5, n[2] / 2 + 0.5);
    for (int i = 0; i < 4; i++) { /* a quarter turn, and mirrored: T is +y, B = (N x T) w is +x */
        q.tangents[i][0] = 0.0f, q.tangents[i][1] = 5.0f, q.tangents[i][3] = -1.0f;
    }
    expect_channel(&q, MRW_CHANNEL_NORMAL_MAP, n[0] / 2 + 0.5, n[1] / 2 + 0.5, n[2] / 2 + 0.5);
    expect_channel(&q, MRW_CHANNEL_NORMAL, n[1] / 2 + 0.5, n[0] / 2 + 0.5, n[2] / 2 + 0.5);
    expect_channel(&q, MRW_CHANNEL_GEOMETRY_NORMAL, 0.5, 0.5, 1);
    expect_channel(&q, MRW_CHANNEL_TANGENT, 0.5, 1, 0.5);
    expect_channel(&q, MRW_CHANNEL_TANGENT_W, 0, 0, 0);
    q.draw.mirrored = true; /* its back is seen */
    expect_channel(&q, MRW_CHANNEL_GEOMETRY_NORMAL, 0.5, 0.5, 0);
    end_quad(&q);
}
END_TEST

START_TEST(other_surfaces_have_what_they_have)
{
    quad q;
    begin_quad(&q);
    q.material.surface = MRW_SURFACE_SPECULAR_GLOSSINESS;
    expect_channel(&q, MRW_CHANNEL_METALLIC, 0, 0, 0);
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, 0.25, 0.25, 0.25);
    q.material.surface = MRW_SURFACE_CLASSIC;
    expect_channel(&q, MRW_CHANNEL_METALLIC, 0, 0, 0);
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, 1, 1, 1);
    q.material.shininess = 30; /* (2 / 32)^(1/4) */
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, 0.5, 0.5, 0.5);
    q.material.unlit = true;
    expect_channel(&q, MRW_CHANNEL_NORMAL, 0.5, 0.5, 1);
    end_quad(&q);
}
END_TEST

/* Numbers are numbers; the colours of a draw are colours as a channel alone. */
START_TEST(vertex_colors_and_coordinates)
{
    quad q;
    uint8_t got[3];
    begin_quad(&q);
    for (int i = 0; i < 4; i++) {
        const float color[4] = {1.25f, -0.25f, 0.5f, 1.0f};
        memcpy(q.colors[i], color, sizeof color);
    }
    q.draw.colors = q.colors[0];
    expect_channel(&q, MRW_CHANNEL_UV0, 0.25, 0.75, 0);
    expect_channel(&q, MRW_CHANNEL_UV1, 0.25, 0.75, 0);
    expect_color(&q, MRW_CHANNEL_VERTEX_COLOR, 1, 0, 0.5);
    expect_color(&q, MRW_CHANNEL_BASE, 0.625, 0, 0.5);
    for (mrw_shading shading = MRW_SHADING_DEPTH; shading <= MRW_SHADING_WEIGHTS; shading++) {
        draw_quad(&q, shading, MRW_CHANNEL_BASE, got);
        expect_bytes(got, 255, 0, 128, mrw_shading_info_of(shading)->name);
    }
    draw_quad(&q, MRW_SHADING_UV, MRW_CHANNEL_BASE, got);
    expect_bytes(got, 64, 191, 0, "uv");
    draw_quad(&q, MRW_SHADING_NORMAL, MRW_CHANNEL_BASE, got);
    expect_bytes(got, 128, 128, 255, "normal");
    end_quad(&q);
}
END_TEST

/* Masks cut holes, and what blends mixes with what is behind it. */
START_TEST(alpha_counts)
{
    quad q;
    uint8_t got[3];
    begin_quad(&q);
    q.material.alpha_mode = 1;
    q.material.alpha_cutoff = 0.5f;
    draw_quad(&q, MRW_SHADING_CHANNEL, MRW_CHANNEL_ROUGHNESS, got);
    ck_assert_int_eq(memcmp(got, grey, 3), 0);
    q.material.alpha_cutoff = 0.25f;
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, 0.6, 0.6, 0.6);
    q.material.alpha_mode = 2;
    const double mixed = 0.3 * 0.6 + 0.7 * 90 / 255;
    expect_channel(&q, MRW_CHANNEL_ROUGHNESS, mixed, mixed, mixed);
    end_quad(&q);
}
END_TEST

/* ---- modes of frames ------------------------------------------------------------------------- */

/* u to the right, v down: the square's corners in the order of `square`. */
static const float square_uvs[12] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};

/* A parallel camera in front of the unit square, near and far 1 and 10 from z = 5. */
static mrw_frame_def frame_of(mrw_shading shading)
{
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 5, 1}};
    const mrw_lens lens = {.xmag = 0.5f, .ymag = 0.5f, .near_plane = 1, .far_plane = 10};
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = SIDE;
    def.samples = 1;
    def.shading = shading;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &def.camera, NULL), MRW_OK);
    return def;
}

/* A square that is moved by two joints where weights are given, float[2] a corner. */
static mrw_scene *square_scene(const float *positions, const float *weights)
{
    static const uint32_t joints[12] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    uint32_t skin = MRW_NONE;
    const uint32_t node = add_node(b, "square", MRW_NONE);
    mesh.positions = positions;
    mesh.uvs[0] = square_uvs;
    if (weights) {
        const uint32_t nodes[2] = {add_node(b, "hips", MRW_NONE), add_node(b, "knee", MRW_NONE)};
        mesh.influence_count = mesh.joint_limit = 2;
        mesh.joints = joints;
        mesh.weights = weights;
        ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 2, &skin, NULL), MRW_OK);
    }
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    return finish(b);
}

/* Pixel (3, 4), whose centre is at 0.4375 across and 0.5625 down. */
static void pixel_of(const float *positions, const float *weights, const mrw_frame_def *def,
                     uint8_t out[3])
{
    mrw_scene *scene = square_scene(positions, weights);
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_image image = {0};
    ck_assert_int_eq(mrw_model_create(scene, def->shading, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    ck_assert_int_eq(mrw_render(renderer, def, &instance, 1, 1, &image, NULL), MRW_OK);
    memcpy(out, image.pixels + (4 * SIDE + 3) * 3, 3);
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}

START_TEST(coordinates_of_sets)
{
    uint8_t got[3];
    mrw_frame_def def = frame_of(MRW_SHADING_UV);
    pixel_of(square, NULL, &def, got);
    expect_bytes(got, byte_of(0.4375), byte_of(0.5625), 0, "uv");
    def = frame_of(MRW_SHADING_CHANNEL);
    def.channel = MRW_CHANNEL_UV0;
    pixel_of(square, NULL, &def, got);
    expect_bytes(got, byte_of(0.4375), byte_of(0.5625), 0, "uv0");
    def.channel = MRW_CHANNEL_UV1; /* it has none */
    pixel_of(square, NULL, &def, got);
    expect_bytes(got, 0, 0, 0, "uv1");
}
END_TEST

/* Five units away: 5 / 9 of the way back from the far plane; where the square leans by two units
 * across, 5 - 0.875. */
START_TEST(depth_from_white_to_black)
{
    uint8_t got[3];
    float leaning[18];
    const mrw_frame_def def = frame_of(MRW_SHADING_DEPTH);
    memcpy(leaning, square, sizeof leaning);
    for (int i = 0; i < 6; i++) {
        leaning[3 * i + 2] = 2.0f * leaning[3 * i];
    }
    pixel_of(square, NULL, &def, got);
    expect_bytes(got, byte_of(5 / 9.0), byte_of(5 / 9.0), byte_of(5 / 9.0), "depth");
    pixel_of(leaning, NULL, &def, got);
    expect_bytes(got, byte_of(5.875 / 9), byte_of(5.875 / 9), byte_of(5.875 / 9), "leaning");
}
END_TEST

START_TEST(joints_have_colors)
{
    static const float hips[12] = {0.7f, 0.3f, 0.7f, 0.3f, 0.7f, 0.3f,
                                   0.7f, 0.3f, 0.7f, 0.3f, 0.7f, 0.3f};
    float knee[12];
    uint8_t a[3], b[3], none[3];
    const mrw_frame_def def = frame_of(MRW_SHADING_JOINT);
    for (int i = 0; i < 12; i++) {
        knee[i] = 1.0f - hips[i];
    }
    pixel_of(square, hips, &def, a);
    pixel_of(square, knee, &def, b);
    pixel_of(square, NULL, &def, none);
    int apart = 0;
    for (int k = 0; k < 3; k++) {
        apart += abs(a[k] - b[k]);
    }
    ck_assert_int_gt(apart, 200);
    expect_bytes(none, 128, 128, 128, "no joint");
}
END_TEST

/* From all to nothing of the hips across the square. */
START_TEST(weights_and_their_number)
{
    float across[12], alone[12];
    uint8_t got[3];
    mrw_frame_def def = frame_of(MRW_SHADING_WEIGHTS);
    def.joint = "hips";
    for (int i = 0; i < 6; i++) {
        across[2 * i] = 0.75f - square[3 * i] / 2;
        across[2 * i + 1] = 0.25f + square[3 * i] / 2;
        alone[2 * i] = 1.0f;
        alone[2 * i + 1] = 0.0f;
    }
    const double share = 0.75 - 0.4375 / 2;
    pixel_of(square, across, &def, got);
    expect_bytes(got, byte_of(share), 0, byte_of(1 - share), "hips");
    def.joint = "knee";
    pixel_of(square, across, &def, got);
    expect_bytes(got, byte_of(1 - share), 0, byte_of(share), "knee");
    pixel_of(square, NULL, &def, got);
    expect_bytes(got, 0, 0, 255, "no skin");
    def = frame_of(MRW_SHADING_INFLUENCES);
    pixel_of(square, across, &def, got);
    expect_bytes(got, 0, 255, 255, "two");
    pixel_of(square, alone, &def, got);
    expect_bytes(got, 0, 0, 255, "one");
    pixel_of(square, NULL, &def, got);
    expect_bytes(got, 128, 128, 128, "none");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("data_modes");
    TCase *channels = test_case(s, "channels"), *frames = test_case(s, "frames");
    tcase_add_test(channels, channels_without_maps);
    tcase_add_test(channels, channels_with_maps);
    tcase_add_test(channels, other_surfaces_have_what_they_have);
    tcase_add_test(channels, vertex_colors_and_coordinates);
    tcase_add_test(channels, alpha_counts);
    tcase_add_test(frames, coordinates_of_sets);
    tcase_add_test(frames, depth_from_white_to_black);
    tcase_add_test(frames, joints_have_colors);
    tcase_add_test(frames, weights_and_their_number);
    return s;
}

TEST_MAIN(suite())
