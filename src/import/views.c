/* views.c: cameras and lights. */
#include "base/math.h"
#include "import/import.h"

#include <assimp/camera.h>
#include <assimp/light.h>
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

/* A view as assimp places it in the space of its node, the root where none has its name. */
typedef struct placing {
    const char *name;
    const mrwi_import_node *node;
    float at[3], forward[3], up[3];
} placing;

static placing make_placing(const mrwi_import_tree *tree, const char *name, struct aiVector3D at,
                            struct aiVector3D forward, struct aiVector3D up)
{
    uint32_t node = mrwi_import_find(tree, name);
    return (placing){name,
                     &tree->nodes[node != MRW_NONE ? node : 0],
                     {at.x, at.y, at.z},
                     {forward.x, forward.y, forward.z},
                     {up.x, up.y, up.z}};
}

/* The matrix whose -Z is `forward` and whose +Y is nearest to `up`; false without a direction. */
static bool look(const float position[3], const float forward[3], const float up[3], mrw_mat4 *out)
{
    float x[3], y[3], z[3] = {-forward[0], -forward[1], -forward[2]};
    if (!mrwi_base_normalize3(z)) {
        return false;
    }
    mrwi_base_cross3(up, z, x);
    if (!mrwi_base_normalize3(x)) { /* up along the view: any other axis */
        const float other[3] = {fabsf(z[0]) > 0.7f ? 0.0f : 1.0f, 0, fabsf(z[0]) > 0.7f ? 1.0f : 0};
        mrwi_base_cross3(other, z, x);
        mrwi_base_normalize3(x);
    }
    mrwi_base_cross3(z, x, y);
    *out = mrwi_import_rotation(x, y, z, position);
    return true;
}

/* The node itself when it looks the right way already, else a child of it. Some formats repeat the
 * node's translation as the position in it. */
static bool push_view_node(const mrwi_import_source *source, const placing *view,
                           mrwi_import_resources *res, mrwi_scene_builder *builder, uint32_t *out)
{
    static const float zero[3] = {0, 0, 0};
    const mrw_mat4 identity = mrwi_base_mat4_identity();
    const mrwi_import_node *owner = view->node;
    bool repeated =
        near_to(view->at, owner->to_parent.m + 12) || near_to(view->at, owner->to_root.m + 12);
    mrwi_scene_node_input in = {.name = view->name, .parent = owner->pushed};
    *out = owner->pushed;
    if (!look(repeated ? zero : view->at, view->forward, view->up, &in.matrix) ||
        near_to_matrix(&in.matrix, &identity)) {
        return true;
    }
    return mrwi_import_push_node(source, &in, res, builder, out);
}

/* ---- cameras --------------------------------------------------------------------------------- */

/* assimp's angle is the full horizontal one. Without an aspect the picture's is taken, and a square
 * one to turn the angle. */
static float vertical_angle(double horizontal, double aspect)
{
    double tangent = mrwi_base_tan(0.5 * horizontal) / (aspect > 0.0 ? aspect : 1.0);
    return (float)(2.0 * mrwi_base_atan2(tangent, 1.0));
}

/* Near and far are lengths of the file; the node's scale does not reach them. */
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

/* ---- lights ---------------------------------------------------------------------------------- */

static float half_cone(float full)
{
    double half = 0.5 * (double)full;
    half = half > 0.0 ? half : 0.0;
    return (float)(half < 0.5 * MRWI_BASE_PI ? half : 0.5 * MRWI_BASE_PI);
}

/* False for kinds that a rasterizer has no use for: ambient, area. */
static bool describe_light(const struct aiLight *from, mrw_scene_light *out)
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
    out->intensity = 1.0f;
    out->outer_cone = half_cone(from->mAngleOuterCone);
    out->inner_cone = half_cone(from->mAngleInnerCone);
    if (out->inner_cone > out->outer_cone) {
        out->inner_cone = out->outer_cone;
    }
    return true;
}

static bool push_light(const mrwi_import_tree *tree, const struct aiLight *from,
                       mrwi_import_resources *res, mrwi_scene_builder *builder)
{
    mrw_scene_light light;
    const char *name = mrwi_import_text(&from->mName);
    if (!describe_light(from, &light)) {
        return true;
    }
    placing view = make_placing(tree, name, from->mPosition, from->mDirection, from->mUp);
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
    for (unsigned i = 0; i < s->mNumCameras; i++) {
        if (s->mCameras[i] && !push_camera(tree, s->mCameras[i], res, builder)) {
            return false;
        }
    }
    for (unsigned i = 0; i < s->mNumLights; i++) {
        if (s->mLights[i] && !push_light(tree, s->mLights[i], res, builder)) {
            return false;
        }
    }
    return true;
}
