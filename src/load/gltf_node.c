/* gltf_node.c: the node tree of a glTF file, and what hangs on nodes: skins, cameras, lights,
 * draws. */
#include "base/math.h"
#include "base/text.h"
#include "load/gltf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the tree -------------------------------------------------------------------------------- */

static bool link_children(mrwi_load_gltf *g, uint32_t index)
{
    uint32_t count;
    const uint32_t *children = mrwi_load_json_indices(&g->json, &g->scratch, g->nodes.items[index],
                                                      "children", g->nodes.count, "nodes", &count);
    for (uint32_t i = 0; i < count; i++) {
        mrwi_load_gltf_node *child = &g->node_data[children[i]];
        if (child->parent != MRW_NONE) {
            mrwi_load_json_fail(&g->json,
                                "node %" PRIu32 " has two parents, %" PRIu32 " and %" PRIu32,
                                children[i], child->parent, index);
            return false;
        }
        child->parent = index;
    }
    return mrwi_load_gltf_good(g);
}

/* Walks up from each node until one already known to hang on a root. */
static bool check_cycles(mrwi_load_gltf *g)
{
    uint32_t *walk =
        mrwi_load_gltf_keep(g, g->nodes.count, sizeof *walk); /* the walk that came by + 1 */
    for (uint32_t i = 0; walk && i < g->nodes.count; i++) {
        uint32_t n = i;
        for (; n != MRW_NONE && walk[n] == 0; n = g->node_data[n].parent) {
            walk[n] = i + 1;
        }
        if (n != MRW_NONE && walk[n] == i + 1) {
            mrwi_load_json_fail(&g->json, "node %" PRIu32 " is its own ancestor", n);
            return false;
        }
    }
    return walk;
}

static uint32_t fail_scene(mrwi_load_gltf *g, const char *const *names, uint32_t named)
{
    char text[512], escaped[100];
    snprintf(text, sizeof text, "there is no scene \"%s\"",
             mrwi_base_escape(g->def->scene, escaped, sizeof escaped));
    if (g->scenes.count == 0) {
        mrwi_load_json_fail(&g->json, "%s: the file has no scenes; leave --scene out", text);
        return MRW_NONE;
    }
    size_t bare = strlen(text);
    mrwi_base_suggest(text, sizeof text, g->def->scene, names, named, true);
    if (text[bare] == '\0') { /* no names */
        snprintf(text + bare, sizeof text - bare, "; the file has 0 to %" PRIu32,
                 g->scenes.count - 1);
    }
    mrwi_load_json_fail(&g->json, "%s", text);
    return MRW_NONE;
}

/* The scene of def->scene: its name, or its index from 0. */
static uint32_t find_scene(mrwi_load_gltf *g)
{
    const char **names = mrwi_load_gltf_keep(g, g->scenes.count, sizeof *names);
    uint32_t named = 0;
    for (uint32_t i = 0; names && i < g->scenes.count; i++) {
        const char *name = mrwi_load_json_string(&g->json, g->scenes.items[i], "name");
        if (name && strcmp(name, g->def->scene) == 0) {
            return i;
        }
        if (name && name[0] != '\0') {
            names[named++] = name;
        }
    }
    const char *digits = g->def->scene;
    uint64_t index = 0;
    for (; *digits >= '0' && *digits <= '9' && index < MRW_NONE; digits++) {
        index = index * 10 + (uint64_t)(*digits - '0');
    }
    if (digits != g->def->scene && *digits == '\0' && index < g->scenes.count) {
        return (uint32_t)index;
    }
    return mrwi_load_gltf_good(g) ? fail_scene(g, names, named) : MRW_NONE;
}

/* The scene that is drawn, MRW_NONE when there are none. */
static uint32_t choose_scene(mrwi_load_gltf *g)
{
    if (g->def->scene) {
        return find_scene(g);
    }
    if (g->scenes.count == 0) { /* legal, even with a "scene", which then means nothing */
        mrwi_load_json_uint(&g->json, g->root, "scene", 0, UINT32_MAX);
        return MRW_NONE;
    }
    uint32_t scene = mrwi_load_json_index(&g->json, g->root, "scene", g->scenes.count, "scenes");
    return scene != MRW_NONE ? scene : 0;
}

