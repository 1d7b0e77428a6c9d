/* mesh.c: makes a welded, grouped mesh in the pools from a mesh of a file. */
#include "scene/mesh.h"

#include "base/math.h"
#include "base/text.h"
#include "base/work.h"
#include "scene/maps.h"
#include "scene/tangents.h"

#include <string.h>

/* ---- triangles ------------------------------------------------------------------------------- */

static mrw_status gather_corners(const mrwi_scene_mesh_source *source, mrwi_scene_corners *out,
                                 mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    uint32_t count = in->index_count - in->index_count % 3;
    if (count != in->index_count) {
        mrwi_scene_warn(source->warnings, "%s: its last triangle is incomplete and is ignored",
                        source->label);
    }
    const bool as_filed = in->indices && !source->flips_winding;
    uint32_t *vertices =
        as_filed ? NULL : mrwi_scene_scratch(source->scratch, count, sizeof *vertices, error);
    out->used = mrwi_scene_scratch(source->scratch, in->vertex_count, 1, error);
    if ((!as_filed && !vertices) || !out->used) {
        return MRW_ERROR_MEMORY;
    }
    memset(out->used, 0, in->vertex_count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t v = in->indices ? in->indices[i] : i;
        if (v >= in->vertex_count) {
            return mrwi_base_fail(
                error, MRW_ERROR_INPUT,
                "%s: %s: triangle %u refers to vertex %u, which does not exist (there are %u)",
                source->file, source->label, i / 3, v, in->vertex_count);
        }
        out->used[v] = 1;
    }
    for (uint32_t i = 0; i < count && vertices; i++) {
        const uint32_t corner = source->flips_winding && i % 3 > 0 ? i - i % 3 + 3 - i % 3 : i;
        vertices[i] = in->indices ? in->indices[corner] : corner;
    }
    out->vertices = as_filed ? in->indices : vertices;
    out->count = count;
    return MRW_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static mrw_status check_finite(const mrwi_scene_mesh_source *source, const uint8_t *used,
                               mrwi_scene_stream stream, const char *what, mrw_error *error)
{
    const uint32_t width = stream.width;
    if (!stream.values ||
        mrwi_base_all_finite(stream.values, (size_t)source->in->vertex_count * width)) {
        return MRW_OK; /* also for those that are not used, which is usual */
    }
    for (uint32_t v = 0; v < source->in->vertex_count; v++) {
        if (used[v] && !mrwi_base_all_finite(stream.values + (size_t)v * width, width)) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: %s: the %s of vertex %u is not finite", source->file,
                                  source->label, what, v);
        }
    }
    return MRW_OK;
}

static mrw_status check_target(const mrwi_scene_mesh_source *source, const uint8_t *used,
                               const mrwi_scene_target_input *target, mrw_error *error)
{
    mrw_status status = check_finite(source, used, (mrwi_scene_stream){target->positions, 3},
                                     "morph target position", error);
    if (status) {
        return status;
    }
    status = check_finite(source, used, (mrwi_scene_stream){target->normals, 3},
                          "morph target normal", error);
    if (status) {
        return status;
    }
    return check_finite(source, used, (mrwi_scene_stream){target->tangents, 3},
                        "morph target tangent", error);
}

/* Copies values if some that are used are not finite; the copy has `fallback` instead. */
static mrw_status clean_values(const mrwi_scene_mesh_source *source, const uint8_t *used,
                               mrwi_scene_stream *stream, float fallback, const char *what,
                               mrw_error *error)
{
    if (!check_finite(source, used, *stream, what, NULL)) {
        return MRW_OK;
    }
    size_t count = (size_t)source->in->vertex_count * stream->width;
    float *copy = mrwi_scene_scratch(source->scratch, count, sizeof *copy, error);
    if (!copy) {
        return MRW_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = isfinite(stream->values[i]) ? stream->values[i] : fallback;
    }
    mrwi_scene_warn(source->warnings, "%s: a %s that is not finite was replaced", source->label,
                    what);
    stream->values = copy;
    return MRW_OK;
}

