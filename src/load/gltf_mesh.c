/* gltf_mesh.c: mesh primitives of a glTF file: triangles, attributes, influences, morph targets. */
#include "load/gltf.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct influence_set {
    uint32_t number; /* n of JOINTS_n and WEIGHTS_n */
    uint32_t joints; /* accessors; MRW_NONE for none */
    uint32_t weights;
} influence_set;

typedef struct primitive {
    const cJSON *entry;
    uint32_t position, normal, tangent, color, uv[2]; /* accessors */
    influence_set *sets;
    uint32_t set_count;
    uint32_t file_vertices; /* of the POSITION accessor */
    const uint32_t *rows;   /* those that triangles use, NULL for all */
    mrwi_scene_mesh_input in;
} primitive;

/* ---- attributes by name ---------------------------------------------------------------------- */

/* The set for a number, made when new; sets stay sorted by number. */
static influence_set *find_set(primitive *p, uint32_t number)
{
    uint32_t at = p->set_count;
    while (at > 0 && p->sets[at - 1].number >= number) {
        at--;
    }
    if (at < p->set_count && p->sets[at].number == number) {
        return &p->sets[at];
    }
    memmove(p->sets + at + 1, p->sets + at, (p->set_count - at) * sizeof *p->sets);
    p->set_count++;
    p->sets[at] = (influence_set){number, MRW_NONE, MRW_NONE};
    return &p->sets[at];
}

/* The n of "PREFIX_n", MRW_NONE for another name. */
static uint32_t attribute_number(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] == '\0') {
        return MRW_NONE;
    }
    uint32_t number = 0;
    for (const char *at = name + length; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || number > 999) {
            return MRW_NONE;
        }
        number = number * 10 + (uint32_t)(*at - '0');
    }
    return number;
}

static void note_attribute(primitive *p, const char *name, uint32_t accessor)
{
    static const char *const names[] = {"POSITION", "NORMAL",     "TANGENT",
                                        "COLOR_0",  "TEXCOORD_0", "TEXCOORD_1"};
    uint32_t *const fields[] = {&p->position, &p->normal, &p->tangent,
                                &p->color,    &p->uv[0],  &p->uv[1]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *fields[i] = accessor;
            return;
        }
    }
    uint32_t joints = attribute_number(name, "JOINTS_");
    uint32_t weights = attribute_number(name, "WEIGHTS_");
    if (joints != MRW_NONE) {
        find_set(p, joints)->joints = accessor;
    } else if (weights != MRW_NONE) {
        find_set(p, weights)->weights = accessor;
    }
}

/* Influence sets of a mesh without skins are left alone. */
static bool read_attributes(mrwi_load_gltf *g, primitive *p)
{
    const cJSON *attributes = mrwi_load_json_object(&g->json, p->entry, "attributes");
    p->position = p->normal = p->tangent = p->color = p->uv[0] = p->uv[1] = MRW_NONE;
    uint32_t count = 0;
    for (const cJSON *a = attributes ? attributes->child : NULL; a; a = a->next) {
        count++;
    }
    /* More sets than this would be 256 influences a vertex; sorting them is quadratic. */
    if (count > 64 + 16) {
        mrwi_load_json_fail(&g->json, "it has %" PRIu32 " attributes; 80 are possible", count);
        return false;
    }
    p->sets = mrwi_load_gltf_scratch(g, count, sizeof *p->sets);
    if (!p->sets) {
        return false;
    }
    for (const cJSON *a = attributes ? attributes->child : NULL; a; a = a->next) {
        uint32_t accessor =
            mrwi_load_json_index_value(&g->json, a, "attributes", g->accessors.count, "accessors");
        if (accessor == MRW_NONE) {
            return false;
        }
        note_attribute(p, a->string, accessor);
    }
    return true;
}

