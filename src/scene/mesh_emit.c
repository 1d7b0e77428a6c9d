/* mesh_emit.c: orders the welded vertices of a mesh and writes them into the pools. */
#include "scene/mesh.h"

#include "base/memory.h"

#include <string.h>

/* The vertices of the scene: welded, ordered by their number of influences. */
typedef struct vertex_order {
    const mrwi_scene_weld_job *weld;
    uint32_t *order;   /* final vertex -> welded vertex */
    uint32_t *rank;    /* welded vertex -> final vertex */
    uint32_t *sources; /* final vertex -> source vertex */
    bool as_filed;     /* true if every source vertex is the final vertex of its number */
} vertex_order;

/* ---- order ----------------------------------------------------------------------------------- */

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
    out->sources = mrwi_scene_scratch(scratch, job->vertex_count, sizeof *out->sources, error);
    out->as_filed = job->vertex_count == job->source_count;
    if (!start || !out->order || !out->rank || !out->sources) {
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
        const uint32_t source = job->sources[job->first_of[v]];
        uint32_t at = start[influence_count(set, source)]++;
        out->order[at] = v;
        out->rank[v] = at;
        out->sources[at] = source;
        out->as_filed = out->as_filed && at == source;
    }
    return MRW_OK;
}

/* ---- into the pools -------------------------------------------------------------------------- */

/* Copies rows of `width` floats; out row v is row rows[v] of values. Called with a constant. */
static inline void copy_rows_of(float *out, const float *values, const uint32_t *rows,
                                uint32_t count, uint32_t width)
{
    for (uint32_t v = 0; v < count; v++, out += width) {
        const float *row = values + (size_t)rows[v] * width;
        for (uint32_t i = 0; i < width; i++) {
            out[i] = row[i];
        }
    }
}

static void copy_rows(float *out, const float *values, const uint32_t *rows, uint32_t count,
                      uint32_t width)
{
    switch (width) {
    case 2:
        copy_rows_of(out, values, rows, count, 2);
        break;
    case 3:
        copy_rows_of(out, values, rows, count, 3);
        break;
    default:
        copy_rows_of(out, values, rows, count, width);
    }
}

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
    if (!by_candidate && vertices->as_filed) {
        memcpy(out, stream.values, (size_t)count * width * sizeof *out);
    } else if (!by_candidate) {
        copy_rows(out, stream.values, vertices->sources, count, width);
    }
    for (uint32_t v = 0; by_candidate && v < count; v++) {
        copy_rows(out + (size_t)v * width, stream.values, &weld->first_of[vertices->order[v]], 1,
                  width);
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
    if (vertices->as_filed) {
        memcpy(out, corners->vertices, corners->count * sizeof *out);
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
        uint32_t from = set->first[vertices->sources[v]];
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
        uint32_t count = influence_count(set, vertices->sources[v]), end = v + 1;
        end = set->first ? end : mesh->vertex_count;
        while (end < mesh->vertex_count && influence_count(set, vertices->sources[end]) == count) {
            end++;
        }
        status = emit_group(draft, vertices, (mrw_influence_group){v, end - v, count, 0}, error);
        mesh->group_count++;
        mesh->max_influences = count; /* that of the last group is the greatest */
        v = end;
    }
    return status;
}

/* ---- morph targets --------------------------------------------------------------------------- */

#define BLOCK 64 /* vertices that are skipped together if nothing moves them */

/* Returns true if a value is not 0 (or -0). */
static inline bool any_nonzero(const float *values, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        any |= bits << 1;
    }
    return any != 0;
}

/* Returns true if a target moves one of `count` source vertices. */
static inline bool moves(const mrwi_scene_target_input *target, uint32_t source, uint32_t count)
{
    const size_t at = (size_t)source * 3;
    return (target->positions && any_nonzero(target->positions + at, count * 3)) ||
           (target->normals && any_nonzero(target->normals + at, count * 3)) ||
           (target->tangents && any_nonzero(target->tangents + at, count * 3));
}

/* Lists the vertices that a target moves. Returns their number. */
static uint32_t list_moved(const mrwi_scene_target_input *in, const vertex_order *vertices,
                           uint32_t *out)
{
    const uint32_t vertex_count = vertices->weld->vertex_count;
    uint32_t count = 0;
    if (!in->positions && !in->normals && !in->tangents) {
        return 0; /* a file can have a million empty targets */
    }
    for (uint32_t from = 0; from < vertex_count; from += BLOCK) {
        const uint32_t size = vertex_count - from < BLOCK ? vertex_count - from : BLOCK;
        if (vertices->as_filed && !moves(in, from, size)) {
            continue;
        }
        for (uint32_t v = from; v < from + size; v++) {
            out[count] = v;
            count += moves(in, vertices->sources[v], 1);
        }
    }
    return count;
}

/* Returns the number of consecutive vertices at the beginning of a list. */
static uint32_t run_length(const uint32_t *list, uint32_t count)
{
    uint32_t run = 1;
    while (run < count && list[run] == list[0] + run) {
        run++;
    }
    return run;
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
    if (!values) {
        memset(out, 0, (size_t)target->entry_count * 3 * sizeof *out);
    }
    for (uint32_t e = 0, run; values && e < target->entry_count; e += run) {
        run = vertices->as_filed ? run_length(moved + e, target->entry_count - e) : 1;
        memcpy(out + (size_t)e * 3, values + (size_t)vertices->sources[moved[e]] * 3,
               (size_t)run * 3 * sizeof *out);
    }
    for (size_t i = 0; turned && i < (size_t)target->entry_count * 3; i++) {
        out[i] = -out[i];
    }
    return MRW_OK;
}

