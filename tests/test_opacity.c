/* test_opacity.c: how opaque materials of classic formats are: by numbers, by opacity textures, and
 * by the alpha of base textures where their meshes show it; the same whether texels are kept or
 * not. */
#include "import_fixture.h"

#include "marrow/codecs.h"
#include "marrow/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- pictures -------------------------------------------------------------------------------- */

/* RGBA of a texel. */
typedef void paint(uint32_t x, uint32_t y, uint8_t out[4]);

static void write_picture(const char *name, uint32_t width, uint32_t height, uint32_t channels,
                          paint *texel)
{
    static uint8_t pixels[128 * 128 * 4];
    mrw_bytes png;
    for (uint32_t i = 0; i < width * height; i++) {
        uint8_t rgba[4] = {200, 100, 50, 255};
        texel(i % width, i / width, rgba);
        memcpy(pixels + (size_t)i * channels, rgba, channels);
    }
    const mrw_image image = {width, height, channels, MRW_FORMAT_U8, pixels, NULL};
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    test_write(test_path(name), png.data, png.size);
    mrw_bytes_free(&png);
}

/* 100 across: see-through up to column 48, opaque from 52 on: 4 % are between. */
static void cut(uint32_t x, uint32_t y, uint8_t out[4])
{
    (void)y;
    out[3] = x < 48 ? 0 : x < 52 ? 128 : 255;
}

/* 6 % are between. */
static void soft(uint32_t x, uint32_t y, uint8_t out[4])
{
    (void)y;
    out[3] = x < 47 ? 15 : x < 53 ? 128 : 240;
}

static void clear(uint32_t x, uint32_t y, uint8_t out[4])
{
    (void)x, (void)y;
    out[3] = 0;
}

static void plain(uint32_t x, uint32_t y, uint8_t out[4])
{
    (void)x, (void)y, (void)out;
}

/* Grey that is black on the left, white on the right, and 60 in the middle. */
static void grey(uint32_t x, uint32_t y, uint8_t out[4])
{
    (void)y;
    out[0] = out[1] = out[2] = x < 40 ? 0 : x < 60 ? 60 : 255;
}

static void grey_half(uint32_t x, uint32_t y, uint8_t out[4])
{
    grey(2 * x, y, out);
}

static void enter(void)
{
    write_picture("cut.png", 100, 100, 4, cut);
    write_picture("soft.png", 100, 100, 4, soft);
    write_picture("clear.png", 100, 100, 4, clear);
    write_picture("plain.png", 100, 100, 3, plain);
    write_picture("grey.png", 100, 100, 3, grey);
    write_picture("half.png", 50, 50, 3, grey_half);
    test_write_text(test_path("damaged.png"), "\x89PNG\r\n\x1a\nxxxx");
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Of a scene that reads alpha alone those base textures have texels, the same, that have alpha, and
 * what it draws without colours has all it wants. */
static void check_alpha_alone(const mrw_scene *s, const mrw_scene *all)
{
    mrw_model_def def = mrw_model_def_default();
    mrw_error error = {0};
    mrw_model *drawn = NULL;
    for (uint32_t i = 0; i < s->materials_count; i++) {
        const uint32_t texture = all->materials[i].maps[MRW_MAP_BASE_COLOR].texture;
        ck_assert_uint_eq(s->materials[i].maps[MRW_MAP_BASE_COLOR].texture, texture);
        if (texture == MRW_NONE) {
            continue;
        }
        const mrw_image_info *image = &all->images[all->textures[texture].image];
        const mrw_image_info *same = &s->images[s->textures[texture].image];
        if ((image->flags & MRW_IMAGE_ALPHA) != 0) {
            ck_assert_uint_eq(same->flags, image->flags);
            ck_assert_mem_eq(s->texels + (size_t)same->first_texel * 4,
                             all->texels + (size_t)image->first_texel * 4,
                             (size_t)image->width * image->height * 4);
        } else if ((image->flags & (MRW_IMAGE_UNSEEN | MRW_IMAGE_MISSING)) == 0) {
            ck_assert_uint_eq(same->flags & (MRW_IMAGE_ALPHA | MRW_IMAGE_UNDECODED),
                              MRW_IMAGE_UNDECODED);
        }
    }
    def.shading = MRW_SHADING_CLAY;
    def.maps = MRW_MAPS_ALPHA;
    ck_assert_msg(mrw_model_create_with(s, &def, 1, &drawn, &error) == MRW_OK, "%s", error.text);
    mrw_model_free(drawn);
}

/* Loads a file three times: with all texels, only to look at it, and for its alpha alone, which
 * gives the same hash and mode. */
static mrw_scene *load_both(const char *name, const char *file)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_error error = {0};
    static const uint32_t maps[] = {MRW_MAPS_ALL, 0, MRW_MAPS_ALPHA};
    mrw_scene *scenes[3];
    char hashes[3][65];
    def.formats = "all";
    for (int i = 0; i < 3; i++) {
        def.maps = maps[i];
        mrw_status status =
            mrw_load_memory(file, strlen(file), name, test_folder(), &def, &scenes[i], &error);
        ck_assert_msg(status == MRW_OK, "%s", error.text);
        mrw_scene_hash_text(scenes[i], hashes[i]);
        ck_assert_str_eq(hashes[i], hashes[0]);
        for (uint32_t m = 0; m < scenes[0]->materials_count; m++) {
            ck_assert_uint_eq(scenes[i]->materials[m].alpha_mode,
                              scenes[0]->materials[m].alpha_mode);
        }
    }
    ck_assert_uint_le(scenes[1]->texels_count, 64 * 64); /* of a checker */
    check_alpha_alone(scenes[2], scenes[0]);
    mrw_scene_free(scenes[1]);
    mrw_scene_free(scenes[2]);
    return scenes[0];
}