/* The nodes the scene lists, NULL when all roots are meant. */
static const uint32_t *scene_roots(mrwi_load_gltf *g, uint32_t *count)
{
    *count = 0;
    uint32_t scene = choose_scene(g);
    if (!mrwi_load_gltf_good(g) || scene == MRW_NONE) {
        return NULL;
    }
    size_t mark = mrwi_load_json_enter(&g->json, "scene %" PRIu32, scene);
    const uint32_t *roots = mrwi_load_json_indices(&g->json, &g->keep, g->scenes.items[scene],
                                                   "nodes", g->nodes.count, "nodes", count);
    mrwi_load_json_leave(&g->json, mark);
    return roots;
}

/* Marks what hangs on a reachable node: up to the first ancestor whose answer is known, then down
 * the same way again. `state` is 0 unknown, 1 reachable, 2 not. */
static void spread_reachable(mrwi_load_gltf *g, uint8_t *state)
{
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        uint32_t top = i;
        while (state[top] == 0 && g->node_data[top].parent != MRW_NONE) {
            top = g->node_data[top].parent;
        }
        uint8_t answer = state[top] == 1 ? 1 : 2;
        for (uint32_t n = i; state[n] == 0; n = g->node_data[n].parent) {
            state[n] = answer;
            if (n == top) {
                break;
            }
        }
        g->node_data[i].reachable = state[i] == 1;
    }
}

static bool mark_reachable(mrwi_load_gltf *g)
{
    uint32_t count;
    const uint32_t *roots = scene_roots(g, &count);
    uint8_t *state = mrwi_load_gltf_keep(g, g->nodes.count, 1);
    if (!mrwi_load_gltf_good(g) || !state) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        state[roots[i]] = 1;
    }
    for (uint32_t i = 0; !roots && i < g->nodes.count; i++) {
        state[i] = g->node_data[i].parent == MRW_NONE;
    }
    spread_reachable(g, state);
    return true;
}

/* What a mesh must know of the nodes that draw it. */
static void note_use(mrwi_load_gltf *g, const mrwi_load_gltf_node *node)
{
    mrwi_load_gltf_mesh *mesh = &g->mesh_data[node->mesh];
    mesh->drawn = true;
    if (node->skin != MRW_NONE) {
        uint32_t joints = g->skin_joints[node->skin];
        if (mesh->joint_limit == 0 || joints < mesh->joint_limit) {
            mesh->joint_limit = joints;
        }
    }
}

static bool read_node(mrwi_load_gltf *g, uint32_t index)
{
    mrwi_load_gltf_node *node = &g->node_data[index];
    const cJSON *entry = g->nodes.items[index];
    node->mesh = mrwi_load_json_index(&g->json, entry, "mesh", g->meshes.count, "meshes");
    node->skin = mrwi_load_json_index(&g->json, entry, "skin", g->skins.count, "skins");
    node->weight_count = node->mesh != MRW_NONE ? g->mesh_data[node->mesh].target_count : 0;
    return link_children(g, index);
}

static bool read_skin_size(mrwi_load_gltf *g, uint32_t index)
{
    const cJSON *joints = mrwi_load_json_array(&g->json, g->skins.items[index], "joints");
    uint32_t count = 0;
    for (const cJSON *j = joints ? joints->child : NULL; j; j = j->next) {
        count++;
    }
    if (count == 0 || count > 65535) {
        mrwi_load_json_fail(&g->json, "it has %" PRIu32 " joints; 1 to 65535 are possible", count);
    }
    g->skin_joints[index] = count;
    return mrwi_load_gltf_good(g);
}

