/* material.c: reads materials: maps, colours, highlights or metal, two-sided. */
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "import/dae.h"
#include "import/images.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A material of the file. */
typedef struct material {
    const struct aiMaterial *from;
    const char *name;
    bool drawn;     /* true if some triangles have it */
    bool one_set;   /* true if no mesh with it has more than one set of texture coordinates */
    char where[40]; /* the element for warnings */
} material;

/* ---- textures -------------------------------------------------------------------------------- */

/* Returns the options of a map in an OBJ file; NULL for other formats. */
static const mrwi_import_mtl_map *find_obj_map(const mrwi_import_source *source, const material *m,
                                               unsigned kind)
{
    return mrwi_import_mtl_find(&source->extras.mtl, m->name, kind);
}

static int read_int(const struct aiMaterial *m, const char *key, unsigned type, int fallback)
{
    int value = fallback;
    unsigned count = 1;
    bool good = aiGetMaterialIntegerArray(m, key, type, 0, &value, &count) == aiReturn_SUCCESS;
    return good && count == 1 ? value : fallback;
}

static uint32_t read_wrap(const struct aiMaterial *m, const char *key, unsigned type)
{
    switch (read_int(m, key, type, aiTextureMapMode_Wrap)) {
    case aiTextureMapMode_Clamp:
    case aiTextureMapMode_Decal:
        return MRW_WRAP_CLAMP;
    case aiTextureMapMode_Mirror:
        return MRW_WRAP_MIRROR;
    default:
        return MRW_WRAP_REPEAT;
    }
}

/* Finds translation, scale and rotation. -o and -s of OBJ files move coordinates, not the picture,
 * as its readers and writers (three.js, Blender) have it. */
static bool find_uv_transform(const mrwi_import_mtl_map *obj, const struct aiMaterial *m,
                              unsigned type, float out[5])
{
    unsigned count = 5;
    for (int i = 0; i < 2 && obj; i++) {
        out[i] = (float)obj->offset[i];
        out[2 + i] = (float)obj->scale[i];
    }
    return obj || (aiGetMaterialFloatArray(m, _AI_MATKEY_UVTRANSFORM_BASE, type, 0, out, &count) ==
                       aiReturn_SUCCESS &&
                   count == 5);
}

/* Reads scale, then rotation counter-clockwise, then translation, with V up, and converts them to V
 * down on both sides (v -> 1 - v). */
static void read_uv_transform(const mrwi_import_mtl_map *obj, const struct aiMaterial *m,
                              unsigned type, float out[6])
{
    float t[5] = {0, 0, 1, 1, 0};
    if (!find_uv_transform(obj, m, type, t)) {
        return;
    }
    for (int i = 0; i < 5; i++) {
        if (!(fabsf(t[i]) < 1e6f)) {
            return;
        }
    }
    double s = mrwi_base_sin((double)t[4]), c = mrwi_base_cos((double)t[4]);
    double a = c * (double)t[2], b = -s * (double)t[3];
    double d = s * (double)t[2], e = c * (double)t[3];
    const double down[6] = {a, -b, b + (double)t[0], -d, e, (1.0 - e) - (double)t[1]};
    for (int i = 0; i < 6; i++) {
        out[i] = (float)down[i];
    }
}

static float read_number(const struct aiMaterial *m, const char *key, unsigned type, float fallback)
{
    float value[1] = {fallback};
    unsigned count = 1;
    bool good = aiGetMaterialFloatArray(m, key, type, 0, value, &count) == aiReturn_SUCCESS;
    return good && count == 1 ? value[0] : fallback;
}

static float read_float(const struct aiMaterial *m, const char *key, float fallback)
{
    return read_number(m, key, 0, fallback);
}

/* Reads three or four numbers of 0 ... 1. Returns false if the material has none. */
static bool read_color(const struct aiMaterial *m, const char *key, float out[4])
{
    float value[4] = {1, 1, 1, 1};
    unsigned count = 4;
    if (aiGetMaterialFloatArray(m, key, 0, 0, value, &count) != aiReturn_SUCCESS || count < 3) {
        return false;
    }
    for (int c = 0; c < 4; c++) {
        float clamped = value[c] > 0.0f ? value[c] : 0.0f;
        out[c] = clamped < 1.0f ? clamped : 1.0f;
    }
    return true;
}