/* ---- triangles ------------------------------------------------------------------------------- */

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* The index list as filed; NULL when there is none (or after a failure). */
static uint32_t *read_indices(mrwi_load_gltf *g, primitive *p, uint32_t *count)
{
    uint32_t index =
        mrwi_load_json_index(&g->json, p->entry, "indices", g->accessors.count, "accessors");
    mrwi_load_accessor a;
    if (!mrwi_load_gltf_good(g) || index == MRW_NONE || !mrwi_load_accessor_open(g, index, &a)) {
        return NULL;
    }
    if (mrwi_load_accessor_width(&a) != 1 || a.type == MRWI_LOAD_FLOAT) {
        mrwi_load_json_fail(&g->json, "its indices, accessor %" PRIu32 ", must be SCALAR integers",
                            index);
        return NULL;
    }
    uint32_t *indices = mrwi_load_accessor_uints(g, &a, NULL, a.count);
    for (uint32_t i = 0; indices && i < a.count; i++) {
        if (indices[i] >= p->file_vertices) {
            mrwi_load_json_fail(&g->json,
                                "index %" PRIu32 " is %" PRIu32 ", but it has %" PRIu32 " vertices",
                                i, indices[i], p->file_vertices);
            return NULL;
        }
    }
    *count = a.count;
    return indices;
}

/* 0, 1, 2 ... for a strip or fan without indices. */
static uint32_t *count_up(mrwi_load_gltf *g, uint32_t count)
{
    uint32_t *indices =
        mrwi_load_gltf_charge(g, count) ? mrwi_load_gltf_scratch(g, count, sizeof *indices) : NULL;
    for (uint32_t i = 0; indices && i < count; i++) {
        indices[i] = i;
    }
    return indices;
}

/* A strip or fan as a list (glTF 2.0, 3.7.2.1); corners keep their winding. */
static bool unroll(mrwi_load_gltf *g, primitive *p, const uint32_t *v, uint32_t count, bool fan)
{
    uint32_t triangles = count < 3 ? 0 : count - 2;
    if (!mrwi_load_gltf_charge(g, (uint64_t)triangles * 3)) {
        return false;
    }
    uint32_t *out = mrwi_load_gltf_scratch(g, triangles, 3 * sizeof *out);
    if (!out) {
        return false;
    }
    for (uint32_t i = 0; i < triangles; i++) {
        uint32_t odd = fan ? 0 : i % 2;
        out[3 * (size_t)i] = fan ? v[i + 1] : v[i];
        out[3 * (size_t)i + 1] = fan ? v[i + 2] : v[i + 1 + odd];
        out[3 * (size_t)i + 2] = fan ? v[0] : v[i + 2 - odd];
    }
    p->in.indices = out;
    p->in.index_count = triangles * 3;
    return true;
}

static bool read_triangles(mrwi_load_gltf *g, primitive *p, uint64_t mode)
{
    uint32_t count = p->file_vertices;
    uint32_t *indices = read_indices(g, p, &count);
    if (!mrwi_load_gltf_good(g)) {
        return false;
    }
    if (mode != MODE_TRIANGLES) {
        indices = indices ? indices : count_up(g, count);
        return indices && unroll(g, p, indices, count, mode == MODE_FAN);
    }
    if (count % 3 != 0) {
        mrwi_scene_builder_warn(g->builder,
                                "%s: %" PRIu32 " corners are no whole number of triangles; "
                                "the rest is left out",
                                g->json.where, count);
    }
    p->in.indices = indices;
    p->in.index_count = count - count % 3;
    return true;
}

/* ---- the rows that are used ------------------------------------------------------------------ */

static bool grow_row_map(mrwi_load_gltf *g, uint32_t size)
{
    if (size <= g->row_map_size) {
        return true;
    }
    /* Charged, because an accessor without data costs a file nothing; doubled, because primitives
     * may grow by one vertex each. */
    if (!mrwi_load_gltf_charge(g, size - g->row_map_size)) {
        return false;
    }
    size = size / 2 < g->row_map_size && size <= UINT32_MAX / 2 ? 2 * size : size;
    uint32_t *map = mrwi_base_alloc_zero(size, sizeof *map);
    if (!map) {
        mrwi_load_json_fail_memory(&g->json, size * sizeof *map);
        return false;
    }
    mrwi_base_free(g->row_map);
    g->row_map = map;
    g->row_map_size = size;
    return true;
}

/* Many primitives may share one long run of vertices: only the rows that this one uses are decoded,
 * in time and memory of its indices. */
