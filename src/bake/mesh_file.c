/* mesh_file.c: posed meshes as Wavefront OBJ and as binary PLY. */
#include "marrow/bake.h"
#include "marrow/text.h"

#include "base/parallel.h"
#include "base/text.h"
#include "marrow/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const mrw_mesh *mesh_of(const mrw_scene *scene, uint32_t draw)
{
    return &scene->meshes[scene->draws[draw].mesh];
}

/* ---- OBJ ------------------------------------------------------------------------------------- */

/* Writes a line: a word and numbers. */
static void put_row(mrw_text *out, const char *word, const float *values, int count)
{
    mrw_text_puts(out, word);
    for (int i = 0; i < count; i++) {
        mrw_text_puts(out, " ");
        mrw_text_float(out, values[i]);
    }
    mrw_text_put(out, "\n", 1);
}

/* Numbers of v, vt and vn lines so far: OBJ counts through the whole file, from 1. */
typedef struct obj_base {
    uint64_t vertices;
    uint64_t uvs;
} obj_base;

static void put_corner(mrw_text *out, const obj_base *base, uint32_t index, bool uvs)
{
    char text[72];
    const uint64_t v = base->vertices + index + 1;
    if (uvs) {
        snprintf(text, sizeof text, " %" PRIu64 "/%" PRIu64 "/%" PRIu64, v, base->uvs + index + 1,
                 v);
    } else {
        snprintf(text, sizeof text, " %" PRIu64 "//%" PRIu64, v, v);
    }
    mrw_text_puts(out, text);
}

static void put_obj_draw(const mrw_scene *scene, const mrw_posed_draw *posed, obj_base *base,
                         mrw_text *out)
{
    const mrw_draw *draw = &scene->draws[posed->draw];
    const mrw_mesh *mesh = mesh_of(scene, posed->draw);
    const uint32_t *indices = scene->indices + mesh->first_index;
    const float *uvs = mesh->uv[0] == MRW_NONE ? NULL : scene->uvs + 2 * (size_t)mesh->uv[0];
    char node[256], name[256], title[544];
    mrwi_base_file_name(mrw_scene_string(scene, scene->nodes[draw->node].name), node, sizeof node);
    mrwi_base_file_name(mrw_scene_string(scene, mesh->name), name, sizeof name);
    snprintf(title, sizeof title, "o %u_%s_%s\n", posed->draw, node, name);
    mrw_text_puts(out, title);
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        put_row(out, "v", posed->positions + 4 * (size_t)v, 3);
    }
    for (uint32_t v = 0; uvs && v < posed->vertex_count; v++) {
        const float uv[2] = {uvs[2 * (size_t)v],
                             1.0f - uvs[2 * (size_t)v + 1]}; /* OBJ's origin is at the bottom */
        put_row(out, "vt", uv, 2);
    }
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        put_row(out, "vn", posed->normals + 4 * (size_t)v, 3);
    }
    for (uint32_t t = 0; t < posed->triangle_count; t++, indices += 3) {
        mrw_text_put(out, "f", 1);
        put_corner(out, base, indices[0], uvs);
        put_corner(out, base, indices[posed->mirrored ? 2 : 1], uvs);
        put_corner(out, base, indices[posed->mirrored ? 1 : 2], uvs);
        mrw_text_put(out, "\n", 1);
    }
    base->vertices += posed->vertex_count;
    base->uvs += uvs ? posed->vertex_count : 0;
}

static void put_obj(const mrw_scene *scene, const mrw_posed_draw *posed, mrw_text *out)
{
    obj_base base = {0, 0};
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        if (posed[d].triangle_count > 0) {
            put_obj_draw(scene, &posed[d], &base, out);
        }
    }
}

/* ---- PLY ------------------------------------------------------------------------------------- */

static void put_u32(mrw_text *out, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    mrw_text_put(out, bytes, 4);
}

static void put_f32(mrw_text *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put_u32(out, bits);
}

static void put_ply_vertices(const mrw_scene *scene, const mrw_posed_draw *posed, mrw_text *out)
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
                          mrw_text *out)
{
    static const uint8_t three = 3;
    const mrw_mesh *mesh = mesh_of(scene, posed->draw);
    const uint32_t *indices = scene->indices + mesh->first_index;
    for (uint32_t t = 0; t < posed->triangle_count; t++, indices += 3) {
        mrw_text_put(out, &three, 1);
        put_u32(out, base + indices[0]);
        put_u32(out, base + indices[posed->mirrored ? 2 : 1]);
        put_u32(out, base + indices[posed->mirrored ? 1 : 2]);
    }
}

static mrw_status put_ply(const mrw_scene *scene, const mrw_posed_draw *posed, mrw_text *out,
                          mrw_error *error)
{
    char head[320];
    uint64_t vertices = 0, faces = 0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        vertices += posed[d].vertex_count;
        faces += posed[d].triangle_count;
    }
    if (vertices > INT32_MAX) { /* readers take signed indices */
        return mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                              "%" PRIu64 " vertices are too many for a .ply file", vertices);
    }
    snprintf(head, sizeof head,
             "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu64
             "\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\n"
             "property float ny\nproperty float nz\nproperty float s\nproperty float t\n"
             "element face %" PRIu64 "\nproperty list uchar int vertex_indices\nend_header\n",
             vertices, faces);
    mrw_text_puts(out, head);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        put_ply_vertices(scene, &posed[d], out);
    }
    uint32_t base = 0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        put_ply_faces(scene, &posed[d], base, out);
        base += posed[d].vertex_count;
    }
    return MRW_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

mrw_status mrw_bake_mesh_encode(const mrw_scene *scene, const mrw_posed_draw *posed,
                                mrw_bake_format format, mrw_bytes *out, mrw_error *error)
{
    mrw_text file = {0};
    mrw_status status = MRW_OK;
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    if (format == MRW_BAKE_PLY) {
        status = put_ply(scene, posed, &file, error);
    } else {
        put_obj(scene, posed, &file);
    }
    mrwi_base_fp_leave(fp);
    if (status) {
        goto out;
    }
    status = mrw_text_take(&file, out, error);
out:
    mrw_text_free(&file);
    return status;
}

mrw_status mrw_bake_mesh_write(const mrw_scene *scene, const mrw_posed_draw *posed,
                               mrw_bake_format format, const char *path, mrw_error *error)
{
    mrw_bytes file = {0};
    mrw_status status = mrw_bake_mesh_encode(scene, posed, format, &file, error);
    if (status) {
        goto out;
    }
    status = mrw_file_write(path, file.data ? (const void *)file.data : "", file.size, error);
out:
    mrw_bytes_free(&file);
    return status;
}
