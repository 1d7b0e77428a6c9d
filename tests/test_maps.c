/* test_maps.c: the maps of materials: their table, the walk over them, what glTF has of them,
 * scenes with fewer, and what of a mesh they need. */
#include "load_gltf.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "scene/blob.h"
#include "scene/builder.h"
#include "scene/maps.h"

/* ---- table and walk -------------------------------------------------------------------------- */

START_TEST(names_are_different)
{
    for (int a = 0; a < MRW_MAP_COUNT; a++) {
        for (int b = 0; b < a; b++) {
            ck_assert_str_ne(mrw_map_info_of((mrw_map)a)->name, mrw_map_info_of((mrw_map)b)->name);
        }
    }
    ck_assert_str_eq(mrw_map_info_of(MRW_MAP_NORMAL)->name, "normal");
    ck_assert(!mrw_map_info_of(MRW_MAP_NORMAL)->srgb);
    ck_assert(mrw_map_info_of(MRW_MAP_EMISSIVE)->srgb);
}
END_TEST

START_TEST(the_walk_finds_what_is_drawn)
{
    mrw_material material = mrw_material_default();
    mrw_map map = MRW_MAP_COUNT;
    uint32_t next = 0, found = 0, drawn = 0;
    ck_assert_ptr_null(mrwi_scene_drawn_map(NULL, &next, &map));
    ck_assert_ptr_null(mrwi_scene_drawn_map(&material, &next, &map));
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        material.maps[m].texture = 0;
        drawn += mrw_map_info_of((mrw_map)m)->drawn;
    }
    next = 0;
    for (const mrw_material_map *shown; (shown = mrwi_scene_drawn_map(&material, &next, &map));) {
        ck_assert_ptr_eq(shown, &material.maps[map]);
        ck_assert(mrw_map_info_of(map)->drawn);
        found++;
    }
    ck_assert_uint_eq(found, drawn);
    ck_assert_uint_ge(found, 1);
    ck_assert_ptr_null(mrwi_scene_tangent_map(NULL));
}
END_TEST

/* ---- hashes ---------------------------------------------------------------------------------- */

static mrwi_scene_builder *begin(void)
{
    static const uint8_t texel[4] = {1, 2, 3, 4};
    const mrwi_scene_image_input image = {
        .name = NULL, .path = "p.png", .width = 1, .height = 1, .rgba = texel};
    const mrw_texture texture = {0};
    mrwi_scene_builder *b;
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_create("t", "x", &b, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &index, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &index, &error), MRW_OK);
    return b;
}

static mrw_scene *finish(mrwi_scene_builder *b)
{
    mrw_scene *s = NULL;
    ck_assert_msg(mrwi_scene_builder_finish(b, &s, &error) == MRW_OK, "%s", error.text);
    mrwi_scene_builder_free(b);
    return s;
}

static void hash_of(const mrw_material *material, char out[65])
{
    uint32_t index;
    uint8_t hash[32];
    mrwi_scene_builder *b = begin();
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", material, &index, &error), MRW_OK);
    mrw_scene *s = finish(b);
    mrw_scene_part_hash(s, MRW_PART_MATERIALS, 0, hash);
    mrwi_base_sha256_text(hash, out);
    mrw_scene_free(s);
}

/* The hash is the one that tests/data/sail_hash.py prints. */
START_TEST(the_hash_is_the_documented_one)
{
    mrw_material material = mrw_material_default();
    mrw_material_map *map = &material.maps[MRW_MAP_NORMAL];
    char hash[65];
    map->texture = 0;
    map->uv_set = 1;
    map->factor[0] = map->factor[1] = 0.5f;
    hash_of(&material, hash);
    ck_assert_str_eq(hash, "f3d19d2e879d4821db4191f15d934cd24a61cba0b780837afb1450ed28e7a847");
}
END_TEST

/* Each map has a place of its own in the hash; without a texture only the base colour's factor
 * counts. */
