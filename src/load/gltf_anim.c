/* gltf_anim.c: reads the animations of a glTF file. */
#include "load/gltf.h"

#include <inttypes.h>
#include <string.h>

static const mrwi_load_gltf_target no_target = {
    .node = MRW_NONE, .mesh = MRW_NONE, .material = MRW_NONE};

/* Reads a channel's target. It becomes no_target, with a warning, if marrow does not animate it. */
static bool read_target(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                        mrwi_scene_builder *builder, const cJSON *target,
                        mrwi_load_gltf_target *out)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const char *path = mrwi_load_json_string(json, target, "path");
    uint32_t node = mrwi_load_json_index(json, target, "node", document->nodes.count, "nodes");
    *out = no_target;
    for (uint32_t i = 0; path && i < 4; i++) {
        if (strcmp(path, paths[i]) == 0) {
            out->node = node;
            out->path = (mrw_path)i;
            return mrwi_load_json_good(json);
        }
    }
    if (!path) {
        mrwi_load_json_fail(json, "its target has no \"path\"");
    } else if (strcmp(path, "pointer") == 0) {
        return mrwi_load_gltf_read_pointer(json, document, builder, target, out);
    } else {
        mrwi_scene_builder_warn(
            builder, "%s animates something other than a node (unknown path) and is ignored",
            json->where);
    }
    return mrwi_load_json_good(json);
}

static bool read_interpolation(mrwi_load_json *json, const cJSON *sampler, mrw_interpolation *out)
{
    static const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const char *name = mrwi_load_json_string(json, sampler, "interpolation");
    *out = MRW_INTERPOLATION_LINEAR;
    for (int i = 0; name && i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (mrw_interpolation)i;
            return true;
        }
    }
    if (name) {
        mrwi_load_json_fail(json, "\"interpolation\" must be STEP, LINEAR or CUBICSPLINE");
    }
    return mrwi_load_json_good(json);
}

/* Reads the times of keys, and their number. NULL after a failure. */
static const double *read_times(mrwi_load_gltf_file *file, uint32_t accessor, uint32_t *count)
{
    mrwi_load_accessor a;
    if (!mrwi_load_accessor_open(file, accessor, &a)) {
        return NULL;
    }
    if (mrwi_load_accessor_width(&a) != 1) {
        mrwi_load_json_fail(&file->json, "its input, accessor %" PRIu32 ", must be SCALAR",
                            accessor);
        return NULL;
    }
    const float *values = mrwi_load_accessor_floats(file, &a, NULL, a.count);
    double *times = mrwi_load_gltf_scratch(file, a.count, sizeof *times);
    if (!values || !times) {
        return NULL;
    }
    for (uint32_t i = 0; i < a.count; i++) {
        times[i] = (double)values[i];
    }
    *count = a.count;
    return times;
}

/* Reads the values of a channel whose keys are counted. NULL after a failure. */
static const float *read_values(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                uint32_t accessor, const mrwi_scene_channel_input *in)
{
    mrwi_load_accessor a;
    if (!mrwi_load_accessor_open(file, accessor, &a)) {
        return NULL;
    }
    uint32_t row = in->path == MRW_PATH_WEIGHTS ? 1 : in->width;
    uint64_t values = in->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
    uint64_t needed = values * in->key_count * (in->width / row);
    if (mrwi_load_accessor_width(&a) != row || a.count < needed) {
        mrwi_load_json_fail(&file->json,
                            "its output, accessor %" PRIu32 ", has %" PRIu32 " elements of %" PRIu32
                            " numbers; its keys need %" PRIu64 " of %" PRIu32,
                            accessor, a.count, mrwi_load_accessor_width(&a), needed, row);
        return NULL;
    }
    if (a.count > needed) {
        mrwi_scene_builder_warn(builder,
                                "%s: its output, accessor %" PRIu32
                                ", has more values than its keys need; the rest are ignored",
                                file->json.where, accessor);
    }
    /* Integers are fractions for properties with a range of 1, whether the file says so or not. */
    if (in->path == MRW_PATH_ROTATION || in->path == MRW_PATH_WEIGHTS) {
        a.normalized = a.type != MRWI_LOAD_FLOAT;
    }
    return mrwi_load_accessor_floats(file, &a, NULL, (uint32_t)needed);
}

bool mrwi_load_gltf_read_sampler(mrwi_load_gltf_file *file, mrwi_scene_builder *builder,
                                 const cJSON *sampler, mrwi_scene_channel_input *in)
{
    mrwi_load_json *json = &file->json;
    uint32_t count = file->document->accessors.count;
    uint32_t input = mrwi_load_json_index(json, sampler, "input", count, "accessors");
    uint32_t output = mrwi_load_json_index(json, sampler, "output", count, "accessors");
    if (input == MRW_NONE || output == MRW_NONE) {
        mrwi_load_json_fail(json, "its sampler lacks \"input\" or \"output\"");
    }
    if (!mrwi_load_json_good(json) || !read_interpolation(json, sampler, &in->interpolation)) {
        return false;
    }
    in->times = read_times(file, input, &in->key_count);
    in->values = in->times ? read_values(file, builder, output, in) : NULL;
    return in->values;
}

/* Keeps the values of keys and drops their tangents. */
static void take_as_steps(mrwi_scene_channel_input *in)
{
    float *values = (float *)(uintptr_t)in->values; /* scratch memory of read_values */
    for (uint32_t i = 0; in->interpolation == MRW_INTERPOLATION_CUBICSPLINE && i < in->key_count;
         i++) {
        values[i] = values[3 * (size_t)i + 1];
    }
    in->interpolation = MRW_INTERPOLATION_STEP;
}

