/* test_format.c: telling formats by content and name, and refusing them in words. */
#include "test.h"

#include "marrow/load.h"

#include "load/format.h"

#define TEXT(text) text, sizeof text - 1

typedef struct sample {
    const char *bytes;
    size_t size;
    const char *name;   /* of the file */
    const char *format; /* its short name, or title where it has none */
} sample;

static const char three_ds[16] = "MM\x10\x00\x00\x00\x02\x00\x0a\x00\x00\x00\x03\x00\x00\x00";

static const sample samples[] = {
    /* content */
    {TEXT("glTF\x02\x00\x00\x00\x0c\x00\x00\x00"), "x", "gltf"},
    {TEXT("\xef\xbb\xbf \n{\"asset\":{}}"), "x", "gltf"},
    {TEXT("Kaydara FBX Binary  \x00\x1a\x00\xe8\x1c\x00\x00"), "x", "fbx"},
    {TEXT("; FBX 7.7.0 project file.\n"), "x", "fbx"},
    {TEXT("<?xml version=\"1.0\"?>\n<!-- <mesh> -->\n<COLLADA xmlns=\"\">"), "x", "collada"},
    {TEXT("BB3D\x04\x00\x00\x00"), "x", "b3d"},
    {TEXT("HIERARCHY\nROOT Hips\n{"), "x", "bvh"},
    {TEXT("MS3D000000\x04\x00\x00\x00"), "x", "ms3d"},
    {TEXT("version 1\nnodes\n0 \"root\" -1\nend\n"), "x", "smd"},
    {TEXT("# made by hand\n\nmtllib a.mtl\nv 0 0 0\n"), "x", "obj"},
    {TEXT("v 0 1 -2\nv 1 1 1\n"), "x", "obj"},
    {TEXT("solid cube\n facet normal 0 0 1\n"), "x", "stl"},
    {three_ds, 16, "x", "3ds"},
    {TEXT("***************m3d-File-Header***\n"), "x", "m3d"},
    {TEXT("\x8dmarrow\n"), "x", "marrow"},
    {TEXT("MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\n"), "x", "md5"},
    {TEXT("MD5Version 10\ncommandline \"\"\nnumFrames 4\n"), "x", "md5"},
    {TEXT("MD5Version 10\ncommandline \"\"\nnumFrames 4\nnumCuts 1\n"), "x", "an MD5 camera"},
    {TEXT("xof 0303txt 0032\n"), "x", "x"},
    {TEXT("\x00\x10[MeshSerializer_v1.8]\n"), "x", "ogre"},
    {TEXT("\x00\x10[Serializer_v1.10]\n"), "x", "an Ogre skeleton"},
    {TEXT("<mesh>\n <submeshes>\n"), "x.xml", "ogre"},
    {TEXT("<skeleton blendmode=\"average\">\n"), "x.xml", "an Ogre skeleton"},
    {TEXT("IDST\x0a\x00\x00\x00man.mdl"), "x", "mdl"},
    {TEXT("IDST\x2c\x00\x00\x00man.mdl"), "x.mdl", "mdl-other"},
    {TEXT("IDSQ\x0a\x00\x00\x00man.mdl"), "x.mdl", "a sequence group of an MDL"},
    {TEXT("3DMO\x00\x00\x00\x00"), "x.m3d", "m3d-binary"},
    {TEXT("INTERQUAKEMODEL\x00"), "x", "iqm"},
    {TEXT("# Inter-Quake Export\n\njoint"), "x", "iqe"},
    {TEXT("ply\nformat ascii 1.0\n"), "x", "ply"},
    {TEXT("BLENDER-v293"), "x", "blend"},
    {TEXT("PK\x03\x04"), "x", "archive"},
    {TEXT("\x89PNG\r\n\x1a\n"), "x", "picture"},
    {TEXT("<?xml version=\"1.0\"?><svg>"), "x", "xml"},
    /* content goes before the name */
    {TEXT("BB3D\x04\x00\x00\x00"), "x.fbx", "b3d"},
    {TEXT("glTF\x02\x00\x00\x00\x0c\x00\x00\x00"), "x.obj", "gltf"},
    {TEXT("glTF\x02\x00\x00\x00\x0c\x00\x00\x00"), "hero.vrm", "gltf"},
    /* the name, where the content can't tell */
    {TEXT("o cube\n"), "Cube.OBJ", "obj"},
    {TEXT("????"), "a.b/c.dae", "collada"},
    {TEXT("????"), "robot.mesh.xml", "ogre"},
    {TEXT("????"), "robot.skeleton.xml", "an Ogre skeleton"},
    {TEXT("????"), "walk.md5anim", "md5"},
    {TEXT("????"), "a.max", "max"},
    /* a container's name says more than its content */
    {TEXT("PK\x03\x04"), "a.usdz", "usd"},
    {TEXT("PK\x03\x04"), "a.3mf", "3mf"},
};

