/* output.c: the table of formats, and pictures on their way from several threads to the writers of
 * their files. A file is opened for its first picture, and finished and closed after its last: no
 * other pictures are in memory than those being drawn. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"
#include "output/writer.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- formats --------------------------------------------------------------------------------- */

static const mrwi_output_writer *const writers[MRW_OUTPUT_FORMAT_COUNT] = {
#define WRITER(identifier, writer) [MRW_OUTPUT_##identifier] = &mrwi_output_##writer,
    MRW_OUTPUT_FORMATS(WRITER)
#undef WRITER
};

const mrw_output_info *mrw_output_describe(mrw_output_format format)
{
    assert(format < MRW_OUTPUT_FORMAT_COUNT);
    return &writers[format]->info;
}

void mrw_output_endings(bool (*fits)(const mrw_output_info *info, uint32_t user), uint32_t user,
                        mrw_text *out)
{
    size_t left = 0;
    for (int round = 0; round < 2; round++) {
        const size_t count = left;
        for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT; i++) {
            const mrw_output_info *info = &writers[i]->info;
            if (info->option || !fits(info, user)) {
                continue;
            }
            left += round == 0 ? 1 : (size_t)-1;
            if (round == 1) {
                mrw_text_add(out, "%s%s",
                             left + 1 == count ? ""
                             : left == 0       ? " or "
                                               : ", ",
                             info->endings[0]);
            }
        }
    }
}

mrw_status mrwi_output_encode(mrw_output_format format, const mrw_output_def *def,
                              const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    const mrwi_output_writer *writer = writers[format];
    if (writer->info.alpha || image->channels != 4) {
        return writer->encode(def, image, out, error);
    }
    mrw_image flat = {0};
    mrw_status status = mrwi_output_flatten(image, def->matte, &flat, error);
    if (status) {
        goto out;
    }
    status = writer->encode(def, &flat, out, error);
out:
    mrw_image_free(&flat);
    return status;
}

mrw_status mrwi_output_check_picture(mrw_output_format format, const mrw_output_def *def,
                                     mrw_error *error)
{
    const mrw_output_info *info = &writers[format]->info;
    const bool takes = (info->takes & MRW_TAKES_MATTE) != 0;
    return info->alpha || def->channels != 4 || (takes && def->has_matte)
               ? MRW_OK
               : mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "a %s has no alpha; %sgive --background COLOR, or write .png",
                                info->endings[0],
                                takes ? "lay it over a colour with --matte COLOR, " : "");
}

mrw_status mrw_output_find_format(const char *path, uint32_t columns, mrw_output_format *out,
                                  mrw_error *error)
{
    const bool named = path && (mrw_output_is_stdout(path) || !mrw_output_is_folder(path));
    mrw_output_format found = MRW_OUTPUT_PNG;
    char safe[512];
    for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT && named; i++) {
        const mrw_output_info *info = &writers[i]->info;
        for (int k = 0; info->endings[k] && !info->option; k++) {
            found = mrw_output_ends_with(path, info->endings[k]) ? (mrw_output_format)i : found;
        }
    }
    *out = columns > 0 ? MRW_OUTPUT_SHEET : found;
    return columns > 0 && writers[found]->info.collects
               ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "-o '%s': a contact sheet is a picture, not an animation; give it "
                                "a name that ends in .png, or leave out --sheet",
                                mrwi_base_escape(path, safe, sizeof safe))
               : MRW_OK;
}

/* ---- open files ------------------------------------------------------------------------------ */

typedef struct output_file {
    mrwi_output_target target;
    mrwi_output_made made;
    void *writer;     /* the format's own file, while it's open; else NULL */
    atomic_uint left; /* number of pictures that have not come */
} output_file;

struct mrw_output {
    mrw_output_def def;
    const mrwi_output_writer *format;
    output_file *files;
    uint32_t *places; /* [picture] its place in its file */
    mrwi_output_worker *workers;
    mrw_bytes stdout_bytes;
    pthread_mutex_t lock; /* held while a file is opened */
};