bool mrwi_load_gltf_read_tree(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->skins.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "skin %" PRIu32, i);
        read_skin_size(g, i);
        mrwi_load_json_leave(&g->json, mark);
    }
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        g->node_data[i].parent = MRW_NONE;
    }
    for (uint32_t i = 0; i < g->nodes.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "node %" PRIu32, i);
        read_node(g, i);
        mrwi_load_json_leave(&g->json, mark);
        mrwi_base_arena_reset(&g->scratch);
    }
    if (!mrwi_load_gltf_good(g) || !check_cycles(g) || !mark_reachable(g)) {
        return false;
    }
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        if (g->node_data[i].reachable && g->node_data[i].mesh != MRW_NONE) {
            note_use(g, &g->node_data[i]);
        }
    }
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Copies the weights listed under "weights" of a node or mesh; more than count are left out. */
static bool read_weights(mrwi_load_gltf *g, const cJSON *object, float *out, uint32_t count)
{
    const cJSON *array = mrwi_load_json_array(&g->json, object, "weights");
    const cJSON *item = array ? array->child : NULL;
    for (uint32_t n = 0; n < count && item; n++, item = item->next) {
        out[n] = (float)item->valuedouble;
        if (!cJSON_IsNumber(item) || mrwi_load_first_nonfinite(&out[n], 1) == 0) {
            mrwi_load_json_fail(&g->json, "\"weights\" must be finite numbers");
            return false;
        }
    }
    return array;
}

static void read_transform(mrwi_load_gltf *g, const cJSON *entry, mrwi_scene_node_input *in)
{
    const mrw_transform rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    in->rest = rest;
    in->is_matrix = mrwi_load_json_floats(&g->json, entry, "matrix", in->matrix.m, 16);
    mrwi_load_json_floats(&g->json, entry, "translation", in->rest.translation, 3);
    mrwi_load_json_floats(&g->json, entry, "rotation", in->rest.rotation, 4);
    mrwi_load_json_floats(&g->json, entry, "scale", in->rest.scale, 3);
    float *m = in->matrix.m;
    if (in->is_matrix && (m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f)) {
        mrwi_scene_builder_warn(g->builder, "%s: the last row of its matrix is taken as 0 0 0 1",
                                g->json.where);
        m[3] = m[7] = m[11] = 0.0f;
        m[15] = 1.0f;
    }
}

static bool push_node(mrwi_load_gltf *g, uint32_t index)
{
    const mrwi_load_gltf_node *node = &g->node_data[index];
    const cJSON *entry = g->nodes.items[index];
    mrwi_scene_node_input in;
    memset(&in, 0, sizeof in);
    in.name = mrwi_load_json_string(&g->json, entry, "name");
    in.parent = node->parent;
    read_transform(g, entry, &in);
    if (node->weight_count > 0) {
        float *weights = mrwi_load_gltf_charge(g, node->weight_count)
                             ? mrwi_load_gltf_scratch(g, node->weight_count, sizeof *weights)
                             : NULL;
        if (!weights) {
            return false;
        }
        memset(weights, 0, node->weight_count * sizeof *weights);
        if (!read_weights(g, entry, weights, node->weight_count)) {
            read_weights(g, g->meshes.items[node->mesh], weights, node->weight_count);
        }
        in.weights = weights;
        in.weight_count = node->weight_count;
    }
    uint32_t pushed;
    return mrwi_load_gltf_good(g) &&
           mrwi_load_json_ok(&g->json,
                             mrwi_scene_builder_node(g->builder, &in, &pushed, g->json.error));
}

bool mrwi_load_gltf_push_nodes(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->nodes.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "node %" PRIu32, i);
        push_node(g, i);
        mrwi_load_json_leave(&g->json, mark);
        mrwi_base_arena_reset(&g->scratch);
    }
    return mrwi_load_gltf_good(g);
}

bool mrwi_load_gltf_push_draws(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->nodes.count && mrwi_load_gltf_good(g); i++) {
        const mrwi_load_gltf_node *node = &g->node_data[i];
        if (!node->reachable || node->mesh == MRW_NONE) {
            continue;
        }
        const mrwi_load_gltf_mesh *mesh = &g->mesh_data[node->mesh];
        mrwi_load_gltf_charge(g, UINT64_C(10) * mesh->primitive_list.count);
        for (uint32_t p = 0; p < mesh->primitive_list.count && mrwi_load_gltf_good(g); p++) {
            if (mesh->primitives[p] == MRW_NONE) {
                continue;
            }
            uint32_t skin = mesh->has_influences[p] ? node->skin : MRW_NONE;
            if (skin == MRW_NONE && node->skin != MRW_NONE) {
                mrwi_scene_builder_warn(g->builder,
                                        "mesh %" PRIu32 " primitive %" PRIu32
                                        " has no JOINTS_0, so it "
                                        "follows node %" PRIu32 " instead of its skin",
                                        node->mesh, p, i);
            }
            mrwi_load_json_ok(&g->json, mrwi_scene_builder_draw(g->builder, i, mesh->primitives[p],
                                                                skin, g->json.error));
        }
    }
    return mrwi_load_gltf_good(g);
}

