/* targets.h: the readers that fuzzing feeds, one row of a table each. */
#ifndef MRW_TEST_FUZZ_TARGETS_H
#define MRW_TEST_FUZZ_TARGETS_H

#include "base/memory.h"
#include "base/sha256.h"
#include "golden/store.h"
#include "import/dae.h"
#include "import/fbx_bytes.h"
#include "import/mtl.h"
#include "marrow/marrow.h"
#include "report/results.h"
#include "suite/suite.h"

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

/* Limits that let no input take long. */
static inline mrw_load_def fuzz_load_def(void)
{
    mrw_load_def def = mrw_load_def_default();
    def.max_texture_size = 1u << 16;
    def.texture_memory = 1u << 20;
    def.max_elements = 200000;
    def.max_vertices = 20000;
    return def;
}

static inline bool fuzz_is_gltf(const uint8_t *data, size_t size)
{
    return size > 0 && (data[0] == '{' || (size >= 4 && memcmp(data, "glTF", 4) == 0));
}

static inline void fuzz_gltf(const uint8_t *data, size_t size)
{
    const mrw_load_def def = fuzz_load_def();
    mrw_scene *scene = NULL;
    mrw_error error;
    if (fuzz_is_gltf(data, size) &&
        mrw_load_memory(data, size, "input", "/dev/null", &def, &scene, &error) == MRW_OK) {
        mrw_scene_free(scene);
    }
}

/* Draws a picture of 24 x 24 with shadows. Returns false if the scene cannot be framed or takes too
 * much work. */
static inline bool fuzz_picture_of(const mrw_model *model, uint8_t hash[32])
{
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_instance instance = mrw_instance_default(model);
    mrw_renderer *renderer = NULL;
    mrw_image image = {0};
    mrw_extents extents;
    mrw_error error;
    bool drawn = false;
    def.width = def.height = 24;
    def.shadows = true;
    def.shadow_size = MRW_SHADOW_MIN_SIZE;
    instance.time = mrw_instance_duration(&instance) / 2;
    if (mrw_renderer_create(&renderer, &error) == MRW_OK &&
        mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, 1, MRW_ISA_AUTO, 1, &extents,
                          &error) == MRW_OK &&
        mrw_view_camera(&view, &extents, 1, &def.camera, &error) == MRW_OK &&
        mrw_render(renderer, &def, &instance, 1, 1, &image, &error) == MRW_OK) {
        mrw_image_hash(&image, hash);
        drawn = true;
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    return drawn;
}

/* Two pictures of one scene must be equal. */
static inline void fuzz_draw(const uint8_t *data, size_t size)
{
    const mrw_load_def def = fuzz_load_def();
    const uint64_t limit = mrw_work_limit(20000000);
    mrw_scene *scene = NULL;
    mrw_model *model = NULL;
    mrw_error error;
    uint8_t first[32], second[32];
    if (fuzz_is_gltf(data, size) &&
        mrw_load_memory(data, size, "input", "/dev/null", &def, &scene, &error) == MRW_OK &&
        mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, &error) == MRW_OK &&
        fuzz_picture_of(model, first) &&
        (!fuzz_picture_of(model, second) || memcmp(first, second, sizeof first) != 0)) {
        abort();
    }
    mrw_model_free(model);
    mrw_scene_free(scene);
    mrw_work_limit(limit);
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

/* ---- texts ----------------------------------------------------------------------------------- */

/* A suite: its sections, keys, values and cases. */
static inline void fuzz_suite(const uint8_t *data, size_t size)
{
    mrwi_base_arena arena = {0}, memory = {0};
    mrwi_suite suite = {.path = "input.suite", .folder = "", .name = "input"};
    mrwi_suite_case_list list = {.arena = &memory};
    mrw_error error;
    if (mrwi_suite_parse(&suite, (const char *)data, size, &arena, &error) == MRW_OK) {
        mrwi_suite_cases(&suite, &list, &error);
    }
    mrw_case_list cases = {.items = list.items, .count = list.count};
    mrw_cases_free(&cases);
    mrwi_suite_free(&suite);
    mrwi_base_arena_free(&arena);
    mrwi_base_arena_free(&memory);
}

