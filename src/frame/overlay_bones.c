/* overlay_bones.c: skeletons, drawn back to front: a bone from each joint to its parent, as an
 * octahedron that is thick near its head, and balls at joints. */
#include "frame/overlay.h"

#include "base/math.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const mrwi_overlay_color lit = {255, 226, 130, 255}, unlit = {176, 110, 22, 255};
static const mrwi_overlay_color ball = {240, 245, 255, 255};

#define THICK 0.1  /* distance of the ring from head and axis, in lengths of the bone */
#define BALL  0.05 /* radius of a joint, in lengths of the bone */

/* Marks the joints that move vertices, and the nodes of rigid draws. */
static void mark_moving(const mrw_scene *scene, bool *moving)
{
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_draw *draw = &scene->draws[d];
        const mrw_mesh *mesh = &scene->meshes[draw->mesh];
        const uint32_t first = draw->skin == MRW_NONE ? 0 : scene->skins[draw->skin].first_joint;
        if (draw->skin == MRW_NONE) {
            moving[draw->node] = true;
            continue;
        }
        for (uint32_t g = mesh->first_group; g < mesh->first_group + mesh->group_count; g++) {
            const mrw_influence_group *group = &scene->groups[g];
            const size_t count = (size_t)group->vertex_count * group->influence_count;
            const uint16_t *joints = scene->influence_joints + group->first_influence;
            for (size_t i = 0; i < count; i++) {
                moving[scene->joints[first + joints[i]]] = true;
            }
        }
    }
}

bool *mrwi_frame_overlay_joints(mrwi_base_arena *arena, const mrw_scene *scene)
{
    bool *joints = mrwi_base_arena_alloc(arena, scene->nodes_count + 1u, sizeof *joints);
    if (!joints) {
        return NULL;
    }
    memset(joints, scene->joints_count == 0, scene->nodes_count + 1u);
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        joints[scene->joints[j]] = true;
    }
    return joints;
}

/* Marks the joints without control bones: those move no vertices, and neither does any joint below
 * them. A skeleton that moves no vertices at all keeps all joints. Returns NULL without memory. */
static bool *find_bones(mrwi_base_arena *arena, const mrw_scene *scene)
{
    const size_t size = (size_t)scene->nodes_count + 1;
    bool *joints = mrwi_frame_overlay_joints(arena, scene);
    bool *moving = mrwi_base_arena_alloc(arena, size, sizeof *moving);
    bool any = false;
    if (!joints || !moving) {
        return NULL;
    }
    memset(moving, false, size);
    mark_moving(scene, moving);
    for (uint32_t n = scene->nodes_count; n-- > 0;) { /* parents come before their children */
        const uint32_t parent = scene->nodes[n].parent;
        if (parent != MRW_NONE) {
            moving[parent] |= moving[n];
        }
        any = any || (joints[n] && moving[n]);
    }
    for (uint32_t j = 0; j < scene->joints_count && any; j++) {
        joints[scene->joints[j]] = moving[scene->joints[j]];
    }
    return joints;
}

/* A bone from a joint to the nearest one below it; if both are the same, it is a single joint. */
typedef struct bone {
    uint32_t head, tail;
    double head_at[3], tail_at[3];
    double distance; /* distance of its middle from the eye */
} bone;

static int by_distance(const void *left, const void *right)
{
    const bone *a = left, *b = right;
    return a->distance != b->distance ? (a->distance < b->distance) - (a->distance > b->distance)
                                      : (a->tail > b->tail) - (a->tail < b->tail);
}

static void place_of(const mrwi_frame_pose *pose, uint32_t node, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)pose->placed[node].m[12 + i];
    }
}

static bone make_bone(const mrwi_frame_overlay *overlay, const mrwi_frame_pose *pose,
                      const bool *joints, uint32_t node)
{
    const double *m = overlay->world_to_clip;
    bone out = {.head = node, .tail = node};
    uint32_t parent = pose->scene->nodes[node].parent;
    while (parent != MRW_NONE && !joints[parent]) {
        parent = pose->scene->nodes[parent].parent;
    }
    if (parent != MRW_NONE) {
        out.head = parent;
    }
    place_of(pose, out.head, out.head_at);
    place_of(pose, out.tail, out.tail_at);
    for (int i = 0; i < 3; i++) {
        /* w grows with distance; in parallel projections only z does */
        const int row = overlay->picture->camera.orthographic ? 2 : 3;
        out.distance += 0.5 * (out.head_at[i] + out.tail_at[i]) * m[4 * i + row];
    }
    return out;
}

/* ---- octahedrons ----------------------------------------------------------------------------- */

enum { HEAD, TAIL, RING, CORNERS = RING + 4, FACES = 8 };

typedef struct octahedron {
    double at[CORNERS][3];    /* world */
    double pixel[CORNERS][3]; /* with depth */
    bool front[FACES];
} octahedron;

