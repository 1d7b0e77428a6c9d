/* iqm_mesh.c: vertices, triangles and materials of an IQM file. */
#include "base/math.h"
#include "base/text.h"
#include "image/color.h"
#include "load/iqm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- vertex arrays --------------------------------------------------------------------------- */

/* More numbers per vertex count as damage: the format's own compiler writes four at most. */
#define MOST_NUMBERS 64

typedef enum kind {
    POSITION,
    TEXCOORD,
    NORMAL,
    TANGENT,
    BLEND_INDEXES,
    BLEND_WEIGHTS,
    COLOR,
    KIND_COUNT
} kind;

static const struct {
    const char *what;
    uint32_t least; /* least numbers per vertex; 0 if the array is not read */
} kinds[KIND_COUNT] = {
    [POSITION] = {"positions", 3},
    [TEXCOORD] = {"texture coordinates", 2},
    [NORMAL] = {"normals", 3},
    [TANGENT] = {"tangents", 0},
    [BLEND_INDEXES] = {"blend indexes", 1},
    [BLEND_WEIGHTS] = {"blend weights", 1},
    [COLOR] = {"colours", 3},
};

/* The numbers of all vertices; at is NULL if there are none. */
typedef struct stream {
    const uint8_t *at;
    mrwi_load_iqm_format format;
    uint32_t width; /* numbers per vertex */
} stream;

static bool read_stream(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, const uint8_t *entry,
                        stream streams[KIND_COUNT])
{
    const uint32_t which = mrwi_load_iqm_u32(entry);
    const uint32_t format = mrwi_load_iqm_u32(entry + 8), width = mrwi_load_iqm_u32(entry + 12);
    mrwi_load_iqm_array found = {0};
    if (which >= KIND_COUNT || kinds[which].least == 0) {
        return true;
    }
    if (format >= MRWI_LOAD_IQM_FORMAT_COUNT || width < kinds[which].least ||
        width > MOST_NUMBERS) {
        return mrwi_load_iqm_fail(load,
                                  "its %s have %" PRIu32 " numbers of format %" PRIu32
                                  " per vertex, which is invalid; export the model again",
                                  kinds[which].what, width, format);
    }
    if (which == BLEND_INDEXES && format >= MRWI_LOAD_IQM_HALF) {
        return mrwi_load_iqm_fail(load, "its blend indexes are not whole numbers; export it again");
    }
    const uint64_t size = (uint64_t)width * mrwi_load_iqm_format_size(format);
    if (!mrwi_load_iqm_find(load, kinds[which].what, file->vertex_count, size,
                            mrwi_load_iqm_u32(entry + 16), &found)) {
        return false;
    }
    streams[which] = (stream){found.at, format, width};
    return true;
}

/* Drops blending unless there are joints, indexes and weights. */
static void settle_blending(mrwi_load_iqm *load, const mrwi_load_iqm_file *file,
                            stream streams[KIND_COUNT])
{
    const bool both = streams[BLEND_INDEXES].at && streams[BLEND_WEIGHTS].at;
    if (file->joints.count > 0 && (streams[BLEND_INDEXES].at || streams[BLEND_WEIGHTS].at) &&
        !both) {
        mrwi_scene_builder_warn(load->builder,
                                "its vertices have no %s, so joints do not move them; "
                                "export the model again",
                                streams[BLEND_INDEXES].at ? "blend weights" : "blend indexes");
    }
    if (file->joints.count == 0 || !both) {
        streams[BLEND_INDEXES].at = streams[BLEND_WEIGHTS].at = NULL;
    }
}

static bool read_streams(mrwi_load_iqm *load, const mrwi_load_iqm_file *file,
                         stream streams[KIND_COUNT])
{
    memset(streams, 0, KIND_COUNT * sizeof *streams);
    for (uint32_t i = 0; i < file->vertex_arrays.count; i++) {
        if (!read_stream(load, file, file->vertex_arrays.at + MRWI_LOAD_IQM_VERTEXES * (size_t)i,
                         streams)) {
            return false;
        }
    }
    settle_blending(load, file, streams);
    return true;
}

/* ---- vertices -------------------------------------------------------------------------------- */

