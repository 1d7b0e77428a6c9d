/* test_animated_materials.c: KHR_animation_pointer for materials. Values are worked out by hand;
 * pictures are compared with those of files that have the values of one time. */
#include "load_gltf.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "marrow/anim.h"
#include "marrow/clips.h"
#include "marrow/codecs.h"
#include "marrow/frame.h"

#include <float.h>

#define CHANNEL(sampler, pointer)                                                                  \
    "{'sampler':" #sampler                                                                         \
    ",'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'" pointer       \
    "'}}}}"
#define PBR(sampler, name) CHANNEL(sampler, "/materials/0/pbrMetallicRoughness/" name)
#define CUTOFF(sampler)    CHANNEL(sampler, "/materials/0/alphaCutoff")
#define BASE_TEXTURE                                                                               \
    "'baseColorTexture':{'index':0,'extensions':{'KHR_texture_transform':{'offset':[0.125,0],"     \
    "'rotation':0.5,'scale':[2,0.5]}}}"

/* A picture of 4 x 2 texels, each of its own colour; returns its size. */
static size_t put_png(size_t *offset)
{
    uint8_t pixels[4 * 2 * 4];
    for (int i = 0; i < 8; i++) {
        pixels[4 * i] = (uint8_t)(30 + 28 * i);
        pixels[4 * i + 1] = (uint8_t)(250 - 30 * i);
        pixels[4 * i + 2] = (uint8_t)(i % 2 * 200);
        pixels[4 * i + 3] = (uint8_t)(255 - 20 * i);
    }
    const mrw_image image = {4, 2, 4, MRW_FORMAT_U8, pixels, NULL};
    mrw_bytes png;
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    *offset = put_bytes(png.data, png.size);
    const size_t size = png.size;
    mrw_bytes_free(&png);
    return size;
}

/* A square with one material, and samplers whose times are 0, 1 and 3 s:
 * 0 pairs, 1 numbers, 2 colours with alpha, 3 colours, 4 cubic numbers, 5 numbers as steps, 6 bytes
 * that stand for 0 ... 1. */
static const char *square(const char *materials, const char *channels)
{
    size_t png;
    reset();
    PUT(float, 0, 1, 3);                                          /* 0 */
    PUT(float, 0, 0, 0.5f, 1, 1.5f, 3);                           /* 12: pairs */
    PUT(float, 0.25f, 0.75f, 0.25f);                              /* 36: numbers */
    PUT(float, 0, 0, 0, 1, 1, 0.5f, 0.25f, 0.5f, 0, 1, 0.25f, 0); /* 48: RGBA */
    PUT(float, 0, 0, 1, 1, 0.5f, 0, 0, 0, 0);                     /* 96: RGB */
    PUT(float, 0, 0.5f, 0.5f, -1, 1, -4, 0, 0, 0);                /* 132: cubic */
    PUT(uint8_t, 0, 255, 51, 0);                                  /* 168 */
    PUT(float, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0);           /* 172 */
    PUT(float, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);               /* 220 */
    PUT(float, 0, 1, 1, 1, 1, 0, 0, 0);                           /* 268 */
    PUT(uint16_t, 0, 1, 2, 0, 2, 3);                              /* 300 */
    const size_t size = put_png(&png);
    /* clang-format off */
    return gltf(
        ",{'buffer':0,'byteOffset':%zu,'byteLength':%zu}],"
        "'accessors':[" A(0, 5126, 3, SCALAR) "," A(12, 5126, 3, VEC2) ","
        A(36, 5126, 3, SCALAR) "," A(48, 5126, 3, VEC4) "," A(96, 5126, 3, VEC3) ","
        A(132, 5126, 9, SCALAR) ",{'bufferView':0,'byteOffset':168,'componentType':5121,"
        "'normalized':true,'count':3,'type':'SCALAR'}," A(172, 5126, 4, VEC3) ","
        A(220, 5126, 4, VEC3) "," A(268, 5126, 4, VEC2) "," A(300, 5123, 6, SCALAR) "],"
        "'images':[{'bufferView':1,'mimeType':'image/png'}],'textures':[{'source':0}],"
        "'materials':[%s],'meshes':[{'primitives':[{'attributes':{'POSITION':7,'NORMAL':8,"
        "'TEXCOORD_0':9},'indices':10,'material':0}]}],'nodes':[{'name':'square','mesh':0}],"
        "'scenes':[{'nodes':[0]}],'animations':[{'name':'change','samplers':["
        "{'input':0,'output':1},{'input':0,'output':2},{'input':0,'output':3},"
        "{'input':0,'output':4},{'input':0,'output':5,'interpolation':'CUBICSPLINE'},"
        "{'input':0,'output':2,'interpolation':'STEP'},{'input':0,'output':6}],"
        "'channels':[%s]}]",
        png, size, materials, channels);
    /* clang-format on */
}

