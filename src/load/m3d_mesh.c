/* m3d_mesh.c: materials, subsets, vertices and triangles of an M3D file. */
#include "base/text.h"
#include "load/m3d.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Three weights of a vertex are stored with six digits or so: what they leave for the fourth below
 * this is rounding. */
#define LEAST_REST 1e-5f

/* The shaders of the book discard a texel of an alpha-tested material below this. */
#define ALPHA_CUTOFF 0.1f

/* ---- materials ------------------------------------------------------------------------------- */

static char *keep_text(mrwi_load_m3d *m, const char *text)
{
    char *kept = mrwi_load_m3d_keep(m, strlen(text) + 1, 1);
    return kept ? strcpy(kept, text) : NULL;
}

/* Names the image of a material; show_texture opens it. */
static bool push_texture(mrwi_load_m3d *m, uint32_t material, const char *path, uint32_t *index)
{
    mrwi_load_texture_source source = {.path = path};
    mrw_texture texture = {.wrap_u = MRW_WRAP_REPEAT, .wrap_v = MRW_WRAP_REPEAT};
    m->paths[material] = keep_text(m, path);
    if (!m->paths[material] ||
        !mrwi_load_m3d_ok(
            m, mrwi_load_texture_name(m->builder, &source, &m->images[material], m->error))) {
        return false;
    }
    texture.image = m->images[material];
    return mrwi_load_m3d_ok(
        m, mrwi_scene_builder_texture(m->builder, NULL, &texture, index, m->error));
}

static bool show_texture(mrwi_load_m3d *m, uint32_t material)
{
    char where[140], shown[120];
    mrwi_load_texture_source source = {.path = m->paths[material], .where = where};
    if (!source.path || m->job->def->clips_only) {
        return true;
    }
    m->paths[material] = NULL;
    snprintf(where, sizeof where, "material \"%s\"",
             mrwi_base_escape(m->names[material], shown, sizeof shown));
    return mrwi_load_m3d_ok(m, mrwi_load_texture_show(m->builder, m->job->def, m->job->files,
                                                      &source, m->images[material],
                                                      &m->textures_left, m->error));
}

/* The book multiplies diffuse colours and textures as they are. Fresnel0, Roughness and normal maps
 * belong to lighting that is not drawn. */
static bool read_material(mrwi_load_m3d *m, uint32_t index)
{
    char name[256], type[256], diffuse[1024], normal[1024];
    float fresnel[3], roughness = 0.0f, alpha_clip = 0.0f;
    mrw_material out = {.alpha_cutoff = 0.5f, .base_color = {1, 1, 1, 1}};
    out.base_color_texture = (mrw_texture_use){MRW_NONE, 0, {1, 0, 0, 0, 1, 0}};
    bool good = mrwi_load_m3d_line(m, "Name:", name, sizeof name) &&
                mrwi_load_m3d_expect(m, "Diffuse:") && mrwi_load_m3d_floats(m, 3, out.base_color) &&
                mrwi_load_m3d_expect(m, "Fresnel0:") && mrwi_load_m3d_floats(m, 3, fresnel) &&
                mrwi_load_m3d_expect(m, "Roughness:") && mrwi_load_m3d_float(m, &roughness) &&
                mrwi_load_m3d_expect(m, "AlphaClip:") && mrwi_load_m3d_float(m, &alpha_clip) &&
                mrwi_load_m3d_line(m, "MaterialTypeName:", type, sizeof type) &&
                mrwi_load_m3d_line(m, "DiffuseMap:", diffuse, sizeof diffuse) &&
                mrwi_load_m3d_line(m, "NormalMap:", normal, sizeof normal);
    if (!good) {
        return false;
    }
    if (alpha_clip != 0.0f) {
        out.alpha_mode = MRW_ALPHA_MASK;
        out.alpha_cutoff = ALPHA_CUTOFF;
    }
    if (diffuse[0] != '\0' && strcmp(diffuse, "none") != 0 &&
        !push_texture(m, index, diffuse, &out.base_color_texture.texture)) {
        return false;
    }
    m->names[index] = keep_text(m, name);
    return m->names[index] &&
           mrwi_load_m3d_ok(m, mrwi_scene_builder_material(m->builder, name, &out,
                                                           &m->materials[index], m->error));
}

bool mrwi_load_m3d_read_materials(mrwi_load_m3d *m)
{
    m->materials = mrwi_load_m3d_keep(m, m->material_count, sizeof *m->materials);
    m->names = mrwi_load_m3d_keep(m, m->material_count, sizeof *m->names);
    m->paths = mrwi_load_m3d_keep(m, m->material_count, sizeof *m->paths);
    m->images = mrwi_load_m3d_keep(m, m->material_count, sizeof *m->images);
    bool good = m->status == MRW_OK && mrwi_load_m3d_section(m, "Materials");
    for (uint32_t i = 0; good && i < m->material_count; i++) {
        good = read_material(m, i);
    }
    return good;
}