static const mrw_material *material_of(const mrw_scene *s)
{
    ck_assert_uint_lt(s->meshes[0].material, s->materials_count);
    return &s->materials[s->meshes[0].material];
}

static void check(const mrw_scene *s, mrw_alpha_mode mode, double factor)
{
    const mrw_material *m = material_of(s);
    ck_assert_msg(m->alpha_mode == (uint32_t)mode, "mode %u, not %u", m->alpha_mode, mode);
    ck_assert_msg(fabs((double)m->maps[MRW_MAP_BASE_COLOR].factor[3] - factor) < 1e-3, "%g, not %g",
                  (double)m->maps[MRW_MAP_BASE_COLOR].factor[3], factor);
}

static void check_warnings(const mrw_scene *s, const char *part)
{
    const char *said = s->warnings_count > 0 ? mrw_scene_string(s, s->warnings[0]) : "";
    ck_assert_msg(part || !said[0], "'%s' is said", said);
    ck_assert_msg(!part || strstr(said, part), "'%s' lacks '%s'", said, part ? part : "");
}

/* The alpha of the base texture's texel x, y. */
static uint8_t alpha_at(const mrw_scene *s, uint32_t x, uint32_t y)
{
    const mrw_material_map *map = &material_of(s)->maps[MRW_MAP_BASE_COLOR];
    ck_assert_uint_ne(map->texture, MRW_NONE);
    const mrw_image_info *image = &s->images[s->textures[map->texture].image];
    ck_assert(x < image->width && y < image->height);
    return s->texels[4 * ((size_t)image->first_texel + (size_t)y * image->width + x) + 3];
}

/* grey.png with black as the colour that is see-through, which a chunk says behind one whose text
 * is the name of the texels' chunk. Checksums are not looked at. */
static void write_keyed(const char *name)
{
    static const uint8_t chunks[] = "\0\0\0\4tEXtIDAT----\0\0\0\6tRNS\0\0\0\0\0\0----";
    static uint8_t file[20000];
    const size_t start = 33, added = sizeof chunks - 1; /* behind the header */
    FILE *in = fopen(test_path("grey.png"), "rb");
    ck_assert_ptr_nonnull(in);
    ck_assert_uint_eq(fread(file, 1, start, in), start);
    memcpy(file + start, chunks, added);
    const size_t rest = fread(file + start + added, 1, sizeof file - start - added, in);
    fclose(in);
    test_write(test_path(name), file, start + added + rest);
}