/* The first material at a time of clip 0. */
static mrw_material material_at(const mrw_scene *scene, double time)
{
    mrw_material materials[8];
    ck_assert_uint_le(scene->materials_count, 8);
    memcpy(materials, scene->materials, scene->materials_count * sizeof *materials);
    mrw_sample_materials(&(mrw_material_job){scene, 0, time, materials});
    return materials[0];
}

static void check_numbers(const float *got, int count, const double *want)
{
    check_floats(got, want, count, 1e-6);
}
#define NUMBERS(got, ...)                                                                          \
    check_numbers(got, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

/* ---- values ---------------------------------------------------------------------------------- */

START_TEST(factors_change)
{
    mrw_scene *s =
        load(square("{'alphaMode':'MASK','pbrMetallicRoughness':{'metallicFactor':0.125}}",
                    PBR(2, "baseColorFactor") "," PBR(1, "roughnessFactor") "," CUTOFF(5)));
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->channels_count, 0);
    ck_assert_uint_eq(s->material_channels_count, 3);
    ck_assert_double_eq(s->clips[0].duration, 3);
    mrw_material m = material_at(s, 0.5);
    NUMBERS(m.maps[MRW_MAP_BASE_COLOR].factor, 0.5, 0.25, 0.125, 0.75);
    NUMBERS(m.maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 0.5, 0.125);
    NUMBERS(&m.alpha_cutoff, 0.25);
    m = material_at(s, 2);
    NUMBERS(m.maps[MRW_MAP_BASE_COLOR].factor, 0.5, 0.75, 0.25, 0.25);
    NUMBERS(m.maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 0.5, 0.125);
    NUMBERS(&m.alpha_cutoff, 0.75);
    /* at keys and outside of them */
    m = material_at(s, 3);
    NUMBERS(m.maps[MRW_MAP_BASE_COLOR].factor, 0, 1, 0.25, 0);
    mrw_material later = material_at(s, 1000), first = material_at(s, 0),
                 before = material_at(s, -5);
    ck_assert_mem_eq(&m, &later, sizeof m);
    ck_assert_mem_eq(&first, &before, sizeof m);
    mrw_scene_free(s);
}
END_TEST

/* Cubic (appendix C.5): the middle of two keys d seconds apart is half of both values, plus d / 8
 * of the first one's out-tangent, less d / 8 of the second one's in-tangent. */
