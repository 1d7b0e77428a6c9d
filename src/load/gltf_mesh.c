/* gltf_mesh.c: reads mesh primitives of a glTF file: triangles, attributes, influences, morph
 * targets. */
#include "load/gltf.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct influence_set {
    uint32_t number; /* n of JOINTS_n and WEIGHTS_n */
    uint32_t joints; /* accessors, or MRW_NONE */
    uint32_t weights;
} influence_set;

/* The attributes of a primitive: accessors, or MRW_NONE. */
typedef struct attributes {
    uint32_t position, normal, tangent, color, uv[2];
    influence_set *sets; /* sorted by number */
    uint32_t set_count;
} attributes;

/* The vertices that are read. */
typedef struct vertex_rows {
    uint32_t file_count; /* number of rows of the POSITION accessor */
    uint32_t count;
    const uint32_t *rows; /* rows that triangles use; NULL for all */
} vertex_rows;

/* Arrays as in mrwi_scene_mesh_input. */
typedef struct vertex_arrays {
    const float *positions, *normals, *tangents, *uvs[2], *colors;
} vertex_arrays;

typedef struct influences {
    uint32_t slots; /* influences per vertex */
    uint32_t *joints;
    float *weights;
} influences;

/* ---- attributes by name ---------------------------------------------------------------------- */

/* Finds the set for a number, or makes it; sets stay sorted by number. */
static influence_set *find_set(attributes *a, uint32_t number)
{
    uint32_t at = a->set_count;
    while (at > 0 && a->sets[at - 1].number >= number) {
        at--;
    }
    if (at < a->set_count && a->sets[at].number == number) {
        return &a->sets[at];
    }
    memmove(a->sets + at + 1, a->sets + at, (a->set_count - at) * sizeof *a->sets);
    a->set_count++;
    a->sets[at] = (influence_set){number, MRW_NONE, MRW_NONE};
    return &a->sets[at];
}

/* Returns the n of "PREFIX_n"; MRW_NONE for another name. */
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

static void note_attribute(attributes *a, const char *name, uint32_t accessor)
{
    static const char *const names[] = {"POSITION", "NORMAL",     "TANGENT",
                                        "COLOR_0",  "TEXCOORD_0", "TEXCOORD_1"};
    uint32_t *const fields[] = {&a->position, &a->normal, &a->tangent,
                                &a->color,    &a->uv[0],  &a->uv[1]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *fields[i] = accessor;
            return;
        }
    }
    uint32_t joints = attribute_number(name, "JOINTS_");
    uint32_t weights = attribute_number(name, "WEIGHTS_");
    if (joints != MRW_NONE) {
        find_set(a, joints)->joints = accessor;
    } else if (weights != MRW_NONE) {
        find_set(a, weights)->weights = accessor;
    }
}

static bool read_attributes(mrwi_load_gltf_file *file, const cJSON *primitive, attributes *out)
{
    mrwi_load_json *json = &file->json;
    const cJSON *object = mrwi_load_json_object(json, primitive, "attributes");
    const cJSON *first = object ? object->child : NULL;
    *out = (attributes){MRW_NONE, MRW_NONE, MRW_NONE, MRW_NONE, {MRW_NONE, MRW_NONE}, NULL, 0};
    uint32_t count = 0;
    for (const cJSON *item = first; item; item = item->next) {
        count++;
    }
    /* More sets would be over 256 influences per vertex; sorting them is quadratic. */
    if (count > 64 + 16) {
        mrwi_load_json_fail(json, "it has %" PRIu32 " attributes; at most 80 are supported", count);
        return false;
    }
    out->sets = mrwi_load_gltf_scratch(file, count, sizeof *out->sets);
    if (!out->sets) {
        return false;
    }
    for (const cJSON *item = first; item; item = item->next) {
        uint32_t accessor = mrwi_load_json_index_value(
            json, item, "attributes", file->document->accessors.count, "accessors");
        if (accessor == MRW_NONE) {
            return false;
        }
        note_attribute(out, item->string, accessor);
    }
    return true;
}

/* ---- the rows that are used ------------------------------------------------------------------ */

/* Vertex → row + 1 of the current primitive, else 0. */
typedef struct row_map {
    uint32_t *rows;
    uint32_t size;
} row_map;

