/* test_import_materials.c: what the import helper makes of surfaces: FBX, Collada, OBJ, 3DS, X. The
 * numbers expected are those of the files, by the rules that scene.h has: a Phong exponent counts
 * four times, strengths multiply colours, and what comes of it is sRGB. */
#include "import_fixture.h"

#include "marrow/codecs.h"
#include "marrow/frame.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const mrw_material *material_of(const mrw_scene *s, uint32_t mesh)
{
    ck_assert_uint_lt(mesh, s->meshes_count);
    ck_assert_uint_lt(s->meshes[mesh].material, s->materials_count);
    return &s->materials[s->meshes[mesh].material];
}

static void check_color(const mrw_material *m, mrw_map map, double r, double g, double b)
{
    const double want[3] = {r, g, b};
    for (int c = 0; c < 3; c++) {
        ck_assert_msg(fabs((double)m->maps[map].factor[c] - want[c]) < 1e-5, "%d: %g, not %g", c,
                      (double)m->maps[map].factor[c], want[c]);
    }
}

/* IEC 61966-2-1. */
static double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* A colour that a file has as sRGB. */
static void check_srgb(const mrw_material *m, mrw_map map, double r, double g, double b)
{
    check_color(m, map, linear(r), linear(g), linear(b));
}

static void check_classic(const mrw_material *m, double r, double g, double b, double shininess)
{
    ck_assert_uint_eq(m->model, MRW_MATERIAL_CLASSIC);
    check_srgb(m, MRW_MAP_SPECULAR, r, g, b);
    ck_assert_msg(fabs((double)m->shininess - shininess) < 1e-3, "%g, not %g", (double)m->shininess,
                  shininess);
}

static void check_metal(const mrw_material *m, double metallic, double roughness)
{
    ck_assert_uint_eq(m->model, MRW_MATERIAL_METALLIC_ROUGHNESS);
    check_color(m, MRW_MAP_METALLIC_ROUGHNESS, 1, roughness, metallic);
    check_color(m, MRW_MAP_SPECULAR, 1, 1, 1);
}

static void check_image(const mrw_scene *s, const mrw_material *m, mrw_map map, const char *path)
{
    const uint32_t texture = m->maps[map].texture;
    ck_assert(texture != MRW_NONE);
    ck_assert_str_eq(mrw_scene_string(s, s->images[s->textures[texture].image].path), path);
}

/* ---- FBX ------------------------------------------------------------------------------------- */

#define FBX_HEAD                                                                                   \
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n"                  \
    " FBXVersion: 7400\n}\nObjects:  {\n Geometry: 1, 'Geometry::T', 'Mesh' {\n"                   \
    "  Vertices: *9 {\n   a: 0,0,0,1,0,0,0,1,0\n  }\n  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n"   \
    "  }\n  LayerElementMaterial: 0 {\n   MappingInformationType: 'AllSame'\n"                     \
    "   ReferenceInformationType: 'IndexToDirect'\n   Materials: *1 {\n    a: 0\n   }\n  }\n"      \
    "  Layer: 0 {\n   LayerElement:  {\n    Type: 'LayerElementMaterial'\n    TypedIndex: 0\n"     \
    "   }\n  }\n }\n Model: 2, 'Model::M', 'Mesh' {\n }\n"
#define FBX_TEXTURE(id, name)                                                                      \
    " Texture: " #id ", 'Texture::" name "', '' {\n  FileName: '" name                             \
    "'\n  RelativeFilename: '" name "'\n }\n"
#define FBX_LINKS  "}\nConnections:  {\n C: 'OO',1,2\n C: 'OO',2,0\n C: 'OO',3,2\n"
#define C(name, v) "   P: '" name "', 'Color', '', 'A'," v "\n"
#define P(name, v) "   P: '" name "', 'Number', '', 'A'," v "\n"
#define PHONG                                                                                      \
    C("DiffuseColor", "0.5,0.5,0.5")                                                               \
    C("AmbientColor", "1,1,1")                                                                     \
    C("SpecularColor", "0.8,0.4,0.2")                                                              \
    P("SpecularFactor", "0.5")                                                                     \
    P("ShininessExponent", "25") C("EmissiveColor", "0.2,0.4,0.6") P("EmissiveFactor", "0.5")

static mrw_scene *fbx(const char *model, const char *properties, const char *textures,
                      const char *links)
{
    text[0] = '\0';
    add(FBX_HEAD " Material: 3, 'Material::P', '' {\n  ShadingModel: '%s'\n  Properties70:  {\n",
        model);
    add("%s  }\n }\n%s" FBX_LINKS "%s}\n", properties, textures, links);
    return load("t.fbx", text);
}

START_TEST(fbx_phong_and_lambert)
{
    mrw_scene *s = fbx("Phong", PHONG, "", "");
    check_classic(material_of(s, 0), 0.4, 0.2, 0.1, 100);
    check_srgb(material_of(s, 0), MRW_MAP_BASE_COLOR, 0.5, 0.5, 0.5);
    check_srgb(material_of(s, 0), MRW_MAP_EMISSIVE, 0.1, 0.2, 0.3);
    mrw_scene_free(s);
    s = fbx("lambert", PHONG, "", ""); /* a matt one does not shine, whatever else it says */
    check_classic(material_of(s, 0), 0, 0, 0, 0);
    check_srgb(material_of(s, 0), MRW_MAP_EMISSIVE, 0.1, 0.2, 0.3);
    mrw_scene_free(s);
    s = fbx("phong",
            C("SpecularColor", "1,1,1") P("SpecularFactor", "9") P("ShininessExponent", "1e30"), "",
            "");
    check_classic(material_of(s, 0), 1, 1, 1, 65536);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
}
END_TEST

/* The numbers that Blender's exporter writes for a Principled BSDF, by io_scene_fbx: a roughness of
 * 0.5 is the exponent (10 (1 - 0.5))^2, "Specular" 0.5 is 0.25, a reflectance of 0.04, which glTF
 * has for an ior of 1.5. 2.79 had no such materials. */
