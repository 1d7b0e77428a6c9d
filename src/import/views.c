/* views.c: cameras and lights. */
#include "base/math.h"
#include "base/text.h"
#include "import/import.h"

#include <assimp/camera.h>
#include <assimp/commonMetaData.h>
#include <assimp/light.h>
#include <float.h>
#include <string.h>

/* ---- a node that looks along -Z -------------------------------------------------------------- */

static bool near_to(const float *a, const float *b)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabsf(a[i] - b[i]) <= 1e-4f * (1.0f + fabsf(b[i])))) {
            return false;
        }
    }
    return true;
}

static bool near_to_matrix(const mrw_mat4 *a, const mrw_mat4 *b)
{
    return near_to(a->m, b->m) && near_to(a->m + 4, b->m + 4) && near_to(a->m + 8, b->m + 8) &&
           near_to(a->m + 12, b->m + 12);
}

/* A view as assimp places it in the space of its node, or of the root if no node has its name. Some
 * formats repeat the node's translation as the position in it. */
typedef struct placing {
    const char *name;
    const mrwi_import_node *node;
    float at[3], forward[3], up[3];
} placing;

static placing make_placing(const mrwi_import_tree *tree, const char *name, struct aiVector3D at,
                            struct aiVector3D forward, struct aiVector3D up)
{
    const uint32_t found = mrwi_import_find(tree, name);
    const mrwi_import_node *node = &tree->nodes[found != MRW_NONE ? found : 0];
    placing out = {.name = name,
                   .node = node,
                   .at = {at.x, at.y, at.z},
                   .forward = {forward.x, forward.y, forward.z},
                   .up = {up.x, up.y, up.z}};
    if (near_to(out.at, node->to_parent.m + 12) || near_to(out.at, node->to_root.m + 12)) {
        memset(out.at, 0, sizeof out.at);
    }
    return out;
}

/* Makes the matrix whose -Z is `forward` and whose +Y is closest to `up`. Returns false without a
 * direction. */
static bool look(const float position[3], const float forward[3], const float up[3], mrw_mat4 *out)
{
    float x[3], y[3], z[3] = {-forward[0], -forward[1], -forward[2]};
    if (!mrwi_base_normalize3(z)) {
        return false;
    }
    mrwi_base_cross3(up, z, x);
    if (!mrwi_base_normalize3(x)) { /* up is along the view: any other axis */
        const float other[3] = {fabsf(z[0]) > 0.7f ? 0.0f : 1.0f, 0, fabsf(z[0]) > 0.7f ? 1.0f : 0};
        mrwi_base_cross3(other, z, x);
        mrwi_base_normalize3(x);
    }
    mrwi_base_cross3(z, x, y);
    *out = mrwi_import_rotation(x, y, z, position);
    return true;
}

/* Returns the node itself if it already looks the right way, else a child of it. */
static bool push_view_node(const mrwi_import_source *source, const placing *view,
                           mrwi_import_resources *res, mrwi_scene_builder *builder, uint32_t *out)
{
    const mrw_mat4 identity = mrwi_base_mat4_identity();
    const mrwi_import_node *owner = view->node;
    mrwi_scene_node_input in = {.name = view->name, .parent = owner->pushed};
    *out = owner->pushed;
    if (!look(view->at, view->forward, view->up, &in.matrix) ||
        near_to_matrix(&in.matrix, &identity)) {
        return true;
    }
    return mrwi_import_push_node(source, &in, res, builder, out);
}

/* ---- cameras --------------------------------------------------------------------------------- */

/* Returns the vertical angle. assimp's angle is the full horizontal one. Without an aspect the
 * picture's is used, and a square one to convert the angle. */
static float vertical_angle(double horizontal, double aspect)
{
    double tangent = mrwi_base_tan(0.5 * horizontal) / (aspect > 0.0 ? aspect : 1.0);
    return (float)(2.0 * mrwi_base_atan2(tangent, 1.0));
}

/* Describes a camera. Near and far are lengths of the file, which the node's scale does not
 * change. */