/* Returns the corners of a face. Faces go around the ring, first at the head, then at the tail. */
static void corners_of(int face, int out[3])
{
    out[0] = face < 4 ? HEAD : TAIL;
    out[1] = RING + face % 4;
    out[2] = RING + (face + 1) % 4;
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

/* Finds two vectors of `length` across an axis of length 1. They follow the joint's own axis that
 * leans from it most: that choice stays the same while bones move. */
static void find_across(const mrw_mat4 *joint, const double axis[3], double length,
                        double across[2][3])
{
    double best = -1.0;
    for (int column = 0; column < 3; column++) {
        const float *m = joint->m + 4 * column;
        const double v[3] = {(double)m[0], (double)m[1], (double)m[2]};
        const double along = mrwi_base_dot3d(v, axis), size = sqrt(mrwi_base_dot3d(v, v));
        double rest[3];
        for (int i = 0; i < 3; i++) {
            rest[i] = v[i] - along * axis[i];
        }
        const double left = sqrt(mrwi_base_dot3d(rest, rest));
        if (size > 0.0 && left > 1e-3 * size && left / size > best + 1e-6) {
            best = left / size;
            for (int i = 0; i < 3; i++) {
                across[0][i] = rest[i] / left * length;
            }
        }
    }
    if (best < 0.0) { /* the joint is squeezed flat */
        const double v[3] = {fabs(axis[0]) < 0.5, fabs(axis[0]) >= 0.5, 0.0};
        mrwi_base_cross3d(axis, v, across[0]);
        const double size = sqrt(mrwi_base_dot3d(across[0], across[0]));
        for (int i = 0; i < 3; i++) {
            across[0][i] *= length / size;
        }
    }
    mrwi_base_cross3d(axis, across[0], across[1]);
}

/* Computes the outward unit normal of a face; `inside` is the middle of the bone. */
static void find_normal(const octahedron *o, const int corners[3], const double inside[3],
                        double out[3])
{
    double a[3], b[3], outward[3];
    subtract(o->at[corners[1]], o->at[corners[0]], a);
    subtract(o->at[corners[2]], o->at[corners[0]], b);
    subtract(o->at[corners[1]], inside, outward);
    mrwi_base_cross3d(a, b, out);
    const double length = sqrt(mrwi_base_dot3d(out, out));
    const double sign = mrwi_base_dot3d(out, outward) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        out[i] *= sign / (length > 0.0 ? length : 1.0);
    }
}

/* Returns the light, from the upper left, on a face: 0 ... 1, or below 0 if it faces away. */
static double light_on(const mrwi_frame_overlay *overlay, const double normal[3],
                       const double at[3])
{
    static const double to_light[3] = {-0.35, 0.6, 0.72};
    const float *m = overlay->picture->camera.world_to_view.m;
    double facing = 0.0, light = 0.0;
    for (int i = 0; i < 3; i++) {
        const double back = (double)m[4 * i + 2];
        facing += normal[i] * (overlay->picture->camera.orthographic
                                   ? back
                                   : (double)overlay->picture->camera.eye[i] - at[i]);
        for (int row = 0; row < 3; row++) {
            light += to_light[row] * (double)m[4 * i + row] * normal[i];
        }
    }
    return facing > 0.0 ? 0.5 + 0.5 * light : -1.0;
}

static uint8_t mix(uint8_t a, uint8_t b, double t)
{
    return (uint8_t)mrwi_base_round_to_int(a + t * (b - a), 0, 255);
}

static mrwi_overlay_color tone(double light)
{
    return (mrwi_overlay_color){mix(unlit.r, lit.r, light), mix(unlit.g, lit.g, light),
                                mix(unlit.b, lit.b, light), 255};
}

/* Adds the edges of all visible faces. */
static void add_edges(mrwi_frame_overlay *overlay, const octahedron *o, double radius)
{
    for (int face = 0; face < FACES; face++) {
        int corners[3];
        corners_of(face, corners);
        for (int k = 0; k < 3 && o->front[face]; k++) {
            const double *a = o->pixel[corners[k]], *b = o->pixel[corners[(k + 1) % 3]];
            mrwi_overlay_add_stroke(&overlay->canvas,
                                    &(mrwi_overlay_stroke){.at = {{a[0], a[1]}, {b[0], b[1]}},
                                                           .radius = {radius, radius},
                                                           .alpha = {1.0, 1.0},
                                                           .depth = {a[2], b[2]},
                                                           .tested = overlay->tested});
        }
    }
}

static void add_face(mrwi_frame_overlay *overlay, const octahedron *o, const int corners[3])
{
    const double *a = o->pixel[corners[0]], *b = o->pixel[corners[1]], *c = o->pixel[corners[2]];
    const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    const double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    const double area = bx * cy - by * cx;
    mrwi_overlay_polygon face = {.count = 3,
                                 .at = {{a[0], a[1]}, {b[0], b[1]}, {c[0], c[1]}},
                                 .alpha = 1.0,
                                 .depth = {a[2], 0.0, 0.0},
                                 .tested = overlay->tested};
    if (fabs(area) > 1e-6) {
        face.depth[1] = (bz * cy - cz * by) / area;
        face.depth[2] = (cz * bx - bz * cx) / area;
        face.depth[0] -= face.depth[1] * a[0] + face.depth[2] * a[1];
    }
    mrwi_overlay_add_polygon(&overlay->canvas, &face);
}

