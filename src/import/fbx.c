/* fbx.c: specific work for FBX files as assimp 5.2 delivers them.
 *
 * With its pivots preserved, a model becomes a chain of nodes, one for each part of its transform
 * that is not the identity:
 *
 *   Name_$AssimpFbx$_Translation . _RotationOffset . _RotationPivot . _PreRotation . _Rotation
 *   . _PostRotation . _RotationPivotInverse . _ScalingOffset . _ScalingPivot . _Scaling
 *   . _ScalingPivotInverse . _GeometricTranslation . _GeometricRotation . _GeometricScaling . Name
 *
 * and, above its children, _GeometricScalingInverse and the other two. Axes and unit stay in the
 * metadata. Three things are left to the reader of the scene:
 *
 *   F1  a channel of the plain Name holds the whole transform, so that the links above it count as
 *       identity while that clip plays;
 *   F2  a bone's offset matrix lacks the geometric part of the mesh it deforms;
 *   F3  a node of InheritType 2 does not inherit its parent's own scale. */
#include "base/math.h"
#include "import/import.h"

#include <assimp/anim.h>
#include <assimp/metadata.h>
#include <string.h>

#define LINK_TAG       "_$AssimpFbx$_"
#define INHERIT_RRS    2.0 /* FbxTransform::eInheritRrs */
#define SCALE_EPSILON  1e-6f
#define MAX_BAKED_STEP 256 /* most keys for one segment of an animated inverse scale */

bool mrwi_import_is_link(const char *name)
{
    return strstr(name, LINK_TAG);
}

size_t mrwi_import_model_name(const char *name, const char **kind)
{
    const char *link = strstr(name, LINK_TAG);
    *kind = link ? link + sizeof LINK_TAG - 1 : NULL;
    return link ? (size_t)(link - name) : strlen(name);
}

bool mrwi_import_link_of(const char *link, const char *name, const char **kind)
{
    size_t length = strlen(name);
    if (strncmp(link, name, length) != 0 ||
        strncmp(link + length, LINK_TAG, sizeof LINK_TAG - 1) != 0) {
        return false;
    }
    *kind = link + length + sizeof LINK_TAG - 1;
    return true;
}

/* Returns the chain link of `kind` above a node; MRW_NONE if its chain has none. */
static uint32_t find_link(const mrwi_import_tree *tree, uint32_t node, const char *wanted)
{
    const char *name = tree->nodes[node].name, *kind;
    for (uint32_t i = tree->nodes[node].parent; i != MRW_NONE; i = tree->nodes[i].parent) {
        if (!mrwi_import_link_of(tree->nodes[i].name, name, &kind)) {
            return MRW_NONE;
        }
        if (strcmp(kind, wanted) == 0) {
            return i;
        }
    }
    return MRW_NONE;
}

/* Returns the topmost link of a node's chain, or the node itself. */
static uint32_t chain_head(const mrwi_import_tree *tree, uint32_t node)
{
    const char *kind;
    uint32_t head = node, up = tree->nodes[node].parent;
    while (up != MRW_NONE &&
           mrwi_import_link_of(tree->nodes[up].name, tree->nodes[node].name, &kind)) {
        head = up;
        up = tree->nodes[up].parent;
    }
    return head;
}

/* ---- axes and unit --------------------------------------------------------------------------- */

/* Reads one row of the matrix: the axis of the file that becomes an axis of the world. */
static bool read_axis(const struct aiMetadata *metadata, const char *axis_key, const char *sign_key,
                      int row, mrw_mat4 *out)
{
    double axis, sign;
    if (!mrwi_import_number(metadata, axis_key, &axis) ||
        !mrwi_import_number(metadata, sign_key, &sign) ||
        !(axis == 0.0 || axis == 1.0 || axis == 2.0)) {
        return false;
    }
    out->m[4 * (int)mrwi_base_to_u32(axis) + row] = sign < 0.0 ? -1.0f : 1.0f;
    return true;
}

