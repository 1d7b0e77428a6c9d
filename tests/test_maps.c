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

/* What is metallic or a coat counts in one model alone. */
static bool counts(mrw_map map, uint32_t model)
{
    return model == MRW_MATERIAL_METALLIC_ROUGHNESS ||
           !(map == MRW_MAP_METALLIC_ROUGHNESS || map == MRW_MAP_METALLIC ||
             map == MRW_MAP_ROUGHNESS ||
             (map >= MRW_MAP_SPECULAR_STRENGTH && map <= MRW_MAP_SHEEN_ROUGHNESS));
}

/* Beside a normal map bumps are not drawn. */
START_TEST(bumps_count_without_normals)
{
    mrw_material material = mrw_material_default();
    mrw_map map = MRW_MAP_COUNT;
    uint32_t next = 0;
    material.maps[MRW_MAP_HEIGHT].texture = 0;
    ck_assert_ptr_eq(mrwi_scene_drawn_map(&material, &next, &map), &material.maps[MRW_MAP_HEIGHT]);
    ck_assert_uint_eq(map, MRW_MAP_HEIGHT);
    ck_assert_ptr_eq(mrwi_scene_tangent_map(&material), &material.maps[MRW_MAP_HEIGHT]);
    material.maps[MRW_MAP_NORMAL].texture = 0;
    next = 0;
    ck_assert_ptr_eq(mrwi_scene_drawn_map(&material, &next, &map), &material.maps[MRW_MAP_NORMAL]);
    ck_assert_ptr_null(mrwi_scene_drawn_map(&material, &next, &map));
}
END_TEST

START_TEST(the_walk_finds_what_is_drawn)
{
    mrw_material material = mrw_material_default();
    mrw_map map = MRW_MAP_COUNT;
    uint32_t next = 0, found = 0, drawn = 0;
    ck_assert_ptr_null(mrwi_scene_drawn_map(NULL, &next, &map));
    ck_assert_ptr_null(mrwi_scene_drawn_map(&material, &next, &map));
    material.model = (uint32_t)_i;
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        material.maps[m].texture = m == MRW_MAP_HEIGHT ? MRW_NONE : 0;
        drawn += m != MRW_MAP_HEIGHT && mrw_map_info_of((mrw_map)m)->drawn &&
                 counts((mrw_map)m, material.model);
    }
    next = 0;
    for (const mrw_material_map *shown; (shown = mrwi_scene_drawn_map(&material, &next, &map));) {
        ck_assert_ptr_eq(shown, &material.maps[map]);
        ck_assert(mrw_map_info_of(map)->drawn && counts(map, material.model));
        found++;
    }
    ck_assert_uint_eq(found, drawn);
    ck_assert_uint_ge(found, 1);
    ck_assert_ptr_null(mrwi_scene_tangent_map(NULL));
    ck_assert_ptr_eq(mrwi_scene_tangent_map(&material), &material.maps[MRW_MAP_NORMAL]);
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

/* Each model, and all that counts in it. */
START_TEST(the_hash_of_numbers_is_the_documented_one)
{
    static const char *const hashes[] = {
        "847bafc444597cb212c28143a920309a7fc43d73e8e8112f4f5ef2f620bc8746",
        "426a43972f46dd61c99589c3241fb21c213efddbfa95766649c8a4645b412101",
        "349a8ca837c2521eaf89da5c411bdd3ba7b48a5b9e66383b5d158c2dce4b1b97"};
    for (uint32_t model = 0; model <= MRW_MATERIAL_CLASSIC; model++) {
        mrw_material m = mrw_material_default();
        char hash[65];
        m.model = model;
        m.ior = 2;
        m.specular = 0.5f;
        m.clearcoat = 0.25f;
        m.clearcoat_roughness = 0.125f;
        m.shininess = 32;
        memcpy(m.maps[MRW_MAP_METALLIC_ROUGHNESS].factor, (float[4]){1, 0.5f, 0, 1}, 16);
        memcpy(m.maps[MRW_MAP_EMISSIVE].factor, (float[4]){4, 2, 1, 1}, 16);
        memcpy(m.maps[MRW_MAP_SPECULAR].factor, (float[4]){0.5f, 0.25f, 1, 0.75f}, 16);
        hash_of(&m, hash);
        ck_assert_str_eq(hash, hashes[model]);
    }
}
END_TEST