/* ---- skins ----------------------------------------------------------------------------------- */

/* The inverse bind matrices; *out stays NULL (identities) when the file gives none. */
static bool read_bind(mrwi_load_gltf *g, uint32_t accessor, uint32_t joints, const mrw_mat4 **out)
{
    mrwi_load_accessor a;
    if (accessor == MRW_NONE || !mrwi_load_accessor_open(g, accessor, &a)) {
        return mrwi_load_gltf_good(g);
    }
    if (mrwi_load_accessor_width(&a) != 16 || a.count < joints) {
        mrwi_load_json_fail(
            &g->json, "its inverseBindMatrices, accessor %" PRIu32 ", must be %" PRIu32 " of MAT4",
            accessor, joints);
        return false;
    }
    const float *values = mrwi_load_accessor_floats(g, &a, NULL, joints);
    if (!values) {
        return false;
    }
    size_t bad = mrwi_load_first_nonfinite(values, (size_t)joints * 16);
    if (bad < (size_t)joints * 16) {
        mrwi_load_json_fail(&g->json,
                            "inverse bind matrix %zu, in accessor %" PRIu32 ", is not finite",
                            bad / 16, accessor);
        return false;
    }
    *out = (const mrw_mat4 *)(const void *)values;
    return true;
}

static bool push_skin(mrwi_load_gltf *g, uint32_t index)
{
    const cJSON *entry = g->skins.items[index];
    uint32_t count, pushed;
    const uint32_t *joints = mrwi_load_json_indices(&g->json, &g->scratch, entry, "joints",
                                                    g->nodes.count, "nodes", &count);
    uint32_t accessor = mrwi_load_json_index(&g->json, entry, "inverseBindMatrices",
                                             g->accessors.count, "accessors");
    const char *name = mrwi_load_json_string(&g->json, entry, "name");
    const mrw_mat4 *bind = NULL;
    return mrwi_load_gltf_good(g) && read_bind(g, accessor, count, &bind) &&
           mrwi_load_json_ok(&g->json, mrwi_scene_builder_skin(g->builder, name, joints, bind,
                                                               count, &pushed, g->json.error));
}

bool mrwi_load_gltf_push_skins(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->skins.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "skin %" PRIu32, i);
        push_skin(g, i);
        mrwi_load_json_leave(&g->json, mark);
        mrwi_base_arena_reset(&g->scratch);
    }
    return mrwi_load_gltf_good(g);
}

/* ---- cameras and lights ---------------------------------------------------------------------- */

/* The name of a camera or light, else that of its node. */
static const char *name_or_node(mrwi_load_gltf *g, const cJSON *entry, uint32_t node)
{
    const char *name = mrwi_load_json_string(&g->json, entry, "name");
    return name && name[0] != '\0' ? name
                                   : mrwi_load_json_string(&g->json, g->nodes.items[node], "name");
}

static bool read_perspective(mrwi_load_gltf *g, const cJSON *p, mrw_scene_camera *out)
{
    out->yfov = (float)mrwi_load_json_number(&g->json, p, "yfov", 0.0);
    out->aspect = (float)mrwi_load_json_number(&g->json, p, "aspectRatio", 0.0);
    return out->yfov > 0.0f && out->yfov < (float)MRWI_BASE_PI && out->aspect >= 0.0f &&
           out->near_plane > 0.0f && (out->far_plane == 0.0f || out->far_plane > out->near_plane);
}

static bool read_orthographic(mrwi_load_gltf *g, const cJSON *p, mrw_scene_camera *out)
{
    out->orthographic = 1;
    out->xmag = (float)mrwi_load_json_number(&g->json, p, "xmag", 0.0);
    out->ymag = (float)mrwi_load_json_number(&g->json, p, "ymag", 0.0);
    return out->xmag > 0.0f && out->ymag > 0.0f && out->near_plane >= 0.0f &&
           out->far_plane > out->near_plane;
}

