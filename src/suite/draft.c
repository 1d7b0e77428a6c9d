/* draft.c: suites that are written: a new one for models, one case per clip, and a suite that gets
 * cases for the clips that it does not draw. */
#include "suite/draft.h"

#include "base/file.h"
#include "base/text.h"
#include "marrow/scene.h"
#include "marrow/session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_COMMENT 150 /* bytes of a name in a comment */

/* ---- one case -------------------------------------------------------------------------------- */

static bool is_free(const mrwi_suite_names *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcasecmp(list->items[i], name) == 0) {
            return false;
        }
    }
    return strcasecmp(name, "defaults") != 0;
}

/* Makes room for the names of `more` sections. */
static mrw_status reserve(mrwi_suite_names *list, size_t more, mrw_error *error)
{
    void *grown = mrwi_base_realloc(list->items, list->count * sizeof *list->items,
                                    list->count + more, sizeof *list->items);
    if (!grown) {
        return mrwi_base_fail_memory(error, 0);
    }
    list->items = grown;
    return MRW_OK;
}

/* Begins a section "[Run]", or "[hero_Run]" if there are several models, and names the model where
 * that is needed. clip: NULL for a model without clips. */
static mrw_status begin_case(mrw_suite_draft *d, const mrw_session_model *model, const char *clip,
                             mrw_error *error)
{
    char full[2 * MRW_SESSION_NAME_SIZE];
    char safe[MRWI_SUITE_MAX_NAME + 1 - 8]; /* leaves room for a number */
    char *name = d->names.items[d->names.count];
    const bool several = d->models > 1;
    snprintf(full, sizeof full, "%s%s%s", several ? model->name : "", several && clip ? "_" : "",
             clip      ? clip
             : several ? ""
                       : "rest");
    mrwi_base_file_name(full, safe, sizeof safe);
    snprintf(name, MRWI_SUITE_MAX_NAME + 1, "%s", safe);
    for (unsigned n = 2; !is_free(&d->names, name); n++) {
        snprintf(name, MRWI_SUITE_MAX_NAME + 1, "%s_%u", safe, n);
    }
    d->names.count++;
    mrw_text_add(&d->cases, "\n[%s]\n", name);
    if (!several && !d->extends) {
        return MRW_OK;
    }
    mrw_text_add(&d->cases, "model = ");
    mrw_status status = mrwi_suite_draft_path(d->path, model->path, &d->cases, error);
    mrw_text_add(&d->cases, "\n");
    return status;
}

/* Sets *only if --clip TEXT chooses this clip and no other. */
static mrw_status chooses(const mrw_session_model *model, const char *text, uint32_t clip,
                          bool *only, mrw_error *error)
{
    mrw_settings settings = *model->settings;
    mrw_session_model asked = *model;
    mrw_session_clips found;
    settings.animation.clips = (mrw_text_list){&text, 1};
    asked.settings = &settings;
    *only = false;
    mrw_status status = mrw_session_choose_clips(&asked, &found, error);
    if (status) {
        return status == MRW_ERROR_MEMORY ? status : MRW_OK; /* else there is no such clip */
    }
    *only = found.count == 1 && found.items[0] == clip;
    mrw_session_clips_free(&found);
    return MRW_OK;
}

/* Makes a pattern of a clip's name: '?' or '*' replaces each character that has a meaning in a
 * suite or in a pattern. */
static void make_pattern(const char *name, char *out, size_t size)
{
    size_t used = 0;
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0' && used + 1 < size; p++) {
        bool plain = (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= 'a' && *p <= 'z') || *p == '_' || *p == '-' || *p == '.';
        char sign = plain ? (char)*p : *p < 0x80 ? '?' : '*';
        if (sign != '*' || used == 0 || out[used - 1] != '*') {
            out[used++] = sign;
        }
    }
    out[used] = '\0';
}

/* Writes the value of `clip` that chooses this clip alone: its name, a pattern of it, or its
 * number. *named is false if there is none. */
