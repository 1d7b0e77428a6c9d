/* render_answers.c: what `marrow render` says of its pictures: JSON, the plan of --dry-run, the
 * last line. */
#include "render.h"

#include <stdio.h>
#include <string.h>

static void picture_json(const cli_job *j, uint32_t i, mrw_json *json)
{
    const mrw_picture *picture = &j->plan.pictures.items[i];
    const mrw_session_view *view = &j->plan.views[picture->view];
    mrw_json_open(json, '{');
    if (!j->plan.passes.each) {
        char name[MRW_OUTPUT_PATH_SIZE];
        const char *path = j->plan.files.paths[j->plan.files.of[i]];
        const bool paged =
            j->plan.format == MRW_OUTPUT_SPRITES && j->files->output &&
            mrw_output_page_path(path, mrw_output_page_of(j->files->output, j->first + i), name,
                                 sizeof name, NULL) == MRW_OK;
        mrw_json_string(mrw_json_key(json, "file"), paged ? name : path);
    }
    mrw_json_key(json, "clip");
    mrw_json_string(
        json, picture->clip == MRW_NONE ? NULL : mrw_session_clip_name(j->model, picture->clip));
    mrw_json_string(mrw_json_key(json, "view"), view->name);
    if (view->direction) {
        mrw_json_string(mrw_json_key(json, "dir"), view->direction);
    }
    mrw_json_key(json, "azimuth");
    if (view->scene_camera != MRW_NONE || view->view.has_eye) {
        mrw_json_null(json);
    } else {
        mrw_json_double(json, (double)view->view.azimuth_degrees);
    }
    mrw_json_uint(mrw_json_key(json, "frame"), picture->frame);
    mrw_json_double(mrw_json_key(json, "time"), picture->time);
    if (j->hashes) {
        char text[65];
        for (int k = 0; k < 32; k++) {
            snprintf(text + 2 * k, 3, "%02x", j->hashes[i][k]);
        }
        mrw_json_string(mrw_json_key(json, "pixel_hash"), text);
    }
    if (j->plan.passes.count > 0) {
        mrw_pass_files_json(j->files->passes.plan ? &j->files->passes : NULL, &j->plan, i, json);
    }
    mrw_json_close(json, '}');
}

mrw_status cli_job_print_json(const cli_job *j, mrw_error *error)
{
    mrw_json json = {0};
    char hash[65];
    mrw_scene_hash_text(j->model->scene, hash);
    mrw_json_open(&json, '{');
    mrw_json_uint(mrw_json_key(&json, "schema"), 1);
    mrw_json_string(mrw_json_key(&json, "model"), j->model->path);
    mrw_json_uint(mrw_json_key(&json, "pixel_version"), MRW_PIXEL_VERSION);
    mrw_json_string(mrw_json_key(&json, "scene_hash"), hash);
    mrw_json_uint(mrw_json_key(&json, "scene_formula"), MRW_SCENE_FORMULA);
    mrw_json_uint(mrw_json_key(&json, "width"), j->settings->picture.width);
    mrw_json_uint(mrw_json_key(&json, "height"), j->settings->picture.height);
    if (host_backend_driver()) {
        mrw_json_string(mrw_json_key(&json, "gl_driver"), host_backend_driver());
    }
    mrw_json_bool(mrw_json_key(&json, "written"), !j->settings->output.dry_run);
    if (j->files->passes.plan) {
        mrw_json_key(&json, "legend");
        mrw_plan_legend_json(&j->session, &json);
    }
    mrw_json_open(mrw_json_key(&json, "pictures"), '[');
    for (uint32_t i = 0; i < j->plan.pictures.count; i++) {
        picture_json(j, i, &json);
    }
    mrw_json_close(&json, ']');
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    mrw_status status = host_answer(&json.text, error);
    mrw_text_free(&json.text);
    return status;
}

