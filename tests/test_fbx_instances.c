/* test_fbx_instances.c: one FBX geometry shown by several models, each with its own materials, in
 * text and in both binary layouts. */
#include "import_fixture.h"

#include "fbx_fixture.h"
#include "warnings.h"

#define GEOMETRY  10
#define MODEL     100 /* and those behind it */
#define MATERIAL  200
#define MAX_SHOWN 8

typedef struct spec {
    int models, materials;
    int shown[MAX_SHOWN][2]; /* the materials of a model's two polygons; -1: no material */
    bool skinned;
} spec;

/* Two triangles with materials 0 and 1 of the model's list. */
static void write_geometry(int64_t key, const char *name)
{
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const double indices[] = {0, 1, -3, 1, 3, -3}, materials[] = {0, 1};
    named("Geometry", key, "Geometry", name, "Mesh");
    array("Vertices", 'd', 12, corners);
    array("PolygonVertexIndex", 'i', 6, indices);
    node("GeometryVersion"), integer(124), end();
    node("LayerElementMaterial"), integer(0);
    node("MappingInformationType"), string("", "ByPolygon"), end();
    node("ReferenceInformationType"), string("", "IndexToDirect"), end();
    array("Materials", 'i', 2, materials);
    end();
    node("Layer"), integer(0);
    node("LayerElement");
    node("Type"), string("", "LayerElementMaterial"), end();
    node("TypedIndex"), integer(0), end();
    end(), end(), end();
}

static void write_file(const spec *s)
{
    char name[20];
    begin_file();
    node("Objects");
    write_geometry(GEOMETRY, "Shared");
    write_geometry(GEOMETRY + 1, "Other"); /* what lies behind the copies moves */
    for (int i = 0; i < s->models + 1; i++) {
        snprintf(name, sizeof name, "model%d", i);
        named("Model", MODEL + i, "Model", name, "Mesh");
        node("Version"), integer(232), end();
        end();
    }
    for (int i = 0; i < s->materials; i++) {
        snprintf(name, sizeof name, "material%d", i);
        named("Material", MATERIAL + i, "Material", name, "");
        node("ShadingModel"), string("", "lambert"), end();
        end();
    }
    if (s->skinned) {
        named("Deformer", 300, "Deformer", "Skin", "Skin");
        node("Version"), integer(101), end();
        end();
    }
    end();
    node("Connections");
    for (int i = 0; i < s->models; i++) {
        connect(MODEL + i, 0, NULL);
        connect(GEOMETRY, MODEL + i, NULL);
        for (int k = 0; k < 2 && s->shown[i][k] >= 0; k++) {
            connect(MATERIAL + s->shown[i][k], MODEL + i, NULL);
        }
    }
    connect(MODEL + s->models, 0, NULL);
    connect(GEOMETRY + 1, MODEL + s->models, NULL);
    connect(MATERIAL, MODEL + s->models, NULL);
    connect(MATERIAL + 1, MODEL + s->models, NULL);
    if (s->skinned) {
        connect(300, GEOMETRY, NULL);
    }
    end();
    end_file();
}

static mrw_scene *load_spec(const spec *s)
{
    mrw_scene *scene = NULL;
    mrw_error error = {0};
    write_file(s);
    ck_assert_msg(mrw_load_memory(file, file_size, "t.fbx", NULL, NULL, &scene, &error) == MRW_OK,
                  "%s", error.text);
    return scene;
}

static int power_of_10(int n)
{
    return n == 0 ? 1 : 10 * power_of_10(n - 1);
}

/* The materials of a model's triangles: the sum of 10 to the power of each number, twice that of
 * the triangle with the corner (1, 1, 0); 5 for a material that is none of the file's. */
static int materials_of(const mrw_scene *scene, const char *model)
{
    int sum = 0;
    for (uint32_t i = 0; i < scene->draws_count; i++) {
        const mrw_mesh *mesh = &scene->meshes[scene->draws[i].mesh];
        if (strcmp(mrw_scene_string(scene, scene->nodes[scene->draws[i].node].name), model) != 0) {
            continue;
        }
        const char *name = mesh->material == MRW_NONE
                               ? ""
                               : mrw_scene_string(scene, scene->materials[mesh->material].name);
        int weight = 1;
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            const float *p = scene->positions + 3 * (mesh->position + v);
            weight = p[0] == 1.0f && p[1] == 1.0f ? 2 : weight;
        }
        sum += strncmp(name, "material", 8) == 0 ? weight * power_of_10(atoi(name + 8)) : 5;
    }
    return sum;
}

