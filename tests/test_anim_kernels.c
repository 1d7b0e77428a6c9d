/* test_anim_kernels.c: every instruction set gives the bits of the scalar kernels, on random scenes
 * with all kinds of channels, key times shared or not, zeros of both signs, tiny and huge numbers;
 * and a channel among others the bits that it has alone. */
#include "test.h"

#include "base/memory.h"
#include "marrow/anim.h"

#define MAX_NODES 101
#define KEYS      9
#define CHANNELS  (3 * MAX_NODES)

typedef struct rig {
    mrw_scene scene;
    mrw_node nodes[MAX_NODES];
    mrw_mat4 matrices[MAX_NODES];
    uint32_t joints[MAX_NODES];
    mrw_mat4 geometry_to_joint[MAX_NODES];
    mrw_channel channels[CHANNELS];
    double key_times[CHANNELS * KEYS];
    float key_values[CHANNELS * KEYS * 12];
    mrw_clip clip;
    mrw_skin skin;
    mrw_poser *poser;
} rig;

typedef struct result {
    mrw_transform locals[MAX_NODES];
    uint8_t animated[MAX_NODES];
    mrw_mat4 node_to_world[MAX_NODES];
    mrw_mat4 palette[MAX_NODES];
} result;

static uint32_t random_u32(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

/* Mostly ordinary numbers, and some that are not. */
static float random_float(void)
{
    const uint32_t kind = random_u32() % 64;
    const float unit = (float)(random_u32() >> 8) / 8388608.0f - 1.0f;
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

static void random_rotation(float q[4])
{
    double v[4], length = 0.0;
    do {
        length = 0.0;
        for (int i = 0; i < 4; i++) {
            v[i] = random_u32() % 5 == 0 ? 0.0 : (double)random_u32() / 2147483648.0 - 1.0;
            length += v[i] * v[i];
        }
    } while (length < 1e-3);
    for (int i = 0; i < 4; i++)
        q[i] = (float)(v[i] / sqrt(length));
}

static void random_affine(mrw_mat4 *m)
{
    for (int i = 0; i < 16; i++)
        m->m[i] = i == 15 ? 1.0f : i % 4 == 3 ? 0.0f : random_float();
}

static void random_nodes(rig *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mrw_node *node = &r->nodes[i];
        *node = (mrw_node){.parent = i == 0 || random_u32() % 9 == 0 ? MRW_NONE : random_u32() % i};
        if (i > 0 && random_u32() % 2 == 0)
            node->parent = i - 1;
        node->matrix = random_u32() % 5 == 0 ? i : MRW_NONE;
        random_rotation(node->rest.rotation);
        for (int k = 0; k < 3; k++) {
            node->rest.translation[k] = random_float();
            node->rest.scale[k] = random_float();
        }
        random_affine(&r->matrices[i]);
        random_affine(&r->geometry_to_joint[i]);
        r->joints[i] = random_u32() % count;
    }
}

/* How the channels of a clip get their key times. */
enum sharing { OWN_TIMES, SOME_SHARED, ALL_SHARED, SHARING_COUNT };

static void random_times(rig *r, mrw_channel *channel, enum sharing sharing)
{
    double *times = r->key_times + channel->first_time;
    if (channel > r->channels &&
        (sharing == ALL_SHARED || (sharing == SOME_SHARED && random_u32() % 2))) {
        const mrw_channel *other = &r->channels[random_u32() % (uint32_t)(channel - r->channels)];
        channel->key_count = other->key_count;
        memcpy(times, r->key_times + other->first_time, other->key_count * sizeof *times);
        return;
    }
    for (uint32_t k = 0; k < channel->key_count; k++)
        times[k] = (k > 0 ? times[k - 1] : 0.0) + 0.01 + (double)random_u32() / 4294967296.0;
}

/* Now and then all keys are the same. */
static void random_values(rig *r, const mrw_channel *channel)
{
    const uint32_t width = channel->width;
    const uint32_t parts = channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    const bool constant = random_u32() % 4 == 0;
    float *values = r->key_values + channel->first_value;
    for (uint32_t k = 0; k < channel->key_count * parts; k++, values += width) {
        if (constant && k > 0)
            memcpy(values, values - width, width * sizeof *values);
        else if (width == 4)
            random_rotation(values);
        else
            for (uint32_t i = 0; i < width; i++)
                values[i] = random_float();
    }
}

static void random_clip(rig *r, uint32_t node_count, enum sharing sharing, bool all)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < node_count; n++) {
        for (uint32_t path = 0; path < 3; path++) {
            if (!all && random_u32() % 4 == 0)
                continue;
            mrw_channel *channel = &r->channels[count];
            *channel = (mrw_channel){.node = n,
                                     .path = path,
                                     .interpolation = MRW_INTERPOLATION_LINEAR,
                                     .width = path == MRW_PATH_ROTATION ? 4 : 3,
                                     .key_count = 1 + random_u32() % KEYS,
                                     .first_time = count * KEYS,
                                     .first_value = count * KEYS * 12};
            if (random_u32() % 4 == 0)
                channel->interpolation = random_u32() % 3;
            random_times(r, channel, sharing);
            random_values(r, channel);
            count++;
        }
    }
    r->clip = (mrw_clip){.channel_count = count, .duration = 9.0};
    r->scene.channels_count = count;
}

