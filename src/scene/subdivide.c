/* subdivide.c: cuts each triangle of a scene into four, as often as requested.
 *
 *        c
 *       / \          Edges are halved mesh by mesh. Where meshes, or seams of one, share an edge,
 *     ca---bc        its ends are equal on both sides, and so are the means of them: a mean of two
 *     / \ / \        does not depend on their order.
 *    a--ab---b */
#include "scene/derive.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/mesh.h"

#include <inttypes.h>
#include <string.h>

/* How the values of two ends are combined. */
typedef enum blend { MEAN, UNIT, TANGENT } blend;

typedef struct stream {
    float *values; /* one block each; NULL if the mesh has none */
    uint32_t width;
    blend blend;
} stream;

/* The streams that a mesh may have; three per morph target follow. */
enum { POSITIONS, NORMALS, TANGENTS, UVS, MORE_UVS, COLORS, TARGETS };

/* A mesh that is being cut. */
typedef struct cut_mesh {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t *indices;
    stream *streams;
    uint32_t stream_count;
    uint32_t slots; /* influences per vertex; unused ones have weight 0 */
    uint32_t *joints;
    float *weights;
} cut_mesh;

/* ---- edges ----------------------------------------------------------------------------------- */

/* The edges of a mesh in the order in which its triangles name them. They can be found by their
 * ends. */
typedef struct edges {
    uint64_t *ends; /* per edge: the smaller vertex, then the greater one */
    uint32_t count;
    uint32_t *table; /* edges by hash; MRW_NONE for a free place */
    size_t mask;
} edges;

static void free_edges(edges *e)
{
    mrwi_base_free(e->ends);
    mrwi_base_free(e->table);
}

static uint32_t edge_of(edges *e, uint32_t a, uint32_t b)
{
    const uint64_t ends = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    size_t at = (size_t)mrwi_scene_hash_word(MRWI_SCENE_HASH_SEED, ends) & e->mask;
    while (e->table[at] != MRW_NONE && e->ends[e->table[at]] != ends) {
        at = (at + 1) & e->mask;
    }
    if (e->table[at] == MRW_NONE) {
        e->table[at] = e->count;
        e->ends[e->count++] = ends;
    }
    return e->table[at];
}

/* Finds all edges; those of triangle t are of[3 t + k], from corner k to the next. of may be NULL.
 */
static mrw_status find_edges(const uint32_t *indices, uint32_t triangles, edges *out, uint32_t *of,
                             mrw_error *error)
{
    const size_t corners = (size_t)triangles * 3;
    size_t room = 4;
    while (room < 2 * corners) {
        room *= 2;
    }
    *out = (edges){.ends = mrwi_base_alloc(corners, sizeof *out->ends),
                   .table = mrwi_base_alloc(room, sizeof *out->table),
                   .mask = room - 1};
    if (!out->ends || !out->table) {
        return mrwi_base_fail_memory(error, room * sizeof *out->table);
    }
    memset(out->table, 0xff, room * sizeof *out->table);
    for (size_t c = 0; c < corners; c++) {
        const size_t next = c % 3 == 2 ? c - 2 : c + 1;
        const uint32_t edge = edge_of(out, indices[c], indices[next]);
        if (of) {
            of[c] = edge;
        }
    }
    return MRW_OK;
}

/* ---- how much it becomes --------------------------------------------------------------------- */

/* Counts the results. Each level adds a vertex per edge, halves the edges, adds three per triangle,
 * and makes four triangles of one. */
static mrw_status count_mesh(const mrw_scene *base, const mrw_mesh *mesh, uint32_t levels,
                             uint64_t *vertices, uint64_t *corners, mrw_error *error)
{
    edges e;
    mrw_status status =
        find_edges(base->indices + mesh->first_index, mesh->triangle_count, &e, NULL, error);
    uint64_t v = mesh->vertex_count, f = mesh->triangle_count, n = e.count;
    for (uint32_t level = 0; level < levels && v <= MRWI_SCENE_SECTION_LIMIT; level++) {
        v += n;
        n = 2 * n + 3 * f;
        f *= 4;
    }
    *vertices += v;
    *corners += 3 * f;
    free_edges(&e);
    return status;
}

