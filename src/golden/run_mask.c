/* run_mask.c: what a case leaves out of comparisons: rectangles and images, once a case; what is
 * drawn of nodes, in each frame. */
#include "base/text.h"
#include "golden/run.h"

#include <string.h>

static void mark_rect(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks)
{
    uint64_t right = (uint64_t)mask->rect[0] + mask->rect[2];
    uint64_t bottom = (uint64_t)mask->rect[1] + mask->rect[3];
    right = right < width ? right : width;
    bottom = bottom < height ? bottom : height;
    for (uint64_t y = mask->rect[1]; y < bottom; y++) {
        for (uint64_t x = mask->rect[0]; x < right; x++) {
            marks[y * width + x] = 1;
        }
    }
}

/* Left out is what is not black and not transparent. */
static mrw_status mark_image(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks,
                             mrw_error *error)
{
    mrw_image image = {0};
    char safe[512];
    mrw_status status = mrwi_golden_image(mask->name, 4, &image, error);
    if (status != MRW_OK) {
        return status;
    }
    if (image.width != width || image.height != height) {
        status = mrwi_fail(error, MRW_ERROR_INPUT,
                           "%s: the mask is %ux%u, the pictures are %ux%u; make one of their size",
                           mrwi_escape(mask->name, safe, sizeof safe), image.width, image.height,
                           width, height);
    }
    for (size_t i = 0; i < (size_t)width * height && status == MRW_OK; i++) {
        const uint8_t *p = image.pixels + 4 * i;
        marks[i] |= (uint8_t)(p[3] > 0 && (p[0] > 0 || p[1] > 0 || p[2] > 0));
    }
    mrw_image_free(&image);
    return status;
}

mrw_status mrwi_mask_mark(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks,
                          mrw_error *error)
{
    if (mask->kind == MRW_MASK_IMAGE) {
        return mark_image(mask, width, height, marks, error);
    }
    mark_rect(mask, width, height, marks);
    return MRW_OK;
}

static mrw_status add_mask(mrwi_case_run *cr, const mrw_mask *mask, mrw_error *error)
{
    const uint32_t width = cr->settings.width, height = cr->settings.height;
    if (mask->kind == MRW_MASK_NODE) {
        return mrw_stage_find_node(&cr->model, mask->name, &cr->mask_nodes[cr->mask_node_count++],
                                   error);
    }
    if (!cr->mask) {
        cr->mask = mrwi_arena_alloc(&cr->arena, (size_t)width * height, 1);
        if (!cr->mask) {
            return mrwi_fail_memory(error, (size_t)width * height);
        }
        memset(cr->mask, 0, (size_t)width * height);
    }
    return mrwi_mask_mark(mask, width, height, cr->mask, error);
}

mrw_status mrwi_mask_make(mrwi_case_run *cr, mrw_error *error)
{
    const mrw_text_list *masks = &cr->settings.masks;
    mrw_status status = MRW_OK;
    cr->mask = NULL;
    cr->mask_node_count = 0;
    cr->mask_nodes = mrwi_arena_alloc(&cr->arena, masks->count, sizeof *cr->mask_nodes);
    if (!cr->mask_nodes) {
        return mrwi_fail_memory(error, masks->count * sizeof *cr->mask_nodes);
    }
    for (size_t i = 0; i < masks->count && status == MRW_OK; i++) {
        mrw_mask mask;
        char safe[300];
        status = mrw_mask_parse(masks->items[i], &mask)
                     ? add_mask(cr, &mask, error)
                     : mrwi_fail(error, MRW_ERROR_USAGE, "mask = %s: this is no mask",
                                 mrwi_escape(masks->items[i], safe, sizeof safe));
    }
    return status;
}

/* Where nothing is left to compare, any picture would pass. */
static mrw_status refuse_all(const uint8_t *mask, size_t pixels, mrw_error *error)
{
    return memchr(mask, 0, pixels)
               ? MRW_OK
               : mrwi_fail(error, MRW_ERROR_USAGE,
                           "the masks cover a whole picture, so that nothing of it is compared; "
                           "make them smaller (of image: what is not black is left out)");
}

mrw_status mrwi_mask_frame(mrwi_case_run *cr, const mrw_instance *instances, mrwi_worker *worker,
                           const uint8_t **out, mrw_error *error)
{
    const size_t pixels = (size_t)cr->settings.width * cr->settings.height;
    const mrw_pixel_id *ids = mrw_frame_ids(worker->renderer);
    *out = cr->mask;
    if (cr->mask_node_count == 0) {
        return cr->mask ? refuse_all(cr->mask, pixels, error) : MRW_OK;
    }
    if (worker->mask_size < pixels) {
        mrwi_free(worker->mask);
        worker->mask = mrwi_alloc(pixels, 1);
        worker->mask_size = worker->mask ? pixels : 0;
    }
    if (!worker->mask) {
        return mrwi_fail_memory(error, pixels);
    }
    if (cr->mask) {
        memcpy(worker->mask, cr->mask, pixels);
    } else {
        memset(worker->mask, 0, pixels);
    }
    for (uint32_t i = 0; i < cr->mask_node_count && ids; i++) {
        mrw_frame_mark_node(ids, pixels, instances, 0, cr->mask_nodes[i], worker->mask);
    }
    *out = worker->mask;
    return refuse_all(worker->mask, pixels, error);
}