/* Makes each file's target and each picture's place, and lets the format check the targets. */
static mrw_status make_files(mrw_output *output, mrw_error *error)
{
    const mrw_output_def *def = &output->def;
    const mrw_output_files *files = def->files;
    for (uint32_t i = 0; i < files->picture_count; i++) {
        output->places[i] = output->files[files->of[i]].target.count++;
    }
    for (uint32_t f = 0; f < files->count; f++) {
        output_file *file = &output->files[f];
        file->target.def = def;
        file->target.file = f;
        file->target.made = &file->made;
        file->target.path = mrw_output_is_stdout(files->paths[f]) ? NULL : files->paths[f];
        file->target.rate = def->rates ? def->rates[f] : (mrw_rate){1, 1};
        atomic_init(&file->left, file->target.count);
        mrw_status status =
            output->format->check ? output->format->check(&file->target, error) : MRW_OK;
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrw_output_open(const mrw_output_def *def, mrw_output **out, mrw_error *error)
{
    const mrw_output_files *files = def->files;
    mrw_output *output = mrwi_base_alloc_zero(1, sizeof *output);
    mrw_status status;
    assert(def->format < MRW_OUTPUT_FORMAT_COUNT && def->workers > 0);
    assert(def->format != MRW_OUTPUT_SHEET || def->columns > 0);
    *out = NULL;
    if (!output) {
        return mrwi_base_fail_memory(error, sizeof *output);
    }
    *output = (mrw_output){
        .def = *def,
        .format = writers[def->format],
        .files = mrwi_base_alloc_zero(files->count, sizeof *output->files),
        .places = mrwi_base_alloc_zero(files->picture_count, sizeof *output->places),
        .workers = mrwi_base_alloc_zero((size_t)def->workers, sizeof *output->workers)};
    pthread_mutex_init(&output->lock, NULL);
    if (!output->files || !output->places || !output->workers) {
        status = mrwi_base_fail_memory(error, files->count * sizeof *output->files);
    } else {
        status = make_files(output, error);
    }
    if (status) {
        mrw_output_free(output);
        return status;
    }
    *out = output;
    return MRW_OK;
}

void mrw_output_free(mrw_output *output)
{
    if (!output) {
        return;
    }
    for (uint32_t f = 0; output->files && f < output->def.files->count; f++) {
        if (output->files[f].writer) {
            output->format->free(output->files[f].writer);
        }
        mrwi_base_free(output->files[f].made.page_of);
    }
    for (int i = 0; output->workers && i < output->def.workers; i++) {
        mrw_png_encoder_free(output->workers[i].encoder);
        mrw_bytes_free(&output->workers[i].own);
    }
    mrw_bytes_free(&output->stdout_bytes);
    pthread_mutex_destroy(&output->lock);
    mrwi_base_free(output->files);
    mrwi_base_free(output->places);
    mrwi_base_free(output->workers);
    mrwi_base_free(output);
}

mrw_status mrw_output_put(mrw_output *output, int worker, uint32_t picture, uint32_t same_as,
                          const mrw_image *image, mrw_error *error)
{
    const mrwi_output_writer *format = output->format;
    const uint32_t *of = output->def.files->of;
    output_file *file = &output->files[of[picture]];
    mrwi_output_worker *own = &output->workers[worker];
    const mrwi_output_item item = {output->places[picture], image, own};
    const bool again = picture != same_as && (!format->info.collects || of[same_as] == of[picture]);
    assert(worker >= 0 && worker < output->def.workers);
    mrw_status status = own->encoder ? MRW_OK : mrw_png_encoder_create(&own->encoder, error);
    if (status) {
        return status;
    }
    /* Opens the file once, even if two threads arrive with its first pictures. */
    pthread_mutex_lock(&output->lock);
    status = file->writer ? MRW_OK : format->open(&file->target, &file->writer, error);
    pthread_mutex_unlock(&output->lock);
    if (status) {
        return status;
    }
    status = again ? format->repeat(file->writer, &item, output->places[same_as], error)
                   : format->put(file->writer, &item, error);
    if (status) {
        return status;
    }
    if (atomic_fetch_sub(&file->left, 1) != 1) {
        return MRW_OK;
    }
    status = format->finish(file->writer, &output->stdout_bytes, error);
    format->free(file->writer);
    file->writer = NULL;
    return status;
}

mrw_status mrwi_output_deliver(const mrwi_output_target *target, mrw_bytes *bytes,
                               mrw_bytes *stdout_bytes, mrw_error *error)
{
    if (!target->path) {
        *stdout_bytes = *bytes;
        return MRW_OK;
    }
    mrw_status status = mrw_file_write(target->path, bytes->data, bytes->size, error);
    mrw_bytes_free(bytes);
    return status;
}

mrw_status mrw_output_finish(mrw_output *output, mrw_bytes *stdout_bytes, mrw_error *error)
{
    for (uint32_t f = 0; f < output->def.files->count; f++) {
        if (atomic_load(&output->files[f].left) > 0) {
            return mrwi_base_fail(error, MRW_ERROR_INTERNAL, "pictures of a file are missing");
        }
    }
    *stdout_bytes = output->stdout_bytes;
    output->stdout_bytes = (mrw_bytes){0};
    return MRW_OK;
}

void mrw_output_line(const mrw_output *output, uint32_t file, mrw_text *out)
{
    if (output->format->line) {
        output->format->line(&output->files[file].target, out);
    }
}

void mrw_output_size(const mrw_output *output, uint32_t file, uint32_t *width, uint32_t *height)
{
    *width = output->def.width;
    *height = output->def.height;
    if (output->files[file].made.pages > 0) {
        *width = output->files[file].made.width;
        *height = output->files[file].made.height;
    } else if (output->format->size) {
        output->format->size(&output->files[file].target, width, height);
    }
}

uint32_t mrw_output_pages(const mrw_output *output, uint32_t file)
{
    const uint32_t pages = output->files[file].made.pages;
    return pages > 0 ? pages : 1;
}

uint32_t mrw_output_page_of(const mrw_output *output, uint32_t picture)
{
    const uint32_t *pages = output->files[output->def.files->of[picture]].made.page_of;
    return pages ? pages[output->places[picture]] : 0;
}

uint64_t mrw_output_left_out(const mrw_output *output)
{
    uint64_t sum = 0;
    for (uint32_t f = 0; output->format->left_out && f < output->def.files->count; f++) {
        sum += output->format->left_out(&output->files[f].target);
    }
    return sum;
}
