/* kernels_pose.h: the kernels of poses: sampling a clip, local to world, and palettes. Each gets
 * what the scalar ones before it made. Which bits a NaN has is not part of the contract. */
#include "kernels.h"
#include "rig_fixture.h"

#include "anim/kernels.h"

enum { POSE_SAMPLE, POSE_WORLD, POSE_PALETTE };

#define POSE_TIMED_FRAMES 64

typedef struct pose_output {
    mrw_transform locals[RIG_NODES];
    uint8_t animated[RIG_NODES];
    mrw_mat4 node_to_world[RIG_NODES];
    _Alignas(64) mrw_mat4 palette[RIG_NODES];
} pose_output;

static const void *pose_table(mrw_isa isa)
{
    return mrwi_anim_pose_kernels_for(isa);
}

static void run_pose_stage(const rig *r, int stage, double time, const mrw_mat4 *model_to_world,
                           mrw_isa isa, uint32_t *cursors, const pose_output *in, pose_output *out)
{
    if (stage == POSE_SAMPLE) {
        mrw_sample(&(mrw_sample_job){.poser = r->poser,
                                     .time = time,
                                     .cursors = cursors,
                                     .locals = out->locals,
                                     .animated = out->animated,
                                     .isa = isa});
    } else if (stage == POSE_WORLD) {
        mrw_local_to_world(&(mrw_world_job){.poser = r->poser,
                                            .locals = in->locals,
                                            .animated = in->animated,
                                            .model_to_world = model_to_world,
                                            .node_to_world = out->node_to_world,
                                            .isa = isa});
    } else {
        mrw_build_palette(&(mrw_palette_job){.scene = &r->scene,
                                             .node_to_world = in->node_to_world,
                                             .geometry_to_world = out->palette,
                                             .isa = isa});
    }
}

static void compare_pose(const rig *r, int stage, double time, const mrw_mat4 *model_to_world,
                         mrw_isa isa, uint32_t *cursors)
{
    static pose_output expected, actual;
    memset(&expected, 0, sizeof expected);
    memset(&actual, 0, sizeof actual);
    for (int s = POSE_SAMPLE; s <= stage; s++) {
        run_pose_stage(r, s, time, model_to_world, MRW_ISA_SCALAR, NULL, &expected, &expected);
    }
    run_pose_stage(r, stage, time, model_to_world, isa, cursors, &expected, &actual);
    if (stage == POSE_SAMPLE) {
        check_rig_floats("local", actual.locals, expected.locals, sizeof actual.locals);
        check_bytes(actual.animated, expected.animated, sizeof actual.animated, "animated", isa);
    } else if (stage == POSE_WORLD) {
        check_rig_floats("world", actual.node_to_world, expected.node_to_world,
                         sizeof actual.node_to_world);
    } else {
        check_rig_floats("palette", actual.palette, expected.palette, sizeof actual.palette);
    }
}

static void check_pose(mrw_isa isa, int variant)
{
    static rig r;
    static uint32_t cursors[RIG_CHANNELS];
    mrw_mat4 model_to_world;
    for (uint32_t round = 0; round < 6 * RIG_NODES; round++) {
        random_rig(&r, 1 + round % RIG_NODES, (key_sharing)(round % SHARING_COUNT), round % 2 == 0);
        rig_affine(&model_to_world);
        memset(cursors, round % 5 == 0 ? 0xFF : 0, sizeof cursors);
        double time = 0.0;
        for (int frame = 0; frame < (variant == POSE_SAMPLE ? 16 : 3); frame++) {
            time = rig_time(&r, time);
            compare_pose(&r, variant, time, round % 3 == 0 ? NULL : &model_to_world, isa,
                         frame % 6 == 5 ? NULL : cursors);
        }
        mrw_poser_free(r.poser);
    }
}

/* Frames of a clip whose channels have their own key times. */
static size_t work_pose(mrw_isa isa, int variant)
{
    static rig r;
    static pose_output out;
    static uint32_t cursors[RIG_CHANNELS];
    if (!r.poser) {
        rig_is_tame = true;
        random_rig(&r, 67, OWN_TIMES, true);
        for (int s = POSE_SAMPLE; s <= POSE_PALETTE; s++) {
            run_pose_stage(&r, s, 0.0, NULL, isa, NULL, &out, &out);
        }
    }
    for (int frame = 0; frame < POSE_TIMED_FRAMES; frame++) {
        run_pose_stage(&r, variant, 0.05 * frame, NULL, isa, cursors, &out, &out);
    }
    return POSE_TIMED_FRAMES * 67 *
           (variant == POSE_SAMPLE  ? (2 * 10 + 10) * sizeof(float)
            : variant == POSE_WORLD ? (10 + 16) * sizeof(float)
                                    : 3 * sizeof(mrw_mat4));
}

#define POSE_ROW(name, variant)                                                                    \
    {                                                                                              \
        name, "src/anim/kernels_", variant, pose_table, check_pose, work_pose                      \
    }
#define POSE_ROWS                                                                                  \
    POSE_ROW("pose sample", POSE_SAMPLE), POSE_ROW("pose world", POSE_WORLD),                      \
        POSE_ROW("pose palette", POSE_PALETTE)
