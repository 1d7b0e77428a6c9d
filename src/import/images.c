/* images.c: the images that the materials of a file show. Each is named once and decoded once. Base
 * textures are joined with opacity textures. */
#include "import/images.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <assimp/texture.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- images ---------------------------------------------------------------------------------- */

/* Finds the embedded texture of a path: "*N", or its basename; NULL for a file. */
static const struct aiTexture *find_embedded(const struct aiScene *s, const char *path)
{
    if (path[0] == '*') {
        double number;
        size_t used = mrwi_base_parse_double(path + 1, strlen(path + 1), &number);
        bool valid = used > 0 && number >= 0.0 && number < (double)s->mNumTextures;
        return valid ? s->mTextures[mrwi_base_to_u32(number)] : NULL;
    }
    const char *base = mrwi_base_basename(path);
    for (uint32_t i = 0; i < s->mNumTextures && base[0] != '\0'; i++) {
        const struct aiTexture *texture = s->mTextures[i];
        if (texture && texture->pcData &&
            strcmp(mrwi_base_basename(mrwi_import_text(&texture->mFilename)), base) == 0) {
            return texture;
        }
    }
    return NULL;
}

mrwi_import_image *mrwi_import_images_find(const struct aiScene *scene, const char *path,
                                           mrwi_import_images *all, mrwi_import_resources *res)
{
    for (mrwi_import_image *known = all->first; known; known = known->next) {
        if (strcmp(known->path, path) == 0) {
            return known;
        }
    }
    size_t size = strlen(path) + 1;
    mrwi_import_image *added = mrwi_import_keep(res, 1, sizeof *added);
    char *copy = added ? mrwi_import_keep(res, size, 1) : NULL;
    if (!copy) {
        return NULL;
    }
    memcpy(copy, path, size);
    *added = (mrwi_import_image){copy, find_embedded(scene, path), MRW_NONE, .next = all->first};
    return all->first = added;
}

/* Subtracts texels from what is left. If they do not fit, *refused says why, else it is "". */
static void take_texels(const struct aiTexture *texture, const char *where, const mrw_load_def *def,
                        mrwi_load_texture_budget *left, char *refused, size_t size)
{
    const uint64_t pixels = (uint64_t)texture->mWidth * texture->mHeight;
    refused[0] = '\0';
    if (pixels > left->pixels || pixels > def->max_texture_size) {
        snprintf(
            refused, size,
            "an embedded texture has too many pixels; base colours use a checker pattern instead");
    } else if (mrw_image_memory(texture->mWidth, texture->mHeight) > left->memory) {
        mrwi_load_texture_over(refused, size, where, mrwi_import_text(&texture->mFilename),
                               texture->mWidth, texture->mHeight, left->memory);
    } else {
        left->pixels -= pixels;
        left->memory -= mrw_image_memory(texture->mWidth, texture->mHeight);
    }
}

/* Copies uncompressed texels, which assimp stores as blue, green, red, alpha. NULL when out of
 * memory. */
static uint8_t *copy_texels(const struct aiTexture *texture)
{
    const uint64_t pixels = (uint64_t)texture->mWidth * texture->mHeight;
    uint8_t *rgba = mrwi_base_alloc(pixels, 4);
    for (uint64_t i = 0; rgba && i < pixels; i++) {
        const struct aiTexel *t = &texture->pcData[i];
        const uint8_t texel[4] = {t->r, t->g, t->b, t->a};
        memcpy(rgba + 4 * i, texel, sizeof texel);
    }
    return rgba;
}

/* Returns true if its alpha may decide how a material is transparent. */
static bool is_base(const mrwi_import_image *image)
{
    return (image->maps & MRW_MAP_BIT(MRW_MAP_BASE_COLOR)) != 0;
}

/* Gives texels to the builder. A checker stands in for texels that are not shown. */
static bool show_texels(const mrwi_import_image *from, const char *where, const mrw_load_def *def,
                        mrwi_load_texture_budget *left, mrwi_import_resources *res,
                        mrwi_scene_builder *builder)
{
    char refused[1000];
    const struct aiTexture *texture = from->embedded;
    mrwi_scene_texels out = {.width = 0};
    take_texels(texture, where, def, left, refused, sizeof refused);
    if (refused[0] != '\0') {
        mrwi_scene_builder_warn(builder, "%s", refused);
    } else {
        out.width = texture->mWidth;
        out.height = texture->mHeight;
        out.rgba = copy_texels(texture);
        if (!out.rgba) {
            size_t size = (size_t)texture->mWidth * texture->mHeight * 4;
            return mrwi_import_ok(res, mrwi_base_fail_memory(res->error, size));
        }
        mrwi_scene_texels_find(&out);
        if (!mrwi_load_texture_settle(from->maps & def->maps, is_base(from), &out)) {
            return mrwi_import_ok(res, mrwi_base_fail_memory(res->error, 0));
        }
    }
    return mrwi_import_ok(res, mrwi_scene_builder_texels(builder, from->index, &out, res->error));
}

