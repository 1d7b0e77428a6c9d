/* gltf_node.c: reads the node tree of a glTF file with its skins, cameras, lights and draws. */
#include "base/math.h"
#include "base/text.h"
#include "load/gltf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the tree -------------------------------------------------------------------------------- */

static bool link_children(mrwi_load_json *json, mrwi_base_arena *scratch,
                          const mrwi_load_gltf_document *document, mrwi_load_gltf_node *nodes,
                          uint32_t index)
{
    uint32_t count;
    const uint32_t *children =
        mrwi_load_json_indices(json, scratch, document->nodes.items[index], "children",
                               document->nodes.count, "nodes", &count);
    for (uint32_t i = 0; i < count; i++) {
        mrwi_load_gltf_node *child = &nodes[children[i]];
        if (child->parent != MRW_NONE) {
            mrwi_load_json_fail(json, "node %" PRIu32 " has two parents, %" PRIu32 " and %" PRIu32,
                                children[i], child->parent, index);
            return false;
        }
        child->parent = index;
    }
    return mrwi_load_json_good(json);
}

/* Walks up from each node to one that is known to be below a root. */
static bool check_cycles(mrwi_load_json *json, mrwi_base_arena *keep,
                         const mrwi_load_gltf_node *nodes, uint32_t count)
{
    uint32_t *walk =
        /* per node: number + 1 of the walk that visited it */
        mrwi_load_json_alloc_zero(json, keep, count, sizeof *walk);
    for (uint32_t i = 0; walk && i < count; i++) {
        uint32_t n = i;
        for (; n != MRW_NONE && walk[n] == 0; n = nodes[n].parent) {
            walk[n] = i + 1;
        }
        if (n != MRW_NONE && walk[n] == i + 1) {
            mrwi_load_json_fail(json, "node %" PRIu32 " is its own ancestor", n);
            return false;
        }
    }
    return walk;
}

static uint32_t fail_scene(mrwi_load_json *json, uint32_t scene_count, const char *wanted,
                           const char *const *names, uint32_t named)
{
    char text[512], escaped[100];
    snprintf(text, sizeof text, "there is no scene \"%s\"",
             mrwi_base_escape(wanted, escaped, sizeof escaped));
    if (scene_count == 0) {
        mrwi_load_json_fail(json, "%s: the file has no scenes; omit --scene", text);
        return MRW_NONE;
    }
    size_t bare = strlen(text);
    mrwi_base_suggest(text, sizeof text, wanted, names, named, true);
    if (text[bare] == '\0') { /* there are no names */
        snprintf(text + bare, sizeof text - bare, "; the file has scenes 0 to %" PRIu32,
                 scene_count - 1);
    }
    mrwi_load_json_fail(json, "%s", text);
    return MRW_NONE;
}

/* Finds the requested scene: by its name, or by its index from 0. */
static uint32_t find_scene(mrwi_load_json *json, mrwi_base_arena *keep,
                           const mrwi_load_json_list *scenes, const char *wanted)
{
    const char **names = mrwi_load_json_alloc_zero(json, keep, scenes->count, sizeof *names);
    uint32_t named = 0;
    for (uint32_t i = 0; names && i < scenes->count; i++) {
        const char *name = mrwi_load_json_string(json, scenes->items[i], "name");
        if (name && strcmp(name, wanted) == 0) {
            return i;
        }
        if (name && name[0] != '\0') {
            names[named++] = name;
        }
    }
    const char *digits = wanted;
    uint64_t index = 0;
    for (; *digits >= '0' && *digits <= '9' && index < MRW_NONE; digits++) {
        index = index * 10 + (uint64_t)(*digits - '0');
    }
    if (digits != wanted && *digits == '\0' && index < scenes->count) {
        return (uint32_t)index;
    }
    return mrwi_load_json_good(json) ? fail_scene(json, scenes->count, wanted, names, named)
                                     : MRW_NONE;
}

/* Returns the scene to draw; MRW_NONE if there is none. wanted may be NULL. */
static uint32_t choose_scene(mrwi_load_json *json, mrwi_base_arena *keep,
                             const mrwi_load_gltf_document *document, const char *wanted)
{
    if (wanted) {
        return find_scene(json, keep, &document->scenes, wanted);
    }
    if (document->scenes.count == 0) { /* legal, even with a "scene", which then has no meaning */
        mrwi_load_json_uint(json, document->root, "scene", 0, UINT32_MAX);
        return MRW_NONE;
    }
    uint32_t scene =
        mrwi_load_json_index(json, document->root, "scene", document->scenes.count, "scenes");
    return scene != MRW_NONE ? scene : 0;
}

