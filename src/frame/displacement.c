/* displacement.c: displacement: vertices moved along their normals by the heights of a map.
 *
 * A place is the set of vertices of all draws of a model that have the same position, across seams
 * of texture coordinates, hard edges and materials. Places are found once per model, together with
 * the distance that each one moves: the mean of its vertices' distances. In each frame, after morph
 * targets and skinning, a place moves along the mean of the normals of all its vertices, so the
 * mesh does not tear.
 *
 * A surface is the set of vertices of a place whose normals agree; at a hard edge a place has
 * several. The triangles around a surface give it a normal before and after the displacement. The
 * rotation between the two is applied to the normals and tangents of its vertices. So a surface
 * that is shaded smooth stays smooth and gets the map's shape on top, while normals of the moved
 * triangles would show flat facets; and a map of a single grey leaves normals alone. Triangles are
 * weighted by area: those of a subdivided mesh are alike, and angles would need an arc cosine.
 */
#include "frame/frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/table.h"

#include <float.h>
#include <string.h>

struct mrwi_frame_displacement {
    uint32_t *firsts;   /* per draw: its first entry in places and surfaces; one more at the end */
    uint32_t *places;   /* per vertex: its place */
    uint32_t *surfaces; /* per vertex: its surface */
    double *ways;       /* per place: the distance it moves, in units of the model */
    uint8_t *touched;   /* per draw: 1 if its vertices move or its normals turn */
    uint32_t place_count;
    uint32_t surface_count;
};

/* ---- heights --------------------------------------------------------------------------------- */

/* Wraps a coordinate into 0 ... 1. */
static double fold(double u, uint32_t wrap)
{
    if (wrap == MRW_WRAP_CLAMP) {
        return u < 0.0 ? 0.0 : u < 1.0 ? u : 1.0;
    }
    if (wrap == MRW_WRAP_MIRROR) {
        const double in_pair = u - 2.0 * floor(u * 0.5);
        return in_pair < 1.0 ? in_pair : 2.0 - in_pair;
    }
    return u - floor(u);
}

/* Finds the two texels around a coordinate. Returns its position between them, 0 ... 1. */
static double texels_around(double u, uint32_t size, uint32_t wrap, uint32_t out[2])
{
    const double at = fold(u, wrap) * (double)size - 0.5;
    const double first = floor(at);
    const bool repeats = wrap == MRW_WRAP_REPEAT;
    const uint32_t last = size - 1;
    out[0] = first < 0.0 ? (repeats ? last : 0) : (uint32_t)first;
    out[0] = out[0] < last ? out[0] : last;
    out[1] = first + 1.0 < (double)size ? (uint32_t)(first + 1.0) : repeats ? 0 : last;
    return at - first;
}

/* Returns the red of a texel, 0 ... 255; with 16 bits it has a fraction, and 65535 becomes 255. */
static double red_of(const mrw_image_info *image, const uint8_t *texels, size_t index)
{
    const double red = texels[index * 4];
    if ((image->flags & MRW_IMAGE_DEEP) == 0) {
        return red;
    }
    const uint8_t *low = texels + (size_t)image->width * image->height * 4;
    return (red * 256.0 + (double)low[index]) / 257.0;
}

/* Returns the height of a map at a coordinate, bilinearly interpolated: 0 ... 1. */
static double height_at(const mrw_scene *scene, const mrw_material_map *map, const float uv[2])
{
    const mrw_texture *texture = &scene->textures[map->texture];
    const mrw_image_info *image = &scene->images[texture->image];
    const uint8_t *texels = scene->texels + (size_t)image->first_texel * 4;
    const float *m = map->uv_transform;
    const double u = (double)uv[0], v = (double)uv[1];
    uint32_t x[2], y[2];
    const double s = texels_around((double)m[0] * u + (double)m[1] * v + (double)m[2], image->width,
                                   texture->wrap_u, x);
    const double t = texels_around((double)m[3] * u + (double)m[4] * v + (double)m[5],
                                   image->height, texture->wrap_v, y);
    double rows[2];
    for (int r = 0; r < 2; r++) {
        const size_t row = (size_t)y[r] * image->width;
        const double a = red_of(image, texels, row + x[0]), b = red_of(image, texels, row + x[1]);
        rows[r] = a + (b - a) * s;
    }
    return (rows[0] + (rows[1] - rows[0]) * t) / 255.0;
}

