/* against_read.c: reads the output of another marrow into expected results. The program may be an
 * older one: anything unexpected is MRW_ERROR_INPUT. */
#include "golden/against.h"

#include "base/file.h"
#include "base/json_parse.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static mrw_status refuse(mrw_error *error, const char *what)
{
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "the output of the other marrow is not what this one expects: %s", what);
}

/* Parses JSON. `what` is the message when the text is not JSON. */
static mrw_status parse(const char *text, size_t size, const char *what, cJSON **out,
                        mrw_error *error)
{
    const char *end;
    mrw_status status = mrwi_base_json_parse(text, size, out, &end);
    if (status == MRW_ERROR_MEMORY) {
        return mrwi_base_fail_memory(error, 0);
    }
    return status ? refuse(error, what) : MRW_OK;
}

static mrw_status read_file(const char *folder, const char *name, mrw_bytes *out, mrw_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return mrwi_base_read_file(path, MRWI_GOLDEN_TEXT_SIZE, out, NULL, error);
}

/* ---- render --json --------------------------------------------------------------------------- */

/* Returns the frame's name: "Walk_0012" for "/tmp/x/Walk_0012.png". */
static const char *frame_name(const cJSON *picture, mrwi_base_arena *arena)
{
    const char *file = cJSON_GetStringValue(cJSON_GetObjectItem(picture, "file"));
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *base = slash ? slash + 1 : file;
    size_t length = base ? strlen(base) : 0;
    if (length < 5 || length > MRWI_GOLDEN_NAME_SIZE || strcmp(base + length - 4, ".png") != 0) {
        return NULL;
    }
    return mrwi_base_format(arena, "%.*s", (int)length - 4, base);
}

static mrw_status take_scene(const cJSON *said, const mrw_case *c, mrwi_base_arena *arena,
                             mrwi_golden_stored *out, mrw_error *error)
{
    const char *hash = cJSON_GetStringValue(cJSON_GetObjectItem(said, "scene_hash"));
    const cJSON *version = cJSON_GetObjectItem(said, "pixel_version");
    if (!hash || strlen(hash) != 64 || !cJSON_IsNumber(version)) {
        return refuse(error, "render --json gives no scene_hash or no pixel_version");
    }
    /* formula 1 had no such field */
    const cJSON *formula = cJSON_GetObjectItem(said, "scene_formula");
    mrwi_golden_stored_scene *scene = mrwi_base_arena_alloc(arena, 1, sizeof *scene);
    if (!scene) {
        return mrwi_base_fail_memory(error, sizeof *scene);
    }
    *scene = (mrwi_golden_stored_scene){.model = c->model};
    memcpy(scene->hash, hash, sizeof scene->hash);
    out->scenes = scene;
    out->scene_count = 1;
    out->scene_formula =
        cJSON_IsNumber(formula) && formula->valueint > 0 ? (uint32_t)formula->valueint : 1;
    out->pixel_version = version->valueint > 0 ? (uint32_t)version->valueint : 0;
    return MRW_OK;
}

static mrw_status take_names(const cJSON *said, mrwi_base_arena *arena, const char ***names,
                             uint32_t *count, mrw_error *error)
{
    const cJSON *pictures = cJSON_GetObjectItem(said, "pictures"), *picture;
    const int size = cJSON_GetArraySize(pictures);
    *count = 0;
    *names = mrwi_base_arena_alloc(arena, (size_t)size, sizeof **names);
    if (!*names) {
        return mrwi_base_fail_memory(error, (size_t)size);
    }
    cJSON_ArrayForEach(picture, pictures)
    {
        (*names)[*count] = frame_name(picture, arena);
        if (!(*names)[*count]) {
            return refuse(error, "render --json lists pictures without names");
        }
        *count += 1;
    }
    return MRW_OK;
}