/* Returns the nodes that the scene lists; NULL stands for all roots. */
static const uint32_t *scene_roots(mrwi_load_json *json, mrwi_base_arena *keep,
                                   const mrwi_load_gltf_document *document, const char *wanted,
                                   uint32_t *count)
{
    *count = 0;
    uint32_t scene = choose_scene(json, keep, document, wanted);
    if (!mrwi_load_json_good(json) || scene == MRW_NONE) {
        return NULL;
    }
    size_t mark = mrwi_load_json_enter(json, "scene %" PRIu32, scene);
    const uint32_t *roots = mrwi_load_json_indices(json, keep, document->scenes.items[scene],
                                                   "nodes", document->nodes.count, "nodes", count);
    mrwi_load_json_leave(json, mark);
    return roots;
}

/* Marks all nodes below a reachable node: walks up to the first ancestor whose state is known, then
 * down the same way. `state` is 0 unknown, 1 reachable, 2 not. */
static void spread_reachable(mrwi_load_gltf_node *nodes, uint32_t count, uint8_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = i;
        while (state[top] == 0 && nodes[top].parent != MRW_NONE) {
            top = nodes[top].parent;
        }
        uint8_t answer = state[top] == 1 ? 1 : 2;
        for (uint32_t n = i; state[n] == 0; n = nodes[n].parent) {
            state[n] = answer;
            if (n == top) {
                break;
            }
        }
        nodes[i].reachable = state[i] == 1;
    }
}

static bool mark_reachable(mrwi_load_json *json, mrwi_base_arena *keep,
                           const mrwi_load_gltf_document *document, const char *wanted,
                           mrwi_load_gltf_node *nodes)
{
    uint32_t count;
    const uint32_t *roots = scene_roots(json, keep, document, wanted, &count);
    uint8_t *state = mrwi_load_json_alloc_zero(json, keep, document->nodes.count, 1);
    if (!mrwi_load_json_good(json) || !state) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        state[roots[i]] = 1;
    }
    for (uint32_t i = 0; !roots && i < document->nodes.count; i++) {
        state[i] = nodes[i].parent == MRW_NONE;
    }
    spread_reachable(nodes, document->nodes.count, state);
    return true;
}

static bool read_node(mrwi_load_gltf_file *file, mrwi_load_gltf_tree *tree, uint32_t index)
{
    mrwi_load_json *json = &file->json;
    const mrwi_load_gltf_document *document = file->document;
    mrwi_load_gltf_node *node = &tree->nodes[index];
    const cJSON *entry = document->nodes.items[index];
    node->mesh = mrwi_load_json_index(json, entry, "mesh", document->meshes.count, "meshes");
    node->skin = mrwi_load_json_index(json, entry, "skin", document->skins.count, "skins");
    node->weight_count = node->mesh != MRW_NONE ? tree->meshes[node->mesh].target_count : 0;
    return mrwi_load_json_good(json) &&
           link_children(json, &file->scratch, document, tree->nodes, index);
}

/* Gives reachable nodes with instances their own mesh. */
static bool copy_instanced(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                           mrwi_load_gltf_tree *tree)
{
    mrwi_load_json *json = &file->json;
    for (uint32_t i = 0; i < file->document->nodes.count && mrwi_load_json_good(json); i++) {
        mrwi_load_gltf_node *node = &tree->nodes[i];
        if (node->reachable && node->mesh != MRW_NONE && node->skin == MRW_NONE &&
            mrwi_load_gltf_instancing(json, file->document->nodes.items[i])) {
            const mrwi_load_gltf_mesh *mesh = &tree->meshes[node->mesh];
            if (mrwi_load_gltf_charge(file, UINT64_C(10) * mesh->primitive_list.count)) {
                node->instanced = mrwi_load_gltf_copy_mesh(json, keep, mesh);
            }
        }
    }
    return mrwi_load_json_good(json);
}