/* Returns the map that moves a mesh, or NULL. */
static const mrw_material_map *map_of(const mrw_scene *scene, const mrw_mesh *mesh)
{
    const mrw_material_map *map =
        mesh->material == MRW_NONE ? NULL
                                   : &scene->materials[mesh->material].maps[MRW_MAP_DISPLACEMENT];
    if (!map || map->texture == MRW_NONE || map->factor[0] == 0.0f) {
        return NULL;
    }
    const uint32_t flags = scene->images[scene->textures[map->texture].image].flags;
    return (flags & (MRW_IMAGE_MISSING | MRW_IMAGE_UNSEEN)) != 0 ? NULL : map;
}

/* Returns the distance by which a mesh wants to move its vertex. */
static double way_of(const mrw_scene *scene, const mrw_mesh *mesh, uint32_t vertex)
{
    static const float nowhere[2];
    const mrw_material_map *map = map_of(scene, mesh);
    if (!map) {
        return 0.0;
    }
    const uint32_t first = mesh->uv[map->uv_set];
    const float *uv = first == MRW_NONE ? nowhere : scene->uvs + ((size_t)first + vertex) * 2;
    return (height_at(scene, map, uv) - (double)map->factor[1]) * (double)map->factor[0];
}

/* ---- spaces ---------------------------------------------------------------------------------- */

/* Spaces of draws. In one space equal positions are the same place. Draws share a space under nodes
 * with equal matrices at rest, or with skins that bind a joint with the same matrix. */
typedef struct spaces {
    const mrw_scene *scene;
    mrw_mat4 *worlds;  /* per node: its matrix at rest */
    uint32_t *nodes;   /* per node: the first node with an equal matrix */
    uint32_t *skins;   /* per skin: a smaller skin of the same space, or itself */
    uint32_t *skin_of; /* per entry of joints: its skin */
} spaces;

typedef struct binding {
    const mrw_scene *scene;
    const mrw_mat4 *matrices;
    uint32_t entry;
    bool joints; /* entries are joints, whose nodes must be equal, too */
} binding;

static bool same_binding(const void *user, uint32_t other)
{
    const binding *b = user;
    return (!b->joints || b->scene->joints[other] == b->scene->joints[b->entry]) &&
           memcmp(&b->matrices[other], &b->matrices[b->entry], sizeof *b->matrices) == 0;
}

/* Returns the first entry with an equal binding, or MRW_NONE without memory. */
static uint32_t first_bound(mrwi_scene_table *table, const binding *b)
{
    const mrw_mat4 *matrix = &b->matrices[b->entry];
    uint64_t hash = b->joints ? b->scene->joints[b->entry] : 0;
    hash = mrwi_scene_hash_bytes(mrwi_scene_hash_word(MRWI_SCENE_HASH_SEED, hash), matrix,
                                 sizeof *matrix);
    const uint32_t found = mrwi_scene_table_find(table, hash, same_binding, b);
    if (found != MRW_NONE) {
        return found;
    }
    return mrwi_scene_table_add(table, hash, b->entry) ? b->entry : MRW_NONE;
}

/* Returns the smallest skin of a space (union-find with path halving). */
static uint32_t root_of(uint32_t *parents, uint32_t at)
{
    while (parents[at] != at) {
        at = parents[at] = parents[parents[at]];
    }
    return at;
}

static bool join_nodes(spaces *s)
{
    mrwi_scene_table table = {0};
    bool good = true;
    for (uint32_t n = 0; n < s->scene->nodes_count && good; n++) {
        s->nodes[n] = first_bound(&table, &(binding){s->scene, s->worlds, n, false});
        good = s->nodes[n] != MRW_NONE;
    }
    mrwi_scene_table_free(&table);
    return good;
}

