/* pass_files.c: the files of passes. The thread that drew a picture encodes and writes its files.
 */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"

#include <marrow/codecs.h>
#include <stdio.h>
#include <string.h>

mrw_status mrw_pass_files_begin(const mrw_settings *settings, const mrw_plan *plan,
                                mrw_frame_def *frame, mrw_pass_files *out, mrw_error *error)
{
    const size_t count = (size_t)plan->pictures.count + 1;
    *out = (mrw_pass_files){
        .settings = settings,
        .plan = plan,
        .hashes = settings->output.json
                      ? mrwi_base_alloc_zero(count * plan->passes.count, sizeof *out->hashes)
                      : NULL,
        .cameras = mrwi_base_alloc_zero(count, sizeof *out->cameras),
        .manifests = mrwi_base_alloc_zero(plan->passes.count, sizeof *out->manifests)};
    frame->aovs = plan->passes.requests;
    frame->aov_count = plan->passes.request_count;
    return (out->hashes || !settings->output.json) && out->cameras && out->manifests
               ? MRW_OK
               : mrwi_base_fail_memory(error, 0);
}

void mrw_pass_files_free(mrw_pass_files *files)
{
    for (uint32_t p = 0; files->manifests && p < files->plan->passes.count; p++) {
        mrw_text_free(&files->manifests[p]);
    }
    mrwi_base_free(files->manifests);
    mrwi_base_free(files->hashes);
    mrwi_base_free(files->cameras);
    mrw_bytes_free(&files->stdout_bytes);
    *files = (mrw_pass_files){0};
}

/* Hashes the pixels of a pass for --json, which is a third of the work of writing an OpenEXR. */
static void hash_pass(mrw_pass_files *files, uint32_t picture, uint32_t p, const mrw_image *image)
{
    if (files->hashes) {
        mrw_image_hash(image, files->hashes[(size_t)picture * files->plan->passes.count + p]);
    }
}

/* Makes the JSON that says what the ids of a pass mean. */
static mrw_status make_manifest(const mrw_session *session, mrw_aov aov, mrw_text *out,
                                mrw_error *error)
{
    mrw_crypto_names names = {0};
    mrw_json json = {.compact = true};
    const mrw_status status =
        mrw_frame_crypto_names(session->instances, session->instance_count, aov, &names, error);
    if (status) {
        return status;
    }
    mrw_json_open(&json, '{');
    for (uint32_t i = 0; i < names.count; i++) {
        char hash[9];
        snprintf(hash, sizeof hash, "%08x", names.ids[i]);
        mrw_json_string(mrw_json_key(&json, names.names[i]), hash);
    }
    mrw_json_close(&json, '}');
    mrw_crypto_names_free(&names);
    *out = json.text;
    return out->failed ? mrwi_base_fail_memory(error, 0) : MRW_OK;
}

