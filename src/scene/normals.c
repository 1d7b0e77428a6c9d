/* normals.c: computes normals for meshes whose file has none, in double, with a fixed order of
 * sums. */
#include "scene/mesh.h"

#include "base/math.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* 60 degrees, with room for rounding: all six sides of a hexagonal prism are smooth. */
#define SMOOTH_COSINE (0.5 - 1e-6)

typedef struct corner_set {
    const float *positions;
    const uint32_t *corners; /* source vertex of each corner */
    uint32_t corner_count;
    double (*face_normals)[3]; /* per triangle: unit, or zero for a triangle without area */
    double *angles;            /* per corner */
    float (*normals)[3];       /* out, per corner */
} corner_set;

static double dot(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void subtract(const float *a, const float *b, double *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)a[i] - (double)b[i];
    }
}

static bool normalise(double *v)
{
    double length = sqrt(dot(v, v));
    if (!(length > 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
    return true;
}

static const float *corner_position(const corner_set *set, uint32_t corner)
{
    return set->positions + (size_t)set->corners[corner] * 3;
}

static void measure_triangle(corner_set *set, uint32_t triangle)
{
    double edges[3][3]; /* from each corner to the next one */
    for (uint32_t i = 0; i < 3; i++) {
        subtract(corner_position(set, 3 * triangle + (i + 1) % 3),
                 corner_position(set, 3 * triangle + i), edges[i]);
    }
    double *n = set->face_normals[triangle];
    n[0] = edges[0][1] * edges[1][2] - edges[0][2] * edges[1][1];
    n[1] = edges[0][2] * edges[1][0] - edges[0][0] * edges[1][2];
    n[2] = edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0];
    bool solid = normalise(n) && normalise(edges[0]) && normalise(edges[1]) && normalise(edges[2]);
    for (uint32_t i = 0; i < 3; i++) {
        double cosine = -dot(edges[i], edges[(i + 2) % 3]);
        cosine = cosine < -1.0 ? -1.0 : cosine > 1.0 ? 1.0 : cosine;
        set->angles[3 * triangle + i] = solid ? mrwi_base_acos(cosine) : 0.0;
    }
    if (!solid) {
        memset(n, 0, sizeof *set->face_normals);
    }
}

static void add_corner(const corner_set *set, uint32_t corner, double *sum)
{
    const double *n = set->face_normals[corner / 3];
    for (int i = 0; i < 3; i++) {
        sum[i] += n[i] * set->angles[corner];
    }
}

static void store_normal(corner_set *set, uint32_t corner, const double *sum)
{
    double n[3] = {sum[0], sum[1], sum[2]};
    if (!normalise(n)) {
        n[2] = 1.0;
    }
    for (int i = 0; i < 3; i++) {
        set->normals[corner][i] = (float)n[i];
    }
}

/* ---- fans ------------------------------------------------------------------------------------ */

/* The corners at one position form fans: groups that smooth edges join, directly or through others.
 * A fan has one normal, so a smooth edge shows no seam. (Means over "all triangles within 60
 * degrees of this one" differ from corner to corner: every edge of an icosahedron was visible.) */

/* An edge of a corner, by its other end. */
typedef struct spoke {
    uint32_t place;
    uint32_t member; /* number of the corner within its position */
} spoke;

typedef struct fan_work {
    spoke *spokes;    /* two per corner */
    uint32_t *parent; /* union-find over the members; a root is its fan's smallest member */
    double (*sums)[3];
} fan_work;

/* Each triangle around an edge is compared with this many others. Two triangles are normal; more
 * than this are a broken mesh. */
#define EDGE_LOOK_BACK 4u

static int compare_spokes(const void *a, const void *b)
{
    const spoke *x = a, *y = b;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    return x->member < y->member ? -1 : x->member > y->member;
}

static uint32_t find_root(uint32_t *parent, uint32_t member)
{
    while (parent[member] != member) {
        parent[member] = parent[parent[member]];
        member = parent[member];
    }
    return member;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t x = find_root(parent, a), y = find_root(parent, b);
    if (x < y) {
        parent[y] = x;
    } else {
        parent[x] = y;
    }
}

static bool smooth_between(const corner_set *set, uint32_t a, uint32_t b)
{
    return dot(set->face_normals[a / 3], set->face_normals[b / 3]) >= SMOOTH_COSINE;
}

static void join_fans(const corner_set *set, const uint32_t *place, const uint32_t *list,
                      uint32_t count, fan_work *work)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t triangle = list[i] / 3 * 3, at = list[i] % 3;
        work->parent[i] = i;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t end = set->corners[triangle + (at + 1 + k) % 3];
            work->spokes[2 * i + k] = (spoke){place[end], i};
        }
    }
    qsort(work->spokes, 2 * (size_t)count, sizeof *work->spokes, compare_spokes);
    for (uint32_t i = 1; i < 2 * count; i++) {
        const spoke *s = &work->spokes[i];
        for (uint32_t back = 1; back <= EDGE_LOOK_BACK && back <= i; back++) {
            const spoke *other = s - back;
            if (other->place != s->place) {
                break;
            }
            if (smooth_between(set, list[s->member], list[other->member])) {
                join(work->parent, s->member, other->member);
            }
        }
    }
}

