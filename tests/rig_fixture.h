/* rig_fixture.h: random scenes to pose, with all kinds of channels, key times shared or not, zeros
 * of both signs, tiny and huge numbers. */
#ifndef MARROW_TEST_RIG_FIXTURE_H
#define MARROW_TEST_RIG_FIXTURE_H

#include "test.h"

#include "marrow/anim.h"

#define RIG_NODES    101
#define RIG_KEYS     9
#define RIG_CHANNELS (3 * RIG_NODES)

typedef struct rig {
    mrw_scene scene;
    mrw_node nodes[RIG_NODES];
    mrw_mat4 matrices[RIG_NODES];
    uint32_t joints[RIG_NODES];
    mrw_mat4 geometry_to_joint[RIG_NODES];
    mrw_channel channels[RIG_CHANNELS];
    double key_times[RIG_CHANNELS * RIG_KEYS];
    float key_values[RIG_CHANNELS * RIG_KEYS * 12];
    mrw_clip clip;
    mrw_skin skin;
    mrw_poser *poser;
} rig;

typedef struct rig_result {
    mrw_transform locals[RIG_NODES];
    uint8_t animated[RIG_NODES];
    mrw_mat4 node_to_world[RIG_NODES];
    mrw_mat4 palette[RIG_NODES];
} rig_result;

static uint64_t rig_state = 1;

static uint32_t rig_u32(void)
{
    return test_random(&rig_state);
}

/* For timing: nothing that CPUs are slow with. */
static bool rig_is_tame;

/* Mostly ordinary numbers, and some that are not. */
static float rig_float(void)
{
    const uint32_t kind = rig_is_tame ? 63 : rig_u32() % 64;
    const float unit = test_random_float(&rig_state, -1.0f, 1.0f);
    switch (kind) {
    case 0:
        return 0.0f;
    case 1:
        return -0.0f;
    case 2:
        return 1.0f;
    case 3:
        return unit * 1e-40f; /* not normal */
    case 4:
        return unit * 3e30f;
    default:
        return unit * 2.0f;
    }
}

static void rig_rotation(float q[4])
{
    double v[4], length = 0.0;
    do {
        length = 0.0;
        for (int i = 0; i < 4; i++) {
            v[i] = rig_u32() % 5 == 0 ? 0.0 : (double)rig_u32() / 2147483648.0 - 1.0;
            length += v[i] * v[i];
        }
    } while (length < 1e-3);
    for (int i = 0; i < 4; i++) {
        q[i] = (float)(v[i] / sqrt(length));
    }
}

static void rig_affine(mrw_mat4 *m)
{
    for (int i = 0; i < 16; i++) {
        m->m[i] = i == 15 ? 1.0f : i % 4 == 3 ? 0.0f : rig_float();
    }
}

static void rig_nodes(rig *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mrw_node *node = &r->nodes[i];
        *node = (mrw_node){.parent = i == 0 || rig_u32() % 9 == 0 ? MRW_NONE : rig_u32() % i};
        if (i > 0 && rig_u32() % 2 == 0) {
            node->parent = i - 1;
        }
        node->matrix = rig_u32() % 5 == 0 ? i : MRW_NONE;
        rig_rotation(node->rest.rotation);
        for (int k = 0; k < 3; k++) {
            node->rest.translation[k] = rig_float();
            node->rest.scale[k] = rig_float();
        }
        rig_affine(&r->matrices[i]);
        rig_affine(&r->geometry_to_joint[i]);
        r->joints[i] = rig_u32() % count;
    }
}

/* How the channels of a clip get their key times. */
typedef enum key_sharing { OWN_TIMES, SOME_SHARED, ALL_SHARED, SHARING_COUNT } key_sharing;

static void rig_times(rig *r, mrw_channel *channel, key_sharing sharing)
{
    double *times = r->key_times + channel->first_time;
    if (channel > r->channels &&
        (sharing == ALL_SHARED || (sharing == SOME_SHARED && rig_u32() % 2))) {
        const mrw_channel *other = &r->channels[rig_u32() % (uint32_t)(channel - r->channels)];
        channel->key_count = other->key_count;
        memcpy(times, r->key_times + other->first_time, other->key_count * sizeof *times);
        return;
    }
    for (uint32_t k = 0; k < channel->key_count; k++) {
        times[k] = (k > 0 ? times[k - 1] : 0.0) + 0.01 + (double)rig_u32() / 4294967296.0;
    }
}

/* Now and then all keys are the same. */
static void rig_values(rig *r, const mrw_channel *channel)
{
    const uint32_t width = channel->width;
    const uint32_t parts = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const bool constant = rig_u32() % 4 == 0;
    float *values = r->key_values + channel->first_value;
    for (uint32_t k = 0; k < channel->key_count * parts; k++, values += width) {
        if (constant && k > 0) {
            memcpy(values, values - width, width * sizeof *values);
        } else if (width == 4) {
            rig_rotation(values);
        } else {
            for (uint32_t i = 0; i < width; i++) {
                values[i] = rig_float();
            }
        }
    }
}

