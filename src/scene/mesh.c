/* mesh.c: a mesh as a file has it becomes a welded, grouped mesh in the pools. */
#include "scene/mesh.h"

#include "base/math.h"
#include "base/text.h"

#include <string.h>

/* One mesh on its way through the stages; arrays are scratch or the caller's. */
typedef struct mesh_work {
    mrwi_scene_builder *b;
    const mrwi_scene_mesh_input *in;
    mrwi_scene_label label;
    uint32_t *corners; /* source vertex of each corner */
    uint32_t corner_count;
    uint8_t *used;                                     /* source vertices that triangles use */
    const float *normals, *tangents, *uvs[2], *colors; /* clean; NULL where the mesh has none */
    float *corner_normals;                             /* instead of normals */
    mrwi_scene_influences influences;
    mrwi_scene_weld_job weld;
    uint32_t *order; /* final vertex -> welded vertex */
    uint32_t *rank;  /* welded vertex -> final vertex */
} mesh_work;

/* ---- triangles ------------------------------------------------------------------------------- */

static mrw_status gather_corners(mesh_work *work, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = work->in;
    uint32_t count = in->index_count - in->index_count % 3;
    if (count != in->index_count) {
        mrwi_scene_builder_warn(work->b, "%s: its last triangle is incomplete and was left out",
                                work->label);
    }
    work->corners = mrwi_scene_scratch(work->b, count, sizeof *work->corners, error);
    work->used = mrwi_scene_scratch(work->b, in->vertex_count, 1, error);
    if (!work->corners || !work->used) {
        return work->b->failed;
    }
    memset(work->used, 0, in->vertex_count);
    for (uint32_t i = 0; i < count; i += 3) {
        uint32_t v[3];
        for (uint32_t k = 0; k < 3; k++) {
            v[k] = in->indices ? in->indices[i + k] : i + k;
            if (v[k] >= in->vertex_count) {
                return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                      "%s: %s: triangle %u refers to vertex %u of %u",
                                      work->b->file, work->label, i / 3, v[k], in->vertex_count);
            }
        }
        memcpy(work->corners + work->corner_count, v, sizeof v);
        work->corner_count += 3;
        work->used[v[0]] = work->used[v[1]] = work->used[v[2]] = 1;
    }
    return MRW_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static mrw_status check_finite(mesh_work *work, const float *values, uint32_t width,
                               const char *what, mrw_error *error)
{
    for (uint32_t v = 0; values && v < work->in->vertex_count; v++) {
        if (work->used[v] && !mrwi_scene_all_finite(values + (size_t)v * width, width)) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: %s: the %s of vertex %u is not finite", work->b->file,
                                  work->label, what, v);
        }
    }
    return MRW_OK;
}

static mrw_status check_targets(mesh_work *work, mrw_error *error)
{
    mrw_status status = MRW_OK;
    for (uint32_t t = 0; t < work->in->target_count && !status; t++) {
        const mrwi_scene_target_input *target = &work->in->targets[t];
        status = check_finite(work, target->positions, 3, "morph target position", error);
        if (!status) {
            status = check_finite(work, target->normals, 3, "morph target normal", error);
        }
        if (!status) {
            status = check_finite(work, target->tangents, 3, "morph target tangent", error);
        }
    }
    return status;
}

/* The values themselves when all are finite, else a copy with `fallback` for those that are not. */
static mrw_status clean_values(mesh_work *work, const float *values, uint32_t width, float fallback,
                               const char *what, const float **out, mrw_error *error)
{
    *out = values;
    if (!values || !check_finite(work, values, width, what, NULL)) {
        return MRW_OK;
    }
    size_t count = (size_t)work->in->vertex_count * width;
    float *copy = mrwi_scene_scratch(work->b, count, sizeof *copy, error);
    if (!copy) {
        return work->b->failed;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = isfinite(values[i]) ? values[i] : fallback;
    }
    mrwi_scene_builder_warn(work->b, "%s: a %s that is not finite was replaced", work->label, what);
    *out = copy;
    return MRW_OK;
}

