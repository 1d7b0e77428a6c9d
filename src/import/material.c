/* material.c: materials: base colour or diffuse, factor and texture, two-sided. */
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "import/import.h"
#include "load/texture.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/texture.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- images ---------------------------------------------------------------------------------- */

/* The embedded texture a path means: "*N", or the basename of one; MRW_NONE for a file. */
static uint32_t find_embedded(const mrwi_import_state *ai, const char *path)
{
    const struct aiScene *s = ai->scene;
    if (path[0] == '*') {
        double number;
        size_t used = mrwi_base_parse_double(path + 1, strlen(path + 1), &number);
        bool valid = used > 0 && number >= 0.0 && number < (double)s->mNumTextures;
        return valid && s->mTextures[(uint32_t)number] ? (uint32_t)number : MRW_NONE;
    }
    const char *base = mrwi_base_basename(path);
    for (uint32_t i = 0; i < s->mNumTextures && base[0] != '\0'; i++) {
        const struct aiTexture *texture = s->mTextures[i];
        if (texture && texture->pcData &&
            strcmp(mrwi_base_basename(mrwi_import_text(&texture->mFilename)), base) == 0) {
            return i;
        }
    }
    return MRW_NONE;
}

/* Why texels are not shown; "" when they are. */
static void refuse_texels(mrwi_import_state *ai, const struct aiTexture *texture, const char *where,
                          char *out, size_t size)
{
    const uint64_t pixels = (uint64_t)texture->mWidth * texture->mHeight;
    const uint64_t left = ai->textures_left.memory;
    out[0] = '\0';
    if (pixels > ai->textures_left.pixels || pixels > ai->job->def->max_texture_size) {
        snprintf(out, size, "an embedded texture has too many pixels; a checker stands in");
    } else if (mrw_image_memory(texture->mWidth, texture->mHeight) > left) {
        mrwi_load_texture_over(out, size, where, mrwi_import_text(&texture->mFilename),
                               texture->mWidth, texture->mHeight, left);
    }
}

/* Uncompressed texels, which assimp has as blue, green, red, alpha. */
static bool show_texels(mrwi_import_state *ai, const struct aiTexture *texture, const char *where,
                        uint32_t image)
{
    char refused[1000];
    const uint64_t pixels = (uint64_t)texture->mWidth * texture->mHeight;
    mrwi_scene_texels out = {.width = texture->mWidth, .height = texture->mHeight};
    refuse_texels(ai, texture, where, refused, sizeof refused);
    if (refused[0] != '\0') {
        mrwi_scene_builder_warn(ai->builder, "%s", refused);
        out.width = out.height = 0;
        return mrwi_import_ok(ai, mrwi_scene_builder_texels(ai->builder, image, &out, ai->error));
    }
    ai->textures_left.pixels -= pixels;
    ai->textures_left.memory -= mrw_image_memory(texture->mWidth, texture->mHeight);
    out.rgba = mrwi_base_alloc(pixels, 4);
    if (!out.rgba) {
        return mrwi_import_ok(ai, mrwi_base_fail_memory(ai->error, (size_t)pixels * 4));
    }
    for (uint64_t i = 0; i < pixels; i++) {
        const struct aiTexel *t = &texture->pcData[i];
        const uint8_t texel[4] = {t->r, t->g, t->b, t->a};
        memcpy(out.rgba + 4 * i, texel, sizeof texel);
    }
    mrwi_scene_texels_find(&out);
    if (ai->job->def->no_texels) {
        mrwi_base_free(out.rgba);
        out.rgba = NULL;
        out.alpha = false;
        out.undecoded = true;
    }
    return mrwi_import_ok(ai, mrwi_scene_builder_texels(ai->builder, image, &out, ai->error));
}

