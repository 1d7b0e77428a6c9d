/* pose.c: measures posing, for `marrow bench`: sampling a clip, local to world, palette. */
#include "bench/internal.h"

#include <marrow/anim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEYS   60u
#define FRAMES 64u /* frames of one call, spread over the clip */

/* A skeleton and one clip. */
typedef struct skeleton {
    mrw_scene scene; /* points to the other fields */
    mrw_clip clip;
    mrw_skin skin;
    mrw_node *nodes;
    mrw_channel *channels;
    double *key_times;
    float *key_values;
    uint32_t *joints;
    mrw_mat4 *geometry_to_joint;
} skeleton;

/* The skeleton, and the outputs of posing it. */
typedef struct pose_work {
    skeleton skeleton;
    mrw_poser *poser;
    uint32_t *cursors;
    mrw_transform *locals;
    uint8_t *animated;
    mrw_mat4 *node_to_world, *palette, *copy;
} pose_work;

/* ---- the skeleton ---------------------------------------------------------------------------- */

/* Returns the parent of a joint: a spine of ten joints carries limbs of six. Parents come first. */
static uint32_t parent_of(uint32_t joint)
{
    if (joint == 0) {
        return MRW_NONE;
    }
    return joint < 10 || joint % 6 != 4 ? joint - 1 : joint / 6 % 10;
}

static void fill_nodes(skeleton *s, uint32_t count, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        s->nodes[i] = (mrw_node){.parent = parent_of(i), .matrix = MRW_NONE};
        s->nodes[i].rest = (mrw_transform){{0, 0.1f, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        s->joints[i] = i;
        for (int k = 0; k < 16; k++) {
            float last = k == 15 ? 1.0f : 0.0f;
            s->geometry_to_joint[i].m[k] = k % 4 == 3 ? last : bench_random(state);
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

/* Fills in the channels. Each has its own copy of the key times, as in a loaded scene. own_times:
 * the times differ, else they are equal, as in a baked clip. */
static void fill_clip(skeleton *s, uint32_t count, bool own_times, uint32_t *state)
{
    uint32_t value = 0;
    for (uint32_t c = 0; c < 3 * count; c++) {
        mrw_channel *channel = &s->channels[c];
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
            s->key_times[c * KEYS + k] = ((double)k + shift) / 30.0;
        }
        fill_values(channel, s->key_values + value, state);
        value += KEYS * channel->width;
    }
    s->clip = (mrw_clip){.channel_count = 3 * count, .duration = (KEYS - 1) / 30.0};
    s->skin = (mrw_skin){.joint_count = count};
}

static mrw_status make_skeleton(uint32_t count, bool own_times, skeleton *out, mrw_error *error)
{
    uint32_t state = 1;
    *out = (skeleton){.nodes = bench_array(count, sizeof *out->nodes),
                      .channels = bench_array(3 * (size_t)count, sizeof *out->channels),
                      .key_times = bench_array(3 * (size_t)count * KEYS, sizeof *out->key_times),
                      .key_values = bench_array(10 * (size_t)count * KEYS, sizeof *out->key_values),
                      .joints = bench_array(count, sizeof *out->joints),
                      .geometry_to_joint = bench_array(count, sizeof *out->geometry_to_joint)};
    if (!out->nodes || !out->channels || !out->key_times || !out->key_values || !out->joints ||
        !out->geometry_to_joint) {
        return bench_fail_memory(error);
    }
    fill_nodes(out, count, &state);
    fill_clip(out, count, own_times, &state);
    out->scene = (mrw_scene){.nodes = out->nodes,
                             .nodes_count = count,
                             .clips = &out->clip,
                             .clips_count = 1,
                             .channels = out->channels,
                             .channels_count = 3 * count,
                             .key_times = out->key_times,
                             .key_values = out->key_values,
                             .skins = &out->skin,
                             .skins_count = 1,
                             .joints = out->joints,
                             .joints_count = count,
                             .geometry_to_joint = out->geometry_to_joint,
                             .geometry_to_joint_count = count};
    return MRW_OK;
}

static void free_skeleton(skeleton *s)
{
    void *all[] = {s->nodes,      s->channels, s->key_times,
                   s->key_values, s->joints,   s->geometry_to_joint};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

/* ---- posing ---------------------------------------------------------------------------------- */

static mrw_status make_work(const bench_row *row, pose_work *w, mrw_error *error)
{
    const uint32_t count = row->sizes[BENCH_JOINTS];
    memset(w, 0, sizeof *w);
    mrw_status status = make_skeleton(count, row->choice != 0, &w->skeleton, error);
    if (status) {
        return status;
    }
    w->cursors = bench_array(3 * (size_t)count, sizeof *w->cursors);
    w->locals = bench_array(count, sizeof *w->locals);
    w->animated = bench_array(count, 1);
    w->node_to_world = bench_array(count, sizeof *w->node_to_world);
    w->palette = bench_array(count, sizeof *w->palette);
    w->copy = bench_array(count, sizeof *w->copy);
    bool made = w->cursors && w->locals && w->animated && w->node_to_world && w->palette && w->copy;
    return made ? mrw_poser_create(&w->skeleton.scene, &w->poser, error) : bench_fail_memory(error);
}

static void free_work(pose_work *w)
{
    void *all[] = {w->cursors, w->locals, w->animated, w->node_to_world, w->palette, w->copy};
    mrw_poser_free(w->poser);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    free_skeleton(&w->skeleton);
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
    const mrw_palette_job palette = {.scene = &w->skeleton.scene,
                                     .node_to_world = w->node_to_world,
                                     .geometry_to_world = w->palette,
                                     .isa = isa};
    (void)error;
    for (uint32_t f = 0; f < FRAMES; f++) {
        sample.time = ((double)f + 0.5) / FRAMES * w->skeleton.clip.duration;
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
        memcpy(w->copy, w->palette, w->skeleton.scene.nodes_count * sizeof *w->copy);
        __asm__ volatile("" ::"r"(w->copy) : "memory");
    }
    return MRW_OK;
}

mrw_status bench_pose(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    pose_work w;
    mrw_status status = make_work(row, &w, error);
    if (status) {
        goto out;
    }
    bench_add_kernels(b, out, run_poses);
    bench_add_yardstick(out, "copy", run_copy);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e9 / FRAMES / row->sizes[BENCH_JOINTS]);
out:
    free_work(&w);
    return status;
}