static bool join_skins(spaces *s)
{
    const mrw_scene *scene = s->scene;
    mrwi_scene_table table = {0};
    bool good = true;
    for (uint32_t k = 0; k < scene->skins_count; k++) {
        const mrw_skin *skin = &scene->skins[k];
        s->skins[k] = k;
        for (uint32_t j = skin->first_joint; j < skin->first_joint + skin->joint_count && good;
             j++) {
            s->skin_of[j] = k;
            const uint32_t first =
                first_bound(&table, &(binding){scene, scene->geometry_to_joint, j, true});
            good = first != MRW_NONE;
            if (good) {
                const uint32_t a = root_of(s->skins, s->skin_of[first]), b = root_of(s->skins, k);
                s->skins[a > b ? a : b] = a < b ? a : b;
            }
        }
    }
    mrwi_scene_table_free(&table);
    return good;
}

/* Computes the matrices of nodes at rest. */
static mrw_status rest_worlds(const mrw_model *model, mrw_mat4 *out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    mrw_transform *locals = mrwi_base_alloc(scene->nodes_count, sizeof *locals);
    uint8_t *animated = mrwi_base_alloc_zero(scene->nodes_count, 1);
    mrw_status status = MRW_OK;
    if (!locals || !animated) {
        status = mrwi_base_fail_memory(error, scene->nodes_count);
        goto out;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        locals[n] = scene->nodes[n].rest;
    }
    mrw_local_to_world(&(mrw_world_job){.poser = model->poser,
                                        .locals = locals,
                                        .animated = animated,
                                        .model_to_world = &identity,
                                        .node_to_world = out,
                                        .isa = MRW_ISA_AUTO});
out:
    mrwi_base_free(locals);
    mrwi_base_free(animated);
    return status;
}

static mrw_status find_spaces(const mrw_model *model, spaces *s, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    *s = (spaces){.scene = scene,
                  .worlds = mrwi_base_alloc(scene->nodes_count, sizeof *s->worlds),
                  .nodes = mrwi_base_alloc(scene->nodes_count, sizeof *s->nodes),
                  .skins = mrwi_base_alloc(scene->skins_count, sizeof *s->skins),
                  .skin_of = mrwi_base_alloc(scene->joints_count, sizeof *s->skin_of)};
    if (!s->worlds || !s->nodes || !s->skins || !s->skin_of) {
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *s->worlds);
    }
    mrw_status status = rest_worlds(model, s->worlds, error);
    if (status) {
        return status;
    }
    return join_nodes(s) && join_skins(s) ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