START_TEST(curves_are_cubic_and_clamped)
{
    mrw_scene *s = load(square("{}", PBR(4, "metallicFactor")));
    ck_assert_uint_eq(s->material_channels[0].interpolation, MRW_INTERPOLATION_CUBICSPLINE);
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 1,
            0.5 / 2 + 1.0 / 2 + 0.5 / 8 + 1.0 / 8);
    NUMBERS(material_at(s, 1).maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 1, 1);
    /* 1 / 2 - 2 * 4 / 8 is below 0 */
    NUMBERS(material_at(s, 2).maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 1, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(bytes_are_fractions)
{
    mrw_scene *s = load(square("{}", PBR(6, "metallicFactor")));
    NUMBERS(material_at(s, 1).maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 1, 1);
    NUMBERS(material_at(s, 3).maps[MRW_MAP_METALLIC_ROUGHNESS].factor + 1, 1, 0.2);
    mrw_scene_free(s);
}
END_TEST

/* The emissive factor is the product of colour and strength, whichever of them is animated. */
START_TEST(emission_is_colour_times_strength)
{
    static const char material[] =
        "{'emissiveFactor':[1,0.5,0.25],"
        "'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':4}}}";
#define COLOR CHANNEL(3, "/materials/0/emissiveFactor")
#define STRENGTH                                                                                   \
    CHANNEL(1, "/materials/0/extensions/KHR_materials_emissive_strength/"                          \
               "emissiveStrength")
    mrw_scene *s = load(square(material, COLOR));
    ck_assert_uint_eq(s->material_channels_count, 2);
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_EMISSIVE].factor, 2, 1, 2);
    mrw_scene_free(s);
    s = load(square(material, STRENGTH));
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_EMISSIVE].factor, 0.5, 0.25, 0.125);
    mrw_scene_free(s);
    s = load(square(material, STRENGTH "," COLOR));
    ck_assert_uint_eq(s->material_channels_count, 2);
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_EMISSIVE].factor, 0.25, 0.125, 0.25);
    mrw_scene_free(s);
    s = load(square("{}", STRENGTH));
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_EMISSIVE].factor, 0, 0, 0);
    mrw_scene_free(s);
}
END_TEST

/* u' = cos sx u + sin sy v + ox, v' = -sin sx u + cos sy v + oy. Parts that are not animated are
 * the file's. */
static void check_transform(const mrw_scene *s, double time, const double offset[2],
                            double rotation, const double scale[2])
{
    const mrw_material m = material_at(s, time);
    const double c = cos(rotation), i = sin(rotation);
    NUMBERS(m.maps[MRW_MAP_BASE_COLOR].uv_transform, c * scale[0], i * scale[1], offset[0],
            -i * scale[0], c * scale[1], offset[1]);
}

START_TEST(texture_transforms_change_in_part)
{
#define TRANSFORM(sampler, part)                                                                   \
    CHANNEL(sampler, "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/"              \
                     "KHR_texture_transform/" part)
    static const char material[] = "{'pbrMetallicRoughness':{" BASE_TEXTURE "}}";
    const double offset[] = {0.125, 0}, scale[] = {2, 0.5}, at[] = {0.25, 0.5};
    mrw_scene *s = load(square(material, TRANSFORM(0, "offset")));
    check_transform(s, 0.5, at, 0.5, scale);
    ck_assert_uint_eq(s->material_channels_count, 3);
    mrw_scene_free(s);
    s = load(square(material, TRANSFORM(1, "rotation")));
    check_transform(s, 1, offset, 0.75, scale);
    mrw_scene_free(s);
    s = load(square(material, TRANSFORM(0, "scale")));
    check_transform(s, 0.5, offset, 0.5, at);
    mrw_scene_free(s);
    s = load(square(material,
                    TRANSFORM(0, "scale") "," TRANSFORM(1, "rotation") "," TRANSFORM(0, "offset")));
    check_transform(s, 0.5, at, 0.5, at);
    ck_assert_uint_eq(s->material_channels_count, 3);
    mrw_scene_free(s);
    /* a map without a texture has nothing to move */
    s = load(square("{'pbrMetallicRoughness':{}}", TRANSFORM(0, "offset")));
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_BASE_COLOR].uv_transform, 1, 0, 0, 0, 1, 0);
    mrw_scene_free(s);
}
END_TEST

