/* test_load_unseen.c: pictures that nothing drawn shows are not opened; those that are come from
 * other threads with the same messages in the same order, also when memory fails. */
#include "load_gltf.h"

#include "base/memory.h"
#include "marrow/marrow.h"
#include "scene/builder.h"

#include <sys/resource.h>

/* ---- models ---------------------------------------------------------------------------------- */

/* A PNG of one shade in a data: URI, of so many texels that another thread decodes them; with
 * `damaged` its header is good and the rest is not. */
static const char *picture(uint8_t shade, bool damaged)
{
    static char uri[12][2000];
    static int turn;
    mrw_image image;
    mrw_bytes png;
    char *out = uri[turn++ % 12];
    ck_assert_int_eq(mrw_image_create(40, 40, 3, &image, NULL), MRW_OK);
    memset(image.pixels, shade, 40 * 40 * 3);
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    ck_assert_uint_lt(png.size, 1000);
    for (size_t i = 41; damaged && i < png.size; i++) {
        png.data[i] = 0xFF;
    }
    strcpy(out, "data:image/png;base64,");
    base64(png.data, png.size, out + strlen(out));
    mrw_bytes_free(&png);
    mrw_image_free(&image);
    return out;
}

/* Claims 16384 x 16384 texels: a gigabyte, were it decoded. */
static const char *huge(void)
{
    static char uri[200] = "data:image/x-tga;base64,";
    const uint8_t tga[21] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 24, 0};
    base64(tga, sizeof tga, uri + strlen("data:image/x-tga;base64,"));
    return uri;
}

static char images[20000], looks[20000];
static int image_count;

/* Image i has texture i and material i. */
static void add_image(const char *name, const char *uri)
{
    const char *comma = image_count > 0 ? "," : "";
    size_t used = strlen(images);
    snprintf(images + used, sizeof images - used, "%s{'name':'%s','uri':'%s'}", comma, name, uri);
    image_count++;
}

static void start(void)
{
    images[0] = '\0';
    image_count = 0;
    reset();
}

/* Accessor 0 is a triangle, 1 its texture coordinates. */
#define ACCESSORS                                                                                  \
    "'accessors':[{'componentType':5126,'count':3,'type':'VEC3'},"                                 \
    "{'componentType':5126,'count':3,'type':'VEC2'}]"

/* The file, with `meshes` and what else there is. */
static const char *model(const char *meshes)
{
    size_t n = 0;
#define ADD(...) (n += (size_t)snprintf(looks + n, sizeof looks - n, __VA_ARGS__))
    ADD("'textures':[");
    for (int i = 0; i < image_count; i++) {
        ADD("%s{'source':%d}", i ? "," : "", i);
    }
    ADD("],'materials':[");
    for (int i = 0; i < image_count; i++) {
        ADD("%s{'name':'m%d','pbrMetallicRoughness':{'baseColorTexture':{'index':%d}}}",
            i ? "," : "", i, i);
    }
    ADD("]," ACCESSORS);
#undef ADD
    return gltf("],'images':[%s],%s,%s", images, looks, meshes);
}

#define PRIMITIVE(material) "{'attributes':{'POSITION':0,'TEXCOORD_0':1},'material':" #material "}"
#define POINTS(material)    "{'attributes':{'POSITION':0},'mode':0,'material':" #material "}"
#define MESHES(...)         "'meshes':[" __VA_ARGS__ "]"
#define MESH(...)           "{'primitives':[" __VA_ARGS__ "]}"

static bool seen(const mrw_scene *s, uint32_t image)
{
    const mrw_image_info *info = &s->images[image];
    const bool unseen = (info->flags & MRW_IMAGE_UNSEEN) != 0;
    ck_assert(!unseen || (info->width == 0 && info->height == 0 &&
                          (info->flags & ~MRW_IMAGE_EMBEDDED) == MRW_IMAGE_UNSEEN));
    ck_assert(unseen || info->width > 0);
    return !unseen;
}

static const char *name_of(const mrw_scene *s, uint32_t image)
{
    return mrw_scene_string(s, s->images[image].name);
}

/* ---- which are opened ------------------------------------------------------------------------ */

/* In kB. */
static long peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