static mrw_scene_camera describe_camera(const struct aiCamera *from, float unit)
{
    mrw_scene_camera out;
    memset(&out, 0, sizeof out);
    out.aspect = from->mAspect > 0.0f && isfinite(from->mAspect) ? from->mAspect : 0.0f;
    out.near_plane = from->mClipPlaneNear * unit;
    out.far_plane = from->mClipPlaneFar * unit;
    if (!(out.near_plane > 0.0f)) {
        out.near_plane = 0.01f;
    }
    if (!(out.far_plane > out.near_plane)) {
        out.far_plane = 0.0f;
    }
    if (from->mOrthographicWidth > 0.0f) {
        out.orthographic = 1;
        out.xmag = from->mOrthographicWidth * unit;
        out.ymag = out.aspect > 0.0f ? out.xmag / out.aspect : out.xmag;
        out.far_plane = out.far_plane > 0.0f ? out.far_plane : out.near_plane + 1000.0f;
    } else {
        out.yfov = vertical_angle((double)from->mHorizontalFOV, (double)out.aspect);
    }
    return out;
}

static bool push_camera(const mrwi_import_tree *tree, const struct aiCamera *from,
                        mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    const char *name = mrwi_import_text(&from->mName);
    const placing view = make_placing(tree, name, from->mPosition, from->mLookAt, from->mUp);
    mrw_scene_camera camera = describe_camera(from, tree->unit);
    return push_view_node(tree->source, &view, res, builder, &camera.node) &&
           mrwi_import_ok(res, mrwi_scene_builder_camera(
                                   builder, mrwi_import_unmarked(tree->source, name, res), &camera,
                                   res->error));
}

/* ---- how strong lights are ------------------------------------------------------------------- */

/* The scale of lights: these formats have no unit of light. A light of colour 1 lights a white
 * matt surface that faces it to white (COLLADA 1.4.1, <lambert> of profile_COMMON; FBX:
 * Intensity 100 %), pi lux. The light of points and spots falls with the square of the distance
 * in scenes, but not, or otherwise, in files. So their strength is set to match the file at the
 * model: in COLLADA by its attenuation, in others without attenuation, since no two programs
 * agree on the meaning of decay. Blender writes watts from 2.80 on: of a sun per m2, of points
 * and spots in all directions. */
typedef struct light_scale {
    bool watts;
    bool has_middle;
    float middle[3]; /* centre of the model's box at rest, in the space of the root */
    float radius;    /* half of its diagonal */
} light_scale;

static bool is_collada(const mrwi_import_source *source)
{
    return strcmp(source->job->format, "collada") == 0;
}

static bool is_of_watts(const struct aiScene *scene)
{
    double version;
    const char *maker = mrwi_import_word(scene->mMetaData, AI_METADATA_SOURCE_GENERATOR);
    const char *blender = strstr(maker, "Blender");
    if (!blender) {
        return false;
    }
    const char *number = blender + strcspn(blender, "0123456789");
    return mrwi_base_parse_double(number, strlen(number), &version) > 0 && version >= 2.8;
}

typedef struct view_box {
    float least[3];
    float most[3];
} view_box;

static const view_box empty_box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static void add_to_box(view_box *box, const float p[3])
{
    for (int i = 0; i < 3; i++) {
        if (fabsf(p[i]) <= FLT_MAX) {
            box->least[i] = p[i] < box->least[i] ? p[i] : box->least[i];
            box->most[i] = p[i] > box->most[i] ? p[i] : box->most[i];
        }
    }
}

static bool is_empty(const view_box *box)
{
    return !(box->least[0] <= box->most[0] && box->least[1] <= box->most[1] &&
             box->least[2] <= box->most[2]);
}

static void to_root(const mrw_mat4 *matrix, const float in[3], float out[3])
{
    const float *m = matrix->m;
    for (int i = 0; i < 3; i++) {
        out[i] = ((m[i] * in[0] + m[4 + i] * in[1]) + m[8 + i] * in[2]) + m[12 + i];
    }
}

