/* load.c: loads the files that settings name: a model, and the clips of --anim. */
#include "base/memory.h"
#include "base/text.h"
#include "image/jpeg.h"
#include "scene/derive.h"
#include "session/internal.h"

#include "marrow/clips.h"

#include <stdio.h>
#include <string.h>

void mrw_session_name(const char *path, char out[MRW_SESSION_NAME_SIZE])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strncmp(path, "demo:", 5) == 0) {
        base = path + 5;
    }
    if (strcmp(path, "-") == 0) {
        base = "stdin";
    }
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    snprintf(out, MRW_SESSION_NAME_SIZE, "%.*s", (int)(length < 255 ? length : 255), base);
}

/* ---- one file -------------------------------------------------------------------------------- */

static void tell_scene(const mrw_session_host *host, const char *label, const mrw_scene *scene,
                       double seconds)
{
    char text[512], safe[256], hash[65], time[32];
    if (!host || !host->detail) {
        return; /* the hash takes time, so it is made only for listeners */
    }
    mrw_scene_hash_text(scene, hash);
    mrwi_base_format_fixed(seconds, 3, time);
    snprintf(text, sizeof text, "%s: scene hash %s, loaded in %s s",
             mrwi_base_escape(label, safe, sizeof safe), hash, time);
    mrwi_session_detail(host, text);
}

/* Tells the host how many of the opened textures were not decoded because nothing reads them. */
static void tell_undecoded(const mrw_session_host *host, const char *label, const mrw_scene *scene)
{
    char text[512], safe[256];
    uint32_t opened = 0, left_out = 0;
    if (!host || !host->detail) {
        return;
    }
    for (uint32_t i = 0; i < scene->images_count; i++) {
        opened += (scene->images[i].flags & (MRW_IMAGE_UNSEEN | MRW_IMAGE_MISSING)) == 0;
        left_out += (scene->images[i].flags & MRW_IMAGE_UNDECODED) != 0;
    }
    if (left_out > 0 && !host->no_texels) {
        snprintf(text, sizeof text, "%s: %u of %u textures decoded; the others are not used",
                 mrwi_base_escape(label, safe, sizeof safe), opened - left_out, opened);
        mrwi_session_detail(host, text);
    }
}

/* Returns the name of a model in messages. */
static const char *label_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void mrwi_session_pass_warnings(const mrw_session_host *host, const mrw_scene *scene,
                                const char *path)
{
    const char *label = label_of(path);
    char text[1200];
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        const char *warning = mrw_scene_string(scene, scene->warnings[i]);
        bool named = strncmp(warning, label, strlen(label)) == 0;
        snprintf(text, sizeof text, "%s%s%s", named ? "" : label, named ? "" : ": ", warning);
        mrwi_session_warn(host, text);
    }
}

void mrwi_session_warn_of_damage(const mrw_session_host *host, const char *path,
                                 const mrw_scene *scene, const mrw_model *model)
{
    char text[1200], shown[300], safe[300];
    for (uint32_t i = 0; i < scene->images_count; i++) {
        const char *file = mrw_scene_string(scene, scene->images[i].path);
        const char *name = file[0] != '\0' ? file : mrw_scene_string(scene, scene->images[i].name);
        const char *quote = name[0] != '\0' ? "\"" : "";
        if (mrw_model_is_damaged(model, i)) {
            snprintf(text, sizeof text, "%s: image %u%s%s%s%s: " MRWI_IMAGE_JPEG_DAMAGED,
                     mrwi_base_escape(label_of(path), safe, sizeof safe), i,
                     quote[0] != '\0' ? " " : "", quote,
                     mrwi_base_escape(name, shown, sizeof shown), quote);
            mrwi_session_warn(host, text);
        }
    }
}

bool mrwi_session_is_piped(const mrwi_session_source *source)
{
    return !source->bytes && strcmp(source->path, "-") == 0;
}