static uint64_t space_of(const spaces *s, const mrw_draw *draw)
{
    return draw->skin == MRW_NONE ? (uint64_t)s->nodes[draw->node] << 1
                                  : ((uint64_t)root_of(s->skins, draw->skin) << 1 | 1u);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Cosine of one degree: normals within it belong to one surface. */
#define SAME_SURFACE 0.99984769

/* Maximal number of surfaces per place: a file can put a million normals into one place. */
#define MOST_SURFACES 64

/* Places and surfaces while they are found. */
typedef struct found {
    mrwi_frame_displacement *out;
    mrwi_scene_table table;
    uint64_t *space_of;      /* per place: its space */
    const float **positions; /* per place: its position */
    uint32_t *members;       /* per place: its number of vertices */
    uint32_t *first_surface; /* per place: head of its list of surfaces; MRW_NONE: none yet */
    uint32_t *next_surface;  /* per surface: the next one in that list; MRW_NONE ends it */
    const float **normals;   /* per surface: its normal */
    uint64_t space;          /* space of the vertex to look up */
    const float *position;   /* position of the vertex to look up */
} found;

static bool same_place(const void *user, uint32_t place)
{
    const found *f = user;
    const float *a = f->positions[place], *b = f->position;
    return f->space_of[place] == f->space && a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Returns the place of the vertex to look up, or MRW_NONE without memory. */
static uint32_t place_of(found *f)
{
    const uint64_t hash = mrwi_scene_hash_floats(
        mrwi_scene_hash_word(MRWI_SCENE_HASH_SEED, f->space), f->position, 3);
    uint32_t place = mrwi_scene_table_find(&f->table, hash, same_place, f);
    if (place != MRW_NONE) {
        return place;
    }
    place = f->out->place_count;
    if (!mrwi_scene_table_add(&f->table, hash, place)) {
        return MRW_NONE;
    }
    f->space_of[place] = f->space;
    f->positions[place] = f->position;
    f->members[place] = 0;
    f->first_surface[place] = MRW_NONE;
    f->out->ways[place] = 0.0;
    return f->out->place_count++;
}

/* Returns the surface of a place that has the normal. The last surface takes what exceeds the
 * limit. */
static uint32_t surface_of(found *f, uint32_t place, const float *normal)
{
    uint32_t *link = &f->first_surface[place];
    for (int seen = 1; *link != MRW_NONE; seen++) {
        const float *n = f->normals[*link];
        const double d[3] = {(double)n[0] * (double)normal[0], (double)n[1] * (double)normal[1],
                             (double)n[2] * (double)normal[2]};
        if (d[0] + d[1] + d[2] > SAME_SURFACE || seen == MOST_SURFACES) {
            return *link;
        }
        link = &f->next_surface[*link];
    }
    const uint32_t surface = f->out->surface_count++;
    f->normals[surface] = normal;
    f->next_surface[surface] = MRW_NONE;
    *link = surface;
    return surface;
}

static mrw_status find_places(const mrw_scene *scene, const spaces *s, found *f, mrw_error *error)
{
    mrwi_frame_displacement *out = f->out;
    for (uint32_t d = 0, at = 0; d < scene->draws_count; d++) {
        const mrw_mesh *mesh = &scene->meshes[scene->draws[d].mesh];
        f->space = space_of(s, &scene->draws[d]);
        for (uint32_t v = 0; v < mesh->vertex_count; v++, at++) {
            f->position = scene->positions + ((size_t)mesh->position + v) * 3;
            const uint32_t place = place_of(f);
            if (place == MRW_NONE) {
                return mrwi_base_fail_memory(error, 0);
            }
            out->places[at] = place;
            out->surfaces[at] =
                surface_of(f, place, scene->normals + ((size_t)mesh->normal + v) * 3);
            out->ways[place] += way_of(scene, mesh, v);
            f->members[place]++;
        }
    }
    for (uint32_t p = 0; p < out->place_count; p++) {
        out->ways[p] /= (double)f->members[p];
    }
    return MRW_OK;
}

static mrw_status gather(const mrw_model *model, size_t total, mrwi_frame_displacement *out,
                         mrw_error *error)
{
    spaces s = {0};
    found f = {.out = out,
               .space_of = mrwi_base_alloc(total, sizeof *f.space_of),
               .positions = mrwi_base_alloc(total, sizeof *f.positions),
               .members = mrwi_base_alloc(total, sizeof *f.members),
               .first_surface = mrwi_base_alloc(total, sizeof *f.first_surface),
               .next_surface = mrwi_base_alloc(total, sizeof *f.next_surface),
               .normals = mrwi_base_alloc(total, sizeof *f.normals)};
    mrw_status status;
    if (!f.space_of || !f.positions || !f.members || !f.first_surface || !f.next_surface ||
        !f.normals) {
        status = mrwi_base_fail_memory(error, total * 40);
        goto out;
    }
    status = find_spaces(model, &s, error);
    if (status) {
        goto out;
    }
    status = find_places(model->scene, &s, &f, error);
out:
    mrwi_base_free(s.worlds);
    mrwi_base_free(s.nodes);
    mrwi_base_free(s.skins);
    mrwi_base_free(s.skin_of);
    mrwi_scene_table_free(&f.table);
    mrwi_base_free(f.space_of);
    mrwi_base_free(f.positions);
    mrwi_base_free(f.members);
    mrwi_base_free(f.first_surface);
    mrwi_base_free(f.next_surface);
    mrwi_base_free(f.normals);
    return status;
}

/* Finds draws with a place that moves, and draws that share a place with one of them: their normals
 * may turn there. */
static mrw_status find_touched(const mrw_scene *scene, mrwi_frame_displacement *out,
                               mrw_error *error)
{
    uint8_t *turns = mrwi_base_alloc_zero(out->place_count, 1);
    if (!turns) {
        return mrwi_base_fail_memory(error, out->place_count);
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        for (uint32_t v = out->firsts[d]; v < out->firsts[d + 1] && !out->touched[d]; v++) {
            out->touched[d] = out->ways[out->places[v]] != 0.0;
        }
        for (uint32_t v = out->firsts[d]; v < out->firsts[d + 1] && out->touched[d]; v++) {
            turns[out->places[v]] = 1;
        }
    }
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        for (uint32_t v = out->firsts[d]; v < out->firsts[d + 1] && !out->touched[d]; v++) {
            out->touched[d] = turns[out->places[v]];
        }
    }
    mrwi_base_free(turns);
    return MRW_OK;
}

void mrwi_frame_displacement_free(mrwi_frame_displacement *displacement)
{
    if (!displacement) {
        return;
    }
    mrwi_base_free(displacement->firsts);
    mrwi_base_free(displacement->places);
    mrwi_base_free(displacement->surfaces);
    mrwi_base_free(displacement->ways);
    mrwi_base_free(displacement->touched);
    mrwi_base_free(displacement);
}

/* Finds out whether some draw has a map. Fails if its texels are missing. */
static mrw_status needs_displacement(const mrw_scene *scene, bool *out, mrw_error *error)
{
    *out = false;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_material_map *map = map_of(scene, &scene->meshes[scene->draws[d].mesh]);
        if (map && (scene->images[scene->textures[map->texture].image].flags &
                    (MRW_IMAGE_UNDECODED | MRW_IMAGE_ENCODED)) != 0) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "a scene that was loaded without texels, or has dropped them, "
                                  "cannot be displaced");
        }
        *out = *out || map;
    }
    return MRW_OK;
}