static mrw_status check_size(const mrw_scene *base, uint32_t levels, uint64_t most,
                             const char *file, mrw_error *error)
{
    uint64_t vertices = 0, corners = 0;
    mrw_status status = MRW_OK;
    for (uint32_t m = 0; m < base->meshes_count; m++) {
        status = count_mesh(base, &base->meshes[m], levels, &vertices, &corners, error);
        if (status) {
            return status;
        }
    }
    if (corners > MRWI_SCENE_SECTION_LIMIT) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: --subdivide %u makes more triangles than a scene can contain; "
                              "use a smaller number",
                              file, levels);
    }
    if (vertices > most) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: --subdivide %u makes %" PRIu64 " vertices, but only %" PRIu64
            " are allowed; use a smaller number, or allow more with --max-vertices N",
            file, levels, vertices, most);
    }
    return MRW_OK;
}

/* ---- a mesh before it is cut ----------------------------------------------------------------- */

static void free_mesh(cut_mesh *mesh)
{
    for (uint32_t s = 0; mesh->streams && s < mesh->stream_count; s++) {
        mrwi_base_free(mesh->streams[s].values);
    }
    mrwi_base_free(mesh->streams);
    mrwi_base_free(mesh->indices);
    mrwi_base_free(mesh->joints);
    mrwi_base_free(mesh->weights);
}

static bool copy_stream(const float *from, uint32_t count, stream *out)
{
    out->values = mrwi_base_alloc((size_t)count * out->width, sizeof *out->values);
    if (out->values) {
        memcpy(out->values, from, (size_t)count * out->width * sizeof *from);
    }
    return out->values;
}

static bool copy_attributes(const mrw_scene *base, const mrw_mesh *mesh, cut_mesh *out)
{
    const struct {
        const float *pool;
        uint32_t first, width;
        blend blend;
    } from[TARGETS] = {[POSITIONS] = {base->positions, mesh->position, 3, MEAN},
                       [NORMALS] = {base->normals, mesh->normal, 3, UNIT},
                       [TANGENTS] = {base->tangents, mesh->tangent, 4, TANGENT},
                       [UVS] = {base->uvs, mesh->uv[0], 2, MEAN},
                       [MORE_UVS] = {base->uvs, mesh->uv[1], 2, MEAN},
                       [COLORS] = {base->colors, mesh->color, 4, MEAN}};
    for (int s = 0; s < TARGETS; s++) {
        out->streams[s] = (stream){NULL, from[s].width, from[s].blend};
        if (from[s].first != MRW_NONE &&
            !copy_stream(from[s].pool + (size_t)from[s].first * from[s].width, mesh->vertex_count,
                         &out->streams[s])) {
            return false;
        }
    }
    return true;
}

/* Spreads the differences of a target over all vertices. */
static bool spread_target(const mrw_scene *base, const mrw_morph_target *target, uint32_t count,
                          stream out[3])
{
    const float *const pools[3] = {base->morph_positions, base->morph_normals,
                                   base->morph_tangents};
    const uint32_t firsts[3] = {target->first_entry, target->normal, target->tangent};
    for (int i = 0; i < 3; i++) {
        out[i] = (stream){NULL, 3, MEAN};
        if (firsts[i] == MRW_NONE || target->entry_count == 0) {
            continue;
        }
        out[i].values = mrwi_base_alloc_zero((size_t)count * 3, sizeof *out[i].values);
        if (!out[i].values) {
            return false;
        }
        for (uint32_t e = 0; e < target->entry_count; e++) {
            const uint32_t vertex = base->morph_vertices[target->first_entry + e];
            memcpy(out[i].values + (size_t)vertex * 3, pools[i] + ((size_t)firsts[i] + e) * 3,
                   3 * sizeof *out[i].values);
        }
    }
    return true;
}

static bool spread_influences(const mrw_scene *base, const mrw_mesh *mesh, cut_mesh *out)
{
    const size_t slots = mesh->max_influences;
    out->slots = mesh->max_influences;
    out->joints = mrwi_base_alloc_zero(slots * mesh->vertex_count, sizeof *out->joints);
    out->weights = mrwi_base_alloc_zero(slots * mesh->vertex_count, sizeof *out->weights);
    if (!out->joints || !out->weights) {
        return false;
    }
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &base->groups[mesh->first_group + g];
        size_t from = group->first_influence, to = group->first_vertex * slots;
        for (uint32_t v = 0; v < group->vertex_count; v++, to += slots) {
            for (uint32_t i = 0; i < group->influence_count; i++, from++) {
                out->joints[to + i] = base->influence_joints[from];
                out->weights[to + i] = base->influence_weights[from];
            }
        }
    }
    return true;
}