/* Replaces normals without a direction by that of their first corner. */
static mrw_status repair_normals(const mrwi_scene_mesh_source *source,
                                 const mrwi_scene_corners *corners, float *normals, uint8_t *bad,
                                 mrw_error *error)
{
    float *computed;
    mrw_status status = mrwi_scene_corner_normals(source, corners, false, &computed, error);
    if (status) {
        return status;
    }
    for (uint32_t c = 0; c < corners->count; c++) {
        uint32_t v = corners->vertices[c];
        if (bad[v]) {
            memcpy(normals + (size_t)v * 3, computed + (size_t)c * 3, 3 * sizeof *normals);
        }
        bad[v] = 0;
    }
    mrwi_scene_warn(source->warnings, "%s: normals without a direction were recomputed",
                    source->label);
    return MRW_OK;
}

/* Makes the normals of a mesh unit vectors. */
static mrw_status clean_normals(const mrwi_scene_mesh_source *source,
                                const mrwi_scene_corners *corners, const float **out,
                                mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    size_t floats = (size_t)in->vertex_count * 3;
    float *normals = mrwi_scene_scratch(source->scratch, floats, sizeof *normals, error);
    uint8_t *bad = mrwi_scene_scratch(source->scratch, in->vertex_count, 1, error);
    if (!normals || !bad) {
        return MRW_ERROR_MEMORY;
    }
    memcpy(normals, in->normals, floats * sizeof *normals);
    bool any = false;
    for (uint32_t v = 0; v < in->vertex_count; v++) {
        float *n = normals + (size_t)v * 3;
        bad[v] = corners->used[v] && !(mrwi_base_all_finite(n, 3) && mrwi_base_normalize3(n));
        any |= bad[v];
    }
    *out = normals;
    return any ? repair_normals(source, corners, normals, bad, error) : MRW_OK;
}

/* Finds twice the area of a triangle along its normal. */
static void area_of(const float *positions, const uint32_t *corners, double out[3])
{
    double sides[2][3];
    for (int i = 0; i < 3; i++) {
        const double origin = (double)positions[3 * (size_t)corners[0] + (size_t)i];
        for (int s = 0; s < 2; s++) {
            sides[s][i] = (double)positions[3 * (size_t)corners[s + 1] + (size_t)i] - origin;
        }
    }
    mrwi_base_cross3d(sides[0], sides[1], out);
}

/* Turns the normals of a file if its triangles were reversed, and if the normals agree, by area,
 * with the triangles as they were. */
static void turn_normals(const mrwi_scene_mesh_source *source, const mrwi_scene_corners *corners,
                         mrwi_scene_attributes *clean)
{
    double agree = 0.0;
    for (uint32_t c = 0; c < corners->count; c++) {
        const float *n = clean->normals + 3 * (size_t)corners->vertices[c];
        double area[3];
        area_of(source->in->positions, corners->vertices + c - c % 3, area);
        agree += (area[0] * (double)n[0] + area[1] * (double)n[1]) + area[2] * (double)n[2];
    }
    clean->turned = agree < 0.0;
    float *normals = (float *)(uintptr_t)clean->normals; /* scratch memory of clean_normals */
    for (size_t i = 0; i < 3 * (size_t)source->in->vertex_count && clean->turned; i++) {
        normals[i] = -normals[i];
    }
}

/* Makes tangents unit vectors, with a sign each. One without a direction becomes any vector at
 * right angles to the normal. */
static mrw_status clean_tangents(const mrwi_scene_mesh_source *source, const uint8_t *used,
                                 const float *normals, bool flips_sign, const float **out,
                                 mrw_error *error)
{
    const uint32_t count = source->in->vertex_count;
    size_t floats = (size_t)count * 4;
    float *tangents = mrwi_scene_scratch(source->scratch, floats, sizeof *tangents, error);
    if (!tangents) {
        return MRW_ERROR_MEMORY;
    }
    memcpy(tangents, source->in->tangents, floats * sizeof *tangents);
    bool repaired = false;
    for (uint32_t v = 0; v < count; v++) {
        float *t = tangents + (size_t)v * 4;
        if (!(mrwi_base_all_finite(t, 3) && mrwi_base_normalize3(t))) {
            mrwi_scene_any_tangent(normals + (size_t)v * 3, t);
            repaired |= used[v];
        }
        t[3] = (t[3] < 0.0f) != flips_sign ? -1.0f : 1.0f;
    }
    if (repaired) {
        mrwi_scene_warn(source->warnings, "%s: tangents without a direction were replaced",
                        source->label);
    }
    *out = tangents;
    return MRW_OK;
}