mrw_status mrwi_golden_against_read_pictures(const char *folder, const mrw_case *c,
                                             mrwi_base_arena *arena, mrwi_golden_expected *out,
                                             const char ***names, uint32_t *count, mrw_error *error)
{
    mrw_bytes bytes = {0};
    cJSON *said = NULL;
    mrw_status status = read_file(folder, MRWI_GOLDEN_AGAINST_RENDER, &bytes, error);
    if (status) {
        goto out;
    }
    status = parse((const char *)bytes.data, bytes.size, "the output of render --json is not JSON",
                   &said, error);
    if (status) {
        goto out;
    }
    status = take_scene(said, c, arena, &out->stored, error);
    if (status) {
        goto out;
    }
    status = take_names(said, arena, names, count, error);
out:
    cJSON_Delete(said);
    mrw_bytes_free(&bytes);
    return status;
}

/* ---- lines of JSON --------------------------------------------------------------------------- */

/* A file with one JSON value per line, while it is read. */
typedef struct lines {
    mrw_bytes bytes;
    const char *at;
} lines;

/* Opens a file of lines. Free the bytes also after a failure. */
static mrw_status open_lines(const char *folder, const char *name, lines *out, mrw_error *error)
{
    *out = (lines){0};
    mrw_status status = read_file(folder, name, &out->bytes, error);
    out->at = (const char *)out->bytes.data;
    return status;
}

static mrw_status next_line(lines *said, cJSON **out, mrw_error *error)
{
    const char *at = said->at, *end = (const char *)said->bytes.data + said->bytes.size;
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    said->at = stop ? stop + 1 : end;
    return parse(at, stop ? (size_t)(stop - at) : 0,
                 "the output of bake does not have one line per picture of render", out, error);
}

/* Reads the numbers of an array. Returns false unless there are exactly `count`. */
static bool read_floats(const cJSON *array, float *out, int count)
{
    const cJSON *item;
    int found = 0;
    cJSON_ArrayForEach(item, array)
    {
        if (found < count && cJSON_IsNumber(item)) {
            out[found] = (float)item->valuedouble;
        }
        found++;
    }
    return found == count;
}

/* ---- bake --joints --------------------------------------------------------------------------- */

/* Completes a camera from its matrices. The eye is the origin of view space; planes are at depths 0
 * and 1. */
static void complete_camera(mrw_camera *camera)
{
    const float *v = camera->world_to_view.m, *p = camera->view_to_clip.m;
    for (int i = 0; i < 3; i++) {
        camera->eye[i] = -(v[4 * i] * v[12] + v[4 * i + 1] * v[13] + v[4 * i + 2] * v[14]);
    }
    camera->orthographic = p[11] == 0.0f;
    camera->near_plane = p[14] / p[10];
    camera->far_plane = camera->orthographic ? (p[14] - 1.0f) / p[10]
                        : p[10] == -1.0f     ? 0.0f
                                             : p[14] / (p[10] + 1.0f);
}

static mrw_status take_joint(const cJSON *said, mrwi_base_arena *arena, mrwi_compare_joint *out,
                             mrw_error *error)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(said, "name"));
    float world[16];
    if (!name || !read_floats(cJSON_GetObjectItem(said, "world"), world, 16)) {
        return refuse(error, "bake --joints lists a joint without a name or matrix");
    }
    for (int c = 0; c < 4; c++) {
        memcpy(out->joint_to_world + 3 * c, world + 4 * c, 3 * sizeof(float));
    }
    out->name = mrwi_base_copy_text(arena, name);
    return out->name ? MRW_OK : mrwi_base_fail_memory(error, strlen(name));
}