static bool grow_row_map(mrwi_load_gltf_file *file, row_map *map, uint32_t size)
{
    if (size <= map->size) {
        return true;
    }
    /* The map is charged, because an accessor without data takes no bytes in a file. It is doubled,
     * because primitives may grow by one vertex each. */
    if (!mrwi_load_gltf_charge(file, size - map->size)) {
        return false;
    }
    size = size / 2 < map->size && size <= UINT32_MAX / 2 ? 2 * size : size;
    uint32_t *rows = mrwi_base_alloc_zero(size, sizeof *rows);
    if (!rows) {
        mrwi_load_json_fail_memory(&file->json, size * sizeof *rows);
        return false;
    }
    mrwi_base_free(map->rows);
    map->rows = rows;
    map->size = size;
    return true;
}

/* Replaces indices of the file by indices of rows. */
static bool renumber(mrwi_load_gltf_file *file, const row_map *map, mrwi_load_gltf_triangles *list)
{
    uint32_t *indices = mrwi_load_gltf_scratch(file, list->index_count, sizeof *indices);
    for (uint32_t i = 0; indices && i < list->index_count; i++) {
        indices[i] = map->rows[list->indices[i]] - 1;
    }
    list->indices = indices;
    return indices;
}

/* Picks the rows that a primitive uses. Many primitives may share one long run of vertices, so only
 * used rows are decoded, in time and memory proportional to the indices. */
static bool pick_rows(mrwi_load_gltf_file *file, row_map *map, mrwi_load_gltf_triangles *list,
                      vertex_rows *out)
{
    uint32_t total = out->file_count;
    out->count = total;
    out->rows = NULL;
    if (!list->indices) {
        return true;
    }
    uint32_t limit = list->index_count < total ? list->index_count : total;
    uint32_t *rows = mrwi_load_gltf_scratch(file, limit, sizeof *rows);
    if (!rows || !grow_row_map(file, map, total)) {
        return false;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < list->index_count && used < total; i++) {
        uint32_t vertex = list->indices[i];
        if (map->rows[vertex] == 0) {
            rows[used++] = vertex;
            map->rows[vertex] = used;
        }
    }
    bool good = used == total || renumber(file, map, list);
    for (uint32_t i = 0; i < used; i++) {
        map->rows[rows[i]] = 0;
    }
    if (used < total) {
        out->count = used;
        out->rows = rows;
    }
    return good;
}

/* ---- vertex attributes ----------------------------------------------------------------------- */

/* The required type of an attribute. */
typedef struct attribute_kind {
    const char *name;
    uint32_t min_width, max_width;
} attribute_kind;

static const attribute_kind position_kind = {"POSITION", 3, 3};
static const attribute_kind normal_kind = {"NORMAL", 3, 3};
static const attribute_kind tangent_kind = {"TANGENT", 4, 4};
static const attribute_kind tangent_delta_kind = {"TANGENT", 3, 3};
static const attribute_kind color_kind = {"COLOR_0", 3, 4};
static const attribute_kind uv_kinds[2] = {{"TEXCOORD_0", 2, 2}, {"TEXCOORD_1", 2, 2}};
static const attribute_kind joints_kind = {"JOINTS_n", 1, 4};
static const attribute_kind weights_kind = {"WEIGHTS_n", 1, 4};

static bool open_attribute(mrwi_load_gltf_file *file, const vertex_rows *rows,
                           const attribute_kind *kind, uint32_t index, mrwi_load_accessor *out)
{
    if (!mrwi_load_accessor_open(file, index, out)) {
        return false;
    }
    uint32_t width = mrwi_load_accessor_width(out);
    if (out->columns != 1 || width < kind->min_width || width > kind->max_width) {
        mrwi_load_json_fail(&file->json, "its %s, accessor %" PRIu32 ", has the wrong type",
                            kind->name, index);
        return false;
    }
    if (out->count != rows->file_count) {
        mrwi_load_json_fail(&file->json,
                            "its %s, accessor %" PRIu32 ", has %" PRIu32
                            " elements, but its POSITION has %" PRIu32,
                            kind->name, index, out->count, rows->file_count);
        return false;
    }
    return true;
}