static void check(const spec *s)
{
    for (how = TEXT; how < LAYOUTS; how++) {
        mrw_scene *scene = load_spec(s);
        for (int i = 0; i < s->models; i++) {
            char model[20];
            int expected = 0;
            snprintf(model, sizeof model, "model%d", i);
            for (int k = 0; k < 2; k++) {
                const int n = s->shown[i][k];
                expected += n >= 0 ? (k + 1) * power_of_10(n) : 5;
            }
            const int found = materials_of(scene, model);
            ck_assert_msg(found == expected, "layout %d, model %d: %d, not %d", (int)how, i, found,
                          expected);
        }
        char last[20];
        snprintf(last, sizeof last, "model%d", s->models);
        ck_assert_int_eq(materials_of(scene, last), 21);
        ck_assert(!has_warning(scene, "are shared by models"));
        mrw_scene_free(scene);
    }
}

START_TEST(each_model_has_its_own)
{
    check(&(spec){.models = 3, .materials = 4, .shown = {{0, 1}, {2, 3}, {1, 0}}});
    check(&(spec){.models = 5, .materials = 3, .shown = {{0, 1}, {0, 1}, {2, 1}, {0, 1}, {2, 1}}});
    check(&(spec){.models = 2, .materials = 2, .shown = {{0, 1}, {0, 1}}});
    check(&(spec){.models = 1, .materials = 2, .shown = {{1, 0}}});
    check(&(spec){.models = 2, .materials = 2, .shown = {{0, 1}, {-1, -1}}});
}
END_TEST

/* Equal lists share the geometry: as many meshes as there are lists, of two materials each, and
 * the other geometry's. */
START_TEST(lists_share_geometry)
{
    const spec s = {.models = 5, .materials = 3, .shown = {{0, 1}, {0, 1}, {2, 1}, {0, 1}, {2, 1}}};
    for (how = TEXT; how < LAYOUTS; how++) {
        mrw_scene *scene = load_spec(&s);
        uint32_t triangles = 0;
        for (uint32_t i = 0; i < scene->draws_count; i++) {
            triangles += scene->meshes[scene->draws[i].mesh].triangle_count;
        }
        ck_assert_uint_eq(triangles, 2 * 6);
        ck_assert_uint_le(scene->meshes_count, 2 * 2 + 2);
        mrw_scene_free(scene);
    }
}
END_TEST

/* With a skin the geometry stays as it is. */
START_TEST(skins_stay)
{
    const spec s = {.models = 2, .materials = 4, .shown = {{0, 1}, {2, 3}}, .skinned = true};
    for (how = TEXT; how < LAYOUTS; how++) {
        mrw_scene *scene = load_spec(&s);
        ck_assert_int_eq(materials_of(scene, "model0"), 21);
        ck_assert_int_eq(materials_of(scene, "model1"), 21);
        ck_assert(has_warning(scene, "1 geometries are shared by models with different materials"));
        mrw_scene_free(scene);
    }
}
END_TEST

/* Cut or changed anywhere, the file loads or is refused. */
START_TEST(damage)
{
    const spec s = {.models = 3, .materials = 4, .shown = {{0, 1}, {2, 3}, {1, 0}}};
    for (how = TEXT; how < LAYOUTS; how++) {
        write_file(&s);
        const size_t size = file_size;
        static uint8_t whole[sizeof file];
        memcpy(whole, file, size);
        for (int i = 0; i < TEST_ROUNDS(80); i++) {
            mrw_scene *scene = NULL;
            mrw_error error = {0};
            memcpy(file, whole, size);
            const size_t at = (size_t)i * 7919 % size;
            file[at] ^= (uint8_t)(1 + i % 255);
            const mrw_status status =
                mrw_load_memory(file, i % 3 ? size : at, "t.fbx", NULL, NULL, &scene, &error);
            ck_assert(status == MRW_OK || status == MRW_ERROR_INPUT);
            if (status == MRW_OK) {
                mrw_scene_free(scene);
            }
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("fbx_instances");
    TCase *tc = tcase_create("fbx_instances");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, each_model_has_its_own);
    tcase_add_test(tc, lists_share_geometry);
    tcase_add_test(tc, skins_stay);
    tcase_add_test(tc, damage);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