static mrw_status take_joints(const cJSON *line, mrwi_base_arena *arena, mrwi_compare_pose *pose,
                              mrw_camera *camera, mrw_error *error)
{
    const cJSON *joints = cJSON_GetObjectItem(line, "joints"), *joint;
    const size_t count = (size_t)cJSON_GetArraySize(joints);
    if (!read_floats(cJSON_GetObjectItem(line, "world_to_view"), camera->world_to_view.m, 16) ||
        !read_floats(cJSON_GetObjectItem(line, "view_to_clip"), camera->view_to_clip.m, 16)) {
        return refuse(error, "bake --joints gives no camera");
    }
    complete_camera(camera);
    pose->joints = mrwi_base_arena_alloc(arena, count, sizeof *pose->joints);
    if (!pose->joints) {
        return mrwi_base_fail_memory(error, count * sizeof *pose->joints);
    }
    cJSON_ArrayForEach(joint, joints)
    {
        mrw_status status = take_joint(joint, arena, &pose->joints[pose->count++], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Reads the poses and cameras of `count` pictures. */
static mrw_status read_joints(const char *folder, uint32_t count, mrwi_base_arena *arena,
                              mrwi_compare_pose *poses, mrw_camera *cameras, mrw_error *error)
{
    lines said;
    mrw_status status = open_lines(folder, MRWI_GOLDEN_AGAINST_JOINTS, &said, error);
    for (uint32_t i = 0; i < count && !status; i++) {
        cJSON *line = NULL;
        status = next_line(&said, &line, error);
        if (!status) {
            status = take_joints(line, arena, &poses[i], &cameras[i], error);
        }
        cJSON_Delete(line);
    }
    mrw_bytes_free(&said.bytes);
    return status;
}

/* ---- bake --json ----------------------------------------------------------------------------- */

static mrw_status take_box(const cJSON *line, mrwi_compare_box *box, mrw_error *error)
{
    const cJSON *meshes = cJSON_GetObjectItem(line, "meshes"), *mesh;
    if (!cJSON_IsArray(meshes)) {
        return refuse(error, "bake --json lists no meshes");
    }
    cJSON_ArrayForEach(mesh, meshes)
    {
        float min[3], max[3];
        if (!read_floats(cJSON_GetObjectItem(mesh, "aabb_min"), min, 3) ||
            !read_floats(cJSON_GetObjectItem(mesh, "aabb_max"), max, 3)) {
            continue; /* the mesh is not drawn */
        }
        for (int i = 0; i < 3; i++) {
            box->min[i] = !box->any || min[i] < box->min[i] ? min[i] : box->min[i];
            box->max[i] = !box->any || max[i] > box->max[i] ? max[i] : box->max[i];
        }
        box->any = true;
    }
    return MRW_OK;
}

static mrw_status read_boxes(const char *folder, uint32_t count, mrwi_compare_box *boxes,
                             mrw_error *error)
{
    lines said;
    mrw_status status = open_lines(folder, MRWI_GOLDEN_AGAINST_BAKE, &said, error);
    for (uint32_t i = 0; i < count && !status; i++) {
        cJSON *line = NULL;
        status = next_line(&said, &line, error);
        if (!status) {
            status = take_box(line, &boxes[i], error);
        }
        cJSON_Delete(line);
    }
    mrw_bytes_free(&said.bytes);
    return status;
}

mrw_status mrwi_golden_against_read_shapes(const char *folder, const char *const *names,
                                           uint32_t count, mrwi_base_arena *arena,
                                           mrwi_golden_expected *out, mrw_error *error)
{
    out->poses.items = mrwi_base_arena_alloc(arena, count, sizeof *out->poses.items);
    out->boxes.items = mrwi_base_arena_alloc(arena, count, sizeof *out->boxes.items);
    out->cameras.items = mrwi_base_arena_alloc(arena, count, sizeof *out->cameras.items);
    out->cameras.frames = mrwi_base_arena_alloc(arena, count, sizeof *out->cameras.frames);
    if (!out->poses.items || !out->boxes.items || !out->cameras.items || !out->cameras.frames) {
        return mrwi_base_fail_memory(error, count * sizeof *out->cameras.items);
    }
    for (uint32_t i = 0; i < count; i++) {
        out->poses.items[i] = (mrwi_compare_pose){.frame = names[i]};
        out->boxes.items[i] = (mrwi_compare_box){.frame = names[i]};
        out->cameras.frames[i] = names[i];
    }
    mrw_status status =
        read_joints(folder, count, arena, out->poses.items, out->cameras.items, error);
    if (status) {
        return status;
    }
    status = read_boxes(folder, count, out->boxes.items, error);
    if (status) {
        return status;
    }
    out->poses.count = out->boxes.count = out->cameras.count = count;
    out->poses_file.there = out->boxes_file.there = true;
    return MRW_OK;
}
