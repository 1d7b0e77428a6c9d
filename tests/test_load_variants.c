/* test_load_variants.c: KHR_materials_variants. Which material each primitive has, by hand. */
#include "load_gltf.h"

/* Two primitives: "plain" has material 0, whatever the variant; "mapped" has material 0 itself, 1
 * in "Blue" and "Night", 2 in "3". The third variant's name is a number: names go before indices.
 */
static const char *file(const char *mappings)
{
    reset();
    PUT(float, TRIANGLE);
    return gltf(
        "],'accessors':[" A(
            0, 5126, 3,
            VEC3) "],'extensionsRequired':['KHR_materials_variants'],"
                  "'extensions':{'KHR_materials_variants':{'variants':[{'name':'Blue'},{'name':'"
                  "Night'},"
                  "{'name':'3'},{'name':'Bare'}]}},"
                  "'materials':[{'name':'red'},{'name':'blue'},{'name':'green'}],"
                  "'meshes':[{'name':'plain','primitives':[{'attributes':{'POSITION':0},'material':"
                  "0}]},"
                  "{'name':'mapped','primitives':[{'attributes':{'POSITION':0},'material':0,"
                  "'extensions':{'KHR_materials_variants':{'mappings':%s}}}]}],"
                  "'nodes':[{'mesh':0},{'mesh':1}]",
        mappings);
}

#define MAPPINGS "[{'material':1,'variants':[0,1]},{'material':2,'variants':[2]}]"

static mrw_scene *load_variant(const char *mappings, const char *variant)
{
    const char *json = file(mappings);
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    def.variant = variant;
    mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &scene, &error);
    return scene;
}

static const char *material_of(const mrw_scene *s, const char *mesh)
{
    for (uint32_t i = 0; i < s->meshes_count; i++) {
        if (strcmp(mrw_scene_string(s, s->meshes[i].name), mesh) == 0) {
            return mrw_scene_string(s, s->materials[s->meshes[i].material].name);
        }
    }
    return "";
}

START_TEST(materials_of_variants)
{
    static const struct {
        const char *variant, *material;
    } cases[] = {{NULL, "red"},   {"Blue", "blue"}, {"Night", "blue"}, {"3", "green"},
                 {"Bare", "red"}, {"0", "blue"},    {"1", "blue"},     {"2", "green"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = load_variant(MAPPINGS, cases[i].variant);
        ck_assert_msg(s, "%s", error.text);
        ck_assert_uint_eq(s->warnings_count, cases[i].variant ? 0 : 1);
        ck_assert_str_eq(material_of(s, "plain"), "red");
        ck_assert_str_eq(material_of(s, "mapped"), cases[i].material);
        mrw_scene_free(s);
    }
}
END_TEST

START_TEST(variants_that_are_missing)
{
    static const struct {
        const char *variant, *says;
    } cases[] = {{"Blu", "there is no variant \"Blu\"; did you mean Blue"},
                 {"xyzzy", "there are Blue, Night, 3, Bare"},
                 {"4", "there is no variant \"4\""},
                 {"", "there is no variant \"\""},
                 {"99999999999999999999", "there is no variant"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_ptr_null(load_variant(MAPPINGS, cases[i].variant));
        ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, cases[i].says), "%s", error.text);
    }
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *s = NULL;
    def.variant = "Blue";
    reset();
    const char *bare = gltf("]");
    ck_assert_int_eq(mrw_load_memory(bare, strlen(bare), "t.gltf", NULL, &def, &s, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "the file has no variants; omit --variant"));
    static const char stl[] =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    ck_assert_int_eq(mrw_load_memory(stl, sizeof stl - 1, "t.stl", NULL, &def, &s, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "only glTF files have variants; omit --variant"));
}
END_TEST

/* Mappings of any shape: the primitive keeps its material, or the file is refused for an index. */
START_TEST(malformed_mappings)
{
    static const char *const kept[] = {"5",
                                       "{}",
                                       "[]",
                                       "[5]",
                                       "[{}]",
                                       "[{'variants':5,'material':1}]",
                                       "[{'variants':['0'],'material':1}]",
                                       "[{'variants':[0.5,-1,7],'material':1}]"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        mrw_scene *s = load_variant(kept[i], "Blue");
        ck_assert_msg(s, "%s: %s", kept[i], error.text);
        ck_assert_str_eq(material_of(s, "mapped"), "red");
        mrw_scene_free(s);
    }
    ck_assert_ptr_null(load_variant("[{'variants':[0],'material':3}]", "Blue"));
    ck_assert_ptr_nonnull(strstr(error.text, "\"material\" is 3"));
    mrw_scene *s = load_variant("[{'variants':[0],'material':3}]", NULL);
    ck_assert_ptr_nonnull(s); /* nobody asks for it */
    mrw_scene_free(s);
}
END_TEST

static char heard[100];

static void hear(void *user, const char *name)
{
    ck_assert_ptr_eq(user, heard);
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s|", name);
}

START_TEST(names_are_told)
{
    const char *json = file(MAPPINGS);
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *s = NULL;
    def.variant_found = hear;
    def.variant_found_user = heard;
    ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &s, &error), MRW_OK);
    ck_assert_str_eq(heard, "Blue|Night|3|Bare|");
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load_variants");
    TCase *tc = tcase_create("load_variants");
    tcase_add_test(tc, materials_of_variants);
    tcase_add_test(tc, variants_that_are_missing);
    tcase_add_test(tc, malformed_mappings);
    tcase_add_test(tc, names_are_told);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