START_TEST(unused_pictures_stay_closed)
{
    start();
    add_image("skin", picture(9, false));
    add_image("damaged", picture(8, true));
    add_image("huge", huge());
    add_image("gone", "gone.png");
    add_image("outside", "../../etc/passwd");
    add_image("no data", "data:,");
    const char *json = model(MESHES(MESH(PRIMITIVE(0))) ONE_NODE);
    const long before = peak_memory();
    mrw_scene *s = load(json);
    ck_assert_int_lt(peak_memory() - before, 50000);
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->images_count, 6);
    ck_assert_uint_eq(s->textures_count, 6);
    ck_assert_uint_eq(s->materials_count, 6);
    ck_assert_uint_eq(s->texels_count, 40 * 40);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert(seen(s, i) == (i == 0));
        ck_assert_uint_eq(s->materials[i].maps[MRW_MAP_BASE_COLOR].texture, i);
        ck_assert_uint_eq(s->textures[i].image, i);
    }
    ck_assert_str_eq(name_of(s, 2), "huge");
    ck_assert_str_eq(mrw_scene_string(s, s->images[3].path), "gone.png");
    ck_assert_uint_eq(s->images[2].flags & MRW_IMAGE_EMBEDDED, MRW_IMAGE_EMBEDDED);
    mrw_scene_free(s);
}
END_TEST

/* The picture is opened for triangles of the scene that is drawn, and for nothing else. */
START_TEST(what_is_drawn_shows_its_pictures)
{
    static const struct {
        const char *meshes, *scene;
        bool seen[3];
    } cases[] = {
        {MESHES(MESH(PRIMITIVE(1) "," PRIMITIVE(1)) "," MESH(
             PRIMITIVE(2))) ",'nodes':[{'mesh':0},{'mesh':1}]",
         NULL,
         {false, true, true}},
        {MESHES(MESH(POINTS(0) "," PRIMITIVE(2))) ONE_NODE, NULL, {false, false, true}},
        {MESHES(MESH(PRIMITIVE(0)) "," MESH(PRIMITIVE(1))) ONE_NODE, NULL, {true, false, false}},
        {MESHES(
             MESH(PRIMITIVE(0)) "," MESH(PRIMITIVE(1))) ",'nodes':[{'mesh':0},{'mesh':1}],'scenes':"
                                                        "[{'nodes':[0]},{'nodes':[1]}],'scene':0",
         NULL,
         {true, false, false}},
        {MESHES(
             MESH(PRIMITIVE(0)) "," MESH(PRIMITIVE(1))) ",'nodes':[{'mesh':0},{'mesh':1}],'scenes':"
                                                        "[{'nodes':[0]},{'nodes':[1]}],'scene':0",
         "1",
         {false, true, false}},
        {MESHES(MESH("{'attributes':{'POSITION':0}}")) ONE_NODE, NULL, {false, false, false}},
        {"'cameras':[]", NULL, {false, false, false}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        start();
        for (uint8_t i = 0; i < 3; i++) {
            add_image("", picture(i, false));
        }
        mrw_load_def def = mrw_load_def_default();
        mrw_scene *s = NULL;
        const char *json = model(cases[c].meshes);
        def.scene = cases[c].scene;
        ck_assert_msg(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error) ==
                          MRW_OK,
                      "%s", error.text);
        ck_assert_uint_eq(s->images_count, 3);
        for (uint32_t i = 0; i < 3; i++) {
            ck_assert_msg(seen(s, i) == cases[c].seen[i], "case %zu, image %u", c, i);
        }
        mrw_scene_free(s);
    }
}
END_TEST

/* A map whose picture cannot be found is left out, wherever the picture is shown, and whichever map
 * comes first. */