/* Makes the octahedron of a bone. Returns false if a part is behind the eye, or if the bone is too
 * short for visible faces. */
static bool make_octahedron(const mrwi_frame_overlay *overlay, const mrwi_frame_pose *pose,
                            const bone *b, octahedron *out)
{
    double axis[3], across[2][3];
    subtract(b->tail_at, b->head_at, axis);
    const double length = sqrt(mrwi_base_dot3d(axis, axis));
    if (!(length > 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        axis[i] /= length;
    }
    find_across(&pose->placed[b->head], axis, THICK * length, across);
    memcpy(out->at[HEAD], b->head_at, sizeof out->at[HEAD]);
    memcpy(out->at[TAIL], b->tail_at, sizeof out->at[TAIL]);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            out->at[RING + k][i] =
                b->head_at[i] + THICK * length * axis[i] + (k < 2 ? 1.0 : -1.0) * across[k % 2][i];
        }
    }
    for (int k = 0; k < CORNERS; k++) {
        if (!mrwi_frame_overlay_project(overlay, out->at[k], out->pixel[k])) {
            return false;
        }
    }
    return THICK * length * mrwi_frame_overlay_scale(overlay, b->head_at) > 0.75 * overlay->unit;
}

static void draw_octahedron(mrwi_frame_overlay *overlay, octahedron *o)
{
    double light[FACES];
    double inside[3];
    for (int i = 0; i < 3; i++) {
        inside[i] = o->at[HEAD][i] + THICK * (o->at[TAIL][i] - o->at[HEAD][i]);
    }
    for (int face = 0; face < FACES; face++) {
        int corners[3];
        double normal[3];
        corners_of(face, corners);
        find_normal(o, corners, inside, normal);
        light[face] = light_on(overlay, normal, o->at[corners[1]]);
        o->front[face] = light[face] >= 0.0;
    }
    add_edges(overlay, o, 1.5 * overlay->unit);
    mrwi_overlay_blend(&overlay->canvas, mrwi_frame_overlay_dark);
    add_edges(overlay, o, 0.5 * overlay->unit);
    mrwi_overlay_blend(&overlay->canvas, tone(0.0));
    for (int face = 0; face < FACES; face++) {
        int corners[3];
        corners_of(face, corners);
        if (o->front[face]) {
            add_face(overlay, o, corners);
            mrwi_overlay_blend(&overlay->canvas, tone(light[face]));
        }
    }
}

/* ---- skeletons ------------------------------------------------------------------------------- */

static void draw_ball(mrwi_frame_overlay *overlay, const double at[3], double radius)
{
    const mrwi_frame_overlay_line point = {.at = {{at[0], at[1], at[2]}, {at[0], at[1], at[2]}},
                                           .alpha = {1.0, 1.0}};
    double pixel[3];
    if (mrwi_frame_overlay_project(overlay, at, pixel)) {
        const double wanted = radius * mrwi_frame_overlay_scale(overlay, at);
        const double least = 0.9 * overlay->unit, most = 4.0 * overlay->unit;
        mrwi_frame_overlay_draw(overlay, &point, 1,
                                wanted < least  ? least
                                : wanted > most ? most
                                                : wanted,
                                ball);
    }
}

static void draw_bone(mrwi_frame_overlay *overlay, const mrwi_frame_pose *pose, const bone *b)
{
    octahedron o;
    double axis[3];
    subtract(b->tail_at, b->head_at, axis);
    const double length = sqrt(mrwi_base_dot3d(axis, axis));
    if (make_octahedron(overlay, pose, b, &o)) {
        draw_octahedron(overlay, &o);
    } else if (length > 0.0) {
        mrwi_frame_overlay_line line = {.alpha = {1.0, 1.0}};
        memcpy(line.at[0], b->head_at, sizeof line.at[0]);
        memcpy(line.at[1], b->tail_at, sizeof line.at[1]);
        mrwi_frame_overlay_draw(overlay, &line, 1, 0.75 * overlay->unit, tone(0.8));
    }
    draw_ball(overlay, b->head_at, BALL * length);
    draw_ball(overlay, b->tail_at, BALL * length);
}

mrw_status mrwi_frame_overlay_skeleton(mrwi_base_arena *arena, mrwi_frame_overlay *overlay,
                                       const mrwi_frame_pose *pose, mrw_error *error)
{
    const uint32_t nodes = pose->scene->nodes_count;
    const bool *joints = find_bones(arena, pose->scene);
    bone *bones = mrwi_base_arena_alloc(arena, nodes, sizeof *bones);
    uint32_t count = 0;
    if (!joints || !bones) {
        return mrwi_base_fail_memory(error, nodes * sizeof *bones);
    }
    for (uint32_t n = 0; n < nodes; n++) {
        if (joints[n]) {
            bones[count++] = make_bone(overlay, pose, joints, n);
        }
    }
    qsort(bones, count, sizeof *bones, by_distance);
    for (uint32_t i = 0; i < count; i++) {
        draw_bone(overlay, pose, &bones[i]);
    }
    return MRW_OK;
}