/* Returns the number of joints of a skin. */
static uint32_t read_skin_size(mrwi_load_json *json, const cJSON *skin)
{
    const cJSON *joints = mrwi_load_json_array(json, skin, "joints");
    uint32_t count = 0;
    for (const cJSON *j = joints ? joints->child : NULL; j; j = j->next) {
        count++;
    }
    if (count == 0 || count > 65535) {
        mrwi_load_json_fail(json, "it has %" PRIu32 " joints; 1 to 65535 are supported", count);
    }
    return count;
}

/* Tells meshes which nodes draw them, and how. */
static void note_uses(const mrwi_load_gltf_document *document, const uint32_t *skin_joints,
                      mrwi_load_gltf_tree *tree)
{
    for (uint32_t i = 0; i < document->nodes.count; i++) {
        const mrwi_load_gltf_node *node = &tree->nodes[i];
        if (!node->reachable || node->mesh == MRW_NONE) {
            continue;
        }
        mrwi_load_gltf_mesh *mesh = &tree->meshes[node->mesh];
        mesh->drawn = true;
        mesh->drawn_once = mesh->drawn_once || !node->instanced;
        if (node->skin != MRW_NONE) {
            uint32_t joints = skin_joints[node->skin];
            if (mesh->joint_limit == 0 || joints < mesh->joint_limit) {
                mesh->joint_limit = joints;
            }
        }
    }
}

bool mrwi_load_gltf_read_tree(mrwi_load_gltf_file *file, mrwi_base_arena *keep, const char *scene,
                              mrwi_load_gltf_tree *tree)
{
    const mrwi_load_gltf_document *document = file->document;
    mrwi_load_json *json = &file->json;
    uint32_t count = document->nodes.count;
    uint32_t *skin_joints =
        mrwi_load_json_alloc(json, keep, document->skins.count, sizeof *skin_joints);
    for (uint32_t i = 0; i < document->skins.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "skin %" PRIu32, i);
        skin_joints[i] = read_skin_size(json, document->skins.items[i]);
        mrwi_load_json_leave(json, mark);
    }
    for (uint32_t i = 0; i < count; i++) {
        tree->nodes[i].parent = MRW_NONE;
    }
    for (uint32_t i = 0; i < count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "node %" PRIu32, i);
        read_node(file, tree, i);
        mrwi_load_json_leave(json, mark);
        mrwi_base_arena_reset(&file->scratch);
    }
    if (!mrwi_load_json_good(json) || !check_cycles(json, keep, tree->nodes, count) ||
        !mark_reachable(json, keep, document, scene, tree->nodes) ||
        !copy_instanced(file, keep, tree)) {
        return false;
    }
    note_uses(document, skin_joints, tree);
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Copies the weights listed under "weights" of a node or mesh; more than count are ignored. */
static bool read_weights(mrwi_load_json *json, const cJSON *object, float *out, uint32_t count)
{
    const cJSON *array = mrwi_load_json_array(json, object, "weights");
    const cJSON *item = array ? array->child : NULL;
    for (uint32_t n = 0; n < count && item; n++, item = item->next) {
        out[n] = (float)item->valuedouble;
        if (!cJSON_IsNumber(item) || mrwi_load_first_nonfinite(&out[n], 1) == 0) {
            mrwi_load_json_fail(json, "\"weights\" must be finite numbers");
            return false;
        }
    }
    return array;
}

static void read_transform(mrwi_load_json *json, mrwi_scene_builder *builder, const cJSON *entry,
                           mrwi_scene_node_input *in)
{
    const mrw_transform rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    in->rest = rest;
    in->is_matrix = mrwi_load_json_floats(json, entry, "matrix", in->matrix.m, 16);
    mrwi_load_json_floats(json, entry, "translation", in->rest.translation, 3);
    mrwi_load_json_floats(json, entry, "rotation", in->rest.rotation, 4);
    mrwi_load_json_floats(json, entry, "scale", in->rest.scale, 3);
    float *m = in->matrix.m;
    if (in->is_matrix && (m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f)) {
        mrwi_scene_builder_warn(builder, "%s: the last row of its matrix is taken as 0 0 0 1",
                                json->where);
        m[3] = m[7] = m[11] = 0.0f;
        m[15] = 1.0f;
    }
}