/* Two triangles that show a rectangle of the texture. */
static mrw_scene *obj_part(const char *material, double u0, double v0, double u1, double v1)
{
    text[0] = '\0';
    add("newmtl m\n%s\n", material);
    test_write_text(test_path("a.mtl"), text);
    text[0] = '\0';
    add("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt %f %f\nvt %f %f\nvt %f %f\nvt %f %f\n"
        "usemtl m\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n",
        u0, v0, u1, v0, u1, v1, u0, v1);
    return load_both("a.obj", text);
}

static mrw_scene *obj(const char *material)
{
    return obj_part(material, 0, 0, 1, 1);
}

/* ---- alpha of base textures ------------------------------------------------------------------ */

static void check_part(const char *material, double u0, double v0, double u1, double v1,
                       mrw_alpha_mode mode)
{
    mrw_scene *s = obj_part(material, u0, v0, u1, v1);
    check(s, mode, 1);
    check_warnings(s, NULL);
    mrw_scene_free(s);
}

START_TEST(alpha_tells_the_mode)
{
    check_part("map_Kd plain.png", 0, 0, 1, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", 0, 0, 1, 1, MRW_ALPHA_MASK);
    check_part("map_Kd soft.png", 0, 0, 1, 1, MRW_ALPHA_BLEND);
    check_part("map_Kd clear.png", 0, 0, 1, 1, MRW_ALPHA_OPAQUE); /* such an alpha is none */
    write_keyed("keyed.png");
    check_part("map_Kd keyed.png", 0, 0, 1, 1, MRW_ALPHA_MASK);
    mrw_scene *s = obj("map_Kd cut.png");
    ck_assert(material_of(s)->alpha_cutoff == 0.5f);
    mrw_scene_free(s);
}
END_TEST

/* Only what is covered counts: columns 52 ... 99 of the cut-out are opaque, 0 ... 46 of the soft
 * one see-through; within 40 ... 59 a fifth of the cut-out is between. */
START_TEST(alpha_counts_where_it_is_shown)
{
    check_part("map_Kd cut.png", 0.52, 0, 1, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", 0.505, 0, 1, 1, MRW_ALPHA_MASK);
    check_part("map_Kd cut.png", 0.4, 0.2, 0.6, 0.4, MRW_ALPHA_BLEND);
    check_part("map_Kd soft.png", 0, 0, 0.47, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd soft.png", 0.6, 0, 1, 1, MRW_ALPHA_MASK); /* 240 is not opaque */
    /* repeated, and far away */
    check_part("map_Kd cut.png", 3.52, -7, 4, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", -2.48, 0, -2, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", 2.9, 0, 3.1, 1, MRW_ALPHA_MASK);
    /* clamped: the last column, or the first */
    check_part("map_Kd -clamp on cut.png", 5, 0, 9, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd -clamp on cut.png", 0.6, 0, 9, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", 0.6, 0, 9, 1, MRW_ALPHA_MASK);
    /* moved by the map */
    check_part("map_Kd -s 0.5 1 1 -o 0.52 0 0 cut.png", 0, 0, 0.9, 1, MRW_ALPHA_OPAQUE);
    /* a point, a line, and what is no place */
    check_part("map_Kd soft.png", 0.5, 0.5, 0.5, 0.5, MRW_ALPHA_BLEND);
    check_part("map_Kd cut.png", 0.7, 0.1, 0.7, 0.9, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", -1e30, 0, 1e30, 1, MRW_ALPHA_OPAQUE);
    check_part("map_Kd cut.png", 0, 0, 1e6, 1e6, MRW_ALPHA_MASK);
}
END_TEST

/* ---- OBJ ------------------------------------------------------------------------------------- */

START_TEST(obj_numbers)
{
    static const struct {
        const char *material;
        double factor;
    } cases[] = {
        {"d 0.25", 0.25},
        {"Tr 0.25", 0.75},
        {"d 0.25\nTr 0.25", 0.25},
        {"Tr 0.75\nd 0.25", 0.25},
        {"d -halo 0.25", 0.25},
        {"d 1\nTr 1", 1},
        {"Tr 1", 1},
        {"d 0", 0},
        {"d 7", 1},
        {"d -1", 1},
        {"map_Kd cut.png\nd 0.5", 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = obj(cases[i].material);
        check(s, cases[i].factor < 1 ? MRW_ALPHA_BLEND : MRW_ALPHA_OPAQUE, cases[i].factor);
        mrw_scene_free(s);
    }
}
END_TEST

/* The map's grey becomes the alpha of the base texture, or of white where there is none. */
START_TEST(obj_maps)
{
    mrw_scene *s = obj("map_Kd plain.png\nmap_d grey.png");
    check(s, MRW_ALPHA_BLEND, 1);
    check_warnings(s, NULL);
    ck_assert_uint_eq(alpha_at(s, 0, 0), 0);
    ck_assert_uint_eq(alpha_at(s, 50, 99), 60);
    ck_assert_uint_eq(alpha_at(s, 99, 50), 255);
    mrw_scene_free(s);
    s = obj("Kd 0 0 0\nmap_d grey.png");
    check(s, MRW_ALPHA_BLEND, 1);
    ck_assert(material_of(s)->maps[MRW_MAP_BASE_COLOR].factor[0] == 0.0f);
    ck_assert_uint_eq(alpha_at(s, 50, 99), 60);
    mrw_scene_free(s);
    s = obj("map_Kd plain.png\nmap_d cut.png"); /* its alpha, as it has one */
    check(s, MRW_ALPHA_MASK, 1);
    ck_assert_uint_eq(alpha_at(s, 50, 0), 128);
    mrw_scene_free(s);
    s = obj("map_Kd cut.png\nmap_d cut.png\nd 0.5");
    check(s, MRW_ALPHA_BLEND, 0.5);
    ck_assert_uint_eq(alpha_at(s, 50, 0), 128);
    mrw_scene_free(s);
    s = obj("map_Kd plain.png\nmap_d plain.png"); /* it has none */
    check(s, MRW_ALPHA_OPAQUE, 1);
    mrw_scene_free(s);
}
END_TEST

/* A smaller one is read between its texels: 39 and 40 of 100 lie a quarter before and behind the
 * middle between 19 and 20 of 50, 0 and 60. */
START_TEST(maps_of_other_sizes)
{
    mrw_scene *s = obj("map_Kd plain.png\nmap_d half.png");
    check(s, MRW_ALPHA_BLEND, 1);
    check_warnings(
        s, "opacity texture \"half.png\" has 50x50 texels, but its base texture has 100x100");
    ck_assert_uint_eq(alpha_at(s, 38, 5), 0);
    ck_assert_uint_eq(alpha_at(s, 39, 5), 15);
    ck_assert_uint_eq(alpha_at(s, 40, 5), 45);
    ck_assert_uint_eq(alpha_at(s, 41, 5), 60);
    ck_assert_uint_eq(alpha_at(s, 99, 99), 255);
    mrw_scene_free(s);
    s = obj("map_Kd half.png\nmap_d grey.png");
    check_warnings(s, "both are drawn at 100x100");
    ck_assert_uint_eq(alpha_at(s, 50, 99), 60);
    mrw_scene_free(s);
}
END_TEST

START_TEST(missing_maps)
{
    mrw_scene *s = obj("map_Kd plain.png\nmap_d none.png");
    check(s, MRW_ALPHA_OPAQUE, 1);
    check_warnings(s, "none.png");
    mrw_scene_free(s);
    s = obj("map_Kd plain.png\nmap_d damaged.png");
    check(s, MRW_ALPHA_OPAQUE, 1);
    check_warnings(s, "material");
    mrw_scene_free(s);
    s = obj("map_Kd none.png\nmap_d grey.png");
    check(s, MRW_ALPHA_OPAQUE, 1);
    check_warnings(s, "none.png");
    mrw_scene_free(s);
    s = obj("map_Kd plain.png\nmap_d -s 2 2 2 grey.png");
    check_warnings(s, "has different texture coordinates");
    mrw_scene_free(s);
}
END_TEST

/* ---- FBX ------------------------------------------------------------------------------------- */

static mrw_scene *fbx(const char *properties, const char *objects, const char *links)
{
    text[0] = '\0';
    add("; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n"
        " FBXVersion: 7400\n}\nObjects:  {\n Geometry: 1, 'Geometry::T', 'Mesh' {\n"
        "  Vertices: *9 {\n   a: 0,0,0,1,0,0,0,1,0\n  }\n  PolygonVertexIndex: *3 {\n"
        "   a: 0,1,-3\n  }\n  LayerElementUV: 0 {\n   MappingInformationType: 'ByPolygonVertex'\n"
        "   ReferenceInformationType: 'Direct'\n   UV: *6 {\n    a: 0,0,1,0,0,1\n   }\n  }\n"
        "  LayerElementMaterial: 0 {\n   MappingInformationType: 'AllSame'\n"
        "   ReferenceInformationType: 'IndexToDirect'\n   Materials: *1 {\n    a: 0\n   }\n  }\n"
        "  Layer: 0 {\n   LayerElement:  {\n    Type: 'LayerElementMaterial'\n    TypedIndex: 0\n"
        "   }\n   LayerElement:  {\n    Type: 'LayerElementUV'\n    TypedIndex: 0\n   }\n  }\n }\n"
        " Model: 2, 'Model::M', 'Mesh' {\n }\n Material: 3, 'Material::P', '' {\n"
        "  ShadingModel: 'lambert'\n  Properties70:  {\n%s  }\n }\n%s}\nConnections:  {\n"
        " C: 'OO',1,2\n C: 'OO',2,0\n C: 'OO',3,2\n%s}\n",
        properties, objects, links);
    for (char *at = text; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return load_both("a.fbx", text);
}

#define COLOR(r, g, b) "   P: 'TransparentColor', 'Color', '', 'A'," r "," g "," b "\n"
#define FACTOR(f)      "   P: 'TransparencyFactor', 'Number', '', 'A'," f "\n"
#define OPACITY(o)     "   P: 'Opacity', 'double', 'Number', ''," o "\n"

/* As their exporters write them. */
START_TEST(fbx_numbers)
{
    static const struct {
        const char *properties;
        double factor;
    } cases[] = {
        {FACTOR("1") OPACITY("1"), 1}, /* Maya */
        {COLOR("0.75", "0.75", "0.75") FACTOR("1") OPACITY("0.25"), 0.25},
        {COLOR("1", "1", "1") OPACITY("1"), 1}, /* 3ds Max, Blender 2.79 */
        {COLOR("1", "1", "1") FACTOR("0.5") OPACITY("0.5"), 0.5},
        {FACTOR("0.5") OPACITY("0.5"), 0.5},              /* Blender */
        {COLOR("0.5", "0.5", "0.5") FACTOR("0.5"), 0.75}, /* without Opacity */
        {COLOR("0.3", "0.6", "0.9") FACTOR("1"), 0.4},
        {COLOR("1", "1", "1") FACTOR("0"), 1},
        {FACTOR("0.6"), 0.4}, /* alone */
        {FACTOR("1"), 1},
        {FACTOR("0"), 1},
        {FACTOR("-0.5"), 1},
        {FACTOR("7"), 1},
        {COLOR("0", "0", "0") FACTOR("0.6"), 1},
        {"", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = fbx(cases[i].properties, "", "");
        check(s, cases[i].factor < 1 ? MRW_ALPHA_BLEND : MRW_ALPHA_OPAQUE, cases[i].factor);
        mrw_scene_free(s);
    }
}
END_TEST

#define TEXTURE(id, name)                                                                          \
    " Texture: " #id ", 'Texture::" name "', '' {\n  FileName: '" name "'\n"                       \
    "  RelativeFilename: '" name "'\n }\n"

/* A texture stands in the place of the numbers. */
START_TEST(fbx_textures)
{
    static const char *const slots[] = {"TransparentColor", "TransparencyFactor"};
    char links[200];
    for (size_t i = 0; i < 2; i++) {
        snprintf(links, sizeof links, " C: 'OP',10,3, 'DiffuseColor'\n C: 'OP',11,3, '%s'\n",
                 slots[i]);
        mrw_scene *s =
            fbx(FACTOR("1") OPACITY("0"), TEXTURE(10, "plain.png") TEXTURE(11, "grey.png"), links);
        check(s, MRW_ALPHA_BLEND, 1);
        ck_assert_uint_eq(alpha_at(s, 50, 0), 60);
        ck_assert_uint_eq(alpha_at(s, 99, 0), 255);
        mrw_scene_free(s);
        s = fbx(FACTOR("1") OPACITY("0"), TEXTURE(10, "cut.png") TEXTURE(11, "cut.png"), links);
        check(s, MRW_ALPHA_MASK, 1);
        mrw_scene_free(s);
    }
    mrw_scene *s = fbx("", TEXTURE(10, "soft.png"), " C: 'OP',10,3, 'DiffuseColor'\n");
    check(s, MRW_ALPHA_BLEND, 1);
    mrw_scene_free(s);
}
END_TEST

/* ---- Collada --------------------------------------------------------------------------------- */

static mrw_scene *collada(const char *base, const char *opacity)
{
    text[0] = '\0';
    add("<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
        "version='1.4.1'><asset><up_axis>Y_UP</up_axis></asset><library_images><image id='b'>"
        "<init_from>%s</init_from></image><image id='o'><init_from>grey.png</init_from></image>"
        "<image id='c'><init_from>cut.png</init_from></image></library_images>"
        "<library_effects><effect id='e'><profile_COMMON>"
        "<newparam sid='bs'><surface type='2D'><init_from>b</init_from></surface></newparam>"
        "<newparam sid='bp'><sampler2D><source>bs</source></sampler2D></newparam>"
        "<newparam sid='os'><surface type='2D'><init_from>o</init_from></surface></newparam>"
        "<newparam sid='op'><sampler2D><source>os</source></sampler2D></newparam>"
        "<newparam sid='cs'><surface type='2D'><init_from>c</init_from></surface></newparam>"
        "<newparam sid='cp'><sampler2D><source>cs</source></sampler2D></newparam>"
        "<technique sid='t'><lambert><diffuse><texture texture='bp' texcoord='UV'/></diffuse>%s"
        "</lambert></technique></profile_COMMON></effect></library_effects><library_materials>"
        "<material id='m' name='m'><instance_effect url='#e'/></material></library_materials>",
        base, opacity);
    add("<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>"
        "0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source='#pa' count='3' "
        "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' "
        "type='float'/></accessor></technique_common></source><source id='u'><float_array id='ua' "
        "count='6'>0 0 1 0 0 1</float_array><technique_common><accessor source='#ua' count='3' "
        "stride='2'><param name='S' type='float'/><param name='T' type='float'/></accessor>"
        "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/>"
        "</vertices><triangles count='1' material='s'><input semantic='VERTEX' source='#v' "
        "offset='0'/><input semantic='TEXCOORD' source='#u' offset='1' set='0'/><p>0 0 1 1 2 2</p>"
        "</triangles></mesh></geometry></library_geometries>");
    add("<library_visual_scenes><visual_scene id='w'><node id='n'><instance_geometry url='#g'>"
        "<bind_material><technique_common><instance_material symbol='s' target='#m'>"
        "<bind_vertex_input semantic='UV' input_semantic='TEXCOORD' input_set='0'/>"
        "</instance_material></technique_common></bind_material></instance_geometry></node>"
        "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/></scene>"
        "</COLLADA>");
    return load_both("a.dae", text);
}

#define TRANSPARENCY(t) "<transparency><float>" t "</float></transparency>"

START_TEST(collada_colors)
{
    static const struct {
        const char *opacity;
        double factor;
    } cases[] = {
        {"", 1},
        {"<transparent><color>1 1 1 0.5</color></transparent>", 0.5},
        {"<transparent opaque='A_ONE'><color>0 0 0 0.5</color></transparent>" TRANSPARENCY("0.5"),
         0.25},
        {"<transparent opaque='A_ZERO'><color>0 0 0 0.5</color></transparent>" TRANSPARENCY("0.5"),
         0.75},
        {"<transparent opaque='RGB_ONE'><color>0.5 0.5 0.5 1</color></transparent>" TRANSPARENCY(
             "0.5"),
         0.25},
        {TRANSPARENCY("0.5") "<transparent opaque='RGB_ZERO'><color>0.5 0.5 0.5 1</color>"
                             "</transparent>",
         0.75},
        {"<transparent opaque='RGB_ZERO'><color>1 0 0 1</color></transparent>", 1 - 0.212671},
        {"<transparent opaque='RGB_ZERO'><color>0 0 0 1</color></transparent>" TRANSPARENCY("1"),
         1},
        {"<transparent opaque='RGB_ZERO'><color>1 1 1 1</color></transparent>", 0},
        {"<transparent><color>1 1 1 1</color></transparent>" TRANSPARENCY("0"), 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = collada("plain.png", cases[i].opacity);
        check(s, cases[i].factor < 1 ? MRW_ALPHA_BLEND : MRW_ALPHA_OPAQUE, cases[i].factor);
        mrw_scene_free(s);
    }
}
END_TEST

#define TEXTURED(mode, sampler)                                                                    \
    "<transparent opaque='" mode "'><texture texture='" sampler "' texcoord='UV'/></transparent>"

/* At texels where the grey is 60, or the alpha 128, of 255. */
START_TEST(collada_textures)
{
    static const struct {
        const char *opacity;
        double factor;
        uint8_t alpha, edge; /* in the middle, at the right */
    } cases[] = {
        {TEXTURED("A_ONE", "cp"), 1, 128, 255},
        {TEXTURED("A_ONE", "op"), 1, 60, 255}, /* without alpha, its luminance */
        {TEXTURED("A_ONE", "cp") TRANSPARENCY("0.5"), 0.5, 128, 255},
        {TEXTURED("A_ONE", "cp") TRANSPARENCY("0"), 1, 128, 255}, /* as of a colour */
        {TEXTURED("A_ZERO", "cp") TRANSPARENCY("1"), 1, 127, 0},
        {TRANSPARENCY("0.5") TEXTURED("A_ZERO", "cp"), 1, 191, 127},
        {TEXTURED("RGB_ONE", "op"), 1, 60, 255},
        {TEXTURED("RGB_ONE", "op") TRANSPARENCY(" 0.25 "), 0.25, 60, 255},
        {TEXTURED("RGB_ZERO", "op"), 1, 195, 0},
        {TEXTURED("RGB_ZERO", "op") TRANSPARENCY("0"), 1, 255, 255},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = collada("plain.png", cases[i].opacity);
        ck_assert_msg(alpha_at(s, 50, 0) == cases[i].alpha, "%zu: %u", i, alpha_at(s, 50, 0));
        ck_assert_msg(alpha_at(s, 99, 0) == cases[i].edge, "%zu: %u", i, alpha_at(s, 99, 0));
        const float factor = material_of(s)->maps[MRW_MAP_BASE_COLOR].factor[3];
        ck_assert_msg(fabs((double)factor - cases[i].factor) < 1e-3, "%zu: %g", i, (double)factor);
        mrw_scene_free(s);
    }
    mrw_scene *s = collada("cut.png", TEXTURED("A_ONE", "bp"));
    check(s, MRW_ALPHA_MASK, 1);
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("opacity");
    TCase *tc = tcase_create("opacity");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, alpha_tells_the_mode);
    tcase_add_test(tc, alpha_counts_where_it_is_shown);
    tcase_add_test(tc, obj_numbers);
    tcase_add_test(tc, obj_maps);
    tcase_add_test(tc, maps_of_other_sizes);
    tcase_add_test(tc, missing_maps);
    tcase_add_test(tc, fbx_numbers);
    tcase_add_test(tc, fbx_textures);
    tcase_add_test(tc, collada_colors);
    tcase_add_test(tc, collada_textures);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