/* Computes tangents of a mesh that needs them and has no valid ones. */
static mrw_status compute_tangents(const mrwi_scene_mesh_source *source,
                                   const mrwi_scene_corners *corners, mrwi_scene_attributes *clean,
                                   mrw_error *error)
{
    const mrwi_scene_tangent_job job = {.corners = corners->vertices,
                                        .corner_count = corners->count,
                                        .vertex_count = source->in->vertex_count,
                                        .positions = source->in->positions,
                                        .uvs = clean->uvs[source->tangent_map->uv_set],
                                        .normals = clean->normals,
                                        .corner_normals = clean->corner_normals,
                                        .uv_transform = &source->tangent_map->uv_transform};
    float *computed = NULL;
    mrw_status status = MRW_OK;
    if (job.uvs) { /* without them, all of the mesh shows one point of the map */
        status = mrwi_scene_corner_tangents(&job, source->scratch, &computed, error);
    }
    clean->corner_tangents = computed;
    return status;
}

/* Flips texture coordinates vertically. */
static mrw_status flip_v(const mrwi_scene_mesh_source *source, mrwi_scene_stream *uvs,
                         mrw_error *error)
{
    const size_t count = 2 * (size_t)source->in->vertex_count;
    float *flipped = mrwi_scene_scratch(source->scratch, count, sizeof *flipped, error);
    if (!flipped) {
        return MRW_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        flipped[i] = i % 2 == 0 ? uvs->values[i] : 1.0f - uvs->values[i];
    }
    uvs->values = flipped;
    return MRW_OK;
}

/* Cleans texture coordinates and colours. */
static mrw_status clean_surface(const mrwi_scene_mesh_source *source, const uint8_t *used,
                                mrwi_scene_attributes *out, mrw_error *error)
{
    for (int set = 0; set < 2; set++) {
        mrwi_scene_stream uvs = {source->in->uvs[set], 2};
        mrw_status status = clean_values(source, used, &uvs, 0.0f, "texture coordinate", error);
        if (status) {
            return status;
        }
        if (uvs.values && source->flips_v) {
            status = flip_v(source, &uvs, error);
        }
        if (status) {
            return status;
        }
        out->uvs[set] = uvs.values;
    }
    mrwi_scene_stream colors = {source->in->colors, 4};
    mrw_status status = clean_values(source, used, &colors, 1.0f, "colour", error);
    out->colors = colors.values;
    return status;
}

static mrw_status clean_attributes(const mrwi_scene_mesh_source *source,
                                   const mrwi_scene_corners *corners, mrwi_scene_attributes *out,
                                   mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    const uint8_t *used = corners->used;
    mrw_status status =
        check_finite(source, used, (mrwi_scene_stream){in->positions, 3}, "position", error);
    if (status) {
        return status;
    }
    for (uint32_t t = 0; t < in->target_count; t++) {
        status = check_target(source, used, &in->targets[t], error);
        if (status) {
            return status;
        }
    }
    status = clean_surface(source, used, out, error);
    if (status) {
        return status;
    }
    if (in->normals) {
        status = clean_normals(source, corners, &out->normals, error);
    } else {
        float *computed = NULL;
        status = mrwi_scene_corner_normals(source, corners, in->flat_normals, &computed, error);
        out->corner_normals = computed;
    }
    if (status) {
        return status;
    }
    if (out->normals && source->flips_winding) {
        turn_normals(source, corners, out);
    }
    /* Tangents have no meaning without the file's own normals (glTF 2.0, 3.7.2.1). */
    if (in->tangents && in->normals && (!in->tangents_if_drawn || source->tangent_map)) {
        return clean_tangents(source, used, out->normals, out->turned != source->flips_v,
                              &out->tangents, error);
    }
    return source->tangent_map ? compute_tangents(source, corners, out, error) : MRW_OK;
}