/* Each map has a place of its own in the hash; without a texture the factor counts of some. */
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
        const bool counts = m == MRW_MAP_BASE_COLOR || m == MRW_MAP_METALLIC_ROUGHNESS ||
                            m == MRW_MAP_EMISSIVE || m == MRW_MAP_SPECULAR ||
                            m == MRW_MAP_SHEEN_COLOR;
        ck_assert((strcmp(again, all[MRW_MAP_COUNT]) != 0) == counts);
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

/* What a map is that a material lacks. */
static void check_no_map(const mrw_material *m, mrw_map map)
{
    if (map == MRW_MAP_DISPLACEMENT) {
        check_map(m, map, MRW_NONE, 0, 1, 0, 0, 0);
        return;
    }
    const double dark = map == MRW_MAP_EMISSIVE || map == MRW_MAP_SHEEN_COLOR ? 0 : 1;
    check_map(m, map, MRW_NONE, 0, dark, dark, dark, map == MRW_MAP_SHEEN_COLOR ? 0 : 1);
}

static bool is_drawn(mrw_map map)
{
    return mrw_map_info_of(map)->drawn;
}

/* An image is opened for maps that are drawn, and for no others. */
static void check_opened(const mrw_scene *s, uint32_t image, bool wanted)
{
    ck_assert_uint_eq(s->images[image].flags & MRW_IMAGE_UNSEEN, wanted ? 0 : MRW_IMAGE_UNSEEN);
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
             "{'specularFactor':0.5,'specularTexture':{'index':1},'specularColorTexture':{'index':"
             "2},'specularColorFactor':[0.5,1,2]},'KHR_materials_ior':{'ior':1.25},"
             "'KHR_materials_clearcoat':{'clearcoatFactor':0.5,'clearcoatTexture':{'index':1},"
             "'clearcoatRoughnessFactor':0.125,'clearcoatRoughnessTexture':{'index':2,'texCoord':1}"
             ",'clearcoatNormalTexture':{'index':1,'scale':0.25}}}},"
             "{'emissiveTexture':{'index':2}}]"));
    const mrw_material *m = &s->materials[0];
    check_map(m, MRW_MAP_BASE_COLOR, 0, 0, 1, 1, 1, 1);
    check_map(m, MRW_MAP_METALLIC_ROUGHNESS, 1, 1, 1, 0.75, 0.25, 1);
    check_map(m, MRW_MAP_NORMAL, 1, 0, 0.5, 0.5, 1, 1);
    check_map(m, MRW_MAP_OCCLUSION, 1, 0, 0.75, 1, 1, 1);
    check_map(m, MRW_MAP_EMISSIVE, 2, 0, 4, 2, 1, 1);
    check_map(m, MRW_MAP_SPECULAR, 2, 0, 0.5, 1, 2, 1);
    check_map(m, MRW_MAP_SPECULAR_STRENGTH, 1, 0, 1, 1, 1, 1);
    check_map(m, MRW_MAP_CLEARCOAT, 1, 0, 1, 1, 1, 1);
    check_map(m, MRW_MAP_CLEARCOAT_ROUGHNESS, 2, 1, 1, 1, 1, 1);
    check_map(m, MRW_MAP_CLEARCOAT_NORMAL, 1, 0, 0.25, 0.25, 1, 1);
    check_no_map(m, MRW_MAP_OPACITY);
    check_floats(m->maps[MRW_MAP_METALLIC_ROUGHNESS].uv_transform,
                 (const double[]){1, 0, 0.5, 0, 1, 0.25}, 6, 1e-6);
    ck_assert_uint_eq(m->model, MRW_MATERIAL_METALLIC_ROUGHNESS);
    check_floats(&m->ior, (const double[]){1.25, 0.5, 0.5, 0.125, 0}, 5, 1e-6);
    check_map(&s->materials[1], MRW_MAP_EMISSIVE, 2, 0, 0, 0, 0,
              1); /* the factor of glTF is black */
    /* gone.png and not.png are named; nobody looked for what no picture shows */
    ck_assert_uint_eq(s->images_count, 3);
    ck_assert_str_eq(mrw_scene_string(s, s->images[1].path), "gone.png");
    check_opened(s, 1,
                 is_drawn(MRW_MAP_METALLIC_ROUGHNESS) || is_drawn(MRW_MAP_NORMAL) ||
                     is_drawn(MRW_MAP_OCCLUSION) || is_drawn(MRW_MAP_SPECULAR_STRENGTH) ||
                     is_drawn(MRW_MAP_CLEARCOAT) || is_drawn(MRW_MAP_CLEARCOAT_NORMAL));
    check_opened(s, 2,
                 is_drawn(MRW_MAP_EMISSIVE) || is_drawn(MRW_MAP_SPECULAR) ||
                     is_drawn(MRW_MAP_CLEARCOAT_ROUGHNESS));
    ck_assert(has_warning(s, "gone.png") == ((s->images[1].flags & MRW_IMAGE_MISSING) != 0));
    mrw_scene_free(s);
}
END_TEST