static bool pick_rows(mrwi_load_gltf *g, primitive *p)
{
    p->in.vertex_count = p->file_vertices;
    if (!p->in.indices) {
        return true;
    }
    uint32_t limit = p->in.index_count < p->file_vertices ? p->in.index_count : p->file_vertices;
    uint32_t *rows = mrwi_load_gltf_scratch(g, limit, sizeof *rows);
    uint32_t *indices = mrwi_load_gltf_scratch(g, p->in.index_count, sizeof *indices);
    if (!rows || !indices || !grow_row_map(g, p->file_vertices)) {
        return false;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->in.index_count; i++) {
        uint32_t vertex = p->in.indices[i];
        if (g->row_map[vertex] == 0) {
            rows[used++] = vertex;
            g->row_map[vertex] = used;
        }
        indices[i] = g->row_map[vertex] - 1;
    }
    for (uint32_t i = 0; i < used; i++) {
        g->row_map[rows[i]] = 0;
    }
    if (used < p->file_vertices) {
        p->rows = rows;
        p->in.indices = indices;
        p->in.vertex_count = used;
    }
    return true;
}

/* ---- vertex attributes ----------------------------------------------------------------------- */

static bool open_attribute(mrwi_load_gltf *g, const primitive *p, uint32_t index, const char *name,
                           uint32_t min_width, uint32_t max_width, mrwi_load_accessor *out)
{
    if (!mrwi_load_accessor_open(g, index, out)) {
        return false;
    }
    uint32_t width = mrwi_load_accessor_width(out);
    if (out->columns != 1 || width < min_width || width > max_width) {
        mrwi_load_json_fail(&g->json, "its %s, accessor %" PRIu32 ", has the wrong type", name,
                            index);
        return false;
    }
    if (out->count != p->file_vertices) {
        mrwi_load_json_fail(&g->json,
                            "its %s, accessor %" PRIu32 ", has %" PRIu32 " elements, its POSITION "
                            "%" PRIu32,
                            name, index, out->count, p->file_vertices);
        return false;
    }
    return true;
}

static float *read_floats(mrwi_load_gltf *g, const primitive *p, uint32_t index, const char *name,
                          uint32_t width)
{
    mrwi_load_accessor a;
    return open_attribute(g, p, index, name, width, width, &a)
               ? mrwi_load_accessor_floats(g, &a, p->rows, p->in.vertex_count)
               : NULL;
}

/* Attributes that the builder repairs are given as filed. */
static float *read_optional(mrwi_load_gltf *g, const primitive *p, uint32_t index, const char *name,
                            uint32_t width)
{
    return index != MRW_NONE ? read_floats(g, p, index, name, width) : NULL;
}

/* Differences of a morph target that the mesh can do without. */
static float *read_delta(mrwi_load_gltf *g, const primitive *p, uint32_t index, const char *name)
{
    float *values = read_optional(g, p, index, name, 3);
    size_t count = (size_t)p->in.vertex_count * 3;
    if (values && mrwi_load_first_nonfinite(values, count) < count) {
        mrwi_scene_builder_warn(g->builder,
                                "%s: its %s holds values that are not finite and is left out",
                                g->json.where, name);
        return NULL;
    }
    return values;
}

static float *read_positions(mrwi_load_gltf *g, const primitive *p, uint32_t index,
                             const char *name)
{
    float *values = read_floats(g, p, index, name, 3);
    size_t count = (size_t)p->in.vertex_count * 3;
    size_t bad = values ? mrwi_load_first_nonfinite(values, count) : count;
    if (bad < count) {
        size_t row = p->rows ? p->rows[bad / 3] : bad / 3;
        mrwi_load_json_fail(&g->json, "element %zu of its %s, accessor %" PRIu32 ", is not finite",
                            row, name, index);
        return NULL;
    }
    return values;
}

/* COLOR_0 is VEC3 or VEC4; integers are normalized whether the file says so or not. */
static float *read_colors(mrwi_load_gltf *g, const primitive *p)
{
    mrwi_load_accessor a;
    if (p->color == MRW_NONE || !open_attribute(g, p, p->color, "COLOR_0", 3, 4, &a)) {
        return NULL;
    }
    a.normalized = a.type != MRWI_LOAD_FLOAT;
    uint32_t count = p->in.vertex_count, width = mrwi_load_accessor_width(&a);
    const float *values = mrwi_load_accessor_floats(g, &a, p->rows, count);
    float *colors = mrwi_load_gltf_scratch(g, count, 4 * sizeof *colors);
    if (!values || !colors) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(colors + 4 * i, values + width * i, 3 * sizeof *colors);
        colors[4 * i + 3] = width == 4 ? values[4 * i + 3] : 1.0f;
    }
    return colors;
}

