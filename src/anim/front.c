/* front.c: the direction a model faces: signs from its joints, and how they vote. */
#include "anim/front_names.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Nodes between a toe and its foot, or an eye and its head, at most. */
#define MOST_STEPS 4
#define MOST_NODES 40

typedef struct body {
    const mrw_scene *scene;
    const mrw_mat4 *node_to_world;
    mrwi_anim_front_name *names; /* per node; empty for nodes that are not joints */
    double mirror;               /* -1 if left and right are exchanged */
} body;

/* One sign of a direction: the sum of several ways, their level part, and their total length. */
typedef struct sign {
    double x, z, length;
    uint32_t count;
} sign;

static bool is_below_joint(const mrw_scene *scene, const uint8_t *joints, uint32_t node)
{
    return scene->nodes[node].parent != MRW_NONE && joints[scene->nodes[node].parent];
}

static const float *place_of(const body *b, uint32_t node)
{
    return b->node_to_world[node].m + 12;
}

static void add_way(sign *s, double x, double y, double z)
{
    s->x += x;
    s->z += z;
    s->length += sqrt(x * x + y * y + z * z);
    s->count++;
}

static void add_between(const body *b, uint32_t from, uint32_t to, sign *s)
{
    const float *p = place_of(b, from), *q = place_of(b, to);
    add_way(s, (double)q[0] - (double)p[0], (double)q[1] - (double)p[1],
            (double)q[2] - (double)p[2]);
}

/* ---- left and right -------------------------------------------------------------------------- */

typedef struct sided {
    const mrwi_anim_front_name *name;
    uint32_t node;
} sided;

static int compare_sided(const void *left, const void *right)
{
    const sided *a = left, *b = right;
    const int names = strcmp(a->name->key, b->name->key);
    return names != 0                       ? names
           : a->name->side != b->name->side ? a->name->side - b->name->side
           : a->node < b->node              ? -1
                                            : a->node > b->node;
}

/* Adds the way between sides of one name: from the middle of the left joints to that of the right
 * ones. */
static void add_pair(const body *b, const sided *items, uint32_t count, sign *s)
{
    double middle[2][3] = {{0}};
    uint32_t counts[2] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const int side = items[i].name->side == 'r';
        for (int k = 0; k < 3; k++) {
            middle[side][k] += (double)place_of(b, items[i].node)[k];
        }
        counts[side]++;
    }
    if (counts[0] > 0 && counts[1] > 0) {
        double way[3];
        for (int k = 0; k < 3; k++) {
            way[k] = b->mirror * (middle[1][k] / counts[1] - middle[0][k] / counts[0]);
        }
        add_way(s, way[2], way[1], -way[0]);
        s->count += (counts[0] < counts[1] ? counts[0] : counts[1]) - 1;
    }
}

static mrw_status find_sides(const body *b, sign *s, mrw_error *error)
{
    const uint32_t nodes = b->scene->nodes_count;
    sided *items = mrwi_base_alloc(nodes, sizeof *items);
    uint32_t count = 0;
    if (!items) {
        return mrwi_base_fail_memory(error, nodes * sizeof *items);
    }
    for (uint32_t n = 0; n < nodes; n++) {
        if (b->names[n].side != 0) {
            items[count++] = (sided){&b->names[n], n};
        }
    }
    qsort(items, count, sizeof *items, compare_sided);
    for (uint32_t at = 0, run; at < count; at += run) {
        run = 1;
        while (at + run < count && strcmp(items[at + run].name->key, items[at].name->key) == 0) {
            run++;
        }
        add_pair(b, items + at, run, s);
    }
    mrwi_base_free(items);
    return MRW_OK;
}

/* ---- parts of the body ----------------------------------------------------------------------- */

/* Finds the nearest node above that has `part`, but not `without`; MRW_NONE if there is none within
 * MOST_STEPS. Nodes that belong to one joint are one step. */
static uint32_t above(const body *b, uint32_t node, uint32_t part, uint32_t without)
{
    int steps = 0;
    for (int i = 0; i < MOST_NODES && steps < MOST_STEPS; i++) {
        node = b->scene->nodes[node].parent;
        if (node == MRW_NONE) {
            return MRW_NONE;
        }
        if ((b->names[node].parts & part) && !(b->names[node].parts & without)) {
            return node;
        }
        steps += b->names[node].key[0] != '\0';
    }
    return MRW_NONE;
}