/* assimp's kinds of the maps. If a material has several for one map, the first counts. */
static const struct {
    mrw_map map;
    unsigned kind;
} map_kinds[] = {
    {MRW_MAP_BASE_COLOR, aiTextureType_BASE_COLOR},
    {MRW_MAP_BASE_COLOR, aiTextureType_DIFFUSE},
    {MRW_MAP_NORMAL, aiTextureType_NORMALS},
    {MRW_MAP_NORMAL, aiTextureType_NORMAL_CAMERA},
    {MRW_MAP_OCCLUSION, aiTextureType_AMBIENT_OCCLUSION},
    {MRW_MAP_OCCLUSION, aiTextureType_LIGHTMAP},
    {MRW_MAP_EMISSIVE, aiTextureType_EMISSION_COLOR},
    {MRW_MAP_EMISSIVE, aiTextureType_EMISSIVE},
    {MRW_MAP_SPECULAR, aiTextureType_SPECULAR},
    {MRW_MAP_OPACITY, aiTextureType_OPACITY},
    {MRW_MAP_HEIGHT, aiTextureType_HEIGHT},
    {MRW_MAP_METALLIC, aiTextureType_METALNESS},
    {MRW_MAP_ROUGHNESS, aiTextureType_DIFFUSE_ROUGHNESS},
    {MRW_MAP_DISPLACEMENT, aiTextureType_DISPLACEMENT},
};

/* Returns the path of a map; "" if the material has none. */
static const char *path_of(const struct aiMaterial *m, unsigned kind, struct aiString *path)
{
    memset(path, 0, sizeof *path);
    return aiGetMaterialString(m, _AI_MATKEY_TEXTURE_BASE, kind, 0, path) == aiReturn_SUCCESS
               ? mrwi_import_text(path)
               : "";
}

/* Returns the path of the base texture; "" if there is none. */
static const char *base_path_of(const struct aiMaterial *m, struct aiString *path)
{
    const char *text = path_of(m, aiTextureType_BASE_COLOR, path);
    return text[0] != '\0' ? text : path_of(m, aiTextureType_DIFFUSE, path);
}

/* Sets the layout of a map and its texture, which shows an image. */
static bool place_map(const material *m, unsigned kind, uint32_t index, const char *path,
                      const mrwi_import_source *source, mrwi_import_resources *res,
                      mrwi_scene_builder *builder, mrw_material_map *map)
{
    const mrw_texture texture = {.image = index,
                                 .wrap_u = read_wrap(m->from, _AI_MATKEY_MAPPINGMODE_U_BASE, kind),
                                 .wrap_v = read_wrap(m->from, _AI_MATKEY_MAPPINGMODE_V_BASE, kind)};
    map->uv_set = !m->one_set && read_int(m->from, _AI_MATKEY_UVWSRC_BASE, kind, 0) == 1;
    read_uv_transform(find_obj_map(source, m, kind), m->from, kind, map->uv_transform);
    return mrwi_import_ok(res, mrwi_scene_builder_texture(builder, mrwi_base_basename(path),
                                                          &texture, &map->texture, res->error));
}

/* Reads a map of one kind, if the material has it. joined: the image that is joined to its texture,
 * or NULL. */
static bool read_map(const material *m, unsigned kind, bool shown,
                     const mrwi_import_joint_image *joined, const mrwi_import_source *source,
                     mrwi_import_images *all, mrwi_import_resources *res,
                     mrwi_scene_builder *builder, mrw_material_map *map)
{
    struct aiString path;
    const char *text = path_of(m->from, kind, &path);
    uint32_t index = MRW_NONE;
    if (text[0] == '\0') {
        return true;
    }
    mrwi_import_image *found = mrwi_import_images_find(source->scene, text, all, res);
    if (!found ||
        (shown && joined &&
         !mrwi_import_images_join(m->where, joined, source->job, all, res, builder, &index))) {
        return false;
    }
    if (index == MRW_NONE) {
        if (!mrwi_import_images_push(m->where, shown, source->job, found, &all->left, res,
                                     builder)) {
            return false;
        }
        index = found->index;
    }
    return place_map(m, kind, index, text, source, res, builder, map);
}

/* ---- opacity --------------------------------------------------------------------------------- */