START_TEST(formats_are_told)
{
    mrw_load_def def = mrw_load_def_default();
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        const mrwi_load_format *f =
            mrwi_load_format_tell((const uint8_t *)s->bytes, s->size, s->name, &def);
        const char *got = !f ? "nothing" : f->name ? f->name : f->title;
        ck_assert_msg(strcmp(got, s->format) == 0, "sample %zu (%s) is told as %s", i, s->format,
                      got);
    }
    ck_assert_ptr_null(mrwi_load_format_tell((const uint8_t *)"????", 4, "x.dat", &def));
    ck_assert_ptr_null(mrwi_load_format_tell((const uint8_t *)"????", 4, ".fbx/x", &def));
}
END_TEST

START_TEST(input_format_overrides)
{
    mrw_load_def def = mrw_load_def_default();
    const uint8_t bytes[] = "BB3D????";
    def.input_format = "OBJ";
    ck_assert_str_eq(mrwi_load_format_tell(bytes, 8, "x.b3d", &def)->name, "obj");
    def.input_format = "dae";
    ck_assert_str_eq(mrwi_load_format_tell(bytes, 8, "x.b3d", &def)->name, "collada");
}
END_TEST

/* What a load says of bytes under a name. */
static mrw_error said(const char *bytes, size_t size, const char *name, const mrw_load_def *def)
{
    mrw_error error;
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    ck_assert_int_ne(mrw_load_memory(bytes, size, name, NULL, def, &scene, &error), MRW_OK);
    return error;
}

static void check_said(const char *bytes, size_t size, const char *name, const char *formats,
                       const char *words)
{
    mrw_load_def def = mrw_load_def_default();
    def.formats = formats;
    mrw_error error = said(bytes, size, name, &def);
    ck_assert_msg(error.status == MRW_ERROR_INPUT && strstr(error.text, words),
                  "status %d, \"%s\" lacks \"%s\"", error.status, error.text, words);
}

START_TEST(fragile_formats_have_to_be_asked_for)
{
    check_said(TEXT("xof 0303txt 0032"), "a.x", NULL, "read only with --allow-format x, because");
    check_said(TEXT("xof 0303txt 0032"), "a.x", "md5,ogre", "only with --allow-format x");
    check_said(TEXT("MD5Version 10\nnumMeshes"), "a", "x", "only with --allow-format md5");
    mrw_load_def def = mrw_load_def_default();
    const mrwi_load_format *f =
        mrwi_load_format_tell((const uint8_t *)TEXT("xof 0303"), "a.x", &def);
    static const char *const lists[] = {"x", "all", "md5,x", "md5, X", "ogre,ALL"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        def.formats = lists[i];
        ck_assert_int_eq(
            mrwi_load_format_check(f, (const uint8_t *)TEXT("xof 0303"), "a.x", &def, NULL),
            MRW_OK);
    }
}
END_TEST