static void find_parts(const body *b, uint32_t part, uint32_t on, sign *s)
{
    for (uint32_t n = 0; n < b->scene->nodes_count; n++) {
        if (b->names[n].parts & part) {
            const uint32_t base = above(b, n, on, part);
            if (base != MRW_NONE) {
                add_between(b, base, n, s);
            }
        }
    }
}

/* Finds the direction of the spine. If no joint is called hips, the head is ahead of the tail. The
 * first joint is left out: it may stand beside the body. */
static void find_spine(const body *b, sign *s)
{
    uint32_t hips = MRW_NONE, head = MRW_NONE, tail = MRW_NONE;
    for (uint32_t n = 0; n < b->scene->nodes_count; n++) {
        const mrwi_anim_front_name *name = &b->names[n];
        const uint32_t parts = name->side == 0 || name->by_letter ? name->parts : 0;
        hips = hips == MRW_NONE && (parts & MRWI_ANIM_HIPS) ? n : hips;
        head = head == MRW_NONE && (parts & MRWI_ANIM_HEAD) ? n : head;
        tail = parts & MRWI_ANIM_TAIL ? n : tail;
    }
    const uint32_t rear = hips != MRW_NONE ? hips : tail;
    if (head != MRW_NONE && rear != MRW_NONE && head != rear) {
        add_between(b, rear, head, s);
    }
    if (tail != MRW_NONE && hips != MRW_NONE && tail != hips) {
        add_between(b, tail, hips, s);
    }
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* Marks joints. Returns false if there are none: the scene is static. */
static bool mark_joints(const mrw_scene *scene, uint8_t *joints)
{
    bool any = scene->joints_count > 0;
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        joints[scene->joints[j]] = 1;
    }
    for (uint32_t c = 0; scene->joints_count == 0 && c < scene->channels_count; c++) {
        if (scene->channels[c].path < MRW_PATH_WEIGHTS) {
            joints[scene->channels[c].node] = 1;
            any = true;
        }
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) { /* parents come first */
        joints[n] |= is_below_joint(scene, joints, n);
    }
    return any;
}

static void read_names(const mrw_scene *scene, const uint8_t *joints, mrwi_anim_front_name *out)
{
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        const char *name = mrw_scene_string(scene, scene->nodes[n].name);
        /* a joint that assimp spreads over several nodes has the place of the last one */
        const bool link = strstr(name, "_$AssimpFbx$_");
        out[n] = (mrwi_anim_front_name){.side = 0};
        if (joints[n] && !link) {
            out[n] = mrwi_anim_front_name_of(name);
        }
    }
}

/* Poses the nodes, in memory that it allocates. */
static mrw_status place_nodes(const mrw_scene *scene, const mrw_mat4 *model_to_world,
                              mrwi_base_arena *arena, mrw_mat4 **out, mrw_error *error)
{
    const uint32_t nodes = scene->nodes_count;
    mrw_transform *locals = mrwi_base_arena_alloc(arena, nodes, sizeof *locals);
    uint8_t *animated = mrwi_base_arena_alloc(arena, nodes, 1);
    float *weights = mrwi_base_arena_alloc(arena, scene->weights_count, sizeof *weights);
    mrw_poser *poser = NULL;
    *out = mrwi_base_arena_alloc(arena, nodes, sizeof **out);
    if (!locals || !animated || !weights || !*out) {
        return mrwi_base_fail_memory(error, nodes * sizeof **out);
    }
    mrw_status status = mrw_poser_create(scene, &poser, error);
    if (status) {
        return status;
    }
    mrw_sample(&(mrw_sample_job){.poser = poser,
                                 .clip = MRW_NONE,
                                 .locals = locals,
                                 .animated = animated,
                                 .weights = weights});
    mrw_local_to_world(&(mrw_world_job){.poser = poser,
                                        .locals = locals,
                                        .animated = animated,
                                        .model_to_world = model_to_world,
                                        .node_to_world = *out});
    mrw_poser_free(poser);
    return MRW_OK;
}