static void add_corners(view_box *box, const view_box *mesh, const mrw_mat4 *mesh_to_root)
{
    for (int corner = 0; corner < 8 && !is_empty(mesh); corner++) {
        float at[3], placed[3];
        for (int i = 0; i < 3; i++) {
            at[i] = corner & 1 << i ? mesh->most[i] : mesh->least[i];
        }
        to_root(mesh_to_root, at, placed);
        add_to_box(box, placed);
    }
}

/* Finds the box of all meshes at rest, from their own boxes. Returns false when out of memory. */
static bool find_box(const mrwi_import_tree *tree, mrwi_import_resources *res, view_box *out)
{
    const struct aiScene *s = tree->source->scene;
    view_box *boxes = mrwi_import_keep(res, s->mNumMeshes, sizeof *boxes);
    *out = empty_box;
    if (!boxes) {
        return false;
    }
    for (unsigned i = 0; i < s->mNumMeshes; i++) {
        const struct aiMesh *mesh = s->mMeshes[i];
        boxes[i] = empty_box;
        for (unsigned v = 0; mesh && mesh->mVertices && v < mesh->mNumVertices; v++) {
            const struct aiVector3D *p = &mesh->mVertices[v];
            const float at[3] = {p->x, p->y, p->z};
            add_to_box(&boxes[i], at);
        }
    }
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct aiNode *node = tree->nodes[n].source;
        for (unsigned k = 0; node->mMeshes && k < node->mNumMeshes; k++) {
            if (node->mMeshes[k] < s->mNumMeshes) {
                add_corners(out, &boxes[node->mMeshes[k]], &tree->nodes[n].to_root);
            }
        }
    }
    return true;
}

static bool find_scale(const mrwi_import_tree *tree, mrwi_import_resources *res, light_scale *out)
{
    view_box box;
    float half[3];
    *out = (light_scale){.watts = is_of_watts(tree->source->scene)};
    if (!find_box(tree, res, &box)) {
        return false;
    }
    out->has_middle = !is_empty(&box);
    for (int i = 0; i < 3 && out->has_middle; i++) {
        out->middle[i] = 0.5f * box.least[i] + 0.5f * box.most[i];
        half[i] = 0.5f * box.most[i] - 0.5f * box.least[i];
    }
    out->radius = out->has_middle ? sqrtf(mrwi_base_dot3(half, half)) : 0.0f;
    return true;
}

/* Returns the distance from the light to what it lights, in the root's units; for one inside the
 * model, the distance of its corners. */
static double lit_distance(const light_scale *scale, const placing *view)
{
    float at[3];
    to_root(&view->node->to_root, view->at, at);
    for (int i = 0; i < 3; i++) {
        at[i] -= scale->middle[i];
    }
    const float distance = sqrtf(mrwi_base_dot3(at, at));
    return (double)(distance > scale->radius ? distance : scale->radius);
}

/* Returns the attenuation in the file at a distance in its own units. */
static double attenuation(const mrwi_import_source *source, const struct aiLight *light,
                          double distance)
{
    if (!is_collada(source)) {
        return 1.0;
    }
    const double sum =
        ((double)light->mAttenuationConstant + (double)light->mAttenuationLinear * distance) +
        (double)light->mAttenuationQuadratic * distance * distance;
    return sum > 0.0 && sum <= (double)FLT_MAX ? sum : 1.0;
}

/* Returns the lux or candela of a light of colour 1. */
static float find_intensity(const mrwi_import_tree *tree, const light_scale *scale,
                            const struct aiLight *light, const placing *view)
{
    const double unit = (double)tree->unit;
    if (light->mType == aiLightSource_DIRECTIONAL) {
        return scale->watts ? 1.0f : (float)MRWI_BASE_PI;
    }
    if (scale->watts) {
        return (float)(1.0 / (4.0 * MRWI_BASE_PI));
    }
    double metres = 1.0;
    if (scale->has_middle) {
        metres = lit_distance(scale, view) * (tree->source->is_fbx ? unit : 1.0);
    }
    const double candela =
        MRWI_BASE_PI * metres * metres / attenuation(tree->source, light, metres / unit);
    return candela < (double)FLT_MAX ? (float)candela : FLT_MAX;
}