static mrw_status take_mesh(const mrw_scene *base, const mrw_mesh *mesh, cut_mesh *out,
                            mrw_error *error)
{
    const size_t corners = (size_t)mesh->triangle_count * 3;
    *out = (cut_mesh){.vertex_count = mesh->vertex_count,
                      .triangle_count = mesh->triangle_count,
                      .stream_count = TARGETS + 3 * mesh->target_count};
    out->indices = mrwi_base_alloc(corners, sizeof *out->indices);
    out->streams = mrwi_base_alloc_zero(out->stream_count, sizeof *out->streams);
    bool good = out->indices && out->streams && copy_attributes(base, mesh, out) &&
                spread_influences(base, mesh, out);
    for (uint32_t t = 0; t < mesh->target_count && good; t++) {
        good = spread_target(base, &base->targets[mesh->first_target + t], mesh->vertex_count,
                             &out->streams[TARGETS + 3 * t]);
    }
    if (!good) {
        return mrwi_base_fail_memory(error, corners * sizeof *out->indices);
    }
    memcpy(out->indices, base->indices + mesh->first_index, corners * sizeof *out->indices);
    return MRW_OK;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Computes the mean of two ends. If they cancel each other, takes the value of the first, which is
 * the smaller vertex. */
static void halve(const stream *s, const float *a, const float *b, float *out)
{
    const uint32_t width = s->blend == TANGENT ? 3 : s->width;
    for (uint32_t i = 0; i < width; i++) {
        out[i] = 0.5f * a[i] + 0.5f * b[i];
    }
    if (s->blend != MEAN && !mrwi_base_normalize3(out)) {
        memcpy(out, a, 3 * sizeof *out);
    }
    if (s->blend == TANGENT) {
        out[3] = a[3];
    }
}

static bool halve_stream(const edges *e, uint32_t vertices, stream *s)
{
    const size_t width = s->width;
    float *grown = mrwi_base_realloc(s->values, vertices * width * sizeof *grown,
                                     ((size_t)vertices + e->count) * width, sizeof *grown);
    if (!grown) {
        return false;
    }
    s->values = grown;
    for (uint32_t i = 0; i < e->count; i++) {
        halve(s, grown + (e->ends[i] >> 32) * width, grown + (uint32_t)e->ends[i] * width,
              grown + ((size_t)vertices + i) * width);
    }
    return true;
}

/* Computes the influences of the middle of an edge: those of both ends, halved. joints and weights
 * have room for twice the slots. */
static uint32_t unite(const cut_mesh *mesh, uint64_t ends, uint32_t *joints, float *weights)
{
    const size_t slots = mesh->slots;
    const size_t from[2] = {(size_t)(ends >> 32) * slots, (uint32_t)ends * slots};
    uint32_t count = 0;
    for (size_t i = 0; i < 2 * slots; i++) {
        const size_t at = from[i / slots] + i % slots;
        uint32_t k = 0;
        if (mesh->weights[at] == 0.0f) {
            continue;
        }
        while (k < count && joints[k] != mesh->joints[at]) {
            k++;
        }
        if (k == count) {
            joints[count] = mesh->joints[at];
            weights[count++] = 0.0f;
        }
        weights[k] += 0.5f * mesh->weights[at];
    }
    return count;
}

static bool halve_influences(const edges *e, cut_mesh *mesh)
{
    const uint32_t old = mesh->slots;
    const size_t total = (size_t)mesh->vertex_count + e->count;
    uint32_t most = old;
    if (old == 0) {
        return true;
    }
    uint32_t *joints = mrwi_base_alloc(2 * (size_t)old, sizeof *joints);
    float *weights = mrwi_base_alloc(2 * (size_t)old, sizeof *weights);
    for (uint32_t i = 0; joints && weights && i < e->count; i++) {
        const uint32_t count = unite(mesh, e->ends[i], joints, weights);
        most = count > most ? count : most;
    }
    uint32_t *all_joints = mrwi_base_alloc_zero(total * most, sizeof *all_joints);
    float *all_weights = mrwi_base_alloc_zero(total * most, sizeof *all_weights);
    const bool good = joints && weights && all_joints && all_weights;
    for (size_t v = 0; v < total && good; v++) {
        const size_t i = v < mesh->vertex_count ? v * old : 0;
        const uint32_t count = v < mesh->vertex_count
                                   ? old
                                   : unite(mesh, e->ends[v - mesh->vertex_count], joints, weights);
        memcpy(all_joints + v * most, v < mesh->vertex_count ? mesh->joints + i : joints,
               count * sizeof *joints);
        memcpy(all_weights + v * most, v < mesh->vertex_count ? mesh->weights + i : weights,
               count * sizeof *weights);
    }
    mrwi_base_free(joints);
    mrwi_base_free(weights);
    if (!good) {
        mrwi_base_free(all_joints);
        mrwi_base_free(all_weights);
        return false;
    }
    mrwi_base_free(mesh->joints);
    mrwi_base_free(mesh->weights);
    mesh->joints = all_joints;
    mesh->weights = all_weights;
    mesh->slots = most;
    return true;
}

/* Writes the four parts of each triangle in its place. */
static bool cut_triangles(const uint32_t *edge_of_corner, cut_mesh *mesh)
{
    uint32_t *out = mrwi_base_alloc((size_t)mesh->triangle_count * 12, sizeof *out);
    for (size_t t = 0; out && t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->indices + 3 * t, *e = edge_of_corner + 3 * t;
        const uint32_t n = mesh->vertex_count, ab = n + e[0], bc = n + e[1], ca = n + e[2];
        const uint32_t four[12] = {v[0], ab, ca, ab, v[1], bc, ca, bc, v[2], ab, bc, ca};
        memcpy(out + 12 * t, four, sizeof four);
    }
    if (out) {
        mrwi_base_free(mesh->indices);
        mesh->indices = out;
    }
    return out;
}

static mrw_status cut_once(cut_mesh *mesh, mrw_error *error)
{
    const size_t corners = (size_t)mesh->triangle_count * 3;
    edges e = {0};
    uint32_t *of = mrwi_base_alloc(corners, sizeof *of);
    mrw_status status = of ? find_edges(mesh->indices, mesh->triangle_count, &e, of, error)
                           : mrwi_base_fail_memory(error, corners * sizeof *of);
    if (status) {
        goto out;
    }
    bool good = true;
    for (uint32_t s = 0; s < mesh->stream_count && good; s++) {
        good = !mesh->streams[s].values || halve_stream(&e, mesh->vertex_count, &mesh->streams[s]);
    }
    good = good && halve_influences(&e, mesh) && cut_triangles(of, mesh);
    status = good ? MRW_OK : mrwi_base_fail_memory(error, corners * 16);
    mesh->vertex_count += good ? e.count : 0;
    mesh->triangle_count *= good ? 4 : 1;
out:
    free_edges(&e);
    mrwi_base_free(of);
    return status;
}

/* ---- into the scene -------------------------------------------------------------------------- */

/* Writes the mesh through the stages of any mesh: they merge equal vertices, sort influences so
 * that they sum to one, group vertices and list the vertices that targets move. */
static mrw_status emit(const cut_mesh *cut, const mrw_mesh *old, const mrw_scene *base,
                       mrwi_scene_changes *changes, mrwi_scene_mesh_source *source,
                       mrw_error *error)
{
    mrwi_scene_target_input *targets =
        mrwi_scene_scratch(source->scratch, old->target_count, sizeof *targets, error);
    if (!targets) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < old->target_count; t++) {
        const stream *s = &cut->streams[TARGETS + 3 * t];
        targets[t] = (mrwi_scene_target_input){NULL, s[0].values, s[1].values, s[2].values};
    }
    const mrwi_scene_mesh_input in = {
        .material = old->material,
        .vertex_count = cut->vertex_count,
        .indices = cut->indices,
        .index_count = cut->triangle_count * 3,
        .positions = cut->streams[POSITIONS].values,
        .normals = cut->streams[NORMALS].values,
        .tangents = cut->streams[TANGENTS].values,
        .uvs = {cut->streams[UVS].values, cut->streams[MORE_UVS].values},
        .colors = cut->streams[COLORS].values,
        .influence_count = cut->slots,
        .joints = cut->joints,
        .weights = cut->weights,
        .joint_limit = UINT16_MAX,
        .targets = targets,
        .target_count = old->target_count};
    mrw_mesh mesh = {.material = old->material};
    uint32_t joint_end, index;
    source->in = &in;
    mrw_status status = mrwi_scene_build_mesh(&changes->draft, source, &mesh, &joint_end, error);
    if (status) {
        return status;
    }
    mesh.name = old->name;
    mesh.flags = old->flags;
    for (uint32_t t = 0; t < old->target_count; t++) {
        MRWI_SCENE_AT(&changes->draft, targets, mrw_morph_target, mesh.first_target + t).name =
            base->targets[old->first_target + t].name;
    }
    return mrwi_scene_push(&changes->draft, MRWI_SCENE_SECTION_meshes, &mesh, &index, error);
}