START_TEST(every_map_of_a_lost_picture_is_left_out)
{
    static const char *const pictures[] = {"{'bufferView':9}", "{'bufferView':0,'uri':7}",
                                           "{'bufferView':1,'mimeType':'image/png'}"};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        start();
        mrw_scene *s =
            load(gltf("],'images':[%s],'textures':[{'source':0},{'source':0}],"
                      "'materials':[{'normalTexture':{'index':0}},"
                      "{'pbrMetallicRoughness':{'metallicRoughnessTexture':{'index':0}}},"
                      "{'occlusionTexture':{'index':1}}]," ACCESSORS
                      "," MESHES(MESH(PRIMITIVE(0) "," PRIMITIVE(1) "," PRIMITIVE(2))) ONE_NODE,
                      pictures[i]));
        for (uint32_t m = 0; m < s->materials_count; m++) {
            for (int map = 0; map < MRW_MAP_COUNT; map++) {
                const uint32_t texture = s->materials[m].maps[map].texture;
                ck_assert(texture == MRW_NONE || seen(s, s->textures[texture].image));
            }
        }
        ck_assert_uint_gt(s->warnings_count, 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* A picture that an unused material shows first is seen, though, when another is drawn. */
START_TEST(materials_share_a_picture)
{
    const char *uri = picture(3, false);
    start();
    mrw_scene *s = load(gltf(
        "],'images':[{'name':'p','uri':'%s'}],'textures':[{'source':0}],'materials':[{'name':'a',"
        "'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}},{'name':'b','doubleSided':true,"
        "'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}]," ACCESSORS
        ",'meshes':[{'primitives':[" PRIMITIVE(1) "]}]" ONE_NODE,
        uri));
    ck_assert_uint_eq(s->images_count, 1);
    ck_assert(seen(s, 0));
    mrw_scene_free(s);
}
END_TEST

/* The texels of the second image come first; the first has them, and all that showed either is one.
 */
START_TEST(equal_pictures_in_any_order)
{
    char uri[2000];
    strcpy(uri, picture(5, false));
    start();
    mrw_scene *s = load(gltf(
        "],'images':[{'name':'first','uri':'%s'},{'name':'other','uri':'%s'},{'name':'second',"
        "'uri':'%s'}],'textures':[{'source':0},{'source':1},{'source':2}],'materials':["
        "{'name':'unused','pbrMetallicRoughness':{'baseColorTexture':{'index':0}}},"
        "{'pbrMetallicRoughness':{'baseColorTexture':{'index':2}}},"
        "{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}},"
        "{'pbrMetallicRoughness':{'baseColorTexture':{'index':1}}}]," ACCESSORS
        ",'meshes':[{'primitives':[" PRIMITIVE(1) "," PRIMITIVE(2) "," PRIMITIVE(3) "]}]" ONE_NODE,
        uri, picture(6, false), uri));
    ck_assert_uint_eq(s->images_count, 2);
    ck_assert_str_eq(name_of(s, 0), "first");
    ck_assert_str_eq(name_of(s, 1), "other");
    ck_assert_uint_eq(s->images[1].first_texel, 40 * 40);
    ck_assert_uint_eq(s->texels[0], 5);
    ck_assert_uint_eq(s->texels[4 * 40 * 40], 6);
    ck_assert_uint_eq(s->textures_count, 2);
    ck_assert_uint_eq(s->materials_count, 3);
    const uint32_t shown[3] = {1, 1, 2};
    for (uint32_t m = 0; m < 3; m++) {
        ck_assert_uint_eq(s->meshes[m].material, shown[m]);
    }
    ck_assert_uint_eq(s->materials[0].maps[MRW_MAP_BASE_COLOR].texture, 0);
    ck_assert_uint_eq(s->materials[1].maps[MRW_MAP_BASE_COLOR].texture, 0);
    ck_assert_uint_eq(s->materials[2].maps[MRW_MAP_BASE_COLOR].texture, 1);
    mrw_scene_free(s);
}
END_TEST

START_TEST(clips_need_no_pictures)
{
    start();
    add_image("a", picture(1, true));
    add_image("b", "gone.png");
    const char *json = model(MESHES(MESH(PRIMITIVE(0) "," PRIMITIVE(1))) ONE_NODE);
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *s = NULL;
    def.clips_only = true;
    ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error), MRW_OK);
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->draws_count, 2);
    ck_assert_uint_eq(s->images_count, 2);
    ck_assert(!seen(s, 0) && !seen(s, 1));
    for (uint32_t m = 0; m < s->materials_count; m++) {
        ck_assert_uint_eq(s->materials[m].maps[MRW_MAP_BASE_COLOR].texture, MRW_NONE);
    }
    mrw_scene_free(s);
}
END_TEST

/* What is unseen survives compiling; a draw that shows it is refused. */
START_TEST(unseen_in_the_scene)
{
    start();
    add_image("a", picture(1, false));
    add_image("b", "b.png");
    mrw_scene *s = load(model(MESHES(MESH(PRIMITIVE(0))) ONE_NODE)), *again = NULL;
    mrw_bytes file;
    ck_assert_int_eq(mrw_scene_compile(s, &file, &error), MRW_OK);
    ck_assert_msg(mrw_load_memory(file.data, file.size, "x.marrow", NULL, NULL, &again, &error) ==
                      MRW_OK,
                  "%s", error.text);
    ck_assert(seen(again, 0) && !seen(again, 1));
    ck_assert_str_eq(mrw_scene_string(again, again->images[1].path), "b.png");
    mrw_bytes_free(&file);
    mrw_scene_free(again);
    mrw_scene_free(s);
}
END_TEST

