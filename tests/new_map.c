/* new_map.c: no test of this tree. scripts/check_additions.py adds a map to the table in a copy of
 * it, drawn and in need of tangents, and finds it here wherever maps are walked over. */
#include "scene_fixture.h"

#include "load_gltf.h"

#include "marrow/frame.h"

#define MAP MRW_MAP_SCRATCH

/* Two triangles with the second set of texture coordinates alone, and the material given. */
static const char *model(const char *material)
{
    reset();
    PUT(float, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    PUT(float, 0, 0, 1, 0, 0, 1);
    return gltf(
        "],'images':[{'uri':'data:image/png;base64," PNG_1X1 "'}],'textures':[{'source':0}],"
        "'accessors':[" A(0, 5126, 3, VEC3) "," A(
            36, 5126, 3,
            VEC2) "],'meshes':[{"
                  "'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_1':1},'material':0}]}],"
                  "'materials':[{%s}]" ONE_NODE,
        material);
}

#define SHOWN "'scratchTexture':{'index':0,'texCoord':1}"

START_TEST(it_is_the_last_row)
{
    ck_assert_int_eq(MAP, MRW_MAP_COUNT - 1);
    ck_assert_str_eq(mrw_map_info_of(MAP)->name, "scratch");
}
END_TEST

START_TEST(it_is_read_and_its_image_opened)
{
    mrw_scene *s = load(model(SHOWN));
    const mrw_material_map *map = &s->materials[0].maps[MAP];
    ck_assert_uint_eq(map->texture, 0);
    ck_assert_uint_eq(map->uv_set, 1);
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_UNSEEN, 0);
    ck_assert_uint_eq(s->texels_count, 1);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(texture_coordinates_that_lack_are_told)
{
    mrw_scene *s = load(model("'scratchTexture':{'index':0}"));
    ck_assert(has_warning(s, "its scratch map needs texture coordinates 0"));
    mrw_scene_free(s);
}
END_TEST

/* Material hashes of: no map, the map, the map with another uv set. */
START_TEST(it_is_in_the_hash)
{
    static const char *const materials[] = {"", SHOWN, "'scratchTexture':{'index':0}"};
    uint8_t hashes[3][32];
    for (size_t i = 0; i < 3; i++) {
        mrw_scene *s = load(model(materials[i]));
        mrw_scene_part_hash(s, MRW_PART_MATERIALS, 0, hashes[i]);
        mrw_scene_free(s);
    }
    ck_assert_mem_ne(hashes[0], hashes[1], 32);
    ck_assert_mem_ne(hashes[0], hashes[2], 32);
    ck_assert_mem_ne(hashes[1], hashes[2], 32);
}
END_TEST

START_TEST(it_is_compiled)
{
    mrw_scene *before = load(model(SHOWN)), *after = NULL;
    mrw_bytes file;
    ck_assert_int_eq(mrw_scene_compile(before, &file, &error), MRW_OK);
    ck_assert_int_eq(mrw_load_memory(file.data, file.size, "t.marrow", NULL, NULL, &after, &error),
                     MRW_OK);
    ck_assert_mem_eq(after->materials, before->materials, sizeof *before->materials);
    ck_assert_mem_eq(mrw_scene_hash(after), mrw_scene_hash(before), 32);
    mrw_bytes_free(&file);
    mrw_scene_free(after);
    mrw_scene_free(before);
}
END_TEST

/* The frame makes a texture of whatever map is drawn: without texels it cannot. */
START_TEST(the_frame_has_a_texture_of_it)
{
    static const char *const materials[] = {"", SHOWN};
    for (size_t i = 0; i < 2; i++) {
        const char *json = model(materials[i]);
        mrw_load_def def = mrw_load_def_default();
        mrw_scene *s = NULL;
        mrw_model *drawn = NULL;
        def.maps = 0;
        ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error),
                         MRW_OK);
        ck_assert_int_eq(mrw_model_create(s, MRW_SHADING_LIT, 1, &drawn, &error),
                         i == 1 ? MRW_ERROR_USAGE : MRW_OK);
        mrw_model_free(drawn);
        mrw_scene_free(s);
    }
}
END_TEST

/* Tangents are taken and take part in welding where the map needs them: six corners of a square are
 * four without. */