/* The opacity of a material. These numbers and textures define it:
 * - FBX: `Opacity`, which all exporters write beside the two it is made of. It is 1 -
 *   TransparencyFactor * the mean of TransparentColor, and that product counts if it is missing.
 *   Maya writes 1 and black, 3ds Max and Blender up to 2.79 0 and white, Blender 1 - alpha and
 *   nothing or the base colour, so neither of the two alone means anything (the corpus has all of
 *   these). assimp 5.2 computes just that, from the object and its template. Blender's and
 * three.js's importers guess by TransparencyFactor, and agree where that is neither 0 nor 1: if it
 * is the only one of the three, it counts as in these importers. A texture on TransparentColor or
 *   TransparencyFactor replaces the numbers. White is opaque, as in three.js and Blender: 3ds Max's
 *   opacity maps and the alpha of Maya's file nodes are written so.
 * - Collada: <transparent> times <transparency>, colour or texture, by the four opaque modes, an
 *   RGB colour by its luminance. A transparency of 0 in A_ONE hides everything, and exporters write
 *   it to mean the opposite: it counts as 1.
 * - OBJ: d, else 1 - Tr (mtl.c), times map_d.
 * - 3DS: its percentage, or its opacity map instead.
 * - X, B3D, MS3D, Ogre: the alpha of the material, if it is not 0.
 * For an opacity texture the alpha counts if some texel of it is not opaque, else the luminance. If
 * it is the base texture, that texture's alpha counts. It is drawn as the base texture's alpha, and
 * so with the base texture's coordinates.
 *
 * A factor below 1 blends. Otherwise the alpha of the base texture decides (scene/alpha.c). */
typedef struct opacity {
    bool joins; /* true if the texture is joined with the base texture */
    mrwi_import_joint_image texture;
    float factor;
} opacity;

/* Reads a number of 0 ... 1; 1 if there is none. */
static float read_opacity(const struct aiMaterial *m, const char *key)
{
    const float value = read_float(m, key, 1.0f);
    return value >= 0.0f && value <= 1.0f ? value : 1.0f;
}

static void read_collada_opacity(const struct aiMaterial *m, bool textured, opacity *out)
{
    float color[4];
    const float number = read_opacity(m, "$mat.opacity");
    if (!textured) {
        const bool by_alpha = !read_color(m, "$clr.transparent", color);
        out->factor = by_alpha && number == 0.0f ? 1.0f : number;
        return;
    }
    const mrwi_import_dae_opacity says = mrwi_import_dae_read_opacity(number);
    mrwi_import_opacity *how = &out->texture.how;
    how->from = says.rgb    ? MRWI_IMPORT_OPACITY_FROM_LUMINANCE
                : says.zero ? MRWI_IMPORT_OPACITY_FROM_ALPHA
                            : MRWI_IMPORT_OPACITY_FROM_ANY;
    how->inverted = says.zero;
    how->amount =
        says.zero ? (uint8_t)mrwi_base_to_u32((double)(says.amount * 255.0f + 0.5f)) : 255;
    out->factor = says.zero || (!says.rgb && says.amount == 0.0f) ? 1.0f : says.amount;
}

/* Reads the opacity of FBX and 3DS; 3DS has only the first number. */
static float read_fbx_opacity(const struct aiMaterial *m)
{
    float color[4];
    const float factor = read_float(m, "$mat.transparencyfactor", 0.0f);
    if (read_float(m, "$mat.opacity", -1.0f) == -1.0f && factor > 0.0f && factor < 1.0f &&
        !read_color(m, "$clr.transparent", color)) {
        return 1.0f - factor;
    }
    return read_opacity(m, "$mat.opacity");
}

static float read_opacity_factor(const mrwi_import_source *source, const struct aiMaterial *m,
                                 bool textured)
{
    static const char *const engines[] = {"x", "b3d", "ms3d", "ogre"};
    const char *format = source->job->format;
    if (strcmp(format, "obj") == 0) {
        return read_opacity(m, "$mat.opacity");
    }
    if (source->is_fbx || strcmp(format, "3ds") == 0) {
        return textured ? 1.0f : read_fbx_opacity(m);
    }
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        float color[4] = {1, 1, 1, 1};
        if (strcmp(format, engines[i]) == 0) {
            read_color(m, "$clr.diffuse", color);
            const float factor = color[3] * read_opacity(m, "$mat.opacity");
            return factor > 0.0f ? factor : 1.0f;
        }
    }
    return 1.0f;
}