/* Colour and roughness in one factor, each with a map of its own; by default there is none. */
START_TEST(gltf_sheen)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf(TEXTURES ",'materials':[{'extensions':{'KHR_materials_sheen':{'sheenColorFactor':"
                      "[0.25,0.5,0.75],'sheenRoughnessFactor':0.125,'sheenColorTexture':{'index':"
                      "1},'sheenRoughnessTexture':{'index':2}}}},{'extensions':{"
                      "'KHR_materials_sheen':{}}},{'extensions':{'KHR_materials_sheen':{"
                      "'sheenColorFactor':[0,0,0.5]}}}]"));
    check_map(&s->materials[0], MRW_MAP_SHEEN_COLOR, 0, 0, 0.25, 0.5, 0.75, 0.125);
    check_map(&s->materials[0], MRW_MAP_SHEEN_ROUGHNESS, 1, 0, 1, 1, 1, 1);
    check_map(&s->materials[1], MRW_MAP_SHEEN_COLOR, MRW_NONE, 0, 0, 0, 0, 0);
    check_map(&s->materials[2], MRW_MAP_SHEEN_COLOR, MRW_NONE, 0, 0, 0, 0.5, 0);
    mrw_scene_free(s);
}
END_TEST

/* Named once each, where they would show: of a shown material that is lit, with a factor. */
START_TEST(gltf_extensions_that_are_not_drawn)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf("],'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}],'meshes':[{"
             "'primitives':[{'attributes':{'POSITION':0},'material':0},{'attributes':{'POSITION':"
             "0},'material':1},{'attributes':{'POSITION':0},'material':2},{'attributes':{"
             "'POSITION':0},'material':3}]}],'materials':["
             "{'extensions':{'KHR_materials_volume':{'thicknessFactor':"
             "0},'KHR_materials_iridescence':{'iridescenceFactor':'x'},'KHR_materials_anisotropy':"
             "7}},"
             "{'extensions':{'KHR_materials_transmission':{'transmissionFactor':0.5,"
             "'transmissionTexture':{}}}},"
             "{'extensions':{'KHR_materials_transmission':{'transmissionFactor':1,"
             "'transmissionTexture':{'index':0}},"
             "'KHR_materials_volume':{'thicknessFactor':0.5}}},"
             "{'extensions':{'KHR_materials_unlit':{},'KHR_materials_dispersion':{'dispersion':1}}}"
             ",{'extensions':{'KHR_materials_anisotropy':{'anisotropyStrength':1}}}]" ONE_NODE));
    ck_assert_uint_eq(s->warnings_count, 2);
    ck_assert(has_warning(s, "material 2: KHR_materials_volume is not drawn: nothing is"));
    ck_assert(has_warning(s, "material 1 and 1 more: KHR_materials_transmission is not drawn"));
    mrw_scene_free(s);
}
END_TEST

/* Glass covers 1 - factor times its luminance (Rec. 709) in what is no metal, and at least 0.2; not
 * where it is unlit, masked, or a map says where it is clear. */