START_TEST(fbx_of_blender_is_principled)
{
    static const char number[] = "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n";
    static const struct {
        const char *version, *exponent, *specular, *reflection;
        double roughness, metallic, ior;
    } cases[] = {{"2.80 (sub 74) - 4.14.14", "25", "0.25", "0", 0.5, 0, 1.5},
                 {"2.93.1 - 4.22.0", "81", "0", "1", 0.1, 1, 1},
                 {"4.1.0 - 5.11.6", "0", "0.25", "0.5", 1, 0.5, 1.5},
                 {"3.4.0 - 4.37.1", "400", "9", "-1", 0, 0, 7.0 / 3},
                 {"2.79 (sub 0) - 3.7.13", "25", "0.25", "0", -1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char properties[600], head[200];
        snprintf(properties, sizeof properties,
                 C("DiffuseColor", "0.8,0.4,0.2") C("SpecularColor", "0.8,0.4,0.2")
                     P("SpecularFactor", "%s") P("ShininessExponent", "%s")
                         P("ReflectionFactor", "%s"),
                 cases[i].specular, cases[i].exponent, cases[i].reflection);
        snprintf(head, sizeof head, "%s Creator: 'Blender (stable FBX IO) - %s'\n", number,
                 cases[i].version);
        text[0] = '\0';
        add("%s%s Material: 3, 'Material::P', '' {\n  ShadingModel: 'Phong'\n  Properties70:  {\n",
            head, &FBX_HEAD[sizeof number - 1]);
        add("%s  }\n }\n" FBX_LINKS "}\n", properties);
        mrw_scene *s = load("t.fbx", text);
        const mrw_material *m = material_of(s, 0);
        check_color(m, MRW_MAP_BASE_COLOR, 0.8, 0.4, 0.2);
        if (cases[i].roughness < 0) {
            ck_assert_uint_eq(m->model, MRW_MATERIAL_CLASSIC);
            ck_assert_double_eq_tol((double)m->shininess, 100, 1e-3);
        } else {
            check_metal(m, cases[i].metallic, cases[i].roughness);
            ck_assert_double_eq_tol((double)m->ior, cases[i].ior, 1e-5);
        }
        mrw_scene_free(s);
    }
}
END_TEST

/* A texture stands in the place of the colour, not of the strength. An ambient texture is none of
 * ours. */
START_TEST(fbx_textures)
{
    mrw_scene *s = fbx("Phong", PHONG,
                       FBX_TEXTURE(10, "s.png") FBX_TEXTURE(11, "e.png") FBX_TEXTURE(12, "a.png"),
                       " C: 'OP',10,3, 'SpecularColor'\n C: 'OP',11,3, 'EmissiveColor'\n"
                       " C: 'OP',12,3, 'AmbientColor'\n");
    const mrw_material *m = material_of(s, 0);
    check_classic(m, 0.5, 0.5, 0.5, 100);
    check_color(m, MRW_MAP_EMISSIVE, 1, 1, 1);
    check_image(s, m, MRW_MAP_SPECULAR, "s.png");
    check_image(s, m, MRW_MAP_EMISSIVE, "e.png");
    ck_assert_uint_eq(m->maps[MRW_MAP_OCCLUSION].texture, MRW_NONE);
    mrw_scene_free(s);
}
END_TEST

/* Maya's Stingray materials. */
#define STINGRAY                                                                                   \
    C("Maya|base_color", "0.25,0.5,0.75")                                                          \
    P("Maya|metallic", "0.25")                                                                     \
    P("Maya|roughness", "0.75") C("EmissiveColor", "0.5,0.25,0") P("Maya|emissive_intensity", "4")

START_TEST(fbx_metal)
{
    mrw_scene *s = fbx("unknown", STINGRAY, "", "");
    check_metal(material_of(s, 0), 0.25, 0.75);
    check_color(material_of(s, 0), MRW_MAP_BASE_COLOR, 0.25, 0.5, 0.75);
    check_color(material_of(s, 0), MRW_MAP_EMISSIVE, 2, 1, 0);
    mrw_scene_free(s);
    s = fbx("unknown", STINGRAY, FBX_TEXTURE(10, "m.png") FBX_TEXTURE(11, "ao.png"),
            " C: 'OP',10,3, 'Maya|TEX_metallic_map'\n C: 'OP',11,3, 'Maya|TEX_ao_map'\n");
    check_metal(material_of(s, 0), 1, 0.75);
    check_image(s, material_of(s, 0), MRW_MAP_METALLIC, "m.png");
    check_image(s, material_of(s, 0), MRW_MAP_OCCLUSION, "ao.png");
    mrw_scene_free(s);
}
END_TEST

/* DisplacementFactor is in the file's unit, which is a centimetre where it says nothing. */
START_TEST(fbx_displacement)
{
    static const char texture[] = FBX_TEXTURE(10, "d.png");
    static const char place[] = " C: 'OP',10,3, 'DisplacementColor'\n";
    mrw_scene *s = fbx("Phong", P("DisplacementFactor", "0.5"), texture, place);
    check_image(s, material_of(s, 0), MRW_MAP_DISPLACEMENT, "d.png");
    ck_assert_double_eq_tol(material_of(s, 0)->maps[MRW_MAP_DISPLACEMENT].factor[0], 0.005, 1e-7);
    mrw_scene_free(s);
    s = fbx("Phong", P("DisplacementFactor", "0"), texture, place);
    ck_assert_uint_eq(material_of(s, 0)->maps[MRW_MAP_DISPLACEMENT].texture, MRW_NONE);
    mrw_scene_free(s);
}
END_TEST

static void check_bumps(const mrw_scene *s, const mrw_material *m, double strength)
{
    check_image(s, m, MRW_MAP_HEIGHT, "b.png");
    ck_assert_uint_eq(m->maps[MRW_MAP_NORMAL].texture, MRW_NONE);
    ck_assert_double_eq_tol(m->maps[MRW_MAP_HEIGHT].factor[0], strength, 1e-6);
}

/* Those of 3ds Max's physical materials are bump maps, too; what is said to be a normal map is one,
 * and then no other is looked at. */
START_TEST(fbx_bumps)
{
    static const char texture[] = FBX_TEXTURE(10, "b.png");
    mrw_scene *s = fbx("Phong", P("BumpFactor", "0.25"), texture, " C: 'OP',10,3, 'Bump'\n");
    check_bumps(s, material_of(s, 0), 0.25);
    mrw_scene_free(s);
    s = fbx("Phong", "", texture, " C: 'OP',10,3, 'Bump'\n");
    check_bumps(s, material_of(s, 0), 1);
    mrw_scene_free(s);
    s = fbx("Phong", P("BumpFactor", "0"), texture, " C: 'OP',10,3, 'Bump'\n");
    ck_assert_uint_eq(material_of(s, 0)->maps[MRW_MAP_HEIGHT].texture, MRW_NONE);
    mrw_scene_free(s);
    s = fbx("unknown", P("3dsMax|Parameters|bump_map_amt", "0.3"), texture,
            " C: 'OP',10,3, '3dsMax|Parameters|bump_map'\n");
    check_bumps(s, material_of(s, 0), 0.3);
    mrw_scene_free(s);
    s = fbx("unknown", "", texture, " C: 'OP',10,3, 'Maya|TEX_normal_map'\n");
    check_image(s, material_of(s, 0), MRW_MAP_NORMAL, "b.png");
    mrw_scene_free(s);
    s = fbx("Phong", "", FBX_TEXTURE(10, "b.png") FBX_TEXTURE(11, "n.png"),
            " C: 'OP',10,3, 'Bump'\n C: 'OP',11,3, 'NormalMap'\n");
    check_image(s, material_of(s, 0), MRW_MAP_NORMAL, "n.png");
    check_image(s, material_of(s, 0), MRW_MAP_HEIGHT, "b.png");
    for (uint32_t i = 0; i < 2; i++) {
        const bool bumps = strcmp(mrw_scene_string(s, s->images[i].path), "b.png") == 0;
        ck_assert(((s->images[i].flags & MRW_IMAGE_UNSEEN) != 0) == bumps);
    }
    mrw_scene_free(s);
}
END_TEST

/* ---- Collada --------------------------------------------------------------------------------- */

#define DAE_FLOATS(id, count, values, stride, params)                                              \
    "<source id='" id "'><float_array id='" id "a' count='" count "'>" values                      \
    "</float_array><technique_common><accessor source='#" id "a' count='3' stride='" stride        \
    "'>" params "</accessor></technique_common></source>"
#define DAE_SAMPLER(number, image)                                                                 \
    "<newparam sid='s" number "'><surface type='2D'><init_from>" image                             \
    "</init_from></surface></newparam><newparam sid='p" number "'><sampler2D><source>s" number     \
    "</source></sampler2D></newparam>"
#define DAE_HEAD                                                                                   \
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "          \
    "version='1.4.1'><asset><up_axis>Y_UP</up_axis></asset><library_images><image id='d'>"         \
    "<init_from>d.png</init_from></image><image id='l'><init_from>l.png</init_from></image>"       \
    "</library_images><library_effects><effect id='e'><profile_COMMON>" DAE_SAMPLER("1", "d")      \
        DAE_SAMPLER("2", "l") "<technique sid='c'>"
#define DAE_TAIL                                                                                   \
    "</technique></profile_COMMON></effect></library_effects><library_materials><material id='m' " \
    "name='m'><instance_effect url='#e'/></material></library_materials><library_geometries>"      \
    "<geometry id='g'><mesh>" DAE_FLOATS("ps", "9", "0 0 0 1 0 0 0 1 0", "3",                      \
                                         "<param name='X' type='float'/><param name='Y' "          \
                                         "type='float'/><param name='Z' type='float'/>")           \
        DAE_FLOATS(                                                                                \
            "us", "6", "0 0 1 0 0 1", "2",                                                         \
            "<param name='S' type='float'/><param name='T' type='float'/>") "<vertices "           \
                                                                            "id='v'><input "       \
                                                                            "semantic='POSITION' " \
                                                                            "source='#ps'/></"     \
                                                                            "vertices><triangles " \
                                                                            "count='1' "           \
                                                                            "material='mm'><"      \
                                                                            "input "               \
                                                                            "semantic='VERTEX' "   \
                                                                            "source='#v' "         \
                                                                            "offset='0'/><input "  \
                                                                            "semantic='TEXCOORD' " \
                                                                            "source='#us' "        \
                                                                            "offset='1' "          \
                                                                            "set='0'/><input "     \
                                                                            "semantic='TEXCOORD' " \
                                                                            "source='#us' "        \
                                                                            "offset='1' set='1'/"  \
                                                                            "><p>0 0 1 1 2 "       \
                                                                            "2</p></triangles></"  \
                                                                            "mesh></geometry></"   \
                                                                            "library_geometries><" \
                                                                            "library_visual_"      \
                                                                            "scenes"               \
                                                                            "><visual_scene "      \
                                                                            "id='w'><node "        \
                                                                            "id='n'><instance_"    \
                                                                            "geometry "            \
                                                                            "url='#g'><bind_"      \
                                                                            "material>"            \
                                                                            "<technique_common><"  \
                                                                            "instance_material "   \
                                                                            "symbol='mm' "         \
                                                                            "target='#m'><bind_"   \
                                                                            "vertex_input "        \
                                                                            "semantic='UV0' "      \
                                                                            "input_semantic='"     \
                                                                            "TEXCOORD' "           \
                                                                            "input_set='0'/"       \
                                                                            "><bind_vertex_input " \
                                                                            "semantic='UV1' "      \
                                                                            "input_semantic='"     \
                                                                            "TEXCOORD' "           \
                                                                            "input_set='1'/></"    \
                                                                            "instance_material></" \
                                                                            "technique_common>"    \
                                                                            "</bind_material></"   \
                                                                            "instance_geometry></" \
                                                                            "node></"              \
                                                                            "visual_scene></"      \
                                                                            "library_visual_"      \
                                                                            "scenes><scene>"       \
                                                                            "<instance_visual_"    \
                                                                            "scene "               \
                                                                            "url='#w'/></scene></" \
                                                                            "COLLADA>"
#define DAE_REST                                                                                   \
    "<emission><color>0.1 0.2 0.3 1</color></emission><diffuse><color>1 0 0 1</color></diffuse>"   \
    "<specular><color>0.5 0.25 0 1</color></specular><shininess><float>20</float></shininess>"

START_TEST(collada_models)
{
    static const struct {
        const char *file;
        double shininess;
    } cases[] = {{DAE_HEAD "<phong>" DAE_REST "</phong>" DAE_TAIL, 80},
                 {DAE_HEAD "<blinn>" DAE_REST "</blinn>" DAE_TAIL, 20},
                 {DAE_HEAD "<lambert><emission><color>0.1 0.2 0.3 1</color></emission><diffuse>"
                           "<color>1 0 0 1</color></diffuse></lambert>" DAE_TAIL,
                  0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = load("t.dae", cases[i].file);
        const mrw_material *m = material_of(s, 0);
        const double shines = i < 2 ? 1 : 0;
        check_classic(m, 0.5 * shines, 0.25 * shines, 0, cases[i].shininess);
        check_color(m, MRW_MAP_BASE_COLOR, 1, 0, 0);
        check_srgb(m, MRW_MAP_EMISSIVE, 0.1, 0.2, 0.3);
        mrw_scene_free(s);
    }
}
END_TEST

/* An ambient texture is a light map, on its own uv set, unless it is the diffuse one once more. */
START_TEST(collada_light_maps)
{
    static const char *const files[] = {
        DAE_HEAD "<phong><ambient><texture texture='p2' texcoord='UV1'/></ambient><diffuse>"
                 "<texture texture='p1' texcoord='UV0'/></diffuse></phong>" DAE_TAIL,
        DAE_HEAD "<phong><ambient><texture texture='p1' texcoord='UV0'/></ambient><diffuse>"
                 "<texture texture='p1' texcoord='UV0'/></diffuse></phong>" DAE_TAIL};
    for (size_t i = 0; i < 2; i++) {
        mrw_scene *s = load("t.dae", files[i]);
        const mrw_material *m = material_of(s, 0);
        check_image(s, m, MRW_MAP_BASE_COLOR, "d.png");
        ck_assert((m->maps[MRW_MAP_OCCLUSION].texture == MRW_NONE) == (i == 1));
        ck_assert_uint_eq(m->maps[MRW_MAP_OCCLUSION].uv_set, i == 0 ? 1 : 0);
        if (i == 0) {
            check_image(s, m, MRW_MAP_OCCLUSION, "l.png");
        }
        mrw_scene_free(s);
    }
}
END_TEST

#define DAE_BUMP(inside)                                                                           \
    DAE_HEAD "<lambert><diffuse><color>1 0 0 1</color></diffuse></lambert><extra><technique "      \
             "profile='FCOLLADA'><bump><texture texture='p2' texcoord='UV0'>" inside               \
             "</texture></bump></technique></extra>" DAE_TAIL

START_TEST(collada_bumps)
{
    static const char *const files[] = {
        DAE_BUMP(""),
        DAE_BUMP("<extra><technique profile='MAYA'><amount>0.3</amount></technique></extra>")};
    for (size_t i = 0; i < 2; i++) {
        mrw_scene *s = load("t.dae", files[i]);
        const mrw_material *m = material_of(s, 0);
        check_image(s, m, MRW_MAP_HEIGHT, "l.png");
        ck_assert_uint_eq(m->maps[MRW_MAP_NORMAL].texture, MRW_NONE);
        ck_assert_double_eq_tol(m->maps[MRW_MAP_HEIGHT].factor[0], i == 0 ? 1 : 0.3, 1e-6);
        mrw_scene_free(s);
    }
}
END_TEST

#define DAE_EXTRA(inside)                                                                          \
    DAE_HEAD "<lambert><diffuse><color>1 0 0 1</color></diffuse></lambert><extra><technique "      \
             "profile='OpenCOLLADA3dsMax'>" inside "</technique></extra>" DAE_TAIL

/* Displacement maps as 3ds Max's exporters write them are left out with a warning. */
START_TEST(collada_displacement)
{
    static const struct {
        const char *file;
        uint32_t warnings;
    } cases[] = {
        {DAE_EXTRA("<displacement><texture texture='p2' texcoord='UV0'/></displacement>"), 1},
        {DAE_EXTRA("<displacement/><displacement><float>1</float></displacement>"
                   "<displacement><texture texture='p2'></texture></displacement>"),
         1},
        {DAE_EXTRA("<displacement><float>1</float></displacement><gloss><texture texture='p2'/>"
                   "</gloss>"),
         0},
        {DAE_EXTRA("<!-- <displacement><texture texture='p2'/></displacement> -->"), 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = load("t.dae", cases[i].file);
        ck_assert_uint_eq(s->warnings_count, cases[i].warnings);
        if (cases[i].warnings > 0) {
            const char *warning = mrw_scene_string(s, s->warnings[0]);
            ck_assert_msg(strstr(warning, "--displacement"), "%s", warning);
        }
        ck_assert_uint_eq(material_of(s, 0)->maps[MRW_MAP_DISPLACEMENT].texture, MRW_NONE);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- OBJ ------------------------------------------------------------------------------------- */

static mrw_scene *obj(const char *materials)
{
    static const char head[] = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n";
    char file[1000];
    mrw_error error = {0};
    mrw_scene *scene = NULL;
    test_write_text(test_path("a.mtl"), materials);
    strcpy(file, head);
    for (const char *name = materials; (name = strstr(name, "newmtl ")); name += 7) {
        char use[64];
        snprintf(use, sizeof use, "usemtl %.*s\nf 1/1 2/1 3/1\n", (int)strcspn(name + 7, "\n"),
                 name + 7);
        strcat(file, use);
    }
    mrw_status status =
        mrw_load_memory(file, strlen(file), "a.obj", test_folder(), NULL, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    test_folder_remove();
    return scene;
}

static const mrw_material *named(const mrw_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->materials_count; i++) {
        if (strcmp(mrw_scene_string(s, s->materials[i].name), name) == 0) {
            return &s->materials[i];
        }
    }
    ck_abort_msg("no material %s", name);
    return NULL;
}

/* illum 0 and 1 have no highlights, what is above 2 has them and more; Ns is Blinn's exponent. */
START_TEST(obj_illumination)
{
    mrw_scene *s =
        obj("newmtl z\nKs 1 1 1\nNs 10\nillum 0\n"
            "newmtl a\nKs 1 1 1\nNs 10\nillum 1\n"
            "newmtl b\nKd 0.5 0.25 0.125\nKa 1 1 1\nKs 0.5 0.25 0\nKe 0.1 0.2 0.3\nNs "
            "50\nillum 2\n"
            "newmtl c\nKs 1 1 1\nNs 10\nillum 7\n"
            "newmtl e\nKs 0 0 0\nNs 10\nillum 2\n"
            "newmtl d\nKs 0 0 0\nKe 0 0 0\nNs 10\nillum 2\nmap_Ks s.png\nmap_Ke e.png\n");
    check_classic(named(s, "z"), 0, 0, 0, 0);
    check_classic(named(s, "a"), 0, 0, 0, 0);
    check_classic(named(s, "b"), 0.5, 0.25, 0, 50);
    check_srgb(named(s, "b"), MRW_MAP_BASE_COLOR, 0.5, 0.25, 0.125);
    check_srgb(named(s, "b"), MRW_MAP_EMISSIVE, 0.1, 0.2, 0.3);
    check_classic(named(s, "c"), 1, 1, 1, 10);
    check_classic(named(s, "e"), 0, 0, 0, 0);
    check_classic(named(s, "d"), 1, 1, 1, 10); /* black would hide the picture */
    check_color(named(s, "d"), MRW_MAP_EMISSIVE, 1, 1, 1);
    check_image(s, named(s, "d"), MRW_MAP_SPECULAR, "s.png");
    mrw_scene_free(s);
}
END_TEST

START_TEST(obj_metal)
{
    mrw_scene *s = obj("newmtl p\nKd 0.5 0.5 0.5\nPr 0.25\nPm 0.75\nPc 0.5\nPcr 0.125\n"
                       "newmtl q\nPr 0.5\nPm 0\nmap_Pr r.png\nmap_Pm m.png\n"
                       "newmtl r\nPr -1\nPm 9\n");
    check_metal(named(s, "p"), 0.75, 0.25);
    ck_assert(named(s, "p")->clearcoat == 0.5f);
    ck_assert(named(s, "p")->clearcoat_roughness == 0.125f);
    check_metal(named(s, "q"), 1, 0.5);
    check_image(s, named(s, "q"), MRW_MAP_METALLIC, "m.png");
    check_image(s, named(s, "q"), MRW_MAP_ROUGHNESS, "r.png");
    check_metal(named(s, "r"), 1, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(obj_bumps)
{
    mrw_scene *s = obj("newmtl a\nbump b.png\nnewmtl b\nmap_bump -bm 0.25 b.png\n"
                       "newmtl c\nmap_Bump -bm -2 b.png\nnewmtl d\nbump -bm 0 b.png\n"
                       "newmtl e\nbump -bm 1e9 b.png\nnewmtl f\nbump b.png\nnorm n.png\n");
    check_bumps(s, named(s, "a"), 1);
    check_bumps(s, named(s, "b"), 0.25);
    check_bumps(s, named(s, "c"), -2);
    ck_assert_uint_eq(named(s, "d")->maps[MRW_MAP_HEIGHT].texture, MRW_NONE);
    check_bumps(s, named(s, "e"), 100);
    check_image(s, named(s, "f"), MRW_MAP_NORMAL, "n.png");
    ck_assert_uint_eq(s->warnings_count, 3); /* b.png, n.png, the strength of e */
    mrw_scene_free(s);
}
END_TEST

/* White and black are where base and gain put them, whatever the scale and middle level are. */
static void check_displacement(const mrw_scene *s, const char *name, double black, double white)
{
    const mrw_material *m = named(s, name);
    check_image(s, m, MRW_MAP_DISPLACEMENT, "d.png");
    const float *factor = m->maps[MRW_MAP_DISPLACEMENT].factor;
    const double scale = (double)factor[0], level = (double)factor[1];
    ck_assert_msg(fabs((0 - level) * scale - black) < 1e-6, "%s", name);
    ck_assert_msg(fabs((1 - level) * scale - white) < 1e-6, "%s", name);
}

/* base + gain * texel, 0 and 1 where there is no -mm. */
START_TEST(obj_displacement)
{
    mrw_scene *s = obj("newmtl a\ndisp d.png\nnewmtl b\nmap_disp d.png\n"
                       "newmtl c\ndisp -mm 0 0.5 -clamp on d.png\n"
                       "newmtl e\ndisp  -clamp off -mm -0.25 2   d.png \r\n"
                       "newmtl f\ndisp -MM 0.75 0 d.png\nnewmtl g\ndisp -mm 0 0 d.png\n"
                       "newmtl h\ndisp -mm 3 1 e.png\ndisp d.png\n"
                       "newmtl i\ndisp -mm 0.5 d.png\nnewmtl j k\n\tdisp -mm 1 -1 d.png\n");
    check_displacement(s, "a", 0, 1);
    check_displacement(s, "b", 0, 1);
    check_displacement(s, "c", 0, 0.5);
    check_displacement(s, "e", -0.25, 1.75);
    check_displacement(s, "f", 0.75, 0.75);
    ck_assert_uint_eq(named(s, "g")->maps[MRW_MAP_DISPLACEMENT].texture, MRW_NONE);
    check_displacement(s, "h", 0, 1);
    check_displacement(s, "i", 0.5, 1.5);
    check_displacement(s, "j k", 1, 0);
    const uint32_t clamped = named(s, "c")->maps[MRW_MAP_DISPLACEMENT].texture;
    ck_assert_uint_eq(s->textures[clamped].wrap_u, MRW_WRAP_CLAMP);
    ck_assert_uint_eq(s->textures[clamped].wrap_v, MRW_WRAP_CLAMP);
    ck_assert_uint_eq(s->textures[named(s, "e")->maps[MRW_MAP_DISPLACEMENT].texture].wrap_u,
                      MRW_WRAP_REPEAT);
    mrw_scene_free(s);
}
END_TEST

static void check_transform(const mrw_scene *s, const char *name, mrw_map map, const char *path,
                            const double want[6])
{
    const mrw_material *m = named(s, name);
    check_image(s, m, map, path);
    for (int i = 0; i < 6; i++) {
        ck_assert_msg(fabs((double)m->maps[map].uv_transform[i] - want[i]) < 1e-6, "%s %d", name,
                      i);
    }
}

/* Vertices above the middles of four texels of 16 bits, which have one of two values with 8, and of
 * the edges between: base and gain of each. The picture is a base colour, too, by another name. */
START_TEST(obj_displaces_by_16_bits)
{
    static const uint16_t grey[4] = {0x0100, 0x0180, 0x01FF, 0xFFFF};
    static const double reds[7] = {256, 320, 384, 447.5, 511, 33023, 65535};
    const mrw_image image = {.width = 4,
                             .height = 1,
                             .channels = 1,
                             .format = MRW_FORMAT_U16,
                             .pixels = (uint8_t *)(uintptr_t)grey};
    mrw_bytes png;
    mrw_scene *s;
    mrw_model *model;
    mrw_renderer *renderer;
    const mrw_posed_draw *posed;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    test_write(test_path("base.png"), png.data, png.size);
    test_write(test_path("heights.png"), png.data, png.size);
    mrw_bytes_free(&png);
    test_write_text(test_path("a.mtl"),
                    "newmtl a\nmap_Kd base.png\ndisp -clamp on -mm -0.5 100 heights.png\n");
    text[0] = '\0';
    add("mtllib a.mtl\nusemtl a\nvn 0 0 1\n");
    for (int v = 0; v < 7; v++) {
        add("v %d %d 0\nvt %.4f 0.5\n", v, v % 2, (v + 1) / 8.0);
    }
    for (int v = 1; v <= 5; v++) {
        const int a = v + 1 + v % 2, b = v + 2 - v % 2;
        add("f %d/%d/1 %d/%d/1 %d/%d/1\n", v, v, b, b, a, a);
    }
    mrw_status status =
        mrw_load_memory(text, strlen(text), "a.obj", test_folder(), NULL, &s, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    test_folder_remove();
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->images_count, 1);
    ck_assert_uint_eq(s->texels_count, 5);
    ck_assert_int_eq(mrw_model_create(s, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    ck_assert_int_eq(mrw_pose_instance(renderer, &instance, MRW_ISA_AUTO, &posed, NULL), MRW_OK);
    for (uint32_t v = 0; v < posed[0].vertex_count; v++) {
        const float *p = posed[0].positions + 4 * v;
        const double z = -0.5 + 100 * reds[(int)p[0]] / 65535;
        ck_assert_msg(fabs((double)p[2] - z) < 1e-5, "%g: %.7f, not %.7f", (double)p[0],
                      (double)p[2], z);
    }
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(s);
}
END_TEST

/* Coordinates with V up times -s, plus -o, each with one to three numbers: for V down v becomes
 * 1 - (s (1 - v) + o). */
START_TEST(obj_options)
{
    static const double as_is[6] = {1, 0, 0, 0, 1, 0}, wide[6] = {2, 0, 0, 0, 1, 0},
                        tiles[6] = {2, 0, 0.5, 0, 3, -2.25}, moved[6] = {1, 0, 0.5, 0, 1, -0.25};
    mrw_scene *s = obj("newmtl a\nmap_Kd -o 0.5 0.25 0 -s 2 3 1 b.png\nmap_Ks s.png\n"
                       "disp -s 2 3 -mm 0 1 -o 0.5 0.25 d.png\n"
                       "newmtl b\nmap_Ks -s 2 s.png\nmap_Kd -texres 512 -imfchan l b.png\n"
                       "bump -bm 0.5 -o 0.5 0.25 b.png\n"
                       "newmtl c\nmap_Kd -o 0.5 0.25 7\nmap_Ke -t 1 1 -cc on a b.png\n"
                       "newmtl d\nmap_Kd -s 2e9 2 b.png\n");
    check_transform(s, "a", MRW_MAP_BASE_COLOR, "b.png", tiles);
    check_transform(s, "a", MRW_MAP_SPECULAR, "s.png", as_is);
    check_transform(s, "a", MRW_MAP_DISPLACEMENT, "d.png", tiles);
    check_transform(s, "b", MRW_MAP_SPECULAR, "s.png", wide);
    check_transform(s, "b", MRW_MAP_BASE_COLOR, "b.png", as_is);
    check_transform(s, "b", MRW_MAP_HEIGHT, "b.png", moved);
    check_bumps(s, named(s, "b"), 0.5);
    check_transform(s, "c", MRW_MAP_BASE_COLOR, "7", moved);
    check_transform(s, "c", MRW_MAP_EMISSIVE, "a b.png", as_is);
    check_transform(s, "d", MRW_MAP_BASE_COLOR, "b.png", as_is);
    mrw_scene_free(s);
}
END_TEST

/* Whatever stands there, what comes out is in range, as the check of finished scenes says. */
START_TEST(obj_odd_numbers)
{
    static const char *const numbers[] = {"nan", "inf", "-inf", "1e38", "-1", "1e-45", "9e9", "0"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char materials[400];
        const char *n = numbers[i];
        snprintf(materials, sizeof materials,
                 "newmtl p\nKs %s %s %s\nKe %s 1 1\nNs %s\nillum 2\n"
                 "newmtl q\nPr %s\nPm %s\nPc %s\nPcr %s\nKe 1 %s 1\nbump -bm %s b.png\n",
                 n, n, n, n, n, n, n, n, n, n, n);
        mrw_scene *s = obj(materials);
        for (uint32_t k = 0; k < s->materials_count; k++) {
            const mrw_material *m = &s->materials[k];
            ck_assert(m->shininess >= 0 && m->shininess <= 65536 && m->clearcoat >= 0 &&
                      m->clearcoat <= 1);
            ck_assert(isfinite(m->maps[MRW_MAP_EMISSIVE].factor[0]));
            ck_assert(fabsf(m->maps[MRW_MAP_HEIGHT].factor[0]) <= MRW_BUMPS_MOST);
        }
        mrw_scene_free(s);
    }
}
END_TEST

/* Statements before the first material belong to none: assimp crashes on some. */
START_TEST(obj_before_materials)
{
    mrw_scene *s = obj("# tool\nmap_Kd b.png\nmap_Ka b.png\naniso 1\nd 0.5\n"
                       "newmtl p\nKd 1 0 0\n");
    const mrw_material *m = named(s, "p");
    check_srgb(m, MRW_MAP_BASE_COLOR, 1, 0, 0);
    ck_assert_uint_eq(m->maps[MRW_MAP_BASE_COLOR].texture, MRW_NONE);
    ck_assert_uint_eq(m->alpha_mode, MRW_ALPHA_OPAQUE);
    mrw_scene_free(s);
}
END_TEST

/* ---- 3DS ------------------------------------------------------------------------------------- */

typedef struct chunks {
    uint8_t data[4000];
    size_t size;
} chunks;

static void put(chunks *out, const void *data, size_t size)
{
    ck_assert_uint_le(out->size + size, sizeof out->data);
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

static size_t begin_chunk(chunks *out, uint16_t id)
{
    const uint32_t later = 0;
    const size_t at = out->size;
    put(out, &id, 2);
    put(out, &later, 4);
    return at;
}

static void end_chunk(chunks *out, size_t at)
{
    const uint32_t size = (uint32_t)(out->size - at);
    memcpy(out->data + at + 2, &size, 4);
}

static void put_chunk(chunks *out, uint16_t id, const void *data, size_t size)
{
    const size_t at = begin_chunk(out, id);
    put(out, data, size);
    end_chunk(out, at);
}

static void put_percent(chunks *out, uint16_t id, int16_t percent)
{
    const size_t at = begin_chunk(out, id);
    put_chunk(out, 0x30, &percent, 2);
    end_chunk(out, at);
}

static void put_color(chunks *out, uint16_t id, uint8_t r, uint8_t g, uint8_t b)
{
    const uint8_t rgb[3] = {r, g, b};
    const size_t at = begin_chunk(out, id);
    put_chunk(out, 0x11, rgb, 3);
    end_chunk(out, at);
}

/* Diffuse 255 51 0, specular 102 each, self-illumination 50 %. */
static void put_material(chunks *out, const char name[2], int16_t shininess, int16_t strength,
                         int16_t shading)
{
    const size_t at = begin_chunk(out, 0xafff);
    put_chunk(out, 0xa000, name, 2);
    put_color(out, 0xa010, 255, 255, 255);
    put_color(out, 0xa020, 255, 51, 0);
    put_color(out, 0xa030, 102, 102, 102);
    put_percent(out, 0xa040, shininess);
    put_percent(out, 0xa041, strength);
    put_percent(out, 0xa084, 50);
    put_chunk(out, 0xa100, &shading, 2);
    end_chunk(out, at);
}

static void put_triangle(chunks *out, const char material[2])
{
    static const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint16_t three = 3, face[5] = {1, 0, 1, 2, 7}, only[2] = {1, 0};
    const size_t object = begin_chunk(out, 0x4000);
    put(out, material, 2);
    const size_t mesh = begin_chunk(out, 0x4100), vertices = begin_chunk(out, 0x4110);
    put(out, &three, 2);
    put(out, points, sizeof points);
    end_chunk(out, vertices);
    const size_t faces = begin_chunk(out, 0x4120);
    put(out, face, sizeof face);
    const size_t uses = begin_chunk(out, 0x4130);
    put(out, material, 2);
    put(out, only, sizeof only);
    end_chunk(out, uses);
    end_chunk(out, faces);
    end_chunk(out, mesh);
    end_chunk(out, object);
}

/* A material with a bump map of this amount; below 0: the file does not say. */
static void put_bumps(chunks *out, const char name[2], int16_t amount)
{
    const size_t at = begin_chunk(out, 0xafff);
    put_chunk(out, 0xa000, name, 2);
    const size_t map = begin_chunk(out, 0xa230);
    if (amount >= 0) {
        put_chunk(out, 0x30, &amount, 2);
    }
    put_chunk(out, 0xa300, "b.png", 6);
    end_chunk(out, map);
    end_chunk(out, at);
}

/* Half of 3D Studio's scale is an exponent of 2^5. */
START_TEST(percentages_of_3ds)
{
    static chunks file;
    static const uint32_t version = 3;
    mrw_error error = {0};
    mrw_scene *s = NULL;
    file.size = 0;
    const size_t all = begin_chunk(&file, 0x4d4d);
    put_chunk(&file, 2, &version, 4);
    const size_t editor = begin_chunk(&file, 0x3d3d);
    put_material(&file, "a", 50, 75, 3);
    put_material(&file, "b", 50, 0, 3);
    put_material(&file, "c", 0, 75, 3);
    put_bumps(&file, "d", 30);
    put_bumps(&file, "e", -1);
    put_triangle(&file, "a");
    put_triangle(&file, "b");
    put_triangle(&file, "c");
    put_triangle(&file, "d");
    put_triangle(&file, "e");
    end_chunk(&file, editor);
    end_chunk(&file, all);
    mrw_status status = mrw_load_memory(file.data, file.size, "t.3ds", NULL, NULL, &s, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    check_classic(named(s, "a"), 0.3, 0.3, 0.3, 32);
    check_srgb(named(s, "a"), MRW_MAP_BASE_COLOR, 1, 0.2, 0);
    check_color(named(s, "a"), MRW_MAP_EMISSIVE, linear(0.5), linear(0.5) * linear(0.2), 0);
    check_classic(named(s, "b"), 0, 0, 0, 0);
    check_classic(named(s, "c"), 0, 0, 0, 0);
    check_bumps(s, named(s, "d"), 0.3);
    check_bumps(s, named(s, "e"), 1);
    mrw_scene_free(s);
}
END_TEST

/* percent of transparency; with an opacity map where it has a name. */
static void put_see_through(chunks *out, const char name[2], int16_t percent, const char *map_name)
{
    const size_t at = begin_chunk(out, 0xafff);
    put_chunk(out, 0xa000, name, 2);
    put_percent(out, 0xa050, percent);
    if (map_name[0] != '\0') {
        const size_t map = begin_chunk(out, 0xa210);
        put_chunk(out, 0xa300, map_name, strlen(map_name) + 1);
        end_chunk(out, map);
    }
    end_chunk(out, at);
}

START_TEST(opacity_of_3ds)
{
    static const struct {
        const char *name;
        int16_t percent;
        const char *map;
        double factor;
    } cases[] = {{"a", 0, "", 1}, {"b", 25, "", 0.75}, {"c", 100, "", 0}, {"d", 25, "o.png", 1}};
    static chunks file;
    static const uint32_t version = 3;
    mrw_error error = {0};
    mrw_scene *s = NULL;
    file.size = 0;
    const size_t all = begin_chunk(&file, 0x4d4d);
    put_chunk(&file, 2, &version, 4);
    const size_t editor = begin_chunk(&file, 0x3d3d);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_see_through(&file, cases[i].name, cases[i].percent, cases[i].map);
        put_triangle(&file, cases[i].name);
    }
    end_chunk(&file, editor);
    end_chunk(&file, all);
    mrw_status status = mrw_load_memory(file.data, file.size, "t.3ds", NULL, NULL, &s, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mrw_material *m = named(s, cases[i].name);
        const double factor = (double)m->maps[MRW_MAP_BASE_COLOR].factor[3];
        ck_assert_msg(fabs(factor - cases[i].factor) < 1e-3, "%s: %g", cases[i].name, factor);
        ck_assert_uint_eq(m->alpha_mode, factor < 1 ? MRW_ALPHA_BLEND : MRW_ALPHA_OPAQUE);
    }
    ck_assert_uint_eq(s->warnings_count, 1); /* the map is not there */
    mrw_scene_free(s);
}
END_TEST

/* What shines of itself is seen through the texture. */
START_TEST(emission_of_x)
{
    static const char file[] =
        "xof 0303txt 0032\nMaterial M {\n 0.5;0.5;0.5;0.25;;\n 8.0;\n 0.2;0.2;0.2;;\n"
        " 0.3;0.2;0.1;;\n TextureFilename { \"t.png\"; }\n}\nMesh T {\n 3;\n 0;0;0;,\n 1;0;0;,\n"
        " 0;1;0;;\n 1;\n 3;0,1,2;;\n MeshMaterialList {\n  1;\n  1;\n  0;;\n  {M}\n }\n"
        " MeshTextureCoords {\n  3;\n  0;0;,\n  1;0;,\n  0;1;;\n }\n}\n";
    mrw_load_def def = mrw_load_def_default();
    mrw_error error = {0};
    mrw_scene *s = NULL;
    def.formats = "x";
    mrw_status status = mrw_load_memory(file, sizeof file - 1, "t.x", NULL, &def, &s, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(material_of(s, 0)->alpha_mode, MRW_ALPHA_BLEND);
    ck_assert(material_of(s, 0)->maps[MRW_MAP_BASE_COLOR].factor[3] == 0.25f);
    check_srgb(material_of(s, 0), MRW_MAP_EMISSIVE, 0.3, 0.2, 0.1);
    check_image(s, material_of(s, 0), MRW_MAP_EMISSIVE, "t.png");
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("import materials");
    TCase *tc = tcase_create("import materials");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, fbx_phong_and_lambert);
    tcase_add_test(tc, fbx_of_blender_is_principled);

    tcase_add_test(tc, fbx_textures);
    tcase_add_test(tc, fbx_metal);
    tcase_add_test(tc, fbx_bumps);
    tcase_add_test(tc, fbx_displacement);
    tcase_add_test(tc, collada_models);
    tcase_add_test(tc, collada_light_maps);
    tcase_add_test(tc, collada_bumps);
    tcase_add_test(tc, collada_displacement);
    tcase_add_test(tc, obj_illumination);
    tcase_add_test(tc, obj_metal);
    tcase_add_test(tc, obj_bumps);
    tcase_add_test(tc, obj_displacement);
    tcase_add_test(tc, obj_displaces_by_16_bits);
    tcase_add_test(tc, obj_options);
    tcase_add_test(tc, obj_odd_numbers);
    tcase_add_test(tc, obj_before_materials);
    tcase_add_test(tc, percentages_of_3ds);
    tcase_add_test(tc, opacity_of_3ds);
    tcase_add_test(tc, emission_of_x);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