/* Finds the opacity. Returns false when out of memory. */
static bool find_opacity(const material *m, const mrwi_import_source *source,
                         mrwi_import_images *all, mrwi_import_resources *res, opacity *out)
{
    struct aiString path, base_path;
    const char *text = path_of(m->from, aiTextureType_OPACITY, &path);
    const char *base = base_path_of(m->from, &base_path);
    const bool textured = text[0] != '\0';
    *out = (opacity){.texture.how.amount = 255};
    if (strcmp(source->job->format, "collada") == 0) {
        read_collada_opacity(m->from, textured, out);
    } else {
        out->factor = read_opacity_factor(source, m->from, textured);
    }
    out->joins = textured && strcmp(text, base) != 0;
    if (!out->joins) {
        return true;
    }
    out->texture.opacity = mrwi_import_images_find(source->scene, text, all, res);
    out->texture.base =
        base[0] != '\0' ? mrwi_import_images_find(source->scene, base, all, res) : NULL;
    return out->texture.opacity && (out->texture.base || base[0] == '\0');
}

static bool lies_alike(const mrw_material_map *a, const mrw_material_map *b)
{
    return a->uv_set == b->uv_set &&
           memcmp(a->uv_transform, b->uv_transform, sizeof a->uv_transform) == 0;
}

/* Joins the opacity texture. Without a base texture it joins a white one. */
static bool place_opacity(const material *m, const opacity *o, const mrwi_import_source *source,
                          mrwi_import_images *all, mrwi_import_resources *res,
                          mrwi_scene_builder *builder, mrw_material *out)
{
    struct aiString path;
    mrw_material_map *base = &out->maps[MRW_MAP_BASE_COLOR];
    const char *text = path_of(m->from, aiTextureType_OPACITY, &path);
    if (!m->drawn || !o->joins) {
        return true;
    }
    if (!o->texture.base) {
        uint32_t index;
        return mrwi_import_images_join(m->where, &o->texture, source->job, all, res, builder,
                                       &index) &&
               (index == MRW_NONE ||
                place_map(m, aiTextureType_OPACITY, index, text, source, res, builder, base));
    }
    if (!lies_alike(base, &out->maps[MRW_MAP_OPACITY])) {
        char name[300];
        mrwi_scene_builder_warn(
            builder,
            "%s: its opacity texture \"%s\" has different texture coordinates from the base "
            "texture, but is drawn with those of the base texture; give both the same",
            m->where, mrwi_base_escape(text, name, sizeof name));
    }
    return true;
}

/* ---- all maps -------------------------------------------------------------------------------- */

/* 3ds Max's physical materials, whose bump map assimp takes for a normal map. */
#define MAX_BUMPS "$raw.3dsMax|Parameters|bump_map"

/* Returns true if the map of a kind is a bump map in the file. assimp 5.2 takes those of Collada
 * and of physical materials for normal maps, and some of them are: their texels decide, later. */
static bool is_bumps(const mrwi_import_source *source, const struct aiMaterial *m, unsigned kind)
{
    struct aiString path;
    memset(&path, 0, sizeof path);
    return kind == aiTextureType_HEIGHT ||
           (kind == aiTextureType_NORMALS && strcmp(source->job->format, "collada") == 0) ||
           (kind == aiTextureType_NORMAL_CAMERA &&
            aiGetMaterialString(m, MAX_BUMPS "|file", aiTextureType_UNKNOWN, 0, &path) ==
                aiReturn_SUCCESS);
}

/* Reads BumpFactor of FBX, the amount of physical materials, -bm of OBJ, the amounts of 3DS and
 * Collada; 1 if there is none. */
static float read_bump_strength(const struct aiMaterial *m, unsigned kind)
{
    const char *of_material =
        kind == aiTextureType_NORMAL_CAMERA ? MAX_BUMPS "_amt" : "$mat.bumpscaling";
    return read_float(m, of_material, 1.0f) * read_number(m, "$tex.bumpmult", kind, 1.0f) *
           read_number(m, "$tex.blend", kind, 1.0f);
}

/* Reads DisplacementFactor of FBX, in the file's unit; 1 if there is none. */
static float read_fbx_displacement(const mrwi_import_source *source, const struct aiMaterial *m)
{
    const float factor = read_float(m, "$mat.displacementscaling", 1.0f);
    double centimetres;
    if (!mrwi_import_number(source->scene->mMetaData, "UnitScaleFactor", &centimetres) ||
        !(centimetres > 1e-9 && centimetres < 1e9)) {
        centimetres = 1.0;
    }
    const float scale = factor * (float)(centimetres / 100.0);
    return fabsf(scale) < 1e9f ? scale : 1.0f;
}

/* Reads how maps move vertices, as a scale and a middle level: in OBJ by base + gain * height of
 * -mm. A gain of 0 moves all vertices alike: the scale is so small that heights do not count beside
 * the level. assimp 5.2 does not pass -mm on. */
