/* test_collada_legal.c: what Collada allows and importers trip over: blanks in lists, a skin over a
 * morph, sets of texture coordinates by number and by binding. The answers are worked out by hand.
 */
#include "import_fixture.h"

#include <limits.h>

/* ---- files ----------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "          \
    "version='1.4.1'>"

static void add_source(const char *id, int count, int stride, const char *numbers)
{
    add("<source id='%s'><float_array id='%sa' count='%d'>%s</float_array><technique_common>"
        "<accessor source='#%sa' count='%d' stride='%d'>",
        id, id, count * stride, numbers, id, count, stride);
    for (int i = 0; i < stride; i++) {
        add("<param name='%c' type='float'/>", "XYZW"[i & 3]);
    }
    add("</accessor></technique_common></source>");
}

/* A triangle with sets of texture coordinates: the one at place k of the list has U = (k + 1) / 8
 * at all corners. */
static void add_geometry(const char *id, const char *positions, const int *sets, int set_count)
{
    char source[32], numbers[64];
    add("<geometry id='%s' name='shape'><mesh>", id);
    snprintf(source, sizeof source, "%sp", id);
    add_source(source, 3, 3, positions);
    for (int k = 0; k < set_count; k++) {
        const double u = (k + 1) / 8.0;
        snprintf(source, sizeof source, "%su%d", id, k);
        snprintf(numbers, sizeof numbers, "%.3f 0 %.3f 1 %.3f 1", u, u, u);
        add_source(source, 3, 2, numbers);
    }
    add("<vertices id='%sv'><input semantic='POSITION' source='#%sp'/></vertices><triangles "
        "count='1' material='mm'><input semantic='VERTEX' source='#%sv' offset='0'/>",
        id, id, id);
    for (int k = 0; k < set_count; k++) {
        add("<input semantic='TEXCOORD' source='#%su%d' offset='0' set='%d'/>", id, k, sets[k]);
    }
    add("<p>0 1 2</p></triangles></mesh></geometry>");
}

static mrw_scene *load_text(void)
{
    return load("t.dae", text);
}

static mrw_scene *load_path(const char *path)
{
    mrw_scene *scene = NULL;
    mrw_error error = {0};
    ck_assert_msg(mrw_load_file(path, NULL, &scene, &error) == MRW_OK, "%s", error.text);
    return scene;
}

/* ---- encodings ------------------------------------------------------------------------------- */

/* The same file in UTF-8 and, by iconv, in UTF-16: the same scene, names beyond the basic plane
 * too. */
START_TEST(utf16)
{
    static const char *const encodings[] = {"UTF-16LE", "UTF-16BE"};
    static const char *const marks[] = {"\\377\\376", "\\376\\377"};
    static const int sets[] = {0};
    char command[3 * PATH_MAX];
    text[0] = '\0';
    add(HEAD "<asset><up_axis>Y_UP</up_axis></asset><library_geometries>");
    add_geometry("g", "0 0 0 1 0 0 0 1 0", sets, 1);
    add("</library_geometries><library_visual_scenes><visual_scene id='w'><node id='n' "
        "name='caf\u00e9 \u30ad\u30e3\u30e9 \U0001f600'><instance_geometry url='#g'/></node>"
        "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/></scene>"
        "</COLLADA>");
    test_write_text(test_path("a.dae"), text);
    mrw_scene *plain = load_path(test_path("a.dae"));
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "{ printf '%s'; iconv -f UTF-8 -t %s '%s'; } >'%s/b.dae'",
                 marks[i], encodings[i], test_path("a.dae"), test_folder());
        ck_assert_int_eq(system(command), 0);
        mrw_scene *s = load_path(test_path("b.dae"));
        ck_assert_mem_eq(mrw_scene_hash(s), mrw_scene_hash(plain), 32);
        mrw_scene_free(s);
    }
    mrw_scene_free(plain);
    /* Cut within a unit: damaged, or without what comes last, but no fault. */
    snprintf(command, sizeof command, "truncate -s -1 '%s'", test_path("b.dae"));
    ck_assert_int_eq(system(command), 0);
    mrw_scene *s = NULL;
    mrw_error error;
    if (mrw_load_file(test_path("b.dae"), NULL, &s, &error) == MRW_OK) {
        mrw_scene_free(s);
    } else {
        ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "it cannot be read"));
    }
}
END_TEST

/* ---- blanks ---------------------------------------------------------------------------------- */