static bool read_vertices(mrwi_load_gltf *g, primitive *p)
{
    mrwi_scene_mesh_input *in = &p->in;
    in->positions = read_positions(g, p, p->position, "POSITION");
    in->normals = read_optional(g, p, p->normal, "NORMAL", 3);
    in->flat_normals = true;
    /* Tangents without normals are to be ignored (glTF 2.0, 3.7.2.1). */
    in->tangents = in->normals ? read_optional(g, p, p->tangent, "TANGENT", 4) : NULL;
    in->uvs[0] = read_optional(g, p, p->uv[0], "TEXCOORD_0", 2);
    in->uvs[1] = read_optional(g, p, p->uv[1], "TEXCOORD_1", 2);
    in->colors = read_colors(g, p);
    return mrwi_load_gltf_good(g);
}

/* ---- influences ------------------------------------------------------------------------------ */

/* Copies one set into columns first ... first + width - 1 of the joints and weights of all. */
static bool read_set(mrwi_load_gltf *g, primitive *p, const influence_set *set, uint32_t first,
                     uint32_t *joints, float *weights, uint32_t *width)
{
    mrwi_load_accessor ja, wa;
    if (!open_attribute(g, p, set->joints, "JOINTS_n", 1, 4, &ja) ||
        !open_attribute(g, p, set->weights, "WEIGHTS_n", 1, 4, &wa)) {
        return false;
    }
    wa.normalized = wa.type != MRWI_LOAD_FLOAT;
    uint32_t count = p->in.vertex_count;
    uint32_t jw = mrwi_load_accessor_width(&ja), ww = mrwi_load_accessor_width(&wa);
    const uint32_t *j = mrwi_load_accessor_uints(g, &ja, p->rows, count);
    const float *w = mrwi_load_accessor_floats(g, &wa, p->rows, count);
    if (!j || !w) {
        return false;
    }
    *width = jw < ww ? jw : ww;
    for (size_t v = 0; v < count; v++) {
        for (uint32_t i = 0; i < *width; i++) {
            size_t to = v * p->in.influence_count + first + i;
            weights[to] = w[v * ww + i];
            joints[to] = j[v * jw + i];
        }
    }
    return true;
}

/* Vertices of a skinned primitive that no joint moves. */
static size_t count_idle(const primitive *p)
{
    size_t slots = p->in.influence_count, idle = 0;
    for (size_t v = 0; v < p->in.vertex_count; v++) {
        size_t i = 0;
        while (i < slots && p->in.weights[v * slots + i] == 0.0f) {
            i++;
        }
        idle += i == slots;
    }
    return idle;
}

/* Slots without weight may name any joint; those with weight must name one that exists. */
static bool check_influences(mrwi_load_gltf *g, const primitive *p, uint32_t *joints,
                             float *weights)
{
    size_t slots = p->in.influence_count, count = p->in.vertex_count * slots, bad = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] > 0.0f && isfinite(weights[i]))) {
            bad += weights[i] != 0.0f;
            weights[i] = 0.0f;
            joints[i] = 0;
        } else if (joints[i] >= p->in.joint_limit) {
            mrwi_load_json_fail(
                &g->json, "vertex %zu follows joint %" PRIu32 ", but its skin has %" PRIu32,
                p->rows ? p->rows[i / slots] : i / slots, joints[i], p->in.joint_limit);
            return false;
        }
    }
    if (bad > 0) {
        mrwi_scene_builder_warn(g->builder,
                                "%s: %zu weights are negative or not finite and are taken as 0",
                                g->json.where, bad);
    }
    size_t idle = count_idle(p);
    if (idle > 0) {
        mrwi_scene_builder_warn(g->builder,
                                "%s: %zu vertices have no weights and follow their node",
                                g->json.where, idle);
    }
    return true;
}

static uint32_t keep_whole_sets(mrwi_load_gltf *g, primitive *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->set_count; i++) {
        if (p->sets[i].joints == MRW_NONE || p->sets[i].weights == MRW_NONE) {
            mrwi_scene_builder_warn(g->builder,
                                    "%s: JOINTS_%" PRIu32 " and WEIGHTS_%" PRIu32 " are not "
                                    "both there and are left out",
                                    g->json.where, p->sets[i].number, p->sets[i].number);
        } else {
            p->sets[kept++] = p->sets[i];
        }
    }
    return kept;
}