static void read_displacement(const mrwi_import_source *source, const material *m, float out[2])
{
    const mrwi_import_mtl_map *obj = find_obj_map(source, m, aiTextureType_DISPLACEMENT);
    const double base = obj ? obj->range[0] : 0.0, gain = obj ? obj->range[1] : 1.0;
    const double least = ldexp(base, -40);
    const double scale = fabs(gain) > fabs(least) ? gain : least;
    const bool good = fabs(base) < 1e9 && fabs(gain) < 1e9;
    out[0] = source->is_fbx ? read_fbx_displacement(source, m->from) : good ? (float)scale : 1.0f;
    out[1] = good && scale != 0.0 ? (float)(-base / scale) : 0.0f;
}

/* Reads the maps. Factors are read later, except for the strength of bumps and displacements: these
 * maps are left out if it is 0, and bumps are ignored beside a normal map. Collada's ambient
 * textures come as light maps, but exporters put the diffuse texture there, too: that is not a
 * light map. */
static bool read_maps(const material *m, const opacity *o, const mrwi_import_source *source,
                      mrwi_import_images *all, mrwi_import_resources *res,
                      mrwi_scene_builder *builder, mrw_material *out)
{
    for (size_t i = 0; i < sizeof map_kinds / sizeof *map_kinds; i++) {
        const unsigned kind = map_kinds[i].kind;
        const bool bumps = is_bumps(source, m->from, kind);
        const mrw_map at = bumps ? MRW_MAP_HEIGHT : map_kinds[i].map;
        mrw_material_map *map = &out->maps[at];
        const bool moves = at == MRW_MAP_DISPLACEMENT;
        float strength[2] = {1.0f, 0.0f}; /* strength and middle level */
        if (bumps) {
            strength[0] = read_bump_strength(m->from, kind);
        } else if (moves) {
            read_displacement(source, m, strength);
        }
        const bool shown = m->drawn && mrw_map_info_of(at)->drawn &&
                           !(bumps && out->maps[MRW_MAP_NORMAL].texture != MRW_NONE);
        if (map->texture != MRW_NONE || strength[0] == 0.0f) {
            continue;
        }
        if (!read_map(m, kind, shown, at == MRW_MAP_BASE_COLOR && o->joins ? &o->texture : NULL,
                      source, all, res, builder, map)) {
            return false;
        }
        if (bumps || moves) {
            memcpy(map->factor, strength, (moves ? 2 : 1) * sizeof *strength);
        }
    }
    mrw_material_map *occlusion = &out->maps[MRW_MAP_OCCLUSION];
    if (occlusion->texture == out->maps[MRW_MAP_BASE_COLOR].texture) {
        occlusion->texture = MRW_NONE;
    }
    return true;
}

/* ---- factors --------------------------------------------------------------------------------- */

/* Returns true if a texture replaces the colour, as in FBX and Collada. Elsewhere the two are
 * multiplied, but a black that an exporter has left would hide the picture. */
static bool texture_replaces_color(const mrwi_import_source *source, const float color[4])
{
    return source->is_fbx || strcmp(source->job->format, "collada") == 0 ||
           (color[0] == 0.0f && color[1] == 0.0f && color[2] == 0.0f);
}

/* Returns the name, or NULL. */
static const char *name_of(const struct aiMaterial *m, struct aiString *name)
{
    memset(name, 0, sizeof *name);
    return aiGetMaterialString(m, "?mat.name", 0, 0, name) == aiReturn_SUCCESS
               ? mrwi_import_text(name)
               : NULL;
}

/* Returns true for a material that the file does not have: assimp invents one for meshes
 * without. */
static bool is_made_up(const struct aiMaterial *m)
{
    struct aiString name;
    const char *text = name_of(m, &name);
    return !text || strcmp(text, AI_DEFAULT_MATERIAL_NAME) == 0;
}

/* Returns true for a material of an OBJ file without Kd: its colour is a grey of assimp's. */
static bool lacks_color(const mrwi_import_source *source, const struct aiMaterial *m)
{
    struct aiString name;
    const char *text = name_of(m, &name);
    return strcmp(source->job->format, "obj") == 0 &&
           !(text && mrwi_import_mtl_find(&source->extras.mtl, text, MRWI_IMPORT_MTL_KD));
}

/* Returns true for a metallic material. A roughness alone means nothing: assimp derives one from
 * every ShininessExponent of FBX. */
static bool has_metal(const struct aiMaterial *m)
{
    float color[4];
    return read_float(m, "$mat.metallicFactor", -1.0f) >= 0.0f || read_color(m, "$clr.base", color);
}

