/* targets.h: the readers that fuzzing feeds, one row of a table each. */
#ifndef MRW_TEST_FUZZ_TARGETS_H
#define MRW_TEST_FUZZ_TARGETS_H

#include "base/memory.h"
#include "base/sha256.h"
#include "import/dae.h"
#include "import/fbx_bytes.h"
#include "import/mtl.h"
#include "marrow/marrow.h"

#include <stdlib.h>
#include <string.h>

/* Texels that a picture of an input may have: more only takes time. */
#define FUZZ_TEXELS (1u << 20)

/* Every format that mrw_image_decode knows: it looks at the content. */
static inline void fuzz_picture(const uint8_t *data, size_t size)
{
    mrw_image image = {0};
    mrw_error error;
    if (mrw_image_decode(data, size, 4, FUZZ_TEXELS, "input", &image, &error) == MRW_OK) {
        mrw_image_free(&image);
    }
}

static inline void fuzz_hdr(const uint8_t *data, size_t size)
{
    mrw_image image = {0};
    mrw_error error;
    if (mrw_image_decode_hdr(data, size, FUZZ_TEXELS, "input", &image, &error) == MRW_OK) {
        mrw_image_free(&image);
    }
}

static inline void fuzz_exr(const uint8_t *data, size_t size)
{
    mrw_image image = {0};
    mrw_error error;
    if (mrw_image_decode_exr(data, size, FUZZ_TEXELS, "input", &image, &error) == MRW_OK) {
        mrw_image_free(&image);
    }
}

/* Models of our own readers: glTF, GLB, IQM, M3D and .marrow. An input of another format would
 * start the import helper, so it is left out. */
static inline void fuzz_model(const uint8_t *data, size_t size)
{
    static const char *const magics[] = {"glTF", "INTERQUAKEMODEL", "3DMO", "\x8dmarrow\n", "{"};
    mrw_scene *scene = NULL;
    mrw_error error;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        size_t length = strlen(magics[i]);
        if (size >= length && memcmp(data, magics[i], length) == 0) {
            if (mrw_load_memory(data, size, "input", "/dev/null", NULL, &scene, &error) == MRW_OK) {
                mrw_scene_free(scene);
            }
            return;
        }
    }
}

/* A .marrow whose hash is that of the damaged content, so that its checks meet the damage. The hash
 * stands behind the magic, version, byte order and size: src/load/compiled.c. */
static inline void fuzz_marrow(const uint8_t *data, size_t size)
{
    uint8_t *copy = size >= 64 && memcmp(data, "\x8dmarrow\n", 8) == 0 ? malloc(size) : NULL;
    if (copy) {
        uint64_t content = size - 64;
        mrwi_base_sha256 hash;
        memcpy(copy, data, size);
        memcpy(copy + 16, &content, sizeof content);
        mrwi_base_sha256_begin(&hash);
        mrwi_base_sha256_add(&hash, copy + 64, (size_t)content);
        mrwi_base_sha256_end(&hash, copy + 24);
        fuzz_model(copy, size);
        free(copy);
    }
}

static inline void fuzz_mtl(const uint8_t *data, size_t size)
{
    mrwi_import_mtl mtl = {0};
    char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        mrwi_import_mtl_read(text, size, &mtl);
        mrwi_import_mtl_sort(&mtl);
        mrwi_import_mtl_find(&mtl, "red", 0);
        mrwi_import_mtl_free(&mtl);
        free(text);
    }
}

static inline void fuzz_fbx(const uint8_t *data, size_t size)
{
    for (int curves = 0; curves < 2; curves++) {
        mrwi_import_fbx_sliders sliders = {0};
        mrwi_import_beyond beyond = {0};
        uint32_t unpainted = 0;
        uint8_t *mended = NULL;
        size_t mended_size = 0;
        mrwi_import_fbx_mend(data, size, curves != 0, &sliders, &beyond, &unpainted, &mended,
                             &mended_size);
        mrwi_import_fbx_sliders_free(&sliders);
        mrwi_import_beyond_free(&beyond);
        mrwi_base_free(mended);
    }
}

static inline void fuzz_dae(const uint8_t *data, size_t size)
{
    mrwi_import_beyond beyond = {0};
    uint8_t *mended = NULL;
    size_t mended_size = 0;
    uint32_t tags = mrwi_import_dae_find_tags((const char *)data, size);
    mrwi_import_dae_mend(data, size, tags, &beyond, &mended, &mended_size);
    mrwi_import_beyond_free(&beyond);
    mrwi_base_free(mended);
    mrwi_import_dae_morphs_left_out((const char *)data, size);
    mrwi_import_dae_displaces((const char *)data, size);
}

typedef struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} fuzz_target;

static const fuzz_target fuzz_targets[] = {
    {"picture", fuzz_picture}, {"hdr", fuzz_hdr}, {"exr", fuzz_exr}, {"model", fuzz_model},
    {"marrow", fuzz_marrow},   {"mtl", fuzz_mtl}, {"fbx", fuzz_fbx}, {"dae", fuzz_dae},
};

#define FUZZ_TARGET_COUNT (sizeof fuzz_targets / sizeof fuzz_targets[0])

#endif
