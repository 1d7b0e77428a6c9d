/* info.c: `marrow info`: what is in a file, as tables or as JSON. */
#include "cli.h"

#include <marrow/explain.h>
#include <string.h>

/* Names of the variants of a file. */
typedef struct variants {
    mrw_text names; /* NUL-terminated texts, one after the other */
    uint32_t count;
} variants;

static void hear_variant(void *user, const char *name)
{
    variants *v = user;
    mrw_text_put(&v->names, name, strlen(name) + 1);
    v->count++;
}

/* Says a warning. The answer contains it, too, without the path. */
static void hear_warning(void *unused, const char *text)
{
    (void)unused;
    host_warn_answered(text);
}

/* Answers --json: the description, the scene's warnings, and those about the machine. */
static mrw_status answer(const mrw_scene *scene, const mrw_scene_origin *origin, mrw_error *error)
{
    mrw_json json = {0};
    mrw_json_open(&json, '{');
    mrw_scene_describe_json(scene, origin, &json);
    mrw_json_open(mrw_json_key(&json, "warnings"), '[');
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        mrw_json_string(&json, mrw_scene_string(scene, scene->warnings[i]));
    }
    host_put_warnings(&json);
    mrw_json_close(&json, ']');
    mrw_json_close(&json, '}');
    mrw_json_line(&json);
    const mrw_status status = host_answer_as_it_is(&json.text, error);
    mrw_text_free(&json.text);
    return status;
}

static mrw_status print(const mrw_scene *scene, const mrw_scene_origin *origin, bool separate,
                        mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_puts(&text, separate ? "\n" : "");
    mrw_scene_describe(scene, origin, &text);
    const mrw_status status = host_print(&text, error);
    mrw_text_free(&text);
    return status;
}

static mrw_status show(const mrw_settings *settings, const char *path, bool separate,
                       mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_bake_measure rest;
    variants v = {.count = 0};
    mrw_session_host host = host_callbacks;
    host.user = &v;
    host.variant_found = hear_variant;
    host.no_texels = true;
    host.warning = hear_warning;
    host_answer_about(path);
    mrw_status status = mrw_session_load(path, settings, &host, &scene, error);
    if (status) {
        goto out;
    }
    status = host_check_opened(settings, NULL, error);
    if (status) {
        goto out;
    }
    if (v.names.failed) {
        status = host_fail_memory(error);
        goto out;
    }
    status = mrw_bake_measure_rest(scene, settings->model.show_hidden,
                                   mrw_session_threads(settings), &rest, error);
    if (status) {
        goto out;
    }
    float box[2][3];
    memcpy(box[0], rest.aabb_min, sizeof box[0]);
    memcpy(box[1], rest.aabb_max, sizeof box[1]);
    const mrw_scene_origin origin = {.path = path,
                                     .variants = v.names.data,
                                     .variant_count = v.count,
                                     .rest_box = rest.any ? box[0] : NULL};
    status = settings->output.json ? answer(scene, &origin, error)
                                   : print(scene, &origin, separate, error);

out:
    mrw_text_free(&v.names);
    mrw_scene_free(scene);
    return status;
}

int cli_info(const mrw_settings *settings)
{
    int result = HOST_DONE;
    for (size_t i = 0; i < settings->arguments.count; i++) {
        mrw_error error;
        const mrw_status status = show(settings, settings->arguments.items[i], i > 0, &error);
        if (status) {
            host_complain(&error);
            result = result == HOST_DONE ? host_exit_status(status) : result;
        }
    }
    return result;
}