/* Decodes a colour: see colors.c. */
static void decode_color(const mrwi_import_source *source, const struct aiMaterial *m,
                         float color[3])
{
    const bool as_it_is = (source->is_fbx && has_metal(m)) || is_made_up(m);
    if (source->colors.materials_srgb && !as_it_is) {
        mrwi_import_decode_color(color);
    }
}

static void read_base_color(const mrwi_import_source *source, const struct aiMaterial *m,
                            const opacity *o, mrw_material *out)
{
    float *color = out->maps[MRW_MAP_BASE_COLOR].factor;
    bool has_base = read_color(m, "$clr.base", color);
    if (!has_base) {
        read_color(m, "$clr.diffuse", color);
    }
    const bool made_up = !has_base && lacks_color(source, m);
    if (!made_up) {
        decode_color(source, m, color);
    }
    if (out->maps[MRW_MAP_BASE_COLOR].texture != MRW_NONE && !has_base &&
        (made_up || texture_replaces_color(source, color))) {
        color[0] = color[1] = color[2] = 1.0f;
    }
    out->alpha_mode = o->factor < 1.0f ? MRW_ALPHA_BLEND : MRWI_SCENE_ALPHA_BY_TEXELS;
    color[3] = o->factor;
}

/* Reads the colour of a map other than the base colour, without alpha; black if there is none. */
static void read_map_color(const mrwi_import_source *source, const struct aiMaterial *m,
                           const char *key, mrw_material_map *map)
{
    float *color = map->factor;
    memset(color, 0, 3 * sizeof *color);
    read_color(m, key, color);
    color[3] = 1.0f;
    if (map->texture != MRW_NONE && texture_replaces_color(source, color)) {
        color[0] = color[1] = color[2] = 1.0f;
    }
}

/* Multiplies by a number that is 0 or more; the result stays finite. */
static void multiply_color(float color[3], float times, float most)
{
    for (int c = 0; c < 3; c++) {
        const float product = color[c] * times;
        color[c] = !(product > 0.0f) ? 0.0f : product < most ? product : most;
    }
}

/* Reads the exponent of highlights around the half vector; 0: none. This is what assimp 5.2
 * delivers, found by experiment:
 * - FBX: Phong for that ShadingModel, nothing for all others; SpecularColor, SpecularFactor and
 *   ShininessExponent as in the file, those of Lambert materials, too.
 * - Collada: Gouraud stands for lambert, NoShading for constant, both with a specular colour and a
 *   shininess of assimp's own; Phong and Blinn.
 * - OBJ: Gouraud for an illum above 2, too; the number itself is there. The MTL format says that Ns
 *   is Blinn's.
 * - 3DS: the percentage of 3D Studio's dialogue, from which lib3ds computes 2^(10 p).
 * - X, B3D, MS3D, Ogre: Direct3D's and OpenGL's, which are Blinn's; Gouraud with an exponent of 0.
 * A Phong lobe around the reflected ray is about as wide as a Blinn lobe of four times the
 * exponent. */
static float read_shininess(const mrwi_import_source *source, const struct aiMaterial *m)
{
    const char *format = source->job->format;
    const float exponent = read_float(m, "$mat.shininess", 0.0f);
    const int unsaid = source->is_fbx ? aiShadingMode_Gouraud : aiShadingMode_Blinn;
    const int shading = read_int(m, "$mat.shadingm", 0, unsaid);
    const bool is_obj = strcmp(format, "obj") == 0;
    if (is_obj ? read_int(m, "$mat.illum", 0, 2) < 2
               : shading == aiShadingMode_Flat || shading == aiShadingMode_Gouraud ||
                     shading == aiShadingMode_NoShading) {
        return 0.0f;
    }
    if (strcmp(format, "3ds") == 0) {
        const float percent = exponent < 100.0f ? exponent : 100.0f;
        return percent > 0.0f ? (float)mrwi_base_pow(2.0, (double)percent / 10.0) : 0.0f;
    }
    const bool phong = source->is_fbx || strcmp(format, "collada") == 0;
    return phong && shading == aiShadingMode_Phong ? 4.0f * exponent : exponent;
}

/* Reads a classic material. Only FBX and 3DS have a strength beside the colour. Black and an
 * exponent of 0 mean the same: matt. */
