/* bench_pose.c: what a pose costs: sampling, local to world and palette, in ns a joint.
 *
 * Skeletons of 20, 67 and 368 joints are made here, each with four kinds of clips: translation,
 * rotation and scale with key times of their own, the same with the times of a baked clip, the same
 * with translations and scales that never change, as exporters like to write, and rotations only.
 * Times go through the clip or jump about. Each figure is the median of several
 * runs, and the palettes' cost is set against a memcpy of them.
 *
 * Usage: bench_pose [ISA]
 */
#include "marrow/anim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_JOINTS 368
#define KEYS       60
#define FRAMES     256
#define RUNS       31

enum clip_kind { OWN_TIMES, BAKED, BAKED_TURNING, ROTATIONS, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {"T, R, S with their own key times",
                                                   "T, R, S baked",
                                                   "T, R, S baked, T and S constant", "rotations"};

typedef struct rig {
    mrw_scene scene;
    mrw_node nodes[MAX_JOINTS];
    mrw_channel channels[3 * MAX_JOINTS];
    double key_times[3 * MAX_JOINTS * KEYS];
    float key_values[(3 + 4 + 3) * MAX_JOINTS * KEYS + 16];
    uint32_t joints[MAX_JOINTS];
    mrw_mat4 geometry_to_joint[MAX_JOINTS];
    mrw_clip clip;
    mrw_skin skin;
} rig;

typedef struct work {
    uint32_t cursors[3 * MAX_JOINTS];
    mrw_transform locals[MAX_JOINTS];
    uint8_t animated[MAX_JOINTS];
    _Alignas(64) mrw_mat4 node_to_world[MAX_JOINTS];
    _Alignas(64) mrw_mat4 palette[MAX_JOINTS];
    _Alignas(64) mrw_mat4 copy[MAX_JOINTS];
    double times[FRAMES];
} work;

static rig the_rig;
static work the_work;

/* ---- rigs ------------------------------------------------------------------------------------ */

static float random_unit(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

/* A spine with limbs of six joints that hang on its first ten, parents first. */
static uint32_t parent_of(uint32_t joint)
{
    if (joint == 0)
        return MRW_NONE;
    if (joint < 10 || joint % 6 != 4)
        return joint - 1;
    return joint / 6 % 10;
}

static void make_nodes(rig *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        r->nodes[i] = (mrw_node){.parent = parent_of(i), .matrix = MRW_NONE};
        r->nodes[i].rest = (mrw_transform){{0, 0.1f, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        r->joints[i] = i;
        for (int k = 0; k < 16; k++)
            r->geometry_to_joint[i].m[k] = k == 15 ? 1.0f : k % 4 == 3 ? 0.0f : random_unit();
    }
    r->skin = (mrw_skin){0, 0, count};
}

static void make_values(enum clip_kind kind, const mrw_channel *channel, float *values)
{
    float q[4] = {random_unit(), random_unit(), random_unit(), random_unit()};
    for (uint32_t k = 0; k < KEYS; k++, values += channel->width) {
        if (channel->path != MRW_PATH_ROTATION) {
            for (uint32_t i = 0; i < 3; i++)
                values[i] = kind == BAKED_TURNING ? 1.0f : 1.0f + 0.01f * random_unit();
            continue;
        }
        float length = 0.0f;
        for (uint32_t i = 0; i < 4; i++) {
            q[i] += 0.1f * random_unit();
            length += q[i] * q[i];
        }
        for (uint32_t i = 0; i < 4; i++)
            values[i] = q[i] = q[i] / sqrtf(length);
    }
}

/* As the scene builder does it, each channel has its own copy of the times. */
static void make_times(enum clip_kind kind, double *times)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        const double shift = kind == OWN_TIMES ? 0.4 * (double)random_unit() : 0.0;
        times[k] = ((double)k + (k > 0 && k + 1 < KEYS ? shift : 0.0)) / 30.0;
    }
}

static void make_rig(rig *r, uint32_t joint_count, enum clip_kind kind)
{
    make_nodes(r, joint_count);
    uint32_t channel_count = 0, value_count = 0;
    for (uint32_t i = 0; i < joint_count; i++) {
        for (uint32_t path = 0; path < 3; path++) {
            if (kind == ROTATIONS && path != MRW_PATH_ROTATION)
                continue;
            mrw_channel *channel = &r->channels[channel_count];
            *channel = (mrw_channel){i,
                                     path,
                                     MRW_INTERPOLATION_LINEAR,
                                     path == MRW_PATH_ROTATION ? 4 : 3,
                                     KEYS,
                                     channel_count * KEYS,
                                     value_count};
            make_times(kind, r->key_times + channel->first_time);
            make_values(kind, channel, r->key_values + value_count);
            value_count += KEYS * channel->width;
            channel_count++;
        }
    }
    r->clip = (mrw_clip){0, 0, 0, channel_count, 0.0, (KEYS - 1) / 30.0};
    r->scene = (mrw_scene){.nodes = r->nodes,
                           .nodes_count = joint_count,
                           .clips = &r->clip,
                           .clips_count = 1,
                           .channels = r->channels,
                           .channels_count = channel_count,
                           .key_times = r->key_times,
                           .key_values = r->key_values,
                           .skins = &r->skin,
                           .skins_count = 1,
                           .joints = r->joints,
                           .geometry_to_joint = r->geometry_to_joint};
}

/* ---- measuring ------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

enum stage { SAMPLE, WORLD, PALETTE, COPY, WHOLE, STAGE_COUNT };

typedef struct jobs {
    mrw_sample_job sample;
    mrw_world_job world;
    mrw_palette_job palette;
} jobs;

static jobs make_jobs(rig *r, const mrw_poser *poser, work *w, mrw_isa isa)
{
    return (jobs){
        .sample = {.poser = poser,
                   .cursors = w->cursors,
                   .locals = w->locals,
                   .animated = w->animated,
                   .isa = isa},
        .world = {.poser = poser,
                  .locals = w->locals,
                  .animated = w->animated,
                  .node_to_world = w->node_to_world,
                  .isa = isa},
        .palette = {.scene = &r->scene,
                    .node_to_world = w->node_to_world,
                    .geometry_to_world = w->palette,
                    .isa = isa},
    };
}

/* One frame, or one stage of it. */
static void run_stage(jobs *j, work *w, enum stage stage, uint32_t frame)
{
    if (stage == SAMPLE || stage == WHOLE) {
        j->sample.time = w->times[frame];
        mrw_sample(&j->sample);
    }
    if (stage == WORLD || stage == WHOLE)
        mrw_local_to_world(&j->world);
    if (stage == PALETTE || stage == WHOLE)
        mrw_build_palette(&j->palette);
    if (stage == COPY) {
        memcpy(w->copy, w->palette, j->palette.scene->nodes_count * sizeof *w->copy);
        __asm__ volatile("" ::: "memory");
    }
}

/* Medians in ns a joint. */
static void measure(rig *r, work *w, mrw_isa isa, double out[STAGE_COUNT])
{
    double runs[STAGE_COUNT][RUNS];
    mrw_poser *poser = NULL;
    if (mrw_poser_create(&r->scene, &poser, NULL) != MRW_OK)
        exit(1);
    jobs j = make_jobs(r, poser, w, isa);
    for (uint32_t run = 0; run < RUNS; run++) {
        for (int stage = 0; stage < STAGE_COUNT; stage++) {
            const double start = now();
            for (uint32_t frame = 0; frame < FRAMES; frame++)
                run_stage(&j, w, (enum stage)stage, frame);
            runs[stage][run] = (now() - start) * 1e9 / FRAMES / r->scene.nodes_count;
        }
    }
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        out[stage] = median(runs[stage], RUNS);
    mrw_poser_free(poser);
}

static void make_frames(const rig *r, work *w, bool jumps)
{
    memset(w->cursors, 0, sizeof w->cursors);
    for (uint32_t f = 0; f < FRAMES; f++) {
        const double part =
            jumps ? (double)(random_unit() + 1.0f) / 2.0 : ((double)f + 0.5) / (double)FRAMES;
        w->times[f] = part * r->clip.duration;
    }
}

static void bench(uint32_t joint_count, mrw_isa isa)
{
    printf("%u joints\n", joint_count);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        make_rig(&the_rig, joint_count, (enum clip_kind)kind);
        for (int jumps = 0; jumps < 2; jumps++) {
            double ns[STAGE_COUNT];
            make_frames(&the_rig, &the_work, jumps != 0);
            measure(&the_rig, &the_work, isa, ns);
            printf("  %-33s %-10s %6.2f %6.2f %6.2f %6.2f %7.1f x\n", kind_names[kind],
                   jumps ? "random" : "sequential", ns[SAMPLE], ns[WORLD], ns[PALETTE], ns[WHOLE],
                   ns[WHOLE] / ns[COPY]);
        }
    }
}

int main(int argc, char **argv)
{
    static const uint32_t joint_counts[] = {20, 67, 368};
    mrw_isa isa = mrw_isa_best();
    if (argc > 1 && !(mrw_isa_from_name(argv[1], &isa) && mrw_isa_available(isa))) {
        fprintf(stderr, "bench_pose: no instruction set %s here\n", argv[1]);
        return 77;
    }
    printf("A pose in ns a joint, %s, one core, median of %d runs of %d frames\n",
           mrw_isa_name(isa), RUNS, FRAMES);
    printf("  %-33s %-10s sample  world palette  whole  palettes' memcpy\n", "", "");
    for (size_t i = 0; i < sizeof joint_counts / sizeof *joint_counts; i++)
        bench(joint_counts[i], isa);
    return 0;
}