static void random_rig(rig *r, uint32_t node_count, enum sharing sharing, bool all)
{
    memset(r, 0, sizeof *r);
    random_nodes(r, node_count);
    random_clip(r, node_count, sharing, all);
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

static void compute(const rig *r, double time, const mrw_mat4 *model_to_world, mrw_isa isa,
                    uint32_t *cursors, result *out)
{
    static _Alignas(64) mrw_mat4 palette[MAX_NODES];
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
static void check_floats(const char *what, const void *actual, const void *expected, size_t size)
{
    const float *a = actual, *b = expected;
    for (size_t i = 0; i < size / sizeof(float); i++) {
        const bool same = memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i]));
        if (!same)
            ck_abort_msg("%s, float %zu: %.9g, not %.9g", what, i, (double)a[i], (double)b[i]);
    }
}

static void check_equal(const result *actual, const result *expected)
{
    check_floats("local", actual->locals, expected->locals, sizeof actual->locals);
    ck_assert(memcmp(actual->animated, expected->animated, sizeof actual->animated) == 0);
    check_floats("world", actual->node_to_world, expected->node_to_world,
                 sizeof actual->node_to_world);
    check_floats("palette", actual->palette, expected->palette, sizeof actual->palette);
}

/* Mostly forwards, as a clip plays, with all guesses for the keys that there are. */
static double random_time(const rig *r, double last)
{
    const uint32_t count = r->clip.channel_count;
    const double unit = (double)random_u32() / 4294967296.0;
    switch (random_u32() % 8) {
    case 0: /* anywhere, and outside */
        return unit * 11.0 - 1.0;
    case 1: /* at a key */
        return count > 0 ? r->key_times[r->channels[random_u32() % count].first_time] : 0.0;
    default:
        return last + 0.2 * unit;
    }
}

START_TEST(kernels_agree_to_the_bit)
{
    static rig r;
    static result expected, actual;
    static uint32_t cursors[MRW_ISA_COUNT][CHANNELS];
    mrw_mat4 model_to_world;
    for (uint32_t round = 0; round < 6 * MAX_NODES; round++) {
        random_rig(&r, 1 + round % MAX_NODES, (enum sharing)(round % SHARING_COUNT),
                   round % 2 == 0);
        random_affine(&model_to_world);
        memset(cursors, round % 5 == 0 ? 0xFF : 0, sizeof cursors);
        const mrw_mat4 *root = round % 3 == 0 ? NULL : &model_to_world;
        double time = 0.0;
        for (int frame = 0; frame < 8; frame++) {
            time = random_time(&r, time);
            compute(&r, time, root, MRW_ISA_SCALAR, NULL, &expected);
            for (int isa = MRW_ISA_AUTO; isa < MRW_ISA_COUNT; isa++) {
                if (!mrw_isa_available((mrw_isa)isa))
                    continue;
                compute(&r, time, root, (mrw_isa)isa, frame == 5 ? NULL : cursors[isa], &actual);
                check_equal(&actual, &expected);
            }
        }
        mrw_poser_free(r.poser);
    }
}
END_TEST

/* Which channels share key times, which never change and how they are grouped shows nowhere. */
START_TEST(a_channel_has_the_same_bits_alone)
{
    static rig r;
    static result together, alone;
    for (uint32_t round = 0; round < 30; round++) {
        random_rig(&r, 1 + random_u32() % MAX_NODES, (enum sharing)(round % SHARING_COUNT), false);
        const mrw_clip clip = r.clip;
        const double time = random_time(&r, 1.0);
        compute(&r, time, NULL, MRW_ISA_AUTO, NULL, &together);
        mrw_poser_free(r.poser);
        for (uint32_t c = 0; c < clip.channel_count; c++) {
            const mrw_channel *channel = &r.channels[c];
            r.clip.first_channel = c;
            r.clip.channel_count = 1;
            ck_assert_int_eq(mrw_poser_create(&r.scene, &r.poser, NULL), MRW_OK);
            compute(&r, time, NULL, MRW_ISA_SCALAR, NULL, &alone);
            mrw_poser_free(r.poser);
            const float *a = (const float *)&alone.locals[channel->node];
            const float *t = (const float *)&together.locals[channel->node];
            const uint32_t first = channel->path == 0 ? 0 : channel->path == 1 ? 3 : 7;
            check_floats("a channel", t + first, a + first, channel->width * sizeof *a);
            ck_assert_uint_eq(alone.animated[channel->node], 1u << channel->path);
        }
    }
}
END_TEST

START_TEST(a_poser_reports_that_memory_ended)
{
    static rig r;
    random_rig(&r, 20, SOME_SHARED, true);
    mrw_poser_free(r.poser);
    uint64_t n = 1;
    for (bool pending = false; !pending; n++) {
        mrw_poser *poser = NULL;
        mrwi_alloc_fail_at(n);
        const mrw_status status = mrw_poser_create(&r.scene, &poser, NULL);
        pending = mrwi_alloc_fail_pending();
        mrwi_alloc_fail_at(0);
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        ck_assert(pending == (poser != NULL));
        mrw_poser_free(poser);
    }
    ck_assert_uint_gt(n, 4);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("anim_kernels");
    TCase *kernels = tcase_create("kernels");
    tcase_set_timeout(kernels, 60);
    tcase_add_test(kernels, kernels_agree_to_the_bit);
    tcase_add_test(kernels, a_channel_has_the_same_bits_alone);
    tcase_add_test(kernels, a_poser_reports_that_memory_ended);
    suite_add_tcase(s, kernels);
    return s;
}

TEST_MAIN(suite())