static void read_classic(const mrwi_import_source *source, const struct aiMaterial *m,
                         mrw_material *out)
{
    float *specular = out->maps[MRW_MAP_SPECULAR].factor;
    const float shininess = read_shininess(source, m);
    out->model = MRW_MATERIAL_CLASSIC;
    read_map_color(source, m, "$clr.specular", &out->maps[MRW_MAP_SPECULAR]);
    multiply_color(specular, read_float(m, "$mat.shinpercent", 1.0f), 1.0f);
    decode_color(source, m, specular);
    const bool shines = specular[0] > 0.0f || specular[1] > 0.0f || specular[2] > 0.0f;
    if (shines && shininess > 0.0f) {
        out->shininess = shininess < MRW_SHININESS_MOST ? shininess : MRW_SHININESS_MOST;
    } else {
        memset(specular, 0, 3 * sizeof *specular);
    }
}

/* Reads a number of 0 ... 1, which a texture may replace. */
static float read_part(const mrwi_import_source *source, const struct aiMaterial *m,
                       const char *key, const mrw_material_map *map, float fallback)
{
    const bool textured = map->texture != MRW_NONE;
    const float value = read_float(m, key, textured ? 1.0f : fallback);
    const float within = !(value > 0.0f) ? 0.0f : value < 1.0f ? value : 1.0f;
    return textured && (source->is_fbx || within == 0.0f) ? 1.0f : within;
}

/* Reads Maya's Stingray materials in FBX, and the Pm, Pr, Pc and Pcr of OBJ. They reflect as in
 * glTF; their other numbers for highlights do not count. */
static void read_metallic_roughness(const mrwi_import_source *source, const struct aiMaterial *m,
                                    mrw_material *out)
{
    float *factor = out->maps[MRW_MAP_METALLIC_ROUGHNESS].factor;
    const mrw_material usual = mrw_material_default();
    out->maps[MRW_MAP_SPECULAR] = usual.maps[MRW_MAP_SPECULAR];
    factor[1] = read_part(source, m, "$mat.roughnessFactor", &out->maps[MRW_MAP_ROUGHNESS], 1.0f);
    factor[2] = read_part(source, m, "$mat.metallicFactor", &out->maps[MRW_MAP_METALLIC], 0.0f);
    out->clearcoat = read_part(source, m, "$mat.clearcoat.factor", &usual.maps[0], 0.0f);
    out->clearcoat_roughness =
        read_part(source, m, "$mat.clearcoat.roughnessFactor", &usual.maps[0], 0.0f);
}

/* Reads the factors. Ambient colours are left out, since there are no ambient lights to match.
 * Those of 3DS are a percentage of the surface's own colour. */
static void read_factors(const mrwi_import_source *source, const struct aiMaterial *m,
                         const opacity *o, mrw_material *out)
{
    mrw_material_map *emissive = &out->maps[MRW_MAP_EMISSIVE];
    read_base_color(source, m, o, out);
    read_map_color(source, m, "$clr.emissive", emissive);
    decode_color(source, m, emissive->factor);
    multiply_color(emissive->factor, read_float(m, "$mat.emissiveIntensity", 1.0f), FLT_MAX);
    for (int c = 0; c < 3 && strcmp(source->job->format, "3ds") == 0; c++) {
        emissive->factor[c] *= out->maps[MRW_MAP_BASE_COLOR].factor[c];
    }
    if (has_metal(m)) {
        read_metallic_roughness(source, m, out);
    } else if (mrwi_import_has_principled(source) && !is_made_up(m)) {
        mrwi_import_read_principled(read_float(m, "$mat.shininess", 0.0f),
                                    read_float(m, "$mat.shinpercent", 0.25f),
                                    read_float(m, "$mat.reflectivity", 0.0f), out);
    } else {
        read_classic(source, m, out);
    }
}

/* Multiplies emission with the texture for formats of engines that lit corners and multiplied the
 * sum, emission included, with the texture (Direct3D and OpenGL before shaders). */
static void texture_emission(const mrwi_import_source *source, mrw_material *out)
{
    static const char *const formats[] = {"x", "ms3d", "b3d"};
    const mrw_material_map *base = &out->maps[MRW_MAP_BASE_COLOR];
    mrw_material_map *emissive = &out->maps[MRW_MAP_EMISSIVE];
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(source->job->format, formats[i]) == 0 && emissive->texture == MRW_NONE) {
            emissive->texture = base->texture;
            emissive->uv_set = base->uv_set;
            memcpy(emissive->uv_transform, base->uv_transform, sizeof emissive->uv_transform);
        }
    }
}