bool mrwi_import_fbx_axes(const mrwi_import_source *source, mrwi_scene_builder *builder,
                          float *unit, mrw_mat4 *out)
{
    const struct aiMetadata *metadata = source->scene->mMetaData;
    double centimetres = 1.0;
    if (!source->is_fbx) {
        return false;
    }
    memset(out, 0, sizeof *out);
    out->m[15] = 1.0f;
    bool good = read_axis(metadata, "CoordAxis", "CoordAxisSign", 0, out) &&
                read_axis(metadata, "UpAxis", "UpAxisSign", 1, out) &&
                read_axis(metadata, "FrontAxis", "FrontAxisSign", 2, out);
    if (!good || mrwi_base_mat4_det3(out) == 0.0f) {
        mrwi_scene_builder_warn(builder, "its axes are not fully declared; Y is taken as up");
        *out = mrwi_base_mat4_identity();
    }
    mrwi_import_number(metadata, "UnitScaleFactor", &centimetres);
    if (!(centimetres > 1e-9 && centimetres < 1e9)) {
        mrwi_scene_builder_warn(builder, "its unit is out of range; centimetres are assumed");
        centimetres = 1.0;
    }
    *unit = (float)(centimetres / 100.0);
    for (int i = 0; i < 12; i++) {
        out->m[i] *= *unit;
    }
    return true;
}

/* ---- F2 -------------------------------------------------------------------------------------- */

bool mrwi_import_fbx_geometric(const mrwi_import_tree *tree, uint32_t node, mrw_mat4 *out)
{
    const char *kind;
    bool any = false;
    *out = mrwi_base_mat4_identity();
    if (!tree->source->is_fbx) {
        return false;
    }
    for (uint32_t i = tree->nodes[node].parent; i != MRW_NONE; i = tree->nodes[i].parent) {
        if (!mrwi_import_link_of(tree->nodes[i].name, tree->nodes[node].name, &kind)) {
            break;
        }
        if (strncmp(kind, "Geometric", 9) == 0) {
            mrw_mat4 below = *out;
            mrwi_base_mat4_mul(&tree->nodes[i].to_parent, &below, out);
            any = true;
        }
    }
    return any;
}

/* ---- F3: which nodes need a helper ----------------------------------------------------------- */

static bool differs_from_one(const struct aiVector3D *v)
{
    return fabsf(v->x - 1.0f) > SCALE_EPSILON || fabsf(v->y - 1.0f) > SCALE_EPSILON ||
           fabsf(v->z - 1.0f) > SCALE_EPSILON;
}

/* Marks nodes whose scale some clip changes from one. */
static void mark_scaled(const mrwi_import_tree *tree, const struct aiNodeAnim *channel,
                        uint8_t *scaled)
{
    uint32_t node =
        channel ? mrwi_import_find(tree, mrwi_import_text(&channel->mNodeName)) : MRW_NONE;
    if (node == MRW_NONE || !channel->mScalingKeys) {
        return;
    }
    for (unsigned i = 0; i < channel->mNumScalingKeys && !scaled[node]; i++) {
        scaled[node] = differs_from_one(&channel->mScalingKeys[i].mValue);
    }
}

static uint8_t *find_scaled(const mrwi_import_tree *tree, mrwi_import_resources *res)
{
    const struct aiScene *scene = tree->source->scene;
    uint8_t *scaled = mrwi_import_keep(res, tree->node_count, 1);
    for (unsigned a = 0; scaled && a < scene->mNumAnimations; a++) {
        const struct aiAnimation *clip = scene->mAnimations[a];
        for (unsigned c = 0; clip && clip->mChannels && c < clip->mNumChannels; c++) {
            mark_scaled(tree, clip->mChannels[c], scaled);
        }
    }
    return scaled;
}

