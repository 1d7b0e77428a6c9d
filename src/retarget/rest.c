/* rest.c: the rest pose of a rig, to be compared with other rests. */
#include "retarget/rest.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* ---- affine maps ----------------------------------------------------------------------------- */

mrwi_retarget_affine mrwi_retarget_affine_identity(void)
{
    return (mrwi_retarget_affine){{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
}

void mrwi_retarget_affine_vector(const mrwi_retarget_affine *a, const double v[3], double out[3])
{
    double sum[3];
    for (int r = 0; r < 3; r++) {
        sum[r] = (a->m[r] * v[0] + a->m[3 + r] * v[1]) + a->m[6 + r] * v[2];
    }
    memcpy(out, sum, sizeof sum);
}

void mrwi_retarget_affine_point(const mrwi_retarget_affine *a, const double p[3], double out[3])
{
    mrwi_retarget_affine_vector(a, p, out);
    for (int r = 0; r < 3; r++) {
        out[r] += a->m[9 + r];
    }
}

mrwi_retarget_affine mrwi_retarget_affine_mul(const mrwi_retarget_affine *a,
                                              const mrwi_retarget_affine *b)
{
    mrwi_retarget_affine out;
    for (int c = 0; c < 3; c++) {
        mrwi_retarget_affine_vector(a, b->m + 3 * c, out.m + 3 * c);
    }
    mrwi_retarget_affine_point(a, b->m + 9, out.m + 9);
    return out;
}

mrwi_retarget_affine mrwi_retarget_affine_inverse(const mrwi_retarget_affine *a)
{
    double rows[3][3]; /* rows of the adjugate */
    mrwi_base_cross3d(a->m + 3, a->m + 6, rows[0]);
    mrwi_base_cross3d(a->m + 6, a->m, rows[1]);
    mrwi_base_cross3d(a->m, a->m + 3, rows[2]);
    const double determinant = mrwi_base_dot3d(a->m, rows[0]);
    mrwi_retarget_affine out = mrwi_retarget_affine_identity();
    if (determinant != 0 && isfinite(1 / determinant)) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                out.m[3 * c + r] = rows[r][c] / determinant;
            }
        }
    }
    double back[3];
    mrwi_retarget_affine_vector(&out, a->m + 9, back);
    for (int r = 0; r < 3; r++) {
        out.m[9 + r] = -back[r];
    }
    return out;
}

mrwi_retarget_affine mrwi_retarget_affine_of(const double translation[3], const double rotation[4],
                                             const double scale[3])
{
    const double x = rotation[0], y = rotation[1], z = rotation[2], w = rotation[3];
    const double columns[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    mrwi_retarget_affine out;
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            out.m[3 * c + r] = columns[c][r] * scale[c];
        }
    }
    memcpy(out.m + 9, translation, 3 * sizeof *translation);
    return out;
}

static mrwi_retarget_affine of_matrix(const mrw_mat4 *matrix)
{
    mrwi_retarget_affine out;
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) {
            out.m[3 * c + r] = (double)matrix->m[4 * c + r];
        }
    }
    return out;
}

mrwi_retarget_affine mrwi_retarget_rest_local(const mrw_scene *scene, uint32_t node)
{
    const mrw_node *n = &scene->nodes[node];
    if (n->matrix != MRW_NONE) {
        return of_matrix(&scene->matrices[n->matrix]);
    }
    double translation[3], rotation[4], scale[3];
    for (int i = 0; i < 4; i++) {
        rotation[i] = (double)n->rest.rotation[i];
    }
    for (int i = 0; i < 3; i++) {
        translation[i] = (double)n->rest.translation[i];
        scale[i] = (double)n->rest.scale[i];
    }
    return mrwi_retarget_affine_of(translation, rotation, scale);
}

/* ---- quaternions ----------------------------------------------------------------------------- */

void mrwi_retarget_quat_mul(const double a[4], const double b[4], double out[4])
{
    const double product[4] = {((a[3] * b[0] + a[0] * b[3]) + a[1] * b[2]) - a[2] * b[1],
                               ((a[3] * b[1] - a[0] * b[2]) + a[1] * b[3]) + a[2] * b[0],
                               ((a[3] * b[2] + a[0] * b[1]) - a[1] * b[0]) + a[2] * b[3],
                               ((a[3] * b[3] - a[0] * b[0]) - a[1] * b[1]) - a[2] * b[2]};
    memcpy(out, product, sizeof product);
}

