/* import_fixture.h: loads files that the tests write, poses them and places vertices. */
#ifndef MRW_TEST_IMPORT_FIXTURE_H
#define MRW_TEST_IMPORT_FIXTURE_H

#include "test.h"

#include "marrow/anim.h"
#include "marrow/load.h"

#include <math.h>
#include <stdarg.h>

/* ---- loading and posing ---------------------------------------------------------------------- */

static inline mrw_scene *load(const char *name, const char *file)
{
    mrw_error error = {0};
    mrw_scene *scene = NULL;
    mrw_status status = mrw_load_memory(file, strlen(file), name, NULL, NULL, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

typedef struct vec3 {
    double x, y, z;
} vec3;

static inline vec3 transform(const mrw_mat4 *m, vec3 v)
{
    const float *a = m->m;
    return (vec3){a[0] * v.x + a[4] * v.y + a[8] * v.z + a[12],
                  a[1] * v.x + a[5] * v.y + a[9] * v.z + a[13],
                  a[2] * v.x + a[6] * v.y + a[10] * v.z + a[14]};
}

/* Node to world matrices and morph weights at a time of a clip (MRW_NONE: at rest). */
static mrw_mat4 worlds[64];
static float weights[64];
static bool beyond_clips; /* times are not clamped */

static inline void pose(const mrw_scene *scene, uint32_t clip, double time)
{
    static mrw_transform locals[64];
    static uint8_t animated[64];
    ck_assert_uint_le(scene->nodes_count, 64);
    ck_assert_uint_le(scene->weights_count, 64);
    mrw_poser *poser = NULL;
    ck_assert_int_eq(mrw_poser_create(scene, &poser, NULL), MRW_OK);
    mrw_sample(&(mrw_sample_job){.poser = poser,
                                 .clip = clip,
                                 .time = time,
                                 .beyond = beyond_clips,
                                 .locals = locals,
                                 .animated = animated,
                                 .weights = weights});
    mrw_local_to_world(&(mrw_world_job){
        .poser = poser, .locals = locals, .animated = animated, .node_to_world = worlds});
    mrw_poser_free(poser);
}

static inline uint32_t group_of(const mrw_scene *scene, const mrw_mesh *mesh, uint32_t vertex)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &scene->groups[mesh->first_group + g];
        if (vertex < group->first_vertex + group->vertex_count) {
            return mesh->first_group + g;
        }
    }
    return MRW_NONE;
}

/* Where the pose puts a vertex of a draw: morphed, then by its node or by its influences. */
static inline vec3 place(const mrw_scene *scene, uint32_t draw, uint32_t vertex)
{
    const mrw_draw *d = &scene->draws[draw];
    const mrw_mesh *mesh = &scene->meshes[d->mesh];
    const float *p = scene->positions + 3 * (mesh->position + vertex);
    vec3 v = {p[0], p[1], p[2]}, sum = {0, 0, 0};
    for (uint32_t t = 0; t < mesh->target_count; t++) {
        const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
        double w = (double)weights[scene->nodes[d->node].first_weight + t];
        for (uint32_t e = target->first_entry; e < target->first_entry + target->entry_count; e++) {
            if (scene->morph_vertices[e] == vertex) {
                v.x += w * scene->morph_positions[3 * e];
                v.y += w * scene->morph_positions[3 * e + 1];
                v.z += w * scene->morph_positions[3 * e + 2];
            }
        }
    }
    if (d->skin == MRW_NONE) {
        return transform(&worlds[d->node], v);
    }
    const mrw_skin *skin = &scene->skins[d->skin];
    const mrw_influence_group *g = &scene->groups[group_of(scene, mesh, vertex)];
    for (uint32_t i = 0; i < g->influence_count; i++) {
        uint32_t at = g->first_influence + (vertex - g->first_vertex) * g->influence_count + i;
        uint32_t joint = skin->first_joint + scene->influence_joints[at];
        vec3 q = transform(&worlds[scene->joints[joint]],
                           transform(&scene->geometry_to_joint[joint], v));
        double w = (double)scene->influence_weights[at];
        sum = (vec3){sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z};
    }
    return sum;
}

#define ck_place(scene, draw, vertex, X, Y, Z)                                                     \
    do {                                                                                           \
        vec3 got_ = place(scene, draw, vertex);                                                    \
        ck_assert_msg(fabs(got_.x - (X)) < 1e-5 && fabs(got_.y - (Y)) < 1e-5 &&                    \
                          fabs(got_.z - (Z)) < 1e-5,                                               \
                      "vertex at %.6f %.6f %.6f", got_.x, got_.y, got_.z);                         \
    } while (0)

/* ---- writing files as text ------------------------------------------------------------------- */

static char text[40000];

static inline void add(const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    ck_assert_int_lt(length, (int)(sizeof text - used));
    for (char *c = text + used; *c != '\0'; c++) { /* ' stands for " */
        *c = *c == '\'' ? '"' : *c;
    }
}

#endif
