/* texture.h: finding and decoding the images a model names.
 *
 * All images are named; only those that something drawn shows are opened, in the order of the file,
 * where the limits hold. Decoding an opened one needs nothing but its bytes, so other threads may;
 * what comes of it is given to the builder in order again.
 */
#ifndef MRWI_LOAD_TEXTURE_H
#define MRWI_LOAD_TEXTURE_H

#include "load/progress.h"
#include "marrow/image.h"
#include "marrow/load.h"
#include "sandbox/files.h"
#include "scene/builder.h"

typedef struct mrwi_load_texture_source {
    const char *name;     /* may be NULL */
    const char *path;     /* as written, percent-decoded; NULL when the image is embedded */
    const uint8_t *bytes; /* PNG, JPEG ... of an embedded image; NULL: the checker */
    size_t size;
    uint8_t *owned;      /* NULL, or bytes: for mrwi_base_free */
    const char *where;   /* the element for warnings, "image 3" */
    const char *problem; /* NULL, or why there are no bytes; follows where */
    /* The maps that show it, a bit each, and MRW_MAPS_ALPHA where its alpha may cut or blend: it is
     * decoded for those that mrw_load_def.maps has. Of a DISPLACEMENT map 16 bits stay 16
     * (MRW_IMAGE_DEEP). */
    uint32_t maps;
    bool opacity; /* alpha is asked for, without texels, too (mrwi_scene_texels.opacity) */
} mrwi_load_texture_source;

/* What the images of a file may still take together. A damaged one is paid for, too: a small file
 * can name it a million times. */
typedef struct mrwi_load_texture_budget {
    uint64_t bytes;
    uint64_t pixels;
    uint64_t memory; /* for drawing */
} mrwi_load_texture_budget;
mrwi_load_texture_budget mrwi_load_texture_budget_of(const mrw_load_def *def);

/* Tells the builder that there is this image, which is not opened. */
mrw_status mrwi_load_texture_name(mrwi_scene_builder *builder, const mrwi_load_texture_source *in,
                                  uint32_t *index, mrw_error *error);

/* An image on its way to the builder. */
typedef struct mrwi_load_texture_job {
    uint32_t image;
    char where[160];
    char label[400];      /* the same with the name of the image's file, for what its bytes say */
    const uint8_t *bytes; /* NULL: there are none */
    size_t size;
    uint8_t *owned;
    uint64_t pixels; /* that are decoded, or 0 */
    uint64_t most_pixels;
    uint32_t asked; /* the maps that show it and are read */
    bool opacity, heights;
    bool over; /* the warning says that it does not fit --texture-memory */
    mrwi_scene_texels texels;
    bool out_of_memory;
    mrwi_load_progress *progress; /* NULL: nobody asks */
    char warning[1200];           /* why the checker stands in; may be empty */
} mrwi_load_texture_job;

/* Finds the bytes of an image that was named, and takes it off *left. What is missing or too large
 * will be a warning. The embedded bytes must last until the job is closed. */
mrw_status mrwi_load_texture_open(const mrw_load_def *def, const mrwi_sandbox_files *files,
                                  const mrwi_load_texture_source *in, uint32_t image,
                                  mrwi_load_texture_budget *left, mrwi_load_texture_job *out,
                                  mrw_error *error);
/* Takes its hash and decodes it, in any thread; the job is the user of a task. */
void mrwi_load_texture_decode(void *job);
/* Makes decoded texels undecoded where no map reads them: asked are those that show them and are
 * read, of which MRW_MAPS_ALPHA alone reads only what is not opaque. opacity: the alpha stays by
 * itself, where it is not 255 all over. False when out of memory. */
bool mrwi_load_texture_settle(uint32_t asked, bool opacity, mrwi_scene_texels *texels);
/* Gives what it holds to the builder: the texels, or a warning and a checker. */
mrw_status mrwi_load_texture_close(mrwi_scene_builder *builder, mrwi_load_texture_job *job,
                                   mrw_error *error);
/* Frees a job that is not closed. */
void mrwi_load_texture_drop(mrwi_load_texture_job *job);

/* Writes the warning that an image does not fit what is left of --texture-memory. */
void mrwi_load_texture_over(char *out, size_t size, const char *where, const char *name,
                            uint32_t width, uint32_t height, uint64_t left);

/* The three at once. */
mrw_status mrwi_load_texture_show(mrwi_scene_builder *builder, const mrw_load_def *def,
                                  const mrwi_sandbox_files *files,
                                  const mrwi_load_texture_source *in, uint32_t image,
                                  mrwi_load_texture_budget *left, mrw_error *error);

#endif