START_TEST(gltf_transmission_is_alpha)
{
    static const struct {
        const char *base, *rest;
        uint32_t mode;
        float alpha;
    } cases[] = {
        {"1,1,1,1],'metallicFactor':0", "'transmissionFactor':1}}", MRW_ALPHA_BLEND, 0.2f},
        {"1,0.5,0,1],'metallicFactor':0", "'transmissionFactor':0.5}}", MRW_ALPHA_BLEND,
         1.0f - 0.5f * (0.2126f + 0.7152f * 0.5f)},
        {"1,1,1,1],'metallicFactor':0.5", "'transmissionFactor':0.5}}", MRW_ALPHA_BLEND, 0.75f},
        {"1,1,1,0.5]", "'transmissionFactor':1}}", MRW_ALPHA_OPAQUE, 0.5f},
        {"1,1,1,0.5],'metallicFactor':0", "'transmissionFactor':0}}", MRW_ALPHA_OPAQUE, 0.5f},
        {"1,1,1,0.5],'metallicFactor':0", "'transmissionFactor':'x'}}", MRW_ALPHA_OPAQUE, 0.5f},
        {"1,1,1,0.5],'metallicFactor':0", "'transmissionFactor':1,'transmissionTexture':{}}}",
         MRW_ALPHA_OPAQUE, 0.5f},
        {"1,1,1,0.5],'metallicFactor':0", "'transmissionFactor':1},'KHR_materials_unlit':{}}",
         MRW_ALPHA_OPAQUE, 0.5f},
        {"1,1,1,0.5],'metallicFactor':0", "'transmissionFactor':1}},'alphaMode':'MASK'",
         MRW_ALPHA_MASK, 0.5f}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 0);
        mrw_scene *s =
            load(gltf("],'extensionsRequired':['KHR_materials_transmission'],'accessors':[{"
                      "'componentType':5126,'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{"
                      "'attributes':{'POSITION':0},'material':0}]}],'materials':[{"
                      "'pbrMetallicRoughness':{'baseColorFactor':[%s},'extensions':{"
                      "'KHR_materials_transmission':{%s}]" ONE_NODE,
                      cases[i].base, cases[i].rest));
        ck_assert_uint_eq(s->materials[0].alpha_mode, cases[i].mode);
        ck_assert_float_eq_tol(s->materials[0].maps[MRW_MAP_BASE_COLOR].factor[3], cases[i].alpha,
                               1e-6f);
        mrw_scene_free(s);
    }
}
END_TEST

/* Factors count without textures; a primitive without a material has the default one, and so has a
 * material that says nothing (glTF 2.0, 3.9.6: metallic and rough). */
START_TEST(gltf_factors_without_textures)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf("],'extensionsRequired':['KHR_materials_ior','KHR_materials_specular',"
             "'KHR_materials_clearcoat','KHR_materials_emissive_strength'],'accessors':[{"
             "'componentType':5126,'count':3,'type':'VEC3'}],'meshes':[{'primitives':[{"
             "'attributes':{'POSITION':0}},{'attributes':{'POSITION':0},'material':0}]}],"
             "'materials':[{},{'pbrMetallicRoughness':{'metallicFactor':0.25,'roughnessFactor':0.5}"
             ",'emissiveFactor':[1,0.5,0.25],'extensions':{'KHR_materials_emissive_strength':{"
             "'emissiveStrength':4},'KHR_materials_specular':{'specularColorFactor':[0.5,1,2]},"
             "'KHR_materials_ior':{'ior':0},'KHR_materials_clearcoat':{}}},"
             "{'normalTexture':{'index':0,'scale':3}}],'textures':[{}]" ONE_NODE));
    const mrw_material usual = mrw_material_default(), *m = &s->materials[1];
    ck_assert_uint_eq(s->meshes[0].material, MRW_NONE);
    ck_assert_uint_eq(s->meshes[1].material, 0);
    ck_assert_mem_eq(&s->materials[0], &usual, sizeof usual);
    check_map(&usual, MRW_MAP_METALLIC_ROUGHNESS, MRW_NONE, 0, 1, 1, 1, 1);
    ck_assert_uint_eq(usual.model, MRW_MATERIAL_METALLIC_ROUGHNESS);
    for (int map = 0; map < MRW_MAP_COUNT; map++) {
        check_no_map(&usual, (mrw_map)map);
    }
    check_map(m, MRW_MAP_METALLIC_ROUGHNESS, MRW_NONE, 0, 1, 0.5, 0.25, 1);
    check_map(m, MRW_MAP_EMISSIVE, MRW_NONE, 0, 4, 2, 1, 1);
    check_map(m, MRW_MAP_SPECULAR, MRW_NONE, 0, 0.5, 1, 2, 1);
    check_floats(&m->ior, (const double[]){0, 1, 0, 0, 0}, 5, 1e-6);
    ck_assert_uint_eq(s->materials_count, 2); /* the third one is the first one, too */
    mrw_scene_free(s);
}
END_TEST