void mrwi_retarget_quat_conjugate(const double q[4], double out[4])
{
    for (int i = 0; i < 3; i++) {
        out[i] = -q[i];
    }
    out[3] = q[3];
}

void mrwi_retarget_quat_unit(double q[4])
{
    const double length = sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    for (int i = 0; i < 4; i++) {
        q[i] = length > 0 ? q[i] / length : i == 3;
    }
}

double mrwi_retarget_quat_degrees(const double q[4])
{
    const double part = sqrt((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]);
    return 2 * mrwi_base_atan2(part, fabs(q[3])) * (180 / MRWI_BASE_PI);
}

bool mrwi_retarget_rotation_of(const mrwi_retarget_affine *a, double out[4])
{
    mrw_mat4 matrix = mrwi_base_mat4_identity();
    double lengths[3], cross[3];
    for (int c = 0; c < 3; c++) {
        lengths[c] = sqrt(mrwi_base_dot3d(a->m + 3 * c, a->m + 3 * c));
        if (!(lengths[c] > 1e-30) || !isfinite(lengths[c])) {
            return false;
        }
    }
    mrwi_base_cross3d(a->m, a->m + 3, cross);
    if (!(mrwi_base_dot3d(cross, a->m + 6) > 0)) {
        return false;
    }
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            matrix.m[4 * c + r] = (float)(a->m[3 * c + r] / lengths[c]);
        }
    }
    mrw_transform parts;
    mrwi_base_mat4_decompose(&matrix, &parts);
    for (int i = 0; i < 4; i++) {
        out[i] = (double)parts.rotation[i];
    }
    mrwi_retarget_quat_unit(out);
    return true;
}

/* ---- bind poses ------------------------------------------------------------------------------ */

/* A joint rests as bound if the axes agree within this share of their length (about a degree, or
 * two hundredths of a scale), and the places within these shares of the size of the skeleton and of
 * the distance from the origin. The last one is for rounding. */
#define SAME_AXES  0.02
#define SAME_PLACE 0.01
#define ROUNDING   1e-4

/* A skin and its joints. */
typedef struct bind {
    const mrw_scene *scene;
    const mrw_skin *skin;
    uint32_t mesh_node;
    const uint32_t *roots;       /* per node: the root above it, or itself */
    double size;                 /* diagonal of the box of the joints at rest */
    mrwi_retarget_affine *bound; /* per joint: from the joint, as bound, to the space of the mesh */
} bind;

static uint32_t node_of(const bind *b, uint32_t joint)
{
    return b->scene->joints[b->skin->first_joint + joint];
}

static double size_of(const bind *b, const mrwi_retarget_rest *rest)
{
    double low[3] = {0}, high[3] = {0};
    for (uint32_t j = 0; j < b->skin->joint_count; j++) {
        const double *place = rest->world[node_of(b, j)].m + 9;
        for (int k = 0; k < 3; k++) {
            low[k] = j == 0 || place[k] < low[k] ? place[k] : low[k];
            high[k] = j == 0 || place[k] > high[k] ? place[k] : high[k];
        }
    }
    const double d[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    return sqrt(mrwi_base_dot3d(d, d));
}

static bool rests_as_bound(const bind *b, const mrwi_retarget_affine *place,
                           const mrwi_retarget_affine *rest, uint32_t joint)
{
    const mrwi_retarget_affine bound = mrwi_retarget_affine_mul(place, &b->bound[joint]);
    double difference[12], most[4];
    for (int i = 0; i < 12; i++) {
        difference[i] = bound.m[i] - rest->m[i];
    }
    for (int c = 0; c < 4; c++) {
        const double length = sqrt(mrwi_base_dot3d(rest->m + 3 * c, rest->m + 3 * c));
        most[c] = c < 3 ? SAME_AXES * length : SAME_PLACE * b->size + ROUNDING * length;
        if (!(mrwi_base_dot3d(difference + 3 * c, difference + 3 * c) <= most[c] * most[c])) {
            return false;
        }
    }
    return true;
}

static uint32_t count_as_bound(const bind *b, const mrwi_retarget_rest *rest,
                               const mrwi_retarget_affine *place)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < b->skin->joint_count; j++) {
        count += rests_as_bound(b, place, &rest->world[node_of(b, j)], j);
    }
    return count;
}

/* Returns the joint that comes first in the tree. */
static uint32_t top_joint(const bind *b)
{
    uint32_t top = 0;
    for (uint32_t j = 1; j < b->skin->joint_count; j++) {
        top = node_of(b, j) < node_of(b, top) ? j : top;
    }
    return top;
}