/* ---- welding --------------------------------------------------------------------------------- */

static void add_stream(mrwi_scene_stream *streams, uint32_t *count, const float *values,
                       uint32_t width)
{
    if (values) {
        streams[(*count)++] = (mrwi_scene_stream){values, width};
    }
}

static mrw_status list_streams(const mrwi_scene_mesh_source *source,
                               const mrwi_scene_attributes *clean, mrwi_scene_weld_job *job,
                               mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    mrwi_scene_stream *streams = mrwi_scene_scratch(
        source->scratch, 6 + 3 * (size_t)in->target_count, sizeof *streams, error);
    if (!streams) {
        return MRW_ERROR_MEMORY;
    }
    job->streams = streams;
    add_stream(streams, &job->stream_count, in->positions, 3);
    add_stream(streams, &job->stream_count, clean->normals, 3);
    add_stream(streams, &job->stream_count, clean->tangents, 4);
    add_stream(streams, &job->stream_count, clean->uvs[0], 2);
    add_stream(streams, &job->stream_count, clean->uvs[1], 2);
    add_stream(streams, &job->stream_count, clean->colors, 4);
    job->hashed_count = job->stream_count;
    for (uint32_t t = 0; t < in->target_count; t++) {
        const mrwi_scene_target_input target = mrwi_scene_target_of(in, clean, t);
        add_stream(streams, &job->stream_count, target.positions, 3);
        add_stream(streams, &job->stream_count, target.normals, 3);
        add_stream(streams, &job->stream_count, target.tangents, 3);
    }
    return MRW_OK;
}

/* Lists candidates: the used vertices, or each corner if corners have their own attributes. */
static mrw_status list_candidates(const mrwi_scene_corners *corners, mrwi_scene_weld_job *job,
                                  mrwi_base_arena *scratch, mrw_error *error)
{
    if (job->own_stream_count > 0) {
        job->sources = corners->vertices;
        job->candidate_count = corners->count;
    } else {
        uint32_t *sources = mrwi_scene_scratch(scratch, job->source_count, sizeof *sources, error);
        if (!sources) {
            return MRW_ERROR_MEMORY;
        }
        for (uint32_t v = 0; v < job->source_count; v++) {
            if (corners->used[v]) {
                sources[job->candidate_count++] = v;
            }
        }
        job->sources = sources;
    }
    size_t count = job->candidate_count;
    job->vertex_of = mrwi_scene_scratch(scratch, count, sizeof *job->vertex_of, error);
    job->first_of = mrwi_scene_scratch(scratch, count, sizeof *job->first_of, error);
    return job->vertex_of && job->first_of ? MRW_OK : MRW_ERROR_MEMORY;
}

static mrw_status weld_vertices(const mrwi_scene_mesh_source *source,
                                const mrwi_scene_corners *corners,
                                const mrwi_scene_attributes *clean, mrwi_scene_weld_job *job,
                                mrw_error *error)
{
    job->source_count = source->in->vertex_count;
    add_stream(job->own_streams, &job->own_stream_count, clean->corner_normals, 3);
    add_stream(job->own_streams, &job->own_stream_count, clean->corner_tangents, 4);
    mrw_status status = list_streams(source, clean, job, error);
    if (status) {
        return status;
    }
    status = list_candidates(corners, job, source->scratch, error);
    if (status) {
        return status;
    }
    /* importers deliver each corner as a vertex of its own; elsewhere six corners share one */
    job->repeats = corners->count / 2 < job->candidate_count;
    return mrwi_scene_weld(job, source->scratch, error);
}

/* ---- all of it ------------------------------------------------------------------------------- */