/* ---- subsets --------------------------------------------------------------------------------- */

/* The range of vertices is not needed: the triangles say what they use. */
static bool read_subset(mrwi_load_m3d *m, mrwi_load_m3d_subset *out)
{
    uint32_t ignored = 0;
    bool good =
        mrwi_load_m3d_expect(m, "SubsetID:") &&
        mrwi_load_m3d_uint(m, m->material_count - 1, &out->material) &&
        mrwi_load_m3d_expect(m, "VertexStart:") && mrwi_load_m3d_uint(m, UINT32_MAX, &ignored) &&
        mrwi_load_m3d_expect(m, "VertexCount:") && mrwi_load_m3d_uint(m, UINT32_MAX, &ignored) &&
        mrwi_load_m3d_expect(m, "FaceStart:") &&
        mrwi_load_m3d_uint(m, m->triangle_count, &out->first_triangle) &&
        mrwi_load_m3d_expect(m, "FaceCount:");
    return good &&
           mrwi_load_m3d_uint(m, m->triangle_count - out->first_triangle, &out->triangle_count);
}

bool mrwi_load_m3d_read_subsets(mrwi_load_m3d *m)
{
    m->subsets = mrwi_load_m3d_keep(m, m->material_count, sizeof *m->subsets);
    bool good = m->subsets && mrwi_load_m3d_section(m, "SubsetTable");
    for (uint32_t i = 0; good && i < m->material_count; i++) {
        good = read_subset(m, &m->subsets[i]);
    }
    return good;
}

/* ---- vertices -------------------------------------------------------------------------------- */

/* Three weights are used as stored, the fourth is what is left to one; a fourth number that may
 * stand there is not read (the book's vertex has three). */
static bool read_influences(mrwi_load_m3d *m, uint32_t vertex)
{
    float *weights = m->weights + (size_t)vertex * 4;
    uint32_t *joints = m->joints + (size_t)vertex * 4;
    float stored = 0.0f;
    if (!mrwi_load_m3d_expect(m, "BlendWeights:") || !mrwi_load_m3d_floats(m, 3, weights) ||
        !(mrwi_load_m3d_next_is(m, "BlendIndices:") || mrwi_load_m3d_float(m, &stored)) ||
        !mrwi_load_m3d_expect(m, "BlendIndices:")) {
        return false;
    }
    float rest = 1.0f - weights[0] - weights[1] - weights[2];
    weights[3] = rest > LEAST_REST ? rest : 0.0f;
    for (uint32_t i = 0; i < 4; i++) {
        if (!mrwi_load_m3d_uint(m, m->bone_count - 1, &joints[i])) {
            return false;
        }
    }
    return true;
}

/* Tangents are not read: those that are needed follow from the normals and texture coordinates. */
static bool read_vertex(mrwi_load_m3d *m, uint32_t vertex)
{
    float *position = m->positions + (size_t)vertex * 3, *normal = m->normals + (size_t)vertex * 3;
    float tangent[4];
    bool good = mrwi_load_m3d_expect(m, "Position:") && mrwi_load_m3d_floats(m, 3, position) &&
                mrwi_load_m3d_expect(m, "Tangent:") && mrwi_load_m3d_floats(m, 4, tangent) &&
                mrwi_load_m3d_expect(m, "Normal:") && mrwi_load_m3d_floats(m, 3, normal) &&
                mrwi_load_m3d_expect(m, "Tex-Coords:") &&
                mrwi_load_m3d_floats(m, 2, m->uvs + (size_t)vertex * 2) &&
                (m->bone_count == 0 || read_influences(m, vertex));
    position[2] = -position[2];
    normal[2] = -normal[2];
    return good;
}

bool mrwi_load_m3d_read_vertices(mrwi_load_m3d *m)
{
    size_t count = m->vertex_count;
    m->positions = mrwi_load_m3d_keep(m, count, 3 * sizeof *m->positions);
    m->normals = mrwi_load_m3d_keep(m, count, 3 * sizeof *m->normals);
    m->uvs = mrwi_load_m3d_keep(m, count, 2 * sizeof *m->uvs);
    if (m->bone_count > 0) {
        m->joints = mrwi_load_m3d_keep(m, count, 4 * sizeof *m->joints);
        m->weights = mrwi_load_m3d_keep(m, count, 4 * sizeof *m->weights);
    }
    bool good = m->status == MRW_OK && mrwi_load_m3d_charge(m, count) &&
                mrwi_load_m3d_section(m, "Vertices");
    for (uint32_t i = 0; good && i < m->vertex_count; i++) {
        good = read_vertex(m, i);
    }
    return good;
}