static mrw_status name_clip(const mrw_session_model *model, uint32_t clip, char *out, size_t size,
                            bool *named, mrw_error *error)
{
    const char *name = mrw_session_clip_name(model, clip);
    *named = false;
    if (mrwi_suite_draft_is_plain(name) && strlen(name) < MOST_COMMENT) {
        snprintf(out, size, "%s", name);
        mrw_status status = chooses(model, out, clip, named, error);
        if (status || *named) {
            return status;
        }
    }
    make_pattern(name, out, size < MOST_COMMENT ? size : MOST_COMMENT);
    if (strpbrk(out, "_.-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
        mrw_status status = chooses(model, out, clip, named, error);
        if (status || *named) {
            return status;
        }
    }
    snprintf(out, size, "%u", clip);
    return chooses(model, out, clip, named, error);
}

static mrw_status put_case(mrw_suite_draft *d, const mrw_session_model *model, uint32_t clip,
                           mrw_error *error)
{
    char value[MRWI_SUITE_MAX_LINE], comment[MOST_COMMENT];
    bool named = false;
    if (clip == MRW_NONE) {
        mrw_status status = begin_case(d, model, NULL, error);
        mrw_text_puts(&d->cases,
                      "# There are no clips; this is the pose stored in the file.\npose = rest\n");
        return status;
    }
    const char *name = mrw_session_clip_name(model, clip);
    d->plays = true;
    mrw_status status = name_clip(model, clip, value, sizeof value, &named, error);
    if (status) {
        return status;
    }
    mrwi_base_escape(name, comment, sizeof comment);
    if (!named) {
        mrw_text_add(&d->cases, "\n# Each name of this clip refers to an earlier clip: %s\n",
                     comment);
        return MRW_OK;
    }
    status = begin_case(d, model, name, error);
    if (strcmp(value, name) != 0) {
        mrw_text_add(&d->cases, "# %s\n", comment);
    }
    mrw_text_add(&d->cases, "clip = %s\n", value);
    if (!(mrw_session_clip_duration(model, clip) > 0.0)) {
        mrw_text_add(&d->cases, "count = 1\n"); /* the clip is a pose */
    }
    return status;
}

/* ---- one model ------------------------------------------------------------------------------- */

static bool is_same_file(const char *a, const char *b)
{
    char real[2][PATH_MAX];
    return strcmp(a, b) == 0 ||
           (realpath(a, real[0]) && realpath(b, real[1]) && strcmp(real[0], real[1]) == 0);
}

/* Marks the clips that a case draws. A case that cannot be played draws none. */
static mrw_status mark_drawn(const mrw_case *c, const mrw_scene *scene, bool *drawn,
                             mrw_error *error)
{
    mrw_session_model model = {0};
    mrw_session_clips chosen = {0};
    mrw_status status = mrw_session_model_init(c->model, scene, &c->settings, &model, error);
    if (status) {
        goto out;
    }
    status = mrw_session_choose_clips(&model, &chosen, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < chosen.count; i++) {
        if (chosen.items[i] < scene->clips_count) {
            drawn[chosen.items[i]] = true;
        }
    }
    for (uint32_t i = 0; i < model.mix.track_count; i++) {
        drawn[model.mix.tracks[i].clip] = true;
    }

out:
    mrw_session_clips_free(&chosen);
    mrw_session_model_free(&model);
    return status == MRW_ERROR_MEMORY ? status : MRW_OK;
}

/* Adds a case for each clip of --clip, or for all clips, but not for those that are drawn already.
 * A model without clips gets one case. ("--clip all" would be the clip of that name.) */
static mrw_status put_clips(mrw_suite_draft *d, const mrw_session_model *model, const bool *drawn,
                            mrw_error *error)
{
    const uint32_t all = model->scene->clips_count;
    const size_t before = d->names.count;
    mrw_session_clips chosen = {0};
    char safe[MOST_COMMENT];
    mrw_status status = mrw_session_choose_clips(model, &chosen, error);
    if (status) {
        return status;
    }
    const bool every = model->settings->animation.clips.count == 0 && all > 0;
    const uint32_t count = every ? all : chosen.count;
    status = reserve(&d->names, count, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t clip = count == chosen.count ? chosen.items[i] : i;
        if (clip != MRW_NONE && drawn[clip]) {
            continue;
        }
        status = put_case(d, model, clip, error);
        if (status) {
            goto out;
        }
    }
    if (d->names.count == before && !d->extends) {
        status = mrwi_base_fail(error, MRW_ERROR_INPUT,
                                "%s: none of the requested clips has a unique name, pattern or "
                                "number; choose others with --clip",
                                mrwi_base_escape(model->path, safe, sizeof safe));
    }

out:
    mrw_session_clips_free(&chosen);
    return status;
}

mrw_status mrw_suite_draft_add(mrw_suite_draft *d, const char *path, const mrw_scene *scene,
                               mrw_error *error)
{
    mrw_session_model model = {0};
    bool known = false;
    mrw_status status = MRW_OK;
    bool *drawn = mrwi_base_alloc_zero((size_t)scene->clips_count + 1, sizeof *drawn);
    if (!drawn) {
        return mrwi_base_fail_memory(error, 0);
    }
    if (d->extends) {
        d->models = 1; /* cases of a suite's only model are named after its clips alone */
    }
    for (size_t i = 0; i < d->existing.count; i++) {
        if (!is_same_file(d->existing.items[i].model, path)) {
            d->models = 2;
            continue;
        }
        known = true;
        status = mark_drawn(&d->existing.items[i], scene, drawn, error);
        if (status) {
            goto out;
        }
    }
    status = mrw_session_model_init(path, scene, d->settings, &model, error);
    if (status) {
        goto out;
    }
    if (scene->clips_count > 0 || !known) {
        status = put_clips(d, &model, drawn, error);
    }

out:
    mrw_session_model_free(&model);
    mrwi_base_free(drawn);
    return status;
}

/* ---- the whole suite ------------------------------------------------------------------------- */

mrw_status mrw_suite_draft_create(const mrw_settings *settings, const char *path, const char *name,
                                  size_t models, mrw_suite_draft **out, mrw_error *error)
{
    mrw_suite_draft *d = mrwi_base_alloc_zero(1, sizeof *d);
    *out = d;
    if (!d) {
        return mrwi_base_fail_memory(error, 0);
    }
    d->settings = settings;
    d->path = path;
    d->models = models;
    snprintf(d->name, sizeof d->name, "%s", name);
    return MRW_OK;
}

mrw_status mrw_suite_draft_extend(const mrw_settings *settings, const char *path,
                                  mrw_suite_draft **out, mrw_error *error)
{
    mrw_suite_draft *d;
    mrw_status status = mrw_suite_draft_create(settings, path, "", 0, &d, error);
    *out = d;
    if (status) {
        return status;
    }
    d->extends = true;
    status = mrw_cases_load(&path, 1, &d->existing, error);
    if (status) {
        return status;
    }
    status = mrwi_base_read_file(path, MRWI_SUITE_MAX_BYTES, &d->before, NULL, error);
    if (status) {
        return status;
    }
    const char *at = (const char *)d->before.data, *end = at + d->before.size;
    size_t most = 0;
    for (size_t i = 0; i < d->before.size; i++) {
        most += at[i] == '[' && (i == 0 || at[i - 1] == '\n');
    }
    status = reserve(&d->names, most, error);
    if (status) {
        return status;
    }
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = strcspn(at, "]\n");
        if (*at == '[' && length > 1) {
            snprintf(d->names.items[d->names.count++], sizeof *d->names.items, "%.*s",
                     (int)length - 1, at + 1);
        }
        at = newline ? newline + 1 : end;
    }
    d->names.kept = d->names.count;
    return MRW_OK;
}