static mrw_status find_signs(const mrw_scene *scene, const mrw_mat4 *model_to_world,
                             mrwi_base_arena *arena, sign signs[MRW_FRONT_SIGNS], mrw_error *error)
{
    const uint32_t nodes = scene->nodes_count;
    uint8_t *joints = mrwi_base_arena_alloc(arena, nodes, 1);
    mrwi_anim_front_name *names = mrwi_base_arena_alloc(arena, nodes, sizeof *names);
    mrw_mat4 *node_to_world = NULL;
    if (!joints || !names) {
        return mrwi_base_fail_memory(error, nodes * sizeof *names);
    }
    memset(joints, 0, nodes);
    if (!mark_joints(scene, joints)) {
        return MRW_OK;
    }
    read_names(scene, joints, names);
    mrw_status status = place_nodes(scene, model_to_world, arena, &node_to_world, error);
    if (status) {
        return status;
    }
    const bool mirrored = model_to_world && mrwi_base_mat4_det3(model_to_world) < 0.0f;
    const body b = {scene, node_to_world, names, mirrored ? -1.0 : 1.0};
    find_parts(&b, MRWI_ANIM_TOE, MRWI_ANIM_FOOT, &signs[MRW_FRONT_FEET]);
    find_parts(&b, MRWI_ANIM_FACE, MRWI_ANIM_HEAD, &signs[MRW_FRONT_FACE]);
    if (scene->joints_count > 0) { /* machines have heads, too */
        find_spine(&b, &signs[MRW_FRONT_SPINE]);
    }
    return find_sides(&b, &signs[MRW_FRONT_SIDES], error);
}

/* ---- the vote -------------------------------------------------------------------------------- */

static const struct {
    double votes;
    double clear;   /* the least share of a sign's length that must be level */
    uint32_t least; /* the least number of ways */
} powers[MRW_FRONT_SIGNS] = {[MRW_FRONT_SIDES] = {2.0, 0.25, 2},
                             [MRW_FRONT_FEET] = {3.0, 0.25, 1},
                             [MRW_FRONT_FACE] = {3.0, 0.25, 1},
                             [MRW_FRONT_SPINE] = {3.0, 0.5, 1}};

static float custom_of(const mrw_scene *scene)
{
    static const char *const backwards[] = {"b3d", "ms3d", "smd", "mdl", "ogre"};
    const char *format = mrw_scene_source_format(scene);
    for (size_t i = 0; i < sizeof backwards / sizeof *backwards; i++) {
        if (strcmp(format, backwards[i]) == 0) {
            return 180.0f;
        }
    }
    return 0.0f;
}

static void count_votes(const mrw_scene *scene, const sign signs[MRW_FRONT_SIGNS], mrw_front *out)
{
    double x = 0.0, z = 0.0;
    *out = (mrw_front){.azimuth_degrees = custom_of(scene)};
    for (int i = 0; i < MRW_FRONT_SIGNS; i++) {
        const sign *s = &signs[i];
        const double level = sqrt(s->x * s->x + s->z * s->z);
        out->counts[i] = s->count;
        if (s->count >= powers[i].least && level > 0.0 && level <= DBL_MAX &&
            level >= powers[i].clear * s->length) {
            out->ways[i][0] = (float)(s->x / level);
            out->ways[i][1] = (float)(s->z / level);
            x += powers[i].votes * (s->x / level);
            z += powers[i].votes * (s->z / level);
        }
    }
    if (x * x + z * z >= 0.25) {
        out->of_joints = true;
        out->azimuth_degrees = fabs(x) > fabs(z) ? (x > 0.0 ? 90.0f : -90.0f)
                               : z > 0.0         ? 0.0f
                                                 : 180.0f;
    }
}

mrw_status mrw_find_front(const mrw_scene *scene, const mrw_mat4 *model_to_world, mrw_front *out,
                          mrw_error *error)
{
    mrwi_base_arena arena = {0};
    sign signs[MRW_FRONT_SIGNS] = {{0.0, 0.0, 0.0, 0}};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = find_signs(scene, model_to_world, &arena, signs, error);
    if (!status) {
        count_votes(scene, signs, out);
    }
    mrwi_base_arena_free(&arena);
    mrwi_base_fp_leave(fp);
    return status;
}