const char *mrwi_session_folder_of(const mrwi_session_source *source, char out[MRWI_BASE_PATH_MAX])
{
    return source->bytes ? NULL : mrwi_load_folder_of(source->path, out);
}

/* Loads a model from a file, standard input or memory. opened may be NULL. */
static mrw_status load_scene(const mrwi_session_source *source, const mrw_load_def *def,
                             const mrw_session_host *host, mrwi_load_opened *opened,
                             mrw_scene **out, mrw_error *error)
{
    const bool piped = mrwi_session_is_piped(source);
    const char *path = source->path;
    const char *label = label_of(path);
    double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    if (piped && (!host || !host->standard_input)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "-: standard input cannot be used as a model here; give a file name");
    }
    mrw_status status = piped           ? host->standard_input(host->user, def, out, error)
                        : source->bytes ? mrwi_load_memory_noting(source->bytes, source->size, path,
                                                                  def, opened, out, error)
                                        : mrwi_load_file_noting(path, def, opened, out, error);
    if (status == MRW_ERROR_USAGE) {
        return status; /* about an option */
    }
    if (status) {
        return mrwi_session_prefix(error, label, status);
    }
    tell_scene(host, label, *out, mrw_clock_seconds(MRW_CLOCK_WALL) - start);
    tell_undecoded(host, label, *out);
    mrwi_session_pass_warnings(host, *out, path);
    return MRW_OK;
}

/* ---- clips of other files -------------------------------------------------------------------- */

/* Tells the host which steps matched the joints: "by equal names 3, without namespaces 49". */
static void tell_names(const mrw_session_host *host, const char *safe, const mrw_clip_match *match)
{
    static const char *const how[MRW_NAME_MATCHES] = {"by equal names",
                                                      "without namespaces",
                                                      "ignoring separators and case",
                                                      "ignoring separators, case and namespaces",
                                                      "ignoring separators, case and a prefix",
                                                      "as bones of a human figure",
                                                      "in order"};
    char text[900];
    size_t used = (size_t)snprintf(text, sizeof text, "%s: matched", safe);
    bool any = false;
    for (int i = 0; i < MRW_NAME_MATCHES; i++) {
        if (match->matched_by[i] > 0 && used < sizeof text) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s: %u", any ? "," : "",
                                     how[i], match->matched_by[i]);
            any = true;
        }
    }
    if (any) {
        mrwi_session_detail(host, text);
    }
}

/* Warns if the scale of the root's motion, which is that of the hips' heights, differs from the
 * scale of the rigs by more than a factor of 4. */
static void warn_of_scale(const mrw_session_host *host, const char *safe,
                          const mrw_clip_match *match)
{
    char text[1200], scale[32], size[32];
    if (!(match->size_ratio > 0 && (match->root_scale > 4 * match->size_ratio ||
                                    4 * match->root_scale < match->size_ratio))) {
        return;
    }
    mrwi_base_format_fixed(match->root_scale, 4, scale);
    mrwi_base_format_fixed(match->size_ratio, 4, size);
    snprintf(text, sizeof text,
             "%s: the root's motion is scaled by %s, but the model is %s times as large at rest as "
             "the clip's rig, so its steps may look too long or too short; check the units of both "
             "files",
             safe, scale, size);
    mrwi_session_warn(host, text);
}

