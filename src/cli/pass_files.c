/* pass_files.c: the files of passes: each picture's are encoded and written by the thread that drew
 * it. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mrw_status cli_pass_files_begin(const mrw_settings *settings, const cli_plan *plan,
                                mrw_frame_def *frame, cli_pass_files *out, mrw_error *error)
{
    const size_t count = (size_t)plan->pictures.count + 1;
    *out = (cli_pass_files){.settings = settings,
                            .plan = plan,
                            .hashes = calloc(count * plan->passes.count, sizeof *out->hashes),
                            .cameras = calloc(count, sizeof *out->cameras),
                            .manifests = calloc(plan->passes.count, sizeof *out->manifests)};
    frame->aovs = plan->passes.requests;
    frame->aov_count = plan->passes.request_count;
    return out->hashes && out->cameras && out->manifests ? MRW_OK : cli_fail_memory(error);
}

void cli_pass_files_free(cli_pass_files *files)
{
    for (uint32_t p = 0; files->manifests && p < files->plan->passes.count; p++) {
        mrw_text_free(&files->manifests[p]);
    }
    free(files->manifests);
    free(files->hashes);
    free(files->cameras);
    mrw_bytes_free(&files->stdout_bytes);
    *files = (cli_pass_files){0};
}

/* What the ids of a pass stand for. */
static mrw_status make_manifest(const mrw_session *session, mrw_aov aov, mrw_text *out,
                                mrw_error *error)
{
    mrw_crypto_names names = {0};
    mrw_json json = {.compact = true};
    mrw_status status =
        mrw_frame_crypto_names(session->instances, session->instance_count, aov, &names, error);
    mrw_json_open(&json, '{');
    for (uint32_t i = 0; i < names.count; i++) {
        char hash[9];
        snprintf(hash, sizeof hash, "%08x", names.ids[i]);
        mrw_json_string(mrw_json_key(&json, names.names[i]), hash);
    }
    mrw_json_close(&json, '}');
    mrw_crypto_names_free(&names);
    *out = json.text;
    return status == MRW_OK && out->failed ? cli_fail_memory(error) : status;
}

mrw_status cli_pass_files_look(cli_pass_files *files, const mrw_session *session, mrw_error *error)
{
    const cli_passes *passes = &files->plan->passes;
    mrw_status status = MRW_OK;
    for (uint32_t p = 0; p < passes->count && status == MRW_OK; p++) {
        if (passes->items[p].crypto) {
            status = make_manifest(session, passes->requests[passes->request_of[p]].aov,
                                   &files->manifests[p], error);
        }
    }
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static mrw_status write_file(cli_pass_files *files, uint32_t entry, mrw_bytes *bytes,
                             mrw_error *error)
{
    const char *path = files->plan->files.paths[files->plan->files.of[entry]];
    if (mrw_output_is_stdout(path)) { /* the only one */
        files->stdout_bytes = *bytes;
        return MRW_OK;
    }
    mrw_status status = mrw_file_write(path, bytes->data, bytes->size, error);
    mrw_bytes_free(bytes);
    return status;
}

static mrw_output_camera camera_of(const mrw_intrinsics *from)
{
    mrw_output_camera to = {.near_plane = (float)from->near_plane,
                            .far_plane = (float)from->far_plane,
                            .orthographic = from->orthographic};
    for (int i = 0; i < 9; i++) {
        to.k[i] = (float)from->k[i];
    }
    for (int i = 0; i < 16; i++) {
        to.world_to_camera[i] = (float)from->world_to_camera[i];
    }
    return to;
}

/* One file: of all passes, or of one. */
static mrw_status write_passes(cli_pass_files *files, uint32_t entry, const mrw_output_pass *passes,
                               uint32_t count, const mrw_output_camera *camera, mrw_error *error)
{
    const mrw_png_def png = {(mrw_png_effort)files->settings->output.png, files->settings->run.isa};
    const mrw_pass_format format = files->plan->passes.format;
    const bool is_picture = format == MRW_PASS_PNG && passes->image->format != MRW_FORMAT_U32;
    mrw_bytes bytes = {0};
    mrw_status status = is_picture ? mrw_png_encode_as(passes->image, &png, &bytes, error)
                                   : mrw_pass_encode(format, passes, count, camera, &bytes, error);
    return status == MRW_OK ? write_file(files, entry, &bytes, error) : status;
}

mrw_status cli_pass_files_put(cli_pass_files *files, const mrw_sequence_frame *frame,
                              mrw_error *error)
{
    const cli_passes *passes = &files->plan->passes;
    const size_t first = (size_t)frame->index * passes->count;
    mrw_output_pass *items = calloc(passes->count, sizeof *items);
    mrw_status status = items ? MRW_OK : cli_fail_memory(error);
    if (passes->request_count > 0) {
        files->cameras[frame->index] = mrw_frame_intrinsics(frame->renderer);
    }
    const mrw_output_camera camera = camera_of(&files->cameras[frame->index]);
    for (uint32_t p = 0; p < passes->count && status == MRW_OK; p++) {
        items[p] = passes->items[p];
        items[p].manifest = files->manifests[p].data;
        items[p].image = passes->request_of[p] == MRW_NONE
                             ? frame->image
                             : mrw_frame_aov(frame->renderer, passes->request_of[p]);
        mrw_image_hash(items[p].image, files->hashes[first + p]);
        if (passes->each) {
            status = write_passes(files, (uint32_t)first + p, &items[p], 1, &camera, error);
        }
    }
    if (status == MRW_OK && !passes->each) {
        status = write_passes(files, frame->index, items, passes->count, &camera, error);
    }
    free(items);
    return status;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void camera_json(const mrw_intrinsics *camera, mrw_json *json)
{
    mrw_json_open(mrw_json_key(json, "camera"), '{');
    mrw_json_doubles(mrw_json_key(json, "K"), camera->k, 9);
    mrw_json_doubles(mrw_json_key(json, "world_to_camera"), camera->world_to_camera, 16);
    mrw_json_double(mrw_json_key(json, "near"), camera->near_plane);
    mrw_json_key(json, "far");
    if (camera->far_plane > 0.0) {
        mrw_json_double(json, camera->far_plane);
    } else {
        mrw_json_null(json);
    }
    mrw_json_bool(mrw_json_key(json, "orthographic"), camera->orthographic);
    mrw_json_close(json, '}');
}

static void hash_json(const uint8_t hash[32], mrw_json *json)
{
    char text[65];
    for (int k = 0; k < 32; k++) {
        snprintf(text + 2 * k, 3, "%02x", hash[k]);
    }
    mrw_json_string(mrw_json_key(json, "hash"), text);
}

void cli_pass_files_json(const cli_pass_files *files, const cli_plan *plan, uint32_t picture,
                         mrw_json *json)
{
    const cli_passes *passes = &plan->passes;
    if (files) {
        camera_json(&files->cameras[picture], json);
    }
    mrw_json_open(mrw_json_key(json, "passes"), '{');
    for (uint32_t p = 0; p < passes->count; p++) {
        const uint32_t entry = passes->each ? picture * passes->count + p : picture;
        mrw_json_open(mrw_json_key(json, passes->items[p].name), '{');
        mrw_json_string(mrw_json_key(json, "file"), plan->files.paths[plan->files.of[entry]]);
        if (files) {
            hash_json(files->hashes[(size_t)picture * passes->count + p], json);
        }
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, '}');
}