/* Successive vertices. */
typedef struct range {
    uint32_t first, count;
} range;

static const uint8_t *vertex_of(const stream *s, uint32_t vertex)
{
    return s->at + (size_t)vertex * s->width * mrwi_load_iqm_format_size(s->format);
}

/* Reads the first `width` numbers of each vertex; NULL without a stream, and after a failure. */
static float *read_values(mrwi_load_iqm *load, const stream *s, range r, uint32_t width,
                          mrwi_base_arena *scratch)
{
    const uint32_t step = mrwi_load_iqm_format_size(s->format);
    float *out = s->at ? mrwi_load_iqm_alloc(load, scratch, r.count, width * sizeof *out) : NULL;
    for (uint32_t v = 0; out && v < r.count; v++) {
        const uint8_t *at = vertex_of(s, r.first + v);
        for (uint32_t i = 0; i < width; i++) {
            out[(size_t)v * width + i] =
                (float)mrwi_load_iqm_value(at + (size_t)i * step, s->format);
        }
    }
    return out;
}

static float *read_turned(mrwi_load_iqm *load, const stream *s, range r, mrwi_base_arena *scratch)
{
    float *out = read_values(load, s, r, 3, scratch);
    for (uint32_t v = 0; out && v < r.count; v++) {
        mrwi_load_iqm_turn(out + 3 * (size_t)v, false);
    }
    return out;
}

/* Returns a part of a colour as linear light. Bytes are converted like those of texels. */
static float linear_of(const mrwi_load_iqm *load, const stream *s, float value)
{
    if (load->job->def->material_colors == MRW_MATERIAL_COLORS_LINEAR || !(value > 0.0f)) {
        return value;
    }
    return s->format == MRWI_LOAD_IQM_UBYTE ? (float)mrwi_image_srgb_to_linear16[mrwi_base_to_u32(
                                                  (double)(value * 255.0f + 0.5f))] /
                                                  65535.0f
                                            : (float)mrwi_image_srgb_to_linear((double)value);
}

/* Reads linear colours with alpha; NULL also if all are black. */
static float *read_colors(mrwi_load_iqm *load, const stream *s, range r, mrwi_base_arena *scratch)
{
    const uint32_t width = s->width < 4 ? 3 : 4;
    const float *filed = read_values(load, s, r, width, scratch);
    float *out = filed ? mrwi_load_iqm_alloc(load, scratch, r.count, 4 * sizeof *out) : NULL;
    bool any = false;
    for (uint32_t v = 0; out && v < r.count; v++) {
        const float *from = filed + (size_t)v * width;
        float *to = out + 4 * (size_t)v;
        for (uint32_t i = 0; i < 3; i++) {
            to[i] = linear_of(load, s, from[i]);
            any |= from[i] != 0.0f;
        }
        to[3] = width < 4 ? 1.0f : from[3];
        any |= to[3] != 1.0f;
    }
    return any ? out : NULL;
}

/* The influences of a mesh's vertices. */
typedef struct influences {
    uint32_t count; /* number per vertex; 0 if joints do not move the mesh */
    const uint32_t *joints;
    const float *weights;
} influences;

/* Reads joints and weights: as many per vertex as there are of both. */
static bool read_influences(mrwi_load_iqm *load, const mrwi_load_iqm_file *file,
                            const stream streams[KIND_COUNT], range r, mrwi_base_arena *scratch,
                            influences *out)
{
    const stream *indexes = &streams[BLEND_INDEXES], *weights = &streams[BLEND_WEIGHTS];
    const uint32_t width = indexes->width < weights->width ? indexes->width : weights->width;
    const uint32_t step = mrwi_load_iqm_format_size(indexes->format);
    uint32_t *joints = mrwi_load_iqm_alloc(load, scratch, r.count, width * sizeof *joints);
    const float *values = read_values(load, weights, r, width, scratch);
    if (load->status) {
        return false;
    }
    for (uint32_t v = 0; v < r.count; v++) {
        const uint8_t *at = vertex_of(indexes, r.first + v);
        for (uint32_t i = 0; i < width; i++) {
            const size_t slot = (size_t)v * width + i;
            const double joint = mrwi_load_iqm_number(at + (size_t)i * step, indexes->format);
            joints[slot] = joint >= 0.0 ? mrwi_base_to_u32(joint) : UINT32_MAX;
            if (joints[slot] >= file->joints.count && values[slot] > 0.0f) {
                return mrwi_load_iqm_fail(load,
                                          "vertex %" PRIu32 " follows joint %.0f of %" PRIu32
                                          "; export the model again",
                                          r.first + v, joint, file->joints.count);
            }
        }
    }
    *out = (influences){width, joints, values};
    return true;
}