static mrw_status subdivide_mesh(const mrw_scene *base, uint32_t index, uint32_t levels,
                                 mrwi_scene_changes *changes, mrwi_scene_mesh_source *source,
                                 mrw_error *error)
{
    const mrw_mesh *old = &base->meshes[index];
    cut_mesh cut;
    mrw_status status = take_mesh(base, old, &cut, error);
    if (status) {
        goto out;
    }
    for (uint32_t level = 0; level < levels; level++) {
        status = cut_once(&cut, error);
        if (status) {
            goto out;
        }
    }
    status = emit(&cut, old, base, changes, source, error);
out:
    free_mesh(&cut);
    return status;
}

/* The sections that contain the data of meshes. */
static const mrwi_scene_section of_meshes[] = {
    MRWI_SCENE_SECTION_meshes,           MRWI_SCENE_SECTION_indices,
    MRWI_SCENE_SECTION_positions,        MRWI_SCENE_SECTION_normals,
    MRWI_SCENE_SECTION_tangents,         MRWI_SCENE_SECTION_uvs,
    MRWI_SCENE_SECTION_colors,           MRWI_SCENE_SECTION_groups,
    MRWI_SCENE_SECTION_influence_joints, MRWI_SCENE_SECTION_influence_weights,
    MRWI_SCENE_SECTION_targets,          MRWI_SCENE_SECTION_morph_vertices,
    MRWI_SCENE_SECTION_morph_positions,  MRWI_SCENE_SECTION_morph_normals,
    MRWI_SCENE_SECTION_morph_tangents};