static bool read_influences(mrwi_load_gltf *g, primitive *p)
{
    p->set_count = p->in.joint_limit > 0 ? keep_whole_sets(g, p) : 0;
    if (p->set_count == 0) {
        return true;
    }
    uint32_t count = p->in.vertex_count, slots = 4 * p->set_count, first = 0;
    p->in.influence_count = slots;
    if (!mrwi_load_gltf_charge(g, (uint64_t)count * p->set_count)) {
        return false;
    }
    uint32_t *joints = mrwi_load_gltf_scratch(g, count, slots * sizeof *joints);
    float *weights = mrwi_load_gltf_scratch(g, count, slots * sizeof *weights);
    if (!joints || !weights) {
        return false;
    }
    memset(joints, 0, (size_t)count * slots * sizeof *joints);
    memset(weights, 0, (size_t)count * slots * sizeof *weights);
    for (uint32_t i = 0; i < p->set_count; i++) {
        uint32_t width = 0;
        if (!read_set(g, p, &p->sets[i], first, joints, weights, &width)) {
            return false;
        }
        first += width;
    }
    p->in.joints = joints;
    p->in.weights = weights;
    return check_influences(g, p, joints, weights);
}

/* ---- morph targets --------------------------------------------------------------------------- */

static bool read_target(mrwi_load_gltf *g, const primitive *p, const cJSON *entry,
                        mrwi_scene_target_input *out)
{
    mrwi_load_json *json = &g->json;
    uint32_t count = g->accessors.count;
    uint32_t position = mrwi_load_json_index(json, entry, "POSITION", count, "accessors");
    uint32_t normal = mrwi_load_json_index(json, entry, "NORMAL", count, "accessors");
    uint32_t tangent = mrwi_load_json_index(json, entry, "TANGENT", count, "accessors");
    if (!mrwi_load_gltf_good(g)) {
        return false;
    }
    out->positions = position != MRW_NONE ? read_positions(g, p, position, "POSITION") : NULL;
    if (p->in.normals) {
        out->normals = read_delta(g, p, normal, "NORMAL");
    }
    if (p->in.tangents) {
        out->tangents = read_delta(g, p, tangent, "TANGENT");
    }
    return mrwi_load_gltf_good(g);
}

/* Names stand in mesh.extras.targetNames by custom; extras hold anything, so nothing is an error.
 */
static const cJSON *first_target_name(const cJSON *mesh)
{
    const cJSON *extras = cJSON_GetObjectItemCaseSensitive(mesh, "extras");
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(extras, "targetNames");
    return cJSON_IsArray(names) ? names->child : NULL;
}

/* Targets beyond those of this primitive (all should have as many) move nothing. */
static bool read_targets(mrwi_load_gltf *g, primitive *p, const mrwi_load_gltf_mesh *mesh)
{
    uint32_t target_count = mesh->target_count;
    if (!mrwi_load_gltf_charge(g, UINT64_C(10) * target_count)) {
        return false;
    }
    mrwi_load_json_list list = mrwi_load_json_objects(&g->json, &g->scratch, p->entry, "targets");
    mrwi_scene_target_input *targets = mrwi_load_gltf_scratch(g, target_count, sizeof *targets);
    if (!mrwi_load_gltf_good(g) || !targets) {
        return false;
    }
    memset(targets, 0, target_count * sizeof *targets);
    const cJSON *name = mesh->first_target_name;
    for (uint32_t t = 0; t < target_count; t++) {
        targets[t].name = cJSON_IsString(name) ? name->valuestring : NULL;
        name = name ? name->next : NULL;
        size_t mark = mrwi_load_json_enter(&g->json, "target %" PRIu32, t);
        bool good = t >= list.count || read_target(g, p, list.items[t], &targets[t]);
        mrwi_load_json_leave(&g->json, mark);
        if (!good) {
            return false;
        }
    }
    p->in.targets = targets;
    p->in.target_count = target_count;
    return true;
}

/* ---- primitives and meshes ------------------------------------------------------------------- */

/* False when there is nothing to draw (or after a failure). */
static bool has_triangles(mrwi_load_gltf *g, primitive *p, uint64_t *mode)
{
    *mode = mrwi_load_json_uint(&g->json, p->entry, "mode", MODE_TRIANGLES, MODE_FAN);
    mrwi_load_accessor a;
    if (!mrwi_load_gltf_good(g) || !read_attributes(g, p)) {
        return false;
    }
    if (*mode < MODE_TRIANGLES) {
        g->skipped_primitives++;
        return false;
    }
    if (p->position == MRW_NONE) {
        mrwi_scene_builder_warn(g->builder, "%s has no POSITION and is left out", g->json.where);
        return false;
    }
    if (!mrwi_load_accessor_open(g, p->position, &a)) {
        return false;
    }
    p->file_vertices = a.count;
    return true;
}

