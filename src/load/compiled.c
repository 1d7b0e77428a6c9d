/* compiled.c: writes and reads scenes as files; see compiled.h. */
#include "load/compiled.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "load/texture.h"
#include "scene/blob.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC       "\x8dmarrow\n"
#define VERSION     MRWI_SCENE_BLOB_VERSION
#define OLDEST      1u
#define BYTE_ORDER_ 0x01020304u
#define FORMAT      "marrow"

typedef struct header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size;
    uint8_t hash[32];
    uint64_t zero;
} header;

_Static_assert(sizeof(header) == MRWI_SCENE_BLOB_ALIGN, "padding in the header");

static void hash_of(const void *blob, uint64_t size, uint8_t out[32])
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, blob, (size_t)size);
    mrwi_base_sha256_end(&hash, out);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Makes the header of the same blob with two more strings: FORMAT as the name of its format, and
 * then the name it had (mrw_scene_source_format). */
static bool layout_of(const mrw_scene *scene, mrwi_scene_blob_header *out)
{
    memcpy(out, scene->blob, sizeof *out);
    const char *source = mrw_scene_string(scene, scene->format);
    if (strcmp(source, FORMAT) == 0) {
        return true;
    }
    out->format = scene->strings_count;
    out->sections[MRWI_SCENE_SECTION_strings].count += sizeof FORMAT + strlen(source) + 1;
    return mrwi_scene_blob_layout(out);
}

mrw_status mrw_scene_compile(const mrw_scene *scene, mrw_bytes *out, mrw_error *error)
{
    assert(scene && out);
    memset(out, 0, sizeof *out);
    mrwi_scene_blob_header layout;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        if ((scene->images[i].flags & (MRW_IMAGE_UNDECODED | MRW_IMAGE_ENCODED)) != 0) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "a scene that was loaded without texels cannot be compiled");
        }
    }
    if (!layout_of(scene, &layout)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "the scene is too large to be compiled");
    }
    size_t size = (size_t)layout.size + sizeof(header);
    out->data = mrwi_base_alloc_zero(size, 1);
    if (!out->data) {
        return mrwi_base_fail_memory(error, size);
    }
    out->size = size;
    uint8_t *blob = out->data + sizeof(header);
    memcpy(blob, &layout, sizeof layout);
    mrwi_scene_blob_copy_sections(scene->blob, blob);
    if (layout.format != scene->format) {
        const char *source = mrw_scene_string(scene, scene->format);
        uint8_t *at = blob + layout.sections[MRWI_SCENE_SECTION_strings].offset + layout.format;
        memcpy(at, FORMAT, sizeof FORMAT);
        memcpy(at + sizeof FORMAT, source, strlen(source) + 1);
    }
    header h = {.version = VERSION, .byte_order = BYTE_ORDER_, .size = layout.size};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    hash_of(blob, layout.size, h.hash);
    memcpy(out->data, &h, sizeof h);
    return MRW_OK;
}

/* ---- images that do not fit ------------------------------------------------------------------ */

/* A scene whose images exceed their limits, and how they fit. */
typedef struct fitting {
    const mrw_scene *scene;
    bool *over; /* per image: true if it exceeds them */
    char *texts;
    uint32_t text_size, text_room;
    uint64_t texels; /* texels after fitting */
    bool stay;       /* true to keep the texels, although they will not be drawn */
} fitting;

#define OVER_TEXT     600u /* most bytes of a warning */
#define MOST_WARNINGS 200u

static void find_over(fitting *f, uint64_t left)
{
    char where[32];
    for (uint32_t i = 0; i < f->scene->images_count; i++) {
        const mrw_image_info *image = &f->scene->images[i];
        const uint64_t texels =
            mrwi_scene_image_texels(image, f->scene->texels + (size_t)image->first_texel * 4);
        const bool shown = (image->flags & (MRW_IMAGE_MISSING | MRW_IMAGE_UNSEEN)) == 0;
        const uint64_t memory = shown ? mrw_image_memory(image->width, image->height) : 0;
        f->over[i] = memory > left;
        f->texels +=
            f->over[i] && !f->stay ? MRWI_SCENE_CHECKER_SIDE * MRWI_SCENE_CHECKER_SIDE : texels;
        if (!f->over[i]) {
            left -= memory;
            continue;
        }
        if (f->text_room - f->text_size >= OVER_TEXT) {
            const char *path = mrw_scene_string(f->scene, image->path);
            const char *name = mrw_scene_string(f->scene, image->name);
            snprintf(where, sizeof where, "image %" PRIu32, i);
            mrwi_load_texture_over(f->texts + f->text_size, OVER_TEXT, where,
                                   path[0] != '\0' ? path : name, image->width, image->height,
                                   left);
            f->text_size += (uint32_t)strlen(f->texts + f->text_size) + 1;
        }
    }
}

/* Copies the texels, with checkers in place of some. */
static void replace_texels(const fitting *f, mrw_image_info *images, uint8_t *texels)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->scene->images_count; i++) {
        const mrw_image_info *old = &f->scene->images[i];
        if (f->over[i]) {
            images[i].width = images[i].height = MRWI_SCENE_CHECKER_SIDE;
            images[i].flags = (old->flags & MRW_IMAGE_EMBEDDED) | MRW_IMAGE_MISSING;
            mrwi_scene_checker_fill(texels + (size_t)at * 4);
        } else {
            const uint8_t *from = f->scene->texels + (size_t)old->first_texel * 4;
            memcpy(texels + (size_t)at * 4, from, (size_t)mrwi_scene_image_texels(old, from) * 4);
        }
        images[i].first_texel = at;
        at += (uint32_t)mrwi_scene_image_texels(&images[i], texels + (size_t)at * 4);
    }
}

