/* hulls.c: boxes that provably enclose posed vertices: one per joint and block of vertices. */
#include "frame/hulls.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/simd/f4.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* Limits within which hulls.h's bound on rounding holds. */
#define MOST_INFLUENCES 64
#define WEIGHT_ERROR    1e-5f
#define ROUNDING        (1.0f / 16384.0f)
#define LARGEST_POINT   1e20f  /* keeps underflow in a matrix below SMALLEST_HALF */
#define SMALLEST_HALF   1e-20f /* least half side of a placed part */
#define SMALLEST_SIDE   1e-30f /* least half side of a part */
#define LARGEST_SUM     1e8f   /* limits placed half sides, and so matrices to 1e38 */

/* ---- building -------------------------------------------------------------------------------- */

#define SLOTS (UINT16_MAX + 2)

/* Memory of a build. */
typedef struct builder {
    mrwi_frame_hulls *hulls;
    /* [joint] its last part; the last of SLOTS is for rigid ones. A mesh that is not drawn may name
     * joints that no skin has. */
    uint32_t *slots;
} builder;

/* Returns the part of a joint in the hull that begins at part `first`; the first call makes it.
 * NULL: out of memory. */
static mrwi_frame_hull_part *part_of(builder *b, uint32_t first, uint32_t joint)
{
    mrwi_frame_hulls *h = b->hulls;
    uint32_t *slot = &b->slots[joint == MRW_NONE ? SLOTS - 1 : joint];
    if (*slot >= first && *slot < h->part_count && h->parts[*slot].joint == joint) {
        return &h->parts[*slot];
    }
    if (h->part_count == h->part_room) {
        const uint32_t room = 2 * h->part_room + 64;
        mrwi_frame_hull_part *grown =
            mrwi_base_realloc(h->parts, h->part_count * sizeof *grown, room, sizeof *grown);
        if (!grown) {
            return NULL;
        }
        h->parts = grown;
        h->part_room = room;
    }
    *slot = h->part_count++;
    h->parts[*slot] = (mrwi_frame_hull_part){
        {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX}, joint};
    return &h->parts[*slot];
}

/* Extends a part that is being built: `centre` holds the minimum and `half` the maximum. */
static void extend(mrwi_frame_hull_part *part, mrwi_base_f4 min, mrwi_base_f4 max)
{
    mrwi_base_f4_store(part->centre, mrwi_base_f4_min(min, mrwi_base_f4_load(part->centre)));
    mrwi_base_f4_store(part->half, mrwi_base_f4_max(max, mrwi_base_f4_load(part->half)));
}

/* Adds the box of vertices with the same joints to the hull that begins at part `first`. Returns
 * false when out of memory. */
static bool add_run(builder *b, uint32_t first, const uint16_t *joints, uint32_t count,
                    mrwi_base_f4 min, mrwi_base_f4 max)
{
    for (uint32_t i = 0; i < count || i == 0; i++) {
        mrwi_frame_hull_part *part = part_of(b, first, count == 0 ? MRW_NONE : joints[i]);
        if (!part) {
            return false;
        }
        extend(part, min, max);
    }
    return true;
}

static bool build_block(builder *b, const mrw_skin_group *group, uint32_t first_vertex,
                        const float *positions, mrwi_frame_hull *out)
{
    const uint32_t left = group->vertex_count - first_vertex, count = group->influence_count;
    const uint32_t end =
        first_vertex + (left < MRWI_FRAME_HULL_BLOCK ? left : MRWI_FRAME_HULL_BLOCK);
    mrwi_base_f4 min = mrwi_base_f4_set(0.0f), max = min;
    bool proven = count <= MOST_INFLUENCES;
    out->first_part = b->hulls->part_count;
    for (uint32_t v = first_vertex; v < end; v++) {
        const uint16_t *joints = group->joints + (size_t)v * count;
        const float *weights = group->weights + (size_t)v * count;
        const mrwi_base_f4 point =
            mrwi_base_f4_load(positions + 3 * (size_t)(group->first_vertex + v));
        const bool begins = v == first_vertex ||
                            (count > 0 && memcmp(joints - count, joints, count * sizeof *joints));
        if (begins && v > first_vertex &&
            !add_run(b, out->first_part, joints - count, count, min, max)) {
            return false;
        }
        min = begins ? point : mrwi_base_f4_min(point, min);
        max = begins ? point : mrwi_base_f4_max(point, max);
        float sum = 0.0f;
        for (uint32_t i = 0; i < count; i++) {
            sum += weights[i];
        }
        proven = proven && (count == 0 || fabsf(sum - 1.0f) <= WEIGHT_ERROR);
    }
    if (!add_run(b, out->first_part, group->joints + (size_t)(end - 1) * count, count, min, max)) {
        return false;
    }
    out->part_count = proven ? b->hulls->part_count - out->first_part : 0;
    return true;
}