static mrw_status create(const mrw_model *model, mrwi_frame_displacement *out, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    size_t total = 0;
    out->firsts = mrwi_base_alloc((size_t)scene->draws_count + 1, sizeof *out->firsts);
    out->touched = mrwi_base_alloc_zero(scene->draws_count, 1);
    if (!out->firsts || !out->touched) {
        return mrwi_base_fail_memory(error, scene->draws_count * sizeof *out->firsts);
    }
    for (uint32_t d = 0; d < scene->draws_count && total < MRW_NONE; d++) {
        out->firsts[d] = (uint32_t)total;
        total += scene->meshes[scene->draws[d].mesh].vertex_count;
    }
    if (total >= MRW_NONE) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "its draws have too many vertices to be displaced");
    }
    out->firsts[scene->draws_count] = (uint32_t)total;
    out->places = mrwi_base_alloc(total, sizeof *out->places);
    out->surfaces = mrwi_base_alloc(total, sizeof *out->surfaces);
    out->ways = mrwi_base_alloc(total, sizeof *out->ways);
    if (!out->places || !out->surfaces || !out->ways) {
        return mrwi_base_fail_memory(error, total * 16);
    }
    const mrw_status status = gather(model, total, out, error);
    return status ? status : find_touched(scene, out, error);
}

