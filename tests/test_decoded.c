/* test_decoded.c: images that no map shows which is read are not decoded: what modes, passes and
 * commands read, and that pictures and hashes do not change by it. */
#include "load_gltf.h"

#include "base/memory.h"
#include "load/texture.h"

#include <marrow/marrow.h>
#include <unistd.h>

#define BIT(map) MRW_MAP_BIT(MRW_MAP_##map)
#define ALWAYS   (MRW_MAPS_ALPHA | BIT(DISPLACEMENT))
#define BENT     (BIT(NORMAL) | BIT(HEIGHT))

/* ---- models ---------------------------------------------------------------------------------- */

/* A PNG of 8 x 8 texels of a shade in a data: URI. The alpha of half of them is `alpha`; 256: it
 * has no alpha at all. Damaged: its header is good, the rest is not. */
static const char *picture(uint8_t shade, int alpha, bool damaged)
{
    static char uri[16][1000];
    static int turn;
    const uint32_t channels = alpha == 256 ? 3 : 4;
    mrw_image image;
    mrw_bytes png;
    char *out = uri[turn++ % 16];
    ck_assert_int_eq(mrw_image_create(8, 8, channels, &image, NULL), MRW_OK);
    for (uint32_t i = 0; i < 64; i++) {
        memset(image.pixels + (size_t)i * channels, shade + (int)(i % 8), 3);
        if (channels == 4) {
            image.pixels[4 * i + 3] = i % 8 < 4 ? (uint8_t)alpha : 255;
        }
    }
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    for (size_t i = 41; damaged && i < png.size; i++) {
        png.data[i] = 0xFF;
    }
    ck_assert_uint_lt(png.size, 600);
    strcpy(out, "data:image/png;base64,");
    base64(png.data, png.size, out + strlen(out));
    mrw_bytes_free(&png);
    mrw_image_free(&image);
    return out;
}

/* A square with texture coordinates a material, side by side. Image i has texture i. */
static const char *model(const char *materials, int material_count, const char *const *uris,
                         int uri_count)
{
    static char rest[30000];
    size_t n = 0;
    reset();
    const float x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    const float uv[] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};
    put_bytes(x, sizeof x);
    put_bytes(uv, sizeof uv);
#define ADD(...) (n += (size_t)snprintf(rest + n, sizeof rest - n, __VA_ARGS__))
    ADD("'images':[");
    for (int i = 0; i < uri_count; i++) {
        ADD("%s{'uri':'%s'}", i ? "," : "", uris[i]);
    }
    ADD("],'textures':[");
    for (int i = 0; i < uri_count; i++) {
        ADD("%s{'source':%d}", i ? "," : "", i);
    }
    ADD("],'materials':[%s],'meshes':[", materials);
    for (int i = 0; i < material_count; i++) {
        ADD("%s{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1},'material':%d}]}",
            i ? "," : "", i);
    }
    ADD("],'nodes':[");
    for (int i = 0; i < material_count; i++) {
        ADD("%s{'mesh':%d,'translation':[%d,0,0]}", i ? "," : "", i, i);
    }
    ADD("]");
#undef ADD
    return gltf("],'accessors':[{'bufferView':0,'componentType':5126,'count':6,'type':'VEC3',"
                "'min':[0,0,0],'max':[1,1,0]},{'bufferView':0,'byteOffset':72,"
                "'componentType':5126,'count':6,'type':'VEC2'}],%s",
                rest);
}

#define BASE(i)  "'baseColorTexture':{'index':" #i "}"
#define METAL(i) "'metallicRoughnessTexture':{'index':" #i "}"
#define PBR(...) "'pbrMetallicRoughness':{" __VA_ARGS__ "}"
#define EMITS(i) "'emissiveFactor':[1,1,1],'emissiveTexture':{'index':" #i "}"
#define MASK     ",'alphaMode':'MASK'"
#define BLEND    ",'alphaMode':'BLEND'"