static const float *read_floats(mrwi_load_gltf_file *file, const vertex_rows *rows,
                                const attribute_kind *kind, uint32_t index)
{
    mrwi_load_accessor a;
    return open_attribute(file, rows, kind, index, &a)
               ? mrwi_load_accessor_borrow_floats(file, &a, rows->rows, rows->count)
               : NULL;
}

/* Reads an attribute that the builder repairs, as filed. */
static const float *read_optional(mrwi_load_gltf_file *file, const vertex_rows *rows,
                                  const attribute_kind *kind, uint32_t index)
{
    return index != MRW_NONE ? read_floats(file, rows, kind, index) : NULL;
}

/* Reads differences of a morph target that the mesh can do without. */
static const float *read_delta(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                               const vertex_rows *rows, const attribute_kind *kind, uint32_t index)
{
    const float *values = read_optional(file, rows, kind, index);
    size_t count = (size_t)rows->count * 3;
    if (values && mrwi_load_first_nonfinite(values, count) < count) {
        mrwi_scene_builder_warn(builder,
                                "%s: its %s contains values that are not finite and is ignored",
                                file->json.where, kind->name);
        return NULL;
    }
    return values;
}

static const float *read_positions(mrwi_load_gltf_file *file, const vertex_rows *rows,
                                   uint32_t index)
{
    const float *values = read_floats(file, rows, &position_kind, index);
    size_t count = (size_t)rows->count * 3;
    size_t bad = values ? mrwi_load_first_nonfinite(values, count) : count;
    if (bad < count) {
        size_t row = rows->rows ? rows->rows[bad / 3] : bad / 3;
        mrwi_load_json_fail(&file->json,
                            "element %zu of its POSITION, accessor %" PRIu32 ", is not finite", row,
                            index);
        return NULL;
    }
    return values;
}

/* Reads COLOR_0, which is VEC3 or VEC4. Integers are normalized whether the file says so or not. */
static float *read_colors(mrwi_load_gltf_file *file, const vertex_rows *rows, uint32_t index)
{
    mrwi_load_accessor a;
    if (index == MRW_NONE || !open_attribute(file, rows, &color_kind, index, &a)) {
        return NULL;
    }
    a.normalized = a.type != MRWI_LOAD_FLOAT;
    uint32_t count = rows->count, width = mrwi_load_accessor_width(&a);
    const float *values = mrwi_load_accessor_borrow_floats(file, &a, rows->rows, count);
    float *colors = mrwi_load_gltf_scratch(file, count, 4 * sizeof *colors);
    if (!values || !colors) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(colors + 4 * i, values + width * i, 3 * sizeof *colors);
        colors[4 * i + 3] = width == 4 ? values[4 * i + 3] : 1.0f;
    }
    return colors;
}

static bool read_vertices(mrwi_load_gltf_file *file, const attributes *a, const vertex_rows *rows,
                          vertex_arrays *out)
{
    out->positions = read_positions(file, rows, a->position);
    out->normals = read_optional(file, rows, &normal_kind, a->normal);
    /* Tangents without normals must be ignored (glTF 2.0, 3.7.2.1). */
    out->tangents = out->normals ? read_optional(file, rows, &tangent_kind, a->tangent) : NULL;
    out->uvs[0] = read_optional(file, rows, &uv_kinds[0], a->uv[0]);
    out->uvs[1] = read_optional(file, rows, &uv_kinds[1], a->uv[1]);
    out->colors = read_colors(file, rows, a->color);
    return mrwi_load_json_good(&file->json);
}

/* ---- influences ------------------------------------------------------------------------------ */

/* Copies one set into the columns of joints and weights from *filled on, and adds to *filled. */
static bool read_set(mrwi_load_gltf_file *file, const vertex_rows *rows, const influence_set *set,
                     influences *out, uint32_t *filled)
{
    mrwi_load_accessor ja, wa;
    if (!open_attribute(file, rows, &joints_kind, set->joints, &ja) ||
        !open_attribute(file, rows, &weights_kind, set->weights, &wa)) {
        return false;
    }
    wa.normalized = wa.type != MRWI_LOAD_FLOAT;
    uint32_t jw = mrwi_load_accessor_width(&ja), ww = mrwi_load_accessor_width(&wa);
    const uint32_t *j = mrwi_load_accessor_uints(file, &ja, rows->rows, rows->count);
    const float *w = mrwi_load_accessor_borrow_floats(file, &wa, rows->rows, rows->count);
    if (!j || !w) {
        return false;
    }
    uint32_t width = jw < ww ? jw : ww;
    for (size_t v = 0; v < rows->count; v++) {
        for (uint32_t i = 0; i < width; i++) {
            size_t to = v * out->slots + *filled + i;
            out->weights[to] = w[v * ww + i];
            out->joints[to] = j[v * jw + i];
        }
    }
    *filled += width;
    return true;
}