/* Joins the hulls of all blocks of a mesh. */
static bool build_whole(builder *b, const mrwi_frame_hull *blocks, uint32_t count,
                        mrwi_frame_hull *out)
{
    bool proven = true;
    out->first_part = b->hulls->part_count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t p = 0; p < blocks[i].part_count; p++) {
            const uint32_t from = blocks[i].first_part + p;
            mrwi_frame_hull_part *to = part_of(b, out->first_part, b->hulls->parts[from].joint);
            if (!to) {
                return false;
            }
            extend(to, mrwi_base_f4_load(b->hulls->parts[from].centre),
                   mrwi_base_f4_load(b->hulls->parts[from].half));
        }
        proven = proven && blocks[i].part_count > 0;
    }
    out->part_count = proven ? b->hulls->part_count - out->first_part : 0;
    return true;
}

/* Turns the minimum and maximum of a part into its centre and half its size. */
static void settle(mrwi_frame_hull_part *part)
{
    for (int i = 0; i < 3; i++) {
        const float min = part->centre[i], max = part->half[i];
        const float centre = 0.5f * min + 0.5f * max;
        const float half = mrwi_base_maxf(max - centre, centre - min);
        part->centre[i] = centre;
        part->half[i] = half + ROUNDING * (fabsf(centre) + half) + SMALLEST_SIDE;
        if (!(part->half[i] <= LARGEST_POINT && fabsf(centre) <= LARGEST_POINT)) {
            part->half[i] = INFINITY;
        }
    }
}

static uint32_t blocks_of(const mrw_skin_group *group)
{
    return (group->vertex_count + MRWI_FRAME_HULL_BLOCK - 1) / MRWI_FRAME_HULL_BLOCK;
}

static bool build_meshes(builder *b, const mrw_model *model)
{
    const mrw_scene *scene = model->scene;
    uint32_t next = 0;
    for (uint32_t m = 0; m < scene->meshes_count; m++) {
        const mrw_mesh *mesh = &scene->meshes[m];
        mrwi_frame_mesh_hulls *out = &b->hulls->meshes[m];
        *out = (mrwi_frame_mesh_hulls){.first_block = next};
        for (uint32_t g = 0; g < mesh->group_count; g++) {
            const mrw_skin_group *group = &model->influences.groups[mesh->first_group + g];
            for (uint32_t first = 0; first < group->vertex_count; first += MRWI_FRAME_HULL_BLOCK) {
                if (!build_block(b, group, first, scene->positions + (size_t)mesh->position * 3,
                                 &b->hulls->blocks[next++])) {
                    return false;
                }
            }
        }
        if (!build_whole(b, b->hulls->blocks + out->first_block, next - out->first_block,
                         &out->whole)) {
            return false;
        }
    }
    for (uint32_t p = 0; p < b->hulls->part_count; p++) {
        settle(&b->hulls->parts[p]);
    }
    return true;
}