static mrwi_load_texture_source source_of(const char *where, const mrwi_import_image *found)
{
    const struct aiTexture *texture = found->embedded;
    mrwi_load_texture_source source = {.name = mrwi_base_basename(found->path),
                                       .path = found->path,
                                       .where = where,
                                       .maps = found->maps,
                                       .opacity = is_base(found)};
    if (texture || found->path[0] == '*') { /* texels, or a PNG, JPEG ... file */
        source.path = NULL;
        source.bytes = texture ? (const uint8_t *)texture->pcData : NULL;
        source.size = source.bytes ? texture->mWidth : 0;
    }
    return source;
}

/* Names an image for the builder; decodes it, too, where it is shown. */
bool mrwi_import_images_push(const char *where, bool shown, const mrwi_load_read_job *job,
                             mrwi_import_image *found, mrwi_load_texture_budget *left,
                             mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    const struct aiTexture *texture = found->embedded;
    const mrwi_load_texture_source source = source_of(where, found);
    if (found->index == MRW_NONE &&
        !mrwi_import_ok(res, mrwi_load_texture_name(builder, &source, &found->index, res->error))) {
        return false;
    }
    if (!shown || found->shown) {
        return true;
    }
    found->shown = true;
    if (texture && texture->mHeight > 0) {
        return show_texels(found, where, job->def, left, res, builder);
    }
    return mrwi_import_ok(res, mrwi_load_texture_show(builder, job->def, job->files, &source,
                                                      found->index, left, res->error));
}

/* ---- opacity textures ------------------------------------------------------------------------ */

/* Decodes an image, whatever maps are read. Leaves rgba NULL after a warning. */
static bool decode_image(const char *where, const mrwi_import_image *from,
                         const mrwi_load_read_job *job, mrwi_load_texture_budget *left,
                         mrwi_import_resources *res, mrwi_scene_builder *builder,
                         mrwi_scene_texels *out)
{
    char refused[1000] = "";
    *out = (mrwi_scene_texels){.width = 0};
    if (from->embedded && from->embedded->mHeight > 0) {
        take_texels(from->embedded, where, job->def, left, refused, sizeof refused);
        out->width = from->embedded->mWidth;
        out->height = from->embedded->mHeight;
        out->rgba = refused[0] == '\0' ? copy_texels(from->embedded) : NULL;
        if (out->rgba) {
            mrwi_scene_texels_find(out);
        } else if (refused[0] == '\0') {
            return mrwi_import_ok(res, mrwi_base_fail_memory(res->error, 0));
        } else {
            mrwi_scene_builder_warn(builder, "%s", refused);
        }
        return true;
    }
    mrw_load_def def = *job->def;
    mrwi_load_texture_source source = source_of(where, from);
    mrwi_load_texture_job opened;
    def.maps = MRW_MAPS_ALL;
    def.later_jpegs = false;
    source.maps = MRW_MAP_BIT(MRW_MAP_BASE_COLOR);
    if (!mrwi_import_ok(res, mrwi_load_texture_open(&def, job->files, &source, MRW_NONE, left,
                                                    &opened, res->error))) {
        return false;
    }
    mrwi_load_texture_decode(&opened);
    *out = opened.texels;
    opened.texels.rgba = NULL;
    if (opened.warning[0] != '\0') {
        mrwi_scene_builder_warn(builder, "%s", opened.warning);
    }
    const bool good = !opened.out_of_memory;
    mrwi_load_texture_drop(&opened);
    return good || mrwi_import_ok(res, mrwi_base_fail_memory(res->error, 0));
}

/* Subtracts the size of both together from *left. Warns and returns false if they exceed it. */
static bool take_joint(const char *where, const mrwi_import_joint_image *joint,
                       const mrw_load_def *def, const mrwi_scene_texels *out,
                       mrwi_load_texture_budget *left, mrwi_scene_builder *builder)
{
    const uint64_t pixels = (uint64_t)out->width * out->height;
    const uint64_t memory = mrw_image_memory(out->width, out->height);
    if (pixels > left->pixels || pixels > def->max_texture_size || memory > left->memory) {
        char name[300];
        mrwi_scene_builder_warn(builder,
                                "%s: its opacity texture \"%s\" is ignored: combined with the base "
                                "texture it makes %" PRIu32 "x%" PRIu32
                                " texels, which is too many; make both the same size, or allow "
                                "more with --texture-memory and --max-texture-size",
                                where, mrwi_base_escape(joint->opacity->path, name, sizeof name),
                                out->width, out->height);
        return false;
    }
    left->pixels -= pixels;
    left->memory -= memory;
    return true;
}