static bool is_sound(const struct aiMaterial *m)
{
    return m && (m->mNumProperties == 0 || m->mProperties);
}

static bool push_material(const material *from, const mrwi_import_source *source,
                          mrwi_import_images *all, mrwi_import_resources *res,
                          mrwi_scene_builder *builder, uint32_t *number)
{
    struct aiString name;
    material m = *from;
    mrw_material out = mrw_material_default();
    memset(&name, 0, sizeof name);
    if (!is_sound(m.from)) {
        *number = MRW_NONE;
        return true;
    }
    if (aiGetMaterialString(m.from, "?mat.name", 0, 0, &name) != aiReturn_SUCCESS) {
        memset(&name, 0, sizeof name);
    }
    m.name = mrwi_import_text(&name);
    opacity o;
    if (!find_opacity(&m, source, all, res, &o) ||
        !read_maps(&m, &o, source, all, res, builder, &out)) {
        return false;
    }
    read_factors(source, m.from, &o, &out);
    if (!place_opacity(&m, &o, source, all, res, builder, &out)) {
        return false;
    }
    texture_emission(source, &out);
    /* Materials that do not say are drawn from both sides: FBX writes "CullingOff", which assimp
     * does not pass on, and the other formats know no culling. */
    out.flags = read_int(m.from, "$mat.twosided", 0, 1) != 0 ? MRW_MATERIAL_DOUBLE_SIDED : 0;
    return mrwi_import_ok(res,
                          mrwi_scene_builder_material(builder, m.name, &out, number, res->error));
}

static void find_drawn(const struct aiScene *scene, material *materials)
{
    for (uint32_t i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        if (mesh && mesh->mNumFaces > 0 && mesh->mMaterialIndex < scene->mNumMaterials) {
            material *m = &materials[mesh->mMaterialIndex];
            m->one_set = (m->one_set || !m->drawn) && !mesh->mTextureCoords[1];
            m->drawn = true;
        }
    }
}

/* Returns the maps that may show a texture of this kind: bumps and normals stand for each other. */
static uint32_t maps_of(unsigned kind, mrw_map map)
{
    const uint32_t bends = MRW_MAP_BIT(MRW_MAP_NORMAL) | MRW_MAP_BIT(MRW_MAP_HEIGHT);
    const uint32_t bit = MRW_MAP_BIT(map);
    return map == MRW_MAP_BASE_COLOR            ? MRWI_IMPORT_BASE_MAPS
           : kind == aiTextureType_DISPLACEMENT ? bit
           : (bit & bends) != 0                 ? bends
                                                : bit;
}

/* Finds the uses of images before any is decoded: other maps may show the same image, and need more
 * of it. */
static void find_uses(const struct aiScene *scene, const material *materials,
                      mrwi_import_images *all, mrwi_import_resources *res)
{
    for (uint32_t i = 0; i < scene->mNumMaterials; i++) {
        const struct aiMaterial *m = scene->mMaterials[i];
        if (!materials[i].drawn || !is_sound(m)) {
            continue;
        }
        for (size_t k = 0; k < sizeof map_kinds / sizeof *map_kinds; k++) {
            struct aiString path;
            const char *text = path_of(m, map_kinds[k].kind, &path);
            mrwi_import_image *found =
                text[0] != '\0' ? mrwi_import_images_find(scene, text, all, res) : NULL;
            if (found) {
                found->maps |= maps_of(map_kinds[k].kind, map_kinds[k].map);
            }
        }
    }
}

bool mrwi_import_push_materials(const mrwi_import_source *source, mrwi_import_resources *res,
                                mrwi_scene_builder *builder, uint32_t **numbers)
{
    const struct aiScene *scene = source->scene;
    mrwi_import_images all = {.left = mrwi_load_texture_budget_of(source->job->def)};
    material *materials = mrwi_import_keep(res, scene->mNumMaterials, sizeof *materials);
    *numbers = mrwi_import_keep(res, scene->mNumMaterials, sizeof **numbers);
    if (res->status) {
        return false;
    }
    if (!source->job->def->clips_only) {
        find_drawn(scene, materials);
        find_uses(scene, materials, &all, res);
    }
    for (uint32_t i = 0; i < scene->mNumMaterials; i++) {
        material *m = &materials[i];
        m->from = scene->mMaterials[i];
        snprintf(m->where, sizeof m->where, "material %" PRIu32, i);
        if (!push_material(m, source, &all, res, builder, &(*numbers)[i])) {
            return false;
        }
    }
    return true;
}