/* The extensions that must not stand beside it are left out, and so is what it takes the place of.
 */
START_TEST(gltf_specular_glossiness)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(
        gltf(TEXTURES
             ",'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':1},"
             "'metallicRoughnessTexture':{'index':1},'roughnessFactor':0.5},'extensions':{"
             "'KHR_materials_pbrSpecularGlossiness':{'diffuseTexture':{'index':0},'specularFactor':"
             "[0.5,0.25,0],'glossinessFactor':0.125,'specularGlossinessTexture':{'index':2}},"
             "'KHR_materials_specular':{'specularColorTexture':{'index':0},'specularColorFactor':"
             "[9,9,9],'specularFactor':0.5},'KHR_materials_ior':{'ior':2},"
             "'KHR_materials_clearcoat':{'clearcoatFactor':1,'clearcoatTexture':{'index':0}}}},"
             "{'extensions':{'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1,0,0,0.5],"
             "'specularFactor':[0.5,0.25,0]}}},"
             "{'extensions':{'KHR_materials_pbrSpecularGlossiness':{'specularGlossinessTexture':{"
             "'index':0,'texCoord':2}},'KHR_materials_specular':{'specularColorTexture':{"
             "'index':1}}}}]"));
    const mrw_material *m = s->materials;
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(m[i].model, MRW_MATERIAL_SPECULAR_GLOSSINESS);
        check_floats(&m[i].ior, (const double[]){1.5, 1, 0, 0, 0}, 5, 1e-6);
        check_no_map(&m[i], MRW_MAP_METALLIC_ROUGHNESS);
        check_no_map(&m[i], MRW_MAP_CLEARCOAT);
    }
    check_map(&m[0], MRW_MAP_BASE_COLOR, 0, 0, 1, 1, 1, 1);
    check_map(&m[0], MRW_MAP_SPECULAR, 1, 0, 0.5, 0.25, 0, 0.125);
    check_map(&m[1], MRW_MAP_BASE_COLOR, MRW_NONE, 0, 1, 0, 0, 0.5);
    check_map(&m[1], MRW_MAP_SPECULAR, MRW_NONE, 0, 0.5, 0.25, 0, 1);
    check_no_map(&m[2], MRW_MAP_SPECULAR);
    mrw_scene_free(s);
}
END_TEST

/* What cannot be had of a map is told where pictures would show it. */
START_TEST(gltf_odd_maps)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(gltf(TEXTURES ",'materials':[{'normalTexture':{'index':3},"
                                      "'occlusionTexture':{'index':0,'texCoord':2}}]"));
    check_no_map(&s->materials[0], MRW_MAP_NORMAL);
    check_no_map(&s->materials[0], MRW_MAP_OCCLUSION);
    ck_assert(has_warning(s, "texture 3 has no image") == is_drawn(MRW_MAP_NORMAL));
    ck_assert(has_warning(s, "used with TEXCOORD_2") == is_drawn(MRW_MAP_OCCLUSION));
    mrw_scene_free(s);
}
END_TEST