START_TEST(each_map_is_hashed)
{
    char all[MRW_MAP_COUNT + 1][65], again[65];
    mrw_material material = mrw_material_default();
    hash_of(&material, all[MRW_MAP_COUNT]);
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        material = mrw_material_default();
        material.maps[m].texture = 0;
        hash_of(&material, all[m]);
        material = mrw_material_default();
        material.maps[m].uv_set = 1;
        material.maps[m].uv_transform[0] = 2;
        hash_of(&material, again);
        ck_assert_str_eq(again, all[MRW_MAP_COUNT]);
        material.maps[m].factor[0] = 0.5f;
        hash_of(&material, again);
        ck_assert((strcmp(again, all[MRW_MAP_COUNT]) == 0) == (m != MRW_MAP_BASE_COLOR));
    }
    for (int a = 0; a <= MRW_MAP_COUNT; a++) {
        for (int b = 0; b < a; b++) {
            ck_assert_str_ne(all[a], all[b]);
        }
    }
}
END_TEST

/* ---- glTF ------------------------------------------------------------------------------------ */

#define TEXTURES                                                                                   \
    "],'images':[{'uri':'data:image/png;base64," PNG_1X1 "'},{'uri':'gone.png'},{'uri':'not.png'}" \
    "],'textures':[{'source':0},{'source':1},{'source':2},{}],'accessors':[{'componentType':5126," \
    "'count':3,'type':'VEC3'},{'componentType':5126,'count':3,'type':'VEC2'}],"                    \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1},'material':0}]}"         \
    "]" ONE_NODE

static void check_map(const mrw_material *m, mrw_map map, uint32_t texture, uint32_t uv_set,
                      double r, double g, double b, double a)
{
    ck_assert_uint_eq(m->maps[map].texture, texture);
    ck_assert_uint_eq(m->maps[map].uv_set, uv_set);
    check_floats(m->maps[map].factor, (const double[]){r, g, b, a}, 4, 1e-6);
}

START_TEST(gltf_has_all_maps)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf(TEXTURES
             ",'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0},"
             "'metallicFactor':0.25,'roughnessFactor':0.75,'metallicRoughnessTexture':{'index':1,"
             "'texCoord':1,'extensions':{'KHR_texture_transform':{'offset':[0.5,0.25]}}}},"
             "'normalTexture':{'index':1,'scale':0.5},'occlusionTexture':{'index':1,'strength':"
             "0.75},'emissiveTexture':{'index':2},'emissiveFactor':[1,0.5,0.25],'extensions':{"
             "'KHR_materials_emissive_strength':{'emissiveStrength':4},'KHR_materials_specular':"
             "{'specularFactor':0.5,'specularColorTexture':{'index':2},'specularColorFactor':"
             "[0.5,1,2]}}},{'emissiveTexture':{'index':2}}]"));
    const mrw_material *m = &s->materials[0];
    check_map(m, MRW_MAP_BASE_COLOR, 0, 0, 1, 1, 1, 1);
    check_map(m, MRW_MAP_METALLIC_ROUGHNESS, 1, 1, 1, 0.75, 0.25, 1);
    check_map(m, MRW_MAP_NORMAL, 1, 0, 0.5, 0.5, 1, 1);
    check_map(m, MRW_MAP_OCCLUSION, 1, 0, 0.75, 1, 1, 1);
    check_map(m, MRW_MAP_EMISSIVE, 2, 0, 4, 2, 1, 1);
    check_map(m, MRW_MAP_SPECULAR, 2, 0, 0.5, 1, 2, 1);
    check_map(m, MRW_MAP_OPACITY, MRW_NONE, 0, 1, 1, 1, 1);
    check_floats(m->maps[MRW_MAP_METALLIC_ROUGHNESS].uv_transform,
                 (const double[]){1, 0, 0.5, 0, 1, 0.25}, 6, 1e-6);
    check_map(&s->materials[1], MRW_MAP_EMISSIVE, 2, 0, 0, 0, 0,
              1); /* the factor of glTF is black */
    /* gone.png and not.png are named, and nobody looked for them */
    ck_assert_uint_eq(s->images_count, 3);
    ck_assert_uint_eq(s->images[1].flags, MRW_IMAGE_UNSEEN);
    ck_assert_str_eq(mrw_scene_string(s, s->images[1].path), "gone.png");
    ck_assert_uint_eq(s->images[2].flags, MRW_IMAGE_UNSEEN);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(gltf_specular_glossiness)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf(TEXTURES
             ",'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':1},"
             "'metallicRoughnessTexture':{'index':1}},'extensions':{"
             "'KHR_materials_pbrSpecularGlossiness':{'diffuseTexture':{'index':0},'specularFactor':"
             "[0.5,0.25,0],'glossinessFactor':0.125,'specularGlossinessTexture':{'index':2}},"
             "'KHR_materials_specular':{'specularColorTexture':{'index':0},'specularColorFactor':"
             "[9,9,9]}}}]"));
    check_map(&s->materials[0], MRW_MAP_BASE_COLOR, 0, 0, 1, 1, 1, 1);
    check_map(&s->materials[0], MRW_MAP_METALLIC_ROUGHNESS, MRW_NONE, 0, 1, 1, 1, 1);
    check_map(&s->materials[0], MRW_MAP_SPECULAR, 1, 0, 0.5, 0.25, 0, 0.125);
    mrw_scene_free(s);
}
END_TEST