/* ---- materials ------------------------------------------------------------------------------- */

/* A material; there is one per name. */
typedef struct material {
    uint32_t name; /* offset of its name in the text */
    bool made;
    uint32_t index; /* index in the builder */
} material;

typedef struct materials {
    material *list; /* sorted by name */
    uint32_t count;
    mrwi_load_texture_budget left;
} materials;

static int by_name(const void *a, const void *b)
{
    const material *x = a, *y = b;
    return x->name < y->name ? -1 : x->name > y->name;
}

static bool list_materials(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, materials *out)
{
    out->list = mrwi_load_iqm_alloc(load, &load->kept, file->meshes.count, sizeof *out->list);
    for (uint32_t i = 0; out->list && i < file->meshes.count; i++) {
        out->list[i] = (material){
            .name = mrwi_load_iqm_u32(file->meshes.at + MRWI_LOAD_IQM_MESH * (size_t)i + 4)};
    }
    if (!out->list) {
        return false;
    }
    qsort(out->list, file->meshes.count, sizeof *out->list, by_name);
    for (uint32_t i = 0; i < file->meshes.count; i++) {
        if (out->count == 0 || out->list[out->count - 1].name != out->list[i].name) {
            out->list[out->count++] = out->list[i];
        }
    }
    return true;
}

static const char *const picture_extensions[] = {".png", ".jpg", ".jpeg", ".tga", ".dds", ".bmp"};

#define PICTURE_EXTENSIONS (sizeof picture_extensions / sizeof *picture_extensions)

/* Other endings in materials: the search for files finds what they were converted to. */
static const char *const other_extensions[] = {".pcx", ".psd", ".tif", ".tiff", ".webp", ".gif"};