static mrw_status corner_normals(mesh_work *work, bool flat, float **out, mrw_error *error)
{
    return mrwi_scene_corner_normals(work->b, work->in->positions, work->in->vertex_count,
                                     work->corners, work->corner_count, flat, out, error);
}

/* Vertices whose normal has no direction take the one of their first corner. */
static mrw_status repair_normals(mesh_work *work, float *normals, uint8_t *bad, mrw_error *error)
{
    float *computed;
    mrw_status status = corner_normals(work, false, &computed, error);
    if (status) {
        return status;
    }
    for (uint32_t c = 0; c < work->corner_count; c++) {
        uint32_t v = work->corners[c];
        if (bad[v]) {
            memcpy(normals + (size_t)v * 3, computed + (size_t)c * 3, 3 * sizeof *normals);
        }
        bad[v] = 0;
    }
    mrwi_scene_builder_warn(work->b, "%s: normals without a direction were computed anew",
                            work->label);
    return MRW_OK;
}

static mrw_status clean_normals(mesh_work *work, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = work->in;
    if (!in->normals) {
        return corner_normals(work, in->flat_normals, &work->corner_normals, error);
    }
    size_t floats = (size_t)in->vertex_count * 3;
    float *normals = mrwi_scene_scratch(work->b, floats, sizeof *normals, error);
    uint8_t *bad = mrwi_scene_scratch(work->b, in->vertex_count, 1, error);
    if (!normals || !bad) {
        return work->b->failed;
    }
    memcpy(normals, in->normals, floats * sizeof *normals);
    bool any = false;
    for (uint32_t v = 0; v < in->vertex_count; v++) {
        float *n = normals + (size_t)v * 3;
        bad[v] = work->used[v] && !(mrwi_scene_all_finite(n, 3) && mrwi_base_normalize3(n));
        any |= bad[v];
    }
    work->normals = normals;
    return any ? repair_normals(work, normals, bad, error) : MRW_OK;
}