/* Writes the vertices that a target moves. `list` has room for all. */
static mrw_status emit_moved(mrwi_scene_draft *draft, const mrwi_scene_target_input *in,
                             const vertex_order *vertices, uint32_t *list, mrw_morph_target *target,
                             mrw_error *error)
{
    target->entry_count = list_moved(in, vertices, list);
    mrw_status status = mrwi_scene_extend(draft, MRWI_SCENE_SECTION_morph_vertices,
                                          target->entry_count, &target->first_entry, error);
    if (status) {
        return status;
    }
    memcpy(&MRWI_SCENE_AT(draft, morph_vertices, uint32_t, target->first_entry), list,
           target->entry_count * sizeof *list);
    return MRW_OK;
}

/* Writes a target whose moved vertices are listed. */
static mrw_status emit_target(mrwi_scene_draft *draft, const mrwi_scene_target_input *in,
                              bool turned, const vertex_order *vertices, mrw_morph_target *target,
                              mrw_error *error)
{
    uint32_t index;
    mrw_status status = mrwi_scene_name(draft, in->name, &target->name, error);
    if (status) {
        return status;
    }
    status = emit_deltas(draft, MRWI_SCENE_SECTION_morph_positions, in->positions, false, vertices,
                         target, error);
    if (status) {
        return status;
    }
    if (in->normals) {
        target->normal = MRWI_SCENE_COUNT(draft, morph_normals);
        status = emit_deltas(draft, MRWI_SCENE_SECTION_morph_normals, in->normals, turned, vertices,
                             target, error);
    }
    if (status) {
        return status;
    }
    if (in->tangents) {
        target->tangent = MRWI_SCENE_COUNT(draft, morph_tangents);
        status = emit_deltas(draft, MRWI_SCENE_SECTION_morph_tangents, in->tangents, false,
                             vertices, target, error);
    }
    if (status) {
        return status;
    }
    return mrwi_scene_push(draft, MRWI_SCENE_SECTION_targets, target, &index, error);
}

/* Makes room for `count` more entries: growing step by step would copy large sections. */
static mrw_status reserve(mrwi_scene_draft *draft, mrwi_scene_section section, uint64_t count,
                          mrw_error *error)
{
    uint32_t first;
    mrw_status status = mrwi_scene_extend(draft, section, count, &first, error);
    if (!status) {
        draft->pools[section].count = first;
    }
    return status;
}

/* Lists what all targets move and makes room for it. */
static mrw_status start_targets(mrwi_scene_draft *draft, const mrwi_scene_mesh_input *in,
                                const mrwi_scene_attributes *clean, const vertex_order *vertices,
                                mrwi_base_arena *scratch, mrw_morph_target *out, mrw_error *error)
{
    uint64_t positions = 0, normals = 0, tangents = 0;
    uint32_t *list =
        mrwi_scene_scratch(scratch, vertices->weld->vertex_count + (size_t)1, sizeof *list, error);
    mrw_status status = list ? MRW_OK : MRW_ERROR_MEMORY;
    for (uint32_t t = 0; t < in->target_count && !status; t++) {
        const mrwi_scene_target_input target = mrwi_scene_target_of(in, clean, t);
        out[t] = (mrw_morph_target){.normal = MRW_NONE, .tangent = MRW_NONE};
        status = emit_moved(draft, &target, vertices, list, &out[t], error);
        positions += out[t].entry_count;
        normals += target.normals ? out[t].entry_count : 0;
        tangents += target.tangents ? out[t].entry_count : 0;
    }
    if (!status) {
        status = reserve(draft, MRWI_SCENE_SECTION_morph_positions, positions, error);
    }
    if (!status) {
        status = reserve(draft, MRWI_SCENE_SECTION_morph_normals, normals, error);
    }
    return status ? status : reserve(draft, MRWI_SCENE_SECTION_morph_tangents, tangents, error);
}

static mrw_status emit_targets(mrwi_scene_draft *draft, const mrwi_scene_mesh_input *in,
                               const mrwi_scene_attributes *clean, const vertex_order *vertices,
                               mrwi_base_arena *scratch, mrw_mesh *mesh, mrw_error *error)
{
    mesh->first_target = MRWI_SCENE_COUNT(draft, targets);
    mesh->target_count = in->target_count;
    if (in->target_count == 0) {
        return MRW_OK;
    }
    mrw_morph_target *targets =
        mrwi_scene_scratch(scratch, in->target_count, sizeof *targets, error);
    if (!targets) {
        return MRW_ERROR_MEMORY;
    }
    mrw_status status = start_targets(draft, in, clean, vertices, scratch, targets, error);
    for (uint32_t t = 0; t < in->target_count && !status; t++) {
        const mrwi_scene_target_input target = mrwi_scene_target_of(in, clean, t);
        status = emit_target(draft, &target, clean->turned, vertices, &targets[t], error);
    }
    return status;
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
    return emit_targets(draft, in, clean, &vertices, source->scratch, mesh, error);
}