/* Names an image for the builder; decodes it, too, where `shown`. */
static bool push_image(mrwi_import_state *ai, uint32_t material, bool shown,
                       mrwi_import_image *image)
{
    char where[40];
    snprintf(where, sizeof where, "material %" PRIu32, material);
    uint32_t embedded = find_embedded(ai, image->path);
    const struct aiTexture *texture = embedded != MRW_NONE ? ai->scene->mTextures[embedded] : NULL;
    bool texels = texture && texture->mHeight > 0;
    mrwi_load_texture_source source = {
        .name = mrwi_base_basename(image->path), .path = image->path, .where = where};
    if (texture || image->path[0] == '*') { /* texels, or a PNG, JPEG ... file */
        source.path = NULL;
        source.bytes = texture ? (const uint8_t *)texture->pcData : NULL;
        source.size = source.bytes ? texture->mWidth : 0;
    }
    if (image->index == MRW_NONE &&
        !mrwi_import_ok(ai,
                        mrwi_load_texture_name(ai->builder, &source, &image->index, ai->error))) {
        return false;
    }
    if (!shown || image->shown) {
        return true;
    }
    image->shown = true;
    return texels ? show_texels(ai, texture, where, image->index)
                  : mrwi_import_ok(ai, mrwi_load_texture_show(ai->builder, ai->job->def,
                                                              ai->job->files, &source, image->index,
                                                              &ai->textures_left, ai->error));
}

/* ---- textures -------------------------------------------------------------------------------- */

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

/* Scale, then rotation counter-clockwise, then translation, with V up: turned into V down on both
 * sides (v -> 1 - v). */