static bool push_node(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                      mrwi_scene_builder *builder, uint32_t index)
{
    mrwi_load_json *json = &file->json;
    const mrwi_load_gltf_node *node = &tree->nodes[index];
    const cJSON *entry = file->document->nodes.items[index];
    mrwi_scene_node_input in;
    memset(&in, 0, sizeof in);
    in.name = mrwi_load_json_string(json, entry, "name");
    in.parent = node->parent;
    read_transform(json, builder, entry, &in);
    const cJSON *visibility = mrwi_load_json_extension(json, entry, "KHR_node_visibility");
    if (cJSON_GetObjectItemCaseSensitive(visibility, "visible") &&
        !mrwi_load_json_bool(json, visibility, "visible")) {
        in.flags = MRW_NODE_HIDDEN;
    }
    if (node->skin != MRW_NONE && mrwi_load_gltf_instancing(json, entry)) {
        mrwi_scene_builder_warn(
            builder, "%s has a skin, so its mesh is drawn once and its instances are ignored",
            json->where);
    }
    if (node->weight_count > 0) {
        float *weights = mrwi_load_gltf_charge(file, node->weight_count)
                             ? mrwi_load_gltf_scratch(file, node->weight_count, sizeof *weights)
                             : NULL;
        if (!weights) {
            return false;
        }
        memset(weights, 0, node->weight_count * sizeof *weights);
        if (!read_weights(json, entry, weights, node->weight_count)) {
            read_weights(json, file->document->meshes.items[node->mesh], weights,
                         node->weight_count);
        }
        in.weights = weights;
        in.weight_count = node->weight_count;
    }
    uint32_t pushed;
    return mrwi_load_json_good(json) &&
           mrwi_load_json_ok(json, mrwi_scene_builder_node(builder, &in, &pushed, json->error));
}

bool mrwi_load_gltf_push_nodes(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                               mrwi_scene_builder *builder)
{
    mrwi_load_json *json = &file->json;
    for (uint32_t i = 0; i < file->document->nodes.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "node %" PRIu32, i);
        push_node(file, tree, builder, i);
        mrwi_load_json_leave(json, mark);
        mrwi_base_arena_reset(&file->scratch);
    }
    return mrwi_load_json_good(json);
}

bool mrwi_load_gltf_push_draws(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                               mrwi_scene_builder *builder)
{
    mrwi_load_json *json = &file->json;
    for (uint32_t i = 0; i < file->document->nodes.count && mrwi_load_json_good(json); i++) {
        const mrwi_load_gltf_node *node = &tree->nodes[i];
        if (!node->reachable || node->mesh == MRW_NONE) {
            continue;
        }
        const mrwi_load_gltf_mesh *mesh =
            node->instanced ? node->instanced : &tree->meshes[node->mesh];
        mrwi_load_gltf_charge(file, UINT64_C(10) * mesh->primitive_list.count);
        for (uint32_t p = 0; p < mesh->primitive_list.count && mrwi_load_json_good(json); p++) {
            const mrwi_load_gltf_primitive *primitive = &mesh->primitives[p];
            if (primitive->mesh == MRW_NONE) {
                continue;
            }
            uint32_t skin = primitive->has_influences ? node->skin : MRW_NONE;
            if (skin == MRW_NONE && node->skin != MRW_NONE) {
                mrwi_scene_builder_warn(builder,
                                        "mesh %" PRIu32 " primitive %" PRIu32
                                        " has no JOINTS_0, so it "
                                        "follows node %" PRIu32 " instead of its skin",
                                        node->mesh, p, i);
            }
            mrwi_load_json_ok(
                json, mrwi_scene_builder_draw(builder, i, primitive->mesh, skin, json->error));
        }
    }
    return mrwi_load_json_good(json);
}

/* ---- skins ----------------------------------------------------------------------------------- */