/* Counts the vertices of a skinned primitive that no joint moves. */
static size_t count_idle(const influences *in, size_t vertex_count)
{
    size_t slots = in->slots, idle = 0;
    for (size_t v = 0; v < vertex_count; v++) {
        size_t i = 0;
        while (i < slots && in->weights[v * slots + i] == 0.0f) {
            i++;
        }
        idle += i == slots;
    }
    return idle;
}

/* Checks joints. Influences without weight may name any joint; those with weight must name one that
 * exists. */
static bool check_influences(mrwi_load_json *json, mrwi_scene_builder *builder,
                             const vertex_rows *rows, uint32_t joint_limit, influences *in)
{
    size_t slots = in->slots, count = rows->count * slots, bad = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(in->weights[i] > 0.0f && isfinite(in->weights[i]))) {
            bad += in->weights[i] != 0.0f;
            in->weights[i] = 0.0f;
            in->joints[i] = 0;
        } else if (in->joints[i] >= joint_limit) {
            mrwi_load_json_fail(
                json, "vertex %zu follows joint %" PRIu32 ", but its skin has %" PRIu32,
                rows->rows ? rows->rows[i / slots] : i / slots, in->joints[i], joint_limit);
            return false;
        }
    }
    if (bad > 0) {
        mrwi_scene_builder_warn(builder,
                                "%s: %zu weights are negative or not finite and are taken as 0",
                                json->where, bad);
    }
    size_t idle = count_idle(in, rows->count);
    if (idle > 0) {
        mrwi_scene_builder_warn(builder, "%s: %zu vertices have no weights and follow their node",
                                json->where, idle);
    }
    return true;
}

/* Moves complete sets to the front. Returns their number. */
static uint32_t keep_whole_sets(const mrwi_load_json *json, mrwi_scene_builder *builder,
                                attributes *a)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->set_count; i++) {
        if (a->sets[i].joints == MRW_NONE || a->sets[i].weights == MRW_NONE) {
            mrwi_scene_builder_warn(builder,
                                    "%s: JOINTS_%" PRIu32 " and WEIGHTS_%" PRIu32
                                    " are not both present and are ignored",
                                    json->where, a->sets[i].number, a->sets[i].number);
        } else {
            a->sets[kept++] = a->sets[i];
        }
    }
    return kept;
}

/* Reads influences. Those of a mesh without skins are ignored: joint_limit is 0 then. */
static bool read_influences(mrwi_load_gltf_file *file, mrwi_scene_builder *builder, attributes *a,
                            const vertex_rows *rows, uint32_t joint_limit, influences *out)
{
    a->set_count = joint_limit > 0 ? keep_whole_sets(&file->json, builder, a) : 0;
    *out = (influences){4 * a->set_count, NULL, NULL};
    if (a->set_count == 0) {
        return true;
    }
    if (!mrwi_load_gltf_charge(file, (uint64_t)rows->count * a->set_count)) {
        return false;
    }
    size_t total = (size_t)rows->count * out->slots;
    out->joints = mrwi_load_gltf_scratch(file, rows->count, out->slots * sizeof *out->joints);
    out->weights = mrwi_load_gltf_scratch(file, rows->count, out->slots * sizeof *out->weights);
    if (!out->joints || !out->weights) {
        return false;
    }
    memset(out->joints, 0, total * sizeof *out->joints);
    memset(out->weights, 0, total * sizeof *out->weights);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < a->set_count; i++) {
        if (!read_set(file, rows, &a->sets[i], out, &filled)) {
            return false;
        }
    }
    return check_influences(&file->json, builder, rows, joint_limit, out);
}

/* ---- morph targets --------------------------------------------------------------------------- */