static void push_camera(mrwi_load_gltf *g, uint32_t node, uint32_t index)
{
    mrw_scene_camera camera;
    memset(&camera, 0, sizeof camera);
    camera.node = node;
    const cJSON *entry = g->cameras.items[index];
    const char *type = mrwi_load_json_string(&g->json, entry, "type");
    bool orthographic = type && strcmp(type, "orthographic") == 0;
    const cJSON *p =
        mrwi_load_json_object(&g->json, entry, orthographic ? "orthographic" : "perspective");
    camera.near_plane = (float)mrwi_load_json_number(&g->json, p, "znear", 0.0);
    camera.far_plane = (float)mrwi_load_json_number(&g->json, p, "zfar", 0.0);
    bool legal = orthographic ? read_orthographic(g, p, &camera) : read_perspective(g, p, &camera);
    const char *name = name_or_node(g, entry, node);
    if (!mrwi_load_gltf_good(g)) {
        return;
    }
    if (!legal) {
        mrwi_scene_builder_warn(g->builder,
                                "camera %" PRIu32 " has an impossible angle, size or range "
                                "and is left out",
                                index);
        return;
    }
    mrwi_load_json_ok(&g->json,
                      mrwi_scene_builder_camera(g->builder, name, &camera, g->json.error));
}

static bool read_light(mrwi_load_gltf *g, const cJSON *entry, mrw_scene_light *out)
{
    static const char *const types[] = {"directional", "point", "spot"};
    const char *type = mrwi_load_json_string(&g->json, entry, "type");
    uint32_t t = 0;
    while (t < 3 && (!type || strcmp(type, types[t]) != 0)) {
        t++;
    }
    const cJSON *spot = mrwi_load_json_object(&g->json, entry, "spot");
    out->type = t;
    out->color[0] = out->color[1] = out->color[2] = 1.0f;
    mrwi_load_json_floats(&g->json, entry, "color", out->color, 3);
    out->intensity = (float)mrwi_load_json_number(&g->json, entry, "intensity", 1.0);
    out->range = (float)mrwi_load_json_number(&g->json, entry, "range", 0.0);
    out->inner_cone = (float)mrwi_load_json_number(&g->json, spot, "innerConeAngle", 0.0);
    out->outer_cone =
        (float)mrwi_load_json_number(&g->json, spot, "outerConeAngle", MRWI_BASE_PI / 4);
    return t < 3 && out->intensity >= 0.0f && out->range >= 0.0f && out->inner_cone >= 0.0f &&
           out->outer_cone >= out->inner_cone;
}

static void push_light(mrwi_load_gltf *g, uint32_t node, uint32_t index)
{
    mrw_scene_light light;
    memset(&light, 0, sizeof light);
    light.node = node;
    const cJSON *entry = g->lights.items[index];
    bool legal = read_light(g, entry, &light);
    const char *name = name_or_node(g, entry, node);
    if (!mrwi_load_gltf_good(g)) {
        return;
    }
    if (!legal) {
        mrwi_scene_builder_warn(g->builder,
                                "light %" PRIu32 " has an unknown type or an impossible "
                                "value and is left out",
                                index);
        return;
    }
    mrwi_load_json_ok(&g->json, mrwi_scene_builder_light(g->builder, name, &light, g->json.error));
}

static void push_views_of_node(mrwi_load_gltf *g, uint32_t node)
{
    const cJSON *entry = g->nodes.items[node];
    const cJSON *punctual = mrwi_load_json_extension(&g->json, entry, "KHR_lights_punctual");
    uint32_t camera = mrwi_load_json_index(&g->json, entry, "camera", g->cameras.count, "cameras");
    uint32_t light = mrwi_load_json_index(&g->json, punctual, "light", g->lights.count, "lights");
    if (camera != MRW_NONE) {
        push_camera(g, node, camera);
    }
    if (light != MRW_NONE) {
        push_light(g, node, light);
    }
}

bool mrwi_load_gltf_push_views(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->nodes.count && mrwi_load_gltf_good(g); i++) {
        if (g->node_data[i].reachable) {
            size_t mark = mrwi_load_json_enter(&g->json, "node %" PRIu32, i);
            push_views_of_node(g, i);
            mrwi_load_json_leave(&g->json, mark);
        }
    }
    return mrwi_load_gltf_good(g);
}