/* Five maps, one an image, in the order of the images. */
static const char *five_maps(void)
{
    const char *uris[] = {picture(200, 256, false), picture(100, 256, false),
                          picture(120, 256, false), picture(220, 256, false),
                          picture(50, 256, false)};
    return model("{" PBR(BASE(0) "," METAL(1)) ",'normalTexture':{'index':2},"
                                               "'occlusionTexture':{'index':3}," EMITS(4) "}",
                 1, uris, 5);
}

static mrw_scene *load_for(const char *json, uint32_t maps)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scene = NULL;
    def.maps = maps;
    mrw_status status = mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

/* The images that are decoded, a bit each. */
static uint32_t decoded_of(const mrw_scene *scene)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        out |= (scene->images[i].flags & MRW_IMAGE_UNDECODED) == 0 ? 1u << i : 0;
    }
    return out;
}

static uint32_t maps_of(mrw_shading shading)
{
    mrw_frame_def def = mrw_frame_def_default();
    def.shading = shading;
    return mrw_frame_maps(&def);
}

/* ---- what is read ---------------------------------------------------------------------------- */

START_TEST(what_modes_read)
{
    const uint32_t all = MRW_MAPS_ALL;
    const struct {
        mrw_shading shading;
        uint32_t maps;
    } modes[] = {{MRW_SHADING_LIT, all},
                 {MRW_SHADING_PHONG, all},
                 {MRW_SHADING_FLAT, all & ~(BENT | BIT(CLEARCOAT_NORMAL))},
                 {MRW_SHADING_LAMBERT, ALWAYS | BIT(BASE_COLOR)},
                 {MRW_SHADING_GOURAUD, ALWAYS | BIT(BASE_COLOR)},
                 {MRW_SHADING_TOON, ALWAYS | BIT(BASE_COLOR)},
                 {MRW_SHADING_UNLIT, ALWAYS | BIT(BASE_COLOR)},
                 {MRW_SHADING_RAW, ALWAYS | BIT(BASE_COLOR)},
                 {MRW_SHADING_MATCAP, ALWAYS | BENT},
                 {MRW_SHADING_NORMAL, ALWAYS | BENT},
                 {MRW_SHADING_CLAY, ALWAYS},
                 {MRW_SHADING_WIRE, ALWAYS},
                 {MRW_SHADING_UV, ALWAYS},
                 {MRW_SHADING_DEPTH, ALWAYS},
                 {MRW_SHADING_JOINT, ALWAYS},
                 {MRW_SHADING_INFLUENCES, ALWAYS},
                 {MRW_SHADING_WEIGHTS, ALWAYS}};
    ck_assert_uint_eq(sizeof modes / sizeof *modes + 1, MRW_SHADING_COUNT); /* and channels */
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        ck_assert_uint_eq(maps_of(modes[i].shading), modes[i].maps);
    }
    mrw_frame_def def = mrw_frame_def_default();
    def.shading = MRW_SHADING_CHANNEL;
    const uint32_t channels[MRW_CHANNEL_COUNT] = {
        [MRW_CHANNEL_BASE] = BIT(BASE_COLOR),
        [MRW_CHANNEL_ALPHA] = BIT(BASE_COLOR),
        [MRW_CHANNEL_METALLIC] = BIT(METALLIC_ROUGHNESS) | BIT(METALLIC),
        [MRW_CHANNEL_ROUGHNESS] = BIT(METALLIC_ROUGHNESS) | BIT(ROUGHNESS) | BIT(SPECULAR),
        [MRW_CHANNEL_OCCLUSION] = BIT(OCCLUSION),
        [MRW_CHANNEL_EMISSIVE] = BIT(EMISSIVE),
        [MRW_CHANNEL_NORMAL_MAP] = BENT,
        [MRW_CHANNEL_NORMAL] = BENT};
    for (int c = 0; c < MRW_CHANNEL_COUNT; c++) {
        def.channel = (mrw_shading_channel)c;
        ck_assert_uint_eq(mrw_frame_maps(&def), ALWAYS | channels[c]);
    }
}
END_TEST