START_TEST(unseen_is_not_drawn)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const mrwi_scene_image_input image = {.name = "i", .unseen = true};
    const mrwi_scene_node_input node = {.parent = MRW_NONE, .rest = {{0}, {0, 0, 0, 1}, {1, 1, 1}}};
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = {.vertex_count = 3, .index_count = 3, .positions = corners};
    mrw_texture texture = {0};
    mrwi_scene_builder *b;
    mrw_scene *s = NULL;
    uint32_t index;
    material.maps[MRW_MAP_BASE_COLOR].texture = 0;
    ck_assert_int_eq(mrwi_scene_builder_create("t", "x", &b, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &texture.image, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &index, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, &material, &mesh.material, &error),
                     MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_node(b, &node, &index, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_mesh(b, &mesh, &index, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, 0, 0, MRW_NONE, &error), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_finish(b, &s, &error), MRW_ERROR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(error.text, "draw 0: its image has no texels"));
    mrwi_scene_builder_free(b);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

static const int threads[] = {1, 2, 8};
#define THREADS (sizeof threads / sizeof *threads)

static const char *twelve_pictures(const char *meshes)
{
    start();
    for (int i = 0; i < 12; i++) {
        add_image("", i == 7                       ? "gone.png"
                      : i == 2 || i == 5 || i == 9 ? picture((uint8_t)i, true)
                                                   : picture((uint8_t)i, false));
    }
    return model(meshes);
}

/* clang-format off */
#define TWELVE \
    PRIMITIVE(0) "," PRIMITIVE(1) "," PRIMITIVE(2) "," PRIMITIVE(3) "," \
    PRIMITIVE(4) "," PRIMITIVE(5) "," PRIMITIVE(6) "," PRIMITIVE(7) "," \
    PRIMITIVE(8) "," PRIMITIVE(9) "," PRIMITIVE(10) "," PRIMITIVE(11)
/* clang-format on */

START_TEST(warnings_in_the_order_of_the_file)
{
    static const char *const expected[] = {"1 primitives are points", "image 2", "image 5",
                                           "image 7: texture \"gone.png\"", "image 9"};
    const char *json = twelve_pictures(MESHES(MESH(TWELVE "," POINTS(0))) ONE_NODE);
    uint8_t hash[32] = {0};
    for (int round = 0; round < 30; round++) {
        mrw_load_def def = mrw_load_def_default();
        mrw_scene *s = NULL;
        def.threads = threads[(size_t)round % THREADS];
        ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error),
                         MRW_OK);
        ck_assert_uint_eq(s->warnings_count, 5);
        for (uint32_t i = 0; i < 5; i++) {
            ck_assert_ptr_nonnull(strstr(mrw_scene_string(s, s->warnings[i]), expected[i]));
        }
        if (round == 0) {
            memcpy(hash, mrw_scene_hash(s), sizeof hash);
        }
        ck_assert_mem_eq(hash, mrw_scene_hash(s), sizeof hash);
        mrw_scene_free(s);
    }
}
END_TEST

/* What is wrong with the file is told, whatever pictures are still being decoded. */
START_TEST(one_message)
{
    const char *json =
        twelve_pictures(MESHES(MESH(TWELVE ","
                                           "{'attributes':{'POSITION':7},'material':0}")) ONE_NODE);
    for (int round = 0; round < 30; round++) {
        mrw_load_def def = mrw_load_def_default();
        mrw_scene *s = NULL;
        def.threads = threads[(size_t)round % THREADS];
        ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error),
                         MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, "mesh 0 primitive 12"), "%s", error.text);
    }
}
END_TEST

START_TEST(any_allocation_may_fail)
{
    const char *json = twelve_pictures(MESHES(MESH(TWELVE)) ONE_NODE);
    for (size_t t = 0; t < THREADS; t++) {
        mrw_load_def def = mrw_load_def_default();
        mrw_status status = MRW_ERROR_MEMORY;
        def.threads = threads[t];
        uint64_t n = 0;
        while (status != MRW_OK) {
            mrw_scene *s = NULL;
            mrwi_base_alloc_fail_at(++n);
            status = mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error);
            ck_assert(status == MRW_OK || (status == MRW_ERROR_MEMORY && !s));
            ck_assert(mrwi_base_alloc_fail_pending() == (status == MRW_OK));
            mrwi_base_alloc_fail_at(0);
            mrw_scene_free(s);
        }
        ck_assert_uint_gt(n, 100);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load_unseen");
    TCase *t = tcase_create("pictures");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, unused_pictures_stay_closed);
    tcase_add_test(t, what_is_drawn_shows_its_pictures);
    tcase_add_test(t, every_map_of_a_lost_picture_is_left_out);
    tcase_add_test(t, materials_share_a_picture);
    tcase_add_test(t, equal_pictures_in_any_order);
    tcase_add_test(t, clips_need_no_pictures);
    tcase_add_test(t, unseen_in_the_scene);
    tcase_add_test(t, unseen_is_not_drawn);
    tcase_add_test(t, warnings_in_the_order_of_the_file);
    tcase_add_test(t, one_message);
    tcase_add_test(t, any_allocation_may_fail);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
