/* pose.c: posing of `marrow bench`: sampling a clip, local to world, palette. */
#include "bench/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEYS   60u
#define FRAMES 64u /* through the clip, in one call */

/* A scene of a skeleton and one clip, whose arrays are in one block. */
typedef struct pose_work {
    mrw_scene scene;
    mrw_clip clip;
    mrw_skin skin;
    mrw_node *nodes;
    mrw_channel *channels;
    double *key_times;
    float *key_values;
    uint32_t *joints;
    mrw_mat4 *geometry_to_joint;
    mrw_poser *poser;
    uint32_t *cursors;
    mrw_transform *locals;
    uint8_t *animated;
    mrw_mat4 *node_to_world, *palette, *copy;
} pose_work;

/* A spine with limbs of six joints that hang on its first ten, parents first. */
static uint32_t parent_of(uint32_t joint)
{
    if (joint == 0) {
        return MRW_NONE;
    }
    return joint < 10 || joint % 6 != 4 ? joint - 1 : joint / 6 % 10;
}

static void fill_nodes(pose_work *w, uint32_t count, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        w->nodes[i] = (mrw_node){.parent = parent_of(i), .matrix = MRW_NONE};
        w->nodes[i].rest = (mrw_transform){{0, 0.1f, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        w->joints[i] = i;
        for (int k = 0; k < 16; k++) {
            float last = k == 15 ? 1.0f : 0.0f;
            w->geometry_to_joint[i].m[k] = k % 4 == 3 ? last : bench_random(state);
        }
    }
}

static void fill_values(const mrw_channel *channel, float *values, uint32_t *state)
{
    float q[4];
    for (int i = 0; i < 4; i++) {
        q[i] = bench_random(state);
    }
    for (uint32_t k = 0; k < KEYS; k++, values += channel->width) {
        float length = 0.0f;
        for (uint32_t i = 0; i < channel->width; i++) {
            q[i] += 0.1f * bench_random(state);
            length += q[i] * q[i];
        }
        for (uint32_t i = 0; i < channel->width; i++) {
            bool turns = channel->path == MRW_PATH_ROTATION;
            values[i] = turns ? q[i] /= sqrtf(length) : 1.0f + 0.01f * bench_random(state);
        }
    }
}

/* As in a loaded scene, each channel has its own copy of the times: the same ones as in a clip that
 * was baked, or its own. */
static void fill_clip(pose_work *w, uint32_t count, bool own_times, uint32_t *state)
{
    uint32_t value = 0;
    for (uint32_t c = 0; c < 3 * count; c++) {
        mrw_channel *channel = &w->channels[c];
        *channel = (mrw_channel){.node = c / 3,
                                 .path = c % 3,
                                 .interpolation = MRW_INTERPOLATION_LINEAR,
                                 .width = c % 3 == MRW_PATH_ROTATION ? 4 : 3,
                                 .key_count = KEYS,
                                 .first_time = c * KEYS,
                                 .first_value = value};
        for (uint32_t k = 0; k < KEYS; k++) {
            bool shifted = own_times && k > 0 && k + 1 < KEYS;
            double shift = shifted ? 0.4 * (double)bench_random(state) : 0.0;
            w->key_times[c * KEYS + k] = ((double)k + shift) / 30.0;
        }
        fill_values(channel, w->key_values + value, state);
        value += KEYS * channel->width;
    }
    w->clip = (mrw_clip){.channel_count = 3 * count, .duration = (KEYS - 1) / 30.0};
    w->skin = (mrw_skin){.joint_count = count};
}

static bool allocate(pose_work *w, size_t count)
{
    w->nodes = bench_array(count, sizeof *w->nodes);
    w->channels = bench_array(3 * count, sizeof *w->channels);
    w->key_times = bench_array(3 * count * KEYS, sizeof *w->key_times);
    w->key_values = bench_array(10 * count * KEYS, sizeof *w->key_values);
    w->joints = bench_array(count, sizeof *w->joints);
    w->geometry_to_joint = bench_array(count, sizeof *w->geometry_to_joint);
    w->cursors = bench_array(3 * count, sizeof *w->cursors);
    w->locals = bench_array(count, sizeof *w->locals);
    w->animated = bench_array(count, 1);
    w->node_to_world = bench_array(count, sizeof *w->node_to_world);
    w->palette = bench_array(count, sizeof *w->palette);
    w->copy = bench_array(count, sizeof *w->copy);
    return w->nodes && w->channels && w->key_times && w->key_values && w->joints &&
           w->geometry_to_joint && w->cursors && w->locals && w->animated && w->node_to_world &&
           w->palette && w->copy;
}

static void free_work(pose_work *w)
{
    void *all[] = {w->nodes,    w->channels,          w->key_times, w->key_values,
                   w->joints,   w->geometry_to_joint, w->cursors,   w->locals,
                   w->animated, w->node_to_world,     w->palette,   w->copy};
    mrw_poser_free(w->poser);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static mrw_status make_work(const bench_row *row, pose_work *w, mrw_error *error)
{
    uint32_t count = row->sizes[BENCH_JOINTS], state = 1;
    memset(w, 0, sizeof *w);
    if (!allocate(w, count)) {
        return bench_fail_memory(error);
    }
    fill_nodes(w, count, &state);
    fill_clip(w, count, row->choice != 0, &state);
    w->scene = (mrw_scene){.nodes = w->nodes,
                           .nodes_count = count,
                           .clips = &w->clip,
                           .clips_count = 1,
                           .channels = w->channels,
                           .channels_count = 3 * count,
                           .key_times = w->key_times,
                           .key_values = w->key_values,
                           .skins = &w->skin,
                           .skins_count = 1,
                           .joints = w->joints,
                           .joints_count = count,
                           .geometry_to_joint = w->geometry_to_joint,
                           .geometry_to_joint_count = count};
    return mrw_poser_create(&w->scene, &w->poser, error);
}

static mrw_status run_poses(void *data, mrw_isa isa, mrw_error *error)
{
    pose_work *w = data;
    mrw_sample_job sample = {.poser = w->poser,
                             .cursors = w->cursors,
                             .locals = w->locals,
                             .animated = w->animated,
                             .isa = isa};
    const mrw_world_job world = {.poser = w->poser,
                                 .locals = w->locals,
                                 .animated = w->animated,
                                 .node_to_world = w->node_to_world,
                                 .isa = isa};
    const mrw_palette_job palette = {.scene = &w->scene,
                                     .node_to_world = w->node_to_world,
                                     .geometry_to_world = w->palette,
                                     .isa = isa};
    (void)error;
    for (uint32_t f = 0; f < FRAMES; f++) {
        sample.time = ((double)f + 0.5) / FRAMES * w->clip.duration;
        mrw_sample(&sample);
        mrw_local_to_world(&world);
        mrw_build_palette(&palette);
    }
    return MRW_OK;
}

static mrw_status run_copy(void *data, mrw_isa isa, mrw_error *error)
{
    pose_work *w = data;
    (void)isa;
    (void)error;
    for (uint32_t f = 0; f < FRAMES; f++) {
        memcpy(w->copy, w->palette, w->scene.nodes_count * sizeof *w->copy);
        __asm__ volatile("" ::"r"(w->copy) : "memory");
    }
    return MRW_OK;
}

mrw_status bench_pose(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    pose_work w;
    mrw_status status = make_work(row, &w, error);
    bench_add_kernels(b, out, run_poses);
    bench_add_yardstick(out, "copy", run_copy);
    if (status == MRW_OK) {
        status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    }
    bench_scale(row, out, 1e9 / FRAMES / row->sizes[BENCH_JOINTS]);
    free_work(&w);
    return status;
}