/* The maps of extensions, too. */
START_TEST(maps_of_extensions_move)
{
    mrw_scene *s = load(square(
        "{'normalTexture':{'index':0},'extensions':{'KHR_materials_clearcoat':{"
        "'clearcoatTexture':{'index':0}}}}",
        CHANNEL(0,
                "/materials/0/extensions/KHR_materials_clearcoat/clearcoatTexture/extensions/"
                "KHR_texture_transform/offset") "," CHANNEL(0,
                                                            "/materials/0/normalTexture/extensions/"
                                                            "KHR_texture_transform/offset")));
    const mrw_material m = material_at(s, 0.5);
    NUMBERS(m.maps[MRW_MAP_CLEARCOAT].uv_transform, 1, 0, 0.25, 0, 1, 0.5);
    NUMBERS(m.maps[MRW_MAP_NORMAL].uv_transform, 1, 0, 0.25, 0, 1, 0.5);
    NUMBERS(m.maps[MRW_MAP_BASE_COLOR].uv_transform, 1, 0, 0, 0, 1, 0);
    mrw_scene_free(s);
}
END_TEST

/* ---- what stays apart ------------------------------------------------------------------------ */

/* Equal materials are one, but not those that change. */
START_TEST(animated_materials_keep_their_place)
{
    mrw_scene *s = load(square("{'name':'a'},{'name':'a'},{'name':'a'},{'name':'a'}",
                               CHANNEL(1, "/materials/2/pbrMetallicRoughness/roughnessFactor")));
    ck_assert_uint_eq(s->materials_count, 2);
    ck_assert_uint_eq(s->material_channels[0].material, 1);
    ck_assert_uint_eq(s->meshes[0].material, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(pointers_to_nowhere_are_named)
{
    /* clang-format off */
    static const char channels[] =
        CHANNEL(1, "/materials/1/alphaCutoff") ","
        CHANNEL(1, "/materials/99999999999999999999/alphaCutoff") ","
        CHANNEL(1, "/materials/0/extensions/KHR_materials_ior/ior") ","
        CHANNEL(1, "/materials/0/normalTexture/scale") ","
        CHANNEL(1, "/materials/") ","
        CUTOFF(1);
    /* clang-format on */
    mrw_scene *s = load(square("{}", channels));
    ck_assert_uint_eq(s->material_channels_count, 1);
    ck_assert(
        has_warning(s, "\"/materials/N/alphaCutoff\" is not a property that marrow animates"));
    ck_assert(has_warning(s, "\"/materials/N/extensions/KHR_materials_ior/ior\""));
    ck_assert(has_warning(s, "\"/materials/N/normalTexture/scale\""));
    mrw_scene_free(s);
    /* specular-glossiness materials do not read pbrMetallicRoughness */
    s = load(square("{'extensions':{'KHR_materials_pbrSpecularGlossiness':{}}}",
                    PBR(2, "baseColorFactor")));
    ck_assert_uint_eq(s->material_channels_count, 0);
    ck_assert(has_warning(s, "\"/materials/N/pbrMetallicRoughness/baseColorFactor\""));
    mrw_scene_free(s);
}
END_TEST

START_TEST(bad_channels_are_refused_or_told)
{
    ck_assert_ptr_null(try_load(square("{}", PBR(0, "roughnessFactor"))));
    ck_assert_msg(strstr(error.text, "animation 0: channel 0: its output, accessor 1, has 3 "
                                     "elements of 2 numbers; its keys need 3 of 1"),
                  "%s", error.text);
    mrw_scene *s = load(square("{'name':'skin'}", CUTOFF(1) "," CUTOFF(5)));
    ck_assert_uint_eq(s->material_channels_count, 1);
    ck_assert_uint_eq(s->material_channels[0].interpolation, MRW_INTERPOLATION_LINEAR);
    ck_assert(has_warning(s, "clip 0 \"change\": alpha cutoff of material 0 \"skin\": a second "
                             "channel for it is ignored"));
    mrw_scene_free(s);
}
END_TEST

/* Glass that is opaque in glTF has an alpha that stands for its transmission: 1 - 0.5 * white. */
START_TEST(glass_stays_clear)
{
    mrw_scene *s =
        load(square("{'pbrMetallicRoughness':{'metallicFactor':0},"
                    "'extensions':{'KHR_materials_transmission':{'transmissionFactor':0.5}}}",
                    PBR(2, "baseColorFactor")));
    ck_assert_uint_eq(s->materials[0].alpha_mode, MRW_ALPHA_BLEND);
    NUMBERS(material_at(s, 0.5).maps[MRW_MAP_BASE_COLOR].factor, 0.5, 0.25, 0.125, 0.5);
    mrw_scene_free(s);
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
    mrw_frame_def def;
} stage;

static stage open_stage(mrw_scene *scene)
{
    stage s = {.scene = scene, .def = mrw_frame_def_default()};
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &s.model, NULL), MRW_OK);
    s.instance = mrw_instance_default(s.model);
    s.def.width = s.def.height = 48;
    ck_assert_int_eq(mrw_frame_extents(&s.instance, 1, MRW_FIT_CLIP, &view, 1.0f, MRW_ISA_AUTO, 1,
                                       &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &s.def.camera, NULL), MRW_OK);
    return s;
}