/* Decodes both and joins them. base->rgba is NULL if there is no base. */
static bool join_texels(const char *where, mrwi_import_joint_image *joint, mrwi_scene_texels *base,
                        mrwi_scene_texels *opacity, const mrwi_load_read_job *job,
                        mrwi_load_texture_budget *left, mrwi_import_resources *res,
                        mrwi_scene_builder *builder)
{
    mrwi_scene_texels out = {.width = opacity->width, .height = opacity->height};
    char name[300];
    const mrwi_load_texture_source source =
        source_of(where, joint->base ? joint->base : joint->opacity);
    out.width = joint->base && base->width > out.width ? base->width : out.width;
    out.height = joint->base && base->height > out.height ? base->height : out.height;
    if (!take_joint(where, joint, job->def, &out, left, builder)) {
        return true;
    }
    if (joint->base && (base->width != opacity->width || base->height != opacity->height)) {
        mrwi_scene_builder_warn(
            builder,
            "%s: its opacity texture \"%s\" has %" PRIu32 "x%" PRIu32
            " texels, but its base texture has %" PRIu32 "x%" PRIu32 ": both are drawn at %" PRIu32
            "x%" PRIu32 "; make them the same size",
            where, mrwi_base_escape(joint->opacity->path, name, sizeof name), opacity->width,
            opacity->height, base->width, base->height, out.width, out.height);
    }
    if (!mrwi_import_opacity_join(joint->base ? base : NULL, opacity, joint->how, &out) ||
        !mrwi_load_texture_settle(MRWI_IMPORT_BASE_MAPS & job->def->maps, true, &out)) {
        mrwi_base_free(out.rgba);
        return mrwi_import_ok(res, mrwi_base_fail_memory(res->error, 0));
    }
    if (!mrwi_import_ok(res, mrwi_load_texture_name(builder, &source, &joint->index, res->error))) {
        mrwi_base_free(out.rgba);
        mrwi_base_free(out.opacity);
        return false;
    }
    return mrwi_import_ok(res, mrwi_scene_builder_texels(builder, joint->index, &out, res->error));
}

/* Pushes a joined image. joint->index stays MRW_NONE if one of the two is not available, after a
 * warning. */
static bool push_joint(const char *where, mrwi_import_joint_image *joint,
                       const mrwi_load_read_job *job, mrwi_load_texture_budget *left,
                       mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    mrwi_scene_texels base = {.width = 0}, opacity;
    const uint64_t memory = left->memory; /* neither stays in memory */
    bool good = decode_image(where, joint->opacity, job, left, res, builder, &opacity);
    if (good && opacity.rgba && joint->base) {
        good = decode_image(where, joint->base, job, left, res, builder, &base);
    }
    left->memory = memory;
    if (good && opacity.rgba && (base.rgba || !joint->base)) {
        good = join_texels(where, joint, &base, &opacity, job, left, res, builder);
    }
    mrwi_base_free(base.rgba);
    mrwi_base_free(opacity.rgba);
    return good;
}

static bool same_joint(const mrwi_import_joint_image *a, const mrwi_import_joint_image *b)
{
    return a->base == b->base && a->opacity == b->opacity && a->how.from == b->how.from &&
           a->how.inverted == b->how.inverted && a->how.amount == b->how.amount;
}

/* Finds or makes a joined image; *index is MRW_NONE if there is none. */
bool mrwi_import_images_join(const char *where, const mrwi_import_joint_image *wanted,
                             const mrwi_load_read_job *job, mrwi_import_images *all,
                             mrwi_import_resources *res, mrwi_scene_builder *builder,
                             uint32_t *index)
{
    for (const mrwi_import_joint_image *known = all->joined; known; known = known->next) {
        if (same_joint(known, wanted)) {
            *index = known->index;
            return true;
        }
    }
    mrwi_import_joint_image *added = mrwi_import_keep(res, 1, sizeof *added);
    if (!added) {
        return false;
    }
    *added = *wanted;
    added->index = MRW_NONE;
    added->next = all->joined;
    all->joined = added;
    const bool good = push_joint(where, added, job, &all->left, res, builder);
    *index = added->index;
    return good;
}