static void tell_retargeting(const mrw_session_host *host, const char *safe,
                             const mrw_clip_match *match)
{
    char text[1200], degrees[32], scale[32];
    mrwi_base_format_fixed(match->most_degrees, 1, degrees);
    mrwi_base_format_fixed(match->root_scale, 3, scale);
    if (match->rest_unknown) {
        snprintf(text, sizeof text,
                 "%s: it has no rest pose, and its nodes stand as at the start of a clip; its "
                 "joints have the model's axes, so rotations are played as they are",
                 safe);
        mrwi_session_detail(host, text);
    }
    if (match->retargeted > 0) {
        snprintf(text, sizeof text,
                 "%s: retargeted: the keys of %u joints were adapted to the model; the rest "
                 "rotations of %u joints differ by more than a degree (at most by %s degrees), the "
                 "root's motion was scaled by %s, and %u nodes were "
                 "folded; --retarget off plays keys as they are",
                 safe, match->retargeted, match->turned, degrees, scale, match->folded);
        mrwi_session_note(host, text);
    }
    if (match->is_turned) {
        snprintf(text, sizeof text, "%s: its rig faces another way and is turned as a whole", safe);
        mrwi_session_detail(host, text);
    }
    if (match->aligned > 0) {
        snprintf(
            text, sizeof text,
            "%s: the rest poses are aligned bone by bone: %u joints of the model are turned to "
            "rest as those of the clip's rig",
            safe, match->aligned);
        mrwi_session_detail(host, text);
    }
    if (match->rest_doubtful && match->turned > 0 && match->aligned == 0) {
        snprintf(text, sizeof text,
                 "%s: its nodes stand as at the start of a clip, which is probably not a rest "
                 "pose, but the clip's changes are measured from it; export it with its skin, so "
                 "that the bind pose is used instead",
                 safe);
        mrwi_session_warn(host, text);
    }
    if (match->turned > 0) {
        snprintf(text, sizeof text, "%s: rest poses differ, in degrees: %s", safe,
                 match->differing);
        const bool is_info = host && host->no_texels;
        (is_info ? mrwi_session_note : mrwi_session_detail)(host, text);
    }
}

static void report_match(const mrw_session_host *host, const char *path,
                         const mrw_clip_match *match)
{
    char safe[512], text[1200];
    bool all = match->matched == match->joints;
    mrwi_base_escape(path, safe, sizeof safe);
    snprintf(text, sizeof text, "%s: %u of %u joints matched%s%s", safe, match->matched,
             match->joints, all ? "" : "; not in the model: ", all ? "" : match->unmatched);
    mrwi_session_note(host, text);
    tell_names(host, safe, match);
    tell_retargeting(host, safe, match);
    if (match->matched < match->joints - match->joints / 2) {
        snprintf(text, sizeof text,
                 "%s: only %u of the %u joints that its clips move are in the model, so much of "
                 "their motion is lost; choose clips for a rig whose joints have the model's names",
                 safe, match->matched, match->joints);
        mrwi_session_warn(host, text);
    }
    warn_of_scale(host, safe, match);
    if (match->weights_left_out > 0) {
        snprintf(text, sizeof text,
                 "%s: %u channels of morph weights do not fit the model and are ignored", safe,
                 match->weights_left_out);
        mrwi_session_warn(host, text);
    }
    if (match->materials_left_out > 0) {
        snprintf(text, sizeof text,
                 "%s: its clips also animate materials, which stay as the model has them", safe);
        mrwi_session_warn(host, text);
    }
}

/* The files of --anim until their clips are added. */
typedef struct animations {
    mrw_clip_source *sources;
    char (*names)[MRW_SESSION_NAME_SIZE];
    uint32_t loaded;
} animations;

/* Returns how the files of --anim are loaded. */
static mrw_load_def animation_def(const mrw_settings *settings, const mrw_session_host *host)
{
    mrw_load_def def = mrw_session_load_def(settings, host);
    def.scene = NULL; /* this and the next three are about the model */
    def.variant = NULL;
    def.variant_found = NULL;
    def.input_format = NULL;
    def.clips_only = true;
    return def;
}

static mrw_status load_animations(const mrw_settings *settings, const mrw_session_host *host,
                                  mrwi_load_opened *opened, animations *a, mrw_error *error)
{
    const uint32_t count = (uint32_t)settings->animation.anims.count;
    const mrw_load_def def = animation_def(settings, host);
    a->sources = mrwi_base_alloc_zero(count, sizeof *a->sources);
    a->names = mrwi_base_alloc_zero(count, sizeof *a->names);
    if (!a->sources || !a->names) {
        return mrwi_base_fail_memory(error, count * sizeof *a->names);
    }
    while (a->loaded < count) {
        const char *path = settings->animation.anims.items[a->loaded];
        const mrwi_session_source source = {.path = path};
        mrw_scene *scene = NULL;
        mrw_status status =
            load_scene(&source, &def, host, opened ? &opened[a->loaded] : NULL, &scene, error);
        if (status) {
            return status;
        }
        mrw_session_name(path, a->names[a->loaded]);
        a->sources[a->loaded] = (mrw_clip_source){
            .scene = scene, .name = a->names[a->loaded], .retarget = settings->animation.retarget};
        a->loaded++;
    }
    return MRW_OK;
}