mrw_status mrwi_scene_build_mesh(mrwi_scene_draft *draft, const mrwi_scene_mesh_source *source,
                                 mrw_mesh *mesh, uint32_t *joint_end, mrw_error *error)
{
    const mrwi_scene_mesh_input *in = source->in;
    mrwi_scene_corners corners = {0};
    mrwi_scene_attributes clean = {0};
    mrwi_scene_weld_job job = {0};
    mrw_status status = mrwi_base_work_check(source->file, error);
    if (status) {
        return status;
    }
    status = gather_corners(source, &corners, error);
    if (status) {
        return status;
    }
    status = clean_attributes(source, &corners, &clean, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_clean_influences(source, corners.used, &job.influences, error);
    if (status) {
        return status;
    }
    status = weld_vertices(source, &corners, &clean, &job, error);
    if (status) {
        return status;
    }
    mesh->vertex_count = job.vertex_count;
    mesh->flags = clean.corner_normals ? MRW_MESH_COMPUTED_NORMALS : 0;
    mesh->flags |= clean.corner_normals && in->flat_normals ? MRW_MESH_FLAT_NORMALS : 0;
    mesh->flags |= in->shows_bones ? MRW_MESH_BONES : 0;
    *joint_end = job.influences.joint_end;
    return mrwi_scene_emit_mesh(draft, source, &corners, &clean, &job, mesh, error);
}

/* Warns that a map without texture coordinates is drawn as one of its points, once per material,
 * however many meshes lack them. */
static void warn_missing_uvs(const mrwi_scene_mesh_source *source, const char *material_name)
{
    const mrw_material_map *shown;
    mrwi_scene_label label;
    mrw_map map;
    mrwi_scene_label_of(label, "material", source->in->material, material_name);
    for (uint32_t next = 0; (shown = mrwi_scene_drawn_map(source->material, &next, &map));) {
        if (!source->in->uvs[shown->uv_set]) {
            mrwi_scene_warn(source->warnings,
                            "%s: its %s map needs texture coordinates %u, but a mesh with this "
                            "material lacks them and shows one point of the map everywhere: unwrap "
                            "the mesh in the program that made it",
                            label, mrw_map_info_of(map)->name, shown->uv_set);
        }
    }
}

void mrwi_scene_builder_flip(mrwi_scene_builder *b, bool v, bool winding)
{
    b->flips_v = v;
    b->flips_winding = winding;
}

mrw_status mrwi_scene_builder_mesh(mrwi_scene_builder *b, const mrwi_scene_mesh_input *in,
                                   uint32_t *index, mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    mrwi_scene_label label;
    mrwi_scene_label_of(label, "mesh", MRWI_SCENE_COUNT(draft, meshes), in->name);
    mrwi_scene_mesh_source source = {.in = in,
                                     .file = draft->file,
                                     .label = label,
                                     .warnings = &b->warnings,
                                     .scratch = &b->scratch,
                                     .flips_v = b->flips_v,
                                     .flips_winding = b->flips_winding && !in->shows_bones};
    mrwi_base_arena_reset(&b->scratch);
    if (in->vertex_count > MRWI_SCENE_SECTION_LIMIT || in->index_count > MRWI_SCENE_SECTION_LIMIT) {
        return b->failed = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                          "%s: %s has more than %u vertices or indices; split it",
                                          draft->file, label, MRWI_SCENE_SECTION_LIMIT);
    }
    if (in->material != MRW_NONE && in->material >= MRWI_SCENE_COUNT(draft, materials)) {
        return b->failed = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                          "%s: %s refers to material %u, which does not exist",
                                          draft->file, label, in->material);
    }
    if (in->material != MRW_NONE) {
        source.material = &MRWI_SCENE_AT(draft, materials, mrw_material, in->material);
        source.tangent_map = mrwi_scene_tangent_map(source.material);
        warn_missing_uvs(&source, (const char *)draft->names.text.data + source.material->name);
    }
    mrw_mesh mesh = {.material = in->material};
    uint32_t joint_end, pushed = MRW_NONE;
    mrw_status status =
        mrwi_scene_charge(&b->budget.vertices, in->vertex_count, "vertices", draft->file, error);
    if (!status) {
        status = mrwi_scene_build_mesh(draft, &source, &mesh, &joint_end, error);
    }
    if (!status) {
        status = mrwi_scene_pool_push(&b->mesh_joints, MRWI_SCENE_SECTION_indices, &joint_end,
                                      draft->file, error);
    }
    if (!status) {
        status = mrwi_scene_push(draft, MRWI_SCENE_SECTION_meshes, &mesh, &pushed, error);
    }
    if (!status && index) {
        *index = pushed;
    }
    return mrwi_scene_settle(b, status);
}
