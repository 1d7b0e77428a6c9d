/* find.c: finds clips and cameras by user input; names the format of a scene. */
#include "marrow/scene.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A list of named things; full names may be NULL. */
typedef struct named_list {
    const char *kind;
    const char *const *names;
    const char *const *full_names;
    uint32_t count;
} named_list;

/* Finds the first equal name; else the first that is equal in normal form C. */
static bool find_exact(const char *const *names, uint32_t count, const char *text, uint32_t *out)
{
    for (uint32_t i = 0; i < 2 * count; i++) {
        const char *name = names[i % count];
        if (i < count ? strcmp(name, text) == 0 : mrwi_base_utf8_same(name, text)) {
            *out = i % count;
            return true;
        }
    }
    return false;
}

/* Reads a plain number. *index is MRW_NONE if it exceeds the range of indices. */
static bool parse_index(const char *text, uint32_t *index)
{
    uint64_t value = 0;
    if (!text[0]) {
        return false;
    }
    for (; *text; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(*text - '0');
        value = value < MRW_NONE ? value : MRW_NONE;
    }
    *index = (uint32_t)value;
    return true;
}

static bool find_glob(const char *const *names, uint32_t count, const char *pattern, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (mrwi_base_glob(pattern, names[i])) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Words for the same motion, one row each. */
static const char *const motions[] = {
    "walk walking stroll march amble locomotion",
    "run running jog sprint dash",
    "idle stand standing breathe rest wait still",
    "jump jumping leap hop",
    "attack hit punch strike slash swing stab bite kick",
    "shoot fire aim",
    "die death dead dying",
    "hurt damage hit impact",
    "crouch duck sneak",
    "wave greet hello",
    "talk speak speaking",
    "turn rotate spin",
    "fly flying glide hover",
    "sit sitting",
    "lie sleep",
};

/* Appends clips that use another word for the same motion. */
static void suggest_alike(const named_list *list, const char *pattern, char *text, size_t size)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        char row[64], *rest = row;
        bool has = false;
        for (const char *p = motions[i]; *p != '\0' && !has; p += strspn(p, " ")) {
            const size_t word = strcspn(p, " ");
            has = word == strlen(pattern) && strncasecmp(p, pattern, word) == 0;
            p += word;
        }
        snprintf(row, sizeof row, "%s", motions[i]);
        for (char *word = strtok_r(row, " ", &rest); has && word && text[length] == '\0';
             word = strtok_r(NULL, " ", &rest)) {
            mrwi_base_suggest(text, size, word, list->names, list->count, false);
        }
    }
}

static mrw_status fail_unknown(const named_list *list, const char *pattern, mrw_error *error)
{
    char text[1024], safe[1024], escaped[200];
    mrwi_base_escape(pattern, escaped, sizeof escaped);
    uint32_t index;
    if (list->count == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "there is no %s \"%s\": the model has no %ss",
                              list->kind, escaped, list->kind);
    }
    if (parse_index(pattern, &index)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "there is no %s %s: valid numbers are 0 to %u", list->kind, escaped,
                              list->count - 1);
    }
    snprintf(text, sizeof text, "there is no %s \"%s\"", list->kind, escaped);
    const size_t length = strlen(text);
    mrwi_base_suggest(text, sizeof text, pattern, list->names, list->count, false);
    if (text[length] == '\0' && strcmp(list->kind, "clip") == 0) {
        suggest_alike(list, pattern, text, sizeof text);
    }
    if (text[length] == '\0') {
        mrwi_base_suggest(text, sizeof text, pattern, list->names, list->count, true);
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s", mrwi_base_escape(text, safe, sizeof safe));
}

static mrw_status find_in(const named_list *list, const char *pattern, uint32_t *out,
                          mrw_error *error)
{
    uint32_t index;
    if (find_exact(list->names, list->count, pattern, out) ||
        (list->full_names && find_exact(list->full_names, list->count, pattern, out))) {
        return MRW_OK;
    }
    if (parse_index(pattern, &index) && index < list->count) {
        *out = index;
        return MRW_OK;
    }
    if (find_glob(list->names, list->count, pattern, out) ||
        (list->full_names && find_glob(list->full_names, list->count, pattern, out))) {
        return MRW_OK;
    }
    return fail_unknown(list, pattern, error);
}

mrw_status mrw_scene_find_clip(const mrw_scene *scene, const char *pattern, uint32_t *out,
                               mrw_error *error)
{
    assert(scene && pattern && out);
    uint32_t count = scene->clips_count;
    const char **names = mrwi_base_alloc((size_t)count * 2, sizeof *names);
    if (!names) {
        return mrwi_base_fail_memory(error, (size_t)count * 2 * sizeof *names);
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = mrw_scene_string(scene, scene->clips[i].name);
        names[count + i] = mrw_scene_string(scene, scene->clips[i].full_name);
    }
    named_list list = {"clip", names, names + count, count};
    mrw_status status = find_in(&list, pattern, out, error);
    mrwi_base_free(names);
    return status;
}

mrw_status mrw_scene_find_camera(const mrw_scene *scene, const char *name, uint32_t *out,
                                 mrw_error *error)
{
    assert(scene && name && out);
    uint32_t count = scene->cameras_count;
    const char **names = mrwi_base_alloc(count, sizeof *names);
    if (!names) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = mrw_scene_string(scene, scene->cameras[i].name);
    }
    named_list list = {"camera", names, NULL, count};
    mrw_status status = find_in(&list, name, out, error);
    mrwi_base_free(names);
    return status;
}

/* ---- the format ------------------------------------------------------------------------------ */

/* The strings of a compiled scene have it after the name of its own format. */
const char *mrw_scene_source_format(const mrw_scene *scene)
{
    const char *format = mrw_scene_string(scene, scene->format);
    if (strcmp(format, "marrow") != 0) {
        return format;
    }
    const size_t next = (size_t)scene->format + sizeof "marrow";
    return next < scene->strings_count ? scene->strings + next : "";
}