/* What contradicts glTF costs the map or the number, not the model; but the base colour is needed.
 */
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
        {"'emissiveFactor':[1]", "emissiveTexture: \"emissiveFactor\" must be"},
        {"'emissiveTexture':{'index':0},'emissiveFactor':[0,1e30,0],'extensions':{"
         "'KHR_materials_emissive_strength':{'emissiveStrength':1e30}}",
         "emissiveTexture: \"emissiveFactor\" times \"emissiveStrength\" must be finite"},
        {"'extensions':{'KHR_materials_specular':0}", "\"KHR_materials_specular\" must be an"},
        {"'extensions':{'KHR_materials_ior':[]}", "\"KHR_materials_ior\" must be an object"},
        {"'extensions':{'KHR_materials_ior':{'ior':'2'}}", "\"ior\" must be a"},
        {"'extensions':{'KHR_materials_ior':{'ior':1e999}}", "\"ior\" must be"},
        {"'extensions':{'KHR_materials_ior':{'ior':0.5}}", "must be 0 or at least 1"},
        {"'extensions':{'KHR_materials_ior':{'ior':-1e38}}", "must be 0 or at least 1"},
        {"'extensions':{'KHR_materials_specular':{'specularFactor':'1'}}", "\"specularFactor\" m"},
        {"'extensions':{'KHR_materials_specular':{'specularColorFactor':[1,2]}}", "\"specularCol"},
        {"'extensions':{'KHR_materials_clearcoat':true}", "\"KHR_materials_clearcoat\" must be"},
        {"'extensions':{'KHR_materials_clearcoat':{'clearcoatFactor':-1}}", "its clearcoat was cl"},
        {"'extensions':{'KHR_materials_clearcoat':{'clearcoatRoughnessFactor':{}}}",
         "\"clearcoatRoughnessFactor\" must be"},
    };
    const mrw_material usual = mrw_material_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 0);
        mrw_scene *s = load(gltf(TEXTURES ",'materials':[{'pbrMetallicRoughness':{"
                                          "'baseColorTexture':{'index':0}},%s}]",
                                 cases[i].material));
        check_map(&s->materials[0], MRW_MAP_BASE_COLOR, 0, 0, 1, 1, 1, 1);
        for (int m = MRW_MAP_BASE_COLOR + 1; m < MRW_MAP_COUNT; m++) {
            check_no_map(&s->materials[0], (mrw_map)m);
        }
        ck_assert_mem_eq(&s->materials[0].model, &usual.model,
                         offsetof(mrw_material, maps) - offsetof(mrw_material, model));
        ck_assert_msg(has_warning(s, cases[i].warning), "%zu", i);
        ck_assert(has_warning(s, "material 0: "));
        mrw_scene_free(s);
    }
    ck_assert_ptr_null(try_load(gltf(TEXTURES ",'materials':[{'pbrMetallicRoughness':{"
                                              "'baseColorTexture':{'index':4}}}]")));
    ck_assert_ptr_nonnull(strstr(error.text, "baseColorTexture: \"index\" is 4"));
}
END_TEST

/* Odd numbers in odd places: whatever is taken is in range (the scene is checked when it is
 * finished), and what is not taken is told. */
START_TEST(gltf_odd_numbers)
{
    static const char *const numbers[] = {"0",     "1",    "-0.0",  "-1",   "0.5",   "1.5",
                                          "1e-45", "1e38", "-1e38", "1e39", "1e999", "null",
                                          "'1'",   "[]",   "{}",    "true"};
    static const char material[] =
        "{'pbrMetallicRoughness':{'metallicFactor':%s,'roughnessFactor':%s},'emissiveFactor':"
        "[%s,%s,0],'occlusionTexture':{'index':0,'strength':%s},'normalTexture':{'index':0,"
        "'scale':%s},'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':%s},"
        "'KHR_materials_ior':{'ior':%s},'KHR_materials_specular':{'specularFactor':%s,"
        "'specularColorFactor':[%s,%s,1]},'KHR_materials_clearcoat':{'clearcoatFactor':%s,"
        "'clearcoatRoughnessFactor':%s}%s}}";
    uint64_t state = 14;
    for (int i = 0; i < TEST_ROUNDS(2000); i++) {
        const char *n[13];
        for (int k = 0; k < 13; k++) {
            n[k] = numbers[test_random_below(&state, sizeof numbers / sizeof *numbers)];
        }
        const char *gloss = test_random_below(&state, 4) > 0
                                ? ""
                                : ",'KHR_materials_pbrSpecularGlossiness':{"
                                  "'glossinessFactor':1.5,'specularFactor':[2,-1,"
                                  "1]}";
        char entry[1200];
        snprintf(entry, sizeof entry, material, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7],
                 n[8], n[9], n[10], n[11], n[12], gloss);
        reset();
        PUT(float, 0);
        mrw_scene *s = load(gltf(TEXTURES ",'materials':[%s]", entry));
        ck_assert(mrwi_scene_material_valid(&s->materials[0], s->textures_count));
        mrw_scene_free(s);
    }
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
                                 "1, but a mesh with this material lacks them"));
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- scenes with fewer maps ------------------------------------------------------------------ */