mrw_status mrwi_frame_displacement_create(const mrw_model *model, mrwi_frame_displacement **out,
                                          mrw_error *error)
{
    bool needed;
    *out = NULL;
    mrw_status status = needs_displacement(model->scene, &needed, error);
    if (status || !needed) {
        return status;
    }
    mrwi_frame_displacement *made = mrwi_base_alloc_zero(1, sizeof *made);
    if (!made) {
        return mrwi_base_fail_memory(error, sizeof *made);
    }
    status = create(model, made, error);
    if (status) {
        mrwi_frame_displacement_free(made);
        return status;
    }
    *out = made;
    return MRW_OK;
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* Scales a vector to unit length. Returns false for vectors without a direction. */
static bool make_unit(double v[3])
{
    const double square = mrwi_base_dot3d(v, v);
    if (!(square > 0.0) || !(square <= DBL_MAX)) {
        return false;
    }
    const double length = sqrt(square);
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
    return true;
}

static void load3(const float *from, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)from[i];
    }
}

/* Turns a unit normal of the world into the vector of a displacement of 1 along it. Displacement is
 * in the model's space, which the instance's matrix scales; the normal there is the transpose of
 * that matrix times the world's normal. */
static void stretch(const mrw_mat4 *model_to_world, double v[3])
{
    const float *m = model_to_world->m;
    double own[3];
    for (int i = 0; i < 3; i++) {
        own[i] =
            (double)m[4 * i] * v[0] + (double)m[4 * i + 1] * v[1] + (double)m[4 * i + 2] * v[2];
    }
    if (!make_unit(own)) {
        memset(own, 0, sizeof own);
    }
    for (int r = 0; r < 3; r++) {
        v[r] = (double)m[r] * own[0] + (double)m[4 + r] * own[1] + (double)m[8 + r] * own[2];
    }
}

/* Computes the vectors by which the places of touched draws move. */
static void find_ways(const mrwi_frame_displacement *displacement, const mrwi_frame_pose *pose,
                      const mrw_posed_draw *draws, double (*ways)[3])
{
    memset(ways, 0, displacement->place_count * sizeof *ways);
    for (uint32_t d = 0; d < pose->scene->draws_count; d++) {
        const uint32_t *places = displacement->places + displacement->firsts[d];
        for (uint32_t v = 0; displacement->touched[d] && v < draws[d].vertex_count; v++) {
            double normal[3];
            load3(draws[d].normals + 4 * (size_t)v, normal);
            if (make_unit(normal)) {
                for (int i = 0; i < 3; i++) {
                    ways[places[v]][i] += normal[i];
                }
            }
        }
    }
    for (uint32_t p = 0; p < displacement->place_count; p++) {
        if (displacement->ways[p] != 0.0 && make_unit(ways[p])) {
            stretch(&pose->model_to_world, ways[p]);
        } else {
            memset(ways[p], 0, sizeof ways[p]);
        }
        for (int i = 0; i < 3; i++) {
            ways[p][i] *= displacement->ways[p];
        }
    }
}

static void move(const mrwi_frame_displacement *displacement, uint32_t draw,
                 const mrw_posed_draw *posed, double (*const ways)[3])
{
    const uint32_t *places = displacement->places + displacement->firsts[draw];
    float *position = (float *)posed->positions;
    for (uint32_t v = 0; v < posed->vertex_count; v++, position += 4) {
        for (int i = 0; i < 3; i++) {
            position[i] = (float)((double)position[i] + ways[places[v]][i]);
        }
    }
}

/* Adds twice the area of each triangle along its normal to the surfaces of its corners. */
static void add_areas(const mrwi_frame_displacement *displacement, const mrw_scene *scene,
                      uint32_t draw, const mrw_posed_draw *posed, double (*areas)[3])
{
    const mrw_mesh *mesh = &scene->meshes[scene->draws[draw].mesh];
    const uint32_t *surfaces = displacement->surfaces + displacement->firsts[draw];
    const uint32_t *corner = scene->indices + mesh->first_index;
    const int second = posed->mirrored ? 2 : 1;
    for (uint32_t t = 0; t < posed->triangle_count; t++, corner += 3) {
        double p[3][3], area[3];
        load3(posed->positions + 4 * (size_t)corner[0], p[0]);
        load3(posed->positions + 4 * (size_t)corner[second], p[1]);
        load3(posed->positions + 4 * (size_t)corner[3 - second], p[2]);
        for (int i = 0; i < 3; i++) {
            p[1][i] -= p[0][i];
            p[2][i] -= p[0][i];
        }
        mrwi_base_cross3d(p[1], p[2], area);
        for (int i = 0; i < 9; i++) {
            areas[surfaces[corner[i / 3]]][i % 3] += area[i % 3];
        }
    }
}

