/* test_cli_colors.c: colours of classic formats come out as their authors saw them: what is written
 * as sRGB is in the picture, byte for byte, where no light falls on it. */
#include "cli_fixture.h"

#include "marrow/codecs.h"

/* CSS's ForestGreen, #228b22, as files say it. */
#define GREEN  "0.133 0.545 0.133"
#define GREEN_ "0.133,0.545,0.133"
/* The same number taken for linear light: 255 (1.055 x^(1/2.4) - 0.055) of 0.133 and 0.545. */
#define PALE 102, 195, 102

/* The middle of a model's picture. */
static void check_pixel(const char *model, const char *options, int r, int g, int b)
{
    static char png[100000];
    const int want[3] = {r, g, b};
    mrw_image image;
    mrw_error error = {0};
    shell("marrow render %s --shading unlit --azimuth 0 --elevation 0 --size 16 "
          "--allow-format all -o p.png %s",
          model, options);
    assert_status(0);
    const size_t size = slurp("p.png", png, sizeof png);
    ck_assert_int_eq(mrw_image_decode((const uint8_t *)png, size, 3, 1000, "p.png", &image, &error),
                     MRW_OK);
    const uint8_t *at = image.pixels + 3 * (8 * 16 + 8);
    for (int c = 0; c < 3; c++) {
        ck_assert_msg(at[c] == want[c], "%s %s: %d %d %d, not %d %d %d", model, options, at[0],
                      at[1], at[2], r, g, b);
    }
    mrw_image_free(&image);
}

/* ---- squares in the plane of x and y --------------------------------------------------------- */

#define OBJ      "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
#define OBJ_FACE "usemtl m\nf 1/1 2/2 3/3 4/4\n"

#define FBX(creator, material)                                                                     \
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n"                 \
    "\tFBXVersion: 7400\n\tCreator: \"" creator "\"\n}\nObjects:  {\n"                             \
    "\tGeometry: 1, \"Geometry::T\", \"Mesh\" {\n\t\tVertices: *12 {\n"                            \
    "\t\t\ta: -1,-1,0,1,-1,0,1,1,0,-1,1,0\n\t\t}\n\t\tPolygonVertexIndex: *4 {\n"                  \
    "\t\t\ta: 0,1,2,-4\n\t\t}\n\t\tLayerElementMaterial: 0 {\n"                                    \
    "\t\t\tMappingInformationType: \"AllSame\"\n"                                                  \
    "\t\t\tReferenceInformationType: \"IndexToDirect\"\n\t\t\tMaterials: *1 {\n\t\t\t\ta: 0\n"     \
    "\t\t\t}\n\t\t}\n\t\tLayer: 0 {\n\t\t\tLayerElement:  {\n"                                     \
    "\t\t\t\tType: \"LayerElementMaterial\"\n\t\t\t\tTypedIndex: 0\n\t\t\t}\n\t\t}\n\t}\n"         \
    "\tModel: 2, \"Model::M\", \"Mesh\" {\n\t}\n\tMaterial: 3, \"Material::P\", \"\" {\n"          \
    "\t\tShadingModel: \"lambert\"\n\t\tProperties70:  {\n" material "\t\t}\n\t}\n}\n"             \
    "Connections:  {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n\tC: \"OO\",3,2\n}\n"
#define FBX_GREEN "\t\t\tP: \"DiffuseColor\", \"Color\", \"\", \"A\"," GREEN_ "\n"

#define DAE(tool, color)                                                                           \
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "          \
    "version='1.4.1'><asset><contributor><authoring_tool>" tool "</authoring_tool></contributor>"  \
    "<up_axis>Y_UP</up_axis></asset><library_effects><effect id='e'><profile_COMMON>"              \
    "<technique sid='c'><lambert><diffuse><color>" color " 1</color></diffuse></lambert>"          \
    "</technique></profile_COMMON></effect></library_effects><library_materials>"                  \
    "<material id='m' name='m'><instance_effect url='#e'/></material></library_materials>"         \
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>"    \
    "-1 -1 0 1 -1 0 1 1 0 -1 1 0</float_array><technique_common><accessor source='#a' count='4' "  \
    "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' "      \
    "type='float'/></accessor></technique_common></source><vertices id='v'><input "                \
    "semantic='POSITION' source='#p'/></vertices><triangles count='2' material='s'><input "        \
    "semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 0 2 3</p></triangles></mesh></geometry>"   \
    "</library_geometries><library_visual_scenes><visual_scene id='w'><node id='n'>"               \
    "<instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='s' "  \
    "target='#m'/></technique_common></bind_material></instance_geometry></node></visual_scene>"   \
    "</library_visual_scenes><scene><instance_visual_scene url='#w'/></scene></COLLADA>"

#define X_FILE                                                                                     \
    "xof 0303txt 0032\nMaterial M {\n 0.133;0.545;0.133;1.0;;\n 8.0;\n 0;0;0;;\n 0;0;0;;\n}\n"     \
    "Mesh T {\n 4;\n -1;-1;0;,\n 1;-1;0;,\n 1;1;0;,\n -1;1;0;;\n 1;\n 4;3,2,1,0;;\n"               \
    " MeshMaterialList {\n  1;\n  1;\n  0;;\n  {M}\n }\n}\n"