mrw_status mrwi_frame_hulls_build(const mrw_model *model, mrwi_frame_hulls *out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    builder b = {.hulls = out};
    size_t blocks = 0;
    *out = (mrwi_frame_hulls){.meshes = NULL};
    for (uint32_t g = 0; g < scene->groups_count; g++) {
        blocks += blocks_of(&model->influences.groups[g]);
    }
    b.slots = mrwi_base_alloc_zero(SLOTS, sizeof *b.slots);
    out->meshes = mrwi_base_alloc(scene->meshes_count, sizeof *out->meshes);
    out->blocks = mrwi_base_alloc(blocks, sizeof *out->blocks);
    const bool built = b.slots && out->meshes && out->blocks && build_meshes(&b, model);
    mrwi_base_free(b.slots);
    return built ? MRW_OK : mrwi_base_fail_memory(error, blocks * sizeof *out->blocks);
}

void mrwi_frame_hulls_free(mrwi_frame_hulls *hulls)
{
    mrwi_base_free(hulls->meshes);
    mrwi_base_free(hulls->blocks);
    mrwi_base_free(hulls->parts);
}

mrw_status mrwi_frame_hull_set_build(const mrw_instance *instances, uint32_t count,
                                     mrwi_frame_hull_set *out, mrw_error *error)
{
    *out = (mrwi_frame_hull_set){.count = count};
    out->built = mrwi_base_alloc_zero(count, sizeof *out->built);
    out->of = mrwi_base_alloc_zero(count, sizeof *out->of);
    if (!out->built || !out->of) {
        return mrwi_base_fail_memory(error, count * sizeof *out->built);
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrw_model *model = instances[i].model;
        for (uint32_t k = i; k-- > 0 && !out->of[i];) {
            out->of[i] = instances[k].model == model ? out->of[k] : NULL;
        }
        if (!out->of[i] && !model->displacement) {
            mrw_status status = mrwi_frame_hulls_build(model, &out->built[i], error);
            if (status) {
                return status;
            }
            out->of[i] = &out->built[i];
        }
    }
    return MRW_OK;
}

void mrwi_frame_hull_set_free(mrwi_frame_hull_set *set)
{
    for (uint32_t i = 0; set->built && i < set->count; i++) {
        mrwi_frame_hulls_free(&set->built[i]);
    }
    mrwi_base_free(set->built);
    mrwi_base_free(set->of);
}

/* ---- placing --------------------------------------------------------------------------------- */

static mrwi_base_f4 absolute(mrwi_base_f4 v)
{
    return (mrwi_base_f4)((mrwi_base_i4)v & mrwi_base_i4_set(INT32_MAX));
}

bool mrwi_frame_hull_place(const mrwi_frame_hulls *hulls, const mrwi_frame_hull *hull,
                           const mrw_skin_job *job, mrwi_view_box *out)
{
    mrwi_base_f4 min = mrwi_base_f4_set(FLT_MAX), max = mrwi_base_f4_set(-FLT_MAX);
    mrwi_base_f4 sum = {0};
    assert(!job->motions);
    for (uint32_t p = 0; p < hull->part_count; p++) {
        const mrwi_frame_hull_part *part = &hulls->parts[hull->first_part + p];
        const float *m = part->joint == MRW_NONE ? job->rigid->m : job->palette[part->joint].m;
        const mrwi_base_f4 x = mrwi_base_f4_load(m), y = mrwi_base_f4_load(m + 4);
        const mrwi_base_f4 z = mrwi_base_f4_load(m + 8), origin = mrwi_base_f4_load(m + 12);
        const mrwi_base_f4 centre =
            (x * part->centre[0] + y * part->centre[1]) + (z * part->centre[2] + origin);
        const mrwi_base_f4 half =
            (absolute(x) * part->half[0] + absolute(y) * part->half[1]) +
            (absolute(z) * part->half[2] + (absolute(origin) * ROUNDING + SMALLEST_HALF));
        min = mrwi_base_f4_min(min, centre - half);
        max = mrwi_base_f4_max(max, centre + half);
        sum += half; /* infinite or NaN when a matrix is; else centres are finite, too */
    }
    for (int i = 0; i < 3; i++) {
        out->min[i] = min[i];
        out->max[i] = max[i];
        if (!(sum[i] <= LARGEST_SUM)) {
            return false;
        }
    }
    return hull->part_count > 0;
}
