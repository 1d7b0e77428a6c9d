/* gltf_anim.c: animations of a glTF file. */
#include "load/gltf.h"

#include <inttypes.h>
#include <string.h>

/* What a channel's target names. Nothing, with a warning, where that is none of ours. */
static bool read_target(mrwi_load_gltf *g, const cJSON *target, mrwi_load_gltf_target *out)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const char *path = mrwi_load_json_string(&g->json, target, "path");
    uint32_t node = mrwi_load_json_index(&g->json, target, "node", g->nodes.count, "nodes");
    *out = (mrwi_load_gltf_target){MRW_NONE, MRW_NONE, MRW_PATH_TRANSLATION};
    for (uint32_t i = 0; path && i < 4; i++) {
        if (strcmp(path, paths[i]) == 0) {
            *out = (mrwi_load_gltf_target){node, MRW_NONE, (mrw_path)i};
            return mrwi_load_gltf_good(g);
        }
    }
    if (!path) {
        mrwi_load_json_fail(&g->json, "its target has no \"path\"");
    } else if (strcmp(path, "pointer") == 0) {
        return mrwi_load_gltf_read_pointer(g, target, out);
    } else {
        mrwi_scene_builder_warn(
            g->builder, "%s animates something else than a node (unknown path) and is left out",
            g->json.where);
    }
    return mrwi_load_gltf_good(g);
}

static bool read_interpolation(mrwi_load_gltf *g, const cJSON *sampler, mrw_interpolation *out)
{
    static const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const char *name = mrwi_load_json_string(&g->json, sampler, "interpolation");
    *out = MRW_INTERPOLATION_LINEAR;
    for (int i = 0; name && i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (mrw_interpolation)i;
            return true;
        }
    }
    if (name) {
        mrwi_load_json_fail(&g->json, "\"interpolation\" must be STEP, LINEAR or CUBICSPLINE");
    }
    return mrwi_load_gltf_good(g);
}

static bool read_times(mrwi_load_gltf *g, uint32_t accessor, mrwi_scene_channel_input *in)
{
    mrwi_load_accessor a;
    if (!mrwi_load_accessor_open(g, accessor, &a)) {
        return false;
    }
    if (mrwi_load_accessor_width(&a) != 1) {
        mrwi_load_json_fail(&g->json, "its input, accessor %" PRIu32 ", must be SCALAR", accessor);
        return false;
    }
    const float *values = mrwi_load_accessor_floats(g, &a, NULL, a.count);
    double *times = mrwi_load_gltf_scratch(g, a.count, sizeof *times);
    if (!values || !times) {
        return false;
    }
    for (uint32_t i = 0; i < a.count; i++) {
        times[i] = (double)values[i];
    }
    in->times = times;
    in->key_count = a.count;
    return true;
}

static bool read_values(mrwi_load_gltf *g, uint32_t accessor, mrwi_scene_channel_input *in)
{
    mrwi_load_accessor a;
    if (!mrwi_load_accessor_open(g, accessor, &a)) {
        return false;
    }
    uint32_t row = in->path == MRW_PATH_WEIGHTS ? 1 : in->width;
    uint64_t values = in->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    uint64_t needed = values * in->key_count * (in->width / row);
    if (mrwi_load_accessor_width(&a) != row || a.count < needed) {
        mrwi_load_json_fail(&g->json,
                            "its output, accessor %" PRIu32 ", has %" PRIu32 " elements of %" PRIu32
                            " numbers; its keys need %" PRIu64 " of %" PRIu32,
                            accessor, a.count, mrwi_load_accessor_width(&a), needed, row);
        return false;
    }
    if (a.count > needed) {
        mrwi_scene_builder_warn(g->builder,
                                "%s: its output, accessor %" PRIu32 ", is longer than its "
                                "keys; the rest is left out",
                                g->json.where, accessor);
    }
    /* Integers stand for fractions where the value is one, whether the file says so or not. */
    if (in->path == MRW_PATH_ROTATION || in->path == MRW_PATH_WEIGHTS) {
        a.normalized = a.type != MRWI_LOAD_FLOAT;
    }
    in->values = mrwi_load_accessor_floats(g, &a, NULL, (uint32_t)needed);
    return in->values;
}