static bool push_primitive(mrwi_load_gltf *g, uint32_t mesh_index, uint32_t index)
{
    mrwi_load_gltf_mesh *mesh = &g->mesh_data[mesh_index];
    const cJSON *entry = g->meshes.items[mesh_index];
    primitive p;
    uint64_t mode;
    memset(&p, 0, sizeof p);
    p.entry = mesh->primitive_list.items[index];
    p.in.joint_limit = mesh->joint_limit;
    uint32_t material =
        mrwi_load_json_index(&g->json, p.entry, "material", g->materials.count, "materials");
    p.in.name = mrwi_load_json_string(&g->json, entry, "name");
    p.in.material = material != MRW_NONE ? g->material_index[material] : MRW_NONE;
    if (!mrwi_load_gltf_good(g) || !has_triangles(g, &p, &mode)) {
        return mrwi_load_gltf_good(g);
    }
    if (!read_triangles(g, &p, mode) || !pick_rows(g, &p)) {
        return false;
    }
    if (p.in.index_count == 0) {
        return true;
    }
    if (!read_vertices(g, &p) || !read_influences(g, &p) || !read_targets(g, &p, mesh)) {
        return false;
    }
    mesh->has_influences[index] = p.in.influence_count > 0;
    return mrwi_load_json_ok(
        &g->json,
        mrwi_scene_builder_mesh(g->builder, &p.in, &mesh->primitives[index], g->json.error));
}

static void push_mesh(mrwi_load_gltf *g, uint32_t index)
{
    uint32_t count = g->mesh_data[index].primitive_list.count;
    for (uint32_t i = 0; i < count && mrwi_load_gltf_good(g); i++) {
        size_t mark =
            mrwi_load_json_enter(&g->json, "mesh %" PRIu32 " primitive %" PRIu32, index, i);
        push_primitive(g, index, i);
        mrwi_load_json_leave(&g->json, mark);
        mrwi_base_arena_reset(&g->scratch);
    }
}

bool mrwi_load_gltf_push_meshes(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->meshes.count && mrwi_load_gltf_good(g); i++) {
        if (g->mesh_data[i].drawn) {
            push_mesh(g, i);
        }
    }
    if (g->skipped_primitives > 0 && mrwi_load_gltf_good(g)) {
        mrwi_scene_builder_warn(g->builder,
                                "%" PRIu32 " primitives are points or lines and are not drawn",
                                g->skipped_primitives);
    }
    return mrwi_load_gltf_good(g);
}

static uint32_t count_targets(mrwi_load_gltf *g, const mrwi_load_json_list *primitives)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < primitives->count; i++) {
        const cJSON *targets = mrwi_load_json_array(&g->json, primitives->items[i], "targets");
        uint32_t count = 0;
        for (const cJSON *t = targets ? targets->child : NULL; t; t = t->next) {
            count++;
        }
        most = count > most ? count : most;
    }
    return most;
}

static bool read_mesh(mrwi_load_gltf *g, uint32_t index)
{
    mrwi_load_gltf_mesh *mesh = &g->mesh_data[index];
    mesh->primitive_list =
        mrwi_load_json_objects(&g->json, &g->keep, g->meshes.items[index], "primitives");
    uint32_t count = mesh->primitive_list.count;
    mesh->first_target_name = first_target_name(g->meshes.items[index]);
    mesh->target_count = count_targets(g, &mesh->primitive_list);
    mesh->primitives = mrwi_load_gltf_keep(g, count, sizeof *mesh->primitives);
    mesh->has_influences = mrwi_load_gltf_keep(g, count, sizeof *mesh->has_influences);
    for (uint32_t i = 0; mesh->primitives && i < count; i++) {
        mesh->primitives[i] = MRW_NONE;
    }
    return mrwi_load_gltf_good(g);
}

bool mrwi_load_gltf_read_meshes(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->meshes.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "mesh %" PRIu32, i);
        read_mesh(g, i);
        mrwi_load_json_leave(&g->json, mark);
    }
    return mrwi_load_gltf_good(g);
}
