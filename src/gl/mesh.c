/* mesh.c: uploads the geometry of draws that are drawn in one call. */
#include "gl/store.h"

#include <stdlib.h>
#include <string.h>

static mrw_status fail_memory(mrw_error *error)
{
    return mrw_fail_memory(error, 0);
}

static const mrw_mesh *mesh_of(const mrw_vertex_source *source)
{
    return &source->scene->meshes[source->scene->draws[source->draw].mesh];
}

/* Lists the influences of a part, from index n on. Returns the index after the last one. */
static uint32_t list_influences(const mrw_skin_job *skin, uint32_t part, uint32_t n,
                                uint32_t (*ranges)[4], float (*influences)[2])
{
    for (uint32_t g = 0; g < skin->group_count; g++) {
        const mrw_skin_group *group = &skin->groups[g];
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            uint32_t *range = ranges[group->first_vertex + v];
            range[0] = n;
            range[1] = group->influence_count;
            range[2] = part;
            for (size_t i = (size_t)v * group->influence_count, k = 0; k < group->influence_count;
                 k++, n++) {
                influences[n][0] = (float)group->joints[i + k];
                influences[n][1] = group->weights[i + k];
            }
        }
    }
    return n;
}

static mrw_status fill_influences(gl_mesh *mesh, const gl_parts *parts, mrw_error *error)
{
    size_t total = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        const mrw_skin_job *skin = &parts->sources[p].skin;
        for (uint32_t g = 0; g < skin->group_count; g++) {
            total += (size_t)skin->groups[g].vertex_count * skin->groups[g].influence_count;
        }
    }
    uint32_t(*ranges)[4] = calloc((size_t)mesh->vertex_count + 1, sizeof *ranges);
    float(*influences)[2] = calloc(total + 1, sizeof *influences);
    mrw_status status = MRW_OK;
    if (!ranges || !influences) {
        status = fail_memory(error);
        goto out;
    }
    for (uint32_t p = 0, n = 0, first = 0; p < parts->count; p++) {
        n = list_influences(&parts->sources[p].skin, p, n, ranges + first, influences);
        first += parts->draws[p].vertex_count;
    }
    status = gl_table_fill(&mesh->skin.ranges, GL_RGBA32UI, ranges,
                           mesh->vertex_count * sizeof *ranges, error);
    if (status) {
        goto out;
    }
    status = gl_table_fill(&mesh->skin.influences, GL_RG32F, influences, total * sizeof *influences,
                           error);
out:
    free(ranges);
    free(influences);
    return status;
}

/* Counts the morph entries of each vertex in ranges[][1]. Returns their total. */
static size_t count_entries(const mrw_vertex_source *source, uint32_t (*ranges)[2])
{
    const mrw_scene *scene = source->scene;
    const mrw_mesh *mesh = mesh_of(source);
    size_t total = 0;
    for (uint32_t t = 0; t < mesh->target_count; t++) {
        const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
        total += target->entry_count;
        for (uint32_t e = 0; e < target->entry_count; e++) {
            ranges[scene->morph_vertices[target->first_entry + e]][1]++;
        }
    }
    return total;
}

/* Lists the morph entries, vertex by vertex, in the order of the targets. Targets are numbered from
 * first_target on. */
static void list_entries(const mrw_vertex_source *source, uint32_t first_target,
                         uint32_t (*ranges)[2], float (*entries)[12])
{
    const mrw_scene *scene = source->scene;
    const mrw_mesh *mesh = mesh_of(source);
    for (uint32_t t = 0; t < mesh->target_count; t++) {
        const mrw_morph_target *target = &scene->targets[mesh->first_target + t];
        for (uint32_t e = 0; e < target->entry_count; e++) {
            uint32_t *range = ranges[scene->morph_vertices[target->first_entry + e]];
            float *entry = entries[range[0] + range[1]++];
            memcpy(entry, scene->morph_positions + 3 * ((size_t)target->first_entry + e),
                   3 * sizeof *entry);
            entry[3] = (float)(first_target + t);
            if (target->normal != MRW_NONE) {
                memcpy(entry + 4, scene->morph_normals + 3 * ((size_t)target->normal + e),
                       3 * sizeof *entry);
            }
            if (target->tangent != MRW_NONE) {
                memcpy(entry + 8, scene->morph_tangents + 3 * ((size_t)target->tangent + e),
                       3 * sizeof *entry);
            }
        }
    }
}

