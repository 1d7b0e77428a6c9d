/* m3d_mesh.c: materials, subsets, vertices and triangles of an M3D file. */
#include "base/text.h"
#include "load/m3d.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The three weights of a vertex are stored with about six digits: a rest for the fourth below this
 * is rounding. */
#define LEAST_REST 1e-5f

/* The shaders of the book discard texels of an alpha-tested material below this. */
#define ALPHA_CUTOFF 0.1f

/* ---- materials ------------------------------------------------------------------------------- */

static char *keep_text(mrwi_load_m3d_cursor *c, mrwi_base_arena *kept, const char *text)
{
    char *copy = mrwi_load_m3d_keep(c, kept, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* Converts the book's roughness to that of microfacets; see m3d.h. */
static float roughness_of(float roughness)
{
    const float m = 256.0f * (1.0f - roughness);
    return sqrtf(sqrtf(2.0f / ((m > 0.0f ? m : 0.0f) + 2.0f)));
}

/* Names the image of a map, whose path may be "none". show_texture opens it if it is drawn. */
static bool push_map(mrwi_load_m3d_cursor *c, mrw_map map, const char *path,
                     mrwi_scene_builder *builder, mrwi_base_arena *kept,
                     mrwi_load_m3d_material *material, mrw_material *out)
{
    mrwi_load_texture_source source = {.path = path};
    mrw_texture texture = {.wrap_u = MRW_WRAP_REPEAT, .wrap_v = MRW_WRAP_REPEAT};
    mrwi_load_m3d_image *image = &material->images[map];
    if (path[0] == '\0' || strcmp(path, "none") == 0) {
        return true;
    }
    if (!mrwi_load_m3d_ok(c, mrwi_load_texture_name(builder, &source, &image->index, c->error))) {
        return false;
    }
    texture.image = image->index;
    image->path = mrw_map_info_of(map)->drawn ? keep_text(c, kept, path) : NULL;
    return !c->status &&
           mrwi_load_m3d_ok(c, mrwi_scene_builder_texture(builder, NULL, &texture,
                                                          &out->maps[map].texture, c->error));
}

/* Reads a material. The book multiplies diffuse colours and textures without conversion. */
static bool read_material(mrwi_load_m3d_cursor *c, mrwi_scene_builder *builder,
                          mrwi_base_arena *kept, mrwi_load_m3d_material *material)
{
    char name[256], type[256], diffuse[1024], normal[1024];
    float roughness = 0.0f, alpha_clip = 0.0f;
    mrw_material out = mrw_material_default();
    bool good = mrwi_load_m3d_line(c, "Name:", name, sizeof name) &&
                mrwi_load_m3d_expect(c, "Diffuse:") &&
                mrwi_load_m3d_floats(c, 3, out.maps[MRW_MAP_BASE_COLOR].factor) &&
                mrwi_load_m3d_expect(c, "Fresnel0:") &&
                mrwi_load_m3d_floats(c, 3, out.maps[MRW_MAP_SPECULAR].factor) &&
                mrwi_load_m3d_expect(c, "Roughness:") && mrwi_load_m3d_float(c, &roughness) &&
                mrwi_load_m3d_expect(c, "AlphaClip:") && mrwi_load_m3d_float(c, &alpha_clip) &&
                mrwi_load_m3d_line(c, "MaterialTypeName:", type, sizeof type) &&
                mrwi_load_m3d_line(c, "DiffuseMap:", diffuse, sizeof diffuse) &&
                mrwi_load_m3d_line(c, "NormalMap:", normal, sizeof normal);
    if (!good) {
        return false;
    }
    out.ior = 0.0f;
    out.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[1] = roughness_of(roughness);
    out.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2] = 0.0f;
    if (alpha_clip != 0.0f) {
        out.alpha_mode = MRW_ALPHA_MASK;
        out.alpha_cutoff = ALPHA_CUTOFF;
        material->masked = true;
    }
    if (!push_map(c, MRW_MAP_BASE_COLOR, diffuse, builder, kept, material, &out) ||
        !push_map(c, MRW_MAP_NORMAL, normal, builder, kept, material, &out)) {
        return false;
    }
    material->name = keep_text(c, kept, name);
    return material->name &&
           mrwi_load_m3d_ok(
               c, mrwi_scene_builder_material(builder, name, &out, &material->index, c->error));
}

bool mrwi_load_m3d_read_materials(mrwi_load_m3d_cursor *c, uint32_t count,
                                  mrwi_scene_builder *builder, mrwi_base_arena *kept,
                                  mrwi_load_m3d_material **out)
{
    *out = mrwi_load_m3d_keep(c, kept, count, sizeof **out);
    bool good = *out && mrwi_load_m3d_section(c, "Materials");
    for (uint32_t i = 0; good && i < count; i++) {
        good = read_material(c, builder, kept, &(*out)[i]);
    }
    return good;
}

/* ---- subsets --------------------------------------------------------------------------------- */

/* Reads a subset. The range of vertices is not needed: the triangles say what they use. */
static bool read_subset(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                        mrwi_load_m3d_subset *out)
{
    uint32_t ignored = 0;
    bool good =
        mrwi_load_m3d_expect(c, "SubsetID:") &&
        mrwi_load_m3d_uint(c, header->materials - 1, &out->material) &&
        mrwi_load_m3d_expect(c, "VertexStart:") && mrwi_load_m3d_uint(c, UINT32_MAX, &ignored) &&
        mrwi_load_m3d_expect(c, "VertexCount:") && mrwi_load_m3d_uint(c, UINT32_MAX, &ignored) &&
        mrwi_load_m3d_expect(c, "FaceStart:") &&
        mrwi_load_m3d_uint(c, header->triangles, &out->first_triangle) &&
        mrwi_load_m3d_expect(c, "FaceCount:");
    return good &&
           mrwi_load_m3d_uint(c, header->triangles - out->first_triangle, &out->triangle_count);
}

static bool read_subsets(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                         mrwi_base_arena *kept, mrwi_load_m3d_geometry *out)
{
    out->subsets = mrwi_load_m3d_keep(c, kept, header->materials, sizeof *out->subsets);
    bool good = out->subsets && mrwi_load_m3d_section(c, "SubsetTable");
    for (uint32_t i = 0; good && i < header->materials; i++) {
        good = read_subset(c, header, &out->subsets[i]);
    }
    return good;
}

/* ---- vertices -------------------------------------------------------------------------------- */

/* Reads influences. Three weights are used as stored; the fourth is the rest to one. A fourth
 * number, which may be there, is not read (the book's vertex has three). */
static bool read_influences(mrwi_load_m3d_cursor *c, uint32_t bones, uint32_t joints[4],
                            float weights[4])
{
    float stored = 0.0f;
    if (!mrwi_load_m3d_expect(c, "BlendWeights:") || !mrwi_load_m3d_floats(c, 3, weights) ||
        !(mrwi_load_m3d_next_is(c, "BlendIndices:") || mrwi_load_m3d_float(c, &stored)) ||
        !mrwi_load_m3d_expect(c, "BlendIndices:")) {
        return false;
    }
    float rest = 1.0f - weights[0] - weights[1] - weights[2];
    weights[3] = rest > LEAST_REST ? rest : 0.0f;
    for (uint32_t i = 0; i < 4; i++) {
        if (!mrwi_load_m3d_uint(c, bones - 1, &joints[i])) {
            return false;
        }
    }
    return true;
}

/* Reads a vertex. The mirror reverses cross(normal, tangent); but the file's bitangents, which are
 * that times w, follow v downwards, and ours go up. So w stays. */
static bool read_vertex(mrwi_load_m3d_cursor *c, uint32_t vertex, mrwi_load_m3d_geometry *out)
{
    const size_t at = vertex;
    float *position = out->positions + 3 * at, *normal = out->normals + 3 * at;
    float *tangent = out->tangents + 4 * at;
    bool good = mrwi_load_m3d_expect(c, "Position:") && mrwi_load_m3d_floats(c, 3, position) &&
                mrwi_load_m3d_expect(c, "Tangent:") && mrwi_load_m3d_floats(c, 4, tangent) &&
                mrwi_load_m3d_expect(c, "Normal:") && mrwi_load_m3d_floats(c, 3, normal) &&
                mrwi_load_m3d_expect(c, "Tex-Coords:") &&
                mrwi_load_m3d_floats(c, 2, out->uvs + 2 * at) &&
                (out->bones == 0 ||
                 read_influences(c, out->bones, out->joints + 4 * at, out->weights + 4 * at));
    position[2] = -position[2];
    normal[2] = -normal[2];
    tangent[2] = -tangent[2];
    return good;
}

static bool read_vertices(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                          mrwi_base_arena *kept, mrwi_load_m3d_geometry *out)
{
    size_t count = header->vertices;
    out->positions = mrwi_load_m3d_keep(c, kept, count, 3 * sizeof *out->positions);
    out->normals = mrwi_load_m3d_keep(c, kept, count, 3 * sizeof *out->normals);
    out->tangents = mrwi_load_m3d_keep(c, kept, count, 4 * sizeof *out->tangents);
    out->uvs = mrwi_load_m3d_keep(c, kept, count, 2 * sizeof *out->uvs);
    out->bones = header->bones;
    if (out->bones > 0) {
        out->joints = mrwi_load_m3d_keep(c, kept, count, 4 * sizeof *out->joints);
        out->weights = mrwi_load_m3d_keep(c, kept, count, 4 * sizeof *out->weights);
    }
    if (c->status || !mrwi_load_m3d_charge(c, count) || !mrwi_load_m3d_section(c, "Vertices")) {
        return false;
    }
    for (uint32_t i = 0; i < header->vertices; i++) {
        if (!read_vertex(c, i, out)) {
            return false;
        }
    }
    return true;
}

/* ---- triangles ------------------------------------------------------------------------------- */

static bool read_triangles(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                           mrwi_base_arena *kept, mrwi_load_m3d_geometry *out)
{
    uint32_t corners = 3 * header->triangles;
    out->indices = mrwi_load_m3d_keep(c, kept, corners, sizeof *out->indices);
    if (!out->indices || !mrwi_load_m3d_charge(c, corners) ||
        !mrwi_load_m3d_section(c, "Triangles")) {
        return false;
    }
    if (corners > 0 && header->vertices == 0) {
        return mrwi_load_m3d_fail(c, "there are triangles but no vertices");
    }
    for (uint32_t i = 0; i < corners; i++) {
        if (!mrwi_load_m3d_uint(c, header->vertices - 1, &out->indices[i])) {
            return false;
        }
    }
    return true;
}

bool mrwi_load_m3d_read_geometry(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                                 mrwi_base_arena *kept, mrwi_load_m3d_geometry *out)
{
    return read_subsets(c, header, kept, out) && read_vertices(c, header, kept, out) &&
           read_triangles(c, header, kept, out);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Finds the smallest range of vertices that the corners use. */
static void find_range(const uint32_t *indices, uint32_t count, uint32_t *first, uint32_t *last)
{
    *first = UINT32_MAX;
    *last = 0;
    for (uint32_t i = 0; i < count; i++) {
        *first = indices[i] < *first ? indices[i] : *first;
        *last = indices[i] > *last ? indices[i] : *last;
    }
}

/* Opens the images of a material that is drawn, once. */
static bool show_textures(mrwi_load_m3d_cursor *c, const mrwi_load_read_job *job,
                          mrwi_scene_builder *builder, mrwi_load_texture_budget *left,
                          mrwi_load_m3d_material *material)
{
    char where[140], shown[120];
    bool good = true;
    snprintf(where, sizeof where, "material \"%s\"",
             mrwi_base_escape(material->name, shown, sizeof shown));
    for (int m = 0; m < MRW_MAP_COUNT && good && !job->def->clips_only; m++) {
        mrwi_load_m3d_image *image = &material->images[m];
        const bool cuts = m == MRW_MAP_BASE_COLOR && material->masked;
        mrwi_load_texture_source source = {.path = image->path,
                                           .where = where,
                                           .maps = MRW_MAP_BIT(m) | (cuts ? MRW_MAPS_ALPHA : 0)};
        if (image->path) {
            image->path = NULL;
            good =
                mrwi_load_m3d_ok(c, mrwi_load_texture_show(builder, job->def, job->files, &source,
                                                           image->index, left, c->error));
        }
    }
    return good;
}

/* Makes a mesh of the vertices that the corners use. It changes the corners to count from the first
 * of them. */
static mrwi_scene_mesh_input mesh_of(const mrwi_load_m3d_geometry *geometry, uint32_t *corners,
                                     uint32_t corner_count)
{
    uint32_t first = 0, last = 0;
    find_range(corners, corner_count, &first, &last);
    for (uint32_t i = 0; i < corner_count; i++) {
        corners[i] -= first;
    }
    mrwi_scene_mesh_input mesh = {.vertex_count = last - first + 1,
                                  .indices = corners,
                                  .index_count = corner_count,
                                  .positions = geometry->positions + (size_t)first * 3,
                                  .normals = geometry->normals + (size_t)first * 3,
                                  .tangents = geometry->tangents + (size_t)first * 4,
                                  .tangents_if_drawn = true,
                                  .uvs = {geometry->uvs + (size_t)first * 2, NULL}};
    if (geometry->bones > 0) {
        mesh.influence_count = 4;
        mesh.joints = geometry->joints + (size_t)first * 4;
        mesh.weights = geometry->weights + (size_t)first * 4;
        mesh.joint_limit = geometry->bones;
    }
    return mesh;
}

/* Pushes the mesh of a subset, and draws it under the node. */
static bool push_subset(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_subset *subset,
                        const mrwi_load_m3d_material *material,
                        const mrwi_load_m3d_geometry *geometry, uint32_t node,
                        mrwi_scene_builder *builder)
{
    uint32_t index = 0, count = 3 * subset->triangle_count;
    uint32_t *corners = mrwi_base_alloc(count, sizeof *corners);
    if (!corners) {
        return mrwi_load_m3d_ok(c, mrwi_base_fail_memory(c->error, 0));
    }
    memcpy(corners, geometry->indices + 3 * (size_t)subset->first_triangle,
           count * sizeof *corners);
    mrwi_scene_mesh_input mesh = mesh_of(geometry, corners, count);
    mesh.name = material->name;
    mesh.material = material->index;
    bool good =
        mrwi_load_m3d_charge(c, mesh.vertex_count) &&
        mrwi_load_m3d_ok(c, mrwi_scene_builder_mesh(builder, &mesh, &index, c->error)) &&
        mrwi_load_m3d_ok(c, mrwi_scene_builder_draw(builder, node, index,
                                                    geometry->bones > 0 ? 0 : MRW_NONE, c->error));
    mrwi_base_free(corners);
    return good;
}

bool mrwi_load_m3d_push_meshes(mrwi_load_m3d_cursor *c, const mrwi_load_m3d_header *header,
                               mrwi_load_m3d_material *materials,
                               const mrwi_load_m3d_geometry *geometry,
                               const mrwi_load_read_job *job, mrwi_scene_builder *builder)
{
    mrwi_scene_node_input in = {
        .name = "Mesh", .parent = MRW_NONE, .rest = {.rotation = {0, 0, 0, 1}}};
    in.rest.scale[0] = in.rest.scale[1] = in.rest.scale[2] = 1.0f;
    mrwi_load_texture_budget left = mrwi_load_texture_budget_of(job->def);
    uint32_t node = 0;
    bool good = mrwi_load_m3d_ok(c, mrwi_scene_builder_node(builder, &in, &node, c->error));
    if (good && header->materials == 0 && header->triangles > 0) {
        const mrwi_load_m3d_subset all = {MRW_NONE, 0, header->triangles};
        const mrw_material plain = mrwi_scene_matt();
        mrwi_load_m3d_material material = {.name = NULL};
        return mrwi_load_m3d_ok(c, mrwi_scene_builder_material(builder, NULL, &plain,
                                                               &material.index, c->error)) &&
               push_subset(c, &all, &material, geometry, node, builder);
    }
    for (uint32_t i = 0; good && i < header->materials; i++) {
        const mrwi_load_m3d_subset *subset = &geometry->subsets[i];
        if (subset->triangle_count > 0) {
            mrwi_load_m3d_material *material = &materials[subset->material];
            good = mrwi_load_m3d_charge(c, 3 * (uint64_t)subset->triangle_count) &&
                   show_textures(c, job, builder, &left, material) &&
                   push_subset(c, subset, material, geometry, node, builder);
        }
    }
    return good;
}