/* Some unit vector at right angles to a unit normal. */
static void any_tangent(const float *normal, float *tangent)
{
    float x = fabsf(normal[0]), y = fabsf(normal[1]), z = fabsf(normal[2]);
    float axis[3] = {0, 0, 0};
    axis[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1.0f;
    mrwi_base_cross3(normal, axis, tangent);
    mrwi_base_normalize3(tangent);
}

/* Tangents mean nothing without the file's own normals (glTF 2.0, 3.7.2.1). */
static mrw_status clean_tangents(mesh_work *work, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = work->in;
    if (!in->tangents || !in->normals) {
        return MRW_OK;
    }
    size_t floats = (size_t)in->vertex_count * 4;
    float *tangents = mrwi_scene_scratch(work->b, floats, sizeof *tangents, error);
    if (!tangents) {
        return work->b->failed;
    }
    memcpy(tangents, in->tangents, floats * sizeof *tangents);
    bool repaired = false;
    for (uint32_t v = 0; v < in->vertex_count; v++) {
        float *t = tangents + (size_t)v * 4;
        if (!(mrwi_scene_all_finite(t, 3) && mrwi_base_normalize3(t))) {
            any_tangent(work->normals + (size_t)v * 3, t);
            repaired |= work->used[v];
        }
        t[3] = t[3] < 0.0f ? -1.0f : 1.0f;
    }
    if (repaired) {
        mrwi_scene_builder_warn(work->b, "%s: tangents without a direction were replaced",
                                work->label);
    }
    work->tangents = tangents;
    return MRW_OK;
}

static mrw_status clean_attributes(mesh_work *work, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = work->in;
    mrw_status status = check_finite(work, in->positions, 3, "position", error);
    if (!status) {
        status = check_targets(work, error);
    }
    for (int set = 0; set < 2 && !status; set++) {
        status =
            clean_values(work, in->uvs[set], 2, 0.0f, "texture coordinate", &work->uvs[set], error);
    }
    if (!status) {
        status = clean_values(work, in->colors, 4, 1.0f, "colour", &work->colors, error);
    }
    if (!status) {
        status = clean_normals(work, error);
    }
    if (!status) {
        status = clean_tangents(work, error);
    }
    return status;
}

/* ---- welding and grouping -------------------------------------------------------------------- */

/* Normals and tangents of a morph target count where the mesh has its own from the file. */
static const float *target_normals(const mesh_work *work, uint32_t target)
{
    return work->normals ? work->in->targets[target].normals : NULL;
}

static const float *target_tangents(const mesh_work *work, uint32_t target)
{
    return work->tangents ? work->in->targets[target].tangents : NULL;
}

static void add_stream(mrwi_scene_weld_job *job, mrwi_scene_stream *streams, const float *values,
                       uint32_t width)
{
    if (values) {
        streams[job->stream_count++] = (mrwi_scene_stream){values, width};
    }
}

static mrw_status list_streams(mesh_work *work, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = work->in;
    mrwi_scene_stream *streams =
        mrwi_scene_scratch(work->b, 6 + 3 * (size_t)in->target_count, sizeof *streams, error);
    if (!streams) {
        return work->b->failed;
    }
    mrwi_scene_weld_job *job = &work->weld;
    job->streams = streams;
    add_stream(job, streams, in->positions, 3);
    add_stream(job, streams, work->normals, 3);
    add_stream(job, streams, work->tangents, 4);
    add_stream(job, streams, work->uvs[0], 2);
    add_stream(job, streams, work->uvs[1], 2);
    add_stream(job, streams, work->colors, 4);
    for (uint32_t t = 0; t < in->target_count; t++) {
        add_stream(job, streams, in->targets[t].positions, 3);
        add_stream(job, streams, target_normals(work, t), 3);
        add_stream(job, streams, target_tangents(work, t), 3);
    }
    return MRW_OK;
}

/* Candidates: the used vertices, or each corner when corners have normals of their own. */
static mrw_status list_candidates(mesh_work *work, mrw_error *error)
{
    mrwi_scene_weld_job *job = &work->weld;
    job->source_count = work->in->vertex_count;
    job->normals = work->corner_normals;
    if (job->normals) {
        job->sources = work->corners;
        job->candidate_count = work->corner_count;
    } else {
        uint32_t *sources = mrwi_scene_scratch(work->b, job->source_count, sizeof *sources, error);
        if (!sources) {
            return work->b->failed;
        }
        for (uint32_t v = 0; v < job->source_count; v++) {
            if (work->used[v]) {
                sources[job->candidate_count++] = v;
            }
        }
        job->sources = sources;
    }
    size_t count = job->candidate_count;
    job->vertex_of = mrwi_scene_scratch(work->b, count, sizeof *job->vertex_of, error);
    job->first_of = mrwi_scene_scratch(work->b, count, sizeof *job->first_of, error);
    return job->vertex_of && job->first_of ? MRW_OK : work->b->failed;
}

static uint32_t source_of(const mesh_work *work, uint32_t final_vertex)
{
    return work->weld.sources[work->weld.first_of[work->order[final_vertex]]];
}

static uint32_t influence_count(const mesh_work *work, uint32_t source)
{
    const mrwi_scene_influences *set = &work->influences;
    return set->first ? set->first[source + 1] - set->first[source] : 0;
}

/* Orders vertices by influence count, otherwise as they were (counting sort). */
static mrw_status sort_by_influences(mesh_work *work, mrw_error *error)
{
    mrwi_scene_weld_job *job = &work->weld;
    uint32_t buckets = work->influences.joint_end + 2; /* joints differ, so counts are no greater */
    uint32_t *start = mrwi_scene_scratch(work->b, buckets, sizeof *start, error);
    work->order = mrwi_scene_scratch(work->b, job->vertex_count, sizeof *work->order, error);
    work->rank = mrwi_scene_scratch(work->b, job->vertex_count, sizeof *work->rank, error);
    if (!start || !work->order || !work->rank) {
        return work->b->failed;
    }
    memset(start, 0, buckets * sizeof *start);
    for (uint32_t v = 0; v < job->vertex_count; v++) {
        start[influence_count(work, job->sources[job->first_of[v]]) + 1]++;
    }
    for (uint32_t i = 1; i < buckets; i++) {
        start[i] += start[i - 1];
    }
    for (uint32_t v = 0; v < job->vertex_count; v++) {
        uint32_t at = start[influence_count(work, job->sources[job->first_of[v]])]++;
        work->order[at] = v;
        work->rank[v] = at;
    }
    return MRW_OK;
}

/* ---- into the pools -------------------------------------------------------------------------- */

static mrw_status emit_stream(mesh_work *work, mrwi_scene_section section, const float *values,
                              uint32_t width, uint32_t *first, mrw_error *error)
{
    *first = MRW_NONE;
    if (!values) {
        return MRW_OK;
    }
    uint32_t count = work->weld.vertex_count;
    float *out = mrwi_scene_extend(work->b, section, count, first, error);
    if (!out) {
        return work->b->failed;
    }
    for (uint32_t v = 0; v < count; v++) {
        memcpy(out + (size_t)v * width, values + (size_t)source_of(work, v) * width,
               width * sizeof *out);
    }
    return MRW_OK;
}

static mrw_status emit_corner_normals(mesh_work *work, uint32_t *first, mrw_error *error)
{
    uint32_t count = work->weld.vertex_count;
    float *out = mrwi_scene_extend(work->b, MRWI_SCENE_SECTION_normals, count, first, error);
    if (!out) {
        return work->b->failed;
    }
    for (uint32_t v = 0; v < count; v++) {
        memcpy(out + (size_t)v * 3,
               work->corner_normals + (size_t)work->weld.first_of[work->order[v]] * 3,
               3 * sizeof *out);
    }
    return MRW_OK;
}

static mrw_status emit_attributes(mesh_work *work, mrw_mesh *mesh, mrw_error *error)
{
    static const float none[3]; /* for a mesh without vertices, whose positions may be NULL */
    const float *positions = work->in->positions ? work->in->positions : none;
    mrw_status status =
        emit_stream(work, MRWI_SCENE_SECTION_positions, positions, 3, &mesh->position, error);
    if (!status) {
        status = work->corner_normals ? emit_corner_normals(work, &mesh->normal, error)
                                      : emit_stream(work, MRWI_SCENE_SECTION_normals, work->normals,
                                                    3, &mesh->normal, error);
    }
    if (!status) {
        status = emit_stream(work, MRWI_SCENE_SECTION_tangents, work->tangents, 4, &mesh->tangent,
                             error);
    }
    for (int set = 0; set < 2 && !status; set++) {
        status =
            emit_stream(work, MRWI_SCENE_SECTION_uvs, work->uvs[set], 2, &mesh->uv[set], error);
    }
    if (!status) {
        status = emit_stream(work, MRWI_SCENE_SECTION_colors, work->colors, 4, &mesh->color, error);
    }
    return status;
}

static mrw_status emit_indices(mesh_work *work, mrw_mesh *mesh, mrw_error *error)
{
    const mrwi_scene_weld_job *job = &work->weld;
    uint32_t *out = mrwi_scene_extend(work->b, MRWI_SCENE_SECTION_indices, work->corner_count,
                                      &mesh->first_index, error);
    if (!out) {
        return work->b->failed;
    }
    mesh->triangle_count = work->corner_count / 3;
    if (job->normals) {
        for (uint32_t c = 0; c < work->corner_count; c++) {
            out[c] = work->rank[job->vertex_of[c]];
        }
        return MRW_OK;
    }
    uint32_t *final = mrwi_scene_scratch(work->b, job->source_count, sizeof *final, error);
    if (!final) {
        return work->b->failed;
    }
    for (uint32_t i = 0; i < job->candidate_count; i++) {
        final[job->sources[i]] = work->rank[job->vertex_of[i]];
    }
    for (uint32_t c = 0; c < work->corner_count; c++) {
        out[c] = final[work->corners[c]];
    }
    return MRW_OK;
}

/* The influences of vertices first ... first + count - 1, which have the same number each. */
static mrw_status emit_group(mesh_work *work, uint32_t first, uint32_t count, uint32_t per_vertex,
                             mrw_error *error)
{
    const mrwi_scene_influences *set = &work->influences;
    mrw_influence_group group = {first, count, per_vertex, 0};
    uint64_t total = (uint64_t)count * per_vertex;
    uint32_t at;
    uint16_t *joints = mrwi_scene_extend(work->b, MRWI_SCENE_SECTION_influence_joints, total,
                                         &group.first_influence, error);
    float *weights =
        joints ? mrwi_scene_extend(work->b, MRWI_SCENE_SECTION_influence_weights, total, &at, error)
               : NULL;
    if (!weights) {
        return work->b->failed;
    }
    for (uint32_t v = first; v < first + count && per_vertex > 0; v++) {
        uint32_t from = set->first[source_of(work, v)];
        memcpy(joints, set->joints + from, per_vertex * sizeof *joints);
        memcpy(weights, set->weights + from, per_vertex * sizeof *weights);
        joints += per_vertex;
        weights += per_vertex;
    }
    return mrwi_scene_push(work->b, MRWI_SCENE_SECTION_groups, &group, &at, error);
}

static mrw_status emit_groups(mesh_work *work, mrw_mesh *mesh, mrw_error *error)
{
    mrw_status status = MRW_OK;
    mesh->first_group = MRWI_SCENE_COUNT(work->b, groups);
    for (uint32_t v = 0; v < mesh->vertex_count && !status;) {
        uint32_t count = influence_count(work, source_of(work, v)), end = v + 1;
        while (end < mesh->vertex_count && influence_count(work, source_of(work, end)) == count) {
            end++;
        }
        status = emit_group(work, v, end - v, count, error);
        mesh->group_count++;
        mesh->max_influences = count; /* the last group's is the greatest */
        v = end;
    }
    return status;
}

static bool any_nonzero(const float *values, uint32_t source)
{
    const float *v = values ? values + (size_t)source * 3 : NULL;
    return v && (v[0] != 0.0f || v[1] != 0.0f || v[2] != 0.0f);
}

static bool moves(const mesh_work *work, uint32_t target, uint32_t source)
{
    return any_nonzero(work->in->targets[target].positions, source) ||
           any_nonzero(target_normals(work, target), source) ||
           any_nonzero(target_tangents(work, target), source);
}

/* The differences of the vertices listed in morph_vertices; zeros where values is NULL. */
static mrw_status emit_deltas(mesh_work *work, mrwi_scene_section section, const float *values,
                              const mrw_morph_target *target, uint32_t *first, mrw_error *error)
{
    float *out = mrwi_scene_extend(work->b, section, target->entry_count, first, error);
    if (!out) {
        return work->b->failed;
    }
    const uint32_t *vertices =
        MRWI_SCENE_POOL(work->b, morph_vertices, uint32_t) + target->first_entry;
    for (uint32_t e = 0; e < target->entry_count; e++, out += 3) {
        memset(out, 0, 3 * sizeof *out);
        if (values) {
            memcpy(out, values + (size_t)source_of(work, vertices[e]) * 3, 3 * sizeof *out);
        }
    }
    return MRW_OK;
}

static mrw_status emit_target(mesh_work *work, uint32_t index, mrw_error *error)
{
    const mrwi_scene_target_input *in = &work->in->targets[index];
    mrw_morph_target target = {.normal = MRW_NONE, .tangent = MRW_NONE};
    uint32_t count = 0, at, ignored;
    bool empty = !in->positions && !target_normals(work, index) && !target_tangents(work, index);
    uint32_t movable =
        empty ? 0 : work->weld.vertex_count; /* a file can have a million empty ones */
    for (uint32_t v = 0; v < movable; v++) {
        count += moves(work, index, source_of(work, v));
    }
    uint32_t *vertices = mrwi_scene_extend(work->b, MRWI_SCENE_SECTION_morph_vertices, count,
                                           &target.first_entry, error);
    if (!vertices) {
        return work->b->failed;
    }
    target.entry_count = count;
    for (uint32_t v = 0; v < movable; v++) {
        if (moves(work, index, source_of(work, v))) {
            *vertices++ = v;
        }
    }
    mrw_status status = mrwi_scene_name(work->b, in->name, &target.name, error);
    if (!status) {
        status = emit_deltas(work, MRWI_SCENE_SECTION_morph_positions, in->positions, &target,
                             &ignored, error);
    }
    if (!status && target_normals(work, index)) {
        status = emit_deltas(work, MRWI_SCENE_SECTION_morph_normals, in->normals, &target,
                             &target.normal, error);
    }
    if (!status && target_tangents(work, index)) {
        status = emit_deltas(work, MRWI_SCENE_SECTION_morph_tangents, in->tangents, &target,
                             &target.tangent, error);
    }
    return status ? status
                  : mrwi_scene_push(work->b, MRWI_SCENE_SECTION_targets, &target, &at, error);
}

static mrw_status emit_targets(mesh_work *work, mrw_mesh *mesh, mrw_error *error)
{
    mrw_status status = MRW_OK;
    mesh->first_target = MRWI_SCENE_COUNT(work->b, targets);
    mesh->target_count = work->in->target_count;
    for (uint32_t t = 0; t < mesh->target_count && !status; t++) {
        status = emit_target(work, t, error);
    }
    return status;
}

static mrw_status emit_mesh(mesh_work *work, uint32_t *index, mrw_error *error)
{
    mrwi_scene_builder *b = work->b;
    mrw_mesh mesh = {.material = work->in->material, .vertex_count = work->weld.vertex_count};
    mesh.flags = work->corner_normals ? MRW_MESH_COMPUTED_NORMALS : 0;
    mesh.flags |= work->in->shows_bones ? MRW_MESH_BONES : 0;
    mrw_status status = mrwi_scene_name(b, work->in->name, &mesh.name, error);
    if (!status) {
        status = emit_indices(work, &mesh, error);
    }
    if (!status) {
        status = emit_attributes(work, &mesh, error);
    }
    if (!status) {
        status = emit_groups(work, &mesh, error);
    }
    if (!status) {
        status = emit_targets(work, &mesh, error);
    }
    uint32_t *joints =
        status ? NULL
               : mrwi_scene_pool_extend(b, &b->mesh_joints, MRWI_SCENE_SECTION_indices, 1, error);
    if (!joints) {
        return status ? status : b->failed;
    }
    *joints = work->influences.joint_end;
    return mrwi_scene_push(b, MRWI_SCENE_SECTION_meshes, &mesh, index, error);
}

static mrw_status build_mesh(mesh_work *work, uint32_t *index, mrw_error *error)
{
    mrwi_scene_builder *b = work->b;
    mrw_status status = gather_corners(work, error);
    if (!status) {
        status = clean_attributes(work, error);
    }
    if (!status) {
        status = mrwi_scene_clean_influences(b, work->in, work->used, work->label,
                                             &work->influences, error);
    }
    if (!status) {
        status = list_streams(work, error);
    }
    if (!status) {
        status = list_candidates(work, error);
    }
    work->weld.influences = work->influences;
    if (!status) {
        status = mrwi_scene_weld(b, &work->weld, error);
    }
    if (!status) {
        status = sort_by_influences(work, error);
    }
    return status ? status : emit_mesh(work, index, error);
}

mrw_status mrwi_scene_builder_mesh(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in,
                                   uint32_t *index, mrw_error *error)
{
    mesh_work work = {.b = b, .in = in};
    mrwi_scene_label_of(work.label, "mesh", MRWI_SCENE_COUNT(b, meshes), in->name);
    mrwi_base_arena_reset(&b->scratch);
    if (in->vertex_count > MRWI_SCENE_SECTION_LIMIT || in->index_count > MRWI_SCENE_SECTION_LIMIT) {
        return b->failed = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                          "%s: %s has more than %u vertices or indices; split it",
                                          b->file, work.label, MRWI_SCENE_SECTION_LIMIT);
    }
    if (in->material != MRW_NONE && in->material >= MRWI_SCENE_COUNT(b, materials)) {
        return b->failed = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                          "%s: %s refers to material %u, which is not there",
                                          b->file, work.label, in->material);
    }
    if (mrwi_scene_charge(b, &b->left.vertices, b->limits.vertices, in->vertex_count, "vertices",
                          error)) {
        return b->failed;
    }
    uint32_t pushed = MRW_NONE;
    mrw_status status = build_mesh(&work, &pushed, error);
    if (status) {
        return b->failed = status;
    }
    if (index) {
        *index = pushed;
    }
    return MRW_OK;
}