/* Turns counts into first entries and empty ranges. */
static void begin_ranges(uint32_t (*ranges)[2], uint32_t count)
{
    for (uint32_t v = 0, next = 0; v < count; v++) {
        ranges[v][0] = next;
        next += ranges[v][1];
        ranges[v][1] = 0;
    }
}

static mrw_status fill_morphs(gl_mesh *mesh, const gl_parts *parts, mrw_error *error)
{
    uint32_t(*ranges)[2] = calloc((size_t)mesh->vertex_count + 1, sizeof *ranges);
    float(*entries)[12] = NULL;
    mrw_status status = MRW_OK;
    size_t total = 0;
    if (!ranges) {
        return fail_memory(error);
    }
    for (uint32_t p = 0, first = 0; p < parts->count; p++) {
        total += count_entries(&parts->sources[p], ranges + first);
        first += parts->draws[p].vertex_count;
    }
    entries = calloc(total + 1, sizeof *entries);
    if (!entries) {
        status = fail_memory(error);
        goto out;
    }
    begin_ranges(ranges, mesh->vertex_count);
    for (uint32_t p = 0, first = 0, target = 0; p < parts->count; p++) {
        list_entries(&parts->sources[p], target, ranges + first, entries);
        first += parts->draws[p].vertex_count;
        target += mesh_of(&parts->sources[p])->target_count;
    }
    status = gl_table_fill(&mesh->skin.morph_ranges, GL_RG32UI, ranges,
                           mesh->vertex_count * sizeof *ranges, error);
    if (status) {
        goto out;
    }
    status = gl_table_fill(&mesh->skin.morph_entries, GL_RGBA32F, entries, total * sizeof *entries,
                           error);
out:
    free(ranges);
    free(entries);
    return status;
}

static mrw_status fill_triangles(gl_mesh *mesh, const gl_parts *parts, mrw_error *error)
{
    const size_t count = mesh->triangle_count;
    uint32_t *indices = malloc((3 * count + 1) * sizeof *indices);
    uint32_t(*triangles)[2] = malloc((count + 1) * sizeof *triangles);
    mrw_status status = MRW_OK;
    size_t n = 0;
    if (!indices || !triangles) {
        status = fail_memory(error);
        goto out;
    }
    for (uint32_t p = 0, first = 0; p < parts->count; p++) {
        const mrw_raster_draw *draw = &parts->draws[p];
        for (uint32_t t = 0; t < draw->triangle_count; t++, n++) {
            triangles[n][0] = p;
            triangles[n][1] = t;
            for (size_t k = 0; k < 3; k++) {
                indices[3 * n + k] = first + draw->indices[3 * (size_t)t + k];
            }
        }
        first += draw->vertex_count;
    }
    status = gl_table_fill(&mesh->surface.indices, GL_R32UI, indices, 3 * count * sizeof *indices,
                           error);
    if (status) {
        goto out;
    }
    status = gl_table_fill(&mesh->surface.triangles, GL_RG32UI, triangles,
                           count * sizeof *triangles, error);
out:
    free(indices);
    free(triangles);
    return status;
}

/* Uploads all texture coordinates, two sets per texel. */
static mrw_status fill_uvs(gl_mesh *mesh, const gl_parts *parts, mrw_error *error)
{
    const mrw_raster_material *material = parts->draws[0].material;
    uint32_t sets = 1;
    for (uint32_t m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        const mrw_raster_map *map = &material->maps[m];
        sets = map->texture && map->uvs + 1 > sets ? map->uvs + 1 : sets;
    }
    mesh->surface.uv_texels = (sets + 1) / 2;
    const size_t count = (size_t)mesh->surface.uv_texels * mesh->vertex_count;
    float(*texels)[4] = calloc(count + 1, sizeof *texels), (*part)[4] = texels;
    if (!texels) {
        return fail_memory(error);
    }
    for (uint32_t p = 0; p < parts->count; p++) {
        const mrw_raster_draw *draw = &parts->draws[p];
        for (uint32_t k = 0; k < sets; k++) {
            const float *uvs = k == 0 ? draw->uvs : draw->more_uvs[k - 1].uvs;
            for (uint32_t v = 0; v < draw->vertex_count && uvs; v++) {
                memcpy(&part[(size_t)v * mesh->surface.uv_texels + k / 2][2 * (k % 2)],
                       uvs + 2 * (size_t)v, 2 * sizeof *uvs);
            }
        }
        part += (size_t)mesh->surface.uv_texels * draw->vertex_count;
    }
    const mrw_status status =
        gl_table_fill(&mesh->surface.uvs, GL_RGBA32F, texels, count * sizeof *texels, error);
    free(texels);
    return status;
}

