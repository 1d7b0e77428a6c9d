/* sheet.c: a contact sheet: one picture that all pictures are copied into. */
#include "base/memory.h"
#include "base/text.h"
#include "output/cells.h"
#include "output/labels.h"

#include <string.h>
#include <unistd.h>

typedef struct sheet_file {
    const mrwi_output_target *target;
    mrw_sheet_def def;
    mrw_image image;
    uint32_t *cells; /* [place] its cell */
} sheet_file;

/* Fills in the layout of the sheet. Fails only without memory. */
static mrw_status measure(const mrwi_output_target *target, mrw_sheet_def *out, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    *out = (mrw_sheet_def){.width = def->width,
                           .height = def->height,
                           .channels = def->channels,
                           .count = mrwi_output_cells(target, NULL),
                           .gap = def->gap};
    memcpy(out->background, def->background, sizeof out->background);
    out->columns = def->columns < out->count ? def->columns : out->count;
    return def->labels ? mrwi_output_labels_measure(target, out, error) : MRW_OK;
}

static uint64_t width_of(const mrw_sheet_def *sheet)
{
    return (uint64_t)sheet->columns * ((uint64_t)sheet->width + sheet->gap) + sheet->gap;
}

static uint64_t height_of(const mrw_sheet_def *sheet)
{
    const uint64_t rows = ((uint64_t)sheet->count + sheet->columns - 1) / sheet->columns;
    return rows * ((uint64_t)sheet->above + sheet->height + sheet->below + sheet->gap) + sheet->gap;
}

static void size(const mrwi_output_target *target, uint32_t *width, uint32_t *height)
{
    mrw_sheet_def sheet;
    measure(target, &sheet, NULL); /* without memory for it the sheet was never opened */
    *width = (uint32_t)width_of(&sheet);
    *height = (uint32_t)height_of(&sheet);
}

/* Finds the picture format of a sheet's file by its name; PNG if that names no picture format. */
static mrw_output_format format_of(const mrwi_output_target *target)
{
    mrw_output_format format;
    mrw_output_find_format(target->def->files->paths[target->file], 0, &format,
                           NULL); /* cannot fail without columns */
    return mrw_output_describe(format)->collects ? MRW_OUTPUT_PNG : format;
}

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    mrw_sheet_def sheet;
    const mrw_status status = measure(target, &sheet, error);
    if (status) {
        return status;
    }
    const uint64_t width = width_of(&sheet), height = height_of(&sheet);
    const uint64_t bytes = width * height * target->def->channels;
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (width > MRW_IMAGE_MAX_SIDE || height > MRW_IMAGE_MAX_SIDE) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "a sheet of %u pictures would be %llux%llu, over %d pixels per side; "
                              "use a smaller --size, fewer frames or other --sheet columns",
                              target->count, (unsigned long long)width, (unsigned long long)height,
                              MRW_IMAGE_MAX_SIDE);
    }
    if (bytes > memory / 2) {
        return mrwi_base_fail(
            error, MRW_ERROR_MEMORY,
            "a sheet of %u pictures needs %llu MiB of memory; use a smaller --size or fewer frames",
            target->count, (unsigned long long)(bytes >> 20));
    }
    return mrwi_output_check_picture(format_of(target), target->def, error);
}

static void free_file(void *self)
{
    sheet_file *file = self;
    mrw_image_free(&file->image);
    mrwi_base_free(file->cells);
    mrwi_base_free(file);
}

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    sheet_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    *out = NULL;
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    file->target = target;
    mrw_status status = measure(target, &file->def, error);
    if (status) {
        goto out;
    }
    file->cells = mrwi_base_alloc(target->count, sizeof *file->cells);
    if (!file->cells) {
        status = mrwi_base_fail_memory(error, target->count * sizeof *file->cells);
        goto out;
    }
    mrwi_output_cells(target, file->cells);
    status = mrw_sheet_create(&file->def, &file->image, error);
out:
    if (status) {
        free_file(file);
        return status;
    }
    *out = file;
    return MRW_OK;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    sheet_file *file = self;
    (void)error;
    mrw_sheet_put(&file->def, &file->image, file->cells[item->place], item->image);
    return MRW_OK;
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    (void)as;
    return put(self, item, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    sheet_file *file = self;
    const mrw_output_def *def = file->target->def;
    mrw_bytes bytes;
    mrw_status status;
    if (def->labels) {
        status = mrwi_output_labels_draw(file->target, &file->def, &file->image, error);
        if (status) {
            return status;
        }
    }
    status = mrwi_output_encode(format_of(file->target), def, &file->image, &bytes, error);
    if (status) {
        return status;
    }
    return mrwi_output_deliver(file->target, &bytes, stdout_bytes, error);
}

const mrwi_output_writer mrwi_output_sheet = {.info = {.name = "sheet",
                                                       .endings = {".png"},
                                                       .option = "--sheet",
                                                       .alpha = true,
                                                       .collects = true},
                                              .check = check,
                                              .size = size,
                                              .open = open,
                                              .put = put,
                                              .repeat = repeat,
                                              .finish = finish,
                                              .free = free_file};
