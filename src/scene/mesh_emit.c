/* mesh_emit.c: orders the welded vertices of a mesh and writes them into the pools. */
#include "scene/mesh.h"

#include "base/memory.h"

#include <string.h>

/* The vertices of the scene: welded, ordered by their number of influences. */
typedef struct vertex_order {
    const mrwi_scene_weld_job *weld;
    uint32_t *order; /* final vertex -> welded vertex */
    uint32_t *rank;  /* welded vertex -> final vertex */
} vertex_order;

/* ---- order ----------------------------------------------------------------------------------- */

static uint32_t source_of(const vertex_order *vertices, uint32_t final_vertex)
{
    const mrwi_scene_weld_job *weld = vertices->weld;
    return weld->sources[weld->first_of[vertices->order[final_vertex]]];
}

static uint32_t influence_count(const mrwi_scene_influences *set, uint32_t source)
{
    return set->first ? set->first[source + 1] - set->first[source] : 0;
}

/* Orders vertices by influence count, otherwise as they were (counting sort). */
static mrw_status sort_by_influences(const mrwi_scene_weld_job *job, mrwi_base_arena *scratch,
                                     vertex_order *out, mrw_error *error)
{
    const mrwi_scene_influences *set = &job->influences;
    uint32_t buckets = set->joint_end + 2; /* joints differ, so counts are no greater */
    uint32_t *start = mrwi_scene_scratch(scratch, buckets, sizeof *start, error);
    out->weld = job;
    out->order = mrwi_scene_scratch(scratch, job->vertex_count, sizeof *out->order, error);
    out->rank = mrwi_scene_scratch(scratch, job->vertex_count, sizeof *out->rank, error);
    if (!start || !out->order || !out->rank) {
        return MRW_ERROR_MEMORY;
    }
    memset(start, 0, buckets * sizeof *start);
    for (uint32_t v = 0; v < job->vertex_count; v++) {
        start[influence_count(set, job->sources[job->first_of[v]]) + 1]++;
    }
    for (uint32_t i = 1; i < buckets; i++) {
        start[i] += start[i - 1];
    }
    for (uint32_t v = 0; v < job->vertex_count; v++) {
        uint32_t at = start[influence_count(set, job->sources[job->first_of[v]])]++;
        out->order[at] = v;
        out->rank[v] = at;
    }
    return MRW_OK;
}

/* ---- into the pools -------------------------------------------------------------------------- */

/* Writes a stream into its pool. by_candidate: it has values per candidate, else per source
 * vertex. */
static mrw_status emit_stream(mrwi_scene_draft *draft, mrwi_scene_section section,
                              const vertex_order *vertices, mrwi_scene_stream stream,
                              bool by_candidate, uint32_t *first, mrw_error *error)
{
    *first = MRW_NONE;
    if (!stream.values) {
        return MRW_OK;
    }
    const mrwi_scene_weld_job *weld = vertices->weld;
    const uint32_t count = weld->vertex_count, width = stream.width;
    mrw_status status = mrwi_scene_extend(draft, section, count, first, error);
    if (status) {
        return status;
    }
    float *out = &MRWI_SCENE_POOL_AT(&draft->pools[section], float, (size_t)*first *width);
    for (uint32_t v = 0; v < count; v++) {
        uint32_t from = by_candidate ? weld->first_of[vertices->order[v]] : source_of(vertices, v);
        memcpy(out + (size_t)v * width, stream.values + (size_t)from * width, width * sizeof *out);
    }
    return MRW_OK;
}