/* A template of file names. */
static inline void fuzz_template(const char *text)
{
    const mrw_template_values values = {"model", "path/model", "clip", "view", "aov", "dir",
                                        7,       11,           0.25};
    static char out[MRW_OUTPUT_PATH_SIZE];
    uint32_t fields;
    mrw_error error;
    if (mrw_template_check(text, &fields, &error) == MRW_OK) {
        mrw_template_expand(text, &values, out, sizeof out, &error);
        mrw_template_add(text, MRW_FIELD_FRAME | MRW_FIELD_CLIP, out, sizeof out);
    }
}

/* A command line, one argument per line. */
static inline void fuzz_options(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    const char *arguments[MOST];
    char *text = malloc(size + 1), *rest = NULL;
    mrw_settings settings;
    mrw_frame_list frames = {0};
    const mrw_frame_span span = {2.5, {30, 1}, 75};
    mrw_error error;
    int count = 0;
    if (!text) {
        return;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = strtok_r(text, "\n", &rest); at && count < MOST;
         at = strtok_r(NULL, "\n", &rest)) {
        arguments[count++] = at;
        fuzz_template(at);
    }
    mrw_settings_init(&settings);
    if (mrw_settings_parse(&settings, count, arguments, &error) == MRW_OK &&
        mrw_settings_frames(&settings, &span, true, &frames, &error) == MRW_OK) {
        mrw_frame_list_free(&frames);
    }
    mrw_settings_free(&settings);
    free(text);
}

/* A golden.txt, which must read the same after it is written. */
static inline void fuzz_golden(const uint8_t *data, size_t size)
{
    mrwi_base_arena arena = {0};
    mrwi_golden_stored stored = {0}, again = {0};
    const mrw_bytes bytes = {(uint8_t *)(uintptr_t)data, size};
    mrw_text text = {0}, second = {0};
    mrw_error error;
    if (mrwi_golden_stored_read("golden.txt", &bytes, &arena, &stored, &error) == MRW_OK) {
        mrwi_golden_stored_write(&stored, &text);
        const mrw_bytes written = {(uint8_t *)text.data, text.size};
        const bool current = stored.version == MRWI_GOLDEN_STORED_VERSION && !text.failed;
        if (current && mrwi_golden_stored_read("again", &written, &arena, &again, &error)) {
            abort();
        }
        mrwi_golden_stored_write(current ? &again : &stored, &second);
        if (second.size != text.size || memcmp(second.data, text.data, text.size) != 0) {
            abort();
        }
    }
    mrw_text_free(&text);
    mrw_text_free(&second);
    mrwi_base_arena_free(&arena);
}

/* A results.json, merged with itself. */
static inline void fuzz_results(const uint8_t *data, size_t size)
{
    mrw_results parts[2] = {{0}}, merged = {0};
    mrw_bytes json = {0};
    mrw_error error;
    if (mrwi_report_results_parse(data, size, "results", &parts[0], &error) == MRW_OK) {
        if (mrw_results_merge(parts, 1, "merged", &merged, &error) == MRW_OK &&
            mrw_results_json(&merged, &json, &error) == MRW_OK) {
            mrw_bytes_free(&json);
        }
        mrw_results_free(&merged);
    }
    mrw_results_free(&parts[0]);
}

typedef struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} fuzz_target;

static const fuzz_target fuzz_targets[] = {
    {"picture", fuzz_picture}, {"hdr", fuzz_hdr},         {"exr", fuzz_exr},
    {"model", fuzz_model},     {"marrow", fuzz_marrow},   {"mtl", fuzz_mtl},
    {"fbx", fuzz_fbx},         {"dae", fuzz_dae},         {"gltf", fuzz_gltf},
    {"draw", fuzz_draw},       {"suite", fuzz_suite},     {"options", fuzz_options},
    {"golden", fuzz_golden},   {"results", fuzz_results},
};

#define FUZZ_TARGET_COUNT (sizeof fuzz_targets / sizeof fuzz_targets[0])

#endif