START_TEST(tangents_are_kept_for_it)
{
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    static const float normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const float tangents[24] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1,
                                       0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    static const float uvs[12] = {0};
    static const uint8_t texel[4] = {0};
    static const mrw_map maps[] = {MRW_MAP_BASE_COLOR, MRW_MAP_OPACITY, MAP};
    for (size_t i = 0; i < 3; i++) {
        const mrwi_scene_image_input image = {.width = 1, .height = 1, .rgba = texel};
        const mrw_texture texture = {0};
        mrw_material material = mrw_material_default();
        mrwi_scene_mesh_input in = {.vertex_count = 6,
                                    .index_count = 6,
                                    .positions = positions,
                                    .normals = normals,
                                    .tangents = tangents,
                                    .tangents_if_drawn = true,
                                    .uvs = {uvs, NULL}};
        mrwi_scene_builder *b;
        mrw_scene *s = NULL;
        uint32_t index;
        material.maps[maps[i]].texture = 0;
        ck_assert_int_eq(mrwi_scene_builder_create("t", "x", &b, &error), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &index, &error), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &index, &error), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, &material, &in.material, &error),
                         MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_mesh(b, &in, &index, &error), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_finish(b, &s, &error), MRW_OK);
        ck_assert_uint_eq(s->meshes[0].vertex_count, maps[i] == MAP ? 6 : 4);
        ck_assert((s->meshes[0].tangent != MRW_NONE) == (maps[i] == MAP));
        mrwi_scene_builder_free(b);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

#define SIDE 32

/* Two textures of two texels in a row: red and black, green and blue. */
static const uint8_t base_texels[8] = {255, 0, 0, 255, 0, 0, 0, 255};
static const uint8_t map_texels[8] = {0, 255, 0, 255, 0, 0, 255, 255};

/* From left to right and from the top down, and the other way round. */
static const float across[12] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};
static const float down[12] = {1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0};

static uint32_t add_texture(mrwi_scene_builder *b, const uint8_t *rgba, uint32_t width,
                            uint32_t height)
{
    const mrwi_scene_image_input image = {.width = width, .height = height, .rgba = rgba};
    mrw_texture texture = {.nearest = 1};
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &texture.image, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &index, &error), MRW_OK);
    return index;
}

static const uint8_t *random_texels(void)
{
    static uint8_t texels[64 * 32 * 4];
    for (size_t i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)random_u32();
    }
    return texels;
}

/* A square with both textures, unlit; the map runs `times` times over the coordinates of a set. */
static mrw_scene *square_with_maps(uint32_t uv_set, float times, bool noise)
{
    static const float normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mrw_material material = mrw_material_default();
    material.flags = MRW_MATERIAL_UNLIT;
    mrw_material_map *base = &material.maps[MRW_MAP_BASE_COLOR], *map = &material.maps[MAP];
    base->texture =
        noise ? add_texture(b, random_texels(), 32, 64) : add_texture(b, base_texels, 2, 1);
    map->texture =
        noise ? add_texture(b, random_texels(), 64, 32) : add_texture(b, map_texels, 2, 1);
    map->uv_set = uv_set;
    map->uv_transform[0] = times;
    if (noise) { /* many levels, in any direction */
        map->uv_transform[1] = 0.5f;
        map->uv_transform[3] = -0.75f;
        map->uv_transform[4] = 3.0f;
    }
    ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, &material, &mesh.material, &error),
                     MRW_OK);
    mesh.normals = normals;
    mesh.uvs[0] = across;
    mesh.uvs[1] = down;
    const uint32_t node = add_node(b, "square", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, &error),
                     MRW_OK);
    return finish(b);
}

/* Seen straight on, as large as the picture, or with its right side farther away. */
static void draw(const mrw_scene *scene, bool tilted, mrw_isa isa, uint8_t out[SIDE * SIDE * 3])
{
    const mrw_mat4 front = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 5, 1}};
    const mrw_mat4 side = {{0.6f, 0, -0.8f, 0, 0, 1, 0, 0, 0.8f, 0, 0.6f, 0, 1, 0.4f, 0.7f, 1}};
    const mrw_lens straight = {.xmag = 0.5f, .ymag = 0.5f, .near_plane = 1, .far_plane = 10};
    const mrw_lens wide = {.yfov = 1.2f, .near_plane = 0.1f, .far_plane = 10};
    mrw_frame_def def = mrw_frame_def_default();
    mrw_model *drawn;
    mrw_renderer *renderer;
    mrw_image image = {0};
    def.width = def.height = SIDE;
    def.tonemap = MRW_TONEMAP_NONE;
    def.isa = isa;
    ck_assert_int_eq(mrw_view_from_lens(tilted ? &side : &front, tilted ? &wide : &straight, 1,
                                        &def.camera, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, def.shading, 1, &drawn, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, &error), MRW_OK);
    const mrw_instance instance = mrw_instance_default(drawn);
    ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 1, &image, &error), MRW_OK);
    memcpy(out, image.pixels, SIDE * SIDE * 3);
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(drawn);
}

/* Red in the left half, by the first set of coordinates; green and blue by the map's: from the
 * top down by the second set, or from left to right by the first. */