static mrw_status emit_attributes(mrwi_scene_draft *draft, const float *positions,
                                  const mrwi_scene_attributes *clean, const vertex_order *vertices,
                                  mrw_mesh *mesh, mrw_error *error)
{
    static const float none[3]; /* for a mesh without vertices, whose positions may be NULL */
    const float *own_normals = clean->corner_normals, *own_tangents = clean->corner_tangents;
    const struct {
        mrwi_scene_section section;
        uint32_t *first;
        mrwi_scene_stream stream;
        bool by_candidate;
    } streams[] = {
        {MRWI_SCENE_SECTION_positions, &mesh->position, {positions ? positions : none, 3}, false},
        {MRWI_SCENE_SECTION_normals,
         &mesh->normal,
         {own_normals ? own_normals : clean->normals, 3},
         own_normals},
        {MRWI_SCENE_SECTION_tangents,
         &mesh->tangent,
         {own_tangents ? own_tangents : clean->tangents, 4},
         own_tangents},
        {MRWI_SCENE_SECTION_uvs, &mesh->uv[0], {clean->uvs[0], 2}, false},
        {MRWI_SCENE_SECTION_uvs, &mesh->uv[1], {clean->uvs[1], 2}, false},
        {MRWI_SCENE_SECTION_colors, &mesh->color, {clean->colors, 4}, false}};
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        status = emit_stream(draft, streams[i].section, vertices, streams[i].stream,
                             streams[i].by_candidate, streams[i].first, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static mrw_status emit_indices(mrwi_scene_draft *draft, const mrwi_scene_corners *corners,
                               const vertex_order *vertices, mrwi_base_arena *scratch,
                               mrw_mesh *mesh, mrw_error *error)
{
    const mrwi_scene_weld_job *weld = vertices->weld;
    mrw_status status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_indices, corners->count,
                                          &mesh->first_index, error);
    if (status) {
        return status;
    }
    uint32_t *out = &MRWI_SCENE_AT(draft, indices, uint32_t, mesh->first_index);
    mesh->triangle_count = corners->count / 3;
    if (weld->own_stream_count > 0) {
        for (uint32_t c = 0; c < corners->count; c++) {
            out[c] = vertices->rank[weld->vertex_of[c]];
        }
        return MRW_OK;
    }
    uint32_t *final = mrwi_scene_scratch(scratch, weld->source_count, sizeof *final, error);
    if (!final) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < weld->candidate_count; i++) {
        final[weld->sources[i]] = vertices->rank[weld->vertex_of[i]];
    }
    for (uint32_t c = 0; c < corners->count; c++) {
        out[c] = final[corners->vertices[c]];
    }
    return MRW_OK;
}

/* Writes the influences of the vertices of a group, which all have the same number. */
static mrw_status emit_group(mrwi_scene_draft *draft, const vertex_order *vertices,
                             mrw_influence_group group, mrw_error *error)
{
    const mrwi_scene_influences *set = &vertices->weld->influences;
    const uint32_t per_vertex = group.influence_count;
    uint64_t total = (uint64_t)group.vertex_count * per_vertex;
    uint32_t at;
    mrw_status status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_influence_joints, total,
                                          &group.first_influence, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_influence_weights, total, &at, error);
    if (status) {
        return status;
    }
    uint16_t *joints = &MRWI_SCENE_AT(draft, influence_joints, uint16_t, group.first_influence);
    float *weights = &MRWI_SCENE_AT(draft, influence_weights, float, at);
    const uint32_t end = group.first_vertex + group.vertex_count;
    for (uint32_t v = group.first_vertex; v < end && per_vertex > 0; v++) {
        uint32_t from = set->first[source_of(vertices, v)];
        memcpy(joints, set->joints + from, per_vertex * sizeof *joints);
        memcpy(weights, set->weights + from, per_vertex * sizeof *weights);
        joints += per_vertex;
        weights += per_vertex;
    }
    return mrwi_scene_push(draft, MRWI_SCENE_SECTION_groups, &group, &at, error);
}

static mrw_status emit_groups(mrwi_scene_draft *draft, const vertex_order *vertices, mrw_mesh *mesh,
                              mrw_error *error)
{
    const mrwi_scene_influences *set = &vertices->weld->influences;
    mrw_status status = MRW_OK;
    mesh->first_group = MRWI_SCENE_COUNT(draft, groups);
    for (uint32_t v = 0; v < mesh->vertex_count && !status;) {
        uint32_t count = influence_count(set, source_of(vertices, v)), end = v + 1;
        while (end < mesh->vertex_count &&
               influence_count(set, source_of(vertices, end)) == count) {
            end++;
        }
        status = emit_group(draft, vertices, (mrw_influence_group){v, end - v, count, 0}, error);
        mesh->group_count++;
        mesh->max_influences = count; /* that of the last group is the greatest */
        v = end;
    }
    return status;
}

static bool any_nonzero(const float *values, uint32_t source)
{
    const float *v = values ? values + (size_t)source * 3 : NULL;
    return v && (v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f);
}

static bool moves(const mrwi_scene_target_input *target, uint32_t source)
{
    return any_nonzero(target->positions, source) || any_nonzero(target->normals, source) ||
           any_nonzero(target->tangents, source);
}