/* Fills *out. Returns false if the parent's scale is always one. */
static bool describe(const mrwi_import_tree *tree, uint32_t node, const uint8_t *scaled,
                     mrwi_import_unscale *out)
{
    uint32_t head = chain_head(tree, node), parent = tree->nodes[head].parent;
    while (parent != MRW_NONE && mrwi_import_is_link(tree->nodes[parent].name)) {
        parent = tree->nodes[parent].parent;
    }
    if (parent == MRW_NONE || tree->nodes[parent].parent == MRW_NONE) { /* the scene's root */
        return false;
    }
    memset(out, 0, sizeof *out);
    out->owner = node;
    out->parent = parent;
    out->parent_link = find_link(tree, parent, "Scaling");
    out->translation = find_link(tree, node, "Translation");
    out->before = out->translation == MRW_NONE ? head : node;
    while (out->translation != MRW_NONE && tree->nodes[out->before].parent != out->translation) {
        out->before = tree->nodes[out->before].parent;
    }
    uint32_t holder = out->parent_link != MRW_NONE ? out->parent_link : parent;
    mrw_transform rest;
    mrwi_base_mat4_decompose(&tree->nodes[holder].to_parent, &rest);
    bool needed = scaled[parent] || scaled[holder];
    for (int c = 0; c < 3; c++) {
        bool usable = isfinite(rest.scale[c]) && fabsf(rest.scale[c]) > 1e-20f;
        out->rest[c] = usable ? rest.scale[c] : 1.0f;
        needed = needed || fabsf(out->rest[c] - 1.0f) > SCALE_EPSILON;
    }
    return needed;
}

bool mrwi_import_fbx_find_unscales(mrwi_import_tree *tree, mrwi_import_resources *res,
                                   uint32_t **above)
{
    bool is_fbx = tree->source->is_fbx;
    double type;
    *above = mrwi_import_keep(res, tree->node_count, sizeof **above);
    uint8_t *scaled = find_scaled(tree, res);
    tree->unscales = mrwi_import_keep(res, is_fbx ? tree->node_count : 0, sizeof *tree->unscales);
    if (!*above || !scaled || !tree->unscales) {
        return false;
    }
    memset(*above, 0xff, tree->node_count * sizeof **above); /* MRW_NONE */
    for (uint32_t i = 0; is_fbx && i < tree->node_count; i++) {
        mrwi_import_unscale *unscale = &tree->unscales[tree->unscale_count];
        if (mrwi_import_number(tree->nodes[i].source->mMetaData, "InheritType", &type) &&
            type == INHERIT_RRS && describe(tree, i, scaled, unscale) &&
            (*above)[unscale->before] == MRW_NONE) {
            (*above)[unscale->before] = tree->unscale_count++;
        }
    }
    return true;
}

/* ---- F1 -------------------------------------------------------------------------------------- */

static bool push_constant(uint32_t node, mrw_path path, const float *value,
                          mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    double time = 0.0;
    float values[4];
    memcpy(values, value, sizeof values);
    const mrwi_import_keys keys = {.count = 1, .times = &time, .values = values};
    return mrwi_import_push_channel(node, path, path == MRW_PATH_ROTATION ? 4 : 3, &keys, res,
                                    builder);
}

/* Holds a link, given by its number in the builder, at identity. If it takes the translation of its
 * node, holds only rotation and scale. */
static bool hold_link(uint32_t link, uint32_t moved_by, mrwi_import_resources *res,
                      mrwi_scene_builder *builder)
{
    static const float zero[4] = {0, 0, 0, 0}, none[4] = {0, 0, 0, 1}, one[4] = {1, 1, 1, 1};
    return (link == moved_by || push_constant(link, MRW_PATH_TRANSLATION, zero, res, builder)) &&
           push_constant(link, MRW_PATH_ROTATION, none, res, builder) &&
           push_constant(link, MRW_PATH_SCALE, one, res, builder);
}

static bool hold_chain(const mrwi_import_tree *tree, uint32_t node,
                       const struct aiNodeAnim *const *channel_of, mrwi_import_resources *res,
                       mrwi_scene_builder *builder)
{
    const char *kind;
    for (uint32_t i = tree->nodes[node].parent; i != MRW_NONE; i = tree->nodes[i].parent) {
        if (!mrwi_import_link_of(tree->nodes[i].name, tree->nodes[node].name, &kind)) {
            break;
        }
        if (!channel_of[i] &&
            !hold_link(tree->nodes[i].pushed, tree->nodes[node].moved_by, res, builder)) {
            return false;
        }
    }
    return true;
}