static void write_models(void)
{
    test_write_text("a.mtl", "newmtl m\nKd " GREEN "\nillum 1\n");
    test_write_text("a.obj", "mtllib a.mtl\n" OBJ OBJ_FACE);
    test_write_text("blender.mtl", "# Blender 3.4.0 MTL File: 'None'\nnewmtl m\nKd " GREEN "\n");
    test_write_text("blender.obj", "mtllib blender.mtl\n" OBJ OBJ_FACE);
    test_write_text("a.fbx", FBX("FBX SDK/FBX Plugins version 2020.3", FBX_GREEN));
    test_write_text("blender.fbx", FBX("Blender (stable FBX IO) - 3.4.0 - 4.37.1", FBX_GREEN));
    test_write_text("a.dae", DAE("OpenCOLLADA2010 x64", GREEN));
    test_write_text("blender.dae", DAE("Blender 2.93.1 commit date:2021-06-22", GREEN));
    test_write_text("a.x", X_FILE);
}

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(green_is_green)
{
    static const char *const models[] = {"a.obj", "a.fbx", "a.dae", "a.x"};
    write_models();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        check_pixel(models[i], "", 0x22, 0x8b, 0x22);
        check_pixel(models[i], "--material-colors srgb", 0x22, 0x8b, 0x22);
        check_pixel(models[i], "--material-colors linear", PALE);
    }
}
END_TEST

START_TEST(it_is_said)
{
    write_models();
    shell("marrow render a.fbx -v --size 16 -o p.png");
    assert_said("a.fbx: colors of materials are sRGB (auto: based on the format)");
    shell("marrow render blender.dae -v --size 16 -o p.png");
    assert_said("blender.dae: colors of materials are linear (auto: Blender wrote it)");
    shell("marrow render blender.obj -v --material-colors srgb --size 16 -o p.png");
    assert_said("blender.obj: colors of materials are sRGB (--material-colors)");
    shell("marrow render a.fbx --no-sandbox -v --size 16 -o p.png");
    assert_said("a.fbx: colors of materials are sRGB");
    shell("marrow render a.fbx --size 16 -o p.png");
    ck_assert_ptr_null(strstr(err, "colors of materials"));
}
END_TEST

/* Blender writes the linear numbers of its materials. */
START_TEST(blender_is_linear)
{
    static const char *const models[] = {"blender.obj", "blender.fbx", "blender.dae"};
    write_models();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        check_pixel(models[i], "", PALE);
        check_pixel(models[i], "--material-colors srgb", 0x22, 0x8b, 0x22);
        check_pixel(models[i], "--material-colors linear", PALE);
    }
}
END_TEST

/* Colours of vertices are sRGB whoever wrote them; bytes and what is none. */
START_TEST(vertices)
{
    char text[400];
    static const char *const libraries[] = {"a.mtl", "blender.mtl"};
    test_write_text("a.mtl", "newmtl m\nKd 1 1 1\n");
    test_write_text("blender.mtl", "# Blender 3.4.0 MTL File: 'None'\nnewmtl m\nKd 1 1 1\n");
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "mtllib %s\nv -1 -1 0 %s\nv 1 -1 0 %s\nv 1 1 0 %s\nv -1 1 0 %s\n"
                 "usemtl m\nf 1 2 3 4\n",
                 libraries[i], GREEN, GREEN, GREEN, GREEN);
        test_write_text("v.obj", text);
        check_pixel("v.obj", "", 0x22, 0x8b, 0x22);
        check_pixel("v.obj", "--material-colors linear", PALE);
    }
    test_write_text("v.obj", "mtllib a.mtl\nv -1 -1 0 0.2 0.4 0.6\nv 1 -1 0 0.2 0.4 0.6\n"
                             "v 1 1 0 0.2 0.4 0.6\nv -1 1 0 0.2 0.4 0.6\nusemtl m\nf 1 2 3 4\n");
    check_pixel("v.obj", "", 51, 102, 153);
}
END_TEST

/* One texel. */
static void write_tga(const char *path, uint8_t r, uint8_t g, uint8_t b)
{
    const uint8_t bytes[21] = {[2] = 2, [12] = 1, [14] = 1, [16] = 24, [18] = b, g, r};
    test_write(path, bytes, sizeof bytes);
}

/* A grey that assimp makes up for an OBJ file's material without Kd is no colour of the file: a
 * picture is shown as it is, and without one it is that of a file without materials. */
START_TEST(no_kd)
{
    static const char model[] = "mtllib n.mtl\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0 0\n"
                                "usemtl m\nf 1/1 2/1 3/1 4/1\n";
    test_write_text("n.obj", model);
    test_write_text("n.mtl", "newmtl m\nmap_Kd n.tga\n");
    write_tga("n.tga", 200, 50, 100);
    check_pixel("n.obj", "", 200, 50, 100);
    test_write_text("n.mtl", "newmtl m\nKs 0 0 0\n");
    test_write_text("none.obj", "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n");
    check_pixel("none.obj", "", 203, 203, 203); /* 0.6 of light */
    check_pixel("n.obj", "", 203, 203, 203);
    test_write_text("n.mtl", "newmtl m\nKd 0.6 0.6 0.6\n");
    check_pixel("n.obj", "", 153, 153, 153);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli colors");
    TCase *tc = tcase_create("cli colors");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, green_is_green);
    tcase_add_test(tc, it_is_said);
    tcase_add_test(tc, blender_is_linear);
    tcase_add_test(tc, vertices);
    tcase_add_test(tc, no_kd);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