/* A map that no picture shows is left out without a word where it cannot be had. */
START_TEST(gltf_odd_maps)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(gltf(TEXTURES ",'materials':[{'normalTexture':{'index':3},"
                                      "'occlusionTexture':{'index':0,'texCoord':2}}]"));
    check_map(&s->materials[0], MRW_MAP_NORMAL, MRW_NONE, 0, 1, 1, 1, 1);
    check_map(&s->materials[0], MRW_MAP_OCCLUSION, MRW_NONE, 0, 1, 1, 1, 1);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
}
END_TEST

/* Of two places for a map the second one takes nothing from a first one that is left out. */
START_TEST(gltf_second_place)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf(TEXTURES ",'materials':[{'extensions':{'KHR_materials_pbrSpecularGlossiness':{"
                      "'glossinessFactor':0.125,'specularGlossinessTexture':{'index':0,'texCoord':"
                      "2,'extensions':{'KHR_texture_transform':{'offset':[0.5,0.25]}}}},"
                      "'KHR_materials_specular':{'specularColorTexture':{'index':1}}}}]"));
    check_map(&s->materials[0], MRW_MAP_SPECULAR, 0, 0, 1, 1, 1, 1);
    check_floats(s->materials[0].maps[MRW_MAP_SPECULAR].uv_transform,
                 (const double[]){1, 0, 0, 0, 1, 0}, 6, 0);
    mrw_scene_free(s);
}
END_TEST

/* What contradicts glTF in a map that no picture shows costs that map, not the model; in one that
 * pictures show it is refused. */