static void rig_clip(rig *r, uint32_t node_count, key_sharing sharing, bool all)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < node_count; n++) {
        for (uint32_t path = 0; path < 3; path++) {
            if (!all && rig_u32() % 4 == 0) {
                continue;
            }
            mrw_channel *channel = &r->channels[count];
            *channel = (mrw_channel){.node = n,
                                     .path = path,
                                     .interpolation = MRW_INTERPOLATION_LINEAR,
                                     .width = path == MRW_PATH_ROTATION ? 4 : 3,
                                     .key_count = 1 + rig_u32() % RIG_KEYS,
                                     .first_time = count * RIG_KEYS,
                                     .first_value = count * RIG_KEYS * 12};
            if (rig_u32() % 4 == 0) {
                channel->interpolation = rig_u32() % 3;
            }
            rig_times(r, channel, sharing);
            rig_values(r, channel);
            count++;
        }
    }
    r->clip = (mrw_clip){.channel_count = count, .duration = 9.0};
    r->scene.channels_count = count;
}

static inline void random_rig(rig *r, uint32_t node_count, key_sharing sharing, bool all)
{
    memset(r, 0, sizeof *r);
    rig_nodes(r, node_count);
    rig_clip(r, node_count, sharing, all);
    r->skin = (mrw_skin){.joint_count = node_count};
    r->scene.nodes = r->nodes;
    r->scene.nodes_count = node_count;
    r->scene.matrices = r->matrices;
    r->scene.clips = &r->clip;
    r->scene.clips_count = 1;
    r->scene.channels = r->channels;
    r->scene.key_times = r->key_times;
    r->scene.key_values = r->key_values;
    r->scene.skins = &r->skin;
    r->scene.skins_count = 1;
    r->scene.joints = r->joints;
    r->scene.geometry_to_joint = r->geometry_to_joint;
    ck_assert_int_eq(mrw_poser_create(&r->scene, &r->poser, NULL), MRW_OK);
}

static inline void rig_pose(const rig *r, double time, const mrw_mat4 *model_to_world, mrw_isa isa,
                            uint32_t *cursors, rig_result *out)
{
    static _Alignas(64) mrw_mat4 palette[RIG_NODES];
    memset(out, 0, sizeof *out);
    mrw_sample(&(mrw_sample_job){.poser = r->poser,
                                 .time = time,
                                 .cursors = cursors,
                                 .locals = out->locals,
                                 .animated = out->animated,
                                 .isa = isa});
    mrw_local_to_world(&(mrw_world_job){.poser = r->poser,
                                        .locals = out->locals,
                                        .animated = out->animated,
                                        .model_to_world = model_to_world,
                                        .node_to_world = out->node_to_world,
                                        .isa = isa});
    mrw_build_palette(&(mrw_palette_job){.scene = &r->scene,
                                         .node_to_world = out->node_to_world,
                                         .geometry_to_world = palette,
                                         .isa = isa});
    memcpy(out->palette, palette, r->skin.joint_count * sizeof *palette);
}

/* Which bits a NaN has is not part of the contract: none reaches an output of the library. */
static inline void check_rig_floats(const char *what, const void *actual, const void *expected,
                                    size_t size)
{
    const float *a = actual, *b = expected;
    for (size_t i = 0; i < size / sizeof(float); i++) {
        const bool same = memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i]));
        if (!same) {
            ck_abort_msg("%s, float %zu: %.9g, not %.9g", what, i, (double)a[i], (double)b[i]);
        }
    }
}

static inline void check_rig_result(const rig_result *actual, const rig_result *expected)
{
    check_rig_floats("local", actual->locals, expected->locals, sizeof actual->locals);
    ck_assert(memcmp(actual->animated, expected->animated, sizeof actual->animated) == 0);
    check_rig_floats("world", actual->node_to_world, expected->node_to_world,
                     sizeof actual->node_to_world);
    check_rig_floats("palette", actual->palette, expected->palette, sizeof actual->palette);
}

/* Mostly forwards, as a clip plays, with all guesses for the keys that there are. */
static inline double rig_time(const rig *r, double last)
{
    const uint32_t count = r->clip.channel_count;
    const double unit = (double)rig_u32() / 4294967296.0;
    switch (rig_u32() % 8) {
    case 0: /* anywhere, and outside */
        return unit * 11.0 - 1.0;
    case 1: /* at a key */
        return count > 0 ? r->key_times[r->channels[rig_u32() % count].first_time] : 0.0;
    default:
        return last + 0.2 * unit;
    }
}

#endif