mrw_status gl_table_fill_colors(gl_table *table, const gl_parts *parts, mrw_error *error)
{
    size_t count = 0, first = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        count += parts->draws[p].vertex_count;
    }
    float(*colors)[4] = malloc((count + 1) * sizeof *colors);
    if (!colors) {
        return fail_memory(error);
    }
    for (uint32_t p = 0; p < parts->count; p++) {
        const mrw_raster_draw *draw = &parts->draws[p];
        memcpy(colors + first, draw->colors, draw->vertex_count * sizeof *colors);
        first += draw->vertex_count;
    }
    const mrw_status status =
        gl_table_fill(table, GL_RGBA32F, colors, count * sizeof *colors, error);
    free(colors);
    return status;
}

static const float *stream_of(const mrw_skin_job *skin, int which)
{
    return which == 0 ? skin->positions : which == 1 ? skin->normals : skin->tangents;
}

static void fill_stream(gl_mesh *mesh, const gl_parts *parts, int which)
{
    const size_t floats = which == 2 ? 4 : 3;
    size_t first = 0;
    if (!stream_of(&parts->sources[0].skin, which)) {
        return;
    }
    glGenBuffers(1, &mesh->skin.streams[which]);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->skin.streams[which]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->vertex_count * floats * sizeof(float)), NULL,
                 GL_STATIC_DRAW);
    for (uint32_t p = 0; p < parts->count; p++) {
        const size_t bytes = parts->draws[p].vertex_count * floats * sizeof(float);
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)first, (GLsizeiptr)bytes,
                        stream_of(&parts->sources[p].skin, which));
        first += bytes;
    }
    glEnableVertexAttribArray((GLuint)which);
    glVertexAttribPointer((GLuint)which, (GLint)floats, GL_FLOAT, GL_FALSE, 0, NULL);
}

/* Uploads the inputs of skin.vert. */
static mrw_status fill_sources(gl_mesh *mesh, const gl_parts *parts, mrw_error *error)
{
    glGenVertexArrays(1, &mesh->skin.array);
    glBindVertexArray(mesh->skin.array);
    for (int which = 0; which < 3; which++) {
        fill_stream(mesh, parts, which);
    }
    glBindVertexArray(0);
    mesh->surface.tangents = parts->sources[0].skin.tangents;
    for (uint32_t p = 0; p < parts->count; p++) {
        mesh->skin.target_count += mesh_of(&parts->sources[p])->target_count;
    }
    mrw_status status = fill_influences(mesh, parts, error);
    if (status) {
        return status;
    }
    return mesh->skin.target_count > 0 ? fill_morphs(mesh, parts, error) : MRW_OK;
}

mrw_status gl_mesh_fill(gl_mesh *mesh, const gl_parts *parts, mrw_error *error)
{
    mesh->part_count = parts->count;
    for (uint32_t p = 0; p < parts->count; p++) {
        mesh->vertex_count += parts->draws[p].vertex_count;
        mesh->triangle_count += parts->draws[p].triangle_count;
    }
    mrw_status status = fill_triangles(mesh, parts, error);
    if (status) {
        return status;
    }
    status = fill_uvs(mesh, parts, error);
    if (status) {
        return status;
    }
    if (parts->draws[0].colors) {
        status = gl_table_fill_colors(&mesh->surface.colors, parts, error);
        if (status) {
            return status;
        }
    }
    if (!parts->sources[0].model) {
        mesh->surface.tangents = parts->draws[0].tangents;
        return MRW_OK;
    }
    status = fill_sources(mesh, parts, error);
    mesh->bytes = mesh->surface.indices.size + mesh->surface.triangles.size +
                  mesh->surface.uvs.size + mesh->surface.colors.size + mesh->skin.ranges.size +
                  mesh->skin.influences.size + mesh->skin.morph_entries.size +
                  mesh->skin.morph_ranges.size + (size_t)mesh->vertex_count * 40;
    return status;
}

void gl_mesh_free(gl_mesh *mesh)
{
    gl_table *const tables[] = {&mesh->skin.ranges,       &mesh->skin.influences,
                                &mesh->skin.morph_ranges, &mesh->skin.morph_entries,
                                &mesh->surface.indices,   &mesh->surface.triangles,
                                &mesh->surface.uvs,       &mesh->surface.colors};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        gl_table_free(tables[i]);
    }
    glDeleteBuffers(3, mesh->skin.streams);
    glDeleteVertexArrays(1, &mesh->skin.array);
    free(mesh);
}