static void close_stage(stage *s)
{
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static mrw_image draw(stage *s, double time)
{
    mrw_renderer *renderer;
    mrw_image image = {0};
    s->instance.time = time;
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render(renderer, &s->def, &s->instance, 1, 1, &image, NULL), MRW_OK);
    mrw_renderer_free(renderer);
    return image;
}

static bool same_picture(stage *a, double time_a, stage *b, double time_b)
{
    mrw_image one = draw(a, time_a), other = draw(b, time_b);
    const bool same =
        memcmp(one.pixels, other.pixels, (size_t)one.width * one.height * one.channels) == 0;
    mrw_image_free(&one);
    mrw_image_free(&other);
    return same;
}

/* What is filed, what is animated, and the same material with the values of 0.5 s in the file. */
static const struct {
    const char *filed, *channels, *still;
} looks[] = {
/* clang-format off */
#define METAL   "'pbrMetallicRoughness':{"
#define MOVED   "'extensions':{'KHR_texture_transform':{'offset':[0.25,0.5]"
#define GLOWING "{" METAL BASE_TEXTURE ",'metallicRoughnessTexture':{'index':0}}," \
                "'emissiveFactor':[1,1,1],'emissiveTexture':{'index':0"
    {"{" METAL BASE_TEXTURE "}}",
     PBR(2, "baseColorFactor"),
     "{" METAL "'baseColorFactor':[0.5,0.25,0.125,0.75]," BASE_TEXTURE "}}"},
    {"{'alphaMode':'BLEND'," METAL BASE_TEXTURE "}}",
     PBR(2, "baseColorFactor"),
     "{'alphaMode':'BLEND'," METAL "'baseColorFactor':[0.5,0.25,0.125,0.75]," BASE_TEXTURE "}}"},
    {"{'alphaMode':'MASK'," METAL BASE_TEXTURE "}}",
     CUTOFF(6),
     "{'alphaMode':'MASK','alphaCutoff':0.5," METAL BASE_TEXTURE "}}"},
    {"{" METAL BASE_TEXTURE "},'emissiveTexture':{'index':0}}",
     CHANNEL(3, "/materials/0/emissiveFactor"),
     "{" METAL BASE_TEXTURE "},'emissiveTexture':{'index':0},'emissiveFactor':[0.5,0.25,0.5]}"},
    {"{" METAL BASE_TEXTURE "}}",
     TRANSFORM(0, "offset") "," TRANSFORM(1, "rotation") "," TRANSFORM(0, "scale"),
     "{" METAL "'baseColorTexture':{'index':0," MOVED ",'rotation':0.5,'scale':[0.25,0.5]}}}}}"},
    /* the maps no longer lie alike: the emissive one moves, or the base colour's */
    {GLOWING "}}", TRANSFORM(0, "offset"),
     "{" METAL "'baseColorTexture':{'index':0," MOVED ",'rotation':0.5,'scale':[2,0.5]}}},"
     "'metallicRoughnessTexture':{'index':0}},'emissiveFactor':[1,1,1],"
     "'emissiveTexture':{'index':0}}"},
    {GLOWING "}}",
     CHANNEL(0, "/materials/0/emissiveTexture/extensions/KHR_texture_transform/offset"),
     GLOWING "," MOVED "}}}}"},
    /* clang-format on */
};