/* Reads the inverse bind matrices. *out stays NULL (identities) if the file has none. */
static bool read_bind(mrwi_load_gltf_file *file, uint32_t accessor, uint32_t joints,
                      const mrw_mat4 **out)
{
    mrwi_load_json *json = &file->json;
    mrwi_load_accessor a;
    if (accessor == MRW_NONE || !mrwi_load_accessor_open(file, accessor, &a)) {
        return mrwi_load_json_good(json);
    }
    if (mrwi_load_accessor_width(&a) != 16 || a.count < joints) {
        mrwi_load_json_fail(
            json, "its inverseBindMatrices, accessor %" PRIu32 ", must be %" PRIu32 " of MAT4",
            accessor, joints);
        return false;
    }
    const float *values = mrwi_load_accessor_floats(file, &a, NULL, joints);
    if (!values) {
        return false;
    }
    size_t bad = mrwi_load_first_nonfinite(values, (size_t)joints * 16);
    if (bad < (size_t)joints * 16) {
        mrwi_load_json_fail(json, "inverse bind matrix %zu, in accessor %" PRIu32 ", is not finite",
                            bad / 16, accessor);
        return false;
    }
    *out = (const mrw_mat4 *)(const void *)values;
    return true;
}

static bool push_skin(mrwi_load_gltf_file *file, mrwi_scene_builder *builder, uint32_t index)
{
    const mrwi_load_gltf_document *document = file->document;
    mrwi_load_json *json = &file->json;
    const cJSON *entry = document->skins.items[index];
    uint32_t count, pushed;
    const uint32_t *joints = mrwi_load_json_indices(json, &file->scratch, entry, "joints",
                                                    document->nodes.count, "nodes", &count);
    uint32_t accessor = mrwi_load_json_index(json, entry, "inverseBindMatrices",
                                             document->accessors.count, "accessors");
    const char *name = mrwi_load_json_string(json, entry, "name");
    const mrw_mat4 *bind = NULL;
    return mrwi_load_json_good(json) && read_bind(file, accessor, count, &bind) &&
           mrwi_load_json_ok(json, mrwi_scene_builder_skin(builder, name, joints, bind, count,
                                                           &pushed, json->error));
}

bool mrwi_load_gltf_push_skins(mrwi_load_gltf_file *file, mrwi_scene_builder *builder)
{
    mrwi_load_json *json = &file->json;
    for (uint32_t i = 0; i < file->document->skins.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "skin %" PRIu32, i);
        push_skin(file, builder, i);
        mrwi_load_json_leave(json, mark);
        mrwi_base_arena_reset(&file->scratch);
    }
    return mrwi_load_json_good(json);
}

/* ---- cameras and lights ---------------------------------------------------------------------- */

/* Returns the name of a camera or light, else that of its node. */
static const char *name_or_node(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                                const cJSON *entry, uint32_t node)
{
    const char *name = mrwi_load_json_string(json, entry, "name");
    return name && name[0] != '\0'
               ? name
               : mrwi_load_json_string(json, document->nodes.items[node], "name");
}

static bool read_perspective(mrwi_load_json *json, const cJSON *p, mrw_scene_camera *out)
{
    out->yfov = (float)mrwi_load_json_number(json, p, "yfov", 0.0);
    out->aspect = (float)mrwi_load_json_number(json, p, "aspectRatio", 0.0);
    return out->yfov > 0.0f && out->yfov < (float)MRWI_BASE_PI && out->aspect >= 0.0f &&
           out->near_plane > 0.0f && (out->far_plane == 0.0f || out->far_plane > out->near_plane);
}

static bool read_orthographic(mrwi_load_json *json, const cJSON *p, mrw_scene_camera *out)
{
    out->orthographic = 1;
    out->xmag = (float)mrwi_load_json_number(json, p, "xmag", 0.0);
    out->ymag = (float)mrwi_load_json_number(json, p, "ymag", 0.0);
    return out->xmag > 0.0f && out->ymag > 0.0f && out->near_plane >= 0.0f &&
           out->far_plane > out->near_plane;
}

static void push_camera(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                        mrwi_scene_builder *builder, uint32_t node, uint32_t index)
{
    mrw_scene_camera camera;
    memset(&camera, 0, sizeof camera);
    camera.node = node;
    const cJSON *entry = document->cameras.items[index];
    const char *type = mrwi_load_json_string(json, entry, "type");
    bool orthographic = type && strcmp(type, "orthographic") == 0;
    const cJSON *p =
        mrwi_load_json_object(json, entry, orthographic ? "orthographic" : "perspective");
    camera.near_plane = (float)mrwi_load_json_number(json, p, "znear", 0.0);
    camera.far_plane = (float)mrwi_load_json_number(json, p, "zfar", 0.0);
    bool legal =
        orthographic ? read_orthographic(json, p, &camera) : read_perspective(json, p, &camera);
    const char *name = name_or_node(json, document, entry, node);
    if (!mrwi_load_json_good(json)) {
        return;
    }
    if (!legal) {
        mrwi_scene_builder_warn(
            builder, "camera %" PRIu32 " has an invalid angle, size or range and is ignored",
            index);
        return;
    }
    mrwi_load_json_ok(json, mrwi_scene_builder_camera(builder, name, &camera, json->error));
}