/* Reads a target. It moves normals and tangents only if the mesh has them. */
static bool read_target(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                        const vertex_rows *rows, const vertex_arrays *base, const cJSON *entry,
                        mrwi_scene_target_input *out)
{
    mrwi_load_json *json = &file->json;
    uint32_t count = file->document->accessors.count;
    uint32_t position = mrwi_load_json_index(json, entry, "POSITION", count, "accessors");
    uint32_t normal = mrwi_load_json_index(json, entry, "NORMAL", count, "accessors");
    uint32_t tangent = mrwi_load_json_index(json, entry, "TANGENT", count, "accessors");
    if (!mrwi_load_json_good(json)) {
        return false;
    }
    out->positions = position != MRW_NONE ? read_positions(file, rows, position) : NULL;
    if (base->normals) {
        out->normals = read_delta(file, builder, rows, &normal_kind, normal);
    }
    if (base->tangents) {
        out->tangents = read_delta(file, builder, rows, &tangent_delta_kind, tangent);
    }
    return mrwi_load_json_good(json);
}

/* Returns the first of mesh.extras.targetNames, which is a convention. Extras may hold anything, so
 * nothing is an error. */
static const cJSON *first_target_name(const cJSON *mesh)
{
    const cJSON *extras = cJSON_GetObjectItemCaseSensitive(mesh, "extras");
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(extras, "targetNames");
    return cJSON_IsArray(names) ? names->child : NULL;
}

/* Reads as many targets as the mesh has; NULL after a failure. Targets beyond those of this
 * primitive (all should have equally many) move nothing. */
static mrwi_scene_target_input *read_targets(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                             const mrwi_load_gltf_mesh *mesh,
                                             const cJSON *primitive, const vertex_rows *rows,
                                             const vertex_arrays *base)
{
    mrwi_load_json *json = &file->json;
    uint32_t count = mesh->target_count;
    if (!mrwi_load_gltf_charge(file, UINT64_C(10) * count)) {
        return NULL;
    }
    mrwi_load_json_list list = mrwi_load_json_objects(json, &file->scratch, primitive, "targets");
    mrwi_scene_target_input *targets = mrwi_load_gltf_scratch(file, count, sizeof *targets);
    if (!mrwi_load_json_good(json) || !targets) {
        return NULL;
    }
    memset(targets, 0, count * sizeof *targets);
    const cJSON *name = mesh->first_target_name;
    for (uint32_t t = 0; t < count; t++) {
        targets[t].name = cJSON_IsString(name) ? name->valuestring : NULL;
        name = name ? name->next : NULL;
        size_t mark = mrwi_load_json_enter(json, "target %" PRIu32, t);
        bool good =
            t >= list.count || read_target(file, builder, rows, base, list.items[t], &targets[t]);
        mrwi_load_json_leave(json, mark);
        if (!good) {
            return NULL;
        }
    }
    return targets;
}

/* ---- primitives and meshes ------------------------------------------------------------------- */

/* The state for reading all meshes. */
typedef struct mesh_reader {
    mrwi_load_gltf_file *file;
    mrwi_scene_builder *builder;
    const uint32_t *material_index;
    row_map map;
    uint32_t skipped_primitives; /* number of primitives of points and lines */
    bool compressed;             /* true if the current primitive is read from its Draco mesh */
    uint32_t node;               /* the node whose instances are read, or MRW_NONE */
} mesh_reader;

/* Reads all of a primitive except the vertices. Returns false if there is nothing to draw (or after
 * a failure). */
static bool has_triangles(mesh_reader *reader, const cJSON *primitive, attributes *named,
                          mrwi_load_gltf_triangles *list, vertex_rows *rows)
{
    mrwi_load_gltf_file *file = reader->file;
    mrwi_load_json *json = &file->json;
    uint64_t mode =
        mrwi_load_json_uint(json, primitive, "mode", MRWI_LOAD_GLTF_TRIANGLES, MRWI_LOAD_GLTF_FAN);
    mrwi_load_accessor a;
    if (!mrwi_load_json_good(json) || !read_attributes(file, primitive, named)) {
        return false;
    }
    if (mode < MRWI_LOAD_GLTF_TRIANGLES) {
        reader->skipped_primitives++;
        return false;
    }
    if (reader->compressed && !mrwi_load_gltf_draco_begin(file, reader->builder, primitive)) {
        return false;
    }
    if (named->position == MRW_NONE) {
        mrwi_scene_builder_warn(reader->builder, "%s has no POSITION and is skipped", json->where);
        return false;
    }
    if (!mrwi_load_accessor_open(file, named->position, &a)) {
        return false;
    }
    rows->file_count = a.count;
    return mrwi_load_gltf_read_triangles(file, reader->builder, primitive, mode, a.count, list) &&
           pick_rows(file, &reader->map, list, rows) && list->index_count > 0;
}