static bool is_zero(const double *v)
{
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

/* Gives corners of triangles without area the mean of all normals at their position. */
static void smooth_position(corner_set *set, const uint32_t *place, const uint32_t *list,
                            uint32_t count, fan_work *work)
{
    double all[3] = {0, 0, 0};
    join_fans(set, place, list, count, work);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = find_root(work->parent, i);
        if (root == i) {
            memset(work->sums[i], 0, sizeof work->sums[i]);
        }
        add_corner(set, list[i], work->sums[root]);
        add_corner(set, list[i], all);
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *sum = work->sums[find_root(work->parent, i)];
        store_normal(set, list[i], is_zero(sum) ? all : sum);
    }
}

/* ---- positions ------------------------------------------------------------------------------- */

typedef struct position_key {
    const float *positions;
    const float *position;
} position_key;

static bool same_position(const void *user, uint32_t vertex)
{
    const position_key *key = user;
    const float *other = key->positions + (size_t)vertex * 3;
    return other[0] == key->position[0] && other[1] == key->position[1] &&
           other[2] == key->position[2];
}

/* Sets place[v] to the first vertex at the position of v. */
static bool find_places(const float *positions, uint32_t vertex_count, uint32_t *place)
{
    mrwi_scene_table table = {0};
    bool ok = true;
    for (uint32_t v = 0; v < vertex_count && ok; v++) {
        position_key key = {positions, positions + (size_t)v * 3};
        uint64_t hash = mrwi_scene_hash_floats(MRWI_SCENE_HASH_SEED, key.position, 3);
        place[v] = mrwi_scene_table_find(&table, hash, same_position, &key);
        if (place[v] == MRW_NONE) {
            place[v] = v;
            ok = mrwi_scene_table_add(&table, hash, v);
        }
    }
    mrwi_scene_table_free(&table);
    return ok;
}

/* Lists corners by place (counting sort), each list in corner order. */
static void list_by_place(const corner_set *set, const uint32_t *place, uint32_t vertex_count,
                          uint32_t *first, uint32_t *list)
{
    memset(first, 0, ((size_t)vertex_count + 1) * sizeof *first);
    for (uint32_t c = 0; c < set->corner_count; c++) {
        first[place[set->corners[c]] + 1]++;
    }
    for (uint32_t v = 0; v < vertex_count; v++) {
        first[v + 1] += first[v];
    }
    for (uint32_t c = 0; c < set->corner_count; c++) {
        list[first[place[set->corners[c]]]++] = c;
    }
    memmove(first + 1, first, vertex_count * sizeof *first); /* the ends became the starts */
    first[0] = 0;
}

static mrw_status alloc_fans(mrwi_base_arena *scratch, const uint32_t *first, uint32_t vertex_count,
                             fan_work *work, mrw_error *error)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < vertex_count; v++) {
        most = first[v + 1] - first[v] > most ? first[v + 1] - first[v] : most;
    }
    work->spokes = mrwi_scene_scratch(scratch, 2 * (size_t)most, sizeof *work->spokes, error);
    work->parent = mrwi_scene_scratch(scratch, most, sizeof *work->parent, error);
    work->sums = mrwi_scene_scratch(scratch, most, sizeof *work->sums, error);
    return work->spokes && work->parent && work->sums ? MRW_OK : MRW_ERROR_MEMORY;
}

static mrw_status smooth(mrwi_base_arena *scratch, corner_set *set, uint32_t vertex_count,
                         mrw_error *error)
{
    uint32_t *place = mrwi_scene_scratch(scratch, vertex_count, sizeof *place, error);
    uint32_t *first = mrwi_scene_scratch(scratch, (size_t)vertex_count + 1, sizeof *first, error);
    uint32_t *list = mrwi_scene_scratch(scratch, set->corner_count, sizeof *list, error);
    if (!place || !first || !list) {
        return MRW_ERROR_MEMORY;
    }
    if (!find_places(set->positions, vertex_count, place)) {
        return mrwi_base_fail_memory(error, sizeof(mrwi_scene_table_entry));
    }
    list_by_place(set, place, vertex_count, first, list);
    fan_work work;
    mrw_status status = alloc_fans(scratch, first, vertex_count, &work, error);
    for (uint32_t v = 0; v < vertex_count && !status; v++) {
        smooth_position(set, place, list + first[v], first[v + 1] - first[v], &work);
    }
    return status;
}

mrw_status mrwi_scene_corner_normals(const mrwi_scene_mesh_source *source,
                                     const mrwi_scene_corners *corners, bool flat, float **out,
                                     mrw_error *error)
{
    const uint32_t count = corners->count;
    mrwi_base_arena *scratch = source->scratch;
    corner_set set = {
        .positions = source->in->positions, .corners = corners->vertices, .corner_count = count};
    set.face_normals = mrwi_scene_scratch(scratch, count / 3, sizeof *set.face_normals, error);
    set.angles = mrwi_scene_scratch(scratch, count, sizeof *set.angles, error);
    set.normals = mrwi_scene_scratch(scratch, count, sizeof *set.normals, error);
    if (!set.face_normals || !set.angles || !set.normals) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < count / 3; t++) {
        measure_triangle(&set, t);
    }
    *out = &set.normals[0][0];
    if (!flat) {
        return smooth(scratch, &set, source->in->vertex_count, error);
    }
    for (uint32_t c = 0; c < count; c++) {
        store_normal(&set, c, set.face_normals[c / 3]);
    }
    return MRW_OK;
}