/* The header of a scene in another version: those before 7 have one section less. */
static mrwi_scene_blob_header header_of(const mrw_scene *s, uint32_t version)
{
    mrwi_scene_blob_header header;
    memcpy(&header, s->blob, sizeof header);
    header.version = version;
    if (version < 7) {
        header.section_count--;
        header.sections[header.section_count] = (mrwi_scene_blob_section){0, 0};
    }
    return header;
}

/* The same scene as a marrow of this version wrote it whose table ended after `count` maps. */
static void *with_maps(const mrw_scene *s, uint32_t version, uint32_t count, uint64_t *size)
{
    mrwi_scene_blob_header header = header_of(s, version);
    const size_t entry = offsetof(mrw_material, maps) + count * sizeof(mrw_material_map);
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
        void *blob = with_maps(s, MRWI_SCENE_BLOB_VERSION, count, &size);
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

/* Versions 1 and 2 have no number of maps; versions 3 and 4 have one, the former and materials with
 * less before them: what this scene's section of materials is too long for. */
START_TEST(other_versions_have_no_fewer_maps)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, &error), MRW_OK);
    mrw_scene *s = finish(b), *read = NULL;
    for (uint32_t version = 0; version <= MRWI_SCENE_BLOB_VERSION + 1; version++) {
        uint64_t size;
        char *blob = with_maps(s, version, 1, &size);
        mrw_status status = mrwi_scene_from_blob(blob, size, "x", &read, &error);
        ck_assert_int_eq(
            status, version >= 4 && version <= MRWI_SCENE_BLOB_VERSION ? MRW_OK : MRW_ERROR_INPUT);
        if (status == MRW_OK) {
            mrw_scene_free(read);
        } else {
            ck_assert_ptr_nonnull(
                strstr(error.text, version == 3 ? "damaged" : "another version of marrow"));
            mrwi_base_free(blob);
        }
    }
    mrw_scene_free(s);
}
END_TEST

/* The same scene as a marrow of version 3 wrote it with `count` maps. */
static void *of_version_3(const mrw_scene *s, uint32_t count, uint64_t *size)
{
    mrwi_scene_blob_header header = header_of(s, 3);
    const size_t head = offsetof(mrw_material, model), maps = count * sizeof(mrw_material_map);
    header.map_count = count;
    ck_assert(mrwi_scene_blob_layout(&header));
    char *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
    memcpy(blob, &header, sizeof header);
    mrwi_scene_blob_copy_sections(s->blob, blob);
    char *to = blob + header.sections[MRWI_SCENE_SECTION_materials].offset;
    for (uint32_t i = 0; i < s->materials_count; i++, to += head + maps) {
        memcpy(to, &s->materials[i], head);
        memcpy(to + head, s->materials[i].maps, maps);
    }
    *size = header.size;
    return blob;
}