static bool push_node_channel(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                              mrwi_scene_builder *builder, const cJSON *sampler, uint32_t node,
                              mrw_path path)
{
    mrwi_load_json *json = &file->json;
    static const uint32_t widths[] = {3, 4, 3, 0, 1};
    mrwi_scene_channel_input in;
    memset(&in, 0, sizeof in);
    in.node = node;
    in.path = path;
    in.width = path == MRW_PATH_WEIGHTS ? tree->nodes[node].weight_count : widths[path];
    if (in.width == 0) {
        mrwi_scene_builder_warn(builder,
                                "%s animates the weights of node %" PRIu32
                                ", which has no morph targets, and is ignored",
                                json->where, node);
        return true;
    }
    if (!mrwi_load_gltf_read_sampler(file, builder, sampler, &in)) {
        return false;
    }
    if (path == MRW_PATH_VISIBILITY && in.interpolation != MRW_INTERPOLATION_STEP) {
        mrwi_scene_builder_warn(builder,
                                "%s animates the visibility of node %" PRIu32
                                ", which has no in-between values: it is taken as STEP",
                                json->where, node);
        take_as_steps(&in);
    }
    if (in.key_count == 0) {
        mrwi_scene_builder_warn(builder, "%s has no keys and is ignored", json->where);
        return true;
    }
    return mrwi_load_json_ok(json, mrwi_scene_builder_channel(builder, &in, json->error));
}

/* Pushes channels for a mesh's weights: for each node that has no weights of its own. */
static bool push_mesh_channel(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                              mrwi_scene_builder *builder, const cJSON *sampler, uint32_t mesh)
{
    const mrwi_load_gltf_document *document = file->document;
    mrwi_load_json *json = &file->json;
    if (!mrwi_load_gltf_charge(file, document->nodes.count)) {
        return false;
    }
    for (uint32_t i = 0; i < document->nodes.count && mrwi_load_json_good(json); i++) {
        if (tree->nodes[i].mesh == mesh &&
            !mrwi_load_json_array(json, document->nodes.items[i], "weights")) {
            push_node_channel(file, tree, builder, sampler, i, MRW_PATH_WEIGHTS);
            mrwi_base_arena_reset(&file->scratch);
        }
    }
    return mrwi_load_json_good(json);
}

/* The current animation. */
typedef struct animation {
    mrwi_load_json_list samplers, channels;
    mrwi_base_arena keep;
    mrwi_load_gltf_animated animated;
} animation;

static bool push_channel(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree, animation *of,
                         mrwi_scene_builder *builder, const cJSON *entry)
{
    mrwi_load_json *json = &file->json;
    const mrwi_load_json_list *samplers = &of->samplers;
    const cJSON *target = mrwi_load_json_object(json, entry, "target");
    uint32_t sampler = mrwi_load_json_index(json, entry, "sampler", samplers->count, "samplers");
    mrwi_load_gltf_target what = no_target;
    bool good = !target || read_target(json, file->document, builder, target, &what);
    if (sampler == MRW_NONE || !target) {
        mrwi_load_json_fail(json, "it lacks \"sampler\" or \"target\"");
    }
    if (!good || !mrwi_load_json_good(json)) {
        return false;
    }
    if (what.mesh != MRW_NONE) {
        return push_mesh_channel(file, tree, builder, samplers->items[sampler], what.mesh);
    }
    if (what.material != MRW_NONE) {
        return mrwi_load_gltf_push_material_channel(file, &of->keep, &of->animated, builder,
                                                    samplers->items[sampler], &what);
    }
    /* A channel without a node is for extensions and to be ignored (glTF 2.0, 3.11). */
    return what.node == MRW_NONE ||
           push_node_channel(file, tree, builder, samplers->items[sampler], what.node, what.path);
}

static void push_animation(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                           const mrwi_load_gltf_materials *materials, mrwi_scene_builder *builder,
                           uint32_t index)
{
    mrwi_load_json *json = &file->json;
    const cJSON *entry = file->document->animations.items[index];
    animation of = {.animated = {.materials = materials}};
    of.samplers = mrwi_load_json_objects(json, &of.keep, entry, "samplers");
    of.channels = mrwi_load_json_objects(json, &of.keep, entry, "channels");
    of.animated.room = of.channels.count;
    const char *name = mrwi_load_json_string(json, entry, "name");
    if (mrwi_load_json_good(json)) {
        mrwi_load_json_ok(json, mrwi_scene_builder_clip(builder, name, 0.0, json->error));
    }
    for (uint32_t i = 0; i < of.channels.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "channel %" PRIu32, i);
        push_channel(file, tree, &of, builder, of.channels.items[i]);
        mrwi_load_json_leave(json, mark);
        mrwi_base_arena_reset(&file->scratch);
    }
    if (mrwi_load_json_good(json)) {
        mrwi_load_gltf_complete_materials(file, &of.animated, builder);
    }
    mrwi_base_arena_free(&of.keep);
}

bool mrwi_load_gltf_push_animations(mrwi_load_gltf_file *file, const mrwi_load_gltf_tree *tree,
                                    const mrwi_load_gltf_materials *materials,
                                    mrwi_scene_builder *builder)
{
    mrwi_load_json *json = &file->json;
    for (uint32_t i = 0; i < file->document->animations.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "animation %" PRIu32, i);
        push_animation(file, tree, materials, builder, i);
        mrwi_load_progress_add(&file->progress, 1);
        mrwi_load_json_leave(json, mark);
    }
    return mrwi_load_json_good(json);
}