/* Returns the space of the file: importers put units and axes into a node above all others. */
static mrwi_retarget_affine file_space(const bind *b, const mrwi_retarget_rest *rest, bool is_gltf)
{
    const uint32_t root = b->roots[b->mesh_node];
    return is_gltf || root == b->mesh_node ? mrwi_retarget_affine_identity() : rest->world[root];
}

/* Finds the map from the mesh as bound to the world. Formats disagree about the space that inverse
 * bind matrices start from, and exporters disagree with their formats. So this tries the usual
 * spaces and takes the one in which most joints rest as bound: the world (glTF 2.0, 3.7.3.3: the
 * node of a skinned mesh does not count), the space of the file, the node of the mesh (FBX), the
 * node above the top joint, and the space in which the top joint itself rests as bound. The earlier
 * one wins if two are equally good. If no joint rests as bound, it is the world in glTF, the space
 * of the file in Collada, else the node of the mesh.
 *
 * At this point, `rest` still holds the nodes' own transforms. */
static mrwi_retarget_affine find_place(const bind *b, const mrwi_retarget_rest *rest)
{
    enum { WORLD, FILE_SPACE, MESH, ABOVE, TOP, PLACES };
    const char *format = mrw_scene_string(b->scene, b->scene->format);
    const bool is_gltf = strcmp(format, "gltf2") == 0 || strcmp(format, "glb2") == 0;
    const uint32_t top = top_joint(b), node = node_of(b, top);
    const uint32_t parent = b->scene->nodes[node].parent;
    const mrwi_retarget_affine to_top = mrwi_retarget_affine_inverse(&b->bound[top]);
    mrwi_retarget_affine places[PLACES] = {
        [WORLD] = mrwi_retarget_affine_identity(),
        [FILE_SPACE] = file_space(b, rest, is_gltf),
        [MESH] = rest->world[b->mesh_node],
        [ABOVE] = mrwi_retarget_affine_identity(),
        [TOP] = mrwi_retarget_affine_mul(&rest->world[node], &to_top)};
    if (parent != MRW_NONE) {
        places[ABOVE] = rest->world[parent];
    }
    uint32_t best = is_gltf ? WORLD : strcmp(format, "collada") == 0 ? FILE_SPACE : MESH, most = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        const uint32_t count = count_as_bound(b, rest, &places[i]);
        if (count > most && (i != TOP || (count > 1 && count > b->skin->joint_count / 2))) {
            most = count;
            best = i;
        }
    }
    return places[best];
}

/* Finds where the joints of a skin were bound. `bound` has the places for all skins, where
 * rest->bound is 1. */
static void bind_skin(bind *b, mrwi_retarget_rest *rest, mrwi_retarget_affine *bound)
{
    b->size = size_of(b, rest);
    for (uint32_t j = 0; j < b->skin->joint_count; j++) {
        const mrwi_retarget_affine to_joint =
            of_matrix(&b->scene->geometry_to_joint[b->skin->first_joint + j]);
        b->bound[j] = mrwi_retarget_affine_inverse(&to_joint);
    }
    const mrwi_retarget_affine place = find_place(b, rest);
    for (uint32_t j = 0; j < b->skin->joint_count; j++) {
        const uint32_t node = node_of(b, j);
        const mrwi_retarget_affine world = mrwi_retarget_affine_mul(&place, &b->bound[j]);
        double q[4];
        if (!rest->bound[node] && mrwi_retarget_rotation_of(&rest->world[node], q) &&
            mrwi_retarget_rotation_of(&world, q)) {
            rest->bound[node] = 1;
            rest->bound_count++;
            bound[node] = world;
        }
    }
}

/* Returns true if the bind matrices describe a pose. If all joints were bound in one place, they do
 * not: glTF has identities for files without matrices. */
static bool is_pose(const mrw_scene *scene, const mrw_skin *skin)
{
    const mrw_mat4 *first = &scene->geometry_to_joint[skin->first_joint];
    for (uint32_t j = 1; j < skin->joint_count; j++) {
        if (memcmp(&first[j], first, sizeof *first) != 0) {
            return true;
        }
    }
    return skin->joint_count == 1;
}

/* Returns true if a mesh shows more than bones. An importer of MD5 gives files of clips a mesh of
 * its own. */