/* Applies to v the shortest rotation that takes one unit vector to another. */
static void turn(const double from[3], const double to[3], double v[3])
{
    const double cosine = mrwi_base_dot3d(from, to), given[3] = {v[0], v[1], v[2]};
    double axis[3], across[3];
    if (cosine < -0.999999) { /* there is no shortest one */
        for (int i = 0; i < 3; i++) {
            v[i] = -given[i];
        }
        return;
    }
    mrwi_base_cross3d(from, to, axis);
    mrwi_base_cross3d(axis, given, across);
    const double along = mrwi_base_dot3d(axis, given) / (1.0 + cosine);
    for (int i = 0; i < 3; i++) {
        v[i] = cosine * given[i] + across[i] + axis[i] * along;
    }
}

static void store_unit(const double v[3], float *out)
{
    double unit[3] = {v[0], v[1], v[2]};
    for (int i = 0; make_unit(unit) && i < 3; i++) {
        out[i] = (float)unit[i];
    }
}

/* Turns the normals and tangents of a draw. Surfaces without an area before or after keep theirs.
 */
static void turn_draw(const uint32_t *surfaces, const mrw_posed_draw *posed,
                      double (*const before)[3], double (*const after)[3])
{
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        const double *from = before[surfaces[v]], *to = after[surfaces[v]];
        double normal[3], tangent[3];
        if (mrwi_base_dot3d(from, from) == 0.0 || mrwi_base_dot3d(to, to) == 0.0) {
            continue;
        }
        load3(posed->normals + 4 * (size_t)v, normal);
        if (!make_unit(normal)) {
            continue;
        }
        turn(from, to, normal);
        store_unit(normal, (float *)posed->normals + 4 * (size_t)v);
        if (posed->tangents) {
            load3(posed->tangents + 4 * (size_t)v, tangent);
            turn(from, to, tangent);
            const double along = mrwi_base_dot3d(normal, tangent);
            for (int i = 0; i < 3; i++) {
                tangent[i] -= normal[i] * along;
            }
            store_unit(tangent, (float *)posed->tangents + 4 * (size_t)v);
        }
    }
}

static void make_units(double (*areas)[3], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!make_unit(areas[i])) {
            memset(areas[i], 0, sizeof areas[i]);
        }
    }
}

mrw_status mrwi_frame_displace(mrwi_base_arena *arena, const mrwi_frame_pose *pose,
                               mrw_posed_draw *draws, mrw_error *error)
{
    const mrwi_frame_displacement *displacement = pose->instance->model->displacement;
    const mrw_scene *scene = pose->scene;
    const size_t surfaces = displacement->surface_count;
    double(*ways)[3] = mrwi_base_arena_alloc(arena, displacement->place_count, sizeof *ways);
    double(*before)[3] = mrwi_base_arena_alloc(arena, surfaces, sizeof *before);
    double(*after)[3] = mrwi_base_arena_alloc(arena, surfaces, sizeof *after);
    if (!ways || !before || !after) {
        return mrwi_base_fail_memory(error, surfaces * sizeof *ways);
    }
    memset(before, 0, surfaces * sizeof *before);
    memset(after, 0, surfaces * sizeof *after);
    find_ways(displacement, pose, draws, ways);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        if (displacement->touched[d]) {
            add_areas(displacement, scene, d, &draws[d], before);
            move(displacement, d, &draws[d], ways);
            add_areas(displacement, scene, d, &draws[d], after);
        }
    }
    make_units(before, displacement->surface_count);
    make_units(after, displacement->surface_count);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        if (displacement->touched[d]) {
            turn_draw(displacement->surfaces + displacement->firsts[d], &draws[d], before, after);
        }
    }
    return MRW_OK;
}
