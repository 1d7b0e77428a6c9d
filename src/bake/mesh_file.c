/* mesh_file.c: posed meshes as Wavefront OBJ and as binary PLY. */
#include "cli/cli.h"

#include <string.h>

static const mrw_mesh *mesh_of(const mrw_scene *scene, uint32_t draw)
{
    return &scene->meshes[scene->draws[draw].mesh];
}

/* ---- OBJ ---- */

/* One line of numbers. */
static void put_row(cli_text *out, const char *word, const float *values, int count)
{
    cli_text_add(out, "%s", word);
    for (int i = 0; i < count; i++) {
        cli_text_add(out, " ");
        cli_text_float(out, values[i]);
    }
    cli_text_add(out, "\n");
}

/* How many v, vt and vn lines came before: OBJ counts through the whole file, from 1. */
typedef struct obj_base {
    uint64_t vertices;
    uint64_t uvs;
} obj_base;

static void put_corner(cli_text *out, const obj_base *base, uint32_t index, bool uvs)
{
    unsigned long long v = base->vertices + index + 1;
    if (uvs) {
        cli_text_add(out, " %llu/%llu/%llu", v, (unsigned long long)base->uvs + index + 1, v);
    } else {
        cli_text_add(out, " %llu//%llu", v, v);
    }
}

static void put_obj_draw(const mrw_scene *scene, const mrw_posed_draw *posed, obj_base *base,
                         cli_text *out)
{
    const mrw_draw *draw = &scene->draws[posed->draw];
    const mrw_mesh *mesh = mesh_of(scene, posed->draw);
    const uint32_t *indices = scene->indices + mesh->first_index;
    const float *uvs = mesh->uv[0] == MRW_NONE ? NULL : scene->uvs + 2 * (size_t)mesh->uv[0];
    char node[256], name[256];
    mrw_safe_file_name(mrw_scene_string(scene, scene->nodes[draw->node].name), node, sizeof node);
    mrw_safe_file_name(mrw_scene_string(scene, mesh->name), name, sizeof name);
    cli_text_add(out, "o %u_%s_%s\n", posed->draw, node, name);
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        put_row(out, "v", posed->positions + 4 * (size_t)v, 3);
    }
    for (uint32_t v = 0; uvs && v < posed->vertex_count; v++) {
        const float uv[2] = {uvs[2 * (size_t)v], 1.0f - uvs[2 * (size_t)v + 1]}; /* origin below */
        put_row(out, "vt", uv, 2);
    }
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        put_row(out, "vn", posed->normals + 4 * (size_t)v, 3);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++, indices += 3) {
        cli_text_add(out, "f");
        put_corner(out, base, indices[0], uvs != NULL);
        put_corner(out, base, indices[posed->mirrored ? 2 : 1], uvs != NULL);
        put_corner(out, base, indices[posed->mirrored ? 1 : 2], uvs != NULL);
        cli_text_add(out, "\n");
    }
    base->vertices += posed->vertex_count;
    base->uvs += uvs ? posed->vertex_count : 0;
}

mrw_status cli_write_obj(const mrw_scene *scene, const mrw_posed_draw *posed, cli_text *out,
                         mrw_error *error)
{
    obj_base base = {0, 0};
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        if (mesh_of(scene, posed[d].draw)->triangle_count > 0) {
            put_obj_draw(scene, &posed[d], &base, out);
        }
    }
    return out->failed ? cli_fail_memory(error) : MRW_OK;
}

/* ---- PLY ---- */

static void put_u32(cli_text *out, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    cli_text_put(out, bytes, 4);
}

static void put_f32(cli_text *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put_u32(out, bits);
}

static void put_ply_vertices(const mrw_scene *scene, const mrw_posed_draw *posed, cli_text *out)
{
    const mrw_mesh *mesh = mesh_of(scene, posed->draw);
    const float *uvs = mesh->uv[0] == MRW_NONE ? NULL : scene->uvs + 2 * (size_t)mesh->uv[0];
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            put_f32(out, posed->positions[4 * (size_t)v + (size_t)k]);
        }
        for (int k = 0; k < 3; k++) {
            put_f32(out, posed->normals[4 * (size_t)v + (size_t)k]);
        }
        put_f32(out, uvs ? uvs[2 * (size_t)v] : 0.0f);
        put_f32(out, uvs ? 1.0f - uvs[2 * (size_t)v + 1] : 0.0f);
    }
}

static void put_ply_faces(const mrw_scene *scene, const mrw_posed_draw *posed, uint32_t base,
                          cli_text *out)
{
    static const uint8_t three = 3;
    const mrw_mesh *mesh = mesh_of(scene, posed->draw);
    const uint32_t *indices = scene->indices + mesh->first_index;
    for (uint32_t t = 0; t < mesh->triangle_count; t++, indices += 3) {
        cli_text_put(out, &three, 1);
        put_u32(out, base + indices[0]);
        put_u32(out, base + indices[posed->mirrored ? 2 : 1]);
        put_u32(out, base + indices[posed->mirrored ? 1 : 2]);
    }
}

mrw_status cli_write_ply(const mrw_scene *scene, const mrw_posed_draw *posed, cli_text *out,
                         mrw_error *error)
{
    uint64_t vertices = 0, faces = 0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        vertices += posed[d].vertex_count;
        faces += mesh_of(scene, posed[d].draw)->triangle_count;
    }
    if (vertices > INT32_MAX) { /* readers take signed indices */
        return cli_fail(error, MRW_ERROR_OUTPUT, "%llu vertices are too many for a .ply file",
                        (unsigned long long)vertices);
    }
    cli_text_add(out,
                 "ply\nformat binary_little_endian 1.0\nelement vertex %llu\nproperty float x\n"
                 "property float y\nproperty float z\nproperty float nx\nproperty float ny\n"
                 "property float nz\nproperty float s\nproperty float t\nelement face %llu\n"
                 "property list uchar int vertex_indices\nend_header\n",
                 (unsigned long long)vertices, (unsigned long long)faces);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        put_ply_vertices(scene, &posed[d], out);
    }
    uint32_t base = 0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        put_ply_faces(scene, &posed[d], base, out);
        base += posed[d].vertex_count;
    }
    return out->failed ? cli_fail_memory(error) : MRW_OK;
}