START_TEST(pictures_are_those_of_the_values)
{
    stage moving = open_stage(load(square(looks[_i].filed, looks[_i].channels)));
    stage still = open_stage(load(square(looks[_i].still, "")));
    ck_assert_uint_eq(moving.scene->warnings_count, 0);
    ck_assert(same_picture(&moving, 0.5, &still, 0.5));
    ck_assert(!same_picture(&moving, 0.5, &moving, 1));
    ck_assert(same_picture(&moving, 0.5, &moving, 0.5));
    /* without a clip the file's own values count */
    stage plain = open_stage(load(square(looks[_i].filed, "")));
    moving.instance.pose = MRW_POSE_REST;
    ck_assert(same_picture(&moving, 0.5, &plain, 0));
    close_stage(&moving);
    close_stage(&still);
    close_stage(&plain);
}
END_TEST

typedef struct seen {
    uint32_t same_as[4];
} seen;

static mrw_status note_frame(void *user, const mrw_sequence_frame *frame, mrw_error *e)
{
    (void)e;
    ((seen *)user)->same_as[frame->index] = frame->same_as;
    return MRW_OK;
}

/* Frames in which materials alone change are not the same. */
START_TEST(sequences_draw_each_look)
{
    stage s = open_stage(load(square(looks[0].filed, looks[0].channels)));
    const double times[4] = {0, 0.5, 3, 5};
    seen found;
    ck_assert_int_eq(
        mrw_render_sequence(&s.def, &s.instance, 1, times, 4, 1, note_frame, &found, NULL), MRW_OK);
    ck_assert_uint_eq(found.same_as[1], 1);
    ck_assert_uint_eq(found.same_as[2], 2);
    ck_assert_uint_eq(found.same_as[3], 2);
    close_stage(&s);
}
END_TEST