/* Replaces the mesh by all instances if a node has some. They follow their node, without the
 * influences that a mesh may have for other nodes. */
static bool repeat_instances(mesh_reader *reader, mrwi_scene_mesh_input *in)
{
    mrwi_load_gltf_instances instances;
    if (reader->node == MRW_NONE) {
        return true;
    }
    in->influence_count = 0;
    if (!mrwi_load_gltf_read_instances(reader->file, reader->node, &instances)) {
        return false;
    }
    return instances.count == 0 || mrwi_load_gltf_repeat(reader->file, &instances, in);
}

static void push_primitive(mesh_reader *reader, const mrwi_load_gltf_mesh *mesh, const cJSON *entry,
                           const cJSON *primitive, mrwi_load_gltf_primitive *out)
{
    mrwi_load_gltf_file *file = reader->file;
    mrwi_load_json *json = &file->json;
    attributes named;
    vertex_rows rows;
    mrwi_load_gltf_triangles list;
    vertex_arrays base;
    influences moved;
    uint32_t material = mrwi_load_json_index(json, out->holder, "material",
                                             file->document->materials.count, "materials");
    const char *name = mrwi_load_json_string(json, entry, "name");
    if (!mrwi_load_json_good(json) || !has_triangles(reader, primitive, &named, &list, &rows)) {
        return;
    }
    if (!read_vertices(file, &named, &rows, &base) ||
        !read_influences(file, reader->builder, &named, &rows, mesh->joint_limit, &moved)) {
        return;
    }
    mrwi_scene_target_input *targets =
        read_targets(file, reader->builder, mesh, primitive, &rows, &base);
    if (!targets) {
        return;
    }
    mrwi_scene_mesh_input in = {
        .name = name,
        .material = material != MRW_NONE ? reader->material_index[material] : MRW_NONE,
        .vertex_count = rows.count,
        .indices = list.indices,
        .index_count = list.index_count,
        .positions = base.positions,
        .normals = base.normals,
        .flat_normals = true,
        .tangents = base.tangents,
        .uvs = {base.uvs[0], base.uvs[1]},
        .colors = base.colors,
        .influence_count = moved.slots,
        .joints = moved.joints,
        .weights = moved.weights,
        .joint_limit = mesh->joint_limit,
        .targets = targets,
        .target_count = mesh->target_count,
    };
    if (!repeat_instances(reader, &in)) {
        return;
    }
    out->has_influences = in.influence_count > 0;
    mrwi_load_json_ok(json, mrwi_scene_builder_mesh(reader->builder, &in, &out->mesh, json->error));
}

/* Reads a compressed primitive. A fault in it costs only this primitive. */
static void push_compressed(mesh_reader *reader, const mrwi_load_gltf_mesh *mesh,
                            const cJSON *entry, const cJSON *primitive,
                            mrwi_load_gltf_primitive *out)
{
    mrwi_load_gltf_file *file = reader->file;
    reader->compressed = true;
    mrwi_load_json_try(&file->json);
    push_primitive(reader, mesh, entry, primitive, out);
    const bool failed = mrwi_load_json_forgive(&file->json);
    reader->compressed = false;
    mrwi_load_gltf_draco_end(file);
    if (failed && mrwi_load_gltf_draco_warn(file, reader->builder, primitive)) {
        push_primitive(reader, mesh, entry, primitive, out);
    }
}

static void push_mesh(mesh_reader *reader, uint32_t index, mrwi_load_gltf_mesh *mesh)
{
    mrwi_load_json *json = &reader->file->json;
    const cJSON *entry = reader->file->document->meshes.items[index];
    for (uint32_t i = 0; i < mesh->primitive_list.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "mesh %" PRIu32 " primitive %" PRIu32, index, i);
        const cJSON *primitive = mesh->primitive_list.items[i];
        (mrwi_load_gltf_draco_has(primitive) ? push_compressed : push_primitive)(
            reader, mesh, entry, primitive, &mesh->primitives[i]);
        mrwi_load_json_leave(json, mark);
        mrwi_base_arena_reset(&reader->file->scratch);
    }
}