bool mrwi_load_m3d_read_triangles(mrwi_load_m3d *m)
{
    uint32_t corners = 3 * m->triangle_count;
    m->indices = mrwi_load_m3d_keep(m, corners, sizeof *m->indices);
    bool good =
        m->indices && mrwi_load_m3d_charge(m, corners) && mrwi_load_m3d_section(m, "Triangles");
    if (good && corners > 0 && m->vertex_count == 0) {
        return mrwi_load_m3d_fail(m, "there are triangles but no vertices");
    }
    for (uint32_t i = 0; good && i < corners; i++) {
        good = mrwi_load_m3d_uint(m, m->vertex_count - 1, &m->indices[i]);
    }
    return good;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* The smallest range of vertices that the corners use. */
static void find_range(const uint32_t *indices, uint32_t count, uint32_t *first, uint32_t *last)
{
    *first = UINT32_MAX;
    *last = 0;
    for (uint32_t i = 0; i < count; i++) {
        *first = indices[i] < *first ? indices[i] : *first;
        *last = indices[i] > *last ? indices[i] : *last;
    }
}

/* A mesh of the file's material or MRW_NONE, of the vertices first ... last; corners (changed) are
 * counted from the first. */
static bool push_mesh(mrwi_load_m3d *m, uint32_t material, uint32_t *corners, uint32_t corner_count,
                      uint32_t node)
{
    uint32_t first = 0, last = 0, mesh = 0;
    find_range(corners, corner_count, &first, &last);
    if (!mrwi_load_m3d_charge(m, (uint64_t)last - first + 1)) {
        return false;
    }
    for (uint32_t i = 0; i < corner_count; i++) {
        corners[i] -= first;
    }
    bool none = material == MRW_NONE;
    mrwi_scene_mesh_input in = {.name = none ? NULL : m->names[material],
                                .material = none ? MRW_NONE : m->materials[material],
                                .vertex_count = last - first + 1,
                                .indices = corners,
                                .index_count = corner_count,
                                .positions = m->positions + (size_t)first * 3,
                                .normals = m->normals + (size_t)first * 3,
                                .uvs = {m->uvs + (size_t)first * 2, NULL}};
    if (m->bone_count > 0) {
        in.influence_count = 4;
        in.joints = m->joints + (size_t)first * 4;
        in.weights = m->weights + (size_t)first * 4;
        in.joint_limit = m->bone_count;
    }
    return mrwi_load_m3d_ok(m, mrwi_scene_builder_mesh(m->builder, &in, &mesh, m->error)) &&
           mrwi_load_m3d_ok(m, mrwi_scene_builder_draw(m->builder, node, mesh,
                                                       m->bone_count > 0 ? 0 : MRW_NONE, m->error));
}

static bool push_subset(mrwi_load_m3d *m, const mrwi_load_m3d_subset *subset, uint32_t node)
{
    uint32_t count = 3 * subset->triangle_count;
    uint32_t *corners = count > 0 ? mrwi_base_alloc(count, sizeof *corners) : NULL;
    if (count == 0) {
        return true;
    }
    if (!corners) {
        return mrwi_load_m3d_ok(m, mrwi_base_fail_memory(m->error, 0));
    }
    memcpy(corners, m->indices + 3 * (size_t)subset->first_triangle, count * sizeof *corners);
    bool good = mrwi_load_m3d_charge(m, count) && show_texture(m, subset->material) &&
                push_mesh(m, subset->material, corners, count, node);
    mrwi_base_free(corners);
    return good;
}

bool mrwi_load_m3d_push_meshes(mrwi_load_m3d *m)
{
    mrwi_scene_node_input in = {
        .name = "Mesh", .parent = MRW_NONE, .rest = {.rotation = {0, 0, 0, 1}}};
    in.rest.scale[0] = in.rest.scale[1] = in.rest.scale[2] = 1.0f;
    uint32_t node = 0;
    bool good = mrwi_load_m3d_ok(m, mrwi_scene_builder_node(m->builder, &in, &node, m->error));
    if (good && m->material_count == 0 && m->triangle_count > 0) {
        return push_mesh(m, MRW_NONE, m->indices, 3 * m->triangle_count, node);
    }
    for (uint32_t i = 0; good && i < m->material_count; i++) {
        good = push_subset(m, &m->subsets[i], node);
    }
    return good;
}
