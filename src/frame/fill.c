/* fill.c: fills the textures of a model: from the scene's texels, from heights, and from JPEGs that
 * the scene left encoded. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"
#include "image/jpeg.h"
#include "shade/texture.h"

#include <string.h>

typedef struct texture_fill {
    const mrw_scene *scene;
    mrwi_frame_texture *textures;
    const float *height_scales;
    bool *damaged;
    bool all;             /* fill all levels, not only those that are shown */
    mrw_status *statuses; /* one per texture */
} texture_fill;

static const uint8_t *texels_of(const texture_fill *fill, uint32_t image)
{
    return fill->scene->texels + (size_t)fill->scene->images[image].first_texel * 4;
}

/* Returns the finest level to keep. */
static uint32_t finest_of(const texture_fill *fill, const mrwi_frame_texture *texture)
{
    return fill->all ? 0 : atomic_load(&texture->finest);
}

/* Fills the texture of an image with the normals of its heights. */
static mrw_status fill_with_normals(const texture_fill *fill, uint32_t index, uint32_t kind)
{
    const mrw_image_info *image = &fill->scene->images[index];
    const mrwi_frame_texture *texture = &fill->textures[index * MRWI_FRAME_TEXTURES + kind];
    const uint32_t repeats = kind - MRWI_FRAME_HEIGHTS;
    uint8_t *normals = mrwi_base_alloc((size_t)image->width * image->height, 4);
    if (!normals) {
        return MRW_ERROR_MEMORY;
    }
    mrw_raster_heights_to_normals(texels_of(fill, index), image->width, image->height,
                                  (repeats & 1u) != 0, (repeats & 2u) != 0,
                                  fill->height_scales[index], normals);
    mrw_status status =
        mrw_raster_texture_fill(texture->texture, normals, finest_of(fill, texture), NULL);
    mrwi_base_free(normals);
    return status;
}

/* ---- encoded images -------------------------------------------------------------------------- */

/* All textures of an image, while its rows are decoded. */
typedef struct streams {
    mrwi_shade_texture_filling *items[MRWI_FRAME_TEXTURES];
    uint32_t count;
    uint32_t width, height, rows; /* `rows`: those taken so far */
} streams;

static void take_rows(void *user, const uint8_t *rgba, uint32_t first_row, uint32_t rows)
{
    streams *s = user;
    (void)first_row;
    for (uint32_t i = 0; i < s->count; i++) {
        mrwi_shade_texture_rows(s->items[i], rgba, rows);
    }
    s->rows += rows;
}

/* Makes the remaining rows grey. */
static mrw_status take_grey(streams *s)
{
    uint8_t *grey = mrwi_base_alloc(s->width, 4);
    if (!grey) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t x = 0; x < s->width; x++) {
        memcpy(grey + 4 * (size_t)x, (const uint8_t[4]){128, 128, 128, 255}, 4);
    }
    while (s->rows < s->height) {
        take_rows(s, grey, s->rows, 1);
    }
    mrwi_base_free(grey);
    return MRW_OK;
}

/* Decodes an image. The importer may have lied about its size, so that is compared. */
static mrw_status decode(const uint8_t *first, streams *s, bool *damaged)
{
    mrwi_image_jpeg_header header;
    uint32_t size;
    memcpy(&size, first, sizeof size);
    const uint8_t *bytes = first + sizeof size;
    mrw_status status = mrwi_image_jpeg_read_header(bytes, size, "", &header, NULL);
    if (!status && header.width == s->width && header.height == s->height) {
        status = mrwi_image_jpeg_rows(bytes, size, 0, "", take_rows, s, damaged, NULL);
    }
    if (s->rows == s->height || status == MRW_ERROR_MEMORY) {
        return status == MRW_ERROR_MEMORY ? status : MRW_OK;
    }
    *damaged = true;
    return take_grey(s);
}

/* Fills all textures of an encoded image, with one decoding. */
static mrw_status fill_encoded(const texture_fill *fill, uint32_t image)
{
    const mrw_image_info *info = &fill->scene->images[image];
    mrwi_frame_texture *textures = &fill->textures[(size_t)image * MRWI_FRAME_TEXTURES];
    streams s = {.width = info->width, .height = info->height};
    mrw_status status = MRW_OK;
    for (uint32_t kind = 0; kind < MRWI_FRAME_TEXTURES && !status; kind++) {
        if (textures[kind].texture) {
            status = mrwi_shade_texture_begin(
                textures[kind].texture, finest_of(fill, &textures[kind]), &s.items[s.count], NULL);
            s.count += !status;
        }
    }
    if (!status && s.count > 0) {
        status = decode(texels_of(fill, image), &s, &fill->damaged[image]);
    }
    for (uint32_t i = 0; i < s.count; i++) {
        const mrw_status ended = mrwi_shade_texture_end(s.items[i], NULL);
        status = status ? status : ended;
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void fill_texture(void *user, int64_t index, int worker)
{
    const texture_fill *fill = user;
    const uint32_t kind = (uint32_t)(index % MRWI_FRAME_TEXTURES);
    const uint32_t image = (uint32_t)(index / MRWI_FRAME_TEXTURES);
    const mrwi_frame_texture *texture = &fill->textures[index];
    (void)worker;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    if ((fill->scene->images[image].flags & MRW_IMAGE_ENCODED) != 0) {
        fill->statuses[index] = kind == 0 ? fill_encoded(fill, image) : MRW_OK;
    } else if (texture->texture && kind >= MRWI_FRAME_HEIGHTS && kind < MRWI_FRAME_MASKS) {
        fill->statuses[index] = fill_with_normals(fill, image, kind);
    } else if (texture->texture) {
        fill->statuses[index] = mrw_raster_texture_fill(texture->texture, texels_of(fill, image),
                                                        finest_of(fill, texture), NULL);
    }
}

mrw_status mrwi_frame_fill_textures(const mrw_model *model, bool all, int threads, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const uint32_t count = scene->images_count * MRWI_FRAME_TEXTURES;
    mrw_status status = MRW_OK;
    mrw_status *statuses = mrwi_base_alloc_zero(count, sizeof *statuses);
    if (!statuses) {
        return mrwi_base_fail_memory(error, count * sizeof *statuses);
    }
    texture_fill fill = {scene, model->textures, model->height_scales, model->damaged,
                         all,   statuses};
    mrwi_base_parallel_for(threads, count, fill_texture, &fill);
    status = mrwi_base_work_check(NULL, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (statuses[i]) {
            const uint32_t name = scene->images[i / MRWI_FRAME_TEXTURES].name;
            mrw_error why;
            status = mrwi_base_fail_memory(&why, 0);
            mrwi_base_fail(error, status, "the texture '%s': %s", mrw_scene_string(scene, name),
                           why.text);
            goto out;
        }
        atomic_store(&model->textures[i].finest, 0); /* no finer level is to be found */
    }
out:
    mrwi_base_free(statuses);
    return status;
}

mrw_status mrw_model_fill_textures(mrw_model *model, int threads, mrw_error *error)
{
    return mrwi_frame_fill_textures(model, false, threads, error);
}

bool mrw_model_is_damaged(const mrw_model *model, uint32_t image)
{
    return model->damaged[image];
}

uint64_t mrw_model_texture_memory(const mrw_model *model)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < model->scene->images_count * MRWI_FRAME_TEXTURES; i++) {
        const mrw_raster_texture *texture = model->textures[i].texture;
        sum += texture ? mrw_raster_texture_memory(texture) : 0;
    }
    return sum;
}