/* Replaces *scene by a scene with the clips of --anim added. opened: one per file, or NULL. */
static mrw_status add_animations(const char *path, const mrw_settings *settings,
                                 const mrw_session_host *host, mrwi_load_opened *opened,
                                 mrw_scene **scene, mrw_error *error)
{
    animations a = {0};
    mrw_scene *sum = NULL;
    mrw_status status = load_animations(settings, host, opened, &a, error);
    if (status) {
        goto out;
    }
    status = mrw_scene_add_clips(*scene, a.sources, a.loaded, &sum, error);
    if (status) {
        mrwi_session_prefix(error, path, status);
        goto out;
    }
    for (uint32_t i = 0; i < a.loaded; i++) {
        report_match(host, settings->animation.anims.items[i], &a.sources[i].match);
    }
    mrw_scene_free(*scene);
    *scene = sum;
out:
    for (uint32_t i = 0; i < a.loaded; i++) {
        mrw_scene_free((mrw_scene *)(uintptr_t)a.sources[i].scene);
    }
    mrwi_base_free(a.sources);
    mrwi_base_free(a.names);
    return status;
}

mrw_status mrwi_session_load_noting(const mrwi_session_source *source, const mrw_settings *settings,
                                    const mrw_session_host *host, mrwi_load_opened *opened,
                                    mrw_scene **out, mrw_error *error)
{
    const mrw_load_def def = mrw_session_load_def(settings, host);
    const size_t anims = settings->animation.anims.count;
    *out = NULL;
    mrw_status status = mrw_load_def_check(&def, error);
    if (status) {
        return status;
    }
    status = load_scene(source, &def, host, opened, out, error);
    if (status) {
        return status;
    }
    if (anims > 0) {
        status =
            add_animations(source->path, settings, host, opened ? opened + 1 : NULL, out, error);
        if (status) {
            mrw_scene_free(*out);
            *out = NULL;
            return status;
        }
    }
    return mrwi_session_displace(source, settings, host, opened ? &opened[anims + 1] : NULL, out,
                                 error);
}

mrw_status mrw_session_load(const char *path, const mrw_settings *settings,
                            const mrw_session_host *host, mrw_scene **out, mrw_error *error)
{
    const mrwi_session_source source = {.path = path};
    return mrwi_session_load_noting(&source, settings, host, NULL, out, error);
}

bool mrwi_session_files_again(const mrwi_load_opened *opened, const mrwi_session_source *source,
                              const mrw_settings *settings, const mrw_session_host *host)
{
    char folder[MRWI_BASE_PATH_MAX];
    const mrw_load_def def = mrw_session_load_def(settings, host);
    const mrw_load_def anim = animation_def(settings, host);
    bool same = mrwi_session_is_piped(source) ||
                mrwi_load_opened_again(&opened[0], mrwi_session_folder_of(source, folder), &def);
    for (size_t i = 0; i < settings->animation.anims.count && same; i++) {
        uint8_t hash[32];
        const char *file = settings->animation.anims.items[i];
        same = mrwi_load_model_hash(file, &anim, hash) &&
               memcmp(hash, opened[1 + i].model, sizeof hash) == 0 &&
               mrwi_load_opened_again(&opened[1 + i], mrwi_load_folder_of(file, folder), &anim);
    }
    return same && mrwi_session_heights_again(&opened[1 + settings->animation.anims.count], source,
                                              settings, host);
}