mrw_status mrw_pass_files_look(mrw_pass_files *files, const mrw_session *session, mrw_error *error)
{
    const mrw_plan_passes *passes = &files->plan->passes;
    for (uint32_t p = 0; p < passes->count; p++) {
        if (passes->items[p].crypto) {
            const mrw_status status = make_manifest(
                session, passes->requests[passes->request_of[p]].aov, &files->manifests[p], error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

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

/* Writes one file, with all passes or with one. */
static mrw_status write_passes(mrw_pass_files *files, uint32_t entry, const mrw_output_pass *passes,
                               uint32_t count, const mrw_output_camera *camera, mrw_error *error)
{
    const mrw_png_def png = {(mrw_png_effort)files->settings->output.png, files->settings->run.isa,
                             mrw_session_threads(files->settings)};
    const mrw_pass_format format = files->plan->passes.format;
    const mrw_format pixels = passes->image->format;
    const bool is_picture =
        format == MRW_PASS_PNG && (pixels == MRW_FORMAT_U8 || pixels == MRW_FORMAT_U16);
    mrw_bytes bytes = {0};
    mrw_status status = is_picture ? mrw_png_encode_as(passes->image, &png, &bytes, error)
                                   : mrw_pass_encode(format, passes, count, camera, &bytes, error);
    if (status) {
        return status;
    }
    const char *path = files->plan->files.paths[files->plan->files.of[entry]];
    if (mrw_output_is_stdout(path)) { /* it is the only file */
        files->stdout_bytes = bytes;
        return MRW_OK;
    }
    status = mrw_file_write(path, bytes.data, bytes.size, error);
    mrw_bytes_free(&bytes);
    return status;
}

/* Writes a picture of a pass to its file, or adds it to the output that collects them. */
static mrw_status write_picture(mrw_pass_files *files, const mrw_sequence_frame *frame, uint32_t p,
                                const mrw_image *image, mrw_error *error)
{
    const mrw_plan_passes *passes = &files->plan->passes;
    const size_t first = (size_t)frame->index * passes->count;
    mrw_output_pass item = passes->items[p];
    item.image = image;
    hash_pass(files, frame->index, p, image);
    return files->output ? mrw_output_put(files->output, frame->worker, frame->index,
                                          frame->same_as, image, error)
                         : write_passes(files, passes->each ? (uint32_t)first + p : frame->index,
                                        &item, 1, NULL, error);
}

/* Finds the box of positions: that of all pictures if it is known, else that of this picture. */
static void find_box(const mrw_frame_def *def, const mrw_image *pass, const mrw_image *seen,
                     mrw_aov_look *look)
{
    const float *at = (const float *)(const void *)pass->pixels;
    const uint32_t *there = (const uint32_t *)(const void *)seen->pixels;
    bool any = false;
    if (def->has_bounds) {
        memcpy(look->min, def->bounds.min, sizeof look->min);
        memcpy(look->max, def->bounds.max, sizeof look->max);
        return;
    }
    for (size_t i = 0; i < (size_t)pass->width * pass->height; i++, at += 3) {
        for (int k = 0; k < 3 && there[i] > 0; k++) {
            look->min[k] = !any || at[k] < look->min[k] ? at[k] : look->min[k];
            look->max[k] = !any || at[k] > look->max[k] ? at[k] : look->max[k];
        }
        any = any || there[i] > 0;
    }
}

static mrw_status show_pass(mrw_pass_files *files, const mrw_sequence_frame *frame, uint32_t p,
                            mrw_error *error)
{
    const mrw_plan_passes *passes = &files->plan->passes;
    const mrw_intrinsics *camera = &files->cameras[frame->index];
    const mrw_image *pass = mrw_frame_aov(frame->renderer, passes->request_of[p]);
    mrw_aov_look look = {.seen = mrw_frame_aov(frame->renderer, passes->seen),
                         .near_plane = (float)camera->near_plane,
                         .far_plane = (float)camera->far_plane,
                         .transparent = frame->def->transparent};
    const mrw_aov aov = passes->requests[passes->request_of[p]].aov;
    mrw_image shown = {0};
    memcpy(look.background, frame->def->background, sizeof look.background);
    if (aov == MRW_AOV_POSITION) {
        find_box(frame->def, pass, look.seen, &look);
    }
    mrw_status status = mrw_aov_show(aov, pass, &look, &shown, error);
    if (status) {
        return status;
    }
    status = write_picture(files, frame, p, &shown, error);
    mrw_image_free(&shown);
    return status;
}

/* Writes passes as pictures, except those that mrw_pass_files_draw_modes draws. */
static mrw_status put_views(mrw_pass_files *files, const mrw_sequence_frame *frame,
                            mrw_error *error)
{
    const mrw_plan_passes *passes = &files->plan->passes;
    for (uint32_t p = 0; p < passes->count; p++) {
        if (passes->shading_of[p] != MRW_NONE) {
            continue;
        }
        const mrw_status status = passes->request_of[p] == MRW_NONE
                                      ? write_picture(files, frame, p, frame->image, error)
                                      : show_pass(files, frame, p, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static mrw_status put_numbers(mrw_pass_files *files, const mrw_sequence_frame *frame,
                              mrw_error *error)
{
    const mrw_plan_passes *passes = &files->plan->passes;
    const size_t first = (size_t)frame->index * passes->count;
    const mrw_output_camera camera = camera_of(&files->cameras[frame->index]);
    mrw_output_pass *items = mrwi_base_alloc_zero(passes->count, sizeof *items);
    mrw_status status = MRW_OK;
    if (!items) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t p = 0; p < passes->count; p++) {
        items[p] = passes->items[p];
        items[p].manifest = files->manifests[p].data;
        items[p].image = passes->request_of[p] == MRW_NONE
                             ? frame->image
                             : mrw_frame_aov(frame->renderer, passes->request_of[p]);
        hash_pass(files, frame->index, p, items[p].image);
        if (passes->each) {
            status = write_passes(files, (uint32_t)first + p, &items[p], 1, &camera, error);
            if (status) {
                goto out;
            }
        }
    }
    if (!passes->each) {
        status = write_passes(files, frame->index, items, passes->count, &camera, error);
    }
out:
    mrwi_base_free(items);
    return status;
}

mrw_status mrw_pass_files_put(mrw_pass_files *files, const mrw_sequence_frame *frame,
                              mrw_error *error)
{
    files->cameras[frame->index] = mrw_frame_intrinsics(frame->renderer);
    return files->plan->passes.view ? put_views(files, frame, error)
                                    : put_numbers(files, frame, error);
}

/* ---- shading modes --------------------------------------------------------------------------- */

/* A pass that a shading mode draws. */
typedef struct mode_pass {
    mrw_pass_files *files;
    uint32_t pass;
    const mrw_session_sink *sink; /* sink of the caller */
} mode_pass;

static mrw_status receive_mode(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    const mode_pass *at = user;
    const mrw_status status = write_picture(at->files, frame, at->pass, frame->image, error);
    if (status || !at->sink->put) {
        return status;
    }
    return at->sink->put(at->sink->user, frame, error);
}

static mrw_status go_on(void *user, mrw_error *error)
{
    const mode_pass *at = user;
    return at->sink->go_on ? at->sink->go_on(at->sink->user, error) : MRW_OK;
}

/* Draws the pictures of the plan in the mode of a pass. */
static mrw_status draw_mode(mode_pass *at, const mrw_session *session, mrw_error *error)
{
    const mrw_plan *plan = at->files->plan;
    const mrw_session_sink sink = {.user = at, .put = receive_mode, .go_on = go_on};
    mrw_settings settings = *at->files->settings; /* borrowed */
    mrw_session_model model = *session->model;
    mrw_session other = {0};
    mrw_crew *crew = NULL;
    settings.picture.shading = plan->passes.shading_of[at->pass];
    settings.shading_argument = settings.picture.shading == MRW_SHADING_CHANNEL
                                    ? mrw_shading_channel_name(MRW_CHANNEL_BASE)
                                    : settings.passes.items[at->pass].joint;
    settings.picture.samples = 1;
    settings.picture.bits = 8;
    settings.picture.overlays = 0;
    settings.picture.overlay_alone = false;
    settings.picture.ground = MRW_GROUND_NONE;
    settings.picture.shadows = false;
    settings.picture.occlusion = false;
    settings.picture.environment_background = false;
    settings.picture.backplate = MRW_BACKPLATE_NONE;
    settings.passes = (mrw_pass_settings){0};
    model.settings = &settings;
    mrw_status status = mrw_session_begin(&other, &model, plan->sequence, error);
    if (status) {
        goto out;
    }
    other.cache = session->cache;
    status = mrw_session_prepare(&other, NULL, error);
    if (status) {
        goto out;
    }
    status = mrw_crew_create(mrw_backend_software(), other.threads, &crew, error);
    if (status) {
        goto out;
    }
    status =
        mrw_session_perform(&other, plan->pictures.items, plan->pictures.count, crew, &sink, error);
out:
    mrw_crew_free(crew);
    mrw_session_free(&other);
    return status;
}

mrw_status mrw_pass_files_draw_modes(mrw_pass_files *files, const mrw_session *session,
                                     const mrw_session_sink *sink, mrw_error *error)
{
    const mrw_plan_passes *passes = &files->plan->passes;
    for (uint32_t p = 0; p < passes->count; p++) {
        if (passes->shading_of[p] != MRW_NONE) {
            mode_pass at = {files, p, sink};
            const mrw_status status = draw_mode(&at, session, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

void mrw_pass_files_json(const mrw_pass_files *files, const mrw_plan *plan, uint32_t picture,
                         mrw_json *json)
{
    const mrw_plan_passes *passes = &plan->passes;
    if (files) {
        const mrw_intrinsics *camera = &files->cameras[picture];
        mrw_json_open(mrw_json_key(json, "camera"), '{');
        mrw_json_doubles(mrw_json_key(json, "K"), camera->k, 9);
        mrw_json_doubles(mrw_json_key(json, "world_to_camera"), camera->world_to_camera, 16);
        mrw_json_double(mrw_json_key(json, "near"), camera->near_plane);
        mrw_json_key(json, "far");
        camera->far_plane > 0.0 ? mrw_json_double(json, camera->far_plane) : mrw_json_null(json);
        mrw_json_bool(mrw_json_key(json, "orthographic"), camera->orthographic);
        mrw_json_close(json, '}');
    }
    mrw_json_open(mrw_json_key(json, "passes"), '{');
    for (uint32_t p = 0; p < passes->count; p++) {
        const uint32_t entry = passes->each ? picture * passes->count + p : picture;
        mrw_json_open(mrw_json_key(json, passes->items[p].name), '{');
        mrw_json_string(mrw_json_key(json, "file"), plan->files.paths[plan->files.of[entry]]);
        if (files) {
            const uint8_t *hash = files->hashes[(size_t)picture * passes->count + p];
            char text[65];
            for (int k = 0; k < 32; k++) {
                snprintf(text + 2 * k, 3, "%02x", hash[k]);
            }
            mrw_json_string(mrw_json_key(json, "hash"), text);
        }
        if (passes->items[p].scale > 0.0) {
            mrw_json_double(mrw_json_key(json, "scale"), passes->items[p].scale);
        }
        mrw_json_close(json, '}');
    }
    mrw_json_close(json, '}');
}