mrw_status mrwi_scene_subdivide(const mrw_scene *base, uint32_t levels, uint64_t max_vertices,
                                const char *file_name, mrw_scene **out, mrw_error *error)
{
    mrwi_scene_changes changes = {0};
    /* stays empty: base was repaired when it was made */
    mrwi_scene_warnings warnings = {0};
    mrwi_base_arena scratch = {0};
    mrwi_scene_mesh_source source = {
        .file = changes.draft.file, .label = "mesh", .warnings = &warnings, .scratch = &scratch};
    *out = NULL;
    mrw_status status = mrwi_scene_draft_begin(&changes.draft, file_name, error);
    if (status) {
        goto out;
    }
    for (size_t i = 0; i < sizeof of_meshes / sizeof *of_meshes; i++) {
        changes.replaced[of_meshes[i]] = true;
    }
    status = check_size(base, levels, max_vertices, changes.draft.file, error);
    if (status) {
        goto out;
    }
    for (uint32_t m = 0; m < base->meshes_count; m++) {
        mrwi_base_arena_reset(&scratch);
        status = subdivide_mesh(base, m, levels, &changes, &source, error);
        if (status) {
            goto out;
        }
    }
    status = mrwi_scene_derive(base, &changes, file_name, out, error);
out:
    mrwi_scene_names_free(&warnings.texts);
    mrwi_scene_pool_free(&warnings.offsets);
    mrwi_base_arena_free(&scratch);
    mrwi_scene_draft_free(&changes.draft);
    return status;
}