static uint32_t count_texts(const fitting *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->text_size; i++) {
        count += f->texts[i] == '\0';
    }
    return count;
}

/* Makes the scene again, with checkers and the warnings that say so. NULL when out of memory. */
static char *remake(const fitting *f, uint64_t *size)
{
    mrwi_scene_blob_header layout;
    memcpy(&layout, f->scene->blob, sizeof layout);
    layout.sections[MRWI_SCENE_SECTION_strings].count += f->text_size;
    layout.sections[MRWI_SCENE_SECTION_warnings].count += count_texts(f);
    layout.sections[MRWI_SCENE_SECTION_texels].count = f->texels;
    char *blob =
        mrwi_scene_blob_layout(&layout) ? mrwi_base_alloc_zero((size_t)layout.size, 1) : NULL;
    if (!blob) {
        return NULL;
    }
    *size = layout.size;
    memcpy(blob, &layout, sizeof layout);
    mrwi_scene_blob_copy_sections(f->scene->blob, blob);
    if (!f->stay) {
        replace_texels(f, (void *)(blob + layout.sections[MRWI_SCENE_SECTION_images].offset),
                       (uint8_t *)blob + layout.sections[MRWI_SCENE_SECTION_texels].offset);
    }
    uint32_t *warnings = (void *)(blob + layout.sections[MRWI_SCENE_SECTION_warnings].offset);
    warnings += f->scene->warnings_count;
    memcpy(blob + layout.sections[MRWI_SCENE_SECTION_strings].offset + f->scene->strings_count,
           f->texts, f->text_size);
    for (uint32_t at = 0; at < f->text_size; at += (uint32_t)strlen(f->texts + at) + 1) {
        *warnings++ = f->scene->strings_count + at;
    }
    return blob;
}

/* Puts checkers in place of images that exceed their limit of memory. */
static mrw_status fit_images(const mrwi_load_read_job *job, mrw_scene **scene, mrw_error *error)
{
    if (mrw_scene_texture_memory(*scene) <= job->def->texture_memory) {
        return MRW_OK;
    }
    mrw_status status = MRW_OK;
    mrw_scene *fitted = NULL;
    void *blob = NULL;
    uint64_t size = 0;
    fitting f = {.scene = *scene, .stay = job->def->maps == 0};
    f.text_room = MOST_WARNINGS * OVER_TEXT;
    f.over = mrwi_base_alloc((*scene)->images_count, sizeof *f.over);
    f.texts = mrwi_base_alloc(f.text_room, 1);
    if (f.over && f.texts) {
        find_over(&f, job->def->texture_memory);
        blob = remake(&f, &size);
    }
    if (!blob) {
        status = mrwi_base_fail_memory(error, (size_t)(*scene)->blob_size);
        goto out;
    }
    status = mrwi_scene_from_blob(blob, size, job->name, &fitted, error);
    if (status) {
        mrwi_base_free(blob);
        goto out;
    }
    mrw_scene_free(*scene);
    *scene = fitted;
out:
    mrwi_base_free(f.over);
    mrwi_base_free(f.texts);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static mrw_status check_header(const header *h, const mrwi_load_read_job *job, const char *name,
                               mrw_error *error)
{
    if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: this is not a compiled scene", name);
    }
    if (h->version < OLDEST || h->version > VERSION || h->byte_order != BYTE_ORDER_) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the compiled scene is from another version of marrow; compile the model again",
            name);
    }
    uint8_t hash[32];
    uint64_t rest = job->size - sizeof *h;
    if (h->size != rest || h->zero != 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the compiled scene is damaged (%" PRIu64
                              " bytes instead of %" PRIu64 "); copy it or compile it again",
                              name, rest, h->size);
    }
    hash_of(job->bytes + sizeof *h, rest, hash);
    mrwi_scene_blob_header blob = {.version = h->version};
    if (rest >= sizeof blob) {
        memcpy(&blob, job->bytes + sizeof *h, sizeof blob);
    }
    if (memcmp(hash, h->hash, sizeof hash) != 0 || blob.version != h->version) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the compiled scene is damaged (its hash does not match); copy "
                              "it or compile it again",
                              name);
    }
    return MRW_OK;
}

mrw_status mrwi_load_compiled_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error)
{
    char name[300];
    header h;
    *out = NULL;
    mrwi_base_escape(job->name, name, sizeof name);
    if ((job->def->flip_v || job->def->flip_winding) && !job->def->clips_only) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: a compiled scene cannot be changed; pass --flip-v and "
                              "--flip-winding to marrow compile",
                              name);
    }
    if (job->size < sizeof h) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: the compiled scene is cut short; copy it or compile it again",
                              name);
    }
    memcpy(&h, job->bytes, sizeof h);
    mrw_status status = check_header(&h, job, name, error);
    if (status) {
        return status;
    }
    void *blob = mrwi_base_alloc((size_t)h.size, 1);
    if (!blob) {
        return mrwi_base_fail_memory(error, (size_t)h.size);
    }
    memcpy(blob, job->bytes + sizeof h, (size_t)h.size);
    status = mrwi_scene_from_blob(blob, h.size, job->name, out, error);
    if (status) {
        mrwi_base_free(blob);
        return status;
    }
    status = mrwi_load_job_check_scene(job, *out, error);
    if (status) {
        goto out;
    }
    status = fit_images(job, out, error);
out:
    if (status) {
        mrw_scene_free(*out);
        *out = NULL;
    }
    return status;
}