size_t mrw_suite_draft_count(const mrw_suite_draft *d)
{
    return d->names.count - d->names.kept;
}

mrw_status mrw_suite_draft_write(const mrw_suite_draft *d, mrw_text *out, mrw_error *error)
{
    char name[MRW_SESSION_NAME_SIZE], safe[MOST_COMMENT];
    if (d->extends) {
        const size_t size = d->before.size;
        mrw_text_put(out, d->before.data, size);
        mrw_text_puts(out, size > 0 && d->before.data[size - 1] == '\n' ? "" : "\n");
    } else {
        mrw_session_name(d->settings->arguments.items[0], name);
        mrw_text_add(out, "# Golden-image tests of %s", mrwi_base_escape(name, safe, sizeof safe));
        if (d->models > 1) {
            mrw_text_add(out, " and %zu more", d->models - 1);
        }
        mrw_text_add(out, ", one case per clip.\n");
        mrw_status status = mrwi_suite_draft_defaults(d, out, error);
        if (status) {
            return status;
        }
    }
    mrw_text_puts(out, d->cases.data ? d->cases.data : "");
    return out->failed || d->cases.failed ? mrwi_base_fail_memory(error, 0) : MRW_OK;
}

void mrw_suite_draft_free(mrw_suite_draft *d)
{
    if (d) {
        mrw_cases_free(&d->existing);
        mrw_bytes_free(&d->before);
        mrwi_base_free(d->names.items);
        mrw_text_free(&d->cases);
        mrwi_base_free(d);
    }
}