START_TEST(gltf_malformed_maps)
{
    static const struct {
        const char *material, *warning;
    } cases[] = {
        {"'normalTexture':{'index':4}", "normalTexture: \"index\" is 4, but"},
        {"'normalTexture':{'index':-1}", "normalTexture: \"index\" must be"},
        {"'normalTexture':{'index':'0'}", "normalTexture: \"index\" must be"},
        {"'normalTexture':0", "normalTexture: \"normalTexture\" must be an object"},
        {"'normalTexture':{'index':0,'scale':1e999}", "normalTexture: \"scale\" must be"},
        {"'normalTexture':{'index':0,'texCoord':0.5}", "normalTexture: \"texCoord\" must be"},
        {"'normalTexture':{'index':4},'occlusionTexture':{'index':9}", "occlusionTexture: \"ind"},
        {"'emissiveTexture':{'index':0},'emissiveFactor':[1]", "emissiveTexture: \"emissiveFac"},
        {"'emissiveTexture':{'index':0},'emissiveFactor':[0,1e30,0],'extensions':{"
         "'KHR_materials_emissive_strength':{'emissiveStrength':1e30}}",
         "emissiveTexture: \"emissiveFactor\" times \"emissiveStrength\" must be finite"},
        {"'extensions':{'KHR_materials_specular':0}", "\"KHR_materials_specular\" must be an"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 0);
        mrw_scene *s = load(gltf(TEXTURES ",'materials':[{'pbrMetallicRoughness':{"
                                          "'baseColorTexture':{'index':0}},%s}]",
                                 cases[i].material));
        check_map(&s->materials[0], MRW_MAP_BASE_COLOR, 0, 0, 1, 1, 1, 1);
        for (int m = MRW_MAP_BASE_COLOR + 1; m < MRW_MAP_COUNT; m++) {
            check_map(&s->materials[0], (mrw_map)m, MRW_NONE, 0, 1, 1, 1, 1);
        }
        ck_assert_msg(has_warning(s, cases[i].warning), "%zu", i);
        ck_assert(has_warning(s, "material 0: "));
        mrw_scene_free(s);
    }
    ck_assert_ptr_null(try_load(gltf(TEXTURES ",'materials':[{'pbrMetallicRoughness':{"
                                              "'baseColorTexture':{'index':4}}}]")));
    ck_assert_ptr_nonnull(strstr(error.text, "baseColorTexture: \"index\" is 4"));
}
END_TEST

/* ---- meshes ---------------------------------------------------------------------------------- */

/* A square of two triangles whose six corners are four but for their tangents. */
static uint32_t push_square(mrwi_scene_builder *b, const mrw_material *material, bool if_drawn,
                            const float *uvs)
{
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    static const float normals[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const float tangents[24] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1,
                                       0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    mrwi_scene_mesh_input in = {.name = "square",
                                .vertex_count = 6,
                                .index_count = 6,
                                .positions = positions,
                                .normals = normals,
                                .tangents = tangents,
                                .tangents_if_drawn = if_drawn,
                                .uvs = {uvs, NULL}};
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", material, &in.material, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_mesh(b, &in, &index, &error), MRW_OK);
    return index;
}

START_TEST(tangents_that_nobody_needs)
{
    static const float uvs[12] = {0};
    mrw_material material = mrw_material_default();
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        material.maps[m].texture = 0;
    }
    const bool needed = mrwi_scene_tangent_map(&material);
    mrwi_scene_builder *b = begin();
    push_square(b, &material, false, uvs);
    push_square(b, &material, true, uvs);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 6);
    ck_assert_uint_eq(s->meshes[1].vertex_count, needed ? 6 : 4);
    ck_assert(needed == (s->meshes[1].tangent != MRW_NONE));
    mrw_scene_free(s);
}
END_TEST

