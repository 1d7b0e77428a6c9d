/* skin.c: measures skinning, for `marrow bench`: the kernels, the loop of a tutorial, a copy of as
 * many bytes.
 *
 * Vertices are ordered as in a real mesh: sixty in a row use neighbouring joints. The plain loop is
 * compiled like all of marrow, for the oldest CPU of its architecture.
 */
#include "bench/internal.h"

#include <marrow/skin.h>
#include <stdlib.h>
#include <string.h>

/* The mesh to skin. */
typedef struct skin_mesh {
    uint32_t vertices, influences;
    float *positions, *normals, *weights;
    uint16_t *indices;
} skin_mesh;

typedef struct skin_work {
    skin_mesh mesh;
    mrw_mat4 *palette;
    mrw_dual_quaternion *motions; /* NULL: skin linearly */
    float *out_positions, *out_normals;
    char *copy;
} skin_work;

static void fill_palette(uint32_t joints, mrw_mat4 *palette, mrw_dual_quaternion *motions)
{
    uint32_t state = 3;
    for (uint32_t j = 0; j < joints; j++) {
        for (int k = 0; k < 16; k++) {
            float last = k == 15 ? 1.0f : 0.0f;
            palette[j].m[k] = k % 4 == 3 ? last : bench_random(&state);
        }
        for (int k = 0; k < 4 && motions; k++) {
            motions[j].real[k] = bench_random(&state);
            motions[j].dual[k] = bench_random(&state);
        }
    }
}

static void fill_vertices(skin_mesh *mesh, uint32_t joints)
{
    uint32_t state = 1;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertices; i++) {
        mesh->positions[i] = bench_random(&state);
        mesh->normals[i] = bench_random(&state);
    }
    for (size_t v = 0; v < mesh->vertices; v++) {
        const uint32_t base = (uint32_t)(v / 60) * 7;
        float *weights = mesh->weights + v * mesh->influences, sum = 0.0f;
        for (uint32_t i = 0; i < mesh->influences; i++) {
            uint32_t step = (uint32_t)(5.0f + 4.9f * bench_random(&state));
            mesh->indices[v * mesh->influences + i] = (uint16_t)((base + step) % joints);
            sum += weights[i] = 1.1f + bench_random(&state);
        }
        for (uint32_t i = 0; i < mesh->influences; i++) {
            weights[i] /= sum;
        }
    }
}

/* Returns half of the bytes that skinning reads and writes; a copy reads and writes each byte. */
static size_t copied(const skin_mesh *mesh)
{
    return (size_t)mesh->vertices * (2 * 12 + 2 * 16 + 6 * mesh->influences) / 2;
}

static void free_work(skin_work *w)
{
    void *all[] = {w->palette,      w->motions,       w->mesh.positions,
                   w->mesh.normals, w->out_positions, w->out_normals,
                   w->mesh.weights, w->mesh.indices,  w->copy};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static bool make_mesh(const bench_row *row, skin_mesh *out)
{
    const uint32_t vertices = row->sizes[BENCH_VERTICES], influences = row->sizes[BENCH_INFLUENCES];
    const size_t links = (size_t)vertices * influences;
    *out = (skin_mesh){.vertices = vertices,
                       .influences = influences,
                       .positions = bench_array(vertices, 3 * sizeof(float)),
                       .normals = bench_array(vertices, 3 * sizeof(float)),
                       .weights = bench_array(links, sizeof *out->weights),
                       .indices = bench_array(links, sizeof *out->indices)};
    if (!out->positions || !out->normals || !out->weights || !out->indices) {
        return false;
    }
    fill_vertices(out, row->sizes[BENCH_JOINTS]);
    return true;
}

static bool make_work(const bench_row *row, skin_work *w)
{
    const uint32_t joints = row->sizes[BENCH_JOINTS];
    *w = (skin_work){0};
    if (!make_mesh(row, &w->mesh)) {
        return false;
    }
    w->palette = bench_array(joints, sizeof *w->palette);
    w->motions = row->choice == MRW_SKINNING_DUAL_QUATERNION
                     ? bench_array(joints, sizeof *w->motions)
                     : NULL;
    w->out_positions = bench_array(w->mesh.vertices, 4 * sizeof(float));
    w->out_normals = bench_array(w->mesh.vertices, 4 * sizeof(float));
    w->copy = bench_array(copied(&w->mesh), 2);
    if (!w->palette || (row->choice != 0 && !w->motions) || !w->out_positions || !w->out_normals ||
        !w->copy) {
        return false;
    }
    fill_palette(joints, w->palette, w->motions);
    return true;
}

static mrw_status run_kernels(void *data, mrw_isa isa, mrw_error *error)
{
    skin_work *w = data;
    const skin_mesh *mesh = &w->mesh;
    const mrw_skin_group group = {0, mesh->vertices, mesh->influences, mesh->indices,
                                  mesh->weights};
    const mrw_skin_job job = {.groups = &group,
                              .group_count = 1,
                              .palette = w->palette,
                              .motions = w->motions,
                              .positions = mesh->positions,
                              .normals = mesh->normals,
                              .out_positions = w->out_positions,
                              .out_normals = w->out_normals,
                              .isa = isa};
    (void)error;
    mrw_skin_vertices(&job);
    return MRW_OK;
}

/* Sums up a matrix for each vertex, then multiplies. */
static mrw_status run_plain(void *data, mrw_isa isa, mrw_error *error)
{
    const skin_work *w = data;
    const skin_mesh *mesh = &w->mesh;
    (void)isa;
    (void)error;
    for (size_t v = 0; v < mesh->vertices; v++) {
        float m[16] = {0};
        for (size_t i = 0; i < mesh->influences; i++) {
            const float weight = mesh->weights[v * mesh->influences + i];
            const float *joint = w->palette[mesh->indices[v * mesh->influences + i]].m;
            for (int k = 0; k < 16; k++) {
                m[k] += weight * joint[k];
            }
        }
        const float *p = mesh->positions + 3 * v, *n = mesh->normals + 3 * v;
        float *out_p = w->out_positions + 4 * v, *out_n = w->out_normals + 4 * v;
        for (int r = 0; r < 4; r++) {
            out_p[r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
            out_n[r] = m[r] * n[0] + m[4 + r] * n[1] + m[8 + r] * n[2];
        }
    }
    return MRW_OK;
}

static mrw_status run_copy(void *data, mrw_isa isa, mrw_error *error)
{
    const skin_work *w = data;
    (void)isa;
    (void)error;
    memcpy(w->copy, w->copy + copied(&w->mesh), copied(&w->mesh));
    __asm__ volatile("" ::"r"(w->copy) : "memory");
    return MRW_OK;
}

mrw_status bench_skin(bench *b, const bench_row *row, bench_ways *out, mrw_error *error)
{
    skin_work w;
    mrw_status status = MRW_OK;
    if (!make_work(row, &w)) {
        status = bench_fail_memory(error);
        goto out;
    }
    bench_add_kernels(b, out, run_kernels);
    if (row->choice == MRW_SKINNING_LINEAR) {
        bench_add_yardstick(out, "plain-loop", run_plain);
    }
    bench_add_yardstick(out, "copy", run_copy);
    status = bench_measure(b, out, &w, MRW_CLOCK_PROCESS, error);
    bench_scale(row, out, 1e9 / w.mesh.vertices);
out:
    free_work(&w);
    return status;
}