static bool names_picture(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof other_extensions / sizeof *other_extensions; i++) {
        if (strcasecmp(dot, other_extensions[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; dot && i < PICTURE_EXTENSIONS; i++) {
        if (strcasecmp(dot, picture_extensions[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds a picture that a material names without an extension: its bytes, and its path in `path`. */
static bool find_picture(mrwi_load_iqm *load, const char *name, char *path, size_t size,
                         mrwi_load_texture_source *out)
{
    const mrwi_sandbox_files *files = load->job->files;
    const size_t length = strlen(name), longest = 5; /* ".jpeg" */
    for (size_t i = 0; i < PICTURE_EXTENSIONS && length + longest < size; i++) {
        snprintf(path, size, "%s%s", name, picture_extensions[i]);
        const mrwi_base_read_result result =
            files->read(files->user, MRWI_SANDBOX_FILE_TEXTURE, path, &out->owned, &out->size);
        if (result == MRWI_BASE_READ_MEMORY) {
            return mrwi_load_iqm_ok(load, mrwi_base_fail_memory(load->error, 0));
        }
        if (result == MRWI_BASE_READ_OK) {
            out->bytes = out->owned;
            out->name = path;
            return true;
        }
    }
    out->owned = NULL;
    return false;
}

/* Names and opens the picture of a material that is drawn, if it has one. */
static bool push_texture(mrwi_load_iqm *load, materials *all, const char *name, bool mapped,
                         uint32_t *texture)
{
    char where[160], shown[120], path[1024];
    uint32_t image = 0;
    mrwi_load_texture_source source = {
        .where = where, .maps = MRW_MAP_BIT(MRW_MAP_BASE_COLOR) | MRW_MAPS_ALPHA, .opacity = true};
    const mrwi_load_texture_source named = {.path = path};
    mrw_texture in = {.wrap_u = MRW_WRAP_REPEAT, .wrap_v = MRW_WRAP_REPEAT};
    snprintf(where, sizeof where, "material \"%s\"", mrwi_base_escape(name, shown, sizeof shown));
    if (names_picture(name) && strlen(name) < sizeof path) {
        source.path = strcpy(path, name);
    } else if (!find_picture(load, name, path, sizeof path, &source)) {
        if (mapped && !load->status) {
            mrwi_scene_builder_warn(
                load->builder,
                "%s: there is no picture of that name next to the model, so it is white; put one "
                "there, or give its folder with --texture-dir FOLDER",
                where);
        }
        return !load->status;
    }
    if (!mrwi_load_iqm_ok(load,
                          mrwi_load_texture_name(load->builder, &named, &image, load->error))) {
        mrwi_base_free(source.owned);
        return false;
    }
    in.image = image;
    return mrwi_load_iqm_ok(load,
                            mrwi_load_texture_show(load->builder, load->job->def, load->job->files,
                                                   &source, image, &all->left, load->error)) &&
           mrwi_load_iqm_ok(
               load, mrwi_scene_builder_texture(load->builder, NULL, &in, texture, load->error));
}

/* Returns the material of a mesh that is drawn. `mapped`: its vertices have texture coordinates. */
static bool use_material(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, materials *all,
                         uint32_t offset, uint32_t mesh, bool mapped, uint32_t *index)
{
    const material wanted = {.name = offset};
    material *found = bsearch(&wanted, all->list, all->count, sizeof *all->list, by_name);
    if (!found->made) {
        mrw_material out = mrwi_scene_matt();
        out.alpha_mode = MRWI_SCENE_ALPHA_BY_TEXELS;
        const char *name = mrwi_load_iqm_name(load, file, offset, "the material of mesh", mesh);
        if (!name ||
            (name[0] != '\0' && !load->job->def->clips_only &&
             !push_texture(load, all, name, mapped, &out.maps[MRW_MAP_BASE_COLOR].texture))) {
            return false;
        }
        if (!mrwi_load_iqm_ok(load, mrwi_scene_builder_material(load->builder, name, &out,
                                                                &found->index, load->error))) {
            return false;
        }
        found->made = true;
    }
    *index = found->index;
    return true;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Reads the corners of a mesh's triangles, reversed and counted from the first vertex that they
 * use. */
static uint32_t *read_corners(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t mesh,
                              range triangles, mrwi_base_arena *scratch, range *vertices)
{
    uint32_t first = UINT32_MAX, last = 0;
    uint32_t *out = mrwi_load_iqm_alloc(load, scratch, triangles.count, 3 * sizeof *out);
    for (uint32_t t = 0; out && t < triangles.count; t++) {
        static const int order[3] = {0, 2, 1};
        const uint8_t *at =
            file->triangles.at + MRWI_LOAD_IQM_TRIANGLE * ((size_t)triangles.first + t);
        for (int i = 0; i < 3; i++) {
            const uint32_t vertex = mrwi_load_iqm_u32(at + 4 * order[i]);
            if (vertex >= file->vertex_count) {
                mrwi_load_iqm_fail(load,
                                   "mesh %" PRIu32 ": triangle %" PRIu32 " has vertex %" PRIu32
                                   " of %" PRIu32 "; export the model again",
                                   mesh, t, vertex, file->vertex_count);
                return NULL;
            }
            out[3 * (size_t)t + (size_t)i] = vertex;
            first = vertex < first ? vertex : first;
            last = vertex > last ? vertex : last;
        }
    }
    for (size_t i = 0; out && i < 3 * (size_t)triangles.count; i++) {
        out[i] -= first;
    }
    *vertices = (range){first, last - first + 1};
    return out;
}

static bool is_mapped(const float *uvs, uint32_t count)
{
    for (size_t i = 0; uvs && i < 2 * (size_t)count; i++) {
        if (uvs[i] != 0.0f) {
            return true;
        }
    }
    return false;
}

/* Pushes a mesh that has triangles, and draws it under the node. */
static bool push_mesh(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t index,
                      range triangles, const stream streams[KIND_COUNT], materials *all,
                      uint32_t node, mrwi_base_arena *scratch)
{
    const uint8_t *entry = file->meshes.at + MRWI_LOAD_IQM_MESH * (size_t)index;
    range r = {0};
    influences moved = {.count = 0};
    uint32_t mesh = 0;
    mrwi_base_arena_reset(scratch);
    uint32_t *corners = read_corners(load, file, index, triangles, scratch, &r);
    if (!corners || !mrwi_load_iqm_charge(load, r.count)) {
        return false;
    }
    mrwi_scene_mesh_input in = {
        .name = mrwi_load_iqm_name(load, file, mrwi_load_iqm_u32(entry), "mesh", index),
        .vertex_count = r.count,
        .indices = corners,
        .index_count = 3 * triangles.count,
        .positions = read_turned(load, &streams[POSITION], r, scratch),
        .normals = read_turned(load, &streams[NORMAL], r, scratch),
        .uvs = {read_values(load, &streams[TEXCOORD], r, 2, scratch), NULL},
        .colors = read_colors(load, &streams[COLOR], r, scratch)};
    const bool skinned = streams[BLEND_INDEXES].at;
    if (load->status || (skinned && !read_influences(load, file, streams, r, scratch, &moved))) {
        return false;
    }
    in.influence_count = moved.count;
    in.joints = moved.joints;
    in.weights = moved.weights;
    in.joint_limit = skinned ? file->joints.count : 0;
    return use_material(load, file, all, mrwi_load_iqm_u32(entry + 4), index,
                        is_mapped(in.uvs[0], r.count), &in.material) &&
           mrwi_load_iqm_ok(load,
                            mrwi_scene_builder_mesh(load->builder, &in, &mesh, load->error)) &&
           mrwi_load_iqm_ok(load, mrwi_scene_builder_draw(load->builder, node, mesh,
                                                          skinned ? 0 : MRW_NONE, load->error));
}

/* Finds the triangles of a mesh. Its range of vertices is not needed: the triangles say what they
 * use. */
static bool find_triangles(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t index,
                           range *out)
{
    const uint8_t *entry = file->meshes.at + MRWI_LOAD_IQM_MESH * (size_t)index;
    *out = (range){mrwi_load_iqm_u32(entry + 16), mrwi_load_iqm_u32(entry + 20)};
    if (out->first > file->triangles.count || out->count > file->triangles.count - out->first ||
        out->count > UINT32_MAX / 3) {
        return mrwi_load_iqm_fail(load,
                                  "mesh %" PRIu32 ": its triangles, %" PRIu32 " from %" PRIu32
                                  " on, do not exist: there are only %" PRIu32
                                  "; export the model again",
                                  index, out->count, out->first, file->triangles.count);
    }
    return mrwi_load_iqm_charge(load, 3 * (uint64_t)out->count);
}

static bool push_all(mrwi_load_iqm *load, const mrwi_load_iqm_file *file,
                     const stream streams[KIND_COUNT], materials *all)
{
    mrwi_scene_node_input in = {
        .name = "Mesh", .parent = MRW_NONE, .rest = {.rotation = {0, 0, 0, 1}}};
    in.rest.scale[0] = in.rest.scale[1] = in.rest.scale[2] = 1.0f;
    uint32_t node = 0;
    mrwi_base_arena scratch = {0};
    bool good =
        mrwi_load_iqm_ok(load, mrwi_scene_builder_node(load->builder, &in, &node, load->error));
    for (uint32_t i = 0; good && i < file->meshes.count; i++) {
        range triangles;
        good = find_triangles(load, file, i, &triangles);
        if (good && triangles.count > 0) {
            good = streams[POSITION].at
                       ? push_mesh(load, file, i, triangles, streams, all, node, &scratch)
                       : mrwi_load_iqm_fail(
                             load, "its vertices have no positions; export the model again");
        }
    }
    mrwi_base_arena_free(&scratch);
    return good;
}

bool mrwi_load_iqm_push_meshes(mrwi_load_iqm *load, const mrwi_load_iqm_file *file)
{
    stream streams[KIND_COUNT];
    materials all = {.left = mrwi_load_texture_budget_of(load->job->def)};
    if (file->meshes.count == 0) {
        return true;
    }
    return read_streams(load, file, streams) && list_materials(load, file, &all) &&
           push_all(load, file, streams, &all);
}