/* ---- F3: the helpers' channels --------------------------------------------------------------- */

/* Returns the number of linear pieces of 1/s for one linear piece of s, for an error below 1e-6. If
 * r is the ratio of the greater to the lesser value, n pieces are off by at most (r - 1)^2 / (4
 * n^2). */
static uint32_t pieces(const float *from, const float *to)
{
    double most = 1.0;
    for (int c = 0; c < 3; c++) {
        double a = fabs((double)from[c]), b = fabs((double)to[c]);
        double ratio = a < b ? b / a : a / b;
        double needed = (ratio - 1.0) * 500.0;
        most = needed > most ? needed : most;
    }
    return (uint32_t)mrwi_base_round_to_int(ceil(most), 1, MAX_BAKED_STEP);
}

static float inverse_scale(double s)
{
    return fabs(s) > 1e-20 ? (float)(1.0 / s) : 1.0f;
}

static bool bake_inverse(const mrwi_import_keys *in, mrwi_import_resources *res,
                         mrwi_import_keys *out)
{
    uint64_t count = in->count > 0;
    for (uint32_t i = 1; i < in->count; i++) {
        count += pieces(in->values + 3 * (i - 1), in->values + 3 * i);
    }
    *out = (mrwi_import_keys){.count = 0};
    if (!mrwi_import_charge(res, count < MRW_NONE ? count : UINT64_MAX)) {
        return false;
    }
    out->times = mrwi_import_scratch(res, count, sizeof *out->times);
    out->values = mrwi_import_scratch(res, count * 3, sizeof *out->values);
    if (!out->times || !out->values) {
        return false;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        const float *to = in->values + 3 * i, *from = i > 0 ? to - 3 : to;
        uint32_t n = i > 0 ? pieces(from, to) : 1;
        for (uint32_t k = 1; k <= n; k++) {
            double t = (double)k / n, start = i > 0 ? in->times[i - 1] : in->times[0];
            out->times[out->count] = k == n ? in->times[i] : start + (in->times[i] - start) * t;
            for (int c = 0; c < 3; c++) {
                double s = (double)from[c] + ((double)to[c] - (double)from[c]) * t;
                out->values[3 * (size_t)out->count + (size_t)c] = inverse_scale(s);
            }
            out->count++;
        }
    }
    return true;
}

static bool push_unscale(const mrwi_import_unscale *unscale,
                         const struct aiNodeAnim *const *channel_of, double ticks_per_second,
                         mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    const struct aiNodeAnim *channel = channel_of[unscale->parent];
    if (!channel && unscale->parent_link != MRW_NONE) {
        channel = channel_of[unscale->parent_link];
    }
    if (!channel || !channel->mScalingKeys || channel->mNumScalingKeys == 0) {
        return true;
    }
    mrwi_import_keys scales, inverse;
    mrwi_base_arena_reset(&res->scratch);
    return mrwi_import_vector_keys(channel->mScalingKeys, channel->mNumScalingKeys,
                                   ticks_per_second, res, &scales) &&
           bake_inverse(&scales, res, &inverse) &&
           mrwi_import_push_channel(unscale->helper, MRW_PATH_SCALE, 3, &inverse, res, builder);
}

bool mrwi_import_fbx_push_implied(const mrwi_import_tree *tree,
                                  const struct aiNodeAnim *const *channel_of,
                                  double ticks_per_second, mrwi_import_resources *res,
                                  mrwi_scene_builder *builder)
{
    for (uint32_t i = 0; tree->source->is_fbx && i < tree->node_count; i++) {
        if (channel_of[i] && !mrwi_import_is_link(tree->nodes[i].name) &&
            !hold_chain(tree, i, channel_of, res, builder)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < tree->unscale_count; i++) {
        if (!push_unscale(&tree->unscales[i], channel_of, ticks_per_second, res, builder)) {
            return false;
        }
    }
    return true;
}