mrw_status cli_job_print_plan(const cli_job *j, mrw_error *error)
{
    mrw_text text = {0};
    const uint32_t each = mrw_plan_passes_files(&j->plan.passes);
    for (uint32_t i = 0; i < j->plan.pictures.count * each; i++) {
        const mrw_picture *picture = &j->plan.pictures.items[i / each];
        mrw_text_escaped(&text, j->plan.files.paths[j->plan.files.of[i]]);
        mrw_text_add(&text, "\t");
        mrw_text_escaped(&text, mrw_session_clip_name(j->model, picture->clip));
        mrw_text_add(&text, "\tframe %llu\t", (unsigned long long)picture->frame);
        mrw_text_double(&text, picture->time);
        mrw_text_add(&text, " s");
        if (j->plan.view_count > 1) {
            mrw_text_add(&text, "\t");
            mrw_text_escaped(&text, j->plan.views[picture->view].name);
        }
        mrw_text_add(&text, "\n");
    }
    mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

/* Adds "clip Walk: " or "3 clips: "; nothing if the pictures show a pose. */
static void put_clips(const cli_job *j, mrw_text *out)
{
    const mrw_picture_list *list = &j->plan.pictures;
    uint32_t changes = 0;
    for (uint32_t i = 1; i < list->count; i++) {
        const mrw_picture *picture = &list->items[i];
        changes += picture->clip != picture[-1].clip && picture->view == list->items[0].view;
    }
    if (changes > 0) {
        mrw_text_add(out, "%u clips: ", changes + 1);
    } else if (list->count > 0 && list->items[0].clip != MRW_NONE) {
        mrw_text_add(out, "clip ");
        mrw_text_escaped(out, mrw_session_clip_name(j->model, list->items[0].clip));
        mrw_text_add(out, ": ");
    }
}

/* Adds what was drawn: "60 pictures, 512x512", "3 passes of 60 pictures, 512x512", or "60 pictures
 * of 64x64 in a sheet of 684x412". */
static void put_what(const cli_job *j, uint32_t count, mrw_text *out)
{
    const mrw_output_info *info = mrw_output_describe(j->plan.format);
    const mrw_picture_settings *frame = &j->settings->picture;
    const uint32_t files = j->plan.files.count;
    uint32_t width, height;
    if (j->plan.passes.count > 0) {
        mrw_text_add(out, "%u pass%s of ", j->plan.passes.count,
                     j->plan.passes.count == 1 ? "" : "es");
    }
    mrw_text_add(out, "%u %s%s%ux%u", count, count == 1 ? "picture" : "pictures",
                 info->collects ? " of " : ", ", frame->width, frame->height);
    if (j->plan.format == MRW_OUTPUT_SHEET && files == 1) {
        mrw_output_size(j->files->output, 0, &width, &height);
        mrw_text_add(out, " in a sheet of %ux%u", width, height);
    } else if (j->plan.format == MRW_OUTPUT_SPRITES && files == 1) {
        const uint32_t pages = mrw_output_pages(j->files->output, 0);
        mrw_output_size(j->files->output, 0, &width, &height);
        if (pages > 1) {
            mrw_text_add(out, " in a sprite sheet of %u pages", pages);
        } else {
            mrw_text_add(out, " in a sprite sheet of %ux%u", width, height);
        }
    } else if (j->plan.format == MRW_OUTPUT_SPRITES) {
        mrw_text_add(out, " in %u sprite sheets", files);
    } else if (j->plan.format == MRW_OUTPUT_SHEET) {
        mrw_text_add(out, " in %u sheets", files);
    } else if (info->streams) {
        const mrw_rate rate = j->files->rates[0];
        mrw_text_add(out, " in a stream, %u", rate.num);
        if (rate.den != 1) {
            mrw_text_add(out, "/%u", rate.den);
        }
        mrw_text_add(out, " per second");
    } else if (info->collects) {
        mrw_text_add(out, files == 1 ? " in an animation" : " in %u animations", files);
    }
}

static void tell_written(const cli_job *j, const char *path, uint32_t page)
{
    char name[MRW_OUTPUT_PATH_SIZE], safe[300];
    const bool paged = j->plan.format == MRW_OUTPUT_SPRITES &&
                       mrw_output_page_path(path, page, name, sizeof name, NULL) == MRW_OK;
    host_detail("wrote %s", mrw_escape_text(paged ? name : path, safe, sizeof safe));
}

static void tell_leftovers(const cli_job *j)
{
    char first[MRW_OUTPUT_PATH_SIZE], safe[300];
    const uint32_t others = mrw_plan_leftovers(j->settings, &j->plan, first);
    if (others > 0) {
        host_say("%u other frame%s of an earlier run %s still there, such as %s", others,
                 others == 1 ? "" : "s", others == 1 ? "is" : "are",
                 mrw_escape_text(first, safe, sizeof safe));
    }
}

void cli_job_summarize(const cli_job *j, uint32_t count, double seconds)
{
    const mrw_output_files *files = &j->plan.files;
    char time[32], pace[64], first[300], last[300];
    mrw_text what = {0};
    if (count == 0) {
        host_say("%s: no pictures in this shard", j->model->name);
        return;
    }
    put_clips(j, &what);
    put_what(j, count, &what);
    mrw_format_fixed(seconds, 2, time);
    mrw_escape_text(mrw_output_is_stdout(files->paths[0]) ? "standard output" : files->paths[0],
                    first, sizeof first);
    mrw_escape_text(files->paths[files->count - 1], last, sizeof last);
    host_say("%s, to %s%s%s in %s s (%s)", what.failed ? "pictures" : what.data, first,
             files->count > 1 ? " ... " : "", files->count > 1 ? last : "", time,
             host_pace(count, seconds, "picture", pace));
    mrw_text_free(&what);
    if (j->repeats > 0) {
        host_detail("%u of the pictures are identical to others, and were not drawn again",
                    j->repeats);
    }
    for (uint32_t f = 0; f < files->count; f++) {
        const uint32_t pages = j->files->output ? mrw_output_pages(j->files->output, f) : 1;
        for (uint32_t p = 0; p < pages; p++) {
            tell_written(j, files->paths[f], p);
        }
        for (uint32_t p = 0; p < pages && f < j->plan.atlases.count; p++) {
            tell_written(j, j->plan.atlases.paths[f], p);
        }
        if (f < j->plan.atlases.count && j->settings->output.atlas_format == 1) {
            char path[MRW_OUTPUT_PATH_SIZE];
            mrw_output_godot_path(j->plan.atlases.paths[f], path, sizeof path);
            tell_written(j, path, 0);
        }
    }
    tell_leftovers(j);
}