static bool read_light(mrwi_load_json *json, const cJSON *entry, mrw_scene_light *out)
{
    static const char *const types[] = {"directional", "point", "spot"};
    const char *type = mrwi_load_json_string(json, entry, "type");
    uint32_t t = 0;
    while (t < 3 && (!type || strcmp(type, types[t]) != 0)) {
        t++;
    }
    const cJSON *spot = mrwi_load_json_object(json, entry, "spot");
    out->type = t;
    out->color[0] = out->color[1] = out->color[2] = 1.0f;
    mrwi_load_json_floats(json, entry, "color", out->color, 3);
    out->intensity = (float)mrwi_load_json_number(json, entry, "intensity", 1.0);
    out->range = (float)mrwi_load_json_number(json, entry, "range", 0.0);
    out->inner_cone = (float)mrwi_load_json_number(json, spot, "innerConeAngle", 0.0);
    out->outer_cone = (float)mrwi_load_json_number(json, spot, "outerConeAngle", MRWI_BASE_PI / 4);
    return t < 3 && out->intensity >= 0.0f && out->range >= 0.0f && out->inner_cone >= 0.0f &&
           out->outer_cone >= out->inner_cone;
}

static void push_light(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                       mrwi_scene_builder *builder, uint32_t node, uint32_t index)
{
    mrw_scene_light light;
    memset(&light, 0, sizeof light);
    light.node = node;
    const cJSON *entry = document->lights.items[index];
    mrwi_load_json_try(json);
    bool legal = read_light(json, entry, &light);
    if (mrwi_load_json_forgive(json)) {
        mrwi_scene_builder_warn(builder, "light %" PRIu32 ": %s; it is ignored", index,
                                json->reason);
        return;
    }
    const char *name = name_or_node(json, document, entry, node);
    if (!mrwi_load_json_good(json)) {
        return;
    }
    if (!legal) {
        mrwi_scene_builder_warn(
            builder, "light %" PRIu32 " has an unknown type or an invalid value and is ignored",
            index);
        return;
    }
    mrwi_load_json_ok(json, mrwi_scene_builder_light(builder, name, &light, json->error));
}

/* Returns the light of a node; MRW_NONE if it names one that does not exist, which costs only the
 * light. */
static uint32_t light_of_node(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                              mrwi_scene_builder *builder, const cJSON *entry)
{
    mrwi_load_json_try(json);
    const cJSON *punctual = mrwi_load_json_extension(json, entry, "KHR_lights_punctual");
    const uint32_t light =
        mrwi_load_json_index(json, punctual, "light", document->lights.count, "lights");
    if (mrwi_load_json_forgive(json)) {
        mrwi_scene_builder_warn(builder, "%s: %s; its light is ignored", json->where, json->reason);
        return MRW_NONE;
    }
    return light;
}

static void push_views_of_node(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                               mrwi_scene_builder *builder, uint32_t node)
{
    const cJSON *entry = document->nodes.items[node];
    uint32_t camera =
        mrwi_load_json_index(json, entry, "camera", document->cameras.count, "cameras");
    uint32_t light = light_of_node(json, document, builder, entry);
    if (camera != MRW_NONE) {
        push_camera(json, document, builder, node, camera);
    }
    if (light != MRW_NONE) {
        push_light(json, document, builder, node, light);
    }
}

bool mrwi_load_gltf_push_views(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                               const mrwi_load_gltf_tree *tree, mrwi_scene_builder *builder)
{
    for (uint32_t i = 0; i < document->nodes.count && mrwi_load_json_good(json); i++) {
        if (tree->nodes[i].reachable) {
            size_t mark = mrwi_load_json_enter(json, "node %" PRIu32, i);
            push_views_of_node(json, document, builder, i);
            mrwi_load_json_leave(json, mark);
        }
    }
    return mrwi_load_json_good(json);
}
