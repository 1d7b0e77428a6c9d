/* texture.h: finds and decodes the images that a model names.
 *
 * All images are named. Only those that something drawn shows are opened, in the order of the file,
 * and the limits apply there. Decoding an opened one needs only its bytes, so other threads may do
 * it. The results are given to the builder in order again. */
#ifndef MRWI_LOAD_TEXTURE_H
#define MRWI_LOAD_TEXTURE_H

#include "load/progress.h"
#include "marrow/image.h"
#include "marrow/load.h"
#include "sandbox/files.h"
#include "scene/builder.h"

typedef struct mrwi_load_texture_source {
    const char *name;     /* may be NULL */
    const char *path;     /* path in the file, percent-decoded; NULL if the image is embedded */
    const uint8_t *bytes; /* PNG, JPEG ... of an embedded image; NULL stands for the checker */
    size_t size;
    uint8_t *owned;      /* bytes to free with mrwi_base_free, or NULL */
    const char *where;   /* the element for warnings, "image 3" */
    const char *problem; /* NULL, or why there are no bytes; printed after `where` */
    /* The maps that show it, one bit each, and MRW_MAPS_ALPHA if its alpha may cut or blend: it is
     * decoded for those that mrw_load_def.maps contains. 16 bits of a DISPLACEMENT map stay 16
     * (MRW_IMAGE_DEEP). */
    uint32_t maps;
    bool opacity; /* true if alpha is needed, even without texels (mrwi_scene_texels.opacity) */
} mrwi_load_texture_source;

/* The remaining budget for a file's images. Damaged images are charged, too: a small file can name
 * it a million times. */
typedef struct mrwi_load_texture_budget {
    uint64_t bytes;
    uint64_t pixels;
    uint64_t memory; /* memory for drawing */
} mrwi_load_texture_budget;
mrwi_load_texture_budget mrwi_load_texture_budget_of(const mrw_load_def *def);

/* Tells the builder that this image exists; it is not opened. */
mrw_status mrwi_load_texture_name(mrwi_scene_builder *builder, const mrwi_load_texture_source *in,
                                  uint32_t *index, mrw_error *error);

/* An image on its way to the builder. */
typedef struct mrwi_load_texture_job {
    uint32_t image;
    char where[160];
    char label[400];      /* `where` with the name of the image's file, for faults in its bytes */
    const uint8_t *bytes; /* NULL if there are none */
    size_t size;
    uint8_t *owned;
    uint64_t pixels; /* number of pixels that are decoded, or 0 */
    uint64_t most_pixels;
    uint32_t asked; /* maps that show it and are read */
    bool opacity, heights;
    bool later; /* a JPEG that stays encoded if it can be decoded row by row */
    bool over;  /* true if the warning says that it does not fit --texture-memory */
    mrwi_scene_texels texels;
    bool out_of_memory;
    mrwi_load_progress *progress; /* may be NULL */
    char warning[1200];           /* why the checker stands in; may be empty */
} mrwi_load_texture_job;

/* Finds the bytes of an image that was named, and subtracts it from *left. A missing or too large
 * image becomes a warning. The embedded bytes must last until the job is closed. */
mrw_status mrwi_load_texture_open(const mrw_load_def *def, const mrwi_sandbox_files *files,
                                  const mrwi_load_texture_source *in, uint32_t image,
                                  mrwi_load_texture_budget *left, mrwi_load_texture_job *out,
                                  mrw_error *error);
/* Hashes the bytes and decodes them, in any thread. The job is the user of a task. */
void mrwi_load_texture_decode(void *job);
/* Drops decoded texels that no map reads. asked: the maps that show them and are read; of these
 * MRW_MAPS_ALPHA alone needs texels only if they are not opaque. opacity: alpha is kept separately,
 * unless it is 255 everywhere. Returns false when out of memory. */
bool mrwi_load_texture_settle(uint32_t asked, bool opacity, mrwi_scene_texels *texels);
/* Gives the result to the builder: the texels, or a warning and a checker. */
mrw_status mrwi_load_texture_close(mrwi_scene_builder *builder, mrwi_load_texture_job *job,
                                   mrw_error *error);
/* Frees a job that is not closed. */
void mrwi_load_texture_drop(mrwi_load_texture_job *job);

/* Writes the warning that an image exceeds the rest of --texture-memory. */
void mrwi_load_texture_over(char *out, size_t size, const char *where, const char *name,
                            uint32_t width, uint32_t height, uint64_t left);

/* Opens, decodes and closes at once. */
mrw_status mrwi_load_texture_show(mrwi_scene_builder *builder, const mrw_load_def *def,
                                  const mrwi_sandbox_files *files,
                                  const mrwi_load_texture_source *in, uint32_t image,
                                  mrwi_load_texture_budget *left, mrw_error *error);

#endif