START_TEST(texture_coordinates_that_are_not_there)
{
    static const float uvs[12] = {0};
    for (uint32_t set = 0; set < 2; set++) {
        mrw_material material = mrw_material_default();
        material.maps[MRW_MAP_OPACITY].texture = 0; /* no picture shows it */
        material.maps[MRW_MAP_OPACITY].uv_set = 1;
        material.maps[MRW_MAP_BASE_COLOR].texture = 0;
        material.maps[MRW_MAP_BASE_COLOR].uv_set = set;
        mrwi_scene_builder *b = begin();
        push_square(b, &material, true, uvs);
        mrw_scene *s = finish(b);
        ck_assert_uint_eq(s->warnings_count, set);
        ck_assert(set == 0 ||
                  has_warning(s, "material 0 \"m\": its base color map needs texture coordinates "
                                 "1, which a mesh with it lacks"));
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- scenes with fewer maps ------------------------------------------------------------------ */

/* The same scene as a marrow wrote it whose table ended after `count` maps. */
static void *with_maps(const mrw_scene *s, uint32_t count, uint64_t *size)
{
    mrwi_scene_blob_header header;
    const size_t entry = offsetof(mrw_material, maps) + count * sizeof(mrw_material_map);
    memcpy(&header, s->blob, sizeof header);
    header.map_count = count;
    ck_assert(mrwi_scene_blob_layout(&header));
    char *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
    memcpy(blob, &header, sizeof header);
    mrwi_scene_blob_copy_sections(s->blob, blob);
    for (uint32_t i = 0; i < s->materials_count; i++) {
        memcpy(blob + header.sections[MRWI_SCENE_SECTION_materials].offset + i * entry,
               &s->materials[i], entry);
    }
    *size = header.size;
    return blob;
}

START_TEST(fewer_maps_are_read)
{
    uint32_t index;
    mrwi_scene_builder *b = begin();
    for (uint32_t i = 0; i < 3; i++) {
        mrw_material material = mrw_material_default();
        material.alpha_mode = i;
        material.maps[MRW_MAP_NORMAL].texture = i == 1 ? MRW_NONE : 0;
        ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, &error), MRW_OK);
    }
    mrw_scene *s = finish(b), *read = NULL;
    for (uint32_t count = 0; count <= MRW_MAP_COUNT + 1; count++) {
        uint64_t size;
        void *blob = with_maps(s, count, &size);
        mrw_status status = mrwi_scene_from_blob(blob, size, "x", &read, &error);
        if (count == 0 || count > MRW_MAP_COUNT) {
            ck_assert_int_eq(status, MRW_ERROR_INPUT);
            ck_assert_ptr_nonnull(strstr(error.text, "another version of marrow"));
            mrwi_base_free(blob);
            continue;
        }
        ck_assert_msg(status == MRW_OK, "%s", error.text);
        mrw_material expected[3];
        memcpy(expected, s->materials, sizeof expected);
        for (uint32_t i = 0; i < 3 && count <= MRW_MAP_NORMAL; i++) {
            expected[i].maps[MRW_MAP_NORMAL].texture = MRW_NONE;
        }
        ck_assert_uint_eq(read->materials_count, 3);
        ck_assert_mem_eq(read->materials, expected, sizeof expected);
        mrw_scene_free(read);
    }
    mrw_scene_free(s);
}
END_TEST

/* Only those of this version have a number of maps. */
START_TEST(other_versions_have_no_fewer_maps)
{
    mrwi_scene_builder *b = begin();
    mrw_scene *s = finish(b), *read = NULL;
    for (uint32_t version = 0; version <= MRWI_SCENE_BLOB_VERSION + 1; version++) {
        uint64_t size;
        char *blob = with_maps(s, 1, &size);
        memcpy(blob + offsetof(mrwi_scene_blob_header, version), &version, sizeof version);
        mrw_status status = mrwi_scene_from_blob(blob, size, "x", &read, &error);
        ck_assert_int_eq(status, version == MRWI_SCENE_BLOB_VERSION ? MRW_OK : MRW_ERROR_INPUT);
        if (status == MRW_OK) {
            mrw_scene_free(read);
        } else {
            ck_assert_ptr_nonnull(strstr(error.text, "another version of marrow"));
            mrwi_base_free(blob);
        }
    }
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("maps");
    TCase *tc = tcase_create("maps");
    tcase_add_test(tc, names_are_different);
    tcase_add_test(tc, the_walk_finds_what_is_drawn);
    tcase_add_test(tc, the_hash_is_the_documented_one);
    tcase_add_test(tc, each_map_is_hashed);
    tcase_add_test(tc, gltf_has_all_maps);
    tcase_add_test(tc, gltf_specular_glossiness);
    tcase_add_test(tc, gltf_odd_maps);
    tcase_add_test(tc, gltf_second_place);
    tcase_add_test(tc, gltf_malformed_maps);
    tcase_add_test(tc, tangents_that_nobody_needs);
    tcase_add_test(tc, texture_coordinates_that_are_not_there);
    tcase_add_test(tc, fewer_maps_are_read);
    tcase_add_test(tc, other_versions_have_no_fewer_maps);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