static bool shows_geometry(const mrw_scene *scene, const mrw_mesh *mesh)
{
    const bool is_md5 = strcmp(mrw_scene_string(scene, scene->format), "md5") == 0;
    return !(mesh->flags & MRW_MESH_BONES) && !(is_md5 && mesh->uv[0] == MRW_NONE);
}

static mrw_status bind_skins(const mrw_scene *scene, mrwi_retarget_rest *rest,
                             mrwi_retarget_affine *bound, mrw_error *error)
{
    size_t most = 0;
    for (uint32_t i = 0; i < scene->skins_count; i++) {
        most = scene->skins[i].joint_count > most ? scene->skins[i].joint_count : most;
    }
    bind b = {.scene = scene};
    uint32_t *roots = mrwi_base_alloc(scene->nodes_count, sizeof *roots);
    b.roots = roots;
    b.bound = mrwi_base_alloc(most, sizeof *b.bound);
    uint8_t *seen = mrwi_base_alloc_zero(scene->skins_count, 1);
    mrw_status status = MRW_OK;
    if (!b.bound || !seen || !roots) {
        status = mrwi_base_fail_memory(error, most * sizeof *b.bound);
        goto out;
    }
    for (uint32_t i = 0; i < scene->nodes_count; i++) { /* parents come first */
        const uint32_t parent = scene->nodes[i].parent;
        roots[i] = parent == MRW_NONE ? i : roots[parent];
    }
    for (uint32_t i = 0; i < scene->draws_count; i++) {
        const mrw_draw *draw = &scene->draws[i];
        if (draw->skin != MRW_NONE && !seen[draw->skin] &&
            shows_geometry(scene, &scene->meshes[draw->mesh]) &&
            is_pose(scene, &scene->skins[draw->skin])) {
            seen[draw->skin] = 1;
            b.skin = &scene->skins[draw->skin];
            b.mesh_node = draw->node;
            bind_skin(&b, rest, bound);
        }
    }
out:
    mrwi_base_free(roots);
    mrwi_base_free(b.bound);
    mrwi_base_free(seen);
    return status;
}

/* ---- rests ----------------------------------------------------------------------------------- */

/* Computes the rest. With `bound`, joints stand as bound, and everything below moves along. */
static void stand(const mrw_scene *scene, const mrwi_retarget_affine *bound,
                  mrwi_retarget_rest *rest)
{
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const uint32_t parent = scene->nodes[i].parent;
        const mrwi_retarget_affine local = mrwi_retarget_rest_local(scene, i);
        double own[4];
        for (int k = 0; k < 4; k++) {
            own[k] = (double)scene->nodes[i].rest.rotation[k];
        }
        rest->world[i] =
            parent == MRW_NONE ? local : mrwi_retarget_affine_mul(&rest->world[parent], &local);
        if (parent != MRW_NONE) {
            mrwi_retarget_quat_mul(rest->rotation[parent], own, own);
        }
        mrwi_retarget_quat_unit(own);
        if (bound && rest->bound[i]) {
            rest->world[i] = bound[i];
            mrwi_retarget_rotation_of(&bound[i], own);
        }
        memcpy(rest->rotation[i], own, sizeof own);
    }
}

mrw_status mrwi_retarget_rest_create(const mrw_scene *scene, mrwi_retarget_rest *out,
                                     mrw_error *error)
{
    const size_t count = scene->nodes_count;
    *out = (mrwi_retarget_rest){.world = mrwi_base_alloc(count, sizeof *out->world),
                                .rotation = mrwi_base_alloc(count, sizeof *out->rotation),
                                .bound = mrwi_base_alloc_zero(count, 1)};
    mrwi_retarget_affine *bound = mrwi_base_alloc(count, sizeof *bound);
    mrw_status status = MRW_OK;
    if (!out->world || !out->rotation || !out->bound || !bound) {
        status = mrwi_base_fail_memory(error, count * sizeof *bound);
        goto out;
    }
    stand(scene, NULL, out);
    status = bind_skins(scene, out, bound, error);
    if (status) {
        goto out;
    }
    stand(scene, bound, out);
out:
    mrwi_base_free(bound);
    if (status) {
        mrwi_retarget_rest_free(out);
    }
    return status;
}

void mrwi_retarget_rest_free(mrwi_retarget_rest *rest)
{
    mrwi_base_free(rest->world);
    mrwi_base_free(rest->rotation);
    mrwi_base_free(rest->bound);
    *rest = (mrwi_retarget_rest){0};
}