START_TEST(others_are_refused_by_name_even_with_all)
{
    check_said(TEXT("# Inter-Quake Export\n"), "a.iqe", "all", "iqm out.iqm in.iqe");
    check_said(TEXT("ply\n"), "a.ply", "all", "bpy.ops.wm.ply_import");
    check_said(TEXT("BLENDER-v300"), "a.blend", NULL, "bpy.ops.export_scene.gltf");
    check_said(TEXT("????"), "a.dat", "all", "unknown format; marrow reads glTF 2.0, FBX");
    check_said(TEXT("????"), "a.dat", NULL, "--input-format");
    check_said(TEXT("3DMO"), "a.m3d", NULL, "binary Model 3D");
    check_said(TEXT(""), "a.fbx", NULL, "the file is empty");
    check_said(TEXT("????"), "a.glb", NULL, "this is not glTF");
}
END_TEST

START_TEST(old_fbx_is_refused_by_version)
{
    check_said(TEXT("Kaydara FBX Binary  \x00\x1a\x00\xd4\x17\x00\x00"), "a.fbx", "all",
               "a binary FBX of version 6.1: marrow reads little-endian FBX 7.1 (FBX 2011) or "
               "newer");
    check_said(TEXT("; FBX 6.1.0 project file\n"), "a.fbx", NULL, "a text FBX of version 6.1:");
    check_said(TEXT("; FBX\nFBXHeaderExtension: {\n FBXVersion: 7000\n"), "a.fbx", NULL,
               "a text FBX of version 7.0:");
    check_said(TEXT("Kaydara FBX Binary  \x00\x1a\x01\x00\x00\x1d\x4c"), "a.fbx", NULL,
               "version 7.5 in big-endian order");
    mrw_load_def def = mrw_load_def_default();
    static const char fine[] = "Kaydara FBX Binary  \x00\x1a\x00\xbc\x1b\x00\x00"; /* 7100 */
    const mrwi_load_format *f = mrwi_load_format_tell((const uint8_t *)TEXT(fine), "a", &def);
    ck_assert_int_eq(mrwi_load_format_check(f, (const uint8_t *)TEXT(fine), "a", &def, NULL),
                     MRW_OK);
}
END_TEST

static mrw_error checked(const char *formats, const char *input_format)
{
    mrw_error error;
    memset(&error, 0, sizeof error);
    mrw_load_def def = mrw_load_def_default();
    def.formats = formats;
    def.input_format = input_format;
    error.status = mrw_load_def_check(&def, &error);
    return error;
}

START_TEST(names_are_checked)
{
    ck_assert_int_eq(checked(NULL, NULL).status, MRW_OK);
    ck_assert_int_eq(checked("md5,x,ogre,mdl", "fbx").status, MRW_OK);
    ck_assert_int_eq(checked("all", "md5mesh").status, MRW_OK);
    ck_assert_int_eq(checked("fbx", NULL).status, MRW_OK); /* read anyway */
    mrw_error error = checked("md5,qqq", NULL);
    ck_assert_int_eq(error.status, MRW_ERROR_USAGE);
    ck_assert_str_eq(error.text,
                     "--allow-format qqq: unknown format; expected one of md5, x, ogre, mdl, all");
    ck_assert_ptr_nonnull(strstr(checked("md2", NULL).text, "MD2 is not supported"));
    ck_assert_int_eq(checked("md5,,x", NULL).status, MRW_ERROR_USAGE);
    error = checked(NULL, "qqq");
    ck_assert_int_eq(error.status, MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "gltf, fbx, collada"));
    ck_assert_int_eq(checked(NULL, "ply").status, MRW_ERROR_USAGE);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("format");
    TCase *tc = tcase_create("format");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, formats_are_told);
    tcase_add_test(tc, input_format_overrides);
    tcase_add_test(tc, fragile_formats_have_to_be_asked_for);
    tcase_add_test(tc, others_are_refused_by_name_even_with_all);
    tcase_add_test(tc, old_fbx_is_refused_by_version);
    tcase_add_test(tc, names_are_checked);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
