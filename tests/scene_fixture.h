/* scene_fixture.h: what the tests of the scene share: a builder in a few words. */
#ifndef MARROW_SCENE_FIXTURE_H
#define MARROW_SCENE_FIXTURE_H

#include "test.h"

#include "scene/builder.h"

#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const mrw_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static inline mrwi_scene_builder *begin(void)
{
    mrwi_scene_builder *b;
    ck_assert_int_eq(mrwi_scene_builder_create("model.glb", "glb2", &b, NULL), MRW_OK);
    return b;
}

static inline mrw_scene *finish(mrwi_scene_builder *b)
{
    mrw_scene *scene;
    mrw_error error = {0};
    mrw_status status = mrwi_scene_builder_finish(b, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    mrwi_scene_builder_free(b);
    return scene;
}

/* Expects finish to refuse with a message that contains `words`. */
static inline void finish_refused(mrwi_scene_builder *b, const char *words)
{
    mrw_scene *scene;
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_scene_builder_finish(b, &scene, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(scene);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
    mrwi_scene_builder_free(b);
}

static inline uint32_t add_node(mrwi_scene_builder *b, const char *name, uint32_t parent)
{
    mrwi_scene_node_input in = {.name = name, .parent = parent, .rest = identity};
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

static inline uint32_t add_scaled(mrwi_scene_builder *b, uint32_t parent, float x, float y, float z)
{
    mrwi_scene_node_input in = {.parent = parent, .rest = identity};
    in.rest.scale[0] = x;
    in.rest.scale[1] = y;
    in.rest.scale[2] = z;
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

static inline uint32_t add_mesh(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in)
{
    uint32_t index;
    mrw_error error = {0};
    mrw_status status = mrwi_scene_builder_mesh(b, in, &index, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return index;
}

static const char *string_at(const mrw_scene *s, uint32_t offset)
{
    return mrw_scene_string(s, offset);
}

static inline bool warned(const mrw_scene *s, const char *words)
{
    for (uint32_t i = 0; i < s->warnings_count; i++) {
        if (strstr(string_at(s, s->warnings[i]), words)) {
            return true;
        }
    }
    return false;
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float up_normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};

static inline mrwi_scene_mesh_input triangle_mesh(void)
{
    return (mrwi_scene_mesh_input){.name = "tri",
                                   .material = MRW_NONE,
                                   .vertex_count = 3,
                                   .index_count = 3,
                                   .positions = triangle,
                                   .normals = up_normals};
}

static uint64_t random_state = 1;

static inline uint32_t random_u32(void)
{
    return test_random(&random_state);
}

static inline float random_unit(void)
{
    return test_random_float(&random_state, 0.0f, 1.0f);
}

/* Two triangles of a square as six corners. */
static const float square[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};

static inline mrwi_scene_mesh_input square_mesh(void)
{
    return (mrwi_scene_mesh_input){
        .material = MRW_NONE, .vertex_count = 6, .index_count = 6, .positions = square};
}

static inline void add_clip(mrwi_scene_builder *b, const char *name, double start)
{
    ck_assert_int_eq(mrwi_scene_builder_clip(b, name, start, NULL), MRW_OK);
}

static inline void add_channel(mrwi_scene_builder *b, const mrwi_scene_channel_input *in)
{
    mrw_error error = {0};
    mrw_status status = mrwi_scene_builder_channel(b, in, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
}

static inline mrwi_scene_channel_input linear(uint32_t node, mrw_path path, uint32_t width,
                                              uint32_t keys, const double *times,
                                              const float *values)
{
    return (mrwi_scene_channel_input){.node = node,
                                      .path = path,
                                      .interpolation = MRW_INTERPOLATION_LINEAR,
                                      .width = width,
                                      .key_count = keys,
                                      .times = times,
                                      .values = values};
}

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline TCase *test_case(Suite *s, const char *name)
{
    TCase *tc = tcase_create(name);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return tc;
}

#endif
