/* new_map.c: no test of this tree. scripts/check_new_map.py adds a map to the table in a copy of
 * it, drawn and in need of tangents, and finds it here wherever maps are walked over. */
#include "load_gltf.h"

#include "scene/builder.h"

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
    static const char *const materials[] = {"", "'normalTexture':{'index':0}", SHOWN};
    for (size_t i = 0; i < 3; i++) {
        const char *json = model(materials[i]);
        mrw_load_def def = mrw_load_def_default();
        mrw_scene *s = NULL;
        mrw_model *drawn = NULL;
        def.no_texels = true;
        ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error),
                         MRW_OK);
        ck_assert_int_eq(mrw_model_create(s, MRW_SHADING_LIT, 1, &drawn, &error),
                         i == 2 ? MRW_ERROR_USAGE : MRW_OK);
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
    static const mrw_map maps[] = {MRW_MAP_BASE_COLOR, MRW_MAP_NORMAL, MAP};
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
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