/* Z up: (1, 2, 3) of the file is (1, 3, -2). */
START_TEST(blanks_in_lists)
{
    static const char *const blanks[][3] = {{"", " ", ""}, {"\n\t ", "\r\n\t  ", " \n"}};
    for (size_t i = 0; i < 2; i++) {
        const char *a = blanks[i][0], *b = blanks[i][1], *c = blanks[i][2];
        text[0] = '\0';
        add(HEAD "<asset><unit meter='1'/><up_axis>%sZ_UP%s</up_axis></asset><library_images>"
                 "<image id='im'><init_from>%sd.png%s</init_from></image></library_images>"
                 "<library_effects><effect id='e'><profile_COMMON><newparam sid='su'><surface "
                 "type='2D'><init_from>%sim%s</init_from></surface></newparam><newparam sid='sa'>"
                 "<sampler2D><source>%ssu%s</source></sampler2D></newparam><technique sid='c'>"
                 "<phong><emission><color>%s0.25%s0.5%s0.75%s1%s</color></emission><diffuse>"
                 "<texture texture='sa' texcoord='UV'/></diffuse><shininess><float>%s20%s</float>"
                 "</shininess></phong></technique></profile_COMMON></effect></library_effects>",
            a, c, a, c, a, c, a, c, a, b, b, b, c, a, c);
        add("<library_materials><material id='m'><instance_effect url='#e'/></material>"
            "</library_materials><library_geometries><geometry id='g'><mesh>");
        char numbers[80];
        snprintf(numbers, sizeof numbers, "%s1%s2%s3%s0 0 0%s0 7 0%s", a, b, b, b, b, c);
        add_source("p", 3, 3, numbers);
        add("<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><polylist "
            "count='1' material='mm'><input semantic='VERTEX' source='#v' offset='0'/>"
            "<vcount>%s3%s</vcount><p>%s0%s1%s2%s</p></polylist></mesh></geometry>"
            "</library_geometries>",
            a, c, a, b, b, c);
        add("<library_visual_scenes><visual_scene id='s'><node id='n'><matrix>%s1%s0%s0%s0 0 1 0 "
            "0%s0 0 1 0 0 0 0 1%s</matrix><instance_geometry url='#g'><bind_material>"
            "<technique_common><instance_material symbol='mm' target='#m'/></technique_common>"
            "</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"
            "<scene><instance_visual_scene url='#s'/></scene></COLLADA>",
            a, b, b, b, b, c);
        mrw_scene *s = load_text();
        pose(s, MRW_NONE, 0.0);
        ck_place(s, 0, 0, 1, 3, -2);
        const mrw_material *m = &s->materials[s->meshes[0].material];
        const uint32_t texture = m->maps[MRW_MAP_BASE_COLOR].texture;
        ck_assert_uint_ne(texture, MRW_NONE);
        ck_assert_str_eq(mrw_scene_string(s, s->images[s->textures[texture].image].path), "d.png");
        ck_assert(m->maps[MRW_MAP_EMISSIVE].factor[0] > 0.0f);
        ck_assert(m->maps[MRW_MAP_EMISSIVE].factor[2] > m->maps[MRW_MAP_EMISSIVE].factor[1]);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- a skin over a morph --------------------------------------------------------------------- */

static void add_names(const char *id, const char *kind, const char *type, const char *name)
{
    add("<source id='%s'><%s_array id='%sa' count='1'>%s</%s_array><technique_common><accessor "
        "source='#%sa' count='1' stride='1'><param name='X' type='%s'/></accessor>"
        "</technique_common></source>",
        id, kind, id, name, kind, id, type);
}

static void add_morph(const char *id, const char *source, const char *method, const char *weight)
{
    char weight_id[40], target_id[40];
    snprintf(weight_id, sizeof weight_id, "%sw", id);
    snprintf(target_id, sizeof target_id, "%st", id);
    add("<controller id='%s'><morph method='%s' source='#%s'>", id, method, source);
    add_names(target_id, "IDREF", "IDREF", "target");
    add_source(weight_id, 1, 1, weight);
    add("<targets><input semantic='MORPH_TARGET' source='#%s'/><input semantic='MORPH_WEIGHT' "
        "source='#%s'/></targets></morph></controller>",
        target_id, weight_id);
}

static void add_skin(const char *source)
{
    add("<controller id='sk'><skin source='#%s'><bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
        "</bind_shape_matrix>",
        source);
    add_names("jn", "Name", "name", "bone");
    add("<source id='ib'><float_array id='iba' count='16'>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
        "</float_array><technique_common><accessor source='#iba' count='1' stride='16'><param "
        "name='TRANSFORM' type='float4x4'/></accessor></technique_common></source>");
    add_source("wt", 1, 1, "1");
    add("<joints><input semantic='JOINT' source='#jn'/><input semantic='INV_BIND_MATRIX' "
        "source='#ib'/></joints><vertex_weights count='3'><input semantic='JOINT' source='#jn' "
        "offset='0'/><input semantic='WEIGHT' source='#wt' offset='1'/><vcount>1 1 1</vcount><v>0 "
        "0 "
        "0 0 0 0</v></vertex_weights></skin></controller>");
}

static void add_end(const char *instance)
{
    add("<library_visual_scenes><visual_scene id='s'><node id='b' name='bone' sid='bone' "
        "type='JOINT'><translate>10 0 0</translate></node><node id='n'>%s</node></visual_scene>"
        "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>",
        instance);
}

#define SKIN_INSTANCE "<instance_controller url='#sk'><skeleton>#b</skeleton></instance_controller>"

static void add_meshes(void)
{
    text[0] = '\0';
    add(HEAD "<asset><unit meter='1'/><up_axis>Y_UP</up_axis></asset><library_geometries>");
    add_geometry("g", "0 0 0 1 0 0 0 1 0", NULL, 0);
    add_geometry("h", "0 0 5 1 0 5 0 1 5", NULL, 0);
    add_geometry("target", "0 0 0 1 4 0 0 1 0", NULL, 0);
    add("</library_geometries>");
}

/* Half of the target moves the second corner up by 2, the joint all of them by 10 to the side. */
START_TEST(skin_over_morph)
{
    add_meshes();
    add("<library_controllers>");
    add_morph("mo", "g", "NORMALIZED", "0.5");
    add_skin("mo");
    add("</library_controllers>");
    add_end(SKIN_INSTANCE);
    mrw_scene *s = load_text();
    ck_assert_uint_eq(s->draws_count, 1);
    ck_assert_uint_eq(s->meshes[0].target_count, 1);
    pose(s, MRW_NONE, 0.0);
    ck_place(s, 0, 0, 10, 0, 0);
    ck_place(s, 0, 1, 11, 2, 0);
    ck_place(s, 0, 2, 10, 1, 0);
    mrw_scene_free(s);
}
END_TEST

/* Controllers over each other in a circle, and over nothing, end in words or without morphs. */
START_TEST(controllers_that_lead_nowhere)
{
    static const char *const sources[][2] = {{"mp", "mo"}, {"mo", "mo"}, {"none", "mo"}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        mrw_error error = {0};
        mrw_scene *s = NULL;
        add_meshes();
        add("<library_controllers>");
        add_morph("mo", sources[i][0], "NORMALIZED", "0.5");
        add_morph("mp", sources[i][1], "NORMALIZED", "0.5");
        add_skin("mo");
        add("</library_controllers>");
        add_end(SKIN_INSTANCE);
        mrw_load_memory(text, strlen(text), "t.dae", NULL, NULL, &s, &error);
        ck_assert(s || error.status == MRW_ERROR_INPUT);
        ck_assert(s || !strchr(error.text, '\n'));
        ck_assert(!s || s->targets_count == 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* Curves of weights are left out, also where a node's id stands in their targets. */
START_TEST(curves_of_weights)
{
    static const char *const targets[] = {"mow(0)", "n-mow(0)", "mo-weights(0)"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        add_meshes();
        add("<library_controllers>");
        add_morph("mo", "g", "NORMALIZED", "0.5");
        add("</library_controllers><library_animations><animation id='a'>");
        add_source("ai", 2, 1, "0 1");
        add_source("ao", 2, 1, "0 1");
        add("<sampler id='as'><input semantic='INPUT' source='#ai'/><input semantic='OUTPUT' "
            "source='#ao'/></sampler><channel source='#as' target='%s'/></animation>"
            "</library_animations>",
            targets[i]);
        add_end("<instance_controller url='#mo'/>");
        mrw_scene *s = load_text();
        ck_assert_uint_eq(s->warnings_count, 1);
        ck_assert_ptr_nonnull(
            strstr(mrw_scene_string(s, s->warnings[0]), "weights are ignored (1)"));
        pose(s, MRW_NONE, 0.0);
        ck_place(s, 0, 1, 1, 2, 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* A morph without a skin; a second one counts where its weights are the same. */
START_TEST(morphs)
{
    static const struct {
        const char *method, *weight; /* of the second */
        bool counts;
    } cases[] = {
        {"NORMALIZED", "0.5", true}, {"NORMALIZED", "0.25", false}, {"RELATIVE", "0.5", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_meshes();
        add("<library_controllers>");
        add_morph("mo", "g", "NORMALIZED", "0.5");
        add_morph("mp", "h", cases[i].method, cases[i].weight);
        add("</library_controllers>");
        add_end("<instance_controller url='#mo'/><instance_controller url='#mp'>"
                "</instance_controller>");
        mrw_scene *s = load_text();
        ck_assert_uint_eq(s->draws_count, 2);
        ck_assert_uint_eq(s->warnings_count, cases[i].counts ? 0 : 1);
        pose(s, MRW_NONE, 0.0);
        ck_place(s, 0, 0, 0, 0, 0);
        ck_place(s, 0, 1, 1, 2, 0);
        ck_place(s, 1, 0, 0, 0, cases[i].counts ? 2.5 : 5);
        ck_place(s, 1, 1, 1, cases[i].counts ? 2 : 0, cases[i].counts ? 2.5 : 5);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- texture coordinates --------------------------------------------------------------------- */

/* binding: the set that the name `texcoord` is bound to; -1: none. */
static void add_textured(const char *texcoord, int binding, int meshes)
{
    add("<library_images><image id='im'><init_from>d.png</init_from></image></library_images>"
        "<library_effects><effect id='e'><profile_COMMON><newparam sid='su'><surface type='2D'>"
        "<init_from>im</init_from></surface></newparam><newparam sid='sa'><sampler2D><source>su"
        "</source></sampler2D></newparam><technique sid='c'><lambert><diffuse><texture "
        "texture='sa' texcoord='%s'/></diffuse></lambert></technique></profile_COMMON></effect>"
        "</library_effects><library_materials><material id='m'><instance_effect url='#e'/>"
        "</material></library_materials><library_visual_scenes><visual_scene id='s'>",
        texcoord);
    for (int i = 0; i < meshes; i++) {
        add("<node id='n%d'><instance_geometry url='#%c'><bind_material><technique_common>"
            "<instance_material symbol='mm' target='#m'>",
            i, "gh"[i]);
        if (binding >= 0) {
            add("<bind_vertex_input semantic='%s' input_semantic='TEXCOORD' input_set='%d'/>",
                texcoord, binding);
        }
        add("</instance_material></technique_common></bind_material></instance_geometry></node>");
    }
    add("</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>"
        "</COLLADA>");
}

/* The U of the base colour's texture on a draw; it is the same at all corners. */
static double shown_u(const mrw_scene *s, uint32_t draw)
{
    const mrw_mesh *mesh = &s->meshes[s->draws[draw].mesh];
    const mrw_material_map *map = &s->materials[mesh->material].maps[MRW_MAP_BASE_COLOR];
    ck_assert_uint_ne(map->texture, MRW_NONE);
    ck_assert_uint_ne(mesh->uv[map->uv_set], MRW_NONE);
    return (double)s->uvs[2 * (size_t)mesh->uv[map->uv_set]];
}

static uint32_t warnings_of_coordinates(const mrw_scene *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->warnings_count; i++) {
        count += strstr(mrw_scene_string(s, s->warnings[i]), "texture coordinates") ? 1 : 0;
    }
    return count;
}

START_TEST(sets_of_texture_coordinates)
{
    static const struct {
        int sets[2], set_count;
        const char *texcoord;
        int binding, place; /* of the set that is meant in the list */
    } cases[] = {
        {{0}, 1, "UV", -1, 0},          {{0}, 1, "CHANNEL1", -1, 0},
        {{1}, 1, "CHANNEL1", 1, 0},     {{0}, 1, "CHANNEL1", 0, 0},
        {{3}, 1, "map1", 3, 0},         {{0}, 1, "UV", 7, 0},
        {{0, 1}, 2, "UV", 1, 1},        {{0, 1}, 2, "CHANNEL1", 0, 0},
        {{0, 1}, 2, "CHANNEL1", -1, 1}, {{1, 2}, 2, "UV", 1, 0},
        {{1, 2}, 2, "UV", 2, 1},        {{1, 2}, 2, "CHANNEL2", 2, 1},
        {{2, 5}, 2, "lightmap", 5, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text[0] = '\0';
        add(HEAD "<asset><unit meter='1'/><up_axis>Y_UP</up_axis></asset><library_geometries>");
        add_geometry("g", "0 0 0 1 0 0 0 1 0", cases[i].sets, cases[i].set_count);
        add("</library_geometries>");
        add_textured(cases[i].texcoord, cases[i].binding, 1);
        mrw_scene *s = load_text();
        const double expected = (cases[i].place + 1) / 8.0;
        ck_assert_msg(shown_u(s, 0) == expected, "case %zu: %g", i, shown_u(s, 0));
        ck_assert_uint_eq(warnings_of_coordinates(s), 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* One material on a mesh with two sets and on one with one: each shows what it has. */
START_TEST(meshes_with_other_sets)
{
    static const int sets[] = {0, 1};
    text[0] = '\0';
    add(HEAD "<asset><unit meter='1'/><up_axis>Y_UP</up_axis></asset><library_geometries>");
    add_geometry("g", "0 0 0 1 0 0 0 1 0", sets, 2);
    add_geometry("h", "0 0 5 1 0 5 0 1 5", sets, 1);
    add("</library_geometries>");
    add_textured("UV", 1, 2);
    mrw_scene *s = load_text();
    ck_assert_uint_eq(s->draws_count, 2);
    ck_assert(shown_u(s, 0) == 0.25 && shown_u(s, 1) == 0.125);
    ck_assert_uint_eq(warnings_of_coordinates(s), 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(textures_without_coordinates)
{
    text[0] = '\0';
    add(HEAD "<asset><unit meter='1'/><up_axis>Y_UP</up_axis></asset><library_geometries>");
    add_geometry("g", "0 0 0 1 0 0 0 1 0", NULL, 0);
    add("</library_geometries>");
    add_textured("UV", 0, 1);
    mrw_scene *s = load_text();
    ck_assert_uint_eq(warnings_of_coordinates(s), 1);
    mrw_scene_free(s);
}
END_TEST

/* One geometry of three nodes, each with its own material, by a symbol of its own and by one that
 * is the id of another material. */
START_TEST(materials_of_instances)
{
    static const char *const symbols[] = {"mm", "B"}, *const targets[] = {"A", "B", "C"};
    for (size_t i = 0; i < 2; i++) {
        text[0] = '\0';
        add(HEAD
            "<asset><up_axis>Y_UP</up_axis></asset><library_effects><effect id='e'>"
            "<profile_COMMON><technique sid='t'><lambert/></technique></profile_COMMON></effect>"
            "</library_effects><library_materials>");
        for (int m = 0; m < 3; m++) {
            add("<material id='%s' name='%s'><instance_effect url='#e'/></material>", targets[m],
                targets[m]);
        }
        add("</library_materials><library_geometries><geometry id='g'><mesh>");
        add_source("p", 3, 3, "0 0 0 1 0 0 0 1 0");
        add("<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles "
            "count='1' material='%s'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p>"
            "</triangles></mesh></geometry></library_geometries><library_visual_scenes>"
            "<visual_scene id='w'>",
            symbols[i]);
        for (int m = 0; m < 3; m++) {
            add("<node id='n%d' name='n%d'><instance_geometry url='#g'><bind_material>"
                "<technique_common><instance_material symbol='%s' target='#%s'/></technique_common>"
                "</bind_material></instance_geometry></node>",
                m, m, symbols[i], targets[m]);
        }
        add("</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/>"
            "</scene></COLLADA>");
        mrw_scene *s = load_text();
        ck_assert_uint_eq(s->draws_count, 3);
        for (uint32_t d = 0; d < 3; d++) {
            const char *node = mrw_scene_string(s, s->nodes[s->draws[d].node].name);
            const uint32_t material = s->meshes[s->draws[d].mesh].material;
            ck_assert_str_eq(mrw_scene_string(s, s->materials[material].name),
                             targets[node[1] - '0']);
        }
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

static Suite *suite(void)
{
    Suite *s = suite_create("collada_legal");
    TCase *all = tcase_create("all");
    tcase_add_test(all, utf16);
    tcase_add_test(all, blanks_in_lists);
    tcase_add_test(all, materials_of_instances);
    tcase_add_test(all, skin_over_morph);
    tcase_add_test(all, morphs);
    tcase_add_test(all, curves_of_weights);
    tcase_add_test(all, controllers_that_lead_nowhere);
    tcase_add_test(all, sets_of_texture_coordinates);
    tcase_add_test(all, meshes_with_other_sets);
    tcase_add_test(all, textures_without_coordinates);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
