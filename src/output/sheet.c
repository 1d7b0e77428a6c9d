/* sheet.c: a contact sheet: one picture that all are copied into. */
#include "base/memory.h"
#include "base/text.h"
#include "output/writer.h"

#include <string.h>
#include <unistd.h>

#define GAP 4 /* pixels between the pictures */

typedef struct sheet_file {
    const mrwi_output_target *target;
    mrw_sheet_def def;
    mrw_image image;
} sheet_file;

static uint64_t columns_of(const mrwi_output_target *target)
{
    return target->def->columns < target->count ? target->def->columns : target->count;
}

static uint64_t width_of(const mrwi_output_target *target)
{
    return columns_of(target) * (target->def->width + GAP) + GAP;
}

static uint64_t height_of(const mrwi_output_target *target)
{
    const uint64_t columns = columns_of(target), rows = (target->count + columns - 1) / columns;
    return rows * (target->def->height + GAP) + GAP;
}

static void size(const mrwi_output_target *target, uint32_t *width, uint32_t *height)
{
    *width = (uint32_t)width_of(target);
    *height = (uint32_t)height_of(target);
}

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    const uint64_t width = width_of(target), height = height_of(target);
    const uint64_t bytes = width * height * target->def->channels;
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (width > MRW_IMAGE_MAX_SIDE || height > MRW_IMAGE_MAX_SIDE) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "a sheet of %u pictures would be %llux%llu, over %d a side; use a smaller "
            "--size, fewer frames or other --sheet columns",
            target->count, (unsigned long long)width, (unsigned long long)height,
            MRW_IMAGE_MAX_SIDE);
    }
    if (bytes > memory / 2) {
        return mrwi_base_fail(
            error, MRW_ERROR_MEMORY,
            "a sheet of %u pictures needs %llu MiB of memory; use a smaller --size or fewer frames",
            target->count, (unsigned long long)(bytes >> 20));
    }
    return MRW_OK;
}

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    sheet_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    *out = file;
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    file->target = target;
    file->def = (mrw_sheet_def){.width = def->width,
                                .height = def->height,
                                .channels = def->channels,
                                .count = target->count,
                                .columns = (uint32_t)columns_of(target),
                                .gap = GAP};
    memcpy(file->def.background, def->background, sizeof file->def.background);
    mrw_status status = mrw_sheet_create(&file->def, &file->image, error);
    if (status != MRW_OK) {
        mrwi_base_free(file);
        *out = NULL;
    }
    return status;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    sheet_file *file = self;
    (void)error;
    mrw_sheet_put(&file->def, &file->image, item->place, item->image);
    return MRW_OK;
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    (void)as;
    return put(self, item, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    const sheet_file *file = self;
    const char *path = file->target->path;
    mrw_bytes bytes;
    mrw_status status = mrw_png_encode_as(&file->image, &file->target->def->png, &bytes, error);
    if (status == MRW_OK && !path) {
        *stdout_bytes = bytes;
    } else if (status == MRW_OK) {
        status = mrw_file_write(path, bytes.data, bytes.size, error);
        mrw_bytes_free(&bytes);
    }
    return status;
}

static void free_file(void *self)
{
    sheet_file *file = self;
    mrw_image_free(&file->image);
    mrwi_base_free(file);
}

const mrwi_output_writer mrwi_output_sheet = {
    .info = {.name = "sheet", .ending = ".png", .collects = true},
    .check = check,
    .size = size,
    .open = open,
    .put = put,
    .repeat = repeat,
    .finish = finish,
    .free = free_file};