bool mrwi_load_gltf_push_meshes(mrwi_load_gltf_file *file, mrwi_load_gltf_tree *tree,
                                const mrwi_load_gltf_materials *materials,
                                mrwi_scene_builder *builder)
{
    mrwi_load_json *json = &file->json;
    mesh_reader reader = {
        .file = file, .builder = builder, .material_index = materials->index, .node = MRW_NONE};
    for (uint32_t i = 0; i < file->document->meshes.count && mrwi_load_json_good(json); i++) {
        if (tree->meshes[i].drawn_once) {
            push_mesh(&reader, i, &tree->meshes[i]);
        }
        mrwi_load_progress_add(&file->progress, 1);
    }
    for (uint32_t i = 0; i < file->document->nodes.count && mrwi_load_json_good(json); i++) {
        const mrwi_load_gltf_node *node = &tree->nodes[i];
        if (node->reachable && node->instanced) {
            size_t mark = mrwi_load_json_enter(json, "node %" PRIu32, i);
            reader.node = i;
            push_mesh(&reader, node->mesh, node->instanced);
            mrwi_load_json_leave(json, mark);
        }
    }
    if (reader.skipped_primitives > 0 && mrwi_load_json_good(json)) {
        mrwi_scene_builder_warn(builder,
                                "%" PRIu32 " primitives are points or lines and are not drawn",
                                reader.skipped_primitives);
    }
    mrwi_base_free(reader.map.rows);
    return mrwi_load_json_good(json);
}

static uint32_t count_targets(mrwi_load_json *json, const mrwi_load_json_list *primitives)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < primitives->count; i++) {
        const cJSON *targets = mrwi_load_json_array(json, primitives->items[i], "targets");
        uint32_t count = 0;
        for (const cJSON *t = targets ? targets->child : NULL; t; t = t->next) {
            count++;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void read_mesh(mrwi_load_json *json, mrwi_base_arena *keep,
                      const mrwi_load_gltf_document *document, const cJSON *entry,
                      mrwi_load_gltf_mesh *out)
{
    out->primitive_list = mrwi_load_json_objects(json, keep, entry, "primitives");
    uint32_t count = out->primitive_list.count;
    out->first_target_name = first_target_name(entry);
    out->target_count = count_targets(json, &out->primitive_list);
    out->primitives = mrwi_load_json_alloc_zero(json, keep, count, sizeof *out->primitives);
    for (uint32_t i = 0; out->primitives && i < count; i++) {
        out->primitives[i].mesh = MRW_NONE;
        out->primitives[i].holder =
            mrwi_load_gltf_material_holder(document, out->primitive_list.items[i]);
    }
}

mrwi_load_gltf_mesh *mrwi_load_gltf_copy_mesh(mrwi_load_json *json, mrwi_base_arena *keep,
                                              const mrwi_load_gltf_mesh *mesh)
{
    const uint32_t count = mesh->primitive_list.count;
    mrwi_load_gltf_mesh *out = mrwi_load_json_alloc_zero(json, keep, 1, sizeof *out);
    if (!out) {
        return NULL;
    }
    *out = *mesh;
    out->joint_limit = 0;
    out->primitives = mrwi_load_json_alloc_zero(json, keep, count, sizeof *out->primitives);
    for (uint32_t i = 0; out->primitives && i < count; i++) {
        out->primitives[i].mesh = MRW_NONE;
        out->primitives[i].holder = mesh->primitives[i].holder;
    }
    return out;
}

bool mrwi_load_gltf_read_meshes(mrwi_load_json *json, mrwi_base_arena *keep,
                                const mrwi_load_gltf_document *document,
                                mrwi_load_gltf_mesh *meshes)
{
    for (uint32_t i = 0; i < document->meshes.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "mesh %" PRIu32, i);
        read_mesh(json, keep, document, document->meshes.items[i], &meshes[i]);
        mrwi_load_json_leave(json, mark);
    }
    return mrwi_load_json_good(json);
}