/* Of version 3 only the base colour stays, and the surface is matt. */
START_TEST(version_3_is_read)
{
    uint32_t index;
    mrwi_scene_builder *b = begin();
    mrw_material in = mrw_material_default();
    in.alpha_mode = MRW_ALPHA_MASK;
    in.alpha_cutoff = 0.25f;
    in.flags = MRW_MATERIAL_DOUBLE_SIDED;
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        in.maps[m].texture = 0;
        in.maps[m].uv_set = 1;
    }
    memcpy(in.maps[MRW_MAP_SPECULAR].factor, (float[4]){0, 9, 0, 1}, 16); /* in range there */
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &in, &index, &error), MRW_OK);
    mrw_scene *s = finish(b), *read = NULL;
    for (uint32_t count = 0; count <= MRW_MAP_ROUGHNESS + 2; count++) {
        uint64_t size;
        void *blob = of_version_3(s, count, &size);
        mrw_status status = mrwi_scene_from_blob(blob, size, "x", &read, &error);
        if (count == 0 || count > MRW_MAP_ROUGHNESS + 1) {
            ck_assert_int_eq(status, MRW_ERROR_INPUT);
            ck_assert_ptr_nonnull(strstr(error.text, "another version of marrow"));
            mrwi_base_free(blob);
            continue;
        }
        ck_assert_msg(status == MRW_OK, "%s", error.text);
        const mrw_material *m = &read->materials[0];
        ck_assert_uint_eq(m->alpha_mode, MRW_ALPHA_MASK);
        ck_assert(m->alpha_cutoff == 0.25f && m->flags == MRW_MATERIAL_DOUBLE_SIDED);
        ck_assert_uint_eq(m->model, MRW_MATERIAL_CLASSIC);
        check_floats(&m->ior, (const double[]){1.5, 1, 0, 0, 0}, 5, 0);
        check_map(m, MRW_MAP_BASE_COLOR, 0, 1, 1, 1, 1, 1);
        check_map(m, MRW_MAP_SPECULAR, MRW_NONE, 0, 0, 0, 0, 1);
        for (int map = 1; map < MRW_MAP_COUNT; map++) {
            ck_assert_uint_eq(m->maps[map].texture, MRW_NONE);
        }
        mrw_scene_free(read);
    }
    mrw_scene_free(s);
}
END_TEST

/* Of version 4 all stays but bump maps, which have no texels there. */
START_TEST(version_4_is_read)
{
    uint32_t index;
    mrwi_scene_builder *b = begin();
    mrw_material in = mrw_material_default(), expected;
    in.clearcoat = 0.5f;
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        in.maps[m].texture = 0;
    }
    in.maps[MRW_MAP_HEIGHT].factor[0] = 0.25f;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &in, &index, &error), MRW_OK);
    mrw_scene *s = finish(b), *read = NULL;
    for (uint32_t count = 1; count <= MRW_MAP_CLEARCOAT_NORMAL + 1; count++) {
        uint64_t size;
        char *blob = with_maps(s, 4, count, &size);
        ck_assert_int_eq(mrwi_scene_from_blob(blob, size, "x", &read, &error), MRW_OK);
        const mrw_material usual = mrw_material_default();
        expected = s->materials[0];
        for (uint32_t m = 0; m < MRW_MAP_COUNT; m++) {
            if (m >= count || m == MRW_MAP_HEIGHT) {
                expected.maps[m] = usual.maps[m];
            }
        }
        ck_assert_mem_eq(read->materials, &expected, sizeof expected);
        mrw_scene_free(read);
    }
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("maps");
    TCase *tc = tcase_create("maps");
    tcase_add_test(tc, names_are_different);
    tcase_add_loop_test(tc, the_walk_finds_what_is_drawn, 0, 3);
    tcase_add_test(tc, bumps_count_without_normals);
    tcase_add_test(tc, the_hash_is_the_documented_one);
    tcase_add_test(tc, the_hash_of_numbers_is_the_documented_one);
    tcase_add_test(tc, each_map_is_hashed);
    tcase_add_test(tc, gltf_has_all_maps);
    tcase_add_test(tc, gltf_sheen);
    tcase_add_test(tc, gltf_extensions_that_are_not_drawn);
    tcase_add_test(tc, gltf_transmission_is_alpha);
    tcase_add_test(tc, gltf_factors_without_textures);
    tcase_add_test(tc, gltf_specular_glossiness);
    tcase_add_test(tc, gltf_odd_maps);
    tcase_add_test(tc, gltf_malformed_maps);
    tcase_add_test(tc, gltf_odd_numbers);
    tcase_add_test(tc, tangents_that_nobody_needs);
    tcase_add_test(tc, texture_coordinates_that_are_not_there);
    tcase_add_test(tc, fewer_maps_are_read);
    tcase_add_test(tc, other_versions_have_no_fewer_maps);
    tcase_add_test(tc, version_3_is_read);
    tcase_add_test(tc, version_4_is_read);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