START_TEST(what_passes_read)
{
    mrw_frame_def def = mrw_frame_def_default();
    mrw_aov_request request = {.aov = MRW_AOV_ID};
    def.shading = MRW_SHADING_CLAY;
    def.aovs = &request;
    def.aov_count = 1;
    for (int a = 0; a < MRW_AOV_COUNT; a++) {
        request.aov = (mrw_aov)a;
        ck_assert_uint_eq(mrw_frame_maps(&def), ALWAYS | (a == MRW_AOV_NORMAL   ? BENT
                                                          : a == MRW_AOV_ALBEDO ? BIT(BASE_COLOR)
                                                                                : 0));
    }
}
END_TEST

/* ---- what is decoded ------------------------------------------------------------------------- */

START_TEST(only_what_is_read)
{
    const char *json = five_maps();
    const struct {
        uint32_t maps, images;
    } cases[] = {{MRW_MAPS_ALL, 31},
                 {maps_of(MRW_SHADING_LIT), 31},
                 {maps_of(MRW_SHADING_LAMBERT), 1},
                 {maps_of(MRW_SHADING_NORMAL), 4},
                 {maps_of(MRW_SHADING_FLAT), 31 - 4},
                 {maps_of(MRW_SHADING_CLAY), 0},
                 {BIT(DISPLACEMENT), 0},
                 {0, 0}};
    mrw_scene *all = load_for(json, MRW_MAPS_ALL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *scene = load_for(json, cases[i].maps);
        ck_assert_uint_eq(decoded_of(scene), cases[i].images);
        ck_assert_uint_eq(scene->texels_count, 64u * (uint32_t)__builtin_popcount(cases[i].images));
        ck_assert_mem_eq(mrw_scene_hash(scene), mrw_scene_hash(all), 32);
        for (uint32_t k = 0; k < 5; k++) {
            ck_assert_uint_eq(scene->images[k].width, 8);
            ck_assert_uint_eq(scene->images[k].height, 8);
        }
        mrw_scene_free(scene);
    }
    mrw_scene_free(all);
}
END_TEST

/* An image that several maps show is decoded where one of them is read, whichever comes first. */
START_TEST(an_image_of_several_maps)
{
    const char *uris[] = {picture(200, 256, false)};
    const char *const materials[] = {"{" EMITS(0) "},{" PBR(BASE(0)) "}",
                                     "{" PBR(BASE(0)) "},{" EMITS(0) "}"};
    for (size_t i = 0; i < 2; i++) {
        const char *json = model(materials[i], 2, uris, 1);
        mrw_scene *lambert = load_for(json, maps_of(MRW_SHADING_LAMBERT));
        mrw_scene *clay = load_for(json, maps_of(MRW_SHADING_CLAY));
        ck_assert_uint_eq(decoded_of(lambert), 1);
        ck_assert_uint_eq(decoded_of(clay), 0);
        mrw_scene_free(lambert);
        mrw_scene_free(clay);
    }
}
END_TEST

/* Equal images are one: it has texels where any of them does, whichever comes first. */
START_TEST(equal_images)
{
    const char *const same = picture(200, 100, false);
    const char *uris[] = {same, same};
    const char *const materials[] = {"{" EMITS(0) "},{" PBR(BASE(1)) MASK "}",
                                     "{" PBR(BASE(0)) MASK "},{" EMITS(1) "}",
                                     "{" EMITS(1) "},{" PBR(BASE(0)) MASK "}"};
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        const char *json = model(materials[i], 2, uris, 2);
        mrw_scene *all = load_for(json, MRW_MAPS_ALL);
        const mrw_shading modes[] = {MRW_SHADING_LAMBERT, MRW_SHADING_CLAY};
        for (size_t k = 0; k < 2; k++) {
            mrw_scene *s = load_for(json, maps_of(modes[k]));
            ck_assert_uint_eq(s->images_count, 1);
            ck_assert_uint_eq(s->images[0].flags, all->images[0].flags);
            ck_assert_uint_eq(s->texels_count, 64);
            ck_assert_mem_eq(s->texels, all->texels, 64 * 4);
            ck_assert_mem_eq(mrw_scene_hash(s), mrw_scene_hash(all), 32);
            mrw_scene_free(s);
        }
        mrw_scene_free(all);
    }
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