/* ---- lights ---------------------------------------------------------------------------------- */

static float half_cone(float full)
{
    double half = 0.5 * (double)full;
    half = half > 0.0 ? half : 0.0;
    return (float)(half < 0.5 * MRWI_BASE_PI ? half : 0.5 * MRWI_BASE_PI);
}

/* A cone of Collada ends at its falloff_angle, which assimp calls the inner one. The outer one
 * comes from extensions of FCollada or, if there are none, is wider by
 * acos(0.1^(1/falloff_exponent)), which is not in the specification: 84 degrees for an exponent of
 * 0 or 1. */
#define WIDENED 1.0471976f

/* Decodes a light's colour. assimp delivers the colour times the intensity, which is not encoded:
 * the brightest channel counts as the intensity. */
static void decode_light(float color[3])
{
    float most = color[0] > color[1] ? color[0] : color[1];
    most = color[2] > most ? color[2] : most;
    if (!(most > 0.0f && most <= FLT_MAX)) {
        return;
    }
    for (int c = 0; c < 3; c++) {
        color[c] /= most;
    }
    mrwi_import_decode_color(color);
    for (int c = 0; c < 3; c++) {
        color[c] *= most;
    }
}

/* Describes a light. Returns false for kinds that a rasterizer cannot use: ambient, area. */
static bool describe_light(const mrwi_import_source *source, const struct aiLight *from,
                           mrw_scene_light *out)
{
    memset(out, 0, sizeof *out);
    switch (from->mType) {
    case aiLightSource_DIRECTIONAL:
        out->type = MRW_SCENE_LIGHT_DIRECTIONAL;
        break;
    case aiLightSource_POINT:
        out->type = MRW_SCENE_LIGHT_POINT;
        break;
    case aiLightSource_SPOT:
        out->type = MRW_SCENE_LIGHT_SPOT;
        break;
    default:
        return false;
    }
    memcpy(out->color, &from->mColorDiffuse.r, sizeof out->color);
    if (source->colors.materials_srgb) {
        decode_light(out->color);
    }
    const bool widened =
        is_collada(source) && from->mAngleOuterCone - from->mAngleInnerCone >= WIDENED;
    out->outer_cone = half_cone(widened ? from->mAngleInnerCone : from->mAngleOuterCone);
    out->inner_cone = half_cone(from->mAngleInnerCone);
    if (out->inner_cone > out->outer_cone) {
        out->inner_cone = out->outer_cone;
    }
    return true;
}

static bool push_light(const mrwi_import_tree *tree, const light_scale *scale,
                       const struct aiLight *from, mrwi_import_resources *res,
                       mrwi_scene_builder *builder)
{
    mrw_scene_light light;
    const char *name = mrwi_import_text(&from->mName);
    if (!describe_light(tree->source, from, &light)) {
        return true;
    }
    placing view = make_placing(tree, name, from->mPosition, from->mDirection, from->mUp);
    light.intensity = find_intensity(tree, scale, from, &view);
    if (!(mrwi_base_dot3(view.forward, view.forward) > 0.0f)) {
        view.forward[2] = -1.0f;
    }
    return push_view_node(tree->source, &view, res, builder, &light.node) &&
           mrwi_import_ok(
               res, mrwi_scene_builder_light(builder, mrwi_import_unmarked(tree->source, name, res),
                                             &light, res->error));
}

bool mrwi_import_push_views(const mrwi_import_tree *tree, mrwi_import_resources *res,
                            mrwi_scene_builder *builder)
{
    const struct aiScene *s = tree->source->scene;
    light_scale scale = {0};
    if (s->mNumLights > 0 && !find_scale(tree, res, &scale)) {
        return false;
    }
    for (unsigned i = 0; i < s->mNumCameras; i++) {
        if (s->mCameras[i] && !push_camera(tree, s->mCameras[i], res, builder)) {
            return false;
        }
    }
    for (unsigned i = 0; i < s->mNumLights; i++) {
        if (s->mLights[i] && !push_light(tree, &scale, s->mLights[i], res, builder)) {
            return false;
        }
    }
    return true;
}