static bool read_sampler(mrwi_load_gltf *g, const cJSON *sampler, mrwi_scene_channel_input *in)
{
    uint32_t count = g->accessors.count;
    uint32_t input = mrwi_load_json_index(&g->json, sampler, "input", count, "accessors");
    uint32_t output = mrwi_load_json_index(&g->json, sampler, "output", count, "accessors");
    if (input == MRW_NONE || output == MRW_NONE) {
        mrwi_load_json_fail(&g->json, "its sampler lacks \"input\" or \"output\"");
    }
    return mrwi_load_gltf_good(g) && read_interpolation(g, sampler, &in->interpolation) &&
           read_times(g, input, in) && read_values(g, output, in);
}

static bool push_node_channel(mrwi_load_gltf *g, const cJSON *sampler, uint32_t node, mrw_path path)
{
    static const uint32_t widths[] = {3, 4, 3, 0};
    mrwi_scene_channel_input in;
    memset(&in, 0, sizeof in);
    in.node = node;
    in.path = path;
    in.width = path == MRW_PATH_WEIGHTS ? g->node_data[node].weight_count : widths[path];
    if (in.width == 0) {
        mrwi_scene_builder_warn(g->builder,
                                "%s animates the weights of node %" PRIu32 ", which has no "
                                "morph targets, and is left out",
                                g->json.where, node);
        return true;
    }
    if (!read_sampler(g, sampler, &in)) {
        return false;
    }
    if (in.key_count == 0) {
        mrwi_scene_builder_warn(g->builder, "%s has no keys and is left out", g->json.where);
        return true;
    }
    return mrwi_load_json_ok(&g->json, mrwi_scene_builder_channel(g->builder, &in, g->json.error));
}

/* The weights of a mesh are those of the nodes that have none of their own. */
static bool push_mesh_channel(mrwi_load_gltf *g, const cJSON *sampler, uint32_t mesh)
{
    if (!mrwi_load_gltf_charge(g, g->nodes.count)) {
        return false;
    }
    for (uint32_t i = 0; i < g->nodes.count && mrwi_load_gltf_good(g); i++) {
        if (g->node_data[i].mesh == mesh &&
            !mrwi_load_json_array(&g->json, g->nodes.items[i], "weights")) {
            push_node_channel(g, sampler, i, MRW_PATH_WEIGHTS);
            mrwi_base_arena_reset(&g->scratch);
        }
    }
    return mrwi_load_gltf_good(g);
}

static bool push_channel(mrwi_load_gltf *g, const cJSON *entry, const mrwi_load_json_list *samplers)
{
    mrwi_load_json *json = &g->json;
    const cJSON *target = mrwi_load_json_object(json, entry, "target");
    uint32_t sampler = mrwi_load_json_index(json, entry, "sampler", samplers->count, "samplers");
    mrwi_load_gltf_target what = {MRW_NONE, MRW_NONE, MRW_PATH_TRANSLATION};
    bool good = !target || read_target(g, target, &what);
    if (sampler == MRW_NONE || !target) {
        mrwi_load_json_fail(json, "it lacks \"sampler\" or \"target\"");
    }
    if (!good || !mrwi_load_gltf_good(g)) {
        return false;
    }
    if (what.mesh != MRW_NONE) {
        return push_mesh_channel(g, samplers->items[sampler], what.mesh);
    }
    /* A channel without a node is for extensions and to be ignored (glTF 2.0, 3.11). */
    return what.node == MRW_NONE ||
           push_node_channel(g, samplers->items[sampler], what.node, what.path);
}

static void push_animation(mrwi_load_gltf *g, uint32_t index)
{
    const cJSON *entry = g->animations.items[index];
    mrwi_base_arena lists = {0};
    mrwi_load_json_list samplers = mrwi_load_json_objects(&g->json, &lists, entry, "samplers");
    mrwi_load_json_list channels = mrwi_load_json_objects(&g->json, &lists, entry, "channels");
    const char *name = mrwi_load_json_string(&g->json, entry, "name");
    if (mrwi_load_gltf_good(g)) {
        mrwi_load_json_ok(&g->json, mrwi_scene_builder_clip(g->builder, name, 0.0, g->json.error));
    }
    for (uint32_t i = 0; i < channels.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "channel %" PRIu32, i);
        push_channel(g, channels.items[i], &samplers);
        mrwi_load_json_leave(&g->json, mark);
        mrwi_base_arena_reset(&g->scratch);
    }
    mrwi_base_arena_free(&lists);
}

bool mrwi_load_gltf_push_animations(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->animations.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "animation %" PRIu32, i);
        push_animation(g, i);
        mrwi_load_json_leave(&g->json, mark);
    }
    return mrwi_load_gltf_good(g);
}