/* Lists the vertices that a target moves. */
static mrw_status emit_moved(mrwi_scene_draft *draft, const mrwi_scene_target_input *in,
                             const vertex_order *vertices, mrw_morph_target *target,
                             mrw_error *error)
{
    bool empty = !in->positions && !in->normals && !in->tangents;
    uint32_t movable =
        empty ? 0 : vertices->weld->vertex_count; /* a file can have a million empty targets */
    for (uint32_t v = 0; v < movable; v++) {
        target->entry_count += moves(in, source_of(vertices, v));
    }
    mrw_status status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_morph_vertices,
                                          target->entry_count, &target->first_entry, error);
    if (status) {
        return status;
    }
    uint32_t *moved = &MRWI_SCENE_AT(draft, morph_vertices, uint32_t, target->first_entry);
    for (uint32_t v = 0; v < movable; v++) {
        if (moves(in, source_of(vertices, v))) {
            *moved++ = v;
        }
    }
    return MRW_OK;
}

/* Writes the differences of the vertices that a target lists; zeros if values is NULL. */
static mrw_status emit_deltas(mrwi_scene_draft *draft, mrwi_scene_section section,
                              const float *values, bool turned, const vertex_order *vertices,
                              const mrw_morph_target *target, mrw_error *error)
{
    uint32_t first;
    mrw_status status = mrwi_scene_extend(draft, section, target->entry_count, &first, error);
    if (status) {
        return status;
    }
    float *out = &MRWI_SCENE_POOL_AT(&draft->pools[section], float, (size_t)first * 3);
    const uint32_t *moved = MRWI_SCENE_POOL(draft, morph_vertices, uint32_t) + target->first_entry;
    for (uint32_t e = 0; e < target->entry_count; e++, out += 3) {
        memset(out, 0, 3 * sizeof *out);
        if (values) {
            memcpy(out, values + (size_t)source_of(vertices, moved[e]) * 3, 3 * sizeof *out);
        }
        for (int i = 0; i < 3 && turned; i++) {
            out[i] = -out[i];
        }
    }
    return MRW_OK;
}

static mrw_status emit_target(mrwi_scene_draft *draft, const mrwi_scene_target_input *in,
                              bool turned, const vertex_order *vertices, mrw_error *error)
{
    mrw_morph_target target = {.normal = MRW_NONE, .tangent = MRW_NONE};
    uint32_t index;
    mrw_status status = emit_moved(draft, in, vertices, &target, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_name(draft, in->name, &target.name, error);
    if (status) {
        return status;
    }
    status = emit_deltas(draft, MRWI_SCENE_SECTION_morph_positions, in->positions, false, vertices,
                         &target, error);
    if (status) {
        return status;
    }
    if (in->normals) {
        target.normal = MRWI_SCENE_COUNT(draft, morph_normals);
        status = emit_deltas(draft, MRWI_SCENE_SECTION_morph_normals, in->normals, turned, vertices,
                             &target, error);
    }
    if (status) {
        return status;
    }
    if (in->tangents) {
        target.tangent = MRWI_SCENE_COUNT(draft, morph_tangents);
        status = emit_deltas(draft, MRWI_SCENE_SECTION_morph_tangents, in->tangents, false,
                             vertices, &target, error);
    }
    if (status) {
        return status;
    }
    return mrwi_scene_push(draft, MRWI_SCENE_SECTION_targets, &target, &index, error);
}

static mrw_status emit_targets(mrwi_scene_draft *draft, const mrwi_scene_mesh_input *in,
                               const mrwi_scene_attributes *clean, const vertex_order *vertices,
                               mrw_mesh *mesh, mrw_error *error)
{
    mrw_status status = MRW_OK;
    mesh->first_target = MRWI_SCENE_COUNT(draft, targets);
    mesh->target_count = in->target_count;
    for (uint32_t t = 0; t < mesh->target_count; t++) {
        const mrwi_scene_target_input target = mrwi_scene_target_of(in, clean, t);
        status = emit_target(draft, &target, clean->turned, vertices, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_scene_emit_mesh(mrwi_scene_draft *draft, const mrwi_scene_mesh_source *source,
                                const mrwi_scene_corners *corners,
                                const mrwi_scene_attributes *clean, const mrwi_scene_weld_job *job,
                                mrw_mesh *mesh, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    vertex_order vertices = {0};
    mrw_status status = sort_by_influences(job, source->scratch, &vertices, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_name(draft, in->name, &mesh->name, error);
    if (status) {
        return status;
    }
    status = emit_indices(draft, corners, &vertices, source->scratch, mesh, error);
    if (status) {
        return status;
    }
    status = emit_attributes(draft, in->positions, clean, &vertices, mesh, error);
    if (status) {
        return status;
    }
    status = emit_groups(draft, &vertices, mesh, error);
    if (status) {
        return status;
    }
    return emit_targets(draft, in, clean, &vertices, mesh, error);
}