static void read_uv_transform(const struct aiMaterial *m, unsigned type, float out[6])
{
    float t[5] = {0, 0, 1, 1, 0}; /* translation, scale, rotation */
    unsigned count = 5;
    if (aiGetMaterialFloatArray(m, _AI_MATKEY_UVTRANSFORM_BASE, type, 0, t, &count) !=
            aiReturn_SUCCESS ||
        count != 5) {
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

/* The first of several kinds of texture that a material has; its path is left in *path. */
static unsigned find_texture(const struct aiMaterial *m, struct aiString *path)
{
    static const unsigned kinds[] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        memset(path, 0, sizeof *path);
        if (aiGetMaterialString(m, _AI_MATKEY_TEXTURE_BASE, kinds[i], 0, path) ==
                aiReturn_SUCCESS &&
            mrwi_import_text(path)[0] != '\0') {
            return kinds[i];
        }
    }
    return aiTextureType_NONE;
}

/* The image of a path: materials of one file name the same few again and again. */
static mrwi_import_image *find_image(mrwi_import_state *ai, const char *path)
{
    for (mrwi_import_image *known = ai->images; known; known = known->next) {
        if (strcmp(known->path, path) == 0) {
            return known;
        }
    }
    size_t size = strlen(path) + 1;
    mrwi_import_image *added = mrwi_import_keep(ai, 1, sizeof *added);
    char *copy = added ? mrwi_import_keep(ai, size, 1) : NULL;
    if (!copy) {
        return NULL;
    }
    memcpy(copy, path, size);
    *added = (mrwi_import_image){copy, MRW_NONE, false, ai->images};
    return ai->images = added;
}

static bool image_of(mrwi_import_state *ai, const char *path, uint32_t material, uint32_t *image)
{
    mrwi_import_image *found = find_image(ai, path);
    if (!found || !push_image(ai, material, ai->material_drawn[material], found)) {
        return false;
    }
    *image = found->index;
    return true;
}

static bool read_texture(mrwi_import_state *ai, const struct aiMaterial *m, uint32_t material,
                         mrw_texture_use *use)
{
    struct aiString path;
    unsigned kind = find_texture(m, &path);
    mrw_texture texture;
    memset(&texture, 0, sizeof texture);
    if (kind == aiTextureType_NONE) {
        return true;
    }
    if (!image_of(ai, mrwi_import_text(&path), material, &texture.image)) {
        return false;
    }
    texture.wrap_u = read_wrap(m, _AI_MATKEY_MAPPINGMODE_U_BASE, kind);
    texture.wrap_v = read_wrap(m, _AI_MATKEY_MAPPINGMODE_V_BASE, kind);
    use->uv_set = read_int(m, _AI_MATKEY_UVWSRC_BASE, kind, 0) == 1 ? 1 : 0;
    read_uv_transform(m, kind, use->uv_transform);
    return mrwi_import_ok(
        ai, mrwi_scene_builder_texture(ai->builder, mrwi_base_basename(mrwi_import_text(&path)),
                                       &texture, &use->texture, ai->error));
}

/* ---- factors --------------------------------------------------------------------------------- */

/* Three or four numbers from 0 to 1; false when the material has none. */
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

/* In FBX and Collada a texture stands in the place of the colour; elsewhere they are multiplied,
 * but a black left over by an exporter would hide the picture. */
static bool texture_replaces_color(const mrwi_import_state *ai, const float color[4])
{
    return ai->is_fbx || strcmp(ai->job->format, "collada") == 0 ||
           (color[0] == 0.0f && color[1] == 0.0f && color[2] == 0.0f);
}

/* The alpha mode is the only thing that makes opacity count: assimp's other properties of that kind
 * mean something else in each format. */
static uint32_t read_alpha_mode(const struct aiMaterial *m)
{
    struct aiString mode;
    memset(&mode, 0, sizeof mode);
    if (aiGetMaterialString(m, "$mat.gltf.alphaMode", 0, 0, &mode) != aiReturn_SUCCESS) {
        return MRW_ALPHA_OPAQUE;
    }
    const char *text = mrwi_import_text(&mode);
    return strcmp(text, "BLEND") == 0  ? MRW_ALPHA_BLEND
           : strcmp(text, "MASK") == 0 ? MRW_ALPHA_MASK
                                       : MRW_ALPHA_OPAQUE;
}

static void read_factors(const mrwi_import_state *ai, const struct aiMaterial *m, mrw_material *out)
{
    float opacity[1] = {1.0f};
    unsigned count = 1;
    for (int c = 0; c < 4; c++) {
        out->base_color[c] = 1.0f;
    }
    bool has_base = read_color(m, "$clr.base", out->base_color);
    if (!has_base) {
        read_color(m, "$clr.diffuse", out->base_color);
    }
    if (out->base_color_texture.texture != MRW_NONE && !has_base &&
        texture_replaces_color(ai, out->base_color)) {
        out->base_color[0] = out->base_color[1] = out->base_color[2] = 1.0f;
    }
    out->alpha_mode = read_alpha_mode(m);
    out->alpha_cutoff = 0.5f;
    if (out->alpha_mode == MRW_ALPHA_OPAQUE) {
        out->base_color[3] = 1.0f;
    } else if (aiGetMaterialFloatArray(m, "$mat.opacity", 0, 0, opacity, &count) ==
                   aiReturn_SUCCESS &&
               opacity[0] >= 0.0f && opacity[0] <= 1.0f) {
        out->base_color[3] = opacity[0];
    }
}

static bool push_material(mrwi_import_state *ai, uint32_t index)
{
    const struct aiMaterial *m = ai->scene->mMaterials[index];
    struct aiString name;
    mrw_material out;
    memset(&out, 0, sizeof out);
    memset(&name, 0, sizeof name);
    out.base_color_texture = (mrw_texture_use){MRW_NONE, 0, {1, 0, 0, 0, 1, 0}};
    if (!m || (m->mNumProperties > 0 && !m->mProperties)) {
        ai->material_index[index] = MRW_NONE;
        return true;
    }
    if (aiGetMaterialString(m, "?mat.name", 0, 0, &name) != aiReturn_SUCCESS) {
        memset(&name, 0, sizeof name);
    }
    if (!read_texture(ai, m, index, &out.base_color_texture)) {
        return false;
    }
    read_factors(ai, m, &out);
    /* Files that don't say are drawn from both sides: FBX writes "CullingOff", which assimp does
     * not hand on, and the other formats know no culling. */
    out.flags = read_int(m, "$mat.twosided", 0, 1) != 0 ? MRW_MATERIAL_DOUBLE_SIDED : 0;
    return mrwi_import_ok(ai,
                          mrwi_scene_builder_material(ai->builder, mrwi_import_text(&name), &out,
                                                      &ai->material_index[index], ai->error));
}

static void find_drawn(mrwi_import_state *ai)
{
    const struct aiScene *scene = ai->scene;
    for (uint32_t i = 0; i < scene->mNumMeshes && !ai->job->def->clips_only; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        if (mesh && mesh->mNumFaces > 0 && mesh->mMaterialIndex < scene->mNumMaterials) {
            ai->material_drawn[mesh->mMaterialIndex] = true;
        }
    }
}

bool mrwi_import_push_materials(mrwi_import_state *ai)
{
    uint32_t count = ai->scene->mNumMaterials;
    ai->material_index = mrwi_import_keep(ai, count, sizeof *ai->material_index);
    ai->material_drawn = mrwi_import_keep(ai, count, sizeof *ai->material_drawn);
    if (ai->status != MRW_OK) {
        return false;
    }
    find_drawn(ai);
    for (uint32_t i = 0; i < count; i++) {
        if (!push_material(ai, i)) {
            return false;
        }
    }
    return true;
}