static mrw_status draw(const mrw_scene *scene, mrw_shading shading, const mrw_aov_request *aovs,
                       uint32_t aov_count, uint8_t hashes[2][32])
{
    mrw_frame_def def = mrw_frame_def_default();
    mrw_model_def model_def = mrw_model_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_model *prepared = NULL;
    mrw_renderer *renderer = NULL;
    mrw_extents extents;
    mrw_image image = {0};
    def.width = def.height = 64;
    def.shading = model_def.shading = shading;
    def.aovs = aovs;
    def.aov_count = aov_count;
    def.shadows = true;
    model_def.maps = mrw_frame_maps(&def);
    model_def.normals = aov_count > 0;
    mrw_status status = mrw_model_create_with(scene, &model_def, 1, &prepared, &error);
    if (status != MRW_OK) {
        return status;
    }
    const mrw_instance instance = mrw_instance_default(prepared);
    ck_assert_int_eq(mrw_frame_extents(&instance, 1, MRW_FIT_REST, &view, 1.0f, MRW_ISA_AUTO, 1,
                                       &extents, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &def.camera, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, &error), MRW_OK);
    status = mrw_render(renderer, &def, &instance, 1, 1, &image, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    mrw_image_hash(&image, hashes[0]);
    memset(hashes[1], 0, 32);
    if (aov_count > 0) {
        mrw_image_hash(mrw_frame_aov(renderer, 0), hashes[1]);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(prepared);
    return MRW_OK;
}

/* All that is drawn of a file is the same with all its images as with those that are read. */
static void check_pictures(const char *json)
{
    static const mrw_aov_request requests[] = {{.aov = MRW_AOV_ALBEDO}, {.aov = MRW_AOV_NORMAL}};
    mrw_scene *all = load_for(json, MRW_MAPS_ALL);
    for (int m = 0; m < MRW_SHADING_COUNT; m++) {
        if (m == MRW_SHADING_MATCAP || m == MRW_SHADING_WEIGHTS) {
            continue; /* they want more than a model */
        }
        for (uint32_t pass = 0; pass < 3; pass++) {
            uint8_t expected[2][32], got[2][32];
            mrw_frame_def def = mrw_frame_def_default();
            def.shading = (mrw_shading)m;
            def.aovs = pass < 2 ? &requests[pass] : NULL;
            def.aov_count = pass < 2;
            mrw_scene *some = load_for(json, mrw_frame_maps(&def));
            ck_assert_int_eq(draw(all, def.shading, def.aovs, def.aov_count, expected), MRW_OK);
            ck_assert_int_eq(draw(some, def.shading, def.aovs, def.aov_count, got), MRW_OK);
            ck_assert_mem_eq(got, expected, sizeof got);
            ck_assert_mem_eq(mrw_scene_hash(some), mrw_scene_hash(all), 32);
            mrw_scene_free(some);
        }
    }
    mrw_scene_free(all);
}

/* The model has no normals: passes of such a one crashed for want of positions. */
START_TEST(pictures_stay)
{
    check_pictures(five_maps());
}
END_TEST

/* A mask cuts in a mode that reads no colour; what is blended is see-through there. An image that
 * has alpha, or a channel for it, and is opaque is not kept for its alpha. */
START_TEST(alpha_is_read)
{
    const char *uris[] = {picture(200, 0, false), picture(150, 120, false),
                          picture(100, 255, false), picture(90, 256, false)};
    const char *opaque = model("{" PBR(BASE(0)) "}", 1, uris, 1);
    uint8_t cut[2][32], whole[2][32];
    mrw_scene *without = load_for(opaque, maps_of(MRW_SHADING_CLAY));
    ck_assert_uint_eq(decoded_of(without), 0);
    ck_assert_int_eq(draw(without, MRW_SHADING_CLAY, NULL, 0, whole), MRW_OK);
    mrw_scene_free(without);
    const char *masked = model("{" PBR(BASE(0)) MASK "}", 1, uris, 1);
    mrw_scene *with = load_for(masked, maps_of(MRW_SHADING_CLAY));
    ck_assert_uint_eq(decoded_of(with), 1);
    ck_assert_int_eq(draw(with, MRW_SHADING_CLAY, NULL, 0, cut), MRW_OK);
    ck_assert_mem_ne(cut[0], whole[0], 32);
    mrw_scene_free(with);
    const char *json = model("{" PBR(BASE(0)) MASK "},{" PBR(BASE(1)) BLEND "},{" PBR(BASE(2)) BLEND
                             "},{" PBR(BASE(3)) MASK "},{" PBR(BASE(0)) "},{" PBR(BASE(3)) "}",
                             6, uris, 4);
    mrw_scene *scene = load_for(json, maps_of(MRW_SHADING_CLAY));
    ck_assert_uint_eq(decoded_of(scene), 3);
    mrw_scene_free(scene);
    check_pictures(json);
}
END_TEST

/* What the mode reads must be there. */
START_TEST(what_is_missing_is_not_drawn)
{
    uint8_t hashes[2][32];
    const char *uris[] = {picture(200, 0, false)};
    mrw_scene *s = load_for(five_maps(), maps_of(MRW_SHADING_LAMBERT));
    ck_assert_int_eq(draw(s, MRW_SHADING_LAMBERT, NULL, 0, hashes), MRW_OK);
    ck_assert_int_eq(draw(s, MRW_SHADING_CLAY, NULL, 0, hashes), MRW_OK);
    ck_assert_int_eq(draw(s, MRW_SHADING_LIT, NULL, 0, hashes), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "metallic-roughness maps"));
    mrw_bytes compiled;
    ck_assert_int_eq(mrw_scene_compile(s, &compiled, &error), MRW_ERROR_USAGE);
    mrw_scene_free(s);
    /* Nobody looked at its alpha. */
    s = load_for(model("{" PBR(BASE(0)) MASK "}", 1, uris, 1), BIT(DISPLACEMENT));
    ck_assert_uint_eq(decoded_of(s), 0);
    ck_assert_int_eq(draw(s, MRW_SHADING_CLAY, NULL, 0, hashes), MRW_ERROR_USAGE);
    mrw_scene_free(s);
}
END_TEST

/* A picture that is damaged is told where it is read; a file that lacks is told always. */
START_TEST(warnings)
{
    const char *uris[] = {picture(200, 256, false), picture(100, 256, true), "no.png",
                          picture(100, 0, true)};
    const char *json =
        model("{" PBR(BASE(0) "," METAL(1)) "," EMITS(2) "},{" PBR(BASE(3)) MASK "}", 2, uris, 4);
    mrw_scene *all = load_for(json, MRW_MAPS_ALL);
    mrw_scene *clay = load_for(json, maps_of(MRW_SHADING_CLAY));
    mrw_scene *bake = load_for(json, BIT(DISPLACEMENT));
    ck_assert_uint_eq(all->warnings_count, 3);
    ck_assert_uint_eq(clay->warnings_count, 2);
    ck_assert_uint_eq(bake->warnings_count, 1);
    ck_assert(has_warning(clay, "image 3") && has_warning(clay, "no.png"));
    ck_assert(has_warning(bake, "no.png"));
    ck_assert_mem_eq(mrw_scene_hash(clay), mrw_scene_hash(all), 32);
    ck_assert_mem_eq(mrw_scene_hash(bake), mrw_scene_hash(all), 32);
    mrw_scene_free(bake);
    mrw_scene_free(clay);
    mrw_scene_free(all);
}
END_TEST

/* ---- settings -------------------------------------------------------------------------------- */

static char path[300];

static void enter(void)
{
    snprintf(path, sizeof path, "%s/model", test_folder());
}

static void parse(const char *line, mrw_settings *out)
{
    static char words[10][1000];
    const char *argv[10];
    char copy[1000], *left = NULL;
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &left); word; word = strtok_r(NULL, " ", &left)) {
        snprintf(words[count], sizeof words[count], "%s", strcmp(word, "MODEL") ? word : path);
        argv[count] = words[count];
        count++;
    }
    mrw_settings_init(out);
    ck_assert_msg(mrw_settings_parse(out, count, argv, &error) == MRW_OK, "%s", error.text);
}