/* In a mix the heaviest BLEND track decides, then other tracks of at least half weight. */
START_TEST(mixes_take_one_look)
{
    stage s = open_stage(load(square(looks[0].filed, looks[0].channels)));
    stage plain = open_stage(load(square(looks[0].filed, "")));
    mrw_track tracks[2] = {
        {.clip = 0, .mode = MRW_TRACK_BLEND, .weight = 0.6f, .node = MRW_NONE},
        {.clip = 0, .mode = MRW_TRACK_OVERRIDE, .weight = 0.25f, .node = MRW_NONE}};
    mrw_mix mix = {.tracks = tracks, .track_count = 2};
    stage mixed = s;
    mixed.instance.mix = &mix;
    ck_assert(same_picture(&mixed, 0.5, &s, 0.5));
    tracks[0].weight = 0.0f;
    ck_assert(same_picture(&mixed, 0.5, &plain, 0));
    tracks[0].weight = 0.6f;
    tracks[0].mode = MRW_TRACK_OVERRIDE;
    ck_assert(same_picture(&mixed, 0.5, &s, 0.5));
    tracks[0].weight = 0.4f;
    ck_assert(same_picture(&mixed, 0.5, &plain, 0));
    close_stage(&s);
    close_stage(&plain);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

static void add(mrwi_base_sha256 *hash, uint32_t number, const void *value, uint32_t size)
{
    const uint32_t head[3] = {number, size, 0};
    mrwi_base_sha256_add(hash, head, sizeof head);
    mrwi_base_sha256_add(hash, value, size);
}

static void begin(mrwi_base_sha256 *hash, const char *kind)
{
    mrwi_base_sha256_begin(hash);
    mrwi_base_sha256_add(hash, "marrow ", 7);
    mrwi_base_sha256_add(hash, kind, strlen(kind));
    mrwi_base_sha256_add(hash, "\n", 1);
}

/* The hash of a clip by marrow/scene.h, written a second time. */
START_TEST(hashes_hold_the_channels)
{
    mrw_scene *s = load(square("{}", PBR(1, "roughnessFactor")));
    const uint32_t material = 0, map = MRW_MAP_METALLIC_ROUGHNESS, property = 1, linear = 1;
    const double times[] = {0, 1, 3}, duration = 3;
    const float values[] = {0.25f, 0.75f, 0.25f};
    uint8_t channel[32], want[32], got[32];
    mrwi_base_sha256 hash;
    begin(&hash, "material channel");
    add(&hash, 1, &material, 4);
    add(&hash, 2, &map, 4);
    add(&hash, 3, &property, 4);
    add(&hash, 4, &linear, 4);
    add(&hash, 5, times, sizeof times);
    add(&hash, 6, values, sizeof values);
    mrwi_base_sha256_end(&hash, channel);
    begin(&hash, "clip");
    add(&hash, 1, "change", 6);
    add(&hash, 2, "change", 6);
    add(&hash, 4, &duration, 8);
    add(&hash, 6, channel, 32);
    mrwi_base_sha256_end(&hash, want);
    mrw_scene_part_hash(s, MRW_PART_CLIPS, 0, got);
    ck_assert_mem_eq(got, want, 32);
    mrw_scene_free(s);
}
END_TEST

static mrw_scene *recompile(mrw_bytes *file)
{
    mrw_scene *scene = NULL;
    ck_assert_int_eq(
        mrw_load_memory(file->data, file->size, "t.marrow", NULL, NULL, &scene, &error), MRW_OK);
    return scene;
}

START_TEST(compiled_files_hold_the_channels)
{
    mrw_scene *s = load(square(looks[4].filed, looks[4].channels));
    mrw_bytes file;
    ck_assert_int_eq(mrw_scene_compile(s, &file, NULL), MRW_OK);
    mrw_scene *again = recompile(&file);
    ck_assert_uint_eq(again->material_channels_count, 3);
    ck_assert_mem_eq(mrw_scene_hash(s), mrw_scene_hash(again), 32);
    stage a = open_stage(s), b = open_stage(again);
    ck_assert(same_picture(&a, 0.5, &b, 0.5));
    close_stage(&a);
    close_stage(&b);
    mrw_bytes_free(&file);
}
END_TEST

/* Any changed bit of the channels is refused or leaves a scene that can be drawn. */
START_TEST(damaged_channels_are_refused)
{
    mrw_scene *s = load(square(looks[4].filed, looks[4].channels));
    const size_t first = (size_t)((const char *)s->material_channels - (const char *)s->blob);
    const size_t size = s->material_channels_count * sizeof *s->material_channels;
    mrw_bytes file;
    uint32_t refused = 0;
    ck_assert_int_eq(mrw_scene_compile(s, &file, NULL), MRW_OK);
    /* the section lies last, so it ends as far from the end */
    const size_t at = file.size - (size_t)(s->blob_size - first);
    ck_assert_mem_eq(file.data + at, s->material_channels, size);
    for (size_t i = 0; i < size * 8; i++) {
        file.data[at + i / 8] ^= (uint8_t)(1u << (i % 8));
        mrwi_base_sha256 hash;
        mrwi_base_sha256_begin(&hash);
        mrwi_base_sha256_add(&hash, file.data + 64, file.size - 64);
        mrwi_base_sha256_end(&hash, file.data + 24);
        mrw_scene *broken = NULL;
        if (mrw_load_memory(file.data, file.size, "t.marrow", NULL, NULL, &broken, &error) ==
            MRW_OK) {
            (void)material_at(broken, 0.5);
        } else {
            refused++;
        }
        mrw_scene_free(broken);
        file.data[at + i / 8] ^= (uint8_t)(1u << (i % 8));
    }
    ck_assert_uint_gt(refused, size * 7);
    mrw_bytes_free(&file);
    mrw_scene_free(s);
}
END_TEST

/* Materials belong to the model. */
START_TEST(clips_of_other_files_leave_materials_alone)
{
    mrw_scene *s = load(square(looks[0].filed, looks[0].channels));
    mrw_scene *other =
        load(square("{}", CUTOFF(1) ","
                                    "{'sampler':3,'target':{'node':0,'path':'translation'}}"));
    mrw_clip_source source = {.scene = other, .name = "other.gltf"};
    mrw_scene *sum = NULL;
    ck_assert_msg(mrw_scene_add_clips(s, &source, 1, &sum, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(sum->clips_count, 2);
    ck_assert_uint_eq(sum->material_channels_count, 1);
    ck_assert_uint_eq(sum->material_channels[0].clip, 0);
    ck_assert_uint_eq(source.match.materials_left_out, 1);
    uint32_t first;
    ck_assert_uint_eq(mrw_scene_material_channels(sum, 0, &first), 1);
    ck_assert_uint_eq(mrw_scene_material_channels(sum, 1, &first), 0);
    mrw_scene_free(sum);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

START_TEST(failed_allocations_are_reported)
{
    char *file = strdup(square(looks[4].filed, looks[4].channels));
    for (uint64_t n = 1;; n++) {
        mrw_scene *scene = NULL;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status =
            mrw_load_memory(file, strlen(file), "t.gltf", NULL, NULL, &scene, &error);
        const bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, scene ? MRW_OK : MRW_ERROR_MEMORY);
        mrw_scene_free(scene);
        if (pending) {
            ck_assert_uint_gt(n, 20);
            break;
        }
    }
    stage s = open_stage(load(file));
    mrw_renderer *renderer;
    s.instance.time = 0.5;
    for (uint64_t n = 1;; n++) {
        mrw_image image = {0};
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_render(renderer, &s.def, &s.instance, 1, 1, &image, &error);
        const bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        /* without cursors keys are searched for */
        ck_assert(status == MRW_OK || (!pending && status == MRW_ERROR_MEMORY));
        mrw_image_free(&image);
        mrw_renderer_free(renderer);
        if (pending) {
            break;
        }
    }
    close_stage(&s);
    free(file);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("animated_materials");
    TCase *tc = tcase_create("values");
    tcase_add_test(tc, factors_change);
    tcase_add_test(tc, curves_are_cubic_and_clamped);
    tcase_add_test(tc, bytes_are_fractions);
    tcase_add_test(tc, emission_is_colour_times_strength);
    tcase_add_test(tc, texture_transforms_change_in_part);
    tcase_add_test(tc, maps_of_extensions_move);
    suite_add_tcase(s, tc);
    tc = tcase_create("apart");
    tcase_add_test(tc, animated_materials_keep_their_place);
    tcase_add_test(tc, pointers_to_nowhere_are_named);
    tcase_add_test(tc, bad_channels_are_refused_or_told);
    tcase_add_test(tc, glass_stays_clear);
    suite_add_tcase(s, tc);
    tc = tcase_create("pictures");
    tcase_add_loop_test(tc, pictures_are_those_of_the_values, 0,
                        (int)(sizeof looks / sizeof *looks));
    tcase_add_test(tc, sequences_draw_each_look);
    tcase_add_test(tc, mixes_take_one_look);
    suite_add_tcase(s, tc);
    tc = tcase_create("files");
    tcase_add_test(tc, hashes_hold_the_channels);
    tcase_add_test(tc, compiled_files_hold_the_channels);
    tcase_add_test(tc, damaged_channels_are_refused);
    tcase_add_test(tc, clips_of_other_files_leave_materials_alone);
    tcase_add_test(tc, failed_allocations_are_reported);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