static void expect(const uint8_t *pixels, uint32_t uv_set, int times)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int x = i % SIDE, y = i / SIDE;
        const int texel = (uv_set == 1 ? y : x) * 2 * times / SIDE % 2;
        const uint8_t want[3] = {x < SIDE / 2 ? 255 : 0, texel == 0 ? 255 : 0,
                                 texel == 1 ? 255 : 0};
        ck_assert_msg(memcmp(pixels + 3 * i, want, 3) == 0, "pixel %d %d", x, y);
    }
}

START_TEST(it_is_seen_where_it_lies)
{
    static uint8_t pixels[SIDE * SIDE * 3], spec[sizeof pixels];
    const uint32_t uv_set = _i == 0 ? 1 : 0;
    const int times = _i == 0 ? 2 : _i == 1 ? 4 : 1;
    mrw_scene *scene = square_with_maps(uv_set, (float)times, false);
    mrw_scene *rough = square_with_maps(uv_set, (float)times, true);
    draw(rough, true, MRW_ISA_SCALAR, spec);
    ck_assert_mem_ne(spec + 3 * (SIDE + 1) * SIDE / 2, spec, 3);
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        if (mrw_isa_available(isa)) {
            draw(scene, false, isa, pixels);
            expect(pixels, uv_set, times);
            draw(rough, true, isa, pixels);
            ck_assert_mem_eq(pixels, spec, sizeof pixels);
        }
    }
    mrw_scene_free(scene);
    mrw_scene_free(rough);
}
END_TEST

/* A square of 32 pixels: 24 texels a pixel of the base colour, 6 of the map, in coordinates of its
 * own. */
START_TEST(it_has_levels_of_its_own)
{
    static const float positions[4][4] = {
        {-1, 1, 0.5f, 1}, {-1, -1, 0.5f, 1}, {1, 1, 0.5f, 1}, {1, -1, 0.5f, 1}};
    static const float normals[4][4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const float uvs[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    const mrw_raster_uvs more = {uvs[0], {1.5f, 0, 0, 0, 1.5f, 0}};
    mrw_raster_material material = {.uv_transform = {3, 0, 0, 0, 3, 0}};
    mrw_raster_texture *base, *map;
    mrw_raster *raster;
    uint32_t levels[MRW_RASTER_MAP_COUNT] = {MRW_FINEST_NONE, MRW_FINEST_NONE};
    ck_assert_int_eq(mrw_raster_create(&raster, &error), MRW_OK);
    ck_assert_int_eq(mrw_raster_texture_create(NULL, 256, 256, MRW_ENCODING_COLOR, &base, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_raster_texture_create(NULL, 128, 128, MRW_ENCODING_DATA, &map, &error),
                     MRW_OK);
    material.maps[MRW_RASTER_MAP_BASE_COLOR].texture = base;
    material.maps[MRW_RASTER_MAP_SCRATCH] = (mrw_raster_map){.texture = map, .uvs = 2};
    const mrw_raster_draw draw = {.vertex_count = 4,
                                  .triangle_count = 2,
                                  .indices = indices,
                                  .positions = positions[0],
                                  .normals = normals[0],
                                  .uvs = uvs[0],
                                  .more_uvs = {[1] = more},
                                  .material = &material};
    const mrw_raster_job job = {
        .draws = &draw,
        .draw_count = 1,
        .view = {.world_to_clip = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                 .orthographic = true},
        .filter = MRW_FILTER_TRILINEAR,
        .samples = 1,
        .width = SIDE,
        .height = SIDE,
        .threads = 1};
    ck_assert_int_eq(mrw_raster_finest_levels(raster, &job, levels, &error), MRW_OK);
    ck_assert_uint_eq(levels[MRW_RASTER_MAP_BASE_COLOR], 4);
    ck_assert_uint_eq(levels[MRW_RASTER_MAP_SCRATCH], 2);
    mrw_raster_texture_free(base);
    mrw_raster_texture_free(map);
    mrw_raster_free(raster);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("new map");
    TCase *tc = tcase_create("new map");
    tcase_add_test(tc, it_is_the_last_row);
    tcase_add_test(tc, it_is_read_and_its_image_opened);
    tcase_add_test(tc, texture_coordinates_that_lack_are_told);
    tcase_add_test(tc, it_is_in_the_hash);
    tcase_add_test(tc, it_is_compiled);
    tcase_add_test(tc, the_frame_has_a_texture_of_it);
    tcase_add_test(tc, tangents_are_kept_for_it);
    tcase_add_loop_test(tc, it_is_seen_where_it_lies, 0, 3);
    tcase_add_test(tc, it_has_levels_of_its_own);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