/* The images that a command line decodes: also prepares what it draws of them. */
static uint32_t decoded_by(const char *line)
{
    mrw_settings settings;
    mrw_session_model shown;
    mrw_session session = {0};
    mrw_scene *scene = NULL;
    parse(line, &settings);
    settings.files.input_format = "gltf";
    ck_assert_msg(mrw_session_load(path, &settings, NULL, &scene, &error) == MRW_OK, "%s",
                  error.text);
    const uint32_t out = decoded_of(scene);
    ck_assert_int_eq(mrw_session_model_init(path, scene, &settings, &shown, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_begin(&session, &shown, false, &error), MRW_OK);
    if (settings.command != MRW_COMMAND_INFO) {
        ck_assert_msg(mrw_session_prepare(&session, NULL, &error) == MRW_OK, "%s", error.text);
    }
    mrw_session_free(&session);
    mrw_session_model_free(&shown);
    mrw_scene_free(scene);
    mrw_settings_free(&settings);
    return out;
}

START_TEST(what_commands_read)
{
    const char *uris[] = {picture(200, 256, false), picture(100, 256, false),
                          picture(100, 0, false)};
    enter();
    test_write_text(path,
                    model("{" PBR(BASE(0) "," METAL(1)) "},{" PBR(BASE(2)) MASK "}", 2, uris, 3));
    const struct {
        const char *line;
        uint32_t images;
    } cases[] = {{"render MODEL", 7},
                 {"sheet MODEL", 7},
                 {"render MODEL --shading lambert", 5},
                 {"render MODEL --shading clay", 4},
                 {"render MODEL --shading clay --shadows", 4},
                 {"render MODEL --shading channel:roughness", 6},
                 {"render MODEL --shading clay --aov albedo,depth", 5},
                 {"render MODEL --shading depth --displacement none", 4},
                 {"bake MODEL --json", 0},
                 {"bake MODEL --joints=- --joints-format=coco --images=x/", 4},
                 {"pick MODEL --at 1,1", 4},
                 {"compile MODEL", 7},
                 {"view MODEL", 7},
                 {"diff MODEL MODEL --shading lambert", 5},
                 {"init MODEL", 0},
                 {"info MODEL", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(decoded_by(cases[i].line) == cases[i].images, "%s: %u", cases[i].line,
                      decoded_by(cases[i].line));
    }
    mrw_settings usual; /* of who knows no commands */
    mrw_scene *scene;
    mrw_settings_init(&usual);
    usual.files.input_format = "gltf";
    ck_assert_int_eq(mrw_session_load(path, &usual, NULL, &scene, &error), MRW_OK);
    ck_assert_uint_eq(decoded_of(scene), 7);
    mrw_scene_free(scene);
    test_folder_remove();
}
END_TEST

/* A cache gives a scene to who reads less of it, never to who reads more. */
START_TEST(caches)
{
    mrw_session_cache *cache;
    mrw_settings lit, lambert, clay;
    const mrw_scene *scenes[4];
    enter();
    test_write_text(path, five_maps());
    parse("render MODEL", &lit);
    parse("render MODEL --shading lambert", &lambert);
    parse("render MODEL --shading clay", &clay);
    lit.files.input_format = lambert.files.input_format = clay.files.input_format = "gltf";
    const mrw_settings *const order[] = {&clay, &lambert, &lit, &lambert};
    ck_assert_int_eq(mrw_session_cache_create(&cache, &error), MRW_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(mrw_session_cache_load(cache, path, order[i], NULL, &scenes[i], &error),
                         MRW_OK);
    }
    ck_assert_uint_eq(decoded_of(scenes[0]), 0);
    ck_assert_uint_eq(decoded_of(scenes[1]), 1);
    ck_assert_uint_eq(decoded_of(scenes[2]), 31);
    ck_assert_ptr_eq(scenes[3], scenes[1]);
    mrw_session_cache_free(cache);
    ck_assert_int_eq(mrw_session_cache_create(&cache, &error), MRW_OK);
    ck_assert_int_eq(mrw_session_cache_load(cache, path, &lit, NULL, &scenes[0], &error), MRW_OK);
    ck_assert_int_eq(mrw_session_cache_load(cache, path, &clay, NULL, &scenes[1], &error), MRW_OK);
    ck_assert_ptr_eq(scenes[0], scenes[1]);
    mrw_session_cache_free(cache);
    mrw_session_host host = {.maps = BIT(EMISSIVE)};
    mrw_scene *more;
    ck_assert_int_eq(mrw_session_load(path, &lambert, &host, &more, &error), MRW_OK);
    ck_assert_uint_eq(decoded_of(more), 1 + 16);
    mrw_scene_free(more);
    mrw_settings_free(&lit);
    mrw_settings_free(&lambert);
    mrw_settings_free(&clay);
    test_folder_remove();
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(any_allocation_may_fail)
{
    const char *const same = picture(10, 256, false);
    const char *uris[] = {picture(200, 0, false), picture(150, 255, false), same, same};
    const char *json =
        model("{" PBR(BASE(0)) MASK "," EMITS(2) "},{" PBR(BASE(1)) BLEND "},{" PBR(BASE(3)) "}", 3,
              uris, 4);
    const uint32_t maps[] = {maps_of(MRW_SHADING_CLAY), maps_of(MRW_SHADING_LAMBERT), 0};
    for (size_t i = 0; i < 3; i++) {
        mrw_load_def def = mrw_load_def_default();
        mrw_status status = MRW_ERROR_MEMORY;
        uint64_t n = 0;
        def.maps = maps[i];
        while (status != MRW_OK) {
            mrw_scene *s = NULL;
            mrw_model *prepared = NULL;
            mrw_model_def model_def = mrw_model_def_default();
            model_def.shading = MRW_SHADING_CLAY;
            model_def.maps = maps[i];
            mrwi_base_alloc_fail_at(++n);
            status = mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error);
            ck_assert(status == MRW_OK || (status == MRW_ERROR_MEMORY && !s));
            if (status == MRW_OK) {
                status = mrw_model_create_with(s, &model_def, 1, &prepared, &error);
                ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY);
            }
            ck_assert(mrwi_base_alloc_fail_pending() == (status == MRW_OK));
            mrwi_base_alloc_fail_at(0);
            mrw_model_free(prepared);
            mrw_scene_free(s);
        }
        ck_assert_uint_gt(n, 50);
    }
}
END_TEST

/* What nothing reads goes; its alpha stays by itself, where there is memory for it. */
START_TEST(alpha_by_itself)
{
    for (uint64_t fails = 0; fails < 2; fails++) {
        mrwi_scene_texels texels = {.width = 2, .height = 1, .rgba = mrwi_base_alloc_zero(2, 4)};
        ck_assert_ptr_nonnull(texels.rgba);
        texels.rgba[7] = 9;
        mrwi_scene_texels_find(&texels);
        ck_assert(mrwi_load_texture_settle(MRW_MAPS_ALPHA, true, &texels));
        ck_assert_ptr_nonnull(texels.rgba);
        mrwi_base_alloc_fail_at(fails);
        ck_assert(mrwi_load_texture_settle(0, true, &texels) == (fails == 0));
        mrwi_base_alloc_fail_at(0);
        ck_assert(!texels.rgba && texels.undecoded && texels.alpha);
        ck_assert(fails == 1 || (texels.opacity[0] == 0 && texels.opacity[1] == 9));
        mrwi_base_free(texels.opacity);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("decoded");
    TCase *t = tcase_create("maps");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, what_modes_read);
    tcase_add_test(t, what_passes_read);
    tcase_add_test(t, only_what_is_read);
    tcase_add_test(t, an_image_of_several_maps);
    tcase_add_test(t, equal_images);
    tcase_add_test(t, pictures_stay);
    tcase_add_test(t, alpha_is_read);
    tcase_add_test(t, what_is_missing_is_not_drawn);
    tcase_add_test(t, warnings);
    tcase_add_test(t, what_commands_read);
    tcase_add_test(t, caches);
    tcase_add_test(t, alpha_by_itself);
    tcase_add_test(t, any_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
